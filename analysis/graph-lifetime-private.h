/* SPDX-License-Identifier: MIT */
/* What the files that turn a graph into buffers share while they do. */
#pragma once

#include "analysis/graph-lifetime.h"

typedef struct {
  const TnGraph *graph;
  TnStrings *strings;
  const TnGraphLifetimeParams *params;
  const TnRuntime *runtime;
  const uint32_t *order;
  TnGraphStorage *storage;
  TnGraphLives *lives;
  GArray *gaps;      /* TnGap */
  GArray *gap_owner; /* tn_index */
  uint32_t *buffer_of; /* by root tensor: its buffer; TN_NONE */
  tn_bytes total;
  bool has_overflown;
} TnLivesBuilder;

static inline bool
tn_lives_is_kernel(const TnLivesBuilder *builder)
{
  return builder->params->model == TN_LIFETIME_KERNEL;
}

/* Rounded up to the alignment in force; unknown sizes are 0.  Notes an overflow. */
tn_bytes tn_lives_used_bytes(TnLivesBuilder *builder, tn_bytes bytes);
/* Adds to a sum.  Notes an overflow. */
void tn_lives_add_to(TnLivesBuilder *builder, tn_bytes *sum, tn_bytes bytes);
/* A buffer of `bytes` requested. */
tn_index tn_lives_add_buffer(TnLivesBuilder *builder, tn_tick start, tn_tick end, tn_bytes bytes,
                             TnBufferKind kind);

/* Workspace, internal scratch and bodies of the op at this place of the order. */
void tn_lives_add_scratch(TnLivesBuilder *builder, uint32_t position);
