/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-model.h"

#include <string.h>

#define STEP 1024 /* nodes between two looks at the progress */

static TnOnnxGraph *parse_graph(TnOnnxParser *parser, TnWire wire);

static uint32_t
intern(TnOnnxParser *parser, const TnWireField *field)
{
  if (field->type != TN_WIRE_BYTES)
    return 0;
  return tn_strings_intern(parser->strings, (const char *)field->data, (gssize)field->size);
}

bool
tn_onnx_is_stopped(TnOnnxParser *parser)
{
  if (!parser->is_stopped && parser->n_steps++ % STEP == 0) {
    tn_progress_report(parser->progress, -1.0, "Reading");
    parser->is_stopped = tn_progress_is_cancelled(parser->progress);
  }
  return parser->is_stopped;
}

/* The same while messages are taken apart: all cursors end. */
static void
look_at_progress(TnOnnxParser *parser, TnWire *wire)
{
  if (tn_onnx_is_stopped(parser))
    tn_wire_fail(wire, "a wish to stop", "none", false);
}

/* What a field holds, as a message; nothing where it is a number. */
static TnWire
content_of(TnOnnxParser *parser, const TnWireField *field)
{
  static const uint8_t nothing[1];
  return tn_wire(field->data ? field->data : nothing, field->size, parser->failure);
}

/* Some ops keep weights, even whole engines, in a text: no rule reads one that long. */
static const char *
text_of(TnOnnxParser *parser, const TnWireField *field)
{
  if (field->size > 4096)
    return "";
  return tn_strings_get(parser->strings, intern(parser, field));
}

static uint32_t
domain_of(TnOnnxParser *parser, const TnWireField *field)
{
  uint32_t domain = intern(parser, field);
  return strcmp(tn_strings_get(parser->strings, domain), "ai.onnx") == 0 ? 0 : domain;
}

/* How often each field number up to 31 occurs: lists are allocated once, and each element needs
 * bytes of the file, so that a count can't ask for more memory than a fixed multiple of it. */
static void
count_fields(TnWire wire, uint32_t *counts)
{
  TnWireField field;
  memset(counts, 0, sizeof *counts * 32);
  while (tn_wire_next(&wire, &field))
    if (field.number < 32)
      counts[field.number]++;
}

/* ---- attributes ------------------------------------------------------------------------ */

static double
single_to_real(uint64_t bits)
{
  union {
    uint32_t bits;
    float real;
  } single = {.bits = (uint32_t)bits};
  return (double)single.real;
}

/* floats 7, ints 8, one of them: packed or not; two walks, to count and to fill. */
static void
parse_lists(TnOnnxParser *parser, TnWire wire, TnAttribute *attribute, gsize n_floats, gsize n_ints)
{
  int64_t *ints = n_ints ? tn_arena_take_n(parser->arena, int64_t, n_ints) : NULL;
  double *reals = n_floats ? tn_arena_take_n(parser->arena, double, n_floats) : NULL;
  gsize at_int = 0, at_real = 0;
  TnWireField field;
  while (tn_wire_next(&wire, &field)) {
    if (field.number != 7 && field.number != 8)
      continue;
    if (field.type != TN_WIRE_BYTES) {
      if (field.number == 8 && at_int < n_ints)
        ints[at_int++] = (int64_t)field.value;
      if (field.number == 7 && at_real < n_floats)
        reals[at_real++] = single_to_real(field.value);
      continue;
    }
    TnWire packed = tn_wire_message(&field, parser->failure);
    uint64_t value;
    while (field.number == 8 && at_int < n_ints && tn_wire_varint(&packed, &value))
      ints[at_int++] = (int64_t)value;
    for (; field.number == 7 && at_real < n_floats && packed.end - packed.at >= 4; packed.at += 4) {
      uint32_t bits;
      memcpy(&bits, packed.at, 4);
      reals[at_real++] = single_to_real(bits);
    }
  }
  attribute->ints = ints;
  attribute->reals = reals;
  attribute->n = (uint32_t)(n_ints + n_floats);
}

