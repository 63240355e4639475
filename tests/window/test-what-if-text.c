/* SPDX-License-Identifier: MIT */
/* How many fail later, said so that it agrees; and of plans only what is proved. */
#include "config.h"

#include "app/window/what-if-text.h"

#include <string.h>

static char *
dup_verdict(guint n_later)
{
  g_autoptr(GArray) ops = g_array_new(FALSE, TRUE, sizeof(TnReplayOp));
  g_autoptr(GArray) ooms = g_array_new(FALSE, TRUE, sizeof(TnReplayOom));
  g_array_append_val(ops, ((TnReplayOp){.event = 7, .bytes = 4096}));
  for (guint i = 0; i < n_later; i++)
    g_array_append_val(ooms, ((TnReplayOom){.event = 9 + i, .bytes = 4096}));
  TnReplayLog log = {.ops = ops, .last_oom = 0};
  TnReplayParams params = {.model = tn_allocator_models()[0], .limit = 8192};
  TnReplayResult result = {.ooms = ooms};
  return tn_what_if_dup_verdict(&log, &params, &result, TN_UNITS_IEC);
}

static void
test_later(void)
{
  g_autofree char *none = dup_verdict(0), *one = dup_verdict(1), *two = dup_verdict(2);
  g_assert_cmpstr(none, ==, "Passes: the 4.0 KiB that failed at event 7 are served.");
  g_assert_cmpstr(one, ==, "Passes event 7, where 4.0 KiB failed, but 1 fails later.");
  g_assert_cmpstr(two, ==, "Passes event 7, where 4.0 KiB failed, but 2 fail later.");
}

static char *
dup_plan_verdict(tn_bytes arena, tn_bytes proved_bound, tn_bytes limit)
{
  g_autoptr(GArray) ooms = g_array_new(FALSE, TRUE, sizeof(TnReplayOom));
  if (arena > limit)
    g_array_append_val(ooms, ((TnReplayOom){.event = 9}));
  TnReplayLog log = {.last_oom = TN_NONE};
  TnReplayParams params = {.model = tn_allocator_models_find("static"), .limit = limit};
  TnReplayResult result = {.ooms = ooms, .reserved_peak = arena, .proved_bound = proved_bound};
  return tn_what_if_dup_verdict(&log, &params, &result, TN_UNITS_IEC);
}

static void
test_plan(void)
{
  g_autofree char *fits = dup_plan_verdict(8192, 6144, 8192);
  g_autofree char *open = dup_plan_verdict(8192, 6144, 7168);
  g_autofree char *proved = dup_plan_verdict(8192, 6144, 5120);
  g_assert_cmpstr(fits, ==, "Fits, with a plan that knows all lives.");
  g_assert_cmpstr(open, ==,
                  "No plan was found that fits: the best one takes 8.0 KiB, 1.0 KiB more than the "
                  "device has. It is proved only that none takes less than 6.0 KiB.");
  g_assert_cmpstr(proved, ==,
                  "Does not fit: even a plan needs 6.0 KiB, 1.0 KiB more than the device has.");
}

/* That none fits is not said where none was found. */
static void
test_note(void)
{
  TnSuggestion row = {.model = tn_allocator_models_find("static"), .reserved_peak = 8192};
  g_autofree char *proved = tn_what_if_dup_note(&row, TN_UNITS_IEC);
  row.is_open = true;
  g_autofree char *open = tn_what_if_dup_note(&row, TN_UNITS_IEC);
  g_assert_cmpstr(proved, ==, "fails · 8.0 KiB reserved until then");
  g_assert_cmpstr(open, ==,
                  "no plan was found that fits, none is ruled out · the best takes 8.0 KiB");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/what-if-text/later", test_later);
  g_test_add_func("/what-if-text/plan", test_plan);
  g_test_add_func("/what-if-text/note", test_note);
  return g_test_run();
}
