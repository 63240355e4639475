/* SPDX-License-Identifier: MIT */
/* What our dialogs with a preview share: a modal window with Cancel and Save…, a form at the right
 * of a picture that is drawn in the background. */
#pragma once

#include <adwaita.h>
#include <stdbool.h>

/* Modal, closed by Escape; not presented yet.  `content` below a header whose suggested button
 * calls `on_save` (swapped). */
GtkWidget *tn_dialog_new(
    GtkWindow *parent, const char *title, GtkWidget *content, GCallback on_save, gpointer data);

void tn_dialog_close_on_escape(GtkWidget *window);

/* A picture with a spinner over it until the first one comes. */
typedef struct {
  GtkWidget *overlay, *picture, *spinner;
} TnPreview;
void tn_preview_init(TnPreview *preview, const char *alternative);
/* NULL: it can't be drawn. */
void tn_preview_show(TnPreview *preview, GdkTexture *texture);
/* The picture of a PNG file's bytes (taken; NULL: none); owned by the caller.  Any thread. */
GdkTexture *tn_preview_build_texture(GByteArray *png);

/* The preview and the form beside each other. */
GtkWidget *tn_dialog_join(GtkWidget *preview, GtkWidget *form);
/* The title of a field of the form. */
GtkWidget *tn_dialog_heading_new(const char *text);
/* Grey small text that wraps. */
GtkWidget *tn_dialog_caption_new(const char *text);
/* "Light", "Dark", as the window is now. */
GtkWidget *tn_dialog_colors_new(void);
