/* SPDX-License-Identifier: MIT */
/* PyTorch snapshots: what real files must give, every form that the format has, and what is wrong. */
#include "config.h"

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "pickle-text.h"
#include "shared.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- loading ----------------------------------------------------------------------------------- */

static TnDocument *
load_bytes(const void *data, gsize size, bool is_partial, const char *format, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("memory", data, size);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.is_partial_wanted = is_partial;
  options.format = format;
  return tn_document_load_source(source, &options, error);
}

/* Loads a pickle that must be good. */
static TnDocument *
load_text(int protocol, const char *text)
{
  g_autoptr(GByteArray) bytes = pickle_new(protocol, text);
  g_autoptr(GError) error = NULL;
  TnDocument *document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  return document;
}

/* The message of a pickle that must fail with `code`; owned by the caller. */
static char *
failure_of(const char *text, TnDataError code)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, text);
  g_autoptr(GError) error = NULL;
  TnDocument *document = load_bytes(bytes->data, bytes->len, false, "pytorch", &error);
  g_assert_null(document);
  g_assert_error(error, TN_DATA_ERROR, (int)code);
  return g_strdup(error->message);
}

static TnStudy *
study_of(const TnDocument *document, uint32_t device)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, device, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static const TnEvents *
events_of(const TnDocument *document, uint32_t device)
{
  return &tn_document_get_device(document, device)->events;
}

static const char *
string_of(const TnDocument *document, uint32_t id)
{
  return tn_strings_get(document->strings, id);
}

/* ---- the oracle -------------------------------------------------------------------------------- */

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
  static const char *const folders[] = {"samples/pytorch", "samples/pytorch/edge", "samples/ascend"};
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

static char *
own_sample(void)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  return g_build_filename(root ? root : ".", "data", "samples", "transformer-oom.pickle", NULL);
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

/* ---- every form of the format ------------------------------------------------------------------- */

#define FRAMES "'frames' ] ( } ( 'filename' '/home/me/train.py' 'line' 12 'name' 'forward' u e"
#define ALLOC "} ( 'action' 'alloc' 'addr' 4096 'size' 1000 'stream' 0 'time_us' 50 " FRAMES " u "
#define FREE "} ( 'action' 'free_completed' 'addr' 4096 'size' 1000 'stream' 0 'time_us' 60 u "

static void
check_alloc_and_free(const TnDocument *document)
{
  const TnEvents *events = events_of(document, 0);
  g_assert_cmpuint(events->n, ==, 2);
  g_assert_cmpuint(events->action[0], ==, TN_EVENT_ALLOC);
  g_assert_cmpuint(events->action[1], ==, TN_EVENT_FREE);
  g_assert_cmpuint(events->address[0], ==, 4096);
  g_assert_cmpint(events->bytes[0], ==, 1000);
  g_assert_cmpint(events->time_us[1], ==, 60);
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, events->stack[0], &n);
  g_assert_cmpuint(n, ==, 1);
  TnFrame frame = tn_stacks_frame(document->stacks, frames[0]);
  g_assert_cmpstr(string_of(document, frame.file), ==, "/home/me/train.py");
  g_assert_cmpstr(string_of(document, frame.name), ==, "forward");
  g_assert_cmpint(frame.line, ==, 12);
  g_autoptr(TnStudy) study = study_of(document, 0);
  g_assert_cmpuint(study->buffers->n, ==, 1);
  g_assert_cmpint(study->buffers->bytes[0], ==, 1024);
  g_assert_cmpint(study->buffers->start[0], ==, 0);
  g_assert_cmpint(study->buffers->end[0], ==, 1);
}

static void
test_protocols(void)
{
  for (int protocol = 2; protocol <= 5; protocol++) {
    g_autoptr(TnDocument) document =
        load_text(protocol, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
    check_alloc_and_free(document);
  }
  static const int refused[] = {0, 1, 6, 255};
  for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
    g_autoptr(GByteArray) bytes = pickle_new(refused[i], "} ( 'segments' ] u");
    g_autoptr(GError) error = NULL;
    g_assert_null(load_bytes(bytes->data, bytes->len, false, "pytorch", &error));
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED);
  }
}

/* Python writes a batch of one item without MARK. */
static void
test_single_items(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} 'device_traces' ] ] ( " ALLOC FREE " e a s 'segments' ] } 'total_size' 2097152 s a s");
  check_alloc_and_free(document);
  g_assert_cmpuint(tn_document_get_device(document, 0)->segments->len, ==, 1);
  g_autoptr(TnDocument) one =
      load_text(4, "} 'device_traces' ] ] } 'action' 'alloc' s a a s");
  g_assert_cmpuint(events_of(one, 0)->n, ==, 1);
  g_assert_cmpuint(events_of(one, 0)->action[0], ==, TN_EVENT_ALLOC);
}

/* Every container memoized by protocol 4 before it is filled; keys by memo from the second on. */
static void
test_memoized(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} m ( 'segments' m ] m 'device_traces' m ] m ( ] m ( "
         "} m ( 'action' m 'alloc' m 'addr' m 4096 'size' m 1000 'stream' m 0 'time_us' m 50 "
         "'frames' m ] m ( } m ( 'filename' m '/home/me/train.py' m 'line' m 12 'name' m "
         "'forward' m u e u "
         "} m ( h7 'free_completed' m h9 4096 h10 1000 h11 0 h12 60 h13 h14 u e e u");
  check_alloc_and_free(document);
  const TnEvents *events = events_of(document, 0);
  g_assert_cmpuint(events->stack[1], ==, events->stack[0]);
}

