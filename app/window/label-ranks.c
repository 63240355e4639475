/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/label-ranks.h"

#include <stdlib.h>
#include <string.h>

struct TnLabelRanks {
  GHashTable *numbers[2]; /* by side: key of a label -> its number + 1 */
  GPtrArray *texts;       /* by number; borrowed of a document, or of `made` */
  GPtrArray *made;
};

TnLabelRanks *
tn_label_ranks_new(void)
{
  TnLabelRanks *ranks = g_new0(TnLabelRanks, 1);
  for (int side = 0; side < 2; side++)
    ranks->numbers[side] = g_hash_table_new(NULL, NULL);
  ranks->texts = g_ptr_array_new();
  ranks->made = g_ptr_array_new_with_free_func(g_free);
  return ranks;
}

void
tn_label_ranks_free(TnLabelRanks *ranks)
{
  for (int side = 0; side < 2; side++)
    g_hash_table_unref(ranks->numbers[side]);
  g_ptr_array_unref(ranks->texts);
  g_ptr_array_unref(ranks->made);
  g_free(ranks);
}

/* What the label depends on: the name, the call site, else the kind, else the row itself. */
static gpointer
key_of_label(const TnStudy *study, tn_index row, uint32_t name)
{
  unsigned kind = study->buffers->kind[row];
  uint64_t key = name ? UINT64_C(1) << 42 | name
                 : study->sites
                     ? tn_call_sites_of(study->sites, tn_buffers_stack(study->buffers, row))
                     : 0;
  if (!key)
    key = kind == TN_KIND_BEFORE || kind == TN_KIND_ALLOCATION ? UINT64_C(1) << 40 | kind
                                                               : UINT64_C(1) << 41 | row;
  return (gpointer)(uintptr_t)key;
}

/* A name is the document's own text. */
static const char *
text_of_label(TnLabelRanks *ranks, const TnStudy *study, tn_index row, uint32_t name)
{
  if (name)
    return tn_strings_get(study->document->strings, name);
  char *label = tn_study_dup_label(study, row);
  g_ptr_array_add(ranks->made, label);
  return label;
}

uint32_t
tn_label_ranks_add(TnLabelRanks *ranks, const TnStudy *study, tn_index buffer, int side)
{
  uint32_t name = tn_buffers_name(study->buffers, buffer);
  gpointer key = key_of_label(study, buffer, name);
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(ranks->numbers[side], key));
  if (number)
    return number - 1;
  g_ptr_array_add(ranks->texts, (gpointer)text_of_label(ranks, study, buffer, name));
  g_hash_table_insert(ranks->numbers[side], key, GUINT_TO_POINTER(ranks->texts->len));
  return ranks->texts->len - 1;
}

typedef struct {
  const char *text;
  uint32_t number;
} Labelled;

static int
compare_labels(const void *left, const void *right)
{
  return strcmp(((const Labelled *)left)->text, ((const Labelled *)right)->text);
}

int64_t *
tn_label_ranks_build(const TnLabelRanks *ranks)
{
  guint n = ranks->texts->len;
  g_autofree Labelled *rows = g_new(Labelled, MAX(n, 1u));
  int64_t *by_number = g_new(int64_t, MAX(n, 1u)), rank = 0;
  for (guint i = 0; i < n; i++)
    rows[i] = (Labelled){ranks->texts->pdata[i], i};
  qsort(rows, n, sizeof *rows, compare_labels);
  for (guint i = 0; i < n; i++) {
    rank += i && strcmp(rows[i].text, rows[i - 1].text) != 0;
    by_number[rows[i].number] = rank;
  }
  return by_number;
}
