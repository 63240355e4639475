/* SPDX-License-Identifier: MIT */
/* What stands where no file is open: a button, the recent files, a hint. */
#pragma once

#include <gtk/gtk.h>

GtkWidget *tn_start_page_new(void);
/* Remembers a file that was opened. */
void tn_start_page_add_recent(const char *path);
