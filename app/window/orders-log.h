/* SPDX-License-Identifier: MIT */
/* The steps of an order: the op, what is alive during and after it, what it frees; and for the
 * chosen step what is alive.  Signal: "step-selected". */
#pragma once

#include "analysis/order/log.h"
#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_ORDERS_LOG (tn_orders_log_get_type())
G_DECLARE_FINAL_TYPE(TnOrdersLog, tn_orders_log, TN, ORDERS_LOG, GtkBox)

GtkWidget *tn_orders_log_new(TnSession *session);

/* Shows these steps (borrowed until the next call; NULL: none) and selects the one of the peak.
 * `title`: whose they are. */
void tn_orders_log_set(TnOrdersLog *widget, const TnOrderLog *log, const char *title);
/* UINT32_MAX: none.  Selecting is without the signal. */
uint32_t tn_orders_log_get_step(TnOrdersLog *widget);
void tn_orders_log_select(TnOrdersLog *widget, uint32_t step);
