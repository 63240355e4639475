/* SPDX-License-Identifier: MIT */
/* GE's planner: its golden plan, each of its rules by hand, its variants; and its plogs, generated in
 * every generation, read back to the plan that they were written from. */
#include "config.h"

#include "analysis/check.h"
#include "analysis/plan/ge-candidates.h"
#include "analysis/plan/plan.h"
#include "data/reader.h"
#include "ge-support.h"
#include "plan-support.h"

#define K 1024
#define M ((tn_bytes)1024 * 1024)

typedef struct {
  tn_tick start, end; /* closed, as GE has them */
  tn_bytes size;
  uint32_t stream, batch;
  tn_bytes offset; /* expected */
} Tensor;

static TnPlanAnswer
plan_with(const Tensor *tensors, uint32_t n, unsigned options)
{
  g_autofree tn_tick *lower = g_new(tn_tick, n), *upper = g_new(tn_tick, n);
  g_autofree tn_bytes *size = g_new(tn_bytes, n);
  g_autofree uint32_t *stream = g_new(uint32_t, n), *batch = g_new(uint32_t, n);
  TnPlanProblem problem = {
      .n = n, .lower = lower, .upper = upper, .size = size, .stream = stream, .batch = batch};
  TnPlanParams params = {.ge_options = options};
  TnPlanAnswer answer = {0};
  for (uint32_t i = 0; i < n; i++) {
    lower[i] = tensors[i].start;
    upper[i] = tensors[i].end + 1;
    size[i] = tensors[i].size;
    stream[i] = tensors[i].stream;
    batch[i] = tensors[i].batch;
  }
  tn_strategies_find("ge")->plan(&problem, &params, &answer);
  return answer;
}

static void
assert_plan(const Tensor *tensors, uint32_t n, unsigned options, tn_bytes arena)
{
  TnPlanAnswer answer = plan_with(tensors, n, options);
  g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(answer.arena, ==, arena);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint(answer.offset[i], ==, tensors[i].offset);
  tn_plan_answer_clear(&answer);
}

/* ---- by hand ------------------------------------------------------------------------------------- */

/* The four tensors of GE's own test of input and output reuse. */
static void
test_golden(void)
{
  static const Tensor tensors[] = {{0, 2, 1024, 0, 0, 0},    /* data_0 */
                                   {2, 3, 1024, 0, 0, 1024}, /* add_1 */
                                   {3, 4, 1024, 0, 0, 0},    /* add_2 */
                                   {4, 9, 1024, 0, 0, 1024}}; /* add_3 */
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 2048);
}

/* Lives are closed: who begins at the end of another does not share with it. */
static void
test_closed(void)
{
  static const Tensor tensors[] = {{0, 2, K, 0, 0, 0}, {2, 4, K, 0, 0, K}, {3, 5, K, 0, 0, 0}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 2 * K);
}

/* Level 1 takes the block released last, or first where that is asked for. */
static void
test_release_order(void)
{
  static const Tensor last[] = {
      {0, 1, K, 0, 0, 0}, {0, 2, K, 0, 0, K}, {4, 5, K, 0, 0, K}, {4, 5, K, 0, 0, 0}};
  static const Tensor first[] = {
      {0, 1, K, 0, 0, 0}, {0, 2, K, 0, 0, K}, {4, 5, K, 0, 0, 0}, {4, 5, K, 0, 0, K}};
  assert_plan(last, 4, 0, 2 * K);
  assert_plan(first, 4, TN_GE_FIRST_RELEASE, 2 * K);
}

/* Level 1 wants the same size; level 2 puts smaller blocks side by side into a larger one, which they
 * may pass by 512 bytes; the block grows by that. */
static void
test_nesting(void)
{
  static const Tensor tensors[] = {{0, 1, 4 * K, 0, 0, 0},
                                   {2, 3, 2 * K, 0, 0, 0},       /* in the idle large block … */
                                   {2, 5, K + 1, 0, 0, 2 * K},   /* … beside each other, */
                                   {2, 5, K, 0, 0, 2 * K + 1536}, /* … the last one beyond its end */
                                   {4, 5, K, 0, 0, 0}}; /* no room but in the second, idle again */
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 4 * K + 512);
}

