/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/map-guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FREE, TAKEN, ARMED };

/* A fixed table: the handler may neither lock nor allocate. */
struct TnMapGuard {
  atomic_int state;
  atomic_bool is_torn;
  uintptr_t start;
  gsize size;
};

static TnMapGuard guards[256];
static uintptr_t page_size;
static struct sigaction old_action;

static TnMapGuard *
find(uintptr_t address)
{
  for (gsize i = 0; i < G_N_ELEMENTS(guards); i++)
    if (atomic_load(&guards[i].state) == ARMED && address >= guards[i].start &&
        address - guards[i].start < guards[i].size)
      return &guards[i];
  return NULL;
}

/* Zeros from the page that is gone to the end of the map; false where that can't be had. */
static bool
replace(TnMapGuard *guard, uintptr_t address)
{
  uintptr_t page = address & ~(page_size - 1);
  gsize size = guard->start + guard->size - page;
  return mmap((void *)page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

/* Only system calls and atomics: may run at any instruction. */
static void
on_bus_error(int number, siginfo_t *info, void *context)
{
  TnMapGuard *guard =
      info->si_code == BUS_ADRERR ? find((uintptr_t)info->si_addr) : NULL;
  if (guard && replace(guard, (uintptr_t)info->si_addr))
    atomic_store(&guard->is_torn, true);
  else
    sigaction(SIGBUS, &old_action, NULL); /* returning meets the same again, with the old handler */
}

static void
install(void)
{
  static gsize is_done;
  if (!g_once_init_enter(&is_done))
    return;
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  sigaction(SIGBUS, &action, &old_action);
  g_once_init_leave(&is_done, 1);
}

TnMapGuard *
tn_map_guard_new(void *map, gsize size)
{
  install();
  for (gsize i = 0; i < G_N_ELEMENTS(guards); i++) {
    int expected = FREE;
    if (!atomic_compare_exchange_strong(&guards[i].state, &expected, TAKEN))
      continue;
    guards[i].start = (uintptr_t)map;
    guards[i].size = size;
    atomic_store(&guards[i].is_torn, false);
    atomic_store(&guards[i].state, ARMED);
    return &guards[i];
  }
  return NULL;
}

bool
tn_map_guard_is_torn(const TnMapGuard *guard)
{
  return guard && atomic_load(&guard->is_torn);
}

void
tn_map_guard_free(TnMapGuard *guard)
{
  if (guard)
    atomic_store(&guard->state, FREE);
}
