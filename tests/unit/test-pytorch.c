/* SPDX-License-Identifier: MIT */
/* PyTorch snapshots: what real files must give. */
#include "config.h"

#include "tests/unit/pytorch-support.h"
#include "tests/unit/shared.h"

static gint64
wanted(const cJSON *row, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, key);
  g_assert_true(cJSON_IsNumber(item));
  return (gint64)item->valuedouble;
}

static void
check_ooms(const TnStudy *study, const cJSON *list)
{
  const cJSON *row = cJSON_IsArray(list) ? list->child : NULL;
  for (guint i = 0; i < study->device->marks->len; i++) {
    const TnMark *mark = &g_array_index(study->device->marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM)
      continue;
    g_assert_nonnull(row);
    g_assert_cmpint(mark->tick, ==, wanted(row, "at"));
    g_assert_cmpint(mark->requested, ==, wanted(row, "requested_bytes"));
    g_assert_cmpint(mark->device_free, ==, wanted(row, "device_free_bytes"));
    row = row->next;
  }
  g_assert_null(row);
}

static void
check_device(const TnStudy *study, const cJSON *row)
{
  g_assert_cmpint(study->device->events.n, ==, wanted(row, "events"));
  g_assert_cmpint(study->buffers->n, ==, wanted(row, "buffers"));
  g_assert_cmpint(study->live->peak, ==, wanted(row, "live_peak_bytes"));
  g_assert_cmpint(study->live->peak_at, ==, wanted(row, "live_peak_at"));
  g_assert_cmpint(study->before_bytes, ==, wanted(row, "before_recording_bytes"));
  const cJSON *reserved = cJSON_GetObjectItemCaseSensitive(row, "reserved_peak_bytes");
  if (cJSON_IsNumber(reserved)) {
    g_assert_nonnull(study->reserved);
    g_assert_cmpint(study->reserved->peak, ==, (gint64)reserved->valuedouble);
    g_assert_cmpint(study->reserved->value[study->reserved->n - 1], ==,
                    wanted(row, "reserved_end_bytes"));
  }
  check_ooms(study, cJSON_GetObjectItemCaseSensitive(row, "oom"));
}

/* Every device of the file that has anything stands in the oracle, and the other way round. */
static void
check_file(const char *path, const cJSON *devices)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  uint32_t n = 0;
  for (guint i = 0; i < document->devices->len; i++) {
    const cJSON *row;
    int32_t ordinal = tn_document_get_device(document, i)->ordinal;
    cJSON_ArrayForEach(row, devices) if (wanted(row, "device") == ordinal) break;
    if (!row) {
      g_assert_false(tn_study_device_has_content(document, i));
      continue;
    }
    g_autoptr(TnStudy) study = study_of(document, i);
    check_device(study, row);
    n++;
  }
  g_assert_cmpuint(n, ==, (guint)cJSON_GetArraySize(devices));
}

static char *
find_sample(const char *name)
{
  static const char *const folders[] = {"samples/pytorch", "samples/pytorch/edge",
                                        "samples/ascend"};
  const char *root = g_getenv("TN_SHARED");
  for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *path = g_build_filename(root ? root : "../shared", folders[i], name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
      return g_steal_pointer(&path);
  }
  return NULL;
}

static void
test_oracle(void)
{
  cJSON *oracle = shared_json("oracle/pytorch.json");
  if (!oracle)
    return;
  const cJSON *file;
  guint n = 0;
  cJSON_ArrayForEach(file, oracle)
  {
    g_autofree char *path = find_sample(file->string);
    g_test_message("%s", file->string);
    g_assert_nonnull(path);
    check_file(path, file);
    n++;
  }
  g_assert_cmpuint(n, >=, 10);
  cJSON_Delete(oracle);
}

static void
test_own_sample(void)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *path = own_sample(), *text = NULL;
  g_autofree char *expected = g_build_filename(root ? root : ".", "tests", "fixtures",
                                               "transformer-oom.expected.json", NULL);
  g_assert_true(g_file_get_contents(expected, &text, NULL, NULL));
  cJSON *json = cJSON_Parse(text);
  const cJSON *file = cJSON_GetObjectItemCaseSensitive(json, "transformer-oom.pickle");
  g_assert_nonnull(file);
  check_file(path, file);
  cJSON_Delete(json);
}

/* Sums beyond 64 bits are an error of the study, not a wrong number. */
static void
test_sum_overflow(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] ( } ( 'action' 'alloc' 'addr' 1 'size' "
         "L8:9223372036854775807 u } ( 'action' 'alloc' 'addr' 2 'size' L8:9223372036854775807 u "
         "e e u");
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_study_new(document, 0, &params, NULL, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
}

static void
test_cancelled(void)
{
  g_autofree char *path = own_sample();
  TnProgress progress = {.cancelled = 1};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.progress = &progress;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_document_load(path, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pytorch/oracle", test_oracle);
  g_test_add_func("/pytorch/own-sample", test_own_sample);
  g_test_add_func("/pytorch/sum-overflow", test_sum_overflow);
  g_test_add_func("/pytorch/cancelled", test_cancelled);
  return g_test_run();
}
