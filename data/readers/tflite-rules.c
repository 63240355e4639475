/* SPDX-License-Identifier: MIT */
/* Shape rules of TensorFlow Lite's ops: by ONNX's rule where the two mean the same, else by their
 * own.  Source: Prepare() of each kernel in tensorflow/lite/kernels/, padding.h. */
#include "config.h"

#include "data/readers/tflite-shape.h"

#include <string.h>

typedef TnTfliteRuleContext Context;

static int64_t
option(Context *context, unsigned slot, unsigned width, int64_t fallback)
{
  return context->has_options
             ? tn_flat_int(context->flat, &context->options, slot, width, fallback)
             : fallback;
}

static TnDtype
out_dtype(const Context *context)
{
  return context->rule.n_outputs ? context->rule.outputs[0].dtype : TN_DTYPE_UNKNOWN;
}

static void
set(Context *context, uint32_t i, const int64_t *dims, int32_t rank)
{
  if (i < context->rule.n_outputs)
    tn_rule_set(&context->rule, i, context->rule.outputs[i].dtype, dims, rank);
}

/* Input i of exactly this rank; NULL and a reason otherwise. */
static const TnShapeValue *
of_rank(Context *context, uint32_t i, int32_t rank)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, i);
  if (input && input->rank == rank)
    return input;
  tn_rule_lose(&context->rule, "an operand of another rank than the op takes");
  return NULL;
}

/* The known content of input i, of 32 bits each as the kernels have it; NULL and a reason
 * otherwise. */
static const int64_t *
numbers(Context *context, uint32_t i, uint32_t *out_n)
{
  bool is_unknown;
  const int64_t *list = tn_rule_list(&context->rule, NULL, i, out_n, &is_unknown);
  bool is_good = list != NULL;
  for (uint32_t k = 0; is_good && k < *out_n; k++)
    is_good = list[k] >= INT32_MIN && list[k] <= INT32_MAX;
  if (!is_good)
    tn_rule_lose(&context->rule, "it depends on numbers that are not known before the run");
  return is_good ? list : NULL;
}

/* ---- by ONNX's rules ------------------------------------------------------------------- */

static void
apply(Context *context, const char *type, const TnAttribute *attributes, uint32_t n)
{
  TnRuleContext *rule = &context->rule;
  const char *own = rule->type;
  rule->type = type;
  rule->attributes = attributes;
  rule->n_attributes = n;
  tn_rule_apply(tn_rules_find("", type), rule);
  rule->type = own;
}

static void
apply_int(Context *context, const char *type, const char *name, int64_t value)
{
  TnAttribute attribute = {.name = name, .type = TN_ATTRIBUTE_INT, .integer = value, .n = 1};
  apply(context, type, &attribute, 1);
}

static void
infer_same(Context *context)
{
  tn_rule_set_like(&context->rule, 0, out_dtype(context), tn_rule_ranked(&context->rule, 0));
}

static void
infer_cast(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  infer_same(context);
  if (!input || !input->has_content ||
      !tn_value_add_content(&context->rule.outputs[0], context->rule.arena))
    return;
  for (uint32_t i = 0; i < input->n; i++)
    tn_value_copy_element(&context->rule.outputs[0], i, input, i);
}

/* Elementwise of two, with the element types that values need. */
static void
infer_add(Context *context)
{
  apply(context, "Add", NULL, 0);
}

static void
infer_sub(Context *context)
{
  apply(context, "Sub", NULL, 0);
}

static void
infer_mul(Context *context)
{
  apply(context, "Mul", NULL, 0);
}

static void
infer_div(Context *context)
{
  apply(context, "Div", NULL, 0);
}

static void
infer_floor_mod(Context *context)
{
  apply(context, "Mod", NULL, 0);
}

static void
infer_maximum(Context *context)
{
  apply(context, "Max", NULL, 0);
}

static void
infer_minimum(Context *context)
{
  apply(context, "Min", NULL, 0);
}

