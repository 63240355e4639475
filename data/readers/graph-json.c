/* SPDX-License-Identifier: MIT */
/* Our own graph: "format": "tenure-graph".  See design/documents.md for each key. */
#include "config.h"

#include "data/dtype.h"
#include "data/error.h"
#include "data/graph-order.h"
#include "data/readers/graph-json-values.h"
#include "data/readers/readers.h"

#include <string.h>

typedef struct {
  TnGraphJson json;
  TnDocument *document;
  TnGraph *graph;
  GHashTable *tensors; /* file id (int64) to row + 1 */
  GHashTable *ops;     /* the same */
} Reader;

/* ---- ids ------------------------------------------------------------------------------- */

static bool
add_id(Reader *reader, GHashTable *ids, int64_t id, uint32_t row, const char *place)
{
  int64_t *key = g_memdup2(&id, sizeof id);
  if (g_hash_table_insert(ids, key, GUINT_TO_POINTER(row + 1)))
    return true;
  g_autofree char *found = g_strdup_printf("id %" G_GINT64_FORMAT " a second time", id);
  return tn_graph_json_fail(&reader->json, place, found, "an id of its own");
}

static bool
find_id(Reader *reader, GHashTable *ids, const cJSON *value, const char *place, uint32_t *out_row)
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

/* ---- tensors --------------------------------------------------------------------------- */

static bool
read_shape(Reader *reader, const cJSON *object, const char *place, uint32_t row)
{
  const cJSON *shape = tn_graph_json_get_array(&reader->json, object, place, "shape"), *dim;
  if (!shape)
    return !reader->json.has_failed;
  g_autoptr(GArray) dims = g_array_new(FALSE, FALSE, sizeof(int64_t));
  cJSON_ArrayForEach(dim, shape)
  {
    g_autofree char *full = g_strdup_printf("%s.shape[%u]", place, dims->len);
    int64_t value = -1;
    if (!cJSON_IsString(dim) && !cJSON_IsNull(dim) &&
        !tn_graph_json_int(&reader->json, dim, full, -1, G_MAXINT64, &value))
      return false;
    g_array_append_val(dims, value);
  }
  tn_graph_set_shape(reader->graph, row, (int64_t *)(void *)dims->data, dims->len);
  return true;
}

/* What shape and type say; true with -1 where they say nothing. */
static bool
computed_size(Reader *reader, const TnTensor *tensor, TnDtype dtype, const char *place,
              tn_bytes *out_bytes)
{
  int64_t elements;
  *out_bytes = TN_BYTES_UNKNOWN;
  if (tensor->rank == TN_NONE || tn_dtype_bits(dtype) == 0)
    return true;
  const int64_t *dims = tn_graph_dims(reader->graph, tensor);
  for (uint32_t i = 0; i < tensor->rank; i++)
    if (dims[i] < 0)
      return true;
  if (tn_dims_product(dims, tensor->rank, &elements) && tn_dtype_size(dtype, elements, out_bytes))
    return true;
  return tn_graph_json_fail(&reader->json, place, "a shape of more than 2^63 bytes",
                      "dimensions whose product fits into 64 bits");
}

static bool
read_size(Reader *reader, const cJSON *object, const char *place, uint32_t row)
{
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  const char *name = tn_graph_json_get_text(&reader->json, object, place, "dtype", "");
  TnDtype dtype = tn_dtype_from_name(name);
  tn_bytes computed;
  if (*name && dtype == TN_DTYPE_UNKNOWN)
    tn_diagnostics_add(reader->document->diagnostics, "unknown-dtype", 1,
                       "%s.dtype '%s' is not known; the sizes of such tensors are unknown unless "
                       "`bytes` says them",
                       place, name);
  tensor->dtype = tn_strings_intern(reader->document->strings, name, -1);
  if (!tn_graph_json_get_int(&reader->json, object, place, "bytes", 0, G_MAXINT64, &tensor->bytes) ||
      !computed_size(reader, tensor, dtype, place, &computed))
    return false;
  if (tensor->bytes == TN_BYTES_UNKNOWN)
    tensor->bytes = computed;
  if (computed == TN_BYTES_UNKNOWN || computed == tensor->bytes)
    return true;
  g_autofree char *found = g_strdup_printf("%" G_GINT64_FORMAT " bytes", tensor->bytes);
  return tn_graph_json_fail(&reader->json, place, found,
                      "%" G_GINT64_FORMAT " bytes, which its shape and dtype give", computed);
}

