/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/clock.h"

#include <math.h>

/* The rows [0, n) of times, 0 or less: not recorded. */
static const int64_t *
find_times(const TnDevice *device, tn_tick axis_end, tn_tick *out_n)
{
  *out_n = device->tick_us ? (tn_tick)device->tick_us->len : (tn_tick)device->events.n;
  *out_n = MIN(*out_n, axis_end);
  if (device->tick_us)
    return (const int64_t *)(const void *)device->tick_us->data;
  return device->events.time_us;
}

static int64_t
first_known(const int64_t *time, tn_tick n)
{
  for (tn_tick i = 0; i < n; i++)
    if (time[i] > 0)
      return time[i];
  return 0;
}

/* Unknown times are those of the tick before; times that go back are held. */
static int64_t *
copy_in_order(const int64_t *time, tn_tick n, int64_t first, uint32_t *out_back)
{
  int64_t *own = g_new(int64_t, (gsize)n), last = first;
  for (tn_tick i = 0; i < n; i++) {
    *out_back += time[i] > 0 && time[i] < last;
    own[i] = last = MAX(time[i], last);
  }
  return own;
}

static bool
is_in_order(const int64_t *time, tn_tick n)
{
  for (tn_tick i = 1; i < n; i++)
    if (time[i] < time[i - 1])
      return false;
  return time[0] > 0;
}

TnClock *
tn_clock_new(const TnDevice *device, tn_tick axis_end)
{
  tn_tick n;
  const int64_t *time = find_times(device, axis_end, &n);
  int64_t first = time ? first_known(time, n) : 0;
  if (first <= 0)
    return NULL;
  TnClock *clock = g_new0(TnClock, 1);
  if (!is_in_order(time, n))
    time = clock->owned = copy_in_order(time, n, first, &clock->n_back);
  clock->n = n;
  clock->time = time;
  clock->first = first;
  clock->total_us = (double)(time[n - 1] - first) + 1.0;
  if (time[n - 1] > first)
    return clock;
  tn_clock_free(clock);
  return NULL;
}

void
tn_clock_free(TnClock *clock)
{
  if (!clock)
    return;
  g_free(clock->owned);
  g_free(clock);
}

static double
at_whole(const TnClock *clock, tn_tick tick)
{
  return tick < clock->n ? (double)clock->time[tick] - (double)clock->first : clock->total_us;
}

double
tn_clock_at(const TnClock *clock, double tick)
{
  tn_tick whole = (tn_tick)CLAMP(tick, 0.0, (double)clock->n);
  double from = at_whole(clock, whole), part = MIN(tick, (double)clock->n) - (double)whole;
  return part > 0.0 ? from + part * (at_whole(clock, whole + 1) - from) : from;
}

tn_tick
tn_clock_first(const TnClock *clock, double us)
{
  tn_tick low = 0, high = clock->n;
  while (low < high) {
    tn_tick middle = low + (high - low) / 2;
    if (at_whole(clock, middle) < us)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double
tn_clock_tick(const TnClock *clock, double us)
{
  tn_tick low = 0, high = clock->n;
  if (us <= 0.0 || us >= clock->total_us)
    return us <= 0.0 ? 0.0 : (double)clock->n;
  /* The first tick that begins after `us`. */
  while (low < high) {
    tn_tick middle = low + (high - low) / 2;
    if (at_whole(clock, middle) <= us)
      low = middle + 1;
    else
      high = middle;
  }
  double from = at_whole(clock, low - 1);
  return (double)(low - 1) + (us - from) / (at_whole(clock, low) - from);
}

TnLongIn
tn_clock_long_in(const TnClock *clock, tn_tick start, tn_tick end)
{
  double ticks = (double)(end - start) / (double)clock->n;
  double seconds = tn_clock_life(clock, start, end) / clock->total_us;
  if (MAX(ticks, seconds) < 0.01)
    return TN_LONG_NEITHER;
  if (ticks >= 4.0 * seconds)
    return TN_LONG_IN_TICKS;
  return seconds >= 4.0 * ticks ? TN_LONG_IN_SECONDS : TN_LONG_NEITHER;
}

const char *
tn_long_in_name(TnLongIn which)
{
  static const char *const names[] = {"", "ticks", "seconds"};
  return names[which];
}

const char *
tn_print_us(char *buffer, gsize size, double us)
{
  if (us == 0.0)
    g_snprintf(buffer, size, "0 s");
  else if (us < 999.5)
    g_snprintf(buffer, size, "%.0f µs", us);
  else if (us < 999995.0)
    g_snprintf(buffer, size, us < 99995.0 ? "%.2f ms" : "%.1f ms", us / 1e3);
  else
    g_snprintf(buffer, size,
               us < 9.9995e6   ? "%.3f s"
               : us < 999.95e6 ? "%.1f s"
                               : "%.0f s",
               us / 1e6);
  return buffer;
}
