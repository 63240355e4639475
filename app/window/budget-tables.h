/* SPDX-License-Identifier: MIT */
/* The tables of the budget view: the answers side by side, and every idle storage with its verdict
 * and the reason. */
#pragma once

#include "app/window/budget-job.h"

#include <gtk/gtk.h>

#define TN_TYPE_BUDGET_TABLES (tn_budget_tables_get_type())
G_DECLARE_FINAL_TYPE(TnBudgetTables, tn_budget_tables, TN, BUDGET_TABLES, GtkBox)

GtkWidget *tn_budget_tables_new(TnSession *session);
/* `answer` (NULL: none) is borrowed until the next call.  Again with the same: other units. */
void tn_budget_tables_set(TnBudgetTables *tables, const TnBudgetAnswer *answer);
