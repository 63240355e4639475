/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE ((gsize)2 << 20)

/* Advice only: where the system refuses, small pages serve. */
static void *
back_with_large_pages(void *cells, gsize size)
{
  uintptr_t start = ((uintptr_t)cells + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
  uintptr_t end = ((uintptr_t)cells + size) & ~(LARGE_PAGE - 1);
  if (end > start && end - start >= LARGE_PAGE)
    madvise((void *)start, end - start, MADV_HUGEPAGE);
  return cells;
}

void *
tn_reserve(gsize n, gsize width)
{
  return back_with_large_pages(g_malloc_n(n, width), n * width);
}

void *
tn_reserve_zeros(gsize n, gsize width)
{
  return back_with_large_pages(g_malloc0_n(n, width), n * width);
}
