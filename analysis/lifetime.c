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
  tn_address_table_clear(&sweep.live);
  for (uint32_t i = 0; i < sweep.before->n; i++)
    if (!tn_add(lives->before_bytes, sweep.before->bytes[i], &lives->before_bytes))
      lives->before_bytes = INT64_MAX;
  lives->n_before = sweep.before->n;
  /* All of them start at 0, so they come first in a table sorted by start. */
  tn_buffers_insert_front(sweep.buffers, sweep.before);
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
