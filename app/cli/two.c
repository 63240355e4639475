/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/two.h"

#include "analysis/plan/plan.h"

#include <string.h>

#define N_SIDE_ENTRIES 7

static const struct {
  const char *name;
  GOptionArg kind;
  gsize at;
  const char *says, *value;
} side_entries[N_SIDE_ENTRIES] = {
    {"strategy", G_OPTION_ARG_STRING, G_STRUCT_OFFSET(TnSideOptions, strategy),
     "The planner of this side's offsets", "NAME"},
    {"order", G_OPTION_ARG_FILENAME, G_STRUCT_OFFSET(TnSideOptions, order),
     "The order of this side's ops", "WHAT"},
    {"align", G_OPTION_ARG_STRING, G_STRUCT_OFFSET(TnSideOptions, align), "--align of this side",
     "SIZE"},
    {"preset", G_OPTION_ARG_STRING, G_STRUCT_OFFSET(TnSideOptions, preset), "--preset of this side",
     "RUNTIME"},
    {"lifetime-model", G_OPTION_ARG_STRING, G_STRUCT_OFFSET(TnSideOptions, lifetime_model),
     "--lifetime-model of this side", "MODEL"},
    {"device", G_OPTION_ARG_STRING, G_STRUCT_OFFSET(TnSideOptions, device), "--device of this side",
     "N"},
    {"bind", G_OPTION_ARG_STRING_ARRAY, G_STRUCT_OFFSET(TnSideOptions, bind), "--bind of this side",
     "DIM=N"},
};

/* GOption keeps the names: they must stay as long as the context. */
static const char *const a_names[N_SIDE_ENTRIES] = {
    "a-strategy", "a-order", "a-align", "a-preset", "a-lifetime-model", "a-device", "a-bind"};
static const char *const b_names[N_SIDE_ENTRIES] = {
    "b-strategy", "b-order", "b-align", "b-preset", "b-lifetime-model", "b-device", "b-bind"};

static GOptionEntry *
fill_side(GOptionEntry *entry, const char *const *names, TnSideOptions *options)
{
  for (gsize i = 0; i < N_SIDE_ENTRIES; i++)
    *entry++ = (GOptionEntry){.long_name = names[i],
                              .arg = side_entries[i].kind,
                              .arg_data = (char *)options + side_entries[i].at,
                              .description = side_entries[i].says,
                              .arg_description = side_entries[i].value};
  return entry;
}

GOptionEntry *
tn_cli_two_join_entries(TnCliTwo *two, const GOptionEntry *own)
{
  gsize n = 0;
  while (own[n].long_name)
    n++;
  GOptionEntry *entries = g_new0(GOptionEntry, n + 2 * N_SIDE_ENTRIES + 3);
  memcpy(entries, own, n * sizeof *own);
  GOptionEntry *next = fill_side(entries + n, a_names, &two->options_a);
  next = fill_side(next, b_names, &two->options_b);
  *next++ = (GOptionEntry){.long_name = "match",
                           .arg = G_OPTION_ARG_STRING_ARRAY,
                           .arg_data = &two->matches,
                           .description = "A's buffer is B's, by name or #ROW; A= or =B: has none",
                           .arg_description = "A=B"};
  *next = (GOptionEntry){.long_name = "time-limit",
                         .arg = G_OPTION_ARG_DOUBLE,
                         .arg_data = &two->time_limit,
                         .description = "Stop searching for a plan after this long",
                         .arg_description = "SECONDS"};
  return entries;
}

/* The common options with a side's own in their place; all borrowed. */
static TnCommonOptions
merge(const TnCommonOptions *common, const TnSideOptions *side)
{
  TnCommonOptions merged = *common;
  merged.align = side->align ? side->align : common->align;
  merged.preset = side->preset ? side->preset : common->preset;
  merged.lifetime_model = side->lifetime_model ? side->lifetime_model : common->lifetime_model;
  merged.device = side->device ? side->device : common->device;
  merged.bind = side->bind ? side->bind : common->bind;
  return merged;
}

static bool
has_same_reading(const TnSideOptions *a, const TnSideOptions *b)
{
  static const char *const none[] = {NULL};
  return g_strcmp0(a->preset, b->preset) == 0 &&
         g_strv_equal(a->bind ? (const char *const *)a->bind : none,
                      b->bind ? (const char *const *)b->bind : none);
}

/* Offsets of a planner; `name` NULL: only where there are none. */
static bool
place(TnCliSide *side, const char *name, const char *option, double time_limit)
{
  TnStudy *study = side->study;
  if (study->is_log || study->buffers->n == 0 || (!name && study->arena_bytes != TN_BYTES_UNKNOWN))
    return true;
  const TnStrategy *strategy = tn_strategies_find(name ? name : "greedy-size");
  if (!strategy) {
    tn_cli_complain("%s %s: no such planner; `tenure-cli strategies` lists them", option, name);
    return false;
  }
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new_for_study(study, side->order, NULL);
  TnPlanParams params = {.time_limit = time_limit, .uses = uses};
  tn_bytes alignment = study->graph_lives ? study->graph_lives->alignment : 0;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(study->buffers, strategy, alignment, &params);
  tn_cli_add_plan_warnings(side->document, plan);
  if (plan->status == TN_PLAN_FAILED) {
    tn_cli_complain("%s: no plan: %s", side->document->shown_path,
                    tn_plan_reason(plan));
    return false;
  }
  side->study = tn_study_new_with_offsets(study, plan->offset, plan->space_arena, plan->n_spaces);
  side->strategy = strategy->name;
  tn_study_unref(study);
  return true;
}

