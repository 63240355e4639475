/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

#include "app/window/early-load.h"
#include "app/window/edits.h"
#include "app/window/shapes.h"
#include "app/window/start-page.h"
#include "app/window/test-state.h"
#include "app/window/view-parts.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

static void
on_study_changed(TnSession *session, TnWindow *window)
{
  if (session == tn_window_get_session(window))
    tn_window_refresh(window);
}

/* The drop-down names the device that is still shown. */
static void
on_study_failed(TnSession *session, const char *why, TnWindow *window)
{
  g_autofree char *valid = g_utf8_make_valid(why, -1);
  g_autofree char *text = tn_elide_middle(valid, TN_VIEW_NAME_CHARS);
  g_autofree char *markup = g_markup_printf_escaped(_("What was chosen can’t be shown: %s"), text);
  if (tn_window_is_closed(window))
    return;
  adw_toast_overlay_add_toast(window->toasts, adw_toast_new(markup));
  on_study_changed(session, window);
}

static void
on_selection_changed(gpointer source, TnWindow *window)
{
  if (!tn_window_is_closed(window))
    tn_window_follow_selection(window);
}

static void
on_bars_changed(TnBarOrder *order, TnWindow *window)
{
  if (!tn_window_is_closed(window))
    tn_window_follow_bars(window);
}

/* A tab can be dragged into another window, which follows it from then on. */
static void
on_page_attached(AdwTabView *tabs, AdwTabPage *tab, int row, TnWindow *window)
{
  GtkWidget *child = adw_tab_page_get_child(tab);
  if (!TN_IS_PAGE(child))
    return;
  TnPage *page = TN_PAGE(child);
  TnSession *session = tn_page_get_session(page);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), window, 0);
  g_signal_connect_object(session, "study-failed", G_CALLBACK(on_study_failed), window, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), window, 0);
  g_signal_connect_object(tn_page_get_bar_order(page), "changed", G_CALLBACK(on_bars_changed), window, 0);
  g_signal_connect_object(tn_page_get_search(page), "counted", G_CALLBACK(on_selection_changed), window, 0);
}

static void
on_page_detached(AdwTabView *tabs, AdwTabPage *tab, int row, TnWindow *window)
{
  GtkWidget *child = adw_tab_page_get_child(tab);
  if (!TN_IS_PAGE(child))
    return;
  TnPage *page = TN_PAGE(child);
  g_signal_handlers_disconnect_by_data(tn_page_get_session(page), window);
  g_signal_handlers_disconnect_by_data(tn_page_get_bar_order(page), window);
  g_signal_handlers_disconnect_by_data(tn_page_get_search(page), window);
}

/* For a tab that is dropped where no window is. */
static AdwTabView *
on_create_window(AdwTabView *tabs, TnWindow *window)
{
  GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
  TnWindow *other = tn_window_new(ADW_APPLICATION(application));
  gtk_window_present(GTK_WINDOW(other));
  return other->tabs;
}

void
tn_window_follow_tabs(TnWindow *window)
{
  g_signal_connect(window->tabs, "page-attached", G_CALLBACK(on_page_attached), window);
  g_signal_connect(window->tabs, "page-detached", G_CALLBACK(on_page_detached), window);
  g_signal_connect(window->tabs, "create-window", G_CALLBACK(on_create_window), window);
}

static void
free_request(gpointer data)
{
  tn_load_request_clear(data);
  g_free(data);
}

static TnWish *
copy_wish(const TnWish *from)
{
  TnWish *wish = g_new0(TnWish, 1);
  tn_load_request_copy(&wish->request, &from->request);
  g_set_object(&wish->replaced, from->replaced);
  g_set_object(&wish->compare_with, from->compare_with);
  wish->then_compare = g_strdup(from->then_compare);
  wish->loses_order = from->loses_order;
  return wish;
}

static void
free_wish(gpointer data)
{
  TnWish *wish = data;
  tn_load_request_clear(&wish->request);
  g_clear_object(&wish->replaced);
  g_clear_object(&wish->compare_with);
  g_free(wish->then_compare);
  g_free(wish);
}

/* Where the first of two can't be read, the second is still what was asked for. */
static void
on_failure_response(AdwMessageDialog *dialog, const char *response, TnWindow *window)
{
  const TnWish *wish = g_object_get_data(G_OBJECT(dialog), "wish");
  if (g_strcmp0(response, "partial") == 0)
    tn_window_load(window, wish);
  else if (wish->then_compare)
    tn_window_open(window, wish->then_compare);
}

