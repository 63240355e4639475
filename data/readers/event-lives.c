/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/event-lives.h"

typedef struct {
  int32_t ordinal;
  uint32_t name;
  int64_t start, end;
  tn_bytes bytes;
  uint8_t kind;
} Row;

typedef struct {
  int64_t time;
  uint32_t row;
  bool is_start;
} Edge;

struct TnEventLives {
  GArray *rows; /* Row */
};

TnEventLives *
tn_event_lives_new(void)
{
  TnEventLives *lives = g_new0(TnEventLives, 1);
  lives->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  return lives;
}

void
tn_event_lives_free(TnEventLives *lives)
{
  if (!lives)
    return;
  g_array_unref(lives->rows);
  g_free(lives);
}

void
tn_event_lives_add(TnEventLives *lives,
                   int32_t ordinal,
                   uint32_t name,
                   int64_t start,
                   int64_t end,
                   tn_bytes bytes,
                   TnBufferKind kind)
{
  Row row = {ordinal, name, start, end, bytes, (uint8_t)kind};
  g_array_append_val(lives->rows, row);
}

static int
compare_edges(gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->is_start != y->is_start)
    return x->is_start ? 1 : -1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* An allocation released at its own time still was there: it ends one tick behind its start. */
static GArray *
collect_edges(const TnEventLives *lives)
{
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  for (uint32_t i = 0; i < lives->rows->len; i++) {
    const Row *row = &g_array_index(lives->rows, Row, i);
    Edge start = {row->start, i, true}, end = {row->end, i, false};
    if (row->start != TN_TIME_UNKNOWN)
      g_array_append_val(edges, start);
    if (row->end != TN_TIME_UNKNOWN && (row->start == TN_TIME_UNKNOWN || row->end > row->start))
      g_array_append_val(edges, end);
  }
  g_array_sort(edges, compare_edges);
  return edges;
}

static TnDevice *
need_device(TnDocument *document, int32_t ordinal)
{
  TnDevice *device = tn_document_device(document, ordinal);
  if (!device->buffers) {
    device->buffers = tn_buffers_new();
    tn_buffers_need(device->buffers, TN_COLUMN_NAME);
    device->axis = TN_AXIS_EVENT;
  }
  return device;
}

static tn_index
add_buffer(TnDevice *device, const Row *row, tn_tick start)
{
  bool is_before = row->start == TN_TIME_UNKNOWN;
  bool is_instant = !is_before && row->end != TN_TIME_UNKNOWN && row->end <= row->start;
  TnBuffers *b = device->buffers;
  tn_index i = tn_buffers_add(b, start, is_instant ? start + 1 : TN_TICK_MAX, row->bytes,
                              is_before ? TN_KIND_BEFORE : (TnBufferKind)row->kind);
  b->name[i] = row->name;
  b->flags[i] = (uint8_t)((is_before ? TN_BUFFER_BEFORE : 0) |
                          (row->end == TN_TIME_UNKNOWN ? TN_BUFFER_TO_END : 0));
  return i;
}

/* Times of a broken file may lie further apart than 64 bits hold. */
static int64_t
time_since(int64_t time, int64_t first)
{
  int64_t since;
  return __builtin_sub_overflow(time, first, &since) ? INT64_MAX : since;
}

/* Counted from the first edge of all devices, which is at 1: 0 would mean unknown. */
static void
add_tick(TnDevice *device, int64_t since_first, int64_t per_us)
{
  int64_t us = MIN(since_first / per_us, INT64_MAX - 1) + 1;
  if (!device->tick_us)
    device->tick_us = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_array_append_val(device->tick_us, us);
}

void
tn_event_lives_finish(TnEventLives *lives, TnDocument *document, int64_t per_us)
{
  g_autoptr(GArray) edges = collect_edges(lives);
  g_autofree tn_index *buffer = g_new(tn_index, MAX(lives->rows->len, 1u));
  document->kind = TN_DOCUMENT_PLAN;
  for (uint32_t i = 0; i < lives->rows->len; i++) {
    const Row *row = &g_array_index(lives->rows, Row, i);
    if (row->start == TN_TIME_UNKNOWN)
      buffer[i] = add_buffer(need_device(document, row->ordinal), row, 0);
  }
  int64_t first = edges->len ? g_array_index(edges, Edge, 0).time : 0;
  for (guint e = 0; e < edges->len; e++) {
    const Edge *edge = &g_array_index(edges, Edge, e);
    const Row *row = &g_array_index(lives->rows, Row, edge->row);
    TnDevice *device = need_device(document, row->ordinal);
    tn_tick tick = device->axis_end++;
    add_tick(device, time_since(edge->time, first), per_us);
    if (edge->is_start)
      buffer[edge->row] = add_buffer(device, row, tick);
    else
      device->buffers->end[buffer[edge->row]] = MAX(tick, (tn_tick)1);
  }
  if (document->devices->len == 0)
    need_device(document, 0);
  for (guint d = 0; d < document->devices->len; d++) {
    TnDevice *device = g_ptr_array_index(document->devices, d);
    device->axis_end = MAX(device->axis_end, (tn_tick)1);
    for (uint32_t i = 0; device->buffers && i < device->buffers->n; i++)
      device->buffers->end[i] = MIN(device->buffers->end[i], device->axis_end);
  }
}
