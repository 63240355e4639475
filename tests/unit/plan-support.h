/* SPDX-License-Identifier: MIT */
/* What the planner tests share: random problems, a validator of their own (pairs, O(n^2)), the
 * MiniMalloc CSV files of the shared benchmarks. */
#pragma once

#include "analysis/plan/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  TnPlanProblem problem;
  tn_tick *lower, *upper;
  tn_bytes *size, *alignment, *fixed;
  uint32_t *batch, *group, *gap_first;
  uint8_t *flags;
  TnGap *gaps;
} Case;

static inline uint64_t
next_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static inline uint32_t
below(uint64_t *state, uint32_t n)
{
  return (uint32_t)(next_random(state) % n);
}

static inline Case *
case_new(uint32_t n)
{
  Case *c = g_new0(Case, 1);
  c->lower = g_new0(tn_tick, n + 1);
  c->upper = g_new0(tn_tick, n + 1);
  c->size = g_new0(tn_bytes, n + 1);
  c->problem = (TnPlanProblem){.n = n, .lower = c->lower, .upper = c->upper, .size = c->size};
  return c;
}

static inline void
case_free(Case *c)
{
  g_free(c->lower);
  g_free(c->upper);
  g_free(c->size);
  g_free(c->alignment);
  g_free(c->fixed);
  g_free(c->batch);
  g_free(c->group);
  g_free(c->gap_first);
  g_free(c->flags);
  g_free(c->gaps);
  g_free(c);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Case, case_free)

enum {
  WITH_ALIGNMENT = 1,
  WITH_FIXED = 2,
  WITH_BATCH = 4,
  WITH_GROUP = 8,
  WITH_GAPS = 16,
  WITH_NO_REUSE = 32,
  ALL_FEATURES = 63
};

static inline void
add_gaps(Case *c, uint64_t *state)
{
  c->gap_first = g_new0(uint32_t, c->problem.n + 1);
  c->gaps = g_new0(TnGap, c->problem.n + 1);
  uint32_t n_gaps = 0;
  for (uint32_t i = 0; i < c->problem.n; i++) {
    tn_tick length = c->upper[i] - c->lower[i];
    if (length >= 3 && below(state, 2) == 0) {
      TnGap *gap = &c->gaps[n_gaps++];
      gap->start = c->lower[i] + 1 + below(state, (uint32_t)length - 2);
      gap->end = gap->start + 1;
      if (c->size[i] >= 2 && below(state, 2) == 0) {
        gap->low = below(state, (uint32_t)c->size[i] - 1);
        gap->high = gap->low + 1 + below(state, (uint32_t)(c->size[i] - gap->low));
      }
    }
    c->gap_first[i + 1] = n_gaps;
  }
  c->problem.gap_first = c->gap_first;
  c->problem.gaps = c->gaps;
}

static inline void
add_features(Case *c, unsigned features, uint64_t *state)
{
  uint32_t n = c->problem.n;
  if (features & WITH_ALIGNMENT)
    c->problem.alignment = c->alignment = g_new0(tn_bytes, n + 1);
  if (features & WITH_FIXED)
    c->problem.fixed = c->fixed = g_new0(tn_bytes, n + 1);
  if (features & WITH_BATCH)
    c->problem.batch = c->batch = g_new0(uint32_t, n + 1);
  if (features & WITH_GROUP)
    c->problem.group = c->group = g_new0(uint32_t, n + 1);
  c->problem.flags = c->flags = g_new0(uint8_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (c->alignment)
      c->alignment[i] = (tn_bytes[]){1, 1, 2, 4, 3, 8}[below(state, 6)];
    if (c->fixed)
      c->fixed[i] = below(state, 6) ? TN_NOT_PLACED : 24 * (tn_bytes)below(state, 4);
    if (c->batch)
      c->batch[i] = below(state, 3) * 7;
    if (c->group && below(state, 2))
      c->group[i] = 1 + below(state, 3);
    if ((features & WITH_NO_REUSE) && below(state, 6) == 0)
      c->flags[i] |= TN_BUFFER_NO_REUSE;
    if (c->group && c->group[i] == 1)
      c->flags[i] |= TN_BUFFER_GROUP_PADDED;
  }
  if (features & WITH_GAPS)
    add_gaps(c, state);
}

