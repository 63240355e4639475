/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/error.h"
#include "data/hash.h"
#include "data/json.h"
#include "data/readers/readers.h"
#include "data/readers/text-prefix.h"

#include <string.h>

static const TnTextFinder *const finders[] = {
    &tn_text_pytorch, &tn_text_memory_summary, &tn_text_bfc,  &tn_text_xla,
    &tn_text_ggml,    &tn_text_onnxruntime,    &tn_text_vllm, &tn_text_tensorrt,
    &tn_text_tflm,    &tn_text_ascend,         &tn_text_ge,   &tn_text_ge_says,
    &tn_text_ge_sizes, &tn_text_ge_stages, &tn_text_kernel_trace, &tn_text_scalable,
};

/* Ranks of one job write into one file; what is beyond so many tags and processes is read as one stream. */
#define MAX_STREAMS 4096
#define STEP 1024 /* lines between two looks at the progress */

typedef struct Stream {
  char *key;
  char *tag;              /* the launcher's */
  int64_t process;        /* 0: a tag's lines that name none */
  struct Stream *own;     /* of a process: its tag's, which has the lines that name no process; else itself */
  struct Stream *speaker; /* of a tag: its process that spoke last, or itself */
  guint n_processes;      /* of a tag */
  TnTextDumped dumped; /* of a tag, as the next two */
  TnTextMoment now;
  gpointer said[G_N_ELEMENTS(finders)]; /* NULL: nothing yet */
  gpointer state[G_N_ELEMENTS(finders)];
} Stream;

/* What a process has made, which is said where its tag has another. */
typedef struct {
  const Stream *stream;
  TnAccount *account; /* borrowed, or NULL */
  TnDevice *device;   /* borrowed, or NULL */
  uint32_t name;      /* of the device, without who made it */
} Made;

typedef struct {
  TnTextLog log;
  GHashTable *by_key; /* char * → Stream * */
  GPtrArray *streams; /* Stream *, owned, in the order in which they appear */
  Stream *tagged;     /* the last line's with a tag, while all behind it only go on with it; or NULL */
  Stream *rest;       /* of all tags and processes beyond MAX_STREAMS; NULL: there are none */
} Reader;

static void
stream_free(gpointer data)
{
  Stream *stream = data;
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++) {
    g_free(stream->said[i]);
    g_free(stream->state[i]);
  }
  g_free(stream->key);
  g_free(stream->tag);
  g_free(stream);
}

static Stream *
add_stream(Reader *reader, const char *key, const char *tag)
{
  Stream *stream = g_new0(Stream, 1);
  stream->key = g_strdup(key);
  stream->tag = g_strdup(tag);
  stream->own = stream->speaker = stream;
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++)
    stream->state[i] = g_malloc0(finders[i]->state_size);
  g_ptr_array_add(reader->streams, stream);
  return stream;
}

static Stream *
find_stream(Reader *reader, const char *key, const char *tag)
{
  Stream *stream = g_hash_table_lookup(reader->by_key, key);
  if (stream)
    return stream;
  if (reader->streams->len >= MAX_STREAMS) {
    if (!reader->rest)
      reader->rest = add_stream(reader, "\n", "");
    return reader->rest;
  }
  stream = add_stream(reader, key, tag);
  g_hash_table_insert(reader->by_key, stream->key, stream);
  return stream;
}

/* A tag's first process goes on with what the finders that follow the speaker had read: a line of the same report that
 * names no process may stand before the first that does. */
static void
take_over(Stream *stream, Stream *own)
{
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++) {
    gpointer fresh = stream->state[i];
    if (!finders[i]->follows_speaker)
      continue;
    stream->state[i] = own->state[i];
    own->state[i] = fresh;
  }
}

/* The stream of a process under the tag of `own`. */
static Stream *
find_process(Reader *reader, Stream *own, int64_t process)
{
  if (own->speaker->process == process || own == reader->rest)
    return own->speaker;
  g_autofree char *key = g_strdup_printf("%s\n%" G_GINT64_FORMAT, own->key, process); /* no tag has a line's end */
  Stream *stream = find_stream(reader, key, own->tag);
  if (!stream->process && stream != reader->rest) {
    stream->process = process;
    stream->own = own;
    if (own->n_processes++ == 0)
      take_over(stream, own);
  }
  return own->speaker = stream;
}

static void
keep_made(TnTextLog *log, TnAccount *account, TnDevice *device, uint32_t name)
{
  const Stream *stream = log->stream;
  Made made = {.stream = stream, .account = account, .device = device, .name = name};
  if (stream->process)
    g_array_append_val(log->made, made);
}

