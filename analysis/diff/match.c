/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/match.h"

#include "analysis/diff/keys.h"

#include <string.h>

/* By tensor: which output of its producer it is. */
static uint32_t *
build_output_indexes(const TnGraph *graph)
{
  uint32_t n = MAX(graph->tensors->len, 1u), *indexes = g_new(uint32_t, n);
  memset(indexes, 0xFF, n * sizeof *indexes);
  for (guint k = 0; k < graph->ops->len; k++) {
    const TnOp *op = tn_graph_op(graph, k);
    for (uint32_t i = op->n_outputs; i-- > 0;)
      if (tn_graph_outputs(graph, op)[i] < graph->tensors->len)
        indexes[tn_graph_outputs(graph, op)[i]] = i;
  }
  return indexes;
}

static void
init_rows(TnDiffRows *rows, const TnStudy *study, const uint32_t *order)
{
  uint32_t n = MAX(study->buffers->n, 1u);
  rows->study = study;
  rows->strings = tn_diff_build_string_keys(study->document);
  rows->partner = g_new(uint32_t, n);
  memset(rows->partner, 0xFF, n * sizeof *rows->partner);
  rows->match = g_new0(uint8_t, n);
  if (!study->document->graph || study->device->buffers)
    return;
  rows->graph = study->document->graph;
  rows->ops = (TnDiffOps){rows->graph, order, rows->strings};
  rows->places = tn_diff_ops_build_places(&rows->ops);
  rows->output_index = build_output_indexes(rows->graph);
}

static void
clear_rows(TnDiffRows *rows)
{
  g_free(rows->strings);
  g_free(rows->partner);
  g_free(rows->match);
  g_free(rows->places);
  g_free(rows->output_index);
  g_free(rows->is_alone);
}

/* Takes back what was said of a row before. */
static void
forget(TnDiffRows *rows, TnDiffRows *others, tn_index row)
{
  tn_index other = rows->partner[row];
  if (other != TN_NONE) {
    others->partner[other] = TN_NONE;
    others->match[other] = TN_MATCH_NONE;
  }
  rows->partner[row] = TN_NONE;
  rows->match[row] = TN_MATCH_NONE;
  if (rows->is_alone)
    rows->is_alone[row] = 0;
}

static void
stay_alone(TnDiffRows *rows, TnDiffRows *others, tn_index row)
{
  forget(rows, others, row);
  if (!rows->is_alone)
    rows->is_alone = g_new0(uint8_t, rows->study->buffers->n);
  rows->is_alone[row] = 1;
}

static void
set_pair(TnDiffMatcher *m, tn_index a, tn_index b)
{
  forget(&m->a, &m->b, a);
  forget(&m->b, &m->a, b);
  m->a.partner[a] = b;
  m->b.partner[b] = a;
  m->a.match[a] = m->b.match[b] = TN_MATCH_PERSON;
}

static void
set_fixed(TnDiffMatcher *m, const tn_index (*fixed)[2], uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    tn_index a = fixed[i][0], b = fixed[i][1];
    bool is_a = a < m->a.study->buffers->n, is_b = b < m->b.study->buffers->n;
    if (is_a && is_b)
      set_pair(m, a, b);
    else if (is_a && b == TN_NONE)
      stay_alone(&m->a, &m->b, a);
    else if (is_b && a == TN_NONE)
      stay_alone(&m->b, &m->a, b);
  }
}

void
tn_diff_matcher_init(TnDiffMatcher *m,
                     const TnStudy *a,
                     const TnStudy *b,
                     const TnDiffParams *params)
{
  *m = (TnDiffMatcher){0};
  init_rows(&m->a, a, params->order_a);
  init_rows(&m->b, b, params->order_b);
  m->is_same_document = a->document == b->document && a->device_row == b->device_row;
  set_fixed(m, params->fixed, params->n_fixed);
  if (m->a.graph && m->b.graph)
    m->op_of_a = tn_diff_ops_align(&m->a.ops, &m->b.ops, m->is_same_document);
}

void
tn_diff_matcher_clear(TnDiffMatcher *m)
{
  clear_rows(&m->a);
  clear_rows(&m->b);
  g_free(m->op_of_a);
  tn_diff_axis_free(m->axis);
}

/* ---- keys of a row, one function a sign ---------------------------------------------------------
 */

typedef uint64_t (*KeyOf)(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row);

