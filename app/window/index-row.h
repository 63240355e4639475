/* SPDX-License-Identifier: MIT */
/* A row of a small list model: the index of what it stands for. */
#pragma once

#include "data/buffers.h"

#include <glib-object.h>

#define TN_TYPE_INDEX_ROW (tn_index_row_get_type())
G_DECLARE_FINAL_TYPE(TnIndexRow, tn_index_row, TN, INDEX_ROW, GObject)

TnIndexRow *tn_index_row_new(tn_index index);
tn_index tn_index_row_get(TnIndexRow *row);
