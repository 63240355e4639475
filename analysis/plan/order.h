/* SPDX-License-Identifier: MIT */
/* Sorting rows by 64-bit keys. */
#pragma once

#include "data/types.h"

/* Fills order[0..n) with 0..n-1 sorted by ascending key, equal keys in ascending id.  O(n) per
 * eleven bits in which keys differ.  Method: least significant digit radix sort. */
void tn_order_by_key(const uint64_t *key, uint32_t n, uint32_t *order);

/* The same for descending keys; equal keys in ascending id. */
void tn_order_by_key_descending(const uint64_t *key, uint32_t n, uint32_t *order);

/* Sorts `order` (ids into `key`) by ascending key and keeps the order of equals. */
void tn_order_again(const uint64_t *key, uint32_t n, uint32_t *order);

/* Rows 0..n-1 by ascending tick, equal ones in ascending row; owned. */
uint32_t *tn_order_by_tick(const tn_tick *tick, uint32_t n);

/* In rows so sorted the first whose tick is not below `from`; `n` where there is none.  O(log n). */
uint32_t tn_order_find(const uint32_t *rows, const tn_tick *tick, uint32_t n, tn_tick from);
