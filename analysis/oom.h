/* SPDX-License-Identifier: MIT */
/* Why a request failed, at the tick where it failed (what the exception's unwinding left is another
 * state): a verdict whose figures add up, the few buffers that stand in the way, and what was alive. */
#pragma once

#include "analysis/ledger.h"
#include "analysis/module.h"

typedef enum {
  TN_OOM_FRAGMENTATION, /* the free bytes that it may use would do, but not in one place */
  TN_OOM_CAPACITY,      /* they would not do */
  TN_OOM_POOL_BOUND,    /* there was room, but of another pool, stream or segment kind */
  TN_OOM_OTHERS,        /* the device would have room, if others did not hold so much of it */
  TN_OOM_UNEXPLAINED    /* a hole would have done: a limit that the log does not show */
} TnOomVerdict;

/* The smallest set of neighbours in one segment whose release makes one hole of the size asked for.
 *
 *    hole [b1] hole [b2] hole          holes + b1 + b2 >= request
 */
typedef struct {
  GArray *buffers; /* uint32_t rows, by address; empty: no segment is large enough */
  uint64_t address; /* of the hole that there would be */
  tn_bytes bytes;   /* of that hole */
  tn_bytes block_bytes; /* what the buffers hold of it */
  uint32_t segment; /* row of the holes' segments */
} TnOomRoom;

typedef struct {
  uint32_t site; /* of TnOom.sites, or of TnOom.modules (its n: from before the recording) */
  uint32_t n;
  tn_bytes bytes;
  tn_bytes growth; /* since the last iteration mark (or since tick 0) */
  uint32_t largest; /* row of its largest buffer */
} TnOomSite;

typedef struct {
  tn_tick tick;
  tn_bytes requested;     /* as it was rounded: logs do not keep what was asked for */
  tn_bytes segment_bytes; /* what it would have needed from the device */
  tn_bytes device_free;   /* TN_BYTES_UNKNOWN where the log does not say */
  uint32_t space, stack;
  bool is_small;
  tn_bytes granule; /* by which segments that it may use grow; 0: they do not */
  TnHoles *holes;
  TnLedger *account;
  /* Of the holes that this request may use, and of all others. */
  tn_bytes usable_free, usable_largest, other_free, other_largest;
  tn_bytes usable_whole, other_whole; /* the most of them that whole segments (granules, where they
                                         grow) given back could make up, wherever they lay; 0 where
                                         all free bytes with the device's would not do; of very many
                                         sizes of a small unit possibly too much */
  uint32_t usable_n;
  TnOomVerdict verdict;
  char *sentence; /* what happened, in figures that add up */
  char *cause;    /* the verdict in one sentence */
  char *advice;   /* what to do next */
  TnOomRoom room; /* fewest buffers */
  TnOomRoom pins; /* fewest bytes: what pins the best candidate apart */
  tn_tick since;  /* the iteration mark that growth is counted from; 0: none */
  bool has_iteration;
  bool is_report; /* the file is of this one moment: there are no events */
  const TnCallSites *sites; /* the study's, or owned_sites */
  GArray *live;   /* TnOomSite by call site, largest first */
  TnModules *modules;
  GArray *live_modules; /* TnOomSite by module, largest first; empty where they can't be told */
  TnCallSites *owned_sites;
} TnOom;

/* The failed request of `mark` (a row of the device's marks, of kind TN_MARK_OOM).  `device_bytes`:
 * the device's memory, 0: as the file says.  O(buffers). */
TnOom *tn_oom_new(const TnStudy *study, uint32_t mark, tn_bytes device_bytes);
void tn_oom_free(TnOom *oom);

/* The row of the `k`th failed request among the device's marks; TN_NONE where there is none. */
uint32_t tn_oom_find_mark(const TnDevice *device, uint32_t k);

uint32_t tn_oom_count(const TnDevice *device);
/* Those that are explained where all are told: rows of the device's marks (uint32_t), in their order.  Of
 * more than TN_OOM_MOST_TOLD, as a loop that tries again leaves them, the first and the last ones, half
 * of that each.  Owned by the caller. */
#define TN_OOM_MOST_TOLD 128
GArray *tn_oom_find_told(const TnDevice *device);

/* What a row of `live` or of `live_modules` is called; borrowed. */
const char *tn_oom_site_name(const TnOom *oom, const TnStudy *study, const TnOomSite *row);
const char *tn_oom_module_name(const TnOom *oom, const TnOomSite *row);

/* "fragmentation", "capacity", … */
const char *tn_oom_verdict_name(TnOomVerdict verdict);

/* The smallest set of blocks of one segment, among those of this space and kind, whose release makes
 * a hole of `bytes`: fewest blocks (TN_FEWEST_BLOCKS) or fewest bytes, then the other, then lowest
 * address.  Exact, by a window over each segment's addresses, O(blocks).  `out`: cleared by
 * tn_oom_room_clear(). */
typedef enum { TN_FEWEST_BLOCKS, TN_FEWEST_BYTES } TnOomRoomOrder;
void tn_oom_find_room(const TnHoles *holes, uint32_t space, bool is_small, tn_bytes bytes,
                      TnOomRoomOrder order, TnOomRoom *out);
void tn_oom_room_clear(TnOomRoom *room);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOom, tn_oom_free)
