/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/box-view.h"

#include "analysis/batch-sum.h"
#include "app/window/background.h"
#include "app/window/box-layout.h"
#include "app/window/settings.h"
#include "app/window/view-parts.h"
#include "render/boxes.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _TnBoxView {
  GtkBox parent_instance;
  TnSession *session;
  TnBoxViewMode mode;
  GtkWidget *title, *note, *area, *weight, *framework, *grouping;
  TnBoxes *boxes;   /* of the study shown, as they were laid out last; NULL: not yet */
  bool is_laying;   /* others are being laid out */
  bool is_outdated; /* and will have to be again */
  int hovered;
  guint kept;             /* the grouping that undo knows of */
  TnBoxGroups *groups;    /* of the live set, where it is not grouped as coloured */
  const TnStudy *grouped; /* what they are of; compared, never followed */
  TnProgress *running;    /* of the grouping that is made; owned by its job */
  const TnStudy *coming;  /* what it is of, and which, while one runs */
  TnGrouping coming_grouping;
};

G_DEFINE_TYPE(TnBoxView, tn_box_view, GTK_TYPE_BOX)

/* What a live set can be grouped by; the first: as the colours are. */
static const struct {
  const char *name;
  TnGrouping grouping;
} groupings[] = {{N_("As Coloured"), TN_GROUP_AUTO}, {N_("Call Site"), TN_GROUP_CALL_SITE},
                 {N_("Module"), TN_GROUP_MODULE},    {N_("Category"), TN_GROUP_KIND},
                 {N_("Size"), TN_GROUP_SIZE},        {N_("Pool and Stream"), TN_GROUP_SPACE},
                 {N_("Batch"), TN_GROUP_BATCH},      {N_("Stream of the Op"), TN_GROUP_STREAM}};

typedef struct {
  TnBoxView *view;    /* owned reference */
  TnSession *session; /* owned reference: keeps the document */
  TnStudy *study;     /* owned reference */
  TnGrouping grouping;
  TnBoxGroups *groups;
  TnProgress progress;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->groups, tn_box_groups_unref);
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_object_unref(job->view);
  g_free(job);
}

static TnView
view_now(TnBoxView *view)
{
  TnView now = *tn_session_get_view(view->session);
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  now.theme = is_dark ? tn_theme_dark() : tn_theme_light();
  return now;
}

/* Why the groups say nothing, where they don't. */
static void
show_note(TnBoxView *view, const TnCategories *groups)
{
  const char *note = groups ? groups->untold : NULL;
  gtk_label_set_text(GTK_LABEL(view->note), note ? note : "");
  gtk_widget_set_visible(view->note, note != NULL);
}

TnBoxGroups *
tn_box_view_get_groups(TnBoxView *view)
{
  bool is_of_study = view->grouped == tn_session_get_study(view->session);
  return is_of_study ? view->groups : NULL;
}

TnFlameWeight
tn_box_view_get_weight(TnBoxView *view)
{
  bool is_by_time = gtk_drop_down_get_selected(GTK_DROP_DOWN(view->weight)) == 1;
  return is_by_time ? TN_FLAME_BYTE_TICKS : TN_FLAME_ALIVE;
}

bool
tn_box_view_has_framework(TnBoxView *view)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(view->framework));
}

static void
take_boxes(TnBoxView *view, TnBoxes *boxes)
{
  g_clear_pointer(&view->boxes, tn_boxes_free);
  view->boxes = boxes;
  view->hovered = -1;
  if (boxes)
    gtk_label_set_text(GTK_LABEL(view->title), boxes->title);
  gtk_widget_queue_draw(view->area);
}

static void lay_out(TnBoxView *view);

/* What was laid out meanwhile for another study is not shown; for another moment it is, until the present
 * one's is there. */
static void
on_laid_out(gpointer owner, TnBoxLayout *layout)
{
  TnBoxView *view = owner;
  view->is_laying = false;
  if (!view->session)
    return;
  if (layout->study == tn_session_get_study(view->session)) {
    take_boxes(view, g_steal_pointer(&layout->boxes));
    show_note(view, layout->groups ? layout->groups->categories : NULL);
  }
  if (view->is_outdated && gtk_widget_get_mapped(view->area))
    lay_out(view);
}

static void
lay_out(TnBoxView *view)
{
  TnBoxLayout *layout = tn_box_layout_new(view->session, tn_box_view_get_groups(view));
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  layout->view.theme = is_dark ? tn_theme_dark() : tn_theme_light();
  layout->rect = tn_view_room(view->area);
  layout->is_flame = view->mode == TN_BOX_VIEW_FLAME;
  if (layout->is_flame) {
    layout->weight = tn_box_view_get_weight(view);
    layout->with_framework = tn_box_view_has_framework(view);
  }
  view->is_laying = true;
  view->is_outdated = false;
  tn_box_layout_run(layout, on_laid_out, G_OBJECT(view));
}

