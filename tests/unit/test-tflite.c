/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite: every sample against ../shared/oracle/tflite.json, and damaged files. */
#include "config.h"

#include "analysis/graph-lifetime.h"
#include "data/reader.h"
#include "data/readers/tflite-shape.h"
#include "shared.h"
#include "warnings.h"

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

/* ---- other input dimensions ------------------------------------------------------------ */

static void
bind_inputs(const TnDocument *document, GHashTable *bindings, int64_t factor)
{
  for (uint32_t i = 0; i < document->graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(document->graph, i);
    if (tensor->kind == TN_TENSOR_INPUT && tensor->rank > 0)
      g_hash_table_insert(
          bindings,
          g_strdup_printf("%s[0]", tn_strings_get(document->strings, tensor->name)),
          g_strdup_printf("%" G_GINT64_FORMAT,
                          tn_graph_dims(document->graph, tensor)[0] * factor));
  }
}

static TnDocument *
load_bound(const char *path, const TnDocument *plain, int64_t factor)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  options.bindings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  bind_inputs(plain, options.bindings, factor);
  TnDocument *document = tn_document_load(path, &options, &error);
  g_hash_table_unref(options.bindings);
  g_assert_no_error(error);
  return document;
}

static bool
is_same_shape(const TnGraph *a, const TnGraph *b, uint32_t row)
{
  const TnTensor *left = tn_graph_tensor(a, row), *right = tn_graph_tensor(b, row);
  return left->rank == right->rank &&
         memcmp(tn_graph_dims(a, left), tn_graph_dims(b, right),
                sizeof(int64_t) * left->rank) == 0 &&
         left->bytes == right->bytes;
}

/* Inputs bound to the sizes that the file has: what is inferred is what the file states. */
static void
check_same(const char *name, uint32_t *out_n, uint32_t *out_lost)
{
  g_autofree char *relative = g_strdup_printf("samples/tflite/%s", name);
  g_autofree char *path = shared_path(relative);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) plain = tn_document_load(path, &options, NULL);
  g_autoptr(TnDocument) bound = load_bound(path, plain, 1);
  uint32_t n_lost = 0;
  const char *why = "";
  for (uint32_t i = 0; i < plain->graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(bound->graph, i);
    if (tensor->bytes == TN_BYTES_UNKNOWN &&
        tn_graph_tensor(plain->graph, i)->bytes != TN_BYTES_UNKNOWN) {
      n_lost++;
      why = tn_strings_get(bound->strings, tensor->lost_why);
    } else if (!is_same_shape(plain->graph, bound->graph, i)) {
      g_error("%s: tensor %u '%s' of op type %s: %" G_GINT64_FORMAT " bytes, stated %" G_GINT64_FORMAT,
              name, i, tn_strings_get(bound->strings, tensor->name),
              tn_strings_get(bound->strings,
                             tn_graph_op(bound->graph, tensor->producer)->type),
              tensor->bytes, tn_graph_tensor(plain->graph, i)->bytes);
    }
  }
  g_test_message("%s: %u tensors, %u lost %s", name, plain->graph->tensors->len, n_lost, why);
  *out_n += plain->graph->tensors->len;
  *out_lost += n_lost;
}

static void
test_bound_same(void)
{
  g_autofree char *folder = shared_path("samples/tflite");
  g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
  uint32_t n = 0, n_lost = 0;
  if (!dir)
    return;
  /* The sizes of dilated_conv's results are no sizes: its signature leaves them open. */
  for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir))
    if (strcmp(name, "support-dilated_conv.tflite") != 0)
      check_same(name, &n, &n_lost);
  g_test_message("%u tensors, %u lost", n, n_lost);
  /* Ops of accelerators and of TFLM's signal library, and what comes after them; strings. */
  g_assert_cmpuint(n, ==, 2260);
  g_assert_cmpuint(n_lost, ==, 29);
}

/* Twice the batch: every activation is twice as large, weights are not.  A reshape to a shape that
 * the file states for one image refuses two, as the runtime does. */
static void
test_bound_batch(void)
{
  static const char *const names[] = {"support-mobilenet_v1_0.25_224_quant",
                                      "support-movie_review_dynbatch", "tinyengine-vww"};
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++) {
    g_autofree char *relative = g_strdup_printf("samples/tflite/%s.tflite", names[k]);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    if (!path)
      return;
    g_autoptr(TnDocument) plain = tn_document_load(path, &options, NULL);
    g_autoptr(TnDocument) bound = load_bound(path, plain, 2);
    uint32_t n_twice = 0, n_refused = 0;
    for (uint32_t i = 0; i < plain->graph->tensors->len; i++) {
      tn_bytes had = tn_graph_tensor(plain->graph, i)->bytes;
      const TnTensor *tensor = tn_graph_tensor(bound->graph, i);
      const char *why = tn_strings_get(bound->strings, tensor->lost_why);
      if (tensor->bytes == TN_BYTES_UNKNOWN) {
        g_assert_nonnull(strstr(why, "the file states a shape of"));
        n_refused++;
        continue;
      }
      g_assert_cmpint(tensor->bytes, ==, tensor->kind == TN_TENSOR_CONSTANT ? had : had * 2);
      n_twice += tensor->kind != TN_TENSOR_CONSTANT;
    }
    g_test_message("%s: %u twice, %u refused", names[k], n_twice, n_refused);
    g_assert_cmpuint(n_twice, >, 3);
    g_assert_cmpuint(n_refused, <=, 2);
    if (n_refused > 0)
      continue;
    TnGraphLifetimeParams params = {.aliasing = TN_ALIASING_NONE};
    g_autoptr(TnGraphLives) a = tn_graph_lives_new(plain->graph, plain->strings, &params, NULL);
    g_autoptr(TnGraphLives) b = tn_graph_lives_new(bound->graph, bound->strings, &params, NULL);
    g_assert_cmpint(tn_graph_live_peak(b->buffers, b->axis_end, NULL), ==,
                    2 * tn_graph_live_peak(a->buffers, a->axis_end, NULL));
  }
}

