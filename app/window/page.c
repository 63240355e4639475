/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/page.h"

#include "app/window/axis-words.h"
#include "app/window/settings.h"
#include "app/window/bookmark-list.h"
#include "app/window/box-view.h"
#include "app/window/buffer-table.h"
#include "app/window/context-menu.h"
#include "app/window/details.h"
#include "app/window/edit-panel.h"
#include "app/window/event-table.h"
#include "app/window/budget-view.h"
#include "app/window/finding-table.h"
#include "app/window/oom-view.h"
#include "app/window/op-table.h"
#include "app/window/orders-view.h"
#include "app/window/page-layout.h"
#include "app/window/tip.h"
#include "app/window/view-switch.h"

#include <glib/gi18n.h>

enum { COUNT_CHARS = 40 }; /* for which there always is room */

struct _TnPage {
  GtkBox parent_instance;
  TnSession *session;
  TnBarOrder *bar_order;
  GtkWidget *views, *maps, *details, *drawer, *table, *ops, *edits, *bookmarks, *search, *count,
      *status_left, *status_right, *switcher;
  bool hides_details, hides_table;
  guint words; /* the source that will write the status line; 0: none */
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

bool
tn_page_has_view(TnPage *page, const char *name)
{
  return gtk_stack_get_child_by_name(GTK_STACK(page->views), name) != NULL;
}

/* Orders and budgets have tables of their own and need the room. */
static void
show_sides(TnPage *page)
{
  const char *name = tn_page_get_view(page);
  bool is_whole = g_strcmp0(name, "orders") == 0 || g_strcmp0(name, "budget") == 0;
  gtk_widget_set_visible(page->details, !is_whole && !page->hides_details);
  gtk_widget_set_visible(page->drawer, !is_whole && !page->hides_table);
  gtk_widget_set_visible(page->switcher, !is_whole);
}

/* The view that is shown, unless the focus is in the header: there it was chosen by a button. */
static void
take_focus(TnPage *page)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  GtkWidget *shown = gtk_stack_get_visible_child(GTK_STACK(page->views));
  bool is_free = shown == page->maps || !focus || gtk_widget_is_ancestor(focus, GTK_WIDGET(page));
  if (is_free && !gtk_widget_grab_focus(shown))
    gtk_widget_child_focus(shown, GTK_DIR_TAB_FORWARD);
}

void
tn_page_set_view(TnPage *page, const char *name)
{
  if (!tn_page_has_view(page, name))
    return;
  gtk_stack_set_visible_child_name(GTK_STACK(page->views), name);
  take_focus(page);
  show_sides(page);
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
  page->hides_details = !page->hides_details;
  tn_page_layout_set_hides_details(page->hides_details);
  show_sides(page);
}

void
tn_page_toggle_table(TnPage *page)
{
  page->hides_table = !page->hides_table;
  show_sides(page);
}

static bool
has_only_reports(const TnDocument *document)
{
  bool has_buffers = document->accounts->len == 0 || document->graph;
  for (uint32_t i = 0; i < document->devices->len && !has_buffers; i++) {
    const TnDevice *device = tn_document_get_device(document, i);
    has_buffers = device->events.n || device->blocks->len || device->buffers || device->samples;
  }
  return !has_buffers;
}

