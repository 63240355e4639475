/* SPDX-License-Identifier: MIT */
/* Replays on devices of a given size: what a served failure holds, and the smallest device. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"
#include "analysis/replay/suggest.h"
#include "tests/unit/request-log.h"

/* ---- running one --------------------------------------------------------------------------- */

typedef struct {
  TnStudy *study;
  TnReplayLog *log;
  TnReplayParams params;
} Case;

static void
begin(Case *c, TnDocument *document, const TnAllocatorModel *model, const char *setting)
{
  c->study = log_study(document);
  c->log = tn_replay_log_new(c->study);
  c->params = (TnReplayParams){.model = model, .settings = c->log->recorded};
  char *message = NULL;
  if (setting)
    g_assert_true(tn_replay_settings_set(&c->params.settings, setting, &message));
  c->params.seeds_requested =
      c->params.settings.expandable_segments != c->log->recorded.expandable_segments;
}

static void
end(Case *c)
{
  tn_replay_log_free(c->log);
  tn_study_unref(c->study);
}

static TnReplayResult *
run_on(Case *c, tn_bytes limit)
{
  c->params.limit = limit;
  return tn_replay_run(c->log, &c->params, NULL);
}

static uint32_t
count_failures(Case *c, tn_bytes limit)
{
  g_autoptr(TnReplayResult) result = run_on(c, limit);
  return result->ooms->len;
}

/* ---- requests that failed ------------------------------------------------------------------ */

/* A size is looked for: what failed was never held, and is given back once it was served. */
static void
test_served_is_given_back(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint64_t held = log_take(document, 100 * MIB);
  for (int i = 0; i < 20; i++)
    log_fail(document, 50 * MIB);
  log_free(document, held, 100 * MIB);
  for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++) {
    Case c;
    begin(&c, document, *model, NULL);
    g_autoptr(TnReplayResult) result = run_on(&c, 1000 * MIB);
    g_assert_cmpuint(result->ooms->len, ==, 0);
    g_assert_cmpint(result->allocated_peak, <=, 2 * 128 * MIB);
    if (*model == &tn_allocator_caching || *model == &tn_allocator_static) {
      g_assert_cmpint(result->reserved_peak, ==, 150 * MIB);
      g_assert_cmpint(result->allocated_peak, ==, 150 * MIB);
      g_assert_cmpuint(result->reserved_peak_event, ==, 1);
    }
    end(&c);
  }
}

/* It is alive with what was alive when it failed, not with what came then. */
static void
test_served_is_alone(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_fail(document, 60 * MIB);
  log_take(document, 60 * MIB);
  log_fail(document, 40 * MIB);
  log_take(document, 30 * MIB);
  for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++) {
    Case c;
    begin(&c, document, *model, NULL);
    if (*model != &tn_allocator_buddy && *model != &tn_allocator_bfc &&
        *model != &tn_allocator_scalable) {
      g_assert_cmpuint(count_failures(&c, 100 * MIB), ==, 0);
      g_assert_cmpuint(count_failures(&c, 98 * MIB), ==, 1);
    }
    end(&c);
  }
}

/* 33 MiB come as 40 where four steps lie between 32 and 64: that a request for them failed makes no
 * difference. */
static void
test_failed_is_rounded(void)
{
  for (int has_failed = 0; has_failed < 2; has_failed++) {
    g_autoptr(TnDocument) document = log_new();
    if (has_failed)
      log_fail(document, 33 * MIB);
    else
      log_take(document, 33 * MIB);
    Case c;
    begin(&c, document, &tn_allocator_caching, "roundup_power2_divisions=4");
    g_assert_cmpuint(count_failures(&c, 40 * MIB), ==, 0);
    g_assert_cmpuint(count_failures(&c, 38 * MIB), ==, 1);
    end(&c);
  }
}

/* What was padded when it failed is not padded again. */
static void
test_failed_is_padded_once(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_fail(document, 40 * MIB);
  Case c;
  begin(&c, document, &tn_allocator_caching, "padding=32");
  g_assert_cmpuint(count_failures(&c, 40 * MIB), ==, 0);
  end(&c);
}

/* ---- the smallest device ------------------------------------------------------------------- */

static tn_bytes
smallest(Case *c)
{
  return tn_replay_find_smallest(c->log, &c->params, NULL, NULL).limit;
}

/* GE's pool keeps a twentieth of the device: what it reserves of an endless one is too small a
 * device. */
static void
test_smallest_was_run(void)
{
  g_autoptr(TnDocument) document = log_new();
  for (int i = 0; i < 3; i++)
    log_take(document, 33 * MIB);
  Case c;
  begin(&c, document, &tn_allocator_scalable, NULL);
  tn_bytes least = smallest(&c);
  g_assert_cmpint(least, >, 102 * MIB);
  g_assert_cmpuint(count_failures(&c, least), ==, 0);
  g_assert_cmpuint(count_failures(&c, least - 2 * MIB), >, 0);
  end(&c);
}

