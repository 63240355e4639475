/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/units.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const struct {
  const char *name;
  tn_bytes unit;
} suffixes[] = {{"", 1},
                {"B", 1},
                {"K", 1 << 10},
                {"KiB", 1 << 10},
                {"M", 1 << 20},
                {"MiB", 1 << 20},
                {"G", 1 << 30},
                {"GiB", 1 << 30},
                {"T", (tn_bytes)1 << 40},
                {"TiB", (tn_bytes)1 << 40},
                {"kB", 1000},
                {"MB", 1000000},
                {"GB", 1000000000},
                {"TB", 1000000000000}};

bool
tn_parse_bytes(const char *text, tn_bytes *out_bytes)
{
  while (g_ascii_isspace(*text))
    text++;
  /* Digits with one point at most: no sign, no exponent, no hexadecimal. */
  const char *end = text + strspn(text, "0123456789");
  bool is_whole = *end != '.', has_digits = end > text;
  if (!is_whole) {
    const char *fraction = end + 1;
    end = fraction + strspn(fraction, "0123456789");
    has_digits |= end > fraction;
  }
  if (!has_digits)
    return false;
  errno = 0;
  guint64 whole = g_ascii_strtoull(text, NULL, 10);
  if (errno == ERANGE)
    return false;
  g_autofree char *number = g_strndup(text, (gsize)(end - text));
  double value = g_ascii_strtod(number, NULL);
  while (g_ascii_isspace(*end))
    end++;
  gsize n = strlen(end);
  while (n > 0 && g_ascii_isspace(end[n - 1]))
    n--;
  for (gsize i = 0; i < G_N_ELEMENTS(suffixes); i++) {
    if (strlen(suffixes[i].name) != n || g_ascii_strncasecmp(suffixes[i].name, end, n) != 0)
      continue;
    if (is_whole) {
      if (whole > (guint64)(INT64_MAX / suffixes[i].unit))
        return false;
      *out_bytes = (tn_bytes)whole * suffixes[i].unit;
      return true;
    }
    double bytes = value * (double)suffixes[i].unit;
    if (!(bytes >= 0.0 && bytes < 9.2e18))
      return false;
    *out_bytes = (tn_bytes)llround(bytes);
    return true;
  }
  return false;
}

const char *
tn_print_count(char *buffer, gsize size, int64_t count)
{
  char digits[32];
  g_snprintf(digits, sizeof digits, "%" G_GINT64_FORMAT, count);
  gsize n = strlen(digits), used = 0;
  for (gsize i = 0; i < n && used + 2 < size; i++) {
    buffer[used++] = digits[i];
    gsize left = n - 1 - i;
    if (left > 0 && left % 3 == 0 && digits[i] != '-')
      buffer[used++] = ',';
  }
  buffer[used] = '\0';
  return buffer;
}

const char *
tn_print_bytes(char *buffer, gsize size, tn_bytes bytes, TnUnits units)
{
  static const char *const iec[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  static const char *const si[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (units == TN_UNITS_BYTES) {
    char count[32];
    g_snprintf(buffer, size, "%s B", tn_print_count(count, sizeof count, bytes));
    return buffer;
  }
  double base = units == TN_UNITS_SI ? 1000.0 : 1024.0, value = (double)bytes;
  int step = 0;
  while (fabs(value) >= base - 0.05 && step < 6) {
    value /= base;
    step++;
  }
  const char *unit = units == TN_UNITS_SI ? si[step] : iec[step];
  char number[32];
  g_ascii_formatd(number, sizeof number, step == 0 ? "%.0f" : step >= 3 ? "%.2f" : "%.1f", value);
  g_snprintf(buffer, size, "%s %s", number, unit);
  return buffer;
}

char *
tn_format_bytes(tn_bytes bytes, TnUnits units)
{
  char buffer[48];
  return g_strdup(tn_print_bytes(buffer, sizeof buffer, bytes, units));
}
