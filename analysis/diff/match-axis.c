/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/match.h"

#include "analysis/diff/increasing.h"

#include <stdlib.h>

typedef struct {
  tn_tick a, b;
} Moment;

static int
compare_moments(const void *left, const void *right)
{
  const Moment *x = left, *y = right;
  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  return x->b < y->b ? -1 : x->b > y->b;
}

/* Of moments sorted by A, the longest part in which B grows as well. */
static TnDiffAxis *
axis_of(const TnDiffMatcher *m, GArray *moments, tn_tick length)
{
  Moment *rows = (Moment *)(void *)moments->data;
  uint32_t n = moments->len, n_kept = 0;
  g_autofree tn_tick *a = g_new(tn_tick, MAX(n, 1u)), *b = g_new(tn_tick, MAX(n, 1u));
  g_autofree uint8_t *keep = g_new(uint8_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    b[i] = rows[i].b;
  tn_increasing_mark(b, n, keep);
  for (uint32_t i = 0; i < n; i++)
    if (keep[i]) {
      a[n_kept] = rows[i].a;
      b[n_kept++] = rows[i].b;
    }
  return tn_diff_axis_new(a, b, n_kept, length, m->a.study->axis_end, m->b.study->axis_end);
}

/* Three ticks an op. */
static TnDiffAxis *
axis_of_ops(const TnDiffMatcher *m)
{
  uint32_t n = m->a.graph->ops->len;
  g_autoptr(GArray) moments = g_array_new(FALSE, FALSE, sizeof(Moment));
  for (uint32_t op = 0; op < n; op++)
    if (m->op_of_a[op] != TN_NONE)
      g_array_append_val(moments, ((Moment){3 * (tn_tick)m->a.places[op],
                                            3 * (tn_tick)m->b.places[m->op_of_a[op]]}));
  g_array_sort(moments, compare_moments);
  return axis_of(m, moments, 3);
}

/* The axes are as long as each other and most pairs live through the same ticks: they mean the
 * same. */
static bool
is_one_axis(const TnDiffMatcher *m)
{
  const TnBuffers *a = m->a.study->buffers, *b = m->b.study->buffers;
  uint32_t n = 0, n_same = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    uint32_t k = m->a.partner[i];
    n += k != TN_NONE;
    n_same += k != TN_NONE && a->start[i] == b->start[k] && a->end[i] == b->end[k];
  }
  return n == 0 || (m->a.study->axis_end == m->b.study->axis_end && n_same > n / 2);
}

static TnDiffAxis *
axis_of_both(const TnDiffMatcher *m)
{
  tn_tick zero = 0, end = MIN(m->a.study->axis_end, m->b.study->axis_end);
  return tn_diff_axis_new(&zero, &zero, 1, end, m->a.study->axis_end, m->b.study->axis_end);
}

/* Each tick of A by the tick of B that most of its pairs name. */
static void
elect(GArray *moments)
{
  Moment *rows = (Moment *)(void *)moments->data;
  guint n = 0;
  for (guint i = 0, next; i < moments->len; i = next) {
    guint best = 0;
    Moment elected = rows[i];
    for (next = i; next < moments->len && rows[next].a == rows[i].a;) {
      guint first = next;
      while (next < moments->len && compare_moments(&rows[next], &rows[first]) == 0)
        next++;
      if (next - first > best) {
        best = next - first;
        elected = rows[first];
      }
    }
    rows[n++] = elected;
  }
  g_array_set_size(moments, n);
}

/* Starts of a log only: when something is freed is too often chance. */
static TnDiffAxis *
axis_of_pairs(const TnDiffMatcher *m)
{
  const TnBuffers *a = m->a.study->buffers, *b = m->b.study->buffers;
  bool is_log = m->a.study->is_log && m->b.study->is_log;
  g_autoptr(GArray) moments = g_array_new(FALSE, FALSE, sizeof(Moment));
  for (uint32_t i = 0; i < a->n; i++) {
    uint32_t k = m->a.partner[i];
    if (k == TN_NONE || ((a->flags[i] | b->flags[k]) & TN_BUFFER_BEFORE))
      continue;
    g_array_append_val(moments, ((Moment){a->start[i], b->start[k]}));
    if (!is_log && !((a->flags[i] | b->flags[k]) & TN_BUFFER_TO_END))
      g_array_append_val(moments, ((Moment){a->end[i], b->end[k]}));
  }
  g_array_sort(moments, compare_moments);
  elect(moments);
  return axis_of(m, moments, 1);
}

TnDiffAxis *
tn_diff_match_axis(const TnDiffMatcher *m)
{
  if (m->op_of_a)
    return axis_of_ops(m);
  return is_one_axis(m) ? axis_of_both(m) : axis_of_pairs(m);
}
