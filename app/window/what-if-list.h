/* SPDX-License-Identifier: MIT */
/* The settings that were tried, as rows of a list. */
#pragma once

#include "analysis/replay/suggest.h"
#include "data/units.h"

#include <gtk/gtk.h>

/* Replaces the rows: one a suggestion, in their order.  `suggestions`: NULL: none. */
void tn_what_if_list_fill(GtkListBox *list, const TnSuggestions *suggestions, TnUnits units);
