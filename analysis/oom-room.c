/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/oom.h"

/* Blocks [first, stop) of the segment go; the hole is what lies between their neighbours. */
typedef struct {
  uint32_t first, stop, segment;
  uint64_t from, to;
  tn_bytes block_bytes;
} Window;

static uint64_t
end_of(const TnHeldBlock *block)
{
  return block->address + (uint64_t)(block->bytes + block->rest);
}

/* Where the hole begins when the blocks from `first` on go, and where it ends before `stop`. */
static void
measure(const TnHoles *holes, Window *window)
{
  const TnSegmentState *segment = tn_holes_segment(holes, window->segment);
  uint32_t last = segment->first_block + segment->n_blocks;
  window->from = window->first > segment->first_block
                     ? end_of(tn_holes_block(holes, window->first - 1))
                     : segment->address;
  window->to = window->stop < last ? tn_holes_block(holes, window->stop)->address
                                   : segment->address + (uint64_t)segment->bytes;
}

static bool
is_better(const Window *a, const Window *b, TnOomRoomOrder order)
{
  if (b->segment == TN_NONE)
    return true;
  uint32_t n = a->stop - a->first, m = b->stop - b->first;
  if (order == TN_FEWEST_BYTES && a->block_bytes != b->block_bytes)
    return a->block_bytes < b->block_bytes;
  return n != m ? n < m : a->block_bytes < b->block_bytes;
}

/* For each first block the fewest that do: the stop only moves up, since a window that begins later
 * and stops at the same place is smaller. */
static void
slide(const TnHoles *holes, uint32_t segment_row, tn_bytes bytes, TnOomRoomOrder order,
      Window *best)
{
  const TnSegmentState *segment = tn_holes_segment(holes, segment_row);
  uint32_t last = segment->first_block + segment->n_blocks;
  Window window = {.first = segment->first_block, .stop = segment->first_block,
                   .segment = segment_row};
  if (segment->bytes < bytes)
    return;
  for (; window.first <= last; window.first++) {
    if (window.stop < window.first)
      window.stop = window.first;
    measure(holes, &window);
    while (window.to < window.from + (uint64_t)bytes && window.stop < last) {
      window.block_bytes += tn_holes_block(holes, window.stop)->bytes;
      window.stop++;
      measure(holes, &window);
    }
    if (window.to < window.from + (uint64_t)bytes)
      return;
    if (is_better(&window, best, order))
      *best = window;
    if (window.first < window.stop)
      window.block_bytes -= tn_holes_block(holes, window.first)->bytes;
  }
}

void
tn_oom_find_room(const TnHoles *holes, uint32_t space, bool is_small, tn_bytes bytes,
                 TnOomRoomOrder order, TnOomRoom *out)
{
  Window best = {.segment = TN_NONE};
  *out = (TnOomRoom){.buffers = g_array_new(FALSE, FALSE, sizeof(uint32_t)), .segment = TN_NONE};
  for (guint i = 0; i < holes->segments->len; i++) {
    const TnSegmentState *segment = tn_holes_segment(holes, i);
    if (segment->space == space && segment->is_small == is_small)
      slide(holes, i, bytes, order, &best);
  }
  if (best.segment == TN_NONE)
    return;
  out->segment = best.segment;
  out->address = best.from;
  out->bytes = (tn_bytes)(best.to - best.from);
  out->block_bytes = best.block_bytes;
  for (uint32_t i = best.first; i < best.stop; i++)
    g_array_append_val(out->buffers, tn_holes_block(holes, i)->buffer);
}

void
tn_oom_room_clear(TnOomRoom *room)
{
  g_clear_pointer(&room->buffers, g_array_unref);
}
