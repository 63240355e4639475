/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/groups.h"

#include "data/hash.h"

static void
clear_group(gpointer data)
{
  g_free(((TnDiffGroup *)data)->label);
}

static gint
compare_groups(gconstpointer left, gconstpointer right)
{
  const TnDiffGroup *x = left, *y = right;
  tn_bytes keys[3][2] = {{ABS(x->peak_bytes), ABS(y->peak_bytes)},
                         {ABS(x->bytes_b - x->bytes_a), ABS(y->bytes_b - y->bytes_a)},
                         {MAX(x->bytes_a, x->bytes_b), MAX(y->bytes_a, y->bytes_b)}};
  for (int i = 0; i < 3; i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] > keys[i][1] ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

static TnDiffGroup *
find_group(GArray *groups, GHashTable *rows, const TnDiff *diff, uint32_t pair)
{
  g_autofree char *label = tn_diff_dup_label(diff, pair);
  char *key = g_strdup_printf("%x %s", (unsigned)diff->pairs[pair].changes, label);
  guint row = GPOINTER_TO_UINT(g_hash_table_lookup(rows, key));
  if (row) {
    g_free(key);
    return &g_array_index(groups, TnDiffGroup, row - 1);
  }
  TnDiffGroup group = {
      .label = g_steal_pointer(&label), .changes = diff->pairs[pair].changes, .first = pair};
  g_array_append_val(groups, group);
  g_hash_table_insert(rows, key, GUINT_TO_POINTER(groups->len));
  return &g_array_index(groups, TnDiffGroup, groups->len - 1);
}

GArray *
tn_diff_build_groups(const TnDiff *diff)
{
  GArray *groups = g_array_new(FALSE, FALSE, sizeof(TnDiffGroup));
  g_autoptr(GHashTable) rows = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  g_autoptr(GArray) ranking = tn_diff_build_ranking(diff);
  g_array_set_clear_func(groups, clear_group);
  for (guint i = 0; i < ranking->len; i++) {
    uint32_t pair = g_array_index(ranking, uint32_t, i);
    TnDiffGroup *group = find_group(groups, rows, diff, pair);
    group->n++;
    group->bytes_a = tn_add_saturated(group->bytes_a, tn_diff_bytes_a(diff, pair));
    group->bytes_b = tn_add_saturated(group->bytes_b, tn_diff_bytes_b(diff, pair));
    group->peak_bytes = tn_add_saturated(group->peak_bytes, diff->pair_bytes[pair]);
  }
  g_array_sort(groups, compare_groups);
  return groups;
}
