/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/report-save.h"

#include "data/error.h"
#include "data/write.h"

static const char *const endings[] = {".png", ".svg", ".pdf", ".html"};

typedef struct {
  GtkWindow *window;
  AdwToastOverlay *toasts;
  TnReportContent *content;
  TnReportFormat format;
  char *notes, *path;
  bool is_dark;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_object_unref(job->window);
  g_object_unref(job->toasts);
  tn_report_content_unref(job->content);
  g_free(job->notes);
  g_free(job->path);
  g_free(job);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  TnDiffPicture picture;
  TnReportFacts *facts = tn_report_facts_new(job->content);
  TnReportParams params =
      tn_report_content_params(job->content, facts, job->notes, job->is_dark, &picture);
  g_autoptr(GByteArray) bytes = tn_report_build(&params, job->format, &error);
  if (bytes && tn_write_file(job->path, bytes->data, bytes->len, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
  tn_report_facts_free(facts);
}

static void
show_done(const Job *job)
{
  g_autofree char *name = g_path_get_basename(job->path);
  g_autofree char *text = g_markup_printf_escaped("Report saved as “%s”", name);
  g_autofree char *uri = g_filename_to_uri(job->path, NULL, NULL);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, "_Show");
  adw_toast_set_action_name(toast, "app.show-uri");
  adw_toast_set_action_target(toast, "s", uri ? uri : "");
  adw_toast_overlay_add_toast(job->toasts, toast);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  if (g_task_propagate_boolean(G_TASK(result), &error)) {
    show_done(job);
    return;
  }
  GtkWidget *dialog =
      adw_message_dialog_new(job->window, "The report can’t be saved", error->message);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", "_Close");
  gtk_window_present(GTK_WINDOW(dialog));
}

/* The name that was asked for decides; one without an ending gets that of the format. */
static void
settle_path(Job *job, char *path)
{
  TnReportFormat format;
  if (path && tn_report_format_from_path(path, &format)) {
    job->format = format;
    job->path = path;
  } else if (path) {
    job->path = g_strconcat(path, endings[job->format], NULL);
    g_free(path);
  }
}

static void
on_response(GtkNativeDialog *dialog, int response, gpointer data)
{
  Job *job = data;
  g_autoptr(GFile) file =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;
  settle_path(job, file ? g_file_get_path(file) : NULL);
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
tn_report_save(GtkWindow *window,
               TnReportContent *content,
               TnReportFormat format,
               const char *notes,
               bool is_dark,
               AdwToastOverlay *toasts)
{
  Job *job = g_new0(Job, 1);
  job->window = g_object_ref(window);
  job->toasts = g_object_ref(toasts);
  job->content = tn_report_content_ref(content);
  job->format = format;
  job->notes = g_strdup(notes);
  job->is_dark = is_dark;
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      "Save Report", window, GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  g_autofree char *base = tn_report_content_build_name(content);
  g_autofree char *name = g_strconcat(base, endings[format], NULL);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  g_signal_connect(chooser, "response", G_CALLBACK(on_response), job);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}
