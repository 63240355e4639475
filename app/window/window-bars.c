/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

/* Each is a radio action: its state is what the tab in front has. */
static const char *const names[] = {"group-bars", "sort-bars", "map", "time"};

static GSimpleAction *
action_of(TnWindow *window, const char *name)
{
  return G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), name));
}

void
tn_window_follow_bars(TnWindow *window)
{
  TnPage *page = window->loading ? NULL : tn_window_get_page(window);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    g_simple_action_set_enabled(action_of(window, names[i]), page != NULL);
  if (!page)
    return;
  TnBarOrder *order = tn_page_get_bar_order(page);
  const TnView *view = tn_session_get_view(tn_page_get_session(page));
  g_simple_action_set_state(action_of(window, "group-bars"),
                            g_variant_new_string(tn_bar_order_get_group(order)));
  g_simple_action_set_state(action_of(window, "sort-bars"),
                            g_variant_new_string(tn_bar_order_get_sort(order)));
  g_simple_action_set_state(action_of(window, "map"),
                            g_variant_new_string(view->is_skyline ? "skyline" : "offsets"));
  g_simple_action_set_state(action_of(window, "time"),
                            g_variant_new_string(tn_view_is_clock(view) ? "clock" : "ticks"));
  g_simple_action_set_enabled(action_of(window, "time"), view->study->clock != NULL);
}

static void
activate(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnPage *page = tn_window_get_page(data);
  const char *name = g_action_get_name(G_ACTION(action));
  const char *value = g_variant_get_string(parameter, NULL);
  if (!page)
    return;
  if (g_strcmp0(name, "group-bars") == 0)
    tn_bar_order_set_group(tn_page_get_bar_order(page), value);
  else if (g_strcmp0(name, "sort-bars") == 0)
    tn_bar_order_set_sort(tn_page_get_bar_order(page), value);
  else if (g_strcmp0(name, "time") == 0)
    tn_session_set_clock(tn_page_get_session(page), g_strcmp0(value, "clock") == 0);
  else
    tn_session_set_skyline(tn_page_get_session(page), g_strcmp0(value, "skyline") == 0);
  tn_window_follow_bars(data);
}

/* The key that goes back and forth between the two, or says why there is only one. */
static void
toggle_time(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnSession *session = tn_window_get_session(window);
  if (!session)
    return;
  const TnView *view = tn_session_get_view(session);
  g_autofree char *reason = tn_study_dup_no_clock(view->study);
  if (reason)
    adw_toast_overlay_add_toast(window->toasts, adw_toast_new(reason));
  else
    tn_session_set_clock(session, !tn_view_is_clock(view));
  tn_window_follow_bars(window);
}

void
tn_window_add_bar_actions(TnWindow *window)
{
  static const GActionEntry toggle = {.name = "toggle-time", .activate = toggle_time};
  static const char *const states[] = {"none", "size", "offsets", "ticks"};
  g_action_map_add_action_entries(G_ACTION_MAP(window), &toggle, 1, window);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GSimpleAction) action = g_simple_action_new_stateful(
        names[i], G_VARIANT_TYPE_STRING, g_variant_new_string(states[i]));
    g_signal_connect(action, "activate", G_CALLBACK(activate), window);
    g_action_map_add_action(G_ACTION_MAP(window), G_ACTION(action));
  }
}
