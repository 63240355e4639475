/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/states.h"

#include <string.h>

static void
fill_slots(TnStates *states, uint32_t n_slots)
{
  states->n_slots = n_slots;
  states->slots = g_realloc_n(states->slots, n_slots, sizeof(uint32_t));
  memset(states->slots, 0xff, sizeof(uint32_t) * n_slots);
  for (uint32_t i = 0; i < states->n; i++) {
    uint32_t at = (uint32_t)(states->row[i].hash >> 32) & (n_slots - 1);
    while (states->slots[at] != TN_NONE)
      at = (at + 1) & (n_slots - 1);
    states->slots[at] = i;
  }
}

void
tn_states_init(TnStates *states, uint32_t n_words)
{
  *states = (TnStates){.n_words = n_words};
  states->paths = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  fill_slots(states, 1024);
}

void
tn_states_clear(TnStates *states)
{
  g_free(states->row);
  g_free(states->sets);
  g_free(states->slots);
  g_array_unref(states->paths);
}

static bool
is_same_set(const uint64_t *a, const uint64_t *b, uint32_t extra, uint32_t n_words)
{
  for (uint32_t w = 0; w < n_words; w++) {
    uint64_t more = extra != TN_NONE && extra / 64 == w ? 1ull << (extra % 64) : 0;
    if (a[w] != (b[w] | more))
      return false;
  }
  return true;
}

uint32_t
tn_states_find(const TnStates *states, const uint64_t *set, uint32_t extra, uint64_t hash)
{
  uint32_t mask = states->n_slots - 1;
  for (uint32_t at = (uint32_t)(hash >> 32) & mask; states->slots[at] != TN_NONE;
       at = (at + 1) & mask) {
    uint32_t row = states->slots[at];
    if (states->row[row].hash == hash &&
        is_same_set(tn_states_set(states, row), set, extra, states->n_words))
      return row;
  }
  return TN_NONE;
}

uint32_t
tn_states_add(TnStates *states, const uint64_t *set, uint32_t extra, uint64_t hash)
{
  uint32_t row = states->n;
  if (row == states->capacity) {
    states->capacity = MAX(states->capacity * 2, 256u);
    states->row = g_realloc_n(states->row, states->capacity, sizeof(TnState));
    states->sets =
        g_realloc_n(states->sets, (gsize)states->capacity * states->n_words, sizeof(uint64_t));
  }
  uint64_t *own = states->sets + (gsize)row * states->n_words;
  memcpy(own, set, sizeof *own * states->n_words);
  if (extra != TN_NONE)
    tn_set_add(own, extra);
  states->row[row] = (TnState){.hash = hash, .parent = TN_NONE};
  states->n++;
  if (states->n > states->n_slots / 2) {
    fill_slots(states, states->n_slots * 2);
    return row;
  }
  uint32_t at = (uint32_t)(hash >> 32) & (states->n_slots - 1);
  while (states->slots[at] != TN_NONE)
    at = (at + 1) & (states->n_slots - 1);
  states->slots[at] = row;
  return row;
}

void
tn_states_set_path(
    TnStates *states, uint32_t row, uint32_t parent, const uint32_t *ops, uint32_t n_ops)
{
  states->row[row].parent = parent;
  states->row[row].path = states->paths->len;
  states->row[row].n_path = n_ops;
  g_array_append_vals(states->paths, ops, n_ops);
}

uint32_t
tn_states_trace(const TnStates *states, uint32_t row, uint32_t *out_order)
{
  uint32_t n = states->row[row].n_done, at = n;
  for (; row != TN_NONE; row = states->row[row].parent) {
    const TnState *state = &states->row[row];
    at -= state->n_path;
    memcpy(out_order + at, (uint32_t *)(void *)states->paths->data + state->path,
           sizeof(uint32_t) * state->n_path);
  }
  return n;
}

/* ---- the open states ----------------------------------------------------------------------- */

static bool
comes_first(const TnOpen *a, const TnOpen *b)
{
  if (a->key != b->key)
    return a->key < b->key;
  if (a->n_done != b->n_done)
    return a->n_done > b->n_done;
  if (a->live != b->live)
    return a->live < b->live;
  return a->row < b->row;
}

void
tn_open_heap_push(TnOpenHeap *heap, TnOpen entry)
{
  if (heap->n == heap->capacity) {
    heap->capacity = MAX(heap->capacity * 2, (gsize)256);
    heap->entry = g_realloc_n(heap->entry, heap->capacity, sizeof(TnOpen));
  }
  gsize at = heap->n++;
  while (at > 0 && comes_first(&entry, &heap->entry[(at - 1) / 2])) {
    heap->entry[at] = heap->entry[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->entry[at] = entry;
}

TnOpen
tn_open_heap_pop(TnOpenHeap *heap)
{
  TnOpen top = heap->entry[0], last = heap->entry[--heap->n];
  gsize at = 0;
  for (;;) {
    gsize child = 2 * at + 1;
    if (child >= heap->n)
      break;
    if (child + 1 < heap->n && comes_first(&heap->entry[child + 1], &heap->entry[child]))
      child++;
    if (!comes_first(&heap->entry[child], &last))
      break;
    heap->entry[at] = heap->entry[child];
    at = child;
  }
  if (heap->n > 0)
    heap->entry[at] = last;
  return top;
}

void
tn_open_heap_clear(TnOpenHeap *heap)
{
  g_free(heap->entry);
  *heap = (TnOpenHeap){0};
}
