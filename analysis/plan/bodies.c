/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/bodies.h"

#include "analysis/plan/group-layout.h"
#include "analysis/plan/conflicts.h"
#include "analysis/plan/order.h"
#include "analysis/plan/ticks.h"

/* A span before time is cut into sections. */
typedef struct {
  uint32_t body;
  uint32_t copy; /* of the axis: 0, or a batch's number */
  bool is_everywhere; /* at all times of all batches */
  tn_tick start, end;
  tn_bytes low, high;
} Raw;

typedef struct {
  const TnPlanProblem *problem;
  TnBodies *bodies;
  GArray *raws; /* Raw, in body order once sorted */
  tn_tick axis_start, axis_end;
  uint32_t *copy; /* by row: copy of the axis, 0 for the unlabelled; NULL: no batches */
  uint32_t n_copies;
  uint32_t n_extra; /* copies for conflicts, behind those of batches */
  tn_tick *copy_start, *copy_end; /* hull of what is labelled, by copy */
  bool *is_labelled; /* by body: a row of it that needs a place has a batch; NULL: no batches */
  char **out_message;
} Builder;

static bool
fail(Builder *builder, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_free(*builder->out_message);
  *builder->out_message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return false;
}

static uint8_t
flags_of(const TnPlanProblem *problem, uint32_t row)
{
  return problem->flags ? problem->flags[row] : 0;
}

static tn_bytes
alignment_of(const TnPlanProblem *problem, uint32_t row)
{
  return problem->alignment ? MAX(problem->alignment[row], 1) : 1;
}

static tn_bytes
fixed_of(const TnPlanProblem *problem, uint32_t row)
{
  return problem->fixed ? problem->fixed[row] : TN_NOT_PLACED;
}

static bool
is_no_reuse(const TnPlanProblem *problem, uint32_t row)
{
  return (flags_of(problem, row) & TN_BUFFER_NO_REUSE) != 0;
}

/* ---- alignment: offset = residue (mod step) -------------------------------------------------- */

/* x with x * a = 1 (mod m), 0 <= x < m; `a` and `m` have no common factor.  Euclid's algorithm, extended. */
static tn_bytes
inverse(tn_bytes a, tn_bytes m)
{
  tn_bytes x = 0, next_x = 1, r = m, next_r = a % m;
  while (next_r) {
    tn_bytes quotient = r / next_r, rest = r - quotient * next_r, before = x - quotient * next_x;
    r = next_r;
    next_r = rest;
    x = next_x;
    next_x = before;
  }
  return x < 0 ? x + m : x;
}

/* Adds "offset = more_residue (mod more_step)" to what the body demands already; false where both together are
 * impossible or their common step overflows.  Method: the Chinese remainder theorem. */
static bool
narrow(tn_bytes *step, tn_bytes *residue, tn_bytes more_step, tn_bytes more_residue)
{
  tn_bytes common = tn_gcd(*step, more_step), joint;
  if ((*residue - more_residue) % common != 0 || !tn_mul(*step / common, more_step, &joint))
    return false;
  tn_bytes m = more_step / common, missing = (more_residue - *residue) / common % m;
  __int128 n_steps = (__int128)(missing < 0 ? missing + m : missing) * inverse(*step / common, m) % m;
  *residue = (tn_bytes)((*residue + n_steps * *step) % joint);
  *step = joint;
  return true;
}

static bool
set_alignment(Builder *builder, uint32_t b, tn_bytes step, tn_bytes residue)
{
  TnBodies *bodies = builder->bodies;
  if (step > 1 && !bodies->alignment) {
    bodies->alignment = g_new(tn_bytes, bodies->n_rows);
    bodies->residue = g_new0(tn_bytes, bodies->n_rows);
    for (uint32_t i = 0; i < bodies->n_rows; i++)
      bodies->alignment[i] = 1;
  }
  if (bodies->alignment) {
    bodies->alignment[b] = step;
    bodies->residue[b] = residue;
  }
  return true;
}

