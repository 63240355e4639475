/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/window-private.h"

#include "app/window/buffer-list.h"
#include "app/window/filter.h"
#include "app/window/filter-words.h"

#include <glib/gi18n.h>
#include <string.h>

/* ---- copying ----------------------------------------------------------------------------------- */

static tn_index
selected(TnWindow *window)
{
  TnSession *session = tn_window_get_session(window);
  return session ? tn_session_get_view(session)->selected : TN_NONE;
}

static const TnStudy *
study_of(TnWindow *window)
{
  return tn_session_get_study(tn_window_get_session(window));
}

static void
copy(TnWindow *window, const char *text)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(window)), text);
}

static void
copy_name_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *name = tn_study_dup_label(study_of(data), selected(data));
  copy(data, name);
}

static void
copy_address_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *text =
      tn_buffer_list_dup_cell(study_of(data), selected(data), TN_COLUMN_OFFSET);
  copy(data, text);
}

static void
copy_row_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *text = tn_buffer_list_dup_tsv(study_of(data), selected(data));
  copy(data, text);
}

/* ---- going ------------------------------------------------------------------------------------- */

static void
life_start_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_show_tick(tn_window_get_session(data),
                       study_of(data)->buffers->start[selected(data)]);
}

static void
life_end_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_show_tick(tn_window_get_session(data), study_of(data)->buffers->end[selected(data)]);
}

static void
step_user(TnWindow *window, int step)
{
  TnSession *session = tn_window_get_session(window);
  tn_index other = tn_session_neighbour_at_address(session, step);
  if (other == TN_NONE) {
    adw_toast_overlay_add_toast(window->toasts,
                                adw_toast_new(step > 0 ? _("Nothing has this place later")
                                                       : _("Nothing had this place before")));
    return;
  }
  tn_session_select(session, other);
  tn_session_show_buffer(session, other, false);
}

static void
next_user_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  step_user(data, 1);
}

static void
previous_user_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  step_user(data, -1);
}

/* At once, where F centres first. */
static void
zoom_buffer_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_session_show_buffer(tn_window_get_session(data), selected(data), true);
}

/* ---- filtering --------------------------------------------------------------------------------- */

static void
add_filter(TnWindow *window, const char *prefix, const char *text)
{
  g_autofree char *term = g_strconcat(prefix, text, NULL);
  tn_search_bar_add_filter(tn_page_get_search(tn_window_get_page(window)), term);
}

static void
filter_site_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const TnStudy *study = study_of(data);
  uint32_t site =
      tn_call_sites_of(study->sites, tn_buffers_stack(study->buffers, selected(data)));
  if (!site)
    return;
  g_autofree char *name = tn_filter_dup_quoted(tn_call_sites_name(study->sites, site));
  add_filter(data, "site=", name); /* "f" is no part of "f2" */
}

static const char *
kind_of_selected(TnWindow *window)
{
  return tn_kind_name((TnBufferKind)study_of(window)->buffers->kind[selected(window)]);
}

static void
filter_kind_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  add_filter(data, "kind:", kind_of_selected(data));
}

static void
hide_kind_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  add_filter(data, "!kind:", kind_of_selected(data));
}

static void
filter_place_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const TnStudy *study = study_of(data);
  tn_bytes first = study->offset[selected(data)];
  g_autofree char *term =
      g_strdup_printf("0x%" G_GINT64_MODIFIER "x-0x%" G_GINT64_MODIFIER "x", (guint64)first,
                      (guint64)(first + MAX(study->buffers->bytes[selected(data)], 1) - 1));
  /* Each space of a plan begins at 0; an address of a log is in one. */
  bool has_spaces = !study->is_log && study->n_spaces > 1;
  g_autofree char *space = has_spaces ? tn_filter_dup_space(study, selected(data)) : NULL;
  g_autofree char *quoted = has_spaces ? tn_filter_dup_quoted(space) : NULL;
  g_autofree char *both = has_spaces ? g_strdup_printf("%s space=%s", term, quoted) : g_strdup(term);
  add_filter(data, "", both);
}

static void
clear_filters_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_search_bar_clear_filters(tn_page_get_search(tn_window_get_page(data)));
}

static void
menu_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_page_show_menu(tn_window_get_page(data));
}

/* ---- bookmarks and notes ------------------------------------------------------------------------ */

