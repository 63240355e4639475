/* SPDX-License-Identifier: MIT */
/* Two studies beside each other: planted differences are what is reported and nothing else; the
 * causes sum to the difference on random pairs and on files of ../shared. */
#include "config.h"

#include "analysis/diff/diff.h"
#include "analysis/diff/outlier.h"
#include "analysis/plan/plan.h"
#include "data/reader.h"
#include "graph-support.h"
#include "log-support.h"
#include "shared.h"

#include <string.h>

typedef struct {
  TnDocument *a, *b;
  TnStudy *study_a, *study_b;
  TnDiff *diff;
} Two;

static TnStudy *
study_of(const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, tn_study_first_device(document), &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static TnStudy *
planned(const TnStudy *study, const char *strategy)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.time_limit = 2.0;
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(study->buffers, tn_strategies_find(strategy), 0, &params);
  g_assert_cmpint(plan->status, !=, TN_PLAN_FAILED);
  return tn_study_new_with_offsets(study, plan->offset, plan->space_arena, plan->n_spaces);
}

static TnDocument *
read_text(const char *name, const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes(name, text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

static tn_bytes
sum_of_causes(const TnDiff *diff, unsigned n)
{
  tn_bytes sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += diff->cause[i];
  return sum;
}

/* What must hold of every diff. */
static void
assert_sound(const TnDiff *diff)
{
  const TnBuffers *a = diff->a->buffers, *b = diff->b->buffers;
  g_assert_cmpint(diff->live_delta, ==, diff->b->live->peak - diff->a->live->peak);
  g_assert_cmpint(sum_of_causes(diff, TN_N_LIVE_CAUSES), ==, diff->live_delta);
  if (diff->has_arena) {
    g_assert_cmpint(diff->arena_delta, ==, diff->b->arena_bytes - diff->a->arena_bytes);
    g_assert_cmpint(sum_of_causes(diff, TN_N_CAUSES), ==, diff->arena_delta);
  }
  g_assert_cmpuint(diff->n_matched + diff->n_only_a, ==, a->n);
  g_assert_cmpuint(diff->n_matched + diff->n_only_b, ==, b->n);
  tn_bytes sum = 0;
  uint32_t n_of[TN_N_CAUSES] = {0};
  for (uint32_t i = 0; i < diff->n; i++) {
    const TnDiffPair *pair = &diff->pairs[i];
    for (unsigned k = 0; k < TN_N_CAUSES; k++)
      n_of[k] += diff->pair_causes[i] >> k & 1u;
    g_assert_true(pair->a == TN_NONE || diff->pair_of_a[pair->a] == i);
    g_assert_true(pair->b == TN_NONE || diff->pair_of_b[pair->b] == i);
    g_assert_true((pair->match == TN_MATCH_NONE) == (pair->a == TN_NONE || pair->b == TN_NONE));
    if (pair->match != TN_MATCH_NONE) {
      tn_tick life = tn_diff_life_delta(diff, i);
      tn_bytes move = 0;
      g_assert_true((life > 0) == !!(pair->changes & TN_CHANGE_LONGER));
      g_assert_true((life < 0) == !!(pair->changes & TN_CHANGE_SHORTER));
      g_assert_true((tn_diff_offset_delta(diff, i, &move) && move) ==
                    !!(pair->changes & TN_CHANGE_MOVED));
    }
    sum += diff->pair_bytes[i];
  }
  g_assert_cmpint(sum, ==, diff->live_delta);
  for (unsigned k = 0; k < TN_N_CAUSES; k++)
    g_assert_cmpuint(n_of[k], ==, diff->cause_n[k]);
}

static TnDiff *
diff_of(const TnStudy *a, const TnStudy *b)
{
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnDiff *diff = tn_diff_new(a, b, &params, &error);
  g_assert_no_error(error);
  assert_sound(diff);
  return diff;
}

static Two
compare_texts(const char *name, const char *a, const char *b)
{
  Two two = {.a = read_text(name, a), .b = read_text(name, b)};
  two.study_a = study_of(two.a);
  two.study_b = study_of(two.b);
  two.diff = diff_of(two.study_a, two.study_b);
  return two;
}

static void
two_clear(Two *two)
{
  tn_diff_unref(two->diff);
  tn_study_unref(two->study_a);
  tn_study_unref(two->study_b);
  tn_document_free(two->a);
  tn_document_free(two->b);
}

/* The only pair that differs, and how. */
static const TnDiffPair *
only_change(const TnDiff *diff, unsigned changes)
{
  g_autoptr(GArray) rows = tn_diff_build_ranking(diff);
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    g_autofree char *label = tn_diff_dup_label(diff, row);
    g_test_message("%s: %s, changes %x, %+" G_GINT64_FORMAT, label,
                   tn_diff_match_name((TnDiffMatch)diff->pairs[row].match),
                   diff->pairs[row].changes, diff->pair_bytes[row]);
  }
  g_assert_cmpuint(rows->len, ==, 1);
  const TnDiffPair *pair = &diff->pairs[g_array_index(rows, uint32_t, 0)];
  g_assert_cmphex(pair->changes, ==, changes);
  return pair;
}

/* ---- planted pairs of plans ---------------------------------------------------------------------
 */

#define PLAN_HEAD "id,lower,upper,size,alignment,offset\n"
static const char plan_a[] =
    PLAN_HEAD "a,0,2,100,4,0\nb,1,4,60,4,100\nc,2,6,80,4,0\nd,4,8,40,4,80\n"
              "e,6,9,20,4,0\n";

/* Batches never run together: each peak is that of the one that has most there. */
static void
test_batches(void)
{
  static const char head[] = "{\"format\":\"tenure-plan\",\"version\":1,\"axis\":{\"end\":10},\"buffers\":[";
  static const char x[] = "{\"id\":0,\"name\":\"x\",\"start\":0,\"end\":4,\"bytes\":10,\"batch_label\":\"x\"},";
  static const char y[] = "{\"id\":1,\"name\":\"y\",\"start\":0,\"end\":4,\"bytes\":%d,\"batch_label\":\"y\"}]}";
  static const int bytes[][2] = {{8, 30}, {30, 8}, {12, 30}, {4, 8}};
  for (gsize i = 0; i < G_N_ELEMENTS(bytes); i++) {
    g_autoptr(GString) a = g_string_new(head), b = g_string_new(head);
    g_string_append(a, x);
    g_string_append(b, x);
    g_string_append_printf(a, y, bytes[i][0]);
    g_string_append_printf(b, y, bytes[i][1]);
    Two two = compare_texts("batches.json", a->str, b->str);
    g_assert_cmpint(two.diff->live_delta, ==, MAX(bytes[i][1], 10) - MAX(bytes[i][0], 10));
    g_assert_cmpint(two.diff->cause[TN_CAUSE_BIGGER], ==, i == 2 ? 18 : 0);
    two_clear(&two);
  }
}

static void
test_same(void)
{
  Two two = compare_texts("p.csv", plan_a, plan_a);
  g_assert_cmpuint(two.diff->n_matched, ==, 5);
  g_assert_cmpuint(two.diff->n_changed, ==, 0);
  g_assert_cmpuint(two.diff->n_by_match[TN_MATCH_NAME], ==, 5);
  g_autoptr(GArray) rows = tn_diff_build_ranking(two.diff);
  g_assert_cmpuint(rows->len, ==, 0);
  two_clear(&two);
}

static void
test_grown(void)
{
  Two two = compare_texts("p.csv", plan_a,
                          PLAN_HEAD "a,0,2,100,4,0\nb,1,4,72,4,100\nc,2,6,80,4,0\nd,4,8,40,4,80\n"
                                    "e,6,9,20,4,0\n");
  const TnDiffPair *pair = only_change(two.diff, TN_CHANGE_GREW);
  g_assert_cmpuint(pair->a, ==, 1);
  g_assert_cmpuint(pair->b, ==, 1);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_BIGGER], ==, 12);
  g_assert_cmpint(two.diff->live_delta, ==, 12);
  g_assert_cmpint(two.diff->arena_delta, ==, 12);
  two_clear(&two);
}

