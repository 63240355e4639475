/* SPDX-License-Identifier: MIT */
/* How long a copy between device and host takes: points (bytes, seconds), straight lines between
 * them, the last line drawn on; never less than the first point's time (the fixed cost of a copy).
 *
 *   seconds ^            /
 *           |       ____/        small copies cost their launch,
 *           |______/             large ones their bytes
 *           +---------------> bytes */
#pragma once

#include "data/graph.h"

typedef struct {
  GArray *out, *in; /* TnLinkPoint, bytes ascending, at least one; owned */
  char *name;       /* owned */
  char *source;     /* where the figures come from; owned */
} TnLink;

typedef struct {
  const char *name; /* --link NAME */
  const char *title;
  const char *source;
  TnLinkPoint out[6], in[6]; /* ended by 0 bytes */
} TnLinkPreset;

/* All presets, ended by one without a name; the first is the default. */
const TnLinkPreset *tn_link_presets(void);

TnLink *tn_link_new_for_preset(const TnLinkPreset *preset);
/* The graph's own table; NULL where it has none.  A direction that lacks takes the other's. */
TnLink *tn_link_new_for_graph(const TnGraph *graph);
/* Takes points in any order (copied and sorted; of equal sizes the larger time). */
TnLink *tn_link_new(const char *name, const char *source, const GArray *out, const GArray *in);
void tn_link_free(TnLink *link);

/* Seconds of one copy; 0 for 0 bytes.  O(log points). */
double tn_link_seconds(const GArray *points, tn_bytes bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLink, tn_link_free)
