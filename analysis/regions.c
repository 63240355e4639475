/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/regions.h"


#define BLOCK 512 /* neighbours with padding stand this far apart at most */
#define MOST 4096 /* of a kind */

static void
clear_region(gpointer data)
{
  g_free(((TnRegion *)data)->name);
}

void
tn_regions_free(GArray *regions)
{
  if (regions)
    g_array_unref(regions);
}

static void
add(GArray *regions, TnRegion region)
{
  g_array_append_val(regions, region);
}

static TnRegion
region_of(const TnStudy *study, TnRegionKind kind, tn_index i)
{
  const TnBuffers *b = study->buffers;
  return (TnRegion){kind, study->map->place[i], study->map->place[i] + b->bytes[i], b->start[i],
                    b->end[i], NULL, 1};
}

static void
grow(TnRegion *region, const TnRegion *by)
{
  region->low = MIN(region->low, by->low);
  region->high = MAX(region->high, by->high);
  region->start = MIN(region->start, by->start);
  region->end = MAX(region->end, by->end);
  region->n += by->n;
}

/* ---- memory types and segments ---------------------------------------------------------------- */

static void
add_spaces(GArray *regions, const TnStudy *study)
{
  const GPtrArray *names = study->device->space_names;
  const GArray *ranges = study->map->ranges;
  for (guint i = 0; ranges->len > 1 && i < ranges->len; i++) {
    const TnAddressRange *range = &g_array_index(ranges, TnAddressRange, i);
    const char *name = names && range->space < names->len ? g_ptr_array_index(names, range->space) : NULL;
    add(regions, (TnRegion){TN_REGION_SPACE, range->place, range->place + range->bytes, 0,
                            study->axis_end, g_strdup(name), 0});
  }
}

static const TnAddressRange *
range_of(const TnStudy *study, uint32_t space)
{
  for (guint i = 0; i < study->map->ranges->len; i++) {
    const TnAddressRange *range = &g_array_index(study->map->ranges, TnAddressRange, i);
    if (range->space == space)
      return range;
  }
  return NULL;
}

static void
add_segments(GArray *regions, const TnStudy *study)
{
  const GArray *segments = study->device->segments;
  for (guint i = 0; segments->len > 1 && i < segments->len; i++) {
    const TnSegment *segment = &g_array_index(segments, TnSegment, i);
    const TnAddressRange *range = range_of(study, segment->space);
    if (!range || segment->address >= (uint64_t)range->bytes)
      continue;
    tn_bytes low = (tn_bytes)segment->address, bytes = MIN(segment->bytes, range->bytes - low);
    add(regions, (TnRegion){TN_REGION_SEGMENT, range->place + low, range->place + low + bytes, 0,
                            study->axis_end, g_strdup_printf("segment %u", i), 0});
  }
}

/* ---- rows of a kind that lie side by side ------------------------------------------------------- */

static gint
compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnStudy *study = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  tn_bytes p = study->map->place[x], q = study->map->place[y];
  return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

static GArray *
rows_with(const TnStudy *study, unsigned trait)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < study->buffers->n; i++)
    if (tn_buffers_traits(study->buffers, i) & trait && study->map->place[i] != TN_NOT_PLACED)
      g_array_append_val(rows, i);
  g_array_sort_with_data(rows, compare_places, (gpointer)study);
  return rows;
}

static bool
is_side_by_side(const TnRegion *a, const TnRegion *b, bool at_one_time)
{
  return b->low <= a->high + BLOCK - 1 && (!at_one_time || (b->start < a->end && a->start < b->end));
}

static guint
first_of(const GArray *regions, TnRegionKind kind)
{
  guint i = regions->len;
  while (i > 0 && g_array_index(regions, TnRegion, i - 1).kind == kind)
    i--;
  return i;
}

/* What touches is one region; neighbours must also be there at one time. */
static void
add_runs(GArray *regions, const TnStudy *study, unsigned trait, TnRegionKind kind)
{
  g_autoptr(GArray) rows = rows_with(study, trait);
  bool at_one_time = kind == TN_REGION_NEIGHBOURS;
  guint first = first_of(regions, kind);
  for (guint i = 0; i < rows->len; i++) {
    TnRegion region = region_of(study, kind, g_array_index(rows, uint32_t, i));
    TnRegion *joined = NULL;
    for (guint k = regions->len, least = MAX(first, regions->len > 16 ? regions->len - 16 : 0);
         k > least && !joined; k--)
      if (is_side_by_side(&g_array_index(regions, TnRegion, k - 1), &region, at_one_time))
        joined = &g_array_index(regions, TnRegion, k - 1);
    if (joined)
      grow(joined, &region);
    else if (regions->len - first < MOST)
      add(regions, region);
  }
}

/* ---- groups that the file names ----------------------------------------------------------------- */

/* One region for each number in `numbers` (0: none). */
static void
add_numbered(GArray *regions, const TnStudy *study, const uint32_t *numbers, TnRegionKind kind)
{
  g_autoptr(GHashTable) row_of = g_hash_table_new(NULL, NULL); /* number → row + 1 */
  for (uint32_t i = 0; numbers && i < study->buffers->n; i++) {
    gpointer key = GUINT_TO_POINTER(numbers[i]);
    if (!numbers[i] || study->map->place[i] == TN_NOT_PLACED)
      continue;
    TnRegion region = region_of(study, kind, i);
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(row_of, key));
    if (row) {
      grow(&g_array_index(regions, TnRegion, row - 1), &region);
    } else if (g_hash_table_size(row_of) < MOST) {
      if (kind == TN_REGION_BATCH)
        region.name = g_strdup(tn_strings_get(study->document->strings, numbers[i]));
      add(regions, region);
      g_hash_table_insert(row_of, key, GUINT_TO_POINTER(regions->len));
    }
  }
}

static bool
has_any(const uint32_t *numbers, uint32_t n)
{
  for (uint32_t i = 0; numbers && i < n; i++)
    if (numbers[i])
      return true;
  return false;
}

GArray *
tn_regions_new(const TnStudy *study)
{
  GArray *regions = g_array_new(FALSE, FALSE, sizeof(TnRegion));
  const TnBuffers *b = study->buffers;
  g_array_set_clear_func(regions, clear_region);
  if (study->map->n_placed > 0) {
    add_spaces(regions, study);
    add_segments(regions, study);
    add_runs(regions, study, TN_TRAIT_ZERO_COPY, TN_REGION_ZERO_COPY);
    add_numbered(regions, study, b->batch, TN_REGION_BATCH);
    if (has_any(b->group, b->n)) /* else a log says of each tensor only that it is of one */
      add_numbered(regions, study, b->group, TN_REGION_NEIGHBOURS);
    else
      add_runs(regions, study, TN_TRAIT_CONTINUOUS, TN_REGION_NEIGHBOURS);
  }
  if (regions->len)
    return regions;
  tn_regions_free(regions);
  return NULL;
}
