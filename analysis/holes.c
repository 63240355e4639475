/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/holes.h"

#include "analysis/segment-lives.h"

#include <stdlib.h>

#define MIB ((tn_bytes)1 << 20)
#define SMALL_REQUEST (1 * MIB)
#define SMALL_SEGMENT (2 * MIB)
#define LARGE_GRANULE (20 * MIB)

bool
tn_holes_is_small_request(tn_bytes rounded)
{
  return rounded <= SMALL_REQUEST;
}

/* ---- segments ------------------------------------------------------------------------------ */

static int
compare_finals(gconstpointer a, gconstpointer b)
{
  const TnSegment *x = *(const TnSegment *const *)a, *y = *(const TnSegment *const *)b;
  if (x->address != y->address)
    return x->address > y->address ? 1 : -1;
  return (x > y) - (x < y);
}

/* The segments of the final snapshot, by address. */
static GPtrArray *
sort_finals(const TnDevice *device)
{
  GPtrArray *finals = g_ptr_array_sized_new(device->segments->len);
  bool is_sorted = true;
  for (guint i = 0; i < device->segments->len; i++) {
    TnSegment *segment = &g_array_index(device->segments, TnSegment, i);
    is_sorted &= i == 0 || segment[-1].address <= segment->address;
    g_ptr_array_add(finals, segment);
  }
  if (!is_sorted)
    g_ptr_array_sort(finals, compare_finals);
  return finals;
}

