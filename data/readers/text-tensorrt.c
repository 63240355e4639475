/* SPDX-License-Identifier: MIT */
/* TensorRT's lines about memory.  Which of its figures hold one another it does not say, so they
 * are listed and not added. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

#define MAX_CHANGES 200
#define NEAR 20 /* lines between a request that failed and what was done about it */

typedef struct {
  TnAccount *account; /* owned until reported */
  uint32_t n_changes;
  tn_bytes pending, failed;             /* a request of which it is not said yet what came of it; the last failure */
  uint32_t pending_line, failed_line;   /* 0: none */
  tn_bytes skipped, most_skipped;       /* the last request of a tactic that was skipped; the largest that counts */
  uint32_t skipped_line, first_skipped; /* 0: none */
  int64_t n_skipped;
  bool has_both; /* the last failure was said by a warning and an error, so that the next of either is another's */
  bool is_resize; /* the last skip was said by an error without a word of a tactic, and does not count yet */
} State;

static TnAccount *
need_account(State *state, uint32_t line)
{
  if (!state->account)
    state->account = tn_account_new("TensorRT memory", line);
  state->account->last_line = line;
  return state->account;
}

static bool
read_total(State *state, const TnTextLine *line)
{
  static const struct {
    const char *label, *what;
  } rows[] = {{"Total Host Persistent Memory:", "host, persistent"},
              {"Total Device Persistent Memory:", "device, persistent"},
              {"Total Scratch Memory:", "device, scratch"},
              {"Total Activation Memory:", "device, activations"},
              {"Total Weights Memory:", "device, weights"},
              {"Loaded engine size:", "engine as loaded"},
              {"Total per-runner device persistent memory is", "device, persistent per runner"},
              {"Total per-runner host persistent memory is", "host, persistent per runner"}};
  tn_bytes bytes;
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (tn_text_size_after(line->text, rows[i].label, &bytes, NULL) && !line->is_cut) {
      tn_account_add_detail(need_account(state, line->number), rows[i].what, bytes, NULL);
      return true;
    }
  return false;
}

/* "CPU 11 MiB, GPU 1140 MiB" or "CPU 9921, GPU 3267 (MiB)". */
static void
add_pair(State *state, const TnTextLine *line, const char *text, const char *what, const char *note)
{
  int64_t cpu, gpu;
  TnAccount *account = need_account(state, line->number);
  g_autofree char *on_cpu = g_strdup_printf("host, %s", what);
  g_autofree char *on_gpu = g_strdup_printf("device, %s", what);
  if (tn_text_number_after(text, "CPU ", &cpu) && tn_mul(cpu, 1 << 20, &cpu))
    tn_account_add_detail(account, on_cpu, cpu, NULL);
  if (tn_text_number_after(text, "GPU ", &gpu) && tn_mul(gpu, 1 << 20, &gpu) && !line->is_cut)
    tn_account_add_detail(account, on_gpu, gpu, note);
}

static bool
read_usage(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->text, "[MemUsageStats]");
  if (at) {
    const char *figures = strstr(at, "allocators:");
    if (figures)
      add_pair(state, line, figures, "peak of TensorRT's allocators", NULL);
    return true;
  }
  bool is_change = (at = strstr(line->text, "[MemUsageChange]")) != NULL;
  if (!is_change && !(at = strstr(line->text, "[MemUsageSnapshot]")))
    return false;
  at = strchr(at, ']') + 1;
  const char *colon = strstr(at, ": CPU"), *now = is_change ? strstr(at, "now:") : colon;
  if (!colon || !now || state->n_changes++ >= MAX_CHANGES)
    return true;
  g_autofree char *stage = g_strstrip(g_strndup(at, (gsize)(colon - at)));
  g_autofree char *what = g_strdup_printf("in use %s %s", is_change ? "after" : "at", stage);
  add_pair(state, line, now, what, NULL);
  return true;
}

/* "[BlockAssignment] Algorithm ShiftNTopDown took … to assign 10 blocks to 111 nodes requiring
 * 76486656 bytes." */
static bool
read_assignment(State *state, const TnTextLine *line)
{
  int64_t bytes, blocks = 0, nodes = 0;
  const char *at = strstr(line->text, "[BlockAssignment]");
  if (!at || !tn_text_number_after(at, "requiring ", &bytes))
    return false;
  tn_text_number_after(at, "to assign ", &blocks);
  tn_text_number_after(at, "blocks to ", &nodes);
  g_autofree char *note =
      g_strdup_printf("%" G_GINT64_FORMAT " blocks for %" G_GINT64_FORMAT " nodes", blocks, nodes);
  tn_account_add_detail(need_account(state, line->number), "device, block assignment", bytes, note);
  return true;
}

/* `is_other`: it has lines of its own, whatever failed before. */
static void
fail(TnTextLog *log, State *state, uint32_t line, tn_bytes bytes, bool is_other, const char *why)
{
  bool is_known =
      !is_other && state->failed_line && line - state->failed_line <= NEAR && state->failed == bytes;
  state->pending_line = 0;
  if (is_known)
    return;
  state->failed = bytes;
  state->failed_line = line;
  tn_account_add_detail(need_account(state, line), "requested", bytes, "the allocation that failed");
  tn_text_log_oom(log, 0, bytes, TN_BYTES_UNKNOWN, why);
}

static void
fail_pending(TnTextLog *log, State *state)
{
  if (!state->pending_line)
    return;
  fail(log, state, state->pending_line, state->pending, state->has_both, "TensorRT: a request failed");
  state->has_both = false;
}

