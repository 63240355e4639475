/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/draft.h"

#include <stdlib.h>
#include <string.h>

struct TnOrderDraft {
  TnOrderModel *model;
  GArray *edges, *reads, *makes; /* uint64_t: row << 32 | what */
  GArray *buffers;               /* tn_bytes */
  GArray *makers;                /* uint32_t */
  GArray *kept;                  /* bool */
  GArray *tensors;               /* uint32_t */
  GArray *pairs;                 /* TnOrderPair */
  GArray *pair_ops;              /* uint32_t */
};

TnOrderDraft *
tn_order_draft_new(uint32_t n_ops, bool is_kernel)
{
  TnOrderDraft *draft = g_new0(TnOrderDraft, 1);
  TnOrderModel *model = draft->model = g_new0(TnOrderModel, 1);
  gsize n = (gsize)n_ops + 1;
  model->n = n_ops;
  model->n_words = n_ops / 64 + 1;
  model->is_kernel = is_kernel;
  model->made_bytes = g_new0(tn_bytes, n);
  model->lasting_bytes = g_new0(tn_bytes, n);
  model->scratch = g_new0(tn_bytes, n);
  model->early_scratch = g_new0(tn_bytes, n);
  model->seconds = g_new(double, n);
  model->origin = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n_ops; i++)
    tn_order_draft_set_op(draft, i, i, -1, 0, 0);
  draft->edges = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  draft->reads = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  draft->makes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  draft->buffers = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  draft->makers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  draft->kept = g_array_new(FALSE, FALSE, sizeof(bool));
  draft->tensors = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  draft->pairs = g_array_new(FALSE, FALSE, sizeof(TnOrderPair));
  draft->pair_ops = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  return draft;
}

void
tn_order_draft_set_op(TnOrderDraft *draft,
                      uint32_t op,
                      uint32_t origin,
                      double seconds,
                      tn_bytes scratch,
                      tn_bytes early_scratch)
{
  draft->model->origin[op] = origin;
  draft->model->seconds[op] = seconds;
  draft->model->scratch[op] = scratch;
  draft->model->early_scratch[op] = early_scratch;
}

void
tn_order_draft_add_base(TnOrderDraft *draft, tn_bytes base, tn_bytes first_only)
{
  draft->model->base += base;
  draft->model->first_only += first_only;
}

static void
add_pair_of(GArray *list, uint32_t row, uint32_t what)
{
  uint64_t value = (uint64_t)row << 32 | what;
  g_array_append_val(list, value);
}

uint32_t
tn_order_draft_add_buffer(TnOrderDraft *draft, tn_bytes bytes, uint32_t maker, bool is_kept)
{
  uint32_t row = draft->buffers->len;
  g_array_append_val(draft->buffers, bytes);
  g_array_append_val(draft->makers, maker);
  g_array_append_val(draft->kept, is_kept);
  uint32_t tensor = TN_NONE;
  g_array_append_val(draft->tensors, tensor);
  if (maker != TN_NONE)
    add_pair_of(draft->makes, maker, row);
  return row;
}

void
tn_order_draft_set_tensor(TnOrderDraft *draft, uint32_t buffer, uint32_t tensor)
{
  g_array_index(draft->tensors, uint32_t, buffer) = tensor;
}

void
tn_order_draft_add_edge(TnOrderDraft *draft, uint32_t before, uint32_t after)
{
  if (before != after)
    add_pair_of(draft->edges, before, after);
}

void
tn_order_draft_add_read(TnOrderDraft *draft, uint32_t op, uint32_t buffer)
{
  add_pair_of(draft->reads, op, buffer);
}

void
tn_order_draft_add_pair(TnOrderDraft *draft, uint32_t op, uint32_t output, uint32_t input)
{
  TnOrderPair pair = {output, input};
  g_array_append_val(draft->pairs, pair);
  g_array_append_val(draft->pair_ops, op);
}

/* ---- flat lists ------------------------------------------------------------------------ */

static int
compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void
sort_once_each(GArray *list)
{
  uint64_t *values = (uint64_t *)(void *)list->data;
  guint n = 0;
  if (list->len > 1)
    qsort(values, list->len, sizeof *values, compare);
  for (guint i = 0; i < list->len; i++)
    if (i == 0 || values[i] != values[i - 1])
      values[n++] = values[i];
  g_array_set_size(list, n);
}

