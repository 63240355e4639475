/* SPDX-License-Identifier: MIT */
/* Rules of places in plans (groups, no reuse, gaps): what planners give and claim, by hand and by brute
 * force over all offsets. */
#include "config.h"

#include "analysis/check.h"
#include "plan-optimum.h"
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

/* 3 and an alignment of all of 4 are 12, to planners and to the checker: at 0, 4 and 12. */
static void
test_padded_common(void)
{
  static const Row rows[] = {{0, 2, 1, 3, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {0, 2, 1, 4, 1, 0, 0},
                             {0, 2, 1, 3, 1, 0, 0}};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  TnPlanParams params = {.time_limit = 0.05, .n_threads = 1};
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("best"), 4, &params);
  g_assert_cmpint(plan->arena_bytes, ==, 13);
  g_autofree char *error =
      tn_check_dup_plan_error(NULL, buffers, plan->offset, 4, plan->space_arena, 1);
  g_assert_null(error);
}

/* Members lie around the fixed one: below it as high as may be, above it as low. */
static void
test_padded_fixed(void)
{
  static const Row pair[] = {{0, 2, 1, 1, 1, TN_BUFFER_FIXED | TN_BUFFER_GROUP_PADDED, 1},
                             {0, 2, 1, 4, 1, 0, 0}};
  static const Row five[] = {{0, 2, 3, 2, 1, TN_BUFFER_GROUP_PADDED, 0},
                             {0, 2, 1, 1, 1, TN_BUFFER_FIXED, 9},
                             {0, 2, 1, 2, 1, 0, 0},
                             {0, 2, 1, 8, 1, TN_BUFFER_FIXED, 24},
                             {0, 2, 1, 2, 1, 0, 0}};
  g_autoptr(TnBuffers) two = buffers_new(pair, G_N_ELEMENTS(pair));
  g_autoptr(TnPlan) plan = plan_of(two, "best", 0);
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(plan->arena_bytes, ==, 5);
  g_autoptr(TnBuffers) around = buffers_new(five, G_N_ELEMENTS(five));
  g_autoptr(TnPlan) other = plan_of(around, "greedy-size", 0);
  g_assert_cmpint(other->status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(other->offset[0], ==, 6);
  g_assert_cmpint(other->offset[2], ==, 16);
  g_assert_cmpint(other->arena_bytes, ==, 27);
  around->offset[3] = 32; /* 22 B between: two gaps below 8 and 1 B are less */
  g_autoptr(TnPlan) none = plan_of(around, "greedy-size", 0);
  g_assert_cmpint(none->status, ==, TN_PLAN_FAILED);
}

/* Nothing of its life holds all of it, but the other may be nowhere in it. */
static void
test_hollow(void)
{
  static const char *const names[] = {"exact", "best", "greedy-size", "slots", "colour", "ge"};
  static const Row rows[] = {{5, 8, 2, 1, 0, 0, 0}, {5, 8, 1, 1, 0, TN_BUFFER_NO_REUSE, 0}};
  g_autoptr(TnBuffers) buffers = buffers_new(rows, G_N_ELEMENTS(rows));
  TnGap gap = {.start = 5, .end = 8, .low = 1, .high = 2};
  tn_index owner = 0;
  tn_buffers_set_gaps(buffers, &gap, &owner, 1);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(TnPlan) plan = plan_of(buffers, names[i], 2);
    g_assert_cmpint(plan->status, ==, TN_PLAN_INFEASIBLE);
    if (strcmp(names[i], "ge") != 0)
      g_assert_cmpint(plan->arena_bytes, ==, 3);
  }
}

/* ---- by brute force ------------------------------------------------------------------------- */

static void
add_random_gap(TnBuffers *buffers, uint32_t row, uint64_t *state, GArray *gaps, GArray *owners)
{
  tn_tick start = buffers->start[row], length = buffers->end[row] - start;
  tn_tick from = start + below(state, (uint32_t)length);
  TnGap gap = {.start = from, .end = from + 1 + below(state, (uint32_t)(start + length - from))};
  if (below(state, 2)) {
    gap.start = start;
    gap.end = start + length;
  }
  gap.low = below(state, (uint32_t)buffers->bytes[row] + 1);
  gap.high = gap.low + below(state, (uint32_t)(buffers->bytes[row] - gap.low) + 1);
  g_array_append_val(gaps, gap);
  g_array_append_val(owners, row);
}