/* What can be read of it is asked for as it was: by the same text, under the same dimensions, for the same end. */
static void
show_failure(TnWindow *window, const TnWish *wish, const GError *error)
{
  const TnLoadRequest *request = &wish->request;
  g_autofree char *name = g_filename_display_basename(request->path);
  g_autofree char *heading = g_strdup_printf(_("“%s” can’t be opened"), name);
  g_autofree char *valid = g_utf8_make_valid(error->message, -1);
  g_autofree char *body = tn_elide_middle(valid, TN_VIEW_TIP_CHARS);
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), heading, body);
  TnWish *partial = copy_wish(wish);
  partial->request.is_partial_wanted = true;
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
  if (!request->is_partial_wanted &&
      g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED)) {
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "partial",
                                    _("_Open What Could Be Read"));
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "partial",
                                               ADW_RESPONSE_SUGGESTED);
  }
  g_object_set_data_full(G_OBJECT(dialog), "wish", partial, free_wish);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_failure_response), window, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

/* A toast is one line: where dimensions are open, it tells where they are given, not which tensor was first. */
static char *
dup_warning(TnSession *session, uint32_t i)
{
  const TnWarning *warning = tn_diagnostics_get(tn_session_get_document(session)->diagnostics, i);
  if (!tn_shapes_has_any(session) || strcmp(warning->code, "unsized-tensors") != 0)
    return tn_elide_middle(warning->message, TN_VIEW_NAME_CHARS);
  return g_strdup_printf(ngettext("%u tensor has no known size: give dimensions in Shapes",
                                  "%u tensors have no known size: give dimensions in Shapes",
                                  (gulong)warning->count),
                         (guint)warning->count);
}

static AdwToast *
make_warning(TnWindow *window, TnSession *session, uint32_t i)
{
  /* A toast's title is markup, and a name of the file may be in it. */
  g_autofree char *name = g_filename_display_basename(tn_session_get_document(session)->path);
  g_autofree char *text = dup_warning(session, i);
  g_autofree char *markup = g_markup_printf_escaped("%s: %s", name, text);
  AdwToast *toast = adw_toast_new(markup);
  adw_toast_set_timeout(toast, 8);
  /* Over another tab it would speak of the wrong file. */
  g_signal_connect_object(window->tabs, "notify::selected-page", G_CALLBACK(adw_toast_dismiss),
                          toast, G_CONNECT_SWAPPED);
  return toast;
}

/* The last one is made first, and so put away first: libadwaita 1.2 uses freed memory where a toast that has just
 * taken another's place is put away. */
static void
show_warnings(TnWindow *window, TnSession *session)
{
  AdwToast *toasts[2];
  uint32_t n = MIN(tn_diagnostics_length(tn_session_get_document(session)->diagnostics), G_N_ELEMENTS(toasts));
  for (uint32_t i = n; i-- > 0;)
    toasts[i] = make_warning(window, session, i);
  for (uint32_t i = 0; i < n; i++)
    adw_toast_overlay_add_toast(window->toasts, toasts[i]);
}

static TnSession *
session_of(AdwTabPage *tab)
{
  return tn_page_get_session(TN_PAGE(adw_tab_page_get_child(tab)));
}

/* What-if edits are made again on the graph that was read again. */
static void
hand_on_edits(AdwTabPage *from, AdwTabPage *to)
{
  TnEdits *old = tn_edits_get(session_of(from)), *new = tn_edits_get(session_of(to));
  if (old && new)
    tn_edits_take_over(new, old);
}

/* An order of the file's ops comes with what was read, unless they are others now; one of the ops that edits made does
 * not come. */
static void
tell_order(TnWindow *window, TnSession *session, const TnWish *wish)
{
  const TnKeptOrder *order = wish->request.order;
  if (wish->loses_order || (order && !tn_kept_order_is_of(order, tn_session_get_document(session))))
    adw_toast_overlay_add_toast(
        window->toasts, adw_toast_new(_("The order that was chosen is gone: choose one again in Orders")));
}

/* The tab that was read again gives its place, if it is still there. */
static void
take_place(TnWindow *window, AdwTabPage *tab, AdwTabPage *replaced)
{
  for (int i = 0; replaced && i < adw_tab_view_get_n_pages(window->tabs); i++) {
    if (adw_tab_view_get_nth_page(window->tabs, i) != replaced)
      continue;
    GtkWidget *old = adw_tab_page_get_child(replaced);
    if (TN_IS_PAGE(old))
      tn_page_take_over(TN_PAGE(adw_tab_page_get_child(tab)), TN_PAGE(old));
    hand_on_edits(replaced, tab);
    adw_tab_view_close_page(window->tabs, replaced);
    adw_tab_view_reorder_page(window->tabs, tab, i);
    break;
  }
}

/* "batch=4, sequence=128", by name; NULL where nothing is bound. */
static char *
dup_bindings(GHashTable *bindings)
{
  if (!bindings || g_hash_table_size(bindings) == 0)
    return NULL;
  GString *text = g_string_new(NULL);
  GList *names = g_list_sort(g_hash_table_get_keys(bindings), (GCompareFunc)strcmp);
  for (GList *at = names; at; at = at->next)
    g_string_append_printf(text, "%s%s=%s", text->len ? ", " : "", (const char *)at->data,
                           (const char *)g_hash_table_lookup(bindings, at->data));
  g_list_free(names);
  return g_string_free(text, FALSE);
}

