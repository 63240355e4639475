/* SPDX-License-Identifier: MIT */
/* Rules of places and groups, whatever the lives: who shares an address, who lies next to whom. */
#include "config.h"

#include "analysis/check-private.h"
#include "analysis/plan/plan-space.h"

/* ---- contiguous groups ----------------------------------------------------------------- */

/* Whether `next` follows `had`: at once, or in a padded group with less between than its strictest
 * alignment (1 in others). */
static bool
follows(const TnCheck *check, tn_index had, tn_index next, tn_bytes strictest)
{
  const TnBuffers *b = check->buffers;
  if (!tn_check_is_placed(check, had) || !tn_check_is_placed(check, next) ||
      tn_buffers_space(b, had) != tn_buffers_space(b, next))
    return false;
  tn_bytes gap = check->offset[next] - tn_check_top(check, had);
  return gap >= 0 && gap < strictest;
}

static void
check_member(TnCheck *check, tn_index had, tn_index next, tn_bytes strictest)
{
  if (check->offset[had] == TN_NOT_PLACED || check->offset[next] == TN_NOT_PLACED ||
      follows(check, had, next, strictest) || !tn_check_count(check, TN_CHECK_CONTIGUITY))
    return;
  g_autofree char *first = tn_check_dup_name(check, had);
  g_autofree char *second = tn_check_dup_name(check, next);
  TnFinding *finding = tn_check_add(
      check, TN_CHECK_CONTIGUITY, next,
      "%s at " TN_HEX " does not follow %s of its contiguous group, which ends at " TN_HEX, second,
      check->offset[next], first, tn_check_top(check, had));
  tn_finding_add_buffer(finding, had);
}

/* By padded group (one member that says so is enough) its strictest alignment; a member's is the common
 * multiple of its own and that of all, as for planners.  Owned. */
static GHashTable *
strictest_new(const TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  GHashTable *strictest = g_hash_table_new(NULL, NULL);
  for (tn_index i = 0; i < b->n; i++)
    if (b->group[i] && b->flags[i] & TN_BUFFER_GROUP_PADDED)
      g_hash_table_insert(strictest, GUINT_TO_POINTER(b->group[i]), GSIZE_TO_POINTER(1));
  for (tn_index i = 0; i < b->n; i++) {
    gpointer group = GUINT_TO_POINTER(b->group[i]), had;
    if (!g_hash_table_lookup_extended(strictest, group, NULL, &had))
      continue;
    gsize own = (gsize)tn_plan_common_multiple(MAX(tn_buffers_alignment(b, i), 1),
                                               MAX(check->params->alignment, 1));
    g_hash_table_insert(strictest, group, GSIZE_TO_POINTER(MAX(GPOINTER_TO_SIZE(had), own)));
  }
  return strictest;
}

static void
check_groups(TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  if (!b->group)
    return;
  g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) strictest = strictest_new(check);
  for (tn_index i = 0; i < b->n; i++) {
    gpointer group = GUINT_TO_POINTER(b->group[i]), had;
    if (!b->group[i] || b->bytes[i] == 0) /* what holds no bytes lies anywhere */
      continue;
    tn_bytes padding = (tn_bytes)GPOINTER_TO_SIZE(g_hash_table_lookup(strictest, group));
    if (g_hash_table_lookup_extended(last, group, NULL, &had))
      check_member(check, GPOINTER_TO_UINT(had), i, MAX(padding, (tn_bytes)1));
    g_hash_table_insert(last, group, GUINT_TO_POINTER(i));
  }
}

/* ---- places: who else is there, whatever the lives ------------------------------------- */

/* Buffers of one space by offset; best[i] and second[i] are those of rows [0, i] that reach
 * highest, so that one look finds a neighbour (and one that is not the asker). */
typedef struct {
  uint32_t n;
  tn_index *row, *best, *second;
} Places;

static void
add_place(const TnCheck *check, Places *places, tn_index i)
{
  uint32_t k = places->n++;
  tn_index best = k ? places->best[k - 1] : TN_NONE, second = k ? places->second[k - 1] : TN_NONE;
  tn_bytes top = tn_check_top(check, i);
  places->row[k] = i;
  if (best == TN_NONE || top > tn_check_top(check, best)) {
    second = best;
    best = i;
  } else if (second == TN_NONE || top > tn_check_top(check, second)) {
    second = i;
  }
  places->best[k] = best;
  places->second[k] = second;
}

static void
free_places(gpointer data)
{
  Places *places = data;
  g_free(places->row);
  g_free(places->best);
  g_free(places->second);
  g_free(places);
}

/* By space, all buffers that hold bytes, or the unlabelled of them. */
static GPtrArray *
places_new(const TnCheck *check, bool is_unlabelled_only)
{
  const TnBuffers *b = check->buffers;
  GPtrArray *spaces = g_ptr_array_new_with_free_func(free_places);
  g_autofree uint32_t *order = tn_check_sort_new(check->offset, b->n);
  g_autoptr(GArray) count = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  for (tn_index i = 0; i < b->n; i++) {
    uint32_t space = tn_buffers_space(b, i);
    if (space >= count->len)
      g_array_set_size(count, space + 1);
    g_array_index(count, uint32_t, space)++;
  }
  for (guint s = 0; s < count->len; s++) {
    Places *places = g_new0(Places, 1);
    places->row = g_new(tn_index, g_array_index(count, uint32_t, s));
    places->best = g_new(tn_index, g_array_index(count, uint32_t, s));
    places->second = g_new(tn_index, g_array_index(count, uint32_t, s));
    g_ptr_array_add(spaces, places);
  }
  for (uint32_t k = 0; k < b->n; k++) {
    tn_index i = order[k];
    if (tn_check_is_placed(check, i) && b->bytes[i] > 0 && !(is_unlabelled_only && b->batch[i]))
      add_place(check, g_ptr_array_index(spaces, tn_buffers_space(b, i)), i);
  }
  return spaces;
}

