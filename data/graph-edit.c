/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph-edit.h"

#include "data/dtype.h"
#include "data/error.h"
#include "data/graph-rebuild.h"

#include <string.h>

#define MOST_TASKS 1024
#define MOST_PARTS (1u << 17) /* of all splits: each rebuilds what those before have made */

typedef struct {
  TnGraph *graph; /* as the edits so far have made it */
  TnStrings *strings;
  uint32_t number;  /* of the edit, from 1, for messages */
  uint32_t n_parts; /* made by splits */
  GError **error;
} Editor;

void
tn_graph_edit_free(TnGraphEdit *edit)
{
  if (!edit)
    return;
  g_strfreev(edit->ops);
  g_free(edit->tensor);
  g_free(edit->input);
  g_free(edit->dtype);
  g_free(edit);
}

static bool G_GNUC_PRINTF(3, 4)
fail(Editor *editor, const char *expected, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *found = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(editor->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
              "edit %u: found %s; expected %s", editor->number, found, expected);
  return false;
}

/* ---- names ----------------------------------------------------------------------------- */

static bool
find_tensor(Editor *editor, const char *name, uint32_t *out_row)
{
  if (!name)
    return fail(editor, "the name of a tensor", "none");
  uint32_t n = tn_graph_edit_find_tensor(editor->graph, editor->strings, name, out_row);
  return n == 1 ||
         fail(editor, "one tensor of that name, or its row as #N", "%u tensors '%s'", n, name);
}

static bool
find_op(Editor *editor, const char *name, uint32_t *out_row)
{
  uint32_t n = tn_graph_edit_find_op(editor->graph, editor->strings, name, out_row);
  return n == 1 || fail(editor, "one op of that name, or its row as #N", "%u ops '%s'", n, name);
}

/* ---- edits ----------------------------------------------------------------------------- */

static void
replace(Editor *editor, TnGraph *graph)
{
  tn_graph_free(editor->graph);
  editor->graph = graph;
}

static bool
fuse(Editor *editor, const TnGraphEdit *edit)
{
  guint n = edit->ops ? g_strv_length(edit->ops) : 0;
  g_autofree uint32_t *members = g_new(uint32_t, (gsize)n + 1);
  if (n < 2)
    return fail(editor, "at least two ops to fuse", "%u", n);
  guint n_found = tn_graph_edit_find_ops(editor->graph, editor->strings, edit->ops, n, members);
  if (n_found < n)
    return find_op(editor, edit->ops[n_found], &members[n_found]);
  TnGraph *fused = tn_graph_build_fused(editor->graph, members, n);
  if (!fused)
    return fail(editor, "ops with no path through another op between them",
                "a cycle once '%s' … '%s' are one", edit->ops[0], edit->ops[n - 1]);
  replace(editor, fused);
  return true;
}

static uint32_t
name_part(uint32_t name, uint32_t part, void *payload)
{
  TnStrings *strings = payload;
  g_autofree char *text =
      g_strdup_printf("%.512s/part %u", tn_strings_get(strings, name), part);
  return tn_strings_intern(strings, text, -1);
}

#define MOST_ROWS ((uint64_t)1 << 23) /* tensors and operands of a graph after it was divided */

static uint64_t
count_divided(const TnGraph *graph, uint32_t op, uint32_t tasks)
{
  const TnOp *row = tn_graph_op(graph, op);
  uint64_t n = (uint64_t)row->n_inputs + 2 * (uint64_t)row->n_outputs + row->n_after;
  for (uint32_t i = 0; i < graph->inputs->len; i++) {
    uint32_t tensor = g_array_index(graph->inputs, uint32_t, i);
    n += tensor != TN_NONE && tn_graph_tensor(graph, tensor)->producer == op;
  }
  return graph->tensors->len + (uint64_t)graph->inputs->len + n * tasks;
}

static bool
divide(Editor *editor, const TnGraphEdit *edit)
{
  uint32_t op;
  if (!edit->ops || !edit->ops[0])
    return fail(editor, "the name of an op", "none");
  if (edit->tasks < 2 || edit->tasks > MOST_TASKS)
    return fail(editor, "2 to 1024 tasks", "%u", edit->tasks);
  editor->n_parts += edit->tasks;
  if (editor->n_parts > MOST_PARTS)
    return fail(editor, "at most 131072 tasks of all splits", "%u", editor->n_parts);
  if (!find_op(editor, edit->ops[0], &op))
    return false;
  if (tn_graph_op(editor->graph, op)->n_bodies > 0)
    return fail(editor, "an op without a graph inside", "'%s', which has one", edit->ops[0]);
  if (count_divided(editor->graph, op, edit->tasks) > MOST_ROWS)
    return fail(editor, "parts with at most 8388608 tensors and operands in all",
                "more of '%s'", edit->ops[0]);
  TnGraph *divided =
      tn_graph_build_divided(editor->graph, op, edit->tasks, name_part, editor->strings);
  if (!divided)
    return fail(editor, "an op that can be divided", "a cycle");
  replace(editor, divided);
  return true;
}

