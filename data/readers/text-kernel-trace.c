/* SPDX-License-Identifier: MIT */
/* GE's runtime for dynamic shapes with its kernel trace on: `[MEM]` lines of allocations, frees and
 * recyclings with their addresses, and of the pool that grows and shrinks; which stream may work on
 * a block as well, and which waited for which.  A local recycling gives a block back to one stream
 * only: others may still work on it, until it is recycled where it was born or borrowed. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/readers/log-blocks.h"

#include <string.h>

typedef struct {
  TnDevice *device; /* borrowed; NULL: no line yet */
  uint32_t first_line, last_line;
  int64_t n_damaged;
  GArray *senders; /* uint64_t stream by event id; may be NULL: none was sent */
} State;

#define MOST_EVENT_IDS 65536

static const struct {
  const char *words;
  TnEventAction action;
} kinds[] = {{"Alloc memory at stream", TN_EVENT_ALLOC},
             {"Free memory at stream", TN_EVENT_FREE_REQUESTED},
             {"Recycle memory at stream", TN_EVENT_FREE},
             {"Borrow-recycle memory at stream", TN_EVENT_FREE},
             {"Local-recycle memory at stream", TN_EVENT_FREE_REQUESTED},
             {"Memory wandering from stream", TN_EVENT_SHARE},
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

/* ---- who did it ---------------------------------------------------------------------------- */

/* Behind `file.cc:12]`, before `place`; NULL where the line has none. */
static const char *
behind_source(const char *line, const char *place)
{
  for (const char *at = line; (at = memchr(at, ']', (gsize)(place - at))); at++) {
    const char *digits = at;
    while (digits > line && g_ascii_isdigit(digits[-1]))
      digits--;
    if (digits < at && digits > line + 1 && digits[-1] == ':' && g_ascii_isalpha(digits[-2]))
      return at + 1;
  }
  return NULL;
}

/* The process of `[INFO] GE(123,python):2024-…`; 0: not said. */
static int64_t
process_of(const char *line)
{
  int64_t process;
  const char *open = strchr(line, '(');
  if (!open)
    return 0;
  open++;
  return tn_text_number(&open, &process) && *open == ',' ? process : 0;
}

/* `[INFO] GE(123,python):2024-… [file.cc:12]4567 Function: …`: a thread of the process whose trace
 * this is; 0: not said, or of another. */
static uint32_t
thread_of(TnTextLog *log, TnDevice *device, const char *line, const char *place)
{
  int64_t thread, process = process_of(line);
  const char *at = behind_source(line, place);
  if (!device->process)
    device->process = process;
  if (!at || !process || process != device->process || !tn_text_number(&at, &thread))
    return 0;
  g_autofree char *name = g_strdup_printf("%" G_GINT64_FORMAT, thread);
  return tn_strings_intern(log->document->strings, name, -1);
}

static uint64_t
stream_of(const char *text, TnEventAction action)
{
  int64_t stream;
  const char *label = action == TN_EVENT_SHARE ? " to " : "stream ";
  return tn_text_number_after(text, label, &stream) ? (uint64_t)stream : TN_STREAM_UNKNOWN;
}

/* The allocator of a pool's line: "allocator 0x7"; of others the kernel. */
static uint32_t
name_of(TnTextLog *log, const TnTextLine *line, const char *place)
{
  uint64_t address;
  const char *at = strstr(place, "allocator addr");
  if (!at)
    return kernel_of(log, line->whole, place);
  at += strlen("allocator addr");
  at += strspn(at, " :=");
  if (!tn_text_hex(&at, &address))
    return 0;
  g_autofree char *name = g_strdup_printf("allocator 0x%" G_GINT64_MODIFIER "x", address);
  return tn_strings_intern(log->document->strings, name, -1);
}

/* ---- lines --------------------------------------------------------------------------------- */

static uint32_t
append(TnTextLog *log,
       State *state,
       const TnTextLine *line,
       const char *place,
       TnEventAction action,
       uint64_t address,
       int64_t bytes)
{
  if (!state->device) {
    state->device = tn_text_log_new_device(log);
    state->device->is_single_threaded = state->device->has_syncs = true;
    state->first_line = line->number;
  }
  state->last_line = line->number;
  TnEvents *events = &state->device->events;
  uint32_t event = tn_events_add(events, action, address, bytes);
  events->space[event] = tn_device_space(state->device, 0, 0, 0);
  tn_events_set_line(events, event, line->number);
  tn_events_set_thread(events, event, thread_of(log, state->device, line->whole, place));
  return event;
}

/* Pieces that go back one after the other are one recycling. */
static void
mark_recycling(State *state, uint32_t event)
{
  TnMark mark = {.tick = event, .kind = TN_MARK_RECYCLE};
  bool goes_on = event > 0 && state->device->events.action[event - 1] == TN_EVENT_SEGMENT_FREE;
  if (!goes_on)
    g_array_append_val(state->device->marks, mark);
}

static void
add_event(TnTextLog *log, State *state, const TnTextLine *line, const char *place, gsize kind)
{
  const char *text = place + strlen("[MEM]");
  uint64_t address;
  int64_t bytes = 0;
  TnEventAction action = kinds[kind].action;
  bool is_pool = action == TN_EVENT_SEGMENT_ALLOC || action == TN_EVENT_SEGMENT_FREE;
  bool needs_size = action == TN_EVENT_ALLOC || action == TN_EVENT_SEGMENT_ALLOC;
  if (!read_address(text, &address) || line->is_cut ||
      (!tn_text_number_after(text, ", size ", &bytes) && needs_size)) {
    state->n_damaged++;
    return;
  }
  uint32_t event = append(log, state, line, place, action, address, bytes);
  tn_events_set_name(&state->device->events, event, name_of(log, line, place));
  if (action == TN_EVENT_SEGMENT_FREE)
    mark_recycling(state, event);
  if (!is_pool)
    tn_events_set_stream(&state->device->events, event, stream_of(text, action));
}

/* `Sent event E … from stream S`: keeps S.  `Waited event E … at stream D`: D waits for S. */
static void
add_sync(TnTextLog *log, State *state, const TnTextLine *line, const char *place)
{
  int64_t id = -1, stream = -1;
  bool is_sent = g_str_has_prefix(place, "Sent");
  if (!tn_text_number_after(place, "event ", &id) || id >= MOST_EVENT_IDS ||
      !tn_text_number_after(place, is_sent ? "from stream " : "at stream ", &stream) ||
      line->is_cut)
    return;
  if (is_sent && !state->senders)
    state->senders = g_array_new(FALSE, TRUE, sizeof(uint64_t));
  if (is_sent) {
    g_array_set_size(state->senders, MAX(state->senders->len, (guint)id + 1));
    g_array_index(state->senders, uint64_t, id) = (uint64_t)stream;
  } else if (state->senders && (guint)id < state->senders->len) {
    uint64_t sender = g_array_index(state->senders, uint64_t, id);
    uint32_t event = append(log, state, line, place, TN_EVENT_WAIT, sender, 0);
    tn_events_set_stream(&state->device->events, event, (uint64_t)stream);
  }
}

/* The driver's statistics are printed when the process ends. */
static void
add_other(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const char *const words[] = {"]Sent event ", "]Waited event "};
  const char *place;
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
    if ((place = strstr(line->whole, words[i])) && strstr(line->whole, "[KernelTrace]"))
      add_sync(log, state, line, place + 1);
  if (state->device && !state->device->end_line && strstr(line->whole, "[_svm_mem_stats_show]") &&
      process_of(line->whole) == state->device->process)
    state->device->end_line = line->number;
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  const char *place = strstr(line->whole, "[MEM]");
  if (!place)
    add_other(log, state, line);
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
  g_clear_pointer(&state->senders, g_array_unref);
  if (!state->device)
    return;
  g_autofree char *title =
      g_strdup_printf("GE's kernel trace: %u memory events", state->device->events.n);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  tn_text_log_name(log, state->device, "kernel trace");
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
    .follows_speaker = true,
};
