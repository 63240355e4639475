/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-diff.h"

#include <math.h>

#define HEADER 64.0
#define SIDE 300.0
#define LEAST_WITH_SIDE 820.0
#define LEAST_WITH_CURVES 180.0 /* of maps and curves: below, the curves would be titles without a plot */

static void
set_category(TnTheme *theme, TnDelta delta, uint32_t color)
{
  theme->category[delta] = color;
  for (int i = 0; i < TN_SHADES; i++)
    theme->shade[delta][i] = tn_color_mix(color, theme->panel, 0.07 * i);
}

void
tn_diff_theme_init(TnTheme *theme, const TnTheme *from)
{
  *theme = *from;
  uint32_t same = tn_color_mix(from->other, from->panel, from->is_dark ? 0.35 : 0.55);
  set_category(theme, TN_DELTA_SAME, same);
  set_category(theme, TN_DELTA_MOVED, from->other);
  set_category(theme, TN_DELTA_LARGER, from->larger);
  set_category(theme, TN_DELTA_NEW, tn_color_mix(from->larger, from->panel, 0.18));
  set_category(theme, TN_DELTA_SMALLER, from->smaller);
  set_category(theme, TN_DELTA_GONE, tn_color_mix(from->smaller, from->panel, 0.18));
  set_category(theme, TN_DELTA_LONGER, tn_color_mix(from->larger, same, 0.62));
  set_category(theme, TN_DELTA_SHORTER, tn_color_mix(from->smaller, same, 0.62));
}

bool
tn_diff_layout_from_name(const char *name, TnDiffLayout *out_layout)
{
  static const char *const names[] = {"over-under", "overlay", "delta"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_strcmp0(name, names[i]) == 0) {
      *out_layout = (TnDiffLayout)i;
      return true;
    }
  return false;
}

TnDiffPicture *
tn_diff_picture_new(TnDiff *diff, const TnTheme *theme, const char *note_a, const char *note_b)
{
  TnDiffPicture *picture = g_atomic_rc_box_new0(TnDiffPicture);
  picture->selected[0] = picture->selected[1] = TN_NONE;
  picture->cursor = -1.0;
  picture->diff = tn_diff_ref(diff);
  picture->a = tn_diff_build_side_study(diff, TN_DIFF_A);
  picture->b = tn_diff_build_side_study(diff, TN_DIFF_B);
  picture->height = MAX(MAX(picture->a->map->height, picture->b->map->height), (tn_bytes)1);
  picture->has_places = picture->a->map->n_placed && picture->b->map->n_placed;
  picture->groups = tn_diff_build_groups(diff);
  picture->note[TN_DIFF_A] = g_strdup(note_a);
  picture->note[TN_DIFF_B] = g_strdup(note_b);
  tn_diff_theme_init(&picture->theme, theme);
  return picture;
}

TnDiffPicture *
tn_diff_picture_ref(TnDiffPicture *picture)
{
  return g_atomic_rc_box_acquire(picture);
}

static void
clear_picture(gpointer data)
{
  TnDiffPicture *picture = data;
  tn_study_unref(picture->a);
  tn_study_unref(picture->b);
  g_array_unref(picture->groups);
  tn_diff_unref(picture->diff);
  g_free(picture->note[0]);
  g_free(picture->note[1]);
}

void
tn_diff_picture_unref(TnDiffPicture *picture)
{
  if (picture)
    g_atomic_rc_box_release_full(picture, clear_picture);
}

char *
tn_diff_picture_dup_name(const TnDiffPicture *picture, TnDiffSide side)
{
  const TnStudy *study = side == TN_DIFF_A ? picture->diff->a : picture->diff->b;
  g_autofree char *name = g_path_get_basename(study->document->shown_path);
  const char *note = picture->note[side];
  return note && *note ? g_strdup_printf("%s · %s", name, note) : g_strdup(name);
}

void
tn_diff_view_init(TnView *view, const TnDiffPicture *picture, TnDiffSide side)
{
  tn_view_init(view, side == TN_DIFF_A ? picture->a : picture->b);
  view->p1 = (double)picture->height;
  view->theme = &picture->theme;
  view->match = picture->match[side];
  view->selected = picture->selected[side];
  view->cursor = picture->cursor;
}

/* ---- the page ----------------------------------------------------------------------------------
 */

static void
paint_header(const TnPaint *paint, const TnDiffPicture *picture, TnRect rect, TnUnits units)
{
  g_autofree char *a = tn_diff_picture_dup_name(picture, TN_DIFF_A);
  g_autofree char *b = tn_diff_picture_dup_name(picture, TN_DIFF_B);
  g_autofree char *title = g_strdup_printf("A  %s   →   B  %s", a, b);
  g_autofree char *head = tn_diff_build_head_line(picture->diff, units);
  TnTextStyle style = {
      .size = 15.0, .is_bold = true, .color = paint->theme->text, .max_width = rect.width - 32.0};
  tn_paint_text(paint, title, rect.x + 16.0, rect.y + 18.0, &style);
  style = (TnTextStyle){.size = 12.0, .color = paint->theme->text, .max_width = rect.width - 32.0};
  tn_paint_text(paint, head, rect.x + 16.0, rect.y + 42.0, &style);
}

static TnRect
below(TnRect above, double height)
{
  return (TnRect){above.x, above.y + above.height + 6.0, above.width, height};
}

