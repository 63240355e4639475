/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/row-list.h"

#define STEP 16u       /* rows more or fewer at a time, each in a turn of its own, ... */
#define MOST_MADE 240u /* ... up to what GTK makes widgets for; the rest is one step */
#define EVERY_MS 8

typedef struct {
  guint n_all, n; /* how many there are, and how many of them the view knows of */
  guint stepping; /* the source that tells of rows that come and go; 0: none */
} TnRowListPrivate;

static guint reordered_signal;
static void init_model(GListModelInterface *interface);

G_DEFINE_TYPE_WITH_CODE(TnRowList,
                        tn_row_list,
                        G_TYPE_OBJECT,
                        G_ADD_PRIVATE(TnRowList)
                            G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_model))

static TnRowListPrivate *
private_of(gpointer list)
{
  return tn_row_list_get_instance_private(TN_ROW_LIST(list));
}

static GType
get_item_type(GListModel *model)
{
  return TN_TYPE_INDEX_ROW;
}

static guint
get_n_items(GListModel *model)
{
  return private_of(model)->n;
}

static tn_index
row_at(GObject *list, guint position)
{
  return TN_ROW_LIST_GET_CLASS(list)->get(TN_ROW_LIST(list), position);
}

static gpointer
get_item(GListModel *model, guint position)
{
  return position < private_of(model)->n ? tn_index_row_new_at(G_OBJECT(model), position, row_at)
                                         : NULL;
}

static void
init_model(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void
tn_row_list_class_init(TnRowListClass *class)
{
  reordered_signal = g_signal_new("reordered", TN_TYPE_ROW_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void
tn_row_list_init(TnRowList *list)
{
}

/* One step from how many rows the view knows to how many there are. */
static void
step(TnRowList *list)
{
  TnRowListPrivate *rows = private_of(list);
  guint had = rows->n, wanted = rows->n_all;
  if (had < wanted)
    rows->n = had < MOST_MADE ? MIN(had + STEP, wanted) : wanted;
  else
    rows->n = had > MOST_MADE ? MAX(wanted, MOST_MADE) : MAX(had - MIN(had, STEP), wanted);
  if (rows->n > had)
    g_list_model_items_changed(G_LIST_MODEL(list), had, 0, rows->n - had);
  else if (rows->n < had)
    g_list_model_items_changed(G_LIST_MODEL(list), rows->n, had - rows->n, 0);
}

static gboolean
on_turn(gpointer list)
{
  TnRowListPrivate *rows = private_of(list);
  step(list);
  if (rows->n != rows->n_all)
    return G_SOURCE_CONTINUE;
  rows->stepping = 0;
  return G_SOURCE_REMOVE;
}

void
tn_row_list_set_n(TnRowList *list, guint n)
{
  TnRowListPrivate *rows = private_of(list);
  rows->n_all = n;
  step(list);
  tn_row_list_rewrite(list);
  if (rows->n != n && !rows->stepping)
    rows->stepping = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, EVERY_MS, on_turn,
                                        g_object_ref(list), g_object_unref);
}

void
tn_row_list_rewrite(TnRowList *list)
{
  g_signal_emit(list, reordered_signal, 0);
}

guint
tn_row_list_find(TnRowList *list, tn_index row)
{
  const TnRowListPrivate *rows = private_of(list);
  for (guint i = 0; i < MIN(rows->n, rows->n_all); i++)
    if (row_at(G_OBJECT(list), i) == row)
      return i;
  return G_MAXUINT;
}
