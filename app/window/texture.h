/* SPDX-License-Identifier: MIT */
/* A drawing of a thread's own, shown by one node in many frames. */
#pragma once

#include "render/export.h"

#include <gtk/gtk.h>

/* Draws `width` x `height` logical pixels at `scale`; owned by the caller.  Any thread. */
cairo_surface_t *tn_texture_draw(int width,
                                 int height,
                                 double scale,
                                 const TnTheme *theme,
                                 TnExportDraw draw,
                                 const void *payload);

/* A node that shows an image surface (which it holds) at its device scale, to be made once and appended
 * in many frames: where it is the same as in the frame before, only what changed above it is drawn.  For
 * the renderer of the widget's window: the cairo renderer converts all of a texture for each pixel of it
 * that is drawn again.  Main thread. */
GskRenderNode *tn_texture_node_new(GtkWidget *widget, cairo_surface_t *surface);

/* Whether the widget's window is drawn without a graphics card. */
bool tn_texture_is_drawn_with_cairo(GtkWidget *widget);
