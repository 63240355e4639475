/* SPDX-License-Identifier: MIT */
/* The buffers of a study as a list model: an order of rows, and a small object made for a row only
 * while a widget shows it.  Sorting and filtering work on the tables, not on objects. */
#pragma once

#include "analysis/study.h"

#include <gio/gio.h>

typedef enum {
  TN_COLUMN_LABEL,
  TN_COLUMN_SIZE,
  TN_COLUMN_START,
  TN_COLUMN_END,
  TN_COLUMN_LIFE,
  TN_COLUMN_OFFSET,
  TN_COLUMN_KIND,
  TN_COLUMN_ASKED,
  TN_COLUMN_PRODUCT, /* bytes × life */
  TN_COLUMN_CATEGORY,
  TN_N_TABLE_COLUMNS
} TnTableColumn;

#define TN_TYPE_BUFFER_ROW (tn_buffer_row_get_type())
G_DECLARE_FINAL_TYPE(TnBufferRow, tn_buffer_row, TN, BUFFER_ROW, GObject)
tn_index tn_buffer_row_get(TnBufferRow *row);
/* A row that stands for no buffer, for asking sorters. */
TnBufferRow *tn_buffer_row_new(tn_index buffer);

#define TN_TYPE_BUFFER_LIST (tn_buffer_list_get_type())
G_DECLARE_FINAL_TYPE(TnBufferList, tn_buffer_list, TN, BUFFER_LIST, GObject)

/* Long lists are sorted on another thread: the old rows stay until the new ones come.  "reordering"
 * goes before "items-changed", so that a selection need not be looked for among all rows. */

/* Takes a reference to the study.  All rows, the largest first. */
TnBufferList *tn_buffer_list_new(TnStudy *study);
/* Rows of another device go at once. */
void tn_buffer_list_set_study(TnBufferList *list, TnStudy *study);
/* Only rows whose byte of `match` is not 0; NULL: all.  A reference is taken. */
void tn_buffer_list_set_match(TnBufferList *list, GBytes *match);
/* Only these buffers (uint32_t, a copy is taken); NULL: all. */
void tn_buffer_list_set_rows(TnBufferList *list, GArray *rows);
void tn_buffer_list_sort(TnBufferList *list, TnTableColumn column, bool is_descending);
/* The same rows, written again. */
void tn_buffer_list_refresh(TnBufferList *list);
/* Where a buffer stands, G_MAXUINT where it is not shown.  O(n). */
guint tn_buffer_list_find(TnBufferList *list, tn_index buffer);
/* The text of a cell, owned by the caller. */
char *tn_buffer_list_dup_cell(const TnStudy *study, tn_index buffer, TnTableColumn column);
/* Cells of a row (the first seven columns) with tabs between them and a line's end, owned by the caller. */
char *tn_buffer_list_dup_tsv(const TnStudy *study, tn_index buffer);
