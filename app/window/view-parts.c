/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/view-parts.h"

#include "app/window/settings.h"
#include "app/window/tip.h"

#include <adwaita.h>

GtkWidget *
tn_view_label_new(const char *class)
{
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(label, TRUE);
  gtk_widget_add_css_class(label, class);
  return tn_tip_whole(label);
}

GtkWidget *
tn_view_spoken(GtkWidget *button)
{
  gtk_accessible_reset_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL);
  return button;
}

static void
name_chosen(GtkDropDown *drop_down, GParamSpec *pspec, gpointer name)
{
  gpointer item = gtk_drop_down_get_selected_item(drop_down);
  GtkWidget *button = gtk_widget_get_first_child(GTK_WIDGET(drop_down));
  g_autofree char *text =
      g_strdup_printf("%s: %s", (const char *)name,
                      GTK_IS_STRING_OBJECT(item) ? gtk_string_object_get_string(item) : "");
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
free_name(gpointer name, GClosure *closure)
{
  g_free(name);
}

void
tn_view_name_drop_down(GtkWidget *drop_down, const char *name)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 -1);
  g_signal_connect_data(drop_down, "notify::selected-item", G_CALLBACK(name_chosen), g_strdup(name),
                        free_name, 0);
  name_chosen(GTK_DROP_DOWN(drop_down), NULL, (gpointer)name);
}

void
tn_view_set_figures(GtkWidget *text)
{
  gtk_widget_add_css_class(text, "numeric");
  gtk_widget_set_direction(text, GTK_TEXT_DIR_LTR);
}

GtkWidget *
tn_view_head_new(GtkWidget *sentence, GtkWidget *note, GtkWidget *const *widgets, gsize n)
{
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append(GTK_BOX(words), sentence);
  gtk_box_append(GTK_BOX(words), note);
  gtk_box_append(GTK_BOX(bar), words);
  for (gsize i = 0; i < n; i++) {
    gtk_widget_set_valign(widgets[i], GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(bar), widgets[i]);
  }
  gtk_widget_add_css_class(bar, "view-bar");
  return bar;
}

GtkWidget *
tn_view_area_new(const char *label,
                 int least_height,
                 GtkDrawingAreaDrawFunc draw,
                 GCallback pressed,
                 gpointer data)
{
  GtkWidget *area =
      g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  GtkGesture *click = gtk_gesture_click_new();
  gtk_widget_set_vexpand(area, TRUE);
  gtk_widget_set_size_request(area, -1, least_height);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw, data, NULL);
  g_signal_connect(click, "pressed", pressed, data);
  gtk_widget_add_controller(area, GTK_EVENT_CONTROLLER(click));
  gtk_accessible_update_property(GTK_ACCESSIBLE(area), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return area;
}

void
tn_view_set_needed_height(GtkWidget *area, int height)
{
  g_object_set_data(G_OBJECT(area), "needed-height", GINT_TO_POINTER(height));
}

double
tn_view_zoom(GtkWidget *area)
{
  int needed = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(area), "needed-height"));
  double most = gtk_widget_get_height(area) / (needed ? needed : 220.0);
  return MAX(MIN(tn_settings_get_text_scale(), most), 1.0);
}

TnRect
tn_view_room(GtkWidget *area)
{
  double zoom = tn_view_zoom(area);
  return (TnRect){0, 0, gtk_widget_get_width(area) / zoom, gtk_widget_get_height(area) / zoom};
}

TnPaint
tn_view_paint(GtkDrawingArea *area, cairo_t *cr, int width, int height)
{
  double zoom = tn_view_zoom(GTK_WIDGET(area));
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  TnPaint paint = {.cr = cr,
                   .theme = is_dark ? tn_theme_dark() : tn_theme_light(),
                   .scale = gtk_widget_get_scale_factor(GTK_WIDGET(area)) * zoom,
                   .text_scale = 1.0};
  cairo_scale(cr, zoom, zoom);
  tn_paint_rect(&paint, tn_view_room(GTK_WIDGET(area)), paint.theme->background);
  return paint;
}

void
tn_view_take_press(GtkWidget *picture)
{
  for (GtkWidget *at = picture; at; at = gtk_widget_get_parent(at))
    gtk_widget_unset_state_flags(at, GTK_STATE_FLAG_ACTIVE);
}

GtkWidget *
tn_view_scroller_new(GtkWidget *content, int side, int top, int bottom)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_widget_set_margin_start(content, side);
  gtk_widget_set_margin_end(content, side);
  gtk_widget_set_margin_top(content, top);
  gtk_widget_set_margin_bottom(content, bottom);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), content);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_hexpand(scroller, TRUE);
  return scroller;
}

GtkWidget *
tn_view_paned_new(GtkOrientation orientation, GtkWidget *start, GtkWidget *end, bool grows_at_end)
{
  GtkWidget *paned = gtk_paned_new(orientation);
  gtk_paned_set_start_child(GTK_PANED(paned), start);
  gtk_paned_set_end_child(GTK_PANED(paned), end);
  gtk_paned_set_resize_start_child(GTK_PANED(paned), !grows_at_end);
  gtk_paned_set_resize_end_child(GTK_PANED(paned), grows_at_end);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  gtk_widget_set_vexpand(paned, TRUE);
  return paned;
}
