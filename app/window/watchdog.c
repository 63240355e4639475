/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/watchdog.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define EVERY_MS 4
#define WORTH_MS 20.0

typedef struct {
  FILE *file;
  double start, wall, cpu;       /* ms; of the last turn */
  double frame_wall, frame_cpu;  /* of the last frame's beginning */
  const char *input; /* that no frame has answered yet; NULL: none */
  const char *dealing; /* the same until it has been dealt with */
  double input_wall, input_cpu; /* its beginning; then how long it took */
  bool has_frames;
} Watchdog;

static Watchdog *dog; /* NULL: nothing is measured */

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
  dog = g_new0(Watchdog, 1);
  dog->has_frames = g_getenv("TENURE_WATCHDOG_FRAMES") != NULL;
  dog->file = file;
  dog->start = dog->wall = now(CLOCK_MONOTONIC);
  dog->cpu = now(CLOCK_THREAD_CPUTIME_ID);
  g_timeout_add_full(G_PRIORITY_HIGH, EVERY_MS, on_turn, NULL, NULL);
}

static void
on_before_paint(GdkFrameClock *clock, gpointer data)
{
  dog->frame_wall = now(CLOCK_MONOTONIC);
  dog->frame_cpu = now(CLOCK_THREAD_CPUTIME_ID);
}

static void
on_after_paint(GdkFrameClock *clock, gpointer data)
{
  fprintf(dog->file, "frame %.2f %.2f\n", now(CLOCK_MONOTONIC) - dog->frame_wall,
          now(CLOCK_THREAD_CPUTIME_ID) - dog->frame_cpu);
  if (dog->input)
    fprintf(dog->file, "%s %.2f %.2f\n", dog->input,
            dog->input_wall + now(CLOCK_MONOTONIC) - dog->frame_wall,
            dog->input_cpu + now(CLOCK_THREAD_CPUTIME_ID) - dog->frame_cpu);
  dog->input = NULL;
  fflush(dog->file);
}

/* A selection waits for its frame whatever else comes: GTK repeats a motion after it. */
void
tn_watchdog_begin_input(const char *name)
{
  if (!dog || !dog->has_frames || g_strcmp0(dog->input, "select") == 0)
    return;
  dog->input = dog->dealing = name;
  dog->input_wall = now(CLOCK_MONOTONIC);
  dog->input_cpu = now(CLOCK_THREAD_CPUTIME_ID);
}

void
tn_watchdog_end_input(void)
{
  if (!dog || !dog->dealing)
    return;
  dog->dealing = NULL;
  dog->input_wall = now(CLOCK_MONOTONIC) - dog->input_wall;
  dog->input_cpu = now(CLOCK_THREAD_CPUTIME_ID) - dog->input_cpu;
}

static void
on_realize(GtkWidget *widget, gpointer data)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(widget);
  if (g_object_get_data(G_OBJECT(clock), "watched"))
    return;
  g_object_set_data(G_OBJECT(clock), "watched", clock);
  g_signal_connect(clock, "before-paint", G_CALLBACK(on_before_paint), NULL);
  g_signal_connect_after(clock, "after-paint", G_CALLBACK(on_after_paint), NULL);
}

double
tn_watchdog_thread_ms(void)
{
  return now(CLOCK_THREAD_CPUTIME_ID);
}

void
tn_watchdog_watch_frames(GtkWidget *widget)
{
  if (dog && dog->has_frames)
    g_signal_connect(widget, "realize", G_CALLBACK(on_realize), NULL);
}

void
tn_watchdog_note_picture(gint64 since, double cpu)
{
  if (!dog || !dog->has_frames)
    return;
  fprintf(dog->file, "picture %.1f %.1f\n", (double)(g_get_monotonic_time() - since) / 1e3, cpu);
  fflush(dog->file);
}
