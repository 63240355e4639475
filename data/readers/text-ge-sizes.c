/* SPDX-License-Identifier: MIT */
/* Sizes that GE prints beside its plan and when it ends: what each of its planners needed, what
 * each batch needs, the segments of the feature map, and the statistics of the scalable allocator's
 * pool. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

#define MOST_ROWS 200

typedef struct {
  TnAccount *plan; /* owned until reported; NULL: none yet */
  TnAccount *pool, *largest; /* the statistics in hand, and those of the largest pool before; owned */
  tn_bytes used, freed, step; /* of the pool; step: its sizes are rounded to this */
  tn_bytes spans;             /* in use, as they are listed one by one */
  uint32_t n_pools;
  bool has_spans; /* there are lines of spans: the map is theirs */
} State;

static TnAccount *
need_plan(State *state, uint32_t line)
{
  if (!state->plan)
    state->plan = tn_account_new("GE's planners, batches and segments", line);
  state->plan->last_line = line;
  return state->plan;
}

static void
add_detail(State *state, const TnTextLine *line, const char *what, tn_bytes bytes, const char *note)
{
  TnAccount *account = need_plan(state, line->number);
  if (account->details->len < MOST_ROWS)
    tn_account_add_detail(account, what, bytes, note);
}

/* A number behind `label` that something closes. */
static bool
closed_number(const char *line, const char *label, int64_t *out)
{
  const char *at = strstr(line, label);
  if (!at)
    return false;
  at += strlen(label);
  return tn_text_number(&at, out) && *at != 0;
}

/* ---- beside the plan
 * ------------------------------------------------------------------------------ */

/* "binary-block memory assigner memory size:N": the smallest first, which is the winner. */
static bool
read_planner(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, " memory assigner memory size:"), *name = at;
  int64_t bytes;
  if (!at || line->is_cut || !tn_text_number_after(at, " memory assigner memory size:", &bytes))
    return false;
  while (name > line->whole && name[-1] != ' ' && name[-1] != ']')
    name--;
  g_autofree char *what = g_strndup(name, (gsize)(at - name));
  bool is_first = !state->plan;
  add_detail(state, line, what, bytes, is_first ? "the smallest: taken" : NULL);
  return true;
}

/* "Batch[label] total memory size[N]", "Max batch[label] total memory size[N]". */
static bool
read_batch(State *state, const TnTextLine *line)
{
  const char *size = strstr(line->whole, "] total memory size["), *name = size;
  int64_t bytes;
  if (!size || !closed_number(size, "total memory size[", &bytes))
    return false;
  while (name > line->whole && name[-1] != '[')
    name--;
  g_autofree char *label = g_strndup(name, (gsize)(size - name));
  bool is_largest = strstr(line->whole, "Max batch[") != NULL;
  g_autofree char *what = g_strdup_printf("batch %s", label);
  add_detail(state, line, what, bytes, is_largest ? "the largest" : NULL);
  return true;
}

/* "SubMemOffsets[i]: mem_type[..] mem_offset_base[..] mem_size[..] is_fixed_addr_prior[0|1]". */
static bool
read_segment(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "SubMemOffsets[");
  int64_t base, bytes, is_fixed = 0;
  if (!at || !closed_number(at, "mem_offset_base[", &base) ||
      !closed_number(at, "mem_size[", &bytes))
    return false;
  closed_number(at, "is_fixed_addr_prior[", &is_fixed);
  g_autofree char *what = g_strdup_printf("segment at offset %" G_GINT64_FORMAT, base);
  add_detail(state, line, what, bytes, is_fixed ? "fixed addresses first" : NULL);
  return true;
}

/* ---- the pool
 * ---------------------------------------------------------------------------------------- */

/* The layers of one allocator: spans make up what is in use, which lies in what the device gave. */
static void
check_layers(TnTextLog *log, const State *state)
{
  tn_bytes held = state->pool->total, used = state->used, rounding = MAX(state->step, (tn_bytes)1);
  bool is_above = used >= 0 && held >= 0 && used > tn_add_saturated(held, rounding);
  bool is_other = used >= 0 && state->spans > 0 && ABS(state->spans - used) > rounding;
  if (!is_above && !is_other)
    return;
  g_autofree char *text =
      is_above ? g_strdup_printf("The spans in use make up %" G_GINT64_FORMAT " bytes, but the pool took only "
                                 "%" G_GINT64_FORMAT " from the device",
                                 used, held)
               : g_strdup_printf("The spans that are listed as in use make up %" G_GINT64_FORMAT
                                 " bytes, their sum is said to be %" G_GINT64_FORMAT,
                                 state->spans, used);
  tn_document_state(log->document, "ge-layers", TN_STATEMENT_WARNING, state->pool->first_line, text,
                    "Lines of two allocators may be mixed here, or the statistics are wrong.");
}

