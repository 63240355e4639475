/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/ascend-totals.h"

#include "data/hash.h"
#include "data/units.h"

#include <string.h>

typedef struct {
  int64_t time;
  tn_bytes allocated, reserved;
  uint32_t series;
} Row;

typedef struct {
  char *device, *component;
  tn_bytes allocated_peak, reserved_peak, allocated_last, reserved_last;
  uint32_t first_line, last_line, row;
  uint32_t number; /* of its device, in order of appearance */
} Series;

struct TnAscendTotals {
  GArray *rows;        /* Row */
  GHashTable *by_name; /* "device component" → Series * */
  GPtrArray *in_order; /* Series *, owned */
  GHashTable *devices; /* name → number + 1 */
};

static void
series_free(gpointer data)
{
  Series *series = data;
  g_free(series->device);
  g_free(series->component);
  g_free(series);
}

TnAscendTotals *
tn_ascend_totals_new(void)
{
  TnAscendTotals *totals = g_new0(TnAscendTotals, 1);
  totals->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  totals->by_name = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  totals->in_order = g_ptr_array_new_with_free_func(series_free);
  totals->devices = g_hash_table_new(tn_text_hash, g_str_equal);
  return totals;
}

void
tn_ascend_totals_free(TnAscendTotals *totals)
{
  g_array_unref(totals->rows);
  g_hash_table_unref(totals->by_name);
  g_hash_table_unref(totals->devices);
  g_ptr_array_unref(totals->in_order);
  g_free(totals);
}

static uint32_t
number_device(TnAscendTotals *totals, const Series *series)
{
  uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(totals->devices, series->device));
  if (number)
    return number - 1;
  number = g_hash_table_size(totals->devices);
  g_hash_table_insert(totals->devices, series->device, GUINT_TO_POINTER(number + 1));
  return number;
}

static Series *
find_series(TnAscendTotals *totals, const TnAscendRow *row)
{
  g_autofree char *key =
      g_strdup_printf("%.*s %.*s", (int)MIN(row->device_length, (gsize)60), row->device,
                      (int)MIN(row->component_length, (gsize)60), row->component);
  Series *series = g_hash_table_lookup(totals->by_name, key);
  if (series)
    return series;
  series = g_new0(Series, 1);
  series->device = g_utf8_make_valid(row->device, (gssize)row->device_length);
  series->component = g_utf8_make_valid(row->component, (gssize)row->component_length);
  series->allocated_peak = series->reserved_peak = TN_BYTES_UNKNOWN;
  series->allocated_last = series->reserved_last = TN_BYTES_UNKNOWN;
  series->first_line = row->line;
  series->row = totals->in_order->len;
  series->number = number_device(totals, series);
  g_hash_table_insert(totals->by_name, g_steal_pointer(&key), series);
  g_ptr_array_add(totals->in_order, series);
  return series;
}

/* -1 says that only the release was seen. */
void
tn_ascend_totals_add(TnAscendTotals *totals, const TnAscendRow *row)
{
  Series *series = find_series(totals, row);
  series->last_line = row->line;
  if (row->allocated >= 0) {
    series->allocated_last = row->allocated;
    series->allocated_peak = MAX(series->allocated_peak, row->allocated);
  }
  if (row->reserved >= 0) {
    series->reserved_last = row->reserved;
    series->reserved_peak = MAX(series->reserved_peak, row->reserved);
  }
  Row kept = {row->time, row->allocated, row->reserved, series->row};
  g_array_append_val(totals->rows, kept);
}

/* ---- accounts ---------------------------------------------------------------------------------
 */

static void
report_component(TnDocument *document, const Series *series)
{
  g_autofree char *title = g_strdup_printf("%s on %s", series->component, series->device);
  TnAccount *account = tn_account_new(title, series->first_line);
  account->last_line = series->last_line;
  tn_account_set_total(account, series->reserved_last, "reserved, at the end");
  if (series->reserved_last >= 0) {
    tn_account_add(account, "allocated", series->allocated_last, NULL);
    tn_account_close(account, "reserved, unallocated", "allocated beyond it", 0);
  }
  tn_account_add_detail(account, "peak allocated", series->allocated_peak, NULL);
  tn_account_add_detail(account, "peak reserved", series->reserved_peak, NULL);
  account->statement = g_strdup("Totals over time, by component: no map can be drawn. Open "
                                "operator_memory.csv of the same run for lives, or a torch_npu "
                                "snapshot for a map.");
  g_ptr_array_add(document->accounts, account);
}

