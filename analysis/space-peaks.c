/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/space-peaks.h"

uint32_t *
tn_rows_by_space_new(const TnStudy *study, bool only_placed, uint32_t **out_first)
{
  uint32_t n = study->buffers->n, *first = *out_first = g_new0(uint32_t, (gsize)study->n_spaces + 2);
  uint32_t *rows = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    if (!only_placed || study->offset[i] >= 0)
      first[tn_space_of(study, i) + 2]++;
  for (uint32_t s = 0; s < study->n_spaces; s++)
    first[s + 2] += first[s + 1];
  for (uint32_t i = 0; i < n; i++) /* leaves first[s + 1] at the end of space s */
    if (!only_placed || study->offset[i] >= 0)
      rows[first[tn_space_of(study, i) + 1]++] = i;
  return rows;
}

static bool
add_space(const TnStudy *study, const uint32_t *rows, uint32_t n, tn_tick *out_at, tn_bytes *sum)
{
  tn_tick at = study->live->peak_at;
  g_autoptr(TnCurve) own = tn_curve_new_for_part(study->buffers, rows, n, study->axis_end);
  if (!own)
    return false;
  *out_at = tn_curve_at(own, at) == own->peak ? at : own->peak_at;
  return tn_add(*sum, own->peak, sum);
}

bool
tn_space_peaks_find(const TnStudy *study, TnSpacePeaks *out_peaks)
{
  *out_peaks = (TnSpacePeaks){g_new(tn_tick, study->n_spaces), 0};
  if (study->n_spaces == 1) {
    out_peaks->at[0] = study->live->peak_at;
    out_peaks->sum = study->live->peak;
    return true;
  }
  g_autofree uint32_t *first = NULL;
  g_autofree uint32_t *rows = tn_rows_by_space_new(study, false, &first);
  for (uint32_t s = 0; s < study->n_spaces; s++)
    if (!add_space(study, rows + first[s], first[s + 1] - first[s], &out_peaks->at[s], &out_peaks->sum)) {
      tn_space_peaks_clear(out_peaks);
      return false;
    }
  return true;
}

void
tn_space_peaks_clear(TnSpacePeaks *peaks)
{
  g_clear_pointer(&peaks->at, g_free);
}