static bool
set_fixed(Builder *builder, uint32_t b, uint32_t row, tn_bytes offset)
{
  TnBodies *bodies = builder->bodies;
  if (!bodies->fixed) {
    bodies->fixed = g_new(tn_bytes, bodies->n_rows);
    for (uint32_t i = 0; i < bodies->n_rows; i++)
      bodies->fixed[i] = TN_NOT_PLACED;
  }
  if (offset < 0)
    return fail(builder, "row %u is fixed where its group would start below 0", row);
  if (bodies->fixed[b] != TN_NOT_PLACED && bodies->fixed[b] != offset)
    return fail(builder, "row %u is fixed where its contiguous group cannot be", row);
  if (tn_bodies_align(bodies, b, offset) != offset)
    return fail(builder, "row %u is fixed at an offset that its alignment forbids", row);
  bodies->fixed[b] = offset;
  return true;
}

/* ---- spans ------------------------------------------------------------------------------------
 */

static void
add_raw(Builder *builder, uint32_t row, uint32_t body, tn_tick start, tn_tick end, TnSpan window)
{
  if (start >= end || window.low >= window.high)
    return;
  Raw raw = {.body = body,
             .copy = builder->copy ? builder->copy[row] : 0,
             .is_everywhere = builder->n_copies > 1 && is_no_reuse(builder->problem, row),
             .start = start,
             .end = end,
             .low = window.low,
             .high = window.high};
  if (raw.copy == 0 && !raw.is_everywhere) {
    g_array_append_val(builder->raws, raw);
    for (raw.copy = 1; raw.copy < builder->n_copies; raw.copy++)
      if (start < builder->copy_end[raw.copy] && builder->copy_start[raw.copy] < end)
        g_array_append_val(builder->raws, raw);
    return;
  }
  g_array_append_val(builder->raws, raw);
}

static void
add_row(Builder *builder, uint32_t row, uint32_t body, tn_bytes within)
{
  const TnPlanProblem *problem = builder->problem;
  TnBodies *bodies = builder->bodies;
  tn_bytes size = problem->size[row];
  tn_tick start = problem->lower[row], end = problem->upper[row];
  TnSpan whole = {.low = within, .high = within + size};
  uint32_t gap = 0, n_gaps = 0;
  if (is_no_reuse(problem, row)) {
    start = builder->axis_start;
    end = builder->axis_end;
  } else if (problem->gap_first) {
    gap = problem->gap_first[row];
    n_gaps = problem->gap_first[row + 1];
  }
  if (builder->is_labelled)
    builder->is_labelled[body] |= problem->batch[row] != 0;
  bodies->start[body] = MIN(bodies->start[body], start);
  bodies->end[body] = MAX(bodies->end[body], end);
  for (; gap < n_gaps; gap++) {
    const TnGap *hole = &problem->gaps[gap];
    tn_tick from = CLAMP(hole->start, start, end), to = CLAMP(hole->end, from, end);
    TnSpan window = {.low = within + CLAMP(hole->low, 0, size),
                     .high = within + CLAMP(hole->high, 0, size)};
    add_raw(builder, row, body, start, from, whole);
    add_raw(builder, row, body, from, to, window);
    start = to;
  }
  add_raw(builder, row, body, start, end, whole);
}

static uint32_t
add_body(Builder *builder, uint32_t row, tn_bytes size)
{
  TnBodies *bodies = builder->bodies;
  uint32_t b = bodies->n++;
  bodies->size[b] = size;
  bodies->row[b] = row;
  bodies->start[b] = INT64_MAX;
  bodies->end[b] = INT64_MIN;
  return b;
}

static bool
needs_place(const TnPlanProblem *problem, uint32_t row)
{
  return problem->size[row] > 0 &&
         (problem->lower[row] < problem->upper[row] || is_no_reuse(problem, row));
}

