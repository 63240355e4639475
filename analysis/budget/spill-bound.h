/* SPDX-License-Identifier: MIT */
/* How much time any plan for a budget loses at least: a relaxation in which storages may be moved
 * in part, solved from below.
 *
 *   places over the budget   storages that idle there must make the room, each place at a price p
 *   windows of a lane        copies that must lie in one take longer than the ops in it: the rest
 * is lost; each second of a window at a weight w, 0 to 1 running again            its ops and those
 * whose results nobody keeps by then
 *
 * Every setting of prices and weights is a bound: what the room is worth, less what the best use of
 * each storage earns, less the compute in the windows.  Subgradient ascent (Polyak 1969) looks for
 * a good one; the windows are those in which the plan at hand waits. */
#pragma once

#include "analysis/budget/spill-run.h"

/* Seconds above tn_spill_shortest() that no plan within `budget` avoids; `plan` keeps within it.
 * Ends at `deadline` (of g_get_monotonic_time(); 0: when nothing gets better). */
double tn_spill_bound(const TnSpillModel *model,
                      const TnSpillPlan *plan,
                      tn_bytes budget,
                      gint64 deadline);

/* The time of all ops, each in its fastest way that fits into `budget` by itself. */
double tn_spill_shortest(const TnSpillModel *model, tn_bytes budget);
