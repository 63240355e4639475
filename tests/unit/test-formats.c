/* SPDX-License-Identifier: MIT */
/* The table of formats: a sample of each, found by its content, and what is read of it. */
#include "config.h"

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"

#include <string.h>

/* Of the first device: buffers, events, the live peak, the arena (-1: none); and the file's reports. */
static const struct {
  const char *file, *format;
  TnDocumentKind kind;
  uint32_t n_buffers, n_events, n_accounts;
  tn_bytes peak, arena;
} rows[] = {
    {"pytorch/proto2.pickle", "pytorch", TN_DOCUMENT_LOG, 3, 10, 0, 1536, -1},
    {"pytorch/proto5.pickle", "pytorch", TN_DOCUMENT_LOG, 3, 10, 0, 1536, -1},
    {"pytorch-json/snapshot.json", "pytorch-json", TN_DOCUMENT_LOG, 3, 10, 0, 1536, -1},
    {"pytorch-html/page.html", "pytorch-html", TN_DOCUMENT_LOG, 3, 10, 0, 1536, -1},
    {"tenure-graph/small.json", "tenure-graph", TN_DOCUMENT_GRAPH, 4, 0, 0, 2624, -1},
    {"csv/spaces.csv", "csv", TN_DOCUMENT_PLAN, 3, 0, 0, 12, 10},
    {"tenure-plan/small.json", "tenure-plan", TN_DOCUMENT_PLAN, 2, 0, 0, 24, 16},
    {"onnx/plain.onnx", "onnx", TN_DOCUMENT_GRAPH, 6, 0, 0, 40, -1},
    {"tflite/small.tflite", "tflite", TN_DOCUMENT_GRAPH, 3, 0, 0, 176, 240},
    {"executorch/small.pte", "executorch", TN_DOCUMENT_PLAN, 3, 0, 0, 64, 64},
    {"executorch-trace/small.json", "executorch-trace", TN_DOCUMENT_PLAN, 2, 0, 0, 96, 96},
    {"kineto/trace.json", "kineto", TN_DOCUMENT_LOG, 2, 4, 1, 1536, -1},
    {"kineto/old.json", "kineto", TN_DOCUMENT_PLAN, 3, 0, 1, 32, -1},
    {"tenure-log/small.tenure-log", "tenure-log", TN_DOCUMENT_LOG, 4, 9, 0, 5767168, -1},
    {"xla/whole.txt", "xla", TN_DOCUMENT_PLAN, 5, 0, 1, 288, 288},
    {"xla/report.txt", "xla", TN_DOCUMENT_LOG, 0, 0, 1, 0, -1},
    {"ascend-csv/operators.csv", "ascend-csv", TN_DOCUMENT_PLAN, 3, 0, 0, 3584, -1},
    {"ascend-csv/record.csv", "ascend-csv", TN_DOCUMENT_LOG, 0, 0, 2, 0, -1},
    {"ascend-csv/static.csv", "ascend-csv", TN_DOCUMENT_PLAN, 2, 0, 1, 2048, -1},
    {"memscope-csv/dump.csv", "memscope-csv", TN_DOCUMENT_LOG, 1, 4, 0, 512, -1},
    {"sqlite/nsight.sqlite", "sqlite", TN_DOCUMENT_LOG, 2, 3, 0, 1536, -1},
    {"memory-timeline/raw.json", "memory-timeline", TN_DOCUMENT_PLAN, 3, 0, 0, 1536, -1},
    {"memory-timeline/summed.json", "memory-timeline", TN_DOCUMENT_LOG, 0, 0, 1, 0, -1},
    {"vma-json/small.json", "vma-json", TN_DOCUMENT_LOG, 2, 0, 1, 1536, -1},
    {"ge-graph/small.txt", "ge-graph", TN_DOCUMENT_PLAN, 4, 0, 0, 3584, 5120},
    {"ge-graph/small.pbtxt", "ge-graph", TN_DOCUMENT_PLAN, 4, 0, 0, 3584, 5120},
    {"text-log/bfc.log", "text-log", TN_DOCUMENT_LOG, 3, 0, 3, 12582912, -1},
    {"text-log/tflm.log", "text-log", TN_DOCUMENT_PLAN, 3, 0, 1, 288, 2560},
    {"text-log/various.log", "text-log", TN_DOCUMENT_LOG, 0, 2, 14, 0, -1},
};

