/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include "render/boxes.h"
#include "render/draw-oom.h"
#include "render/draw-totals.h"
#include "render/report-file.h"

#include <math.h>
#include <string.h>

#define HEADER 46.0
#define SIDE 268.0
#define LEAST_WITH_SIDE 720.0 /* a narrower report has the views only */

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

static char *
subtitle(const TnView *view)
{
  const TnStudy *study = view->study;
  char peak[48], count[32];
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
  g_autofree char *below = totals ? g_strdup(totals) : subtitle(view);
  TnTextStyle style = {.size = 15.0, .is_bold = true, .color = paint->theme->text,
                       .max_width = rect.width - 32.0};
  tn_paint_text(paint, name, rect.x + 16.0, rect.y + 15.0, &style);
  style = (TnTextStyle){.size = 11.0, .color = paint->theme->secondary,
                        .max_width = rect.width - 32.0};
  tn_paint_text(paint, below, rect.x + 16.0, rect.y + 34.0, &style);
}

/* ---- the side ---------------------------------------------------------------------------------- */

typedef struct {
  const TnPaint *paint;
  const TnView *view;
  double x, y, width, bottom;
} Side;

static void
heading(Side *side, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = side->paint->theme->text};
  tn_paint_text(side->paint, text, side->x, side->y + 9.0, &style);
  side->y += 22.0;
}

static void
fact(Side *side, const char *what, tn_bytes bytes)
{
  char size[48];
  if (bytes < 0)
    return;
  TnTextStyle left = {.size = 11.0, .color = side->paint->theme->secondary};
  TnTextStyle right = {.size = 11.0, .color = side->paint->theme->text, .align = TN_ALIGN_END};
  tn_paint_text(side->paint, what, side->x, side->y + 8.0, &left);
  tn_paint_text(side->paint, tn_print_bytes(size, sizeof size, bytes, side->view->units),
                side->x + side->width, side->y + 8.0, &right);
  side->y += 18.0;
}

static void
paint_facts(Side *side)
{
  const TnStudy *study = side->view->study;
  heading(side, "Figures");
  fact(side, study->device->samples ? "Allocated, peak" : "Live peak",
       study->device->samples && study->live->peak == 0 ? -1 : study->live->peak);
  fact(side, "Reserved peak", study->reserved ? study->reserved->peak : -1);
  fact(side, "Arena", study->arena_bytes);
  fact(side, "Without reuse", study->is_log ? -1 : study->no_reuse_bytes);
  fact(side, "The same, as the file says", study->device->stated_total);
  fact(side, "Residents", study->resident_bytes > 0 ? study->resident_bytes : -1);
  fact(side, "Before the recording", study->before_bytes > 0 ? study->before_bytes : -1);
  side->y += 12.0;
}

static void
paint_group(Side *side, const TnGroup *group, tn_bytes largest)
{
  char size[48];
  const TnTheme *theme = side->paint->theme;
  TnTextStyle right = {.size = 11.0, .color = theme->secondary, .align = TN_ALIGN_END};
  tn_print_bytes(size, sizeof size, group->bytes, side->view->units);
  double width = tn_paint_text(side->paint, size, side->x + side->width, side->y + 8.0, &right);
  TnTextStyle left = {.size = 11.0, .color = theme->text,
                      .max_width = side->width - width - 10.0};
  tn_paint_text(side->paint, group->name, side->x, side->y + 8.0, &left);
  double part = largest > 0 ? (double)group->bytes / (double)largest : 0.0;
  tn_paint_rect(side->paint,
                (TnRect){side->x, side->y + 18.0, MAX(side->width * part, 2.0), 5.0},
                theme->category[group->category]);
  side->y += 31.0;
}