/* Where the page's parts go. */
typedef struct {
  bool has_side, has_curves; /* else the last two are where the maps are */
  TnRect maps, side, curves, delta;
} Page;

static Page
lay_out(const TnDiffPicture *picture, TnRect rect)
{
  Page page = {.has_side = rect.width >= LEAST_WITH_SIDE && !picture->is_bare};
  double header = picture->is_bare ? 0.0 : HEADER;
  double width = page.has_side ? rect.width - SIDE - 24.0 : rect.width - 8.0;
  double height = rect.height - header - TN_FRAME_AXIS - 30.0;
  page.has_curves = height >= LEAST_WITH_CURVES;
  page.maps = (TnRect){rect.x, rect.y + header, width, (page.has_curves ? height * 0.62 : height + 12.0) + 6.0};
  page.curves = page.has_curves ? below(page.maps, height * 0.23) : page.maps;
  page.delta = page.has_curves ? below(page.curves, height * 0.15) : page.maps;
  page.side =
      (TnRect){rect.x + width + 8.0, rect.y + header + 4.0, SIDE, rect.height - header - 16.0};
  return page;
}

static TnRect
side_rect(const TnDiffPicture *picture, TnRect maps, TnDiffSide side)
{
  if (picture->layout != TN_DIFF_OVER_UNDER)
    return maps;
  TnRect a = {maps.x, maps.y, maps.width, (maps.height - 6.0) / 2};
  return side == TN_DIFF_A ? a : below(a, a.height);
}

TnRect
tn_diff_page_plot(const TnDiffPicture *picture, TnRect rect, TnDiffSide side)
{
  return tn_frame_plot(side_rect(picture, lay_out(picture, rect).maps, side));
}

TnRect
tn_diff_page_plots(const TnDiffPicture *picture, TnRect rect)
{
  Page page = lay_out(picture, rect);
  TnRect plots = tn_frame_plot(page.maps), last = tn_frame_plot(page.delta);
  plots.height = last.y + last.height - plots.y;
  return plots;
}

static void
paint_maps(const TnPaint *paint,
           const TnDiffPicture *picture,
           const TnView *view_a,
           const TnView *view_b,
           TnRect rect)
{
  TnDiffLayout layout = picture->layout;
  if (layout == TN_DIFF_OVERLAY)
    tn_draw_diff_overlay(paint, picture, view_b, rect);
  if (layout == TN_DIFF_DELTA_MAP)
    tn_draw_diff_map(paint, picture, view_b, rect);
  if (layout == TN_DIFF_OVER_UNDER || layout == TN_DIFF_ONLY_A)
    tn_draw_diff_side(paint, picture, view_a, TN_DIFF_A, side_rect(picture, rect, TN_DIFF_A));
  if (layout == TN_DIFF_OVER_UNDER || layout == TN_DIFF_ONLY_B)
    tn_draw_diff_side(paint, picture, view_b, TN_DIFF_B, side_rect(picture, rect, TN_DIFF_B));
}

static void
zoom_like(TnView *view, const TnView *shown)
{
  view->t0 = shown->t0;
  view->t1 = shown->t1;
  view->p0 = shown->p0;
  view->p1 = shown->p1;
}

tn_index
tn_diff_hit(const TnDiffPicture *picture,
            const TnView *shown,
            TnDiffSide side,
            TnRect plot,
            double x,
            double y)
{
  TnView view;
  tn_diff_view_init(&view, picture, side);
  zoom_like(&view, shown);
  if (picture->has_places)
    return tn_view_hit_offsets(&view, plot, x, y, NULL);
  view.lane_height = tn_diff_lane_height(&view, plot);
  return tn_view_hit_lanes(&view, plot, x, y);
}

void
tn_draw_diff_zoomed(const TnPaint *paint,
                    const TnDiffPicture *picture,
                    const TnView *shown,
                    TnRect rect,
                    TnUnits units)
{
  TnPaint own = *paint;
  TnView view_a, view_b;
  Page page = lay_out(picture, rect);
  own.theme = &picture->theme;
  tn_paint_rect(&own, rect, own.theme->background);
  if (!picture->is_bare)
    paint_header(&own, picture, rect, units);
  tn_diff_view_init(&view_a, picture, TN_DIFF_A);
  tn_diff_view_init(&view_b, picture, TN_DIFF_B);
  zoom_like(&view_a, shown);
  zoom_like(&view_b, shown);
  view_a.units = view_b.units = units;
  paint_maps(&own, picture, &view_a, &view_b, page.maps);
  if (page.has_curves) {
    tn_draw_diff_curves(&own, picture, &view_b, page.curves);
    tn_draw_diff_delta(&own, picture, &view_b, page.delta);
  }
  TnRect plot = tn_frame_plot(page.delta);
  tn_frame_time_axis(&own, (TnRect){plot.x, plot.y + plot.height + 2.0, plot.width, TN_FRAME_AXIS},
                     &view_b);
  if (page.has_side)
    tn_draw_diff_side_pane(&own, picture, page.side, units);
}

void
tn_draw_diff(const TnPaint *paint, const TnDiffPicture *picture, TnRect rect, TnUnits units)
{
  TnView shown;
  tn_diff_view_init(&shown, picture, TN_DIFF_B);
  tn_draw_diff_zoomed(paint, picture, &shown, rect, units);
}
