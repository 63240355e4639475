/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-lives.h"

#include "data/graph-order.h"

typedef struct {
  const TnSpillModel *model;
  const TnSpillPlan *plan;
  const TnGraph *graph;
  TnStrings *strings;
  const TnBuffers *from;
  TnSpillLives *lives;
  TnSpillRun run;
  uint32_t *step_of; /* by place of the order, n + 1 */
  GArray *gaps;      /* TnGap */
  GArray *gap_owner; /* tn_index */
  bool has_streams;
} Cutter;

/* ---- steps ----------------------------------------------------------------------------- */

static void
lay_steps(Cutter *cutter)
{
  const TnSpillModel *model = cutter->model;
  TnSpillLives *lives = cutter->lives;
  const TnSpillRun *run = &cutter->run;
  lives->step_op = g_new(uint32_t, (gsize)model->n + run->redo_ops->len + 1);
  lives->is_again = g_new0(bool, (gsize)model->n + run->redo_ops->len + 1);
  for (uint32_t p = 0; p < model->n; p++) {
    for (uint32_t r = run->redo_first[p]; r < run->redo_first[p + 1]; r++) {
      lives->is_again[lives->n_steps] = true;
      lives->step_op[lives->n_steps++] = g_array_index(run->redo_ops, uint32_t, r);
    }
    cutter->step_of[p] = lives->n_steps;
    lives->step_op[lives->n_steps++] = model->order[p];
  }
  cutter->step_of[model->n] = lives->n_steps;
  lives->axis_end = MAX((tn_tick)lives->n_steps * 3, (tn_tick)1);
}

static tn_tick
move_start(const Cutter *cutter, tn_tick tick)
{
  return (tn_tick)cutter->step_of[tick / 3] * 3 + tick % 3;
}

/* An end belongs to the op before it: what ends with an op does not wait for ops run again. */
static tn_tick
move_end(const Cutter *cutter, tn_tick tick)
{
  return tick <= 0 ? tick : move_start(cutter, tick - 1) + 1;
}

/* ---- cuts ------------------------------------------------------------------------------ */

static void
copy_gaps(Cutter *cutter, tn_index row, tn_index old, tn_tick from, tn_tick to, tn_tick start)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(cutter->from, old, &n);
  for (uint32_t g = 0; g < n; g++) {
    TnGap gap = gaps[g];
    gap.start = MAX(gap.start, from);
    gap.end = MIN(gap.end, to);
    if (gap.start >= gap.end)
      continue;
    /* A hole opens as the op before it ends; what comes back early comes back with its holes. */
    gap.start = gap.start == from ? start : move_end(cutter, gap.start);
    gap.end = move_end(cutter, gap.end);
    g_array_append_val(cutter->gaps, gap);
    g_array_append_val(cutter->gap_owner, row);
  }
}

/* One part of an old buffer, [from, to) in old ticks; `start` in new ones. */
static void
add_part(Cutter *cutter, tn_index old, tn_tick from, tn_tick to, tn_tick start, bool is_back)
{
  const TnBuffers *b = cutter->from;
  TnBuffers *to_table = cutter->lives->buffers;
  if (from >= to)
    return;
  tn_index row = tn_buffers_add(to_table, start, move_end(cutter, to), b->bytes[old],
                                (TnBufferKind)b->kind[old]);
  to_table->requested[row] = tn_buffers_requested(b, old);
  to_table->alignment[row] = tn_buffers_alignment(b, old);
  to_table->op[row] = tn_buffers_op(b, old);
  to_table->tensor[row] = b->tensor ? b->tensor[old] : TN_NONE;
  to_table->flags[row] = b->flags[old];
  to_table->batch[row] = b->batch ? b->batch[old] : 0;
  to_table->name[row] = tn_buffers_name(b, old);
  if (is_back) {
    g_autofree char *name =
        g_strdup_printf("%s (back)", tn_strings_get(cutter->strings, tn_buffers_name(b, old)));
    to_table->name[row] = tn_strings_intern(cutter->strings, name, -1);
    /* Not written again when it was made: who asks streams for order takes the op at its start. */
    if (cutter->has_streams)
      to_table->op[row] = TN_NONE;
  }
  copy_gaps(cutter, row, old, from, to, start);
}

static int
compare_cuts(const void *a, const void *b, void *payload)
{
  const TnSpillPlan *plan = payload;
  uint32_t x = plan->choice[*(const uint32_t *)a].absent;
  uint32_t y = plan->choice[*(const uint32_t *)b].absent;
  return x < y ? -1 : x > y;
}

