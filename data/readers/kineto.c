/* SPDX-License-Identifier: MIT */
/* Kineto's (torch.profiler's) Chrome trace with profile_memory=True: `[memory]` events with
 * addresses, or (2021) without, packed or not, of any size. */
#include "config.h"

#include "data/readers/kineto.h"

#include "data/error.h"
#include "data/hash.h"
#include "data/json.h"
#include "data/readers/json-stream.h"
#include "data/readers/readers.h"

#include <string.h>

#define MAX_OPS 3000000u /* 24 bytes each: what a trace of gigabytes may cost */
#define MAX_DEVICES 1024u

typedef struct {
  TnKineto kineto;
  TnJsonWindow window;
  GString *thread;
  GHashTable *device_rows; /* process, type and number → row of kineto.devices + 1 */
  int64_t n_events, n_damaged, n_of_other_devices;
} Reader;

typedef struct {
  TnJsonSlice ph, cat, name, ts, dur, pid, tid, args;
} Event;

static uint32_t
thread_of(Reader *reader, const Event *event)
{
  g_string_truncate(reader->thread, 0);
  g_string_append_len(reader->thread, (const char *)event->pid.from, (gssize)event->pid.length);
  g_string_append_c(reader->thread, '/');
  g_string_append_len(reader->thread, (const char *)event->tid.from, (gssize)event->tid.length);
  return tn_strings_intern(reader->kineto.document->strings, reader->thread->str,
                           (gssize)reader->thread->len);
}

/* ---- memory ---------------------------------------------------------------------------- */

/* O(devices): asked once for each of them. */
static uint32_t
rank_of(TnKineto *kineto, uint32_t process)
{
  for (guint i = 0; i < kineto->devices->len; i++) {
    const TnKinetoDevice *device = &g_array_index(kineto->devices, TnKinetoDevice, i);
    if (device->process == process)
      return device->rank;
  }
  return kineto->n_processes++;
}

/* The row of the device as this process sees it; TN_NONE where there are too many before it. */
static uint32_t
device_row(Reader *reader, TnJsonSlice pid, int16_t type, int16_t number)
{
  GArray *devices = reader->kineto.devices;
  uint32_t process =
      tn_strings_intern(reader->kineto.document->strings, (const char *)pid.from, (gssize)pid.length);
  gpointer key = GSIZE_TO_POINTER((gsize)process << 32 | (gsize)type << 16 | (uint16_t)number);
  uint32_t had = GPOINTER_TO_UINT(g_hash_table_lookup(reader->device_rows, key));
  if (had)
    return had - 1;
  if (devices->len >= MAX_DEVICES)
    return TN_NONE;
  TnKinetoDevice device = {
      type, number, process, rank_of(&reader->kineto, process), 0, NULL, INT64_MAX, -1, -1, -1};
  g_array_append_val(devices, device);
  g_hash_table_insert(reader->device_rows, key, GUINT_TO_POINTER(devices->len));
  return devices->len - 1;
}

typedef struct {
  int64_t type, device, bytes, allocated, reserved;
  uint64_t address;
  bool has_bytes, has_address;
} MemoryArgs;

static MemoryArgs
read_args(TnJsonSlice slice)
{
  MemoryArgs args = {.device = -1, .allocated = -1, .reserved = -1};
  const uint8_t *at = slice.from + 1, *end = slice.from + slice.length;
  TnJsonSlice key, value;
  while (slice.length && tn_json_member(&at, end, &key, &value) == TN_JSON_MEMBER) {
    if (tn_json_slice_is(key, "Bytes"))
      args.has_bytes = tn_json_slice_int(value, &args.bytes);
    else if (tn_json_slice_is(key, "Addr"))
      args.has_address = tn_json_slice_address(value, &args.address);
    else if (tn_json_slice_is(key, "Device Type"))
      tn_json_slice_int(value, &args.type);
    else if (tn_json_slice_is(key, "Device Id"))
      tn_json_slice_int(value, &args.device);
    else if (tn_json_slice_is(key, "Total Allocated"))
      tn_json_slice_int(value, &args.allocated);
    else if (tn_json_slice_is(key, "Total Reserved"))
      tn_json_slice_int(value, &args.reserved);
  }
  return args;
}

