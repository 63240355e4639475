/* SPDX-License-Identifier: MIT */
/* Ops of a tenure-graph document. */
#include "config.h"

#include "data/graph-order.h"
#include "data/hash.h"
#include "data/readers/graph-json-reader.h"

#include <string.h>

static bool
check_producer(TnGraphJsonReader *reader, uint32_t tensor, const char *place)
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
read_operands(TnGraphJsonReader *reader, const cJSON *object, const char *place, const char *key,
              bool is_output)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, key), *value;
  uint32_t n = 0, tensor;
  cJSON_ArrayForEach(value, list)
  {
    g_autofree char *full = g_strdup_printf("%s.%s[%u]", place, key, n++);
    if (!tn_graph_json_find_id(reader, reader->tensors, value, full, &tensor) ||
        (is_output && !check_producer(reader, tensor, full)))
      return false;
    if (is_output) {
      tn_graph_op_add_output(reader->graph, tensor);
    } else {
      tn_graph_op_add_input(reader->graph, tensor);
      reader->read_by[tensor] = reader->graph->ops->len;
    }
  }
  return !reader->json.has_failed;
}

/* Whether the op being read makes this output of this input. */
static bool
are_operands(const TnGraphJsonReader *reader, uint32_t output, uint32_t input)
{
  uint32_t op = reader->graph->ops->len - 1;
  return tn_graph_tensor(reader->graph, output)->producer == op && reader->read_by[input] == op + 1;
}

static bool
read_aliases(TnGraphJsonReader *reader, const cJSON *object, const char *place, const char *key,
             void (*add)(TnGraph *, uint32_t, uint32_t))
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, key), *pair;
  uint32_t n = 0, output, input;
  cJSON_ArrayForEach(pair, list)
  {
    g_autofree char *full = g_strdup_printf("%s.%s[%u]", place, key, n++);
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
      return tn_graph_json_fail(&reader->json, full, "no pair", "[output, input]");
    if (!tn_graph_json_find_id(reader, reader->tensors, pair->child, full, &output) ||
        !tn_graph_json_find_id(reader, reader->tensors, pair->child->next, full, &input))
      return false;
    if (!are_operands(reader, output, input))
      return tn_graph_json_fail(&reader->json, full, "a tensor that is no operand of this op",
                          "[one of its outputs, one of its inputs]");
    add(reader->graph, output, input);
  }
  return !reader->json.has_failed;
}

static gpointer
pair_key(uint32_t output, uint32_t input)
{
  return GSIZE_TO_POINTER((gsize)output << 32 | input);
}

/* Of each pair of `aliases` from `first` on whether it is stated: as yet, it is.  An op may have a million. */
static GHashTable *
index_pairs(const GArray *aliases, uint32_t first)
{
  GHashTable *pairs = g_hash_table_new(tn_direct64_hash, NULL);
  for (uint32_t i = first; i < aliases->len; i++) {
    const TnAlias *alias = &g_array_index(aliases, TnAlias, i);
    g_hash_table_insert(pairs, pair_key(alias->output, alias->input), GUINT_TO_POINTER(true));
  }
  return pairs;
}

/* What our own document says of memory is meant for whatever runs it, but for the pairs under `key`: those are
 * only what ops of this type usually do. */
static bool
read_unstated(TnGraphJsonReader *reader, const cJSON *object, const char *place, const char *key, GArray *aliases,
              uint32_t first)
{
  const cJSON *list = tn_graph_json_get_array(&reader->json, object, place, key), *pair;
  g_autoptr(GHashTable) is_stated = index_pairs(aliases, first);
  cJSON_ArrayForEach(pair, list)
  {
    uint32_t output, input;
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
      return tn_graph_json_fail(&reader->json, place, "no pair", "%s of [output, input]", key);
    if (!tn_graph_json_find_id(reader, reader->tensors, pair->child, place, &output) ||
        !tn_graph_json_find_id(reader, reader->tensors, pair->child->next, place, &input))
      return false;
    if (!g_hash_table_contains(is_stated, pair_key(output, input)))
      return tn_graph_json_fail(&reader->json, place, "another pair", "%s to be pairs of this op", key);
    g_hash_table_insert(is_stated, pair_key(output, input), GUINT_TO_POINTER(false));
  }
  for (uint32_t i = first; i < aliases->len; i++) {
    TnAlias *alias = &g_array_index(aliases, TnAlias, i);
    alias->is_stated = g_hash_table_lookup(is_stated, pair_key(alias->output, alias->input)) != NULL;
  }
  return !reader->json.has_failed;
}

static bool
read_all_aliases(TnGraphJsonReader *reader, const cJSON *object, const char *place)
{
  TnGraph *graph = reader->graph;
  uint32_t first_view = graph->views->len, first_in_place = graph->in_place->len;
  return read_aliases(reader, object, place, "views", tn_graph_op_add_view) &&
         read_aliases(reader, object, place, "in_place", tn_graph_op_add_in_place) &&
         read_unstated(reader, object, place, "unstated_views", graph->views, first_view) &&
         read_unstated(reader, object, place, "unstated_in_place", graph->in_place, first_in_place);
}

static uint8_t
read_phases(TnGraphJsonReader *reader, const cJSON *object, const char *place)
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
read_internals(TnGraphJsonReader *reader, const cJSON *object, const char *place)
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
read_algorithms(TnGraphJsonReader *reader, const cJSON *object, const char *place)
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
read_op_settings(TnGraphJsonReader *reader, const cJSON *object, const char *place, TnOp *op)
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

bool
tn_graph_json_read_op(TnGraphJsonReader *reader, const cJSON *object, uint32_t index)
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
  return tn_graph_json_add_id(reader, reader->ops, id, index, place) &&
         read_op_settings(reader, object, place, op) &&
         read_operands(reader, object, place, "inputs", false) &&
         read_operands(reader, object, place, "outputs", true) &&
         read_all_aliases(reader, object, place) && read_internals(reader, object, place) &&
         read_algorithms(reader, object, place);
}

/* `after` names ops by id, so all must be known; the flat list is then built op by op. */
bool
tn_graph_json_read_after(TnGraphJsonReader *reader, const cJSON *ops)
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
      if (!tn_graph_json_find_id(reader, reader->ops, value, place, &before))
        return false;
      g_array_append_val(reader->graph->after, before);
    }
    op->n_after = reader->graph->after->len - op->first_after;
  }
  return !reader->json.has_failed;
}
