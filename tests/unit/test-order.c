/* SPDX-License-Identifier: MIT */
/* Orders: brute force on small random graphs, published cases, the shared graphs' known optima. */
#include "config.h"

#include "analysis/stream-order.h"
#include "analysis/order/compare.h"
#include "analysis/order/locks.h"
#include "analysis/order/log.h"
#include "analysis/order/order.h"
#include "data/document-view.h"
#include "data/graph-order.h"
#include "data/reader.h"
#include "graph-support.h"
#include "shared.h"

#include <string.h>

static TnOrderAnswer *
find(const TnGraph *graph,
     TnStrings *strings,
     TnLifetimeModel model,
     const char *method,
     const TnOrderParams *params)
{
  TnGraphLifetimeParams lifetime = {.model = model, .aliasing = TN_ALIASING_ALL};
  g_autoptr(GError) error = NULL;
  TnOrderAnswer *answer =
      tn_order_new(graph, strings, &lifetime, tn_order_methods_find(method), params, &error);
  g_assert_no_error(error);
  g_assert_true(tn_graph_order_is_legal(graph, answer->order, graph->ops->len));
  g_assert_cmpint(answer->bound, <=, answer->peak);
  return answer;
}

/* ---- brute force ----------------------------------------------------------------------- */

enum { MOST_OPS = 10, MOST_TENSORS = 40 };

/* engine.md read once more, set by set; nothing of analysis/order is used. */
typedef struct {
  const TnGraph *graph;
  TnLifetimeModel model;
  uint32_t root[MOST_TENSORS];
  unsigned readers[MOST_TENSORS]; /* of a root: a set of ops */
  bool is_kept[MOST_TENSORS], is_resident[MOST_TENSORS];
  unsigned before[MOST_OPS];
  tn_bytes best;
} Brute;

static void
brute_init(Brute *brute, const TnGraph *graph, TnLifetimeModel model)
{
  *brute = (Brute){.graph = graph, .model = model, .best = INT64_MAX};
  uint32_t last_effect = TN_NONE;
  for (uint32_t t = 0; t < graph->tensors->len; t++)
    brute->root[t] = t;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    for (uint32_t k = 0; k < op->n_views; k++) {
      TnAlias alias = g_array_index(graph->views, TnAlias, op->first_view + k);
      brute->root[alias.output] = brute->root[alias.input];
    }
    for (uint32_t k = 0; k < op->n_inputs; k++) {
      uint32_t tensor = tn_graph_inputs(graph, op)[k];
      brute->readers[brute->root[tensor]] |= 1u << i;
      if (tn_graph_tensor(graph, tensor)->producer != TN_NONE)
        brute->before[i] |= 1u << tn_graph_tensor(graph, tensor)->producer;
    }
    for (uint32_t k = 0; k < op->n_after; k++)
      brute->before[i] |= 1u << g_array_index(graph->after, uint32_t, op->first_after + k);
    if (op->has_side_effect && last_effect != TN_NONE)
      brute->before[i] |= 1u << last_effect;
    if (op->has_side_effect)
      last_effect = i;
  }
  for (uint32_t t = 0; t < graph->tensors->len; t++) {
    const TnTensor *tensor = tn_graph_tensor(graph, t);
    brute->is_kept[brute->root[t]] |=
        tensor->is_output || (graph->keep_inputs && tensor->kind == TN_TENSOR_INPUT);
    brute->is_resident[t] = tensor->kind == TN_TENSOR_CONSTANT;
  }
}

static tn_bytes
live_after(const Brute *brute, unsigned done)
{
  tn_bytes live = 0;
  for (uint32_t t = 0; t < brute->graph->tensors->len; t++) {
    const TnTensor *tensor = tn_graph_tensor(brute->graph, t);
    bool is_made = tensor->producer == TN_NONE || done >> tensor->producer & 1;
    bool is_wanted = brute->is_kept[t] || (brute->readers[t] & ~done);
    bool is_unread_input = tensor->producer == TN_NONE && done == 0;
    if (brute->root[t] == t && !brute->is_resident[t] && is_made && (is_wanted || is_unread_input))
      live += tensor->bytes;
  }
  return live;
}

