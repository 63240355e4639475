/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/snapshot.h"

#include "data/error.h"
#include "data/hash.h"
#include "data/readers/snapshot-private.h"

#include <string.h>

/* Interned first, in this order: a key's string id is its enum value. */
static const char *const key_names[TN_N_KEYS] = {
    [TN_KEY_EMPTY] = "",
    [TN_KEY_ACTION] = "action",
    [TN_KEY_ADDR] = "addr",
    [TN_KEY_SIZE] = "size",
    [TN_KEY_STREAM] = "stream",
    [TN_KEY_TIME_US] = "time_us",
    [TN_KEY_FRAMES] = "frames",
    [TN_KEY_COMPILE_CONTEXT] = "compile_context",
    [TN_KEY_USER_METADATA] = "user_metadata",
    [TN_KEY_POOL_ID] = "pool_id",
    [TN_KEY_DEVICE_FREE] = "device_free",
    [TN_KEY_NAME] = "name",
    [TN_KEY_FILENAME] = "filename",
    [TN_KEY_LINE] = "line",
    [TN_KEY_SEGMENTS] = "segments",
    [TN_KEY_DEVICE_TRACES] = "device_traces",
    [TN_KEY_ALLOCATOR_SETTINGS] = "allocator_settings",
    [TN_KEY_EXTERNAL_ANNOTATIONS] = "external_annotations",
    [TN_KEY_DEVICE] = "device",
    [TN_KEY_ADDRESS] = "address",
    [TN_KEY_TOTAL_SIZE] = "total_size",
    [TN_KEY_SEGMENT_TYPE] = "segment_type",
    [TN_KEY_SEGMENT_POOL_ID] = "segment_pool_id",
    [TN_KEY_IS_EXPANDABLE] = "is_expandable",
    [TN_KEY_BLOCKS] = "blocks",
    [TN_KEY_REQUESTED_SIZE] = "requested_size",
    [TN_KEY_STATE] = "state",
    [TN_KEY_HISTORY] = "history",
    [TN_KEY_REAL_SIZE] = "real_size",
    [TN_KEY_STAGE] = "stage",
    [TN_KEY_NOT_COMPILED] = "N/A",
    [TN_KEY_FIRST_ACTION + TN_EVENT_ALLOC] = "alloc",
    [TN_KEY_FIRST_ACTION + TN_EVENT_FREE_REQUESTED] = "free_requested",
    [TN_KEY_FIRST_ACTION + TN_EVENT_FREE] = "free_completed",
    [TN_KEY_FIRST_ACTION + TN_EVENT_SEGMENT_ALLOC] = "segment_alloc",
    [TN_KEY_FIRST_ACTION + TN_EVENT_SEGMENT_FREE] = "segment_free",
    [TN_KEY_FIRST_ACTION + TN_EVENT_SEGMENT_MAP] = "segment_map",
    [TN_KEY_FIRST_ACTION + TN_EVENT_SEGMENT_UNMAP] = "segment_unmap",
    [TN_KEY_FIRST_ACTION + TN_EVENT_SNAPSHOT] = "snapshot",
    [TN_KEY_FIRST_ACTION + TN_EVENT_OOM] = "oom",
    [TN_KEY_FIRST_ACTION + TN_EVENT_ANNOTATE] = "annotate",
};

TnSnapshot *
tn_snapshot_new(TnDocument *document)
{
  TnSnapshot *snapshot = g_new0(TnSnapshot, 1);
  snapshot->document = document;
  for (uint32_t key = 0; key < TN_N_KEYS; key++)
    if (tn_strings_intern(document->strings, key_names[key], -1) != key)
      g_error("the document's string table was not fresh");
  snapshot->traces = g_ptr_array_new();
  snapshot->segments = g_array_new(FALSE, TRUE, sizeof(TnRawSegment));
  snapshot->blocks = g_array_new(FALSE, TRUE, sizeof(TnRawBlock));
  snapshot->frames = g_array_new(FALSE, TRUE, sizeof(TnRawFrame));
  snapshot->lists = g_array_new(FALSE, TRUE, sizeof(TnRawList));
  snapshot->list_items = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  snapshot->annotations = g_array_new(FALSE, TRUE, sizeof(TnRawAnnotation));
  snapshot->pairs = g_array_new(FALSE, FALSE, sizeof(TnPair));
  snapshot->event_row = TN_NONE;
  return snapshot;
}

