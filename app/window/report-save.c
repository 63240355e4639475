/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/report-save.h"

#include "app/window/save-dialog.h"

#include <glib/gi18n.h>

typedef struct {
  TnReportContent *content;
  TnReportFormat format; /* where the name's ending says none */
  char *notes;
  bool is_dark;
} Report;

static void
free_report(gpointer data)
{
  Report *report = data;
  tn_report_content_unref(report->content);
  g_free(report->notes);
  g_free(report);
}

static GBytes *
build(gpointer data, const char *path, GError **error)
{
  const Report *report = data;
  TnDiffPicture picture;
  TnReportFormat format = report->format;
  TnReportFacts *facts = tn_report_facts_new(report->content);
  TnReportParams params =
      tn_report_content_params(report->content, facts, report->notes, report->is_dark, &picture);
  tn_report_format_from_path(path, &format);
  GByteArray *bytes = tn_report_build(&params, format, error);
  tn_report_facts_free(facts);
  return bytes ? g_byte_array_free_to_bytes(bytes) : NULL;
}

void
tn_report_save(GtkWindow *window,
               TnReportContent *content,
               TnReportFormat format,
               const char *notes,
               bool is_dark,
               AdwToastOverlay *toasts)
{
  static const char *const endings[] = {".png", ".svg", ".pdf", ".html"};
  Report *report = g_new0(Report, 1);
  *report = (Report){tn_report_content_ref(content), format, g_strdup(notes), is_dark};
  g_autofree char *base = tn_report_content_build_name(content);
  g_autofree char *name = g_strconcat(base, endings[format], NULL);
  const TnSaveDialog dialog = {.title = N_("Save Report"), .name = name};
  tn_save_dialog_show(window, toasts, &dialog, build, report, free_report);
}