/* Of any number of operands, by numpy's rules. */
static void
infer_broadcast(Context *context)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  for (uint32_t i = 0; i < context->rule.n_inputs; i++) {
    const TnShapeValue *input = tn_rule_ranked(&context->rule, i);
    if (!input || !tn_rule_broadcast(&context->rule, dims, &rank, input))
      return;
  }
  set(context, 0, dims, rank);
}

static void
infer_concatenation(Context *context)
{
  apply_int(context, "Concat", "axis", option(context, 0, 4, 0));
}

static void
infer_gather(Context *context)
{
  if (option(context, 1, 4, 0) != 0)
    tn_rule_lose(&context->rule, "a gather by batches");
  else
    apply_int(context, "Gather", "axis", option(context, 0, 4, 0));
}

static void
infer_gather_nd(Context *context)
{
  apply(context, "GatherND", NULL, 0);
}

static void
infer_shape(Context *context)
{
  apply(context, "Shape", NULL, 0);
}

static void
infer_tile(Context *context)
{
  apply(context, "Tile", NULL, 0);
}

static void
infer_expand_dims(Context *context)
{
  apply(context, "Unsqueeze", NULL, 0);
}

static void
infer_range(Context *context)
{
  apply(context, "Range", NULL, 0);
}

static void
infer_squeeze(Context *context)
{
  TnFlatVector list = {0, 0};
  if (context->has_options)
    list = tn_flat_vector(context->flat, &context->options, 0, 4);
  int64_t *axes = tn_arena_take_n(context->rule.arena, int64_t, list.n);
  for (uint32_t i = 0; i < list.n; i++)
    axes[i] = tn_flat_vector_int(context->flat, &list, i, 4);
  TnAttribute attribute = {
      .name = "axes", .type = TN_ATTRIBUTE_INTS, .ints = axes, .n = list.n};
  apply(context, "Squeeze", &attribute, list.n > 0 ? 1 : 0);
}

static void
infer_transpose(Context *context)
{
  uint32_t n;
  const int64_t *perm = numbers(context, 1, &n);
  TnAttribute attribute = {.name = "perm", .type = TN_ATTRIBUTE_INTS, .ints = perm, .n = n};
  if (perm)
    apply(context, "Transpose", &attribute, 1);
}

/* All reductions have one shape; the product has values, too. */
static void
infer_reduce(Context *context)
{
  bool is_product = strcmp(context->rule.type, "REDUCE_PROD") == 0;
  apply_int(context, is_product ? "ReduceProd" : "ReduceMean", "keepdims",
            option(context, 0, 1, 0));
}

static void
infer_arg_max(Context *context)
{
  uint32_t n;
  const int64_t *axis = numbers(context, 1, &n);
  TnAttribute attributes[] = {
      {.name = "axis", .type = TN_ATTRIBUTE_INT, .integer = axis && n ? axis[0] : 0, .n = 1},
      {.name = "keepdims", .type = TN_ATTRIBUTE_INT, .integer = 0, .n = 1}};
  if (axis && n == 1)
    apply(context, "ArgMax", attributes, 2);
}

/* ---- shapes that are stated ------------------------------------------------------------ */

/* Other counts of elements are no reshape: the runtime refuses them. */
static void
check_elements(Context *context)
{
  const TnShapeValue *input = tn_rule_input(&context->rule, 0);
  TnShapeValue *output = &context->rule.outputs[0];
  int64_t had = input ? tn_value_elements(input) : -1, has = tn_value_elements(output);
  if (had < 0 || has < 0 || had == has)
    return;
  tn_rule_lose(&context->rule,
               tn_arena_printf(context->rule.arena,
                               "the file states a shape of %" G_GINT64_FORMAT
                               " elements, but %" G_GINT64_FORMAT " come",
                               has, had));
  tn_value_set_dims(output, context->rule.arena, NULL, output->rank);
}