static tn_bytes
written_in_place(const Brute *brute, unsigned done, uint32_t i)
{
  const TnGraph *graph = brute->graph;
  const TnOp *op = tn_graph_op(graph, i);
  bool is_taken[MOST_TENSORS] = {0}, takes[MOST_TENSORS] = {0};
  tn_bytes bytes = 0;
  for (uint32_t k = 0; k < op->n_in_place; k++) {
    TnAlias alias = g_array_index(graph->in_place, TnAlias, op->first_in_place + k);
    uint32_t from = brute->root[alias.input];
    tn_bytes wanted = tn_graph_tensor(graph, alias.output)->bytes;
    if (brute->root[alias.output] != alias.output || brute->is_kept[from] ||
        brute->is_resident[from] || (brute->readers[from] & ~done) != 1u << i ||
        wanted > tn_graph_tensor(graph, from)->bytes || is_taken[from] || takes[alias.output])
      continue;
    is_taken[from] = takes[alias.output] = true;
    bytes += wanted;
  }
  return bytes;
}

static tn_bytes
while_running(const Brute *brute, unsigned done, uint32_t i)
{
  const TnGraph *graph = brute->graph;
  const TnOp *op = tn_graph_op(graph, i);
  bool is_kernel = brute->model == TN_LIFETIME_KERNEL;
  tn_bytes before = live_after(brute, done), made = 0, lasting = 0, peak = 0;
  tn_bytes after = live_after(brute, done | 1u << i);
  for (uint32_t k = 0; k < op->n_outputs; k++) {
    uint32_t t = tn_graph_outputs(graph, op)[k];
    if (brute->root[t] != t)
      continue;
    made += tn_graph_tensor(graph, t)->bytes;
    if (brute->is_kept[t] || brute->readers[t])
      lasting += tn_graph_tensor(graph, t)->bytes;
  }
  /* An input that nobody reads lives through the first op. */
  tn_bytes unread = 0;
  for (uint32_t t = 0; done == 0 && t < graph->tensors->len; t++)
    if (tn_graph_tensor(graph, t)->kind == TN_TENSOR_INPUT && !brute->readers[t] &&
        !brute->is_kept[t])
      unread += tn_graph_tensor(graph, t)->bytes;
  for (unsigned phase = 0; phase < 3; phase++) {
    tn_bytes internal = 0;
    for (uint32_t k = 0; k < op->n_internal; k++) {
      TnInternal row = g_array_index(graph->internals, TnInternal, op->first_internal + k);
      internal += row.phases >> phase & 1 ? row.bytes : 0;
    }
    tn_bytes held = is_kernel
                        ? before + made + op->workspace_bytes - written_in_place(brute, done, i)
                    : phase == 0 ? before
                                 : after + unread + made - lasting + op->workspace_bytes;
    peak = MAX(peak, held + internal);
  }
  return peak;
}

static void
brute_go(Brute *brute, unsigned done, tn_bytes peak)
{
  uint32_t n = brute->graph->ops->len;
  if (done == (1u << n) - 1) {
    brute->best = MIN(brute->best, peak);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (done >> i & 1 || (brute->before[i] & ~done))
      continue;
    tn_bytes reached = MAX(peak, while_running(brute, done, i));
    if (reached < brute->best)
      brute_go(brute, done | 1u << i, reached);
  }
}

static tn_bytes
brute_peak(const Brute *brute, const uint32_t *order)
{
  unsigned done = 0;
  tn_bytes peak = 0;
  for (uint32_t p = 0; p < brute->graph->ops->len; p++) {
    peak = MAX(peak, while_running(brute, done, order[p]));
    done |= 1u << order[p];
  }
  return peak;
}

static void
check_against_brute(uint64_t seed, TnLifetimeModel model)
{
  RandomGraph random = random_graph_new(seed, 1 + (uint32_t)(seed % 9));
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  Brute brute;
  brute_init(&brute, random.graph, model);
  brute_go(&brute, 0, 0);
  for (gsize m = 0; tn_order_methods()[m]; m++) {
    const char *name = tn_order_methods()[m]->name;
    g_autoptr(TnOrderAnswer) answer = find(random.graph, random.strings, model, name, &params);
    bool is_exact = strcmp(name, "exact") == 0 || strcmp(name, "best") == 0;
    if (brute_peak(&brute, answer->order) != answer->peak || answer->bound > brute.best ||
        (is_exact && (answer->peak != brute.best || !answer->is_optimal)) ||
        (answer->is_optimal && answer->peak != brute.best))
      g_error("seed %" G_GUINT64_FORMAT ", %s, %s: peak %" G_GINT64_FORMAT
              ", bound %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT
              " (the order's: %" G_GINT64_FORMAT ")",
              seed, name, tn_lifetime_model_name(model), answer->peak, answer->bound, brute.best,
              brute_peak(&brute, answer->order));
  }
  random_graph_clear(&random);
}

