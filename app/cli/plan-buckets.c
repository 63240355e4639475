/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-buckets.h"

#include "app/cli/plan-dims.h"

#include <string.h>

typedef struct {
  const TnCliPlanOptions *own;
  TnCliPlanWanted wanted;
  cJSON *rows;             /* NULL: text */
  GHashTable *wanted_dims; /* of --serve; NULL: none */
  cJSON *warnings;         /* beside them */
  guint n_not;             /* too large for the capacity, or without a plan */
  const char *serving;     /* the bucket with the smallest arena that serves and fits; borrowed */
  tn_bytes serving_arena;
  const char *too_large;   /* one that would serve and does not fit; borrowed */
} Buckets;

/* "name.json" and "batch=4,seq=128" → "name-batch=4,seq=128.json". */
static char *
bucket_path(const char *output, const char *bucket)
{
  const char *dot = strrchr(output, '.');
  g_autofree char *safe = g_strdelimit(g_strdup(bucket), "/\\ ", '_');
  int stem = dot ? (int)(dot - output) : (int)strlen(output);
  return g_strdup_printf("%.*s-%s%s", stem, output, safe, dot ? dot : "");
}

static char **
join_bindings(char **bind, const char *bucket)
{
  g_auto(GStrv) more = g_strsplit(bucket, ",", -1);
  GPtrArray *all = g_ptr_array_new();
  for (gsize i = 0; bind && bind[i]; i++)
    g_ptr_array_add(all, g_strdup(bind[i]));
  for (gsize i = 0; more[i]; i++)
    g_ptr_array_add(all, g_strdup(g_strstrip(more[i])));
  g_ptr_array_add(all, NULL);
  return (char **)g_ptr_array_free(all, FALSE);
}

/* A plan for these sizes serves all that are not larger, where there is room for it. */
static void
note_serving(Buckets *buckets, char **bind, const char *bucket, tn_bytes arena, bool is_too_large)
{
  g_autoptr(GHashTable) dims = tn_cli_dims_bound(bind, bucket);
  if (!buckets->wanted_dims || !tn_cli_dims_serve(dims, buckets->wanted_dims))
    return;
  if (is_too_large) {
    buckets->too_large = bucket;
  } else if (!buckets->serving || arena < buckets->serving_arena) {
    buckets->serving = bucket;
    buckets->serving_arena = arena;
  }
}

static void
say_serving(const Buckets *buckets)
{
  const char *wanted = buckets->own->serve;
  if (buckets->serving)
    tn_say("%s is served by %s\n", wanted, buckets->serving);
  else if (buckets->too_large)
    tn_say("%s is served by none of them: %s would, but does not fit\n", wanted, buckets->too_large);
  else
    tn_say("%s is served by none of them\n", wanted);
}

static void
report_bucket(Buckets *buckets, const TnCommonOptions *common, const char *bucket,
              const TnStudy *study, const TnPlan *plan, const char *written)
{
  tn_bytes capacity = buckets->wanted.capacity;
  bool is_too_large = capacity > 0 && !tn_cli_plan_fits(common, study->document, plan, capacity);
  buckets->n_not += is_too_large;
  note_serving(buckets, common->bind, bucket, plan->arena_bytes, is_too_large);
  if (!buckets->rows) {
    g_autofree char *peak = tn_cli_size(common, study->live->peak);
    g_autofree char *arena = tn_cli_size(common, plan->arena_bytes);
    tn_say("%-32s %14s %14s  %s%s%s%s\n", bucket, peak, arena,
           plan->is_optimal ? "optimal" : "not proved",
           capacity <= 0  ? ""
           : is_too_large ? ", does not fit"
                          : ", fits",
           written ? "  " : "", written ? written : "");
    return;
  }
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "bucket", bucket);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  tn_json_add_bytes(row, "arena_bytes", plan->arena_bytes);
  tn_json_add_bytes(row, "lower_bound_bytes", plan->lower_bound_bytes);
  cJSON_AddBoolToObject(row, "optimal", plan->is_optimal);
  tn_json_add_integer(row, "unsized_tensors", study->n_unsized);
  if (capacity > 0) {
    tn_json_add_bytes(row, "capacity_bytes", capacity);
    cJSON_AddBoolToObject(row, "fits", !is_too_large);
  }
  if (written)
    cJSON_AddStringToObject(row, "written", written);
  cJSON_AddItemToArray(buckets->rows, row);
}

