/* SPDX-License-Identifier: MIT */
/* Parts of tensors, and tensors from parts. */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

/* ---- Gather ---------------------------------------------------------------------------- */

static void
infer_gather(TnRuleContext *context)
{
  const TnShapeValue *data = tn_rule_ranked(context, 0), *indices = tn_rule_ranked(context, 1);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!data || !indices || data->rank + indices->rank - 1 > TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), data->rank);
  if (axis < 0)
    return;
  for (int32_t i = 0; i < axis; i++)
    dims[rank++] = data->dims[i];
  for (int32_t i = 0; i < indices->rank; i++)
    dims[rank++] = indices->dims[i];
  for (int32_t i = axis + 1; i < data->rank; i++)
    dims[rank++] = data->dims[i];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* data [outer, length, inner], indices [n] → output [outer, n, inner]. */
static void
evaluate_gather(TnRuleContext *context)
{
  const TnShapeValue *data = tn_rule_input(context, 0), *indices = tn_rule_input(context, 1);
  TnShapeValue *output = &context->outputs[0];
  if (!data || !indices || !data->has_content || !indices->has_content || data->rank < 1 ||
      !tn_value_add_content(output, context->arena))
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), data->rank);
  int64_t length = data->dims[axis], inner = 1;
  if (output->n == 0)
    return; /* of the other dimensions' product nothing is known */
  for (int32_t i = axis + 1; i < data->rank; i++)
    inner *= data->dims[i];
  for (uint32_t i = 0; i < output->n; i++) { /* output->n > 0 means inner, indices->n > 0 */
    int64_t index, within = i % inner, outer = i / inner / indices->n;
    if (!tn_value_int(indices, (uint32_t)(i / inner % indices->n), &index))
      continue;
    index += index < 0 ? length : 0;
    if (index >= 0 && index < length)
      tn_value_copy_element(output, i, data, (uint32_t)((outer * length + index) * inner + within));
  }
}

static void
infer_gather_elements(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, tn_rule_dtype(context, 0), tn_rule_input(context, 1));
}

static void
infer_gather_nd(TnRuleContext *context)
{
  const TnShapeValue *data = tn_rule_ranked(context, 0), *indices = tn_rule_ranked(context, 1);
  int64_t batch = tn_rule_int(context, "batch_dims", 0), dims[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!data || !indices || indices->rank < 1)
    return;
  int64_t depth = indices->dims[indices->rank - 1];
  if (depth < 0 || batch < 0 || batch + depth > data->rank ||
      indices->rank - 1 + data->rank > TN_MOST_RANK) {
    tn_rule_lose(context, "the depth of the indices is not known or too large");
    return;
  }
  for (int32_t i = 0; i < indices->rank - 1; i++)
    dims[rank++] = indices->dims[i];
  for (int32_t i = (int32_t)(batch + depth); i < data->rank; i++)
    dims[rank++] = data->dims[i];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* ---- Slice ----------------------------------------------------------------------------- */

typedef struct {
  bool is_cut, is_known;
  int64_t start, end, step;
} Cut;

/* Brings a bound into the axis; INT64 extremes mean "to the end". */
static int64_t
clamp_bound(int64_t bound, int64_t dim, int64_t least, int64_t most)
{
  if (bound < 0)
    bound = bound < -dim ? -1 : bound + dim;
  return CLAMP(bound, least, most);
}

static int64_t
cut_length(const Cut *cut, int64_t dim, int64_t *out_first)
{
  if (dim < 0 || !cut->is_known || cut->step == 0)
    return TN_DIM_UNKNOWN;
  bool is_back = cut->step < 0;
  int64_t start = clamp_bound(cut->start, dim, 0, is_back ? dim - 1 : dim);
  int64_t end = clamp_bound(cut->end, dim, is_back ? -1 : 0, is_back ? dim - 1 : dim);
  *out_first = start;
  if (is_back ? start <= end : start >= end)
    return 0;
  int64_t span = is_back ? start - end : end - start;
  int64_t step = cut->step == TN_INT_UNKNOWN ? INT64_MAX : ABS(cut->step);
  return (span - 1) / step + 1;
}

static bool
element_of(const TnRuleContext *context, const char *name, uint32_t input, uint32_t i, int64_t *out)
{
  uint32_t n;
  const int64_t *list = name ? tn_rule_ints(context, name, &n) : NULL;
  const TnShapeValue *value = tn_rule_input(context, input);
  if (list && i < n) {
    *out = list[i];
    return true;
  }
  return !list && value && tn_value_int(value, i, out);
}

static int64_t
count_of(const TnRuleContext *context, const char *name, uint32_t input)
{
  uint32_t n;
  const TnShapeValue *value = tn_rule_input(context, input);
  if (tn_rule_ints(context, name, &n))
    return n;
  return value && value->rank == 1 ? value->dims[0] : -1;
}

/* How many axes are cut: each of the lists has one entry for each. */
static int64_t
count_cuts(const TnRuleContext *context)
{
  static const char *const names[] = {"starts", "ends", "axes"};
  int64_t n = -1;
  for (uint32_t i = 0; n < 0 && i < G_N_ELEMENTS(names); i++)
    n = count_of(context, names[i], i + 1);
  return n;
}

/* Fills a cut for each axis; false where not even the axes are known. */
static bool
read_cuts(TnRuleContext *context, int32_t rank, Cut *cuts)
{
  int64_t n = count_cuts(context);
  bool has_axes = tn_rule_attribute(context, "axes") || tn_rule_input(context, 3);
  memset(cuts, 0, sizeof *cuts * TN_MOST_RANK);
  if (n < 0 || n > TN_MOST_RANK) {
    tn_rule_lose(context, "how many axes are cut is not known before the run");
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    int64_t axis = i;
    if (has_axes && !element_of(context, "axes", 3, i, &axis)) {
      tn_rule_lose(context, "the axes are not known before the run");
      return false;
    }
    int32_t at = tn_rule_axis(context, axis, rank);
    if (at < 0)
      return false;
    Cut *cut = &cuts[at];
    cut->is_cut = true;
    cut->step = 1;
    bool has_steps = tn_rule_input(context, 4) != NULL;
    cut->is_known = element_of(context, "starts", 1, i, &cut->start) &&
                    element_of(context, "ends", 2, i, &cut->end) &&
                    (!has_steps || element_of(context, NULL, 4, i, &cut->step));
    if (!cut->is_known)
      tn_rule_lose(context, "where the slice begins or ends is not known before the run");
  }
  return true;
}

static void
infer_slice(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  Cut cuts[TN_MOST_RANK];
  int64_t dims[TN_MOST_RANK], first;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  if (!read_cuts(context, input->rank, cuts)) {
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), NULL, input->rank);
    return;
  }
  for (int32_t i = 0; i < input->rank; i++)
    dims[i] = cuts[i].is_cut ? cut_length(&cuts[i], input->dims[i], &first) : input->dims[i];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