static inline Case *
small_case(uint32_t n, unsigned features, uint64_t *state)
{
  Case *c = case_new(n);
  for (uint32_t i = 0; i < n; i++) {
    c->lower[i] = (tn_tick)below(state, 20) - 5;
    c->upper[i] = c->lower[i] + 1 + below(state, 9);
    c->size[i] = below(state, 12);
  }
  add_features(c, features, state);
  return c;
}

/* A row's window at one tick; false where it is dead. */
static inline bool
window_at(const TnPlanProblem *p, uint32_t i, tn_tick tick, tn_bytes *low, tn_bytes *high)
{
  bool is_whole = p->flags && (p->flags[i] & TN_BUFFER_NO_REUSE);
  *low = 0;
  *high = p->size[i];
  if (is_whole)
    return *high > 0;
  if (tick < p->lower[i] || tick >= p->upper[i])
    return false;
  for (uint32_t g = p->gap_first ? p->gap_first[i] : 0; p->gap_first && g < p->gap_first[i + 1];
       g++)
    if (p->gaps[g].start <= tick && tick < p->gaps[g].end) {
      *low = p->gaps[g].low;
      *high = p->gaps[g].high;
    }
  return *high > *low;
}

/* True where rows i and j lie in one another's way when at x and y. Ticks are small in tests with
 * gaps; without gaps the lives are compared. */
static inline bool
clash(const TnPlanProblem *p, uint32_t i, tn_bytes x, uint32_t j, tn_bytes y)
{
  bool is_apart = p->batch && p->batch[i] && p->batch[j] && p->batch[i] != p->batch[j];
  bool is_kept = p->flags && ((p->flags[i] | p->flags[j]) & TN_BUFFER_NO_REUSE);
  if (is_apart && !is_kept)
    return false;
  if (x + p->size[i] <= y || y + p->size[j] <= x || !p->size[i] || !p->size[j])
    return false;
  if (!p->gap_first && !is_kept)
    return p->lower[i] < p->upper[j] && p->lower[j] < p->upper[i];
  tn_tick from = INT64_MAX, to = INT64_MIN;
  for (uint32_t k = 0; k < p->n; k++) {
    from = MIN(from, p->lower[k]);
    to = MAX(to, p->upper[k]);
  }
  for (tn_tick t = from; t < to; t++) {
    tn_bytes low_i, high_i, low_j, high_j;
    if (window_at(p, i, t, &low_i, &high_i) && window_at(p, j, t, &low_j, &high_j) &&
        x + low_i < y + high_j && y + low_j < x + high_i)
      return true;
  }
  return false;
}

/* Below the strictest alignment of the group: the checker's rule of padding. */
static inline bool
may_pad(const TnPlanProblem *p, uint32_t group, tn_bytes space)
{
  tn_bytes strictest = 1;
  for (uint32_t i = 0; p->alignment && i < p->n; i++)
    if (p->group[i] == group)
      strictest = MAX(strictest, p->alignment[i]);
  return space >= 0 && space < strictest;
}

/* What holds no bytes lies anywhere.  Padding goes to the next multiple; around what is fixed, as far as it
 * may. */
static inline bool
is_group_kept(const TnPlanProblem *p, const tn_bytes *offset)
{
  for (uint32_t i = 0; i < p->n; i++)
    for (uint32_t j = i + 1; j < p->n; j++) {
      if (!p->group[i] || p->group[j] != p->group[i] || !p->size[i] || !p->size[j])
        continue;
      tn_bytes want = offset[i] + p->size[i];
      bool is_padded = false, has_fixed = false;
      for (uint32_t k = 0; k < p->n; k++) {
        if (p->group[k] != p->group[i])
          continue;
        is_padded |= p->flags && (p->flags[k] & TN_BUFFER_GROUP_PADDED);
        has_fixed |= p->fixed && p->size[k] && p->fixed[k] != TN_NOT_PLACED;
      }
      if (is_padded && has_fixed) {
        if (!may_pad(p, p->group[i], offset[j] - want))
          return false;
        break;
      }
      if (is_padded && p->alignment)
        want = (want + p->alignment[j] - 1) / p->alignment[j] * p->alignment[j];
      if (offset[j] != want)
        return false;
      break;
    }
  return true;
}

