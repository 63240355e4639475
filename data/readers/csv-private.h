/* SPDX-License-Identifier: MIT */
/* The two halves of the reader of CSV: csv.c reads MiniMalloc's columns, csv-ours.c the others. */
#pragma once

#include "data/document.h"
#include "data/readers/csv-scan.h"

#define MAX_COLUMNS 256

typedef enum {
  ROLE_EXTRA,
  ROLE_ID,
  ROLE_LOWER,
  ROLE_UPPER,
  ROLE_SIZE,
  ROLE_ALIGNMENT,
  ROLE_GAPS,
  ROLE_OFFSET,
  ROLE_HINT,
  ROLE_SPACE, /* ours: a plan of several spaces keeps them apart */
  ROLE_BATCH, /* … and what else decides who may share a place */
  ROLE_GROUP,
  ROLE_FLAGS,
  ROLE_STREAM,
  ROLE_TRAITS,
  N_ROLES
} Role;

typedef struct {
  TnCsvScan scan;
  uint32_t n_columns;
  uint8_t roles[MAX_COLUMNS];
  char *titles[N_ROLES]; /* as the header writes them; NULL: the file has no such column */
  bool is_end_inclusive;
  TnCsvField fields[N_ROLES]; /* of the row in hand */

  TnDocument *document;
  TnDevice *device;
  TnBuffers *buffers;
  GByteArray *seen_ids; /* by string id: 1 where a row had it */
  GArray *gaps, *gap_owners;
  GHashTable *spaces; /* string id → space */
  GHashTable *groups; /* string id → group */
  GString *extra;     /* names of the columns that are left out */
  int64_t n_extra, n_blank;
  tn_bytes arena;
  bool is_all_placed;
} Csv;

/* The fields of the row in hand, into row `i` of the buffers. */
void tn_csv_read_ours(Csv *csv, tn_index i);
