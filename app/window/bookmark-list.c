/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/bookmark-list.h"

#include "app/window/axis-words.h"
#include "app/window/loader.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TnBookmarkList {
  GtkBox parent_instance;
  TnSession *session;
  TnNotes *notes; /* the session's */
  GtkWidget *stack, *list, *text, *trouble;
  guint edition; /* of the bookmarks that are shown */
  int wanted; /* a row to go to when its device is there; -1: none */
  bool is_filling;
};

G_DEFINE_TYPE(TnBookmarkList, tn_bookmark_list, GTK_TYPE_BOX)

/* ---- going ------------------------------------------------------------------------------------- */

/* False where the document has no such device. */
static bool
find_device(TnBookmarkList *list, int32_t ordinal, uint32_t *out_row)
{
  const TnDocument *document = tn_session_get_document(list->session);
  for (uint32_t i = 0; i < document->devices->len; i++) {
    if (tn_document_get_device(document, i)->ordinal != ordinal)
      continue;
    *out_row = i;
    return true;
  }
  return false;
}

void
tn_bookmark_list_go_to(TnBookmarkList *list, guint row)
{
  const TnStudy *study = tn_session_get_study(list->session);
  const TnBookmark *bookmark = tn_notes_get(list->notes, row);
  uint32_t device;
  if (bookmark->device != study->device->ordinal) {
    list->wanted = (int)row;
    if (find_device(list, bookmark->device, &device))
      tn_load_device(list->session, device);
    return;
  }
  tn_session_show_bookmark(list->session, bookmark, true);
}

static void
on_study_changed(TnSession *session, TnBookmarkList *list)
{
  int row = list->wanted;
  list->wanted = -1;
  if (row >= 0 && (guint)row < tn_notes_count(list->notes))
    tn_bookmark_list_go_to(list, (guint)row);
}

static void
on_study_failed(TnSession *session, const char *why, TnBookmarkList *list)
{
  list->wanted = -1;
}

void
tn_bookmark_list_add(TnBookmarkList *list)
{
  const TnView *view = tn_session_get_view(list->session);
  const TnStudy *study = view->study;
  char tick[32];
  TnBookmark bookmark = {
      .device = study->device->ordinal,
      .tick = view->cursor >= 0 ? (tn_tick)view->cursor : tn_session_get_moment(list->session),
      .buffer = view->selected};
  bookmark.tick = CLAMP(bookmark.tick, 0, study->axis_end - 1);
  bookmark.name =
      view->selected != TN_NONE
          ? tn_study_dup_label(study, view->selected)
          : g_strdup_printf(bookmark.tick == study->live->peak_at ? _("Peak, at %s") : _("At %s"),
                            tn_print_count(tick, sizeof tick, bookmark.tick));
  if (view->selected != TN_NONE) {
    bookmark.label = tn_study_dup_label(study, view->selected);
    bookmark.bytes = study->buffers->bytes[view->selected];
  }
  tn_notes_add(list->notes, tn_session_get_undo(list->session), &bookmark);
  g_free(bookmark.name);
  g_free(bookmark.label);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static guint
row_of(gpointer widget)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(widget), "row"));
}

static void
on_remove(GtkButton *button, TnBookmarkList *list)
{
  tn_notes_remove(list->notes, tn_session_get_undo(list->session), row_of(button));
}

/* The name takes clicks only while it is edited: else they are the row's. */
static void
on_rename(GtkButton *button, GtkWidget *name)
{
  gtk_widget_set_can_target(name, TRUE);
  gtk_widget_set_focusable(name, TRUE);
  gtk_widget_grab_focus(name);
  gtk_editable_label_start_editing(GTK_EDITABLE_LABEL(name));
}

static void
on_edited(GtkWidget *name, GParamSpec *pspec, TnBookmarkList *list)
{
  if (gtk_editable_label_get_editing(GTK_EDITABLE_LABEL(name)))
    return;
  gtk_widget_set_can_target(name, FALSE);
  guint row = row_of(name);
  const char *text = gtk_editable_get_text(GTK_EDITABLE(name));
  if (row >= tn_notes_count(list->notes))
    return;
  g_autofree char *shown = tn_elide_middle(tn_notes_get(list->notes, row)->name, TN_VIEW_NAME_CHARS);
  if (text[0] && strcmp(text, shown) != 0)
    tn_notes_rename(list->notes, tn_session_get_undo(list->session), row, text);
}