static void
test_realigned(void)
{
  Two two = compare_texts("p.csv", plan_a,
                          PLAN_HEAD "a,0,2,100,4,0\nb,1,4,60,64,100\nc,2,6,80,4,0\nd,4,8,40,4,80\n"
                                    "e,6,9,20,4,0\n");
  g_assert_cmpuint(only_change(two.diff, TN_CHANGE_REALIGNED)->b, ==, 1);
  two_clear(&two);
}

/* The gap that the alignment forces is the whole difference of the arenas. */
static void
test_alignment_gap(void)
{
  Two two = compare_texts("p.csv", PLAN_HEAD "a,0,2,100,4,0\nb,1,4,60,4,100\n",
                          PLAN_HEAD "a,0,2,100,4,0\nb,1,4,60,64,128\n");
  only_change(two.diff, TN_CHANGE_REALIGNED | TN_CHANGE_MOVED);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_ALIGNMENT], ==, 28);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_FRAGMENTATION], ==, 0);
  g_assert_cmpint(two.diff->arena_delta, ==, 28);
  g_assert_cmpint(two.diff->live_delta, ==, 0);
  two_clear(&two);
}

/* What holds no bytes lies in no arena: no gap is forced by its alignment, wherever it is said to be. */
static void
test_empty_between(void)
{
  Two two = compare_texts("p.csv", PLAN_HEAD "a,0,2,10,1,0\nz,0,2,0,64,64\nc,0,2,10,1,90\n",
                          PLAN_HEAD "a,0,2,10,1,0\nz,0,2,0,64,0\nc,0,2,10,1,10\n");
  g_assert_cmpint(two.diff->arena_delta, ==, -80);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_ALIGNMENT], ==, 0);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_FRAGMENTATION], ==, -80);
  two_clear(&two);
}