/* A child of a child: it must keep clear of both lives above it. */
static void
test_deep(void)
{
  static const Tensor tensors[] = {{0, 1, 4 * K, 0, 0, 0},
                                   {2, 3, 3 * K, 0, 0, 0},
                                   {4, 5, 2 * K, 0, 0, 0},     /* in the second, in the first */
                                   {0, 1, 512, 0, 0, 4 * K}}; /* as early as the first: on its own */
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 4 * K + 512);
}

/* A block whose members are partly in the way is split: what fits goes in, the rest stays. */
static void
test_split(void)
{
  static const Tensor tensors[] = {{0, 1, 4 * K, 0, 0, 0},
                                   {1, 1, 2 * K, 0, 0, 4 * K},
                                   {3, 3, 2 * K, 0, 0, 0}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 6 * K);
}

/* Without an edge between them streams share nothing. */
static void
test_streams(void)
{
  static const Tensor tensors[] = {
      {0, 1, 2 * K, 0, 0, 0}, {2, 3, 2 * K, 1, 0, 2 * K}, {4, 5, 2 * K, 0, 0, 0}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 4 * K);
}

/* Three batches: the smaller ones lie in the place of the largest, which is one piece, none beside the
 * unlabelled.  Largest blocks come first, and the first that does not fit ends a piece. */
static void
test_batches(void)
{
  static const Tensor tensors[] = {
      {0, 9, K, 0, 0, 0},         {1, 9, 4 * K, 0, 7, K}, {2, 9, 2 * K, 0, 7, 5 * K},
      {1, 9, 3 * K, 0, 8, K},     {2, 9, 2 * K, 0, 8, 4 * K}, {3, 9, K, 0, 8, 6 * K},
      {1, 9, 5 * K, 0, 9, K}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 7 * K);
}

/* With memory that may be extended the largest batch is cut before it passes 400 MB: 300 + 100 is one
 * piece, 200 the next.  Of the other, 399 goes into the first, 1 beside it, and 250 fits nowhere. */
static void
test_pieces(void)
{
  static const Tensor tensors[] = {{1, 9, 300 * M, 0, 7, 0},       {1, 9, 200 * M, 0, 7, 300 * M},
                                   {1, 9, 100 * M, 0, 7, 500 * M}, {1, 9, 399 * M, 0, 8, 0},
                                   {1, 9, 150 * M, 0, 8, 399 * M}};
  static const Tensor cut[] = {{1, 9, 300 * M, 0, 7, 0},       {1, 9, 200 * M, 0, 7, 300 * M},
                               {1, 9, 100 * M, 0, 7, 500 * M}, {1, 9, 301 * M, 0, 8, 600 * M},
                               {1, 9, 150 * M, 0, 8, 901 * M}};
  static const Tensor limits[] = {{1, 9, 200 * M, 0, 7, 0}, {1, 9, 200 * M, 0, 7, 200 * M},
                                  {1, 9, 1 * M, 0, 7, 400 * M}, {1, 9, 400 * M, 0, 8, 0}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 600 * M); /* one piece of 600 */
  /* 300 | 200 + 100: 301 does not fit into either, and ends both. */
  assert_plan(cut, G_N_ELEMENTS(cut), TN_GE_EXTEND_SIZE, 1051 * M);
  assert_plan(limits, G_N_ELEMENTS(limits), TN_GE_EXTEND_SIZE, 401 * M); /* 400 fits exactly */
}

/* One size for all, and no nesting: less only where the sizes are nearly the same. */
static void
test_max_block(void)
{
  static const Tensor tensors[] = {{0, 2, 3 * K, 0, 0, 0},
                                   {3, 5, 4 * K, 0, 0, 0},
                                   {2, 3, 4 * K - 512, 0, 0, 4 * K},
                                   {4, 6, 3 * K + 512, 0, 0, 4 * K}};
  TnPlanAnswer answer = plan_with(tensors, 4, 0);
  g_assert_cmpuint(answer.tried->len, ==, 2);
  g_assert_cmpstr(g_array_index(answer.tried, TnPlanTry, 1).strategy, ==, "max-block");
  g_assert_cmpint(g_array_index(answer.tried, TnPlanTry, 1).arena_bytes, ==, 8 * K - 512);
  tn_plan_answer_clear(&answer);
}

