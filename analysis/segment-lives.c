/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/segment-lives.h"

#include "analysis/lifetime.h"

/* Walking backwards from the end, the set of held pieces is known at every event: a segment_alloc
 * takes its piece out (its life begins here), a segment_free puts one in (its life ends here). */
typedef struct {
  uint64_t address;
  uint64_t number; /* the latest put has the smallest: of one address it comes first */
  tn_bytes bytes;
  tn_tick end;
  uint32_t space;
} Piece;

typedef struct {
  GTree *held; /* Piece → itself, by address, none overlapping where the log is whole */
  uint64_t number;
  TnBuffers *out;
} Walk;

static int
compare_pieces(gconstpointer a, gconstpointer b, gpointer nothing)
{
  const Piece *x = a, *y = b;
  if (x->address != y->address)
    return x->address > y->address ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

static uint64_t
end_of(const Piece *piece)
{
  return piece->address + (uint64_t)piece->bytes;
}

/* The first piece that ends above `address`; NULL. */
static GTreeNode *
find(const Walk *walk, uint64_t address)
{
  Piece key = {.address = address};
  GTreeNode *node = g_tree_lower_bound(walk->held, &key);
  GTreeNode *before = node ? g_tree_node_previous(node) : g_tree_node_last(walk->held);
  return before && end_of(g_tree_node_key(before)) > address ? before : node;
}

static void
put(Walk *walk, uint64_t address, tn_bytes bytes, tn_tick end, uint32_t space)
{
  if (bytes <= 0)
    return;
  Piece *piece = g_new(Piece, 1);
  *piece = (Piece){address, --walk->number, bytes, end, space};
  g_tree_insert(walk->held, piece, piece);
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
  GTreeNode *node = find(walk, address);
  while (node) {
    Piece *piece = g_tree_node_value(node), had = *piece;
    if (had.address >= stop)
      break;
    uint64_t from = MAX(had.address, address), to = MIN(end_of(&had), stop);
    node = g_tree_node_next(node);
    if (from >= to)
      continue; /* of two that overlap, the one that ends below */
    emit(walk, &had, from, to, start);
    if (had.address < from)
      piece->bytes = (tn_bytes)(from - had.address);
    else
      g_tree_remove(walk->held, piece);
    if (end_of(&had) > to)
      put(walk, to, (tn_bytes)(end_of(&had) - to), had.end, had.space);
    node = g_tree_upper_bound(walk->held, &had);
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
  Walk walk = {.held = g_tree_new_full(compare_pieces, NULL, g_free, NULL),
               .number = UINT64_MAX,
               .out = tn_buffers_new()};
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
  for (GTreeNode *node = g_tree_node_first(walk.held); node; node = g_tree_node_next(node)) {
    const Piece *piece = g_tree_node_key(node);
    emit(&walk, piece, piece->address, end_of(piece), 0);
  }
  g_tree_unref(walk.held);
  reverse(walk.out);
  return walk.out;
}
