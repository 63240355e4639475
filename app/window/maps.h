/* SPDX-License-Identifier: MIT */
/* The maps of a session in one widget: live curve (the minimap), offset map, lifetime bars, one time
 * axis, one cursor, one selection. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_MAPS (tn_maps_get_type())
G_DECLARE_FINAL_TYPE(TnMaps, tn_maps, TN, MAPS, GtkWidget)

GtkWidget *tn_maps_new(TnSession *session);

/* Zoom steps about the cursor or the middle, and the moves of the keyboard. */
void tn_maps_zoom(TnMaps *maps, double factor);
void tn_maps_pan(TnMaps *maps, double part);

/* "model.py:88 forward, 96.0 MiB, events 1,342 to 1,629, at 0x2ffc98000"; owned by the caller. */
char *tn_maps_describe(TnSession *session, tn_index buffer);
/* The same without the name. */
char *tn_maps_describe_facts(TnSession *session, tn_index buffer);

/* The part of the drawing that the upper map takes; the rest is the bars. */
double tn_maps_get_share(TnMaps *maps);
void tn_maps_set_share(TnMaps *maps, double share);
/* Where the selected buffer is drawn, as far as it can be seen; else the middle. */
void tn_maps_get_selected_area(TnMaps *maps, GdkRectangle *out_area);
/* There is a picture of the size that the widget has: where things lie holds. */
bool tn_maps_is_drawn(TnMaps *maps);
/* The words beside the pointer, borrowed; "": none. */
const char *tn_maps_get_tip(TnMaps *maps);
/* Where the data of the views is, for tests. */
void tn_maps_get_plots(TnMaps *maps, TnRect *out_live, TnRect *out_offsets, TnRect *out_lanes);
