/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/search-bar.h"

#include "app/window/background.h"
#include "app/window/filter-chips.h"
#include "app/window/filter.h"
#include "app/window/settings.h"
#include "app/window/tip.h"

#include <glib/gi18n.h>

struct _TnSearchBar {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *bar, *entry, *found, *chips, *keep;
  GPtrArray *filters; /* char *, in the order they were put */
  char *searched;     /* what the search was last */
  char *error;        /* of the search; NULL: none */
  uint32_t shown;
  tn_bytes shown_bytes;
  guint generation;  /* of the last job: older answers are dropped */
  bool is_searching; /* a job is under way */
  bool is_setting;   /* the match that is set is our own */
  int wanted_step;   /* a step to take when its answer is there */
};

G_DEFINE_TYPE(TnSearchBar, tn_search_bar, GTK_TYPE_BOX)

static guint counted_signal;

/* ---- running ----------------------------------------------------------------------------------- */

typedef struct {
  TnSearchBar *bar;   /* owned reference */
  TnSession *session; /* owned reference: keeps what the study rests on */
  TnStudy *study;     /* owned reference */
  guint generation;
  char **terms; /* the filters, then the search */
  GError *error;
  TnFilterResult result;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_object_unref(job->bar);
  g_clear_error(&job->error);
  g_strfreev(job->terms);
  g_clear_pointer(&job->result.match, g_bytes_unref);
  g_free(job);
}

/* Whether a term can be understood: asked of no buffers, which takes no time. */
static bool
is_understood(const TnStudy *study, const char *term)
{
  const TnBuffers none = {0};
  TnStudy of_none = *study;
  TnFilterResult result = {0};
  of_none.buffers = &none;
  bool is_good = tn_filter_run(&of_none, (const char *const[]){term, NULL}, &result, NULL);
  g_clear_pointer(&result.match, g_bytes_unref);
  return is_good;
}

/* What can't be understood dims nothing: the others alone hold. */
static void
work(gpointer data)
{
  Job *job = data;
  if (tn_filter_run(job->study, (const char *const *)job->terms, &job->result, &job->error))
    return;
  for (char **term = job->terms; *term; term++)
    if (!is_understood(job->study, *term))
      (*term)[0] = '\0';
  tn_filter_run(job->study, (const char *const *)job->terms, &job->result, NULL);
}

static void
show_found(TnSearchBar *bar, const char *text)
{
  gtk_label_set_text(GTK_LABEL(bar->found), text);
  tn_tip_set(bar->found, bar->error);
  if (bar->error)
    gtk_widget_add_css_class(bar->found, "error");
  else
    gtk_widget_remove_css_class(bar->found, "error");
}

static void
show_hits(TnSearchBar *bar)
{
  char count[32];
  bool is_search = bar->searched && bar->searched[0];
  g_autofree char *text = bar->error   ? g_strdup(bar->error)
                          : !is_search ? g_strdup("")
                          : bar->shown == 0
                              ? g_strdup(_("No buffer fits"))
                              : g_strdup_printf(ngettext("%s hit", "%s hits", bar->shown),
                                                tn_print_count(count, sizeof count, bar->shown));
  show_found(bar, text);
  gtk_widget_set_sensitive(bar->keep, is_search && !bar->error);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnSearchBar *bar = job->bar;
  if (!bar->session || job->generation != bar->generation)
    return;
  bar->is_searching = false;
  g_free(bar->error);
  bar->error = job->error ? g_strdup(job->error->message) : NULL;
  bar->shown = job->result.n;
  bar->shown_bytes = job->result.bytes;
  bar->is_setting = true;
  tn_session_set_match(bar->session, g_steal_pointer(&job->result.match));
  bar->is_setting = false;
  show_hits(bar);
  g_signal_emit(bar, counted_signal, 0);
  if (bar->wanted_step)
    tn_search_bar_step(bar, bar->wanted_step);
}

