/* SPDX-License-Identifier: MIT */
/* The same elements in another shape or order. */
#include "config.h"

#include "data/shape/elementwise.h"

#include <string.h>

/* ---- Reshape and its like -------------------------------------------------------------- */

/* The one dimension that was asked for as -1, from what is left. */
static void
fill_inferred(TnRuleContext *context, const TnShapeValue *input, int64_t *dims, int32_t rank,
              int32_t inferred)
{
  int64_t all = tn_value_elements(input), others = 1;
  dims[inferred] = 1;
  if (tn_dims_product(dims, (uint32_t)rank, &others) && all >= 0) {
    if (others > 0 && all % others == 0) {
      dims[inferred] = all / others;
      return;
    }
    if (others == 0 || all == 0)
      dims[inferred] = 0;
    else
      tn_rule_lose(context, "a shape that the number of elements does not divide by");
  }
  if (all < 0 || others != 0)
    dims[inferred] = TN_DIM_UNKNOWN;
}

/* Dimensions that both sides share may be unknown and still cancel: [b, 4, 8] → [0, -1]. */
static bool
fill_cancelled(const TnShapeValue *input, const bool *is_copied, int64_t *dims, int32_t rank,
               int32_t inferred)
{
  int64_t in = 1, out = 1;
  for (int32_t i = 0; i < input->rank; i++)
    if (!(i < rank && is_copied[i]) &&
        (input->dims[i] < 0 || !tn_mul(in, input->dims[i], &in)))
      return false;
  for (int32_t i = 0; i < rank; i++)
    if (i != inferred && !is_copied[i] && (dims[i] < 0 || !tn_mul(out, dims[i], &out)))
      return false;
  if (out <= 0 || in % out != 0)
    return false;
  dims[inferred] = in / out;
  return true;
}

static void
infer_reshape(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *shape = tn_rule_input(context, 1);
  const TnAttribute *attribute = tn_rule_attribute(context, "shape");
  uint32_t n = attribute ? attribute->n : shape && shape->has_content ? shape->n : 0;
  bool allows_zero = tn_rule_int(context, "allowzero", 0) != 0, is_copied[TN_MOST_RANK] = {false};
  int64_t dims[TN_MOST_RANK];
  int32_t inferred = -1;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!attribute && (!shape || !shape->has_content)) {
    tn_rule_lose(context, "the new shape is not known before the run");
    if (shape && shape->rank == 1 && shape->dims[0] >= 0 && shape->dims[0] <= TN_MOST_RANK)
      tn_rule_set(context, 0, tn_rule_dtype(context, 0), NULL, (int32_t)shape->dims[0]);
    return;
  }
  if (n > TN_MOST_RANK)
    return;
  bool has_unknown = false;
  for (uint32_t i = 0; i < n; i++) {
    int64_t dim = TN_INT_UNKNOWN;
    if (attribute)
      dim = attribute->ints ? attribute->ints[i] : TN_INT_UNKNOWN;
    else
      tn_value_int(shape, i, &dim);
    has_unknown = has_unknown || dim == TN_INT_UNKNOWN;
    is_copied[i] = dim == 0 && !allows_zero;
    if (is_copied[i])
      dim = input && (int32_t)i < input->rank ? input->dims[i] : TN_DIM_UNKNOWN;
    else if (dim == -1)
      inferred = (int32_t)i;
    dims[i] = dim < 0 ? TN_DIM_UNKNOWN : dim;
  }
  if (inferred >= 0 && !has_unknown && input &&
      !fill_cancelled(input, is_copied, dims, (int32_t)n, inferred))
    fill_inferred(context, input, dims, (int32_t)n, inferred);
  else if (has_unknown && inferred < 0 && input && tn_value_elements(input) >= 0) {
    /* One dimension that is not known is what is left, like -1. */
    int32_t holes = 0, at = 0;
    for (uint32_t i = 0; i < n; i++)
      if (dims[i] < 0) {
        holes++;
        at = (int32_t)i;
      }
    if (holes == 1 && tn_value_elements(input) > 0)
      fill_inferred(context, input, dims, (int32_t)n, at);
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, (int32_t)n);
}

