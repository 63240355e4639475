/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-left.h"

#include <stdio.h>
#include <string.h>

#define MOST_ROWS 20
#define MOST_IN_JSON 10000

static void
print_row(const TnCommonOptions *common, const char *what, tn_bytes judged, tn_bytes reference)
{
  g_autofree char *had = tn_cli_size(common, judged), *could = tn_cli_size(common, reference);
  tn_bytes more = judged - reference;
  g_autofree char *size = tn_cli_size(common, more < 0 ? -more : more);
  g_autofree char *left = g_strconcat(more < 0 ? "-" : more > 0 ? "+" : "", size, NULL);
  tn_say("%-26s %14s %14s %15s\n", what, had, could, left);
}

static void
print_causes(const TnCommonOptions *common, const TnLeftAnswer *answer)
{
  static const char *const words[TN_LEFT_N_CAUSES] = {
      "needed at once",     "rounding and padding", "apart (caller's, marked)", "neighbours",
      "batches",            "streams (at most)",    "misfit: places and holes"};
  tn_say("\n%-26s %14s %14s %15s\n", "By cause", "this plan", answer->reference_name, "left");
  for (int i = 0; i < TN_LEFT_N_CAUSES; i++) {
    tn_bytes judged, reference;
    tn_left_answer_cause(answer, i, &judged, &reference);
    if (judged || reference)
      print_row(common, words[i], judged, reference);
  }
  print_row(common, "Arena", answer->judged->arena_bytes, answer->reference->arena_bytes);
}

static void
print_buffer(const TnCommonOptions *common, const TnLeftAnswer *answer, const TnLeftRow *row)
{
  g_autofree char *name = tn_study_dup_label(answer->judged, row->buffer);
  g_autofree char *what =
      g_strdup_printf("%s%s", name, row->is_alone ? " (own place)" : "");
  g_autofree char *had = tn_cli_size(common, row->bytes), *could = tn_cli_size(common, row->other_bytes);
  tn_say("%14s %14s  %-10s %s", had, could, tn_left_cause_name(row->cause), what);
  if (row->at >= 0)
    tn_say(", idle from %" G_GINT64_FORMAT, row->at);
  tn_say("\n");
}

/* At the peak: what is kept idle, and for whom. */
static void
print_buffers(const TnCommonOptions *common, const TnLeftAnswer *answer)
{
  const TnPlanLeft *left = &answer->left;
  tn_say("\nAt the peak, idle for buffers of other moments\n%14s %14s\n", "this plan",
         answer->reference_name);
  for (guint i = 0; i < left->rows->len && i < MOST_ROWS; i++)
    print_buffer(common, answer, &g_array_index(left->rows, TnLeftRow, i));
  if (left->rows->len > MOST_ROWS)
    tn_say("… and %u more (--json lists them)\n", left->rows->len - MOST_ROWS);
  g_autofree char *alive = tn_cli_size(common, left->theory);
  tn_say("\n%-26s %14s %14s %15s\n", "At the peak", "this plan", answer->reference_name, "left");
  print_row(common, "alive", left->theory, left->theory);
  print_row(common, "idle for buffers", left->own.idle, left->other.idle);
  print_row(common, "held by nobody", left->own.unused, left->other.unused);
  if (left->own.overlap || left->other.overlap)
    print_row(common, "less: shared by overlaps", left->own.overlap, left->other.overlap);
  print_row(common, "Arena", left->own.arena, left->other.arena);
}

static void
print_text(const TnCommonOptions *common, const TnLeftAnswer *answer)
{
  TnUnits units = common->is_bytes ? TN_UNITS_BYTES : TN_UNITS_IEC;
  g_autofree char *verdict = tn_left_answer_dup_verdict(answer, units);
  g_autofree char *terms = tn_left_answer_dup_terms(answer, units);
  tn_say("%s: %s.\n", answer->judged_name, verdict);
  if (tn_left_answer_streams(answer))
    tn_say("%s\n", tn_left_answer_streams(answer));
  if (terms)
    tn_say("%s.\n", terms);
  for (guint i = 0; answer->tried && answer->tried->len > 1 && i < answer->tried->len; i++) {
    const TnPlanTry *try = &g_array_index(answer->tried, TnPlanTry, i);
    g_autofree char *size =
        try->arena_bytes < 0 ? g_strdup("none") : tn_cli_size(common, try->arena_bytes);
    tn_say("  %-36s %14s\n", try->strategy, size);
  }
  print_causes(common, answer);
  print_buffers(common, answer);
}

static void
print_none(const TnStudy *study, const char *reason)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  cJSON_AddNullToObject(object, "left_bytes");
  cJSON_AddStringToObject(object, "reason", reason);
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
}

TnExit
tn_plan_left_run(const TnStudy *study, const TnCommonOptions *common, const TnLeftQuestion *question)
{
  g_autoptr(TnLeftAnswer) answer = tn_left_answer_new(study, question);
  tn_cli_print_warnings(study->document->diagnostics);
  if (answer->error) {
    tn_cli_complain("%s: no comparison: %s", study->document->shown_path, answer->error);
    if (common->is_json)
      print_none(study, answer->error);
    return TN_EXIT_NO;
  }
  if (!common->is_json) {
    print_text(common, answer);
    return TN_EXIT_DONE;
  }
  cJSON *object = tn_left_answer_build_json(answer, MOST_IN_JSON);
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
  return TN_EXIT_DONE;
}
