/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/test-state.h"

#include "app/window/edit-panel.h"
#include "app/window/budget-view.h"
#include "app/window/orders-view.h"
#include "app/window/context-menu.h"
#include "app/window/test-buttons.h"
#include "app/window/what-if.h"
#include "data/json.h"

static void
append_rect(GString *out, const char *name, GtkWidget *maps, TnRect r)
{
  double x = 0, y = 0, left = 0, top = 0;
  GtkWidget *root = GTK_WIDGET(gtk_widget_get_root(maps));
  if (root) {
    gtk_widget_translate_coordinates(maps, root, r.x, r.y, &x, &y);
    /* The window's shadow is part of its surface. */
    gtk_native_get_surface_transform(GTK_NATIVE(root), &left, &top);
  }
  g_string_append_printf(out, ", \"%s\": [%d, %d, %d, %d]", name, (int)(x + left), (int)(y + top), (int)r.width,
                         (int)r.height);
}

/* What the map and the bars show of their heights: places in bytes, lanes, pixels of a lane. */
static void
append_rows(GString *out, const TnView *view)
{
  static const char *const names[] = {"p0", "p1", "lane_top", "lane_height"};
  const double figures[] = {view->p0, view->p1, view->lane_top, view->lane_height};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    char text[32];
    g_ascii_formatd(text, sizeof text, "%.4f", figures[i]);
    g_string_append_printf(out, ", \"%s\": %s", names[i], text);
  }
  if (view->selected != TN_NONE)
    g_string_append_printf(out, ", \"lane\": %u", view->study->lanes->lane[view->selected]);
}

static GtkWidget *
find_widget(GtkWidget *widget, GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE(widget, type) ? widget : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_widget(child, type);
  return found;
}

static void
append_verdict(GString *out, TnPage *page)
{
  GtkWidget *panel = find_widget(GTK_WIDGET(page), TN_TYPE_WHAT_IF);
  g_autofree char *text =
      g_strescape(panel ? tn_what_if_get_verdict(TN_WHAT_IF(panel)) : "", NULL);
  g_string_append_printf(out, ", \"what_if\": \"%s\"", text);
}

/* What the panel of edits says; nothing where there is no graph. */
static void
append_edits(GString *out, TnPage *page)
{
  GtkWidget *panel = tn_page_get_edit_panel(page);
  TnEditFigures before = {0}, after = {0};
  if (!panel)
    return;
  TnEdits *edits = tn_edits_get(tn_page_get_session(page));
  bool has_figures = tn_edits_get_figures(edits, &before, &after);
  g_autofree char *message =
      g_strescape(tn_edit_panel_get_message(TN_EDIT_PANEL(panel)), NULL);
  g_string_append_printf(out,
                         ", \"edits\": %u, \"planning\": %s, \"peak_before\": %" G_GINT64_FORMAT
                         ", \"peak_after\": %" G_GINT64_FORMAT ", \"arena_after\": %" G_GINT64_FORMAT
                         ", \"edit_message\": \"%s\"",
                         tn_edits_count(tn_page_get_session(page)),
                         tn_edits_is_planning(edits) ? "true" : "false",
                         has_figures ? before.peak : 0, has_figures ? after.peak : 0,
                         has_figures ? after.arena : 0, message);
}

static void
append_sharing(GString *out, TnPage *page)
{
  const char *text = tn_page_get_sharing(page);
  g_string_append(out, ", \"sharing\": ");
  tn_json_append_string(out, text ? text : "");
}

static void
append_orders(GString *out, TnPage *page)
{
  GtkWidget *view = find_widget(GTK_WIDGET(page), TN_TYPE_ORDERS_VIEW);
  if (!view)
    return;
  const TnOrderComparison *comparison = tn_orders_view_get_comparison(TN_ORDERS_VIEW(view));
  guint selected = tn_orders_view_get_selected(TN_ORDERS_VIEW(view));
  const TnOrderRow *row = selected < comparison->rows->len
                              ? tn_order_comparison_get(comparison, selected)
                              : NULL;
  g_string_append_printf(out,
                         ", \"orders\": %u, \"order\": \"%s\", \"order_peak\": %" G_GINT64_FORMAT,
                         comparison->rows->len, row ? row->method->name : "",
                         row ? row->answer->peak : 0);
}

