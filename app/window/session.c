/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/session.h"

#include "app/window/give-back.h"
#include "data/document-view.h"

#include <math.h>

#define CENTRED 0.02 /* parts of the view beside its middle that still are its middle */

typedef struct {
  double t0, t1, p0, p1, lane_top;
} Place;

struct _TnSession {
  GObject parent_instance;
  TnDocument *document;
  TnStudy *study;
  TnFindings *findings;
  TnView view;
  GBytes *match;
  GArray *history; /* Place; the present one is at `at` */
  guint at;
  gint64 last_move; /* monotonic µs */
  TnUndo *undo;
  GPtrArray *views; /* TnDocument: of studies in another order */
  TnNotes *notes; /* NULL: not asked for yet */
  GPtrArray *edited; /* TnDocument: of studies with edits */
  tn_tick moment;
  double text_scale;
  double lanes_room; /* logical pixels; 0: not known yet */
  char *note; /* NULL: none */
};

enum { STUDY_CHANGED, VIEW_CHANGED, SELECTION_CHANGED, MATCH_CHANGED, MOMENT_CHANGED, UNITS_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_TYPE(TnSession, tn_session, G_TYPE_OBJECT)

static void
finalize(GObject *object)
{
  TnSession *session = TN_SESSION(object);
  tn_study_unref(session->study);
  tn_findings_free(session->findings);
  g_clear_pointer(&session->match, g_bytes_unref);
  g_array_unref(session->history);
  g_object_unref(session->undo);
  g_ptr_array_unref(session->views);
  g_clear_object(&session->notes);
  g_ptr_array_unref(session->edited);
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
}

static void
tn_session_init(TnSession *session)
{
  session->views = g_ptr_array_new_with_free_func((GDestroyNotify)tn_document_view_free);
  session->edited = g_ptr_array_new_with_free_func((GDestroyNotify)tn_document_free);
  session->history = g_array_new(FALSE, FALSE, sizeof(Place));
  session->undo = tn_undo_new();
  session->text_scale = 1.0;
}

static Place
place_of(const TnView *view)
{
  return (Place){view->t0, view->t1, view->p0, view->p1, view->lane_top};
}

static void
restart_history(TnSession *session)
{
  Place place = place_of(&session->view);
  g_array_set_size(session->history, 0);
  g_array_append_val(session->history, place);
  session->at = 0;
}

TnSession *
tn_session_new(TnDocument *document, TnStudy *study, TnFindings *findings)
{
  TnSession *session = g_object_new(TN_TYPE_SESSION, NULL);
  session->document = document;
  session->study = study;
  session->findings = findings;
  tn_view_init(&session->view, study);
  session->moment = study->live->peak_at;
  restart_history(session);
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
  g_autofree char *name = g_path_get_basename(session->document->path);
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
    session->notes = tn_notes_for_file(session->document->path);
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

/* In another order of a graph's ops workspaces have other rows. */
static bool
is_same_buffer(const TnBuffers *a, const TnBuffers *b, tn_index i)
{
  return i != TN_NONE && i < a->n && i < b->n && a->bytes[i] == b->bytes[i] &&
         (!a->name || !b->name || a->name[i] == b->name[i]);
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
  if (study->device == gone->device && is_same_buffer(study->buffers, gone->buffers, old.selected))
    session->view.selected = old.selected;
  tn_view_clamp(&session->view);
  session->moment = is_same_lives ? MIN(session->moment, study->axis_end - 1) : study->live->peak_at;
  restart_history(session);
  tn_study_unref(gone);
  g_signal_emit(session, signals[STUDY_CHANGED], 0);
  g_signal_emit(session, signals[SELECTION_CHANGED], 0);
}

void
tn_session_keep_document(TnSession *session, TnDocument *view)
{
  g_ptr_array_add(session->views, view);
}

void
tn_session_regroup(TnSession *session, TnStudy *study)
{
  TnStudy *gone = session->study;
  session->study = study;
  session->view.study = study;
  session->view.lane_top = 0.0;
  tn_view_clamp(&session->view);
  tn_study_unref(gone);
  g_signal_emit(session, signals[STUDY_CHANGED], 0);
}

void
tn_session_take_view(TnSession *session, const TnView *old)
{
  TnView view = session->view;
  view.t0 = old->t0;
  view.t1 = old->t1;
  view.p0 = old->p0;
  view.p1 = old->p1;
  view.lane_top = old->lane_top;
  view.lane_height = old->lane_height;
  view.is_skyline = old->is_skyline;
  session->view.is_skyline = old->is_skyline;
  view.is_clock = session->view.is_clock = old->is_clock;
  tn_session_set_view(session, &view);
  restart_history(session);
  const TnBuffers *had = old->study->buffers, *has = session->study->buffers;
  if (is_same_buffer(had, has, old->selected) &&
      had->start[old->selected] == has->start[old->selected])
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

/* Moves that follow each other at once (a wheel, a held key) are one step of the history. */
static void
remember(TnSession *session)
{
  gint64 now = g_get_monotonic_time();
  Place place = place_of(&session->view);
  if (now - session->last_move > 700 * 1000 || session->at == 0) {
    g_array_set_size(session->history, session->at + 1);
    g_array_append_val(session->history, place);
    session->at++;
  } else {
    g_array_index(session->history, Place, session->at) = place;
  }
  session->last_move = now;
}

void
tn_session_set_view(TnSession *session, const TnView *view)
{
  TnView old = session->view;
  session->view = *view;
  tn_view_clamp(&session->view);
  Place a = place_of(&old), b = place_of(&session->view);
  if (a.t0 == b.t0 && a.t1 == b.t1 && a.p0 == b.p0 && a.p1 == b.p1 && a.lane_top == b.lane_top &&
      old.lane_height == view->lane_height)
    return;
  remember(session);
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

static void
go_to(TnSession *session, guint at)
{
  Place place = g_array_index(session->history, Place, at);
  session->at = at;
  session->view.t0 = place.t0;
  session->view.t1 = place.t1;
  tn_view_clamp_time(&session->view);
  session->view.p0 = place.p0;
  session->view.p1 = place.p1;
  session->view.lane_top = place.lane_top;
  session->last_move = 0;
  g_signal_emit(session, signals[VIEW_CHANGED], 0);
}

bool
tn_session_can_go_back(TnSession *session)
{
  return session->at > 0;
}

bool
tn_session_can_go_forward(TnSession *session)
{
  return session->at + 1 < session->history->len;
}

void
tn_session_go_back(TnSession *session)
{
  if (tn_session_can_go_back(session))
    go_to(session, session->at - 1);
}

void
tn_session_go_forward(TnSession *session)
{
  if (tn_session_can_go_forward(session))
    go_to(session, session->at + 1);
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
  session->last_move = 0;
  tn_session_set_view(session, &view);
}

/* Its lane in the middle, where it is out of sight. */
static void
bring_lane(const TnSession *session, TnView *view, tn_index buffer)
{
  double lane = session->study->lanes->lane[buffer];
  double n_seen = MAX(session->lanes_room / view->lane_height, 1.0);
  if (lane < view->lane_top || lane + 1 > view->lane_top + n_seen)
    view->lane_top = MAX(lane - floor(n_seen / 2.0), 0.0);
}

void
tn_session_show_buffer(TnSession *session, tn_index buffer, bool is_zooming)
{
  const TnBuffers *b = session->study->buffers;
  TnView view = session->view;
  if (buffer == TN_NONE)
    return;
  double start = (double)b->start[buffer], end = (double)b->end[buffer];
  if (is_zooming)
    tn_view_fit_time(&view, start, end, 1.5);
  else if (end <= view.t0 || start >= view.t1)
    tn_view_bring_time(&view, start, end);
  tn_bytes place = session->study->map->place[buffer];
  if (place != TN_NOT_PLACED && is_zooming) {
    double height = MAX((double)b->bytes[buffer] * 8.0, 4096.0);
    view.p0 = (double)place + (double)b->bytes[buffer] / 2 - height / 2;
    view.p1 = view.p0 + height;
  }
  bring_lane(session, &view, buffer);
  session->last_move = 0;
  tn_session_set_view(session, &view);
}

bool
tn_session_centre_buffer(TnSession *session, tn_index buffer)
{
  const TnBuffers *b = session->study->buffers;
  const TnView old = session->view;
  const TnRect unit = {0, 0, 1, 1};
  tn_bytes place = session->study->map->place[buffer];
  TnView view = old;
  double start = tn_view_x(&old, unit, (double)b->start[buffer]);
  double end = tn_view_x(&old, unit, (double)b->end[buffer]), height = old.p1 - old.p0;
  tn_view_centre_time(&view, tn_view_tick(&old, unit, (start + end) / 2));
  if (place != TN_NOT_PLACED) {
    view.p0 = (double)place + ((double)b->bytes[buffer] - height) / 2;
    view.p1 = view.p0 + height;
  }
  bring_lane(session, &view, buffer);
  tn_view_clamp(&view);
  if (fabs(tn_view_x(&old, unit, view.t0)) < CENTRED && fabs(view.p0 - old.p0) < CENTRED * height &&
      view.lane_top == old.lane_top)
    return false;
  session->last_move = 0;
  tn_session_set_view(session, &view);
  return true;
}

void
tn_session_show_tick(TnSession *session, tn_tick tick)
{
  TnView view = session->view;
  if ((double)tick < view.t0 || (double)tick >= view.t1) {
    tn_view_centre_time(&view, (double)tick);
    session->last_move = 0;
    tn_session_set_view(session, &view);
  }
  tn_session_set_cursor(session, (double)tick + 0.5);
  tn_session_set_moment(session, tick);
}

void
tn_session_show_finding(TnSession *session, const TnFinding *finding)
{
  tn_tick at = finding->at;
  tn_index buffer = finding->buffers->len ? g_array_index(finding->buffers, uint32_t, 0) : TN_NONE;
  if (buffer != TN_NONE) {
    tn_session_select(session, buffer);
    tn_session_show_buffer(session, buffer, false);
  }
  if (at >= 0)
    tn_session_show_tick(session, at);
}

void
tn_session_set_match(TnSession *session, GBytes *match)
{
  g_clear_pointer(&session->match, g_bytes_unref);
  session->match = match;
  g_signal_emit(session, signals[MATCH_CHANGED], 0);
}

tn_index
tn_session_neighbour_in_lane(TnSession *session, int step)
{
  const TnLanes *lanes = session->study->lanes;
  tn_index row = session->view.selected;
  if (row == TN_NONE)
    return TN_NONE;
  uint32_t lane = lanes->lane[row];
  for (uint32_t i = lanes->first[lane]; i < lanes->first[lane + 1]; i++) {
    if (lanes->rows[i] != row)
      continue;
    int64_t other = (int64_t)i + step;
    bool is_inside = other >= lanes->first[lane] && other < lanes->first[lane + 1];
    return is_inside ? lanes->rows[other] : TN_NONE;
  }
  return TN_NONE;
}

tn_index
tn_session_neighbour_at_address(TnSession *session, int step)
{
  const TnBuffers *b = session->study->buffers;
  const tn_bytes *place = session->study->map->place;
  tn_index row = session->view.selected, best = TN_NONE;
  if (row == TN_NONE || place[row] == TN_NOT_PLACED)
    return TN_NONE;
  for (uint32_t i = 0; i < b->n; i++) {
    bool shares = place[i] != TN_NOT_PLACED && place[i] < place[row] + b->bytes[row] &&
                  place[row] < place[i] + b->bytes[i];
    if (!shares || i == row)
      continue;
    if (step > 0 && b->start[i] >= b->end[row] &&
        (best == TN_NONE || b->start[i] < b->start[best]))
      best = i;
    if (step < 0 && b->end[i] <= b->start[row] && (best == TN_NONE || b->end[i] > b->end[best]))
      best = i;
  }
  return best;
}
