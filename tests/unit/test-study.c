/* SPDX-License-Identifier: MIT */
/* A device with all that is computed for it: numbers, pictures, other offsets, first device. */
#include "config.h"

#include "analysis/sizes-fit.h"
#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "log-support.h"

#include <string.h>

#define A TN_EVENT_ALLOC
#define F TN_EVENT_FREE

static TnStudy *
study_of(const TnDocument *document, uint32_t device, tn_bytes alignment)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  params.alignment = alignment;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, device, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static TnDocument *
csv_document(const char *text, const TnReadOptions *options)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.csv", text, strlen(text));
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, options, &error);
  g_assert_no_error(error);
  return document;
}

static void
test_log(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_ALLOC, 1 << 20, 2 << 20},
                                    {A, 1 << 20, 1000},
                                    {A, (1 << 20) + 1024, 2048},
                                    {F, 1 << 20, 1000},
                                    {TN_EVENT_SEGMENT_ALLOC, 8 << 20, 2 << 20},
                                    {F, 9 << 20, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  uint32_t low = log_add_segment(document, 1 << 20, 2 << 20);
  log_add_segment(document, 8 << 20, 2 << 20);
  log_add_block(document, low, (1 << 20) + 1024, 2048, 2048, TN_BLOCK_ACTIVE);
  g_autoptr(TnStudy) study = study_of(document, 0, 0);
  g_assert_true(study->is_log);
  g_assert_cmpint(study->axis_end, ==, 6);
  g_assert_cmpint(study->live->peak, ==, 1024 + 2048 + 512);
  g_assert_cmpint(study->live->peak_at, ==, 2);
  g_assert_cmpint(study->reserved->peak, ==, 4 << 20);
  g_assert_cmpint(study->before_bytes, ==, 512);
  g_assert_cmpint(study->no_reuse_bytes, ==, 1024 + 2048 + 512);
  g_assert_cmpint(study->arena_bytes, ==, TN_BYTES_UNKNOWN);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  g_assert_cmpint(study->map->height, ==, 4 << 20);
  g_assert_cmpuint(study->segments->n, ==, 2);
  g_assert_cmpint(study->segment_place[1], ==, 2 << 20);
  g_assert_cmpuint(study->lanes->first[study->lanes->n], ==, study->buffers->n);
  g_autofree char *before = tn_study_dup_label(study, 0), *no_stack = tn_study_dup_label(study, 1);
  g_assert_cmpstr(before, ==, "before recording");
  g_assert_cmpstr(no_stack, ==, "no call stack");
}

static void
test_plan(void)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document =
      csv_document("id,lower,upper,size,offset\na,0,5,100,0\nb,2,9,50,100\nc,5,9,70,0\n", &options);
  g_autoptr(TnStudy) study = study_of(document, 0, 0);
  g_assert_false(study->is_log);
  g_assert_cmpint(study->arena_bytes, ==, 150);
  g_assert_cmpint(study->live->peak, ==, 150);
  g_assert_cmpint(study->live->peak_at, ==, 2);
  g_assert_cmpint(study->no_reuse_bytes, ==, 220);
  g_assert_cmpint(study->axis_end, ==, 9);
  g_assert_null(study->reserved);
  g_autoptr(TnStudy) rounded = study_of(document, 0, 64);
  g_assert_cmpint(rounded->live->peak, ==, 192);
  g_assert_cmpint(tn_buffers_requested(rounded->buffers, 0), ==, 100);
  static const tn_bytes offset[] = {50, 0, 50}, arena[] = {150};
  g_autoptr(TnStudy) moved = tn_study_new_with_offsets(study, offset, arena, 1);
  g_assert_cmpint(moved->arena_bytes, ==, 150);
  g_assert_cmpint(moved->live->peak, ==, study->live->peak);
  g_assert_true(tn_study_prepare(moved, TN_GROUP_SIZE, NULL));
  g_assert_cmpint(moved->map->place[1], ==, 0);
  g_assert_cmpint(moved->map->place[2], ==, 50);
  g_autofree char *label = tn_study_dup_label(moved, 1);
  g_assert_cmpstr(label, ==, "b");
  /* The first study is its own still. */
  g_assert_cmpint(study->offset[0], ==, 0);
}

/* Other groups and lanes on the same lives; the first study may go before it. */
static void
test_regrouped(void)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document =
      csv_document("id,lower,upper,size,offset\na/x,0,5,100,0\nb/x,2,9,50,100\nb/y,5,9,70,0\n", &options);
  TnStudy *study = study_of(document, 0, 0);
  g_assert_true(tn_study_prepare(study, TN_GROUP_SIZE, NULL));
  TnStudy *first = tn_study_new_regrouped(study, TN_GROUP_MODULE, true, TN_LANES_BY_SIZE);
  g_autoptr(TnStudy) second = tn_study_new_regrouped(first, TN_GROUP_MODULE, true, TN_LANES_BY_START);
  tn_study_unref(study);
  tn_study_unref(first);
  g_assert_cmpuint(second->categories->groups->len, ==, 2);
  g_assert_cmpstr(g_array_index(second->categories->groups, TnGroup, 0).name, ==, "a");
  g_assert_cmpstr(g_array_index(second->categories->groups, TnGroup, 1).name, ==, "b");
  g_assert_cmpuint(second->lanes->n_groups, ==, 2);
  g_assert_cmpuint(second->lanes->group_lane[1], ==, 1);
  g_assert_cmpuint(second->lanes->n, ==, 3);
  g_assert_cmpuint(second->lanes->lane[0], ==, 0);
  g_assert_cmpint(second->live->peak, ==, 150);
}