#define SPACES_HEAD                                                                                \
  "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 4}, \"spaces\": "
#define BUFFER(id, start, end, bytes, rest)                                                        \
  "{\"id\": " #id ", \"name\": \"b" #id "\", \"start\": " #start ", \"end\": " #end ", \"bytes\": " #bytes  \
  ", " rest "}"

/* Two memories that are full one after the other: nothing of either is lost, but for a gap in one. */
static void
test_spaces(void)
{
  const char *both = SPACES_HEAD "[{\"name\": \"HBM\"}, {\"name\": \"L2\"}], \"buffers\": ["
      BUFFER(0, 0, 2, 1000, "\"offset\": 0, \"space\": 0") ", "
      BUFFER(1, 2, 4, 36, "\"offset\": 0, \"space\": 1") ", "
      BUFFER(2, 2, 4, 800, "\"offset\": 64, \"space\": 1, \"alignment\": 64") "]}";
  const char *one = SPACES_HEAD "[{\"name\": \"HBM\"}], \"buffers\": ["
      BUFFER(0, 0, 2, 1000, "\"offset\": 0, \"space\": 0") ", "
      BUFFER(1, 2, 4, 36, "\"offset\": 800, \"space\": 0") ", "
      BUFFER(2, 2, 4, 800, "\"offset\": 0, \"space\": 0, \"alignment\": 64") "]}";
  Two two = compare_texts("p.tenure-plan", both, one);
  const TnDiffAccount *a = &two.diff->account_a, *b = &two.diff->account_b;
  g_assert_cmpint(a->arena, ==, 1864);
  g_assert_cmpint(a->live_peak, ==, 1000);
  g_assert_cmpint(a->spaces, ==, 836);
  g_assert_cmpint(a->alignment, ==, 28);
  g_assert_cmpint(a->fragmentation, ==, 0);
  g_assert_cmpint(b->arena, ==, 1000);
  g_assert_cmpint(b->spaces + b->alignment + b->fragmentation, ==, 0);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_SPACES], ==, -836);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_FRAGMENTATION], ==, 0);
  two_clear(&two);
}

/* Two buffers one after the other: of one stream they share, of two that do not wait they may not. */
static void
test_streams(void)
{
#define STREAM_PLAN(second, offset)                                                                          \
  "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 6, \"labels\": [\"o0\", " \
  "\"o1\"], \"ticks_per_label\": 3}, \"streams\": {\"of_label\": [0, " #second "], \"waits\": []}, \"buffers\": ["   \
  BUFFER(0, 0, 3, 40, "\"offset\": 0, \"op\": \"o0\", \"stream\": 0, \"last_ops\": [0]") ", "                 \
  BUFFER(1, 3, 6, 30, "\"offset\": " #offset ", \"op\": \"o1\", \"stream\": " #second ", \"last_ops\": [1]") "]}"
  Two two = compare_texts("p.tenure-plan", STREAM_PLAN(0, 0), STREAM_PLAN(1, 48));
  const TnDiffAccount *a = &two.diff->account_a, *b = &two.diff->account_b;
  g_assert_cmpint(a->arena, ==, 40);
  g_assert_cmpint(a->streams + a->fragmentation, ==, 0);
  g_assert_cmpint(b->arena, ==, 78);
  g_assert_cmpint(b->streams, ==, 30);
  g_assert_cmpint(b->fragmentation, ==, 8);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_STREAMS], ==, 30);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_FRAGMENTATION], ==, 8);
  two_clear(&two);
}

static void
test_renamed(void)
{
  Two two = compare_texts("p.csv", plan_a,
                          PLAN_HEAD "v,0,2,100,4,0\nw,1,4,60,4,100\nx,2,6,80,4,0\ny,4,8,40,4,80\n"
                                    "z,6,9,20,4,0\n");
  g_assert_cmpuint(two.diff->n_matched, ==, 5);
  g_assert_cmpuint(two.diff->n_by_match[TN_MATCH_LIFE], ==, 5);
  for (uint32_t i = 0; i < 5; i++) {
    g_assert_cmpuint(two.diff->pairs[i].b, ==, i);
    g_assert_cmphex(two.diff->pairs[i].changes, ==, TN_CHANGE_RENAMED);
  }
  two_clear(&two);
}