/* 1000 + 1 items: two batches of one list. */
static void
test_batches(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "} m ( 'device_traces' m ] m ( ] m (");
  for (int i = 0; i < 1000; i++) {
    g_autofree char *event =
        g_strdup_printf("} ( 'action' 'alloc' 'addr' %d 'size' 512 u", (i + 1) * 512);
    pickle_add(bytes, 4, event);
  }
  pickle_add(bytes, 4, "e } ( 'action' 'free_completed' 'addr' 512 'size' 512 u a e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(events_of(document, 0)->n, ==, 1001);
  g_assert_cmpuint(events_of(document, 0)->action[1000], ==, TN_EVENT_FREE);
  g_autoptr(TnStudy) study = study_of(document, 0);
  g_assert_cmpint(study->live->peak, ==, 512000);
  g_assert_cmpint(study->live->peak_at, ==, 999);
}

/* The same event dict twice in a trace is two events; elsewhere it is none. */
static void
test_shared_events(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] ( } m ( 'action' 'alloc' 'addr' 512 'size' 100 'time_us' 7 u "
         "h0 } m ( 'action' 'free_completed' 'addr' 512 'size' 100 u h0 e ] h1 a e "
         "'worst' h0 'others' ] ( h0 h1 e 'segments' ] u");
  const TnEvents *events = events_of(document, 0);
  static const uint8_t actions[] = {TN_EVENT_ALLOC, TN_EVENT_ALLOC, TN_EVENT_FREE, TN_EVENT_ALLOC};
  g_assert_cmpmem(events->action, events->n, actions, sizeof actions);
  g_assert_cmpint(events->time_us[3], ==, 7);
  g_assert_cmpint(events->bytes[3], ==, 100);
  g_assert_cmpuint(events_of(document, 1)->n, ==, 1);
  g_assert_cmpuint(events_of(document, 1)->action[0], ==, TN_EVENT_FREE);
  g_assert_cmpuint(document->devices->len, ==, 2);
}

/* [[]] * 3 with one full trace after them: the devices keep their numbers. */
static void
test_shared_traces(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] m h0 h0 ] ( } ( 'action' 'alloc' 'size' 1 u e e u");
  g_assert_cmpuint(document->devices->len, ==, 4);
  g_assert_cmpuint(events_of(document, 0)->n, ==, 0);
  g_assert_cmpuint(events_of(document, 3)->n, ==, 1);
  g_assert_cmpint(tn_document_get_device(document, 3)->ordinal, ==, 3);
}

static void
test_integers(void)
{
  static const struct {
    const char *token;
    uint64_t address;
  } rows[] = {
      {"0", 0},
      {"255", 255},
      {"65535", 65535},
      {"2147483647", 2147483647},
      {"L6:140118000000000", 140118000000000},
      {"L8:9223372036854775807", 9223372036854775807u},
      {"x8a09ffffffffffffffff00", 18446744073709551615u},
      {"x8a0900000000000000f000", 17293822569102704640u},
      {"x8b0600000000007f000000", 8323072u},
      {"T", 1},
      {"x8a00", 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "} ( 'device_traces' ] ( ] ( } ( 'action' 'alloc' 'addr' %s 'size' 1 u e e u",
        rows[i].token);
    g_autoptr(TnDocument) document = load_text(4, text);
    g_assert_cmpuint(events_of(document, 0)->address[0], ==, rows[i].address);
    g_assert_cmpint(events_of(document, 0)->bytes[0], ==, 1);
  }
}

