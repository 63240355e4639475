/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps.h"

#include "app/window/axis-words.h"
#include "app/window/background.h"
#include "app/window/settings.h"
#include "app/window/texture.h"
#include "app/window/view-parts.h"
#include "app/window/watchdog.h"
#include "app/window/maps-input.h"
#include "app/window/maps-private.h"
#include "render/draw.h"
#include "render/parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

G_DEFINE_TYPE(TnMaps, tn_maps, GTK_TYPE_WIDGET)

/* ---- the picture, drawn elsewhere ------------------------------------------------------------- */

static void start_job(TnMaps *maps);

static char *
system_font(GtkWidget *widget, double *out_scale)
{
  g_autofree char *name = NULL;
  g_object_get(gtk_widget_get_settings(widget), "gtk-font-name", &name, NULL);
  PangoFontDescription *font = pango_font_description_from_string(name ? name : "Sans 11");
  *out_scale = tn_settings_get_text_scale();
  const char *family = pango_font_description_get_family(font);
  char *list = g_strdup_printf("%s,Cantarell,Noto Sans,DejaVu Sans,sans-serif",
                               family ? family : "Sans");
  pango_font_description_free(font);
  return list;
}

typedef struct {
  TnMaps *maps; /* owned reference */
  TnMapsJob job;
  cairo_surface_t *surface;
  gint64 asked; /* monotonic µs */
  double cpu;   /* ms */
} Drawing;

static void
work(gpointer data)
{
  Drawing *drawing = data;
  double from = tn_watchdog_thread_ms() + tn_parts_helped_ms();
  drawing->surface = tn_maps_job_render(&drawing->job);
  drawing->cpu = tn_watchdog_thread_ms() + tn_parts_helped_ms() - from;
}

static void
free_drawing(gpointer data)
{
  Drawing *drawing = data;
  tn_maps_job_clear(&drawing->job);
  g_clear_pointer(&drawing->surface, cairo_surface_destroy);
  g_object_unref(drawing->maps);
  g_free(drawing);
}

static void
done(gpointer data)
{
  Drawing *drawing = data;
  TnMaps *maps = drawing->maps;
  bool is_stopped = g_atomic_int_get(&drawing->job.is_stopped);
  maps->is_drawing = false;
  maps->is_stopped = NULL;
  if (!maps->session)
    return;
  if (is_stopped) {
    start_job(maps);
    return;
  }
  g_clear_pointer(&maps->node, gsk_render_node_unref);
  g_clear_pointer(&maps->surface, cairo_surface_destroy);
  maps->surface = g_steal_pointer(&drawing->surface);
  maps->node = tn_texture_node_new(GTK_WIDGET(maps), maps->surface);
  maps->drawn_view = drawing->job.view;
  tn_watchdog_note_picture(drawing->asked, drawing->cpu);
  maps->drawn_layout = drawing->job.layout;
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  maps->waiting = maps->asked;
  if (maps->is_dirty)
    start_job(maps);
}

static void
start_job(TnMaps *maps)
{
  GtkWidget *widget = GTK_WIDGET(maps);
  if (maps->is_drawing || !maps->session || maps->layout.width < 8 || maps->layout.height < 8)
    return;
  Drawing *drawing = g_new0(Drawing, 1);
  TnMapsJob *job = &drawing->job;
  GBytes *match = tn_session_get_match(maps->session);
  job->view = *tn_session_get_view(maps->session);
  job->layout = maps->layout;
  job->scale = gtk_widget_get_scale_factor(widget);
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->font = system_font(widget, &job->text_scale);
  job->match = match ? g_bytes_ref(match) : NULL;
  job->session = g_object_ref(maps->session);
  job->study = tn_study_ref(tn_session_get_study(maps->session));
  maps->is_drawing = true;
  maps->is_dirty = false;
  maps->is_stopped = &job->is_stopped;
  drawing->maps = g_object_ref(maps);
  drawing->asked = maps->asked;
  tn_background_run(drawing, work, done, free_drawing);
}

#define LONGEST_WAIT 150000 /* µs */

static gboolean
on_start(gpointer data)
{
  TnMaps *maps = data;
  maps->starting = 0;
  start_job(maps);
  return G_SOURCE_REMOVE;
}

/* A picture that is not wanted any more is given up, that the new one need not wait for it; but while
 * the view moves on and on, one comes now and then. */
