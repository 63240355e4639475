/* SPDX-License-Identifier: MIT */
/* Our own graph: "format": "tenure-graph".  See design/documents.md for each key. */
#include "config.h"

#include "data/error.h"
#include "data/graph-order.h"
#include "data/hash.h"
#include "data/json.h"
#include "data/readers/graph-json-reader.h"
#include "data/readers/readers.h"

#include <string.h>

/* ---- ids ------------------------------------------------------------------------------- */

bool
tn_graph_json_add_id(TnGraphJsonReader *reader, GHashTable *ids, int64_t id, uint32_t row, const char *place)
{
  int64_t *key = g_memdup2(&id, sizeof id);
  if (g_hash_table_insert(ids, key, GUINT_TO_POINTER(row + 1)))
    return true;
  g_autofree char *found = g_strdup_printf("id %" G_GINT64_FORMAT " a second time", id);
  return tn_graph_json_fail(&reader->json, place, found, "an id of its own");
}

bool
tn_graph_json_find_id(TnGraphJsonReader *reader, GHashTable *ids, const cJSON *value, const char *place, uint32_t *out_row)
{
  int64_t id;
  if (!tn_graph_json_int(&reader->json, value, place, G_MININT64, G_MAXINT64, &id))
    return false;
  uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(ids, &id));
  if (row == 0) {
    g_autofree char *found = g_strdup_printf("id %" G_GINT64_FORMAT, id);
    return tn_graph_json_fail(&reader->json, place, found, "the id of %s that is listed",
                        ids == reader->tensors ? "a tensor" : "an op");
  }
  *out_row = row - 1;
  return true;
}

/* ---- the whole ------------------------------------------------------------------------- */

static bool
read_rows(TnGraphJsonReader *reader, const cJSON *root, const char *key,
          bool (*read_row)(TnGraphJsonReader *, const cJSON *, uint32_t))
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, root, "the document", key), *value;
  uint32_t n = 0;
  if (!list)
    return tn_graph_json_fail(&reader->json, key, "nothing", "an array");
  cJSON_ArrayForEach(value, list)
  {
    if (!read_row(reader, value, n++))
      return false;
  }
  return true;
}

static void
mark_read(const TnGraph *graph, bool *is_read)
{
  for (uint32_t i = 0; i < graph->inputs->len; i++)
    if (g_array_index(graph->inputs, uint32_t, i) != TN_NONE)
      is_read[g_array_index(graph->inputs, uint32_t, i)] = true;
}

/* What is read without being made comes from outside, whatever the file calls it; what is neither stays
 * the activation that a kernel does without, if the file says so. */
static void
settle_kind(TnTensor *tensor, bool is_read)
{
  bool is_open = tensor->kind == TN_GRAPH_JSON_NO_KIND;
  if (is_open)
    tensor->kind = TN_TENSOR_ACTIVATION;
  if (tensor->kind == TN_TENSOR_ACTIVATION && tensor->producer == TN_NONE && (is_open || is_read))
    tensor->kind = TN_TENSOR_INPUT;
}

/* Kinds that the file leaves to us, and the graph's outputs. */
static bool
settle_tensors(TnGraphJsonReader *reader, const cJSON *root)
{
  TnGraph *graph = reader->graph;
  const cJSON *outputs = tn_graph_json_get_array(&reader->json, root, "the document", "outputs"), *value;
  g_autofree bool *is_read = g_new0(bool, (gsize)graph->tensors->len + 1);
  uint32_t row;
  mark_read(graph, is_read);
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    TnTensor *tensor = tn_graph_tensor(graph, i);
    settle_kind(tensor, is_read[i]);
    if (tensor->kind == TN_TENSOR_OUTPUT ||
        (!outputs && !is_read[i] && tensor->kind == TN_TENSOR_ACTIVATION &&
         tensor->producer != TN_NONE))
      tensor->is_output = true;
  }
  cJSON_ArrayForEach(value, outputs)
  {
    if (!tn_graph_json_find_id(reader, reader->tensors, value, "outputs", &row))
      return false;
    tn_graph_tensor(graph, row)->is_output = true;
  }
  return !reader->json.has_failed;
}

static bool
fail_cycle(TnGraphJsonReader *reader, GArray *cycle)
{
  g_autofree char *text =
      tn_graph_build_cycle_text(reader->graph, reader->document->strings, cycle);
  g_autofree char *found = g_strdup_printf("the cycle %s", text);
  g_array_unref(cycle);
  return tn_graph_json_fail(&reader->json, "ops", found, "a graph that some order can run");
}

