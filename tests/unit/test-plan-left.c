/* SPDX-License-Identifier: MIT */
/* What a plan leaves on the table: by hand, and to the byte on plans of every kind. */
#include "config.h"

#include "app/answer/left-answer.h"

#include "data/document.h"
#include "data/reader.h"
#include "ge-support.h"
#include "plan-support.h"
#include "shared.h"

#define K 1024

static TnDocument *
document_new(uint32_t n_ticks)
{
  TnDocument *document = tn_document_new("made");
  TnDevice *device = tn_document_device(document, 0);
  document->kind = TN_DOCUMENT_PLAN;
  device->axis_end = n_ticks;
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_REQUESTED | TN_COLUMN_STREAM | TN_COLUMN_TRAITS |
                                       TN_COLUMN_BATCH | TN_COLUMN_GROUP | TN_COLUMN_SPACE);
  return document;
}

static tn_index
add(TnDocument *document, tn_tick begin, tn_tick end, tn_bytes bytes)
{
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  tn_index row = tn_buffers_add(b, begin, end + 1, bytes, TN_KIND_ACTIVATION);
  b->stream[row] = 0;
  return row;
}

static TnLeftAnswer *
ask(const TnDocument *document, const char *against)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  TnLeftQuestion question = {.against = against,
                             .strategy = tn_strategies_find("best"),
                             .params = {.time_limit = 0.3}};
  return tn_left_answer_new(study, &question);
}

/* Every sum of the answer, to the byte. */
static void
assert_adds_up(const TnLeftAnswer *answer)
{
  const TnPlanLeft *left = &answer->left;
  tn_bytes judged = 0, reference = 0, own = 0, other = 0;
  g_assert_cmpstr(answer->error, ==, NULL);
  for (int i = 0; i < TN_LEFT_N_CAUSES; i++) {
    tn_bytes a, b;
    tn_left_answer_cause(answer, i, &a, &b);
    judged += a;
    reference += b;
  }
  for (guint i = 0; i < left->rows->len; i++) {
    const TnLeftRow *row = &g_array_index(left->rows, TnLeftRow, i);
    g_assert_true(row->bytes >= 0 && row->other_bytes >= 0);
    own += row->bytes;
    other += row->other_bytes;
  }
  g_assert_cmpint(judged, ==, answer->judged->arena_bytes);
  g_assert_cmpint(reference, ==, answer->reference->arena_bytes);
  g_assert_cmpint(left->theory, ==, left->gap.theory); /* the peak that plan-gap counts from */
  g_assert_cmpint(own, ==, left->own.idle);
  g_assert_cmpint(other, ==, left->other.idle);
  g_assert_cmpint(left->theory - left->own.overlap + own + left->own.unused, ==, judged);
  g_assert_cmpint(left->theory - left->other.overlap + other + left->other.unused, ==, reference);
  g_assert_cmpint(judged, >=, reference);
}

/* ---- by hand ------------------------------------------------------------------------------------------ */

/* b lies in a's block, c does not fit beside it: 1024 of a's block are idle while both live. */
static void
test_nested(void)
{
  g_autoptr(TnDocument) document = document_new(4);
  tn_index a = add(document, 0, 1, 4 * K), b = add(document, 2, 3, 3 * K);
  tn_index c = add(document, 2, 3, 2560);
  g_autoptr(TnLeftAnswer) answer = ask(document, "ge");
  assert_adds_up(answer);
  g_assert_cmpstr(answer->judged_name, ==, "ge (binary-block)");
  g_assert_cmpint(answer->judged->arena_bytes, ==, 6656);
  g_assert_cmpint(answer->reference->arena_bytes, ==, 5632);
  g_assert_true(answer->is_optimal); /* 3072 + 2560 are alive at once */
  g_assert_cmpuint(answer->left.rows->len, ==, 1);
  const TnLeftRow *row = &g_array_index(answer->left.rows, TnLeftRow, 0);
  g_assert_cmpuint(row->buffer, ==, a);
  g_assert_cmpint(row->bytes, ==, 1024);
  g_assert_cmpint(row->other_bytes, ==, 0);
  g_assert_cmpint(row->at, ==, 3072);
  g_assert_cmpint(row->cause, ==, TN_LEFT_MISFIT);
  g_assert_false(row->is_alone);
  g_assert_cmpint(answer->judged->offset[b], ==, 0);
  g_assert_cmpint(answer->judged->offset[c], ==, 4 * K);
  g_autofree char *verdict = tn_left_answer_dup_verdict(answer, TN_UNITS_BYTES);
  g_assert_nonnull(strstr(verdict, "1,024 B (15.4 %) are left on the table (proved: "));
}

