/* SPDX-License-Identifier: MIT */
#pragma once

#include <gio/gio.h>

/* Takes all out of a GMenu, and out of the GMenus in it: for one that nobody else shows, when its popover goes.
 * GTK 4.8 keeps a reference to each section that a popover has shown (gtkmenutracker.c does not release the link
 * where sections are not merged): what was in it goes at least, some kB for a table's columns. */
void tn_menu_empty(GMenuModel *menu);
