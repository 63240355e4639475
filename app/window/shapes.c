/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/shapes.h"

#include "app/window/settings.h"
#include "data/reader.h"

#include <string.h>

struct _TnShapes {
  GtkPopover parent_instance;
  TnSession *session;
  GtkWidget *grid, *table;
  GPtrArray *names;   /* char *: what --bind takes */
  GPtrArray *entries; /* GtkEntry *, by name */
  void (*apply)(GHashTable *bindings, gpointer data);
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
add_dim(TnShapes *shapes, char *name, int64_t value)
{
  GtkWidget *label = gtk_label_new(name), *entry = gtk_entry_new();
  char text[32] = "";
  int row = (int)shapes->names->len;
  if (value >= 0)
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, value);
  gtk_editable_set_text(GTK_EDITABLE(entry), text);
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry), "N, or 1, 2, 4");
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_grid_attach(GTK_GRID(shapes->grid), label, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(shapes->grid), entry, 1, row, 1, 1);
  g_ptr_array_add(shapes->names, name);
  g_ptr_array_add(shapes->entries, entry);
}

void
tn_shapes_set_session(TnShapes *shapes, TnSession *session)
{
  GtkWidget *child;
  g_set_object(&shapes->session, session);
  shapes->generation++;
  while ((child = gtk_widget_get_first_child(shapes->grid)))
    gtk_grid_remove(GTK_GRID(shapes->grid), child);
  g_ptr_array_set_size(shapes->names, 0);
  g_ptr_array_set_size(shapes->entries, 0);
  gtk_label_set_text(GTK_LABEL(shapes->table), "");
  if (!tn_shapes_has_any(session))
    return;
  const TnDocument *document = tn_session_get_document(session);
  for (guint i = 0; i < document->graph->free_dims->len && shapes->names->len < 12; i++) {
    const TnFreeDim *dim = &g_array_index(document->graph->free_dims, TnFreeDim, i);
    g_autofree char *name = name_of(document, dim);
    if (!has_name(shapes->names, name))
      add_dim(shapes, g_steal_pointer(&name), dim->value);
  }
}

static GHashTable *
new_bindings(void)
{
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void
on_apply(GtkButton *button, TnShapes *shapes)
{
  GHashTable *bindings = new_bindings();
  for (guint i = 0; i < shapes->names->len; i++) {
    const char *text = gtk_editable_get_text(g_ptr_array_index(shapes->entries, i));
    gint64 value = g_ascii_strtoll(text, NULL, 10);
    if (value > 0)
      g_hash_table_insert(bindings, g_strdup(g_ptr_array_index(shapes->names, i)),
                          g_strdup_printf("%" G_GINT64_FORMAT, value));
  }
  gtk_popover_popdown(GTK_POPOVER(shapes));
  shapes->apply(bindings, shapes->data);
}

/* ---- several at once ------------------------------------------------------------------------ */

typedef struct {
  char *path;
  GPtrArray *names, *lists; /* char *; lists: "1, 2, 4" */
  guint generation;
  GString *table;
} Comparison;

static void
free_comparison(gpointer data)
{
  Comparison *c = data;
  g_free(c->path);
  g_ptr_array_unref(c->names);
  g_ptr_array_unref(c->lists);
  g_string_free(c->table, TRUE);
  g_free(c);
}

/* The k-th value of a list, the last one for those that are shorter. */
static char *
value_at(const char *list, guint k)
{
  g_auto(GStrv) parts = g_strsplit(list, ",", -1);
  guint n = g_strv_length(parts);
  return n ? g_strdup(g_strstrip(parts[MIN(k, n - 1)])) : g_strdup("");
}

static void
append_bucket(Comparison *c, guint k)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  options.bindings = new_bindings();
  for (guint i = 0; i < c->names->len; i++) {
    g_autofree char *value = value_at(g_ptr_array_index(c->lists, i), k);
    if (!value[0])
      continue;
    g_string_append_printf(c->table, "%s=%s ", (char *)g_ptr_array_index(c->names, i), value);
    g_hash_table_insert(options.bindings, g_strdup(g_ptr_array_index(c->names, i)),
                        g_steal_pointer(&value));
  }
  g_autoptr(TnDocument) document = tn_document_load(c->path, &options, &error);
  g_autoptr(TnStudy) study = document ? tn_study_new(document, 0, &params, NULL, &error) : NULL;
  char size[48];
  if (study)
    g_string_append_printf(
        c->table, "  peak %s%s\n",
        tn_print_bytes(size, sizeof size, study->live->peak, tn_settings_get_units()),
        study->n_unsized ? " (some sizes unknown)" : "");
  else
    g_string_append_printf(c->table, "  %s\n", error->message);
  g_hash_table_unref(options.bindings);
}

