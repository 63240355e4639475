/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/reuse.h"

#include <string.h>

#define MOST_OPS 16384u
#define MOST_KEPT 50000000u  /* owners of long lists; behind these they keep none */
#define MOST_SHORT 20000000u /* the same of short lists … */
#define FEW_KEPT 64u         /* … which are no longer than this */
#define FEW_TOUCHED 16u      /* a newcomer's first short lists keep all, whatever others took */

/* ---- who takes over whose place ---------------------------------------------------------------- */

typedef struct {
  uint32_t space;
  tn_bytes start, end;
  uint32_t n;
  tn_index owner[]; /* by start: the last one, and those whose places it did not take over */
} Segment;

typedef struct {
  const TnBuffers *buffers;
  GTree *map;        /* Segment → itself, by space and start; no two overlap */
  GArray *pairs;     /* TnReusePair */
  tn_index *seen_by; /* by owner: the last row that took some of it */
  uint8_t *shares;   /* by row: 1 where another has some of its place; NULL: not asked */
  Segment *last;     /* put last, while it may still grow; NULL */
  uint64_t n_kept;   /* owners of long lists kept beside a newcomer so far */
  uint64_t n_short;  /* the same of short ones, but for each newcomer's first */
  uint32_t n_touched; /* short lists that the newcomer at hand has met */
  bool is_cut;        /* some were not kept */
} Walk;

