/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-canvas.h"

#include "app/window/background.h"
#include "app/window/diff-input.h"
#include "app/window/settings.h"
#include "app/window/texture.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#define N_LAYOUTS (TN_DIFF_ONLY_B + 1)

struct _TnDiffCanvas {
  GtkWidget parent_instance;
  TnDiffModel *model;
  TnDiffPicture *picture; /* the model's, as last seen; owned */
  TnView shown;           /* ticks and places; its study is the picture's */
  TnDiffLayout layout, wanted; /* wanted: what to draw next */
  GskRenderNode *nodes[N_LAYOUTS]; /* pictures; NULL: not drawn yet, or what it shows has changed */
  GskRenderNode *last;             /* stays until there is another */
  int width, height;               /* what is wanted */
  bool is_busy;
  guint version; /* of what the pictures show */
};

G_DEFINE_TYPE(TnDiffCanvas, tn_diff_canvas, GTK_TYPE_WIDGET)

typedef struct {
  TnDiffCanvas *canvas;   /* owned reference */
  TnDiffPicture *picture; /* owned */
  GBytes *match[2];       /* owned; may be NULL */
  tn_index selected[2];
  TnDiffLayout layout;
  TnView shown;
  int width, height;
  double scale;
  bool is_dark;
  TnUnits units;
  guint version;
  cairo_surface_t *surface; /* what was drawn */
} Job;

static void request(TnDiffCanvas *canvas);

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_diff_picture_unref(job->picture);
  g_clear_pointer(&job->match[0], g_bytes_unref);
  g_clear_pointer(&job->match[1], g_bytes_unref);
  g_clear_pointer(&job->surface, cairo_surface_destroy);
  g_object_unref(job->canvas);
  g_free(job);
}

/* ---- on a thread of its own ---------------------------------------------------------------------- */

/* One more name for the picture's parts, with what this drawing marks. */
static TnDiffPicture
mark(const Job *job)
{
  TnDiffPicture picture = *job->picture;
  picture.layout = job->layout;
  picture.is_bare = true;
  tn_diff_theme_init(&picture.theme, job->is_dark ? tn_theme_dark() : tn_theme_light());
  for (int i = 0; i < 2; i++) {
    picture.match[i] = job->match[i] ? g_bytes_get_data(job->match[i], NULL) : NULL;
    picture.selected[i] = job->selected[i];
  }
  return picture;
}

typedef struct {
  const TnDiffPicture *picture;
  const Job *job;
} Drawing;

static void
draw(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Drawing *drawing = payload;
  tn_draw_diff_zoomed(paint, drawing->picture, &drawing->job->shown, rect, drawing->job->units);
}

static void
work(gpointer data)
{
  Job *job = data;
  TnDiffPicture picture = mark(job);
  Drawing drawing = {&picture, job};
  job->surface =
      tn_texture_draw(job->width, job->height, job->scale, &picture.theme, draw, &drawing);
}

/* ---- asking for it ------------------------------------------------------------------------------- */

static void
set_node(GskRenderNode **place, GskRenderNode *node)
{
  GskRenderNode *gone = *place;
  *place = node ? gsk_render_node_ref(node) : NULL;
  g_clear_pointer(&gone, gsk_render_node_unref);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnDiffCanvas *canvas = job->canvas;
  canvas->is_busy = false;
  g_autoptr(GskRenderNode) node = tn_texture_node_new(GTK_WIDGET(canvas), job->surface);
  if (job->version == canvas->version)
    set_node(&canvas->nodes[job->layout], node);
  if (job->layout == canvas->layout && canvas->picture)
    set_node(&canvas->last, node);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  request(canvas);
}