static void
compare(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Comparison *c = data;
  guint most = 1;
  for (guint i = 0; i < c->lists->len; i++) {
    g_auto(GStrv) parts = g_strsplit(g_ptr_array_index(c->lists, i), ",", -1);
    most = MAX(most, g_strv_length(parts));
  }
  for (guint k = 0; k < MIN(most, 24u); k++)
    append_bucket(c, k);
  g_task_return_boolean(task, TRUE);
}

static void
compared(GObject *source, GAsyncResult *result, gpointer data)
{
  TnShapes *shapes = TN_SHAPES(source);
  Comparison *c = g_task_get_task_data(G_TASK(result));
  if (c->generation == shapes->generation)
    gtk_label_set_text(GTK_LABEL(shapes->table), c->table->str);
}

static void
on_compare(GtkButton *button, TnShapes *shapes)
{
  Comparison *c = g_new0(Comparison, 1);
  c->path = g_strdup(tn_session_get_document(shapes->session)->path);
  c->names = g_ptr_array_new_with_free_func(g_free);
  c->lists = g_ptr_array_new_with_free_func(g_free);
  c->table = g_string_new(NULL);
  c->generation = ++shapes->generation;
  for (guint i = 0; i < shapes->names->len; i++) {
    g_ptr_array_add(c->names, g_strdup(g_ptr_array_index(shapes->names, i)));
    g_ptr_array_add(
        c->lists,
        g_strdup(gtk_editable_get_text(g_ptr_array_index(shapes->entries, i))));
  }
  gtk_label_set_text(GTK_LABEL(shapes->table), "Computing…");
  g_autoptr(GTask) task = g_task_new(shapes, NULL, compared, NULL);
  g_task_set_task_data(task, c, free_comparison);
  g_task_run_in_thread(task, compare);
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

static void
tn_shapes_init(TnShapes *shapes)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *apply = gtk_button_new_with_mnemonic("_Read So");
  GtkWidget *several = gtk_button_new_with_mnemonic("_Compare Several");
  GtkWidget *note = gtk_label_new("Free dimensions. A list such as 1, 2, 4 compares its values.");
  shapes->names = g_ptr_array_new_with_free_func(g_free);
  shapes->entries = g_ptr_array_new();
  shapes->grid = gtk_grid_new();
  shapes->table = gtk_label_new("");
  gtk_label_set_selectable(GTK_LABEL(shapes->table), TRUE);
  gtk_label_set_xalign(GTK_LABEL(shapes->table), 0.0f);
  gtk_label_set_xalign(GTK_LABEL(note), 0.0f);
  gtk_widget_add_css_class(note, "dim-label");
  gtk_widget_add_css_class(shapes->table, "numeric");
  gtk_widget_add_css_class(apply, "suggested-action");
  gtk_grid_set_row_spacing(GTK_GRID(shapes->grid), 6);
  gtk_grid_set_column_spacing(GTK_GRID(shapes->grid), 12);
  g_signal_connect(apply, "clicked", G_CALLBACK(on_apply), shapes);
  g_signal_connect(several, "clicked", G_CALLBACK(on_compare), shapes);
  gtk_box_append(GTK_BOX(buttons), apply);
  gtk_box_append(GTK_BOX(buttons), several);
  gtk_box_append(GTK_BOX(box), note);
  gtk_box_append(GTK_BOX(box), shapes->grid);
  gtk_box_append(GTK_BOX(box), buttons);
  gtk_box_append(GTK_BOX(box), shapes->table);
  gtk_popover_set_child(GTK_POPOVER(shapes), box);
}

GtkWidget *
tn_shapes_new(void (*apply)(GHashTable *bindings, gpointer data), gpointer data)
{
  TnShapes *shapes = g_object_new(TN_TYPE_SHAPES, NULL);
  shapes->apply = apply;
  shapes->data = data;
  return GTK_WIDGET(shapes);
}
