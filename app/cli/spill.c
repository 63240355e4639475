/* SPDX-License-Identifier: MIT */
/* tenure-cli spill: what to move out, bring back and run again to fit into a budget. */
#include "config.h"

#include "app/cli/arena-sections.h"
#include "app/cli/spill.h"

#include "analysis/budget/calibrate.h"
#include "app/answer/time-limit.h"
#include "data/write.h"

#include <string.h>

typedef struct {
  char *budget, *order, *cost_model, *link, *output, *least_bytes;
  gint sweep, least_idle;
  double time_limit, tflops, gbps;
  gboolean no_recompute, no_moves, with_candidates;
} SpillOptions;

/* ---- the command --------------------------------------------------------------------------- */

static bool
write_plan(const Spill *spill, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = tn_spill_build_file(&spill->report);
  bool is_good = text && tn_write_file(path, text, strlen(text), &error);
  if (!text)
    tn_cli_complain("%s: not written: %s", path, TN_JSON_TOO_LARGE);
  if (error)
    tn_cli_complain("%s", error->message);
  return is_good;
}

static TnLink *
load_link_file(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  gsize size;
  TnLink *link = NULL;
  if (g_file_get_contents(path, &text, &size, &error))
    link = tn_link_new_from_text(path, text, size, &error);
  if (error)
    tn_cli_complain("--cost-model %s", error->message);
  return link;
}

static TnLink *
choose_link(const TnDocument *document, const SpillOptions *own)
{
  const TnLinkPreset *presets = tn_link_presets();
  if (own->cost_model)
    return load_link_file(own->cost_model);
  if (!own->link) {
    TnLink *link = tn_link_new_for_graph(document->graph);
    return link ? link : tn_link_new_for_preset(&presets[0]);
  }
  for (gsize i = 0; presets[i].name; i++)
    if (strcmp(presets[i].name, own->link) == 0)
      return tn_link_new_for_preset(&presets[i]);
  tn_cli_complain("--link %s: expected pcie3-x16, pcie4-x16 or pcie3-x8", own->link);
  return NULL;
}

static TnExit
report(Spill *spill, const SpillOptions *own)
{
  const TnSpillAnswer *answer = spill->report.answer;
  TnExit code = answer->found.is_found ? TN_EXIT_DONE : TN_EXIT_NO;
  tn_spill_report_run(&spill->report);
  tn_spill_report_plan_offsets(&spill->report);
  tn_cli_print_warnings(spill->report.document->diagnostics);
  if (spill->report.offsets && !spill->report.is_sound) {
    tn_cli_complain("the offsets of the spill plan break a rule, please report this");
    code = TN_EXIT_NO;
  }
  if (spill->report.is_refused)
    tn_cli_complain("no offsets were found in which no stream overwrites what another one still reads%s",
                    own->output ? ": no plan is written" : "");
  if (own->output && spill->report.is_refused)
    code = TN_EXIT_NO;
  else if (own->output && !write_plan(spill, own->output))
    code = TN_EXIT_INPUT;
  else if (spill->common->is_json)
    tn_json_print(tn_spill_build_json(&spill->report));
  else if (!tn_cli_is_stdout(own->output))
    tn_spill_print(spill, own->with_candidates);
  tn_spill_report_clear(&spill->report);
  return code;
}

static bool
is_rate(double rate)
{
  return rate > 0 && rate <= 1e9;
}

static TnExit
spill_graph(Spill *spill, const SpillOptions *own)
{
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  if (!is_rate(own->tflops) || !is_rate(own->gbps)) {
    tn_cli_complain("spill: --tflops and --gbps must be above 0, and at most a billion");
    return TN_EXIT_USAGE;
  }
  if (own->sweep < 0 || own->sweep > 1000 || own->least_idle < 0) {
    tn_cli_complain("spill: %s", own->least_idle < 0 ? "--least-idle must be 0 or more"
                                                     : "--sweep must be from 0 to 1000");
    return TN_EXIT_USAGE;
  }
  if (!own->budget) {
    tn_cli_complain("spill: --budget SIZE is missing");
    return TN_EXIT_USAGE;
  }
  if (!tn_cli_parse_budget("--budget", own->budget, &params.budget) ||
      !tn_cli_parse_size("--least-bytes", own->least_bytes, &params.limits.least_bytes) ||
      !tn_cli_lifetime_params(spill->common, &spill->report.lifetime))
    return TN_EXIT_USAGE;
  params.time_limit = own->time_limit * TN_ANSWER_SEARCH_PART;
  spill->report.time_limit = own->time_limit;
  params.sweep = (uint32_t)own->sweep;
  params.limits.least_idle = (uint32_t)own->least_idle;
  params.limits.no_moves = own->no_moves;
  params.limits.no_recompute = own->no_recompute;
  params.limits.rate.flops_per_second = own->tflops * 1e12;
  params.limits.rate.bytes_per_second = own->gbps * 1e9;
  spill->report.rate = params.limits.rate;
  params.link = spill->report.link;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(spill->report.document->graph, spill->report.document->strings,
                   &spill->report.lifetime, &params, &error);
  if (!answer) {
    tn_cli_complain("%s: %s", spill->report.document->shown_path, error->message);
    return TN_EXIT_INPUT;
  }
  spill->report.answer = answer;
  tn_arena_sections_warn(spill->common, spill->report.document, params.budget);
  return report(spill, own);
}