static GtkWidget *
make_button(const char *icon, const char *label, guint row)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  gtk_widget_add_css_class(button, "flat");
  tn_tip_set(button, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_object_set_data(G_OBJECT(button), "row", GUINT_TO_POINTER(row));
  return button;
}

/* "event 4,272 · 192.0 MiB" */
static GtkWidget *
make_place(TnBookmarkList *list, const TnBookmark *bookmark)
{
  const TnStudy *study = tn_session_get_study(list->session);
  char tick[32], size[48];
  g_autoptr(GString) text = g_string_new(NULL);
  if (bookmark->device != study->device->ordinal)
    g_string_append_printf(text, "%s %d · ", _("device"), bookmark->device);
  else if (bookmark->label || bookmark->buffer < study->buffers->n)
    g_string_append_printf(
        text, "%s · ",
        tn_print_bytes(size, sizeof size,
                       bookmark->label ? bookmark->bytes : study->buffers->bytes[bookmark->buffer],
                       tn_session_get_view(list->session)->units));
  g_string_append_printf(text, "%s %s", tn_axis_word(study->device->axis),
                         tn_print_count(tick, sizeof tick, bookmark->tick));
  GtkWidget *label = gtk_label_new(text->str);
  gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_add_css_class(label, "numeric");
  return label;
}

static GtkWidget *
make_row(TnBookmarkList *list, guint row)
{
  const TnBookmark *bookmark = tn_notes_get(list->notes, row);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *shown = tn_elide_middle(bookmark->name, TN_VIEW_NAME_CHARS);
  GtkWidget *name = gtk_editable_label_new(shown);
  GtkWidget *rename = make_button("document-edit-symbolic", _("Rename"), row);
  GtkWidget *remove = make_button("user-trash-symbolic", _("Remove"), row);
  g_object_set_data(G_OBJECT(name), "row", GUINT_TO_POINTER(row));
  gtk_widget_set_hexpand(name, TRUE);
  gtk_widget_set_can_target(name, FALSE);
  gtk_widget_set_focusable(name, FALSE);
  g_signal_connect_object(name, "notify::editing", G_CALLBACK(on_edited), list, 0);
  g_signal_connect_object(rename, "clicked", G_CALLBACK(on_rename), name, 0);
  g_signal_connect_object(remove, "clicked", G_CALLBACK(on_remove), list, 0);
  gtk_box_append(GTK_BOX(box), name);
  gtk_box_append(GTK_BOX(box), make_place(list, bookmark));
  gtk_box_append(GTK_BOX(box), rename);
  gtk_box_append(GTK_BOX(box), remove);
  gtk_widget_add_css_class(box, "bookmark");
  return box;
}

#define MOST_ROWS 500u /* each is some widgets; the flags on the axis go to all */

static GtkWidget *
make_rest(guint n)
{
  g_autofree char *text = g_strdup_printf(_("and %u more"), n);
  GtkWidget *row = gtk_list_box_row_new(), *label = gtk_label_new(text);
  gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_add_css_class(label, "bookmark");
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), label);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), FALSE);
  return row;
}

static void
fill_rows(TnBookmarkList *list)
{
  guint n = tn_notes_count(list->notes), shown = MIN(n, MOST_ROWS);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(list->list)))
    gtk_list_box_remove(GTK_LIST_BOX(list->list), child);
  for (guint i = 0; i < shown; i++)
    gtk_list_box_append(GTK_LIST_BOX(list->list), make_row(list, i));
  if (n > shown)
    gtk_list_box_append(GTK_LIST_BOX(list->list), make_rest(n - shown));
  gtk_stack_set_visible_child_name(GTK_STACK(list->stack), n ? "rows" : "none");
  list->edition = tn_notes_get_edition(list->notes);
}

static char *
dup_text(GtkTextBuffer *buffer)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

static void
show_trouble(TnBookmarkList *list)
{
  bool is_reading = tn_notes_is_reading(list->notes);
  const char *text = is_reading ? _("Reading the notes…") : tn_notes_get_trouble(list->notes);
  gtk_label_set_text(GTK_LABEL(list->trouble), text ? text : "");
  gtk_widget_set_visible(list->trouble, text != NULL);
  if (is_reading)
    gtk_widget_remove_css_class(list->trouble, "warning");
  else
    gtk_widget_add_css_class(list->trouble, "warning");
  gtk_widget_set_sensitive(list->text, !is_reading); /* what is typed would stand in place of what is kept */
}

