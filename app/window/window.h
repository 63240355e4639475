/* SPDX-License-Identifier: MIT */
/* A window: header, tabs of open files, start page, messages. */
#pragma once

#include <adwaita.h>

#define TN_TYPE_WINDOW (tn_window_get_type())
G_DECLARE_FINAL_TYPE(TnWindow, tn_window, TN, WINDOW, AdwApplicationWindow)

TnWindow *tn_window_new(AdwApplication *application);
/* Opens in a new tab; what is open stays as it is, also when this can't be read. */
void tn_window_open(TnWindow *window, const char *path);
/* Says that a file of the recent ones is gone. */
void tn_window_tell_missing(TnWindow *window, const char *path);
/* Writes and draws everything again: units or colours are others. */
void tn_window_rewrite(TnWindow *window);
/* Opens both and a tab that compares them. */
void tn_window_compare(TnWindow *window, const char *path_a, const char *path_b);
/* A tab with all of them beside each other (char *; copied). */
void tn_window_compare_many(TnWindow *window, const GPtrArray *paths);
