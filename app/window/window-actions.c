/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

#include "app/window/edits.h"
#include "app/window/picture-dialog.h"
#include "app/window/report-dialog.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static void
close_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  AdwTabPage *tab = adw_tab_view_get_selected_page(window->tabs);
  if (window->loading)
    g_cancellable_cancel(window->loading);
  else if (tab)
    adw_tab_view_close_page(window->tabs, tab);
  else
    gtk_window_close(GTK_WINDOW(window));
}

/* NULL: as the file has them. */
static TnKeptOrder *
keep_order(TnSession *session)
{
  const TnDocument *base = tn_edits_get_base(session), *file = tn_session_get_file(session);
  return tn_kept_order_new(base, file);
}

/* The tab stays until what it showed has been read again: the file may be gone. */
static void
reload_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnPage *page = tn_window_get_page(window);
  TnWish wish = {.request = *(TnLoadRequest *)g_object_get_data(G_OBJECT(page), "request"),
                 .replaced = adw_tab_view_get_selected_page(window->tabs)};
  TnSession *session = tn_page_get_session(page);
  wish.request.device = tn_session_get_study(session)->device->ordinal;
  wish.request.preset = tn_session_get_study(session)->preset;
  wish.request.order = keep_order(session);
  wish.loses_order = tn_edits_has_order(session);
  tn_window_load(window, &wish);
  g_clear_pointer(&wish.request.order, tn_kept_order_unref);
}

static void
search_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_page_set_search(tn_window_get_page(data), true);
}

static void
next_hit_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_search_bar_step(tn_page_get_search(tn_window_get_page(data)), 1);
}

static void
previous_hit_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_search_bar_step(tn_page_get_search(tn_window_get_page(data)), -1);
}

static void
details_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnDiffPane *diff = tn_window_get_diff(data);
  if (diff)
    tn_diff_pane_toggle_causes(diff);
  else
    tn_page_toggle_details(tn_window_get_page(data));
}

static void
table_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnDiffPane *diff = tn_window_get_diff(data);
  if (diff)
    tn_diff_pane_toggle_table(diff);
  else
    tn_page_toggle_table(tn_window_get_page(data));
}

static void
peak_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnSession *session = tn_window_get_session(data);
  tn_session_show_tick(session, tn_session_get_study(session)->live->peak_at);
}

/* The next failed request after the cursor, round the end. */
static void
oom_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnSession *session = tn_window_get_session(window);
  const GArray *marks = tn_session_get_study(session)->device->marks;
  double cursor = tn_session_get_view(session)->cursor;
  tn_tick first = -1, next = -1;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM)
      continue;
    first = first < 0 ? mark->tick : first;
    if (next < 0 && (double)mark->tick > cursor)
      next = mark->tick;
  }
  if (first >= 0)
    tn_session_show_tick(session, next >= 0 ? next : first);
  else
    adw_toast_overlay_add_toast(window->toasts, adw_toast_new(_("No request failed in this file")));
}

static void
reset_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnDiffPane *diff = tn_window_get_diff(data);
  if (diff)
    tn_diff_pane_show_all(diff);
  else
    tn_session_reset_view(tn_window_get_session(data));
}

static void
show_range(TnSession *session)
{
  TnView view = *tn_session_get_view(session);
  if (!tn_session_has_range(session))
    return;
  view.t0 = view.r0;
  view.t1 = view.r1;
  tn_session_set_view(session, &view);
}

/* Once: centres the selection; again, or where it is in the middle: fits it.  Nothing selected: fits the
 * chosen range. */
static void
focus_buffer_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnSession *session = tn_window_get_session(data);
  if (!session) {
    tn_diff_pane_show_selected(tn_window_get_diff(data));
    return;
  }
  tn_index buffer = tn_session_get_view(session)->selected;
  if (buffer == TN_NONE) {
    show_range(session);
    return;
  }
  if (!tn_session_centre_buffer(session, buffer))
    tn_session_show_buffer(session, buffer, true);
}

static void
back_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_go_back(tn_window_get_session(data));
}

static void
forward_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_go_forward(tn_window_get_session(data));
}

static void
undo_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_undo_undo(tn_window_get_undo(data));
}

static void
redo_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_undo_redo(tn_window_get_undo(data));
}

static void
on_undo_changed(TnUndo *undo, TnWindow *window)
{
  GActionMap *map = G_ACTION_MAP(window);
  g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(map, "undo")),
                              undo && tn_undo_peek_undo(undo));
  g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(map, "redo")),
                              undo && tn_undo_peek_redo(undo));
}

