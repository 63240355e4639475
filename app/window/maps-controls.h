/* SPDX-License-Identifier: MIT */
/* The three small menus on the maps: what the time axis counts, which map stands in the middle, and
 * how the bars are grouped and sorted.  Their items are actions of the window: win.time, win.map,
 * win.group-bars, win.sort-bars. */
#pragma once

#include "app/window/maps-layout.h"

#include <gtk/gtk.h>

/* Children of `maps`, owned by it until _clear(). */
typedef struct {
  GtkWidget *time, *map, *bars;
} TnMapsControls;

void tn_maps_controls_init(TnMapsControls *controls, GtkWidget *maps);
void tn_maps_controls_clear(TnMapsControls *controls);
/* At the right end of the titles. */
void tn_maps_controls_allocate(TnMapsControls *controls, const TnMapsLayout *layout);
void tn_maps_controls_snapshot(TnMapsControls *controls, GtkWidget *maps, GtkSnapshot *snapshot);
/* What the time axis counts; why there is no clock is said by the button. */
void tn_maps_controls_set_time(TnMapsControls *controls, const TnView *view);
void tn_maps_controls_set_skyline(TnMapsControls *controls, bool is_skyline);
/* Without buffers there are neither maps nor bars to choose. */
void tn_maps_controls_set_shown(TnMapsControls *controls, bool is_shown);
/* How bars can be grouped: for other menus; owned by the caller. */
GMenuModel *tn_maps_controls_build_groups(void);