static void
test_brute_force(void)
{
  for (uint64_t seed = 1; seed <= 2000; seed++)
    for (int model = 0; model < 2; model++)
      check_against_brute(seed, (TnLifetimeModel)model);
}

/* ---- small cases ----------------------------------------------------------------------- */

static tn_bytes
peak_of(const TnDocument *document, TnLifetimeModel model, const char *method)
{
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) answer =
      find(document->graph, document->strings, model, method, &params);
  return answer->peak;
}

#define TREE(outputs)                                                                              \
  "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":100},"              \
  "{\"id\":1,\"bytes\":80},{\"id\":2,\"bytes\":80},{\"id\":3,\"bytes\":50},"                       \
  "{\"id\":4,\"bytes\":50},{\"id\":5,\"bytes\":50},{\"id\":6,\"bytes\":50}],\"ops\":["             \
  "{\"id\":0,\"outputs\":[0]},{\"id\":1,\"inputs\":[0],\"outputs\":[1]},"                          \
  "{\"id\":2,\"inputs\":[0],\"outputs\":[2]},{\"id\":3,\"inputs\":[1],\"outputs\":[3]},"           \
  "{\"id\":4,\"inputs\":[1],\"outputs\":[4]},{\"id\":5,\"inputs\":[2],\"outputs\":[5]},"           \
  "{\"id\":6,\"inputs\":[2],\"outputs\":[6]}],\"outputs\":[" outputs "]}"

/* The tree of orders-and-budgets.md: root 100, two of 80, four leaves of 50. */
static void
test_tree(void)
{
  g_autoptr(TnDocument) kept = load_text(TREE("3,4,5,6")), dying = load_text(TREE(""));
  static const struct {
    TnLifetimeModel model;
    bool is_kept;
    tn_bytes level, depth_first, best;
  } rows[] = {{TN_LIFETIME_KERNEL, true, 280, 280, 280},
              {TN_LIFETIME_RELEASE_FIRST, true, 230, 230, 230},
              {TN_LIFETIME_KERNEL, false, 260, 230, 230},
              {TN_LIFETIME_RELEASE_FIRST, false, 210, 230, 210}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const TnDocument *tree = rows[i].is_kept ? kept : dying;
    g_assert_cmpint(peak_of(tree, rows[i].model, "level"), ==, rows[i].level);
    g_assert_cmpint(peak_of(tree, rows[i].model, "depth-first"), ==, rows[i].depth_first);
    g_assert_cmpint(peak_of(tree, rows[i].model, "best"), ==, rows[i].best);
  }
}

/* All methods beside each other: what one proves holds for the others' orders too. */
static void
test_compare(void)
{
  g_autoptr(TnDocument) tree = load_text(TREE(""));
  TnGraphLifetimeParams lifetime = {.model = TN_LIFETIME_KERNEL, .aliasing = TN_ALIASING_ALL};
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnOrderComparison) all =
      tn_order_compare(tree->graph, tree->strings, &lifetime, &params, &error);
  g_assert_no_error(error);
  g_assert_cmpint(all->bound, ==, 230);
  g_assert_cmpint(all->lowest, ==, 230);
  g_assert_cmpint(all->baseline, ==, 260);
  for (guint i = 0; i < all->rows->len; i++) {
    const TnOrderRow *row = tn_order_comparison_get(all, i);
    g_assert_true(row->method == tn_order_methods()[i]);
    g_assert_cmpint(row->answer->bound, ==, 230);
    g_assert_true(row->answer->is_optimal == (row->answer->peak == 230));
    g_assert_cmpint(row->log->peak, ==, row->answer->peak);
  }
  guint best = tn_order_comparison_best(all);
  g_assert_cmpstr(tn_order_comparison_get(all, best)->method->name, ==, "best");
}

