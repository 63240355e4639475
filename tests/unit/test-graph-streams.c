/* SPDX-License-Identifier: MIT */
/* Graphs whose ops are of several streams: the planner, `why-not` and the checker against who must
 * wait for whom, by brute force. */
#include "config.h"

#include "analysis/findings-ge.h"
#include "analysis/plan/plan.h"
#include "analysis/sharing.h"
#include "analysis/stream-order.h"
#include "analysis/stream-uses.h"
#include "analysis/study.h"
#include "graph-support.h"

enum { MOST_OPS = 8, MOST_BUFFERS = 8 };

typedef struct {
  TnDocument *document;
  TnStudy *study;
  bool is_after[MOST_OPS][MOST_OPS];     /* [a][b]: b begins after a has ended */
  bool uses[MOST_BUFFERS * 4][MOST_OPS]; /* by row: the op writes it or reads it */
} Case;

static TnDocument *
random_document(uint64_t seed, uint32_t n_ops)
{
  RandomGraph random = random_graph_new(seed, n_ops);
  uint64_t state = seed * 7919;
  TnDocument *document = tn_document_new("streams");
  for (uint32_t op = 0; op < n_ops; op++)
    tn_graph_op(random.graph, op)->stream = below(&state, 3);
  tn_graph_op(random.graph, 0)->stream = 1;
  tn_graph_op(random.graph, 1)->stream = 2;
  tn_strings_free(document->strings);
  document->strings = random.strings;
  document->graph = random.graph;
  document->kind = TN_DOCUMENT_GRAPH;
  tn_document_device(document, 0)->axis_end = 3 * n_ops;
  return document;
}

/* Warshall over edges of data (any use of a tensor after its maker), control, and streams. */
static void
fill_after(Case *c)
{
  const TnGraph *graph = c->document->graph;
  g_autoptr(TnEdges) edges = tn_edges_new(graph);
  uint32_t n = graph->ops->len;
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t k = edges->first[a]; k < edges->first[a + 1]; k++)
      c->is_after[a][edges->next[k]] = true;
    for (uint32_t b = a + 1; b < n; b++)
      c->is_after[a][b] |= tn_graph_op(graph, a)->stream == tn_graph_op(graph, b)->stream;
  }
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t a = 0; a < n; a++)
      for (uint32_t b = 0; b < n; b++)
        c->is_after[a][b] |= c->is_after[a][k] && c->is_after[k][b];
}

static void
fill_uses(Case *c)
{
  const TnGraph *graph = c->document->graph;
  const TnBuffers *b = c->study->buffers;
  for (uint32_t op = 0; op < graph->ops->len; op++) {
    const TnOp *row = tn_graph_op(graph, op);
    for (uint32_t k = 0; k < row->n_inputs + row->n_outputs; k++) {
      uint32_t tensor = k < row->n_inputs ? tn_graph_inputs(graph, row)[k]
                                          : tn_graph_outputs(graph, row)[k - row->n_inputs];
      if (c->study->row_of[tensor] != TN_NONE)
        c->uses[c->study->row_of[tensor]][op] = true;
    }
  }
  /* An input that nobody reads lives through the first op. */
  for (uint32_t i = 0; i < b->n; i++) {
    bool is_used = b->op[i] != TN_NONE;
    for (uint32_t op = 0; op < graph->ops->len; op++)
      is_used |= c->uses[i][op];
    if (b->op[i] != TN_NONE || !is_used)
      c->uses[i][b->op[i] != TN_NONE ? b->op[i] : 0] = true;
  }
}

static bool
may_share(const Case *c, uint32_t i, uint32_t k)
{
  const TnBuffers *b = c->study->buffers;
  if (!b->bytes[i] || !b->bytes[k])
    return true;
  if (b->start[i] < b->end[k] && b->start[k] < b->end[i])
    return false;
  uint32_t earlier = b->start[i] < b->start[k] ? i : k, later = earlier == i ? k : i;
  for (uint32_t op = 0; op < c->document->graph->ops->len; op++)
    if (c->uses[earlier][op] && op != b->op[later] && !c->is_after[op][b->op[later]])
      return false;
  return true;
}

/* NULL where it is too large for brute force. */
static Case *
case_new(uint64_t seed)
{
  Case *c = g_new0(Case, 1);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  params.graph.aliasing = (TnAliasing)(seed % 3);
  params.graph.model = (TnLifetimeModel)(seed / 3 % 2);
  c->document = random_document(seed, 4 + (uint32_t)(seed % 4));
  c->study = tn_study_new(c->document, 0, &params, NULL, NULL);
  if (c->study->buffers->n <= MOST_BUFFERS) {
    fill_after(c);
    fill_uses(c);
    return c;
  }
  tn_study_unref(c->study);
  tn_document_free(c->document);
  g_free(c);
  return NULL;
}

static void
case_free(Case *c)
{
  tn_study_unref(c->study);
  tn_document_free(c->document);
  g_free(c);
}

typedef struct {
  const Case *c;
  tn_bytes offset[MOST_BUFFERS], best;
} Brute;

