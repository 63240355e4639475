/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-canvas.h"

#include "app/window/diff-input.h"
#include "app/window/settings.h"

#include <adwaita.h>
#include <math.h>

struct _TnDiffCanvas {
  GtkWidget parent_instance;
  TnSession *a, *b;
  TnDiffPicture *picture; /* of the last job; read by one job at a time and by pointing */
  TnView shown;           /* ticks and places; its study is the picture's */
  TnDiffLayout layout;
  bool is_stale;          /* the picture is of other sides or another style */
  char *failure;
  GdkTexture *texture;
  int width, height; /* what is wanted */
  bool is_busy, is_dirty;
};

G_DEFINE_TYPE(TnDiffCanvas, tn_diff_canvas, GTK_TYPE_WIDGET)

typedef struct {
  TnSession *a, *b; /* owned references: keep the documents */
  TnStudy *study_a, *study_b;
  TnDiffPicture *picture; /* the canvas's; or made here, and then owned until handed over */
  bool owns_picture;
  TnDiffLayout layout;
  bool is_whole; /* nothing is zoomed yet */
  TnView shown;
  GError *error;
  int width, height;
  double scale;
  bool is_dark;
  TnUnits units;
} Job;

static void request(TnDiffCanvas *canvas);

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->owns_picture)
    g_clear_pointer(&job->picture, tn_diff_picture_unref);
  tn_study_unref(job->study_a);
  tn_study_unref(job->study_b);
  g_object_unref(job->a);
  g_object_unref(job->b);
  g_clear_error(&job->error);
  g_free(job);
}

/* ---- on a thread of its own ---------------------------------------------------------------------- */

static GdkTexture *
draw(const Job *job)
{
  int width = (int)ceil(job->width * job->scale), height = (int)ceil(job->height * job->scale);
  TnDiffPicture picture = *job->picture; /* the layout is this job's alone */
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_surface_set_device_scale(surface, job->scale, job->scale);
  cairo_t *cr = cairo_create(surface);
  TnPaint paint = {.cr = cr, .theme = &picture.theme, .scale = job->scale, .text_scale = 1.0};
  picture.layout = job->layout;
  tn_draw_diff_zoomed(&paint, &picture, &job->shown, (TnRect){0, 0, job->width, job->height},
                      job->units);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  gsize stride = (gsize)cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(
      cairo_image_surface_get_data(surface), stride * (gsize)height,
      (GDestroyNotify)cairo_surface_destroy, surface);
  return gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

/* The taller map's study, so that the places of both can be reached. */
static void
show_all(TnView *view, const TnDiffPicture *picture)
{
  bool is_a = picture->a->map->height > picture->b->map->height;
  tn_diff_view_init(view, picture, is_a ? TN_DIFF_A : TN_DIFF_B);
}

static void
compare(Job *job)
{
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  g_autoptr(TnDiff) diff = tn_diff_new(job->study_a, job->study_b, &params, &job->error);
  if (!diff)
    return;
  job->picture =
      tn_diff_picture_new(diff, job->is_dark ? tn_theme_dark() : tn_theme_light(), NULL, NULL);
  job->owns_picture = true;
  if (job->is_whole)
    show_all(&job->shown, job->picture);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  if (!job->picture)
    compare(job);
  g_task_return_pointer(task, job->picture ? draw(job) : NULL, g_object_unref);
}

/* ---- asking for it ------------------------------------------------------------------------------- */

static void
take_picture(TnDiffCanvas *canvas, Job *job)
{
  g_clear_pointer(&canvas->picture, tn_diff_picture_unref);
  canvas->picture = job->picture;
  job->owns_picture = false;
  canvas->is_stale = false;
  if (job->is_whole)
    canvas->shown = job->shown;
  else
    canvas->shown.study = canvas->picture->a->map->height > canvas->picture->b->map->height
                              ? canvas->picture->a
                              : canvas->picture->b;
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(source);
  Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GdkTexture) texture = g_task_propagate_pointer(G_TASK(result), NULL);
  bool is_wanted = job->a == canvas->a;
  canvas->is_busy = false;
  if (is_wanted && job->error) {
    g_free(canvas->failure);
    canvas->failure = g_strdup(job->error->message);
  }
  if (is_wanted && job->owns_picture)
    take_picture(canvas, job);
  if (is_wanted)
    g_set_object(&canvas->texture, texture);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  if (canvas->is_dirty)
    request(canvas);
}

static void
request(TnDiffCanvas *canvas)
{
  if (canvas->is_busy || !canvas->a || canvas->width < 8 || canvas->height < 8 || canvas->failure)
    return;
  Job *job = g_new0(Job, 1);
  job->a = g_object_ref(canvas->a);
  job->b = g_object_ref(canvas->b);
  job->study_a = tn_study_ref(tn_session_get_study(canvas->a));
  job->study_b = tn_study_ref(tn_session_get_study(canvas->b));
  job->picture = canvas->is_stale ? NULL : canvas->picture;
  job->is_whole = canvas->picture == NULL;
  job->shown = canvas->shown;
  job->layout = canvas->layout;
  job->width = canvas->width;
  job->height = canvas->height;
  job->scale = gtk_widget_get_scale_factor(GTK_WIDGET(canvas));
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->units = tn_settings_get_units();
  canvas->is_busy = true;
  canvas->is_dirty = false;
  g_autoptr(GTask) task = g_task_new(canvas, NULL, ready, NULL);
  g_task_set_task_data(task, job, free_job);
  g_task_run_in_thread(task, work);
}