static void
cut(Cutter *cutter, tn_index old, GArray *cuts)
{
  const TnBuffers *b = cutter->from;
  tn_tick from = b->start[old], start = move_start(cutter, from);
  bool is_back = false;
  g_qsort_with_data(cuts->data, (int)cuts->len, sizeof(uint32_t), compare_cuts,
                    (void *)cutter->plan);
  for (guint k = 0; k < cuts->len; k++) {
    uint32_t i = g_array_index(cuts, uint32_t, k);
    const TnSpillChoice *choice = &cutter->plan->choice[i];
    add_part(cutter, old, from, (tn_tick)choice->absent * 3, start, is_back);
    from = (tn_tick)choice->back * 3;
    start = move_start(cutter, from);
    /* Room for what comes back is there before the first op that runs again. */
    start -= 3 * (tn_tick)(cutter->run.redo_first[choice->back + 1] -
                           cutter->run.redo_first[choice->back]);
    is_back = true;
  }
  add_part(cutter, old, from, b->end[old], start, is_back);
}

/* The buffer that holds a tensor: its own row, or the one whose place it took. */
static uint32_t *
build_rows(const Cutter *cutter)
{
  uint32_t n = cutter->graph->tensors->len;
  uint32_t *row = g_new(uint32_t, (gsize)n + 1);
  for (uint32_t t = 0; t < n; t++)
    row[t] = TN_NONE;
  for (uint32_t i = 0; i < cutter->from->n; i++)
    if (cutter->from->tensor && cutter->from->tensor[i] != TN_NONE)
      row[cutter->from->tensor[i]] = i;
  return row;
}

/* The buffer that holds storage b at a tick: its own, or that of the storage whose place it took.
 */
static uint32_t
holder_at(const Cutter *cutter, const uint32_t *rows, uint32_t b, tn_tick at)
{
  const TnOrderModel *order_model = cutter->model->order_model;
  while (b != TN_NONE && rows[cutter->model->tensor[b]] == TN_NONE) {
    uint32_t maker = order_model->maker[b], next = TN_NONE;
    for (uint32_t k = maker == TN_NONE ? 0 : order_model->pair_first[maker];
         maker != TN_NONE && k < order_model->pair_first[maker + 1]; k++) {
      TnOrderPair pair = order_model->pair[k];
      uint32_t row = rows[cutter->model->tensor[pair.input]];
      bool can_be =
          row == TN_NONE || (cutter->from->start[row] <= at && cutter->from->end[row] > at);
      if (pair.output == b && next == TN_NONE && can_be)
        next = pair.input;
    }
    b = next;
  }
  return b == TN_NONE ? TN_NONE : rows[cutter->model->tensor[b]];
}

/* By buffer: the stretches in which some storage in it is elsewhere. */
static GPtrArray *
build_cuts(const Cutter *cutter)
{
  const TnSpillModel *model = cutter->model;
  GPtrArray *cuts = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  g_autofree uint32_t *rows = build_rows(cutter);
  for (uint32_t i = 0; i < cutter->from->n; i++)
    g_ptr_array_add(cuts, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnSpillChoice *choice = &cutter->plan->choice[i];
    if (choice->kind == TN_SPILL_KEEP)
      continue;
    uint32_t row =
        holder_at(cutter, rows, tn_spill_idle(model, i)->buffer, (tn_tick)choice->absent * 3);
    if (row != TN_NONE)
      g_array_append_val((GArray *)cuts->pdata[row], i);
  }
  return cuts;
}

static void
add_scratch(Cutter *cutter, uint32_t op, const char *what, tn_tick from, tn_tick to, tn_bytes bytes)
{
  TnBuffers *buffers = cutter->lives->buffers;
  const TnOp *own = tn_graph_op(cutter->graph, op);
  g_autofree char *text = tn_graph_build_op_text(cutter->graph, cutter->strings, op);
  g_autofree char *name = g_strdup_printf("%s%s", text, what);
  if (bytes <= 0)
    return;
  tn_index row = tn_buffers_add(buffers, from, to, bytes, TN_KIND_WORKSPACE);
  buffers->requested[row] = bytes;
  buffers->alignment[row] = MAX(buffers->alignment[row], own->workspace_alignment);
  buffers->op[row] = op;
  buffers->name[row] = tn_strings_intern(cutter->strings, name, -1);
}

/* What of an op's results, run again before place p, is there to stay: it has room already. */
static tn_bytes
staying(const Cutter *cutter, uint32_t op, uint32_t p)
{
  const TnSpillModel *model = cutter->model;
  const TnOrderModel *order_model = model->order_model;
  tn_bytes bytes = 0;
  for (uint32_t k = order_model->made_first[op]; k < order_model->made_first[op + 1]; k++) {
    uint32_t b = order_model->made[k];
    for (uint32_t i = model->idle_first[b]; i < model->idle_first[b + 1]; i++)
      if (cutter->plan->choice[i].kind == TN_SPILL_RECOMPUTE && tn_spill_idle(model, i)->to == p)
        bytes += order_model->bytes[b];
  }
  return bytes;
}

