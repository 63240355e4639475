/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/diff.h"

#include "analysis/diff/causes.h"
#include "analysis/diff/match.h"
#include "data/error.h"

#include <stdlib.h>

/* ---- what changed of a pair ---------------------------------------------------------------------
 */

typedef struct {
  const TnDiff *diff;
  const TnBuffers *a, *b;
} Comparison;

static unsigned
compare_sizes(const Comparison *c, tn_index a, tn_index b)
{
  tn_bytes asked = tn_buffers_requested(c->b, b) - tn_buffers_requested(c->a, a);
  if (asked)
    return asked > 0 ? TN_CHANGE_GREW : TN_CHANGE_SHRANK;
  bool is_realigned = c->a->bytes[a] != c->b->bytes[b] ||
                      tn_buffers_alignment(c->a, a) != tn_buffers_alignment(c->b, b);
  return is_realigned ? TN_CHANGE_REALIGNED : 0;
}

/* A life in moments that both sides have, so that what one side has alone shifts nothing. */
typedef struct {
  tn_tick start, end;
} Moments;

static Moments
moments_of(const Comparison *c, TnDiffSide side, tn_index row)
{
  const TnBuffers *rows = side == TN_DIFF_A ? c->a : c->b;
  const TnDiffAxis *axis = c->diff->axis;
  return (Moments){tn_diff_axis_rank(axis, side, rows->start[row] + 1),
                   tn_diff_axis_rank(axis, side, rows->end[row])};
}

static unsigned
compare_lives(const Comparison *c, tn_index a, tn_index b)
{
  Moments x = moments_of(c, TN_DIFF_A, a), y = moments_of(c, TN_DIFF_B, b);
  if (x.start == y.start && x.end == y.end)
    return 0;
  if (y.end - y.start == x.end - x.start)
    return TN_CHANGE_REORDERED;
  return y.end - y.start > x.end - x.start ? TN_CHANGE_LONGER : TN_CHANGE_SHORTER;
}

tn_tick
tn_diff_life_delta(const TnDiff *diff, uint32_t pair)
{
  tn_index a = diff->pairs[pair].a, b = diff->pairs[pair].b;
  if (a == TN_NONE)
    return diff->b->buffers->end[b] - diff->b->buffers->start[b];
  if (b == TN_NONE)
    return diff->a->buffers->start[a] - diff->a->buffers->end[a];
  Comparison c = {diff, diff->a->buffers, diff->b->buffers};
  Moments at_a = moments_of(&c, TN_DIFF_A, a), at_b = moments_of(&c, TN_DIFF_B, b);
  return (at_b.end - at_b.start) - (at_a.end - at_a.start);
}

static bool
find_move(const TnDiff *diff, tn_index a, tn_index b, tn_bytes *out_delta)
{
  tn_bytes at_a = diff->a->offset[a], at_b = diff->b->offset[b];
  bool is_same_document =
      diff->a->document == diff->b->document && diff->a->device_row == diff->b->device_row;
  if ((!is_same_document && (diff->a->is_log || diff->b->is_log)) || at_a == TN_NOT_PLACED ||
      at_b == TN_NOT_PLACED)
    return false;
  *out_delta = at_b - at_a;
  return true;
}

bool
tn_diff_offset_delta(const TnDiff *diff, uint32_t pair, tn_bytes *out_delta)
{
  tn_index a = diff->pairs[pair].a, b = diff->pairs[pair].b;
  return a != TN_NONE && b != TN_NONE && find_move(diff, a, b, out_delta);
}

static bool
is_moved(const Comparison *c, tn_index a, tn_index b)
{
  tn_bytes delta;
  return find_move(c->diff, a, b, &delta) && delta != 0;
}

static bool
is_renamed(const Comparison *c, tn_index a, tn_index b)
{
  const char *name_a = tn_strings_get(c->diff->a->document->strings, tn_buffers_name(c->a, a));
  const char *name_b = tn_strings_get(c->diff->b->document->strings, tn_buffers_name(c->b, b));
  return *name_a && *name_b && g_strcmp0(name_a, name_b) != 0;
}

static unsigned
compare(const Comparison *c, tn_index a, tn_index b, TnDiffMatch match)
{
  unsigned changes = compare_sizes(c, a, b) | compare_lives(c, a, b);
  if (is_moved(c, a, b))
    changes |= TN_CHANGE_MOVED;
  if (match > TN_MATCH_NAME && is_renamed(c, a, b))
    changes |= TN_CHANGE_RENAMED;
  return changes;
}

/* ---- the table of pairs -------------------------------------------------------------------------
 */

