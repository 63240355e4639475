/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/shape-buckets.h"

#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "analysis/study.h"
#include "analysis/stream-uses.h"
#include "data/reader.h"
#include "data/write.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_BUCKETS 24

TnShapeBuckets *
tn_shape_buckets_new(const char *path)
{
  TnShapeBuckets *buckets = g_new0(TnShapeBuckets, 1);
  buckets->path = g_strdup(path);
  buckets->names = g_ptr_array_new_with_free_func(g_free);
  buckets->lists = g_ptr_array_new_with_free_func(g_free);
  return buckets;
}

void
tn_shape_buckets_free(TnShapeBuckets *buckets)
{
  if (!buckets)
    return;
  g_free(buckets->path);
  g_free(buckets->folder);
  g_ptr_array_unref(buckets->names);
  g_ptr_array_unref(buckets->lists);
  g_free(buckets);
}

static bool
is_value(const char *text)
{
  bool is_rest = text[0] == '0' && text[1]; /* of a thousand */
  return !is_rest && g_ascii_isdigit(text[0]) && g_ascii_string_to_signed(text, 10, 0, G_MAXINT32, NULL, NULL);
}

bool
tn_shape_list_is_good(const char *list, guint most)
{
  g_auto(GStrv) parts = g_strsplit(list, ",", -1);
  guint n = g_strv_length(parts);
  if (n == 0 || (n == 1 && !*g_strstrip(parts[0])))
    return true;
  for (guint i = 0; i < n; i++)
    if (!is_value(g_strstrip(parts[i])))
      return false;
  return n <= most;
}

static char *
value_at(const char *list, guint k)
{
  g_auto(GStrv) parts = g_strsplit(list, ",", -1);
  guint n = g_strv_length(parts);
  return n ? g_strdup(g_strstrip(parts[MIN(k, n - 1)])) : g_strdup("");
}

/* The k-th set, and its name: "batch=4,seq=128". */
static GHashTable *
build_bindings(const TnShapeBuckets *buckets, guint k, GString *name)
{
  GHashTable *bindings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < buckets->names->len; i++) {
    g_autofree char *value = value_at(buckets->lists->pdata[i], k);
    if (!value[0])
      continue;
    g_string_append_printf(name, "%s%s=%s", name->len ? "," : "",
                           (const char *)buckets->names->pdata[i], value);
    g_hash_table_insert(bindings, g_strdup(buckets->names->pdata[i]), g_steal_pointer(&value));
  }
  return bindings;
}

static bool
write_plan(const TnShapeBuckets *buckets, const TnStudy *study, const TnPlan *plan,
           const char *bucket, GError **error)
{
  g_autoptr(GArray) last_uses = tn_stream_uses_build_stated(study, NULL);
  TnPlanOutput output = {.document = study->document,
                         .device = study->device,
                         .buffers = study->buffers,
                         .offset = plan->offset,
                         .strategy = plan->strategy,
                         .lifetime_model = "kernel",
                         .lower_bound_bytes = plan->lower_bound_bytes,
                         .arena_bytes = plan->arena_bytes,
                         .resident_bytes = study->resident_bytes,
                         .is_optimal = plan->is_optimal,
                         .last_uses = last_uses,
                         .space_arena_bytes = plan->space_arena,
                         .n_spaces = plan->n_spaces};
  g_autofree char *base = g_path_get_basename(buckets->path);
  g_autofree char *safe = g_strdelimit(g_strdup(bucket), "/\\ ", '_');
  g_autofree char *file = g_strdup_printf("%s-%s.json", base, safe);
  g_autofree char *path = g_build_filename(buckets->folder, file, NULL);
  g_autofree char *text = tn_plan_build_json(&output);
  return tn_write_file(path, text, strlen(text), error);
}

static void
append_figures(GString *table, const TnShapeBuckets *buckets, const TnStudy *study,
               const TnPlan *plan, const char *bucket)
{
  char peak[48], arena[48];
  g_autoptr(GError) error = NULL;
  g_string_append_printf(table,
                         study->n_unsized ? _("  peak %s · arena %s (some sizes unknown)")
                                          : _("  peak %s · arena %s"),
                         tn_print_bytes(peak, sizeof peak, study->live->peak, buckets->units),
                         tn_print_bytes(arena, sizeof arena, plan->arena_bytes, buckets->units));
  if (buckets->folder)
    g_string_append_printf(table, " · %s",
                           write_plan(buckets, study, plan, bucket, &error) ? _("written")
                                                                            : error->message);
}

static void
append_bucket(GString *table, const TnShapeBuckets *buckets, guint k)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnPlanParams plan_params = TN_PLAN_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) name = g_string_new(NULL);
  g_autoptr(GHashTable) bindings = build_bindings(buckets, k, name);
  options.bindings = bindings;
  params.graph.preset = buckets->preset;
  g_autoptr(TnDocument) document = tn_document_load(buckets->path, &options, &error);
  g_autoptr(TnStudy) study = document ? tn_study_new(document, 0, &params, NULL, &error) : NULL;
  g_autoptr(TnStreamUses) uses = study ? tn_stream_uses_new_for_study(study, NULL, NULL) : NULL;
  plan_params.uses = uses;
  g_autoptr(TnPlan) plan =
      study ? tn_plan_new_for_buffers(study->buffers, tn_strategies_find("greedy-size"),
                                      study->alignment, &plan_params)
            : NULL;
  g_string_append(table, name->str);
  if (!plan) {
    g_string_append_printf(table, "  %s", error->message);
    return;
  }
  g_autofree char *broken =
      plan->status == TN_PLAN_FAILED
          ? g_strdup(_("no plan"))
          : tn_check_dup_plan_error(document, study->buffers, plan->offset, study->alignment,
                                    plan->space_arena, plan->n_spaces);
  if (broken)
    g_string_append_printf(table, "  %s", broken);
  else
    append_figures(table, buckets, study, plan, name->str);
}

char *
tn_shape_buckets_run(const TnShapeBuckets *buckets)
{
  guint most = 1;
  GString *table = g_string_new(NULL);
  for (guint i = 0; i < buckets->lists->len; i++) {
    g_auto(GStrv) parts = g_strsplit(buckets->lists->pdata[i], ",", -1);
    most = MAX(most, g_strv_length(parts));
  }
  for (guint k = 0; k < MIN(most, (guint)MOST_BUCKETS); k++) {
    g_string_append(table, k ? "\n" : "");
    append_bucket(table, buckets, k);
  }
  if (most > MOST_BUCKETS) {
    guint n = most - MOST_BUCKETS;
    g_string_append_c(table, '\n');
    g_string_append_printf(
        table, ngettext("and %u more, which is not computed", "and %u more, which are not computed", n), n);
  }
  return g_string_free(table, FALSE);
}
