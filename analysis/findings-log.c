/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-log.h"

#include "analysis/holes.h"
#include "analysis/leak.h"
#include "data/hash.h"
#include "data/units.h"

#include <stdlib.h>

#define SIZE 48
#define MOST_LEAKS 8
#define MOST_LATE 8
#define RECENT_EVENTS 1000
#define WORTH 0.01      /* of a peak: less is not worth a finding */
#define LATE_PART 0.20  /* of a life that lies behind its last use */
#define LEAST_REPEATS 64

static const char *
print(char *buffer, tn_bytes bytes)
{
  return tn_print_bytes(buffer, SIZE, bytes, TN_UNITS_IEC);
}

static const TnCallSites *
sites_of(const TnStudy *study, TnCallSites **out_own)
{
  *out_own = study->sites ? NULL : tn_call_sites_new(study->document);
  return study->sites ? study->sites : *out_own;
}

static void
add_buffers(TnFinding *finding, const GArray *buffers)
{
  for (guint i = 0; i < buffers->len; i++)
    tn_finding_add_buffer(finding, g_array_index(buffers, uint32_t, i));
}

/* ---- leak ---------------------------------------------------------------------------------- */

static void
report_leak(const TnStudy *study, const TnCallSites *sites, const TnLeaks *leaks,
            const TnLeak *leak, TnFindings *findings)
{
  char all[SIZE], each[SIZE];
  TnFinding *finding = tn_findings_add(
      findings, "leak", TN_SEVERITY_WARNING,
      "%s takes more memory in every %s and frees none of it: %u %s, %s in all, %s in the last "
      "whole one",
      tn_call_sites_name(sites, leak->site), leaks->is_by_marks ? "iteration" : "eighth of the log",
      leak->buffers->len, tn_plural(leak->buffers->len, "buffer", "buffers"),
      print(all, leak->bytes), print(each, leak->per_iteration));
  finding->hint = g_strdup("Look what keeps these alive: a list that is appended to, a tensor that "
                           "still has its graph (detach it, or take .item()).");
  finding->at = study->buffers->start[g_array_index(leak->buffers, uint32_t, 0)];
  finding->bytes = leak->bytes;
  finding->saving_bytes = leak->saving;
  add_buffers(finding, leak->buffers);
}

void
tn_find_leaks(const TnStudy *study, TnFindings *findings)
{
  g_autoptr(TnCallSites) own = NULL;
  const TnCallSites *sites = sites_of(study, &own);
  g_autoptr(TnLeaks) leaks = tn_leaks_new(study, sites);
  for (guint i = 0; i < MIN(leaks->rows->len, (guint)MOST_LEAKS); i++)
    report_leak(study, sites, leaks, &g_array_index(leaks->rows, TnLeak, i), findings);
}

/* ---- late-free ----------------------------------------------------------------------------- */

static bool
is_late(const TnBuffers *b, uint32_t i)
{
  if (b->last_use[i] == TN_NONE)
    return false;
  tn_tick idle = b->end[i] - ((tn_tick)b->last_use[i] + 1);
  return (double)idle > LATE_PART * (double)(b->end[i] - b->start[i]);
}

tn_bytes
tn_peak_with_ends(const TnStudy *study, tn_tick *end)
{
  TnBuffers shallow = *study->buffers;
  shallow.end = end;
  g_autoptr(TnCurve) curve = tn_curve_new_for_buffers(&shallow, study->axis_end);
  return curve ? curve->peak : study->live->peak;
}

/* The live peak when every late one of the site (0: of all) ended after its last use. */
static tn_bytes
peak_when_freed(const TnStudy *study, const GArray *late)
{
  const TnBuffers *b = study->buffers;
  g_autofree tn_tick *end = g_memdup2(b->end, sizeof *end * MAX(b->n, 1u));
  for (guint i = 0; i < late->len; i++) {
    uint32_t row = g_array_index(late, uint32_t, i);
    end[row] = (tn_tick)b->last_use[row] + 1;
  }
  return tn_peak_with_ends(study, end);
}

static void
report_late(const TnStudy *study, const char *site, const GArray *late, TnFindings *findings)
{
  char all[SIZE], saved[SIZE];
  tn_bytes bytes = 0, saving = study->live->peak - peak_when_freed(study, late);
  for (guint i = 0; i < late->len; i++)
    bytes += study->buffers->bytes[g_array_index(late, uint32_t, i)];
  if ((double)saving < WORTH * (double)study->live->peak)
    return;
  uint32_t first = g_array_index(late, uint32_t, 0);
  TnFinding *finding =
      tn_findings_add(findings, "late-free", TN_SEVERITY_WARNING,
                      "%u %s from %s (%s) %s last use; freed there, the live peak "
                      "would be %s lower",
                      late->len, tn_plural(late->len, "buffer", "buffers"), site, print(all, bytes),
                      tn_plural(late->len, "is freed long after its", "are freed long after their"),
                      print(saved, saving));
  finding->hint = g_strdup("Drop the last reference where it was used last (del, a smaller scope).");
  finding->at = study->buffers->last_use[first];
  finding->bytes = bytes;
  finding->saving_bytes = saving;
  add_buffers(finding, late);
}

