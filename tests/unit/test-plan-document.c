/* SPDX-License-Identifier: MIT */
/* JSON text, and plans as documents: written and read back, and every error with its place. */
#include "config.h"

#include "data/error.h"
#include "data/json.h"
#include "data/reader.h"
#include "data/write.h"

#include <string.h>

static TnDocument *
load(const char *name, const char *text, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes(name, text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static TnDocument *
load_good(const char *text)
{
  g_autoptr(GError) error = NULL;
  TnDocument *document = load("t.json", text, &error);
  g_assert_no_error(error);
  return document;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void
test_json_ints(void)
{
  static const struct {
    const char *text;
    bool is_good;
    int64_t value;
  } rows[] = {
      {"0", true, 0},
      {"-7", true, -7},
      {" 9007199254740993 ", true, 9007199254740993},
      {"9223372036854775807", true, INT64_MAX},
      {"-9223372036854775808", true, INT64_MIN},
      {"9223372036854775808", false, 0},
      {"\"9007199254740993\"", true, 9007199254740993},
      {"\"12x\"", false, 0},
      {"\"\"", false, 0},
      {"\"-\"", false, 0},
      {"1e3", true, 1000},
      {"2.0", true, 2},
      {"9007199254740991.0", true, 9007199254740991},
      {"9007199254740993.0", false, 0},
      {"2.5", false, 0},
      {"1e300", false, 0},
      {"true", false, 0},
      {"", false, 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    TnJson json;
    int64_t value = 0;
    tn_json_init(&json, "j", rows[i].text, strlen(rows[i].text), &error);
    g_assert_cmpint(tn_json_read_int(&json, &value), ==, rows[i].is_good);
    g_assert_cmpint(value, ==, rows[i].value);
    g_assert_cmpint(error == NULL, ==, rows[i].is_good);
    tn_json_clear(&json);
  }
}

static void
test_json_strings(void)
{
  const char *text = "[\"a\\n\\\"\\u00e9\\ud83d\\ude00\\ud800x\\u0000\", \"b\xff\"]", *got = NULL;
  TnJson json;
  tn_json_init(&json, "j", text, strlen(text), NULL);
  g_assert_true(tn_json_begin_array(&json));
  g_assert_true(tn_json_next_item(&json));
  g_assert_true(tn_json_read_string(&json, &got));
  g_assert_cmpstr(got, ==, "a\n\"é😀\xef\xbf\xbdx\xef\xbf\xbd");
  g_assert_true(tn_json_next_item(&json));
  g_assert_true(tn_json_read_string(&json, &got));
  g_assert_cmpstr(got, ==, "b\xef\xbf\xbd");
  g_assert_false(tn_json_next_item(&json));
  g_assert_true(tn_json_expect_end(&json));
  tn_json_clear(&json);
}

/* What is skipped may be written on: it must be JSON. */
static void
test_json_numbers(void)
{
  static const char *const good[] = {"0", "-0", "10", "-1.50", "0.0e0", "1E+05", "2e-7"};
  static const char *const bad[] = {"01", "-01", "-", "1.", "1.e3", "1e", "1e+", "1.2.3", "1-2", "--1", "0x1"};
  for (gsize i = 0; i < G_N_ELEMENTS(good) + G_N_ELEMENTS(bad); i++) {
    bool is_good = i < G_N_ELEMENTS(good);
    g_autofree char *text = g_strdup_printf("[%s]", is_good ? good[i] : bad[i - G_N_ELEMENTS(good)]);
    g_autoptr(GError) error = NULL;
    TnJson json;
    tn_json_init(&json, "j", text, strlen(text), &error);
    g_assert_cmpint(tn_json_skip(&json), ==, is_good);
    if (!is_good)
      g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
    tn_json_clear(&json);
  }
  const char *cut = "[1.";
  g_autoptr(GError) error = NULL;
  TnJson json;
  tn_json_init(&json, "j", cut, strlen(cut), &error);
  g_assert_false(tn_json_skip(&json));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  tn_json_clear(&json);
}

/* A hundred thousand brackets must cost no stack. */
static void
test_json_depth(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 100000; i++)
    g_string_append(text, i % 2 ? "{\"k\": " : "[1, ");
  TnJson json;
  g_autoptr(GError) error = NULL;
  tn_json_init(&json, "j", text->str, text->len, &error);
  g_assert_false(tn_json_skip(&json));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  tn_json_clear(&json);
}

static void
test_json_append(void)
{
  g_autoptr(GString) out = g_string_new(NULL);
  tn_json_append_int(out, 9007199254740992);
  g_string_append_c(out, ' ');
  tn_json_append_int(out, 9007199254740993);
  g_string_append_c(out, ' ');
  tn_json_append_int(out, INT64_MIN);
  g_string_append_c(out, ' ');
  tn_json_append_int(out, 0);
  tn_json_append_string(out, " a\"\\\n\x01 é");
  g_assert_cmpstr(out->str, ==,
                  "\"9007199254740992\" \"9007199254740993\" \"-9223372036854775808\" 0"
                  "\" a\\\"\\\\\\n\\u0001 é\"");
}

/* ---- plans ----------------------------------------------------------------------------- */

static const char whole[] =
    "{\"format\": \"tenure-plan\", \"version\": 1, \"made_by\": {\"x\": [1, {}]},\n"
    " \"buffers\": [\n"
    "  {\"id\": 0, \"name\": \"x\", \"kind\": \"input\", \"start\": 0, \"end\": 6, \"bytes\": "
    "100,\n"
    "   \"requested_bytes\": 90, \"alignment\": 64, \"offset\": 128, \"space\": 1, \"op\": "
    "\"relu\",\n"
    "   \"tensor\": 4, \"batch_label\": \"b0\", \"group\": 7, \"flags\": [\"fixed\", "
    "\"no-reuse\"],\n"
    "   \"gaps\": [[3, 4, 1, 2], [1, 2]]},\n"
    "  {\"id\": \"k\", \"start\": 2, \"end\": 3, \"bytes\": \"9007199254740993\", \"offset\": "
    "null,\n"
    "   \"space\": \"sram\", \"op\": 0, \"group\": \"7\", \"colour\": \"red\"}],\n"
    " \"spaces\": [{\"name\": \"sram\", \"arena_bytes\": 512}, {\"name\": \"dram\"}],\n"
    " \"axis\": {\"unit\": \"us\", \"end\": 6, \"ticks_per_label\": 3, \"labels\": [\"conv\", "
    "\"relu\"]},\n"
    " \"strategy\": \"best\", \"lifetime_model\": \"kernel\", \"lower_bound_bytes\": 64,\n"
    " \"arena_bytes\": 512, \"resident_bytes\": 3, \"optimal\": true}\n";

static void
check_whole(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnBuffers *b = device->buffers;
  uint32_t n;
  g_assert_cmpstr(document->format, ==, "tenure-plan");
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(b->n, ==, 2);
  g_assert_cmpstr(tn_strings_get(document->strings, tn_buffers_name(b, 0)), ==, "x");
  g_assert_cmpint(b->kind[0], ==, TN_KIND_INPUT);
  g_assert_cmpint(b->end[0], ==, 6);
  g_assert_cmpint(tn_buffers_requested(b, 0), ==, 90);
  g_assert_cmpint(tn_buffers_alignment(b, 0), ==, 64);
  g_assert_cmpint(b->offset[0], ==, 128);
  g_assert_cmpuint(tn_buffers_space(b, 0), ==, 1);
  g_assert_cmpuint(tn_buffers_op(b, 0), ==, 1);
  g_assert_cmpstr(tn_strings_get(document->strings, tn_document_op_name(document, 1)), ==, "relu");
  g_assert_cmpuint(tn_document_op_at(document, tn_document_get_device(document, 0), 2), ==, 0);
  g_assert_cmpuint(tn_document_op_at(document, tn_document_get_device(document, 0), 3), ==, 1);
  g_assert_cmpuint(tn_document_op_at(document, tn_document_get_device(document, 0), 6), ==, TN_NONE);
  g_assert_cmpuint(b->tensor[0], ==, 4);
  g_assert_cmpstr(tn_strings_get(document->strings, b->batch[0]), ==, "b0");
  g_assert_cmpuint(b->batch[1], ==, 0);
  g_assert_cmpuint(b->group[0], !=, 0);
  g_assert_cmpuint(b->group[1], ==, b->group[0]);
  g_assert_cmpuint(b->flags[0], ==, TN_BUFFER_FIXED | TN_BUFFER_NO_REUSE);
  g_assert_cmpint(tn_buffers_gaps(b, 0, &n)[0].start, ==, 1);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpint(tn_buffers_gaps(b, 0, &n)[1].high, ==, 2);
  g_assert_cmpint(b->bytes[1], ==, 9007199254740993);
  g_assert_cmpint(tn_buffers_requested(b, 1), ==, 9007199254740993);
  g_assert_cmpint(b->offset[1], ==, TN_NOT_PLACED);
  g_assert_cmpuint(tn_buffers_space(b, 1), ==, 0);
  g_assert_cmpuint(tn_buffers_op(b, 1), ==, 0);
  g_assert_cmpint(device->axis, ==, TN_AXIS_US);
  g_assert_cmpint(device->axis_end, ==, 6);
  g_assert_cmpint(device->arena_bytes, ==, 512);
  g_assert_cmpstr(g_ptr_array_index(device->space_names, 1), ==, "dram");
  g_assert_cmpint(g_array_index(device->space_arena, tn_bytes, 0), ==, 512);
  g_assert_cmpint(g_array_index(device->space_arena, tn_bytes, 1), ==, TN_BYTES_UNKNOWN);
  g_assert_cmpstr(document->strategy, ==, "best");
  g_assert_cmpstr(document->lifetime_model, ==, "kernel");
  g_assert_cmpint(document->lower_bound_bytes, ==, 64);
  g_assert_cmpint(document->resident_bytes, ==, 3);
  g_assert_true(document->claims_optimal);
}

static TnPlanOutput
output_of(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  return (TnPlanOutput){
      .document = document,
      .device = device,
      .buffers = device->buffers,
      .strategy = document->strategy,
      .lifetime_model = document->lifetime_model,
      .lower_bound_bytes = document->lower_bound_bytes,
      .arena_bytes = device->arena_bytes,
      .resident_bytes = document->resident_bytes,
      .is_optimal = document->claims_optimal,
      .space_arena_bytes =
          device->space_arena ? (const tn_bytes *)(void *)device->space_arena->data : NULL,
      .n_spaces = device->space_names ? device->space_names->len : 1,
  };
}

static void
test_round_trip(void)
{
  g_autoptr(TnDocument) first = load_good(whole);
  check_whole(first);
  TnPlanOutput output = output_of(first);
  g_autofree char *text = tn_plan_build_json(&output);
  g_assert_nonnull(strstr(text, "\"bytes\": \"9007199254740993\""));
  g_autoptr(TnDocument) second = load_good(text);
  check_whole(second);
  output = output_of(second);
  g_autofree char *again = tn_plan_build_json(&output);
  g_assert_cmpstr(text, ==, again);
}

/* Streams, what makes them wait, who uses a buffer last on each, and what a compiler says of it. */
static void
test_streams(void)
{
  static const char text[] =
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 3, \"labels\": [\"a\", \"b\", "
      "\"c\"]}, \"streams\": {\"of_label\": [0, 7, 0], \"waits\": [[0, 1], [1, 2]]}, \"buffers\": ["
      "{\"id\": 0, \"start\": 0, \"end\": 3, \"bytes\": 4, \"op\": 0, \"stream\": 0, \"last_ops\": [1, 2], "
      "\"traits\": [\"zero-copy\", \"fixed-address\"]},"
      "{\"id\": 1, \"start\": 1, \"end\": 2, \"bytes\": 4, \"op\": 1, \"stream\": 7}]}";
  g_autoptr(TnDocument) first = load_good(text);
  TnPlanOutput output = output_of(first);
  g_autofree char *written = tn_plan_build_json(&output);
  g_autoptr(TnDocument) second = load_good(written);
  const TnDocument *const both[] = {first, second};
  for (gsize i = 0; i < G_N_ELEMENTS(both); i++) {
    const TnDevice *device = tn_document_get_device(both[i], 0);
    g_assert_cmpuint(g_array_index(both[i]->op_streams, uint32_t, 1), ==, 7);
    g_assert_cmpuint(both[i]->waits->len, ==, 2);
    g_assert_cmpuint(g_array_index(both[i]->waits, TnWait, 1).to, ==, 2);
    g_assert_cmpuint(device->last_uses->len, ==, 2);
    g_assert_cmpuint(g_array_index(device->last_uses, TnLastUse, 1).op, ==, 2);
    g_assert_cmpuint(tn_buffers_traits(device->buffers, 0), ==, TN_TRAIT_ZERO_COPY | TN_TRAIT_FIXED_ADDRESS);
    g_assert_cmpuint(tn_buffers_traits(device->buffers, 1), ==, 0);
    g_assert_cmpuint(tn_buffers_stream(device->buffers, 1), ==, 7);
  }
}

/* A snapshot without events has no ticks, but its buffers live for one. */
static void
test_empty_axis(void)
{
  g_autoptr(TnDocument) document = tn_document_new("t");
  TnDevice *device = tn_document_device(document, 0);
  device->buffers = tn_buffers_new();
  tn_buffers_add(device->buffers, 0, 1, 64, TN_KIND_BEFORE);
  TnPlanOutput output = output_of(document);
  g_autofree char *text = tn_plan_build_json(&output);
  g_autoptr(TnDocument) again = load_good(text);
  g_assert_cmpint(tn_document_get_device(again, 0)->axis_end, ==, 1);
}

static void
test_least(void)
{
  g_autoptr(TnDocument) document =
      load_good("{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 9},"
                "\"buffers\": [{\"id\": 5, \"start\": 0, \"end\": 9, \"bytes\": 0, \"op\": \"a\"},"
                "{\"id\": 6, \"start\": 0, \"end\": 9, \"bytes\": 0, \"op\": 12},"
                "{\"id\": 7, \"start\": 0, \"end\": 9, \"bytes\": 0, \"op\": \"a\"}]}");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpint(device->axis, ==, TN_AXIS_STEP);
  g_assert_cmpint(device->arena_bytes, ==, TN_BYTES_UNKNOWN);
  g_assert_null(device->space_names);
  g_assert_cmpuint(tn_buffers_op(device->buffers, 0), ==, 0);
  g_assert_cmpuint(tn_buffers_op(device->buffers, 2), ==, 0);
  g_assert_cmpstr(tn_strings_get(document->strings, tn_document_op_name(document, 1)), ==, "12");
  g_assert_cmpuint(tn_document_op_at(document, tn_document_get_device(document, 0), 0), ==, TN_NONE);
}

#define TOP "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 9}, \"buffers\": [\n"
#define ROW(id, rest) "{\"id\": " id ", \"start\": 0, \"end\": 9, \"bytes\": 4" rest "}"

static void
test_errors(void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"{\"format\": \"tenure-plan\"}",
       "t.json:1:1: found no key \"version\" in the plan, expected it"},
      {"{\"format\": \"tenure-plan\", \"version\": 2}",
       "t.json:1:38: version: found 2, expected 1"},
      {"{\"format\": \"tenure-plan\", \"version\": 1, \"buffers\": []}",
       "t.json:1:1: found no key \"axis\" in the plan, expected it"},
      {"{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {}, \"buffers\": []}",
       "t.json:1:1: found no key \"axis.end\" in the plan, expected it"},
      {"{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 1}}",
       "t.json:1:1: found no key \"buffers\" in the plan, expected it"},
      {"{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 1, \"unit\": \"day\"}}",
       "t.json:1:68: axis.unit: found \"day\", expected \"step\", \"event\" or \"us\""},
      {TOP "{\"id\": 1, \"start\": 0, \"end\": 9}]}",
       "t.json:2:1: buffers[0]: found no key \"bytes\", expected it"},
      {TOP "{\"start\": 0, \"end\": 9, \"bytes\": 1}]}",
       "t.json:2:1: buffers[0]: found no key \"id\", expected it"},
      {TOP ROW("1", "") ",\n" ROW("1", "") "]}",
       "t.json:3:1: buffers[1]: id: found 1, which buffers[0] has; expected another"},
      {TOP ROW("1", ", \"bytes\": -4") "]}", "t.json:2:54: bytes: found -4, expected at least 0"},
      {TOP ROW("1", ", \"start\": 9") "]}",
       "t.json:2:1: buffer 1: end: found 9, expected more than its start 9"},
      {TOP ROW("1", ", \"end\": 10") "]}",
       "t.json:2:1: buffers[0]: end: found 10, expected at most axis.end, 9"},
      {TOP ROW("1", ", \"alignment\": 0") "]}",
       "t.json:2:58: alignment: found 0, expected at least 1"},
      {TOP ROW("1", ", \"offset\": -2") "]}",
       "t.json:2:55: offset: found -2, expected at least -1"},
      {TOP ROW("1", ", \"offset\": \"9223372036854775807\"") "]}",
       "t.json:2:1: buffer 1: offset + bytes do not fit into 64 bits"},
      {TOP ROW("1", ", \"offset\": 1.5") "]}",
       "t.json:2:55: found 1.5, expected a whole number of at most 64 bits"},
      {TOP ROW("1", ", \"name\": \"a\", \"space\": 1") "]}",
       "t.json:2:1: buffers[0] \"a\": space: found 1, expected the number or the name of one of "
       "`spaces`"},
      {TOP ROW("1", ", \"space\": \"hbm\"") "], \"spaces\": [{\"name\": \"a\"}]}",
       "t.json:2:1: buffers[0] \"\": space: found \"hbm\", expected the number or the name of one "
       "of `spaces`"},
      {"{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 9, \"labels\": [\"a\"]}, "
       "\"buffers\": [\n" ROW("1", ", \"op\": \"b\"") "]}",
       "t.json:2:1: buffers[0] \"\": op: found \"b\", expected one of `axis.labels`"},
      {TOP ROW("1", ", \"flags\": [\"sticky\"]") "]}",
       "t.json:2:55: flags: found \"sticky\", expected a flag such as \"fixed\" or \"no-reuse\""},
      {TOP ROW("1", ", \"gaps\": [[1, 1]]") "]}",
       "t.json:2:54: gaps: expected [start, end] or [start, end, low, high], each low below its "
       "high"},
      {TOP ROW("1", ", \"gaps\": [[1, 10]]") "]}",
       "t.json:2:1: buffer 1: gaps: found [1, 10, …], expected gaps apart from one another, within "
       "the buffer's life and size"},
      {TOP ROW("1", ""), "t.json:2:44: found the end of the file, expected ',' or ']'"},
      {TOP ROW("1", "") "]} x", "t.json:2:47: found x, expected nothing after the document"},
      {TOP ROW("1", ", \"name\": \"abc"), "t.json:2:53: found a string that the file ends in, "
                                          "expected '\"' at its end"},
      {TOP "7]}", "t.json:2:1: found 7, expected an object"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load("t.json", rows[i].text, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, rows[i].message);
    g_assert_cmpuint(error->domain, ==, TN_DATA_ERROR);
  }
}

/* A plan cut anywhere is an error, never a crash, and never read as a whole one. */
static void
test_cut(void)
{
  for (gsize n = strlen(whole) - 2; n > 60; n--) {
    g_autofree char *text = g_strndup(whole, n);
    g_autoptr(GError) error = NULL;
    g_assert_null(load("t.json", text, &error));
    g_assert_nonnull(error);
  }
}

/* ---- CSV ------------------------------------------------------------------------------- */

static void
test_csv_round_trip(void)
{
  const char *text = "id,lower,upper,size,alignment,gaps,space,offset\n"
                     "\"a,\"\"b\",0,20,8,16,2-4@0:3 10-15,sram,32\n"
                     "c,3,9,100,1,,\"d,ram\",0\n";
  g_autoptr(TnDocument) document = load_good(text);
  TnPlanOutput output = output_of(document);
  g_autofree char *again = tn_plan_build_csv(&output);
  g_assert_cmpstr(again, ==, text);
}

static void
test_csv_least(void)
{
  g_autoptr(TnDocument) document = load_good("id,start,end,size\nx,0,3,4\n");
  TnPlanOutput output = output_of(document);
  g_autofree char *bare = tn_plan_build_csv(&output);
  g_assert_cmpstr(bare, ==, "id,lower,upper,size\nx,0,4,4\n");
  tn_bytes offset = 12;
  output.offset = &offset;
  g_autofree char *placed = tn_plan_build_csv(&output);
  g_assert_cmpstr(placed, ==, "id,lower,upper,size,offset\nx,0,4,4,12\n");
}

static void
test_csv_names(void)
{
  g_autoptr(TnDocument) document = load_good(TOP ROW("1", ", \"name\": \"conv\"") "," ROW(
      "2", ", \"name\": \"conv\"") "," ROW("3", "") "," ROW("4", ", \"name\": \"relu\"") "]}");
  TnPlanOutput output = output_of(document);
  g_autofree char *text = tn_plan_build_csv(&output);
  g_assert_cmpstr(text, ==,
                  "id,lower,upper,size\nconv#0,0,9,4\nconv#1,0,9,4\n#2,0,9,4\nrelu,0,9,4\n");
  /* Names that look as if they were made. */
  g_autoptr(TnDocument) made = load_good(TOP ROW("1", ", \"name\": \"a\"") "," ROW(
      "2", ", \"name\": \"a\"") "," ROW("3", ", \"name\": \"a#1\"") "," ROW("4", "") "," ROW(
      "5", ", \"name\": \"#3\"") "," ROW("6", ", \"name\": \"b\\nc\"") "," ROW(
      "7", ", \"name\": \"b c\"") "]}");
  output = output_of(made);
  g_autofree char *again = tn_plan_build_csv(&output);
  g_assert_cmpstr(again, ==,
                  "id,lower,upper,size\na#0,0,9,4\na#1#1,0,9,4\na#1,0,9,4\n#3#3,0,9,4\n#3,0,9,4\n"
                  "b c#5,0,9,4\nb c,0,9,4\n");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-document/json-ints", test_json_ints);
  g_test_add_func("/plan-document/json-strings", test_json_strings);
  g_test_add_func("/plan-document/json-numbers", test_json_numbers);
  g_test_add_func("/plan-document/json-depth", test_json_depth);
  g_test_add_func("/plan-document/json-append", test_json_append);
  g_test_add_func("/plan-document/round-trip", test_round_trip);
  g_test_add_func("/plan-document/streams", test_streams);
  g_test_add_func("/plan-document/empty-axis", test_empty_axis);
  g_test_add_func("/plan-document/least", test_least);
  g_test_add_func("/plan-document/errors", test_errors);
  g_test_add_func("/plan-document/cut", test_cut);
  g_test_add_func("/plan-document/csv-round-trip", test_csv_round_trip);
  g_test_add_func("/plan-document/csv-least", test_csv_least);
  g_test_add_func("/plan-document/csv-names", test_csv_names);
  return g_test_run();
}