static Job *
new_job(TnDiffCanvas *canvas, TnDiffLayout layout)
{
  Job *job = g_new0(Job, 1);
  const TnDiff *diff = canvas->picture->diff;
  uint32_t pair = tn_diff_model_get_selected(canvas->model);
  job->canvas = g_object_ref(canvas);
  job->picture = tn_diff_picture_ref(canvas->picture);
  for (int i = 0; i < 2; i++) {
    GBytes *match = tn_diff_model_get_match(canvas->model, (TnDiffSide)i);
    job->match[i] = match ? g_bytes_ref(match) : NULL;
  }
  job->selected[0] = pair == TN_NONE ? TN_NONE : diff->pairs[pair].a;
  job->selected[1] = pair == TN_NONE ? TN_NONE : diff->pairs[pair].b;
  job->shown = canvas->shown;
  job->layout = layout;
  job->width = canvas->width;
  job->height = canvas->height;
  job->scale = gtk_widget_get_scale_factor(GTK_WIDGET(canvas));
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->units = tn_settings_get_units();
  job->version = canvas->version;
  return job;
}

/* What is shown first, then what may be shown next. */
static void
request(TnDiffCanvas *canvas)
{
  TnDiffLayout layout = canvas->nodes[canvas->layout] ? canvas->wanted : canvas->layout;
  if (canvas->is_busy || !canvas->picture || canvas->width < 8 || canvas->height < 8 ||
      canvas->nodes[layout])
    return;
  canvas->is_busy = true;
  tn_background_run(new_job(canvas, layout), work, done, free_job);
}

static void
invalidate(TnDiffCanvas *canvas)
{
  canvas->version++;
  canvas->wanted = canvas->layout;
  for (int i = 0; i < N_LAYOUTS; i++)
    set_node(&canvas->nodes[i], NULL);
  request(canvas);
}

/* The taller map's study, so that the places of both can be reached. */
static void
show_whole(TnDiffCanvas *canvas)
{
  const TnDiffPicture *picture = canvas->picture;
  bool is_a = picture->a->map->height > picture->b->map->height;
  tn_diff_view_init(&canvas->shown, picture, is_a ? TN_DIFF_A : TN_DIFF_B);
}

/* Pairs set by hand leave the eye where it was. */
static void
on_compared(TnDiffModel *model, TnDiffCanvas *canvas)
{
  TnDiffPicture *picture = tn_diff_model_get_picture(model);
  TnView old = canvas->shown;
  bool is_first = canvas->picture == NULL;
  g_clear_pointer(&canvas->picture, tn_diff_picture_unref);
  if (picture) {
    canvas->picture = tn_diff_picture_ref(picture);
    show_whole(canvas);
  } else {
    set_node(&canvas->last, NULL);
  }
  if (picture && !is_first) {
    canvas->shown.t0 = old.t0;
    canvas->shown.t1 = old.t1;
    canvas->shown.p0 = old.p0;
    canvas->shown.p1 = old.p1;
    tn_view_clamp(&canvas->shown);
  }
  invalidate(canvas);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
}

