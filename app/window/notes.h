/* SPDX-License-Identifier: MIT */
/* Bookmarks and notes of one file, kept in the user's data folder: a JSON file for each, named by the
 * hashes of content and path and written whole or not at all a moment after each change.  Notes that
 * can't be read are never written over.  All tabs of a file share them.  Main thread only; hashing,
 * reading and writing are done elsewhere.
 *
 * Signal: "changed". */
#pragma once

#include "app/window/file-stamp.h"
#include "app/window/undo.h"
#include "data/types.h"

#define TN_TYPE_NOTES (tn_notes_get_type())
G_DECLARE_FINAL_TYPE(TnNotes, tn_notes, TN, NOTES, GObject)

typedef struct {
  char *name;
  int32_t device; /* ordinal */
  tn_tick tick;
  tn_index buffer; /* TN_NONE: only the tick */
  /* What the buffer was, whose row is another once the graph is edited or put in another order; NULL: not
   * known, by versions of Tenure that kept only the row. */
  char *label;
  tn_bytes bytes;
} TnBookmark;

/* Those of the file as it was read (`stamp`), there when it has been hashed; owned by the caller.  Of
 * what is no file (a pasted text) they live as long as its tab.  What lies beside it as
 * FILE.notes.json is taken where the user has none. */
TnNotes *tn_notes_for_file(const char *path, const TnFileStamp *stamp);

/* What is kept is still to come: bookmarks can be put, the text can't be changed. */
bool tn_notes_is_reading(TnNotes *notes);
guint tn_notes_count(TnNotes *notes);
const TnBookmark *tn_notes_get(TnNotes *notes, guint row);
const char *tn_notes_get_text(TnNotes *notes);
/* Another number where the bookmarks are others. */
guint tn_notes_get_edition(TnNotes *notes);
/* What went wrong with the last reading or writing, or what to know of them; NULL: nothing. */
const char *tn_notes_get_trouble(TnNotes *notes);

/* Each is a change that `undo` keeps.  The bookmark is copied; they stand by tick, and where there are very many
 * no more are taken. */
void tn_notes_add(TnNotes *notes, TnUndo *undo, const TnBookmark *bookmark);
void tn_notes_rename(TnNotes *notes, TnUndo *undo, guint row, const char *name);
void tn_notes_remove(TnNotes *notes, TnUndo *undo, guint row);
void tn_notes_set_text(TnNotes *notes, TnUndo *undo, const char *text);

/* As they are kept and exported: "tenure-notes" JSON; owned by the caller. */
char *tn_notes_build_json(TnNotes *notes);
/* Writes what waits to be written, of all files, now; a file that has changes is hashed first.  For the
 * end of the program: what else waits on the main thread is done meanwhile. */
void tn_notes_flush_all(void);
