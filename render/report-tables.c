/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-tables.h"

#include "analysis/batch-sum.h"
#include "analysis/diff/causes.h"

#include <string.h>

#define TOP_ROWS 20u
#define CHANGE_ROWS 50u

static TnReportTable *
table_new(const char *title, const char *const *columns, const bool *is_number)
{
  TnReportTable *table = g_new0(TnReportTable, 1);
  table->title = g_strdup(title);
  table->columns = columns;
  table->is_number = is_number;
  table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  return table;
}

void
tn_report_table_free(TnReportTable *table)
{
  if (!table)
    return;
  g_free(table->title);
  g_free(table->note);
  g_ptr_array_unref(table->rows);
  g_free(table);
}

static void
add_row(TnReportTable *table, const char *const *cells)
{
  g_ptr_array_add(table->rows, g_strdupv((char **)cells));
}

static const char *
print_signed(char *buffer, gsize size, tn_bytes bytes, TnUnits units)
{
  char text[48];
  g_snprintf(buffer, size, "%s%s",
             bytes > 0   ? "+"
             : bytes < 0 ? "−"
                         : "",
             tn_print_bytes(text, sizeof text, ABS(bytes), units));
  return buffer;
}

/* ---- key figures -------------------------------------------------------------------------------
 */

static void
add_figure(TnReportTable *table,
           const TnReportParams *p,
           const char *what,
           tn_bytes bytes,
           const char *note)
{
  char size[48], count[48];
  if (bytes < 0)
    return;
  add_row(table,
          (const char *[]){what, tn_print_bytes(size, sizeof size, bytes, p->units),
                           tn_print_bytes(count, sizeof count, bytes, TN_UNITS_BYTES), note, NULL});
}

/* What of the arena is never held by anybody, and what its spaces need at other moments. */
static void
add_above_peak(TnReportTable *table, const TnReportParams *p)
{
  TnDiffAccount account;
  if (p->view->study->arena_bytes < 0 || !tn_diff_account(p->view->study, NULL, &account))
    return;
  const char *above = account.spaces > 0 ? "Above the peaks of the spaces" : "Above the live peak";
  if (account.spaces > 0)
    add_figure(table, p, "Above the live peak", account.spaces, "spaces at their peaks at different moments");
  if (account.streams > 0)
    add_figure(table, p, above, account.streams, "streams that share nothing");
  add_figure(table, p, account.streams > 0 ? "Above what streams need" : above,
             account.alignment + account.fragmentation, "padding and fragmentation");
}

TnReportTable *
tn_report_table_figures(const TnReportParams *p)
{
  static const char *const columns[] = {"Figure", "Size", "Exactly", "", NULL};
  static const bool is_number[] = {false, true, true, false};
  const TnStudy *study = p->view->study;
  char count[32];
  g_autofree char *at = g_strdup_printf("at %s %s", tn_axis_unit_name(study->device->axis),
                                        tn_print_count(count, sizeof count, study->live->peak_at));
  TnReportTable *table = table_new("Key figures", columns, is_number);
  add_figure(table, p, study->device->samples ? "Allocated, peak" : "Live peak",
             tn_view_has_live(study) ? study->live->peak : -1, at);
  add_figure(table, p, "Arena", study->arena_bytes, "");
  add_above_peak(table, p);
  add_figure(table, p, "Reserved peak", study->reserved ? study->reserved->peak : -1, "");
  add_figure(table, p, "Without reuse", study->is_log ? -1 : study->no_reuse_bytes, "");
  add_figure(table, p, "The same, as the file says", study->device->stated_total, "");
  add_figure(table, p, "Residents", study->resident_bytes > 0 ? study->resident_bytes : -1,
             "not part of the peak");
  add_figure(table, p, "Before the recording", study->before_bytes > 0 ? study->before_bytes : -1,
             "");
  if (table->rows->len > 0)
    return table;
  tn_report_table_free(table);
  return NULL;
}

/* ---- findings, accounts ------------------------------------------------------------------------
 */

TnReportTable *
tn_report_table_findings(const TnReportParams *p)
{
  static const char *const columns[] = {"Severity", "Finding", "What to do", "Would save", NULL};
  static const bool is_number[] = {false, false, false, true};
  if (!p->findings || p->findings->rows->len == 0)
    return NULL;
  TnReportTable *table = table_new("Findings", columns, is_number);
  for (guint i = 0; i < p->findings->rows->len; i++) {
    const TnFinding *f = tn_findings_get(p->findings, i);
    char size[48] = "";
    if (f->saving_bytes > 0)
      tn_print_bytes(size, sizeof size, f->saving_bytes, p->units);
    add_row(table, (const char *[]){tn_severity_name(f->severity), f->message,
                                    f->hint ? f->hint : "", size, NULL});
  }
  return table;
}

