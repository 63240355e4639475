/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/segment-lives.h"

#include "analysis/lifetime.h"

/* Walking backwards from the end, the set of held pieces is known at every event: a segment_alloc
 * takes its piece out (its life begins here), a segment_free puts one in (its life ends here). */
typedef struct {
  uint64_t address;
  tn_bytes bytes;
  tn_tick end;
  uint32_t space;
} Piece;

typedef struct {
  GArray *held; /* Piece, by address, none overlapping */
  TnBuffers *out;
} Walk;

/* The first piece that ends above `address`. */
static guint
find(const GArray *held, uint64_t address)
{
  guint low = 0, high = held->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const Piece *piece = &g_array_index(held, Piece, middle);
    if (piece->address + (uint64_t)piece->bytes <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
put(Walk *walk, uint64_t address, tn_bytes bytes, tn_tick end, uint32_t space)
{
  guint at = find(walk->held, address);
  Piece piece = {address, bytes, end, space};
  if (bytes > 0)
    g_array_insert_val(walk->held, at, piece);
}

static void
emit(Walk *walk, const Piece *piece, uint64_t from, uint64_t to, tn_tick start)
{
  if (start >= piece->end || from >= to)
    return;
  tn_index row = tn_buffers_add(walk->out, start, piece->end, (tn_bytes)(to - from),
                                TN_KIND_UNKNOWN);
  walk->out->offset[row] = (tn_bytes)from;
  walk->out->space[row] = piece->space;
}

/* The life of [address, address + bytes) begins at `start`; what sticks out of it stays held. */
static void
take(Walk *walk, uint64_t address, tn_bytes bytes, tn_tick start)
{
  uint64_t stop = address + (uint64_t)bytes;
  guint at = find(walk->held, address);
  while (at < walk->held->len) {
    Piece piece = g_array_index(walk->held, Piece, at);
    uint64_t end = piece.address + (uint64_t)piece.bytes;
    if (piece.address >= stop)
      break;
    uint64_t from = MAX(piece.address, address), to = MIN(end, stop);
    emit(walk, &piece, from, to, start);
    g_array_remove_index(walk->held, at);
    if (piece.address < from) {
      Piece below = {piece.address, (tn_bytes)(from - piece.address), piece.end, piece.space};
      g_array_insert_val(walk->held, at, below);
      at++;
    }
    if (end > to) {
      Piece above = {to, (tn_bytes)(end - to), piece.end, piece.space};
      g_array_insert_val(walk->held, at, above);
      at++;
    }
  }
}

/* Rows come out by falling start; turn them round. */
static void
reverse(TnBuffers *b)
{
#define SWAP(column)                                                                               \
  do {                                                                                             \
    __auto_type kept = b->column[i];                                                               \
    b->column[i] = b->column[k];                                                                   \
    b->column[k] = kept;                                                                           \
  } while (0)
  for (uint32_t i = 0; i < b->n / 2; i++) {
    uint32_t k = b->n - 1 - i;
    SWAP(start);
    SWAP(end);
    SWAP(bytes);
    SWAP(offset);
    SWAP(space);
  }
#undef SWAP
}

TnBuffers *
tn_segment_lives_new(const TnDevice *device)
{
  Walk walk = {.held = g_array_new(FALSE, FALSE, sizeof(Piece)), .out = tn_buffers_new()};
  const TnEvents *events = &device->events;
  tn_tick axis_end = tn_log_axis_end(device);
  tn_buffers_need(walk.out, TN_COLUMN_SPACE);
  for (guint i = 0; i < device->segments->len; i++) {
    const TnSegment *segment = &g_array_index(device->segments, TnSegment, i);
    put(&walk, segment->address, segment->bytes, axis_end, segment->space);
  }
  for (uint32_t i = events->n; i-- > 0;) {
    uint8_t action = events->action[i];
    if (action == TN_EVENT_SEGMENT_ALLOC || action == TN_EVENT_SEGMENT_MAP)
      take(&walk, events->address[i], events->bytes[i], i);
    else if (action == TN_EVENT_SEGMENT_FREE || action == TN_EVENT_SEGMENT_UNMAP)
      put(&walk, events->address[i], events->bytes[i], i, events->space[i]);
  }
  for (guint i = 0; i < walk.held->len; i++) {
    const Piece *piece = &g_array_index(walk.held, Piece, i);
    emit(&walk, piece, piece->address, piece->address + (uint64_t)piece->bytes, 0);
  }
  g_array_unref(walk.held);
  reverse(walk.out);
  return walk.out;
}
