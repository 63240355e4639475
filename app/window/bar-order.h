/* SPDX-License-Identifier: MIT */
/* How the lifetime bars of a tab are grouped and sorted; the groups give the colours in all views
 * too.  Kept for other devices and plans of the same file; each change can be undone.
 *
 * Signal: "changed". */
#pragma once

#include "app/window/session.h"

#define TN_TYPE_BAR_ORDER (tn_bar_order_get_type())
G_DECLARE_FINAL_TYPE(TnBarOrder, tn_bar_order, TN, BAR_ORDER, GObject)

TnBarOrder *tn_bar_order_new(TnSession *session);
/* "none" (the colours as the format has them), or a word of tn_grouping_from_name(). */
void tn_bar_order_set_group(TnBarOrder *order, const char *group);
const char *tn_bar_order_get_group(TnBarOrder *order);
/* "size", "start", "life" or "idle". */
void tn_bar_order_set_sort(TnBarOrder *order, const char *sort);
const char *tn_bar_order_get_sort(TnBarOrder *order);
