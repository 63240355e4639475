/* SPDX-License-Identifier: MIT */
/* If, Loop, Scan: shapes through graphs inside nodes. */
#include "config.h"

#include "data/readers/onnx-infer.h"

#include <string.h>

#define MOST_INNER_NODES 1000000 /* more are not inferred: their shapes stay unknown */
#define MOST_ROUNDS 4 /* a loop's shapes settle or become unknown within so many */

static TnArena *
arena_of(TnOnnxInference *inference)
{
  return inference->builder->parser->arena;
}

static TnOnnxWork *
find_body(const TnOnnxWorkNode *node, const char *name, uint32_t *out_index)
{
  for (uint32_t i = 0; i < node->n_bodies; i++)
    if (strcmp(node->body_names[i], name) == 0) {
      if (out_index)
        *out_index = i;
      return node->bodies[i];
    }
  return NULL;
}

/* What a body's input is from outside, completed by what the file states of it. */
static void
set_body_input(TnOnnxInference *inference, TnOnnxWork *body, uint32_t i, const TnShapeValue *shape)
{
  if (i >= body->graph->n_inputs)
    return;
  TnOnnxValue *value = body->inputs[i];
  const TnShapeValue *declared = &body->graph->inputs[i].value;
  TnShapeValue set = TN_SHAPE_VALUE_INIT;
  if (shape)
    set = *shape;
  set.has_content = false;
  if (set.dtype == TN_DTYPE_UNKNOWN)
    set.dtype = declared->dtype;
  if (set.rank < 0 && declared->rank >= 0)
    tn_value_set_dims(&set, arena_of(inference), declared->dims, declared->rank);
  else if (set.rank >= 0)
    tn_value_set_dims(&set, arena_of(inference), set.dims, set.rank);
  value->shape = set;
  value->lost_why = tn_value_bytes(&set) < 0 ? "the shape of a sub-graph's input is not known" : NULL;
}

static void
infer_body(TnOnnxInference *inference, TnOnnxWork *body, bool is_dead)
{
  bool was_dead = inference->is_dead;
  if (inference->depth >= TN_ONNX_MOST_DEPTH)
    return;
  inference->n_inner_nodes += body->cost;
  if (inference->n_inner_nodes > MOST_INNER_NODES) {
    inference->n_inner_nodes = MOST_INNER_NODES;
    tn_diagnostics_count(inference->builder->diagnostics, "too-many-loops",
                         "loops within loops are not followed to the end; some shapes inside them "
                         "stay unknown");
    return;
  }
  inference->depth++;
  inference->is_dead = was_dead || is_dead;
  tn_onnx_infer(inference, body);
  inference->is_dead = was_dead;
  inference->depth--;
}

/* Keeps of `into` only what `from` agrees with; true where something was given up. */
static bool
widen(TnOnnxInference *inference, TnShapeValue *into, const TnShapeValue *from)
{
  bool has_changed = false;
  into->has_content = false;
  if (into->dtype == TN_DTYPE_UNKNOWN)
    into->dtype = from->dtype;
  into->is_not_tensor = into->is_not_tensor || from->is_not_tensor;
  if (into->rank < 0)
    return false;
  if (into->rank != from->rank) {
    into->rank = TN_RANK_UNKNOWN;
    return true;
  }
  tn_value_set_dims(into, arena_of(inference), into->dims, into->rank);
  for (int32_t i = 0; i < into->rank; i++)
    if (into->dims[i] != from->dims[i] && into->dims[i] >= 0) {
      into->dims[i] = TN_DIM_UNKNOWN;
      has_changed = true;
    }
  return has_changed;
}

static const TnShapeValue *
body_output(const TnOnnxWork *body, uint32_t i)
{
  return i < body->graph->n_outputs ? &body->outputs[i]->shape : NULL;
}

/* What a body's result lost, its node has lost: for the same reason. */
static void
inherit_loss(TnRuleContext *context, const TnOnnxWork *body, uint32_t i)
{
  if (i < body->graph->n_outputs && !tn_value_is_full(&body->outputs[i]->shape) &&
      body->outputs[i]->lost_why)
    tn_rule_lose(context, tn_arena_printf(context->arena, "inside it %s",
                                          body->outputs[i]->lost_why));
}

/* ---- If -------------------------------------------------------------------------------- */