static void
infer_reshape(Context *context)
{
  const TnShapeValue *shape = tn_rule_input(&context->rule, 1);
  TnFlatVector list = {0, 0};
  TnAttribute attributes[2] = {{.name = "allowzero", .type = TN_ATTRIBUTE_INT, .integer = 1, .n = 1}};
  uint32_t n = 1;
  if (!shape && context->has_options) {
    list = tn_flat_vector(context->flat, &context->options, 0, 4);
    int64_t *dims = tn_arena_take_n(context->rule.arena, int64_t, list.n);
    for (uint32_t i = 0; i < list.n; i++)
      dims[i] = tn_flat_vector_int(context->flat, &list, i, 4);
    attributes[n++] = (TnAttribute){
        .name = "shape", .type = TN_ATTRIBUTE_INTS, .ints = dims, .n = list.n};
  }
  apply(context, "Reshape", attributes, n);
  check_elements(context);
}

/* The numbers of input i are the shape. */
static void
set_stated(Context *context, uint32_t i)
{
  uint32_t n;
  const int64_t *dims = numbers(context, i, &n);
  if (dims && n <= TN_MOST_RANK)
    set(context, 0, dims, (int32_t)n);
}

static void
infer_fill(Context *context)
{
  set_stated(context, 0);
}

static void
infer_broadcast_to(Context *context)
{
  set_stated(context, 1);
}

/* Its output shape is an operand; one that is constant holds whatever comes. */
static void
infer_transpose_conv(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = of_rank(context, 2, 4);
  const int64_t *dims = numbers(context, 0, &n);
  if (!dims || n != 4 || !input)
    return;
  if (input->dims[0] >= 0 && input->dims[0] != dims[0])
    tn_rule_lose(&context->rule, "its output shape is stated for another batch");
  else
    set(context, 0, dims, 4);
}

/* ---- windows --------------------------------------------------------------------------- */

typedef struct {
  int64_t kernel, stride, dilation;
} Window;

/* Padding 0: SAME, 1: VALID. */
static int64_t
out_size(int64_t size, Window window, int64_t padding)
{
  int64_t reach = (window.kernel - 1) * window.dilation + 1;
  if (size < 0 || window.stride < 1 || window.kernel < 1 || window.dilation < 1)
    return TN_DIM_UNKNOWN;
  int64_t places = padding == 0 ? size : size - reach + 1;
  return places <= 0 ? 0 : (places + window.stride - 1) / window.stride;
}

static void
set_windowed(Context *context, const TnShapeValue *input, Window high, Window wide,
             int64_t channels)
{
  int64_t padding = option(context, 0, 1, 0);
  int64_t dims[] = {input->dims[0], out_size(input->dims[1], high, padding),
                    out_size(input->dims[2], wide, padding), channels};
  set(context, 0, dims, 4);
}

static void
infer_conv(Context *context)
{
  const TnShapeValue *input = of_rank(context, 0, 4), *filter = of_rank(context, 1, 4);
  bool is_depthwise = strcmp(context->rule.type, "DEPTHWISE_CONV_2D") == 0;
  unsigned dilation = is_depthwise ? 5 : 4;
  if (!input || !filter)
    return;
  Window wide = {filter->dims[2], option(context, 1, 4, 0), option(context, dilation, 4, 1)};
  Window high = {filter->dims[1], option(context, 2, 4, 0), option(context, dilation + 1, 4, 1)};
  set_windowed(context, input, high, wide, is_depthwise ? filter->dims[3] : filter->dims[0]);
}

static void
infer_pool(Context *context)
{
  const TnShapeValue *input = of_rank(context, 0, 4);
  if (!input)
    return;
  Window wide = {option(context, 3, 4, 0), option(context, 1, 4, 0), 1};
  Window high = {option(context, 4, 4, 0), option(context, 2, 4, 0), 1};
  set_windowed(context, input, high, wide, input->dims[3]);
}

static void
infer_resize(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = of_rank(context, 0, 4);
  const int64_t *size = numbers(context, 1, &n);
  if (!input || !size || n != 2)
    return;
  int64_t dims[] = {input->dims[0], size[0], size[1], input->dims[3]};
  set(context, 0, dims, 4);
}

/* ---- blocks ---------------------------------------------------------------------------- */

static int64_t
scaled(int64_t dim, int64_t by)
{
  int64_t product;
  return dim >= 0 && tn_mul(dim, by, &product) ? product : TN_DIM_UNKNOWN;
}

