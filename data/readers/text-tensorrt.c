/* SPDX-License-Identifier: MIT */
/* TensorRT's lines about memory.  Which of its figures hold one another it does not say, so they
 * are listed and not added. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

#define MAX_CHANGES 200

typedef struct {
  TnAccount *account; /* owned until reported */
  uint32_t n_changes;
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

/* "Requested amount of GPU memory (N bytes) could not be allocated." */
static void
read_failure(TnTextLog *log, State *state, const TnTextLine *line)
{
  tn_bytes bytes;
  if (!tn_text_size_after(line->text, "Requested amount of GPU memory (", &bytes, NULL))
    return;
  tn_account_add_detail(need_account(state, line->number), "requested", bytes,
                        "the allocation that failed");
  tn_text_log_oom(log, 0, bytes, TN_BYTES_UNKNOWN, "TensorRT: a request failed");
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
  if (!state->account)
    return;
  state->account->statement =
      g_strdup("Totals, of which some hold others: they are not added, and no map can be drawn. "
               "Open the model (.onnx) itself for lives and a plan of its tensors.");
  tn_text_log_report(log, g_steal_pointer(&state->account));
}

static const char *const marks[] = {"[MemUsage", "[BlockAssignment]",
                                    "Total Scratch Memory:", "Requested amount of GPU memory",
                                    NULL};

const TnTextFinder tn_text_tensorrt = {
    .name = "TensorRT's memory lines",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
