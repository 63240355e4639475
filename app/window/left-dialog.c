/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/left-dialog.h"

#include "app/answer/left-answer.h"
#include "app/window/background.h"
#include "app/window/column-view.h"
#include "app/window/dialog-parts.h"
#include "app/window/index-row.h"
#include "app/window/settings.h"
#include "app/window/view-parts.h"
#include "app/window/window-private.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define MOST_ROWS 2000u

typedef struct {
  GtkWidget *window, *plans, *verdict, *notes, *spinner;
  GListStore *causes, *buffers;
  GtkColumnView *cause_view, *buffer_view;
  TnSession *session;     /* owned reference */
  TnLeftAnswer *answer;   /* owned; NULL: none yet */
  TnProgress *running;    /* of the job in hand; owned by it */
} Dialog;

/* Lives on after the dialog where that was closed: then `dialog` is NULL. */
typedef struct {
  Dialog *dialog;
  TnSession *session; /* owned reference */
  TnStudy *study;     /* owned reference */
  TnLeftQuestion question;
  TnProgress progress;
  TnLeftAnswer *answer;
} Job;

enum { CAUSE, CAUSE_HERE, CAUSE_BEST, CAUSE_LEFT, N_CAUSE_COLUMNS };
enum { LABEL, IDLE, BEST_IDLE, WHY, ALONE, N_BUFFER_COLUMNS };

static const TnColumnSpec cause_columns[N_CAUSE_COLUMNS] = {
    [CAUSE] = {N_("Cause"), false, 0},
    [CAUSE_HERE] = {N_("This plan"), true, 110},
    [CAUSE_BEST] = {N_("Best"), true, 110},
    [CAUSE_LEFT] = {N_("Left"), true, 110}};
static const TnColumnSpec buffer_columns[N_BUFFER_COLUMNS] = {
    [LABEL] = {N_("Idle at the peak for"), false, 0},
    [IDLE] = {N_("This plan"), true, 110},
    [BEST_IDLE] = {N_("Best"), true, 110},
    [WHY] = {N_("Cause"), false, 100},
    [ALONE] = {N_("Place"), false, 90}};

/* ---- cells -------------------------------------------------------------------------------------- */

static char *
size_text(tn_bytes bytes, bool has_sign)
{
  char size[48];
  tn_print_bytes(size, sizeof size, ABS(bytes), tn_settings_get_units());
  return g_strconcat(!has_sign || bytes == 0 ? "" : bytes < 0 ? "−" : "+", size, NULL);
}

static char *
dup_cause_cell(GObject *item, int column, gpointer data)
{
  static const char *const words[TN_LEFT_N_CAUSES] = {
      N_("Needed at once"), N_("Rounding and padding"), N_("Apart (the caller's, marked)"),
      N_("Neighbours"),     N_("Batches"),              N_("Streams (at most)"),
      N_("Misfit: places and holes")};
  const Dialog *dialog = data;
  int row = (int)tn_index_row_get(TN_INDEX_ROW(item));
  tn_bytes here, best;
  if (row == TN_LEFT_N_CAUSES) {
    here = dialog->answer->judged->arena_bytes;
    best = dialog->answer->reference->arena_bytes;
  } else {
    tn_left_answer_cause(dialog->answer, row, &here, &best);
  }
  if (column == CAUSE)
    return g_strdup(row == TN_LEFT_N_CAUSES ? _("Arena") : _(words[row]));
  return size_text(column == CAUSE_HERE   ? here
                   : column == CAUSE_BEST ? best
                                          : here - best,
                   column == CAUSE_LEFT);
}

static char *
dup_buffer_cell(GObject *item, int column, gpointer data)
{
  static const char *const causes[TN_N_LEFT_CAUSES] = {N_("apart"), N_("neighbours"), N_("batch"),
                                                       N_("stream"), N_("misfit")};
  const Dialog *dialog = data;
  const TnLeftRow *row = &g_array_index(dialog->answer->left.rows, TnLeftRow,
                                        tn_index_row_get(TN_INDEX_ROW(item)));
  if (column == LABEL)
    return tn_study_dup_label(dialog->answer->judged, row->buffer);
  if (column == WHY)
    return g_strdup(_(causes[row->cause]));
  if (column == ALONE)
    return g_strdup(row->is_alone ? _("its own") : _("shared"));
  return size_text(column == IDLE ? row->bytes : row->other_bytes, false);
}

/* ---- the answer ----------------------------------------------------------------------------------- */

static void
append(GListStore *store, uint32_t index)
{
  g_autoptr(TnIndexRow) row = tn_index_row_new(index);
  g_list_store_append(store, row);
}

static void
clear_rows(Dialog *dialog)
{
  g_list_store_remove_all(dialog->causes);
  g_list_store_remove_all(dialog->buffers);
}

