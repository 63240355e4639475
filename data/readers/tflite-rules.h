/* SPDX-License-Identifier: MIT */
/* The tables of shape rules, one a file (tflite-rules-*.c), and the questions they share. */
#pragma once

#include "data/readers/tflite-shape.h"

typedef TnTfliteRuleContext Context;

/* A rule gives the op's outputs their shapes where it can; where not, it says why
 * (tn_rule_lose()).  Called only for ops with outputs. */
typedef struct {
  const char *type; /* the last row's is NULL */
  void (*infer)(TnTfliteRuleContext *context);
} TnTfliteRule;

extern const TnTfliteRule tn_tflite_rules_onnx[], tn_tflite_rules_shapes[],
    tn_tflite_rules_windows[], tn_tflite_rules_products[], tn_tflite_rules_parts[];

/* The number at a slot of the op's options table, of `width` bytes; the fallback where it is not
 * stated. */
int64_t
tn_tflite_option(TnTfliteRuleContext *context, unsigned slot, unsigned width, int64_t fallback);

/* Gives output i these dimensions; its element type stays. */
void tn_tflite_set(TnTfliteRuleContext *context, uint32_t i, const int64_t *dims, int32_t rank);

/* Input i of exactly this rank; NULL and a reason otherwise. */
const TnShapeValue *tn_tflite_of_rank(TnTfliteRuleContext *context, uint32_t i, int32_t rank);

/* The known content of input i, of 32 bits each as the kernels have it; NULL and a reason
 * otherwise.  Owned by the rule's arena. */
const int64_t *tn_tflite_numbers(TnTfliteRuleContext *context, uint32_t i, uint32_t *out_n);

/* A dimension divided; unknown where the quotient is. */
int64_t tn_tflite_divided(int64_t dim, int64_t by);
