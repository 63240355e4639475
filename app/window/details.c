/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/details.h"

#include "app/window/axis-words.h"
#include "app/window/edit-actions.h"
#include "app/window/plan-facts.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _TnDetails {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *content;
  tn_index shown;
  tn_index noted, before; /* the last selection, and the buffer that was selected before it, ... */
  const TnStudy *noted_study; /* ... in this study; compared, never followed */
  const TnStudy *shown_study;
  guint idle;       /* will show another selection; 0: none */
  GtkWidget *facts; /* whether the two may share; NULL: no buffer of a plan is shown */
};

G_DEFINE_TYPE(TnDetails, tn_details, GTK_TYPE_BOX)

/* ---- parts -------------------------------------------------------------------------------------
 */

static GtkWidget *
label_new(const char *text, const char *class, float xalign)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

static void
add_heading(TnDetails *details, const char *text)
{
  GtkWidget *label = label_new(text, "heading", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 30); /* no title makes the pane wider */
  gtk_widget_set_margin_top(label, 12);
  gtk_box_append(GTK_BOX(details->content), label);
}

/* A long name gives way before a figure does, which would else be broken letter by letter. */
static void
add_fact(TnDetails *details, const char *what, const char *value, const char *tooltip)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *left = label_new(what, "dim-label", 0.0f);
  GtkWidget *right = label_new(value, NULL, 1.0f);
  tn_view_set_figures(right);
  gtk_label_set_wrap(GTK_LABEL(left), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(right), (int)MIN(g_utf8_strlen(value, -1), 18));
  gtk_label_set_selectable(GTK_LABEL(right), TRUE);
  gtk_widget_set_can_focus(right, FALSE);
  gtk_label_set_wrap(GTK_LABEL(right), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(right), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand(right, TRUE);
  gtk_box_append(GTK_BOX(box), left);
  gtk_box_append(GTK_BOX(box), right);
  tn_tip_set(box, tooltip);
  gtk_box_append(GTK_BOX(details->content), box);
}

static void
add_bytes(TnDetails *details, const char *what, tn_bytes bytes)
{
  char text[48], exact[48];
  if (bytes >= 0)
    add_fact(details, what, tn_print_bytes(text, sizeof text, bytes, tn_settings_get_units()),
             tn_print_bytes(exact, sizeof exact, bytes, TN_UNITS_BYTES));
}

/* ---- a buffer ----------------------------------------------------------------------------------
 */

static char *
dup_range(const TnBuffers *b, tn_index i)
{
  char from[32], to[32];
  bool is_before = b->flags[i] & TN_BUFFER_BEFORE, is_kept = b->flags[i] & TN_BUFFER_TO_END;
  return g_strdup_printf(is_before && is_kept ? _("before %s – %s (never freed)")
                         : is_before          ? _("before %s – %s")
                         : is_kept            ? _("%s – %s (never freed)")
                                              : "%s – %s",
                         tn_print_count(from, sizeof from, b->start[i]),
                         tn_print_count(to, sizeof to, b->end[i]));
}

/* "1.654 s · 12 % · long in ticks" */
static void
add_clock_life(TnDetails *details, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  char life[32];
  if (!study->clock)
    return;
  double us = tn_clock_life(study->clock, b->start[i], b->end[i]);
  TnLongIn which = tn_clock_long_in(study->clock, b->start[i], b->end[i]);
  g_autofree char *text =
      g_strdup_printf(which == TN_LONG_IN_TICKS     ? _("%s · %.0f %% · long in ticks")
                      : which == TN_LONG_IN_SECONDS ? _("%s · %.0f %% · long in seconds")
                                                    : "%s · %.0f %%",
                      tn_print_us(life, sizeof life, us), 100.0 * us / study->clock->total_us);
  add_fact(details, _("By the clock"), text,
           which ? _("Its two shares of the recording differ by a factor of 4 or more")
                 : _("Of the whole recording"));
}