void
tn_maps_invalidate(TnMaps *maps)
{
  gint64 now = g_get_monotonic_time();
  if (!maps->is_drawing && !maps->is_dirty)
    maps->waiting = now;
  maps->asked = now;
  maps->is_dirty = true;
  if (maps->is_drawing && now - maps->waiting < LONGEST_WAIT)
    g_atomic_int_set(maps->is_stopped, 1);
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  if (!maps->node || now - maps->waiting >= LONGEST_WAIT)
    start_job(maps); /* frame upon frame leaves no time between them */
  else if (!maps->is_drawing && !maps->starting)
    maps->starting = g_idle_add_full(TN_MAPS_AFTER_FRAME, on_start, maps, NULL);
}

/* ---- showing ----------------------------------------------------------------------------------- */

/* `to`: where the old plot's corner goes, and by how much it is stretched. */
static void
append_node(TnMaps *maps, GtkSnapshot *snapshot, TnRect plot, TnRect drawn, TnRect to)
{
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT((float)plot.x, (float)plot.y,
                                                       (float)plot.width, (float)plot.height));
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)to.x, (float)to.y));
  gtk_snapshot_scale(snapshot, (float)to.width, (float)to.height);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)-drawn.x, (float)-drawn.y));
  gtk_snapshot_append_node(snapshot, maps->node);
  gtk_snapshot_restore(snapshot);
  gtk_snapshot_pop(snapshot);
}

/* Without a graphics card a texture is stretched with care, which costs three frames; what stands for a
 * moment may be coarse. */
static void
append_surface(TnMaps *maps, GtkSnapshot *snapshot, TnRect plot, TnRect drawn, TnRect to)
{
  cairo_t *cr = gtk_snapshot_append_cairo(
      snapshot, &GRAPHENE_RECT_INIT((float)plot.x, (float)plot.y, (float)plot.width,
                                    (float)plot.height));
  cairo_translate(cr, to.x, to.y);
  cairo_scale(cr, to.width, to.height);
  cairo_set_source_surface(cr, maps->surface, -drawn.x, -drawn.y);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_destroy(cr);
}

/* What the moved picture can stand for at all. */
static bool
is_same_data(TnMaps *maps)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  return now->study == old->study && tn_view_is_clock(now) == tn_view_is_clock(old);
}

static bool
is_stale(TnMaps *maps, bool has_places)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  if (now->t0 != old->t0 || now->t1 != old->t1)
    return true;
  return has_places ? now->p0 != old->p0 || now->p1 != old->p1
                    : now->lane_top != old->lane_top || now->lane_height != old->lane_height;
}

bool
tn_maps_awaits_lanes(TnMaps *maps)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  double moved = fabs(now->lane_top - old->lane_top) * now->lane_height;
  return maps->node && is_same_data(maps) && now->t0 == old->t0 && now->t1 == old->t1 &&
         now->lane_height == old->lane_height && moved >= maps->layout.lanes_plot.height;
}

/* While a new picture is drawn, the old one is moved and stretched to where its data belongs. */
static void
append_stale_plot(TnMaps *maps, GtkSnapshot *snapshot, TnRect plot, TnRect drawn, bool has_places,
                  const GdkRGBA *panel)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  double sx = tn_view_width(old) / tn_view_width(now) * plot.width / drawn.width;
  double sy = plot.height / drawn.height;
  double x = tn_view_x(now, plot, old->t0), y = plot.y;
  if (!is_stale(maps, has_places))
    return;
  tn_maps_append_rect(snapshot, plot.x, plot.y, plot.width, plot.height, panel);
  if (has_places) {
    sy *= (old->p1 - old->p0) / (now->p1 - now->p0);
    y = tn_view_y(now, plot, old->p1);
  } else {
    y += (old->lane_top - now->lane_top) * now->lane_height;
    sy = now->lane_height / old->lane_height;
  }
  if (tn_texture_is_drawn_with_cairo(GTK_WIDGET(maps)))
    append_surface(maps, snapshot, plot, drawn, (TnRect){x, y, sx, sy});
  else
    append_node(maps, snapshot, plot, drawn, (TnRect){x, y, sx, sy});
}

static void
append_picture(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnMapsLayout *l = &maps->layout, *d = &maps->drawn_layout;
  GdkRGBA back = tn_maps_rgba(theme->background, 1.0f), panel = tn_maps_rgba(theme->panel, 1.0f);
  tn_maps_append_rect(snapshot, 0, 0, l->width, l->height, &back);
  if (!maps->node)
    return;
  gtk_snapshot_append_node(snapshot, maps->node);
  if (!is_same_data(maps))
    return;
  append_stale_plot(maps, snapshot, l->offsets_plot, d->offsets_plot, true, &panel);
  if (!tn_maps_awaits_lanes(maps))
    append_stale_plot(maps, snapshot, l->lanes_plot, d->lanes_plot, false, &panel);
}