static bool
read_order(TnGraphJsonReader *reader, const cJSON *root)
{
  TnGraph *graph = reader->graph;
  const cJSON *list = tn_graph_json_get_array(&reader->json, root, "the document", "order"), *value;
  GArray *cycle = NULL, *sorted = tn_graph_sort(graph, &cycle);
  uint32_t op;
  if (!sorted)
    return fail_cycle(reader, cycle);
  cJSON_ArrayForEach(value, list)
  {
    if (!tn_graph_json_find_id(reader, reader->ops, value, "order", &op)) {
      g_array_unref(sorted);
      return false;
    }
    g_array_append_val(graph->order, op);
  }
  for (uint32_t i = 0; !list && i < graph->ops->len; i++)
    g_array_append_val(graph->order, i);
  if (!tn_graph_order_is_legal(graph, (uint32_t *)(void *)graph->order->data, graph->order->len)) {
    tn_diagnostics_add(reader->document->diagnostics, "order-not-legal", 1,
                       "%s runs ops before what they need, or not each of them once; a stable "
                       "topological order is used",
                       list ? "`order`" : "the order in which the ops are listed");
    g_array_set_size(graph->order, 0);
    g_array_append_vals(graph->order, sorted->data, sorted->len);
  }
  g_array_unref(sorted);
  return true;
}

static GArray *
read_link_points(TnGraphJsonReader *reader, const cJSON *link, const char *key)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, link, "link", key), *pair;
  GArray *points = list ? g_array_new(FALSE, FALSE, sizeof(TnLinkPoint)) : NULL;
  cJSON_ArrayForEach(pair, list)
  {
    const cJSON *seconds = cJSON_IsArray(pair) && pair->child ? pair->child->next : NULL;
    TnLinkPoint point = {0, cJSON_IsNumber(seconds) ? seconds->valuedouble : -1};
    if (!(point.seconds >= 0) ||
        !tn_graph_json_int(&reader->json, pair->child, "link", 0, G_MAXINT64, &point.bytes))
      tn_graph_json_fail(&reader->json, "link", "another thing", "points [bytes, seconds]");
    g_array_append_val(points, point);
  }
  return points;
}

static bool
read_header(TnGraphJsonReader *reader, const cJSON *root)
{
  int64_t version = 0;
  const char *format = tn_graph_json_get_text(&reader->json, root, "the document", "format", "");
  if (!cJSON_IsObject(root) || strcmp(format, "tenure-graph") != 0)
    return tn_graph_json_fail(&reader->json, "format", *format ? format : "nothing", "\"tenure-graph\"");
  if (!tn_graph_json_get_int(&reader->json, root, "the document", "version", 0, G_MAXINT64, &version))
    return false;
  if (version != 1) {
    g_autofree char *found = g_strdup_printf("%" G_GINT64_FORMAT, version);
    return tn_graph_json_fail(&reader->json, "version", found, "1");
  }
  const char *name = tn_graph_json_get_text(&reader->json, root, "the document", "name", "");
  reader->graph->name = tn_strings_intern(reader->document->strings, name, -1);
  return tn_graph_json_get_bool(&reader->json, root, "the document", "keep_inputs",
                          &reader->graph->keep_inputs);
}

static bool
read_root(TnGraphJsonReader *reader, const cJSON *root)
{
  if (!read_header(reader, root) ||
      !read_rows(reader, root, "tensors", tn_graph_json_read_tensor) ||
      !tn_graph_json_read_inside(reader, cJSON_GetObjectItemCaseSensitive(root, "tensors")))
    return false;
  reader->read_by = g_new0(uint32_t, (gsize)reader->graph->tensors->len + 1);
  if (!read_rows(reader, root, "ops", tn_graph_json_read_op) ||
      !tn_graph_json_read_after(reader, cJSON_GetObjectItemCaseSensitive(root, "ops")) ||
      !settle_tensors(reader, root) || !read_order(reader, root))
    return false;
  const cJSON *link = cJSON_GetObjectItemCaseSensitive(root, "link");
  reader->graph->link_out = read_link_points(reader, link, "out");
  reader->graph->link_in = read_link_points(reader, link, "in");
  return !reader->json.has_failed;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)1024), at = tn_text_start(data, n);
  if (at == n || data[at] != '{')
    return 0;
  return memmem(data, MIN(size, (gsize)65536), "\"tenure-graph\"", 14) ? 100 : 0;
}

static bool
read_graph_json(TnSource *source, const TnReadOptions *options, TnDocument *document,
                GError **error)
{
  TnGraphJsonReader reader = {.json = {source->name, error, false}, .document = document};
  cJSON *root = tn_graph_json_parse(&reader.json, source->data, source->size);
  if (!root)
    return false;
  reader.graph = document->graph = tn_graph_new();
  reader.tensors = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  reader.ops = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  document->kind = TN_DOCUMENT_GRAPH;
  TnDevice *device = tn_document_device(document, 0);
  device->axis = TN_AXIS_STEP;
  bool is_good = read_root(&reader, root);
  device->axis_end = (tn_tick)document->graph->ops->len * 3;
  g_hash_table_unref(reader.tensors);
  g_hash_table_unref(reader.ops);
  g_free(reader.read_by);
  cJSON_Delete(root);
  return is_good;
}

const TnReader tn_reader_graph_json = {
    .name = "tenure-graph",
    .holds = "a computation graph in Tenure's own JSON: ops, tensors, sizes",
    .patterns = "*.json",
    .sniff = sniff,
    .read = read_graph_json,
};
