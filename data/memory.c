/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE ((gsize)2 << 20)

void *
tn_reserve(gsize n, gsize width)
{
  void *cells = g_malloc_n(n, width);
  uintptr_t start = ((uintptr_t)cells + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
  uintptr_t end = ((uintptr_t)cells + n * width) & ~(LARGE_PAGE - 1);
  /* Advice only: where the system refuses, small pages serve. */
  if (end > start && end - start >= LARGE_PAGE)
    madvise((void *)start, end - start, MADV_HUGEPAGE);
  return cells;
}
