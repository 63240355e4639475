/* SPDX-License-Identifier: MIT */
/* Why a request failed, from what the file knows of that moment. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

typedef struct {
  tn_bytes free, largest; /* of the allocator's holes; free blocks that touch are one hole */
  uint32_t n;
} TnBlockHoles;

/* The holes between the blocks of a device's snapshot.  O(blocks). */
TnBlockHoles tn_holes_of_blocks(const TnDevice *device);

/* Appends an `oom` finding for each failed request of the study's device.  Where the file is a
 * snapshot of that very moment (blocks and no events) it names the largest hole, and says by how
 * much the request misses: for want of one place, or for want of memory even if all were moved
 * together. */
void tn_find_reported_ooms(const TnStudy *study, TnFindings *findings);
