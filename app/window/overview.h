/* SPDX-License-Identifier: MIT */
/* Many files beside each other: the ranks of a job, the commits of a compiler.  They are read one
 * after the other in the background; the one that is not like the others is marked; two are picked
 * with clicks and compared. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_OVERVIEW (tn_overview_get_type())
G_DECLARE_FINAL_TYPE(TnOverview, tn_overview, TN, OVERVIEW, GtkBox)

/* Called with the two that were picked (borrowed). */
typedef void (*TnOverviewCompare)(TnOverview *overview, TnSession *a, TnSession *b);

/* `paths` are copied; no more than TN_OVERVIEW_MOST of them are read. */
#define TN_OVERVIEW_MOST 256
GtkWidget *tn_overview_new(const GPtrArray *paths, TnOverviewCompare compare);
/* "16 files"; owned by the caller. */
char *tn_overview_build_title(TnOverview *overview);
/* Draws again: the units are others. */
void tn_overview_invalidate(TnOverview *overview);
