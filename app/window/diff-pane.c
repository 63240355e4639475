/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-pane.h"

#include "app/window/settings.h"
#include "render/draw-diff.h"

#include <adwaita.h>
#include <math.h>

struct _TnDiffPane {
  GtkWidget parent_instance;
  TnSession *a, *b;
  TnDiff *diff;
  char *failure;
  GdkTexture *texture;
  int width, height; /* what the texture is of, and what is wanted */
  bool is_busy, is_dirty;
};

G_DEFINE_TYPE(TnDiffPane, tn_diff_pane, GTK_TYPE_WIDGET)

typedef struct {
  TnSession *a, *b;         /* owned references: keep the documents */
  TnStudy *study_a, *study_b;
  TnDiff *diff; /* owned reference; made here the first time */
  GError *error;
  int width, height;
  double scale;
  bool is_dark;
  TnUnits units;
} Job;

static void request(TnDiffPane *view);

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->diff)
    tn_diff_unref(job->diff);
  tn_study_unref(job->study_a);
  tn_study_unref(job->study_b);
  g_object_unref(job->a);
  g_object_unref(job->b);
  g_clear_error(&job->error);
  g_free(job);
}

static GdkTexture *
draw(const Job *job)
{
  int width = (int)ceil(job->width * job->scale), height = (int)ceil(job->height * job->scale);
  const TnTheme *theme = job->is_dark ? tn_theme_dark() : tn_theme_light();
  g_autoptr(TnDiffPicture) picture = tn_diff_picture_new(job->diff, theme, NULL, NULL);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_surface_set_device_scale(surface, job->scale, job->scale);
  cairo_t *cr = cairo_create(surface);
  TnPaint paint = {.cr = cr, .theme = theme, .scale = job->scale, .text_scale = 1.0};
  tn_draw_diff(&paint, picture, (TnRect){0, 0, job->width, job->height}, job->units);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  gsize stride = (gsize)cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(
      cairo_image_surface_get_data(surface), stride * (gsize)height,
      (GDestroyNotify)cairo_surface_destroy, surface);
  return gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  if (!job->diff)
    job->diff = tn_diff_new(job->study_a, job->study_b, &params, &job->error);
  g_task_return_pointer(task, job->diff ? draw(job) : NULL, g_object_unref);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  TnDiffPane *view = TN_DIFF_PANE(source);
  Job *job = g_task_get_task_data(G_TASK(result));
  GdkTexture *texture = g_task_propagate_pointer(G_TASK(result), NULL);
  view->is_busy = false;
  if (job->error) {
    g_free(view->failure);
    view->failure = g_strdup(job->error->message);
  }
  if (!view->diff && job->diff && job->a == view->a)
    view->diff = tn_diff_ref(job->diff);
  if (job->a == view->a)
    g_set_object(&view->texture, texture);
  g_clear_object(&texture);
  gtk_widget_queue_draw(GTK_WIDGET(view));
  if (view->is_dirty)
    request(view);
}

static void
request(TnDiffPane *view)
{
  if (view->is_busy || view->width < 8 || view->height < 8 || view->failure)
    return;
  Job *job = g_new0(Job, 1);
  job->a = g_object_ref(view->a);
  job->b = g_object_ref(view->b);
  job->study_a = tn_study_ref(tn_session_get_study(view->a));
  job->study_b = tn_study_ref(tn_session_get_study(view->b));
  job->diff = view->diff ? tn_diff_ref(view->diff) : NULL;
  job->width = view->width;
  job->height = view->height;
  job->scale = gtk_widget_get_scale_factor(GTK_WIDGET(view));
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->units = tn_settings_get_units();
  view->is_busy = true;
  view->is_dirty = false;
  g_autoptr(GTask) task = g_task_new(view, NULL, ready, NULL);
  g_task_set_task_data(task, job, free_job);
  g_task_run_in_thread(task, work);
}

static void
invalidate(TnDiffPane *view)
{
  view->is_dirty = true;
  request(view);
}

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnDiffPane *view = TN_DIFF_PANE(widget);
  view->width = width;
  view->height = height;
  invalidate(view);
}

static void
show_words(TnDiffPane *view, GtkSnapshot *snapshot, const char *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(view), text);
  GdkRGBA color;
  int width, height;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(view)), &color);
  pango_layout_get_pixel_size(layout, &width, &height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot,
                         &GRAPHENE_POINT_INIT((float)MAX((view->width - width) / 2, 0),
                                              (float)MAX((view->height - height) / 2, 0)));
  gtk_snapshot_append_layout(snapshot, layout, &color);
  gtk_snapshot_restore(snapshot);
  g_object_unref(layout);
}

static void
snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnDiffPane *view = TN_DIFF_PANE(widget);
  if (view->texture) {
    double scale = gtk_widget_get_scale_factor(widget);
    gtk_snapshot_append_texture(
        snapshot, view->texture,
        &GRAPHENE_RECT_INIT(0, 0, (float)(gdk_texture_get_width(view->texture) / scale),
                            (float)(gdk_texture_get_height(view->texture) / scale)));
  } else {
    show_words(view, snapshot, view->failure ? view->failure : "Comparing…");
  }
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 1200 : 700;
  *minimum_baseline = *natural_baseline = -1;
}

static void
on_style(AdwStyleManager *manager, GParamSpec *pspec, TnDiffPane *view)
{
  invalidate(view);
}

char *
tn_diff_pane_build_title(TnDiffPane *view)
{
  g_autofree char *a = g_path_get_basename(tn_session_get_document(view->a)->path);
  g_autofree char *b = g_path_get_basename(tn_session_get_document(view->b)->path);
  return g_strdup_printf("%s ↔ %s", a, b);
}

void
tn_diff_pane_swap(TnDiffPane *view)
{
  TnSession *a = view->a;
  view->a = view->b;
  view->b = a;
  g_clear_pointer(&view->diff, tn_diff_unref);
  g_clear_object(&view->texture);
  gtk_widget_queue_draw(GTK_WIDGET(view));
  invalidate(view);
}

static void
dispose(GObject *object)
{
  TnDiffPane *view = TN_DIFF_PANE(object);
  g_clear_object(&view->texture);
  g_clear_pointer(&view->diff, tn_diff_unref);
  g_clear_pointer(&view->failure, g_free);
  g_clear_object(&view->a);
  g_clear_object(&view->b);
  G_OBJECT_CLASS(tn_diff_pane_parent_class)->dispose(object);
}

static void
tn_diff_pane_class_init(TnDiffPaneClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget_class->snapshot = snapshot_view;
  widget_class->size_allocate = allocate;
  widget_class->measure = measure;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tn_diff_pane_init(TnDiffPane *view)
{
  gtk_widget_set_hexpand(GTK_WIDGET(view), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(view), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 "Two files compared", -1);
}

GtkWidget *
tn_diff_pane_new(TnSession *a, TnSession *b)
{
  TnDiffPane *view = g_object_new(TN_TYPE_DIFF_PANE, NULL);
  view->a = g_object_ref(a);
  view->b = g_object_ref(b);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_style),
                          view, 0);
  return GTK_WIDGET(view);
}
