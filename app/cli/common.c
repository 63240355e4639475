/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/inside-ops.h"
#include "app/cli/cli.h"

#include "data/edited-document.h"
#include "data/error.h"
#include "data/graph-edit.h"
#include "data/graph-order.h"
#include "data/runtime.h"
#include "data/units.h"
#include "data/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
tn_cli_complain(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  tn_say_error("tenure-cli: %s\n", text);
}

/* ---- loading ----------------------------------------------------------------------------------- */

static GHashTable *
parse_pairs(const char *option, char **list, bool *out_is_good)
{
  GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (; list && *list; list++) {
    const char *equals = strrchr(*list, '=');
    char *end = NULL;
    if (equals)
      strtoll(equals + 1, &end, 10);
    if (!equals || equals == *list || end == equals + 1 || *end) {
      tn_cli_complain("%s %s: expected NAME=N with a whole number", option, *list);
      *out_is_good = false;
      break;
    }
    g_hash_table_insert(table, g_strndup(*list, (gsize)(equals - *list)), g_strdup(equals + 1));
  }
  return table;
}

bool
tn_cli_parse_size(const char *option, const char *text, tn_bytes *out_bytes)
{
  *out_bytes = 0;
  if (!text || tn_parse_bytes(text, out_bytes))
    return true;
  tn_cli_complain("%s %s: expected a size such as 512, 64KiB or 1.5GiB", option, text);
  return false;
}

bool
tn_cli_parse_budget(const char *option, const char *text, tn_bytes *out_bytes)
{
  if (!tn_cli_parse_size(option, text, out_bytes))
    return false;
  if (!text || *out_bytes > 0)
    return true;
  tn_cli_complain("%s %s: expected more than 0 bytes", option, text);
  return false;
}

bool
tn_cli_check_time_limit(double seconds)
{
  if (seconds >= 0.0 && seconds <= 1e9)
    return true;
  tn_cli_complain("--time-limit: expected seconds, 0 or more");
  return false;
}

static bool
fill_options(const TnCommonOptions *options, TnReadOptions *read)
{
  bool is_good = true;
  tn_bytes limit;
  if (options->format && !tn_readers_find(options->format)) {
    tn_cli_complain("--format %s: no such format; `tenure-cli formats` lists the names",
                    options->format);
    is_good = false;
  }
  if (options->preset && !tn_runtimes_find(options->preset)) {
    tn_cli_complain("--preset %s: no such runtime; expected onnxruntime, tflite, tflm or ge",
                    options->preset);
    is_good = false;
  }
  read->format = options->format;
  read->is_partial_wanted = options->is_partial;
  read->preset = options->preset;
  read->bindings = parse_pairs("--bind", options->bind, &is_good);
  read->values = parse_pairs("--value", options->value, &is_good);
  is_good &= tn_cli_parse_size("--memory-limit", options->memory_limit, &limit);
  read->memory_limit = (gsize)limit;
  return is_good;
}

/* What-if edits make another document; the file stays as it is. */
static TnDocument *
apply_edits(TnDocument *document, const char *path, GError **error)
{
  g_autoptr(TnDocument) whole = document;
  if (!document || !path)
    return g_steal_pointer(&whole);
  g_autoptr(GPtrArray) edits = tn_graph_edits_load(path, error);
  return edits ? tn_document_new_edited(document, edits, error) : NULL;
}

/* What came from standard input is no file, also where one lies here that is called so. */
static void
note_path(TnDocument *document, const char *path)
{
  if (!document)
    return;
  g_free(document->path);
  document->path = g_strdup(path);
}

TnDocument *
tn_cli_load(const char *path, const TnCommonOptions *options, TnExit *out_exit)
{
  TnReadOptions read = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = NULL;
  *out_exit = TN_EXIT_USAGE;
  if (path[0] == '\0') {
    tn_cli_complain("the FILE has an empty name; expected a path, or - for standard input");
    return NULL;
  }
  if (fill_options(options, &read)) {
    document = apply_edits(tn_document_load(path, &read, &error), options->edits, &error);
    note_path(document, path);
    *out_exit = document ? TN_EXIT_DONE : TN_EXIT_INPUT;
  }
  g_hash_table_unref(read.bindings);
  g_hash_table_unref(read.values);
  if (error)
    tn_cli_complain("%s%s", error->message,
                    !options->is_partial &&
                            g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED)
                        ? "; --partial takes what stands before it"
                        : "");
  return document;
}

