/* SPDX-License-Identifier: MIT */
/* A hash table from an address to a 32-bit row, for the live set of a log: open addressing with
 * removal, 12 bytes a slot, grown by rehashing. */
#pragma once

#include "data/types.h"

typedef struct {
  uint64_t *keys; /* address + 1; 0: free */
  uint32_t *rows;
  uint32_t n, mask;
} TnAddressTable;

void tn_address_table_init(TnAddressTable *table);
void tn_address_table_clear(TnAddressTable *table);

/* Puts a row; returns the row that the address had, or TN_NONE. */
uint32_t tn_address_table_put(TnAddressTable *table, uint64_t address, uint32_t row);
/* Takes the row out and returns it, or TN_NONE. */
uint32_t tn_address_table_take(TnAddressTable *table, uint64_t address);
/* The row, or TN_NONE. */
uint32_t tn_address_table_get(const TnAddressTable *table, uint64_t address);
