/* SPDX-License-Identifier: MIT */
/* An interned string table: each distinct string is kept once and named by a 32-bit id.
 * Id 0 is always the empty string.  Strings are valid UTF-8 (bad bytes become U+FFFD). */
#pragma once

#include "data/types.h"

typedef struct TnStrings TnStrings;

TnStrings *tn_strings_new(void);
void tn_strings_free(TnStrings *strings);
/* The same ids for the same strings; owned by the caller. */
TnStrings *tn_strings_copy(const TnStrings *strings);

/* The id of the first `length` bytes at `text` (-1: up to its NUL).  O(length), amortised. */
uint32_t tn_strings_intern(TnStrings *strings, const char *text, gssize length);

/* The text of an id, NUL-terminated; borrowed, valid as long as the table.  TN_NONE gives "". */
const char *tn_strings_get(const TnStrings *strings, uint32_t id);

/* How many distinct strings, the empty one included. */
uint32_t tn_strings_count(const TnStrings *strings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStrings, tn_strings_free)