/* The rows are made anew only where they are others: each letter of the notes is a change too. */
static void
fill(TnBookmarkList *list, bool is_all)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(list->text));
  g_autofree char *shown = dup_text(buffer);
  list->is_filling = true;
  if (is_all || list->edition != tn_notes_get_edition(list->notes))
    fill_rows(list);
  if (g_strcmp0(shown, tn_notes_get_text(list->notes)) != 0)
    gtk_text_buffer_set_text(buffer, tn_notes_get_text(list->notes), -1);
  show_trouble(list);
  list->is_filling = false;
}

static void
on_notes_changed(TnNotes *notes, TnBookmarkList *list)
{
  fill(list, false);
}

static void
on_units_changed(TnSession *session, TnBookmarkList *list)
{
  fill(list, true);
}

static void
on_text_changed(GtkTextBuffer *buffer, TnBookmarkList *list)
{
  g_autofree char *text = dup_text(buffer);
  if (!list->is_filling)
    tn_notes_set_text(list->notes, tn_session_get_undo(list->session), text);
}

static void
on_row_activated(GtkListBox *box, GtkListBoxRow *row, TnBookmarkList *list)
{
  tn_bookmark_list_go_to(list, (guint)gtk_list_box_row_get_index(row));
}

/* ---- making ------------------------------------------------------------------------------------ */

static GtkWidget *
scroll(GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}

static GtkWidget *
make_rows(TnBookmarkList *list)
{
  GtkWidget *none = gtk_label_new(_("M puts a bookmark at the cursor and on the selected buffer."));
  gtk_widget_add_css_class(none, "dim-label");
  gtk_label_set_wrap(GTK_LABEL(none), TRUE);
  list->list = gtk_list_box_new();
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(list->list), GTK_SELECTION_NONE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(list->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Bookmarks"), -1);
  g_signal_connect(list->list, "row-activated", G_CALLBACK(on_row_activated), list);
  list->stack = gtk_stack_new();
  gtk_stack_add_named(GTK_STACK(list->stack), none, "none");
  gtk_stack_add_named(GTK_STACK(list->stack), scroll(list->list), "rows");
  return list->stack;
}

static GtkWidget *
make_notes(TnBookmarkList *list)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *title = gtk_label_new(_("Notes")),
            *export = tn_view_spoken(gtk_button_new_with_mnemonic(_("E_xport…")));
  list->trouble = gtk_label_new("");
  gtk_label_set_ellipsize(GTK_LABEL(list->trouble), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(list->trouble, "caption");
  gtk_widget_set_hexpand(list->trouble, TRUE);
  gtk_label_set_xalign(GTK_LABEL(list->trouble), 0.0f);
  gtk_widget_add_css_class(title, "heading");
  gtk_widget_set_halign(export, GTK_ALIGN_END);
  gtk_widget_set_hexpand(export, TRUE);
  gtk_widget_add_css_class(export, "flat");
  tn_tip_set(export, _("Write bookmarks and notes beside the file"));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(export), "win.export-notes");
  gtk_box_append(GTK_BOX(head), title);
  gtk_box_append(GTK_BOX(head), list->trouble);
  gtk_box_append(GTK_BOX(head), export);
  list->text = gtk_text_view_new();
  gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(list->text), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(list->text), FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(list->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Notes of this file"), -1);
  g_signal_connect(gtk_text_view_get_buffer(GTK_TEXT_VIEW(list->text)), "changed",
                   G_CALLBACK(on_text_changed), list);
  gtk_widget_add_css_class(box, "notes");
  gtk_box_append(GTK_BOX(box), head);
  gtk_box_append(GTK_BOX(box), scroll(list->text));
  return box;
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_BOOKMARK_LIST(object)->session);
  G_OBJECT_CLASS(tn_bookmark_list_parent_class)->dispose(object);
}

static void
tn_bookmark_list_class_init(TnBookmarkListClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_bookmark_list_init(TnBookmarkList *list)
{
  list->wanted = -1;
  gtk_box_set_homogeneous(GTK_BOX(list), TRUE);
}

GtkWidget *
tn_bookmark_list_new(TnSession *session)
{
  TnBookmarkList *list = g_object_new(TN_TYPE_BOOKMARK_LIST, NULL);
  list->session = g_object_ref(session);
  list->notes = tn_session_get_notes(session);
  gtk_box_append(GTK_BOX(list), make_rows(list));
  gtk_box_append(GTK_BOX(list), make_notes(list));
  g_signal_connect_object(list->notes, "changed", G_CALLBACK(on_notes_changed), list, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), list, 0);
  g_signal_connect_object(session, "study-failed", G_CALLBACK(on_study_failed), list, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), list, 0);
  fill(list, true);
  return GTK_WIDGET(list);
}
