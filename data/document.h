/* SPDX-License-Identifier: MIT */
/* What a file says, in tables.  Built by one reader, then never changed, so that any thread may
 * read it.  Readers fill it; analyses know nothing of the file's format. */
#pragma once

#include "data/account.h"
#include "data/buffers.h"
#include "data/diagnostics.h"
#include "data/graph.h"
#include "data/stacks.h"
#include "data/strings.h"

typedef enum { TN_DOCUMENT_GRAPH, TN_DOCUMENT_LOG, TN_DOCUMENT_PLAN } TnDocumentKind;
typedef enum { TN_AXIS_EVENT, TN_AXIS_STEP, TN_AXIS_US } TnAxisUnit;

/* ---- what an allocator did ------------------------------------------------------------- */

typedef enum {
  TN_EVENT_ALLOC,
  TN_EVENT_FREE_REQUESTED, /* the user gave it back; a stream may still use it */
  TN_EVENT_FREE,           /* reusable from here */
  TN_EVENT_SEGMENT_ALLOC,
  TN_EVENT_SEGMENT_FREE,
  TN_EVENT_SEGMENT_MAP,
  TN_EVENT_SEGMENT_UNMAP,
  TN_EVENT_SNAPSHOT,
  TN_EVENT_OOM, /* bytes: the request, rounded; address: what the device had free */
  TN_EVENT_ANNOTATE,
  TN_EVENT_USE,
  TN_EVENT_SHARE,    /* from here on the event's stream works on the block as well */
  TN_EVENT_SYNC,     /* the program has waited until the event's stream was done */
  TN_EVENT_WAIT,     /* the event's stream waits for the one that is its address */
  TN_EVENT_FINALIZE, /* the allocator of the event's space ends */
  TN_EVENT_OTHER,
  TN_N_EVENT_ACTIONS
} TnEventAction;

#define TN_STREAM_UNKNOWN UINT64_MAX

typedef struct {
  uint32_t n, capacity;
  uint8_t *action;   /* TnEventAction */
  uint64_t *address; /* of the block or segment; TN_EVENT_OOM: bytes free on the device */
  tn_bytes *bytes;   /* as the log says: requested for alloc and free */
  int64_t *time_us;  /* Unix microseconds; 0: not recorded */
  uint32_t *stack;
  uint32_t *space; /* row of the device's spaces */
  uint32_t *note;  /* string id of a user's note or compile context; may be NULL: none */
  uint32_t *name;  /* alloc: string id of the buffer's name; may be NULL: unnamed */
  tn_bytes *used;  /* alloc: what it takes in memory; may be NULL: `bytes`, rounded up */
  /* Who did it, for findings on the order of events; each may be NULL: the log does not say. */
  uint64_t *stream; /* TN_STREAM_UNKNOWN: not said; an allocation's is then its space's */
  uint32_t *thread; /* string id, as the log names it; 0: not said */
  uint32_t *line;   /* in the file, from 1; 0: not by lines */
} TnEvents;

/* A pool of a stream: memory of one can't serve requests of another. */
typedef struct {
  uint64_t stream;
  int64_t pool[2]; /* (0, 0): the default pool */
  uint32_t name;   /* string id, 0: none */
} TnSpace;

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  uint32_t space, stack;
  bool is_small, is_expandable;
} TnSegment;

typedef enum { TN_BLOCK_INACTIVE, TN_BLOCK_ACTIVE, TN_BLOCK_PENDING_FREE } TnBlockState;

typedef struct {
  uint64_t address;
  tn_bytes bytes, requested; /* requested: TN_BYTES_UNKNOWN where stale or absent */
  uint32_t segment, stack;
  uint8_t state; /* TnBlockState */
} TnBlock;

typedef enum {
  TN_MARK_OOM,
  TN_MARK_ITERATION,
  TN_MARK_ANNOTATION,
  TN_MARK_SNAPSHOT,
  TN_MARK_RECYCLE /* the pool gave free memory back to the device */
} TnMarkKind;

typedef struct {
  tn_tick tick, end; /* end > tick: a stretch; else a moment */
  uint32_t text;     /* string id */
  uint8_t kind;      /* TnMarkKind */
  tn_bytes requested, device_free; /* OOM only */
} TnMark;

