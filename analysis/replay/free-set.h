/* SPDX-License-Identifier: MIT */
/* Free blocks in the order of (size, address), as best fit wants them (where settings differ from the
 * recorded ones, two segments may claim one recorded address: then the block's row decides): sorted
 * chunks of up to 64 keys, so that a search is two binary ones and a change moves a few cache
 * lines. */
#pragma once

#include "data/types.h"

#define TN_FREE_CHUNK 64

typedef struct {
  tn_bytes size;
  uint64_t address;
  uint32_t block; /* the owner's row */
} TnFreeKey;

typedef struct {
  uint32_t n;
  TnFreeKey keys[TN_FREE_CHUNK];
} TnFreeChunk;

typedef struct {
  TnFreeChunk **chunks; /* none empty */
  uint32_t n_chunks, capacity, n;
} TnFreeSet;

/* A place in a set; ends where chunk == n_chunks.  Any change of the set ends its meaning. */
typedef struct {
  uint32_t chunk, at;
} TnFreeCursor;

void tn_free_set_clear(TnFreeSet *set);
/* O(log n + chunk + number of chunks moved). */
void tn_free_set_insert(TnFreeSet *set, TnFreeKey key);
/* Whether the key was there. */
bool tn_free_set_remove(TnFreeSet *set, TnFreeKey key);
/* The first key >= (size, address).  O(log n). */
TnFreeCursor tn_free_set_find(const TnFreeSet *set, tn_bytes size, uint64_t address);
/* The key before the cursor; false at the begin. */
bool tn_free_set_step_back(const TnFreeSet *set, TnFreeCursor *cursor);

static inline TnFreeCursor
tn_free_set_first(const TnFreeSet *set)
{
  return (TnFreeCursor){0, 0};
}

/* NULL at the end. */
static inline const TnFreeKey *
tn_free_set_get(const TnFreeSet *set, TnFreeCursor cursor)
{
  return cursor.chunk < set->n_chunks ? &set->chunks[cursor.chunk]->keys[cursor.at] : NULL;
}

static inline void
tn_free_set_step(const TnFreeSet *set, TnFreeCursor *cursor)
{
  if (++cursor->at >= set->chunks[cursor->chunk]->n)
    *cursor = (TnFreeCursor){cursor->chunk + 1, 0};
}

/* The largest size, 0 where the set is empty. */
static inline tn_bytes
tn_free_set_largest(const TnFreeSet *set)
{
  const TnFreeChunk *last = set->n_chunks ? set->chunks[set->n_chunks - 1] : NULL;
  return last ? last->keys[last->n - 1].size : 0;
}
