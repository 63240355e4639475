/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/study.h"

#include "analysis/batch-sum.h"
#include "analysis/regions.h"
#include "analysis/reserved.h"
#include "analysis/segment-lives.h"
#include "analysis/sizes-fit.h"
#include "data/error.h"
#include "data/runtime.h"

static bool
fail_sum(const TnDocument *document, GError **error)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
              "%s: the sum of the sizes does not fit into 64 bits", document->shown_path);
  return false;
}

/* Points of one kind of total; what is not said stays as it was.  NULL where it is never said. */
static TnCurve *
sampled_curve(const GArray *samples, bool is_reserved, tn_tick end)
{
  g_autofree tn_tick *tick = g_new(tn_tick, (gsize)samples->len + 1);
  g_autofree tn_bytes *value = g_new(tn_bytes, (gsize)samples->len + 1);
  uint32_t n = 1;
  bool is_said = false;
  tick[0] = value[0] = 0;
  for (guint i = 0; i < samples->len; i++) {
    const TnSample *sample = &g_array_index(samples, TnSample, i);
    tn_bytes bytes = is_reserved ? sample->reserved : sample->allocated;
    if (bytes < 0)
      continue;
    is_said = true;
    /* What is said behind the last event is so at its end. */
    tn_tick at = MIN(sample->tick, end - 1);
    n += at > tick[n - 1];
    tick[n - 1] = at;
    value[n - 1] = bytes;
  }
  return is_said ? tn_curve_new(tick, value, n, end) : NULL;
}

static bool
load_log(TnStudy *study, TnProgress *progress, GError **error)
{
  study->log = tn_log_lives_new(study->device, progress);
  if (!study->log) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped",
                study->document->shown_path);
    return false;
  }
  study->is_log = true;
  study->buffers = study->log->buffers;
  if (!tn_sizes_fit(study->device, study->buffers)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                "%s: the sizes of the log add up to more than 2 EiB, which no memory holds", study->document->shown_path);
    return false;
  }
  study->axis_end = tn_log_axis_end(study->device);
  study->before_bytes = study->log->before_bytes;
  study->n_before = study->log->n_before;
  study->n_not_in_segments = study->log->n_not_in_segments;
  study->reserved = study->device->pool
                        ? sampled_curve(study->device->pool, true, study->axis_end)
                        : tn_reserved_curve_new(study->device);
  study->n_spaces = MAX(study->device->spaces->len, 1u);
  return true;
}

static bool
round_sizes(TnStudy *study, tn_bytes step, GError **error)
{
  if (step <= 1)
    return true;
  study->owned_buffers = tn_buffers_copy(study->buffers);
  tn_buffers_need(study->owned_buffers, TN_COLUMN_REQUESTED);
  tn_bytes *bytes = study->owned_buffers->bytes;
  for (uint32_t i = 0; i < study->owned_buffers->n; i++)
    if (!tn_round_up(bytes[i], step, &bytes[i]))
      return fail_sum(study->document, error);
  study->buffers = study->owned_buffers;
  return true;
}

/* Each space's own arena: its highest end, or more where the file says so of its only space.  What has no
 * bytes lies in no arena, wherever it is said to be. */
static bool
measure_arena(TnStudy *study, GError **error)
{
  const TnBuffers *b = study->buffers;
  study->space_arena = g_new0(tn_bytes, study->n_spaces);
  bool is_placed = false;
  for (uint32_t i = 0; i < b->n; i++) {
    tn_bytes end, *arena = &study->space_arena[MIN(tn_buffers_space(b, i), study->n_spaces - 1)];
    if (study->offset[i] == TN_NOT_PLACED)
      continue;
    if (!tn_add(study->offset[i], b->bytes[i], &end))
      return fail_sum(study->document, error);
    if (b->bytes[i] > 0)
      *arena = MAX(*arena, end);
    is_placed = true;
  }
  study->arena_bytes = is_placed ? 0 : TN_BYTES_UNKNOWN;
  for (uint32_t s = 0; s < study->n_spaces && is_placed; s++)
    if (!tn_add(study->arena_bytes, study->space_arena[s], &study->arena_bytes))
      return fail_sum(study->document, error);
  return true;
}

static bool
load_plan(TnStudy *study, const TnStudyParams *params, GError **error)
{
  static const TnBuffers none = {0};
  study->buffers = study->device->buffers ? study->device->buffers : &none;
  study->axis_end = MAX(study->device->axis_end, (tn_tick)1);
  study->n_spaces = study->device->space_names ? MAX(study->device->space_names->len, 1u) : 1;
  return round_sizes(study, params->alignment, error);
}

