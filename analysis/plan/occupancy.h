/* SPDX-License-Identifier: MIT */
/* How full a plan's arena is over time, as a pool would see it: what is in use, up to where, in how
 * large holes; and what moving everything down would win. */
#pragma once

#include "data/buffers.h"

typedef struct {
  tn_tick tick;
  tn_bytes used_bytes;   /* of places that are held: once where batches share one, less gaps */
  tn_bytes extent_bytes; /* up to the highest end of what is alive, summed over the spaces */
  tn_bytes hole_bytes;   /* below that, in holes */
  tn_bytes largest_hole_bytes;
  tn_bytes moved_bytes; /* a compaction at this tick would copy these … */
  tn_bytes won_bytes;   /* … and lower the extent by these */
} TnOccupancy;

/* Which of its own bytes a buffer holds at a tick: all of them, in a gap the window that it keeps.  False
 * where it holds nothing. */
bool tn_occupancy_window(const TnBuffers *buffers,
                         tn_index i,
                         tn_tick tick,
                         tn_bytes *out_low,
                         tn_bytes *out_high);

/* The state at `tick`.  `offset` as in reuse.h; fixed rows don't move, others slide down in the order of
 * their places, to the next multiple of their alignment (at least `alignment`).  O(n log n). */
TnOccupancy tn_occupancy_at(const TnBuffers *buffers,
                            const tn_bytes *offset,
                            tn_bytes alignment,
                            tn_tick tick);

/* At most `most` moments (TnOccupancy rows, owned by the caller) in order: all at which a life begins
 * where these are few, else spread evenly.  O(most × n). */
GArray *tn_occupancy_curve_new(const TnBuffers *buffers,
                               const tn_bytes *offset,
                               tn_bytes alignment,
                               uint32_t most);

/* The first tick at which the arena's highest byte is in use; -1 where nothing is placed. */
tn_tick tn_occupancy_high_water(const TnBuffers *buffers, const tn_bytes *offset);

/* 1 - largest hole / all holes (engine.md); 0 where there are none. */
double tn_occupancy_fragmentation(const TnOccupancy *at);
