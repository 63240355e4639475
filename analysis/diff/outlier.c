/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/outlier.h"

#include <math.h>
#include <stdlib.h>

static int
compare_doubles(const void *left, const void *right)
{
  double x = *(const double *)left, y = *(const double *)right;
  return (x > y) - (x < y);
}

/* Sorts the list. */
static double
median(double *list, uint32_t n)
{
  qsort(list, n, sizeof *list, compare_doubles);
  return n % 2 ? list[n / 2] : (list[n / 2 - 1] + list[n / 2]) / 2;
}

uint32_t
tn_outlier_find(const tn_bytes *values, uint32_t n)
{
  uint32_t farthest = 0;
  if (n < 3)
    return TN_NONE;
  g_autofree double *list = g_new(double, n);
  for (uint32_t i = 0; i < n; i++)
    list[i] = (double)values[i];
  double middle = median(list, n);
  for (uint32_t i = 0; i < n; i++) {
    list[i] = fabs((double)values[i] - middle);
    if (list[i] > fabs((double)values[farthest] - middle))
      farthest = i;
  }
  double distance = fabs((double)values[farthest] - middle);
  double usual = 1.4826 * median(list, n);
  return distance > 3.5 * usual && distance > 0.02 * fabs(middle) ? farthest : TN_NONE;
}
