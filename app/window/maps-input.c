/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps-input.h"

#include "app/window/maps-private.h"
#include "app/window/view-parts.h"
#include "app/window/watchdog.h"
#include "render/skyline.h"

#include <math.h>

/* Keys by their place on the keyboard (evdev codes + 8), so that WASD is a block on any layout. */
enum { PLACE_W = 25, PLACE_A = 38, PLACE_S = 39, PLACE_D = 40 };

static bool
is_over_data(TnMaps *maps, double x, double y)
{
  return tn_rect_contains(maps->layout.offsets_plot, x, y) ||
         tn_rect_contains(maps->layout.lanes_plot, x, y);
}

static tn_index
hit(TnMaps *maps, double x, double y)
{
  const TnView *view = tn_session_get_view(maps->session);
  if (view->is_skyline && tn_rect_contains(maps->layout.offsets_plot, x, y))
    return tn_skyline_hit(view, maps->layout.offsets_plot, x, y);
  if (tn_rect_contains(maps->layout.offsets_plot, x, y))
    return tn_view_hit_offsets(view, maps->layout.offsets_plot, x, y, NULL);
  if (tn_rect_contains(maps->layout.lanes_plot, x, y))
    return tn_view_hit_lanes(view, maps->layout.lanes_plot, x, y);
  return TN_NONE;
}

static double
tick_at(TnMaps *maps, double x, double y)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnView whole = tn_view_whole_time(view);
  if (tn_rect_contains(maps->layout.live_plot, x, y))
    return tn_view_tick(&whole, maps->layout.live_plot, x);
  if (is_over_data(maps, x, y))
    return tn_view_tick(view, maps->layout.offsets_plot, x);
  return -1.0;
}

/* Between the map and the bars is a splitter. */
static bool
is_over_splitter(TnMaps *maps, double y)
{
  return fabs(y - (maps->layout.lanes.y - 2.0)) < 4.0;
}

/* GTK repeats the motion when what is drawn changes, or when the maps move below a pointer that rests:
 * P, O and G must keep their cursor then.  The window's coordinates tell. */
static bool
has_pointer_moved(GtkEventController *controller, TnMaps *maps)
{
  double x = 0.0, y = 0.0;
  GdkEvent *event = gtk_event_controller_get_current_event(controller);
  if (!event || !gdk_event_get_position(event, &x, &y))
    return true;
  bool has_moved = x != maps->surface_x || y != maps->surface_y;
  maps->surface_x = x;
  maps->surface_y = y;
  return has_moved;
}

static void
on_motion(GtkEventControllerMotion *controller, double x, double y, TnMaps *maps)
{
  bool has_moved = has_pointer_moved(GTK_EVENT_CONTROLLER(controller), maps);
  maps->pointer_x = x;
  maps->pointer_y = y;
  if (maps->is_selecting || maps->is_panning || maps->is_minimap || maps->is_splitting)
    return;
  tn_watchdog_begin_input("hover");
  tn_session_hover(maps->session, hit(maps, x, y));
  if (has_moved)
    tn_session_set_cursor(maps->session, tick_at(maps, x, y));
  tn_maps_follow_with_tip(maps);
  tn_watchdog_end_input();
  double anchor;
  gtk_widget_set_cursor_from_name(GTK_WIDGET(maps), tn_maps_hit_range_edge(maps, x, y, &anchor)
                                                        ? "col-resize"
                                                    : is_over_splitter(maps, y) ? "row-resize"
                                                    : is_over_data(maps, x, y) ? "crosshair"
                                                                               : NULL);
}

static void
on_leave(GtkEventControllerMotion *controller, TnMaps *maps)
{
  tn_session_hover(maps->session, TN_NONE);
  tn_maps_follow_with_tip(maps);
}

static void
on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, TnMaps *maps)
{
  if (!gtk_widget_has_focus(GTK_WIDGET(maps)))
    gtk_widget_grab_focus(GTK_WIDGET(maps));
  if (n_press != 2 || !is_over_data(maps, x, y))
    return;
  tn_index buffer = hit(maps, x, y);
  if (buffer != TN_NONE)
    tn_session_show_buffer(maps->session, buffer, true);
}

