/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/causes.h"

#include "analysis/plan/streams-apart.h"
#include "analysis/space-peaks.h"

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

/* Of each space what lies in it when it holds most: what is empty then is never used.  What has no bytes
 * lies nowhere. */
static GArray *
find_placed(const TnStudy *study, const TnSpacePeaks *peaks)
{
  const TnBuffers *b = study->buffers;
  GArray *list = g_array_new(FALSE, FALSE, sizeof(Placed));
  for (uint32_t i = 0; i < b->n; i++) {
    tn_bytes high;
    tn_tick at = peaks->at[tn_space_of(study, i)];
    if (b->start[i] > at || b->end[i] <= at || b->bytes[i] == 0 ||
        study->offset[i] == TN_NOT_PLACED || !tn_add(study->offset[i], b->bytes[i], &high))
      continue;
    Placed placed = {tn_space_of(study, i), study->offset[i], high, tn_buffers_alignment(b, i)};
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
tn_diff_account(const TnStudy *study, const uint32_t *order, TnDiffAccount *out_account)
{
  *out_account = (TnDiffAccount){.arena = study->arena_bytes, .live_peak = study->live->peak};
  if (study->arena_bytes < 0)
    return true;
  TnSpacePeaks peaks;
  if (!tn_space_peaks_find(study, &peaks))
    return false;
  g_autoptr(GArray) list = find_placed(study, &peaks);
  tn_space_peaks_clear(&peaks);
  if (!sum_gaps(list, &out_account->alignment))
    return false;
  out_account->spaces = peaks.sum - study->live->peak;
  tn_bytes empty = study->arena_bytes - peaks.sum - out_account->alignment;
  out_account->streams = tn_streams_apart_in_study(study, order, empty);
  out_account->fragmentation = empty - out_account->streams;
  return true;
}
