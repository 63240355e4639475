/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/edit-panel.h"

#include "app/window/edit-actions.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

enum { ROW_PEAK = 1, ROW_ARENA, ROW_SUM, ROW_BUFFERS, N_ROWS };
enum { COLUMN_WHAT, COLUMN_BEFORE, COLUMN_AFTER, COLUMN_DELTA, N_COLUMNS };

struct _TnEditPanel {
  GtkBox parent_instance;
  TnSession *session;
  TnEdits *edits;
  GtkWidget *cells[N_ROWS][N_COLUMNS];
  GtkWidget *list, *stack, *spinner, *message;
  bool was_refused; /* the message stays until the next change */
};

G_DEFINE_TYPE(TnEditPanel, tn_edit_panel, GTK_TYPE_BOX)

/* ---- figures ------------------------------------------------------------------------------- */

static void
show_cell(TnEditPanel *panel, int row, int column, tn_bytes value, bool is_count)
{
  char text[48] = "–";
  if (value >= 0 && is_count)
    tn_print_count(text, sizeof text, value);
  else if (value >= 0)
    tn_print_bytes(text, sizeof text, value, tn_settings_get_units());
  gtk_label_set_text(GTK_LABEL(panel->cells[row][column]), text);
}

/* The part, which is what one looks for; exactly when it is pointed at. */
static void
show_delta(TnEditPanel *panel, int row, tn_bytes before, tn_bytes after)
{
  char text[48];
  GtkWidget *label = panel->cells[row][COLUMN_DELTA];
  tn_bytes delta = ABS(after - before);
  const char *sign = after > before ? "+" : "−";
  bool is_known = before >= 0 && after >= 0;
  if (!is_known || delta == 0) {
    gtk_label_set_text(GTK_LABEL(label), is_known ? _("the same") : "–");
    tn_tip_set(label, NULL);
    return;
  }
  g_autofree char *part = g_strdup_printf(
      "%s%.1f %%", sign, 100.0 * (double)delta / (double)MAX(before, (tn_bytes)1));
  g_autofree char *exact =
      g_strdup_printf("%s%s", sign, tn_print_count(text, sizeof text, delta));
  gtk_label_set_text(GTK_LABEL(label), part);
  tn_tip_set(label, exact);
}

static void
show_row(TnEditPanel *panel, int row, tn_bytes before, tn_bytes after, bool is_count)
{
  show_cell(panel, row, COLUMN_BEFORE, before, is_count);
  show_cell(panel, row, COLUMN_AFTER, after, is_count);
  show_delta(panel, row, before, after);
}

static tn_bytes
count_of(const TnEditFigures *figures)
{
  return figures->peak == TN_BYTES_UNKNOWN ? TN_BYTES_UNKNOWN : (tn_bytes)figures->n_buffers;
}

static void
show_figures(TnEditPanel *panel)
{
  TnEditFigures before, after;
  const TnStudy *study = tn_session_get_study(panel->session);
  if (!tn_edits_get_figures(panel->edits, &before, &after)) {
    before.peak = study->live->peak;
    before.arena = study->arena_bytes;
    before.no_reuse = study->no_reuse_bytes;
    before.n_buffers = study->buffers->n;
    after = before;
  }
  show_row(panel, ROW_PEAK, before.peak, after.peak, false);
  show_row(panel, ROW_ARENA, before.arena, after.arena, false);
  show_row(panel, ROW_SUM, before.no_reuse, after.no_reuse, false);
  show_row(panel, ROW_BUFFERS, count_of(&before), count_of(&after), true);
}

/* ---- the list ------------------------------------------------------------------------------ */

static void
on_remove(GtkButton *button, TnEditPanel *panel)
{
  tn_edits_remove(panel->edits, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "row")));
}

