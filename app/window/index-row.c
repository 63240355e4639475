/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/index-row.h"

struct _TnIndexRow {
  GObject parent_instance;
  tn_index index;  /* or the position in ... */
  GObject *list;   /* owned reference; NULL: of none */
  TnIndexAt get;
};

G_DEFINE_TYPE(TnIndexRow, tn_index_row, G_TYPE_OBJECT)

static void
finalize(GObject *object)
{
  g_clear_object(&TN_INDEX_ROW(object)->list);
  G_OBJECT_CLASS(tn_index_row_parent_class)->finalize(object);
}

static void
tn_index_row_class_init(TnIndexRowClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
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

TnIndexRow *
tn_index_row_new_at(GObject *list, guint position, TnIndexAt get)
{
  TnIndexRow *row = tn_index_row_new(position);
  row->list = g_object_ref(list);
  row->get = get;
  return row;
}

tn_index
tn_index_row_get(TnIndexRow *row)
{
  return row->list ? row->get(row->list, row->index) : row->index;
}
