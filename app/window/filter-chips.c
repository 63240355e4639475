/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/filter-chips.h"

#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

struct _TnFilterChips {
  GtkBox parent_instance;
  GtkWidget *row;
};

G_DEFINE_TYPE(TnFilterChips, tn_filter_chips, GTK_TYPE_BOX)

enum { EDIT, REMOVE, CLEAR, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
tell(GtkButton *button, TnFilterChips *chips, guint signal)
{
  g_signal_emit(chips, signals[signal], 0, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "row")));
}

static void
on_edit(GtkButton *button, TnFilterChips *chips)
{
  tell(button, chips, EDIT);
}

static void
on_remove(GtkButton *button, TnFilterChips *chips)
{
  tell(button, chips, REMOVE);
}

static void
on_clear(GtkButton *button, TnFilterChips *chips)
{
  g_signal_emit(chips, signals[CLEAR], 0);
}

static GtkWidget *
make_chip(TnFilterChips *chips, const char *term, guint row)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *text = gtk_button_new_with_label(term);
  GtkWidget *close = gtk_button_new_from_icon_name("window-close-symbolic");
  g_autofree char *remove = g_strdup_printf(_("Remove the filter %s"), term);
  GtkLabel *label = GTK_LABEL(gtk_button_get_child(GTK_BUTTON(text)));
  gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars(label, 36);
  tn_tip_set(text, _("Edit this filter"));
  tn_tip_set(close, _("Remove this filter"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(close), GTK_ACCESSIBLE_PROPERTY_LABEL, remove, -1);
  g_object_set_data(G_OBJECT(text), "row", GUINT_TO_POINTER(row));
  g_object_set_data(G_OBJECT(close), "row", GUINT_TO_POINTER(row));
  g_signal_connect(text, "clicked", G_CALLBACK(on_edit), chips);
  g_signal_connect(close, "clicked", G_CALLBACK(on_remove), chips);
  gtk_widget_add_css_class(box, "linked");
  gtk_widget_add_css_class(box, "chip");
  gtk_box_append(GTK_BOX(box), text);
  gtk_box_append(GTK_BOX(box), close);
  return box;
}

void
tn_filter_chips_fill(TnFilterChips *chips, const GPtrArray *terms)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(chips->row)))
    gtk_box_remove(GTK_BOX(chips->row), child);
  for (guint i = 0; i < terms->len; i++)
    gtk_box_append(GTK_BOX(chips->row), make_chip(chips, g_ptr_array_index(terms, i), i));
  gtk_widget_set_visible(GTK_WIDGET(chips), terms->len > 0);
}

static void
tn_filter_chips_class_init(TnFilterChipsClass *class)
{
  signals[EDIT] = g_signal_new("edit", TN_TYPE_FILTER_CHIPS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[REMOVE] = g_signal_new("remove", TN_TYPE_FILTER_CHIPS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[CLEAR] = g_signal_new("clear", TN_TYPE_FILTER_CHIPS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
}

static void
tn_filter_chips_init(TnFilterChips *chips)
{
  GtkWidget *clear = tn_view_spoken(gtk_button_new_with_mnemonic(_("C_lear Filters")));
  GtkWidget *scroller = gtk_scrolled_window_new();
  chips->row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_set_spacing(GTK_BOX(chips), 6);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), chips->row);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_AUTOMATIC,
                                 GTK_POLICY_NEVER);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(chips->row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Filters"), -1);
  gtk_widget_add_css_class(GTK_WIDGET(chips), "chips");
  gtk_widget_add_css_class(clear, "flat");
  g_signal_connect(clear, "clicked", G_CALLBACK(on_clear), chips);
  gtk_box_append(GTK_BOX(chips), scroller);
  gtk_box_append(GTK_BOX(chips), clear);
  gtk_widget_set_visible(GTK_WIDGET(chips), FALSE);
}

GtkWidget *
tn_filter_chips_new(void)
{
  return g_object_new(TN_TYPE_FILTER_CHIPS, NULL);
}
