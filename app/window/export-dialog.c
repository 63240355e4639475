/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/export-dialog.h"

#include "app/window/save-dialog.h"
#include "data/error.h"
#include "render/export.h"

typedef struct {
  TnSession *session;
  TnStudy *study;
  TnView view;
  TnFindings *findings;
  bool is_dark;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_study_unref(job->study);
  tn_findings_free(job->findings);
  g_object_unref(job->session);
  g_free(job);
}

static GBytes *
build(gpointer data, const char *path, GError **error)
{
  Job *job = data;
  TnExportFormat format;
  TnExportParams params = {.picture = TN_PICTURE_REPORT,
                           .width = 1600,
                           .height = 900,
                           .scale = 2.0,
                           .theme = job->is_dark ? tn_theme_dark() : tn_theme_light(),
                           .findings = job->findings};
  if (!tn_export_format_from_path(path, &format)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE,
                "%s: the name must end in .png, .svg or .pdf", path);
    return NULL;
  }
  GByteArray *bytes = tn_export_build(&job->view, &params, format, error);
  return bytes ? g_byte_array_free_to_bytes(bytes) : NULL;
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

void
tn_export_dialog_show(GtkWindow *window, TnSession *session, AdwToastOverlay *toasts)
{
  Job *job = g_new0(Job, 1);
  job->session = g_object_ref(session);
  job->study = tn_study_ref(tn_session_get_study(session));
  job->view = *tn_session_get_view(session);
  job->view.match = NULL;
  job->view.hovered = TN_NONE;
  job->findings = find(job->study);
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  g_autofree char *base = g_path_get_basename(tn_session_get_document(session)->path);
  g_autofree char *name = g_strdup_printf("%s.png", base);
  const TnSaveDialog dialog = {
      "Report",
      name,
      {{"PNG picture", "*.png"}, {"SVG drawing", "*.svg"}, {"PDF document", "*.pdf"}}};
  tn_save_dialog_show(window, toasts, &dialog, build, job, free_job);
}
