/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/lifetime.h"

#include "analysis/address-table.h"

typedef struct {
  const TnDevice *device;
  TnBuffers *buffers; /* of the trace's allocations, in event order */
  TnBuffers *before;  /* what lived before, found on the way */
  TnAddressTable live; /* address → row of `buffers` */
  tn_tick end;
  TnEventAction freed;
  bool has_free_stacks;
} Sweep;

tn_tick
tn_log_axis_end(const TnDevice *device)
{
  return device->events.n ? (tn_tick)device->events.n : 1;
}

static tn_bytes
rounded(const TnDevice *device, tn_bytes bytes)
{
  tn_bytes step = MAX(device->granularity, (tn_bytes)1), up;
  if (!tn_round_up(MAX(bytes, (tn_bytes)1), step, &up))
    return INT64_MAX / step * step;
  return up;
}

/* A trace without any `free_completed` (an option drops them) ends lives at the request. */
static TnEventAction
choose_freed(const TnEvents *events)
{
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_FREE)
      return TN_EVENT_FREE;
  return TN_EVENT_FREE_REQUESTED;
}

static void
add_before(Sweep *sweep, tn_tick end, uint64_t address, tn_bytes bytes, tn_bytes requested,
           uint32_t stack, uint32_t space)
{
  TnBuffers *before = sweep->before;
  /* No life is empty: what event 0 frees was there at tick 0. */
  tn_index i = tn_buffers_add(before, 0, MAX(end, (tn_tick)1), bytes, TN_KIND_BEFORE);
  before->offset[i] = (tn_bytes)address;
  before->requested[i] = requested;
  before->stack[i] = stack;
  before->space[i] = space;
  before->flags[i] = TN_BUFFER_BEFORE;
}

static void
on_alloc(Sweep *sweep, uint32_t event)
{
  const TnEvents *events = &sweep->device->events;
  TnBuffers *buffers = sweep->buffers;
  tn_bytes requested = events->bytes[event];
  tn_bytes used = events->used && events->used[event] >= 0 ? events->used[event]
                                                           : rounded(sweep->device, requested);
  tn_index i = tn_buffers_add(buffers, event, sweep->end, used, TN_KIND_ALLOCATION);
  buffers->offset[i] = (tn_bytes)events->address[event];
  buffers->requested[i] = requested;
  buffers->stack[i] = events->stack[event];
  buffers->space[i] = events->space[event];
  buffers->flags[i] = TN_BUFFER_TO_END;
  if (buffers->name)
    buffers->name[i] = events->name[event];
  uint32_t had = tn_address_table_put(&sweep->live, events->address[event], i);
  if (had != TN_NONE) {
    /* Its free is missing in the file: it can't have outlived the next owner of its place. */
    buffers->end[had] = event;
    buffers->flags[had] &= (uint8_t)~TN_BUFFER_TO_END;
  }
}

static void
on_free(Sweep *sweep, uint32_t event)
{
  const TnEvents *events = &sweep->device->events;
  uint32_t i = tn_address_table_take(&sweep->live, events->address[event]);
  if (i == TN_NONE) {
    add_before(sweep, event, events->address[event], rounded(sweep->device, events->bytes[event]),
               events->bytes[event], 0, events->space[event]);
    return;
  }
  sweep->buffers->end[i] = event;
  sweep->buffers->flags[i] &= (uint8_t)~TN_BUFFER_TO_END;
  if (events->stack[event] != sweep->buffers->stack[i])
    sweep->buffers->free_stack[i] = events->stack[event];
}

static uint32_t
count_allocs(const TnEvents *events)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < events->n; i++)
    n += events->action[i] == TN_EVENT_ALLOC;
  return n;
}

static bool
sweep_events(Sweep *sweep, TnProgress *progress)
{
  const TnEvents *events = &sweep->device->events;
  tn_buffers_reserve(sweep->buffers, count_allocs(events) + sweep->device->blocks->len);
  for (uint32_t i = 0; i < events->n; i++) {
    if (events->action[i] == TN_EVENT_ALLOC)
      on_alloc(sweep, i);
    else if (events->action[i] == sweep->freed)
      on_free(sweep, i);
    if (i % 65536 == 0) {
      tn_progress_report(progress, (double)i / events->n, "Computing lives");
      if (tn_progress_is_cancelled(progress))
        return false;
    }
  }
  return true;
}

/* A block that is active at the end is either a buffer of the trace, whose true size it knows, or
 * one from before the recording that the trace never saw. */
static void
join_blocks(Sweep *sweep, TnLogLives *lives)
{
  const TnDevice *device = sweep->device;
  for (guint b = 0; b < device->blocks->len; b++) {
    const TnBlock *block = &g_array_index(device->blocks, TnBlock, b);
    if (block->state == TN_BLOCK_INACTIVE)
      continue;
    uint32_t i = tn_address_table_take(&sweep->live, block->address);
    if (i != TN_NONE) {
      sweep->buffers->bytes[i] = block->bytes;
      continue;
    }
    uint32_t space = g_array_index(device->segments, TnSegment, block->segment).space;
    tn_bytes requested =
        block->requested == TN_BYTES_UNKNOWN ? block->bytes : MIN(block->requested, block->bytes);
    add_before(sweep, sweep->end, block->address, block->bytes, requested, block->stack, space);
    sweep->before->flags[sweep->before->n - 1] |= TN_BUFFER_TO_END;
  }
  if (device->segments->len == 0)
    return;
  for (uint32_t slot = 0; slot <= sweep->live.mask; slot++)
    if (sweep->live.keys[slot]) {
      sweep->buffers->flags[sweep->live.rows[slot]] |= TN_BUFFER_NOT_IN_SEGMENTS;
      lives->n_not_in_segments++;
    }
}

