/* SPDX-License-Identifier: MIT */
/* The planners on the shared instances and on random ones, as tables.  Every answer goes through
 * the tests' own validator.  TN_MINIMALLOC names a binary of google/minimalloc to compare with, in
 * the same run; TN_BENCH_SECONDS is the time limit of the anytime rows (default 5). */
#include "config.h"

#include "analysis/plan/plan.h"
#include "tests/unit/plan-support.h"

#include <stdio.h>
#include <sys/resource.h>

#define CAPACITY 1048576
#define N_SHUFFLES 5

static double
user_seconds(int who)
{
  struct rusage usage;
  getrusage(who, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

typedef struct {
  TnPlanAnswer answer;
  double user;
  const char *broken;
} Measured;

static Measured
measure(const TnPlanProblem *problem, const char *strategy, tn_bytes capacity, double seconds)
{
  Measured measured = {0};
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.capacity = capacity;
  params.time_limit = seconds;
  double before = user_seconds(RUSAGE_SELF);
  tn_strategies_find(strategy)->plan(problem, &params, &measured.answer);
  measured.user = user_seconds(RUSAGE_SELF) - before;
  /* The validator compares all pairs. */
  if (!measured.answer.offset)
    measured.broken = "no plan";
  else if (problem->n <= 20000)
    measured.broken = broken(problem, measured.answer.offset, measured.answer.arena);
  return measured;
}

static double
peer_seconds(const char *file)
{
  g_autofree char *peer = g_strdup(g_getenv("TN_MINIMALLOC"));
  const char *shared = g_getenv("TN_SHARED");
  if (!peer || !shared)
    return -1;
  g_autofree char *input = g_strdup_printf("--input=%s/benchmarks/%s", shared, file);
  g_autofree char *output = g_strdup_printf("--output=%s/tn-bench-peer.csv", g_get_tmp_dir());
  char capacity[] = "--capacity=1048576", timeout[] = "--timeout=120s";
  char *argv[] = {peer, capacity, input, output, timeout, NULL};
  double before = user_seconds(RUSAGE_CHILDREN);
  if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL | G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
                    NULL, NULL, NULL, NULL, NULL))
    return -1;
  return user_seconds(RUSAGE_CHILDREN) - before;
}

static void
shuffle(Case *c, uint64_t seed)
{
  for (uint32_t i = c->problem.n - 1; i > 0; i--) {
    uint32_t j = below(&seed, i + 1);
    int64_t *columns[] = {c->lower, c->upper, c->size};
    for (int k = 0; k < 3; k++) {
      int64_t swap = columns[k][i];
      columns[k][i] = columns[k][j];
      columns[k][j] = swap;
    }
  }
}

/* Largest and smallest user seconds over shuffles of the rows. */
static void
measure_shuffles(Case *c, double *least, double *most)
{
  for (uint64_t seed = 1; seed <= N_SHUFFLES; seed++) {
    shuffle(c, seed);
    Measured measured = measure(&c->problem, "exact", CAPACITY, 60);
    *least = MIN(*least, measured.user);
    *most = MAX(*most, measured.user);
    tn_plan_answer_clear(&measured.answer);
  }
}

static void
bench_minimalloc(void)
{
  double total = 0, peer_total = 0, shuffled_most = 0;
  printf("\nexact at capacity 1048576 (user seconds; shuffled: the slowest of %d)\n", N_SHUFFLES);
  printf("| instance | n | bound | arena | proved | seconds | shuffled | peer | ratio |\n");
  printf("|---|---|---|---|---|---|---|---|---|\n");
  for (char name = 'A'; name <= 'K'; name++) {
    g_autofree char *file = g_strdup_printf("minimalloc/%c.1048576.csv", name);
    g_autoptr(Case) c = case_load(file);
    if (!c)
      return;
    Measured measured = measure(&c->problem, "exact", CAPACITY, 60);
    double peer = peer_seconds(file), least = 1e9, most = 0;
    measure_shuffles(c, &least, &most);
    printf("| %c | %u | %" G_GINT64_FORMAT " | %" G_GINT64_FORMAT
           " | %s | %.4f | %.4f | %.3f | %.0f |%s\n",
           name, c->problem.n, measured.answer.lower_bound, measured.answer.arena,
           measured.answer.is_optimal ? "yes" : "no", measured.user, most, peer,
           peer / measured.user, measured.broken ? measured.broken : "");
    total += measured.user;
    peer_total += peer;
    shuffled_most += most;
    tn_plan_answer_clear(&measured.answer);
  }
  printf("| all | | | | | %.4f | %.4f | %.3f | %.0f |\n", total, shuffled_most, peer_total,
         peer_total / total);
}

static void
print_row(const char *name, const TnPlanProblem *problem, const char *strategy, double seconds)
{
  Measured measured = measure(problem, strategy, 0, seconds);
  const TnPlanAnswer *answer = &measured.answer;
  printf("| %s | %u | %s | %" G_GINT64_FORMAT " | %" G_GINT64_FORMAT
         " | %.4f | %s | %.3f | %.3f |%s\n",
         name, problem->n, strategy, answer->lower_bound, answer->arena,
         100.0 * (double)(answer->arena - answer->lower_bound) /
             (double)MAX(answer->lower_bound, 1),
         answer->is_optimal ? "yes" : "no", answer->seconds, measured.user,
         measured.broken ? measured.broken : "");
  fflush(stdout);
  tn_plan_answer_clear(&measured.answer);
}

static void
print_head(const char *title)
{
  printf("\n%s\n| instance | n | strategy | bound | arena | over %% | proved | wall s | user s |\n",
         title);
  printf("|---|---|---|---|---|---|---|---|---|\n");
}

static void
bench_anytime(double seconds)
{
  static const char *const files[] = {"minimalloc/D.1048576.csv", "minimalloc/J.1048576.csv",
                                      "real/resnet50.csv", "real/G_1.csv", "real/pangu_2.6B.csv"};
  print_head("smallest arena within the time limit");
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autoptr(Case) c = case_load(files[i]);
    if (!c)
      continue;
    print_row(files[i], &c->problem, "best", seconds);
    print_row(files[i], &c->problem, "exact", seconds);
  }
  for (gsize i = 0; i < 4; i++) {
    uint32_t n = ((const uint32_t[]){201, 1424, 5002, 19596})[i];
    g_autofree char *name = g_strdup_printf("tiling %u", n);
    g_autoptr(Case) c = case_tiling(n, 4 * (tn_tick)n, 1 << 20, 1);
    print_row(name, &c->problem, "greedy-size", seconds);
    print_row(name, &c->problem, "best", seconds);
  }
}

static void
bench_scale(void)
{
  print_head("scale: random buffers, about 50 alive");
  for (uint32_t n = 10000; n <= 1000000; n *= 10) {
    g_autoptr(Case) c = case_random(n, 1);
    print_row("random", &c->problem, "first-fit", 60);
    print_row("random", &c->problem, "best-fit", 60);
    print_row("random", &c->problem, "greedy-size", 60);
  }
}

int
main(void)
{
  const char *seconds = g_getenv("TN_BENCH_SECONDS");
  bench_minimalloc();
  bench_scale();
  bench_anytime(seconds ? g_ascii_strtod(seconds, NULL) : 5);
  return 0;
}
