/* SPDX-License-Identifier: MIT */
/* GE's rules: each planted and found, and silent on a clean plan; why two buffers can't share; the gap
 * between what is needed at once and the arena, which adds up. */
#include "config.h"

#include "analysis/findings-all.h"
#include "analysis/findings-ge.h"
#include "analysis/plan-gap.h"
#include "analysis/plan/plan.h"
#include "analysis/sharing.h"
#include "data/reader.h"
#include "ge-support.h"
#include "plan-support.h"

#include <string.h>

static TnDocument *
load(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnDocument *document = tn_document_load_source(source, &options, NULL);
  g_assert_nonnull(document);
  return document;
}

static TnStudy *
study_new(const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_nonnull(study);
  return study;
}

static tn_index
find(const TnStudy *study, const char *name)
{
  for (tn_index i = 0; i < study->buffers->n; i++) {
    g_autofree char *label = tn_study_dup_label(study, i);
    if (g_str_has_prefix(label, name))
      return i;
  }
  g_assert_not_reached();
}

static guint
count(const char *text, const char *code, char **out_message)
{
  g_autoptr(TnDocument) document = load(text);
  g_autoptr(TnStudy) study = study_new(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  guint n = 0;
  tn_find_all(study, &params, findings);
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    if (strcmp(finding->code, code) != 0)
      continue;
    if (out_message && n == 0)
      *out_message = g_strdup(finding->message);
    n++;
  }
  return n;
}

/* ---- rules on a plan's lines --------------------------------------------------------------------- */

static const GeLine clean[] = {
    {"x", "Data", "output[0]", 8192, 0, 1024, 1024, 992, 0, 2, 0, 1, 0, 1, 1, 0, "", ""},
    {"a", "Relu", "output[0]", 0, 0, 4096, 4096, 4064, 1, 3, 0, 1, 0, 0, 1, 0, "", "data"},
    {"b", "Relu", "output[0]", 0, 0, 1024, 1024, 992, 4, 6, 1, 1, 0, 0, 1, 0, "", ""},
    {"z", "Zeros", "output[0]", 4096, 0, 1024, 1024, 992, 1, GE_NEVER, 0, 1, 0, 0, 1, 0, "",
     "concentrate_atomic"},
    {"y", "Out", "output[0]", 9216, 0, 1024, 1024, 992, 5, GE_NEVER, 0, 1, 0, 1, 1, 0, "", ""},
};

/* What is planted, by the field that it changes. */
typedef struct {
  const char *code, *words;
  int line;
  int64_t offset, real, begin; /* -1: as it was */
} Planted;

static void
test_lines(void)
{
  static const Planted rows[] = {
      {"ge-clean-mix", "“a output[0]” and “z output[0]” share memory at offset 2048", 3, 2048, -1, -1},
      {"ge-zero-copy-merged", "“x output[0]” and “y output[0]” share memory at offset 8192", 4, 8192,
       -1, -1},
      {"ge-unaligned", "“b output[0]” lies at offset 256, aligned to 256, but needs a multiple of 512",
       2, 256, -1, -1},
      {"ge-unaligned", "“x output[0]” lies at offset 8200, aligned to 8, but needs a multiple of 32",
       0, 8200, -1, -1},
      {"ge-nested-outside", "“b output[0]” is nested, but ends at 13312, 3072 bytes beyond", 2, 12288,
       -1, -1},
      {"overlap", "“a output[0]” and “b output[0]”", 2, 0, -1, 3},
      {"outside-arena", NULL, 1, -1, -1, -1}, /* the summary says less than the plan needs */
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    GeLine lines[G_N_ELEMENTS(clean)];
    GePlogNoise noise = {.form = GE_PLOG_NOW};
    memcpy(lines, clean, sizeof clean);
    g_autofree char *good = ge_plog_text(lines, G_N_ELEMENTS(lines), noise), *message = NULL;
    GeLine *line = &lines[rows[i].line];
    line->offset = rows[i].offset >= 0 ? rows[i].offset : line->offset;
    line->begin = rows[i].begin >= 0 ? rows[i].begin : line->begin;
    g_autofree char *bad = ge_plog_text(lines, G_N_ELEMENTS(lines), noise);
    g_autofree char *cut = g_strconcat(
        bad, rows[i].words ? "" : "[IMAS]AfterAssignMemory : main_0 memoffset[9728], memtype[2]\n", NULL);
    g_assert_cmpuint(count(good, rows[i].code, NULL), ==, 0);
    g_assert_cmpuint(count(cut, rows[i].code, &message), ==, 1);
    if (rows[i].words)
      g_assert_nonnull(strstr(message, rows[i].words));
  }
}

