/* SPDX-License-Identifier: MIT */
/* Flatbuffers over mapped memory: tables found through their vtables, every offset checked against
 * the file before it is followed, nothing copied.
 *
 *   table:  i32 back to its vtable · fields
 *   vtable: u16 its size · u16 the table's size · u16 offset of field 0, 1, … (0: absent)
 */
#pragma once

#include "data/progress.h"
#include "data/types.h"

typedef struct {
  const uint8_t *data;
  gsize size;
  gsize taken; /* bytes of all lists and texts so far: any number of tables may name one */
  /* The first thing that was wrong; NULL: nothing. */
  const char *found, *expected;
  gsize at;
} TnFlat;

typedef struct {
  gsize at;      /* byte of the file; 0: no table */
  gsize vtable;
  uint16_t vtable_size, table_size;
} TnFlatTable;

typedef struct {
  gsize at;   /* first element */
  uint32_t n; /* 0: absent or empty */
} TnFlatVector;

/* The root table; false (and a failure) where the file has none. */
bool tn_flat_root(TnFlat *flat, TnFlatTable *out_table);

/* A scalar field of `width` bytes, sign-extended; `fallback` where absent. */
int64_t tn_flat_int(TnFlat *flat, const TnFlatTable *table, unsigned slot, unsigned width,
                    int64_t fallback);
/* A table field; false where absent. */
bool tn_flat_table(TnFlat *flat, const TnFlatTable *table, unsigned slot, TnFlatTable *out_table);
/* A vector whose elements have `width` bytes; empty where absent or (a failure) outside the file, or where
 * all such lists (of more than a byte's width) together come to many times the file. */
TnFlatVector tn_flat_vector(TnFlat *flat, const TnFlatTable *table, unsigned slot, unsigned width);
/* Counts bytes that are gone through (once more); a failure, and false, where all that was counted comes
 * to many times the file. */
bool tn_flat_take(TnFlat *flat, gsize at, gsize bytes);
/* Text, not terminated; "" where absent or (a failure) where it passes what tables may share. */
const char *tn_flat_text(TnFlat *flat, const TnFlatTable *table, unsigned slot, gsize *out_length);

/* Element i (< n) of a vector of scalars of `width` bytes, sign-extended. */
int64_t tn_flat_vector_int(const TnFlat *flat, const TnFlatVector *vector, uint32_t i,
                           unsigned width);
/* Element i of a vector of tables; a failure where it has fewer. */
bool tn_flat_vector_table(TnFlat *flat, const TnFlatVector *vector, uint32_t i,
                          TnFlatTable *out_table);

bool tn_flat_fail(TnFlat *flat, gsize at, const char *found, const char *expected);

/* Says that element i of a list of n is read, now and then; false and TN_DATA_ERROR_CANCELLED where the reader of
 * file `name` is to stop. */
bool tn_flat_report(TnProgress *progress, const char *name, uint32_t i, uint32_t n, GError **error);
