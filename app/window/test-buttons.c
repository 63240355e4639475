/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/test-buttons.h"

#include "app/window/tip.h"

#include <stdbool.h>
#include <string.h>

/* The first text in a widget, "" where there is none. */
static const char *
text_in(GtkWidget *widget)
{
  const char *text = GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : "";
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !text[0];
       child = gtk_widget_get_next_sibling(child))
    text = text_in(child);
  return text;
}

static const char *
label_of(GtkWidget *button)
{
  const char *tip = tn_tip_get(button);
  const char *text = GTK_IS_DROP_DOWN(button) ? "" : text_in(button);
  return text[0] ? text : tip ? tip : "";
}

static void
append(GString *out, GtkWidget *root, GtkWidget *button)
{
  double x, y, left, top;
  g_autofree char *label = g_strescape(label_of(button), NULL);
  /* g_strescape() writes octal, which JSON has not. */
  if (!label[0] || strchr(label, '\\') ||
      !gtk_widget_translate_coordinates(button, root, 0, 0, &x, &y))
    return;
  gtk_native_get_surface_transform(GTK_NATIVE(root), &left, &top);
  g_string_append_printf(out, "%s\"%s\": [%d, %d, %d, %d]",
                         g_str_has_suffix(out->str, "{") ? "" : ", ", label, (int)(x + left),
                         (int)(y + top), gtk_widget_get_width(button),
                         gtk_widget_get_height(button));
}

/* The rows of a table are many, and no buttons. */
static bool
is_rows(GtkWidget *widget)
{
  return g_strcmp0(G_OBJECT_TYPE_NAME(widget), "GtkColumnListView") == 0;
}

static void
walk(GString *out, GtkWidget *root, GtkWidget *widget)
{
  bool is_button = GTK_IS_BUTTON(widget) || GTK_IS_MENU_BUTTON(widget) || GTK_IS_DROP_DOWN(widget);
  if (!gtk_widget_get_child_visible(widget) || !gtk_widget_get_visible(widget) ||
      GTK_IS_POPOVER(widget) || is_rows(widget))
    return;
  if (is_button)
    append(out, root, widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !is_button;
       child = gtk_widget_get_next_sibling(child))
    walk(out, root, child);
}

void
tn_test_buttons_append(GString *out, GtkWidget *root)
{
  g_string_append(out, ", \"buttons\": {");
  walk(out, root, root);
  g_string_append(out, "}");
}
