/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/protobuf.h"

#include <string.h>

TnWire
tn_wire(const uint8_t *data, gsize size, TnWireFailure *failure)
{
  return (TnWire){data, data + size, failure};
}

TnWire
tn_wire_message(const TnWireField *field, TnWireFailure *failure)
{
  static const uint8_t nothing[1];
  if (field->type == TN_WIRE_BYTES)
    return tn_wire(field->data, field->size, failure);
  if (!failure->found) {
    failure->at = (gsize)(field->key - failure->base);
    failure->found = "a number";
    failure->expected = "a message (a length and its bytes)";
  }
  return tn_wire(nothing, 0, failure);
}

void
tn_wire_fail(TnWire *wire, const char *found, const char *expected, bool is_truncated)
{
  TnWireFailure *failure = wire->failure;
  if (!failure->found) {
    failure->at = (gsize)(wire->at - failure->base);
    failure->found = found;
    failure->expected = expected;
    failure->is_truncated = is_truncated;
  }
  wire->at = wire->end;
}

bool
tn_wire_varint(TnWire *wire, uint64_t *out_value)
{
  uint64_t value = 0;
  if (wire->at == wire->end || wire->failure->found)
    return false;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (wire->at == wire->end) {
      tn_wire_fail(wire, "the end of a message inside a number", "a complete varint", true);
      return false;
    }
    uint8_t byte = *wire->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out_value = value;
      return true;
    }
  }
  tn_wire_fail(wire, "a number of more than ten bytes", "a varint", false);
  return false;
}

static bool
take_fixed(TnWire *wire, unsigned width, uint64_t *out_value)
{
  if ((gsize)(wire->end - wire->at) < width) {
    tn_wire_fail(wire, "the end of a message inside a number", "4 or 8 more bytes", true);
    return false;
  }
  *out_value = 0;
  memcpy(out_value, wire->at, width);
  wire->at += width;
  return true;
}

static bool
take_bytes(TnWire *wire, TnWireField *field)
{
  uint64_t size;
  if (wire->at == wire->end) {
    tn_wire_fail(wire, "the end of a message", "the length of a field", true);
    return false;
  }
  if (!tn_wire_varint(wire, &size))
    return false;
  if (size > (uint64_t)(wire->end - wire->at)) {
    tn_wire_fail(wire, "a length that passes the end of its message", "at most the bytes left",
                 true);
    return false;
  }
  field->data = wire->at;
  field->size = (gsize)size;
  wire->at += size;
  return true;
}

bool
tn_wire_next(TnWire *wire, TnWireField *out_field)
{
  const uint8_t *at = wire->at;
  uint64_t key;
  if (!tn_wire_varint(wire, &key))
    return false;
  *out_field = (TnWireField){.number = (uint32_t)(key >> 3), .type = key & 7, .key = at};
  if (key >> 3 == 0 || key >> 3 > 536870911) {
    tn_wire_fail(wire, "a field number that can't be", "a number from 1 to 536870911", false);
    return false;
  }
  switch (out_field->type) {
  case TN_WIRE_VARINT:
    if (wire->at == wire->end)
      tn_wire_fail(wire, "the end of a message after a key", "a number", true);
    return tn_wire_varint(wire, &out_field->value);
  case TN_WIRE_64:
    return take_fixed(wire, 8, &out_field->value);
  case TN_WIRE_32:
    return take_fixed(wire, 4, &out_field->value);
  case TN_WIRE_BYTES:
    return take_bytes(wire, out_field);
  default:
    tn_wire_fail(wire, "a group or an unknown wire type", "wire type 0, 1, 2 or 5", false);
    return false;
  }
}

gsize
tn_wire_count(const TnWireField *field, unsigned width)
{
  if (field->type != TN_WIRE_BYTES)
    return 1;
  if (width)
    return field->size / width;
  gsize n = 0;
  for (gsize i = 0; i < field->size; i++)
    n += field->data[i] < 0x80;
  return n;
}
