/* SPDX-License-Identifier: MIT */
/* The one-node models of Debian's libonnx-testdata: inferred shapes against the recorded results.
 * $TN_ONNX_NODES names their folder; without it, the package's own place is looked at. */
#include "config.h"

#include "data/reader.h"
#include "data/readers/onnx-model.h"
#include "shared.h"

#include <string.h>

typedef struct {
  int n_right, n_unknown, n_wrong, n_skipped;
} Counts;

static bool
load_tensor(TnArena *arena, TnStrings *strings, const char *folder, const char *kind, int index,
            TnOnnxInitializer *out)
{
  g_autofree char *file = g_strdup_printf("%s/test_data_set_0/%s_%d.pb", folder, kind, index);
  g_autofree char *data = NULL;
  gsize size;
  if (!g_file_get_contents(file, &data, &size, NULL))
    return false;
  TnWireFailure failure = {.base = (const uint8_t *)data};
  TnOnnxParser parser = {.strings = strings, .arena = arena, .failure = &failure};
  *out = tn_onnx_tensor_parse(&parser, tn_wire((const uint8_t *)data, size, &failure));
  return !failure.found && out->value.dtype != TN_DTYPE_UNKNOWN;
}

static void
give(const TnShapeValue *value, const char *name, TnReadOptions *options)
{
  for (int32_t i = 0; i < value->rank; i++)
    g_hash_table_insert(options->bindings, g_strdup_printf("%s[%d]", name, i),
                        g_strdup_printf("%" G_GINT64_FORMAT, value->dims[i]));
  if (!value->has_content || value->n > 64)
    return;
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; i < value->n; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (value->ints)
      g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : "", value->ints[i]);
    else
      g_string_append_printf(text, "%s%s", i ? "," : "",
                             g_ascii_dtostr(number, sizeof number, value->reals[i]));
  }
  g_hash_table_insert(options->values, g_strdup(name), g_string_free(text, FALSE));
}

/* The graph's inputs in the file's order: they are the first tensors that no op makes. */
static void
give_inputs(TnArena *arena, TnStrings *strings, const char *folder, const TnDocument *plain,
            TnReadOptions *options)
{
  int index = 0;
  for (uint32_t i = 0; i < plain->graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(plain->graph, i);
    TnOnnxInitializer recorded;
    if (tensor->kind != TN_TENSOR_INPUT)
      continue;
    if (load_tensor(arena, strings, folder, "input", index++, &recorded))
      give(&recorded.value, tn_strings_get(plain->strings, tensor->name), options);
  }
}

static void
compare_output(const char *name, const TnGraph *graph, const TnTensor *tensor, const char *dtype,
               const TnShapeValue *right, Counts *counts)
{
  bool is_known = tensor->rank != TN_NONE, is_same = is_known && (int32_t)tensor->rank == right->rank;
  bool is_wrong = is_known && !is_same;
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; is_known && i < tensor->rank; i++) {
    int64_t dim = tn_graph_dims(graph, tensor)[i];
    g_string_append_printf(text, " %d", (int)dim);
    is_known = is_known && dim >= 0;
    is_wrong = is_wrong || (is_same && dim >= 0 && dim != right->dims[i]);
  }
  /* numpy has no bfloat16: the recorded results call its bits uint16. */
  bool is_same_type = strcmp(dtype, tn_dtype_name(right->dtype)) == 0 ||
                      (strcmp(dtype, "bfloat16") == 0 && right->dtype == TN_DTYPE_UINT16);
  is_wrong = is_wrong || (*dtype && !is_same_type);
  counts->n_wrong += is_wrong;
  counts->n_unknown += !is_wrong && !is_known;
  counts->n_right += !is_wrong && is_known;
  if (is_wrong || !is_known) {
    GString *expected = g_string_new(NULL);
    for (int32_t i = 0; i < right->rank; i++)
      g_string_append_printf(expected, " %d", (int)right->dims[i]);
    g_test_message("%s %s:%s %s, expected%s %s", is_wrong ? "WRONG" : "unknown", name, text->str,
                   dtype, expected->str, tn_dtype_name(right->dtype));
    g_string_free(expected, TRUE);
  }
  g_string_free(text, TRUE);
}

