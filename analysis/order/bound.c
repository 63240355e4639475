/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/bound.h"

#include "analysis/order/walker.h"

#include <string.h>

enum { MOST_REACH_BYTES = 512 * 1024 * 1024 };

/* ---- who comes before whom ------------------------------------------------------------- */

static void
join(uint64_t *into, const uint64_t *other, uint32_t other_op, uint32_t n_words)
{
  for (uint32_t w = 0; w < n_words; w++)
    into[w] |= other[w];
  tn_set_add(into, other_op);
}

/* Ops so that each comes after those that it needs. */
static uint32_t *
build_topological(const TnOrderModel *model)
{
  uint32_t *order = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *left = g_new(uint32_t, (gsize)model->n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < model->n; i++) {
    left[i] = model->before_first[i + 1] - model->before_first[i];
    if (left[i] == 0)
      order[n++] = i;
  }
  for (uint32_t at = 0; at < n; at++)
    for (uint32_t k = model->next_first[order[at]]; k < model->next_first[order[at] + 1]; k++)
      if (--left[model->next[k]] == 0)
        order[n++] = model->next[k];
  return order;
}

TnReach *
tn_reach_new(const TnOrderModel *model)
{
  gsize cells = (gsize)model->n * model->n_words;
  if (cells > MOST_REACH_BYTES / 16)
    return NULL;
  TnReach *reach = g_new0(TnReach, 1);
  g_autofree uint32_t *order = build_topological(model);
  uint32_t words = reach->n_words = model->n_words;
  reach->n = model->n;
  reach->before = g_new0(uint64_t, cells + 1);
  reach->after = g_new0(uint64_t, cells + 1);
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t i = order[p];
    for (uint32_t k = model->before_first[i]; k < model->before_first[i + 1]; k++)
      join(reach->before + (gsize)i * words, reach->before + (gsize)model->before[k] * words,
           model->before[k], words);
  }
  for (uint32_t p = model->n; p-- > 0;) {
    uint32_t i = order[p];
    for (uint32_t k = model->next_first[i]; k < model->next_first[i + 1]; k++)
      join(reach->after + (gsize)i * words, reach->after + (gsize)model->next[k] * words,
           model->next[k], words);
  }
  return reach;
}

void
tn_reach_free(TnReach *reach)
{
  if (!reach)
    return;
  g_free(reach->before);
  g_free(reach->after);
  g_free(reach);
}

/* ---- the bound ------------------------------------------------------------------------- */

typedef struct {
  const TnOrderModel *model;
  const TnReach *reach;
  tn_bytes *at;    /* by op: release-first: while it writes */
  tn_bytes *early; /* by op: release-first: while it reads */
} Bound;

/* Ops of `set` while which a buffer lives for certain. */
static void
add_to_all(tn_bytes *sums, const uint64_t *set, uint32_t n_words, tn_bytes bytes)
{
  for (uint32_t w = 0; w < n_words; w++)
    for (uint64_t bits = set[w]; bits; bits &= bits - 1)
      sums[w * 64 + (uint32_t)__builtin_ctzll(bits)] += bytes;
}

/* A buffer lives while an op runs that comes after its maker and before one of its readers; while a
 * reader itself runs, it lives to that op's end (kernel), or in its read tick (release-first). */
static void
add_buffer(Bound *bound, uint32_t b, uint64_t *readers_before, uint64_t *readers)
{
  const TnOrderModel *model = bound->model;
  uint32_t words = model->n_words, maker = model->maker[b];
  memset(readers_before, model->is_kept[b] ? 0xff : 0, sizeof(uint64_t) * words);
  memset(readers, 0, sizeof(uint64_t) * words);
  for (uint32_t k = model->reader_first[b]; k < model->reader_first[b + 1]; k++) {
    const uint64_t *before = bound->reach->before + (gsize)model->reader[k] * words;
    for (uint32_t w = 0; w < words; w++)
      readers_before[w] |= before[w];
    tn_set_add(readers, model->reader[k]);
  }
  for (uint32_t w = 0; w < words; w++) {
    uint64_t tail = w + 1 < words ? ~0ull : model->n % 64 ? (1ull << (model->n % 64)) - 1 : 0;
    uint64_t after = maker == TN_NONE ? tail : bound->reach->after[(gsize)maker * words + w];
    readers[w] = after & (readers[w] | readers_before[w]) & tail;
    readers_before[w] &= after & tail;
  }
  add_to_all(bound->at, model->is_kernel ? readers : readers_before, words, model->bytes[b]);
  if (!model->is_kernel)
    add_to_all(bound->early, readers, words, model->bytes[b]);
}

/* Whether every order has a reader of `buffer` after `op`: then `op` can't write over it. */
static bool
is_read_after(const Bound *bound, uint32_t op, uint32_t buffer)
{
  const TnOrderModel *model = bound->model;
  if (!bound->reach)
    return false;
  const uint64_t *after = bound->reach->after + (gsize)op * model->n_words;
  for (uint32_t k = model->reader_first[buffer]; k < model->reader_first[buffer + 1]; k++)
    if (tn_set_has(after, model->reader[k]))
      return true;
  return false;
}

/* The most that `op` may write in place: each output once that has an input to go over. */
static tn_bytes
most_in_place(const Bound *bound, uint32_t op)
{
  const TnOrderModel *model = bound->model;
  uint32_t first = model->pair_first[op], end = model->pair_first[op + 1];
  tn_bytes bytes = 0;
  for (uint32_t k = first; k < end; k++) {
    bool is_counted = is_read_after(bound, op, model->pair[k].input);
    for (uint32_t j = first; j < k && !is_counted; j++)
      is_counted = model->pair[j].output == model->pair[k].output &&
                   !is_read_after(bound, op, model->pair[j].input);
    if (!is_counted)
      bytes += model->bytes[model->pair[k].output];
  }
  return bytes;
}

/* Without reach: what an op reads, and what is kept from the start. */
static void
add_operands(Bound *bound)
{
  const TnOrderModel *model = bound->model;
  for (uint32_t i = 0; i < model->n; i++)
    for (uint32_t k = model->read_first[i]; k < model->read_first[i + 1]; k++)
      (model->is_kernel ? bound->at : bound->early)[i] += model->bytes[model->read[k]];
}

tn_bytes
tn_order_bound(const TnOrderModel *model, const TnReach *reach, tn_bytes *out_by_op)
{
  g_autofree tn_bytes *early = g_new0(tn_bytes, (gsize)model->n + 1);
  g_autofree uint64_t *sets = g_new(uint64_t, (gsize)model->n_words * 2);
  Bound bound = {model, reach, out_by_op, early};
  TnWalker walker;
  tn_walker_init(&walker, model);
  tn_bytes most = walker.live + model->first_only;
  tn_walker_clear(&walker);
  memset(out_by_op, 0, sizeof *out_by_op * model->n);
  for (uint32_t b = 0; reach && b < model->n_buffers; b++)
    add_buffer(&bound, b, sets, sets + model->n_words);
  if (!reach)
    add_operands(&bound);
  for (uint32_t i = 0; i < model->n; i++) {
    out_by_op[i] += model->base + model->made_bytes[i] + model->scratch[i];
    out_by_op[i] = model->is_kernel
                       ? out_by_op[i] - most_in_place(&bound, i)
                       : MAX(out_by_op[i], early[i] + model->base + model->early_scratch[i]);
    most = MAX(most, out_by_op[i]);
  }
  return most;
}