/* Totals at a moment, as a profiler samples them. */
typedef struct {
  tn_tick tick;
  tn_bytes allocated, reserved; /* TN_BYTES_UNKNOWN: as before */
} TnSample;

/* What a file says outright, in words: what its writer's own checks found. */
typedef enum { TN_STATEMENT_NOTE, TN_STATEMENT_WARNING, TN_STATEMENT_ERROR } TnStatementWeight;

typedef struct {
  const char *code; /* static: the code of the finding that it becomes */
  TnStatementWeight weight;
  uint32_t line; /* in the file, from 1; 0: not by lines */
  char *text;    /* a sentence; owned */
  char *hint;    /* owned; may be NULL */
} TnStatement;

/* An op that uses a buffer, after which no op of the same stream does. */
typedef struct {
  uint32_t buffer, op; /* rows */
} TnLastUse;

/* The op `to` begins when the op `from` has ended, whatever their streams. */
typedef struct {
  uint32_t from, to; /* rows */
} TnWait;

/* ---- one device ------------------------------------------------------------------------ */

typedef struct {
  int32_t ordinal; /* as the file numbers it */
  uint32_t name;   /* string id, 0: none */
  TnAxisUnit axis;
  tn_tick axis_end; /* ticks run [0, axis_end) */
  tn_bytes total_bytes; /* of the device, TN_BYTES_UNKNOWN where the file does not say */
  tn_bytes arena_bytes; /* of a recorded plan, TN_BYTES_UNKNOWN where there is none */
  tn_bytes stated_total; /* of a recorded plan without reuse, as the file says: it need not be the sum
                            of its rows; TN_BYTES_UNKNOWN */
  tn_bytes granularity; /* sizes are rounded up to it; 0 or 1: not */

  /* A log has events, and the segments and blocks at its end. */
  TnEvents events;
  GArray *segments; /* TnSegment; of a plan: what its arena is allocated in, offsets for addresses */
  GArray *blocks;   /* TnBlock, by segment, by address */
  GArray *spaces;   /* TnSpace */
  GHashTable *space_of; /* private: the rows of many spaces; NULL while there are few */
  GArray *marks;    /* TnMark, by tick */
  bool has_reserved; /* segments are known: "reserved" means something */
  GArray *samples;   /* TnSample, ticks growing: totals are all that is known; may be NULL */
  GArray *tick_us;   /* int64_t by tick: when it was, > 0, where no events say it; may be NULL */
  GArray *pool;      /* TnSample, ticks growing: what the pool holds of the device (`reserved`),
                        where no segments tell it; may be NULL */
  bool is_single_threaded; /* the allocator has no lock: it is for one thread */
  bool has_syncs;    /* the log tells which stream was waited for, and when */
  uint32_t end_line; /* the file's line on which the process ends; 0: it does not say so */
  uint32_t n_unnamed, first_unnamed; /* events here whose lines name no device; the first's line */
  int64_t process;   /* whose log it is; 0: the file does not say */
  int32_t number;    /* of the device itself, where several processes have a log each of it */

  /* A plan has its buffers; a log's and a graph's are computed (analysis/). */
  TnBuffers *buffers; /* owned, may be NULL */
  GPtrArray *space_names; /* plan: char *, by space; may be NULL */
  GArray *space_arena;    /* plan: tn_bytes by space, TN_BYTES_UNKNOWN where it does not say; may be
                             NULL: nowhere */
  bool has_other_ops; /* its ops are not those of the document's graph, which are another's: none of its
                         buffers or ticks has an op */
  uint32_t n_ops;     /* of these: how many they are */
  GArray *last_uses;      /* plan: TnLastUse by buffer, of buffers that several streams use; may be
                             NULL: not said */
} TnDevice;

