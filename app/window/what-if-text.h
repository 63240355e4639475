/* SPDX-License-Identifier: MIT */
/* What a replay and a suggestion say in words.  All strings are owned by the caller. */
#pragma once

#include "analysis/replay/suggest.h"
#include "data/units.h"

/* Whether the request that failed is served, or what fails instead, and by how much. */
char *tn_what_if_dup_verdict(const TnReplayLog *log,
                             const TnReplayParams *params,
                             const TnReplayResult *result,
                             TnUnits units);

/* The reserved peak beside the recorded one. */
char *tn_what_if_dup_peaks(const TnReplayResult *result, TnUnits units);

/* "expandable_segments=True", and "passes · 3.60 GiB reserved until then" below
 * it: its peak counts up to the request that failed. */
char *tn_what_if_dup_name(const TnSuggestion *try);
char *tn_what_if_dup_note(const TnSuggestion *try, TnUnits units);
