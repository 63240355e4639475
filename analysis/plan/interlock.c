/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/interlock.h"

#include <string.h>

/* Differences offset(b) - offset(a) with low < difference < high overlap. */
typedef struct {
  tn_bytes low, high;
  uint32_t a, b;
} Clash;

/* offset(to) >= offset(from) + distance */
typedef struct {
  uint32_t from, to;
  tn_bytes distance;
} Arc;

typedef struct {
  TnInterlock *out;
  const TnBodies *bodies;
  Clash *clashes; /* those of a pair are apart from one another */
  uint32_t n_clashes;
  GArray *arcs; /* Arc: what was decided */
  uint32_t *raised_by; /* by body: the arc that raised it last while relaxing, TN_NONE */
  tn_bytes capacity, need;
  bool is_ended;
} Search;

/* ---- clashes ----------------------------------------------------------------------------------
 */

static int
compare_clashes(const void *left, const void *right)
{
  const Clash *a = left, *b = right;
  return (a->low > b->low) - (a->low < b->low);
}

/* Joins those that overlap; those that only touch leave a difference between them. */
static void
join_clashes(GArray *clashes, guint first)
{
  Clash *rows = &g_array_index(clashes, Clash, first);
  guint n = clashes->len - first, kept = 0;
  qsort(rows, n, sizeof *rows, compare_clashes);
  for (guint i = 1; i < n; i++) {
    if (rows[i].low < rows[kept].high)
      rows[kept].high = MAX(rows[kept].high, rows[i].high);
    else
      rows[++kept] = rows[i];
  }
  g_array_set_size(clashes, first + kept + 1);
}

static void
add_clashes(const TnBodies *bodies, GArray *clashes, uint32_t a, uint32_t b)
{
  guint first = clashes->len;
  for (uint32_t i = bodies->span_first[a]; i < bodies->span_first[a + 1]; i++)
    for (uint32_t j = bodies->span_first[b]; j < bodies->span_first[b + 1]; j++) {
      const TnSpan *x = &bodies->spans[i], *y = &bodies->spans[j];
      Clash clash = {x->low - y->high, x->high - y->low, a, b};
      if (x->first < y->last && y->first < x->last)
        g_array_append_val(clashes, clash);
    }
  if (clashes->len > first)
    join_clashes(clashes, first);
}

static void
find_clashes(Search *search)
{
  GArray *clashes = g_array_new(FALSE, FALSE, sizeof(Clash));
  for (uint32_t b = 0; b < search->bodies->n; b++)
    for (uint32_t a = 0; a < b; a++)
      add_clashes(search->bodies, clashes, a, b);
  search->n_clashes = clashes->len;
  search->clashes = (Clash *)(void *)g_array_free(clashes, FALSE);
}

/* ---- the search -------------------------------------------------------------------------------
 */

static bool
is_in_reach(Search *search, uint32_t b, tn_bytes x)
{
  const TnBodies *bodies = search->bodies;
  if (tn_bodies_is_fixed(bodies, b) && x > bodies->fixed[b])
    return false;
  if (x + bodies->size[b] <= search->capacity)
    return true;
  search->need = MIN(search->need, x + bodies->size[b]);
  return false;
}

/* Whether arcs that raised one another, back from body `b`, form a circle that asks for more than it
 * gives: no offsets at all obey it. */
static bool
rises_for_ever(const Search *search, uint32_t b)
{
  const Arc *arcs = (const Arc *)(const void *)search->arcs->data;
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < search->bodies->n; i++) {
    if (search->raised_by[b] == TN_NONE)
      return false;
    b = arcs[search->raised_by[b]].from;
  }
  uint32_t start = b;
  do {
    if (search->raised_by[b] == TN_NONE)
      return false;
    sum += arcs[search->raised_by[b]].distance;
    b = arcs[search->raised_by[b]].from;
  } while (b != start);
  return sum > 0;
}

static bool
is_late(Search *search)
{
  search->is_ended |= tn_progress_is_cancelled(search->out->progress) ||
                      g_get_monotonic_time() >= search->out->deadline;
  return search->is_ended;
}

/* Raises offsets to the least that all arcs allow; false where a body leaves the capacity, or there are
 * none.  Without alignment more passes than bodies are a circle that rises for ever; with it some end. */
