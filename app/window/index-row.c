/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/index-row.h"

struct _TnIndexRow {
  GObject parent_instance;
  tn_index index;
};

G_DEFINE_TYPE(TnIndexRow, tn_index_row, G_TYPE_OBJECT)

static void
tn_index_row_class_init(TnIndexRowClass *class)
{
}

static void
tn_index_row_init(TnIndexRow *row)
{
}

TnIndexRow *
tn_index_row_new(tn_index index)
{
  TnIndexRow *row = g_object_new(TN_TYPE_INDEX_ROW, NULL);
  row->index = index;
  return row;
}

tn_index
tn_index_row_get(TnIndexRow *row)
{
  return row->index;
}
