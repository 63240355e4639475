/* SPDX-License-Identifier: MIT */
/* A document whose graph is another one by what-if edits. */
#pragma once

#include "data/document.h"

/* A document of its own, with the graph that `edits` (GPtrArray of TnGraphEdit *) make, its
 * strings, warnings and one device; a plan that the file has is not in it, for it is the plan of
 * another graph.  Errors: UNSUPPORTED (no graph), and those of tn_graph_build_edited(). */
TnDocument *tn_document_new_edited(const TnDocument *document, const GPtrArray *edits,
                                   GError **error);