/* Aliases lie in flat lists op by op: the ranges behind the op's own move up by one. */
static void
insert_alias(TnGraph *graph, uint32_t at, bool is_view, TnAlias added)
{
  GArray *list = is_view ? graph->views : graph->in_place;
  TnOp *op = tn_graph_op(graph, at);
  uint32_t *n = is_view ? &op->n_views : &op->n_in_place;
  uint32_t first = is_view ? op->first_view : op->first_in_place, end = first + *n;
  for (uint32_t i = first; i < end; i++) {
    TnAlias *had = &g_array_index(list, TnAlias, i);
    if (had->output == added.output && had->input == added.input) {
      had->is_stated = true;
      return;
    }
  }
  g_array_insert_val(list, end, added);
  (*n)++;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    TnOp *other = tn_graph_op(graph, i);
    uint32_t *behind = is_view ? &other->first_view : &other->first_in_place;
    *behind += i != at && *behind >= end;
  }
}

static bool
alias(Editor *editor, const TnGraphEdit *edit)
{
  bool is_view = edit->kind == TN_EDIT_VIEW;
  TnAlias added = {.is_stated = true};
  if (!find_tensor(editor, edit->tensor, &added.output) ||
      !find_tensor(editor, edit->input, &added.input))
    return false;
  uint32_t producer = tn_graph_tensor(editor->graph, added.output)->producer;
  if (producer == TN_NONE || !tn_graph_op_reads(editor->graph, tn_graph_op(editor->graph, producer),
                                    added.input))
    return fail(editor, "a result and an operand of one op", "'%s' and '%s'", edit->tensor,
                edit->input);
  insert_alias(editor->graph, producer, is_view, added);
  return true;
}

static bool
change_dtype(Editor *editor, TnTensor *tensor, const char *name)
{
  TnDtype dtype = tn_dtype_from_name(name);
  int64_t elements;
  if (dtype == TN_DTYPE_UNKNOWN)
    return fail(editor, "an element type such as float16", "'%s'", name);
  tensor->dtype = tn_strings_intern(editor->strings, name, -1);
  if (tensor->rank == TN_NONE ||
      !tn_dims_product(tn_graph_dims(editor->graph, tensor), tensor->rank, &elements) ||
      !tn_dtype_size(dtype, elements, &tensor->bytes))
    return fail(editor, "a tensor whose shape is known", "one whose size another type can't give");
  return true;
}

static bool
change_tensor(Editor *editor, const TnGraphEdit *edit)
{
  uint32_t row;
  if (!find_tensor(editor, edit->tensor, &row))
    return false;
  TnTensor *tensor = tn_graph_tensor(editor->graph, row);
  if (edit->dtype && !change_dtype(editor, tensor, edit->dtype))
    return false;
  if (edit->bytes != TN_BYTES_UNKNOWN)
    tensor->bytes = edit->bytes;
  if (edit->alignment > 0)
    tensor->alignment = edit->alignment;
  return true;
}

static bool
pin(Editor *editor, const TnGraphEdit *edit)
{
  uint32_t row;
  if (!find_tensor(editor, edit->tensor, &row))
    return false;
  TnTensor *tensor = tn_graph_tensor(editor->graph, row);
  bool is_pin = edit->kind == TN_EDIT_PIN;
  if (tensor->is_output == is_pin)
    return fail(editor, is_pin ? "a tensor that ends before" : "a tensor that lives to the end",
                "'%s', which %s already", edit->tensor,
                is_pin ? "lives to the end" : "ends with its last reader");
  if (is_pin && (tensor->kind == TN_TENSOR_CONSTANT || tensor->kind == TN_TENSOR_VARIABLE))
    return fail(editor, "a tensor of the arena", "'%s', which is resident", edit->tensor);
  tensor->is_output = is_pin;
  if (!tensor->is_output && tensor->kind == TN_TENSOR_OUTPUT)
    tensor->kind = TN_TENSOR_ACTIVATION;
  return true;
}

TnGraph *
tn_graph_build_edited(const TnGraph *graph, TnStrings *strings, const GPtrArray *edits,
                      GError **error)
{
  static bool (*const apply[TN_N_EDITS])(Editor *, const TnGraphEdit *) = {
      [TN_EDIT_FUSE] = fuse,    [TN_EDIT_IN_PLACE] = alias, [TN_EDIT_VIEW] = alias,
      [TN_EDIT_TENSOR] = change_tensor, [TN_EDIT_PIN] = pin, [TN_EDIT_RELEASE] = pin,
      [TN_EDIT_SPLIT] = divide};
  Editor editor = {.graph = tn_graph_copy(graph), .strings = strings, .error = error};
  for (guint i = 0; i < edits->len; i++) {
    const TnGraphEdit *edit = edits->pdata[i];
    editor.number = i + 1;
    if (apply[edit->kind](&editor, edit))
      continue;
    tn_graph_free(editor.graph);
    return NULL;
  }
  return editor.graph;
}
