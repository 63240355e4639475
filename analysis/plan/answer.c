/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"

TnBodies *
tn_answer_begin(const TnPlanProblem *problem, TnPlanAnswer *answer)
{
  TnBodies *bodies = tn_bodies_new(problem, &answer->message);
  if (!bodies) {
    TnPlanProblem lives = *problem; /* without what may have made it impossible */
    lives.fixed = lives.alignment = NULL;
    lives.group = lives.traits = NULL;
    lives.uses = NULL;
    lives.is_apart = false;
    answer->status = TN_PLAN_FAILED;
    answer->lower_bound = answer->proved_bound = MAX(tn_plan_lower_bound(&lives), 0);
  }
  return bodies;
}

void
tn_answer_rows(const TnBodies *bodies, const tn_bytes *offset, tn_bytes *row_offset)
{
  for (uint32_t row = 0; row < bodies->n_rows; row++) {
    uint32_t b = bodies->body[row];
    row_offset[row] = b != TN_NONE       ? offset[b] + (bodies->within ? bodies->within[row] : 0)
                      : bodies->empty_at ? bodies->empty_at[row]
                                         : 0;
  }
}

tn_bytes
tn_answer_arena(const TnBodies *bodies, const tn_bytes *offset)
{
  tn_bytes arena = 0;
  for (uint32_t b = 0; b < bodies->n; b++)
    arena = MAX(arena, offset[b] + bodies->size[b]);
  return arena;
}

static TnPlanStatus
judge(const TnPlanAnswer *answer, tn_bytes capacity)
{
  if (capacity <= 0 || answer->arena <= capacity)
    return TN_PLAN_FOUND;
  return answer->proved_bound > capacity ? TN_PLAN_INFEASIBLE : TN_PLAN_TOO_LARGE;
}

void
tn_answer_finish(TnPlanAnswer *answer,
                 const TnBodies *bodies,
                 const TnPlanParams *params,
                 const tn_bytes *offset,
                 tn_bytes arena,
                 tn_bytes proved,
                 char *message,
                 gint64 begun)
{
  answer->lower_bound = bodies->lower_bound;
  answer->proved_bound = MAX(bodies->fixed_bound, proved);
  answer->seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  if (arena < 0) {
    answer->status = TN_PLAN_FAILED;
    answer->message = message ? message : g_strdup("cancelled before a plan was found");
    return;
  }
  answer->offset = g_new(tn_bytes, MAX(bodies->n_rows, 1u));
  tn_answer_rows(bodies, offset, answer->offset);
  answer->arena = arena;
  answer->is_optimal = arena == answer->proved_bound;
  answer->status = judge(answer, params->capacity);
}

void
tn_answer_improved(const TnBodies *bodies,
                   const TnPlanParams *params,
                   const tn_bytes *offset,
                   tn_bytes arena)
{
  if (!params->improved)
    return;
  g_autofree tn_bytes *rows = g_new(tn_bytes, MAX(bodies->n_rows, 1u));
  tn_answer_rows(bodies, offset, rows);
  params->improved(rows, bodies->n_rows, arena, params->improved_payload);
}
