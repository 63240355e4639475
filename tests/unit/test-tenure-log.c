/* SPDX-License-Identifier: MIT */
/* Our own log: what the writer writes is read again, and every error names its place. */
#include "config.h"

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "data/tenure-log-writer.h"

#include <glib/gstdio.h>
#include <string.h>

#define HEAD "{\"format\": \"tenure-log\", \"version\": 1, \"device_bytes\": 4096}\n"

static TnDocument *
load(const char *text, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static void
write_log(const char *path)
{
  FILE *log = tenure_log_open(path, 8ull << 20);
  const void *a = (const void *)0x7f0000001000, *b = (const void *)0x7f0000002000;
  g_assert_nonnull(log);
  tenure_log_segment(log, 'a', a, 1 << 20);
  tenure_log_alloc(log, a, 512, 500, "conv \"1\"\n\\weight", 7);
  tenure_log_alloc(log, b, 1024, 1024, "out", 0);
  tenure_log_use(log, a);
  tenure_log_mark(log, "step 1");
  tenure_log_free(log, b);
  tenure_log_stream(log, 's', 7, 0);
  tenure_log_stream(log, 'w', 0, 7);
  tenure_log_stream(log, 'e', 7, 0);
  tenure_log_oom(log, 1 << 20, 4096);
  fclose(log);
}

static void
test_writer(void)
{
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "tenure-log-XXXXXX", NULL);
  g_close(g_mkstemp(path), NULL);
  write_log(path);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_unlink(path);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "tenure-log");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpint(device->total_bytes, ==, 8 << 20);
  g_assert_cmpuint(device->events.n, ==, 9);
  g_assert_cmpint(device->axis_end, ==, 9);
  g_assert_true(device->has_syncs);
  g_assert_cmpuint(device->events.action[5], ==, TN_EVENT_SYNC);
  g_assert_cmpuint(device->events.stream[5], ==, 7);
  g_assert_cmpuint(device->events.action[6], ==, TN_EVENT_WAIT);
  g_assert_cmpuint(device->events.stream[6], ==, 0);
  g_assert_cmpuint(device->events.address[6], ==, 7);
  g_assert_cmpuint(device->events.action[7], ==, TN_EVENT_FINALIZE);
  g_assert_cmpuint(device->events.line[7], ==, 10);
  g_assert_true(device->events.time_us[0] > 1600000000000000);
  g_assert_cmpuint(device->marks->len, ==, 2);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).tick, ==, 4);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 1).device_free, ==, 4096);
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_cmpuint(study->buffers->n, ==, 2);
  g_assert_cmpint(study->buffers->bytes[0], ==, 512);
  g_assert_cmpint(study->buffers->requested[0], ==, 500);
  g_assert_cmphex((guint64)study->buffers->offset[0], ==, 0x7f0000001000);
  g_assert_cmpstr(tn_strings_get(document->strings, study->buffers->name[0]), ==,
                  "conv \"1\" \\weight");
  g_assert_cmpint(study->buffers->end[1], ==, 4);
  g_assert_cmpint(study->live->peak, ==, 1536);
  g_assert_cmpint(study->reserved->peak, ==, 1 << 20);
}

static void
test_members(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(
      HEAD "{\"t\": 1.5, \"event\": \"alloc\", \"address\": 4096, \"bytes\": 64, \"pool\": \"p\", "
           "\"stream\": 3, \"stack\": [\"f (a.c:12)\", \"main\"], \"else\": {\"x\": [1]}}\r\n\n"
           "{\"event\": \"free\", \"address\": \"0x1000\", \"device\": 0}\n"
           "{\"event\": \"alloc\", \"address\": \"4096\", \"bytes\": \"64\", \"device\": 2}\n",
      &error);
  g_assert_no_error(error);
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(document->devices->len, ==, 2);
  g_assert_cmpuint(device->events.n, ==, 2);
  g_assert_cmphex(device->events.address[0], ==, 4096);
  g_assert_cmphex(device->events.address[1], ==, 4096);
  g_assert_cmpint(device->events.time_us[0], ==, 1500000);
  g_assert_cmpuint(g_array_index(device->spaces, TnSpace, 0).stream, ==, 3);
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, device->events.stack[0], &n);
  TnFrame frame = tn_stacks_frame(document->stacks, frames[0]);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(tn_strings_get(document->strings, frame.name), ==, "f");
  g_assert_cmpstr(tn_strings_get(document->strings, frame.file), ==, "a.c");
  g_assert_cmpint(frame.line, ==, 12);
  g_assert_false(device->has_reserved);
}