static char **
dup_terms(TnSearchBar *bar)
{
  g_autoptr(GStrvBuilder) terms = g_strv_builder_new();
  for (guint i = 0; i < bar->filters->len; i++)
    g_strv_builder_add(terms, g_ptr_array_index(bar->filters, i));
  g_strv_builder_add(terms, bar->searched ? bar->searched : "");
  return g_strv_builder_end(terms);
}

static void
run(TnSearchBar *bar)
{
  Job *job = g_new0(Job, 1);
  job->bar = g_object_ref(bar);
  job->session = g_object_ref(bar->session);
  job->study = tn_study_ref(tn_session_get_study(bar->session));
  job->generation = ++bar->generation;
  job->terms = dup_terms(bar);
  bar->is_searching = true;
  tn_background_run(job, work, done, free_job);
}

/* ---- the filters ------------------------------------------------------------------------------- */

static GVariant *
dup_state(TnSearchBar *bar)
{
  g_auto(GStrv) terms = dup_terms(bar);
  return g_variant_new_strv((const char *const *)terms, -1);
}

/* A bar that opens takes the focus; one that an undo opens gives it back, for the next undo. */
static void
reveal(TnSearchBar *bar)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(bar));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  if (!bar->searched[0] || tn_search_bar_is_open(bar))
    return;
  gtk_search_bar_set_search_mode(GTK_SEARCH_BAR(bar->bar), TRUE);
  if (focus)
    gtk_widget_grab_focus(focus);
}

static void on_search(GtkSearchEntry *entry, TnSearchBar *bar);

/* The entry is emptied first, which it tells at once: that is no search of the user's. */
static void
show_searched(TnSearchBar *bar)
{
  g_signal_handlers_block_by_func(bar->entry, on_search, bar);
  gtk_editable_set_text(GTK_EDITABLE(bar->entry), bar->searched);
  g_signal_handlers_unblock_by_func(bar->entry, on_search, bar);
}

/* The filters, then the search. */
static void
put_state(gpointer owner, GVariant *state)
{
  TnSearchBar *bar = owner;
  g_autofree const char **terms = g_variant_get_strv(state, NULL);
  guint n = g_strv_length((char **)terms);
  g_ptr_array_set_size(bar->filters, 0);
  for (guint i = 0; i + 1 < n; i++)
    g_ptr_array_add(bar->filters, g_strdup(terms[i]));
  g_free(bar->searched);
  bar->searched = g_strdup(n ? terms[n - 1] : "");
  reveal(bar);
  show_searched(bar);
  tn_filter_chips_fill(TN_FILTER_CHIPS(bar->chips), bar->filters);
  run(bar);
}

/* Called after a change; `before` as dup_state() gave it. */
static void
keep_change(TnSearchBar *bar, const char *label, GVariant *before)
{
  tn_undo_push(tn_session_get_undo(bar->session), label, bar, put_state, before, dup_state(bar));
}

static void
set_filters(TnSearchBar *bar, const char *label, GVariant *before)
{
  TnUndo *undo = tn_session_get_undo(bar->session);
  tn_undo_seal(undo);
  keep_change(bar, label, before);
  tn_undo_seal(undo);
  tn_filter_chips_fill(TN_FILTER_CHIPS(bar->chips), bar->filters);
  run(bar);
}

void
tn_search_bar_add_filter(TnSearchBar *bar, const char *term)
{
  for (guint i = 0; i < bar->filters->len; i++)
    if (g_strcmp0(term, g_ptr_array_index(bar->filters, i)) == 0)
      return;
  GVariant *before = dup_state(bar);
  g_ptr_array_add(bar->filters, g_strdup(term));
  set_filters(bar, "Add Filter", before);
}

void
tn_search_bar_clear_filters(TnSearchBar *bar)
{
  GVariant *before = dup_state(bar);
  g_ptr_array_set_size(bar->filters, 0);
  set_filters(bar, "Clear Filters", before);
}

