/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/symmetry.h"

#include <stdlib.h>
#include <string.h>

/* A chain: ops of which each but the last has one op after it, each but the first one before it. */
typedef struct {
  uint32_t first, n; /* into the flat list of ops */
  uint64_t hash;
} Chain;

typedef struct {
  const TnOrderModel *model;
  GArray *chains; /* Chain */
  GArray *ops;    /* uint32_t */
  uint32_t *at;   /* by op: where it is in `ops`; TN_NONE */
} Finder;

/* Two chains of n ops. */
typedef struct {
  const TnOrderModel *model;
  const uint32_t *a, *b; /* shape n */
  uint32_t n, first_a;   /* where a begins in the flat list … */
  const uint32_t *at;    /* … and the place of each op there */
} Twins;

static uint32_t
n_of(const uint32_t *first, uint32_t i)
{
  return first[i + 1] - first[i];
}

/* The op that continues the chain of `op`; TN_NONE: it ends here. */
static uint32_t
follower(const TnOrderModel *model, uint32_t op)
{
  if (n_of(model->next_first, op) != 1)
    return TN_NONE;
  uint32_t next = model->next[model->next_first[op]];
  return n_of(model->before_first, next) == 1 ? next : TN_NONE;
}

static bool
is_head(const TnOrderModel *model, uint32_t op)
{
  if (n_of(model->before_first, op) != 1)
    return true;
  return follower(model, model->before[model->before_first[op]]) != op;
}

static uint64_t
mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

static bool
makes_kept(const TnOrderModel *model, uint32_t op)
{
  for (uint32_t k = model->made_first[op]; k < model->made_first[op + 1]; k++)
    if (model->is_kept[model->made[k]])
      return true;
  return false;
}

static void
add_chain(Finder *finder, uint32_t head)
{
  const TnOrderModel *model = finder->model;
  Chain chain = {finder->ops->len, 0, 0};
  uint32_t last = head;
  for (uint32_t op = head; op != TN_NONE; op = follower(model, op)) {
    if (makes_kept(model, op)) {
      g_array_set_size(finder->ops, chain.first);
      return;
    }
    g_array_append_val(finder->ops, op);
    chain.n++;
    chain.hash = mix(chain.hash, (uint64_t)model->made_bytes[op]);
    chain.hash = mix(chain.hash, (uint64_t)model->scratch[op]);
    last = op;
  }
  for (uint32_t k = model->before_first[head]; k < model->before_first[head + 1]; k++)
    chain.hash = mix(chain.hash, model->before[k]);
  for (uint32_t k = model->next_first[last]; k < model->next_first[last + 1]; k++)
    chain.hash = mix(chain.hash, model->next[k]);
  g_array_append_val(finder->chains, chain);
}

/* ---- whether two chains are copies ----------------------------------------------------- */

/* Where in chain a the op is; TN_NONE: not there. */
static uint32_t
place_in_a(const Twins *twins, uint32_t op)
{
  uint32_t at = op < twins->model->n ? twins->at[op] : TN_NONE;
  return at != TN_NONE && at >= twins->first_a && at - twins->first_a < twins->n
             ? at - twins->first_a
             : TN_NONE;
}

/* Which buffer of chain b stands where `buffer` does in chain a: itself where it is made outside.
 */
static uint32_t
twin_of(const Twins *twins, uint32_t buffer)
{
  const TnOrderModel *model = twins->model;
  uint32_t i = place_in_a(twins, model->maker[buffer]);
  if (i == TN_NONE)
    return buffer;
  uint32_t first_a = model->made_first[twins->a[i]], first_b = model->made_first[twins->b[i]];
  uint32_t n = MIN(n_of(model->made_first, twins->a[i]), n_of(model->made_first, twins->b[i]));
  for (uint32_t k = 0; k < n; k++)
    if (model->made[first_a + k] == buffer)
      return model->made[first_b + k];
  return buffer;
}

static bool
is_in(const uint32_t *list, uint32_t n, uint32_t value)
{
  for (uint32_t i = 0; i < n; i++)
    if (list[i] == value)
      return true;
  return false;
}

static bool
same_ops(const uint32_t *first, const uint32_t *items, uint32_t a, uint32_t b)
{
  return n_of(first, a) == n_of(first, b) &&
         memcmp(items + first[a], items + first[b], sizeof(uint32_t) * n_of(first, a)) == 0;
}