static void
test_longer(void)
{
  Two two = compare_texts("p.csv", plan_a,
                          PLAN_HEAD "a,0,2,100,4,0\nb,1,4,60,4,100\nc,2,6,80,4,0\nd,4,9,40,4,80\n"
                                    "e,6,9,20,4,0\n");
  g_assert_cmpuint(only_change(two.diff, TN_CHANGE_LONGER)->b, ==, 3);
  two_clear(&two);
}

/* Alive at A's peak; in B it ends before: the peak is the next largest moment. */
static void
test_lives_shorter(void)
{
  Two two = compare_texts("p.csv", PLAN_HEAD "a,0,5,100,4,0\nb,1,3,50,4,100\nc,4,6,70,4,100\n",
                          PLAN_HEAD "a,0,4,100,4,0\nb,1,3,50,4,100\nc,4,6,70,4,100\n");
  g_assert_cmpint(two.diff->live_delta, ==, 150 - 170);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_OTHER_MOMENT], ==, 50 - 70);
  two_clear(&two);
  two = compare_texts("p.csv", PLAN_HEAD "a,0,4,100,4,0\nb,3,5,150,4,100\nc,4,6,70,4,100\n",
                      PLAN_HEAD "a,0,3,100,4,0\nb,3,5,150,4,100\nc,4,6,70,4,100\n");
  g_assert_cmpint(two.diff->live_delta, ==, 220 - 250);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_LIVES_SHORTER], ==, -100);
  g_assert_cmpint(two.diff->cause[TN_CAUSE_OTHER_MOMENT], ==, 70);
  two_clear(&two);
}

/* A person knows better: that pair and no other, and a row that has no partner. */
static void
test_by_hand(void)
{
  static const tn_index fixed[][2] = {{0, 1}, {2, TN_NONE}};
  Two two = compare_texts("p.csv", plan_a, plan_a);
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  params.fixed = fixed;
  params.n_fixed = 2;
  g_autoptr(TnDiff) diff = tn_diff_new(two.study_a, two.study_b, &params, NULL);
  assert_sound(diff);
  g_assert_cmpuint(diff->pairs[0].b, ==, 1);
  g_assert_cmpuint(diff->pairs[0].match, ==, TN_MATCH_PERSON);
  g_assert_cmphex(diff->pairs[2].changes, ==, TN_CHANGE_GONE);
  g_assert_cmpuint(diff->pairs[3].b, ==, 3);
  two_clear(&two);
}

/* Of two words on one row the later counts; the buffer that lost its partner is matched anew. */
static void
test_by_hand_again(void)
{
  static const tn_index fixed[][2] = {{0, 1},       {0, 2},       {1, TN_NONE}, {3, TN_NONE},
                                      {3, 0},       {TN_NONE, 3}, {77, 1},      {2, 99},
                                      {TN_NONE, TN_NONE}};
  Two two = compare_texts("p.csv", plan_a, plan_a);
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  params.fixed = fixed;
  params.n_fixed = G_N_ELEMENTS(fixed);
  g_autoptr(TnDiff) diff = tn_diff_new(two.study_a, two.study_b, &params, NULL);
  assert_sound(diff);
  g_assert_cmpuint(diff->pairs[0].b, ==, 2);
  g_assert_cmphex(diff->pairs[1].changes, ==, TN_CHANGE_GONE);
  g_assert_cmpuint(diff->pairs[3].b, ==, 0);
  g_assert_cmpuint(diff->n_by_match[TN_MATCH_PERSON], ==, 2);
  g_assert_cmphex(diff->pairs[diff->pair_of_b[3]].changes, ==, TN_CHANGE_NEW);
  two_clear(&two);
}

/* ---- planted pairs of graphs --------------------------------------------------------------------
 */

typedef struct {
  int n_ops, inserted_after; /* < 0: none */
  const char *prefix;        /* of all names */
  int first_id, grown;       /* the tensor that is larger; < 0: none */
  bool is_numbered; /* names by place, as exporters write them: all shift after the new op */
} Chain;

/* x → op0 → op1 …, each also read by the op after the next; the inserted op reads its neighbour and
 * nobody needs its result. */
