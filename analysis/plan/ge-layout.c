/* SPDX-License-Identifier: MIT */
/* GE's places: blocks one after another, children from their parent's bottom up, and
 *
 *   | blocks, largest first | contiguous | cleaned | batches: the largest       | zero copy |
 *                                                  | the others lie in its place |
 *
 * each region by what GE does after its two levels (ResizeMemoryBlocks and what follows). */
#include "config.h"

#include "analysis/plan/ge.h"

#include <stdlib.h>

typedef enum {
  FIXED, /* with a base that may be refreshed: what keeps its address, in segments of its own */
  SHARED,
  CONTINUOUS,
  CLEANED,
  BATCH,
  BATCH_CONTINUOUS,
  OUTPUTS,
  INPUTS
} Region;

typedef struct {
  TnGePlan *plan;
  GArray *top; /* uint32_t: blocks without a parent, as they are laid out */
  tn_bytes *offset;
  tn_bytes arena;
} Layout;

/* ---- sizes
 * ---------------------------------------------------------------------------------------------- */

/* The largest member in units, or as much as all children take. */
static tn_bytes
resize(TnGePlan *plan, uint32_t i)
{
  TnGeBlock *block = tn_ge_block(plan, i);
  tn_bytes size = 0, children = 0, own;
  for (guint m = 0; m < block->members->len; m++)
    size = MAX(size, plan->items[tn_ge_member(block, m)->item].size);
  for (guint c = 0; block->children && c < block->children->len; c++)
    children += resize(plan, g_array_index(block->children, uint32_t, c));
  block->size = MAX(size, children);
  if (tn_round_up(block->size, plan->unit, &own))
    block->size = own;
  return block->size;
}

/* ---- order
 * ---------------------------------------------------------------------------------------------- */

static Region
region_of(const TnGePlan *plan, const TnGeBlock *block)
{
  bool is_single = block->members->len == 1 && !block->children;
  if (block->is_zero_copy && is_single)
    return block->is_input ? INPUTS : OUTPUTS;
  if (block->batch)
    return block->is_continuous ? BATCH_CONTINUOUS : BATCH;
  if (block->is_continuous)
    return CONTINUOUS;
  if (block->has_cleaned && block->is_alone)
    return CLEANED;
  return block->is_fixed && plan->options & TN_GE_BASE_REFRESH ? FIXED : SHARED;
}

static gint
compare_top(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnGePlan *plan = data;
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const TnGeBlock *x = tn_ge_block(plan, i), *y = tn_ge_block(plan, k);
  Region region = region_of(plan, x), other = region_of(plan, y);
  if (region != other)
    return region < other ? -1 : 1;
  bool is_sorted = region == FIXED || region == SHARED || region == BATCH;
  if (is_sorted && !plan->variant->is_max && x->size != y->size)
    return x->size > y->size ? -1 : 1;
  if (region == INPUTS && x->real != y->real) /* small ones are copied together */
    return x->real < y->real ? -1 : 1;
  return i < k ? -1 : i > k;
}

static void
append(Layout *layout, uint32_t block)
{
  layout->offset[block] = layout->arena;
  layout->arena += tn_ge_block(layout->plan, block)->size;
}

/* ---- batches
 * ------------------------------------------------------------------------------------------- */

/* The top blocks of one region, by batch label (GArray of uint32_t), in the order of `labels`. */
typedef struct {
  GHashTable *of_label;
  GArray *labels; /* uint32_t */
} Batches;

static void
batches_clear(Batches *batches)
{
  g_hash_table_unref(batches->of_label);
  g_array_unref(batches->labels);
}

static Batches
batches_in(const Layout *layout, Region region)
{
  Batches batches = {g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref),
                     g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  for (guint i = 0; i < layout->top->len; i++) {
    uint32_t row = g_array_index(layout->top, uint32_t, i);
    const TnGeBlock *block = tn_ge_block(layout->plan, row);
    if (region_of(layout->plan, block) != region)
      continue;
    gpointer key = GUINT_TO_POINTER(block->batch);
    GArray *rows = g_hash_table_lookup(batches.of_label, key);
    if (!rows) {
      rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
      g_hash_table_insert(batches.of_label, key, rows);
      g_array_append_val(batches.labels, block->batch);
    }
    g_array_append_val(rows, row);
  }
  return batches;
}

static const GArray *
blocks_of(const Batches *batches, guint i)
{
  return g_hash_table_lookup(batches->of_label,
                             GUINT_TO_POINTER(g_array_index(batches->labels, uint32_t, i)));
}

static guint
largest_batch(const Layout *layout, const Batches *batches)
{
  guint best = 0;
  tn_bytes most = -1;
  for (guint l = 0; l < batches->labels->len; l++) {
    const GArray *rows = blocks_of(batches, l);
    tn_bytes sum = 0;
    for (guint i = 0; i < rows->len; i++)
      sum += tn_ge_block(layout->plan, g_array_index(rows, uint32_t, i))->size;
    if (sum > most) {
      most = sum;
      best = l;
    }
  }
  return best;
}

