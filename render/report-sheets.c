/* SPDX-License-Identifier: MIT */
/* The report on sheets: the first has the picture and where it comes from, those after it (all of
 * them in a PDF, else one a file) the failed request and the tables. */
#include "config.h"

#include "render/report-tables.h"

#include "analysis/replay/suggest.h"
#include "data/error.h"
#include "render/draw-oom.h"
#include "render/wrap.h"

#include <string.h>

#define MARGIN 16.0
#define SMALL 10.0
#define BODY 11.0
#define NOTE_LINES 6 /* on the first sheet; the tables' sheets have all of them */
#define ROW 20.0
#define ROW_GAP 5.0          /* of it, with a hairline in its middle */
#define MOST_REPLAYED 500000 /* events: suggestions for more take too long for a picture */

bool
tn_report_format_from_path(const char *path, TnReportFormat *out_format)
{
  static const char *const endings[] = {".png", ".svg", ".pdf", ".html", ".htm"};
  g_autofree char *lower = g_ascii_strdown(path, -1);
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(lower, endings[i])) {
      *out_format = (TnReportFormat)MIN(i, (gsize)TN_REPORT_HTML);
      return true;
    }
  return false;
}

/* ---- where it comes from -----------------------------------------------------------------------
 */

char *
tn_report_build_title(const TnReportParams *p)
{
  if (!p->diff)
    return g_path_get_basename(p->view->study->document->shown_path);
  g_autofree char *a = tn_diff_picture_dup_name(p->diff, TN_DIFF_A);
  g_autofree char *b = tn_diff_picture_dup_name(p->diff, TN_DIFF_B);
  return g_strdup_printf("%s → %s", a, b);
}

static void
add_file(GPtrArray *lines, const char *what, const TnStudy *study, const char *hash, bool is_replaced)
{
  const TnDocument *document = study->document;
  /* Where it lies is nobody's business. */
  g_autofree char *name = g_path_get_basename(document->shown_path);
  g_ptr_array_add(lines, g_strdup_printf("%s%s · %s (%s)%s%s%s%s%s", what, name, document->format,
                                         tn_document_kind_name(document->kind),
                                         document->producer ? " · " : "",
                                         document->producer ? document->producer : "",
                                         hash ? " · SHA-256 " : "", hash ? hash : "",
                                         is_replaced ? " · replaced since it was read" : ""));
}

GPtrArray *
tn_report_build_origin(const TnReportParams *p)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  if (p->view)
    add_file(lines, "", p->view->study, p->hash, p->is_replaced);
  if (p->diff) {
    add_file(lines, "A: ", p->diff->diff->a, p->hash, p->is_replaced);
    add_file(lines, "B: ", p->diff->diff->b, p->hash_b, p->is_replaced_b);
  }
  if (p->version || p->options)
    g_ptr_array_add(lines, g_strdup_printf("%s%s%s%s", p->version ? "Tenure " : "",
                                           p->version ? p->version : "",
                                           p->version && p->options ? " · " : "",
                                           p->options ? p->options : ""));
  return lines;
}

/* ---- the failed request ------------------------------------------------------------------------
 */

TnOom *
tn_report_build_oom(const TnReportParams *p)
{
  const TnStudy *study = p->view ? p->view->study : NULL;
  uint32_t mark = study && study->is_log ? tn_oom_find_mark(study->device, 0) : TN_NONE;
  return mark == TN_NONE ? NULL : tn_oom_new(study, mark, 0);
}

void
tn_report_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom)
{
  const TnStudy *study = view->study;
  bool is_replayed = study->device->events.n > 0 && study->device->events.n <= MOST_REPLAYED;
  g_autoptr(TnReplayLog) log = is_replayed ? tn_replay_log_new(study) : NULL;
  g_autoptr(TnSuggestions) suggestions =
      log && log->limit > 0 ? tn_suggestions_new(log, log->limit, false, NULL) : NULL;
  tn_draw_oom(paint, view, rect, oom, suggestions);
}

/* ---- the first sheet ---------------------------------------------------------------------------
 */

