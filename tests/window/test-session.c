/* SPDX-License-Identifier: MIT */
/* What of a session stays where another study, or the file as it was read again, comes into its place. */
#include "config.h"

#include "app/window/kept-order.h"
#include "data/document-view.h"

#include "session-support.h"

#include <math.h>

static void
set_time(TnSession *session, double t0, double t1)
{
  TnView view = *tn_session_get_view(session);
  view.t0 = t0;
  view.t1 = t1;
  tn_session_set_view(session, &view);
}

/* The same plan again, as a planner or another grouping gives it. */
static TnStudy *
new_regrouped(TnSession *session)
{
  return tn_study_new_regrouped(tn_session_get_study(session), TN_GROUP_AUTO, false, TN_LANES_BY_START);
}

/* ---- what a view says ---- */

/* A drag keeps the view that it began with; meanwhile a plan comes. */
static void
test_part_alone(void)
{
  g_autofree char *rows = many_rows(100);
  g_autoptr(TnSession) session = new_session(rows);
  TnView before = *tn_session_get_view(session);
  TnStudy *study = new_regrouped(session);
  tn_session_regroup(session, study);
  tn_session_select(session, 7);
  tn_session_set_range(session, 10, 20);
  tn_session_set_cursor(session, 12);
  before.t0 = 30;
  before.t1 = 60;
  tn_session_set_view(session, &before);
  const TnView *view = tn_session_get_view(session);
  g_assert_true(view->study == study);
  g_assert_cmpuint(view->selected, ==, 7);
  g_assert_cmpfloat(view->r1, ==, 20);
  g_assert_cmpfloat(view->cursor, ==, 12);
  g_assert_cmpfloat(view->t0, ==, 30);
  g_assert_cmpfloat(view->t1, ==, 60);
}

static void
test_not_finite(void)
{
  g_autofree char *rows = many_rows(100);
  g_autoptr(TnSession) session = new_session(rows);
  set_time(session, 10, 20);
  set_time(session, NAN, NAN);
  set_time(session, 15, INFINITY);
  g_assert_cmpfloat(tn_session_get_view(session)->t0, ==, 10);
  g_assert_cmpfloat(tn_session_get_view(session)->t1, ==, 20);
}

/* The end of what lives to the end is no tick of the file. */
static void
test_last_tick(void)
{
  g_autofree char *rows = many_rows(100);
  g_autoptr(TnSession) session = new_session(rows);
  tn_session_show_tick(session, 101);
  g_assert_cmpfloat(tn_session_get_view(session)->cursor, ==, 100.5);
  g_assert_cmpint(tn_session_get_moment(session), ==, 100);
}

/* ---- the file read again ---- */

static void
test_grown(void)
{
  const char head[] = "id,lower,upper,size,offset\na,0,50,4096,0\n";
  g_autofree char *more = g_strdup_printf("%sb,50,300,8192,4096\n", head);
  g_autoptr(TnSession) old = new_session(head);
  g_autoptr(TnSession) grown = new_session(more);
  tn_session_take_view(grown, tn_session_get_view(old));
  g_assert_cmpfloat(tn_session_get_view(grown)->t1, ==, 300);
  g_assert_cmpfloat(tn_session_get_view(grown)->p1, ==, 12288);

  set_time(old, 10, 50);
  tn_session_take_view(grown, tn_session_get_view(old));
  g_assert_cmpfloat(tn_session_get_view(grown)->t0, ==, 10);
  g_assert_cmpfloat(tn_session_get_view(grown)->t1, ==, 50);
}

/* What is selected is told by its name, whatever the names before it are. */
static void
test_same_names(void)
{
  const char head[] = "id,lower,upper,size\n";
  g_autofree char *text = g_strdup_printf("%sa,0,5,64\nb,1,6,64\n", head);
  g_autofree char *more = g_strdup_printf("%sother,0,5,64\nb,1,6,64\n", head);
  g_autofree char *swapped = g_strdup_printf("%sb,0,5,64\na,1,6,64\n", head);
  g_autoptr(TnSession) old = new_session(text);
  g_autoptr(TnSession) same = new_session(more);
  g_autoptr(TnSession) another = new_session(swapped);
  tn_session_select(old, 1);
  tn_session_take_view(same, tn_session_get_view(old));
  g_assert_cmpuint(tn_session_get_view(same)->selected, ==, 1);
  tn_session_take_view(another, tn_session_get_view(old));
  g_assert_cmpuint(tn_session_get_view(another)->selected, ==, TN_NONE);
}

/* ---- back and forward ---- */