/* Some buffer other than i that holds a byte of i's place; TN_NONE: nobody.  O(log n). */
static tn_index
find_neighbour(const TnCheck *check, const GPtrArray *spaces, tn_index i)
{
  const Places *places = g_ptr_array_index(spaces, tn_buffers_space(check->buffers, i));
  tn_bytes low = check->offset[i], high = tn_check_top(check, i);
  uint32_t from = 0, to = places->n;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (check->offset[places->row[middle]] < high)
      from = middle + 1;
    else
      to = middle;
  }
  if (from == 0)
    return TN_NONE;
  tn_index found = places->best[from - 1];
  if (found == i)
    found = places->second[from - 1];
  return found != TN_NONE && tn_check_top(check, found) > low ? found : TN_NONE;
}

/* Reports the buffer where it has a neighbour. */
static void
check_neighbour(
    TnCheck *check, TnCheckCode code, const GPtrArray *spaces, tn_index i, const char *why)
{
  if (!tn_check_is_placed(check, i) || check->buffers->bytes[i] == 0)
    return;
  tn_index other = find_neighbour(check, spaces, i);
  if (other == TN_NONE || !tn_check_count(check, code))
    return;
  g_autofree char *name = tn_check_dup_name(check, i);
  g_autofree char *neighbour = tn_check_dup_name(check, other);
  tn_bytes low = MAX(check->offset[i], check->offset[other]);
  tn_bytes high = MIN(tn_check_top(check, i), tn_check_top(check, other));
  TnFinding *finding =
      tn_check_add(check, code, i, "%s %s, but shares [" TN_HEX ", " TN_HEX ") with %s", name, why,
                   low, high, neighbour);
  tn_finding_add_buffer(finding, other);
  finding->bytes = high - low;
}

static void
check_no_reuse(TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  g_autoptr(GPtrArray) spaces = NULL;
  for (tn_index i = 0; i < b->n; i++) {
    if (!(b->flags[i] & TN_BUFFER_NO_REUSE))
      continue;
    if (!spaces)
      spaces = places_new(check, false);
    check_neighbour(check, TN_CHECK_NO_REUSE, spaces, i, "may share its place with nobody");
  }
}

static void
check_batches(TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  if (!b->batch)
    return;
  g_autoptr(GPtrArray) spaces = places_new(check, true);
  for (tn_index i = 0; i < b->n; i++)
    if (b->batch[i])
      check_neighbour(check, TN_CHECK_BATCH_MIX, spaces, i,
                      "of a batch may share its place with batches only");
}

/* ---- tenants of one place -------------------------------------------------------------- */

/* The tenants order[from, to) have one offset; the place must follow the strictest of them. */
static void
check_tenants(TnCheck *check, const uint32_t *order, uint32_t from, uint32_t to)
{
  const TnBuffers *b = check->buffers;
  tn_index strict = order[from], weak = order[from];
  for (uint32_t k = from + 1; k < to; k++) {
    if (tn_buffers_alignment(b, order[k]) > tn_buffers_alignment(b, strict))
      strict = order[k];
    if (tn_buffers_alignment(b, order[k]) < tn_buffers_alignment(b, weak))
      weak = order[k];
  }
  tn_bytes needed = tn_buffers_alignment(b, strict), had = tn_buffers_alignment(b, weak);
  if (needed == had || check->offset[strict] % needed == 0 ||
      !tn_check_count(check, TN_CHECK_SHARED_ALIGNMENT))
    return;
  g_autofree char *first = tn_check_dup_name(check, strict);
  g_autofree char *second = tn_check_dup_name(check, weak);
  TnFinding *finding = tn_check_add(check, TN_CHECK_SHARED_ALIGNMENT, strict,
                                    "%u buffers share the place at " TN_HEX
                                    ", which follows the alignment %" G_GINT64_FORMAT
                                    " of %s and not the %" G_GINT64_FORMAT " of %s",
                                    to - from, check->offset[strict], had, second, needed, first);
  tn_finding_add_buffer(finding, weak);
}

static bool
has_mixed_alignment(const TnBuffers *b)
{
  for (tn_index i = 1; b->alignment && i < b->n; i++)
    if (b->alignment[i] != b->alignment[0])
      return true;
  return false;
}

static void
check_shared_alignment(TnCheck *check)
{
  const TnBuffers *b = check->buffers;
  if (!has_mixed_alignment(b))
    return;
  g_autofree uint32_t *by_offset = tn_check_sort_new(check->offset, b->n);
  g_autofree int64_t *space = g_new(int64_t, b->n);
  g_autofree uint32_t *order = g_new(uint32_t, b->n);
  for (uint32_t k = 0; k < b->n; k++)
    space[k] = tn_buffers_space(b, by_offset[k]);
  g_autofree uint32_t *by_space = tn_check_sort_new(space, b->n);
  for (uint32_t k = 0; k < b->n; k++)
    order[k] = by_offset[by_space[k]];
  for (uint32_t from = 0, to; from < b->n; from = to) {
    for (to = from + 1; to < b->n && check->offset[order[to]] == check->offset[order[from]] &&
                        tn_buffers_space(b, order[to]) == tn_buffers_space(b, order[from]);
         to++)
      ;
    if (to - from > 1 && check->offset[order[from]] >= 0)
      check_tenants(check, order, from, to);
  }
}

void
tn_check_places(TnCheck *check)
{
  check_shared_alignment(check);
  check_groups(check);
  check_no_reuse(check);
  check_batches(check);
}
