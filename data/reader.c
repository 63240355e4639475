/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/reader.h"

#include "data/error.h"
#include "data/readers/readers.h"

#include <string.h>

static const TnReader *const readers[] = {
    &tn_reader_pytorch,
    &tn_reader_pytorch_json,
    &tn_reader_pytorch_html,
    &tn_reader_graph_json,
    &tn_reader_csv,
    &tn_reader_plan,
    &tn_reader_onnx,
    &tn_reader_tflite,
    &tn_reader_executorch,
    &tn_reader_executorch_trace,
    &tn_reader_kineto,
    &tn_reader_tenure_log,
    &tn_reader_xla,
    &tn_reader_ascend_csv,
    &tn_reader_memscope_csv,
    &tn_reader_sqlite,
    &tn_reader_memory_timeline,
    &tn_reader_vma,
    &tn_reader_ge_graph,
    &tn_reader_text_log,
    NULL,
};

const TnReader *const *
tn_readers(void)
{
  return readers;
}

const TnReader *
tn_readers_find(const char *name)
{
  for (gsize i = 0; readers[i]; i++)
    if (strcmp(readers[i]->name, name) == 0)
      return readers[i];
  return NULL;
}

static const TnReader *
sniff(const TnSource *source)
{
  const TnReader *best = NULL;
  int best_score = 0;
  for (gsize i = 0; readers[i]; i++) {
    int score = readers[i]->sniff(source->data, source->size, source->name);
    if (score > best_score) {
      best_score = score;
      best = readers[i];
    }
  }
  return best;
}

/* A hint for content that people do try, in words they know. */
static const char *
known_stranger(const uint8_t *data, gsize size)
{
  static const struct {
    const char *magic;
    gsize n;
    const char *what;
  } strangers[] = {
      {"PK\x03\x04", 4, "a zip archive (torch.save writes its checkpoints so); expected a snapshot "
                        "made by torch.cuda.memory._dump_snapshot()"},
      {"\x89PNG", 4, "a PNG picture"},
      {"%PDF", 4, "a PDF file"},
      {"\x7f" "ELF", 4, "an ELF program"},
      {"\x28\xb5\x2f\xfd", 4, "a zstd archive; unpack it first (gzip opens directly)"},
      {"graph(\"", 7, "a graph of GE in its readable form, which has no sizes; expected ge_proto_*.txt or "
                     "ge_onnx_*.pbtxt (DUMP_GRAPH_FORMAT=ge_proto)"},
      {"\xff\xfe", 2, "text in UTF-16, as PowerShell's `>` writes it; convert it first (iconv -f UTF-16 -t UTF-8)"},
      {"\xfe\xff", 2, "text in UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)"},
      {"BZh", 3, "a bzip2 archive; unpack it first (gzip opens directly)"},
      {"\xfd" "7zXZ", 5, "an xz archive; unpack it first (gzip opens directly)"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(strangers); i++)
    if (size >= strangers[i].n && memcmp(data, strangers[i].magic, strangers[i].n) == 0)
      return strangers[i].what;
  gsize zeros = 0;
  while (zeros < MIN(size, (gsize)4096) && data[zeros] == 0)
    zeros++;
  return zeros == MIN(size, (gsize)4096) ? "only zero bytes at its start" : NULL;
}

static void
set_unknown(const TnSource *source, GError **error)
{
  const char *what = known_stranger(source->data, source->size);
  g_autoptr(GString) start = g_string_new(NULL);
  for (gsize i = 0; i < MIN(source->size, (gsize)8); i++)
    g_string_append_printf(start, i ? " %02x" : "%02x", source->data[i]);
  if (what)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN,
                "%s: byte 0: found %s; no reader knows this (see `tenure-cli formats`)",
                source->name, what);
  else
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN,
                "%s: byte 0: found %s, which no reader knows; expected one of the formats that "
                "`tenure-cli formats` lists",
                source->name, start->str);
}

