/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/replay/free-set.h"

#include <string.h>

static inline bool
is_less(const TnFreeKey *a, TnFreeKey b)
{
  if (a->size != b.size)
    return a->size < b.size;
  return a->address != b.address ? a->address < b.address : a->block < b.block;
}

/* The first chunk whose last key is not less. */
static uint32_t
find_chunk(const TnFreeSet *set, TnFreeKey key)
{
  uint32_t low = 0, high = set->n_chunks;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const TnFreeChunk *chunk = set->chunks[middle];
    if (is_less(&chunk->keys[chunk->n - 1], key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t
find_key(const TnFreeChunk *chunk, TnFreeKey key)
{
  uint32_t low = 0, high = chunk->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (is_less(&chunk->keys[middle], key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static TnFreeCursor
find(const TnFreeSet *set, TnFreeKey key)
{
  uint32_t chunk = find_chunk(set, key);
  if (chunk == set->n_chunks)
    return (TnFreeCursor){chunk, 0};
  return (TnFreeCursor){chunk, find_key(set->chunks[chunk], key)};
}

TnFreeCursor
tn_free_set_find(const TnFreeSet *set, tn_bytes size, uint64_t address)
{
  return find(set, (TnFreeKey){size, address, 0});
}

static void
add_chunk(TnFreeSet *set, uint32_t at)
{
  if (set->n_chunks == set->capacity) {
    set->capacity = MAX(set->capacity * 2, 8u);
    set->chunks = g_renew(TnFreeChunk *, set->chunks, set->capacity);
  }
  memmove(set->chunks + at + 1, set->chunks + at, (set->n_chunks - at) * sizeof *set->chunks);
  set->chunks[at] = g_new(TnFreeChunk, 1);
  set->chunks[at]->n = 0;
  set->n_chunks++;
}

static void
split_chunk(TnFreeSet *set, uint32_t at)
{
  add_chunk(set, at + 1);
  TnFreeChunk *low = set->chunks[at], *high = set->chunks[at + 1];
  high->n = low->n / 2;
  low->n -= high->n;
  memcpy(high->keys, low->keys + low->n, high->n * sizeof *high->keys);
}

void
tn_free_set_insert(TnFreeSet *set, TnFreeKey key)
{
  uint32_t at = find_chunk(set, key);
  if (set->n_chunks == 0)
    add_chunk(set, 0);
  at = MIN(at, set->n_chunks - 1);
  if (set->chunks[at]->n == TN_FREE_CHUNK) {
    split_chunk(set, at);
    const TnFreeChunk *low = set->chunks[at];
    at += is_less(&low->keys[low->n - 1], key);
  }
  TnFreeChunk *chunk = set->chunks[at];
  uint32_t place = find_key(chunk, key);
  memmove(chunk->keys + place + 1, chunk->keys + place,
          (chunk->n - place) * sizeof *chunk->keys);
  chunk->keys[place] = key;
  chunk->n++;
  set->n++;
}

bool
tn_free_set_remove(TnFreeSet *set, TnFreeKey key)
{
  TnFreeCursor cursor = find(set, key);
  const TnFreeKey *found = tn_free_set_get(set, cursor);
  if (!found || found->size != key.size || found->address != key.address ||
      found->block != key.block)
    return false;
  TnFreeChunk *chunk = set->chunks[cursor.chunk];
  chunk->n--;
  set->n--;
  memmove(chunk->keys + cursor.at, chunk->keys + cursor.at + 1,
          (chunk->n - cursor.at) * sizeof *chunk->keys);
  if (chunk->n == 0) {
    g_free(chunk);
    set->n_chunks--;
    memmove(set->chunks + cursor.chunk, set->chunks + cursor.chunk + 1,
            (set->n_chunks - cursor.chunk) * sizeof *set->chunks);
  }
  return true;
}

bool
tn_free_set_step_back(const TnFreeSet *set, TnFreeCursor *cursor)
{
  if (cursor->at > 0) {
    cursor->at--;
    return true;
  }
  if (cursor->chunk == 0)
    return false;
  cursor->chunk--;
  cursor->at = set->chunks[cursor->chunk]->n - 1;
  return true;
}

void
tn_free_set_clear(TnFreeSet *set)
{
  for (uint32_t i = 0; i < set->n_chunks; i++)
    g_free(set->chunks[i]);
  g_free(set->chunks);
  *set = (TnFreeSet){0};
}
