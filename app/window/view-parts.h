/* SPDX-License-Identifier: MIT */
/* Parts of views that work something out: a head with a sentence and buttons, a drawing, panes. */
#pragma once

#include "render/paint.h"

#include <gtk/gtk.h>

/* How much of a name, and of what is told beside the pointer, is shown at most, by tn_elide_middle():
 * a name may be of a megabyte, and shaping takes some microseconds a character. */
#define TN_VIEW_NAME_CHARS 500
#define TN_VIEW_TIP_CHARS 2000

/* A line that gives way at its end; `class`: "heading", "caption". */
GtkWidget *tn_view_label_new(const char *class);
/* Takes the underline of a mnemonic from the name that is spoken, which GTK 4.8 leaves in it;
 * returns the button. */
GtkWidget *tn_view_spoken(GtkWidget *button);
/* What a drop-down of texts is for, spoken with what is chosen: the part of it that has the focus
 * has no name in GTK 4.8. */
void tn_view_name_drop_down(GtkWidget *drop_down, const char *name);
/* Digits of one width, and a sign before its figure in languages from right to left too. */
void tn_view_set_figures(GtkWidget *text);
/* The sentence above the note, then `n` widgets at the right. */
GtkWidget *
tn_view_head_new(GtkWidget *sentence, GtkWidget *note, GtkWidget *const *widgets, gsize n);

/* `pressed`: a GtkGestureClick's, with `data`. */
GtkWidget *tn_view_area_new(const char *label,
                            int least_height,
                            GtkDrawingAreaDrawFunc draw,
                            GCallback pressed,
                            gpointer data);
/* Drawings grow with the user's text as a whole, while they have the height that they need: 220
 * unless told.  How many of the area's pixels are one of theirs, at least 1, and their rectangle in
 * an area. */
void tn_view_set_needed_height(GtkWidget *area, int height);
double tn_view_zoom(GtkWidget *area);
TnRect tn_view_room(GtkWidget *area);
/* What such a drawing draws on, its background filled, zoomed. */
TnPaint tn_view_paint(GtkDrawingArea *area, cairo_t *cr, int width, int height);

/* On the press of a button on a picture, which shows nothing of it: GTK makes the picture and all that it is in
 * :active until the release, and both times looks at the style of every node of the window, which takes longer than
 * the frame that answers.  Taken back at once, the release changes nothing. */
void tn_view_take_press(GtkWidget *picture);

/* Gives `content` margins and scrolls it up and down. */
GtkWidget *tn_view_scroller_new(GtkWidget *content, int side, int top, int bottom);

/* Two children, neither smaller than it asks for; room that is left goes to the start or the end.
 */
GtkWidget *
tn_view_paned_new(GtkOrientation orientation, GtkWidget *start, GtkWidget *end, bool grows_at_end);