static void
test_empty_plan(void)
{
  TnReadOptions options = {.format = "csv"};
  g_autoptr(TnDocument) document = csv_document("id,lower,upper,size\n", &options);
  g_autoptr(TnStudy) study = study_of(document, 0, 64);
  g_assert_cmpuint(study->buffers->n, ==, 0);
  g_assert_cmpint(study->axis_end, ==, 1);
  g_assert_cmpint(study->live->peak, ==, 0);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  g_assert_cmpuint(study->lanes->n, ==, 0);
}

/* What has no bytes takes no room, wherever the file puts it. */
static void
test_empty_buffer(void)
{
  static const char text[] = "id,lower,upper,size,offset\na,0,2,10,0\nb,1,3,0,60\n";
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document = csv_document(text, &options);
  g_autoptr(TnStudy) study = study_of(document, 0, 0);
  g_assert_cmpint(study->arena_bytes, ==, 10);
}

static void
test_overflow(void)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  static const char *const tables[] = {
      /* never alive together, but their sum without reuse does not fit */
      "id,lower,upper,size\na,0,1,9223372036854775807\nb,1,2,1\n",
      "id,lower,upper,size\na,0,1,9223372036854775807\nb,0,2,1\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    g_autoptr(TnDocument) document = csv_document(tables[i], &options);
    g_autoptr(GError) error = NULL;
    g_assert_null(tn_study_new(document, 0, &params, NULL, &error));
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
  }
  g_autoptr(TnDocument) document =
      csv_document("id,lower,upper,size\na,0,1,9223372036854775807\n", &options);
  tn_study_unref(study_of(document, 0, 0));
  params.alignment = 64;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_study_new(document, 0, &params, NULL, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
}

static bool
is_refused(const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_true((study == NULL) == (error != NULL));
  if (error)
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
  return error != NULL;
}

/* Of a log more is summed up: segments, holes and what the device has beside them. */
static void
test_overflow_of_log(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_ALLOC, 1 << 20, TN_SIZES_MOST / 2},
                                    {TN_EVENT_SEGMENT_UNMAP, 1 << 20, TN_SIZES_MOST / 4},
                                    {A, 1 << 20, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnDevice *device = log_device(document);
  g_assert_false(is_refused(document));
  device->total_bytes = TN_SIZES_MOST / 4;
  g_assert_true(is_refused(document)); /* by less than 512 */
  device->total_bytes = TN_BYTES_UNKNOWN;
  log_add_segment(document, 1 << 20, TN_SIZES_MOST / 4);
  g_assert_true(is_refused(document));
}

/* What was requested is summed up, too. */
static void
test_overflow_of_requests(void)
{
  g_autoptr(TnDocument) document = csv_document("id,lower,upper,size\na,0,1,1\nb,0,1,1\n", &(TnReadOptions)TN_READ_OPTIONS_INIT);
  TnBuffers *buffers = log_device(document)->buffers;
  tn_buffers_need(buffers, TN_COLUMN_REQUESTED);
  buffers->requested[0] = INT64_MAX - 1;
  buffers->requested[1] = 1;
  g_assert_false(is_refused(document));
  buffers->requested[1] = 2;
  g_assert_true(is_refused(document));
}

static void
add_device(TnDocument *document, int32_t ordinal, uint32_t n_events, bool has_oom, bool is_active)
{
  TnDevice *device = tn_document_device(document, ordinal);
  for (uint32_t i = 0; i < n_events; i++)
    tn_events_add(&device->events, TN_EVENT_ALLOC, 512 * i, 512);
  TnMark mark = {.kind = TN_MARK_OOM};
  if (has_oom)
    g_array_append_val(device->marks, mark);
  TnBlock block = {.state = is_active ? TN_BLOCK_ACTIVE : TN_BLOCK_INACTIVE};
  g_array_append_val(device->blocks, block);
}

/* The one with the OOM, else the busiest. */
static void
test_first_device(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  add_device(document, 1, 5, false, false);
  add_device(document, 2, 90, false, false);
  add_device(document, 3, 0, false, true);
  add_device(document, 4, 0, false, false);
  g_assert_cmpuint(tn_study_first_device(document), ==, 2);
  g_assert_false(tn_study_device_has_content(document, 0));
  g_assert_true(tn_study_device_has_content(document, 1));
  g_assert_true(tn_study_device_has_content(document, 3));
  g_assert_false(tn_study_device_has_content(document, 4));
  add_device(document, 7, 1, true, false);
  g_assert_cmpuint(tn_study_first_device(document), ==, 5);
}

static void
test_cancelled(void)
{
  static const LogEvent events[] = {{A, 512, 1}};
  g_autoptr(TnDocument) document = log_new(events, 1);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnProgress progress = {.cancelled = 1};
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_study_new(document, 0, &params, &progress, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED);
  /* A cancelled preparation leaks nothing when it is done again. */
  g_autoptr(TnStudy) study = study_of(document, 0, 0);
  g_assert_false(tn_study_prepare(study, TN_GROUP_AUTO, &progress));
  g_assert_false(study->is_prepared);
  progress.cancelled = 0;
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, &progress));
  g_assert_true(study->is_prepared);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/study/log", test_log);
  g_test_add_func("/study/plan", test_plan);
  g_test_add_func("/study/regrouped", test_regrouped);
  g_test_add_func("/study/empty-plan", test_empty_plan);
  g_test_add_func("/study/empty-buffer", test_empty_buffer);
  g_test_add_func("/study/overflow", test_overflow);
  g_test_add_func("/study/overflow-of-log", test_overflow_of_log);
  g_test_add_func("/study/overflow-of-requests", test_overflow_of_requests);
  g_test_add_func("/study/first-device", test_first_device);
  g_test_add_func("/study/cancelled", test_cancelled);
  return g_test_run();
}