static TnAccount *
modules_account_new(const Series *first)
{
  g_autofree char *title = g_strdup_printf("driver modules on %s", first->device);
  TnAccount *account = tn_account_new(title, first->first_line);
  account->total_what = g_strdup("reserved by all modules, when each was last seen");
  account->statement = g_strdup(
      "Totals by module: no map can be drawn. Open operator_memory.csv of the same run for "
      "lives; for a map record a torch_npu snapshot (torch.npu.memory._record_memory_history()) or "
      "with "
      "msMemScope.");
  return account;
}

/* Modules add up to what the device's memory is held by, each at the last time it was seen. */
static void
report_modules(const TnAscendTotals *totals, TnDocument *document)
{
  guint before = document->accounts->len;
  for (guint k = 0; k < totals->in_order->len; k++) {
    const Series *series = g_ptr_array_index(totals->in_order, k);
    if (before + series->number == document->accounts->len)
      g_ptr_array_add(document->accounts, modules_account_new(series));
    if (series->reserved_peak <= 0)
      continue; /* most of the 80 modules never hold anything */
    TnAccount *account = g_ptr_array_index(document->accounts, before + series->number);
    g_autofree char *note =
        g_strdup_printf("peak %" G_GINT64_FORMAT " bytes", series->reserved_peak);
    account->last_line = MAX(account->last_line, series->last_line);
    tn_account_add(account, series->component, series->reserved_last, note);
  }
  for (guint i = before; i < document->accounts->len; i++)
    tn_account_close(g_ptr_array_index(document->accounts, i), "", "", 0);
}

/* ---- curves ------------------------------------------------------------------------------------
 */

