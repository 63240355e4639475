/* SPDX-License-Identifier: MIT */
/* Out-of-memory reports of XLA: the TPU compiler's tables of a memory space, and the GPU's
 * "BufferAssignment OOM Debugging", both with their largest buffers. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

#define MAX_BUFFERS 256

/* A failure on a GPU that was read. */
typedef struct {
  tn_bytes bytes, step;
  int32_t device; /* -1: not said */
  bool has_tables;
  TnTextMoment when; /* it was said first */
} Head;

/* Of a tag. */
typedef struct {
  TnTextSaid tables;
  Head heads[TN_TEXT_SAID];
  uint32_t n_heads; /* all so far */
} Said;

typedef struct {
  uint32_t first_line, last_line;
  TnAccount *usage;   /* "Total hbm usage", or the GPU's statistics; owned until reported */
  TnAccount *program; /* "Program hbm requirement" */
  tn_bytes rounding;
  char *space;
  bool in_program, in_buffer;
  /* The failure that it tells of, which is one of its device's when the report is whole and new. */
  bool has_failure, is_dumped; /* is_dumped: the allocator's dump has counted it */
  bool is_gpu;                 /* a TPU's says no more than the next of another */
  int32_t device;              /* -1: not said */
  tn_bytes requested, step, left, capacity;
  TnTextMoment since; /* of its first line */
  /* The buffer in hand. */
  tn_bytes bytes, padding;
  char *label, *shape, *operator_name;
  uint32_t n_buffers;
} State;

static void
touch(const TnTextLog *log, State *state, uint32_t line)
{
  if (!state->first_line) {
    state->first_line = line;
    state->since = log->now;
  }
  state->last_line = line;
}

static void
touch_row(TnTextLog *log, State *state, uint32_t line)
{
  touch(log, state, line);
  log->is_row = true;
}

static void
end_buffer(State *state)
{
  TnAccount *account = state->program ? state->program : state->usage;
  if (state->in_buffer && account && state->n_buffers <= MAX_BUFFERS) {
    g_autofree char *what =
        g_strdup_printf("%u. %s %s", state->n_buffers, state->label ? state->label : "buffer",
                        state->shape ? state->shape : "");
    g_autoptr(GString) note = g_string_new(state->operator_name);
    if (state->padding > 0)
      g_string_append_printf(note, "%sof which padding %" G_GINT64_FORMAT " bytes",
                             note->len ? ", " : "", state->padding);
    tn_account_add_detail(account, g_strchomp(what), state->bytes, note->len ? note->str : NULL);
  }
  state->in_buffer = false;
  g_clear_pointer(&state->label, g_free);
  g_clear_pointer(&state->shape, g_free);
  g_clear_pointer(&state->operator_name, g_free);
  state->bytes = TN_BYTES_UNKNOWN;
  state->padding = 0;
}

static void
report(TnTextLog *log, TnAccount *account, const State *state, const char *remainder)
{
  account->first_line = account->first_line ? account->first_line : state->first_line;
  account->last_line = state->last_line;
  tn_account_close(account, remainder, "shared between them", state->rounding);
  account->statement = g_strdup("Sizes without offsets: no map can be drawn. Compile with "
                                "XLA_FLAGS=--xla_dump_to=DIR and open "
                                "the *-buffer-assignment.txt, which has the whole plan.");
  tn_text_log_report(log, account);
}

/* Whether it has more than its head. */
static bool
has_tables(const State *state)
{
  return state->program || (state->usage && state->usage->rows->len > 0) || state->n_buffers > 0;
}

static void
append_figures(GString *out, const TnAccount *account)
{
  const GArray *lists[] = {account ? account->rows : NULL, account ? account->details : NULL};
  for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint i = 0; lists[l] && i < lists[l]->len; i++)
      g_string_append_printf(out, "%s %" G_GINT64_FORMAT ";", tn_account_row(lists[l], i)->what,
                             tn_account_row(lists[l], i)->bytes);
}

