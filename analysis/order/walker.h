/* SPDX-License-Identifier: MIT */
/* A set of ops that have run, with what is alive then and which ops may run next; ops go in and
 * out one by one, each at the cost of its operands. */
#pragma once

#include "analysis/order/model.h"

typedef struct {
  const TnOrderModel *model;
  uint64_t *done, *ready; /* sets of ops */
  uint64_t hash;          /* of `done`: the XOR of its ops' own words */
  uint32_t *before_left;  /* by op: ops that it waits for */
  uint32_t *readers_left; /* by buffer: ops that have not read it yet */
  uint32_t n_done;
  tn_bytes live; /* without the model's first_only */
} TnWalker;

/* Nothing has run yet.  `model` is borrowed. */
void tn_walker_init(TnWalker *walker, const TnOrderModel *model);
void tn_walker_clear(TnWalker *walker);

/* The most bytes alive while `op` (ready) runs, and what it changes in what is alive after it. */
tn_bytes tn_walker_during(const TnWalker *walker, uint32_t op);
/* The same from its compute tick on: without inputs that are given back first. */
tn_bytes tn_walker_past_read(const TnWalker *walker, uint32_t op);
tn_bytes tn_walker_net(const TnWalker *walker, uint32_t op);

void tn_walker_run(TnWalker *walker, uint32_t op);  /* op must be ready */
void tn_walker_undo(TnWalker *walker, uint32_t op); /* op has run, and nothing that needs it */
/* Makes `done` the given set, by the difference. */
void tn_walker_go_to(TnWalker *walker, const uint64_t *done);
void tn_walker_reset(TnWalker *walker);

/* Lists the ready ops, ascending; room for n.  Returns how many. */
uint32_t tn_walker_list_ready(const TnWalker *walker, uint32_t *out_ops);

/* The word of an op in a set's hash. */
uint64_t tn_walker_op_hash(uint32_t op);

/* The peak of a whole order of the model's ops (legal). */
tn_bytes tn_order_model_peak(const TnOrderModel *model, const uint32_t *order);