static void
add_life(TnDetails *details, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  char life[32];
  const TnAxisUnit axis = study->device->axis;
  g_autofree char *range = dup_range(b, i);
  g_autofree char *length = g_strdup_printf(
      "%s %s · %.0f %%", tn_print_count(life, sizeof life, b->end[i] - b->start[i]),
      tn_axis_words(axis), 100.0 * (double)(b->end[i] - b->start[i]) / (double)study->axis_end);
  add_fact(details, _("Alive"), range, tn_axis_word(axis));
  add_fact(details, _("Life"), length, _("Of the whole axis"));
  add_clock_life(details, study, i);
}

static void
add_share_of_peak(TnDetails *details, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  bool is_alive = b->start[i] <= study->live->peak_at && b->end[i] > study->live->peak_at;
  g_autofree char *text =
      is_alive
          ? g_strdup_printf(_("yes · %.1f %%"), 100.0 * (double)b->bytes[i] /
                                                    (double)MAX(study->live->peak, (tn_bytes)1))
          : g_strdup(_("no"));
  add_fact(details, _("At the peak"), text, _("Its share of the live peak"));
}

static uint32_t
rank_by_size(const TnBuffers *b, tn_index i)
{
  uint32_t larger = 0;
  for (uint32_t k = 0; k < b->n; k++)
    larger += b->bytes[k] > b->bytes[i];
  return larger + 1;
}

static void
add_stack(TnDetails *details, const TnStudy *study, uint32_t stack, const char *title)
{
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(study->document->stacks, stack, &n);
  if (n == 0)
    return;
  add_heading(details, title);
  for (uint32_t f = 0; f < MIN(n, 64u); f++) {
    TnFrame frame = tn_stacks_frame(study->document->stacks, frames[f]);
    const char *file = tn_strings_get(study->document->strings, frame.file);
    const char *name = tn_strings_get(study->document->strings, frame.name);
    g_autofree char *text = tn_frame_format(study->document, frames[f]);
    g_autofree char *whole = g_strdup_printf("%s:%d\n%s", file, frame.line, name);
    GtkWidget *label =
        label_new(text, tn_frame_is_framework(file, name) ? "dim-label" : NULL, 0.0f);
    gtk_widget_add_css_class(label, "caption");
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
    tn_tip_set(label, whole);
    gtk_box_append(GTK_BOX(details->content), label);
  }
}

static void
add_rounding(TnDetails *details, const TnBuffers *b, tn_index i)
{
  tn_bytes requested = tn_buffers_requested(b, i);
  if (requested == b->bytes[i])
    return;
  add_bytes(details, _("Requested"), requested);
  add_bytes(details, _("Lost to rounding"), b->bytes[i] - requested);
}

/* What if it were another: the edits of a graph's tensor. */
static void
add_edit_button(TnDetails *details)
{
  GtkWidget *button = gtk_menu_button_new();
  g_autoptr(GMenuModel) menu = tn_edit_menu_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(button), _("Add Edit"));
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), menu);
  tn_tip_set(button, _("What if it were another: the file stays as it is"));
  gtk_widget_set_halign(button, GTK_ALIGN_START);
  gtk_widget_set_margin_top(button, 8);
  gtk_box_append(GTK_BOX(details->content), button);
}

