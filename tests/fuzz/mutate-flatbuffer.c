/* SPDX-License-Identifier: MIT */
/* Offsets, vtables, lengths and elements of what looks like a flatbuffer become others, mostly such as
 * lead somewhere: to another table, into the middle of one, to the end of the file. */
#include "tests/fuzz/mutate.h"

#include <string.h>

#define MOST_DEEP 24
#define MOST_PLACES 4096

typedef enum { OFFSET, VTABLE_ENTRY, LENGTH, ELEMENT, FIELD } Kind;

typedef struct {
  uint32_t at;
  Kind kind;
} Place;

static uint32_t
load(const GByteArray *bytes, gsize at, unsigned width)
{
  uint32_t value = 0;
  if (at + width <= bytes->len)
    memcpy(&value, bytes->data + at, width);
  return GUINT32_FROM_LE(value);
}

static void
add(GArray *places, gsize at, Kind kind)
{
  Place place = {(uint32_t)at, kind};
  if (places->len < MOST_PLACES)
    g_array_append_val(places, place);
}

static void find_table(const GByteArray *bytes, gsize at, int depth, GArray *places);

/* A list whose elements may be numbers or offsets of tables: which of them, only the schema says. */
static void
find_vector(const GByteArray *bytes, gsize at, int depth, GArray *places)
{
  uint32_t n = load(bytes, at, 4);
  if (at + 4 > bytes->len || n > bytes->len - at - 4)
    return;
  add(places, at, LENGTH);
  for (uint32_t i = 0; i < MIN(n, 16u) && at + 8 + 4 * i <= bytes->len; i++) {
    gsize item = at + 4 + 4 * (gsize)i;
    uint32_t offset = load(bytes, item, 4);
    add(places, item, ELEMENT);
    if (offset >= 4 && offset < bytes->len - item)
      find_table(bytes, item + offset, depth + 1, places);
  }
}

static void
find_table(const GByteArray *bytes, gsize at, int depth, GArray *places)
{
  int64_t vtable = (int64_t)at - (int32_t)load(bytes, at, 4);
  if (depth > MOST_DEEP || places->len >= MOST_PLACES || at + 4 > bytes->len || vtable < 0 ||
      vtable + 4 > (int64_t)bytes->len)
    return;
  uint32_t n = load(bytes, (gsize)vtable, 2);
  if (n < 4 || n % 2 || n > 256 || vtable + n > bytes->len)
    return;
  add(places, at, OFFSET);
  add(places, (gsize)vtable, VTABLE_ENTRY);
  for (gsize entry = (gsize)vtable + 4; entry < (gsize)vtable + n; entry += 2) {
    gsize field = at + load(bytes, entry, 2);
    uint32_t offset = load(bytes, field, 4);
    add(places, entry, VTABLE_ENTRY);
    if (field == at || field + 4 > bytes->len)
      continue;
    add(places, field, FIELD);
    if (offset < 4 || offset >= bytes->len - field)
      continue;
    find_vector(bytes, field + offset, depth, places);
    find_table(bytes, field + offset, depth + 1, places);
  }
}

static void
store(GByteArray *bytes, gsize at, uint32_t value, unsigned width)
{
  value = GUINT32_TO_LE(value);
  if (at + width <= bytes->len)
    memcpy(bytes->data + at, &value, width);
}

bool
tn_mutate_flatbuffer(GByteArray *bytes, TnChance *chance)
{
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(Place));
  find_table(bytes, load(bytes, 0, 4), 0, places);
  if (places->len == 0)
    return false;
  const Place *place = &g_array_index(places, Place, tn_chance_draw(chance, places->len));
  const Place *other = &g_array_index(places, Place, tn_chance_draw(chance, places->len));
  uint32_t number = (uint32_t)tn_chance_number(chance), old = load(bytes, place->at, 4);
  unsigned width = place->kind == VTABLE_ENTRY ? 2 : 4;
  switch (tn_chance_draw(chance, 5)) {
  case 0: /* a little more or less */
    store(bytes, place->at, old + tn_chance_draw(chance, 17) - 8, width);
    break;
  case 1: /* to where something else is */
    store(bytes, place->at, place->kind == OFFSET ? place->at - other->at : other->at - place->at, width);
    break;
  case 2: /* the same as another of its kind */
    store(bytes, place->at, load(bytes, other->at, 4), width);
    break;
  case 3: /* to the end, or just past it */
    store(bytes, place->at, bytes->len - place->at - 2 + tn_chance_draw(chance, 4), width);
    break;
  default:
    store(bytes, place->at, number, width);
    break;
  }
  return true;
}