/* Nothing has to be kept clear for it, but it stands where it is said to stand. */
static bool
add_empty(Builder *builder, uint32_t row)
{
  const TnPlanProblem *problem = builder->problem;
  TnBodies *bodies = builder->bodies;
  tn_bytes at = fixed_of(problem, row);
  bodies->body[row] = TN_NONE;
  if (at == TN_NOT_PLACED)
    return true;
  if (at % alignment_of(problem, row) != 0)
    return fail(builder, "row %u is fixed at an offset that its alignment forbids", row);
  if (!bodies->empty_at)
    bodies->empty_at = g_new0(tn_bytes, problem->n);
  bodies->empty_at[row] = at;
  return true;
}

static bool
add_single(Builder *builder, uint32_t row)
{
  const TnPlanProblem *problem = builder->problem;
  TnBodies *bodies = builder->bodies;
  if (!needs_place(problem, row))
    return add_empty(builder, row);
  uint32_t b = bodies->body[row] = add_body(builder, row, problem->size[row]);
  set_alignment(builder, b, alignment_of(problem, row), 0);
  add_row(builder, row, b, 0);
  if (fixed_of(problem, row) != TN_NOT_PLACED)
    return set_fixed(builder, b, row, problem->fixed[row]);
  return true;
}

/* ---- contiguous groups ------------------------------------------------------------------------
 */

/* Whether members of a padded group could lie otherwise: any space below the strictest alignment may
 * be between two.  Where all have that alignment there is one such space only. */
static bool
is_loose(const TnPlanProblem *problem, const uint32_t *rows, uint32_t n, bool is_padded)
{
  tn_bytes strictest = 1, weakest = INT64_MAX;
  uint32_t n_full = 0;
  for (uint32_t i = 0; i < n; i++) {
    tn_bytes alignment = alignment_of(problem, rows[i]);
    strictest = MAX(strictest, alignment);
    if (problem->size[rows[i]] == 0)
      continue;
    weakest = MIN(weakest, alignment);
    n_full++;
  }
  return is_padded && n_full > 1 && weakest < strictest;
}

/* Lays the members of a group on top of each other, sets their `within`, and narrows the group's
 * alignment.  With padding, the base has the strictest alignment of all and each member follows at
 * its next multiple; without, every member's own alignment narrows where the base may be. */
static bool
lay_out_group(Builder *builder, const uint32_t *rows, uint32_t n, bool is_padded, uint32_t b)
{
  const TnPlanProblem *problem = builder->problem;
  tn_bytes height = 0, step = 1, residue = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t row = rows[i];
    tn_bytes alignment = alignment_of(problem, row), at = height;
    if (problem->size[row] == 0) { /* what holds no bytes lies anywhere, and moves nobody */
      if (!add_empty(builder, row))
        return false;
      continue;
    }
    if (is_padded && !tn_round_up(height, alignment, &at))
      return fail(builder, "the sizes of row %u's group do not fit into 64 bits", row);
    if (!narrow(&step, &residue, alignment,
                is_padded ? 0 : (alignment - at % alignment) % alignment))
      return fail(builder, "row %u cannot be aligned in its contiguous group without padding", row);
    builder->bodies->within[row] = at;
    builder->bodies->body[row] = b;
    if (!tn_add(at, problem->size[row], &height))
      return fail(builder, "the sizes of row %u's group do not fit into 64 bits", row);
  }
  if (b == TN_NONE)
    return true;
  builder->bodies->size[b] = height;
  return set_alignment(builder, b, step, residue);
}

/* The same of a padded group that could lie otherwise, around the members that are fixed (`b` is never
 * TN_NONE): what is fixed is not moved, so that the base may be anywhere. */
