/* SPDX-License-Identifier: MIT */
/* Fixed slots for the few common sizes, a pool for the rest: what an allocator does that knows its
 * sizes beforehand.
 *
 *   0 [fixed bodies][slots of size a][slots of size b] … [ the pool of all others … ]
 */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/colour.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/order.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"

#include <string.h>

#define N_SIZES_MAX 8u   /* so many sizes get slots at most */
#define COMMON_SHARE 32u /* and only sizes of one body in so many */

typedef struct {
  tn_bytes size;
  uint32_t first, n; /* bodies of it: a stretch of the order by size */
} Class;

/* The most common sizes, largest count first.  `by_size` is the order by descending size. */
static uint32_t
find_classes(const TnBodies *bodies, const uint32_t *by_size, Class *classes)
{
  uint32_t n = 0;
  for (uint32_t i = 0, next; i < bodies->n; i = next) {
    for (next = i + 1; next < bodies->n && bodies->size[by_size[next]] == bodies->size[by_size[i]];)
      next++;
    Class class = {bodies->size[by_size[i]], i, next - i};
    if (class.n < 2 || class.n < bodies->n / COMMON_SHARE)
      continue;
    uint32_t k = n < N_SIZES_MAX ? n++ : N_SIZES_MAX - 1;
    if (k == N_SIZES_MAX - 1 && classes[k].size && classes[k].n >= class.n)
      continue;
    for (; k > 0 && classes[k - 1].n < class.n; k--)
      classes[k] = classes[k - 1];
    classes[k] = class;
  }
  return n;
}

/* Bodies of one class by start, so that the fewest slots do. */
static void
sort_by_start(const TnBodies *bodies, uint32_t *ids, uint32_t n, uint64_t *key)
{
  for (uint32_t i = 0; i < n; i++)
    key[ids[i]] = (uint64_t)bodies->start[ids[i]] ^ (1ull << 63);
  tn_order_again(key, n, ids);
}

/* Slots of all classes, stacked from `base`; returns their top, -1 on overflow or cancelled.  Takes
 * the bodies that got a slot out of `order` (they become TN_NONE). */
static tn_bytes
fill_slots(TnNeighbours *neighbours,
           const TnBodies *bodies,
           uint32_t *order,
           tn_bytes base,
           TnProgress *progress,
           tn_bytes *offset)
{
  Class classes[N_SIZES_MAX] = {0};
  uint32_t n_classes = find_classes(bodies, order, classes);
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  g_autofree uint32_t *slot = g_new(uint32_t, MAX(bodies->n, 1u));
  for (uint32_t c = 0; c < n_classes && base >= 0; c++) {
    uint32_t *ids = order + classes[c].first;
    sort_by_start(bodies, ids, classes[c].n, key);
    tn_neighbours_reset(neighbours);
    uint32_t n_slots = tn_colour(neighbours, bodies, ids, classes[c].n, progress, slot);
    if (n_slots == TN_NONE)
      return -1;
    base = tn_colour_stack(bodies, slot, n_slots, base, offset);
    for (uint32_t i = 0; i < classes[c].n; i++)
      if (!tn_bodies_is_fixed(bodies, ids[i]))
        ids[i] = TN_NONE;
  }
  return base;
}

/* The others in order of start, each into the lowest gap above `base`; -1 where cancelled. */
static tn_bytes
fill_pool(TnNeighbours *neighbours,
          const TnBodies *bodies,
          uint32_t *order,
          tn_bytes base,
          TnProgress *progress,
          tn_bytes *offset)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  uint32_t n = 0;
  tn_bytes top = base;
  for (uint32_t i = 0; i < bodies->n; i++)
    if (order[i] != TN_NONE && !tn_bodies_is_fixed(bodies, order[i]))
      order[n++] = order[i];
  sort_by_start(bodies, order, n, key);
  tn_neighbours_reset(neighbours);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t b = order[i], n_forbidden;
    if (i % 256 == 0 && tn_progress_is_cancelled(progress))
      return -1;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, b, &n_forbidden);
    offset[b] = tn_fit_lowest(bodies, b, forbidden, n_forbidden, base);
    tn_neighbours_place(neighbours, b, offset[b]);
    top = MAX(top, offset[b] + bodies->size[b]);
  }
  return top;
}

static tn_bytes
run(const TnBodies *bodies, TnProgress *progress, tn_bytes *offset, char **out_message)
{
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  tn_bytes base = 0;
  if (!tn_pack_fixed(neighbours, bodies, progress, offset, out_message))
    return -1;
  for (uint32_t b = 0; bodies->fixed && b < bodies->n; b++)
    if (tn_bodies_is_fixed(bodies, b))
      base = MAX(base, bodies->fixed[b] + bodies->size[b]);
  tn_greedy_order(bodies, TN_GREEDY_SIZE, order);
  base = fill_slots(neighbours, bodies, order, base, progress, offset);
  return base < 0 ? base : fill_pool(neighbours, bodies, order, base, progress, offset);
}

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autofree tn_bytes *offset = g_new0(tn_bytes, MAX(bodies->n, 1u));
  tn_bytes arena = run(bodies, params->progress, offset, &message);
  tn_answer_finish(answer, bodies, params, offset, arena, 0, message, begun);
}

const TnStrategy tn_strategy_slots = {
    "slots", "fixed slots for the few common sizes, a pool for the rest", plan, 0};
