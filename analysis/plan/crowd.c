/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/crowd.h"

#include <string.h>

typedef struct {
  tn_bytes low, high;
} Block;

/* Addresses that are taken, as blocks from bottom to top, apart from each other. */
typedef struct {
  Block *blocks;
  uint32_t n, room;
  tn_bytes bytes; /* of all that was taken, overlaps counted again; may wrap */
} Taken;

typedef struct {
  Taken whole, any;
} Node;

/* A set of blocks that a life meets, and the first of them that is not passed. */
typedef struct {
  const Taken *taken;
  uint32_t next;
} Met;

/* A life leaves the path down at two nodes of a level at most, and meets a node above each. */
#define N_MET_MAX (4 * 33)

struct TnCrowd {
  const TnBodies *bodies;
  Node *nodes; /* a heap: node i has the children 2 i and 2 i + 1 */
  uint32_t n_leaves;
  tn_bytes joins; /* no body fits into a gap of so many bytes */
};

/* A node and the sections that it stands for. */
typedef struct {
  uint32_t node, first, last;
} Place;

static Place
root_of(const TnCrowd *crowd)
{
  return (Place){1, 0, crowd->n_leaves};
}

static Place
left_of(Place at)
{
  return (Place){2 * at.node, at.first, at.first + (at.last - at.first) / 2};
}

static Place
right_of(Place at)
{
  return (Place){2 * at.node + 1, at.first + (at.last - at.first) / 2, at.last};
}

static inline bool
is_apart(Place at, const TnSpan *span)
{
  return span->last <= at.first || at.last <= span->first;
}

static inline bool
is_covered(Place at, const TnSpan *span)
{
  return span->first <= at.first && at.last <= span->last;
}

static inline const TnSpan *
span_of(const TnCrowd *crowd, uint32_t b)
{
  return &crowd->bodies->spans[crowd->bodies->span_first[b]];
}

TnCrowd *
tn_crowd_new(const TnBodies *bodies)
{
  TnCrowd *crowd = g_new0(TnCrowd, 1);
  tn_bytes least = INT64_MAX;
  for (uint32_t b = 0; b < bodies->n; b++)
    least = MIN(least, bodies->size[b]);
  crowd->bodies = bodies;
  crowd->joins = MAX(least - 1, 0);
  crowd->n_leaves = 1;
  while (crowd->n_leaves < bodies->n_sections)
    crowd->n_leaves *= 2;
  crowd->nodes = g_new0(Node, 2 * (gsize)crowd->n_leaves);
  return crowd;
}

void
tn_crowd_free(TnCrowd *crowd)
{
  if (!crowd)
    return;
  for (gsize i = 0; i < 2 * (gsize)crowd->n_leaves; i++) {
    g_free(crowd->nodes[i].whole.blocks);
    g_free(crowd->nodes[i].any.blocks);
  }
  g_free(crowd->nodes);
  g_free(crowd);
}

/* The first block from `from` on that ends at `end` or above. */
static uint32_t
first_reaching(const Taken *taken, uint32_t from, tn_bytes end)
{
  uint32_t low = from, high = taken->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (taken->blocks[middle].high >= end)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* ---- placing ------------------------------------------------------------------------------------- */

/* Puts one block in the place of those in [first, last). */
static void
replace(Taken *taken, uint32_t first, uint32_t last, Block block)
{
  if (first == last && taken->n == taken->room) {
    taken->room = taken->room ? taken->room + taken->room / 2 + 1 : 2;
    taken->blocks = g_renew(Block, taken->blocks, taken->room);
  }
  if (last != first + 1)
    memmove(taken->blocks + first + 1, taken->blocks + last, (taken->n - last) * sizeof(Block));
  taken->n = taken->n + 1 - (last - first);
  taken->blocks[first] = block;
}

/* Joins what is no more than `joins` bytes apart. */
static void
take(Taken *taken, Block block, tn_bytes joins)
{
  uint32_t first = first_reaching(taken, 0, block.low - joins), last = first;
  taken->bytes = (tn_bytes)((uint64_t)taken->bytes + (uint64_t)(block.high - block.low));
  for (; last < taken->n && taken->blocks[last].low - joins <= block.high; last++) {
    block.low = MIN(block.low, taken->blocks[last].low);
    block.high = MAX(block.high, taken->blocks[last].high);
  }
  replace(taken, first, last, block);
}

static void
add(TnCrowd *crowd, Place at, const TnSpan *span, Block block)
{
  if (is_apart(at, span))
    return;
  Node *node = &crowd->nodes[at.node];
  take(&node->any, block, crowd->joins);
  if (is_covered(at, span)) {
    take(&node->whole, block, crowd->joins);
    return;
  }
  add(crowd, left_of(at), span, block);
  add(crowd, right_of(at), span, block);
}

void
tn_crowd_place(TnCrowd *crowd, uint32_t b, tn_bytes offset)
{
  Block block = {offset, offset + crowd->bodies->size[b]};
  if (block.high > block.low)
    add(crowd, root_of(crowd), span_of(crowd, b), block);
}

/* ---- looking ------------------------------------------------------------------------------------- */

/* Those of which the most was taken come first: they leave the least. */
static uint32_t
insert_met(Met *met, uint32_t n, const Taken *taken)
{
  uint32_t i = n;
  for (; i > 0 && met[i - 1].taken->bytes < taken->bytes; i--)
    met[i] = met[i - 1];
  met[i] = (Met){taken, 0};
  return n + 1;
}

static uint32_t
collect(const TnCrowd *crowd, Place at, const TnSpan *span, Met *met, uint32_t n)
{
  if (is_apart(at, span))
    return n;
  const Node *node = &crowd->nodes[at.node];
  bool covers = is_covered(at, span);
  const Taken *taken = covers ? &node->any : &node->whole;
  if (taken->n)
    n = insert_met(met, n, taken);
  if (covers)
    return n;
  n = collect(crowd, left_of(at), span, met, n);
  return collect(crowd, right_of(at), span, met, n);
}

/* The lowest offset >= x that leaves these blocks room for the body. */
static tn_bytes
rise(const TnCrowd *crowd, uint32_t b, Met *met, tn_bytes x)
{
  const Taken *taken = met->taken;
  const Block *blocks = taken->blocks;
  tn_bytes size = crowd->bodies->size[b];
  uint32_t i = met->next;
  if (i < taken->n && blocks[i].high <= x)
    i = first_reaching(taken, i, x + 1);
  for (; i < taken->n && blocks[i].low - size < x; i++)
    if (blocks[i].high > x)
      x = tn_bodies_align(crowd->bodies, b, blocks[i].high);
  met->next = i;
  return x;
}

tn_bytes
tn_crowd_lowest(TnCrowd *crowd, uint32_t b)
{
  Met met[N_MET_MAX];
  uint32_t n = collect(crowd, root_of(crowd), span_of(crowd, b), met, 0), k = 0;
  tn_bytes x = tn_bodies_align(crowd->bodies, b, 0);
  while (k < n) {
    tn_bytes higher = rise(crowd, b, &met[k], x);
    k = higher == x ? k + 1 : 0;
    x = higher;
  }
  return x;
}
