/* SPDX-License-Identifier: MIT */
/* A graph from a graph with some of its ops joined or divided.  Tensors keep their rows. */
#pragma once

#include "data/graph.h"

/* Deep copy, bodies included; owned by the caller. */
TnGraph *tn_graph_copy(const TnGraph *graph);

/* The ops `members` (shape n) as one, in the place of the last of them: it reads what they read
 * from outside and makes what others read, or what is an output; the rest vanishes.  Workspace: the
 * largest.  The new order is the old one where that is legal, else a stable topological one; NULL
 * where the result has a cycle. */
TnGraph *tn_graph_build_fused(const TnGraph *graph, const uint32_t *members, uint32_t n);

/* The op as `tasks` (>= 2) ops one after the other: each reads all that it read and makes its part
 * of each output, as tensors of their own that take the whole one's place at its readers.
 * `name_part` gives the name of part i of something. */
TnGraph *tn_graph_build_divided(const TnGraph *graph, uint32_t op, uint32_t tasks,
                                uint32_t (*name_part)(uint32_t name, uint32_t part, void *payload),
                                void *payload);