/* The rest lives until all that runs again there is done. */
static void
add_again(Cutter *cutter)
{
  const TnSpillModel *model = cutter->model;
  const TnSpillRun *run = &cutter->run;
  for (uint32_t p = 0; p < model->n; p++)
    for (uint32_t r = run->redo_first[p]; r < run->redo_first[p + 1]; r++) {
      uint32_t op = g_array_index(run->redo_ops, uint32_t, r);
      tn_tick block = (tn_tick)cutter->step_of[p] * 3;
      tn_tick at = block - 3 * (tn_tick)(run->redo_first[p + 1] - r);
      add_scratch(cutter, op, " (again)", at, block,
                  model->order_model->made_bytes[op] - staying(cutter, op, p));
      add_scratch(cutter, op, " (again)", at, at + 3,
                  tn_spill_scratch(model, op, cutter->plan->way[op]));
    }
}

/* An op in another way takes more or less for its workspace, and the same for other scratch.
 * `first`: by old row, its first new one. */
static void
size_workspaces(Cutter *cutter, const uint32_t *workspace_of, const tn_index *first)
{
  TnBuffers *buffers = cutter->lives->buffers;
  const TnSpillModel *model = cutter->model;
  for (uint32_t op = 0; op < model->n; op++) {
    uint32_t way = cutter->plan->way[op];
    tn_bytes bytes = tn_spill_way(model, op, way)->workspace;
    tn_tick at = (tn_tick)cutter->step_of[model->place[op]] * 3;
    if (way == 0 || (workspace_of[op] == TN_NONE && bytes == 0))
      continue;
    tn_index row = workspace_of[op] == TN_NONE ? buffers->n : first[workspace_of[op]];
    if (row == buffers->n)
      add_scratch(cutter, op, ": workspace", at + (model->order_model->is_kernel ? 0 : 1), at + 3,
                  bytes);
    buffers->bytes[row] = buffers->requested[row] = bytes;
    if (cutter->from->batch)
      buffers->batch[row] = tn_graph_op(cutter->graph, op)->batch_label;
  }
}

TnSpillLives *
tn_spill_lives_new(const TnSpillModel *model,
                   const TnSpillPlan *plan,
                   const TnGraph *graph,
                   TnStrings *strings,
                   const TnGraphLives *lives)
{
  Cutter cutter = {.model = model,
                   .plan = plan,
                   .graph = graph,
                   .strings = strings,
                   .from = lives->buffers,
                   .lives = g_new0(TnSpillLives, 1),
                   .has_streams = tn_graph_has_streams(graph)};
  cutter.lives->buffers = tn_buffers_new();
  tn_buffers_need(cutter.lives->buffers, TN_COLUMN_NAME | TN_COLUMN_OP | TN_COLUMN_TENSOR |
                                             TN_COLUMN_ALIGNMENT | TN_COLUMN_REQUESTED |
                                             TN_COLUMN_BATCH);
  tn_spill_run_init(&cutter.run, model);
  tn_spill_run(&cutter.run, plan, 0, false);
  cutter.step_of = g_new(uint32_t, (gsize)model->n + 1);
  cutter.gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  cutter.gap_owner = g_array_new(FALSE, FALSE, sizeof(tn_index));
  lay_steps(&cutter);
  g_autoptr(GPtrArray) cuts = build_cuts(&cutter);
  g_autofree tn_index *first = g_new(tn_index, (gsize)lives->buffers->n + 1);
  for (uint32_t i = 0; i < lives->buffers->n; i++) {
    first[i] = cutter.lives->buffers->n;
    cut(&cutter, i, cuts->pdata[i]);
  }
  size_workspaces(&cutter, lives->workspace_of, first);
  add_again(&cutter);
  tn_buffers_set_gaps(cutter.lives->buffers, (const TnGap *)(const void *)cutter.gaps->data,
                      (const tn_index *)(const void *)cutter.gap_owner->data, cutter.gaps->len);
  g_array_unref(cutter.gaps);
  g_array_unref(cutter.gap_owner);
  g_free(cutter.step_of);
  tn_spill_run_clear(&cutter.run);
  return cutter.lives;
}

/* Not where ops run again: these are counted at once, but their lives end one by one. */
bool
tn_spill_lives_hold(const TnSpillLives *lives, const TnSpillRun *run)
{
  g_autofree tn_bytes *live = tn_graph_build_live(lives->buffers, lives->axis_end);
  uint32_t p = 0;
  for (uint32_t s = 0; live && s < lives->n_steps; s++) {
    const tn_bytes *at = live + (gsize)s * 3;
    if (lives->is_again[s])
      continue;
    bool runs_again = run->redo_first[p + 1] > run->redo_first[p];
    if (!runs_again && MAX(at[0], MAX(at[1], at[2])) < run->memory[p])
      return false;
    p++;
  }
  return true;
}

void
tn_spill_lives_free(TnSpillLives *lives)
{
  if (!lives)
    return;
  tn_buffers_free(lives->buffers);
  g_free(lives->step_op);
  g_free(lives->is_again);
  g_free(lives);
}
