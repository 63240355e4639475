/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/rematch-dialog.h"

#include "app/window/background.h"
#include "app/window/buffer-list.h"
#include "app/window/index-row.h"
#include "app/window/column-view.h"
#include "app/window/filter.h"
#include "app/window/view-parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <stdlib.h>

#define MOST 500u /* candidates in the list; a search finds the others */

typedef struct {
  GtkWidget *window, *search, *note, *choose;
  TnDiffModel *model;
  TnDiffSide side; /* of the candidates */
  tn_index from;   /* the buffer on the other side */
  GListStore *rows;
  GtkSingleSelection *selection;
  GtkColumnView *view;
  char *searched;    /* the last term */
  guint generation;  /* of the last search: older answers are dropped */
  bool is_searching; /* one is under way */
  bool wants_first;  /* when its answer is there */
} Dialog;

enum { LABEL, SIZE, START, END, PARTNER, N_COLUMNS };

static const TnColumnSpec columns[N_COLUMNS] = {[LABEL] = {N_("Buffer"), false, 0},
                                                [SIZE] = {N_("Size"), true, 90},
                                                [START] = {N_("Start"), true, 80},
                                                [END] = {N_("End"), true, 80},
                                                [PARTNER] = {N_("Matched now"), false, 150}};

static void
free_dialog(gpointer data)
{
  Dialog *dialog = data;
  g_clear_object(&dialog->rows);
  g_object_unref(dialog->model);
  g_free(dialog->searched);
  g_free(dialog);
}

/* ---- candidates --------------------------------------------------------------------------------
 */

/* The nearer in size, then in time, the higher it stands. */
typedef struct {
  int64_t apart, later;
  tn_index row;
} Candidate;

