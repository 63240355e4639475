/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/session.h"

#include "app/window/give-back.h"
#include "app/window/session-private.h"
#include "app/window/view-history.h"
#include "data/document-view.h"

#include <math.h>
#include <string.h>

struct _TnSession {
  GObject parent_instance;
  TnDocument *document;
  TnFileStamp stamp; /* of the document's file */
  TnStudy *study;
  TnFindings *findings;
  TnView view;
  GBytes *match;
  TnViewHistory *history;
  TnUndo *undo;
  GPtrArray *views; /* TnDocument: of studies in another order */
  TnNotes *notes; /* NULL: not asked for yet */
  GPtrArray *edited; /* TnDocument: of studies with edits */
  GHashTable *studied; /* TnDocument, of the three above → the runtime's name by whose rules; NULL: the file's */
  tn_tick moment;
  double text_scale;
  double lanes_room; /* logical pixels; 0: not known yet */
  char *note; /* NULL: none */
};

enum {
  STUDY_CHANGED,
  VIEW_CHANGED,
  SELECTION_CHANGED,
  MATCH_CHANGED,
  MOMENT_CHANGED,
  UNITS_CHANGED,
  STUDY_FAILED,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

G_DEFINE_TYPE(TnSession, tn_session, G_TYPE_OBJECT)

static void
finalize(GObject *object)
{
  TnSession *session = TN_SESSION(object);
  tn_study_unref(session->study);
  tn_findings_free(session->findings);
  g_clear_pointer(&session->match, g_bytes_unref);
  tn_view_history_free(session->history);
  g_object_unref(session->undo);
  g_ptr_array_unref(session->views);
  g_clear_object(&session->notes);
  g_ptr_array_unref(session->edited);
  g_hash_table_unref(session->studied);
  g_free(session->note);
  tn_document_free(session->document);
  tn_give_back_soon();
  G_OBJECT_CLASS(tn_session_parent_class)->finalize(object);
}

static guint
add_signal(const char *name)
{
  return g_signal_new(name, TN_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                      0);
}

static void
tn_session_class_init(TnSessionClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  signals[STUDY_CHANGED] = add_signal("study-changed");
  signals[VIEW_CHANGED] = add_signal("view-changed");
  signals[SELECTION_CHANGED] = add_signal("selection-changed");
  signals[MATCH_CHANGED] = add_signal("match-changed");
  signals[MOMENT_CHANGED] = add_signal("moment-changed");
  signals[UNITS_CHANGED] = add_signal("units-changed");
  signals[STUDY_FAILED] = g_signal_new("study-failed", TN_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
tn_session_init(TnSession *session)
{
  session->views = g_ptr_array_new_with_free_func((GDestroyNotify)tn_document_view_free);
  session->edited = g_ptr_array_new_with_free_func((GDestroyNotify)tn_document_free);
  session->studied = g_hash_table_new(NULL, NULL);
  session->history = tn_view_history_new();
  session->undo = tn_undo_new();
  session->text_scale = 1.0;
}

static void
note_studied(TnSession *session)
{
  const TnStudy *study = session->study;
  g_hash_table_insert(session->studied, (gpointer)study->document, (gpointer)study->preset);
}

TnSession *
tn_session_new(TnDocument *document, TnStudy *study, TnFindings *findings)
{
  TnSession *session = g_object_new(TN_TYPE_SESSION, NULL);
  session->document = document;
  session->study = study;
  session->findings = findings;
  note_studied(session);
  tn_view_init(&session->view, study);
  session->moment = study->live->peak_at;
  tn_view_history_restart(session->history, &session->view);
  return session;
}

const TnDocument *
tn_session_get_document(TnSession *session)
{
  return session->study->document;
}

const TnDocument *
tn_session_get_file(TnSession *session)
{
  return session->document;
}

void
tn_session_set_stamp(TnSession *session, const TnFileStamp *stamp)
{
  session->stamp = *stamp;
}

const TnFileStamp *
tn_session_get_stamp(TnSession *session)
{
  return &session->stamp;
}

TnStudy *
tn_session_get_study(TnSession *session)
{
  return session->study;
}

void
tn_session_set_note(TnSession *session, const char *note)
{
  g_free(session->note);
  session->note = g_strdup(note);
}

const char *
tn_session_get_note(TnSession *session)
{
  return session->note;
}

char *
tn_session_build_title(TnSession *session)
{
  g_autofree char *name = g_filename_display_basename(session->document->path);
  return session->note ? g_strdup_printf("%s · %s", name, session->note)
                       : g_steal_pointer(&name);
}

TnUndo *
tn_session_get_undo(TnSession *session)
{
  return session->undo;
}

TnNotes *
tn_session_get_notes(TnSession *session)
{
  if (!session->notes)
    session->notes = tn_notes_for_file(session->document->path, &session->stamp);
  return session->notes;
}

const TnFindings *
tn_session_get_findings(TnSession *session)
{
  return session->findings;
}

const TnView *
tn_session_get_view(TnSession *session)
{
  return &session->view;
}

GBytes *
tn_session_get_match(TnSession *session)
{
  return session->match;
}

static const char *
name_of(const TnStudy *study, tn_index i)
{
  return tn_strings_get(study->document->strings, tn_buffers_name(study->buffers, i));
}

/* In another order of a graph's ops workspaces have other rows; in another document names have other ids. */
static bool
is_same_buffer(const TnStudy *study, const TnStudy *other, tn_index i)
{
  const TnBuffers *a = study->buffers, *b = other->buffers;
  return i != TN_NONE && i < a->n && i < b->n && a->bytes[i] == b->bytes[i] &&
         (!a->name || !b->name || strcmp(name_of(study, i), name_of(other, i)) == 0);
}

void
tn_session_set_study(TnSession *session, TnStudy *study, TnFindings *findings)
{
  bool is_same_lives = study->buffers->n == session->study->buffers->n &&
                       study->device == session->study->device &&
                       study->document->graph == session->study->document->graph;
  TnView old = session->view;
  TnStudy *gone = session->study;
  session->study = study;
  note_studied(session);
  tn_findings_free(session->findings);
  session->findings = findings;
  g_clear_pointer(&session->match, g_bytes_unref);
  tn_view_init(&session->view, study);
  session->view.units = old.units;
  session->view.is_skyline = old.is_skyline;
  session->view.is_clock = old.is_clock;
  session->view.lane_height = old.lane_height;
  if (is_same_lives) {
    /* Another plan of the same buffers: the eye stays where it was. */
    session->view.t0 = old.t0;
    session->view.t1 = old.t1;
    session->view.r0 = old.r0;
    session->view.r1 = old.r1;
    session->view.lane_top = old.lane_top;
  }
  if (study->device == gone->device && is_same_buffer(study, gone, old.selected))
    session->view.selected = old.selected;
  tn_view_clamp(&session->view);
  session->moment = is_same_lives ? MIN(session->moment, study->axis_end - 1) : study->live->peak_at;
  tn_view_history_restart(session->history, &session->view);
  tn_study_unref(gone);
  g_signal_emit(session, signals[STUDY_CHANGED], 0);
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

void
tn_session_tell_failure(TnSession *session, const char *why)
{
  g_signal_emit(session, signals[STUDY_FAILED], 0, why);
}

void
tn_session_keep_document(TnSession *session, TnDocument *view)
{
  g_ptr_array_add(session->views, view);
}

static bool
has_order(const TnDocument *document, const GArray *ops, const uint32_t *order)
{
  return document->graph->ops == ops &&
         (!order || memcmp(order, document->graph->order->data, ops->len * sizeof *order) == 0);
}

const TnDocument *
tn_session_find_plain(TnSession *session)
{
  const GArray *ops = session->study->document->graph->ops; /* which views of a document share */
  if (has_order(session->document, ops, NULL))
    return session->document;
  for (guint i = 0; i < session->edited->len; i++)
    if (has_order(g_ptr_array_index(session->edited, i), ops, NULL))
      return g_ptr_array_index(session->edited, i);
  return session->study->document;
}

static bool
is_studied(TnSession *session, const TnDocument *document, const char *preset)
{
  gpointer known;
  return g_hash_table_lookup_extended(session->studied, document, NULL, &known) && known == (gconstpointer)preset;
}

const TnDocument *
tn_session_find_studied(TnSession *session, const TnDocument *like, const uint32_t *order, const char *preset)
{
  const GPtrArray *kept[] = {session->edited, session->views};
  if (has_order(session->document, like->graph->ops, order) && is_studied(session, session->document, preset))
    return session->document;
  for (guint k = 0; k < G_N_ELEMENTS(kept); k++)
    for (guint i = 0; i < kept[k]->len; i++) {
      const TnDocument *document = g_ptr_array_index(kept[k], i);
      if (has_order(document, like->graph->ops, order) && is_studied(session, document, preset))
        return document;
    }
  return NULL;
}

void
tn_session_regroup(TnSession *session, TnStudy *study)
{
  TnStudy *gone = session->study;
  session->study = study;
  session->view.study = study;
  session->view.lane_top = 0.0;
  tn_view_clamp(&session->view);
  tn_view_history_forget_lanes(session->history);
  tn_study_unref(gone);
  g_signal_emit(session, signals[STUDY_CHANGED], 0);
}

/* What was shown as a whole stays whole: a recording that goes on has grown. */
void
tn_session_take_view(TnSession *session, const TnView *old)
{
  TnView view = session->view, whole, old_whole;
  tn_view_init(&whole, session->study);
  tn_view_init(&old_whole, old->study);
  tn_view_take_part(&view, old);
  if (old->t0 <= old_whole.t0 && old->t1 >= old_whole.t1) {
    view.t0 = whole.t0;
    view.t1 = whole.t1;
  }
  if (old->p0 <= old_whole.p0 && old->p1 >= old_whole.p1) {
    view.p0 = whole.p0;
    view.p1 = whole.p1;
  }
  tn_session_set_skyline(session, old->is_skyline);
  tn_session_set_clock(session, old->is_clock);
  tn_session_set_view(session, &view);
  tn_view_history_restart(session->history, &session->view);
  if (is_same_buffer(old->study, session->study, old->selected) &&
      old->study->buffers->start[old->selected] == session->study->buffers->start[old->selected])
    tn_session_select(session, old->selected);
}

void
tn_session_set_text_scale(TnSession *session, double scale)
{
  session->view.lane_height *= scale / session->text_scale;
  session->text_scale = scale;
}

void
tn_session_set_lanes_room(TnSession *session, double height)
{
  session->lanes_room = height;
}

void
tn_session_set_skyline(TnSession *session, bool is_skyline)
{
  if (session->view.is_skyline == is_skyline)
    return;
  session->view.is_skyline = is_skyline;
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

void
tn_session_set_clock(TnSession *session, bool is_clock)
{
  if (session->view.is_clock == is_clock)
    return;
  session->view.is_clock = is_clock;
  tn_view_clamp_time(&session->view);
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

void
tn_session_keep_edited(TnSession *session, TnDocument *document)
{
  g_ptr_array_add(session->edited, document);
}

void
tn_session_select(TnSession *session, tn_index buffer)
{
  if (session->view.selected == buffer)
    return;
  session->view.selected = buffer;
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

void
tn_session_hover(TnSession *session, tn_index buffer)
{
  if (session->view.hovered == buffer)
    return;
  session->view.hovered = buffer;
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

void
tn_session_set_cursor(TnSession *session, double tick)
{
  if (session->view.cursor == tick)
    return;
  session->view.cursor = tick;
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

void
tn_session_set_range(TnSession *session, double from, double to)
{
  double end = (double)session->study->axis_end;
  double r0 = CLAMP(MIN(from, to), 0.0, end), r1 = CLAMP(MAX(from, to), 0.0, end);
  if (session->view.r0 == r0 && session->view.r1 == r1)
    return;
  session->view.r0 = r0;
  session->view.r1 = r1;
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

bool
tn_session_has_range(TnSession *session)
{
  return session->view.r0 < session->view.r1;
}

void
tn_session_set_units(TnSession *session, TnUnits units)
{
  session->view.units = units;
  g_signal_emit(session, signals[UNITS_CHANGED], 0);
}

tn_tick
tn_session_get_moment(TnSession *session)
{
  return session->moment;
}

void
tn_session_set_moment(TnSession *session, tn_tick tick)
{
  tick = CLAMP(tick, 0, session->study->axis_end - 1);
  if (session->moment == tick)
    return;
  session->moment = tick;
  g_signal_emit(session, signals[MOMENT_CHANGED], 0);
}

void
tn_session_set_view(TnSession *session, const TnView *view)
{
  TnView old = session->view;
  if (!isfinite(view->t0 + view->t1 + view->p0 + view->p1 + view->lane_top))
    return;
  tn_view_take_part(&session->view, view);
  tn_view_clamp(&session->view);
  bool is_same = tn_view_history_is_same(&old, &session->view);
  if (is_same && old.lane_height == view->lane_height)
    return;
  if (!is_same) /* how high lanes are is no step of it */
    tn_view_history_add(session->history, &session->view);
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

void
tn_session_jump(TnSession *session, const TnView *view)
{
  tn_view_history_end_move(session->history);
  tn_session_set_view(session, view);
}

double
tn_session_get_lanes_room(TnSession *session)
{
  return session->lanes_room;
}

bool
tn_session_can_go_back(TnSession *session)
{
  return tn_view_history_can_go(session->history, -1);
}

bool
tn_session_can_go_forward(TnSession *session)
{
  return tn_view_history_can_go(session->history, 1);
}

static void
go(TnSession *session, int step)
{
  if (!tn_view_history_go(session->history, step, &session->view))
    return;
  tn_view_clamp(&session->view);
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

void
tn_session_go_back(TnSession *session)
{
  go(session, -1);
}

void
tn_session_go_forward(TnSession *session)
{
  go(session, 1);
}

void
tn_session_reset_view(TnSession *session)
{
  TnView view = session->view, whole;
  tn_view_init(&whole, session->study);
  view.t0 = whole.t0;
  view.t1 = whole.t1;
  view.p0 = whole.p0;
  view.p1 = whole.p1;
  view.lane_top = 0.0;
  view.lane_height = whole.lane_height * session->text_scale;
  tn_session_jump(session, &view);
}

void
tn_session_set_match(TnSession *session, GBytes *match)
{
  g_clear_pointer(&session->match, g_bytes_unref);
  session->match = match;
  g_signal_emit(session, signals[MATCH_CHANGED], 0);
}