static gint
compare_rows(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

static gint
compare_series(gconstpointer a, gconstpointer b)
{
  const Series *x = *(Series *const *)a, *y = *(Series *const *)b;
  return x->reserved_peak > y->reserved_peak ? -1 : x->reserved_peak < y->reserved_peak;
}

/* Within one microsecond the largest stays: a peak is never lost. */
static void
add_sample(TnDevice *device, tn_tick tick, tn_bytes allocated, tn_bytes reserved)
{
  GArray *samples = device->samples;
  TnSample *last = samples->len ? &g_array_index(samples, TnSample, samples->len - 1) : NULL;
  if (last && last->tick == tick) {
    last->allocated = MAX(last->allocated, allocated);
    last->reserved = MAX(last->reserved, reserved);
    return;
  }
  TnSample sample = {tick, allocated, reserved};
  g_array_append_val(samples, sample);
}

static TnDevice *
add_device(const TnAscendTotals *totals,
           TnDocument *document,
           const char *component,
           const char *of)
{
  TnDevice *device = tn_document_device(document, (int32_t)document->devices->len);
  g_autofree char *name =
      g_hash_table_size(totals->devices) <= 1 ? g_strdup(component) : g_strdup_printf("%s on %s", component, of);
  device->name = tn_strings_intern(document->strings, name, -1);
  device->axis = TN_AXIS_US;
  device->samples = g_array_new(FALSE, FALSE, sizeof(TnSample));
  return device;
}

/* What all modules of a device hold together. */
typedef struct {
  TnDevice *device;
  tn_bytes bytes;
  int64_t time;      /* of the rows in hand */
  uint32_t sampling; /* that they are of, from 1 */
  bool has_rows;
} Sum;

#define MOST_SUMS 1024 /* devices of one machine */

/* A curve for each device, in order of appearance. */
static GArray *
sums_new(const TnAscendTotals *totals, TnDocument *document)
{
  GArray *sums = g_array_new(FALSE, FALSE, sizeof(Sum));
  guint n = g_hash_table_size(totals->devices);
  for (guint i = 0; i < totals->in_order->len && sums->len < MOST_SUMS; i++) {
    const Series *series = g_ptr_array_index(totals->in_order, i);
    if (series->number < sums->len)
      continue;
    Sum sum = {.device = add_device(totals, document, "all modules", series->device), .sampling = 1};
    g_array_append_val(sums, sum);
  }
  if (n > MOST_SUMS)
    tn_diagnostics_add(document->diagnostics, "more-devices", n - MOST_SUMS,
                       "found %u devices: the first %d have a curve, all have an account", n, MOST_SUMS);
  return sums;
}

static void
end_sampling(const TnAscendTotals *totals, Sum *sum)
{
  if (sum->has_rows)
    add_sample(sum->device, (sum->time - g_array_index(totals->rows, Row, 0).time) / 1000, TN_BYTES_UNKNOWN,
               sum->bytes);
  sum->sampling++;
  sum->has_rows = false;
}

/* A sampling has a row of each module, one after the other: only all rows of a time together are what was held then.
 * Where a module comes again, that is the next. */
static void
add_sums(const TnAscendTotals *totals, TnDocument *document)
{
  guint n = MAX(totals->in_order->len, 1u);
  g_autofree tn_bytes *now = g_new0(tn_bytes, n);
  g_autofree uint32_t *seen = g_new0(uint32_t, n); /* the last sampling that has a row of the module */
  g_autoptr(GArray) sums = sums_new(totals, document);
  for (guint i = 0; i < totals->rows->len; i++) {
    const Row *row = &g_array_index(totals->rows, Row, i);
    const Series *series = g_ptr_array_index(totals->in_order, row->series);
    Sum *sum = series->number < sums->len ? &g_array_index(sums, Sum, series->number) : NULL;
    if (!sum || row->reserved < 0)
      continue;
    if (sum->time != row->time || seen[row->series] == sum->sampling)
      end_sampling(totals, sum);
    if (!tn_add(sum->bytes - now[row->series], row->reserved, &sum->bytes))
      continue;
    now[row->series] = row->reserved;
    seen[row->series] = sum->sampling;
    sum->time = row->time;
    sum->has_rows = true;
  }
  for (guint i = 0; i < sums->len; i++)
    end_sampling(totals, &g_array_index(sums, Sum, i));
}

static void
add_curve(const TnAscendTotals *totals, TnDocument *document, const Series *series)
{
  TnDevice *device = add_device(totals, document, series->component, series->device);
  for (guint i = 0; i < totals->rows->len; i++) {
    const Row *row = &g_array_index(totals->rows, Row, i);
    int64_t since = row->time - g_array_index(totals->rows, Row, 0).time;
    if (row->series == series->row && (row->allocated >= 0 || row->reserved >= 0))
      add_sample(device, since / 1000, row->allocated, row->reserved);
  }
}

#define MOST_CURVES 64

static void
add_curves(const TnAscendTotals *totals, TnDocument *document)
{
  g_autoptr(GPtrArray) sorted = g_ptr_array_sized_new(totals->in_order->len);
  for (guint k = 0; k < totals->in_order->len; k++)
    g_ptr_array_add(sorted, g_ptr_array_index(totals->in_order, k));
  g_ptr_array_sort(sorted, compare_series);
  for (guint k = 0; k < MIN(sorted->len, MOST_CURVES); k++) {
    const Series *series = g_ptr_array_index(sorted, k);
    if (MAX(series->allocated_peak, series->reserved_peak) > 0)
      add_curve(totals, document, series);
  }
}

/* Rows whose times are no common recording (years apart, negative) are put at its start. */
static void
sort_rows(TnAscendTotals *totals, TnDocument *document)
{
  int64_t n_odd = 0, span;
  g_array_sort(totals->rows, compare_rows);
  for (guint i = 0; i < totals->rows->len; i++) {
    Row *row = &g_array_index(totals->rows, Row, i);
    if (tn_add(row->time, -MAX(g_array_index(totals->rows, Row, 0).time, -INT64_MAX), &span))
      continue;
    row->time = g_array_index(totals->rows, Row, 0).time;
    n_odd++;
  }
  if (n_odd) {
    g_array_sort(totals->rows, compare_rows);
    tn_diagnostics_add(document->diagnostics, "odd-times", n_odd,
                       "%" G_GINT64_FORMAT " %s at its start", n_odd,
                       tn_plural(n_odd, "row has times that no recording can have: it stands",
                                 "rows have times that no recording can have: they "
                                 "stand"));
  }
}

static void
end_axis(const TnAscendTotals *totals, TnDocument *document)
{
  tn_tick end = 1;
  for (guint i = 0; i < totals->rows->len; i++)
    end = MAX(
        end, (g_array_index(totals->rows, Row, i).time - g_array_index(totals->rows, Row, 0).time) /
                     1000 +
                 1);
  for (guint d = 0; d < document->devices->len; d++)
    ((TnDevice *)g_ptr_array_index(document->devices, d))->axis_end = end;
}

void
tn_ascend_totals_finish(TnAscendTotals *totals, TnDocument *document, bool are_modules)
{
  sort_rows(totals, document);
  for (guint i = 0; !are_modules && i < totals->in_order->len; i++)
    report_component(document, g_ptr_array_index(totals->in_order, i));
  if (are_modules) {
    report_modules(totals, document);
    add_sums(totals, document);
  }
  add_curves(totals, document);
  end_axis(totals, document);
}