/* A view in another order has that order's lives; its own strings have the same ids. */
static void
test_document_view(void)
{
  static const uint32_t depth_first[] = {0, 1, 3, 4, 2, 5, 6};
  g_autoptr(TnDocument) tree = load_text(TREE(""));
  TnGraphLifetimeParams lifetime = {.model = TN_LIFETIME_KERNEL, .aliasing = TN_ALIASING_ALL};
  TnDocument *view = tn_document_view_new(tree, depth_first, true);
  g_assert_cmpmem(view->graph->order->data, sizeof depth_first, depth_first, sizeof depth_first);
  const TnDevice *device = tn_document_get_device(tree, 0);
  g_assert_true(tn_document_op_at(view, device, 6) == 3 && tn_document_op_at(tree, device, 6) == 2);
  g_assert_cmpuint(tn_strings_count(view->strings), ==, tn_strings_count(tree->strings));
  for (uint32_t id = 0; id < tn_strings_count(tree->strings); id++)
    g_assert_cmpstr(tn_strings_get(view->strings, id), ==, tn_strings_get(tree->strings, id));
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(view->graph, view->strings, &lifetime, NULL);
  g_assert_cmpint(tn_graph_live_peak(lives->buffers, lives->axis_end, NULL), ==, 230);
  tn_strings_intern(view->strings, "a name of the view's", -1);
  g_assert_cmpuint(tn_strings_count(view->strings), ==, tn_strings_count(tree->strings) + 1);
  tn_document_view_free(view);
}

/* Two readers of t (40): after one has run, the other frees t and must jump ahead of the op that
 * adds nothing, though it was pushed with a net of +10. */
static void
test_fresh_priorities(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":40},"
      "{\"id\":1,\"bytes\":4},{\"id\":2,\"bytes\":10},{\"id\":3,\"bytes\":5}],\"ops\":["
      "{\"id\":0,\"outputs\":[0]},{\"id\":1,\"inputs\":[0],\"outputs\":[1]},"
      "{\"id\":2,\"inputs\":[0],\"outputs\":[2]},{\"id\":3,\"outputs\":[3],\"after\":[0]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) answer =
      find(document->graph, document->strings, TN_LIFETIME_KERNEL, "greedy", &params);
  static const uint32_t right[] = {0, 1, 2, 3};
  g_assert_cmpmem(answer->order, sizeof right, right, sizeof right);
}

/* P frees 400, Q adds 150: the smallest net first; with all weight on the path, Q. */
static void
test_weight(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":400},"
      "{\"id\":1,\"bytes\":150},{\"id\":2,\"bytes\":1},{\"id\":3,\"bytes\":1}],\"ops\":["
      "{\"id\":0,\"outputs\":[1],\"name\":\"Q\"},{\"id\":1,\"inputs\":[0],\"name\":\"P\"},"
      "{\"id\":2,\"inputs\":[1],\"outputs\":[2]},{\"id\":3,\"inputs\":[2],\"outputs\":[3]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) memory =
      find(document->graph, document->strings, TN_LIFETIME_KERNEL, "greedy", &params);
  g_assert_cmpuint(memory->order[0], ==, 1);
  params.memory_weight = 0;
  g_autoptr(TnOrderAnswer) path =
      find(document->graph, document->strings, TN_LIFETIME_KERNEL, "greedy", &params);
  g_assert_cmpuint(path->order[0], ==, 0);
}

/* The log's largest step is the peak; a storage goes with its last reader; the live set adds up. */
static void
test_log(void)
{
  for (uint64_t seed = 1; seed <= 200; seed++) {
    RandomGraph random = random_graph_new(seed, 1 + (uint32_t)(seed % 20));
    TnGraphLifetimeParams lifetime = {.model = TN_LIFETIME_KERNEL, .aliasing = TN_ALIASING_VIEWS};
    g_autoptr(TnOrderLog) log = tn_order_log_new(random.graph, random.strings, &lifetime, NULL);
    g_autoptr(GArray) live = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tn_bytes peak = tn_order_peak(random.graph, random.strings, &lifetime,
                                  (uint32_t *)(void *)random.graph->order->data, NULL);
    g_assert_cmpint(log->peak, ==, peak);
    g_assert_cmpint(log->step[log->peak_at].during, ==, peak);
    for (uint32_t p = 1; p < log->n; p++) {
      const TnOp *op = tn_graph_op(random.graph, log->step[p].op);
      tn_bytes sum = 0, freed = 0;
      tn_order_log_live(log, p, live);
      for (guint i = 0; i < live->len; i++)
        sum += tn_graph_tensor(random.graph, g_array_index(live, uint32_t, i))->bytes;
      for (uint32_t k = 0; k < log->step[p].n_freed; k++)
        freed += tn_graph_tensor(random.graph, log->freed[log->step[p].first_freed + k])->bytes;
      g_assert_cmpint(sum - freed, ==, log->step[p].after);
      if (op->n_internal == 0)
        g_assert_cmpint(sum + op->workspace_bytes, ==, log->step[p].during);
    }
    random_graph_clear(&random);
  }
}

