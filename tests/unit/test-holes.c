/* SPDX-License-Identifier: MIT */
/* Holes and the account at a tick. */
#include "config.h"

#include "analysis/ledger.h"
#include "tests/unit/request-log.h"

#define SAMPLE_OOM 4282

static void
test_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  for (int round = 0; round < 2; round++) { /* without and with the indexes */
    g_autoptr(TnHoles) holes = tn_holes_new(study, SAMPLE_OOM);
    g_assert_cmpint(holes->reserved_bytes, ==, 3776 * MIB);
    /* 159.03 MiB in 56 gaps, of which 16 are rests of up to 1 MiB that were not split off. */
    g_assert_cmpuint(holes->holes->len, ==, 40);
    g_assert_cmpuint(holes->n_rests, ==, 16);
    g_assert_cmpint(holes->free_bytes + holes->rest_bytes, ==, 162848 * 1024);
    g_assert_cmpint(holes->rest_bytes * 2, ==, 25 * MIB);
    g_assert_cmpint(holes->largest_hole, ==, 21 * MIB);
    g_assert_cmpuint(holes->n_outside, ==, 0);
    g_assert_cmpint(holes->block_bytes + holes->rest_bytes + holes->free_bytes, ==,
                    holes->reserved_bytes);
    g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  }
}

static void
test_account_of_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnLedger) account = tn_ledger_new(study, SAMPLE_OOM, 0, NULL);
  g_assert_cmpint(account->source, ==, TN_TOTAL_INFERRED);
  g_assert_cmpint(account->total_bytes, ==, 3793 * MIB);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_FREE), ==, 17 * MIB);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_OUTSIDE), ==, 0);
  g_autoptr(TnLedger) known = tn_ledger_new(study, SAMPLE_OOM, 4096 * MIB, NULL);
  g_assert_cmpint(known->total_bytes, ==, 4096 * MIB);
  g_assert_cmpint(tn_ledger_sum(known, TN_LEDGER_OUTSIDE), ==, 303 * MIB);
  g_autoptr(TnLedger) early = tn_ledger_new(study, 0, 4096 * MIB, NULL);
  g_assert_cmpint(early->total_bytes, ==, 4096 * MIB);
  g_assert_cmpint(tn_ledger_sum(early, TN_LEDGER_REST), ==, 4096 * MIB - early->reserved_bytes);
}

/* Others had left the device when the second request failed: the account of the first has no such room. */
static void
test_account_of_each_failure(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_add(document, TN_EVENT_SEGMENT_ALLOC, 0x10000000, 40 * MIB);
  log_add(document, TN_EVENT_ALLOC, 0x10000000, 40 * MIB);
  log_segment(document, 0x10000000, 40 * MIB, false);
  uint32_t first = log_add(document, TN_EVENT_OOM, 0, 100 * MIB);
  log_mark(document, TN_MARK_OOM, first, 100 * MIB, 35 * MIB);
  uint32_t second = log_add(document, TN_EVENT_OOM, 0, 500 * MIB);
  log_mark(document, TN_MARK_OOM, second, 500 * MIB, 65 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnLedger) one = tn_ledger_new(study, first, 0, NULL);
  g_assert_cmpint(one->total_bytes, ==, 75 * MIB);
  g_assert_cmpint(tn_ledger_sum(one, TN_LEDGER_FREE), ==, 35 * MIB);
  g_autoptr(TnLedger) two = tn_ledger_new(study, second, 0, NULL);
  g_assert_cmpint(two->total_bytes, ==, 105 * MIB);
  g_assert_cmpint(tn_ledger_sum(two, TN_LEDGER_FREE), ==, 65 * MIB);
}

/* Every tick of the sample adds up, and the state agrees with the curves. */
static void
test_every_tick(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  for (tn_tick tick = 1; tick < study->axis_end; tick += 7) {
    g_autoptr(TnHoles) holes = tn_holes_new(study, tick);
    g_autoptr(TnLedger) account = tn_ledger_new(study, tick, 0, holes);
    g_assert_cmpint(holes->reserved_bytes, ==, tn_curve_at(study->reserved, tick));
    g_assert_cmpint(holes->block_bytes, ==, tn_curve_at(study->live, tick));
    g_assert_cmpint(account->total_bytes, ==, 3793 * MIB);
  }
}

/* Two large segments that touch stay apart; a rest of 1 MiB stays with its block, 1.5 MiB does not;
 * a private pool counts whole. */
static void
test_planted(void)
{
  g_autoptr(TnDocument) document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint32_t pool = tn_device_space(device, 0, 1, 0);
  log_add(document, TN_EVENT_SEGMENT_ALLOC, 0x10000000, 20 * MIB);
  log_add(document, TN_EVENT_ALLOC, 0x10000000, 5 * MIB);
  log_add(document, TN_EVENT_ALLOC, 0x10000000 + 6 * MIB, 12 * MIB + MIB / 2 - 100);
  log_add(document, TN_EVENT_SEGMENT_ALLOC, 0x10000000 + 20 * MIB, 20 * MIB);
  uint32_t event = log_add(document, TN_EVENT_SEGMENT_ALLOC, 0x20000000, 2 * MIB);
  device->events.space[event] = pool;
  event = log_add(document, TN_EVENT_ALLOC, 0x20000000, 1000);
  device->events.space[event] = pool;
  log_segment(document, 0x10000000, 20 * MIB, false);
  log_segment(document, 0x10000000 + 20 * MIB, 20 * MIB, false);
  log_segment(document, 0x20000000, 2 * MIB, true);
  g_array_index(device->segments, TnSegment, 2).space = pool;
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnHoles) holes = tn_holes_new(study, 5);
  g_assert_cmpuint(holes->segments->len, ==, 3);
  g_assert_cmpuint(holes->holes->len, ==, 3);
  g_assert_cmpint(tn_holes_hole(holes, 0)->bytes, ==, MIB + MIB / 2);
  g_assert_cmpint(tn_holes_hole(holes, 1)->bytes, ==, 20 * MIB);
  g_assert_cmpint(tn_holes_hole(holes, 2)->bytes, ==, 2 * MIB - 1024);
  g_assert_cmpint(holes->rest_bytes, ==, MIB);
  const TnHoleGroup *group = tn_holes_find_group(holes, 0, false);
  g_assert_cmpint(group->free_bytes, ==, 21 * MIB + MIB / 2);
  g_assert_cmpuint(group->n_segments, ==, 2);
  g_assert_null(tn_holes_find_group(holes, 0, true));
  g_autoptr(TnLedger) account = tn_ledger_new(study, 5, 64 * MIB, holes);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_PRIVATE), ==, 2 * MIB);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_CACHED), ==, 21 * MIB + MIB / 2);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_ROUNDING), ==, MIB + 100);
  g_assert_cmpint(tn_ledger_sum(account, TN_LEDGER_LIVE), ==, 17 * MIB + MIB / 2 - 100);
  g_assert_cmpint(account->total_bytes, ==, 64 * MIB);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/holes/sample", test_sample);
  g_test_add_func("/holes/planted", test_planted);
  g_test_add_func("/account/sample", test_account_of_sample);
  g_test_add_func("/account/each-failure", test_account_of_each_failure);
  g_test_add_func("/account/every-tick", test_every_tick);
  return g_test_run();
}
