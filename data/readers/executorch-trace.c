/* SPDX-License-Identifier: MIT */
/* ExecuTorch's generate_memory_trace(): a Chrome trace whose axes mean other things.  Each event is
 * one tensor at one step: pid is the memory space, tid the step, dur the bytes, and ts the offset
 * (with enable_memory_offsets) or only where the bar begins in its row.  A tensor's events of
 * successive steps are one buffer. */
#include "config.h"

#include "data/hash.h"
#include "data/json.h"
#include "data/readers/readers.h"
#include "data/units.h"

#include <string.h>

typedef struct {
  uint32_t name, stack;
  int64_t space, step, at, bytes;
} Row;

/* A buffer whose last step may not have come yet. */
typedef struct {
  int64_t at, first, last;
  uint32_t row;
  bool has_moved;
} Life;

typedef struct {
  TnJson json;
  TnDocument *document;
  GArray *rows;     /* Row */
  GArray *lives;    /* Life */
  GHashTable *open; /* char * key → life + 1 */
  int64_t n_damaged;
} Reader;

/* ---- events ------------------------------------------------------------------------------------
 */

static uint32_t
read_text(Reader *reader)
{
  const char *text;
  if (tn_json_peek(&reader->json) != TN_JSON_STRING) {
    tn_json_skip(&reader->json);
    return 0;
  }
  return tn_json_read_string(&reader->json, &text)
             ? tn_strings_intern(reader->document->strings, text, -1)
             : 0;
}

static void
read_number(Reader *reader, int64_t *out)
{
  if (tn_json_peek(&reader->json) == TN_JSON_NUMBER)
    tn_json_read_int(&reader->json, out);
  else
    tn_json_skip(&reader->json);
}

/* The op and the module that it is of. */
static uint32_t
read_arguments(Reader *reader)
{
  const char *key;
  uint32_t frames[2] = {0}, n = 0;
  if (tn_json_peek(&reader->json) != TN_JSON_OBJECT) {
    tn_json_skip(&reader->json);
    return 0;
  }
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    bool is_wanted = (strcmp(key, "op_name") == 0 || strcmp(key, "fqn") == 0) && n < 2;
    uint32_t text = is_wanted ? read_text(reader) : 0;
    if (!is_wanted)
      tn_json_skip(&reader->json);
    else if (text)
      frames[n++] = tn_stacks_intern_frame(reader->document->stacks, (TnFrame){.name = text});
  }
  return n ? tn_stacks_intern(reader->document->stacks, frames, n) : 0;
}

static bool
read_event(Reader *reader)
{
  const char *key;
  Row row = {.space = -1, .step = -1, .at = -1, .bytes = -1};
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "name") == 0)
      row.name = read_text(reader);
    else if (strcmp(key, "ts") == 0)
      read_number(reader, &row.at);
    else if (strcmp(key, "dur") == 0)
      read_number(reader, &row.bytes);
    else if (strcmp(key, "pid") == 0)
      read_number(reader, &row.space);
    else if (strcmp(key, "tid") == 0)
      read_number(reader, &row.step);
    else if (strcmp(key, "args") == 0)
      row.stack = read_arguments(reader);
    else
      tn_json_skip(&reader->json);
  }
  bool is_good = row.space >= 0 && row.space < 4096 && row.step >= 0 && row.step < INT32_MAX &&
                 row.at >= 0 && row.bytes >= 0 && row.bytes <= INT64_MAX - row.at;
  reader->n_damaged += !is_good;
  if (is_good)
    g_array_append_val(reader->rows, row);
  return !tn_json_has_failed(&reader->json);
}

static bool
read_events(Reader *reader)
{
  const char *key;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "traceEvents") != 0) {
      tn_json_skip(&reader->json);
      continue;
    }
    tn_json_begin_array(&reader->json);
    while (tn_json_next_item(&reader->json))
      if (!read_event(reader))
        return false;
  }
  return tn_json_expect_end(&reader->json);
}

/* ---- lives -------------------------------------------------------------------------------------
 */

static gint
compare_rows(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* An op's results have its name: those of one size are told apart by their number in the step. */
static void
extend_life(Reader *reader, GHashTable *seen, uint32_t i)
{
  const Row *row = &g_array_index(reader->rows, Row, i);
  g_autofree char *kind = g_strdup_printf("%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, row->name,
                                          row->space, row->bytes);
  uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(seen, kind));
  g_autofree char *key = g_strdup_printf("%s %u", kind, number);
  uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(reader->open, key));
  Life *life = found ? &g_array_index(reader->lives, Life, found - 1) : NULL;
  g_hash_table_insert(seen, g_steal_pointer(&kind), GUINT_TO_POINTER(number + 1));
  if (life && life->last + 1 >= row->step) {
    life->last = row->step;
    life->has_moved |= life->at != row->at;
    return;
  }
  Life made = {row->at, row->step, row->step, i, false};
  g_array_append_val(reader->lives, made);
  g_hash_table_insert(reader->open, g_steal_pointer(&key), GUINT_TO_POINTER(reader->lives->len));
}

