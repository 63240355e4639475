/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/watchdog.h"

#include <glib.h>
#include <stdio.h>
#include <time.h>

#define EVERY_MS 4
#define WORTH_MS 20.0

typedef struct {
  FILE *file;
  double start, wall, cpu; /* ms; of the last turn */
} Watchdog;

static double
now(clockid_t clock)
{
  struct timespec at;
  clock_gettime(clock, &at);
  return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static gboolean
on_turn(gpointer data)
{
  Watchdog *dog = data;
  double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  double stalled = wall - dog->wall - EVERY_MS;
  if (stalled > WORTH_MS) {
    fprintf(dog->file, "%.0f %.1f %.1f\n", wall - dog->start, stalled, cpu - dog->cpu);
    fflush(dog->file);
  }
  dog->wall = wall;
  dog->cpu = cpu;
  return G_SOURCE_CONTINUE;
}

void
tn_watchdog_start(void)
{
  const char *path = g_getenv("TENURE_WATCHDOG");
  FILE *file = path && path[0] ? fopen(path, "w") : NULL;
  if (!file)
    return;
  Watchdog *dog = g_new0(Watchdog, 1);
  dog->file = file;
  dog->start = dog->wall = now(CLOCK_MONOTONIC);
  dog->cpu = now(CLOCK_THREAD_CPUTIME_ID);
  g_timeout_add_full(G_PRIORITY_HIGH, EVERY_MS, on_turn, dog, NULL);
}
