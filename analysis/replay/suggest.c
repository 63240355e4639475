/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/replay/suggest.h"

#include "analysis/replay/models.h"
#include "data/units.h"

#include <string.h>

#define MIB ((tn_bytes)1 << 20)
#define N_THREADS 2
#define MOST_PLANNED 100000 /* buffers: a plan of more takes too long beside the rest */

/* ---- the grid ------------------------------------------------------------------------------ */

/* Each is set on top of the recorded settings. */
static const char *const grid[][3] = {
    {"expandable_segments=True"},
    {"max_split_size_mb=21"},
    {"max_split_size_mb=32"},
    {"max_split_size_mb=64"},
    {"max_split_size_mb=128"},
    {"max_split_size_mb=256"},
    {"max_split_size_mb=512"},
    {"roundup_power2_divisions=16"},
    {"roundup_power2_divisions=8"},
    {"roundup_power2_divisions=4"},
    {"garbage_collection_threshold=0.6"},
    {"garbage_collection_threshold=0.8"},
    {"garbage_collection_threshold=0.9"},
    {"max_split_size_mb=64", "garbage_collection_threshold=0.8"},
    {"max_split_size_mb=128", "garbage_collection_threshold=0.8"},
    {"max_split_size_mb=64", "roundup_power2_divisions=8"},
    {"max_split_size_mb=128", "roundup_power2_divisions=8"},
    {"expandable_segments=True", "roundup_power2_divisions=16"},
    {"expandable_segments=True", "garbage_collection_threshold=0.8"},
};

static bool
has_row(const TnSuggestions *s, const TnSuggestion *row)
{
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *had = tn_suggestions_get(s, i);
    if (had->model == row->model && memcmp(&had->settings, &row->settings, sizeof row->settings) == 0)
      return true;
  }
  return false;
}

static void
add_row(TnSuggestions *s, const TnReplayLog *log, const TnAllocatorModel *model,
        const char *const *pairs)
{
  TnSuggestion row = {.model = model,
                      .settings = log->recorded,
                      .is_recorded = !pairs && model == &tn_allocator_caching,
                      .proved_bound = TN_BYTES_UNKNOWN,
                      .smallest_limit = TN_BYTES_UNKNOWN};
  for (int i = 0; pairs && i < 3 && pairs[i]; i++) {
    g_autofree char *message = NULL;
    tn_replay_settings_set(&row.settings, pairs[i], &message);
  }
  if (has_row(s, &row))
    return; /* that is how it ran, or the same as another on top of how it ran */
  row.seeds_requested = row.settings.expandable_segments != log->recorded.expandable_segments;
  row.text = model == &tn_allocator_caching ? tn_replay_settings_format(&row.settings)
                                            : g_strdup("all lives known");
  g_array_append_val(s->rows, row);
}

static void
clear_row(gpointer data)
{
  g_free(((TnSuggestion *)data)->text);
}

/* ---- running it ---------------------------------------------------------------------------- */

typedef struct {
  const TnReplayLog *log;
  TnSuggestions *suggestions;
  TnProgress *progress;
  bool is_listed;
  gint next; /* row, shared */
} Work;

static void
try_row(const Work *work, TnSuggestion *row)
{
  TnReplayParams params = {.model = row->model,
                           .settings = row->settings,
                           .limit = work->suggestions->limit,
                           .stop_at_oom = true,
                           .stop_after_failed = true,
                           .seeds_requested = row->seeds_requested,
                           .wants_least = work->is_listed};
  g_autoptr(TnReplayResult) result = tn_replay_run(work->log, &params, work->progress);
  row->passes = result->ooms->len == 0 && result->reserved_peak >= 0 && !result->is_cancelled;
  row->reserved_peak = result->reserved_peak;
  row->allocated_peak = result->allocated_peak;
  row->proved_bound = result->proved_bound;
  row->is_open =
      result->ooms->len > 0 && result->proved_bound >= 0 && result->proved_bound <= params.limit;
  if (!work->is_listed || !(row->passes || row->is_recorded))
    return;
  TnReplaySmallest smallest = tn_replay_find_smallest(work->log, &params, result, work->progress);
  row->smallest_limit = smallest.limit;
  row->proved_bound = smallest.proved_bound;
}

static gpointer
work_on(gpointer data)
{
  Work *work = data;
  GArray *rows = work->suggestions->rows;
  for (;;) {
    guint i = (guint)g_atomic_int_add(&work->next, 1);
    if (i >= rows->len || tn_progress_is_cancelled(work->progress))
      return NULL;
    try_row(work, &g_array_index(rows, TnSuggestion, i));
  }
}

static void
run_grid(Work *work)
{
  GThread *threads[N_THREADS - 1];
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("replay", work_on, work);
  work_on(work);
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
}

/* ---- what it says -------------------------------------------------------------------------- */

/* Passing ones first, those with fewer bytes reserved before others; the recorded ones as they
 * fall. */
static int
compare_rows(const void *a, const void *b)
{
  const TnSuggestion *x = a, *y = b;
  if (x->passes != y->passes)
    return x->passes ? -1 : 1;
  if ((x->model == y->model) == false)
    return x->model == &tn_allocator_static ? 1 : -1;
  if (x->passes && x->reserved_peak != y->reserved_peak)
    return x->reserved_peak < y->reserved_peak ? -1 : 1;
  return strcmp(x->text, y->text);
}

