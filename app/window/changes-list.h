/* SPDX-License-Identifier: MIT */
/* The pairs of a comparison as a list of rows.  Many are sorted and filtered off the main thread, and the old
 * rows stay until the new ones are there. */
#pragma once

#include "app/window/row-list.h"
#include "app/window/changes-order.h"
#include "app/window/diff-model.h"

#define TN_TYPE_CHANGES_LIST (tn_changes_list_get_type())
G_DECLARE_FINAL_TYPE(TnChangesList, tn_changes_list, TN, CHANGES_LIST, TnRowList)

/* Keeps the model and follows what it compares and filters. */
TnChangesList *tn_changes_list_new(TnDiffModel *model);
/* TN_N_CHANGES_COLUMNS: as at first. */
void tn_changes_list_sort(TnChangesList *list, TnChangesColumn column, bool is_descending);
/* The text of a cell, owned by the caller. */
char *tn_changes_list_dup_cell(const TnDiff *diff, uint32_t pair, TnChangesColumn column);