/* A recorded plan: x has a place of its own, marked so; y too, for no reason; and a hole. */
static void
test_recorded(void)
{
  g_autoptr(TnDocument) document = document_new(9);
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  tn_index peak = add(document, 3, 4, 4 * K), x = add(document, 0, 1, K), y = add(document, 6, 7, 2 * K);
  b->flags[x] = TN_BUFFER_NO_REUSE;
  b->offset[peak] = 0;
  b->offset[x] = 4 * K;
  b->offset[y] = 5 * K + 512;
  g_autoptr(TnLeftAnswer) answer = ask(document, "recorded");
  assert_adds_up(answer);
  g_assert_cmpint(answer->judged->arena_bytes, ==, 7 * K + 512);
  g_assert_cmpint(answer->reference->arena_bytes, ==, 5 * K);
  g_assert_true(answer->is_optimal);
  g_assert_cmpint(answer->left.own.unused, ==, 512);
  g_assert_cmpint(answer->left.gap.apart, ==, K);
  g_assert_cmpint(answer->left.gap.misfit, ==, 2 * K + 512);
  g_assert_cmpuint(answer->left.rows->len, ==, 2);
  const TnLeftRow *first = &g_array_index(answer->left.rows, TnLeftRow, 0);
  const TnLeftRow *second = &g_array_index(answer->left.rows, TnLeftRow, 1);
  g_assert_true(first->buffer == y && first->bytes == 2 * K && first->other_bytes == 0);
  g_assert_true(first->is_alone && first->cause == TN_LEFT_MISFIT);
  g_assert_true(second->buffer == x && second->bytes == K && second->other_bytes == K);
  g_assert_true(second->is_alone && second->cause == TN_LEFT_APART);
}

/* A plan with an overlap can't be measured by others, and says so. */
static void
test_broken(void)
{
  g_autoptr(TnDocument) document = document_new(4);
  tn_index first = add(document, 0, 2, K), second = add(document, 1, 3, K);
  tn_document_device(document, 0)->buffers->offset[first] = 0;
  tn_document_device(document, 0)->buffers->offset[second] = 512;
  g_autoptr(TnLeftAnswer) answer = ask(document, "recorded");
  g_assert_nonnull(answer->broken);
  g_assert_cmpint(answer->left.own.overlap, ==, 512);
  g_autofree char *verdict = tn_left_answer_dup_verdict(answer, TN_UNITS_BYTES);
  g_assert_true(g_str_has_prefix(verdict, "The plan breaks a rule"));
}

static void
test_no_plan(void)
{
  g_autoptr(TnDocument) document = document_new(4);
  add(document, 0, 2, K);
  g_autoptr(TnLeftAnswer) recorded = ask(document, "recorded"), none = ask(document, "no-such");
  g_assert_cmpstr(recorded->error, ==, "recorded: the file has no offsets");
  g_assert_cmpstr(none->error, ==, "no-such: no such planner");
}

/* Streams without edges: what the plan shares has waited, and so the reference may share it as well;
 * what it does not share stays apart. */