static void
show_answer(Dialog *dialog)
{
  const TnLeftAnswer *answer = dialog->answer;
  clear_rows(dialog);
  if (answer->error) {
    gtk_label_set_text(GTK_LABEL(dialog->verdict), answer->error);
    return;
  }
  g_autofree char *verdict = tn_left_answer_dup_verdict(answer, tn_settings_get_units());
  g_autofree char *terms = tn_left_answer_dup_terms(answer, tn_settings_get_units());
  const char *streams = tn_left_answer_streams(answer);
  g_autofree char *notes = g_strdup_printf("%s%s%s", streams ? streams : "",
                                           streams && terms ? "\n" : "", terms ? terms : "");
  gtk_label_set_text(GTK_LABEL(dialog->verdict), verdict);
  gtk_label_set_text(GTK_LABEL(dialog->notes), notes);
  gtk_widget_set_visible(dialog->notes, notes[0] != 0);
  for (int i = 0; i < TN_LEFT_N_CAUSES; i++) {
    tn_bytes here, best;
    tn_left_answer_cause(answer, i, &here, &best);
    if (here || best)
      append(dialog->causes, (uint32_t)i);
  }
  append(dialog->causes, TN_LEFT_N_CAUSES);
  for (guint i = 0; i < answer->left.rows->len && i < MOST_ROWS; i++)
    append(dialog->buffers, i);
}

/* ---- the job ---------------------------------------------------------------------------------------- */

static void
work(gpointer data)
{
  Job *job = data;
  job->answer = tn_left_answer_new(job->study, &job->question);
}

static void
done(gpointer data)
{
  Job *job = data;
  Dialog *dialog = job->dialog;
  if (!dialog || dialog->running != &job->progress)
    return;
  dialog->running = NULL;
  gtk_spinner_set_spinning(GTK_SPINNER(dialog->spinner), FALSE);
  dialog->answer = g_steal_pointer(&job->answer);
  show_answer(dialog);
}

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->dialog)
    g_object_unref(job->dialog->window);
  tn_left_answer_free(job->answer);
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_free(job);
}

static void
stop(Dialog *dialog)
{
  if (dialog->running)
    g_atomic_int_set(&dialog->running->cancelled, 1);
  dialog->running = NULL;
}

static void
start(Dialog *dialog)
{
  static const struct {
    const char *against;
    unsigned options;
  } plans[] = {{"recorded", 0}, {"ge", 0}, {"ge", TN_GE_MEMORY_PRIORITY}};
  guint row = MIN(gtk_drop_down_get_selected(GTK_DROP_DOWN(dialog->plans)), G_N_ELEMENTS(plans) - 1);
  stop(dialog);
  clear_rows(dialog);
  g_clear_pointer(&dialog->answer, tn_left_answer_free);
  Job *job = g_new0(Job, 1);
  job->dialog = dialog;
  g_object_ref(dialog->window);
  job->session = g_object_ref(dialog->session);
  job->study = tn_study_ref(tn_session_get_study(dialog->session));
  job->question = (TnLeftQuestion){.against = plans[row].against,
                                   .strategy = tn_strategies_find("best"),
                                   .alignment = job->study->alignment,
                                   .params = {.ge_options = plans[row].options}};
  job->question.params.progress = dialog->running = &job->progress;
  gtk_label_set_text(GTK_LABEL(dialog->verdict), _("Planning…"));
  gtk_widget_set_visible(dialog->notes, FALSE);
  gtk_spinner_set_spinning(GTK_SPINNER(dialog->spinner), TRUE);
  tn_background_run(job, work, done, free_job);
}

/* ---- making ------------------------------------------------------------------------------------------- */

/* After an edit or another order the same row is another buffer. */
static bool
has_same_buffers(const Dialog *dialog)
{
  const TnStudy *asked = dialog->answer->judged, *shown = tn_session_get_study(dialog->session);
  return asked->document == shown->document && asked->device == shown->device && asked->preset == shown->preset &&
         asked->buffers->n == shown->buffers->n;
}

static void
on_activated(GtkColumnView *view, guint position, Dialog *dialog)
{
  const GArray *rows = dialog->answer ? dialog->answer->left.rows : NULL;
  if (!rows || position >= rows->len)
    return;
  if (!has_same_buffers(dialog)) {
    gtk_label_set_text(GTK_LABEL(dialog->notes), _("The buffers are others now; choose the plan again to see theirs."));
    gtk_widget_set_visible(dialog->notes, TRUE);
    return;
  }
  tn_index buffer = g_array_index(rows, TnLeftRow, position).buffer;
  tn_session_select(dialog->session, buffer);
  tn_session_show_buffer(dialog->session, buffer, false);
}

static void
on_units_changed(TnSession *session, Dialog *dialog)
{
  if (dialog->answer)
    show_answer(dialog);
}

