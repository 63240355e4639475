/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/edit-actions.h"

#include "app/window/edit-dialog.h"
#include "app/window/edit-panel.h"
#include "app/window/window-private.h"
#include "data/error.h"
#include "data/graph-order.h"
#include "data/write.h"

#include <glib/gi18n.h>
#include <string.h>

#define LONGEST_CHAIN 64

/* What an edit is of: an op, a tensor, either TN_NONE. */
typedef struct {
  TnSession *session;
  const TnDocument *document;
  const TnGraph *graph;
  uint32_t op, tensor;
} Target;

static GtkWidget *
panel_of(TnWindow *window)
{
  TnPage *page = tn_window_get_page(window);
  return page ? tn_page_get_edit_panel(page) : NULL;
}

/* Shows the list of edits, and there why an edit can't be made; NULL: nothing to say, or no page. */
static void
show_message(TnPage *page, const char *message)
{
  GtkWidget *panel = page ? tn_page_get_edit_panel(page) : NULL;
  if (!panel)
    return;
  tn_page_show_edits(page);
  tn_edit_panel_set_message(TN_EDIT_PANEL(panel), message);
}

static void
show_panel(TnWindow *window, const char *message)
{
  show_message(tn_window_get_page(window), message);
}

static void G_GNUC_PRINTF(2, 3)
refuse(TnWindow *window, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  show_panel(window, message);
}

/* ---- targets ------------------------------------------------------------------------------- */

static void
find_target(TnWindow *window, Target *target)
{
  target->session = tn_window_get_session(window);
  target->document = tn_session_get_document(target->session);
  target->graph = target->document->graph;
  target->op = tn_page_get_chosen_op(tn_window_get_page(window));
  target->tensor = TN_NONE;
  const TnView *view = tn_session_get_view(target->session);
  const TnBuffers *b = view->study->buffers;
  if (target->op != TN_NONE) {
    const TnOp *op = tn_graph_op(target->graph, target->op);
    target->tensor = op->n_outputs ? *tn_graph_outputs(target->graph, op) : TN_NONE;
  } else if (view->selected != TN_NONE) {
    target->op = b->op ? b->op[view->selected] : TN_NONE;
    target->tensor = b->tensor ? b->tensor[view->selected] : TN_NONE;
  }
}

static bool
take_target(TnWindow *window, bool needs_op, bool needs_tensor, Target *target)
{
  if (!panel_of(window))
    return false;
  find_target(window, target);
  if (target->op == TN_NONE && target->tensor == TN_NONE)
    refuse(window, _("Select a buffer first, or choose an op in the table of ops."));
  else if (needs_op && target->op == TN_NONE)
    refuse(window, _("No op makes this buffer: it is an input of the graph."));
  else if (needs_tensor && target->tensor == TN_NONE)
    refuse(window, _("This is scratch memory of an op, not a tensor."));
  else
    return true;
  return false;
}

static char *
dup_tensor(const Target *target, uint32_t tensor)
{
  return tn_graph_edit_dup_tensor_name(target->graph, target->document->strings, tensor);
}

static void
add(TnWindow *window, const Target *target, TnGraphEdit *edit)
{
  show_panel(window, NULL);
  tn_edits_add(tn_edits_get(target->session), edit);
}

static TnGraphEdit *
new_edit(const Target *target, TnEditKind kind)
{
  TnGraphEdit *edit = g_new0(TnGraphEdit, 1);
  edit->kind = kind;
  edit->bytes = TN_BYTES_UNKNOWN;
  edit->tensor = dup_tensor(target, target->tensor);
  return edit;
}

/* ---- fuse ---------------------------------------------------------------------------------- */

#define SEVERAL (TN_NONE - 1)

/* By tensor the op that reads it, TN_NONE or SEVERAL: a chain is followed without a look at all ops for each of its
 * own.  Owned by the caller.  O(tensors + operands). */
static uint32_t *
build_readers(const TnGraph *graph)
{
  uint32_t *readers = g_new(uint32_t, MAX(graph->tensors->len, 1u));
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    readers[i] = TN_NONE;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    for (uint32_t k = 0; k < op->n_inputs; k++) {
      uint32_t tensor = tn_graph_inputs(graph, op)[k];
      if (tensor != TN_NONE && readers[tensor] != i)
        readers[tensor] = readers[tensor] == TN_NONE ? i : SEVERAL;
    }
  }
  return readers;
}

