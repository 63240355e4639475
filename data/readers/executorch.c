/* SPDX-License-Identifier: MIT */
/* ExecuTorch programs (.pte): instructions, tensors, and where the exporter placed each.
 *
 * The file's plan is read as a plan: a device for each method, a space for each memory id.  A
 * tensor lives from the instruction that first names it to the last one that does; what the method
 * takes lives from the start, what it returns to the end. */
#include "config.h"

#include "data/dtype.h"
#include "data/error.h"
#include "data/graph-order.h"
#include "data/readers/flatbuffer.h"
#include "data/readers/readers.h"

#include <string.h>

enum { PLAN_NAME, PLAN_VALUES = 2, PLAN_INPUTS, PLAN_OUTPUTS, PLAN_CHAINS, PLAN_OPERATORS,
       PLAN_DELEGATES, PLAN_BUFFER_SIZES };
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES = 2, TENSOR_DATA = 5, TENSOR_ALLOCATION };
enum { VALUE_TENSOR = 5, VALUE_TENSOR_LIST = 10, VALUE_OPTIONAL_TENSOR_LIST = 11 };
enum { CALL_KERNEL = 1, CALL_DELEGATE, CALL_MOVE };

typedef struct {
  uint32_t tensor; /* of the graph; TN_NONE: no tensor */
  TnFlatVector items; /* of a list of tensors: rows of values */
  uint32_t space;
  uint32_t data; /* of a constant: where its content is among the program's */
  bool is_seen;
  tn_tick first, last; /* instructions */
} Value;

/* What instructions call by its number in a list of the plan. */
typedef struct {
  TnFlatVector list;
  uint32_t *names; /* string ids; TN_NONE: not looked at yet */
} Calls;

typedef struct {
  const TnSource *source;
  TnDocument *document;
  GError **error;
  TnFlat flat;
  TnFlatTable plan;
  TnGraph *graph;
  TnDevice *device;
  Value *values;
  uint32_t n_values;
  Calls operators, delegates;
  TnProgress *progress;
  GHashTable *held; /* where a content is → tn_bytes of it that are resident: methods share their weights */
} Reader;

