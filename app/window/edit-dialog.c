/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/edit-dialog.h"

#include "app/window/settings.h"
#include "app/window/view-parts.h"
#include "data/dtype.h"
#include "data/graph-order.h"

#include <adwaita.h>
#include <glib/gi18n.h>

/* One dialog: what it makes of its widgets is an edit, once it is confirmed. */
typedef struct Question {
  TnSession *session; /* owned reference */
  TnGraphEdit *edit;  /* owned; what is known of it */
  GPtrArray *names;   /* char *: ops of the chain, or operands */
  GtkWidget *count, *choice, *bytes, *dtype, *alignment, *note;
  AdwMessageDialog *dialog;
  bool (*read)(struct Question *question); /* false: what was typed makes no edit */
  void (*describe)(struct Question *question);
  tn_bytes *passed_on; /* chain: bytes between op i and the next */
} Question;

static void
free_question(gpointer data)
{
  Question *question = data;
  tn_graph_edit_free(question->edit);
  g_ptr_array_unref(question->names);
  g_object_unref(question->session);
  g_free(question->passed_on);
  g_free(question);
}

static Question *
new_question(TnSession *session, TnEditKind kind)
{
  Question *question = g_new0(Question, 1);
  question->session = g_object_ref(session);
  question->names = g_ptr_array_new_with_free_func(g_free);
  question->edit = g_new0(TnGraphEdit, 1);
  question->edit->kind = kind;
  question->edit->bytes = TN_BYTES_UNKNOWN;
  return question;
}

static void
on_response(AdwMessageDialog *dialog, const char *response, Question *question)
{
  if (g_strcmp0(response, "add") == 0 && question->read(question))
    tn_edits_add(tn_edits_get(question->session), g_steal_pointer(&question->edit));
}

static void
ask(GtkWindow *window, Question *question, const char *heading, const char *body,
    GtkWidget *child)
{
  GtkWidget *dialog = adw_message_dialog_new(window, heading, body);
  question->dialog = ADW_MESSAGE_DIALOG(dialog);
  adw_message_dialog_add_responses(question->dialog, "close", _("_Cancel"), "add", _("_Add Edit"),
                                   NULL);
  adw_message_dialog_set_extra_child(question->dialog, child);
  adw_message_dialog_set_default_response(question->dialog, "add");
  adw_message_dialog_set_response_appearance(question->dialog, "add", ADW_RESPONSE_SUGGESTED);
  g_object_set_data_full(G_OBJECT(dialog), "question", question, free_question);
  g_signal_connect(dialog, "response", G_CALLBACK(on_response), question);
  gtk_window_present(GTK_WINDOW(dialog));
}

static GtkWidget *
make_spin(double most, double value)
{
  GtkWidget *spin = gtk_spin_button_new_with_range(2.0, most, 1.0);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), value);
  gtk_text_set_activates_default(GTK_TEXT(gtk_widget_get_first_child(spin)), TRUE);
  return spin;
}

static GtkWidget *
make_note(void)
{
  GtkWidget *note = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(note), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(note), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars(GTK_LABEL(note), 48);
  gtk_widget_add_css_class(note, "dim-label");
  return note;
}

static void
attach(GtkWidget *grid, int row, const char *text, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new_with_mnemonic(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), widget);
  gtk_widget_set_hexpand(widget, TRUE);
  gtk_grid_attach(GTK_GRID(grid), label, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(grid), widget, 1, row, 1, 1);
}

static GtkWidget *
make_grid(void)
{
  GtkWidget *grid = gtk_grid_new();
  gtk_grid_set_row_spacing(GTK_GRID(grid), 8);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  return grid;
}

/* ---- fuse ---------------------------------------------------------------------------------- */

static guint
count_of(const Question *question)
{
  return (guint)gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(question->count));
}

static bool
read_fusion(Question *question)
{
  guint n = count_of(question);
  question->edit->ops = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++)
    question->edit->ops[i] = g_strdup(question->names->pdata[i]);
  return true;
}

