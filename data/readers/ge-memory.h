/* SPDX-License-Identifier: MIT */
/* GE's memory types: each is an offset space of its own. */
#pragma once

#include "data/document.h"

#define TN_GE_MEMORY_HBM 2
#define TN_GE_BLOCK 512 /* a block is a multiple of this */

/* The space of a memory type, added and named where it was not there: `types` (int64_t → space + 1, of
 * tn_ge_types_new()) and the device's space_names grow together. */
GHashTable *tn_ge_types_new(void);
uint32_t tn_ge_space(TnDevice *device, GHashTable *types, int64_t type);
