/* SPDX-License-Identifier: MIT */
/* TensorProto: dims and type always; content only where it is small. */
#include "config.h"

#include "data/readers/onnx-model.h"

#include <math.h>
#include <string.h>

typedef struct {
  GArray *dims;
  int64_t data_type;
  uint32_t name;
  bool is_external;
  TnWireField raw;
  TnWire whole; /* the message, to walk again for typed content */
  char *location;
  uint64_t offset;
} Parts;

static void
add_dims(const TnWireField *field, TnWireFailure *failure, GArray *dims)
{
  TnWire packed = tn_wire_message(field, failure);
  uint64_t value;
  while (tn_wire_varint(&packed, &value))
    if (dims->len < TN_MOST_RANK + 1)
      g_array_append_val(dims, value);
}

static void
add_dims_field(TnOnnxParser *parser, const TnWireField *field, GArray *dims)
{
  if (field->type == TN_WIRE_BYTES)
    add_dims(field, parser->failure, dims);
  else if (dims->len < TN_MOST_RANK + 1)
    g_array_append_val(dims, field->value);
}

static void
read_external_entry(TnOnnxParser *parser, const TnWireField *entry, Parts *parts)
{
  TnWire wire = tn_wire_message(entry, parser->failure);
  TnWireField field;
  g_autofree char *key = NULL, *value = NULL;
  while (tn_wire_next(&wire, &field)) {
    if (field.type != TN_WIRE_BYTES || field.size > 4096)
      continue;
    char **to = field.number == 1 ? &key : field.number == 2 ? &value : NULL;
    if (to) {
      g_free(*to);
      *to = g_strndup((const char *)field.data, field.size);
    }
  }
  if (g_strcmp0(key, "location") == 0) {
    g_free(parts->location);
    parts->location = g_steal_pointer(&value);
  } else if (g_strcmp0(key, "offset") == 0 && value)
    parts->offset = g_ascii_strtoull(value, NULL, 10);
}

static void
read_parts(TnOnnxParser *parser, TnWire wire, Parts *parts)
{
  TnWireField field;
  while (tn_wire_next(&wire, &field)) {
    switch (field.number) {
    case 1:
      add_dims_field(parser, &field, parts->dims);
      break;
    case 2:
      parts->data_type = (int64_t)field.value;
      break;
    case 8:
      if (field.type == TN_WIRE_BYTES)
        parts->name = tn_strings_intern(parser->strings, (const char *)field.data,
                                        (gssize)field.size);
      break;
    case 9:
      if (field.type == TN_WIRE_BYTES)
        parts->raw = field;
      break;
    case 13:
      read_external_entry(parser, &field, parts);
      break;
    case 14:
      parts->is_external = field.value == 1;
      break;
    default:
      break;
    }
  }
}