guint
tn_search_bar_count_filters(TnSearchBar *bar)
{
  return bar->filters->len;
}

static void
on_remove(TnFilterChips *chips, guint row, TnSearchBar *bar)
{
  GVariant *before = dup_state(bar);
  g_ptr_array_remove_index(bar->filters, row);
  set_filters(bar, "Remove Filter", before);
}

/* Back into the entry, to be changed. */
static void
on_edit(TnFilterChips *chips, guint row, TnSearchBar *bar)
{
  GVariant *before = dup_state(bar);
  g_free(bar->searched);
  bar->searched = g_strdup(g_ptr_array_index(bar->filters, row));
  g_ptr_array_remove_index(bar->filters, row);
  gtk_search_bar_set_search_mode(GTK_SEARCH_BAR(bar->bar), TRUE);
  show_searched(bar);
  set_filters(bar, "Edit Filter", before);
  gtk_widget_grab_focus(bar->entry);
}

/* ---- searching --------------------------------------------------------------------------------- */

static void
on_search(GtkSearchEntry *entry, TnSearchBar *bar)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(bar->entry));
  if (g_strcmp0(text, bar->searched ? bar->searched : "") == 0)
    return;
  GVariant *before = dup_state(bar);
  g_free(bar->searched);
  bar->searched = g_strdup(text);
  keep_change(bar, "Search", before);
  run(bar);
}

/* Which hit it is, in the order of starts. */
static void
show_position(TnSearchBar *bar, const uint8_t *hits, tn_index at)
{
  char nth[32], of[32];
  uint32_t before = 0;
  for (tn_index i = 0; i < at; i++)
    before += hits[i];
  g_autofree char *text = g_strdup_printf(ngettext("%s of %s hit", "%s of %s hits", bar->shown),
                                          tn_print_count(nth, sizeof nth, before + 1),
                                          tn_print_count(of, sizeof of, bar->shown));
  show_found(bar, text);
}

void
tn_search_bar_step(TnSearchBar *bar, int step)
{
  /* "search-changed" comes a moment after the last key: Return must not go by an older text. */
  on_search(NULL, bar);
  bar->wanted_step = bar->is_searching ? step : 0;
  GBytes *match = tn_session_get_match(bar->session);
  if (bar->is_searching || !match)
    return;
  const uint8_t *hits = g_bytes_get_data(match, NULL);
  int64_t n = tn_session_get_study(bar->session)->buffers->n;
  tn_index selected = tn_session_get_view(bar->session)->selected;
  int64_t from = selected != TN_NONE ? (int64_t)selected : step > 0 ? -1 : 0;
  for (int64_t k = 1; k <= n; k++) {
    tn_index i = (tn_index)(((from + k * step) % n + n) % n);
    if (!hits[i])
      continue;
    tn_session_select(bar->session, i);
    tn_session_show_buffer(bar->session, i, false);
    show_position(bar, hits, i);
    return;
  }
}

static void
on_next(GtkWidget *widget, TnSearchBar *bar)
{
  tn_search_bar_step(bar, 1);
}

static void
on_previous(GtkWidget *widget, TnSearchBar *bar)
{
  tn_search_bar_step(bar, -1);
}

/* The search becomes a filter; the entry is free for the next one.  Whether it may be is not known of a text that
 * was typed a moment ago: its job is still under way. */
static void
on_keep(GtkWidget *widget, TnSearchBar *bar)
{
  on_search(NULL, bar);
  if (!bar->searched || !bar->searched[0] ||
      !is_understood(tn_session_get_study(bar->session), bar->searched))
    return;
  GVariant *before = dup_state(bar);
  g_ptr_array_add(bar->filters, g_steal_pointer(&bar->searched));
  bar->searched = g_strdup("");
  gtk_editable_set_text(GTK_EDITABLE(bar->entry), "");
  set_filters(bar, "Add Filter", before);
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       TnSearchBar *bar)
{
  if (keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter)
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    on_keep(NULL, bar);
  else
    tn_search_bar_step(bar, state & GDK_SHIFT_MASK ? -1 : 1);
  return TRUE;
}

