/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/export-dialog.h"

#include "app/window/save-dialog.h"
#include "data/error.h"
#include "data/write.h"
#include "render/export.h"

typedef struct {
  GtkWindow *window;
  AdwToastOverlay *toasts;
  TnSession *session;
  TnStudy *study;
  TnView view;
  TnFindings *findings;
  bool is_dark;
  char *path;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_object_unref(job->window);
  g_object_unref(job->toasts);
  tn_study_unref(job->study);
  tn_findings_free(job->findings);
  g_object_unref(job->session);
  g_free(job->path);
  g_free(job);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  TnExportFormat format;
  TnExportParams params = {.picture = TN_PICTURE_REPORT,
                           .width = 1600,
                           .height = 900,
                           .scale = 2.0,
                           .theme = job->is_dark ? tn_theme_dark() : tn_theme_light(),
                           .findings = job->findings};
  if (!tn_export_format_from_path(job->path, &format)) {
    g_task_return_new_error(task, TN_DATA_ERROR, TN_DATA_ERROR_WRITE,
                            "%s: the name must end in .png, .svg or .pdf", job->path);
    return;
  }
  g_autoptr(GByteArray) bytes = tn_export_build(&job->view, &params, format, &error);
  if (bytes && tn_write_file(job->path, bytes->data, bytes->len, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  if (g_task_propagate_boolean(G_TASK(result), &error))
    tn_save_dialog_say_saved(job->toasts, "Report", job->path);
  else
    tn_save_dialog_say_failed(job->window, "report", error);
}

/* Findings are shown from a copy: the session may change while the report is written. */
static TnFindings *
find(const TnStudy *study)
{
  TnFindParams params = {0};
  TnFindings *findings = tn_findings_new();
  tn_find_all(study, &params, findings);
  return findings;
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

static void
add_filter(GtkFileChooser *chooser, const char *name, const char *pattern)
{
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, name);
  gtk_file_filter_add_pattern(filter, pattern);
  gtk_file_chooser_add_filter(chooser, filter);
}

void
tn_export_dialog_show(GtkWindow *window, TnSession *session, AdwToastOverlay *toasts)
{
  Job *job = g_new0(Job, 1);
  job->window = g_object_ref(window);
  job->toasts = g_object_ref(toasts);
  job->session = g_object_ref(session);
  job->study = tn_study_ref(tn_session_get_study(session));
  job->view = *tn_session_get_view(session);
  job->view.match = NULL;
  job->view.hovered = TN_NONE;
  job->findings = find(job->study);
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      "Save Report", window, GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  g_autofree char *base = g_path_get_basename(tn_session_get_document(session)->path);
  g_autofree char *name = g_strdup_printf("%s.png", base);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  add_filter(GTK_FILE_CHOOSER(chooser), "PNG picture", "*.png");
  add_filter(GTK_FILE_CHOOSER(chooser), "SVG drawing", "*.svg");
  add_filter(GTK_FILE_CHOOSER(chooser), "PDF document", "*.pdf");
  g_signal_connect(chooser, "response", G_CALLBACK(on_response), job);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}