static bool
same_readers(const Twins *twins, uint32_t x, uint32_t y)
{
  const TnOrderModel *model = twins->model;
  if (n_of(model->reader_first, x) != n_of(model->reader_first, y))
    return false;
  for (uint32_t k = model->reader_first[x]; k < model->reader_first[x + 1]; k++) {
    uint32_t i = place_in_a(twins, model->reader[k]);
    uint32_t reader = i == TN_NONE ? model->reader[k] : twins->b[i];
    if (!is_in(model->reader + model->reader_first[y], n_of(model->reader_first, y), reader))
      return false;
  }
  return true;
}

static bool
same_pairs(const Twins *twins, uint32_t i)
{
  const TnOrderModel *model = twins->model;
  const uint32_t *first = model->pair_first;
  uint32_t n_pairs = n_of(first, twins->a[i]);
  if (n_pairs != n_of(first, twins->b[i]))
    return false;
  for (uint32_t k = 0; k < n_pairs; k++) {
    TnOrderPair x = model->pair[first[twins->a[i]] + k], y = model->pair[first[twins->b[i]] + k];
    if (twin_of(twins, x.output) != y.output || twin_of(twins, x.input) != y.input)
      return false;
  }
  return true;
}

static bool
same_op(const Twins *twins, uint32_t i)
{
  const TnOrderModel *model = twins->model;
  uint32_t x = twins->a[i], y = twins->b[i], n_made = n_of(model->made_first, x);
  if (model->scratch[x] != model->scratch[y] || n_made != n_of(model->made_first, y) ||
      model->early_scratch[x] != model->early_scratch[y] ||
      n_of(model->read_first, x) != n_of(model->read_first, y))
    return false;
  for (uint32_t k = 0; k < n_made; k++) {
    uint32_t p = model->made[model->made_first[x] + k], q = model->made[model->made_first[y] + k];
    if (model->bytes[p] != model->bytes[q] || !same_readers(twins, p, q))
      return false;
  }
  for (uint32_t k = model->read_first[x]; k < model->read_first[x + 1]; k++)
    if (!is_in(model->read + model->read_first[y], n_of(model->read_first, y),
               twin_of(twins, model->read[k])))
      return false;
  return same_pairs(twins, i);
}

static bool
are_copies(const Finder *finder, const Chain *x, const Chain *y)
{
  const TnOrderModel *model = finder->model;
  const uint32_t *ops = (const uint32_t *)(const void *)finder->ops->data;
  Twins twins = {model, ops + x->first, ops + y->first, x->n, x->first, finder->at};
  if (x->n != y->n || !same_ops(model->before_first, model->before, twins.a[0], twins.b[0]) ||
      !same_ops(model->next_first, model->next, twins.a[x->n - 1], twins.b[x->n - 1]))
    return false;
  for (uint32_t i = 0; i < x->n; i++)
    if (!same_op(&twins, i))
      return false;
  return true;
}

/* ---- the edges ------------------------------------------------------------------------- */

static int
compare_chains(const void *a, const void *b)
{
  const Chain *x = a, *y = b;
  return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->first < y->first ? -1 : 1);
}

GArray *
tn_order_symmetry_edges(const TnOrderModel *model)
{
  Finder finder = {model, g_array_new(FALSE, FALSE, sizeof(Chain)),
                   g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                   g_new(uint32_t, MAX(model->n, 1u))};
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  for (uint32_t i = 0; i < model->n; i++)
    if (is_head(model, i))
      add_chain(&finder, i);
  memset(finder.at, 0xff, sizeof *finder.at * model->n);
  for (guint k = 0; k < finder.ops->len; k++)
    finder.at[g_array_index(finder.ops, uint32_t, k)] = k;
  if (finder.chains->len > 1)
    qsort(finder.chains->data, finder.chains->len, sizeof(Chain), compare_chains);
  for (guint c = 1; c < finder.chains->len; c++) {
    const Chain *x = &g_array_index(finder.chains, Chain, c - 1), *y = x + 1;
    if (x->hash != y->hash || !are_copies(&finder, x, y))
      continue;
    for (uint32_t i = 0; i < x->n; i++) {
      uint64_t from = g_array_index(finder.ops, uint32_t, x->first + i);
      uint64_t edge = from << 32 | g_array_index(finder.ops, uint32_t, y->first + i);
      g_array_append_val(edges, edge);
    }
  }
  g_array_unref(finder.chains);
  g_array_unref(finder.ops);
  g_free(finder.at);
  return edges;
}
