/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/changes-list.h"
#include "app/window/background.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>

#define AT_ONCE 20000  /* rows: fewer are sorted in less than a frame */

struct _TnChangesList {
  TnRowList parent_instance;
  TnDiffModel *model;
  GArray *order; /* all pairs, as sorted */
  GArray *rows;  /* those that are shown */
  TnChangesColumn column;
  bool is_descending;
  guint generation; /* of the sort that is wanted */
  guint filling;    /* and of the rows */
};

G_DEFINE_TYPE(TnChangesList, tn_changes_list, TN_TYPE_ROW_LIST)

static tn_index
get(TnRowList *list, guint position)
{
  const GArray *rows = TN_CHANGES_LIST(list)->rows;
  return position < rows->len ? g_array_index(rows, uint32_t, position) : TN_NONE;
}

/* ---- filtering ---------------------------------------------------------------------------------
 */

typedef struct {
  TnChangesList *list; /* owned reference */
  GArray *order;       /* owned reference; NULL: none */
  GBytes *shown;       /* owned reference; NULL: all are */
  guint generation;
  GArray *rows; /* what comes out */
} Filling;

static void
free_filling(gpointer data)
{
  Filling *filling = data;
  g_clear_pointer(&filling->order, g_array_unref);
  g_clear_pointer(&filling->shown, g_bytes_unref);
  g_clear_pointer(&filling->rows, g_array_unref);
  g_object_unref(filling->list);
  g_free(filling);
}

static void
fill_work(gpointer data)
{
  Filling *filling = data;
  const uint8_t *by_pair = filling->shown ? g_bytes_get_data(filling->shown, NULL) : NULL;
  guint n = filling->order ? filling->order->len : 0;
  filling->rows = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
  for (guint i = 0; i < n; i++) {
    uint32_t pair = g_array_index(filling->order, uint32_t, i);
    if (!by_pair || by_pair[pair])
      g_array_append_val(filling->rows, pair);
  }
}

static void
fill_done(gpointer data)
{
  Filling *filling = data;
  TnChangesList *list = filling->list;
  if (filling->generation != list->filling)
    return;
  g_array_unref(list->rows);
  list->rows = g_steal_pointer(&filling->rows);
  tn_row_list_set_n(TN_ROW_LIST(list), list->rows->len);
}

/* Those of a large comparison are picked on another thread, and the old ones stay until then. */
static void
fill(TnChangesList *list)
{
  Filling *filling = g_new0(Filling, 1);
  GBytes *shown = tn_diff_model_get_shown(list->model, NULL);
  *filling = (Filling){.list = g_object_ref(list),
                       .order = list->order ? g_array_ref(list->order) : NULL,
                       .shown = shown ? g_bytes_ref(shown) : NULL,
                       .generation = ++list->filling};
  if (list->order && list->order->len > AT_ONCE) {
    tn_background_run(filling, fill_work, fill_done, free_filling);
    return;
  }
  fill_work(filling);
  fill_done(filling);
  free_filling(filling);
}

static void
on_filter_changed(TnDiffModel *model, TnChangesList *list)
{
  fill(list);
}

/* ---- sorting -----------------------------------------------------------------------------------
 */

typedef struct {
  TnChangesList *list;    /* owned reference */
  TnDiffPicture *picture; /* keeps the diff */
  GArray *first;
  TnChangesColumn column;
  bool is_descending;
  guint generation;
  GArray *order; /* what comes out */
} Sort;

static void
free_sort(gpointer data)
{
  Sort *sort = data;
  tn_diff_picture_unref(sort->picture);
  g_array_unref(sort->first);
  g_clear_pointer(&sort->order, g_array_unref);
  g_object_unref(sort->list);
  g_free(sort);
}

static GArray *
run_sort(const Sort *sort)
{
  if (sort->column >= TN_N_CHANGES_COLUMNS)
    return g_array_ref(sort->first);
  return tn_changes_order_by(sort->picture->diff, sort->first, sort->column, sort->is_descending);
}

static void
work(gpointer data)
{
  Sort *sort = data;
  sort->order = run_sort(sort);
}

static void
take_order(TnChangesList *list, GArray *order)
{
  g_clear_pointer(&list->order, g_array_unref);
  list->order = order;
  fill(list);
}

static void
done(gpointer data)
{
  Sort *sort = data;
  if (sort->generation == sort->list->generation)
    take_order(sort->list, g_steal_pointer(&sort->order));
}

