/* SPDX-License-Identifier: MIT */
/* Writes small ONNX files for tests: protobuf by hand, one call for each message. */
#pragma once

#include <glib.h>
#include <string.h>

typedef GByteArray *Bytes;

static inline void
put_varint(Bytes to, guint64 value)
{
  do {
    guint8 byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
    g_byte_array_append(to, &byte, 1);
    value >>= 7;
  } while (value);
}

static inline void
put_number(Bytes to, unsigned field, gint64 value)
{
  put_varint(to, field << 3);
  put_varint(to, (guint64)value);
}

static inline void
put_bytes(Bytes to, unsigned field, const void *data, gsize size)
{
  put_varint(to, field << 3 | 2);
  put_varint(to, size);
  if (size)
    g_byte_array_append(to, data, (guint)size);
}

static inline void
put_text(Bytes to, unsigned field, const char *text)
{
  put_bytes(to, field, text, strlen(text));
}

/* Appends a message and frees it. */
static inline void
put_message(Bytes to, unsigned field, Bytes message)
{
  put_bytes(to, field, message->data, message->len);
  g_byte_array_unref(message);
}

/* "a,b" as repeated texts; an empty part is an absent operand. */
static inline void
put_list(Bytes to, unsigned field, const char *list)
{
  char **parts = g_strsplit(list, ",", -1);
  for (gsize i = 0; parts[i]; i++)
    put_text(to, field, parts[i]);
  g_strfreev(parts);
}

static inline Bytes
onnx_node(const char *type, const char *name, const char *inputs, const char *outputs)
{
  Bytes node = g_byte_array_new();
  if (*inputs)
    put_list(node, 1, inputs);
  put_list(node, 2, outputs);
  put_text(node, 3, name);
  put_text(node, 4, type);
  return node;
}

static inline void
onnx_add_int(Bytes node, const char *name, gint64 value)
{
  Bytes attribute = g_byte_array_new();
  put_text(attribute, 1, name);
  put_number(attribute, 3, value);
  put_number(attribute, 20, 2);
  put_message(node, 5, attribute);
}

static inline void
onnx_add_graph(Bytes node, const char *name, Bytes graph)
{
  Bytes attribute = g_byte_array_new();
  put_text(attribute, 1, name);
  put_message(attribute, 6, graph);
  put_number(attribute, 20, 5);
  put_message(node, 5, attribute);
}

/* Dimensions below 0 are left open; named "N" where one is -2. */
static inline Bytes
onnx_info(const char *name, int dtype, const gint64 *dims, int rank)
{
  Bytes info = g_byte_array_new(), type = g_byte_array_new(), tensor = g_byte_array_new();
  Bytes shape = g_byte_array_new();
  for (int i = 0; i < rank; i++) {
    Bytes dim = g_byte_array_new();
    if (dims[i] >= 0)
      put_number(dim, 1, dims[i]);
    else if (dims[i] == -2)
      put_text(dim, 2, "N");
    put_message(shape, 1, dim);
  }
  put_number(tensor, 1, dtype);
  put_message(tensor, 2, shape);
  put_message(type, 1, tensor);
  put_text(info, 1, name);
  put_message(info, 2, type);
  return info;
}

/* A tensor of int64 in int64_data, packed or not. */
static inline Bytes
onnx_ints(const char *name, const gint64 *values, int n, gboolean is_packed)
{
  Bytes tensor = g_byte_array_new(), packed = g_byte_array_new();
  if (is_packed) {
    put_varint(packed, (guint64)n);
    put_bytes(tensor, 1, packed->data, packed->len);
    g_byte_array_set_size(packed, 0);
  } else
    put_number(tensor, 1, n);
  put_number(tensor, 2, 7);
  for (int i = 0; i < n; i++) {
    if (is_packed)
      put_varint(packed, (guint64)values[i]);
    else
      put_number(tensor, 7, values[i]);
  }
  if (is_packed)
    put_bytes(tensor, 7, packed->data, packed->len);
  g_byte_array_unref(packed);
  put_text(tensor, 8, name);
  return tensor;
}

static inline Bytes
onnx_model(Bytes graph, int opset)
{
  Bytes model = g_byte_array_new(), set = g_byte_array_new();
  put_number(model, 1, 8);
  put_text(model, 2, "test");
  put_message(model, 7, graph);
  put_text(set, 1, "");
  put_number(set, 2, opset);
  put_message(model, 8, set);
  return model;
}
