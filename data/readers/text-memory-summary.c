/* SPDX-License-Identifier: MIT */
/* The table of torch.cuda.memory_summary(): a metric a row, now and at its peak. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

typedef struct {
  tn_bytes now, peak, step;
} Metric;

typedef struct {
  bool is_open;
  uint32_t first_line, last_line;
  int64_t device, ooms, retries;
  Metric allocated, active, requested, reserved, unreleasable;
} State;

static void
report(TnTextLog *log, State *state, bool is_whole)
{
  if (!state->is_open)
    return;
  g_autofree char *title =
      g_strdup_printf("torch.cuda.memory_summary(), device %d", (int)CLAMP(state->device, 0, 4095));
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  tn_account_set_total(account, state->reserved.now, "reserved by PyTorch");
  tn_bytes rounding = MAX(state->allocated.step, 0) + MAX(state->reserved.step, 0);
  tn_account_add(account, "allocated", state->allocated.now, "tensors, rounded to blocks");
  tn_account_close(account, "reserved, unallocated", "less than allocated", rounding);
  tn_account_add_detail(account, "peak allocated", state->allocated.peak, NULL);
  tn_account_add_detail(account, "peak reserved", state->reserved.peak, NULL);
  tn_account_add_detail(account, "active", state->active.now, "allocated, or waiting for a stream");
  tn_account_add_detail(account, "requested", state->requested.now, "before rounding to blocks");
  tn_account_add_detail(account, "non-releasable", state->unreleasable.now,
                        "free blocks in segments that are partly in use");
  account->statement =
      g_strdup_printf("%" G_GINT64_FORMAT " requests failed, %" G_GINT64_FORMAT
                      " needed a retry of cudaMalloc. These are totals: for a map record with "
                      "torch.cuda.memory._record_memory_history() and save with _dump_snapshot().",
                      state->ooms, state->retries);
  if (!is_whole)
    tn_text_log_cut_off(log, account, "rows of the table are missing");
  state->is_open = false;
}

/* "| Allocated memory | 123 MiB | 456 MiB | …": the first two cells behind the name. */
static bool
read_row(const char *text, const char *name, Metric *out)
{
  const char *at = text;
  Metric metric = {-1, -1, 0};
  if (!tn_text_word(&at, "|") || !tn_text_word(&at, name) || !tn_text_word(&at, "|") ||
      !tn_text_measure(&at, &metric.now, &metric.step) || !tn_text_word(&at, "|"))
    return false;
  if (!tn_text_measure(&at, &metric.peak, NULL))
    metric.peak = -1;
  *out = metric;
  return true;
}

static bool
read_metric(State *state, const char *text)
{
  return read_row(text, "Allocated memory", &state->allocated) ||
         read_row(text, "Active memory", &state->active) ||
         read_row(text, "Requested memory", &state->requested) ||
         read_row(text, "GPU reserved memory", &state->reserved) ||
         read_row(text, "Non-releasable memory", &state->unreleasable);
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  const char *title = strstr(line->text, "memory summary, device ID");
  if (title) {
    report(log, state, false);
    *state = (State){.is_open = true, .first_line = line->number, .last_line = line->number};
    state->allocated.now = state->reserved.now = state->active.now = state->requested.now =
        state->unreleasable.now = TN_BYTES_UNKNOWN;
    state->allocated.peak = state->reserved.peak = TN_BYTES_UNKNOWN;
    tn_text_number_after(title, "device ID", &state->device);
    return;
  }
  const char *at = line->text;
  if (!state->is_open || !tn_text_word(&at, "|"))
    return;
  state->last_line = line->number;
  tn_text_number_after(line->text, "OOMs:", &state->ooms);
  tn_text_number_after(line->text, "cudaMalloc retries:", &state->retries);
  if (read_metric(state, line->text) || !tn_text_word(&at, "====") || state->reserved.now < 0)
    return;
  report(log, state, state->allocated.now >= 0);
}

static void
end_text(TnTextLog *log, void *state)
{
  report(log, state, false);
}

static const char *const marks[] = {"memory summary, device ID", NULL};

const TnTextFinder tn_text_memory_summary = {
    .name = "torch.cuda.memory_summary()",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