static void
describe_fusion(Question *question)
{
  tn_bytes sum = 0;
  char size[48];
  guint n = count_of(question);
  for (guint i = 0; i + 1 < n; i++)
    if (question->passed_on[i] > 0 && !tn_add(sum, question->passed_on[i], &sum))
      sum = INT64_MAX;
  g_autofree char *text =
      g_strdup_printf(_("Up to %s. What they pass to each other vanishes: %s."),
                      (const char *)question->names->pdata[n - 1],
                      tn_print_bytes(size, sizeof size, sum, tn_settings_get_units()));
  gtk_label_set_text(GTK_LABEL(question->note), text);
}

static void
on_count(GtkSpinButton *spin, Question *question)
{
  question->describe(question);
}

/* What a tensor list sums up to; unknown sizes count 0. */
static tn_bytes
output_sum(const TnGraph *graph, uint32_t op)
{
  const TnOp *row = tn_graph_op(graph, op);
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < row->n_outputs; i++) {
    uint32_t tensor = tn_graph_outputs(graph, row)[i];
    tn_bytes bytes = tensor == TN_NONE ? 0 : tn_graph_tensor(graph, tensor)->bytes;
    if (bytes > 0 && !tn_add(sum, bytes, &sum))
      return INT64_MAX;
  }
  return sum;
}

void
tn_edit_dialog_fuse(GtkWindow *window, TnSession *session, const GArray *chain)
{
  const TnDocument *document = tn_session_get_document(session);
  Question *question = new_question(session, TN_EDIT_FUSE);
  GtkWidget *grid = make_grid();
  question->passed_on = g_new0(tn_bytes, chain->len);
  for (guint i = 0; i < chain->len; i++) {
    uint32_t op = g_array_index(chain, uint32_t, i);
    g_ptr_array_add(question->names,
                    tn_graph_edit_dup_op_name(document->graph, document->strings, op));
    question->passed_on[i] = output_sum(document->graph, op);
  }
  question->read = read_fusion;
  question->describe = describe_fusion;
  question->count = make_spin(chain->len, 2);
  question->note = make_note();
  attach(grid, 0, _("_Ops to fuse"), question->count);
  gtk_grid_attach(GTK_GRID(grid), question->note, 0, 1, 2, 1);
  g_signal_connect(question->count, "value-changed", G_CALLBACK(on_count), question);
  describe_fusion(question);
  g_autofree char *body = g_strdup_printf(_("From %s on, each the only reader of the one before."),
                                          (const char *)question->names->pdata[0]);
  ask(window, question, _("Fuse a Chain"), body, grid);
}

/* ---- in place, view ------------------------------------------------------------------------ */

static bool
read_choice(Question *question)
{
  guint row = gtk_drop_down_get_selected(GTK_DROP_DOWN(question->choice));
  if (row >= question->names->len)
    return false;
  question->edit->input = g_strdup(question->names->pdata[row]);
  return true;
}

void
tn_edit_dialog_alias(GtkWindow *window,
                     TnSession *session,
                     TnEditKind kind,
                     uint32_t tensor,
                     const GArray *inputs)
{
  const TnDocument *document = tn_session_get_document(session);
  Question *question = new_question(session, kind);
  GtkStringList *model = gtk_string_list_new(NULL);
  question->edit->tensor =
      tn_graph_edit_dup_tensor_name(document->graph, document->strings, tensor);
  for (guint i = 0; i < inputs->len; i++) {
    g_ptr_array_add(question->names,
                    tn_graph_edit_dup_tensor_name(document->graph, document->strings,
                                                  g_array_index(inputs, uint32_t, i)));
    gtk_string_list_append(model, question->names->pdata[i]);
  }
  question->read = read_choice;
  question->choice = gtk_drop_down_new(G_LIST_MODEL(model), NULL);
  tn_view_name_drop_down(question->choice, _("Tensor"));
  g_autofree char *body = g_strdup_printf(
      kind == TN_EDIT_VIEW ? _("%s has no memory of its own: it is") : _("%s takes the memory of"),
      question->edit->tensor);
  ask(window, question, kind == TN_EDIT_VIEW ? _("Make a View") : _("Mark In Place"), body,
      question->choice);
}

/* ---- size, type, alignment ----------------------------------------------------------------- */

