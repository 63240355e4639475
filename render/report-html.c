/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-file.h"

#include "render/boxes.h"
#include "render/html.h"
#include "render/report-tables.h"

#include <math.h>

#define WIDTH TN_REPORT_HTML_WIDTH
#define LIVE 170.0
#define OFFSETS 380.0
#define LANES 260.0
#define OOM 760

typedef struct {
  const TnReportParams *params;
  GString *html;
  GError **error;
  int n_pictures;
} Page;

/* ---- pictures -----------------------------------------------------------------------------------
 */

static bool
add_picture(Page *page, int height, const char *label, TnExportDraw draw, const void *payload)
{
  TnExportParams export = {.width = WIDTH,
                           .height = height,
                           .scale = 1.0,
                           .theme = page->params->theme,
                           .font = page->params->font};
  g_autoptr(GByteArray) svg =
      tn_export_build_drawing(&export, TN_EXPORT_SVG, draw, payload, page->error);
  char prefix[16];
  if (!svg)
    return false;
  g_snprintf(prefix, sizeof prefix, "p%d-", ++page->n_pictures);
  tn_html_svg(page->html, (const char *)svg->data, svg->len, prefix, label);
  return true;
}

static void
draw_maps(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportParams *p = payload;
  TnView view = tn_view_for_report(p->view);
  TnRect live = {rect.x, rect.y, rect.width, LIVE};
  TnRect offsets = {rect.x, live.y + LIVE + 4.0, rect.width, OFFSETS};
  TnRect lanes = {rect.x, offsets.y + OFFSETS + 4.0, rect.width, LANES};
  TnRect plot = tn_frame_plot(lanes);
  double all = plot.height / MAX(view.study->lanes->n, 1u);
  view.lane_height = CLAMP(all >= 3.0 ? floor(all) : 15.0, 3.0, 15.0);
  tn_paint_rect(paint, rect, paint->theme->background);
  tn_draw_live(paint, &view, live);
  tn_draw_offsets(paint, &view, offsets, NULL);
  tn_draw_lifetimes(paint, &view, lanes, NULL);
  tn_frame_time_axis(paint, (TnRect){plot.x, plot.y + plot.height + 2.0, plot.width, TN_FRAME_AXIS},
                     &view);
}

static void
draw_live_set(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportParams *p = payload;
  TnView view = *p->view;
  view.theme = paint->theme;
  tn_paint_rect(paint, rect, paint->theme->background);
  g_autoptr(TnBoxes) boxes = tn_treemap_new(&view, view.study->live->peak_at, rect);
  tn_draw_boxes(paint, &view, boxes, -1);
}

static void
draw_both(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportParams *p = payload;
  tn_draw_diff(paint, p->diff, rect, p->units);
}

/* ---- sections -----------------------------------------------------------------------------------
 */

/* Takes the table, which may be none. */
static void
add_table(Page *page, TnReportTable *table)
{
  if (!table)
    return;
  tn_html_element(page->html, "h2", table->title);
  tn_html_table_begin(page->html, table->columns);
  for (guint i = 0; i < table->rows->len; i++)
    tn_html_table_row(page->html, (const char *const *)g_ptr_array_index(table->rows, i),
                      table->is_number);
  tn_html_table_end(page->html);
  if (table->note)
    tn_html_element(page->html, "p", table->note);
  tn_report_table_free(table);
}

static void
add_origin(Page *page)
{
  g_autoptr(GPtrArray) lines = tn_report_build_origin(page->params);
  for (guint i = 0; i < lines->len; i++)
    tn_html_element(page->html, "p class=\"small\"", g_ptr_array_index(lines, i));
}

typedef struct {
  const TnView *view;
  const TnOom *oom;
} Failed;

static void
draw_failed(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Failed *failed = payload;
  tn_paint_rect(paint, rect, paint->theme->background);
  tn_report_draw_oom(paint, failed->view, rect, failed->oom);
}

static bool
add_oom(Page *page)
{
  g_autoptr(TnOom) oom = tn_report_build_oom(page->params);
  if (!oom)
    return true;
  g_autofree char *heading = tn_report_build_oom_heading(page->params);
  Failed failed = {page->params->view, oom};
  tn_html_element(page->html, "h2", heading);
  tn_html_element(page->html, "p", oom->sentence);
  tn_html_element(page->html, "p", oom->cause);
  tn_html_element(page->html, "p", oom->advice);
  if (!add_picture(page, OOM, "The failed request, the account and the holes", draw_failed, &failed))
    return false;
  add_table(page, tn_report_table_ledger(page->params, oom));
  return true;
}

static bool
add_study(Page *page)
{
  const TnReportParams *p = page->params;
  const GPtrArray *accounts = p->view->study->document->accounts;
  bool has_buffers = p->view->study->buffers->n > 0;
  if (has_buffers || accounts->len == 0) {
    add_table(page, tn_report_table_figures(p));
    tn_html_element(page->html, "h2", "Memory over time");
    if (!add_picture(page, (int)(LIVE + OFFSETS + LANES + 40.0),
                     "Live bytes, offsets and lives over time", draw_maps, p))
      return false;
  }
  add_table(page, tn_report_table_findings(p));
  if (!add_oom(page))
    return false;
  for (guint i = 0; i < accounts->len; i++)
    add_table(page, tn_report_table_account(p, g_ptr_array_index(accounts, i)));
  if (!has_buffers)
    return true;
  tn_html_element(page->html, "h2", "Alive at the peak");
  if (!add_picture(page, 420, "What is alive at the peak, by size", draw_live_set, p))
    return false;
  add_table(page, tn_report_table_top_buffers(p));
  return true;
}

static bool
add_diff(Page *page)
{
  const TnReportParams *p = page->params;
  g_autofree char *head = tn_diff_build_head_line(p->diff->diff, p->units);
  tn_html_element(page->html, "h2", "A and B");
  tn_html_element(page->html, "p", head);
  if (!add_picture(page, 820, "Both files over each other and their difference", draw_both, p))
    return false;
  add_table(page, tn_report_table_causes(p));
  add_table(page, tn_report_table_changes(p));
  return true;
}

GByteArray *
tn_report_build_html(const TnReportParams *params, GError **error)
{
  Page page = {params, g_string_new(NULL), error, 0};
  g_autofree char *title = tn_report_build_title(params);
  tn_html_begin(page.html, title, params->theme);
  tn_html_element(page.html, "h1", title);
  add_origin(&page);
  if (params->notes) {
    tn_html_element(page.html, "h2", "Notes");
    tn_html_element(page.html, "p class=\"notes\"", params->notes);
  }
  bool is_good = (!params->diff || add_diff(&page)) && (!params->view || add_study(&page));
  add_table(&page, tn_report_table_left_out(params));
  tn_html_end(page.html);
  gsize size = page.html->len;
  guint8 *data = (guint8 *)g_string_free(page.html, FALSE);
  GByteArray *bytes = g_byte_array_new_take(data, size);
  if (is_good)
    return bytes;
  g_byte_array_unref(bytes);
  return NULL;
}
