/* SPDX-License-Identifier: MIT */
/* Two treaps over the same nodes: one by address, which also knows the largest hole below each
 * node, one by (size, address). */
#include "config.h"

#include "analysis/plan/holes.h"

enum { BY_ADDRESS, BY_SIZE, N_TREES };

#define NIL 0u /* node 0 is nobody */

typedef struct {
  tn_bytes offset, size;
  tn_bytes largest; /* in its subtree by address */
  uint32_t left[N_TREES], right[N_TREES];
  uint32_t priority;
} Hole;

struct TnHoleTree {
  Hole *nodes;
  uint32_t root[N_TREES];
  uint32_t n, spare; /* spare: list of unused nodes through left[0] */
  uint32_t random;
};

static inline bool
is_before(int tree, const Hole *a, const Hole *b)
{
  if (tree == BY_SIZE && a->size != b->size)
    return a->size < b->size;
  return a->offset < b->offset;
}

static inline void
update(TnHoleTree *holes, int tree, uint32_t node)
{
  if (tree != BY_ADDRESS)
    return;
  Hole *hole = &holes->nodes[node];
  tn_bytes left = holes->nodes[hole->left[tree]].largest;
  tn_bytes right = holes->nodes[hole->right[tree]].largest;
  hole->largest = MAX(hole->size, MAX(left, right));
}

/* Splits the tree at `node` into those before and those after `key`. */
static void
split(TnHoleTree *holes,
      int tree,
      uint32_t node,
      const Hole *key,
      uint32_t *out_left,
      uint32_t *out_right)
{
  if (node == NIL) {
    *out_left = *out_right = NIL;
    return;
  }
  Hole *hole = &holes->nodes[node];
  if (is_before(tree, hole, key)) {
    split(holes, tree, hole->right[tree], key, &hole->right[tree], out_right);
    *out_left = node;
  } else {
    split(holes, tree, hole->left[tree], key, out_left, &hole->left[tree]);
    *out_right = node;
  }
  update(holes, tree, node);
}

static uint32_t
merge(TnHoleTree *holes, int tree, uint32_t left, uint32_t right)
{
  if (left == NIL || right == NIL)
    return left == NIL ? right : left;
  uint32_t top = holes->nodes[left].priority > holes->nodes[right].priority ? left : right;
  Hole *hole = &holes->nodes[top];
  if (top == left)
    hole->right[tree] = merge(holes, tree, hole->right[tree], right);
  else
    hole->left[tree] = merge(holes, tree, left, hole->left[tree]);
  update(holes, tree, top);
  return top;
}

static uint32_t
insert_at(TnHoleTree *holes, int tree, uint32_t at, uint32_t node)
{
  Hole *hole = &holes->nodes[node];
  if (at == NIL || holes->nodes[at].priority < hole->priority) {
    split(holes, tree, at, hole, &hole->left[tree], &hole->right[tree]);
    update(holes, tree, node);
    return node;
  }
  Hole *parent = &holes->nodes[at];
  if (is_before(tree, hole, parent))
    parent->left[tree] = insert_at(holes, tree, parent->left[tree], node);
  else
    parent->right[tree] = insert_at(holes, tree, parent->right[tree], node);
  update(holes, tree, at);
  return at;
}

static uint32_t
remove_at(TnHoleTree *holes, int tree, uint32_t at, uint32_t node)
{
  Hole *parent = &holes->nodes[at];
  if (at == node)
    return merge(holes, tree, parent->left[tree], parent->right[tree]);
  if (is_before(tree, &holes->nodes[node], parent))
    parent->left[tree] = remove_at(holes, tree, parent->left[tree], node);
  else
    parent->right[tree] = remove_at(holes, tree, parent->right[tree], node);
  update(holes, tree, at);
  return at;
}

static void
add_hole(TnHoleTree *holes, tn_bytes offset, tn_bytes size)
{
  uint32_t node = holes->spare;
  if (node != NIL)
    holes->spare = holes->nodes[node].left[0];
  else
    node = ++holes->n;
  holes->random = holes->random * 1664525u + 1013904223u;
  holes->nodes[node] =
      (Hole){.offset = offset, .size = size, .largest = size, .priority = holes->random >> 2};
  for (int tree = 0; tree < N_TREES; tree++)
    holes->root[tree] = insert_at(holes, tree, holes->root[tree], node);
}

static void
remove_hole(TnHoleTree *holes, uint32_t node)
{
  for (int tree = 0; tree < N_TREES; tree++)
    holes->root[tree] = remove_at(holes, tree, holes->root[tree], node);
  holes->nodes[node].left[0] = holes->spare;
  holes->spare = node;
}

/* The last hole that begins at or before `offset`, NIL. */
static uint32_t
find_before(const TnHoleTree *holes, tn_bytes offset)
{
  uint32_t found = NIL;
  for (uint32_t node = holes->root[BY_ADDRESS]; node != NIL;) {
    const Hole *hole = &holes->nodes[node];
    if (hole->offset <= offset) {
      found = node;
      node = hole->right[BY_ADDRESS];
    } else
      node = hole->left[BY_ADDRESS];
  }
  return found;
}