static bool
relax(Search *search, tn_bytes *x)
{
  uint32_t n = search->bodies->n, last = 0;
  memset(search->raised_by, 0xff, n * sizeof *search->raised_by);
  for (uint64_t pass = 1; last != TN_NONE; pass++) {
    last = TN_NONE;
    for (guint i = 0; i < search->arcs->len; i++) {
      const Arc *arc = &g_array_index(search->arcs, Arc, i);
      tn_bytes least = x[arc->from] + arc->distance;
      if (x[arc->to] >= least)
        continue;
      x[arc->to] = tn_bodies_align(search->bodies, arc->to, least);
      search->raised_by[arc->to] = i;
      last = arc->to;
      if (!is_in_reach(search, arc->to, x[arc->to]))
        return false;
    }
    if (last != TN_NONE && pass % (n + 1) == 0 && (rises_for_ever(search, last) || is_late(search)))
      return false;
  }
  return true;
}

/* The clash that matters most at x: the one of the largest bodies; NULL where x is a plan. */
static const Clash *
worst_clash(const Search *search, const tn_bytes *x)
{
  const Clash *worst = NULL;
  for (uint32_t i = 0; i < search->n_clashes; i++) {
    const Clash *clash = &search->clashes[i];
    tn_bytes difference = x[clash->b] - x[clash->a];
    if (clash->low < difference && difference < clash->high &&
        (!worst || clash->high - clash->low > worst->high - worst->low))
      worst = clash;
  }
  return worst;
}

static void
keep_plan(Search *search, const tn_bytes *x)
{
  tn_bytes height = 0;
  for (uint32_t b = 0; b < search->bodies->n; b++)
    height = MAX(height, x[b] + search->bodies->size[b]);
  memcpy(search->out->offset, x, search->bodies->n * sizeof *x);
  search->out->has_found = true;
  search->capacity = height - 1;
  search->is_ended |= height <= search->out->wanted;
}

static bool
is_over(Search *search)
{
  return ++search->out->nodes % 64 == 0 ? is_late(search) : search->is_ended;
}

static void descend(Search *search, const tn_bytes *x);

static void
decide(Search *search, const tn_bytes *x, Arc arc)
{
  g_array_append_val(search->arcs, arc);
  g_autofree tn_bytes *next = g_memdup2(x, search->bodies->n * sizeof *x);
  if (relax(search, next))
    descend(search, next);
  g_array_set_size(search->arcs, search->arcs->len - 1);
}

static void
descend(Search *search, const tn_bytes *x)
{
  if (is_over(search))
    return;
  const Clash *clash = worst_clash(search, x);
  if (!clash) {
    keep_plan(search, x);
    return;
  }
  Arc above = {clash->a, clash->b, clash->high}, below = {clash->b, clash->a, -clash->low};
  tn_bytes rise_above = x[clash->a] + clash->high - x[clash->b];
  tn_bytes rise_below = x[clash->b] - clash->low - x[clash->a];
  bool is_above_first = rise_above <= rise_below;
  decide(search, x, is_above_first ? above : below);
  if (!search->is_ended)
    decide(search, x, is_above_first ? below : above);
}

void
tn_interlock_run(TnInterlock *interlock)
{
  const TnBodies *bodies = interlock->bodies;
  if (bodies->n_spans > TN_INTERLOCK_SPANS_MAX)
    return;
  Search search = {.out = interlock,
                   .bodies = bodies,
                   .capacity = interlock->capacity,
                   .need = INT64_MAX,
                   .arcs = g_array_new(FALSE, FALSE, sizeof(Arc)),
                   .raised_by = g_new(uint32_t, MAX(bodies->n, 1u))};
  g_autofree tn_bytes *x = g_new(tn_bytes, MAX(bodies->n, 1u));
  bool is_good = true;
  find_clashes(&search);
  for (uint32_t b = 0; b < bodies->n; b++) {
    x[b] = tn_bodies_is_fixed(bodies, b) ? bodies->fixed[b] : tn_bodies_align(bodies, b, 0);
    is_good &= is_in_reach(&search, b, x[b]);
  }
  if (is_good)
    descend(&search, x);
  interlock->is_exhausted = !search.is_ended;
  interlock->need = search.need;
  g_free(search.clashes);
  g_free(search.raised_by);
  g_array_unref(search.arcs);
}