/* No request may be larger than that pool's threshold, however large the device. */
static void
test_none_suffices(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 33 * MIB);
  Case c;
  begin(&c, document, &tn_allocator_scalable, "memory_pool_threshold=20MiB");
  g_assert_cmpint(smallest(&c), ==, TN_BYTES_UNKNOWN);
  end(&c);
}

/* What comes after a failure that was caught counts, too, but where only that request is asked
 * about. */
static void
test_smallest_of_whole_run(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint64_t held = log_take(document, 100 * MIB);
  log_fail(document, 50 * MIB);
  log_free(document, held, 100 * MIB);
  log_take(document, 500 * MIB);
  for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++) {
    Case c;
    begin(&c, document, *model, NULL);
    tn_bytes least = smallest(&c);
    g_assert_cmpint(least, >=, 500 * MIB);
    g_assert_cmpuint(count_failures(&c, least), ==, 0);
    c.params.stop_after_failed = true;
    g_assert_cmpint(smallest(&c), <=, 270 * MIB);
    g_assert_cmpuint(count_failures(&c, smallest(&c)), ==, 0);
    if (*model == &tn_allocator_caching || *model == &tn_allocator_static)
      g_assert_cmpint(smallest(&c), ==, 150 * MIB);
    end(&c);
  }
}

static TnDocument *
draw_log(void)
{
  uint64_t place[400];
  tn_bytes bytes[400];
  int n_held = 0, n = g_test_rand_int_range(10, 200);
  TnDocument *document = log_new();
  for (int i = 0; i < n; i++) {
    int what = g_test_rand_int_range(0, 20);
    if (what == 0) {
      log_fail(document, g_test_rand_int_range(1, 120) * (MIB / 2));
    } else if (what < 9 && n_held > 0) {
      int k = g_test_rand_int_range(0, n_held--);
      log_free(document, place[k], bytes[k]);
      place[k] = place[n_held];
      bytes[k] = bytes[n_held];
    } else {
      bytes[n_held] = g_test_rand_int_range(1, what < 14 ? 4 : 120) * (MIB / 2);
      place[n_held] = log_take(document, bytes[n_held]);
      n_held++;
    }
  }
  return document;
}

/* Whatever the model and its settings: on what is named nothing fails, and it is no less than what
 * is alive at once. */
static void
test_smallest_at_random(void)
{
  static const char *const settings[] = {NULL,
                                         "expandable_segments=True",
                                         "max_split_size_mb=21",
                                         "max_split_size_mb=64",
                                         "garbage_collection_threshold=0.5",
                                         "garbage_collection_threshold=0.9",
                                         "roundup_power2_divisions=4"};
  for (int round = 0; round < 60; round++) {
    g_autoptr(TnDocument) document = draw_log();
    for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++)
      for (gsize k = 0; k < G_N_ELEMENTS(settings); k++) {
        Case c;
        if (k > 0 && *model != &tn_allocator_caching)
          break;
        begin(&c, document, *model, settings[k]);
        c.params.stop_after_failed = round % 2;
        tn_bytes least = smallest(&c);
        g_assert_cmpint(least, >=, round % 2 ? 1 : c.study->live->peak);
        g_assert_cmpuint(count_failures(&c, least), ==, 0);
        end(&c);
      }
  }
}

/* ---- a plan with all lives known ----------------------------------------------------------- */

/* Fourteen lives that greedy-size places in 32 units of 512 bytes, and others in 29: what is alive
 * at once. */
static TnDocument *
hard_for_greedy(void)
{
  static const struct {
    int lower, upper;
    tn_bytes units;
  } lives[] = {{0, 6, 3},   {1, 4, 1},    {2, 3, 7},   {5, 8, 3},   {7, 13, 7},
               {9, 11, 11}, {10, 17, 5},  {12, 23, 5}, {14, 22, 2}, {15, 19, 7},
               {16, 26, 2}, {18, 27, 11}, {20, 24, 2}, {21, 25, 7}};
  TnDocument *document = log_new();
  for (int tick = 0; tick < 28; tick++)
    for (gsize i = 0; i < G_N_ELEMENTS(lives); i++)
      if (lives[i].lower == tick || lives[i].upper == tick)
        log_add(document, lives[i].lower == tick ? TN_EVENT_ALLOC : TN_EVENT_FREE,
                ((uint64_t)i + 1) << 20, 512 * lives[i].units);
  return document;
}

/* A device that a plan fits into is not called too small, and one that none fits into is by a
 * proof. */
