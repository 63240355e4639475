/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/save-dialog.h"

#include "data/write.h"

#include <adwaita.h>
#include <string.h>

typedef struct {
  GtkWindow *window;        /* owned reference */
  AdwToastOverlay *toasts;  /* owned reference */
  TnBuildText build;
  gpointer data;
  GDestroyNotify free_data;
  char *path;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  job->free_data(job->data);
  g_object_unref(job->window);
  g_object_unref(job->toasts);
  g_free(job->path);
  g_free(job);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  g_autofree char *text = job->build(job->data);
  if (tn_write_file(job->path, text, strlen(text), &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

void
tn_save_dialog_say_saved(AdwToastOverlay *toasts, const char *what, const char *path)
{
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *text = g_markup_printf_escaped("%s saved as “%s”", what, name);
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, "_Show");
  adw_toast_set_action_name(toast, "app.show-uri");
  adw_toast_set_action_target(toast, "s", uri ? uri : "");
  adw_toast_overlay_add_toast(toasts, toast);
}

void
tn_save_dialog_say_failed(GtkWindow *window, const char *what, const GError *error)
{
  g_autofree char *heading = g_strdup_printf("The %s can’t be saved", what);
  GtkWidget *dialog = adw_message_dialog_new(window, heading, error->message);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", "_Close");
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  if (g_task_propagate_boolean(G_TASK(result), &error))
    tn_save_dialog_say_saved(job->toasts, "File", job->path);
  else
    tn_save_dialog_say_failed(job->window, "file", error);
}

static void
on_response(GtkNativeDialog *dialog, int response, gpointer data)
{
  Job *job = data;
  g_autoptr(GFile) file =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;
  job->path = file ? g_file_get_path(file) : NULL;
  g_object_unref(dialog);
  if (!job->path) {
    free_job(job);
    return;
  }
  g_autoptr(GTask) task = g_task_new(NULL, NULL, ready, NULL);
  g_task_set_task_data(task, job, free_job);
  g_task_run_in_thread(task, work);
}

void
tn_save_dialog_show(GtkWidget *widget,
                    const char *title,
                    const char *name,
                    TnBuildText build,
                    gpointer data,
                    GDestroyNotify free_data)
{
  Job *job = g_new0(Job, 1);
  *job = (Job){.window = g_object_ref(GTK_WINDOW(gtk_widget_get_root(widget))),
               .toasts = g_object_ref(ADW_TOAST_OVERLAY(
                   gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY))),
               .build = build,
               .data = data,
               .free_data = free_data};
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      title, job->window, GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, "JSON");
  gtk_file_filter_add_pattern(filter, "*.json");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser), filter);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  g_signal_connect(chooser, "response", G_CALLBACK(on_response), job);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}