static bool
load_graph(TnStudy *study, const TnStudyParams *params, GError **error)
{
  TnGraphLifetimeParams graph = params->graph;
  graph.alignment = params->alignment;
  const TnRuntime *runtime = graph.preset ? tn_runtimes_find(graph.preset) : NULL;
  study->preset = runtime ? runtime->name : NULL;
  study->owned_graph_lives =
      tn_graph_lives_new(study->document->graph, study->document->strings, &graph, error);
  if (!study->owned_graph_lives)
    return false;
  study->graph_lives = study->owned_graph_lives;
  study->buffers = study->graph_lives->buffers;
  study->row_of = study->graph_lives->row_of;
  study->axis_end = study->graph_lives->axis_end;
  study->resident_bytes = study->graph_lives->resident_bytes;
  study->input_bytes = study->graph_lives->input_bytes;
  study->output_bytes = study->graph_lives->output_bytes;
  study->alignment = study->graph_lives->alignment;
  study->n_spaces = 1;
  return true;
}

/* Totals only: curves without buffers. */
static void
load_samples(TnStudy *study)
{
  static const TnBuffers none = {0};
  static const tn_tick zero;
  study->is_log = true;
  study->buffers = &none;
  study->n_spaces = 1;
  study->axis_end = MAX(study->device->axis_end, (tn_tick)1);
  study->reserved = sampled_curve(study->device->samples, true, study->axis_end);
  study->live = sampled_curve(study->device->samples, false, study->axis_end);
  if (!study->live)
    study->live = tn_curve_new(&zero, &zero, 1, study->axis_end);
}

static bool
load(TnStudy *study, const TnStudyParams *params, TnProgress *progress, GError **error)
{
  if (study->device->samples) {
    load_samples(study);
    return true;
  }
  if (study->document->kind == TN_DOCUMENT_LOG)
    return load_log(study, progress, error);
  if (study->document->graph && !study->device->buffers)
    return load_graph(study, params, error);
  study->resident_bytes = study->document->resident_bytes;
  return load_plan(study, params, error);
}

static bool
sum_up(TnStudy *study, GError **error)
{
  const TnBuffers *b = study->buffers;
  tn_bytes requested = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    if (!tn_add(study->no_reuse_bytes, b->bytes[i], &study->no_reuse_bytes) ||
        !tn_add(requested, MAX(tn_buffers_requested(b, i), 0), &requested))
      return fail_sum(study->document, error);
    study->n_unsized += (b->flags[i] & TN_BUFFER_UNSIZED) != 0;
  }
  if (!study->live)
    study->live = tn_curve_new_for_buffers(b, study->axis_end);
  return study->live || fail_sum(study->document, error);
}

TnStudy *
tn_study_new(const TnDocument *document,
             uint32_t device_row,
             const TnStudyParams *params,
             TnProgress *progress,
             GError **error)
{
  g_autoptr(TnStudy) study = g_new0(TnStudy, 1);
  study->references = 1;
  study->document = document;
  study->device_row = device_row;
  study->device = tn_document_get_device(document, device_row);
  study->arena_bytes = study->input_bytes = study->output_bytes = TN_BYTES_UNKNOWN;
  study->alignment = params->alignment;
  if (!load(study, params, progress, error))
    return NULL;
  study->offset = study->buffers->offset;
  if (!study->is_log && !measure_arena(study, error))
    return NULL;
  study->clock = tn_clock_new(study->device, study->axis_end);
  return sum_up(study, error) ? g_steal_pointer(&study) : NULL;
}

static void
prepare_segments(TnStudy *study)
{
  study->segments = tn_segment_lives_new(study->device);
  study->segment_index = tn_live_index_new(study->segments);
  study->segment_place = tn_address_map_places_new(study->map, study->segments);
}

/* Lets go of what the pictures need; a preparation that was cancelled leaves a part of it. */
static void
drop_pictures(TnStudy *study)
{
  g_clear_pointer(&study->index, tn_live_index_free);
  g_clear_pointer(&study->segment_index, tn_live_index_free);
  g_clear_pointer(&study->segments, tn_buffers_free);
  g_clear_pointer(&study->segment_place, g_free);
  g_clear_pointer(&study->map, tn_address_map_free);
  g_clear_pointer(&study->regions, tn_regions_free);
  g_clear_pointer(&study->lanes, tn_lanes_free);
  g_clear_pointer(&study->sites, tn_call_sites_free);
  g_clear_pointer(&study->categories, tn_categories_free);
}

