/* SPDX-License-Identifier: MIT */
/* ONNX Runtime's arena lines: regions with their addresses, one arena a device; and the text of a
 * request that failed, with the node that asked. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/readers/text-names.h"

#include <string.h>

#define MAX_BACK 64 /* arenas of one name that are looked through */
#define MAX_DEVICES 1024 /* no job has more; each is rows of memory and a place in every list */

typedef struct Arena {
  char *name;
  struct Arena *before; /* of its name: each session has arenas of its own; NULL: the first */
  uint32_t ordinal;     /* among them, from 1 */
  TnDevice *device;     /* borrowed */
  tn_bytes total, extended, reserved, limit, step;
  uint32_t first_line, last_line, n_regions, n_regions_placed;
  bool is_done; /* lines of its name may be of one beyond MAX_DEVICES from here on */
} Arena;

typedef struct {
  TnTextNames arenas; /* Arena *; by name the last of it */
  Arena *last;        /* the one that is being extended */
  tn_bytes extension; /* the last of it */
  uint32_t n_beyond;  /* lines of arenas beyond MAX_DEVICES */
} State;

/* NULL: there are too many, and it is none that is known. */
static Arena *
find_arena(TnTextLog *log, State *state, const char *at, uint32_t line, bool is_new)
{
  char *own_name;
  gsize length = strcspn(at, ". ");
  Arena *before = tn_text_names_find(&state->arenas, at, length, &own_name);
  if (before && !is_new && !before->is_done) {
    before->last_line = line;
    return before;
  }
  if (log->document->devices->len >= MAX_DEVICES) {
    state->n_beyond++;
    if (before)
      before->is_done = true;
    g_free(own_name);
    return NULL;
  }
  Arena *arena = g_new0(Arena, 1);
  arena->name = before ? g_strndup(at, length) : own_name;
  arena->before = before;
  arena->ordinal = before ? before->ordinal + 1 : 1;
  arena->first_line = arena->last_line = line;
  arena->total = arena->limit = TN_BYTES_UNKNOWN;
  arena->device = tn_text_log_new_device(log);
  arena->device->has_reserved = true;
  tn_device_space(arena->device, 0, 0, 0);
  tn_text_names_add(&state->arenas, arena->name, arena);
  return arena;
}

static bool
read_arena_line(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const char *const labels[] = {"Creating BFCArena for ", "Extending BFCArena for ",
                                       "Reserving memory in BFCArena for "};
  for (gsize i = 0; i < G_N_ELEMENTS(labels); i++) {
    const char *at = strstr(line->text, labels[i]);
    if (!at)
      continue;
    int64_t bytes;
    Arena *arena = find_arena(log, state, at + strlen(labels[i]), line->number, i == 0);
    state->last = arena;
    state->extension = 0;
    if (!arena)
      return true;
    if (i == 0 && tn_text_number_after(at, "memory limit:", &bytes))
      arena->limit = bytes;
    if (i == 2 && tn_text_number_after(at, "size:", &bytes) &&
        tn_add(arena->reserved, bytes, &arena->reserved))
      tn_events_add(&arena->device->events, TN_EVENT_OTHER, 0, bytes);
    return true;
  }
  return false;
}

static void
add_region(Arena *arena, uint64_t from, uint64_t to)
{
  TnDevice *device = arena->device;
  TnSegment segment = {.address = from, .bytes = (tn_bytes)(to - from)};
  g_array_append_val(device->segments, segment);
  tn_events_add(&device->events, TN_EVENT_SEGMENT_ALLOC, from, segment.bytes);
  arena->n_regions_placed++;
}

/* "Allocated memory at 0x7fa4c6800000 to 0x7fa4c6900000" (Windows: digits without 0x). */
static bool
read_region(Arena *arena, const char *text)
{
  const char *at = strstr(text, "Allocated memory at ");
  uint64_t from, to;
  if (!at)
    return false;
  at += strlen("Allocated memory at ");
  if (tn_text_hex(&at, &from) && tn_text_word(&at, "to ") && tn_text_hex(&at, &to) && to > from &&
      to <= (uint64_t)INT64_MAX)
    add_region(arena, from, to);
  return true;
}

/* The extension was of an earlier arena of this name, whose sum it makes the total: the lines name no session. */
static void
move_extension(State *state, tn_bytes total)
{
  Arena *from = state->last, *to = from;
  for (int i = 0; to && i < MAX_BACK; i++, to = to->before) {
    tn_bytes had = to == from ? from->extended - state->extension : to->extended;
    if (had != total - state->extension)
      continue;
    from->extended -= state->extension;
    from->n_regions--;
    to->extended = total;
    to->n_regions++;
    state->last = to;
    return;
  }
}

