/* SPDX-License-Identifier: MIT */
/* The CSV reader: columns and their aliases, the `end` trap, gaps, every error and its place. */
#include "config.h"

#include "data/error.h"
#include "data/reader.h"

#include <string.h>

static TnDocument *
load(const char *text, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.csv", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static const TnBuffers *
load_good(const char *text, TnDocument **out_document)
{
  g_autoptr(GError) error = NULL;
  *out_document = load(text, &error);
  g_assert_no_error(error);
  g_assert_cmpstr((*out_document)->format, ==, "csv");
  g_assert_cmpint((*out_document)->kind, ==, TN_DOCUMENT_PLAN);
  return tn_document_get_device(*out_document, 0)->buffers;
}

static const char *
name_of(const TnDocument *document, const TnBuffers *b, tn_index i)
{
  return tn_strings_get(document->strings, tn_buffers_name(b, i));
}

static void
test_plain(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\n", &document);
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(b->n, ==, 3);
  g_assert_cmpstr(name_of(document, b, 1), ==, "b2");
  g_assert_cmpint(b->start[1], ==, 3);
  g_assert_cmpint(b->end[1], ==, 9);
  g_assert_cmpint(b->bytes[1], ==, 4);
  g_assert_cmpint(b->offset[1], ==, TN_NOT_PLACED);
  g_assert_cmpint(b->flags[1], ==, 0);
  g_assert_cmpint(device->axis, ==, TN_AXIS_STEP);
  g_assert_cmpint(device->axis_end, ==, 9);
  g_assert_cmpint(device->arena_bytes, ==, TN_BYTES_UNKNOWN);
  g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 0);
}

/* Any order, aliases, CRLF, a byte order mark, quotes, blanks, no last line end. */
static void
test_shapes(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b =
      load_good("\xef\xbb\xbfSize, upper ,\"begin\",hint,offset,alignment,buffer\r\n"
                "10,5,2,-1,64,32,\"a,\"\"b\"\"\"\r\n"
                " 7 ,9,0,3,,,\"\"\"\"\r\n"
                "0,1,0,,-1,16,c",
                &document);
  g_assert_cmpuint(b->n, ==, 3);
  g_assert_cmpstr(name_of(document, b, 0), ==, "a,\"b\"");
  g_assert_cmpstr(name_of(document, b, 1), ==, "\"");
  g_assert_cmpint(b->start[0], ==, 2);
  g_assert_cmpint(b->end[0], ==, 5);
  g_assert_cmpint(b->offset[0], ==, 64);
  g_assert_cmpint(b->flags[0], ==, 0);
  g_assert_cmpint(b->bytes[1], ==, 7);
  g_assert_cmpint(b->offset[1], ==, TN_NOT_PLACED);
  g_assert_cmpint(b->offset[2], ==, TN_NOT_PLACED);
  g_assert_cmpint(tn_buffers_alignment(b, 0), ==, 32);
  g_assert_cmpint(tn_buffers_alignment(b, 1), ==, 1);
  g_assert_cmpint(tn_document_get_device(document, 0)->arena_bytes, ==, TN_BYTES_UNKNOWN);
}

static void
test_inclusive_end(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b =
      load_good("buffer_id,start,end,size,gaps\nx,3,3,8,\ny,0,9,8,2-3 5-5@2:6\n", &document);
  uint32_t n;
  g_assert_cmpint(b->end[0], ==, 4);
  g_assert_cmpint(b->end[1], ==, 10);
  const TnGap *gaps = tn_buffers_gaps(b, 1, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpint(gaps[0].start, ==, 2);
  g_assert_cmpint(gaps[0].end, ==, 4);
  g_assert_cmpint(gaps[0].high, ==, 0);
  g_assert_cmpint(gaps[1].end, ==, 6);
  g_assert_cmpint(gaps[1].low, ==, 2);
  g_assert_cmpint(gaps[1].high, ==, 6);
}

/* With `start` and `upper` nothing is added; gaps are sorted. */
static void
test_gaps(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good(
      "id,start,upper,size,gaps\nx,0,20,8,\ny,0,20,8, 10-15  2-4@0:3 4-6@5:5\n", &document);
  uint32_t n;
  tn_buffers_gaps(b, 0, &n);
  g_assert_cmpuint(n, ==, 0);
  const TnGap *gaps = tn_buffers_gaps(b, 1, &n);
  g_assert_cmpuint(n, ==, 3);
  g_assert_cmpint(gaps[0].start, ==, 2);
  g_assert_cmpint(gaps[0].end, ==, 4);
  g_assert_cmpint(gaps[0].high, ==, 3);
  g_assert_cmpint(gaps[1].low, ==, 0); /* an empty window: dead */
  g_assert_cmpint(gaps[1].high, ==, 0);
  g_assert_cmpint(gaps[2].start, ==, 10);
}

static void
test_warnings(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good("id,lower,color,upper,size,\"a \"\"b\"\"\"\n1,0,red,2,3,\n\n"
                                 "2,0,blue,2,3,x\n\n\n",
                                 &document);
  g_assert_cmpuint(b->n, ==, 2);
  g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 2);
  const TnWarning *warning = tn_diagnostics_get(document->diagnostics, 0);
  g_assert_cmpstr(warning->code, ==, "extra-columns");
  g_assert_cmpint(warning->count, ==, 2);
  g_assert_nonnull(strstr(warning->message, "'color', 'a \"b\"'"));
  g_assert_cmpstr(tn_diagnostics_get(document->diagnostics, 1)->code, ==, "blank-lines");
  g_assert_cmpint(tn_diagnostics_get(document->diagnostics, 1)->count, ==, 1);
}