void
tn_snapshot_free(TnSnapshot *snapshot)
{
  if (!snapshot)
    return;
  g_ptr_array_unref(snapshot->traces);
  g_array_unref(snapshot->segments);
  g_array_unref(snapshot->blocks);
  g_array_unref(snapshot->frames);
  g_array_unref(snapshot->lists);
  g_array_unref(snapshot->list_items);
  g_array_unref(snapshot->annotations);
  g_array_unref(snapshot->pairs);
  g_free(snapshot->problem);
  g_free(snapshot);
}

const char *
tn_snapshot_problem(const TnSnapshot *snapshot)
{
  return snapshot->problem ? snapshot->problem : "";
}

uint64_t
tn_snapshot_event_count(const TnSnapshot *snapshot)
{
  uint64_t n = 0;
  for (guint i = 0; i < snapshot->traces->len; i++)
    n += ((TnDevice *)g_ptr_array_index(snapshot->traces, i))->events.n;
  return n;
}

/* An event of PyTorch's takes about this much of a pickle, at the least. */
#define EVENT_BYTES 56

static bool
fail(TnSnapshot *snapshot, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_free(snapshot->problem);
  snapshot->problem = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return false;
}

/* ---- roles ----------------------------------------------------------------------------------- */

static TnValue
container(bool is_dict, TnRole role, uint32_t row)
{
  return (TnValue){.type = is_dict ? TN_VALUE_DICT : TN_VALUE_LIST, .role = role, .row = row};
}

#define ADD_ROW(array, type)                                                                       \
  (g_array_set_size((array), (array)->len + 1), &g_array_index((array), type, (array)->len - 1))

static TnValue
open_list(TnSnapshot *snapshot, TnRole role, uint32_t row)
{
  if (role == TN_ROLE_FRAMES) {
    TnRawList *list = ADD_ROW(snapshot->lists, TnRawList);
    list->first = snapshot->list_items->len;
    list->stack = TN_NONE;
    row = snapshot->lists->len - 1;
  }
  return container(false, role, row);
}

static TnValue
open_trace(TnSnapshot *snapshot)
{
  uint32_t ordinal = snapshot->traces->len;
  if (ordinal >= TN_MAX_DEVICES) {
    tn_diagnostics_count(snapshot->document->diagnostics, "too-many-devices",
                         "traces of devices beyond the 4096th were left out");
    return container(false, TN_ROLE_SKIP, 0);
  }
  snapshot->trace = tn_document_device(snapshot->document, (int32_t)ordinal);
  g_ptr_array_add(snapshot->traces, snapshot->trace);
  snapshot->event_row = TN_NONE;
  return container(false, TN_ROLE_TRACE, ordinal);
}

void
tn_snapshot_expect(TnSnapshot *snapshot, gsize bytes)
{
  if (snapshot->trace)
    tn_events_reserve(&snapshot->trace->events, (uint32_t)MIN(bytes / EVENT_BYTES, 1u << 30));
}

static void
begin_event(TnSnapshot *snapshot, uint32_t row)
{
  tn_snapshot_end_event(snapshot);
  snapshot->event_row = row;
  snapshot->stream = 0;
  snapshot->pool[0] = snapshot->pool[1] = 0;
}

