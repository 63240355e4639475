/* SPDX-License-Identifier: MIT */
/* What a test that drives the real window needs to know of it. */
#pragma once

#include "app/window/page.h"

/* Where the environment names a file in TENURE_STATE_FILE: writes what the page shows (selection,
 * range, where the plots are) there as JSON, whole, whenever it changes.  Else does nothing. */
void tn_test_state_watch(TnPage *page);

/* What this program put on the clipboard, for JSON: quotes and backslashes as apostrophes, all that is
 * not ASCII as question marks.  Owned by the caller. */
char *tn_test_state_dup_clipboard(GtkWidget *widget);
