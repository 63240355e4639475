/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/report-dialog.h"

#include "app/window/background.h"
#include "app/window/dialog-parts.h"
#include "app/window/report-save.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

#define PREVIEW_SCALE 0.6
#define AFTER_KEYS 300 /* ms without a key before the preview follows the notes */

typedef struct {
  GtkWidget *window, *format, *colors, *more;
  TnPreview preview;
  GtkTextBuffer *notes;
  GtkWindow *parent;
  AdwToastOverlay *toasts;
  TnReportContent *content;
  TnReportFacts *facts; /* NULL: not known yet */
  guint timer;
  bool is_busy, is_dirty, is_closed;
} Dialog;

typedef struct {
  GtkWidget *window; /* owned reference: keeps the dialog */
  TnReportContent *content;
  TnReportFacts *facts; /* borrowed where they were known, else made */
  bool is_new;
  char *notes;
  bool is_dark;
  GdkTexture *texture; /* what was drawn; NULL where it can’t be */
} Job;

static void request(Dialog *dialog);

static void
free_dialog(gpointer data)
{
  Dialog *dialog = data;
  g_clear_pointer(&dialog->facts, tn_report_facts_free);
  tn_report_content_unref(dialog->content);
  g_free(dialog);
}

/* A drawing that goes on keeps the window, and with it all this; but the widgets are gone. */
static void
on_destroy(GtkWidget *window, Dialog *dialog)
{
  g_clear_handle_id(&dialog->timer, g_source_remove);
  dialog->is_closed = true;
}

/* ---- the preview -------------------------------------------------------------------------------
 */

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->is_new && job->facts)
    tn_report_facts_free(job->facts);
  tn_report_content_unref(job->content);
  g_free(job->notes);
  g_clear_object(&job->texture);
  g_object_unref(job->window);
  g_free(job);
}

static void
work(gpointer data)
{
  Job *job = data;
  TnDiffPicture picture;
  if (!job->facts) {
    job->facts = tn_report_facts_new(job->content);
    job->is_new = true;
  }
  TnReportParams params =
      tn_report_content_params(job->content, job->facts, job->notes, job->is_dark, &picture);
  params.scale = PREVIEW_SCALE;
  job->texture = tn_preview_build_texture(tn_report_build(&params, TN_REPORT_PNG, NULL));
}

static void
done(gpointer data)
{
  Job *job = data;
  Dialog *dialog = g_object_get_data(G_OBJECT(job->window), "dialog");
  if (dialog->is_closed)
    return;
  if (job->is_new) {
    dialog->facts = g_steal_pointer(&job->facts);
    job->is_new = false;
  }
  dialog->is_busy = false;
  tn_preview_show(&dialog->preview, job->texture);
  if (dialog->is_dirty)
    request(dialog);
}

static char *
dup_notes(Dialog *dialog)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(dialog->notes, &start, &end);
  return g_strchomp(gtk_text_buffer_get_text(dialog->notes, &start, &end, FALSE));
}

static bool
is_dark(Dialog *dialog)
{
  return gtk_drop_down_get_selected(GTK_DROP_DOWN(dialog->colors)) == 1;
}

/* One drawing at a time: the facts are borrowed by it. */
static void
request(Dialog *dialog)
{
  dialog->is_dirty = dialog->is_busy;
  if (dialog->is_busy)
    return;
  Job *job = g_new0(Job, 1);
  job->window = g_object_ref(dialog->window);
  job->content = tn_report_content_ref(dialog->content);
  job->facts = dialog->facts;
  job->notes = dup_notes(dialog);
  job->is_dark = is_dark(dialog);
  dialog->is_busy = true;
  tn_background_run(job, work, done, free_job);
}

static gboolean
on_time(gpointer data)
{
  ((Dialog *)data)->timer = 0;
  request(data);
  return G_SOURCE_REMOVE;
}

static void
on_notes_changed(GtkTextBuffer *buffer, Dialog *dialog)
{
  g_clear_handle_id(&dialog->timer, g_source_remove);
  dialog->timer = g_timeout_add(AFTER_KEYS, on_time, dialog);
}