static TnValue
open_event(TnSnapshot *snapshot)
{
  if (!snapshot->trace)
    return container(true, TN_ROLE_SKIP, 0);
  uint32_t row = tn_events_add(&snapshot->trace->events, TN_EVENT_OTHER, 0, 0);
  begin_event(snapshot, row);
  TnValue value = container(true, TN_ROLE_EVENT, row);
  value.owner = (uint16_t)(snapshot->traces->len - 1);
  return value;
}

static TnValue
open_segment(TnSnapshot *snapshot)
{
  g_array_set_size(snapshot->segments, snapshot->segments->len + 1);
  return container(true, TN_ROLE_SEGMENT, snapshot->segments->len - 1);
}

static TnValue
open_block(TnSnapshot *snapshot, uint32_t segment)
{
  snapshot->has_true_segment = true;
  TnRawBlock *block = ADD_ROW(snapshot->blocks, TnRawBlock);
  block->segment = segment;
  block->requested = TN_BYTES_UNKNOWN;
  return container(true, TN_ROLE_BLOCK, snapshot->blocks->len - 1);
}

/* The first entry of a block's history is its present tenant; the others are former ones. */
static TnValue
open_history_entry(TnSnapshot *snapshot, uint32_t block_row)
{
  TnRawBlock *block = &g_array_index(snapshot->blocks, TnRawBlock, block_row);
  bool is_first = !block->has_history;
  block->has_history = true;
  return container(true, is_first ? TN_ROLE_HISTORY_ENTRY : TN_ROLE_SKIP, block_row);
}

TnValue
tn_snapshot_open_top(TnSnapshot *snapshot, bool is_dict)
{
  snapshot->is_dict = is_dict;
  snapshot->has_segments = !is_dict;
  return is_dict ? container(true, TN_ROLE_TOP, 0) : container(false, TN_ROLE_SEGMENTS, 0);
}

/* Events name the same few pools again and again. */
TnValue
tn_snapshot_pair(TnSnapshot *snapshot, int64_t first, int64_t second)
{
  GArray *pairs = snapshot->pairs;
  const TnPair *last = pairs->len ? &g_array_index(pairs, TnPair, pairs->len - 1) : NULL;
  TnPair pair = {{first, second}};
  if (!last || memcmp(last, &pair, sizeof pair) != 0)
    g_array_append_val(pairs, pair);
  return (TnValue){.type = TN_VALUE_PAIR, .row = pairs->len - 1};
}

bool
tn_snapshot_has_container(TnRole role, uint32_t key)
{
  switch (role) {
  case TN_ROLE_TOP:
    return key == TN_KEY_SEGMENTS || key == TN_KEY_DEVICE_TRACES ||
           key == TN_KEY_ALLOCATOR_SETTINGS || key == TN_KEY_EXTERNAL_ANNOTATIONS;
  case TN_ROLE_SEGMENT:
    return key == TN_KEY_FRAMES || key == TN_KEY_BLOCKS;
  case TN_ROLE_BLOCK:
    return key == TN_KEY_FRAMES || key == TN_KEY_HISTORY;
  case TN_ROLE_HISTORY_ENTRY:
  case TN_ROLE_EVENT:
    return key == TN_KEY_FRAMES;
  default:
    return false;
  }
}

TnValue
tn_snapshot_open_member(TnSnapshot *snapshot, TnValue dict, uint32_t key, bool is_dict)
{
  if (dict.type != TN_VALUE_DICT || !tn_snapshot_has_container(dict.role, key))
    return container(is_dict, TN_ROLE_SKIP, 0);
  if (key == TN_KEY_FRAMES && !is_dict)
    return open_list(snapshot, TN_ROLE_FRAMES, 0);
  if (key == TN_KEY_BLOCKS && !is_dict)
    return open_list(snapshot, TN_ROLE_BLOCKS, dict.row);
  if (key == TN_KEY_HISTORY && !is_dict)
    return open_list(snapshot, TN_ROLE_HISTORY, dict.row);
  if (key == TN_KEY_SEGMENTS && !is_dict) {
    snapshot->has_segments = true;
    return open_list(snapshot, TN_ROLE_SEGMENTS, 0);
  }
  if (key == TN_KEY_DEVICE_TRACES && !is_dict) {
    snapshot->has_traces = true;
    return open_list(snapshot, TN_ROLE_TRACES, 0);
  }
  if (key == TN_KEY_EXTERNAL_ANNOTATIONS && !is_dict)
    return open_list(snapshot, TN_ROLE_ANNOTATIONS, 0);
  if (key == TN_KEY_ALLOCATOR_SETTINGS && is_dict)
    return container(true, TN_ROLE_SETTINGS, 0);
  return container(is_dict, TN_ROLE_SKIP, 0);
}