/* ---- what GE keeps apart --------------------------------------------------------------------------------- */

typedef struct {
  tn_tick start, end; /* closed */
  tn_bytes size, asked;
  unsigned traits;
  uint8_t flags, kind;
  uint32_t group; /* + 1 */
  tn_bytes offset; /* expected */
} Special;

static void
assert_special(const Special *rows, uint32_t n, unsigned options, tn_bytes arena)
{
  g_autofree tn_tick *lower = g_new(tn_tick, n), *upper = g_new(tn_tick, n);
  g_autofree tn_bytes *size = g_new(tn_bytes, n), *asked = g_new(tn_bytes, n);
  g_autofree uint32_t *traits = g_new(uint32_t, n), *group = g_new(uint32_t, n);
  g_autofree uint8_t *flags = g_new(uint8_t, n), *kind = g_new(uint8_t, n);
  TnPlanProblem problem = {.n = n, .lower = lower, .upper = upper, .size = size, .traits = traits,
                           .group = group, .flags = flags, .kind = kind, .requested = asked};
  TnPlanParams params = {.ge_options = options, .ge_variant = "binary-block"};
  TnPlanAnswer answer = {0};
  for (uint32_t i = 0; i < n; i++) {
    lower[i] = rows[i].start;
    upper[i] = rows[i].end + 1;
    size[i] = rows[i].size;
    asked[i] = rows[i].asked;
    traits[i] = rows[i].traits;
    flags[i] = rows[i].flags;
    kind[i] = rows[i].kind;
    group[i] = rows[i].group;
  }
  tn_strategies_find("ge")->plan(&problem, &params, &answer);
  g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint(answer.offset[i], ==, rows[i].offset);
  g_assert_cmpint(answer.arena, ==, arena);
  tn_plan_answer_clear(&answer);
}

/* GE's own golden plan with its traits: an input that may be reused holds add_2, an output that may
 * reuse holds add_1; neither is merged with the other. */
static void
test_zero_copy(void)
{
  static const Special golden[] = {
      {0, 2, K, 992, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, 0},
      {2, 3, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, K},
      {3, 4, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, 0},
      {4, 9, K, 992, TN_TRAIT_ZERO_COPY, 0, TN_KIND_OUTPUT, 0, K}};
  /* Only the two of the caller: they could share by life, and never do.  The output comes first. */
  static const Special two[] = {{0, 2, K, 992, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, K},
                                {4, 9, K, 992, TN_TRAIT_ZERO_COPY, 0, TN_KIND_OUTPUT, 0, 0}};
  /* Holds 800 + 32 of its block of 1024: a block of 1024 does not fit, one of 512 does. */
  static const Special real[] = {{0, 2, K, 800, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, 0},
                                 {3, 4, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, K},
                                 {3, 4, 512, 480, 0, 0, TN_KIND_ACTIVATION, 0, 0}};
  assert_special(golden, G_N_ELEMENTS(golden), 0, 2 * K);
  assert_special(two, G_N_ELEMENTS(two), 0, 2 * K);
  assert_special(real, G_N_ELEMENTS(real), 0, 2 * K);
}

/* Blocks, then contiguous groups, then what is cleaned together, then outputs, then inputs by size. */
static void
test_regions(void)
{
  static const Special rows[] = {
      {0, 9, 2 * K, 2000, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, 13 * K},
      {0, 9, K, 900, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, 12 * K},
      {1, 9, 3 * K, 3000, TN_TRAIT_ZERO_COPY, TN_BUFFER_NO_REUSE, TN_KIND_OUTPUT, 0, 9 * K},
      {1, 2, K, 1000, TN_TRAIT_CLEANED, TN_BUFFER_NO_REUSE, TN_KIND_ACTIVATION, 0, 7 * K},
      {5, 6, K, 1000, TN_TRAIT_CLEANED, TN_BUFFER_NO_REUSE, TN_KIND_ACTIVATION, 0, 8 * K},
      {1, 4, K, 1000, TN_TRAIT_CONTINUOUS, 0, TN_KIND_ACTIVATION, 1, 4 * K},
      {2, 4, 2 * K, 2000, TN_TRAIT_CONTINUOUS, 0, TN_KIND_ACTIVATION, 1, 5 * K},
      {1, 2, K, 1000, 0, 0, TN_KIND_ACTIVATION, 0, 3 * K},
      {1, 2, 3 * K, 3000, 0, 0, TN_KIND_ACTIVATION, 0, 0}};
  assert_special(rows, G_N_ELEMENTS(rows), 0, 15 * K);
}

