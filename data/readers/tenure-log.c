/* SPDX-License-Identifier: MIT */
/* Our own log, one JSON object a line (data/tenure-log-writer.h writes it): a first line that says
 * what it is, then events.  A last line that a crash cut off is left out with a warning. */
#include "config.h"

#include "data/error.h"
#include "data/json.h"
#include "data/readers/json-stream.h"
#include "data/readers/log-blocks.h"
#include "data/readers/readers.h"

#include <string.h>

#define MAX_FRAMES 512

typedef struct {
  TnJson json;
  TnSource *source;
  TnDocument *document;
  TnProgress *progress;
  const uint8_t *next_report;
  const uint8_t *counted; /* up to here lines are counted */
  uint32_t line;          /* in which it lies, from 1 */
  bool is_single_threaded;
} Reader;

/* A line's members, as far as they are there. */
typedef struct {
  const uint8_t *place;
  int action; /* TnEventAction; -1: a mark */
  bool has_event, has_address, has_bytes, has_stream, has_device;
  uint64_t address, stream, waited; /* waited: the stream that another one waits for */
  int64_t bytes, requested, device_free, device, time_us;
  uint32_t name, text, pool, stack, thread;
} Line;

static const struct {
  const char *name;
  int action;
  bool needs_address, needs_bytes;
} kinds[] = {{"alloc", TN_EVENT_ALLOC, true, true},
             {"free", TN_EVENT_FREE, true, false},
             {"segment_alloc", TN_EVENT_SEGMENT_ALLOC, true, true},
             {"segment_free", TN_EVENT_SEGMENT_FREE, true, false},
             {"use", TN_EVENT_USE, true, false},
             {"sync", TN_EVENT_SYNC, false, false},
             {"wait", TN_EVENT_WAIT, false, false},
             {"finalize", TN_EVENT_FINALIZE, false, false},
             {"mark", -1, false, false},
             {"oom", TN_EVENT_OOM, false, true}};

/* ---- values ---------------------------------------------------------------------------- */

/* The text of the next value, which is stepped over. */
static TnJsonSlice
read_slice(TnJson *json)
{
  tn_json_peek(json);
  const uint8_t *from = json->at;
  tn_json_skip(json);
  return (TnJsonSlice){from, (gsize)(json->at - from)};
}

static bool
read_address(Reader *reader, Line *line)
{
  TnJsonSlice slice = read_slice(&reader->json);
  line->has_address = tn_json_slice_address(slice, &line->address);
  return line->has_address || tn_json_fail_at(&reader->json, slice.from, TN_DATA_ERROR_MALFORMED,
                                              "address: found %.*s, expected \"0x…\" or a number",
                                              (int)MIN(slice.length, (gsize)40), slice.from);
}

static bool
read_time(Reader *reader, Line *line)
{
  char text[64] = "", *end;
  TnJsonSlice slice = read_slice(&reader->json);
  memcpy(text, slice.from, MIN(slice.length, sizeof text - 1));
  double seconds = g_ascii_strtod(text, &end);
  if (end == text || *end || !(seconds > -9e12 && seconds < 9e12))
    return tn_json_fail_at(&reader->json, slice.from, TN_DATA_ERROR_MALFORMED,
                           "t: found %s, expected seconds", text);
  line->time_us = (int64_t)(seconds * 1e6);
  return true;
}

static bool
read_bytes(Reader *reader, const char *key, int64_t *out)
{
  tn_json_peek(&reader->json);
  const uint8_t *place = reader->json.at;
  if (!tn_json_read_int(&reader->json, out))
    return false;
  return *out >= 0 ||
         tn_json_fail_at(&reader->json, place, TN_DATA_ERROR_MALFORMED,
                         "%s: found %" G_GINT64_FORMAT ", expected 0 or more", key, *out);
}

static bool
read_text(Reader *reader, uint32_t *out)
{
  const char *text;
  if (!tn_json_read_string(&reader->json, &text))
    return false;
  *out = tn_strings_intern(reader->document->strings, text, -1);
  return true;
}

