/* SPDX-License-Identifier: MIT */
/* A comparison of two sessions as all its widgets share it: the picture (worked out off the main
 * thread), pairs set by hand, what is filtered, what is selected, where the pointer is.
 *
 * Signals, all without arguments: "compared" (another picture, or none: see the failure),
 * "filter-changed", "selection-changed", "cursor-changed", "units-changed". */
#pragma once

#include "app/window/diff-filter.h"
#include "app/window/session.h"
#include "app/window/undo.h"
#include "render/draw-diff.h"

#include <gio/gio.h>

#define TN_TYPE_DIFF_MODEL (tn_diff_model_get_type())
G_DECLARE_FINAL_TYPE(TnDiffModel, tn_diff_model, TN, DIFF_MODEL, GObject)

/* Keeps both sessions; the work begins at once. */
TnDiffModel *tn_diff_model_new(TnSession *a, TnSession *b);

/* The last picture that was made; NULL before.  Borrowed; its parts never change. */
TnDiffPicture *tn_diff_model_get_picture(TnDiffModel *model);
const TnDiff *tn_diff_model_get_diff(TnDiffModel *model);
/* The pairs (uint32_t) as the list shows them at first; as long as the picture. */
const GArray *tn_diff_model_get_order(TnDiffModel *model);
/* Why there is no picture; NULL: there is one, or there will be. */
const char *tn_diff_model_get_failure(TnDiffModel *model);
const TnStudy *tn_diff_model_get_study(TnDiffModel *model, TnDiffSide side);
/* Which file it was: see tn_session_get_stamp(). */
const TnFileStamp *tn_diff_model_get_stamp(TnDiffModel *model, TnDiffSide side);
/* "a.pickle ↔ b.pickle"; owned by the caller. */
char *tn_diff_model_build_title(TnDiffModel *model);

/* The other way round; nothing can be taken back then. */
void tn_diff_model_swap(TnDiffModel *model);

/* What can be taken back: pairs set by hand, filters. */
TnUndo *tn_diff_model_get_undo(TnDiffModel *model);
/* A's buffer is B's: compares again. */
void tn_diff_model_match(TnDiffModel *model, tn_index a, tn_index b);
/* Neither has a partner, whatever else is like it: compares again. */
void tn_diff_model_unmatch(TnDiffModel *model, tn_index a, tn_index b);

const TnDiffFilter *tn_diff_model_get_filter(TnDiffModel *model);
void tn_diff_model_set_filter(TnDiffModel *model, const TnDiffFilter *filter);
/* By pair 1 where it is shown, *out_n of them (may be NULL); NULL: all.  Borrowed. */
GBytes *tn_diff_model_get_shown(TnDiffModel *model, uint32_t *out_n);
/* The same by buffer of one side. */
GBytes *tn_diff_model_get_match(TnDiffModel *model, TnDiffSide side);

/* A pair, or TN_NONE. */
uint32_t tn_diff_model_get_selected(TnDiffModel *model);
void tn_diff_model_select(TnDiffModel *model, uint32_t pair);

/* A tick of the common axis; < 0: the pointer is elsewhere. */
double tn_diff_model_get_cursor(TnDiffModel *model);
void tn_diff_model_set_cursor(TnDiffModel *model, double tick);

/* The units are others. */
void tn_diff_model_invalidate(TnDiffModel *model);
