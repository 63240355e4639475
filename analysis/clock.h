/* SPDX-License-Identifier: MIT */
/* When each tick of an axis of events was, by the clock of the recording.  A tick lasts until the
 * next one; ticks of the same microsecond have no width but the last of them.
 *
 *   tick      0     1  2       3        n = axis_end
 *             |-----||---------|--------|
 *   µs        0     7  7       19       20      the last tick is given the clock's step, 1 µs
 *
 * Where the clock goes back (threads, adjusted clocks) a tick is no earlier than the one before it.
 */
#pragma once

#include "data/document.h"

typedef struct {
  tn_tick n;           /* ticks */
  const int64_t *time; /* n times, growing or equal; borrowed, or `owned` */
  int64_t *owned;
  int64_t first;   /* the time of tick 0 */
  double total_us; /* of all ticks, > 0 */
  uint32_t n_back; /* ticks whose own time lies before that of an earlier one */
} TnClock;

/* Of the device's events, or of what its reader said of its ticks; the device is borrowed.  NULL
 * where no times are recorded, or all are one moment.  O(n). */
TnClock *tn_clock_new(const TnDevice *device, tn_tick axis_end);
void tn_clock_free(TnClock *clock);

/* Microseconds from the first tick to `tick`, which may be broken (a part of the tick's time) and
 * is clamped to [0, n].  O(1). */
double tn_clock_at(const TnClock *clock, double tick);
/* The other way: the last tick that was at that time, with the part of it that had passed.  O(log
 * n). */
double tn_clock_tick(const TnClock *clock, double us);
/* The first tick that was at `us` or later; n: none.  O(log n). */
tn_tick tn_clock_first(const TnClock *clock, double us);

/* A life's length by the clock, in microseconds. */
static inline double
tn_clock_life(const TnClock *clock, tn_tick start, tn_tick end)
{
  return tn_clock_at(clock, (double)end) - tn_clock_at(clock, (double)start);
}

/* Whether a life is long in ticks or in seconds: which of its two shares of the recording is at
 * least 4 times the other, where the larger one is at least 1 % of the recording. */
typedef enum { TN_LONG_NEITHER, TN_LONG_IN_TICKS, TN_LONG_IN_SECONDS } TnLongIn;
TnLongIn tn_clock_long_in(const TnClock *clock, tn_tick start, tn_tick end);
/* "ticks", "seconds", "". */
const char *tn_long_in_name(TnLongIn which);

/* "0 s", "12 µs", "3.45 ms", "1.234 s", "75.2 s" into a buffer of the caller's; returns `buffer`.
 */
const char *tn_print_us(char *buffer, gsize size, double us);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnClock, tn_clock_free)
