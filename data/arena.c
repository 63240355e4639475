/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/arena.h"

#include <string.h>

#define CHUNK_BYTES ((gsize)64 * 1024)
#define ALIGNMENT ((gsize)16)

typedef struct Chunk Chunk;
struct Chunk {
  Chunk *next;
  gsize padding; /* keeps what follows aligned */
};

struct TnArena {
  Chunk *chunks;
  char *room;
  gsize left;
  gsize taken;
};

TnArena *
tn_arena_new(void)
{
  return g_new0(TnArena, 1);
}

void
tn_arena_free(TnArena *arena)
{
  if (!arena)
    return;
  while (arena->chunks) {
    Chunk *next = arena->chunks->next;
    g_free(arena->chunks);
    arena->chunks = next;
  }
  g_free(arena);
}

void *
tn_arena_take(TnArena *arena, gsize count, gsize width)
{
  gsize bytes;
  if (!g_size_checked_mul(&bytes, MAX(count, (gsize)1), width) || bytes > G_MAXSSIZE)
    g_error("no memory for %" G_GSIZE_FORMAT " cells", count);
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes > arena->left) {
    gsize size = MAX(bytes, CHUNK_BYTES);
    Chunk *chunk = g_malloc(sizeof(Chunk) + size);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->room = (char *)(chunk + 1);
    arena->left = size;
  }
  void *cells = arena->room;
  arena->room += bytes;
  arena->left -= bytes;
  arena->taken += bytes;
  return memset(cells, 0, bytes);
}

gsize
tn_arena_bytes(const TnArena *arena)
{
  return arena->taken;
}

const char *
tn_arena_printf(TnArena *arena, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  gsize size = strlen(text) + 1;
  return memcpy(tn_arena_take(arena, size, 1), text, size);
}
