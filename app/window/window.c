/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

#include "app/window/edit-actions.h"
#include "app/window/plain-keys.h"
#include "app/window/planner.h"
#include "app/window/settings.h"
#include "app/window/shapes.h"
#include "app/window/start-page.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"
#include "app/window/view-switch.h"
#include "app/window/watchdog.h"

#include <glib/gi18n.h>

G_DEFINE_TYPE(TnWindow, tn_window, ADW_TYPE_APPLICATION_WINDOW)

/* What the tab in front holds; NULL: there is no tab. */
static GtkWidget *
front_child(TnWindow *window)
{
  AdwTabPage *tab = adw_tab_view_get_selected_page(window->tabs);
  return tab ? adw_tab_page_get_child(tab) : NULL;
}

TnPage *
tn_window_get_page(TnWindow *window)
{
  GtkWidget *child = front_child(window);
  return child && TN_IS_PAGE(child) ? TN_PAGE(child) : NULL;
}

/* The tab in front where it compares two files, else NULL. */
TnDiffPane *
tn_window_get_diff(TnWindow *window)
{
  GtkWidget *child = front_child(window);
  return child && TN_IS_DIFF_PANE(child) ? TN_DIFF_PANE(child) : NULL;
}

TnOverview *
tn_window_get_overview(TnWindow *window)
{
  GtkWidget *child = front_child(window);
  return child && TN_IS_OVERVIEW(child) ? TN_OVERVIEW(child) : NULL;
}

TnSession *
tn_window_get_session(TnWindow *window)
{
  TnPage *page = tn_window_get_page(window);
  return page ? tn_page_get_session(page) : NULL;
}

TnPage *
tn_window_find_page(TnWindow *window, TnSession *session)
{
  for (int i = 0; i < adw_tab_view_get_n_pages(window->tabs); i++) {
    GtkWidget *child = adw_tab_page_get_child(adw_tab_view_get_nth_page(window->tabs, i));
    if (TN_IS_PAGE(child) && tn_page_get_session(TN_PAGE(child)) == session)
      return TN_PAGE(child);
  }
  return NULL;
}

TnUndo *
tn_window_get_undo(TnWindow *window)
{
  TnSession *session = tn_window_get_session(window);
  TnDiffPane *diff = tn_window_get_diff(window);
  return session ? tn_session_get_undo(session) : diff ? tn_diff_pane_get_undo(diff) : NULL;
}

/* ---- the header ---------------------------------------------------------------------------------- */

/* All names at once: GTK 4.8 walks a list for each that is appended. */
static void
list_devices(TnWindow *window, const TnDocument *document)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_array_set_size(window->device_rows, 0);
  for (uint32_t i = 0; document && i < document->devices->len; i++) {
    if (!tn_study_device_has_content(document, i))
      continue;
    g_ptr_array_add(names, tn_document_dup_device_label(document, tn_document_get_device(document, i)));
    g_array_append_val(window->device_rows, i);
  }
  g_ptr_array_add(names, NULL);
  gtk_string_list_splice(window->device_names, 0,
                         g_list_model_get_n_items(G_LIST_MODEL(window->device_names)),
                         (const char *const *)names->pdata);
}

/* The list is made again only for another file: a graph with edits is on the same devices. */
static void
follow_devices(TnWindow *window)
{
  TnSession *session = tn_window_get_session(window);
  guint shown = 0;
  window->is_filling_devices = true;
  if (g_set_object(&window->devices_of, session))
    list_devices(window, session ? tn_session_get_file(session) : NULL);
  while (session && shown < window->device_rows->len &&
         g_array_index(window->device_rows, uint32_t, shown) != tn_session_get_study(session)->device_row)
    shown++;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(window->devices), shown < window->device_rows->len ? shown : 0);
  gtk_widget_set_visible(window->devices, window->device_rows->len > 1);
  window->is_filling_devices = false;
}

static void
on_device(GtkDropDown *drop, GParamSpec *pspec, TnWindow *window)
{
  TnSession *session = tn_window_get_session(window);
  guint row = gtk_drop_down_get_selected(drop);
  if (!session || window->is_filling_devices || row >= window->device_rows->len)
    return;
  tn_load_device(session, g_array_index(window->device_rows, uint32_t, row));
}

