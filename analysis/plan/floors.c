/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/floors.h"

#include <string.h>

typedef struct {
  tn_bytes low, high;
} Block;

typedef struct {
  Block *blocks; /* bottom to top, apart from each other */
  uint32_t n, room;
  tn_bytes top;         /* the highest in it and below it */
  tn_bytes least, most; /* floors of its sections; equal: those of its children are not kept */
} Node;

struct TnFloors {
  const TnBodies *bodies;
  Node *nodes; /* a heap: node i has the children 2 i and 2 i + 1 */
  uint32_t n_leaves;
  TnForbidden *found;
  uint32_t n_found, room;
};

/* A node and the sections that it stands for. */
typedef struct {
  uint32_t node, first, last;
} Place;

static Place
root_of(const TnFloors *floors)
{
  return (Place){1, 0, floors->n_leaves};
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

TnFloors *
tn_floors_new(const TnBodies *bodies)
{
  TnFloors *floors = g_new0(TnFloors, 1);
  floors->bodies = bodies;
  floors->n_leaves = 1;
  while (floors->n_leaves < bodies->n_sections)
    floors->n_leaves *= 2;
  floors->nodes = g_new0(Node, 2 * (gsize)floors->n_leaves);
  return floors;
}

void
tn_floors_free(TnFloors *floors)
{
  if (!floors)
    return;
  for (gsize i = 0; i < 2 * (gsize)floors->n_leaves; i++)
    g_free(floors->nodes[i].blocks);
  g_free(floors->nodes);
  g_free(floors->found);
  g_free(floors);
}

/* ---- floors -------------------------------------------------------------------------------------- */

static void
hand_down(TnFloors *floors, Place at)
{
  Node *node = &floors->nodes[at.node];
  if (node->least != node->most)
    return;
  for (uint32_t child = 2 * at.node; child <= 2 * at.node + 1; child++)
    floors->nodes[child].least = floors->nodes[child].most = node->least;
}

static tn_bytes
highest_floor(TnFloors *floors, Place at, const TnSpan *span)
{
  const Node *node = &floors->nodes[at.node];
  if (is_apart(at, span))
    return 0;
  if (is_covered(at, span) || node->least == node->most)
    return node->most;
  return MAX(highest_floor(floors, left_of(at), span), highest_floor(floors, right_of(at), span));
}

/* Where the floor is `from`, it becomes `to`. */
static void
lift(TnFloors *floors, Place at, const TnSpan *span, tn_bytes from, tn_bytes to)
{
  Node *node = &floors->nodes[at.node];
  if (is_apart(at, span) || node->most < from || node->least > from)
    return;
  if (is_covered(at, span) && node->least == node->most) {
    node->least = node->most = to;
    return;
  }
  hand_down(floors, at);
  lift(floors, left_of(at), span, from, to);
  lift(floors, right_of(at), span, from, to);
  const Node *left = &floors->nodes[2 * at.node], *right = left + 1;
  node->least = MIN(left->least, right->least);
  node->most = MAX(left->most, right->most);
}

/* ---- blocks -------------------------------------------------------------------------------------- */

/* The lowest block that ends above `from`. */
static uint32_t
first_above(const Node *node, tn_bytes from)
{
  uint32_t low = 0, high = node->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (node->blocks[middle].high > from)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void
insert(Node *node, uint32_t at, tn_bytes low, tn_bytes high)
{
  if (node->n == node->room) {
    node->room = node->room ? node->room * 2 : 2;
    node->blocks = g_renew(Block, node->blocks, node->room);
  }
  memmove(node->blocks + at + 1, node->blocks + at, (node->n - at) * sizeof(Block));
  node->blocks[at] = (Block){low, high};
  node->n++;
}

static void
add_block(Node *node, tn_bytes low, tn_bytes high)
{
  uint32_t at = first_above(node, low);
  bool meets_below = at > 0 && node->blocks[at - 1].high == low;
  bool meets_above = at < node->n && node->blocks[at].low == high;
  if (meets_below && meets_above) {
    node->blocks[at - 1].high = node->blocks[at].high;
    node->n--;
    memmove(node->blocks + at, node->blocks + at + 1, (node->n - at) * sizeof(Block));
  } else if (meets_below) {
    node->blocks[at - 1].high = high;
  } else if (meets_above) {
    node->blocks[at].low = low;
  } else {
    insert(node, at, low, high);
  }
}

static void
add(TnFloors *floors, Place at, const TnSpan *span, tn_bytes low, tn_bytes high)
{
  if (is_apart(at, span))
    return;
  Node *node = &floors->nodes[at.node];
  node->top = MAX(node->top, high);
  if (is_covered(at, span)) {
    add_block(node, low, high);
    return;
  }
  add(floors, left_of(at), span, low, high);
  add(floors, right_of(at), span, low, high);
}

/* ---- looking ------------------------------------------------------------------------------------- */

static void
find(TnFloors *floors, Place at, const TnSpan *span, tn_bytes from)
{
  const Node *node = &floors->nodes[at.node];
  if (node->top <= from || is_apart(at, span))
    return;
  uint32_t first = first_above(node, from), n = node->n - first;
  if (floors->n_found + n > floors->room) {
    floors->room = MAX(2 * floors->room, floors->n_found + n);
    floors->found = g_renew(TnForbidden, floors->found, floors->room);
  }
  for (uint32_t i = first; i < node->n; i++)
    floors->found[floors->n_found++] =
        (TnForbidden){node->blocks[i].low - span->high, node->blocks[i].high};
  if (at.node >= floors->n_leaves)
    return;
  find(floors, left_of(at), span, from);
  find(floors, right_of(at), span, from);
}

TnForbidden *
tn_floors_forbidden(TnFloors *floors, uint32_t b, tn_bytes *out_from, uint32_t *out_n)
{
  const TnSpan *span = &floors->bodies->spans[floors->bodies->span_first[b]];
  *out_from = highest_floor(floors, root_of(floors), span);
  floors->n_found = 0;
  find(floors, root_of(floors), span, *out_from);
  *out_n = floors->n_found;
  return floors->found;
}

void
tn_floors_place(TnFloors *floors, uint32_t b, tn_bytes offset)
{
  const TnSpan *span = &floors->bodies->spans[floors->bodies->span_first[b]];
  tn_bytes high = offset + floors->bodies->size[b];
  if (high == offset)
    return;
  add(floors, root_of(floors), span, offset, high);
  lift(floors, root_of(floors), span, offset, high);
}