/* Where a tag has several processes, what each has made names it. */
static void
name_processes(Reader *reader)
{
  TnStrings *strings = reader->log.document->strings;
  for (guint i = 0; i < reader->log.made->len; i++) {
    const Made *made = &g_array_index(reader->log.made, Made, i);
    const Stream *stream = made->stream;
    if (stream->own->n_processes < 2)
      continue;
    g_autofree char *who = g_strdup_printf("%s%sprocess %" G_GINT64_FORMAT, stream->tag, stream->tag[0] ? " " : "",
                                           stream->process);
    if (made->account) {
      g_free(made->account->source);
      made->account->source = g_steal_pointer(&who);
      continue;
    }
    g_autofree char *whole = g_strdup_printf("%s (%s)", tn_strings_get(strings, made->name), who);
    made->device->name = tn_strings_intern(strings, whole, -1);
  }
}

TnAccount *
tn_text_log_report(TnTextLog *log, TnAccount *account)
{
  const Stream *stream = log->stream;
  if (stream->tag[0])
    account->source = g_strdup(stream->tag);
  keep_made(log, account, NULL, 0);
  g_ptr_array_add(log->document->accounts, account);
  log->n_reports++;
  return account;
}

void
tn_text_log_cut_off(TnTextLog *log, TnAccount *account, const char *missing)
{
  account->is_cut_off = true;
  g_autofree char *lines =
      account->last_line > account->first_line
          ? g_strdup_printf("lines %u–%u", account->first_line, account->last_line)
          : g_strdup_printf("line %u", account->first_line);
  tn_diagnostics_add(log->document->diagnostics, "cut-off", 1, "%s, %s: the report is cut off; %s",
                     account->title, lines, missing);
}

TnDevice *
tn_text_log_new_device(TnTextLog *log)
{
  return tn_document_device(log->document, log->n_ordinals++);
}

TnDevice *
tn_text_log_device(TnTextLog *log, int32_t ordinal)
{
  TnDevice *device = tn_document_device(log->document, ordinal);
  log->n_ordinals = MAX(log->n_ordinals, ordinal + 1);
  bool is_taken = device->segments->len || device->buffers || device->marks->len || device->events.n;
  return is_taken ? tn_text_log_new_device(log) : device;
}

void
tn_text_log_name(TnTextLog *log, TnDevice *device, const char *name)
{
  const Stream *stream = log->stream;
  g_autofree char *whole = stream->tag[0] ? g_strdup_printf("%s (%s)", name, stream->tag) : g_strdup(name);
  device->name = tn_strings_intern(log->document->strings, whole, -1);
  if (stream->process)
    keep_made(log, NULL, device, tn_strings_intern(log->document->strings, name, -1));
}

void
tn_text_log_mark(
    TnTextLog *log, TnDevice *device, tn_bytes requested, tn_bytes device_free, const char *text)
{
  TnMark mark = {.kind = TN_MARK_OOM,
                 .requested = requested,
                 .device_free = device_free,
                 .text = tn_strings_intern(log->document->strings, text, -1)};
  g_array_append_val(device->marks, mark);
}

TnDevice *
tn_text_log_oom(
    TnTextLog *log, int32_t ordinal, tn_bytes requested, tn_bytes device_free, const char *text)
{
  TnDevice *device = tn_document_device(log->document, ordinal);
  log->n_ordinals = MAX(log->n_ordinals, ordinal + 1);
  if (device->segments->len || device->buffers)
    device = tn_text_log_new_device(log);
  tn_text_log_mark(log, device, requested, device_free, text);
  return device;
}

/* The tag's next line; where it says no time, the last one's holds.  CANN's lines, which name a process, have no blank
 * between the logger's prefix and the text: theirs is the first in the line. */
static void
step_to(Stream *own, const TnTextLine *line, bool has_process)
{
  int32_t second = tn_text_second(line->whole, has_process ? line->whole + strlen(line->whole) : line->text);
  own->now.line++;
  if (second >= 0)
    own->now.second = second + 1;
}

/* A finder goes on with a stream under the tag of `own`. */
static void
enter(Reader *reader, Stream *own, const Stream *stream, gsize finder)
{
  if (finders[finder]->said_size && !own->said[finder])
    own->said[finder] = g_malloc0(finders[finder]->said_size);
  reader->log.stream = stream;
  reader->log.dumped = &own->dumped;
  reader->log.said = own->said[finder];
  reader->log.now = own->now;
  reader->log.now.process = stream->process;
}

