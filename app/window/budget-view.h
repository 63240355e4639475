/* SPDX-License-Identifier: MIT */
/* A graph within a budget: what each budget costs, the plan for the chosen one with its lanes, the
 * answers, every idle storage.  Of the order in which the session shows the graph.  Planned off the
 * main thread whenever budget or link change; the last change wins.  Signal: "answered". */
#pragma once

#include "app/window/budget-job.h"

#include <gtk/gtk.h>

#define TN_TYPE_BUDGET_VIEW (tn_budget_view_get_type())
G_DECLARE_FINAL_TYPE(TnBudgetView, tn_budget_view, TN, BUDGET_VIEW, GtkBox)

GtkWidget *tn_budget_view_new(TnSession *session);

/* The last plan and the last sweep (NULL: none yet), for tests. */
const TnBudgetAnswer *tn_budget_view_get_plan(TnBudgetView *view);
const TnBudgetAnswer *tn_budget_view_get_sweep(TnBudgetView *view);
