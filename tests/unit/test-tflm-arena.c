/* SPDX-License-Identifier: MIT */
/* The arena of TensorFlow Lite Micro against what its own RecordingMicroAllocator measured. */
#include "config.h"

#include "analysis/graph-lifetime.h"
#include "analysis/plan/plan.h"
#include "analysis/tflm-arena.h"
#include "data/reader.h"
#include "data/tflm.h"
#include "shared.h"

#include <string.h>

static tn_bytes
plan_head(TnDocument *document)
{
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "tflm";
  g_autoptr(GError) error = NULL;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, &error);
  g_assert_no_error(error);
  TnPlanParams plan_params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(
      lives->buffers, tn_strategies_find("greedy-size"), lives->alignment, &plan_params);
  return plan->arena_bytes;
}

static tn_bytes
row_of(const TnTflmArena *arena, TnTflmSection section, const char *what)
{
  for (guint i = 0; i < arena->rows->len; i++) {
    const TnTflmRow *row = &g_array_index(arena->rows, TnTflmRow, i);
    if (row->section == section && strcmp(row->what, what) == 0)
      return row->bytes;
  }
  return 0;
}

/* Measured on x86-64, TF_LITE_STATIC_MEMORY: tflite-micro, memory_arena_threshold_test.cc
 * (kKeywordModel…).  The tail is 13,800 there: op data 840 and parameters 148 are the kernels' own. */
static void
test_keyword(void)
{
  g_autofree char *path = shared_path("samples/tflite/tflm-keyword_scrambled.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path) {
    g_test_skip("the samples are not there");
    return;
  }
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  tn_bytes head = plan_head(document);
  g_assert_cmpint(head, ==, 672);
  g_autoptr(TnTflmArena) arena = tn_tflm_arena_new(document->graph, document->strings, head, 8);
  g_assert_cmpint(row_of(arena, TN_TFLM_TAIL, "tensors"), ==, 54 * 24);
  g_assert_cmpint(row_of(arena, TN_TFLM_TAIL, "ops"), ==, 15 * 64);
  g_assert_cmpint(row_of(arena, TN_TFLM_TAIL, "variables"), ==, 10240);
  g_assert_cmpint(row_of(arena, TN_TFLM_TAIL, "inputs and outputs"), ==, 128);
  g_assert_cmpint(row_of(arena, TN_TFLM_TAIL, "their quantisation"), ==, 64);
  g_assert_cmpint(arena->section[TN_TFLM_HEAD], ==, 672);
  /* All that the file tells, and what it can't: within 8 bytes of rounding. */
  tn_bytes whole = arena->section[TN_TFLM_TAIL] + 840 + 148;
  g_assert_cmpint(ABS(whole - 13800), <=, 8);
  g_assert_cmpint(arena->total, ==,
                  arena->section[TN_TFLM_TAIL] + MAX((tn_bytes)672, arena->section[TN_TFLM_TEMP]));
  g_assert_cmpuint(arena->unknown->len, ==, 3);
}

/* person_detect's head, as PrintMemoryPlan() of a public log has it: 18,432 + 36,864 bytes. */
static void
test_person(void)
{
  g_autofree char *path = shared_path("samples/tflite/tflm-person_detect.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  g_assert_cmpint(plan_head(document), ==, 55296);
}

/* Each kernel's requests, by its formula. */
static void
test_scratch(void)
{
  static const struct {
    const char *type, *tensors, *inputs;
    uint32_t n;
    tn_bytes bytes[TN_TFLM_MOST_SCRATCH];
  } rows[] = {
      {"SVDF", "[1,96],int8;[64,96],int8;[64,10],int16;[1,32],int8", "0,1,2", 2, {256, 128}},
      {"SVDF", "[2,96],float32;[64,96],float32;[64,10],float32;[2,32],float32", "0,1,2", 1, {512}},
      {"TRANSPOSE_CONV", "[4],int32;[8,3,3,4],int8;[1,5,5,4],int8;[1,10,10,8],int8", "0,1,2", 1,
       {3200}},
      {"MEAN", "[1,7,7,16],int8;[2],int32;[1,16],int8", "0,1", 3, {64, 16, 8}},
      {"MEAN", "[1,7,7,16],float32;[2],int32;[1,16],float32", "0,1", 2, {16, 8}},
      {"REDUCE_MAX", "[3,4],int8;[1],int32;[3],int8", "0,1", 2, {8, 4}},
      {"MIRROR_PAD", "[1,4,4],int8;[3,2],int32;[1,6,6],int8", "0,1", 2, {12, 12}},
      {"ADD_N", "[4],int8;[4],int8;[4],int8;[4],int8", "0,1,2", 1, {12}},
      {"CONV_2D", "[1,4,4,2],int8;[3,3,3,2],int4;[1,2,2,3],int8", "0,1", 1, {54}},
      {"CONV_2D", "[1,4,4,2],int8;[3,3,3,2],int8;[1,2,2,3],int8", "0,1", 0, {0}},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GString) text = g_string_new("{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[");
    g_auto(GStrv) tensors = g_strsplit(rows[i].tensors, ";", -1);
    guint n = g_strv_length(tensors);
    for (guint k = 0; k < n; k++) {
      char *comma = strrchr(tensors[k], ',');
      *comma = '\0';
      g_string_append_printf(text, "%s{\"id\":%u,\"shape\":%s,\"dtype\":\"%s\"}", k ? "," : "", k,
                             tensors[k], comma + 1);
    }
    g_string_append_printf(text, "],\"ops\":[{\"type\":\"%s\",\"inputs\":[%s],\"outputs\":[%u]}]}",
                           rows[i].type, rows[i].inputs, n - 1);
    g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", text->str, text->len);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
    g_assert_no_error(error);
    tn_bytes out[TN_TFLM_MOST_SCRATCH];
    uint32_t n_out = tn_tflm_list_scratch(document->graph, document->strings,
                                          tn_graph_op(document->graph, 0), 4, out);
    if (n_out != rows[i].n)
      g_error("%s (row %" G_GSIZE_FORMAT "): %u requests", rows[i].type, i, n_out);
    for (uint32_t k = 0; k < n_out; k++)
      g_assert_cmpint(out[k], ==, rows[i].bytes[k]);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tflm-arena/keyword", test_keyword);
  g_test_add_func("/tflm-arena/person", test_person);
  g_test_add_func("/tflm-arena/scratch", test_scratch);
  return g_test_run();
}