/* "function (file.c:12)"; what has another form is a function's name whole. */
static uint32_t
intern_frame(TnDocument *document, const char *text)
{
  const char *open = strrchr(text, '('), *colon = open ? strrchr(open, ':') : NULL;
  TnFrame frame = {0};
  char *end = NULL;
  int64_t number = colon ? g_ascii_strtoll(colon + 1, &end, 10) : 0;
  if (colon && end > colon + 1 && end[0] == ')' && !end[1] && open > text) {
    frame.name = tn_strings_intern(document->strings, text, open - text - (open[-1] == ' '));
    frame.file = tn_strings_intern(document->strings, open + 1, colon - open - 1);
    frame.line = (int32_t)CLAMP(number, 0, INT32_MAX);
  } else {
    frame.name = tn_strings_intern(document->strings, text, -1);
  }
  return tn_stacks_intern_frame(document->stacks, frame);
}

static bool
read_stack(Reader *reader, Line *line)
{
  uint32_t frames[MAX_FRAMES], n = 0;
  const char *text;
  tn_json_begin_array(&reader->json);
  while (tn_json_next_item(&reader->json))
    if (n == MAX_FRAMES)
      tn_json_skip(&reader->json);
    else if (tn_json_read_string(&reader->json, &text))
      frames[n++] = intern_frame(reader->document, text);
  line->stack = tn_stacks_intern(reader->document->stacks, frames, n);
  return !tn_json_has_failed(&reader->json);
}

static bool
read_kind(Reader *reader, Line *line)
{
  const char *text;
  tn_json_peek(&reader->json);
  const uint8_t *place = reader->json.at;
  if (!tn_json_read_string(&reader->json, &text))
    return false;
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    if (strcmp(kinds[i].name, text) == 0) {
      line->action = kinds[i].action;
      line->has_event = true;
      return true;
    }
  return tn_json_fail_at(&reader->json, place, TN_DATA_ERROR_MALFORMED,
                         "event: found \"%s\", expected alloc, free, segment_alloc, segment_free, "
                         "use, sync, wait, finalize, mark or oom",
                         text);
}

static bool
read_stream(Reader *reader, const char *key, uint64_t *out)
{
  TnJsonSlice slice = read_slice(&reader->json);
  return tn_json_slice_address(slice, out) ||
         tn_json_fail_at(&reader->json, slice.from, TN_DATA_ERROR_MALFORMED,
                         "%s: found %.*s, expected a number", key,
                         (int)MIN(slice.length, (gsize)40), slice.from);
}

/* A number or a name. */
static bool
read_thread(Reader *reader, Line *line)
{
  if (tn_json_peek(&reader->json) == TN_JSON_STRING)
    return read_text(reader, &line->thread);
  TnJsonSlice slice = read_slice(&reader->json);
  line->thread = tn_strings_intern(reader->document->strings, (const char *)slice.from,
                                   (gssize)MIN(slice.length, (gsize)40));
  return !tn_json_has_failed(&reader->json);
}

static bool
read_member(Reader *reader, Line *line, const char *key)
{
  if (strcmp(key, "event") == 0)
    return read_kind(reader, line);
  if (strcmp(key, "t") == 0)
    return read_time(reader, line);
  if (strcmp(key, "address") == 0)
    return read_address(reader, line);
  if (strcmp(key, "bytes") == 0)
    return line->has_bytes = read_bytes(reader, "bytes", &line->bytes);
  if (strcmp(key, "requested_bytes") == 0)
    return read_bytes(reader, "requested_bytes", &line->requested);
  if (strcmp(key, "device_free_bytes") == 0)
    return read_bytes(reader, "device_free_bytes", &line->device_free);
  if (strcmp(key, "device") == 0)
    return line->has_device = tn_json_read_int(&reader->json, &line->device);
  if (strcmp(key, "name") == 0)
    return read_text(reader, &line->name);
  if (strcmp(key, "text") == 0)
    return read_text(reader, &line->text);
  if (strcmp(key, "pool") == 0)
    return read_text(reader, &line->pool);
  if (strcmp(key, "stream") == 0)
    return line->has_stream = read_stream(reader, "stream", &line->stream);
  if (strcmp(key, "for") == 0)
    return read_stream(reader, "for", &line->waited);
  if (strcmp(key, "thread") == 0)
    return read_thread(reader, line);
  if (strcmp(key, "stack") == 0)
    return read_stack(reader, line);
  return tn_json_skip(&reader->json);
}

