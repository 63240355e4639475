/* SPDX-License-Identifier: MIT */
/* The picture under the marks: drawn whole on a worker thread, shown as one texture. */
#pragma once

#include "app/window/maps-layout.h"
#include "app/window/session.h"

#include <gtk/gtk.h>

typedef struct {
  TnView view;
  TnMapsLayout layout;
  double scale, text_scale;
  bool is_dark;
  char *font;
  GBytes *match;      /* owned reference; may be NULL */
  TnSession *session; /* owned reference: keeps the document */
  TnStudy *study;     /* owned reference */
} TnMapsJob;

void tn_maps_job_clear(TnMapsJob *job);

/* Draws the job; any thread.  A new texture of the layout's size in device pixels, and the same pixels as
 * a surface; both are the caller's. */
GdkTexture *tn_maps_job_render(const TnMapsJob *job, cairo_surface_t **out_surface);