/* What the menu is about; the page opens it. */
static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, TnMaps *maps)
{
  tn_view_take_press(GTK_WIDGET(maps));
  gtk_widget_grab_focus(GTK_WIDGET(maps));
  if (is_over_data(maps, x, y))
    tn_session_select(maps->session, hit(maps, x, y));
}

/* A click that was no drag. */
static void
click(TnMaps *maps, double x, double y)
{
  int bookmark = tn_maps_hit_bookmark(maps, x, y);
  if (bookmark >= 0) {
    tn_session_show_bookmark(
        maps->session, tn_notes_get(tn_session_get_notes(maps->session), (guint)bookmark), false);
    return;
  }
  if (!is_over_data(maps, x, y))
    return;
  tn_watchdog_begin_input("select");
  tn_session_set_range(maps->session, 0.0, 0.0);
  tn_index buffer = hit(maps, x, y);
  tn_session_set_moment(maps->session, (tn_tick)tick_at(maps, x, y));
  tn_session_select(maps->session, buffer);
  tn_session_show_buffer(maps->session, buffer, false);
  tn_watchdog_end_input();
}

/* ---- dragging ---------------------------------------------------------------------------------- */

static double
tick_within(const TnView *view, TnRect plot, double x)
{
  return tn_view_tick(view, plot, CLAMP(x, plot.x, plot.x + plot.width));
}

/* The tick at a place of the minimap. */
static double
tick_of_whole(TnMaps *maps, double x)
{
  TnView whole = tn_view_whole_time(tn_session_get_view(maps->session));
  return tick_within(&whole, maps->layout.live_plot, x);
}

static void
move_window(TnMaps *maps, double x)
{
  TnView view = *tn_session_get_view(maps->session);
  tn_view_centre_time(&view, tick_of_whole(maps, x));
  tn_session_set_view(maps->session, &view);
}

static double tick_near(TnMaps *maps, double x);

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, TnMaps *maps)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  guint button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture));
  tn_watchdog_begin_input("press");
  tn_view_take_press(GTK_WIDGET(maps));
  maps->drag_x = maps->pointer_x = x;
  maps->drag_y = maps->pointer_y = y;
  maps->drag_view = *tn_session_get_view(maps->session);
  if (!tn_maps_hit_range_edge(maps, x, y, &maps->range_anchor))
    maps->range_anchor = tick_near(maps, x);
  maps->is_minimap = button == 1 && tn_rect_contains(maps->layout.live_plot, x, y);
  maps->is_splitting = button == 1 && !maps->is_minimap && is_over_splitter(maps, y);
  maps->is_panning = !maps->is_minimap && !maps->is_splitting && is_over_data(maps, x, y) &&
                     (button == 2 || (state & GDK_SHIFT_MASK));
  if (maps->is_minimap && maps->drag_view.t1 - maps->drag_view.t0 <
                              (double)tn_session_get_study(maps->session)->axis_end)
    move_window(maps, x);
  tn_watchdog_end_input();
}

/* What was shown when a drag began, of the study that is shown now: a plan may have come meanwhile. */
static TnView
view_of_drag(TnMaps *maps)
{
  TnView view = *tn_session_get_view(maps->session);
  tn_view_take_part(&view, &maps->drag_view);
  return view;
}

static void
pan(TnMaps *maps, double dx, double dy)
{
  TnView view = view_of_drag(maps);
  TnRect plot = maps->layout.offsets_plot;
  double places = dy / plot.height * (view.p1 - view.p0);
  tn_view_pan_time(&view, -dx / plot.width);
  if (tn_rect_contains(plot, maps->drag_x, maps->drag_y)) {
    view.p0 += places;
    view.p1 += places;
  } else {
    view.lane_top -= dy / view.lane_height;
  }
  tn_session_set_view(maps->session, &view);
}

/* The tick at a place of the maps, the nearest end where it lies beside them. */
static double
tick_near(TnMaps *maps, double x)
{
  return tick_within(tn_session_get_view(maps->session), maps->layout.offsets_plot, x);
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, TnMaps *maps)
{
  maps->pointer_x = maps->drag_x + dx;
  maps->pointer_y = maps->drag_y + dy;
  if (maps->is_minimap) {
    move_window(maps, maps->pointer_x);
  } else if (maps->is_splitting) {
    double room = maps->layout.offsets.height + maps->layout.lanes.height;
    maps->share =
        CLAMP((maps->pointer_y - maps->layout.offsets.y) / MAX(room, 1.0), 0.15, 0.85);
    gtk_widget_queue_allocate(GTK_WIDGET(maps));
  } else if (maps->is_panning) {
    pan(maps, dx, dy);
  } else if (gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture)) == 1 &&
             is_over_data(maps, maps->drag_x, maps->drag_y) && fabs(dx) > 4.0) {
    maps->is_selecting = true;
    tn_session_set_range(maps->session, maps->range_anchor,
                         tick_near(maps, maps->pointer_x));
  }
}