/* Notes keep their lines.  Paints at most `most` of them; returns the height. */
static double
paint_notes(const TnPaint *paint, const char *notes, double x, double top, double width, int most)
{
  TnTextStyle style = {.size = BODY, .color = paint->theme->text};
  g_auto(GStrv) lines = g_strsplit(notes, "\n", -1);
  double y = top, height = BODY * paint->text_scale * TN_LINE_HEIGHT;
  for (int i = 0; lines[i] && y < top + most * height - 1.0; i++)
    y += MAX(tn_paint_wrapped(paint, lines[i], x, y, width, most - (int)((y - top) / height + 0.5),
                              &style),
             height);
  return y - top;
}

/* How high they will be: painted where nothing is kept. */
static double
measure_notes(const TnPaint *paint, const char *notes, double width, int most)
{
  cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, NULL);
  TnPaint blind = *paint;
  blind.cr = cairo_create(surface);
  blind.svg_text = NULL;
  double height = paint_notes(&blind, notes, 0.0, 0.0, width, most);
  cairo_destroy(blind.cr);
  cairo_surface_destroy(surface);
  return height;
}

static void
paint_origin(const TnPaint *paint, const GPtrArray *lines, TnRect rect)
{
  TnTextStyle style = {.size = SMALL, .color = paint->theme->secondary, .max_width = rect.width};
  for (guint i = 0; i < lines->len; i++)
    tn_paint_text(paint, g_ptr_array_index(lines, i), rect.x,
                  rect.y + (i + 0.5) * SMALL * TN_LINE_HEIGHT, &style);
}

void
tn_report_draw(const TnPaint *paint, const TnReportParams *p, TnRect rect)
{
  g_autoptr(GPtrArray) origin = tn_report_build_origin(p);
  double width = rect.width - 2 * MARGIN, bottom = rect.y + rect.height;
  double origin_height = origin->len * SMALL * TN_LINE_HEIGHT + 8.0;
  double notes = p->notes ? measure_notes(paint, p->notes, width, NOTE_LINES) + 26.0 : 0.0;
  TnRect body = rect;
  body.height -= origin_height + notes;
  tn_paint_rect(paint, rect, paint->theme->background);
  if (p->diff)
    tn_draw_diff(paint, p->diff, body, p->units);
  else
    tn_draw_picture(paint, p->view, body, TN_PICTURE_REPORT, p->findings);
  if (p->notes) {
    double top = body.y + body.height;
    TnTextStyle style = {.size = 12.0, .is_bold = true, .color = paint->theme->text};
    tn_paint_text(paint, "Notes", rect.x + MARGIN, top + 8.0, &style);
    paint_notes(paint, p->notes, rect.x + MARGIN, top + 18.0, width, NOTE_LINES);
  }
  paint_origin(paint, origin,
               (TnRect){rect.x + MARGIN, bottom - origin_height, width, origin_height});
}

/* ---- sheets of tables --------------------------------------------------------------------------
 */

/* Where the next line goes; a sheet that is full is given out and another begun. */
typedef struct {
  const TnPaint *paint;
  TnRect rect;
  double y;
  char *title; /* of the report, on each sheet */
  int sheet;   /* the one that is being filled, from 1 on */
  int wanted;  /* the only one that is given out; 0: all are */
  const TnPaint *shown, *hidden; /* of the one wanted, and of the others; NULL where all are */
} Flow;

static void
begin_sheet(Flow *flow)
{
  flow->sheet++;
  if (flow->wanted)
    flow->paint = flow->sheet == flow->wanted ? flow->shown : flow->hidden;
  else
    cairo_show_page(flow->paint->cr);
  TnTextStyle style = {.size = SMALL,
                       .color = flow->paint->theme->secondary,
                       .max_width = flow->rect.width - 2 * MARGIN};
  tn_paint_rect(flow->paint, flow->rect, flow->paint->theme->background);
  tn_paint_text(flow->paint, flow->title, flow->rect.x + MARGIN, flow->rect.y + 14.0, &style);
  flow->y = flow->rect.y + 32.0;
}

static void
need(Flow *flow, double height)
{
  if (flow->y + height > flow->rect.y + flow->rect.height - MARGIN)
    begin_sheet(flow);
}

