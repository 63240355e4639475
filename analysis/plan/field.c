/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/field.h"
#include "analysis/plan/order.h"

/* What 32 bits hold with room for sums of two, below what the search takes for endless. */
#define LARGEST (INT32_MAX / 5)

/* The unit that divides all that an offset can be made of; 0 for no bodies. */
static tn_bytes
common_unit(const TnBodies *bodies, const uint32_t *ids, uint32_t n)
{
  tn_bytes unit = 0;
  for (uint32_t i = 0; i < n && unit != 1; i++) {
    uint32_t b = ids[i];
    unit = tn_gcd(bodies->size[b], unit);
    if (bodies->alignment && bodies->alignment[b] > 1)
      unit = tn_gcd(bodies->residue[b], tn_gcd(bodies->alignment[b], unit));
    if (tn_bodies_is_fixed(bodies, b))
      unit = tn_gcd(bodies->fixed[b], unit);
  }
  return unit;
}

/* Sets the unit; rounds up where heights up to `height` in the exact one do not fit into 32 bits
 * (only where nothing is aligned or fixed).  False where it cannot be helped. */
static bool
choose_unit(
    TnField *field, const TnBodies *bodies, const uint32_t *ids, uint32_t n, tn_bytes height)
{
  tn_bytes largest = 0;
  field->unit = MAX(common_unit(bodies, ids, n), 1);
  for (uint32_t i = 0; i < n; i++) {
    largest = MAX(largest, bodies->alignment ? bodies->alignment[ids[i]] : 0);
    largest = MAX(largest, bodies->size[ids[i]]);
    if (tn_bodies_is_fixed(bodies, ids[i]))
      largest = MAX(largest, bodies->fixed[ids[i]] + bodies->size[ids[i]]);
  }
  height = MAX(height, largest);
  if (height / field->unit < LARGEST)
    return true;
  if (bodies->alignment || bodies->fixed)
    return false;
  /* Each of those on top of one another may grow by a unit. */
  while (height / field->unit + n >= LARGEST)
    field->unit *= 2;
  field->is_rounded = true;
  return true;
}

static void
fill_numbers(TnField *field, const TnBodies *bodies, const uint32_t *ids)
{
  field->alignment = bodies->alignment ? g_new(int32_t, field->n) : NULL;
  field->residue = bodies->alignment ? g_new(int32_t, field->n) : NULL;
  field->fixed = bodies->fixed ? g_new(int32_t, field->n) : NULL;
  for (uint32_t i = 0; i < field->n; i++) {
    uint32_t b = ids[i];
    field->size[i] = (int32_t)((bodies->size[b] + field->unit - 1) / field->unit);
    field->start[i] = bodies->start[b];
    field->end[i] = bodies->end[b];
    field->body[i] = b;
    if (field->alignment) {
      field->alignment[i] = (int32_t)MAX(bodies->alignment[b] / field->unit, 1);
      field->residue[i] = (int32_t)(bodies->residue[b] / field->unit);
    }
    if (field->fixed)
      field->fixed[i] =
          tn_bodies_is_fixed(bodies, b) ? (int32_t)(bodies->fixed[b] / field->unit) : -1;
  }
}

static int
compare_ranges(const void *left, const void *right)
{
  uint32_t a = ((const TnRange *)left)->first, b = ((const TnRange *)right)->first;
  return (a > b) - (a < b);
}

/* Appends the sections of body `b`, counted from `base`: ranges in order, those that touch joined.
 */
static void
add_ranges(GArray *ranges, const TnBodies *bodies, uint32_t b, uint32_t base)
{
  guint first = ranges->len, kept = first;
  for (uint32_t k = bodies->span_first[b]; k < bodies->span_first[b + 1]; k++) {
    TnRange range = {bodies->spans[k].first - base, bodies->spans[k].last - base};
    g_array_append_val(ranges, range);
  }
  TnRange *rows = (TnRange *)(void *)ranges->data;
  qsort(rows + first, ranges->len - first, sizeof *rows, compare_ranges);
  for (guint i = first + 1; i < ranges->len; i++) {
    if (rows[i].first <= rows[kept].last)
      rows[kept].last = MAX(rows[kept].last, rows[i].last);
    else
      rows[++kept] = rows[i];
  }
  g_array_set_size(ranges, kept + 1);
}

/* Ranges of sections, counted from the part's first section. */
static void
fill_ranges(TnField *field, const TnBodies *bodies, const uint32_t *ids)
{
  GArray *ranges = g_array_new(FALSE, FALSE, sizeof(TnRange));
  uint32_t base = UINT32_MAX;
  for (uint32_t i = 0; i < field->n; i++)
    for (uint32_t k = bodies->span_first[ids[i]]; k < bodies->span_first[ids[i] + 1]; k++)
      base = MIN(base, bodies->spans[k].first);
  for (uint32_t i = 0; i < field->n; i++) {
    add_ranges(ranges, bodies, ids[i], base);
    field->range_first[i + 1] = ranges->len;
    field->hull[i].first = g_array_index(ranges, TnRange, field->range_first[i]).first;
    field->hull[i].last = g_array_index(ranges, TnRange, ranges->len - 1).last;
    field->n_sections = MAX(field->n_sections, field->hull[i].last);
  }
  field->ranges = (TnRange *)(void *)g_array_free(ranges, FALSE);
}