static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, TnMaps *maps)
{
  if (maps->is_minimap)
    tn_session_set_moment(maps->session, (tn_tick)tick_of_whole(maps, maps->pointer_x));
  if (!maps->is_selecting && !maps->is_minimap && !maps->is_splitting && !maps->is_panning &&
           gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture)) == 1)
    click(maps, maps->drag_x, maps->drag_y);
  maps->is_selecting = maps->is_minimap = maps->is_splitting = maps->is_panning = false;
  gtk_widget_queue_draw(GTK_WIDGET(maps));
}

/* ---- zooming ----------------------------------------------------------------------------------- */

static void
zoom_at_pointer(TnMaps *maps, double factor)
{
  TnView view = *tn_session_get_view(maps->session);
  double about = tick_at(maps, maps->pointer_x, maps->pointer_y);
  tn_view_zoom_time(&view, factor, about < 0 ? tn_view_middle(&view) : about);
  tn_session_set_view(maps->session, &view);
}

static void
zoom_rows(TnMaps *maps, double factor)
{
  TnView view = *tn_session_get_view(maps->session);
  TnRect plot = maps->layout.offsets_plot;
  if (tn_rect_contains(plot, maps->pointer_x, maps->pointer_y))
    tn_view_zoom_places(&view, factor, tn_view_place(&view, plot, maps->pointer_y));
  else
    view.lane_height = CLAMP(view.lane_height * factor, 3.0, 30.0);
  tn_session_set_view(maps->session, &view);
}

static gboolean
on_scroll(GtkEventControllerScroll *controller, double dx, double dy, TnMaps *maps)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  bool is_control = state & GDK_CONTROL_MASK, is_shift = state & GDK_SHIFT_MASK;
  double factor = pow(1.25, -dy);
  TnView view = *tn_session_get_view(maps->session);
  if (is_control && is_shift) {
    zoom_rows(maps, dy != 0 ? factor : pow(1.25, -dx));
  } else if (is_control) {
    zoom_at_pointer(maps, factor);
  } else if (is_shift) {
    tn_view_pan_time(&view, (dy + dx) / 12.0);
    tn_session_set_view(maps->session, &view);
  } else if (tn_rect_contains(maps->layout.lanes, maps->pointer_x, maps->pointer_y)) {
    view.lane_top += dy * 3.0;
    tn_view_pan_time(&view, dx / 12.0);
    tn_session_set_view(maps->session, &view);
  } else if (dx != 0 && fabs(dx) > fabs(dy)) {
    tn_view_pan_time(&view, dx / 12.0);
    tn_session_set_view(maps->session, &view);
  } else {
    zoom_at_pointer(maps, factor);
  }
  return TRUE;
}

static void
on_pinch(GtkGestureZoom *gesture, double scale, TnMaps *maps)
{
  TnView view = view_of_drag(maps);
  tn_view_zoom_time(&view, scale, tn_view_middle(&view));
  tn_session_set_view(maps->session, &view);
}

static void
on_pinch_begin(GtkGesture *gesture, GdkEventSequence *sequence, TnMaps *maps)
{
  maps->drag_view = *tn_session_get_view(maps->session);
}

void
tn_maps_zoom(TnMaps *maps, double factor)
{
  TnView view = *tn_session_get_view(maps->session);
  bool has_cursor = view.cursor >= view.t0 && view.cursor <= view.t1;
  tn_view_zoom_time(&view, factor, has_cursor ? view.cursor : tn_view_middle(&view));
  tn_session_set_view(maps->session, &view);
}

