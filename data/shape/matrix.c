/* SPDX-License-Identifier: MIT */
/* Products of matrices. */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

/* numpy.matmul: (…, m, k) × (…, k, n) → (…, m, n); a vector has its missing dimension for the
 * product only.  `flip_a`, `flip_b`: the last two dimensions are swapped. */
static void
set_product(TnRuleContext *context, const TnShapeValue *a, const TnShapeValue *b, bool flip_a,
            bool flip_b, TnDtype dtype)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, dtype);
  if (!a || !b || a->rank < 1 || b->rank < 1 || a->rank > TN_MOST_RANK || b->rank > TN_MOST_RANK)
    return;
  TnShapeValue batch_a = *a, batch_b = *b;
  batch_a.rank = MAX(a->rank - 2, 0);
  batch_b.rank = MAX(b->rank - 2, 0);
  if (!tn_rule_broadcast(context, dims, &rank, &batch_a) ||
      !tn_rule_broadcast(context, dims, &rank, &batch_b))
    return;
  int64_t inner_a = a->dims[a->rank - (flip_a && a->rank > 1 ? 2 : 1)];
  int64_t inner_b = b->dims[b->rank - (flip_b || b->rank < 2 ? 1 : 2)];
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    tn_rule_lose(context, "matrices whose inner dimensions differ");
    return;
  }
  if (a->rank > 1)
    dims[rank++] = a->dims[a->rank - (flip_a ? 1 : 2)];
  if (b->rank > 1)
    dims[rank++] = b->dims[b->rank - (flip_b ? 2 : 1)];
  tn_rule_set(context, 0, dtype, dims, rank);
}

static void
infer_matmul(TnRuleContext *context)
{
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 1), false, false,
              tn_rule_dtype(context, 0));
}

static void
infer_matmul_integer(TnRuleContext *context)
{
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 1), false, false,
              TN_DTYPE_INT32);
}

static void
infer_matmul_integer_to_float(TnRuleContext *context)
{
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 1), false, false,
              tn_rule_dtype(context, 2));
}

static void
infer_dynamic_matmul(TnRuleContext *context)
{
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 1), false, false,
              TN_DTYPE_FLOAT32);
}

static void
infer_qlinear_matmul(TnRuleContext *context)
{
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 3), false, false,
              tn_rule_dtype(context, 7));
}

static void
infer_fused_matmul(TnRuleContext *context)
{
  if (tn_rule_int(context, "transBatchA", 0) || tn_rule_int(context, "transBatchB", 0)) {
    tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
    tn_rule_lose(context, "FusedMatMul with transposed batches is not computed");
    return;
  }
  set_product(context, tn_rule_ranked(context, 0), tn_rule_ranked(context, 1),
              tn_rule_int(context, "transA", 0) != 0, tn_rule_int(context, "transB", 0) != 0,
              tn_rule_dtype(context, 0));
}

static void
infer_gemm(TnRuleContext *context)
{
  const TnShapeValue *a = tn_rule_ranked(context, 0), *b = tn_rule_ranked(context, 1);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!a || !b)
    return;
  if (a->rank != 2 || b->rank != 2) {
    tn_rule_lose(context, "Gemm of something that is no matrix");
    return;
  }
  set_product(context, a, b, tn_rule_int(context, "transA", 0) != 0,
              tn_rule_int(context, "transB", 0) != 0, tn_rule_dtype(context, 0));
}

static void
infer_det(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (input && input->rank >= 2)
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), input->dims, input->rank - 2);
}

/* ---- Einsum ---------------------------------------------------------------------------- */

/* Sizes of the letters of an equation; the dots stand for one broadcast shape. */
typedef struct {
  int64_t size[128];
  uint32_t count[128];
  int64_t dots[TN_MOST_RANK];
  int32_t n_dots;
} Letters;

