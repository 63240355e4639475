/* SPDX-License-Identifier: MIT */
/* The sweep: over ticks, with what lives ordered by address.  A buffer with gaps is several pieces,
 * each with the part of the height that it holds then.
 *
 *   address ^   +--a--+          a is in the tree when b starts:
 *           |   |  +--+----b--+  [max low, min high) is what both hold,
 *           |   +--+--+       |  [b's start, min end) is when
 *           |      +----------+
 *           +--------------------> tick; ends before starts at one tick
 */
#include "config.h"

#include "analysis/check-private.h"
#include "analysis/offset-tree.h"

#include "data/hash.h"
#include "data/units.h"

/* Beyond this many overlaps nothing more is learnt by counting them. */
#define COUNT_LIMIT 1000000u
/* … nor by looking at pairs again that meet once more behind a gap. */
#define AGAIN_LIMIT 10000000u

typedef struct {
  uint32_t n;
  tn_tick *start, *end;
  tn_bytes *low, *high;
  tn_index *owner;
} Pieces;

typedef struct {
  TnCheck *check;
  Pieces pieces;
  bool has_batches;
  /* `all`: by space.  `own`: by space and label, only where there are labels. */
  TnOffsetTree *all, *own;
  uint32_t *all_root, *own_root;
  uint32_t *own_key;  /* by buffer: its tree in `own`; unlabelled ones of a space: see none_key */
  uint32_t *none_key; /* by space */
  GHashTable *seen;   /* pairs of buffers; only where gaps may make a pair meet twice */
  uint32_t n_again;   /* how often a pair was met that is in `seen` */
  uint32_t now;       /* piece that starts */
} Sweep;

/* ---- pieces ---------------------------------------------------------------------------- */

static void
add_piece(Pieces *pieces, tn_index owner, tn_tick start, tn_tick end, tn_bytes low, tn_bytes high)
{
  if (start >= end || low >= high)
    return;
  uint32_t i = pieces->n++;
  pieces->owner[i] = owner;
  pieces->start[i] = start;
  pieces->end[i] = end;
  pieces->low[i] = low;
  pieces->high[i] = high;
}

static void
add_pieces_of(Pieces *pieces, const TnCheck *check, tn_index i)
{
  const TnBuffers *b = check->buffers;
  uint32_t n_gaps;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n_gaps);
  tn_bytes at = check->offset[i];
  tn_tick from = b->start[i];
  for (uint32_t g = 0; g < n_gaps; g++) {
    add_piece(pieces, i, from, gaps[g].start, at, at + b->bytes[i]);
    add_piece(pieces, i, gaps[g].start, gaps[g].end, at + gaps[g].low,
              at + MIN(gaps[g].high, b->bytes[i]));
    from = gaps[g].end;
  }
  add_piece(pieces, i, from, b->end[i], at, at + b->bytes[i]);
}

static Pieces
pieces_new(const TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  gsize most = b->n + (b->gap_first ? 2 * (gsize)b->gap_first[b->n] : 0);
  Pieces pieces = {.start = g_new(tn_tick, most),
                   .end = g_new(tn_tick, most),
                   .low = g_new(tn_bytes, most),
                   .high = g_new(tn_bytes, most),
                   .owner = g_new(tn_index, most)};
  for (tn_index i = 0; i < b->n; i++)
    if (tn_check_is_placed(check, i))
      add_pieces_of(&pieces, check, i);
  return pieces;
}

static void
pieces_clear(Pieces *pieces)
{
  g_free(pieces->start);
  g_free(pieces->end);
  g_free(pieces->low);
  g_free(pieces->high);
  g_free(pieces->owner);
}

/* ---- findings -------------------------------------------------------------------------- */

static void
report(Sweep *sweep, uint32_t had, uint32_t came)
{
  TnCheck *check = sweep->check;
  const Pieces *p = &sweep->pieces;
  tn_bytes low = MAX(p->low[had], p->low[came]), high = MIN(p->high[had], p->high[came]);
  tn_tick end = MIN(p->end[had], p->end[came]), start = p->start[came];
  g_autofree char *first = tn_check_dup_name(check, p->owner[had]);
  g_autofree char *second = tn_check_dup_name(check, p->owner[came]);
  g_autofree char *op = tn_check_dup_op(check, p->owner[came], start);
  char size[48];
  TnFinding *finding = tn_check_add(
      check, TN_CHECK_OVERLAP, p->owner[had],
      "%s and %s share [" TN_HEX ", " TN_HEX ") (%s) while both live, ticks [%" G_GINT64_FORMAT
      ", %" G_GINT64_FORMAT "): %s is the first to write %s over %s",
      first, second, low, high, tn_print_bytes(size, sizeof size, high - low, TN_UNITS_IEC), start,
      end, op, second, first);
  tn_finding_add_buffer(finding, p->owner[came]);
  finding->at = start;
  finding->bytes = high - low;
  finding->hint = g_strdup_printf("Move one of the two apart, or end %s at tick %" G_GINT64_FORMAT
                                  " if nothing reads it later.",
                                  first, start);
}

/* Two labels never run together. */
static bool
may_meet(const TnBuffers *b, tn_index i, tn_index j)
{
  return !b->batch || !b->batch[i] || !b->batch[j] || b->batch[i] == b->batch[j];
}