static TnBuffers *
random_buffers(uint64_t *state)
{
  static const tn_bytes steps[] = {1, 1, 2, 3, 4};
  TnBuffers *buffers = tn_buffers_new();
  g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  g_autoptr(GArray) owners = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bool is_aligned = below(state, 2), has_gaps = below(state, 2), has_groups = below(state, 3);
  unsigned padded = has_groups && below(state, 2) ? TN_BUFFER_GROUP_PADDED : 0;
  uint32_t n = 2 + below(state, MOST_ROWS - 2);
  tn_buffers_need(buffers, TN_COLUMN_ALIGNMENT | TN_COLUMN_GROUP);
  for (uint32_t i = 0; i < n; i++) {
    tn_tick start = below(state, 4);
    tn_buffers_add(buffers, start, start + 1 + below(state, 3), below(state, 5),
                   TN_KIND_ACTIVATION);
    buffers->alignment[i] = is_aligned ? steps[below(state, 5)] : 1;
    if (has_groups && below(state, 3)) {
      buffers->group[i] = 1;
      buffers->flags[i] |= padded;
    }
    if (below(state, 5) == 0)
      buffers->flags[i] |= TN_BUFFER_NO_REUSE;
    if (has_gaps && below(state, 2))
      add_random_gap(buffers, i, state, gaps, owners);
    if (below(state, 6) == 0) {
      buffers->offset[i] = buffers->alignment[i] * (tn_bytes)below(state, 4);
      buffers->flags[i] |= TN_BUFFER_FIXED;
    }
  }
  if (gaps->len)
    tn_buffers_set_gaps(buffers, (const TnGap *)(const void *)gaps->data,
                        (const tn_index *)(const void *)owners->data, gaps->len);
  return buffers;
}

/* Planners know one layout of a padded group around its fixed members, which another fixed row may be in
 * the way of. */
static bool
may_fail(const TnBuffers *b)
{
  bool is_padded = false, is_fixed = false, has_other = false;
  for (uint32_t i = 0; i < b->n; i++) {
    bool is_one = b->flags[i] & TN_BUFFER_FIXED && b->bytes[i];
    is_padded |= b->flags[i] & TN_BUFFER_GROUP_PADDED;
    is_fixed |= is_one && b->group[i];
    has_other |= is_one && !b->group[i];
  }
  return is_padded && is_fixed && has_other;
}

/* Returns whether the plan is the smallest. */
static bool
check_claims(const TnBuffers *buffers, const char *strategy, tn_bytes capacity, tn_bytes best)
{
  g_autoptr(TnPlan) plan = plan_of(buffers, strategy, capacity);
  if (best < 0)
    g_assert_cmpint(plan->status, ==, TN_PLAN_FAILED);
  else if (plan->status == TN_PLAN_FAILED)
    g_assert_true(may_fail(buffers));
  if (plan->status == TN_PLAN_FAILED)
    return false;
  g_assert_cmpint(plan->arena_bytes, >=, best);
  g_assert_cmpint(plan->lower_bound_bytes, <=, best);
  g_assert_cmpint(plan->proved_bound_bytes, <=, best);
  g_assert_true(!plan->is_optimal || plan->arena_bytes == best);
  g_assert_true(plan->status != TN_PLAN_INFEASIBLE || capacity < best);
  g_assert_true(plan->status != TN_PLAN_FOUND || capacity == 0 || plan->arena_bytes <= capacity);
  return plan->arena_bytes == best;
}

static void
test_claims(void)
{
  static const char *const names[] = {"best", "exact", "greedy-size", "slots", "best-fit"};
  uint64_t state = 7;
  uint32_t n_best = 0;
  for (uint32_t round = 0; round < 1500; round++) {
    g_autoptr(TnBuffers) buffers = random_buffers(&state);
    tn_bytes best = optimum(buffers);
    n_best += check_claims(buffers, "best", 0, best);
    const char *name = names[round % G_N_ELEMENTS(names)];
    for (tn_bytes capacity = MAX(best - 1, 0); capacity <= best + 1; capacity++)
      check_claims(buffers, name, capacity, best);
  }
  g_assert_cmpint(n_best, >, 1000);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-places/empty-member", test_empty_member);
  g_test_add_func("/plan-places/padded", test_padded);
  g_test_add_func("/plan-places/padded-alike", test_padded_alike);
  g_test_add_func("/plan-places/padded-by-one", test_padded_by_one);
  g_test_add_func("/plan-places/padded-common", test_padded_common);
  g_test_add_func("/plan-places/padded-fixed", test_padded_fixed);
  g_test_add_func("/plan-places/hollow", test_hollow);
  g_test_add_func("/plan-places/claims", test_claims);
  return g_test_run();
}
