/* SPDX-License-Identifier: MIT */
/* What a PyTorch memory snapshot means, apart from how it is written.  A front end (pickle, JSON)
 * walks the file and says "a dict opens here", "this key has this value", "this item joins this
 * list"; the snapshot gives each container a role by its place and fills the document's tables.
 * No object of the file is kept: a container is a role and a row.
 *
 *   top ─ segments ─ [segment ─ blocks ─ [block ─ frames, history]]
 *       ─ device_traces ─ [trace ─ [event ─ frames]]
 *       ─ external_annotations ─ [annotation]
 *       ─ allocator_settings
 *
 * Facts: formats/pytorch.md 1.3 to 1.8 (PyTorch's torch/cuda/memory.py, Module.cpp). */
#pragma once

#include "data/document.h"

typedef enum {
  TN_ROLE_SKIP, /* of no interest, and so is all within */
  TN_ROLE_TOP,
  TN_ROLE_SEGMENTS,
  TN_ROLE_SEGMENT,
  TN_ROLE_BLOCKS,
  TN_ROLE_BLOCK,
  TN_ROLE_HISTORY,
  TN_ROLE_HISTORY_ENTRY,
  TN_ROLE_TRACES,
  TN_ROLE_TRACE,
  TN_ROLE_EVENT,
  TN_ROLE_FRAMES,
  TN_ROLE_FRAME,
  TN_ROLE_ANNOTATIONS,
  TN_ROLE_ANNOTATION,
  TN_ROLE_SETTINGS
} TnRole;

typedef enum {
  TN_VALUE_NONE, /* None, and what no table holds: bytes, sets, huge integers */
  TN_VALUE_INTEGER,
  TN_VALUE_UNSIGNED, /* above INT64_MAX: `integer` has its 64 bits */
  TN_VALUE_REAL,
  TN_VALUE_STRING, /* row: string id */
  TN_VALUE_PAIR,   /* row: a tuple of two integers (a pool's id), see tn_snapshot_pair() */
  TN_VALUE_DICT,   /* role, row */
  TN_VALUE_LIST    /* role, row */
} TnValueType;

typedef struct {
  uint8_t type;  /* TnValueType */
  uint8_t role;  /* TnRole of a container */
  uint16_t owner; /* of an event: the trace that it belongs to, modulo 65536 */
  uint32_t row;
  union {
    int64_t integer;
    double real;
  };
} TnValue;

typedef struct TnSnapshot TnSnapshot;

/* Fills `document`, which must outlive it. */
TnSnapshot *tn_snapshot_new(TnDocument *document);
void tn_snapshot_free(TnSnapshot *snapshot);

/* The top value of the file: a dict (a whole snapshot) or a list (segments only). */
TnValue tn_snapshot_open_top(TnSnapshot *snapshot, bool is_dict);
/* A tuple of two integers. */
TnValue tn_snapshot_pair(TnSnapshot *snapshot, int64_t first, int64_t second);
/* A dict or list opens as the value of `key` (string id) of a dict … */
TnValue tn_snapshot_open_member(TnSnapshot *snapshot, TnValue dict, uint32_t key, bool is_dict);
/* … or as the next item of a list. */
TnValue tn_snapshot_open_item(TnSnapshot *snapshot, TnValue list, bool is_dict);
/* Whether a list of this role holds dicts (or, with false, lists) that matter. */
bool tn_snapshot_expects(TnRole list_role, bool is_dict);
/* Whether the value of `key` matters in a dict of this role as a container. */
bool tn_snapshot_has_container(TnRole dict_role, uint32_t key);

/* The trace that just opened can have no more events than fit into so many bytes of pickle. */
void tn_snapshot_expect(TnSnapshot *snapshot, gsize bytes);
/* Whether `key` of an event always has a scalar (or a list), never a tuple. */
bool tn_snapshot_is_plain_member(uint32_t key);

/* A dict's key gets its value.  False: the file is wrong, see tn_snapshot_problem(). */
bool tn_snapshot_set(TnSnapshot *snapshot, TnValue dict, uint32_t key, TnValue value);
/* An item that opened elsewhere (shared by memo) or a scalar joins a list. */
void tn_snapshot_append(TnSnapshot *snapshot, TnValue list, TnValue item);
/* A container met again by memo, about to join `list` (NONE: it joins no list): an event of a trace
 * becomes a new row, an empty trace a new device, the rest is shared. */
TnValue tn_snapshot_reuse(TnSnapshot *snapshot, TnValue list, TnValue value);

/* Why tn_snapshot_set() said no; borrowed. */
const char *tn_snapshot_problem(const TnSnapshot *snapshot);
/* Events read so far, over all devices. */
uint64_t tn_snapshot_event_count(const TnSnapshot *snapshot);

/* Ends the reading: segments go to their devices, annotations and OOMs become marks.  With
 * `is_cut` the last event and block, which may be half read, are dropped.  False (and an error
 * that begins with `name`): this is no snapshot. */
bool tn_snapshot_finish(TnSnapshot *snapshot, const char *name, bool is_cut, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSnapshot, tn_snapshot_free)