/* Whether a line without a tag is the rest of what the tagged line before it, `reader->tagged`, began. */
static bool
is_rest_of_tagged(const Reader *reader, const Stream *stream, gsize finder, const TnTextLine *line)
{
  bool (*goes_on)(gconstpointer, const TnTextLine *) = finders[finder]->goes_on;
  return goes_on && !goes_on(stream->state[finder], line) && goes_on(reader->tagged->state[finder], line);
}

static void
show(Reader *reader, Stream *own, Stream *process, const TnTextLine *line)
{
  Stream *tagged = NULL;
  bool may_be_rest = reader->tagged && !line->tag[0];
  reader->log.is_row = false;
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++) {
    Stream *stream = finders[i]->follows_speaker ? own->speaker : process;
    if (may_be_rest && is_rest_of_tagged(reader, stream, i, line))
      stream = tagged = reader->tagged;
    enter(reader, stream == tagged ? stream->own : own, stream, i);
    finders[i]->line(&reader->log, stream->state[i], line);
  }
  own->now.line -= reader->log.is_row;
  reader->tagged = line->tag[0] ? process : tagged;
}

static bool
scan_lines(
    Reader *reader, TnSource *source, TnProgress *progress, uint32_t *out_lines, GError **error)
{
  TnTextScan scan;
  TnTextLine line;
  Stream *own = NULL;
  bool is_cancelled = false;
  tn_text_scan_init(&scan, source->data, source->size);
  while (!is_cancelled && tn_text_scan_next(&scan, &line)) {
    if (!own || strcmp(own->key, line.tag) != 0)
      own = find_stream(reader, line.tag, line.tag);
    int64_t process = tn_text_process(line.whole);
    step_to(own, &line, process != 0);
    show(reader, own, process ? find_process(reader, own, process) : own, &line);
    if (line.number % STEP == 0) {
      tn_progress_report(progress, (double)(scan.at - source->data) / (double)source->size,
                         "Reading");
      if (line.number % (16 * STEP) == 0)
        tn_source_forget(source, (gsize)(scan.at - source->data));
      is_cancelled = tn_progress_is_cancelled(progress);
    }
  }
  *out_lines = scan.number;
  tn_text_scan_clear(&scan);
  if (is_cancelled)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", source->name);
  return !is_cancelled;
}

static void
end_streams(Reader *reader)
{
  for (guint s = 0; s < reader->streams->len; s++) {
    Stream *stream = g_ptr_array_index(reader->streams, s);
    for (gsize i = 0; i < G_N_ELEMENTS(finders); i++) {
      enter(reader, stream->own, stream, i);
      if (finders[i]->end)
        finders[i]->end(&reader->log, stream->state[i]);
    }
  }
}

static gint
compare_accounts(gconstpointer a, gconstpointer b)
{
  const TnAccount *x = *(TnAccount *const *)a, *y = *(TnAccount *const *)b;
  return x->first_line < y->first_line ? -1 : x->first_line > y->first_line;
}

static gint
compare_statements(gconstpointer a, gconstpointer b)
{
  const TnStatement *x = a, *y = b;
  return x->line < y->line ? -1 : x->line > y->line;
}

static bool
fail_nothing(const TnSource *source, uint32_t lines, GError **error)
{
  g_autoptr(GString) known = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++)
    g_string_append_printf(known, "%s%s", i ? ", " : "", finders[i]->name);
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN,
              "%s: lines 1 to %u: found text without any report of memory that is known; expected "
              "one of: %s",
              source->name, lines, known->str);
  return false;
}

/* The first device is the one that is looked at first: the host is not what a log of a device's failure is about. */
static void
put_host_last(GPtrArray *devices)
{
  for (guint i = 0; i + 1 < devices->len; i++) {
    TnDevice *device = g_ptr_array_index(devices, i);
    if (device->ordinal >= 0)
      continue;
    memmove(&devices->pdata[i], &devices->pdata[i + 1], (devices->len - i - 1) * sizeof *devices->pdata);
    devices->pdata[devices->len - 1] = device;
    return; /* there is one host */
  }
}

