/* SPDX-License-Identifier: MIT */
/* Shapes of a TensorFlow Lite graph under other input dimensions than the file states.  Only ops
 * that an input whose dimension is bound reaches are inferred; the others keep what is stated. */
#pragma once

#include "data/readers/tflite-private.h"
#include "data/reader.h"
#include "data/shape/rule.h"

typedef struct TnTfliteShapes TnTfliteShapes;

/* Binds "INPUT[AXIS]" of `options` in a graph whose tensors were added; NULL where nothing binds.
 * Adds the dimensions that the file leaves open to the graph's.  Bindings that name nothing are
 * warned of. */
TnTfliteShapes *tn_tflite_shapes_new(TnTflite *reader, TnGraph *graph, const TnFlatTable *table,
                                     const TnReadOptions *options);
void tn_tflite_shapes_free(TnTfliteShapes *shapes);

/* Gives the outputs of the op that was added last their shapes and sizes.  Ops come in an order in
 * which producers run first. */
void tn_tflite_shapes_infer(TnTfliteShapes *shapes, TnTflite *reader, TnGraph *graph,
                            const TnFlatTable *op);

/* What a rule of tflite-rules.c sees: the op's operands as values, and its options. */
typedef struct {
  TnRuleContext rule;
  TnFlat *flat;
  TnFlatTable options;
  bool has_options;
} TnTfliteRuleContext;

/* Fills the outputs; false where the type has no rule. */
bool tn_tflite_rule_apply(TnTfliteRuleContext *context);