/* Whether a request is that of a report in hand, or of an earlier head: the same bytes as far as both say them, on a
 * device that may be the same. */
static bool
is_same(tn_bytes a, tn_bytes a_step, int32_t on_a, tn_bytes b, tn_bytes b_step, int32_t on_b)
{
  return tn_add_saturated(MIN(a, b), MAX(a_step, b_step)) >= MAX(a, b) && (on_a < 0 || on_b < 0 || on_a == on_b);
}

/* The head of late that tells of the failure in hand: of the same device where one says so, else the last that may.
 * NULL: none. */
static Head *
find_head(Said *said, const State *state)
{
  Head *found = NULL;
  for (uint32_t i = MIN(said->n_heads, (uint32_t)TN_TEXT_SAID); i > 0; i--) {
    Head *head = &said->heads[(said->n_heads - i) % TN_TEXT_SAID];
    bool is_known = is_same(head->bytes, head->step, head->device, state->requested, state->step, state->device) &&
                    tn_text_moment_is_near(head->when, state->since);
    if (is_known && (!found || head->device == state->device || found->device != state->device))
      found = head;
  }
  return found;
}

/* Whether the failure of a GPU's report was counted.  Loggers and tracebacks (JAX filters its own frames and prints both)
 * tell of it again, some without the device; other tables are of another. */
static bool
is_counted(Said *said, const State *state, bool has_new_tables)
{
  Head *head = find_head(said, state);
  bool is_new = !head || (has_new_tables && head->has_tables);
  if (is_new) {
    head = &said->heads[said->n_heads++ % TN_TEXT_SAID];
    *head = (Head){
        .bytes = state->requested, .step = state->step, .device = state->device, .when = state->since};
  }
  head->device = MAX(head->device, state->device);
  tn_text_moment_repeat(&head->when, state->since);
  head->has_tables |= has_tables(state);
  return !is_new || state->is_dumped;
}

/* Tables are known by all their figures. */
static bool
has_new_tables(Said *said, const State *state)
{
  if (!has_tables(state))
    return false;
  g_autoptr(GString) figures = g_string_new(NULL);
  if (state->has_failure)
    g_string_append_printf(figures, "%" G_GINT64_FORMAT ":", state->requested);
  append_figures(figures, state->usage);
  append_figures(figures, state->program);
  return tn_text_is_news(&said->tables, figures->str, state->since);
}

static void
mark_failure(TnTextLog *log, const State *state)
{
  const TnAccount *account = state->usage ? state->usage : state->program;
  if (!state->has_failure || !account)
    return;
  TnDevice *device = tn_text_log_oom(log, MAX(state->device, 0), state->requested, state->left, account->title);
  if (state->capacity >= 0)
    device->total_bytes = state->capacity;
}

static void
close_report(TnTextLog *log, State *state)
{
  bool was_in_buffer = state->in_buffer;
  end_buffer(state);
  TnAccount *last = state->program ? state->program : state->usage;
  bool are_new = last && has_new_tables(log->said, state);
  bool is_failure = last && state->has_failure &&
                    (state->is_gpu ? !is_counted(log->said, state, are_new) : are_new || !has_tables(state));
  bool is_new = are_new || is_failure || (last && !state->has_failure && !has_tables(state));
  if (is_failure)
    mark_failure(log, state);
  if (state->usage && is_new)
    report(log, state->usage, state, "not listed by the report");
  if (state->program && is_new)
    report(log, state->program, state, "not listed by the report");
  if (is_new && was_in_buffer)
    tn_text_log_cut_off(log, last, "the list of its largest buffers ends in the middle of one");
  if (!is_new && state->usage)
    tn_account_free(state->usage);
  if (!is_new && state->program)
    tn_account_free(state->program);
  g_free(state->space);
  *state = (State){0};
}

static void
keep_failure(State *state, int32_t device, tn_bytes requested, tn_bytes left, tn_bytes capacity)
{
  state->has_failure = true;
  state->device = device;
  state->requested = requested;
  state->left = left;
  state->capacity = capacity;
}