static void
test_placed(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good("id,lower,upper,size,offset\n1,0,2,3,100\n2,0,2,3,0\n", &document);
  g_assert_cmpint(b->offset[0], ==, 100);
  g_assert_cmpint(tn_document_get_device(document, 0)->arena_bytes, ==, 103);
}

static void
test_spaces(void)
{
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good("id,lower,upper,size,space\n1,0,2,3,sram\n2,0,2,3,dram\n"
                                 "3,0,2,3,sram\n",
                                 &document);
  const GPtrArray *names = tn_document_get_device(document, 0)->space_names;
  g_assert_cmpuint(tn_buffers_space(b, 1), ==, 1);
  g_assert_cmpuint(tn_buffers_space(b, 2), ==, 0);
  g_assert_cmpuint(names->len, ==, 2);
  g_assert_cmpstr(g_ptr_array_index(names, 1), ==, "dram");
}

/* What other programs call as we call our own columns is no error: the first of a name is read.  As for offsets
 * -1 means none. */
static void
test_others_columns(void)
{
  static const char *const names[] = {"stream", "flags", "traits", "batch_label", "contiguous_group"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *upper = g_ascii_strup(names[i], -1);
    g_autofree char *text = g_strdup_printf("id,lower,upper,size,%s,%s\na,0,2,100,,1\n", upper, names[i]);
    g_autoptr(TnDocument) document = NULL;
    const TnBuffers *b = load_good(text, &document);
    g_assert_true(tn_buffers_stream(b, 0) == TN_NONE && !b->flags[0] && !b->traits);
    g_assert_true((!b->batch || !b->batch[0]) && (!b->group || !b->group[0]));
    g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 1);
  }
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good("id,lower,upper,size,contiguous_group\n"
                                 "a,0,2,100,-1\nb,3,5,100,-1\nc,6,8,100,0\nd,6,8,100,0\n",
                                 &document);
  g_assert_cmpuint(b->group[0], ==, 0);
  g_assert_cmpuint(b->group[1], ==, 0);
  g_assert_cmpuint(b->group[2], ==, 1);
  g_assert_cmpuint(b->group[3], ==, 1);
}