bool
tn_snapshot_expects(TnRole role, bool is_dict)
{
  switch (role) {
  case TN_ROLE_TRACES:
    return !is_dict;
  case TN_ROLE_SEGMENTS:
  case TN_ROLE_BLOCKS:
  case TN_ROLE_HISTORY:
  case TN_ROLE_TRACE:
  case TN_ROLE_FRAMES:
  case TN_ROLE_ANNOTATIONS:
    return is_dict;
  default:
    return false;
  }
}

TnValue
tn_snapshot_open_item(TnSnapshot *snapshot, TnValue list, bool is_dict)
{
  if (list.type != TN_VALUE_LIST || !tn_snapshot_expects(list.role, is_dict))
    return container(is_dict, TN_ROLE_SKIP, 0);
  switch (list.role) {
  case TN_ROLE_TRACES:
    return open_trace(snapshot);
  case TN_ROLE_TRACE:
    return open_event(snapshot);
  case TN_ROLE_SEGMENTS:
    return open_segment(snapshot);
  case TN_ROLE_BLOCKS:
    return open_block(snapshot, list.row);
  case TN_ROLE_HISTORY:
    return open_history_entry(snapshot, list.row);
  case TN_ROLE_FRAMES:
    ADD_ROW(snapshot->frames, TnRawFrame)->id = TN_NONE;
    return container(true, TN_ROLE_FRAME, snapshot->frames->len - 1);
  default:
    g_array_set_size(snapshot->annotations, snapshot->annotations->len + 1);
    return container(true, TN_ROLE_ANNOTATION, snapshot->annotations->len - 1);
  }
}

/* A trace shared by memo is an empty one ([[]] * 8); a full one can't belong to two devices. */
static TnValue
reuse_trace(TnSnapshot *snapshot, TnValue value)
{
  const TnDevice *device =
      value.row < snapshot->traces->len ? g_ptr_array_index(snapshot->traces, value.row) : NULL;
  return device && device->events.n == 0 ? open_trace(snapshot) : value;
}

static TnValue
reuse_event(TnSnapshot *snapshot, TnValue value)
{
  if (!snapshot->trace || value.owner >= snapshot->traces->len)
    return value;
  const TnEvents *from = &((TnDevice *)g_ptr_array_index(snapshot->traces, value.owner))->events;
  if (value.row >= from->n)
    return value;
  tn_snapshot_end_event(snapshot);
  TnEvents *to = &snapshot->trace->events;
  uint32_t row = tn_events_add(to, from->action[value.row], from->address[value.row],
                               from->bytes[value.row]);
  to->time_us[row] = from->time_us[value.row];
  to->stack[row] = from->stack[value.row];
  to->space[row] = from == to ? from->space[value.row] : 0;
  tn_events_set_note(to, row, from->note ? from->note[value.row] : 0);
  value.owner = (uint16_t)(snapshot->traces->len - 1);
  value.row = row;
  return value;
}

