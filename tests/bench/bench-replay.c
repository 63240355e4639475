/* SPDX-License-Identifier: MIT */
/* How fast a log is replayed: two million events, like training steps over a live set of some
 * thousand, once and over the grid of suggestions.  Prints one JSON object. */
#include "config.h"

#include "analysis/replay/suggest.h"
#include "tests/unit/request-log.h"

#include <stdio.h>
#include <time.h>

#define N_EVENTS 2000000u
#define N_LIVE 1500u

typedef struct {
  uint64_t place;
  tn_bytes bytes;
} Held;

static tn_bytes
draw_size(void)
{
  int kind = g_test_rand_int_range(0, 100);
  tn_bytes unit = kind < 50 ? 512 : kind < 80 ? 64 * 1024 : MIB;
  return unit * g_test_rand_int_range(1, 48) - g_test_rand_int_range(0, 400);
}

static TnDocument *
build(void)
{
  TnDocument *document = log_new();
  g_autofree Held *held = g_new0(Held, N_LIVE);
  TnEvents *events = &tn_document_device(document, 0)->events;
  while (events->n < N_EVENTS) {
    Held *one = &held[g_test_rand_int_range(0, N_LIVE)];
    if (one->bytes) {
      log_add(document, TN_EVENT_FREE, one->place, one->bytes);
      one->bytes = 0;
    } else {
      *one = (Held){((uint64_t)events->n + 1) << 32, draw_size()};
      log_add(document, TN_EVENT_ALLOC, one->place, one->bytes);
    }
  }
  return document;
}

/* CPU seconds of this process: other work on the machine does not count. */
static double
cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_autoptr(TnDocument) document = build();
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  printf("{\"events\": %u", N_EVENTS);
  for (const TnAllocatorModel *const *model = tn_allocator_models(); (*model)->take; model++) {
    TnReplayParams params = {.model = *model, .settings = log->recorded};
    double begin = cpu_seconds();
    g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
    printf(", \"%s_events_per_second\": %.0f", (*model)->name, N_EVENTS / (cpu_seconds() - begin));
  }
  double begin = cpu_seconds();
  g_autoptr(TnSuggestions) s = tn_suggestions_new(log, (tn_bytes)1 << 40, false, NULL);
  printf(", \"grid_rows\": %u, \"grid_cpu_seconds\": %.2f}\n", s->rows->len,
         cpu_seconds() - begin);
  return 0;
}
