/* SPDX-License-Identifier: MIT */
/* The pool of GE's scalable allocator as a timeline: each `Malloc block` is a span that is taken, each
 * `Free block` one that goes back to its layer; `Device memory` says what the pool holds of the device
 * (printed whenever that grows to a new height, and when it was recycled), `Allocator memory` how often
 * free spans went back to the device.  The addresses are those of spans.
 *
 * Source of the lines: gert::ScalableAllocator of CANN's GE.  The lines of sizes name no device: where
 * there are several, they are taken to be of the `Malloc block` that follows. */
#include "config.h"

#include "data/readers/text-ge.h"

#include <string.h>

#define MOST_POOLS 64 /* devices of one log */

typedef struct {
  int64_t id;
  TnDevice *device; /* borrowed */
  uint32_t first_line, last_line, n_spans, n_damaged, n_recycled;
  int64_t count;             /* of recyclings, as last said */
  tn_bytes total;            /* asked for, all together */
} Pool;

/* What the lines of sizes said since the last span. */
typedef struct {
  tn_bytes held, theory, step; /* TN_BYTES_UNKNOWN: nothing */
  int64_t count;               /* -1: nothing */
} Sizes;

typedef struct {
  GArray *pools; /* Pool; NULL: none yet */
  Sizes sizes;
  tn_bytes theory; /* the largest that was said; TN_BYTES_UNKNOWN */
  bool has_sizes;  /* sizes is set up */
} State;

static void
forget_sizes(State *state)
{
  state->sizes = (Sizes){TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN, 0, -1};
  state->theory = state->has_sizes ? state->theory : TN_BYTES_UNKNOWN;
  state->has_sizes = true;
}

static Pool *
find_pool(TnTextLog *log, State *state, int64_t id, uint32_t line)
{
  if (!state->pools)
    state->pools = g_array_new(FALSE, TRUE, sizeof(Pool));
  for (guint i = 0; i < state->pools->len; i++)
    if (g_array_index(state->pools, Pool, i).id == id)
      return &g_array_index(state->pools, Pool, i);
  if (state->pools->len == MOST_POOLS)
    return NULL;
  g_array_set_size(state->pools, state->pools->len + 1);
  Pool *pool = &g_array_index(state->pools, Pool, state->pools->len - 1);
  pool->id = id;
  pool->first_line = line;
  pool->device = tn_text_log_new_device(log);
  pool->device->number = (int32_t)CLAMP(id, 0, INT32_MAX);
  tn_device_space(pool->device, 0, 0, 0);
  return pool;
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* "Device memory   : [alloc count:4 … total size:48.00M … theory_min:40.00M …]". */
static bool
read_sizes(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "Device memory");
  tn_bytes step = 0;
  if (at && strstr(at, "[alloc count:") && !line->is_cut) {
    if (!tn_text_size_after(at, "total size:", &state->sizes.held, &state->sizes.step))
      state->sizes.held = TN_BYTES_UNKNOWN;
    if (tn_text_size_after(at, " theory_min:", &state->sizes.theory, &step))
      state->theory = MAX(state->theory, state->sizes.theory);
    return true;
  }
  at = strstr(line->whole, "Allocator memory: [");
  return at && !line->is_cut && tn_text_number_after(at, "recycle count:", &state->sizes.count);
}

/* Free spans went back: an event of its own, so that the axis has a place for it. */
static void
add_recycling(TnTextLog *log, Pool *pool)
{
  TnEvents *events = &pool->device->events;
  uint32_t event = tn_events_add(events, TN_EVENT_OTHER, 0, 0);
  uint32_t text = tn_strings_intern(log->document->strings,
                                    "recycled: free spans went back to the device", -1);
  TnMark mark = {.tick = event, .kind = TN_MARK_RECYCLE, .text = text};
  tn_events_set_note(events, event, text);
  g_array_append_val(pool->device->marks, mark);
  pool->n_recycled++;
}

/* The pool's size holds from the recycling on, else from the event that follows. */
static void
take_sizes(TnTextLog *log, State *state, Pool *pool)
{
  bool is_recycled = state->sizes.count > pool->count && (pool->n_spans || state->sizes.count == 1);
  if (is_recycled)
    add_recycling(log, pool);
  pool->count = MAX(pool->count, state->sizes.count);
  if (state->sizes.held != TN_BYTES_UNKNOWN) {
    TnSample sample = {pool->device->events.n - is_recycled, TN_BYTES_UNKNOWN, state->sizes.held};
    if (!pool->device->pool)
      pool->device->pool = g_array_new(FALSE, FALSE, sizeof(TnSample));
    g_array_append_val(pool->device->pool, sample);
  }
  forget_sizes(state);
}