static void
put_heading(Flow *flow, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = flow->paint->theme->text};
  need(flow, 24.0 + 3 * ROW);
  tn_paint_text(flow->paint, text, flow->rect.x + MARGIN, flow->y + 12.0, &style);
  flow->y += 24.0;
}

static void
put_text(Flow *flow, const char *text)
{
  TnTextStyle style = {.size = BODY, .color = flow->paint->theme->text};
  need(flow, 3 * ROW);
  flow->y += tn_paint_wrapped(flow->paint, text, flow->rect.x + MARGIN, flow->y,
                              flow->rect.width - 2 * MARGIN, 40, &style) +
             6.0;
}

#define MAX_COLUMNS 8
#define GAP 18.0

/* As wide as its widest cell; what is left over goes from the widest one of words. */
static void
measure_columns(const Flow *flow, const TnReportTable *table, int n, double *widths)
{
  TnTextStyle style = {.size = BODY};
  double sum = 0.0, room = flow->rect.width - 2 * MARGIN;
  int widest = 0;
  for (int k = 0; k < n; k++) {
    widths[k] = tn_paint_text_width(flow->paint, table->columns[k], &style) + GAP;
    for (guint i = 0; i < table->rows->len; i++) {
      char **cells = g_ptr_array_index(table->rows, i);
      widths[k] = MAX(widths[k], tn_paint_text_width(flow->paint, cells[k], &style) + GAP);
    }
    if (!table->is_number[k] && widths[k] > 0.5 * room)
      widths[k] = 0.5 * room;
    sum += widths[k];
    widest = widths[k] > widths[widest] ? k : widest;
  }
  if (sum > room)
    widths[widest] = MAX(widths[widest] - (sum - room), 80.0);
}

/* Words over several lines, numbers to the right; returns the row's height. */
static double
put_cells(Flow *flow,
          const TnReportTable *table,
          const char *const *cells,
          const double *widths,
          uint32_t color,
          bool is_blind)
{
  double x = flow->rect.x + MARGIN, height = ROW - ROW_GAP;
  TnPaint paint = *flow->paint;
  cairo_surface_t *surface = NULL;
  if (is_blind) {
    surface = cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, NULL);
    paint.cr = cairo_create(surface);
  }
  for (int k = 0; cells[k]; x += widths[k++]) {
    TnTextStyle style = {.size = BODY, .color = color};
    if (table->is_number[k]) {
      style.align = TN_ALIGN_END;
      tn_paint_text(&paint, cells[k], x + widths[k] - GAP, flow->y + BODY * 0.7, &style);
    } else {
      height =
          MAX(height, tn_paint_wrapped(&paint, cells[k], x, flow->y, widths[k] - GAP, 12, &style));
    }
  }
  if (is_blind) {
    cairo_destroy(paint.cr);
    cairo_surface_destroy(surface);
  }
  return height + ROW_GAP;
}

/* Takes the table, which may be none. */
static void
put_table(Flow *flow, TnReportTable *table)
{
  double widths[MAX_COLUMNS];
  const TnTheme *theme = flow->paint->theme;
  int n = 0;
  if (!table)
    return;
  while (table->columns[n] && n < MAX_COLUMNS)
    n++;
  measure_columns(flow, table, n, widths);
  put_heading(flow, table->title);
  flow->y += put_cells(flow, table, table->columns, widths, theme->secondary, false);
  for (guint i = 0; i < table->rows->len; i++) {
    const char *const *cells = g_ptr_array_index(table->rows, i);
    need(flow, put_cells(flow, table, cells, widths, theme->text, true));
    tn_paint_hline(flow->paint, flow->rect.x + MARGIN, flow->y - ROW_GAP / 2,
                   flow->rect.width - 2 * MARGIN, theme->hairline);
    flow->y += put_cells(flow, table, cells, widths, theme->text, false);
  }
  flow->y += 4.0;
  if (table->note)
    put_text(flow, table->note);
  flow->y += 10.0;
  tn_report_table_free(table);
}

/* ---- all sheets --------------------------------------------------------------------------------
 */