TnValue
tn_snapshot_reuse(TnSnapshot *snapshot, TnValue list, TnValue value)
{
  if (list.role == TN_ROLE_TRACE && value.type == TN_VALUE_DICT && value.role == TN_ROLE_EVENT)
    return reuse_event(snapshot, value);
  if (list.role == TN_ROLE_TRACES && value.type == TN_VALUE_LIST && value.role == TN_ROLE_TRACE)
    return reuse_trace(snapshot, value);
  return value;
}

/* ---- lists of frames --------------------------------------------------------------------------- */

static uint32_t
intern_frame(TnSnapshot *snapshot, uint32_t row)
{
  TnRawFrame *raw = &g_array_index(snapshot->frames, TnRawFrame, row);
  if (raw->id == TN_NONE)
    raw->id = tn_stacks_intern_frame(snapshot->document->stacks, raw->frame);
  return raw->id;
}

/* The stack of a list of frames; kept with the list, which thousands of events share. */
static uint32_t
intern_list(TnSnapshot *snapshot, uint32_t row)
{
  TnRawList *list = &g_array_index(snapshot->lists, TnRawList, row);
  if (list->stack != TN_NONE)
    return list->stack;
  uint32_t ids[TN_MAX_FRAMES], n = MIN(list->n, TN_MAX_FRAMES);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = intern_frame(snapshot, g_array_index(snapshot->list_items, uint32_t, list->first + i));
  if (list->n > n)
    tn_diagnostics_add(snapshot->document->diagnostics, "deep-stacks", 1,
                       "stacks of more than %d frames were cut off at their outer end",
                       TN_MAX_FRAMES);
  list->stack = tn_stacks_intern(snapshot->document->stacks, ids, n);
  return list->stack;
}

#define MAX_MOVED (1u << 22)

static void
append_frame(TnSnapshot *snapshot, uint32_t list_row, uint32_t frame_row)
{
  TnRawList *list = &g_array_index(snapshot->lists, TnRawList, list_row);
  GArray *items = snapshot->list_items;
  /* A list that is not the newest moves to the end, so that its items stay together; one whose
   * stack was asked for gets another stack.  No writer fills two lists in turns, or one that is
   * in use, and a file that does shall not make us copy without end. */
  bool is_newest = list->first + list->n == items->len;
  if (!is_newest || list->stack != TN_NONE) {
    if (snapshot->n_moved + list->n > MAX_MOVED) {
      tn_diagnostics_count(snapshot->document->diagnostics, "frames-left-out",
                           "lists of frames were filled in turns or while in use: frames beyond the first "
                           "4,194,304 moved were left out");
      return;
    }
    snapshot->n_moved += list->n;
  }
  if (!is_newest) {
    uint32_t first = items->len;
    for (uint32_t i = 0; i < list->n; i++) {
      uint32_t item = g_array_index(items, uint32_t, list->first + i);
      g_array_append_val(items, item);
    }
    list->first = first;
  }
  g_array_append_val(items, frame_row);
  list->n++;
  list->stack = TN_NONE;
}

void
tn_snapshot_append(TnSnapshot *snapshot, TnValue list, TnValue item)
{
  if (list.role == TN_ROLE_FRAMES && item.type == TN_VALUE_DICT && item.role == TN_ROLE_FRAME)
    append_frame(snapshot, list.row, item.row);
  else if (list.role == TN_ROLE_SEGMENTS && item.type != TN_VALUE_DICT)
    snapshot->has_stranger = true;
}

bool
tn_snapshot_is_plain_member(uint32_t key)
{
  return (key >= TN_KEY_ACTION && key <= TN_KEY_USER_METADATA) || key == TN_KEY_DEVICE_FREE;
}

/* ---- members ----------------------------------------------------------------------------------- */

static bool
is_whole(TnValue value)
{
  return value.type == TN_VALUE_INTEGER || value.type == TN_VALUE_UNSIGNED;
}

