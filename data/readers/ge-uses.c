/* SPDX-License-Identifier: MIT */
/* Which op of each stream uses a buffer last: what another stream must have waited for before it may
 * have the place. */
#include "config.h"

#include "data/readers/ge-build.h"

/* Steps from an op to all that lies inside what it uses, and uses kept, of 12 bytes, beyond those that the edges take:
 * a concatenation of thousands, read by thousands.  On few streams many steps find few uses. */
#define MOST_STEPS ((uint64_t)1 << 26)
#define MOST_USES ((uint64_t)1 << 22)
#define PER_EDGE 16

typedef struct {
  uint32_t op, first; /* the last, and the first, of its stream */
  uint32_t next;      /* use of the same tensor on another stream, + 1 */
} Use;

typedef struct {
  const TnGeBuild *build;
  GArray *uses;
  uint32_t *head;  /* by root: its newest use + 1 */
  uint32_t *seen;  /* by root: the op that was there last, + 1 */
  GArray *waiting; /* uint32_t roots to be looked into */
  uint64_t n_steps, most_steps, most_uses;
} Uses;

static bool
is_too_much(const Uses *uses)
{
  return uses->n_steps >= uses->most_steps || uses->uses->len >= uses->most_uses;
}

/* Ops come stream by stream, in each as they run: the newest use is of this stream or there is none. */
static void
add_use(Uses *uses, uint32_t root, uint32_t op)
{
  uint32_t head = uses->head[root];
  Use *newest = head ? &g_array_index(uses->uses, Use, head - 1) : NULL;
  if (newest && tn_ge_op_at(uses->build, newest->op)->stream == tn_ge_op_at(uses->build, op)->stream) {
    newest->op = op;
    return;
  }
  Use use = {op, op, head};
  g_array_append_val(uses->uses, use);
  uses->head[root] = uses->uses->len;
}

static void
look_into(Uses *uses, uint32_t tensor, uint32_t op)
{
  uint32_t root = tn_ge_root(uses->build, tensor);
  uses->n_steps++;
  if (uses->seen[root] == op + 1)
    return;
  uses->seen[root] = op + 1;
  if (uses->build->tensors[root].is_absorbed)
    g_array_append_val(uses->waiting, root);
  else
    add_use(uses, root, op);
}

static void
look_into_inputs(Uses *uses, uint32_t of, uint32_t op)
{
  for (uint32_t k = 0; k < tn_ge_n_inputs(uses->build, of); k++)
    if (tn_ge_input(uses->build, of, k) != TN_NONE)
      look_into(uses, tn_ge_input(uses->build, of, k), op);
}

/* All that the op writes and reads; what lies inside others is used where they are.  Each root once. */
static void
mark(Uses *uses, uint32_t op)
{
  const TnGeBuild *build = uses->build;
  for (uint32_t t = build->first[op]; t < build->first[op + 1]; t++)
    look_into(uses, t, op);
  look_into_inputs(uses, op, op);
  while (uses->waiting->len && !is_too_much(uses)) {
    uint32_t root = g_array_index(uses->waiting, uint32_t, uses->waiting->len - 1);
    const TnGeTensorRow *row = &build->tensors[root];
    g_array_set_size(uses->waiting, uses->waiting->len - 1);
    if (row->holder)
      look_into(uses, row->holder - 1, op);
    if (row->joiner)
      look_into_inputs(uses, row->joiner - 1, op);
  }
}

static gint
compare_streams(gconstpointer a, gconstpointer b, gpointer build)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int64_t of_x = tn_ge_op_at(build, x)->stream, of_y = tn_ge_op_at(build, y)->stream;
  if (of_x != of_y)
    return of_x < of_y ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* False where that would take too long. */
static bool
mark_all(Uses *uses)
{
  guint n = uses->build->ops->len;
  g_autofree uint32_t *order = g_new(uint32_t, n);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data(order, (int)n, sizeof *order, compare_streams, (gpointer)uses->build);
  for (guint i = 0; i < n && !is_too_much(uses); i++)
    mark(uses, order[i]);
  return !is_too_much(uses);
}

static bool
has_many_streams(const TnGeBuild *build)
{
  for (guint i = 1; i < build->ops->len; i++)
    if (tn_ge_op_at(build, i)->stream != tn_ge_op_at(build, 0)->stream)
      return true;
  return false;
}

/* The stream that began last comes first. */
static gint
compare_firsts(gconstpointer a, gconstpointer b)
{
  const Use *x = a, *y = b;
  return x->first > y->first ? -1 : x->first < y->first;
}

static GArray *
last_uses_new(const Uses *uses, const TnBuffers *b)
{
  GArray *all = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  g_autoptr(GArray) of_one = g_array_new(FALSE, FALSE, sizeof(Use));
  for (tn_index i = 0; i < b->n; i++) {
    g_array_set_size(of_one, 0);
    for (uint32_t u = b->tensor[i] == TN_NONE ? 0 : uses->head[b->tensor[i]]; u;) {
      const Use *use = &g_array_index(uses->uses, Use, u - 1);
      g_array_append_val(of_one, *use);
      u = use->next;
    }
    g_array_sort(of_one, compare_firsts);
    for (guint k = 0; k < of_one->len; k++) {
      TnLastUse last = {i, g_array_index(of_one, Use, k).op};
      g_array_append_val(all, last);
    }
  }
  return all;
}

void
tn_ge_build_uses(TnGeBuild *build)
{
  if (!has_many_streams(build))
    return;
  uint32_t n = MAX(build->n_tensors, 1u);
  uint64_t of_edges = PER_EDGE * ((uint64_t)n + build->inputs->len);
  Uses uses = {build,
               g_array_new(FALSE, FALSE, sizeof(Use)),
               g_new0(uint32_t, n),
               g_new0(uint32_t, n),
               g_array_new(FALSE, FALSE, sizeof(uint32_t)),
               0,
               MOST_STEPS + of_edges,
               MOST_USES + of_edges};
  if (mark_all(&uses))
    build->device->last_uses = last_uses_new(&uses, build->device->buffers);
  else
    tn_diagnostics_add(build->model->document->diagnostics, "last-uses", 1,
                       "so many tensors lie inside others that are used on several streams that which op of "
                       "a stream uses each last was left out (more than %" G_GUINT64_FORMAT " uses, or %" G_GUINT64_FORMAT
                       " steps to them): the graph's readers stand for it",
                       uses.most_uses, uses.most_steps);
  g_array_unref(uses.uses);
  g_array_unref(uses.waiting);
  g_free(uses.head);
  g_free(uses.seen);
}