static TnCategories *
build_categories(const TnStudy *study, TnGrouping grouping)
{
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  tn_batch_sum_keep(study->buffers, alive, study->live->peak_at);
  return tn_categories_new(study->document, study->device, study->buffers, study->sites,
                           (const uint32_t *)(void *)alive->data, alive->len, grouping);
}

#define WORTH_A_THREAD 100000 /* buffers: their lanes take longer than a thread to begin */

static gpointer
make_lanes(gpointer buffers)
{
  return tn_lanes_new(buffers);
}

/* What stands on the addresses; cancelled in between. */
static bool
prepare_maps(TnStudy *study, TnProgress *progress)
{
  study->index = tn_live_index_new(study->buffers);
  if (tn_progress_is_cancelled(progress))
    return false;
  study->map = study->is_log
                   ? tn_address_map_new_for_log(study->device, study->buffers)
                   : tn_address_map_new_for_plan(study->buffers, study->offset, study->n_spaces);
  if (tn_progress_is_cancelled(progress))
    return false;
  if (study->is_log)
    prepare_segments(study);
  else
    study->regions = tn_regions_new(study);
  return true;
}

bool
tn_study_prepare(TnStudy *study, TnGrouping grouping, TnProgress *progress)
{
  if (study->is_prepared)
    return true;
  drop_pictures(study);
  tn_progress_report(progress, 0.0, "Preparing the pictures");
  /* Lanes need nothing of the maps. */
  GThread *beside = study->buffers->n >= WORTH_A_THREAD
                        ? g_thread_try_new("lanes", make_lanes, (gpointer)study->buffers, NULL)
                        : NULL;
  bool is_whole = prepare_maps(study, progress);
  if (beside)
    study->lanes = g_thread_join(beside);
  if (!is_whole)
    return false;
  tn_progress_report(progress, 0.5, "Preparing the pictures");
  if (!study->lanes)
    study->lanes = tn_lanes_new(study->buffers);
  study->sites = tn_call_sites_new(study->document);
  study->categories = build_categories(study, grouping);
  study->is_prepared = true;
  return !tn_progress_is_cancelled(progress);
}

TnStudy *
tn_study_new_with_offsets(const TnStudy *from,
                          const tn_bytes *offset,
                          const tn_bytes *space_arena,
                          uint32_t n_spaces)
{
  TnStudy *study = g_new0(TnStudy, 1);
  study->references = 1;
  study->document = from->document;
  study->device = from->device;
  study->device_row = from->device_row;
  study->owned_buffers = tn_buffers_copy(from->buffers);
  study->buffers = study->owned_buffers;
  study->owned_offset = g_memdup2(offset, sizeof *offset * from->buffers->n);
  study->offset = study->owned_offset;
  if (from->row_of)
    study->row_of = study->owned_row_of =
        g_memdup2(from->row_of, sizeof *from->row_of * from->document->graph->tensors->len);
  study->preset = from->preset;
  study->axis_end = from->axis_end;
  study->clock = tn_clock_new(from->device, from->axis_end);
  study->before_bytes = from->before_bytes;
  study->no_reuse_bytes = from->no_reuse_bytes;
  study->resident_bytes = from->resident_bytes;
  study->input_bytes = from->input_bytes;
  study->output_bytes = from->output_bytes;
  study->alignment = from->alignment;
  study->n_before = from->n_before;
  study->n_unsized = from->n_unsized;
  study->n_spaces = MAX(n_spaces, 1u);
  study->space_arena = g_memdup2(space_arena, sizeof *space_arena * n_spaces);
  study->arena_bytes = 0;
  for (uint32_t s = 0; s < n_spaces; s++)
    study->arena_bytes += space_arena[s];
  study->live = tn_curve_new(from->live->tick, from->live->value, from->live->n, from->live->end);
  return study;
}

TnStudy *
tn_study_new_regrouped(TnStudy *from, TnGrouping grouping, bool has_group_lanes, TnLaneSort sort)
{
  TnStudy *root = from->parent ? from->parent : from;
  TnStudy *study = g_memdup2(root, sizeof *root);
  const TnGraph *graph = root->document->graph;
  bool has_uses = sort == TN_LANES_BY_IDLE && graph && graph->order && root->buffers->tensor;
  g_autofree TnUse *uses = has_uses ? tn_uses_new(graph, root->buffers) : NULL;
  study->references = 1;
  study->parent = tn_study_ref(root);
  study->categories = build_categories(root, grouping);
  study->lanes = tn_lanes_new_sorted(root->buffers, sort,
                                     has_group_lanes ? study->categories->group : NULL,
                                     study->categories->groups->len, uses);
  return study;
}