static void
on_stop(GtkSearchEntry *entry, TnSearchBar *bar)
{
  tn_search_bar_set_open(bar, false);
}

bool
tn_search_bar_is_open(TnSearchBar *bar)
{
  return gtk_search_bar_get_search_mode(GTK_SEARCH_BAR(bar->bar));
}

void
tn_search_bar_set_open(TnSearchBar *bar, bool is_open)
{
  tn_undo_seal(tn_session_get_undo(bar->session));
  gtk_search_bar_set_search_mode(GTK_SEARCH_BAR(bar->bar), is_open);
  if (is_open) {
    gtk_widget_grab_focus(bar->entry);
  } else {
    gtk_editable_set_text(GTK_EDITABLE(bar->entry), "");
    on_search(NULL, bar);
  }
}

void
tn_search_bar_take(TnSearchBar *bar, TnSearchBar *from)
{
  g_autoptr(GVariant) state = g_variant_ref_sink(dup_state(from));
  put_state(bar, state);
}

/* ---- what it says ------------------------------------------------------------------------------ */

char *
tn_search_bar_build_count(TnSearchBar *bar)
{
  const TnStudy *study = tn_session_get_study(bar->session);
  char n[32], of[32], size[48], all[48];
  bool is_all = tn_session_get_match(bar->session) == NULL;
  guint n_all = study->buffers->n;
  tn_print_count(of, sizeof of, n_all);
  tn_print_bytes(all, sizeof all, study->no_reuse_bytes, tn_settings_get_units());
  if (is_all)
    return g_strdup_printf(ngettext("All %s buffer · %s", "All %s buffers · %s", n_all), of, all);
  return g_strdup_printf(
      ngettext("%s of %s buffer · %s of %s", "%s of %s buffers · %s of %s", n_all),
      tn_print_count(n, sizeof n, bar->shown), of,
      tn_print_bytes(size, sizeof size, bar->shown_bytes, tn_settings_get_units()), all);
}

uint32_t
tn_search_bar_get_shown(TnSearchBar *bar)
{
  return bar->shown;
}

const char *
tn_search_bar_get_error(TnSearchBar *bar)
{
  return bar->error;
}

/* Another one marks buffers, an op of the table; when it no longer does, the filters hold again. */
static void
on_match_changed(TnSession *session, TnSearchBar *bar)
{
  GBytes *match = tn_session_get_match(session);
  TnFilterResult result = {0};
  if (bar->is_setting)
    return;
  if (!match) {
    run(bar);
    return;
  }
  tn_filter_count(tn_session_get_study(session), g_bytes_get_data(match, NULL), &result);
  bar->shown = result.n;
  bar->shown_bytes = result.bytes;
  g_signal_emit(bar, counted_signal, 0);
}

static void
on_study_changed(TnSession *session, TnSearchBar *bar)
{
  bar->shown = tn_session_get_study(session)->buffers->n;
  run(bar);
}

/* ---- making ------------------------------------------------------------------------------------ */

static GtkWidget *
make_button(TnSearchBar *bar, const char *icon, const char *label, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  tn_tip_set(button, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_signal_connect(button, "clicked", clicked, bar);
  return button;
}

static void
make_entry(TnSearchBar *bar)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  bar->entry = gtk_search_entry_new();
  g_object_set(bar->entry, "placeholder-text",
               _("Name, /regex/, size>1MiB, alive@peak, kind:, 0x…: all words must fit"), NULL);
  gtk_widget_set_size_request(bar->entry, 320, -1);
  g_signal_connect(bar->entry, "search-changed", G_CALLBACK(on_search), bar);
  g_signal_connect(bar->entry, "next-match", G_CALLBACK(on_next), bar);
  g_signal_connect(bar->entry, "previous-match", G_CALLBACK(on_previous), bar);
  g_signal_connect(bar->entry, "stop-search", G_CALLBACK(on_stop), bar);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), bar);
  gtk_widget_add_controller(bar->entry, keys);
}

