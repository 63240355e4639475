/* SPDX-License-Identifier: MIT */
/* From a planning problem to GE's items: what each tensor's block may be used for. */
#include "config.h"

#include "analysis/plan/ge.h"

#define TENSOR_UNIT 32
#define DEFAULT_PADDING 32

tn_bytes
tn_ge_real_size(tn_bytes bytes, tn_bytes padding)
{
  tn_bytes real;
  return tn_round_up(bytes, TENSOR_UNIT, &real) && tn_add(real, padding, &real) ? real : -1;
}

/* ---- users
 * ---------------------------------------------------------------------------------------------- */

void
tn_ge_keep_op(const TnStreamClock *clock, GArray *ops, guint from, uint32_t op, bool is_last)
{
  for (guint i = from; i < ops->len; i++) {
    uint32_t *had = &g_array_index(ops, uint32_t, i);
    if (tn_stream_clock_stream(clock, *had) != tn_stream_clock_stream(clock, op))
      continue;
    if ((tn_stream_clock_rank(clock, op) > tn_stream_clock_rank(clock, *had)) == is_last)
      *had = op;
    return;
  }
  g_array_append_val(ops, op);
}

/* Rows by their bodies. */
static void
list_rows(const TnBodies *bodies, uint32_t *first, uint32_t *rows)
{
  for (uint32_t row = 0; row < bodies->n_rows; row++)
    if (bodies->body[row] != TN_NONE)
      first[bodies->body[row] + 2]++;
  for (uint32_t b = 0; b < bodies->n; b++)
    first[b + 2] += first[b + 1];
  for (uint32_t row = 0; row < bodies->n_rows; row++)
    if (bodies->body[row] != TN_NONE)
      rows[first[bodies->body[row] + 1]++] = row;
}

static TnGeUses *
uses_new(const TnPlanProblem *problem, const TnBodies *bodies)
{
  const TnStreamUses *from = problem->uses;
  TnGeUses *uses = g_new0(TnGeUses, 1);
  g_autofree uint32_t *first = g_new0(uint32_t, (gsize)bodies->n + 2);
  g_autofree uint32_t *rows = g_new(uint32_t, MAX(bodies->n_rows, 1u));
  GArray *begin = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  GArray *last = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  list_rows(bodies, first, rows);
  uses->clock = from->clock;
  uses->begin_first = g_new0(uint32_t, (gsize)bodies->n + 1);
  uses->last_first = g_new0(uint32_t, (gsize)bodies->n + 1);
  for (uint32_t b = 0; b < bodies->n; b++) {
    for (uint32_t k = first[b]; k < first[b + 1]; k++) {
      uint32_t row = tn_plan_use_row(problem, rows[k]);
      tn_ge_keep_op(from->clock, begin, uses->begin_first[b], from->writer[row], false);
      for (uint32_t u = from->last_first[row]; u < from->last_first[row + 1]; u++)
        tn_ge_keep_op(from->clock, last, uses->last_first[b], from->last[u], true);
    }
    uses->begin_first[b + 1] = begin->len;
    uses->last_first[b + 1] = last->len;
  }
  uses->begin = (uint32_t *)(void *)g_array_free(begin, FALSE);
  uses->last = (uint32_t *)(void *)g_array_free(last, FALSE);
  return uses;
}

void
tn_ge_uses_free(TnGeUses *uses)
{
  if (!uses)
    return;
  g_free(uses->begin_first);
  g_free(uses->begin);
  g_free(uses->last_first);
  g_free(uses->last);
  g_free(uses);
}

/* When the item's own stream has waited for all that use it; GE lets nobody have what two other
 * streams use. */
static void
set_release(const TnGeUses *uses, const TnStreamUses *from, uint32_t b, TnGeItem *item)
{
  uint32_t n = uses->last_first[b + 1] - uses->last_first[b], n_foreign = 0, n_ops;
  const uint32_t *last = uses->last + uses->last_first[b];
  for (uint32_t i = 0; i < n; i++)
    n_foreign += tn_stream_clock_stream(uses->clock, last[i]) != item->stream;
  item->has_foreign = n_foreign > 0;
  item->has_many_begins = uses->begin_first[b + 1] - uses->begin_first[b] > 1;
  item->is_alone |= n_foreign > 1;
  if (n_foreign == 0)
    return;
  uint32_t rank = tn_stream_clock_first_after(uses->clock, last, n, item->stream);
  const uint32_t *ops = tn_stream_clock_ops(uses->clock, item->stream, &n_ops);
  if (rank < n_ops)
    item->release = MAX(item->release, tn_stream_uses_tick(from, ops[rank]));
  else
    item->release = TN_TICK_MAX;
}

/* ---- items
 * ---------------------------------------------------------------------------------------------- */

/* What shares with nobody is of no batch: batches lie on each other. */
static void
set_constraints(const TnPlanProblem *problem, const TnBodies *bodies, uint32_t row, TnGeItem *item)
{
  uint32_t batch = problem->batch ? problem->batch[row] : 0;
  unsigned traits = problem->traits ? problem->traits[row] : 0;
  bool is_kept_apart = problem->flags && (problem->flags[row] & TN_BUFFER_NO_REUSE);
  tn_bytes asked = problem->requested ? problem->requested[row] : problem->size[row];
  item->is_alone |= is_kept_apart;
  item->is_continuous |= (problem->group && problem->group[row]) || traits & TN_TRAIT_CONTINUOUS;
  item->is_zero_copy |= (traits & TN_TRAIT_ZERO_COPY) != 0;
  item->is_input |= problem->kind && problem->kind[row] == TN_KIND_INPUT;
  item->is_cleaned |= (traits & TN_TRAIT_CLEANED) != 0;
  item->is_data |= (traits & TN_TRAIT_DATA) != 0;
  item->is_fixed |= (traits & TN_TRAIT_FIXED_ADDRESS) != 0;
  item->start = MIN(item->start, problem->lower[row]);
  item->end = MAX(item->end, problem->upper[row]);
  item->real += item->is_continuous ? asked : tn_ge_real_size(asked, DEFAULT_PADDING);
  if (row == bodies->row[bodies->body[row]])
    item->batch = batch;
  if (is_kept_apart || item->batch != batch)
    item->batch = 0;
}

static uint32_t
stream_of(const TnPlanProblem *problem, uint32_t row)
{
  if (problem->uses)
    return tn_stream_uses_stream(problem->uses, tn_plan_use_row(problem, row));
  return problem->stream ? problem->stream[row] : 0;
}

TnGeItem *
tn_ge_items_new(const TnPlanProblem *problem, const TnBodies *bodies, TnGeUses **out_uses)
{
  TnGeItem *items = g_new0(TnGeItem, MAX(bodies->n, 1u));
  *out_uses = problem->uses ? uses_new(problem, bodies) : NULL;
  for (uint32_t b = 0; b < bodies->n; b++)
    items[b] = (TnGeItem){.start = TN_TICK_MAX,
                          .end = -TN_TICK_MAX,
                          .size = bodies->size[b] + (bodies->residue ? bodies->residue[b] : 0),
                          .stream = stream_of(problem, bodies->row[b])};
  for (uint32_t row = 0; row < bodies->n_rows; row++)
    if (bodies->body[row] != TN_NONE)
      set_constraints(problem, bodies, row, &items[bodies->body[row]]);
  for (uint32_t b = 0; b < bodies->n; b++) {
    items[b].real = CLAMP(items[b].real, 0, items[b].size);
    items[b].release = items[b].end;
    if (*out_uses)
      set_release(*out_uses, problem->uses, b, &items[b]);
  }
  return items;
}
