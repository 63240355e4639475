/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/document.h"

#include "data/graph-order.h"
#include "data/memory.h"
#include "data/units.h"

#include <string.h>

static void
free_device(gpointer data)
{
  TnDevice *device = data;
  TnEvents *events = &device->events;
  g_free(events->action);
  g_free(events->address);
  g_free(events->bytes);
  g_free(events->time_us);
  g_free(events->stack);
  g_free(events->space);
  g_free(events->note);
  g_free(events->name);
  g_free(events->used);
  g_free(events->stream);
  g_free(events->thread);
  g_free(events->line);
  g_array_unref(device->segments);
  g_array_unref(device->blocks);
  g_array_unref(device->spaces);
  g_clear_pointer(&device->space_of, g_hash_table_unref);
  g_array_unref(device->marks);
  tn_buffers_free(device->buffers);
  g_clear_pointer(&device->space_names, g_ptr_array_unref);
  g_clear_pointer(&device->space_arena, g_array_unref);
  g_clear_pointer(&device->last_uses, g_array_unref);
  g_clear_pointer(&device->samples, g_array_unref);
  g_clear_pointer(&device->tick_us, g_array_unref);
  g_clear_pointer(&device->pool, g_array_unref);
  g_free(device);
}

static void
clear_statement(gpointer data)
{
  g_free(((TnStatement *)data)->text);
  g_free(((TnStatement *)data)->hint);
}

TnDocument *
tn_document_new(const char *path)
{
  TnDocument *document = g_new0(TnDocument, 1);
  document->path = g_strdup(path);
  document->shown_path = g_filename_display_name(path);
  document->strings = tn_strings_new();
  document->stacks = tn_stacks_new();
  document->diagnostics = tn_diagnostics_new();
  document->devices = g_ptr_array_new_with_free_func(free_device);
  document->device_of = g_hash_table_new(NULL, NULL);
  document->accounts = g_ptr_array_new_with_free_func((GDestroyNotify)tn_account_free);
  document->statements = g_array_new(FALSE, FALSE, sizeof(TnStatement));
  g_array_set_clear_func(document->statements, clear_statement);
  document->lower_bound_bytes = TN_BYTES_UNKNOWN;
  return document;
}

void
tn_document_free(TnDocument *document)
{
  if (!document)
    return;
  g_hash_table_unref(document->device_of);
  g_ptr_array_unref(document->devices);
  tn_graph_free(document->graph);
  tn_strings_free(document->strings);
  tn_stacks_free(document->stacks);
  tn_diagnostics_free(document->diagnostics);
  g_clear_pointer(&document->settings, g_hash_table_unref);
  g_ptr_array_unref(document->accounts);
  g_array_unref(document->statements);
  g_clear_pointer(&document->op_names, g_array_unref);
  g_clear_pointer(&document->op_streams, g_array_unref);
  g_clear_pointer(&document->waits, g_array_unref);
  g_free(document->strategy);
  g_free(document->lifetime_model);
  g_free(document->actions);
  g_free(document->producer);
  g_free(document->path);
  g_free(document->shown_path);
  g_free(document);
}

TnDevice *
tn_document_device(TnDocument *document, int32_t ordinal)
{
  /* Files number devices from 0 on, so the row is nearly always the ordinal: asked for each event. */
  TnDevice *had = ordinal >= 0 && (guint)ordinal < document->devices->len
                      ? g_ptr_array_index(document->devices, ordinal)
                      : NULL;
  if (!had || had->ordinal != ordinal)
    had = g_hash_table_lookup(document->device_of, GINT_TO_POINTER(ordinal));
  if (had)
    return had;
  TnDevice *device = g_new0(TnDevice, 1);
  device->ordinal = ordinal;
  device->total_bytes = device->arena_bytes = device->stated_total = TN_BYTES_UNKNOWN;
  device->segments = g_array_new(FALSE, TRUE, sizeof(TnSegment));
  device->blocks = g_array_new(FALSE, TRUE, sizeof(TnBlock));
  device->spaces = g_array_new(FALSE, TRUE, sizeof(TnSpace));
  device->marks = g_array_new(FALSE, TRUE, sizeof(TnMark));
  g_ptr_array_add(document->devices, device);
  g_hash_table_insert(document->device_of, GINT_TO_POINTER(ordinal), device);
  return device;
}

#define MOST_STATEMENTS 1000

void
tn_document_state(TnDocument *document, const char *code, TnStatementWeight weight, uint32_t line,
                  const char *text, const char *hint)
{
  if (document->statements->len >= MOST_STATEMENTS) {
    tn_diagnostics_count(document->diagnostics, "more-statements",
                         "the file says more than 1000 things in words: the rest is not listed");
    return;
  }
  TnStatement statement = {code, weight, line, g_utf8_make_valid(text, -1), g_strdup(hint)};
  g_array_append_val(document->statements, statement);
}

uint32_t
tn_document_op_name(const TnDocument *document, uint32_t op)
{
  if (document->graph)
    return op < document->graph->ops->len ? tn_graph_op(document->graph, op)->name : 0;
  if (document->op_names && op < document->op_names->len)
    return g_array_index(document->op_names, uint32_t, op);
  return 0;
}