static bool
read_tensor(Question *question)
{
  TnGraphEdit *edit = question->edit;
  const char *bytes = gtk_editable_get_text(GTK_EDITABLE(question->bytes));
  const char *alignment = gtk_editable_get_text(GTK_EDITABLE(question->alignment));
  guint dtype = gtk_drop_down_get_selected(GTK_DROP_DOWN(question->dtype));
  if ((bytes[0] && !tn_parse_bytes(bytes, &edit->bytes)) ||
      (alignment[0] && (!tn_parse_bytes(alignment, &edit->alignment) || edit->alignment < 1)))
    return false;
  if (dtype > 0 && dtype < TN_N_DTYPES)
    edit->dtype = g_strdup(tn_dtype_name((TnDtype)dtype));
  return edit->bytes != TN_BYTES_UNKNOWN || edit->alignment > 0 || edit->dtype;
}

/* Only what can be read, and says something, can be added. */
static void
on_typed(GtkWidget *widget, GParamSpec *pspec, Question *question)
{
  TnGraphEdit *kept = question->edit, tried = {.bytes = TN_BYTES_UNKNOWN};
  question->edit = &tried;
  adw_message_dialog_set_response_enabled(question->dialog, "add", read_tensor(question));
  g_free(tried.dtype);
  question->edit = kept;
}

static GtkWidget *
make_dtypes(void)
{
  GtkStringList *model = gtk_string_list_new(NULL);
  gtk_string_list_append(model, _("As it is"));
  for (guint i = 1; i < TN_N_DTYPES; i++)
    gtk_string_list_append(model, tn_dtype_name((TnDtype)i));
  GtkWidget *dtypes = gtk_drop_down_new(G_LIST_MODEL(model), NULL);
  tn_view_name_drop_down(dtypes, _("Type"));
  return dtypes;
}

static GtkWidget *
make_entry(const char *placeholder)
{
  GtkWidget *entry = gtk_entry_new();
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry), placeholder);
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  return entry;
}

void
tn_edit_dialog_tensor(GtkWindow *window, TnSession *session, uint32_t tensor)
{
  const TnDocument *document = tn_session_get_document(session);
  const TnTensor *row = tn_graph_tensor(document->graph, tensor);
  Question *question = new_question(session, TN_EDIT_TENSOR);
  GtkWidget *grid = make_grid();
  char size[48];
  question->edit->tensor =
      tn_graph_edit_dup_tensor_name(document->graph, document->strings, tensor);
  if (row->bytes >= 0)
    tn_print_bytes(size, sizeof size, row->bytes, TN_UNITS_BYTES);
  else
    g_strlcpy(size, _("unknown"), sizeof size);
  question->read = read_tensor;
  question->bytes = make_entry(size);
  question->dtype = make_dtypes();
  question->alignment = make_entry(_("bytes"));
  attach(grid, 0, _("_Size"), question->bytes);
  attach(grid, 1, _("_Type"), question->dtype);
  attach(grid, 2, _("_Alignment"), question->alignment);
  ask(window, question, _("Size, Type, Alignment"), question->edit->tensor, grid);
  adw_message_dialog_set_response_enabled(question->dialog, "add", FALSE);
  g_signal_connect(question->bytes, "notify::text", G_CALLBACK(on_typed), question);
  g_signal_connect(question->alignment, "notify::text", G_CALLBACK(on_typed), question);
  g_signal_connect(question->dtype, "notify::selected", G_CALLBACK(on_typed), question);
  gtk_widget_grab_focus(question->bytes);
}

/* ---- split --------------------------------------------------------------------------------- */

static bool
read_tasks(Question *question)
{
  question->edit->tasks = count_of(question);
  question->edit->ops = g_new0(char *, 2);
  question->edit->ops[0] = g_strdup(question->names->pdata[0]);
  return true;
}

void
tn_edit_dialog_split(GtkWindow *window, TnSession *session, uint32_t op)
{
  const TnDocument *document = tn_session_get_document(session);
  Question *question = new_question(session, TN_EDIT_SPLIT);
  GtkWidget *grid = make_grid();
  g_ptr_array_add(question->names,
                  tn_graph_edit_dup_op_name(document->graph, document->strings, op));
  question->read = read_tasks;
  question->count = make_spin(1024, 2);
  attach(grid, 0, _("_Ops"), question->count);
  g_autofree char *body =
      g_strdup_printf(_("%s: one after the other, each makes a part of each result."),
                      (const char *)question->names->pdata[0]);
  ask(window, question, _("Split Into Tasks"), body, grid);
}
