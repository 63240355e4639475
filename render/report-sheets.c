/* SPDX-License-Identifier: MIT */
/* The report on sheets: after the first, those of the failed request and of the tables (all of them in
 * a PDF, else one a file). */
#include "config.h"

#include "render/report-tables.h"

#include "data/error.h"
#include "render/wrap.h"

#define MARGIN 16.0
#define SMALL 10.0
#define BODY 11.0
#define ROW 20.0
#define ROW_GAP 5.0          /* of it, with a hairline in its middle */

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

/* Lines that begin on one sheet and end on the next where there are many. */
static void
put_lines(Flow *flow, const GPtrArray *lines, const TnTextStyle *style)
{
  TnTextStyle cut = *style;
  double height = tn_wrap_line_height(flow->paint, style);
  cut.max_width = flow->rect.width - 2 * MARGIN; /* a single word may be wider */
  for (guint i = 0; i < lines->len; i++) {
    need(flow, (i == 0 ? MIN(lines->len, 3u) : 1u) * height);
    tn_paint_text(flow->paint, g_ptr_array_index(lines, i), flow->rect.x + MARGIN,
                  flow->y + height / 2, &cut);
    flow->y += height;
  }
}

static void
put_text(Flow *flow, const char *text)
{
  TnTextStyle style = {.size = BODY, .color = flow->paint->theme->text};
  g_autoptr(GPtrArray) lines =
      tn_wrap(flow->paint, text, flow->rect.width - 2 * MARGIN, G_MAXUINT, &style);
  put_lines(flow, lines, &style);
  flow->y += 6.0;
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

#define CELL_LINES 12

static double
measure_cells(const Flow *flow,
              const TnReportTable *table,
              const char *const *cells,
              const double *widths)
{
  TnTextStyle style = {.size = BODY};
  guint n = 1;
  for (int k = 0; cells[k]; k++)
    if (!table->is_number[k]) {
      guint lines = tn_wrap_count(flow->paint, cells[k], widths[k] - GAP, CELL_LINES, &style);
      n = MAX(n, lines);
    }
  return MAX(ROW - ROW_GAP, n * tn_wrap_line_height(flow->paint, &style)) + ROW_GAP;
}

/* Words over several lines, numbers to the right. */
static void
put_cells(Flow *flow,
          const TnReportTable *table,
          const char *const *cells,
          const double *widths,
          uint32_t color)
{
  double x = flow->rect.x + MARGIN, height = measure_cells(flow, table, cells, widths);
  for (int k = 0; cells[k]; x += widths[k++]) {
    TnTextStyle style = {.size = BODY, .color = color};
    if (table->is_number[k]) {
      style.align = TN_ALIGN_END;
      tn_paint_text(flow->paint, cells[k], x + widths[k] - GAP, flow->y + BODY * 0.7, &style);
    } else {
      tn_paint_wrapped(flow->paint, cells[k], x, flow->y, widths[k] - GAP, CELL_LINES, &style);
    }
  }
  flow->y += height;
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
  put_cells(flow, table, table->columns, widths, theme->secondary);
  for (guint i = 0; i < table->rows->len; i++) {
    const char *const *cells = g_ptr_array_index(table->rows, i);
    need(flow, measure_cells(flow, table, cells, widths));
    tn_paint_hline(flow->paint, flow->rect.x + MARGIN, flow->y - ROW_GAP / 2,
                   flow->rect.width - 2 * MARGIN, theme->hairline);
    put_cells(flow, table, cells, widths, theme->text);
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
  g_autofree char *heading = tn_report_build_oom_heading(p);
  begin_sheet(flow);
  TnRect rect = flow->rect;
  rect.y += 24.0;
  rect.height -= 24.0;
  tn_report_draw_oom(flow->paint, p->view, rect, oom);
  begin_sheet(flow);
  put_heading(flow, heading);
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
  TnTextStyle style = {.size = BODY, .color = flow->paint->theme->text};
  put_heading(flow, "Notes");
  g_autoptr(GPtrArray) lines =
      tn_report_wrap_notes(flow->paint, notes, flow->rect.width - 2 * MARGIN, G_MAXUINT, &style);
  put_lines(flow, lines, &style);
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
  put_table(flow, tn_report_table_left_out(p));
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
