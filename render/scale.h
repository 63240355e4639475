/* SPDX-License-Identifier: MIT */
/* Round steps for axes. */
#pragma once

#include "data/types.h"
#include "data/units.h"

/* The smallest of 1, 2, 5 x 10^k that is at least `least` (> 0; at least 1, at most 5 x 10^18). */
int64_t tn_scale_step(double least);
/* The same for sizes: 1, 2, 5, 10, 20, 50 of a unit (binary units with IEC), then 0.1, 0.2, 0.5 of
 * the next larger one. */
tn_bytes tn_scale_byte_step(double least, TnUnits units);

/* A tick of a size axis whose step is `step`: "8 GiB", "0", "0.5 GiB", "20 MiB".  Into `buffer`. */
const char *tn_scale_print_bytes(char *buffer, gsize size, tn_bytes value, tn_bytes step,
                                 TnUnits units);
