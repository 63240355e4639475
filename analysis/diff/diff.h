/* SPDX-License-Identifier: MIT */
/* Two studies beside each other: which buffer of A is which of B, what changed of each, and why the
 * peak is another.  Any two: graphs, logs, plans, one file under two strategies or bindings.
 * Built once, then never changed: any thread may read it. */
#pragma once

#include "analysis/diff/axis.h"
#include "analysis/study.h"

/* How a pair was found, the surest first. */
typedef enum {
  TN_MATCH_NONE, /* one side only */
  TN_MATCH_ID,   /* the same row, or the file's id and the name */
  TN_MATCH_NAME,
  TN_MATCH_PRODUCER, /* the same output of ops that stand for each other */
  TN_MATCH_PLACE,    /* shape, type and place in the order */
  TN_MATCH_STACK,    /* logs: the call stack and which of its allocations */
  TN_MATCH_LIFE,     /* size and life */
  TN_MATCH_PERSON,   /* set by hand */
  TN_N_MATCHES
} TnDiffMatch;

typedef enum {
  TN_CHANGE_GREW = 1 << 0,
  TN_CHANGE_SHRANK = 1 << 1,
  TN_CHANGE_MOVED = 1 << 2,  /* another offset; never said of a log's addresses */
  TN_CHANGE_LONGER = 1 << 3, /* lives over more of the moments that both sides have */
  TN_CHANGE_SHORTER = 1 << 4,
  TN_CHANGE_REALIGNED = 1 << 5, /* another alignment, or rounded otherwise */
  TN_CHANGE_REORDERED = 1 << 6, /* as long, at another moment */
  TN_CHANGE_RENAMED = 1 << 7,
  TN_CHANGE_NEW = 1 << 8,
  TN_CHANGE_GONE = 1 << 9
} TnDiffChanges;
#define TN_N_CHANGES 10

/* Why the peak or the arena is another; the first eight sum to the difference of the live peaks,
 * all to that of the arenas. */
typedef enum {
  TN_CAUSE_NEW, /* at B's peak, unknown to A */
  TN_CAUSE_GONE,
  TN_CAUSE_BIGGER, /* at both peaks */
  TN_CAUSE_SMALLER,
  TN_CAUSE_LIVES_LONGER, /* now alive at the peak, for its life is longer (or the other way) */
  TN_CAUSE_LIVES_SHORTER,
  TN_CAUSE_OTHER_MOMENT, /* the same life, but the peak is elsewhere: order */
  TN_CAUSE_ROUNDING,     /* sizes rounded up otherwise */
  TN_N_LIVE_CAUSES,
  TN_CAUSE_ALIGNMENT = TN_N_LIVE_CAUSES, /* gaps at the peak that alignment forces */
  TN_CAUSE_FRAGMENTATION,                /* what else of the arena is empty at the peak */
  TN_CAUSE_SPACES,                       /* its spaces are full at different moments */
  TN_CAUSE_STREAMS,                      /* its streams may share no places */
  TN_N_CAUSES
} TnDiffCause;

/* One side's arena, taken apart: bytes = live peak + alignment + fragmentation + spaces + streams. */
typedef struct {
  tn_bytes arena, live_peak; /* arena UNKNOWN: so are the others */
  tn_bytes alignment, fragmentation, spaces, streams;
} TnDiffAccount;

typedef struct {
  tn_index a, b;    /* TN_NONE: not on that side */
  uint16_t changes; /* TnDiffChanges; 0: the same */
  uint8_t match;    /* TnDiffMatch */
} TnDiffPair;

typedef struct {
  gint references;
  const TnStudy *a, *b;                                 /* held */
  uint32_t n, n_matched, n_only_a, n_only_b, n_changed; /* n_changed: matched pairs that differ */
  uint32_t n_by_match[TN_N_MATCHES];
  TnDiffPair *pairs;               /* shape n: by A's rows, then what only B has by B's rows */
  uint32_t *pair_of_a, *pair_of_b; /* by buffer */
  uint32_t *op_of_a; /* graphs: by op of A, the op of B that stands for it, or TN_NONE; else NULL */
  uint32_t n_ops_matched, n_ops_only_a, n_ops_only_b;
  TnDiffAxis *axis;
  TnDiffAccount account_a, account_b;
  tn_bytes live_delta, arena_delta; /* B - A; has_arena false: no arena on one side */
  bool has_arena;
  tn_bytes cause[TN_N_CAUSES];   /* signed bytes */
  uint32_t cause_n[TN_N_CAUSES]; /* buffers behind each, 0 for those of the arena */
  uint16_t *pair_causes;         /* by pair: bits 1 << TnDiffCause of all it has a part in */
  tn_bytes *pair_bytes;          /* by pair: what it adds to the difference of the live peaks */
} TnDiff;

typedef struct {
  const uint32_t *order_a, *order_b; /* of a graph's ops; NULL: the file's.  Borrowed by the call */
  /* Pairs set by hand, {row of A, row of B}; TN_NONE on one side keeps a row alone.  Of two that
   * speak of one row the later counts; rows that there are not are passed over. */
  const tn_index (*fixed)[2];
  uint32_t n_fixed;
  TnProgress *progress;
} TnDiffParams;

#define TN_DIFF_PARAMS_INIT                                                                        \
  {                                                                                                \
    .n_fixed = 0                                                                                   \
  }

/* Compares two studies (both are held).  NULL where cancelled, or (TN_DATA_ERROR_TOO_LARGE) where a
 * sum passes 64 bits.  O(n log n). */
TnDiff *tn_diff_new(const TnStudy *a, const TnStudy *b, const TnDiffParams *params, GError **error);
TnDiff *tn_diff_ref(TnDiff *diff);
void tn_diff_unref(TnDiff *diff);

/* Words for scripts and people: "id", "grew" (of bit 1 << `bit`), "lives-longer"; and a sentence's
 * part for a cause ("lives longer"). */
const char *tn_diff_match_name(TnDiffMatch match);
const char *tn_diff_change_name(unsigned bit);
/* The names of all bits of `changes`, with `between` between them; owned by the caller. */
char *tn_diff_dup_changes(unsigned changes, const char *between);
const char *tn_diff_cause_name(TnDiffCause cause);
const char *tn_diff_cause_title(TnDiffCause cause);

/* The first cause that a pair has a part in; TN_N_CAUSES where it is at neither peak. */
TnDiffCause tn_diff_pair_cause(const TnDiff *diff, uint32_t pair);

/* Sizes of a pair, 0 on the side where it is not; and B - A. */
tn_bytes tn_diff_bytes_a(const TnDiff *diff, uint32_t pair);
tn_bytes tn_diff_bytes_b(const TnDiff *diff, uint32_t pair);

/* How much longer a pair lives in B, in moments that both sides have; of one side's own, its life in
 * that side's ticks, less for what is gone. */
tn_tick tn_diff_life_delta(const TnDiff *diff, uint32_t pair);
/* How much higher a pair lies in B.  False where that says nothing: on one side only, not placed, or
 * a log's addresses. */
bool tn_diff_offset_delta(const TnDiff *diff, uint32_t pair, tn_bytes *out_delta);

/* What a person calls the pair: B's label, else A's.  Owned by the caller. */
char *tn_diff_dup_label(const TnDiff *diff, uint32_t pair);

/* The pairs that differ (new and gone ones too), the most important first: by what they add to the
 * difference of the peaks, then by the difference of their sizes, then by size.  uint32_t rows,
 * owned by the caller.  O(n log n). */
GArray *tn_diff_build_ranking(const TnDiff *diff);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDiff, tn_diff_unref)
