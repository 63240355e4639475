/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/tip.h"

#include "app/window/view-parts.h"

#define TEXT "tip"
#define WHOLE "tip-is-whole"
#define IS_ASKED "tip-is-asked"

/* What fits on a screen. */
static gboolean
tell(GtkTooltip *tooltip, const char *text)
{
  g_autofree char *shown = text && text[0] ? tn_elide_middle(text, TN_VIEW_TIP_CHARS) : NULL;
  gtk_tooltip_set_text(tooltip, shown);
  return shown != NULL;
}

static gboolean
on_query(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, gpointer data)
{
  return tell(tooltip, g_object_get_data(G_OBJECT(widget), TEXT));
}

void
tn_tip_set(GtkWidget *widget, const char *text)
{
  const char *old = g_object_get_data(G_OBJECT(widget), TEXT);
  if (g_strcmp0(old, text) == 0)
    return;
  if (!g_object_get_data(G_OBJECT(widget), IS_ASKED)) {
    g_object_set_data(G_OBJECT(widget), IS_ASKED, widget);
    gtk_widget_set_has_tooltip(widget, TRUE);
    g_signal_connect(widget, "query-tooltip", G_CALLBACK(on_query), NULL);
  }
  g_object_set_data_full(G_OBJECT(widget), TEXT, g_strdup(text), g_free);
  if (text)
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  else
    gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}

static const char *
get_whole(GtkLabel *label)
{
  return pango_layout_is_ellipsized(gtk_label_get_layout(label)) ? gtk_label_get_text(label) : NULL;
}

static gboolean
on_query_whole(GtkWidget *label, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, gpointer data)
{
  return tell(tooltip, get_whole(GTK_LABEL(label)));
}

GtkWidget *
tn_tip_whole(GtkWidget *label)
{
  gtk_widget_set_has_tooltip(label, TRUE);
  g_signal_connect(label, "query-tooltip", G_CALLBACK(on_query_whole), NULL);
  g_object_set_data(G_OBJECT(label), WHOLE, label);
  return label;
}

const char *
tn_tip_get(GtkWidget *widget)
{
  if (g_object_get_data(G_OBJECT(widget), WHOLE))
    return get_whole(GTK_LABEL(widget));
  const char *text = g_object_get_data(G_OBJECT(widget), TEXT);
  return text ? text : gtk_widget_get_tooltip_text(widget); /* of GTK's own */
}
