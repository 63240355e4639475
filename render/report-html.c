/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-html.h"

#include "render/boxes.h"
#include "render/html.h"

#include <math.h>
#include <string.h>

#define WIDTH 1200
#define LIVE 170.0
#define OFFSETS 380.0
#define LANES 260.0
#define TOP_ROWS 20

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
  TnView view = *p->view;
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

/* ---- tables -------------------------------------------------------------------------------------
 */

static void
add_figure(Page *page, const char *what, tn_bytes bytes, const char *note)
{
  static const bool is_number[] = {false, true, true, false};
  char size[48], count[48];
  if (bytes < 0)
    return;
  const char *cells[] = {what, tn_print_bytes(size, sizeof size, bytes, page->params->units),
                         tn_print_bytes(count, sizeof count, bytes, TN_UNITS_BYTES), note, NULL};
  tn_html_table_row(page->html, cells, is_number);
}

static void
add_figures(Page *page)
{
  static const char *const columns[] = {"Figure", "Size", "Exactly", "", NULL};
  const TnStudy *study = page->params->view->study;
  char count[32];
  g_autofree char *at = g_strdup_printf("at %s %s", tn_axis_unit_name(study->device->axis),
                                        tn_print_count(count, sizeof count, study->live->peak_at));
  tn_html_element(page->html, "h2", "Key figures");
  tn_html_table_begin(page->html, columns);
  add_figure(page, "Live peak", study->live->peak, at);
  add_figure(page, "Arena", study->arena_bytes, "");
  add_figure(page, "Above the live peak",
             study->arena_bytes < 0 ? -1 : study->arena_bytes - study->live->peak,
             "padding and fragmentation");
  add_figure(page, "Reserved peak", study->reserved ? study->reserved->peak : -1, "");
  add_figure(page, "Without reuse", study->is_log ? -1 : study->no_reuse_bytes, "");
  add_figure(page, "Residents", study->resident_bytes > 0 ? study->resident_bytes : -1,
             "not part of the peak");
  add_figure(page, "Before the recording", study->before_bytes > 0 ? study->before_bytes : -1, "");
  tn_html_table_end(page->html);
}

