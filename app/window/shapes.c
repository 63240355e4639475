/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/shapes.h"

#include "app/window/background.h"
#include "app/window/settings.h"
#include "app/window/shape-buckets.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_DIMS 12u

struct _TnShapes {
  GtkPopover parent_instance;
  TnSession *session;
  GtkWidget *grid, *rest, *table;
  GtkWidget *wrong; /* what the entry that is marked should have; apart from the table, which may still come */
  GPtrArray *names;   /* char *: what --bind takes */
  GPtrArray *entries; /* GtkEntry *, by name */
  void (*apply)(GHashTable *bindings, bool is_compared, gpointer data);
  gpointer data;
  guint generation; /* of the comparison that runs; an older one is dropped */
};

G_DEFINE_TYPE(TnShapes, tn_shapes, GTK_TYPE_POPOVER)

bool
tn_shapes_has_any(TnSession *session)
{
  const TnGraph *graph = session ? tn_session_get_document(session)->graph : NULL;
  return graph && graph->free_dims && graph->free_dims->len > 0;
}

/* A dimension with a name is bound by it, any other by its input and axis. */
static char *
name_of(const TnDocument *document, const TnFreeDim *dim)
{
  const char *param = tn_strings_get(document->strings, dim->param);
  if (param[0] && strcmp(param, "?") != 0)
    return g_strdup(param);
  const TnTensor *tensor = tn_graph_tensor(document->graph, dim->tensor);
  return g_strdup_printf("%s[%u]", tn_strings_get(document->strings, tensor->name), dim->axis);
}

static bool
has_name(const GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp(g_ptr_array_index(names, i), name) == 0)
      return true;
  return false;
}

static void
mark(GtkWidget *entry, bool is_wrong)
{
  if (is_wrong)
    gtk_widget_add_css_class(entry, "error");
  else
    gtk_widget_remove_css_class(entry, "error");
  gtk_accessible_update_state(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_STATE_INVALID,
                              is_wrong ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

/* NULL: nothing is wrong. */
static void
say_wrong(TnShapes *shapes, const char *why)
{
  gtk_label_set_text(GTK_LABEL(shapes->wrong), why ? why : "");
  gtk_widget_set_visible(shapes->wrong, why != NULL);
}

/* One at a time is marked. */
static void
on_changed(GtkEditable *entry, TnShapes *shapes)
{
  if (gtk_widget_has_css_class(GTK_WIDGET(entry), "error"))
    say_wrong(shapes, NULL);
  mark(GTK_WIDGET(entry), false);
}

static void
add_dim(TnShapes *shapes, char *name, int64_t value)
{
  GtkWidget *label = gtk_label_new(name), *entry = gtk_entry_new();
  char text[32] = "";
  int row = (int)shapes->names->len;
  if (value >= 0 && value <= G_MAXINT32) /* of more than can be bound it stays what the file says */
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, value);
  gtk_editable_set_enable_undo(GTK_EDITABLE(entry), FALSE); /* what is taken back was typed */
  gtk_editable_set_text(GTK_EDITABLE(entry), text);
  gtk_editable_set_enable_undo(GTK_EDITABLE(entry), TRUE);
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry), _("N, or 1, 2, 4"));
  g_signal_connect(entry, "changed", G_CALLBACK(on_changed), shapes);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_grid_attach(GTK_GRID(shapes->grid), label, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(shapes->grid), entry, 1, row, 1, 1);
  g_ptr_array_add(shapes->names, name);
  g_ptr_array_add(shapes->entries, entry);
}

/* How many have no row here. */
static void
say_rest(TnShapes *shapes, guint n)
{
  g_autofree char *text = g_strdup_printf(
      ngettext("%u more has no room here: tenure-cli takes it with --bind",
               "%u more have no room here: tenure-cli takes them with --bind", n), n);
  gtk_label_set_text(GTK_LABEL(shapes->rest), text);
  gtk_widget_set_visible(shapes->rest, n > 0);
}

static void
add_dims(TnShapes *shapes, const TnDocument *document)
{
  g_autoptr(GHashTable) left_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < document->graph->free_dims->len; i++) {
    const TnFreeDim *dim = &g_array_index(document->graph->free_dims, TnFreeDim, i);
    g_autofree char *name = name_of(document, dim);
    if (has_name(shapes->names, name))
      continue;
    if (shapes->names->len < MOST_DIMS)
      add_dim(shapes, g_steal_pointer(&name), dim->value);
    else
      g_hash_table_add(left_out, g_steal_pointer(&name));
  }
  say_rest(shapes, g_hash_table_size(left_out));
}