/* Laid out on another thread: stacks may be many, and deep. */
static void
invalidate(TnBoxView *view)
{
  int width = gtk_widget_get_width(view->area), height = gtk_widget_get_height(view->area);
  view->is_outdated = true;
  if (!view->is_laying && width > 0 && height > 0 && gtk_widget_get_mapped(view->area))
    lay_out(view);
}

/* ---- grouping ------------------------------------------------------------------------------ */

static void
work(gpointer data)
{
  Job *job = data;
  const TnStudy *study = job->study;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  tn_batch_sum_keep(study->buffers, alive, study->live->peak_at);
  job->groups = tn_box_groups_new(
      tn_categories_new(study->document, study->device, study->buffers, study->sites,
                        (const uint32_t *)(const void *)alive->data, alive->len, job->grouping));
}

static void
drop_groups(TnBoxView *view)
{
  view->running = NULL; /* its answer will not be taken */
  view->grouped = NULL;
  g_clear_pointer(&view->groups, tn_box_groups_unref);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnBoxView *view = job->view;
  if (!view->session || view->running != &job->progress)
    return;
  drop_groups(view);
  view->groups = g_steal_pointer(&job->groups);
  view->grouped = job->study;
  invalidate(view);
}

static TnGrouping
wanted_grouping(TnBoxView *view)
{
  return view->grouping
             ? groupings[gtk_drop_down_get_selected(GTK_DROP_DOWN(view->grouping))].grouping
             : TN_GROUP_AUTO;
}

/* Asks for the groups that are wanted, where they are not there; the old picture stays until then.
 */
static void
want_groups(TnBoxView *view)
{
  TnGrouping grouping = wanted_grouping(view);
  TnStudy *study = tn_session_get_study(view->session);
  bool is_there = view->groups && view->grouped == study && view->groups->categories->grouping == grouping;
  bool is_coming = view->running && view->coming == study && view->coming_grouping == grouping;
  if (is_there || is_coming || !gtk_widget_get_mapped(view->area))
    return;
  if (grouping == TN_GROUP_AUTO) {
    drop_groups(view);
    return;
  }
  Job *job = g_new0(Job, 1);
  job->view = g_object_ref(view);
  job->session = g_object_ref(view->session);
  job->study = tn_study_ref(study);
  job->grouping = grouping;
  view->running = &job->progress;
  view->coming = study;
  view->coming_grouping = grouping;
  tn_background_run(job, work, done, free_job);
}

static void
on_study_changed(TnSession *session, TnBoxView *view)
{
  drop_groups(view);
  take_boxes(view, NULL); /* their rows are of another */
  want_groups(view);
  invalidate(view);
}

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TnBoxView *view = data;
  TnView now = view_now(view);
  TnPaint paint = tn_view_paint(area, cr, width, height);
  if (view->boxes)
    tn_draw_boxes(&paint, &now, view->boxes, view->hovered);
}

static gboolean
on_idle(gpointer data)
{
  TnBoxView *view = data;
  if (view->session) {
    want_groups(view);
    invalidate(view);
  }
  return G_SOURCE_REMOVE;
}

static void
on_resize(GtkDrawingArea *area, int width, int height, TnBoxView *view)
{
  g_idle_add_full(G_PRIORITY_HIGH_IDLE, on_idle, g_object_ref(view), g_object_unref);
}

static void
on_map(GtkWidget *area, TnBoxView *view)
{
  on_resize(NULL, 0, 0, view);
}

static int
hit_at(TnBoxView *view, double x, double y)
{
  double zoom = tn_view_zoom(view->area);
  return view->boxes ? tn_boxes_hit(view->boxes, x / zoom, y / zoom) : -1;
}

static void
on_motion(GtkEventControllerMotion *controller, double x, double y, TnBoxView *view)
{
  int hit = hit_at(view, x, y);
  if (hit == view->hovered)
    return;
  view->hovered = hit;
  if (hit >= 0)
    tn_session_hover(view->session, g_array_index(view->boxes->boxes, TnBox, hit).buffer);
  gtk_widget_queue_draw(view->area);
}

static void
on_leave(GtkEventControllerMotion *controller, TnBoxView *view)
{
  view->hovered = -1;
  tn_session_hover(view->session, TN_NONE);
  gtk_widget_queue_draw(view->area);
}

static void
choose(TnBoxView *view, int hit)
{
  tn_index buffer = hit >= 0 ? g_array_index(view->boxes->boxes, TnBox, hit).buffer : TN_NONE;
  tn_session_select(view->session, buffer);
  if (buffer != TN_NONE)
    tn_session_show_buffer(view->session, buffer, false);
}