/* Many tiny tensors: blocks of 512 cost more than reuse wins. */
static void
test_above_no_reuse(void)
{
  GeLine lines[20];
  GePlogNoise noise = {.form = GE_PLOG_NOW};
  for (int i = 0; i < 20; i++)
    lines[i] = (GeLine){g_strdup_printf("t%d", i), "Relu", "output[0]", 512 * (i % 10), 0, 512, 64, 32,
                        i, i + 9 < 20 ? i + 9 : GE_NEVER, 0, 1, 0, 0, 1, 0, "", ""};
  g_autofree char *text = ge_plog_text(lines, 20, noise), *message = NULL;
  g_assert_cmpuint(count(text, "above-no-reuse", &message), ==, 1);
  g_assert_nonnull(strstr(message, "5120 bytes is larger than all tensors together (640"));
  for (int i = 0; i < 20; i++)
    lines[i].real = lines[i].plain = 512; /* each fills its block */
  g_autofree char *good = ge_plog_text(lines, 20, noise);
  for (int i = 0; i < 20; i++)
    g_free((char *)lines[i].name);
  g_assert_cmpuint(count(good, "above-no-reuse", NULL), ==, 0);
}

/* Lives that end before their last reader: each place changes hands in one op. */
static void
test_open_lives(void)
{
  GeLine lines[] = {
      {"a", "Relu", "output[0]", 0, 0, 512, 512, 512, 0, 2, 0, 1, 0, 0, 1, 0, "", ""},
      {"b", "Relu", "output[0]", 0, 0, 512, 512, 512, 2, 4, 0, 1, 0, 0, 1, 0, "", ""},
      {"c", "Relu", "output[0]", 0, 0, 512, 512, 512, 4, 6, 0, 1, 0, 0, 1, 0, "", ""},
      {"d", "Relu", "output[0]", 512, 0, 512, 512, 512, 3, 5, 0, 1, 0, 0, 1, 0, "", ""},
  };
  GePlogNoise noise = {.form = GE_PLOG_NOW};
  g_autofree char *open = ge_plog_text(lines, G_N_ELEMENTS(lines), noise), *message = NULL;
  g_assert_cmpuint(count(open, "overlap", NULL), ==, 2);
  g_assert_cmpuint(count(open, "ge-open-lives", &message), ==, 1);
  g_assert_nonnull(strstr(message, "All 2 overlaps are of the one op"));
  lines[3].offset = 0; /* one that can't be explained so */
  g_autofree char *broken = ge_plog_text(lines, G_N_ELEMENTS(lines), noise);
  g_assert_cmpuint(count(broken, "ge-open-lives", NULL), ==, 0);
  g_autofree char *good = ge_plog_text(clean, G_N_ELEMENTS(clean), noise);
  g_assert_cmpuint(count(good, "ge-open-lives", NULL), ==, 0);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

/* a (0) → b (0); c (1) takes a's place.  `wait`: what c waits for. */
static char *
streams_text(const char *wait)
{
  g_autofree char *inputs = g_strconcat("x:0", wait, NULL);
  const GeOp ops[] = {
      {"x", "Data", "", 0, 4096, 512, 100, 0, 0, NULL, NULL, -1},
      {"a", "Relu", "x:0", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"b", "Relu", "a:0", 0, 512, 512, 100, 0, 0, NULL, NULL, -1},
      {"c", "Relu", inputs, 1, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"d", "Add", "b:0 c:0", 0, 1024, 512, 100, 0, 0, NULL, NULL, -1},
      {"out", "NetOutput", "d:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
  };
  return ge_proto_text(ops, G_N_ELEMENTS(ops));
}

static void
test_cross_stream(void)
{
  static const struct {
    const char *wait;
    guint n;
  } rows[] = {{"", 1}, {" b:-1", 0}, {" a:-1", 1}, {" b:0", 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = streams_text(rows[i].wait), *message = NULL;
    g_assert_cmpuint(count(text, "ge-cross-stream", &message), ==, rows[i].n);
    if (rows[i].n)
      g_assert_nonnull(strstr(message, "“b” on stream 0, which uses “a output[0]”, cannot reach “c” on "
                                       "stream 1, which writes “c output[0]”"));
  }
}

/* The same dumps planned anew: x, b, d and an output of its own; c has a's place only where it waits. */
static void
test_planned_streams(void)
{
  static const char *const waits[] = {"", " a:-1", " b:-1", " b:0"};
  static const char *const planners[] = {"ge", "best", "first-fit"};
  for (gsize i = 0; i < G_N_ELEMENTS(waits); i++)
    for (gsize k = 0; k < G_N_ELEMENTS(planners); k++) {
      g_autofree char *text = streams_text(waits[i]);
      g_autoptr(TnDocument) document = load(text);
      const TnDevice *device = tn_document_get_device(document, 0);
      g_autoptr(TnStreamUses) uses =
          tn_stream_uses_new(document, device, device->buffers, NULL, NULL, NULL);
      TnPlanParams params = {.uses = uses};
      g_autoptr(TnPlan) plan =
          tn_plan_new_for_buffers(device->buffers, tn_strategies_find(planners[k]), 0, &params);
      g_assert_nonnull(uses);
      g_assert_cmpint(plan->arena_bytes, ==, i < 2 ? 5 * 512 : 4 * 512);
    }
}

/* ---- why not --------------------------------------------------------------------------------------------- */

static void
assert_sharing(const TnStudy *study, const char *a, const char *b, TnSharingRule rule,
               const char *words)
{
  TnSharing sharing, other;
  const TnGraph *graph = study->document->graph;
  g_autoptr(TnStreamOrder) order = graph ? tn_stream_order_new(graph) : NULL;
  tn_sharing_find(&sharing, study, order, NULL, find(study, a), find(study, b));
  tn_sharing_find(&other, study, order, NULL, find(study, b), find(study, a));
  g_assert_cmpstr(tn_sharing_rule_name(sharing.rule), ==, tn_sharing_rule_name(rule));
  g_assert_cmpstr(sharing.sentence, ==, other.sentence); /* whichever is named first */
  g_assert_nonnull(strstr(sharing.sentence, words));
  g_assert_true(sharing.may_share == (rule == TN_SHARING_MAY));
  tn_sharing_clear(&sharing);
  tn_sharing_clear(&other);
}

static void
test_why_not(void)
{
  static const GeLine lines[] = {
      {"a", "Relu", "output[0]", 0, 0, 512, 512, 480, 1, 3, 0, 1, 0, 0, 1, 0, "", "data"},
      {"b", "Relu", "output[0]", 512, 0, 512, 512, 480, 3, 5, 0, 1, 0, 0, 1, 0, "", ""},
      {"c", "Relu", "output[0]", 0, 0, 512, 512, 480, 4, 6, 0, 1, 0, 0, 1, 0, "", ""},
      {"far", "Relu", "output[0]", 1024, 0, 512, 512, 480, 8, 9, 0, 1, 0, 0, 1, 0, "", ""},
      {"s", "Relu", "output[0]", 1536, 2, 512, 512, 480, 8, 9, 0, 1, 0, 0, 1, 0, "", ""},
      {"z", "Zeros", "output[0]", 2048, 0, 512, 512, 480, 7, 9, 0, 1, 0, 0, 1, 0, "",
       "concentrate_atomic"},
      {"k", "Keep", "output[0]", 2560, 0, 512, 512, 480, 7, 9, 0, 0, 0, 0, 1, 0, "", ""},
      {"in", "Data", "output[0]", 3072, 0, 512, 512, 480, 0, 1, 0, 1, 0, 1, 1, 0, "", ""},
      {"out", "Relu", "output[0]", 3584, 0, 512, 512, 480, 9, GE_NEVER, 0, 1, 0, 1, 1, 0, "", ""},
      {"m", "Relu", "output[0]", 4096, 0, 512, 512, 480, 1, 3, 0, 1, 0, 0, 1, 0, "B1", ""},
      {"n", "Relu", "output[0]", 4096, 0, 512, 512, 480, 1, 3, 0, 1, 0, 0, 1, 0, "B2", ""},
  };
  g_autofree char *text = ge_plog_text(lines, G_N_ELEMENTS(lines), (GePlogNoise){.form = GE_PLOG_NOW});
  g_autoptr(TnDocument) document = load(text);
  g_autoptr(TnStudy) study = study_new(document);
  assert_sharing(study, "a ", "a ", TN_SHARING_SAME, "one buffer");
  assert_sharing(study, "a ", "b ", TN_SHARING_LIVES, "“a output[0]” ends at 3, and “b output[0]” begins at 3: both");
  assert_sharing(study, "a ", "c ", TN_SHARING_MAY, "may share, and they do: “a output[0]” ends at 3");
  assert_sharing(study, "a ", "far", TN_SHARING_MAY, "but each has a place of its own");
  assert_sharing(study, "a ", "s ", TN_SHARING_STREAMS_UNKNOWN, "of stream 2, and the file has no edges");
  assert_sharing(study, "a ", "z ", TN_SHARING_CLEANED, "block types may not share");
  assert_sharing(study, "a ", "k ", TN_SHARING_NO_REUSE, "“k output[0]” shares its place with nobody");
  assert_sharing(study, "in", "out", TN_SHARING_ZERO_COPY, "never merged");
  assert_sharing(study, "a ", "m ", TN_SHARING_BATCH, "“m output[0]” is of the batch “B1”");
  assert_sharing(study, "m ", "n ", TN_SHARING_MAY, "batches never run together");
}

static void
test_why_not_streams(void)
{
  g_autofree char *open = streams_text(""), *closed = streams_text(" b:-1");
  g_autoptr(TnDocument) bad = load(open), good = load(closed);
  g_autoptr(TnStudy) study = study_new(bad), other = study_new(good);
  g_autoptr(TnFindings) findings = tn_findings_new();
  assert_sharing(study, "a ", "c ", TN_SHARING_STREAMS, "cannot reach “c” on stream 1");
  assert_sharing(other, "a ", "c ", TN_SHARING_MAY, "may share, and they do");
  assert_sharing(other, "a ", "b ", TN_SHARING_LIVES, "ends at “b” (2), and “b output[0]” begins at “b” (2): both are");
  tn_find_why_not(other, find(other, "a "), find(other, "c "), findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->hint, ==, "Rule: may-share. The path: “b” → “c”");
}

/* Of plans that GE's planner made: which of its levels, or who, kept two apart that may share. */
static void
test_why_not_planned(void)
{
  static const char text[] =
      "{\"format\": \"tenure-plan\", \"version\": 1, \"strategy\": \"binary-block\", \"axis\": {\"end\": 9, "
      "\"labels\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]},"
      "\"streams\": {\"of_label\": [0, 0, 0, 1, 1, 0, 0, 0, 0], \"waits\": [[1, 4]]}, \"buffers\": ["
      "{\"id\": 0, \"name\": \"x\", \"start\": 0, \"end\": 2, \"bytes\": 512, \"op\": 0, \"stream\": 0, \"offset\": 0, \"last_ops\": [1]},"
      "{\"id\": 1, \"name\": \"y\", \"start\": 3, \"end\": 4, \"bytes\": 512, \"op\": 3, \"stream\": 1, \"offset\": 512},"
      "{\"id\": 2, \"name\": \"z\", \"start\": 4, \"end\": 5, \"bytes\": 512, \"op\": 4, \"stream\": 1, \"offset\": 1024},"
      "{\"id\": 3, \"name\": \"big\", \"start\": 5, \"end\": 6, \"bytes\": 2048, \"op\": 5, \"stream\": 0, \"offset\": 2048},"
      "{\"id\": 4, \"name\": \"w\", \"start\": 6, \"end\": 9, \"bytes\": 512, \"op\": 6, \"stream\": 0, \"offset\": 0},"
      "{\"id\": 5, \"name\": \"v\", \"start\": 7, \"end\": 9, \"bytes\": 512, \"op\": 7, \"stream\": 0, \"offset\": 1536},"
      "{\"id\": 6, \"name\": \"io\", \"start\": 0, \"end\": 1, \"bytes\": 512, \"op\": 0, \"stream\": 0, \"offset\": 4096, \"traits\": [\"zero-copy\"]},"
      "{\"id\": 7, \"name\": \"near\", \"start\": 5, \"end\": 6, \"bytes\": 512, \"op\": 5, \"stream\": 0, \"offset\": 4608, \"traits\": [\"continuous\"]}]}";
  g_autoptr(TnDocument) document = load(text);
  g_autoptr(TnStudy) study = study_new(document);
  assert_sharing(study, "x", "y", TN_SHARING_STREAMS, "“b” on stream 0, which uses “x”, cannot reach “d” on stream 1");
  assert_sharing(study, "x", "z", TN_SHARING_MAY, "GE's first level shares within one stream");
  assert_sharing(study, "x", "big", TN_SHARING_MAY, "these ask for 512 and 2048 bytes");
  assert_sharing(study, "x", "v", TN_SHARING_MAY, "when “v” begins, “w” has the place of “x”");
  assert_sharing(study, "x", "near", TN_SHARING_MAY, "leaves out contiguous and zero-copy blocks");
  assert_sharing(study, "io", "near", TN_SHARING_CONTINUOUS, "“near” is of a contiguous stretch, “io” is zero copy");
}

/* ---- the gap ----------------------------------------------------------------------------------------------- */

static tn_bytes
sum_of(const TnPlanGap *gap)
{
  return gap->needed + gap->rounding + gap->apart + gap->neighbours + gap->batches + gap->streams +
         gap->misfit;
}

static void
test_gap(void)
{
  /* a and c share; y is the caller's and stands apart from the start; a hole of 512 is left. */
  static const GeLine lines[] = {
      {"a", "Relu", "output[0]", 0, 0, 1024, 1000, 900, 1, 3, 0, 1, 0, 0, 1, 0, "", ""},
      {"c", "Relu", "output[0]", 0, 0, 1024, 1024, 1000, 4, 5, 0, 1, 0, 0, 1, 0, "", ""},
      {"b", "Relu", "output[0]", 1536, 0, 512, 300, 200, 2, 4, 0, 1, 0, 0, 1, 0, "", ""},
      {"y", "Relu", "output[0]", 2048, 0, 512, 512, 480, 5, GE_NEVER, 0, 1, 0, 1, 1, 0, "", ""},
  };
  g_autofree char *text = ge_plog_text(lines, G_N_ELEMENTS(lines), (GePlogNoise){.form = GE_PLOG_NOW});
  g_autoptr(TnDocument) document = load(text);
  g_autoptr(TnStudy) study = study_new(document);
  TnPlanGap gap;
  g_assert_true(tn_plan_gap_find(study, &gap));
  g_assert_cmpint(gap.arena, ==, 2560);
  g_assert_cmpint(gap.needed, ==, 1480);  /* c and y at 5 */
  g_assert_cmpint(gap.theory, ==, 1536);  /* 1024 + 512 */
  g_assert_cmpint(gap.rounding, ==, 56);
  g_assert_cmpint(gap.apart, ==, 512);    /* y from the start: 1024 + 512 + 512 */
  g_assert_cmpint(gap.misfit, ==, 512);
  g_assert_cmpint(sum_of(&gap), ==, gap.arena);
}

/* On plans of every kind the causes add up, and none is negative. */
static void
test_gap_adds_up(void)
{
  uint64_t state = 9;
  for (int round = 0; round < 200; round++) {
    g_autoptr(TnDocument) document = tn_document_new("made");
    TnDevice *device = tn_document_device(document, 0);
    uint32_t n = 2 + below(&state, 30);
    document->kind = TN_DOCUMENT_PLAN;
    device->axis_end = 40;
    device->buffers = tn_buffers_new();
    tn_buffers_need(device->buffers, TN_COLUMN_REQUESTED | TN_COLUMN_STREAM | TN_COLUMN_TRAITS |
                                         TN_COLUMN_BATCH | TN_COLUMN_GROUP);
    for (uint32_t i = 0; i < n; i++) {
      tn_tick start = below(&state, 30);
      tn_index row = tn_buffers_add(device->buffers, start, start + 1 + below(&state, 9),
                                    512 * (1 + (tn_bytes)below(&state, 9)), TN_KIND_ACTIVATION);
      device->buffers->requested[row] -= below(&state, 500);
      device->buffers->stream[row] = round % 3 ? 0 : below(&state, 3);
      device->buffers->traits[row] = below(&state, 5) ? 0 : TN_TRAIT_ZERO_COPY;
      device->buffers->flags[row] = below(&state, 9) ? 0 : TN_BUFFER_NO_REUSE;
      device->buffers->batch[row] = round % 2 ? below(&state, 3) : 0;
    }
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanGap gap;
    g_autoptr(TnPlan) plan =
        tn_plan_new_for_buffers(device->buffers, tn_strategies_find("ge"), 0, &params);
    memcpy(device->buffers->offset, plan->offset, n * sizeof(tn_bytes));
    g_autoptr(TnStudy) study = study_new(document);
    g_assert_true(tn_plan_gap_find(study, &gap));
    g_assert_cmpint(gap.arena, ==, plan->arena_bytes);
    g_assert_cmpint(sum_of(&gap), ==, gap.arena);
    g_assert_cmpint(gap.theory, <=, gap.arena);
    g_assert_true(gap.rounding >= 0 && gap.apart >= 0 && gap.neighbours >= 0 && gap.batches >= 0 &&
                  gap.streams >= 0 && gap.misfit >= 0);
  }
}

/* A life with a gap: who lives within it may share, as plan has it; who reaches past it may not. */
static void
test_why_not_in_gaps(void)
{
  g_autoptr(TnDocument) document =
      load("{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 10}, "
           "\"spaces\": [{\"name\": \"\"}], \"buffers\": ["
           "{\"id\": 0, \"name\": \"b0\", \"start\": 0, \"end\": 10, \"bytes\": 10, \"gaps\": [[3, 7]]}, "
           "{\"id\": 1, \"name\": \"b1\", \"start\": 4, \"end\": 6, \"bytes\": 10}, "
           "{\"id\": 2, \"name\": \"b2\", \"start\": 4, \"end\": 9, \"bytes\": 10}, "
           "{\"id\": 3, \"name\": \"b3\", \"start\": 2, \"end\": 5, \"bytes\": 10}]}");
  g_autoptr(TnStudy) study = study_new(document);
  assert_sharing(study, "b0", "b1", TN_SHARING_MAY, "at no tick both hold anything");
  assert_sharing(study, "b0", "b2", TN_SHARING_LIVES, "are both alive from 7 to 8, behind a gap");
  assert_sharing(study, "b0", "b3", TN_SHARING_LIVES, "“b0” ends at 9, and “b3” begins at 2: both are");
}

/* In a gap the buffer holds [0, 10) of its 100: who lies beside that shares its place, who lies on it does
 * not, and who has no place yet may. */
static void
test_why_not_beside_windows(void)
{
  g_autoptr(TnDocument) document =
      load("{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 10}, "
           "\"spaces\": [{\"name\": \"\"}], \"buffers\": ["
           "{\"id\": 0, \"name\": \"wide\", \"start\": 0, \"end\": 9, \"bytes\": 100, \"offset\": 0, "
           "\"gaps\": [[3, 7, 0, 10]]}, "
           "{\"id\": 1, \"name\": \"beside\", \"start\": 4, \"end\": 6, \"bytes\": 90, \"offset\": 10}, "
           "{\"id\": 2, \"name\": \"on\", \"start\": 6, \"end\": 7, \"bytes\": 90, \"offset\": 9}, "
           "{\"id\": 3, \"name\": \"past\", \"start\": 4, \"end\": 9, \"bytes\": 1, \"offset\": 200}, "
           "{\"id\": 4, \"name\": \"loose\", \"start\": 4, \"end\": 6, \"bytes\": 90}]}");
  g_autoptr(TnStudy) study = study_new(document);
  assert_sharing(study, "wide", "beside", TN_SHARING_MAY,
                 "and they do: while both are alive “wide” holds a part of its place only, and “beside” may");
  assert_sharing(study, "wide", "on", TN_SHARING_LIVES, "“on” begins at 6: both are alive then");
  assert_sharing(study, "wide", "past", TN_SHARING_LIVES, "both alive from 7 to 8, behind a gap");
  assert_sharing(study, "wide", "loose", TN_SHARING_MAY, "and have no places yet: while both are alive “wide”");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ge-rules/lines", test_lines);
  g_test_add_func("/ge-rules/above-no-reuse", test_above_no_reuse);
  g_test_add_func("/ge-rules/open-lives", test_open_lives);
  g_test_add_func("/ge-rules/cross-stream", test_cross_stream);
  g_test_add_func("/ge-rules/planned-streams", test_planned_streams);
  g_test_add_func("/ge-rules/why-not", test_why_not);
  g_test_add_func("/ge-rules/why-not-in-gaps", test_why_not_in_gaps);
  g_test_add_func("/ge-rules/why-not-beside-windows", test_why_not_beside_windows);
  g_test_add_func("/ge-rules/why-not-streams", test_why_not_streams);
  g_test_add_func("/ge-rules/why-not-planned", test_why_not_planned);
  g_test_add_func("/ge-rules/gap", test_gap);
  g_test_add_func("/ge-rules/gap-adds-up", test_gap_adds_up);
  return g_test_run();
}
