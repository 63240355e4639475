/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/view-history.h"

#define ONE_MOVE (700 * 1000) /* µs between two moves that are one step */

typedef struct {
  double t0, t1, p0, p1, lane_top;
} Place;

struct TnViewHistory {
  GArray *places; /* Place; the present one is at `at` */
  guint at;
  gint64 last_move; /* monotonic µs */
};

static Place
place_of(const TnView *view)
{
  return (Place){view->t0, view->t1, view->p0, view->p1, view->lane_top};
}

TnViewHistory *
tn_view_history_new(void)
{
  TnViewHistory *history = g_new0(TnViewHistory, 1);
  history->places = g_array_new(FALSE, FALSE, sizeof(Place));
  return history;
}

void
tn_view_history_free(TnViewHistory *history)
{
  g_array_unref(history->places);
  g_free(history);
}

void
tn_view_history_restart(TnViewHistory *history, const TnView *view)
{
  Place place = place_of(view);
  g_array_set_size(history->places, 0);
  g_array_append_val(history->places, place);
  history->at = 0;
}

void
tn_view_history_add(TnViewHistory *history, const TnView *view)
{
  gint64 now = g_get_monotonic_time();
  Place place = place_of(view);
  if (now - history->last_move > ONE_MOVE || history->at == 0) {
    g_array_set_size(history->places, history->at + 1);
    g_array_append_val(history->places, place);
    history->at++;
  } else {
    g_array_index(history->places, Place, history->at) = place;
  }
  history->last_move = now;
}

void
tn_view_history_end_move(TnViewHistory *history)
{
  history->last_move = 0;
}

static bool
is_same_place(const Place *a, const Place *b)
{
  return a->t0 == b->t0 && a->t1 == b->t1 && a->p0 == b->p0 && a->p1 == b->p1 && a->lane_top == b->lane_top;
}

/* Places that only their lanes told apart are one. */
void
tn_view_history_forget_lanes(TnViewHistory *history)
{
  GArray *places = history->places;
  for (guint i = 0; i < places->len; i++)
    g_array_index(places, Place, i).lane_top = 0.0;
  for (guint i = places->len; i-- > 1;) {
    if (!is_same_place(&g_array_index(places, Place, i - 1), &g_array_index(places, Place, i)))
      continue;
    g_array_remove_index(places, i);
    history->at -= history->at >= i;
  }
}

bool
tn_view_history_is_same(const TnView *a, const TnView *b)
{
  Place of_a = place_of(a), of_b = place_of(b);
  return is_same_place(&of_a, &of_b);
}

bool
tn_view_history_can_go(const TnViewHistory *history, int step)
{
  return step < 0 ? history->at > 0 : history->at + 1 < history->places->len;
}

bool
tn_view_history_go(TnViewHistory *history, int step, TnView *view)
{
  if (!tn_view_history_can_go(history, step))
    return false;
  history->at = step < 0 ? history->at - 1 : history->at + 1;
  history->last_move = 0;
  Place place = g_array_index(history->places, Place, history->at);
  view->t0 = place.t0;
  view->t1 = place.t1;
  view->p0 = place.p0;
  view->p1 = place.p1;
  view->lane_top = place.lane_top;
  return true;
}
