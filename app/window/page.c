/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/page.h"

#include "app/window/settings.h"
#include "app/window/box-view.h"
#include "app/window/buffer-table.h"
#include "app/window/details.h"
#include "app/window/edit-panel.h"
#include "app/window/event-table.h"
#include "app/window/filter.h"
#include "app/window/oom-view.h"
#include "app/window/op-table.h"

struct _TnPage {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *views, *maps, *details, *drawer, *table, *ops, *edits, *search_bar, *search, *found, *status_left, *status_right;
  char *searched; /* what the search was last */
};

G_DEFINE_TYPE(TnPage, tn_page, GTK_TYPE_BOX)

TnSession *
tn_page_get_session(TnPage *page)
{
  return page->session;
}

TnMaps *
tn_page_get_maps(TnPage *page)
{
  return TN_MAPS(page->maps);
}

tn_index
tn_page_get_table_buffer(TnPage *page)
{
  return tn_buffer_table_get_selected(TN_BUFFER_TABLE(page->table));
}

tn_index
tn_page_get_details_buffer(TnPage *page)
{
  return tn_details_get_shown(TN_DETAILS(page->details));
}

const char *
tn_page_get_sharing(TnPage *page)
{
  return tn_details_get_sharing(TN_DETAILS(page->details));
}

void
tn_page_set_view(TnPage *page, const char *name)
{
  gtk_stack_set_visible_child_name(GTK_STACK(page->views), name);
  if (g_strcmp0(name, "maps") == 0)
    gtk_widget_grab_focus(page->maps);
}

const char *
tn_page_get_view(TnPage *page)
{
  return gtk_stack_get_visible_child_name(GTK_STACK(page->views));
}

uint32_t
tn_page_get_chosen_op(TnPage *page)
{
  return page->ops ? tn_op_table_get_chosen(TN_OP_TABLE(page->ops)) : TN_NONE;
}

GtkWidget *
tn_page_get_edit_panel(TnPage *page)
{
  return page->edits;
}

void
tn_page_show_edits(TnPage *page)
{
  gtk_widget_set_visible(page->drawer, TRUE);
  gtk_stack_set_visible_child(GTK_STACK(page->drawer), page->edits);
}

void
tn_page_toggle_details(TnPage *page)
{
  gtk_widget_set_visible(page->details, !gtk_widget_get_visible(page->details));
}

void
tn_page_toggle_table(TnPage *page)
{
  gtk_widget_set_visible(page->drawer, !gtk_widget_get_visible(page->drawer));
}

char *
tn_page_build_subtitle(TnPage *page)
{
  const TnStudy *study = tn_session_get_study(page->session);
  char size[48], count[32];
  char *totals = tn_study_dup_totals(study, tn_settings_get_units());
  if (totals)
    return totals;
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *device = tn_document_dup_device_label(study->document, study->device);
  if (study->is_log)
    g_string_append_printf(text, "%s · ", device);
  g_string_append_printf(text, "peak %s",
                         tn_print_bytes(size, sizeof size, study->live->peak, tn_settings_get_units()));
  if (study->arena_bytes != TN_BYTES_UNKNOWN)
    g_string_append_printf(text, " · arena %s",
                           tn_print_bytes(size, sizeof size, study->arena_bytes, tn_settings_get_units()));
  uint32_t n = study->is_log ? study->device->events.n : study->buffers->n;
  g_string_append_printf(text, " · %s %s", tn_print_count(count, sizeof count, n),
                         study->is_log ? (n == 1 ? "event" : "events")
                                       : (n == 1 ? "buffer" : "buffers"));
  guint n_edits = tn_edits_count(page->session);
  if (n_edits)
    g_string_append_printf(text, " · %u %s", n_edits, n_edits == 1 ? "edit" : "edits");
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- the status line --------------------------------------------------------------------------- */

static void
show_cursor(TnPage *page)
{
  const TnView *view = tn_session_get_view(page->session);
  const TnStudy *study = view->study;
  if (view->cursor < 0) {
    gtk_label_set_text(GTK_LABEL(page->status_right), "");
    return;
  }
  tn_tick tick = CLAMP((tn_tick)view->cursor, 0, study->axis_end - 1);
  char live[48], held[48], at[32];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "%s %s · live %s", tn_axis_unit_name(study->device->axis),
                  tn_print_count(at, sizeof at, tick),
                  tn_print_bytes(live, sizeof live, tn_curve_at(study->live, tick), tn_settings_get_units()));
  if (study->reserved)
    g_string_append_printf(
        text, " · reserved %s",
        tn_print_bytes(held, sizeof held, tn_curve_at(study->reserved, tick), tn_settings_get_units()));
  gtk_label_set_text(GTK_LABEL(page->status_right), text->str);
}