char *
tn_page_build_subtitle(TnPage *page)
{
  const TnStudy *study = tn_session_get_study(page->session);
  char size[48], count[32];
  char *totals = tn_study_dup_totals(study, tn_settings_get_units());
  if (totals)
    return totals;
  guint n_reports = study->document->accounts->len;
  if (has_only_reports(study->document))
    return g_strdup_printf(ngettext("%u report, in totals", "%u reports, in totals", n_reports),
                           n_reports);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *device = tn_document_dup_device_label(study->document, study->device);
  if (study->is_log)
    g_string_append_printf(text, "%s · ", device);
  g_string_append_printf(
      text, _("peak %s"),
      tn_print_bytes(size, sizeof size, study->live->peak, tn_settings_get_units()));
  if (study->arena_bytes != TN_BYTES_UNKNOWN)
    g_string_append_printf(
        text, _(" · arena %s"),
        tn_print_bytes(size, sizeof size, study->arena_bytes, tn_settings_get_units()));
  uint32_t n = study->is_log ? study->device->events.n : study->buffers->n;
  g_string_append_printf(text,
                         study->is_log ? ngettext(" · %s event", " · %s events", n)
                                       : ngettext(" · %s buffer", " · %s buffers", n),
                         tn_print_count(count, sizeof count, n));
  guint n_edits = tn_edits_count(page->session);
  if (n_edits)
    g_string_append_printf(text, ngettext(" · %u edit", " · %u edits", n_edits), n_edits);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- the status line ---------------------------------------------------------------------------
 */

/* "events 1,000 to 2,000 · peak 2.10 GiB" */
static void
show_range(TnPage *page)
{
  const TnView *view = tn_session_get_view(page->session);
  tn_tick from = (tn_tick)view->r0, to = MAX((tn_tick)view->r1, from + 1);
  char a[32], b[32], peak[48];
  g_autofree char *text = g_strdup_printf(
      _("%s %s to %s · peak %s"), tn_axis_words(view->study->device->axis),
      tn_print_count(a, sizeof a, from), tn_print_count(b, sizeof b, to),
      tn_print_bytes(peak, sizeof peak, tn_curve_max(view->study->live, from, to, NULL),
                     tn_settings_get_units()));
  gtk_inscription_set_text(GTK_INSCRIPTION(page->status_right), text);
}

static void
show_cursor(TnPage *page)
{
  const TnView *view = tn_session_get_view(page->session);
  const TnStudy *study = view->study;
  if (tn_session_has_range(page->session)) {
    show_range(page);
    return;
  }
  if (view->cursor < 0) {
    gtk_inscription_set_text(GTK_INSCRIPTION(page->status_right), "");
    return;
  }
  tn_tick tick = CLAMP((tn_tick)view->cursor, 0, study->axis_end - 1);
  char live[48], held[48], at[32];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "%s %s", tn_axis_word(study->device->axis),
                  tn_print_count(at, sizeof at, tick));
  if (study->clock)
    g_string_append_printf(text, " · %s",
                           tn_print_us(at, sizeof at, tn_clock_at(study->clock, view->cursor)));
  g_string_append_printf(
      text, _(" · live %s"),
      tn_print_bytes(live, sizeof live, tn_curve_at(study->live, tick), tn_settings_get_units()));
  if (study->reserved)
    g_string_append_printf(text, _(" · reserved %s"),
                           tn_print_bytes(held, sizeof held, tn_curve_at(study->reserved, tick),
                                          tn_settings_get_units()));
  gtk_inscription_set_text(GTK_INSCRIPTION(page->status_right), text->str);
}

static void
show_hovered(TnPage *page)
{
  const TnView *view = tn_session_get_view(page->session);
  tn_index buffer = view->hovered != TN_NONE ? view->hovered : view->selected;
  g_autofree char *text = tn_maps_describe(page->session, buffer);
  gtk_inscription_set_text(GTK_INSCRIPTION(page->status_left), text);
  tn_tip_set(page->status_left, text); /* where there is no room for all of it */
}

static gboolean
show_words(gpointer data)
{
  TnPage *page = data;
  page->words = 0;
  show_hovered(page);
  show_cursor(page);
  return G_SOURCE_REMOVE;
}

/* After the frame of the maps: one that drew both would draw all that lies between them. */
static void
on_selection_changed(TnSession *session, TnPage *page)
{
  if (!page->words)
    page->words = g_idle_add(show_words, page);
}

static void show_count(TnPage *page);

static void
on_units_changed(TnSession *session, TnPage *page)
{
  on_selection_changed(session, page);
  show_count(page);
}

/* ---- searching ---------------------------------------------------------------------------------
 */

/* Escape ends a search wherever the focus is, before anything else takes it. */
static gboolean
on_page_key(GtkEventControllerKey *controller,
            guint keyval,
            guint keycode,
            GdkModifierType state,
            TnPage *page)
{
  if (keyval != GDK_KEY_Escape || !tn_search_bar_is_open(TN_SEARCH_BAR(page->search)))
    return FALSE;
  tn_page_set_search(page, false);
  return TRUE;
}

void
tn_page_set_search(TnPage *page, bool is_open)
{
  tn_search_bar_set_open(TN_SEARCH_BAR(page->search), is_open);
  if (!is_open)
    gtk_widget_grab_focus(page->maps);
}

TnSearchBar *
tn_page_get_search(TnPage *page)
{
  return TN_SEARCH_BAR(page->search);
}

