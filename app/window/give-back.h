/* SPDX-License-Identifier: MIT */
/* What a closed tab had goes back to the system: the allocator keeps it for later otherwise, in pieces
 * between what still lives. */
#pragma once

/* Soon, once for several calls, on another thread.  Main thread.  Does nothing where the C library
 * isn't glibc. */
void tn_give_back_soon(void);
