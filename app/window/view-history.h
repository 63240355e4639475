/* SPDX-License-Identifier: MIT */
/* What of a file was looked at, in its order: back and forward. */
#pragma once

#include "render/view.h"

typedef struct TnViewHistory TnViewHistory;

/* Has no place before the first tn_view_history_restart(). */
TnViewHistory *tn_view_history_new(void);
void tn_view_history_free(TnViewHistory *history);

/* Nothing was looked at before this. */
void tn_view_history_restart(TnViewHistory *history, const TnView *view);
/* Moves that follow each other at once (a wheel, a held key) are one step, but for those that
 * tn_view_history_end_move() parts. */
void tn_view_history_add(TnViewHistory *history, const TnView *view);
void tn_view_history_end_move(TnViewHistory *history);
/* Lanes are in another order: no place keeps its own. */
void tn_view_history_forget_lanes(TnViewHistory *history);

/* Whether both look at the same times, places and lanes. */
bool tn_view_history_is_same(const TnView *a, const TnView *b);
/* `step`: −1 back, 1 forward.  Going writes times, places and lanes to `view`; false: there is nothing. */
bool tn_view_history_can_go(const TnViewHistory *history, int step);
bool tn_view_history_go(TnViewHistory *history, int step, TnView *view);
