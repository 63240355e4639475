/* SPDX-License-Identifier: MIT */
/* What stands around the data of every view: panel, title, axes, grid, the peak line and marks. */
#pragma once

#include "render/view.h"

#define TN_FRAME_LEFT 72.0   /* room for the labels of the y axis */
#define TN_FRAME_RIGHT 8.0
#define TN_FRAME_TITLE 20.0  /* room for a view's title */
#define TN_FRAME_AXIS 22.0   /* height of the time axis */

/* Where the data of a view goes, inside its whole rectangle. */
TnRect tn_frame_plot(TnRect rect);

/* The panel behind the data and the title above it. */
void tn_frame_panel(const TnPaint *paint, TnRect rect, const char *title);

/* Hairlines and labels of a size axis from `low` at the bottom of `plot` to `high` at its top. */
void tn_frame_bytes_axis(const TnPaint *paint, TnRect plot, double low, double high,
                         TnUnits units);

/* Ticks and labels of time below `rect`'s top edge; `rect` is as wide as the plots above it. */
void tn_frame_time_axis(const TnPaint *paint, TnRect rect, const TnView *view);

/* The dashed line at the live peak, and lines at failed requests.  With labels: a filled label each
 * ("peak 12.97 GiB", "OOM 512.0 MiB"), inside `plot`. */
void tn_frame_peak(const TnPaint *paint, TnRect plot, const TnView *view, bool with_labels);

/* A filled label whose pole stands at `x`, its top at `y`, in the colour of peaks or of warnings; it
 * opens to the side of `plot` that has room. */
void tn_frame_flag(const TnPaint *paint, TnRect plot, double x, double y, const char *text,
                   bool is_peak);

/* Faint lines where an iteration begins. */
void tn_frame_marks(const TnPaint *paint, TnRect plot, const TnView *view);
