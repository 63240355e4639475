/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/dtype.h"

#include <string.h>

static const struct {
  const char *name, *short_name;
  uint32_t bits;
} types[TN_N_DTYPES] = {
    [TN_DTYPE_UNKNOWN] = {"", "", 0},
    [TN_DTYPE_FLOAT64] = {"float64", "f64", 64},
    [TN_DTYPE_FLOAT32] = {"float32", "f32", 32},
    [TN_DTYPE_FLOAT16] = {"float16", "f16", 16},
    [TN_DTYPE_BFLOAT16] = {"bfloat16", "bf16", 16},
    [TN_DTYPE_FLOAT8E4M3FN] = {"float8e4m3fn", "f8e4m3fn", 8},
    [TN_DTYPE_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", "f8e4m3fnuz", 8},
    [TN_DTYPE_FLOAT8E5M2] = {"float8e5m2", "f8e5m2", 8},
    [TN_DTYPE_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", "f8e5m2fnuz", 8},
    [TN_DTYPE_FLOAT8E8M0] = {"float8e8m0", "f8e8m0", 8},
    [TN_DTYPE_FLOAT4E2M1] = {"float4e2m1", "f4e2m1", 4},
    [TN_DTYPE_INT64] = {"int64", "i64", 64},
    [TN_DTYPE_INT32] = {"int32", "i32", 32},
    [TN_DTYPE_INT16] = {"int16", "i16", 16},
    [TN_DTYPE_INT8] = {"int8", "i8", 8},
    [TN_DTYPE_INT4] = {"int4", "i4", 4},
    [TN_DTYPE_INT2] = {"int2", "i2", 2},
    [TN_DTYPE_UINT64] = {"uint64", "u64", 64},
    [TN_DTYPE_UINT32] = {"uint32", "u32", 32},
    [TN_DTYPE_UINT16] = {"uint16", "u16", 16},
    [TN_DTYPE_UINT8] = {"uint8", "u8", 8},
    [TN_DTYPE_UINT4] = {"uint4", "u4", 4},
    [TN_DTYPE_UINT2] = {"uint2", "u2", 2},
    [TN_DTYPE_BOOL] = {"bool", "i1", 8},
    [TN_DTYPE_COMPLEX64] = {"complex64", "c64", 64},
    [TN_DTYPE_COMPLEX128] = {"complex128", "c128", 128},
    [TN_DTYPE_STRING] = {"string", "str", 0},
};

const char *
tn_dtype_name(TnDtype dtype)
{
  return (unsigned)dtype < TN_N_DTYPES ? types[dtype].name : "";
}

TnDtype
tn_dtype_from_name(const char *name)
{
  if (!name || !*name)
    return TN_DTYPE_UNKNOWN;
  for (int i = 1; i < TN_N_DTYPES; i++)
    if (strcmp(name, types[i].name) == 0 || strcmp(name, types[i].short_name) == 0)
      return (TnDtype)i;
  static const struct {
    const char *name;
    TnDtype dtype;
  } more[] = {{"half", TN_DTYPE_FLOAT16}, {"float", TN_DTYPE_FLOAT32},
              {"double", TN_DTYPE_FLOAT64}, {"byte", TN_DTYPE_UINT8}};
  for (gsize i = 0; i < G_N_ELEMENTS(more); i++)
    if (strcmp(name, more[i].name) == 0)
      return more[i].dtype;
  return TN_DTYPE_UNKNOWN;
}

uint32_t
tn_dtype_bits(TnDtype dtype)
{
  return (unsigned)dtype < TN_N_DTYPES ? types[dtype].bits : 0;
}

const char *
tn_dtype_unsized_reason(TnDtype dtype)
{
  return tn_dtype_bits(dtype) ? "its size passes 2^63 bytes" : "its type has no known size";
}

bool
tn_dtype_is_integer(TnDtype dtype)
{
  return dtype >= TN_DTYPE_INT64 && dtype <= TN_DTYPE_BOOL;
}

bool
tn_dtype_size(TnDtype dtype, int64_t elements, tn_bytes *out_bytes)
{
  int64_t bits = tn_dtype_bits(dtype), all;
  if (bits == 0 || elements < 0)
    return false;
  if (bits >= 8)
    return tn_mul(elements, bits / 8, out_bytes);
  if (!tn_mul(elements, bits, &all))
    return false;
  *out_bytes = all / 8 + (all % 8 != 0);
  return true;
}

bool
tn_dims_product(const int64_t *dims, uint32_t rank, int64_t *out_elements)
{
  int64_t product = 1;
  bool has_zero = false;
  for (uint32_t i = 0; i < rank; i++) {
    if (dims[i] < 0)
      return false;
    has_zero = has_zero || dims[i] == 0;
  }
  for (uint32_t i = 0; !has_zero && i < rank; i++)
    if (!tn_mul(product, dims[i], &product))
      return false;
  *out_elements = has_zero ? 0 : product;
  return true;
}