typedef struct {
  tn_bytes base, size;
} Piece;

static gint
compare_pieces(gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;
  return x->size != y->size ? (x->size > y->size ? -1 : 1) : x->base < y->base ? -1 : 1;
}

/* The largest batch is one piece, or pieces of at most 400 MB where the memory may be extended. */
static GArray *
lay_pieces(Layout *layout, const GArray *rows)
{
  GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
  bool is_cut = layout->plan->options & TN_GE_EXTEND_SIZE;
  Piece piece = {layout->arena, 0};
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    tn_bytes size = tn_ge_block(layout->plan, row)->size;
    if (is_cut && piece.size > 0 && size > TN_GE_BATCH_PIECE - piece.size) {
      g_array_append_val(pieces, piece);
      piece = (Piece){layout->arena, 0};
    }
    append(layout, row);
    piece.size += size;
  }
  g_array_append_val(pieces, piece);
  g_array_sort(pieces, compare_pieces);
  return pieces;
}

/* Blocks of another batch, largest first, into each piece until one does not fit there; what is left
 * has a place of its own. */
static void
fill_pieces(Layout *layout, const GArray *pieces, const GArray *rows)
{
  g_autofree uint8_t *is_placed = g_new0(uint8_t, MAX(rows->len, 1u));
  for (guint p = 0; p < pieces->len; p++) {
    const Piece *piece = &g_array_index(pieces, Piece, p);
    tn_bytes used = 0;
    for (guint i = 0; i < rows->len; i++) {
      uint32_t row = g_array_index(rows, uint32_t, i);
      tn_bytes size = tn_ge_block(layout->plan, row)->size;
      if (is_placed[i])
        continue;
      if (size > piece->size - used)
        break;
      layout->offset[row] = piece->base + used;
      used += size;
      is_placed[i] = 1;
    }
  }
  for (guint i = 0; i < rows->len; i++)
    if (!is_placed[i])
      append(layout, g_array_index(rows, uint32_t, i));
}

/* Batches never run together: the others lie in the place of the largest. */
static void
place_batches(Layout *layout, Region region)
{
  Batches batches = batches_in(layout, region);
  if (batches.labels->len) {
    guint largest = largest_batch(layout, &batches);
    g_autoptr(GArray) pieces = lay_pieces(layout, blocks_of(&batches, largest));
    for (guint l = 0; l < batches.labels->len; l++)
      if (l != largest)
        fill_pieces(layout, pieces, blocks_of(&batches, l));
  }
  batches_clear(&batches);
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------- */

static void
place_children(TnGePlan *plan, uint32_t i, tn_bytes *offset)
{
  const TnGeBlock *block = tn_ge_block(plan, i);
  tn_bytes at = offset[i];
  for (guint c = 0; block->children && c < block->children->len; c++) {
    uint32_t child = g_array_index(block->children, uint32_t, c);
    offset[child] = at;
    at += tn_ge_block(plan, child)->size;
    place_children(plan, child, offset);
  }
}

/* Regions one after the other; batches, which share theirs, where their turn comes. */
static void
place_regions(Layout *layout)
{
  guint i = 0;
  for (Region region = FIXED; region <= INPUTS; region++) {
    if (region == BATCH || region == BATCH_CONTINUOUS)
      place_batches(layout, region);
    for (; i < layout->top->len; i++) {
      uint32_t row = g_array_index(layout->top, uint32_t, i);
      Region own = region_of(layout->plan, tn_ge_block(layout->plan, row));
      if (own > region)
        break;
      if (own != BATCH && own != BATCH_CONTINUOUS)
        append(layout, row);
    }
  }
}

static void
mark_fixed(TnGePlan *plan)
{
  for (uint32_t i = 0; i < plan->blocks->len; i++) {
    uint32_t top = i;
    while (tn_ge_block(plan, i)->is_fixed && tn_ge_block(plan, top)->parent != TN_NONE)
      top = tn_ge_block(plan, top)->parent;
    tn_ge_block(plan, top)->is_fixed |= tn_ge_block(plan, i)->is_fixed;
  }
}

tn_bytes
tn_ge_place_blocks(TnGePlan *plan, tn_bytes *offset)
{
  Layout layout = {plan, g_array_new(FALSE, FALSE, sizeof(uint32_t)), offset, 0};
  mark_fixed(plan);
  for (uint32_t i = 0; i < plan->blocks->len; i++)
    if (tn_ge_block(plan, i)->parent == TN_NONE) {
      resize(plan, i);
      g_array_append_val(layout.top, i);
    }
  g_array_sort_with_data(layout.top, compare_top, plan);
  place_regions(&layout);
  for (guint i = 0; i < layout.top->len; i++)
    place_children(plan, g_array_index(layout.top, uint32_t, i), offset);
  g_array_unref(layout.top);
  return layout.arena;
}