static void
show_buffer(TnDetails *details, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  char count[32];
  g_autofree char *name = tn_study_dup_label(study, i);
  GtkWidget *title = label_new(name, "title-4", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(title), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(title), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(GTK_BOX(details->content), title);
  g_autofree char *id =
      g_strdup_printf(_("%s · buffer %u"), tn_kind_name((TnBufferKind)b->kind[i]), i);
  gtk_box_append(GTK_BOX(details->content), label_new(id, "dim-label", 0.0f));
  add_bytes(details, _("Size"), b->bytes[i]);
  add_rounding(details, b, i);
  if (study->offset[i] != TN_NOT_PLACED) {
    g_autofree char *hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)study->offset[i]);
    add_fact(details, study->is_log ? _("Address") : _("Offset"), hex,
             tn_print_count(count, sizeof count, study->offset[i]));
  }
  add_life(details, study, i);
  add_share_of_peak(details, study, i);
  g_autofree char *rank = g_strdup_printf(_("%u of %s by size"), rank_by_size(b, i),
                                          tn_print_count(count, sizeof count, b->n));
  add_fact(details, _("Rank"), rank, NULL);
  if (!study->is_log) {
    details->facts = tn_plan_facts_new(details->session, i, details->before);
    gtk_box_append(GTK_BOX(details->content), details->facts);
  }
  if (study->document->graph)
    add_edit_button(details);
  add_stack(details, study, tn_buffers_stack(b, i), _("Allocated by"));
  if (b->free_stack && b->free_stack[i])
    add_stack(details, study, b->free_stack[i], _("Freed by"));
}

/* ---- the device --------------------------------------------------------------------------------
 */

typedef struct {
  uint8_t category;
  double part;
} Bar;

static void
draw_bar(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Bar *bar = data;
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  const TnTheme *theme = is_dark ? tn_theme_dark() : tn_theme_light();
  uint32_t color = theme->category[bar->category];
  cairo_set_source_rgb(cr, ((color >> 16) & 0xff) / 255.0, ((color >> 8) & 0xff) / 255.0,
                       (color & 0xff) / 255.0);
  bool is_mirrored = gtk_widget_get_direction(GTK_WIDGET(area)) == GTK_TEXT_DIR_RTL;
  double length = MAX(width * bar->part, 2.0);
  cairo_rectangle(cr, is_mirrored ? width - length : 0, 0, length, height);
  cairo_fill(cr);
}

static void
add_group(TnDetails *details, const TnGroup *group, tn_bytes largest)
{
  char size[48];
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = label_new(group->name, NULL, 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class(name, "caption");
  gtk_widget_set_hexpand(name, TRUE);
  gtk_box_append(GTK_BOX(box), name);
  GtkWidget *right = label_new(
      tn_print_bytes(size, sizeof size, group->bytes, tn_settings_get_units()), NULL, 1.0f);
  tn_view_set_figures(right);
  gtk_widget_add_css_class(right, "dim-label");
  gtk_widget_add_css_class(right, "caption");
  gtk_box_append(GTK_BOX(box), right);
  g_autofree char *tooltip =
      g_strdup_printf(ngettext("%s\n%u buffer alive at the peak, %u in all",
                               "%s\n%u buffers alive at the peak, %u in all", group->n),
                      group->name, group->n, group->n_all);
  tn_tip_set(box, tooltip);
  GtkWidget *area = gtk_drawing_area_new();
  Bar *bar = g_new0(Bar, 1);
  *bar = (Bar){group->category, largest > 0 ? (double)group->bytes / (double)largest : 0.0};
  gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(area), 5);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw_bar, bar, g_free);
  gtk_box_append(GTK_BOX(details->content), box);
  gtk_box_append(GTK_BOX(details->content), area);
}

static void
add_groups(TnDetails *details, const TnStudy *study)
{
  const GArray *groups = study->categories->groups;
  tn_bytes rest = 0, largest = groups->len ? g_array_index(groups, TnGroup, 0).bytes : 0;
  guint n_rest = 0, n = 0, n_all = 0;
  add_heading(details, _("Alive at the peak"));
  for (guint i = 0; i < groups->len; i++) {
    const TnGroup *group = &g_array_index(groups, TnGroup, i);
    if (i < 14 && group->bytes > 0) {
      add_group(details, group, largest);
    } else if (group->bytes > 0) {
      rest += group->bytes;
      n += group->n;
      n_all += group->n_all;
      n_rest++;
    }
  }
  if (n_rest) {
    g_autofree char *name = g_strdup_printf(ngettext("%u other", "%u others", n_rest), n_rest);
    TnGroup others = {
        .name = name, .bytes = rest, .n = n, .n_all = n_all, .category = TN_CATEGORY_OTHER};
    add_group(details, &others, largest);
  }
}