static int64_t
divided(int64_t dim, int64_t by)
{
  return dim >= 0 && by > 0 && dim % by == 0 ? dim / by : TN_DIM_UNKNOWN;
}

static void
infer_depth_to_space(Context *context)
{
  const TnShapeValue *in = of_rank(context, 0, 4);
  int64_t block = option(context, 0, 4, 0);
  if (!in || block < 1 || block > 1 << 15)
    return;
  int64_t dims[] = {in->dims[0], scaled(in->dims[1], block), scaled(in->dims[2], block),
                    divided(in->dims[3], block * block)};
  set(context, 0, dims, 4);
}

static void
infer_space_to_depth(Context *context)
{
  const TnShapeValue *in = of_rank(context, 0, 4);
  int64_t block = option(context, 0, 4, 0);
  if (!in || block < 1 || block > 1 << 15)
    return;
  int64_t dims[] = {in->dims[0], divided(in->dims[1], block), divided(in->dims[2], block),
                    scaled(in->dims[3], block * block)};
  set(context, 0, dims, 4);
}

/* Blocks [n], paddings or crops [n, 2]; the batch takes up what the spatial dimensions give. */
static void
infer_space_batch(Context *context)
{
  bool is_to_batch = strcmp(context->rule.type, "SPACE_TO_BATCH_ND") == 0;
  const TnShapeValue *in = tn_rule_ranked(&context->rule, 0);
  uint32_t n, n_pads;
  const int64_t *block = numbers(context, 1, &n), *pads = numbers(context, 2, &n_pads);
  int64_t dims[TN_MOST_RANK];
  if (!in || !block || !pads || n_pads != 2 * n || (int32_t)n + 1 > in->rank ||
      in->rank > TN_MOST_RANK)
    return;
  memcpy(dims, in->dims, sizeof *dims * (gsize)in->rank);
  for (uint32_t i = 0; i < n; i++) {
    int64_t edge = pads[2 * i] + pads[2 * i + 1], dim = in->dims[i + 1];
    if (is_to_batch) {
      dims[i + 1] = divided(dim < 0 ? dim : dim + edge, block[i]);
      dims[0] = scaled(dims[0], block[i]);
    } else {
      dims[i + 1] = dim < 0 ? dim : scaled(dim, block[i]) - edge;
      dims[0] = divided(dims[0], block[i]);
    }
  }
  set(context, 0, dims, in->rank);
}

static void
infer_pad(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *pads = numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK];
  if (!input || !pads || (int64_t)n != 2 * (int64_t)input->rank || input->rank > TN_MOST_RANK)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    dims[i] = input->dims[i] < 0 ? TN_DIM_UNKNOWN
                                 : input->dims[i] + pads[2 * i] + pads[2 * i + 1];
  set(context, 0, dims, input->rank);
}

/* ---- products -------------------------------------------------------------------------- */

/* [batch, …, n] · weights [units, n]: [batch, …, units], or flattened to two dimensions. */
static void
infer_fully_connected(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0), *weights = of_rank(context, 1, 2);
  int64_t dims[TN_MOST_RANK];
  if (!input || !weights || input->rank > TN_MOST_RANK)
    return;
  if (option(context, 2, 1, 0) != 0 && input->rank > 0) {
    memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
    dims[input->rank - 1] = weights->dims[0];
    set(context, 0, dims, input->rank);
    return;
  }
  dims[0] = divided(tn_value_elements(input), weights->dims[1]);
  dims[1] = weights->dims[0];
  set(context, 0, dims, 2);
}

static void
infer_batch_matmul(Context *context)
{
  const TnShapeValue *a = tn_rule_ranked(&context->rule, 0), *b = tn_rule_ranked(&context->rule, 1);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  if (!a || !b || a->rank < 2 || b->rank < 2 || MAX(a->rank, b->rank) > TN_MOST_RANK)
    return;
  TnShapeValue outer_a = *a, outer_b = *b;
  outer_a.rank -= 2;
  outer_b.rank -= 2;
  if (!tn_rule_broadcast(&context->rule, dims, &rank, &outer_a) ||
      !tn_rule_broadcast(&context->rule, dims, &rank, &outer_b))
    return;
  dims[rank] = a->dims[a->rank - (option(context, 0, 1, 0) ? 1 : 2)];
  dims[rank + 1] = b->dims[b->rank - (option(context, 1, 1, 0) ? 2 : 1)];
  set(context, 0, dims, rank + 2);
}