static bool
read_extension(State *state, const TnTextLine *line)
{
  Arena *arena = state->last;
  int64_t bytes;
  if (!arena)
    return false;
  if (tn_text_number_after(line->text, "Extended allocation by ", &bytes)) {
    arena->n_regions++;
    state->extension = tn_add(arena->extended, bytes, &arena->extended) ? bytes : 0;
  } else if (tn_text_number_after(line->text, "Total allocated bytes: ", &bytes)) {
    if (state->extension)
      move_extension(state, bytes);
    state->extension = 0;
    arena = state->last;
    arena->total = bytes;
  } else if (!read_region(arena, line->text)) {
    return false;
  }
  arena->last_line = line->number;
  return true;
}

/* "Failed to allocate memory for requested buffer of size N", and of an arena with a limit (gpu_mem_limit) "Available
 * memory of F is smaller than requested bytes of N".  *out_left: F, or TN_BYTES_UNKNOWN. */
static bool
read_request(const char *text, tn_bytes *out_bytes, tn_bytes *out_left)
{
  *out_left = TN_BYTES_UNKNOWN;
  if (tn_text_number_after(text, "Failed to allocate memory for requested buffer of size ", out_bytes))
    return true;
  const char *at = strstr(text, "Available memory of ");
  return at && tn_text_number_after(at, "is smaller than requested bytes of ", out_bytes) &&
         tn_text_number_after(at, "Available memory of ", out_left);
}

/* "… while running Conv node. Name:'conv_1' Status Message: …" and why. */
static void
read_failure(TnTextLog *log, State *state, const TnTextLine *line)
{
  tn_bytes bytes, left;
  if (!read_request(line->text, &bytes, &left))
    return;
  const char *name = strstr(line->whole, "Name:'");
  g_autofree char *node = name ? g_strndup(name + 6, strcspn(name + 6, "'")) : NULL;
  g_autofree char *title = g_strdup_printf("ONNX Runtime: a request failed%s%s",
                                           node ? " in node " : "", node ? node : "");
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, line->number));
  tn_account_add_detail(account, "requested", bytes, node);
  tn_account_add_detail(account, "available", left, "what the arena's limit leaves");
  account->statement =
      g_strdup("The log has no addresses of buffers: open the model (.onnx) itself for its lives, "
               "its peak and a plan.");
  /* What a limit leaves is not what is free on the device. */
  if (state->last) {
    uint32_t event = tn_events_add(&state->last->device->events, TN_EVENT_OOM, 0, bytes);
    tn_text_log_mark(log, state->last->device, bytes, TN_BYTES_UNKNOWN, title);
    GArray *marks = state->last->device->marks;
    g_array_index(marks, TnMark, marks->len - 1).tick = event;
  } else {
    tn_text_log_oom(log, 0, bytes, TN_BYTES_UNKNOWN, title);
  }
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  /* The names of functions stand in the logger's prefix, so look behind and before it. */
  if (!read_arena_line(log, data, line) && !read_extension(data, line))
    read_failure(log, data, line);
}

static void
report_arena(TnTextLog *log, Arena *arena)
{
  g_autofree char *title = g_strdup_printf("ONNX Runtime arena for %s", arena->name);
  if (arena->ordinal > 1) {
    g_autofree char *first = title;
    title = g_strdup_printf("%s (%u)", first, arena->ordinal);
  }
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, arena->first_line));
  account->last_line = arena->last_line;
  tn_text_log_name(log, arena->device, title);
  tn_account_set_total(account, arena->total, "allocated from the device");
  tn_account_add(account, "regions of the arena", arena->extended, NULL);
  tn_account_close(account, "of regions whose lines are missing", "more than the arena says", 0);
  tn_account_add_detail(account, "limit of the arena", arena->limit, NULL);
  if (arena->reserved)
    tn_account_add_detail(account, "reserved beside the arena", arena->reserved, NULL);
  account->statement =
      g_strdup("Regions only, no buffers in them: open the model (.onnx) itself for its lives, its "
               "peak and a plan.");
  log->has_map |= arena->n_regions_placed > 0;
  if ((arena->total >= 0 && arena->total != arena->extended) ||
      arena->n_regions != arena->n_regions_placed)
    tn_text_log_cut_off(log, account, "lines of some regions are missing");
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  for (guint i = 0; i < tn_text_names_count(&state->arenas); i++) {
    Arena *arena = tn_text_names_get(&state->arenas, i);
    report_arena(log, arena);
    g_free(arena->name);
    g_free(arena);
  }
  tn_text_names_clear(&state->arenas);
  if (state->n_beyond)
    tn_diagnostics_add(log->document->diagnostics, "too-many-arenas", state->n_beyond,
                       "%u lines are of arenas beyond the %d devices that a log may have, or can't be told from theirs, "
                       "and were left out",
                       state->n_beyond, MAX_DEVICES);
}

static const char *const marks[] = {"BFCArena for", "bfc_arena.cc",
                                    "Failed to allocate memory for requested buffer",
                                    "is smaller than requested bytes of", NULL};

const TnTextFinder tn_text_onnxruntime = {
    .name = "ONNX Runtime's arena",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
