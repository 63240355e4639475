/* SPDX-License-Identifier: MIT */
/* The table of buffers: the twin of the maps for those who read or listen. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_BUFFER_TABLE (tn_buffer_table_get_type())
G_DECLARE_FINAL_TYPE(TnBufferTable, tn_buffer_table, TN, BUFFER_TABLE, GtkBox)

/* All buffers, or those that are alive at the session's moment. */
typedef enum { TN_BUFFER_TABLE_ALL, TN_BUFFER_TABLE_ALIVE } TnBufferTableMode;

GtkWidget *tn_buffer_table_new(TnSession *session, TnBufferTableMode mode);
/* The buffer that is selected in the table, TN_NONE where there is none. */
tn_index tn_buffer_table_get_selected(TnBufferTable *table);
