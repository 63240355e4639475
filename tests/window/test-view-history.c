/* SPDX-License-Identifier: MIT */
/* Back and forward through what was seen. */
#include "config.h"

#include "app/window/view-history.h"

static TnView
at(double t0)
{
  return (TnView){.t0 = t0, .t1 = t0 + 10, .p0 = 1, .p1 = 2, .lane_top = t0 / 2};
}

static void
move(TnViewHistory *history, double t0, bool is_alone)
{
  TnView view = at(t0);
  if (is_alone)
    tn_view_history_end_move(history);
  tn_view_history_add(history, &view);
}

static void
check_go(TnViewHistory *history, int step, double t0)
{
  TnView view = at(-1), wanted = at(t0);
  g_assert_true(tn_view_history_go(history, step, &view));
  g_assert_true(tn_view_history_is_same(&view, &wanted));
}

static void
test_steps(void)
{
  TnViewHistory *history = tn_view_history_new();
  TnView first = at(0), view = at(7);
  tn_view_history_restart(history, &first);
  g_assert_false(tn_view_history_can_go(history, -1));
  g_assert_false(tn_view_history_go(history, -1, &view));
  g_assert_cmpfloat(view.t0, ==, 7); /* untouched */
  move(history, 20, true);
  move(history, 21, false); /* the same wheel */
  move(history, 22, false);
  move(history, 50, true);
  check_go(history, -1, 22);
  check_go(history, -1, 0);
  g_assert_false(tn_view_history_can_go(history, -1));
  check_go(history, 1, 22);
  check_go(history, 1, 50);
  g_assert_false(tn_view_history_can_go(history, 1));
  tn_view_history_free(history);
}

/* What lay ahead is gone once something else is looked at; the first place is never overwritten. */
static void
test_branches(void)
{
  TnViewHistory *history = tn_view_history_new();
  TnView first = at(0);
  tn_view_history_restart(history, &first);
  move(history, 20, true);
  move(history, 30, true);
  check_go(history, -1, 20);
  move(history, 40, false);
  g_assert_false(tn_view_history_can_go(history, 1));
  check_go(history, -1, 20);
  check_go(history, -1, 0);
  move(history, 60, false);
  check_go(history, -1, 0);
  tn_view_history_restart(history, &first);
  g_assert_false(tn_view_history_can_go(history, 1));
  tn_view_history_free(history);
}

static void
scroll(TnViewHistory *history, double t0, double lane_top)
{
  TnView view = at(t0);
  view.lane_top = lane_top;
  tn_view_history_end_move(history);
  tn_view_history_add(history, &view);
}

/* Steps that went through lanes only are none once the lanes are others. */
static void
test_other_lanes(void)
{
  TnViewHistory *history = tn_view_history_new();
  TnView view = at(0);
  tn_view_history_restart(history, &view);
  scroll(history, 20, 5);
  scroll(history, 20, 9);
  scroll(history, 20, 12);
  scroll(history, 40, 12);
  g_assert_true(tn_view_history_go(history, -1, &view)); /* on the third of the same */
  tn_view_history_forget_lanes(history);
  g_assert_true(tn_view_history_go(history, 1, &view));
  g_assert_cmpfloat(view.t0, ==, 40);
  g_assert_cmpfloat(view.lane_top, ==, 0);
  g_assert_true(tn_view_history_go(history, -1, &view));
  g_assert_cmpfloat(view.t0, ==, 20);
  g_assert_true(tn_view_history_go(history, -1, &view));
  g_assert_cmpfloat(view.t0, ==, 0);
  g_assert_false(tn_view_history_can_go(history, -1));
  tn_view_history_free(history);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/view-history/steps", test_steps);
  g_test_add_func("/view-history/branches", test_branches);
  g_test_add_func("/view-history/other-lanes", test_other_lanes);
  return g_test_run();
}
