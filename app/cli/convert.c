/* SPDX-License-Identifier: MIT */
/* tenure-cli convert: to our JSON or CSV. */
#include "config.h"

#include "app/cli/cli.h"

#include "data/graph-writer.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

static TnExit
convert_file(const TnDocument *document, const TnCommonOptions *common, const char *path)
{
  TnExit code;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnStudy) study = tn_cli_study(document, common, &code);
  if (!study)
    return code;
  TnPlanOutput output = {.document = document,
                         .device = study->device,
                         .buffers = study->buffers,
                         .strategy = document->strategy,
                         .lifetime_model = document->lifetime_model,
                         .lower_bound_bytes = study->live->peak,
                         .arena_bytes = study->arena_bytes,
                         .resident_bytes = study->resident_bytes,
                         .space_arena_bytes = study->space_arena,
                         .n_spaces = study->n_spaces};
  /* A graph stays one; as CSV it is the lives that it has in its order. */
  bool is_csv = g_str_has_suffix(path, ".csv");
  g_autofree char *text = is_csv ? tn_plan_build_csv(&output)
                          : study->graph_lives
                              ? tn_graph_build_json(document->graph, document->strings)
                              : tn_plan_build_json(&output);
  tn_cli_add_study_warnings(document, study);
  tn_cli_print_warnings(document->diagnostics);
  if (!tn_write_file(path, text, strlen(text), &error)) {
    tn_cli_complain("%s", error->message);
    return TN_EXIT_INPUT;
  }
  if (common->is_json) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "written", path);
    tn_json_add_integer(object, "buffers", study->buffers->n);
    tn_json_add_warnings(object, document->diagnostics);
    tn_json_print(object);
  } else if (strcmp(path, "-") != 0) {
    printf("%s: %u buffers\n", path, study->buffers->n);
  }
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