/* The segment of the final snapshot that holds this address, or NULL.  None overlap. */
static const TnSegment *
find_final(const GPtrArray *finals, uint64_t address)
{
  guint low = 0, high = finals->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (((const TnSegment *)finals->pdata[middle])->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const TnSegment *segment = low ? finals->pdata[low - 1] : NULL;
  return segment && address - segment->address < (uint64_t)segment->bytes ? segment : NULL;
}

static bool
is_event(const TnDevice *device, tn_tick tick, TnEventAction action)
{
  return tick >= 0 && tick < (tn_tick)device->events.n && device->events.action[tick] == action;
}

/* Small or large, fixed or growing: from the snapshot where the piece is still there, else from the
 * event that brought or took it. */
static void
classify(const TnDevice *device, const GPtrArray *finals, const TnBuffers *lives, uint32_t row,
         TnSegmentState *out)
{
  bool lives_to_end = lives->end[row] >= (tn_tick)device->events.n;
  const TnSegment *final = lives_to_end ? find_final(finals, out->address) : NULL;
  if (final) {
    out->is_small = final->is_small;
    out->is_expandable = final->is_expandable;
    return;
  }
  out->is_expandable = is_event(device, lives->start[row], TN_EVENT_SEGMENT_MAP) ||
                       is_event(device, lives->end[row], TN_EVENT_SEGMENT_UNMAP);
  out->is_small = out->is_expandable ? out->bytes % LARGE_GRANULE != 0
                                     : out->bytes <= SMALL_SEGMENT;
}

static int
compare_segments(const void *a, const void *b)
{
  const TnSegmentState *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* Pieces of one growing segment that touch are one place. */
static void
merge_mappings(GArray *segments)
{
  guint kept = 0;
  for (guint i = 1; i < segments->len; i++) {
    TnSegmentState *last = &g_array_index(segments, TnSegmentState, kept);
    const TnSegmentState *next = &g_array_index(segments, TnSegmentState, i);
    if (last->is_expandable && next->is_expandable && last->space == next->space &&
        last->is_small == next->is_small && last->address + (uint64_t)last->bytes == next->address)
      last->bytes += next->bytes;
    else
      g_array_index(segments, TnSegmentState, ++kept) = *next;
  }
  if (segments->len)
    g_array_set_size(segments, kept + 1);
}

static void
add_segment(TnHoles *holes, const TnStudy *study, const GPtrArray *finals, const TnBuffers *lives,
            uint32_t row)
{
  TnSegmentState state = {.address = (uint64_t)lives->offset[row],
                          .bytes = lives->bytes[row],
                          .space = tn_buffers_space(lives, row)};
  classify(study->device, finals, lives, row, &state);
  g_array_append_val(holes->segments, state);
}

static bool
is_alive(const TnBuffers *b, uint32_t row, tn_tick tick)
{
  return b->start[row] <= tick && tick < b->end[row];
}

static void
collect_segments(TnHoles *holes, const TnStudy *study)
{
  const TnBuffers *lives = study->segments;
  TnBuffers *own = NULL;
  g_autoptr(GPtrArray) finals = sort_finals(study->device);
  if (!lives)
    lives = own = tn_segment_lives_new(study->device);
  for (uint32_t row = 0; row < lives->n && lives->start[row] <= holes->tick; row++)
    if (is_alive(lives, row, holes->tick))
      add_segment(holes, study, finals, lives, row);
  if (holes->segments->len)
    qsort(holes->segments->data, holes->segments->len, sizeof(TnSegmentState), compare_segments);
  merge_mappings(holes->segments);
  tn_buffers_free(own);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static void
add_block(TnHoles *holes, const TnStudy *study, uint32_t row)
{
  TnHeldBlock block = {.address = (uint64_t)study->offset[row],
                       .bytes = study->buffers->bytes[row],
                       .buffer = row,
                       .segment = TN_NONE};
  if (study->offset[row] != TN_NOT_PLACED)
    g_array_append_val(holes->blocks, block);
}

static int
compare_blocks(const void *a, const void *b)
{
  const TnHeldBlock *x = a, *y = b;
  if (x->address != y->address)
    return x->address > y->address ? 1 : -1;
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static void
collect_blocks(TnHoles *holes, const TnStudy *study)
{
  if (study->index) {
    g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tn_live_index_at(study->index, holes->tick, alive);
    for (guint i = 0; i < alive->len; i++)
      add_block(holes, study, g_array_index(alive, uint32_t, i));
  } else {
    for (uint32_t row = 0; row < study->buffers->n; row++)
      if (is_alive(study->buffers, row, holes->tick))
        add_block(holes, study, row);
  }
  if (holes->blocks->len)
    qsort(holes->blocks->data, holes->blocks->len, sizeof(TnHeldBlock), compare_blocks);
}

/* ---- holes --------------------------------------------------------------------------------- */

/* What is cut off a block's surroundings without being a hole. */
typedef struct {
  tn_bytes least_split; /* a smaller or equal rest stays with its block; 0: everything is split */
  tn_bytes whole_from;  /* blocks from this size on keep all of their segment's rest; 0: none do */
} Splitting;

static Splitting
read_splitting(const TnStudy *study)
{
  GHashTable *settings = study->document->settings;
  const char *text = settings ? g_hash_table_lookup(settings, "max_split_size") : NULL;
  gint64 most = text ? g_ascii_strtoll(text, NULL, 10) : -1;
  return (Splitting){.least_split = study->device->granularity == 512 ? SMALL_REQUEST : 0,
                     .whole_from = most > 0 ? most : 0};
}

static tn_bytes
rest_of(const Splitting *how, const TnSegmentState *segment, const TnHeldBlock *block, tn_bytes gap)
{
  if (segment->is_small || segment->is_expandable)
    return 0;
  bool is_whole = how->whole_from > 0 && block->bytes >= how->whole_from;
  return gap <= how->least_split || is_whole ? gap : 0;
}

static void
add_hole(TnHoles *holes, uint32_t segment_row, uint64_t from, tn_bytes bytes)
{
  TnSegmentState *segment = &g_array_index(holes->segments, TnSegmentState, segment_row);
  TnHole hole = {from, bytes, segment_row};
  g_array_append_val(holes->holes, hole);
  segment->n_holes++;
  segment->free_bytes += bytes;
  segment->largest_hole = MAX(segment->largest_hole, bytes);
}

/* Takes the blocks from *next on that stand in the segment, and leaves *next behind them. */
static void
fill_segment(TnHoles *holes, const Splitting *how, uint32_t row, guint *next)
{
  TnSegmentState *segment = &g_array_index(holes->segments, TnSegmentState, row);
  uint64_t at = segment->address, stop = at + (uint64_t)segment->bytes;
  TnHeldBlock *before = NULL;
  segment->first_hole = holes->holes->len;
  segment->first_block = *next;
  for (; *next < holes->blocks->len; ++*next) {
    TnHeldBlock *block = &g_array_index(holes->blocks, TnHeldBlock, *next);
    if (block->address >= stop)
      break;
    if (block->address > at) {
      tn_bytes gap = (tn_bytes)(block->address - at);
      tn_bytes rest = before ? rest_of(how, segment, before, gap) : 0;
      if (rest)
        before->rest = rest;
      else
        add_hole(holes, row, at, gap);
    }
    block->segment = row;
    at = MAX(at, MIN(block->address + (uint64_t)block->bytes, stop));
    before = block;
  }
  segment->n_blocks = *next - segment->first_block;
  tn_bytes gap = (tn_bytes)(stop - at), rest = before ? rest_of(how, segment, before, gap) : 0;
  if (rest)
    before->rest = rest;
  else if (gap > 0)
    add_hole(holes, row, at, gap);
}

static void
skip_outside(TnHoles *holes, uint64_t until, guint *next)
{
  for (; *next < holes->blocks->len; ++*next) {
    const TnHeldBlock *block = tn_holes_block(holes, *next);
    if (block->address >= until)
      return;
    holes->n_outside++;
    holes->outside_bytes += block->bytes;
  }
}

static void
find_holes(TnHoles *holes, const TnStudy *study)
{
  Splitting how = read_splitting(study);
  guint next = 0;
  for (guint i = 0; i < holes->segments->len; i++) {
    skip_outside(holes, tn_holes_segment(holes, i)->address, &next);
    fill_segment(holes, &how, i, &next);
  }
  skip_outside(holes, UINT64_MAX, &next);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static int
compare_groups(const void *a, const void *b)
{
  const TnHoleGroup *x = a, *y = b;
  if (x->space != y->space)
    return x->space > y->space ? 1 : -1;
  return (int)y->is_small - (int)x->is_small;
}

/* `row_of`: space and kind → row + 1. */
static TnHoleGroup *
group_for(TnHoles *holes, GHashTable *row_of, const TnSegmentState *segment)
{
  gpointer key = GSIZE_TO_POINTER((gsize)segment->space * 2 + segment->is_small);
  guint row = GPOINTER_TO_UINT(g_hash_table_lookup(row_of, key));
  if (!row) {
    TnHoleGroup fresh = {.space = segment->space, .is_small = segment->is_small};
    g_array_append_val(holes->groups, fresh);
    row = holes->groups->len;
    g_hash_table_insert(row_of, key, GUINT_TO_POINTER(row));
  }
  return &g_array_index(holes->groups, TnHoleGroup, row - 1);
}

static void
sum_up(TnHoles *holes)
{
  g_autoptr(GHashTable) row_of = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < holes->segments->len; i++) {
    const TnSegmentState *segment = tn_holes_segment(holes, i);
    TnHoleGroup *group = group_for(holes, row_of, segment);
    group->n_segments++;
    group->n_holes += segment->n_holes;
    group->reserved_bytes += segment->bytes;
    group->free_bytes += segment->free_bytes;
    group->largest_hole = MAX(group->largest_hole, segment->largest_hole);
    holes->reserved_bytes += segment->bytes;
    holes->free_bytes += segment->free_bytes;
    holes->largest_hole = MAX(holes->largest_hole, segment->largest_hole);
  }
  for (guint i = 0; i < holes->blocks->len; i++) {
    holes->rest_bytes += tn_holes_block(holes, i)->rest;
    holes->n_rests += tn_holes_block(holes, i)->rest > 0;
  }
  holes->block_bytes = holes->reserved_bytes - holes->free_bytes - holes->rest_bytes;
  if (holes->groups->len)
    qsort(holes->groups->data, holes->groups->len, sizeof(TnHoleGroup), compare_groups);
}

TnHoles *
tn_holes_new(const TnStudy *study, tn_tick tick)
{
  TnHoles *holes = g_new0(TnHoles, 1);
  holes->tick = tick;
  holes->segments = g_array_new(FALSE, TRUE, sizeof(TnSegmentState));
  holes->blocks = g_array_new(FALSE, TRUE, sizeof(TnHeldBlock));
  holes->holes = g_array_new(FALSE, TRUE, sizeof(TnHole));
  holes->groups = g_array_new(FALSE, TRUE, sizeof(TnHoleGroup));
  collect_segments(holes, study);
  collect_blocks(holes, study);
  find_holes(holes, study);
  sum_up(holes);
  return holes;
}

void
tn_holes_free(TnHoles *holes)
{
  if (!holes)
    return;
  g_array_unref(holes->segments);
  g_array_unref(holes->blocks);
  g_array_unref(holes->holes);
  g_array_unref(holes->groups);
  g_free(holes);
}

double
tn_holes_fragmentation(const TnHoles *holes)
{
  return holes->free_bytes > 0 ? 1.0 - (double)holes->largest_hole / (double)holes->free_bytes : 0.0;
}

const TnHoleGroup *
tn_holes_find_group(const TnHoles *holes, uint32_t space, bool is_small)
{
  for (guint i = 0; i < holes->groups->len; i++) {
    const TnHoleGroup *group = &g_array_index(holes->groups, TnHoleGroup, i);
    if (group->space == space && group->is_small == is_small)
      return group;
  }
  return NULL;
}
