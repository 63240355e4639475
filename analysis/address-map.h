/* SPDX-License-Identifier: MIT */
/* Where a buffer stands in a picture of memory: the ranges that are in use one above the other, the
 * gaps between them folded away.
 *
 *   addresses   0x7f10..     0x7f90..        0x9a00..
 *               [ range 0 ]  [   range 1  ]  [ r 2 ]        gaps of any size
 *   place       0 ........ | ............. | ...... height
 */
#pragma once

#include "data/document.h"

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  tn_bytes place;    /* where the range begins in the picture */
  uint32_t space;
} TnAddressRange;

typedef struct {
  GArray *ranges;  /* TnAddressRange, by place */
  tn_bytes height; /* sum of the ranges */
  tn_bytes *place; /* by buffer; TN_NOT_PLACED where it has no address; owned */
  uint32_t n_placed;
} TnAddressMap;

/* A log: ranges are the segments that it ever had, and buffers outside of all of them.
 * O((segments + buffers) log). */
TnAddressMap *tn_address_map_new_for_log(const TnDevice *device, const TnBuffers *buffers);
/* A plan: one range for each space, from 0 to its highest end.  `offset`: shape n, NULL: the
 * buffers' own.  What has no bytes makes no range larger, and has no place above its end. */
TnAddressMap *tn_address_map_new_for_plan(const TnBuffers *buffers, const tn_bytes *offset,
                                          uint32_t n_spaces);
void tn_address_map_free(TnAddressMap *map);

/* The range that holds `place`, clamped to the map.  O(log ranges). */
const TnAddressRange *tn_address_map_find(const TnAddressMap *map, tn_bytes place);

/* Where an address stands in the picture; TN_NOT_PLACED outside of all ranges. */
tn_bytes tn_address_map_place(const TnAddressMap *map, uint64_t address);

/* The same of each row's offset, shape rows->n; owned by the caller. */
tn_bytes *tn_address_map_places_new(const TnAddressMap *map, const TnBuffers *rows);

/* The address at a place of the picture. */
uint64_t tn_address_map_address(const TnAddressMap *map, tn_bytes place);
