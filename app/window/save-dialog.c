/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/save-dialog.h"

#include "app/window/background.h"
#include "data/write.h"

#include <glib/gi18n.h>

typedef struct {
  GtkWindow *window;       /* owned reference */
  AdwToastOverlay *toasts; /* owned reference */
  char *path;
  TnBuildBytes build;
  gpointer data;
  GDestroyNotify free_data;
  GError *error; /* NULL: it was written */
  bool is_held;  /* the application */
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  job->free_data(job->data);
  g_object_unref(job->window);
  g_object_unref(job->toasts);
  g_free(job->path);
  g_clear_error(&job->error);
  if (job->is_held)
    g_application_release(g_application_get_default());
  g_free(job);
}

/* The program outlives its last window until the file is there. */
static void
hold(Job *job)
{
  job->is_held = true;
  g_application_hold(g_application_get_default());
}

static void
work(gpointer data)
{
  Job *job = data;
  g_autoptr(GBytes) bytes = job->build(job->data, job->path, &job->error);
  if (bytes)
    tn_write_file(job->path, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), &job->error);
}

static void
show_saved(const Job *job)
{
  g_autofree char *name = g_filename_display_basename(job->path);
  g_autofree char *text = g_markup_printf_escaped(_("Saved as “%s”"), name);
  g_autofree char *uri = g_filename_to_uri(job->path, NULL, NULL);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("_Show"));
  adw_toast_set_action_name(toast, "app.show-uri");
  adw_toast_set_action_target(toast, "s", uri ? uri : "");
  adw_toast_overlay_add_toast(job->toasts, toast);
}

/* Also where the window has been closed meanwhile: else the file is missed too late. */
static void
show_failure(const Job *job, bool is_open)
{
  g_autofree char *name = g_filename_display_basename(job->path);
  g_autofree char *heading = g_strdup_printf(_("“%s” can’t be saved"), name);
  GtkWidget *dialog = adw_message_dialog_new(is_open ? job->window : NULL, heading, job->error->message);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
  if (!is_open)
    gtk_window_set_application(GTK_WINDOW(dialog), GTK_APPLICATION(g_application_get_default()));
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
done(gpointer data)
{
  Job *job = data;
  bool is_open = gtk_widget_get_realized(GTK_WIDGET(job->toasts)); /* it holds the window, destroyed or not */
  if (job->error)
    show_failure(job, is_open);
  else if (is_open)
    show_saved(job);
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
  hold(job);
  tn_background_run(job, work, done, free_job);
}

static void
add_filters(GtkFileChooser *chooser, const TnSaveDialog *dialog)
{
  for (gsize i = 0; i < G_N_ELEMENTS(dialog->filters) && dialog->filters[i][0]; i++) {
    g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, dialog->filters[i][0]);
    gtk_file_filter_add_pattern(filter, dialog->filters[i][1]);
    gtk_file_chooser_add_filter(chooser, filter);
  }
}

void
tn_save_dialog_show(GtkWindow *window,
                    AdwToastOverlay *toasts,
                    const TnSaveDialog *dialog,
                    TnBuildBytes build,
                    gpointer data,
                    GDestroyNotify free_data)
{
  Job *job = g_new0(Job, 1);
  *job = (Job){.window = g_object_ref(window),
               .toasts = g_object_ref(toasts),
               .build = build,
               .data = data,
               .free_data = free_data};
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      _(dialog->title), window, GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), dialog->name);
  add_filters(GTK_FILE_CHOOSER(chooser), dialog);
  g_signal_connect(chooser, "response", G_CALLBACK(on_response), job);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser), TRUE);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

void
tn_save_dialog_show_at(GtkWidget *widget,
                       const TnSaveDialog *dialog,
                       TnBuildBytes build,
                       gpointer data,
                       GDestroyNotify free_data)
{
  GtkWidget *toasts = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  tn_save_dialog_show(GTK_WINDOW(gtk_widget_get_root(widget)), ADW_TOAST_OVERLAY(toasts), dialog,
                      build, data, free_data);
}