static void
test_edge_cases(void)
{
  static const char empty[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[],\"ops\":[]}";
  static const char one[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":7},"
      "{\"id\":1,\"bytes\":1000,\"kind\":\"constant\"}],\"ops\":[{\"id\":0,\"inputs\":[1,1],"
      "\"outputs\":[0]}]}";
  /* B takes a's memory in place, which C reads too: whoever is last, nobody sees what was lost. */
  static const char shared[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":8},"
      "{\"id\":1,\"bytes\":8},{\"id\":2,\"bytes\":1}],\"ops\":[{\"id\":0,\"inputs\":[0],"
      "\"outputs\":[1],\"in_place\":[[1,0]]},{\"id\":1,\"inputs\":[0],\"outputs\":[2]}]}";
  g_autoptr(TnDocument) a = load_text(empty), b = load_text(one), c = load_text(shared);
  g_assert_cmpint(peak_of(a, TN_LIFETIME_KERNEL, "best"), ==, 0);
  g_assert_cmpint(peak_of(b, TN_LIFETIME_KERNEL, "best"), ==, 7);
  g_assert_cmpint(peak_of(c, TN_LIFETIME_KERNEL, "file"), ==, 17);
  g_assert_cmpint(peak_of(c, TN_LIFETIME_KERNEL, "best"), ==, 9);
}

static void
check_locks(const RandomGraph *random, const uint32_t *order)
{
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnOrderModel) model =
      tn_order_model_new(random->graph, random->strings, &lifetime, NULL);
  g_autoptr(GArray) edges =
      tn_order_lock_edges(model, (const uint32_t *)(void *)random->graph->order->data);
  g_autofree uint32_t *place = g_new(uint32_t, model->n + 1);
  for (uint32_t p = 0; p < model->n; p++)
    place[order[p]] = p;
  for (guint i = 0; i < edges->len; i++) {
    uint64_t edge = g_array_index(edges, uint64_t, i);
    g_assert_cmpuint(place[edge >> 32], <, place[(uint32_t)edge]);
  }
}

/* W writes t over x, which R reads too.  R's result is large and W's reader frees much: best is to
 * run R last, out of place; with locks R must come before W. */
static void
test_keep_in_place(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":10},"
      "{\"id\":1,\"bytes\":90},{\"id\":2,\"bytes\":10},{\"id\":3,\"bytes\":1},"
      "{\"id\":4,\"bytes\":50}],\"ops\":["
      "{\"id\":0,\"name\":\"R\",\"inputs\":[0],\"outputs\":[4]},"
      "{\"id\":1,\"name\":\"W\",\"inputs\":[0],\"outputs\":[2],\"in_place\":[[2,0]]},"
      "{\"id\":2,\"name\":\"S\",\"inputs\":[2,1],\"outputs\":[3]}],\"outputs\":[3,4]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) any =
      find(document->graph, document->strings, TN_LIFETIME_KERNEL, "best", &params);
  params.keeps_in_place = true;
  g_autoptr(TnOrderAnswer) kept =
      find(document->graph, document->strings, TN_LIFETIME_KERNEL, "best", &params);
  g_assert_cmpint(any->peak, ==, 111); /* x 10, z 90, t 10, s 1; W runs out of place */
  g_assert_cmpint(kept->peak, ==, 151);
  g_assert_true(any->is_optimal && kept->is_optimal);
  g_assert_cmpuint(kept->order[0], ==, 0);
  /* In every method's order on random graphs: no reader after a writer that had it last. */
  for (uint64_t seed = 1; seed <= 100; seed++) {
    RandomGraph random = random_graph_new(seed, 9);
    g_autoptr(TnOrderAnswer) answer =
        find(random.graph, random.strings, TN_LIFETIME_KERNEL, "best", &params);
    g_assert_true(answer->is_optimal);
    g_assert_cmpint(answer->peak, <=, answer->baseline);
    check_locks(&random, answer->order);
    random_graph_clear(&random);
  }
}

static void
test_budget(void)
{
  g_autoptr(TnDocument) tree = load_text(TREE(""));
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  params.budget = 230;
  g_autoptr(TnOrderAnswer) fits =
      find(tree->graph, tree->strings, TN_LIFETIME_KERNEL, "best", &params);
  g_assert_cmpint(fits->verdict, ==, TN_ORDER_FITS);
  params.budget = 229;
  g_autoptr(TnOrderAnswer) not =
      find(tree->graph, tree->strings, TN_LIFETIME_KERNEL, "best", &params);
  g_assert_cmpint(not ->verdict, ==, TN_ORDER_IMPOSSIBLE);
  g_autoptr(TnOrderAnswer) open =
      find(tree->graph, tree->strings, TN_LIFETIME_KERNEL, "level", &params);
  g_assert_cmpint(open->verdict, !=, TN_ORDER_FITS);
}

/* Six copies of one branch: copies are told apart by their ids alone. */
static void
test_copies(void)
{
  RandomGraph random = {tn_graph_new(), tn_strings_new()};
  TnGraph *graph = random.graph;
  enum { COPIES = 12, LENGTH = 3 };
  uint32_t ends[COPIES];
  uint32_t x = tn_graph_add_tensor(graph, 0, TN_TENSOR_INPUT);
  tn_graph_tensor(graph, x)->bytes = 10;
  for (uint32_t i = 0; i < COPIES; i++) {
    uint32_t at = x;
    for (uint32_t k = 0; k < LENGTH; k++) {
      tn_graph_add_op(graph, 0, 0);
      tn_graph_op_add_input(graph, at);
      at = tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
      tn_graph_tensor(graph, at)->bytes = k == 1 ? 50 : 20;
      tn_graph_op_add_output(graph, at);
    }
    ends[i] = at;
  }
  tn_graph_add_op(graph, 0, 0);
  for (uint32_t i = 0; i < COPIES; i++)
    tn_graph_op_add_input(graph, ends[i]);
  for (uint32_t i = 0; i < graph->ops->len; i++)
    g_array_append_val(graph->order, i);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) answer =
      find(graph, random.strings, TN_LIFETIME_KERNEL, "exact", &params);
  g_assert_true(answer->is_optimal);
  g_assert_cmpint(answer->peak, ==, (COPIES - 1) * 20 + 70);
  g_assert_cmpuint(answer->n_states, <, 20000);
  random_graph_clear(&random);
}

/* A chain of 40 ops, each with weights that an op of its own unpacks: all 40 may run at any time,
 * but only waiting costs nothing. */
static void
test_lazy(void)
{
  enum { LENGTH = 40 };
  RandomGraph random = {tn_graph_new(), tn_strings_new()};
  TnGraph *graph = random.graph;
  uint32_t at = tn_graph_add_tensor(graph, 0, TN_TENSOR_INPUT);
  tn_graph_tensor(graph, at)->bytes = 10;
  for (uint32_t i = 0; i < LENGTH; i++) {
    uint32_t packed = tn_graph_add_tensor(graph, 0, TN_TENSOR_CONSTANT);
    tn_graph_tensor(graph, packed)->bytes = 5;
    tn_graph_add_op(graph, 0, 0);
    tn_graph_op_add_input(graph, packed);
    uint32_t weights = tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
    tn_graph_tensor(graph, weights)->bytes = 5 + i % 7;
    tn_graph_op_add_output(graph, weights);
  }
  for (uint32_t i = 0; i < LENGTH; i++) {
    tn_graph_add_op(graph, 0, 0);
    tn_graph_op_add_input(graph, at);
    tn_graph_op_add_input(graph, tn_graph_outputs(graph, tn_graph_op(graph, i))[0]);
    at = tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
    tn_graph_tensor(graph, at)->bytes = 10 + i % 5;
    tn_graph_op_add_output(graph, at);
  }
  for (uint32_t i = 0; i < graph->ops->len; i++)
    g_array_append_val(graph->order, i);
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) answer =
      find(graph, random.strings, TN_LIFETIME_KERNEL, "exact", &params);
  g_assert_true(answer->is_optimal);
  g_assert_cmpint(answer->baseline, >, 300);
  g_assert_cmpint(answer->peak, ==, 38); /* 14 + 13 + 11, where i is 34 */
  g_assert_cmpuint(answer->n_states, <, 1000);
  random_graph_clear(&random);
}

