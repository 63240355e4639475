/* SPDX-License-Identifier: MIT */
/* What a comparison or an overview shows, for tests: written to TENURE_STATE_FILE where that is
 * set. */
#pragma once

#include "app/window/changes-table.h"
#include "app/window/diff-canvas.h"
#include "app/window/overview-canvas.h"

/* As long as `pane` is shown. */
void tn_diff_state_watch(GtkWidget *pane,
                         TnDiffModel *model,
                         TnDiffCanvas *canvas,
                         TnChangesTable *table);
void tn_overview_state_watch(GtkWidget *overview, TnOverviewCanvas *canvas);
