/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/scale.h"

#include <math.h>

int64_t
tn_scale_step(double least)
{
  static const int parts[] = {1, 2, 5};
  for (double power = 1.0; power < 1e19; power *= 10.0)
    for (int i = 0; i < 3; i++)
      if (parts[i] * power >= least)
        return (int64_t)MIN(parts[i] * power, 5e18);
  return (int64_t)5e18;
}

static tn_bytes
unit_below(double bytes, tn_bytes base)
{
  tn_bytes unit = 1;
  while ((double)unit * (double)base <= bytes && unit < INT64_MAX / base / base)
    unit *= base;
  return unit;
}

tn_bytes
tn_scale_byte_step(double least, TnUnits units)
{
  static const int parts[] = {1, 2, 5, 10, 20, 50};
  static const int fractions[] = {10, 5, 2};
  tn_bytes base = units == TN_UNITS_IEC ? 1024 : 1000;
  tn_bytes unit = unit_below(MAX(least, 1.0), base);
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
    if ((double)parts[i] * (double)unit >= least)
      return parts[i] * unit;
  for (gsize i = 0; i < G_N_ELEMENTS(fractions) && unit < INT64_MAX / base; i++)
    if ((double)unit * (double)base / fractions[i] >= least)
      return base * unit / fractions[i];
  /* Beyond the largest unit. */
  tn_bytes step = unit < INT64_MAX / base ? base * unit : unit * 50;
  while ((double)step < least && step <= INT64_MAX / 2)
    step *= 2;
  return step;
}

/* The largest unit of which `step` is at least a tenth. */
static tn_bytes
unit_of_step(tn_bytes step, tn_bytes base, int *out_n)
{
  tn_bytes unit = 1;
  *out_n = 0;
  while (*out_n < 6 && unit <= INT64_MAX / base && step >= unit * base / 10) {
    unit *= base;
    (*out_n)++;
  }
  return unit;
}

const char *
tn_scale_print_bytes(char *buffer, gsize size, tn_bytes value, tn_bytes step, TnUnits units)
{
  static const char *const iec[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  static const char *const si[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (units == TN_UNITS_BYTES)
    return tn_print_bytes(buffer, size, value, units);
  int n;
  tn_bytes unit = unit_of_step(step, units == TN_UNITS_SI ? 1000 : 1024, &n);
  if (value == 0)
    g_snprintf(buffer, size, "0");
  else
    g_snprintf(buffer, size, step % unit ? "%.1f %s" : "%.0f %s", (double)value / (double)unit,
               units == TN_UNITS_SI ? si[n] : iec[n]);
  return buffer;
}