void
tn_diff_canvas_invalidate(TnDiffCanvas *canvas)
{
  canvas->is_dirty = true;
  request(canvas);
}

static void
on_style(AdwStyleManager *manager, GParamSpec *pspec, TnDiffCanvas *canvas)
{
  canvas->is_stale = true;
  tn_diff_canvas_invalidate(canvas);
}

/* ---- what the pane and the input ask --------------------------------------------------------------- */

void
tn_diff_canvas_set_layout(TnDiffCanvas *canvas, TnDiffLayout layout)
{
  if (canvas->layout == layout)
    return;
  canvas->layout = layout;
  tn_diff_canvas_invalidate(canvas);
}

TnDiffLayout
tn_diff_canvas_get_layout(TnDiffCanvas *canvas)
{
  return canvas->layout;
}

bool
tn_diff_canvas_get_shown(TnDiffCanvas *canvas, TnDiffPicture *out_picture, TnView *out_shown)
{
  if (!canvas->picture || canvas->is_stale)
    return false;
  *out_picture = *canvas->picture;
  out_picture->layout = canvas->layout;
  *out_shown = canvas->shown;
  return true;
}

void
tn_diff_canvas_show(TnDiffCanvas *canvas, const TnView *shown)
{
  TnView view = *shown;
  tn_view_clamp(&view);
  if (view.t0 == canvas->shown.t0 && view.t1 == canvas->shown.t1 && view.p0 == canvas->shown.p0 &&
      view.p1 == canvas->shown.p1)
    return;
  canvas->shown = view;
  tn_diff_canvas_invalidate(canvas);
}

void
tn_diff_canvas_show_all(TnDiffCanvas *canvas)
{
  TnView view;
  if (!canvas->picture || canvas->is_stale)
    return;
  show_all(&view, canvas->picture);
  tn_diff_canvas_show(canvas, &view);
}

char *
tn_diff_canvas_build_title(TnDiffCanvas *canvas)
{
  g_autofree char *a = g_path_get_basename(tn_session_get_document(canvas->a)->path);
  g_autofree char *b = g_path_get_basename(tn_session_get_document(canvas->b)->path);
  return g_strdup_printf("%s ↔ %s", a, b);
}

void
tn_diff_canvas_swap(TnDiffCanvas *canvas)
{
  TnSession *a = canvas->a;
  canvas->a = canvas->b;
  canvas->b = a;
  canvas->is_stale = true;
  g_clear_object(&canvas->texture);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  tn_diff_canvas_invalidate(canvas);
}

/* ---- the widget ------------------------------------------------------------------------------------ */

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(widget);
  canvas->width = width;
  canvas->height = height;
  tn_diff_canvas_invalidate(canvas);
}

static void
show_words(TnDiffCanvas *canvas, GtkSnapshot *snapshot, const char *text)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(canvas), text);
  GdkRGBA color;
  int width, height;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(canvas)), &color);
  pango_layout_get_pixel_size(layout, &width, &height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot,
                         &GRAPHENE_POINT_INIT((float)MAX((canvas->width - width) / 2, 0),
                                              (float)MAX((canvas->height - height) / 2, 0)));
  gtk_snapshot_append_layout(snapshot, layout, &color);
  gtk_snapshot_restore(snapshot);
}

static void
snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(widget);
  if (!canvas->texture) {
    show_words(canvas, snapshot, canvas->failure ? canvas->failure : "Comparing…");
    return;
  }
  double scale = gtk_widget_get_scale_factor(widget);
  gtk_snapshot_append_texture(
      snapshot, canvas->texture,
      &GRAPHENE_RECT_INIT(0, 0, (float)(gdk_texture_get_width(canvas->texture) / scale),
                          (float)(gdk_texture_get_height(canvas->texture) / scale)));
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 1200 : 700;
  *minimum_baseline = *natural_baseline = -1;
}

/* Not in dispose: a job that holds the canvas may still read the picture. */
static void
finalize(GObject *object)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(object);
  g_clear_pointer(&canvas->picture, tn_diff_picture_unref);
  g_clear_object(&canvas->texture);
  g_clear_pointer(&canvas->failure, g_free);
  g_clear_object(&canvas->a);
  g_clear_object(&canvas->b);
  G_OBJECT_CLASS(tn_diff_canvas_parent_class)->finalize(object);
}

static void
tn_diff_canvas_class_init(TnDiffCanvasClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->size_allocate = allocate;
  widget_class->measure = measure;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tn_diff_canvas_init(TnDiffCanvas *canvas)
{
  gtk_widget_set_hexpand(GTK_WIDGET(canvas), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(canvas), TRUE);
  gtk_widget_set_focusable(GTK_WIDGET(canvas), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(canvas), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 "Two files compared", -1);
  tn_diff_input_add(canvas);
}

GtkWidget *
tn_diff_canvas_new(TnSession *a, TnSession *b)
{
  TnDiffCanvas *canvas = g_object_new(TN_TYPE_DIFF_CANVAS, NULL);
  canvas->a = g_object_ref(a);
  canvas->b = g_object_ref(b);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_style),
                          canvas, 0);
  return GTK_WIDGET(canvas);
}