static int
compare_segments(const void *a, const void *b, gpointer data)
{
  const Segment *x = a, *y = b;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

/* Grows the segment before where it has the same owners. */
static void
put(Walk *walk, const Segment *like, tn_bytes start, tn_bytes end)
{
  gsize size = like->n * sizeof *like->owner;
  Segment *last = walk->last;
  if (last && last->end == start && last->n == like->n && memcmp(last->owner, like->owner, size) == 0) {
    last->end = end;
    return;
  }
  Segment *segment = g_memdup2(like, sizeof *like + size);
  segment->start = start;
  segment->end = end;
  g_tree_insert(walk->map, segment, segment);
  walk->last = segment;
}

/* The first segment that ends behind `start`: the last one before it may reach over it. */
static Segment *
first_touched(Walk *walk, uint32_t space, tn_bytes start)
{
  Segment key = {space, start, start, 0};
  GTreeNode *node = g_tree_upper_bound(walk->map, &key);
  GTreeNode *before = node ? g_tree_node_previous(node) : g_tree_node_last(walk->map);
  Segment *segment = before ? g_tree_node_value(before) : NULL;
  if (segment && segment->space == space && segment->end > start)
    return segment;
  segment = node ? g_tree_node_value(node) : NULL;
  return segment && segment->space == space ? segment : NULL;
}

static uint32_t
batch_of(const TnBuffers *b, tn_index i)
{
  return b->batch ? b->batch[i] : 0;
}

static bool
are_exclusive(const TnBuffers *b, tn_index x, tn_index y)
{
  return batch_of(b, x) && batch_of(b, y) && batch_of(b, x) != batch_of(b, y);
}

static bool
has_gaps(const TnBuffers *b, tn_index i)
{
  return b->gap_first && b->gap_first[i + 1] > b->gap_first[i];
}

static void
note(Walk *walk, tn_index earlier, tn_index later)
{
  const TnBuffers *b = walk->buffers;
  TnReusePair pair = {earlier, later};
  if (walk->seen_by[earlier] == later || b->end[earlier] > b->start[later] ||
      are_exclusive(b, earlier, later))
    return;
  walk->seen_by[earlier] = later;
  g_array_append_val(walk->pairs, pair);
}

/* Who had the place before, or has it still: in a gap, or against the rules. */
static void
mark(Walk *walk, tn_index earlier, tn_index later)
{
  if (walk->shares && !are_exclusive(walk->buffers, earlier, later))
    walk->shares[earlier] = walk->shares[later] = 1;
}

/* Whether who comes after `later` must have waited for `earlier`, too: where the one lies in a gap of the
 * other, or both are of batches that never run together, `later` says nothing of `earlier`'s end. */
static bool
is_kept(const TnBuffers *b, tn_index earlier, tn_index later)
{
  if (batch_of(b, earlier) != batch_of(b, later))
    return true;
  return b->end[earlier] > b->start[later] && (has_gaps(b, earlier) || has_gaps(b, later));
}

/* Whether the newcomer leaves one more owner in such a list. */
static bool
may_keep(Walk *walk, bool is_long)
{
  if (!is_long && walk->n_touched <= FEW_TOUCHED)
    return true;
  bool may = is_long ? walk->n_kept++ < MOST_KEPT : walk->n_short++ < MOST_SHORT;
  walk->is_cut |= !may;
  return may;
}

/* The segment with `row` as its last owner.  Owned by the caller. */
static Segment *
pass_on(Walk *walk, const Segment *from, tn_index row)
{
  Segment *to = g_malloc(sizeof *to + (from->n + 1) * sizeof *to->owner);
  *to = (Segment){from->space, from->start, from->end, 0};
  bool is_long = from->n > FEW_KEPT;
  walk->n_touched += !is_long;
  for (uint32_t k = 0; k < from->n; k++) {
    note(walk, from->owner[k], row);
    mark(walk, from->owner[k], row);
    if (is_kept(walk->buffers, from->owner[k], row) && may_keep(walk, is_long))
      to->owner[to->n++] = from->owner[k];
  }
  to->owner[to->n++] = row;
  return to;
}

static void
take(Walk *walk, uint32_t space, tn_bytes start, tn_bytes end, tn_index row)
{
  const Segment fresh = {.space = space};
  g_autofree Segment *own = pass_on(walk, &fresh, row);
  Segment *found;
  tn_bytes at = start;
  walk->last = NULL;
  walk->n_touched = 0;
  while (at < end && (found = first_touched(walk, space, at)) && found->start < end) {
    g_autofree Segment *cut = g_memdup2(found, sizeof *found + found->n * sizeof *found->owner);
    g_autofree Segment *passed = pass_on(walk, cut, row);
    tn_bytes low = MAX(cut->start, at), high = MIN(cut->end, end);
    g_tree_remove(walk->map, found);
    if (cut->start < low)
      put(walk, cut, cut->start, low);
    if (at < low)
      put(walk, own, at, low);
    put(walk, passed, low, high);
    if (cut->end > end)
      put(walk, cut, end, cut->end);
    at = high;
  }
  if (at < end)
    put(walk, own, at, end);
}

static int
compare_starts(const void *a, const void *b, gpointer data)
{
  const TnBuffers *buffers = data;
  tn_index x = *(const tn_index *)a, y = *(const tn_index *)b;
  if (buffers->start[x] != buffers->start[y])
    return buffers->start[x] < buffers->start[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static void
walk_rows(Walk *walk, const tn_bytes *offset)
{
  const TnBuffers *buffers = walk->buffers;
  uint32_t n = buffers->n;
  g_autofree tn_index *order = g_new(tn_index, MAX(n, 1u));
  walk->map = g_tree_new_full(compare_segments, NULL, g_free, NULL);
  walk->pairs = g_array_new(FALSE, FALSE, sizeof(TnReusePair));
  walk->seen_by = g_new(tn_index, MAX(n, 1u));
  for (tn_index i = 0; i < n; i++) {
    order[i] = i;
    walk->seen_by[i] = TN_NONE;
  }
  g_qsort_with_data(order, (int)n, sizeof *order, compare_starts, (gpointer)buffers);
  for (tn_index k = 0; k < n; k++) {
    tn_index i = order[k];
    if (buffers->bytes[i] > 0 && offset[i] != TN_NOT_PLACED)
      take(walk, tn_buffers_space(buffers, i), offset[i], offset[i] + buffers->bytes[i], i);
  }
  g_tree_unref(walk->map);
  g_free(walk->seen_by);
}

GArray *
tn_reuse_pairs_new(const TnBuffers *buffers, const tn_bytes *offset, bool *out_is_cut)
{
  Walk walk = {.buffers = buffers};
  walk_rows(&walk, offset);
  if (out_is_cut)
    *out_is_cut = walk.is_cut;
  return walk.pairs;
}

void
tn_reuse_mark_sharers(const TnBuffers *buffers, const tn_bytes *offset, uint8_t *shares)
{
  Walk walk = {.buffers = buffers, .shares = shares};
  walk_rows(&walk, offset);
  g_array_unref(walk.pairs);
}

/* ---- what the graph asks for already ------------------------------------------------------------- */

typedef struct {
  const TnGraph *graph;
  uint32_t n_words;
  uint64_t *before; /* shape n ops, n_words: the ops that must have ended */
} Ancestors;

static void
inherit(const Ancestors *all, uint32_t op, uint32_t from)
{
  uint64_t *own = all->before + (gsize)op * all->n_words;
  const uint64_t *other = all->before + (gsize)from * all->n_words;
  for (uint32_t w = 0; w < all->n_words; w++)
    own[w] |= other[w];
  own[from / 64] |= UINT64_C(1) << (from % 64);
}

static void
inherit_all(const Ancestors *all, uint32_t op)
{
  const TnOp *at = &g_array_index(all->graph->ops, TnOp, op);
  for (uint32_t i = 0; i < at->n_inputs; i++) {
    uint32_t tensor = g_array_index(all->graph->inputs, uint32_t, at->first_input + i);
    uint32_t producer =
        tensor == TN_NONE ? TN_NONE
                          : g_array_index(all->graph->tensors, TnTensor, tensor).producer;
    if (producer != TN_NONE && producer != op)
      inherit(all, op, producer);
  }
  for (uint32_t i = 0; i < at->n_after; i++)
    inherit(all, op, g_array_index(all->graph->after, uint32_t, at->first_after + i));
}

static bool
waits(const Ancestors *all, uint32_t op, uint32_t for_op)
{
  return all->before[(gsize)op * all->n_words + for_op / 64] >> (for_op % 64) & 1;
}

static uint32_t
op_at(const uint32_t *order, uint32_t n_ops, tn_tick tick)
{
  tn_tick place = tick / 3;
  return place < 0 || place >= (tn_tick)n_ops ? TN_NONE : order[place];
}

int64_t
tn_reuse_count_waits(const TnGraph *graph,
                     const uint32_t *order,
                     const TnBuffers *buffers,
                     const GArray *pairs)
{
  uint32_t n_ops = graph->ops->len;
  int64_t n = 0;
  if (n_ops > MOST_OPS)
    return -1;
  Ancestors all = {graph, (n_ops + 63) / 64, NULL};
  all.before = g_new0(uint64_t, MAX((gsize)n_ops * all.n_words, (gsize)1));
  for (uint32_t i = 0; i < n_ops; i++)
    inherit_all(&all, order[i]);
  for (guint i = 0; i < pairs->len; i++) {
    const TnReusePair *pair = &g_array_index(pairs, TnReusePair, i);
    uint32_t from = op_at(order, n_ops, buffers->end[pair->earlier] - 1);
    uint32_t to = op_at(order, n_ops, buffers->start[pair->later]);
    if (from == TN_NONE || to == TN_NONE || from == to || waits(&all, to, from))
      continue;
    /* Counted once, and what waits for `to` waits for it too only where the graph says so. */
    all.before[(gsize)to * all.n_words + from / 64] |= UINT64_C(1) << (from % 64);
    n++;
  }
  g_free(all.before);
  return n;
}