static bool
lay_out_around(Builder *builder, const uint32_t *rows, uint32_t n, uint32_t b)
{
  const TnPlanProblem *problem = builder->problem;
  TnBodies *bodies = builder->bodies;
  uint32_t fixed = TN_NONE;
  tn_bytes base = TN_NOT_PLACED, top = 0;
  g_autofree tn_bytes *at = g_new(tn_bytes, n);
  for (uint32_t i = 0; i < n; i++) {
    bool is_fixed = fixed_of(problem, rows[i]) != TN_NOT_PLACED;
    if (is_fixed && fixed_of(problem, rows[i]) % alignment_of(problem, rows[i]) != 0)
      return fail(builder, "row %u is fixed at an offset that its alignment forbids", rows[i]);
    if (problem->size[rows[i]] == 0 && !add_empty(builder, rows[i]))
      return false;
    if (is_fixed && problem->size[rows[i]] > 0)
      fixed = rows[i];
  }
  if (!tn_group_layout_around(problem, rows, n, at))
    return fail(builder, "row %u is fixed where its contiguous group cannot be", fixed);
  for (uint32_t i = 0; i < n; i++) {
    if (problem->size[rows[i]] == 0)
      continue;
    base = base == TN_NOT_PLACED ? at[i] : base;
    top = at[i] + problem->size[rows[i]];
    bodies->within[rows[i]] = at[i] - base;
    bodies->body[rows[i]] = b;
  }
  bodies->size[b] = top - base;
  return set_alignment(builder, b, 1, 0);
}

static bool
has_fixed(const TnPlanProblem *problem, const uint32_t *rows, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    if (problem->size[rows[i]] > 0 && fixed_of(problem, rows[i]) != TN_NOT_PLACED)
      return true;
  return false;
}

static bool
add_group(Builder *builder, const uint32_t *rows, uint32_t n)
{
  const TnPlanProblem *problem = builder->problem;
  uint32_t first = n, n_full = 0;
  bool is_padded = false;
  for (uint32_t i = n; i-- > 0;) {
    is_padded |= (flags_of(problem, rows[i]) & TN_BUFFER_GROUP_PADDED) != 0;
    if (problem->size[rows[i]] > 0) {
      first = i;
      n_full++;
    }
  }
  uint32_t b = n_full ? add_body(builder, rows[first], 0) : TN_NONE;
  if (!builder->bodies->within)
    builder->bodies->within = g_new0(tn_bytes, problem->n);
  bool could_lie_otherwise = is_loose(problem, rows, n, is_padded);
  builder->bodies->is_loose |= could_lie_otherwise;
  if (could_lie_otherwise && has_fixed(problem, rows, n)
          ? !lay_out_around(builder, rows, n, b)
          : !lay_out_group(builder, rows, n, is_padded, b))
    return false;
  builder->bodies->is_convex &= n_full <= 1;
  for (uint32_t i = 0; i < n; i++) {
    if (problem->size[rows[i]] == 0)
      continue;
    tn_bytes within = builder->bodies->within[rows[i]], fixed = fixed_of(problem, rows[i]);
    if (needs_place(problem, rows[i]))
      add_row(builder, rows[i], b, within);
    if (fixed != TN_NOT_PLACED && !set_fixed(builder, b, rows[i], fixed - within))
      return false;
  }
  return true;
}

/* Rows of one group, brought together in row order. */
static bool
add_groups(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  g_autofree uint64_t *key = g_new(uint64_t, problem->n);
  g_autofree uint32_t *order = g_new(uint32_t, problem->n);
  for (uint32_t row = 0; row < problem->n; row++)
    key[row] = problem->group[row];
  tn_order_by_key(key, problem->n, order);
  for (uint32_t i = 0, next; i < problem->n; i = next) {
    for (next = i + 1; next < problem->n && key[order[next]] == key[order[i]];)
      next++;
    if (key[order[i]] != 0) {
      if (!add_group(builder, order + i, next - i))
        return false;
      continue;
    }
    for (uint32_t j = i; j < next; j++)
      if (!add_single(builder, order[j]))
        return false;
  }
  return true;
}