static void
run_outputs(const char *folder, const char *name, TnArena *arena, const TnDocument *document,
            const cJSON *outputs, Counts *counts)
{
  int index = 0;
  const cJSON *output;
  cJSON_ArrayForEach(output, outputs)
  {
    TnOnnxInitializer right;
    int i = index++;
    if (!load_tensor(arena, document->strings, folder, "output", i, &right)) {
      counts->n_skipped++;
      continue;
    }
    uint32_t row = (uint32_t)output->valueint;
    const TnTensor *tensor = tn_graph_tensor(document->graph, row);
    compare_output(name, document->graph, tensor,
                   tn_strings_get(document->strings, tensor->dtype), &right.value, counts);
  }
}

/* Rows of the graph's outputs, in the file's order: the names come from the model itself. */
static cJSON *
output_rows(const TnOnnxModel *model, const TnStrings *names, const TnDocument *document)
{
  cJSON *rows = cJSON_CreateArray();
  for (uint32_t i = 0; model && model->graph && i < model->graph->n_outputs; i++) {
    const char *name = tn_strings_get(names, model->graph->outputs[i].name);
    for (uint32_t k = 0; k < document->graph->tensors->len; k++)
      if (strcmp(tn_strings_get(document->strings, tn_graph_tensor(document->graph, k)->name),
                 name) == 0) {
        cJSON_AddItemToArray(rows, cJSON_CreateNumber(k));
        break;
      }
  }
  return rows;
}

static void
run_model(const char *folder, const char *name, Counts *counts)
{
  g_autofree char *path = g_build_filename(folder, "model.onnx", NULL);
  g_autoptr(TnArena) arena = tn_arena_new();
  g_autoptr(TnStrings) strings = tn_strings_new();
  g_autoptr(GError) error = NULL;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.is_inference_only = true;
  options.format = "onnx";
  g_autoptr(TnSource) source = tn_source_new(path, 0, &error);
  g_assert_no_error(error);
  g_autoptr(TnDocument) plain = tn_document_load_source(source, &options, &error);
  if (!plain)
    g_error("%s: %s", name, error->message);
  options.bindings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  options.values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  give_inputs(arena, strings, folder, plain, &options);
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  TnWireFailure failure = {.base = source->data};
  TnOnnxParser parser = {.strings = strings, .arena = arena, .failure = &failure};
  const TnOnnxModel *model = tn_onnx_model_parse(&parser, source->data, source->size);
  cJSON *rows = output_rows(model, strings, document);
  run_outputs(folder, name, arena, document, rows, counts);
  cJSON_Delete(rows);
  g_hash_table_unref(options.bindings);
  g_hash_table_unref(options.values);
}

static void
test_nodes(void)
{
  const char *root = g_getenv("TN_ONNX_NODES");
  Counts counts = {0};
  if (!root)
    root = "/usr/share/libonnx-testdata/data/node";
  GDir *dir = g_dir_open(root, 0, NULL);
  if (!dir) {
    g_test_skip("libonnx-testdata is not installed, and TN_ONNX_NODES is not set");
    return;
  }
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *folder = g_build_filename(root, name, NULL);
    g_autofree char *model = g_build_filename(folder, "model.onnx", NULL);
    if (g_file_test(model, G_FILE_TEST_EXISTS))
      run_model(folder, name, &counts);
  }
  g_dir_close(dir);
  g_test_message("outputs: %d right, %d unknown, %d wrong, %d no tensors", counts.n_right,
                 counts.n_unknown, counts.n_wrong, counts.n_skipped);
  g_assert_cmpint(counts.n_wrong, ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/onnx/nodes", test_nodes);
  return g_test_run();
}
