/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/stacks.h"

#include <string.h>

/* Open addressing from a hash to a row + 1; the rows themselves stay with their owner. */
typedef struct {
  uint32_t *slots;
  uint32_t *hashes; /* by row */
  uint32_t n_slots, n_rows, row_capacity;
} Index;

struct TnStacks {
  GArray *frames; /* TnFrame */
  Index frame_index;
  GArray *first; /* uint32_t, one more than there are stacks */
  GArray *ids;   /* uint32_t frame ids, all stacks one after the other */
  Index stack_index;
};

static void
index_grow(Index *index)
{
  index->n_slots = MAX(64u, index->n_slots * 2);
  g_free(index->slots);
  index->slots = g_new0(uint32_t, index->n_slots);
  for (uint32_t row = 0; row < index->n_rows; row++) {
    uint32_t at = index->hashes[row] & (index->n_slots - 1);
    while (index->slots[at])
      at = (at + 1) & (index->n_slots - 1);
    index->slots[at] = row + 1;
  }
}

/* Adds row `n_rows` with this hash at the free slot `at`. */
static void
index_add(Index *index, uint32_t at, uint32_t hash)
{
  if (index->n_rows == index->row_capacity) {
    index->row_capacity = MAX(64u, index->row_capacity * 2);
    index->hashes = g_renew(uint32_t, index->hashes, index->row_capacity);
  }
  index->hashes[index->n_rows++] = hash;
  index->slots[at] = index->n_rows;
}

static void
index_clear(Index *index)
{
  g_free(index->slots);
  g_free(index->hashes);
}

static uint32_t
hash_words(const uint32_t *words, uint32_t n)
{
  uint64_t h = 0x9E3779B97F4A7C15u + n;
  for (uint32_t i = 0; i < n; i++) {
    h = (h ^ words[i]) * 0xFF51AFD7ED558CCDu;
    h ^= h >> 32;
  }
  return (uint32_t)h;
}

TnStacks *
tn_stacks_new(void)
{
  TnStacks *stacks = g_new0(TnStacks, 1);
  stacks->frames = g_array_new(FALSE, FALSE, sizeof(TnFrame));
  stacks->first = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  stacks->ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_set_size(stacks->first, 1);
  tn_stacks_intern(stacks, NULL, 0);
  return stacks;
}

void
tn_stacks_free(TnStacks *stacks)
{
  if (!stacks)
    return;
  g_array_unref(stacks->frames);
  g_array_unref(stacks->first);
  g_array_unref(stacks->ids);
  index_clear(&stacks->frame_index);
  index_clear(&stacks->stack_index);
  g_free(stacks);
}

uint32_t
tn_stacks_intern_frame(TnStacks *stacks, TnFrame frame)
{
  Index *index = &stacks->frame_index;
  uint32_t words[3] = {frame.name, frame.file, (uint32_t)frame.line};
  uint32_t hash = hash_words(words, 3);
  if (index->n_rows * 2 >= index->n_slots)
    index_grow(index);
  uint32_t at = hash & (index->n_slots - 1);
  for (; index->slots[at]; at = (at + 1) & (index->n_slots - 1)) {
    TnFrame had = g_array_index(stacks->frames, TnFrame, index->slots[at] - 1);
    if (had.name == frame.name && had.file == frame.file && had.line == frame.line)
      return index->slots[at] - 1;
  }
  index_add(index, at, hash);
  g_array_append_val(stacks->frames, frame);
  return stacks->frames->len - 1;
}

uint32_t
tn_stacks_intern(TnStacks *stacks, const uint32_t *frames, uint32_t n)
{
  Index *index = &stacks->stack_index;
  uint32_t hash = hash_words(frames, n);
  if (index->n_rows * 2 >= index->n_slots)
    index_grow(index);
  uint32_t at = hash & (index->n_slots - 1);
  for (; index->slots[at]; at = (at + 1) & (index->n_slots - 1)) {
    uint32_t had_n, stack = index->slots[at] - 1;
    const uint32_t *had = tn_stacks_get(stacks, stack, &had_n);
    if (index->hashes[stack] == hash && had_n == n &&
        (n == 0 || memcmp(had, frames, n * sizeof *frames) == 0))
      return stack;
  }
  index_add(index, at, hash);
  if (n)
    g_array_append_vals(stacks->ids, frames, n);
  uint32_t end = stacks->ids->len;
  g_array_append_val(stacks->first, end);
  return index->n_rows - 1;
}

const uint32_t *
tn_stacks_get(const TnStacks *stacks, uint32_t stack, uint32_t *out_n)
{
  if (stack + 1 >= stacks->first->len || stack == TN_NONE) {
    *out_n = 0;
    return NULL;
  }
  uint32_t from = g_array_index(stacks->first, uint32_t, stack);
  *out_n = g_array_index(stacks->first, uint32_t, stack + 1) - from;
  return *out_n ? (const uint32_t *)(void *)stacks->ids->data + from : NULL;
}

TnFrame
tn_stacks_frame(const TnStacks *stacks, uint32_t frame)
{
  if (frame >= stacks->frames->len)
    return (TnFrame){0};
  return g_array_index(stacks->frames, TnFrame, frame);
}

uint32_t
tn_stacks_count(const TnStacks *stacks)
{
  return stacks->stack_index.n_rows;
}

uint32_t
tn_stacks_frame_count(const TnStacks *stacks)
{
  return stacks->frames->len;
}
