/* SPDX-License-Identifier: MIT */
/* A graph as a `tenure-graph` document, whatever format it was read from. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

/* JSON text, owned by the caller.  Rows are ids; `order` is always written.  What the form has no
 * words for is left out: graphs inside ops (their memory too), offsets of a recorded plan, who owns
 * inputs and outputs.  Views and places in turn that the file does not state (TnAlias) are marked.  O(size). */
char *tn_graph_build_json(const TnGraph *graph, const TnStrings *strings);
