/* SPDX-License-Identifier: MIT */
/* GE's runtime for dynamic shapes with its kernel trace on: `[MEM]` lines of allocations, frees and
 * recyclings with their addresses, and of the pool that grows and shrinks. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/readers/log-blocks.h"

#include <string.h>

typedef struct {
  TnDevice *device; /* borrowed; NULL: no line yet */
  uint32_t first_line, last_line;
  int64_t n_damaged;
} State;

static const struct {
  const char *words;
  TnEventAction action;
} kinds[] = {{"Alloc memory at stream", TN_EVENT_ALLOC},
             {"Free memory at stream", TN_EVENT_FREE_REQUESTED},
             {"Recycle memory at stream", TN_EVENT_FREE},
             {"Borrow-recycle memory at stream", TN_EVENT_FREE},
             {"Local-recycle memory at stream", TN_EVENT_FREE},
             {"Expand memory pool at stream", TN_EVENT_SEGMENT_ALLOC},
             {"Shrink memory pool at stream", TN_EVENT_SEGMENT_FREE}};

/* The kernel between the brackets before "[MEM]"; 0 where there is none. */
static uint32_t
kernel_of(TnTextLog *log, const char *line, const char *place)
{
  const char *close = place - 1;
  if (close <= line || *close != ']')
    return 0;
  const char *open = close;
  while (open > line && *open != '[')
    open--;
  return tn_strings_intern(log->document->strings, open + 1, close - open - 1);
}

static bool
read_address(const char *text, uint64_t *out)
{
  const char *at = strstr(text, "address");
  if (!at)
    return false;
  at += strlen("address");
  at += strspn(at, " :=");
  return tn_text_hex(&at, out) && *out <= (uint64_t)INT64_MAX;
}

static void
add_event(TnTextLog *log, State *state, const TnTextLine *line, const char *place, gsize kind)
{
  const char *text = place + strlen("[MEM]");
  uint64_t address;
  int64_t bytes = 0;
  TnEventAction action = kinds[kind].action;
  bool needs_size = action == TN_EVENT_ALLOC || action == TN_EVENT_SEGMENT_ALLOC;
  if (!read_address(text, &address) || line->is_cut ||
      (!tn_text_number_after(text, ", size ", &bytes) && needs_size)) {
    state->n_damaged++;
    return;
  }
  if (!state->device) {
    state->device = tn_text_log_new_device(log);
    state->first_line = line->number;
  }
  state->last_line = line->number;
  uint32_t event = tn_events_add(&state->device->events, action, address, bytes);
  state->device->events.space[event] = tn_device_space(state->device, 0, 0, 0);
  tn_events_set_name(&state->device->events, event, kernel_of(log, line->whole, place));
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  const char *place = strstr(line->whole, "[MEM]");
  for (gsize i = 0; place && i < G_N_ELEMENTS(kinds); i++)
    if (g_str_has_prefix(place + strlen("[MEM]"), kinds[i].words)) {
      add_event(log, state, line, place, i);
      return;
    }
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  if (!state->device)
    return;
  g_autofree char *title =
      g_strdup_printf("GE's kernel trace: %u memory events", state->device->events.n);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  state->device->name = tn_strings_intern(log->document->strings, "kernel trace", -1);
  tn_log_fill_segments(state->device);
  log->has_map = true;
  if (state->n_damaged)
    tn_text_log_cut_off(log, account, "lines lack an address or a size and were left out");
}

static const char *const marks[] = {"[MEM]Alloc memory at stream", "[KernelTrace]", NULL};

const TnTextFinder tn_text_kernel_trace = {
    .name = "GE's kernel trace",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