static void
report_none(Buckets *buckets, const char *bucket, const TnStudy *study, const TnPlan *plan)
{
  buckets->n_not++;
  if (!buckets->rows) {
    tn_say("%-32s %14s %14s  %s\n", bucket, "", "no plan", tn_plan_reason(plan));
    return;
  }
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "bucket", bucket);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  cJSON_AddNullToObject(row, "arena_bytes");
  cJSON_AddStringToObject(row, "reason", tn_plan_reason(plan));
  cJSON_AddItemToArray(buckets->rows, row);
}

static TnExit
plan_bucket(Buckets *buckets, const char *file, const TnCommonOptions *common, const char *bucket)
{
  TnExit code;
  const TnCliPlanOptions *own = buckets->own;
  TnCliPlanOptions rest = *own;
  TnCommonOptions bound = *common;
  g_auto(GStrv) bind = join_bindings(common->bind, bucket);
  bound.bind = bind;
  g_autoptr(TnDocument) document = tn_cli_load(file, &bound, &code);
  if (!document)
    return code;
  g_autofree uint32_t *order =
      own->order ? tn_cli_build_order(document, &bound, own->order, &rest.time_limit, &code) : NULL;
  bound.order = order;
  g_autoptr(TnStudy) study = order || !own->order ? tn_cli_study(document, &bound, &code) : NULL;
  if (!study)
    return code;
  tn_cli_add_study_warnings(document, study);
  g_autoptr(TnPlan) plan = tn_cli_plan_build(study, &bound, &rest, &buckets->wanted);
  if (!plan)
    return TN_EXIT_NO;
  if (buckets->rows)
    tn_json_append_warnings(buckets->warnings, document->diagnostics, "bucket", bucket);
  if (plan->status == TN_PLAN_FAILED) {
    report_none(buckets, bucket, study, plan);
    return TN_EXIT_DONE;
  }
  g_autofree char *path = own->output ? bucket_path(own->output, bucket) : NULL;
  if (path && !tn_cli_plan_write(document, study, plan, &bound, path))
    return TN_EXIT_INPUT;
  report_bucket(buckets, common, bucket, study, plan, path);
  return TN_EXIT_DONE;
}

/* What is of one plan alone. */
static bool
check_buckets(const TnCliPlanOptions *own)
{
  const char *other = own->against ? "--against" : own->compact_at != TN_CLI_NO_TICK ? "--compact-at" : NULL;
  if (other)
    tn_cli_complain("plan: %s is of one plan: it does not go with --bucket", other);
  else if (tn_cli_is_stdout(own->output))
    tn_cli_complain("plan: --bucket writes a file for each: -o - has room for one only");
  bool is_good = !other && !tn_cli_is_stdout(own->output);
  for (char **bucket = own->buckets; is_good && *bucket; bucket++) {
    g_autoptr(GHashTable) dims = tn_cli_dims_parse("--bucket", *bucket);
    is_good = dims != NULL;
  }
  return is_good;
}

bool
tn_cli_plan_check_serve(const TnCliPlanOptions *own)
{
  if (own->serve && !own->buckets)
    tn_cli_complain("plan: --serve asks which --bucket serves, and there is none");
  return !own->serve || own->buckets;
}

TnExit
tn_cli_plan_buckets(const char *file, const TnCommonOptions *common, const TnCliPlanOptions *own)
{
  Buckets buckets = {.own = own};
  g_autoptr(GHashTable) wanted_dims = NULL;
  if (!check_buckets(own) || !tn_cli_plan_parse(common, own, &buckets.wanted))
    return TN_EXIT_USAGE;
  if (own->serve && !(wanted_dims = tn_cli_dims_parse("--serve", own->serve)))
    return TN_EXIT_USAGE;
  buckets.wanted_dims = wanted_dims;
  cJSON *object = cJSON_CreateObject();
  if (common->is_json) {
    buckets.rows = cJSON_AddArrayToObject(object, "buckets");
    buckets.warnings = cJSON_AddArrayToObject(object, "warnings");
  } else
    tn_say("%-32s %14s %14s\n", "Bucket", "live peak", "arena");
  TnExit code = TN_EXIT_DONE;
  for (gsize i = 0; own->buckets[i] && code == TN_EXIT_DONE; i++)
    code = plan_bucket(&buckets, file, common, own->buckets[i]);
  if (code == TN_EXIT_DONE && own->serve && !common->is_json)
    say_serving(&buckets);
  if (own->serve && buckets.serving)
    cJSON_AddStringToObject(object, "served_by", buckets.serving);
  if (common->is_json && code == TN_EXIT_DONE)
    tn_json_print(object);
  else
    cJSON_Delete(object);
  bool is_no = buckets.n_not > 0 || (own->serve && !buckets.serving);
  return code == TN_EXIT_DONE && is_no ? TN_EXIT_NO : code;
}