/* 5 x 7 pixels through a dilated convolution that is spread over the batch: its paddings and crops
 * are computed in the graph from the input's shape. */
static void
test_bound_values(void)
{
  g_autofree char *path = shared_path("samples/tflite/support-dilated_conv.tflite");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  options.bindings = g_hash_table_new(g_str_hash, g_str_equal);
  g_hash_table_insert(options.bindings, (char *)"input_1[1]", (char *)"5");
  g_hash_table_insert(options.bindings, (char *)"input_1[2]", (char *)"7");
  g_hash_table_insert(options.bindings, (char *)"no[0]", (char *)"1");
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  g_hash_table_unref(options.bindings);
  uint32_t last = *tn_graph_outputs(document->graph, tn_graph_op(document->graph, 24));
  const TnTensor *output = tn_graph_tensor(document->graph, last);
  const int64_t *dims = tn_graph_dims(document->graph, output);
  g_assert_cmpuint(output->rank, ==, 4);
  g_assert_cmpint(dims[0], ==, 1);
  g_assert_cmpint(dims[1], ==, 5);
  g_assert_cmpint(dims[2], ==, 7);
  g_assert_cmpint(dims[3], ==, 16);
  g_assert_true(has_warning(document, "binding-unused"));
}

/* Cut anywhere, and with single bytes changed: an error or a reading, never a crash. */
static void
damage(const char *name, GHashTable *bindings)
{
  g_autofree char *path = shared_path(name);
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
    options.bindings = bindings;
    g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
    g_assert_true(document || error);
  }
}

static void
test_damaged(void)
{
  g_autoptr(GHashTable) bindings = g_hash_table_new(g_str_hash, g_str_equal);
  g_hash_table_insert(bindings, (char *)"input_1[1]", (char *)"5");
  damage("samples/tflite/tflm-audio_preprocessor_int8.tflite", NULL);
  damage("samples/tflite/support-dilated_conv.tflite", bindings);
}

static TnShapeValue *
numbers_new(TnArena *arena, const int64_t *numbers, int64_t n)
{
  TnShapeValue *value = tn_arena_take_n(arena, TnShapeValue, 1);
  *value = (TnShapeValue)TN_SHAPE_VALUE_INIT;
  value->dtype = TN_DTYPE_INT32;
  tn_value_set_dims(value, arena, &n, 1);
  g_assert_true(tn_value_add_content(value, arena));
  for (uint32_t i = 0; i < n; i++)
    tn_value_put(value, i, numbers[i], 0);
  return value;
}

/* With the option `offset` the ends count from the begins. */
static void
test_strided_slice(void)
{
  static const struct {
    int64_t begin, end, stride, length, first; /* in the numbers from 0 to 19 */
    char is_offset;
  } rows[] = {{5, 12, 1, 7, 5, 0},   {5, 12, 1, 12, 5, 1},  {-8, 3, 1, 3, 12, 1},
              {5, 7, 2, 4, 5, 1},    {5, 3, 1, 0, 0, 0},    {9, -6, -2, 3, 9, 1},
              {9, 6, -2, 0, 0, 1}};
  g_autoptr(TnArena) arena = tn_arena_new();
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    uint8_t data[28] = {20, 0, 0, 0, 16, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 16, 0, 0, 0, 0};
    data[24] = (uint8_t)rows[i].is_offset;
    TnFlat flat = {.data = data, .size = sizeof data};
    int64_t list[20];
    for (int64_t k = 0; k < 20; k++)
      list[k] = k;
    const TnShapeValue *inputs[] = {numbers_new(arena, list, 20), numbers_new(arena, &rows[i].begin, 1),
                                    numbers_new(arena, &rows[i].end, 1), numbers_new(arena, &rows[i].stride, 1)};
    TnShapeValue output = TN_SHAPE_VALUE_INIT;
    output.dtype = TN_DTYPE_INT32;
    TnTfliteRuleContext context = {.rule = {.type = "STRIDED_SLICE", .arena = arena, .inputs = inputs, .n_inputs = 4,
                                            .outputs = &output, .n_outputs = 1},
                                   .flat = &flat,
                                   .has_options = true};
    g_assert_true(tn_flat_root(&flat, &context.options));
    g_assert_true(tn_tflite_rule_apply(&context));
    g_assert_cmpint(output.rank, ==, 1);
    g_assert_cmpint(output.dims[0], ==, rows[i].length);
    int64_t first = -1;
    g_assert_true(rows[i].length == 0 || tn_value_int(&output, 0, &first));
    if (rows[i].length)
      g_assert_cmpint(first, ==, rows[i].first);
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
  g_test_add_func("/tflite/bound-same", test_bound_same);
  g_test_add_func("/tflite/bound-batch", test_bound_batch);
  g_test_add_func("/tflite/bound-values", test_bound_values);
  g_test_add_func("/tflite/damaged", test_damaged);
  g_test_add_func("/tflite/strided-slice", test_strided_slice);
  return g_test_run();
}
