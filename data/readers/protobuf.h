/* SPDX-License-Identifier: MIT */
/* Protobuf's wire format over mapped memory: fields one after the other, nothing copied.
 *
 *   key = number << 3 | type:  0 varint · 1 eight bytes · 2 length + bytes · 5 four bytes
 *
 * Groups (types 3 and 4) are refused. */
#pragma once

#include "data/types.h"

typedef enum { TN_WIRE_VARINT = 0, TN_WIRE_64 = 1, TN_WIRE_BYTES = 2, TN_WIRE_32 = 5 } TnWireType;

/* Where and why reading failed; shared by all cursors of a file. The first failure stays. */
typedef struct {
  const uint8_t *base;
  gsize at;          /* byte of the file */
  const char *found; /* NULL: nothing failed */
  const char *expected;
  bool is_truncated;
} TnWireFailure;

typedef struct {
  const uint8_t *at, *end;
  TnWireFailure *failure;
} TnWire;

typedef struct {
  uint32_t number;
  uint8_t type;
  const uint8_t *key;  /* where its key lies */
  uint64_t value;      /* varint, 32 and 64 bits */
  const uint8_t *data; /* TN_WIRE_BYTES */
  gsize size;
} TnWireField;

/* A cursor over `size` bytes of the file. */
TnWire tn_wire(const uint8_t *data, gsize size, TnWireFailure *failure);
/* A cursor over a field's bytes; over nothing (and a failure) where the field has another type. */
TnWire tn_wire_message(const TnWireField *field, TnWireFailure *failure);

/* The next field; false at the end and after a failure. */
bool tn_wire_next(TnWire *wire, TnWireField *out_field);
/* The next bare varint (of a packed field); false at the end and after a failure. */
bool tn_wire_varint(TnWire *wire, uint64_t *out_value);

void tn_wire_fail(TnWire *wire, const char *found, const char *expected, bool is_truncated);

/* How many scalars a repeated field's piece holds: 1 unless it is packed.  `width`: 0 for varints,
 * else 4 or 8. */
gsize tn_wire_count(const TnWireField *field, unsigned width);
