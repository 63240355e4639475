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
    if (*model != &tn_allocator_buddy && *model != &tn_allocator_bfc && *model != &tn_allocator_scalable) {
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay-limit/served-is-given-back", test_served_is_given_back);
  g_test_add_func("/replay-limit/served-is-alone", test_served_is_alone);
  g_test_add_func("/replay-limit/failed-is-rounded", test_failed_is_rounded);
  g_test_add_func("/replay-limit/failed-is-padded-once", test_failed_is_padded_once);
  return g_test_run();
}
