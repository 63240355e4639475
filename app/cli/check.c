/* SPDX-License-Identifier: MIT */
/* tenure-cli check: findings on a plan, a graph or a log. */
#include "config.h"

#include "app/cli/alive.h"
#include "app/cli/arena-sections.h"
#include "app/cli/baseline.h"
#include "app/cli/fleet.h"

#include "analysis/findings-all.h"
#include "analysis/findings-ge.h"
#include "analysis/suspects.h"
#include "analysis/tenants.h"
#include "data/units.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *budget, *fail_on, *device_memory, *baseline, *tolerance, *neighbours, *why_not;
  gboolean with_suspects;
  const TnCommonOptions *common;
  const TnCliBaseline *old; /* NULL: no --baseline */
} CheckOptions;

static bool
parse_fail_on(const char *text, int *out_least)
{
  static const struct {
    const char *name;
    int least;
  } rows[] = {{"error", TN_SEVERITY_ERROR}, {"warning", TN_SEVERITY_WARNING}, {"never", 99}};
  *out_least = TN_SEVERITY_ERROR;
  for (gsize i = 0; text && i < G_N_ELEMENTS(rows); i++)
    if (strcmp(text, rows[i].name) == 0) {
      *out_least = rows[i].least;
      return true;
    }
  if (text)
    tn_cli_complain("--fail-on %s: expected error, warning or never", text);
  return !text;
}

static cJSON *
build_finding(const TnStudy *study, const TnFinding *finding)
{
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "code", finding->code);
  cJSON_AddStringToObject(row, "severity", tn_severity_name(finding->severity));
  cJSON_AddStringToObject(row, "message", finding->message);
  cJSON_AddStringToObject(row, "hint", finding->hint ? finding->hint : "");
  cJSON *names = cJSON_AddArrayToObject(row, "buffers");
  for (guint i = 0; i < finding->buffers->len; i++) {
    g_autofree char *label =
        tn_study_dup_label(study, g_array_index(finding->buffers, uint32_t, i));
    cJSON_AddItemToArray(names, cJSON_CreateString(label));
  }
  if (finding->at >= 0)
    tn_json_add_integer(row, "at", finding->at);
  else
    cJSON_AddNullToObject(row, "at");
  tn_json_add_bytes(row, "bytes", finding->bytes);
  tn_json_add_bytes(row, "saving_bytes", finding->saving_bytes);
  return row;
}

static void
add_suspects(cJSON *object, const GArray *suspects)
{
  cJSON *list = cJSON_AddArrayToObject(object, "suspects");
  for (guint i = 0; i < suspects->len; i++) {
    const TnSuspect *suspect = &g_array_index(suspects, TnSuspect, i);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "code", suspect->code);
    cJSON_AddStringToObject(row, "question", suspect->question);
    cJSON_AddStringToObject(row, "answer", tn_suspect_answer_name(suspect->answer));
    tn_json_add_bytes(row, "bytes", suspect->bytes);
    cJSON_AddStringToObject(row, "message", suspect->sentence);
    cJSON_AddItemToArray(list, row);
  }
}

static void
print_suspects(const TnCommonOptions *options, const GArray *suspects)
{
  tn_say("\n");
  for (guint i = 0; i < suspects->len; i++) {
    const TnSuspect *suspect = &g_array_index(suspects, TnSuspect, i);
    g_autofree char *size = suspect->bytes >= 0 ? tn_cli_size(options, suspect->bytes)
                                                : g_strdup("");
    tn_say("%-55s %-14s %10s\n    %s\n", suspect->question,
           tn_suspect_answer_name(suspect->answer), size, suspect->sentence);
  }
}

static void
print_json(const TnStudy *study, const TnFindings *findings, const GArray *suspects,
           const TnCliBaseline *old)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  cJSON *list = cJSON_AddArrayToObject(object, "findings");
  for (guint i = 0; i < findings->rows->len; i++)
    cJSON_AddItemToArray(list, build_finding(study, tn_findings_get(findings, i)));
  cJSON *alive = cJSON_AddArrayToObject(object, "alive_at_oom");
  tn_json_add_integer(object, "alive_at_oom_left_out", tn_cli_add_alive(alive, study));
  tn_json_add_integer(object, "errors", tn_findings_count(findings, TN_SEVERITY_ERROR));
  tn_json_add_integer(object, "warnings_found", tn_findings_count(findings, TN_SEVERITY_WARNING));
  tn_json_add_integer(object, "notes", tn_findings_count(findings, TN_SEVERITY_NOTE));
  if (old)
    tn_cli_baseline_add_json(old, study, object);
  if (suspects)
    add_suspects(object, suspects);
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
}

