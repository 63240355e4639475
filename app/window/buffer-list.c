/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/buffer-list.h"

#include "app/window/background.h"
#include "app/window/label-ranks.h"
#include "app/window/settings.h"
#include "data/units.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ----------------------------------------------------------------------------------
 */

#define SORT_AT_ONCE 20000 /* rows that are sorted in a few milliseconds */

struct _TnBufferList {
  TnRowList parent_instance;
  TnStudy *study;
  uint32_t *order; /* buffers, as they are shown */
  guint n;         /* how many they are */
  GBytes *match;   /* may be NULL */
  GArray *rows;    /* uint32_t; NULL: all */
  TnTableColumn column;
  bool is_descending;
  guint generation; /* of the last sorting: older ones are dropped */
};

G_DEFINE_TYPE(TnBufferList, tn_buffer_list, TN_TYPE_ROW_LIST)

static tn_index
get(TnRowList *rows, guint position)
{
  const TnBufferList *list = TN_BUFFER_LIST(rows);
  return position < list->n ? list->order[position] : TN_NONE;
}

static void
finalize(GObject *object)
{
  TnBufferList *list = TN_BUFFER_LIST(object);
  tn_study_unref(list->study);
  g_free(list->order);
  g_clear_pointer(&list->match, g_bytes_unref);
  g_clear_pointer(&list->rows, g_array_unref);
  G_OBJECT_CLASS(tn_buffer_list_parent_class)->finalize(object);
}

static void
tn_buffer_list_class_init(TnBufferListClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  TN_ROW_LIST_CLASS(class)->get = get;
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

/* Byte-ticks; as many as 64 bits hold. */
static int64_t
product_of(const TnBuffers *b, tn_index i)
{
  int64_t product;
  return tn_mul(b->bytes[i], b->end[i] - b->start[i], &product) ? product : INT64_MAX;
}

/* A label has none: labels sort by their ranks. */
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
  case TN_COLUMN_CLOCK:
    return study->clock ? (int64_t)tn_clock_life(study->clock, b->start[i], b->end[i]) : 0;
  case TN_COLUMN_LONG:
    return study->clock ? (int64_t)tn_clock_long_in(study->clock, b->start[i], b->end[i]) : 0;
  case TN_COLUMN_OFFSET:
    return study->offset[i];
  case TN_COLUMN_KIND:
    return b->kind[i];
  case TN_COLUMN_ASKED:
    return tn_buffers_requested(b, i);
  case TN_COLUMN_PRODUCT:
    return product_of(b, i);
  case TN_COLUMN_CATEGORY:
    return study->categories->group[i];
  default:
    return 0;
  }
}

typedef struct {
  TnBufferList *list; /* owned reference */
  TnStudy *study;     /* owned reference */
  GBytes *match;
  GArray *rows;
  TnTableColumn column;
  bool is_descending;
  guint generation;
  uint32_t *order;
  guint n;
} Sorting;

static guint
collect(const Sorting *job, Keyed *out)
{
  const uint8_t *match = job->match ? g_bytes_get_data(job->match, NULL) : NULL;
  uint32_t n_all = job->rows ? job->rows->len : job->study->buffers->n;
  guint n = 0;
  for (uint32_t k = 0; k < n_all; k++) {
    tn_index i = job->rows ? g_array_index(job->rows, uint32_t, k) : k;
    if (i < job->study->buffers->n && (!match || match[i]))
      out[n++] = (Keyed){key_of(job->study, i, job->column), i};
  }
  return n;
}

/* So that a million rows compare integers. */
static void
rank_labels(const TnStudy *study, Keyed *rows, guint n)
{
  g_autoptr(TnLabelRanks) labels = tn_label_ranks_new();
  for (guint i = 0; i < n; i++)
    rows[i].key = tn_label_ranks_add(labels, study, rows[i].buffer, 0);
  g_autofree int64_t *ranks = tn_label_ranks_build(labels);
  for (guint i = 0; i < n; i++)
    rows[i].key = ranks[rows[i].key];
}

static void
work(gpointer data)
{
  Sorting *job = data;
  Keyed *keyed = g_new(Keyed, MAX(job->rows ? job->rows->len : job->study->buffers->n, 1u));
  job->n = collect(job, keyed);
  if (job->column == TN_COLUMN_LABEL)
    rank_labels(job->study, keyed, job->n);
  qsort(keyed, job->n, sizeof *keyed, job->is_descending ? compare_down : compare_up);
  job->order = g_new(uint32_t, MAX(job->n, 1u));
  for (guint i = 0; i < job->n; i++)
    job->order[i] = keyed[i].buffer;
  g_free(keyed);
}