/* 2^64 - 1, which PyTorch writes for generated code, is an unknown line. */
static void
test_lines(void)
{
  static const struct {
    const char *token;
    int32_t line;
  } rows[] = {{"x8a09ffffffffffffffff00", 0}, {"L8:-1", 0}, {"-1", 0},     {"0", 0},
              {"2147483647", 2147483647},     {"L5:2147483648", 0}, {"N", 0}, {"f3.5", 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "} ( 'device_traces' ] ( ] ( } ( 'action' 'alloc' 'frames' ] } ( 'filename' 'a' 'line' %s "
        "'name' 'f' u a u e e u",
        rows[i].token);
    g_autoptr(TnDocument) document = load_text(4, text);
    uint32_t n, stack = events_of(document, 0)->stack[0];
    const uint32_t *frames = tn_stacks_get(document->stacks, stack, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpint(tn_stacks_frame(document->stacks, frames[0]).line, ==, rows[i].line);
  }
}

/* The C++ pickler: protocol 2, one batch of any length, BINPUT on strings, LONG1 of 8 bytes, what
 * is shared memoized after it is whole. */
static void
test_cpp_pickler(void)
{
  g_autoptr(TnDocument) document = load_text(
      2, "} ( 'segments' q0 ] ( } ( 'device' q1 0 'address' q2 L8:140000000000000 'total_size' q3 "
         "2097152 'stream' q4 L8:94000000000000 'segment_type' q5 'small' q6 'segment_pool_id' q7 "
         "0 3 t2 'is_expandable' q8 F 'blocks' q9 ] ( } ( 'address' L8:140000000000000 'size' q10 "
         "1024 'requested_size' q11 1000 'state' q12 'active_allocated' q13 'frames' q14 ] ( } ( "
         "'filename' q15 'm.cpp' q16 'name' q17 'run' q18 'line' q19 7 u q20 e q21 u e u e "
         "'device_traces' q22 ] ( ] ( } ( 'action' q23 'alloc' q24 'addr' q25 L8:140000000000000 "
         "h10 1000 'stream' L8:94000000000000 'time_us' q26 L8:1700000000000000 h14 h21 u "
         "} ( h23 'oom' q27 'device_free' q28 L8:5000000000 h10 L8:6000000000 h14 ] ( h20 e u e e "
         "u");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(device->events.n, ==, 2);
  g_assert_cmpuint(device->events.stack[0], !=, 0);
  g_assert_cmpuint(device->events.stack[0], ==, device->events.stack[1]);
  g_assert_cmpint(device->events.time_us[0], ==, 1700000000000000);
  g_assert_cmpuint(device->events.address[1], ==, 5000000000);
  g_assert_cmpint(device->events.bytes[1], ==, 6000000000);
  const TnSegment *segment = &g_array_index(device->segments, TnSegment, 0);
  g_assert_true(segment->is_small);
  const TnSpace *space = &g_array_index(device->spaces, TnSpace, segment->space);
  g_assert_cmpuint(space->stream, ==, 94000000000000);
  g_assert_cmpint(space->pool[0], ==, 0);
  g_assert_cmpint(space->pool[1], ==, 3);
  g_autoptr(TnStudy) study = study_of(document, 0);
  g_assert_cmpuint(study->buffers->n, ==, 1);
  g_assert_cmpint(study->buffers->bytes[0], ==, 1024);
  g_assert_cmpint(tn_buffers_requested(study->buffers, 0), ==, 1000);
}

/* Pool ids: TUPLE2, TUPLE with MARK, and the same tuple by memo. */
static void
test_pools(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] ( "
         "} ( 'action' 'alloc' 'addr' 1 'pool_id' 1 70000000000 t2 m 'size' 1 'stream' 9 u "
         "} ( 'action' 'alloc' 'addr' 2 'stream' 9 'size' 1 'pool_id' h0 u "
         "} ( 'action' 'alloc' 'addr' 3 'pool_id' ( 1 70000000000 t 'stream' 9 'size' 1 u "
         "} ( 'action' 'alloc' 'addr' 4 'pool_id' ) 'stream' 9 'size' 1 u "
         "} ( 'action' 'alloc' 'addr' 5 'size' 1 u e e u");
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnEvents *events = &device->events;
  g_assert_cmpuint(events->n, ==, 5);
  g_assert_cmpuint(events->space[0], ==, events->space[1]);
  g_assert_cmpuint(events->space[0], ==, events->space[2]);
  g_assert_cmpuint(events->space[3], !=, events->space[0]);
  g_assert_cmpuint(events->space[4], !=, events->space[3]);
  const TnSpace *space = &g_array_index(device->spaces, TnSpace, events->space[1]);
  g_assert_cmpint(space->pool[0], ==, 1);
  g_assert_cmpint(space->pool[1], ==, 70000000000);
  g_assert_cmpuint(space->stream, ==, 9);
}

/* Very many streams and pools cost no more than few, and stay apart. */
static void
test_many_spaces(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "} ( 'device_traces' ] ( ] (");
  for (int i = 0; i < 60000; i++) {
    g_autofree char *event = g_strdup_printf("} ( 'stream' %d u", i % 30000);
    pickle_add(bytes, 4, event);
  }
  pickle_add(bytes, 4, "e e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(device->spaces->len, ==, 30000);
  for (uint32_t i = 0; i < 60000; i++)
    g_assert_cmpuint(g_array_index(device->spaces, TnSpace, device->events.space[i]).stream, ==,
                     i % 30000);
}

/* Unknown keys, and values of every type, at every level; known ones around them are kept. */
static void
test_unknown(void)
{
  static const char *const values[] = {
      "N", "T", "1", "-5", "L9:-1", "f2.5", "'text'", "x430161", "x42020000006162",
      ")", "1 t1", "1 2 t2", "1 'a' N t3", "( 1 2 3 4 t", "]", "] ( 1 'a' ] } e", "] ] a",
      "}", "} ( 'k' 1 'segments' ] 'device_traces' ] ( ] ( } ( 'action' 'alloc' u e e u",
      "} 'frames' ] } 'name' 'x' s a s", "x8f", "x8f ( 1 2 x90", "( 1 2 x91", "( 1 2 l",
      "( 'a' 1 d", "} ( 1 2 u", "} ( 1 2 t2 'tuple' N 'none' f1.0 ] u", "x8d010000000000000061",
      "x8e010000000000000061", "x8b00000000", "1 dup t2", "1 2 pop", "( 1 2 3 x31 N",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    const char *v = values[i];
    g_autofree char *text = g_strdup_printf(
        "} ( 'user' %s 'segments' ] ( } ( 'odd' %s 'total_size' 2097152 'blocks' ] ( } ( 'odd' %s "
        "'size' 512 'state' 'inactive' u e 'address' 65536 u e 'device_traces' ] ( ] ( } ( 'odd' "
        "%s 'action' 'alloc' 'odd2' %s 'addr' 4096 'size' 1000 'time_us' 50 'frames' ] ( } ( "
        "'odd' %s 'filename' '/home/me/train.py' 'line' 12 'name' 'forward' u e 'odd3' %s u " FREE
        " e e 'last' %s u",
        v, v, v, v, v, v, v, v);
    g_test_message("%s", v);
    g_autoptr(TnDocument) document = load_text(4, text);
    check_alloc_and_free(document);
    const TnDevice *device = tn_document_get_device(document, 0);
    g_assert_cmpuint(device->segments->len, ==, 1);
    g_assert_cmpuint(g_array_index(device->segments, TnSegment, 0).address, ==, 65536);
    g_assert_cmpuint(device->blocks->len, ==, 1);
    g_assert_cmpuint(document->devices->len, ==, 1);
  }
}

