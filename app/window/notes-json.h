/* SPDX-License-Identifier: MIT */
/* Notes as JSON, and where they are kept. */
#pragma once

#include "app/window/notes.h"

#define TN_NOTES_MOST 10000u /* bookmarks of a file: each is a row of widgets */

#define TN_NOTES_TEXT_MOST (1 << 20) /* bytes of the text */
#define TN_NOTES_LINE_MOST 4000 /* bytes: a field lays out each line whole, which takes 10 ms for so many */

typedef struct {
  GPtrArray *bookmarks; /* TnBookmark, by tick */
  char *text;
} TnNotesContent;

void tn_notes_content_init(TnNotesContent *content);
void tn_notes_content_clear(TnNotesContent *content);
TnBookmark *tn_bookmark_copy(const TnBookmark *bookmark);
/* After those of the same tick. */
void tn_notes_content_insert(TnNotesContent *content, const TnBookmark *bookmark);

/* TN_DATA_ERROR_TOO_LARGE where it is more than can be kept. */
bool tn_notes_check_text(const char *text, GError **error);

/* `path` and `hash` (may be NULL) say which file they are of.  Owned by the caller. */
char *tn_notes_json_build(const TnNotesContent *content, const char *path, const char *hash);
/* Puts what the JSON holds in place of the content, lines of the text that are too long broken, at a space
 * where there is one; false (and nothing is changed) with a
 * TN_DATA_ERROR where it is none, of another version, or of more bookmarks or text than can be kept.  Any thread. */
bool tn_notes_json_parse(TnNotesContent *content, const char *name, const char *json, gsize size,
                         GError **error);

/* Where the notes of a file are kept; `hash` is that of its content.  Owned by the caller. */
char *tn_notes_build_place(const char *path, const char *hash);
/* Where notes of it are: its own place, else those of the same content elsewhere, else those of what
 * was at the path before (*out_is_other), else the ones beside it; NULL: nowhere.  Reads a folder. */
char *tn_notes_find_place(const char *path, const char *hash, bool *out_is_other);
