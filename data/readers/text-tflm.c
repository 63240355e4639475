/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite Micro: the planner's PrintMemoryPlan, which is a whole plan, and the account of
 * RecordingMicroAllocator. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

typedef struct {
  TnBuffers *buffers; /* the plan in hand; NULL: none */
  uint32_t first_line, last_line, n_bad;
  int64_t last_id;
  TnAccount *arena; /* of the recording allocator; NULL: none */
} State;

static void
close_plan(TnTextLog *log, State *state)
{
  if (!state->buffers)
    return;
  TnDevice *device = tn_text_log_new_device(log);
  g_autofree char *title = g_strdup_printf("TFLM memory plan of %u buffers", state->buffers->n);
  tn_bytes sum = 0, arena = 0;
  for (uint32_t i = 0; i < state->buffers->n; i++) {
    device->axis_end = MAX(device->axis_end, state->buffers->end[i]);
    arena = MAX(arena, state->buffers->offset[i] + state->buffers->bytes[i]);
    if (!tn_add(sum, state->buffers->bytes[i], &sum))
      sum = INT64_MAX;
  }
  device->axis = TN_AXIS_STEP;
  tn_text_log_name(log, device, title);
  device->buffers = g_steal_pointer(&state->buffers);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  tn_account_add_detail(account, "arena", arena, "the highest end of a buffer");
  tn_account_add_detail(account, "without reuse", sum, "all buffers apart");
  if (state->n_bad)
    tn_text_log_cut_off(log, account, "lines of buffers are damaged and were left out");
  log->has_plan = true;
  state->n_bad = 0;
}

/* "a (id=10): size=256, offset=2304, first_used=27 last_used=28". */
static bool
read_buffer(TnTextLog *log, State *state, const TnTextLine *line)
{
  int64_t id, size, offset, first, last;
  tn_bytes end;
  const char *at = strstr(line->text, "(id=");
  if (!at || !strstr(at, "size="))
    return false;
  if (!tn_text_number_after(at, "(id=", &id) || !tn_text_number_after(at, "size=", &size) ||
      !tn_text_number_after(at, "offset=", &offset) ||
      !tn_text_number_after(at, "first_used=", &first) ||
      !tn_text_number_after(at, "last_used=", &last) || last < first || last > INT32_MAX ||
      !tn_add(offset, size, &end) || line->is_cut) {
    state->n_bad += state->buffers != NULL;
    return true;
  }
  if (state->buffers && id <= state->last_id)
    close_plan(log, state);
  if (!state->buffers) {
    state->buffers = tn_buffers_new();
    tn_buffers_need(state->buffers, TN_COLUMN_NAME);
    state->first_line = line->number;
  }
  g_autofree char *name = g_strdup_printf("buffer %" G_GINT64_FORMAT, id);
  tn_index row = tn_buffers_add(state->buffers, first, last + 1, size, TN_KIND_ACTIVATION);
  state->buffers->offset[row] = offset;
  state->buffers->name[row] = tn_strings_intern(log->document->strings, name, -1);
  state->last_id = id;
  state->last_line = line->number;
  return true;
}

static void
close_arena(TnTextLog *log, State *state)
{
  if (!state->arena)
    return;
  tn_account_close(state->arena, "not said by the report", "head and tail overlap", 0);
  tn_text_log_report(log, g_steal_pointer(&state->arena));
}

/* "[RecordingMicroAllocator] Arena allocation total 7792 bytes", head, tail; then "… 'TfLiteTensor
 * data' used 1000 bytes with alignment overhead (requested 990 bytes for 4 allocations)". */
static void
read_recording(TnTextLog *log, State *state, const TnTextLine *line)
{
  int64_t bytes, requested = -1;
  const char *at = strstr(line->whole, "[RecordingMicroAllocator]");
  if (!at)
    return;
  if (tn_text_number_after(at, "Arena allocation total ", &bytes)) {
    close_arena(log, state);
    state->arena = tn_account_new("TFLM arena (RecordingMicroAllocator)", line->number);
    tn_account_set_total(state->arena, bytes, "arena");
    state->arena->statement =
        g_strdup("For a map print the plan with MicroMemoryPlanner::PrintMemoryPlan().");
  }
  if (!state->arena)
    return;
  state->arena->last_line = line->number;
  if (tn_text_number_after(at, "Arena allocation head ", &bytes))
    tn_account_add(state->arena, "head", bytes, "shared by tensors whose lives differ");
  else if (tn_text_number_after(at, "Arena allocation tail ", &bytes))
    tn_account_add(state->arena, "tail", bytes, "persistent");
  const char *name = strchr(at, '\'');
  const char *close = name ? strstr(name + 1, "' used ") : NULL;
  if (!close || !tn_text_number_after(close, "' used ", &bytes))
    return;
  g_autofree char *what = g_strndup(name + 1, (gsize)(close - name - 1));
  g_autofree char *note = tn_text_number_after(close, "(requested ", &requested)
                              ? g_strdup_printf("requested %" G_GINT64_FORMAT " bytes", requested)
                              : NULL;
  tn_account_add_detail(state->arena, what, bytes, note);
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  if (!read_buffer(log, state, line))
    read_recording(log, state, line);
}

static void
end_text(TnTextLog *log, void *state)
{
  close_plan(log, state);
  close_arena(log, state);
}

static const char *const marks[] = {"first_used=", "[RecordingMicroAllocator]", NULL};

const TnTextFinder tn_text_tflm = {
    .name = "TFLM's memory plan and recording allocator",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
