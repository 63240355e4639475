/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/buffer-list.h"

#include "app/window/settings.h"
#include "data/units.h"

#include <stdlib.h>
#include <string.h>

/* ---- a row ------------------------------------------------------------------------------------- */

struct _TnBufferRow {
  GObject parent_instance;
  tn_index buffer;
};

G_DEFINE_TYPE(TnBufferRow, tn_buffer_row, G_TYPE_OBJECT)

static void
tn_buffer_row_class_init(TnBufferRowClass *class)
{
}

static void
tn_buffer_row_init(TnBufferRow *row)
{
}

tn_index
tn_buffer_row_get(TnBufferRow *row)
{
  return row->buffer;
}

TnBufferRow *
tn_buffer_row_new(tn_index buffer)
{
  TnBufferRow *row = g_object_new(TN_TYPE_BUFFER_ROW, NULL);
  row->buffer = buffer;
  return row;
}

/* ---- the list ---------------------------------------------------------------------------------- */

struct _TnBufferList {
  GObject parent_instance;
  TnStudy *study;
  uint32_t *order; /* buffers, as they are shown */
  guint n;
  const uint8_t *match;
  TnTableColumn column;
  bool is_descending;
};

static GType
get_item_type(GListModel *model)
{
  return TN_TYPE_BUFFER_ROW;
}

static guint
get_n_items(GListModel *model)
{
  return TN_BUFFER_LIST(model)->n;
}

static gpointer
get_item(GListModel *model, guint position)
{
  TnBufferList *list = TN_BUFFER_LIST(model);
  return position < list->n ? tn_buffer_row_new(list->order[position]) : NULL;
}

static void
init_model(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_TYPE_WITH_CODE(TnBufferList, tn_buffer_list, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_model))

static void
finalize(GObject *object)
{
  TnBufferList *list = TN_BUFFER_LIST(object);
  tn_study_unref(list->study);
  g_free(list->order);
  G_OBJECT_CLASS(tn_buffer_list_parent_class)->finalize(object);
}

static void
tn_buffer_list_class_init(TnBufferListClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
}

static void
tn_buffer_list_init(TnBufferList *list)
{
  list->column = TN_COLUMN_SIZE;
  list->is_descending = true;
}

/* A row with its sort key: sorting touches nothing else. */
typedef struct {
  int64_t key;
  uint32_t buffer;
} Keyed;

static int
compare_up(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int
compare_down(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  if (x->key != y->key)
    return x->key > y->key ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Labels sort by the rank of their group or name, so that a million rows compare integers. */
static int64_t
key_of(const TnStudy *study, tn_index i, TnTableColumn column)
{
  const TnBuffers *b = study->buffers;
  switch (column) {
  case TN_COLUMN_SIZE:
    return b->bytes[i];
  case TN_COLUMN_START:
    return b->start[i];
  case TN_COLUMN_END:
    return b->end[i];
  case TN_COLUMN_LIFE:
    return b->end[i] - b->start[i];
  case TN_COLUMN_OFFSET:
    return study->offset[i];
  case TN_COLUMN_KIND:
    return b->kind[i];
  default:
    return tn_buffers_name(b, i) ? tn_buffers_name(b, i)
                                 : tn_call_sites_of(study->sites, tn_buffers_stack(b, i));
  }
}

static void
rebuild(TnBufferList *list)
{
  const TnStudy *study = list->study;
  guint had = list->n;
  Keyed *rows = g_new(Keyed, MAX(study->buffers->n, 1u));
  guint n = 0;
  for (uint32_t i = 0; i < study->buffers->n; i++)
    if (!list->match || list->match[i])
      rows[n++] = (Keyed){key_of(study, i, list->column), i};
  qsort(rows, n, sizeof *rows, list->is_descending ? compare_down : compare_up);
  g_free(list->order);
  list->order = g_new(uint32_t, MAX(n, 1u));
  for (guint i = 0; i < n; i++)
    list->order[i] = rows[i].buffer;
  g_free(rows);
  list->n = n;
  g_list_model_items_changed(G_LIST_MODEL(list), 0, had, n);
}

TnBufferList *
tn_buffer_list_new(TnStudy *study)
{
  TnBufferList *list = g_object_new(TN_TYPE_BUFFER_LIST, NULL);
  list->study = tn_study_ref(study);
  rebuild(list);
  return list;
}

void
tn_buffer_list_set_study(TnBufferList *list, TnStudy *study)
{
  TnStudy *gone = list->study;
  list->study = tn_study_ref(study);
  list->match = NULL;
  rebuild(list);
  tn_study_unref(gone);
}

void
tn_buffer_list_set_match(TnBufferList *list, const uint8_t *match)
{
  list->match = match;
  rebuild(list);
}

void
tn_buffer_list_sort(TnBufferList *list, TnTableColumn column, bool is_descending)
{
  if (list->column == column && list->is_descending == is_descending)
    return;
  list->column = column;
  list->is_descending = is_descending;
  rebuild(list);
}

guint
tn_buffer_list_find(TnBufferList *list, tn_index buffer)
{
  for (guint i = 0; i < list->n; i++)
    if (list->order[i] == buffer)
      return i;
  return G_MAXUINT;
}

char *
tn_buffer_list_dup_cell(const TnStudy *study, tn_index i, TnTableColumn column)
{
  const TnBuffers *b = study->buffers;
  char text[48];
  switch (column) {
  case TN_COLUMN_SIZE:
    return tn_format_bytes(b->bytes[i], tn_settings_get_units());
  case TN_COLUMN_START:
    return g_strdup(tn_print_count(text, sizeof text, b->start[i]));
  case TN_COLUMN_END:
    return g_strdup(tn_print_count(text, sizeof text, b->end[i]));
  case TN_COLUMN_LIFE:
    return g_strdup(tn_print_count(text, sizeof text, b->end[i] - b->start[i]));
  case TN_COLUMN_OFFSET:
    return study->offset[i] == TN_NOT_PLACED
               ? g_strdup("–")
               : g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)study->offset[i]);
  case TN_COLUMN_KIND:
    return g_strdup(tn_kind_name((TnBufferKind)b->kind[i]));
  default:
    return tn_study_dup_label(study, i);
  }
}

char *
tn_buffer_list_dup_tsv(const TnStudy *study, tn_index buffer)
{
  GString *text = g_string_new(NULL);
  for (int column = 0; column < TN_N_TABLE_COLUMNS; column++) {
    g_autofree char *cell = tn_buffer_list_dup_cell(study, buffer, (TnTableColumn)column);
    g_string_append_printf(text, "%s%s", column ? "\t" : "", cell);
  }
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}