static bool
add_rows(Builder *builder)
{
  if (builder->problem->group)
    return add_groups(builder);
  for (uint32_t row = 0; row < builder->problem->n; row++)
    if (!add_single(builder, row))
      return false;
  return true;
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static void
number_batches(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  builder->n_copies = 1;
  if (!problem->batch)
    return;
  g_autoptr(GHashTable) copies = g_hash_table_new(NULL, NULL);
  builder->is_labelled = g_new0(bool, MAX(problem->n, 1u));
  builder->copy = g_new0(uint32_t, problem->n);
  builder->copy_start = g_new(tn_tick, (gsize)problem->n + 1);
  builder->copy_end = g_new(tn_tick, (gsize)problem->n + 1);
  for (uint32_t row = 0; row < problem->n; row++) {
    gpointer label = GUINT_TO_POINTER(problem->batch[row]), copy;
    if (!label || is_no_reuse(problem, row) || !needs_place(problem, row))
      continue;
    if (!g_hash_table_lookup_extended(copies, label, NULL, &copy)) {
      copy = GUINT_TO_POINTER(builder->n_copies);
      builder->copy_start[builder->n_copies] = INT64_MAX;
      builder->copy_end[builder->n_copies++] = INT64_MIN;
      g_hash_table_insert(copies, label, copy);
    }
    uint32_t c = builder->copy[row] = GPOINTER_TO_UINT(copy);
    builder->copy_start[c] = MIN(builder->copy_start[c], problem->lower[row]);
    builder->copy_end[c] = MAX(builder->copy_end[c], problem->upper[row]);
  }
}

/* ---- conflicts
 * ------------------------------------------------------------------------------------------ */

/* A span of all of the row's height in the newest extra copy. */
static void
add_extra(Builder *builder, uint32_t row, tn_tick start, tn_tick end)
{
  const TnBodies *bodies = builder->bodies;
  if (builder->problem->size[row] == 0)
    return;
  tn_bytes low = bodies->within ? bodies->within[row] : 0;
  Raw raw = {.body = bodies->body[row],
             .copy = builder->n_copies + builder->n_extra - 1,
             .start = start,
             .end = end,
             .low = low,
             .high = low + builder->problem->size[row]};
  g_array_append_val(builder->raws, raw);
}

/* Brings the spans of each body together again; stable. */
static void
sort_raws(Builder *builder)
{
  uint32_t n = builder->raws->len;
  GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(Raw), n);
  g_autofree uint64_t *key = g_new(uint64_t, MAX(n, 1u));
  g_autofree uint32_t *order = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    key[i] = g_array_index(builder->raws, Raw, i).body;
  tn_order_by_key(key, n, order);
  for (uint32_t i = 0; i < n; i++)
    g_array_append_val(sorted, g_array_index(builder->raws, Raw, order[i]));
  g_array_unref(builder->raws);
  builder->raws = sorted;
}

/* What holds no more than windows all its life keeps no-reuse rows out of all its height: it has a
 * moment of its own with each of them. */
static void
add_hollow(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  g_autoptr(GArray) hollow = tn_conflicts_hollow_new(problem, builder->bodies->body);
  builder->n_extra += hollow->len > 0;
  for (guint i = 0; i < hollow->len; i++)
    add_extra(builder, g_array_index(hollow, uint32_t, i), i, i + 1);
  for (uint32_t row = 0; row < problem->n && hollow->len; row++)
    if (is_no_reuse(problem, row))
      add_extra(builder, row, 0, hollow->len);
}

static bool
add_pairs(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(TnConflict));
  g_autoptr(GArray) zero_copy = tn_conflicts_zero_copy_new(problem, builder->bodies->body);
  if (!tn_conflicts_find(problem, builder->bodies->body, pairs))
    return fail(builder, "more than %u pairs of buffers may not share because their streams do not "
                         "wait for each other (or more than %u had to be looked at): `ge` needs no "
                         "such list",
                TN_CONFLICTS_MOST, TN_CONFLICTS_LOOKS);
  builder->n_extra += zero_copy->len > 1;
  for (guint i = 0; i < zero_copy->len && zero_copy->len > 1; i++)
    add_extra(builder, g_array_index(zero_copy, uint32_t, i), 0, 1);
  for (guint i = 0; i < pairs->len; i++) {
    builder->n_extra++;
    add_extra(builder, g_array_index(pairs, TnConflict, i).a, 0, 1);
    add_extra(builder, g_array_index(pairs, TnConflict, i).b, 0, 1);
  }
  return true;
}

static bool
add_conflicts(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  if ((problem->uses || problem->traits || problem->is_apart) && !add_pairs(builder))
    return false;
  add_hollow(builder);
  if (builder->n_extra)
    sort_raws(builder);
  return true;
}