static void
test_other_lanes(void)
{
  g_autofree char *rows = many_rows(100);
  g_autoptr(TnSession) session = new_session(rows);
  TnView view = *tn_session_get_view(session);
  view.t0 = 50;
  view.lane_top = 1;
  tn_session_set_view(session, &view);
  tn_session_regroup(session, new_regrouped(session));
  tn_session_reset_view(session);
  tn_session_go_back(session);
  g_assert_cmpfloat(tn_session_get_view(session)->t0, ==, 50);
  g_assert_cmpfloat(tn_session_get_view(session)->lane_top, ==, 0);
}

/* A step that Back can't show is none. */
static void
test_lane_height(void)
{
  g_autofree char *rows = many_rows(100);
  g_autoptr(TnSession) session = new_session(rows);
  TnView view = *tn_session_get_view(session);
  view.lane_height *= 2;
  tn_session_set_view(session, &view);
  g_assert_cmpfloat(tn_session_get_view(session)->lane_height, ==, view.lane_height);
  g_assert_false(tn_session_can_go_back(session));
  set_time(session, 10, 20);
  g_assert_true(tn_session_can_go_back(session));
}

/* ---- documents that a study may rest on ---- */

#define OP(id, in, out) "{\"id\":" #id ",\"type\":\"Conv\",\"name\":\"c" #id "\",\"inputs\":[" #in "],\"outputs\":[" #out "]"
#define TENSOR(id) "{\"id\":" #id ",\"name\":\"t" #id "\",\"shape\":[1000],\"dtype\":\"int8\"}"

/* Two ops in a free order; one has a workspace by the file's rules alone. */
static const char two_ops[] =
    "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[" TENSOR(0) "," TENSOR(1) "," TENSOR(2) "],\"ops\":["
    OP(0, 0, 1) ",\"workspace_bytes\":5000,\"algorithms\":[{\"name\":\"im2col\",\"workspace_bytes\":0}]},"
    OP(1, 0, 2) "}],\"outputs\":[1,2]}";

static TnStudy *
study_by(const TnDocument *document, const char *preset)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  params.graph.preset = preset;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, NULL);
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  return study;
}

/* A file that is read again as a runtime has not the names that the file's rules add: no study by these may rest on it,
 * for others read its strings meanwhile. */
static void
test_studied(void)
{
  const uint32_t order[] = {0, 1}, other[] = {1, 0};
  TnDocument *file = load(two_ops);
  g_autoptr(TnSession) session = tn_session_new(file, study_by(file, "tflite"), tn_findings_new());
  const char *tflite = tn_session_get_study(session)->preset;
  g_assert_true(tn_session_find_studied(session, file, order, tflite) == file);
  g_assert_null(tn_session_find_studied(session, file, order, NULL));
  uint32_t n = tn_strings_count(file->strings);

  TnDocument *view = tn_document_view_new(file, NULL, true);
  tn_session_keep_document(session, view);
  g_assert_null(tn_session_find_studied(session, file, order, NULL));
  tn_session_set_study(session, study_by(view, NULL), tn_findings_new());
  g_assert_cmpuint(tn_strings_count(view->strings), >, n);
  g_assert_cmpuint(tn_strings_count(file->strings), ==, n);
  g_assert_true(tn_session_find_studied(session, file, order, NULL) == view);
  g_assert_true(tn_session_find_studied(session, view, order, tflite) == file);
  g_assert_null(tn_session_find_studied(session, view, other, tflite));

  TnDocument *turned = tn_document_view_new(view, other, true);
  tn_session_keep_document(session, turned);
  tn_session_set_study(session, study_by(turned, tflite), tn_findings_new());
  g_assert_true(tn_session_find_studied(session, file, other, tflite) == turned);
  g_assert_null(tn_session_find_studied(session, file, other, NULL));
  g_assert_true(tn_session_find_plain(session) == file);

  g_assert_null(tn_kept_order_new(view, file)); /* no order was chosen */
  TnKeptOrder *kept = tn_kept_order_new(turned, file);
  g_assert_true(tn_kept_order_is_of(kept, turned));
  g_assert_false(tn_kept_order_is_of(kept, file));
  tn_kept_order_unref(kept);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/part-alone", test_part_alone);
  g_test_add_func("/session/not-finite", test_not_finite);
  g_test_add_func("/session/last-tick", test_last_tick);
  g_test_add_func("/session/grown", test_grown);
  g_test_add_func("/session/same-names", test_same_names);
  g_test_add_func("/session/other-lanes", test_other_lanes);
  g_test_add_func("/session/lane-height", test_lane_height);
  g_test_add_func("/session/studied", test_studied);
  return g_test_run();
}