static const char *const kind_names[] = {"activation", "input", "output", "constant", "variable"};

static bool
read_kind(Reader *reader, const cJSON *object, const char *place, TnTensor *tensor)
{
  const char *kind = tn_graph_json_get_text(&reader->json, object, place, "kind", NULL);
  if (!kind) /* settled once the ops are known */
    return !reader->json.has_failed;
  for (gsize i = 0; i < G_N_ELEMENTS(kind_names); i++)
    if (strcmp(kind, kind_names[i]) == 0) {
      tensor->kind = (uint8_t)i;
      return true;
    }
  g_autofree char *found = g_strdup_printf("kind '%.40s'", kind);
  return tn_graph_json_fail(&reader->json, place, found,
                      "input, activation, output, constant or variable");
}

static bool
read_tensor(Reader *reader, const cJSON *object, uint32_t index)
{
  g_autofree char *place = g_strdup_printf("tensors[%u]", index);
  int64_t id = index;
  if (!cJSON_IsObject(object))
    return tn_graph_json_fail(&reader->json, place, "no object", "an object for each tensor");
  if (!tn_graph_json_get_int(&reader->json, object, place, "id", G_MININT64, G_MAXINT64, &id))
    return false;
  const char *name = tn_graph_json_get_text(&reader->json, object, place, "name", "");
  uint32_t row = tn_graph_add_tensor(
      reader->graph, tn_strings_intern(reader->document->strings, name, -1), TN_TENSOR_ACTIVATION);
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  tensor->file_id = id;
  return add_id(reader, reader->tensors, id, row, place) &&
         tn_graph_json_get_int(&reader->json, object, place, "alignment", 0, 1 << 30,
                         &tensor->alignment) &&
         read_shape(reader, object, place, row) && read_size(reader, object, place, row) &&
         read_kind(reader, object, place, tensor) && !reader->json.has_failed;
}

/* ---- ops ------------------------------------------------------------------------------- */

static bool
check_producer(Reader *reader, uint32_t tensor, const char *place)
{
  uint32_t had = tn_graph_tensor(reader->graph, tensor)->producer;
  if (had == TN_NONE)
    return true;
  const TnStrings *strings = reader->document->strings;
  g_autofree char *first = tn_graph_build_op_text(reader->graph, strings, had);
  g_autofree char *found =
      g_strdup_printf("a second producer of tensor '%s' (%" G_GINT64_FORMAT "), which op '%s' makes",
                      tn_strings_get(strings, tn_graph_tensor(reader->graph, tensor)->name),
                      tn_graph_tensor(reader->graph, tensor)->file_id, first);
  return tn_graph_json_fail(&reader->json, place, found, "one producer for each tensor");
}

static bool
read_operands(Reader *reader, const cJSON *object, const char *place, const char *key,
              bool is_output)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, key), *value;
  uint32_t n = 0, tensor;
  cJSON_ArrayForEach(value, list)
  {
    g_autofree char *full = g_strdup_printf("%s.%s[%u]", place, key, n++);
    if (!find_id(reader, reader->tensors, value, full, &tensor) ||
        (is_output && !check_producer(reader, tensor, full)))
      return false;
    if (is_output)
      tn_graph_op_add_output(reader->graph, tensor);
    else
      tn_graph_op_add_input(reader->graph, tensor);
  }
  return !reader->json.has_failed;
}

