/* SPDX-License-Identifier: MIT */
/* GE's own sums of a graph: the `AfterAssignMemory` line of a plog, and the last row of a graph in
 * what the imas tool makes of it; with the two rates that its users speak of. */
#include "config.h"

#include "data/readers/text-ge.h"

#include <string.h>

typedef struct {
  tn_bytes planned, theory, total, io, no_reuse, atomic,
      continuous; /* TN_BYTES_UNKNOWN: not said */
  int64_t streams;
} Summary;

typedef struct {
  const char *log, *row; /* how the field is introduced in either; NULL: not there */
  gsize offset;
} Field;

static const Field fields[] = {
    {"memoffset[", "after_reuse:", offsetof(Summary, planned)},
    {"theory_min[", "theory_min:", offsetof(Summary, theory)},
    {"total_size[", " total:", offsetof(Summary, total)},
    {"zero_copy[", " io:", offsetof(Summary, io)},
    {"no_reuse[", " no_reuse:", offsetof(Summary, no_reuse)},
    {NULL, " atomic:", offsetof(Summary, atomic)},
    {NULL, " continuous:", offsetof(Summary, continuous)},
    {"streams[", " streams:", offsetof(Summary, streams)},
};

/* Only where something closes it: a number may have lost its end. */
static void
read_field(const char *line, const char *label, tn_bytes *out)
{
  const char *at = strstr(line, label);
  tn_bytes bytes;
  if (!at)
    return;
  at += strlen(label);
  if (tn_text_size(&at, &bytes, NULL) && *at)
    *out = bytes;
}

static Summary
read_fields(const char *line, bool is_row)
{
  Summary summary;
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    int64_t *out = (int64_t *)(void *)((char *)&summary + fields[i].offset);
    const char *label = is_row ? fields[i].row : fields[i].log;
    *out = TN_BYTES_UNKNOWN;
    if (label)
      read_field(line, label, out);
  }
  return summary;
}

/* "reuse rate 75.94 %, reach 79.94 %": what reuse saved of the sum of all tensors, and how near the
 * plan is to the least possible.  Owned by the caller; NULL where neither is known. */
static char *
dup_rates(const Summary *summary)
{
  g_autoptr(GString) text = g_string_new(NULL);
  char number[32];
  if (summary->total > 0)
    g_string_append_printf(text, "reuse rate %s %%",
                           g_ascii_formatd(number, sizeof number, "%.2f",
                                           100.0 * (double)(summary->total - summary->planned) /
                                               (double)summary->total));
  if (summary->theory > 0 && summary->planned > 0)
    g_string_append_printf(
        text, "%sreach %s %%", text->len ? ", " : "",
        g_ascii_formatd(number, sizeof number, "%.2f",
                        MIN(100.0 * (double)summary->theory / (double)summary->planned, 100.0)));
  if (summary->streams > 0)
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT " stream%s", text->len ? ", " : "",
                           summary->streams, summary->streams == 1 ? "" : "s");
  return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

static TnAccount *
account_new(const Summary *summary, const char *graph, int64_t type, uint32_t line)
{
  g_autofree char *title =
      g_strdup_printf("GE's plan of %s, memory type %" G_GINT64_FORMAT, graph, type);
  g_autofree char *rates = dup_rates(summary);
  TnAccount *account = tn_account_new(title, line);
  tn_account_add_detail(account, "planned (memoffset)", summary->planned, rates);
  tn_account_add_detail(account, "least possible (theory_min)", summary->theory, NULL);
  tn_account_add_detail(account, "zero copy", summary->io, NULL);
  tn_account_add_detail(account, "without reuse (total_size)", summary->total, NULL);
  tn_account_add_detail(account, "not reusable", summary->no_reuse, NULL);
  tn_account_add_detail(account, "set to 0 (atomic)", summary->atomic, NULL);
  tn_account_add_detail(account, "continuous", summary->continuous, NULL);
  return account;
}

void
tn_ge_add_rates(TnAccount *account, tn_bytes total, tn_bytes pool, tn_bytes theory)
{
  Summary summary = {.planned = pool, .theory = theory, .total = total, .streams = 0};
  g_autofree char *rates = pool > 0 ? dup_rates(&summary) : NULL;
  tn_account_add_detail(account, "the pool, at most", pool, rates);
  tn_account_add_detail(account, "least possible (theory_min)", theory, NULL);
  tn_account_add_detail(account, "all allocations together", total, NULL);
}

bool
tn_ge_read_summary(TnGeGraph *graph, const char *line, bool is_row, uint32_t number)
{
  Summary summary = read_fields(line, is_row);
  int64_t type = 2;
  if (summary.planned < 0)
    return false;
  tn_text_number_after(line, is_row ? "memory_type," : "memtype[", &type);
  g_ptr_array_add(graph->summaries, account_new(&summary, graph->name, type, number));
  if (type == 2) {
    graph->planned = summary.planned;
    graph->total = summary.total;
  }
  return true;
}
