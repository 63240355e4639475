/* SPDX-License-Identifier: MIT */
/* The views.  Each is one function on a paint, for the window, PNG, SVG and PDF alike; in the window
 * the dense layers come from a worker thread instead (`image`). */
#pragma once

#include "analysis/finding.h"
#include "render/boxes.h"
#include "render/frame.h"
#include "render/raster.h"

/* Bytes alive over time (each column its exact peak), reserved above it hatched, peak and failed
 * requests labelled. */
void tn_draw_live(const TnPaint *paint, const TnView *view, TnRect rect);

/* Memory over time: x = time, y = place.  `image`: the dense layer, NULL to make it here. */
void tn_draw_offsets(const TnPaint *paint, const TnView *view, TnRect rect,
                     cairo_surface_t *image);

/* One bar for each buffer, in lanes, the largest sizes first. */
void tn_draw_lifetimes(const TnPaint *paint, const TnView *view, TnRect rect,
                       cairo_surface_t *image);

/* The stack of what is alive over time: see skyline.h. */
void tn_draw_skyline(const TnPaint *paint, const TnView *view, TnRect rect);

/* Names and sizes on the bars or blocks that have room for them. */
void tn_draw_lane_labels(const TnPaint *paint, const TnView *view, TnRect plot);
void tn_draw_offset_labels(const TnPaint *paint, const TnView *view, TnRect plot);

/* Outlines of the selected and the hovered buffer. */
void tn_draw_selection_offsets(const TnPaint *paint, const TnView *view, TnRect plot);
void tn_draw_selection_lanes(const TnPaint *paint, const TnView *view, TnRect plot);

/* Titles, owned by the caller: "Offsets · 13.21 GiB in 17 segments, gaps folded". */
char *tn_draw_title_live(const TnView *view);
char *tn_draw_title_offsets(const TnView *view);
char *tn_draw_title_lifetimes(const TnView *view, double plot_height);

/* The whole page: title, key numbers, the three views on one time axis, what is alive at the peak
 * (which is the legend), findings.  `findings` may be NULL. */
void tn_draw_report(const TnPaint *paint, const TnView *view, TnRect rect,
                    const TnFindings *findings);

/* One view with its time axis, as an export of its own has it. */
typedef enum {
  TN_PICTURE_LIFETIMES,
  TN_PICTURE_OFFSETS,
  TN_PICTURE_LIVE,
  TN_PICTURE_REPORT,
  TN_PICTURE_LIVE_SET, /* a treemap of what is alive at the peak */
  TN_PICTURE_FLAME,    /* call stacks by bytes alive at the peak */
  TN_PICTURE_OOM,      /* the failed request before the cursor, else the first */
  TN_PICTURE_SKYLINE   /* what is alive over time, stacked by birth */
} TnPicture;
/* What there is to choose of pictures of a moment. */
typedef struct {
  uint32_t oom;         /* which failed request of the device, from 0; TN_NONE: as TN_PICTURE_OOM says */
  TnFlameWeight weight; /* of call stacks */
  bool with_framework;
} TnPictureOptions;

#define TN_PICTURE_OPTIONS_INIT                                                                    \
  {                                                                                                \
    .oom = TN_NONE                                                                                 \
  }

/* `options`: NULL: none is chosen. */
void tn_draw_picture(const TnPaint *paint, const TnView *view, TnRect rect, TnPicture picture,
                     const TnPictureOptions *options, const TnFindings *findings);
/* How wide the axis of time is in a picture `width` wide: logical pixels. */
double tn_picture_plot_width(TnPicture picture, double width);
bool tn_picture_from_name(const char *name, TnPicture *out_picture);
