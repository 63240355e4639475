/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/conflicts.h"

#include "analysis/plan/order.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const TnPlanProblem *problem;
  const uint32_t *body;
  GArray *pairs;
  uint64_t n_looks;
} Finder;

/* Rows by the stream and the rank of the op that writes them first. */
typedef struct {
  uint32_t *rows, *stream_first; /* n_streams + 1 */
  uint32_t *late;                /* n_streams: streams, those whose last writer begins last first */
  uint32_t *some;                /* n_streams: streams_after() */
  tn_tick *last_start;           /* by stream: until then writers may begin; INT64_MIN: it has none */
} Writers;

static uint32_t
writer_of(const TnPlanProblem *problem, uint32_t row)
{
  return problem->uses->writer[tn_plan_use_row(problem, row)];
}

/* What meets everybody, or nobody, need not be looked at. */
static bool
is_free(const Finder *finder, uint32_t row)
{
  const TnPlanProblem *problem = finder->problem;
  return finder->body[row] != TN_NONE &&
         !(problem->flags && problem->flags[row] & TN_BUFFER_NO_REUSE);
}

static bool
is_pair(const Finder *finder, uint32_t a, uint32_t b)
{
  const uint32_t *batch = finder->problem->batch;
  return finder->body[a] != finder->body[b] &&
         !(batch && batch[a] && batch[b] && batch[a] != batch[b]);
}

static bool
add_pair(Finder *finder, uint32_t a, uint32_t b)
{
  TnConflict pair = {a, b};
  g_array_append_val(finder->pairs, pair);
  return finder->pairs->len <= TN_CONFLICTS_MOST;
}

/* ---- streams
 * -------------------------------------------------------------------------------------------- */

static tn_tick
latest_start(const TnStreamUses *uses, uint32_t op)
{
  return tn_stream_uses_tick(uses, op) + uses->ticks_per_op;
}