static void
show_hovered(TnPage *page)
{
  const TnView *view = tn_session_get_view(page->session);
  tn_index buffer = view->hovered != TN_NONE ? view->hovered : view->selected;
  g_autofree char *text = NULL;
  if (buffer != TN_NONE) {
    text = tn_maps_describe(page->session, buffer);
  } else {
    char count[32];
    uint32_t n = view->study->buffers->n;
    text = g_strdup_printf("%s %s", tn_print_count(count, sizeof count, n),
                           n == 1 ? "buffer" : "buffers");
  }
  gtk_label_set_text(GTK_LABEL(page->status_left), text);
}

static void
on_selection_changed(TnSession *session, TnPage *page)
{
  show_hovered(page);
  show_cursor(page);
}

/* ---- searching --------------------------------------------------------------------------------- */

static void on_search(GtkSearchEntry *entry, TnPage *page);

static tn_bytes
sum_found(const TnStudy *study, const uint8_t *match)
{
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < study->buffers->n; i++)
    if (match[i] && !tn_add(sum, study->buffers->bytes[i], &sum))
      return INT64_MAX;
  return sum;
}

static void
put_search(gpointer page, GVariant *state)
{
  const char *text = g_variant_get_string(state, NULL);
  if (text[0])
    tn_page_set_search(page, true);
  gtk_editable_set_text(GTK_EDITABLE(TN_PAGE(page)->search), text);
  on_search(GTK_SEARCH_ENTRY(TN_PAGE(page)->search), page);
}

static void
keep_search(TnPage *page, const char *text)
{
  tn_undo_push(tn_session_get_undo(page->session), "Search", page, put_search,
               g_variant_new_string(page->searched ? page->searched : ""),
               g_variant_new_string(text));
  g_free(page->searched);
  page->searched = g_strdup(text);
}

static void
on_search(GtkSearchEntry *entry, TnPage *page)
{
  const TnStudy *study = tn_session_get_study(page->session);
  g_autoptr(GError) error = NULL;
  uint32_t n;
  GBytes *match = tn_filter_run(study, gtk_editable_get_text(GTK_EDITABLE(entry)), &n, &error);
  g_autofree char *text = NULL;
  if (error) {
    text = g_strdup(error->message);
  } else if (match) {
    char found[32], of[32], size[48], all[48];
    text = g_strdup_printf(
        "%s of %s buffers · %s of %s", tn_print_count(found, sizeof found, n),
        tn_print_count(of, sizeof of, study->buffers->n),
        tn_print_bytes(size, sizeof size, sum_found(study, g_bytes_get_data(match, NULL)),
                       tn_settings_get_units()),
        tn_print_bytes(all, sizeof all, study->no_reuse_bytes, tn_settings_get_units()));
  }
  gtk_label_set_text(GTK_LABEL(page->found), text ? text : "");
  tn_session_set_match(page->session, match);
  keep_search(page, gtk_editable_get_text(GTK_EDITABLE(entry)));
}

/* The next hit after the selection, in the order of the table's rows. */
static void
on_next(GtkSearchEntry *entry, TnPage *page)
{
  const TnStudy *study = tn_session_get_study(page->session);
  /* "search-changed" comes a moment after the last key: Return must not go by an older text. */
  on_search(entry, page);
  GBytes *match = tn_session_get_match(page->session);
  tn_index selected = tn_session_get_view(page->session)->selected;
  uint32_t n = study->buffers->n;
  const uint8_t *hits = match ? g_bytes_get_data(match, NULL) : NULL;
  for (uint32_t step = 1; hits && step <= n; step++) {
    tn_index i = (selected == TN_NONE ? step - 1 : selected + step) % n;
    if (!hits[i])
      continue;
    tn_session_select(page->session, i);
    tn_session_show_buffer(page->session, i, false);
    return;
  }
}

static void
on_stop_search(GtkSearchEntry *entry, TnPage *page)
{
  tn_page_set_search(page, false);
}

/* Escape ends a search wherever the focus is, before anything else takes it. */
static gboolean
on_page_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
            TnPage *page)
{
  if (keyval != GDK_KEY_Escape ||
      !gtk_search_bar_get_search_mode(GTK_SEARCH_BAR(page->search_bar)))
    return FALSE;
  tn_page_set_search(page, false);
  return TRUE;
}

void
tn_page_set_search(TnPage *page, bool is_open)
{
  tn_undo_seal(tn_session_get_undo(page->session));
  gtk_search_bar_set_search_mode(GTK_SEARCH_BAR(page->search_bar), is_open);
  if (is_open) {
    gtk_widget_grab_focus(page->search);
  } else {
    gtk_editable_set_text(GTK_EDITABLE(page->search), "");
    on_search(GTK_SEARCH_ENTRY(page->search), page);
    gtk_widget_grab_focus(page->maps);
  }
}

