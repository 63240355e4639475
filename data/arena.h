/* SPDX-License-Identifier: MIT */
/* Memory for one piece of work: taken bit by bit, given back all at once. */
#pragma once

#include "data/types.h"

typedef struct TnArena TnArena;

TnArena *tn_arena_new(void);
void tn_arena_free(TnArena *arena);

/* `count` cells of `width` bytes, zeroed, aligned for any type; valid until the arena is freed.
 * Never NULL, for a count of 0 neither; a caller checks file-driven counts against the bytes left
 * in the file first. */
void *tn_arena_take(TnArena *arena, gsize count, gsize width);
#define tn_arena_take_n(arena, type, count) ((type *)tn_arena_take((arena), (count), sizeof(type)))

/* Bytes taken so far: a bound for work whose size an input decides. */
gsize tn_arena_bytes(const TnArena *arena);

/* A copy of `text`, printf-style. */
const char *tn_arena_printf(TnArena *arena, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnArena, tn_arena_free)
