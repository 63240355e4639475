/* SPDX-License-Identifier: MIT */
/* Where every byte of a device is at one tick: rows that add up to the total, none counted twice. */
#pragma once

#include "analysis/holes.h"

typedef enum {
  TN_LEDGER_LIVE,     /* what programs asked for, by kind of buffer */
  TN_LEDGER_ROUNDING, /* sizes rounded up, and rests that were not split off */
  TN_LEDGER_CACHED,   /* in holes of the default pool's segments */
  TN_LEDGER_PRIVATE,  /* all that private pools hold (CUDA graphs, MemPool): live and free */
  TN_LEDGER_UNSEEN,   /* live, but outside of all segments that the log knows */
  TN_LEDGER_OUTSIDE,  /* neither the allocator's nor free: contexts, libraries, other processes */
  TN_LEDGER_FREE,     /* of the device */
  TN_LEDGER_REST,     /* outside or free: the log does not tell which */
  TN_N_ACCOUNT_ROWS
} TnLedgerKind;

typedef struct {
  TnLedgerKind kind;
  TnBufferKind buffer_kind; /* TN_LEDGER_LIVE only */
  tn_bytes bytes;
  uint32_t n; /* buffers or holes in it; 0 where that means nothing */
} TnLedgerRow;

/* Where the total comes from. */
typedef enum {
  TN_TOTAL_UNKNOWN,  /* no total: the rows add up to what is reserved */
  TN_TOTAL_GIVEN,    /* the file or the user says it */
  TN_TOTAL_INFERRED  /* reserved + free at a failed request: what others hold is not in it */
} TnTotalSource;

typedef struct {
  tn_tick tick;
  tn_bytes total_bytes; /* the rows' sum */
  tn_bytes reserved_bytes;
  TnTotalSource source;
  GArray *rows; /* TnLedgerRow, none empty, by kind, live ones largest first */
} TnLedger;

/* The account at `tick`.  `device_bytes`: the device's memory as the user knows it, 0: as the file
 * says; where that is inferred, at a failed request what the device had then.  `holes`: the state at this tick; NULL: made here.  Never NULL. */
TnLedger *tn_ledger_new(const TnStudy *study, tn_tick tick, tn_bytes device_bytes,
                          const TnHoles *holes);
void tn_ledger_free(TnLedger *account);

/* What the device had for the allocator at a failed request: reserved (live, where no curve tells) +
 * free.  False, and *out untouched, at other marks, where the log does not say what was free, and on
 * overflow.  O(log n). */
bool tn_ledger_had(const TnStudy *study, const TnMark *mark, tn_bytes *out);

/* The device's memory: given, or the most that reserved + free came to at a failed request. */
tn_bytes tn_ledger_total(const TnStudy *study, tn_bytes device_bytes, TnTotalSource *out_source);

/* "live: activation", "cached in holes", …; and one clause on where the total comes from ("" where it
 * is given).  Borrowed. */
const char *tn_ledger_row_name(const TnLedgerRow *row);
const char *tn_ledger_source_text(TnTotalSource source);

static inline const TnLedgerRow *
tn_ledger_get(const TnLedger *account, uint32_t i)
{
  return &g_array_index(account->rows, TnLedgerRow, i);
}

/* The bytes of all rows of a kind. */
tn_bytes tn_ledger_sum(const TnLedger *account, TnLedgerKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLedger, tn_ledger_free)