static void
describe_selection(TnDiffCanvas *canvas)
{
  const TnDiff *diff = tn_diff_model_get_diff(canvas->model);
  uint32_t pair = tn_diff_model_get_selected(canvas->model);
  g_autofree char *text = diff && pair != TN_NONE ? tn_diff_input_describe(diff, pair)
                                                  : g_strdup(_("Nothing is selected"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(canvas), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 -1);
}

static void
on_marks_changed(TnDiffModel *model, TnDiffCanvas *canvas)
{
  describe_selection(canvas);
  invalidate(canvas);
}

static void
on_cursor_changed(TnDiffModel *model, TnDiffCanvas *canvas)
{
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
}

static void
on_style(AdwStyleManager *manager, GParamSpec *pspec, TnDiffCanvas *canvas)
{
  invalidate(canvas);
}

/* ---- what the pane and the input ask --------------------------------------------------------------- */

TnDiffModel *
tn_diff_canvas_get_model(TnDiffCanvas *canvas)
{
  return canvas->model;
}

void
tn_diff_canvas_set_layout(TnDiffCanvas *canvas, TnDiffLayout layout)
{
  if (canvas->layout == layout)
    return;
  canvas->layout = canvas->wanted = layout;
  if (canvas->nodes[layout])
    set_node(&canvas->last, canvas->nodes[layout]);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  request(canvas);
}

TnDiffLayout
tn_diff_canvas_get_layout(TnDiffCanvas *canvas)
{
  return canvas->layout;
}

void
tn_diff_canvas_prepare(TnDiffCanvas *canvas, TnDiffLayout layout)
{
  canvas->wanted = layout;
  request(canvas);
}

bool
tn_diff_canvas_get_shown(TnDiffCanvas *canvas, TnDiffPicture *out_picture, TnView *out_shown)
{
  if (!canvas->picture)
    return false;
  *out_picture = *canvas->picture;
  out_picture->layout = canvas->layout;
  out_picture->is_bare = true;
  *out_shown = canvas->shown;
  return true;
}

bool
tn_diff_canvas_is_drawn(TnDiffCanvas *canvas)
{
  return canvas->nodes[canvas->layout] != NULL;
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
  invalidate(canvas);
}

void
tn_diff_canvas_show_all(TnDiffCanvas *canvas)
{
  if (!canvas->picture)
    return;
  show_whole(canvas);
  invalidate(canvas);
}

/* ---- the widget ------------------------------------------------------------------------------------ */

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(widget);
  if (canvas->width == width && canvas->height == height)
    return;
  canvas->width = width;
  canvas->height = height;
  invalidate(canvas);
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

/* One line through all pictures: they have one axis. */
static void
show_cursor(TnDiffCanvas *canvas, GtkSnapshot *snapshot)
{
  TnDiffPicture picture;
  TnView view;
  double cursor = tn_diff_model_get_cursor(canvas->model);
  if (!tn_diff_canvas_get_shown(canvas, &picture, &view) || cursor < view.t0 || cursor > view.t1)
    return;
  TnRect plots = tn_diff_page_plots(&picture, (TnRect){0, 0, canvas->width, canvas->height});
  GdkRGBA color;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(canvas)), &color);
  color.alpha = 0.55f;
  gtk_snapshot_append_color(snapshot, &color,
                            &GRAPHENE_RECT_INIT((float)floor(tn_view_x(&view, plots, cursor)),
                                                (float)plots.y, 1.0f, (float)plots.height));
}

static void
snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(widget);
  if (!canvas->last) {
    const char *failure = tn_diff_model_get_failure(canvas->model);
    show_words(canvas, snapshot, failure ? failure : _("Comparing…"));
    return;
  }
  gtk_snapshot_append_node(snapshot, canvas->last);
  show_cursor(canvas, snapshot);
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 200;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 900 : 480;
  *minimum_baseline = *natural_baseline = -1;
}

static void
finalize(GObject *object)
{
  TnDiffCanvas *canvas = TN_DIFF_CANVAS(object);
  g_clear_pointer(&canvas->picture, tn_diff_picture_unref);
  set_node(&canvas->last, NULL);
  for (int i = 0; i < N_LAYOUTS; i++)
    set_node(&canvas->nodes[i], NULL);
  g_object_unref(canvas->model);
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
                                 _("Two files compared"), -1);
  tn_diff_input_add(canvas);
}

GtkWidget *
tn_diff_canvas_new(TnDiffModel *model)
{
  TnDiffCanvas *canvas = g_object_new(TN_TYPE_DIFF_CANVAS, NULL);
  canvas->model = g_object_ref(model);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_style),
                          canvas, 0);
  g_signal_connect_object(model, "compared", G_CALLBACK(on_compared), canvas, 0);
  g_signal_connect_object(model, "filter-changed", G_CALLBACK(on_marks_changed), canvas, 0);
  g_signal_connect_object(model, "selection-changed", G_CALLBACK(on_marks_changed), canvas, 0);
  g_signal_connect_object(model, "units-changed", G_CALLBACK(on_marks_changed), canvas, 0);
  g_signal_connect_object(model, "cursor-changed", G_CALLBACK(on_cursor_changed), canvas, 0);
  describe_selection(canvas);
  return GTK_WIDGET(canvas);
}