static void
parse_attribute_field(TnOnnxParser *parser, const TnWireField *field, TnAttribute *attribute)
{
  TnOnnxInitializer *tensor;
  switch (field->number) {
  case 1: attribute->name = text_of(parser, field); break;
  case 2: attribute->real = single_to_real(field->value); break;
  case 3: attribute->integer = (int64_t)field->value; break;
  case 4: attribute->text = text_of(parser, field); break;
  case 5:
    tensor = tn_arena_take_n(parser->arena, TnOnnxInitializer, 1);
    *tensor = tn_onnx_tensor_parse(parser, tn_wire_message(field, parser->failure));
    attribute->tensor = &tensor->value;
    break;
  case 6:
    attribute->graph = parse_graph(parser, tn_wire_message(field, parser->failure));
    break;
  case 9: attribute->n++; break;
  case 20:
    attribute->type = field->value < TN_ATTRIBUTE_OTHER ? (TnAttributeType)field->value
                                                        : TN_ATTRIBUTE_OTHER;
    break;
  case 21: attribute->reference = text_of(parser, field); break;
  default: break;
  }
}

/* Old files leave the type out: the field that is there says it. */
static void
settle_type(TnAttribute *attribute, const uint32_t *counts)
{
  static const struct {
    uint32_t field;
    TnAttributeType type;
  } forms[] = {{8, TN_ATTRIBUTE_INTS},   {7, TN_ATTRIBUTE_FLOATS}, {9, TN_ATTRIBUTE_STRINGS},
               {5, TN_ATTRIBUTE_TENSOR}, {6, TN_ATTRIBUTE_GRAPH},  {4, TN_ATTRIBUTE_STRING},
               {3, TN_ATTRIBUTE_INT},    {2, TN_ATTRIBUTE_FLOAT}};
  if (attribute->type != TN_ATTRIBUTE_UNDEFINED)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(forms); i++)
    if (counts[forms[i].field]) {
      attribute->type = forms[i].type;
      return;
    }
}

