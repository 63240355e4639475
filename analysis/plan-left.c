/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan-left.h"

#include "analysis/batch-sum.h"
#include "analysis/plan/occupancy.h"
#include "analysis/space-peaks.h"
#include "data/next-free.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[TN_N_LEFT_CAUSES] = {"apart", "neighbours", "batch", "stream",
                                                    "misfit"};

const char *
tn_left_cause_name(TnLeftCause cause)
{
  return names[cause];
}

/* ---- the moment
 * ----------------------------------------------------------------------------------------- */

/* When most is alive, space by space: of the batch that has most there with the unlabelled. */
typedef struct {
  uint32_t *label; /* by space; 0: none has any */
  tn_tick *tick;   /* by space */
  tn_bytes total;
} Moment;

static bool
is_of(const TnStudy *study, uint32_t i, const Moment *moment)
{
  return tn_batch_sum_counts(study->buffers, i, moment->label[tn_space_of(study, i)]);
}

static Moment
moment_new(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  Moment moment = {g_new0(uint32_t, study->n_spaces), g_new0(tn_tick, study->n_spaces), 0};
  g_autofree uint32_t *first = NULL;
  g_autofree uint32_t *rows = tn_rows_by_space_new(study, true, &first);
  for (uint32_t s = 0; s < study->n_spaces; s++) {
    uint32_t n = first[s + 1] - first[s], *own = rows + first[s];
    g_autoptr(TnCurve) live = tn_curve_new_for_part(b, own, n, study->axis_end);
    if (!live)
      continue;
    moment.total += live->peak;
    moment.tick[s] = live->peak_at;
    moment.label[s] = tn_batch_sum_label_at(b, own, n, live->peak_at);
  }
  return moment;
}

/* ---- who has the idle bytes
 * ------------------------------------------------------------------------------ */

typedef struct {
  const TnStudy *study;
  const Moment *moment;
  uint32_t space;
  GArray *rows;   /* uint32_t: placed here, as they are painted */
  tn_bytes *edge; /* n_edges addresses, growing */
  uint32_t n_edges;
  uint32_t *next;    /* by stretch between edges: itself, or on the way to one that is not painted */
  uint32_t *crowded; /* by stretch + 1: how many before it have two tenants or more */
  tn_bytes *idle, *at;
  uint8_t *is_alone;
} Paint;

/* Which of its bytes a buffer holds at the moment; false: none. */
static bool
window_of(const Paint *paint, uint32_t i, tn_bytes *low, tn_bytes *high)
{
  const TnBuffers *b = paint->study->buffers;
  return is_of(paint->study, i, paint->moment) &&
         tn_occupancy_window(b, i, paint->moment->tick[paint->space], low, high);
}

/* How far from the moment a buffer holds all of itself: 0 then; another batch's last of all. */
static tn_tick
distance_of(const Paint *paint, uint32_t i)
{
  const TnBuffers *b = paint->study->buffers;
  tn_tick at = paint->moment->tick[paint->space];
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n);
  if (!is_of(paint->study, i, paint->moment))
    return TN_TICK_MAX;
  if (b->start[i] > at || b->end[i] <= at)
    return b->start[i] > at ? b->start[i] - at : at - b->end[i] + 1;
  for (uint32_t g = 0; g < n; g++)
    if (gaps[g].start <= at && at < gaps[g].end)
      return MIN(at - gaps[g].start + 1, gaps[g].end - at);
  return 0;
}

static gint
compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
  const Paint *paint = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  tn_tick near = distance_of(paint, x), far = distance_of(paint, y);
  const tn_bytes *bytes = paint->study->buffers->bytes;
  if (near != far)
    return near < far ? -1 : 1;
  return bytes[x] != bytes[y] ? (bytes[x] > bytes[y] ? -1 : 1) : x < y ? -1 : x > y;
}

static int
compare_bytes(const void *a, const void *b)
{
  tn_bytes x = *(const tn_bytes *)a, y = *(const tn_bytes *)b;
  return (x > y) - (x < y);
}