/* Without padding neighbours stand close, and the group gives no byte beyond them: 700 + 700 hold a
 * block of 1024 after both, but not one of 1536, which is shared at the first level. */
static void
test_continuous(void)
{
  unsigned traits = TN_TRAIT_CONTINUOUS | TN_TRAIT_NO_PADDING;
  const Special rows[] = {{2, 4, 700, 700, traits, 0, TN_KIND_ACTIVATION, 1, 1536},
                          {3, 4, 700, 700, traits, 0, TN_KIND_ACTIVATION, 1, 1536 + 700},
                          {5, 6, K, 1000, 0, 0, TN_KIND_ACTIVATION, 0, 1536},
                          {5, 6, 1536, 1500, 0, 0, TN_KIND_ACTIVATION, 0, 0},
                          {2, 2, 1536, 1500, 0, 0, TN_KIND_ACTIVATION, 0, 0}};
  /* With padding each stands on a block of its own size; lives are those of the group. */
  const Special padded[] = {
      {2, 4, K, 700, TN_TRAIT_CONTINUOUS, TN_BUFFER_GROUP_PADDED, TN_KIND_ACTIVATION, 1, 512},
      {3, 4, K, 700, TN_TRAIT_CONTINUOUS, TN_BUFFER_GROUP_PADDED, TN_KIND_ACTIVATION, 1, 512 + K},
      {2, 2, 512, 400, 0, 0, TN_KIND_ACTIVATION, 0, 0}};
  /* Never with the caller's: an input that ends before them does not hold them. */
  const Special callers[] = {
      {0, 1, 2 * K, 2016, TN_TRAIT_ZERO_COPY, 0, TN_KIND_INPUT, 0, 2 * K},
      {2, 4, K, K, TN_TRAIT_CONTINUOUS, 0, TN_KIND_ACTIVATION, 1, 0},
      {3, 4, K, K, TN_TRAIT_CONTINUOUS, 0, TN_KIND_ACTIVATION, 1, K}};
  assert_special(rows, G_N_ELEMENTS(rows), 0, 1536 + 1400);
  assert_special(padded, G_N_ELEMENTS(padded), 0, 2 * K + 512);
  assert_special(callers, G_N_ELEMENTS(callers), 0, 4 * K);
}

/* Types of blocks: what is cleaned alone is reused among its like, never with data. */
static void
test_cleaned(void)
{
  static const Special rows[] = {{1, 2, K, 992, TN_TRAIT_CLEANED, 0, TN_KIND_ACTIVATION, 0, 0},
                                 {3, 4, K, 992, TN_TRAIT_DATA, 0, TN_KIND_ACTIVATION, 0, K},
                                 {5, 6, K, 992, TN_TRAIT_CLEANED, 0, TN_KIND_ACTIVATION, 0, 0},
                                 {7, 8, 512, 480, TN_TRAIT_DATA, 0, TN_KIND_ACTIVATION, 0, K}};
  assert_special(rows, G_N_ELEMENTS(rows), 0, 2 * K);
}

/* A base that may be refreshed: what keeps its address comes first, whatever its size. */
static void
test_base_refresh(void)
{
  static const Special kept[] = {
      {1, 2, 2 * K, 2000, 0, 0, TN_KIND_ACTIVATION, 0, K},
      {1, 2, K, 1000, TN_TRAIT_FIXED_ADDRESS, 0, TN_KIND_ACTIVATION, 0, 0}};
  static const Special not_kept[] = {
      {1, 2, 2 * K, 2000, 0, 0, TN_KIND_ACTIVATION, 0, 0},
      {1, 2, K, 1000, TN_TRAIT_FIXED_ADDRESS, 0, TN_KIND_ACTIVATION, 0, 2 * K}};
  assert_special(kept, 2, TN_GE_BASE_REFRESH, 3 * K);
  assert_special(not_kept, 2, 0, 3 * K);
}

