/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/ledger.h"

#include <stdlib.h>

/* Sums by row before they become a table. */
typedef struct {
  tn_bytes live[TN_N_KINDS], sum[TN_N_ACCOUNT_ROWS];
  uint32_t n_live[TN_N_KINDS], n[TN_N_ACCOUNT_ROWS];
} Sums;

static tn_bytes
reserved_at(const TnStudy *study, tn_tick tick)
{
  return study->reserved ? tn_curve_at(study->reserved, tick) : tn_curve_at(study->live, tick);
}

bool
tn_ledger_had(const TnStudy *study, const TnMark *mark, tn_bytes *out)
{
  return mark->kind == TN_MARK_OOM && mark->device_free >= 0 &&
         tn_add(reserved_at(study, mark->tick), mark->device_free, out);
}

tn_bytes
tn_ledger_total(const TnStudy *study, tn_bytes device_bytes, TnTotalSource *out_source)
{
  const TnDevice *device = study->device;
  tn_bytes given = device_bytes > 0 ? device_bytes : device->total_bytes, most = 0;
  *out_source = TN_TOTAL_GIVEN;
  if (given > 0)
    return given;
  for (guint i = 0; i < device->marks->len; i++) {
    tn_bytes sum;
    if (tn_ledger_had(study, &g_array_index(device->marks, TnMark, i), &sum))
      most = MAX(most, sum);
  }
  *out_source = most > 0 ? TN_TOTAL_INFERRED : TN_TOTAL_UNKNOWN;
  return most > 0 ? most : TN_BYTES_UNKNOWN;
}

static bool
is_private(const TnStudy *study, uint32_t space)
{
  if (space >= study->device->spaces->len)
    return false;
  const TnSpace *row = &g_array_index(study->device->spaces, TnSpace, space);
  return row->pool[0] != 0 || row->pool[1] != 0;
}

static void
add_block(Sums *sums, const TnStudy *study, const TnHoles *holes, const TnHeldBlock *block)
{
  const TnBuffers *b = study->buffers;
  if (block->segment == TN_NONE) {
    sums->sum[TN_LEDGER_UNSEEN] += block->bytes;
    sums->n[TN_LEDGER_UNSEEN]++;
    return;
  }
  if (is_private(study, tn_holes_segment(holes, block->segment)->space))
    return;
  TnBufferKind kind = (TnBufferKind)b->kind[block->buffer];
  tn_bytes asked = MIN(tn_buffers_requested(b, block->buffer), block->bytes);
  sums->live[kind] += asked;
  sums->n_live[kind]++;
  sums->sum[TN_LEDGER_ROUNDING] += block->bytes - asked + block->rest;
}

static void
add_segment(Sums *sums, const TnStudy *study, const TnSegmentState *segment)
{
  TnLedgerKind kind = is_private(study, segment->space) ? TN_LEDGER_PRIVATE : TN_LEDGER_CACHED;
  sums->sum[kind] += kind == TN_LEDGER_PRIVATE ? segment->bytes : segment->free_bytes;
  sums->n[kind] += kind == TN_LEDGER_PRIVATE ? 1 : segment->n_holes;
}

/* The failed request of this tick; NULL elsewhere. */
static const TnMark *
failed_at(const TnStudy *study, tn_tick tick)
{
  for (guint i = 0; i < study->device->marks->len; i++) {
    const TnMark *mark = &g_array_index(study->device->marks, TnMark, i);
    if (mark->kind == TN_MARK_OOM && mark->tick == tick)
      return mark;
  }
  return NULL;
}

/* At a failed request what the device had then: others on it come and go. */
static tn_bytes
total_at(const TnStudy *study, tn_tick tick, tn_bytes device_bytes, TnTotalSource *out_source)
{
  tn_bytes total = tn_ledger_total(study, device_bytes, out_source);
  const TnMark *failed = *out_source == TN_TOTAL_INFERRED ? failed_at(study, tick) : NULL;
  if (failed)
    tn_ledger_had(study, failed, &total);
  return total;
}

/* What is not the allocator's.  At a failed request the log says what was free; with an inferred
 * total there is nothing else; otherwise the two can't be told apart. */