static uint32_t
tensor_of(const TnDiffRows *rows, uint32_t row)
{
  const TnBuffers *b = rows->study->buffers;
  return b->tensor ? b->tensor[row] : TN_NONE;
}

static uint64_t
kind_key(const TnDiffRows *rows, uint32_t row)
{
  return tn_diff_key_add(7, rows->study->buffers->kind[row]);
}

static uint64_t
name_key(const TnDiffRows *rows, uint32_t row)
{
  uint32_t name = tn_buffers_name(rows->study->buffers, row);
  return name ? rows->strings[name] : 0;
}

/* One document: the tensor, the op of a workspace, or the row itself. */
static uint64_t
key_by_row(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  uint32_t tensor = tensor_of(rows, row);
  if (!rows->graph)
    return m->a.study->buffers->n == m->b.study->buffers->n ? (uint64_t)row + 1 : 0;
  if (tensor != TN_NONE)
    return tn_diff_key_add(1, tensor);
  uint32_t op = tn_buffers_op(rows->study->buffers, row);
  return op == TN_NONE ? 0 : tn_diff_key_add(tn_diff_key_add(2, op), name_key(rows, row));
}

/* Two documents: the number that the file gives, where the name is the same too. */
static uint64_t
key_by_id(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  (void)m;
  uint32_t tensor = tensor_of(rows, row);
  uint64_t name = name_key(rows, row);
  if (!rows->graph || tensor == TN_NONE || !name)
    return 0;
  int64_t id = tn_graph_tensor(rows->graph, tensor)->file_id;
  return id < 0 ? 0 : tn_diff_key_add(tn_diff_key_add(3, (uint64_t)id), name);
}

static uint64_t
key_by_name(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  (void)m;
  uint64_t name = name_key(rows, row);
  bool is_scratch = rows->study->buffers->kind[row] == TN_KIND_WORKSPACE;
  return name ? tn_diff_key_add(name, is_scratch) : 0;
}

/* TN_NONE: no output of that op. */
static uint32_t
output_index(const TnDiffRows *rows, uint32_t op, uint32_t tensor)
{
  const TnOp *row = tn_graph_op(rows->graph, op);
  uint32_t i = tensor < rows->graph->tensors->len ? rows->output_index[tensor] : TN_NONE;
  return i < row->n_outputs && tn_graph_outputs(rows->graph, row)[i] == tensor ? i : TN_NONE;
}

static uint64_t
key_by_producer(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  uint32_t op = tn_buffers_op(rows->study->buffers, row), tensor = tensor_of(rows, row);
  if (!m->op_of_a || !rows->graph || op == TN_NONE)
    return 0;
  uint32_t as_b = rows == &m->a ? m->op_of_a[op] : op;
  if (as_b == TN_NONE)
    return 0;
  uint32_t index = tensor == TN_NONE ? TN_NONE : output_index(rows, op, tensor);
  return tn_diff_key_add(tn_diff_key_add(kind_key(rows, row), as_b), index);
}

/* A tensor whose producer stands for another op has found what it is. */
static uint64_t
key_by_shape(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  uint32_t tensor = tensor_of(rows, row);
  (void)m;
  if (!rows->graph || tensor == TN_NONE)
    return 0;
  return tn_diff_key_add(kind_key(rows, row),
                         tn_diff_shape_key(rows->graph, tensor, rows->strings));
}

/* Size and the moments of the life that both sides have; exactly these. */
static uint64_t
key_by_life(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  const TnBuffers *b = rows->study->buffers;
  TnDiffSide side = rows == &m->a ? TN_DIFF_A : TN_DIFF_B;
  uint64_t key = tn_diff_key_add(kind_key(rows, row), (uint64_t)b->bytes[row]);
  key = tn_diff_key_add(key, (uint64_t)tn_diff_axis_rank(m->axis, side, b->start[row]));
  return tn_diff_key_add(key, (uint64_t)tn_diff_axis_rank(m->axis, side, b->end[row]));
}

/* Nothing but the order in which sizes follow each other. */
static uint64_t
key_of_unnamed(const TnDiffMatcher *m, const TnDiffRows *rows, uint32_t row)
{
  (void)m;
  if (name_key(rows, row) || tn_buffers_stack(rows->study->buffers, row))
    return 0;
  return kind_key(rows, row);
}

/* ---- rounds -------------------------------------------------------------------------------------
 */

