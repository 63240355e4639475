/* SPDX-License-Identifier: MIT */
/* --order: which order of a graph's ops a command works on. */
#include "config.h"

#include "app/answer/time-limit.h"
#include "app/cli/cli.h"

#include "analysis/order/order.h"
#include "data/graph-order.h"
#include "data/hash.h"
#include "data/readers/graph-json-values.h"

#include <string.h>

bool
tn_cli_need_graph(const TnDocument *document)
{
  if (document->graph)
    return true;
  tn_cli_complain("%s: found a %s; expected a graph, whose ops can be put in another order",
                  document->shown_path, tn_document_kind_name(document->kind));
  return false;
}

/* ---- a file with an order ------------------------------------------------------------------ */

static bool
fill_order(const TnGraph *graph, const cJSON *list, uint32_t *order)
{
  g_autoptr(GHashTable) rows = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  uint32_t n = 0;
  const cJSON *value;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    int64_t id = tn_answer_op_id(graph, i);
    g_hash_table_insert(rows, g_memdup2(&id, sizeof id), GUINT_TO_POINTER(i + 1));
  }
  cJSON_ArrayForEach(value, list)
  {
    TnGraphJson json = {.file = "--order"};
    int64_t id = -1; /* no op's */
    tn_graph_json_int(&json, value, "order", 0, G_MAXINT64, &id);
    uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(rows, &id));
    if (row == 0 || n == graph->ops->len)
      return false;
    order[n++] = row - 1;
  }
  return n == graph->ops->len && tn_graph_order_is_legal(graph, order, n);
}

static uint32_t *
read_order(const TnDocument *document, const char *path, TnExit *out_exit)
{
  g_autofree char *text = NULL;
  gsize size;
  *out_exit = TN_EXIT_INPUT;
  if (!g_file_get_contents(path, &text, &size, NULL)) {
    *out_exit = TN_EXIT_USAGE;
    tn_cli_complain("--order %s: found no file of this name; expected file, a method (best, "
                    "greedy, exact, …) or a file that `schedule -o` wrote",
                    path);
    return NULL;
  }
  cJSON *json = cJSON_ParseWithLength(text, size);
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "order");
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)document->graph->ops->len + 1);
  bool is_good = cJSON_IsArray(list) && fill_order(document->graph, list, order);
  cJSON_Delete(json);
  if (is_good)
    return g_steal_pointer(&order);
  tn_cli_complain("--order %s: found no order of this graph; expected \"order\": an array with the "
                  "id of each op once, none before an op that it needs",
                  path);
  return NULL;
}

/* ---- an order that is found ---------------------------------------------------------------- */

uint32_t *
tn_cli_build_order(const TnDocument *document,
                   const TnCommonOptions *options,
                   const char *name,
                   double *in_out_limit,
                   TnExit *out_exit)
{
  const TnOrderMethod *method = tn_order_methods_find(name);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  TnGraphLifetimeParams lifetime;
  g_autoptr(GError) error = NULL;
  *out_exit = TN_EXIT_INPUT;
  if (!tn_cli_need_graph(document))
    return NULL;
  if (!method)
    return read_order(document, name, out_exit);
  *out_exit = TN_EXIT_USAGE;
  if (!tn_cli_lifetime_params(options, &lifetime))
    return NULL;
  gint64 begun = g_get_monotonic_time();
  params.time_limit = *in_out_limit * TN_ANSWER_SEARCH_PART;
  g_autoptr(TnOrderAnswer) answer =
      tn_order_new(document->graph, document->strings, &lifetime, method, &params, &error);
  *in_out_limit = tn_answer_seconds_left(*in_out_limit, begun);
  *out_exit = answer ? TN_EXIT_DONE : TN_EXIT_INPUT;
  if (error)
    tn_cli_complain("%s: %s", document->shown_path, error->message);
  return answer ? g_steal_pointer(&answer->order) : NULL;
}