/* The op that alone reads what this one makes; TN_NONE, SEVERAL. */
static uint32_t
reader_of(const TnGraph *graph, const uint32_t *readers, uint32_t maker)
{
  const TnOp *op = tn_graph_op(graph, maker);
  uint32_t found = TN_NONE;
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t tensor = tn_graph_outputs(graph, op)[i];
    uint32_t reader = tensor == TN_NONE ? TN_NONE : readers[tensor];
    if (reader != TN_NONE && reader != found)
      found = found == TN_NONE ? reader : SEVERAL;
  }
  return found;
}

/* How many ops read what the op makes. */
static uint32_t
count_readers(const TnGraph *graph, uint32_t maker)
{
  const TnOp *op = tn_graph_op(graph, maker);
  g_autoptr(GHashTable) made = g_hash_table_new(NULL, NULL);
  uint32_t n = 0;
  for (uint32_t i = 0; i < op->n_outputs; i++)
    g_hash_table_add(made, GUINT_TO_POINTER(tn_graph_outputs(graph, op)[i]));
  g_hash_table_remove(made, GUINT_TO_POINTER(TN_NONE));
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *reader = tn_graph_op(graph, i);
    bool reads = false;
    for (uint32_t k = 0; k < reader->n_inputs && !reads; k++)
      reads = g_hash_table_contains(made, GUINT_TO_POINTER(tn_graph_inputs(graph, reader)[k]));
    n += reads && i != maker;
  }
  return n;
}

static void
fuse_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Target target;
  if (!take_target(data, true, false, &target))
    return;
  g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autofree uint32_t *readers = build_readers(target.graph);
  uint32_t last = target.op;
  for (; last < SEVERAL && chain->len < LONGEST_CHAIN; last = reader_of(target.graph, readers, last))
    g_array_append_val(chain, last);
  if (chain->len > 1) {
    show_panel(data, NULL);
    tn_edit_dialog_fuse(GTK_WINDOW(data), target.session, chain);
    return;
  }
  g_autofree char *name = tn_graph_build_op_text(target.graph, target.document->strings, target.op);
  if (last == TN_NONE)
    refuse(data, _("No op follows %s: it ends the graph."), name);
  else
    refuse(data, _("No chain begins at %s: %u ops read what it makes."), name,
           count_readers(target.graph, target.op));
}

/* ---- in place, view ------------------------------------------------------------------------ */

/* Operands that have memory to give. */
static GArray *
new_operands(const Target *target)
{
  const TnOp *op = tn_graph_op(target->graph, target->op);
  GArray *operands = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < op->n_inputs - op->n_implicit; i++) {
    uint32_t tensor = tn_graph_inputs(target->graph, op)[i];
    if (tensor != TN_NONE && tn_graph_tensor(target->graph, tensor)->kind != TN_TENSOR_CONSTANT &&
        g_hash_table_add(taken, GUINT_TO_POINTER(tensor)))
      g_array_append_val(operands, tensor);
  }
  return operands;
}

static void
alias(TnWindow *window, TnEditKind kind)
{
  Target target;
  if (!take_target(window, true, true, &target))
    return;
  g_autoptr(GArray) operands = new_operands(&target);
  g_autofree char *name = dup_tensor(&target, target.tensor);
  if (operands->len == 0) {
    refuse(window, _("The op that makes %s reads constants only: there is no memory to take."),
           name);
  } else if (operands->len > 1) {
    show_panel(window, NULL);
    tn_edit_dialog_alias(GTK_WINDOW(window), target.session, kind, target.tensor, operands);
  } else {
    TnGraphEdit *edit = new_edit(&target, kind);
    edit->input = dup_tensor(&target, g_array_index(operands, uint32_t, 0));
    add(window, &target, edit);
  }
}

static void
in_place_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  alias(data, TN_EDIT_IN_PLACE);
}

static void
view_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  alias(data, TN_EDIT_VIEW);
}

/* ---- others -------------------------------------------------------------------------------- */

static void
tensor_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Target target;
  if (!take_target(data, false, true, &target))
    return;
  show_panel(data, NULL);
  tn_edit_dialog_tensor(GTK_WINDOW(data), target.session, target.tensor);
}

static void
pin_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Target target;
  if (take_target(data, false, true, &target))
    add(data, &target, new_edit(&target, TN_EDIT_PIN));
}

static void
release_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Target target;
  if (take_target(data, false, true, &target))
    add(data, &target, new_edit(&target, TN_EDIT_RELEASE));
}

static void
split_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Target target;
  if (!take_target(data, true, false, &target))
    return;
  show_panel(data, NULL);
  tn_edit_dialog_split(GTK_WINDOW(data), target.session, target.op);
}

/* ---- the list ------------------------------------------------------------------------------ */

static void
edits_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  show_panel(data, NULL);
}