static void
snapshot_maps(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnMaps *maps = TN_MAPS(widget);
  if (!maps->session)
    return;
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  const TnTheme *theme = is_dark ? tn_theme_dark() : tn_theme_light();
  append_picture(maps, snapshot, theme);
  tn_maps_append_marks(maps, snapshot, theme);
  tn_maps_controls_snapshot(&maps->controls, widget, snapshot);
  tn_maps_append_tip(maps, snapshot, theme);
  if (gtk_widget_has_visible_focus(widget)) {
    GdkRGBA focus = tn_maps_rgba(theme->category[0], 1.0f);
    tn_maps_append_outline(snapshot, (TnRect){1, 1, maps->layout.width - 3, maps->layout.height - 3},
                   (TnRect){0, 0, maps->layout.width, maps->layout.height}, 1.0, &focus);
  }
}

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnMaps *maps = TN_MAPS(widget);
  tn_maps_layout_init(&maps->layout, width, height, maps->share);
  g_clear_object(&maps->tip); /* of another size, perhaps of another font */
  tn_maps_controls_allocate(&maps->controls, &maps->layout);
  if (maps->session)
    tn_session_set_lanes_room(maps->session, maps->layout.lanes_plot.height);
  tn_maps_invalidate(maps);
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 1000 : 600;
  *minimum_baseline = *natural_baseline = -1;
}

/* ---- the session ------------------------------------------------------------------------------- */

char *
tn_maps_describe(TnSession *session, tn_index buffer)
{
  const TnStudy *study = tn_session_get_study(session);
  if (buffer == TN_NONE || buffer >= study->buffers->n)
    return g_strdup("");
  g_autofree char *name = tn_study_dup_label(study, buffer);
  g_autofree char *label = tn_elide_middle(name, TN_VIEW_NAME_CHARS);
  g_autofree char *facts = tn_maps_describe_facts(session, buffer);
  return g_strdup_printf("%s, %s", label, facts);
}