static double
half_to_real(uint16_t bits)
{
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0    ? ldexp(fraction, -24)
                 : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                  : ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

static double
bits_to_real(TnDtype dtype, uint64_t bits)
{
  union {
    uint32_t bits;
    float real;
  } single = {.bits = (uint32_t)bits};
  union {
    uint64_t bits;
    double real;
  } wide = {.bits = bits};
  if (dtype == TN_DTYPE_FLOAT64)
    return wide.real;
  if (dtype == TN_DTYPE_FLOAT16)
    return half_to_real((uint16_t)bits);
  if (dtype == TN_DTYPE_BFLOAT16)
    single.bits = (uint32_t)bits << 16;
  return dtype == TN_DTYPE_FLOAT32 || dtype == TN_DTYPE_BFLOAT16 ? (double)single.real
                                                                 : (double)NAN;
}

static void
put_bits(TnShapeValue *value, uint32_t i, uint64_t bits)
{
  if (value->reals)
    tn_value_put(value, i, 0, bits_to_real(value->dtype, bits));
  else /* the one value that means "unknown" is taken for its neighbour */
    tn_value_put(value, i, bits == (uint64_t)INT64_MIN ? INT64_MIN + 1 : (int64_t)bits, 0);
}

static void
put_raw(TnShapeValue *value, const uint8_t *data, gsize size)
{
  uint32_t width = tn_dtype_bits(value->dtype) / 8;
  if (width == 0 || (gsize)value->n * width > size)
    return; /* sub-byte types are weights, never shapes */
  for (uint32_t i = 0; i < value->n; i++) {
    uint64_t bits = 0;
    memcpy(&bits, data + (gsize)i * width, width);
    put_bits(value, i, bits);
  }
}

static void
put_external(TnOnnxParser *parser, TnShapeValue *value, const Parts *parts)
{
  gsize size = (gsize)value->n * tn_dtype_bits(value->dtype) / 8;
  g_autofree uint8_t *bytes = g_malloc0(size + 1);
  /* Content decides shapes only where it is a few whole numbers. */
  if (!tn_dtype_is_integer(value->dtype) || value->n > TN_MOST_RANK || !parts->location ||
      !tn_onnx_external_read(parser, parts->location, parts->offset, bytes, size))
    value->has_content = false;
  else
    put_raw(value, bytes, size);
}

/* float_data 4, int32_data 5, int64_data 7, double_data 10, uint64_data 11. */
static void
put_typed(TnOnnxParser *parser, TnShapeValue *value, TnWire wire)
{
  TnWireField field;
  uint32_t at = 0;
  while (tn_wire_next(&wire, &field)) {
    unsigned width = field.number == 4 ? 4 : field.number == 10 ? 8 : 0;
    if (field.number != 4 && field.number != 5 && field.number != 7 && field.number != 10 &&
        field.number != 11)
      continue;
    if (field.type != TN_WIRE_BYTES) {
      if (at < value->n)
        put_bits(value, at++, field.value);
      continue;
    }
    TnWire packed = tn_wire_message(&field, parser->failure);
    uint64_t bits = 0;
    while (at < value->n) {
      if (width && (gsize)(packed.end - packed.at) >= width) {
        bits = 0;
        memcpy(&bits, packed.at, width);
        packed.at += width;
      } else if (width || !tn_wire_varint(&packed, &bits))
        break;
      put_bits(value, at++, bits);
    }
  }
}

/* False, and a failure at `at`, where no tensor can have them. */
static bool
take_dims(TnOnnxParser *parser, TnShapeValue *value, const GArray *list, const uint8_t *at)
{
  const int64_t *dims = (const int64_t *)(const void *)list->data;
  int64_t elements;
  if (list->len <= TN_MOST_RANK && tn_dims_product(dims, list->len, &elements)) {
    tn_value_set_dims(value, parser->arena, dims, (int32_t)list->len);
    return true;
  }
  parser->has_refused_dims = true;
  if (!parser->failure->found) {
    parser->failure->at = (gsize)(at - parser->failure->base);
    parser->failure->found = "a tensor whose dimensions are negative, too many, or too large";
    parser->failure->expected = "at most 64 dimensions whose product fits into 64 bits";
  }
  return false;
}

static void
fill_content(TnOnnxParser *parser, TnShapeValue *value, const Parts *parts)
{
  if (tn_value_elements(value) > 1024 || !tn_value_add_content(value, parser->arena))
    return;
  if (parts->is_external)
    put_external(parser, value, parts);
  else if (parts->raw.data)
    put_raw(value, parts->raw.data, parts->raw.size);
  else
    put_typed(parser, value, parts->whole);
}

TnOnnxInitializer
tn_onnx_tensor_parse(TnOnnxParser *parser, TnWire wire)
{
  Parts parts = {.dims = g_array_sized_new(FALSE, FALSE, sizeof(int64_t), 8), .whole = wire};
  TnOnnxInitializer result = {0, TN_SHAPE_VALUE_INIT};
  read_parts(parser, wire, &parts);
  result.name = parts.name;
  result.value.dtype = tn_dtype_from_onnx(parts.data_type);
  if (take_dims(parser, &result.value, parts.dims, wire.at))
    fill_content(parser, &result.value, &parts);
  g_array_unref(parts.dims);
  g_free(parts.location);
  return result;
}

TnOnnxInitializer
tn_onnx_sparse_parse(TnOnnxParser *parser, TnWire wire)
{
  TnOnnxInitializer result = {0, TN_SHAPE_VALUE_INIT};
  g_autoptr(GArray) dims = g_array_new(FALSE, FALSE, sizeof(int64_t));
  TnWire walk = wire;
  TnWireField field;
  while (tn_wire_next(&walk, &field))
    if (field.number == 1)
      result = tn_onnx_tensor_parse(parser, tn_wire_message(&field, parser->failure));
    else if (field.number == 3)
      add_dims_field(parser, &field, dims);
  tn_value_set_dims(&result.value, parser->arena, NULL, TN_RANK_UNKNOWN);
  if (dims->len)
    take_dims(parser, &result.value, dims, wire.at);
  return result;
}