static void
set_actions(TnWindow *window)
{
  static const char *const names[] = {"export",       "export-picture", "search",       "next-hit",
                                      "previous-hit", "bookmark",       "export-notes", "details",
                                      "table",        "peak",           "oom",          "reset",
                                      "focus-buffer", "go-to",          "back",         "forward",
                                      "plan",         "reload",         "compare"};
  bool has_page = tn_window_get_page(window) != NULL && !window->loading;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), names[i]);
    if (action)
      g_simple_action_set_enabled(G_SIMPLE_ACTION(action), has_page);
  }
  /* What a comparison has as well, or alone. */
  static const char *const both[] = {"export", "export-picture", "details", "table",
                                     "reset",  "focus-buffer",   "swap"};
  bool has_diff = tn_window_get_diff(window) != NULL && !window->loading;
  for (gsize i = 0; i < G_N_ELEMENTS(both); i++)
    g_simple_action_set_enabled(
        G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), both[i])),
        has_diff || (has_page && !g_str_equal(both[i], "swap")));
}

/* A closed window may still hear of its tabs, and of what it was reading. */
bool
tn_window_is_closed(const TnWindow *window)
{
  return window->device_rows == NULL;
}

/* A button for each view that the page has. */
static void
show_views(TnWindow *window, TnPage *page)
{
  for (GtkWidget *button = gtk_widget_get_first_child(window->switcher); button;
       button = gtk_widget_get_next_sibling(button)) {
    GVariant *name = gtk_actionable_get_action_target_value(GTK_ACTIONABLE(button));
    gtk_widget_set_visible(button,
                           page && tn_page_has_view(page, g_variant_get_string(name, NULL)));
  }
}

static void
on_layout(GdkSurface *surface, int width, int height, TnWindow *window)
{
  tn_view_switch_follow_width(window->view_switch, width);
}

static void
on_realize(GtkWidget *widget, gpointer data)
{
  GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(widget));
  g_signal_connect_object(surface, "layout", G_CALLBACK(on_layout), widget, 0);
}

static void
set_title(TnWindow *window, const char *title, const char *below)
{
  adw_window_title_set_title(ADW_WINDOW_TITLE(window->title), title);
  adw_window_title_set_subtitle(ADW_WINDOW_TITLE(window->title), below);
  gtk_window_set_title(GTK_WINDOW(window), title);
}

void
tn_window_refresh(TnWindow *window)
{
  if (tn_window_is_closed(window))
    return;
  TnPage *page = tn_window_get_page(window);
  TnSession *session = tn_window_get_session(window);
  bool is_loading = window->loading != NULL;
  TnDiffPane *diff = tn_window_get_diff(window);
  bool has_tab = adw_tab_view_get_selected_page(window->tabs) != NULL;
  gtk_stack_set_visible_child_name(GTK_STACK(window->stack), is_loading ? "loading"
                                                             : has_tab  ? "tabs"
                                                                        : "start");
  set_actions(window);
  tn_window_follow_undo(window);
  tn_window_refresh_edit_actions(window);
  tn_window_follow_selection(window);
  tn_window_follow_bars(window);
  gtk_widget_set_visible(window->plan_button, page != NULL);
  gtk_widget_set_visible(window->view_switch, page != NULL);
  show_views(window, page);
  tn_view_switch_follow_width(window->view_switch, gtk_widget_get_width(GTK_WIDGET(window)));
  gtk_widget_set_visible(window->shapes_button, tn_shapes_has_any(session));
  tn_shapes_set_session(TN_SHAPES(window->shapes), session);
  if (page)
    g_simple_action_set_state(
        G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), "view")),
        g_variant_new_string(tn_page_get_view(page)));
  tn_planner_set_session(TN_PLANNER(window->planner), session);
  follow_devices(window);
  if (diff) {
    g_autofree char *both = tn_diff_pane_build_title(diff);
    set_title(window, both, _("compared"));
    return;
  }
  TnOverview *overview = tn_window_get_overview(window);
  if (overview) {
    g_autofree char *many = tn_overview_build_title(overview);
    set_title(window, many, _("beside each other"));
    return;
  }
  if (!page) {
    set_title(window, "Tenure", "");
    return;
  }
  g_autofree char *name = tn_session_build_title(session);
  g_autofree char *below = tn_page_build_subtitle(page);
  set_title(window, name, below);
}

static void
on_selected_page(AdwTabView *tabs, GParamSpec *pspec, TnWindow *window)
{
  tn_window_refresh(window);
}

/* ---- making -------------------------------------------------------------------------------------- */