static bool
take_bytes(TnSnapshot *snapshot, const char *what, TnValue value, tn_bytes *out)
{
  if (value.type == TN_VALUE_NONE)
    return true;
  if (value.type != TN_VALUE_INTEGER)
    return fail(snapshot, "%s is %s; expected a whole number of bytes below 2^63", what,
                value.type == TN_VALUE_UNSIGNED ? "2^63 or more" : "no whole number");
  if (value.integer < 0)
    return fail(snapshot, "%s is %" G_GINT64_FORMAT "; expected 0 or more bytes", what,
                value.integer);
  *out = value.integer;
  return true;
}

static void
take_address(TnValue value, uint64_t *out)
{
  if (is_whole(value))
    *out = (uint64_t)value.integer;
}

static void
take_pair(const TnSnapshot *snapshot, TnValue value, int64_t pair[2])
{
  if (value.type == TN_VALUE_PAIR)
    memcpy(pair, &g_array_index(snapshot->pairs, TnPair, value.row), sizeof(TnPair));
}

static void
take_frames(TnSnapshot *snapshot, TnValue value, uint32_t *out_stack)
{
  if (value.type == TN_VALUE_LIST && value.role == TN_ROLE_FRAMES)
    *out_stack = intern_list(snapshot, value.row);
}

void
tn_snapshot_end_event(TnSnapshot *snapshot)
{
  if (snapshot->event_row == TN_NONE)
    return;
  TnSnapshotSpace *last = &snapshot->last_space;
  if (last->device != snapshot->trace || last->stream != snapshot->stream ||
      last->pool[0] != snapshot->pool[0] || last->pool[1] != snapshot->pool[1])
    *last = (TnSnapshotSpace){
        snapshot->trace, snapshot->stream, {snapshot->pool[0], snapshot->pool[1]},
        tn_device_space(snapshot->trace, snapshot->stream, snapshot->pool[0], snapshot->pool[1])};
  snapshot->trace->events.space[snapshot->event_row] = last->row;
  snapshot->event_row = TN_NONE;
}

static void
set_action(TnSnapshot *snapshot, TnEvents *events, uint32_t row, TnValue value)
{
  if (value.type == TN_VALUE_STRING && value.row >= TN_KEY_FIRST_ACTION &&
      value.row < TN_N_KEYS) {
    events->action[row] = (uint8_t)(value.row - TN_KEY_FIRST_ACTION);
    return;
  }
  tn_diagnostics_count(snapshot->document->diagnostics, "unknown-action",
                       "events with an action that this version does not know are kept in the "
                       "list of events and change no buffer");
}

static bool
set_event(TnSnapshot *snapshot, TnValue dict, uint32_t key, TnValue value)
{
  TnEvents *events = &snapshot->trace->events;
  uint32_t row = dict.row;
  if (row >= events->n || dict.owner != (uint16_t)(snapshot->traces->len - 1))
    return true; /* a former trace's event, filled too late: none of the writers does that */
  if (row != snapshot->event_row)
    begin_event(snapshot, row);
  switch (key) {
  case TN_KEY_ACTION:
    set_action(snapshot, events, row, value);
    return true;
  case TN_KEY_ADDR:
  case TN_KEY_DEVICE_FREE:
    take_address(value, &events->address[row]);
    return true;
  case TN_KEY_SIZE:
    return take_bytes(snapshot, "an event's size", value, &events->bytes[row]);
  case TN_KEY_STREAM:
    take_address(value, &snapshot->stream);
    return true;
  case TN_KEY_TIME_US:
    if (value.type == TN_VALUE_INTEGER)
      events->time_us[row] = value.integer;
    return true;
  case TN_KEY_FRAMES:
    take_frames(snapshot, value, &events->stack[row]);
    return true;
  case TN_KEY_POOL_ID:
    take_pair(snapshot, value, snapshot->pool);
    return true;
  case TN_KEY_USER_METADATA:
    if (value.type == TN_VALUE_STRING && value.row != 0)
      tn_events_set_note(events, row, value.row);
    return true;
  case TN_KEY_COMPILE_CONTEXT:
    if (value.type == TN_VALUE_STRING && value.row != 0 && value.row != TN_KEY_NOT_COMPILED &&
        !(events->note && events->note[row]))
      tn_events_set_note(events, row, value.row);
    return true;
  default:
    return true;
  }
}

