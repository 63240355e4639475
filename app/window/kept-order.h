/* SPDX-License-Identifier: MIT */
/* The order of ops that was chosen in the window, to be shown again when its file was read again.  Never changed;
 * atomically reference counted. */
#pragma once

#include "data/document.h"

#include <stdbool.h>

typedef struct TnKeptOrder TnKeptOrder;

/* Of a document; holds nothing of it.  NULL: it has no graph, or the order of the file whose ops these are. */
TnKeptOrder *tn_kept_order_new(const TnDocument *document, const TnDocument *file);
TnKeptOrder *tn_kept_order_ref(TnKeptOrder *kept);
void tn_kept_order_unref(TnKeptOrder *kept);

/* A tn_document_view_new() of the document with its ops in that order; NULL where its ops are others now, or may
 * not run so.  O(ops + edges). */
TnDocument *tn_kept_order_build_view(const TnKeptOrder *kept, const TnDocument *document);
/* Whether it is the document's. */
bool tn_kept_order_is_of(const TnKeptOrder *kept, const TnDocument *document);
