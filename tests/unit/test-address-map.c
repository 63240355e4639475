/* SPDX-License-Identifier: MIT */
/* Addresses to places in the picture and back: segments, gaps between them, strays, plans. */
#include "config.h"

#include "analysis/address-map.h"
#include "log-support.h"

#define MIB (1ll << 20)

static const TnAddressRange *
range(const TnAddressMap *map, guint i)
{
  g_assert_cmpuint(i, <, map->ranges->len);
  return &g_array_index(map->ranges, TnAddressRange, i);
}

static tn_index
add(TnBuffers *b, uint64_t address, tn_bytes bytes)
{
  tn_index i = tn_buffers_add(b, 0, 1, bytes, TN_KIND_ALLOCATION);
  b->offset[i] = (tn_bytes)address;
  return i;
}

/* Ranges stand one above the other without a gap, by address; all places lead back. */
static void
check_map(const TnAddressMap *map, const TnBuffers *b, const tn_bytes *offset)
{
  tn_bytes place = 0;
  for (guint i = 0; i < map->ranges->len; i++) {
    const TnAddressRange *r = range(map, i);
    g_assert_cmpint(r->place, ==, place);
    place += r->bytes;
    if (i > 0)
      g_assert_true(r->address > range(map, i - 1)->address + (uint64_t)range(map, i - 1)->bytes);
  }
  g_assert_cmpint(map->height, ==, place);
  uint32_t placed = 0;
  for (tn_index i = 0; i < b->n; i++) {
    if (map->place[i] == TN_NOT_PLACED)
      continue;
    placed++;
    g_assert_cmpint(map->place[i] + b->bytes[i], <=, map->height);
    g_assert_cmpuint(tn_address_map_address(map, map->place[i]), ==, (uint64_t)offset[i]);
    g_assert_cmpint(tn_address_map_place(map, (uint64_t)offset[i]), ==, map->place[i]);
  }
  g_assert_cmpuint(placed, ==, map->n_placed);
}

static void
test_log(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_ALLOC, 500 * MIB, 20 * MIB},
                                    {TN_EVENT_SEGMENT_FREE, 500 * MIB, 20 * MIB},
                                    {TN_EVENT_SEGMENT_MAP, 102 * MIB, 4 * MIB},
                                    {TN_EVENT_ALLOC, 7, 1}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  log_add_segment(document, 100 * MIB, 2 * MIB); /* touches the mapping above it: one range */
  log_add_segment(document, 300 * MIB, 2 * MIB);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  add(b, 100 * MIB, 512);
  add(b, 103 * MIB, MIB);
  add(b, 301 * MIB, MIB);
  add(b, 519 * MIB, MIB);
  add(b, 800 * MIB, 3 * MIB);           /* a stray */
  add(b, 301 * MIB + MIB / 2, MIB);     /* sticks out of its segment */
  add(b, 0x7fffffff00000000u, 512);
  TnAddressMap *map = tn_address_map_new_for_log(log_device(document), b);
  g_assert_cmpuint(map->ranges->len, ==, 5);
  g_assert_cmpuint(range(map, 0)->address, ==, 100 * MIB);
  g_assert_cmpint(range(map, 0)->bytes, ==, 6 * MIB);
  g_assert_cmpint(range(map, 1)->bytes, ==, 2 * MIB + MIB / 2);
  g_assert_cmpint(range(map, 3)->bytes, ==, 3 * MIB);
  g_assert_cmpuint(map->n_placed, ==, 7);
  g_assert_cmpint(map->place[1], ==, 3 * MIB);
  g_assert_cmpint(map->place[2], ==, 7 * MIB);
  check_map(map, b, b->offset);
  g_assert_cmpint(tn_address_map_place(map, 200 * MIB), ==, TN_NOT_PLACED);
  g_assert_cmpint(tn_address_map_place(map, 0), ==, TN_NOT_PLACED);
  g_assert_true(tn_address_map_find(map, -5) == range(map, 0));
  g_assert_true(tn_address_map_find(map, map->height * 2) == range(map, 4));
  tn_address_map_free(map);
}

