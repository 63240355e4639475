/* SPDX-License-Identifier: MIT */
/* XLA's dumps: places and lives joined, slots under several names, reports. */
#include "config.h"

#include "analysis/check.h"
#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "shared.h"

#include <glib/gstdio.h>
#include <string.h>

static const char assignment[] =
    "BufferAssignment:\n"
    "allocation 0: 0x7f12, size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:\n"
    " value: <0 p @0> (size=64,offset=0): f32[16]{0}\n"
    "allocation 1: size 32, output shape is |f32[8]|, maybe-live-out:\n"
    " value: <4 out @0> (size=32,offset=0): f32[8]{0}\n"
    "allocation 2: size 192, preallocated-temp:\n"
    " value: <1 a @0> (size=64,offset=0): f32[16]{0}\n"
    " value: <2 loop{1} (phi) @0> (size=128,offset=64): f32[32]{0}\n"
    " value: <3 b> (size=64,offset=0): f32[16]{0}\n"
    " value: <6 loop.body @0> (size=128,offset=64): f32[32]{0}\n"
    "allocation 3: size 4, thread-local:\n"
    " value: <5 x @0> (size=4,offset=0): f32[]\n\n"
    "Total bytes used: 292 (292B)\n\nUsed values:\n<0 p @0>\n positions:\n  p\n";
static const char ranges[] =
    "HloLiveRange (max 5):\n  InstructionSequence:\n    0:p\n    1:a\n    2:loop\n    3:b\n"
    "    4:body\n    5:out\n  BufferLiveRange:\n    p{}:0-5\n    a{}:1-2\n    loop{1}:2-4\n"
    "    b{}:3-5\n    loop.body{}:4-5\n    out{}:5-5\n  Live ranges at 4 (peak):\n"
    "    loop{1}: 128 bytes (cumulative: 128 bytes)\n";

static TnDocument *
load(const char *text, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.txt", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static tn_index
find(const TnDocument *document, const char *name)
{
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  for (uint32_t i = 0; i < b->n; i++)
    if (strcmp(tn_strings_get(document->strings, b->name[i]), name) == 0)
      return i;
  g_error("no buffer %s", name);
  return TN_NONE;
}

static void
check_whole(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnBuffers *b = device->buffers;
  static const struct {
    const char *name;
    tn_tick start, end;
    tn_bytes bytes, offset;
    uint32_t space;
  } rows[] = {{"p", 0, 6, 64, 0, 1},
              {"out", 5, 6, 32, 64, 1},
              {"a", 1, 3, 64, 0, 0},
              {"b", 3, 6, 64, 0, 0},
              {"loop{1} (and 1 that share its slot)", 2, 6, 128, 64, 0}};
  g_assert_cmpstr(document->format, ==, "xla");
  g_assert_cmpuint(b->n, ==, G_N_ELEMENTS(rows));
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    tn_index k = find(document, rows[i].name);
    g_assert_cmpint(b->start[k], ==, rows[i].start);
    g_assert_cmpint(b->end[k], ==, rows[i].end);
    g_assert_cmpint(b->bytes[k], ==, rows[i].bytes);
    g_assert_cmpint(b->offset[k], ==, rows[i].offset);
    g_assert_cmpuint(b->space[k], ==, rows[i].space);
  }
  g_assert_cmpstr(tn_strings_get(document->strings, tn_document_op_name(document, 3)), ==, "b");
  const TnAccount *account = g_ptr_array_index(document->accounts, 0);
  g_assert_cmpint(account->total, ==, 292);
  g_assert_cmpint(tn_account_sum(account), ==, 292);
}