/* Workspaces and outputs that nobody reads live for their op: the next one has their place. */
static void
test_suspended(void)
{
  static const Special rows[] = {{3, 3, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, 0},
                                 {3, 3, K, 992, 0, 0, TN_KIND_WORKSPACE, 0, K},
                                 {4, 4, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, K},
                                 {4, 4, K, 992, 0, 0, TN_KIND_WORKSPACE, 0, 0}};
  assert_special(rows, G_N_ELEMENTS(rows), 0, 2 * K);
}

static void
test_no_reuse(void)
{
  static const Special rows[] = {
      {1, 2, K, 992, 0, TN_BUFFER_NO_REUSE, TN_KIND_ACTIVATION, 0, 0},
      {3, 4, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, K},
      {5, 6, K, 992, 0, 0, TN_KIND_ACTIVATION, 0, K}};
  assert_special(rows, G_N_ELEMENTS(rows), 0, 2 * K);
}

/* 2400000 bytes of a sample's row are 2400032 with the padding of most chips. */
static void
test_padding(void)
{
  g_assert_cmpint(tn_ge_real_size(2400000, 32), ==, 2400032);
  g_assert_cmpint(tn_ge_real_size(2400001, 16), ==, 2400048);
  g_assert_cmpint(tn_ge_real_size(2400001, 0), ==, 2400032);
  g_assert_cmpint(tn_ge_real_size(INT64_MAX, 32), ==, -1);
}

/* A block goes into the deepest child with room before it goes beside it: c and e lie in b, which lies
 * in a and grows by the 512 that they pass it by; d had no room in b, and moves up by as much. */
static void
test_deepest(void)
{
  static const Tensor tensors[] = {{0, 1, 8 * K, 0, 0, 0},     {2, 3, 4 * K, 0, 0, 0},
                                   {4, 5, 3 * K, 0, 0, 0},     {4, 5, 2 * K, 0, 0, 4 * K + 512},
                                   {4, 5, 1536, 0, 0, 3 * K}};
  assert_plan(tensors, G_N_ELEMENTS(tensors), 0, 8 * K);
}

/* ---- ranges and variants ------------------------------------------------------------------------------ */

static void
test_ceilings(void)
{
  static const tn_bytes few[] = {6, 12, 16, 24, 24, 30, 32, 48, 60, 256};
  static const tn_bytes many[] = {6, 12, 16, 24, 24, 24, 30, 32, 48, 48, 60, 256};
  static const tn_bytes large[] = {512, 512, 512, 512, 9 << 20, 15 << 20, 30 << 20, 60 << 20};
  static const struct {
    const tn_bytes *sizes;
    uint32_t n;
    tn_bytes ceilings[6];
  } rows[] = {{few, G_N_ELEMENTS(few), {12, 24, 48, 60, 256}},
              {many, G_N_ELEMENTS(many), {12, 24, 48, 256}}, /* 60 is alone and joins the next */
              {large, 1, {512}},
              {large, G_N_ELEMENTS(large), {512, 15 << 20, 30 << 20, 60 << 20}}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GArray) ceilings = tn_ge_ceilings_new(rows[i].sizes, rows[i].n);
    for (guint k = 0; k < ceilings->len; k++)
      g_assert_cmpint(g_array_index(ceilings, tn_bytes, k), ==, rows[i].ceilings[k]);
    g_assert_true(ceilings->len == 6 || rows[i].ceilings[ceilings->len] == 0);
  }
}

