/* SPDX-License-Identifier: MIT */
/* Blocks that are given back while a stream may still work on them. */
#include "config.h"

#include "analysis/findings-order.h"

#include "analysis/address-table.h"
#include "data/units.h"

#define SIZE 48
#define MOST_STREAMS 64 /* a log with more is not looked at */
#define MOST_NAMED 32

/* That a stream worked on a block, and when it was last known to. */
typedef struct {
  uint32_t stream, event;
  uint32_t next; /* of the same block; TN_NONE: the last */
} Use;

typedef struct {
  uint32_t alloc, stream; /* event and row of its stream */
  uint32_t uses;          /* first row of uses; TN_NONE: none */
} Block;

typedef struct {
  uint32_t n;
  tn_bytes bytes;
  uint32_t alloc, use, free, stream; /* events of the first, and the stream's row */
  GArray *allocs;                    /* uint32_t events */
} Early;

typedef struct {
  const TnDevice *device;
  uint64_t stream[MOST_STREAMS];
  uint32_t n_streams;
  bool has_too_many;
  /* knows[a][b]: events of stream b up to (and without) this one are over for what a does next; the
   * last row is the program itself, of whose knowledge every stream has its part. */
  uint32_t knows[MOST_STREAMS + 1][MOST_STREAMS];
  TnAddressTable live; /* address → row of blocks */
  GArray *blocks, *uses;
  Early early;
} Walk;

static uint32_t
row_of_stream(Walk *walk, uint64_t stream)
{
  for (uint32_t row = 0; row < walk->n_streams; row++)
    if (walk->stream[row] == stream)
      return row;
  if (walk->n_streams == MOST_STREAMS) {
    walk->has_too_many = true;
    return 0;
  }
  walk->stream[walk->n_streams] = stream;
  return walk->n_streams++;
}

/* TN_NONE: the log does not say on which; an allocation's is then its space's. */
static uint32_t
stream_of(Walk *walk, uint32_t event)
{
  const TnEvents *events = &walk->device->events;
  uint64_t stream = events->stream ? events->stream[event] : TN_STREAM_UNKNOWN;
  if (stream != TN_STREAM_UNKNOWN)
    return row_of_stream(walk, stream);
  if (events->action[event] != TN_EVENT_ALLOC)
    return TN_NONE;
  return row_of_stream(
      walk, g_array_index(walk->device->spaces, TnSpace, events->space[event]).stream);
}

static Block *
block_at(Walk *walk, uint32_t event)
{
  uint32_t row = tn_address_table_get(&walk->live, walk->device->events.address[event]);
  return row == TN_NONE ? NULL : &g_array_index(walk->blocks, Block, row);
}

static void
note_use(Walk *walk, Block *block, uint32_t stream, uint32_t event)
{
  for (uint32_t u = block->uses; u != TN_NONE; u = g_array_index(walk->uses, Use, u).next) {
    Use *use = &g_array_index(walk->uses, Use, u);
    if (use->stream == stream) {
      use->event = event;
      return;
    }
  }
  Use use = {stream, event, block->uses};
  block->uses = walk->uses->len;
  g_array_append_val(walk->uses, use);
}

static void
on_alloc(Walk *walk, uint32_t event)
{
  Block block = {event, stream_of(walk, event), TN_NONE};
  tn_address_table_put(&walk->live, walk->device->events.address[event], walk->blocks->len);
  g_array_append_val(walk->blocks, block);
  note_use(walk, &g_array_index(walk->blocks, Block, walk->blocks->len - 1), block.stream, event);
}

/* A stream that says of itself that it is done with a block worked on it until here. */
static void
on_use(Walk *walk, uint32_t event)
{
  Block *block = block_at(walk, event);
  uint32_t stream = stream_of(walk, event);
  if (block && stream != TN_NONE)
    note_use(walk, block, stream, event);
}

/* `a` (a stream, or the program) learns all that stream `b` did and knows. */
static void
learn(Walk *walk, uint32_t a, uint32_t b, uint32_t event)
{
  for (uint32_t s = 0; s < walk->n_streams; s++)
    walk->knows[a][s] = MAX(walk->knows[a][s], walk->knows[b][s]);
  walk->knows[a][b] = event;
}

static void
on_sync(Walk *walk, uint32_t event)
{
  const TnEvents *events = &walk->device->events;
  uint32_t stream = stream_of(walk, event);
  if (stream == TN_NONE)
    return;
  if (events->action[event] == TN_EVENT_SYNC)
    learn(walk, MOST_STREAMS, stream, event);
  else
    learn(walk, stream, row_of_stream(walk, events->address[event]), event);
}