void
tn_maps_pan(TnMaps *maps, double part)
{
  TnView view = *tn_session_get_view(maps->session);
  tn_view_pan_time(&view, part);
  tn_session_set_view(maps->session, &view);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static void
move_lanes(TnMaps *maps, double lanes)
{
  TnView view = *tn_session_get_view(maps->session);
  view.lane_top += lanes;
  tn_session_set_view(maps->session, &view);
}

static void
go_to_end(TnMaps *maps, bool is_last)
{
  TnView view = *tn_session_get_view(maps->session);
  tn_view_centre_time(&view, is_last ? (double)view.study->axis_end : 0.0);
  tn_session_set_view(maps->session, &view);
}

static void
step_to(TnMaps *maps, tn_index buffer)
{
  if (buffer == TN_NONE)
    return;
  tn_session_select(maps->session, buffer);
  tn_session_show_buffer(maps->session, buffer, false);
}

static bool
on_place(TnMaps *maps, guint keycode)
{
  switch (keycode) {
  case PLACE_W:
    tn_maps_zoom(maps, 1.5);
    return true;
  case PLACE_S:
    tn_maps_zoom(maps, 1 / 1.5);
    return true;
  case PLACE_A:
    tn_maps_pan(maps, -0.15);
    return true;
  case PLACE_D:
    tn_maps_pan(maps, 0.15);
    return true;
  default:
    return false;
  }
}

static bool
on_symbol(TnMaps *maps, guint keyval)
{
  switch (keyval) {
  case GDK_KEY_Left:
    tn_maps_pan(maps, -0.1);
    return true;
  case GDK_KEY_Right:
    tn_maps_pan(maps, 0.1);
    return true;
  case GDK_KEY_Up:
    move_lanes(maps, -3.0);
    return true;
  case GDK_KEY_Down:
    move_lanes(maps, 3.0);
    return true;
  case GDK_KEY_Home:
    go_to_end(maps, false);
    return true;
  case GDK_KEY_End:
    go_to_end(maps, true);
    return true;
  case GDK_KEY_plus:
  case GDK_KEY_KP_Add:
  case GDK_KEY_equal:
    tn_maps_zoom(maps, 1.5);
    return true;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    tn_maps_zoom(maps, 1 / 1.5);
    return true;
  case GDK_KEY_period:
    step_to(maps, tn_session_neighbour_in_lane(maps->session, 1));
    return true;
  case GDK_KEY_comma:
    step_to(maps, tn_session_neighbour_in_lane(maps->session, -1));
    return true;
  case GDK_KEY_bracketright:
    step_to(maps, tn_session_neighbour_at_address(maps->session, 1));
    return true;
  case GDK_KEY_bracketleft:
    step_to(maps, tn_session_neighbour_at_address(maps->session, -1));
    return true;
  case GDK_KEY_Escape:
    tn_session_set_range(maps->session, 0.0, 0.0);
    tn_session_select(maps->session, TN_NONE);
    return true;
  default:
    return false;
  }
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       TnMaps *maps)
{
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK))
    return FALSE;
  return on_place(maps, keycode) || on_symbol(maps, keyval);
}

static void
add(TnMaps *maps, gpointer controller)
{
  gtk_widget_add_controller(GTK_WIDGET(maps), GTK_EVENT_CONTROLLER(controller));
}

void
tn_maps_add_controllers(TnMaps *maps)
{
  GtkEventController *motion = gtk_event_controller_motion_new();
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), maps);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), maps);
  add(maps, motion);
  GtkGesture *press = gtk_gesture_click_new();
  g_signal_connect(press, "pressed", G_CALLBACK(on_pressed), maps);
  add(maps, press);
  GtkGesture *secondary = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect(secondary, "pressed", G_CALLBACK(on_secondary), maps);
  add(maps, secondary);
  GtkGesture *drag = gtk_gesture_drag_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), 0);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), maps);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), maps);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), maps);
  add(maps, drag);
  GtkEventController *scroll =
      gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), maps);
  add(maps, scroll);
  GtkGesture *pinch = gtk_gesture_zoom_new();
  g_signal_connect(pinch, "begin", G_CALLBACK(on_pinch_begin), maps);
  g_signal_connect(pinch, "scale-changed", G_CALLBACK(on_pinch), maps);
  add(maps, pinch);
  GtkEventController *key = gtk_event_controller_key_new();
  g_signal_connect(key, "key-pressed", G_CALLBACK(on_key), maps);
  add(maps, key);
}
