/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/offset-tree.h"

TnOffsetTree *
tn_offset_tree_new(const tn_bytes *low, const tn_bytes *high, uint32_t n)
{
  TnOffsetTree *tree = g_new0(TnOffsetTree, 1);
  tree->low = low;
  tree->high = high;
  tree->left = g_new(uint32_t, n);
  tree->right = g_new(uint32_t, n);
  tree->reach = g_new(tn_bytes, n);
  return tree;
}

void
tn_offset_tree_free(TnOffsetTree *tree)
{
  if (!tree)
    return;
  g_free(tree->left);
  g_free(tree->right);
  g_free(tree->reach);
  g_free(tree);
}

/* A node's place in the heap order: the same in every run. */
static inline uint32_t
weight(uint32_t node)
{
  uint32_t h = node * 0x9E3779B1u;
  h = (h ^ (h >> 15)) * 0x85EBCA77u;
  return h ^ (h >> 13);
}

static inline bool
is_before(const TnOffsetTree *tree, uint32_t a, uint32_t b)
{
  return tree->low[a] != tree->low[b] ? tree->low[a] < tree->low[b] : a < b;
}

static inline void
update(TnOffsetTree *tree, uint32_t node)
{
  tn_bytes reach = tree->high[node];
  uint32_t left = tree->left[node], right = tree->right[node];
  if (left != TN_NONE)
    reach = MAX(reach, tree->reach[left]);
  if (right != TN_NONE)
    reach = MAX(reach, tree->reach[right]);
  tree->reach[node] = reach;
}

/* Cuts `root` into what lies before `key` and what does not. */
static void
split(TnOffsetTree *tree, uint32_t root, uint32_t key, uint32_t *out_before, uint32_t *out_after)
{
  if (root == TN_NONE) {
    *out_before = *out_after = TN_NONE;
    return;
  }
  if (is_before(tree, root, key)) {
    split(tree, tree->right[root], key, &tree->right[root], out_after);
    *out_before = root;
  } else {
    split(tree, tree->left[root], key, out_before, &tree->left[root]);
    *out_after = root;
  }
  update(tree, root);
}

/* Everything in `a` lies before everything in `b`. */
static uint32_t
merge(TnOffsetTree *tree, uint32_t a, uint32_t b)
{
  if (a == TN_NONE || b == TN_NONE)
    return a == TN_NONE ? b : a;
  if (weight(a) > weight(b)) {
    tree->right[a] = merge(tree, tree->right[a], b);
    update(tree, a);
    return a;
  }
  tree->left[b] = merge(tree, a, tree->left[b]);
  update(tree, b);
  return b;
}

void
tn_offset_tree_insert(TnOffsetTree *tree, uint32_t *root, uint32_t node)
{
  tn_bytes high = tree->high[node];
  while (*root != TN_NONE && weight(*root) >= weight(node)) {
    tree->reach[*root] = MAX(tree->reach[*root], high);
    root = is_before(tree, *root, node) ? &tree->right[*root] : &tree->left[*root];
  }
  uint32_t before, after;
  split(tree, *root, node, &before, &after);
  tree->left[node] = before;
  tree->right[node] = after;
  update(tree, node);
  *root = node;
}

void
tn_offset_tree_remove(TnOffsetTree *tree, uint32_t *root, uint32_t node)
{
  if (*root == TN_NONE)
    return;
  if (*root == node) {
    *root = merge(tree, tree->left[node], tree->right[node]);
    return;
  }
  uint32_t parent = *root;
  bool is_right = is_before(tree, parent, node);
  tn_offset_tree_remove(tree, is_right ? &tree->right[parent] : &tree->left[parent], node);
  update(tree, parent);
}

bool
tn_offset_tree_find(const TnOffsetTree *tree,
                    uint32_t root,
                    tn_bytes low,
                    tn_bytes high,
                    const TnOffsetVisitor *visitor)
{
  while (root != TN_NONE && tree->reach[root] > low) {
    if (!tn_offset_tree_find(tree, tree->left[root], low, high, visitor))
      return false;
    if (tree->low[root] >= high)
      return true;
    if (tree->high[root] > low && !visitor->visit(root, visitor->payload))
      return false;
    root = tree->right[root];
  }
  return true;
}