/* The latest use that nobody waited for, on another stream than the one that frees; NULL: none. */
static const Use *
open_use(const Walk *walk, const Block *block, uint32_t stream)
{
  const Use *open = NULL;
  for (uint32_t u = block->uses; u != TN_NONE; u = g_array_index(walk->uses, Use, u).next) {
    const Use *use = &g_array_index(walk->uses, Use, u);
    uint32_t known = MAX(walk->knows[stream][use->stream], walk->knows[MOST_STREAMS][use->stream]);
    if (use->stream != stream && known <= use->event && (!open || open->event < use->event))
      open = use;
  }
  return open;
}

static void
on_free(Walk *walk, uint32_t event)
{
  const TnEvents *events = &walk->device->events;
  Block *block = block_at(walk, event);
  if (!block)
    return;
  uint32_t stream = stream_of(walk, event);
  const Use *use = open_use(walk, block, stream == TN_NONE ? block->stream : stream);
  tn_address_table_take(&walk->live, events->address[event]);
  if (!use)
    return;
  Early *early = &walk->early;
  if (early->n++ == 0) {
    early->alloc = block->alloc;
    early->use = use->event;
    early->free = event;
    early->stream = use->stream;
  }
  early->bytes += events->bytes[block->alloc];
  if (early->allocs->len < MOST_NAMED)
    g_array_append_val(early->allocs, block->alloc);
}

static void
walk_events(Walk *walk)
{
  const TnEvents *events = &walk->device->events;
  for (uint32_t i = 0; i < events->n && !walk->has_too_many; i++) {
    switch (events->action[i]) {
    case TN_EVENT_ALLOC:
      on_alloc(walk, i);
      break;
    case TN_EVENT_USE:
    case TN_EVENT_SHARE:
    case TN_EVENT_FREE_REQUESTED:
      on_use(walk, i);
      break;
    case TN_EVENT_SYNC:
    case TN_EVENT_WAIT:
      on_sync(walk, i);
      break;
    case TN_EVENT_FREE:
      on_free(walk, i);
      break;
    default:
      break;
    }
  }
}

/* Lives of a log begin each at an event of its own, sorted, but where an alloc was lost. */
static uint32_t
buffer_of(const TnStudy *study, uint32_t alloc)
{
  const TnBuffers *b = study->buffers;
  uint64_t address = study->device->events.address[alloc];
  uint32_t low = 0, high = b->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (b->start[middle] < (tn_tick)alloc || (b->flags[middle] & TN_BUFFER_BEFORE))
      low = middle + 1;
    else
      high = middle;
  }
  while (low + 1 < b->n && b->start[low + 1] == (tn_tick)alloc && (uint64_t)b->offset[low] != address)
    low++;
  return low;
}

static void
report(const TnStudy *study, const Walk *walk, TnFindings *findings)
{
  const Early *early = &walk->early;
  const TnEvents *events = &study->device->events;
  char size[SIZE], taken[SIZE], used[SIZE], freed[SIZE];
  g_autofree char *label = tn_study_dup_label(study, buffer_of(study, early->alloc));
  TnFinding *finding = tn_findings_add(
      findings, "free-before-sync", TN_SEVERITY_NOTE,
      "%u buffer%s (%s) %s given back while another stream may still work on %s: %s, taken in %s, "
      "is "
      "with stream %" G_GUINT64_FORMAT
      " in %s and freed in %s, and nothing waits for that stream in "
      "between",
      early->n, early->n == 1 ? "" : "s",
      tn_print_bytes(size, sizeof size, early->bytes, TN_UNITS_IEC), early->n == 1 ? "is" : "are",
      early->n == 1 ? "it" : "them", label,
      tn_print_event(taken, sizeof taken, events, early->alloc), walk->stream[early->stream],
      tn_print_event(used, sizeof used, events, early->use),
      tn_print_event(freed, sizeof freed, events, early->free));
  finding->hint =
      g_strdup("Wait for the stream (an event, or record_stream) before the free: the next "
               "owner of the place may write while it still reads.");
  finding->at = early->free;
  finding->bytes = early->bytes;
  for (guint i = 0; i < early->allocs->len; i++)
    tn_finding_add_buffer(finding,
                          buffer_of(study, g_array_index(early->allocs, uint32_t, i)));
}

void
tn_find_early_frees(const TnStudy *study, TnFindings *findings)
{
  if (!study->device->has_syncs || !study->device->events.stream)
    return;
  Walk *walk = g_new0(Walk, 1);
  walk->device = study->device;
  walk->blocks = g_array_new(FALSE, FALSE, sizeof(Block));
  walk->uses = g_array_new(FALSE, FALSE, sizeof(Use));
  walk->early.allocs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_address_table_init(&walk->live);
  walk_events(walk);
  if (walk->early.n > 0 && !walk->has_too_many)
    report(study, walk, findings);
  tn_address_table_clear(&walk->live);
  g_array_unref(walk->early.allocs);
  g_array_unref(walk->uses);
  g_array_unref(walk->blocks);
  g_free(walk);
}