/* Lists by the pairs' row, or (is_turned) by what stands in it; each ascending. */
static void
build_lists(
    const GArray *list, uint32_t n_rows, bool is_turned, uint32_t **out_first, uint32_t **out_items)
{
  uint32_t *first = *out_first = g_new0(uint32_t, (gsize)n_rows + 2);
  uint32_t *items = *out_items = g_new(uint32_t, (gsize)list->len + 1);
  for (guint i = 0; i < list->len; i++) {
    uint64_t value = g_array_index(list, uint64_t, i);
    first[(is_turned ? (uint32_t)value : (uint32_t)(value >> 32)) + 2]++;
  }
  for (uint32_t i = 0; i < n_rows; i++)
    first[i + 2] += first[i + 1];
  for (guint i = 0; i < list->len; i++) {
    uint64_t value = g_array_index(list, uint64_t, i);
    uint32_t row = (uint32_t)(value >> 32), what = (uint32_t)value;
    items[first[(is_turned ? what : row) + 1]++] = is_turned ? row : what;
  }
}

static void
build_pairs(TnOrderDraft *draft, TnOrderModel *model)
{
  uint32_t *at = g_new0(uint32_t, (gsize)model->n + 2);
  model->pair = g_new(TnOrderPair, (gsize)draft->pairs->len + 1);
  for (guint i = 0; i < draft->pairs->len; i++)
    at[g_array_index(draft->pair_ops, uint32_t, i) + 2]++;
  for (uint32_t i = 0; i < model->n; i++)
    at[i + 2] += at[i + 1];
  for (guint i = 0; i < draft->pairs->len; i++)
    model->pair[at[g_array_index(draft->pair_ops, uint32_t, i) + 1]++] =
        g_array_index(draft->pairs, TnOrderPair, i);
  model->pair_first = at;
}

static void
sum_made(TnOrderModel *model)
{
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    bool lasts = model->is_kept[b] || model->reader_first[b + 1] > model->reader_first[b];
    uint32_t maker = model->maker[b];
    if (maker != TN_NONE)
      model->made_bytes[maker] += model->bytes[b];
    if (maker != TN_NONE && lasts)
      model->lasting_bytes[maker] += model->bytes[b];
  }
}

TnOrderModel *
tn_order_draft_finish(TnOrderDraft *draft)
{
  TnOrderModel *model = draft->model;
  model->n_buffers = draft->buffers->len;
  sort_once_each(draft->edges);
  sort_once_each(draft->reads);
  build_lists(draft->edges, model->n, false, &model->next_first, &model->next);
  build_lists(draft->edges, model->n, true, &model->before_first, &model->before);
  build_lists(draft->reads, model->n, false, &model->read_first, &model->read);
  build_lists(draft->reads, model->n_buffers, true, &model->reader_first, &model->reader);
  sort_once_each(draft->makes);
  build_lists(draft->makes, model->n, false, &model->made_first, &model->made);
  build_pairs(draft, model);
  model->bytes = (tn_bytes *)(void *)g_array_free(draft->buffers, FALSE);
  model->maker = (uint32_t *)(void *)g_array_free(draft->makers, FALSE);
  model->is_kept = (bool *)g_array_free(draft->kept, FALSE);
  model->tensor = (uint32_t *)(void *)g_array_free(draft->tensors, FALSE);
  sum_made(model);
  g_array_unref(draft->edges);
  g_array_unref(draft->reads);
  g_array_unref(draft->makes);
  g_array_unref(draft->pairs);
  g_array_unref(draft->pair_ops);
  g_free(draft);
  return model;
}

void
tn_order_model_free(TnOrderModel *model)
{
  if (!model)
    return;
  void *const columns[] = {
      model->next_first,   model->next,          model->before_first, model->before,
      model->read_first,   model->read,          model->made_first,   model->made,
      model->pair_first,   model->pair,          model->made_bytes,   model->lasting_bytes,
      model->scratch,      model->early_scratch, model->seconds,      model->origin,
      model->bytes,        model->maker,         model->is_kept,      model->tensor,
      model->reader_first, model->reader};
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++)
    g_free(columns[i]);
  g_free(model);
}