static void
print_text(const TnCommonOptions *options, const TnFindings *findings)
{
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    tn_say("%s: %s [%s]\n", tn_severity_name(finding->severity), finding->message, finding->code);
    if (finding->saving_bytes > 0) {
      g_autofree char *saving = tn_cli_size(options, finding->saving_bytes);
      tn_say("    would save %s of the %s\n", saving, tn_finding_saving_of(finding));
    }
    if (finding->hint)
      tn_say("    %s\n", finding->hint);
  }
  uint32_t errors = tn_findings_count(findings, TN_SEVERITY_ERROR);
  uint32_t warnings = tn_findings_count(findings, TN_SEVERITY_WARNING);
  uint32_t notes = tn_findings_count(findings, TN_SEVERITY_NOTE);
  tn_say("%u error%s, %u warning%s, %u note%s\n", errors, errors == 1 ? "" : "s", warnings,
         warnings == 1 ? "" : "s", notes, notes == 1 ? "" : "s");
}

/* With a baseline only what it does not have counts. */
static TnExit
judge(const TnFindings *findings, const CheckOptions *own, int least)
{
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    if ((int)finding->severity >= least &&
        !(own->old && tn_cli_baseline_knows(own->old, findings, finding)))
      return TN_EXIT_NO;
  }
  return TN_EXIT_DONE;
}

/* Buffers of one label, or with a text in it. */
typedef struct {
  uint32_t n;
  tn_index largest;
  char *label;     /* of the largest */
  GString *others; /* other labels, a few */
  uint32_t n_others;
} Found;

static void
add_found(Found *found, const TnStudy *study, tn_index i, const char *label)
{
  const tn_bytes *bytes = study->buffers->bytes;
  bool is_other = found->label && strcmp(found->label, label) != 0;
  found->n++;
  found->n_others += is_other;
  if (is_other && found->n_others <= 4)
    g_string_append_printf(found->others, ", %s", label);
  if (found->label && bytes[i] <= bytes[found->largest])
    return;
  /* Of several labels the first one is named: which is the largest does not matter then. */
  if (!found->label)
    found->label = g_strdup(label);
  found->largest = i;
}

static void
clear_found(Found *found)
{
  g_free(found->label);
  g_string_free(found->others, TRUE);
}

/* Says what was taken where the name alone does not; false after a complaint. */
static bool
settle(const Found *found, const char *option, const char *name)
{
  if (found->n == 0) {
    tn_cli_complain("%s %s: no buffer has this in its name", option, name);
    return false;
  }
  if (found->n_others > 0) {
    tn_cli_complain("%s %s: several buffers have this in their names: %s%s%s", option, name,
                    found->label, found->others->str, found->n_others > 4 ? ", …" : "");
    return false;
  }
  if (found->n > 1)
    tn_say_error("%s %s: the largest of %u buffers named %s is taken\n", option, name, found->n,
            found->label);
  else if (strcmp(found->label, name) != 0)
    tn_say_error("%s %s: %s is taken\n", option, name, found->label);
  return true;
}

/* The buffer of this label, else the one that has it in its label; TN_NONE after a complaint. */
static tn_index
find_buffer(const TnStudy *study, const char *option, const char *name)
{
  Found same = {.others = g_string_new(NULL)}, part = {.others = g_string_new(NULL)};
  for (tn_index i = 0; i < study->buffers->n; i++) {
    g_autofree char *label = tn_study_dup_label(study, i);
    if (strcmp(label, name) == 0)
      add_found(&same, study, i, label);
    else if (strstr(label, name))
      add_found(&part, study, i, label);
  }
  const Found *found = same.n ? &same : &part;
  tn_index best = settle(found, option, name) ? found->largest : TN_NONE;
  clear_found(&same);
  clear_found(&part);
  return best;
}

static bool
add_neighbours(const TnStudy *study, const char *name, TnFindings *findings)
{
  tn_index buffer = name ? find_buffer(study, "--neighbours", name) : TN_NONE;
  if (buffer != TN_NONE)
    tn_find_neighbours(study, buffer, findings);
  return !name || buffer != TN_NONE;
}

/* "A,B": two buffers. */
static bool
add_why_not(const TnStudy *study, const char *pair, TnFindings *findings)
{
  g_auto(GStrv) names = g_strsplit(pair ? pair : "", ",", 2);
  if (!pair)
    return true;
  if (g_strv_length(names) != 2) {
    tn_cli_complain("--why-not %s: expected the names of two buffers with a comma between", pair);
    return false;
  }
  tn_index a = find_buffer(study, "--why-not", names[0]);
  tn_index b = a == TN_NONE ? TN_NONE : find_buffer(study, "--why-not", names[1]);
  if (b != TN_NONE)
    tn_find_why_not(study, a, b, findings);
  return b != TN_NONE;
}

/* What is looked for, in the file as in the baseline; false: printed. */
static bool
parse_find(const CheckOptions *own, TnFindParams *out_find)
{
  *out_find = (TnFindParams){0};
  return tn_cli_parse_budget("--budget", own->budget, &out_find->budget) &&
         tn_cli_parse_size("--device-memory", own->device_memory, &out_find->device_bytes) &&
         tn_cli_parse_size("--align", own->common->align, &out_find->alignment);
}