/* A message may name the file by its path, which is nobody's business. */
static char *
dup_message(const TnDocument *document, const char *message)
{
  g_autofree char *name = g_path_get_basename(document->shown_path);
  g_auto(GStrv) parts = g_strsplit(message, document->shown_path, -1);
  return document->shown_path[0] ? g_strjoinv(name, parts) : g_strdup(message);
}

/* In the same words, perhaps with more behind them. */
static bool
is_found(const TnFindings *findings, const TnWarning *warning)
{
  for (guint i = 0; findings && i < findings->rows->len; i++) {
    const TnFinding *f = tn_findings_get(findings, i);
    if (strcmp(f->code, warning->code) == 0 &&
        g_ascii_strncasecmp(f->message, warning->message, strlen(f->message)) == 0)
      return true;
  }
  return false;
}

/* What is among the findings (may be NULL) is said there. */
static void
add_warnings(TnReportTable *table, const TnDocument *document, const TnFindings *findings, const char *side)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics); i++) {
    char count[32];
    const TnWarning *warning = tn_diagnostics_get(document->diagnostics, i);
    if (is_found(findings, warning))
      continue;
    g_autofree char *message = dup_message(document, warning->message);
    g_autofree char *what = g_strconcat(side, message, NULL);
    add_row(table, (const char *[]){what, tn_print_count(count, sizeof count, warning->count), NULL});
  }
}

TnReportTable *
tn_report_table_left_out(const TnReportParams *p)
{
  static const char *const columns[] = {"Left out or assumed", "How many", NULL};
  static const bool is_number[] = {false, true};
  const TnDiff *diff = p->diff ? p->diff->diff : NULL;
  bool is_one_file = diff && diff->a->document == diff->b->document;
  TnReportTable *table = table_new("What the reading left out", columns, is_number);
  if (p->view)
    add_warnings(table, p->view->study->document, p->findings, "");
  if (diff)
    add_warnings(table, diff->a->document, NULL, is_one_file ? "" : "A: ");
  if (diff && !is_one_file)
    add_warnings(table, diff->b->document, NULL, "B: ");
  if (table->rows->len > 0)
    return table;
  tn_report_table_free(table);
  return NULL;
}

static void
add_account_row(TnReportTable *table,
                const TnReportParams *p,
                const char *what,
                tn_bytes bytes,
                const char *note)
{
  char size[48];
  g_autofree char *text = g_strdup_printf("%s%s", bytes < 0 ? "−" : "",
                                          tn_print_bytes(size, sizeof size, ABS(bytes), p->units));
  add_row(table, (const char *[]){what, text, note ? note : "", NULL});
}

static void
add_account_rows(TnReportTable *table, const TnReportParams *p, const GArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const TnAccountRow *row = tn_account_row(rows, i);
    add_account_row(table, p, row->what, row->bytes, row->note);
  }
}

/* Below the sum stands what is not added. */
TnReportTable *
tn_report_table_account(const TnReportParams *p, const TnAccount *account)
{
  static const char *const columns[] = {"What", "Bytes", "", NULL};
  static const bool is_number[] = {false, true, false};
  TnReportTable *table = table_new(account->title, columns, is_number);
  const char *what = account->total_what ? account->total_what : "sum";
  g_autofree char *sum = g_strconcat(account->rows->len ? "= " : "", what, NULL);
  add_account_rows(table, p, account->rows);
  if (account->total >= 0)
    add_account_row(table, p, sum, account->total, NULL);
  add_account_rows(table, p, account->details);
  table->note = g_strdup(account->statement);
  return table;
}

TnReportTable *
tn_report_table_ledger(const TnReportParams *p, const TnOom *oom)
{
  static const char *const columns[] = {"Where every byte is", "Size", "Exactly", "Count", NULL};
  static const bool is_number[] = {false, true, true, true};
  TnReportTable *table = table_new("Account at the failed request", columns, is_number);
  char size[48], exact[48], count[32];
  for (guint i = 0; i < oom->account->rows->len; i++) {
    const TnLedgerRow *row = tn_ledger_get(oom->account, i);
    add_row(table,
            (const char *[]){tn_ledger_row_name(row),
                             tn_print_bytes(size, sizeof size, row->bytes, p->units),
                             tn_print_bytes(exact, sizeof exact, row->bytes, TN_UNITS_BYTES),
                             row->n ? tn_print_count(count, sizeof count, row->n) : "", NULL});
  }
  tn_bytes total = oom->account->total_bytes;
  add_row(table,
          (const char *[]){"sum", tn_print_bytes(size, sizeof size, total, p->units),
                           tn_print_bytes(exact, sizeof exact, total, TN_UNITS_BYTES), "", NULL});
  const char *source = tn_ledger_source_text(oom->account->source);
  table->note = *source ? g_strdup(source) : NULL;
  return table;
}

