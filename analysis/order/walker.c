/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/walker.h"

#include "data/hash.h"

#include <string.h>

uint64_t
tn_walker_op_hash(uint32_t op)
{
  return tn_mix64((op + 1ull) * 0x9e3779b97f4a7c15ull);
}

void
tn_walker_reset(TnWalker *walker)
{
  const TnOrderModel *model = walker->model;
  memset(walker->done, 0, sizeof(uint64_t) * model->n_words);
  memset(walker->ready, 0, sizeof(uint64_t) * model->n_words);
  walker->hash = 0;
  walker->n_done = 0;
  walker->live = model->base;
  for (uint32_t i = 0; i < model->n; i++) {
    walker->before_left[i] = model->before_first[i + 1] - model->before_first[i];
    if (walker->before_left[i] == 0)
      tn_set_add(walker->ready, i);
  }
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    walker->readers_left[b] = model->reader_first[b + 1] - model->reader_first[b];
    if (model->maker[b] == TN_NONE && (model->is_kept[b] || walker->readers_left[b] > 0))
      walker->live += model->bytes[b];
  }
}

void
tn_walker_init(TnWalker *walker, const TnOrderModel *model)
{
  walker->model = model;
  walker->done = g_new(uint64_t, model->n_words);
  walker->ready = g_new(uint64_t, model->n_words);
  walker->before_left = g_new(uint32_t, (gsize)model->n + 1);
  walker->readers_left = g_new(uint32_t, (gsize)model->n_buffers + 1);
  tn_walker_reset(walker);
}

void
tn_walker_clear(TnWalker *walker)
{
  g_free(walker->done);
  g_free(walker->ready);
  g_free(walker->before_left);
  g_free(walker->readers_left);
}

/* Buffers that end with `op`, which reads them last. */
static tn_bytes
dying(const TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  tn_bytes bytes = 0;
  for (uint32_t k = model->read_first[op]; k < model->read_first[op + 1]; k++) {
    uint32_t b = model->read[k];
    if (walker->readers_left[b] == 1 && !model->is_kept[b])
      bytes += model->bytes[b];
  }
  return bytes;
}

/* What `op` writes over inputs that it reads last: each input taken once, each output once. */
static tn_bytes
in_place(const TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  uint32_t first = model->pair_first[op], n = model->pair_first[op + 1] - first;
  uint64_t taken = 0;
  tn_bytes bytes = 0;
  for (uint32_t k = 0; k < MIN(n, 64u); k++) {
    TnOrderPair pair = model->pair[first + k];
    bool is_free = walker->readers_left[pair.input] == 1;
    for (uint32_t j = 0; j < k && is_free; j++)
      if (taken >> j & 1)
        is_free = model->pair[first + j].input != pair.input &&
                  model->pair[first + j].output != pair.output;
    if (!is_free)
      continue;
    taken |= 1ull << k;
    bytes += model->bytes[pair.output];
  }
  return bytes;
}

tn_bytes
tn_walker_net(const TnWalker *walker, uint32_t op)
{
  return walker->model->lasting_bytes[op] - dying(walker, op);
}

tn_bytes
tn_walker_past_read(const TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  tn_bytes first = walker->n_done == 0 ? model->first_only : 0;
  tn_bytes held = walker->live + model->made_bytes[op] + model->scratch[op] + first;
  if (model->is_kernel)
    return held - (model->pair_first[op + 1] > model->pair_first[op] ? in_place(walker, op) : 0);
  return held - dying(walker, op);
}

tn_bytes
tn_walker_during(const TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  tn_bytes first = walker->n_done == 0 ? model->first_only : 0;
  tn_bytes held = tn_walker_past_read(walker, op);
  return model->is_kernel ? held : MAX(walker->live + model->early_scratch[op] + first, held);
}

void
tn_walker_run(TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  walker->live += model->lasting_bytes[op];
  for (uint32_t k = model->read_first[op]; k < model->read_first[op + 1]; k++) {
    uint32_t b = model->read[k];
    if (--walker->readers_left[b] == 0 && !model->is_kept[b])
      walker->live -= model->bytes[b];
  }
  for (uint32_t k = model->next_first[op]; k < model->next_first[op + 1]; k++)
    /* On the way to another set an op may already be in before one that it waits for. */
    if (--walker->before_left[model->next[k]] == 0 && !tn_set_has(walker->done, model->next[k]))
      walker->ready[model->next[k] / 64] |= 1ull << (model->next[k] % 64);
  walker->ready[op / 64] &= ~(1ull << (op % 64));
  walker->done[op / 64] |= 1ull << (op % 64);
  walker->hash ^= tn_walker_op_hash(op);
  walker->n_done++;
}

/* Undoing in any order is right: counts and sums only depend on the set. */
void
tn_walker_undo(TnWalker *walker, uint32_t op)
{
  const TnOrderModel *model = walker->model;
  walker->live -= model->lasting_bytes[op];
  for (uint32_t k = model->read_first[op]; k < model->read_first[op + 1]; k++) {
    uint32_t b = model->read[k];
    if (walker->readers_left[b]++ == 0 && !model->is_kept[b])
      walker->live += model->bytes[b];
  }
  for (uint32_t k = model->next_first[op]; k < model->next_first[op + 1]; k++)
    if (walker->before_left[model->next[k]]++ == 0)
      walker->ready[model->next[k] / 64] &= ~(1ull << (model->next[k] % 64));
  walker->done[op / 64] &= ~(1ull << (op % 64));
  if (walker->before_left[op] == 0)
    walker->ready[op / 64] |= 1ull << (op % 64);
  walker->hash ^= tn_walker_op_hash(op);
  walker->n_done--;
}

void
tn_walker_go_to(TnWalker *walker, const uint64_t *done)
{
  for (uint32_t w = 0; w < walker->model->n_words; w++)
    for (uint64_t out = walker->done[w] & ~done[w]; out; out &= out - 1)
      tn_walker_undo(walker, w * 64 + (uint32_t)__builtin_ctzll(out));
  for (uint32_t w = 0; w < walker->model->n_words; w++)
    for (uint64_t in = done[w] & ~walker->done[w]; in; in &= in - 1)
      tn_walker_run(walker, w * 64 + (uint32_t)__builtin_ctzll(in));
}

uint32_t
tn_walker_list_ready(const TnWalker *walker, uint32_t *out_ops)
{
  uint32_t n = 0;
  for (uint32_t w = 0; w < walker->model->n_words; w++)
    for (uint64_t set = walker->ready[w]; set; set &= set - 1)
      out_ops[n++] = w * 64 + (uint32_t)__builtin_ctzll(set);
  return n;
}

tn_bytes
tn_order_model_peak(const TnOrderModel *model, const uint32_t *order)
{
  TnWalker walker;
  tn_bytes peak = 0;
  tn_walker_init(&walker, model);
  peak = model->n == 0 ? walker.live : 0;
  for (uint32_t i = 0; i < model->n; i++) {
    peak = MAX(peak, tn_walker_during(&walker, order[i]));
    tn_walker_run(&walker, order[i]);
  }
  tn_walker_clear(&walker);
  return peak;
}
