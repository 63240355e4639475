/* SPDX-License-Identifier: MIT */
/* Two studies as one picture: A over B at one scale on the common axis, both live curves and their
 * difference, and the causes that add up to it. */
#pragma once

#include "analysis/diff/groups.h"
#include "analysis/diff/side-study.h"
#include "render/draw.h"

typedef enum {
  TN_DIFF_OVER_UNDER, /* A above B */
  TN_DIFF_OVERLAY,    /* A's outlines over B */
  TN_DIFF_DELTA_MAP,  /* B - A by moment and place */
  TN_DIFF_ONLY_A,     /* one side at full height: a window shows them in turn */
  TN_DIFF_ONLY_B
} TnDiffLayout;

/* The layout of a word of --layout; false where there is none. */
bool tn_diff_layout_from_name(const char *name, TnDiffLayout *out_layout);

/* The first fields are for whoever draws: set them as you like in a copy of the struct, which is one
 * more name for the same parts (borrowed) and needs no end of its own.  Workers copy it while others hold and
 * let go of it: the count of references is not in it. */
typedef struct {
  TnDiffLayout layout;     /* of the page */
  bool is_bare;            /* no head line and no side pane: a window has its own */
  const uint8_t *match[2]; /* by side, by buffer: 0 is dimmed; NULL: nothing is */
  tn_index selected[2];    /* by side; TN_NONE */
  double cursor;           /* a tick of the common axis; < 0: none */

  TnDiff *diff;        /* held */
  TnStudy *a, *b;      /* on the common axis; owned */
  TnTheme theme;       /* the theme given, its categories in the colours of TnDelta */
  tn_bytes height;     /* of both maps' scale */
  bool has_places;     /* offsets can be drawn; else lives */
  GArray *groups;      /* tn_diff_build_groups() */
  char *note[2];       /* by side: what tells it apart ("exact", "batch=4"); NULL: its file does */
} TnDiffPicture;

/* All that a picture needs.  The notes (copied, may be NULL) stand beside the files' names.  Owned
 * by the caller.  O(n log n). */
TnDiffPicture *
tn_diff_picture_new(TnDiff *diff, const TnTheme *theme, const char *note_a, const char *note_b);
TnDiffPicture *tn_diff_picture_ref(TnDiffPicture *picture);
void tn_diff_picture_unref(TnDiffPicture *picture);

/* The delta colours on a theme: grey is the same, vermillion larger or new, blue smaller or gone,
 * lighter where only the life is another. */
void tn_diff_theme_init(TnTheme *theme, const TnTheme *from);

/* A view of one side: the whole common axis and both maps' height; what is dimmed and selected of
 * it. */
void tn_diff_view_init(TnView *view, const TnDiffPicture *picture, TnDiffSide side);

/* How high bars are drawn where nothing has a place: all that fit, 3 to 15 pixels. */
double tn_diff_lane_height(const TnView *view, TnRect plot);

/* ---- the parts, for the window --------------------------------------------------------------- */

/* One side's map (or bars) over `rect`, with axis, title and peak; `view` may be zoomed. */
void tn_draw_diff_side(const TnPaint *paint,
                       const TnDiffPicture *picture,
                       const TnView *view,
                       TnDiffSide side,
                       TnRect rect);
/* The same without names, under a title of its own. */
void tn_draw_diff_fill(const TnPaint *paint,
                       const TnDiffPicture *picture,
                       const TnView *view,
                       TnDiffSide side,
                       TnRect rect,
                       const char *title);
/* The outline of what is selected on the view's side. */
void tn_diff_paint_selection(const TnPaint *paint,
                             const TnDiffPicture *picture,
                             const TnView *view,
                             TnRect plot);
/* Both in one map: B filled with A's outlines over it, and cells coloured by B - A (each column the
 * peak of either side in it).  `view`: B's.  Without places the second is empty. */
void tn_draw_diff_overlay(const TnPaint *paint,
                          const TnDiffPicture *picture,
                          const TnView *view,
                          TnRect rect);
void tn_draw_diff_map(const TnPaint *paint,
                      const TnDiffPicture *picture,
                      const TnView *view,
                      TnRect rect);
/* Both live curves, the area between them in the delta colours. */
void tn_draw_diff_curves(const TnPaint *paint,
                         const TnDiffPicture *picture,
                         const TnView *view,
                         TnRect rect);
/* B - A over time about a zero line; each column the largest of both. */
void tn_draw_diff_delta(const TnPaint *paint,
                        const TnDiffPicture *picture,
                        const TnView *view,
                        TnRect rect);
/* Figures, causes that add up, legend, largest changes. */
void tn_draw_diff_side_pane(const TnPaint *paint,
                            const TnDiffPicture *picture,
                            TnRect rect,
                            TnUnits units);
/* "silmont.pickle · exact": the file's name and the note; owned by the caller. */
char *tn_diff_picture_dup_name(const TnDiffPicture *picture, TnDiffSide side);
/* "Arena 745.1 MiB → 532.5 MiB, -212.7 MiB (-28.5 %) = …"; owned by the caller. */
char *tn_diff_build_head_line(const TnDiff *diff, TnUnits units);

/* The whole page. */
void tn_draw_diff(const TnPaint *paint, const TnDiffPicture *picture, TnRect rect, TnUnits units);
/* The page with the ticks and places of `shown` (its t0, t1, p0, p1) only. */
void tn_draw_diff_zoomed(const TnPaint *paint,
                         const TnDiffPicture *picture,
                         const TnView *shown,
                         TnRect rect,
                         TnUnits units);
/* Where the page over `rect` draws a side's map, without its axis: for pointing.  Layouts of one map
 * give the same place for both. */
TnRect tn_diff_page_plot(const TnDiffPicture *picture, TnRect rect, TnDiffSide side);
/* From the top of the maps' plots to the bottom of the curves': what has the time axis. */
TnRect tn_diff_page_plots(const TnDiffPicture *picture, TnRect rect);
/* The buffer of a side drawn at a point of its plot, TN_NONE where there is none.  `shown` as above.
 */
tn_index tn_diff_hit(const TnDiffPicture *picture,
                     const TnView *shown,
                     TnDiffSide side,
                     TnRect plot,
                     double x,
                     double y);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDiffPicture, tn_diff_picture_unref)