static void
test_plan(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_SPACE);
  static const tn_bytes offset[] = {0, 100, 0, TN_NOT_PLACED, 64};
  static const uint32_t space[] = {0, 0, 2, 0, 2};
  for (int i = 0; i < 5; i++) {
    tn_buffers_add(b, 0, 1, 100, TN_KIND_UNKNOWN);
    b->space[i] = space[i];
  }
  TnAddressMap *map = tn_address_map_new_for_plan(b, offset, 3);
  static const tn_bytes place[] = {0, 100, 200, TN_NOT_PLACED, 264};
  g_assert_cmpmem(map->place, sizeof place, place, sizeof place);
  g_assert_cmpint(map->height, ==, 364);
  g_assert_cmpuint(map->n_placed, ==, 4);
  g_assert_cmpuint(map->ranges->len, ==, 3);
  tn_address_map_free(map);
}

/* What holds no bytes makes no arena larger, and has no place in that of another space. */
static void
test_empty_rows(void)
{
  static const tn_bytes place[] = {0, 5, TN_NOT_PLACED, 10};
  g_autoptr(TnBuffers) b = tn_buffers_new();
  add(b, 0, 10);
  add(b, 5, 0);
  add(b, 12, 0);
  add(b, 0, 20);
  tn_buffers_need(b, TN_COLUMN_SPACE);
  b->space[3] = 1;
  TnAddressMap *map = tn_address_map_new_for_plan(b, NULL, 2);
  g_assert_cmpint(map->height, ==, 30);
  g_assert_cmpmem(map->place, sizeof place, place, sizeof place);
  g_assert_cmpuint(map->n_placed, ==, 3);
  tn_address_map_free(map);
}

static void
test_empty(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  TnAddressMap *map = tn_address_map_new_for_log(log_device(document), b);
  g_assert_cmpint(map->height, ==, 0);
  g_assert_null(tn_address_map_find(map, 0));
  g_assert_cmpuint(tn_address_map_address(map, 0), ==, 0);
  tn_address_map_free(map);
  map = tn_address_map_new_for_plan(b, NULL, 0);
  g_assert_cmpint(map->height, ==, 0);
  tn_address_map_free(map);
}

/* Random segments that overlap, touch or stand apart, and buffers in and out of them. */
static void
test_random(void)
{
  for (int round = 0; round < 200; round++) {
    g_autoptr(TnDocument) document = log_new(NULL, 0);
    int n = g_test_rand_int_range(0, 30);
    for (int i = 0; i < n; i++)
      log_add_segment(document, (uint64_t)g_test_rand_int_range(0, 4000) * 512,
                      g_test_rand_int_range(1, 300) * 512ll);
    g_autoptr(TnBuffers) b = tn_buffers_new();
    for (int i = 0; i < 100; i++)
      add(b, (uint64_t)g_test_rand_int_range(0, 5000) * 512,
          g_test_rand_int_range(1, 40) * 512ll);
    TnAddressMap *map = tn_address_map_new_for_log(log_device(document), b);
    check_map(map, b, b->offset);
    g_assert_cmpuint(map->n_placed, ==, b->n);
    tn_address_map_free(map);
  }
}

/* More memory than 64 bits can add up: what fits is shown. */
static void
test_overflow(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  log_add_segment(document, 4096, INT64_MAX);
  log_add_segment(document, UINT64_MAX - 4096, 4096);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  add(b, 8192, 512);
  add(b, UINT64_MAX - 512, 100);
  TnAddressMap *map = tn_address_map_new_for_log(log_device(document), b);
  g_assert_cmpint(map->height, ==, INT64_MAX);
  g_assert_cmpint(map->place[0], ==, 4096);
  g_assert_cmpint(map->place[1], ==, TN_NOT_PLACED);
  tn_address_map_free(map);
}

/* Strays that never join took minutes when all were sorted again for each. */
static void
test_many_strays(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  for (uint64_t i = 0; i < 300000; i++)
    add(b, (i * 7919 % 300000 + 1) << 20, 512);
  gint64 begin = g_get_monotonic_time();
  TnAddressMap *map =
      tn_address_map_new_for_log(tn_document_get_device(document, 0), b);
  g_assert_cmpuint(map->ranges->len, ==, 300000);
  g_assert_cmpint(g_get_monotonic_time() - begin, <, 20 * G_USEC_PER_SEC);
  tn_address_map_free(map);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/address-map/log", test_log);
  g_test_add_func("/address-map/plan", test_plan);
  g_test_add_func("/address-map/empty", test_empty);
  g_test_add_func("/address-map/empty-rows", test_empty_rows);
  g_test_add_func("/address-map/random", test_random);
  g_test_add_func("/address-map/overflow", test_overflow);
  g_test_add_func("/address-map/many-strays", test_many_strays);
  return g_test_run();
}