void
tn_find_late_frees(const TnStudy *study, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(TnCallSites) own = NULL;
  if (!b->last_use)
    return;
  const TnCallSites *sites = sites_of(study, &own);
  g_autofree GArray **late = g_new0(GArray *, sites->n);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t site = tn_call_sites_of(sites, tn_buffers_stack(b, i));
    if (!is_late(b, i))
      continue;
    if (!late[site])
      late[site] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(late[site], i);
  }
  for (uint32_t site = 0, n = 0; site < sites->n; site++) {
    if (!late[site])
      continue;
    if (n++ < MOST_LATE)
      report_late(study, tn_call_sites_name(sites, site), late[site], findings);
    g_array_unref(late[site]);
  }
}

/* ---- what the allocator's ways cost -------------------------------------------------------- */

static tn_bytes
largest_recent_request(const TnStudy *study, tn_tick tick)
{
  const TnEvents *events = &study->device->events;
  tn_bytes largest = 0;
  for (tn_tick i = MAX(tick - RECENT_EVENTS, (tn_tick)0);
       i <= tick + 1 && i < (tn_tick)events->n; i++)
    if (events->action[i] == TN_EVENT_ALLOC || events->action[i] == TN_EVENT_OOM)
      largest = MAX(largest, events->bytes[i]);
  return largest;
}

/* A limit, so that a request that failed is run, too. */
static tn_bytes
limit_of(const TnReplayLog *log)
{
  return log->limit > 0 ? log->limit : (tn_bytes)1 << 46;
}

/* What the replay with `params` reserves less than one as recorded does.  Both are replays, so that
 * what the model gets wrong does not count as a saving. */
static tn_bytes
saving_of(const TnReplayLog *log, const TnReplayLog *changed_log, const TnReplayParams *changed)
{
  TnReplayParams plain = {.model = changed->model, .settings = log->recorded,
                          .limit = limit_of(log), .stop_after_failed = true};
  g_autoptr(TnReplayResult) before = tn_replay_run(log, &plain, NULL);
  g_autoptr(TnReplayResult) after = tn_replay_run(changed_log, changed, NULL);
  return MAX(before->reserved_peak - after->reserved_peak, (tn_bytes)0);
}

void
tn_find_fragmentation(const TnStudy *study, const TnReplayLog *log, TnFindings *findings)
{
  char part[SIZE], wanted[SIZE], reserved[SIZE];
  if (!study->reserved || study->device->pool || !log || log->ops->len == 0)
    return; /* where the pool's pieces lie is not known: nor its holes */
  tn_tick at = study->reserved->peak_at;
  g_autoptr(TnHoles) holes = tn_holes_new(study, at);
  tn_bytes request = largest_recent_request(study, at), small = 0;
  uint32_t n = 0;
  for (guint i = 0; i < holes->holes->len; i++) {
    bool is_small = tn_holes_hole(holes, i)->bytes < request;
    small += is_small ? tn_holes_hole(holes, i)->bytes : 0;
    n += is_small;
  }
  if (small == 0 || (double)small < WORTH * (double)holes->reserved_bytes)
    return;
  TnReplayParams params = {.model = tn_allocator_models()[0], .settings = log->recorded,
                           .limit = limit_of(log), .stop_after_failed = true,
                           .seeds_requested = !log->recorded.expandable_segments};
  params.settings.expandable_segments = true;
  TnFinding *finding = tn_findings_add(
      findings, "fragmentation", TN_SEVERITY_WARNING,
      "At the reserved peak %s of the %s reserved (%.0f %%) lay in %u hole%s too small for a request "
      "of %s, the largest of the last thousand events",
      print(part, small), print(reserved, holes->reserved_bytes),
      100.0 * (double)small / (double)holes->reserved_bytes, n, n == 1 ? "" : "s",
      print(wanted, request));
  finding->hint =
      g_strdup(log->recorded.expandable_segments
                   ? "Segments can grow already: fewer sizes, or freeing in the order opposite to "
                     "allocating, leaves fewer holes."
                   : "expandable_segments:True keeps holes together; what it would reserve is "
                     "computed by a replay.");
  finding->at = at;
  finding->bytes = small;
  if (!log->recorded.expandable_segments)
    finding->saving_bytes = saving_of(log, log, &params);
}

