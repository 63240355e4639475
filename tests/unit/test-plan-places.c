/* SPDX-License-Identifier: MIT */
/* Rules of places in plans (groups, no reuse, gaps): what planners give and claim. */
#include "config.h"

#include "analysis/check.h"
#include "plan-support.h"

/* ---- by hand -------------------------------------------------------------------------------- */

typedef struct {
  tn_tick start, end;
  tn_bytes bytes, alignment;
  uint32_t group;
  unsigned flags;
  tn_bytes fixed; /* where TN_BUFFER_FIXED */
} Row;

static TnBuffers *
buffers_new(const Row *rows, uint32_t n)
{
  TnBuffers *buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_ALIGNMENT | TN_COLUMN_GROUP);
  for (uint32_t i = 0; i < n; i++) {
    tn_buffers_add(buffers, rows[i].start, rows[i].end, rows[i].bytes, TN_KIND_ACTIVATION);
    buffers->alignment[i] = MAX(rows[i].alignment, 1);
    buffers->group[i] = rows[i].group;
    buffers->flags[i] |= rows[i].flags;
    if (rows[i].flags & TN_BUFFER_FIXED)
      buffers->offset[i] = rows[i].fixed;
  }
  return buffers;
}

static TnPlan *
plan_of(const TnBuffers *buffers, const char *strategy, tn_bytes capacity)
{
  TnPlanParams params = {.capacity = capacity, .time_limit = 0.05, .n_threads = 1};
  TnPlan *plan = tn_plan_new_for_buffers(buffers, tn_strategies_find(strategy), 1, &params);
  if (plan->status != TN_PLAN_FAILED) {
    g_autofree char *error = tn_check_dup_plan_error(NULL, buffers, plan->offset, 1,
                                                     plan->space_arena, plan->n_spaces);
    g_assert_null(error);
  }
  return plan;
}

/* What holds no bytes lies anywhere: it neither binds its group nor moves it. */
static void
test_empty_member(void)
{
  static const Row rows[] = {{1, 2, 0, 4, 1, TN_BUFFER_FIXED, 60},
                             {2, 5, 10, 1, 1, 0, 0},
                             {2, 5, 0, 64, 1, 0, 0},
                             {2, 5, 2, 1, 1, 0, 0}};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  g_autoptr(TnPlan) plan = plan_of(buffers, "best", 12);
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(plan->arena_bytes, ==, 12);
  g_assert_cmpint(plan->offset[0], ==, 60);
  g_assert_cmpint(plan->offset[3], ==, plan->offset[1] + 10);
  buffers->bytes[1] = buffers->bytes[3] = 0;
  g_autoptr(TnPlan) empty = plan_of(buffers, "exact", 0);
  g_assert_cmpint(empty->arena_bytes, ==, 0);
  g_assert_cmpint(empty->offset[0], ==, 60);
}

/* z lies below t at 0, 4 and 0, beside h: 8 bytes. */
static void
test_padded(void)
{
  static const Row rows[] = {{0, 1, 2, 4, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {0, 8, 4, 2, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {2, 8, 3, 1, 0, 0, 0}};
  static const char *const names[] = {"exact", "best", "search"};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(TnPlan) plan = plan_of(buffers, names[i], 8);
    g_assert_cmpint(plan->proved_bound_bytes, <=, 8);
    g_assert_cmpint(plan->status, !=, TN_PLAN_INFEASIBLE);
    g_assert_true(!plan->is_optimal || plan->arena_bytes == 8);
  }
}

/* Where all members have one alignment there is one layout only, and what is proved of it holds. */
static void
test_padded_alike(void)
{
  static const Row rows[] = {{0, 4, 3, 4, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {2, 8, 4, 4, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {3, 6, 2, 1, 0, 0, 0}};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  g_autoptr(TnPlan) plan = plan_of(buffers, "exact", 0);
  g_assert_cmpint(plan->arena_bytes, ==, 10);
  g_assert_true(plan->is_optimal);
}

/* One member that says so makes the group a padded one, for planners and for the checker. */
static void
test_padded_by_one(void)
{
  static const Row rows[] = {{0, 3, 4, 4, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {0, 3, 1, 1, 1, 0, 0},
                             {0, 3, 4, 4, 1, 0, 0}};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  g_autoptr(TnPlan) plan = plan_of(buffers, "best", 0);
  g_assert_cmpint(plan->arena_bytes, ==, 12);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-places/empty-member", test_empty_member);
  g_test_add_func("/plan-places/padded", test_padded);
  g_test_add_func("/plan-places/padded-alike", test_padded_alike);
  g_test_add_func("/plan-places/padded-by-one", test_padded_by_one);
  return g_test_run();
}