static bool
is_operand(const uint32_t *operands, uint32_t n, uint32_t tensor)
{
  for (uint32_t i = 0; i < n; i++)
    if (operands[i] == tensor)
      return true;
  return false;
}

static bool
read_aliases(Reader *reader, const cJSON *object, const char *place, const char *key,
             void (*add)(TnGraph *, uint32_t, uint32_t))
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, key), *pair;
  const TnOp *op = tn_graph_op(reader->graph, reader->graph->ops->len - 1);
  uint32_t n = 0, output, input;
  cJSON_ArrayForEach(pair, list)
  {
    g_autofree char *full = g_strdup_printf("%s.%s[%u]", place, key, n++);
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
      return tn_graph_json_fail(&reader->json, full, "no pair", "[output, input]");
    if (!find_id(reader, reader->tensors, pair->child, full, &output) ||
        !find_id(reader, reader->tensors, pair->child->next, full, &input))
      return false;
    if (!is_operand(tn_graph_outputs(reader->graph, op), op->n_outputs, output) ||
        !is_operand(tn_graph_inputs(reader->graph, op), op->n_inputs, input))
      return tn_graph_json_fail(&reader->json, full, "a tensor that is no operand of this op",
                          "[one of its outputs, one of its inputs]");
    add(reader->graph, output, input);
  }
  return !reader->json.has_failed;
}

static uint8_t
read_phases(Reader *reader, const cJSON *object, const char *place)
{
  static const char *const names[] = {"read", "compute", "write"};
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, "phases"), *value;
  unsigned phases = 0;
  cJSON_ArrayForEach(value, list)
  {
    unsigned known = phases;
    for (unsigned i = 0; i < 3; i++)
      if (cJSON_IsString(value) && strcmp(value->valuestring, names[i]) == 0)
        phases |= 1u << i;
    if (known == phases)
      tn_graph_json_fail(&reader->json, place, "another phase", "each of read, compute, write at most once");
  }
  return (uint8_t)(phases ? phases : TN_PHASE_READ | TN_PHASE_COMPUTE | TN_PHASE_WRITE);
}

static bool
read_internals(Reader *reader, const cJSON *object, const char *place)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, "internal"), *value;
  uint32_t n = 0;
  cJSON_ArrayForEach(value, list)
  {
    g_autofree char *full = g_strdup_printf("%s.internal[%u]", place, n++);
    TnInternal internal = {0};
    const char *name = tn_graph_json_get_text(&reader->json, value, full, "name", "");
    internal.name = tn_strings_intern(reader->document->strings, name, -1);
    internal.phases = read_phases(reader, value, full);
    if (!tn_graph_json_get_int(&reader->json, value, full, "bytes", 0, G_MAXINT64, &internal.bytes))
      return false;
    tn_graph_op_add_internal(reader->graph, internal);
  }
  return !reader->json.has_failed;
}

static bool
read_algorithms(Reader *reader, const cJSON *object, const char *place)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, "algorithms"), *value;
  uint32_t n = 0;
  cJSON_ArrayForEach(value, list)
  {
    g_autofree char *full = g_strdup_printf("%s.algorithms[%u]", place, n++);
    TnAlgorithm algorithm = {0, 0, -1};
    const char *name = tn_graph_json_get_text(&reader->json, value, full, "name", "");
    algorithm.name = tn_strings_intern(reader->document->strings, name, -1);
    if (!tn_graph_json_get_int(&reader->json, value, full, "workspace_bytes", 0, G_MAXINT64,
                         &algorithm.workspace_bytes) ||
        !tn_graph_json_get_number(&reader->json, value, full, "seconds", &algorithm.seconds))
      return false;
    tn_graph_op_add_algorithm(reader->graph, algorithm);
  }
  return !reader->json.has_failed;
}

