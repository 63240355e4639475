/* SPDX-License-Identifier: MIT */
/* tenure-cli info: what is in a file. */
#include "config.h"

#include "app/cli/alive.h"
#include "app/cli/groups.h"
#include "app/cli/fleet.h"
#include "analysis/batches.h"

#include "data/units.h"

#include <stdio.h>

static uint32_t
count_ops(const TnDocument *document, const TnDevice *device)
{
  if (device->has_other_ops)
    return device->n_ops;
  return document->graph ? document->graph->ops->len : 0;
}

/* Only a plan with labels has them. */
static void
add_batches(cJSON *device, const TnStudy *study)
{
  g_autoptr(GArray) batches = tn_batches_new(study);
  cJSON *list = batches->len ? cJSON_AddArrayToObject(device, "batches") : NULL;
  for (guint i = 0; i < batches->len; i++) {
    const TnBatch *batch = &g_array_index(batches, TnBatch, i);
    cJSON *row = cJSON_CreateObject();
    if (batch->label)
      cJSON_AddStringToObject(row, "label", tn_strings_get(study->document->strings, batch->label));
    tn_json_add_integer(row, "buffers", batch->n);
    tn_json_add_bytes(row, "live_peak_bytes", batch->peak);
    tn_json_add_bytes(row, "no_reuse_bytes", batch->total);
    tn_json_add_bytes(row, "offset", batch->low);
    tn_json_add_bytes(row, "end", batch->high);
    cJSON_AddItemToArray(list, row);
  }
}

static cJSON *
build_device(const TnCommonOptions *options, TnStudy *study)
{
  cJSON *row = cJSON_CreateObject();
  tn_json_add_integer(row, "device", study->device->ordinal);
  if (study->device->name)
    cJSON_AddStringToObject(row, "name",
                            tn_strings_get(study->document->strings, study->device->name));
  tn_json_add_integer(row, "events", study->device->events.n);
  tn_json_add_integer(row, "buffers", study->buffers->n);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  tn_json_add_integer(row, "live_peak_at", study->live->peak_at);
  tn_json_add_bytes(row, "reserved_peak_bytes", study->reserved ? study->reserved->peak : -1);
  if (study->device->stated_total != TN_BYTES_UNKNOWN)
    tn_json_add_bytes(row, "stated_no_reuse_bytes", study->device->stated_total);
  tn_json_add_bytes(row, "reserved_end_bytes",
                    study->reserved ? study->reserved->value[study->reserved->n - 1] : -1);
  tn_json_add_bytes(row, "before_recording_bytes", study->before_bytes);
  add_batches(row, study);
  if (options->group_by)
    tn_cli_add_groups(row, options, study);
  return row;
}