static char *
chain_text(const Chain *c)
{
  GString *tensors = g_string_new(NULL), *ops = g_string_new(NULL);
  int id = c->first_id, last = id, before = id, number = 0;
  g_string_append_printf(
      tensors, "{\"id\":%d,\"name\":\"%sx\",\"shape\":[4,4],\"dtype\":\"float32\"}", id, c->prefix);
  for (int i = 0; i < c->n_ops; i++) {
    int copies = i == c->inserted_after ? 2 : 1;
    for (int k = 0; k < copies; k++) {
      int label = c->is_numbered ? number++ : i;
      const char *extra = k && !c->is_numbered ? "extra" : "";
      int rows = k ? 9 : i == c->grown ? 16 : 4 + i % 3;
      id++;
      g_string_append_printf(tensors,
                             ",{\"id\":%d,\"name\":\"%st%d%s\",\"shape\":[%d,4],"
                             "\"dtype\":\"float32\"}",
                             id, c->prefix, label, extra, rows);
      g_string_append_printf(
          ops,
          "%s{\"id\":%d,\"name\":\"%sop%d%s\",\"type\":\"%s\",\"inputs\":[%d,%d],"
          "\"outputs\":[%d]}",
          ops->len ? "," : "", id, c->prefix, label, extra,
          k       ? "Gelu"
          : i % 2 ? "Relu"
                  : "Conv",
          last, before, id);
      if (k)
        continue;
      before = last;
      last = id;
    }
  }
  char *text =
      g_strdup_printf("{\"format\":\"tenure-graph\",\"version\":1,\"name\":\"g\",\"tensors\":[%s],"
                      "\"ops\":[%s]}",
                      tensors->str, ops->str);
  g_string_free(tensors, TRUE);
  g_string_free(ops, TRUE);
  return text;
}

static Two
compare_chains(const Chain *a, const Chain *b)
{
  g_autofree char *text_a = chain_text(a), *text_b = chain_text(b);
  return compare_texts("g.json", text_a, text_b);
}

static const Chain chain = {40, -1, "", 0, -1, false};

static void
test_graph_grown(void)
{
  Chain grown = chain;
  grown.grown = 20;
  Two two = compare_chains(&chain, &grown);
  const TnDiffPair *pair = only_change(two.diff, TN_CHANGE_GREW);
  g_autofree char *label = tn_diff_dup_label(two.diff, (uint32_t)(pair - two.diff->pairs));
  g_assert_cmpstr(label, ==, "t20");
  g_assert_cmpuint(two.diff->n_ops_matched, ==, 40);
  two_clear(&two);
}

static void
assert_inserted(const Chain *with, TnDiffMatch expected)
{
  Two two = compare_chains(&chain, with);
  const TnDiffPair *pair = NULL;
  for (uint32_t i = 0; i < two.diff->n; i++) {
    unsigned changes = two.diff->pairs[i].changes & ~(unsigned)TN_CHANGE_RENAMED;
    if (!changes)
      continue;
    g_assert_null(pair);
    pair = &two.diff->pairs[i];
    g_assert_cmphex(changes, ==, TN_CHANGE_NEW);
    g_assert_cmpint(two.study_b->buffers->bytes[pair->b], ==, 9 * 4 * 4);
  }
  g_assert_nonnull(pair);
  g_assert_cmpuint(two.diff->n_ops_matched, ==, 40);
  g_assert_cmpuint(two.diff->n_ops_only_b, ==, 1);
  g_assert_cmpuint(two.diff->n_matched, ==, 41);
  g_assert_cmpuint(two.diff->n_by_match[expected], >=, 18);
  two_clear(&two);
}

static void
test_graph_inserted(void)
{
  Chain with = chain;
  with.inserted_after = 20;
  assert_inserted(&with, TN_MATCH_NAME); /* ids shift, names stay */
}

/* Names count the ops through: those after the new one are those of their neighbours. */
static void
test_graph_inserted_numbered(void)
{
  Chain with = chain;
  with.inserted_after = 20;
  with.is_numbered = true;
  assert_inserted(&with, TN_MATCH_PRODUCER);
}

static void
test_graph_renamed(void)
{
  Chain renamed = chain;
  renamed.prefix = "model/";
  renamed.first_id = 1000;
  Two two = compare_chains(&chain, &renamed);
  g_assert_cmpuint(two.diff->n_matched, ==, 41);
  g_assert_cmpuint(two.diff->n_ops_matched, ==, 40);
  g_assert_cmpint(two.diff->live_delta, ==, 0);
  for (uint32_t i = 0; i < two.diff->n; i++)
    g_assert_cmphex(two.diff->pairs[i].changes, ==, TN_CHANGE_RENAMED);
  two_clear(&two);
}

/* ---- logs ---------------------------------------------------------------------------------------
 */

#define A TN_EVENT_ALLOC
#define F TN_EVENT_FREE