static int
compare_candidates(const void *left, const void *right)
{
  const Candidate *x = left, *y = right;
  if (x->apart != y->apart)
    return x->apart < y->apart ? -1 : 1;
  if (x->later != y->later)
    return x->later < y->later ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static TnDiffSide
side_of_from(const Dialog *dialog)
{
  return dialog->side == TN_DIFF_A ? TN_DIFF_B : TN_DIFF_A;
}

/* A side may have become another, with fewer buffers, while the dialog is open. */
static bool
is_from_gone(const Dialog *dialog)
{
  return dialog->from >= tn_diff_model_get_study(dialog->model, side_of_from(dialog))->buffers->n;
}

/* The nearest MOST, of which the last is the worst; between two sortings up to as many again. */
typedef struct {
  Candidate rows[2 * MOST];
  uint32_t n;
} Nearest;

static void
sort_nearest(Nearest *nearest)
{
  qsort(nearest->rows, nearest->n, sizeof *nearest->rows, compare_candidates);
  nearest->n = MIN(nearest->n, MOST);
}

static void
add_candidate(Nearest *nearest, const Candidate *candidate)
{
  if (nearest->n >= MOST && compare_candidates(candidate, &nearest->rows[MOST - 1]) > 0)
    return;
  nearest->rows[nearest->n++] = *candidate;
  if (nearest->n == MOST || nearest->n == 2 * MOST)
    sort_nearest(nearest);
}

typedef struct {
  Dialog *dialog;
  GtkWidget *window;  /* owned reference: keeps the dialog */
  TnDiffModel *model; /* owned reference: keeps what the study rests on */
  TnStudy *study;     /* owned reference */
  char *term;
  tn_bytes bytes; /* of what is looked for */
  tn_tick start;  /* in the time of the study */
  guint generation;
  GError *error;
  uint32_t n;
  Nearest nearest;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_study_unref(job->study);
  g_object_unref(job->model);
  g_object_unref(job->window);
  g_clear_error(&job->error);
  g_free(job->term);
  g_free(job);
}

static void
work(gpointer data)
{
  Job *job = data;
  const TnBuffers *b = job->study->buffers;
  TnFilterResult found = {0};
  if (!tn_filter_run(job->study, (const char *const[]){job->term, NULL}, &found, &job->error))
    return;
  g_autoptr(GBytes) match = found.match;
  const uint8_t *hits = match ? g_bytes_get_data(match, NULL) : NULL;
  for (tn_index i = 0; i < b->n; i++) {
    if (hits && !hits[i])
      continue;
    add_candidate(&job->nearest,
                  &(Candidate){ABS(b->bytes[i] - job->bytes), ABS(b->start[i] - job->start), i});
    job->n++;
  }
  sort_nearest(&job->nearest);
}

static void choose_first(Dialog *dialog);

static void
done(gpointer data)
{
  Job *job = data;
  Dialog *dialog = job->dialog;
  if (job->generation != dialog->generation)
    return;
  dialog->is_searching = false;
  g_list_store_remove_all(dialog->rows);
  for (uint32_t i = 0; i < job->nearest.n; i++) {
    g_autoptr(TnIndexRow) row = tn_index_row_new(job->nearest.rows[i].row);
    g_list_store_append(dialog->rows, row);
  }
  char count[32];
  g_autofree char *note =
      job->error      ? g_strdup(job->error->message)
      : job->n > MOST ? g_strdup_printf(_("the nearest %u of %s"), MOST,
                                        tn_print_count(count, sizeof count, job->n))
                      : g_strdup_printf(ngettext("%u buffer", "%u buffers", job->n), job->n);
  gtk_label_set_text(GTK_LABEL(dialog->note), note);
  if (dialog->wants_first)
    choose_first(dialog);
}

/* All buffers are looked at: of millions not between two letters. */
static void
fill(Dialog *dialog)
{
  const TnDiff *diff = tn_diff_model_get_diff(dialog->model);
  dialog->generation++;
  dialog->is_searching = dialog->wants_first = false;
  g_free(dialog->searched);
  dialog->searched = g_strdup(gtk_editable_get_text(GTK_EDITABLE(dialog->search)));
  if (!diff || is_from_gone(dialog)) {
    g_list_store_remove_all(dialog->rows);
    return;
  }
  const TnBuffers *there = tn_diff_model_get_study(dialog->model, side_of_from(dialog))->buffers;
  Job *job = g_new0(Job, 1);
  job->dialog = dialog;
  job->window = g_object_ref(dialog->window);
  job->model = g_object_ref(dialog->model);
  job->study = tn_study_ref((TnStudy *)tn_diff_model_get_study(dialog->model, dialog->side));
  job->term = g_strdup(dialog->searched);
  job->bytes = there->bytes[dialog->from];
  job->start = tn_diff_axis_map(diff->axis, side_of_from(dialog), there->start[dialog->from]);
  job->generation = dialog->generation;
  dialog->is_searching = true;
  tn_background_run(job, work, done, free_job);
}

static char *
dup_partner(const TnDiff *diff, TnDiffSide side, tn_index row)
{
  if (row >= (side == TN_DIFF_A ? diff->a : diff->b)->buffers->n)
    return g_strdup("");
  uint32_t pair = side == TN_DIFF_A ? diff->pair_of_a[row] : diff->pair_of_b[row];
  const TnDiffPair *p = &diff->pairs[pair];
  tn_index other = side == TN_DIFF_A ? p->b : p->a;
  return other == TN_NONE ? g_strdup("–")
                          : tn_study_dup_label(side == TN_DIFF_A ? diff->b : diff->a, other);
}

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  static const TnTableColumn like[] = {[LABEL] = TN_COLUMN_LABEL,
                                       [SIZE] = TN_COLUMN_SIZE,
                                       [START] = TN_COLUMN_START,
                                       [END] = TN_COLUMN_END};
  Dialog *dialog = data;
  const TnDiff *diff = tn_diff_model_get_diff(dialog->model);
  tn_index row = tn_index_row_get(TN_INDEX_ROW(item));
  if (column == PARTNER)
    return diff ? dup_partner(diff, dialog->side, row) : g_strdup("");
  const TnStudy *study = tn_diff_model_get_study(dialog->model, dialog->side);
  return row < study->buffers->n ? tn_buffer_list_dup_cell(study, row, like[column]) : g_strdup("");
}

/* ---- choosing ----------------------------------------------------------------------------------
 */

static void
choose(Dialog *dialog)
{
  TnIndexRow *row = gtk_single_selection_get_selected_item(dialog->selection);
  if (!row || is_from_gone(dialog))
    return;
  tn_index other = tn_index_row_get(row);
  bool is_b = dialog->side == TN_DIFF_B;
  tn_diff_model_match(dialog->model, is_b ? dialog->from : other, is_b ? other : dialog->from);
  gtk_window_destroy(GTK_WINDOW(dialog->window));
}

static void
on_activated(GtkColumnView *view, guint position, Dialog *dialog)
{
  choose(dialog);
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, Dialog *dialog)
{
  gtk_widget_set_sensitive(dialog->choose,
                           gtk_single_selection_get_selected_item(selection) != NULL);
}

static void
choose_first(Dialog *dialog)
{
  if (!gtk_single_selection_get_selected_item(dialog->selection))
    gtk_single_selection_set_selected(dialog->selection, 0);
  choose(dialog);
}

/* Return takes the first that is found of what is written now, though the search waits for more letters. */
static void
on_search_activated(Dialog *dialog)
{
  if (g_strcmp0(dialog->searched, gtk_editable_get_text(GTK_EDITABLE(dialog->search))) != 0)
    fill(dialog);
  if (dialog->is_searching)
    dialog->wants_first = true;
  else
    choose_first(dialog);
}

