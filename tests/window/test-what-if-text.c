/* SPDX-License-Identifier: MIT */
/* How many fail later, said so that it agrees. */
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/what-if-text/later", test_later);
  return g_test_run();
}
