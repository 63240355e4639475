/* SPDX-License-Identifier: MIT */
/* Units and ids that every table uses, and arithmetic that refuses to overflow. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef int64_t tn_tick;   /* a moment on an axis; every life is half-open, [start, end) */
typedef int64_t tn_bytes;  /* a size or an offset */
typedef uint32_t tn_index; /* a row of a table */

#define TN_NONE UINT32_MAX      /* "no row" */
#define TN_BYTES_UNKNOWN (-1)   /* a size that the file does not say */
#define TN_NOT_PLACED (-1)      /* an offset that no plan has given yet */
#define TN_TICK_MAX INT64_MAX

/* out = a + b; false (and *out untouched) where that does not fit into 64 bits. */
static inline bool
tn_add(int64_t a, int64_t b, int64_t *out)
{
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return false;
  *out = sum;
  return true;
}

/* a + b, or the largest or smallest number where that does not fit into 64 bits. */
static inline int64_t
tn_add_saturated(int64_t a, int64_t b)
{
  int64_t sum;
  return tn_add(a, b, &sum) ? sum : b > 0 ? INT64_MAX : INT64_MIN;
}

/* The largest number that divides both, at least 0; of 0 and a number: the number.  Euclid's algorithm. */
static inline int64_t
tn_gcd(int64_t a, int64_t b)
{
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* out = a * b; false where that does not fit into 64 bits. */
static inline bool
tn_mul(int64_t a, int64_t b, int64_t *out)
{
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return false;
  *out = product;
  return true;
}

/* The smallest multiple of `step` (> 0) that is at least `value` (>= 0); false on overflow. */
static inline bool
tn_round_up(int64_t value, int64_t step, int64_t *out)
{
  int64_t more;
  if (step <= 1) {
    *out = value;
    return true;
  }
  if (!tn_add(value, step - 1, &more))
    return false;
  *out = more / step * step;
  return true;
}
