/* SPDX-License-Identifier: MIT */
/* Which op of each stream uses a buffer last: what another stream must have waited for before it may
 * have the place. */
#include "config.h"

#include "data/readers/ge-build.h"

#define DEEPEST 64 /* joins of joins of joins */

typedef struct {
  uint32_t op, next; /* next: use of the same tensor on another stream, + 1 */
} Use;

typedef struct {
  const TnGeBuild *build;
  GArray *uses;
  uint32_t *head; /* by root: its first use + 1 */
} Uses;

/* Ops come as they run: the later takes the place of the earlier. */
static void
add_use(Uses *uses, uint32_t root, uint32_t op)
{
  int64_t stream = tn_ge_op_at(uses->build, op)->stream;
  for (uint32_t u = uses->head[root]; u; u = g_array_index(uses->uses, Use, u - 1).next) {
    Use *use = &g_array_index(uses->uses, Use, u - 1);
    if (tn_ge_op_at(uses->build, use->op)->stream != stream)
      continue;
    use->op = MAX(use->op, op);
    return;
  }
  Use use = {op, uses->head[root]};
  g_array_append_val(uses->uses, use);
  uses->head[root] = uses->uses->len;
}

/* What lies inside others is used where they are. */
static void
mark(Uses *uses, uint32_t tensor, uint32_t op, int depth)
{
  const TnGeBuild *build = uses->build;
  uint32_t root = tn_ge_root(build, tensor);
  const TnGeTensorRow *row = &build->tensors[root];
  if (!row->is_absorbed || depth == DEEPEST) {
    add_use(uses, root, op);
    return;
  }
  if (row->holder)
    mark(uses, row->holder - 1, op, depth + 1);
  for (uint32_t k = 0; row->joiner && k < tn_ge_n_inputs(build, row->joiner - 1); k++)
    if (tn_ge_input(build, row->joiner - 1, k) != TN_NONE)
      mark(uses, tn_ge_input(build, row->joiner - 1, k), op, depth + 1);
}

static void
mark_all(Uses *uses)
{
  const TnGeBuild *build = uses->build;
  for (guint i = 0; i < build->ops->len; i++) {
    for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++)
      mark(uses, t, i, 0);
    for (uint32_t k = 0; k < tn_ge_n_inputs(build, i); k++)
      if (tn_ge_input(build, i, k) != TN_NONE)
        mark(uses, tn_ge_input(build, i, k), i, 0);
  }
}

static bool
has_many_streams(const TnGeBuild *build)
{
  for (guint i = 1; i < build->ops->len; i++)
    if (tn_ge_op_at(build, i)->stream != tn_ge_op_at(build, 0)->stream)
      return true;
  return false;
}

void
tn_ge_build_uses(TnGeBuild *build)
{
  const TnBuffers *b = build->device->buffers;
  if (!has_many_streams(build))
    return;
  Uses uses = {build, g_array_new(FALSE, FALSE, sizeof(Use)),
               g_new0(uint32_t, MAX(build->n_tensors, 1u))};
  mark_all(&uses);
  build->device->last_uses = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  for (tn_index i = 0; i < b->n; i++)
    for (uint32_t u = b->tensor[i] == TN_NONE ? 0 : uses.head[b->tensor[i]]; u;) {
      const Use *use = &g_array_index(uses.uses, Use, u - 1);
      TnLastUse last = {i, use->op};
      g_array_append_val(build->device->last_uses, last);
      u = use->next;
    }
  g_array_unref(uses.uses);
  g_free(uses.head);
}