static void
show_count(TnPage *page)
{
  g_autofree char *text = tn_search_bar_build_count(TN_SEARCH_BAR(page->search));
  gtk_label_set_text(GTK_LABEL(page->count), text);
  /* What is shown of how much must be seen, also where words are large: a short one takes just its width. */
  bool is_long = g_utf8_strlen(text, -1) > COUNT_CHARS;
  gtk_label_set_ellipsize(GTK_LABEL(page->count), is_long ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars(GTK_LABEL(page->count), is_long ? COUNT_CHARS : -1);
  tn_tip_set(page->count, text);
}

static void
on_counted(TnSearchBar *bar, TnPage *page)
{
  show_count(page);
}

void
tn_page_take_over(TnPage *page, TnPage *old)
{
  const TnView *view = tn_session_get_view(old->session);
  const TnStudy *study = tn_session_get_study(page->session);
  if (view->study->device->ordinal != study->device->ordinal)
    return;
  tn_session_take_view(page->session, view);
  tn_bar_order_set_group(page->bar_order, tn_bar_order_get_group(old->bar_order));
  tn_bar_order_set_sort(page->bar_order, tn_bar_order_get_sort(old->bar_order));
  tn_search_bar_take(TN_SEARCH_BAR(page->search), TN_SEARCH_BAR(old->search));
  tn_page_set_view(page, tn_page_get_view(old));
  tn_undo_clear(tn_session_get_undo(page->session));
}

/* ---- the menu of the selection -----------------------------------------------------------------
 */

/* At the selected buffer where the maps have the focus, else in the middle of what has it. */
void
tn_page_show_menu(TnPage *page)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  GtkWidget *over = focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(page)) ? focus : page->views;
  GdkRectangle at = {gtk_widget_get_width(over) / 2, gtk_widget_get_height(over) / 2, 1, 1};
  if (over == page->maps)
    tn_maps_get_selected_area(TN_MAPS(over), &at);
  tn_context_menu_open(GTK_WIDGET(page), over, &at);
}

TnBarOrder *
tn_page_get_bar_order(TnPage *page)
{
  return page->bar_order;
}

TnBookmarkList *
tn_page_get_bookmarks(TnPage *page)
{
  return TN_BOOKMARK_LIST(page->bookmarks);
}

/* ---- making ------------------------------------------------------------------------------------
 */

/* A text that changes with the pointer: an inscription does not ask the window for another layout.
 */
static GtkWidget *
make_line(guint min_chars, guint nat_chars, PangoEllipsizeMode cut)
{
  GtkWidget *line = gtk_inscription_new("");
  gtk_inscription_set_text_overflow(GTK_INSCRIPTION(line),
                                    cut == PANGO_ELLIPSIZE_MIDDLE
                                        ? GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_MIDDLE
                                        : GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_min_chars(GTK_INSCRIPTION(line), min_chars);
  gtk_inscription_set_nat_chars(GTK_INSCRIPTION(line), nat_chars);
  gtk_inscription_set_min_lines(GTK_INSCRIPTION(line), 1);
  gtk_inscription_set_nat_lines(GTK_INSCRIPTION(line), 1);
  gtk_widget_set_valign(line, GTK_ALIGN_CENTER);
  return line;
}

static GtkWidget *
make_status(TnPage *page)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  page->count = gtk_label_new("");
  gtk_label_set_xalign(GTK_LABEL(page->count), 0.0f);
  gtk_widget_add_css_class(page->count, "caption");
  gtk_widget_add_css_class(page->count, "numeric");
  page->status_left = make_line(8, 12, PANGO_ELLIPSIZE_MIDDLE);
  page->status_right = make_line(16, 56, PANGO_ELLIPSIZE_END);
  gtk_inscription_set_xalign(GTK_INSCRIPTION(page->status_right), 1.0f);
  gtk_label_set_ellipsize(GTK_LABEL(page->count), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(page->status_left, TRUE);
  gtk_widget_add_css_class(page->status_left, "caption");
  gtk_widget_add_css_class(page->status_right, "caption");
  gtk_widget_add_css_class(page->status_right, "numeric");
  gtk_widget_add_css_class(box, "status");
  GtkWidget *tables = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(tables), GTK_STACK(page->drawer));
  gtk_widget_add_css_class(tables, "drawer-switch");
  gtk_widget_set_valign(tables, GTK_ALIGN_CENTER);
  page->switcher = tn_view_switch_new(tables, _("Table"));
  gtk_widget_add_css_class(page->switcher, "drawer-switch");
  gtk_widget_set_valign(page->switcher, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(box), page->switcher);
  gtk_box_append(GTK_BOX(box), page->count);
  gtk_box_append(GTK_BOX(box), page->status_left);
  gtk_box_append(GTK_BOX(box), page->status_right);
  return box;
}