static GtkWidget *
make_switcher(void)
{
  static const struct {
    const char *name, *title;
  } views[] = {{"maps", N_("Maps")}, {"live-set", N_("Live set")}, {"flame", N_("Stacks")},
               {"oom", N_("OOM")},   {"orders", N_("Orders")},     {"budget", N_("Budget")}};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class(box, "linked");
  gtk_widget_add_css_class(box, "view-switch");
  for (gsize i = 0; i < G_N_ELEMENTS(views); i++) {
    GtkWidget *button = gtk_toggle_button_new_with_label(_(views[i].title));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.view");
    gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "s", views[i].name);
    gtk_box_append(GTK_BOX(box), button);
  }
  return box;
}

static GtkWidget *
icon_button(const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  tn_tip_set(button, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  return button;
}

/* Shows the key itself: Ctrl + V is no accelerator of the application, see plain-keys.h. */
static void
append_paste(GMenu *menu)
{
  g_autoptr(GMenuItem) item = g_menu_item_new(_("_Paste a Log"), "win.paste");
  g_menu_item_set_attribute(item, "accel", "s", "<Control>v");
  g_menu_append_item(menu, item);
}

static void
append_edits(GMenu *menu)
{
  g_autoptr(GMenuModel) edits = tn_edit_menu_new();
  GMenu *list = g_menu_new();
  g_menu_append(list, _("S_how the Edits"), "win.edits");
  g_menu_append(list, _("_Load Edits…"), "win.edit-load");
  g_menu_append(list, _("Sa_ve Edits…"), "win.edit-save");
  g_menu_append(list, _("Remove _All"), "win.edit-clear");
  g_menu_append_section(G_MENU(edits), NULL, G_MENU_MODEL(list));
  g_menu_append_submenu(menu, _("_Edit the Graph"), edits);
  g_object_unref(list);
}

static GMenuModel *
make_menu(void)
{
  GMenu *menu = g_menu_new(), *view = g_menu_new(), *help = g_menu_new();
  g_menu_append(menu, _("Rep_ort…"), "win.export");
  g_menu_append(menu, _("Export P_icture…"), "win.export-picture");
  append_paste(menu);
  g_menu_append(menu, _("Export _Notes…"), "win.export-notes");
  g_menu_append(menu, _("_Compare With…"), "win.compare");
  g_menu_append(menu, _("S_wap Sides"), "win.swap");
  g_menu_append(menu, _("_Undo"), "win.undo");
  g_menu_append(menu, _("_Redo"), "win.redo");
  g_menu_append(menu, _("Re_load"), "win.reload");
  append_edits(menu);
  g_menu_append(view, _("Side _Pane"), "win.details");
  g_menu_append(view, _("_Table"), "win.table");
  g_menu_append(view, _("_Full Screen"), "win.fullscreen");
  g_menu_append(help, _("_Preferences"), "app.preferences");
  g_menu_append(help, _("_Keyboard Shortcuts"), "win.show-help-overlay");
  g_menu_append(help, _("_Help"), "app.help");
  g_menu_append(help, _("_About Tenure"), "app.about");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(view));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(help));
  g_object_unref(view);
  g_object_unref(help);
  return G_MENU_MODEL(menu);
}

static GtkWidget *
make_menu_button(void)
{
  GtkWidget *button = gtk_menu_button_new();
  g_autoptr(GMenuModel) menu = make_menu();
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "open-menu-symbolic");
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), menu);
  gtk_menu_button_set_primary(GTK_MENU_BUTTON(button), TRUE);
  tn_tip_set(button, _("Main Menu"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Main Menu"), -1);
  return button;
}

/* The header's two lines give way where it is narrow, and are libadwaita's: what they have no room for is told beside
 * the pointer. */
static void
tell_whole(GtkWidget *widget)
{
  if (GTK_IS_LABEL(widget))
    tn_tip_whole(widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
    tell_whole(child);
}

static GtkWidget *
make_header(TnWindow *window)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *open = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Open")));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open");
  window->title = adw_window_title_new("Tenure", "");
  tell_whole(window->title);
  window->device_names = gtk_string_list_new(NULL);
  window->devices = gtk_drop_down_new(G_LIST_MODEL(g_object_ref(window->device_names)), NULL);
  tn_view_name_drop_down(window->devices, _("Device"));
  window->device_rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  window->planner = tn_planner_new();
  window->plan_button = gtk_menu_button_new();
  window->shapes = tn_shapes_new(tn_window_on_shapes, window);
  window->shapes_button = gtk_menu_button_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(window->shapes_button), _("Shapes"));
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(window->shapes_button), window->shapes);
  gtk_menu_button_set_label(GTK_MENU_BUTTON(window->plan_button), _("Plan"));
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(window->plan_button), window->planner);
  tn_tip_set(window->devices, _("Device"));
  g_signal_connect(window->devices, "notify::selected", G_CALLBACK(on_device), window);
  adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), window->title);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), open);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header),
                            icon_button("go-previous-symbolic", _("Back"), "win.back"));
  adw_header_bar_pack_start(ADW_HEADER_BAR(header),
                            icon_button("go-next-symbolic", _("Forward"), "win.forward"));
  window->switcher = make_switcher();
  window->view_switch = tn_view_switch_new(window->switcher, _("View"));
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), window->view_switch);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), window->devices);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), make_menu_button());
  adw_header_bar_pack_end(ADW_HEADER_BAR(header),
                          icon_button("edit-find-symbolic", _("Search"), "win.search"));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header),
                          icon_button("document-save-symbolic", _("Report"), "win.export"));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), window->plan_button);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), window->shapes_button);
  return header;
}

