/* SPDX-License-Identifier: MIT */
/* The order and the filter of a comparison's list: known answers, and a million pairs in time. */
#include "config.h"

#include "app/window/changes-order.h"
#include "app/window/diff-filter.h"
#include "data/reader.h"

#include <string.h>

typedef struct {
  TnDocument *documents[2];
  TnDiff *diff;
} Both;

static Both
both_new(const char *a, const char *b)
{
  const char *const texts[] = {a, b};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnDiffParams diff_params = TN_DIFF_PARAMS_INIT;
  TnStudy *studies[2];
  Both both;
  for (int i = 0; i < 2; i++) {
    g_autoptr(TnSource) source = tn_source_new_for_bytes("p.csv", texts[i], strlen(texts[i]));
    both.documents[i] = tn_document_load_source(source, &options, NULL);
    studies[i] = tn_study_new(both.documents[i], 0, &params, NULL, NULL);
    tn_study_prepare(studies[i], TN_GROUP_AUTO, NULL);
  }
  both.diff = tn_diff_new(studies[0], studies[1], &diff_params, NULL);
  tn_study_unref(studies[0]);
  tn_study_unref(studies[1]);
  return both;
}

static void
both_clear(Both *both)
{
  tn_diff_unref(both->diff);
  tn_document_free(both->documents[0]);
  tn_document_free(both->documents[1]);
}

#define HEAD "id,lower,upper,size,alignment,offset\n"

/* At the peaks (tick 2): m bigger by 20, n new (50); late grew by 70 but is at neither. */
static const char plan_a[] =
    HEAD "k,0,9,100,4,0\nm,1,4,60,4,100\nlate,7,9,10,4,200\no,5,6,30,4,300\n";
static const char plan_b[] =
    HEAD "k,0,9,100,4,0\nm,1,4,80,4,104\nlate,7,9,80,4,200\nn,2,3,50,4,240\n";

static void
assert_order(const TnDiff *diff, const GArray *order, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_assert_cmpuint(order->len, ==, diff->n);
  for (guint i = 0; i < order->len; i++) {
    g_autofree char *label = tn_diff_dup_label(diff, g_array_index(order, uint32_t, i));
    g_string_append_printf(text, "%s%s", i ? " " : "", label);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

static void
assert_sorted(const TnDiff *diff, TnChangesColumn column, const char *up, const char *down)
{
  g_autoptr(GArray) first = tn_changes_order_first(diff);
  g_autoptr(GArray) rising = tn_changes_order_by(diff, first, column, false);
  g_autoptr(GArray) falling = tn_changes_order_by(diff, first, column, true);
  assert_order(diff, rising, up);
  assert_order(diff, falling, down);
}

static void
test_order(void)
{
  Both both = both_new(plan_a, plan_b);
  g_autoptr(GArray) first = tn_changes_order_first(both.diff);
  assert_order(both.diff, first, "n m late o k");
  assert_sorted(both.diff, TN_CHANGES_LABEL, "k late m n o", "o n m late k");
  assert_sorted(both.diff, TN_CHANGES_STATUS, "n o m late k", "k m late o n");
  assert_sorted(both.diff, TN_CHANGES_SIZE, "o n m late k", "k m late n o");
  assert_sorted(both.diff, TN_CHANGES_SIZE_DELTA, "o k m n late", "late n m k o");
  assert_sorted(both.diff, TN_CHANGES_OFFSET_DELTA, "late k m n o", "m late k n o");
  both_clear(&both);
}

static uint32_t
count(const TnDiff *diff, TnDiffFilter filter)
{
  uint32_t n, sides[2] = {0};
  g_autoptr(GBytes) shown = tn_diff_filter_run(&filter, diff, &n);
  for (int i = 0; i < 2; i++) {
    const TnBuffers *b = (i ? diff->b : diff->a)->buffers;
    g_autoptr(GBytes) match = tn_diff_filter_side(diff, shown, (TnDiffSide)i);
    for (uint32_t k = 0; k < b->n; k++)
      sides[i] += !match || ((const uint8_t *)g_bytes_get_data(match, NULL))[k];
  }
  g_assert_cmpuint(MAX(sides[0], sides[1]), <=, n);
  g_assert_cmpuint(sides[0] + sides[1], >=, n);
  return n;
}

static void
test_filter(void)
{
  Both both = both_new(plan_a, plan_b);
  unsigned all = TN_SHOW_ALL_SIDES;
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){all, 0, TN_N_CAUSES}), ==, 5);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){TN_SHOW_BOTH, 0, TN_N_CAUSES}), ==, 3);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){TN_SHOW_ONLY_A, 0, TN_N_CAUSES}), ==, 1);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){all, TN_CHANGE_GREW, TN_N_CAUSES}), ==, 2);
  g_assert_cmpuint(
      count(both.diff, (TnDiffFilter){all, TN_CHANGE_MOVED | TN_SHOW_SAME, TN_N_CAUSES}), ==, 2);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){all, 0, TN_CAUSE_BIGGER}), ==, 1);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){all, 0, TN_CAUSE_NEW}), ==, 1);
  g_assert_cmpuint(count(both.diff, (TnDiffFilter){0, 0, TN_N_CAUSES}), ==, 0);
  both_clear(&both);
}

/* What the main thread does for a million pairs: one pass of the filter, one of the order. */
static void
test_million(void)
{
  uint32_t n = g_test_slow() ? 1000000 : 100000;
  g_autoptr(GString) a = g_string_new(HEAD), b = g_string_new(HEAD);
  for (uint32_t i = 0; i < n; i++) {
    g_string_append_printf(a, "t%u,%u,%u,%u,4,0\n", i, i, i + 5, 64 + i % 512);
    g_string_append_printf(b, "t%u,%u,%u,%u,4,0\n", i, i, i + 5 + i % 2, 64 + i % 500);
  }
  Both both = both_new(a->str, b->str);
  gint64 begin = g_get_monotonic_time();
  g_autoptr(GArray) first = tn_changes_order_first(both.diff);
  gint64 ordered = g_get_monotonic_time();
  g_autoptr(GArray) by_label = tn_changes_order_by(both.diff, first, TN_CHANGES_LABEL, false);
  gint64 sorted = g_get_monotonic_time();
  uint32_t n_shown = count(both.diff, (TnDiffFilter){TN_SHOW_BOTH, TN_CHANGE_GREW, TN_N_CAUSES});
  gint64 filtered = g_get_monotonic_time();
  g_test_message("%u pairs: first order %.0f ms, by name %.0f ms, filter %.0f ms (%u shown)",
                 both.diff->n, (double)(ordered - begin) / 1e3, (double)(sorted - ordered) / 1e3,
                 (double)(filtered - sorted) / 1e3, n_shown);
  for (guint i = 1; i < first->len; i++) {
    uint32_t x = g_array_index(first, uint32_t, i - 1), y = g_array_index(first, uint32_t, i);
    g_assert_cmpint(ABS(both.diff->pair_bytes[x]), >=, ABS(both.diff->pair_bytes[y]));
  }
  g_assert_cmpuint(by_label->len, ==, both.diff->n);
  both_clear(&both);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/changes/order", test_order);
  g_test_add_func("/changes/filter", test_filter);
  g_test_add_func("/changes/million", test_million);
  return g_test_run();
}
