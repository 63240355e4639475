/* SPDX-License-Identifier: MIT */
/* How a tab is divided, kept between runs: the side pane and its width, height of the table, the maps' share,
 * and the view that was shown last. */
#pragma once

#include "app/window/maps.h"

typedef struct {
  GtkPaned *across, *down;
  GtkStack *views;
  TnMaps *maps;
} TnPageLayout;

/* Restores all of it and keeps it from then on.  Without the schema nothing is kept. */
bool tn_page_layout_hides_details(void);
void tn_page_layout_set_hides_details(bool hides_details);
void tn_page_layout_keep(const TnPageLayout *layout);
