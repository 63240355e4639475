/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/sequence.h"

#include "analysis/diff/increasing.h"

#define MAX_DIFFERENCES 64
#define SMALL 256 /* shorter stretches need no anchors */

typedef struct {
  const uint64_t *a, *b;
  uint32_t *b_of_a;
} Aligner;

typedef struct {
  uint32_t a0, a1, b0, b1; /* [a0, a1) beside [b0, b1) */
} Stretch;

/* ---- Myers --------------------------------------------------------------------------------------
 */

/* reach[d][k]: how far along a the paths with d differences come on diagonal k - MAX; -1: none. */
typedef struct {
  int64_t reach[MAX_DIFFERENCES + 1][2 * MAX_DIFFERENCES + 3];
} Paths;

static int64_t
slide(const Aligner *al, const Stretch *s, int64_t x, int64_t k)
{
  int64_t n = s->a1 - s->a0, m = s->b1 - s->b0;
  while (x < n && x - k < m && al->a[s->a0 + x] == al->b[s->b0 + (x - k)])
    x++;
  return x;
}

/* The furthest start of diagonal k with one difference more than row `last`. */
static int64_t
step_onto(const int64_t *last, const Stretch *s, int64_t k)
{
  int64_t n = s->a1 - s->a0, m = s->b1 - s->b0, best = -1;
  const int64_t *at = last + (k + MAX_DIFFERENCES + 1);
  if (at[-1] >= 0 && at[-1] < n) /* one of a alone */
    best = at[-1] + 1;
  if (at[1] >= 0 && at[1] - k <= m) /* one of b alone */
    best = MAX(best, at[1]);
  return best;
}

static void
fill_none(int64_t *row)
{
  for (int i = 0; i < 2 * MAX_DIFFERENCES + 3; i++)
    row[i] = -1;
}

/* Runs until the end of both or MAX_DIFFERENCES; returns the number of differences and the diagonal
 * of the furthest path. */
static int
search(const Aligner *al, const Stretch *s, Paths *paths, int64_t *out_k)
{
  int64_t n = s->a1 - s->a0, m = s->b1 - s->b0;
  for (int d = 0; d <= MAX_DIFFERENCES; d++) {
    int64_t furthest = -1;
    fill_none(paths->reach[d]);
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = d ? step_onto(paths->reach[d - 1], s, k) : 0;
      if (x < 0)
        continue;
      x = slide(al, s, x, k);
      paths->reach[d][k + MAX_DIFFERENCES + 1] = x;
      if (2 * x - k > furthest) {
        furthest = 2 * x - k;
        *out_k = k;
      }
    }
    if (furthest == n + m)
      return d;
  }
  return MAX_DIFFERENCES;
}

/* Writes down the path backwards: on each diagonal what was equal. */
static void
commit(const Aligner *al, const Stretch *s, const Paths *paths, int d, int64_t k)
{
  int64_t x = paths->reach[d][k + MAX_DIFFERENCES + 1];
  for (; d >= 0; d--) {
    const int64_t *last = d ? &paths->reach[d - 1][k + MAX_DIFFERENCES + 1] : NULL;
    int64_t from = d ? step_onto(paths->reach[d - 1], s, k) : 0;
    while (x > from) {
      x--;
      al->b_of_a[s->a0 + x] = (uint32_t)(s->b0 + (x - k));
    }
    if (!last)
      return;
    bool is_a_alone = last[-1] >= 0 && last[-1] + 1 == from && last[-1] < s->a1 - s->a0;
    x = is_a_alone ? last[-1] : last[1];
    k += is_a_alone ? -1 : 1;
  }
}

static void
walk(const Aligner *al, Stretch s)
{
  g_autofree Paths *paths = g_new(Paths, 1);
  while (s.a0 < s.a1 && s.b0 < s.b1) {
    int64_t k = 0;
    int d = search(al, &s, paths, &k);
    int64_t x = paths->reach[d][k + MAX_DIFFERENCES + 1];
    commit(al, &s, paths, d, k);
    s.a0 += (uint32_t)x;
    s.b0 += (uint32_t)(x - k);
  }
}

/* ---- anchors
 * ------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t hash;
  uint32_t in_a, in_b; /* + 1; 0: not there; TN_NONE: more than once */
} Slot;

typedef struct {
  uint32_t a, b;
} Anchor;

