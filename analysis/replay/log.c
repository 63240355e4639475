/* SPDX-License-Identifier: MIT */
/* A log's requests, from the lives of its buffers and its events. */
#include "config.h"

#include "analysis/replay/replay.h"

#include "analysis/holes.h"
#include "analysis/ledger.h"

#include <string.h>

#define MIB ((tn_bytes)1 << 20)

/* ---- before the recording ------------------------------------------------------------------ */

static uint32_t
clamp_space(const TnReplayLog *log, uint32_t space)
{
  return MIN(space, log->n_spaces - 1);
}

/* A segment that event 0 itself brought was not there before. */
static bool
is_brought_by_first(const TnDevice *device, const TnSegmentState *segment)
{
  const TnEvents *events = &device->events;
  return events->n > 0 &&
         (events->action[0] == TN_EVENT_SEGMENT_ALLOC ||
          events->action[0] == TN_EVENT_SEGMENT_MAP) &&
         events->address[0] == segment->address;
}

static void
add_seeds(TnReplayLog *log, const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(TnHoles) holes = tn_holes_new(study, 0);
  g_autofree uint32_t *row = g_new(uint32_t, MAX(holes->segments->len, 1u));
  uint64_t end = 0;
  for (guint i = 0; i < holes->segments->len; i++) {
    const TnSegmentState *s = tn_holes_segment(holes, i);
    TnReplayPlace place = {.address = s->address,
                           .bytes = s->bytes,
                           .space = (uint16_t)clamp_space(log, s->space),
                           .is_small = s->is_small,
                           .is_expandable = s->is_expandable};
    /* Segments that overlap contradict each other: the first one counts. */
    bool is_left_out = is_brought_by_first(study->device, s) || s->address < end;
    row[i] = is_left_out ? TN_NONE : log->segments->len;
    if (is_left_out)
      continue;
    g_array_append_val(log->segments, place);
    end = s->address + (uint64_t)s->bytes;
  }
  for (guint i = 0; i < holes->blocks->len; i++) {
    const TnHeldBlock *block = tn_holes_block(holes, i);
    if (!(b->flags[block->buffer] & TN_BUFFER_BEFORE))
      continue;
    TnReplayPlace place = {.address = block->address,
                           .bytes = block->bytes + block->rest,
                           .requested = tn_buffers_requested(b, block->buffer),
                           .id = block->buffer,
                           .segment = block->segment == TN_NONE ? TN_NONE : row[block->segment],
                           .space = (uint16_t)clamp_space(log, tn_buffers_space(b, block->buffer))};
    g_array_append_val(log->blocks, place);
  }
}

/* ---- events -------------------------------------------------------------------------------- */

/* Which buffers start and which end with an event, in lists by event: one starts with it, or two where an alloc
 * was lost. */
typedef struct {
  uint32_t *start, *end;           /* by event: row + 1 of the first one */
  uint32_t *next_start, *next_end; /* by row: the next one + 1 */
} Agenda;

static void
fill_agenda(Agenda *agenda, const TnBuffers *b, uint32_t n_events)
{
  agenda->start = g_new0(uint32_t, (gsize)n_events + 1);
  agenda->end = g_new0(uint32_t, (gsize)n_events + 1);
  agenda->next_start = g_new0(uint32_t, (gsize)b->n + 1);
  agenda->next_end = g_new0(uint32_t, (gsize)b->n + 1);
  for (uint32_t i = 0; i < b->n; i++) {
    if (!(b->flags[i] & TN_BUFFER_BEFORE) && b->start[i] < (tn_tick)n_events) {
      agenda->next_start[i] = agenda->start[b->start[i]];
      agenda->start[b->start[i]] = i + 1;
    }
    if (b->end[i] < (tn_tick)n_events) {
      agenda->next_end[i] = agenda->end[b->end[i]];
      agenda->end[b->end[i]] = i + 1;
    }
  }
}

static void
clear_agenda(Agenda *agenda)
{
  g_free(agenda->start);
  g_free(agenda->end);
  g_free(agenda->next_start);
  g_free(agenda->next_end);
}

static bool
is_release(uint8_t action)
{
  return action == TN_EVENT_SEGMENT_FREE || action == TN_EVENT_SEGMENT_UNMAP;
}

static bool
is_growth(uint8_t action)
{
  return action == TN_EVENT_SEGMENT_ALLOC || action == TN_EVENT_SEGMENT_MAP;
}

static void
add_op(TnReplayLog *log, TnReplayAction action, uint32_t event, uint32_t id, tn_bytes bytes)
{
  TnReplayOp op = {.bytes = bytes, .id = id, .event = event, .action = (uint8_t)action};
  op.space = (uint16_t)clamp_space(log, log->study->device->events.space[event]);
  g_array_append_val(log->ops, op);
}

/* Segments given back: by the user, or, where growth or a failure follows at once, by the allocator
 * on its way to more memory. */
static uint32_t
add_release(TnReplayLog *log, const TnEvents *events, uint32_t event)
{
  uint32_t last = event;
  while (last + 1 < events->n && is_release(events->action[last + 1]))
    last++;
  uint8_t after = last + 1 < events->n ? events->action[last + 1] : TN_EVENT_OTHER;
  bool is_retry = is_growth(after) || after == TN_EVENT_OOM;
  add_op(log, is_retry ? TN_REPLAY_RETRY : TN_REPLAY_RELEASE, last, 0, 0);
  return last;
}

/* The first new segment before the allocation at `event`, as a hint of where it was. */
static uint32_t
add_hint(TnReplayLog *log, const TnEvents *events, uint32_t event)
{
  uint32_t first = event;
  while (first > 0 && is_growth(events->action[first - 1]))
    first--;
  if (first == event)
    return 0;
  g_array_append_val(log->hints, events->address[first]);
  return log->hints->len;
}