static void
add_memory(Reader *reader, const Event *event, bool is_oom)
{
  MemoryArgs args = read_args(event->args);
  TnKinetoMemory row = {.address = args.address,
                        .bytes = args.bytes,
                        .is_oom = is_oom,
                        .has_address = args.has_address && args.address != 0};
  tn_bytes before; /* allocated */
  if (!args.has_bytes || args.bytes == INT64_MIN ||
      !tn_add(args.allocated, -args.bytes, &before) || args.type < 0 || args.type > 127 ||
      args.device < -1 || args.device > 4095 || !tn_json_slice_thousandths(event->ts, &row.ns)) {
    reader->n_damaged++;
    return;
  }
  row.device = device_row(reader, event->pid, (int16_t)args.type, args.type == 0 ? -1 : (int16_t)args.device);
  if (row.device == TN_NONE) {
    reader->n_of_other_devices++;
    return;
  }
  row.thread = thread_of(reader, event);
  g_array_append_val(reader->kineto.memory, row);
  TnKinetoDevice *totals = &g_array_index(reader->kineto.devices, TnKinetoDevice, row.device);
  if (row.ns < totals->first_ns && args.allocated >= 0) { /* files are not in order of time */
    totals->first_ns = row.ns;
    totals->first_allocated = MAX(before, 0);
  }
  totals->peak_allocated = MAX(totals->peak_allocated, args.allocated);
  totals->peak_reserved = MAX(totals->peak_reserved, args.reserved);
}

/* ---- ops ------------------------------------------------------------------------------- */

static uint32_t
intern_name(Reader *reader, TnJsonSlice name)
{
  TnStrings *strings = reader->kineto.document->strings;
  if (name.length >= 2 && !memchr(name.from, '\\', name.length))
    return tn_strings_intern(strings, (const char *)name.from + 1, (gssize)name.length - 2);
  g_autofree char *text = tn_json_slice_dup_text(name);
  return tn_strings_intern(strings, text, -1);
}

static void
add_op(Reader *reader, const Event *event)
{
  TnKineto *kineto = &reader->kineto;
  bool is_annotation = tn_json_slice_is(event->cat, "\"user_annotation\"");
  if (!is_annotation && !tn_json_slice_is(event->cat, "\"cpu_op\"") &&
      !tn_json_slice_is(event->cat, "\"python_function\"") &&
      !tn_json_slice_is(event->cat, "\"Operator\""))
    return;
  TnKinetoOp op = {0};
  if (!tn_json_slice_thousandths(event->ts, &op.ns) ||
      !tn_json_slice_thousandths(event->dur, &op.duration))
    return;
  bool is_step = is_annotation && event->name.length > 14 &&
                 memcmp(event->name.from, "\"ProfilerStep#", 14) == 0;
  GArray *list = is_step ? kineto->steps : kineto->ops;
  if (list->len >= MAX_OPS) {
    kineto->n_ops_left_out++;
    return;
  }
  op.name = intern_name(reader, event->name);
  op.thread = thread_of(reader, event);
  g_array_append_val(list, op);
}

static void
add_event(Reader *reader, const Event *event)
{
  reader->n_events++;
  if (tn_json_slice_is(event->ph, "\"X\""))
    add_op(reader, event);
  else if (tn_json_slice_is(event->name, "\"[memory]\""))
    add_memory(reader, event, false);
  else if (tn_json_slice_is(event->name, "\"[OutOfMemory]\""))
    add_memory(reader, event, true);
}

/* ---- the file -------------------------------------------------------------------------- */

static void
set_field(Event *event, TnJsonSlice key, TnJsonSlice value)
{
  static const struct {
    char name[8];
    gsize offset;
  } fields[] = {{"ph", offsetof(Event, ph)},     {"ts", offsetof(Event, ts)},
                {"cat", offsetof(Event, cat)},   {"dur", offsetof(Event, dur)},
                {"pid", offsetof(Event, pid)},   {"tid", offsetof(Event, tid)},
                {"name", offsetof(Event, name)}, {"args", offsetof(Event, args)}};
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    if (strlen(fields[i].name) == key.length && memcmp(fields[i].name, key.from, key.length) == 0) {
      *(TnJsonSlice *)(void *)((char *)event + fields[i].offset) = value;
      return;
    }
}

