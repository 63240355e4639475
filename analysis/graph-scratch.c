/* SPDX-License-Identifier: MIT */
/* Memory that only one op uses: workspaces, internal scratch, the peak inside it. */
#include "config.h"

#include "analysis/graph-lifetime-private.h"

#include "data/graph-order.h"

#include <string.h>

static const TnAlgorithm *
find_algorithm(const TnGraph *graph, const TnStrings *strings, const TnOp *op, const char *name)
{
  for (uint32_t i = 0; name && i < op->n_algorithms; i++) {
    const TnAlgorithm *algorithm =
        &g_array_index(graph->algorithms, TnAlgorithm, op->first_algorithm + i);
    if (strcmp(tn_strings_get(strings, algorithm->name), name) == 0)
      return algorithm;
  }
  return NULL;
}

/* A runtime's own way to compute, else what each runtime needs, else what the op states. */
const TnAlgorithm *
tn_graph_lifetime_algorithm(const TnGraph *graph,
                            const TnStrings *strings,
                            const TnGraphLifetimeParams *params,
                            const TnOp *op)
{
  const TnRuntime *runtime = params->preset ? tn_runtimes_find(params->preset) : NULL;
  const char *wanted = params->algorithm;
  if (!wanted && runtime)
    wanted = runtime->algorithm;
  const TnAlgorithm *algorithm = find_algorithm(graph, strings, op, wanted);
  return algorithm || !wanted ? algorithm : find_algorithm(graph, strings, op, "needed");
}

static tn_bytes
workspace_bytes(const TnLivesBuilder *builder, const TnOp *op)
{
  const TnAlgorithm *algorithm =
      tn_graph_lifetime_algorithm(builder->graph, builder->strings, builder->params, op);
  return algorithm ? algorithm->workspace_bytes : op->workspace_bytes;
}

static tn_index
add_one(TnLivesBuilder *builder, uint32_t op_row, tn_tick start, tn_tick end, tn_bytes bytes,
            const char *what)
{
  TnBuffers *buffers = builder->lives->buffers;
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  g_autofree char *op_name = tn_graph_build_op_text(builder->graph, builder->strings, op_row);
  g_autofree char *name = g_strdup_printf("%s: %s", op_name, what);
  tn_index row = tn_lives_add_buffer(builder, start, end, bytes, TN_KIND_WORKSPACE);
  buffers->name[row] = tn_strings_intern(builder->strings, name, -1);
  buffers->op[row] = op_row;
  if (buffers->batch)
    buffers->batch[row] = op->batch_label;
  if (buffers->stream)
    buffers->stream[row] = op->stream;
  return row;
}

/* Scratch of single phases: one buffer for each run of phases without a break. */
static void
add_internal(TnLivesBuilder *builder, uint32_t op_row, tn_tick base, const TnInternal *internal)
{
  const char *name = tn_strings_get(builder->strings, internal->name);
  for (unsigned from = 0; from < 3; from++) {
    unsigned to = from;
    while (to < 3 && internal->phases >> to & 1)
      to++;
    if (to > from)
      add_one(builder, op_row, base + from, base + to, internal->bytes,
                  *name ? name : "internal");
    from = MAX(from, to);
  }
}

static void
note_workspace(TnLivesBuilder *builder, tn_bytes bytes)
{
  TnGraphLives *lives = builder->lives;
  lives->workspace_bytes = MAX(lives->workspace_bytes, tn_lives_used_bytes(builder, bytes));
  tn_lives_add_to(builder, &lives->workspace_sum_bytes, tn_lives_used_bytes(builder, bytes));
}

void
tn_lives_add_scratch(TnLivesBuilder *builder, uint32_t position)
{
  uint32_t op_row = builder->order[position];
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  tn_tick base = (tn_tick)position * 3, start = base + (tn_lives_is_kernel(builder) ? 0 : 1);
  tn_bytes workspace = workspace_bytes(builder, op), body = tn_lives_body_peak(builder, op);
  bool with_bodies = builder->params->with_bodies || builder->runtime;
  builder->lives->body_bytes = MAX(builder->lives->body_bytes, body);
  if (body > 0 && with_bodies)
    add_one(builder, op_row, start, base + 3, body, "body");
  else if (body > 0)
    tn_lives_note_uncounted(builder, position, body);
  if (builder->params->no_workspace)
    return;
  if (workspace > 0) {
    tn_index row = add_one(builder, op_row, start, base + 3, workspace, "workspace");
    builder->lives->workspace_of[op_row] = row;
    tn_bytes *alignment = &builder->lives->buffers->alignment[row];
    *alignment = MAX(*alignment, op->workspace_alignment);
    note_workspace(builder, workspace);
  }
  for (uint32_t i = 0; i < op->n_internal; i++)
    add_internal(builder, op_row, base,
                 &g_array_index(builder->graph->internals, TnInternal, op->first_internal + i));
}