static TnBuffers *
new_table(const TnDevice *device)
{
  TnBuffers *buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_REQUESTED | TN_COLUMN_STACK | TN_COLUMN_FREE_STACK |
                               TN_COLUMN_SPACE | (device->events.name ? TN_COLUMN_NAME : 0));
  return buffers;
}

/* ---- freed twice --------------------------------------------------------------------------- */

/* Rows of `before` by address: the last one, and from each to the one before it. */
typedef struct {
  TnAddressTable last;
  uint32_t *previous;
} Chains;

static bool
chain(Chains *chains, TnBuffers *before)
{
  bool is_late = false;
  for (uint32_t k = 0; k < before->n; k++) {
    uint32_t had = tn_address_table_put(&chains->last, (uint64_t)before->offset[k], k);
    chains->previous[k] = had;
    if (had != TN_NONE)
      before->start[k] = MIN(before->end[had], before->end[k] - 1);
    is_late |= before->start[k] > 0;
  }
  return is_late;
}

/* Lives at one address follow each other, so that with falling rows a chain is walked but once. */
static bool
end_earlier(Chains *chains, TnBuffers *before, const TnBuffers *buffers)
{
  bool is_late = false;
  for (uint32_t i = buffers->n; i-- > 0;) {
    uint64_t address = (uint64_t)buffers->offset[i];
    uint32_t k = tn_address_table_get(&chains->last, address), had = k;
    if (k == TN_NONE || buffers->end[i] > before->end[k])
      continue;
    while (chains->previous[k] != TN_NONE && before->end[chains->previous[k]] >= buffers->end[i])
      k = chains->previous[k];
    before->start[k] = MAX(before->start[k], MIN(buffers->end[i], before->end[k] - 1));
    is_late = true;
    if (k != had)
      tn_address_table_put(&chains->last, address, k);
  }
  return is_late;
}

static int
compare_starts(gconstpointer a, gconstpointer b, gpointer before)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  tn_tick from = ((const TnBuffers *)before)->start[x], other = ((const TnBuffers *)before)->start[y];
  return from != other ? (from > other ? 1 : -1) : (x > y) - (x < y);
}

/* By start; what starts later was not there before. */
static void
sort_before(Sweep *sweep)
{
  TnBuffers *from = sweep->before;
  g_autoptr(GArray) rows = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), from->n);
  for (uint32_t k = 0; k < from->n; k++)
    g_array_append_val(rows, k);
  g_array_sort_with_data(rows, compare_starts, from);
  sweep->before = new_table(sweep->device);
  for (guint i = 0; i < rows->len; i++) {
    uint32_t k = g_array_index(rows, uint32_t, i);
    bool was_there = from->start[k] == 0;
    add_before(sweep, from->end[k], (uint64_t)from->offset[k], from->bytes[k], from->requested[k],
               from->stack[k], from->space[k]);
    sweep->before->start[i] = from->start[k];
    sweep->before->kind[i] = was_there ? TN_KIND_BEFORE : TN_KIND_ALLOCATION;
    sweep->before->flags[i] = was_there ? from->flags[k] : from->flags[k] & TN_BUFFER_TO_END;
  }
  tn_buffers_free(from);
}

/* Freed, or active at the end, with no alloc since the last owner of the address was freed: the recording
 * lost the alloc, which came after that. */
static void
follow_owners(Sweep *sweep)
{
  if (sweep->before->n == 0 || sweep->device->events.n == 0)
    return;
  Chains chains = {.previous = g_new(uint32_t, sweep->before->n)};
  tn_address_table_init(&chains.last);
  bool is_late = chain(&chains, sweep->before);
  is_late |= end_earlier(&chains, sweep->before, sweep->buffers);
  tn_address_table_clear(&chains.last);
  g_free(chains.previous);
  if (is_late)
    sort_before(sweep);
}

TnLogLives *
tn_log_lives_new(const TnDevice *device, TnProgress *progress)
{
  Sweep sweep = {.device = device,
                 .buffers = new_table(device),
                 .before = new_table(device),
                 .end = tn_log_axis_end(device),
                 .freed = choose_freed(&device->events)};
  TnLogLives *lives = g_new0(TnLogLives, 1);
  tn_address_table_init(&sweep.live);
  bool is_done = sweep_events(&sweep, progress);
  if (is_done)
    join_blocks(&sweep, lives);
  follow_owners(&sweep);
  tn_address_table_clear(&sweep.live);
  for (uint32_t i = 0; i < sweep.before->n && (sweep.before->flags[i] & TN_BUFFER_BEFORE); i++) {
    lives->before_bytes = tn_add_saturated(lives->before_bytes, sweep.before->bytes[i]);
    lives->n_before++;
  }
  tn_buffers_insert_sorted(sweep.buffers, sweep.before);
  tn_buffers_free(sweep.before);
  lives->buffers = sweep.buffers;
  if (is_done)
    return lives;
  tn_log_lives_free(lives);
  return NULL;
}

void
tn_log_lives_free(TnLogLives *lives)
{
  if (!lives)
    return;
  tn_buffers_free(lives->buffers);
  g_free(lives);
}
