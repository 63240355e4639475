/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph-rebuild.h"

#include "data/graph-order.h"

typedef struct {
  const TnGraph *from;
  TnGraph *to;
  const bool *is_member; /* by old op: joined into one */
  bool *is_gone;         /* by tensor: passed on between members only */
  uint32_t divided;      /* old op; TN_NONE: none */
  uint32_t tasks;
  uint32_t *first_part;  /* by tensor: its first part's row; TN_NONE: whole */
  uint32_t *read_by;     /* by old tensor: the last new op that reads it whole, + 1 */
  uint32_t *new_op;      /* by old op: the op that has its results (of parts: the last) */
} Rebuild;

static GArray *
copy_array(const GArray *array, guint width)
{
  GArray *copy = g_array_sized_new(FALSE, TRUE, width, array->len + 1);
  g_array_append_vals(copy, array->data, array->len);
  return copy;
}

/* Everything but ops and their lists. */
static TnGraph *
copy_frame(const TnGraph *graph)
{
  TnGraph *copy = tn_graph_new();
  g_array_unref(copy->tensors);
  g_array_unref(copy->dims);
  g_array_unref(copy->free_dims);
  copy->tensors = copy_array(graph->tensors, sizeof(TnTensor));
  copy->dims = copy_array(graph->dims, sizeof(int64_t));
  copy->free_dims = copy_array(graph->free_dims, sizeof(TnFreeDim));
  copy->link_out = graph->link_out ? copy_array(graph->link_out, sizeof(TnLinkPoint)) : NULL;
  copy->link_in = graph->link_in ? copy_array(graph->link_in, sizeof(TnLinkPoint)) : NULL;
  copy->name = graph->name;
  copy->role = graph->role;
  copy->keep_inputs = graph->keep_inputs;
  copy->n_folded_ops = graph->n_folded_ops;
  copy->recorded_arena = graph->recorded_arena;
  for (uint32_t i = 0; i < copy->tensors->len; i++) {
    TnTensor *tensor = tn_graph_tensor(copy, i);
    tensor->producer = TN_NONE;
  }
  return copy;
}

/* ---- operands -------------------------------------------------------------------------- */

static bool
is_made_by_members(const Rebuild *rebuild, uint32_t tensor)
{
  uint32_t producer = tn_graph_tensor(rebuild->from, tensor)->producer;
  return producer != TN_NONE && rebuild->is_member && rebuild->is_member[producer];
}

static void
add_input(Rebuild *rebuild, uint32_t tensor, bool is_member)
{
  if (tensor == TN_NONE) {
    tn_graph_op_add_input(rebuild->to, tensor);
    return;
  }
  if (is_member && is_made_by_members(rebuild, tensor))
    return;
  if (rebuild->first_part[tensor] == TN_NONE) {
    tn_graph_op_add_input(rebuild->to, tensor);
    rebuild->read_by[tensor] = rebuild->to->ops->len;
    return;
  }
  for (uint32_t i = 0; i < rebuild->tasks; i++)
    tn_graph_op_add_input(rebuild->to, rebuild->first_part[tensor] + i);
}

static void
add_operands(Rebuild *rebuild, const TnOp *op, bool is_member, uint32_t part)
{
  const uint32_t *inputs = tn_graph_inputs(rebuild->from, op);
  const uint32_t *outputs = tn_graph_outputs(rebuild->from, op);
  for (uint32_t i = 0; i < op->n_inputs; i++)
    add_input(rebuild, inputs[i], is_member);
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t tensor = outputs[i];
    if (tensor == TN_NONE || rebuild->is_gone[tensor])
      continue;
    tn_graph_op_add_output(rebuild->to, rebuild->first_part[tensor] == TN_NONE
                                            ? tensor
                                            : rebuild->first_part[tensor] + part);
  }
}

