/* SPDX-License-Identifier: MIT */
/* Shared by maps.c (showing), maps-marks.c (what lies over the picture) and maps-input.c (mouse and
 * keys). */
#pragma once

#include "app/window/maps-controls.h"
#include "app/window/maps-render.h"
#include "app/window/maps.h"

struct _TnMaps {
  GtkWidget parent_instance;
  TnSession *session;
  TnMapsLayout layout;
  double share; /* of the offset map against the bars */
  TnMapsControls controls;

  /* The picture on screen, and what it shows. */
  cairo_surface_t *surface;
  GskRenderNode *node; /* shows it; the same one in all frames */
  TnView drawn_view;
  TnMapsLayout drawn_layout;
  bool is_drawing; /* a worker has a job */
  bool is_dirty;   /* and another one is wanted after it */
  guint starting;  /* the source that will give it one; 0: none */
  gint64 asked;    /* when it was wanted, and since when none has come; monotonic µs */
  gint64 waiting;
  gint *is_stopped; /* of the worker's job: see TnMapsJob */
  tn_index described;
  bool is_chaining;   /* a worker looks for the chain */
  guint chain_source; /* that will have one look for it; 0: none */
  GArray *chain; /* TnReusePair around the selection; NULL: not computed */
  tn_index chain_of;
  GskRenderNode *chain_node; /* its arrows, the same one in all frames that show ... */
  const GArray *node_chain;  /* ... this chain */
  TnView node_view;          /* in this view */
  TnRect node_plot;
  const TnTheme *node_theme;

  PangoLayout *tip; /* the words beside the pointer, as they were last; NULL: none yet */
  tn_index tip_of;  /* whose they are; TN_NONE: not shown */
  double tip_x, tip_y; /* where the pointer rested */
  guint tip_source;

  /* The mouse. */
  double pointer_x, pointer_y;
  double surface_x, surface_y; /* the same in the window's coordinates */
  double drag_x, drag_y;
  TnView drag_view; /* what part was shown; its study may be gone */
  double range_anchor; /* the edge of the range that stays, in ticks */
  bool is_selecting, is_panning, is_minimap, is_splitting;
};

/* Wants a new picture. */
void tn_maps_invalidate(TnMaps *maps);

/* TnReusePair around the selection, borrowed; NULL: there is none, or it is still looked for (a frame is
 * wanted when it is found). */
const GArray *tn_maps_chain(TnMaps *maps);
/* It is of a study that is not shown any more. */
void tn_maps_drop_chain(TnMaps *maps);
/* The priority of sources that give work: after a frame that is due.  Where processors are few, a worker that began at
 * once would take one from the frame that answers the user. */
#define TN_MAPS_AFTER_FRAME (GDK_PRIORITY_REDRAW + 10)

/* The lanes have been scrolled so far that nothing of the old picture is left in sight: it stays as it is until
 * the new one comes, rather than an empty plot, and no mark belongs on it. */
bool tn_maps_awaits_lanes(TnMaps *maps);

/* After each move of the pointer. */
void tn_maps_follow_with_tip(TnMaps *maps);
/* The name, size and life of what is hovered, beside the pointer that rests. */
void tn_maps_append_tip(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme);

/* The light layer: window of the minimap, range, bookmarks, hover, selection, cursor. */
void tn_maps_append_marks(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme);
GdkRGBA tn_maps_rgba(uint32_t color, float alpha);
void tn_maps_append_rect(GtkSnapshot *snapshot, double x, double y, double width, double height,
                         const GdkRGBA *color);
void tn_maps_append_outline(GtkSnapshot *snapshot, TnRect r, TnRect clip, double line,
                            const GdkRGBA *color);
/* Whether a point is on an edge of the chosen range; *out_anchor is the other edge, in ticks. */
bool tn_maps_hit_range_edge(TnMaps *maps, double x, double y, double *out_anchor);
/* The row of the bookmark whose flag is at a point of the widget; -1: none. */
int tn_maps_hit_bookmark(TnMaps *maps, double x, double y);