static void
append_budget(GString *out, TnPage *page)
{
  GtkWidget *view = find_widget(GTK_WIDGET(page), TN_TYPE_BUDGET_VIEW);
  const TnBudgetAnswer *plan = view ? tn_budget_view_get_plan(TN_BUDGET_VIEW(view)) : NULL;
  const TnBudgetAnswer *sweep = view ? tn_budget_view_get_sweep(TN_BUDGET_VIEW(view)) : NULL;
  if (!plan || !plan->answer)
    return;
  g_string_append_printf(out,
                         ", \"budget\": %" G_GINT64_FORMAT ", \"budget_least\": %" G_GINT64_FORMAT
                         ", \"budget_fits\": %s, \"budget_curve\": %u",
                         plan->answer->budget, plan->answer->smallest_budget,
                         plan->answer->found.is_found ? "true" : "false",
                         sweep && sweep->answer ? sweep->answer->sweep->len : 0);
}

static void
append_search(GString *out, TnPage *page)
{
  TnSearchBar *bar = tn_page_get_search(page);
  const char *error = tn_search_bar_get_error(bar);
  g_autofree char *count = tn_search_bar_build_count(bar);
  g_autofree char *escaped = g_strescape(error ? error : "", NULL);
  /* g_strescape() writes octal, which JSON has not. */
  for (char *at = escaped; *at; at++)
    *at = *at == '\\' ? '/' : *at;
  for (char *at = count; *at; at++)
    *at = *at & 0x80 ? '?' : *at;
  g_string_append_printf(out, ", \"filters\": %u, \"shown\": %u, \"count\": \"%s\", \"search_error\": \"%s\"",
                         tn_search_bar_count_filters(bar), tn_search_bar_get_shown(bar), count,
                         escaped);
}

char *
tn_test_state_dup_clipboard(GtkWidget *widget)
{
  GdkContentProvider *content = gdk_clipboard_get_content(gtk_widget_get_clipboard(widget));
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_STRING);
  bool has_text = content && gdk_content_provider_get_value(content, &value, NULL);
  g_autofree char *text = g_strdup(has_text ? g_value_get_string(&value) : "");
  /* g_strescape() writes octal, which JSON has not. */
  for (char *at = text; *at; at++)
    *at = *at & 0x80 ? '?' : *at;
  return g_strescape(g_strdelimit(text, "\"\\", '\''), NULL);
}

static void
append_clipboard(GString *out, TnPage *page)
{
  g_autofree char *escaped = tn_test_state_dup_clipboard(GTK_WIDGET(page));
  g_string_append_printf(out, ", \"clipboard\": \"%s\", \"menu\": %s", escaped,
                         tn_context_menu_is_open(GTK_WIDGET(page)) ? "true" : "false");
}

static void plan_write(TnPage *page);

/* The end of the chosen range as it is told and drawn. */
static tn_tick
range_end(const TnView *view)
{
  tn_tick from, to;
  tn_view_range_ticks(view, &from, &to);
  return to;
}

