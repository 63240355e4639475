/* SPDX-License-Identifier: MIT */
/* What the side pane is made of: headings, and facts with what they are at the left and their value at the right. */
#pragma once

#include "data/units.h"

#include <gtk/gtk.h>

/* `class`: of the style, or NULL. */
GtkWidget *tn_facts_label_new(const char *text, const char *class, float xalign);
void tn_facts_add_heading(GtkBox *content, const char *text);
/* `tooltip`: NULL for none. */
void tn_facts_add(GtkBox *content, const char *what, const char *value, const char *tooltip);
/* In the units chosen, to the byte beside the pointer; nothing where `bytes` is negative. */
void tn_facts_add_bytes(GtkBox *content, const char *what, tn_bytes bytes);