/* A segment is given back whole, whether its size is said again or not. */
static void
test_segment_free(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(
      HEAD "{\"event\": \"segment_alloc\", \"address\": 4096, \"bytes\": 4096}\n"
           "{\"event\": \"alloc\", \"address\": 4096, \"bytes\": 1024}\n"
           "{\"event\": \"free\", \"address\": 4096}\n"
           "{\"event\": \"segment_free\", \"address\": 4096}\n"
           "{\"event\": \"alloc\", \"address\": 65536, \"bytes\": 64}\n",
      &error);
  g_assert_no_error(error);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_cmpint(study->reserved->peak, ==, 4096);
  g_assert_cmpint(tn_curve_at(study->reserved, 0), ==, 4096);
  g_assert_cmpint(tn_curve_at(study->reserved, 4), ==, 0);
}

/* Cut off anywhere behind the first line: whole lines are read, the rest is said to be missing. */
static void
test_cut(void)
{
  static const char text[] = HEAD
      "{\"event\": \"alloc\", \"address\": \"0x1000\", \"bytes\": 64, \"name\": \"a\\u00e4\"}\n"
      "{\"event\": \"free\", \"address\": \"0x1000\"}\n";
  gsize first = strlen(HEAD);
  const char *second = strchr(text + first, '\n');
  for (gsize n = first; n <= sizeof text - 1; n++) {
    g_autofree char *head = g_strndup(text, n);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load(head, &error);
    g_assert_no_error(error);
    bool is_between = text[n - 1] == '\n' || text[n - 1] == '}';
    uint32_t whole = text + n >= second + (second[-1] != '}') ? 1 : 0;
    whole += n >= sizeof text - 2;
    uint32_t have = document->devices->len ? tn_document_get_device(document, 0)->events.n : 0;
    g_assert_cmpuint(have, ==, whole);
    g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, is_between ? 0 : 1);
  }
}

static void
test_errors(void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
      {HEAD "{\"event\": \"grab\"}\n",
       "t.log:2:11: event: found \"grab\", expected alloc, free, segment_alloc, segment_free, use, "
       "sync, wait, finalize, mark or oom"},
      {HEAD "\n{\"event\": \"alloc\", \"bytes\": 3}\n",
       "t.log:3:1: found an object without \"address\", expected it"},
      {HEAD "{\"event\": \"alloc\", \"address\": 1}\n",
       "t.log:2:1: found an object without \"bytes\", expected it"},
      {HEAD "{\"event\": \"alloc\", \"address\": 1, \"bytes\": -3}\n",
       "t.log:2:43: bytes: found -3, expected 0 or more"},
      {HEAD "{\"event\": \"free\", \"address\": \"zz\"}\n",
       "t.log:2:30: address: found \"zz\", expected \"0x…\" or a number"},
      {"{\"format\": \"tenure-log\", \"version\": 2}\n",
       "t.log:1:1: found version 2 of \"format\": \"tenure-log\", expected version 1 of "
       "\"tenure-log\""},
      {HEAD "{\"t\": 1}\n", "t.log:2:1: found an object without \"event\", expected it"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load(rows[i].text, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, rows[i].message);
  }
}

static void
test_sample(void)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *path =
      g_build_filename(root ? root : ".", "data", "samples", "allocator.tenure-log", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpuint(study->buffers->n, ==, 4);
  g_assert_cmpint(study->live->peak, ==, 5767168);
  g_assert_cmpint(study->live->peak_at, ==, 6);
  g_assert_cmpint(study->reserved->peak, ==, 6291456);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tenure-log/writer", test_writer);
  g_test_add_func("/tenure-log/members", test_members);
  g_test_add_func("/tenure-log/segment-free", test_segment_free);
  g_test_add_func("/tenure-log/cut", test_cut);
  g_test_add_func("/tenure-log/errors", test_errors);
  g_test_add_func("/tenure-log/sample", test_sample);
  return g_test_run();
}
