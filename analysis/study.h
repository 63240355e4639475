/* SPDX-License-Identifier: MIT */
/* One device of a document with all that is computed for it: lives, peaks, and what the pictures
 * need.  Built in two steps (numbers first, pictures when wanted), then never changed: the drawing
 * threads read it without locks.  Reference counted, atomically. */
#pragma once

#include "analysis/address-map.h"
#include "analysis/callsite.h"
#include "analysis/category.h"
#include "analysis/clock.h"
#include "analysis/curve.h"
#include "analysis/graph-lifetime.h"
#include "analysis/lanes.h"
#include "analysis/lifetime.h"
#include "analysis/live-index.h"
#include "data/progress.h"
#include "data/units.h"

typedef struct {
  tn_bytes alignment; /* sizes are rounded up to it; 0: as the format says */
  TnGrouping grouping;
  TnGraphLifetimeParams graph; /* graphs only; its alignment is the one above */
} TnStudyParams;

#define TN_STUDY_PARAMS_INIT                                                                       \
  {                                                                                                \
    .graph = TN_GRAPH_LIFETIME_PARAMS_INIT                                                         \
  }

typedef struct TnStudy {
  gint references;
  const TnDocument *document; /* borrowed; must outlive the study */
  const TnDevice *device;
  uint32_t device_row;

  /* Numbers: tn_study_new(). */
  const TnBuffers *buffers;
  const tn_bytes *offset; /* by buffer: addresses or offsets; TN_NOT_PLACED where there is none */
  tn_tick axis_end;       /* ticks run [0, axis_end) */
  TnClock *clock;         /* when each was; NULL where the file has no times */
  TnCurve *live;
  TnCurve *reserved; /* NULL where nothing is known of segments */
  tn_bytes before_bytes, no_reuse_bytes, resident_bytes;
  tn_bytes input_bytes, output_bytes; /* of a graph; TN_BYTES_UNKNOWN otherwise */
  tn_bytes alignment; /* that offsets of these buffers keep at least; 0: none */
  tn_bytes arena_bytes; /* of a plan; TN_BYTES_UNKNOWN for a log */
  tn_bytes *space_arena; /* by space, of a plan; NULL for a log */
  uint32_t n_spaces;
  uint32_t n_before, n_not_in_segments, n_unsized;
  bool is_log; /* offsets are addresses */
  const char *preset; /* the runtime's whose rules the lives follow, static; NULL: the file's */
  const TnGraphLives *graph_lives; /* of a graph without a recorded plan, else NULL */
  const uint32_t *row_of; /* of such a one, and of plans of it: by tensor, as in graph_lives */

  /* Pictures: tn_study_prepare(). */
  bool is_prepared;
  TnLiveIndex *index;
  TnAddressMap *map;
  TnBuffers *segments;        /* of a log: what was held and when, else NULL */
  tn_bytes *segment_place;    /* by row of segments: where they stand in the map */
  TnLiveIndex *segment_index;
  GArray *regions; /* TnRegion, see regions.h; NULL: the plan has none */
  TnLanes *lanes;
  TnCallSites *sites;
  TnCategories *categories;

  /* private */
  TnBuffers *owned_buffers;
  TnLogLives *log;
  TnGraphLives *owned_graph_lives;
  tn_bytes *owned_offset;
  uint32_t *owned_row_of;
  struct TnStudy *parent; /* owns all but lanes and categories; NULL: the study does */
} TnStudy;

/* Computes lives and curves of one device.  Errors: TN_DATA_ERROR_TOO_LARGE where a sum passes 64
 * bits, TN_DATA_ERROR_CANCELLED. */
TnStudy *tn_study_new(const TnDocument *document, uint32_t device_row, const TnStudyParams *params,
                      TnProgress *progress, GError **error);

/* Makes what the pictures need; does nothing the second time.  False where cancelled. */
bool tn_study_prepare(TnStudy *study, TnGrouping grouping, TnProgress *progress);

/* A study of the same lives with other offsets (a plan's; shape n, copied).  `space_arena`: shape
 * n_spaces, copied. */
TnStudy *tn_study_new_with_offsets(const TnStudy *study, const tn_bytes *offset,
                                   const tn_bytes *space_arena, uint32_t n_spaces);

/* The same prepared study with other groups, which give the colours, and other lanes: of each group
 * their own (`has_group_lanes`), sorted by `sort`.  Shares all the rest.  Any thread.
 * O(buffers log buffers). */
TnStudy *tn_study_new_regrouped(TnStudy *from, TnGrouping grouping, bool has_group_lanes,
                                TnLaneSort sort);

TnStudy *tn_study_ref(TnStudy *study);
void tn_study_unref(TnStudy *study);

/* What a person calls this buffer: its name, its call site, or its kind.  Owned by the caller. */
char *tn_study_dup_label(const TnStudy *study, tn_index buffer);

/* "PTA on NPU:0 · peak allocated 1 GiB · peak reserved 2 GiB · 12 samples", of a device with totals
 * only; else NULL.  Owned by the caller. */
char *tn_study_dup_totals(const TnStudy *study, TnUnits units);

/* Why there is no axis by the clock: a sentence; NULL where there is one.  Owned by the caller. */
char *tn_study_dup_no_clock(const TnStudy *study);

/* Why there is no map: a sentence that says what the file has instead and which recording would allow
 * one; NULL where there are buffers.  Owned by the caller. */
char *tn_study_dup_no_map(const TnStudy *study);

/* The device to show first: the one with an OOM, else the one with most events, else most buffers
 * alive.  Row of document->devices. */
uint32_t tn_study_first_device(const TnDocument *document);
/* Whether a device has anything to show. */
bool tn_study_device_has_content(const TnDocument *document, uint32_t device_row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStudy, tn_study_unref)
