/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/address-table.h"

#define FIRST_SLOTS 1024u

void
tn_address_table_init(TnAddressTable *table)
{
  table->keys = g_new0(uint64_t, FIRST_SLOTS);
  table->rows = g_new(uint32_t, FIRST_SLOTS);
  table->mask = FIRST_SLOTS - 1;
  table->n = 0;
}

void
tn_address_table_clear(TnAddressTable *table)
{
  g_clear_pointer(&table->keys, g_free);
  g_clear_pointer(&table->rows, g_free);
}

/* Allocators hand out multiples of 512: the low bits say nothing. */
static uint32_t
slot_of(const TnAddressTable *table, uint64_t key)
{
  return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & table->mask;
}

static uint32_t
find(const TnAddressTable *table, uint64_t key)
{
  uint32_t at = slot_of(table, key);
  while (table->keys[at] && table->keys[at] != key)
    at = (at + 1) & table->mask;
  return at;
}

static void
grow(TnAddressTable *table)
{
  TnAddressTable old = *table;
  table->mask = old.mask * 2 + 1;
  table->keys = g_new0(uint64_t, table->mask + 1);
  table->rows = g_new(uint32_t, table->mask + 1);
  for (uint32_t i = 0; i <= old.mask; i++) {
    if (!old.keys[i])
      continue;
    uint32_t at = find(table, old.keys[i]);
    table->keys[at] = old.keys[i];
    table->rows[at] = old.rows[i];
  }
  tn_address_table_clear(&old);
}

uint32_t
tn_address_table_put(TnAddressTable *table, uint64_t address, uint32_t row)
{
  uint64_t key = address + 1;
  uint32_t at = find(table, key);
  if (table->keys[at]) {
    uint32_t had = table->rows[at];
    table->rows[at] = row;
    return had;
  }
  if (++table->n > table->mask / 2) {
    grow(table);
    at = find(table, key);
  }
  table->keys[at] = key;
  table->rows[at] = row;
  return TN_NONE;
}

uint32_t
tn_address_table_get(const TnAddressTable *table, uint64_t address)
{
  uint32_t at = find(table, address + 1);
  return table->keys[at] ? table->rows[at] : TN_NONE;
}

uint32_t
tn_address_table_take(TnAddressTable *table, uint64_t address)
{
  uint32_t at = find(table, address + 1);
  if (!table->keys[at])
    return TN_NONE;
  uint32_t row = table->rows[at];
  table->keys[at] = 0;
  table->n--;
  /* Move back what the hole would hide (linear probing without tombstones). */
  for (uint32_t next = (at + 1) & table->mask; table->keys[next];
       next = (next + 1) & table->mask) {
    uint32_t home = slot_of(table, table->keys[next]);
    if (((next - home) & table->mask) < ((next - at) & table->mask))
      continue;
    table->keys[at] = table->keys[next];
    table->rows[at] = table->rows[next];
    table->keys[next] = 0;
    at = next;
  }
  return row;
}
