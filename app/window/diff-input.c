/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-input.h"

#include "app/window/maps-layout.h"
#include "app/window/settings.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>
#include <math.h>

/* Where the pointer is, and what a drag began with. */
typedef struct {
  TnDiffCanvas *canvas;
  double x, y;
  TnView drag_view;
} Input;

static TnRect
whole(TnDiffCanvas *canvas)
{
  return (TnRect){0, 0, gtk_widget_get_width(GTK_WIDGET(canvas)),
                  gtk_widget_get_height(GTK_WIDGET(canvas))};
}

/* The map under a point: its side and plot; false where there is none. */
static bool
find_plot(TnDiffCanvas *canvas, const TnDiffPicture *picture, double x, double y,
          TnDiffSide *out_side, TnRect *out_plot)
{
  TnRect rect = whole(canvas);
  TnRect a = tn_diff_page_plot(picture, rect, TN_DIFF_A);
  TnRect b = tn_diff_page_plot(picture, rect, TN_DIFF_B);
  bool is_a = picture->layout == TN_DIFF_ONLY_A ||
              (picture->layout == TN_DIFF_OVER_UNDER && tn_rect_contains(a, x, y));
  *out_side = is_a ? TN_DIFF_A : TN_DIFF_B;
  *out_plot = is_a ? a : b;
  return tn_rect_contains(*out_plot, x, y);
}

/* The pair drawn at a point, or TN_NONE. */
static uint32_t
hit(TnDiffCanvas *canvas, double x, double y)
{
  TnDiffPicture picture;
  TnView shown;
  TnDiffSide side;
  TnRect plot;
  if (!tn_diff_canvas_get_shown(canvas, &picture, &shown) || picture.layout == TN_DIFF_DELTA_MAP ||
      !find_plot(canvas, &picture, x, y, &side, &plot))
    return TN_NONE;
  tn_index row = tn_diff_hit(&picture, &shown, side, plot, x, y);
  const uint32_t *pair_of =
      side == TN_DIFF_A ? picture.diff->pair_of_a : picture.diff->pair_of_b;
  return row == TN_NONE ? TN_NONE : pair_of[row];
}

/* ---- zooming --------------------------------------------------------------------------------------- */

static gboolean
on_scroll(GtkEventControllerScroll *controller, double dx, double dy, Input *input)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  bool is_control = state & GDK_CONTROL_MASK, is_shift = state & GDK_SHIFT_MASK;
  TnDiffPicture picture;
  TnView view;
  TnDiffSide side;
  TnRect plot;
  if (!tn_diff_canvas_get_shown(input->canvas, &picture, &view))
    return FALSE;
  bool is_over = find_plot(input->canvas, &picture, input->x, input->y, &side, &plot);
  double factor = pow(1.25, -(dy != 0 ? dy : dx));
  if (is_control && is_shift)
    tn_view_zoom_places(&view, factor,
                        is_over ? tn_view_place(&view, plot, input->y) : view.p0);
  else if (is_shift || fabs(dx) > fabs(dy))
    tn_view_pan_time(&view, (dx + dy) / 12.0);
  else
    tn_view_zoom_time(&view, factor,
                      CLAMP(tn_view_tick(&view, plot, input->x), view.t0, view.t1));
  tn_diff_canvas_show(input->canvas, &view);
  return TRUE;
}

static gboolean
on_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
       Input *input)
{
  TnDiffPicture picture;
  TnView view;
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) ||
      !tn_diff_canvas_get_shown(input->canvas, &picture, &view))
    return FALSE;
  double middle = (view.t0 + view.t1) / 2;
  if (key == GDK_KEY_plus || key == GDK_KEY_equal || key == GDK_KEY_w)
    tn_view_zoom_time(&view, 1.5, middle);
  else if (key == GDK_KEY_minus || key == GDK_KEY_s)
    tn_view_zoom_time(&view, 1 / 1.5, middle);
  else if (key == GDK_KEY_Left || key == GDK_KEY_a)
    tn_view_pan_time(&view, -1 / 8.0);
  else if (key == GDK_KEY_Right || key == GDK_KEY_d)
    tn_view_pan_time(&view, 1 / 8.0);
  else if (key == GDK_KEY_0 || key == GDK_KEY_h)
    tn_diff_canvas_show_all(input->canvas);
  else
    return FALSE;
  if (key != GDK_KEY_0 && key != GDK_KEY_h)
    tn_diff_canvas_show(input->canvas, &view);
  return TRUE;
}

