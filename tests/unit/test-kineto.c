/* SPDX-License-Identifier: MIT */
/* Kineto traces: with addresses and without, packed, cut off, and as no JSON at all. */
#include "config.h"

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "shared.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>

static TnDocument *
load(const char *text, bool is_partial, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", text, strlen(text));
  TnReadOptions options = {.is_partial_wanted = is_partial};
  return tn_document_load_source(source, &options, error);
}

#define MEMORY(ts, addr, bytes)                                                                    \
  "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":" #ts                            \
  ",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":" #addr ",\"Bytes\":" #bytes              \
  ",\"Total Allocated\":9000,\"Total Reserved\":20000}}"
#define OP(ts, dur, name)                                                                          \
  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts         \
  ",\"dur\":" #dur ",\"args\":{\"a\":[1,{\"b\":\"}]\\\"\"}]}}"

static const char trace[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"x\",\"totalGlobalMem\":16000}]"
    ","
    "\"traceEvents\":[" MEMORY(30.5, 4096, -512) "," OP(10, 15, "aten::\\u0063onv") "," OP(
        12,
        5,
        "aten::empty") "," MEMORY(13.25,
                                  4096,
                                  512) "," MEMORY(20,
                                                  8192,
                                                  1024) ","
                                                        "{\"ph\":\"X\",\"cat\":\"user_annotation\","
                                                        "\"name\":\"ProfilerStep#3\",\"pid\":1,"
                                                        "\"tid\":2,"
                                                        "\"ts\":19,\"dur\":9},"
                                                        "{\"ph\":\"i\",\"name\":\"[OutOfMemory]\","
                                                        "\"pid\":1,\"tid\":2,\"ts\":40,\"args\":{"
                                                        "\"Device "
                                                        "Type\":1,\"Device "
                                                        "Id\":0,\"Bytes\":99999}}],"
                                                        "\"baseTimeNanoseconds\":1000000,"
                                                        "\"traceName\":\"t\"}";

static const char *
frame_name(const TnDocument *document, uint32_t stack, uint32_t i)
{
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, stack, &n);
  g_assert_cmpuint(i, <, n);
  return tn_strings_get(document->strings, tn_stacks_frame(document->stacks, frames[i]).name);
}

static void
check_trace(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnEvents *events = &device->events;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_LOG);
  g_assert_cmpuint(events->n, ==, 4);
  g_assert_cmpint(device->total_bytes, ==, 16000);
  g_assert_cmpint(events->action[0], ==, TN_EVENT_ALLOC);
  g_assert_cmphex(events->address[0], ==, 4096);
  g_assert_cmpint(events->bytes[0], ==, 512);
  g_assert_cmpint(events->time_us[0], ==, 1013);
  g_assert_cmpint(events->action[2], ==, TN_EVENT_FREE);
  g_assert_cmpint(events->bytes[2], ==, 512);
  g_assert_cmpint(events->action[3], ==, TN_EVENT_OOM);
  g_assert_cmpstr(frame_name(document, events->stack[0], 0), ==, "aten::empty");
  g_assert_cmpstr(frame_name(document, events->stack[0], 1), ==, "aten::conv");
  g_assert_cmpstr(frame_name(document, events->stack[1], 0), ==, "aten::conv");
  g_assert_cmpuint(events->stack[2], ==, 0);
  g_assert_cmpuint(device->marks->len, ==, 2);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).kind, ==, TN_MARK_ITERATION);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).tick, ==, 1);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 1).requested, ==, 99999);
}

static void
test_addresses(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(trace, false, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "kineto");
  check_trace(document);
}

static void
test_without_addresses(void)
{
  g_autoptr(TnDocument) document =
      load("[{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"Device "
           "Type\":0,\"Device Id\":-1,\"Bytes\":8}},"
           "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":2,\"args\":{\"Device "
           "Type\":0,\"Device Id\":-1,\"Bytes\":8}},"
           "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":3,\"args\":{\"Device "
           "Type\":0,\"Device Id\":-1,\"Bytes\":-8}},"
           "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":4,\"args\":{\"Device "
           "Type\":0,\"Device Id\":-1,\"Bytes\":-16}}]",
           false, NULL);
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(b->n, ==, 3);
  g_assert_cmpint(b->end[0], ==, 4); /* never freed */
  g_assert_cmpint(b->end[1], ==, 2); /* the last of its size */
  g_assert_cmpint(b->bytes[2], ==, 16);
  g_assert_cmpint(b->start[2], ==, 0);
  g_assert_cmpint(b->flags[2], ==, TN_BUFFER_BEFORE);
  g_assert_cmpint(b->offset[0], ==, TN_NOT_PLACED);
}

