/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan-gap.h"

#include "analysis/space-peaks.h"

#define MOST_STREAMS 256
#define MOST_SUMMED 400000000u /* streams × rows */

/* ---- sums of what is alive
 * ------------------------------------------------------------------------- */

/* Whether each of the streams of `n` rows is summed up by itself. */
static bool
tells_streams(uint32_t n_streams, uint32_t n)
{
  return n_streams <= MOST_STREAMS && (uint64_t)n_streams * n <= MOST_SUMMED;
}

/* The largest sum over the spaces of each one's own peak: spaces are memories of their own. */
static tn_bytes
peak_of(const TnStudy *study, const TnBuffers *buffers, const uint8_t *is_counted)
{
  tn_bytes sum = 0;
  g_autofree uint32_t *first = NULL;
  g_autofree uint32_t *rows = tn_rows_by_space_new(study, true, &first);
  for (uint32_t s = 0; s < study->n_spaces; s++) {
    uint32_t n = 0, *own = rows + first[s];
    for (uint32_t k = first[s]; k < first[s + 1]; k++)
      if (is_counted[rows[k]])
        own[n++] = rows[k];
    g_autoptr(TnCurve) curve = tn_curve_new_for_rows(buffers, own, n, study->axis_end);
    if (!curve)
      return -1;
    sum += curve->peak;
  }
  return sum;
}

/* ---- each rule on top of the last
 * -------------------------------------------------------------------- */

/* What a row keeps in its gaps begins at `from` at most, and ends at `to` at least and within the row. */
static void
clip_gaps(TnBuffers *b, uint32_t i, tn_bytes from, tn_bytes to)
{
  for (uint32_t g = b->gap_first ? b->gap_first[i] : 0; b->gap_first && g < b->gap_first[i + 1]; g++) {
    b->gaps[g].low = MIN(b->gaps[g].low, from);
    b->gaps[g].high = CLAMP(b->gaps[g].high, to, b->bytes[i]);
  }
}

static void
take_contents(const TnBuffers *from, TnBuffers *to)
{
  for (uint32_t i = 0; i < to->n; i++) {
    to->bytes[i] = tn_buffers_requested(from, i);
    clip_gaps(to, i, to->bytes[i], 0);
  }
}

static void
keep_apart(TnBuffers *b, tn_tick end)
{
  for (uint32_t i = 0; i < b->n; i++) {
    bool is_apart = b->flags[i] & TN_BUFFER_NO_REUSE ||
                    tn_buffers_traits(b, i) & (TN_TRAIT_ZERO_COPY | TN_TRAIT_CLEANED);
    if (!is_apart)
      continue;
    b->start[i] = 0;
    b->end[i] = end;
    clip_gaps(b, i, 0, b->bytes[i]); /* and all the time */
  }
}

static void
join_neighbours(TnBuffers *b)
{
  g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL); /* group → row + 1 */
  for (int pass = 0; pass < 2 && b->group; pass++)
    for (uint32_t i = 0; i < b->n; i++) {
      gpointer key = GUINT_TO_POINTER(b->group[i]);
      uint32_t head = GPOINTER_TO_UINT(g_hash_table_lookup(first, key));
      if (!b->group[i])
        continue;
      if (!head) {
        g_hash_table_insert(first, key, GUINT_TO_POINTER(i + 1));
        continue;
      }
      b->start[i] = b->start[head - 1] = MIN(b->start[i], b->start[head - 1]);
      b->end[i] = b->end[head - 1] = MAX(b->end[i], b->end[head - 1]);
    }
}

static gint
compare_keys(gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* The distinct values of a column; owned by the caller (uint32_t). */
static GArray *
values_new(const uint32_t *column, uint32_t n)
{
  GArray *values = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < n; i++)
    if (g_hash_table_add(seen, GUINT_TO_POINTER(column[i])))
      g_array_append_val(values, column[i]);
  g_array_sort(values, compare_keys);
  return values;
}

static gint
compare_labels(gconstpointer a, gconstpointer b, gpointer data)
{
  const uint32_t *label = data;
  uint32_t x = label[*(const uint32_t *)a], y = label[*(const uint32_t *)b];
  return x < y ? -1 : x > y;
}

