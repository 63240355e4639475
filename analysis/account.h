/* SPDX-License-Identifier: MIT */
/* Where every byte of a device is at one tick: rows that add up to the total, none counted twice. */
#pragma once

#include "analysis/holes.h"

typedef enum {
  TN_ACCOUNT_LIVE,     /* what programs asked for, by kind of buffer */
  TN_ACCOUNT_ROUNDING, /* sizes rounded up, and rests that were not split off */
  TN_ACCOUNT_CACHED,   /* in holes of the default pool's segments */
  TN_ACCOUNT_PRIVATE,  /* all that private pools hold (CUDA graphs, MemPool): live and free */
  TN_ACCOUNT_UNSEEN,   /* live, but outside of all segments that the log knows */
  TN_ACCOUNT_OUTSIDE,  /* neither the allocator's nor free: contexts, libraries, other processes */
  TN_ACCOUNT_FREE,     /* of the device */
  TN_ACCOUNT_REST,     /* outside or free: the log does not tell which */
  TN_N_ACCOUNT_ROWS
} TnAccountKind;

typedef struct {
  TnAccountKind kind;
  TnBufferKind buffer_kind; /* TN_ACCOUNT_LIVE only */
  tn_bytes bytes;
  uint32_t n; /* buffers or holes in it; 0 where that means nothing */
} TnAccountRow;

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
  GArray *rows; /* TnAccountRow, none empty, by kind, live ones largest first */
} TnAccount;

/* The account at `tick`.  `device_bytes`: the device's memory as the user knows it, 0: as the file
 * says.  `holes`: the state at this tick; NULL: made here.  Never NULL. */
TnAccount *tn_account_new(const TnStudy *study, tn_tick tick, tn_bytes device_bytes,
                          const TnHoles *holes);
void tn_account_free(TnAccount *account);

/* The device's memory: given, or the most that reserved + free came to at a failed request. */
tn_bytes tn_account_total(const TnStudy *study, tn_bytes device_bytes, TnTotalSource *out_source);

/* "live: activation", "cached in holes", …; and one clause on where the total comes from ("" where it
 * is given).  Borrowed. */
const char *tn_account_row_name(const TnAccountRow *row);
const char *tn_account_source_text(TnTotalSource source);

static inline const TnAccountRow *
tn_account_get(const TnAccount *account, uint32_t i)
{
  return &g_array_index(account->rows, TnAccountRow, i);
}

/* The bytes of all rows of a kind. */
tn_bytes tn_account_sum(const TnAccount *account, TnAccountKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnAccount, tn_account_free)