static TnAccount *
need_usage(State *state, const char *title)
{
  if (!state->usage)
    state->usage = tn_account_new(title, state->first_line);
  return state->usage;
}

/* ---- heads ----------------------------------------------------------------------------- */

/* "Ran out of memory in memory space hbm. Used 63.80G of 30.75G hbm. Exceeded …". */
static bool
read_tpu_head(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->text, "Ran out of memory in memory space "), *used;
  tn_bytes need, have, step = 0;
  if (!at)
    return false;
  close_report(log, state);
  touch(log, state, line->number);
  at += strlen("Ran out of memory in memory space ");
  state->space = g_strndup(at, strcspn(at, ". "));
  g_autofree char *title =
      g_strdup_printf("XLA:TPU out-of-memory report, memory space %s", state->space);
  TnAccount *account = need_usage(state, title);
  if (tn_text_size_after(at, "Scoped allocation with size", &need, &step) &&
      tn_text_size_after(at, "and limit", &have, NULL)) { /* vmem: a kernel's own, not what is free */
    tn_account_add_detail(account, "limit", have, NULL);
    tn_account_add_detail(account, "requested", need, "a scoped allocation");
    keep_failure(state, 0, need, TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN);
    return true;
  }
  used = strstr(at, "Used ");
  if (!used || !tn_text_size_after(used, "Used ", &need, &step) ||
      !tn_text_size_after(used, " of ", &have, NULL))
    return true;
  state->rounding = tn_add_saturated(state->rounding, step);
  tn_account_add_detail(account, "capacity", have, NULL);
  tn_account_add_detail(account, "needed by the program", need, NULL);
  tn_account_add_detail(account, "above the capacity", need - have, NULL);
  keep_failure(state, 0, need, have, have);
  return true;
}

/* "Attempting to reserve 3.95G at the bottom of memory. … There are 1.92G free". */
static bool
read_reserve_head(TnTextLog *log, State *state, const TnTextLine *line)
{
  tn_bytes need, have;
  if (!strstr(line->text, "There are ") ||
      !(tn_text_size_after(line->text, "Attempting to reserve", &need, NULL) ||
        tn_text_size_after(line->text, "Attempting to allocate", &need, NULL)) ||
      !tn_text_size_after(line->text, "There are ", &have, NULL))
    return false;
  close_report(log, state);
  touch(log, state, line->number);
  TnAccount *account = need_usage(state, "XLA:TPU out-of-memory report");
  tn_account_add_detail(account, "requested", need, "the program's memory");
  tn_account_add_detail(account, "free", have, NULL);
  keep_failure(state, 0, need, have, TN_BYTES_UNKNOWN);
  return true;
}

/* A report, unless it is the one in hand, which has no tables yet, again. */
static void
open_gpu(TnTextLog *log, State *state, uint32_t line, tn_bytes bytes, tn_bytes step, int32_t device)
{
  bool is_dumped = tn_text_log_use_dumped(log, bytes, step, &device);
  bool goes_on = state->is_gpu && is_same(state->requested, state->step, state->device, bytes, step, device) &&
                 tn_text_moment_is_near(state->since, log->now) && (state->is_dumped || !is_dumped) && !has_tables(state);
  if (!goes_on)
    close_report(log, state);
  touch(log, state, line);
  state->is_dumped |= is_dumped;
  if (goes_on) {
    state->device = MAX(state->device, device);
    return;
  }
  state->step = step;
  state->is_gpu = true;
  TnAccount *account = need_usage(state, "XLA:GPU out-of-memory report");
  tn_account_add_detail(account, "requested", bytes, "the allocation that failed");
  keep_failure(state, device, bytes, TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN);
}

/* "RESOURCE_EXHAUSTED: Out of memory while trying to allocate N bytes." and its like; "Failed to allocate request for
 * 2.00GiB (2147483648B) on device ordinal 0". */
