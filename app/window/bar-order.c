/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/bar-order.h"

#include "app/window/background.h"

struct _TnBarOrder {
  GObject parent_instance;
  TnSession *session; /* not owned: it outlives the tab's widgets, which own this */
  char *group, *sort;
  bool is_running;
};

G_DEFINE_TYPE(TnBarOrder, tn_bar_order, G_TYPE_OBJECT)

static guint changed_signal;

/* ---- making ------------------------------------------------------------------------------------ */

typedef struct {
  TnBarOrder *order;  /* owned reference */
  TnSession *session; /* owned reference */
  TnStudy *from;      /* owned reference */
  char *group, *sort;
  TnStudy *made;
} Job;

static TnLaneSort
sort_from_name(const char *name)
{
  static const char *const names[] = {"size", "start", "life", "idle"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_strcmp0(name, names[i]) == 0)
      return (TnLaneSort)i;
  return TN_LANES_BY_SIZE;
}

static void
work(gpointer data)
{
  Job *job = data;
  TnGrouping grouping = TN_GROUP_AUTO;
  bool has_groups = tn_grouping_from_name(job->group, &grouping);
  job->made =
      tn_study_new_regrouped(job->from, grouping, has_groups, sort_from_name(job->sort));
}

static void run(TnBarOrder *order);

/* Another study, or another wish, may have come meanwhile: then it is done again. */
static void
done(gpointer data)
{
  Job *job = data;
  TnBarOrder *order = job->order;
  order->is_running = false;
  if (job->from != tn_session_get_study(job->session) ||
      g_strcmp0(job->group, order->group) != 0 || g_strcmp0(job->sort, order->sort) != 0) {
    run(order);
    return;
  }
  tn_session_regroup(job->session, g_steal_pointer(&job->made));
}

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_study_unref(job->made);
  tn_study_unref(job->from);
  g_object_unref(job->session);
  g_object_unref(job->order);
  g_free(job->group);
  g_free(job->sort);
  g_free(job);
}

static void
run(TnBarOrder *order)
{
  if (order->is_running)
    return;
  Job *job = g_new0(Job, 1);
  job->order = g_object_ref(order);
  job->session = g_object_ref(order->session);
  job->from = tn_study_ref(tn_session_get_study(order->session));
  job->group = g_strdup(order->group);
  job->sort = g_strdup(order->sort);
  order->is_running = true;
  tn_background_run(job, work, done, free_job);
}

static bool
is_as_wanted(TnBarOrder *order)
{
  const TnStudy *study = tn_session_get_study(order->session);
  TnGrouping grouping;
  bool has_groups = tn_grouping_from_name(order->group, &grouping);
  return study->lanes->sort == sort_from_name(order->sort) &&
         (study->lanes->group_lane != NULL) == has_groups &&
         (!has_groups || study->categories->grouping == grouping);
}

/* A new plan or device comes as the format has it. */
static void
on_study_changed(TnSession *session, TnBarOrder *order)
{
  if (!is_as_wanted(order))
    run(order);
}

/* ---- changing ---------------------------------------------------------------------------------- */

static void
put(TnBarOrder *order, const char *group, const char *sort)
{
  char *new_group = g_strdup(group), *new_sort = g_strdup(sort);
  g_free(order->group);
  g_free(order->sort);
  order->group = new_group;
  order->sort = new_sort;
  run(order);
  g_signal_emit(order, changed_signal, 0);
}

static void
put_state(gpointer owner, GVariant *state)
{
  const char *group, *sort;
  g_variant_get(state, "(&s&s)", &group, &sort);
  put(owner, group, sort);
}

static void
change(TnBarOrder *order, const char *label, const char *group, const char *sort)
{
  TnUndo *undo = tn_session_get_undo(order->session);
  GVariant *before = g_variant_new("(ss)", order->group, order->sort);
  GVariant *after = g_variant_new("(ss)", group, sort);
  tn_undo_seal(undo);
  tn_undo_push(undo, label, order, put_state, before, after);
  put(order, group, sort);
}

void
tn_bar_order_set_group(TnBarOrder *order, const char *group)
{
  if (g_strcmp0(order->group, group) != 0)
    change(order, "Group Bars", group, order->sort);
}

const char *
tn_bar_order_get_group(TnBarOrder *order)
{
  return order->group;
}

void
tn_bar_order_set_sort(TnBarOrder *order, const char *sort)
{
  if (g_strcmp0(order->sort, sort) != 0)
    change(order, "Sort Bars", order->group, sort);
}

const char *
tn_bar_order_get_sort(TnBarOrder *order)
{
  return order->sort;
}

/* ---- the object -------------------------------------------------------------------------------- */

static void
finalize(GObject *object)
{
  TnBarOrder *order = TN_BAR_ORDER(object);
  g_free(order->group);
  g_free(order->sort);
  G_OBJECT_CLASS(tn_bar_order_parent_class)->finalize(object);
}

static void
tn_bar_order_class_init(TnBarOrderClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  changed_signal = g_signal_new("changed", TN_TYPE_BAR_ORDER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
}

static void
tn_bar_order_init(TnBarOrder *order)
{
  order->group = g_strdup("none");
  order->sort = g_strdup("size");
}

TnBarOrder *
tn_bar_order_new(TnSession *session)
{
  TnBarOrder *order = g_object_new(TN_TYPE_BAR_ORDER, NULL);
  order->session = session;
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), order, 0);
  return order;
}
