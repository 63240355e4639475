/* SPDX-License-Identifier: MIT */
/* A set of address intervals [low, high), ordered by address, which finds all that meet another
 * interval even when they meet one another.  Built for the checker's sweep; no planner uses it.
 *
 * Method: treap over rows of two borrowed arrays, each node with the largest `high` below it
 * (Cormen et al., "Interval trees").  One set of nodes serves many trees, each named by its root;
 * a node may be in one tree at a time. */
#pragma once

#include "data/types.h"

typedef struct {
  const tn_bytes *low, *high; /* shape n, borrowed; low < high */
  uint32_t *left, *right;
  tn_bytes *reach; /* largest high of the node's subtree */
} TnOffsetTree;

typedef struct {
  /* Called for each interval that meets the wanted one; false stops the search. */
  bool (*visit)(uint32_t node, void *payload);
  void *payload;
} TnOffsetVisitor;

TnOffsetTree *tn_offset_tree_new(const tn_bytes *low, const tn_bytes *high, uint32_t n);
void tn_offset_tree_free(TnOffsetTree *tree);

/* *root is TN_NONE for an empty tree.  O(log n) each. */
void tn_offset_tree_insert(TnOffsetTree *tree, uint32_t *root, uint32_t node);
void tn_offset_tree_remove(TnOffsetTree *tree, uint32_t *root, uint32_t node);

/* Visits every interval of the tree that meets [low, high), by address; false where the visitor
 * stopped it.  O(k log n) for k of them, O(log n) for none. */
bool tn_offset_tree_find(const TnOffsetTree *tree,
                         uint32_t root,
                         tn_bytes low,
                         tn_bytes high,
                         const TnOffsetVisitor *visitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOffsetTree, tn_offset_tree_free)
