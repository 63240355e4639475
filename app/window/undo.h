/* SPDX-License-Identifier: MIT */
/* What can be taken back in one tab: a list of changes, each with the state before and after it as a
 * GVariant, and a function that puts such a state in place.  Main thread only.
 *
 * Signal: "changed" (what can be undone or redone is another). */
#pragma once

#include <glib-object.h>
#include <stdbool.h>

#define TN_TYPE_UNDO (tn_undo_get_type())
G_DECLARE_FINAL_TYPE(TnUndo, tn_undo, TN, UNDO, GObject)

/* Puts `state` in place at `owner` (a GObject).  What it pushes meanwhile is not kept. */
typedef void (*TnUndoApply)(gpointer owner, GVariant *state);

/* Whether `state` is what is there at `owner`. */
typedef bool (*TnUndoIsThere)(gpointer owner, GVariant *state);

TnUndo *tn_undo_new(void);

/* A change that has been made.  `label`: static, "Change Search"; changes of one label and owner that
 * follow each other within a second are one.  `owner` is held weakly: the changes of one that is gone
 * are passed over.  `before` and `after` are sunk; a change that changes nothing is not kept.  The oldest
 * of very many changes, or of very large ones, are forgotten. */
void tn_undo_push(TnUndo *undo, const char *label, gpointer owner, TnUndoApply apply,
                  GVariant *before, GVariant *after);

/* The same for what is changed elsewhere as well: a change is passed over, in both directions, where
 * what it left is not there any more. */
void tn_undo_push_shared(TnUndo *undo, const char *label, gpointer owner, TnUndoApply apply,
                         TnUndoIsThere is_there, GVariant *before, GVariant *after);

/* The next change is one of its own, however soon it comes. */
void tn_undo_seal(TnUndo *undo);

/* Nothing happens where there is nothing to take back. */
void tn_undo_undo(TnUndo *undo);
void tn_undo_redo(TnUndo *undo);
/* What would be undone or redone; NULL: nothing. */
const char *tn_undo_peek_undo(TnUndo *undo);
const char *tn_undo_peek_redo(TnUndo *undo);
/* Forgets everything: what the changes rest on is gone. */
void tn_undo_clear(TnUndo *undo);