static void
on_colors(GtkDropDown *drop, GParamSpec *pspec, Dialog *dialog)
{
  request(dialog);
}

/* ---- the form ----------------------------------------------------------------------------------
 */

static void
on_format(GtkDropDown *drop, GParamSpec *pspec, Dialog *dialog)
{
  bool has_more = gtk_drop_down_get_selected(drop) >= TN_REPORT_PDF;
  gtk_label_set_text(GTK_LABEL(dialog->more),
                     has_more ? _("This page, then the request that failed and all tables")
                              : _("This page"));
}

static void
save(Dialog *dialog)
{
  g_autofree char *notes = dup_notes(dialog);
  tn_report_save(dialog->parent, dialog->content,
                 (TnReportFormat)gtk_drop_down_get_selected(GTK_DROP_DOWN(dialog->format)), notes,
                 is_dark(dialog), dialog->toasts);
  gtk_window_destroy(GTK_WINDOW(dialog->window));
}

static GtkWidget *
make_notes(Dialog *dialog)
{
  GtkWidget *scroller = gtk_scrolled_window_new(), *view = gtk_text_view_new();
  dialog->notes = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
  gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_left_margin(GTK_TEXT_VIEW(view), 8);
  gtk_text_view_set_right_margin(GTK_TEXT_VIEW(view), 8);
  gtk_text_view_set_top_margin(GTK_TEXT_VIEW(view), 8);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Notes"),
                                 -1);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
  gtk_scrolled_window_set_has_frame(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_size_request(scroller, -1, 80);
  gtk_text_buffer_set_text(dialog->notes, dialog->content->notes, -1);
  g_signal_connect(dialog->notes, "changed", G_CALLBACK(on_notes_changed), dialog);
  return scroller;
}

static GtkWidget *
make_form(Dialog *dialog)
{
  const char *const formats[] = {_("PNG picture"), _("SVG drawing"), _("PDF document"),
                                 _("HTML page"), NULL};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  dialog->format = gtk_drop_down_new_from_strings(formats);
  dialog->colors = tn_dialog_colors_new();
  tn_view_name_drop_down(dialog->format, _("Format"));
  tn_view_name_drop_down(dialog->colors, _("Colours"));
  dialog->more = tn_dialog_caption_new(_("This page"));
  gtk_box_append(GTK_BOX(box), tn_dialog_heading_new(_("Format")));
  gtk_box_append(GTK_BOX(box), dialog->format);
  gtk_box_append(GTK_BOX(box), dialog->more);
  gtk_box_append(GTK_BOX(box), tn_dialog_heading_new(_("Colours")));
  gtk_box_append(GTK_BOX(box), dialog->colors);
  gtk_box_append(GTK_BOX(box), tn_dialog_heading_new(_("Notes")));
  gtk_box_append(GTK_BOX(box), make_notes(dialog));
  g_signal_connect(dialog->format, "notify::selected", G_CALLBACK(on_format), dialog);
  g_signal_connect(dialog->colors, "notify::selected", G_CALLBACK(on_colors), dialog);
  return box;
}

void
tn_report_dialog_show(GtkWindow *window, TnReportContent *content, AdwToastOverlay *toasts)
{
  Dialog *dialog = g_new0(Dialog, 1);
  dialog->content = content;
  dialog->parent = window;
  dialog->toasts = toasts;
  tn_preview_init(&dialog->preview, _("The report’s first page"));
  GtkWidget *across = tn_dialog_join(dialog->preview.overlay, make_form(dialog));
  dialog->window = tn_dialog_new(window, _("Report"), across, G_CALLBACK(save), dialog);
  g_object_set_data_full(G_OBJECT(dialog->window), "dialog", dialog, free_dialog);
  g_signal_connect(dialog->window, "destroy", G_CALLBACK(on_destroy), dialog);
  request(dialog);
  gtk_window_present(GTK_WINDOW(dialog->window));
}