static bool
read_op_settings(Reader *reader, const cJSON *object, const char *place, TnOp *op)
{
  TnGraphJson *json = &reader->json;
  TnStrings *strings = reader->document->strings;
  int64_t stream = 0;
  bool is_good =
      tn_graph_json_get_int(json, object, place, "workspace_bytes", 0, G_MAXINT64,
                      &op->workspace_bytes) &&
      tn_graph_json_get_int(json, object, place, "workspace_alignment", 0, 1 << 30,
                      &op->workspace_alignment) &&
      tn_graph_json_get_number(json, object, place, "seconds", &op->seconds) &&
      tn_graph_json_get_bool(json, object, place, "side_effect", &op->has_side_effect) &&
      tn_graph_json_get_bool(json, object, place, "contiguous_inputs", &op->wants_contiguous_inputs) &&
      tn_graph_json_get_int(json, object, place, "stream", 0, 1 << 20, &stream);
  op->stream = (uint32_t)stream;
  op->batch_label =
      tn_strings_intern(strings, tn_graph_json_get_text(json, object, place, "batch_label", ""), -1);
  return is_good && !json->has_failed;
}

static bool
read_op(Reader *reader, const cJSON *object, uint32_t index)
{
  g_autofree char *place = g_strdup_printf("ops[%u]", index);
  TnStrings *strings = reader->document->strings;
  int64_t id = index;
  if (!cJSON_IsObject(object))
    return tn_graph_json_fail(&reader->json, place, "no object", "an object for each op");
  if (!tn_graph_json_get_int(&reader->json, object, place, "id", G_MININT64, G_MAXINT64, &id))
    return false;
  const char *name = tn_graph_json_get_text(&reader->json, object, place, "name", "");
  const char *type = tn_graph_json_get_text(&reader->json, object, place, "type", "");
  TnOp *op = tn_graph_add_op(reader->graph, tn_strings_intern(strings, name, -1),
                             tn_strings_intern(strings, type, -1));
  op->file_id = id;
  return add_id(reader, reader->ops, id, index, place) &&
         read_op_settings(reader, object, place, op) &&
         read_operands(reader, object, place, "inputs", false) &&
         read_operands(reader, object, place, "outputs", true) &&
         read_aliases(reader, object, place, "views", tn_graph_op_add_view) &&
         read_aliases(reader, object, place, "in_place", tn_graph_op_add_in_place) &&
         read_internals(reader, object, place) && read_algorithms(reader, object, place);
}

/* `after` names ops by id, so all must be known; the flat list is then built op by op. */
static bool
read_after(Reader *reader, const cJSON *ops)
{
  const cJSON *object, *value;
  uint32_t i = 0, before;
  cJSON_ArrayForEach(object, ops)
  {
    g_autofree char *place = g_strdup_printf("ops[%u].after", i);
    TnOp *op = tn_graph_op(reader->graph, i++);
    const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, "after");
    op->first_after = reader->graph->after->len;
    cJSON_ArrayForEach(value, list)
    {
      if (!find_id(reader, reader->ops, value, place, &before))
        return false;
      g_array_append_val(reader->graph->after, before);
    }
    op->n_after = reader->graph->after->len - op->first_after;
  }
  return !reader->json.has_failed;
}

/* ---- the whole ------------------------------------------------------------------------- */

static bool
read_rows(Reader *reader, const cJSON *root, const char *key,
          bool (*read_row)(Reader *, const cJSON *, uint32_t))
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

