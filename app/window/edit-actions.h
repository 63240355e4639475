/* SPDX-License-Identifier: MIT */
/* The what-if edits as actions of the window: "win.edit-fuse", "-in-place", "-view", "-tensor",
 * "-pin", "-release", "-split" on the selected buffer, or the op that was chosen in the table of
 * ops; "-load", "-save", "-clear" on the list, and "win.edits" shows it. */
#pragma once

#include <gio/gio.h>

/* Edits of an op or a buffer, for menus; owned by the caller. */
GMenuModel *tn_edit_menu_new(void);