/* Known keys with values of a type that they never have: left out, or refused with a sentence. */
static void
test_odd_values(void)
{
  static const char *const values[] = {"N", "f2.5", "'text'", ")", "]", "}", "x8f", "L9:-1", "T",
                                       "1 2 t2"};
  static const char *const keys[] = {"action", "addr", "size", "stream", "time_us", "frames",
                                     "pool_id", "user_metadata", "compile_context", "device_free"};
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++)
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
      g_autofree char *text = g_strdup_printf(
          "} ( 'device_traces' ] ( ] ( } ( '%s' %s 'x' 1 u e e u", keys[k], values[i]);
      g_autoptr(GByteArray) bytes = pickle_new(4, text);
      g_autoptr(GError) error = NULL;
      g_autoptr(TnDocument) document =
          load_bytes(bytes->data, bytes->len, false, "pytorch", &error);
      if (document)
        g_assert_cmpuint(events_of(document, 0)->n, ==, 1);
      else
        g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
    }
  g_autofree char *negative = failure_of(
      "} ( 'device_traces' ] ( ] ( } ( 'action' 'alloc' 'size' -1 u e e u",
      TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(negative, "an event's size is -1; expected 0 or more bytes"));
  g_autofree char *huge = failure_of(
      "} ( 'segments' ] } 'total_size' x8a09ffffffffffffffff00 s a u", TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(huge, "2^63 or more"));
  g_autofree char *device = failure_of("} ( 'segments' ] } 'device' 5000 s a u",
                                       TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(device, "from 0 to 4095"));
}

/* Actions that a later version may write: kept, counted, of no effect.  The file's first strings
 * stand right behind the known ones in the string table. */
static void
test_unknown_actions(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] ( } ( 'action' 'new1' 'addr' 1 'size' 1 u } ( 'action' 'new2' u "
         "} ( 'action' 'size' u } ( 'action' N u } ( 'addr' 5 u e e u");
  const TnEvents *events = events_of(document, 0);
  g_assert_cmpuint(events->n, ==, 5);
  for (uint32_t i = 0; i < 5; i++)
    g_assert_cmpuint(events->action[i], ==, TN_EVENT_OTHER);
  const TnWarning *warning = tn_diagnostics_get(document->diagnostics, 0);
  g_assert_cmpstr(warning->code, ==, "unknown-action");
  g_assert_cmpint(warning->count, ==, 4);
}

/* Torch 2.0: no addresses, no frames on blocks; a history with the newest first. */
static void
test_history(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "] ( } ( 'device' 1 'address' 1048576 'total_size' 2097152 'stream' 0 'segment_type' "
         "'large' 'blocks' ] ( "
         "} ( 'size' 1024 'state' 'active_allocated' 'history' ] ( } ( 'addr' 1048576 'real_size' "
         "900 'frames' ] } ( 'filename' 'new.py' 'line' 3 'name' 'f' u a u } ( 'addr' 1048576 "
         "'real_size' 77 'frames' ] } ( 'filename' 'old.py' 'line' 4 'name' 'g' u a u e u "
         "} ( 'size' 512 'state' 'inactive' 'history' ] } ( 'addr' 1049600 'real_size' 500 u a u "
         "} ( 'size' 2048 'state' 'active_pending_free' u e u e");
  g_assert_cmpuint(document->devices->len, ==, 1);
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpint(device->ordinal, ==, 1);
  g_autoptr(TnStudy) study = study_of(document, 0);
  const TnBuffers *b = study->buffers;
  g_assert_cmpuint(b->n, ==, 2);
  g_assert_cmpint(b->bytes[0], ==, 1024);
  g_assert_cmpint(tn_buffers_requested(b, 0), ==, 900);
  g_assert_cmpint(b->offset[0], ==, 1048576);
  g_assert_cmpint(b->offset[1], ==, 1048576 + 1024 + 512);
  g_assert_cmpint(study->live->peak, ==, 3072);
  g_assert_cmpint(study->axis_end, ==, 1);
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, tn_buffers_stack(b, 0), &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(string_of(document, tn_stacks_frame(document->stacks, frames[0]).file), ==,
                  "new.py");
}