static void
test_one_file(void)
{
  g_autofree char *text = g_strconcat(assignment, "\n", ranges, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(text, &error);
  g_assert_no_error(error);
  check_whole(document);
  g_autofree char *with_mark = g_strconcat("\xef\xbb\xbf", text, NULL);
  g_autoptr(TnDocument) marked = load(with_mark, &error);
  g_assert_no_error(error);
  check_whole(marked);
}

/* Whichever of two neighbours is opened, the other is read as well. */
static void
test_neighbours(void)
{
  g_autofree char *folder = g_dir_make_tmp("tenure-xla-XXXXXX", NULL);
  g_autofree char *a = g_build_filename(folder, "m-buffer-assignment.txt", NULL);
  g_autofree char *b = g_build_filename(folder, "m-live-range.txt", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_assert_true(g_file_set_contents(a, assignment, -1, NULL));
  g_assert_true(g_file_set_contents(b, ranges, -1, NULL));
  g_autoptr(TnDocument) first = tn_document_load(a, &options, NULL);
  g_autoptr(TnDocument) second = tn_document_load(b, &options, NULL);
  g_unlink(a);
  g_unlink(b);
  g_rmdir(folder);
  check_whole(first);
  check_whole(second);
}

static void
test_parts(void)
{
  g_autoptr(TnDocument) places = load(assignment, NULL);
  const TnBuffers *b = tn_document_get_device(places, 0)->buffers;
  g_assert_cmpuint(b->n, ==, 3); /* allocations, since nothing is known of lives */
  g_assert_cmpint(b->bytes[find(places, "allocation 2")], ==, 192);
  g_assert_cmpuint(tn_diagnostics_length(places->diagnostics), ==, 1);
  g_autoptr(TnDocument) lives = load(ranges, NULL);
  b = tn_document_get_device(lives, 0)->buffers;
  g_assert_cmpuint(b->n, ==, 6);
  g_assert_cmpint(b->bytes[find(lives, "loop{1}")], ==, 128);
  g_assert_cmpint(b->flags[find(lives, "a")], ==, TN_BUFFER_UNSIZED);
}

/* Host memory (color 5, S(5)) is not the device's. */
static void
test_colors(void)
{
  g_autoptr(TnDocument) document = load("BufferAssignment:\n"
                                        "allocation 0: size 1000, parameter 0, shape |f32[250]| at ShapeIndex {}:\n"
                                        " value: <0 p @0> (size=1000,offset=0): f32[250]{0}\n"
                                        "allocation 1: size 4000, color 5, preallocated-temp:\n"
                                        " value: <1 h @5> (size=4000,offset=0): f32[1000]{0:S(5)}\n"
                                        "allocation 2: size 2000, preallocated-temp:\n"
                                        " value: <2 t @0> (size=2000,offset=0): f32[500]{0}\n\n"
                                        "Total bytes used: 7000 (6.8KiB)\n",
                                        NULL);
  const TnDevice *own = tn_document_get_device(document, 0), *host = tn_document_get_device(document, 1);
  g_assert_cmpuint(document->devices->len, ==, 2);
  g_assert_cmpuint(own->buffers->n, ==, 2);
  g_assert_cmpint(own->buffers->bytes[0] + own->buffers->bytes[1], ==, 3000);
  g_assert_cmpuint(host->buffers->n, ==, 1);
  g_assert_cmpint(host->buffers->bytes[0], ==, 4000);
  g_assert_cmpstr(tn_strings_get(document->strings, host->name), ==, "memory space 5 (host)");
  g_assert_cmpint(tn_account_sum(g_ptr_array_index(document->accounts, 0)), ==, 7000);
  g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 2); /* and that there are no lives */
}

/* Colors 1 and 2 are a GPU's own, for collectives and for temporaries: they count for its peak. */
static void
test_colors_of_device(void)
{
  g_autoptr(TnDocument) document = load("BufferAssignment:\n"
                                        "allocation 0: size 1000, parameter 0, shape |f32[250]| at ShapeIndex {}:\n"
                                        " value: <0 p{} @0> (size=1000,offset=0): f32[250]{0}\n"
                                        "allocation 1: size 1048576, color 2, preallocated-temp:\n"
                                        " value: <1 t{} @0> (size=1048576,offset=0): f32[262144]{0}\n"
                                        "allocation 2: size 24, color 1, maybe-live-out:\n"
                                        " value: <2 o{} @0> (size=24,offset=0): f32[6]{0}\n\n"
                                        "Total bytes used: 1049600 (1.00MiB)\n",
                                        NULL);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_assert_cmpuint(document->devices->len, ==, 1);
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpstr(g_ptr_array_index(device->space_names, 0), ==, "allocation 1, temporaries in memory space 2");
  g_assert_cmpint(tn_account_sum(g_ptr_array_index(document->accounts, 0)), ==, 1049600);
  g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 1); /* that there are no lives */
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpint(study->live->peak, ==, 1049600);
}

