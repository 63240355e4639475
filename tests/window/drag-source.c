/* SPDX-License-Identifier: MIT */
/* drag-source FILE…: a small window that gives the files of its arguments to where it is dragged, as a file
 * manager does: there is none under Xvfb. */
#include <gtk/gtk.h>

static void
on_activate(GtkApplication *application, GFile *files[])
{
  GtkWidget *window = gtk_application_window_new(application);
  GtkWidget *label = gtk_label_new("Drag");
  GSList *list = NULL;
  for (int i = 0; files[i]; i++)
    list = g_slist_append(list, files[i]);
  GdkFileList *all = gdk_file_list_new_from_list(list);
  g_slist_free(list);
  GtkDragSource *source = gtk_drag_source_new();
  g_autoptr(GdkContentProvider) content = gdk_content_provider_new_typed(GDK_TYPE_FILE_LIST, all);
  g_boxed_free(GDK_TYPE_FILE_LIST, all);
  gtk_drag_source_set_content(source, content);
  gtk_widget_add_controller(label, GTK_EVENT_CONTROLLER(source));
  gtk_window_set_title(GTK_WINDOW(window), "drag-source");
  gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
  gtk_window_set_default_size(GTK_WINDOW(window), 120, 80);
  gtk_window_set_child(GTK_WINDOW(window), label);
  gtk_window_present(GTK_WINDOW(window));
}

int
main(int n_args, char **args)
{
  g_autofree GFile **files = g_new0(GFile *, n_args);
  for (int i = 1; i < n_args; i++)
    files[i - 1] = g_file_new_for_commandline_arg(args[i]);
  g_autoptr(GtkApplication) application =
      gtk_application_new("io.github.tenure.DragSource", G_APPLICATION_NON_UNIQUE);
  g_signal_connect(application, "activate", G_CALLBACK(on_activate), files);
  int status = g_application_run(G_APPLICATION(application), 1, args);
  for (int i = 0; i + 1 < n_args; i++)
    g_object_unref(files[i]);
  return status;
}