static void
on_finding(GtkButton *button, TnDetails *details)
{
  guint row = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "row"));
  const TnFindings *findings = tn_session_get_findings(details->session);
  if (row >= findings->rows->len)
    return;
  tn_session_show_finding(details->session, tn_findings_get(findings, row));
}

static void
add_finding(TnDetails *details, const TnFinding *finding, guint row)
{
  static const char *const classes[] = {"note", "warning", "error"};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *code = label_new(finding->code, "caption-heading", 0.0f);
  gtk_widget_add_css_class(code, classes[finding->severity]);
  GtkWidget *message = label_new(finding->message, "caption", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(message), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(message), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(GTK_BOX(box), code);
  gtk_box_append(GTK_BOX(box), message);
  if (finding->saving_bytes > 0) {
    char size[48];
    g_autofree char *text =
        g_strdup_printf(_("would save %s"), tn_print_bytes(size, sizeof size, finding->saving_bytes,
                                                           tn_settings_get_units()));
    gtk_box_append(GTK_BOX(box), label_new(text, "dim-label", 0.0f));
  }
  GtkWidget *button = gtk_button_new();
  gtk_button_set_child(GTK_BUTTON(button), box);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_add_css_class(button, "finding");
  tn_tip_set(button, finding->hint);
  g_autofree char *name = g_strdup_printf("%s: %s", finding->code, finding->message);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_object_set_data(G_OBJECT(button), "row", GUINT_TO_POINTER(row));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_finding), details, 0);
  gtk_box_append(GTK_BOX(details->content), button);
}

static void
add_findings(TnDetails *details)
{
  const TnFindings *findings = tn_session_get_findings(details->session);
  if (findings->rows->len)
    add_heading(details, _("Findings"));
  for (guint i = 0; i < findings->rows->len && i < 50; i++)
    add_finding(details, tn_findings_get(findings, i), i);
}

/* What a report says in totals only: its rows add up to its total. */
/* What holds for several in a row is said once, with the first. */
static void
add_statement(TnDetails *details, const TnAccount *account, const TnAccount *before)
{
  if (!account->statement || (before && g_strcmp0(before->statement, account->statement) == 0))
    return;
  GtkWidget *label = label_new(account->statement, "caption", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_box_append(GTK_BOX(details->content), label);
}

static void
add_account(TnDetails *details, const TnAccount *account, const TnAccount *before)
{
  add_heading(details, account->title);
  add_statement(details, account, before);
  for (guint i = 0; i < account->rows->len; i++) {
    const TnAccountRow *row = tn_account_row(account->rows, i);
    char text[48];
    add_fact(details, row->what,
             tn_print_bytes(text, sizeof text, row->bytes, tn_settings_get_units()), row->note);
  }
  if (account->total >= 0)
    add_bytes(details, account->total_what ? account->total_what : _("in all"), account->total);
  for (guint i = 0; i < account->details->len; i++)
    add_bytes(details, tn_account_row(account->details, i)->what,
              tn_account_row(account->details, i)->bytes);
}

static void
add_accounts(TnDetails *details, const TnDocument *document)
{
  guint n = MIN(document->accounts->len, 32u);
  for (guint i = 0; i < n; i++)
    add_account(details, g_ptr_array_index(document->accounts, i),
                i > 0 ? g_ptr_array_index(document->accounts, i - 1) : NULL);
}

static void
show_device(TnDetails *details, const TnStudy *study)
{
  add_accounts(details, study->document);
  if (study->buffers->n == 0) {
    add_findings(details);
    return;
  }
  add_heading(details, _("Figures"));
  add_bytes(details, _("Live peak"), study->live->peak);
  add_bytes(details, _("Reserved peak"), study->reserved ? study->reserved->peak : -1);
  add_bytes(details, _("Arena"), study->arena_bytes);
  add_bytes(details, _("Without reuse"), study->is_log ? -1 : study->no_reuse_bytes);
  add_bytes(details, _("The same, as the file says"), study->device->stated_total);
  add_bytes(details, _("Residents"), study->resident_bytes > 0 ? study->resident_bytes : -1);
  add_bytes(details, _("Inputs"), study->input_bytes);
  add_bytes(details, _("Outputs"), study->output_bytes);
  add_bytes(details, _("Before the recording"), study->before_bytes > 0 ? study->before_bytes : -1);
  add_groups(details, study);
  add_findings(details);
}

/* ---- showing -----------------------------------------------------------------------------------
 */

/* At once: two selections may be made before the first of them is shown. */
static void
note_selection(TnDetails *details)
{
  const TnStudy *study = tn_session_get_study(details->session);
  tn_index selected = tn_session_get_view(details->session)->selected;
  if (details->noted_study != study)
    details->before = TN_NONE;
  else if (details->noted != TN_NONE && details->noted != selected)
    details->before = details->noted;
  details->noted_study = study;
  details->noted = selected;
}

static void
refresh(TnDetails *details)
{
  const TnStudy *study = tn_session_get_study(details->session);
  tn_index selected = tn_session_get_view(details->session)->selected;
  if (details->shown_study == study && details->shown == selected)
    return;
  note_selection(details);
  details->shown_study = study;
  details->shown = selected;
  details->facts = NULL;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(details->content)))
    gtk_box_remove(GTK_BOX(details->content), child);
  if (selected != TN_NONE)
    show_buffer(details, study, selected);
  else
    show_device(details, study);
}

