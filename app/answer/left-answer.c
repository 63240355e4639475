/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/left-answer.h"

#include "analysis/check.h"
#include "app/answer/json.h"
#include "data/units.h"

#include <string.h>

/* ---- the two plans
 * ---------------------------------------------------------------------------------------- */

static TnStudy *
placed(const TnStudy *study, const TnPlan *plan)
{
  return tn_study_new_with_offsets(study, plan->offset, plan->space_arena, plan->n_spaces);
}

static bool
fail(TnLeftAnswer *answer, const char *what, const char *why)
{
  answer->error = g_strdup_printf("%s: %s", what, why);
  return false;
}

static bool
judge_recorded(TnLeftAnswer *answer, const TnStudy *study)
{
  if (study->arena_bytes == TN_BYTES_UNKNOWN || study->is_log)
    return fail(answer, "recorded", "the file has no offsets");
  answer->judged = tn_study_new_with_offsets(study, study->offset, study->space_arena, study->n_spaces);
  answer->judged_name = g_strdup("recorded");
  return true;
}

static bool
judge_planned(TnLeftAnswer *answer, const TnStudy *study, const TnLeftQuestion *question)
{
  const TnStrategy *strategy = tn_strategies_find(question->against);
  if (!strategy)
    return fail(answer, question->against, "no such planner");
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(study->buffers, strategy, question->alignment, &question->params);
  if (plan->status == TN_PLAN_FAILED)
    return fail(answer, strategy->name, tn_plan_reason(plan));
  answer->judged = placed(study, plan);
  answer->tried = g_steal_pointer(&plan->tried);
  answer->judged_name = strcmp(plan->strategy, strategy->name) == 0
                            ? g_strdup(strategy->name)
                            : g_strdup_printf("%s (%s)", strategy->name, plan->strategy);
  return true;
}

static void
check_judged(TnLeftAnswer *answer, tn_bytes alignment)
{
  const TnStudy *study = answer->judged;
  answer->broken = tn_check_dup_plan_error(study->document, study->buffers, study->offset, alignment,
                                           study->space_arena, study->n_spaces);
}

/* A plan is as good as the judged one at least: that one itself, if it keeps the rules. */
static bool
find_reference(TnLeftAnswer *answer, const TnStudy *study, const TnLeftQuestion *question)
{
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(study->buffers, question->strategy,
                                                   question->alignment, &question->params);
  if (plan->status == TN_PLAN_FAILED)
    return fail(answer, question->strategy->name, tn_plan_reason(plan));
  answer->proved_bound = plan->proved_bound_bytes;
  answer->is_optimal = plan->is_optimal;
  if (plan->arena_bytes > answer->judged->arena_bytes && !answer->broken) {
    answer->reference = tn_study_ref(answer->judged);
    answer->reference_name = g_strdup(answer->judged_name);
    answer->is_optimal = answer->judged->arena_bytes <= plan->proved_bound_bytes;
    return true;
  }
  answer->reference = placed(study, plan);
  answer->reference_name = g_strdup(plan->strategy);
  return true;
}

static TnStreamUses *
find_streams(TnLeftAnswer *answer, const TnStudy *study, const TnLeftQuestion *question)
{
  bool is_unknown = false;
  TnStreamUses *uses = tn_stream_uses_new_for_study(study, question->order, &is_unknown);
  if (uses)
    answer->streams = TN_LEFT_STREAMS_KNOWN;
  else if (is_unknown)
    answer->streams = TN_LEFT_STREAMS_SHOWN;
  return uses;
}

TnLeftAnswer *
tn_left_answer_new(const TnStudy *study, const TnLeftQuestion *question)
{
  TnLeftAnswer *answer = g_new0(TnLeftAnswer, 1);
  TnLeftQuestion own = *question;
  g_autoptr(TnStreamUses) uses = find_streams(answer, study, question);
  own.params.uses = uses;
  bool is_recorded = strcmp(question->against, "recorded") == 0;
  if (!(is_recorded ? judge_recorded(answer, study) : judge_planned(answer, study, &own)))
    return answer;
  check_judged(answer, question->alignment);
  if (answer->streams == TN_LEFT_STREAMS_SHOWN) {
    uses = tn_stream_uses_new_from_plan(study->buffers, answer->judged->offset);
    own.params.uses = uses;
  }
  own.params.ge_options = 0;
  if (find_reference(answer, study, &own) &&
      !tn_plan_left_find(answer->judged, answer->reference, &answer->left))
    fail(answer, answer->judged_name, "it has no arena to compare");
  return answer;
}

