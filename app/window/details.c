/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/details.h"

#include "app/window/details-parts.h"
#include "app/window/plan-facts.h"
#include "app/window/view-parts.h"

struct _TnDetails {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *content;
  tn_index shown;
  tn_index noted, before; /* the last selection, and the buffer that was selected before it, ... */
  const TnStudy *noted_study; /* ... in this study; compared, never followed */
  const TnStudy *shown_study;
  guint idle;       /* will show another selection; 0: none */
  GtkWidget *facts; /* whether the two may share; NULL: no buffer of a plan is shown */
};

G_DEFINE_TYPE(TnDetails, tn_details, GTK_TYPE_BOX)

/* At once: two selections may be made before the first of them is shown. */
static void
note_selection(TnDetails *details)
{
  const TnStudy *study = tn_session_get_study(details->session);
  tn_index selected = tn_session_get_view(details->session)->selected;
  if (details->noted_study != study)
    details->before = TN_NONE;
  else if (details->noted != TN_NONE && details->noted != selected)
    details->before = details->noted;
  details->noted_study = study;
  details->noted = selected;
}

static void
refresh(TnDetails *details)
{
  const TnStudy *study = tn_session_get_study(details->session);
  tn_index selected = tn_session_get_view(details->session)->selected;
  if (details->shown_study == study && details->shown == selected)
    return;
  note_selection(details);
  details->shown_study = study;
  details->shown = selected;
  details->facts = NULL;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(details->content)))
    gtk_box_remove(GTK_BOX(details->content), child);
  if (selected != TN_NONE)
    details->facts = tn_details_fill_buffer(GTK_BOX(details->content), details->session, selected, details->before);
  else
    tn_details_fill_device(GTK_BOX(details->content), details->session);
}

static void
on_changed(TnSession *session, TnDetails *details)
{
  refresh(details);
}

static gboolean
on_idle(gpointer data)
{
  TnDetails *details = data;
  details->idle = 0;
  refresh(details);
  return G_SOURCE_REMOVE;
}

#define FOLLOWS_AFTER 20 /* ms: more than a frame */

/* Another column of facts is laid out anew, which takes longer than a frame that outlines the selection:
 * that one is painted first. */
static void
on_selected(TnSession *session, TnDetails *details)
{
  bool is_shown = details->shown_study == tn_session_get_study(session) &&
                  details->shown == tn_session_get_view(session)->selected;
  note_selection(details);
  if (!is_shown && !details->idle)
    details->idle = g_timeout_add(FOLLOWS_AFTER, on_idle, details);
}

static void
on_units(TnSession *session, TnDetails *details)
{
  details->shown_study = NULL;
  refresh(details);
}

static void
dispose(GObject *object)
{
  g_clear_handle_id(&TN_DETAILS(object)->idle, g_source_remove);
  g_clear_object(&TN_DETAILS(object)->session);
  TN_DETAILS(object)->facts = NULL;
  G_OBJECT_CLASS(tn_details_parent_class)->dispose(object);
}

static void
tn_details_class_init(TnDetailsClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_details_init(TnDetails *details)
{
  details->shown = details->noted = details->before = TN_NONE;
  details->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_size_request(GTK_WIDGET(details), 262, -1);
  gtk_widget_add_css_class(GTK_WIDGET(details), "details");
  gtk_box_append(GTK_BOX(details), tn_view_scroller_new(details->content, 14, 8, 14));
}

/* Who asks sees what is selected. */
static void
catch_up(TnDetails *details)
{
  if (!details->idle)
    return;
  g_clear_handle_id(&details->idle, g_source_remove);
  refresh(details);
}

tn_index
tn_details_get_shown(TnDetails *details)
{
  catch_up(details);
  return details->shown;
}

const char *
tn_details_get_sharing(TnDetails *details)
{
  catch_up(details);
  return details->facts ? tn_plan_facts_get_sharing(details->facts) : NULL;
}

GtkWidget *
tn_details_new(TnSession *session)
{
  TnDetails *details = g_object_new(TN_TYPE_DETAILS, NULL);
  details->session = g_object_ref(session);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selected), details, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_changed), details, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units), details, 0);
  refresh(details);
  return GTK_WIDGET(details);
}
