/* SPDX-License-Identifier: MIT */
/* Sizes as people write and read them. */
#pragma once

#include "data/types.h"

typedef enum { TN_UNITS_IEC, TN_UNITS_SI, TN_UNITS_BYTES } TnUnits;

/* Parses `512`, `1.5GiB`, `64 KiB`, `20M`, `7B`, `1.2 GB`: B, K/KiB, M/MiB, G/GiB, T/TiB and the
 * decimal kB, MB, GB, TB, with decimals; a bare letter means the binary unit.  Negative, empty, unknown units, more than 64 bits: false. */
bool tn_parse_bytes(const char *text, tn_bytes *out_bytes);

/* "12.97 GiB", "96.0 MiB", "512 B"; with TN_UNITS_BYTES "13,927,832,064 B".  Owned by the caller. */
char *tn_format_bytes(tn_bytes bytes, TnUnits units);
/* The same into a buffer of the caller's (32 bytes always suffice); returns `buffer`. */
const char *tn_print_bytes(char *buffer, gsize size, tn_bytes bytes, TnUnits units);
/* The word for `n` things: "1 buffer was", "2 buffers were". */
static inline const char *
tn_plural(int64_t n, const char *one, const char *many)
{
  return n == 1 ? one : many;
}

/* "1,234,567" into a buffer of the caller's; returns `buffer`. */
const char *tn_print_count(char *buffer, gsize size, int64_t count);
