/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

#include <glib/gi18n.h>

/* ---- choosing a file --------------------------------------------------------------------------- */

typedef struct {
  TnWindow *window;   /* owned reference */
  TnSession *session; /* owned reference; NULL: no tab */
  TnFileChosen chosen;
} Question;

static void
on_response(GtkNativeDialog *dialog, int response, gpointer data)
{
  Question *question = data;
  g_autoptr(GFile) file =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;
  g_object_unref(dialog);
  if (file && !tn_window_is_closed(question->window))
    question->chosen(question->window, question->session, file);
  g_clear_object(&question->session);
  g_object_unref(question->window);
  g_free(question);
}

void
tn_window_ask_file(TnWindow *window, GtkFileChooserNative *chooser, TnFileChosen chosen)
{
  Question *question = g_new0(Question, 1);
  question->window = g_object_ref(window);
  g_set_object(&question->session, tn_window_get_session(window));
  question->chosen = chosen;
  g_signal_connect(chooser, "response", G_CALLBACK(on_response), question);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser), TRUE);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

static void
on_chosen(TnWindow *window, TnSession *session, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);
  if (path)
    tn_window_open(window, path);
}

static void
add_filters(GtkFileChooser *chooser)
{
  const TnReader *const *readers = tn_readers();
  GtkFileFilter *all = gtk_file_filter_new(), *any = gtk_file_filter_new();
  gtk_file_filter_set_name(all, _("All supported"));
  gtk_file_filter_set_name(any, _("All files"));
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

void
tn_window_tell_missing(TnWindow *window, const char *path)
{
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *markup = g_markup_printf_escaped(_("“%s” is no longer there"), name);
  adw_toast_overlay_add_toast(window->toasts, adw_toast_new(markup));
}

static void
choose(TnWindow *window, const char *title, const char *accept, TnFileChosen chosen)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      title, GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_OPEN, accept, _("_Cancel"));
  add_filters(GTK_FILE_CHOOSER(chooser));
  tn_window_ask_file(window, chooser, chosen);
}

static void
open_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose(data, _("Open"), _("_Open"), on_chosen);
}

/* What an engineer has at hand is often only text: the message itself opens.  Whoever has it may take his time. */
static void
on_text(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autofree char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  if (text && text[0] && !tn_window_is_closed(data))
    tn_window_load(
        data, &(TnWish){.request = {.path = (char *)_("Pasted text"), .text = text, .device = TN_FIRST_DEVICE}});
  g_object_unref(data);
}

static void
paste_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(data), NULL, on_text, g_object_ref(data));
}

/* The model again, under other dimensions: a tab of its own, so that both can be compared. */
void
tn_window_on_shapes(GHashTable *bindings, bool is_compared, gpointer data)
{
  TnWindow *window = data;
  TnSession *session = tn_window_get_session(window);
  if (session)
    tn_window_load(window, &(TnWish){.request = {.path = tn_session_get_document(session)->path,
                                                 .bindings = bindings,
                                                 .device = TN_FIRST_DEVICE,
                                                 .preset = tn_session_get_study(session)->preset},
                                     .compare_with = is_compared ? session : NULL});
  g_hash_table_unref(bindings);
}

void
tn_window_compare(TnWindow *window, const char *path_a, const char *path_b)
{
  tn_window_load(window, &(TnWish){.request = {.path = (char *)path_a, .device = TN_FIRST_DEVICE},
                                   .then_compare = (char *)path_b});
}

/* In the window where the tab is by now. */
static void
on_two_picked(TnOverview *overview, TnSession *a, TnSession *b)
{
  TnWindow *window = TN_WINDOW(gtk_widget_get_root(GTK_WIDGET(overview)));
  tn_window_add_diff(window, a, b);
  tn_window_refresh(window);
}

void
tn_window_compare_many(TnWindow *window, const GPtrArray *paths)
{
  GtkWidget *overview = tn_overview_new(paths, on_two_picked);
  AdwTabPage *tab = adw_tab_view_append(window->tabs, overview);
  g_autofree char *title = tn_overview_build_title(TN_OVERVIEW(overview));
  tn_window_name_tab(tab, title);
  adw_tab_view_set_selected_page(window->tabs, tab);
  if (paths->len > TN_OVERVIEW_MOST)
    adw_toast_overlay_add_toast(window->toasts,
                                adw_toast_new(_("Only the first 256 files are shown")));
  tn_window_refresh(window);
}

static void
on_compare_chosen(TnWindow *window, TnSession *session, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);
  if (path && session)
    tn_window_load(window, &(TnWish){.request = {.path = path, .device = TN_FIRST_DEVICE}, .compare_with = session});
}

static void
compare_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose(data, _("Compare With"), _("Co_mpare"), on_compare_chosen);
}

static void
swap_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnWindow *window = data;
  TnDiffPane *diff = tn_window_get_diff(window);
  if (!diff)
    return;
  tn_diff_pane_swap(diff);
  g_autofree char *title = tn_diff_pane_build_title(diff);
  tn_window_name_tab(adw_tab_view_get_selected_page(window->tabs), title);
  tn_window_refresh(window);
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
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), _("Compare the two files?"), NULL);
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "close", _("_Cancel"), "both",
                                   _("Open _Both"), "compare", _("Co_mpare"), NULL);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "compare");
  g_object_set_data_full(G_OBJECT(dialog), "a", a, g_free);
  g_object_set_data_full(G_OBJECT(dialog), "b", b, g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_two_response), window, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

gboolean
tn_window_on_drop(GtkDropTarget *target, const GValue *value, double x, double y, TnWindow *window)
{
  GSList *files = gdk_file_list_get_files(g_value_get_boxed(value));
  if (g_slist_length(files) == 2) {
    char *a = g_file_get_path(files->data), *b = g_file_get_path(files->next->data);
    g_slist_free(files);
    if (a && b)
      offer_compare(window, a, b);
    return a && b;
  }
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (GSList *at = files; at; at = at->next) {
    char *path = g_file_get_path(at->data);
    if (path)
      g_ptr_array_add(paths, path);
  }
  g_slist_free(files);
  if (paths->len == 1)
    tn_window_open(window, g_ptr_array_index(paths, 0));
  else if (paths->len > 1)
    tn_window_compare_many(window, paths);
  return paths->len > 0;
}

void
tn_window_add_open_actions(TnWindow *window)
{
  static const GActionEntry actions[] = {
      {.name = "open", .activate = open_action},
      {.name = "paste", .activate = paste_action},
      {.name = "compare", .activate = compare_action},
      {.name = "swap", .activate = swap_action},
  };
  g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
}