/* Too wide to prove in the time given: legal, never worse than the file's, a bound that holds. */
static void
test_wide(void)
{
  RandomGraph random = {tn_graph_new(), tn_strings_new()};
  TnGraph *graph = random.graph;
  uint64_t state = 3;
  enum { LENGTH = 400, REACH = 60 };
  for (uint32_t i = 0; i < LENGTH; i++) {
    tn_graph_add_op(graph, 0, 0);
    for (uint32_t k = 0; i > 0 && k < 2; k++)
      tn_graph_op_add_input(graph, i - 1 - below(&state, MIN(i, REACH)));
    uint32_t made = tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
    tn_graph_tensor(graph, made)->bytes = 1 + below(&state, 1000);
    tn_graph_op_add_output(graph, made);
    g_array_append_val(graph->order, i);
  }
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  params.time_limit = 1;
  gint64 since = g_get_monotonic_time();
  g_autoptr(TnOrderAnswer) answer =
      find(graph, random.strings, TN_LIFETIME_KERNEL, "best", &params);
  g_test_message("file %d, best %d, bound %d, %s, %.2f s", (int)answer->baseline, (int)answer->peak,
                 (int)answer->bound, answer->method, answer->seconds);
  g_assert_cmpint(answer->peak, <, answer->baseline);
  g_assert_cmpint(g_get_monotonic_time() - since, <, 5 * G_USEC_PER_SEC);
  random_graph_clear(&random);
}