/* ---- dragging -------------------------------------------------------------------------------------- */

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, Input *input)
{
  TnDiffPicture picture;
  TnDiffSide side;
  TnRect plot;
  tn_view_take_press(GTK_WIDGET(input->canvas));
  gtk_widget_grab_focus(GTK_WIDGET(input->canvas));
  if (!tn_diff_canvas_get_shown(input->canvas, &picture, &input->drag_view) ||
      !find_plot(input->canvas, &picture, x, y, &side, &plot))
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_DENIED);
}

/* A press that hardly moved was a click. */
static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, Input *input)
{
  double x = 0, y = 0;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  if (fabs(dx) < 4.0 && fabs(dy) < 4.0)
    tn_diff_model_select(tn_diff_canvas_get_model(input->canvas), hit(input->canvas, x, y));
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, Input *input)
{
  TnDiffPicture picture;
  TnView now, view = input->drag_view;
  TnDiffSide side;
  TnRect plot;
  double x = 0, y = 0;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  if ((fabs(dx) < 4.0 && fabs(dy) < 4.0) ||
      !tn_diff_canvas_get_shown(input->canvas, &picture, &now) ||
      !find_plot(input->canvas, &picture, x, y, &side, &plot))
    return;
  double places = dy / plot.height * (view.p1 - view.p0);
  view.study = now.study;
  tn_view_pan_time(&view, -dx / plot.width);
  view.p0 += places;
  view.p1 += places;
  tn_diff_canvas_show(input->canvas, &view);
}

/* ---- pointing -------------------------------------------------------------------------------------- */

char *
tn_diff_input_describe(const TnDiff *diff, uint32_t row)
{
  TnUnits units = tn_settings_get_units();
  const TnDiffPair *pair = &diff->pairs[row];
  g_autofree char *name = tn_diff_dup_label(diff, row);
  g_autofree char *label = tn_elide_middle(name, TN_VIEW_NAME_CHARS);
  g_autofree char *a = tn_format_bytes(tn_diff_bytes_a(diff, row), units);
  g_autofree char *b = tn_format_bytes(tn_diff_bytes_b(diff, row), units);
  GString *out = g_string_new(label);
  g_string_append_printf(out, "\nA %s → B %s", pair->a == TN_NONE ? _("none") : a,
                         pair->b == TN_NONE ? _("none") : b);
  g_autofree char *changes = tn_diff_dup_changes(pair->changes, " · ");
  g_string_append_printf(out, " · %s", *changes ? changes : _("the same"));
  if (pair->match == TN_MATCH_PERSON)
    g_string_append_printf(out, "\n%s", _("matched by hand"));
  else if (pair->match != TN_MATCH_NONE)
    g_string_append_printf(out, _("\nmatched by %s"), tn_diff_match_name(pair->match));
  return g_string_free(out, FALSE);
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip,
           Input *input)
{
  uint32_t pair = is_keyboard ? TN_NONE : hit(input->canvas, x, y);
  if (pair == TN_NONE)
    return FALSE;
  g_autofree char *text = tn_diff_input_describe(
      tn_diff_model_get_diff(tn_diff_canvas_get_model(input->canvas)), pair);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
on_motion(GtkEventControllerMotion *controller, double x, double y, Input *input)
{
  TnDiffPicture picture;
  TnView view;
  input->x = x;
  input->y = y;
  if (!tn_diff_canvas_get_shown(input->canvas, &picture, &view))
    return;
  TnRect plots = tn_diff_page_plots(&picture, whole(input->canvas));
  tn_diff_model_set_cursor(tn_diff_canvas_get_model(input->canvas),
                           tn_rect_contains(plots, x, y) ? tn_view_tick(&view, plots, x) : -1.0);
}

static void
on_leave(GtkEventControllerMotion *controller, Input *input)
{
  tn_diff_model_set_cursor(tn_diff_canvas_get_model(input->canvas), -1.0);
}

static void
add(Input *input, GtkEventController *controller)
{
  gtk_widget_add_controller(GTK_WIDGET(input->canvas), controller);
}

void
tn_diff_input_add(TnDiffCanvas *canvas)
{
  Input *input = g_new0(Input, 1);
  input->canvas = canvas;
  g_object_set_data_full(G_OBJECT(canvas), "input", input, g_free);
  GtkEventController *motion = gtk_event_controller_motion_new();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkGesture *drag = gtk_gesture_drag_new();
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), input);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), input);
  g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), input);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), input);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), input);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), input);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), input);
  g_signal_connect(canvas, "query-tooltip", G_CALLBACK(on_tooltip), input);
  gtk_widget_set_has_tooltip(GTK_WIDGET(canvas), TRUE);
  add(input, motion);
  add(input, scroll);
  add(input, keys);
  add(input, GTK_EVENT_CONTROLLER(drag));
}