static void
test_shown_streams(void)
{
  g_autoptr(TnDocument) document = document_new(9);
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  tn_index a = add(document, 0, 1, K), c = add(document, 2, 3, K), d = add(document, 4, 5, K);
  b->stream[a] = b->stream[d] = 1;
  b->stream[c] = 2;
  b->offset[a] = 0;
  b->offset[c] = K;
  b->offset[d] = 0;
  g_autoptr(TnLeftAnswer) apart = ask(document, "recorded");
  assert_adds_up(apart);
  g_assert_cmpint(apart->streams, ==, TN_LEFT_STREAMS_SHOWN);
  g_assert_cmpint(apart->reference->arena_bytes, ==, 2 * K); /* nothing shows that 2 waits for 1 */
  b->offset[c] = 0;
  g_autoptr(TnLeftAnswer) shown = ask(document, "recorded");
  assert_adds_up(shown);
  g_assert_cmpint(shown->reference->arena_bytes, ==, K);
}

/* ---- plans of every kind -------------------------------------------------------------------------------- */

static TnDocument *
random_document(uint64_t *state, int round)
{
  TnDocument *document = document_new(60);
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  uint32_t n = 5 + below(state, 60);
  for (uint32_t i = 0; i < n; i++) {
    tn_tick start = below(state, 45);
    tn_index row = add(document, start, start + below(state, 14), 512 * (1 + (tn_bytes)below(state, 20)));
    b->requested[row] -= below(state, 500);
    b->stream[row] = round % 3 ? 0 : below(state, 3);
    b->traits[row] = below(state, 7) ? 0 : TN_TRAIT_ZERO_COPY;
    b->flags[row] = below(state, 12) ? 0 : TN_BUFFER_NO_REUSE;
    b->batch[row] = round % 4 == 1 ? below(state, 3) : 0;
    b->space[row] = round % 5 == 2 ? below(state, 2) : 0;
    if (row && round % 4 == 2 && below(state, 5) == 0 && !b->group[row - 1] &&
        b->space[row] == b->space[row - 1])
      b->group[row] = b->group[row - 1] = row;
  }
  return document;
}

static void
test_random(void)
{
  uint64_t state = 21;
  tn_bytes left = 0;
  for (int round = 0; round < 24; round++) {
    g_autoptr(TnDocument) document = random_document(&state, round);
    g_autoptr(TnLeftAnswer) answer = ask(document, round % 6 == 5 ? "slots" : "ge");
    assert_adds_up(answer);
    g_assert_cmpstr(answer->broken, ==, NULL);
    left += answer->judged->arena_bytes - answer->reference->arena_bytes;
    cJSON *object = tn_left_answer_build_json(answer, 1000);
    g_assert_cmpint((int)cJSON_GetArraySize(cJSON_GetObjectItem(object, "causes")), ==, TN_LEFT_N_CAUSES);
    cJSON_Delete(object);
  }
  g_assert_cmpint(left, >, 0);
}

/* One gap each, with a window or none, well inside the life. */
static void
give_gaps(TnBuffers *b, uint64_t *state)
{
  g_autofree TnGap *gaps = g_new0(TnGap, b->n);
  g_autofree tn_index *owner = g_new(tn_index, b->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    if (b->end[i] - b->start[i] < 5 || below(state, 3) == 0)
      continue;
    TnGap gap = {.start = b->start[i] + 1 + below(state, 2), .end = b->end[i] - 1 - below(state, 2)};
    gap.high = below(state, 2) ? b->bytes[i] / 2 : 0;
    gap.low = gap.high / 4;
    owner[n] = i;
    gaps[n++] = gap;
  }
  tn_buffers_set_gaps(b, gaps, owner, n);
}

static void
test_random_gaps(void)
{
  uint64_t state = 5;
  static const char *const strategies[] = {"greedy-size", "greedy-start", "colour"};
  for (int round = 0; round < 24; round++) {
    g_autoptr(TnDocument) document = random_document(&state, round % 2 ? 1 : 4);
    give_gaps(tn_document_device(document, 0)->buffers, &state);
    g_autoptr(TnLeftAnswer) answer = ask(document, strategies[round % 3]);
    assert_adds_up(answer);
    g_assert_cmpstr(answer->broken, ==, NULL);
    g_assert_cmpint(answer->left.own.overlap, ==, 0);
    g_assert_cmpint(answer->left.other.overlap, ==, 0);
  }
}

