/* SPDX-License-Identifier: MIT */
/* What is known of a value before the model runs: its type, its dimensions, and of small tensors
 * each element that can be computed.  Lives in an arena. */
#pragma once

#include "data/arena.h"
#include "data/dtype.h"

#define TN_DIM_UNKNOWN (-1)
#define TN_RANK_UNKNOWN (-1)
#define TN_MOST_RANK 64
/* Tensors with more elements are never computed: no shape needs them. */
#define TN_MOST_ELEMENTS 4096
/* Nor is anything, once so much memory holds content: no real model comes near. */
#define TN_MOST_CONTENT_BYTES ((gsize)256 << 20)
#define TN_INT_UNKNOWN INT64_MIN /* an element that is not known; a real one is NaN */

typedef struct {
  TnDtype dtype;
  bool is_not_tensor; /* a sequence, a map, an optional: its memory is unknown */
  int32_t rank;       /* TN_RANK_UNKNOWN: dims say nothing */
  int64_t *dims;      /* shape rank; TN_DIM_UNKNOWN where unknown */
  /* Where content is known: n elements, row-major; integer types in `ints`, others in `reals`. */
  bool has_content;
  uint32_t n;
  int64_t *ints;
  double *reals;
} TnShapeValue;

#define TN_SHAPE_VALUE_INIT                                                                        \
  {                                                                                                \
    .rank = TN_RANK_UNKNOWN                                                                        \
  }

/* Sets rank and dims (copied into the arena; `dims` NULL: all unknown); content goes. */
void tn_value_set_dims(TnShapeValue *value, TnArena *arena, const int64_t *dims, int32_t rank);

/* Whether each dimension is known. */
bool tn_value_is_full(const TnShapeValue *value);
/* Number of elements; -1 where a dimension is unknown or the product overflows. */
int64_t tn_value_elements(const TnShapeValue *value);
/* The sum or the product of two dimensions; unknown where one is, or on overflow. */
int64_t tn_dim_sum(int64_t a, int64_t b);
int64_t tn_dim_product(int64_t a, int64_t b);
/* a / b, rounded down; unknown where one is, or b is 0. */
int64_t tn_dim_quotient(int64_t a, int64_t b);
/* Dimension i; unknown where the value (may be NULL) has none. */
int64_t tn_value_dim(const TnShapeValue *value, int32_t i);
/* Bytes; TN_BYTES_UNKNOWN where unknown. */
tn_bytes tn_value_bytes(const TnShapeValue *value);
/* Why a value has no size though nothing was lost on the way to it. */
const char *tn_value_unsized_reason(const TnShapeValue *value);

/* Makes room for content of the value's elements (all unknown); false where it is too large or its
 * shape is not known. */
bool tn_value_add_content(TnShapeValue *value, TnArena *arena);

/* Element i as an integer (a real one truncated); false where it is not known. */
bool tn_value_int(const TnShapeValue *value, uint32_t i, int64_t *out);
/* Element i as a real number; false where it is not known. */
bool tn_value_real(const TnShapeValue *value, uint32_t i, double *out);
/* Sets an element that is known, as the value's type keeps it. */
void tn_value_put(TnShapeValue *value, uint32_t i, int64_t integer, double real);
/* Copies element `from` of `source` (of any type) to element i. */
void tn_value_copy_element(TnShapeValue *value, uint32_t i, const TnShapeValue *source,
                           uint32_t from);
/* Whether all elements are known integers; then they are value->ints. */
bool tn_value_is_known_ints(const TnShapeValue *value);
