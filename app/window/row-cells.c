/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/row-cells.h"

#include "app/window/column-cells.h"
#include "app/window/view-parts.h"

#include <math.h>

#define PAD_X 6.0 /* as the theme's cells, and its titles */

struct _TnRowCells {
  GtkWidget parent_instance;
  GtkColumnView *view; /* borrowed: the row is within it */
  GtkListItem *item;   /* borrowed: holds this */
  char *name, *said;
};

G_DEFINE_TYPE(TnRowCells, tn_row_cells, GTK_TYPE_WIDGET)

/* ---- texts ------------------------------------------------------------------------------------- */

static char *
dup_cell(const TnRowCells *cells, const TnCellText *text)
{
  GObject *item = gtk_list_item_get_item(cells->item);
  return item ? text->dup_cell(item, text->column, text->data) : g_strdup("");
}

char *
tn_row_cells_dup_text(TnRowCells *cells)
{
  GListModel *columns = gtk_column_view_get_columns(cells->view);
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    g_autofree char *text = dup_cell(cells, tn_column_cells_get(column));
    const char *title = gtk_column_view_column_get_title(column);
    if (text[0])
      g_string_append_printf(out, "%s%s%s%s", out->len ? ", " : "", title ? title : "",
                             title && title[0] ? " " : "", text);
  }
  return g_string_free(out, FALSE);
}

/* Rows that nobody sees are not spoken of. */
static void
describe(TnRowCells *cells)
{
  g_autofree char *text = tn_row_cells_dup_text(cells);
  if (g_strcmp0(text, cells->said) == 0)
    return;
  g_free(cells->said);
  cells->said = g_steal_pointer(&text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(cells), GTK_ACCESSIBLE_PROPERTY_LABEL, cells->said, -1);
}

/* ---- drawing ----------------------------------------------------------------------------------- */

/* A sign stands before its figure in languages from right to left too. */
static PangoLayout *
new_from_left(GtkWidget *widget)
{
  PangoContext *context = gtk_widget_create_pango_context(widget);
  pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
  PangoLayout *layout = pango_layout_new(context);
  g_object_unref(context);
  return layout;
}

static PangoLayout *
in_one_line(PangoLayout *layout)
{
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  return layout;
}

static PangoLayout *
new_names(GtkWidget *widget)
{
  return in_one_line(gtk_widget_create_pango_layout(widget, NULL));
}

/* Figures of one width. */
static PangoLayout *
new_figures(GtkWidget *widget)
{
  bool is_mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
  PangoLayout *layout = is_mirrored ? new_from_left(widget) : gtk_widget_create_pango_layout(widget, NULL);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
  pango_layout_set_attributes(layout, attributes);
  pango_layout_set_auto_dir(layout, FALSE);
  return in_one_line(layout);
}

static void
set_words(PangoLayout *layout, const char *words)
{
  g_autofree char *shown = tn_elide_middle(words, TN_VIEW_NAME_CHARS);
  pango_layout_set_text(layout, shown, -1);
}

/* The text in its cell, at its right or at its left. */
static void
append_text(GtkSnapshot *snapshot, PangoLayout *layout, const graphene_rect_t *cell, bool is_at_right, const GdkRGBA *color)
{
  PangoRectangle box;
  double room = cell->size.width - 2 * PAD_X;
  if (room < 1.0)
    return;
  pango_layout_set_width(layout, (int)floor(room) * PANGO_SCALE);
  pango_layout_get_pixel_extents(layout, NULL, &box);
  double x = cell->origin.x + PAD_X - box.x + (is_at_right ? floor(room) - box.width : 0.0);
  double y = floor((cell->size.height - box.height) / 2.0);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)floor(x), (float)y));
  gtk_snapshot_append_layout(snapshot, layout, color);
  gtk_snapshot_restore(snapshot);
}