static bool
fail(Reader *reader, const char *place, const char *found, const char *expected)
{
  if (reader->error && !*reader->error)
    g_set_error(reader->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: %s: found %s; expected %s", reader->source->name, place, found, expected);
  return false;
}

/* ExecuTorch's ScalarType.  Quantised numbers and bits are of the bytes that elementSize() gives
 * them, whatever is packed into one. */
static TnDtype
dtype_of(int64_t code)
{
  static const uint8_t types[] = {
      TN_DTYPE_UINT8,        TN_DTYPE_INT8,           TN_DTYPE_INT16,      TN_DTYPE_INT32,
      TN_DTYPE_INT64,        TN_DTYPE_FLOAT16,        TN_DTYPE_FLOAT32,    TN_DTYPE_FLOAT64,
      TN_DTYPE_UNKNOWN,      TN_DTYPE_COMPLEX64,      TN_DTYPE_COMPLEX128, TN_DTYPE_BOOL,
      TN_DTYPE_INT8,         TN_DTYPE_UINT8,          TN_DTYPE_INT32,      TN_DTYPE_BFLOAT16,
      TN_DTYPE_UINT8,        TN_DTYPE_UINT8,          TN_DTYPE_UINT8,      TN_DTYPE_UINT8,
      TN_DTYPE_UINT8,        TN_DTYPE_UINT8,          TN_DTYPE_UINT16,     TN_DTYPE_FLOAT8E5M2,
      TN_DTYPE_FLOAT8E4M3FN, TN_DTYPE_FLOAT8E5M2FNUZ, TN_DTYPE_FLOAT8E4M3FNUZ,
      TN_DTYPE_UINT16,       TN_DTYPE_UINT32,         TN_DTYPE_UINT64,
  };
  return code >= 0 && code < (int64_t)G_N_ELEMENTS(types) ? types[code] : TN_DTYPE_UNKNOWN;
}

/* ---- values ---------------------------------------------------------------------------- */

static bool
set_size(Reader *reader, uint32_t row, const TnFlatTable *table)
{
  TnFlatVector sizes = tn_flat_vector(&reader->flat, table, TENSOR_SIZES, 4);
  TnDtype dtype = dtype_of(tn_flat_int(&reader->flat, table, TENSOR_SCALAR_TYPE, 1, 0));
  int64_t dims[64], elements;
  if (sizes.n > G_N_ELEMENTS(dims))
    return fail(reader, "a tensor's sizes", "more than 64 dimensions", "at most 64");
  for (uint32_t i = 0; i < sizes.n; i++)
    dims[i] = tn_flat_vector_int(&reader->flat, &sizes, i, 4);
  tn_graph_set_shape(reader->graph, row, dims, sizes.n);
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  tensor->dtype = tn_strings_intern(reader->document->strings, tn_dtype_name(dtype), -1);
  if (!tn_dims_product(dims, sizes.n, &elements))
    return fail(reader, "a tensor's sizes", "a negative dimension, or more than 2^63 elements",
                "dimensions whose product fits into 64 bits");
  if (!tn_dtype_size(dtype, elements, &tensor->bytes))
    tensor->lost_why =
        tn_strings_intern(reader->document->strings, tn_dtype_unsized_reason(dtype), -1);
  return true;
}

static void
set_place(Reader *reader, uint32_t row, const TnFlatTable *table, Value *value)
{
  TnFlatTable place;
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  value->data = (uint32_t)tn_flat_int(&reader->flat, table, TENSOR_DATA, 4, 0);
  bool has_data = value->data != 0;
  if (!tn_flat_table(&reader->flat, table, TENSOR_ALLOCATION, &place)) {
    tensor->kind = has_data ? TN_TENSOR_CONSTANT : TN_TENSOR_ACTIVATION;
    return;
  }
  uint64_t low = (uint32_t)tn_flat_int(&reader->flat, &place, 1, 4, 0);
  uint64_t high = (uint32_t)tn_flat_int(&reader->flat, &place, 2, 4, 0);
  if (high < 1u << 30) /* the rest could not be a place in memory */
    tensor->recorded_offset = (tn_bytes)(high << 32 | low);
  tensor->kind = has_data ? TN_TENSOR_VARIABLE : TN_TENSOR_ACTIVATION;
  int64_t memory = tn_flat_int(&reader->flat, &place, 0, 4, 0);
  value->space = memory > 0 && memory <= 4096 ? (uint32_t)memory - 1 : 0;
}

static bool
read_value(Reader *reader, const TnFlatVector *list, uint32_t i)
{
  Value *value = &reader->values[i];
  TnFlatTable row, tensor;
  *value = (Value){.tensor = TN_NONE, .first = -1, .last = -1};
  if (!tn_flat_vector_table(&reader->flat, list, i, &row))
    return false;
  int64_t type = tn_flat_int(&reader->flat, &row, 0, 1, 0);
  if (type != VALUE_TENSOR && type != VALUE_TENSOR_LIST && type != VALUE_OPTIONAL_TENSOR_LIST)
    return true;
  if (!tn_flat_table(&reader->flat, &row, 1, &tensor))
    return !reader->flat.found;
  if (type != VALUE_TENSOR) {
    value->items = tn_flat_vector(&reader->flat, &tensor, 0, 4);
    return true;
  }
  g_autofree char *name = g_strdup_printf("value %u", i);
  value->tensor = tn_graph_add_tensor(
      reader->graph, tn_strings_intern(reader->document->strings, name, -1), TN_TENSOR_ACTIVATION);
  tn_graph_tensor(reader->graph, value->tensor)->file_id = i;
  set_place(reader, value->tensor, &tensor, value);
  return set_size(reader, value->tensor, &tensor);
}

static bool
read_values(Reader *reader)
{
  TnFlatVector list = tn_flat_vector(&reader->flat, &reader->plan, PLAN_VALUES, 4);
  reader->n_values = list.n;
  reader->values = g_new0(Value, (gsize)list.n + 1);
  for (uint32_t i = 0; i < list.n; i++)
    if (!read_value(reader, &list, i) ||
        !tn_flat_report(reader->progress, reader->source->name, i, list.n, reader->error))
      return false;
  return true;
}

static void
mark_ends(Reader *reader)
{
  TnFlatVector inputs = tn_flat_vector(&reader->flat, &reader->plan, PLAN_INPUTS, 4);
  TnFlatVector outputs = tn_flat_vector(&reader->flat, &reader->plan, PLAN_OUTPUTS, 4);
  for (uint32_t i = 0; i < inputs.n + outputs.n; i++) {
    bool is_input = i < inputs.n;
    int64_t row = is_input ? tn_flat_vector_int(&reader->flat, &inputs, i, 4)
                           : tn_flat_vector_int(&reader->flat, &outputs, i - inputs.n, 4);
    if (row < 0 || row >= reader->n_values || reader->values[row].tensor == TN_NONE)
      continue;
    TnTensor *tensor = tn_graph_tensor(reader->graph, reader->values[row].tensor);
    if (tensor->kind == TN_TENSOR_ACTIVATION)
      tensor->kind = is_input ? TN_TENSOR_INPUT : TN_TENSOR_OUTPUT;
    tensor->is_output = tensor->is_output || !is_input;
    if (is_input) {
      reader->values[row].is_seen = true;
      reader->values[row].first = 0;
    }
  }
}

/* ---- instructions ---------------------------------------------------------------------- */

/* Kernels write into arguments: what no instruction named before is a result of this one. */
static void
add_operand(Reader *reader, int64_t row, tn_tick at, GArray *outputs)
{
  if (row < 0 || row >= reader->n_values || reader->values[row].tensor == TN_NONE)
    return;
  Value *value = &reader->values[row];
  const TnTensor *tensor = tn_graph_tensor(reader->graph, value->tensor);
  bool is_held = tensor->kind == TN_TENSOR_CONSTANT || tensor->kind == TN_TENSOR_VARIABLE;
  bool is_result = !value->is_seen && !is_held;
  if (!value->is_seen)
    value->first = at;
  value->is_seen = true;
  bool is_first_here = value->last != at;
  value->last = at;
  if (is_result)
    g_array_append_val(outputs, value->tensor);
  else if (is_first_here)
    tn_graph_op_add_input(reader->graph, value->tensor);
}

static void
add_argument(Reader *reader, int64_t row, tn_tick at, GArray *outputs)
{
  add_operand(reader, row, at, outputs);
  if (row < 0 || row >= reader->n_values)
    return;
  const TnFlatVector *items = &reader->values[row].items;
  if (!tn_flat_take(&reader->flat, items->at, (gsize)items->n * 4))
    return;
  for (uint32_t i = 0; i < items->n; i++)
    add_operand(reader, tn_flat_vector_int(&reader->flat, items, i, 4), at, outputs);
}

static Calls
open_calls(Reader *reader, unsigned slot)
{
  Calls calls = {.list = tn_flat_vector(&reader->flat, &reader->plan, slot, 4)};
  calls.names = g_new(uint32_t, (gsize)calls.list.n + 1);
  for (uint32_t i = 0; i < calls.list.n; i++)
    calls.names[i] = TN_NONE;
  return calls;
}

static uint32_t
call_type(Reader *reader, int64_t kind, const TnFlatTable *call)
{
  TnStrings *strings = reader->document->strings;
  Calls *calls = kind == CALL_DELEGATE ? &reader->delegates : &reader->operators;
  TnFlatTable row;
  gsize length;
  int64_t index = tn_flat_int(&reader->flat, call, 0, 4, 0);
  if (kind == CALL_MOVE)
    return tn_strings_intern(strings, "move", -1);
  if (index >= 0 && index < calls->list.n && calls->names[index] != TN_NONE)
    return calls->names[index];
  if (index < 0 || index >= calls->list.n ||
      !tn_flat_vector_table(&reader->flat, &calls->list, (uint32_t)index, &row))
    return tn_strings_intern(strings, "?", -1);
  const char *name = tn_flat_text(&reader->flat, &row, 0, &length);
  return calls->names[index] = tn_strings_intern(strings, name, (gssize)length);
}

static bool
add_instruction(Reader *reader, const TnFlatTable *instruction)
{
  TnFlatTable call;
  int64_t kind = tn_flat_int(&reader->flat, instruction, 0, 1, 0);
  if (kind < CALL_KERNEL || kind > CALL_MOVE ||
      !tn_flat_table(&reader->flat, instruction, 1, &call))
    return !reader->flat.found;
  tn_tick at = reader->graph->ops->len;
  g_autoptr(GArray) outputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_graph_add_op(reader->graph, 0, call_type(reader, kind, &call))->file_id = at;
  if (kind == CALL_MOVE) {
    add_argument(reader, tn_flat_int(&reader->flat, &call, 0, 4, 0), at, outputs);
    add_argument(reader, tn_flat_int(&reader->flat, &call, 1, 4, 0), at, outputs);
  } else {
    TnFlatVector arguments = tn_flat_vector(&reader->flat, &call, 1, 4);
    for (uint32_t i = 0; i < arguments.n; i++)
      add_argument(reader, tn_flat_vector_int(&reader->flat, &arguments, i, 4), at, outputs);
  }
  for (guint i = 0; i < outputs->len; i++)
    tn_graph_op_add_output(reader->graph, g_array_index(outputs, uint32_t, i));
  return true;
}

static bool
read_instructions(Reader *reader)
{
  TnFlatVector chains = tn_flat_vector(&reader->flat, &reader->plan, PLAN_CHAINS, 4);
  for (uint32_t c = 0; c < chains.n; c++) {
    TnFlatTable chain, instruction;
    if (!tn_flat_vector_table(&reader->flat, &chains, c, &chain))
      return false;
    TnFlatVector list = tn_flat_vector(&reader->flat, &chain, 2, 4);
    for (uint32_t i = 0; i < list.n; i++)
      if (!tn_flat_vector_table(&reader->flat, &list, i, &instruction) ||
          !add_instruction(reader, &instruction) || reader->flat.found ||
          !tn_flat_report(reader->progress, reader->source->name, i, list.n, reader->error))
        return false;
  }
  for (uint32_t i = 0; i < reader->graph->ops->len; i++)
    g_array_append_val(reader->graph->order, i);
  return true;
}

/* ---- the plan -------------------------------------------------------------------------- */

static void
add_buffer(Reader *reader, const Value *value, bool has_graph)
{
  const TnTensor *tensor = tn_graph_tensor(reader->graph, value->tensor);
  TnBuffers *buffers = reader->device->buffers;
  if (tensor->recorded_offset == TN_NOT_PLACED)
    return;
  bool is_held = tensor->kind == TN_TENSOR_VARIABLE;
  tn_tick start = is_held || value->first < 0 ? 0 : value->first * 3;
  tn_tick end = is_held || tensor->is_output ? reader->device->axis_end
                                             : MAX(value->last, (tn_tick)0) * 3 + 3;
  TnBufferKind kind = is_held                           ? TN_KIND_VARIABLE
                      : tensor->kind == TN_TENSOR_INPUT ? TN_KIND_INPUT
                      : tensor->is_output               ? TN_KIND_OUTPUT
                                                        : TN_KIND_ACTIVATION;
  tn_index row = tn_buffers_add(buffers, start, MIN(end, reader->device->axis_end),
                                MAX(tensor->bytes, (tn_bytes)0), kind);
  if (tensor->bytes == TN_BYTES_UNKNOWN)
    buffers->flags[row] |= TN_BUFFER_UNSIZED;
  buffers->offset[row] = tensor->recorded_offset;
  buffers->name[row] = tensor->name;
  if (has_graph) {
    buffers->tensor[row] = value->tensor;
    buffers->op[row] = tensor->producer;
  }
  buffers->space[row] = value->space;
}

/* Entry 0 is of no use in the file's numbering: memory ids begin with 1. */
static void
set_arenas(Reader *reader)
{
  TnFlatVector sizes = tn_flat_vector(&reader->flat, &reader->plan, PLAN_BUFFER_SIZES, 8);
  const TnBuffers *buffers = reader->device->buffers;
  tn_bytes sum = 0;
  uint32_t n_used = 0;
  for (uint32_t i = 0; i < buffers->n; i++)
    n_used = MAX(n_used, buffers->space[i] + 1);
  reader->device->space_names = g_ptr_array_new_with_free_func(g_free);
  reader->device->space_arena = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  for (uint32_t i = 1; i < sizes.n; i++) {
    int64_t bytes = tn_flat_vector_int(&reader->flat, &sizes, i, 8);
    if (bytes >= 0)
      tn_add(sum, bytes, &sum);
  }
  for (uint32_t i = 1; i < MIN(sizes.n, 4097u) || i <= n_used; i++) {
    int64_t said = i < sizes.n ? tn_flat_vector_int(&reader->flat, &sizes, i, 8) : -1;
    tn_bytes arena = said >= 0 ? said : TN_BYTES_UNKNOWN;
    g_ptr_array_add(reader->device->space_names, g_strdup_printf("memory %u", i));
    g_array_append_val(reader->device->space_arena, arena);
  }
  reader->device->arena_bytes = sum;
}

/* What several tensors or methods read is there once, as large as the largest of them. */
static void
add_resident(Reader *reader, uint32_t data, tn_bytes bytes)
{
  tn_bytes *had = g_hash_table_lookup(reader->held, GUINT_TO_POINTER(data));
  if (!had)
    g_hash_table_insert(reader->held, GUINT_TO_POINTER(data), had = g_new0(tn_bytes, 1));
  if (bytes > *had && tn_add(reader->document->resident_bytes, bytes - *had, &reader->document->resident_bytes))
    *had = bytes;
}

/* The document has one graph, the first method's: buffers of others keep no ops. */
static void
build_plan(Reader *reader, bool has_graph)
{
  TnDevice *device = reader->device;
  gsize length;
  const char *name = tn_flat_text(&reader->flat, &reader->plan, PLAN_NAME, &length);
  device->axis = TN_AXIS_STEP;
  device->axis_end = MAX((tn_tick)reader->graph->ops->len * 3, (tn_tick)1);
  device->name = tn_strings_intern(reader->document->strings, name, (gssize)length);
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers,
                  TN_COLUMN_NAME | TN_COLUMN_SPACE | (has_graph ? TN_COLUMN_TENSOR | TN_COLUMN_OP : 0));
  device->has_other_ops = !has_graph;
  device->n_ops = reader->graph->ops->len;
  for (uint32_t i = 0; i < reader->n_values; i++)
    if (reader->values[i].tensor != TN_NONE)
      add_buffer(reader, &reader->values[i], has_graph);
  set_arenas(reader);
  for (uint32_t i = 0; i < reader->graph->tensors->len; i++) {
    TnTensor *tensor = tn_graph_tensor(reader->graph, i);
    if (tensor->bytes == TN_BYTES_UNKNOWN)
      tensor->lost_at = tensor->producer;
  }
  for (uint32_t i = 0; i < reader->n_values; i++) {
    const Value *value = &reader->values[i];
    const TnTensor *tensor = value->tensor != TN_NONE ? tn_graph_tensor(reader->graph, value->tensor) : NULL;
    if (tensor && tensor->kind == TN_TENSOR_CONSTANT && tensor->bytes > 0)
      add_resident(reader, value->data, tensor->bytes);
  }
}