static void
add_aliases(Rebuild *rebuild, const TnOp *op, const GArray *list, uint32_t first, uint32_t n,
            void (*add)(TnGraph *, uint32_t, uint32_t))
{
  for (uint32_t i = 0; i < n; i++) {
    TnAlias alias = g_array_index(list, TnAlias, first + i);
    uint32_t made = rebuild->to->ops->len - 1;
    if (alias.output != TN_NONE && alias.input != TN_NONE &&
        tn_graph_tensor(rebuild->to, alias.output)->producer == made &&
        rebuild->read_by[alias.input] == made + 1) {
      add(rebuild->to, alias.output, alias.input);
      GArray *added = list == rebuild->from->views ? rebuild->to->views : rebuild->to->in_place;
      g_array_index(added, TnAlias, added->len - 1).is_stated = alias.is_stated;
    }
  }
}

static void
add_lists(Rebuild *rebuild, const TnOp *op, bool is_alone)
{
  const TnGraph *from = rebuild->from;
  add_aliases(rebuild, op, from->views, op->first_view, op->n_views, tn_graph_op_add_view);
  add_aliases(rebuild, op, from->in_place, op->first_in_place, op->n_in_place,
              tn_graph_op_add_in_place);
  for (uint32_t i = 0; i < op->n_internal; i++)
    tn_graph_op_add_internal(rebuild->to,
                             g_array_index(from->internals, TnInternal, op->first_internal + i));
  for (uint32_t i = 0; is_alone && i < op->n_algorithms; i++)
    tn_graph_op_add_algorithm(
        rebuild->to, g_array_index(from->algorithms, TnAlgorithm, op->first_algorithm + i));
  for (uint32_t i = 0; i < op->n_bodies; i++) {
    g_ptr_array_add(rebuild->to->bodies,
                    tn_graph_copy(from->bodies->pdata[op->first_body + i]));
    tn_graph_op(rebuild->to, rebuild->to->ops->len - 1)->n_bodies++;
  }
}

/* Control edges of op `old`, within the new op `at`; to itself there is none. */
static void
add_after(Rebuild *rebuild, const TnOp *op, uint32_t at)
{
  for (uint32_t i = 0; i < op->n_after; i++) {
    uint32_t before =
        rebuild->new_op[g_array_index(rebuild->from->after, uint32_t, op->first_after + i)];
    if (before != at)
      tn_graph_op_add_after(rebuild->to, before);
  }
}

/* ---- ops ------------------------------------------------------------------------------- */

static void
copy_settings(TnOp *to, const TnOp *from)
{
  to->domain = from->domain;
  to->file_id = from->file_id;
  to->workspace_bytes = from->workspace_bytes;
  to->workspace_alignment = from->workspace_alignment;
  to->seconds = from->seconds;
  to->batch_label = from->batch_label;
  to->stream = from->stream;
  to->has_side_effect = from->has_side_effect;
  to->wants_contiguous_inputs = from->wants_contiguous_inputs;
  to->taken_body = from->taken_body;
}

static void
add_plain(Rebuild *rebuild, uint32_t old)
{
  const TnOp *op = tn_graph_op(rebuild->from, old);
  copy_settings(tn_graph_add_op(rebuild->to, op->name, op->type), op);
  add_operands(rebuild, op, false, 0);
  tn_graph_op(rebuild->to, rebuild->to->ops->len - 1)->n_implicit = op->n_implicit;
  add_lists(rebuild, op, true);
  add_after(rebuild, op, rebuild->to->ops->len - 1);
}

static void
add_fused(Rebuild *rebuild, uint32_t last)
{
  const TnOp *model = tn_graph_op(rebuild->from, last);
  tn_graph_add_op(rebuild->to, model->name, model->type);
  uint32_t at = rebuild->to->ops->len - 1;
  copy_settings(tn_graph_op(rebuild->to, at), model);
  tn_graph_op(rebuild->to, at)->seconds = 0;
  for (uint32_t i = 0; i <= last; i++) {
    const TnOp *op = tn_graph_op(rebuild->from, i);
    TnOp *made = tn_graph_op(rebuild->to, at);
    if (!rebuild->is_member[i])
      continue;
    add_operands(rebuild, op, true, 0);
    made->workspace_bytes = MAX(made->workspace_bytes, op->workspace_bytes);
    made->workspace_alignment = MAX(made->workspace_alignment, op->workspace_alignment);
    made->has_side_effect = made->has_side_effect || op->has_side_effect;
    made->seconds = made->seconds < 0 || op->seconds < 0 ? -1 : made->seconds + op->seconds;
  }
  for (uint32_t i = 0; i <= last; i++)
    if (rebuild->is_member[i]) {
      add_lists(rebuild, tn_graph_op(rebuild->from, i), false);
      add_after(rebuild, tn_graph_op(rebuild->from, i), at);
    }
}

