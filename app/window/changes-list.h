/* SPDX-License-Identifier: MIT */
/* The pairs of a comparison as a list model: an order of pairs, and a small object made for a row
 * only while a widget shows it (a TnBufferRow that holds the pair).  Filters are one pass; a
 * million rows are sorted off the main thread, and the old order stays until the new one is there.
 * "reordered" says that all cells must be written again: their rows stand for other pairs.
 */
#pragma once

#include "app/window/buffer-list.h"
#include "app/window/changes-order.h"
#include "app/window/diff-model.h"

#define TN_TYPE_CHANGES_LIST (tn_changes_list_get_type())
G_DECLARE_FINAL_TYPE(TnChangesList, tn_changes_list, TN, CHANGES_LIST, GObject)

/* Keeps the model and follows what it compares and filters. */
TnChangesList *tn_changes_list_new(TnDiffModel *model);
/* TN_N_CHANGES_COLUMNS: as at first. */
void tn_changes_list_sort(TnChangesList *list, TnChangesColumn column, bool is_descending);
/* Where a pair stands, G_MAXUINT where it is not shown.  O(n). */
guint tn_changes_list_find(TnChangesList *list, uint32_t pair);
/* The text of a cell, owned by the caller. */
char *tn_changes_list_dup_cell(const TnDiff *diff, uint32_t pair, TnChangesColumn column);