/* Alive when the request failed, with it. */
static tn_bytes
needed_bytes(const TnReplayLog *log)
{
  const TnCurve *live = log->study->live;
  if (log->last_oom == TN_NONE)
    return live->peak;
  const TnReplayOp *op = &g_array_index(log->ops, TnReplayOp, log->last_oom);
  return tn_add_saturated(tn_curve_at(live, op->event), op->bytes);
}

/* The recorded settings, where the model serves the request with them. */
static const TnSuggestion *
find_recorded_passing(const TnSuggestions *s)
{
  for (guint i = 0; i < s->rows->len; i++)
    if (tn_suggestions_get(s, i)->is_recorded && tn_suggestions_get(s, i)->passes)
      return tn_suggestions_get(s, i);
  return NULL;
}

/* What passes as it ran is no one's merit. */
static char *
dup_passing_sentence(const TnReplayLog *log, const TnSuggestions *s, const TnSuggestion *recorded)
{
  char peak[48], device[48];
  bool was_refused = log->last_oom != TN_NONE && s->limit == log->limit_at_oom;
  tn_print_bytes(peak, sizeof peak, recorded->reserved_peak, TN_UNITS_IEC);
  tn_print_bytes(device, sizeof device, s->limit, TN_UNITS_IEC);
  /* The run ends behind that request: what fails later was not asked. */
  if (!was_refused)
    return g_strdup_printf("As recorded %s on a device with %s: %s reserved at the peak. "
                           "No other setting is needed.",
                           log->last_oom != TN_NONE ? "the request is served" : "nothing fails", device,
                           peak);
  return g_strdup_printf("As recorded the model serves the request too, with %s reserved at the "
                         "peak, of the %s that the device had: what refused it is not in the log "
                         "(a memory fraction, others on the device), so no setting is suggested.",
                         peak, device);
}

static char *
dup_sentence(const TnReplayLog *log, const TnSuggestions *s)
{
  char needed[48], device[48], peak[48];
  tn_print_bytes(needed, sizeof needed, s->needed, TN_UNITS_IEC);
  tn_print_bytes(device, sizeof device, s->limit, TN_UNITS_IEC);
  if (s->limit == 0)
    return g_strdup("No limit of the device is known, so nothing fails; "
                    "--device-memory sets one.");
  if (s->needs_more)
    return g_strdup_printf("No setting would have helped: what was alive with the request, %s, is "
                           "more than the %s that the device had for it.", needed, device);
  const TnSuggestion *recorded = find_recorded_passing(s);
  if (recorded)
    return dup_passing_sentence(log, s, recorded);
  if (s->n_passing == 0)
    return g_strdup_printf("None of the %u settings tried would have passed, though what was alive "
                           "with the request, %s, is less than the %s that the device had.",
                           s->n_tried, needed, device);
  const TnSuggestion *best = NULL;
  /* The plan and the recorded settings are no suggestions. */
  for (guint i = 0; i < s->rows->len && !best; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    if (row->passes && !row->is_recorded && row->model == &tn_allocator_caching)
      best = row;
  }
  return g_strdup_printf("With %s the request would have been served: %s reserved at the peak, of "
                         "the %s that the device had. %u of the %u settings tried pass.%s",
                         best->text, tn_print_bytes(peak, sizeof peak, best->reserved_peak,
                                                    TN_UNITS_IEC),
                         device, s->n_passing, s->n_tried,
                         best->settings.garbage_collection_threshold > 0
                             ? " Garbage is collected only where "
                               "torch.cuda.set_per_process_memory_fraction was called."
                             : "");
}

TnSuggestions *
tn_suggestions_new(const TnReplayLog *log, tn_bytes limit, bool is_listed, TnProgress *progress)
{
  TnSuggestions *s = g_new0(TnSuggestions, 1);
  Work work = {.log = log,
               .suggestions = s,
               .progress = progress,
               .is_listed = is_listed};
  s->limit = limit;
  s->needed = needed_bytes(log);
  s->needs_more = limit > 0 && s->needed > limit;
  s->rows = g_array_new(FALSE, TRUE, sizeof(TnSuggestion));
  g_array_set_clear_func(s->rows, clear_row);
  add_row(s, log, &tn_allocator_caching, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(grid); i++)
    add_row(s, log, &tn_allocator_caching, grid[i]);
  if (is_listed && log->study->buffers->n <= MOST_PLANNED)
    add_row(s, log, &tn_allocator_static, NULL);
  run_grid(&work);
  g_array_sort(s->rows, compare_rows);
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    s->n_tried += !row->is_recorded && row->model == &tn_allocator_caching;
    s->n_passing += row->passes && !row->is_recorded && row->model == &tn_allocator_caching;
  }
  s->sentence = dup_sentence(log, s);
  return s;
}

void
tn_suggestions_free(TnSuggestions *suggestions)
{
  if (!suggestions)
    return;
  g_array_unref(suggestions->rows);
  g_free(suggestions->sentence);
  g_free(suggestions);
}
