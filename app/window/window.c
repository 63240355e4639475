/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window.h"

#include "app/window/diff-pane.h"
#include "app/window/export-dialog.h"
#include "app/window/loader.h"
#include "app/window/page.h"
#include "app/window/plain-keys.h"
#include "app/window/planner.h"
#include "app/window/settings.h"
#include "app/window/shapes.h"
#include "app/window/start-page.h"
#include "app/window/test-state.h"
#include "data/error.h"

#include <string.h>

struct _TnWindow {
  AdwApplicationWindow parent_instance;
  GtkWidget *title, *stack, *progress, *progress_label, *plan_button, *planner, *devices, *switcher, *shapes_button,
      *shapes;
  GtkStringList *device_names;
  GArray *device_rows; /* uint32_t */
  AdwTabView *tabs;
  AdwToastOverlay *toasts;
  GCancellable *loading;
  TnLoadRequest asked; /* what is being read; path, text and bindings are the window's */
  AdwTabPage *replaced; /* the tab that is read again; NULL: none */
  char *then_compare; /* open this next, and compare it with what is loading */
  TnSession *compare_with; /* compare what is loading with this; owned */
  bool is_filling_devices;
};

G_DEFINE_TYPE(TnWindow, tn_window, ADW_TYPE_APPLICATION_WINDOW)

static TnPage *
current_page(TnWindow *window)
{
  AdwTabPage *tab = adw_tab_view_get_selected_page(window->tabs);
  GtkWidget *child = tab ? adw_tab_page_get_child(tab) : NULL;
  return child && TN_IS_PAGE(child) ? TN_PAGE(child) : NULL;
}

/* The tab in front where it compares two files, else NULL. */
static TnDiffPane *
current_diff(TnWindow *window)
{
  AdwTabPage *tab = adw_tab_view_get_selected_page(window->tabs);
  GtkWidget *child = tab ? adw_tab_page_get_child(tab) : NULL;
  return child && TN_IS_DIFF_PANE(child) ? TN_DIFF_PANE(child) : NULL;
}

static TnSession *
current_session(TnWindow *window)
{
  TnPage *page = current_page(window);
  return page ? tn_page_get_session(page) : NULL;
}

/* ---- the header ---------------------------------------------------------------------------------- */

static void
fill_devices(TnWindow *window)
{
  TnSession *session = current_session(window);
  window->is_filling_devices = true;
  gtk_string_list_splice(window->device_names, 0,
                         g_list_model_get_n_items(G_LIST_MODEL(window->device_names)), NULL);
  g_array_set_size(window->device_rows, 0);
  const TnDocument *document = session ? tn_session_get_document(session) : NULL;
  guint shown = 0;
  for (uint32_t i = 0; document && i < document->devices->len; i++) {
    if (!tn_study_device_has_content(document, i))
      continue;
    g_autofree char *name =
        tn_document_dup_device_label(document, tn_document_get_device(document, i));
    if (tn_session_get_study(session)->device_row == i)
      shown = window->device_rows->len;
    gtk_string_list_append(window->device_names, name);
    g_array_append_val(window->device_rows, i);
  }
  gtk_drop_down_set_selected(GTK_DROP_DOWN(window->devices), shown);
  gtk_widget_set_visible(window->devices, window->device_rows->len > 1);
  window->is_filling_devices = false;
}

static void
on_device(GtkDropDown *drop, GParamSpec *pspec, TnWindow *window)
{
  TnSession *session = current_session(window);
  guint row = gtk_drop_down_get_selected(drop);
  if (!session || window->is_filling_devices || row >= window->device_rows->len)
    return;
  uint32_t device = g_array_index(window->device_rows, uint32_t, row);
  if (tn_session_get_study(session)->device_row != device)
    tn_load_device(session, device);
}

static void
set_actions(TnWindow *window)
{
  static const char *const names[] = {"export", "search", "details", "table", "peak",
                                      "oom", "reset", "focus-buffer", "go-to", "back", "forward",
                                      "plan", "reload", "compare"};
  bool has_page = current_page(window) != NULL && !window->loading;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), names[i]);
    if (action)
      g_simple_action_set_enabled(G_SIMPLE_ACTION(action), has_page);
  }
  g_simple_action_set_enabled(
      G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), "swap")),
      current_diff(window) != NULL);
}