static void
test_errors(void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"id,lower,size\n1,2,3\n", "t.csv:1:1: found no column upper (or end) in the header, "
                                 "expected id, lower, upper (or end) and size"},
      {"lower,upper,size\n", "t.csv:1:1: found no column id (or buffer_id, buffer) in the header, "
                             "expected id, lower, upper (or end) and size"},
      {"id,lower,upper,size,end\n", "t.csv:1:21: found column 'end' after column 'upper', which "
                                    "says the same; expected one"},
      {"id,lower,upper,size,id\n",
       "t.csv:1:21: found column 'id' after column 'id', which says the same; expected one"},
      {"id,lower,upper,size\n1,0,2\n", "t.csv:2:5: found 3 fields, expected 4 as in the header"},
      {"id,lower,upper,size\n1,0,2,3,4\n",
       "t.csv:2:9: found 5 fields, expected 4 as in the header"},
      {"id,lower,upper,size\n1,0,2,3\n1,0,2,3\n",
       "t.csv:3:1: id: found '1', expected an id that no row above has"},
      {"id,lower,upper,size\n,0,2,3\n", "t.csv:2:1: id: found '', expected a name or a number"},
      {"id,lower,upper,size\n1,5,5,3\n",
       "t.csv:2:5: upper: found '5', expected more than 5 (where the life starts)"},
      {"id,start,end,size\n1,5,4,3\n",
       "t.csv:2:5: end: found '4', expected at least 5 (where the life starts)"},
      {"id,lower,upper,size\n1,-5,4,3\n",
       "t.csv:2:3: lower: found '-5', expected a number that is not negative"},
      {"id,lower,upper,size\n1,0,4,-3\n",
       "t.csv:2:7: size: found '-3', expected a number that is not negative"},
      {"id,lower,upper,size\n1,0,4,1.5\n", "t.csv:2:7: size: found '1.5', expected a whole number"},
      {"id,lower,upper,size\n1,0,,1\n", "t.csv:2:5: upper: found '', expected a whole number"},
      {"id,lower,upper,size\n1,0,4,9223372036854775808\n",
       "t.csv:2:7: size: found '9223372036854775808', expected a number below 9223372036854775808"},
      {"id,lower,upper,size,offset\n1,0,4,9223372036854775807,1\n",
       "t.csv:2:27: offset: found '1', expected offset + size below 9223372036854775808"},
      {"id,lower,upper,size,offset\n1,0,4,8,-2\n",
       "t.csv:2:9: offset: found '-2', expected a number that is not negative"},
      {"id,lower,upper,size,alignment\n1,0,4,8,0\n",
       "t.csv:2:9: alignment: found '0', expected at least 1"},
      {"id,lower,upper,size,gaps\n1,0,4,8,1-2 x\n",
       "t.csv:2:13: gaps: found 'x', expected a-b or a-b@low:high, whole numbers"},
      {"id,lower,upper,size,gaps\n1,0,4,8,\"1-2 3-\"\n",
       "t.csv:2:14: gaps: found '3-', expected a-b or a-b@low:high, whole numbers"},
      {"id,lower,upper,size,gaps\n1,0,4,8,2-2\n",
       "t.csv:2:9: gaps: found '2-2', expected a gap that starts before it ends"},
      {"id,lower,upper,size,gaps\n1,0,4,8,2-5\n",
       "t.csv:2:9: gaps: found '2-5', expected a gap within the buffer's life"},
      {"id,lower,upper,size,gaps\n1,0,4,8,2-3@4:9\n",
       "t.csv:2:9: gaps: found '2-3@4:9', expected a window low:high within the buffer's size"},
      {"id,lower,upper,size,gaps\n1,0,9,8,2-4 3-5\n",
       "t.csv:2:9: gaps: found '2-4', expected gaps that do not overlap one another"},
      {"id,lower,upper,size\n\"1,0,4,8\n",
       "t.csv:2:1: found a quote that the line does not close, expected '\"' before its end"},
      {"id,lower,upper,size\n\"1\"x,0,4,8\n",
       "t.csv:2:4: found text after a closing quote, expected ',' or the line's end"},
      {"id,lower,end,size\n1,0,9223372036854775807,8\n",
       "t.csv:2:5: end: found '9223372036854775807', expected a number below 9223372036854775807"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load(rows[i].text, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, rows[i].message);
    g_assert_cmpuint(error->domain, ==, TN_DATA_ERROR);
  }
}

/* A header alone is a plan with nothing in it. */
static void
test_no_rows(void)
{
  g_autoptr(TnDocument) document = NULL;
  g_assert_cmpuint(load_good("id,lower,upper,size", &document)->n, ==, 0);
}

static void
test_many_rows(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < 1000000; i++)
    g_string_append_printf(text, "%d,%d,%d,%d\n", i, i, i + 50, 64 * (i % 1000));
  gint64 start = g_get_monotonic_time();
  g_autoptr(TnDocument) document = NULL;
  const TnBuffers *b = load_good(text->str, &document);
  g_test_message("a million rows: %.3f s", (double)(g_get_monotonic_time() - start) / 1e6);
  g_assert_cmpuint(b->n, ==, 1000000);
  g_assert_cmpint(b->end[999999], ==, 1000049);
}

static void
test_benchmarks(void)
{
  static const struct {
    const char *path;
    uint32_t n;
  } rows[] = {{"minimalloc/A.1048576.csv", 154},
              {"minimalloc/K.1048576.csv", 454},
              {"minimalloc/input.12.csv", 5},
              {"real/resnet50.csv", 1042},
              {"real/pangu_2.6B.csv", 18692}};
  const char *shared = g_getenv("TN_SHARED");
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path =
        g_build_filename(shared ? shared : "", "benchmarks", rows[i].path, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
      g_test_skip("no shared benchmarks here");
      return;
    }
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(tn_document_get_device(document, 0)->buffers->n, ==, rows[i].n);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/csv/plain", test_plain);
  g_test_add_func("/csv/shapes", test_shapes);
  g_test_add_func("/csv/inclusive-end", test_inclusive_end);
  g_test_add_func("/csv/gaps", test_gaps);
  g_test_add_func("/csv/warnings", test_warnings);
  g_test_add_func("/csv/placed", test_placed);
  g_test_add_func("/csv/spaces", test_spaces);
  g_test_add_func("/csv/others-columns", test_others_columns);
  g_test_add_func("/csv/errors", test_errors);
  g_test_add_func("/csv/no-rows", test_no_rows);
  g_test_add_func("/csv/many-rows", test_many_rows);
  g_test_add_func("/csv/benchmarks", test_benchmarks);
  return g_test_run();
}
