/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/test-layout.h"

#include "app/window/row-cells.h"
#include "app/window/tip.h"

#include "data/json.h"

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdbool.h>

enum {
  LEADING = 4, /* pixels of a line above and below its letters */
};

/* What a widget above it does not show, unless it can be scrolled to. */
static bool
is_outside(GtkWidget *widget)
{
  graphene_rect_t r;
  for (GtkWidget *at = gtk_widget_get_parent(widget); at; at = gtk_widget_get_parent(at)) {
    if (GTK_IS_SCROLLABLE(at) || GTK_IS_COLUMN_VIEW(gtk_widget_get_parent(at)))
      return false;
    if (gtk_widget_compute_bounds(widget, at, &r) &&
        (r.origin.x < -1 || r.origin.y < -LEADING ||
         r.origin.x + r.size.width > (float)gtk_widget_get_width(at) + 1 ||
         r.origin.y + r.size.height > (float)gtk_widget_get_height(at) + LEADING))
      return true;
    if (GTK_IS_NATIVE(at))
      return false;
  }
  return false;
}

static bool
is_cut(GtkWidget *widget)
{
  int natural;
  if ((GTK_IS_LABEL(widget) || GTK_IS_BUTTON(widget)) && is_outside(widget))
    return true;
  if (!GTK_IS_LABEL(widget))
    return false;
  if (pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(widget))))
    return true;
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return !gtk_label_get_wrap(GTK_LABEL(widget)) && gtk_widget_get_width(widget) < natural - 1 &&
         gtk_label_get_ellipsize(GTK_LABEL(widget)) == PANGO_ELLIPSIZE_NONE;
}

static const char *
text_of(GtkWidget *widget)
{
  return GTK_IS_LABEL(widget)         ? gtk_label_get_text(GTK_LABEL(widget))
         : GTK_IS_INSCRIPTION(widget) ? gtk_inscription_get_text(GTK_INSCRIPTION(widget))
         : TN_IS_ROW_CELLS(widget)    ? tn_row_cells_get_name(TN_ROW_CELLS(widget))
         : GTK_IS_TEXT(widget)        ? gtk_editable_get_text(GTK_EDITABLE(widget))
                                      : NULL;
}

static void
append_text(GString *out, const char *name, const char *text)
{
  if (!text || !text[0])
    return;
  g_string_append_printf(out, ", \"%s\": ", name);
  tn_json_append_string(out, text);
}

static void
append_widget(GString *out, GtkWidget *root, GtkWidget *widget)
{
  graphene_rect_t r;
  if (!gtk_widget_compute_bounds(widget, root, &r))
    return;
  g_string_append_printf(out, "%s\n{\"type\": \"%s\", \"rect\": [%d, %d, %d, %d]",
                         g_str_has_suffix(out->str, "[") ? "" : ",", G_OBJECT_TYPE_NAME(widget),
                         (int)r.origin.x, (int)r.origin.y, (int)r.size.width, (int)r.size.height);
  append_text(out, "text", text_of(widget));
  append_text(out, "tip", tn_tip_get(widget));
  if (is_cut(widget))
    g_string_append(out, ", \"is_cut\": true");
  if (gtk_widget_get_focusable(widget) && gtk_widget_is_sensitive(widget))
    g_string_append(out, ", \"can_focus\": true");
  if (gtk_widget_is_focus(widget))
    g_string_append(out, ", \"has_focus\": true");
  g_string_append_c(out, '}');
}

static void
walk(GString *out, GtkWidget *root, GtkWidget *widget)
{
  if (!gtk_widget_get_mapped(widget) || !gtk_widget_get_child_visible(widget))
    return;
  append_widget(out, root, widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    walk(out, root, child);
}

static void
append_window(GString *out, GtkWidget *window)
{
  int width, height;
  gtk_widget_measure(window, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure(window, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width(window), &height, NULL,
                     NULL, NULL);
  const char *title = gtk_window_get_title(GTK_WINDOW(window));
  g_string_append(out, g_str_has_suffix(out->str, "[") ? "{\"title\": " : ",\n{\"title\": ");
  tn_json_append_string(out, title ? title : "");
  g_string_append_printf(out, ", \"size\": [%d, %d], \"least\": [%d, %d], \"widgets\": [",
                         gtk_widget_get_width(window), gtk_widget_get_height(window), width,
                         height);
  walk(out, window, window);
  g_string_append(out, "]}");
}

static gboolean
write_layout(gpointer path)
{
  GListModel *windows = gtk_window_get_toplevels();
  g_autoptr(GString) out = g_string_new("{\"windows\": [");
  for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
    if (gtk_widget_get_mapped(window))
      append_window(out, window);
  }
  g_string_append(out, "]}\n");
  g_file_set_contents(path, out->str, (gssize)out->len, NULL);
  return G_SOURCE_CONTINUE;
}

void
tn_test_layout_start(void)
{
  const char *path = g_getenv("TENURE_LAYOUT_FILE");
  if (path && path[0])
    g_unix_signal_add(SIGUSR1, write_layout, (gpointer)path);
}