static void
put_oom(Flow *flow, const TnReportParams *p)
{
  g_autoptr(TnOom) oom = tn_report_build_oom(p);
  if (!oom)
    return;
  begin_sheet(flow);
  TnRect rect = flow->rect;
  rect.y += 24.0;
  rect.height -= 24.0;
  tn_report_draw_oom(flow->paint, p->view, rect, oom);
  begin_sheet(flow);
  put_heading(flow, "The request that failed");
  put_text(flow, oom->sentence);
  put_text(flow, oom->cause);
  put_text(flow, oom->advice);
  put_table(flow, tn_report_table_ledger(p, oom));
}

static void
put_study(Flow *flow, const TnReportParams *p)
{
  const GPtrArray *accounts = p->view->study->document->accounts;
  put_table(flow, tn_report_table_figures(p));
  put_table(flow, tn_report_table_findings(p));
  for (guint i = 0; i < accounts->len; i++)
    put_table(flow, tn_report_table_account(p, g_ptr_array_index(accounts, i)));
  if (p->view->study->buffers->n > 0)
    put_table(flow, tn_report_table_top_buffers(p));
}

static void
put_notes(Flow *flow, const char *notes)
{
  g_auto(GStrv) lines = g_strsplit(notes, "\n", -1);
  put_heading(flow, "Notes");
  for (int i = 0; lines[i]; i++)
    put_text(flow, lines[i]);
}

static void
put_all(Flow *flow, const TnReportParams *p)
{
  if (p->view)
    put_oom(flow, p);
  if (flow->y == flow->rect.y)
    begin_sheet(flow);
  if (p->diff) {
    put_table(flow, tn_report_table_causes(p));
    put_table(flow, tn_report_table_changes(p));
  }
  if (p->view)
    put_study(flow, p);
  if (p->notes)
    put_notes(flow, p->notes);
}

static void
draw_all(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportParams *p = payload;
  g_autofree char *title = tn_report_build_title(p);
  Flow flow = {.paint = paint, .rect = rect, .y = rect.y, .title = title, .sheet = 1};
  tn_report_draw(paint, p, rect);
  put_all(&flow, p);
}

typedef struct {
  const TnReportParams *params;
  int *n_sheets; /* out */
} OneSheet;

/* What stands on the sheets before it decides what it holds: those are drawn where nobody sees them. */
static void
draw_one(const TnPaint *paint, TnRect rect, const void *payload)
{
  const OneSheet *one = payload;
  const TnReportParams *p = one->params;
  g_autofree char *title = tn_report_build_title(p);
  g_autoptr(GString) text = g_string_new(NULL);
  cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  TnPaint hidden = *paint;
  hidden.cr = cairo_create(nothing);
  hidden.svg_text = paint->svg_text ? text : NULL;
  Flow flow = {.paint = &hidden, .rect = rect, .y = rect.y, .title = title, .sheet = 1,
               .wanted = p->sheet, .shown = paint, .hidden = &hidden};
  put_all(&flow, p);
  *one->n_sheets = flow.sheet;
  cairo_destroy(hidden.cr);
  cairo_surface_destroy(nothing);
}

static void
draw_first(const TnPaint *paint, TnRect rect, const void *payload)
{
  const OneSheet *one = payload;
  tn_report_draw(paint, one->params, rect);
}

GByteArray *
tn_report_build(const TnReportParams *p, TnReportFormat format, GError **error)
{
  static const TnExportFormat as[] = {TN_EXPORT_PNG, TN_EXPORT_SVG, TN_EXPORT_PDF};
  if (format == TN_REPORT_HTML)
    return tn_report_build_html(p, error);
  TnExportParams params = {.width = p->width,
                           .height = p->height,
                           .scale = p->scale,
                           .theme = p->theme,
                           .font = p->font};
  if (format == TN_REPORT_PDF)
    return tn_export_build_drawing(&params, TN_EXPORT_PDF, draw_all, p, error);
  int n_sheets = p->sheet;
  OneSheet one = {p, &n_sheets};
  g_autoptr(GByteArray) bytes = tn_export_build_drawing(
      &params, as[format], p->sheet > 1 ? draw_one : draw_first, &one, error);
  if (bytes && p->sheet > n_sheets) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "the report has no sheet %d, only %d",
                p->sheet, n_sheets);
    return NULL;
  }
  return g_steal_pointer(&bytes);
}
