/* SPDX-License-Identifier: MIT */
/* Element types: one list for all formats; each reader maps its own codes onto it. */
#pragma once

#include "data/types.h"

typedef enum {
  TN_DTYPE_UNKNOWN,
  TN_DTYPE_FLOAT64,
  TN_DTYPE_FLOAT32,
  TN_DTYPE_FLOAT16,
  TN_DTYPE_BFLOAT16,
  TN_DTYPE_FLOAT8E4M3FN,
  TN_DTYPE_FLOAT8E4M3FNUZ,
  TN_DTYPE_FLOAT8E5M2,
  TN_DTYPE_FLOAT8E5M2FNUZ,
  TN_DTYPE_FLOAT8E8M0,
  TN_DTYPE_FLOAT4E2M1,
  TN_DTYPE_INT64,
  TN_DTYPE_INT32,
  TN_DTYPE_INT16,
  TN_DTYPE_INT8,
  TN_DTYPE_INT4,
  TN_DTYPE_INT2,
  TN_DTYPE_UINT64,
  TN_DTYPE_UINT32,
  TN_DTYPE_UINT16,
  TN_DTYPE_UINT8,
  TN_DTYPE_UINT4,
  TN_DTYPE_UINT2,
  TN_DTYPE_BOOL,
  TN_DTYPE_COMPLEX64,
  TN_DTYPE_COMPLEX128,
  TN_DTYPE_STRING, /* its size depends on the runtime: unknown */
  TN_N_DTYPES
} TnDtype;

/* "float32", "int4", …; "" for TN_DTYPE_UNKNOWN. */
const char *tn_dtype_name(TnDtype dtype);
/* The type of a name; a few common short forms ("f16", "i8", "half") too; else unknown. */
TnDtype tn_dtype_from_name(const char *name);
/* Bits of one element; 0: unknown. */
uint32_t tn_dtype_bits(TnDtype dtype);
/* Why tn_dtype_size() has no size for a number of elements that is known.  A literal. */
const char *tn_dtype_unsized_reason(TnDtype dtype);
bool tn_dtype_is_integer(TnDtype dtype); /* bool included */

/* bytes = ceil(elements * bits / 8): types under one byte pack over the whole flattened tensor.
 * False where the type's size is unknown or the product overflows. */
bool tn_dtype_size(TnDtype dtype, int64_t elements, tn_bytes *out_bytes);

/* Multiplies `rank` dims (none: 1).  False where one is negative (unknown) or on overflow. */
bool tn_dims_product(const int64_t *dims, uint32_t rank, int64_t *out_elements);