/* A closed window may still hear of its tabs, and of what it was reading. */
static bool
is_closed(const TnWindow *window)
{
  return window->device_rows == NULL;
}

static void
refresh(TnWindow *window)
{
  if (is_closed(window))
    return;
  TnPage *page = current_page(window);
  TnSession *session = current_session(window);
  AdwWindowTitle *title = ADW_WINDOW_TITLE(window->title);
  bool is_loading = window->loading != NULL;
  TnDiffPane *diff = current_diff(window);
  gtk_stack_set_visible_child_name(GTK_STACK(window->stack), is_loading     ? "loading"
                                                             : page || diff ? "tabs"
                                                                            : "start");
  set_actions(window);
  gtk_widget_set_visible(window->plan_button, page != NULL);
  gtk_widget_set_visible(window->switcher, page != NULL);
  gtk_widget_set_visible(window->shapes_button, tn_shapes_has_any(session));
  tn_shapes_set_session(TN_SHAPES(window->shapes), session);
  if (page)
    g_simple_action_set_state(
        G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), "view")),
        g_variant_new_string(tn_page_get_view(page)));
  tn_planner_set_session(TN_PLANNER(window->planner), session);
  fill_devices(window);
  if (diff) {
    g_autofree char *both = tn_diff_pane_build_title(diff);
    adw_window_title_set_title(title, both);
    adw_window_title_set_subtitle(title, "compared");
    gtk_window_set_title(GTK_WINDOW(window), both);
    return;
  }
  if (!page) {
    adw_window_title_set_title(title, "Tenure");
    adw_window_title_set_subtitle(title, "");
    gtk_window_set_title(GTK_WINDOW(window), "Tenure");
    return;
  }
  g_autofree char *name = g_path_get_basename(tn_session_get_document(session)->path);
  g_autofree char *below = tn_page_build_subtitle(page);
  adw_window_title_set_title(title, name);
  adw_window_title_set_subtitle(title, below);
  gtk_window_set_title(GTK_WINDOW(window), name);
}

static void
on_selected_page(AdwTabView *tabs, GParamSpec *pspec, TnWindow *window)
{
  refresh(window);
}

static void
on_study_changed(TnSession *session, TnWindow *window)
{
  if (session == current_session(window))
    refresh(window);
}

/* ---- opening ------------------------------------------------------------------------------------- */

static void start_loading(TnWindow *window, const TnLoadRequest *request, AdwTabPage *replaced);

static void
on_partial_response(AdwMessageDialog *dialog, const char *response, TnWindow *window)
{
  if (g_strcmp0(response, "partial") == 0)
    start_loading(window, &(TnLoadRequest){.path = g_object_get_data(G_OBJECT(dialog), "path"),
                                           .is_partial_wanted = true,
                                           .device = -1},
                  NULL);
}

static void
show_failure(TnWindow *window, const char *path, const GError *error)
{
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *heading = g_strdup_printf("“%s” can’t be opened", name);
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), heading, error->message);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", "_Close");
  if (g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED)) {
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "partial",
                                    "_Open What Could Be Read");
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "partial",
                                               ADW_RESPONSE_SUGGESTED);
  }
  g_object_set_data_full(G_OBJECT(dialog), "path", g_strdup(path), g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_partial_response), window, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
show_warnings(TnWindow *window, const TnDocument *document)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics) && i < 2; i++) {
    /* A toast's title is markup, and a name of the file may be in it. */
    g_autofree char *markup =
        g_markup_escape_text(tn_diagnostics_get(document->diagnostics, i)->message, -1);
    AdwToast *toast = adw_toast_new(markup);
    adw_toast_set_timeout(toast, 8);
    adw_toast_overlay_add_toast(window->toasts, toast);
  }
}

static void
clear_request(TnLoadRequest *request)
{
  g_clear_pointer(&request->path, g_free);
  g_clear_pointer(&request->text, g_free);
  g_clear_pointer(&request->bindings, g_hash_table_unref);
}

static void
free_request(gpointer data)
{
  clear_request(data);
  g_free(data);
}

