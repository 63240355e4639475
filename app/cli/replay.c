/* SPDX-License-Identifier: MIT */
/* tenure-cli replay: a log's requests through a model of an allocator. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/replay/suggest.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *allocator, *device_memory;
  char **set;
  gboolean is_suggest, is_smallest;
} ReplayOptions;

static bool
apply_settings(const ReplayOptions *own, TnReplaySettings *settings)
{
  for (char **pair = own->set; pair && *pair; pair++) {
    g_autofree char *message = NULL;
    if (tn_replay_settings_set(settings, *pair, &message))
      continue;
    tn_cli_complain("--set %s", message);
    return false;
  }
  return true;
}

/* What is known of a row of static that is neither its best nor ruled out; NULL where nothing is to
 * be said. */
static char *
dup_note(const TnCommonOptions *options, const TnSuggestion *try)
{
  if (try->is_open)
    return g_strdup("no plan was found that fits, but none is ruled out");
  if (try->proved_bound < 0 || try->smallest_limit <= try->proved_bound)
    return NULL;
  g_autofree char *bound = tn_cli_size(options, try->proved_bound);
  return g_strdup_printf("the smallest plan found; it is proved only that none takes less than %s",
                         bound);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
add_settings(cJSON *object, const TnReplaySettings *s)
{
  g_autofree char *text = tn_replay_settings_format(s);
  cJSON *row = cJSON_AddObjectToObject(object, "settings");
  cJSON_AddBoolToObject(row, "expandable_segments", s->expandable_segments);
  tn_json_add_bytes(row, "max_split_size_bytes", s->max_split_size > 0 ? s->max_split_size : -1);
  cJSON_AddNumberToObject(row, "garbage_collection_threshold", s->garbage_collection_threshold);
  cJSON_AddStringToObject(row, "changed", text);
}

static void
add_ooms(cJSON *object, const TnReplayResult *result)
{
  cJSON *list = cJSON_AddArrayToObject(object, "ooms");
  for (guint i = 0; i < result->ooms->len; i++) {
    const TnReplayOom *oom = &g_array_index(result->ooms, TnReplayOom, i);
    cJSON *row = cJSON_CreateObject();
    tn_json_add_integer(row, "at", oom->event);
    tn_json_add_bytes(row, "requested_bytes", oom->bytes > 0 ? oom->bytes : -1);
    tn_json_add_bytes(row, "reserved_bytes", oom->reserved);
    tn_json_add_bytes(row, "allocated_bytes", oom->allocated);
    tn_json_add_bytes(row, "device_free_bytes", oom->device_free);
    tn_json_add_bytes(row, "needed_bytes", oom->bytes > 0 ? MAX(oom->needed, oom->bytes) : -1);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_suggestion(cJSON *row, const TnCommonOptions *options, const TnSuggestion *try)
{
  g_autofree char *note = dup_note(options, try);
  cJSON_AddStringToObject(row, "allocator", try->model->name);
  cJSON_AddStringToObject(row, "settings", try->text);
  cJSON_AddBoolToObject(row, "passes", try->passes);
  tn_json_add_bytes(row, "reserved_peak_bytes", try->reserved_peak);
  tn_json_add_bytes(row, "allocated_peak_bytes", try->allocated_peak);
  tn_json_add_bytes(row, "smallest_device_memory_bytes", try->smallest_limit);
  if (!try->model->take)
    tn_json_add_bytes(row, "proved_bound_bytes", try->proved_bound);
  if (note)
    cJSON_AddStringToObject(row, "note", note);
}

static void
add_suggestions(cJSON *object, const TnCommonOptions *options, const TnSuggestions *suggestions)
{
  cJSON_AddStringToObject(object, "verdict", suggestions->sentence);
  cJSON *list = cJSON_AddArrayToObject(object, "suggestions");
  for (guint i = 0; i < suggestions->rows->len; i++) {
    cJSON *row = cJSON_CreateObject();
    add_suggestion(row, options, tn_suggestions_get(suggestions, i));
    cJSON_AddItemToArray(list, row);
  }
}

static void
print_json(const TnStudy *study,
           const TnCommonOptions *options,
           const TnReplayParams *params,
           const TnReplayResult *result,
           const TnReplaySmallest *smallest,
           const TnSuggestions *suggestions)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  tn_json_add_integer(object, "device", study->device->ordinal);
  cJSON_AddStringToObject(object, "allocator", params->model->name);
  add_settings(object, &params->settings);
  tn_json_add_bytes(object, "device_memory_bytes", params->limit > 0 ? params->limit : -1);
  tn_json_add_bytes(object, "reserved_peak_bytes", result->reserved_peak);
  tn_json_add_integer(object, "reserved_peak_at", result->reserved_peak_event);
  tn_json_add_bytes(object, "allocated_peak_bytes", result->allocated_peak);
  if (!params->model->take)
    tn_json_add_bytes(object, "proved_bound_bytes", result->proved_bound);
  tn_json_add_bytes(object, "recorded_reserved_peak_bytes", result->recorded_peak);
  cJSON_AddNumberToObject(object, "fragmentation_ratio", result->fragmentation);
  if (result->n_compared)
    cJSON_AddNumberToObject(object, "equal_ratio",
                            (double)result->n_equal / (double)result->n_compared);
  tn_json_add_integer(object, "requests", (int64_t)result->n_ops);
  cJSON_AddNumberToObject(object, "replay_seconds", result->seconds);
  if (smallest)
    tn_json_add_bytes(object, "smallest_device_memory_bytes", smallest->limit);
  if (smallest && !params->model->take)
    cJSON_AddBoolToObject(object, "smallest_is_proved",
                          smallest->limit >= 0 && smallest->limit <= smallest->proved_bound);
  add_ooms(object, result);
  if (suggestions)
    add_suggestions(object, options, suggestions);
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
}

/* ---- text ---------------------------------------------------------------------------------- */

static void
print_size(const TnCommonOptions *options, const char *what, tn_bytes bytes)
{
  g_autofree char *text = tn_cli_size(options, bytes);
  tn_say("%-22s %s\n", what, text);
}

static void
print_suggestions(const TnCommonOptions *options, const TnSuggestions *suggestions)
{
  tn_say("\n%s\n\n", suggestions->sentence);
  tn_say("%-7s %12s %12s  %s\n", "", "reserved", "needs", "settings");
  for (guint i = 0; i < suggestions->rows->len; i++) {
    const TnSuggestion *try = tn_suggestions_get(suggestions, i);
    g_autofree char *peak = tn_cli_size(options, try->reserved_peak);
    g_autofree char *least =
        try->smallest_limit >= 0 ? tn_cli_size_up(options, try->smallest_limit) : g_strdup("-");
    g_autofree char *note = dup_note(options, try);
    tn_say("%-7s %12s %12s  %s%s%s%s%s%s\n", try->passes ? "passes" : "fails", peak, least,
           try->model == tn_allocator_models()[0] ? "" : try->model->name,
           try->model == tn_allocator_models()[0] ? "" : ": ", try->text, note ? " (" : "",
           note ? note : "", note ? ")" : "");
  }
}

static void
print_oom(const TnCommonOptions *options, const TnReplayOom *oom)
{
  g_autofree char *wanted = tn_cli_size(options, oom->bytes);
  g_autofree char *held = tn_cli_size(options, oom->reserved);
  if (oom->bytes > 0)
    tn_say("%-22s at event %u: %s requested, %s reserved\n", "Out of memory", oom->event, wanted, held);
  else
    tn_say("%-22s before event %u: %s from before the recording are more than the device has\n",
           "Out of memory", oom->event, held);
}

/* Only what is proved is said of all plans. */
static void
print_no_plan(const TnCommonOptions *options, const TnReplayResult *result, tn_bytes limit)
{
  bool is_proved = result->proved_bound > limit;
  tn_bytes needed = is_proved ? result->proved_bound : result->reserved_peak;
  g_autofree char *wanted = tn_cli_size(options, needed);
  g_autofree char *lacking = tn_cli_size(options, needed - limit);
  g_autofree char *bound = tn_cli_size(options, result->proved_bound);
  if (is_proved)
    tn_say("%-22s even a plan needs %s, %s more than the device has\n", "Does not fit", wanted, lacking);
  else
    tn_say("%-22s the best plan found takes %s, %s more than the device has; "
           "it is proved only that none takes less than %s\n",
           "No plan found", wanted, lacking, bound);
}

static void
print_ooms(const TnCommonOptions *options, const TnReplayParams *params, const TnReplayResult *result)
{
  if (!params->model->take) {
    if (result->ooms->len > 0)
      print_no_plan(options, result, params->limit);
    return;
  }
  for (guint i = 0; i < MIN(result->ooms->len, 5u); i++)
    print_oom(options, &g_array_index(result->ooms, TnReplayOom, i));
  if (result->ooms->len > 5)
    tn_say("%-22s %u times more\n", "Out of memory", result->ooms->len - 5);
}

static void
print_smallest(const TnCommonOptions *options,
               const TnReplayParams *params,
               const TnReplaySmallest *smallest)
{
  if (smallest->limit < 0) {
    tn_say("%-22s %s\n", "Smallest device memory",
           params->model->take ? "none: up to 64 TiB a request fails"
                               : "unknown: no plan was found");
    return;
  }
  g_autofree char *text = tn_cli_size_up(options, smallest->limit);
  g_autofree char *bytes = tn_format_bytes(smallest->limit, TN_UNITS_BYTES);
  g_autofree char *bound = tn_cli_size(options, smallest->proved_bound);
  tn_bytes shown;
  bool is_exact = options->is_bytes || (tn_parse_bytes(text, &shown) && shown == smallest->limit);
  tn_say("%-22s %s", "Smallest device memory", text);
  if (!is_exact)
    tn_say(" (%s)", bytes);
  if (!params->model->take && smallest->limit > smallest->proved_bound)
    tn_say(": the smallest plan found; it is proved only that none takes less than %s", bound);
  tn_say("\n");
}

static void
print_text(const TnCommonOptions *options,
           const TnReplayParams *params,
           const TnReplayResult *result,
           const TnReplaySmallest *smallest)
{
  g_autofree char *settings = tn_replay_settings_format(&params->settings);
  tn_say("%-22s %s\n%-22s %s\n", "Allocator", params->model->title, "Settings", settings);
  if (params->limit > 0)
    print_size(options, "Device memory", params->limit);
  print_size(options, "Reserved peak", result->reserved_peak);
  print_size(options, "Recorded", result->recorded_peak);
  print_size(options, "Allocated peak", result->allocated_peak);
  tn_say("%-22s %.1f %%  of what is free at the peak is not in the largest hole\n", "Fragmentation",
         100.0 * result->fragmentation);
  if (result->n_compared)
    tn_say("%-22s at %.2f %% of %u events\n", "Reserved as recorded",
           100.0 * result->n_equal / result->n_compared, result->n_compared);
  if (smallest)
    print_smallest(options, params, smallest);
  print_ooms(options, params, result);
}

static TnExit
replay_study(const TnStudy *study, const TnCommonOptions *common, const ReplayOptions *own)
{
  tn_bytes device;
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = tn_allocator_models_find(
                               own->allocator ? own->allocator : "caching"),
                           .settings = log->recorded};
  if (!params.model) {
    tn_cli_complain("--allocator %s: expected caching, bfc, scalable, buddy, first-fit, best-fit or static",
                    own->allocator);
    return TN_EXIT_USAGE;
  }
  if (!apply_settings(own, &params.settings) ||
      !tn_cli_parse_budget("--device-memory", own->device_memory, &device))
    return TN_EXIT_USAGE;
  params.limit = device > 0 ? device : log->limit;
  params.seeds_requested =
      params.settings.expandable_segments != log->recorded.expandable_segments;
  params.wants_least = own->is_smallest;
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  TnReplaySmallest found = {0};
  if (own->is_smallest)
    found = tn_replay_find_smallest(log, &params, result, NULL);
  /* A device that holds nothing is none. */
  const TnReplaySmallest *smallest = found.limit != 0 ? &found : NULL;
  g_autoptr(TnSuggestions) suggestions =
      own->is_suggest
          ? tn_suggestions_new(log, device > 0 ? device : log->limit_at_oom, true, NULL)
          : NULL;
  if (common->is_json) {
    print_json(study, common, &params, result, smallest, suggestions);
  } else {
    print_text(common, &params, result, smallest);
    if (suggestions)
      print_suggestions(common, suggestions);
  }
  return result->ooms->len > 0 || result->reserved_peak < 0 ? TN_EXIT_NO : TN_EXIT_DONE;
}

/* A dump says what is there, not who asked for it and when. */
static bool
has_requests(const TnDevice *device)
{
  for (uint32_t i = 0; i < device->events.n; i++)
    if (device->events.action[i] == TN_EVENT_ALLOC)
      return true;
  return false;
}

static TnExit
replay_file(const char *path, const TnCommonOptions *common, const ReplayOptions *own)
{
  TnExit code;
  g_autoptr(TnDocument) document = tn_cli_load(path, common, &code);
  if (!document)
    return code;
  if (document->kind != TN_DOCUMENT_LOG) {
    tn_cli_complain("%s: replay needs the log of an allocator, this is a %s", path,
                    tn_document_kind_name(document->kind));
    return TN_EXIT_USAGE;
  }
  g_autoptr(TnStudy) study = tn_cli_study(document, common, &code);
  if (!study)
    return code;
  if (!has_requests(study->device)) {
    tn_cli_complain("%s: replay needs the requests over time, this log is a dump of one moment "
                    "(`check` says why its request failed)",
                    path);
    return TN_EXIT_USAGE;
  }
  tn_cli_add_study_warnings(document, study);
  if (study->device->spaces->len > TN_REPLAY_MOST_SPACES)
    tn_diagnostics_add(document->diagnostics, "shared-pools",
                       study->device->spaces->len - TN_REPLAY_MOST_SPACES,
                       "the log has %u streams and pools: from number %d on they share one in the model of the allocator",
                       study->device->spaces->len, TN_REPLAY_MOST_SPACES);
  tn_cli_print_warnings(document->diagnostics);
  return replay_study(study, common, own);
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  ReplayOptions own = {0};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"allocator", 0, 0, G_OPTION_ARG_STRING, &own.allocator,
       "caching (default), bfc, scalable, buddy, first-fit, best-fit or static", "NAME"},
      {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &own.set,
       "A setting, such as expandable_segments=True or max_split_size_mb=128", "KEY=VALUE"},
      {"device-memory", 0, 0, G_OPTION_ARG_STRING, &own.device_memory,
       "What the allocator may take (default: as the log's failed request tells, else no limit)",
       "SIZE"},
      {"suggest", 0, 0, G_OPTION_ARG_NONE, &own.is_suggest,
       "Try settings, and say which would have passed", NULL},
      {"smallest", 0, 0, G_OPTION_ARG_NONE, &own.is_smallest,
       "Find the smallest device memory that suffices", NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_replay, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = replay_file(files[0], &common, &own);
  tn_common_options_clear(&common);
  g_free(own.allocator);
  g_free(own.device_memory);
  g_strfreev(own.set);
  return code;
}

const TnCommand tn_command_replay = {"replay", "LOG", "Run a log through another allocator", run};