static void
infer_svdf(Context *context)
{
  const TnShapeValue *input = of_rank(context, 0, 2), *filters = of_rank(context, 1, 2);
  if (!input || !filters)
    return;
  int64_t dims[] = {input->dims[0], divided(filters->dims[0], option(context, 0, 4, 0))};
  set(context, 0, dims, 2);
}

/* Time and batch of the input, units of the recurrent weights [cells, units]. */
static void
infer_lstm(Context *context)
{
  const TnShapeValue *input = of_rank(context, 0, 3), *recurrent = of_rank(context, 8, 2);
  if (!input || !recurrent)
    return;
  int64_t dims[] = {input->dims[0], input->dims[1], recurrent->dims[1]};
  set(context, 0, dims, 3);
}

static void
infer_embedding_lookup(Context *context)
{
  const TnShapeValue *ids = of_rank(context, 0, 1), *table = tn_rule_ranked(&context->rule, 1);
  int64_t dims[TN_MOST_RANK];
  if (!ids || !table || table->rank < 1 || table->rank > TN_MOST_RANK)
    return;
  memcpy(dims, table->dims, sizeof *dims * (gsize)table->rank);
  dims[0] = ids->dims[0];
  set(context, 0, dims, table->rank);
}

/* ---- parts ----------------------------------------------------------------------------- */

/* Elements `from`, `from + step`, … of a list. */
static void
copy_part(Context *context, uint32_t output, const TnShapeValue *input, int64_t from, int64_t step)
{
  TnShapeValue *value = &context->rule.outputs[output];
  if (!input->has_content || input->rank != 1 ||
      !tn_value_add_content(value, context->rule.arena))
    return;
  for (uint32_t i = 0; i < value->n; i++) {
    int64_t at = from + (int64_t)i * step;
    if (at >= 0 && at < input->n)
      tn_value_copy_element(value, i, input, (uint32_t)at);
  }
}

static void
infer_slice(Context *context)
{
  uint32_t n, n_sizes;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *begin = numbers(context, 1, &n), *size = numbers(context, 2, &n_sizes);
  int64_t dims[TN_MOST_RANK];
  if (!input || !begin || !size || (int32_t)n != input->rank || n_sizes != n || n > TN_MOST_RANK)
    return;
  for (uint32_t i = 0; i < n; i++)
    dims[i] = size[i] >= 0           ? size[i]
              : input->dims[i] < 0   ? TN_DIM_UNKNOWN
                                     : input->dims[i] - begin[i];
  set(context, 0, dims, input->rank);
  if (n == 1)
    copy_part(context, 0, input, begin[0], 1);
}

typedef struct {
  int64_t begin, end, stride;
  bool is_open_begin, is_open_end, is_shrunk;
} Range;

/* Where the range begins in a dimension, and how many elements it takes. */
static int64_t
measure(Range range, int64_t dim, int64_t *out_begin)
{
  int64_t low = range.stride > 0 ? 0 : -1, high = range.stride > 0 ? dim : dim - 1;
  int64_t begin = range.begin < 0 ? range.begin + dim : range.begin;
  int64_t end = range.end < 0 ? range.end + dim : range.end;
  *out_begin = begin;
  if (range.is_shrunk)
    return 1;
  begin = range.is_open_begin ? (range.stride > 0 ? 0 : dim - 1) : CLAMP(begin, low, high);
  end = range.is_open_end ? (range.stride > 0 ? dim : -1) : CLAMP(end, low, high);
  *out_begin = begin;
  int64_t span = range.stride > 0 ? end - begin : begin - end, step = ABS(range.stride);
  return span <= 0 ? 0 : (span + step - 1) / step;
}