static char *
path_of(const char *file)
{
  return g_build_filename(g_getenv("TN_SOURCE_ROOT"), "tests", "fuzz", "corpus", file, NULL);
}

static TnDocument *
load(const char *file)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = path_of(file);
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return document;
}

static void
check_row(gsize i, const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study =
      tn_study_new(document, tn_study_first_device(document), &params, NULL, NULL);
  g_test_message("%s", rows[i].file);
  g_assert_cmpstr(document->format, ==, rows[i].format);
  g_assert_cmpint(document->kind, ==, rows[i].kind);
  g_assert_cmpuint(study->buffers->n, ==, rows[i].n_buffers);
  g_assert_cmpuint(study->device->events.n, ==, rows[i].n_events);
  g_assert_cmpuint(document->accounts->len, ==, rows[i].n_accounts);
  g_assert_cmpint(study->arena_bytes, ==, rows[i].arena);
  if (rows[i].n_buffers)
    g_assert_cmpint(study->live->peak, ==, rows[i].peak);
}

static void
test_table(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].file);
    check_row(i, document);
  }
}

/* PowerShell 5 writes a byte order mark; JSON often comes in one line, as a CSV's head does. */
static void
test_marks(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL, *path =
        g_build_filename(g_getenv("TN_SOURCE_ROOT"), "tests", "fuzz", "corpus", rows[i].file, NULL);
    bool is_json = g_str_has_suffix(path, ".json");
    if (!is_json && !g_str_has_suffix(path, ".csv"))
      continue;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    if (is_json)
      g_strdelimit(text, "\n", ' ');
    g_autofree char *marked = g_strconcat("\xef\xbb\xbf", text, NULL);
    g_autoptr(TnSource) source = tn_source_new_for_bytes("marked", marked, strlen(marked));
    g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
    g_assert_no_error(error);
    check_row(i, document);
  }
}

/* A reader that is new needs a row. */
static void
test_complete(void)
{
  for (const TnReader *const *reader = tn_readers(); *reader; reader++) {
    gsize i = 0;
    while (i < G_N_ELEMENTS(rows) && strcmp(rows[i].format, (*reader)->name) != 0)
      i++;
    g_test_message("%s", (*reader)->name);
    g_assert_cmpuint(i, <, G_N_ELEMENTS(rows));
  }
}

static void
test_readable(void)
{
  static const char text[] = "graph(\"main\"):\n  %x : [#users=1] = Node[type=Data] (attrs = {})\n";
  g_autoptr(TnSource) source = tn_source_new_for_bytes("ge_readable.txt", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  g_assert_null(document);
  g_assert_nonnull(strstr(error->message, "DUMP_GRAPH_FORMAT=ge_proto"));
}

/* Cut anywhere, no reader says that a part may be had that would keep none. */
static void
test_cut(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = path_of(rows[i].file), *content = NULL;
    const TnReader *reader = tn_readers_find(rows[i].format);
    gsize size;
    g_assert_true(g_file_get_contents(path, &content, &size, NULL));
    for (gsize n = 1; n < size; n += 1 + size / 200) {
      TnReadOptions options = {.format = rows[i].format};
      g_autoptr(GError) error = NULL;
      g_autoptr(TnSource) source = tn_source_new_for_bytes(rows[i].file, content, n);
      g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
      if (error && g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED))
        g_assert_true(reader->keeps_cut);
    }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/formats/table", test_table);
  g_test_add_func("/formats/marks", test_marks);
  g_test_add_func("/formats/complete", test_complete);
  g_test_add_func("/formats/readable", test_readable);
  g_test_add_func("/formats/cut", test_cut);
  return g_test_run();
}
