/* SPDX-License-Identifier: MIT */
/* Planners: buffers with lives in, offsets out.  One interface, one file per strategy.
 *
 * A strategy sees one space at a time (nothing in it mentions devices or pools); tn_plan_new_for_buffers()
 * splits a table of buffers into spaces, runs the strategy on each and joins the answers.
 * No planner checks its own answer: analysis/check.h does, with a sweep written apart. */
#pragma once

#include "analysis/stream-uses.h"
#include "data/buffers.h"
#include "data/progress.h"

typedef struct {
  uint32_t n;
  const tn_tick *lower, *upper;    /* lives, half-open; lower < upper */
  const tn_bytes *size;            /* >= 0; a buffer of size 0 gets offset 0 */
  const tn_bytes *alignment;       /* >= 1; may be NULL: all 1 */
  const tn_bytes *fixed;           /* given offsets, TN_NOT_PLACED where free; may be NULL */
  const uint32_t *batch;           /* 0: unlabelled.  Two different labels may always share, whatever
                                      their lives; unlabelled and labelled by life (a whole
                                      table's planner keeps these two apart).  may be NULL */
  bool is_apart;                   /* … unlabelled and labelled rows share no place at all */
  const uint32_t *stream;          /* of `ge` only: without `uses`, blocks of one stream serve no
                                      other.  may be NULL */
  const TnStreamUses *uses;        /* who has waited for whom: a row follows another only where its
                                      writer begins after all users of that.  may be NULL */
  bool has_loose_gaps;             /* … and streams do not keep it out of another's gaps */
  const uint32_t *use_row;         /* by row: its row in `uses`; may be NULL: the same */
  const uint32_t *traits;          /* TnTraits: zero copy shares with no zero copy and no contiguous
                                      group, what is cleaned with no data; may be NULL */
  const uint8_t *kind;             /* of `ge` only: TnBufferKind; may be NULL */
  const tn_bytes *requested;       /* of `ge` only: sizes without padding; may be NULL: as `size` */
  const uint32_t *group;           /* contiguous group + 1, 0: none; may be NULL */
  const uint8_t *flags;            /* TnBufferFlags: NO_REUSE, GROUP_PADDED; may be NULL */
  const uint32_t *gap_first;       /* n + 1; may be NULL: no gaps */
  const TnGap *gaps;
} TnPlanProblem;

/* The row of `uses` that row `i` of the problem has. */
static inline uint32_t
tn_plan_use_row(const TnPlanProblem *problem, uint32_t i)
{
  return problem->use_row ? problem->use_row[i] : i;
}

/* Of `ge`: which of its variants run.  None: binary-block and max-block. */
typedef enum {
  TN_GE_RANGE = 1 << 0,          /* the range variant too: */
  TN_GE_ASCENDING = 1 << 1,      /* … blocks of one size: the earlier first (else the later) */
  TN_GE_FIRST_RELEASE = 1 << 2,  /* the block released first is taken first (else the last) */
  TN_GE_MEMORY_PRIORITY = 1 << 3, /* all six, as ge.exec.memoryOptimizationPolicy asks for */
  TN_GE_EXTEND_SIZE = 1 << 4,     /* batches in pieces of 400 MB at most (ge.exec.staticMemoryPolicy) */
  TN_GE_BASE_REFRESH = 1 << 5     /* the base may be refreshed (ge.featureBaseRefreshable): fixed
                                     addresses come first, in segments of their own */
} TnGeOptions;

typedef struct {
  tn_bytes capacity;      /* > 0: an arena of at most this is wanted; 0: the smallest.  best goes on
                             to the smallest once it knows whether one of at most this exists */
  double time_limit;      /* seconds, of a table for all its spaces; <= 0: the strategy's own default
                             (exact 10, search and best 5).  Strategies that do not search take the
                             time they need */
  uint64_t seed;
  bool prefers_last_freed; /* best-fit: a block of the same size freed last comes first */
  unsigned ge_options;    /* TnGeOptions */
  const char *ge_variant; /* of `ge`: this one only; NULL: as the options say */
  const TnStreamUses *uses; /* by row of the table that is planned; NULL: streams order nothing */
  uint32_t n_threads;     /* exact: 1 for one; 0: as many as useful, at most 2 */
  TnProgress *progress;   /* may be NULL */
  /* May be NULL.  Called from the working thread with each better answer; `offset` is borrowed and
   * valid during the call only (shape n of the problem given to the strategy). */
  void (*improved)(const tn_bytes *offset, uint32_t n, tn_bytes arena, void *payload);
  void *improved_payload;
} TnPlanParams;