/* b lies in a's gap, beside the peak: a's 10 bytes are idle for it, not held by nobody. */
static void
test_idle_in_gap(void)
{
  g_autoptr(TnDocument) document = document_new(12);
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  tn_index a = add(document, 0, 9, 10), c = add(document, 3, 5, 12);
  TnGap gap = {.start = 3, .end = 6};
  tn_buffers_set_gaps(b, &gap, &a, 1);
  b->offset[a] = 0;
  b->offset[c] = 20;
  g_autoptr(TnLeftAnswer) answer = ask(document, "recorded");
  assert_adds_up(answer);
  g_assert_cmpint(answer->left.theory, ==, 12);
  g_assert_cmpint(answer->left.own.idle, ==, 10);
  g_assert_cmpint(answer->left.own.unused, ==, 10);
  g_assert_cmpint(answer->left.own.overlap, ==, 0);
}

/* GE's golden plan: nothing smaller is possible, and that is proved. */
static void
test_golden(void)
{
  g_autofree char *text = ge_proto_text(ge_io_reuse, G_N_ELEMENTS(ge_io_reuse));
  g_autoptr(TnSource) source = tn_source_new_for_bytes("dump", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  static const char *const plans[] = {"recorded", "ge"};
  for (gsize i = 0; i < G_N_ELEMENTS(plans); i++) {
    g_autoptr(TnLeftAnswer) answer = ask(document, plans[i]);
    assert_adds_up(answer);
    g_assert_cmpint(answer->judged->arena_bytes, ==, 2048);
    g_assert_cmpint(answer->reference->arena_bytes, ==, 2048);
    g_assert_true(answer->is_optimal);
    g_assert_cmpuint(answer->left.rows->len, ==, 0);
  }
}

/* The sample's lives in GE's planner: offsets by hand would be long, sums are not. */
static void
test_sample(void)
{
  g_autofree char *path = shared_path("samples/ascend/static_op_mem.csv");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  g_autoptr(TnLeftAnswer) answer = ask(document, "ge");
  assert_adds_up(answer);
  g_assert_cmpstr(answer->broken, ==, NULL);
}

/* b stands in a's place while a is away: what both need at once is a's, and nothing is left over. */
static void
test_gaps(void)
{
  g_autoptr(TnDocument) document = document_new(10);
  TnBuffers *buffers = tn_document_device(document, 0)->buffers;
  tn_index a = add(document, 0, 9, 4 * K), b = add(document, 3, 6, 4 * K);
  TnGap gap_of_a = {.start = 2, .end = 8};
  buffers->offset[a] = buffers->offset[b] = 0;
  tn_buffers_set_gaps(buffers, &gap_of_a, &a, 1);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  TnPlanGap gap;
  g_assert_true(tn_plan_gap_find(study, &gap));
  g_assert_cmpint(gap.arena, ==, 4 * K);
  g_assert_cmpint(gap.needed, ==, 4 * K);
  g_assert_cmpint(gap.misfit, ==, 0);
  buffers->flags[a] = TN_BUFFER_NO_REUSE; /* then its gap is of no use: both at once */
  g_autoptr(TnStudy) apart = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_true(tn_plan_gap_find(apart, &gap));
  g_assert_cmpint(gap.needed, ==, 4 * K);
  g_assert_cmpint(gap.apart, ==, 0); /* the arena has no room for it: the plan breaks the rule */
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-left/nested", test_nested);
  g_test_add_func("/plan-left/recorded", test_recorded);
  g_test_add_func("/plan-left/broken", test_broken);
  g_test_add_func("/plan-left/no-plan", test_no_plan);
  g_test_add_func("/plan-left/shown-streams", test_shown_streams);
  g_test_add_func("/plan-left/random", test_random);
  g_test_add_func("/plan-left/random-gaps", test_random_gaps);
  g_test_add_func("/plan-left/idle-in-gap", test_idle_in_gap);
  g_test_add_func("/plan-left/golden", test_golden);
  g_test_add_func("/plan-left/gaps", test_gaps);
  g_test_add_func("/plan-left/sample", test_sample);
  return g_test_run();
}