static gboolean
write_state(gpointer data)
{
  TnPage *page = data;
  TnSession *session = tn_page_get_session(page);
  g_object_set_data(G_OBJECT(page), "state-pending", NULL);
  if (!session || !gtk_widget_get_root(GTK_WIDGET(page)))
    return G_SOURCE_REMOVE;
  const TnView *view = tn_session_get_view(session);
  TnRect live, offsets, lanes;
  g_autofree char *name = tn_maps_describe(session, view->selected);
  g_autofree char *escaped = g_strescape(name, NULL);
  g_autofree char *tip = g_strescape(tn_maps_get_tip(tn_page_get_maps(page)), NULL);
  g_autoptr(GString) out = g_string_new(NULL);
  /* Ticks may be broken: a zoom keeps them apart. */
  char t0[32], t1[32];
  g_ascii_formatd(t0, sizeof t0, "%.4f", view->t0);
  g_ascii_formatd(t1, sizeof t1, "%.4f", view->t1);
  tn_maps_get_plots(tn_page_get_maps(page), &live, &offsets, &lanes);
  /* Not laid out or not drawn yet: once more, a little later. */
  if (lanes.width <= 0.0 || !tn_maps_is_drawn(tn_page_get_maps(page))) {
    plan_write(page);
    return G_SOURCE_REMOVE;
  }
  g_string_printf(out,
                  "{\"selected\": %d, \"table\": %d, \"details\": %d, \"hovered\": %d, \"t0\": %s, \"t1\": %s, \"axis_end\": %d, "
                  "\"cursor\": %d, \"arena_bytes\": %" G_GINT64_FORMAT ", \"device\": %d, "
                  "\"search\": %s, \"description\": \"%s\", \"tip\": \"%s\"",
                  (int)view->selected, (int)tn_page_get_table_buffer(page),
                  (int)tn_page_get_details_buffer(page), (int)view->hovered, t0, t1,
                  (int)view->study->axis_end, (int)view->cursor, view->study->arena_bytes,
                  view->study->device->ordinal,
                  tn_session_get_match(session) ? "true" : "false", escaped, tip);
  append_rows(out, view);
  append_rect(out, "live", GTK_WIDGET(tn_page_get_maps(page)), live);
  append_rect(out, "offsets", GTK_WIDGET(tn_page_get_maps(page)), offsets);
  append_rect(out, "lanes", GTK_WIDGET(tn_page_get_maps(page)), lanes);
  append_verdict(out, page);
  append_sharing(out, page);
  append_edits(out, page);
  append_orders(out, page);
  append_budget(out, page);
  g_string_append_printf(out, ", \"view\": \"%s\"", tn_page_get_view(page));
  append_search(out, page);
  append_clipboard(out, page);
  g_string_append_printf(
      out,
      ", \"bookmarks\": %u, \"moment\": %d, \"group\": \"%s\", \"sort\": \"%s\", \"n_lanes\": %u, "
      "\"n_lane_groups\": %u, \"skyline\": %s, \"clock\": %s, \"preset\": \"%s\", \"range\": [%d, "
      "%d], \"range_end\": %" G_GINT64_FORMAT,
      tn_notes_count(tn_session_get_notes(session)), (int)tn_session_get_moment(session),
      tn_bar_order_get_group(tn_page_get_bar_order(page)),
      tn_bar_order_get_sort(tn_page_get_bar_order(page)), view->study->lanes->n,
      view->study->lanes->n_groups, view->is_skyline ? "true" : "false",
      tn_view_is_clock(view) ? "true" : "false", view->study->preset ? view->study->preset : "",
      (int)view->r0, (int)view->r1, range_end(view));
  tn_test_buttons_append(out, GTK_WIDGET(gtk_widget_get_root(GTK_WIDGET(page))));
  g_string_append(out, "}\n");
  g_file_set_contents(g_getenv("TENURE_STATE_FILE"), out->str, (gssize)out->len, NULL);
  return G_SOURCE_REMOVE;
}

static void
plan_write(TnPage *page)
{
  if (g_object_get_data(G_OBJECT(page), "state-pending"))
    return;
  g_object_set_data(G_OBJECT(page), "state-pending", page);
  g_timeout_add_full(G_PRIORITY_DEFAULT, 30, write_state, g_object_ref(page), g_object_unref);
}

static gboolean
write_again(gpointer page)
{
  g_object_set_data(G_OBJECT(page), "state-again", NULL);
  return write_state(page);
}

/* Some of what follows a change comes from another thread, after it: once more, then. */
static void
on_changed(gpointer source, TnPage *page)
{
  plan_write(page);
  if (g_object_get_data(G_OBJECT(page), "state-again"))
    return;
  g_object_set_data(G_OBJECT(page), "state-again", page);
  g_timeout_add_full(G_PRIORITY_DEFAULT, 300, write_again, g_object_ref(page), g_object_unref);
}

void
tn_test_state_watch(TnPage *page)
{
  static const char *const names[] = {"selection-changed", "view-changed", "study-changed",
                                      "match-changed"};
  if (!g_getenv("TENURE_STATE_FILE"))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    g_signal_connect_object(tn_page_get_session(page), names[i], G_CALLBACK(on_changed), page, 0);
  const char *const edits[] = {"changed", "measured"};
  for (gsize i = 0; i < G_N_ELEMENTS(edits) && tn_page_get_edit_panel(page); i++)
    g_signal_connect_object(tn_edits_get(tn_page_get_session(page)), edits[i], G_CALLBACK(on_changed), page, 0);
  const GType types[] = {TN_TYPE_WHAT_IF, TN_TYPE_ORDERS_VIEW, TN_TYPE_BUDGET_VIEW};
  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    GtkWidget *panel = find_widget(GTK_WIDGET(page), types[i]);
    if (panel)
      g_signal_connect_object(panel, "answered", G_CALLBACK(on_changed), page, 0);
  }
  g_signal_connect_object(tn_session_get_notes(tn_page_get_session(page)), "changed",
                          G_CALLBACK(on_changed), page, 0);
  g_signal_connect_object(gtk_widget_get_clipboard(GTK_WIDGET(page)), "changed",
                          G_CALLBACK(on_changed), page, 0);
  g_timeout_add_full(G_PRIORITY_DEFAULT, 400, write_state, g_object_ref(page), g_object_unref);
}