static bool
meet(uint32_t had, void *payload)
{
  Sweep *sweep = payload;
  TnCheck *check = sweep->check;
  tn_index i = sweep->pieces.owner[had], j = sweep->pieces.owner[sweep->now];
  if (!may_meet(check->buffers, i, j))
    return true;
  if (sweep->seen) {
    gint64 *pair = g_new(gint64, 1);
    *pair = (gint64)((guint64)MIN(i, j) << 32 | MAX(i, j));
    if (!g_hash_table_add(sweep->seen, pair)) {
      check->is_cut = ++sweep->n_again >= AGAIN_LIMIT;
      return !check->is_cut;
    }
  }
  if (tn_check_count(check, TN_CHECK_OVERLAP))
    report(sweep, had, sweep->now);
  check->is_cut = check->found[TN_CHECK_OVERLAP] >= MAX(COUNT_LIMIT, check->limit);
  return !check->is_cut;
}

/* ---- trees by space and label ---------------------------------------------------------- */

static uint32_t *
roots_new(gsize n)
{
  uint32_t *roots = g_new(uint32_t, n);
  for (gsize i = 0; i < n; i++)
    roots[i] = TN_NONE;
  return roots;
}

static uint32_t
key_of(GHashTable *keys, uint32_t space, uint32_t label)
{
  g_autofree gint64 *wanted = g_new(gint64, 1);
  gpointer had;
  *wanted = (gint64)((guint64)space << 32 | label);
  if (g_hash_table_lookup_extended(keys, wanted, NULL, &had))
    return GPOINTER_TO_UINT(had);
  uint32_t key = g_hash_table_size(keys);
  g_hash_table_insert(keys, g_steal_pointer(&wanted), GUINT_TO_POINTER(key));
  return key;
}

/* Labelled buffers meet those of their own label and the unlabelled; a tree for each spares the
 * walk over all other labels. */
static void
label_trees(Sweep *sweep, uint32_t n_spaces)
{
  const TnBuffers *b = sweep->check->buffers;
  g_autoptr(GHashTable) keys = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  sweep->own_key = g_new(uint32_t, b->n);
  sweep->none_key = g_new0(uint32_t, n_spaces);
  for (tn_index i = 0; i < b->n; i++) {
    uint32_t space = tn_buffers_space(b, i);
    sweep->none_key[space] = key_of(keys, space, 0);
    sweep->own_key[i] = key_of(keys, space, b->batch[i]);
  }
  sweep->own_root = roots_new(g_hash_table_size(keys));
  sweep->own = tn_offset_tree_new(sweep->pieces.low, sweep->pieces.high, sweep->pieces.n);
}

static Sweep
sweep_new(TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  Sweep sweep = {.check = check, .pieces = pieces_new(check)};
  uint32_t n_spaces = 1;
  for (tn_index i = 0; i < b->n; i++) {
    n_spaces = MAX(n_spaces, tn_buffers_space(b, i) + 1);
    sweep.has_batches |= b->batch && b->batch[i];
  }
  sweep.all = tn_offset_tree_new(sweep.pieces.low, sweep.pieces.high, sweep.pieces.n);
  sweep.all_root = roots_new(n_spaces);
  if (sweep.has_batches)
    label_trees(&sweep, n_spaces);
  if (b->gap_first)
    sweep.seen = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  return sweep;
}

static void
sweep_clear(Sweep *sweep)
{
  pieces_clear(&sweep->pieces);
  tn_offset_tree_free(sweep->all);
  tn_offset_tree_free(sweep->own);
  g_free(sweep->all_root);
  g_free(sweep->own_root);
  g_free(sweep->own_key);
  g_free(sweep->none_key);
  g_clear_pointer(&sweep->seen, g_hash_table_unref);
}

/* ---- the sweep ------------------------------------------------------------------------- */

static void
start_piece(Sweep *sweep, uint32_t piece)
{
  const TnBuffers *b = sweep->check->buffers;
  const Pieces *p = &sweep->pieces;
  tn_index owner = p->owner[piece];
  uint32_t space = tn_buffers_space(b, owner);
  TnOffsetVisitor visitor = {meet, sweep};
  sweep->now = piece;
  if (sweep->has_batches && b->batch[owner]) {
    uint32_t own = sweep->own_root[sweep->own_key[owner]];
    uint32_t none = sweep->own_root[sweep->none_key[space]];
    if (tn_offset_tree_find(sweep->own, own, p->low[piece], p->high[piece], &visitor))
      tn_offset_tree_find(sweep->own, none, p->low[piece], p->high[piece], &visitor);
  } else {
    tn_offset_tree_find(sweep->all, sweep->all_root[space], p->low[piece], p->high[piece],
                        &visitor);
  }
  tn_offset_tree_insert(sweep->all, &sweep->all_root[space], piece);
  if (sweep->has_batches)
    tn_offset_tree_insert(sweep->own, &sweep->own_root[sweep->own_key[owner]], piece);
}

static void
end_piece(Sweep *sweep, uint32_t piece)
{
  tn_index owner = sweep->pieces.owner[piece];
  uint32_t space = tn_buffers_space(sweep->check->buffers, owner);
  tn_offset_tree_remove(sweep->all, &sweep->all_root[space], piece);
  if (sweep->has_batches)
    tn_offset_tree_remove(sweep->own, &sweep->own_root[sweep->own_key[owner]], piece);
}

void
tn_check_overlaps(TnCheck *check)
{
  Sweep sweep = sweep_new(check);
  const Pieces *p = &sweep.pieces;
  g_autofree uint32_t *by_start = tn_check_sort_new(p->start, p->n);
  g_autofree uint32_t *by_end = tn_check_sort_new(p->end, p->n);
  for (uint32_t s = 0, e = 0; s < p->n && !check->is_cut; s++) {
    for (; e < p->n && p->end[by_end[e]] <= p->start[by_start[s]]; e++)
      end_piece(&sweep, by_end[e]);
    start_piece(&sweep, by_start[s]);
  }
  sweep_clear(&sweep);
}