/* In a range blocks of 3 KiB serve 2.5 KiB too: level 1 then shares what level 2 can't. */
static void
test_variants(void)
{
  static const struct {
    unsigned options;
    guint n;
  } rows[] = {{0, 2},
              {TN_GE_RANGE, 3},
              {TN_GE_RANGE | TN_GE_ASCENDING | TN_GE_FIRST_RELEASE, 3},
              {TN_GE_MEMORY_PRIORITY, 6}};
  uint64_t state = 5;
  Tensor tensors[60];
  for (int round = 0; round < 50; round++) {
    for (gsize i = 0; i < G_N_ELEMENTS(tensors); i++) {
      tn_tick start = below(&state, 90);
      tensors[i] = (Tensor){start, start + below(&state, 12), 512 * (1 + (tn_bytes)below(&state, 40)),
                            0, 0, 0};
    }
    for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
      TnPlanAnswer answer = plan_with(tensors, G_N_ELEMENTS(tensors), rows[r].options);
      tn_bytes least = INT64_MAX;
      g_assert_cmpuint(answer.tried->len, ==, rows[r].n);
      for (guint k = 0; k < answer.tried->len; k++)
        least = MIN(least, g_array_index(answer.tried, TnPlanTry, k).arena_bytes);
      g_assert_cmpint(answer.arena, ==, least);
      g_assert_cmpint(answer.arena, >=, answer.lower_bound);
      tn_plan_answer_clear(&answer);
    }
  }
}

/* The tree finds what a look at every block finds. */
static void
test_candidates(void)
{
  uint64_t state = 17;
  for (int round = 0; round < 200; round++) {
    TnGeItem items[90] = {0};
    uint32_t order[90];
    TnGePlan plan = {.items = items, .n_items = 90, .unit = 512,
                     .blocks = g_array_new(FALSE, FALSE, sizeof(TnGeBlock))};
    for (uint32_t i = 0; i < 90; i++) {
      items[i].start = below(&state, 100);
      items[i].end = items[i].release = items[i].start + 1 + below(&state, 30);
      items[i].size = 512 * (1 + (tn_bytes)below(&state, 20));
    }
    tn_ge_find_axis(&plan);
    for (uint32_t i = 0; i < 90; i++)
      order[i] = tn_ge_block_add(&plan, i);
    g_autoptr(TnGeCandidates) tree = tn_ge_candidates_new(&plan, order, 60);
    uint8_t is_gone[90] = {0};
    for (uint32_t i = 60; i < 90; i++)
      tn_ge_candidates_append(tree, order[i]);
    for (int k = 0; k < 20; k++) {
      uint32_t place = below(&state, 90);
      is_gone[place] = 1;
      tn_ge_candidates_remove(tree, place);
    }
    for (int k = 0; k < 50; k++) {
      TnGeIdle idle = {512 * (tn_bytes)below(&state, 20), below(&state, 60), 40 + below(&state, 60),
                       below(&state, 12)};
      uint32_t from = below(&state, 90), expected = from;
      for (; expected < 90; expected++) {
        const TnGeItem *item = &items[expected];
        if (!is_gone[expected] && item->size <= idle.room &&
            (item->end <= idle.first_start || item->start >= idle.last_end ||
             item->end - item->start <= idle.longest_gap))
          break;
      }
      g_assert_cmpuint(tn_ge_candidates_next(tree, from, &idle), ==, expected < 90 ? expected : TN_NONE);
    }
    for (uint32_t i = 0; i < 90; i++)
      tn_ge_block_clear(tn_ge_block(&plan, i));
    g_array_unref(plan.blocks);
  }
}

/* ---- plogs ------------------------------------------------------------------------------------------- */

static const GeLine lines[] = {
    {"conv1", "Conv2D", "output[0]", 0, 0, 4096, 4064, 4000, 1, 4, 0, 1, 0, 0, 1, 0, "", ""},
    {"conv1", "Conv2D", "workspace[0]", 4096, 0, 512, 512, 512, 1, 1, 0, 1, 0, 0, 1, 0, "", ""},
    {"relu", "Relu", "output[0]", 4608, 1, 1024, 1024, 992, 2, 6, 0, 1, 0, 0, 0, 0, "Batch_1", "data"},
    {"sum", "AtomicAdd", "output[0]", 0, 0, 4096, 2048, 2016, 5, GE_NEVER, 1, 0, 0, 1, 1, 0, "",
     "concentrate_atomic"},
};