static int64_t
product_of(const int64_t *dims, int32_t from, int32_t to)
{
  int64_t product;
  return tn_dims_product(dims + from, (uint32_t)(to - from), &product) ? product : TN_DIM_UNKNOWN;
}

static void
infer_flatten(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t axis = tn_rule_int(context, "axis", 1);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input)
    return;
  int32_t at = axis == input->rank ? input->rank : tn_rule_axis(context, axis, input->rank);
  if (at < 0)
    return;
  int64_t dims[2] = {product_of(input->dims, 0, at), product_of(input->dims, at, input->rank)};
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, 2);
}

/* Marks the axes of Squeeze or Unsqueeze; false where they are not known. */
static bool
marked_axes(TnRuleContext *context, int32_t rank, bool *is_marked, uint32_t *out_n)
{
  bool is_unknown;
  const int64_t *axes = tn_rule_list(context, "axes", 1, out_n, &is_unknown);
  memset(is_marked, 0, sizeof *is_marked * TN_MOST_RANK);
  if (is_unknown) {
    tn_rule_lose(context, "the axes are not known before the run");
    return false;
  }
  for (uint32_t i = 0; axes && i < *out_n; i++) {
    int32_t axis = tn_rule_axis(context, axes[i], rank);
    if (axis < 0)
      return false;
    is_marked[axis] = true;
  }
  return true;
}

static void
infer_squeeze(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  bool is_marked[TN_MOST_RANK];
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  uint32_t n;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK || !marked_axes(context, input->rank, is_marked, &n))
    return;
  bool takes_ones = n == 0 && !tn_rule_attribute(context, "axes") && !tn_rule_input(context, 1);
  for (int32_t i = 0; i < input->rank; i++) {
    if (takes_ones && input->dims[i] < 0) {
      tn_rule_lose(context, "whether a dimension is 1 is not known before the run");
      return;
    }
    if (takes_ones ? input->dims[i] != 1 : !is_marked[i])
      dims[rank++] = input->dims[i];
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

static void
infer_unsqueeze(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  bool is_marked[TN_MOST_RANK], is_unknown;
  int64_t dims[TN_MOST_RANK];
  uint32_t n;
  tn_rule_list(context, "axes", 1, &n, &is_unknown);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || n > TN_MOST_RANK || input->rank + (int32_t)n > TN_MOST_RANK ||
      !marked_axes(context, input->rank + (int32_t)n, is_marked, &n))
    return;
  int32_t rank = input->rank + (int32_t)n, from = 0;
  for (int32_t i = 0; i < rank; i++) {
    if (!is_marked[i] && from >= input->rank)
      return; /* an axis named twice */
    dims[i] = is_marked[i] ? 1 : input->dims[from++];
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* ---- order ----------------------------------------------------------------------------- */

static bool
read_permutation(TnRuleContext *context, int32_t rank, int32_t *order)
{
  uint32_t n;
  const int64_t *asked = tn_rule_ints(context, "perm", &n);
  if (asked && n != (uint32_t)rank) {
    tn_rule_lose(context, "a permutation of another rank than the tensor");
    return false;
  }
  for (int32_t i = 0; i < rank; i++) {
    order[i] = rank - 1 - i;
    if (asked && (order[i] = tn_rule_axis(context, asked[i], rank)) < 0)
      return false;
  }
  return true;
}

static void
infer_transpose(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK];
  int32_t order[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK || !read_permutation(context, input->rank, order))
    return;
  for (int32_t i = 0; i < input->rank; i++)
    dims[i] = input->dims[order[i]];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
evaluate_transpose(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  int32_t order[TN_MOST_RANK];
  int64_t step[TN_MOST_RANK + 1];
  if (!input || !input->has_content || output->rank != input->rank ||
      !read_permutation(context, input->rank, order) ||
      !tn_value_add_content(output, context->arena) || output->n == 0)
    return; /* without elements the product of the other dimensions may be anything */
  step[input->rank] = 1;
  for (int32_t i = input->rank - 1; i >= 0; i--)
    step[i] = step[i + 1] * input->dims[i];
  for (uint32_t at = 0; at < output->n; at++) {
    int64_t left = at, from = 0;
    for (int32_t i = output->rank - 1; i >= 0; i--) {
      from += left % output->dims[i] * step[order[i] + 1];
      left /= output->dims[i];
    }
    tn_value_copy_element(output, at, input, (uint32_t)from);
  }
}

static int64_t
divided(int64_t dim, int64_t by)
{
  return dim < 0 || by < 1 ? TN_DIM_UNKNOWN : dim / by;
}

static int64_t
multiplied(int64_t dim, int64_t by)
{
  int64_t product;
  return dim < 0 || !tn_mul(dim, by, &product) ? TN_DIM_UNKNOWN : product;
}

static void
infer_depth_space(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t block = tn_rule_int(context, "blocksize", 0);
  bool is_to_space = strcmp(context->type, "DepthToSpace") == 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank != 4 || block < 1 || block > 1 << 20)
    return;
  const int64_t *in = input->dims;
  int64_t to_space[4] = {in[0], divided(in[1], block * block), multiplied(in[2], block),
                         multiplied(in[3], block)};
  int64_t to_depth[4] = {in[0], multiplied(in[1], block * block), divided(in[2], block),
                         divided(in[3], block)};
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), is_to_space ? to_space : to_depth, 4);
}

