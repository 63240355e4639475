/* SPDX-License-Identifier: MIT */
/* Notes as JSON, and where they are kept. */
#pragma once

#include "app/window/notes.h"

#define TN_NOTES_MOST 10000u /* bookmarks of a file: each is a row of widgets, and a part of each step of undo */

typedef struct {
  GPtrArray *bookmarks; /* TnBookmark, by tick */
  char *text;
} TnNotesContent;

void tn_notes_content_init(TnNotesContent *content);
void tn_notes_content_clear(TnNotesContent *content);
TnBookmark *tn_bookmark_copy(const TnBookmark *bookmark);
/* After those of the same tick. */
void tn_notes_content_insert(TnNotesContent *content, const TnBookmark *bookmark);

/* `path` and `hash` (may be NULL) say which file they are of.  Owned by the caller. */
char *tn_notes_json_build(const TnNotesContent *content, const char *path, const char *hash);
/* Puts what the JSON holds in place of the content; false (and nothing is changed) with a
 * TN_DATA_ERROR where it is none, of another version, or of more than TN_NOTES_MOST bookmarks.  Any thread. */
bool tn_notes_json_parse(TnNotesContent *content, const char *name, const char *json, gsize size,
                         GError **error);

/* Where the notes of a file are kept; `hash` is that of its content.  Owned by the caller. */
char *tn_notes_build_place(const char *path, const char *hash);
/* Where notes of it are: its own place, else those of the same content elsewhere, else those of what
 * was at the path before (*out_is_other), else the ones beside it; NULL: nowhere.  Reads a folder. */
char *tn_notes_find_place(const char *path, const char *hash, bool *out_is_other);