static uint32_t
edge_at(const Paint *paint, tn_bytes address)
{
  uint32_t low = 0, high = paint->n_edges;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (paint->edge[middle] < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
add_edges(Paint *paint, tn_bytes low, tn_bytes high)
{
  paint->edge[paint->n_edges++] = low;
  paint->edge[paint->n_edges++] = high;
}

static void
cut(Paint *paint)
{
  const TnStudy *study = paint->study;
  uint32_t n = paint->rows->len, kept = 0;
  tn_bytes low, high;
  paint->edge = g_new(tn_bytes, (gsize)n * 4 + 1);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = g_array_index(paint->rows, uint32_t, k);
    add_edges(paint, study->offset[i], study->offset[i] + study->buffers->bytes[i]);
    if (window_of(paint, i, &low, &high) && high - low < study->buffers->bytes[i])
      add_edges(paint, study->offset[i] + low, study->offset[i] + high);
  }
  qsort(paint->edge, paint->n_edges, sizeof *paint->edge, compare_bytes);
  for (uint32_t k = 0; k < paint->n_edges; k++)
    if (kept == 0 || paint->edge[kept - 1] != paint->edge[k])
      paint->edge[kept++] = paint->edge[k];
  paint->n_edges = kept;
}

static void
count_tenants(Paint *paint)
{
  const TnStudy *study = paint->study;
  g_autofree int32_t *change = g_new0(int32_t, (gsize)paint->n_edges + 1);
  for (guint k = 0; k < paint->rows->len; k++) {
    uint32_t i = g_array_index(paint->rows, uint32_t, k);
    change[edge_at(paint, study->offset[i])]++;
    change[edge_at(paint, study->offset[i] + study->buffers->bytes[i])]--;
  }
  int32_t here = 0;
  paint->crowded[0] = 0;
  for (uint32_t e = 0; e < paint->n_edges; e++) {
    here += change[e];
    paint->crowded[e + 1] = paint->crowded[e] + (here > 1);
  }
}

/* Takes of [low, high) what nobody nearer to the moment has; returns how much, and the lowest of it. */
static tn_bytes
paint_stretch(Paint *paint, tn_bytes low, tn_bytes high, tn_bytes *out_at)
{
  tn_bytes sum = 0;
  uint32_t first = edge_at(paint, low), end = edge_at(paint, high);
  for (uint32_t e = tn_next_free(paint->next, first); e < end; e = tn_next_free(paint->next, e)) {
    if (sum == 0)
      *out_at = paint->edge[e];
    sum += paint->edge[e + 1] - paint->edge[e];
    paint->next[e] = e + 1;
  }
  return sum;
}

/* What is held at the moment: that of it which somebody painted before lies on each other. */
static tn_bytes
paint_held(Paint *paint, TnLeftSums *sums)
{
  tn_bytes painted = 0, low, high, at;
  for (guint k = 0; k < paint->rows->len; k++) {
    uint32_t i = g_array_index(paint->rows, uint32_t, k);
    if (!window_of(paint, i, &low, &high))
      continue;
    tn_bytes offset = paint->study->offset[i];
    tn_bytes own = paint_stretch(paint, offset + low, offset + high, &at);
    painted += own;
    sums->overlap += high - low - own;
  }
  return painted;
}

/* What is left of its place is idle for a buffer, the whole of which is not held at the moment. */
static tn_bytes
paint_idle(Paint *paint, TnLeftSums *sums)
{
  const TnStudy *study = paint->study;
  tn_bytes painted = 0;
  for (guint k = 0; k < paint->rows->len; k++) {
    uint32_t i = g_array_index(paint->rows, uint32_t, k);
    tn_bytes low = study->offset[i], high = low + study->buffers->bytes[i];
    paint->is_alone[i] = paint->crowded[edge_at(paint, high)] == paint->crowded[edge_at(paint, low)];
    paint->at[i] = TN_NOT_PLACED;
    paint->idle[i] = paint_stretch(paint, low, high, &paint->at[i]);
    painted += paint->idle[i];
  }
  sums->idle += painted;
  return painted;
}

static void
paint_space(Paint *paint, TnLeftSums *sums)
{
  const TnBuffers *b = paint->study->buffers;
  for (uint32_t i = 0; i < b->n; i++)
    if (paint->study->offset[i] >= 0 && b->bytes[i] > 0 && tn_buffers_space(b, i) == paint->space)
      g_array_append_val(paint->rows, i);
  cut(paint);
  paint->next = g_new(uint32_t, (gsize)paint->n_edges + 1);
  paint->crowded = g_new0(uint32_t, (gsize)paint->n_edges + 2);
  for (uint32_t e = 0; e <= paint->n_edges; e++)
    paint->next[e] = e;
  count_tenants(paint);
  g_array_sort_with_data(paint->rows, compare_rows, paint);
  tn_bytes painted = paint_held(paint, sums);
  painted += paint_idle(paint, sums);
  sums->unused += paint->study->space_arena[paint->space] - painted;
}

/* By buffer: its idle bytes, the lowest of them, and whether its place is its own. */
static TnLeftSums
paint_all(
    const TnStudy *study, const Moment *moment, tn_bytes *idle, tn_bytes *at, uint8_t *is_alone)
{
  TnLeftSums sums = {.arena = study->arena_bytes};
  for (uint32_t s = 0; s < study->n_spaces; s++) {
    Paint paint = {.study = study,
                   .moment = moment,
                   .space = s,
                   .rows = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                   .idle = idle,
                   .at = at,
                   .is_alone = is_alone};
    paint_space(&paint, &sums);
    g_array_unref(paint.rows);
    g_free(paint.edge);
    g_free(paint.next);
    g_free(paint.crowded);
  }
  return sums;
}

/* ---- rows
 * ------------------------------------------------------------------------------------------------
 */

/* The stream of most bytes that are alive at the moment; TN_NONE where none is known. */
static uint32_t
stream_at(const TnStudy *study, const Moment *moment)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(GHashTable) sums = g_hash_table_new(NULL, NULL);
  uint32_t best = TN_NONE;
  gsize most = 0;
  for (uint32_t i = 0; b->stream && i < b->n; i++) {
    tn_tick at = moment->tick[MIN(tn_buffers_space(b, i), study->n_spaces - 1)];
    tn_bytes low, high;
    if (!is_of(study, i, moment) || !tn_occupancy_window(b, i, at, &low, &high))
      continue;
    gpointer key = GUINT_TO_POINTER(b->stream[i]);
    gsize sum = GPOINTER_TO_SIZE(g_hash_table_lookup(sums, key)) + (gsize)(high - low);
    g_hash_table_insert(sums, key, GSIZE_TO_POINTER(sum));
    if (sum > most) {
      most = sum;
      best = b->stream[i];
    }
  }
  return best;
}

