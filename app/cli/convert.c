/* SPDX-License-Identifier: MIT */
/* tenure-cli convert: to our JSON or CSV. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/stream-uses.h"
#include "data/graph-writer.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

/* A log's addresses as offsets into one arena, from the lowest on; NULL: there are none to move. */
static tn_bytes *
dup_offsets(const TnDocument *document, const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  tn_bytes lowest = TN_NOT_PLACED;
  for (uint32_t i = 0; i < b->n && study->is_log; i++)
    if (b->offset[i] != TN_NOT_PLACED && (lowest == TN_NOT_PLACED || b->offset[i] < lowest))
      lowest = b->offset[i];
  if (lowest == TN_NOT_PLACED || lowest == 0)
    return NULL;
  tn_bytes *offset = g_memdup2(b->offset, sizeof *offset * b->n);
  for (uint32_t i = 0; i < b->n; i++)
    offset[i] -= offset[i] == TN_NOT_PLACED ? 0 : lowest;
  tn_diagnostics_add(document->diagnostics, "addresses-moved", 1,
                     "offsets are addresses less the lowest one, 0x%" G_GINT64_MODIFIER "x",
                     (guint64)lowest);
  return offset;
}

/* What the file says of its plan, to be checked and not believed, is handed on as it stands; what it does
 * not say is measured, and no bound is made up. */
static void
fill_claims(TnPlanOutput *output, const TnStudy *study)
{
  const TnDocument *document = study->document;
  const TnDevice *device = study->device;
  const GArray *arenas = device->space_arena;
  bool has_arenas = device->arena_bytes >= 0;
  for (guint s = 0; arenas && s < arenas->len; s++)
    has_arenas |= g_array_index(arenas, tn_bytes, s) >= 0;
  output->lower_bound_bytes = TN_BYTES_UNKNOWN;
  if (study->is_log || study->buffers != device->buffers) /* of other sizes: --align */
    return;
  output->lower_bound_bytes = document->lower_bound_bytes;
  output->is_optimal = document->claims_optimal;
  if (!has_arenas)
    return;
  output->arena_bytes = device->arena_bytes;
  if (arenas && arenas->len == study->n_spaces)
    output->space_arena_bytes = (const tn_bytes *)(const void *)arenas->data;
  else if (study->n_spaces <= 1)
    output->space_arena_bytes = NULL;
}

/* A graph's JSON holds ops and tensors: options that shape lives and sizes have no place in it. */
static const char *
option_of_lives(const TnCommonOptions *common)
{
  return common->preset           ? "--preset"
         : common->lifetime_model ? "--lifetime-model"
         : common->aliasing       ? "--aliasing"
         : common->no_workspace   ? "--no-workspace"
         : common->align          ? "--align"
                                  : NULL;
}

/* Whether the options say nothing that would be lost; complains where they do. */
static bool
check_options(const TnStudy *study, const TnCommonOptions *common, bool is_csv)
{
  const char *option = study->graph_lives && !is_csv ? option_of_lives(common) : NULL;
  if (option)
    tn_cli_complain("convert: %s changes the lives of a graph's buffers, and its JSON holds ops and tensors: give it "
                    "to the command that reads that file, or write .csv",
                    option);
  return !option;
}

/* Graphs inside ops have no form in our JSON. */
static void
add_lost_bodies(const TnStudy *study)
{
  char size[48];
  const TnGraph *graph = study->document->graph;
  if (graph->bodies->len == 0)
    return;
  tn_diagnostics_add(study->document->diagnostics, "bodies-left-out", graph->bodies->len,
                     "%u %s inside ops (branches, loops) %s not written, nor %s weights (%s)", graph->bodies->len,
                     tn_plural(graph->bodies->len, "graph", "graphs"), tn_plural(graph->bodies->len, "is", "are"),
                     tn_plural(graph->bodies->len, "its", "their"),
                     tn_print_bytes(size, sizeof size, study->graph_lives->body_resident_bytes, TN_UNITS_IEC));
}

/* Nor have places in a plan that the file has beside its graph. */
static void
add_lost_plan(const TnStudy *study)
{
  char size[48];
  if (study->arena_bytes >= 0)
    tn_diagnostics_add(study->document->diagnostics, "plan-left-out", 1,
                       "a graph's JSON has no places: the plan that the file records (an arena of %s) is not written "
                       "(.csv has its lives and places)",
                       tn_print_bytes(size, sizeof size, study->arena_bytes, TN_UNITS_IEC));
}

