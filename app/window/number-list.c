/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/number-list.h"

struct _TnNumberList {
  GObject parent_instance;
  guint n;
};

static void init_model(GListModelInterface *interface);

G_DEFINE_TYPE_WITH_CODE(TnNumberList,
                        tn_number_list,
                        G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_model))

static GType
get_item_type(GListModel *model)
{
  return TN_TYPE_INDEX_ROW;
}

static guint
get_n_items(GListModel *model)
{
  return TN_NUMBER_LIST(model)->n;
}

static gpointer
get_item(GListModel *model, guint position)
{
  return position < TN_NUMBER_LIST(model)->n ? tn_index_row_new(position) : NULL;
}

static void
init_model(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void
tn_number_list_class_init(TnNumberListClass *class)
{
}

static void
tn_number_list_init(TnNumberList *list)
{
}

TnNumberList *
tn_number_list_new(void)
{
  return g_object_new(TN_TYPE_NUMBER_LIST, NULL);
}

void
tn_number_list_fill(TnNumberList *list, guint n)
{
  guint had = list->n;
  list->n = n;
  g_list_model_items_changed(G_LIST_MODEL(list), 0, had, n);
}