static uint64_t
hash_run(const uint64_t *keys, uint32_t n)
{
  uint64_t hash = n;
  for (uint32_t i = 0; i < n; i++) {
    hash = (hash ^ keys[i]) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

static Slot *
find_slot(Slot *slots, uint64_t mask, uint64_t hash)
{
  uint64_t at = hash * 0xD6E8FEB86659FD93ull >> 20 & mask;
  while ((slots[at].in_a || slots[at].in_b) && slots[at].hash != hash)
    at = (at + 1) & mask;
  return &slots[at];
}

/* Runs of `run` keys that stand once in each stretch, by their place in a. */
static GArray *
find_unique(const Aligner *al, const Stretch *s, uint32_t run)
{
  GArray *anchors = g_array_new(FALSE, FALSE, sizeof(Anchor));
  if (s->a1 - s->a0 < run || s->b1 - s->b0 < run)
    return anchors;
  uint64_t size = 16;
  while (size < 2 * (uint64_t)(s->a1 - s->a0))
    size *= 2;
  g_autofree Slot *slots = g_new0(Slot, size);
  for (uint32_t i = s->a0; i + run <= s->a1; i++) {
    uint64_t hash = hash_run(al->a + i, run);
    Slot *slot = find_slot(slots, size - 1, hash);
    *slot = (Slot){hash, slot->in_a ? TN_NONE : i + 1, 0};
  }
  for (uint32_t i = s->b0; i + run <= s->b1; i++) {
    Slot *slot = find_slot(slots, size - 1, hash_run(al->b + i, run));
    if (slot->in_a)
      slot->in_b = slot->in_b ? TN_NONE : i + 1;
  }
  for (uint32_t i = s->a0; i + run <= s->a1; i++) {
    const Slot *slot = find_slot(slots, size - 1, hash_run(al->a + i, run));
    if (slot->in_a == i + 1 && slot->in_b && slot->in_b != TN_NONE &&
        al->a[i] == al->b[slot->in_b - 1])
      g_array_append_val(anchors, ((Anchor){i, slot->in_b - 1}));
  }
  return anchors;
}

static void align(const Aligner *al, Stretch s, int level);

/* Aligns between the anchors that keep their order; false where there are none. */
static bool
align_between(const Aligner *al, const Stretch *s, int level)
{
  static const uint32_t runs[] = {1, 4, 16};
  g_autoptr(GArray) anchors = find_unique(al, s, runs[level]);
  if (anchors->len == 0)
    return false;
  const Anchor *rows = (const Anchor *)(const void *)anchors->data;
  g_autofree int64_t *places = g_new(int64_t, anchors->len);
  g_autofree uint8_t *keep = g_new(uint8_t, anchors->len);
  for (guint i = 0; i < anchors->len; i++)
    places[i] = rows[i].b;
  tn_increasing_mark(places, anchors->len, keep);
  Stretch gap = *s;
  for (guint i = 0; i < anchors->len; i++) {
    if (!keep[i])
      continue;
    al->b_of_a[rows[i].a] = rows[i].b;
    gap.a1 = rows[i].a;
    gap.b1 = rows[i].b;
    align(al, gap, level + 1);
    gap = (Stretch){rows[i].a + 1, s->a1, rows[i].b + 1, s->b1};
  }
  align(al, gap, level + 1);
  return true;
}

static void
strip_ends(const Aligner *al, Stretch *s)
{
  while (s->a0 < s->a1 && s->b0 < s->b1 && al->a[s->a0] == al->b[s->b0])
    al->b_of_a[s->a0++] = s->b0++;
  while (s->a0 < s->a1 && s->b0 < s->b1 && al->a[s->a1 - 1] == al->b[s->b1 - 1])
    al->b_of_a[--s->a1] = --s->b1;
}

static void
align(const Aligner *al, Stretch s, int level)
{
  strip_ends(al, &s);
  if (s.a0 == s.a1 || s.b0 == s.b1)
    return;
  for (; level < 3 && (uint64_t)(s.a1 - s.a0) + (s.b1 - s.b0) > SMALL; level++)
    if (align_between(al, &s, level))
      return;
  walk(al, s);
}

void
tn_sequence_align(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, uint32_t *b_of_a)
{
  Aligner aligner = {a, b, b_of_a};
  for (uint32_t i = 0; i < n; i++)
    b_of_a[i] = TN_NONE;
  align(&aligner, (Stretch){0, n, 0, m}, 0);
}