static void
sort(TnChangesList *list)
{
  Sort *sort = g_new0(Sort, 1);
  *sort = (Sort){.list = g_object_ref(list),
                 .picture = tn_diff_picture_ref(tn_diff_model_get_picture(list->model)),
                 .first = g_array_ref((GArray *)tn_diff_model_get_order(list->model)),
                 .column = list->column,
                 .is_descending = list->is_descending,
                 .generation = ++list->generation};
  if (sort->first->len <= AT_ONCE || list->column >= TN_N_CHANGES_COLUMNS) {
    take_order(list, run_sort(sort));
    free_sort(sort);
    return;
  }
  tn_background_run(sort, work, done, free_sort);
}

void
tn_changes_list_sort(TnChangesList *list, TnChangesColumn column, bool is_descending)
{
  if (list->column == column && list->is_descending == is_descending)
    return;
  list->column = column;
  list->is_descending = is_descending;
  if (tn_diff_model_get_picture(list->model))
    sort(list);
}

/* The pairs are others: the old order names rows that there may not be. */
static void
on_compared(TnDiffModel *model, TnChangesList *list)
{
  g_clear_pointer(&list->order, g_array_unref);
  list->generation++;
  fill(list); /* none, at once */
  if (tn_diff_model_get_picture(model)) {
    list->order = g_array_ref((GArray *)tn_diff_model_get_order(model));
    if (list->column < TN_N_CHANGES_COLUMNS)
      sort(list);
  }
  if (!list->order || list->column >= TN_N_CHANGES_COLUMNS || list->order->len > AT_ONCE)
    fill(list);
}

/* ---- cells -------------------------------------------------------------------------------------
 */

static char *
dup_delta(tn_bytes bytes, bool is_size)
{
  char text[48];
  tn_bytes amount = bytes == INT64_MIN ? INT64_MAX : ABS(bytes);
  if (is_size)
    tn_print_bytes(text, sizeof text, amount, tn_settings_get_units());
  else
    tn_print_count(text, sizeof text, amount);
  return bytes ? g_strdup_printf("%s%s", bytes > 0 ? "+" : "−", text) : g_strdup("");
}

static char *
dup_offset_delta(const TnDiff *diff, uint32_t pair)
{
  tn_bytes delta;
  return tn_diff_offset_delta(diff, pair, &delta) ? dup_delta(delta, true) : g_strdup("–");
}

char *
tn_changes_list_dup_cell(const TnDiff *diff, uint32_t pair, TnChangesColumn column)
{
  const TnDiffPair *p = &diff->pairs[pair];
  tn_bytes a = tn_diff_bytes_a(diff, pair), b = tn_diff_bytes_b(diff, pair);
  switch (column) {
  case TN_CHANGES_STATUS:
    return g_strdup(tn_changes_status(diff, pair));
  case TN_CHANGES_LABEL:
    return tn_diff_dup_label(diff, pair);
  case TN_CHANGES_SIZE:
    return tn_format_bytes(p->b == TN_NONE ? a : b, tn_settings_get_units());
  case TN_CHANGES_SIZE_DELTA:
    return dup_delta(b - a, true);
  case TN_CHANGES_LIFE_DELTA:
    return dup_delta(tn_diff_life_delta(diff, pair), false);
  case TN_CHANGES_OFFSET_DELTA:
    return dup_offset_delta(diff, pair);
  case TN_CHANGES_AT_PEAK:
    return dup_delta(diff->pair_bytes[pair], true);
  case TN_CHANGES_MATCH:
    return g_strdup(p->match == TN_MATCH_PERSON ? _("hand")
                    : p->match                  ? tn_diff_match_name((TnDiffMatch)p->match)
                                                : "–");
  default:
    return p->changes ? tn_diff_dup_changes(p->changes, ", ") : g_strdup(_("the same"));
  }
}

/* ---- the object --------------------------------------------------------------------------------
 */

static void
finalize(GObject *object)
{
  TnChangesList *list = TN_CHANGES_LIST(object);
  g_clear_pointer(&list->order, g_array_unref);
  g_array_unref(list->rows);
  g_object_unref(list->model);
  G_OBJECT_CLASS(tn_changes_list_parent_class)->finalize(object);
}

static void
tn_changes_list_class_init(TnChangesListClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  TN_ROW_LIST_CLASS(class)->get = get;
}

static void
tn_changes_list_init(TnChangesList *list)
{
  list->rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  list->column = TN_N_CHANGES_COLUMNS;
}

TnChangesList *
tn_changes_list_new(TnDiffModel *model)
{
  TnChangesList *list = g_object_new(TN_TYPE_CHANGES_LIST, NULL);
  list->model = g_object_ref(model);
  g_signal_connect_object(model, "compared", G_CALLBACK(on_compared), list, 0);
  g_signal_connect_object(model, "filter-changed", G_CALLBACK(on_filter_changed), list, 0);
  g_signal_connect_object(model, "units-changed", G_CALLBACK(on_filter_changed), list, 0);
  on_compared(model, list);
  return list;
}