static void
add_ooms(cJSON *list, const TnDevice *device)
{
  for (guint i = 0; i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM)
      continue;
    cJSON *row = cJSON_CreateObject();
    tn_json_add_integer(row, "device", device->ordinal);
    tn_json_add_integer(row, "at", mark->tick);
    tn_json_add_bytes(row, "requested_bytes", mark->requested);
    tn_json_add_bytes(row, "device_free_bytes", mark->device_free);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_axis(cJSON *object, const TnStudy *study)
{
  cJSON *axis = cJSON_AddObjectToObject(object, "axis");
  cJSON_AddStringToObject(axis, "unit", tn_axis_unit_name(study->device->axis));
  tn_json_add_integer(axis, "start", 0);
  tn_json_add_integer(axis, "end", study->axis_end);
  if (study->clock)
    cJSON_AddNumberToObject(axis, "clock_seconds", study->clock->total_us / 1e6);
}

static cJSON *
build_account_rows(const GArray *rows)
{
  cJSON *list = cJSON_CreateArray();
  for (guint i = 0; i < rows->len; i++) {
    const TnAccountRow *row = tn_account_row(rows, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "what", row->what);
    tn_json_add_integer(item, "bytes", row->bytes); /* a remainder may be negative */
    if (row->note)
      cJSON_AddStringToObject(item, "note", row->note);
    if (row->is_remainder)
      cJSON_AddTrueToObject(item, "is_remainder");
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

static void
add_accounts(cJSON *object, const TnDocument *document)
{
  cJSON *list = cJSON_AddArrayToObject(object, "accounts");
  for (guint i = 0; i < document->accounts->len; i++) {
    const TnAccount *account = g_ptr_array_index(document->accounts, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "title", account->title);
    if (account->source)
      cJSON_AddStringToObject(item, "source", account->source);
    tn_json_add_integer(item, "first_line", account->first_line);
    tn_json_add_integer(item, "last_line", account->last_line);
    cJSON_AddBoolToObject(item, "cut_off", account->is_cut_off);
    tn_json_add_bytes(item, "total_bytes", account->total);
    if (account->total_what)
      cJSON_AddStringToObject(item, "total", account->total_what);
    cJSON_AddItemToObject(item, "rows", build_account_rows(account->rows));
    cJSON_AddItemToObject(item, "details", build_account_rows(account->details));
    if (account->statement)
      cJSON_AddStringToObject(item, "statement", account->statement);
    cJSON_AddItemToArray(list, item);
  }
}

/* Of a graph: what stands apart from its peak, and the dimensions that --bind can set. */
static void
add_graph(cJSON *object, const TnDocument *document, const TnStudy *study)
{
  const TnGraphLives *lives = study->graph_lives;
  if (!lives)
    return;
  tn_json_add_bytes(object, "input_bytes", lives->input_bytes);
  tn_json_add_bytes(object, "output_bytes", lives->output_bytes);
  tn_json_add_bytes(object, "workspace_bytes", lives->workspace_bytes);
  tn_json_add_bytes(object, "body_bytes", lives->body_bytes);
  cJSON *dims = cJSON_AddArrayToObject(object, "free_dims");
  for (guint i = 0; document->graph->free_dims && i < document->graph->free_dims->len; i++) {
    const TnFreeDim *dim = &g_array_index(document->graph->free_dims, TnFreeDim, i);
    cJSON *row = cJSON_CreateObject();
    const TnTensor *tensor = tn_graph_tensor(document->graph, dim->tensor);
    cJSON_AddStringToObject(row, "input", tn_strings_get(document->strings, tensor->name));
    tn_json_add_integer(row, "axis", dim->axis);
    cJSON_AddStringToObject(row, "name", tn_strings_get(document->strings, dim->param));
    if (dim->value >= 0)
      tn_json_add_integer(row, "value", dim->value);
    else
      cJSON_AddNullToObject(row, "value");
    cJSON_AddItemToArray(dims, row);
  }
}

static void
print_json(const TnCommonOptions *options, const TnDocument *document, GPtrArray *studies,
           const TnStudy *main_study)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", document->shown_path);
  cJSON_AddStringToObject(object, "format", document->format);
  cJSON_AddStringToObject(object, "kind", tn_document_kind_name(document->kind));
  if (document->producer)
    cJSON_AddStringToObject(object, "producer", document->producer);
  tn_json_add_integer(object, "device", main_study->device->ordinal);
  tn_json_add_integer(object, "buffers", main_study->buffers->n);
  tn_json_add_integer(object, "ops", count_ops(document, main_study->device));
  tn_json_add_integer(object, "events", main_study->device->events.n);
  add_axis(object, main_study);
  tn_json_add_bytes(object, "live_peak_bytes", main_study->live->peak);
  tn_json_add_integer(object, "live_peak_at", main_study->live->peak_at);
  tn_json_add_bytes(object, "reserved_peak_bytes",
                    main_study->reserved ? main_study->reserved->peak : -1);
  tn_json_add_bytes(object, "arena_bytes", main_study->arena_bytes);
  tn_json_add_bytes(object, "no_reuse_bytes", main_study->no_reuse_bytes);
  tn_json_add_bytes(object, "resident_bytes", main_study->resident_bytes);
  add_graph(object, document, main_study);
  tn_json_add_bytes(object, "before_recording_bytes", main_study->before_bytes);
  tn_json_add_integer(object, "unsized_tensors", main_study->n_unsized);
  cJSON *devices = cJSON_AddArrayToObject(object, "devices");
  cJSON *ooms = cJSON_AddArrayToObject(object, "oom");
  for (guint i = 0; i < studies->len; i++) {
    cJSON_AddItemToArray(devices, build_device(options, g_ptr_array_index(studies, i)));
    add_ooms(ooms, ((TnStudy *)g_ptr_array_index(studies, i))->device);
  }
  cJSON *alive = cJSON_AddArrayToObject(object, "alive_at_oom");
  int64_t n_left_out = 0;
  for (guint i = 0; i < studies->len; i++)
    n_left_out += tn_cli_add_alive(alive, g_ptr_array_index(studies, i));
  tn_json_add_integer(object, "alive_at_oom_left_out", n_left_out);
  add_accounts(object, document);
  tn_json_add_warnings(object, document->diagnostics);
  tn_json_print(object);
}

static void
print_row(const char *what, const char *value)
{
  tn_say("%-22s %s\n", what, value);
}

static void
print_size(const TnCommonOptions *options, const char *what, tn_bytes bytes)
{
  g_autofree char *text = tn_cli_size(options, bytes);
  if (bytes >= 0)
    print_row(what, text);
}

static void
print_count(const char *what, int64_t count)
{
  char text[32];
  print_row(what, tn_print_count(text, sizeof text, count));
}

static void
print_batches(const TnCommonOptions *options, const TnStudy *study)
{
  g_autoptr(GArray) batches = tn_batches_new(study);
  if (!batches->len)
    return;
  tn_say("\nBatches, of which one runs at a time\n%14s %14s  %8s\n", "at once", "without reuse", "buffers");
  for (guint i = 0; i < batches->len; i++) {
    const TnBatch *batch = &g_array_index(batches, TnBatch, i);
    g_autofree char *peak = tn_cli_size(options, batch->peak), *total = tn_cli_size(options, batch->total);
    tn_say("%14s %14s  %8u  %s\n", peak, total, batch->n,
           batch->label ? tn_strings_get(study->document->strings, batch->label) : "(no batch)");
  }
}

static void
print_device(const TnCommonOptions *options, TnStudy *study)
{
  g_autofree char *peak = tn_cli_size(options, study->live->peak);
  g_autofree char *line = g_strdup_printf("%s at %s %" G_GINT64_FORMAT, peak,
                                          tn_axis_unit_name(study->device->axis),
                                          study->live->peak_at);
  if (study->is_log)
    print_count("Events", study->device->events.n);
  print_count("Buffers", study->buffers->n);
  print_row("Live peak", line);
  print_size(options, "Reserved peak", study->reserved ? study->reserved->peak : -1);
  print_size(options, "Arena", study->arena_bytes);
  print_size(options, "Without reuse", study->is_log ? -1 : study->no_reuse_bytes);
  print_size(options, "As the file says", study->device->stated_total);
  print_size(options, "Residents", study->resident_bytes > 0 ? study->resident_bytes : -1);
  if (study->graph_lives && study->graph_lives->body_bytes > 0)
    print_size(options, "Inside one op", study->graph_lives->body_bytes);
  if (study->n_before && study->device->events.n)
    print_size(options, "Before the recording", study->before_bytes);
  if (study->n_unsized)
    print_count("Of unknown size", study->n_unsized);
  for (guint i = 0; i < study->device->marks->len; i++) {
    const TnMark *mark = &g_array_index(study->device->marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM)
      continue;
    g_autofree char *wanted = tn_cli_size(options, mark->requested);
    g_autofree char *left = tn_cli_size(options, mark->device_free);
    tn_say("%-22s at event %" G_GINT64_FORMAT ": %s requested, %s free on the device\n",
           "Out of memory", mark->tick, wanted, left);
  }
  print_batches(options, study);
  if (options->group_by)
    tn_cli_print_groups(options, study);
}

static void
print_account_row(const TnCommonOptions *options, const char *sign, const char *what,
                  tn_bytes bytes, const char *note)
{
  g_autofree char *size = tn_cli_size(options, bytes < 0 ? -bytes : bytes);
  tn_say("  %s %-48s %s%14s%s%s\n", sign, what, bytes < 0 ? "-" : " ", size, note ? "  " : "",
         note ? note : "");
}

/* What can't be shown is said once for accounts of one kind that follow each other. */
static void
print_account(const TnCommonOptions *options, const TnAccount *account, const TnAccount *next)
{
  tn_say("\n%s", account->title);
  if (account->first_line)
    tn_say(account->last_line > account->first_line ? ", lines %u to %u" : ", line %u",
           account->first_line, account->last_line);
  tn_say("%s%s%s\n", account->source ? ", " : "", account->source ? account->source : "",
         account->is_cut_off ? " (cut off)" : "");
  for (guint i = 0; i < account->rows->len; i++) {
    const TnAccountRow *row = tn_account_row(account->rows, i);
    print_account_row(options, i ? "+" : " ", row->what, row->bytes, row->note);
  }
  if (account->total >= 0)
    print_account_row(options, account->rows->len ? "=" : " ",
                      account->total_what ? account->total_what : "sum", account->total, NULL);
  for (guint i = 0; i < account->details->len; i++) {
    const TnAccountRow *row = tn_account_row(account->details, i);
    print_account_row(options, " ", row->what, row->bytes, row->note);
  }
  if (account->statement && (!next || g_strcmp0(next->statement, account->statement) != 0))
    tn_say("  %s\n", account->statement);
}

/* Totals only: figures of buffers would all be 0, and say nothing. */
static bool
has_buffers(GPtrArray *studies)
{
  for (guint i = 0; i < studies->len; i++)
    if (((TnStudy *)g_ptr_array_index(studies, i))->buffers->n)
      return true;
  return false;
}

static void
print_studies(const TnCommonOptions *options, GPtrArray *studies, const TnStudy *main_study)
{
  if (studies->len == 1) {
    print_device(options, g_ptr_array_index(studies, 0));
    return;
  }
  for (guint i = 0; i < studies->len; i++) {
    TnStudy *study = g_ptr_array_index(studies, i);
    const char *name = tn_strings_get(study->document->strings, study->device->name);
    tn_say("\nDevice %d%s%s%s\n", study->device->ordinal, name[0] ? ": " : "", name,
           study == main_study ? " (shown first)" : "");
    print_device(options, study);
  }
}

static void
print_text(const TnCommonOptions *options,
           const TnDocument *document,
           GPtrArray *studies,
           const TnStudy *main_study)
{
  print_row("File", document->shown_path);
  g_autofree char *format = g_strdup_printf("%s (%s)", document->format,
                                            tn_document_kind_name(document->kind));
  print_row("Format", format);
  if (count_ops(document, main_study->device))
    print_count("Ops", count_ops(document, main_study->device));
  if (document->accounts->len == 0 || has_buffers(studies))
    print_studies(options, studies, main_study);
  const GPtrArray *accounts = document->accounts;
  for (guint i = 0; i < accounts->len; i++)
    print_account(options, g_ptr_array_index(accounts, i),
                  i + 1 < accounts->len ? g_ptr_array_index(accounts, i + 1) : NULL);
}

/* Devices that have something, and the row `named` in any case: it is what is asked for, or all there
 * is. */
static GPtrArray *
study_devices(const TnDocument *document, uint32_t named, const TnCommonOptions *options, TnExit *out_exit)
{
  g_autoptr(GPtrArray) studies = g_ptr_array_new_with_free_func((GDestroyNotify)tn_study_unref);
  for (guint i = 0; i < document->devices->len; i++) {
    if (i != named && !tn_study_device_has_content(document, i))
      continue;
    TnStudy *study = tn_cli_study_device(document, i, options, out_exit);
    if (!study)
      return NULL;
    g_ptr_array_add(studies, study);
  }
  return g_steal_pointer(&studies);
}

static TnExit
info_document(const TnDocument *document, const TnCommonOptions *options)
{
  TnExit code;
  uint32_t named = tn_cli_device_row(document, options);
  if (named == TN_NONE)
    return TN_EXIT_USAGE;
  g_autoptr(GPtrArray) studies = study_devices(document, named, options, &code);
  if (!studies)
    return code;
  const TnStudy *main_study = NULL;
  for (guint i = 0; i < studies->len && !main_study; i++)
    if (((TnStudy *)g_ptr_array_index(studies, i))->device_row == named)
      main_study = g_ptr_array_index(studies, i);
  tn_cli_add_study_warnings(document, main_study);
  tn_cli_print_warnings(document->diagnostics);
  if (options->is_json)
    print_json(options, document, studies, main_study);
  else
    print_text(options, document, studies, main_study);
  return code;
}

static TnExit
info_file(const char *path, const void *payload)
{
  TnExit code;
  const TnCommonOptions *options = payload;
  g_autoptr(TnDocument) document = tn_cli_load(path, options, &code);
  return document ? info_document(document, options) : code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions options = {0};
  int n_jobs = 0;
  bool is_wrong;
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"jobs", 0, 0, G_OPTION_ARG_INT, &n_jobs,
       "Several files, so many at once (with --json: one line each)", "N"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_info, argc, argv, &options, entries, 1, G_MAXINT, &files))
    return TN_EXIT_USAGE;
  bool is_fleet = tn_cli_is_fleet(&tn_command_info, files, n_jobs, options.is_json, &is_wrong);
  TnExit code = is_wrong   ? TN_EXIT_USAGE
                : is_fleet ? tn_cli_fleet_run(files, n_jobs, info_file, &options)
                           : info_file(files[0], &options);
  tn_common_options_clear(&options);
  return code;
}

const TnCommand tn_command_info = {"info", "FILE…", "Say what is in a file", run};
