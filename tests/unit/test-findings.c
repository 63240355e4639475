/* SPDX-License-Identifier: MIT */
/* Planted causes: each is found, first among its kind, with the saving computed by hand. */
#include "config.h"

#include "analysis/findings-all.h"
#include "analysis/findings-log.h"
#include "analysis/findings-plan.h"
#include "analysis/leak.h"
#include "analysis/suspects.h"
#include "tests/unit/request-log.h"

static uint64_t
take_at(TnDocument *document, tn_bytes bytes, uint32_t stack)
{
  TnEvents *events = &tn_document_device(document, 0)->events;
  uint32_t event = events->n;
  uint64_t place = log_take(document, bytes);
  events->stack[event] = stack;
  return place;
}

static const TnFinding *
first_of(const TnFindings *findings, const char *code)
{
  for (guint i = 0; i < findings->rows->len; i++)
    if (strcmp(tn_findings_get(findings, i)->code, code) == 0)
      return tn_findings_get(findings, i);
  return NULL;
}

/* Five steps, a thousand call sites that take and give back; line 777 keeps what it takes. */
static TnDocument *
thousand_sites(bool with_marks, bool has_keeper)
{
  TnDocument *document = log_new();
  TnEvents *events = &tn_document_device(document, 0)->events;
  uint32_t stacks[1000];
  for (int line = 0; line < 1000; line++)
    stacks[line] = log_stack(document, line + 1);
  for (int step = 0; step < 5; step++) {
    if (with_marks)
      log_mark(document, TN_MARK_ITERATION, events->n, 0, 0);
    for (int line = 0; line < 1000; line++) {
      uint64_t place = take_at(document, line == 776 ? 4096 : 1024 * (1 + line % 7), stacks[line]);
      if (line != 776)
        log_free(document, place, 1024 * (1 + line % 7));
    }
    if (step == 0 && has_keeper) /* kept, but once: no leak */
      take_at(document, 64 * 1024, stacks[5]);
  }
  if (with_marks)
    log_mark(document, TN_MARK_ITERATION, events->n - 1, 0, 0);
  return document;
}

static void
test_leak(void)
{
  g_autoptr(TnDocument) document = thousand_sites(true, true);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_leaks(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *leak = tn_findings_get(findings, 0);
  g_assert_cmpstr(leak->message, ==,
                  "net.py:777 f takes more memory in every iteration and frees none of it: "
                  "5 buffers, 20.0 KiB in all, 4.0 KiB in the last whole one");
  g_assert_cmpuint(leak->buffers->len, ==, 5);
  g_assert_cmpint(leak->bytes, ==, 5 * 4096);
  /* The peak: 64 KiB kept, five leaked and 7 KiB for a moment. */
  g_assert_cmpint(study->live->peak, ==, 64 * 1024 + 5 * 4096 + 7 * 1024);
  g_assert_cmpint(leak->saving_bytes, ==, 5 * 4096);
  TnFindParams params = {0};
  g_autoptr(TnFindings) all = tn_findings_new();
  tn_find_all(study, &params, all);
  g_assert_nonnull(first_of(all, "leak"));
}

/* With nothing else to find, it is the first of all findings. */
static void
test_leak_is_first(void)
{
  g_autoptr(TnDocument) document = thousand_sites(true, false);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  tn_find_all(study, &params, findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "leak");
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 5 * 4096);
}

/* A log whose only leak is spread over all its parts, without marks. */
static void
test_leak_without_marks(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint32_t steady = log_stack(document, 1), leaky = log_stack(document, 2);
  for (int i = 0; i < 100; i++) {
    log_free(document, take_at(document, 1 << 20, steady), 1 << 20);
    take_at(document, 512, leaky);
  }
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnCallSites) sites = tn_call_sites_new(document);
  g_autoptr(TnLeaks) leaks = tn_leaks_new(study, sites);
  g_assert_cmpuint(leaks->rows->len, ==, 1);
  const TnLeak *leak = &g_array_index(leaks->rows, TnLeak, 0);
  g_assert_cmpstr(tn_call_sites_name(sites, leak->site), ==, "net.py:2 f");
  g_assert_cmpint(leak->saving, ==, 99 * 512);
  g_assert_false(leaks->is_by_marks);
}

