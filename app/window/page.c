/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/page.h"

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
#include "app/window/planner.h"
#include "app/window/status-line.h"

#include <glib/gi18n.h>

struct _TnPage {
  GtkBox parent_instance;
  TnSession *session;
  TnBarOrder *bar_order;
  GtkWidget *views, *maps, *details, *drawer, *table, *ops, *edits, *bookmarks, *search, *status;
  GtkStackPage *events, *findings; /* of the drawer */
  GtkStackPage *ops_page;          /* NULL: no graph */
  bool hides_details, hides_table;
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

/* NULL where there is none of this name. */
static GtkWidget *
view_named(TnPage *page, const char *name)
{
  return gtk_stack_get_child_by_name(GTK_STACK(page->views), name);
}

bool
tn_page_has_view(TnPage *page, const char *name)
{
  return view_named(page, name) != NULL;
}

/* Orders and budgets have tables of their own and need the room. */
static bool
is_view_whole(TnPage *page)
{
  const char *name = tn_page_get_view(page);
  return g_strcmp0(name, "orders") == 0 || g_strcmp0(name, "budget") == 0;
}

static void
show_sides(TnPage *page)
{
  bool is_whole = is_view_whole(page);
  gtk_widget_set_visible(page->details, !is_whole && !page->hides_details);
  gtk_widget_set_visible(page->drawer, !is_whole && !page->hides_table);
  tn_status_line_set_has_tables(TN_STATUS_LINE(page->status), !is_whole);
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
  page->hides_table = false;
  show_sides(page);
  gtk_widget_set_visible(page->drawer, TRUE);
  gtk_stack_set_visible_child(GTK_STACK(page->drawer), page->edits);
}

/* What is not there to be seen is not changed for the other views. */
void
tn_page_toggle_details(TnPage *page)
{
  if (is_view_whole(page))
    return;
  page->hides_details = !page->hides_details;
  tn_page_layout_set_hides_details(page->hides_details);
  show_sides(page);
}

void
tn_page_toggle_table(TnPage *page)
{
  if (!is_view_whole(page))
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
  if (tn_view_has_live(study))
    g_string_append_printf(
        text, _("peak %s"),
        tn_print_bytes(size, sizeof size, study->live->peak, tn_settings_get_units()));
  else
    g_string_append(text, _("no buffers"));
  if (study->arena_bytes != TN_BYTES_UNKNOWN)
    g_string_append_printf(
        text, _(" · arena %s"),
        tn_print_bytes(size, sizeof size, study->arena_bytes, tn_settings_get_units()));
  uint32_t n = study->is_log ? study->device->events.n : study->buffers->n;
  if (n)
    g_string_append_printf(text,
                           study->is_log ? ngettext(" · %s event", " · %s events", n)
                                         : ngettext(" · %s buffer", " · %s buffers", n),
                           tn_print_count(count, sizeof count, n));
  guint n_edits = tn_edits_count(page->session);
  if (n_edits)
    g_string_append_printf(text, ngettext(" · %u edit", " · %u edits", n_edits), n_edits);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
add_graph_views(TnPage *page, TnReportContent *content)
{
  TnOrdersView *orders = TN_ORDERS_VIEW(view_named(page, "orders"));
  TnBudgetView *budget = TN_BUDGET_VIEW(view_named(page, "budget"));
  const TnBudgetAnswer *plan = tn_budget_view_get_plan(budget), *sweep = tn_budget_view_get_sweep(budget);
  content->orders = tn_orders_view_dup_found(orders);
  content->order = tn_orders_view_get_selected(orders);
  if (!plan || !plan->answer || !sweep || !sweep->answer)
    return;
  content->plan = g_atomic_rc_box_acquire((gpointer)plan);
  content->sweep = g_atomic_rc_box_acquire((gpointer)sweep);
}

TnReportContent *
tn_page_build_content(TnPage *page)
{
  TnReportContent *content = tn_report_content_new_for_session(page->session);
  GtkWidget *live_set = view_named(page, "live-set"), *flame = view_named(page, "flame"),
            *oom = view_named(page, "oom");
  TnBoxGroups *groups = live_set ? tn_box_view_get_groups(TN_BOX_VIEW(live_set)) : NULL;
  content->groups = groups ? g_atomic_rc_box_acquire(groups) : NULL;
  if (flame) {
    content->chosen.weight = tn_box_view_get_weight(TN_BOX_VIEW(flame));
    content->chosen.with_framework = tn_box_view_has_framework(TN_BOX_VIEW(flame));
  }
  if (oom)
    content->chosen.oom = tn_oom_view_get_request(TN_OOM_VIEW(oom));
  if (view_named(page, "orders"))
    add_graph_views(page, content);
  return content;
}

/* ---- searching ---------------------------------------------------------------------------------
 */

/* Escape ends a search wherever the focus is, before anything else takes it; else what an op has marked. */
static gboolean
on_page_key(GtkEventControllerKey *controller,
            guint keyval,
            guint keycode,
            GdkModifierType state,
            TnPage *page)
{
  bool is_search = tn_search_bar_is_open(TN_SEARCH_BAR(page->search));
  if (keyval != GDK_KEY_Escape)
    return FALSE;
  if (is_search)
    tn_page_set_search(page, false);
  else if (page->ops)
    tn_op_table_unmark(TN_OP_TABLE(page->ops));
  return is_search;
}

void
tn_page_set_search(TnPage *page, bool is_open)
{
  tn_search_bar_set_open(TN_SEARCH_BAR(page->search), is_open);
  if (!is_open)
    take_focus(page);
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
  tn_status_line_set_count(TN_STATUS_LINE(page->status), text);
}

static void
on_counted(TnSearchBar *bar, TnPage *page)
{
  show_count(page);
}

/* Why edits are not, or others, is said in their panel. */
static void
on_edits_told(TnEdits *edits, const char *what, TnPage *page)
{
  tn_page_show_edits(page);
}

static void
on_units_changed(TnSession *session, TnPage *page)
{
  show_count(page);
}

void
tn_page_take_over(TnPage *page, TnPage *old)
{
  const TnView *view = tn_session_get_view(old->session);
  const TnStudy *study = tn_session_get_study(page->session);
  if (view->study->device->ordinal == study->device->ordinal)
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

static void
dispose(GObject *object)
{
  if (TN_PAGE(object)->session)
    tn_planner_forget(TN_PAGE(object)->session);
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

/* Of each device and plan there is a tab for what it has. */
static void
show_tables(TnSession *session, TnPage *page)
{
  const TnDevice *device = tn_session_get_study(session)->device;
  bool has_findings = tn_session_get_findings(session)->rows->len > 0;
  gtk_stack_page_set_visible(page->events, device->events.n > 0);
  gtk_stack_page_set_visible(page->findings, has_findings);
  if (!page->ops)
    return;
  gtk_stack_page_set_visible(page->ops_page, !device->has_other_ops);
  if (device->has_other_ops)
    tn_op_table_unmark(TN_OP_TABLE(page->ops));
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
  page->events = gtk_stack_add_titled(GTK_STACK(page->drawer), tn_event_table_new(page->session),
                                      "events", _("Events"));
  if (tn_session_get_document(page->session)->graph) {
    page->ops = tn_op_table_new(page->session);
    page->edits = tn_edit_panel_new(page->session);
    page->ops_page = gtk_stack_add_titled(GTK_STACK(page->drawer), page->ops, "ops", _("Ops"));
    gtk_stack_add_titled(GTK_STACK(page->drawer), page->edits, "edits", _("Edits"));
  }
  page->findings = gtk_stack_add_titled(GTK_STACK(page->drawer), tn_finding_table_new(page->session),
                                        "findings", _("Findings"));
  show_tables(page->session, page);
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
  page->status = tn_status_line_new(page->session, GTK_STACK(page->drawer));
  gtk_box_append(GTK_BOX(page), page->status);
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
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), page, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(show_tables), page, 0);
  if (page->edits) {
    TnEdits *edits = tn_edits_get(session);
    g_signal_connect_object(edits, "refused", G_CALLBACK(on_edits_told), page, 0);
    g_signal_connect_object(edits, "told", G_CALLBACK(on_edits_told), page, 0);
  }
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_page_key), page);
  gtk_widget_add_controller(GTK_WIDGET(page), keys);
  tn_context_menu_attach(GTK_WIDGET(page));
  g_signal_connect_object(page->search, "counted", G_CALLBACK(on_counted), page, 0);
  show_count(page);
  return GTK_WIDGET(page);
}