void
tn_window_follow_undo(TnWindow *window)
{
  TnUndo *undo = window->loading ? NULL : tn_window_get_undo(window);
  if (undo != window->undo) {
    if (window->undo)
      g_signal_handlers_disconnect_by_data(window->undo, window);
    g_set_object(&window->undo, undo);
    if (undo)
      g_signal_connect_object(undo, "changed", G_CALLBACK(on_undo_changed), window, 0);
  }
  on_undo_changed(undo, window);
}

static void
plan_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_menu_button_popup(GTK_MENU_BUTTON(TN_WINDOW(data)->plan_button));
}

/* A tick as it is shown: 4282, 4,282 or 4 282. */
static bool
parse_tick(const char *text, gint64 end, gint64 *out_tick)
{
  g_autofree char *digits = g_strdup(text);
  char *to = digits;
  for (const char *at = text; *at; at++)
    if (*at != ',' && *at != ' ')
      *to++ = *at;
  *to = '\0';
  if (!digits[0] || strspn(digits, "0123456789") != strlen(digits))
    return false;
  *out_tick = CLAMP(g_ascii_strtoll(digits, NULL, 10), 0, end - 1);
  return true;
}

/* "0x7f00", all of it. */
static bool
parse_address(const char *text, guint64 *out_address)
{
  return g_str_has_prefix(text, "0x") && g_ascii_isxdigit(text[2]) &&
         g_ascii_string_to_unsigned(text + 2, 16, 0, G_MAXUINT64, out_address, NULL);
}

/* "1.2 s" since the recording began, where it has a clock. */
static bool
parse_time(const char *text, const TnStudy *study, gint64 *out_tick)
{
  double us;
  if (!study->clock || !tn_parse_us(text, &us))
    return false;
  *out_tick = CLAMP((gint64)tn_clock_tick(study->clock, us), 0, study->axis_end - 1);
  return true;
}

/* A tick, a time, or an address (0x…): the tick is shown, the address is searched for. */
static void
on_go_to_response(AdwMessageDialog *dialog, const char *response, TnWindow *window)
{
  GtkWidget *entry = adw_message_dialog_get_extra_child(dialog);
  g_autofree char *text =
      g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(entry))));
  TnSession *session = tn_window_get_session(window);
  if (g_strcmp0(response, "go") != 0 || !session || !text[0])
    return;
  TnView view = *tn_session_get_view(session);
  guint64 address;
  if (parse_address(text, &address)) {
    tn_bytes place = tn_address_map_place(view.study->map, address);
    double height = view.p1 - view.p0;
    if (place == TN_NOT_PLACED) {
      adw_toast_overlay_add_toast(window->toasts, adw_toast_new(_("Nothing has this address")));
      return;
    }
    view.p0 = (double)place - height / 8;
    view.p1 = view.p0 + height / 4;
    tn_session_set_view(session, &view);
    return;
  }
  gint64 tick;
  if (parse_tick(text, view.study->axis_end, &tick) || parse_time(text, view.study, &tick))
    tn_session_show_tick(session, tick);
  else
    adw_toast_overlay_add_toast(window->toasts,
                                adw_toast_new(_("Neither a tick, nor a time, nor an address (0x…)")));
}

static void
go_to_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnSession *session = tn_window_get_session(data);
  bool has_clock = session && tn_session_get_study(session)->clock;
  GtkWidget *dialog =
      adw_message_dialog_new(GTK_WINDOW(data), _("Go To"),
                             has_clock ? _("A tick, a time (1.2 s, 35 ms), or an address: 0x…")
                                       : _("A tick, or an address: 0x…"));
  GtkWidget *entry = gtk_entry_new();
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "close", _("_Cancel"), "go",
                                   _("_Go"), NULL);
  adw_message_dialog_set_extra_child(ADW_MESSAGE_DIALOG(dialog), entry);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "go");
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_go_to_response), data, 0);
  gtk_window_present(GTK_WINDOW(dialog));
  gtk_widget_grab_focus(entry);
}

/* What the tab in front shows; NULL while a comparison has no picture. */
static TnReportContent *
build_content(TnWindow *window)
{
  TnDiffPane *diff = tn_window_get_diff(window);
  TnView shown;
  if (!diff)
    return tn_page_build_content(tn_window_get_page(window));
  return tn_diff_pane_get_shown(diff, &shown)
             ? tn_report_content_new_for_diff(tn_diff_pane_get_model(diff),
                                              tn_diff_pane_get_layout(diff), &shown)
             : NULL;
}

static void
export_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnReportContent *content = build_content(window);
  if (content)
    tn_report_dialog_show(GTK_WINDOW(window), content, window->toasts);
}