/* One element, cut and told apart in one pass; read again where the window ends in it. */
static bool
read_element(Reader *reader)
{
  TnJsonWindow *window = &reader->window;
  TnJsonSlice key, value;
  if (tn_json_window_peek(window) != '{')
    return tn_json_window_value(window, &value);
  for (;;) {
    const uint8_t *at = window->at + 1;
    Event event = {0};
    TnJsonStep step;
    while ((step = tn_json_member(&at, window->end, &key, &value)) == TN_JSON_MEMBER)
      set_field(&event, key, value);
    if (step == TN_JSON_END) {
      add_event(reader, &event);
      window->at = at;
      return true;
    }
    if (step == TN_JSON_MALFORMED) {
      window->at = at;
      return tn_json_window_fail(window, TN_DATA_ERROR_MALFORMED,
                                 "found no member of an object behind here, expected "
                                 "\"key\": value");
    }
    if (!tn_json_window_more(window))
      return tn_json_window_fail(window, TN_DATA_ERROR_TRUNCATED,
                                 "found the end of the file in the middle of an event");
  }
}

static bool
read_events(Reader *reader)
{
  bool is_first = true;
  if (!tn_json_window_take(&reader->window, '[', "an array of events"))
    return false;
  while (tn_json_window_item(&reader->window, &is_first))
    if (!read_element(reader))
      return false;
  return !reader->window.has_failed;
}

/* "deviceProperties": [{"id": 0, "name": …, "totalGlobalMem": …}, …]. */
static void
read_devices(Reader *reader, TnJsonSlice list)
{
  const uint8_t *at = list.from, *end = list.from + list.length;
  while (at < end && (at = memchr(at, '{', (gsize)(end - at)))) {
    TnJsonSlice key, value;
    int64_t id = -1, bytes = -1;
    TnJsonStep step;
    at++;
    while ((step = tn_json_member(&at, end, &key, &value)) == TN_JSON_MEMBER)
      if (tn_json_slice_is(key, "id"))
        tn_json_slice_int(value, &id);
      else if (tn_json_slice_is(key, "totalGlobalMem"))
        tn_json_slice_int(value, &bytes);
    if (step != TN_JSON_END)
      return; /* a brace in a text: no list of devices */
    if (id >= 0 && id <= 4095 && bytes > 0)
      g_hash_table_insert(reader->kineto.device_bytes, GINT_TO_POINTER(id),
                          g_memdup2(&bytes, sizeof bytes));
  }
}

static bool
read_top_member(Reader *reader)
{
  TnJsonWindow *window = &reader->window;
  TnJsonSlice key, value;
  if (tn_json_window_peek(window) != '"')
    return tn_json_window_take(window, '"', "a key");
  if (!tn_json_window_value(window, &key))
    return false;
  bool is_events = tn_json_slice_is(key, "\"traceEvents\"");
  bool is_devices = tn_json_slice_is(key, "\"deviceProperties\"");
  bool is_base = tn_json_slice_is(key, "\"baseTimeNanoseconds\"");
  if (!tn_json_window_take(window, ':', "':'"))
    return false;
  if (is_events)
    return read_events(reader);
  if (!tn_json_window_value(window, &value))
    return false;
  if (is_devices)
    read_devices(reader, value);
  if (is_base)
    tn_json_slice_int(value, &reader->kineto.base_ns);
  return true;
}

static bool
read_top(Reader *reader)
{
  TnJsonWindow *window = &reader->window;
  if (tn_json_window_peek(window) == '[')
    return read_events(reader);
  if (!tn_json_window_take(window, '{', "an object or an array"))
    return false;
  if (tn_json_window_peek(window) == '}')
    return true;
  do
    if (!read_top_member(reader))
      return false;
  while (tn_json_window_peek(window) == ',' && ++window->at);
  return tn_json_window_take(window, '}', "',' or '}'");
}

static bool
fail_no_memory(const Reader *reader, const char *file, GError **error)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
              "%s: found a trace of %" G_GINT64_FORMAT " events without a [memory] event; expected "
              "one recorded with torch.profiler.profile(profile_memory=True)",
              file, reader->n_events);
  return false;
}

