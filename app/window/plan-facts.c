/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/plan-facts.h"

#include "analysis/sharing.h"
#include "app/window/background.h"
#include "app/window/settings.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

static void
append_text(GtkWidget *box, const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable(GTK_LABEL(label), TRUE);
  gtk_widget_set_can_focus(label, FALSE);
  if (class)
    gtk_widget_add_css_class(label, class);
  gtk_box_append(GTK_BOX(box), label);
}

/* "Stream 0 · batch B1 · in a block of 4.0 KiB · nested · zero copy"; "" where nothing is known. */
static char *
build_place(const TnStudy *study, tn_index i)
{
  static const struct {
    unsigned trait;
    const char *words;
  } rows[] = {{TN_TRAIT_NESTED, N_("nested")},
              {TN_TRAIT_CONTINUOUS, N_("neighbours in a fixed order")},
              {TN_TRAIT_NO_PADDING, N_("without padding")},
              {TN_TRAIT_ZERO_COPY, N_("zero copy")},
              {TN_TRAIT_MANY_STREAMS, N_("used by several streams")},
              {TN_TRAIT_CLEANED, N_("set to 0 at the start")},
              {TN_TRAIT_PLACED_LATER, N_("placed again later")}};
  const TnBuffers *b = study->buffers;
  g_autoptr(GString) text = g_string_new(NULL);
  char size[48];
  if (tn_buffers_stream(b, i) != TN_NONE)
    g_string_append_printf(text, _(" · stream %u"), b->stream[i]);
  if (b->batch && b->batch[i])
    g_string_append_printf(text, _(" · batch %s"),
                           tn_strings_get(study->document->strings, b->batch[i]));
  if (b->block && b->block[i] > 0)
    g_string_append_printf(text, _(" · in a block of %s"),
                           tn_print_bytes(size, sizeof size, b->block[i], tn_settings_get_units()));
  for (gsize k = 0; k < G_N_ELEMENTS(rows); k++)
    if (tn_buffers_traits(b, i) & rows[k].trait)
      g_string_append_printf(text, " · %s", _(rows[k].words));
  if (b->flags[i] & TN_BUFFER_NO_REUSE)
    g_string_append(text, _(" · shares with nobody"));
  return g_strdup(text->len ? text->str + sizeof " · " - 1 : "");
}

/* ---- whether two may share --------------------------------------------------------------------
 */

/* Of a graph with many ops the way from one to the other takes seconds to find: another thread
 * does. */
typedef struct {
  TnSession *session; /* owned reference: keeps the document */
  TnStudy *study;     /* owned reference */
  tn_index buffer, before;
  GtkWidget *box, *waiting; /* borrowed; NULL: another buffer is shown by now */
  gint is_unwanted;         /* atomic */
  TnSharing sharing;
  bool is_found;
} Job;

static void
forget_box(gpointer data, GObject *box)
{
  Job *job = data;
  job->box = job->waiting = NULL;
  g_atomic_int_set(&job->is_unwanted, 1);
}

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->box)
    g_object_weak_unref(G_OBJECT(job->box), forget_box, job);
  if (job->is_found)
    tn_sharing_clear(&job->sharing);
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_free(job);
}

static void
find(gpointer data)
{
  Job *job = data;
  const TnGraph *graph = job->study->buffers->tensor ? job->study->document->graph : NULL;
  if (g_atomic_int_get(&job->is_unwanted))
    return;
  g_autoptr(TnStreamOrder) order = graph ? tn_stream_order_new(graph) : NULL;
  tn_sharing_find(&job->sharing, job->study, order, NULL, job->before, job->buffer);
  job->is_found = true;
}

static void
show_sharing(gpointer data)
{
  Job *job = data;
  const TnSharing *sharing = &job->sharing;
  if (!job->box || !job->is_found)
    return;
  g_autofree char *verdict =
      sharing->may_share
          ? g_strdup(_("May share memory"))
          : g_strdup_printf(_("May not share memory · %s"), tn_sharing_rule_name(sharing->rule));
  gtk_box_remove(GTK_BOX(job->box), job->waiting);
  append_text(job->box, verdict, sharing->may_share ? "caption-heading" : "warning");
  append_text(job->box, sharing->sentence, "caption");
  g_object_set_data_full(G_OBJECT(job->box), "sharing", g_strdup(sharing->sentence), g_free);
}

static void
append_sharing(GtkWidget *box, TnSession *session, tn_index buffer, tn_index before)
{
  TnStudy *study = tn_session_get_study(session);
  Job *job = g_new0(Job, 1);
  g_autofree char *whole = tn_study_dup_label(study, before);
  g_autofree char *name = tn_elide_middle(whole, TN_VIEW_NAME_CHARS);
  g_autofree char *heading = g_strdup_printf(_("With “%s”, selected before"), name);
  append_text(box, heading, "heading");
  append_text(box, _("Looking for a rule that forbids it…"), "dim-label");
  *job = (Job){.session = g_object_ref(session),
               .study = tn_study_ref(study),
               .buffer = buffer,
               .before = before,
               .box = box,
               .waiting = gtk_widget_get_last_child(box)};
  g_object_weak_ref(G_OBJECT(box), forget_box, job);
  tn_background_run(job, find, show_sharing, free_job);
}

GtkWidget *
tn_plan_facts_new(TnSession *session, tn_index buffer, tn_index before)
{
  const TnStudy *study = tn_session_get_study(session);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  g_autofree char *place = build_place(study, buffer);
  if (place[0])
    append_text(box, place, "dim-label");
  if (before != TN_NONE && before != buffer && before < study->buffers->n)
    append_sharing(box, session, buffer, before);
  return box;
}

const char *
tn_plan_facts_get_sharing(GtkWidget *facts)
{
  return g_object_get_data(G_OBJECT(facts), "sharing");
}
