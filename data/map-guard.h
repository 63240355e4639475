/* SPDX-License-Identifier: MIT */
/* Mapped files that shrink while they are read.  Touching what is gone raises SIGBUS, which would end
 * the program; a guarded map gives zeros from there on, and says so.  The handler is installed once,
 * and passes on every SIGBUS outside the guarded maps. */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct TnMapGuard TnMapGuard;

/* Guards `size` bytes at `map`, as mmap() gave them.  Any thread.  NULL where too many maps are open
 * at once (256): that one is unguarded. */
TnMapGuard *tn_map_guard_new(void *map, gsize size);

/* Whether something was read that was no longer there.  False for NULL. */
bool tn_map_guard_is_torn(const TnMapGuard *guard);

/* Before the map is unmapped.  NULL is allowed. */
void tn_map_guard_free(TnMapGuard *guard);