static bool
complain_choice(const char *option, const char *value, const char *choices)
{
  tn_cli_complain("%s %s: expected %s", option, value, choices);
  return false;
}

bool
tn_cli_lifetime_params(const TnCommonOptions *o, TnGraphLifetimeParams *out_params)
{
  *out_params = (TnGraphLifetimeParams)TN_GRAPH_LIFETIME_PARAMS_INIT;
  out_params->no_workspace = o->no_workspace;
  out_params->preset = o->preset;
  out_params->order = o->order;
  if (o->lifetime_model && !tn_lifetime_model_from_name(o->lifetime_model, &out_params->model))
    return complain_choice("--lifetime-model", o->lifetime_model, "kernel or release-first");
  if (o->aliasing && !tn_aliasing_from_name(o->aliasing, &out_params->aliasing))
    return complain_choice("--aliasing", o->aliasing, "none, views or all");
  return tn_cli_parse_size("--align", o->align, &out_params->alignment);
}

static bool
fill_study_params(const TnCommonOptions *o, TnStudyParams *params)
{
  if (o->group_by && !tn_grouping_from_name(o->group_by, &params->grouping))
    return complain_choice("--group-by", o->group_by,
                           "auto, call-site, kind, op-type, size, space, module, batch or stream");
  if (!tn_cli_lifetime_params(o, &params->graph))
    return false;
  return tn_cli_parse_size("--align", o->align, &params->alignment);
}

TnStudy *
tn_cli_study_device(const TnDocument *document,
                    uint32_t device_row,
                    const TnCommonOptions *options,
                    TnExit *out_exit)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  *out_exit = TN_EXIT_USAGE;
  if (!fill_study_params(options, &params))
    return NULL;
  TnStudy *study = tn_study_new(document, device_row, &params, NULL, &error);
  *out_exit = study ? TN_EXIT_DONE : TN_EXIT_INPUT;
  if (error)
    tn_cli_complain("%s", error->message);
  return study;
}

uint32_t
tn_cli_device_row(const TnDocument *document, const TnCommonOptions *options)
{
  if (!options->device)
    return tn_study_first_device(document);
  char *end;
  gint64 ordinal = g_ascii_strtoll(options->device, &end, 10);
  for (guint i = 0; i < document->devices->len && end != options->device && !*end; i++)
    if (tn_document_get_device(document, i)->ordinal == ordinal)
      return i;
  tn_cli_complain("--device %s: %s has no such device", options->device, document->shown_path);
  return TN_NONE;
}

TnStudy *
tn_cli_study(const TnDocument *document, const TnCommonOptions *options, TnExit *out_exit)
{
  uint32_t row = tn_cli_device_row(document, options);
  *out_exit = TN_EXIT_USAGE;
  return row == TN_NONE ? NULL : tn_cli_study_device(document, row, options, out_exit);
}

/* ---- output ------------------------------------------------------------------------------------ */

void
tn_cli_print_warnings_of(const char *whose, const TnDiagnostics *diagnostics)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(diagnostics); i++) {
    const TnWarning *warning = tn_diagnostics_get(diagnostics, i);
    tn_say_error("warning: %s%s%s\n", whose ? whose : "", whose ? ": " : "", warning->message);
  }
}

static void
warn_of_bodies(const TnDocument *document, const TnGraphLives *lives)
{
  g_autofree char *text = tn_answer_build_uncounted(document, lives, TN_UNITS_IEC);
  if (text)
    tn_diagnostics_add(document->diagnostics, "bodies-not-counted", lives->n_uncounted,
                       "%s (--preset counts it)", text);
}

void
tn_cli_print_warnings(const TnDiagnostics *diagnostics)
{
  tn_cli_print_warnings_of(NULL, diagnostics);
}

void
tn_cli_add_plan_warnings(const TnDocument *document, const TnPlan *plan)
{
  if (plan->note)
    tn_diagnostics_add(document->diagnostics, "streams-apart", 1, "%s", plan->note);
}