/* Kinds that the file leaves to us, and the graph's outputs. */
static bool
settle_tensors(Reader *reader, const cJSON *root)
{
  TnGraph *graph = reader->graph;
  const cJSON *outputs = tn_graph_json_get_array(&reader->json, root, "the document", "outputs"), *value;
  g_autofree bool *is_read = g_new0(bool, (gsize)graph->tensors->len + 1);
  uint32_t row;
  mark_read(graph, is_read);
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    TnTensor *tensor = tn_graph_tensor(graph, i);
    if (tensor->producer == TN_NONE && tensor->kind == TN_TENSOR_ACTIVATION)
      tensor->kind = TN_TENSOR_INPUT;
    if (tensor->kind == TN_TENSOR_OUTPUT ||
        (!outputs && !is_read[i] && tensor->kind == TN_TENSOR_ACTIVATION))
      tensor->is_output = true;
  }
  cJSON_ArrayForEach(value, outputs)
  {
    if (!find_id(reader, reader->tensors, value, "outputs", &row))
      return false;
    tn_graph_tensor(graph, row)->is_output = true;
  }
  return !reader->json.has_failed;
}

static bool
fail_cycle(Reader *reader, GArray *cycle)
{
  g_autofree char *text =
      tn_graph_build_cycle_text(reader->graph, reader->document->strings, cycle);
  g_autofree char *found = g_strdup_printf("the cycle %s", text);
  g_array_unref(cycle);
  return tn_graph_json_fail(&reader->json, "ops", found, "a graph that some order can run");
}

static bool
read_order(Reader *reader, const cJSON *root)
{
  TnGraph *graph = reader->graph;
  const cJSON *list = tn_graph_json_get_array(&reader->json, root, "the document", "order"), *value;
  GArray *cycle = NULL, *sorted = tn_graph_sort(graph, &cycle);
  uint32_t op;
  if (!sorted)
    return fail_cycle(reader, cycle);
  cJSON_ArrayForEach(value, list)
  {
    if (!find_id(reader, reader->ops, value, "order", &op)) {
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

/* What our own document says of memory is meant for whatever runs it. */
static void
state_aliases(TnGraph *graph)
{
  for (guint i = 0; i < graph->views->len; i++)
    g_array_index(graph->views, TnAlias, i).is_stated = true;
  for (guint i = 0; i < graph->in_place->len; i++)
    g_array_index(graph->in_place, TnAlias, i).is_stated = true;
}

static GArray *
read_link_points(Reader *reader, const cJSON *link, const char *key)
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
read_header(Reader *reader, const cJSON *root)
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
read_root(Reader *reader, const cJSON *root)
{
  if (!read_header(reader, root) || !read_rows(reader, root, "tensors", read_tensor) ||
      !read_rows(reader, root, "ops", read_op) ||
      !read_after(reader, cJSON_GetObjectItemCaseSensitive(root, "ops")) ||
      !settle_tensors(reader, root) || !read_order(reader, root))
    return false;
  state_aliases(reader->graph);
  const cJSON *link = cJSON_GetObjectItemCaseSensitive(root, "link");
  reader->graph->link_out = read_link_points(reader, link, "out");
  reader->graph->link_in = read_link_points(reader, link, "in");
  return !reader->json.has_failed;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize at = 0;
  while (at < size && at < 1024 && g_ascii_isspace((char)data[at]))
    at++;
  if (at == size || data[at] != '{')
    return 0;
  return memmem(data, MIN(size, (gsize)65536), "\"tenure-graph\"", 14) ? 100 : 0;
}

static bool
read_graph_json(TnSource *source, const TnReadOptions *options, TnDocument *document,
                GError **error)
{
  Reader reader = {.json = {source->name, error, false}, .document = document};
  cJSON *root = tn_graph_json_parse(&reader.json, source->data, source->size);
  if (!root)
    return false;
  reader.graph = document->graph = tn_graph_new();
  reader.tensors = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  reader.ops = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  document->kind = TN_DOCUMENT_GRAPH;
  TnDevice *device = tn_document_device(document, 0);
  device->axis = TN_AXIS_STEP;
  bool is_good = read_root(&reader, root);
  device->axis_end = (tn_tick)document->graph->ops->len * 3;
  g_hash_table_unref(reader.tensors);
  g_hash_table_unref(reader.ops);
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
