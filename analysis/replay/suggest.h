/* SPDX-License-Identifier: MIT */
/* Settings that would have avoided a failure, each proved by a replay; or the statement that none
 * would. */
#pragma once

#include "analysis/replay/replay.h"

typedef struct {
  const TnAllocatorModel *model;
  TnReplaySettings settings;
  char *text;              /* the settings, "expandable_segments=True" */
  bool passes;             /* the request that failed is served, and no other fails before it */
  bool is_recorded;        /* the settings that the log was made with */
  bool is_open;            /* static: it fails, but no proof rules a plan that passes out */
  bool seeds_requested;    /* memory from before the recording was requested anew: its place would
                              have been another */
  tn_bytes reserved_peak, allocated_peak; /* up to that request, or to the failure */
  tn_bytes smallest_limit; /* on which it passes that request; TN_BYTES_UNKNOWN: not asked for */
  tn_bytes proved_bound;   /* static: no plan is smaller; TN_BYTES_UNKNOWN with the other models */
} TnSuggestion;

typedef struct {
  tn_bytes limit;  /* of the device; 0: none was known, nothing fails */
  tn_bytes needed; /* alive at the failed request, with it: no setting can pass below it */
  bool needs_more; /* needed > limit: the live set alone was larger than the device */
  GArray *rows;    /* TnSuggestion: those that pass first, by reserved peak */
  uint32_t n_tried, n_passing; /* of the caching allocator's settings but the recorded ones */
  char *sentence;
} TnSuggestions;

/* Runs a small grid of settings of the caching allocator (growing segments, split limits, rounding,
 * garbage collection, pairs of them) and the recorded ones, on `limit` bytes of device.  `is_listed`: the rows are
 * shown, not the sentence alone, which speaks of settings only: finds the smallest device for each that passes and
 * for the recorded ones, too, and (up to 100,000 buffers) adds a plan, which may take seconds.
 * Two threads.  Never NULL; rows are missing where `progress` was cancelled. */
TnSuggestions *tn_suggestions_new(const TnReplayLog *log, tn_bytes limit, bool is_listed,
                                  TnProgress *progress);
void tn_suggestions_free(TnSuggestions *suggestions);

static inline const TnSuggestion *
tn_suggestions_get(const TnSuggestions *suggestions, uint32_t i)
{
  return &g_array_index(suggestions->rows, TnSuggestion, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSuggestions, tn_suggestions_free)