static void
add_remainder(Sums *sums, const TnStudy *study, tn_tick tick, tn_bytes remainder,
              TnTotalSource source)
{
  const TnMark *failed = failed_at(study, tick);
  tn_bytes device_free = failed ? failed->device_free : TN_BYTES_UNKNOWN;
  if (remainder <= 0)
    return;
  if (source == TN_TOTAL_INFERRED) {
    sums->sum[TN_LEDGER_FREE] = remainder;
  } else if (device_free >= 0 && device_free <= remainder) {
    sums->sum[TN_LEDGER_FREE] = device_free;
    sums->sum[TN_LEDGER_OUTSIDE] = remainder - device_free;
  } else {
    sums->sum[TN_LEDGER_REST] = remainder;
  }
}

static int
compare_live(const void *a, const void *b)
{
  const TnLedgerRow *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (int)x->buffer_kind - (int)y->buffer_kind;
}

static void
fill_rows(TnLedger *account, const Sums *sums)
{
  for (int kind = 0; kind < TN_N_KINDS; kind++) {
    TnLedgerRow row = {TN_LEDGER_LIVE, (TnBufferKind)kind, sums->live[kind], sums->n_live[kind]};
    if (row.bytes > 0)
      g_array_append_val(account->rows, row);
  }
  if (account->rows->len)
    qsort(account->rows->data, account->rows->len, sizeof(TnLedgerRow), compare_live);
  for (int kind = TN_LEDGER_ROUNDING; kind < TN_N_ACCOUNT_ROWS; kind++) {
    TnLedgerRow row = {(TnLedgerKind)kind, TN_KIND_UNKNOWN, sums->sum[kind], sums->n[kind]};
    if (row.bytes > 0)
      g_array_append_val(account->rows, row);
  }
  for (guint i = 0; i < account->rows->len; i++)
    account->total_bytes += tn_ledger_get(account, i)->bytes;
}

TnLedger *
tn_ledger_new(const TnStudy *study, tn_tick tick, tn_bytes device_bytes, const TnHoles *given)
{
  Sums sums = {0};
  TnLedger *account = g_new0(TnLedger, 1);
  TnHoles *own = given ? NULL : tn_holes_new(study, tick);
  const TnHoles *holes = given ? given : own;
  account->tick = tick;
  account->rows = g_array_new(FALSE, TRUE, sizeof(TnLedgerRow));
  account->reserved_bytes = holes->reserved_bytes;
  for (guint i = 0; i < holes->blocks->len; i++)
    add_block(&sums, study, holes, tn_holes_block(holes, i));
  for (guint i = 0; i < holes->segments->len; i++)
    add_segment(&sums, study, tn_holes_segment(holes, i));
  tn_bytes total = total_at(study, tick, device_bytes, &account->source);
  if (total > 0)
    add_remainder(&sums, study, tick,
                  total - holes->reserved_bytes - sums.sum[TN_LEDGER_UNSEEN], account->source);
  fill_rows(account, &sums);
  tn_holes_free(own);
  return account;
}

void
tn_ledger_free(TnLedger *account)
{
  if (!account)
    return;
  g_array_unref(account->rows);
  g_free(account);
}

const char *
tn_ledger_row_name(const TnLedgerRow *row)
{
  static const char *const names[TN_N_ACCOUNT_ROWS] = {
      "live",         "rounding",
      "cached in holes", "private pools",
      "live outside known segments", "outside the allocator",
      "free",         "outside the allocator or free"};
  static const char *const live[TN_N_KINDS] = {
      "live: unknown", "live: allocated", "live: from before", "live: activations", "live: inputs",
      "live: outputs", "live: constants", "live: variables",   "live: workspaces"};
  return row->kind == TN_LEDGER_LIVE ? live[row->buffer_kind] : names[row->kind];
}

const char *
tn_ledger_source_text(TnTotalSource source)
{
  switch (source) {
  case TN_TOTAL_INFERRED:
    return "The total is inferred: reserved + free at the failed request. What the CUDA context, "
           "libraries and other processes hold is not in it.";
  case TN_TOTAL_UNKNOWN:
    return "The file does not say how much memory the device has: this is what was reserved.";
  default:
    return "";
  }
}

tn_bytes
tn_ledger_sum(const TnLedger *account, TnLedgerKind kind)
{
  tn_bytes sum = 0;
  for (guint i = 0; i < account->rows->len; i++)
    if (tn_ledger_get(account, i)->kind == kind)
      sum += tn_ledger_get(account, i)->bytes;
  return sum;
}
