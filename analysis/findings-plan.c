/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-plan.h"

#include "analysis/plan/plan.h"
#include "data/units.h"

#include <stdlib.h>

#define SIZE 48
#define MOST_NAMED 32
#define MOST_PLANNED 50000 /* buffers: planning more of them twice takes too long for a check */

/* The arena that the planner gives; TN_BYTES_UNKNOWN where it gives none. */
static tn_bytes
arena_of(const TnBuffers *buffers, tn_bytes alignment)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(buffers, tn_strategies_find("greedy-size"),
                                                   alignment, &params);
  return plan->status == TN_PLAN_FAILED ? TN_BYTES_UNKNOWN : plan->arena_bytes;
}

static tn_bytes
alignment_of(const TnStudy *study)
{
  return study->graph_lives ? study->graph_lives->alignment : 0;
}

/* A finding on the rows that `is_cause` marks, with what planning without them gives. */
static void
report(const TnStudy *study, const uint8_t *is_cause, const char *code, const char *what,
       const char *hint, tn_bytes before, tn_bytes after, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  char size[SIZE], from[SIZE], to[SIZE];
  tn_bytes sum = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    sum += is_cause[i] ? b->bytes[i] : 0;
    n += is_cause[i];
  }
  TnFinding *finding = tn_findings_add(
      findings, code, TN_SEVERITY_WARNING, "%u buffers (%s) %s: the arena is %s, and %s without that",
      n, tn_print_bytes(size, SIZE, sum, TN_UNITS_IEC), what,
      tn_print_bytes(from, SIZE, before, TN_UNITS_IEC),
      tn_print_bytes(to, SIZE, after, TN_UNITS_IEC));
  finding->hint = g_strdup(hint);
  finding->bytes = sum;
  finding->saving_bytes = MAX(before - after, (tn_bytes)0);
  for (uint32_t i = 0; i < b->n && finding->buffers->len < MOST_NAMED; i++)
    if (is_cause[i])
      tn_finding_add_buffer(finding, i);
}

static bool
is_plannable(const TnStudy *study)
{
  return !study->is_log && study->buffers->n > 0 && study->buffers->n <= MOST_PLANNED;
}

/* Offsets that are only recorded do not bind; fixed ones do. */
static TnBuffers *
loose_copy(const TnStudy *study)
{
  TnBuffers *copy = tn_buffers_copy(study->buffers);
  for (uint32_t i = 0; i < copy->n; i++)
    if (!(copy->flags[i] & TN_BUFFER_FIXED))
      copy->offset[i] = TN_NOT_PLACED;
  return copy;
}

void
tn_find_reuse_off(const TnStudy *study, TnFindings *findings)
{
  uint32_t n = 0;
  if (!is_plannable(study))
    return;
  g_autofree uint8_t *is_cause = g_new0(uint8_t, study->buffers->n);
  for (uint32_t i = 0; i < study->buffers->n; i++)
    n += is_cause[i] = (study->buffers->flags[i] & TN_BUFFER_NO_REUSE) != 0;
  if (n == 0)
    return;
  g_autoptr(TnBuffers) copy = loose_copy(study);
  tn_bytes before = arena_of(copy, alignment_of(study));
  for (uint32_t i = 0; i < copy->n; i++)
    copy->flags[i] &= (uint8_t)~TN_BUFFER_NO_REUSE;
  tn_bytes after = arena_of(copy, alignment_of(study));
  if (before > after && after >= 0)
    report(study, is_cause, "reuse-off", "may share their place with nobody",
           "Let them share where nothing reads them after their life.", before, after, findings);
}

void
tn_find_residents(const TnStudy *study, TnFindings *findings)
{
  uint32_t n = 0;
  if (!is_plannable(study))
    return;
  const TnBuffers *b = study->buffers;
  g_autofree uint8_t *is_cause = g_new0(uint8_t, b->n);
  for (uint32_t i = 0; i < b->n; i++)
    n += is_cause[i] = b->kind[i] == TN_KIND_CONSTANT || b->kind[i] == TN_KIND_VARIABLE;
  if (n == 0)
    return;
  g_autoptr(TnBuffers) copy = loose_copy(study);
  tn_bytes before = arena_of(copy, alignment_of(study));
  for (uint32_t i = 0; i < copy->n; i++)
    if (is_cause[i]) {
      copy->bytes[i] = 0;
      copy->offset[i] = TN_NOT_PLACED;
    }
  tn_bytes after = arena_of(copy, alignment_of(study));
  if (before > after && after >= 0)
    report(study, is_cause, "resident-in-arena", "are constants or variables inside the arena",
           "Keep them in memory of their own: no order and no plan can lower what they take.",
           before, after, findings);
}

/* ---- workspaces ---------------------------------------------------------------------------- */

typedef struct {
  tn_bytes from, to;
} Range;

static int
compare_ranges(const void *a, const void *b)
{
  const Range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Bytes of the arena that some workspace stands in, and how many there are. */
static tn_bytes
covered(const TnStudy *study, uint8_t *is_workspace, uint32_t *out_n)
{
  const TnBuffers *b = study->buffers;
  g_autofree Range *ranges = g_new(Range, b->n);
  tn_bytes sum = 0, at = 0;
  *out_n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    is_workspace[i] = b->kind[i] == TN_KIND_WORKSPACE && study->offset[i] != TN_NOT_PLACED;
    if (is_workspace[i])
      ranges[(*out_n)++] = (Range){study->offset[i], study->offset[i] + b->bytes[i]};
  }
  qsort(ranges, *out_n, sizeof *ranges, compare_ranges);
  for (uint32_t i = 0; i < *out_n; i++) {
    sum += MAX(ranges[i].to - MAX(ranges[i].from, at), (tn_bytes)0);
    at = MAX(at, ranges[i].to);
  }
  return sum;
}

void
tn_find_workspaces(const TnStudy *study, TnFindings *findings)
{
  uint32_t n;
  if (!is_plannable(study) || study->arena_bytes == TN_BYTES_UNKNOWN || study->n_spaces > 1)
    return;
  const TnBuffers *b = study->buffers;
  g_autofree uint8_t *is_workspace = g_new0(uint8_t, b->n);
  tn_bytes places = covered(study, is_workspace, &n), most = 0;
  for (uint32_t i = 0; i < b->n; i++)
    most = is_workspace[i] ? MAX(most, b->bytes[i]) : most;
  if (n < 2 || places <= most)
    return;
  g_autoptr(TnBuffers) copy = tn_buffers_copy(b);
  for (uint32_t i = 0; i < copy->n; i++) {
    bool is_kept = !is_workspace[i] && study->offset[i] != TN_NOT_PLACED;
    copy->offset[i] = is_kept ? study->offset[i] : TN_NOT_PLACED;
    copy->flags[i] = (uint8_t)((copy->flags[i] & ~TN_BUFFER_NO_REUSE & ~TN_BUFFER_FIXED) |
                               (is_kept ? TN_BUFFER_FIXED : 0));
  }
  tn_bytes after = arena_of(copy, alignment_of(study));
  if (after >= 0 && after < study->arena_bytes)
    report(study, is_workspace, "workspace-not-shared",
           "are workspaces that stand in places of their own",
           "A workspace lives for one op: let all of them share one place.", study->arena_bytes,
           after, findings);
}