static GtkWidget *
make_row(TnEditPanel *panel, const TnGraphEdit *edit, guint row)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *remove = gtk_button_new_from_icon_name("edit-delete-symbolic");
  g_autofree char *words = tn_graph_edit_describe(edit);
  g_autofree char *text = g_strdup_printf("%u. %s", row + 1, words);
  g_autofree char *label = g_strdup_printf(_("Remove edit %u"), row + 1);
  GtkWidget *name = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(name), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_MIDDLE);
  tn_tip_set(name, words);
  gtk_widget_set_hexpand(name, TRUE);
  tn_tip_set(remove, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(remove), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_add_css_class(remove, "flat");
  g_object_set_data(G_OBJECT(remove), "row", GUINT_TO_POINTER(row));
  g_signal_connect(remove, "clicked", G_CALLBACK(on_remove), panel);
  gtk_box_append(GTK_BOX(box), name);
  gtk_box_append(GTK_BOX(box), remove);
  gtk_widget_add_css_class(box, "edit-row");
  return box;
}

static void
show_list(TnEditPanel *panel)
{
  const GPtrArray *list = tn_edits_get_list(panel->edits);
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(panel->list), 0)))
    gtk_list_box_remove(GTK_LIST_BOX(panel->list), GTK_WIDGET(row));
  for (guint i = 0; i < list->len; i++)
    gtk_list_box_append(GTK_LIST_BOX(panel->list), make_row(panel, list->pdata[i], i));
  gtk_stack_set_visible_child_name(GTK_STACK(panel->stack), list->len ? "list" : "none");
}

/* ---- following ----------------------------------------------------------------------------- */

void
tn_edit_panel_set_message(TnEditPanel *panel, const char *message)
{
  gtk_label_set_text(GTK_LABEL(panel->message), message ? message : "");
  tn_tip_set(panel->message, message);
  gtk_widget_set_visible(panel->message, message && message[0]);
}

const char *
tn_edit_panel_get_message(TnEditPanel *panel)
{
  return gtk_label_get_text(GTK_LABEL(panel->message));
}

static void
on_changed(TnEdits *edits, TnEditPanel *panel)
{
  bool is_planning = tn_edits_is_planning(edits);
  gtk_spinner_set_spinning(GTK_SPINNER(panel->spinner), is_planning);
  if (is_planning)
    return;
  if (!panel->was_refused)
    tn_edit_panel_set_message(panel, NULL);
  panel->was_refused = false;
  show_figures(panel);
  show_list(panel);
}

static void
on_measured(TnEdits *edits, TnEditPanel *panel)
{
  gtk_spinner_set_spinning(GTK_SPINNER(panel->spinner), tn_edits_is_planning(edits));
  show_figures(panel);
}

static void
on_refused(TnEdits *edits, const char *why, TnEditPanel *panel)
{
  g_autofree char *text = g_strdup_printf(_("Not done, nothing is changed: %s."), why);
  panel->was_refused = true;
  tn_edit_panel_set_message(panel, text);
}

static void
on_told(TnEdits *edits, const char *what, TnEditPanel *panel)
{
  tn_edit_panel_set_message(panel, what);
}

static void
on_units_changed(TnSession *session, TnEditPanel *panel)
{
  show_figures(panel);
}

/* ---- making -------------------------------------------------------------------------------- */

static GtkWidget *
make_label(const char *text, const char *class, float align)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), align);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

static GtkWidget *
make_figures(TnEditPanel *panel)
{
  static const char *const titles[N_COLUMNS] = {"", N_("As read"), N_("With edits"),
                                                N_("Difference")};
  static const char *const rows[N_ROWS] = {NULL, N_("Live peak"), N_("Arena"), N_("Without reuse"),
                                           N_("Buffers")};
  GtkWidget *grid = gtk_grid_new();
  gtk_grid_set_column_spacing(GTK_GRID(grid), 10);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 1);
  for (int column = 1; column < N_COLUMNS; column++)
    gtk_grid_attach(GTK_GRID(grid), make_label(_(titles[column]), "dim-label", 1.0f), column, 0, 1,
                    1);
  for (int row = 1; row < N_ROWS; row++) {
    gtk_grid_attach(GTK_GRID(grid), make_label(_(rows[row]), "dim-label", 0.0f), 0, row, 1, 1);
    for (int column = 1; column < N_COLUMNS; column++) {
      panel->cells[row][column] = make_label("", NULL, 1.0f);
      tn_view_set_figures(panel->cells[row][column]);
      gtk_label_set_width_chars(GTK_LABEL(panel->cells[row][column]), 9);
      gtk_grid_attach(GTK_GRID(grid), panel->cells[row][column], column, row, 1, 1);
    }
  }
  tn_tip_set(grid, _("Both planned alike, by the planner that opens a file"));
  gtk_widget_add_css_class(grid, "edit-figures");
  return grid;
}

