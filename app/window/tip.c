/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/tip.h"

#define TEXT "tip"

static gboolean
on_query(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, gpointer data)
{
  const char *text = g_object_get_data(G_OBJECT(widget), TEXT);
  gtk_tooltip_set_text(tooltip, text);
  return text && text[0];
}

void
tn_tip_set(GtkWidget *widget, const char *text)
{
  const char *old = g_object_get_data(G_OBJECT(widget), TEXT);
  if (g_strcmp0(old, text) == 0)
    return;
  if (!gtk_widget_get_has_tooltip(widget)) {
    gtk_widget_set_has_tooltip(widget, TRUE);
    g_signal_connect(widget, "query-tooltip", G_CALLBACK(on_query), NULL);
  }
  g_object_set_data_full(G_OBJECT(widget), TEXT, g_strdup(text), g_free);
  if (text)
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  else
    gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}

static gboolean
on_query_whole(GtkWidget *label, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, gpointer data)
{
  gtk_tooltip_set_text(tooltip, gtk_label_get_text(GTK_LABEL(label)));
  return pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(label)));
}

GtkWidget *
tn_tip_whole(GtkWidget *label)
{
  gtk_widget_set_has_tooltip(label, TRUE);
  g_signal_connect(label, "query-tooltip", G_CALLBACK(on_query_whole), NULL);
  return label;
}
