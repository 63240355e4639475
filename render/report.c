/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include "render/boxes.h"
#include "render/draw-oom.h"
#include "render/draw-totals.h"
#include "render/report-file.h"
#include "render/report-key.h"
#include "render/report-side.h"

#include <math.h>

#define HEADER 46.0
#define SIDE 268.0
#define LEAST_WITH_SIDE 720.0 /* a narrower report has a key instead */
#define LEAST_WITH_KEY 260.0

bool
tn_picture_from_name(const char *name, TnPicture *out_picture)
{
  static const char *const names[] = {"lifetimes", "offsets", "live", "report", "live-set",
                                      "flame", "oom", "skyline"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_strcmp0(name, names[i]) == 0) {
      *out_picture = (TnPicture)i;
      return true;
    }
  return false;
}

/* Of a file without lives: what wrote it and how much of that it holds. */
static char *
dup_source(const TnDocument *document)
{
  guint n = document->accounts->len;
  const char *by = document->producer ? document->producer : document->format;
  return n ? g_strdup_printf("%s · %u %s", by, n, tn_plural(n, "report", "reports"))
           : g_strdup_printf("%s · no buffers", by);
}

static char *
dup_subtitle(const TnView *view)
{
  const TnStudy *study = view->study;
  char peak[48], count[32];
  if (!tn_view_has_live(study))
    return dup_source(study->document);
  tn_print_bytes(peak, sizeof peak, study->live->peak, view->units);
  const char *unit = tn_axis_unit_name(study->device->axis);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *device = tn_document_dup_device_label(study->document, study->device);
  if (study->is_log)
    g_string_append_printf(text, "%s · ", device);
  g_string_append_printf(text, "live peak %s at %s %s", peak, unit,
                         tn_print_count(count, sizeof count, study->live->peak_at));
  if (study->is_log)
    g_string_append_printf(text, " · %s %s",
                           tn_print_count(count, sizeof count, study->device->events.n),
                           study->device->events.n == 1 ? "event" : "events");
  g_string_append_printf(text, " · %s %s", tn_print_count(count, sizeof count, study->buffers->n),
                         study->buffers->n == 1 ? "buffer" : "buffers");
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
paint_header(const TnPaint *paint, const TnView *view, TnRect rect)
{
  g_autofree char *name = g_path_get_basename(view->study->document->shown_path);
  g_autofree char *totals = tn_study_dup_totals(view->study, view->units);
  const char *cut = tn_report_cut_words(view->study->document);
  g_autofree char *figures = totals ? g_steal_pointer(&totals) : dup_subtitle(view);
  g_autofree char *below = cut ? g_strdup_printf("%s · %s", figures, cut) : g_strdup(figures);
  TnTextStyle style = {.size = 15.0, .is_bold = true, .color = paint->theme->text,
                       .max_width = rect.width - 32.0};
  tn_paint_text(paint, name, rect.x + 16.0, rect.y + 15.0, &style);
  style = (TnTextStyle){.size = 11.0, .color = paint->theme->secondary,
                        .max_width = rect.width - 32.0};
  tn_paint_text(paint, below, rect.x + 16.0, rect.y + 34.0, &style);
}

/* ---- the page ---------------------------------------------------------------------------------- */

/* Lanes as high as they can be read, or all of them where that leaves three pixels each. */
static double
fitting_lane_height(const TnView *view, double height)
{
  double all = height / MAX(view->study->lanes->n, 1u);
  return CLAMP(all >= 3.0 ? floor(all) : 15.0, 3.0, 15.0);
}

static void
paint_axis(const TnPaint *paint, const TnView *view, TnRect above)
{
  TnRect plot = tn_frame_plot(above);
  tn_frame_time_axis(paint, (TnRect){plot.x, plot.y + plot.height + 2.0, plot.width, TN_FRAME_AXIS},
                     view);
}

/* Totals only: their curve over time, where they have one, and what they add up to. */
static void
paint_without_map(const TnPaint *paint, const TnView *view, TnRect rect)
{
  bool has_curve = view->study->device->samples != NULL;
  TnRect live = {rect.x, rect.y, rect.width, has_curve ? floor(rect.height * 0.45) : 0.0};
  if (has_curve) {
    tn_draw_live(paint, view, live);
    paint_axis(paint, view, live);
    live.height += TN_FRAME_AXIS + 8.0;
  }
  tn_draw_no_map(paint, view, (TnRect){rect.x, rect.y + live.height, rect.width,
                                       rect.height - live.height - 8.0});
}

#define BETWEEN 4.0
#define LEAST_FOR_TWO 100.0 /* a lower report leaves out maps rather than draw only their titles */
#define LEAST_FOR_THREE 190.0

/* The three maps over each other, on one axis of time; the offsets first where there is little room. */
static void
paint_maps(const TnPaint *paint, const TnView *view, TnRect rect)
{
  TnView own = tn_view_for_report(view);
  double height = rect.height - TN_FRAME_AXIS - 10.0, bottom = rect.y + height;
  bool has_live = height >= LEAST_FOR_TWO, has_lanes = height >= LEAST_FOR_THREE;
  TnRect live = {rect.x, rect.y, rect.width, has_live ? CLAMP(80.0, height * 0.17, height * 0.3) : 0};
  TnRect offsets = {rect.x, rect.y + (has_live ? live.height + BETWEEN : 0), rect.width, 0};
  offsets.height = has_lanes ? height * 0.50 : bottom - offsets.y;
  TnRect lanes = {rect.x, offsets.y + offsets.height + BETWEEN, rect.width, 0};
  lanes.height = bottom - lanes.y;
  own.lane_height = fitting_lane_height(view, lanes.height - TN_FRAME_TITLE);
  if (has_live)
    tn_draw_live(paint, &own, live);
  tn_draw_offsets(paint, &own, offsets, NULL);
  if (has_lanes)
    tn_draw_lifetimes(paint, &own, lanes, NULL);
  paint_axis(paint, &own, has_lanes ? lanes : offsets);
}

/* Below the header, where the picture is high enough; returns its height. */
static double
paint_key(const TnPaint *paint, const TnView *view, TnRect rect, bool with_lines)
{
  TnRect key = {rect.x + 16.0, rect.y + HEADER, rect.width - 32.0, 0.0};
  return rect.height >= LEAST_WITH_KEY ? tn_draw_report_key(paint, view, key, with_lines) : 0.0;
}

void
tn_draw_report(const TnPaint *paint, const TnView *view, TnRect rect, const TnFindings *findings)
{
  bool has_side = rect.width >= LEAST_WITH_SIDE && tn_report_has_side(view, findings);
  tn_paint_rect(paint, rect, paint->theme->background);
  paint_header(paint, view, rect);
  double width = has_side ? rect.width - SIDE - 24.0 : rect.width - 8.0, top = rect.y + HEADER;
  top += rect.width < LEAST_WITH_SIDE ? paint_key(paint, view, rect, false) : 0.0;
  TnRect maps = {rect.x, top, width, rect.y + rect.height - top};
  if (view->study->buffers->n == 0)
    paint_without_map(paint, view, maps);
  else
    paint_maps(paint, view, maps);
  TnRect panel = {rect.x + width + 8.0, top + 4.0, SIDE, rect.height - HEADER - 16.0};
  if (has_side)
    tn_draw_report_side(paint, view, panel, findings);
}

static void
draw_boxes(const TnPaint *paint, const TnView *view, TnRect rect, TnPicture picture,
           const TnPictureOptions *options)
{
  TnView own = *view;
  TnRect area = {rect.x + 16.0, rect.y + 20.0, rect.width - 32.0, rect.height - 24.0};
  tn_tick tick = view->cursor >= 0 ? (tn_tick)view->cursor : view->study->live->peak_at;
  own.theme = paint->theme;
  g_autoptr(TnBoxes) boxes = picture == TN_PICTURE_LIVE_SET
                                 ? tn_treemap_new(&own, tick, area)
                                 : tn_flame_new(&own, tick, options->weight,
                                                options->with_framework, area);
  TnTextStyle style = {.size = 11.0, .is_bold = true, .color = paint->theme->secondary,
                       .max_width = area.width};
  tn_paint_text(paint, boxes->title, area.x, rect.y + 9.0, &style);
  tn_draw_boxes(paint, &own, boxes, -1);
}

/* The last failed request up to the cursor; without a cursor the first. */
static uint32_t
choose_oom(const TnView *view, const TnPictureOptions *options)
{
  const TnDevice *device = view->study->device;
  uint32_t chosen = view->study->is_log ? tn_oom_find_mark(device, 0) : TN_NONE;
  if (chosen != TN_NONE && options->oom != TN_NONE)
    return tn_oom_find_mark(device, options->oom);
  for (guint i = chosen; chosen != TN_NONE && i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    if (mark->kind == TN_MARK_OOM && (double)mark->tick <= view->cursor)
      chosen = i;
  }
  return chosen;
}

static void
draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnPictureOptions *options)
{
  const TnStudy *study = view->study;
  uint32_t mark = choose_oom(view, options);
  if (study->buffers->n == 0 && study->document->accounts->len) {
    tn_draw_totals(paint, study->document, view->units, rect);
    return;
  }
  if (mark == TN_NONE) {
    tn_draw_no_oom(paint, rect, "No request failed in this recording.");
    return;
  }
  g_autoptr(TnOom) oom = tn_oom_new(study, mark, 0);
  tn_report_draw_oom(paint, view, rect, oom);
}

