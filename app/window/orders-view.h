/* SPDX-License-Identifier: MIT */
/* A graph's orders beside each other: lines, a table, the steps of the chosen one.  They are looked
 * for when the view is shown for the first time.  Signal: "answered" (the search has ended). */
#pragma once

#include "analysis/order/compare.h"
#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_ORDERS_VIEW (tn_orders_view_get_type())
G_DECLARE_FINAL_TYPE(TnOrdersView, tn_orders_view, TN, ORDERS_VIEW, GtkBox)

/* The orders of one search; atomically reference counted.  Never changed once it has ended. */
typedef struct {
  TnOrderComparison *comparison; /* owned */
} TnOrdersFound;

void tn_orders_found_unref(TnOrdersFound *found);

GtkWidget *tn_orders_view_new(TnSession *session);

/* A new reference; NULL while orders are searched, or where there are none. */
TnOrdersFound *tn_orders_view_dup_found(TnOrdersView *view);

/* What was found so far, and the chosen row (TN_NONE: none), for tests. */
const TnOrderComparison *tn_orders_view_get_comparison(TnOrdersView *view);
guint tn_orders_view_get_selected(TnOrdersView *view);