void
tn_left_answer_free(TnLeftAnswer *answer)
{
  if (!answer)
    return;
  tn_study_unref(answer->judged);
  tn_study_unref(answer->reference);
  tn_plan_left_clear(&answer->left);
  if (answer->tried)
    g_array_unref(answer->tried);
  g_free(answer->judged_name);
  g_free(answer->reference_name);
  g_free(answer->broken);
  g_free(answer->error);
  g_free(answer);
}

/* ---- words
 * ----------------------------------------------------------------------------------------------- */

char *
tn_left_answer_dup_verdict(const TnLeftAnswer *answer, TnUnits units)
{
  char had[48], could[48], left[48], bound[48];
  tn_bytes judged = answer->judged->arena_bytes, best = answer->reference->arena_bytes;
  tn_print_bytes(had, sizeof had, judged, units);
  tn_print_bytes(could, sizeof could, best, units);
  tn_print_bytes(left, sizeof left, judged - best, units);
  tn_print_bytes(bound, sizeof bound, answer->proved_bound, units);
  g_autofree char *proof =
      answer->is_optimal
          ? g_strdup("proved: no plan of these lives and constraints is smaller")
          : g_strdup_printf("not proved to be the least: none is smaller than %s", bound);
  if (answer->broken)
    return g_strdup_printf("The plan breaks a rule, so its %s can't be measured by others: %s", had,
                           answer->broken);
  if (judged == best)
    return g_strdup_printf("The plan takes %s, and nothing smaller was found (%s)", had, proof);
  return g_strdup_printf("The plan takes %s, the best found (by %s) takes %s: %s (%.1f %%) are left on the "
                         "table (%s)",
                         had, answer->reference_name, could, left,
                         100.0 * (double)(judged - best) / (double)MAX(judged, (tn_bytes)1), proof);
}

const char *
tn_left_answer_streams(const TnLeftAnswer *answer)
{
  static const char *const words[] = {
      [TN_LEFT_ONE_STREAM] = NULL,
      [TN_LEFT_STREAMS_KNOWN] = "Buffers of different streams share only where the later has waited "
                                "for the earlier, as the file's edges say.",
      [TN_LEFT_STREAMS_SHOWN] = "The file does not say which stream waits for which: buffers of "
                                "different streams share only where the plan itself shows that the "
                                "later has waited; GE may know of more."};
  return words[answer->streams];
}

static tn_bytes
detail_of(const TnAccount *account, const char *what)
{
  for (guint i = 0; i < account->details->len; i++)
    if (strstr(tn_account_row(account->details, i)->what, what))
      return tn_account_row(account->details, i)->bytes;
  return TN_BYTES_UNKNOWN;
}

/* "GE's plan of main_0, memory type 2" of the judged graph; NULL. */
static const TnAccount *
summary_of(const TnStudy *study)
{
  const TnDocument *document = study->document;
  const char *name = tn_strings_get(document->strings, study->device->name);
  g_autofree char *title = g_strdup_printf("GE's plan of %s, memory type", name);
  for (guint i = 0; i < document->accounts->len; i++) {
    const TnAccount *account = g_ptr_array_index(document->accounts, i);
    if (g_str_has_prefix(account->title, title))
      return account;
  }
  return NULL;
}

char *
tn_left_answer_dup_terms(const TnLeftAnswer *answer, TnUnits units)
{
  const TnAccount *account = summary_of(answer->judged);
  char planned[48], theory[48], arena[48], alive[48];
  if (!account || detail_of(account, "memoffset") < 0)
    return NULL;
  tn_bytes least = detail_of(account, "theory_min");
  tn_print_bytes(planned, sizeof planned, detail_of(account, "memoffset"), units);
  tn_print_bytes(theory, sizeof theory, least, units);
  tn_print_bytes(arena, sizeof arena, answer->judged->arena_bytes, units);
  tn_print_bytes(alive, sizeof alive, answer->left.theory, units);
  return g_strdup_printf("GE's log says memoffset %s, theory_min %s; Tenure counts from the lines "
                         "arena %s, at most alive at once %s",
                         planned, least < 0 ? "not said" : theory, arena, alive);
}