static gint
compare_size(gconstpointer left, gconstpointer right, gpointer data)
{
  const TnBuffers *b = data;
  uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  if (b->bytes[x] != b->bytes[y])
    return b->bytes[x] > b->bytes[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static void
add_buffer(Page *page, uint32_t row)
{
  static const bool is_number[] = {false, true, true, true, false};
  const TnStudy *study = page->params->view->study;
  const TnBuffers *b = study->buffers;
  char size[48], start[32], end[32];
  g_autofree char *label = tn_study_dup_label(study, row);
  g_autofree char *life =
      g_strdup_printf("%s – %s", tn_print_count(start, sizeof start, b->start[row]),
                      tn_print_count(end, sizeof end, b->end[row]));
  g_autofree char *share = g_strdup_printf(
      "%.1f %%", 100.0 * (double)b->bytes[row] / (double)MAX(study->live->peak, (tn_bytes)1));
  const char *cells[] = {label,
                         tn_print_bytes(size, sizeof size, b->bytes[row], page->params->units),
                         share,
                         life,
                         tn_kind_name((TnBufferKind)b->kind[row]),
                         NULL};
  tn_html_table_row(page->html, cells, is_number);
}

static void
add_top_buffers(Page *page)
{
  static const char *const columns[] = {"Buffer", "Size", "Of the peak", "Life", "Kind", NULL};
  const TnStudy *study = page->params->view->study;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  g_array_sort_with_data(alive, compare_size, (gpointer)study->buffers);
  g_autofree char *title =
      g_strdup_printf("The largest of %u buffers alive at the peak", alive->len);
  tn_html_element(page->html, "h2", title);
  tn_html_table_begin(page->html, columns);
  for (guint i = 0; i < MIN(alive->len, TOP_ROWS); i++)
    add_buffer(page, g_array_index(alive, uint32_t, i));
  tn_html_table_end(page->html);
}

static void
add_findings(Page *page)
{
  static const char *const columns[] = {"Severity", "Finding", "What to do", "Would save", NULL};
  static const bool is_number[] = {false, false, false, true};
  const TnFindings *findings = page->params->findings;
  if (!findings || findings->rows->len == 0)
    return;
  tn_html_element(page->html, "h2", "Findings");
  tn_html_table_begin(page->html, columns);
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *f = tn_findings_get(findings, i);
    char size[48] = "";
    if (f->saving_bytes > 0)
      tn_print_bytes(size, sizeof size, f->saving_bytes, page->params->units);
    const char *cells[] = {tn_severity_name(f->severity), f->message, f->hint ? f->hint : "", size,
                           NULL};
    tn_html_table_row(page->html, cells, is_number);
  }
  tn_html_table_end(page->html);
}

static void
add_account(Page *page, const TnAccount *account)
{
  static const char *const columns[] = {"What", "Bytes", "", NULL};
  static const bool is_number[] = {false, true, false};
  tn_html_element(page->html, "h2", account->title);
  tn_html_table_begin(page->html, columns);
  for (guint i = 0; i < account->rows->len; i++) {
    const TnAccountRow *row = tn_account_row(account->rows, i);
    char size[48];
    g_autofree char *bytes =
        g_strdup_printf("%s%s", row->bytes < 0 ? "−" : "",
                        tn_print_bytes(size, sizeof size, ABS(row->bytes), page->params->units));
    const char *cells[] = {row->what, bytes, row->note ? row->note : "", NULL};
    tn_html_table_row(page->html, cells, is_number);
  }
  tn_html_table_end(page->html);
  if (account->statement)
    tn_html_element(page->html, "p", account->statement);
}

/* ---- sections -----------------------------------------------------------------------------------
 */

static void
add_file(Page *page, const char *what, const TnStudy *study, const char *hash)
{
  const TnDocument *document = study->document;
  /* Where it lies is nobody's business. */
  g_autofree char *name = g_path_get_basename(document->path);
  g_autofree char *line = g_strdup_printf(
      "%s%s · %s (%s)%s%s%s%s", what, name, document->format,
      tn_document_kind_name(document->kind), document->producer ? " · " : "",
      document->producer ? document->producer : "", hash ? " · SHA-256 " : "", hash ? hash : "");
  tn_html_element(page->html, "p class=\"small\"", line);
}

static void
add_origin(Page *page)
{
  const TnReportParams *p = page->params;
  if (p->view)
    add_file(page, "", p->view->study, p->hash);
  if (p->diff) {
    add_file(page, "A: ", p->diff->diff->a, p->hash);
    add_file(page, "B: ", p->diff->diff->b, p->hash_b);
  }
  if (!p->version && !p->options)
    return;
  g_autofree char *line =
      g_strdup_printf("%s%s%s%s", p->version ? "Tenure " : "", p->version ? p->version : "",
                      p->version && p->options ? " · " : "", p->options ? p->options : "");
  tn_html_element(page->html, "p class=\"small\"", line);
}

static bool
add_study(Page *page)
{
  const TnReportParams *p = page->params;
  const GPtrArray *accounts = p->view->study->document->accounts;
  bool has_buffers = p->view->study->buffers->n > 0;
  if (has_buffers || accounts->len == 0) {
    add_figures(page);
    tn_html_element(page->html, "h2", "Memory over time");
    if (!add_picture(page, (int)(LIVE + OFFSETS + LANES + 40.0),
                     "Live bytes, offsets and lives over time", draw_maps, p))
      return false;
  }
  add_findings(page);
  for (guint i = 0; i < accounts->len; i++)
    add_account(page, g_ptr_array_index(accounts, i));
  if (!has_buffers)
    return true;
  tn_html_element(page->html, "h2", "Alive at the peak");
  if (!add_picture(page, 420, "What is alive at the peak, by size", draw_live_set, p))
    return false;
  add_top_buffers(page);
  return true;
}

static void
add_causes(Page *page)
{
  static const char *const columns[] = {"Cause", "Bytes", "Buffers", NULL};
  static const bool is_number[] = {false, true, true};
  const TnDiff *diff = page->params->diff->diff;
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  tn_html_element(page->html, "h2",
                  diff->has_arena ? "Why the arena is another" : "Why the live peak is another");
  tn_html_table_begin(page->html, columns);
  for (int i = 0; i <= n; i++) {
    tn_bytes sum = diff->has_arena ? diff->arena_delta : diff->live_delta;
    tn_bytes bytes = i < n ? diff->cause[i] : sum;
    char size[48], count[32] = "";
    if (i < n && bytes == 0)
      continue;
    if (i < n && diff->cause_n[i])
      tn_print_count(count, sizeof count, diff->cause_n[i]);
    g_autofree char *signed_size =
        g_strdup_printf("%s%s",
                        bytes > 0   ? "+"
                        : bytes < 0 ? "−"
                                    : "",
                        tn_print_bytes(size, sizeof size, ABS(bytes), TN_UNITS_BYTES));
    const char *cells[] = {i < n ? tn_diff_cause_title((TnDiffCause)i) : "sum = B − A", signed_size,
                           count, NULL};
    tn_html_table_row(page->html, cells, is_number);
  }
  tn_html_table_end(page->html);
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
  add_causes(page);
  return true;
}

static char *
build_title(const TnReportParams *p)
{
  g_autofree char *name = p->view ? g_path_get_basename(p->view->study->document->path) : NULL;
  if (!p->diff)
    return g_steal_pointer(&name);
  g_autofree char *a = tn_diff_picture_dup_name(p->diff, TN_DIFF_A);
  g_autofree char *b = tn_diff_picture_dup_name(p->diff, TN_DIFF_B);
  return g_strdup_printf("%s → %s", a, b);
}

GByteArray *
tn_report_build_html(const TnReportParams *params, GError **error)
{
  Page page = {params, g_string_new(NULL), error, 0};
  g_autofree char *title = build_title(params);
  tn_html_begin(page.html, title, params->theme);
  tn_html_element(page.html, "h1", title);
  add_origin(&page);
  bool is_good = (!params->diff || add_diff(&page)) && (!params->view || add_study(&page));
  if (params->notes) {
    tn_html_element(page.html, "h2", "Notes");
    tn_html_element(page.html, "p", params->notes);
  }
  tn_html_end(page.html);
  gsize size = page.html->len;
  guint8 *data = (guint8 *)g_string_free(page.html, FALSE);
  GByteArray *bytes = g_byte_array_new_take(data, size);
  if (is_good)
    return bytes;
  g_byte_array_unref(bytes);
  return NULL;
}
