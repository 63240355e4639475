/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/overview-canvas.h"

#include "app/window/background.h"
#include "app/window/settings.h"
#include "app/window/texture.h"
#include "render/draw-multiples.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

struct _TnOverviewCanvas {
  GtkWidget parent_instance;
  GPtrArray *sessions; /* TnSession */
  uint32_t picked[2];
  guint focused; /* by the keyboard */
  GskRenderNode *node; /* the picture; the same one in all frames */
  int width, height;
  bool is_busy, is_dirty;
};

enum { PICKED, OPENED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_TYPE(TnOverviewCanvas, tn_overview_canvas, GTK_TYPE_WIDGET)

/* ---- drawing, on a thread of its own -----------------------------------------------------------
 */

typedef struct {
  TnOverviewCanvas *canvas; /* owned reference */
  GPtrArray *sessions; /* held: they keep the studies' documents */
  GPtrArray *studies;
  uint32_t picked[2];
  int width, height;
  double scale;
  bool is_dark;
  TnUnits units;
  cairo_surface_t *surface; /* what was drawn */
} Job;

static void request(TnOverviewCanvas *canvas);

static void
free_job(gpointer data)
{
  Job *job = data;
  g_ptr_array_unref(job->studies);
  g_ptr_array_unref(job->sessions);
  g_clear_pointer(&job->surface, cairo_surface_destroy);
  g_object_unref(job->canvas);
  g_free(job);
}

static void
draw(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Job *job = payload;
  TnMultiples multiples;
  tn_multiples_init(&multiples, (const TnStudy *const *)job->studies->pdata, job->studies->len,
                    job->units);
  multiples.selected[0] = job->picked[0];
  multiples.selected[1] = job->picked[1];
  tn_draw_multiples(paint, &multiples, rect);
}

static void
work(gpointer data)
{
  Job *job = data;
  const TnTheme *theme = job->is_dark ? tn_theme_dark() : tn_theme_light();
  job->surface = tn_texture_draw(job->width, job->height, job->scale, theme, draw, job);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnOverviewCanvas *canvas = job->canvas;
  canvas->is_busy = false;
  g_clear_pointer(&canvas->node, gsk_render_node_unref);
  canvas->node = tn_texture_node_new(GTK_WIDGET(canvas), job->surface);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  if (canvas->is_dirty)
    request(canvas);
}

static void
request(TnOverviewCanvas *canvas)
{
  canvas->is_dirty = canvas->is_busy;
  if (canvas->is_busy || canvas->width < 8 || canvas->height < 8 || canvas->sessions->len == 0)
    return;
  Job *job = g_new0(Job, 1);
  job->canvas = g_object_ref(canvas);
  job->sessions = g_ptr_array_copy(canvas->sessions, (GCopyFunc)(void (*)(void))g_object_ref, NULL);
  g_ptr_array_set_free_func(job->sessions, g_object_unref);
  job->studies = g_ptr_array_new_with_free_func((GDestroyNotify)tn_study_unref);
  for (guint i = 0; i < job->sessions->len; i++)
    g_ptr_array_add(job->studies,
                    tn_study_ref(tn_session_get_study(g_ptr_array_index(job->sessions, i))));
  job->picked[0] = canvas->picked[0];
  job->picked[1] = canvas->picked[1];
  job->width = canvas->width;
  job->height = canvas->height;
  job->scale = gtk_widget_get_scale_factor(GTK_WIDGET(canvas));
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->units = tn_settings_get_units();
  canvas->is_busy = true;
  tn_background_run(job, work, done, free_job);
}

void
tn_overview_canvas_invalidate(TnOverviewCanvas *canvas)
{
  request(canvas);
}

static void
on_style(AdwStyleManager *manager, GParamSpec *pspec, TnOverviewCanvas *canvas)
{
  request(canvas);
}

/* ---- what is where -----------------------------------------------------------------------------
 */

/* For places and the outlier alone; `out_studies` is owned by the caller and must outlive it. */
static TnMultiples
measure_multiples(TnOverviewCanvas *canvas, const TnStudy ***out_studies)
{
  TnMultiples multiples;
  guint n = canvas->sessions->len;
  *out_studies = g_new(const TnStudy *, MAX(n, 1u));
  for (guint i = 0; i < n; i++)
    (*out_studies)[i] = tn_session_get_study(g_ptr_array_index(canvas->sessions, i));
  tn_multiples_init(&multiples, *out_studies, n, tn_settings_get_units());
  return multiples;
}

TnRect
tn_overview_canvas_get_cell(TnOverviewCanvas *canvas, guint i)
{
  g_autofree const TnStudy **studies = NULL;
  TnMultiples multiples = measure_multiples(canvas, &studies);
  return tn_multiples_cell(&multiples, (TnRect){0, 0, canvas->width, canvas->height}, i);
}

uint32_t
tn_overview_canvas_get_outlier(TnOverviewCanvas *canvas)
{
  g_autofree const TnStudy **studies = NULL;
  return measure_multiples(canvas, &studies).outlier;
}

static uint32_t
hit(TnOverviewCanvas *canvas, double x, double y)
{
  g_autofree const TnStudy **studies = NULL;
  TnMultiples multiples = measure_multiples(canvas, &studies);
  return tn_multiples_hit(&multiples, (TnRect){0, 0, canvas->width, canvas->height}, x, y);
}

static char *
describe(TnOverviewCanvas *canvas, guint i)
{
  const TnStudy *study = tn_session_get_study(tn_overview_canvas_get(canvas, i));
  char count[32];
  g_autofree char *peak = tn_format_bytes(study->live->peak, tn_settings_get_units());
  g_autofree char *text =
      tn_view_has_live(study)
          ? g_strdup_printf(ngettext("%s\nlive peak %s · %s buffer", "%s\nlive peak %s · %s buffers",
                                     study->buffers->n),
                            study->document->shown_path, peak,
                            tn_print_count(count, sizeof count, study->buffers->n))
          : g_strdup_printf("%s\n%s", study->document->shown_path, _("no buffers"));
  return i == tn_overview_canvas_get_outlier(canvas)
             ? g_strconcat(text, "\n", _("not like the others"), NULL)
             : g_steal_pointer(&text);
}

/* ---- picking -----------------------------------------------------------------------------------
 */

/* A first, then B; both are there: B is another.  One that is picked is let go. */
static void
pick(TnOverviewCanvas *canvas, uint32_t i)
{
  uint32_t *picked = canvas->picked;
  if (i >= canvas->sessions->len)
    return;
  canvas->focused = i;
  if (picked[0] == i)
    picked[0] = TN_NONE;
  else if (picked[1] == i)
    picked[1] = TN_NONE;
  else
    picked[picked[0] == TN_NONE ? 0 : 1] = i;
  request(canvas);
  g_signal_emit(canvas, signals[PICKED], 0);
}

static void
on_pressed(GtkGestureClick *gesture, int n, double x, double y, TnOverviewCanvas *canvas)
{
  uint32_t i = hit(canvas, x, y);
  gtk_widget_grab_focus(GTK_WIDGET(canvas));
  if (i == TN_NONE)
    return;
  pick(canvas, i); /* the second press of two takes back what the first did */
  if (n == 2)
    g_signal_emit(canvas, signals[OPENED], 0, i);
}

/* The cell above or below is the nearest one that begins as far left. */
static guint
step_vertically(TnOverviewCanvas *canvas, int direction)
{
  TnRect from = tn_overview_canvas_get_cell(canvas, canvas->focused);
  for (int64_t i = (int64_t)canvas->focused + direction; i >= 0 && i < canvas->sessions->len;
       i += direction)
    if (fabs(tn_overview_canvas_get_cell(canvas, (guint)i).x - from.x) < 1.0)
      return (guint)i;
  return canvas->focused;
}

static gboolean
on_key(GtkEventControllerKey *controller,
       guint key,
       guint code,
       GdkModifierType state,
       TnOverviewCanvas *canvas)
{
  guint n = canvas->sessions->len, focused = canvas->focused;
  if (n == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  if (key == GDK_KEY_Left)
    focused = focused ? focused - 1 : 0;
  else if (key == GDK_KEY_Right)
    focused = MIN(focused + 1, n - 1);
  else if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    focused = step_vertically(canvas, key == GDK_KEY_Up ? -1 : 1);
  else if (key == GDK_KEY_space)
    pick(canvas, focused);
  else if (key == GDK_KEY_Return)
    g_signal_emit(canvas, signals[OPENED], 0, focused);
  else
    return FALSE;
  canvas->focused = focused;
  g_autofree char *text = describe(canvas, focused);
  gtk_accessible_update_property(GTK_ACCESSIBLE(canvas), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 -1);
  gtk_widget_queue_draw(GTK_WIDGET(canvas));
  return TRUE;
}

static gboolean
on_tooltip(
    GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, gpointer data)
{
  TnOverviewCanvas *canvas = TN_OVERVIEW_CANVAS(widget);
  uint32_t i = is_keyboard ? canvas->focused : hit(canvas, x, y);
  if (i >= canvas->sessions->len)
    return FALSE;
  g_autofree char *text = describe(canvas, i);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

/* ---- what the overview asks --------------------------------------------------------------------
 */

void
tn_overview_canvas_add(TnOverviewCanvas *canvas, TnSession *session)
{
  g_ptr_array_add(canvas->sessions, g_object_ref(session));
  request(canvas);
}

TnSession *
tn_overview_canvas_get(TnOverviewCanvas *canvas, guint i)
{
  return g_ptr_array_index(canvas->sessions, i);
}

guint
tn_overview_canvas_count(TnOverviewCanvas *canvas)
{
  return canvas->sessions->len;
}

uint32_t
tn_overview_canvas_get_picked(TnOverviewCanvas *canvas, int side)
{
  return canvas->picked[side];
}

/* ---- the widget --------------------------------------------------------------------------------
 */

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnOverviewCanvas *canvas = TN_OVERVIEW_CANVAS(widget);
  canvas->width = width;
  canvas->height = height;
  request(canvas);
}

static void
snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnOverviewCanvas *canvas = TN_OVERVIEW_CANVAS(widget);
  if (!canvas->node)
    return;
  gtk_snapshot_append_node(snapshot, canvas->node);
  if (!gtk_widget_has_visible_focus(widget) || canvas->focused >= canvas->sessions->len)
    return;
  TnRect r = tn_overview_canvas_get_cell(canvas, canvas->focused);
  gtk_snapshot_render_focus(snapshot, gtk_widget_get_style_context(widget), r.x - 2, r.y - 2,
                            r.width + 4, r.height + 4);
}

static void
measure(GtkWidget *widget,
        GtkOrientation orientation,
        int for_size,
        int *minimum,
        int *natural,
        int *minimum_baseline,
        int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 1200 : 700;
  *minimum_baseline = *natural_baseline = -1;
}

static void
finalize(GObject *object)
{
  TnOverviewCanvas *canvas = TN_OVERVIEW_CANVAS(object);
  g_clear_pointer(&canvas->node, gsk_render_node_unref);
  g_ptr_array_unref(canvas->sessions);
  G_OBJECT_CLASS(tn_overview_canvas_parent_class)->finalize(object);
}

static void
tn_overview_canvas_class_init(TnOverviewCanvasClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->size_allocate = allocate;
  widget_class->measure = measure;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[PICKED] = g_signal_new("picked", TN_TYPE_OVERVIEW_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  signals[OPENED] = g_signal_new("opened", TN_TYPE_OVERVIEW_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
tn_overview_canvas_init(TnOverviewCanvas *canvas)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkGesture *press = gtk_gesture_click_new();
  canvas->sessions = g_ptr_array_new_with_free_func(g_object_unref);
  canvas->picked[0] = canvas->picked[1] = TN_NONE;
  gtk_widget_set_hexpand(GTK_WIDGET(canvas), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(canvas), TRUE);
  gtk_widget_set_focusable(GTK_WIDGET(canvas), TRUE);
  gtk_widget_set_has_tooltip(GTK_WIDGET(canvas), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(canvas), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Files beside each other"), -1);
  g_signal_connect(canvas, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), canvas);
  g_signal_connect(press, "pressed", G_CALLBACK(on_pressed), canvas);
  gtk_widget_add_controller(GTK_WIDGET(canvas), keys);
  gtk_widget_add_controller(GTK_WIDGET(canvas), GTK_EVENT_CONTROLLER(press));
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_style),
                          canvas, 0);
}

GtkWidget *
tn_overview_canvas_new(void)
{
  return g_object_new(TN_TYPE_OVERVIEW_CANVAS, NULL);
}