static void
on_click(GtkGestureClick *gesture, int n_press, double x, double y, TnBoxView *view)
{
  tn_view_take_press(view->area);
  gtk_widget_grab_focus(view->area);
  choose(view, hit_at(view, x, y));
}

/* What the menu is about; the page opens it. */
static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, TnBoxView *view)
{
  int hit = hit_at(view, x, y);
  tn_session_select(view->session,
                    hit >= 0 ? g_array_index(view->boxes->boxes, TnBox, hit).buffer : TN_NONE);
}

/* What the box under the pointer, or chosen by keys, is; NULL: there is none. */
static char *
dup_description(TnBoxView *view)
{
  if (view->hovered < 0 || !view->boxes)
    return NULL;
  const TnBox *box = &g_array_index(view->boxes->boxes, TnBox, view->hovered);
  char size[48];
  double share = view->boxes->total > 0 && box->bytes >= 0
                     ? 100.0 * (double)box->bytes / view->boxes->total
                     : 0.0;
  return box->bytes < 0
             ? g_strdup(box->label)
             : g_strdup_printf(
                   "%s\n%s · %.1f %%", box->label,
                   tn_print_bytes(size, sizeof size, box->bytes, tn_settings_get_units()), share);
}

static gboolean
on_tooltip(
    GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, TnBoxView *view)
{
  g_autofree char *text = dup_description(view);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void
step(TnBoxView *view, int dx, int dy)
{
  if (view->hovered < 0)
    view->hovered = tn_boxes_find(view->boxes, tn_session_get_view(view->session)->selected);
  view->hovered = tn_boxes_step(view->boxes, view->hovered, dx, dy);
  g_autofree char *text = dup_description(view);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view->area), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 text ? text : "", -1);
  if (view->hovered >= 0)
    tn_session_hover(view->session, g_array_index(view->boxes->boxes, TnBox, view->hovered).buffer);
  gtk_widget_queue_draw(view->area);
}

/* Arrows go from box to box, Return selects. */
static gboolean
on_key(GtkEventControllerKey *controller,
       guint key,
       guint code,
       GdkModifierType state,
       TnBoxView *view)
{
  if (!view->boxes || (state & gtk_accelerator_get_default_mod_mask()))
    return FALSE;
  if (key == GDK_KEY_Left || key == GDK_KEY_Right)
    step(view, key == GDK_KEY_Left ? -1 : 1, 0);
  else if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    step(view, 0, key == GDK_KEY_Up ? -1 : 1);
  else if ((key == GDK_KEY_Return || key == GDK_KEY_space) && view->hovered >= 0)
    choose(view, view->hovered);
  else
    return FALSE;
  return TRUE;
}

static void
on_changed(gpointer source, TnBoxView *view)
{
  invalidate(view);
}

static void
on_option(GObject *object, GParamSpec *pspec, TnBoxView *view)
{
  invalidate(view);
}

static void
apply_grouping(gpointer owner, GVariant *state)
{
  TnBoxView *view = owner;
  view->kept = g_variant_get_uint32(state);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(view->grouping), view->kept);
}

static void
on_grouping(GObject *object, GParamSpec *pspec, TnBoxView *view)
{
  guint selected = gtk_drop_down_get_selected(GTK_DROP_DOWN(view->grouping));
  if (selected != view->kept)
    tn_undo_push(tn_session_get_undo(view->session), "Change Grouping", view, apply_grouping,
                 g_variant_new_uint32(view->kept), g_variant_new_uint32(selected));
  view->kept = selected;
  want_groups(view);
  invalidate(view);
}

static void
on_selection(TnSession *session, TnBoxView *view)
{
  gtk_widget_queue_draw(view->area);
}

static void
dispose(GObject *object)
{
  TnBoxView *view = TN_BOX_VIEW(object);
  g_clear_pointer(&view->boxes, tn_boxes_free);
  drop_groups(view);
  g_clear_object(&view->session);
  G_OBJECT_CLASS(tn_box_view_parent_class)->dispose(object);
}

static gboolean
grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(TN_BOX_VIEW(widget)->area);
}

static void
tn_box_view_class_init(TnBoxViewClass *class)
{
  GTK_WIDGET_CLASS(class)->grab_focus = grab_focus;
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_box_view_init(TnBoxView *view)
{
  view->hovered = -1;
  gtk_orientable_set_orientation(GTK_ORIENTABLE(view), GTK_ORIENTATION_VERTICAL);
}

static void
add_grouping(TnBoxView *view, GtkWidget *bar)
{
  const char *names[G_N_ELEMENTS(groupings) + 1] = {NULL};
  for (gsize i = 0; i < G_N_ELEMENTS(groupings); i++)
    names[i] = _(groupings[i].name);
  view->grouping = gtk_drop_down_new_from_strings(names);
  GtkWidget *label = gtk_label_new_with_mnemonic(_("_Group by"));
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), view->grouping);
  tn_view_name_drop_down(view->grouping, _("Group the live set by"));
  g_signal_connect(view->grouping, "notify::selected", G_CALLBACK(on_grouping), view);
  gtk_box_append(GTK_BOX(bar), label);
  gtk_box_append(GTK_BOX(bar), view->grouping);
}

