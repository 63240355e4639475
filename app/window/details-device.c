/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/details-parts.h"

#include "app/window/facts.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>

/* A widget each: what the pane can hold without a pause. */
enum { MOST_FINDINGS = 50, MOST_ACCOUNTS = 32 };

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
add_group(GtkBox *content, const TnGroup *group, tn_bytes largest)
{
  char size[48];
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = tn_facts_label_new(group->name, NULL, 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class(name, "caption");
  gtk_widget_set_hexpand(name, TRUE);
  gtk_box_append(GTK_BOX(box), name);
  GtkWidget *right = tn_facts_label_new(
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
  gtk_box_append(content, box);
  gtk_box_append(content, area);
}

static void
add_groups(GtkBox *content, const TnStudy *study)
{
  const GArray *groups = study->categories->groups;
  tn_bytes rest = 0, largest = groups->len ? g_array_index(groups, TnGroup, 0).bytes : 0;
  guint n_rest = 0, n = 0, n_all = 0;
  tn_facts_add_heading(content, _("Alive at the peak"));
  for (guint i = 0; i < groups->len; i++) {
    const TnGroup *group = &g_array_index(groups, TnGroup, i);
    if (i < 14 && group->bytes > 0) {
      add_group(content, group, largest);
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
    add_group(content, &others, largest);
  }
}

static void
on_finding(GtkButton *button, TnSession *session)
{
  guint row = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "row"));
  const TnFindings *findings = tn_session_get_findings(session);
  if (row >= findings->rows->len)
    return;
  tn_session_show_finding(session, tn_findings_get(findings, row));
}

static void
add_finding(GtkBox *content, TnSession *session, const TnFinding *finding, guint row)
{
  static const char *const classes[] = {"note", "warning", "error"};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *code = tn_facts_label_new(finding->code, "caption-heading", 0.0f);
  gtk_widget_add_css_class(code, classes[finding->severity]);
  GtkWidget *message = tn_facts_label_new(finding->message, "caption", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(message), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(message), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(GTK_BOX(box), code);
  gtk_box_append(GTK_BOX(box), message);
  if (finding->saving_bytes > 0) {
    char size[48];
    g_autofree char *text =
        g_strdup_printf(_("would save %s"), tn_print_bytes(size, sizeof size, finding->saving_bytes,
                                                           tn_settings_get_units()));
    gtk_box_append(GTK_BOX(box), tn_facts_label_new(text, "dim-label", 0.0f));
  }
  GtkWidget *button = gtk_button_new();
  gtk_button_set_child(GTK_BUTTON(button), box);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_add_css_class(button, "finding");
  tn_tip_set(button, finding->hint);
  g_autofree char *name = g_strdup_printf("%s: %s", finding->code, finding->message);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_object_set_data(G_OBJECT(button), "row", GUINT_TO_POINTER(row));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_finding), session, 0);
  gtk_box_append(content, button);
}

static void
add_note(GtkBox *content, const char *text)
{
  GtkWidget *label = tn_facts_label_new(text, "caption", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(content, label);
}

/* What is not shown is counted. */
static void
add_more(GtkBox *content, guint n, guint shown)
{
  g_autofree char *text = n > shown ? g_strdup_printf(_("and %u more"), n - shown) : NULL;
  if (text)
    add_note(content, text);
}

static void
add_findings(GtkBox *content, TnSession *session)
{
  const TnFindings *findings = tn_session_get_findings(session);
  if (findings->rows->len)
    tn_facts_add_heading(content, _("Findings"));
  for (guint i = 0; i < findings->rows->len && i < MOST_FINDINGS; i++)
    add_finding(content, session, tn_findings_get(findings, i), i);
  add_more(content, findings->rows->len, MOST_FINDINGS);
}

/* What holds for several in a row is said once, with the first. */
static void
add_statement(GtkBox *content, const TnAccount *account, const TnAccount *before)
{
  if (!account->statement || (before && g_strcmp0(before->statement, account->statement) == 0))
    return;
  add_note(content, account->statement);
}

/* With the size to the byte beside the pointer, and what the report says of it. */
static void
add_account_row(GtkBox *content, const TnAccountRow *row)
{
  char text[48], exact[48];
  tn_print_bytes(exact, sizeof exact, row->bytes, TN_UNITS_BYTES);
  g_autofree char *tip = row->note ? g_strdup_printf("%s\n%s", exact, row->note) : g_strdup(exact);
  tn_facts_add(content, row->what,
               tn_print_bytes(text, sizeof text, row->bytes, tn_settings_get_units()), tip);
}

/* What a report says in totals only: its rows add up to its total. */
static void
add_account(GtkBox *content, const TnAccount *account, const TnAccount *before)
{
  tn_facts_add_heading(content, account->title);
  add_statement(content, account, before);
  for (guint i = 0; i < account->rows->len; i++)
    add_account_row(content, tn_account_row(account->rows, i));
  if (account->total >= 0)
    tn_facts_add_bytes(content, account->total_what ? account->total_what : _("in all"), account->total);
  for (guint i = 0; i < account->details->len; i++)
    add_account_row(content, tn_account_row(account->details, i));
}

static void
add_accounts(GtkBox *content, const TnDocument *document)
{
  guint n = document->accounts->len;
  for (guint i = 0; i < MIN(n, MOST_ACCOUNTS); i++)
    add_account(content, g_ptr_array_index(document->accounts, i),
                i > 0 ? g_ptr_array_index(document->accounts, i - 1) : NULL);
  add_more(content, n, MOST_ACCOUNTS);
}

void
tn_details_fill_device(GtkBox *content, TnSession *session)
{
  const TnStudy *study = tn_session_get_study(session);
  add_accounts(content, study->document);
  if (study->buffers->n == 0) {
    add_findings(content, session);
    return;
  }
  tn_facts_add_heading(content, _("Figures"));
  tn_facts_add_bytes(content, _("Live peak"), study->live->peak);
  tn_facts_add_bytes(content, _("Reserved peak"), study->reserved ? study->reserved->peak : -1);
  tn_facts_add_bytes(content, _("Arena"), study->arena_bytes);
  tn_facts_add_bytes(content, _("Without reuse"), study->is_log ? -1 : study->no_reuse_bytes);
  tn_facts_add_bytes(content, _("The same, as the file says"), study->device->stated_total);
  tn_facts_add_bytes(content, _("Residents"), study->resident_bytes > 0 ? study->resident_bytes : -1);
  tn_facts_add_bytes(content, _("Inputs"), study->input_bytes);
  tn_facts_add_bytes(content, _("Outputs"), study->output_bytes);
  tn_facts_add_bytes(content, _("Before the recording"), study->before_bytes > 0 ? study->before_bytes : -1);
  add_groups(content, study);
  add_findings(content, session);
}
