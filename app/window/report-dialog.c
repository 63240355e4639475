/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/report-dialog.h"

#include "app/window/background.h"
#include "app/window/report-save.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

#define PREVIEW_SCALE 0.6
#define AFTER_KEYS 300 /* ms without a key before the preview follows the notes */

typedef struct {
  GtkWidget *window, *picture, *spinner, *format, *colors, *more;
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
  g_autoptr(GByteArray) png = tn_report_build(&params, TN_REPORT_PNG, NULL);
  g_autoptr(GBytes) bytes = png ? g_byte_array_free_to_bytes(g_steal_pointer(&png)) : NULL;
  job->texture = bytes ? gdk_texture_new_from_bytes(bytes, NULL) : NULL;
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
  gtk_picture_set_paintable(GTK_PICTURE(dialog->picture), GDK_PAINTABLE(job->texture));
  gtk_spinner_stop(GTK_SPINNER(dialog->spinner));
  gtk_widget_set_visible(dialog->spinner, FALSE);
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
make_header(Dialog *dialog)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *cancel = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Cancel")));
  GtkWidget *save_button = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Save…")));
  gtk_widget_add_css_class(save_button, "suggested-action");
  adw_header_bar_set_show_end_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_set_show_start_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), cancel);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), save_button);
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(gtk_window_destroy), dialog->window);
  g_signal_connect_swapped(save_button, "clicked", G_CALLBACK(save), dialog);
  return header;
}

static GtkWidget *
label_new(const char *text)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, "heading");
  return label;
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
  const char *const colors[] = {_("Light"), _("Dark"), NULL};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  dialog->format = gtk_drop_down_new_from_strings(formats);
  dialog->colors = gtk_drop_down_new_from_strings(colors);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(dialog->colors),
                             adw_style_manager_get_dark(adw_style_manager_get_default()) ? 1 : 0);
  tn_view_name_drop_down(dialog->format, _("Format"));
  tn_view_name_drop_down(dialog->colors, _("Colours"));
  dialog->more = gtk_label_new(_("This page"));
  gtk_label_set_xalign(GTK_LABEL(dialog->more), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(dialog->more), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(dialog->more), 24);
  gtk_widget_add_css_class(dialog->more, "dim-label");
  gtk_widget_add_css_class(dialog->more, "caption");
  gtk_box_append(GTK_BOX(box), label_new(_("Format")));
  gtk_box_append(GTK_BOX(box), dialog->format);
  gtk_box_append(GTK_BOX(box), dialog->more);
  gtk_box_append(GTK_BOX(box), label_new(_("Colours")));
  gtk_box_append(GTK_BOX(box), dialog->colors);
  gtk_box_append(GTK_BOX(box), label_new(_("Notes")));
  gtk_box_append(GTK_BOX(box), make_notes(dialog));
  gtk_widget_set_size_request(box, 220, -1);
  g_signal_connect(dialog->format, "notify::selected", G_CALLBACK(on_format), dialog);
  g_signal_connect(dialog->colors, "notify::selected", G_CALLBACK(on_colors), dialog);
  return box;
}

static GtkWidget *
make_preview(Dialog *dialog)
{
  GtkWidget *overlay = gtk_overlay_new();
  dialog->picture = gtk_picture_new();
  dialog->spinner = gtk_spinner_new();
  gtk_picture_set_alternative_text(GTK_PICTURE(dialog->picture), _("The report’s first page"));
  gtk_widget_set_halign(dialog->spinner, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(dialog->spinner, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request(dialog->spinner, 32, 32);
  gtk_spinner_start(GTK_SPINNER(dialog->spinner));
  gtk_overlay_set_child(GTK_OVERLAY(overlay), dialog->picture);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), dialog->spinner);
  gtk_widget_set_hexpand(overlay, TRUE);
  gtk_widget_set_vexpand(overlay, TRUE);
  return overlay;
}

static gboolean
on_escape(GtkWidget *window, GVariant *arguments, gpointer data)
{
  gtk_window_destroy(GTK_WINDOW(window));
  return TRUE;
}

static void
add_escape(GtkWidget *window)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                       gtk_callback_action_new(on_escape, NULL, NULL)));
  gtk_widget_add_controller(window, keys);
}

void
tn_report_dialog_show(GtkWindow *window, TnReportContent *content, AdwToastOverlay *toasts)
{
  Dialog *dialog = g_new0(Dialog, 1);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *across = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  dialog->content = content;
  dialog->parent = window;
  dialog->toasts = toasts;
  dialog->window = adw_window_new();
  gtk_window_set_title(GTK_WINDOW(dialog->window), _("Report"));
  gtk_window_set_transient_for(GTK_WINDOW(dialog->window), window);
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog->window), TRUE);
  gtk_window_set_modal(GTK_WINDOW(dialog->window), TRUE);
  gtk_window_set_default_size(GTK_WINDOW(dialog->window), 960, 520);
  gtk_widget_set_margin_start(across, 12);
  gtk_widget_set_margin_end(across, 12);
  gtk_widget_set_margin_top(across, 12);
  gtk_widget_set_margin_bottom(across, 12);
  gtk_box_append(GTK_BOX(box), make_header(dialog));
  gtk_box_append(GTK_BOX(across), make_preview(dialog));
  gtk_box_append(GTK_BOX(across), make_form(dialog));
  gtk_box_append(GTK_BOX(box), across);
  adw_window_set_content(ADW_WINDOW(dialog->window), box);
  g_object_set_data_full(G_OBJECT(dialog->window), "dialog", dialog, free_dialog);
  g_signal_connect(dialog->window, "destroy", G_CALLBACK(on_destroy), dialog);
  add_escape(dialog->window);
  request(dialog);
  gtk_window_present(GTK_WINDOW(dialog->window));
}