static void
on_changed(TnSession *session, TnDetails *details)
{
  refresh(details);
}

static gboolean
on_idle(gpointer data)
{
  TnDetails *details = data;
  details->idle = 0;
  refresh(details);
  return G_SOURCE_REMOVE;
}

#define FOLLOWS_AFTER 20 /* ms: more than a frame */

/* Another column of facts is laid out anew, which takes longer than a frame that outlines the selection:
 * that one is painted first. */
static void
on_selected(TnSession *session, TnDetails *details)
{
  bool is_shown = details->shown_study == tn_session_get_study(session) &&
                  details->shown == tn_session_get_view(session)->selected;
  note_selection(details);
  if (!is_shown && !details->idle)
    details->idle = g_timeout_add(FOLLOWS_AFTER, on_idle, details);
}

static void
on_units(TnSession *session, TnDetails *details)
{
  details->shown_study = NULL;
  refresh(details);
}

static void
dispose(GObject *object)
{
  g_clear_handle_id(&TN_DETAILS(object)->idle, g_source_remove);
  g_clear_object(&TN_DETAILS(object)->session);
  TN_DETAILS(object)->facts = NULL;
  G_OBJECT_CLASS(tn_details_parent_class)->dispose(object);
}

static void
tn_details_class_init(TnDetailsClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_details_init(TnDetails *details)
{
  details->shown = details->noted = details->before = TN_NONE;
  details->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_size_request(GTK_WIDGET(details), 262, -1);
  gtk_widget_add_css_class(GTK_WIDGET(details), "details");
  gtk_box_append(GTK_BOX(details), tn_view_scroller_new(details->content, 14, 8, 14));
}

/* Who asks sees what is selected. */
static void
catch_up(TnDetails *details)
{
  if (!details->idle)
    return;
  g_clear_handle_id(&details->idle, g_source_remove);
  refresh(details);
}

tn_index
tn_details_get_shown(TnDetails *details)
{
  catch_up(details);
  return details->shown;
}

const char *
tn_details_get_sharing(TnDetails *details)
{
  catch_up(details);
  return details->facts ? tn_plan_facts_get_sharing(details->facts) : NULL;
}

GtkWidget *
tn_details_new(TnSession *session)
{
  TnDetails *details = g_object_new(TN_TYPE_DETAILS, NULL);
  details->session = g_object_ref(session);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selected), details, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_changed), details, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units), details, 0);
  refresh(details);
  return GTK_WIDGET(details);
}