/* NULL where the plan keeps everything, else what it breaks. */
static inline const char *
broken(const TnPlanProblem *p, const tn_bytes *offset, tn_bytes arena)
{
  for (uint32_t i = 0; i < p->n; i++) {
    if (offset[i] < 0 || (p->size[i] && offset[i] + p->size[i] > arena))
      return "outside the arena";
    if (p->alignment && p->size[i] && offset[i] % p->alignment[i])
      return "misaligned";
    if (p->fixed && p->fixed[i] != TN_NOT_PLACED && offset[i] != p->fixed[i])
      return "fixed moved";
    for (uint32_t j = 0; j < i; j++)
      if (clash(p, i, offset[i], j, offset[j]))
        return "overlap";
  }
  return p->group && !is_group_kept(p, offset) ? "group torn apart" : NULL;
}

/* A file of MiniMalloc's form "id,lower,upper,size"; NULL where it is not there. */
static inline Case *
case_load(const char *relative)
{
  const char *shared = g_getenv("TN_SHARED");
  g_autofree char *path =
      g_build_filename(shared ? shared : "../shared", "benchmarks", relative, NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL))
    return NULL;
  g_auto(GStrv) lines = g_strsplit(g_strstrip(text), "\n", -1);
  uint32_t n = g_strv_length(lines) - 1;
  Case *c = case_new(n);
  for (uint32_t i = 0; i < n; i++) {
    char *at = strchr(lines[i + 1], ',') + 1;
    c->lower[i] = g_ascii_strtoll(at, &at, 10);
    c->upper[i] = g_ascii_strtoll(at + 1, &at, 10);
    c->size[i] = g_ascii_strtoll(at + 1, &at, 10);
  }
  return c;
}

/* Random buffers of offsets.md: start uniform in [0, 2n), about 50 alive, sizes log-uniform. */
static inline Case *
case_random(uint32_t n, uint64_t seed)
{
  Case *c = case_new(n);
  for (uint32_t i = 0; i < n; i++) {
    double u = (double)(next_random(&seed) >> 11) / 9007199254740992.0;
    double v = (double)(next_random(&seed) >> 11) / 9007199254740992.0;
    c->lower[i] = below(&seed, 2 * n);
    c->upper[i] = c->lower[i] + 1 + (tn_tick)__builtin_exp(u * __builtin_log(650.0));
    c->size[i] = (tn_bytes)__builtin_exp2(6.0 + v * 16.0);
  }
  return c;
}

/* A rectangle of `ticks` x `height` cut into n pieces by straight cuts: its optimum is `height`. */
static inline Case *
case_tiling(uint32_t n, tn_tick ticks, tn_bytes height, uint64_t seed)
{
  Case *c = case_new(n);
  c->upper[0] = ticks;
  c->size[0] = height;
  for (uint32_t made = 1; made < n;) {
    uint32_t i = below(&seed, made);
    for (uint32_t k = 0; k < 8; k++) { /* rather a large one */
      uint32_t j = below(&seed, made);
      if ((double)(c->upper[j] - c->lower[j]) * (double)c->size[j] >
          (double)(c->upper[i] - c->lower[i]) * (double)c->size[i])
        i = j;
    }
    bool is_in_time = below(&seed, 2);
    tn_tick life = c->upper[i] - c->lower[i];
    if ((is_in_time && life < 2) || (!is_in_time && c->size[i] < 2))
      continue;
    uint64_t whole = is_in_time ? (uint64_t)life : (uint64_t)c->size[i];
    int64_t part = 1 + (int64_t)(next_random(&seed) % (whole - 1));
    uint32_t j = made++;
    c->lower[j] = c->lower[i];
    c->upper[j] = c->upper[i];
    c->size[j] = c->size[i];
    if (is_in_time)
      c->upper[i] = c->lower[j] = c->lower[i] + part;
    else {
      c->size[i] = part;
      c->size[j] -= part;
    }
  }
  return c;
}