/* The tab that was read again gives its place, if it is still there. */
static void
take_place(TnWindow *window, AdwTabPage *tab)
{
  for (int i = 0; window->replaced && i < adw_tab_view_get_n_pages(window->tabs); i++) {
    if (adw_tab_view_get_nth_page(window->tabs, i) != window->replaced)
      continue;
    adw_tab_view_close_page(window->tabs, window->replaced);
    adw_tab_view_reorder_page(window->tabs, tab, i);
    break;
  }
  window->replaced = NULL;
}

static void
add_tab(TnWindow *window, TnSession *session, TnLoadRequest *request)
{
  GtkWidget *page = tn_page_new(session);
  AdwTabPage *tab = adw_tab_view_append(window->tabs, page);
  g_autofree char *name = g_path_get_basename(tn_session_get_document(session)->path);
  adw_tab_page_set_title(tab, name);
  g_autofree char *markup = g_markup_escape_text(tn_session_get_document(session)->path, -1);
  adw_tab_page_set_tooltip(tab, markup);
  g_object_set_data_full(G_OBJECT(page), "request", g_memdup2(request, sizeof *request),
                         free_request);
  *request = (TnLoadRequest){0};
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), window, 0);
  tn_test_state_watch(TN_PAGE(page));
  adw_tab_view_set_selected_page(window->tabs, tab);
  take_place(window, tab);
  show_warnings(window, tn_session_get_document(session));
  gtk_widget_grab_focus(GTK_WIDGET(tn_page_get_maps(TN_PAGE(page))));
}

static void
add_diff(TnWindow *window, TnSession *a, TnSession *b)
{
  GtkWidget *view = tn_diff_pane_new(a, b);
  AdwTabPage *tab = adw_tab_view_append(window->tabs, view);
  g_autofree char *title = tn_diff_pane_build_title(TN_DIFF_PANE(view));
  adw_tab_page_set_title(tab, title);
  adw_tab_view_set_selected_page(window->tabs, tab);
}

static void
show_loaded(TnWindow *window, TnSession *session, const GError *error)
{
  if (session) {
    if (!window->asked.text)
      tn_start_page_add_recent(window->asked.path);
    add_tab(window, session, &window->asked);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
             !g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED)) {
    show_failure(window, window->asked.path, error);
  }
}

/* The second of two files to be compared follows the first; it is compared once it is there. */
static void
compare_loaded(TnWindow *window, TnSession *session)
{
  g_autoptr(TnSession) other = g_steal_pointer(&window->compare_with);
  g_autofree char *next = g_steal_pointer(&window->then_compare);
  if (session && other)
    add_diff(window, other, session);
  if (session && next) {
    window->compare_with = g_object_ref(session);
    start_loading(window, &(TnLoadRequest){.path = next, .device = -1}, NULL);
  }
}

static void
loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(TnWindow) window = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSession) session = tn_load_finish(result, &error);
  g_clear_object(&window->loading);
  if (!is_closed(window))
    show_loaded(window, session, error);
  clear_request(&window->asked);
  window->replaced = NULL;
  if (!is_closed(window))
    compare_loaded(window, session);
  refresh(window);
}

static void
on_progress(double fraction, const char *stage, void *payload)
{
  TnWindow *window = payload;
  if (fraction < 0)
    gtk_progress_bar_pulse(GTK_PROGRESS_BAR(window->progress));
  else
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(window->progress), fraction);
  gtk_label_set_text(GTK_LABEL(window->progress_label), stage);
}

/* A window reads one file at a time; what is wanted meanwhile opens in a window of its own. */
static void
start_loading(TnWindow *window, const TnLoadRequest *request, AdwTabPage *replaced)
{
  if (window->loading) {
    window = tn_window_new(ADW_APPLICATION(gtk_window_get_application(GTK_WINDOW(window))));
    gtk_window_present(GTK_WINDOW(window));
    replaced = NULL;
  }
  window->loading = g_cancellable_new();
  window->asked = *request;
  window->asked.path = g_strdup(request->path);
  window->asked.text = g_strdup(request->text);
  window->asked.bindings = request->bindings ? g_hash_table_ref(request->bindings) : NULL;
  window->replaced = replaced;
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(window->progress), 0.0);
  gtk_label_set_text(GTK_LABEL(window->progress_label), "Reading");
  tn_load_async(request, window->loading, on_progress, window, loaded, g_object_ref(window));
  refresh(window);
}

void
tn_window_open(TnWindow *window, const char *path)
{
  start_loading(window, &(TnLoadRequest){.path = (char *)path, .device = -1}, NULL);
}