static GtkWidget *
make_search(TnPage *page)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  page->search = gtk_search_entry_new();
  g_object_set(page->search, "placeholder-text", "Name, /regex/, size>1MiB, life>100, 0x…", NULL);
  gtk_widget_set_size_request(page->search, 320, -1);
  page->found = gtk_label_new("");
  gtk_widget_add_css_class(page->found, "dim-label");
  gtk_box_append(GTK_BOX(box), page->search);
  gtk_box_append(GTK_BOX(box), page->found);
  page->search_bar = gtk_search_bar_new();
  gtk_search_bar_set_child(GTK_SEARCH_BAR(page->search_bar), box);
  gtk_search_bar_connect_entry(GTK_SEARCH_BAR(page->search_bar), GTK_EDITABLE(page->search));
  g_signal_connect(page->search, "search-changed", G_CALLBACK(on_search), page);
  g_signal_connect(page->search, "activate", G_CALLBACK(on_next), page);
  g_signal_connect(page->search, "next-match", G_CALLBACK(on_next), page);
  g_signal_connect(page->search, "stop-search", G_CALLBACK(on_stop_search), page);
  return page->search_bar;
}

/* ---- making ------------------------------------------------------------------------------------ */

static GtkWidget *
make_status(TnPage *page)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  page->status_left = gtk_label_new("");
  page->status_right = gtk_label_new("");
  gtk_label_set_ellipsize(GTK_LABEL(page->status_left), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign(GTK_LABEL(page->status_left), 0.0f);
  gtk_widget_set_hexpand(page->status_left, TRUE);
  gtk_widget_add_css_class(page->status_left, "caption");
  gtk_widget_add_css_class(page->status_right, "caption");
  gtk_widget_add_css_class(page->status_right, "numeric");
  gtk_widget_add_css_class(box, "status");
  GtkWidget *switcher = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), GTK_STACK(page->drawer));
  gtk_widget_add_css_class(switcher, "drawer-switch");
  gtk_widget_set_valign(switcher, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(box), switcher);
  gtk_box_append(GTK_BOX(box), page->status_left);
  gtk_box_append(GTK_BOX(box), page->status_right);
  return box;
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_PAGE(object)->session);
  g_clear_pointer(&TN_PAGE(object)->searched, g_free);
  G_OBJECT_CLASS(tn_page_parent_class)->dispose(object);
}

static void
tn_page_class_init(TnPageClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_page_init(TnPage *page)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(page), GTK_ORIENTATION_VERTICAL);
}

static void
fill(TnPage *page)
{
  GtkWidget *across = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *down = gtk_paned_new(GTK_ORIENTATION_VERTICAL);
  page->maps = tn_maps_new(page->session);
  page->details = tn_details_new(page->session);
  page->table = tn_buffer_table_new(page->session);
  page->drawer = gtk_stack_new();
  gtk_stack_add_titled(GTK_STACK(page->drawer), page->table, "buffers", "Buffers");
  if (tn_session_get_study(page->session)->device->events.n > 0)
    gtk_stack_add_titled(GTK_STACK(page->drawer), tn_event_table_new(page->session), "events",
                         "Events");
  if (tn_session_get_document(page->session)->graph) {
    page->ops = tn_op_table_new(page->session);
    page->edits = tn_edit_panel_new(page->session);
    gtk_stack_add_titled(GTK_STACK(page->drawer), page->ops, "ops", "Ops");
    gtk_stack_add_titled(GTK_STACK(page->drawer), page->edits, "edits", "Edits");
  }
  gtk_widget_set_size_request(page->drawer, -1, 108);
  page->views = gtk_stack_new();
  gtk_stack_add_named(GTK_STACK(page->views), page->maps, "maps");
  gtk_stack_add_named(GTK_STACK(page->views),
                      tn_box_view_new(page->session, TN_BOX_VIEW_LIVE_SET), "live-set");
  gtk_stack_add_named(GTK_STACK(page->views), tn_box_view_new(page->session, TN_BOX_VIEW_FLAME),
                      "flame");
  gtk_stack_add_named(GTK_STACK(page->views), tn_oom_view_new(page->session), "oom");
  gtk_paned_set_start_child(GTK_PANED(down), page->views);
  gtk_paned_set_end_child(GTK_PANED(down), page->drawer);
  gtk_paned_set_resize_end_child(GTK_PANED(down), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(down), FALSE);
  gtk_paned_set_shrink_start_child(GTK_PANED(down), FALSE);
  gtk_paned_set_start_child(GTK_PANED(across), down);
  gtk_paned_set_end_child(GTK_PANED(across), page->details);
  gtk_paned_set_resize_end_child(GTK_PANED(across), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(across), FALSE);
  gtk_widget_set_vexpand(across, TRUE);
  gtk_box_append(GTK_BOX(page), make_search(page));
  gtk_box_append(GTK_BOX(page), across);
  gtk_box_append(GTK_BOX(page), make_status(page));
}

GtkWidget *
tn_page_new(TnSession *session)
{
  TnPage *page = g_object_new(TN_TYPE_PAGE, NULL);
  page->session = g_object_ref(session);
  tn_session_set_units(session, tn_settings_get_units());
  fill(page);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), page, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_selection_changed), page, 0);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_page_key), page);
  gtk_widget_add_controller(GTK_WIDGET(page), keys);
  show_hovered(page);
  return GTK_WIDGET(page);
}