/* Each next buffer as low as it goes: some order of these gives an optimum. */
static void
try_rest(Brute *brute, uint32_t placed, tn_bytes arena)
{
  const TnBuffers *b = brute->c->study->buffers;
  if (arena >= brute->best)
    return;
  if (placed == (1u << b->n) - 1)
    brute->best = arena;
  for (uint32_t i = 0; i < b->n; i++) {
    tn_bytes lowest = 0;
    for (uint32_t k = 0; k < b->n && !(placed & 1u << i); k++)
      if (placed & 1u << k && !may_share(brute->c, i, k) &&
          lowest < brute->offset[k] + b->bytes[k] && brute->offset[k] < lowest + b->bytes[i]) {
        lowest = brute->offset[k] + b->bytes[k];
        k = TN_NONE; /* again from the first */
      }
    brute->offset[i] = placed & 1u << i ? brute->offset[i] : lowest;
    if (!(placed & 1u << i))
      try_rest(brute, placed | 1u << i, MAX(arena, lowest + b->bytes[i]));
  }
}

/* `inner` lies in a gap of `outer`: who used that before has ended by then, and who uses it afterwards
 * has waited. */
static void
check_in_gap(const Case *c, uint32_t outer, uint32_t inner)
{
  const TnBuffers *b = c->study->buffers;
  for (uint32_t op = 0; op < c->document->graph->ops->len; op++) {
    if (!c->uses[outer][op])
      continue;
    if (3 * op < b->start[inner])
      g_assert_true(op == b->op[inner] || c->is_after[op][b->op[inner]]);
    for (uint32_t user = 0; 3 * op >= b->end[inner] && user < c->document->graph->ops->len; user++)
      g_assert_true(!c->uses[inner][user] || user == op || c->is_after[user][op]);
  }
}

static void
check_gaps(const Case *c, const TnPlan *plan)
{
  const TnBuffers *b = c->study->buffers;
  for (uint32_t i = 0; b->gap_first && i < b->n; i++)
    for (uint32_t k = 0; k < b->n; k++)
      if (i != k && b->bytes[i] && b->bytes[k] && b->start[i] < b->start[k] && b->start[k] < b->end[i] &&
          plan->offset[i] < plan->offset[k] + b->bytes[k] &&
          plan->offset[k] < plan->offset[i] + b->bytes[i])
        check_in_gap(c, i, k);
}

static void
check_plan(const Case *c)
{
  const TnBuffers *b = c->study->buffers;
  Brute brute = {.c = c, .best = INT64_MAX};
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(c->study, NULL, NULL);
  TnPlanParams params = {.uses = uses, .time_limit = 5, .n_threads = 1};
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(b, tn_strategies_find("exact"), 1, &params);
  try_rest(&brute, 0, 0);
  g_assert_cmpuint(plan->n_spaces, ==, 1);
  if (!b->gap_first) {
    g_assert_true(plan->is_optimal);
    g_assert_cmpint(plan->arena_bytes, ==, brute.best);
  }
  check_gaps(c, plan);
  g_autoptr(TnStudy) placed = tn_study_new_with_offsets(c->study, plan->offset, plan->space_arena, 1);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_stream_sharing(placed, findings);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

/* The two at one place and all others elsewhere: the checker says so exactly where it must not be. */
static void
check_checker(const Case *c, uint32_t i, uint32_t k, bool is_forbidden)
{
  const TnBuffers *b = c->study->buffers;
  g_autofree tn_bytes *offset = g_new0(tn_bytes, b->n);
  tn_bytes arena = 1000 * (tn_bytes)b->n + 1000;
  for (uint32_t j = 0; j < b->n; j++)
    offset[j] = j == i || j == k ? 0 : 1000 * (tn_bytes)(j + 1);
  g_autoptr(TnStudy) placed = tn_study_new_with_offsets(c->study, offset, &arena, 1);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_stream_sharing(placed, findings);
  g_assert_cmpuint(findings->rows->len, ==, is_forbidden);
  if (!is_forbidden)
    return;
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "cross-stream");
  g_assert_cmpint(tn_findings_get(findings, 0)->severity, ==, TN_SEVERITY_ERROR);
}

/* `why-not` of each two whose lives are apart; returns how many only streams forbid. */
static uint32_t
check_sharing(const Case *c)
{
  const TnBuffers *b = c->study->buffers;
  uint32_t n_forbidden = 0;
  g_autoptr(TnStreamOrder) reach = tn_stream_order_new(c->document->graph);
  for (uint32_t i = 0; i < b->n; i++)
    for (uint32_t k = 0; k < i; k++) {
      if (b->bytes[i] == 0 || b->bytes[k] == 0 ||
          (b->start[i] < b->end[k] && b->start[k] < b->end[i]))
        continue;
      TnSharing sharing;
      tn_sharing_find(&sharing, c->study, reach, NULL, i, k);
      if (sharing.may_share != may_share(c, i, k))
        g_error("%s", sharing.sentence);
      n_forbidden += sharing.rule == TN_SHARING_STREAMS;
      check_checker(c, i, k, sharing.rule == TN_SHARING_STREAMS);
      tn_sharing_clear(&sharing);
    }
  return n_forbidden;
}

static void
test_brute_force(void)
{
  uint32_t n = 0, n_forbidden = 0;
  for (uint64_t seed = 1; n < 400; seed++) {
    Case *c = case_new(seed);
    if (!c)
      continue;
    n_forbidden += check_sharing(c);
    check_plan(c);
    case_free(c);
    n++;
  }
  g_assert_cmpuint(n_forbidden, >, 100);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph-streams/brute-force", test_brute_force);
  return g_test_run();
}