static void
infer_if(TnOnnxInference *inference, TnOnnxWorkNode *node, TnRuleContext *context)
{
  uint32_t then_index = 0, else_index = 0;
  TnOnnxWork *then_body = find_body(node, "then_branch", &then_index);
  TnOnnxWork *else_body = find_body(node, "else_branch", &else_index);
  const TnShapeValue *condition = tn_rule_input(context, 0);
  int64_t choice = 0;
  if (!then_body || !else_body)
    return;
  bool is_known = condition && tn_value_int(condition, 0, &choice);
  infer_body(inference, then_body, is_known && !choice);
  infer_body(inference, else_body, is_known && choice);
  node->taken_body = !is_known ? TN_NONE : choice ? then_index : else_index;
  for (uint32_t i = 0; i < context->n_outputs; i++) {
    const TnShapeValue *a = body_output(then_body, i), *b = body_output(else_body, i);
    if (!a || !b)
      continue;
    context->outputs[i] = is_known && !choice ? *b : *a;
    inherit_loss(context, is_known && !choice ? else_body : then_body, i);
    if (!is_known && widen(inference, &context->outputs[i], b))
      tn_rule_lose(context, "the branches of an If differ in shape, and which one runs is not known");
  }
}

/* ---- Loop ------------------------------------------------------------------------------ */

/* How often the loop runs, where only the count decides it. */
static int64_t
trip_count(const TnRuleContext *context, const TnOnnxWork *body)
{
  const TnShapeValue *count = tn_rule_input(context, 0), *start = tn_rule_input(context, 1);
  const TnShapeValue *again = body_output(body, 0);
  int64_t n, flag = 1;
  if (start && tn_value_int(start, 0, &flag) && !flag)
    return 0;
  bool runs_on = (!start || (start->has_content && flag)) && again && tn_value_int(again, 0, &flag) &&
                 flag;
  if (!runs_on || !count || !tn_value_int(count, 0, &n))
    return TN_DIM_UNKNOWN;
  return MAX(n, (int64_t)0);
}

/* Inside the body the condition holds: it would not run otherwise. */
static void
set_loop_inputs(TnOnnxInference *inference, TnOnnxWork *body, const TnShapeValue *carried,
                uint32_t n_carried)
{
  TnShapeValue scalar = TN_SHAPE_VALUE_INIT;
  for (uint32_t i = 0; i < 2; i++) {
    scalar.dtype = i ? TN_DTYPE_BOOL : TN_DTYPE_INT64;
    tn_value_set_dims(&scalar, arena_of(inference), NULL, 0);
    if (i < body->graph->n_inputs && body->graph->inputs[i].value.rank == 1)
      tn_value_set_dims(&scalar, arena_of(inference), (int64_t[]){1}, 1);
    set_body_input(inference, body, i, &scalar);
  }
  if (body->graph->n_inputs > 1 &&
      tn_value_add_content(&body->inputs[1]->shape, arena_of(inference)))
    tn_value_put(&body->inputs[1]->shape, 0, 1, 1);
  for (uint32_t i = 0; i < n_carried; i++)
    set_body_input(inference, body, i + 2, &carried[i]);
}

static void
set_scan_output(TnRuleContext *context, uint32_t output, const TnShapeValue *element, int64_t length,
                int64_t axis)
{
  int64_t dims[TN_MOST_RANK];
  if (!element || output >= context->n_outputs)
    return;
  tn_rule_set_dtype(context, output, element->dtype);
  if (element->rank < 0 || element->rank + 1 > TN_MOST_RANK)
    return;
  int32_t at = tn_rule_axis(context, axis, element->rank + 1);
  if (at < 0)
    return;
  for (int32_t i = 0; i <= element->rank; i++)
    dims[i] = i == at ? length : element->dims[i > at ? i - 1 : i];
  tn_rule_set(context, output, element->dtype, dims, element->rank + 1);
}

