/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/scale.h"

#include <math.h>

int64_t
tn_scale_step(double least)
{
  static const int parts[] = {1, 2, 5};
  for (double power = 1.0; power < 1e18; power *= 10.0)
    for (int i = 0; i < 3; i++)
      if (parts[i] * power >= least)
        return (int64_t)(parts[i] * power);
  return (int64_t)1e18;
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
  static const int parts[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};
  tn_bytes base = units == TN_UNITS_IEC ? 1024 : 1000;
  tn_bytes unit = unit_below(MAX(least, 1.0), base);
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
    if ((double)parts[i] * (double)unit >= least)
      return parts[i] * unit;
  return base * unit;
}

const char *
tn_scale_print_bytes(char *buffer, gsize size, tn_bytes value, tn_bytes step, TnUnits units)
{
  static const char *const iec[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  static const char *const si[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (units == TN_UNITS_BYTES)
    return tn_print_bytes(buffer, size, value, units);
  tn_bytes base = units == TN_UNITS_SI ? 1000 : 1024, unit = 1;
  int n = 0;
  /* The unit of the axis is that of its step, or of the value where that keeps it whole. */
  while (unit <= INT64_MAX / base && (step % (unit * base) == 0 ||
                                      (value != 0 && value % (unit * base) == 0))) {
    unit *= base;
    n++;
    if (n == 6)
      break;
  }
  if (value == 0) {
    g_snprintf(buffer, size, "0");
    return buffer;
  }
  g_snprintf(buffer, size, "%" G_GINT64_FORMAT " %s", value / unit,
             units == TN_UNITS_SI ? si[n] : iec[n]);
  return buffer;
}