/* From a packed file of more than one window, read without unpacking it whole. */
static void
test_packed(void)
{
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "tenure-kineto-XXXXXX", NULL);
  g_autofree char *padding = g_strnfill(3000, 'p');
  int fd = g_mkstemp(path);
  g_assert_cmpint(fd, >=, 0);
  gzFile out = gzdopen(fd, "wb1");
  const char *events = strstr(trace, "[{\"ph\"") + 1;
  gzwrite(out, trace, (unsigned)(events - trace));
  for (int i = 0; i < 4000; i++) /* 12 MB of what is of no interest */
    gzprintf(out, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"ts\":1,\"dur\":1},", padding);
  gzputs(out, events);
  gzclose(out);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_unlink(path);
  g_assert_no_error(error);
  check_trace(document);
}

/* Cut off after any byte: an error, or with consent what stands before. */
static void
test_cut(void)
{
  for (gsize n = 60; n < sizeof trace - 1; n++) {
    g_autofree char *head = g_strndup(trace, n);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", head, n);
    TnReadOptions options = {.format = "kineto"};
    g_autoptr(TnDocument) none = tn_document_load_source(source, &options, &error);
    g_assert_null(none);
    options.is_partial_wanted = true;
    g_autoptr(TnDocument) part = tn_document_load_source(source, &options, NULL);
    /* It says that a part can be had exactly where one can. */
    int code = part ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED;
    g_assert_error(error, TN_DATA_ERROR, code);
    g_assert_true(!part || tn_document_get_device(part, 0)->events.n <= 4);
  }
}

static void
test_bad(void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"{\"traceEvents\":[{\"ph\" 1}]}", "t.json: byte 17: found no member"},
      {"{\"traceEvents\":[{\"ph\":1} 2]}", "t.json: byte 25: found '2', expected ',' or ']'"},
      {"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1}]}",
       "t.json: found a trace of 1 events without a [memory] event"},
      {"{\"traceEvents\":5}", "t.json: byte 15: found '5', expected an array of events"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load(rows[i].text, false, &error));
    g_assert_nonnull(error);
    g_assert_true(g_str_has_prefix(error->message, rows[i].message));
  }
}

/* One [memory] event; `addr` as it stands in the file. */
static void
add_memory(GString *text, int type, int device, const char *ts, const char *addr)
{
  g_string_append_printf(text,
                         "%s{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":%s,"
                         "\"args\":{\"Device Type\":%d,\"Device Id\":%d,\"Addr\":%s,"
                         "\"Bytes\":8}}",
                         text->len ? "," : "[", ts, type, device, addr);
}

/* The last of a type, the one without a number of the next, and CUDA's are devices of their own. */
static void
test_devices_apart(void)
{
  static const int16_t rows[][2] = {{2, 4095}, {3, -1}, {1, 0}, {1, -1}, {0, -1}, {0, 0}};
  g_autoptr(GString) text = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    add_memory(text, rows[i][0], rows[i][1], "20", "4096");
  g_string_append(text, ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\","
                        "\"pid\":1,\"tid\":2,\"ts\":19,\"dur\":9}]");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(text->str, false, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(document->devices->len, ==, 5);
  for (uint32_t i = 0; i < 5; i++) { /* the host's two are one */
    const TnDevice *device = tn_document_get_device(document, i);
    g_assert_cmpuint(device->events.n, ==, i == 4 ? 2 : 1);
    g_assert_cmpuint(device->marks->len, ==, 1);
  }
  g_assert_cmpint(tn_document_get_device(document, 2)->ordinal, ==, 0);
  g_assert_cmpint(tn_document_get_device(document, 4)->ordinal, ==, -1);
}

/* Ranks merged into one trace have equal numbers and addresses: each has devices of its own. */
static void
test_processes(void)
{
#define OF_PROCESS(pid, ts, bytes)                                                                 \
  "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":" pid ",\"tid\":1,\"ts\":" #ts                        \
  ",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":4096,\"Bytes\":" #bytes "}}"
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load("{\"traceEvents\":[" OF_PROCESS("1", 1, 512) "," OF_PROCESS("\"b\"", 2, 1024) "," OF_PROCESS(
                                            "1", 3, -512) "," OF_PROCESS("\"b\"", 4, -1024) "]}",
                                        false, &error);
  g_assert_no_error(error);
  static const char *const names[] = {"cuda:0, process 1", "cuda:0, process b"};
  g_assert_cmpuint(document->devices->len, ==, G_N_ELEMENTS(names));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    const TnDevice *device = tn_document_get_device(document, i);
    g_assert_cmpint(device->ordinal, ==, (int32_t)i);
    g_assert_cmpstr(tn_strings_get(document->strings, device->name), ==, names[i]);
    g_assert_cmpuint(device->events.n, ==, 2);
    g_assert_cmpint(device->events.bytes[0], ==, 512 << i);
  }
}

