/* SPDX-License-Identifier: MIT */
/* What a comparison shows, for tests: written to TENURE_STATE_FILE where that is set. */
#pragma once

#include "app/window/changes-table.h"
#include "app/window/diff-canvas.h"

void tn_diff_state_watch(GtkWidget *pane,
                         TnDiffModel *model,
                         TnDiffCanvas *canvas,
                         TnChangesTable *table);