/* Larger random graphs: every method is legal, `best` is never worse than any, twice the same. */
static void
test_methods(void)
{
  for (uint64_t seed = 1; seed <= 60; seed++) {
    RandomGraph random = random_graph_new(seed * 7919, 20 + (uint32_t)(seed % 40));
    TnOrderParams params = TN_ORDER_PARAMS_INIT;
    TnLifetimeModel model = (TnLifetimeModel)(seed % 2);
    g_autoptr(TnOrderAnswer) best = find(random.graph, random.strings, model, "best", &params);
    g_autoptr(TnOrderAnswer) again = find(random.graph, random.strings, model, "best", &params);
    g_assert_cmpint(best->peak, <=, best->baseline);
    g_assert_true(best->is_optimal);
    g_assert_cmpmem(best->order, best->n * sizeof(uint32_t), again->order,
                    again->n * sizeof(uint32_t));
    for (gsize m = 0; tn_order_methods()[m]; m++) {
      g_autoptr(TnOrderAnswer) answer =
          find(random.graph, random.strings, model, tn_order_methods()[m]->name, &params);
      g_assert_cmpint(best->peak, <=, answer->peak);
      g_assert_cmpint(best->bound, >=, answer->bound);
    }
    random_graph_clear(&random);
  }
}

static void
test_cancel(void)
{
  RandomGraph random = random_graph_new(5, 60);
  TnProgress progress = {.cancelled = 1};
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  params.progress = &progress;
  g_autoptr(TnOrderAnswer) answer =
      find(random.graph, random.strings, TN_LIFETIME_KERNEL, "best", &params);
  g_assert_true(answer->is_cancelled || answer->is_optimal);
  g_assert_cmpint(answer->peak, <=, answer->baseline);
  random_graph_clear(&random);
}

/* ---- the shared graphs ----------------------------------------------------------------- */

static int64_t
number_of(const cJSON *row, const char *key, const char *or_key)
{
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, key);
  if (!value)
    value = cJSON_GetObjectItemCaseSensitive(row, or_key);
  return value ? (int64_t)value->valuedouble : -1;
}

