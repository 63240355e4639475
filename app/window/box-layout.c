/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/box-layout.h"

#include "app/window/background.h"

TnBoxGroups *
tn_box_groups_new(TnCategories *categories)
{
  TnBoxGroups *groups = g_atomic_rc_box_new0(TnBoxGroups);
  groups->categories = categories;
  return groups;
}

static void
clear_groups(gpointer data)
{
  tn_categories_free(((TnBoxGroups *)data)->categories);
}

void
tn_box_groups_unref(TnBoxGroups *groups)
{
  g_atomic_rc_box_release_full(groups, clear_groups);
}

TnBoxLayout *
tn_box_layout_new(TnSession *session, TnBoxGroups *groups)
{
  TnBoxLayout *layout = g_new0(TnBoxLayout, 1);
  layout->session = g_object_ref(session);
  layout->study = tn_study_ref(tn_session_get_study(session));
  layout->groups = groups ? g_atomic_rc_box_acquire(groups) : NULL;
  layout->view = *tn_session_get_view(session);
  layout->view.groups = groups ? groups->categories : NULL;
  layout->moment = tn_session_get_moment(session);
  return layout;
}

static void
free_layout(gpointer data)
{
  TnBoxLayout *layout = data;
  g_clear_pointer(&layout->boxes, tn_boxes_free);
  g_clear_pointer(&layout->groups, tn_box_groups_unref);
  tn_study_unref(layout->study);
  g_object_unref(layout->session);
  g_object_unref(layout->owner);
  g_free(layout);
}

static void
work(gpointer data)
{
  TnBoxLayout *l = data;
  l->boxes = l->is_flame ? tn_flame_new(&l->view, l->moment, l->weight, l->with_framework, l->rect)
                         : tn_treemap_new(&l->view, l->moment, l->rect);
}

static void
finish(gpointer data)
{
  TnBoxLayout *layout = data;
  layout->done(layout->owner, layout);
}

void
tn_box_layout_run(TnBoxLayout *layout, TnBoxLayoutDone done, GObject *owner)
{
  layout->done = done;
  layout->owner = g_object_ref(owner);
  tn_background_run(layout, work, finish, free_layout);
}
