/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/picture-dialog.h"

#include "app/window/background.h"
#include "app/window/dialog-parts.h"
#include "app/window/picture-file.h"
#include "app/window/save-dialog.h"
#include "app/window/tip.h"

#include <glib/gi18n.h>

#define PREVIEW_WIDTH 960.0 /* pixels */
#define MOST_PIXELS 32767.0 /* of a side: cairo's */

/* As the form lists them, and the view of the page that shows each. */
static const struct {
  TnPicture picture;
  const char *title, *view;
  TnGraphPage page;
} pictures[] = {{TN_PICTURE_REPORT, N_("All maps"), "maps"},
                {TN_PICTURE_OFFSETS, N_("Offset map"), NULL},
                {TN_PICTURE_LIFETIMES, N_("Lifetime bars"), NULL},
                {TN_PICTURE_LIVE, N_("Live curve"), NULL},
                {TN_PICTURE_SKYLINE, N_("Skyline"), NULL},
                {TN_PICTURE_LIVE_SET, N_("Live set"), "live-set"},
                {TN_PICTURE_FLAME, N_("Call stacks"), "flame"},
                {TN_PICTURE_OOM, N_("Failed request"), "oom"},
                {TN_PICTURE_REPORT, N_("Orders"), "orders", TN_GRAPH_PAGE_ORDERS},
                {TN_PICTURE_REPORT, N_("Budget"), "budget", TN_GRAPH_PAGE_BUDGET}};

typedef struct {
  GtkWidget *window, *what, *part, *format, *width, *height, *scale, *colors, *words;
  TnPreview preview;
  GtkWindow *parent;
  AdwToastOverlay *toasts;
  TnReportContent *content;
  guint rows[G_N_ELEMENTS(pictures)]; /* of pictures, as `what` lists them */
  bool is_busy, is_dirty, is_closed;
} Dialog;

/* A picture to draw, for the preview or for a file. */
typedef struct {
  GtkWidget *window; /* owned reference: keeps the dialog; NULL: for a file */
  TnReportContent *content;
  TnPictureChoice choice;
  GdkTexture *texture;
} Job;

static void request(Dialog *dialog);

static void
free_dialog(gpointer data)
{
  Dialog *dialog = data;
  tn_report_content_unref(dialog->content);
  g_free(dialog);
}

static void
on_destroy(GtkWidget *window, Dialog *dialog)
{
  dialog->is_closed = true;
}

static guint
chosen(GtkWidget *drop)
{
  return gtk_drop_down_get_selected(GTK_DROP_DOWN(drop));
}

/* Without a range the list of parts has two. */
static TnPicturePart
chosen_part(Dialog *dialog)
{
  guint row = chosen(dialog->part);
  bool has_range = tn_picture_file_has_range(dialog->content);
  return row == 0 ? TN_PART_SHOWN : row == 1 && has_range ? TN_PART_RANGE : TN_PART_WHOLE;
}

static TnPictureChoice
choice_of(Dialog *dialog)
{
  guint row = dialog->what ? dialog->rows[chosen(dialog->what)] : 0;
  TnPictureChoice choice = {
      .picture = pictures[row].picture,
      .page = pictures[row].page,
      .part = chosen_part(dialog),
      .width = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(dialog->width)),
      .height = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(dialog->height)),
      .scale = chosen(dialog->scale) + 1.0,
      .is_dark = chosen(dialog->colors) == 1,
      .format = (TnExportFormat)chosen(dialog->format)};
  choice.scale = MIN(choice.scale, MOST_PIXELS / MAX(choice.width, choice.height));
  return choice;
}

/* ---- the preview -------------------------------------------------------------------------------
 */

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_report_content_unref(job->content);
  g_clear_object(&job->texture);
  g_clear_object(&job->window);
  g_free(job);
}

static Job *
job_new(Dialog *dialog)
{
  Job *job = g_new0(Job, 1);
  job->content = tn_report_content_ref(dialog->content);
  job->choice = choice_of(dialog);
  return job;
}

static void
work(gpointer data)
{
  Job *job = data;
  job->choice.scale = PREVIEW_WIDTH / MAX(job->choice.width, job->choice.height);
  job->texture = tn_preview_build_texture(
      tn_picture_file_build(job->content, &job->choice, TN_EXPORT_PNG, NULL));
}

static void
done(gpointer data)
{
  Job *job = data;
  Dialog *dialog = g_object_get_data(G_OBJECT(job->window), "dialog");
  if (dialog->is_closed)
    return;
  dialog->is_busy = false;
  tn_preview_show(&dialog->preview, job->texture);
  if (dialog->is_dirty)
    request(dialog);
}

static void
request(Dialog *dialog)
{
  dialog->is_dirty = dialog->is_busy;
  if (dialog->is_busy)
    return;
  Job *job = job_new(dialog);
  job->window = g_object_ref(dialog->window);
  dialog->is_busy = true;
  tn_background_run(job, work, done, free_job);
}

/* ---- the form ----------------------------------------------------------------------------------
 */

static void
on_changed(Dialog *dialog)
{
  TnPictureChoice choice = choice_of(dialog);
  g_autofree char *text = tn_picture_file_describe(dialog->content, &choice);
  gtk_label_set_text(GTK_LABEL(dialog->words), text);
  gtk_widget_set_sensitive(dialog->part, tn_picture_file_has_time(dialog->content, &choice));
  request(dialog);
}

static GBytes *
build(gpointer data, const char *path, GError **error)
{
  const Job *job = data;
  TnExportFormat format = job->choice.format;
  tn_export_format_from_path(path, &format);
  GByteArray *bytes = tn_picture_file_build(job->content, &job->choice, format, error);
  return bytes ? g_byte_array_free_to_bytes(bytes) : NULL;
}