static void
dispose(GObject *object)
{
  g_clear_handle_id(&TN_PAGE(object)->words, g_source_remove);
  g_clear_object(&TN_PAGE(object)->bar_order);
  g_clear_object(&TN_PAGE(object)->session);
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

/* Those that the file has something for: reports in totals have no buffers, and no request of a
 * graph fails. */
static void
add_views(TnPage *page, GtkStack *views)
{
  const TnDocument *document = tn_session_get_document(page->session);
  gtk_stack_add_named(views, page->maps, "maps");
  if (!has_only_reports(document)) {
    gtk_stack_add_named(views, tn_box_view_new(page->session, TN_BOX_VIEW_LIVE_SET), "live-set");
    gtk_stack_add_named(views, tn_box_view_new(page->session, TN_BOX_VIEW_FLAME), "flame");
  }
  if (document->graph) {
    gtk_stack_add_named(views, tn_orders_view_new(page->session), "orders");
    gtk_stack_add_named(views, tn_budget_view_new(page->session), "budget");
  } else {
    gtk_stack_add_named(views, tn_oom_view_new(page->session), "oom");
  }
}

static void
fill(TnPage *page)
{
  GtkWidget *across = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *down = gtk_paned_new(GTK_ORIENTATION_VERTICAL);
  page->search = tn_search_bar_new(page->session);
  page->maps = tn_maps_new(page->session);
  page->details = tn_details_new(page->session);
  page->table = tn_buffer_table_new(page->session, TN_BUFFER_TABLE_ALL);
  page->drawer = gtk_stack_new();
  gtk_stack_add_titled(GTK_STACK(page->drawer), page->table, "buffers", _("Buffers"));
  gtk_stack_add_titled(GTK_STACK(page->drawer),
                       tn_buffer_table_new(page->session, TN_BUFFER_TABLE_ALIVE), "alive",
                       _("Alive"));
  if (tn_session_get_study(page->session)->device->events.n > 0)
    gtk_stack_add_titled(GTK_STACK(page->drawer), tn_event_table_new(page->session), "events",
                         _("Events"));
  if (tn_session_get_document(page->session)->graph) {
    page->ops = tn_op_table_new(page->session);
    page->edits = tn_edit_panel_new(page->session);
    gtk_stack_add_titled(GTK_STACK(page->drawer), page->ops, "ops", _("Ops"));
    gtk_stack_add_titled(GTK_STACK(page->drawer), page->edits, "edits", _("Edits"));
  }
  if (tn_session_get_findings(page->session)->rows->len > 0)
    gtk_stack_add_titled(GTK_STACK(page->drawer), tn_finding_table_new(page->session), "findings",
                         _("Findings"));
  page->bookmarks = tn_bookmark_list_new(page->session);
  gtk_stack_add_titled(GTK_STACK(page->drawer), page->bookmarks, "bookmarks", _("Bookmarks"));
  gtk_widget_set_size_request(page->drawer, -1, 108);
  page->views = gtk_stack_new();
  /* Orders and budgets are wider than what stands beside a side pane. */
  gtk_stack_set_hhomogeneous(GTK_STACK(page->views), FALSE);
  gtk_stack_set_vhomogeneous(GTK_STACK(page->views), FALSE);
  add_views(page, GTK_STACK(page->views));
  /* A narrow handle would reach over half of the table's titles. */
  gtk_paned_set_wide_handle(GTK_PANED(down), TRUE);
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
  gtk_box_append(GTK_BOX(page), page->search);
  gtk_box_append(GTK_BOX(page), across);
  gtk_box_append(GTK_BOX(page), make_status(page));
  tn_page_layout_keep(&(TnPageLayout){.across = GTK_PANED(across),
                                      .down = GTK_PANED(down),
                                      .views = GTK_STACK(page->views),
                                      .maps = TN_MAPS(page->maps)});
  page->hides_details = tn_page_layout_hides_details();
  show_sides(page);
}

GtkWidget *
tn_page_new(TnSession *session)
{
  TnPage *page = g_object_new(TN_TYPE_PAGE, NULL);
  page->session = g_object_ref(session);
  page->bar_order = tn_bar_order_new(session);
  tn_session_set_units(session, tn_settings_get_units());
  tn_session_set_text_scale(session, MAX(tn_settings_get_text_scale(), 1.0));
  fill(page);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), page, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), page, 0);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_page_key), page);
  gtk_widget_add_controller(GTK_WIDGET(page), keys);
  tn_context_menu_attach(GTK_WIDGET(page));
  g_signal_connect_object(page->search, "counted", G_CALLBACK(on_counted), page, 0);
  show_hovered(page);
  show_count(page);
  return GTK_WIDGET(page);
}
