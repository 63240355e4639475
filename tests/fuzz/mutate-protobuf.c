/* SPDX-License-Identifier: MIT */
/* A message of fields stays one: numbers change, fields come twice or go or nest in one another, and the
 * lengths of all that are around them are made right again. */
#include "tests/fuzz/mutate.h"

#include <string.h>

#define MOST_DEEP 64

typedef struct {
  gsize start, payload, end; /* of the field: its key; of bytes what follows their length */
  uint32_t type, parent;     /* row of the message around it; UINT32_MAX: the file */
} Field;

/* ---- what there is ----------------------------------------------------------------------------- */

static bool
take_varint(const GByteArray *bytes, gsize *at, gsize end, uint64_t *out)
{
  *out = 0;
  for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t byte = bytes->data[(*at)++];
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

static bool
take_field(const GByteArray *bytes, gsize at, gsize end, Field *out)
{
  uint64_t key, n;
  *out = (Field){.start = at};
  if (!take_varint(bytes, &at, end, &key) || key >> 3 == 0 || key >> 3 > 4095)
    return false;
  out->type = key & 7;
  out->payload = at;
  if (out->type == 0 && !take_varint(bytes, &at, end, &n))
    return false;
  if (out->type == 2) {
    if (!take_varint(bytes, &at, end, &n) || n > end - at)
      return false;
    out->payload = at;
    at += n;
  } else if (out->type == 1 || out->type == 5) {
    at += out->type == 1 ? 8 : 4;
  } else if (out->type != 0) {
    return false;
  }
  out->end = at;
  return at <= end;
}

/* Fields of the range and, where they could be messages, of what is in them.  What is no message is
 * not added. */
static bool
find_fields(const GByteArray *bytes, gsize at, gsize end, uint32_t parent, int depth, GArray *fields)
{
  guint before = fields->len;
  Field field;
  while (at < end) {
    if (!take_field(bytes, at, end, &field)) {
      g_array_set_size(fields, before);
      return false;
    }
    field.parent = parent;
    guint row = fields->len;
    g_array_append_val(fields, field);
    if (field.type == 2 && field.end > field.payload && depth < MOST_DEEP)
      find_fields(bytes, field.payload, field.end, row, depth + 1, fields);
    at = field.end;
  }
  return true;
}

/* ---- changing it ------------------------------------------------------------------------------- */

static gsize
put_varint(uint8_t *out, uint64_t value)
{
  gsize n = 0;
  for (; value >= 0x80; value >>= 7)
    out[n++] = (uint8_t)(value | 0x80);
  out[n++] = (uint8_t)value;
  return n;
}

/* After the message `row` has grown by `more` (within its payload): its length and those around it. */
static void
mend_lengths(GByteArray *bytes, const GArray *fields, uint32_t row, int64_t more)
{
  while (row != UINT32_MAX) {
    const Field *field = &g_array_index(fields, Field, row);
    uint8_t length[10];
    uint64_t key;
    gsize at = field->start;
    take_varint(bytes, &at, field->payload, &key);
    gsize n = put_varint(length, (uint64_t)((int64_t)(field->end - field->payload) + more));
    tn_splice(bytes, at, field->payload - at, length, n);
    more += (int64_t)n - (int64_t)(field->payload - at);
    row = field->parent;
  }
}

static void
replace(GByteArray *bytes, const GArray *fields, uint32_t parent, gsize at, gsize cut, const void *with, gsize n)
{
  tn_splice(bytes, at, cut, with, n);
  mend_lengths(bytes, fields, parent, (int64_t)n - (int64_t)cut);
}

/* Other content of the same type. */
static void
change_value(GByteArray *bytes, const GArray *fields, uint32_t row, TnChance *chance)
{
  const Field *field = &g_array_index(fields, Field, row);
  int64_t number = GINT64_TO_LE(tn_chance_number(chance));
  uint8_t varint[10];
  if (field->type == 0) {
    replace(bytes, fields, field->parent, field->payload, field->end - field->payload, varint,
            put_varint(varint, (uint64_t)GINT64_FROM_LE(number)));
  } else if (field->type != 2) {
    memcpy(bytes->data + field->payload, &number, field->end - field->payload);
  } else if (tn_chance_draw(chance, 2)) { /* packed numbers, or a text of few letters */
    g_autoptr(GByteArray) packed = g_byte_array_new();
    for (uint32_t n = tn_chance_draw(chance, 9); n > 0; n--)
      g_byte_array_append(packed, varint, (guint)put_varint(varint, (uint64_t)tn_chance_number(chance)));
    replace(bytes, fields, row, field->payload, field->end - field->payload, packed->data, packed->len);
  } else { /* what another field holds */
    const Field *other = &g_array_index(fields, Field, tn_chance_draw(chance, fields->len));
    replace(bytes, fields, row, field->payload, field->end - field->payload, bytes->data + other->payload,
            other->end - other->payload);
  }
}

/* The field in itself, some times over: a body in a body in a body. */
static void
nest(GByteArray *bytes, const GArray *fields, uint32_t row, TnChance *chance)
{
  const Field *field = &g_array_index(fields, Field, row);
  g_autoptr(GByteArray) inner = g_byte_array_new();
  gsize head = field->start;
  uint64_t key;
  uint8_t length[10];
  take_varint(bytes, &head, field->payload, &key);
  g_byte_array_append(inner, bytes->data + field->start, (guint)(field->end - field->start));
  for (uint32_t n = 1 + tn_chance_draw(chance, 200); n > 0 && inner->len < 8192; n--) {
    gsize size = put_varint(length, inner->len);
    tn_splice(inner, 0, 0, length, size);
    tn_splice(inner, 0, 0, bytes->data + field->start, head - field->start);
  }
  replace(bytes, fields, row, field->payload, 0, inner->data, inner->len);
}

bool
tn_mutate_protobuf(GByteArray *bytes, TnChance *chance)
{
  g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(Field));
  find_fields(bytes, 0, bytes->len, UINT32_MAX, 0, fields);
  if (fields->len == 0)
    return false;
  uint32_t row = tn_chance_draw(chance, fields->len);
  const Field *field = &g_array_index(fields, Field, row);
  const Field *other = &g_array_index(fields, Field, tn_chance_draw(chance, fields->len));
  gsize n = field->end - field->start;
  switch (tn_chance_draw(chance, 8)) {
  case 0:
    replace(bytes, fields, field->parent, field->start, n, NULL, 0);
    break;
  case 1: /* again, here or elsewhere */
    replace(bytes, fields, other->parent, other->start, 0, bytes->data + field->start, n);
    break;
  case 2: /* another number of field, or another type */
    bytes->data[field->start] ^= (uint8_t)(1u << tn_chance_draw(chance, 7));
    break;
  case 3:
    if (field->type != 2)
      return false;
    nest(bytes, fields, row, chance);
    break;
  default:
    change_value(bytes, fields, row, chance);
    break;
  }
  return true;
}
