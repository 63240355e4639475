/* SPDX-License-Identifier: MIT */
/* Shape buckets: a line for each, and plans that our own reader reads. */
#include "config.h"

#include "app/window/shape-buckets.h"

#include "analysis/study.h"
#include "data/reader.h"
#include "shared.h"

#include <glib/gstdio.h>
#include <string.h>

static tn_bytes
arena_of(const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename(folder, file, NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  g_unlink(path);
  return study->arena_bytes;
}

static void
test_plans(void)
{
  g_autofree char *model = shared_path("samples/onnx/ort-tfbert_qa_3836.onnx");
  if (!model)
    return;
  TnShapeBuckets *buckets = tn_shape_buckets_new(model);
  g_autofree char *folder = g_dir_make_tmp("tenure-buckets-XXXXXX", NULL);
  g_ptr_array_add(buckets->names, g_strdup("batch_size"));
  g_ptr_array_add(buckets->lists, g_strdup("1, 4"));
  buckets->folder = g_strdup(folder);
  buckets->units = TN_UNITS_BYTES;
  g_autofree char *table = tn_shape_buckets_run(buckets);
  tn_shape_buckets_free(buckets);
  g_test_message("%s", table);
  tn_bytes one = arena_of(folder, "ort-tfbert_qa_3836.onnx-batch_size=1.json");
  tn_bytes four = arena_of(folder, "ort-tfbert_qa_3836.onnx-batch_size=4.json");
  char text[48];
  tn_print_bytes(text, sizeof text, one, TN_UNITS_BYTES);
  g_autofree char *line = g_strdup_printf("batch_size=1  peak %s · arena %s · written\n", text, text);
  g_assert_true(g_str_has_prefix(table, line));
  g_assert_cmpint(four, >, 3 * one);
  g_rmdir(folder);
}

/* tflite rounds 1000 bytes up to 1024. */
static void
test_runtime(void)
{
  g_autofree char *folder = g_dir_make_tmp("tenure-buckets-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "net.json", NULL);
  g_file_set_contents(path,
                      "{\"format\": \"tenure-graph\", \"version\": 1, \"tensors\": [{\"id\": 0, \"bytes\": 1000},"
                      " {\"id\": 1, \"bytes\": 1000}], \"ops\": [{\"id\": 0, \"inputs\": [0], \"outputs\": [1]}],"
                      " \"outputs\": [1]}",
                      -1, NULL);
  TnShapeBuckets *buckets = tn_shape_buckets_new(path);
  g_ptr_array_add(buckets->names, g_strdup("n"));
  g_ptr_array_add(buckets->lists, g_strdup("1"));
  buckets->units = TN_UNITS_BYTES;
  g_autofree char *file = tn_shape_buckets_run(buckets);
  buckets->preset = "tflite";
  g_autofree char *runtime = tn_shape_buckets_run(buckets);
  tn_shape_buckets_free(buckets);
  g_unlink(path);
  g_rmdir(folder);
  g_assert_cmpstr(file, ==, "n=1  peak 2,000 B · arena 2,000 B");
  g_assert_cmpstr(runtime, ==, "n=1  peak 2,048 B · arena 2,048 B");
}

/* A model that isn't there is said in its line. */
static void
test_failure(void)
{
  TnShapeBuckets *buckets = tn_shape_buckets_new("/nowhere/model.onnx");
  g_ptr_array_add(buckets->names, g_strdup("n"));
  g_ptr_array_add(buckets->lists, g_strdup("1,2"));
  g_autofree char *table = tn_shape_buckets_run(buckets);
  tn_shape_buckets_free(buckets);
  g_assert_nonnull(strstr(table, "n=1  "));
  g_assert_nonnull(strstr(table, "\nn=2  "));
  g_assert_nonnull(strstr(table, "/nowhere/model.onnx"));
}

/* More than are computed are counted. */
static void
test_many(void)
{
  TnShapeBuckets *buckets = tn_shape_buckets_new("/nowhere/model.onnx");
  GString *list = g_string_new("1");
  for (int i = 2; i <= 30; i++)
    g_string_append_printf(list, ", %d", i);
  g_ptr_array_add(buckets->names, g_strdup("n"));
  g_ptr_array_add(buckets->lists, g_string_free(list, FALSE));
  g_autofree char *table = tn_shape_buckets_run(buckets);
  tn_shape_buckets_free(buckets);
  g_assert_nonnull(strstr(table, "\nn=24  "));
  g_assert_null(strstr(table, "\nn=25  "));
  g_assert_true(g_str_has_suffix(table, "\nand 6 more, which are not computed"));
}

/* Nothing is taken for less than was typed. */
static void
test_lists(void)
{
  static const struct {
    const char *list;
    bool is_value, is_list;
  } rows[] = {{"", true, true},       {" ", true, true},      {"4", true, true},
              {" 128 ", true, true},  {"0", true, true},      {"1, 2, 4", false, true},
              {"1,024", false, false},{"8x", false, false},   {"abc", false, false},
              {"-1", false, false},   {"1,,4", false, false}, {"1, x", false, false},
              {"1,", false, false},   {"2.5", false, false},  {"99999999999", false, false},
              {"+4", false, false},   {"-0", false, false},   {"2147483647", true, true}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("“%s”", rows[i].list);
    g_assert_true(tn_shape_list_is_good(rows[i].list, 1) == rows[i].is_value);
    g_assert_true(tn_shape_list_is_good(rows[i].list, G_MAXUINT) == rows[i].is_list);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shape-buckets/plans", test_plans);
  g_test_add_func("/shape-buckets/runtime", test_runtime);
  g_test_add_func("/shape-buckets/failure", test_failure);
  g_test_add_func("/shape-buckets/many", test_many);
  g_test_add_func("/shape-buckets/lists", test_lists);
  return g_test_run();
}
