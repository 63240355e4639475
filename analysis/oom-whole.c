/* SPDX-License-Identifier: MIT */
/* What the device could have back of the holes of a failed request. */
#include "config.h"

#include "analysis/oom-private.h"

#define MOST_WORDS ((tn_bytes)1 << 20) /* of a set of sums: 64 M units */
#define MOST_WORK ((tn_bytes)1 << 26)  /* words written, of all groups */

typedef struct {
  uint32_t space;
  bool is_small;
  tn_bytes bytes, n;
} Pieces; /* that can be given back, each whole */

/* Groups in the order of TnHoles.groups. */
static int
compare_groups(const Pieces *x, const Pieces *y)
{
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  return y->is_small - x->is_small;
}

static int
compare_pieces(const void *a, const void *b)
{
  const Pieces *x = a, *y = b;
  int by_group = compare_groups(x, y);
  return by_group ? by_group : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* A segment is one piece; of one that grows each granule is. */
static GArray *
pieces_new(const TnHoles *holes)
{
  GArray *all = g_array_sized_new(FALSE, FALSE, sizeof(Pieces), holes->segments->len);
  for (guint i = 0; i < holes->segments->len; i++) {
    const TnSegmentState *segment = tn_holes_segment(holes, i);
    tn_bytes granule = tn_oom_granule(segment->is_small);
    Pieces row = {segment->space, segment->is_small, segment->bytes, 1};
    if (segment->is_expandable) {
      row.bytes = granule;
      row.n = segment->bytes / granule;
    }
    if (row.bytes > 0)
      g_array_append_val(all, row);
  }
  g_array_sort(all, compare_pieces);
  return all;
}

/* Sums (tn_bytes) no larger than `free_bytes`, of which every number of these pieces, sorted by size, is
 * made by taking each once or not: 1, 2, 4, … and a rest of each size. */
static GArray *
terms_new(const Pieces *pieces, guint n, tn_bytes free_bytes)
{
  GArray *terms = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  for (guint i = 0; i < n;) {
    tn_bytes bytes = pieces[i].bytes, left = 0;
    for (; i < n && pieces[i].bytes == bytes; i++)
      left = tn_add_saturated(left, pieces[i].n);
    left = MIN(left, free_bytes / bytes);
    for (tn_bytes take = 1; left > 0; left -= take, take *= 2) {
      take = MIN(take, left);
      tn_bytes term = bytes * take;
      g_array_append_val(terms, term);
    }
  }
  return terms;
}

static tn_bytes
common_unit(const GArray *terms)
{
  tn_bytes unit = 0;
  for (guint i = 0; i < terms->len; i++)
    for (tn_bytes rest = g_array_index(terms, tn_bytes, i); rest > 0;) {
      tn_bytes next = unit % rest;
      unit = rest;
      rest = next;
    }
  return unit;
}

/* Adds to a set of sums, bit u for u units, each of them with so many units more. */
static void
add_term(uint64_t *is_sum, tn_bytes n_words, tn_bytes units)
{
  tn_bytes by = units / 64;
  unsigned shift = (unsigned)(units % 64);
  for (tn_bytes w = n_words - 1; w >= by; w--) {
    uint64_t below = shift && w > by ? is_sum[w - by - 1] >> (64 - shift) : 0;
    is_sum[w] |= is_sum[w - by] << shift | below;
  }
}

static bool
has_sum(const uint64_t *is_sum, tn_bytes units)
{
  return is_sum[units / 64] >> (units % 64) & 1;
}

/* The most of these pieces, sorted by size, that make up no more than so many bytes.  Where that is too
 * much work, what no more than a unit more would pass: of so many sizes, some sum is as good as there. */
static tn_bytes
most_of(const Pieces *pieces, guint n_pieces, tn_bytes free_bytes, tn_bytes most_work)
{
  g_autoptr(GArray) terms = terms_new(pieces, n_pieces, free_bytes);
  tn_bytes unit = common_unit(terms), sum = 0;
  if (unit == 0)
    return 0;
  for (guint i = 0; i < terms->len; i++)
    sum = tn_add_saturated(sum, g_array_index(terms, tn_bytes, i));
  tn_bytes n = MIN(sum, free_bytes) / unit, n_words = n / 64 + 1;
  if (n_words > MOST_WORDS || n_words > most_work / terms->len)
    return n * unit;
  g_autofree uint64_t *is_sum = g_new0(uint64_t, n_words);
  is_sum[0] = 1;
  for (guint i = 0; i < terms->len && !has_sum(is_sum, n); i++)
    add_term(is_sum, n_words, g_array_index(terms, tn_bytes, i) / unit);
  while (!has_sum(is_sum, n))
    n--;
  return n * unit;
}

tn_bytes *
tn_oom_sum_whole(const TnHoles *holes)
{
  tn_bytes *whole = g_new(tn_bytes, holes->groups->len);
  g_autoptr(GArray) all = pieces_new(holes);
  const Pieces *pieces = (const Pieces *)(const void *)all->data;
  guint first = 0, next = 0;
  for (guint i = 0; i < holes->groups->len; i++, first = next) {
    const TnHoleGroup *group = &g_array_index(holes->groups, TnHoleGroup, i);
    Pieces key = {.space = group->space, .is_small = group->is_small};
    while (next < all->len && compare_groups(&pieces[next], &key) == 0)
      next++;
    whole[i] = most_of(pieces + first, next - first, group->free_bytes, MOST_WORK / holes->groups->len);
  }
  return whole;
}
