/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-causes.h"

#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _TnDiffCauses {
  GtkBox parent_instance;
  TnDiffModel *model;
  GtkWidget *content, *buttons[TN_N_CAUSES]; /* NULL: not a cause here, or one without buffers */
  bool is_following;
};

G_DEFINE_TYPE(TnDiffCauses, tn_diff_causes, GTK_TYPE_BOX)

static const TnTheme *
get_theme(void)
{
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  return is_dark ? tn_theme_dark() : tn_theme_light();
}

static char *
dup_delta(tn_bytes bytes)
{
  g_autofree char *size = tn_format_bytes(ABS(bytes), tn_settings_get_units());
  return g_strdup_printf("%s%s", bytes > 0 ? "+" : bytes < 0 ? "−" : "", size);
}

static GtkWidget *
label_new(const char *text, const char *class, float xalign)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

/* In the colour of what B has more or less of. */
static GtkWidget *
delta_new(tn_bytes bytes)
{
  g_autofree char *text = dup_delta(bytes);
  const TnTheme *theme = get_theme();
  GtkWidget *label = label_new(NULL, NULL, 1.0f);
  tn_view_set_figures(label);
  uint32_t color = bytes > 0 ? theme->larger : bytes < 0 ? theme->smaller : theme->text;
  g_autofree char *markup =
      g_markup_printf_escaped("<span foreground=\"#%06x\"><b>%s</b></span>", color, text);
  gtk_label_set_markup(GTK_LABEL(label), markup);
  return label;
}

/* ---- figures -----------------------------------------------------------------------------------
 */

static void
add_figure(GtkWidget *grid, int *row, const char *what, tn_bytes a, tn_bytes b)
{
  TnUnits units = tn_settings_get_units();
  if (a < 0 || b < 0)
    return;
  g_autofree char *left = tn_format_bytes(a, units), *right = tn_format_bytes(b, units);
  gtk_grid_attach(GTK_GRID(grid), label_new(what, "dim-label", 0.0f), 0, *row, 2, 1);
  gtk_grid_attach(GTK_GRID(grid), delta_new(b - a), 2, (*row)++, 1, 1);
  gtk_grid_attach(GTK_GRID(grid), label_new("A", "dim-label", 0.0f), 0, *row, 1, 1);
  g_autofree char *both = g_strdup_printf("%s  →  B %s", left, right);
  GtkWidget *figures = label_new(both, "numeric", 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(figures), PANGO_ELLIPSIZE_END);
  tn_tip_set(figures, both);
  gtk_widget_set_hexpand(figures, TRUE);
  gtk_grid_attach(GTK_GRID(grid), figures, 1, (*row)++, 2, 1);
}

static void
add_figures(TnDiffCauses *causes, const TnDiff *diff)
{
  GtkWidget *grid = gtk_grid_new();
  const TnStudy *a = diff->a, *b = diff->b;
  int row = 0;
  gtk_grid_set_column_spacing(GTK_GRID(grid), 6);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 1);
  add_figure(grid, &row, _("Live peak"), a->live->peak, b->live->peak);
  add_figure(grid, &row, _("Arena"), a->arena_bytes, b->arena_bytes);
  if (a->reserved && b->reserved)
    add_figure(grid, &row, _("Reserved peak"), a->reserved->peak, b->reserved->peak);
  if (a->resident_bytes || b->resident_bytes)
    add_figure(grid, &row, _("Residents"), a->resident_bytes, b->resident_bytes);
  gtk_box_append(GTK_BOX(causes->content), grid);
}

/* ---- causes ------------------------------------------------------------------------------------
 */

typedef struct {
  double share; /* of the largest cause, -1 to 1 */
} Bar;

/* From the middle: to the right B holds more, hatched; to the left less, plain. */
static void
draw_bar(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Bar *bar = data;
  const TnTheme *theme = get_theme();
  double middle = width / 2.0, length = MAX(fabs(bar->share) * middle, 1.0);
  bool is_larger = bar->share > 0;
  uint32_t color = is_larger ? theme->larger : theme->smaller;
  TnPaint paint = {.cr = cr,
                   .theme = theme,
                   .scale = gtk_widget_get_scale_factor(GTK_WIDGET(area)),
                   .text_scale = 1.0};
  TnRect rect = {is_larger ? middle : middle - length, 1.0, length, height - 2.0};
  tn_paint_rect(&paint, rect, is_larger ? tn_color_mix(color, theme->panel, 0.35) : color);
  if (is_larger)
    tn_paint_hatch(&paint, rect, color, 4.0);
  tn_paint_vline(&paint, middle, 0.0, height, theme->secondary);
}