/* Places are as far apart as the file's sizes ask. */
static void
add_rounded(const TnStudy *study)
{
  uint32_t n = 0;
  const TnBuffers *b = study->buffers, *own = study->device->buffers;
  for (tn_index i = 0; i < b->n; i++)
    n += study->offset && study->offset[i] != TN_NOT_PLACED &&
         b->bytes[i] != (own ? own->bytes[i] : tn_buffers_requested(b, i));
  if (n)
    tn_diagnostics_add(study->document->diagnostics, "places-of-other-sizes", n,
                       "--align makes %u placed %s larger, and places are those that the file gives: they may overlap "
                       "(`plan` gives others)",
                       n, tn_plural(n, "buffer", "buffers"));
}

static void
add_warnings(const TnStudy *study, const TnCommonOptions *common)
{
  const TnDocument *document = study->document;
  tn_cli_add_study_warnings(document, study);
  tn_cli_add_other_devices(study, common);
  if (study->device->samples)
    tn_diagnostics_add(document->diagnostics, "totals-only", 1,
                       "the file records totals over time, no buffers: what is written is empty");
  tn_cli_print_warnings(document->diagnostics);
}

static void
print_answer(const TnStudy *study, const TnCommonOptions *common, const char *path)
{
  if (common->is_json) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "written", path);
    tn_json_add_integer(object, "buffers", study->buffers->n);
    tn_json_add_warnings(object, study->document->diagnostics);
    tn_json_print(object);
  } else if (!tn_cli_is_stdout(path)) {
    tn_say("%s: %u %s\n", path, study->buffers->n,
           tn_plural(study->buffers->n, "buffer", "buffers"));
  }
}

static TnExit
convert_file(const TnDocument *document, const TnCommonOptions *common, const char *path)
{
  TnExit code;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnStudy) study = tn_cli_study(document, common, &code);
  if (!study)
    return code;
  bool is_csv = g_str_has_suffix(path, ".csv"), is_graph = study->graph_lives && !is_csv;
  if (!check_options(study, common, is_csv))
    return TN_EXIT_USAGE;
  g_autofree tn_bytes *offset = dup_offsets(document, study);
  g_autoptr(GArray) last_uses = tn_stream_uses_build_stated(study, NULL);
  TnPlanOutput output = {.document = document,
                         .device = study->device,
                         .buffers = study->buffers,
                         .offset = offset,
                         .strategy = document->strategy,
                         .lifetime_model = document->lifetime_model,
                         .arena_bytes = study->arena_bytes,
                         .resident_bytes = study->resident_bytes,
                         .space_arena_bytes = study->space_arena,
                         .last_uses = last_uses,
                         .n_spaces = study->n_spaces};
  fill_claims(&output, study);
  /* A graph stays one; as CSV it is the lives that it has in its order. */
  g_autofree char *text = is_csv     ? tn_plan_build_csv(&output)
                          : is_graph ? tn_graph_build_json(document->graph, document->strings)
                                     : tn_plan_build_json(&output);
  if (is_csv)
    tn_cli_add_csv_losses(document, &output);
  if (is_graph) {
    add_lost_bodies(study);
    add_lost_plan(study);
  }
  if (common->align)
    add_rounded(study);
  add_warnings(study, common);
  if (!tn_write_file(path, text, strlen(text), &error)) {
    tn_cli_complain("%s", error->message);
    return TN_EXIT_INPUT;
  }
  print_answer(study, common, path);
  return TN_EXIT_DONE;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  g_autofree char *path = NULL;
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &path, "Where to (.json or .csv)", "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_convert, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = TN_EXIT_USAGE;
  if (!path) {
    tn_cli_complain("convert: -o FILE is missing");
  } else if (tn_cli_check_output(&tn_command_convert, path, &common)) {
    g_autoptr(TnDocument) document = tn_cli_load(files[0], &common, &code);
    if (document)
      code = convert_file(document, &common, path);
  }
  tn_common_options_clear(&common);
  return code;
}

const TnCommand tn_command_convert = {"convert", "FILE -o OUT", "Write as tenure JSON or CSV", run};