static void
on_cancel(GtkButton *button, TnWindow *window)
{
  if (window->loading)
    g_cancellable_cancel(window->loading);
}

static void
on_chosen(GtkNativeDialog *dialog, int response, TnWindow *window)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = g_file_get_path(file);
    if (path)
      tn_window_open(window, path);
  }
  g_object_unref(dialog);
}

static void
add_filters(GtkFileChooser *chooser)
{
  const TnReader *const *readers = tn_readers();
  GtkFileFilter *all = gtk_file_filter_new(), *any = gtk_file_filter_new();
  gtk_file_filter_set_name(all, "All supported");
  gtk_file_filter_set_name(any, "All files");
  gtk_file_filter_add_pattern(any, "*");
  gtk_file_chooser_add_filter(chooser, all);
  for (gsize i = 0; readers[i]; i++) {
    GtkFileFilter *filter = gtk_file_filter_new();
    g_auto(GStrv) patterns = g_strsplit(readers[i]->patterns ? readers[i]->patterns : "", ";", -1);
    gtk_file_filter_set_name(filter, readers[i]->holds);
    for (gsize p = 0; patterns[p]; p++) {
      gtk_file_filter_add_pattern(filter, patterns[p]);
      gtk_file_filter_add_pattern(all, patterns[p]);
    }
    gtk_file_chooser_add_filter(chooser, filter);
    g_object_unref(filter);
  }
  gtk_file_chooser_add_filter(chooser, any);
  g_object_unref(all);
  g_object_unref(any);
}

static void
open_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      "Open", GTK_WINDOW(data), GTK_FILE_CHOOSER_ACTION_OPEN, "_Open", "_Cancel");
  add_filters(GTK_FILE_CHOOSER(chooser));
  g_signal_connect(chooser, "response", G_CALLBACK(on_chosen), data);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

/* What an engineer has at hand is often only text: the message itself opens. */
static void
on_text(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autofree char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  if (text && text[0])
    start_loading(data, &(TnLoadRequest){
                            .path = (char *)"Pasted text", .text = text, .device = -1},
                  NULL);
  g_object_unref(data);
}

static void
paste_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(data), NULL, on_text, g_object_ref(data));
}

/* The model again, under other dimensions: a tab of its own, so that both can be compared. */
static void
on_shapes(GHashTable *bindings, gpointer data)
{
  TnWindow *window = data;
  TnSession *session = current_session(window);
  if (session)
    start_loading(window,
                  &(TnLoadRequest){.path = (char *)tn_session_get_document(session)->path,
                                   .bindings = bindings,
                                   .device = -1},
                  NULL);
  g_hash_table_unref(bindings);
}

void
tn_window_compare(TnWindow *window, const char *path_a, const char *path_b)
{
  if (window->loading)
    return;
  g_clear_object(&window->compare_with);
  g_free(window->then_compare);
  window->then_compare = g_strdup(path_b);
  tn_window_open(window, path_a);
}

static void
on_compare_chosen(GtkNativeDialog *dialog, int response, TnWindow *window)
{
  TnSession *session = current_session(window);
  if (response == GTK_RESPONSE_ACCEPT && session && !window->loading) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = g_file_get_path(file);
    g_set_object(&window->compare_with, session);
    if (path)
      tn_window_open(window, path);
  }
  g_object_unref(dialog);
}

static void
compare_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      "Compare With", GTK_WINDOW(data), GTK_FILE_CHOOSER_ACTION_OPEN, "_Compare", "_Cancel");
  add_filters(GTK_FILE_CHOOSER(chooser));
  g_signal_connect(chooser, "response", G_CALLBACK(on_compare_chosen), data);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

static void
swap_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnDiffPane *diff = current_diff(window);
  if (!diff)
    return;
  tn_diff_pane_swap(diff);
  g_autofree char *title = tn_diff_pane_build_title(diff);
  adw_tab_page_set_title(adw_tab_view_get_selected_page(window->tabs), title);
  refresh(window);
}

static void
on_two_response(AdwMessageDialog *dialog, const char *response, TnWindow *window)
{
  const char *a = g_object_get_data(G_OBJECT(dialog), "a");
  const char *b = g_object_get_data(G_OBJECT(dialog), "b");
  if (g_strcmp0(response, "compare") == 0) {
    tn_window_compare(window, a, b);
  } else if (g_strcmp0(response, "both") == 0) {
    tn_window_open(window, a);
    tn_window_open(window, b);
  }
}

