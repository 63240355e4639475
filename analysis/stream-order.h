/* SPDX-License-Identifier: MIT */
/* What runs before what, whatever the streams do: edges of data and control, and the order within
 * one stream.  Two ops of different streams without a path between them may run at the same time. */
#pragma once

#include "data/graph.h"

typedef struct TnStreamOrder TnStreamOrder;

/* `graph` borrowed, its order legal.  Free with tn_stream_order_free(). */
TnStreamOrder *tn_stream_order_new(const TnGraph *graph);
void tn_stream_order_free(TnStreamOrder *reach);

/* Whether `to` runs after `from` has ended (an op does after itself).  `path` (uint32_t ops, may be
 * NULL) is filled with a shortest way, both ends included.  O(edges between them). */
bool tn_stream_order_is_kept(TnStreamOrder *reach, uint32_t from, uint32_t to, GArray *path);

/* The first of `ops` (shape n) that `to` does not run after; n: it runs after them all.  One search for
 * all of them.  O(edges before `to`). */
uint32_t tn_stream_order_first_loose(TnStreamOrder *reach, const uint32_t *ops, uint32_t n, uint32_t to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStreamOrder, tn_stream_order_free)