static uint64_t *
build_keys(const TnDiffMatcher *m, const TnDiffRows *rows, KeyOf key_of)
{
  uint32_t n = rows->study->buffers->n;
  uint64_t *keys = g_new0(uint64_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    if (rows->partner[i] == TN_NONE)
      keys[i] = key_of(m, rows, i);
  return keys;
}

static void
run(TnDiffMatcher *m, TnDiffMatch match, KeyOf key_of, bool is_strict)
{
  g_autofree uint64_t *a = build_keys(m, &m->a, key_of), *b = build_keys(m, &m->b, key_of);
  tn_diff_round(m, &(TnDiffRound){.key_a = a, .key_b = b, .match = match, .is_strict = is_strict});
}

static uint64_t *
build_stack_keys(const TnDiffRows *rows, bool is_exact)
{
  const TnBuffers *b = rows->study->buffers;
  uint64_t *keys = g_new0(uint64_t, MAX(b->n, 1u));
  g_autofree uint64_t *stacks =
      tn_diff_build_stack_keys(rows->study->document, rows->strings, is_exact);
  for (uint32_t i = 0; i < b->n; i++) {
    uint64_t stack = stacks[tn_buffers_stack(b, i)];
    keys[i] = stack ? tn_diff_key_add(stack, b->kind[i]) : 0;
  }
  return keys;
}

static void
renew_axis(TnDiffMatcher *m)
{
  g_clear_pointer(&m->axis, tn_diff_axis_free);
  m->axis = tn_diff_match_axis(m);
}

/* When a row begins, in moments that both sides have; with its size or without. */
static uint64_t *
build_moments(const TnDiffMatcher *m, const TnDiffRows *rows, bool with_size)
{
  const TnBuffers *b = rows->study->buffers;
  TnDiffSide side = rows == &m->a ? TN_DIFF_A : TN_DIFF_B;
  uint64_t *values = g_new(uint64_t, MAX(b->n, 1u));
  for (uint32_t i = 0; i < b->n; i++) {
    values[i] = (uint64_t)tn_diff_axis_rank(m->axis, side, b->start[i] + 1);
    if (with_size)
      values[i] = tn_diff_key_add(values[i], (uint64_t)b->bytes[i]);
  }
  return values;
}

static void
run_moments(TnDiffMatcher *m, TnDiffRound round, bool with_size)
{
  g_autofree uint64_t *a = build_moments(m, &m->a, with_size);
  g_autofree uint64_t *b = build_moments(m, &m->b, with_size);
  round.value_a = a;
  round.value_b = b;
  round.is_strict = with_size;
  tn_diff_round(m, &round);
}

/* Stacks that both sides have equally often pair by occurrence and say when is when; then the
 * occurrences of the others find the one of their moment. */
static void
run_stacks(TnDiffMatcher *m, bool is_exact)
{
  if (!m->a.study->buffers->stack || !m->b.study->buffers->stack)
    return;
  g_autofree uint64_t *a = build_stack_keys(&m->a, is_exact);
  g_autofree uint64_t *b = build_stack_keys(&m->b, is_exact);
  TnDiffRound round = {.key_a = a, .key_b = b, .match = TN_MATCH_STACK, .is_even = true};
  tn_diff_round(m, &round);
  renew_axis(m);
  round.is_even = false;
  run_moments(m, round, true);
  run_moments(m, round, false);
}

bool
tn_diff_match(TnDiffMatcher *m, TnProgress *progress)
{
  tn_progress_report(progress, 0.1, "Matching");
  if (m->is_same_document)
    run(m, TN_MATCH_ID, key_by_row, false);
  else
    run(m, TN_MATCH_ID, key_by_id, false);
  run(m, TN_MATCH_NAME, key_by_name, false);
  run(m, TN_MATCH_PRODUCER, key_by_producer, false);
  run(m, TN_MATCH_PLACE, key_by_shape, false);
  if (tn_progress_is_cancelled(progress))
    return false;
  run_stacks(m, true);
  run_stacks(m, false);
  tn_progress_report(progress, 0.5, "Matching");
  if (tn_progress_is_cancelled(progress))
    return false;
  /* Of rows that nothing tells apart but their sizes, the whole sequence says more than ticks do.
   */
  run(m, TN_MATCH_LIFE, key_of_unnamed, true);
  renew_axis(m);
  run(m, TN_MATCH_LIFE, key_by_life, false);
  renew_axis(m);
  return !tn_progress_is_cancelled(progress);
}
