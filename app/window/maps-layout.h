/* SPDX-License-Identifier: MIT */
/* Where the live curve, the offset map, the bars and the time axis stand in the maps widget. */
#pragma once

#include "render/frame.h"

typedef struct {
  TnRect live, offsets, lanes, axis;                /* with titles and labels */
  TnRect live_plot, offsets_plot, lanes_plot;       /* the data alone */
  double width, height;
} TnMapsLayout;

/* `share`: the part of the room that the offset map has of what it shares with the bars. */
void tn_maps_layout_init(TnMapsLayout *layout, double width, double height, double share);

static inline bool
tn_rect_contains(TnRect r, double x, double y)
{
  return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
}