/* All that is found in the text of a plan. */
static TnFindings *
found_in(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("p.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  TnFindings *findings = tn_findings_new();
  TnFindParams find = {0};
  tn_find_all(study, &find, findings);
  return findings;
}

/* Each memory of a plan ends where the file says so; where it does not, offsets pass nothing. */
static void
test_arenas_of_spaces(void)
{
  static const char text[] =
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 2},\n"
      " \"spaces\": [{\"name\": \"sram\", \"arena_bytes\": 100}, {\"name\": \"dram\", \"arena_bytes\": 400}, {\"name\": "
      "\"flash\"}],\n \"buffers\": [\n"
      "  {\"id\": \"a\", \"name\": \"a\", \"start\": 0, \"end\": 2, \"bytes\": 64, \"offset\": 0, \"space\": \"sram\"},\n"
      "  {\"id\": \"b\", \"name\": \"b\", \"start\": 0, \"end\": 2, \"bytes\": 64, \"offset\": 64, \"space\": \"sram\"},\n"
      "  {\"id\": \"c\", \"name\": \"c\", \"start\": 0, \"end\": 2, \"bytes\": 300, \"offset\": 64, \"space\": \"dram\"},\n"
      "  {\"id\": \"d\", \"name\": \"d\", \"start\": 0, \"end\": 2, \"bytes\": 300, \"offset\": 900, \"space\": \"flash\"}]}\n";
  g_autoptr(TnFindings) findings = found_in(text);
  guint n = 0;
  for (guint i = 0; i < findings->rows->len; i++)
    n += strcmp(tn_findings_get(findings, i)->code, "outside-arena") == 0;
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(first_of(findings, "outside-arena")->message, ==,
                  "“b” lies in [0x40, 0x80), but its arena ends at 0x64 (100 bytes)");
}

/* Of a plan's one memory its own arena is the limit, the file's only where that says none. */
static void
test_arena_of_the_space(void)
{
  static const struct {
    const char *space;
    bool is_outside;
  } rows[] = {{", \"arena_bytes\": 100", true}, {"", false}, {", \"arena_bytes\": 150", false}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 2}, \"arena_bytes\": 300,\n"
        " \"spaces\": [{\"name\": \"a\"%s}], \"buffers\": [\n"
        "  {\"id\": \"a\", \"name\": \"a\", \"start\": 0, \"end\": 2, \"bytes\": 60, \"offset\": 90, \"space\": \"a\"}]}\n",
        rows[i].space);
    g_autoptr(TnFindings) findings = found_in(text);
    g_assert_true((first_of(findings, "outside-arena") != NULL) == rows[i].is_outside);
  }
}

static void
test_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  tn_find_all(study, &params, findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "oom");
  g_assert_nonnull(strstr(tn_findings_get(findings, 0)->hint,
                          "With expandable_segments=True the request would have been served"));
  const TnFinding *leak = first_of(findings, "leak");
  g_assert_true(g_str_has_prefix(leak->message, "train.py:60 train_step takes more memory"));
  g_assert_cmpint(leak->saving_bytes, ==, 12 * MIB);
  const TnFinding *fragmentation = first_of(findings, "fragmentation");
  /* What a replay of all events reserves less than was recorded: the request that failed, once it is
   * served, belongs to the peak. */
  g_assert_cmpint(fragmentation->saving_bytes, ==, INT64_C(3959422976) - INT64_C(3860856832));
  for (guint i = 1; i < findings->rows->len; i++) /* ranked */
    g_assert_cmpint(tn_findings_get(findings, i - 1)->severity, >=,
                    tn_findings_get(findings, i)->severity);
}

/* One buffer of 10 MiB that lives through all, and a wave of 3 MiB: without it the peak is 3. */
static void
test_long_tail(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint32_t kept = log_stack(document, 1), wave = log_stack(document, 2);
  uint64_t place = take_at(document, 10 * MIB, kept);
  for (int i = 0; i < 50; i++)
    log_free(document, take_at(document, 3 * MIB, wave), 3 * MIB);
  log_free(document, place, 10 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  tn_find_all(study, &params, findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "long-tail");
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 10 * MIB);
}