static GtkWidget *
make_bar(TnBoxView *view)
{
  const char *const weights[] = {_("Bytes alive"), _("Bytes × time"), NULL};
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  view->title = tn_view_label_new("heading");
  gtk_box_append(GTK_BOX(bar), view->title);
  gtk_widget_set_margin_start(bar, 12);
  gtk_widget_set_margin_end(bar, 12);
  gtk_widget_set_margin_top(bar, 6);
  gtk_widget_set_margin_bottom(bar, 6);
  if (view->mode == TN_BOX_VIEW_LIVE_SET) {
    add_grouping(view, bar);
    return bar;
  }
  view->weight = gtk_drop_down_new_from_strings(weights);
  tn_view_name_drop_down(view->weight, _("Frames are as wide as"));
  view->framework = tn_view_spoken(gtk_check_button_new_with_mnemonic(_("_Framework frames")));
  g_signal_connect(view->weight, "notify::selected", G_CALLBACK(on_option), view);
  g_signal_connect(view->framework, "notify::active", G_CALLBACK(on_option), view);
  gtk_box_append(GTK_BOX(bar), view->framework);
  gtk_box_append(GTK_BOX(bar), view->weight);
  return bar;
}

static GtkWidget *
make_note(TnBoxView *view)
{
  view->note = gtk_label_new("");
  gtk_label_set_xalign(GTK_LABEL(view->note), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(view->note), TRUE);
  gtk_widget_add_css_class(view->note, "dim-label");
  gtk_widget_set_margin_start(view->note, 12);
  gtk_widget_set_margin_end(view->note, 12);
  gtk_widget_set_margin_bottom(view->note, 6);
  gtk_widget_set_visible(view->note, FALSE);
  return view->note;
}

static void
make_area(TnBoxView *view)
{
  view->area =
      g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  gtk_widget_set_hexpand(view->area, TRUE);
  gtk_widget_set_vexpand(view->area, TRUE);
  gtk_widget_set_margin_start(view->area, 12);
  gtk_widget_set_margin_end(view->area, 12);
  gtk_widget_set_margin_bottom(view->area, 6);
  gtk_widget_set_has_tooltip(view->area, TRUE);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(view->area), draw, view, NULL);
  g_signal_connect(view->area, "resize", G_CALLBACK(on_resize), view);
  g_signal_connect(view->area, "map", G_CALLBACK(on_map), view);
  g_signal_connect(view->area, "query-tooltip", G_CALLBACK(on_tooltip), view);
  GtkEventController *motion = gtk_event_controller_motion_new();
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), view);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), view);
  gtk_widget_add_controller(view->area, motion);
  GtkGesture *click = gtk_gesture_click_new();
  g_signal_connect(click, "pressed", G_CALLBACK(on_click), view);
  gtk_widget_add_controller(view->area, GTK_EVENT_CONTROLLER(click));
  GtkGesture *secondary = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect(secondary, "pressed", G_CALLBACK(on_secondary), view);
  gtk_widget_add_controller(view->area, GTK_EVENT_CONTROLLER(secondary));
  GtkEventController *keys = gtk_event_controller_key_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), view);
  gtk_widget_add_controller(view->area, keys);
  gtk_widget_set_focusable(view->area, TRUE);
  gtk_widget_add_css_class(view->area, "boxes");
}

GtkWidget *
tn_box_view_new(TnSession *session, TnBoxViewMode mode)
{
  TnBoxView *view = g_object_new(TN_TYPE_BOX_VIEW, NULL);
  view->session = g_object_ref(session);
  view->mode = mode;
  gtk_box_append(GTK_BOX(view), make_bar(view));
  gtk_box_append(GTK_BOX(view), make_note(view));
  make_area(view);
  gtk_box_append(GTK_BOX(view), view->area);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 mode == TN_BOX_VIEW_FLAME
                                     ? _("Flame graph of call stacks by bytes")
                                     : _("Treemap of the buffers alive at a moment"),
                                 -1);
  g_signal_connect_object(session, "moment-changed", G_CALLBACK(on_changed), view, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_changed), view, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), view, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection), view, 0);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_option),
                          view, 0);
  return GTK_WIDGET(view);
}