static bool
study_side(TnCliSide *side,
           const TnSideOptions *own,
           const TnCommonOptions *common,
           const char *option,
           double time_limit,
           TnExit *out_exit)
{
  TnCommonOptions merged = merge(common, own);
  if (own->order) {
    side->order = tn_cli_build_order(side->document, &merged, own->order, &time_limit, out_exit);
    if (!side->order)
      return false;
  }
  merged.order = side->order;
  side->study = tn_cli_study(side->document, &merged, out_exit);
  if (!side->study)
    return false;
  *out_exit = TN_EXIT_USAGE;
  if (!place(side, own->strategy, option, time_limit))
    return false;
  *out_exit = TN_EXIT_DONE;
  return true;
}

static bool
load_side(TnCliSide *side,
          const char *path,
          const TnSideOptions *own,
          const TnCommonOptions *common,
          TnExit *out_exit)
{
  TnCommonOptions merged = merge(common, own);
  side->document = side->owned_document = tn_cli_load(path, &merged, out_exit);
  return side->document != NULL;
}

bool
tn_cli_two_load(TnCliTwo *two,
                const char *path_a,
                const char *path_b,
                const TnCommonOptions *common,
                TnExit *out_exit)
{
  *out_exit = TN_EXIT_USAGE;
  if (!tn_cli_check_time_limit(two->time_limit) ||
      !load_side(&two->a, path_a, &two->options_a, common, out_exit))
    return false;
  bool is_same = strcmp(path_a, path_b) == 0 && has_same_reading(&two->options_a, &two->options_b);
  if (is_same)
    two->b.document = two->a.document;
  else if (!load_side(&two->b, path_b, &two->options_b, common, out_exit))
    return false;
  return study_side(&two->a, &two->options_a, common, "--a-strategy", two->time_limit, out_exit) &&
         study_side(&two->b, &two->options_b, common, "--b-strategy", two->time_limit, out_exit);
}

static bool
is_one_file(const TnCliTwo *two)
{
  return two->a.document == two->b.document;
}

/* Of one file's two studies the second is told where it is of another device. */
static void
warn(const TnCliTwo *two)
{
  const TnStudy *a = two->a.study, *b = two->b.study;
  tn_cli_add_study_warnings(two->a.document, a);
  if (!is_one_file(two) || a->device_row != b->device_row)
    tn_cli_add_study_warnings(two->b.document, b);
  tn_cli_print_warnings_of(is_one_file(two) ? NULL : "A", two->a.document->diagnostics);
  if (!is_one_file(two))
    tn_cli_print_warnings_of("B", two->b.document->diagnostics);
}

void
tn_cli_two_add_warnings(cJSON *object, const TnCliTwo *two)
{
  cJSON *list = cJSON_AddArrayToObject(object, "warnings");
  tn_json_append_warnings(list, two->a.document->diagnostics, "side", is_one_file(two) ? "both" : "a");
  if (!is_one_file(two))
    tn_json_append_warnings(list, two->b.document->diagnostics, "side", "b");
}

TnDiff *
tn_cli_two_compare(const TnCliTwo *two, TnExit *out_exit)
{
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) fixed = g_array_new(FALSE, FALSE, sizeof(tn_index[2]));
  *out_exit = TN_EXIT_USAGE;
  if (!tn_cli_two_parse_matches(two, fixed))
    return NULL;
  *out_exit = TN_EXIT_INPUT;
  params.fixed = (const tn_index(*)[2])(const void *)fixed->data;
  params.n_fixed = fixed->len;
  params.order_a = two->a.order;
  params.order_b = two->b.order;
  TnDiff *diff = tn_diff_new(two->a.study, two->b.study, &params, &error);
  if (error)
    tn_cli_complain("%s", error->message);
  else
    warn(two);
  return diff;
}

static void
append_note(GString *text, const char *note)
{
  if (note)
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", note);
}

char *
tn_cli_side_dup_note(const TnCliSide *side, const TnSideOptions *options)
{
  GString *text = g_string_new(NULL);
  for (char **bind = options->bind; bind && *bind; bind++)
    append_note(text, *bind);
  /* A file by its name alone: where it lies is nobody's business. */
  g_autofree char *order = options->order ? g_filename_display_basename(options->order) : NULL;
  append_note(text, order);
  append_note(text, options->preset);
  append_note(text, options->lifetime_model);
  append_note(text, options->align);
  append_note(text, side->strategy);
  return g_string_free(text, FALSE);
}

static void
clear_options(TnSideOptions *options)
{
  g_free(options->strategy);
  g_free(options->order);
  g_free(options->align);
  g_free(options->preset);
  g_free(options->lifetime_model);
  g_free(options->device);
  g_strfreev(options->bind);
}

static void
clear_side(TnCliSide *side)
{
  tn_study_unref(side->study);
  g_free(side->order);
}

void
tn_cli_two_clear(TnCliTwo *two)
{
  clear_side(&two->a);
  clear_side(&two->b);
  tn_document_free(two->a.owned_document);
  tn_document_free(two->b.owned_document);
  clear_options(&two->options_a);
  clear_options(&two->options_b);
  g_strfreev(two->matches);
}

char *
tn_cli_delta(const TnCommonOptions *options, tn_bytes bytes)
{
  g_autofree char *size = tn_cli_size(options, bytes < 0 ? -bytes : bytes);
  return g_strdup_printf("%s%s", bytes > 0 ? "+" : bytes < 0 ? "-" : "", size);
}
