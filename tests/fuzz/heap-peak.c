/* SPDX-License-Identifier: MIT */
/* Of glibc by its own entries, of a sanitizer by its hooks.  Not for several threads at once: counts are
 * atomic, but the peak may miss what two threads have at the same moment. */
#include "tests/fuzz/heap-peak.h"

#include "data/sanitizer.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static long now, peak, base;

static void
took(void *block, size_t size)
{
  if (!block)
    return;
  long sum = __atomic_add_fetch(&now, (long)size, __ATOMIC_RELAXED);
  if (sum > __atomic_load_n(&peak, __ATOMIC_RELAXED))
    __atomic_store_n(&peak, sum, __ATOMIC_RELAXED);
}

static void
gave(size_t size)
{
  __atomic_sub_fetch(&now, (long)size, __ATOMIC_RELAXED);
}

#if TN_HAS_SANITIZER
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *);

static void
on_malloc(const volatile void *block, size_t size)
{
  took((void *)(uintptr_t)block, size);
}

static void
on_free(const volatile void *block)
{
  if (block)
    gave(__sanitizer_get_allocated_size(block));
}

static void
install(void)
{
  static int is_installed;
  if (!is_installed)
    is_installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}
#else
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *
count(void *block)
{
  took(block, block ? malloc_usable_size(block) : 0);
  return block;
}

void *
malloc(size_t size)
{
  return count(__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
  return count(__libc_calloc(n, size));
}

void *
realloc(void *block, size_t size)
{
  size_t had = block ? malloc_usable_size(block) : 0;
  void *moved = __libc_realloc(block, size);
  if (moved || size == 0)
    gave(had);
  return count(moved);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
  return count(__libc_memalign(alignment, size));
}

int
posix_memalign(void **out, size_t alignment, size_t size)
{
  *out = count(__libc_memalign(alignment, size));
  return *out ? 0 : ENOMEM;
}

void
free(void *block)
{
  if (block)
    gave(malloc_usable_size(block));
  __libc_free(block);
}

static void
install(void)
{
}
#endif

void
tn_heap_peak_start(void)
{
  install();
  base = now;
  peak = now;
}

size_t
tn_heap_peak(void)
{
  return (size_t)(peak > base ? peak - base : 0);
}