static void
bookmark_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_bookmark_list_add(tn_page_get_bookmarks(tn_window_get_page(data)));
}

static void
on_notes_written(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(TnWindow) window = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *base = g_file_get_basename(G_FILE(source));
  g_autofree char *name = g_filename_display_name(base);
  bool is_good = g_file_replace_contents_finish(G_FILE(source), result, NULL, &error);
  g_application_release(g_application_get_default());
  if (tn_window_is_closed(window))
    return;
  if (is_good) {
    g_autofree char *markup = g_markup_printf_escaped(_("“%s” was written"), name);
    adw_toast_overlay_add_toast(window->toasts, adw_toast_new(markup));
    return;
  }
  g_autofree char *heading = g_strdup_printf(_("“%s” can’t be written"), name);
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), heading, error->message);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
on_notes_chosen(TnWindow *window, TnSession *session, GFile *file)
{
  if (!session)
    return;
  char *json = tn_notes_build_json(tn_session_get_notes(session));
  g_autoptr(GBytes) bytes = g_bytes_new_take(json, strlen(json));
  g_application_hold(g_application_get_default()); /* until it is written */
  g_file_replace_contents_bytes_async(file, bytes, NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                      on_notes_written, g_object_ref(window));
}

static void
export_notes_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *path = tn_session_get_document(tn_window_get_session(data))->path;
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *base = g_filename_display_basename(path);
  g_autofree char *name = g_strconcat(base, ".notes.json", NULL);
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new(_("Export Notes"), GTK_WINDOW(data), GTK_FILE_CHOOSER_ACTION_SAVE,
                                  _("_Export"), _("_Cancel"));
  if (folder)
    gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(chooser), folder, NULL);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  tn_window_ask_file(data, chooser, on_notes_chosen);
}

/* ---- which of them can be done ----------------------------------------------------------------- */

static void
set_enabled(TnWindow *window, const char *name, bool is_enabled)
{
  g_simple_action_set_enabled(
      G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window), name)), is_enabled);
}

void
tn_window_follow_selection(TnWindow *window)
{
  static const char *const any[] = {"copy-name", "copy-row", "life-start", "life-end", "zoom-buffer",
                                    "filter-kind", "hide-kind"};
  static const char *const placed[] = {"copy-address", "next-user", "previous-user",
                                       "filter-place"};
  TnPage *page = window->loading ? NULL : tn_window_get_page(window);
  tn_index buffer = page ? selected(window) : TN_NONE;
  bool is_placed = buffer != TN_NONE && study_of(window)->offset[buffer] != TN_NOT_PLACED;
  bool has_site = buffer != TN_NONE &&
                  tn_call_sites_of(study_of(window)->sites,
                                   tn_buffers_stack(study_of(window)->buffers, buffer)) != 0;
  for (gsize i = 0; i < G_N_ELEMENTS(any); i++)
    set_enabled(window, any[i], buffer != TN_NONE);
  for (gsize i = 0; i < G_N_ELEMENTS(placed); i++)
    set_enabled(window, placed[i], is_placed);
  set_enabled(window, "filter-site", has_site);
  set_enabled(window, "buffer-menu", page != NULL);
  set_enabled(window, "clear-filters",
              page && tn_search_bar_count_filters(tn_page_get_search(page)) > 0);
}

void
tn_window_add_buffer_actions(TnWindow *window)
{
  static const GActionEntry actions[] = {
      {.name = "copy-name", .activate = copy_name_action},
      {.name = "copy-address", .activate = copy_address_action},
      {.name = "copy-row", .activate = copy_row_action},
      {.name = "life-start", .activate = life_start_action},
      {.name = "life-end", .activate = life_end_action},
      {.name = "next-user", .activate = next_user_action},
      {.name = "previous-user", .activate = previous_user_action},
      {.name = "zoom-buffer", .activate = zoom_buffer_action},
      {.name = "filter-site", .activate = filter_site_action},
      {.name = "filter-kind", .activate = filter_kind_action},
      {.name = "hide-kind", .activate = hide_kind_action},
      {.name = "filter-place", .activate = filter_place_action},
      {.name = "clear-filters", .activate = clear_filters_action},
      {.name = "bookmark", .activate = bookmark_action},
      {.name = "export-notes", .activate = export_notes_action},
      {.name = "buffer-menu", .activate = menu_action},
  };
  g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
}