static void
paint_groups(Side *side, double bottom)
{
  const GArray *groups = side->view->study->categories->groups;
  tn_bytes rest = 0, largest = groups->len ? g_array_index(groups, TnGroup, 0).bytes : 0;
  guint i = 0, n_rest = 0;
  if (side->view->study->buffers->n == 0)
    return;
  heading(side, "Alive at the peak");
  if (largest == 0) {
    TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
    tn_paint_text(side->paint, "nothing", side->x, side->y + 8.0, &style);
    side->y += 18.0;
  }
  for (; i < groups->len; i++) {
    const TnGroup *group = &g_array_index(groups, TnGroup, i);
    if (group->bytes == 0 || side->y + 2 * 31.0 > bottom)
      break;
    paint_group(side, group, largest);
  }
  for (; i < groups->len; i++) {
    rest += g_array_index(groups, TnGroup, i).bytes;
    n_rest += g_array_index(groups, TnGroup, i).bytes > 0;
  }
  if (rest > 0 && side->y + 31.0 <= MAX(bottom, side->bottom)) {
    g_autofree char *name = g_strdup_printf("%u %s", n_rest, tn_plural(n_rest, "other", "others"));
    TnGroup others = {.name = name, .bytes = rest, .category = TN_CATEGORY_OTHER};
    paint_group(side, &others, largest);
  }
  side->y += 12.0;
}

/* The words of a message in lines of at most `width`, no more than one above `most`; owned by the caller. */
static GPtrArray *
wrap(const TnPaint *paint, const char *message, double width, guint most, const TnTextStyle *style)
{
  g_auto(GStrv) words = g_strsplit(message, " ", -1);
  g_autoptr(GString) line = g_string_new(NULL);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  for (gsize i = 0; words[i] && lines->len <= most; i++) {
    gsize had = line->len;
    g_string_append_printf(line, "%s%s", had ? " " : "", words[i]);
    if (had == 0 || tn_paint_text_width(paint, line->str, style) <= width)
      continue;
    g_ptr_array_add(lines, g_strndup(line->str, had));
    g_string_assign(line, words[i]);
  }
  if (line->len)
    g_ptr_array_add(lines, g_strdup(line->str));
  return lines;
}

/* Leaves `most` lines; the last one says that there were more. */
static void
cut_lines(const TnPaint *paint, GPtrArray *lines, guint most, double width,
          const TnTextStyle *style)
{
  if (lines->len <= most || most == 0)
    return;
  g_ptr_array_set_size(lines, (gint)most);
  g_autoptr(GString) last = g_string_new(g_ptr_array_index(lines, most - 1));
  for (;;) {
    g_string_append(last, " …");
    if (tn_paint_text_width(paint, last->str, style) <= width)
      break;
    g_string_truncate(last, last->len - strlen(" …"));
    char *space = strrchr(last->str, ' ');
    if (!space)
      break;
    g_string_truncate(last, (gsize)(space - last->str));
  }
  g_free(g_ptr_array_index(lines, most - 1));
  g_ptr_array_index(lines, most - 1) = g_strdup(last->str);
}

#define LINE 15.0

/* False where there is no room for it; the first one is cut rather than left out. */
static bool
paint_finding(Side *side, const TnFinding *finding, bool is_first)
{
  const TnTheme *theme = side->paint->theme;
  TnTextStyle style = {.size = 11.0, .color = theme->text};
  double width = side->width - 12.0, top = side->y;
  guint most = (guint)MAX((side->bottom - side->y) / LINE, 0.0);
  g_autoptr(GPtrArray) lines = wrap(side->paint, finding->message, width, most, &style);
  if (lines->len > most && !is_first)
    return false;
  cut_lines(side->paint, lines, most, width, &style);
  style.max_width = width; /* a single word may be wider still */
  for (guint i = 0; i < lines->len; i++, side->y += LINE)
    tn_paint_text(side->paint, g_ptr_array_index(lines, i), side->x + 12.0, side->y + 8.0, &style);
  uint32_t color = finding->severity == TN_SEVERITY_ERROR     ? theme->peak
                   : finding->severity == TN_SEVERITY_WARNING ? theme->warning
                                                              : theme->other;
  tn_paint_rect(side->paint, (TnRect){side->x, top + 1.0, 3.0, side->y - top - 3.0}, color);
  side->y += 8.0;
  return true;
}