static void
export_picture_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnPage *page = tn_window_get_page(window);
  const char *view = page ? tn_page_get_view(page) : NULL;
  TnReportContent *content = build_content(window);
  if (content && tn_picture_dialog_is_possible(content, view)) {
    tn_picture_dialog_show(GTK_WINDOW(window), content, view, window->toasts);
  } else if (content) {
    adw_toast_overlay_add_toast(window->toasts, adw_toast_new(_("This view has no picture yet")));
    tn_report_content_unref(content);
  }
}

static void
fullscreen_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (gtk_window_is_fullscreen(data))
    gtk_window_unfullscreen(data);
  else
    gtk_window_fullscreen(data);
}

/* The state of "win.view" follows the page in front. */
static void
view_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  static const char *const layouts[] = {"maps", "live-set", "flame"}; /* 1, 2, 3 */
  TnPage *page = tn_window_get_page(data);
  TnDiffPane *diff = tn_window_get_diff(data);
  for (guint i = 0; diff && i < G_N_ELEMENTS(layouts); i++)
    if (g_strcmp0(g_variant_get_string(parameter, NULL), layouts[i]) == 0)
      tn_diff_pane_set_layout(diff, (TnDiffLayout)i);
  if (!page || !tn_page_has_view(page, g_variant_get_string(parameter, NULL)))
    return;
  tn_page_set_view(page, g_variant_get_string(parameter, NULL));
  g_simple_action_set_state(action, parameter);
}

static const char *const unit_names[] = {"iec", "si", "bytes"};

void
tn_window_rewrite(TnWindow *window)
{
  g_simple_action_set_state(
      G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), "units")),
      g_variant_new_string(unit_names[tn_settings_get_units()]));
  for (int i = 0; i < adw_tab_view_get_n_pages(window->tabs); i++) {
    AdwTabPage *tab = adw_tab_view_get_nth_page(window->tabs, i);
    GtkWidget *child = adw_tab_page_get_child(tab);
    if (TN_IS_PAGE(child))
      tn_session_set_units(tn_page_get_session(TN_PAGE(child)), tn_settings_get_units());
    else if (TN_IS_DIFF_PANE(child))
      tn_diff_pane_invalidate(TN_DIFF_PANE(child));
    else if (TN_IS_OVERVIEW(child))
      tn_overview_invalidate(TN_OVERVIEW(child));
  }
  tn_window_refresh(window);
}

/* All windows of the application write sizes alike. */
void
tn_window_set_units(TnWindow *window, const char *name)
{
  GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
  for (guint i = 0; i < G_N_ELEMENTS(unit_names); i++)
    if (g_strcmp0(unit_names[i], name) == 0)
      tn_settings_set_units((TnUnits)i);
  for (GList *at = gtk_application_get_windows(application); at; at = at->next)
    if (TN_IS_WINDOW(at->data))
      tn_window_rewrite(at->data);
}

static void
units_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_window_set_units(data, g_variant_get_string(parameter, NULL));
}

static void
add_units_action(TnWindow *window)
{
  GSimpleAction *action = g_simple_action_new_stateful(
      "units", G_VARIANT_TYPE_STRING, g_variant_new_string(unit_names[tn_settings_get_units()]));
  g_signal_connect(action, "activate", G_CALLBACK(units_action), window);
  g_action_map_add_action(G_ACTION_MAP(window), G_ACTION(action));
  g_object_unref(action);
}

static void
add_view_action(TnWindow *window)
{
  GSimpleAction *action = g_simple_action_new_stateful("view", G_VARIANT_TYPE_STRING,
                                                       g_variant_new_string("maps"));
  g_signal_connect(action, "activate", G_CALLBACK(view_action), window);
  g_action_map_add_action(G_ACTION_MAP(window), G_ACTION(action));
  g_object_unref(action);
}

void
tn_window_add_page_actions(TnWindow *window)
{
  static const GActionEntry actions[] = {
      {.name = "close", .activate = close_action},
      {.name = "reload", .activate = reload_action},
      {.name = "search", .activate = search_action},
      {.name = "next-hit", .activate = next_hit_action},
      {.name = "previous-hit", .activate = previous_hit_action},
      {.name = "details", .activate = details_action},
      {.name = "table", .activate = table_action},
      {.name = "peak", .activate = peak_action},
      {.name = "oom", .activate = oom_action},
      {.name = "reset", .activate = reset_action},
      {.name = "focus-buffer", .activate = focus_buffer_action},
      {.name = "back", .activate = back_action},
      {.name = "forward", .activate = forward_action},
      {.name = "undo", .activate = undo_action},
      {.name = "redo", .activate = redo_action},
      {.name = "plan", .activate = plan_action},
      {.name = "go-to", .activate = go_to_action},
      {.name = "export", .activate = export_action},
      {.name = "export-picture", .activate = export_picture_action},
      {.name = "fullscreen", .activate = fullscreen_action},
  };
  g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
  add_view_action(window);
  add_units_action(window);
}
