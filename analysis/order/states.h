/* SPDX-License-Identifier: MIT */
/* The states of a search for an order: sets of ops that have run, each with the smallest peak with
 * which it was reached so far and the way there; and a heap of those that are still open. */
#pragma once

#include "analysis/order/model.h"

typedef struct {
  tn_bytes key; /* the smallest peak with which the set was reached */
  tn_bytes live;
  uint64_t hash;
  uint32_t parent; /* state, TN_NONE: the start */
  uint32_t n_done;
  uint32_t path;   /* the ops from the parent's set to this one: first in the table's paths … */
  uint32_t n_path; /* … and how many */
  bool is_closed;
} TnState;

typedef struct {
  uint32_t n, capacity, n_words;
  TnState *row;
  uint64_t *sets;  /* shape n * n_words */
  GArray *paths;   /* uint32_t */
  uint32_t *slots; /* hash table of rows */
  uint32_t n_slots;
} TnStates;

void tn_states_init(TnStates *states, uint32_t n_words);
void tn_states_clear(TnStates *states);

/* The row of a set (hash: of `set` with `extra` added, TN_NONE: as it is); TN_NONE: not there. */
uint32_t tn_states_find(const TnStates *states, const uint64_t *set, uint32_t extra, uint64_t hash);
/* Adds a row for the set, which must not be there; only its hash is filled. */
uint32_t tn_states_add(TnStates *states, const uint64_t *set, uint32_t extra, uint64_t hash);
/* The way from `parent` (TN_NONE: the start) to the row. */
void tn_states_set_path(
    TnStates *states, uint32_t row, uint32_t parent, const uint32_t *ops, uint32_t n_ops);
/* The ops from the start to the row, into `out_order`; returns how many. */
uint32_t tn_states_trace(const TnStates *states, uint32_t row, uint32_t *out_order);

static inline const uint64_t *
tn_states_set(const TnStates *states, uint32_t row)
{
  return states->sets + (gsize)row * states->n_words;
}

/* ---- the open states ----------------------------------------------------------------------- */

/* Smallest key first, then most ops done, then least alive, then the row added first. */
typedef struct {
  tn_bytes key, live;
  uint32_t n_done, row;
} TnOpen;

typedef struct {
  TnOpen *entry;
  gsize n, capacity;
} TnOpenHeap;

void tn_open_heap_push(TnOpenHeap *heap, TnOpen entry);
TnOpen tn_open_heap_pop(TnOpenHeap *heap); /* not empty */
void tn_open_heap_clear(TnOpenHeap *heap);
