/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/diff.h"

const char *
tn_diff_match_name(TnDiffMatch match)
{
  static const char *const names[TN_N_MATCHES] = {"none",  "id",    "name", "producer",
                                                  "place", "stack", "life", "person"};
  return match < TN_N_MATCHES ? names[match] : "none";
}

const char *
tn_diff_change_name(unsigned bit)
{
  static const char *const names[TN_N_CHANGES] = {"grew",    "shrank",    "moved",     "longer",
                                                  "shorter", "realigned", "reordered", "renamed",
                                                  "new",     "gone"};
  return bit < TN_N_CHANGES ? names[bit] : NULL;
}

char *
tn_diff_dup_changes(unsigned changes, const char *between)
{
  GString *text = g_string_new(NULL);
  for (unsigned bit = 0; bit < TN_N_CHANGES; bit++)
    if (changes & 1u << bit)
      g_string_append_printf(text, "%s%s", text->len ? between : "", tn_diff_change_name(bit));
  return g_string_free(text, FALSE);
}

static const struct {
  const char *name, *title;
} causes[TN_N_CAUSES] = {
    [TN_CAUSE_NEW] = {"new", "new at the peak"},
    [TN_CAUSE_GONE] = {"gone", "gone from the peak"},
    [TN_CAUSE_BIGGER] = {"bigger", "bigger"},
    [TN_CAUSE_SMALLER] = {"smaller", "smaller"},
    [TN_CAUSE_LIVES_LONGER] = {"lives-longer", "lives longer"},
    [TN_CAUSE_LIVES_SHORTER] = {"lives-shorter", "lives shorter"},
    [TN_CAUSE_OTHER_MOMENT] = {"order", "the peak is at another moment"},
    [TN_CAUSE_ROUNDING] = {"rounding", "sizes rounded otherwise"},
    [TN_CAUSE_ALIGNMENT] = {"alignment", "gaps of alignment"},
    [TN_CAUSE_FRAGMENTATION] = {"fragmentation", "fragmentation"},
    [TN_CAUSE_SPACES] = {"spaces", "spaces at their peaks at different moments"},
    [TN_CAUSE_STREAMS] = {"streams", "streams that share nothing"},
};

const char *
tn_diff_cause_name(TnDiffCause cause)
{
  return causes[cause].name;
}

const char *
tn_diff_cause_title(TnDiffCause cause)
{
  return causes[cause].title;
}

TnDiffCause
tn_diff_pair_cause(const TnDiff *diff, uint32_t pair)
{
  unsigned mask = diff->pair_causes[pair];
  return mask ? (TnDiffCause)g_bit_nth_lsf(mask, -1) : TN_N_CAUSES;
}

tn_bytes
tn_diff_bytes_a(const TnDiff *diff, uint32_t pair)
{
  tn_index row = diff->pairs[pair].a;
  return row == TN_NONE ? 0 : diff->a->buffers->bytes[row];
}

tn_bytes
tn_diff_bytes_b(const TnDiff *diff, uint32_t pair)
{
  tn_index row = diff->pairs[pair].b;
  return row == TN_NONE ? 0 : diff->b->buffers->bytes[row];
}

char *
tn_diff_dup_label(const TnDiff *diff, uint32_t pair)
{
  const TnDiffPair *p = &diff->pairs[pair];
  return p->b == TN_NONE ? tn_study_dup_label(diff->a, p->a) : tn_study_dup_label(diff->b, p->b);
}

/* ---- the ranking --------------------------------------------------------------------------------
 */

static int
compare_bytes(tn_bytes left, tn_bytes right)
{
  return (left < right) - (left > right);
}

static gint
compare_pairs(gconstpointer left, gconstpointer right, gpointer data)
{
  const TnDiff *diff = data;
  uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  int order = compare_bytes(ABS(diff->pair_bytes[x]), ABS(diff->pair_bytes[y]));
  if (!order)
    order = compare_bytes(ABS(tn_diff_bytes_b(diff, x) - tn_diff_bytes_a(diff, x)),
                          ABS(tn_diff_bytes_b(diff, y) - tn_diff_bytes_a(diff, y)));
  if (!order)
    order = compare_bytes(MAX(tn_diff_bytes_a(diff, x), tn_diff_bytes_b(diff, x)),
                          MAX(tn_diff_bytes_a(diff, y), tn_diff_bytes_b(diff, y)));
  return order ? order : (x > y) - (x < y);
}

GArray *
tn_diff_build_ranking(const TnDiff *diff)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < diff->n; i++)
    if (diff->pairs[i].changes)
      g_array_append_val(rows, i);
  g_array_sort_with_data(rows, compare_pairs, (gpointer)diff);
  return rows;
}