static void
fill_members(TnField *field)
{
  int64_t load;
  field->member_first = g_new0(uint32_t, (gsize)field->n_sections + 2);
  for (uint32_t k = 0; k < field->range_first[field->n]; k++)
    for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++)
      field->member_first[s + 2]++;
  for (uint32_t s = 0; s < field->n_sections; s++)
    field->member_first[s + 2] += field->member_first[s + 1];
  field->member = g_new(uint32_t, (gsize)field->member_first[field->n_sections + 1] + 1);
  for (uint32_t i = 0; i < field->n; i++)
    for (uint32_t k = field->range_first[i]; k < field->range_first[i + 1]; k++)
      for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++)
        field->member[field->member_first[s + 1]++] = i;
  for (uint32_t s = 0; s < field->n_sections; s++) {
    load = 0;
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++)
      load += field->size[field->member[k]];
    field->load = MAX(field->load, (int32_t)load);
  }
}

static void
fill_neighbours(TnField *field)
{
  field->n_words = (field->n + 63) / 64;
  field->is_near = g_new0(uint64_t, (gsize)field->n * field->n_words);
  for (uint32_t s = 0; s < field->n_sections; s++)
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++) {
      uint32_t a = field->member[k];
      /* Pairs that met in the section before are known. */
      bool is_new =
          field->hull[a].first == s || field->range_first[a + 1] - field->range_first[a] > 1;
      for (uint32_t j = field->member_first[s]; is_new && j < field->member_first[s + 1]; j++) {
        uint32_t b = field->member[j];
        if (a == b)
          continue;
        field->is_near[(gsize)a * field->n_words + b / 64] |= 1ull << (b % 64);
        field->is_near[(gsize)b * field->n_words + a / 64] |= 1ull << (a % 64);
      }
    }
  field->near_first = g_new0(uint32_t, (gsize)field->n + 1);
  GArray *near = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t a = 0; a < field->n; a++) {
    for (uint32_t w = 0; w < field->n_words; w++)
      for (uint64_t bits = field->is_near[(gsize)a * field->n_words + w]; bits; bits &= bits - 1) {
        uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(bits);
        g_array_append_val(near, b);
      }
    field->near_first[a + 1] = near->len;
  }
  field->near = (uint32_t *)(void *)g_array_free(near, FALSE);
}

/* Members of all sections together, before any is stored. */
static uint64_t
count_members(const TnField *field)
{
  uint64_t count = 0;
  for (uint32_t k = 0; k < field->range_first[field->n]; k++)
    count += field->ranges[k].last - field->ranges[k].first;
  return count;
}

TnField *
tn_field_new(const TnBodies *bodies, const uint32_t *ids, uint32_t n, tn_bytes height)
{
  if (n == 0 || n > TN_FIELD_BODIES_MAX)
    return NULL;
  g_autoptr(TnField) field = g_new0(TnField, 1);
  field->n = n;
  field->size = g_new(int32_t, n);
  field->start = g_new(tn_tick, n);
  field->end = g_new(tn_tick, n);
  field->body = g_new(uint32_t, n);
  field->hull = g_new(TnRange, n);
  field->range_first = g_new0(uint32_t, (gsize)n + 1);
  if (!choose_unit(field, bodies, ids, n, height))
    return NULL;
  fill_numbers(field, bodies, ids);
  fill_ranges(field, bodies, ids);
  if (count_members(field) > TN_FIELD_PAIRS_MAX)
    return NULL;
  fill_members(field);
  fill_neighbours(field);
  return g_steal_pointer(&field);
}

void
tn_field_free(TnField *field)
{
  if (!field)
    return;
  g_free(field->size);
  g_free(field->alignment);
  g_free(field->residue);
  g_free(field->fixed);
  g_free(field->range_first);
  g_free(field->ranges);
  g_free(field->hull);
  g_free(field->near_first);
  g_free(field->near);
  g_free(field->member_first);
  g_free(field->member);
  g_free(field->is_near);
  g_free(field->body);
  g_free(field->start);
  g_free(field->end);
  g_free(field);
}

uint32_t *
tn_field_new_parts(const TnBodies *bodies, uint32_t **out_first, uint32_t *out_n)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  g_autofree int32_t *step = g_new0(int32_t, (gsize)bodies->n_sections + 2);
  uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  for (uint32_t b = 0; b < bodies->n; b++) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t k = bodies->span_first[b]; k < bodies->span_first[b + 1]; k++) {
      first = MIN(first, bodies->spans[k].first);
      last = MAX(last, bodies->spans[k].last);
    }
    key[b] = first;
    if (last) {
      step[first]++;
      step[last - 1]--;
    }
  }
  /* A part ends after a section that no hull goes beyond. */
  g_autofree uint32_t *part = g_new(uint32_t, (gsize)bodies->n_sections + 1);
  uint32_t n_parts = 0;
  for (int64_t s = 0, through = 0; s < bodies->n_sections; s++) {
    part[s] = n_parts;
    through += step[s];
    n_parts += through == 0;
  }
  uint32_t n = 0;
  for (uint32_t b = 0; b < bodies->n; b++)
    key[b] = key[b] == UINT32_MAX ? UINT64_MAX : part[key[b]];
  tn_order_by_key(key, bodies->n, order);
  *out_first = g_new0(uint32_t, (gsize)n_parts + 1);
  for (; n < bodies->n && key[order[n]] != UINT64_MAX; n++)
    (*out_first)[key[order[n]] + 1] = n + 1;
  *out_n = n_parts;
  return order;
}