static void
add_part(Rebuild *rebuild, uint32_t old, uint32_t part, uint32_t name)
{
  const TnOp *op = tn_graph_op(rebuild->from, old);
  tn_graph_add_op(rebuild->to, name, op->type);
  TnOp *made = tn_graph_op(rebuild->to, rebuild->to->ops->len - 1);
  copy_settings(made, op);
  made->workspace_bytes = op->workspace_bytes / rebuild->tasks +
                          (op->workspace_bytes % rebuild->tasks != 0);
  made->seconds = op->seconds < 0 ? -1 : op->seconds / rebuild->tasks;
  add_operands(rebuild, op, false, part);
  add_after(rebuild, op, rebuild->to->ops->len - 1);
}

/* ---- orders ---------------------------------------------------------------------------- */

/* The old order with each op's successor in its place; false where only a cycle is left. */
static bool
set_order(Rebuild *rebuild, uint32_t kept)
{
  const TnGraph *from = rebuild->from;
  TnGraph *to = rebuild->to;
  for (guint i = 0; i < from->order->len; i++) {
    uint32_t old = g_array_index(from->order, uint32_t, i);
    uint32_t last = rebuild->new_op[old];
    if (rebuild->is_member && rebuild->is_member[old] && old != kept)
      continue;
    uint32_t n = old == rebuild->divided ? rebuild->tasks : 1;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t op = last - (n - 1) + k;
      g_array_append_val(to->order, op);
    }
  }
  if (tn_graph_order_is_legal(to, (const uint32_t *)(const void *)to->order->data, to->order->len))
    return true;
  GArray *cycle = NULL, *sorted = tn_graph_sort(to, &cycle);
  if (cycle)
    g_array_unref(cycle);
  if (!sorted)
    return false;
  g_array_unref(to->order);
  to->order = sorted;
  return true;
}

static Rebuild
start(const TnGraph *graph)
{
  gsize n = graph->tensors->len;
  Rebuild rebuild = {.from = graph,
                     .to = copy_frame(graph),
                     .is_gone = g_new0(bool, n + 1),
                     .divided = TN_NONE,
                     .tasks = 1,
                     .first_part = g_new(uint32_t, n + 1),
                     .read_by = g_new0(uint32_t, n + 1),
                     .new_op = g_new(uint32_t, (gsize)graph->ops->len + 1)};
  for (gsize i = 0; i < n; i++)
    rebuild.first_part[i] = TN_NONE;
  return rebuild;
}

static TnGraph *
finish(Rebuild *rebuild, uint32_t kept)
{
  TnGraph *to = rebuild->to;
  if (!set_order(rebuild, kept))
    g_clear_pointer(&to, tn_graph_free);
  g_free(rebuild->is_gone);
  g_free(rebuild->first_part);
  g_free(rebuild->read_by);
  g_free(rebuild->new_op);
  return to;
}

TnGraph *
tn_graph_copy(const TnGraph *graph)
{
  Rebuild rebuild = start(graph);
  for (uint32_t i = 0; i < graph->ops->len; i++)
    rebuild.new_op[i] = i;
  for (uint32_t i = 0; i < graph->ops->len; i++)
    add_plain(&rebuild, i);
  return finish(&rebuild, TN_NONE);
}

/* ---- fuse ------------------------------------------------------------------------------ */