static TnAttribute
parse_attribute(TnOnnxParser *parser, TnWire wire)
{
  TnAttribute attribute = {.name = ""};
  TnWire walk = wire;
  TnWireField field;
  uint32_t counts[32];
  gsize n_floats = 0, n_ints = 0;
  look_at_progress(parser, &wire);
  count_fields(wire, counts);
  while (tn_wire_next(&walk, &field)) {
    parse_attribute_field(parser, &field, &attribute);
    n_floats += field.number == 7 ? tn_wire_count(&field, 4) : 0;
    n_ints += field.number == 8 ? tn_wire_count(&field, 0) : 0;
  }
  settle_type(&attribute, counts);
  /* One list: who reads it knows one length.  Of two that a file gives the type says which. */
  if (n_floats && (attribute.type == TN_ATTRIBUTE_FLOATS || n_ints == 0))
    parse_lists(parser, wire, &attribute, n_floats, 0);
  else if (n_ints)
    parse_lists(parser, wire, &attribute, 0, n_ints);
  return attribute;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static TnOnnxNode
parse_node(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxNode node = {0};
  TnWireField field;
  uint32_t counts[32];
  look_at_progress(parser, &wire);
  count_fields(wire, counts);
  node.inputs = tn_arena_take_n(parser->arena, uint32_t, counts[1]);
  node.outputs = tn_arena_take_n(parser->arena, uint32_t, counts[2]);
  node.attributes = tn_arena_take_n(parser->arena, TnAttribute, counts[5]);
  while (tn_wire_next(&wire, &field)) {
    switch (field.number) {
    case 1: node.inputs[node.n_inputs++] = intern(parser, &field); break;
    case 2: node.outputs[node.n_outputs++] = intern(parser, &field); break;
    case 3: node.name = intern(parser, &field); break;
    case 4: node.type = intern(parser, &field); break;
    case 5:
      node.attributes[node.n_attributes++] =
          parse_attribute(parser, tn_wire_message(&field, parser->failure));
      break;
    case 7: node.domain = domain_of(parser, &field); break;
    case 8: node.overload = intern(parser, &field); break;
    default: break;
    }
  }
  return node;
}

/* ---- types ----------------------------------------------------------------------------- */

static int64_t
parse_dim(TnOnnxParser *parser, TnWire wire, uint32_t *out_param)
{
  int64_t dim = TN_DIM_UNKNOWN;
  TnWireField field;
  while (tn_wire_next(&wire, &field)) {
    if (field.number == 1)
      dim = (int64_t)field.value;
    else if (field.number == 2)
      *out_param = intern(parser, &field);
  }
  return dim < 0 ? TN_DIM_UNKNOWN : dim;
}

static void
parse_shape(TnOnnxParser *parser, TnWire wire, TnOnnxValueInfo *info)
{
  uint32_t counts[32], n = 0;
  TnWireField field;
  count_fields(wire, counts);
  if (counts[1] > TN_MOST_RANK)
    return;
  uint32_t *params = tn_arena_take_n(parser->arena, uint32_t, counts[1]);
  tn_value_set_dims(&info->value, parser->arena, NULL, (int32_t)counts[1]);
  while (tn_wire_next(&wire, &field))
    if (field.number == 1) {
      info->value.dims[n] =
          parse_dim(parser, tn_wire_message(&field, parser->failure), &params[n]);
      n++;
    }
  info->params = params;
}

static void
parse_tensor_type(TnOnnxParser *parser, TnWire wire, TnOnnxValueInfo *info)
{
  TnWireField field;
  while (tn_wire_next(&wire, &field)) {
    if (field.number == 1)
      info->value.dtype = tn_dtype_from_onnx((int64_t)field.value);
    else if (field.number == 2)
      parse_shape(parser, tn_wire_message(&field, parser->failure), info);
  }
}

static TnOnnxValueInfo
parse_value_info(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxValueInfo info = {0, TN_SHAPE_VALUE_INIT, NULL};
  TnWireField field, type;
  look_at_progress(parser, &wire);
  while (tn_wire_next(&wire, &field)) {
    if (field.number == 1)
      info.name = intern(parser, &field);
    if (field.number != 2)
      continue;
    TnWire types = tn_wire_message(&field, parser->failure);
    while (tn_wire_next(&types, &type)) {
      if (type.number == 1)
        parse_tensor_type(parser, tn_wire_message(&type, parser->failure), &info);
      else if (type.number == 4 || type.number == 5 || type.number >= 7)
        info.value.is_not_tensor = true;
    }
  }
  return info;
}

/* ---- graphs ---------------------------------------------------------------------------- */

static void
take_graph_lists(TnOnnxParser *parser, TnOnnxGraph *graph, const uint32_t *counts)
{
  graph->nodes = tn_arena_take_n(parser->arena, TnOnnxNode, counts[1]);
  graph->initializers =
      tn_arena_take_n(parser->arena, TnOnnxInitializer, (gsize)counts[5] + counts[15]);
  graph->inputs = tn_arena_take_n(parser->arena, TnOnnxValueInfo, counts[11]);
  graph->outputs = tn_arena_take_n(parser->arena, TnOnnxValueInfo, counts[12]);
  graph->infos = tn_arena_take_n(parser->arena, TnOnnxValueInfo, counts[13]);
}

static TnOnnxGraph *
parse_graph(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxGraph *graph = tn_arena_take_n(parser->arena, TnOnnxGraph, 1);
  TnWireField field;
  uint32_t counts[32];
  if (parser->depth >= TN_ONNX_MOST_DEPTH) {
    tn_wire_fail(&wire, "graphs nested deeper than 32", "at most 32", false);
    return graph;
  }
  parser->depth++;
  count_fields(wire, counts);
  take_graph_lists(parser, graph, counts);
  while (tn_wire_next(&wire, &field)) {
    look_at_progress(parser, &wire);
    TnWire message = content_of(parser, &field);
    switch (field.number) {
    case 1: graph->nodes[graph->n_nodes++] = parse_node(parser, message); break;
    case 2: graph->name = intern(parser, &field); break;
    case 5:
      graph->initializers[graph->n_initializers++] = tn_onnx_tensor_parse(parser, message);
      break;
    case 11: graph->inputs[graph->n_inputs++] = parse_value_info(parser, message); break;
    case 12: graph->outputs[graph->n_outputs++] = parse_value_info(parser, message); break;
    case 13: graph->infos[graph->n_infos++] = parse_value_info(parser, message); break;
    case 15:
      graph->initializers[graph->n_initializers++] = tn_onnx_sparse_parse(parser, message);
      break;
    default: break;
    }
  }
  parser->depth--;
  return graph;
}

/* ---- the model ------------------------------------------------------------------------- */

static TnOnnxOpset
parse_opset(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxOpset opset = {.version = 1};
  TnWireField field;
  while (tn_wire_next(&wire, &field)) {
    if (field.number == 1)
      opset.domain = domain_of(parser, &field);
    else if (field.number == 2)
      opset.version = (int64_t)field.value;
  }
  return opset;
}

static void
take_function_lists(TnOnnxParser *parser, TnOnnxFunction *function, const uint32_t *counts)
{
  function->inputs = tn_arena_take_n(parser->arena, uint32_t, counts[4]);
  function->outputs = tn_arena_take_n(parser->arena, uint32_t, counts[5]);
  function->nodes = tn_arena_take_n(parser->arena, TnOnnxNode, counts[7]);
  function->opsets = tn_arena_take_n(parser->arena, TnOnnxOpset, counts[9]);
  function->defaults = tn_arena_take_n(parser->arena, TnAttribute, counts[11]);
}

static TnOnnxFunction
parse_function(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxFunction function = {0};
  TnWireField field;
  uint32_t counts[32];
  look_at_progress(parser, &wire);
  count_fields(wire, counts);
  take_function_lists(parser, &function, counts);
  while (tn_wire_next(&wire, &field)) {
    TnWire message = content_of(parser, &field);
    if (field.type != TN_WIRE_BYTES)
      continue;
    switch (field.number) {
    case 1: function.name = intern(parser, &field); break;
    case 4: function.inputs[function.n_inputs++] = intern(parser, &field); break;
    case 5: function.outputs[function.n_outputs++] = intern(parser, &field); break;
    case 7: function.nodes[function.n_nodes++] = parse_node(parser, message); break;
    case 9: function.opsets[function.n_opsets++] = parse_opset(parser, message); break;
    case 10: function.domain = domain_of(parser, &field); break;
    case 11: function.defaults[function.n_defaults++] = parse_attribute(parser, message); break;
    case 13: function.overload = intern(parser, &field); break;
    default: break;
    }
  }
  return function;
}

TnOnnxModel *
tn_onnx_model_parse(TnOnnxParser *parser, const uint8_t *data, gsize size)
{
  TnWire wire = tn_wire(data, size, parser->failure);
  TnOnnxModel *model = tn_arena_take_n(parser->arena, TnOnnxModel, 1);
  TnWireField field;
  uint32_t counts[32];
  count_fields(wire, counts);
  model->opsets = tn_arena_take_n(parser->arena, TnOnnxOpset, counts[8]);
  model->functions = tn_arena_take_n(parser->arena, TnOnnxFunction, counts[25]);
  while (tn_wire_next(&wire, &field)) {
    TnWire message = content_of(parser, &field);
    if (field.number == 1)
      model->ir_version = (int64_t)field.value;
    if (field.type != TN_WIRE_BYTES)
      continue;
    if (field.number == 2)
      model->producer = intern(parser, &field);
    else if (field.number == 7) {
      model->graph = parse_graph(parser, message);
      model->n_graphs++;
    } else if (field.number == 8)
      model->opsets[model->n_opsets++] = parse_opset(parser, message);
    else if (field.number == 25)
      model->functions[model->n_functions++] = parse_function(parser, message);
  }
  return parser->failure->found ? NULL : model;
}