static void
add_tab(TnWindow *window, TnSession *session, const TnWish *wish)
{
  TnLoadRequest *request = g_new(TnLoadRequest, 1);
  tn_load_request_copy(request, &wish->request);
  request->preset = NULL; /* these two are asked of what is shown when the file is read again */
  g_clear_pointer(&request->order, tn_kept_order_unref);
  g_autofree char *note = dup_bindings(request->bindings);
  tn_session_set_note(session, note);
  GtkWidget *page = tn_page_new(session);
  AdwTabPage *tab = adw_tab_view_append(window->tabs, page);
  g_autofree char *name = tn_session_build_title(session);
  adw_tab_page_set_title(tab, name);
  g_autofree char *markup = g_markup_escape_text(tn_session_get_document(session)->shown_path, -1);
  adw_tab_page_set_tooltip(tab, markup);
  g_object_set_data_full(G_OBJECT(page), "request", request, free_request);
  tn_test_state_watch(TN_PAGE(page));
  adw_tab_view_set_selected_page(window->tabs, tab);
  gtk_widget_grab_focus(GTK_WIDGET(tn_page_get_maps(TN_PAGE(page)))); /* unless it takes over another view */
  tell_order(window, session, wish);
  take_place(window, tab, wish->replaced);
  if (!wish->compare_with && !wish->then_compare) /* else another tab comes at once */
    show_warnings(window, session);
}

/* A tab's words may be cut. */
void
tn_window_name_tab(AdwTabPage *tab, const char *title)
{
  g_autofree char *markup = g_markup_escape_text(title, -1);
  adw_tab_page_set_title(tab, title);
  adw_tab_page_set_tooltip(tab, markup);
}

void
tn_window_add_diff(TnWindow *window, TnSession *a, TnSession *b)
{
  GtkWidget *view = tn_diff_pane_new(a, b);
  AdwTabPage *tab = adw_tab_view_append(window->tabs, view);
  g_autofree char *title = tn_diff_pane_build_title(TN_DIFF_PANE(view));
  tn_window_name_tab(tab, title);
  adw_tab_view_set_selected_page(window->tabs, tab);
}

static void
show_loaded(TnWindow *window, TnSession *session, const TnWish *wish, const GError *error)
{
  if (session) {
    if (!wish->request.text)
      tn_start_page_add_recent(wish->request.path);
    add_tab(window, session, wish);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
             !g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED)) {
    show_failure(window, wish, error);
  }
}

/* The second of two files to be compared follows the first; it is compared once it is there. */
static void
compare_loaded(TnWindow *window, TnSession *session, const TnWish *wish)
{
  if (wish->compare_with)
    tn_window_add_diff(window, wish->compare_with, session);
  if (wish->then_compare)
    tn_window_load(window, &(TnWish){.request = {.path = wish->then_compare, .device = TN_FIRST_DEVICE},
                                     .compare_with = session});
}

static void
load_next(TnWindow *window)
{
  TnWish *next = window->loading ? NULL : g_queue_pop_head(&window->queue);
  if (!next)
    return;
  tn_window_load(window, next);
  free_wish(next);
}

void
tn_window_forget_queue(TnWindow *window)
{
  g_queue_clear_full(&window->queue, free_wish);
}

static void
loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(TnWindow) window = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSession) session = tn_load_finish(result, &error);
  TnWish *wish = g_steal_pointer(&window->asked);
  g_clear_object(&window->loading);
  if (!tn_window_is_closed(window)) {
    show_loaded(window, session, wish, error);
    if (session)
      compare_loaded(window, session, wish);
    load_next(window);
  }
  free_wish(wish);
  tn_window_refresh(window);
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

/* A window reads one file at a time; what is wanted meanwhile follows, each in a tab. */
void
tn_window_load(TnWindow *window, const TnWish *wish)
{
  const TnLoadRequest *request = &wish->request;
  if (window->loading) {
    g_queue_push_tail(&window->queue, copy_wish(wish));
    return;
  }
  window->loading = g_cancellable_new();
  window->asked = copy_wish(wish);
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(window->progress), 0.0);
  gtk_label_set_text(GTK_LABEL(window->progress_label), _("Reading"));
  bool is_plain = !request->text && !request->is_partial_wanted && !request->bindings && !request->preset &&
                  !request->order && request->device == TN_FIRST_DEVICE;
  g_object_ref(window); /* until loaded() */
  if (!is_plain ||
      !tn_early_load_take(request->path, window->loading, on_progress, window, loaded, window))
    tn_load_async(request, window->loading, on_progress, window, loaded, window);
  tn_window_refresh(window);
}

void
tn_window_open(TnWindow *window, const char *path)
{
  tn_window_load(window, &(TnWish){.request = {.path = (char *)path, .device = TN_FIRST_DEVICE}});
}

void
tn_window_cancel_loading(GtkButton *button, TnWindow *window)
{
  if (window->loading)
    g_cancellable_cancel(window->loading);
}