/* Used at event 1, freed at the end: while it lay there 4 MiB came and went. */
static void
test_late_free(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint32_t late = log_stack(document, 1), other = log_stack(document, 2);
  uint64_t place = take_at(document, 6 * MIB, late);
  log_add(document, TN_EVENT_USE, place, 0);
  for (int i = 0; i < 10; i++)
    log_free(document, take_at(document, 4 * MIB, other), 4 * MIB);
  log_free(document, place, 6 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  TnBuffers *b = (TnBuffers *)study->buffers;
  tn_buffers_need(b, TN_COLUMN_LAST_USE);
  for (uint32_t i = 0; i < b->n; i++)
    b->last_use[i] = i == 0 ? 1 : TN_NONE;
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_late_frees(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 4 * MIB);
  g_assert_cmpint(tn_findings_get(findings, 0)->bytes, ==, 6 * MIB);
}

/* Two streams that take 20 MiB one after the other: one place would do. */
static void
test_split_pools(void)
{
  g_autoptr(TnDocument) document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint32_t stream = tn_device_space(device, 7, 0, 0);
  for (uint32_t space = 0; space < 2; space++) {
    uint64_t place = (uint64_t)(space + 1) << 36;
    uint32_t from = device->events.n;
    log_add(document, TN_EVENT_SEGMENT_ALLOC, place, 20 * MIB);
    log_add(document, TN_EVENT_ALLOC, place, 20 * MIB);
    log_free(document, place, 20 * MIB);
    log_segment(document, place, 20 * MIB, false);
    for (uint32_t i = from; i < device->events.n && space; i++)
      device->events.space[i] = stream;
    g_array_index(device->segments, TnSegment, space).space = space ? stream : 0;
  }
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_split_pools(study, log, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 20 * MIB);
}

/* A byte above the budget looks the same in KiB: what is too much is said, too. */
static void
test_over_budget(void)
{
  g_autoptr(TnDocument) document = log_new();
  take_at(document, 804 * 1024, 0);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {.budget = 804 * 1024 - 1};
  tn_find_all(study, &params, findings);
  const TnFinding *finding = first_of(findings, "over-budget");
  g_assert_cmpint(finding->bytes, ==, 1);
  g_assert_cmpstr(finding->message, ==,
                  "The live peak is 804.0 KiB, 1 B above the budget of 804.0 KiB");
}

static void
test_repeats(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint32_t again = log_stack(document, 9);
  for (int i = 0; i < 70; i++)
    log_free(document, take_at(document, 2 * MIB, again), 2 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_repeats(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->bytes, ==, 140 * MIB);
}

/* What each suspect is answered, in order: y, n or - (can't be told). */
static void
check_suspects(TnStudy *study, const char *expected)
{
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  tn_find_all(study, &params, findings);
  g_autoptr(GArray) suspects = tn_suspects_new(study, findings);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < suspects->len; i++) {
    const TnSuspect *suspect = &g_array_index(suspects, TnSuspect, i);
    g_string_append_c(text, "yn-"[suspect->answer]);
    g_assert_true(suspect->sentence && suspect->sentence[0]);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

static void
test_suspects(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  check_suspects(study, "nnyy---nyy");
  g_autoptr(TnDocument) lives = log_load_sample("small-plan.csv");
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) of_lives = tn_study_new(lives, 0, &params, NULL, NULL);
  check_suspects(of_lives, "nnn---nnnn");
}

/* ---- plans --------------------------------------------------------------------------------- */

static TnDocument *
plan_new(void)
{
  TnDocument *document = tn_document_new("test.json");
  document->kind = TN_DOCUMENT_PLAN;
  document->format = "tenure-plan";
  TnDevice *device = tn_document_device(document, 0);
  device->buffers = tn_buffers_new();
  device->axis = TN_AXIS_STEP;
  device->axis_end = 12;
  device->arena_bytes = TN_BYTES_UNKNOWN;
  device->granularity = 0;
  return document;
}

static tn_index
plan_add(TnDocument *document, tn_tick start, tn_tick end, tn_bytes bytes, tn_bytes offset,
         TnBufferKind kind)
{
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  tn_index row = tn_buffers_add(b, start, end, bytes, kind);
  b->offset[row] = offset;
  return row;
}

static TnStudy *
plan_study(TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static void
test_reuse_off(void)
{
  g_autoptr(TnDocument) document = plan_new();
  for (int i = 0; i < 4; i++)
    plan_add(document, 3 * i, 3 * i + 3, 100, TN_NOT_PLACED, TN_KIND_ACTIVATION);
  tn_document_device(document, 0)->buffers->flags[1] |= TN_BUFFER_NO_REUSE;
  g_autoptr(TnStudy) study = plan_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_reuse_off(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 100);
  g_assert_cmpuint(g_array_index(tn_findings_get(findings, 0)->buffers, uint32_t, 0), ==, 1);
}

static void
test_residents(void)
{
  g_autoptr(TnDocument) document = plan_new();
  plan_add(document, 0, 12, 300, TN_NOT_PLACED, TN_KIND_CONSTANT);
  plan_add(document, 0, 6, 100, TN_NOT_PLACED, TN_KIND_ACTIVATION);
  plan_add(document, 6, 12, 100, TN_NOT_PLACED, TN_KIND_ACTIVATION);
  g_autoptr(TnStudy) study = plan_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_residents(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 300);
}

/* The file's own arena is larger than what a plan gives: it is that plan's that is named. */
static void
test_residents_planned_anew(void)
{
  g_autoptr(TnDocument) document = plan_new();
  plan_add(document, 0, 12, 100, 0, TN_KIND_CONSTANT);
  plan_add(document, 0, 6, 100, 300, TN_KIND_ACTIVATION);
  plan_add(document, 6, 12, 100, 500, TN_KIND_ACTIVATION);
  g_autoptr(TnStudy) study = plan_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  g_assert_cmpint(study->arena_bytes, ==, 600);
  tn_find_residents(study, findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->message, ==,
                  "1 buffer (100 B) are constants or variables inside the arena: planned anew the "
                  "arena is 200 B, and 100 B without that");
}

/* Three workspaces of 50 one after the other, each in its own place above the activation. */
static void
test_workspaces(void)
{
  g_autoptr(TnDocument) document = plan_new();
  plan_add(document, 0, 12, 200, 0, TN_KIND_ACTIVATION);
  for (int i = 0; i < 3; i++)
    plan_add(document, 3 * i, 3 * i + 3, 50, 200 + 50 * i, TN_KIND_WORKSPACE);
  g_autoptr(TnStudy) study = plan_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_workspaces(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 100);
  g_assert_cmpstr(tn_findings_get(findings, 0)->message, ==,
                  "3 buffers (150 B) are workspaces that stand in places of their own: the arena is "
                  "350 B, and 250 B without that");
}

/* What is said to be saved keeps what others may not share, and what may not move. */
static void
test_workspaces_kept(void)
{
  g_autoptr(TnDocument) document = plan_new();
  plan_add(document, 6, 12, 1000, 0, TN_KIND_ACTIVATION);
  plan_add(document, 0, 1, 500, 1000, TN_KIND_WORKSPACE);
  plan_add(document, 1, 2, 500, 1500, TN_KIND_WORKSPACE);
  uint8_t *flags = tn_document_device(document, 0)->buffers->flags;
  flags[0] |= TN_BUFFER_NO_REUSE;
  for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
    g_autoptr(TnStudy) study = plan_study(document);
    g_autoptr(TnFindings) findings = tn_findings_new();
    tn_find_workspaces(study, findings);
    g_assert_cmpuint(findings->rows->len, ==, is_fixed ? 0 : 1);
    if (!is_fixed)
      g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 500);
    flags[1] |= TN_BUFFER_FIXED;
    flags[2] |= TN_BUFFER_FIXED;
  }
}

/* Four ops in a row, each reading what the one before made; `offset`: where a, b, c, d stand. */
static TnDocument *
chain_with_plan(const tn_bytes *offset)
{
  static const tn_bytes bytes[] = {100, 50, 100, 50};
  static const char *const names[] = {"a", "b", "c", "d"};
  TnDocument *document = tn_document_new("chain.tflite");
  document->kind = TN_DOCUMENT_GRAPH;
  document->format = "tflite";
  document->graph = tn_graph_new();
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t name = tn_strings_intern(document->strings, names[i], -1);
    uint32_t made = tn_graph_add_tensor(document->graph, name, TN_TENSOR_ACTIVATION);
    tn_graph_tensor(document->graph, made)->bytes = bytes[i];
    tn_graph_tensor(document->graph, made)->recorded_offset = offset[i];
    tn_graph_tensor(document->graph, made)->is_output = i == 3;
    tn_graph_add_op(document->graph, name, 0);
    if (i > 0)
      tn_graph_op_add_input(document->graph, i - 1);
    tn_graph_op_add_output(document->graph, made);
    g_array_append_val(document->graph->order, i);
  }
  tn_document_device(document, 0)->axis = TN_AXIS_STEP;
  return document;
}