/* A report of several spaces: each has its name, and its own rounding. */
static void
test_report_spaces(void)
{
  static const char head[] = "\nAllocations sorted by size:\n\ncumulative_size; total_size - cumulative_size; allocation\n";
  g_autofree char *text = g_strconcat(
      "Memory Space: default (color=0)\nTotal bytes: 3000 (2.9KiB)\n", head,
      "    2.0KiB( 67%);    1000B; allocation 1: size 2.0KiB, preallocated-temp:\n",
      "    2.9KiB(100%);       0B; allocation 0: size 1000B, parameter 0, shape |f32[250]| at ShapeIndex {}:\n\n",
      "Memory Space: host (color=5)\nTotal bytes: 4000 (3.9KiB)\n", head,
      "    4000B(100%);       0B; allocation 2: size 3999B, preallocated-temp:\n", NULL);
  g_autoptr(TnDocument) document = load(text, NULL);
  const TnAccount *own = g_ptr_array_index(document->accounts, 0), *host = g_ptr_array_index(document->accounts, 1);
  g_assert_cmpstr(own->title, ==, "XLA memory usage report");
  g_assert_cmpstr(host->title, ==, "XLA memory usage report, memory space host (color=5)");
  g_assert_cmpint(tn_account_sum(own), ==, 3000);
  g_assert_cmpstr(tn_account_row(host->rows, 1)->what, ==, "allocations not shown"); /* no rounding: a size in bytes */
}

/* Cut off anywhere: no line half read counts. */
static void
test_cut(void)
{
  g_autofree char *text = g_strconcat(assignment, "\n", ranges, NULL);
  gsize whole = strlen(text);
  for (gsize n = 200; n < whole; n++) {
    g_autofree char *head = g_strndup(text, n);
    g_autoptr(TnDocument) document = load(head, NULL);
    if (!document)
      continue;
    const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
    for (uint32_t i = 0; i < b->n; i++) {
      g_assert_cmpint(b->end[i], <=, 6);
      g_assert_true(b->bytes[i] == 64 || b->bytes[i] == 32 || b->bytes[i] == 128 ||
                    b->bytes[i] == 192);
    }
  }
}

static void
test_report(void)
{
  g_autoptr(TnDocument) document =
      load("Total bytes used: 786452 (768.0KiB)\n\nAllocations sorted by size:\n\n"
           "cumulative_size; total_size - cumulative_size; allocation\n-----\n"
           "  512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, preallocated-temp:\n"
           "  768.0KiB(100%);        20B; allocation 0: size 256.0KiB, parameter 0, shape "
           "|f32[256,256]| at ShapeIndex {}:\n",
           NULL);
  const TnAccount *account = g_ptr_array_index(document->accounts, 0);
  g_assert_cmpint(account->total, ==, 786452);
  g_assert_cmpint(tn_account_row(account->rows, 0)->bytes, ==, 524288);
  g_assert_cmpint(tn_account_sum(account), ==, 786452);
}

static void
test_bad(void)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(load("BufferAssignment:\nallocation x\n", &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
  g_assert_true(g_str_has_prefix(error->message, "t.txt:1: found no allocation with values"));
}

/* The plans of the samples are sound, and their live peaks are those that the dumps say. */
static void
test_samples(void)
{
  static const struct {
    const char *file;
    uint32_t n;
    tn_bytes peak, arena;
  } rows[] = {{"SYNTH-ortex-mnist-buffer-assignment.txt", 13, 63552, 63592},
              {"SYNTH-npm-blazeface_back_256-live-range.txt", 150, 5505024, 5565952},
              {"SYNTH-onnx-light_resnet50-buffer-assignment.txt", 416, 112332704, 112336736}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *relative = g_strconcat("samples/xla/", rows[i].file, NULL);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    TnStudyParams params = TN_STUDY_PARAMS_INIT;
    if (!path)
      return;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
    g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
    g_assert_cmpuint(study->buffers->n, ==, rows[i].n);
    g_assert_cmpint(study->live->peak, ==, rows[i].peak);
    g_assert_cmpint(study->arena_bytes, ==, rows[i].arena);
    g_autoptr(TnFindings) findings = tn_findings_new();
    TnCheckParams check = {.document = document,
                           .buffers = study->buffers,
                           .space_arena = study->space_arena,
                           .n_spaces = study->n_spaces};
    tn_check_offsets(&check, findings);
    g_assert_cmpuint(findings->rows->len, ==, 0);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/xla/one-file", test_one_file);
  g_test_add_func("/xla/neighbours", test_neighbours);
  g_test_add_func("/xla/parts", test_parts);
  g_test_add_func("/xla/colors", test_colors);
  g_test_add_func("/xla/colors-of-device", test_colors_of_device);
  g_test_add_func("/xla/report-spaces", test_report_spaces);
  g_test_add_func("/xla/cut", test_cut);
  g_test_add_func("/xla/report", test_report);
  g_test_add_func("/xla/bad", test_bad);
  g_test_add_func("/xla/samples", test_samples);
  return g_test_run();
}
