/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/flatbuffer.h"

#include "data/error.h"

#include <string.h>

/* Lists may come to so many times the file (which readers go through more than once), and 64 KiB. */
#define MOST_SHARED 64
#define LEAST_SHARED ((gsize)64 << 10)

bool
tn_flat_fail(TnFlat *flat, gsize at, const char *found, const char *expected)
{
  if (!flat->found) {
    flat->at = at;
    flat->found = found;
    flat->expected = expected;
  }
  return false;
}

static bool
is_inside(const TnFlat *flat, gsize at, gsize size)
{
  return at <= flat->size && size <= flat->size - at;
}

static int64_t
load(const TnFlat *flat, gsize at, unsigned width)
{
  uint64_t bits = 0;
  memcpy(&bits, flat->data + at, width);
  if (width < 8 && bits >> (width * 8 - 1) & 1)
    bits |= ~(uint64_t)0 << (width * 8);
  return (int64_t)bits;
}

static uint32_t
load_u32(const TnFlat *flat, gsize at)
{
  return (uint32_t)load(flat, at, 4);
}

static bool
open_table(TnFlat *flat, gsize at, TnFlatTable *out_table)
{
  memset(out_table, 0, sizeof *out_table);
  if (!is_inside(flat, at, 4))
    return tn_flat_fail(flat, at, "a table outside the file", "an offset within it");
  int64_t vtable = (int64_t)at - load(flat, at, 4);
  if (vtable < 0 || !is_inside(flat, (gsize)vtable, 4))
    return tn_flat_fail(flat, at, "a vtable outside the file", "an offset within it");
  uint16_t vtable_size = (uint16_t)load(flat, (gsize)vtable, 2);
  uint16_t table_size = (uint16_t)load(flat, (gsize)vtable + 2, 2);
  if (vtable_size < 4 || vtable_size % 2 != 0 || !is_inside(flat, (gsize)vtable, vtable_size) ||
      table_size < 4 || !is_inside(flat, at, table_size))
    return tn_flat_fail(flat, (gsize)vtable, "a vtable with sizes that can't be",
                        "sizes within the file");
  *out_table = (TnFlatTable){at, (gsize)vtable, vtable_size, table_size};
  return true;
}

bool
tn_flat_root(TnFlat *flat, TnFlatTable *out_table)
{
  memset(out_table, 0, sizeof *out_table);
  if (!is_inside(flat, 0, 8))
    return tn_flat_fail(flat, 0, "fewer than 8 bytes", "the offset of the root table");
  return open_table(flat, load_u32(flat, 0), out_table);
}

/* Where a field of `width` bytes lies; 0: absent. */
static gsize
find_field(TnFlat *flat, const TnFlatTable *table, unsigned slot, unsigned width)
{
  gsize entry = 4 + 2 * (gsize)slot;
  if (table->at == 0 || entry + 2 > table->vtable_size)
    return 0;
  uint16_t offset = (uint16_t)load(flat, table->vtable + entry, 2);
  if (offset == 0)
    return 0;
  if (offset < 4 || (gsize)offset + width > table->table_size) {
    tn_flat_fail(flat, table->vtable + entry, "a field outside its table", "an offset within it");
    return 0;
  }
  return table->at + offset;
}

int64_t
tn_flat_int(TnFlat *flat, const TnFlatTable *table, unsigned slot, unsigned width,
            int64_t fallback)
{
  gsize at = find_field(flat, table, slot, width);
  return at ? load(flat, at, width) : fallback;
}

bool
tn_flat_table(TnFlat *flat, const TnFlatTable *table, unsigned slot, TnFlatTable *out_table)
{
  gsize at = find_field(flat, table, slot, 4);
  memset(out_table, 0, sizeof *out_table);
  return at && open_table(flat, at + load_u32(flat, at), out_table);
}

bool
tn_flat_take(TnFlat *flat, gsize at, gsize bytes)
{
  flat->taken += bytes;
  return flat->taken / MOST_SHARED <= flat->size + LEAST_SHARED ||
         tn_flat_fail(flat, at, "a list that too many tables share",
                      "lists that are each table's own");
}

TnFlatVector
tn_flat_vector(TnFlat *flat, const TnFlatTable *table, unsigned slot, unsigned width)
{
  TnFlatVector none = {0, 0};
  gsize at = find_field(flat, table, slot, 4);
  if (!at)
    return none;
  gsize start = at + load_u32(flat, at);
  if (!is_inside(flat, start, 4)) {
    tn_flat_fail(flat, at, "a list outside the file", "an offset within it");
    return none;
  }
  uint32_t n = load_u32(flat, start);
  if (!is_inside(flat, start + 4, (gsize)n * width)) {
    tn_flat_fail(flat, start, "a list that passes the end of the file",
                 "at most as many elements as there are bytes");
    return none;
  }
  if (width > 1 && !tn_flat_take(flat, start, (gsize)n * width))
    return none;
  return (TnFlatVector){start + 4, n};
}

const char *
tn_flat_text(TnFlat *flat, const TnFlatTable *table, unsigned slot, gsize *out_length)
{
  TnFlatVector vector = tn_flat_vector(flat, table, slot, 1);
  *out_length = tn_flat_take(flat, vector.at, vector.n) ? vector.n : 0;
  return *out_length ? (const char *)flat->data + vector.at : "";
}

int64_t
tn_flat_vector_int(const TnFlat *flat, const TnFlatVector *vector, uint32_t i, unsigned width)
{
  return load(flat, vector->at + (gsize)i * width, width);
}

bool
tn_flat_vector_table(TnFlat *flat, const TnFlatVector *vector, uint32_t i, TnFlatTable *out_table)
{
  gsize at = vector->at + (gsize)i * 4;
  memset(out_table, 0, sizeof *out_table);
  if (i >= vector->n)
    return tn_flat_fail(flat, at, "an element behind the end of its list", "one within it");
  return open_table(flat, at + load_u32(flat, at), out_table);
}

#define REPORT_EVERY 4096

bool
tn_flat_report(TnProgress *progress, const char *name, uint32_t i, uint32_t n, GError **error)
{
  if (i % REPORT_EVERY != 0)
    return true;
  tn_progress_report(progress, (double)i / n, "Reading");
  if (!tn_progress_is_cancelled(progress))
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", name);
  return false;
}
