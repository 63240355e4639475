/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/start-page.h"

#include "app/window/view-parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>

void
tn_start_page_add_recent(const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autofree char *uri = g_file_get_uri(file);
  GtkRecentData data = {.display_name = NULL,
                        .description = NULL,
                        .mime_type = (char *)"application/octet-stream",
                        .app_name = (char *)"Tenure",
                        .app_exec = (char *)"tenure %f",
                        .groups = NULL,
                        .is_private = FALSE};
  gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
}

static int
compare_recent(gconstpointer a, gconstpointer b)
{
  return g_date_time_compare(gtk_recent_info_get_modified((GtkRecentInfo *)b),
                             gtk_recent_info_get_modified((GtkRecentInfo *)a));
}

static GtkWidget *
make_row(GtkRecentInfo *info)
{
  GtkWidget *row = adw_action_row_new();
  g_autoptr(GFile) file = g_file_new_for_uri(gtk_recent_info_get_uri(info));
  g_autofree char *path = g_file_get_path(file);
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL;
  g_autofree char *shown = folder ? g_filename_display_name(folder) : NULL;
  g_autofree char *name = g_markup_escape_text(gtk_recent_info_get_display_name(info), -1);
  g_autofree char *below = shown ? g_markup_escape_text(shown, -1) : NULL;
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), name);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), below);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), TRUE);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(row), "app.open-path");
  gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "^ay", path ? path : "");
  return row;
}

static void
fill(GtkWidget *list, gpointer data)
{
  GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
  int n = 0;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(list)))
    gtk_list_box_remove(GTK_LIST_BOX(list), child);
  items = g_list_sort(items, compare_recent);
  for (GList *at = items; at && n < 6; at = at->next) {
    if (!gtk_recent_info_has_application(at->data, "Tenure") || !gtk_recent_info_exists(at->data))
      continue;
    gtk_list_box_append(GTK_LIST_BOX(list), make_row(at->data));
    n++;
  }
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
  gtk_widget_set_visible(list, n > 0);
}

GtkWidget *
tn_start_page_new(void)
{
  GtkWidget *page = adw_status_page_new();
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18), *list = gtk_list_box_new();
  GtkWidget *clamp = adw_clamp_new(), *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *open = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Open…")));
  GtkWidget *sample = tn_view_spoken(gtk_button_new_with_mnemonic(_("Open the _Sample")));
  adw_status_page_set_icon_name(ADW_STATUS_PAGE(page), "io.github.tenure.Tenure-symbolic");
  adw_status_page_set_title(ADW_STATUS_PAGE(page), _("Where did the memory go?"));
  adw_status_page_set_description(ADW_STATUS_PAGE(page),
                                  _("Open a PyTorch snapshot, a model, a plan or a log, drop it "
                                    "here, or paste an out-of-memory message (Ctrl + V)."));
  gtk_widget_add_css_class(open, "suggested-action");
  gtk_widget_add_css_class(open, "pill");
  gtk_widget_add_css_class(sample, "pill");
  gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open");
  gtk_actionable_set_action_name(GTK_ACTIONABLE(sample), "app.open-sample");
  gtk_widget_set_halign(buttons, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(buttons), open);
  gtk_box_append(GTK_BOX(buttons), sample);
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class(list, "boxed-list");
  gtk_accessible_update_property(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Recent files"), -1);
  g_signal_connect(list, "map", G_CALLBACK(fill), NULL);
  fill(list, NULL);
  gtk_box_append(GTK_BOX(box), buttons);
  gtk_box_append(GTK_BOX(box), list);
  adw_clamp_set_maximum_size(ADW_CLAMP(clamp), 460);
  adw_clamp_set_child(ADW_CLAMP(clamp), box);
  adw_status_page_set_child(ADW_STATUS_PAGE(page), clamp);
  return page;
}