static TnLeftCause
cause_of(const TnStudy *study, const Moment *moment, uint32_t stream, uint32_t i)
{
  const TnBuffers *b = study->buffers;
  unsigned traits = tn_buffers_traits(b, i);
  if (b->flags[i] & TN_BUFFER_NO_REUSE || traits & (TN_TRAIT_ZERO_COPY | TN_TRAIT_CLEANED))
    return TN_LEFT_APART;
  if ((b->group && b->group[i]) || traits & TN_TRAIT_CONTINUOUS)
    return TN_LEFT_NEIGHBOURS;
  if (b->batch && b->batch[i] != moment->label[tn_space_of(study, i)])
    return TN_LEFT_BATCH;
  if (stream != TN_NONE && b->stream && b->stream[i] != TN_NONE && b->stream[i] != stream)
    return TN_LEFT_STREAM;
  return TN_LEFT_MISFIT;
}

static gint
compare_left(gconstpointer a, gconstpointer b)
{
  const TnLeftRow *x = a, *y = b;
  tn_bytes more = x->bytes - x->other_bytes, other = y->bytes - y->other_bytes;
  if (more != other)
    return more > other ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

bool
tn_plan_left_find(const TnStudy *study, const TnStudy *other, TnPlanLeft *out)
{
  uint32_t n = study->buffers->n;
  *out = (TnPlanLeft){0};
  if (other->buffers->n != n || !tn_plan_gap_find(study, &out->gap) ||
      !tn_plan_gap_find(other, &out->other_gap))
    return false;
  Moment moment = moment_new(study);
  g_autofree tn_bytes *idle = g_new0(tn_bytes, MAX(n, 1u)), *at = g_new0(tn_bytes, MAX(n, 1u));
  g_autofree tn_bytes *other_idle = g_new0(tn_bytes, MAX(n, 1u));
  g_autofree tn_bytes *other_at = g_new0(tn_bytes, MAX(n, 1u));
  g_autofree uint8_t *is_alone = g_new0(uint8_t, MAX(n, 1u));
  g_autofree uint8_t *is_other_alone = g_new0(uint8_t, MAX(n, 1u));
  out->theory = moment.total;
  out->own = paint_all(study, &moment, idle, at, is_alone);
  out->other = paint_all(other, &moment, other_idle, other_at, is_other_alone);
  out->rows = g_array_new(FALSE, FALSE, sizeof(TnLeftRow));
  uint32_t stream = stream_at(study, &moment);
  for (uint32_t i = 0; i < n; i++) {
    TnLeftRow row = {i,
                     idle[i],
                     other_idle[i],
                     idle[i] ? at[i] : TN_NOT_PLACED,
                     cause_of(study, &moment, stream, i),
                     is_alone[i]};
    if (row.bytes || row.other_bytes)
      g_array_append_val(out->rows, row);
  }
  g_array_sort(out->rows, compare_left);
  g_free(moment.tick);
  g_free(moment.label);
  return true;
}

void
tn_plan_left_clear(TnPlanLeft *left)
{
  g_clear_pointer(&left->rows, g_array_unref);
}
