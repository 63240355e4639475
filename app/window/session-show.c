/* SPDX-License-Identifier: MIT */
/* What a session shows on request: a buffer, a tick, a finding; and who is beside the selection. */
#include "config.h"

#include "app/window/session-private.h"

#include <math.h>

#define CENTRED 0.02 /* parts of the view beside its middle that still are its middle */

/* Its lane in the middle, where it is out of sight. */
static void
bring_lane(TnSession *session, TnView *view, tn_index buffer)
{
  double lane = tn_session_get_study(session)->lanes->lane[buffer];
  double n_seen = MAX(tn_session_get_lanes_room(session) / view->lane_height, 1.0);
  if (lane < view->lane_top || lane + 1 > view->lane_top + n_seen)
    view->lane_top = MAX(lane - floor(n_seen / 2.0), 0.0);
}

void
tn_session_show_buffer(TnSession *session, tn_index buffer, bool is_zooming)
{
  const TnBuffers *b = tn_session_get_study(session)->buffers;
  TnView view = *tn_session_get_view(session);
  if (buffer == TN_NONE)
    return;
  double start = (double)b->start[buffer], end = (double)b->end[buffer];
  if (is_zooming)
    tn_view_fit_time(&view, start, end, 1.5);
  else if (end <= view.t0 || start >= view.t1)
    tn_view_bring_time(&view, start, end);
  tn_bytes place = tn_session_get_study(session)->map->place[buffer];
  if (place != TN_NOT_PLACED && is_zooming) {
    double height = MAX((double)b->bytes[buffer] * 8.0, 4096.0);
    view.p0 = (double)place + (double)b->bytes[buffer] / 2 - height / 2;
    view.p1 = view.p0 + height;
  }
  bring_lane(session, &view, buffer);
  tn_session_jump(session, &view);
}

bool
tn_session_centre_buffer(TnSession *session, tn_index buffer)
{
  const TnBuffers *b = tn_session_get_study(session)->buffers;
  const TnView old = *tn_session_get_view(session);
  const TnRect unit = {0, 0, 1, 1};
  tn_bytes place = tn_session_get_study(session)->map->place[buffer];
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
  tn_session_jump(session, &view);
  return true;
}

void
tn_session_show_tick(TnSession *session, tn_tick tick)
{
  TnView view = *tn_session_get_view(session);
  tick = CLAMP(tick, 0, view.study->axis_end - 1);
  if ((double)tick < view.t0 || (double)tick >= view.t1) {
    tn_view_centre_time(&view, (double)tick);
    tn_session_jump(session, &view);
  }
  tn_session_set_cursor(session, (double)tick + 0.5);
  tn_session_set_moment(session, tick);
}

static bool
is_it(const TnStudy *study, tn_index i, const TnBookmark *bookmark)
{
  if (i >= study->buffers->n || study->buffers->bytes[i] != bookmark->bytes)
    return false;
  g_autofree char *label = tn_study_dup_label(study, i);
  return g_str_equal(label, bookmark->label);
}

/* The only one of that name and size. */
static tn_index
find_named(const TnStudy *study, const TnBookmark *bookmark)
{
  const TnBuffers *b = study->buffers;
  tn_index found = TN_NONE;
  for (tn_index i = 0; b->name && i < b->n; i++) {
    if (b->bytes[i] != bookmark->bytes || !b->name[i] || !is_it(study, i, bookmark))
      continue;
    if (found != TN_NONE)
      return TN_NONE;
    found = i;
  }
  return found;
}

tn_index
tn_session_find_bookmark(TnSession *session, const TnBookmark *bookmark)
{
  const TnStudy *study = tn_session_get_study(session);
  tn_index row = bookmark->buffer;
  if (row == TN_NONE || (!bookmark->label && row >= study->buffers->n))
    return TN_NONE;
  return !bookmark->label || is_it(study, row, bookmark) ? row : find_named(study, bookmark);
}

void
tn_session_show_bookmark(TnSession *session, const TnBookmark *bookmark, bool is_shown)
{
  tn_index buffer = tn_session_find_bookmark(session, bookmark);
  if (buffer != TN_NONE)
    tn_session_select(session, buffer);
  if (is_shown)
    tn_session_show_buffer(session, buffer, false);
  tn_session_show_tick(session, MIN(bookmark->tick, tn_session_get_study(session)->axis_end - 1));
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

tn_index
tn_session_neighbour_in_lane(TnSession *session, int step)
{
  const TnLanes *lanes = tn_session_get_study(session)->lanes;
  tn_index row = tn_session_get_view(session)->selected;
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
  const TnBuffers *b = tn_session_get_study(session)->buffers;
  const tn_bytes *place = tn_session_get_study(session)->map->place;
  tn_index row = tn_session_get_view(session)->selected, best = TN_NONE;
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
