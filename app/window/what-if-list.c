/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/what-if-list.h"

#include "app/window/tip.h"
#include "app/window/what-if-text.h"

static void
append_label(GtkWidget *box, const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  if (class)
    gtk_widget_add_css_class(label, class);
  gtk_box_append(GTK_BOX(box), label);
}

static GtkWidget *
make_row(const TnSuggestion *try, TnUnits units)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *name = tn_what_if_dup_name(try);
  g_autofree char *note = tn_what_if_dup_note(try, units);
  append_label(box, name, NULL);
  append_label(box, note, "caption");
  gtk_widget_add_css_class(gtk_widget_get_last_child(box), try->passes ? "success" : "dim-label");
  gtk_widget_add_css_class(box, "suggestion");
  tn_tip_set(box, name);
  return box;
}

void
tn_what_if_list_fill(GtkListBox *list, const TnSuggestions *suggestions, TnUnits units)
{
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index(list, 0)))
    gtk_list_box_remove(list, GTK_WIDGET(row));
  for (guint i = 0; suggestions && i < suggestions->rows->len; i++)
    gtk_list_box_append(list, make_row(tn_suggestions_get(suggestions, i), units));
}