static void
warn(Reader *reader)
{
  TnDiagnostics *diagnostics = reader->kineto.document->diagnostics;
  if (reader->n_damaged)
    tn_diagnostics_add(diagnostics, "damaged-events", reader->n_damaged,
                       "%" G_GINT64_FORMAT " [memory] events lack a size, a device or a time and "
                       "were left out",
                       reader->n_damaged);
  if (reader->n_of_other_devices)
    tn_diagnostics_add(diagnostics, "too-many-devices", reader->n_of_other_devices,
                       "%" G_GINT64_FORMAT " [memory] events of devices beyond the first %u were "
                       "left out",
                       reader->n_of_other_devices, MAX_DEVICES);
  if (reader->kineto.n_ops_left_out)
    tn_diagnostics_add(diagnostics, "ops-left-out", reader->kineto.n_ops_left_out,
                       "%" G_GINT64_FORMAT " ops beyond the first %u were left out: allocations "
                       "inside of them have no call stack",
                       reader->kineto.n_ops_left_out, MAX_OPS);
}

static bool
finish(Reader *reader, bool is_good, GError *problem, const TnReadOptions *options, GError **error)
{
  TnKineto *kineto = &reader->kineto;
  bool is_cut = g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  if (!is_good && !(is_cut && options->is_partial_wanted && kineto->memory->len)) {
    if (is_cut && kineto->memory->len == 0)
      problem->code = TN_DATA_ERROR_MALFORMED; /* nothing to keep */
    g_propagate_error(error, problem);
    return false;
  }
  if (problem)
    tn_diagnostics_add(kineto->document->diagnostics, "truncated", 1,
                       "%s; what stands before it was read, the rest is missing", problem->message);
  g_clear_error(&problem);
  if (kineto->memory->len == 0)
    return fail_no_memory(reader, kineto->document->shown_path, error);
  warn(reader);
  tn_kineto_finish(kineto);
  return true;
}

static bool
read_trace(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {.kineto = {.document = document,
                              .memory = g_array_new(FALSE, FALSE, sizeof(TnKinetoMemory)),
                              .ops = g_array_new(FALSE, FALSE, sizeof(TnKinetoOp)),
                              .steps = g_array_new(FALSE, FALSE, sizeof(TnKinetoOp)),
                              .devices = g_array_new(FALSE, FALSE, sizeof(TnKinetoDevice)),
                              .device_bytes = g_hash_table_new_full(NULL, NULL, NULL, g_free)},
                   .thread = g_string_new(NULL),
                   .device_rows = g_hash_table_new(tn_direct64_hash, NULL)};
  GError *problem = NULL;
  document->producer = g_strdup("Kineto (torch.profiler)");
  tn_json_window_init(&reader.window, source, options->progress, &problem);
  bool is_good = read_top(&reader);
  tn_json_window_clear(&reader.window);
  is_good = finish(&reader, is_good, problem, options, error);
  g_array_unref(reader.kineto.memory);
  g_array_unref(reader.kineto.ops);
  g_array_unref(reader.kineto.steps);
  g_array_unref(reader.kineto.devices);
  g_hash_table_unref(reader.kineto.device_bytes);
  g_hash_table_unref(reader.device_rows);
  g_string_free(reader.thread, TRUE);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)65536), at = tn_text_start(data, n);
  if (at == n || (data[at] != '{' && data[at] != '['))
    return 0;
  if (memmem(data, n, "\"traceEvents\"", 13) ||
      (memmem(data, n, "\"schemaVersion\"", 15) && memmem(data, n, "\"deviceProperties\"", 18)))
    return 80;
  return memmem(data, n, "\"ph\"", 4) && memmem(data, n, "\"ts\"", 4) ? 60 : 0;
}

const TnReader tn_reader_kineto = {
    .name = "kineto",
    .holds = "torch.profiler trace (Chrome JSON) with [memory] events",
    .patterns = "*.pt.trace.json;*.pt.trace.json.gz;*.json;*.json.gz",
    .sniff = sniff,
    .read = read_trace,
    .reads_streams = true,
    .keeps_cut = true,
};
