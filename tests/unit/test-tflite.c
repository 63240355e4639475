/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite: every sample against ../shared/oracle/tflite.json, and damaged files. */
#include "config.h"

#include "analysis/graph-lifetime.h"
#include "data/reader.h"
#include "shared.h"

#include <string.h>

static double
number(const cJSON *row, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive(row, key)->valuedouble;
}

static tn_bytes
activation_bytes(const TnGraph *graph)
{
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(graph, i);
    if (tensor->kind != TN_TENSOR_CONSTANT && tensor->kind != TN_TENSOR_VARIABLE &&
        tensor->bytes > 0)
      sum += tensor->bytes;
  }
  return sum;
}

static bool
compare_graph(TnDocument *document, const TnGraph *graph, const cJSON *right)
{
  TnGraphLifetimeParams params = {.aliasing = TN_ALIASING_NONE};
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, document->strings, &params, NULL);
  g_assert_nonnull(lives);
  tn_bytes peak = tn_graph_live_peak(lives->buffers, lives->axis_end, NULL);
  bool is_right = graph->ops->len == number(right, "ops") &&
                  graph->tensors->len == number(right, "tensors") &&
                  (double)peak == number(right, "live_peak_bytes") &&
                  (double)activation_bytes(graph) == number(right, "activation_bytes");
  g_autofree char *text = cJSON_PrintUnformatted(right);
  g_test_message("%s %s: ops %u tensors %u peak %" G_GINT64_FORMAT " activations %" G_GINT64_FORMAT
                 " %s",
                 is_right ? "right" : "WRONG", document->path, graph->ops->len, graph->tensors->len,
                 peak, activation_bytes(graph), is_right ? "" : text);
  return is_right;
}

static void
test_oracle(void)
{
  cJSON *oracle = shared_json("oracle/tflite.json");
  const cJSON *model;
  int n_wrong = 0, n = 0;
  cJSON_ArrayForEach(model, cJSON_GetObjectItemCaseSensitive(oracle, "models"))
  {
    g_autofree char *relative = g_strdup_printf("samples/tflite/%s.tflite", model->string);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    const cJSON *graphs = cJSON_GetObjectItemCaseSensitive(model, "subgraphs");
    n_wrong += !compare_graph(document, document->graph, cJSON_GetArrayItem(graphs, 0));
    n++;
  }
  g_test_message("%d models, %d wrong", n, n_wrong);
  g_assert_cmpint(n_wrong, ==, 0);
  cJSON_Delete(oracle);
}

/* x [1,4,4,2] → CONV_2D → a [1,2,2,3] → RESHAPE → v [12] → ADD → y, with a plan. */
static void
test_small(void)
{
  static const tn_bytes bytes[] = {128, 216, 48, 48, 48}, offsets[] = {0, -1, 128, 128, 192};
  static const char *const types[] = {"CONV_2D", "RESHAPE", "ADD"};
  g_autofree char *path = corpus_path("tflite/small.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  const TnGraph *graph = document->graph;
  g_assert_cmpstr(document->format, ==, "tflite");
  g_assert_cmpuint(graph->tensors->len, ==, 5);
  g_assert_cmpuint(graph->ops->len, ==, 3);
  for (uint32_t i = 0; i < 5; i++) {
    g_assert_cmpint(tn_graph_tensor(graph, i)->bytes, ==, bytes[i]);
    g_assert_cmpint(tn_graph_tensor(graph, i)->recorded_offset, ==, offsets[i]);
  }
  for (uint32_t i = 0; i < 3; i++)
    g_assert_cmpstr(tn_strings_get(document->strings, tn_graph_op(graph, i)->type), ==, types[i]);
  g_assert_cmpint(tn_graph_tensor(graph, 0)->kind, ==, TN_TENSOR_INPUT);
  g_assert_cmpint(tn_graph_tensor(graph, 1)->kind, ==, TN_TENSOR_CONSTANT);
  g_assert_true(tn_graph_tensor(graph, 4)->is_output);
  g_assert_cmpint(graph->recorded_arena, ==, 240);
  /* v is a view of a; 3 · 3 · 2 values for each of the 4 places that the window takes. */
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "tflite";
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, document->strings, &params, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(lives->n_views, ==, 1);
  g_assert_cmpint(lives->buffers->requested[3], ==, 3 * 3 * 2 * 4 * 4);
  g_assert_cmpint(lives->buffers->kind[3], ==, TN_KIND_WORKSPACE);
}

/* The plan that came with the file; scratch of the accelerator is held, not planned. */
static void
test_offline_plan(void)
{
  g_autofree char *path = shared_path("samples/tflite/tflm-person_detect_vela.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  const TnGraph *graph = document->graph;
  static const tn_bytes offsets[] = {0, TN_NOT_PLACED, TN_NOT_PLACED, 0, 0, 0};
  for (uint32_t i = 0; i < 6; i++)
    g_assert_cmpint(tn_graph_tensor(graph, i)->recorded_offset, ==, offsets[i]);
  g_assert_cmpint(graph->recorded_arena, ==, 74464);
  g_assert_cmpint(tn_graph_tensor(graph, 3)->kind, ==, TN_TENSOR_VARIABLE);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "tflm";
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(graph, document->strings, &params, NULL);
  /* Input and output lie in the scratch, which is the arena that the file's plan needs. */
  g_assert_cmpuint(lives->buffers->n, ==, 1);
  g_assert_cmpint(lives->buffers->offset[0], ==, 0);
  g_assert_cmpint(tn_graph_live_peak(lives->buffers, lives->axis_end, NULL), ==, 74464);
  g_assert_cmpint(lives->resident_bytes, ==, 8176 + 260480); /* rounded to 16 */
}

static void
test_presets(void)
{
  g_autofree char *path = shared_path("samples/tflite/tflm-person_detect.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "tflm";
  g_autoptr(TnGraphLives) tflm =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpint(tflm->alignment, ==, 16);
  g_assert_cmpint(tn_graph_live_peak(tflm->buffers, tflm->axis_end, NULL), ==, 55296);
  params.preset = "no such thing";
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_graph_lives_new(document->graph, document->strings, &params, &error));
  g_assert_nonnull(error);
}

/* Cut anywhere, and with single bytes changed: an error or a reading, never a crash. */
static void
test_damaged(void)
{
  g_autofree char *path = shared_path("samples/tflite/tflm-audio_preprocessor_int8.tflite");
  g_autofree char *data = NULL;
  gsize size;
  if (!path)
    return;
  g_assert_true(g_file_get_contents(path, &data, &size, NULL));
  for (gsize n = 1; n < size; n++) {
    char kept = data[n];
    bool is_cut = n % 2 == 0;
    data[n] = (char)g_test_rand_int();
    g_autoptr(TnSource) source = tn_source_new_for_bytes("bad.tflite", data, is_cut ? n : size);
    data[n] = kept;
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    options.format = "tflite";
    g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
    g_assert_true(document || error);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tflite/oracle", test_oracle);
  g_test_add_func("/tflite/small", test_small);
  g_test_add_func("/tflite/offline-plan", test_offline_plan);
  g_test_add_func("/tflite/presets", test_presets);
  g_test_add_func("/tflite/damaged", test_damaged);
  return g_test_run();
}