static void
test_annotations(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'segments' ] 'device_traces' ] ] ( } ( 'action' 'alloc' 'addr' 1 'size' 1 'time_us' "
         "100 'user_metadata' 'mine' u } ( 'action' 'alloc' 'addr' 2 'size' 1 'time_us' 200 "
         "'compile_context' 'N/A' u } ( 'action' 'snapshot' 'addr' 0 'size' 2 'time_us' 300 u e a "
         "'external_annotations' ] ( } ( 'stage' 'START' 'name' 'ProfilerStep#3' 'device' 0 "
         "'time_us' 150 u } ( 'stage' 'START' 'name' 'fwd' 'device' 0 'time_us' 90 u } ( 'stage' "
         "'END' 'name' 'ProfilerStep#3' 'device' 0 'time_us' 250 u } ( 'stage' 'END' 'name' 'fwd' "
         "'device' 0 'time_us' 150 u } ( 'stage' 'END' 'name' 'stray' 'device' 0 'time_us' 1 u } ( "
         "'stage' 'START' 'name' 'far' 'device' 7 'time_us' 1 u e "
         "'allocator_settings' } ( 'max_split_size' -1 'garbage_collection_threshold' f0.5 "
         "'PYTORCH_CUDA_ALLOC_CONF' 'expandable_segments:True' 'expandable_segments' T "
         "'roundup_power2_divisions' } '1' 0 s u u");
  const GArray *marks = tn_document_get_device(document, 0)->marks;
  g_assert_cmpuint(marks->len, ==, 3);
  const TnMark *fwd = &g_array_index(marks, TnMark, 0), *step = &g_array_index(marks, TnMark, 1);
  g_assert_cmpstr(string_of(document, fwd->text), ==, "fwd");
  g_assert_cmpint(fwd->kind, ==, TN_MARK_ANNOTATION);
  g_assert_cmpint(fwd->tick, ==, 0);
  g_assert_cmpint(fwd->end, ==, 1);
  g_assert_cmpint(step->kind, ==, TN_MARK_ITERATION);
  g_assert_cmpint(step->tick, ==, 1);
  g_assert_cmpint(step->end, ==, 2);
  g_assert_cmpint(g_array_index(marks, TnMark, 2).kind, ==, TN_MARK_SNAPSHOT);
  g_assert_cmpstr(string_of(document, events_of(document, 0)->note[0]), ==, "mine");
  g_assert_cmpuint(events_of(document, 0)->note[1], ==, 0);
  g_assert_cmpstr(g_hash_table_lookup(document->settings, "max_split_size"), ==, "-1");
  g_assert_cmpstr(g_hash_table_lookup(document->settings, "garbage_collection_threshold"), ==,
                  "0.5");
  g_assert_cmpstr(g_hash_table_lookup(document->settings, "PYTORCH_CUDA_ALLOC_CONF"), ==,
                  "expandable_segments:True");
}

/* ---- containers --------------------------------------------------------------------------------- */

static void
test_trailing_bytes(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_byte_array_append(bytes, (const guint8 *)"\0\0\0", 3);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  check_alloc_and_free(document);
}