static void
test_log(void)
{
  static const LogEvent a[] = {{A, 0x1000, 512},  {A, 0x2000, 1024}, {F, 0x1000, 512},
                               {A, 0x3000, 2048}, {F, 0x2000, 1024}, {F, 0x3000, 2048}};
  static const LogEvent b[] = {{A, 0x9000, 512},  {A, 0x8000, 1024}, {A, 0x7000, 4096},
                               {F, 0x9000, 512},  {F, 0x7000, 4096}, {A, 0x6000, 2048},
                               {F, 0x8000, 1024}, {F, 0x6000, 2048}};
  g_autoptr(TnDocument) left = log_new(a, G_N_ELEMENTS(a)), right = log_new(b, G_N_ELEMENTS(b));
  g_autoptr(TnStudy) study_a = study_of(left), study_b = study_of(right);
  g_autoptr(TnDiff) diff = diff_of(study_a, study_b);
  g_assert_cmpuint(only_change(diff, TN_CHANGE_NEW)->b, ==, 2);
  g_assert_cmpuint(diff->n_matched, ==, 3);
  g_assert_cmpint(diff->cause[TN_CAUSE_NEW], ==, 4096);
  g_assert_false(diff->has_arena);
}

/* A million allocations against a million and some, sizes that repeat. */
static void
test_log_large(void)
{
  uint32_t n = g_test_slow() ? 3000000 : 200000;
  g_autoptr(TnDocument) left = log_new(NULL, 0), right = log_new(NULL, 0);
  TnDocument *sides[] = {left, right};
  GRand *rand = g_rand_new_with_seed(7);
  uint64_t at = 0;
  for (uint32_t i = 0; i < n / 2; i++) {
    tn_bytes bytes = 512 * (1 + (tn_bytes)g_rand_int_range(rand, 0, 40));
    bool is_extra = g_rand_int_range(rand, 0, 50) == 0;
    for (int s = 0; s < 2; s++)
      for (int k = s == 1 && is_extra; k >= 0; k--) {
        TnEvents *events = &log_device(sides[s])->events;
        tn_events_add(events, A, ++at << 20, k ? 1 << 20 : bytes);
        if (i % 3 == 0 || k)
          tn_events_add(events, F, at << 20, k ? 1 << 20 : bytes);
      }
  }
  g_rand_free(rand);
  for (int s = 0; s < 2; s++)
    log_device(sides[s])->axis_end = log_device(sides[s])->events.n;
  g_autoptr(TnStudy) study_a = study_of(left), study_b = study_of(right);
  gint64 begin = g_get_monotonic_time();
  g_autoptr(TnDiff) diff = diff_of(study_a, study_b);
  double seconds = (double)(g_get_monotonic_time() - begin) / 1e6;
  g_test_message("%u and %u events: %.2f s", log_device(left)->events.n,
                 log_device(right)->events.n, seconds);
  g_assert_cmpuint(diff->n_only_a, ==, 0);
  g_assert_cmpuint(diff->n_changed, ==, 0);
  g_assert_cmpfloat(seconds, <, 5.0);
}

/* Sizes that have nothing to do with each other, from the same few call stacks: the most work. */
static void
test_log_unlike(void)
{
  uint32_t n = g_test_slow() ? 1000000 : 60000;
  g_autoptr(TnDocument) left = log_new(NULL, 0), right = log_new(NULL, 0);
  TnDocument *sides[] = {left, right};
  GRand *rand = g_rand_new_with_seed(9);
  for (int s = 0; s < 2; s++) {
    uint32_t stacks[40];
    for (uint32_t i = 0; i < 40; i++) {
      g_autofree char *name = g_strdup_printf("layer_%u", i);
      TnFrame frame = {tn_strings_intern(sides[s]->strings, name, -1),
                       tn_strings_intern(sides[s]->strings, "model.py", -1), (int32_t)i};
      uint32_t row = tn_stacks_intern_frame(sides[s]->stacks, frame);
      stacks[i] = tn_stacks_intern(sides[s]->stacks, &row, 1);
    }
    TnEvents *events = &log_device(sides[s])->events;
    for (uint32_t i = 0; i < n; i++) {
      tn_bytes bytes = 512 * (1 + (tn_bytes)g_rand_int_range(rand, 0, 1000));
      uint32_t row = tn_events_add(events, A, (uint64_t)(i + 1) << 20, bytes);
      events->stack[row] = stacks[g_rand_int_range(rand, 0, 40)];
      if (i >= 100)
        tn_events_add(events, F, (uint64_t)(i - 99) << 20, 0);
    }
    log_device(sides[s])->axis_end = events->n;
  }
  g_rand_free(rand);
  g_autoptr(TnStudy) study_a = study_of(left), study_b = study_of(right);
  gint64 begin = g_get_monotonic_time();
  g_autoptr(TnDiff) diff = diff_of(study_a, study_b);
  double seconds = (double)(g_get_monotonic_time() - begin) / 1e6;
  g_test_message("%u events on each side: %.2f s, %u matched", log_device(left)->events.n, seconds,
                 diff->n_matched);
  g_assert_cmpuint(diff->n_by_match[TN_MATCH_STACK], >, n * 9 / 10);
  g_assert_cmpfloat(seconds, <, 5.0);
}

