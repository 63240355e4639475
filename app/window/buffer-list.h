/* SPDX-License-Identifier: MIT */
/* The buffers of a study as a list model: an order of rows, and a small object made for a row only
 * while a widget shows it.  Sorting and filtering work on the tables, not on objects. */
#pragma once

#include "analysis/study.h"
#include "app/window/row-list.h"

typedef enum {
  TN_COLUMN_LABEL,
  TN_COLUMN_SIZE,
  TN_COLUMN_START,
  TN_COLUMN_END,
  TN_COLUMN_LIFE,
  TN_COLUMN_CLOCK, /* life by the clock */
  TN_COLUMN_LONG,  /* whether it is long in ticks or in seconds: TnLongIn */
  TN_COLUMN_OFFSET,
  TN_COLUMN_KIND,
  TN_COLUMN_ASKED,
  TN_COLUMN_PRODUCT, /* bytes × life */
  TN_COLUMN_CATEGORY,
  TN_N_TABLE_COLUMNS
} TnTableColumn;

#define TN_TYPE_BUFFER_LIST (tn_buffer_list_get_type())
G_DECLARE_FINAL_TYPE(TnBufferList, tn_buffer_list, TN, BUFFER_LIST, TnRowList)

/* Long lists are sorted on another thread: the old rows stay until the new ones come. */

/* Takes a reference to the study.  Empty until the first update; then the largest first. */
TnBufferList *tn_buffer_list_new(TnStudy *study);
/* Another study; only rows whose byte of `match` is not 0 (NULL: all), and only these `rows` (uint32_t;
 * NULL: all).  References are taken, of `rows` a copy.  Rows of another device go at once. */
void tn_buffer_list_update(TnBufferList *list, TnStudy *study, GBytes *match, GArray *rows);
void tn_buffer_list_sort(TnBufferList *list, TnTableColumn column, bool is_descending);
/* The text of a cell, owned by the caller. */
char *tn_buffer_list_dup_cell(const TnStudy *study, tn_index buffer, TnTableColumn column);
/* Cells of a row (the columns up to the kind) with tabs between them and a line's end, owned by the
 * caller. */
char *tn_buffer_list_dup_tsv(const TnStudy *study, tn_index buffer);