/* ---- lines ----------------------------------------------------------------------------- */

static uint32_t
space_of(TnDevice *device, const Line *line)
{
  uint32_t space = tn_device_space(device, line->stream, line->pool, 0);
  g_array_index(device->spaces, TnSpace, space).name = line->pool;
  return space;
}

static void
add_mark(TnDevice *device, const Line *line)
{
  TnMark mark = {.tick = device->events.n,
                 .kind = line->action < 0 ? TN_MARK_ITERATION : TN_MARK_OOM,
                 .text = line->text,
                 .requested = line->bytes,
                 .device_free = line->device_free};
  g_array_append_val(device->marks, mark);
}

/* Who did it.  An allocation's stream is its space's. */
static void
set_doer(TnDevice *device, uint32_t event, const Line *line, uint32_t number)
{
  TnEvents *events = &device->events;
  tn_events_set_line(events, event, number);
  tn_events_set_thread(events, event, line->thread);
  if (line->has_stream && line->action != TN_EVENT_ALLOC)
    tn_events_set_stream(events, event, line->stream);
  device->has_syncs |= line->action == TN_EVENT_SYNC || line->action == TN_EVENT_WAIT;
  /* A stream or an allocator may be of all devices; memory is of one. */
  bool is_memory = line->action != TN_EVENT_SYNC && line->action != TN_EVENT_WAIT &&
                   line->action != TN_EVENT_FINALIZE;
  if (is_memory && !line->has_device && device->n_unnamed++ == 0)
    device->first_unnamed = number;
}

static void
add_line(Reader *reader, const Line *line)
{
  TnDevice *device = tn_document_device(reader->document, (int32_t)line->device);
  device->is_single_threaded = reader->is_single_threaded;
  if (line->action < 0 || line->action == TN_EVENT_OOM)
    add_mark(device, line);
  if (line->action < 0)
    return;
  bool is_oom = line->action == TN_EVENT_OOM;
  tn_bytes asked = line->requested >= 0 ? MIN(line->requested, line->bytes) : line->bytes;
  uint32_t event = tn_events_add(&device->events, (TnEventAction)line->action,
                                 is_oom                            ? (uint64_t)MAX(line->device_free, 0)
                                 : line->action == TN_EVENT_WAIT ? line->waited
                                                                  : line->address,
                                 line->action == TN_EVENT_ALLOC ? asked : line->bytes);
  device->events.time_us[event] = line->time_us;
  device->events.stack[event] = line->stack;
  /* What a stream does to a block makes no pool of its own. */
  bool is_of_pool = line->action != TN_EVENT_USE && line->action != TN_EVENT_SYNC &&
                    line->action != TN_EVENT_WAIT;
  device->events.space[event] = is_of_pool ? space_of(device, line) : 0;
  tn_events_set_name(&device->events, event, line->name);
  set_doer(device, event, line, reader->line);
  if (line->action == TN_EVENT_ALLOC && asked != line->bytes)
    tn_events_set_used(&device->events, event, line->bytes);
}

static bool
check_line(Reader *reader, const Line *line)
{
  const char *missing = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(kinds) && line->has_event; i++)
    if (kinds[i].action == line->action)
      missing = kinds[i].needs_address && !line->has_address ? "address"
                : kinds[i].needs_bytes && !line->has_bytes   ? "bytes"
                                                             : NULL;
  if (!line->has_event)
    missing = "event";
  if (missing)
    return tn_json_fail_at(&reader->json, line->place, TN_DATA_ERROR_MALFORMED,
                           "found an object without \"%s\", expected it", missing);
  return (line->device >= -1 && line->device <= 65535) ||
         tn_json_fail_at(&reader->json, line->place, TN_DATA_ERROR_MALFORMED,
                         "device: found %" G_GINT64_FORMAT ", expected 0 to 65535", line->device);
}