/* A cell stands below its title. */
static void
draw_cells(TnRowCells *cells, GtkSnapshot *snapshot, PangoLayout *const layouts[2], const GdkRGBA *color)
{
  GListModel *columns = gtk_column_view_get_columns(cells->view);
  GtkWidget *head = gtk_widget_get_first_child(GTK_WIDGET(cells->view));
  bool is_mirrored = gtk_widget_get_direction(GTK_WIDGET(cells)) == GTK_TEXT_DIR_RTL;
  float height = (float)gtk_widget_get_height(GTK_WIDGET(cells));
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    GtkWidget *title = tn_column_cells_find_title(cells->view, column);
    const TnCellText *text = tn_column_cells_get(column);
    g_autofree char *words = dup_cell(cells, text);
    PangoLayout *layout = layouts[text->is_number];
    graphene_rect_t cell;
    if (words[0] && title && gtk_widget_compute_bounds(title, head, &cell)) {
      cell.size.height = height;
      set_words(layout, words);
      append_text(snapshot, layout, &cell, text->is_number || is_mirrored, color);
    }
  }
}

static void
snapshot_row(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnRowCells *cells = TN_ROW_CELLS(widget);
  g_autoptr(PangoLayout) names = new_names(widget), figures = new_figures(widget);
  GdkRGBA color;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  draw_cells(cells, snapshot, (PangoLayout *const[]){names, figures}, &color);
  describe(cells);
}

/* ---- tips -------------------------------------------------------------------------------------- */

/* All of a text that its cell has no room for. */
static char *
dup_shortened(TnRowCells *cells, const TnCellText *text, double room)
{
  g_autofree char *words = dup_cell(cells, text);
  GtkWidget *widget = GTK_WIDGET(cells);
  g_autoptr(PangoLayout) layout = text->is_number ? new_figures(widget) : new_names(widget);
  set_words(layout, words);
  pango_layout_set_width(layout, (int)floor(room) * PANGO_SCALE);
  return pango_layout_is_ellipsized(layout) ? tn_elide_middle(words, TN_VIEW_TIP_CHARS) : NULL;
}

static gboolean
query_tooltip(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  TnRowCells *cells = TN_ROW_CELLS(widget);
  GListModel *columns = gtk_column_view_get_columns(cells->view);
  GtkWidget *head = gtk_widget_get_first_child(GTK_WIDGET(cells->view));
  g_autofree char *words = NULL;
  for (guint i = 0; i < g_list_model_get_n_items(columns) && !words; i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    GtkWidget *title = tn_column_cells_find_title(cells->view, column);
    graphene_rect_t cell;
    if (title && gtk_widget_compute_bounds(title, head, &cell) && x >= cell.origin.x && x < cell.origin.x + cell.size.width)
      words = dup_shortened(cells, tn_column_cells_get(column), cell.size.width - 2 * PAD_X);
  }
  gtk_tooltip_set_text(tooltip, words);
  return words != NULL;
}

/* ---- size -------------------------------------------------------------------------------------- */

/* As wide as the titles make it, as high as a line of text. */
static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  PangoFontMetrics *metrics = pango_context_get_metrics(gtk_widget_get_pango_context(widget), NULL, NULL);
  *minimum = *natural = PANGO_PIXELS_CEIL(pango_font_metrics_get_height(metrics));
  pango_font_metrics_unref(metrics);
}

/* ---- making ------------------------------------------------------------------------------------ */

static void
finalize(GObject *object)
{
  g_free(TN_ROW_CELLS(object)->name);
  g_free(TN_ROW_CELLS(object)->said);
  G_OBJECT_CLASS(tn_row_cells_parent_class)->finalize(object);
}

static void
tn_row_cells_class_init(TnRowCellsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->finalize = finalize;
  widget_class->snapshot = snapshot_row;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_css_name(widget_class, "cells");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GRID_CELL);
}

static void
tn_row_cells_init(TnRowCells *cells)
{
  gtk_widget_set_has_tooltip(GTK_WIDGET(cells), TRUE);
}

GtkWidget *
tn_row_cells_new(GtkColumnView *view, GtkListItem *item)
{
  TnRowCells *cells = g_object_new(TN_TYPE_ROW_CELLS, NULL);
  cells->view = view;
  cells->item = item;
  return GTK_WIDGET(cells);
}

void
tn_row_cells_set_name(TnRowCells *cells, const char *name)
{
  g_free(cells->name);
  cells->name = g_strdup(name);
  if (cells->said)
    gtk_accessible_reset_property(GTK_ACCESSIBLE(cells), GTK_ACCESSIBLE_PROPERTY_LABEL); /* of the row before */
  g_clear_pointer(&cells->said, g_free);
}

const char *
tn_row_cells_get_name(TnRowCells *cells)
{
  return cells->name;
}