/* a is read last by op b, in the ticks 3 to 5; c begins at 6 and could stand where a was. */
static void
test_late_place(void)
{
  static const tn_bytes apart[] = {0, 100, 150, 100}, shared[] = {0, 100, 0, 100};
  g_autoptr(TnDocument) wasteful = chain_with_plan(apart);
  g_autoptr(TnDocument) tight = chain_with_plan(shared);
  g_autoptr(TnStudy) study = plan_study(wasteful);
  g_autoptr(TnStudy) good = plan_study(tight);
  g_autoptr(TnFindings) findings = tn_findings_new();
  g_autoptr(TnFindings) none = tn_findings_new();
  g_assert_cmpint(study->arena_bytes, ==, 250);
  tn_find_late_places(study, findings);
  tn_find_late_places(good, none);
  g_assert_cmpuint(none->rows->len, ==, 0);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->code, ==, "late-free");
  g_assert_cmpint(finding->saving_bytes, ==, 100);
  g_assert_cmpstr(tn_finding_saving_of(finding), ==, "arena");
  g_assert_cmpstr(finding->message, ==,
                  "a (100 B) is read last by b at tick 5, but the plan lets nobody have its place until "
                  "the end, 12: the arena is 250 B, and 150 B where what begins in between may use it");
}

/* Nothing begins after a's last reader that its place would help: no cost, no finding. */
static void
test_late_place_for_nothing(void)
{
  static const tn_bytes offset[] = {150, 100, 0, 100};
  g_autoptr(TnDocument) document = chain_with_plan(offset);
  g_autoptr(TnStudy) study = plan_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_late_places(study, findings);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/findings/leak", test_leak);
  g_test_add_func("/findings/leak-is-first", test_leak_is_first);
  g_test_add_func("/findings/leak-without-marks", test_leak_without_marks);
  g_test_add_func("/findings/arenas-of-spaces", test_arenas_of_spaces);
  g_test_add_func("/findings/arena-of-the-space", test_arena_of_the_space);
  g_test_add_func("/findings/sample", test_sample);
  g_test_add_func("/findings/long-tail", test_long_tail);
  g_test_add_func("/findings/late-free", test_late_free);
  g_test_add_func("/findings/split-pools", test_split_pools);
  g_test_add_func("/findings/repeats", test_repeats);
  g_test_add_func("/findings/over-budget", test_over_budget);
  g_test_add_func("/findings/suspects", test_suspects);
  g_test_add_func("/findings/late-place", test_late_place);
  g_test_add_func("/findings/late-place-for-nothing", test_late_place_for_nothing);
  g_test_add_func("/findings/reuse-off", test_reuse_off);
  g_test_add_func("/findings/residents-planned-anew", test_residents_planned_anew);
  g_test_add_func("/findings/residents", test_residents);
  g_test_add_func("/findings/workspaces", test_workspaces);
  g_test_add_func("/findings/workspaces-kept", test_workspaces_kept);
  return g_test_run();
}