TnStudy *
tn_study_ref(TnStudy *study)
{
  g_atomic_int_inc(&study->references);
  return study;
}

void
tn_study_unref(TnStudy *study)
{
  if (!study || !g_atomic_int_dec_and_test(&study->references))
    return;
  if (study->parent) {
    tn_lanes_free(study->lanes);
    tn_categories_free(study->categories);
    tn_study_unref(study->parent);
    g_free(study);
    return;
  }
  tn_clock_free(study->clock);
  tn_curve_free(study->live);
  tn_curve_free(study->reserved);
  g_free(study->space_arena);
  drop_pictures(study);
  tn_buffers_free(study->owned_buffers);
  tn_log_lives_free(study->log);
  tn_graph_lives_free(study->owned_graph_lives);
  g_free(study->owned_offset);
  g_free(study->owned_row_of);
  g_free(study);
}

char *
tn_study_dup_label(const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  uint32_t name = tn_buffers_name(b, i);
  if (name)
    return g_strdup(tn_strings_get(study->document->strings, name));
  uint32_t site = study->sites ? tn_call_sites_of(study->sites, tn_buffers_stack(b, i)) : 0;
  if (site)
    return g_strdup(tn_call_sites_name(study->sites, site));
  if (b->kind[i] == TN_KIND_BEFORE)
    return g_strdup("before recording");
  if (b->kind[i] == TN_KIND_ALLOCATION)
    return g_strdup("no call stack");
  return g_strdup_printf("%s %u", tn_kind_name((TnBufferKind)b->kind[i]), i);
}

char *
tn_study_dup_totals(const TnStudy *study, TnUnits units)
{
  char size[48];
  if (!study->device->samples)
    return NULL;
  g_autofree char *name = tn_document_dup_device_label(study->document, study->device);
  g_autoptr(GString) text = g_string_new(name);
  if (study->live->peak > 0)
    g_string_append_printf(text, " · peak allocated %s",
                           tn_print_bytes(size, sizeof size, study->live->peak, units));
  if (study->reserved)
    g_string_append_printf(text, " · peak reserved %s",
                           tn_print_bytes(size, sizeof size, study->reserved->peak, units));
  g_string_append_printf(text, " · %u %s", study->device->samples->len,
                         tn_plural(study->device->samples->len, "sample", "samples"));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
tn_study_dup_no_clock(const TnStudy *study)
{
  if (study->clock)
    return NULL;
  if (study->device->axis == TN_AXIS_US)
    return g_strdup("The axis is the clock already: the file counts in microseconds.");
  return g_strdup_printf("The file records no times: its axis counts %ss.",
                         tn_axis_unit_name(study->device->axis));
}

char *
tn_study_dup_no_map(const TnStudy *study)
{
  const GPtrArray *accounts = study->document->accounts;
  if (study->buffers->n)
    return NULL;
  for (guint i = 0; i < accounts->len; i++) {
    const TnAccount *account = g_ptr_array_index(accounts, i);
    if (account->statement)
      return g_strdup(account->statement);
  }
  return g_strdup("No map can be drawn: the file records no buffer.");
}

bool
tn_study_device_has_content(const TnDocument *document, uint32_t device_row)
{
  const TnDevice *device = tn_document_get_device(document, device_row);
  if (document->kind != TN_DOCUMENT_LOG || device->events.n > 0 || device->marks->len > 0 ||
      device->samples)
    return true;
  for (guint i = 0; i < device->blocks->len; i++)
    if (g_array_index(device->blocks, TnBlock, i).state != TN_BLOCK_INACTIVE)
      return true;
  return false;
}

static uint64_t
weight_of(const TnDevice *device)
{
  bool has_oom = false;
  for (guint i = 0; i < device->marks->len; i++)
    has_oom |= g_array_index(device->marks, TnMark, i).kind == TN_MARK_OOM;
  uint64_t n = MAX(device->events.n, device->buffers ? device->buffers->n : 0);
  n = MAX(n, device->samples ? device->samples->len : 0);
  return (has_oom ? 1ull << 63 : 0) + (n << 24) + MIN(device->blocks->len, 0xffffffu);
}

uint32_t
tn_study_first_device(const TnDocument *document)
{
  uint32_t best = 0;
  uint64_t most = 0;
  for (guint i = 0; i < document->devices->len; i++) {
    uint64_t weight = weight_of(tn_document_get_device(document, i));
    if (weight > most) {
      most = weight;
      best = i;
    }
  }
  return best;
}