static void
count_skipped(State *state)
{
  state->first_skipped = state->first_skipped ? state->first_skipped : state->skipped_line;
  state->most_skipped = MAX(state->most_skipped, state->skipped);
  state->n_skipped++;
  state->is_resize = false;
}

static void
skip_pending(State *state, bool is_resize)
{
  if (!state->pending_line)
    return;
  if (state->is_resize)
    count_skipped(state);
  need_account(state, state->pending_line);
  state->skipped = state->pending;
  state->skipped_line = state->pending_line;
  state->pending_line = 0;
  if (!is_resize)
    count_skipped(state);
  state->is_resize = is_resize;
}

/* Whether the builder goes on without a tactic: "[W] … Skipping tactic 28 due to insufficient memory on requested size
 * of N …"; "[E] [virtualMemoryBuffer.cpp::resizePhysical::154] Error Code 2: OutOfMemory (…)" is of a tactic's scratch
 * memory, too, and no failure whatever its level. */
static bool
is_skip(const char *text)
{
  return strstr(text, "Skipping tactic") || (strstr(text, "::resizePhysical::") && strstr(text, "OutOfMemory"));
}

/* "… Error Code 2: OutOfMemory (Requested size was N bytes.)": with the warning of the same request before it, it is
 * another failure than the last, which has had its own. */
static void
read_fatal(TnTextLog *log, State *state, uint32_t line, tn_bytes bytes)
{
  bool has_warning = state->pending_line && state->pending == bytes;
  bool has_both = has_warning || (state->failed == bytes && state->has_both);
  if (has_warning)
    state->pending_line = 0;
  fail_pending(log, state);
  fail(log, state, line, bytes, has_warning, "TensorRT: a request failed");
  state->has_both = has_both;
}

/* "[E] [executionContext.cpp::…::625] Error Code 2: OutOfMemory (no further information)": the request is that of the
 * warning before it, or was taken for a tactic's on the word of resizePhysical(). */
static void
read_fatal_unsized(TnTextLog *log, State *state, uint32_t line)
{
  if (state->pending_line) {
    read_fatal(log, state, line, state->pending);
  } else if (state->is_resize && line - state->skipped_line <= NEAR) { /* no tactic's */
    fail(log, state, state->skipped_line, state->skipped, false, "TensorRT: a request failed");
    state->is_resize = false;
  }
}

/* "[W] Requested amount of GPU memory (N bytes) could not be allocated. …" says that a request failed, not what of;
 * "[E] [executionContext.cpp::…::625] Error Code 2: OutOfMemory (Requested size was N bytes.)" that there is no way
 * on, and so does "[E] … Could not find any implementation for node …" where the last tactics were skipped. */
static void
read_failure(TnTextLog *log, State *state, const TnTextLine *line)
{
  tn_bytes bytes;
  if (state->pending_line && line->number - state->pending_line > NEAR)
    fail_pending(log, state);
  if (tn_text_size_after(line->text, "Requested amount of GPU memory (", &bytes, NULL)) {
    if (state->pending != bytes)
      fail_pending(log, state);
    state->pending = bytes;
    state->pending_line = line->number;
  } else if (is_skip(line->text)) {
    skip_pending(state, !strstr(line->text, "Skipping tactic"));
  } else if (tn_text_size_after(line->text, "OutOfMemory (Requested size was", &bytes, NULL)) {
    read_fatal(log, state, line->number, bytes);
  } else if (strstr(line->text, "OutOfMemory (no further information)")) {
    read_fatal_unsized(log, state, line->number);
  } else if (strstr(line->text, "Could not find any implementation for node") && state->skipped_line &&
             line->number - state->skipped_line <= NEAR) {
    fail(log, state, line->number, state->skipped, false, "TensorRT: no tactic was left for a node");
  }
}

/* What the builder could do without is no failure, but what it built may be slower. */
static void
say_skipped(TnTextLog *log, const State *state)
{
  if (!state->n_skipped)
    return;
  g_autofree char *text = g_strdup_printf(
      state->n_skipped == 1 ? "TensorRT's builder skipped %" G_GINT64_FORMAT
                              " tactic for which a request failed, of %" G_GINT64_FORMAT " bytes"
                            : "TensorRT's builder skipped %" G_GINT64_FORMAT
                              " tactics for which a request failed, of up to %" G_GINT64_FORMAT " bytes",
      state->n_skipped, state->most_skipped);
  tn_document_state(log->document, "skipped-tactics", TN_STATEMENT_NOTE, state->first_skipped, text,
                    "The build goes on with others, which may be slower: a build on a device with more free memory, or "
                    "with a smaller workspace, skips fewer.");
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  if (!read_total(state, line) && !read_usage(state, line) && !read_assignment(state, line))
    read_failure(log, state, line);
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  fail_pending(log, state);
  if (state->is_resize)
    count_skipped(state);
  say_skipped(log, state);
  if (state->n_skipped)
    tn_account_add_detail(state->account, "requested for tactics that were skipped, at most", state->most_skipped, NULL);
  if (!state->account)
    return;
  state->account->statement =
      g_strdup("Totals, of which some hold others: they are not added, and no map can be drawn. "
               "Open the model (.onnx) itself for lives and a plan of its tensors.");
  tn_text_log_report(log, g_steal_pointer(&state->account));
}

static const char *const marks[] = {"[MemUsage", "[BlockAssignment]",
                                    "Total Scratch Memory:", "Requested amount of GPU memory",
                                    "OutOfMemory (Requested size was",
                                    NULL};

const TnTextFinder tn_text_tensorrt = {
    .name = "TensorRT's memory lines",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