static GtkWidget *
bar_new(double share)
{
  GtkWidget *area = gtk_drawing_area_new();
  Bar *bar = g_new0(Bar, 1);
  bar->share = share;
  gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(area), 8);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw_bar, bar, g_free);
  return area;
}

static void
on_toggled(GtkToggleButton *button, TnDiffCauses *causes)
{
  TnDiffFilter filter = *tn_diff_model_get_filter(causes->model);
  if (causes->is_following)
    return;
  filter.cause = TN_N_CAUSES;
  for (unsigned i = 0; i < TN_N_CAUSES; i++)
    if (causes->buttons[i] == GTK_WIDGET(button) && gtk_toggle_button_get_active(button))
      filter.cause = i;
  tn_diff_model_set_filter(causes->model, &filter);
}

static GtkWidget *
make_cause(const TnDiff *diff, unsigned cause, double largest)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *below = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  tn_bytes bytes = diff->cause[cause];
  char count[32] = "";
  g_autofree char *text =
      g_strdup_printf("%s %s", bytes > 0 ? "▲" : "▼", tn_diff_cause_title((TnDiffCause)cause));
  if (diff->cause_n[cause])
    tn_print_count(count, sizeof count, diff->cause_n[cause]);
  GtkWidget *name = label_new(text, NULL, 0.0f), *number = label_new(count, "dim-label", 1.0f);
  GtkWidget *bar = bar_new((double)bytes / largest);
  gtk_label_set_wrap(GTK_LABEL(name), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(number), 6);
  gtk_widget_add_css_class(number, "caption");
  gtk_widget_set_hexpand(name, TRUE);
  gtk_widget_set_hexpand(bar, TRUE);
  gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(line), name);
  gtk_box_append(GTK_BOX(line), delta_new(bytes));
  gtk_box_append(GTK_BOX(below), bar);
  gtk_box_append(GTK_BOX(below), number);
  gtk_box_append(GTK_BOX(box), line);
  gtk_box_append(GTK_BOX(box), below);
  return box;
}

/* A cause that buffers have a part in is a button. */
static void
add_cause(TnDiffCauses *causes, const TnDiff *diff, unsigned cause, double largest)
{
  GtkWidget *row = make_cause(diff, cause, largest);
  if (!diff->cause_n[cause]) {
    gtk_widget_add_css_class(row, "cause");
    gtk_box_append(GTK_BOX(causes->content), row);
    return;
  }
  GtkWidget *button = causes->buttons[cause] = gtk_toggle_button_new();
  gtk_button_set_child(GTK_BUTTON(button), row);
  gtk_button_set_has_frame(GTK_BUTTON(button), FALSE);
  gtk_widget_add_css_class(button, "cause");
  tn_tip_set(button, _("Show its buffers alone"));
  g_autofree char *delta = dup_delta(diff->cause[cause]);
  g_autofree char *name = g_strdup_printf("%s: %s", tn_diff_cause_title((TnDiffCause)cause), delta);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect(button, "toggled", G_CALLBACK(on_toggled), causes);
  gtk_box_append(GTK_BOX(causes->content), button);
}

static void
add_sum(TnDiffCauses *causes, tn_bytes sum)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = label_new(_("sum = B − A"), "heading", 0.0f);
  gtk_widget_set_hexpand(name, TRUE);
  gtk_widget_add_css_class(line, "cause");
  gtk_box_append(GTK_BOX(line), name);
  gtk_box_append(GTK_BOX(line), delta_new(sum));
  gtk_box_append(GTK_BOX(causes->content), gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append(GTK_BOX(causes->content), line);
}