static TnExit
spill_document(const TnDocument *document, TnCommonOptions *common, const SpillOptions *own)
{
  TnExit code = TN_EXIT_USAGE;
  SpillOptions left = *own; /* with what the search for the order leaves of the time */
  Spill spill = {.report.document = document, .common = common};
  if (!tn_cli_need_graph(document))
    return TN_EXIT_INPUT;
  if (!tn_cli_check_time_limit(own->time_limit))
    return TN_EXIT_USAGE;
  g_autofree uint32_t *order =
      own->order ? tn_cli_build_order(document, common, own->order, &left.time_limit, &code) : NULL;
  if (own->order && !order)
    return code;
  common->order = order;
  if (own->cost_model && own->link) {
    tn_cli_complain("spill: --cost-model and --link both say how long a transfer takes");
    return TN_EXIT_USAGE;
  }
  g_autoptr(TnLink) link = choose_link(document, own);
  if (!link)
    return own->cost_model ? TN_EXIT_INPUT : TN_EXIT_USAGE;
  spill.report.link = link;
  return spill_graph(&spill, &left);
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  SpillOptions own = {.tflops = 10, .gbps = 500};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget, "What there is; exit 1 where no plan fits",
       "SIZE"},
      {"order", 0, 0, G_OPTION_ARG_FILENAME, &own.order,
       "Of the ops: file (default), a method of `schedule`, or what `schedule -o` wrote", "WHAT"},
      {"cost-model", 0, 0, G_OPTION_ARG_FILENAME, &own.cost_model,
       "Transfer times: what `calibrate` wrote, or reads", "FILE"},
      {"link", 0, 0, G_OPTION_ARG_STRING, &own.link,
       "Transfer times: pcie3-x16, pcie4-x16 or pcie3-x8 (default: the graph's, else the first)",
       "NAME"},
      {"sweep", 0, 0, G_OPTION_ARG_INT, &own.sweep, "Plan for N budgets too", "N"},
      {"time-limit", 0, 0, G_OPTION_ARG_DOUBLE, &own.time_limit,
       "Stop after this long, in all (default: 2 for the plan, more for the rest)", "SECONDS"},
      {"least-bytes", 0, 0, G_OPTION_ARG_STRING, &own.least_bytes, "Leave smaller storages",
       "SIZE"},
      {"least-idle", 0, 0, G_OPTION_ARG_INT, &own.least_idle,
       "Only storages that idle for so many ops", "N"},
      {"tflops", 0, 0, G_OPTION_ARG_DOUBLE, &own.tflops,
       "Of ops whose time the graph does not say: rate of computing (default 10)", "N"},
      {"gbps", 0, 0, G_OPTION_ARG_DOUBLE, &own.gbps,
       "The same: rate of the device's memory in GB/s (default 500)", "N"},
      {"no-recompute", 0, 0, G_OPTION_ARG_NONE, &own.no_recompute, "Only move", NULL},
      {"no-moves", 0, 0, G_OPTION_ARG_NONE, &own.no_moves, "Only recompute", NULL},
      {"candidates", 0, 0, G_OPTION_ARG_NONE, &own.with_candidates,
       "List every idle storage with its verdict and why", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &own.output,
       "Write lives, offsets and actions (a tenure-plan)", "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_spill, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = TN_EXIT_USAGE;
  g_autoptr(TnDocument) document = tn_cli_check_stdout(&tn_command_spill, own.output, &common)
                                       ? tn_cli_load(files[0], &common, &code)
                                       : NULL;
  if (document)
    code = spill_document(document, &common, &own);
  tn_common_options_clear(&common);
  char *const texts[] = {own.budget, own.order,  own.cost_model,
                         own.link,   own.output, own.least_bytes};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
  return code;
}

const TnCommand tn_command_spill = {"spill", "FILE", "Fit a graph into a budget: move, recompute",
                                    run};