static GtkWidget *
make_label(const char *class)
{
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

static GtkWidget *
make_table(Dialog *dialog, GListStore **out_store, GtkColumnView **out_view, const TnColumnSpec *specs,
           int n, TnDupCell dup_cell, const char *name)
{
  *out_store = g_list_store_new(TN_TYPE_INDEX_ROW);
  GtkSingleSelection *selection = tn_column_view_selection_new(G_LIST_MODEL(*out_store));
  *out_view = tn_column_view_new(selection, name);
  for (int column = 0; column < n; column++)
    tn_column_view_add(*out_view, &specs[column], column, dup_cell, dialog);
  tn_column_view_finish(*out_view);
  tn_column_view_align_titles(*out_view);
  return tn_column_view_wrap(*out_view);
}

static GtkWidget *
make_top(Dialog *dialog)
{
  static const char *const plans[] = {N_("The plan that is shown"), N_("GE's planner"),
                                      N_("GE's planner, memory priority"), NULL};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkStringList *names = gtk_string_list_new(NULL);
  for (gsize i = 0; plans[i]; i++)
    gtk_string_list_append(names, _(plans[i]));
  dialog->plans = gtk_drop_down_new(G_LIST_MODEL(names), NULL);
  tn_view_name_drop_down(dialog->plans, _("Plan"));
  dialog->spinner = gtk_spinner_new();
  dialog->verdict = make_label(NULL);
  dialog->notes = make_label("dim-label");
  gtk_widget_set_margin_start(box, 12);
  gtk_widget_set_margin_end(box, 12);
  gtk_widget_set_margin_top(box, 12);
  gtk_widget_set_margin_bottom(box, 12);
  gtk_box_append(GTK_BOX(row), dialog->plans);
  gtk_box_append(GTK_BOX(row), dialog->spinner);
  gtk_box_append(GTK_BOX(box), row);
  gtk_box_append(GTK_BOX(box), dialog->verdict);
  gtk_box_append(GTK_BOX(box), dialog->notes);
  return box;
}

static void
on_destroy(GtkWidget *window, Dialog *dialog)
{
  g_signal_handlers_disconnect_by_data(dialog->session, dialog);
  stop(dialog);
}

static void
free_dialog(gpointer data)
{
  Dialog *dialog = data;
  tn_left_answer_free(dialog->answer);
  g_object_unref(dialog->causes);
  g_object_unref(dialog->buffers);
  g_object_unref(dialog->session);
  g_free(dialog);
}

/* What it shows is of that tab. */
static void
close_with_page(Dialog *dialog, GtkWindow *window)
{
  TnPage *page = TN_IS_WINDOW(window) ? tn_window_find_page(TN_WINDOW(window), dialog->session) : NULL;
  if (page)
    g_signal_connect_object(page, "destroy", G_CALLBACK(gtk_window_destroy), dialog->window, G_CONNECT_SWAPPED);
}

void
tn_left_dialog_show(GtkWindow *window, TnSession *session)
{
  Dialog *dialog = g_new0(Dialog, 1);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  dialog->session = g_object_ref(session);
  dialog->window = adw_window_new();
  tn_dialog_close_on_escape(dialog->window);
  gtk_window_set_title(GTK_WINDOW(dialog->window), _("What the plan leaves on the table"));
  gtk_window_set_transient_for(GTK_WINDOW(dialog->window), window);
  gtk_window_set_default_size(GTK_WINDOW(dialog->window), 760, 560);
  gtk_box_append(GTK_BOX(box), adw_header_bar_new());
  gtk_box_append(GTK_BOX(box), make_top(dialog));
  GtkWidget *causes = make_table(dialog, &dialog->causes, &dialog->cause_view, cause_columns,
                                 N_CAUSE_COLUMNS, dup_cause_cell, _("Causes"));
  GtkWidget *buffers = make_table(dialog, &dialog->buffers, &dialog->buffer_view, buffer_columns,
                                  N_BUFFER_COLUMNS, dup_buffer_cell, _("Buffers"));
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(causes), TRUE);
  gtk_widget_set_vexpand(causes, FALSE);
  gtk_box_append(GTK_BOX(box), causes);
  gtk_box_append(GTK_BOX(box), gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append(GTK_BOX(box), buffers);
  adw_window_set_content(ADW_WINDOW(dialog->window), box);
  g_object_set_data_full(G_OBJECT(dialog->window), "dialog", dialog, free_dialog);
  g_signal_connect(dialog->window, "destroy", G_CALLBACK(on_destroy), dialog);
  g_signal_connect(dialog->buffer_view, "activate", G_CALLBACK(on_activated), dialog);
  g_signal_connect(session, "units-changed", G_CALLBACK(on_units_changed), dialog);
  close_with_page(dialog, window);
  g_signal_connect_swapped(dialog->plans, "notify::selected", G_CALLBACK(start), dialog);
  start(dialog);
  gtk_window_present(GTK_WINDOW(dialog->window));
}