/* True where ts is an offset: bars that only fill their row move from step to step. */
static bool
join_steps(Reader *reader)
{
  bool has_moved = false;
  g_autoptr(GHashTable) seen = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  g_array_sort(reader->rows, compare_rows);
  for (uint32_t i = 0; i < reader->rows->len; i++) {
    if (i && compare_rows(&g_array_index(reader->rows, Row, i - 1),
                          &g_array_index(reader->rows, Row, i)))
      g_hash_table_remove_all(seen);
    extend_life(reader, seen, i);
  }
  for (guint i = 0; i < reader->lives->len; i++)
    has_moved |= g_array_index(reader->lives, Life, i).has_moved;
  return !has_moved;
}

/* ExecuTorch numbers its spaces from 1 on. */
static int64_t
first_space(const Reader *reader)
{
  for (guint i = 0; i < reader->rows->len; i++)
    if (g_array_index(reader->rows, Row, i).space == 0)
      return 0;
  return 1;
}

static void
fill_device(Reader *reader, bool has_offsets)
{
  TnDevice *device = tn_document_device(reader->document, 0);
  int64_t base = first_space(reader);
  TnBuffers *b = device->buffers = tn_buffers_new();
  device->axis = TN_AXIS_STEP;
  device->space_names = g_ptr_array_new_with_free_func(g_free);
  tn_buffers_need(b, TN_COLUMN_NAME | TN_COLUMN_STACK | TN_COLUMN_SPACE);
  for (guint i = 0; i < reader->lives->len; i++) {
    const Life *life = &g_array_index(reader->lives, Life, i);
    const Row *row = &g_array_index(reader->rows, Row, life->row);
    tn_index k = tn_buffers_add(b, life->first, life->last + 1, row->bytes, TN_KIND_ACTIVATION);
    b->name[k] = row->name;
    b->stack[k] = row->stack;
    b->offset[k] = has_offsets ? life->at : TN_NOT_PLACED;
    b->space[k] = (uint32_t)(row->space - base);
    device->axis_end = MAX(device->axis_end, life->last + 1);
    while (device->space_names->len <= b->space[k])
      g_ptr_array_add(device->space_names,
                      g_strdup_printf("memory %d", (int)(device->space_names->len + base)));
  }
}

static void
finish(Reader *reader)
{
  TnDiagnostics *diagnostics = reader->document->diagnostics;
  bool has_offsets = join_steps(reader);
  fill_device(reader, has_offsets);
  if (!has_offsets)
    tn_diagnostics_add(diagnostics, "no-offsets", 1,
                       "the trace has lives and sizes only: write it with "
                       "enable_memory_offsets=True for the plan");
  if (reader->n_damaged)
    tn_diagnostics_add(diagnostics, "damaged-events", reader->n_damaged,
                       "%" G_GINT64_FORMAT " %s left "
                       "out",
                       reader->n_damaged,
                       tn_plural(reader->n_damaged, "event lacks a size, a step or a space and was",
                                 "events lack a size, a step or a space and were"));
}

static bool
read_trace(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {.document = document,
                   .rows = g_array_new(FALSE, FALSE, sizeof(Row)),
                   .lives = g_array_new(FALSE, FALSE, sizeof(Life)),
                   .open = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL)};
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("ExecuTorch memory trace");
  tn_json_init(&reader.json, source->name, source->data, source->size, error);
  bool is_good = read_events(&reader);
  if (is_good && reader.rows->len == 0)
    is_good = tn_json_fail(&reader.json, TN_DATA_ERROR_MALFORMED,
                           "found no event with a size, a step and a space, expected those of "
                           "generate_memory_trace()");
  if (is_good)
    finish(&reader);
  tn_json_clear(&reader.json);
  g_array_unref(reader.rows);
  g_array_unref(reader.lives);
  g_hash_table_unref(reader.open);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize head = MIN(size, (gsize)65536);
  return memmem(data, head, "\"traceEvents\"", 13) && memmem(data, head, "\"Memory ID\"", 11) &&
                 memmem(data, head, "\"memory_allocation\"", 19)
             ? 92
             : 0;
}

const TnReader tn_reader_executorch_trace = {
    .name = "executorch-trace",
    .holds = "ExecuTorch's generate_memory_trace(): lives, and offsets where they were asked for",
    .patterns = "*.json",
    .sniff = sniff,
    .read = read_trace,
};