static const TnReader *
choose(const TnSource *source, const TnReadOptions *options, GError **error)
{
  if (options->format) {
    const TnReader *reader = tn_readers_find(options->format);
    if (!reader)
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
                  "format '%s' is not known; `tenure-cli formats` lists the names",
                  options->format);
    return reader;
  }
  const TnReader *reader = sniff(source);
  if (!reader)
    set_unknown(source, error);
  return reader;
}

/* A message may quote what a file holds, which need not be UTF-8; it must be showable all the same.
 * That a part may still be read is said only of readers that would. */
static void
finish_error(const TnReader *reader, GError *error)
{
  if (!reader->keeps_cut && g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED))
    error->code = TN_DATA_ERROR_MALFORMED;
  if (g_utf8_validate(error->message, -1, NULL))
    return;
  char *valid = g_utf8_make_valid(error->message, -1);
  g_free(error->message);
  error->message = valid;
}

/* A recording is as long as it has events, whether or not its reader says so. */
static void
end_axes(const TnDocument *document)
{
  for (guint i = 0; i < document->devices->len; i++) {
    TnDevice *device = g_ptr_array_index(document->devices, i);
    if (document->kind == TN_DOCUMENT_LOG && device->events.n > 0)
      device->axis_end = device->events.n;
  }
}

/* Whatever came of it rests on zeros. */
static bool
check_whole(const TnSource *source, GError **error)
{
  if (!tn_source_is_torn(source))
    return true;
  g_clear_error(error);
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN,
              "%s: became shorter while it was read; expected all of the %" G_GSIZE_FORMAT
              " bytes that it had at first",
              source->name, source->map_size);
  return false;
}

/* Dimensions or values for a format that has none to choose. */
static void
warn_unused(TnDiagnostics *diagnostics,
            const TnReader *reader,
            const char *what,
            GHashTable *given,
            bool takes)
{
  if (given && g_hash_table_size(given) > 0 && !takes)
    tn_diagnostics_add(diagnostics, "binding-unused", g_hash_table_size(given),
                       "the %s given for inputs change nothing: %s states its sizes itself", what,
                       reader->name);
}

static TnDocument *
read_source(TnSource *source, const TnReadOptions *options, GError **error)
{
  const TnReader *reader = choose(source, options, error);
  if (!reader)
    return NULL;
  if (source->is_head && !reader->reads_streams) {
    /* Sniffers of small files look at all of them, so whoever was surest of the head is now asked
     * about the whole. */
    if (!tn_source_complete(source, error) || !(reader = choose(source, options, error)))
      return NULL;
  }
  g_autoptr(TnDocument) document = tn_document_new(source->name);
  document->format = reader->name;
  if (!reader->read(source, options, document, error)) {
    if (error && *error)
      finish_error(reader, *error);
    return NULL;
  }
  warn_unused(document->diagnostics, reader, "dimensions", options->bindings,
              reader->takes_bindings);
  warn_unused(document->diagnostics, reader, "values", options->values, reader->takes_values);
  if (source->is_cut)
    tn_diagnostics_add(document->diagnostics, "truncated", 1,
                       "%s: the gzip data is cut off; what stands before it was read, the rest is "
                       "missing",
                       source->name);
  if (document->devices->len == 0)
    tn_document_device(document, 0);
  end_axes(document);
  return g_steal_pointer(&document);
}

TnDocument *
tn_document_load_source(TnSource *source, const TnReadOptions *options, GError **error)
{
  g_autoptr(GError) problem = NULL;
  g_autoptr(TnDocument) document = read_source(source, options, &problem);
  bool is_whole = check_whole(source, &problem);
  if (problem)
    g_propagate_error(error, g_steal_pointer(&problem));
  return is_whole ? g_steal_pointer(&document) : NULL;
}

TnDocument *
tn_document_load(const char *path, const TnReadOptions *options, GError **error)
{
  g_autoptr(TnSource) source =
      options->is_partial_wanted ? tn_source_new_head_of_cut(path, options->memory_limit, error)
                                 : tn_source_new_head(path, options->memory_limit, error);
  return source ? tn_document_load_source(source, options, error) : NULL;
}
