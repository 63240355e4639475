/* SPDX-License-Identifier: MIT */
/* What a report says in figures and words, as tables: HTML and sheets only set them. */
#pragma once

#include "data/account.h"
#include "render/report-file.h"

typedef struct {
  char *title;
  const char *const *columns; /* NULL-terminated, static */
  const bool *is_number;      /* by column: set to the right */
  GPtrArray *rows;            /* GStrv, a cell a column */
  char *note;                 /* a sentence below; may be NULL */
} TnReportTable;

void tn_report_table_free(TnReportTable *table);

/* Owned by the caller; NULL where the report has nothing of the kind. */
TnReportTable *tn_report_table_figures(const TnReportParams *params);
TnReportTable *tn_report_table_findings(const TnReportParams *params);
/* What the readings of the files left out or had to assume. */
TnReportTable *tn_report_table_left_out(const TnReportParams *params);
TnReportTable *tn_report_table_account(const TnReportParams *params, const TnAccount *account);
TnReportTable *tn_report_table_top_buffers(const TnReportParams *params);
/* Every byte of the device at the failed request. */
TnReportTable *tn_report_table_ledger(const TnReportParams *params, const TnOom *oom);
TnReportTable *tn_report_table_causes(const TnReportParams *params);
/* Changes of one kind and name in one row, the most important first. */
TnReportTable *tn_report_table_changes(const TnReportParams *params);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnReportTable, tn_report_table_free)
