/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* The number in a small file of the system's; 0: there is none ("max"). */
static gsize
read_number(const char *path)
{
  unsigned long long number = 0;
  FILE *file = fopen(path, "re");
  if (file && fscanf(file, "%llu", &number) != 1)
    number = 0;
  if (file)
    fclose(file);
  return (gsize)number;
}

gsize
tn_memory_default_limit(void)
{
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  gsize machine = pages > 0 && page > 0 ? (gsize)pages * (gsize)page : (gsize)4 << 30;
  gsize group = read_number("/sys/fs/cgroup/memory.max");
  if (!group)
    group = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  return (group ? MIN(machine, group) : machine) / 4 * 3;
}

gsize
tn_memory_in_use(void)
{
  unsigned long long resident = 0, shared = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file && fscanf(file, "%*u %llu %llu", &resident, &shared) != 2)
    resident = shared = 0;
  if (file)
    fclose(file);
  return (gsize)(resident - MIN(shared, resident)) * (gsize)sysconf(_SC_PAGE_SIZE);
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