static void
add_pair(TnDiff *diff, tn_index a, tn_index b, TnDiffMatch match, unsigned changes)
{
  diff->pairs[diff->n] = (TnDiffPair){a, b, (uint16_t)changes, (uint8_t)match};
  if (a != TN_NONE)
    diff->pair_of_a[a] = diff->n;
  if (b != TN_NONE)
    diff->pair_of_b[b] = diff->n;
  diff->n++;
  diff->n_by_match[match]++;
  bool is_both = a != TN_NONE && b != TN_NONE;
  diff->n_matched += is_both;
  diff->n_only_a += b == TN_NONE;
  diff->n_only_b += a == TN_NONE;
  diff->n_changed += is_both && changes;
}

static void
fill_pairs(TnDiff *diff, const TnDiffMatcher *m)
{
  uint32_t n_a = diff->a->buffers->n, n_b = diff->b->buffers->n;
  diff->pairs = g_new(TnDiffPair, MAX((gsize)n_a + n_b, 1u));
  diff->pair_of_a = g_new(uint32_t, MAX(n_a, 1u));
  diff->pair_of_b = g_new(uint32_t, MAX(n_b, 1u));
  Comparison c = {diff, diff->a->buffers, diff->b->buffers};
  for (uint32_t i = 0; i < n_a; i++) {
    uint32_t k = m->a.partner[i];
    TnDiffMatch match = k == TN_NONE ? TN_MATCH_NONE : (TnDiffMatch)m->a.match[i];
    add_pair(diff, i, k, match, k == TN_NONE ? TN_CHANGE_GONE : compare(&c, i, k, match));
  }
  for (uint32_t i = 0; i < n_b; i++)
    if (m->b.partner[i] == TN_NONE)
      add_pair(diff, TN_NONE, i, TN_MATCH_NONE, TN_CHANGE_NEW);
}

static void
count_ops(TnDiff *diff)
{
  if (!diff->op_of_a)
    return;
  uint32_t n_a = diff->a->document->graph->ops->len, n_b = diff->b->document->graph->ops->len;
  for (uint32_t i = 0; i < n_a; i++)
    diff->n_ops_matched += diff->op_of_a[i] != TN_NONE;
  diff->n_ops_only_a = n_a - diff->n_ops_matched;
  diff->n_ops_only_b = n_b - diff->n_ops_matched;
}

/* Takes over what the matcher found. */
static void
take(TnDiff *diff, TnDiffMatcher *m)
{
  diff->axis = g_steal_pointer(&m->axis);
  diff->op_of_a = g_steal_pointer(&m->op_of_a);
  fill_pairs(diff, m);
  count_ops(diff);
}

static bool
explain(TnDiff *diff, const TnDiffParams *params, GError **error)
{
  diff->pair_causes = g_new0(uint16_t, MAX(diff->n, 1u));
  diff->pair_bytes = g_new0(tn_bytes, MAX(diff->n, 1u));
  if (tn_diff_account(diff->a, params->order_a, &diff->account_a) &&
      tn_diff_account(diff->b, params->order_b, &diff->account_b) && tn_diff_find_causes(diff))
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
              "%s: the differences to %s do not fit into 64 bits", diff->b->document->shown_path,
              diff->a->document->shown_path);
  return false;
}

TnDiff *
tn_diff_new(const TnStudy *a, const TnStudy *b, const TnDiffParams *params, GError **error)
{
  TnDiffMatcher matcher;
  g_autoptr(TnDiff) diff = g_new0(TnDiff, 1);
  diff->references = 1;
  diff->a = tn_study_ref((TnStudy *)a);
  diff->b = tn_study_ref((TnStudy *)b);
  tn_diff_matcher_init(&matcher, a, b, params);
  bool is_done = tn_diff_match(&matcher, params->progress);
  if (is_done)
    take(diff, &matcher);
  else
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", b->document->shown_path);
  tn_diff_matcher_clear(&matcher);
  return is_done && explain(diff, params, error) ? g_steal_pointer(&diff) : NULL;
}

TnDiff *
tn_diff_ref(TnDiff *diff)
{
  g_atomic_int_inc(&diff->references);
  return diff;
}

void
tn_diff_unref(TnDiff *diff)
{
  if (!diff || !g_atomic_int_dec_and_test(&diff->references))
    return;
  tn_study_unref((TnStudy *)diff->a);
  tn_study_unref((TnStudy *)diff->b);
  tn_diff_axis_free(diff->axis);
  g_free(diff->pairs);
  g_free(diff->pair_of_a);
  g_free(diff->pair_of_b);
  g_free(diff->op_of_a);
  g_free(diff->pair_causes);
  g_free(diff->pair_bytes);
  g_free(diff);
}
