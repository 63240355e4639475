/* SPDX-License-Identifier: MIT */
/* What long tables show: a list model whose items are places, not what stands on them.  When that changes, only
 * the list's end is added or removed, and "reordered" says that all cells must be written again.  GTK 4.8 makes two
 * hundred rows anew where items are replaced, makes as many at once where they are added, and ends as many where
 * they go, each of which takes longer than three frames: so rows come and go in small parts. */
#pragma once

#include "app/window/index-row.h"

#include <gio/gio.h>

#define TN_TYPE_ROW_LIST (tn_row_list_get_type())
G_DECLARE_DERIVABLE_TYPE(TnRowList, tn_row_list, TN, ROW_LIST, GObject)

struct _TnRowListClass {
  GObjectClass parent_class;
  /* What stands at a place; TN_NONE behind the end, where rows may be about to go. */
  tn_index (*get)(TnRowList *list, guint position);
};

/* Other rows stand there now, `n` of them.  Items are TnIndexRow, made only while a widget shows them. */
void tn_row_list_set_n(TnRowList *list, guint n);
/* The same rows, written again. */
void tn_row_list_rewrite(TnRowList *list);
/* Where a row stands, G_MAXUINT where the view knows of none.  O(n). */
guint tn_row_list_find(TnRowList *list, tn_index row);
