/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/fuzz/past-reader.h"

#include "analysis/check.h"
#include "analysis/findings-all.h"
#include "analysis/plan/plan.h"
#include "data/graph-writer.h"
#include "data/write.h"

#include <string.h>

/* Work that grows faster than the input is done on little ones, so that many are tried a second. */
#define MOST_DEVICES 4
#define MOST_PLANNED 128
#define MOST_SEARCHED 10
#define MOST_REPLAYED 200

static void
check_buffers(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  for (tn_index i = 0; i < b->n; i++) {
    uint32_t n;
    tn_tick at = b->start[i];
    const TnGap *gaps = tn_buffers_gaps(b, i, &n);
    g_assert_cmpint(b->start[i], >=, 0);
    g_assert_cmpint(b->start[i], <, b->end[i]);
    g_assert_cmpint(b->end[i], <=, study->axis_end);
    g_assert_cmpint(b->bytes[i], >=, 0);
    g_assert_cmpint(tn_buffers_alignment(b, i), >=, 1);
    if (!study->is_log)
      g_assert_cmpint(b->offset[i], >=, TN_NOT_PLACED);
    for (uint32_t g = 0; g < n; at = gaps[g++].end) {
      g_assert_cmpint(gaps[g].start, >=, at);
      g_assert_cmpint(gaps[g].end, <=, b->end[i]);
      g_assert_cmpint(gaps[g].high, <=, b->bytes[i]);
    }
  }
}

static void
check_curve(const TnCurve *curve, tn_tick end)
{
  tn_tick at;
  if (!curve)
    return;
  g_assert_cmpint(curve->end, ==, end);
  g_assert_cmpint(tn_curve_at(curve, curve->peak_at), ==, curve->peak);
  g_assert_cmpint(tn_curve_max(curve, 0, end, &at), ==, curve->peak);
  g_assert_cmpint(at, ==, curve->peak_at);
  g_assert_cmpint(tn_curve_min(curve, end / 3, end), <=, curve->peak);
}

static void
check_text(char *text)
{
  g_assert_true(!text || g_utf8_validate(text, -1, NULL));
  g_free(text);
}

/* What is written is read again, and is the same for whoever looks at its buffers. */
static void
check_plan_text(const TnDocument *document, const TnStudy *study)
{
  TnPlanOutput output = {.document = document,
                         .device = study->device,
                         .buffers = study->buffers,
                         .arena_bytes = study->arena_bytes,
                         .space_arena_bytes = study->space_arena,
                         .n_spaces = study->n_spaces};
  check_text(tn_plan_build_csv(&output));
  check_text(tn_plan_build_json(&output));
}

static void
check_graph_text(const TnDocument *document)
{
  if (document->graph)
    check_text(tn_graph_build_json(document->graph, document->strings));
}

static void
plan(const TnDocument *document, const TnStudy *study, const char *name, tn_bytes alignment)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.time_limit = 0.01;
  params.n_threads = 1;
  g_autoptr(TnPlan) made = tn_plan_new_for_buffers(study->buffers, tn_strategies_find(name),
                                                   alignment, &params);
  g_assert_true((made->status == TN_PLAN_FAILED) == (made->message != NULL));
  if (made->status == TN_PLAN_FAILED)
    return;
  g_autofree char *broken = tn_check_dup_plan_error(document, study->buffers, made->offset,
                                                    MAX(alignment, study->alignment),
                                                    made->space_arena, made->n_spaces);
  if (broken)
    g_printerr("%s: %s\n", name, broken);
  g_assert_null(broken);
  g_assert_cmpint(made->proved_bound_bytes, <=, made->arena_bytes);
  tn_study_unref(
      tn_study_new_with_offsets(study, made->offset, made->space_arena, made->n_spaces));
}

static void
plan_some(const TnDocument *document, const TnStudy *study)
{
  static const char *const names[] = {"greedy-size", "best-fit", "slots", "ge"};
  uint32_t n = study->buffers->n;
  if (n == 0 || n > MOST_PLANNED || study->device->samples)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    plan(document, study, names[i], study->alignment);
  if (n <= MOST_SEARCHED)
    plan(document, study, "exact", study->alignment);
}

