/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/shape/value.h"

#include <math.h>
#include <string.h>

void
tn_value_set_dims(TnShapeValue *value, TnArena *arena, const int64_t *dims, int32_t rank)
{
  int64_t *copy = tn_arena_take_n(arena, int64_t, (gsize)MAX(rank, 0));
  for (int32_t i = 0; i < rank; i++)
    copy[i] = dims && dims[i] >= 0 ? dims[i] : TN_DIM_UNKNOWN;
  value->dims = copy;
  value->rank = rank;
  value->has_content = false;
}

bool
tn_value_is_full(const TnShapeValue *value)
{
  if (value->rank < 0)
    return false;
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i] < 0)
      return false;
  return true;
}

int64_t
tn_value_elements(const TnShapeValue *value)
{
  int64_t elements;
  if (value->rank < 0 || !tn_dims_product(value->dims, (uint32_t)value->rank, &elements))
    return -1;
  return elements;
}

int64_t
tn_dim_sum(int64_t a, int64_t b)
{
  int64_t sum;
  return a < 0 || b < 0 || !tn_add(a, b, &sum) ? TN_DIM_UNKNOWN : sum;
}

int64_t
tn_dim_product(int64_t a, int64_t b)
{
  int64_t product;
  return a < 0 || b < 0 || !tn_mul(a, b, &product) ? TN_DIM_UNKNOWN : product;
}

int64_t
tn_dim_quotient(int64_t a, int64_t b)
{
  return a < 0 || b < 1 ? TN_DIM_UNKNOWN : a / b;
}

int64_t
tn_value_dim(const TnShapeValue *value, int32_t i)
{
  return value && value->rank > i ? value->dims[i] : TN_DIM_UNKNOWN;
}

tn_bytes
tn_value_bytes(const TnShapeValue *value)
{
  tn_bytes bytes;
  int64_t elements = tn_value_elements(value);
  if (value->is_not_tensor || elements < 0 || !tn_dtype_size(value->dtype, elements, &bytes))
    return TN_BYTES_UNKNOWN;
  return bytes;
}

const char *
tn_value_unsized_reason(const TnShapeValue *value)
{
  return value->is_not_tensor                ? "a sequence or an optional has no fixed size"
         : value->dtype == TN_DTYPE_STRING   ? "strings have no fixed size"
         : value->dtype == TN_DTYPE_UNKNOWN  ? "the type is not known"
         : tn_value_is_full(value)           ? tn_dtype_unsized_reason(value->dtype)
                                             : "the shape is not known";
}

bool
tn_value_add_content(TnShapeValue *value, TnArena *arena)
{
  int64_t elements = tn_value_elements(value);
  if (elements < 0 || elements > TN_MOST_ELEMENTS ||
      tn_arena_bytes(arena) > TN_MOST_CONTENT_BYTES || value->is_not_tensor ||
      value->dtype == TN_DTYPE_UNKNOWN || value->dtype == TN_DTYPE_STRING ||
      value->dtype >= TN_DTYPE_COMPLEX64)
    return false;
  value->n = (uint32_t)elements;
  value->ints = NULL;
  value->reals = NULL;
  if (tn_dtype_is_integer(value->dtype))
    value->ints = tn_arena_take_n(arena, int64_t, value->n);
  else
    value->reals = tn_arena_take_n(arena, double, value->n);
  for (uint32_t i = 0; i < value->n; i++) {
    if (value->ints)
      value->ints[i] = TN_INT_UNKNOWN;
    else
      value->reals[i] = (double)NAN;
  }
  value->has_content = true;
  return true;
}

bool
tn_value_int(const TnShapeValue *value, uint32_t i, int64_t *out)
{
  if (!value->has_content || i >= value->n)
    return false;
  if (value->ints) {
    *out = value->ints[i];
    return *out != TN_INT_UNKNOWN;
  }
  if (!(fabs(value->reals[i]) < 9e18))
    return false;
  *out = (int64_t)value->reals[i];
  return true;
}

bool
tn_value_real(const TnShapeValue *value, uint32_t i, double *out)
{
  if (!value->has_content || i >= value->n)
    return false;
  if (value->reals) {
    *out = value->reals[i];
    return !isnan(*out);
  }
  *out = (double)value->ints[i];
  return value->ints[i] != TN_INT_UNKNOWN;
}

static int64_t
wrap(TnDtype dtype, int64_t integer)
{
  uint32_t bits = tn_dtype_bits(dtype);
  if (dtype == TN_DTYPE_BOOL)
    return integer != 0;
  if (bits >= 64)
    return integer;
  uint64_t mask = ((uint64_t)1 << bits) - 1, kept = (uint64_t)integer & mask;
  bool is_signed = dtype <= TN_DTYPE_INT2;
  return is_signed && kept >> (bits - 1) ? (int64_t)(kept | ~mask) : (int64_t)kept;
}

/* The nearest number of `digits` binary ones (to even), of which the least normal one has the exponent `least`. */
static double
round_real(double real, int digits, int least, double most)
{
  int exponent;
  if (real == 0 || !isfinite(real))
    return real;
  frexp(real, &exponent); /* |real| < 2^exponent */
  int unit = MAX(exponent - 1, least) - (digits - 1);
  double rounded = ldexp(nearbyint(ldexp(real, -unit)), unit);
  return fabs(rounded) <= most ? rounded : copysign((double)INFINITY, real);
}

/* As the type holds it; NAN, which is unknown here, for those of 8 bits and less. */
static double
to_type(TnDtype dtype, double real)
{
  switch (dtype) {
  case TN_DTYPE_FLOAT64:
    return real;
  case TN_DTYPE_FLOAT32:
    return (double)(float)real;
  case TN_DTYPE_FLOAT16:
    return round_real(real, 11, -14, 65504);
  case TN_DTYPE_BFLOAT16:
    return round_real(real, 8, -126, ldexp(255, 120));
  default:
    return (double)NAN;
  }
}

void
tn_value_put(TnShapeValue *value, uint32_t i, int64_t integer, double real)
{
  if (value->ints)
    value->ints[i] = wrap(value->dtype, integer);
  else
    value->reals[i] = to_type(value->dtype, real);
}

void
tn_value_copy_element(TnShapeValue *value, uint32_t i, const TnShapeValue *source, uint32_t from)
{
  int64_t integer = 0;
  double real = 0;
  if (value->dtype == TN_DTYPE_BOOL && source->reals) { /* a fraction is true */
    if (tn_value_real(source, from, &real))
      tn_value_put(value, i, real != 0, real);
    return;
  }
  if (value->ints ? tn_value_int(source, from, &integer) : tn_value_real(source, from, &real))
    tn_value_put(value, i, integer, real);
}

bool
tn_value_is_known_ints(const TnShapeValue *value)
{
  if (!value->has_content || !value->ints)
    return false;
  for (uint32_t i = 0; i < value->n; i++)
    if (value->ints[i] == TN_INT_UNKNOWN)
      return false;
  return true;
}
