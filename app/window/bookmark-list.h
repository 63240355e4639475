/* SPDX-License-Identifier: MIT */
/* The bookmarks of a file, to go to, rename and remove, and its notes beside them. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_BOOKMARK_LIST (tn_bookmark_list_get_type())
G_DECLARE_FINAL_TYPE(TnBookmarkList, tn_bookmark_list, TN, BOOKMARK_LIST, GtkBox)

GtkWidget *tn_bookmark_list_new(TnSession *session);
/* Puts a bookmark at the cursor (else at the moment that is shown) and on the selection. */
void tn_bookmark_list_add(TnBookmarkList *list);
/* Shows the bookmark: its tick, its buffer, another device first where it is of another. */
void tn_bookmark_list_go_to(TnBookmarkList *list, guint row);