typedef struct TnDocument {
  char *path;         /* as it was named: bytes, to open it by */
  char *shown_path;   /* the same in UTF-8, for people and in documents */
  const char *format; /* the reader's name */
  TnDocumentKind kind;
  char *producer; /* "PyTorch", "MiniMalloc CSV", …; may be NULL */
  TnStrings *strings;
  TnStacks *stacks;
  TnDiagnostics *diagnostics;
  GPtrArray *devices; /* TnDevice *, at least one */
  GHashTable *device_of; /* private: ordinal → TnDevice *, borrowed */
  TnGraph *graph;     /* owned, TN_DOCUMENT_GRAPH only */

  /* TN_DOCUMENT_PLAN: what it says of itself, to be checked, not believed. */
  char *strategy, *lifetime_model; /* may be NULL */
  char *actions;      /* JSON text of what a spill plan moves and computes again; may be NULL */
  tn_bytes lower_bound_bytes, resident_bytes;
  bool claims_optimal;
  /* A plan without its graph: the names of its ops, by the row that TnBuffers.op gives. */
  GArray *op_names;     /* uint32_t string ids; may be NULL */
  GArray *op_streams;   /* uint32_t by row of op_names: the stream it runs on; may be NULL: one */
  GArray *waits;        /* TnWait, beside the order within each stream; may be NULL: none */
  tn_tick ticks_per_op; /* > 0: op i takes ticks [i * n, (i + 1) * n) of the axis; 0: unknown */
  GHashTable *settings; /* char * to char *: allocator settings and the like; may be NULL */
  GPtrArray *accounts;  /* TnAccount *, what reports say in totals only, in the file's order */
  GArray *statements;   /* TnStatement, in the file's order */
} TnDocument;

TnDocument *tn_document_new(const char *path);
void tn_document_free(TnDocument *document);

/* The device of this ordinal, added (empty) where it was not there. Borrowed. */
TnDevice *tn_document_device(TnDocument *document, int32_t ordinal);

/* What to call it: the name that the file gives, else "GPU 0", of Ascend's files "NPU 0".  Owned by the caller. */
char *tn_document_dup_device_label(const TnDocument *document, const TnDevice *device);

static inline const TnDevice *
tn_document_get_device(const TnDocument *document, uint32_t i)
{
  return g_ptr_array_index(document->devices, i);
}

/* Adds a statement; `code` static, `hint` may be NULL.  More than 1000 are counted as one warning. */
void tn_document_state(TnDocument *document, const char *code, TnStatementWeight weight,
                       uint32_t line, const char *text, const char *hint);

/* Ops, of the graph or of a plan that kept their names.  The name's string id (0 where there is
 * none) of an op's row; and the op that runs at a device's tick, TN_NONE where that is unknown. */
uint32_t tn_document_op_name(const TnDocument *document, uint32_t op);
uint32_t tn_document_op_at(const TnDocument *document, const TnDevice *device, tn_tick tick);
/* Whether they run on more than one stream, as far as that is said.  O(ops). */
bool tn_document_has_many_streams(const TnDocument *document);

/* For readers of graphs: a warning of the tensors whose size is unknown, which names the first that
 * lost it, where and why. */
void tn_document_warn_unsized(TnDocument *document);

/* Appends a row (action, address, bytes; the rest 0) and returns its index. */
uint32_t tn_events_add(TnEvents *events, TnEventAction action, uint64_t address, tn_bytes bytes);
void tn_events_set_note(TnEvents *events, uint32_t event, uint32_t note);
/* The same for a name, and for the used bytes of a row whose log says both. */
void tn_events_set_name(TnEvents *events, uint32_t event, uint32_t name);
void tn_events_set_used(TnEvents *events, uint32_t event, tn_bytes used);
/* Who did it: a column is made when the first row has something to say. */
void tn_events_set_stream(TnEvents *events, uint32_t event, uint64_t stream);
void tn_events_set_thread(TnEvents *events, uint32_t event, uint32_t thread);
void tn_events_set_line(TnEvents *events, uint32_t event, uint32_t line);
/* Room for about `n` rows in a table that is still empty; room that stays unused costs nothing. */
void tn_events_reserve(TnEvents *events, uint32_t n);

/* The space of this stream and pool, added where it was not there.  O(1). */
uint32_t tn_device_space(TnDevice *device, uint64_t stream, int64_t pool0, int64_t pool1);

/* How many of its marks are of this kind. */
uint32_t tn_device_count_marks(const TnDevice *device, TnMarkKind kind);

const char *tn_document_kind_name(TnDocumentKind kind);
const char *tn_axis_unit_name(TnAxisUnit unit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDocument, tn_document_free)