static TnDocument *
load_plog(GePlogNoise noise, char **out_text)
{
  *out_text = ge_plog_text(lines, G_N_ELEMENTS(lines), noise);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plog-77.log", *out_text, strlen(*out_text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, NULL);
}

static uint32_t
traits_of(const GeLine *line, GePlog form)
{
  return (line->level ? TN_TRAIT_NESTED : 0u) | (line->continuous ? TN_TRAIT_CONTINUOUS : 0u) |
         (line->zero_copy ? TN_TRAIT_ZERO_COPY : 0u) |
         (!line->one_stream && form != GE_PLOG_2020 ? TN_TRAIT_MANY_STREAMS : 0u) |
         (form >= GE_PLOG_NOW && strcmp(line->block_type, "data") == 0 ? TN_TRAIT_DATA : 0u) |
         (form >= GE_PLOG_NOW && strcmp(line->block_type, "concentrate_atomic") == 0
              ? TN_TRAIT_CLEANED
              : 0u);
}

/* Row by its life's start and place, which are its own here. */
static void
assert_line(const TnBuffers *b, const GeLine *line, GePlog form)
{
  tn_index i = 0;
  while (i < b->n && (b->start[i] != line->begin || b->offset[i] != line->offset))
    i++;
  g_assert_cmpuint(i, <, b->n);
  g_assert_cmpint(b->end[i], ==, line->end == GE_NEVER ? 7 : line->end + 1);
  g_assert_cmpint(b->bytes[i], ==, (line->real + 511) / 512 * 512);
  g_assert_cmpint(b->requested[i], ==, line->plain);
  g_assert_cmpint(b->block[i], ==, line->size);
  g_assert_cmpuint(b->stream[i], ==, line->stream);
  g_assert_cmpuint(b->traits[i], ==, traits_of(line, form));
  g_assert_true((b->flags[i] & TN_BUFFER_NO_REUSE) == (line->reusable ? 0 : TN_BUFFER_NO_REUSE));
  g_assert_true((b->batch[i] != 0) == (form != GE_PLOG_2020 && line->batch[0]));
}

static void
test_plogs(void)
{
  for (GePlog form = 0; form < N_GE_PLOGS; form++)
    for (int noise = 0; noise < 4; noise++) {
      GePlogNoise how = {form, noise & 1, noise & 2};
      g_autofree char *text = NULL;
      g_autoptr(TnDocument) document = load_plog(how, &text);
      const TnDevice *device = tn_document_get_device(document, 0);
      g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
      g_assert_cmpuint(device->buffers->n, ==, G_N_ELEMENTS(lines));
      for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
        assert_line(device->buffers, &lines[i], form);
    }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ge-plan/golden", test_golden);
  g_test_add_func("/ge-plan/closed", test_closed);
  g_test_add_func("/ge-plan/release-order", test_release_order);
  g_test_add_func("/ge-plan/nesting", test_nesting);
  g_test_add_func("/ge-plan/deep", test_deep);
  g_test_add_func("/ge-plan/split", test_split);
  g_test_add_func("/ge-plan/streams", test_streams);
  g_test_add_func("/ge-plan/batches", test_batches);
  g_test_add_func("/ge-plan/pieces", test_pieces);
  g_test_add_func("/ge-plan/zero-copy", test_zero_copy);
  g_test_add_func("/ge-plan/regions", test_regions);
  g_test_add_func("/ge-plan/continuous", test_continuous);
  g_test_add_func("/ge-plan/cleaned", test_cleaned);
  g_test_add_func("/ge-plan/base-refresh", test_base_refresh);
  g_test_add_func("/ge-plan/suspended", test_suspended);
  g_test_add_func("/ge-plan/no-reuse", test_no_reuse);
  g_test_add_func("/ge-plan/padding", test_padding);
  g_test_add_func("/ge-plan/deepest", test_deepest);
  g_test_add_func("/ge-plan/max-block", test_max_block);
  g_test_add_func("/ge-plan/ceilings", test_ceilings);
  g_test_add_func("/ge-plan/variants", test_variants);
  g_test_add_func("/ge-plan/candidates", test_candidates);
  g_test_add_func("/ge-plan/plogs", test_plogs);
  return g_test_run();
}
