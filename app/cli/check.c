/* SPDX-License-Identifier: MIT */
/* tenure-cli check: findings on a plan, a graph or a log. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/findings-all.h"
#include "analysis/suspects.h"
#include "data/units.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *budget, *fail_on, *device_memory;
  gboolean with_suspects;
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
  printf("\n");
  for (guint i = 0; i < suspects->len; i++) {
    const TnSuspect *suspect = &g_array_index(suspects, TnSuspect, i);
    g_autofree char *size = suspect->bytes >= 0 ? tn_cli_size(options, suspect->bytes)
                                                : g_strdup("");
    printf("%-55s %-14s %10s\n    %s\n", suspect->question,
           tn_suspect_answer_name(suspect->answer), size, suspect->sentence);
  }
}

static void
print_json(const TnStudy *study, const TnFindings *findings, const GArray *suspects)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->path);
  cJSON *list = cJSON_AddArrayToObject(object, "findings");
  for (guint i = 0; i < findings->rows->len; i++)
    cJSON_AddItemToArray(list, build_finding(study, tn_findings_get(findings, i)));
  tn_json_add_integer(object, "errors", tn_findings_count(findings, TN_SEVERITY_ERROR));
  tn_json_add_integer(object, "warnings_found", tn_findings_count(findings, TN_SEVERITY_WARNING));
  tn_json_add_integer(object, "notes", tn_findings_count(findings, TN_SEVERITY_NOTE));
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
    printf("%s: %s [%s]\n", tn_severity_name(finding->severity), finding->message, finding->code);
    if (finding->saving_bytes > 0) {
      g_autofree char *saving = tn_cli_size(options, finding->saving_bytes);
      printf("    would save %s of the %s\n", saving, tn_finding_saving_of(finding));
    }
    if (finding->hint)
      printf("    %s\n", finding->hint);
  }
  printf("%u errors, %u warnings, %u notes\n", tn_findings_count(findings, TN_SEVERITY_ERROR),
         tn_findings_count(findings, TN_SEVERITY_WARNING),
         tn_findings_count(findings, TN_SEVERITY_NOTE));
}

static TnExit
check_file(const TnDocument *document, const TnCommonOptions *common, const CheckOptions *own)
{
  TnExit code;
  int least;
  TnFindParams params = {0};
  /* For a finished plan --align is what its offsets must keep, not a wish to round its sizes. */
  TnCommonOptions lives = *common;
  if (document->kind == TN_DOCUMENT_PLAN)
    lives.align = NULL;
  if (!parse_fail_on(own->fail_on, &least) ||
      !tn_cli_parse_budget("--budget", own->budget, &params.budget) ||
      !tn_cli_parse_size("--device-memory", own->device_memory, &params.device_bytes) ||
      !tn_cli_parse_size("--align", common->align, &params.alignment))
    return TN_EXIT_USAGE;
  g_autoptr(TnStudy) study = tn_cli_study(document, &lives, &code);
  if (!study)
    return code;
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_all(study, &params, findings);
  tn_cli_add_study_warnings(document, study);
  tn_cli_print_warnings(document->diagnostics);
  g_autoptr(GArray) suspects = own->with_suspects ? tn_suspects_new(study, findings) : NULL;
  if (common->is_json)
    print_json(study, findings, suspects);
  else
    print_text(common, findings);
  if (suspects && !common->is_json)
    print_suspects(common, suspects);
  for (guint i = 0; i < findings->rows->len; i++)
    if ((int)tn_findings_get(findings, i)->severity >= least)
      return TN_EXIT_NO;
  return TN_EXIT_DONE;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  CheckOptions own = {0};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget, "The peak must stay below this", "SIZE"},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &own.fail_on,
       "Exit 1 from this severity on: error (default), warning or never", "SEVERITY"},
      {"device-memory", 0, 0, G_OPTION_ARG_STRING, &own.device_memory,
       "How much the device has, where the file does not say", "SIZE"},
      {"suspects", 0, 0, G_OPTION_ARG_NONE, &own.with_suspects,
       "Answer the usual suspects one by one", NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_check, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code;
  g_autoptr(TnDocument) document = tn_cli_load(files[0], &common, &code);
  if (document)
    code = check_file(document, &common, &own);
  tn_common_options_clear(&common);
  g_free(own.budget);
  g_free(own.fail_on);
  g_free(own.device_memory);
  return code;
}

const TnCommand tn_command_check = {"check", "FILE", "Look for what is wrong or wasteful", run};