static bool
read_gpu_head(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const char *const labels[] = {"Out of memory while trying to allocate", "Out of memory allocating",
                                       "Failed to allocate request for"};
  tn_bytes bytes, step;
  int64_t device = -1;
  for (gsize i = 0; i < G_N_ELEMENTS(labels); i++) {
    const char *at = strstr(line->text, labels[i]);
    if (!at)
      continue;
    at += strlen(labels[i]);
    if (!tn_text_measure(&at, &bytes, &step))
      continue;
    if (tn_text_word(&at, "("))
      tn_text_measure(&at, &bytes, &step); /* the same to the byte */
    if (!tn_text_number_after(at, "device ordinal ", &device) || device > 4095)
      device = -1;
    open_gpu(log, state, line->number, bytes, step, (int32_t)device);
    return true;
  }
  return false;
}

/* ---- tables ---------------------------------------------------------------------------- */

static bool
add_sized_row(
    State *state, TnAccount *account, const char *text, const char *label, const char *note)
{
  const char *at = text;
  tn_bytes bytes, step;
  if (!account || !tn_text_word(&at, label) || !tn_text_measure(&at, &bytes, &step))
    return false;
  g_autofree char *what = g_strdup(label);
  if (g_str_has_suffix(what, ":"))
    what[strlen(what) - 1] = 0;
  tn_account_add(account, what, bytes, note);
  state->rounding = tn_add_saturated(state->rounding, step);
  return true;
}

/* "Total hbm usage >= 65.05G:" and "Program hbm requirement 63.80G:". */
static bool
read_tpu_title(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *usage = strstr(line->text, " usage >= ");
  const char *program = strstr(line->text, " requirement ");
  const char *at = line->text;
  tn_bytes bytes, step;
  bool is_usage = usage && tn_text_word(&at, "Total ");
  if (!is_usage && !(program && tn_text_word(&at, "Program ")))
    return false;
  g_autofree char *space = g_strndup(at, strcspn(at, " "));
  if (!tn_text_size_after(at, is_usage ? " usage >=" : " requirement", &bytes, &step))
    return false;
  if (!is_usage && state->program)
    close_report(log, state);
  touch_row(log, state, line->number);
  g_autofree char *title = g_strdup_printf(
      is_usage ? "XLA:TPU %s usage" : "XLA:TPU %s requirement of the program", space);
  if (!is_usage)
    state->program = tn_account_new(title, line->number);
  TnAccount *account = is_usage ? need_usage(state, title) : state->program;
  state->in_program = !is_usage;
  tn_account_set_total(account, bytes,
                       is_usage ? "total usage (at least)" : "the program's requirement");
  state->rounding = tn_add_saturated(state->rounding, step);
  return true;
}

static bool
read_tpu_row(State *state, const char *text)
{
  tn_bytes bytes;
  if (!state->in_program)
    return add_sized_row(state, state->usage, text, "reserved", "by the system") ||
           add_sized_row(state, state->usage, text, "program", NULL) ||
           add_sized_row(state, state->usage, text, "arguments", NULL);
  if (add_sized_row(state, state->program, text, "global", NULL) ||
      add_sized_row(state, state->program, text, "scoped", NULL))
    return true;
  if (!add_sized_row(state, state->program, text, "HLO temp", "activations and scratch"))
    return false;
  if (tn_text_size_after(text, "Unpadded (", &bytes, NULL))
    tn_account_add_detail(state->program, "HLO temp, unpadded", bytes, NULL);
  if (tn_text_size_after(text, "Padded (", &bytes, NULL))
    tn_account_add_detail(state->program, "HLO temp, padded", bytes, NULL);
  if (tn_text_size_after(text, "fragmentation (", &bytes, NULL))
    tn_account_add_detail(state->program, "HLO temp, fragmentation", bytes, NULL);
  return true;
}

