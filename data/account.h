/* SPDX-License-Identifier: MIT */
/* An account: what a report says in totals only.  Its rows add up to its total; what the report
 * left unexplained is a row of its own, named, so that nothing is hidden and nothing counted twice.
 *
 *   GPU 0                      total 11.93 GiB
 *     allocated by PyTorch            4.00 GiB
 *     cached, unallocated           179.00 KiB
 *     free on the device              7.33 GiB
 *     outside PyTorch                 0.60 GiB   (the remainder)
 *     = 11.93 GiB
 *
 * Below the rows may stand details, which are parts of rows or figures beside them (a request, a
 * peak): they are not added. */
#pragma once

#include "data/types.h"

typedef struct {
  char *what;
  tn_bytes bytes; /* may be negative in a remainder: the parts pass the total */
  char *note;     /* may be NULL */
  bool is_remainder;
} TnAccountRow;

typedef struct {
  char *title;                    /* what was found: "PyTorch out-of-memory message, GPU 0" */
  char *source;                   /* the log's own tag of who wrote it ("rank1"); may be NULL */
  uint32_t first_line, last_line; /* in the file, from 1; 0: not by lines */
  tn_bytes total;   /* TN_BYTES_UNKNOWN: the report states none, and there is no sum to check */
  char *total_what; /* "memory of the device"; may be NULL */
  GArray *rows;     /* TnAccountRow; sum to `total` where that is known */
  GArray *details;  /* TnAccountRow; not summed */
  char *statement;  /* what can't be shown, and which recording would allow it; may be NULL */
  bool is_cut_off;  /* the report's end is missing in the file */
} TnAccount;

TnAccount *tn_account_new(const char *title, uint32_t first_line);
void tn_account_free(TnAccount *account);

/* Appends a row to the sum, or to the details; negative and unknown `bytes` are not added. */
void tn_account_add(TnAccount *account, const char *what, tn_bytes bytes, const char *note);
void tn_account_add_detail(TnAccount *account, const char *what, tn_bytes bytes, const char *note);

/* What the rows must add up to, and what that is; said again, the last counts. */
void tn_account_set_total(TnAccount *account, tn_bytes total, const char *what);

/* The sum of the rows; TN_BYTES_UNKNOWN where it does not fit into 64 bits. */
tn_bytes tn_account_sum(const TnAccount *account);

/* Names what is missing to the total: adds the remainder as a row `what` (where it is negative, as
 * `over`), unless it is 0.  A remainder within `rounding` bytes is called rounding: the report's
 * own sizes are no more exact.  Without a total the sum becomes it. */
void tn_account_close(TnAccount *account, const char *what, const char *over, tn_bytes rounding);

static inline const TnAccountRow *
tn_account_row(const GArray *rows, guint i)
{
  return &g_array_index(rows, TnAccountRow, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnAccount, tn_account_free)
