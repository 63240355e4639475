/* SPDX-License-Identifier: MIT */
/* The table of a log's events; choosing one goes to its tick and selects the buffer that it made. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_EVENT_TABLE (tn_event_table_get_type())
G_DECLARE_FINAL_TYPE(TnEventTable, tn_event_table, TN, EVENT_TABLE, GtkBox)

GtkWidget *tn_event_table_new(TnSession *session);