static void
test_html(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_autofree char *base64 = g_base64_encode(bytes->data, bytes->len);
  g_autofree char *page = g_strdup_printf(
      "<!DOCTYPE html>\n<html><head></head><body><script type=\"module\">\nimport {add_local_files}"
      " from \"x\"\nconst local_files = [{\"name\": \"snapshot.pickle\", \"base64\": \"%s\"}]\n"
      "add_local_files(local_files, \"Active Memory Timeline\")\n</script></body>\n",
      base64);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(page, strlen(page), false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "pytorch-html");
  check_alloc_and_free(document);
  char *bad = strstr(page, base64) + 8;
  *bad = '!';
  g_assert_null(load_bytes(page, strlen(page), false, NULL, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
}

static const char json_snapshot[] =
    "{\"segments\": [{\"device\": 0, \"address\": 18446744073709551104, \"total_size\": 512,"
    " \"segment_pool_id\": [0, 1], \"odd\": [[[{\"a\": null}]]], \"blocks\": [{\"size\": 512,"
    " \"state\": \"inactive\", \"requested_size\": 0}]}],\n"
    " \"device_traces\": [[{\"action\": \"alloc\", \"addr\": 4096, \"size\": 1000, \"stream\": 0,"
    " \"time_us\": 50, \"frames\": [{\"filename\": \"/home/me/train.py\", \"line\": 12, \"name\":"
    " \"forward\"}]}, {\"action\": \"free_completed\", \"addr\": 4096, \"size\": 1000,"
    " \"time_us\": 60, \"frames\": []}]]}";

static void
test_json(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document =
      load_bytes(json_snapshot, strlen(json_snapshot), false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "pytorch-json");
  check_alloc_and_free(document);
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnSegment *segment = &g_array_index(device->segments, TnSegment, 0);
  g_assert_cmpuint(segment->address, ==, 18446744073709551104u);
  g_assert_cmpint(g_array_index(device->spaces, TnSpace, segment->space).pool[1], ==, 1);
}

static void
test_json_truncated(void)
{
  gsize whole = strlen(json_snapshot);
  for (gsize n = 1; n < whole; n++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load_bytes(json_snapshot, n, false, "pytorch-json", &error));
    g_assert_true(error->domain == TN_DATA_ERROR);
    g_autoptr(TnDocument) part = load_bytes(json_snapshot, n, true, "pytorch-json", NULL);
    if (n > 300 && !part)
      g_error("a cut at byte %zu gave nothing", n);
  }
}

static GByteArray *
gzip(const guint8 *data, gsize size)
{
  z_stream z = {0};
  g_assert_cmpint(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  GByteArray *out = g_byte_array_new();
  g_byte_array_set_size(out, (guint)deflateBound(&z, size) + 64);
  z.next_in = (Bytef *)(uintptr_t)data;
  z.avail_in = (uInt)size;
  z.next_out = out->data;
  z.avail_out = out->len;
  g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size(out, (guint)z.total_out);
  deflateEnd(&z);
  return out;
}

static char *own_sample(void);

/* Gzip is opened by the source, so it takes a file. */
static void
test_gzip(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_autoptr(GByteArray) packed = gzip(bytes->data, bytes->len);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp("tenure-XXXXXX.pickle.gz", &path, &error);
  g_assert_no_error(error);
  close(fd);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  for (guint cut = 0; cut < 2; cut++) {
    g_assert_true(g_file_set_contents(path, (const char *)packed->data,
                                      (gssize)(packed->len - cut * 9), NULL));
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    if (cut == 0) {
      g_assert_no_error(error);
      check_alloc_and_free(document);
    } else {
      g_assert_null(document);
      g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
    }
  }
  /* A part of the sample, packed: what came before the cut is read where that is wanted. */
  g_autofree char *sample = own_sample(), *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(sample, &text, &size, NULL));
  g_autoptr(GByteArray) whole = gzip((const guint8 *)text, size);
  g_assert_true(g_file_set_contents(path, (const char *)whole->data, whole->len / 2, NULL));
  options.is_partial_wanted = true;
  g_clear_error(&error);
  g_autoptr(TnDocument) part = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(events_of(part, 0)->n, >, 500);
  g_assert_cmpuint(events_of(part, 0)->n, <, 4587);
  g_assert_cmpstr(tn_diagnostics_get(part->diagnostics, 0)->code, ==, "truncated");
  /* Damage is no cut. */
  memset(whole->data + 100, 0xff, 50);
  g_assert_true(g_file_set_contents(path, (const char *)whole->data, whole->len, NULL));
  g_assert_null(tn_document_load(path, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  g_remove(path);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void
test_refused_opcodes(void)
{
  static const struct {
    const char *token, *name;
  } rows[] = {
      {"x636f730a73797374656d0a", "GLOBAL"},
      {"'os' 'system' x93", "STACK_GLOBAL"},
      {"} ) R", "REDUCE"},
      {"} } b", "BUILD"},
      {"} ) x81", "NEWOBJ"},
      {"} ) } x92", "NEWOBJ_EX"},
      {"( x696f730a73797374656d0a", "INST"},
      {"( 'a' o", "OBJ"},
      {"x50616263 x0a", "PERSID"},
      {"1 Q", "BINPERSID"},
      {"x8201", "EXT1"},
      {"x830100", "EXT2"},
      {"x8401000000", "EXT4"},
      {"x97", "NEXT_BUFFER"},
      {"'a' x98", "READONLY_BUFFER"},
      {"x96010000000000000061", "BYTEARRAY8"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("} ( 'segments' ] 'x' %s u", rows[i].token);
    g_autofree char *message = failure_of(text, TN_DATA_ERROR_REFUSED);
    g_autofree char *part = g_strdup_printf("found opcode %s, which", rows[i].name);
    g_assert_nonnull(strstr(message, part));
    g_assert_nonnull(strstr(message, "byte "));
    g_assert_nonnull(strstr(message, "nothing in it was run"));
  }
  /* Of protocol 0 only: I S L F V g p. */
  static const char *const old[] = {"x49", "x53", "x4c", "x46", "x56", "x67", "x70"};
  for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
    g_free(failure_of(old[i], TN_DATA_ERROR_UNSUPPORTED));
}

static void
test_malformed(void)
{
  static const struct {
    const char *text, *says;
  } rows[] = {
      {"u", "without a MARK"},
      {"e", "without a MARK"},
      {"t", "without a MARK"},
      {"( u", "what is no dict"},
      {"] ( 1 2 u", "what is no dict"},
      {"} ( 1 2 e", "what is no list"},
      {"} ( 1 u", "a key without a value"},
      {"1 2 s", "SETITEM without"},
      {"1 a", "APPEND without"},
      {"1 2 a", "what is no list"},
      {"m", "empty stack"},
      {"dup", "empty stack"},
      {"pop", "without a MARK"},
      {"t1", "more values than there are"},
      {"1 t2", "more values than there are"},
      {"1 ( 2 3 t3", "more values than there are"},
      {"h0", "never filled"},
      {"j7", "never filled"},
      {"1 2 3 4 q6 h5", "never filled"},
      {"1 q9", "expected about 0"},
      {"1 r70000", "expected about 0"},
      {"1 r4000000000", "expected about 0"},
      {"x00", "no pickle opcode"},
      {"xff", "no pickle opcode"},
      {"x8dffffffffffffffff", "a length of 18446744073709551615 bytes"},
      {"x8dffffffffffffff7f", "a length of 9223372036854775807 bytes"},
      {"x8e0000000000010000", "a length of 1099511627776 bytes"},
      {"} ( 'segments' 1 u", "neither 'segments' nor 'device_traces'"},
      {"}", "neither 'segments' nor 'device_traces'"},
      {"N", "neither 'segments' nor 'device_traces'"},
      {"] ( 1 2 3 e", "a list without a segment"},
      {"] ( } ( 'a' 1 u e", "a list without a segment"},
      {"] 'x' a", "a list without a segment"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].text);
    bool is_long = strstr(rows[i].text, "x8e0000000000010000") != NULL;
    g_autofree char *message =
        failure_of(rows[i].text, is_long ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED);
    if (!is_long && !strstr(message, rows[i].says))
      g_error("%s: %s", rows[i].text, message);
  }
  /* A list of segments may be empty. */
  g_autoptr(TnDocument) empty = load_text(4, "]");
  g_assert_cmpuint(empty->devices->len, ==, 1);
}

/* Memo slots grow with the file: a small file can't ask for a large memo. */
static void
test_memo_leaps(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "N");
  for (guint i = 1; i < 2000; i++) {
    g_autofree char *leap = g_strdup_printf("r%u", i * 65536);
    pickle_add(bytes, 4, leap);
  }
  g_autoptr(GError) error = NULL;
  g_assert_null(load_bytes(bytes->data, bytes->len, false, "pytorch", &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(error->message, "byte 3: found memo slot 65536; expected about 0"));
}

/* Two lists of frames filled in turns: the work stays bounded. */
static void
test_frames_in_turns(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "} ( 'device_traces' ] ( ] ( } ( 'frames' ] m ( } m ( 'name' 'f' u e u "
                       "} ( 'frames' ] m ( h1 e 'x' (");
  for (int i = 0; i < 30000; i++)
    pickle_add(bytes, 4, "h0 h1 a h2 h1 a");
  pickle_add(bytes, 4, "t u e e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(events_of(document, 0)->n, ==, 2);
}

static void
test_too_many_traces(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "} ( 'device_traces' ] (");
  for (int i = 0; i < 100000; i++)
    pickle_byte(bytes, ']');
  pickle_add(bytes, 4, "e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(document->devices->len, ==, 4096);
  g_assert_cmpstr(tn_diagnostics_get(document->diagnostics, 0)->code, ==, "too-many-devices");
  g_assert_cmpint(tn_diagnostics_get(document->diagnostics, 0)->count, ==, 100000 - 4096);
}

/* ---- cut and mutated ---------------------------------------------------------------------------- */

/* Every prefix fails with the place named; with partial reading wanted it gives a document as soon
 * as anything of use was read, and its lives can be computed. */
static void
check_cuts(const guint8 *data, gsize size, gsize step, gsize useful_from)
{
  for (gsize n = 2; n < size; n += step) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load_bytes(data, n, false, "pytorch", &error));
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
    g_assert_nonnull(strstr(error->message, "memory: byte "));
    gsize byte = (gsize)g_ascii_strtoull(strstr(error->message, "byte ") + 5, NULL, 10);
    g_assert_cmpuint(byte, <, n);
    g_autoptr(GError) nothing = NULL;
    g_autoptr(TnDocument) part = load_bytes(data, n, true, "pytorch", &nothing);
    if (n >= useful_from)
      g_assert_no_error(nothing);
    if (!part) {
      g_assert_error(nothing, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
      continue;
    }
    g_assert_cmpuint(tn_diagnostics_length(part->diagnostics), >=, 1);
    g_assert_cmpstr(tn_diagnostics_get(part->diagnostics, 0)->code, ==, "truncated");
    tn_study_unref(study_of(part, 0));
  }
}

static void
test_truncated(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(
      4, "} m ( 'device_traces' m ] m ( ] m ( " ALLOC FREE " e e 'segments' ] ( } ( 'total_size' "
         "2097152 'segment_pool_id' 0 0 t2 'blocks' ] ( } ( 'size' 512 'state' 'active_allocated' "
         "'requested_size' L5:400 u e u e 'x' x8d010000000000000061 'y' f1.5 u");
  check_cuts(bytes->data, bytes->len, 1, 24);
}

static void
test_truncated_sample(void)
{
  g_autofree char *path = own_sample();
  g_autofree char *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(path, &text, &size, NULL));
  /* A prime step: cuts fall into every kind of place. */
  check_cuts((const guint8 *)text, size, g_test_slow() ? 1 : 251, size);
}

static const char *const seeds[] = {
    "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u",
    "} m ( 'device_traces' m ] m ( ] m ( } m ( 'action' m 'alloc' m 'addr' m 4096 'size' m 1000 "
    "'frames' m ] m ( } m ( 'filename' m 'a' m 'line' m 12 'name' m 'f' m u e u } m ( h4 h5 h6 "
    "8192 h7 512 h8 h9 u } ( h4 'oom' 'device_free' 7 h7 9 u h3 h10 e e 'segments' ] ( } ( "
    "'device' 0 'address' 4096 'total_size' 8192 'segment_pool_id' 0 1 t2 m 'blocks' ] ( } ( "
    "'size' 512 'state' 'active_allocated' 'requested_size' 100 u } ( 'size' 512 'state' "
    "'inactive' u e u e 'external_annotations' ] ( } ( 'stage' 'START' 'name' 'step 1' 'time_us' "
    "1 u } ( 'stage' 'END' 'name' 'step 1' 'time_us' 3 u e 'allocator_settings' } 'a' 1 s u",
    "] ( } ( 'device' 1 'address' 1048576 'total_size' 2097152 'blocks' ] ( } ( 'size' 1024 "
    "'state' 'active_allocated' 'history' ] ( } ( 'addr' 1 'real_size' 9 'frames' ] } 'name' 'x' s "
    "a u } ( 'real_size' 77 u e u e u e",
};

static void
mutate(GByteArray *bytes)
{
  static const guint8 juicy[] = {'}', ']', '(', ')', 'u', 's', 'e', 'a', 't', '.', 'h', 'q', 'j',
                                 'r', '0', '1', '2', 'N', 0x85, 0x86, 0x87, 0x94, 0x8a, 0x8c, 0xff};
  int n = g_test_rand_int_range(1, 5);
  for (int i = 0; i < n; i++) {
    guint at = (guint)g_test_rand_int_range(2, (gint32)bytes->len);
    switch (g_test_rand_int_range(0, 5)) {
    case 0:
      bytes->data[at] = (guint8)g_test_rand_int_range(0, 256);
      break;
    case 1:
      bytes->data[at] = juicy[g_test_rand_int_range(0, G_N_ELEMENTS(juicy))];
      break;
    case 2:
      bytes->data[at] ^= (guint8)(1 << g_test_rand_int_range(0, 8));
      break;
    case 3: {
      guint from = (guint)g_test_rand_int_range(2, (gint32)bytes->len);
      guint m = (guint)g_test_rand_int_range(1, 24);
      m = MIN(m, bytes->len - MAX(at, from));
      memmove(bytes->data + at, bytes->data + from, m);
      break;
    }
    default:
      if (bytes->len > 8)
        g_byte_array_remove_range(bytes, at, MIN(bytes->len - at, 3));
    }
    if (bytes->len < 4)
      g_byte_array_append(bytes, juicy, 8);
  }
}

/* Whatever the bytes: a document whose lives and pictures can be computed, or an error. */
static void
test_mutations(void)
{
  uint32_t good = 0;
  for (int round = 0; round < 6000; round++) {
    g_autoptr(GByteArray) bytes = pickle_new(round % 2 ? 4 : 2, seeds[round % 3]);
    mutate(bytes);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document =
        load_bytes(bytes->data, bytes->len, round % 4 == 0, "pytorch", &error);
    g_assert_true((document != NULL) != (error != NULL));
    if (!document)
      continue;
    for (guint i = 0; i < document->devices->len; i++) {
      TnStudyParams params = TN_STUDY_PARAMS_INIT;
      g_autoptr(TnStudy) study = tn_study_new(document, i, &params, NULL, NULL);
      if (study)
        tn_study_prepare(study, TN_GROUP_AUTO, NULL);
    }
    good++;
  }
  g_test_message("%u of 6000 mutations were still snapshots", good);
  g_assert_cmpuint(good, >, 100);
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
  g_test_add_func("/pytorch/protocols", test_protocols);
  g_test_add_func("/pytorch/single-items", test_single_items);
  g_test_add_func("/pytorch/memoized", test_memoized);
  g_test_add_func("/pytorch/batches", test_batches);
  g_test_add_func("/pytorch/shared-events", test_shared_events);
  g_test_add_func("/pytorch/shared-traces", test_shared_traces);
  g_test_add_func("/pytorch/integers", test_integers);
  g_test_add_func("/pytorch/lines", test_lines);
  g_test_add_func("/pytorch/cpp-pickler", test_cpp_pickler);
  g_test_add_func("/pytorch/pools", test_pools);
  g_test_add_func("/pytorch/many-spaces", test_many_spaces);
  g_test_add_func("/pytorch/unknown", test_unknown);
  g_test_add_func("/pytorch/odd-values", test_odd_values);
  g_test_add_func("/pytorch/unknown-actions", test_unknown_actions);
  g_test_add_func("/pytorch/history", test_history);
  g_test_add_func("/pytorch/annotations", test_annotations);
  g_test_add_func("/pytorch/trailing-bytes", test_trailing_bytes);
  g_test_add_func("/pytorch/html", test_html);
  g_test_add_func("/pytorch/json", test_json);
  g_test_add_func("/pytorch/json-truncated", test_json_truncated);
  g_test_add_func("/pytorch/gzip", test_gzip);
  g_test_add_func("/pytorch/refused-opcodes", test_refused_opcodes);
  g_test_add_func("/pytorch/malformed", test_malformed);
  g_test_add_func("/pytorch/memo-leaps", test_memo_leaps);
  g_test_add_func("/pytorch/frames-in-turns", test_frames_in_turns);
  g_test_add_func("/pytorch/too-many-traces", test_too_many_traces);
  g_test_add_func("/pytorch/truncated", test_truncated);
  g_test_add_func("/pytorch/truncated-sample", test_truncated_sample);
  g_test_add_func("/pytorch/mutations", test_mutations);
  g_test_add_func("/pytorch/sum-overflow", test_sum_overflow);
  g_test_add_func("/pytorch/cancelled", test_cancelled);
  return g_test_run();
}
