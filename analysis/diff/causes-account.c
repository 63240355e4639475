/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/causes.h"

typedef struct {
  uint32_t space;
  tn_bytes low, high, alignment;
} Placed;

static gint
compare_placed(gconstpointer left, gconstpointer right)
{
  const Placed *x = left, *y = right;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  return x->high < y->high ? -1 : x->high > y->high;
}

static GArray *
find_placed(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  GArray *list = g_array_new(FALSE, FALSE, sizeof(Placed));
  for (uint32_t i = 0; i < b->n; i++) {
    tn_bytes high;
    if (b->start[i] > study->live->peak_at || b->end[i] <= study->live->peak_at ||
        study->offset[i] == TN_NOT_PLACED || !tn_add(study->offset[i], b->bytes[i], &high))
      continue;
    Placed placed = {tn_buffers_space(b, i), study->offset[i], high, tn_buffers_alignment(b, i)};
    g_array_append_val(list, placed);
  }
  g_array_sort(list, compare_placed);
  return list;
}

/*   |  below  |/////|   this   |    the hatched part, as far as the alignment of `this` forces it
 */
static tn_bytes
forced_gap(tn_bytes top, const Placed *placed)
{
  tn_bytes aligned;
  if (placed->low <= top || !tn_round_up(top, placed->alignment, &aligned))
    return 0;
  return MIN(aligned, placed->low) - top;
}

static bool
sum_gaps(const GArray *list, tn_bytes *out_sum)
{
  tn_bytes top = 0;
  *out_sum = 0;
  for (guint i = 0; i < list->len; i++) {
    const Placed *placed = &g_array_index(list, Placed, i);
    if (i && placed->space != g_array_index(list, Placed, i - 1).space)
      top = 0;
    if (!tn_add(*out_sum, forced_gap(top, placed), out_sum))
      return false;
    top = MAX(top, placed->high);
  }
  return true;
}

bool
tn_diff_account(const TnStudy *study, TnDiffAccount *out_account)
{
  *out_account = (TnDiffAccount){.arena = study->arena_bytes, .live_peak = study->live->peak};
  if (study->arena_bytes < 0)
    return true;
  g_autoptr(GArray) list = find_placed(study);
  if (!sum_gaps(list, &out_account->alignment))
    return false;
  out_account->fragmentation = study->arena_bytes - study->live->peak - out_account->alignment;
  return true;
}
