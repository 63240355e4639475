/* SPDX-License-Identifier: MIT */
/* Shared by snapshot.c (filling) and snapshot-finish.c (ending). */
#pragma once

#include "data/readers/snapshot.h"

#define TN_MAX_FRAMES 1024
#define TN_MAX_DEVICES 4096

typedef enum {
  TN_KEY_EMPTY,
  TN_KEY_ACTION,
  TN_KEY_ADDR,
  TN_KEY_SIZE,
  TN_KEY_STREAM,
  TN_KEY_TIME_US,
  TN_KEY_FRAMES,
  TN_KEY_COMPILE_CONTEXT,
  TN_KEY_USER_METADATA,
  TN_KEY_POOL_ID,
  TN_KEY_DEVICE_FREE,
  TN_KEY_NAME,
  TN_KEY_FILENAME,
  TN_KEY_LINE,
  TN_KEY_SEGMENTS,
  TN_KEY_DEVICE_TRACES,
  TN_KEY_ALLOCATOR_SETTINGS,
  TN_KEY_EXTERNAL_ANNOTATIONS,
  TN_KEY_DEVICE,
  TN_KEY_ADDRESS,
  TN_KEY_TOTAL_SIZE,
  TN_KEY_SEGMENT_TYPE,
  TN_KEY_SEGMENT_POOL_ID,
  TN_KEY_IS_EXPANDABLE,
  TN_KEY_BLOCKS,
  TN_KEY_REQUESTED_SIZE,
  TN_KEY_STATE,
  TN_KEY_HISTORY,
  TN_KEY_REAL_SIZE,
  TN_KEY_STAGE,
  TN_KEY_NOT_COMPILED,
  TN_KEY_FIRST_ACTION,
  TN_N_KEYS = TN_KEY_FIRST_ACTION + TN_EVENT_ANNOTATE + 1
} TnSnapshotKey;

typedef struct {
  TnSegment segment;
  uint64_t stream;
  int64_t pool[2];
  int32_t device;
} TnRawSegment;

typedef struct {
  uint64_t address;
  tn_bytes bytes, requested;
  uint32_t segment, stack;
  uint8_t state;
  bool has_address, has_history;
} TnRawBlock;

typedef struct {
  TnFrame frame;
  uint32_t id; /* TN_NONE until interned */
} TnRawFrame;

typedef struct {
  uint32_t first, n; /* of list_items: rows of frames */
  uint32_t stack;    /* TN_NONE until interned */
} TnRawList;

typedef struct {
  uint32_t name;
  bool is_end;
  int64_t device, time_us;
} TnRawAnnotation;

/* Where a stream's pool of a device stands among its spaces. */
typedef struct {
  const TnDevice *device;
  uint64_t stream;
  int64_t pool[2];
  uint32_t row;
} TnSnapshotSpace;

struct TnSnapshot {
  TnDocument *document;
  GPtrArray *traces; /* TnDevice *, by position in device_traces; borrowed */
  TnDevice *trace;   /* the one being filled */
  GArray *segments, *blocks, *frames, *lists, *list_items, *annotations;
  /* Of the event being filled: stream and pool come apart and name a space only together. */
  uint32_t event_row;
  uint64_t stream;
  int64_t pool[2];
  TnSnapshotSpace last_space; /* the one of the event before */
  bool is_dict, has_segments, has_traces;
  bool has_true_segment;  /* one with a total_size or blocks */
  bool has_stranger;      /* the list of segments has items that are no dicts */
  uint32_t n_moved;       /* items of lists of frames that were moved to stay together, or taken again */
  gsize setting_bytes;    /* of the texts of all settings */
  char *problem;
};

void tn_snapshot_end_event(TnSnapshot *snapshot);