static void
infer_loop(TnOnnxInference *inference, TnOnnxWorkNode *node, TnRuleContext *context)
{
  TnOnnxWork *body = find_body(node, "body", NULL);
  uint32_t n = node->n_inputs > 2 ? node->n_inputs - 2 : 0;
  TnShapeValue *carried = tn_arena_take_n(context->arena, TnShapeValue, n);
  if (!body)
    return;
  for (uint32_t i = 0; i < n; i++) {
    const TnShapeValue *input = tn_rule_input(context, i + 2);
    carried[i] = input ? *input : (TnShapeValue)TN_SHAPE_VALUE_INIT;
  }
  bool has_changed = true;
  for (int round = 0; has_changed && round < MOST_ROUNDS; round++) {
    set_loop_inputs(inference, body, carried, n);
    infer_body(inference, body, false);
    has_changed = false;
    for (uint32_t i = 0; i < n; i++)
      if (body_output(body, i + 1) && widen(inference, &carried[i], body_output(body, i + 1))) {
        has_changed = true;
        tn_rule_lose(context, "a loop changes the shape of what it carries");
      }
  }
  int64_t trips = trip_count(context, body);
  if (trips < 0 && node->n_outputs > n)
    tn_rule_lose(context, "how often a loop runs is not known before the run");
  for (uint32_t i = 0; i < context->n_outputs; i++) {
    inherit_loss(context, body, i + 1);
    if (i < n) {
      context->outputs[i] = carried[i];
      context->outputs[i].has_content = false;
    } else
      set_scan_output(context, i, body_output(body, i + 1), trips, 0);
  }
}

/* ---- Scan ------------------------------------------------------------------------------ */

static int64_t
axis_at(const TnRuleContext *context, const char *name, uint32_t i)
{
  uint32_t n;
  const int64_t *axes = tn_rule_ints(context, name, &n);
  return axes && i < n ? axes[i] : 0;
}

static void
set_scan_input(TnOnnxInference *inference, TnRuleContext *context, TnOnnxWork *body, uint32_t i,
               uint32_t n_states, int64_t *length)
{
  const TnShapeValue *input = tn_rule_ranked(context, i);
  TnShapeValue slice = TN_SHAPE_VALUE_INIT;
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  slice.dtype = tn_rule_dtype(context, i);
  if (input && input->rank > 0 && input->rank <= TN_MOST_RANK) {
    int32_t axis =
        tn_rule_axis(context, axis_at(context, "scan_input_axes", i - n_states), input->rank);
    for (int32_t k = 0; k < input->rank; k++)
      if (k != axis)
        dims[rank++] = input->dims[k];
    if (axis >= 0) {
      tn_value_set_dims(&slice, context->arena, dims, rank);
      *length = *length < 0 ? input->dims[axis] : *length;
    }
  }
  set_body_input(inference, body, i, &slice);
}

static void
infer_scan(TnOnnxInference *inference, TnOnnxWorkNode *node, TnRuleContext *context)
{
  TnOnnxWork *body = find_body(node, "body", NULL);
  int64_t n_scanned = tn_rule_int(context, "num_scan_inputs", 0), length = TN_DIM_UNKNOWN;
  if (node->version < 9) {
    tn_rule_lose(context, "Scan of operator set 8 is not computed");
    return;
  }
  if (!body || n_scanned < 0 || n_scanned > node->n_inputs)
    return;
  uint32_t n_states = node->n_inputs - (uint32_t)n_scanned;
  for (uint32_t i = 0; i < node->n_inputs; i++) {
    if (i < n_states)
      set_body_input(inference, body, i, tn_rule_input(context, i));
    else
      set_scan_input(inference, context, body, i, n_states, &length);
  }
  infer_body(inference, body, false);
  for (uint32_t i = 0; i < context->n_outputs; i++) {
    const TnShapeValue *element = body_output(body, i);
    inherit_loss(context, body, i);
    if (i >= n_states)
      set_scan_output(context, i, element, length,
                      axis_at(context, "scan_output_axes", i - n_states));
    else if (element) {
      context->outputs[i] = *element;
      context->outputs[i].has_content = false;
    }
  }
}

/* ---- others ---------------------------------------------------------------------------- */

/* Graphs of a search op: of their inputs the file's own words are all there is. */
static void
infer_unknown_bodies(TnOnnxInference *inference, TnOnnxWorkNode *node)
{
  for (uint32_t i = 0; i < node->n_bodies; i++) {
    for (uint32_t k = 0; k < node->bodies[i]->graph->n_inputs; k++)
      set_body_input(inference, node->bodies[i], k, NULL);
    infer_body(inference, node->bodies[i], false);
  }
}

bool
tn_onnx_infer_control(TnOnnxInference *inference, TnOnnxWorkNode *node, TnRuleContext *context)
{
  if (strcmp(context->type, "If") == 0)
    infer_if(inference, node, context);
  else if (strcmp(context->type, "Loop") == 0)
    infer_loop(inference, node, context);
  else if (strcmp(context->type, "Scan") == 0)
    infer_scan(inference, node, context);
  else {
    infer_unknown_bodies(inference, node);
    return false;
  }
  return true;
}
