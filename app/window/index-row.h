/* SPDX-License-Identifier: MIT */
/* A row of a list model: the index of what it stands for, its own or that of its place in the list. */
#pragma once

#include "data/buffers.h"

#include <glib-object.h>

#define TN_TYPE_INDEX_ROW (tn_index_row_get_type())
G_DECLARE_FINAL_TYPE(TnIndexRow, tn_index_row, TN, INDEX_ROW, GObject)

TnIndexRow *tn_index_row_new(tn_index index);
/* Stands for whatever is at a place of `list` (held); `get` answers TN_NONE behind its end. */
typedef tn_index (*TnIndexAt)(GObject *list, guint position);
TnIndexRow *tn_index_row_new_at(GObject *list, guint position, TnIndexAt get);
tn_index tn_index_row_get(TnIndexRow *row);