static void
test_many_devices(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 1027; i++)
    add_memory(text, 1, i, "20", "4096");
  add_memory(text, 1, 7, "21", "8192");
  g_string_append_c(text, ']');
  g_autoptr(TnDocument) document = load(text->str, false, NULL);
  const TnWarning *warning = tn_diagnostics_get(document->diagnostics, 0);
  g_assert_cmpuint(document->devices->len, ==, 1024);
  g_assert_cmpuint(tn_document_get_device(document, 7)->events.n, ==, 2);
  g_assert_cmpstr(warning->code, ==, "too-many-devices");
  g_assert_cmpint(warning->count, ==, 3);
}

/* An op of 10 us that began longer ago than 64 bits of nanoseconds count has ended. */
static void
test_far_times(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  add_memory(text, 1, 0, "9000000000000000", "4096");
  g_string_append(text, "," OP(-9000000000000000, 10, "aten::long_ago") "]");
  g_autoptr(TnDocument) document = load(text->str, false, NULL);
  g_assert_cmpuint(tn_document_get_device(document, 0)->events.stack[0], ==, 0);
}

/* An address of more than 64 bits is none. */
static void
test_wide_address(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  add_memory(text, 1, 0, "20", "\"0xffffffffffffffff\"");
  add_memory(text, 1, 0, "21", "\"0x10000000000000000\"");
  add_memory(text, 1, 0, "22", "99999999999999999999");
  g_string_append_c(text, ']');
  g_autoptr(TnDocument) document = load(text->str, false, NULL);
  const TnEvents *events = &tn_document_get_device(document, 0)->events;
  g_assert_cmpuint(events->n, ==, 1);
  g_assert_cmphex(events->address[0], ==, UINT64_MAX);
  g_assert_cmpstr(tn_diagnostics_get(document->diagnostics, 0)->code, ==, "no-address");
}

/* The live peak, and the sum of the profiler's own totals, as computed by a script on the JSON. */
static void
test_samples(void)
{
  static const struct {
    const char *file;
    uint32_t device, n;
    tn_bytes peak, before;
  } rows[] = {{"samples/pytorch/hta_df_index_resolver.json.gz", 0, 26770, 2532893696, 4096614400},
              {"samples/pytorch/kineto_resnet50_w0.pt.trace.json.gz", 1, 4110, 2791636480, -1}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = shared_path(rows[i].file);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    TnStudyParams params = TN_STUDY_PARAMS_INIT;
    g_autoptr(GError) error = NULL;
    if (!path)
      return;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    const TnDevice *device = tn_document_get_device(document, rows[i].device);
    g_autoptr(TnStudy) study = tn_study_new(document, rows[i].device, &params, NULL, NULL);
    g_assert_cmpuint(rows[i].before >= 0 ? device->events.n : study->buffers->n, ==, rows[i].n);
    g_assert_cmpint(study->live->peak, ==, rows[i].peak);
    if (rows[i].before < 0)
      continue;
    const TnAccount *account = g_ptr_array_index(document->accounts, 0);
    g_assert_cmpint(tn_account_row(account->details, 0)->bytes, ==, rows[i].before + rows[i].peak);
    g_assert_cmpint(tn_account_row(account->details, 2)->bytes, ==, rows[i].before);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kineto/addresses", test_addresses);
  g_test_add_func("/kineto/without-addresses", test_without_addresses);
  g_test_add_func("/kineto/packed", test_packed);
  g_test_add_func("/kineto/cut", test_cut);
  g_test_add_func("/kineto/bad", test_bad);
  g_test_add_func("/kineto/devices-apart", test_devices_apart);
  g_test_add_func("/kineto/processes", test_processes);
  g_test_add_func("/kineto/many-devices", test_many_devices);
  g_test_add_func("/kineto/far-times", test_far_times);
  g_test_add_func("/kineto/wide-address", test_wide_address);
  g_test_add_func("/kineto/samples", test_samples);
  return g_test_run();
}
