/* SPDX-License-Identifier: MIT */
/* What is kept between runs.  Where the schema is not installed nothing is kept, and nothing
 * fails. */
#pragma once

#include "data/units.h"

#include <gtk/gtk.h>

/* NULL where the schema is not installed.  Borrowed. */
GSettings *tn_settings_get(void);
/* Restores the size of a window and keeps it when it closes. */
void tn_settings_bind_window(GtkWindow *window);

/* How sizes are written everywhere in the window; kept between runs where the schema is there. */
TnUnits tn_settings_get_units(void);
void tn_settings_set_units(TnUnits units);

/* An enumeration of the schema by its key ("palette"): its value, 0 where nothing was chosen.  Where the
 * schema is not installed a choice holds until the program ends. */
int tn_settings_get_choice(const char *key);
void tn_settings_set_choice(const char *key, int value);

/* The system's text size against the usual one (11 points at 96 dots an inch), 0.7 to 3. */
double tn_settings_get_text_scale(void);