static void
check_shared(const TnDocument *document, const char *name, TnLifetimeModel model, const cJSON *row)
{
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(TnOrderAnswer) best = find(document->graph, document->strings, model, "best", &params);
  int64_t right = number_of(row, "optimal", "optimal_peak");
  g_test_message("%-28s %-13s file %10" G_GINT64_FORMAT " best %10" G_GINT64_FORMAT
                 " bound %10" G_GINT64_FORMAT " %s %s %" G_GUINT64_FORMAT " states %.4f s",
                 name, tn_lifetime_model_name(model), best->baseline, best->peak, best->bound,
                 best->is_optimal ? "optimal" : "OPEN", best->method, best->n_states,
                 best->seconds);
  g_assert_cmpint(best->peak, ==, right);
  g_assert_true(best->is_optimal);
  g_assert_cmpfloat(best->seconds, <, 0.5);
}

static void
test_shared(void)
{
  cJSON *expected = shared_json("graphs/expected.json");
  const cJSON *row;
  cJSON_ArrayForEach(row, expected)
  {
    g_autofree char *relative = g_strdup_printf("graphs/%s.json", row->string);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    for (int model = 0; model < 2; model++)
      check_shared(
          document, row->string, (TnLifetimeModel)model,
          cJSON_GetObjectItemCaseSensitive(row, tn_lifetime_model_name((TnLifetimeModel)model)));
  }
  cJSON_Delete(expected);
}

/* One search backwards says of all ops what a search forwards says of each; ways are ways. */
static void
test_stream_order(void)
{
  uint64_t state = 5;
  for (uint32_t seed = 0; seed < 100; seed++) {
    RandomGraph random = random_graph_new(seed, 2 + seed % 30);
    uint32_t n = random.graph->ops->len;
    for (uint32_t i = 0; i < n; i++)
      tn_graph_op(random.graph, i)->stream = below(&state, 4);
    g_autoptr(TnStreamOrder) order = tn_stream_order_new(random.graph);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t to = 0; to < n; to++)
      for (uint32_t from = 0; from < n; from++) {
        bool is_kept = tn_stream_order_is_kept(order, from, to, path);
        g_assert_true((tn_stream_order_first_loose(order, &from, 1, to) == 1) == is_kept);
        if (is_kept) {
          g_assert_cmpuint(g_array_index(path, uint32_t, 0), ==, from);
          g_assert_cmpuint(g_array_index(path, uint32_t, path->len - 1), ==, to);
        }
      }
    random_graph_clear(&random);
  }
}

/* A way of 500,000 ops: put together from its end, each op in front of all others, it took 6.5 s. */
static void
test_long_way(void)
{
  uint32_t n = 500000;
  TnGraph *graph = tn_graph_new();
  for (uint32_t i = 0; i < n; i++) {
    tn_graph_add_op(graph, 0, 0);
    g_array_append_val(graph->order, i);
  }
  g_autoptr(TnStreamOrder) order = tn_stream_order_new(graph);
  g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  gint64 since = g_get_monotonic_time();
  g_assert_true(tn_stream_order_is_kept(order, 0, n - 1, path));
  g_assert_cmpint(g_get_monotonic_time() - since, <, 5 * G_USEC_PER_SEC);
  g_assert_cmpuint(path->len, ==, n);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpuint(g_array_index(path, uint32_t, i), ==, i);
  tn_graph_free(graph);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/order/tree", test_tree);
  g_test_add_func("/order/compare", test_compare);
  g_test_add_func("/order/document-view", test_document_view);
  g_test_add_func("/order/fresh-priorities", test_fresh_priorities);
  g_test_add_func("/order/streams", test_stream_order);
  g_test_add_func("/order/long-way", test_long_way);
  g_test_add_func("/order/weight", test_weight);
  g_test_add_func("/order/log", test_log);
  g_test_add_func("/order/edge-cases", test_edge_cases);
  g_test_add_func("/order/keep-in-place", test_keep_in_place);
  g_test_add_func("/order/budget", test_budget);
  g_test_add_func("/order/copies", test_copies);
  g_test_add_func("/order/lazy", test_lazy);
  g_test_add_func("/order/wide", test_wide);
  g_test_add_func("/order/methods", test_methods);
  g_test_add_func("/order/cancel", test_cancel);
  g_test_add_func("/order/brute-force", test_brute_force);
  g_test_add_func("/order/shared", test_shared);
  return g_test_run();
}
