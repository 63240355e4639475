/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/dialog-parts.h"

#include "app/window/view-parts.h"

#include <glib/gi18n.h>

static gboolean
on_escape(GtkWidget *window, GVariant *arguments, gpointer data)
{
  gtk_window_destroy(GTK_WINDOW(window));
  return TRUE;
}

void
tn_dialog_close_on_escape(GtkWidget *window)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                       gtk_callback_action_new(on_escape, NULL, NULL)));
  gtk_widget_add_controller(window, keys);
}

static GtkWidget *
make_header(GtkWidget *window, GCallback on_save, gpointer data)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *cancel = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Cancel")));
  GtkWidget *save = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Save…")));
  gtk_widget_add_css_class(save, "suggested-action");
  adw_header_bar_set_show_end_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_set_show_start_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), cancel);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), save);
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(gtk_window_destroy), window);
  g_signal_connect_swapped(save, "clicked", on_save, data);
  return header;
}

GtkWidget *
tn_dialog_new(
    GtkWindow *parent, const char *title, GtkWidget *content, GCallback on_save, gpointer data)
{
  GtkWidget *window = adw_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_window_set_title(GTK_WINDOW(window), title);
  gtk_window_set_transient_for(GTK_WINDOW(window), parent);
  gtk_window_set_destroy_with_parent(GTK_WINDOW(window), TRUE);
  gtk_window_set_modal(GTK_WINDOW(window), TRUE);
  gtk_window_set_default_size(GTK_WINDOW(window), 960, 520);
  gtk_box_append(GTK_BOX(box), make_header(window, on_save, data));
  gtk_box_append(GTK_BOX(box), content);
  adw_window_set_content(ADW_WINDOW(window), box);
  tn_dialog_close_on_escape(window);
  return window;
}

void
tn_preview_init(TnPreview *preview, const char *alternative)
{
  preview->overlay = gtk_overlay_new();
  preview->picture = gtk_picture_new();
  preview->spinner = gtk_spinner_new();
  gtk_picture_set_alternative_text(GTK_PICTURE(preview->picture), alternative);
  gtk_widget_set_halign(preview->spinner, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(preview->spinner, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request(preview->spinner, 32, 32);
  gtk_spinner_start(GTK_SPINNER(preview->spinner));
  gtk_overlay_set_child(GTK_OVERLAY(preview->overlay), preview->picture);
  gtk_overlay_add_overlay(GTK_OVERLAY(preview->overlay), preview->spinner);
  gtk_widget_set_hexpand(preview->overlay, TRUE);
  gtk_widget_set_vexpand(preview->overlay, TRUE);
}

void
tn_preview_show(TnPreview *preview, GdkTexture *texture)
{
  gtk_picture_set_paintable(GTK_PICTURE(preview->picture), GDK_PAINTABLE(texture));
  gtk_spinner_stop(GTK_SPINNER(preview->spinner));
  gtk_widget_set_visible(preview->spinner, FALSE);
}

GdkTexture *
tn_preview_build_texture(GByteArray *png)
{
  g_autoptr(GBytes) bytes = png ? g_byte_array_free_to_bytes(png) : NULL;
  return bytes ? gdk_texture_new_from_bytes(bytes, NULL) : NULL;
}

GtkWidget *
tn_dialog_join(GtkWidget *preview, GtkWidget *form)
{
  GtkWidget *across = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_widget_set_margin_start(across, 12);
  gtk_widget_set_margin_end(across, 12);
  gtk_widget_set_margin_top(across, 12);
  gtk_widget_set_margin_bottom(across, 12);
  gtk_widget_set_size_request(form, 220, -1);
  gtk_box_append(GTK_BOX(across), preview);
  gtk_box_append(GTK_BOX(across), form);
  return across;
}

GtkWidget *
tn_dialog_heading_new(const char *text)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, "heading");
  return label;
}

GtkWidget *
tn_dialog_caption_new(const char *text)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 24);
  gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_add_css_class(label, "caption");
  return label;
}

GtkWidget *
tn_dialog_colors_new(void)
{
  const char *const colors[] = {_("Light"), _("Dark"), NULL};
  GtkWidget *drop = gtk_drop_down_new_from_strings(colors);
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  gtk_drop_down_set_selected(GTK_DROP_DOWN(drop), is_dark ? 1 : 0);
  return drop;
}