/* ---- sums ---------------------------------------------------------------------------------------
 */

static char *
random_plan(int n, int drop)
{
  GString *text = g_string_new("id,lower,upper,size,alignment\n");
  for (int i = 0; i < n; i++) {
    int lower = g_test_rand_int_range(0, 40), length = g_test_rand_int_range(1, 15);
    if (drop && g_test_rand_int_range(0, drop) == 0)
      continue;
    g_string_append_printf(text, "t%d,%d,%d,%d,%d\n", i, lower, lower + length,
                           g_test_rand_int_range(1, 1000), 1 << g_test_rand_int_range(0, 7));
  }
  return g_string_free(text, FALSE);
}

/* Whatever is set by hand, the causes add up and what was set is what is. */
static void
assert_fixed_at_random(const TnStudy *a, const TnStudy *b)
{
  tn_index fixed[12][2];
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  params.fixed = (const tn_index(*)[2])fixed;
  params.n_fixed = (uint32_t)g_test_rand_int_range(1, 13);
  for (uint32_t i = 0; i < params.n_fixed; i++) {
    bool is_alone = g_test_rand_int_range(0, 3) == 0, is_a = g_test_rand_bit();
    fixed[i][0] = (tn_index)g_test_rand_int_range(0, (int)a->buffers->n);
    fixed[i][1] = (tn_index)g_test_rand_int_range(0, (int)b->buffers->n);
    if (is_alone)
      fixed[i][is_a] = TN_NONE;
  }
  g_autoptr(TnDiff) diff = tn_diff_new(a, b, &params, NULL);
  assert_sound(diff);
  const tn_index *last = fixed[params.n_fixed - 1];
  uint32_t row = last[0] != TN_NONE ? diff->pair_of_a[last[0]] : diff->pair_of_b[last[1]];
  g_assert_cmpuint(diff->pairs[row].a, ==, last[0]);
  g_assert_cmpuint(diff->pairs[row].b, ==, last[1]);
}

static void
test_random_pairs(void)
{
  static const char *const strategies[] = {"greedy-size", "greedy-area", "best-fit", "colour",
                                           "greedy-start"};
  for (int round = 0; round < 500; round++) {
    int n = g_test_rand_int_range(1, 40);
    g_autofree char *text_a = random_plan(n, 6), *text_b = random_plan(n, 6);
    Two two = compare_texts("p.csv", text_a, text_b);
    const char *name_a = strategies[g_test_rand_int_range(0, 5)];
    const char *name_b = strategies[g_test_rand_int_range(0, 5)];
    if (two.study_a->buffers->n && two.study_b->buffers->n) {
      g_autoptr(TnStudy) a = planned(two.study_a, name_a), b = planned(two.study_b, name_b);
      g_autoptr(TnDiff) diff = diff_of(a, b);
      g_assert_true(diff->has_arena);
      g_assert_cmpint(diff->account_a.fragmentation, >=, 0);
      g_assert_cmpint(diff->account_b.fragmentation, >=, 0);
      assert_fixed_at_random(a, b);
    }
    two_clear(&two);
  }
}

static TnStudy *
study_graph(const TnDocument *document, TnAliasing aliasing, TnLifetimeModel model)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  params.graph.aliasing = aliasing;
  params.graph.model = model;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  return study->buffers->n ? planned(study, "greedy-size") : g_steal_pointer(&study);
}

/* One graph under two models of its lives: views, in-place, workspaces, gaps. */
static void
test_random_graphs(void)
{
  for (uint64_t seed = 1; seed <= 200; seed++) {
    RandomGraph random = random_graph_new(seed, 1 + (uint32_t)(seed % 30));
    g_autoptr(TnDocument) document = tn_document_new("random");
    document->kind = TN_DOCUMENT_GRAPH;
    document->graph = random.graph;
    tn_strings_free(document->strings);
    document->strings = random.strings;
    tn_document_device(document, 0);
    g_autoptr(TnStudy) a = study_graph(document, TN_ALIASING_NONE, TN_LIFETIME_KERNEL);
    g_autoptr(TnStudy) b = study_graph(document, TN_ALIASING_ALL, TN_LIFETIME_RELEASE_FIRST);
    g_autoptr(TnDiff) diff = diff_of(a, b), back = diff_of(b, a);
    g_assert_cmpint(diff->live_delta, ==, -back->live_delta);
    g_assert_cmpuint(diff->n_matched, ==, back->n_matched);
    g_assert_cmpuint(diff->n_ops_only_a, ==, 0);
  }
}