static void
count_lines(Reader *reader)
{
  const uint8_t *at = reader->counted, *end = reader->json.at;
  while ((at = memchr(at, '\n', (gsize)(end - at)))) {
    reader->line++;
    at++;
  }
  reader->counted = end;
}

static bool
read_line(Reader *reader)
{
  const char *key;
  Line line = {.place = reader->json.at, .requested = -1, .device_free = TN_BYTES_UNKNOWN};
  count_lines(reader);
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key))
    if (!read_member(reader, &line, key))
      return false;
  if (tn_json_has_failed(&reader->json) || !check_line(reader, &line))
    return false;
  add_line(reader, &line);
  return true;
}

static bool
read_header(Reader *reader, TnSource *source)
{
  const char *key, *text;
  int64_t version = 0, bytes = 0;
  bool is_ours = false;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "format") == 0)
      is_ours = tn_json_read_string(&reader->json, &text) && strcmp(text, "tenure-log") == 0;
    else if (strcmp(key, "version") == 0)
      tn_json_read_int(&reader->json, &version);
    else if (strcmp(key, "device_bytes") == 0)
      read_bytes(reader, "device_bytes", &bytes);
    else if (strcmp(key, "single_thread") == 0)
      tn_json_read_bool(&reader->json, &reader->is_single_threaded);
    else
      tn_json_skip(&reader->json);
  }
  if (tn_json_has_failed(&reader->json))
    return false;
  if (!is_ours || version != 1)
    return tn_json_fail_at(&reader->json, source->data, TN_DATA_ERROR_UNSUPPORTED,
                           "found version %" G_GINT64_FORMAT
                           " of \"format\": \"%s\", expected version 1 of \"tenure-log\"",
                           version, is_ours ? "tenure-log" : "(another)");
  if (bytes > 0)
    tn_document_device(reader->document, 0)->total_bytes = bytes;
  return true;
}

static bool
is_stopped(Reader *reader)
{
  TnJson *json = &reader->json;
  if (json->at < reader->next_report)
    return false;
  reader->next_report = json->at + (1 << 20);
  tn_source_forget(reader->source, (gsize)(json->at - json->start));
  tn_progress_report(reader->progress,
                     (double)(json->at - json->start) / (double)(json->end - json->start),
                     "Reading");
  return tn_progress_is_cancelled(reader->progress) &&
         !tn_json_fail(json, TN_DATA_ERROR_CANCELLED, "stopped");
}

static bool
read_log(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  GError *problem = NULL;
  Reader reader = {.source = source,
                   .document = document,
                   .progress = options->progress,
                   .counted = source->data,
                   .line = 1};
  tn_json_init(&reader.json, source->name, source->data, source->size, &problem);
  document->kind = TN_DOCUMENT_LOG;
  document->producer = g_strdup("tenure-log");
  bool is_good = read_header(&reader, source);
  bool has_header = is_good;
  while (is_good && !is_stopped(&reader) && tn_json_peek(&reader.json) == TN_JSON_OBJECT)
    is_good = read_line(&reader);
  is_good = is_good && tn_json_expect_end(&reader.json);
  tn_json_clear(&reader.json);
  if (!is_good && has_header && g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED)) {
    tn_diagnostics_add(document->diagnostics, "truncated", 1,
                       "%s; the last line was cut off and is left out", problem->message);
    g_clear_error(&problem);
    is_good = true;
  }
  for (guint i = 0; is_good && i < document->devices->len; i++)
    tn_log_fill_segments(g_ptr_array_index(document->devices, i));
  if (!is_good)
    g_propagate_error(error, problem);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)512), at = tn_text_mark(data, size);
  const uint8_t *line_end = memchr(data, '\n', n);
  gsize first = line_end ? (gsize)(line_end - data) : n;
  return at < n && data[at] == '{' && memmem(data, first, "\"tenure-log\"", 12) ? 100 : 0;
}

const TnReader tn_reader_tenure_log = {
    .name = "tenure-log",
    .holds = "our own log, one JSON object a line: allocations, frees, segments, uses, marks",
    .patterns = "*.tenure-log;*.jsonl",
    .sniff = sniff,
    .read = read_log,
};