const char *
tn_left_answer_cause(const TnLeftAnswer *answer, int row, tn_bytes *out_judged, tn_bytes *out_reference)
{
  const TnPlanGap *a = &answer->left.gap, *b = &answer->left.other_gap;
  const struct {
    const char *name;
    tn_bytes judged, reference;
  } rows[TN_LEFT_N_CAUSES] = {{"needed", a->needed, b->needed},
                              {"rounding", a->rounding, b->rounding},
                              {"apart", a->apart, b->apart},
                              {"neighbours", a->neighbours, b->neighbours},
                              {"batches", a->batches, b->batches},
                              {"streams", a->streams, b->streams},
                              {"misfit", a->misfit, b->misfit}};
  *out_judged = rows[row].judged;
  *out_reference = rows[row].reference;
  return rows[row].name;
}

/* ---- JSON
 * ----------------------------------------------------------------------------------------------- */

static void
add_causes(cJSON *object, const TnLeftAnswer *answer)
{
  cJSON *causes = cJSON_AddArrayToObject(object, "causes");
  for (int i = 0; i < TN_LEFT_N_CAUSES; i++) {
    tn_bytes judged, reference;
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "cause", tn_left_answer_cause(answer, i, &judged, &reference));
    tn_json_add_integer(row, "bytes", judged);
    tn_json_add_integer(row, "best_bytes", reference);
    tn_json_add_integer(row, "left_bytes", judged - reference);
    cJSON_AddItemToArray(causes, row);
  }
}

static void
add_sums(cJSON *object, const char *key, const TnLeftSums *sums)
{
  cJSON *row = cJSON_AddObjectToObject(object, key);
  tn_json_add_integer(row, "idle_bytes", sums->idle);
  tn_json_add_integer(row, "unused_bytes", sums->unused);
  tn_json_add_integer(row, "overlap_bytes", sums->overlap);
}

static void
add_buffers(cJSON *object, const TnLeftAnswer *answer, guint most)
{
  cJSON *buffers = cJSON_AddArrayToObject(object, "buffers");
  for (guint i = 0; i < answer->left.rows->len && i < most; i++) {
    const TnLeftRow *from = &g_array_index(answer->left.rows, TnLeftRow, i);
    g_autofree char *name = tn_study_dup_label(answer->judged, from->buffer);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", name);
    tn_json_add_integer(row, "buffer", from->buffer);
    tn_json_add_integer(row, "idle_bytes", from->bytes);
    tn_json_add_integer(row, "best_idle_bytes", from->other_bytes);
    tn_json_add_bytes(row, "idle_at", from->at);
    tn_json_add_bytes(row, "offset", answer->judged->offset[from->buffer]);
    tn_json_add_bytes(row, "best_offset", answer->reference->offset[from->buffer]);
    cJSON_AddBoolToObject(row, "own_place", from->is_alone);
    cJSON_AddStringToObject(row, "cause", tn_left_cause_name(from->cause));
    cJSON_AddItemToArray(buffers, row);
  }
  tn_json_add_integer(object, "buffers_total", answer->left.rows->len);
}

cJSON *
tn_left_answer_build_json(const TnLeftAnswer *answer, guint most)
{
  cJSON *object = cJSON_CreateObject();
  g_autofree char *verdict = tn_left_answer_dup_verdict(answer, TN_UNITS_BYTES);
  g_autofree char *terms = tn_left_answer_dup_terms(answer, TN_UNITS_BYTES);
  const char *streams = tn_left_answer_streams(answer);
  cJSON_AddStringToObject(object, "plan", answer->judged_name);
  cJSON_AddStringToObject(object, "best", answer->reference_name);
  tn_json_add_bytes(object, "arena_bytes", answer->judged->arena_bytes);
  tn_json_add_bytes(object, "best_arena_bytes", answer->reference->arena_bytes);
  tn_json_add_integer(object, "left_bytes",
                      answer->judged->arena_bytes - answer->reference->arena_bytes);
  tn_json_add_bytes(object, "alive_bytes", answer->left.theory);
  cJSON_AddBoolToObject(object, "optimal", answer->is_optimal);
  tn_json_add_bytes(object, "proved_bound_bytes", answer->proved_bound);
  cJSON_AddStringToObject(object, "verdict", verdict);
  if (answer->broken)
    cJSON_AddStringToObject(object, "broken", answer->broken);
  if (streams)
    cJSON_AddStringToObject(object, "streams", streams);
  if (terms)
    cJSON_AddStringToObject(object, "terms", terms);
  add_causes(object, answer);
  add_sums(object, "sums", &answer->left.own);
  add_sums(object, "best_sums", &answer->left.other);
  add_buffers(object, answer, most);
  return object;
}
