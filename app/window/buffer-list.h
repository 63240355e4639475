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
  TN_N_TABLE_COLUMNS
} TnTableColumn;

#define TN_TYPE_BUFFER_ROW (tn_buffer_row_get_type())
G_DECLARE_FINAL_TYPE(TnBufferRow, tn_buffer_row, TN, BUFFER_ROW, GObject)
tn_index tn_buffer_row_get(TnBufferRow *row);
/* A row that stands for no buffer, for asking sorters. */
TnBufferRow *tn_buffer_row_new(tn_index buffer);

#define TN_TYPE_BUFFER_LIST (tn_buffer_list_get_type())
G_DECLARE_FINAL_TYPE(TnBufferList, tn_buffer_list, TN, BUFFER_LIST, GObject)

/* Takes a reference to the study.  All rows, the largest first. */
TnBufferList *tn_buffer_list_new(TnStudy *study);
void tn_buffer_list_set_study(TnBufferList *list, TnStudy *study);
/* Only rows whose byte of `match` is not 0; NULL: all. */
void tn_buffer_list_set_match(TnBufferList *list, const uint8_t *match);
void tn_buffer_list_sort(TnBufferList *list, TnTableColumn column, bool is_descending);
/* Where a buffer stands, G_MAXUINT where it is not shown.  O(n). */
guint tn_buffer_list_find(TnBufferList *list, tn_index buffer);
/* The text of a cell, owned by the caller. */
char *tn_buffer_list_dup_cell(const TnStudy *study, tn_index buffer, TnTableColumn column);
/* All cells of a row with tabs between them and a line's end, owned by the caller. */
char *tn_buffer_list_dup_tsv(const TnStudy *study, tn_index buffer);
