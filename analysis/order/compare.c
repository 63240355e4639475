/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/compare.h"

#include <string.h>

TnOrderComparison *
tn_order_comparison_new(void)
{
  TnOrderComparison *comparison = g_new0(TnOrderComparison, 1);
  comparison->rows = g_array_new(FALSE, FALSE, sizeof(TnOrderRow));
  g_array_set_clear_func(comparison->rows, (GDestroyNotify)tn_order_row_clear);
  comparison->lowest = INT64_MAX;
  return comparison;
}

void
tn_order_comparison_free(TnOrderComparison *comparison)
{
  if (!comparison)
    return;
  g_array_unref(comparison->rows);
  g_free(comparison);
}

bool
tn_order_row_init(TnOrderRow *row,
                  const TnGraph *graph,
                  TnStrings *strings,
                  const TnGraphLifetimeParams *lifetime,
                  const TnOrderMethod *method,
                  const TnOrderParams *params,
                  GError **error)
{
  *row = (TnOrderRow){.method = method};
  row->answer = tn_order_new(graph, strings, lifetime, method, params, error);
  if (!row->answer)
    return false;
  TnGraphLifetimeParams found = *lifetime;
  found.order = row->answer->order;
  row->log = tn_order_log_new(graph, strings, &found, error);
  if (!row->log)
    tn_order_row_clear(row);
  return row->log != NULL;
}

void
tn_order_row_clear(TnOrderRow *row)
{
  g_clear_pointer(&row->answer, tn_order_free);
  g_clear_pointer(&row->log, tn_order_log_free);
}

/* What one method proved, all know. */
static void
share_bound(TnOrderComparison *comparison)
{
  for (guint i = 0; i < comparison->rows->len; i++) {
    TnOrderAnswer *answer = tn_order_comparison_get(comparison, i)->answer;
    answer->bound = comparison->bound;
    answer->is_optimal = answer->peak <= comparison->bound && !answer->adds_batches;
  }
}

void
tn_order_comparison_add(TnOrderComparison *comparison, TnOrderRow *row)
{
  comparison->bound = MAX(comparison->bound, row->answer->bound);
  comparison->baseline = row->answer->baseline;
  comparison->lowest = MIN(comparison->lowest, row->answer->peak);
  g_array_append_val(comparison->rows, *row);
  *row = (TnOrderRow){0};
  share_bound(comparison);
}

TnOrderComparison *
tn_order_compare(const TnGraph *graph,
                 TnStrings *strings,
                 const TnGraphLifetimeParams *lifetime,
                 const TnOrderParams *params,
                 GError **error)
{
  const TnOrderMethod *const *methods = tn_order_methods();
  g_autoptr(TnOrderComparison) comparison = tn_order_comparison_new();
  for (gsize i = 0; methods[i] && !tn_progress_is_cancelled(params->progress); i++) {
    TnOrderRow row;
    if (!tn_order_row_init(&row, graph, strings, lifetime, methods[i], params, error))
      return NULL;
    tn_order_comparison_add(comparison, &row);
  }
  return g_steal_pointer(&comparison);
}

guint
tn_order_comparison_best(const TnOrderComparison *comparison)
{
  guint best = TN_NONE;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const TnOrderRow *row = tn_order_comparison_get(comparison, i);
    if (row->answer->peak == comparison->lowest &&
        (best == TN_NONE || strcmp(row->method->name, "best") == 0))
      best = i;
  }
  return best;
}