/* By dimension of the input: where the slice begins, its step and its length. */
typedef struct {
  int64_t first[TN_MOST_RANK], step[TN_MOST_RANK], length[TN_MOST_RANK];
} Slice;

static void
copy_slice(Context *context, const TnShapeValue *input, const Slice *slice)
{
  TnShapeValue *output = &context->rule.outputs[0];
  int64_t index[TN_MOST_RANK] = {0};
  if (!input->has_content || !tn_value_add_content(output, context->rule.arena))
    return;
  for (uint32_t i = 0; i < output->n; i++) {
    int64_t at = 0;
    for (int32_t k = 0; k < input->rank; k++)
      at = at * input->dims[k] + slice->first[k] + index[k] * slice->step[k];
    if (at >= 0 && at < input->n)
      tn_value_copy_element(output, i, input, (uint32_t)at);
    for (int32_t k = input->rank - 1; k >= 0 && ++index[k] == slice->length[k]; k--)
      index[k] = 0;
  }
}

static bool
read_ranges(Context *context, const TnShapeValue *input, Range *ranges)
{
  uint32_t n, n_end, n_stride;
  const int64_t *begin = numbers(context, 1, &n), *end = numbers(context, 2, &n_end);
  const int64_t *stride = numbers(context, 3, &n_stride);
  int64_t begins = option(context, 0, 4, 0), ends = option(context, 1, 4, 0);
  int64_t shrinks = option(context, 4, 4, 0);
  if (!begin || !end || !stride || n_end != n || n_stride != n || (int32_t)n > input->rank ||
      input->rank > 31)
    return false;
  for (int32_t i = 0; i < input->rank; i++)
    ranges[i] = i < (int32_t)n ? (Range){begin[i], end[i], stride[i], begins >> i & 1,
                                         ends >> i & 1, shrinks >> i & 1}
                               : (Range){0, 0, 1, true, true, false};
  return true;
}

/* Without ellipsis and new axes, which converters resolve. */
static void
infer_strided_slice(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  Range ranges[TN_MOST_RANK];
  Slice slice;
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  if (!input || !read_ranges(context, input, ranges))
    return;
  if (option(context, 2, 4, 0) || option(context, 3, 4, 0)) {
    tn_rule_lose(&context->rule, "a slice with an ellipsis or a new axis");
    return;
  }
  for (int32_t i = 0; i < input->rank; i++) {
    int64_t dim = input->dims[i];
    if (ranges[i].stride == 0)
      return;
    slice.step[i] = ranges[i].stride;
    slice.length[i] = dim < 0 ? TN_DIM_UNKNOWN : measure(ranges[i], dim, &slice.first[i]);
    if (!ranges[i].is_shrunk)
      dims[rank++] = slice.length[i];
  }
  set(context, 0, dims, rank);
  if (tn_value_is_full(input))
    copy_slice(context, input, &slice);
}

/* n equal parts along an axis that is an operand. */
static void
infer_split(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 1);
  const int64_t *axis = numbers(context, 0, &n);
  int64_t dims[TN_MOST_RANK];
  int32_t at = input && axis && n == 1 ? tn_rule_axis(&context->rule, axis[0], input->rank) : -1;
  if (at < 0 || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[at] = divided(dims[at], context->rule.n_outputs);
  for (uint32_t i = 0; i < context->rule.n_outputs; i++)
    set(context, i, dims, input->rank);
}

