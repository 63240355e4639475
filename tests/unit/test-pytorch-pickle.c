/* SPDX-License-Identifier: MIT */
/* PyTorch snapshots: every form that a pickle of one has. */
#include "config.h"

#include "tests/unit/pytorch-support.h"

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
  g_autoptr(TnDocument) document = load_text(4, "} 'device_traces' ] ] ( " ALLOC FREE
                                                " e a s 'segments' ] } 'total_size' 2097152 s a s");
  check_alloc_and_free(document);
  g_assert_cmpuint(tn_document_get_device(document, 0)->segments->len, ==, 1);
  g_autoptr(TnDocument) one = load_text(4, "} 'device_traces' ] ] } 'action' 'alloc' s a a s");
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
  g_autoptr(TnDocument) document =
      load_text(4, "} ( 'device_traces' ] ( ] m h0 h0 ] ( } ( 'action' 'alloc' 'size' 1 u e e u");
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
  } rows[] = {{"x8a09ffffffffffffffff00", 0}, {"L8:-1", 0},         {"-1", 0}, {"0", 0},
              {"2147483647", 2147483647},     {"L5:2147483648", 0}, {"N", 0},  {"f3.5", 0}};
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

/* Halves of a pool's id have 64 bits. */
static void
test_wide_pools(void)
{
  g_autoptr(TnDocument) document = load_text(
      4, "} ( 'device_traces' ] ( ] ( "
         "} ( 'action' 'alloc' 'addr' 1 'pool_id' 1 7 t2 m 'size' 1 u "
         "} ( 'action' 'alloc' 'addr' 2 'pool_id' 4294967297 7 t2 m 'size' 1 u "
         "} ( 'action' 'alloc' 'addr' 3 'pool_id' h0 'size' 1 u e e u");
  const TnDevice *device = tn_document_get_device(document, 0);
  const uint32_t *space = device->events.space;
  g_assert_cmpuint(space[0], !=, space[1]);
  g_assert_cmpuint(space[0], ==, space[2]);
  g_assert_cmpint(g_array_index(device->spaces, TnSpace, space[1]).pool[0], ==, 4294967297);
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
      "N",
      "T",
      "1",
      "-5",
      "L9:-1",
      "f2.5",
      "'text'",
      "x430161",
      "x42020000006162",
      ")",
      "1 t1",
      "1 2 t2",
      "1 'a' N t3",
      "( 1 2 3 4 t",
      "]",
      "] ( 1 'a' ] } e",
      "] ] a",
      "}",
      "} ( 'k' 1 'segments' ] 'device_traces' ] ( ] ( } ( 'action' 'alloc' u e e u",
      "} 'frames' ] } 'name' 'x' s a s",
      "x8f",
      "x8f ( 1 2 x90",
      "( 1 2 x91",
      "( 1 2 l",
      "( 'a' 1 d",
      "} ( 1 2 u",
      "} ( 1 2 t2 'tuple' N 'none' f1.0 ] u",
      "x8d010000000000000061",
      "x8e010000000000000061",
      "x8b00000000",
      "1 dup t2",
      "1 2 pop",
      "( 1 2 3 x31 N",
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
  static const char *const values[] = {"N", "f2.5", "'text'", ")", "]",
                                       "}", "x8f",  "L9:-1",  "T", "1 2 t2"};
  static const char *const keys[] = {"action",          "addr",       "size",    "stream",
                                     "time_us",         "frames",     "pool_id", "user_metadata",
                                     "compile_context", "device_free"};
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
  g_autofree char *negative =
      failure_of("} ( 'device_traces' ] ( ] ( } ( 'action' 'alloc' 'size' -1 u e e u",
                 TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(negative, "an event's size is -1; expected 0 or more bytes"));
  g_autofree char *huge = failure_of(
      "} ( 'segments' ] } 'total_size' x8a09ffffffffffffffff00 s a u", TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(huge, "2^63 or more"));
  g_autofree char *device =
      failure_of("} ( 'segments' ] } 'device' 5000 s a u", TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(device, "from 0 to 4095"));
}

/* Actions that a later version may write: kept, counted, of no effect.  The file's first strings
 * stand right behind the known ones in the string table. */
static void
test_unknown_actions(void)
{
  g_autoptr(TnDocument) document = load_text(
      4,
      "} ( 'device_traces' ] ( ] ( } ( 'action' 'new1' 'addr' 1 'size' 1 u } ( 'action' 'new2' u "
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
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
  g_test_add_func("/pytorch/wide-pools", test_wide_pools);
  g_test_add_func("/pytorch/many-spaces", test_many_spaces);
  g_test_add_func("/pytorch/unknown", test_unknown);
  g_test_add_func("/pytorch/odd-values", test_odd_values);
  g_test_add_func("/pytorch/unknown-actions", test_unknown_actions);
  g_test_add_func("/pytorch/history", test_history);
  g_test_add_func("/pytorch/annotations", test_annotations);
  return g_test_run();
}