static void
paint_findings(Side *side, const TnFindings *findings)
{
  if (!findings || findings->rows->len == 0 || side->y + 60.0 > side->bottom)
    return;
  heading(side, "Findings");
  guint i = 0, n = findings->rows->len;
  while (i < n && paint_finding(side, tn_findings_get(findings, i), i == 0))
    i++;
  if (i == n || side->y + LINE > side->bottom)
    return;
  g_autofree char *more = g_strdup_printf("and %u more", n - i);
  TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
  tn_paint_text(side->paint, more, side->x + 12.0, side->y + 8.0, &style);
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

void
tn_draw_report(const TnPaint *paint, const TnView *view, TnRect rect, const TnFindings *findings)
{
  TnView own = *view;
  bool has_side = rect.width >= LEAST_WITH_SIDE;
  tn_paint_rect(paint, rect, paint->theme->background);
  paint_header(paint, view, rect);
  double width = has_side ? rect.width - SIDE - 24.0 : rect.width - 8.0, top = rect.y + HEADER;
  double height = rect.height - HEADER - TN_FRAME_AXIS - 10.0;
  TnRect live = {rect.x, top, width, CLAMP(80.0, height * 0.17, height * 0.3)};
  TnRect offsets = {rect.x, live.y + live.height + 4.0, width, height * 0.50};
  TnRect lanes = {rect.x, offsets.y + offsets.height + 4.0, width,
                  rect.y + rect.height - TN_FRAME_AXIS - 10.0 - offsets.y - offsets.height - 4.0};
  own.lane_height = fitting_lane_height(view, lanes.height - TN_FRAME_TITLE);
  if (view->study->buffers->n == 0) {
    paint_without_map(paint, &own, (TnRect){rect.x, top, width, rect.y + rect.height - top});
  } else {
    tn_draw_live(paint, &own, live);
    tn_draw_offsets(paint, &own, offsets, NULL);
    tn_draw_lifetimes(paint, &own, lanes, NULL);
    paint_axis(paint, &own, lanes);
  }
  if (!has_side)
    return;
  TnRect panel = {rect.x + width + 8.0, top + 4.0, SIDE, rect.height - HEADER - 16.0};
  tn_paint_rect(paint, panel, paint->theme->panel);
  Side side = {paint, view, panel.x + 16.0, panel.y + 14.0, panel.width - 32.0,
               panel.y + panel.height - 8.0};
  paint_facts(&side);
  paint_groups(&side, findings && findings->rows->len ? panel.y + panel.height * 0.66
                                                      : side.bottom);
  paint_findings(&side, findings);
}

static void
draw_boxes(const TnPaint *paint, const TnView *view, TnRect rect, TnPicture picture)
{
  TnView own = *view;
  TnRect area = {rect.x + 16.0, rect.y + 20.0, rect.width - 32.0, rect.height - 24.0};
  tn_tick tick = view->cursor >= 0 ? (tn_tick)view->cursor : view->study->live->peak_at;
  own.theme = paint->theme;
  g_autoptr(TnBoxes) boxes = picture == TN_PICTURE_LIVE_SET
                                 ? tn_treemap_new(&own, tick, area)
                                 : tn_flame_new(&own, tick, TN_FLAME_ALIVE, false, area);
  TnTextStyle style = {.size = 11.0, .is_bold = true, .color = paint->theme->secondary};
  tn_paint_text(paint, boxes->title, area.x, rect.y + 9.0, &style);
  tn_draw_boxes(paint, &own, boxes, -1);
}

/* The last failed request up to the cursor; without a cursor the first. */
static uint32_t
choose_oom(const TnView *view)
{
  const TnDevice *device = view->study->device;
  uint32_t chosen = view->study->is_log ? tn_oom_find_mark(device, 0) : TN_NONE;
  for (guint i = chosen; chosen != TN_NONE && i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    if (mark->kind == TN_MARK_OOM && (double)mark->tick <= view->cursor)
      chosen = i;
  }
  return chosen;
}

static void
draw_oom(const TnPaint *paint, const TnView *view, TnRect rect)
{
  const TnStudy *study = view->study;
  uint32_t mark = choose_oom(view);
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
                const TnFindings *findings)
{
  if (picture == TN_PICTURE_REPORT) {
    tn_draw_report(paint, view, rect, findings);
    return;
  }
  TnView own = *view;
  tn_paint_rect(paint, rect, paint->theme->background);
  paint_header(paint, view, rect);
  if (picture == TN_PICTURE_LIVE_SET || picture == TN_PICTURE_FLAME) {
    draw_boxes(paint, view, (TnRect){rect.x, rect.y + HEADER, rect.width, rect.height - HEADER},
               picture);
    return;
  }
  if (picture == TN_PICTURE_OOM) {
    draw_oom(paint, view, (TnRect){rect.x, rect.y + HEADER, rect.width, rect.height - HEADER});
    return;
  }
  TnRect body = {rect.x, rect.y + HEADER, rect.width - 8.0,
                 rect.height - HEADER - TN_FRAME_AXIS - 8.0};
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
