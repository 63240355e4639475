/* SPDX-License-Identifier: MIT */
/* A large part without its small bodies. */
#include "config.h"

#include "analysis/plan/exact-private.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/order.h"

#include <string.h>

#define COARSE_BODIES_MIN 2000u
#define COARSE_SHARE 1000 /* small ones may make up this part of the load */

/* The load of the bodies of at most `limit` units. */
static int64_t
load_below(const TnField *field, int32_t limit)
{
  g_autofree int64_t *step = g_new0(int64_t, (gsize)field->n_sections + 1);
  int64_t load = 0, most = 0;
  for (uint32_t i = 0; i < field->n; i++)
    for (uint32_t k = field->range_first[i]; k < field->range_first[i + 1]; k++)
      if (field->size[i] <= limit) {
        step[field->ranges[k].first] += field->size[i];
        step[field->ranges[k].last] -= field->size[i];
      }
  for (uint32_t s = 0; s < field->n_sections; s++) {
    load += step[s];
    most = MAX(most, load);
  }
  return most;
}

/* The largest size in units, halving down, up to which bodies are negligible together; 0: none. */
static int32_t
negligible_size(const TnField *field)
{
  for (int32_t limit = field->load / 256; limit > 0; limit /= 2)
    if (load_below(field, limit) <= field->load / COARSE_SHARE)
      return limit;
  return 0;
}

/* The small bodies into the gaps that the others leave, large ones first. */
static void
fill_small(const TnExact *exact, const PartState *part, int32_t limit, tn_bytes *offset)
{
  const TnField *field = part->field;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(exact->bodies);
  g_autofree uint64_t *key = g_new(uint64_t, field->n);
  g_autofree uint32_t *order = g_new(uint32_t, field->n);
  for (uint32_t i = 0; i < field->n; i++) {
    key[i] = (uint64_t)exact->bodies->size[field->body[i]];
    if (field->size[i] > limit)
      tn_neighbours_place(neighbours, field->body[i], offset[field->body[i]]);
  }
  tn_order_by_key_descending(key, field->n, order);
  for (uint32_t k = 0, n; k < field->n; k++) {
    uint32_t b = field->body[order[k]];
    if (field->size[order[k]] > limit)
      continue;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, b, &n);
    offset[b] = tn_fit_lowest(exact->bodies, b, forbidden, n, 0);
    tn_neighbours_place(neighbours, b, offset[b]);
  }
}

/* Takes over a plan of the large bodies, with the small ones filled in, where it is better. */
static void
keep_coarse(
    TnExact *exact, PartState *part, const TnField *coarse, const int32_t *found, int32_t limit)
{
  gsize bytes = exact->bodies->n * sizeof *exact->offset;
  g_autofree tn_bytes *offset = g_memdup2(exact->offset, bytes);
  tn_bytes height = 0;
  for (uint32_t i = 0; i < coarse->n; i++)
    offset[coarse->body[i]] = found[i] * coarse->unit;
  fill_small(exact, part, limit, offset);
  for (uint32_t i = 0; i < part->field->n; i++)
    height = MAX(height, offset[part->field->body[i]] + exact->bodies->size[part->field->body[i]]);
  if (height >= part->height)
    return;
  part->height = height;
  memcpy(exact->offset, offset, bytes);
}

void
tn_exact_improve_coarsely(TnExact *exact, PartState *part)
{
  const TnField *field = part->field;
  int32_t limit = field->n < COARSE_BODIES_MIN || field->fixed ? 0 : negligible_size(field);
  g_autofree uint32_t *ids = g_new(uint32_t, field->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < field->n; i++)
    if (field->size[i] > limit)
      ids[n++] = field->body[i];
  if (limit == 0 || n == field->n)
    return;
  g_autoptr(TnField) coarse = tn_field_new(exact->bodies, ids, n, part->height);
  if (!coarse)
    return;
  PartState state = {.field = coarse};
  Round round = {
      .exact = exact, .field = coarse, .decisive = G_MAXINT, .deadline = exact->coarse_deadline};
  /* The first order mostly works; large fields want the memory's speed for themselves. */
  round.is_alone = true;
  /* What works at all works almost without a step back. */
  round.n_nodes_max = (uint64_t)n * 2;
  round.n_fails_max = n / 16 + 64;
  tn_exact_add_jobs(&round, coarse->load, round.n_nodes_max);
  tn_exact_run_round(&round, &state);
  if ((guint)round.decisive < round.n && round.jobs[round.decisive].result == TN_DIVE_FOUND)
    keep_coarse(exact, part, coarse, round.jobs[round.decisive].offset, limit);
  for (uint32_t k = 0; k < round.n; k++)
    g_free(round.jobs[k].offset);
  tn_dive_free(state.dive[0]);
  tn_dive_free(state.dive[1]);
}
