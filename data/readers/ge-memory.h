/* SPDX-License-Identifier: MIT */
/* GE's memory types: each is an offset space of its own. */
#pragma once

#include "data/document.h"

#define TN_GE_MEMORY_HBM 2
#define TN_GE_BLOCK 512 /* a block is a multiple of this */

/* The space of a memory type, added and named where it was not there: `types` (int64_t, by space) and
 * the device's space_names grow together. */
uint32_t tn_ge_space(TnDevice *device, GArray *types, int64_t type);
