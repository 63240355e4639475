/* SPDX-License-Identifier: MIT */
/* The picture under the marks: drawn whole on a worker thread, shown as one node. */
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
  gint is_stopped;    /* atomic: not 0 when nobody wants the picture any more */
} TnMapsJob;

void tn_maps_job_clear(TnMapsJob *job);

/* Draws the job; any thread.  One that is stopped meanwhile stays unfinished.  A new image surface of the
 * layout's size in device pixels, owned by the caller. */
cairo_surface_t *tn_maps_job_render(const TnMapsJob *job);
