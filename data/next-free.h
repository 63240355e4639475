/* SPDX-License-Identifier: MIT */
/* The next free place of a row of them, where places are only ever taken: next[i] is i while i is free, and leads
 * on from where it was taken.  Ways are halved as they are walked (Tarjan, van Leeuwen, 1984). */
#pragma once

#include <stdint.h>

/* The first free place from `at` on.  To take it: next[place] = place + 1; one place behind the last is always free. */
static inline uint32_t
tn_next_free(uint32_t *next, uint32_t at)
{
  while (next[at] != at)
    at = next[at] = next[next[at]];
  return at;
}