evaluate_slice(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  Cut cuts[TN_MOST_RANK];
  int64_t first[TN_MOST_RANK] = {0};
  if (!input || !input->has_content || output->rank != input->rank ||
      !read_cuts(context, input->rank, cuts) || !tn_value_add_content(output, context->arena))
    return;
  for (int32_t i = 0; i < input->rank; i++)
    if (cuts[i].is_cut)
      cut_length(&cuts[i], input->dims[i], &first[i]);
  for (uint32_t at = 0; at < output->n; at++) {
    int64_t left = at, stride = 1, from = 0;
    for (int32_t i = output->rank - 1; i >= 0; i--) {
      int64_t place = left % output->dims[i]; /* 0 where a step could leave the axis */
      from += (first[i] + (place ? place * (cuts[i].is_cut ? cuts[i].step : 1) : 0)) * stride;
      stride *= input->dims[i];
      left /= output->dims[i];
    }
    tn_value_copy_element(output, at, input, (uint32_t)from);
  }
}

/* ---- Split, Concat --------------------------------------------------------------------- */

/* The length of piece i; `axis_length` is known. */
static int64_t
equal_piece(int64_t length, int64_t pieces, uint32_t i)
{
  int64_t piece = length / pieces + (length % pieces != 0);
  return MAX(MIN(piece, length - piece * (int64_t)i), (int64_t)0);
}

static void
infer_split(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *sizes = tn_rule_input(context, 1);
  const TnAttribute *attribute = tn_rule_attribute(context, "split");
  int64_t dims[TN_MOST_RANK];
  for (uint32_t i = 0; i < context->n_outputs; i++)
    tn_rule_set_dtype(context, i, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), input->rank);
  if (axis < 0)
    return;
  int64_t length = input->dims[axis];
  int64_t pieces = MAX(tn_rule_int(context, "num_outputs", context->n_outputs), (int64_t)1);
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  for (uint32_t i = 0; i < context->n_outputs; i++) {
    dims[axis] = TN_DIM_UNKNOWN;
    if (attribute || sizes) {
      if (!element_of(context, attribute ? "split" : NULL, 1, i, &dims[axis]))
        tn_rule_lose(context, "the sizes of the pieces are not known before the run");
    } else if (length >= 0)
      dims[axis] = equal_piece(length, pieces, i);
    tn_rule_set(context, i, tn_rule_dtype(context, 0), dims, input->rank);
  }
}