/* Of one space the unlabelled, and on top of them the batch that needs most; -1 where that does not fit. */
static tn_bytes
peak_of_apart(const TnBuffers *b, uint32_t *rows, uint32_t n, tn_tick end)
{
  tn_bytes unlabelled = 0, most = 0;
  g_qsort_with_data(rows, (int)n, sizeof *rows, compare_labels, b->batch);
  for (uint32_t from = 0, to; from < n; from = to) {
    uint32_t label = b->batch[rows[from]];
    for (to = from; to < n && b->batch[rows[to]] == label; to++)
      ;
    g_autoptr(TnCurve) curve = tn_curve_new_for_rows(b, rows + from, to - from, end);
    if (!curve)
      return -1;
    if (label)
      most = MAX(most, curve->peak);
    else
      unlabelled = curve->peak;
  }
  return unlabelled + most;
}

/* Over the spaces, each with the batch that needs most there: at once with the unlabelled, or with places
 * of its own. */
static tn_bytes
peak_of_batches(const TnStudy *study, const TnBuffers *b, bool are_apart)
{
  tn_bytes sum = 0;
  g_autofree uint32_t *first = NULL;
  g_autofree uint32_t *rows = tn_rows_by_space_new(study, true, &first);
  for (uint32_t s = 0; s < study->n_spaces; s++) {
    uint32_t n = first[s + 1] - first[s], *own = rows + first[s];
    g_autoptr(TnCurve) curve = tn_curve_new_for_part(b, own, n, study->axis_end);
    tn_bytes peak = !curve                  ? -1
                    : are_apart && b->batch ? peak_of_apart(b, own, n, study->axis_end)
                                            : curve->peak;
    if (peak < 0)
      return -1;
    sum += peak;
  }
  return sum;
}

static bool
has_batches(const TnBuffers *b)
{
  for (uint32_t i = 0; b->batch && i < b->n; i++)
    if (b->batch[i])
      return true;
  return false;
}

/* Each stream's own peak; -1 where there is one stream, or batches, which run one at a time. */
static tn_bytes
peak_of_streams(const TnStudy *study, const TnBuffers *b, uint8_t *is_counted)
{
  tn_bytes sum = 0;
  if (!b->stream || has_batches(b))
    return -1;
  g_autoptr(GArray) streams = values_new(b->stream, b->n);
  if (streams->len < 2 || !tells_streams(streams->len, b->n))
    return -1;
  for (guint k = 0; k < streams->len; k++) {
    for (uint32_t i = 0; i < b->n; i++)
      is_counted[i] = study->offset[i] >= 0 && b->stream[i] == g_array_index(streams, uint32_t, k);
    sum += peak_of(study, b, is_counted);
  }
  return sum;
}

/* ---- all of them
 * --------------------------------------------------------------------------------------- */

static bool
is_splittable(const TnStudy *study)
{
  uint32_t n_placed = 0;
  for (uint32_t i = 0; i < study->buffers->n; i++)
    n_placed += study->offset[i] >= 0;
  return !study->is_log && n_placed > 0 && study->arena_bytes > 0 && study->n_spaces <= 64;
}

/* What a step adds, as far as the arena has it: a plan may break a rule. */
static tn_bytes
step(tn_bytes *so_far, tn_bytes now, tn_bytes arena)
{
  tn_bytes more = CLAMP(now, *so_far, MAX(arena, *so_far)) - *so_far;
  *so_far += more;
  return more;
}

bool
tn_plan_gap_find(const TnStudy *study, TnPlanGap *out_gap)
{
  if (!is_splittable(study))
    return false;
  const TnBuffers *own = study->buffers;
  g_autofree uint8_t *is_counted = g_new(uint8_t, own->n);
  g_autoptr(TnBuffers) b = tn_buffers_copy(own), contents = tn_buffers_copy(own);
  TnPlanGap gap = {.arena = study->arena_bytes};
  take_contents(own, contents);
  tn_bytes at = gap.needed = peak_of_batches(study, contents, false);
  gap.rounding = step(&at, peak_of_batches(study, b, false), INT64_MAX);
  gap.theory = at;
  keep_apart(b, study->axis_end);
  gap.apart = step(&at, peak_of_batches(study, b, false), gap.arena);
  join_neighbours(b);
  gap.neighbours = step(&at, peak_of_batches(study, b, false), gap.arena);
  gap.batches = step(&at, peak_of_batches(study, b, true), gap.arena);
  tn_bytes streams = peak_of_streams(study, b, is_counted);
  gap.streams = streams >= 0 ? step(&at, streams, gap.arena) : 0;
  gap.misfit = gap.arena - at;
  *out_gap = gap;
  return gap.needed >= 0;
}
