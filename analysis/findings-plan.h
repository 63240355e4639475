/* SPDX-License-Identifier: MIT */
/* Findings on a graph or a plan: what keeps buffers from sharing memory.  Each saving is computed by
 * planning twice, with the cause and without it, by the same planner. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

/* `reuse-off`: buffers that may share their place with nobody. */
void tn_find_reuse_off(const TnStudy *study, TnFindings *findings);

/* `resident-in-arena`: constants and variables among what is planned. */
void tn_find_residents(const TnStudy *study, TnFindings *findings);

/* `workspace-not-shared`: workspaces of a recorded plan that stand in places of their own though they
 * are never alive together.  All other offsets stay as they are when it is planned again. */
void tn_find_workspaces(const TnStudy *study, TnFindings *findings);

/* `late-free`: a buffer of a graph whose recorded plan keeps its place empty after its last reader,
 * though what begins in that time stands elsewhere.  saving: of the arena, planned again with all
 * that begins in that time free to move and all else where it stands.  Silent where that gains
 * nothing. */
void tn_find_late_places(const TnStudy *study, TnFindings *findings);