static void
clear_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (panel_of(data))
    tn_edits_clear(tn_edits_get(tn_window_get_session(data)));
}

static void
on_save_chosen(TnWindow *window, TnSession *session, GFile *file)
{
  TnPage *page = tn_window_find_page(window, session);
  g_autofree char *path = g_file_get_path(file);
  g_autoptr(GError) error = NULL;
  if (!path)
    return;
  g_autofree char *json = tn_edits_build_json(tn_edits_get(session));
  if (!tn_write_file(path, json, strlen(json), &error)) {
    g_autofree char *message = g_strdup_printf(_("The edits can’t be saved: %s"), error->message);
    show_message(page, message);
    return;
  }
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *text = g_markup_printf_escaped(_("Edits saved as “%s”"), name);
  adw_toast_overlay_add_toast(window->toasts, adw_toast_new(text));
}

static void
on_load_chosen(TnWindow *window, TnSession *session, GFile *file)
{
  TnPage *page = tn_window_find_page(window, session);
  g_autofree char *path = g_file_get_path(file);
  g_autoptr(GError) error = NULL;
  if (!path || !page)
    return;
  g_autoptr(GPtrArray) list = tn_graph_edits_load(path, &error);
  if (!list) {
    g_autofree char *message =
        g_strdup_printf(_("Not loaded, nothing is changed: %s"), error->message);
    show_message(page, message);
    return;
  }
  g_autofree char *json = tn_graph_edits_build_json(list);
  show_message(page, NULL);
  tn_edits_set_json(tn_edits_get(session), json);
}

static GtkFileChooserNative *
new_chooser(TnWindow *window, const char *title, GtkFileChooserAction action, const char *accept)
{
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new(title, GTK_WINDOW(window), action, accept, _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _("Edits (JSON)"));
  gtk_file_filter_add_pattern(filter, "*.json");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser), filter);
  return chooser;
}

static void
save_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (!panel_of(data))
    return;
  GtkFileChooserNative *chooser =
      new_chooser(data, _("Save Edits"), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"));
  g_autofree char *base =
      g_filename_display_basename(tn_session_get_file(tn_window_get_session(data))->path);
  g_autofree char *name = g_strdup_printf("%s.edits.json", base);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  tn_window_ask_file(data, chooser, on_save_chosen);
}

static void
load_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (panel_of(data))
    tn_window_ask_file(data,
                       new_chooser(data, _("Load Edits"), GTK_FILE_CHOOSER_ACTION_OPEN, _("_Load")),
                       on_load_chosen);
}

/* ---- all of them --------------------------------------------------------------------------- */

static const GActionEntry actions[] = {
    {.name = "edit-fuse", .activate = fuse_action},
    {.name = "edit-in-place", .activate = in_place_action},
    {.name = "edit-view", .activate = view_action},
    {.name = "edit-tensor", .activate = tensor_action},
    {.name = "edit-pin", .activate = pin_action},
    {.name = "edit-release", .activate = release_action},
    {.name = "edit-split", .activate = split_action},
    {.name = "edit-load", .activate = load_action},
    {.name = "edit-save", .activate = save_action},
    {.name = "edit-clear", .activate = clear_action},
    {.name = "edits", .activate = edits_action},
};

void
tn_window_add_edit_actions(TnWindow *window)
{
  g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
}

void
tn_window_refresh_edit_actions(TnWindow *window)
{
  TnSession *session = window->loading ? NULL : tn_window_get_session(window);
  bool has_graph = session && panel_of(window), has_edits = has_graph && tn_edits_count(session);
  for (gsize i = 0; i < G_N_ELEMENTS(actions); i++) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), actions[i].name);
    bool needs_edits =
        actions[i].activate == save_action || actions[i].activate == clear_action;
    g_simple_action_set_enabled(G_SIMPLE_ACTION(action), needs_edits ? has_edits : has_graph);
  }
}

GMenuModel *
tn_edit_menu_new(void)
{
  GMenu *menu = g_menu_new();
  g_menu_append(menu, _("_Fuse a Chain…"), "win.edit-fuse");
  g_menu_append(menu, _("Mark _In Place"), "win.edit-in-place");
  g_menu_append(menu, _("Make a _View"), "win.edit-view");
  g_menu_append(menu, _("_Size, Type, Alignment…"), "win.edit-tensor");
  g_menu_append(menu, _("_Pin to the End"), "win.edit-pin");
  g_menu_append(menu, _("_Release After Its Last Reader"), "win.edit-release");
  g_menu_append(menu, _("Split Into _Tasks…"), "win.edit-split");
  return G_MENU_MODEL(menu);
}