static bool
add_term(TnRuleContext *context, Letters *letters, const char *term, gsize length,
         const TnShapeValue *input)
{
  int32_t named = 0, at = 0;
  for (gsize i = 0; i < length; i++)
    named += term[i] != '.';
  const char *ellipsis = memchr(term, '.', length);
  int32_t dots = ellipsis ? input->rank - named : 0;
  if (dots < 0 || named + dots != input->rank)
    return false;
  if (ellipsis && (gsize)named + 3 != length) /* one of three dots */
    return false;
  for (gsize i = 0; i < length; i++) {
    if (term[i] == '.') {
      TnShapeValue batch = {.rank = dots, .dims = input->dims + at};
      if (!tn_rule_broadcast(context, letters->dots, &letters->n_dots, &batch))
        return false;
      at += dots;
      i += 2;
      continue;
    }
    int64_t *size = &letters->size[(unsigned char)term[i] & 127];
    int64_t dim = input->dims[at++];
    letters->count[(unsigned char)term[i] & 127]++;
    if (*size == 0 || *size == 1 || *size == TN_DIM_UNKNOWN)
      *size = dim;
  }
  return true;
}

static void
set_einsum(TnRuleContext *context, const Letters *letters, const char *result)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  for (const char *at = result; *at && rank < TN_MOST_RANK; at++) {
    if (*at == '.') {
      for (int32_t i = 0; i < letters->n_dots && rank < TN_MOST_RANK; i++)
        dims[rank++] = letters->dots[i];
      at += at[1] == '.' ? 1 + (at[2] == '.') : 0;
    } else
      dims[rank++] = letters->count[(unsigned char)*at & 127] ? letters->size[(unsigned char)*at & 127]
                                                              : TN_DIM_UNKNOWN;
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

static void
infer_einsum(TnRuleContext *context)
{
  Letters letters = {0};
  g_autofree char *equation = g_strdup(tn_rule_text(context, "equation", ""));
  gsize n = 0;
  for (char *at = equation; *at; at++)
    if (*at != ' ')
      equation[n++] = *at;
  equation[n] = '\0';
  char *arrow = strstr(equation, "->");
  g_auto(GStrv) terms = g_strsplit(equation, arrow ? "->" : "\n", 2);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  g_auto(GStrv) operands = g_strsplit(terms[0] ? terms[0] : "", ",", -1);
  if (g_strv_length(operands) != context->n_inputs)
    return;
  for (uint32_t i = 0; i < context->n_inputs; i++) {
    const TnShapeValue *input = tn_rule_ranked(context, i);
    if (!input || !add_term(context, &letters, operands[i], strlen(operands[i]), input))
      return;
  }
  char implied[132];
  gsize k = 0;
  if (letters.n_dots)
    k = g_strlcpy(implied, "...", sizeof implied);
  for (int c = 0; c < 128; c++) /* without an arrow: letters that occur once, in their order */
    if (letters.count[c] == 1 && k < sizeof implied - 1)
      implied[k++] = (char)c;
  implied[k] = '\0';
  set_einsum(context, &letters, arrow ? terms[1] : implied);
}

const TnRule tn_rules_matrix[] = {
    {"", "MatMul", infer_matmul, NULL},
    {"", "MatMulInteger", infer_matmul_integer, NULL},
    {"", "QLinearMatMul", infer_qlinear_matmul, NULL},
    {"", "Gemm", infer_gemm, NULL},
    {"", "Det", infer_det, NULL},
    {"", "Einsum", infer_einsum, NULL},
    {"com.microsoft", "FusedMatMul", infer_fused_matmul, NULL},
    {"com.microsoft", "TransposeMatMul", infer_fused_matmul, NULL},
    {"com.microsoft", "MatMulIntegerToFloat", infer_matmul_integer_to_float, NULL},
    {"com.microsoft", "DynamicQuantizeMatMul", infer_dynamic_matmul, NULL},
    {NULL, NULL, NULL, NULL},
};