/* ---- repetition ------------------------------------------------------------------------ */

static void
infer_expand(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *shape = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK], asked[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!shape || !shape->has_content || shape->n > TN_MOST_RANK) {
    tn_rule_lose(context, "the new shape is not known before the run");
    return;
  }
  for (uint32_t i = 0; i < shape->n; i++) {
    int64_t dim;
    asked[i] = tn_value_int(shape, i, &dim) && dim >= 0 ? dim : TN_DIM_UNKNOWN;
  }
  TnShapeValue wanted = {.rank = (int32_t)shape->n, .dims = asked};
  if (input && tn_rule_broadcast(context, dims, &rank, input) &&
      tn_rule_broadcast(context, dims, &rank, &wanted))
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

static void
evaluate_expand(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  if (!input || !input->has_content || input->n != 1 ||
      !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++)
    tn_value_copy_element(output, i, input, 0);
}

static void
infer_tile(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *repeats = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  bool is_known = repeats && repeats->has_content && repeats->n == (uint32_t)input->rank;
  if (!is_known)
    tn_rule_lose(context, "the repeats are not known before the run");
  for (int32_t i = 0; i < input->rank; i++) {
    int64_t times;
    dims[i] = is_known && tn_value_int(repeats, (uint32_t)i, &times) && times >= 0
                  ? multiplied(input->dims[i], times)
                  : TN_DIM_UNKNOWN;
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

const TnRule tn_rules_layout[] = {
    {"", "Reshape", infer_reshape, tn_evaluate_copy},
    {"", "Flatten", infer_flatten, tn_evaluate_copy},
    {"", "Squeeze", infer_squeeze, tn_evaluate_copy},
    {"", "Unsqueeze", infer_unsqueeze, tn_evaluate_copy},
    {"", "Transpose", infer_transpose, evaluate_transpose},
    {"", "DepthToSpace", infer_depth_space, NULL},
    {"", "SpaceToDepth", infer_depth_space, NULL},
    {"", "Expand", infer_expand, evaluate_expand},
    {"", "Tile", infer_tile, NULL},
    {NULL, NULL, NULL, NULL},
};
