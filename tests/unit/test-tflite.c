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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tflite/oracle", test_oracle);
  return g_test_run();
}