/* ---- sections ---------------------------------------------------------------------------------
 */

/* Copies of batches lie one behind the other: what is everywhere is one span over all of them, not one in
 * each. */
static void
stretch_over_copies(const Builder *builder, uint32_t *last)
{
  uint32_t end = 0;
  for (guint i = 0; builder->n_copies > 1 && i < builder->raws->len; i++)
    if (g_array_index(builder->raws, Raw, i).copy < builder->n_copies)
      end = MAX(end, last[i]);
  for (guint i = 0; end && i < builder->raws->len; i++)
    if (g_array_index(builder->raws, Raw, i).is_everywhere)
      last[i] = end;
}

static void
cut_sections(Builder *builder)
{
  TnBodies *bodies = builder->bodies;
  uint32_t n = bodies->n_spans = builder->raws->len;
  const Raw *raws = (const Raw *)(void *)builder->raws->data;
  g_autofree tn_tick *start = g_new(tn_tick, n), *end = g_new(tn_tick, n);
  g_autofree uint32_t *copy = builder->copy || builder->n_extra ? g_new(uint32_t, n) : NULL;
  g_autofree uint32_t *first = g_new(uint32_t, n), *last = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    start[i] = raws[i].start;
    end[i] = raws[i].end;
    if (copy)
      copy[i] = raws[i].copy;
  }
  bodies->n_sections = tn_ticks_cut(start, end, copy, n, first, last);
  stretch_over_copies(builder, last);
  bodies->spans = g_new(TnSpan, MAX(n, 1u));
  bodies->span_first = g_new0(uint32_t, (gsize)bodies->n + 1);
  for (uint32_t i = 0; i < n; i++) {
    bodies->spans[i] = (TnSpan){first[i], last[i], raws[i].low, raws[i].high};
    bodies->span_first[raws[i].body + 1] = i + 1;
    bodies->is_convex &= raws[i].high - raws[i].low == bodies->size[raws[i].body];
  }
  for (uint32_t b = 0; b < bodies->n; b++)
    bodies->span_first[b + 1] = MAX(bodies->span_first[b + 1], bodies->span_first[b]);
}

typedef enum { ALL, UNLABELLED, LABELLED } Who;

static bool
is_of(const Builder *builder, uint32_t b, Who who)
{
  return who == ALL || builder->is_labelled[b] == (who == LABELLED);
}

/* Largest sum of window heights in one section. */
static tn_bytes
peak_of(const Builder *builder, Who who)
{
  const TnBodies *bodies = builder->bodies;
  g_autofree tn_bytes *step = g_new0(tn_bytes, (gsize)bodies->n_sections + 1);
  tn_bytes live = 0, peak = 0;
  for (uint32_t b = 0; b < bodies->n; b++)
    for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
      if (!is_of(builder, b, who))
        continue;
      step[bodies->spans[i].first] += bodies->spans[i].high - bodies->spans[i].low;
      step[bodies->spans[i].last] -= bodies->spans[i].high - bodies->spans[i].low;
    }
  for (uint32_t s = 0; s < bodies->n_sections; s++) {
    live += step[s];
    peak = MAX(peak, live);
  }
  return peak;
}

