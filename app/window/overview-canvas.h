/* SPDX-License-Identifier: MIT */
/* The picture of an overview: one live curve a file, drawn off the main thread, picked from here.
 *
 * Signals: "picked" (A or B is another), "opened" (guint: a file was asked for alone). */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_OVERVIEW_CANVAS (tn_overview_canvas_get_type())
G_DECLARE_FINAL_TYPE(TnOverviewCanvas, tn_overview_canvas, TN, OVERVIEW_CANVAS, GtkWidget)

GtkWidget *tn_overview_canvas_new(void);
/* One more file, held. */
void tn_overview_canvas_add(TnOverviewCanvas *canvas, TnSession *session);
TnSession *tn_overview_canvas_get(TnOverviewCanvas *canvas, guint i);
guint tn_overview_canvas_count(TnOverviewCanvas *canvas);
/* The file picked as A (0) or B (1); TN_NONE. */
uint32_t tn_overview_canvas_get_picked(TnOverviewCanvas *canvas, int side);
/* The one that is not like the others; TN_NONE. */
uint32_t tn_overview_canvas_get_outlier(TnOverviewCanvas *canvas);
/* Where a file is drawn, in the widget's coordinates. */
TnRect tn_overview_canvas_get_cell(TnOverviewCanvas *canvas, guint i);
void tn_overview_canvas_invalidate(TnOverviewCanvas *canvas);
