/* SPDX-License-Identifier: MIT */
/* The limit: offsets planned with all lives known.  No event is run; run.c asks for the plan. */
#include "config.h"

#include "analysis/replay/models.h"

const TnAllocatorModel tn_allocator_static = {
    .name = "static", .title = "a plan made with all lives known: what no allocator can know"};