static bool
read_plan(Reader *reader, const TnFlatVector *plans, uint32_t i)
{
  TnDocument *document = reader->document;
  if (!tn_flat_vector_table(&reader->flat, plans, i, &reader->plan))
    return false;
  g_autoptr(TnGraph) graph = tn_graph_new();
  reader->graph = graph;
  reader->device = tn_document_device(document, (int32_t)i);
  bool is_good = read_values(reader);
  if (is_good)
    mark_ends(reader);
  reader->operators = open_calls(reader, PLAN_OPERATORS);
  reader->delegates = open_calls(reader, PLAN_DELEGATES);
  is_good = is_good && read_instructions(reader) && !reader->flat.found;
  if (is_good)
    build_plan(reader, i == 0);
  g_clear_pointer(&reader->values, g_free);
  g_clear_pointer(&reader->operators.names, g_free);
  g_clear_pointer(&reader->delegates.names, g_free);
  if (is_good && i == 0)
    document->graph = g_steal_pointer(&graph);
  if (is_good && i == 0)
    tn_document_warn_unsized(document);
  return is_good;
}

static bool
read_program(Reader *reader)
{
  TnFlatTable program;
  if (!tn_flat_root(&reader->flat, &program))
    return false;
  TnFlatVector plans = tn_flat_vector(&reader->flat, &program, 1, 4);
  if (plans.n == 0)
    return fail(reader, "the program", "no method", "at least one execution plan");
  for (uint32_t i = 0; i < MIN(plans.n, 1024u); i++)
    if (!read_plan(reader, &plans, i))
      return false;
  return !reader->flat.found;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return size >= 8 && memcmp(data + 4, "ET12", 4) == 0 ? 100 : 0;
}

static bool
read_executorch(TnSource *source, const TnReadOptions *options, TnDocument *document,
                GError **error)
{
  Reader reader = {.source = source,
                   .document = document,
                   .error = error,
                   .progress = options->progress,
                   .held = g_hash_table_new_full(NULL, NULL, NULL, g_free),
                   .flat = {.data = source->data, .size = source->size}};
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("ExecuTorch");
  document->lifetime_model = g_strdup("kernel");
  bool is_good = read_program(&reader);
  g_hash_table_unref(reader.held);
  if (reader.flat.found) {
    g_clear_error(error);
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: byte %" G_GSIZE_FORMAT ": found %s; expected %s", source->name,
                reader.flat.at, reader.flat.found, reader.flat.expected);
    return false;
  }
  return is_good;
}

const TnReader tn_reader_executorch = {
    .name = "executorch",
    .holds = "an ExecuTorch program with the memory plan of its export",
    .patterns = "*.pte",
    .sniff = sniff,
    .read = read_executorch,
};
