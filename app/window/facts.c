/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/facts.h"

#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

GtkWidget *
tn_facts_label_new(const char *text, const char *class, float xalign)
{
  g_autofree char *shown = tn_elide_middle(text, TN_VIEW_TIP_CHARS);
  GtkWidget *label = gtk_label_new(shown);
  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

void
tn_facts_add_heading(GtkBox *content, const char *text)
{
  GtkWidget *label = tn_facts_label_new(text, "heading", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 30); /* no title makes the pane wider */
  gtk_widget_set_margin_top(label, 12);
  gtk_box_append(content, label);
}

/* A long name gives way before a figure does, which would else be broken letter by letter. */
void
tn_facts_add(GtkBox *content, const char *what, const char *value, const char *tooltip)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *left = tn_facts_label_new(what, "dim-label", 0.0f);
  GtkWidget *right = tn_facts_label_new(value, NULL, 1.0f);
  tn_view_set_figures(right);
  gtk_label_set_wrap(GTK_LABEL(left), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(right), (int)MIN(g_utf8_strlen(value, -1), 18));
  gtk_label_set_selectable(GTK_LABEL(right), TRUE);
  gtk_widget_set_can_focus(right, FALSE);
  gtk_label_set_wrap(GTK_LABEL(right), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(right), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand(right, TRUE);
  gtk_box_append(GTK_BOX(box), left);
  gtk_box_append(GTK_BOX(box), right);
  tn_tip_set(box, tooltip);
  gtk_box_append(content, box);
}

void
tn_facts_add_bytes(GtkBox *content, const char *what, tn_bytes bytes)
{
  char text[48], exact[48];
  if (bytes >= 0)
    tn_facts_add(content, what, tn_print_bytes(text, sizeof text, bytes, tn_settings_get_units()),
             tn_print_bytes(exact, sizeof exact, bytes, TN_UNITS_BYTES));
}