#define TN_PLAN_PARAMS_INIT                                                                        \
  {                                                                                                \
    0                                                                                              \
  }

typedef enum {
  TN_PLAN_FOUND,      /* offsets for all, and the arena fits into the capacity (if any) */
  TN_PLAN_TOO_LARGE,  /* offsets for all, but above the capacity; whether less is possible: unknown */
  TN_PLAN_INFEASIBLE, /* proved: no plan fits into the capacity (offsets may still be there) */
  TN_PLAN_FAILED      /* no offsets: constraints that contradict each other, or cancelled */
} TnPlanStatus;

typedef struct {
  char *strategy; /* owned */
  tn_bytes arena_bytes;
  double seconds;
  TnPlanStatus status;
} TnPlanTry;

typedef struct {
  TnPlanStatus status;
  tn_bytes *offset;      /* shape n, owned; NULL where TN_PLAN_FAILED */
  tn_bytes arena;        /* largest offset + size */
  tn_bytes lower_bound;  /* largest sum of sizes alive at once; at most the optimum */
  tn_bytes proved_bound; /* no plan is smaller than this (>= lower_bound) */
  bool is_optimal;       /* proved: arena == proved_bound */
  uint64_t nodes;        /* search nodes, 0 where there is no search */
  double seconds;
  char *message; /* TN_PLAN_FAILED: why; owned, else NULL */
  const char *strategy; /* `best`: the winner's name; else NULL */
  GArray *tried;        /* `best`: TnPlanTry, each strategy it ran; owned, else NULL */
} TnPlanAnswer;

void tn_plan_answer_clear(TnPlanAnswer *answer);

typedef struct {
  const char *name;  /* --strategy NAME */
  const char *title; /* one line for `tenure-cli strategies` */
  /* Fills `answer` (zeroed).  Keeps every constraint of the problem or fails. */
  void (*plan)(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer);
  double seconds; /* its own time limit; 0: it does not search */
} TnStrategy;

/* All strategies, NULL-terminated, in the order of engine.md. */
const TnStrategy *const *tn_strategies(void);
const TnStrategy *tn_strategies_find(const char *name);

/* The largest sum of sizes alive at one tick (gaps taken off).  O(n log n).
 * Method: endpoint sweep, ends before starts at equal tick.  -1 where the sum overflows. */
tn_bytes tn_plan_lower_bound(const TnPlanProblem *problem);

/* A new array of TnPlanTry that owns their strings, and a row of it. */
GArray *tn_plan_tries_new(void);
void tn_plan_tries_add(GArray *tries, const char *strategy, const TnPlanAnswer *answer);

/* ---- a whole table ------------------------------------------------------------------------ */

typedef struct {
  TnPlanStatus status;
  uint32_t n, n_spaces;
  uint32_t n_parts;       /* of its spaces, planned one by one */
  tn_bytes *offset;       /* shape n, within the buffer's space; owned */
  tn_bytes *space_arena;  /* shape n_spaces; owned */
  tn_bytes largest_arena_bytes; /* of them */
  tn_bytes arena_bytes;   /* sum over the spaces */
  tn_bytes lower_bound_bytes; /* sum over the spaces of each one's bound */
  tn_bytes proved_bound_bytes;
  tn_bytes no_reuse_bytes; /* sum of all sizes */
  bool is_optimal;        /* proved for every space */
  const char *strategy;   /* the one whose answer this is (for `best`, the winner) */
  GArray *tried;          /* TnPlanTry: for `best` each strategy it ran, else the one */
  uint64_t nodes;
  double seconds;
  char *message; /* owned; NULL unless TN_PLAN_FAILED */
  char *note;    /* what of the rules it does not use, and why: one sentence; owned; may be NULL */
} TnPlan;

/* Plans all buffers of the table (offsets in it are ignored unless TN_BUFFER_FIXED; sizes are taken
 * as they are).  `alignment` (0: none) is the least alignment of all.  TN_PLAN_FAILED where sizes,
 * alignments and fixed offsets add up to more than 2 EiB.  Never NULL; free with tn_plan_free(). */
TnPlan *tn_plan_new_for_buffers(const TnBuffers *buffers, const TnStrategy *strategy,
                                tn_bytes alignment, const TnPlanParams *params);
void tn_plan_free(TnPlan *plan);

/* Why a plan failed; borrowed. */
const char *tn_plan_reason(const TnPlan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnPlan, tn_plan_free)
