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
  GArray *uncounted; /* bodies that no buffer stands for; NULL: none */
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

/* Adds what is loaded once and stays. */
void tn_lives_add_resident(TnLivesBuilder *builder, const TnTensor *tensor);
/* The same of all graphs inside ops, however deep: each weight that the file holds, once. */
void tn_lives_add_body_residents(TnLivesBuilder *builder);

/* The largest live peak of what the op may run inside itself. */
tn_bytes tn_lives_body_peak(TnLivesBuilder *builder, const TnOp *op);
/* Notes such a peak of the op at this place of the order, for which there is no buffer … */
void tn_lives_note_uncounted(TnLivesBuilder *builder, uint32_t position, tn_bytes bytes);
/* … and, once all buffers are there, which of them can pass the live peak. */
void tn_lives_weigh_uncounted(TnLivesBuilder *builder);

/* Workspace, internal scratch and bodies of the op at this place of the order. */
void tn_lives_add_scratch(TnLivesBuilder *builder, uint32_t position);