void
tn_shapes_set_session(TnShapes *shapes, TnSession *session)
{
  GtkWidget *child;
  if (!g_set_object(&shapes->session, session))
    return; /* what was typed for it stays, and the table that is on its way */
  shapes->generation++;
  while ((child = gtk_widget_get_first_child(shapes->grid)))
    gtk_grid_remove(GTK_GRID(shapes->grid), child);
  g_ptr_array_set_size(shapes->names, 0);
  g_ptr_array_set_size(shapes->entries, 0);
  gtk_label_set_text(GTK_LABEL(shapes->table), "");
  say_wrong(shapes, NULL);
  if (tn_shapes_has_any(session))
    add_dims(shapes, tn_session_get_file(session)); /* it is what will be read again */
}

static const char *
text_of(TnShapes *shapes, guint i)
{
  return gtk_editable_get_text(g_ptr_array_index(shapes->entries, i));
}

/* Whether each entry is empty or has values, `most` of them; the first that has not is marked and named. */
static bool
check_entries(TnShapes *shapes, guint most)
{
  say_wrong(shapes, NULL);
  for (guint i = 0; i < shapes->names->len; i++)
    mark(g_ptr_array_index(shapes->entries, i), false);
  for (guint i = 0; i < shapes->names->len; i++) {
    GtkWidget *entry = g_ptr_array_index(shapes->entries, i);
    if (tn_shape_list_is_good(text_of(shapes, i), most))
      continue;
    g_autofree char *why = g_strdup_printf(
        most == 1 ? _("%s: expected one whole number, or nothing; lists are for the table")
                  : _("%s: expected whole numbers with commas between them, or nothing"),
        (const char *)g_ptr_array_index(shapes->names, i));
    mark(entry, true);
    say_wrong(shapes, why);
    gtk_widget_grab_focus(entry);
    return false;
  }
  return true;
}

static GHashTable *
build_bindings(TnShapes *shapes)
{
  GHashTable *bindings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < shapes->names->len; i++) {
    g_autofree char *value = g_strstrip(g_strdup(text_of(shapes, i)));
    if (value[0])
      g_hash_table_insert(bindings, g_strdup(g_ptr_array_index(shapes->names, i)),
                          g_steal_pointer(&value));
  }
  return bindings;
}

static void
hand_over(TnShapes *shapes, bool is_compared)
{
  if (!check_entries(shapes, 1))
    return;
  gtk_popover_popdown(GTK_POPOVER(shapes));
  shapes->apply(build_bindings(shapes), is_compared, shapes->data);
}

static void
on_apply(GtkButton *button, TnShapes *shapes)
{
  hand_over(shapes, false);
}

static void
on_apply_compared(GtkButton *button, TnShapes *shapes)
{
  hand_over(shapes, true);
}

/* ---- several at once ------------------------------------------------------------------------ */

typedef struct {
  TnShapes *shapes; /* owned reference */
  TnSession *session; /* owned reference: whose form it was */
  TnShapeBuckets *buckets;
  guint generation;
  bool is_held; /* the application, until the plans are written */
  char *table;
} Comparison;

static void
free_comparison(gpointer data)
{
  Comparison *c = data;
  if (c->is_held)
    g_application_release(g_application_get_default());
  tn_shape_buckets_free(c->buckets);
  g_free(c->table);
  g_object_unref(c->session);
  g_object_unref(c->shapes);
  g_free(c);
}

static void
compare(gpointer data)
{
  Comparison *c = data;
  c->table = tn_shape_buckets_run(c->buckets);
}

static void
compared(gpointer data)
{
  Comparison *c = data;
  if (c->generation == c->shapes->generation)
    gtk_label_set_text(GTK_LABEL(c->shapes->table), c->table);
}

/* Of the form as it is now. */
static Comparison *
comparison_new(TnShapes *shapes)
{
  Comparison *c = g_new0(Comparison, 1);
  c->shapes = g_object_ref(shapes);
  c->session = g_object_ref(shapes->session);
  c->buckets = tn_shape_buckets_new(tn_session_get_file(shapes->session)->path);
  c->buckets->units = tn_settings_get_units();
  c->buckets->preset = tn_session_get_study(shapes->session)->preset;
  for (guint i = 0; i < shapes->names->len; i++) {
    g_ptr_array_add(c->buckets->names, g_strdup(g_ptr_array_index(shapes->names, i)));
    g_ptr_array_add(c->buckets->lists, g_strdup(text_of(shapes, i)));
  }
  return c;
}

/* Another file may have come to the front: then its form is left alone. */
static void
start(Comparison *c)
{
  if (c->session == c->shapes->session) {
    c->generation = ++c->shapes->generation;
    gtk_label_set_text(GTK_LABEL(c->shapes->table), _("Computing…"));
  }
  c->is_held = c->buckets->folder != NULL;
  if (c->is_held)
    g_application_hold(g_application_get_default());
  tn_background_run(c, compare, compared, free_comparison);
}

static void
on_compare(GtkButton *button, TnShapes *shapes)
{
  if (check_entries(shapes, G_MAXUINT))
    start(comparison_new(shapes));
}