char *
tn_maps_describe_facts(TnSession *session, tn_index buffer)
{
  const TnStudy *study = tn_session_get_study(session);
  const TnBuffers *b = study->buffers;
  char size[48], from[32], to[32];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, _("%s, %s %s to %s"),
                  tn_print_bytes(size, sizeof size, b->bytes[buffer], tn_settings_get_units()),
                  tn_axis_words(study->device->axis),
                  tn_print_count(from, sizeof from, b->start[buffer]),
                  tn_print_count(to, sizeof to, b->end[buffer]));
  if (study->offset[buffer] != TN_NOT_PLACED)
    g_string_append_printf(text, ", %s 0x%" G_GINT64_MODIFIER "x", _("at"),
                           (guint64)study->offset[buffer]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
on_view_changed(TnSession *session, TnMaps *maps)
{
  const TnStudy *study = tn_session_get_study(session);
  tn_maps_controls_set_time(&maps->controls, tn_session_get_view(session));
  tn_maps_controls_set_skyline(&maps->controls, tn_session_get_view(session)->is_skyline);
  tn_maps_controls_set_shown(&maps->controls, study && study->buffers->n);
  tn_maps_invalidate(maps);
}

/* What is said of the selection holds its size and its place, which a plan or other units change. */
static void
describe_selection(TnMaps *maps)
{
  const TnView *view = tn_session_get_view(maps->session);
  maps->described = view->selected;
  g_autofree char *text = tn_maps_describe(maps->session, view->selected);
  gtk_accessible_update_property(GTK_ACCESSIBLE(maps), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 text[0] ? text : _("Nothing is selected"), -1);
}

/* Studies are told apart by their addresses, which another may come to have. */
static void
on_study_changed(TnSession *session, TnMaps *maps)
{
  tn_maps_drop_chain(maps);
  maps->drawn_view.study = NULL;
  on_view_changed(session, maps);
  describe_selection(maps);
}

static void
on_units_changed(TnSession *session, TnMaps *maps)
{
  on_view_changed(session, maps);
  describe_selection(maps);
}

static void
on_selection_changed(TnSession *session, TnMaps *maps)
{
  const TnView *view = tn_session_get_view(session);
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  if (view->selected == maps->described)
    return;
  /* The skyline has no rectangle for an outline above it: its rim is in the picture. */
  if (view->is_skyline)
    tn_maps_invalidate(maps);
  describe_selection(maps);
}

static void
on_notes_changed(TnNotes *notes, TnMaps *maps)
{
  gtk_widget_queue_draw(GTK_WIDGET(maps));
}

static void
on_style_changed(AdwStyleManager *manager, GParamSpec *pspec, TnMaps *maps)
{
  tn_maps_invalidate(maps);
}

static gboolean
query_tooltip(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  TnMaps *maps = TN_MAPS(widget);
  int bookmark = is_keyboard ? -1 : tn_maps_hit_bookmark(maps, x, y);
  if (bookmark < 0)
    return FALSE; /* a buffer's words are drawn: maps-tip.c */
  gtk_tooltip_set_text(tooltip,
                       tn_notes_get(tn_session_get_notes(maps->session), (guint)bookmark)->name);
  return TRUE;
}

static void
dispose(GObject *object)
{
  TnMaps *maps = TN_MAPS(object);
  tn_maps_controls_clear(&maps->controls);
  g_clear_pointer(&maps->node, gsk_render_node_unref);
  g_clear_pointer(&maps->surface, cairo_surface_destroy);
  g_clear_object(&maps->session);
  g_clear_pointer(&maps->chain_node, gsk_render_node_unref);
  g_clear_object(&maps->tip);
  g_clear_handle_id(&maps->tip_source, g_source_remove);
  g_clear_handle_id(&maps->starting, g_source_remove);
  g_clear_handle_id(&maps->chain_source, g_source_remove);
  g_clear_pointer(&maps->chain, g_array_unref);
  G_OBJECT_CLASS(tn_maps_parent_class)->dispose(object);
}

static void
tn_maps_class_init(TnMapsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget_class->snapshot = snapshot_maps;
  widget_class->size_allocate = allocate;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name(widget_class, "maps");
}

static void
tn_maps_init(TnMaps *maps)
{
  maps->share = 0.64;
  maps->described = maps->tip_of = TN_NONE;
  gtk_widget_set_focusable(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_has_tooltip(GTK_WIDGET(maps), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(maps), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Memory over time: live curve, offset map and lifetime bars"),
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, _("Nothing is selected"), -1);
  tn_maps_controls_init(&maps->controls, GTK_WIDGET(maps));
  tn_maps_add_controllers(maps);
}

GtkWidget *
tn_maps_new(TnSession *session)
{
  TnMaps *maps = g_object_new(TN_TYPE_MAPS, NULL);
  maps->session = g_object_ref(session);
  g_signal_connect_object(session, "view-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), maps, 0);
  g_signal_connect_object(session, "match-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), maps, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), maps, 0);
  g_signal_connect_object(tn_session_get_notes(session), "changed", G_CALLBACK(on_notes_changed),
                          maps, 0);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark",
                          G_CALLBACK(on_style_changed), maps, 0);
  on_view_changed(session, maps);
  return GTK_WIDGET(maps);
}

double
tn_maps_get_share(TnMaps *maps)
{
  return maps->share;
}

void
tn_maps_set_share(TnMaps *maps, double share)
{
  maps->share = CLAMP(share, 0.15, 0.85);
  gtk_widget_queue_allocate(GTK_WIDGET(maps));
}

/* False where nothing of `r` lies in the plot. */
static bool
clip_area(TnRect r, TnRect plot, GdkRectangle *out_area)
{
  double left = MAX(r.x, plot.x), right = MIN(r.x + r.width, plot.x + plot.width);
  double top = MAX(r.y, plot.y), bottom = MIN(r.y + r.height, plot.y + plot.height);
  if (left > right || top > bottom)
    return false;
  *out_area = (GdkRectangle){(int)left, (int)top, MAX((int)(right - left), 1),
                             MAX((int)(bottom - top), 1)};
  return true;
}

void
tn_maps_get_selected_area(TnMaps *maps, GdkRectangle *out_area)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  TnRect r;
  *out_area = (GdkRectangle){(int)(l->width / 2), (int)(l->height / 2), 1, 1};
  if (view->selected == TN_NONE)
    return;
  bool is_found = tn_view_rect_offsets(view, l->offsets_plot, view->selected, &r) &&
                  clip_area(r, l->offsets_plot, out_area);
  if (!is_found && tn_view_rect_lanes(view, l->lanes_plot, view->selected, &r))
    clip_area(r, l->lanes_plot, out_area);
}

bool
tn_maps_is_drawn(TnMaps *maps)
{
  const TnMapsLayout *drawn = &maps->drawn_layout, *now = &maps->layout;
  return maps->node && drawn->width == now->width && drawn->height == now->height &&
         drawn->lanes_plot.y == now->lanes_plot.y;
}

void
tn_maps_get_plots(TnMaps *maps, TnRect *out_live, TnRect *out_offsets, TnRect *out_lanes)
{
  *out_live = maps->layout.live_plot;
  *out_offsets = maps->layout.offsets_plot;
  *out_lanes = maps->layout.lanes_plot;
}