static void
infer_concat(TnRuleContext *context)
{
  int64_t dims[TN_MOST_RANK], sum = 0;
  int32_t rank = -1, axis = -1;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  for (uint32_t i = 0; i < context->n_inputs; i++) {
    const TnShapeValue *input = tn_rule_ranked(context, i);
    if (!input || input->rank > TN_MOST_RANK)
      return;
    if (rank < 0) {
      rank = input->rank;
      axis = tn_rule_axis(context, tn_rule_int(context, "axis", 1), rank);
      memcpy(dims, input->dims, sizeof *dims * (gsize)rank);
    }
    if (axis < 0 || input->rank != rank) {
      tn_rule_lose(context, "tensors of different ranks");
      return;
    }
    for (int32_t k = 0; k < rank; k++)
      if (k != axis && dims[k] < 0)
        dims[k] = input->dims[k];
    if (sum < 0 || input->dims[axis] < 0 || !tn_add(sum, input->dims[axis], &sum))
      sum = TN_DIM_UNKNOWN;
  }
  if (rank < 0)
    return;
  dims[axis] = sum;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* Along the first axis parts follow each other as they lie. */
static void
evaluate_concat(TnRuleContext *context)
{
  TnShapeValue *output = &context->outputs[0];
  bool is_any_known = false;
  for (uint32_t i = 0; i < context->n_inputs; i++)
    is_any_known = is_any_known || (context->inputs[i] && context->inputs[i]->has_content);
  if (!is_any_known || output->rank < 1 ||
      (output->rank > 1 && tn_rule_int(context, "axis", 1) != 0) || !tn_value_add_content(output, context->arena))
    return;
  uint32_t at = 0;
  for (uint32_t i = 0; i < context->n_inputs; i++) {
    int64_t n = tn_value_elements(context->inputs[i]);
    if (n < 0 || n > output->n - at) /* where the next part begins is not known */
      return;
    for (uint32_t k = 0; k < n; k++)
      tn_value_copy_element(output, at + k, context->inputs[i], k);
    at += (uint32_t)n;
  }
}

/* ---- Pad, NonZero, and what writes into a copy ------------------------------------------ */

static void
infer_pad(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  const char *name = tn_rule_attribute(context, "paddings") ? "paddings" : "pads";
  int64_t dims[TN_MOST_RANK], begin, end, axis;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  bool has_axes = tn_rule_input(context, 3) != NULL;
  int64_t n = has_axes ? count_of(context, "", 3) : input->rank;
  for (int64_t i = 0; i < n; i++) {
    axis = i;
    if (has_axes && !element_of(context, NULL, 3, (uint32_t)i, &axis))
      n = -1;
    int32_t at = n < 0 ? -1 : tn_rule_axis(context, axis, input->rank);
    if (at < 0) {
      n = -1;
      break;
    }
    bool is_known = element_of(context, name, 1, (uint32_t)i, &begin) &&
                    element_of(context, name, 1, (uint32_t)(i + n), &end) &&
                    ABS(begin) < G_MAXINT32 && ABS(end) < G_MAXINT32;
    if (!is_known)
      tn_rule_lose(context, "the padding is not known before the run");
    if (dims[at] < 0 || !is_known || !tn_add(dims[at], begin + end, &dims[at]))
      dims[at] = TN_DIM_UNKNOWN;
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), n < 0 ? NULL : dims, input->rank);
}

static void
infer_non_zero(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  tn_rule_lose(context, "how many elements are not zero is known only when it runs");
  tn_rule_set_dtype(context, 0, TN_DTYPE_INT64);
  if (!input)
    return;
  int64_t dims[2] = {MAX(input->rank, 1), TN_DIM_UNKNOWN};
  tn_rule_set(context, 0, TN_DTYPE_INT64, dims, 2);
}

static void
infer_compress(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *condition = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK], kept = 0;
  int32_t rank = 1, axis = 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  if (tn_rule_attribute(context, "axis")) {
    rank = input->rank;
    axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), rank);
    memcpy(dims, input->dims, sizeof *dims * (gsize)rank);
  }
  if (axis < 0)
    return;
  bool is_known = condition && tn_value_is_known_ints(condition);
  for (uint32_t i = 0; is_known && i < condition->n; i++)
    kept += condition->ints[i] != 0;
  if (!is_known)
    tn_rule_lose(context, "what is kept is known only when it runs");
  dims[axis] = is_known ? kept : TN_DIM_UNKNOWN;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

const TnRule tn_rules_index[] = {
    {"", "Gather", infer_gather, evaluate_gather},
    {"", "GatherElements", infer_gather_elements, NULL},
    {"", "GatherND", infer_gather_nd, NULL},
    {"", "Slice", infer_slice, evaluate_slice},
    {"", "Split", infer_split, NULL},
    {"", "Concat", infer_concat, evaluate_concat},
    {"", "Pad", infer_pad, NULL},
    {"", "NonZero", infer_non_zero, NULL},
    {"", "Compress", infer_compress, NULL},
    {NULL, NULL, NULL, NULL},
};