static void
on_destroy(GtkWidget *window, Dialog *dialog)
{
  dialog->generation++;
}

/* ---- making ------------------------------------------------------------------------------------
 */

static GtkWidget *
make_header(Dialog *dialog)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *cancel = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Cancel")));
  dialog->choose = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Match")));
  gtk_widget_add_css_class(dialog->choose, "suggested-action");
  gtk_widget_set_sensitive(dialog->choose, FALSE);
  adw_header_bar_set_show_end_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_set_show_start_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), cancel);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), dialog->choose);
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(gtk_window_destroy), dialog->window);
  g_signal_connect_swapped(dialog->choose, "clicked", G_CALLBACK(choose), dialog);
  return header;
}

static GtkWidget *
make_search(Dialog *dialog)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  dialog->search = gtk_search_entry_new();
  dialog->note = gtk_label_new("");
  g_object_set(dialog->search, "placeholder-text", _("Name, /regex/, size>1MiB, life>100, 0x…"),
               NULL);
  gtk_widget_set_hexpand(dialog->search, TRUE);
  gtk_widget_add_css_class(dialog->note, "dim-label");
  gtk_widget_add_css_class(box, "toolbar");
  gtk_box_append(GTK_BOX(box), dialog->search);
  gtk_box_append(GTK_BOX(box), dialog->note);
  g_signal_connect_swapped(dialog->search, "search-changed", G_CALLBACK(fill), dialog);
  g_signal_connect_swapped(dialog->search, "activate", G_CALLBACK(on_search_activated), dialog);
  g_signal_connect_swapped(dialog->search, "stop-search", G_CALLBACK(gtk_window_destroy),
                           dialog->window);
  return box;
}

static GtkWidget *
make_list(Dialog *dialog)
{
  dialog->rows = g_list_store_new(TN_TYPE_INDEX_ROW);
  dialog->selection = tn_column_view_selection_new(G_LIST_MODEL(dialog->rows));
  dialog->view = tn_column_view_new(dialog->selection, _("Candidates"));
  for (int column = 0; column < N_COLUMNS; column++)
    tn_column_view_add(dialog->view, &columns[column], column, dup_cell, dialog);
  tn_column_view_align_titles(dialog->view);
  g_signal_connect(dialog->view, "activate", G_CALLBACK(on_activated), dialog);
  g_signal_connect(dialog->selection, "notify::selected-item", G_CALLBACK(on_selected), dialog);
  return tn_column_view_wrap(dialog->view);
}

static char *
build_title(const Dialog *dialog)
{
  const TnStudy *study = tn_diff_model_get_study(dialog->model, side_of_from(dialog));
  g_autofree char *name = tn_study_dup_label(study, dialog->from);
  g_autofree char *label = tn_elide_middle(name, TN_VIEW_NAME_CHARS);
  return dialog->side == TN_DIFF_B ? g_strdup_printf(_("Which of B is “%s” of A?"), label)
                                   : g_strdup_printf(_("Which of A is “%s” of B?"), label);
}

void
tn_rematch_dialog_show(GtkWindow *window, TnDiffModel *model)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  uint32_t pair = tn_diff_model_get_selected(model);
  if (!diff || pair == TN_NONE)
    return;
  Dialog *dialog = g_new0(Dialog, 1);
  const TnDiffPair *p = &diff->pairs[pair];
  dialog->model = g_object_ref(model);
  dialog->side = p->a != TN_NONE ? TN_DIFF_B : TN_DIFF_A;
  dialog->from = p->a != TN_NONE ? p->a : p->b;
  if (is_from_gone(dialog)) {
    free_dialog(dialog);
    return;
  }
  dialog->window = adw_window_new();
  g_autofree char *title = build_title(dialog);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_window_set_title(GTK_WINDOW(dialog->window), title);
  gtk_window_set_transient_for(GTK_WINDOW(dialog->window), window);
  gtk_window_set_modal(GTK_WINDOW(dialog->window), TRUE);
  gtk_window_set_default_size(GTK_WINDOW(dialog->window), 720, 480);
  gtk_box_append(GTK_BOX(box), make_header(dialog));
  gtk_box_append(GTK_BOX(box), make_search(dialog));
  gtk_box_append(GTK_BOX(box), make_list(dialog));
  adw_window_set_content(ADW_WINDOW(dialog->window), box);
  g_object_set_data_full(G_OBJECT(dialog->window), "dialog", dialog, free_dialog);
  g_signal_connect(dialog->window, "destroy", G_CALLBACK(on_destroy), dialog);
  fill(dialog);
  gtk_window_present(GTK_WINDOW(dialog->window));
  gtk_widget_grab_focus(dialog->search);
}
