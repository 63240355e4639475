/* SPDX-License-Identifier: MIT */
/* A table whose rows are numbers 0 … n - 1 and whose cells are texts that somebody makes of them.
 * Signal: "row-selected" (a person chose another row). */
#pragma once

#include "app/window/column-view.h"

#include <stdint.h>

#define TN_TYPE_TEXT_TABLE (tn_text_table_get_type())
G_DECLARE_FINAL_TYPE(TnTextTable, tn_text_table, TN, TEXT_TABLE, GtkBox)

/* Text of a cell, owned by the caller. */
typedef char *(*TnDupText)(uint32_t row, int column, gpointer data);

/* `columns` (shape n) are static; `data` must outlive the table. */
GtkWidget *tn_text_table_new(
    const char *label, const TnColumnSpec *columns, int n, TnDupText dup_text, gpointer data);

/* Makes all cells anew, `n_rows` of them; the selected row stays where it is still there. */
void tn_text_table_fill(TnTextTable *table, uint32_t n_rows);
/* UINT32_MAX: none. */
uint32_t tn_text_table_get_selected(TnTextTable *table);
/* Selects and scrolls to a row without the signal; UINT32_MAX: none. */
void tn_text_table_select(TnTextTable *table, uint32_t row);