static void
offer_compare(TnWindow *window, char *a, char *b)
{
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), "Compare the two files?", NULL);
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "close", "_Cancel", "both",
                                   "Open _Both", "compare", "_Compare", NULL);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "compare");
  g_object_set_data_full(G_OBJECT(dialog), "a", a, g_free);
  g_object_set_data_full(G_OBJECT(dialog), "b", b, g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_two_response), window, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, TnWindow *window)
{
  GSList *files = gdk_file_list_get_files(g_value_get_boxed(value));
  if (g_slist_length(files) == 2) {
    char *a = g_file_get_path(files->data), *b = g_file_get_path(files->next->data);
    g_slist_free(files);
    if (a && b)
      offer_compare(window, a, b);
    return a && b;
  }
  for (GSList *at = files; at; at = at->next) {
    g_autofree char *path = g_file_get_path(at->data);
    if (path)
      tn_window_open(window, path);
  }
  g_slist_free(files);
  return TRUE;
}

/* ---- actions on the page ------------------------------------------------------------------------- */

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

/* The tab stays until what it showed has been read again: the file may be gone. */
static void
reload_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  const TnLoadRequest *request = g_object_get_data(G_OBJECT(current_page(window)), "request");
  start_loading(window, request, adw_tab_view_get_selected_page(window->tabs));
}

static void
search_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_page_set_search(current_page(data), true);
}

static void
details_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_page_toggle_details(current_page(data));
}

static void
table_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_page_toggle_table(current_page(data));
}

static void
peak_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnSession *session = current_session(data);
  tn_session_show_tick(session, tn_session_get_study(session)->live->peak_at);
}

/* The next failed request after the cursor, round the end. */
static void
oom_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnSession *session = current_session(window);
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
    adw_toast_overlay_add_toast(window->toasts, adw_toast_new("No request failed in this file"));
}

static void
reset_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_reset_view(current_session(data));
}

/* Once: brings the selection into view; again: fits it. */
static void
focus_buffer_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnSession *session = current_session(data);
  const TnView *view = tn_session_get_view(session);
  tn_index buffer = view->selected;
  if (buffer == TN_NONE)
    return;
  const TnBuffers *b = view->study->buffers;
  double middle = ((double)b->start[buffer] + (double)b->end[buffer]) / 2;
  double width = view->t1 - view->t0;
  bool is_centred = ABS((view->t0 + view->t1) / 2 - middle) < width * 0.02;
  TnView moved = *view;
  moved.t0 = middle - width / 2;
  moved.t1 = middle + width / 2;
  if (is_centred || width >= (double)view->study->axis_end)
    tn_session_show_buffer(session, buffer, true);
  else
    tn_session_set_view(session, &moved);
}

static void
back_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_go_back(current_session(data));
}

static void
forward_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_go_forward(current_session(data));
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

/* A tick, or an address (0x…): the tick is shown, the address is searched for. */
static void
on_go_to_response(AdwMessageDialog *dialog, const char *response, TnWindow *window)
{
  GtkWidget *entry = adw_message_dialog_get_extra_child(dialog);
  g_autofree char *text =
      g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(entry))));
  TnSession *session = current_session(window);
  if (g_strcmp0(response, "go") != 0 || !session || !text[0])
    return;
  TnView view = *tn_session_get_view(session);
  if (g_str_has_prefix(text, "0x")) {
    tn_bytes place =
        tn_address_map_place(view.study->map, g_ascii_strtoull(text + 2, NULL, 16));
    double height = view.p1 - view.p0;
    if (place == TN_NOT_PLACED) {
      adw_toast_overlay_add_toast(window->toasts, adw_toast_new("Nothing has this address"));
      return;
    }
    view.p0 = (double)place - height / 8;
    view.p1 = view.p0 + height / 4;
    tn_session_set_view(session, &view);
    return;
  }
  gint64 tick;
  if (parse_tick(text, view.study->axis_end, &tick))
    tn_session_show_tick(session, tick);
  else
    adw_toast_overlay_add_toast(window->toasts,
                                adw_toast_new("Neither a tick nor an address (0x…)"));
}