static void
save(Dialog *dialog)
{
  static const char *const endings[] = {".png", ".svg", ".pdf"};
  Job *job = job_new(dialog);
  g_autofree char *base = tn_report_content_build_name(dialog->content);
  g_autofree char *name = g_strconcat(base, endings[job->choice.format], NULL);
  const TnSaveDialog ask = {.title = N_("Save Picture"), .name = name};
  tn_save_dialog_show(dialog->parent, dialog->toasts, &ask, build, job, free_job);
  gtk_window_destroy(GTK_WINDOW(dialog->window));
}

static GtkWidget *
drop_down(Dialog *dialog, const char *const *texts, guint selected)
{
  GtkWidget *drop = gtk_drop_down_new_from_strings(texts);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(drop), selected);
  g_signal_connect_swapped(drop, "notify::selected", G_CALLBACK(on_changed), dialog);
  return drop;
}

static void
append(GtkWidget *form, const char *title, GtkWidget *field)
{
  gtk_box_append(GTK_BOX(form), tn_dialog_heading_new(title));
  gtk_box_append(GTK_BOX(form), field);
  gtk_accessible_update_property(GTK_ACCESSIBLE(field), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
}

static void
append_what(Dialog *dialog, GtkWidget *form, const char *view)
{
  const char *titles[G_N_ELEMENTS(pictures) + 1] = {NULL};
  bool is_skyline = dialog->content->view.is_skyline;
  guint selected = 0, n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    if (!tn_picture_file_has_page(dialog->content, pictures[i].page))
      continue;
    if (g_strcmp0(pictures[i].view, view) == 0 && pictures[i].view)
      selected = n;
    if (is_skyline && g_strcmp0(view, "maps") == 0 && pictures[i].picture == TN_PICTURE_SKYLINE)
      selected = n;
    dialog->rows[n] = i;
    titles[n++] = _(pictures[i].title);
  }
  dialog->what = drop_down(dialog, titles, selected);
  append(form, _("Picture"), dialog->what);
}

static GtkWidget *
spin_new(Dialog *dialog, double least, double value, const char *label)
{
  GtkWidget *spin = gtk_spin_button_new_with_range(least, 16000, 10);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), value);
  gtk_editable_set_width_chars(GTK_EDITABLE(spin), 5);
  gtk_widget_set_hexpand(spin, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(spin), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  tn_tip_set(spin, label);
  g_signal_connect_swapped(spin, "value-changed", G_CALLBACK(on_changed), dialog);
  return spin;
}

static GtkWidget *
make_size(Dialog *dialog)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  dialog->width = spin_new(dialog, 320, 1600, _("Width"));
  dialog->height = spin_new(dialog, 200, 900, _("Height"));
  gtk_box_append(GTK_BOX(box), dialog->width);
  gtk_box_append(GTK_BOX(box), gtk_label_new("×"));
  gtk_box_append(GTK_BOX(box), dialog->height);
  return box;
}

static GtkWidget *
make_form(Dialog *dialog, const char *view)
{
  const char *const with_range[] = {_("What is shown"), _("The chosen range"), _("Everything"),
                                    NULL};
  const char *const without[] = {_("What is shown"), _("Everything"), NULL};
  const char *const formats[] = {_("PNG picture"), _("SVG drawing"), _("PDF document"), NULL};
  static const char *const scales[] = {"× 1", "× 2", "× 3", "× 4", NULL};
  GtkWidget *form = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  bool has_range = tn_picture_file_has_range(dialog->content);
  if (dialog->content->study)
    append_what(dialog, form, view);
  dialog->part = drop_down(dialog, has_range ? with_range : without, has_range ? 1 : 0);
  dialog->format = drop_down(dialog, formats, 0);
  dialog->scale = drop_down(dialog, scales, 1);
  dialog->colors = tn_dialog_colors_new();
  dialog->words = tn_dialog_caption_new("");
  g_signal_connect_swapped(dialog->colors, "notify::selected", G_CALLBACK(on_changed), dialog);
  append(form, _("Part"), dialog->part);
  append(form, _("Format"), dialog->format);
  append(form, _("Size"), make_size(dialog));
  append(form, _("Scale"), dialog->scale);
  append(form, _("Colours"), dialog->colors);
  gtk_box_append(GTK_BOX(form), dialog->words);
  return form;
}

bool
tn_picture_dialog_is_possible(const TnReportContent *content, const char *view)
{
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++)
    if (pictures[i].view && g_strcmp0(pictures[i].view, view) == 0)
      return tn_picture_file_has_page(content, pictures[i].page);
  return true;
}

void
tn_picture_dialog_show(GtkWindow *window,
                       TnReportContent *content,
                       const char *view,
                       AdwToastOverlay *toasts)
{
  Dialog *dialog = g_new0(Dialog, 1);
  dialog->content = content;
  dialog->parent = window;
  dialog->toasts = toasts;
  tn_preview_init(&dialog->preview, _("The picture as it will be"));
  GtkWidget *form = make_form(dialog, view);
  dialog->window =
      tn_dialog_new(window, _("Export Picture"), tn_dialog_join(dialog->preview.overlay, form),
                    G_CALLBACK(save), dialog);
  g_object_set_data_full(G_OBJECT(dialog->window), "dialog", dialog, free_dialog);
  g_signal_connect(dialog->window, "destroy", G_CALLBACK(on_destroy), dialog);
  on_changed(dialog);
  gtk_window_present(GTK_WINDOW(dialog->window));
}