static TnExit
check_document(const TnDocument *document, const CheckOptions *own)
{
  TnExit code;
  int least;
  tn_bytes tolerance;
  TnFindParams params;
  const TnCommonOptions *common = own->common;
  /* For a finished plan --align is what its offsets must keep, not a wish to round its sizes. */
  TnCommonOptions lives = *common;
  if (document->kind == TN_DOCUMENT_PLAN)
    lives.align = NULL;
  if (!parse_fail_on(own->fail_on, &least) || !parse_find(own, &params) ||
      !tn_cli_parse_size("--tolerance", own->tolerance, &tolerance))
    return TN_EXIT_USAGE;
  g_autoptr(TnStudy) study = tn_cli_study(document, &lives, &code);
  if (!study)
    return code;
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  g_autoptr(TnFindings) findings = tn_findings_new();
  if (own->old)
    tn_cli_baseline_compare(own->old, study, tolerance, findings);
  tn_find_all(study, &params, findings);
  if (!add_neighbours(study, own->neighbours, findings) ||
      !add_why_not(study, own->why_not, findings))
    return TN_EXIT_USAGE;
  tn_cli_add_study_warnings(document, study);
  tn_arena_sections_warn(common, document, params.budget);
  tn_cli_print_warnings(document->diagnostics);
  g_autoptr(GArray) suspects = own->with_suspects ? tn_suspects_new(study, findings) : NULL;
  if (common->is_json)
    print_json(study, findings, suspects, own->old);
  else
    print_text(common, findings);
  if (suspects && !common->is_json)
    print_suspects(common, suspects);
  if (!common->is_json)
    tn_cli_print_alive(common, study);
  return judge(findings, own, least);
}

static TnExit
check_file(const char *path, const void *payload)
{
  TnExit code;
  const CheckOptions *own = payload;
  g_autoptr(TnDocument) document = tn_cli_load(path, own->common, &code);
  return document ? check_document(document, own) : code;
}

static TnExit
check_files(char **files, CheckOptions *own, int n_jobs)
{
  TnExit code = TN_EXIT_DONE;
  TnCliBaseline baseline = {0};
  TnFindParams find;
  bool is_wrong;
  bool is_fleet =
      tn_cli_is_fleet(&tn_command_check, files, n_jobs, own->common->is_json, &is_wrong);
  if (own->tolerance && !own->baseline)
    tn_cli_complain("check: --tolerance goes with --baseline only");
  if (is_wrong || (own->tolerance && !own->baseline) || !parse_find(own, &find))
    return TN_EXIT_USAGE;
  if (own->baseline && tn_cli_baseline_load(&baseline, own->baseline, own->common, &find, &code))
    own->old = &baseline;
  if (code == TN_EXIT_DONE)
    code = is_fleet ? tn_cli_fleet_run(files, n_jobs, check_file, own) : check_file(files[0], own);
  tn_cli_baseline_clear(&baseline);
  return code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  CheckOptions own = {.common = &common};
  int n_jobs = 0;
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget, "The peak must stay below this", "SIZE"},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &own.fail_on,
       "Exit 1 from this severity on: error (default), warning or never", "SEVERITY"},
      {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &own.baseline,
       "Exit 1 only for what is worse than in this older file", "OLD"},
      {"tolerance", 0, 0, G_OPTION_ARG_STRING, &own.tolerance,
       "How far above the baseline a peak may be", "SIZE"},
      {"jobs", 0, 0, G_OPTION_ARG_INT, &n_jobs,
       "Several files, so many at once (with --json: one line each)", "N"},
      {"device-memory", 0, 0, G_OPTION_ARG_STRING, &own.device_memory,
       "How much the device has, where the file does not say", "SIZE"},
      {"neighbours", 0, 0, G_OPTION_ARG_STRING, &own.neighbours,
       "Who lies beside the largest buffer so named, and who gets its place next", "NAME"},
      {"why-not", 0, 0, G_OPTION_ARG_STRING, &own.why_not,
       "Whether two buffers could share memory, and the first rule that forbids it", "A,B"},
      {"suspects", 0, 0, G_OPTION_ARG_NONE, &own.with_suspects,
       "Answer the usual suspects one by one", NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_check, argc, argv, &common, entries, 1, G_MAXINT, &files))
    return TN_EXIT_USAGE;
  TnExit code = check_files(files, &own, n_jobs);
  tn_common_options_clear(&common);
  g_free(own.budget);
  g_free(own.fail_on);
  g_free(own.baseline);
  g_free(own.tolerance);
  g_free(own.device_memory);
  g_free(own.neighbours);
  g_free(own.why_not);
  return code;
}

const TnCommand tn_command_check = {"check", "FILE…", "Look for what is wrong or wasteful", run};