void
tn_draw_picture(const TnPaint *paint,
                const TnView *view,
                TnRect rect,
                TnPicture picture,
                const TnPictureOptions *options,
                const TnFindings *findings)
{
  static const TnPictureOptions none = TN_PICTURE_OPTIONS_INIT;
  if (picture == TN_PICTURE_REPORT) {
    tn_draw_report(paint, view, rect, findings);
    return;
  }
  TnView own = *view;
  const TnPictureOptions *chosen = options ? options : &none;
  own.is_skyline = false; /* only the window has it for the offset map */
  tn_paint_rect(paint, rect, paint->theme->background);
  paint_header(paint, view, rect);
  if (picture == TN_PICTURE_LIVE_SET || picture == TN_PICTURE_FLAME) {
    draw_boxes(paint, view, (TnRect){rect.x, rect.y + HEADER, rect.width, rect.height - HEADER},
               picture, chosen);
    return;
  }
  if (picture == TN_PICTURE_OOM) {
    draw_oom(paint, view, (TnRect){rect.x, rect.y + HEADER, rect.width, rect.height - HEADER}, chosen);
    return;
  }
  double key = picture == TN_PICTURE_LIVE ? 0.0 : paint_key(paint, view, rect, true);
  TnRect body = {rect.x, rect.y + HEADER + key, rect.width - 8.0,
                 rect.height - HEADER - key - TN_FRAME_AXIS - 8.0};
  own.lane_height = fitting_lane_height(view, body.height - TN_FRAME_TITLE);
  if (picture == TN_PICTURE_LIVE)
    tn_draw_live(paint, &own, body);
  else if (picture == TN_PICTURE_OFFSETS)
    tn_draw_offsets(paint, &own, body, NULL);
  else if (picture == TN_PICTURE_SKYLINE)
    tn_draw_skyline(paint, &own, body);
  else
    tn_draw_lifetimes(paint, &own, body, NULL);
  paint_axis(paint, &own, body);
}

double
tn_picture_plot_width(TnPicture picture, double width)
{
  bool has_side = picture == TN_PICTURE_REPORT && width >= LEAST_WITH_SIDE;
  return tn_frame_plot((TnRect){0, 0, has_side ? width - SIDE - 24.0 : width - 8.0, 0}).width;
}