uint32_t
tn_document_op_at(const TnDocument *document, const TnDevice *device, tn_tick tick)
{
  if (tick < 0 || device->has_other_ops)
    return TN_NONE;
  if (document->graph) {
    const GArray *order = document->graph->order;
    return order && tick / 3 < order->len ? g_array_index(order, uint32_t, tick / 3) : TN_NONE;
  }
  if (!document->op_names || document->ticks_per_op <= 0 ||
      tick / document->ticks_per_op >= document->op_names->len)
    return TN_NONE;
  return (uint32_t)(tick / document->ticks_per_op);
}

bool
tn_document_has_many_streams(const TnDocument *document)
{
  const TnGraph *graph = document->graph;
  const GArray *streams = document->op_streams;
  if (graph)
    return tn_graph_has_streams(graph);
  for (guint op = 1; streams && op < streams->len; op++)
    if (g_array_index(streams, uint32_t, op) != g_array_index(streams, uint32_t, 0))
      return true;
  return false;
}

void
tn_document_warn_unsized(TnDocument *document)
{
  const TnGraph *graph = document->graph;
  const TnTensor *first = NULL;
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(graph, i);
    if (tensor->bytes != TN_BYTES_UNKNOWN)
      continue;
    if (n++ == 0 || (first->lost_at != TN_NONE && tensor->lost_at < first->lost_at))
      first = tensor;
  }
  if (n == 0)
    return;
  g_autofree char *op = first->lost_at != TN_NONE
                            ? tn_graph_build_op_text(graph, document->strings, first->lost_at)
                        : first->kind == TN_TENSOR_CONSTANT ? g_strdup("the graph's weights")
                                                            : g_strdup("the graph's inputs");
  tn_diagnostics_add(document->diagnostics, "unsized-tensors", n,
                     "%u %s no known size; the first is '%s', lost at %s: %s", n,
                     tn_plural(n, "tensor has", "tensors have"),
                     tn_strings_get(document->strings, first->name), op,
                     tn_strings_get(document->strings, first->lost_why));
}

static void
grow_events(TnEvents *events)
{
  uint32_t n = events->capacity ? events->capacity + events->capacity / 2 : 16;
  events->capacity = n;
  events->action = g_realloc_n(events->action, n, sizeof *events->action);
  events->address = g_realloc_n(events->address, n, sizeof *events->address);
  events->bytes = g_realloc_n(events->bytes, n, sizeof *events->bytes);
  events->time_us = g_realloc_n(events->time_us, n, sizeof *events->time_us);
  events->stack = g_realloc_n(events->stack, n, sizeof *events->stack);
  events->space = g_realloc_n(events->space, n, sizeof *events->space);
  if (events->note)
    events->note = g_realloc_n(events->note, n, sizeof *events->note);
  if (events->name)
    events->name = g_realloc_n(events->name, n, sizeof *events->name);
  if (events->used)
    events->used = g_realloc_n(events->used, n, sizeof *events->used);
  if (events->stream)
    events->stream = g_realloc_n(events->stream, n, sizeof *events->stream);
  if (events->thread)
    events->thread = g_realloc_n(events->thread, n, sizeof *events->thread);
  if (events->line)
    events->line = g_realloc_n(events->line, n, sizeof *events->line);
}

void
tn_events_reserve(TnEvents *events, uint32_t n)
{
  if (events->capacity || n < 65536)
    return;
  events->capacity = n;
  events->action = tn_reserve(n, sizeof *events->action);
  events->address = tn_reserve(n, sizeof *events->address);
  events->bytes = tn_reserve(n, sizeof *events->bytes);
  events->time_us = tn_reserve(n, sizeof *events->time_us);
  events->stack = tn_reserve(n, sizeof *events->stack);
  events->space = tn_reserve(n, sizeof *events->space);
}

uint32_t
tn_events_add(TnEvents *events, TnEventAction action, uint64_t address, tn_bytes bytes)
{
  if (events->n == events->capacity)
    grow_events(events);
  uint32_t i = events->n++;
  events->action[i] = (uint8_t)action;
  events->address[i] = address;
  events->bytes[i] = bytes;
  events->time_us[i] = 0;
  events->stack[i] = 0;
  events->space[i] = 0;
  if (events->note)
    events->note[i] = 0;
  if (events->name)
    events->name[i] = 0;
  if (events->used)
    events->used[i] = TN_BYTES_UNKNOWN;
  if (events->stream)
    events->stream[i] = TN_STREAM_UNKNOWN;
  if (events->thread)
    events->thread[i] = 0;
  if (events->line)
    events->line[i] = 0;
  return i;
}

/* Most columns are of ids, and most events have none of them. */
static void
set_id(const TnEvents *events, uint32_t **column, uint32_t event, uint32_t id)
{
  if (!*column && id == 0)
    return;
  if (!*column)
    *column = g_new0(uint32_t, events->capacity);
  (*column)[event] = id;
}