static GtkWidget *
make_bar(TnSearchBar *bar)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  make_entry(bar);
  bar->found = gtk_label_new("");
  gtk_label_set_ellipsize(GTK_LABEL(bar->found), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars(GTK_LABEL(bar->found), 20);
  gtk_label_set_max_width_chars(GTK_LABEL(bar->found), 40);
  gtk_label_set_xalign(GTK_LABEL(bar->found), 0.0f);
  gtk_widget_add_css_class(bar->found, "numeric");
  bar->keep = make_button(bar, "list-add-symbolic", _("Keep as a Filter (Ctrl + Return)"),
                          G_CALLBACK(on_keep));
  gtk_widget_set_sensitive(bar->keep, FALSE);
  gtk_box_append(GTK_BOX(box), bar->entry);
  gtk_box_append(GTK_BOX(box),
                 make_button(bar, "go-up-symbolic", _("Previous Hit (Shift + Return)"),
                             G_CALLBACK(on_previous)));
  gtk_box_append(GTK_BOX(box),
                 make_button(bar, "go-down-symbolic", _("Next Hit (Return)"), G_CALLBACK(on_next)));
  gtk_box_append(GTK_BOX(box), bar->keep);
  gtk_box_append(GTK_BOX(box), bar->found);
  bar->bar = gtk_search_bar_new();
  gtk_search_bar_set_child(GTK_SEARCH_BAR(bar->bar), box);
  gtk_search_bar_connect_entry(GTK_SEARCH_BAR(bar->bar), GTK_EDITABLE(bar->entry));
  return bar->bar;
}

static void
dispose(GObject *object)
{
  TnSearchBar *bar = TN_SEARCH_BAR(object);
  bar->generation++;
  g_clear_object(&bar->session);
  g_clear_pointer(&bar->searched, g_free);
  g_clear_pointer(&bar->error, g_free);
  g_clear_pointer(&bar->filters, g_ptr_array_unref);
  G_OBJECT_CLASS(tn_search_bar_parent_class)->dispose(object);
}

static void
tn_search_bar_class_init(TnSearchBarClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  counted_signal = g_signal_new("counted", TN_TYPE_SEARCH_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
}

static void
tn_search_bar_init(TnSearchBar *bar)
{
  bar->filters = g_ptr_array_new_with_free_func(g_free);
  gtk_orientable_set_orientation(GTK_ORIENTABLE(bar), GTK_ORIENTATION_VERTICAL);
}

GtkWidget *
tn_search_bar_new(TnSession *session)
{
  TnSearchBar *bar = g_object_new(TN_TYPE_SEARCH_BAR, NULL);
  bar->session = g_object_ref(session);
  bar->shown = tn_session_get_study(session)->buffers->n;
  bar->shown_bytes = tn_session_get_study(session)->no_reuse_bytes;
  gtk_box_append(GTK_BOX(bar), make_bar(bar));
  bar->chips = tn_filter_chips_new();
  gtk_box_append(GTK_BOX(bar), bar->chips);
  g_signal_connect_object(bar->chips, "edit", G_CALLBACK(on_edit), bar, 0);
  g_signal_connect_object(bar->chips, "remove", G_CALLBACK(on_remove), bar, 0);
  g_signal_connect_object(bar->chips, "clear", G_CALLBACK(tn_search_bar_clear_filters), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), bar, 0);
  g_signal_connect_object(session, "match-changed", G_CALLBACK(on_match_changed), bar, 0);
  return GTK_WIDGET(bar);
}
