/* SPDX-License-Identifier: MIT */
/* Statistics that Ascend's driver prints per module, old (2023) and new form. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/hash.h"
#include "data/readers/text-names.h"

#include <string.h>

typedef struct {
  char *name;         /* "DEV_MEM dev2" */
  TnAccount *account; /* owned until reported; NULL: none open */
  GHashTable *rows;   /* what the account has a row of (char *, owned) */
} Memory;

typedef struct {
  TnTextNames memories; /* Memory * */
} State;

static void
report(TnTextLog *log, Memory *memory)
{
  if (!memory->account)
    return;
  g_hash_table_remove_all(memory->rows);
  tn_account_close(memory->account, "", "", 0);
  memory->account->total_what = g_strdup("held through the driver");
  memory->account->statement =
      g_strdup("Totals by module, when the process ended or failed: no map can be drawn. For one "
               "record with torch_npu's torch.npu.memory._record_memory_history() and "
               "_dump_snapshot(), or with msMemScope.");
  tn_text_log_report(log, g_steal_pointer(&memory->account));
}

static Memory *
find_memory(State *state, const char *name, gsize length)
{
  char *own_name;
  Memory *memory = tn_text_names_find(&state->memories, name, length, &own_name);
  if (memory)
    return memory;
  memory = g_new0(Memory, 1);
  memory->name = own_name;
  memory->rows = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  tn_text_names_add(&state->memories, memory->name, memory);
  return memory;
}

static TnAccount *
need_account(Memory *memory, uint32_t line)
{
  if (!memory->account) {
    g_autofree char *title = g_strdup_printf("Ascend driver statistics, %s", memory->name);
    memory->account = tn_account_new(title, line);
  }
  memory->account->last_line = line;
  return memory->account;
}

/* The name of the memory ends where "Mem stats" or "Cached_size" begins, and starts behind the
 * bracket of the function. */
static Memory *
memory_before(State *state, const char *line, const char *end)
{
  const char *start = end;
  while (start > line && start[-1] != ']')
    start--;
  while (*start == ' ')
    start++;
  while (end > start && end[-1] == ' ')
    end--;
  bool is_memory = end > start && (strstr(start, "MEM") != NULL && strstr(start, "MEM") < end);
  return is_memory ? find_memory(state, start, (gsize)(end - start)) : NULL;
}

static void
add_row(TnTextLog *log,
        Memory *memory,
        uint32_t line,
        const char *what,
        tn_bytes bytes,
        const char *note)
{
  if (g_hash_table_contains(memory->rows, what))
    report(log, memory); /* printed again, later */
  g_hash_table_add(memory->rows, g_strdup(what));
  tn_account_add(need_account(memory, line), what, bytes, note);
}

/* Counts and sizes that contradict each other: one of them is not of this moment, or wrong. */
static void
check_counts(TnTextLog *log, const TnTextLine *line, const char *what, int64_t now, int64_t peak)
{
  int64_t n_alloc = -1, n_free = -1;
  bool has_counts = tn_text_number_after(line->whole, "alloc_cnt=", &n_alloc) &&
                    tn_text_number_after(line->whole, "free_cnt=", &n_free);
  const char *why = peak >= 0 && now > peak           ? "more than its peak"
                    : has_counts && n_free > n_alloc  ? "with more frees than allocations"
                    : has_counts && n_free == n_alloc && now > 0
                        ? "though as much was freed as allocated"
                    : has_counts && n_free < n_alloc && now == 0
                        ? "though allocations were never freed"
                        : NULL;
  if (!why)
    return;
  g_autofree char *text =
      g_strdup_printf("The driver says that %s holds %" G_GINT64_FORMAT " bytes, %s", what, now, why);
  tn_document_state(log->document, "driver-counts", TN_STATEMENT_WARNING, line->number, text,
                    "The statistics do not add up: take them for a hint only.");
}

static bool
read_module(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *stats = strstr(line->whole, "em stats"), *module;
  int64_t now, peak = -1;
  if (!stats || !(module = strstr(stats, "module_name=")) ||
      !tn_text_number_after(module, "current_alloced_size=", &now) || line->is_cut)
    return false;
  Memory *memory = memory_before(state, line->whole, stats - 1);
  if (!memory)
    return true;
  module += strlen("module_name=");
  g_autofree char *what = g_strndup(module, strcspn(module, ",; "));
  if (!tn_text_number_after(module, "allocated_peak_size=", &peak))
    tn_text_number_after(module, "alloced_peak_size=", &peak);
  g_autofree char *note =
      peak >= 0 ? g_strdup_printf("peak %" G_GINT64_FORMAT " bytes", peak) : NULL;
  check_counts(log, line, what, now, peak);
  add_row(log, memory, line->number, what, now, note);
  return true;
}

static void
read_cached(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *cached = strstr(line->whole, "Cached_size:");
  int64_t bytes;
  if (!cached || !tn_text_number_after(cached, "Cached_size:", &bytes) || !strstr(cached, "Bytes"))
    return;
  Memory *memory = memory_before(state, line->whole, cached);
  if (memory)
    add_row(log, memory, line->number, "cached by the driver", bytes, NULL);
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  if (strstr(line->whole, "MEM") && !read_module(log, state, line))
    read_cached(log, state, line);
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  for (guint i = 0; i < tn_text_names_count(&state->memories); i++) {
    Memory *memory = tn_text_names_get(&state->memories, i);
    report(log, memory);
    g_hash_table_unref(memory->rows);
    g_free(memory->name);
    g_free(memory);
  }
  tn_text_names_clear(&state->memories);
}

static const char *const marks[] = {"_mem_stats_show", "current_alloced_size=", NULL};

const TnTextFinder tn_text_ascend = {
    .name = "statistics of Ascend's driver",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