/* ---- buffers -----------------------------------------------------------------------------------
 */

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
add_buffer(TnReportTable *table, const TnReportParams *p, uint32_t row)
{
  const TnStudy *study = p->view->study;
  const TnBuffers *b = study->buffers;
  char size[48], start[32], end[32];
  g_autofree char *label = tn_study_dup_label(study, row);
  g_autofree char *life =
      g_strdup_printf("%s – %s", tn_print_count(start, sizeof start, b->start[row]),
                      tn_print_count(end, sizeof end, b->end[row]));
  g_autofree char *share = g_strdup_printf(
      "%.1f %%", 100.0 * (double)b->bytes[row] / (double)MAX(study->live->peak, (tn_bytes)1));
  add_row(table, (const char *[]){label, tn_print_bytes(size, sizeof size, b->bytes[row], p->units),
                                  share, life, tn_kind_name((TnBufferKind)b->kind[row]), NULL});
}

TnReportTable *
tn_report_table_top_buffers(const TnReportParams *p)
{
  static const char *const columns[] = {"Buffer", "Size", "Of the peak", "Life", "Kind", NULL};
  static const bool is_number[] = {false, true, true, true, false};
  const TnStudy *study = p->view->study;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  tn_batch_sum_keep(study->buffers, alive, study->live->peak_at);
  g_array_sort_with_data(alive, compare_size, (gpointer)study->buffers);
  g_autofree char *title =
      alive->len == 1 ? g_strdup("The buffer alive at the peak")
                      : g_strdup_printf("The largest of %u buffers alive at the peak", alive->len);
  TnReportTable *table = table_new(title, columns, is_number);
  for (guint i = 0; i < MIN(alive->len, TOP_ROWS); i++)
    add_buffer(table, p, g_array_index(alive, uint32_t, i));
  return table;
}

/* ---- two files ---------------------------------------------------------------------------------
 */

TnReportTable *
tn_report_table_causes(const TnReportParams *p)
{
  static const char *const columns[] = {"Cause", "Bytes", "Buffers", NULL};
  static const bool is_number[] = {false, true, true};
  const TnDiff *diff = p->diff->diff;
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  TnReportTable *table =
      table_new(diff->has_arena ? "Why the arena is another" : "Why the live peak is another",
                columns, is_number);
  for (int i = 0; i <= n; i++) {
    tn_bytes sum = diff->has_arena ? diff->arena_delta : diff->live_delta;
    tn_bytes bytes = i < n ? diff->cause[i] : sum;
    char size[64], count[32] = "";
    if (i < n && bytes == 0)
      continue;
    if (i < n && diff->cause_n[i])
      tn_print_count(count, sizeof count, diff->cause_n[i]);
    add_row(table,
            (const char *[]){i < n ? tn_diff_cause_title((TnDiffCause)i) : "sum = B − A",
                             print_signed(size, sizeof size, bytes, TN_UNITS_BYTES), count, NULL});
  }
  return table;
}

static void
add_change(TnReportTable *table, const TnReportParams *p, const TnDiffGroup *group)
{
  char a[48], b[48], delta[64], peak[64], count[32];
  g_autofree char *kinds = tn_diff_dup_changes(group->changes, ", ");
  add_row(
      table,
      (const char *[]){
          group->label, kinds, tn_print_count(count, sizeof count, group->n),
          group->changes & TN_CHANGE_NEW ? "–"
                                         : tn_print_bytes(a, sizeof a, group->bytes_a, p->units),
          group->changes & TN_CHANGE_GONE ? "–"
                                          : tn_print_bytes(b, sizeof b, group->bytes_b, p->units),
          print_signed(delta, sizeof delta, group->bytes_b - group->bytes_a, p->units),
          group->peak_bytes ? print_signed(peak, sizeof peak, group->peak_bytes, p->units) : "",
          NULL});
}

TnReportTable *
tn_report_table_changes(const TnReportParams *p)
{
  static const char *const columns[] = {"Buffer", "Change", "Count",       "A",
                                        "B",      "B − A",  "At the peak", NULL};
  static const bool is_number[] = {false, false, true, true, true, true, true};
  const GArray *groups = p->diff->groups;
  if (groups->len == 0)
    return NULL;
  TnReportTable *table = table_new("Changes", columns, is_number);
  for (guint i = 0; i < MIN(groups->len, CHANGE_ROWS); i++)
    add_change(table, p, tn_diff_group(groups, i));
  if (groups->len > CHANGE_ROWS)
    table->note = g_strdup_printf("… and %u more", groups->len - CHANGE_ROWS);
  return table;
}