void
tn_cli_add_study_warnings(const TnDocument *document, const TnStudy *study)
{
  char size[48];
  /* A report of one moment recorded nothing, so that nothing is before it. */
  bool is_report = document->accounts->len && study->device->events.n == 0;
  if (study->n_before && !is_report)
    tn_diagnostics_add(document->diagnostics, "before-recording", study->n_before,
                       "%u %s (%s) %s allocated before the recording began: %s start is "
                       "unknown and stands at 0",
                       study->n_before, tn_plural(study->n_before, "buffer", "buffers"),
                       tn_print_bytes(size, sizeof size, study->before_bytes, TN_UNITS_IEC),
                       tn_plural(study->n_before, "was", "were"),
                       tn_plural(study->n_before, "its", "their"));
  if (study->n_not_in_segments)
    tn_diagnostics_add(document->diagnostics, "not-in-segments", study->n_not_in_segments,
                       "%u %s alive at the end of the events but not in the snapshot's "
                       "segments: the recording stopped earlier; %s to the end",
                       study->n_not_in_segments,
                       tn_plural(study->n_not_in_segments, "buffer is", "buffers are"),
                       tn_plural(study->n_not_in_segments, "it lives", "they live"));
  if (study->n_unsized)
    tn_diagnostics_add(document->diagnostics, "dynamic-size", study->n_unsized,
                       "%u %s of unknown size and %s as 0 bytes", study->n_unsized,
                       tn_plural(study->n_unsized, "tensor is", "tensors are"),
                       tn_plural(study->n_unsized, "counts", "count"));
  warn_of_bodies(document, study->graph_lives);
}

void
tn_cli_add_other_devices(const TnStudy *study, const TnCommonOptions *options)
{
  const TnDocument *document = study->document;
  g_autoptr(GString) others = g_string_new(NULL);
  uint32_t n = 0;
  for (guint i = 0; i < document->devices->len && !options->device; i++) {
    if (i == study->device_row || !tn_study_device_has_content(document, i))
      continue;
    if (n++ < 8)
      g_string_append_printf(others, "%s%d", others->len ? ", " : "",
                             tn_document_get_device(document, i)->ordinal);
  }
  if (n == 0)
    return;
  g_autofree char *own = tn_document_dup_device_label(document, study->device);
  tn_diagnostics_add(document->diagnostics, "other-devices", n,
                     "the file has %u devices; this is of %s alone (--device takes another: %s%s)", n + 1, own,
                     others->str, n > 8 ? ", …" : "");
}

bool
tn_cli_add_csv_losses(const TnDocument *document, const TnPlanOutput *plan)
{
  g_autofree char *losses = tn_plan_build_csv_losses(plan);
  if (losses)
    tn_diagnostics_add(document->diagnostics, "not-in-csv", 1,
                       "CSV has no columns for all of the plan, left out: %s (write .json to keep it)", losses);
  return losses != NULL;
}

static bool
tells_residents(const TnStudy *study)
{
  return study->document->graph || study->resident_bytes > 0;
}

bool
tn_cli_both_tell_residents(const TnStudy *a, const TnStudy *b)
{
  return strcmp(a->document->format, b->document->format) == 0 ||
         (tells_residents(a) && tells_residents(b));
}

char *
tn_cli_size(const TnCommonOptions *options, tn_bytes bytes)
{
  if (bytes < 0)
    return g_strdup("unknown");
  return tn_format_bytes(bytes, options->is_bytes ? TN_UNITS_BYTES : TN_UNITS_IEC);
}

char *
tn_cli_size_up(const TnCommonOptions *options, tn_bytes bytes)
{
  tn_bytes shown, step;
  char *text = tn_cli_size(options, bytes);
  const char *point = strchr(text, '.'), *unit = strchr(text, ' ');
  if (!point || !unit || !tn_parse_bytes(text, &shown) || shown >= bytes)
    return text;
  g_autofree char *last = g_strdup_printf("%s%s", unit - point > 2 ? "0.01" : "0.1", unit);
  bool is_known = tn_parse_bytes(last, &step);
  g_free(text);
  return tn_cli_size(options, is_known ? tn_add_saturated(shown, step) : bytes);
}

static bool prints_lines;

void
tn_json_set_lines(bool is_lines)
{
  prints_lines = is_lines;
}

void
tn_json_print(cJSON *object)
{
  g_autofree char *text = tn_json_dup_text(object, prints_lines);
  cJSON_Delete(object);
  if (!text) {
    tn_cli_complain("%s", TN_JSON_TOO_LARGE);
    exit(TN_EXIT_INPUT);
  }
  puts(text);
}

bool
tn_json_write(const cJSON *object, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = tn_json_dup_text(object, false);
  if (!text)
    tn_cli_complain("%s: not written: %s", path, TN_JSON_TOO_LARGE);
  bool is_good = text && tn_write_file(path, text, strlen(text), &error);
  if (error)
    tn_cli_complain("%s", error->message);
  return is_good;
}
