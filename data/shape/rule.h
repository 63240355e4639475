/* SPDX-License-Identifier: MIT */
/* One operator's shape rule: from what is known of the inputs to what is known of the outputs.
 * Rules live in files by family; data/shape/rules.c lists them.  A rule never guesses: what it
 * can't know stays unknown, and it says why. */
#pragma once

#include "data/shape/value.h"

/* The first nine are as AttributeProto.AttributeType numbers them; the rest is of no use here. */
typedef enum {
  TN_ATTRIBUTE_UNDEFINED,
  TN_ATTRIBUTE_FLOAT,
  TN_ATTRIBUTE_INT,
  TN_ATTRIBUTE_STRING,
  TN_ATTRIBUTE_TENSOR,
  TN_ATTRIBUTE_GRAPH,
  TN_ATTRIBUTE_FLOATS,
  TN_ATTRIBUTE_INTS,
  TN_ATTRIBUTE_STRINGS,
  TN_ATTRIBUTE_OTHER
} TnAttributeType;

typedef struct {
  const char *name;
  TnAttributeType type;
  int64_t integer;
  double real;
  const char *text; /* NUL-terminated */
  const int64_t *ints;
  const double *reals;
  uint32_t n; /* of ints, reals or strings */
  const TnShapeValue *tensor;
  const void *graph;     /* the reader's own */
  const void *scope;     /* the reader's own: where the graph was written */
  const char *reference; /* name of a function's attribute that stands here; NULL: none */
} TnAttribute;

/* What a rule sees and fills.  outputs[k] come in as TN_SHAPE_VALUE_INIT; absent inputs are NULL. */
typedef struct {
  const char *type;
  int64_t version; /* of the operator set that the type belongs to */
  const TnAttribute *attributes;
  uint32_t n_attributes;
  const TnShapeValue *const *inputs;
  uint32_t n_inputs;
  TnShapeValue *outputs;
  uint32_t n_outputs;
  TnArena *arena;
  const char *reason; /* why something stayed unknown; NULL: nothing did, or an input's fault */
} TnRuleContext;

typedef void (*TnRuleFunction)(TnRuleContext *context);

typedef struct {
  const char *domain; /* "" for the standard set */
  const char *type;
  TnRuleFunction infer;
  TnRuleFunction evaluate; /* fills content of the outputs; may be NULL */
} TnRule;

/* The rule of an op; NULL where there is none.  `domain` "ai.onnx" is "". */
const TnRule *tn_rules_find(const char *domain, const char *type);
/* Infers, then evaluates what is small enough. */
void tn_rule_apply(const TnRule *rule, TnRuleContext *context);

/* The tables of the families, each up to a row with type NULL. */
extern const TnRule tn_rules_elementwise[];
extern const TnRule tn_rules_convolution[];
extern const TnRule tn_rules_matrix[];
extern const TnRule tn_rules_reduce[];
extern const TnRule tn_rules_layout[];
extern const TnRule tn_rules_index[];
extern const TnRule tn_rules_generator[];
extern const TnRule tn_rules_resize[];
extern const TnRule tn_rules_recurrent[];
extern const TnRule tn_rules_various[];
extern const TnRule tn_rules_contrib[];
extern const TnRule tn_rules_attention[];

/* ---- attributes ------------------------------------------------------------------------ */

const TnAttribute *tn_rule_attribute(const TnRuleContext *context, const char *name);
int64_t tn_rule_int(const TnRuleContext *context, const char *name, int64_t fallback);
const char *tn_rule_text(const TnRuleContext *context, const char *name, const char *fallback);
/* Borrowed list and its length; NULL where the attribute is absent. */
const int64_t *tn_rule_ints(const TnRuleContext *context, const char *name, uint32_t *out_n);

/* ---- inputs and outputs ---------------------------------------------------------------- */

/* NULL where absent. */
static inline const TnShapeValue *
tn_rule_input(const TnRuleContext *context, uint32_t i)
{
  return i < context->n_inputs ? context->inputs[i] : NULL;
}

/* Input i where it is there and its rank is known; else NULL, and a reason where it is absent. */
const TnShapeValue *tn_rule_ranked(TnRuleContext *context, uint32_t i);
/* The type of input i, unknown where absent. */
TnDtype tn_rule_dtype(const TnRuleContext *context, uint32_t i);
/* A list of whole numbers: attribute `name`, or the known content of input i (whichever is there).
 * NULL where neither is, *out_is_unknown then says whether an input is there that is not known. */
const int64_t *tn_rule_list(TnRuleContext *context, const char *name, uint32_t i, uint32_t *out_n,
                            bool *out_is_unknown);

/* Sets output i where the op has it.  `dims` NULL with a rank: all unknown. */
void tn_rule_set(TnRuleContext *context, uint32_t i, TnDtype dtype, const int64_t *dims,
                 int32_t rank);
/* Sets output i to the shape of `like` and the type `dtype`. */
void tn_rule_set_like(TnRuleContext *context, uint32_t i, TnDtype dtype, const TnShapeValue *like);
/* Sets the type of output i only. */
void tn_rule_set_dtype(TnRuleContext *context, uint32_t i, TnDtype dtype);
/* Sets output i to the keys or values that are kept for the next step: those of `past` (its dimension
 * 2; NULL: there is none), then the new ones, [batch, heads, length, head].  Returns the length of both
 * together. */
int64_t tn_rule_set_present(TnRuleContext *context, uint32_t i, TnDtype dtype,
                            const TnShapeValue *past, const int64_t *dims);
/* Says why something stays unknown (a literal, or text of the arena). */
void tn_rule_lose(TnRuleContext *context, const char *reason);
/* An axis brought into [0, rank); -1 (and a reason) where it is outside. */
int32_t tn_rule_axis(TnRuleContext *context, int64_t axis, int32_t rank);

/* The element type of an ONNX code (TensorProto.DataType). */
TnDtype tn_dtype_from_onnx(int64_t code);

/* Joins `from` into `into` by numpy's rules (both of the caller's, shape TN_MOST_RANK); false (and
 * a reason) where they don't fit.  Returns the rank in *rank. */
bool tn_rule_broadcast(TnRuleContext *context, int64_t *into, int32_t *rank,
                       const TnShapeValue *from);