static GtkWidget *
make_button(const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = tn_view_spoken(gtk_button_new_with_mnemonic(label));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  tn_tip_set(button, tooltip);
  return button;
}

static GtkWidget *
make_bar(TnEditPanel *panel)
{
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *add = gtk_menu_button_new();
  g_autoptr(GMenuModel) menu = tn_edit_menu_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(add), _("Add Edit"));
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(add), menu);
  tn_tip_set(add,
                              _("To the selected buffer, or the op chosen in the table of ops"));
  panel->spinner = gtk_spinner_new();
  gtk_box_append(GTK_BOX(bar), add);
  gtk_box_append(GTK_BOX(bar), make_button(_("_Load…"), "win.edit-load", _("Edits from a file")));
  gtk_box_append(GTK_BOX(bar), make_button(_("_Save…"), "win.edit-save",
                                           _("For tenure-cli --edits, or for another day")));
  gtk_box_append(GTK_BOX(bar),
                 make_button(_("_Clear"), "win.edit-clear", _("Remove all: the graph as read")));
  gtk_box_append(GTK_BOX(bar), panel->spinner);
  gtk_widget_add_css_class(bar, "edit-bar");
  return bar;
}

static GtkWidget *
make_list(TnEditPanel *panel)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  GtkWidget *none =
      make_label(_("No edits: this is the graph as it was read.\n"
                   "Select a buffer, or choose one of the ops, then Add Edit: the peak "
                   "with it is shown beside the peak without. The file stays as it is."),
                 "dim-label", 0.0f);
  panel->list = gtk_list_box_new();
  panel->stack = gtk_stack_new();
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(panel->list), GTK_SELECTION_NONE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(panel->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Edits of the graph"), -1);
  gtk_label_set_wrap(GTK_LABEL(none), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(none), 36);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), panel->list);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_stack_add_named(GTK_STACK(panel->stack), tn_view_scroller_new(none, 0, 0, 0), "none");
  gtk_stack_add_named(GTK_STACK(panel->stack), scroller, "list");
  gtk_widget_set_vexpand(panel->stack, TRUE);
  return panel->stack;
}

static void
dispose(GObject *object)
{
  TnEditPanel *panel = TN_EDIT_PANEL(object);
  g_clear_object(&panel->edits);
  g_clear_object(&panel->session);
  G_OBJECT_CLASS(tn_edit_panel_parent_class)->dispose(object);
}

static void
tn_edit_panel_class_init(TnEditPanelClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_edit_panel_init(TnEditPanel *panel)
{
  GtkWidget *right = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new(); /* long words, large text */
  panel->message = make_label("", "error", 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(panel->message), PANGO_ELLIPSIZE_END);
  gtk_widget_set_visible(panel->message, FALSE);
  gtk_box_append(GTK_BOX(right), make_bar(panel));
  gtk_box_append(GTK_BOX(right), panel->message);
  gtk_box_append(GTK_BOX(right), make_list(panel));
  gtk_widget_set_hexpand(right, TRUE);
  gtk_box_append(GTK_BOX(row), make_figures(panel));
  gtk_box_append(GTK_BOX(row), right);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), row);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(panel), scroller);
}

GtkWidget *
tn_edit_panel_new(TnSession *session)
{
  TnEditPanel *panel = g_object_new(TN_TYPE_EDIT_PANEL, NULL);
  panel->session = g_object_ref(session);
  panel->edits = g_object_ref(tn_edits_get(session));
  g_signal_connect_object(panel->edits, "changed", G_CALLBACK(on_changed), panel, 0);
  g_signal_connect_object(panel->edits, "measured", G_CALLBACK(on_measured), panel, 0);
  g_signal_connect_object(panel->edits, "refused", G_CALLBACK(on_refused), panel, 0);
  g_signal_connect_object(panel->edits, "told", G_CALLBACK(on_told), panel, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), panel, 0);
  on_changed(panel->edits, panel);
  return GTK_WIDGET(panel);
}
