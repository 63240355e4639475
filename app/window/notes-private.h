/* SPDX-License-Identifier: MIT */
/* What the files of the notes share. */
#pragma once

#include "app/window/file-stamp.h"
#include "app/window/notes-json.h"

struct _TnNotes {
  GObject parent_instance;
  TnFileStamp stamp; /* of the file when it was read: another content has other notes */
  char *path, *hash; /* the hash is NULL until it is known, and where there is no file */
  TnNotesContent content;
  char *trouble;
  bool is_unkept;     /* that is the last write's */
  guint waiting;      /* the timer of a write */
  guint64 generation; /* of the content */
  GMutex lock;        /* around writing */
  guint64 written;    /* the generation on the disk; under the lock */
  guint edition;      /* of the bookmarks: where two have the same number, they are the same */
  bool is_reading;    /* what is kept is not there yet */
  bool is_locked;     /* what lies in its place can't be read, or is another's: nothing is written over it */
};

/* The bookmarks are others; tn_notes_tell_change() is to follow. */
void tn_notes_count_edition(TnNotes *notes);
/* The content is another: it is written soon, and "changed" is emitted.  What is alive for the same content at the
 * same path takes it over. */
void tn_notes_tell_change(TnNotes *notes);