/* ---- spans --------------------------------------------------------------------------------- */

static bool
address_in(const char *text, uint64_t *out)
{
  const char *at = strstr(text, "mem_addr:");
  if (!at)
    return false;
  at += strlen("mem_addr:");
  return tn_text_hex(&at, out) && *out <= (uint64_t)INT64_MAX;
}

static void
add_span(TnTextLog *log, State *state, Pool *pool, const TnTextLine *line, const char *text)
{
  uint64_t address;
  int64_t bytes, taken;
  if (!address_in(text, &address) || line->is_cut || !tn_text_number_after(text, " size:", &bytes) ||
      !tn_text_number_after(text, "allocate_size:", &taken) || taken < bytes ||
      !tn_add(pool->total, bytes, &pool->total)) {
    pool->n_damaged++;
    return;
  }
  take_sizes(log, state, pool);
  TnEvents *events = &pool->device->events;
  uint32_t event = tn_events_add(events, TN_EVENT_ALLOC, address, bytes);
  tn_events_set_used(events, event, taken);
  tn_events_set_name(events, event, tn_strings_intern(log->document->strings, "span", -1));
  tn_events_set_line(events, event, line->number);
  pool->n_spans++;
}

static void
add_free(Pool *pool, const TnTextLine *line, const char *text)
{
  uint64_t address;
  if (!address_in(text, &address) || line->is_cut) {
    pool->n_damaged++;
    return;
  }
  uint32_t event = tn_events_add(&pool->device->events, TN_EVENT_FREE, address, 0);
  tn_events_set_line(&pool->device->events, event, line->number);
}

/* "Malloc block device_id:0 size:N allocate_size:A mem_addr:0x…. span addr 0x…", "Free block
 * device_id:0 … mem_addr:0x….".  "Free using block" is another thing: a span that was tried and put
 * back, because its pages were still in use. */
static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  const char *taken = strstr(line->whole, "Malloc block device_id:");
  const char *freed = taken ? NULL : strstr(line->whole, "Free block device_id:");
  const char *text = taken ? taken : freed;
  int64_t id;
  if (!state->has_sizes)
    forget_sizes(state);
  if (!text || !tn_text_number_after(text, "device_id:", &id)) {
    bool is_one = read_sizes(state, line) && state->pools && state->pools->len == 1;
    if (is_one && state->sizes.count >= 0) /* the second line of both */
      take_sizes(log, state, &g_array_index(state->pools, Pool, 0));
    return;
  }
  Pool *pool = find_pool(log, state, id, line->number);
  if (!pool)
    return;
  pool->last_line = line->number;
  if (taken)
    add_span(log, state, pool, line, text);
  else
    add_free(pool, line, text);
}

/* ---- the end ------------------------------------------------------------------------------- */

static tn_bytes
held_at_most(const Pool *pool)
{
  tn_bytes most = TN_BYTES_UNKNOWN;
  for (guint i = 0; pool->device->pool && i < pool->device->pool->len; i++)
    most = MAX(most, g_array_index(pool->device->pool, TnSample, i).reserved);
  return most;
}

static void
end_pool(TnTextLog *log, const State *state, Pool *pool)
{
  tn_bytes held = held_at_most(pool);
  g_autofree char *title =
      g_strdup_printf("GE's scalable pool, device %" G_GINT64_FORMAT ": %u spans taken, %u time%s recycled",
                      pool->id, pool->n_spans, pool->n_recycled, pool->n_recycled == 1 ? "" : "s");
  g_autofree char *name = g_strdup_printf("pool of device %" G_GINT64_FORMAT, pool->id);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, pool->first_line));
  account->last_line = pool->last_line;
  tn_ge_add_rates(account, pool->total, held, state->pools->len == 1 ? state->theory : -1);
  tn_text_log_name(log, pool->device, name);
  log->has_map = true;
  if (pool->n_damaged)
    tn_text_log_cut_off(log, account, "lines lack an address or a size and were left out");
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  for (guint i = 0; state->pools && i < state->pools->len; i++) {
    Pool *pool = &g_array_index(state->pools, Pool, i);
    if (state->pools->len == 1) /* what was said after the last span */
      take_sizes(log, state, pool);
    end_pool(log, state, pool);
  }
  g_clear_pointer(&state->pools, g_array_unref);
}

static const char *const marks[] = {"Malloc block device_id:", "Free block device_id:", NULL};

const TnTextFinder tn_text_scalable = {
    .name = "spans of GE's scalable allocator",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