static bool
find_bounds(Builder *builder)
{
  TnBodies *bodies = builder->bodies;
  tn_bytes total = 0;
  bodies->lower_bound = peak_of(builder, ALL);
  if (builder->problem->is_apart && builder->problem->batch)
    bodies->lower_bound =
        MAX(bodies->lower_bound, peak_of(builder, UNLABELLED) + peak_of(builder, LABELLED));
  bodies->fixed_bound = bodies->lower_bound;
  for (uint32_t b = 0; b < bodies->n; b++) {
    tn_bytes at = tn_bodies_is_fixed(bodies, b) ? bodies->fixed[b] : tn_bodies_align(bodies, b, 0);
    tn_bytes top, room;
    if (!tn_add(at, bodies->size[b], &top) || !tn_add(total, bodies->size[b], &room) ||
        (bodies->alignment && !tn_add(room, bodies->alignment[b], &room)) ||
        !tn_add(room, tn_bodies_is_fixed(bodies, b) ? at : 0, &total))
      return fail(builder, "the sizes together do not fit into 64 bits");
    bodies->fixed_bound = MAX(bodies->fixed_bound, top);
  }
  return true;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void
find_axis(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  builder->axis_start = INT64_MAX;
  builder->axis_end = INT64_MIN;
  for (uint32_t row = 0; row < problem->n; row++) {
    builder->axis_start = MIN(builder->axis_start, problem->lower[row]);
    builder->axis_end = MAX(builder->axis_end, problem->upper[row]);
  }
  if (problem->n && builder->axis_end <= builder->axis_start)
    builder->axis_end = builder->axis_start + 1;
}

static TnBodies *
allocate(uint32_t n)
{
  TnBodies *bodies = g_new0(TnBodies, 1);
  bodies->n_rows = n;
  bodies->is_convex = true;
  bodies->size = g_new(tn_bytes, MAX(n, 1u));
  bodies->start = g_new(tn_tick, MAX(n, 1u));
  bodies->end = g_new(tn_tick, MAX(n, 1u));
  bodies->body = g_new(uint32_t, MAX(n, 1u));
  bodies->row = g_new(uint32_t, MAX(n, 1u));
  return bodies;
}

/* What would break the arithmetic of the others: negative sizes, sums that overflow. */
static bool
check_sizes(Builder *builder)
{
  const TnPlanProblem *problem = builder->problem;
  tn_bytes total = 0;
  for (uint32_t row = 0; row < problem->n; row++)
    if (problem->size[row] < 0 || !tn_add(total, problem->size[row], &total))
      return fail(builder, "the sizes together do not fit into 64 bits");
  return true;
}

static bool
has_gaps(const TnPlanProblem *problem)
{
  return problem->gap_first && problem->gap_first[problem->n] > 0;
}

static bool
has_groups(const TnPlanProblem *problem)
{
  for (uint32_t row = 0; problem->group && row < problem->n; row++)
    if (problem->group[row])
      return true;
  return false;
}

/* As many spans as bodies is not enough: a gap may cut the end of a life off, or leave nothing of one while another has
 * a second span for a conflict. */
static bool
is_simple(const Builder *builder)
{
  const TnBodies *bodies = builder->bodies;
  return bodies->is_convex && !bodies->fixed && builder->n_copies == 1 && builder->n_extra == 0 &&
         !has_gaps(builder->problem) && bodies->n_spans == bodies->n && !has_groups(builder->problem);
}

TnBodies *
tn_bodies_new(const TnPlanProblem *problem, char **out_message)
{
  Builder builder = {.problem = problem, .out_message = out_message};
  g_autoptr(TnBodies) bodies = builder.bodies = allocate(problem->n);
  builder.raws = g_array_sized_new(FALSE, FALSE, sizeof(Raw), problem->n);
  find_axis(&builder);
  number_batches(&builder);
  bool is_good = check_sizes(&builder) && add_rows(&builder) && add_conflicts(&builder);
  if (is_good) {
    cut_sections(&builder);
    is_good = find_bounds(&builder);
    bodies->is_simple = is_simple(&builder);
  }
  g_array_unref(builder.raws);
  g_free(builder.copy);
  g_free(builder.copy_start);
  g_free(builder.copy_end);
  g_free(builder.is_labelled);
  return is_good ? g_steal_pointer(&bodies) : NULL;
}

void
tn_bodies_free(TnBodies *bodies)
{
  if (!bodies)
    return;
  g_free(bodies->span_first);
  g_free(bodies->spans);
  g_free(bodies->size);
  g_free(bodies->empty_at);
  g_free(bodies->start);
  g_free(bodies->end);
  g_free(bodies->alignment);
  g_free(bodies->residue);
  g_free(bodies->fixed);
  g_free(bodies->body);
  g_free(bodies->within);
  g_free(bodies->row);
  g_free(bodies);
}
