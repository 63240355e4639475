/* SPDX-License-Identifier: MIT */
/* What the files of the session share. */
#pragma once

#include "app/window/session.h"

/* Another view, which is a step of its own in the history. */
void tn_session_jump(TnSession *session, const TnView *view);
/* What the lanes have of the window's height, in logical pixels; 0: not known yet. */
double tn_session_get_lanes_room(TnSession *session);
