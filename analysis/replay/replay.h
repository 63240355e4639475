/* SPDX-License-Identifier: MIT */
/* A log's requests run through a model of an allocator: what it would have reserved, and whether it
 * would have run out. */
#pragma once

#include "analysis/curve.h"
#include "analysis/replay/settings.h"
#include "analysis/study.h"

/* Spaces that have pools of their own: a block's pool is a number of 16 bits.  What is of more spaces shares the
 * last one's. */
#define TN_REPLAY_MOST_SPACES 32768

/* ---- what is run ------------------------------------------------------------------------- */

typedef enum {
  TN_REPLAY_TAKE,
  TN_REPLAY_GIVE,
  TN_REPLAY_FAILED,  /* a TAKE that failed when it was recorded; served, it is given back before the
                        next one */
  TN_REPLAY_RELEASE, /* the user emptied the cache */
  TN_REPLAY_RETRY    /* the allocator emptied its cache for want of memory: done again only where no
                        limit is known that would bring it about */
} TnReplayAction;

typedef struct {
  tn_bytes bytes;  /* as requested, before rounding */
  uint32_t id;     /* of the block, dense */
  uint32_t event;  /* of the log */
  uint32_t hint;   /* index + 1 into hints: where the recorded allocator's new segment was; 0: none */
  uint16_t space;
  uint8_t action;  /* TnReplayAction */
} TnReplayOp;

/* A block from before the recording, or a segment. */
typedef struct {
  uint64_t address;
  tn_bytes bytes;     /* rounded, as it stands */
  tn_bytes requested;
  uint32_t id;        /* blocks */
  uint32_t segment;   /* blocks: row of segments, TN_NONE: none is known */
  uint16_t space;
  bool is_small, is_expandable; /* segments */
} TnReplayPlace;

typedef struct {
  const TnStudy *study; /* borrowed */
  GArray *ops;          /* TnReplayOp, by event */
  GArray *hints;        /* uint64_t */
  GArray *segments, *blocks; /* TnReplayPlace, by address: before event 0 */
  uint32_t n_ids, n_spaces;
  bool *is_private;     /* by space */
  uint64_t top;         /* above all recorded addresses */
  tn_bytes limit;       /* the most that the device had for the allocator; 0: unknown */
  tn_bytes limit_at_oom; /* what it had at the first failed request; 0: unknown */
  TnReplaySettings recorded; /* the settings that the log was made with */
  uint32_t last_oom;    /* op row of the first TN_REPLAY_FAILED; TN_NONE */
} TnReplayLog;

/* The requests of a log's study.  Each allocation and each failed request becomes a TAKE with its
 * requested size, each end of life a GIVE.  O(events).  The study must outlive it. */
TnReplayLog *tn_replay_log_new(const TnStudy *study);
void tn_replay_log_free(TnReplayLog *log);

/* ---- models ------------------------------------------------------------------------------ */

typedef struct TnAllocator TnAllocator;

typedef struct {
  const char *name, *title;
  TnAllocator *(*create)(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit);
  void (*destroy)(TnAllocator *allocator);
  /* Puts what was there before the recording where it was; NULL, or false: request it instead. */
  bool (*seed)(TnAllocator *allocator, const TnReplayLog *log);
  bool (*take)(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint);
  void (*give)(TnAllocator *allocator, uint32_t id);
  void (*release)(TnAllocator *allocator); /* may be NULL */
  tn_bytes (*largest_hole)(const TnAllocator *allocator);
} TnAllocatorModel;

/* What every model's state begins with. */
struct TnAllocator {
  tn_bytes limit; /* 0: none */
  tn_bytes reserved, allocated;
  tn_bytes refused; /* by the device, last: a segment for which there was no room */
};

/* All models, NULL-terminated: caching (the default), bfc, scalable, buddy, first-fit, best-fit, static. */
const TnAllocatorModel *const *tn_allocator_models(void);
const TnAllocatorModel *tn_allocator_models_find(const char *name);

/* ---- running ----------------------------------------------------------------------------- */

typedef struct {
  const TnAllocatorModel *model;
  TnReplaySettings settings;
  tn_bytes limit;    /* what the allocator may take from the device; 0: no limit */
  bool stop_at_oom;  /* at the first */
  bool stop_after_failed; /* where the recorded request failed: what follows is its unwinding */
  bool with_curve;
  bool seeds_requested; /* ask for what was there before rather than put it where it was */
  bool wants_least;     /* static: looks for the smallest arena, though a larger one fits */
} TnReplayParams;

typedef struct {
  uint32_t event;
  tn_bytes bytes; /* 0: no request, but what was there before the recording is more than the limit; or
                     (static) no plan that fits was found */
  tn_bytes reserved, allocated, device_free;
  tn_bytes needed; /* what it would have taken from the device, its segment; 0: the model has none */
} TnReplayOom;

typedef struct {
  tn_bytes reserved_peak, allocated_peak;
  tn_bytes proved_bound; /* static: no plan is smaller; TN_BYTES_UNKNOWN with the other models */
  uint32_t reserved_peak_event;
  double fragmentation; /* at the reserved peak: 1 - largest hole / all holes */
  GArray *ooms;         /* TnReplayOom */
  uint32_t n_compared, n_equal; /* events with a recorded figure, and where reserved equals it */
  tn_bytes recorded_peak;       /* of the log; TN_BYTES_UNKNOWN */
  uint64_t n_ops;
  double seconds;
  bool is_cancelled;
  TnCurve *curve; /* reserved, by event; NULL unless wanted */
} TnReplayResult;

/* O(ops log blocks).  Thread-safe: the log is only read.  Never NULL. */
TnReplayResult *tn_replay_run(const TnReplayLog *log, const TnReplayParams *params,
                              TnProgress *progress);
void tn_replay_result_free(TnReplayResult *result);

typedef struct {
  tn_bytes limit; /* TN_BYTES_UNKNOWN: none was found */
  tn_bytes
      proved_bound; /* static: with less no plan is there; TN_BYTES_UNKNOWN with the other models */
} TnReplaySmallest;

/* A limit on which the run passes without running out, to its end or (stop_after_failed) to the
 * recorded failure, while on one at most 2 MiB smaller it fails: found by bisection between what is
 * held at once and what passes.  That passes is run, not concluded; where more memory can fail and
 * less pass, as with caches, a smaller one may pass, too.  TN_BYTES_UNKNOWN where none up to 64 TiB
 * passes, or where it was cancelled.  ~15 runs. static: the smallest arena found, which is the
 * smallest there is only where it equals the bound.  `result` (may be NULL): a run of the same
 * params with wants_least, whose plan it is, so that the two agree. */
TnReplaySmallest tn_replay_find_smallest(const TnReplayLog *log,
                                         const TnReplayParams *params,
                                         const TnReplayResult *result,
                                         TnProgress *progress);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnReplayLog, tn_replay_log_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnReplayResult, tn_replay_result_free)
