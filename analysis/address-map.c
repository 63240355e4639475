/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/address-map.h"

static int
compare_ranges(gconstpointer a, gconstpointer b)
{
  const TnAddressRange *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static void
add_range(GArray *ranges, uint64_t address, tn_bytes bytes, uint32_t space)
{
  TnAddressRange range = {address, bytes, 0, space};
  if (bytes > 0)
    g_array_append_val(ranges, range);
}

/* Sorts, and joins what overlaps or touches. */
static void
merge(GArray *ranges)
{
  g_array_sort(ranges, compare_ranges);
  guint kept = 0;
  for (guint i = 0; i < ranges->len; i++) {
    TnAddressRange range = g_array_index(ranges, TnAddressRange, i);
    TnAddressRange *last = kept ? &g_array_index(ranges, TnAddressRange, kept - 1) : NULL;
    if (last && range.address - last->address <= (uint64_t)last->bytes) {
      uint64_t end = range.address - last->address + (uint64_t)range.bytes;
      last->bytes = (tn_bytes)MAX((uint64_t)last->bytes, MIN(end, (uint64_t)INT64_MAX));
    } else {
      g_array_index(ranges, TnAddressRange, kept++) = range;
    }
  }
  g_array_set_size(ranges, kept);
}

static const TnAddressRange *
range_of(const GArray *ranges, uint64_t address)
{
  guint low = 0, high = ranges->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(ranges, TnAddressRange, middle).address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const TnAddressRange *range = &g_array_index(ranges, TnAddressRange, low - 1);
  return address - range->address < (uint64_t)range->bytes ? range : NULL;
}

static void
collect_segments(const TnDevice *device, GArray *ranges)
{
  for (guint i = 0; i < device->segments->len; i++) {
    const TnSegment *segment = &g_array_index(device->segments, TnSegment, i);
    add_range(ranges, segment->address, segment->bytes, segment->space);
  }
  const TnEvents *events = &device->events;
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_SEGMENT_ALLOC || events->action[i] == TN_EVENT_SEGMENT_MAP)
      add_range(ranges, events->address[i], events->bytes[i], events->space[i]);
}

/* Buffers that no known segment holds (the file lost the segment) make ranges of their own. */
static void
collect_strays(const TnBuffers *buffers, GArray *ranges)
{
  g_autoptr(GArray) strays = g_array_new(FALSE, FALSE, sizeof(TnAddressRange));
  guint most = 65536;
  for (tn_index i = 0; i < buffers->n; i++) {
    uint64_t address = (uint64_t)buffers->offset[i];
    const TnAddressRange *range = range_of(ranges, address);
    if (!range ||
        address - range->address + (uint64_t)buffers->bytes[i] > (uint64_t)range->bytes)
      add_range(strays, address, buffers->bytes[i], 0);
    /* Where they do not join, the next time comes after twice as many. */
    if (strays->len > most) {
      merge(strays);
      most = MAX(most, 2 * strays->len);
    }
  }
  if (strays->len == 0)
    return;
  g_array_append_vals(ranges, strays->data, strays->len);
  merge(ranges);
}

static void
stack_up(TnAddressMap *map)
{
  for (guint i = 0; i < map->ranges->len; i++) {
    TnAddressRange *range = &g_array_index(map->ranges, TnAddressRange, i);
    range->place = map->height;
    if (!tn_add(map->height, range->bytes, &map->height)) {
      g_array_set_size(map->ranges, i);
      break;
    }
  }
}

TnAddressMap *
tn_address_map_new_for_log(const TnDevice *device, const TnBuffers *buffers)
{
  TnAddressMap *map = g_new0(TnAddressMap, 1);
  map->ranges = g_array_new(FALSE, FALSE, sizeof(TnAddressRange));
  collect_segments(device, map->ranges);
  merge(map->ranges);
  collect_strays(buffers, map->ranges);
  stack_up(map);
  map->place = g_new(tn_bytes, MAX(buffers->n, 1u));
  for (tn_index i = 0; i < buffers->n; i++) {
    map->place[i] = tn_address_map_place(map, (uint64_t)buffers->offset[i]);
    map->n_placed += map->place[i] != TN_NOT_PLACED;
  }
  return map;
}

TnAddressMap *
tn_address_map_new_for_plan(const TnBuffers *buffers, const tn_bytes *offset, uint32_t n_spaces)
{
  const tn_bytes *at = offset ? offset : buffers->offset;
  TnAddressMap *map = g_new0(TnAddressMap, 1);
  map->ranges = g_array_new(FALSE, TRUE, sizeof(TnAddressRange));
  g_array_set_size(map->ranges, MAX(n_spaces, 1u));
  for (tn_index i = 0; i < buffers->n; i++) {
    uint32_t space = MIN(tn_buffers_space(buffers, i), map->ranges->len - 1);
    TnAddressRange *range = &g_array_index(map->ranges, TnAddressRange, space);
    tn_bytes end;
    range->space = space;
    if (at[i] != TN_NOT_PLACED && buffers->bytes[i] > 0 && tn_add(at[i], buffers->bytes[i], &end))
      range->bytes = MAX(range->bytes, end);
  }
  stack_up(map);
  map->place = g_new(tn_bytes, MAX(buffers->n, 1u));
  for (tn_index i = 0; i < buffers->n; i++) {
    uint32_t space = MIN(tn_buffers_space(buffers, i), map->ranges->len - 1);
    const TnAddressRange *range = &g_array_index(map->ranges, TnAddressRange, space);
    /* What has no bytes makes no range larger, and above its end the next space begins. */
    bool is_placed = at[i] != TN_NOT_PLACED && (buffers->bytes[i] > 0 || at[i] <= range->bytes);
    map->place[i] = is_placed ? range->place + at[i] : TN_NOT_PLACED;
    map->n_placed += is_placed;
  }
  return map;
}

void
tn_address_map_free(TnAddressMap *map)
{
  if (!map)
    return;
  g_array_unref(map->ranges);
  g_free(map->place);
  g_free(map);
}

const TnAddressRange *
tn_address_map_find(const TnAddressMap *map, tn_bytes place)
{
  guint low = 0, high = map->ranges->len;
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(map->ranges, TnAddressRange, middle).place <= place)
      low = middle;
    else
      high = middle;
  }
  return map->ranges->len ? &g_array_index(map->ranges, TnAddressRange, low) : NULL;
}

tn_bytes
tn_address_map_place(const TnAddressMap *map, uint64_t address)
{
  const TnAddressRange *range = range_of(map->ranges, address);
  return range ? range->place + (tn_bytes)(address - range->address) : TN_NOT_PLACED;
}

uint64_t
tn_address_map_address(const TnAddressMap *map, tn_bytes place)
{
  const TnAddressRange *range = tn_address_map_find(map, place);
  return range ? range->address + (uint64_t)MAX(place - range->place, (tn_bytes)0) : 0;
}

tn_bytes *
tn_address_map_places_new(const TnAddressMap *map, const TnBuffers *rows)
{
  tn_bytes *places = g_new(tn_bytes, MAX(rows->n, 1u));
  for (uint32_t i = 0; i < rows->n; i++)
    places[i] = tn_address_map_place(map, (uint64_t)rows->offset[i]);
  return places;
}