static void
test_plan_is_searched(void)
{
  g_autoptr(TnDocument) document = hard_for_greedy();
  Case c;
  begin(&c, document, &tn_allocator_static, NULL);
  for (tn_bytes limit = 28 * 512; limit <= 33 * 512; limit += 512) {
    g_autoptr(TnReplayResult) result = run_on(&c, limit);
    g_assert_cmpuint(result->ooms->len, ==, limit < 29 * 512);
    g_assert_cmpint(result->proved_bound, ==, 29 * 512);
    g_assert_cmpint(result->reserved_peak, <=, MAX(limit, 32 * 512));
    g_assert_cmpint(result->reserved_peak, >=, 29 * 512);
  }
  g_assert_cmpint(smallest(&c), ==, 29 * 512);
  g_autoptr(TnSuggestions) s = tn_suggestions_new(c.log, 31 * 512, true, NULL);
  bool is_listed = false;
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    is_listed |=
        row->model == &tn_allocator_static && row->passes && row->smallest_limit == 29 * 512;
  }
  g_assert_true(is_listed);
  end(&c);
}

/* A rectangle of 2,000 ticks and 997 units cut to pieces at random: a plan of 997 exists and is
 * hard to find. */
static TnDocument *
cut_to_pieces(void)
{
  enum { N = 1500, EVENTS = 2000, UNITS = 997 };
  typedef struct {
    int from, to, low, high;
  } Piece;
  Piece pieces[N] = {{0, EVENTS, 0, UNITS}};
  for (int n = 1; n < N;) {
    Piece *whole = &pieces[0], *part = &pieces[n];
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
      double area = (double)(pieces[i].to - pieces[i].from) * (pieces[i].high - pieces[i].low);
      area *= g_test_rand_double_range(0.3, 1.0);
      whole = area > largest ? &pieces[i] : whole;
      largest = MAX(largest, area);
    }
    bool is_in_time =
        whole->high - whole->low < 3 || (g_test_rand_bit() && whole->to - whole->from > 3);
    *part = *whole;
    if (is_in_time)
      whole->to = part->from = g_test_rand_int_range(whole->from + 1, whole->to);
    else
      whole->high = part->low = g_test_rand_int_range(whole->low + 1, whole->high);
    n++;
  }
  TnDocument *document = log_new();
  for (int event = 0; event <= EVENTS; event++)
    for (int is_begin = 0; is_begin < 2; is_begin++)
      for (int i = 0; i < N; i++)
        if (event == (is_begin ? pieces[i].from : pieces[i].to))
          log_add(document, is_begin ? TN_EVENT_ALLOC : TN_EVENT_FREE, ((uint64_t)i + 1) << 24,
                  512 * (pieces[i].high - pieces[i].low));
  return document;
}

/* However the search ends: on the device that is named the run beside it passes, and is named by
 * its plan. */
static void
test_smallest_is_of_the_run(void)
{
  g_autoptr(TnDocument) document = cut_to_pieces();
  Case c;
  begin(&c, document, &tn_allocator_static, NULL);
  tn_bytes least = c.study->live->peak;
  tn_bytes limit = least / 5 * 6;
  c.params.wants_least = true;
  g_autoptr(TnReplayResult) result = run_on(&c, limit);
  TnReplaySmallest found = tn_replay_find_smallest(c.log, &c.params, result, NULL);
  g_assert_cmpint(found.limit, ==, result->reserved_peak);
  g_assert_cmpuint(result->ooms->len, ==, found.limit > limit);
  g_assert_cmpint(found.proved_bound, >=, least);
  g_assert_cmpint(found.proved_bound, <=, found.limit);
  g_autoptr(TnSuggestions) s = tn_suggestions_new(c.log, 2 * least, true, NULL);
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    if (row->model == &tn_allocator_static) {
      g_assert_true(row->passes);
      g_assert_cmpint(row->smallest_limit, ==, row->reserved_peak);
      g_assert_cmpstr(row->text, ==, "all lives known");
    }
  }
  end(&c);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay-limit/served-is-given-back", test_served_is_given_back);
  g_test_add_func("/replay-limit/served-is-alone", test_served_is_alone);
  g_test_add_func("/replay-limit/failed-is-rounded", test_failed_is_rounded);
  g_test_add_func("/replay-limit/failed-is-padded-once", test_failed_is_padded_once);
  g_test_add_func("/replay-limit/smallest-was-run", test_smallest_was_run);
  g_test_add_func("/replay-limit/none-suffices", test_none_suffices);
  g_test_add_func("/replay-limit/smallest-of-whole-run", test_smallest_of_whole_run);
  g_test_add_func("/replay-limit/smallest-at-random", test_smallest_at_random);
  g_test_add_func("/replay-limit/plan-is-searched", test_plan_is_searched);
  g_test_add_func("/replay-limit/smallest-is-of-the-run", test_smallest_is_of_the_run);
  return g_test_run();
}
