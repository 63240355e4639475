/* SPDX-License-Identifier: MIT */
/* How a tab is divided, kept between runs: width of the side pane, height of the table, the maps' share,
 * and the view that was shown last. */
#pragma once

#include "app/window/maps.h"

typedef struct {
  GtkPaned *across, *down;
  GtkWidget *details;
  GtkStack *views;
  TnMaps *maps;
} TnPageLayout;

/* Restores all of it and keeps it from then on.  Without the schema nothing is kept. */
void tn_page_layout_keep(const TnPageLayout *layout);