static void
add_causes(TnDiffCauses *causes, const TnDiff *diff)
{
  unsigned n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  double largest = 1.0;
  const char *title =
      diff->has_arena ? _("Why the arena is another") : _("Why the live peak is another");
  GtkWidget *heading = label_new(title, "heading", 0.0f);
  gtk_widget_set_margin_top(heading, 12);
  gtk_widget_set_margin_bottom(heading, 4);
  gtk_box_append(GTK_BOX(causes->content), heading);
  for (unsigned i = 0; i < n; i++)
    largest = MAX(largest, fabs((double)diff->cause[i]));
  for (unsigned i = 0; i < n; i++)
    if (diff->cause[i])
      add_cause(causes, diff, i, largest);
  add_sum(causes, diff->has_arena ? diff->arena_delta : diff->live_delta);
}

/* ---- the legend --------------------------------------------------------------------------------
 */

static void
add_legend_row(TnDiffCauses *causes, const TnTheme *theme, TnDelta delta, uint32_t n)
{
  char count[32];
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = label_new(NULL, NULL, 0.0f), *number;
  g_autofree char *markup = g_markup_printf_escaped("<span foreground=\"#%06x\">■</span>  %s",
                                                    theme->category[delta], tn_delta_title(delta));
  gtk_label_set_markup(GTK_LABEL(name), markup);
  gtk_widget_set_hexpand(name, TRUE);
  number = label_new(tn_print_count(count, sizeof count, n), "numeric", 1.0f);
  gtk_widget_add_css_class(number, "dim-label");
  gtk_box_append(GTK_BOX(line), name);
  gtk_box_append(GTK_BOX(line), number);
  gtk_box_append(GTK_BOX(causes->content), line);
}

static void
add_legend(TnDiffCauses *causes, const TnDiff *diff)
{
  uint32_t n[TN_N_DELTAS] = {0};
  TnTheme theme;
  GtkWidget *heading = label_new(_("Buffers"), "heading", 0.0f);
  tn_diff_theme_init(&theme, get_theme());
  for (uint32_t i = 0; i < diff->n; i++)
    n[tn_delta_of(diff->pairs[i].changes)]++;
  gtk_widget_set_margin_top(heading, 12);
  gtk_widget_set_margin_bottom(heading, 4);
  gtk_box_append(GTK_BOX(causes->content), heading);
  for (int i = 0; i < TN_N_DELTAS; i++)
    if (n[i])
      add_legend_row(causes, &theme, (TnDelta)i, n[i]);
}

/* ---- following ---------------------------------------------------------------------------------
 */

static void
follow_filter(TnDiffModel *model, TnDiffCauses *causes)
{
  causes->is_following = true;
  for (unsigned i = 0; i < TN_N_CAUSES; i++)
    if (causes->buttons[i])
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(causes->buttons[i]),
                                   tn_diff_model_get_filter(model)->cause == i);
  causes->is_following = false;
}

static void
fill(TnDiffModel *model, TnDiffCauses *causes)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(causes->content)))
    gtk_box_remove(GTK_BOX(causes->content), child);
  memset(causes->buttons, 0, sizeof causes->buttons);
  if (!diff)
    return;
  add_figures(causes, diff);
  add_causes(causes, diff);
  add_legend(causes, diff);
  follow_filter(model, causes);
}

static void
on_style(AdwStyleManager *manager, GParamSpec *pspec, TnDiffCauses *causes)
{
  fill(causes->model, causes);
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_DIFF_CAUSES(object)->model);
  G_OBJECT_CLASS(tn_diff_causes_parent_class)->dispose(object);
}

static void
tn_diff_causes_class_init(TnDiffCausesClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_diff_causes_init(TnDiffCauses *causes)
{
  causes->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_add_css_class(GTK_WIDGET(causes), "details");
  gtk_widget_set_size_request(GTK_WIDGET(causes), 268, -1);
  gtk_box_append(GTK_BOX(causes), tn_view_scroller_new(causes->content, 12, 10, 10));
}

GtkWidget *
tn_diff_causes_new(TnDiffModel *model)
{
  TnDiffCauses *causes = g_object_new(TN_TYPE_DIFF_CAUSES, NULL);
  causes->model = g_object_ref(model);
  g_signal_connect_object(model, "compared", G_CALLBACK(fill), causes, 0);
  g_signal_connect_object(model, "units-changed", G_CALLBACK(fill), causes, 0);
  g_signal_connect_object(model, "filter-changed", G_CALLBACK(follow_filter), causes, 0);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(on_style),
                          causes, 0);
  fill(model, causes);
  return GTK_WIDGET(causes);
}