static bool
set_segment(TnSnapshot *snapshot, uint32_t row, uint32_t key, TnValue value)
{
  TnRawSegment *segment = &g_array_index(snapshot->segments, TnRawSegment, row);
  switch (key) {
  case TN_KEY_DEVICE:
    if (value.type == TN_VALUE_INTEGER && value.integer >= 0 && value.integer < TN_MAX_DEVICES)
      segment->device = (int32_t)value.integer;
    else
      return fail(snapshot, "a segment's device is no number from 0 to %d", TN_MAX_DEVICES - 1);
    return true;
  case TN_KEY_ADDRESS:
    take_address(value, &segment->segment.address);
    return true;
  case TN_KEY_TOTAL_SIZE:
    snapshot->has_true_segment = true;
    return take_bytes(snapshot, "a segment's total_size", value, &segment->segment.bytes);
  case TN_KEY_STREAM:
    take_address(value, &segment->stream);
    return true;
  case TN_KEY_SEGMENT_TYPE:
    segment->segment.is_small =
        value.type == TN_VALUE_STRING &&
        strcmp(tn_strings_get(snapshot->document->strings, value.row), "small") == 0;
    return true;
  case TN_KEY_SEGMENT_POOL_ID:
    take_pair(snapshot, value, segment->pool);
    return true;
  case TN_KEY_IS_EXPANDABLE:
    segment->segment.is_expandable = value.type == TN_VALUE_INTEGER && value.integer != 0;
    return true;
  case TN_KEY_FRAMES:
    take_frames(snapshot, value, &segment->segment.stack);
    return true;
  default:
    return true;
  }
}

static bool
set_block(TnSnapshot *snapshot, uint32_t row, uint32_t key, TnValue value)
{
  TnRawBlock *block = &g_array_index(snapshot->blocks, TnRawBlock, row);
  switch (key) {
  case TN_KEY_ADDRESS:
    take_address(value, &block->address);
    block->has_address = is_whole(value);
    return true;
  case TN_KEY_SIZE:
    return take_bytes(snapshot, "a block's size", value, &block->bytes);
  case TN_KEY_REQUESTED_SIZE:
    return take_bytes(snapshot, "a block's requested_size", value, &block->requested);
  case TN_KEY_STATE: {
    const char *state = value.type == TN_VALUE_STRING
                            ? tn_strings_get(snapshot->document->strings, value.row)
                            : "";
    block->state = strcmp(state, "active_allocated") == 0 ? TN_BLOCK_ACTIVE
                   : g_str_has_prefix(state, "active")    ? TN_BLOCK_PENDING_FREE
                                                          : TN_BLOCK_INACTIVE;
    return true;
  }
  case TN_KEY_FRAMES:
    take_frames(snapshot, value, &block->stack);
    return true;
  default:
    return true;
  }
}

static bool
set_history_entry(TnSnapshot *snapshot, uint32_t row, uint32_t key, TnValue value)
{
  TnRawBlock *block = &g_array_index(snapshot->blocks, TnRawBlock, row);
  if (key == TN_KEY_FRAMES)
    take_frames(snapshot, value, &block->stack);
  if (key == TN_KEY_REAL_SIZE)
    return take_bytes(snapshot, "a history entry's real_size", value, &block->requested);
  return true;
}