static int
compare_last_starts(const void *a, const void *b, void *payload)
{
  const tn_tick *last_start = payload;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (last_start[x] != last_start[y])
    return last_start[x] > last_start[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static void
sort_streams(const TnPlanProblem *problem, uint32_t n_streams, Writers *writers)
{
  writers->late = g_new(uint32_t, MAX(n_streams, 1u));
  writers->some = g_new(uint32_t, MAX(n_streams, 1u));
  writers->last_start = g_new(tn_tick, MAX(n_streams, 1u));
  for (uint32_t s = 0; s < n_streams; s++) {
    uint32_t end = writers->stream_first[s + 1];
    writers->late[s] = s;
    writers->last_start[s] =
        end > writers->stream_first[s]
            ? latest_start(problem->uses, writer_of(problem, writers->rows[end - 1]))
            : INT64_MIN;
  }
  g_qsort_with_data(writers->late, (int)n_streams, sizeof *writers->late, compare_last_starts,
                    writers->last_start);
}

static Writers
writers_new(const TnPlanProblem *problem)
{
  const TnStreamClock *clock = problem->uses->clock;
  uint32_t n = problem->n, n_streams = tn_stream_clock_n_streams(clock);
  Writers writers = {.rows = g_new(uint32_t, MAX(n, 1u)),
                     .stream_first = g_new0(uint32_t, (gsize)n_streams + 1)};
  g_autofree uint64_t *key = g_new(uint64_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t op = writer_of(problem, i), s = tn_stream_clock_stream(clock, op);
    key[i] = (uint64_t)s << 32 | tn_stream_clock_rank(clock, op);
    writers.stream_first[s + 1]++;
  }
  for (uint32_t s = 0; s < n_streams; s++)
    writers.stream_first[s + 1] += writers.stream_first[s];
  tn_order_by_key(key, n, writers.rows);
  sort_streams(problem, n_streams, &writers);
  return writers;
}

/* The first of the stream's rows whose writer may begin at `tick` or later. */
static uint32_t
first_from(const Finder *finder, const Writers *writers, uint32_t stream, tn_tick tick)
{
  const TnStreamUses *uses = finder->problem->uses;
  uint32_t low = writers->stream_first[stream], high = writers->stream_first[stream + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2, op = writer_of(finder->problem, writers->rows[middle]);
    if (latest_start(uses, op) <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Rows of `stream` that begin after row `a` has ended, and before its users are known to have. */
static bool
add_unordered(Finder *finder, const Writers *writers, uint32_t a, uint32_t stream)
{
  const TnPlanProblem *problem = finder->problem;
  const TnStreamUses *uses = problem->uses;
  uint32_t row = tn_plan_use_row(problem, a), first = uses->last_first[row];
  uint32_t k = first_from(finder, writers, stream, problem->upper[a]);
  uint32_t end = writers->stream_first[stream + 1];
  if (k == end)
    return true;
  uint32_t known = tn_stream_clock_first_after(uses->clock, uses->last + first,
                                               uses->last_first[row + 1] - first, stream);
  for (; k < end; k++) {
    uint32_t b = writers->rows[k], rank = tn_stream_clock_rank(uses->clock, writer_of(problem, b));
    if (rank >= known)
      return true;
    if (rank + 1 == known && tn_stream_uses_follows(uses, row, tn_plan_use_row(problem, b)))
      continue; /* its writer is the last user itself */
    if (is_free(finder, b) && problem->lower[b] >= problem->upper[a] && is_pair(finder, a, b) &&
        !add_pair(finder, a, b))
      return false;
  }
  return true;
}

static int
compare_numbers(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Writes the streams that begin something after `tick` to `some`, by number.  Returns how many. */
static uint32_t
streams_after(const Writers *writers, uint32_t n_streams, tn_tick tick)
{
  uint32_t low = 0, high = n_streams, n = 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (writers->last_start[writers->late[middle]] > tick)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > n_streams / 8) {
    for (uint32_t s = 0; s < n_streams; s++)
      if (writers->last_start[s] > tick)
        writers->some[n++] = s;
    return n;
  }
  memcpy(writers->some, writers->late, low * sizeof *writers->some);
  qsort(writers->some, low, sizeof *writers->some, compare_numbers);
  return low;
}

static bool
find_unordered(Finder *finder)
{
  const TnPlanProblem *problem = finder->problem;
  Writers writers = writers_new(problem);
  uint32_t n_streams = tn_stream_clock_n_streams(problem->uses->clock);
  bool is_good = true;
  for (uint32_t a = 0; a < problem->n && is_good; a++) {
    uint32_t n = is_free(finder, a) ? streams_after(&writers, n_streams, problem->upper[a]) : 0;
    for (uint32_t i = 0; i < n && is_good; i++)
      is_good = ++finder->n_looks <= TN_CONFLICTS_LOOKS &&
                add_unordered(finder, &writers, a, writers.some[i]);
  }
  g_free(writers.late);
  g_free(writers.some);
  g_free(writers.last_start);
  g_free(writers.rows);
  g_free(writers.stream_first);
  return is_good;
}

/* ---- streams and gaps
 * ----------------------------------------------------------------------------------------- */

/* The k-th stretch in which the row holds all of itself; false behind the last. */
static bool
whole_stretch(const TnPlanProblem *problem, uint32_t row, uint32_t k, tn_tick *start, tn_tick *end)
{
  uint32_t first = problem->gap_first[row], n = problem->gap_first[row + 1] - first;
  if (k > n)
    return false;
  *start = k ? problem->gaps[first + k - 1].end : problem->lower[row];
  *end = k < n ? problem->gaps[first + k].start : problem->upper[row];
  return true;
}

static bool
meet_whole(const TnPlanProblem *problem, uint32_t a, uint32_t b)
{
  uint32_t i = 0, k = 0;
  tn_tick start, end, other_start, other_end;
  while (whole_stretch(problem, a, i, &start, &end) &&
         whole_stretch(problem, b, k, &other_start, &other_end)) {
    if (MAX(start, other_start) < MIN(end, other_end))
      return true;
    if (end <= other_end)
      i++;
    else
      k++;
  }
  return false;
}

/* Both are where they are: only what is known to be wrong keeps them apart, that who begins in the other's
 * gap has not even waited for its writer. */
static bool
are_fixed_rightly(const TnPlanProblem *problem, uint32_t a, uint32_t b)
{
  const tn_bytes *fixed = problem->fixed;
  uint32_t first = problem->lower[a] <= problem->lower[b] ? a : b, later = first == a ? b : a;
  return fixed && fixed[a] != TN_NOT_PLACED && fixed[b] != TN_NOT_PLACED &&
         tn_stream_clock_is_after(problem->uses->clock, writer_of(problem, first),
                                  writer_of(problem, later));
}

/* Whether one lies in gaps of the other, as far as lives go, though their users are of several streams.
 * Who of them has ended where a gap begins is not known: only each stream's last user is. */
static bool
is_loose_in_gap(const Finder *finder, uint32_t a, uint32_t b)
{
  const TnPlanProblem *problem = finder->problem;
  return a != b && problem->lower[a] < problem->upper[b] && is_free(finder, b) && is_pair(finder, a, b) &&
         !tn_stream_uses_are_of_one(problem->uses, tn_plan_use_row(problem, a),
                                    tn_plan_use_row(problem, b)) &&
         !are_fixed_rightly(problem, a, b) && !meet_whole(problem, a, b);
}

/* Where to begin in them: what began before the row meets it whole, unless that begins with a gap. */
static uint32_t
first_in_hull(const TnPlanProblem *problem, const uint32_t *by_start, uint32_t row)
{
  bool has_gap_first = problem->gaps[problem->gap_first[row]].start <= problem->lower[row];
  return has_gap_first ? 0 : tn_order_find(by_start, problem->lower, problem->n, problem->lower[row]);
}

static bool
find_in_gaps(Finder *finder)
{
  const TnPlanProblem *problem = finder->problem;
  if (!problem->gap_first || problem->has_loose_gaps)
    return true;
  g_autofree uint32_t *by_start = tn_order_by_tick(problem->lower, problem->n);
  for (uint32_t a = 0; a < problem->n; a++) {
    if (problem->gap_first[a] == problem->gap_first[a + 1] || !is_free(finder, a))
      continue;
    uint32_t k = first_in_hull(problem, by_start, a);
    for (; k < problem->n && problem->lower[by_start[k]] < problem->upper[a]; k++)
      if (++finder->n_looks > TN_CONFLICTS_LOOKS ||
          (is_loose_in_gap(finder, a, by_start[k]) && !add_pair(finder, a, by_start[k])))
        return false;
  }
  return true;
}

/* ---- batches
 * --------------------------------------------------------------------------------------------- */

static GArray *
rows_of_batches(const Finder *finder, bool is_labelled)
{
  const TnPlanProblem *problem = finder->problem;
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < problem->n; i++)
    if ((problem->batch[i] != 0) == is_labelled && is_free(finder, i))
      g_array_append_val(rows, i);
  return rows;
}

static bool
find_apart(Finder *finder)
{
  g_autoptr(GArray) one = rows_of_batches(finder, false), two = rows_of_batches(finder, true);
  bool is_good = true;
  for (guint i = 0; i < one->len; i++)
    for (guint k = 0; k < two->len && is_good; k++)
      is_good = add_pair(finder, g_array_index(one, uint32_t, i), g_array_index(two, uint32_t, k));
  return is_good;
}

/* ---- traits
 * --------------------------------------------------------------------------------------------- */

static GArray *
rows_with(const Finder *finder, unsigned traits)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < finder->problem->n; i++)
    if (finder->problem->traits[i] & traits && is_free(finder, i))
      g_array_append_val(rows, i);
  return rows;
}

/* Each of one kind against each of the other, as far as their lives are apart. */
static bool
find_kinds(Finder *finder, unsigned kind, unsigned other)
{
  const TnPlanProblem *problem = finder->problem;
  g_autoptr(GArray) one = rows_with(finder, kind), two = rows_with(finder, other);
  tn_tick last_start = INT64_MIN, first_end = INT64_MAX;
  for (guint k = 0; k < two->len; k++) {
    last_start = MAX(last_start, problem->lower[g_array_index(two, uint32_t, k)]);
    first_end = MIN(first_end, problem->upper[g_array_index(two, uint32_t, k)]);
  }
  for (guint i = 0; i < one->len; i++) {
    uint32_t a = g_array_index(one, uint32_t, i);
    if (problem->upper[a] > last_start && problem->lower[a] < first_end)
      continue; /* it meets them all by its life */
    finder->n_looks += two->len;
    if (finder->n_looks > TN_CONFLICTS_LOOKS)
      return false;
    for (guint k = 0; k < two->len; k++) {
      uint32_t b = g_array_index(two, uint32_t, k);
      bool is_apart = problem->upper[a] <= problem->lower[b] || problem->upper[b] <= problem->lower[a];
      if (is_apart && is_pair(finder, a, b) && !add_pair(finder, a, b))
        return false;
    }
  }
  return true;
}

bool
tn_conflicts_find(const TnPlanProblem *problem, const uint32_t *body, GArray *pairs)
{
  Finder finder = {problem, body, pairs, 0};
  bool is_good = !problem->uses || (find_unordered(&finder) && find_in_gaps(&finder));
  if (is_good && problem->is_apart && problem->batch)
    is_good = find_apart(&finder);
  if (!problem->traits)
    return is_good;
  return is_good && find_kinds(&finder, TN_TRAIT_ZERO_COPY, TN_TRAIT_CONTINUOUS) &&
         find_kinds(&finder, TN_TRAIT_CLEANED, TN_TRAIT_DATA);
}

GArray *
tn_conflicts_zero_copy_new(const TnPlanProblem *problem, const uint32_t *body)
{
  Finder finder = {problem, body, NULL, 0};
  return problem->traits ? rows_with(&finder, TN_TRAIT_ZERO_COPY)
                         : g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

/* ---- no reuse
 * --------------------------------------------------------------------------------------------- */

static bool
is_hollow(const TnPlanProblem *problem, uint32_t row)
{
  tn_tick start, end;
  for (uint32_t k = 0; whole_stretch(problem, row, k, &start, &end); k++)
    if (MAX(start, problem->lower[row]) < MIN(end, problem->upper[row]))
      return false;
  return true;
}

GArray *
tn_conflicts_hollow_new(const TnPlanProblem *problem, const uint32_t *body)
{
  Finder finder = {problem, body, NULL, 0};
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bool has_no_reuse = false;
  for (uint32_t i = 0; i < problem->n; i++)
    has_no_reuse |= body[i] != TN_NONE && !is_free(&finder, i);
  for (uint32_t i = 0; i < problem->n && has_no_reuse && problem->gap_first; i++)
    if (is_free(&finder, i) && is_hollow(problem, i))
      g_array_append_val(rows, i);
  return rows;
}
