/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/crowd.h"
#include "analysis/plan/pack.h"

#define FEW 20

static void
sort_few(TnForbidden *forbidden, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    TnForbidden item = forbidden[i];
    uint32_t j = i;
    for (; j > 0 && forbidden[j - 1].low > item.low; j--)
      forbidden[j] = forbidden[j - 1];
    forbidden[j] = item;
  }
}

/* Moves those with a lower end up to the pivot's to the front; returns how many (0 < k < n unless
 * all are equal, then n). */
static uint32_t
partition(TnForbidden *forbidden, uint32_t n)
{
  tn_bytes a = forbidden[0].low, b = forbidden[n / 2].low, c = forbidden[n - 1].low;
  tn_bytes pivot = MAX(MIN(a, b), MIN(MAX(a, b), c));
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    TnForbidden item = forbidden[i];
    forbidden[i] = forbidden[kept];
    forbidden[kept] = item;
    kept += item.low <= pivot;
  }
  if (kept < n)
    return kept;
  for (uint32_t i = kept = 0; i < n; i++) {
    TnForbidden item = forbidden[i];
    forbidden[i] = forbidden[kept];
    forbidden[kept] = item;
    kept += item.low < pivot;
  }
  return kept ? kept : n;
}

/* Sweeps on from *x; true where a gap was found and what lies higher need not be looked at. */
static bool
sweep(const TnBodies *bodies, uint32_t b, TnForbidden *forbidden, uint32_t n, tn_bytes *x)
{
  while (n > FEW) {
    uint32_t lower = partition(forbidden, n);
    if (lower == n)
      break;
    if (sweep(bodies, b, forbidden, lower, x))
      return true;
    forbidden += lower;
    n -= lower;
  }
  if (n <= FEW)
    sort_few(forbidden, n);
  for (uint32_t i = 0; i < n; i++) {
    if (*x <= forbidden[i].low)
      return true;
    if (*x < forbidden[i].high)
      *x = tn_bodies_align(bodies, b, forbidden[i].high);
  }
  return false;
}

tn_bytes
tn_fit_lowest(const TnBodies *bodies, uint32_t b, TnForbidden *forbidden, uint32_t n, tn_bytes from)
{
  tn_bytes x = tn_bodies_align(bodies, b, from);
  sweep(bodies, b, forbidden, n, &x);
  return x;
}

static int
compare_low(const void *a, const void *b)
{
  tn_bytes low_a = ((const TnForbidden *)a)->low, low_b = ((const TnForbidden *)b)->low;
  return (low_a > low_b) - (low_a < low_b);
}

tn_bytes
tn_fit_tightest(const TnBodies *bodies, uint32_t b, TnForbidden *forbidden, uint32_t n)
{
  tn_bytes x = tn_bodies_align(bodies, b, 0), best = -1, least = INT64_MAX;
  if (n <= FEW)
    sort_few(forbidden, n);
  else
    qsort(forbidden, n, sizeof *forbidden, compare_low);
  for (uint32_t i = 0; i < n; i++) {
    if (x <= forbidden[i].low && forbidden[i].low - x < least) {
      best = x;
      least = forbidden[i].low - x;
    }
    if (x < forbidden[i].high)
      x = tn_bodies_align(bodies, b, forbidden[i].high);
  }
  return best >= 0 ? best : x;
}

static bool
is_forbidden(const TnForbidden *forbidden, uint32_t n, tn_bytes x)
{
  for (uint32_t i = 0; i < n; i++)
    if (forbidden[i].low < x && x < forbidden[i].high)
      return true;
  return false;
}

static tn_bytes
place_fixed(TnNeighbours *neighbours,
            const TnBodies *bodies,
            TnProgress *progress,
            tn_bytes *offset,
            char **out_message)
{
  tn_bytes arena = 0;
  for (uint32_t b = 0; bodies->fixed && b < bodies->n; b++) {
    if (!tn_bodies_is_fixed(bodies, b))
      continue;
    if (b % 256 == 0 && tn_progress_is_cancelled(progress))
      return -1;
    uint32_t n;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, b, &n);
    if (is_forbidden(forbidden, n, bodies->fixed[b])) {
      if (out_message)
        *out_message = g_strdup_printf(
            "row %u is fixed where another fixed buffer lies that it may not share a place with%s",
            bodies->row[b],
            bodies->is_loose ? ", or its padded group's other buffers are: no other padding is tried" : "");
      return -1;
    }
    offset[b] = bodies->fixed[b];
    tn_neighbours_place(neighbours, b, offset[b]);
    arena = MAX(arena, offset[b] + bodies->size[b]);
  }
  return arena;
}

bool
tn_pack_fixed(TnNeighbours *neighbours,
              const TnBodies *bodies,
              TnProgress *progress,
              tn_bytes *offset,
              char **out_message)
{
  return place_fixed(neighbours, bodies, progress, offset, out_message) >= 0;
}

static uint32_t
most_alive(const TnBodies *bodies)
{
  g_autofree uint32_t *change = g_new0(uint32_t, (gsize)bodies->n_sections + 2);
  uint32_t alive = 0, most = 0;
  for (uint32_t i = 0; i < bodies->n_spans; i++) {
    change[bodies->spans[i].first]++;
    change[bodies->spans[i].last]--; /* wraps, and back */
  }
  for (uint32_t s = 0; s < bodies->n_sections; s++) {
    alive += change[s];
    most = MAX(most, alive);
  }
  return most;
}

/* What tn_pack() does, for simple bodies in the lowest gap. */
static tn_bytes
pack_crowd(TnNeighbours *neighbours,
           const TnBodies *bodies,
           const uint32_t *order,
           tn_bytes limit,
           TnProgress *progress,
           tn_bytes *offset)
{
  g_autoptr(TnCrowd) crowd = tn_crowd_new(bodies);
  tn_bytes arena = 0;
  for (uint32_t i = 0; i < bodies->n; i++) {
    uint32_t b = order[i];
    if (i % 256 == 0 && tn_progress_is_cancelled(progress))
      return -1;
    offset[b] = tn_crowd_lowest(crowd, b);
    tn_crowd_place(crowd, b, offset[b]);
    tn_neighbours_place(neighbours, b, offset[b]);
    arena = MAX(arena, offset[b] + bodies->size[b]);
    if (limit > 0 && arena > limit)
      return -1;
  }
  return arena;
}

tn_bytes
tn_pack(TnNeighbours *neighbours,
        const TnBodies *bodies,
        const uint32_t *order,
        TnFit fit,
        tn_bytes limit,
        TnProgress *progress,
        tn_bytes *offset,
        char **out_message)
{
  if (fit == TN_FIT_LOWEST && bodies->is_simple && most_alive(bodies) > TN_PACK_MANY)
    return pack_crowd(neighbours, bodies, order, limit, progress, offset);
  tn_bytes arena = place_fixed(neighbours, bodies, progress, offset, out_message);
  for (uint32_t i = 0; i < bodies->n && arena >= 0; i++) {
    uint32_t b = order[i], n;
    if (tn_bodies_is_fixed(bodies, b))
      continue;
    if (i % 256 == 0 && tn_progress_is_cancelled(progress))
      return -1;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, b, &n);
    offset[b] = fit == TN_FIT_LOWEST ? tn_fit_lowest(bodies, b, forbidden, n, 0)
                                     : tn_fit_tightest(bodies, b, forbidden, n);
    tn_neighbours_place(neighbours, b, offset[b]);
    arena = MAX(arena, offset[b] + bodies->size[b]);
    if (limit > 0 && arena > limit)
      return -1;
  }
  return arena;
}
