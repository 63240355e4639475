/* SPDX-License-Identifier: MIT */
/* A list model of the numbers 0 … n - 1, as TnIndexRow that are made only while a widget shows them. */
#pragma once

#include "app/window/index-row.h"

#include <gio/gio.h>

#define TN_TYPE_NUMBER_LIST (tn_number_list_get_type())
G_DECLARE_FINAL_TYPE(TnNumberList, tn_number_list, TN, NUMBER_LIST, GObject)

TnNumberList *tn_number_list_new(void);
/* All are others now, `n` of them. */
void tn_number_list_fill(TnNumberList *list, guint n);