static void
close_pool(TnTextLog *log, State *state)
{
  TnAccount *pool = state->pool;
  check_layers(log, state);
  tn_account_add(pool, "in use", state->used, NULL);
  tn_account_add(pool, "free, kept by the pool", state->freed, NULL);
  tn_account_close(pool, "not listed", "listed beyond it", MAX(state->step, (tn_bytes)1) * 4);
  if (!state->has_spans)
    pool->statement =
        g_strdup("Totals of the pool at a moment: for a map take its lines of spans, or the kernel trace "
                 "(ASCEND_GLOBAL_LOG_LEVEL=1).");
}

/* They are printed again and again: those of the largest pool are kept, and the last. */
static void
keep_pool(TnTextLog *log, State *state)
{
  TnAccount *pool = state->pool;
  if (!pool)
    return;
  close_pool(log, state);
  state->pool = NULL;
  bool is_larger = !state->largest || pool->total > state->largest->total;
  if (is_larger)
    g_clear_pointer(&state->largest, tn_account_free);
  if (is_larger)
    state->largest = pool;
  else
    tn_account_free(pool);
}

static void
rename_account(TnAccount *account, const char *when, uint32_t n)
{
  g_free(account->title);
  account->title = g_strdup_printf("GE's scalable allocator, %s (%u statistics)", when, n);
}

static void
report_pools(TnTextLog *log, State *state)
{
  if (!state->pool)
    return;
  close_pool(log, state);
  bool is_last_largest = !state->largest || state->pool->total >= state->largest->total;
  if (is_last_largest)
    g_clear_pointer(&state->largest, tn_account_free);
  else
    rename_account(state->largest, "at its largest", state->n_pools);
  if (state->n_pools > 1)
    rename_account(state->pool, is_last_largest ? "at the end, and at its largest" : "at the end",
                   state->n_pools);
  if (state->largest)
    tn_text_log_report(log, g_steal_pointer(&state->largest));
  tn_text_log_report(log, g_steal_pointer(&state->pool));
}

static tn_bytes
size_after(State *state, const char *line, const char *label)
{
  tn_bytes bytes, step = 0;
  if (!tn_text_size_after(line, label, &bytes, &step))
    return TN_BYTES_UNKNOWN;
  state->step = MAX(state->step, step);
  return bytes;
}

/* "Device memory   : [alloc count:4 free count:3 total size:4.00M … theory_min:3.00M …]". */
static bool
start_pool(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "Device memory");
  if (!at || !strstr(at, "[alloc count:") || line->is_cut)
    return false;
  keep_pool(log, state);
  state->used = state->freed = TN_BYTES_UNKNOWN;
  state->step = state->spans = 0;
  state->n_pools++;
  state->pool = tn_account_new("GE's scalable allocator", line->number);
  state->pool->last_line = line->number;
  tn_account_set_total(state->pool, size_after(state, at, "total size:"), "taken from the device");
  tn_account_add_detail(state->pool, "least possible (theory_min)",
                        size_after(state, at, " theory_min:"), NULL);
  return true;
}

/* "    |-span: [size:1.00M count:2]", "    |-layer: [id:3 capacity:… size:1.00M count:2]". */
static void
add_part(State *state, const char *at, const char *what)
{
  tn_bytes bytes = size_after(state, at, "size:"), all;
  int64_t count;
  char size[48];
  if (bytes < 0 || !tn_text_number_after(at, "count:", &count) || !tn_mul(bytes, count, &all))
    return;
  g_snprintf(size, sizeof size, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes", count, bytes);
  if (strcmp(what, "spans in use") == 0 && !tn_add(state->spans, all, &state->spans))
    state->spans = 0;
  if (state->pool->details->len < MOST_ROWS)
    tn_account_add_detail(state->pool, what, all, size);
}

static bool
read_pool(State *state, const TnTextLine *line)
{
  const char *at;
  if (!state->pool || line->is_cut)
    return false;
  if ((at = strstr(line->whole, "|-span: [")))
    add_part(state, at, "spans in use");
  else if ((at = strstr(line->whole, "|-layer: [")))
    add_part(state, at, "free layer");
  else if ((at = strstr(line->whole, "Using: [")))
    state->used = size_after(state, at, "total size:");
  else if ((at = strstr(line->whole, "Freed: [")))
    state->freed = size_after(state, at, "total size:");
  else
    return false;
  state->pool->last_line = line->number;
  return true;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  state->has_spans = state->has_spans || strstr(line->whole, "Malloc block device_id:");
  if (start_pool(log, state, line) || read_pool(state, line))
    return;
  (void)(read_planner(state, line) || read_batch(state, line) || read_segment(state, line));
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  report_pools(log, state);
  if (state->plan)
    tn_text_log_report(log, g_steal_pointer(&state->plan));
}

static const char *const marks[] = {" memory assigner memory size:", "] total memory size[",
                                    "SubMemOffsets[", "|-span: [", NULL};

const TnTextFinder tn_text_ge_sizes = {
    .name = "sizes of GE's planners, batches and pool",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
