/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/axis.h"

static TnDiffStretch *
get(const TnDiffAxis *axis, guint i)
{
  return &g_array_index(axis->stretches, TnDiffStretch, i);
}

static void
add(TnDiffAxis *axis, tn_tick a, tn_tick b, tn_tick length)
{
  GArray *list = axis->stretches;
  TnDiffStretch *last = list->len ? get(axis, list->len - 1) : NULL;
  if (last && last->a + last->length == a && last->b + last->length == b)
    last->length += length;
  else
    g_array_append_val(list, ((TnDiffStretch){.a = a, .b = b, .length = length}));
}

/* Between two stretches the common axis is as long as the longer side. */
static void
lay_out(TnDiffAxis *axis)
{
  tn_tick a = 0, b = 0, common = 0, knots = 0;
  for (guint i = 0; i < axis->stretches->len; i++) {
    TnDiffStretch *s = get(axis, i);
    s->common = common + MAX(s->a - a, s->b - b);
    s->knots = knots;
    a = s->a + s->length;
    b = s->b + s->length;
    common = s->common + s->length;
    knots += s->length;
  }
  axis->end = common + MAX(MAX(axis->a_end - a, axis->b_end - b), (tn_tick)0);
}

TnDiffAxis *
tn_diff_axis_new(
    const tn_tick *a, const tn_tick *b, uint32_t n, tn_tick length, tn_tick a_end, tn_tick b_end)
{
  TnDiffAxis *axis = g_new0(TnDiffAxis, 1);
  axis->stretches = g_array_new(FALSE, FALSE, sizeof(TnDiffStretch));
  axis->a_end = a_end;
  axis->b_end = b_end;
  for (uint32_t i = 0; i < n; i++)
    add(axis, a[i], b[i], length);
  lay_out(axis);
  return axis;
}

void
tn_diff_axis_free(TnDiffAxis *axis)
{
  if (!axis)
    return;
  g_array_unref(axis->stretches);
  g_free(axis);
}

static tn_tick
start_of(const TnDiffStretch *s, TnDiffSide side)
{
  return side == TN_DIFF_A ? s->a : s->b;
}

/* The last stretch that begins at or before a tick of a side (`side` < 0: of the common axis). */
static const TnDiffStretch *
find(const TnDiffAxis *axis, int side, tn_tick tick)
{
  guint low = 0, high = axis->stretches->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const TnDiffStretch *s = get(axis, middle);
    if ((side < 0 ? s->common : start_of(s, (TnDiffSide)side)) <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? get(axis, low - 1) : NULL;
}

tn_tick
tn_diff_axis_to_common(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick)
{
  const TnDiffStretch *s = find(axis, (int)side, tick);
  return MIN(s ? s->common + (tick - start_of(s, side)) : tick, axis->end);
}

tn_tick
tn_diff_axis_from_common(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick)
{
  const TnDiffStretch *s = find(axis, -1, tick);
  guint next = s ? (guint)(s - get(axis, 0)) + 1 : 0;
  tn_tick at = s ? start_of(s, side) + (tick - s->common) : tick;
  tn_tick end = side == TN_DIFF_A ? axis->a_end : axis->b_end;
  tn_tick stop = next < axis->stretches->len ? start_of(get(axis, next), side) : end;
  return MAX(MIN(at, stop - 1), (tn_tick)0);
}

tn_tick
tn_diff_axis_map(const TnDiffAxis *axis, TnDiffSide from, tn_tick tick)
{
  return tn_diff_axis_from_common(axis, from == TN_DIFF_A ? TN_DIFF_B : TN_DIFF_A,
                                  tn_diff_axis_to_common(axis, from, tick));
}

tn_tick
tn_diff_axis_rank(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick)
{
  const TnDiffStretch *s = find(axis, (int)side, tick);
  return s ? s->knots + MIN(tick - start_of(s, side), s->length) : 0;
}
