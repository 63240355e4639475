/* SPDX-License-Identifier: MIT */
/* Graphs that ops run inside themselves (branches, loops): their peak and their weights. */
#include "config.h"

#include "analysis/graph-lifetime-private.h"

#include "data/hash.h"

typedef struct {
  uint32_t position;
  tn_bytes bytes;
} Uncounted;

tn_bytes
tn_lives_body_peak(TnLivesBuilder *builder, const TnOp *op)
{
  tn_bytes peak = 0;
  TnGraphLifetimeParams params = *builder->params;
  params.order = NULL; /* the body's own */
  params.is_io_callers = false;
  params.with_bodies = true; /* those of the body's own ops */
  for (uint32_t i = 0; i < op->n_bodies; i++) {
    if (op->taken_body != TN_NONE && op->taken_body != i)
      continue;
    const TnGraph *body = g_ptr_array_index(builder->graph->bodies, op->first_body + i);
    g_autoptr(TnGraphLives) lives = tn_graph_lives_new(body, builder->strings, &params, NULL);
    if (!lives)
      builder->has_overflown = true;
    else
      peak = MAX(peak, tn_graph_live_peak(lives->buffers, lives->axis_end, NULL));
  }
  return peak;
}

/* ---- what no buffer stands for --------------------------------------------------------- */

void
tn_lives_note_uncounted(TnLivesBuilder *builder, uint32_t position, tn_bytes bytes)
{
  Uncounted uncounted = {position, bytes};
  if (!builder->uncounted)
    builder->uncounted = g_array_new(FALSE, FALSE, sizeof uncounted);
  g_array_append_val(builder->uncounted, uncounted);
}

static void
weigh(const TnLivesBuilder *builder, const tn_bytes *live, tn_bytes peak, const Uncounted *uncounted)
{
  TnGraphLives *lives = builder->lives;
  const tn_bytes *at = live + (gsize)uncounted->position * 3;
  tn_bytes sum;
  if (!tn_add(MAX(MAX(at[0], at[1]), at[2]), uncounted->bytes, &sum))
    sum = INT64_MAX;
  lives->n_uncounted += sum > peak;
  if (sum <= peak || sum <= lives->uncounted_peak)
    return;
  lives->uncounted_peak = sum;
  lives->uncounted_bytes = uncounted->bytes;
  lives->uncounted_op = builder->order[uncounted->position];
}

void
tn_lives_weigh_uncounted(TnLivesBuilder *builder)
{
  TnGraphLives *lives = builder->lives;
  if (!builder->uncounted)
    return;
  g_autofree tn_bytes *live = tn_graph_build_live(lives->buffers, lives->axis_end);
  tn_bytes peak = 0;
  for (tn_tick t = 0; live && t < lives->axis_end; t++)
    peak = MAX(peak, live[t]);
  for (guint i = 0; live && i < builder->uncounted->len; i++)
    weigh(builder, live, peak, &g_array_index(builder->uncounted, Uncounted, i));
}

/* ---- weights --------------------------------------------------------------------------- */

/* What the file holds: those of outside are counted there, bytes that tensors share once. */
static bool
is_new_weight(const TnTensor *tensor, GHashTable *seen)
{
  if (tensor->is_caller_owned || tensor->is_folded ||
      (tensor->kind != TN_TENSOR_CONSTANT && tensor->kind != TN_TENSOR_VARIABLE))
    return false;
  return tensor->content == 0 || g_hash_table_add(seen, GUINT_TO_POINTER(tensor->content));
}

static void
add_weights(TnLivesBuilder *builder, const TnGraph *body, GHashTable *seen)
{
  for (uint32_t i = 0; i < body->tensors->len; i++)
    if (is_new_weight(tn_graph_tensor(body, i), seen))
      tn_lives_add_resident(builder, tn_graph_tensor(body, i));
}

/* Runtimes load the weights of all branches, of those that are not taken too. */
static void
add_bodies_of(TnLivesBuilder *builder, const TnGraph *graph, GHashTable *seen)
{
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    for (uint32_t b = 0; b < op->n_bodies; b++) {
      const TnGraph *body = g_ptr_array_index(graph->bodies, op->first_body + b);
      add_weights(builder, body, seen);
      add_bodies_of(builder, body, seen);
    }
  }
}

void
tn_lives_add_body_residents(TnLivesBuilder *builder)
{
  const TnGraph *graph = builder->graph;
  if (graph->bodies->len == 0)
    return;
  g_autoptr(GHashTable) seen = g_hash_table_new(tn_direct64_hash, NULL);
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    is_new_weight(tn_graph_tensor(graph, i), seen);
  tn_bytes before = builder->lives->resident_bytes;
  add_bodies_of(builder, graph, seen);
  builder->lives->body_resident_bytes = builder->lives->resident_bytes - before;
}