void
tn_events_set_note(TnEvents *events, uint32_t event, uint32_t note)
{
  set_id(events, &events->note, event, note);
}

void
tn_events_set_name(TnEvents *events, uint32_t event, uint32_t name)
{
  set_id(events, &events->name, event, name);
}

void
tn_events_set_thread(TnEvents *events, uint32_t event, uint32_t thread)
{
  set_id(events, &events->thread, event, thread);
}

void
tn_events_set_line(TnEvents *events, uint32_t event, uint32_t line)
{
  set_id(events, &events->line, event, line);
}

void
tn_events_set_stream(TnEvents *events, uint32_t event, uint64_t stream)
{
  if (!events->stream && stream == TN_STREAM_UNKNOWN)
    return;
  if (!events->stream) {
    events->stream = g_new(uint64_t, events->capacity);
    memset(events->stream, 0xff, events->n * sizeof *events->stream);
  }
  events->stream[event] = stream;
}

void
tn_events_set_used(TnEvents *events, uint32_t event, tn_bytes used)
{
  if (!events->used) {
    events->used = g_new(tn_bytes, events->capacity);
    for (uint32_t i = 0; i < events->n; i++)
      events->used[i] = TN_BYTES_UNKNOWN;
  }
  events->used[event] = used;
}

/* ---- spaces -------------------------------------------------------------------------------------- */

#define FEW_SPACES 64u

/* A space, and its row. */
typedef struct {
  uint64_t stream;
  int64_t pool[2];
  uint32_t row;
} SpaceRow;

static guint
hash_space(gconstpointer data)
{
  const SpaceRow *s = data;
  uint64_t mix = s->stream * 0x9E3779B97F4A7C15u ^ (uint64_t)s->pool[0] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)s->pool[1] * 0x165667B19E3779F9u;
  return (guint)(mix ^ mix >> 32);
}

static gboolean
equal_spaces(gconstpointer a, gconstpointer b)
{
  const SpaceRow *x = a, *y = b;
  return x->stream == y->stream && x->pool[0] == y->pool[0] && x->pool[1] == y->pool[1];
}

static void
index_space(TnDevice *device, uint32_t row)
{
  const TnSpace *space = &g_array_index(device->spaces, TnSpace, row);
  SpaceRow key = {space->stream, {space->pool[0], space->pool[1]}, row};
  g_hash_table_add(device->space_of, g_memdup2(&key, sizeof key));
}

/* The row, TN_NONE. */
static uint32_t
find_space(TnDevice *device, uint64_t stream, int64_t pool0, int64_t pool1)
{
  SpaceRow key = {stream, {pool0, pool1}, 0};
  if (device->space_of) {
    const SpaceRow *had = g_hash_table_lookup(device->space_of, &key);
    return had ? had->row : TN_NONE;
  }
  for (guint i = device->spaces->len; i-- > 0;) {
    const TnSpace *had = &g_array_index(device->spaces, TnSpace, i);
    if (had->stream == stream && had->pool[0] == pool0 && had->pool[1] == pool1)
      return i;
  }
  return TN_NONE;
}

uint32_t
tn_device_count_marks(const TnDevice *device, TnMarkKind kind)
{
  uint32_t n = 0;
  for (guint i = 0; i < device->marks->len; i++)
    n += g_array_index(device->marks, TnMark, i).kind == kind;
  return n;
}

uint32_t
tn_device_space(TnDevice *device, uint64_t stream, int64_t pool0, int64_t pool1)
{
  uint32_t had = find_space(device, stream, pool0, pool1), row = device->spaces->len;
  if (had != TN_NONE)
    return had;
  TnSpace space = {stream, {pool0, pool1}, 0};
  g_array_append_val(device->spaces, space);
  if (device->space_of) {
    index_space(device, row);
  } else if (row + 1 == FEW_SPACES) {
    device->space_of = g_hash_table_new_full(hash_space, equal_spaces, g_free, NULL);
    for (uint32_t i = 0; i <= row; i++)
      index_space(device, i);
  }
  return row;
}

const char *
tn_document_kind_name(TnDocumentKind kind)
{
  return kind == TN_DOCUMENT_GRAPH ? "graph" : kind == TN_DOCUMENT_LOG ? "log" : "plan";
}

const char *
tn_axis_unit_name(TnAxisUnit unit)
{
  return unit == TN_AXIS_EVENT ? "event" : unit == TN_AXIS_STEP ? "step" : "us";
}

/* Whether Ascend's software wrote it: GE, the driver or the profiler. */
static bool
is_of_npu(const TnDocument *document)
{
  const char *producer = document->producer ? document->producer : "";
  return g_str_has_prefix(producer, "Ascend") || strcmp(producer, "GE") == 0 ||
         g_str_has_prefix(producer, "GE's ");
}

char *
tn_document_dup_device_label(const TnDocument *document, const TnDevice *device)
{
  const char *name = tn_strings_get(document->strings, device->name);
  return name[0] ? g_strdup(name)
                 : g_strdup_printf("%s %d", is_of_npu(document) ? "NPU" : "GPU", device->ordinal);
}
