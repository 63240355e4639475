/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/view-switch.h"

#include "app/window/tip.h"

#include <adwaita.h>

static const char *
label_of(GtkWidget *button)
{
  GtkWidget *child = gtk_button_get_child(GTK_BUTTON(button));
  return GTK_IS_LABEL(child) ? gtk_label_get_text(GTK_LABEL(child)) : "";
}

static void
on_active(GtkToggleButton *button, GParamSpec *pspec, GtkMenuButton *list)
{
  if (gtk_toggle_button_get_active(button))
    gtk_menu_button_set_label(list, label_of(GTK_WIDGET(button)));
}

static void
on_chosen(GtkButton *item, GtkMenuButton *list)
{
  gtk_menu_button_popdown(list);
  gtk_widget_activate(g_object_get_data(G_OBJECT(item), "button"));
}

static void
add_item(GtkWidget *box, GtkWidget *button, GtkMenuButton *list)
{
  GtkWidget *item = gtk_button_new_with_label(label_of(button));
  gtk_widget_add_css_class(item, "flat");
  gtk_label_set_xalign(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(item))), 0.0f);
  g_object_set_data_full(G_OBJECT(item), "button", g_object_ref(button), g_object_unref);
  g_signal_connect(item, "clicked", G_CALLBACK(on_chosen), list);
  gtk_box_append(GTK_BOX(box), item);
}

/* Made anew each time: which views there are depends on the file. */
static void
create_popup(GtkMenuButton *list, gpointer buttons)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *popover = gtk_popover_new();
  for (GtkWidget *at = gtk_widget_get_first_child(buttons); at; at = gtk_widget_get_next_sibling(at))
    if (GTK_IS_TOGGLE_BUTTON(at) && gtk_widget_get_visible(at))
      add_item(box, at, list);
  gtk_popover_set_child(GTK_POPOVER(popover), box);
  gtk_menu_button_set_popover(list, popover);
}

GtkWidget *
tn_view_switch_new(GtkWidget *buttons, const char *label)
{
  GtkWidget *squeezer = adw_squeezer_new(), *list = gtk_menu_button_new();
  adw_squeezer_set_homogeneous(ADW_SQUEEZER(squeezer), FALSE);
  adw_squeezer_set_switch_threshold_policy(ADW_SQUEEZER(squeezer),
                                           ADW_FOLD_THRESHOLD_POLICY_NATURAL);
  adw_squeezer_set_xalign(ADW_SQUEEZER(squeezer), 0.0f);
  adw_squeezer_add(ADW_SQUEEZER(squeezer), buttons);
  adw_squeezer_add(ADW_SQUEEZER(squeezer), list);
  gtk_widget_set_halign(list, GTK_ALIGN_START);
  tn_tip_set(list, label);
  gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(list), create_popup, buttons, NULL);
  for (GtkWidget *at = gtk_widget_get_first_child(buttons); at; at = gtk_widget_get_next_sibling(at)) {
    if (!GTK_IS_TOGGLE_BUTTON(at))
      continue;
    g_signal_connect(at, "notify::active", G_CALLBACK(on_active), list);
    on_active(GTK_TOGGLE_BUTTON(at), NULL, GTK_MENU_BUTTON(list));
  }
  return squeezer;
}

void
tn_view_switch_follow_width(GtkWidget *view_switch, int window_width)
{
  GtkWidget *buttons = gtk_widget_get_first_child(view_switch);
  int natural = -1;
  if (window_width >= TN_VIEW_SWITCH_ROOMY)
    gtk_widget_measure(buttons, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  gtk_widget_set_size_request(view_switch, natural, -1);
}
