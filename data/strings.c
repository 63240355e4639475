/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/strings.h"

#include <string.h>

#define CHUNK_BYTES (64 * 1024)

struct TnStrings {
  GPtrArray *chunks; /* owned text, never moved */
  char *room;        /* free part of the newest chunk */
  gsize room_left;
  const char **text; /* by id */
  uint32_t *length;  /* by id */
  uint32_t *hash;    /* by id */
  uint32_t count, capacity;
  uint32_t *slots; /* open addressing: id + 1, 0 is free */
  uint32_t n_slots;
};

/* FNV-1a over 8 bytes at a time, folded; strings here are short and few. */
static uint32_t
hash_bytes(const char *text, gsize length)
{
  uint64_t h = 0xcbf29ce484222325u ^ length;
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    text += 8;
    length -= 8;
  }
  for (gsize i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
  h ^= h >> 32;
  return (uint32_t)h * 0x85EBCA6Bu;
}

static char *
take_room(TnStrings *strings, gsize bytes)
{
  if (bytes > strings->room_left) {
    gsize size = MAX(bytes, (gsize)CHUNK_BYTES);
    strings->room = g_malloc(size);
    strings->room_left = size;
    g_ptr_array_add(strings->chunks, strings->room);
  }
  char *at = strings->room;
  strings->room += bytes;
  strings->room_left -= bytes;
  return at;
}

static void
grow_slots(TnStrings *strings)
{
  uint32_t n = MAX(64u, strings->n_slots * 2);
  g_free(strings->slots);
  strings->slots = g_new0(uint32_t, n);
  strings->n_slots = n;
  for (uint32_t id = 0; id < strings->count; id++) {
    uint32_t at = strings->hash[id] & (n - 1);
    while (strings->slots[at])
      at = (at + 1) & (n - 1);
    strings->slots[at] = id + 1;
  }
}

static uint32_t
add(TnStrings *strings, const char *text, gsize length, uint32_t hash)
{
  if (strings->count == strings->capacity) {
    strings->capacity = MAX(64u, strings->capacity * 2);
    strings->text = g_renew(const char *, strings->text, strings->capacity);
    strings->length = g_renew(uint32_t, strings->length, strings->capacity);
    strings->hash = g_renew(uint32_t, strings->hash, strings->capacity);
  }
  char *copy = take_room(strings, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  uint32_t id = strings->count++;
  strings->text[id] = copy;
  strings->length[id] = (uint32_t)length;
  strings->hash[id] = hash;
  return id;
}

/* Where the text is, or else is to be. */
static uint32_t
find_slot(const TnStrings *strings, const char *text, gsize length, uint32_t hash)
{
  uint32_t mask = strings->n_slots - 1, at = hash & mask;
  for (; strings->slots[at]; at = (at + 1) & mask) {
    uint32_t id = strings->slots[at] - 1;
    if (strings->hash[id] == hash && strings->length[id] == length &&
        memcmp(strings->text[id], text, length) == 0)
      break;
  }
  return at;
}

/* Nothing is written where the text is known: workers may ask for such ones at a time. */
static uint32_t
intern_valid(TnStrings *strings, const char *text, gsize length)
{
  uint32_t hash = hash_bytes(text, length);
  uint32_t at = strings->n_slots ? find_slot(strings, text, length, hash) : 0;
  if (strings->n_slots && strings->slots[at])
    return strings->slots[at] - 1;
  if (strings->count * 2 >= strings->n_slots) {
    grow_slots(strings);
    at = find_slot(strings, text, length, hash);
  }
  strings->slots[at] = strings->count + 1;
  return add(strings, text, length, hash);
}

TnStrings *
tn_strings_new(void)
{
  TnStrings *strings = g_new0(TnStrings, 1);
  strings->chunks = g_ptr_array_new_with_free_func(g_free);
  intern_valid(strings, "", 0);
  return strings;
}

void
tn_strings_free(TnStrings *strings)
{
  if (!strings)
    return;
  g_ptr_array_unref(strings->chunks);
  g_free(strings->text);
  g_free(strings->length);
  g_free(strings->hash);
  g_free(strings->slots);
  g_free(strings);
}

TnStrings *
tn_strings_copy(const TnStrings *strings)
{
  TnStrings *copy = tn_strings_new();
  for (uint32_t id = 1; id < strings->count; id++)
    intern_valid(copy, strings->text[id], strings->length[id]);
  return copy;
}

uint32_t
tn_strings_intern(TnStrings *strings, const char *text, gssize length)
{
  gsize n = length < 0 ? strlen(text) : (gsize)length;
  if (n == 0)
    return 0;
  if (g_utf8_validate_len(text, n, NULL))
    return intern_valid(strings, text, n);
  /* A NUL inside, or bytes that are no UTF-8: drawing them must never fail. */
  g_autofree char *copy = g_utf8_make_valid(text, (gssize)n);
  return intern_valid(strings, copy, strlen(copy));
}

const char *
tn_strings_get(const TnStrings *strings, uint32_t id)
{
  return id < strings->count ? strings->text[id] : "";
}

uint32_t
tn_strings_count(const TnStrings *strings)
{
  return strings->count;
}