static void
show(TnBufferList *list, uint32_t *order, guint n)
{
  g_free(list->order);
  list->order = order;
  list->n = n;
  tn_row_list_set_n(TN_ROW_LIST(list), n);
}

static void
done(gpointer data)
{
  Sorting *job = data;
  if (job->generation == job->list->generation)
    show(job->list, g_steal_pointer(&job->order), job->n);
}

static void
free_sorting(gpointer data)
{
  Sorting *job = data;
  tn_study_unref(job->study);
  g_clear_pointer(&job->match, g_bytes_unref);
  g_clear_pointer(&job->rows, g_array_unref);
  g_free(job->order);
  g_object_unref(job->list);
  g_free(job);
}

static void
rebuild(TnBufferList *list)
{
  Sorting *job = g_new0(Sorting, 1);
  guint n = list->rows ? list->rows->len : list->study->buffers->n;
  job->list = g_object_ref(list);
  job->study = tn_study_ref(list->study);
  job->match = list->match ? g_bytes_ref(list->match) : NULL;
  job->rows = list->rows ? g_array_ref(list->rows) : NULL;
  job->column = list->column;
  job->is_descending = list->is_descending;
  job->generation = ++list->generation;
  if (n > SORT_AT_ONCE) {
    tn_background_run(job, work, done, free_sorting);
    return;
  }
  work(job);
  done(job);
  free_sorting(job);
}

TnBufferList *
tn_buffer_list_new(TnStudy *study)
{
  TnBufferList *list = g_object_new(TN_TYPE_BUFFER_LIST, NULL);
  list->study = tn_study_ref(study);
  return list;
}

static bool
is_same(const GArray *a, const GArray *b)
{
  if (!a || !b)
    return a == b;
  return a->len == b->len &&
         (a->len == 0 || memcmp(a->data, b->data, sizeof(uint32_t) * a->len) == 0);
}

void
tn_buffer_list_update(TnBufferList *list, TnStudy *study, GBytes *match, GArray *rows)
{
  TnStudy *gone = list->study;
  bool has_rows = list->order && gone->buffers == study->buffers && list->match == match &&
                  is_same(list->rows, rows) && list->column != TN_COLUMN_CATEGORY;
  if (match)
    g_bytes_ref(match);
  g_clear_pointer(&list->match, g_bytes_unref);
  g_clear_pointer(&list->rows, g_array_unref);
  list->match = match;
  list->rows = rows ? g_array_copy(rows) : NULL;
  list->study = tn_study_ref(study);
  if (gone->device != study->device)
    show(list, NULL, 0);
  if (!has_rows)
    rebuild(list);
  else if (gone != study)
    tn_row_list_rewrite(TN_ROW_LIST(list));
  tn_study_unref(gone);
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

/* Where the buffer's shares of ticks and of seconds differ much. */
static const char *
long_in(const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  TnLongIn which =
      study->clock ? tn_clock_long_in(study->clock, b->start[i], b->end[i]) : TN_LONG_NEITHER;
  return which == TN_LONG_IN_TICKS ? _("ticks") : which == TN_LONG_IN_SECONDS ? _("seconds") : "";
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
  case TN_COLUMN_CLOCK:
    return g_strdup(
        !study->clock
            ? "–"
            : tn_print_us(text, sizeof text, tn_clock_life(study->clock, b->start[i], b->end[i])));
  case TN_COLUMN_LONG:
    return g_strdup(long_in(study, i));
  case TN_COLUMN_OFFSET:
    return study->offset[i] == TN_NOT_PLACED
               ? g_strdup("–")
               : g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)study->offset[i]);
  case TN_COLUMN_KIND:
    return g_strdup(tn_kind_name((TnBufferKind)b->kind[i]));
  case TN_COLUMN_ASKED:
    return tn_format_bytes(tn_buffers_requested(b, i), tn_settings_get_units());
  case TN_COLUMN_PRODUCT:
    return tn_format_bytes(product_of(b, i), tn_settings_get_units());
  case TN_COLUMN_CATEGORY:
    return g_strdup(
        g_array_index(study->categories->groups, TnGroup, study->categories->group[i]).name);
  default:
    return tn_study_dup_label(study, i);
  }
}

/* What would end a cell or a line is a space. */
char *
tn_buffer_list_dup_tsv(const TnStudy *study, tn_index buffer)
{
  GString *text = g_string_new(NULL);
  for (int column = 0; column <= TN_COLUMN_KIND; column++) {
    g_autofree char *cell = tn_buffer_list_dup_cell(study, buffer, (TnTableColumn)column);
    g_string_append_printf(text, "%s%s", column ? "\t" : "", g_strdelimit(cell, "\t\n\r", ' '));
  }
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}