/* The same requests, all of one space. */
static TnReplayLog *
merged_log_new(const TnStudy *study)
{
  TnReplayLog *log = tn_replay_log_new(study);
  for (guint i = 0; i < log->ops->len; i++)
    g_array_index(log->ops, TnReplayOp, i).space = 0;
  for (guint i = 0; i < log->blocks->len; i++)
    g_array_index(log->blocks, TnReplayPlace, i).space = 0;
  for (guint i = 0; i < log->segments->len; i++)
    g_array_index(log->segments, TnReplayPlace, i).space = 0;
  log->is_private[0] = false;
  return log;
}

void
tn_find_split_pools(const TnStudy *study, const TnReplayLog *log, TnFindings *findings)
{
  char free_bytes[SIZE];
  if (!study->reserved || study->device->pool || !log || log->n_spaces < 2)
    return;
  g_autoptr(TnReplayLog) merged = merged_log_new(study);
  TnReplayParams params = {.model = tn_allocator_models()[0], .settings = log->recorded,
                           .limit = limit_of(log), .stop_after_failed = true};
  tn_bytes saving = saving_of(log, merged, &params);
  if ((double)saving < WORTH * (double)study->reserved->peak)
    return;
  g_autoptr(TnHoles) holes = tn_holes_new(study, study->reserved->peak_at);
  TnFinding *finding = tn_findings_add(
      findings, "cross-stream", TN_SEVERITY_WARNING,
      "%u pools and streams keep caches of their own, which can't serve each other: %s are free in "
      "them at the reserved peak",
      log->n_spaces, print(free_bytes, holes->free_bytes));
  finding->hint = g_strdup("Allocate on one stream and let the others record it, or share the pool.");
  finding->at = study->reserved->peak_at;
  finding->bytes = holes->free_bytes;
  finding->saving_bytes = saving;
}

/* ---- repeats ------------------------------------------------------------------------------- */

typedef struct {
  uint32_t site, n, first;
  tn_bytes bytes, sum;
  tn_tick last_end;
} Repeat;

static int
compare_repeats(const void *a, const void *b)
{
  const Repeat *x = a, *y = b;
  if (x->sum != y->sum)
    return x->sum < y->sum ? 1 : -1;
  return (x->first > y->first) - (x->first < y->first);
}

/* Per site and size, how often one was taken after the one before was gone. */
static GArray *
repeats_new(const TnStudy *study, const TnCallSites *sites)
{
  const TnBuffers *b = study->buffers;
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Repeat));
  g_autoptr(GHashTable) row_of = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t site = tn_call_sites_of(sites, tn_buffers_stack(b, i));
    gint64 key = (gint64)site * 0x9E3779B97F4A7C15LL ^ b->bytes[i];
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(row_of, &key));
    if (!site)
      continue;
    if (!row) {
      Repeat fresh = {.site = site, .first = i, .bytes = b->bytes[i]};
      g_array_append_val(rows, fresh);
      row = rows->len;
      g_hash_table_insert(row_of, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(row));
    }
    Repeat *repeat = &g_array_index(rows, Repeat, row - 1);
    if (b->start[i] >= repeat->last_end) {
      repeat->n++;
      repeat->sum += b->bytes[i];
    }
    repeat->last_end = MAX(repeat->last_end, b->end[i]);
  }
  if (rows->len)
    qsort(rows->data, rows->len, sizeof(Repeat), compare_repeats);
  return rows;
}

void
tn_find_repeats(const TnStudy *study, TnFindings *findings)
{
  g_autoptr(TnCallSites) own = NULL;
  const TnCallSites *sites = sites_of(study, &own);
  g_autoptr(GArray) rows = repeats_new(study, sites);
  for (guint i = 0, n = 0; i < rows->len && n < 3; i++) {
    const Repeat *repeat = &g_array_index(rows, Repeat, i);
    char size[SIZE], sum[SIZE];
    if (repeat->n < LEAST_REPEATS || (double)repeat->bytes < WORTH * (double)study->live->peak)
      continue;
    n++;
    TnFinding *finding = tn_findings_add(
        findings, "repeated-allocation", TN_SEVERITY_NOTE,
        "%s takes %s again and again, %u times, each after the one before was freed (%s in all)",
        tn_call_sites_name(sites, repeat->site), print(size, repeat->bytes), repeat->n,
        print(sum, repeat->sum));
    finding->hint = g_strdup("One buffer that is kept, or an out= argument, would do; look whether "
                             "the same result is computed more than once.");
    finding->at = study->buffers->start[repeat->first];
    finding->bytes = repeat->sum;
    tn_finding_add_buffer(finding, repeat->first);
  }
}
