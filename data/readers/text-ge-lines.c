/* SPDX-License-Identifier: MIT */
/* Rules on the [IMAS] lines of one graph that nothing but these lines can tell. */
#include "config.h"

#include "data/readers/text-ge.h"

#include "data/hash.h"

#define MOST 100                  /* statements of a kind */
#define LARGEST_PIECE 419430400   /* bytes that GE cuts the region of batches into (kMaxSplitSizeForDynamicBatch) */

static const char *
name_of(const TnTextLog *log, const TnGeTensor *tensor)
{
  return tn_strings_get(log->document->strings, tensor->name);
}

/* ---- what is set to 0 at the start ---------------------------------------------------------------- */

static gint
compare_ranges(gconstpointer a, gconstpointer b)
{
  const TnGeRange *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorted, those that touch joined; owned by the caller. */
static GArray *
joined_new(const GArray *ranges)
{
  GArray *joined = g_array_copy((GArray *)ranges);
  guint kept = 0;
  g_array_sort(joined, compare_ranges);
  for (guint i = 0; i < joined->len; i++) {
    TnGeRange range = g_array_index(joined, TnGeRange, i);
    TnGeRange *last = kept ? &g_array_index(joined, TnGeRange, kept - 1) : NULL;
    if (last && range.start <= last->end)
      last->end = MAX(last->end, range.end);
    else
      g_array_index(joined, TnGeRange, kept++) = range;
  }
  g_array_set_size(joined, kept);
  return joined;
}

/* How much of [start, end) the ranges hold. */
static tn_bytes
covered_of(const GArray *joined, int64_t start, int64_t end)
{
  guint low = 0, high = joined->len;
  while (low < high) { /* the first that ends behind the start */
    guint middle = (low + high) / 2;
    if (g_array_index(joined, TnGeRange, middle).end > start)
      high = middle;
    else
      low = middle + 1;
  }
  tn_bytes covered = 0;
  for (; low < joined->len && g_array_index(joined, TnGeRange, low).start < end; low++) {
    const TnGeRange *range = &g_array_index(joined, TnGeRange, low);
    covered += MIN(range->end, end) - MAX(range->start, start);
  }
  return covered;
}

/* The ranges are of the feature map: memory of other types has places of its own. */
static void
check_cleaned(TnTextLog *log, const TnGeGraph *graph)
{
  if (!graph->cleaned)
    return;
  g_autoptr(GArray) joined = joined_new(graph->cleaned);
  for (guint i = 0, n = 0; i < graph->tensors->len && n < MOST; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    if (!(tensor->traits & TN_TRAIT_CLEANED) || tensor->memory_type != 2 || tensor->offset < 0)
      continue;
    tn_bytes had = covered_of(joined, tensor->offset, tensor->offset + tensor->requested);
    if (had == tensor->requested)
      continue;
    g_autofree char *text = g_strdup_printf(
        "“%s” lies at offset %" G_GINT64_FORMAT " and needs %" G_GINT64_FORMAT
        " bytes set to 0 at the start, but only %" G_GINT64_FORMAT " of them are",
        name_of(log, tensor), tensor->offset, tensor->requested, had);
    tn_document_state(log->document, "ge-atomic-clean", TN_STATEMENT_ERROR, tensor->line, text,
                      "Its kernel adds to what it finds there: the range of the MemSet must hold all of it.");
    n++;
  }
}

/* ---- places that were never set ------------------------------------------------------------------- */

static void
check_places(TnTextLog *log, const TnGeGraph *graph)
{
  for (guint i = 0, n = 0; i < graph->tensors->len && n < MOST; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    if (tensor->offset >= 0)
      continue;
    g_autofree char *text = g_strdup_printf("“%s” (%" G_GINT64_FORMAT " bytes) has no offset: its line says "
                                            "-1, and no later one gives it a place",
                                            name_of(log, tensor), tensor->requested);
    tn_document_state(log->document, "ge-no-offset", TN_STATEMENT_ERROR, tensor->line, text,
                      "No place was ever set for it.");
    n++;
  }
}

/* ---- the region of batches ------------------------------------------------------------------------ */

/* Only with extended memory is the region cut at all; a block alone is never. */
static void
check_pieces(TnTextLog *log, const TnGeGraph *graph)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0, n = 0; graph->smp > 0 && i < graph->tensors->len && n < MOST; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    if (!tensor->batch || tensor->traits & TN_TRAIT_NESTED || tensor->block <= LARGEST_PIECE ||
        !g_hash_table_add(seen, g_memdup2(&tensor->offset, sizeof tensor->offset)))
      continue;
    g_autofree char *text = g_strdup_printf(
        "The block at offset %" G_GINT64_FORMAT " of the batch “%s” (of “%s”) is %" G_GINT64_FORMAT
        " bytes: more than the %d that the region of batches is cut into",
        tensor->offset, tn_strings_get(log->document->strings, tensor->batch), name_of(log, tensor),
        tensor->block, LARGEST_PIECE);
    tn_document_state(log->document, "ge-batch-piece", TN_STATEMENT_WARNING, tensor->line, text,
                      "The device must give its piece in one stretch: smaller batches, or tensors that "
                      "are cut, make smaller pieces.");
    n++;
  }
}

void
tn_ge_check_lines(TnTextLog *log, const TnGeGraph *graph)
{
  if (graph->is_pool)
    return;
  check_places(log, graph);
  check_cleaned(log, graph);
  check_pieces(log, graph);
}