static TnDocument *
load_shared(const char *relative)
{
  g_autofree char *path = shared_path(relative);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return path ? tn_document_load(path, &options, NULL) : NULL;
}

/* The weights of fp32 take twice what those of bf16 take, from the same call sites. */
static void
test_silmont(void)
{
  g_autoptr(TnDocument) bf16 = load_shared("samples/pytorch/silmont_forward_bf16_128.pickle");
  if (!bf16)
    return;
  g_autoptr(TnDocument) fp32 = load_shared("samples/pytorch/silmont_forward_fp32_128.pickle");
  g_autoptr(TnStudy) a = study_of(bf16), b = study_of(fp32);
  g_autoptr(TnDiff) diff = diff_of(a, b), back = diff_of(b, a);
  g_assert_cmpint(diff->live_delta, ==, -back->live_delta);
  g_assert_cmpuint(diff->n_matched, >, a->buffers->n * 7 / 10);
  g_test_message("%u of %u and %u matched, delta %" G_GINT64_FORMAT, diff->n_matched, a->buffers->n,
                 b->buffers->n, diff->live_delta);
}

/* One table under two planners: nothing but places changes. */
static void
test_strategies(void)
{
  g_autoptr(TnDocument) document = load_shared("benchmarks/minimalloc/input.12.csv");
  if (!document)
    return;
  g_autoptr(TnStudy) study = study_of(document);
  g_autoptr(TnStudy) a = planned(study, "greedy-size"), b = planned(study, "exact");
  g_autoptr(TnDiff) diff = diff_of(a, b);
  g_assert_cmpuint(diff->n_by_match[TN_MATCH_ID], ==, study->buffers->n);
  g_assert_cmpint(diff->live_delta, ==, 0);
  for (uint32_t i = 0; i < diff->n; i++)
    g_assert_cmphex(diff->pairs[i].changes & ~(unsigned)TN_CHANGE_MOVED, ==, 0);
  g_assert_cmpint(diff->arena_delta, ==,
                  diff->cause[TN_CAUSE_ALIGNMENT] + diff->cause[TN_CAUSE_FRAGMENTATION]);
}

static void
test_outlier(void)
{
  static const tn_bytes ranks[] = {100, 101, 99, 100, 140, 102}, calm[] = {100, 101, 99, 100};
  static const tn_bytes same[] = {7, 7, 7}, jump[] = {7, 7, 9}, two[] = {1, 100};
  g_assert_cmpuint(tn_outlier_find(ranks, 6), ==, 4);
  g_assert_cmpuint(tn_outlier_find(calm, 4), ==, TN_NONE);
  g_assert_cmpuint(tn_outlier_find(same, 3), ==, TN_NONE);
  g_assert_cmpuint(tn_outlier_find(jump, 3), ==, 2);
  g_assert_cmpuint(tn_outlier_find(two, 2), ==, TN_NONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/diff/same", test_same);
  g_test_add_func("/diff/batches", test_batches);
  g_test_add_func("/diff/grown", test_grown);
  g_test_add_func("/diff/realigned", test_realigned);
  g_test_add_func("/diff/alignment-gap", test_alignment_gap);
  g_test_add_func("/diff/empty-between", test_empty_between);
  g_test_add_func("/diff/spaces", test_spaces);
  g_test_add_func("/diff/streams", test_streams);
  g_test_add_func("/diff/renamed", test_renamed);
  g_test_add_func("/diff/longer", test_longer);
  g_test_add_func("/diff/lives-shorter", test_lives_shorter);
  g_test_add_func("/diff/outlier", test_outlier);
  g_test_add_func("/diff/by-hand", test_by_hand);
  g_test_add_func("/diff/by-hand-again", test_by_hand_again);
  g_test_add_func("/diff/graph/grown", test_graph_grown);
  g_test_add_func("/diff/graph/inserted", test_graph_inserted);
  g_test_add_func("/diff/graph/inserted-numbered", test_graph_inserted_numbered);
  g_test_add_func("/diff/graph/renamed", test_graph_renamed);
  g_test_add_func("/diff/log", test_log);
  g_test_add_func("/diff/log-large", test_log_large);
  g_test_add_func("/diff/log-unlike", test_log_unlike);
  g_test_add_func("/diff/random-pairs", test_random_pairs);
  g_test_add_func("/diff/random-graphs", test_random_graphs);
  g_test_add_func("/diff/shared/silmont", test_silmont);
  g_test_add_func("/diff/shared/strategies", test_strategies);
  return g_test_run();
}
