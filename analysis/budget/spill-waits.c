/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-waits.h"

GArray *
tn_spill_waits_new(const TnSpillRun *run)
{
  GArray *waits = g_array_new(FALSE, FALSE, sizeof(TnSpillWait));
  double free_at = 0;
  for (uint32_t p = 0; p < run->model->n; p++) {
    TnSpillWait wait = {free_at, run->start[p] - run->redo[p], p};
    /* Of sums of doubles the last digits are not the same by every way. */
    if (wait.end - wait.start > 1e-12)
      g_array_append_val(waits, wait);
    free_at = run->end[p];
  }
  return waits;
}

double
tn_spill_exposed(const GArray *waits, double start, double end)
{
  double sum = 0;
  for (guint i = 0; i < waits->len; i++) {
    const TnSpillWait *wait = &g_array_index(waits, TnSpillWait, i);
    sum += MAX(MIN(end, wait->end) - MAX(start, wait->start), 0);
  }
  return sum;
}
