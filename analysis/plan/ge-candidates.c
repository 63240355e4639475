/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/ge-candidates.h"

/* Of a stretch of blocks: the least of what they ask for, and of their members the earliest end, the
 * latest start and the shortest life. */
typedef struct {
  tn_bytes align;
  tn_tick end, start, life;
} Node;

static const Node nothing = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX};

struct TnGeCandidates {
  const TnGePlan *plan;
  GArray *order;   /* uint32_t */
  Node *nodes;     /* leaves from `width` on */
  uint32_t width;  /* a power of two */
};

static Node
node_of(const TnGePlan *plan, uint32_t b)
{
  const TnGeBlock *block = tn_ge_block(plan, b);
  Node node = nothing;
  node.align = block->align;
  for (guint m = 0; m < block->members->len; m++) {
    const TnGeMember *item = tn_ge_member(block, m);
    node.end = MIN(node.end, item->end);
    node.start = MAX(node.start, item->start);
    node.life = MIN(node.life, item->end - item->start);
  }
  return node;
}

static Node
join(const Node *a, const Node *b)
{
  return (Node){MIN(a->align, b->align), MIN(a->end, b->end), MAX(a->start, b->start),
                MIN(a->life, b->life)};
}

static void
set_leaf(TnGeCandidates *c, uint32_t place, Node node)
{
  uint32_t i = c->width + place;
  c->nodes[i] = node;
  for (i /= 2; i > 0; i /= 2)
    c->nodes[i] = join(&c->nodes[2 * i], &c->nodes[2 * i + 1]);
}

/* A wider tree, with what the old one has; what was taken away stays away. */
static void
widen(TnGeCandidates *c, uint32_t n)
{
  uint32_t had = c->width;
  Node *old = c->nodes;
  while (c->width < n)
    c->width = c->width ? c->width * 2 : 64;
  c->nodes = g_new(Node, (gsize)c->width * 2);
  for (uint32_t i = 0; i < c->width; i++)
    c->nodes[c->width + i] = i < had ? old[had + i] : nothing;
  for (uint32_t i = c->width - 1; i > 0; i--)
    c->nodes[i] = join(&c->nodes[2 * i], &c->nodes[2 * i + 1]);
  g_free(old);
}

TnGeCandidates *
tn_ge_candidates_new(const TnGePlan *plan, const uint32_t *order, uint32_t n)
{
  TnGeCandidates *c = g_new0(TnGeCandidates, 1);
  c->plan = plan;
  c->order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_vals(c->order, order, n);
  widen(c, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    c->nodes[c->width + i] = node_of(plan, order[i]);
  for (uint32_t i = c->width - 1; i > 0; i--)
    c->nodes[i] = join(&c->nodes[2 * i], &c->nodes[2 * i + 1]);
  return c;
}

void
tn_ge_candidates_free(TnGeCandidates *c)
{
  if (!c)
    return;
  g_array_unref(c->order);
  g_free(c->nodes);
  g_free(c);
}

void
tn_ge_candidates_append(TnGeCandidates *c, uint32_t block)
{
  uint32_t place = c->order->len;
  g_array_append_val(c->order, block);
  if (place == c->width)
    widen(c, place + 1);
  set_leaf(c, place, node_of(c->plan, block));
}

void
tn_ge_candidates_remove(TnGeCandidates *c, uint32_t place)
{
  set_leaf(c, place, nothing);
}

uint32_t
tn_ge_candidates_n(const TnGeCandidates *c)
{
  return c->order->len;
}

uint32_t
tn_ge_candidates_at(const TnGeCandidates *c, uint32_t place)
{
  return g_array_index(c->order, uint32_t, place);
}

static inline bool
may_fit(const Node *node, const TnGeIdle *idle)
{
  return node->align <= idle->room && (node->end <= idle->first_start ||
                                       node->start >= idle->last_end ||
                                       node->life <= idle->longest_gap);
}

uint32_t
tn_ge_candidates_next(const TnGeCandidates *c, uint32_t from, const TnGeIdle *idle)
{
  uint32_t i = c->width + from;
  if (from >= c->width)
    return TN_NONE;
  for (;;) { /* a stretch may fit although none of its blocks does: each condition by another */
    while (!may_fit(&c->nodes[i], idle)) {
      while (i & 1)
        i /= 2;
      if (i == 0)
        return TN_NONE;
      i++;
    }
    if (i >= c->width)
      return i - c->width;
    i *= 2;
  }
}