/* The first multiple of `alignment` in the hole with `size` bytes behind it, -1. */
static tn_bytes
fit(const Hole *hole, tn_bytes size, tn_bytes alignment)
{
  tn_bytes over = alignment > 1 ? hole->offset % alignment : 0;
  tn_bytes offset = over ? hole->offset + alignment - over : hole->offset;
  return offset + size <= hole->offset + hole->size ? offset : -1;
}

static tn_bytes
lowest_at(const TnHoleTree *holes, uint32_t node, tn_bytes size, tn_bytes alignment)
{
  const Hole *hole = &holes->nodes[node];
  if (node == NIL || hole->largest < size)
    return -1;
  tn_bytes offset = lowest_at(holes, hole->left[BY_ADDRESS], size, alignment);
  if (offset < 0)
    offset = fit(hole, size, alignment);
  return offset >= 0 ? offset : lowest_at(holes, hole->right[BY_ADDRESS], size, alignment);
}

tn_bytes
tn_hole_tree_lowest(const TnHoleTree *holes, tn_bytes size, tn_bytes alignment)
{
  return lowest_at(holes, holes->root[BY_ADDRESS], size, alignment);
}

static tn_bytes
tightest_at(const TnHoleTree *holes, uint32_t node, tn_bytes size, tn_bytes alignment)
{
  const Hole *hole = &holes->nodes[node];
  if (node == NIL)
    return -1;
  if (hole->size < size)
    return tightest_at(holes, hole->right[BY_SIZE], size, alignment);
  tn_bytes offset = tightest_at(holes, hole->left[BY_SIZE], size, alignment);
  if (offset < 0)
    offset = fit(hole, size, alignment);
  return offset >= 0 ? offset : tightest_at(holes, hole->right[BY_SIZE], size, alignment);
}

tn_bytes
tn_hole_tree_tightest(const TnHoleTree *holes, tn_bytes size, tn_bytes alignment)
{
  return tightest_at(holes, holes->root[BY_SIZE], size, alignment);
}

bool
tn_hole_tree_are_free(const TnHoleTree *holes, tn_bytes offset, tn_bytes size)
{
  uint32_t node = find_before(holes, offset);
  return node != NIL && offset + size <= holes->nodes[node].offset + holes->nodes[node].size;
}

void
tn_hole_tree_take(TnHoleTree *holes, tn_bytes offset, tn_bytes size)
{
  uint32_t node = find_before(holes, offset);
  Hole hole = holes->nodes[node];
  tn_bytes after = offset + size, end = hole.offset + hole.size;
  remove_hole(holes, node);
  if (hole.offset < offset)
    add_hole(holes, hole.offset, offset - hole.offset);
  if (after < end)
    add_hole(holes, after, end - after);
}

void
tn_hole_tree_give(TnHoleTree *holes, tn_bytes offset, tn_bytes size)
{
  tn_bytes end = offset + size;
  uint32_t after = find_before(holes, end), before;
  if (after != NIL && holes->nodes[after].offset == end) {
    end += holes->nodes[after].size;
    remove_hole(holes, after);
  }
  before = find_before(holes, offset);
  if (before != NIL && holes->nodes[before].offset + holes->nodes[before].size == offset) {
    offset = holes->nodes[before].offset;
    remove_hole(holes, before);
  }
  add_hole(holes, offset, end - offset);
}

/* The endless hole is the largest of all: the one before it in the tree by size. */
tn_bytes
tn_hole_tree_largest(const TnHoleTree *holes)
{
  tn_bytes before = 0;
  uint32_t node = holes->root[BY_SIZE];
  while (holes->nodes[node].right[BY_SIZE] != NIL) {
    before = holes->nodes[node].size;
    node = holes->nodes[node].right[BY_SIZE];
  }
  for (node = holes->nodes[node].left[BY_SIZE]; node != NIL;
       node = holes->nodes[node].right[BY_SIZE])
    before = holes->nodes[node].size;
  return before;
}

tn_bytes
tn_hole_tree_end(const TnHoleTree *holes)
{
  return holes->nodes[find_before(holes, TN_HOLES_END)].offset;
}

TnHoleTree *
tn_hole_tree_new(uint32_t n_max)
{
  TnHoleTree *holes = g_new0(TnHoleTree, 1);
  /* Pieces taken leave at most one hole more; one more while a hole is cut in two. */
  holes->nodes = g_new(Hole, (gsize)n_max + 4);
  holes->nodes[NIL] = (Hole){0};
  holes->random = 1;
  add_hole(holes, 0, TN_HOLES_END);
  return holes;
}

void
tn_hole_tree_free(TnHoleTree *holes)
{
  if (!holes)
    return;
  g_free(holes->nodes);
  g_free(holes);
}