static void
add_events(TnReplayLog *log, const TnStudy *study)
{
  const TnEvents *events = &study->device->events;
  const TnBuffers *b = study->buffers;
  Agenda agenda;
  fill_agenda(&agenda, b, events->n);
  log->n_ids = b->n;
  for (uint32_t i = 0; i < events->n; i++) {
    for (uint32_t k = agenda.end[i]; k; k = agenda.next_end[k - 1])
      add_op(log, TN_REPLAY_GIVE, i, k - 1, 0);
    for (uint32_t k = agenda.start[i]; k; k = agenda.next_start[k - 1]) {
      uint32_t row = k - 1;
      add_op(log, TN_REPLAY_TAKE, i, row, tn_buffers_requested(b, row));
      g_array_index(log->ops, TnReplayOp, log->ops->len - 1).hint = add_hint(log, events, i);
    }
    if (events->action[i] == TN_EVENT_OOM) {
      if (log->last_oom == TN_NONE)
        log->last_oom = log->ops->len;
      add_op(log, TN_REPLAY_FAILED, i, log->n_ids++, events->bytes[i]);
    } else if (is_release(events->action[i])) {
      i = add_release(log, events, i);
    }
  }
  clear_agenda(&agenda);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void
find_spaces(TnReplayLog *log, const TnDevice *device)
{
  log->n_spaces = CLAMP(device->spaces->len, 1u, (guint)TN_REPLAY_MOST_SPACES);
  log->is_private = g_new0(bool, log->n_spaces);
  for (uint32_t i = 0; i < MIN(device->spaces->len, log->n_spaces); i++) {
    const TnSpace *space = &g_array_index(device->spaces, TnSpace, i);
    log->is_private[i] = space->pool[0] != 0 || space->pool[1] != 0;
  }
}

static void
find_top(TnReplayLog *log, const TnStudy *study)
{
  const TnEvents *events = &study->device->events;
  for (guint i = 0; i < log->segments->len; i++) {
    const TnReplayPlace *place = &g_array_index(log->segments, TnReplayPlace, i);
    log->top = MAX(log->top, place->address + (uint64_t)place->bytes);
  }
  for (uint32_t i = 0; i < events->n; i++)
    if (is_growth(events->action[i]))
      log->top = MAX(log->top, events->address[i] + (uint64_t)events->bytes[i]);
  log->top = (log->top + (uint64_t)(2 * MIB)) / (uint64_t)(2 * MIB) * (uint64_t)(2 * MIB);
}

/* The settings of the file; and what its events and sizes betray. */
static void
find_settings(TnReplayLog *log, const TnStudy *study)
{
  const TnDevice *device = study->device;
  tn_replay_settings_init(&log->recorded);
  tn_replay_settings_read(&log->recorded, study->document->settings);
  for (uint32_t i = 0; i < device->events.n; i++)
    if (device->events.action[i] == TN_EVENT_SEGMENT_MAP)
      log->recorded.expandable_segments = true;
  for (guint i = 0; i < device->segments->len; i++)
    log->recorded.expandable_segments |=
        g_array_index(device->segments, TnSegment, i).is_expandable;
}

/* Ascend adds 32 bytes to each request: a block of 512 then holds at most 480.  Believed where
 * blocks of the final snapshot say so and none says otherwise. */
static void
find_padding(TnReplayLog *log, const TnDevice *device)
{
  uint32_t n = 0;
  for (guint i = 0; i < device->blocks->len; i++) {
    const TnBlock *block = &g_array_index(device->blocks, TnBlock, i);
    tn_bytes plain, padded;
    if (block->state != TN_BLOCK_ACTIVE || block->requested <= 0 || block->bytes > MIB ||
        !tn_round_up(block->requested, 512, &plain) ||
        !tn_round_up(block->requested + 32, 512, &padded))
      continue;
    if (block->bytes == plain && plain != padded)
      return;
    n += block->bytes == padded && plain != padded;
  }
  if (n > 0)
    log->recorded.padding = 32;
}

/* What the device had for the allocator, by its failed requests: others on it come and go. */
static void
find_limits(TnReplayLog *log, const TnStudy *study)
{
  tn_bytes sum;
  bool is_first = true;
  for (guint i = 0; i < study->device->marks->len && study->reserved; i++) {
    const TnMark *mark = &g_array_index(study->device->marks, TnMark, i);
    if (tn_ledger_had(study, mark, &sum)) {
      log->limit = MAX(log->limit, sum);
      log->limit_at_oom = is_first ? sum : log->limit_at_oom;
    }
    is_first &= mark->kind != TN_MARK_OOM;
  }
  if (log->limit_at_oom == 0)
    log->limit_at_oom = log->limit;
}

TnReplayLog *
tn_replay_log_new(const TnStudy *study)
{
  TnReplayLog *log = g_new0(TnReplayLog, 1);
  log->study = study;
  log->ops = g_array_sized_new(FALSE, FALSE, sizeof(TnReplayOp), study->device->events.n);
  log->hints = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  log->segments = g_array_new(FALSE, FALSE, sizeof(TnReplayPlace));
  log->blocks = g_array_new(FALSE, FALSE, sizeof(TnReplayPlace));
  log->last_oom = TN_NONE;
  find_spaces(log, study->device);
  add_seeds(log, study);
  add_events(log, study);
  find_top(log, study);
  find_settings(log, study);
  find_padding(log, study->device);
  find_limits(log, study);
  return log;
}

void
tn_replay_log_free(TnReplayLog *log)
{
  if (!log)
    return;
  g_array_unref(log->ops);
  g_array_unref(log->hints);
  g_array_unref(log->segments);
  g_array_unref(log->blocks);
  g_free(log->is_private);
  g_free(log);
}