static void
go_to_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(data), "Go To", "A tick, or an address: 0x…");
  GtkWidget *entry = gtk_entry_new();
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "close", "_Cancel", "go", "_Go",
                                   NULL);
  adw_message_dialog_set_extra_child(ADW_MESSAGE_DIALOG(dialog), entry);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "go");
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_go_to_response), data, 0);
  gtk_window_present(GTK_WINDOW(dialog));
  gtk_widget_grab_focus(entry);
}

static void
export_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  tn_export_dialog_show(GTK_WINDOW(window), current_session(window), window->toasts);
}

static void
fullscreen_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (gtk_window_is_fullscreen(data))
    gtk_window_unfullscreen(data);
  else
    gtk_window_fullscreen(data);
}

static const GActionEntry actions[] = {
    {.name = "open", .activate = open_action},
    {.name = "paste", .activate = paste_action},
    {.name = "compare", .activate = compare_action},
    {.name = "swap", .activate = swap_action},
    {.name = "close", .activate = close_action},
    {.name = "reload", .activate = reload_action},
    {.name = "search", .activate = search_action},
    {.name = "details", .activate = details_action},
    {.name = "table", .activate = table_action},
    {.name = "peak", .activate = peak_action},
    {.name = "oom", .activate = oom_action},
    {.name = "reset", .activate = reset_action},
    {.name = "focus-buffer", .activate = focus_buffer_action},
    {.name = "back", .activate = back_action},
    {.name = "forward", .activate = forward_action},
    {.name = "plan", .activate = plan_action},
    {.name = "go-to", .activate = go_to_action},
    {.name = "export", .activate = export_action},
    {.name = "fullscreen", .activate = fullscreen_action},
};

/* ---- the view switch ------------------------------------------------------------------------------ */

/* The state of "win.view" follows the page in front. */
static void
view_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnPage *page = current_page(data);
  if (!page)
    return;
  tn_page_set_view(page, g_variant_get_string(parameter, NULL));
  g_simple_action_set_state(action, parameter);
}

static void
units_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  static const char *const names[] = {"iec", "si", "bytes"};
  TnWindow *window = data;
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_strcmp0(names[i], g_variant_get_string(parameter, NULL)) == 0)
      tn_settings_set_units((TnUnits)i);
  g_simple_action_set_state(action, parameter);
  for (int i = 0; i < adw_tab_view_get_n_pages(window->tabs); i++) {
    AdwTabPage *tab = adw_tab_view_get_nth_page(window->tabs, i);
    GtkWidget *child = adw_tab_page_get_child(tab);
    if (TN_IS_PAGE(child))
      tn_session_set_units(tn_page_get_session(TN_PAGE(child)), tn_settings_get_units());
    else
      tn_diff_pane_invalidate(TN_DIFF_PANE(child));
  }
  refresh(window);
}

static void
add_units_action(TnWindow *window)
{
  static const char *const names[] = {"iec", "si", "bytes"};
  GSimpleAction *action = g_simple_action_new_stateful(
      "units", G_VARIANT_TYPE_STRING, g_variant_new_string(names[tn_settings_get_units()]));
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

static GtkWidget *
make_switcher(void)
{
  static const struct {
    const char *name, *title;
  } views[] = {{"maps", "Maps"}, {"live-set", "Live set"}, {"flame", "Stacks"}, {"oom", "OOM"}};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class(box, "linked");
  for (gsize i = 0; i < G_N_ELEMENTS(views); i++) {
    GtkWidget *button = gtk_toggle_button_new_with_label(views[i].title);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.view");
    gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "s", views[i].name);
    gtk_box_append(GTK_BOX(box), button);
  }
  return box;
}

/* ---- making -------------------------------------------------------------------------------------- */

