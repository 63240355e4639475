/* SPDX-License-Identifier: MIT */
/* What-if edits of one tab's graph: the list, and what it does to the peak and the arena.  Each
 * change is planned in a worker thread and shown when it is ready; what can't be done changes
 * nothing.  The file is never touched.  Main thread only.
 *
 * Signals: "changed" (list, figures, or whether something is being planned), "refused" (const char
 * *why), "told" (const char *what: something besides that was done), "measured" (the figures alone: the study is of
 * other rules). */
#pragma once

#include "app/window/session.h"
#include "data/graph-edit.h"

#define TN_TYPE_EDITS (tn_edits_get_type())
G_DECLARE_FINAL_TYPE(TnEdits, tn_edits, TN, EDITS, GObject)

typedef struct {
  tn_bytes peak, arena, no_reuse; /* arena: of the planner that opens a file */
  uint32_t n_ops, n_buffers;
} TnEditFigures;

/* The session's own, made when it is asked for; NULL: it has no graph.  Borrowed. */
TnEdits *tn_edits_get(TnSession *session);
/* How many edits are in place; 0 where there is no graph. */
guint tn_edits_count(TnSession *session);

/* What they are made on, or would be: the file, perhaps in another order.  The session's. */
const TnDocument *tn_edits_get_base(TnSession *session);
/* Whether another order was chosen for the graph with its edits. */
bool tn_edits_has_order(TnSession *session);

/* In the order in which they are made (TnGraphEdit *).  Borrowed until the next change. */
const GPtrArray *tn_edits_get_list(TnEdits *edits);
bool tn_edits_is_planning(TnEdits *edits);
/* By the rules of the study that is shown, but for the moment in which they are measured; UNKNOWN where these take
 * no such graph.  False where nothing was planned so: what is shown is what there is. */
bool tn_edits_get_figures(TnEdits *edits, TnEditFigures *out_before, TnEditFigures *out_after);

/* Takes the edit. */
void tn_edits_add(TnEdits *edits, TnGraphEdit *edit);
void tn_edits_remove(TnEdits *edits, guint row);
void tn_edits_clear(TnEdits *edits);
/* The list of a document (tenure-edits JSON) in place of the present one. */
void tn_edits_set_json(TnEdits *edits, const char *json);
/* Those of another reading of the file, in place or being planned; what no longer fits is left out, and told. */
void tn_edits_take_over(TnEdits *edits, TnEdits *from);
/* As it is saved; owned by the caller. */
char *tn_edits_build_json(TnEdits *edits);