static void
on_folder(GtkNativeDialog *dialog, int response, Comparison *c)
{
  g_autoptr(GFile) file =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;
  c->buckets->folder = file ? g_file_get_path(file) : NULL;
  if (c->session == c->shapes->session)
    gtk_popover_popup(GTK_POPOVER(c->shapes));
  if (c->buckets->folder)
    start(c);
  else
    free_comparison(c);
  g_object_unref(dialog);
}

static void
on_write(GtkButton *button, TnShapes *shapes)
{
  if (!check_entries(shapes, G_MAXUINT))
    return;
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new(
      _("A Plan for Each, Into a Folder"), GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(shapes))),
      GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Write"), _("_Cancel"));
  g_signal_connect(chooser, "response", G_CALLBACK(on_folder), comparison_new(shapes));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser), TRUE);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

/* ---- making ------------------------------------------------------------------------------------ */

static void
dispose(GObject *object)
{
  TnShapes *shapes = TN_SHAPES(object);
  g_clear_object(&shapes->session);
  g_clear_pointer(&shapes->names, g_ptr_array_unref);
  g_clear_pointer(&shapes->entries, g_ptr_array_unref);
  G_OBJECT_CLASS(tn_shapes_parent_class)->dispose(object);
}

static void
tn_shapes_class_init(TnShapesClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static GtkWidget *
make_button(TnShapes *shapes, const char *label, const char *tooltip, GCallback clicked)
{
  GtkWidget *button = tn_view_spoken(gtk_button_new_with_mnemonic(label));
  tn_tip_set(button, tooltip);
  g_signal_connect(button, "clicked", clicked, shapes);
  return button;
}

static GtkWidget *
make_buttons(TnShapes *shapes)
{
  GtkWidget *grid = gtk_grid_new();
  GtkWidget *apply =
      make_button(shapes, _("_Read So"), _("In a tab of its own"), G_CALLBACK(on_apply));
  gtk_widget_add_css_class(apply, "suggested-action");
  gtk_grid_attach(GTK_GRID(grid), apply, 0, 0, 1, 1);
  gtk_grid_attach(GTK_GRID(grid),
                  make_button(shapes, _("Read and _Compare"), _("With what is shown now"),
                              G_CALLBACK(on_apply_compared)),
                  1, 0, 1, 1);
  gtk_grid_attach(GTK_GRID(grid),
                  make_button(shapes, _("_Table of Lists"), _("The peak and the arena of each"),
                              G_CALLBACK(on_compare)),
                  0, 1, 1, 1);
  gtk_grid_attach(GTK_GRID(grid),
                  make_button(shapes, _("_Write Plans…"), _("A plan for each, as a file"),
                              G_CALLBACK(on_write)),
                  1, 1, 1, 1);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 8);
  gtk_grid_set_column_homogeneous(GTK_GRID(grid), TRUE);
  return grid;
}

static void
tn_shapes_init(TnShapes *shapes)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *note =
      gtk_label_new(_("Free dimensions. A list such as 1, 2, 4 is a bucket for each value."));
  shapes->names = g_ptr_array_new_with_free_func(g_free);
  shapes->entries = g_ptr_array_new();
  shapes->grid = gtk_grid_new();
  shapes->table = gtk_label_new("");
  shapes->rest = gtk_label_new("");
  gtk_widget_set_visible(shapes->rest, FALSE);
  shapes->wrong = gtk_label_new("");
  gtk_widget_set_visible(shapes->wrong, FALSE);
  gtk_label_set_xalign(GTK_LABEL(shapes->wrong), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(shapes->wrong), TRUE);
  gtk_widget_add_css_class(shapes->wrong, "error");
  gtk_label_set_xalign(GTK_LABEL(shapes->rest), 0.0f);
  gtk_widget_add_css_class(shapes->rest, "dim-label");
  gtk_label_set_selectable(GTK_LABEL(shapes->table), TRUE);
  gtk_label_set_xalign(GTK_LABEL(shapes->table), 0.0f);
  gtk_label_set_xalign(GTK_LABEL(note), 0.0f);
  gtk_widget_add_css_class(note, "dim-label");
  gtk_widget_add_css_class(shapes->table, "numeric");
  gtk_grid_set_row_spacing(GTK_GRID(shapes->grid), 6);
  gtk_grid_set_column_spacing(GTK_GRID(shapes->grid), 12);
  gtk_box_append(GTK_BOX(box), note);
  gtk_box_append(GTK_BOX(box), shapes->grid);
  gtk_box_append(GTK_BOX(box), shapes->rest);
  gtk_box_append(GTK_BOX(box), shapes->wrong);
  gtk_box_append(GTK_BOX(box), make_buttons(shapes));
  gtk_box_append(GTK_BOX(box), shapes->table);
  gtk_popover_set_child(GTK_POPOVER(shapes), box);
}

GtkWidget *
tn_shapes_new(void (*apply)(GHashTable *bindings, bool is_compared, gpointer data), gpointer data)
{
  TnShapes *shapes = g_object_new(TN_TYPE_SHAPES, NULL);
  shapes->apply = apply;
  shapes->data = data;
  return GTK_WIDGET(shapes);
}