static bool
set_frame(TnSnapshot *snapshot, uint32_t row, uint32_t key, TnValue value)
{
  TnRawFrame *raw = &g_array_index(snapshot->frames, TnRawFrame, row);
  raw->id = TN_NONE;
  if (key == TN_KEY_NAME && value.type == TN_VALUE_STRING)
    raw->frame.name = value.row;
  else if (key == TN_KEY_FILENAME && value.type == TN_VALUE_STRING)
    raw->frame.file = value.row;
  else if (key == TN_KEY_LINE && value.type == TN_VALUE_INTEGER && value.integer > 0 &&
           value.integer <= INT32_MAX)
    raw->frame.line = (int32_t)value.integer; /* 2^64 - 1 for generated code: unknown */
  return true;
}

static bool
set_annotation(TnSnapshot *snapshot, uint32_t row, uint32_t key, TnValue value)
{
  TnRawAnnotation *raw = &g_array_index(snapshot->annotations, TnRawAnnotation, row);
  if (key == TN_KEY_NAME && value.type == TN_VALUE_STRING)
    raw->name = value.row;
  else if (key == TN_KEY_STAGE && value.type == TN_VALUE_STRING)
    raw->is_end = strcmp(tn_strings_get(snapshot->document->strings, value.row), "END") == 0;
  else if (key == TN_KEY_DEVICE && value.type == TN_VALUE_INTEGER)
    raw->device = value.integer;
  else if (key == TN_KEY_TIME_US && value.type == TN_VALUE_INTEGER)
    raw->time_us = value.integer;
  return true;
}

#define MAX_SETTING_BYTES (1u << 20)

/* One text may stand for many keys and values: once there are too many, none is taken any more. */
static bool
has_room_for_setting(TnSnapshot *snapshot, uint32_t key, TnValue value)
{
  const TnStrings *strings = snapshot->document->strings;
  if (snapshot->setting_bytes > MAX_SETTING_BYTES)
    return false;
  snapshot->setting_bytes += 32 + strlen(tn_strings_get(strings, key));
  if (value.type == TN_VALUE_STRING)
    snapshot->setting_bytes += strlen(tn_strings_get(strings, value.row));
  if (snapshot->setting_bytes <= MAX_SETTING_BYTES)
    return true;
  tn_diagnostics_count(snapshot->document->diagnostics, "large-settings",
                       "the allocator's settings take more than 1 MiB: some were left out");
  return false;
}

static bool
set_setting(TnSnapshot *snapshot, uint32_t key, TnValue value)
{
  TnDocument *document = snapshot->document;
  const char *name = tn_strings_get(document->strings, key);
  bool is_text = value.type == TN_VALUE_STRING;
  const char *said = is_text ? tn_strings_get(document->strings, value.row) : "";
  char *text;
  if (!has_room_for_setting(snapshot, key, value))
    return true;
  if (value.type == TN_VALUE_INTEGER)
    text = g_strdup_printf("%" G_GINT64_FORMAT, value.integer);
  else if (value.type == TN_VALUE_REAL)
    text = g_strdup_printf("%g", value.real);
  else if (is_text)
    text = g_strdup(said);
  else
    return true;
  if (!document->settings)
    document->settings = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, g_free);
  g_hash_table_insert(document->settings, g_strdup(name), text);
  return true;
}

bool
tn_snapshot_set(TnSnapshot *snapshot, TnValue dict, uint32_t key, TnValue value)
{
  switch (dict.role) {
  case TN_ROLE_EVENT:
    return set_event(snapshot, dict, key, value);
  case TN_ROLE_SEGMENT:
    return set_segment(snapshot, dict.row, key, value);
  case TN_ROLE_BLOCK:
    return set_block(snapshot, dict.row, key, value);
  case TN_ROLE_HISTORY_ENTRY:
    return set_history_entry(snapshot, dict.row, key, value);
  case TN_ROLE_FRAME:
    return set_frame(snapshot, dict.row, key, value);
  case TN_ROLE_ANNOTATION:
    return set_annotation(snapshot, dict.row, key, value);
  case TN_ROLE_SETTINGS:
    return set_setting(snapshot, key, value);
  default:
    return true;
  }
}