static GtkWidget *
icon_button(const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  gtk_widget_set_tooltip_text(button, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  return button;
}

/* Shows the key itself: Ctrl + V is no accelerator of the application, see plain-keys.h. */
static void
append_paste(GMenu *menu)
{
  g_autoptr(GMenuItem) item = g_menu_item_new("_Paste a Log", "win.paste");
  g_menu_item_set_attribute(item, "accel", "s", "<Control>v");
  g_menu_append_item(menu, item);
}

static GMenuModel *
make_menu(void)
{
  GMenu *menu = g_menu_new(), *view = g_menu_new(), *help = g_menu_new();
  g_menu_append(menu, "_Save Report…", "win.export");
  append_paste(menu);
  g_menu_append(menu, "_Compare With…", "win.compare");
  g_menu_append(menu, "S_wap Sides", "win.swap");
  g_menu_append(menu, "_Reload", "win.reload");
  g_menu_append(view, "Side _Pane", "win.details");
  g_menu_append(view, "_Table", "win.table");
  g_menu_append(view, "_Full Screen", "win.fullscreen");
  g_menu_append(help, "_Keyboard Shortcuts", "win.show-help-overlay");
  g_menu_append(help, "_About Tenure", "app.about");
  GMenu *units = g_menu_new(), *style = g_menu_new();
  g_menu_append(units, "KiB, MiB, GiB", "win.units::iec");
  g_menu_append(units, "kB, MB, GB", "win.units::si");
  g_menu_append(units, "Exact Bytes", "win.units::bytes");
  g_menu_append(style, "Follow the System", "app.style::system");
  g_menu_append(style, "Light", "app.style::light");
  g_menu_append(style, "Dark", "app.style::dark");
  g_menu_append_submenu(view, "_Units", G_MENU_MODEL(units));
  g_menu_append_submenu(view, "_Style", G_MENU_MODEL(style));
  g_object_unref(units);
  g_object_unref(style);
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
  gtk_widget_set_tooltip_text(button, "Main Menu");
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 "Main Menu", -1);
  return button;
}

static GtkWidget *
make_header(TnWindow *window)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *open = gtk_button_new_with_mnemonic("_Open");
  gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open");
  window->title = adw_window_title_new("Tenure", "");
  window->device_names = gtk_string_list_new(NULL);
  window->devices = gtk_drop_down_new(G_LIST_MODEL(g_object_ref(window->device_names)), NULL);
  window->device_rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  window->planner = tn_planner_new();
  window->plan_button = gtk_menu_button_new();
  window->shapes = tn_shapes_new(on_shapes, window);
  window->shapes_button = gtk_menu_button_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(window->shapes_button), "Shapes");
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(window->shapes_button), window->shapes);
  gtk_menu_button_set_label(GTK_MENU_BUTTON(window->plan_button), "Plan");
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(window->plan_button), window->planner);
  gtk_widget_set_tooltip_text(window->devices, "Device");
  g_signal_connect(window->devices, "notify::selected", G_CALLBACK(on_device), window);
  adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), window->title);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), open);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header),
                            icon_button("go-previous-symbolic", "Back", "win.back"));
  adw_header_bar_pack_start(ADW_HEADER_BAR(header),
                            icon_button("go-next-symbolic", "Forward", "win.forward"));
  window->switcher = make_switcher();
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), window->switcher);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), window->devices);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), make_menu_button());
  adw_header_bar_pack_end(ADW_HEADER_BAR(header),
                          icon_button("edit-find-symbolic", "Search", "win.search"));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header),
                          icon_button("document-save-symbolic", "Save Report", "win.export"));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), window->plan_button);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), window->shapes_button);
  return header;
}

static GtkWidget *
make_loading(TnWindow *window)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *cancel = gtk_button_new_with_mnemonic("_Cancel");
  window->progress = gtk_progress_bar_new();
  window->progress_label = gtk_label_new("Reading");
  gtk_widget_set_size_request(window->progress, 280, -1);
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_halign(cancel, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(cancel, "pill");
  g_signal_connect(cancel, "clicked", G_CALLBACK(on_cancel), window);
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
  g_clear_object(&window->compare_with);
  g_clear_pointer(&window->then_compare, g_free);
  g_clear_pointer(&window->device_rows, g_array_unref);
  g_clear_object(&window->device_names);
  G_OBJECT_CLASS(tn_window_parent_class)->dispose(object);
}

static void
tn_window_class_init(TnWindowClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_window_init(TnWindow *window)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
  add_view_action(window);
  add_units_action(window);
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
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), window);
  gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(target));
  tn_plain_keys_add(GTK_WIDGET(window));
  tn_settings_bind_window(GTK_WINDOW(window));
  refresh(window);
}

TnWindow *
tn_window_new(AdwApplication *application)
{
  return g_object_new(TN_TYPE_WINDOW, "application", application, NULL);
}