static void
find_all(const TnStudy *study)
{
  const TnFindParams params = {.budget = 1 << 20,
                               .without_replay = study->device->events.n > MOST_REPLAYED};
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_all(study, &params, findings);
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    if (!g_utf8_validate(finding->message, -1, NULL))
      g_error("%s is no UTF-8: %s", finding->code, g_strescape(finding->message, NULL));
    for (guint k = 0; k < finding->buffers->len; k++)
      check_text(tn_study_dup_label(study, g_array_index(finding->buffers, uint32_t, k)));
  }
}

static void
study_device(const TnDocument *document, uint32_t row)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnStudy) study = tn_study_new(document, row, &params, NULL, &error);
  g_assert_true((study == NULL) == (error != NULL));
  if (!study)
    return;
  check_buffers(study);
  check_curve(study->live, study->axis_end);
  check_curve(study->reserved, study->axis_end);
  g_assert_true(tn_study_prepare(study, TN_GROUP_MODULE, NULL));
  check_text(tn_study_dup_totals(study, TN_UNITS_IEC));
  check_text(tn_study_dup_no_map(study));
  find_all(study);
  plan_some(document, study);
  check_plan_text(document, study);
}

void
tn_fuzz_document(const TnDocument *document)
{
  g_assert_cmpuint(document->devices->len, >=, 1);
  g_assert_cmpuint(tn_study_first_device(document), <, document->devices->len);
  check_graph_text(document);
  for (guint i = 0; i < MIN(document->devices->len, (guint)MOST_DEVICES); i++)
    study_device(document, i);
}

static TnDocument *
load(const char *format, const void *data, gsize size, bool is_partial, GHashTable *bindings)
{
  TnReadOptions options = {
      .format = format, .is_partial_wanted = is_partial, .bindings = bindings};
  g_autoptr(TnSource) source = tn_source_new_for_bytes("fuzz", data, size);
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_true((document == NULL) == (error != NULL));
  g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
  return document;
}

/* Every dimension of every input, by its place and by its name: "INPUT[AXIS]" → text. */
static GHashTable *
bind_all(const TnDocument *document, uint32_t seed)
{
  GHashTable *bindings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (uint32_t row = 0; row < document->graph->tensors->len; row++) {
    const TnTensor *tensor = tn_graph_tensor(document->graph, row);
    uint32_t rank = tensor->kind == TN_TENSOR_INPUT && tensor->rank != TN_NONE ? tensor->rank : 0;
    for (uint32_t axis = 0; axis < rank; axis++)
      g_hash_table_insert(
          bindings, g_strdup_printf("%s[%u]", tn_strings_get(document->strings, tensor->name), axis),
          g_strdup_printf("%u", 1 + (seed + row + axis) % 9));
  }
  for (guint i = 0; i < document->graph->free_dims->len; i++) {
    uint32_t param = g_array_index(document->graph->free_dims, TnFreeDim, i).param;
    if (param)
      g_hash_table_insert(bindings, g_strdup(tn_strings_get(document->strings, param)),
                          g_strdup_printf("%u", 1 + (seed + i) % 9));
  }
  return bindings;
}

/* A model under other dimensions than it states: shapes go through other rules then. */
static void
read_bound(const char *format, const TnDocument *stated, const void *data, gsize size)
{
  const TnReader *reader = tn_readers_find(stated->format);
  if (!reader || !reader->takes_bindings || !stated->graph)
    return;
  uint32_t seed = size >= 20 ? ((const uint8_t *)data)[size - 20] : 0;
  g_autoptr(GHashTable) bindings = bind_all(stated, seed);
  g_autoptr(TnDocument) document = load(format, data, size, false, bindings);
  if (document)
    tn_fuzz_document(document);
}

void
tn_fuzz_read(const char *format, const void *data, gsize size)
{
  g_autoptr(TnDocument) whole = load(format, data, size, false, NULL);
  g_autoptr(TnDocument) partial = whole ? NULL : load(format, data, size, true, NULL);
  if (whole || partial)
    tn_fuzz_document(whole ? whole : partial);
  if (whole)
    read_bound(format, whole, data, size);
}