static bool
read_gpu_row(State *state, const char *text)
{
  static const char *const labels[] = {
      "parameter allocation:", "constant allocation:", "maybe_live_out allocation:",
      "preallocated temp allocation:"};
  TnAccount *account = state->usage;
  tn_bytes bytes, step;
  if (!account)
    return false;
  for (gsize i = 0; i < G_N_ELEMENTS(labels); i++)
    if (add_sized_row(state, account, text, labels[i], NULL))
      return true;
  const char *at = text;
  if (tn_text_word(&at, "total allocation:") && tn_text_size(&at, &bytes, &step)) {
    tn_account_set_total(account, bytes, "total allocation of the program");
    state->rounding = tn_add_saturated(state->rounding, step);
    return true;
  }
  at = text;
  if (!tn_text_word(&at, "total fragmentation:") || !tn_text_size(&at, &bytes, NULL))
    return false;
  tn_account_add_detail(account, "fragmentation", bytes, NULL);
  return true;
}

/* ---- buffers --------------------------------------------------------------------------- */

static char *
dup_rest(const char *text)
{
  while (*text == ' ')
    text++;
  return g_strchomp(g_strdup(text));
}

/* "  1. Size: 2.00G" (TPU) or "Buffer 1:" (GPU). */
static bool
read_buffer_start(State *state, const char *text)
{
  const char *at = text;
  int64_t number;
  bool is_gpu = tn_text_word(&at, "Buffer ");
  if (!tn_text_number(&at, &number) || !tn_text_word(&at, is_gpu ? ":" : ". Size:"))
    return false;
  end_buffer(state);
  state->in_buffer = true;
  state->n_buffers++;
  if (!is_gpu && !tn_text_size(&at, &state->bytes, NULL))
    state->bytes = TN_BYTES_UNKNOWN;
  return true;
}

static bool
read_buffer_line(State *state, const char *text)
{
  const char *at = text;
  if (tn_text_word(&at, "===="))
    end_buffer(state);
  else if (tn_text_word(&at, "Size:"))
    tn_text_measure(&at, &state->bytes, NULL);
  else if (tn_text_word(&at, "Extra memory due to padding:"))
    tn_text_measure(&at, &state->padding, NULL);
  else if (tn_text_word(&at, "Shape:") || tn_text_word(&at, "Entry Parameter Subshape:"))
    g_free(state->shape), state->shape = dup_rest(at);
  else if (tn_text_word(&at, "XLA label:") || tn_text_word(&at, "XLA Label:"))
    g_free(state->label), state->label = g_strndup(at + 1, strcspn(at + (*at != 0), " ="));
  else if (tn_text_word(&at, "Operator: op_name=\""))
    g_free(state->operator_name), state->operator_name = g_strndup(at, strcspn(at, "\""));
  else
    return tn_text_word(&at, "Unpadded size:") || tn_text_word(&at, "Allocation type:");
  return true;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  if (read_tpu_head(log, state, line) || read_reserve_head(log, state, line) ||
      read_gpu_head(log, state, line) || read_tpu_title(log, state, line))
    return;
  if (strstr(line->text, "BufferAssignment stats:") || strstr(line->text, "BufferAssignment OOM")) {
    touch_row(log, state, line->number);
    need_usage(state, "XLA:GPU out-of-memory report");
    return;
  }
  if (!state->usage && !state->program)
    return;
  if ((state->in_buffer && read_buffer_line(state, line->text)) ||
      read_buffer_start(state, line->text) || read_tpu_row(state, line->text) ||
      read_gpu_row(state, line->text))
    touch_row(log, state, line->number);
}

static void
end_text(TnTextLog *log, void *state)
{
  close_report(log, state);
}

static const char *const marks[] = {"Ran out of memory in memory space", "RESOURCE_EXHAUSTED",
                                    "BufferAssignment OOM Debugging", "Program hbm requirement",
                                    NULL};

const TnTextFinder tn_text_xla = {
    .name = "out-of-memory reports of XLA (TPU, GPU)",
    .state_size = sizeof(State),
    .said_size = sizeof(Said),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