/* A plan and a map can't share a document; the plan's finder steps back where it must. */
static void
name_document(Reader *reader)
{
  TnDocument *document = reader->log.document;
  bool is_plan = reader->log.has_plan && !reader->log.has_map;
  if (reader->log.has_plan && !is_plan)
    tn_diagnostics_add(document->diagnostics, "plan-left-out", 1,
                       "a memory plan stands beside a map of addresses and is not drawn: cut the "
                       "lines that `info` names into a file of their own for it");
  document->kind = is_plan ? TN_DOCUMENT_PLAN : TN_DOCUMENT_LOG;
  for (guint i = 0; is_plan && i < document->devices->len; i++) {
    TnDevice *device = g_ptr_array_index(document->devices, i);
    if (!device->buffers) { /* of a report with totals only: a plan's devices have a table each */
      device->buffers = tn_buffers_new();
      device->axis_end = 1;
    }
  }
  put_host_last(document->devices);
  g_ptr_array_sort(document->accounts, compare_accounts);
  g_array_sort(document->statements, compare_statements);
  const TnAccount *first = g_ptr_array_index(document->accounts, 0);
  document->producer = g_strdup(first->title);
}

static bool
read_text(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  uint32_t lines = 0;
  Reader reader = {.log = {.document = document, .made = g_array_new(FALSE, FALSE, sizeof(Made))},
                   .by_key = g_hash_table_new(tn_text_hash, g_str_equal),
                   .streams = g_ptr_array_new_with_free_func(stream_free)};
  bool is_good = scan_lines(&reader, source, options->progress, &lines, error);
  end_streams(&reader); /* also where it was stopped: what finders hold goes to the document */
  is_good = is_good && (reader.log.n_reports > 0 || fail_nothing(source, lines, error));
  name_processes(&reader);
  if (is_good)
    name_document(&reader);
  g_array_unref(reader.log.made);
  g_hash_table_unref(reader.by_key);
  g_ptr_array_unref(reader.streams);
  return is_good;
}

/* ---- sniffing -------------------------------------------------------------------------- */

static bool
is_text(const uint8_t *data, gsize n)
{
  gsize odd = 0;
  for (gsize i = 0; i < n; i++) {
    if (data[i] == 0)
      return false;
    odd += data[i] < 0x20 && !strchr("\t\r\n\f\b\x1b", data[i]);
  }
  return odd * 100 <= n && n > 0;
}

static bool
has_mark(const uint8_t *data, gsize n)
{
  for (gsize i = 0; i < G_N_ELEMENTS(finders); i++)
    for (gsize k = 0; finders[i]->marks[k]; k++)
      if (memmem(data, n, finders[i]->marks[k], strlen(finders[i]->marks[k])))
        return true;
  return false;
}

/* Loggers of machines write an object a line: one, and another behind it. */
static bool
is_object_lines(const uint8_t *at, gsize n)
{
  const uint8_t *end = memchr(at, '\n', n), *last = end;
  while (last && last > at && g_ascii_isspace(*last))
    last--;
  return last && *last == '}' && end + 1 < at + n && end[1] == '{';
}

/* What begins like JSON or markup is not a log, but for an object a line (docker's too) and `[rank0]:`, `[INFO] …`. */
static bool
starts_like_log(const uint8_t *at, gsize n)
{
  static const char docker[] = "{\"log\":";
  if (*at == '{')
    return (n >= sizeof docker && memcmp(at, docker, sizeof docker - 1) == 0) || is_object_lines(at, n);
  if (n >= 7 && memcmp(at, "graph(\"", 7) == 0)
    return false; /* GE's readable graphs are told apart by others */
  return *at != '<' &&
         (*at != '[' || (n > 64 && (memmem(at, 64, "] ", 2) || memmem(at, 64, "]: ", 3)) && !strchr("[{\"", at[1])));
}

/* Text with a known word near its start or its end is ours unless somebody is surer; other text is
 * looked through by the reader, but only where nobody else wants it. */
static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize head = MIN(size, (gsize)4096), near = MIN(size, (gsize)1 << 18), at = tn_text_start(data, head);
  if (!is_text(data, head))
    return 0;
  if (has_mark(data, near) || has_mark(data + size - near, near))
    return 45;
  if (at == head || !starts_like_log(data + at, head - at) || !memchr(data, '\n', head) ||
      !memchr(data + at, ' ', head - at))
    return 0;
  return g_utf8_validate((const char *)data, (gssize)MIN(head, (gsize)64), NULL) ? 5 : 0;
}

const TnReader tn_reader_text_log = {
    .name = "text-log",
    .holds = "any text with out-of-memory reports in it: PyTorch, TensorFlow, JAX/XLA, ONNX "
             "Runtime, llama.cpp, vLLM, TensorRT, TFLM, Ascend",
    .patterns = "*.log;*.txt;*.out;*.err",
    .sniff = sniff,
    .read = read_text,
};