static void
mark_gone(Rebuild *rebuild)
{
  const TnGraph *from = rebuild->from;
  for (uint32_t i = 0; i < from->tensors->len; i++)
    rebuild->is_gone[i] = is_made_by_members(rebuild, i) && !tn_graph_tensor(from, i)->is_output;
  bool *is_read = g_new0(bool, (gsize)from->tensors->len + 1);
  for (uint32_t i = 0; i < from->ops->len; i++) {
    const TnOp *op = tn_graph_op(from, i);
    const uint32_t *inputs = tn_graph_inputs(from, op);
    for (uint32_t k = 0; k < op->n_inputs; k++) {
      if (inputs[k] == TN_NONE)
        continue;
      is_read[inputs[k]] = true;
      if (!rebuild->is_member[i])
        rebuild->is_gone[inputs[k]] = false;
    }
  }
  for (uint32_t i = 0; i < from->tensors->len; i++) /* what nobody read is still made */
    rebuild->is_gone[i] = rebuild->is_gone[i] && is_read[i];
  g_free(is_read);
}

TnGraph *
tn_graph_build_fused(const TnGraph *graph, const uint32_t *members, uint32_t n)
{
  Rebuild rebuild = start(graph);
  g_autofree bool *is_member = g_new0(bool, (gsize)graph->ops->len + 1);
  uint32_t last = 0, row = 0;
  for (uint32_t i = 0; i < n; i++) {
    is_member[members[i]] = true;
    last = MAX(last, members[i]);
  }
  rebuild.is_member = is_member;
  mark_gone(&rebuild);
  for (uint32_t i = 0; i < graph->ops->len; i++)
    rebuild.new_op[i] = is_member[i] && i != last ? TN_NONE : row++;
  for (uint32_t i = 0; i < graph->ops->len; i++)
    if (is_member[i])
      rebuild.new_op[i] = rebuild.new_op[last];
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    if (i == last)
      add_fused(&rebuild, last);
    else if (!is_member[i])
      add_plain(&rebuild, i);
  }
  return finish(&rebuild, last);
}

/* ---- divide ---------------------------------------------------------------------------- */

static void
add_parts(Rebuild *rebuild, uint32_t tensor,
          uint32_t (*name_part)(uint32_t name, uint32_t part, void *payload), void *payload)
{
  TnTensor whole = *tn_graph_tensor(rebuild->from, tensor), *left;
  rebuild->first_part[tensor] = rebuild->to->tensors->len;
  for (uint32_t i = 0; i < rebuild->tasks; i++) {
    TnTensor part = whole;
    part.name = name_part(whole.name, i, payload);
    part.producer = TN_NONE;
    part.file_id = -1;
    part.shape = 0;
    part.rank = TN_NONE;
    part.recorded_offset = TN_NOT_PLACED;
    if (whole.bytes >= 0)
      part.bytes = whole.bytes / rebuild->tasks + (i < (uint64_t)whole.bytes % rebuild->tasks);
    g_array_append_val(rebuild->to->tensors, part);
  }
  left = tn_graph_tensor(rebuild->to, tensor);
  left->is_output = false;
  left->kind = TN_TENSOR_ACTIVATION;
}

TnGraph *
tn_graph_build_divided(const TnGraph *graph, uint32_t op, uint32_t tasks,
                       uint32_t (*name_part)(uint32_t name, uint32_t part, void *payload),
                       void *payload)
{
  Rebuild rebuild = start(graph);
  const TnOp *row = tn_graph_op(graph, op);
  uint32_t n = 0;
  rebuild.divided = op;
  rebuild.tasks = tasks;
  for (uint32_t i = 0; i < row->n_outputs; i++)
    if (tn_graph_outputs(graph, row)[i] != TN_NONE)
      add_parts(&rebuild, tn_graph_outputs(graph, row)[i], name_part, payload);
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    n += i == op ? tasks : 1;
    rebuild.new_op[i] = n - 1;
  }
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    for (uint32_t k = 0; i == op && k < tasks; k++)
      add_part(&rebuild, i, k, name_part(row->name, k, payload));
    if (i != op)
      add_plain(&rebuild, i);
  }
  return finish(&rebuild, TN_NONE);
}
