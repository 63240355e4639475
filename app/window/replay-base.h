/* SPDX-License-Identifier: MIT */
/* The requests of the log that a tab shows, for all that replays them: built once, by the first
 * worker that asks, and not changed from then on. */
#pragma once

#include "analysis/replay/replay.h"
#include "app/window/session.h"

typedef struct TnReplayBase TnReplayBase;

/* That of the session's present device; a reference that the caller owns.  Main thread. */
TnReplayBase *tn_replay_base_get(TnSession *session);
TnReplayBase *tn_replay_base_ref(TnReplayBase *base);
/* The last reference may go in any thread, while the session still lives. */
void tn_replay_base_unref(TnReplayBase *base);

/* A study of that device, not always the present one. */
TnStudy *tn_replay_base_study(TnReplayBase *base);

/* The log, built where that was not done yet: O(events), so not on the main thread. */
const TnReplayLog *tn_replay_base_log(TnReplayBase *base);
/* The log, or NULL where nobody has built it yet. */
const TnReplayLog *tn_replay_base_peek(TnReplayBase *base);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnReplayBase, tn_replay_base_unref)
