/* SPDX-License-Identifier: MIT */
/* The findings of the device that is shown, as a table; a row goes to where it shows. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_FINDING_TABLE (tn_finding_table_get_type())
G_DECLARE_FINAL_TYPE(TnFindingTable, tn_finding_table, TN, FINDING_TABLE, GtkBox)

GtkWidget *tn_finding_table_new(TnSession *session);