static void
infer_split_v(Context *context)
{
  uint32_t n, n_sizes;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *sizes = numbers(context, 1, &n_sizes), *axis = numbers(context, 2, &n);
  int64_t dims[TN_MOST_RANK], rest;
  int32_t at = input && axis && n == 1 ? tn_rule_axis(&context->rule, axis[0], input->rank) : -1;
  if (at < 0 || !sizes || n_sizes != context->rule.n_outputs || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  rest = dims[at];
  for (uint32_t i = 0; i < n_sizes; i++)
    rest -= MAX(sizes[i], (int64_t)0);
  for (uint32_t i = 0; i < n_sizes; i++) {
    dims[at] = sizes[i] >= 0 ? sizes[i] : input->dims[at] < 0 ? TN_DIM_UNKNOWN : rest;
    set(context, i, dims, input->rank);
  }
}

/* ---- a new dimension, or one less ------------------------------------------------------ */

/* Scalars and lists keep what is known of them. */
static void
pack_content(Context *context, int32_t axis)
{
  TnShapeValue *output = &context->rule.outputs[0];
  if (axis != 0 || !tn_value_add_content(output, context->rule.arena))
    return;
  uint32_t at = 0;
  for (uint32_t i = 0; i < context->rule.n_inputs; i++) {
    const TnShapeValue *input = tn_rule_input(&context->rule, i);
    int64_t n = tn_value_elements(input);
    for (int64_t k = 0; k < n && at < output->n; k++, at++)
      if (input->has_content)
        tn_value_copy_element(output, at, input, (uint32_t)k);
  }
}

static void
infer_pack(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  int64_t dims[TN_MOST_RANK];
  if (!input || input->rank >= TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(&context->rule, option(context, 1, 4, 0), input->rank + 1);
  if (axis < 0)
    return;
  for (int32_t i = 0; i <= input->rank; i++)
    dims[i] = i < axis ? input->dims[i] : i > axis ? input->dims[i - 1] : context->rule.n_inputs;
  set(context, 0, dims, input->rank + 1);
  if (tn_value_elements(input) >= 0)
    pack_content(context, axis);
}

static void
infer_unpack(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0, axis = -1;
  if (input)
    axis = tn_rule_axis(&context->rule, option(context, 1, 4, 0), input->rank);
  if (axis < 0 || input->rank > TN_MOST_RANK)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    if (i != axis)
      dims[rank++] = input->dims[i];
  for (uint32_t i = 0; i < context->rule.n_outputs; i++) {
    set(context, i, dims, rank);
    copy_part(context, i, input, i, 1);
  }
}

static void
infer_one_hot(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *depth = numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK], wanted = option(context, 0, 4, 0);
  if (!input || !depth || n != 1 || input->rank >= TN_MOST_RANK)
    return;
  int32_t axis =
      wanted == -1 ? input->rank : tn_rule_axis(&context->rule, wanted, input->rank + 1);
  for (int32_t i = 0; axis >= 0 && i <= input->rank; i++)
    dims[i] = i < axis ? input->dims[i] : i > axis ? input->dims[i - 1] : depth[0];
  if (axis >= 0)
    set(context, 0, dims, input->rank + 1);
}

static void
infer_topk(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *k = numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK];
  if (!input || !k || n != 1 || input->rank < 1 || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[input->rank - 1] = k[0];
  set(context, 0, dims, input->rank);
  set(context, 1, dims, input->rank);
}

/* ---- the table ------------------------------------------------------------------------- */

static const struct {
  const char *type;
  void (*infer)(Context *context);
} rules[] = {
    {"ABS", infer_same}, {"CEIL", infer_same}, {"COS", infer_same}, {"CUMSUM", infer_same},
    {"DEQUANTIZE", infer_same}, {"DYNAMIC_UPDATE_SLICE", infer_same}, {"ELU", infer_same},
    {"EXP", infer_same}, {"FAKE_QUANT", infer_same}, {"FLOOR", infer_same}, {"GELU", infer_same},
    {"HARD_SWISH", infer_same}, {"L2_NORMALIZATION", infer_same}, {"LEAKY_RELU", infer_same},
    {"LOCAL_RESPONSE_NORMALIZATION", infer_same}, {"LOG", infer_same}, {"LOGICAL_NOT", infer_same},
    {"LOGISTIC", infer_same}, {"LOG_SOFTMAX", infer_same}, {"NEG", infer_same},
    {"PRELU", infer_same}, {"QUANTIZE", infer_same}, {"RELU", infer_same}, {"RELU6", infer_same},
    {"RELU_0_TO_1", infer_same}, {"RELU_N1_TO_1", infer_same}, {"REVERSE_V2", infer_same},
    {"ROUND", infer_same}, {"RSQRT", infer_same}, {"SIGN", infer_same}, {"SIN", infer_same},
    {"SOFTMAX", infer_same}, {"SQRT", infer_same}, {"SQUARE", infer_same}, {"TANH", infer_same},
    {"ZEROS_LIKE", infer_same}, {"CAST", infer_cast},
    {"ADD", infer_add}, {"SUB", infer_sub}, {"MUL", infer_mul}, {"DIV", infer_div},
    {"MAXIMUM", infer_maximum}, {"MINIMUM", infer_minimum},
    {"ADD_N", infer_broadcast}, {"ATAN2", infer_broadcast}, {"EQUAL", infer_broadcast},
    {"FLOOR_DIV", infer_broadcast}, {"FLOOR_MOD", infer_floor_mod}, {"GREATER", infer_broadcast},
    {"GREATER_EQUAL", infer_broadcast}, {"LESS", infer_broadcast}, {"LESS_EQUAL", infer_broadcast},
    {"LOGICAL_AND", infer_broadcast}, {"LOGICAL_OR", infer_broadcast},
    {"NOT_EQUAL", infer_broadcast}, {"POW", infer_broadcast}, {"SELECT_V2", infer_broadcast},
    {"SQUARED_DIFFERENCE", infer_broadcast},
    {"CONCATENATION", infer_concatenation}, {"EXPAND_DIMS", infer_expand_dims},
    {"GATHER", infer_gather}, {"GATHER_ND", infer_gather_nd}, {"RANGE", infer_range},
    {"SHAPE", infer_shape}, {"SQUEEZE", infer_squeeze}, {"TILE", infer_tile},
    {"TRANSPOSE", infer_transpose}, {"ARG_MAX", infer_arg_max}, {"ARG_MIN", infer_arg_max},
    {"MEAN", infer_reduce}, {"SUM", infer_reduce}, {"REDUCE_MAX", infer_reduce},
    {"REDUCE_MIN", infer_reduce}, {"REDUCE_PROD", infer_reduce}, {"REDUCE_ANY", infer_reduce},
    {"REDUCE_ALL", infer_reduce},
    {"RESHAPE", infer_reshape}, {"FILL", infer_fill}, {"BROADCAST_TO", infer_broadcast_to},
    {"TRANSPOSE_CONV", infer_transpose_conv},
    {"CONV_2D", infer_conv}, {"DEPTHWISE_CONV_2D", infer_conv}, {"AVERAGE_POOL_2D", infer_pool},
    {"MAX_POOL_2D", infer_pool}, {"L2_POOL_2D", infer_pool}, {"RESIZE_BILINEAR", infer_resize},
    {"RESIZE_NEAREST_NEIGHBOR", infer_resize}, {"DEPTH_TO_SPACE", infer_depth_to_space},
    {"SPACE_TO_DEPTH", infer_space_to_depth}, {"SPACE_TO_BATCH_ND", infer_space_batch},
    {"BATCH_TO_SPACE_ND", infer_space_batch}, {"PAD", infer_pad}, {"PADV2", infer_pad},
    {"MIRROR_PAD", infer_pad},
    {"FULLY_CONNECTED", infer_fully_connected}, {"BATCH_MATMUL", infer_batch_matmul},
    {"SVDF", infer_svdf}, {"UNIDIRECTIONAL_SEQUENCE_LSTM", infer_lstm},
    {"EMBEDDING_LOOKUP", infer_embedding_lookup},
    {"SLICE", infer_slice}, {"STRIDED_SLICE", infer_strided_slice}, {"SPLIT", infer_split},
    {"SPLIT_V", infer_split_v}, {"PACK", infer_pack}, {"UNPACK", infer_unpack},
    {"ONE_HOT", infer_one_hot}, {"TOPK_V2", infer_topk},
};

bool
tn_tflite_rule_apply(TnTfliteRuleContext *context)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
    if (strcmp(context->rule.type, rules[i].type) == 0) {
      if (context->rule.n_outputs > 0)
        rules[i].infer(context);
      return true;
    }
  return false;
}
