/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/replay-base.h"

#define KEY "tenure-replay-base"

struct TnReplayBase {
  TnStudy *study; /* owned reference; its document is the session's */
  GMutex lock;    /* held while the log is built */
  TnReplayLog *log;
};

static void
clear_base(gpointer data)
{
  TnReplayBase *base = data;
  tn_replay_log_free(base->log);
  tn_study_unref(base->study);
  g_mutex_clear(&base->lock);
}

TnReplayBase *
tn_replay_base_ref(TnReplayBase *base)
{
  return g_atomic_rc_box_acquire(base);
}

void
tn_replay_base_unref(TnReplayBase *base)
{
  if (base)
    g_atomic_rc_box_release_full(base, clear_base);
}

/* Comes after the session's document is gone: neither the log nor the study looks at it then. */
static void
drop(gpointer base)
{
  tn_replay_base_unref(base);
}

TnReplayBase *
tn_replay_base_get(TnSession *session)
{
  TnStudy *study = tn_session_get_study(session);
  TnReplayBase *base = g_object_get_data(G_OBJECT(session), KEY);
  /* Other colours or another order of the bars are another study of the same requests. */
  if (!base || base->study->device != study->device) {
    base = g_atomic_rc_box_new0(TnReplayBase);
    base->study = tn_study_ref(study);
    g_mutex_init(&base->lock);
    g_object_set_data_full(G_OBJECT(session), KEY, base, drop);
  }
  return tn_replay_base_ref(base);
}

TnStudy *
tn_replay_base_study(TnReplayBase *base)
{
  return base->study;
}

const TnReplayLog *
tn_replay_base_log(TnReplayBase *base)
{
  g_mutex_lock(&base->lock);
  if (!base->log)
    g_atomic_pointer_set(&base->log, tn_replay_log_new(base->study));
  g_mutex_unlock(&base->lock);
  return base->log;
}

const TnReplayLog *
tn_replay_base_peek(TnReplayBase *base)
{
  return g_atomic_pointer_get(&base->log);
}
