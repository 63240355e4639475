/* SPDX-License-Identifier: MIT */
/* One open file: its document, the study of the device that is shown, and the one selection, cursor
 * and range that all views share.  Main thread only, but for the document and the studies, which
 * never change and may be read by workers that hold references.
 *
 * Signals: "study-changed" (another device or plan), "view-changed" (range, cursor),
 * "selection-changed" (selected or hovered buffer), "match-changed" (the search), "study-failed". */
#pragma once

#include "analysis/findings-all.h"
#include "app/window/file-stamp.h"
#include "app/window/notes.h"
#include "app/window/undo.h"
#include "render/view.h"

#include <glib-object.h>

#define TN_TYPE_SESSION (tn_session_get_type())
G_DECLARE_FINAL_TYPE(TnSession, tn_session, TN, SESSION, GObject)

/* Takes the document, the prepared study and the findings. */
TnSession *tn_session_new(TnDocument *document, TnStudy *study, TnFindings *findings);

/* What is shown: the file, or in its place one of another order or with edits (edits.h).  Valid as
 * long as the session. */
const TnDocument *tn_session_get_document(TnSession *session);
/* As it was read. */
const TnDocument *tn_session_get_file(TnSession *session);
/* Which file it was; to begin with all 0: none. */
void tn_session_set_stamp(TnSession *session, const TnFileStamp *stamp);
const TnFileStamp *tn_session_get_stamp(TnSession *session);
TnStudy *tn_session_get_study(TnSession *session);
const TnFindings *tn_session_get_findings(TnSession *session);
const TnView *tn_session_get_view(TnSession *session);

/* What tells this tab from another of the same file: "batch=4"; copied, NULL: nothing does. */
void tn_session_set_note(TnSession *session, const char *note);
const char *tn_session_get_note(TnSession *session);
/* "model.onnx · batch=4", owned by the caller. */
char *tn_session_build_title(TnSession *session);

/* Shows another prepared study of the same file or its edits (taken), and its findings (taken). */
void tn_session_set_study(TnSession *session, TnStudy *study, TnFindings *findings);

/* Another study was wanted and can't be made: what was shown stays; "study-failed" (const char *why). */
void tn_session_tell_failure(TnSession *session, const char *why);

/* Keeps a document that a study of this session's rests on (a tn_document_view_new() of its own; taken)
 * as long as the session lives.  Whether two studies are of the same ops and tensors their graphs tell, not
 * their documents: one of another runtime (planner.c) has a document with strings of its own. */
void tn_session_keep_document(TnSession *session, TnDocument *view);
/* The same for a document that shares nothing with another. */
void tn_session_keep_edited(TnSession *session, TnDocument *document);
/* Of what is shown, with the same ops: the file, or it with edits, in the order in which it was read or edited. */
const TnDocument *tn_session_find_plain(TnSession *session);
/* A document with the ops of `like` in this order (shape n ops) whose study by the rules of this runtime (static;
 * NULL: the file's) was shown: another one by them adds no name to its strings, which others read.  NULL: none. */
const TnDocument *
tn_session_find_studied(TnSession *session, const TnDocument *like, const uint32_t *order, const char *preset);
/* The same study with other groups or lanes (taken): nothing else changes, also not the history and
 * the match. */
void tn_session_regroup(TnSession *session, TnStudy *study);

/* What was changed in this tab and can be taken back; the session's own. */
TnUndo *tn_session_get_undo(TnSession *session);

/* Bookmarks and notes of the file; the session's own. */
TnNotes *tn_session_get_notes(TnSession *session);

/* TN_NONE: nothing. */
void tn_session_select(TnSession *session, tn_index buffer);
void tn_session_hover(TnSession *session, tn_index buffer);
void tn_session_set_cursor(TnSession *session, double tick);
/* The chosen range of time, either end first; the same tick twice: none.  "selection-changed". */
void tn_session_set_range(TnSession *session, double from, double to);
bool tn_session_has_range(TnSession *session);
/* The tick that the live set and the flame graph show: the peak, until another one is chosen by a
 * click or a jump.  "moment-changed". */
tn_tick tn_session_get_moment(TnSession *session);
void tn_session_set_moment(TnSession *session, tn_tick tick);

/* How sizes are written; everything that shows one is told by "units-changed". */
void tn_session_set_units(TnSession *session, TnUnits units);

/* Another part of the picture (the rest of `view` says nothing); kept in the history unless it follows the last one
 * at once. */
void tn_session_set_view(TnSession *session, const TnView *view);
void tn_session_go_back(TnSession *session);
void tn_session_go_forward(TnSession *session);
bool tn_session_can_go_back(TnSession *session);
bool tn_session_can_go_forward(TnSession *session);

void tn_session_reset_view(TnSession *session);
/* Another reading of the same file: the same part of it, and the same selection where it is still
 * there. */
void tn_session_take_view(TnSession *session, const TnView *old);
/* Lanes are as high as their names need: a factor of the usual height. */
void tn_session_set_text_scale(TnSession *session, double scale);
/* How many logical pixels of lanes are seen: what is in sight need not be scrolled to. */
void tn_session_set_lanes_room(TnSession *session, double height);
/* Whether the skyline stands where the offset map would; "view-changed". */
void tn_session_set_skyline(TnSession *session, bool is_skyline);
/* Whether time is counted by the clock, where the file has one, or in ticks; what is shown, cursor,
 * range and moment stay on their ticks.  "view-changed". */
void tn_session_set_clock(TnSession *session, bool is_clock);
/* Zooms so that the buffer fills a good part of the view, or only brings it into view. */
void tn_session_show_buffer(TnSession *session, tn_index buffer, bool is_zooming);
/* Moves the buffer's middle, in time and place, to the middle of the view, as far as the ends of the file
 * let it.  `buffer`: not TN_NONE.  False: it is there. */
bool tn_session_centre_buffer(TnSession *session, tn_index buffer);
void tn_session_show_tick(TnSession *session, tn_tick tick);
/* The row of the bookmark's buffer in what is shown now, TN_NONE where there is none, or several.  O(buffers). */
tn_index tn_session_find_bookmark(TnSession *session, const TnBookmark *bookmark);
/* That buffer selected, in view where `is_shown`, and the tick. */
void tn_session_show_bookmark(TnSession *session, const TnBookmark *bookmark, bool is_shown);
/* Its first buffer selected and in view, and its tick. */
void tn_session_show_finding(TnSession *session, const TnFinding *finding);

/* The rows that a search found, by buffer (1 or 0); NULL: no search.  Taken. */
void tn_session_set_match(TnSession *session, GBytes *match);
GBytes *tn_session_get_match(TnSession *session);

/* The next or previous buffer at the same place, or in the same lane; TN_NONE where there is none. */
tn_index tn_session_neighbour_in_lane(TnSession *session, int step);
tn_index tn_session_neighbour_at_address(TnSession *session, int step);