static GtkWidget *
make_loading(TnWindow *window)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *cancel = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Cancel")));
  window->progress = gtk_progress_bar_new();
  window->progress_label = gtk_label_new(_("Reading"));
  gtk_widget_set_size_request(window->progress, 280, -1);
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_halign(cancel, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(cancel, "pill");
  g_signal_connect(cancel, "clicked", G_CALLBACK(tn_window_cancel_loading), window);
  gtk_box_append(GTK_BOX(box), window->progress_label);
  gtk_box_append(GTK_BOX(box), window->progress);
  gtk_box_append(GTK_BOX(box), cancel);
  return box;
}

static GtkWidget *
make_tabs(TnWindow *window)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  AdwTabBar *bar = adw_tab_bar_new();
  window->tabs = adw_tab_view_new();
  adw_tab_bar_set_view(bar, window->tabs);
  adw_tab_bar_set_autohide(bar, TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(window->tabs), TRUE);
  g_signal_connect(window->tabs, "notify::selected-page", G_CALLBACK(on_selected_page), window);
  tn_window_follow_tabs(window);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(bar));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(window->tabs));
  return box;
}

static void
dispose(GObject *object)
{
  TnWindow *window = TN_WINDOW(object);
  if (window->loading)
    g_cancellable_cancel(window->loading);
  tn_window_forget_queue(window);
  g_clear_object(&window->devices_of);
  if (window->undo)
    g_signal_handlers_disconnect_by_data(window->undo, window);
  g_clear_object(&window->undo);
  g_clear_pointer(&window->device_rows, g_array_unref);
  g_clear_object(&window->device_names);
  G_OBJECT_CLASS(tn_window_parent_class)->dispose(object);
}

/* Not before: GTK sets "maximized" back while it makes the window. */
static void
constructed(GObject *object)
{
  G_OBJECT_CLASS(tn_window_parent_class)->constructed(object);
  tn_settings_bind_window(GTK_WINDOW(object));
}

static void
tn_window_class_init(TnWindowClass *class)
{
  G_OBJECT_CLASS(class)->constructed = constructed;
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_window_init(TnWindow *window)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  tn_watchdog_watch_frames(GTK_WIDGET(window));
  tn_window_add_open_actions(window);
  tn_window_add_page_actions(window);
  tn_window_add_edit_actions(window);
  tn_window_add_buffer_actions(window);
  tn_window_add_bar_actions(window);
  window->toasts = ADW_TOAST_OVERLAY(adw_toast_overlay_new());
  window->stack = gtk_stack_new();
  GtkWidget *header = make_header(window), *tabs = make_tabs(window);
  gtk_stack_add_named(GTK_STACK(window->stack), tn_start_page_new(), "start");
  gtk_stack_add_named(GTK_STACK(window->stack), make_loading(window), "loading");
  gtk_stack_add_named(GTK_STACK(window->stack), tabs, "tabs");
  gtk_widget_set_vexpand(window->stack, TRUE);
  adw_toast_overlay_set_child(window->toasts, window->stack);
  gtk_box_append(GTK_BOX(box), header);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(window->toasts));
  adw_application_window_set_content(ADW_APPLICATION_WINDOW(window), box);
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect(target, "drop", G_CALLBACK(tn_window_on_drop), window);
  gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(target));
  tn_plain_keys_add(GTK_WIDGET(window));
  g_signal_connect(window, "realize", G_CALLBACK(on_realize), NULL);
  tn_window_refresh(window);
}

TnWindow *
tn_window_new(AdwApplication *application)
{
  return g_object_new(TN_TYPE_WINDOW, "application", application, NULL);
}
