/* SPDX-License-Identifier: MIT */
/* tenure-cli calibrate: the time of copies from measurements. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/budget/calibrate.h"
#include "data/link-file.h"
#include "data/source.h"
#include "data/write.h"

#include <stdio.h>

typedef struct {
  const char *name; /* "out", "in" */
  TnLinkFit *fit;
} Way;

static void
add_segments(cJSON *object, const char *key, const TnLinkFit *fit)
{
  cJSON *list = cJSON_AddArrayToObject(object, key);
  for (guint i = 0; i < fit->segments->len; i++) {
    const TnLinkSegment *segment = &g_array_index(fit->segments, TnLinkSegment, i);
    cJSON *row = cJSON_CreateObject();
    tn_json_add_bytes(row, "from_bytes", segment->from);
    tn_json_add_bytes(row, "to_bytes", segment->to);
    cJSON_AddNumberToObject(row, "latency_seconds", segment->latency_seconds);
    cJSON_AddNumberToObject(row, "bytes_per_second", segment->bytes_per_second);
    cJSON_AddItemToArray(list, row);
  }
}

/* A table that `spill --cost-model` and a graph's `link` take as it is. */
static void
add_link(cJSON *object, const Way *ways, int n)
{
  cJSON *link = cJSON_AddObjectToObject(object, "link");
  for (int w = 0; w < n; w++) {
    g_autoptr(GArray) points = tn_link_fit_build_points(ways[w].fit);
    cJSON *list = cJSON_AddArrayToObject(link, ways[w].name);
    for (guint i = 0; i < points->len; i++) {
      const TnLinkPoint *point = &g_array_index(points, TnLinkPoint, i);
      cJSON *pair = cJSON_CreateArray();
      cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)point->bytes));
      cJSON_AddItemToArray(pair, cJSON_CreateNumber(point->seconds));
      cJSON_AddItemToArray(list, pair);
    }
  }
}

/* `segments` and the errors are those of the first way (out, where there are both); each way has
 * its own below `out` and `in`. */
static cJSON *
build_json(const char *path, const char *format, const Way *ways, int n)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", path);
  cJSON_AddStringToObject(object, "measured_by", format);
  add_segments(object, "segments", ways[0].fit);
  cJSON_AddNumberToObject(object, "median_error",
                          MAX(ways[0].fit->median_error, ways[n - 1].fit->median_error));
  cJSON_AddNumberToObject(object, "max_error",
                          MAX(ways[0].fit->max_error, ways[n - 1].fit->max_error));
  cJSON *list = cJSON_AddObjectToObject(object, "ways");
  for (int w = 0; w < n; w++) {
    cJSON *way = cJSON_AddObjectToObject(list, ways[w].name);
    tn_json_add_integer(way, "points", ways[w].fit->n_points);
    add_segments(way, "segments", ways[w].fit);
    cJSON_AddNumberToObject(way, "median_error", ways[w].fit->median_error);
    cJSON_AddNumberToObject(way, "max_error", ways[w].fit->max_error);
  }
  add_link(object, ways, n);
  return object;
}

static void
print_text(const TnCommonOptions *common, const char *format, const Way *ways, int n)
{
  tn_say("%-10s %s\n", "Measured", format);
  for (int w = 0; w < n; w++) {
    tn_say("%-10s %u points, median error %.2f %%, largest %.2f %%\n", ways[w].name,
           ways[w].fit->n_points, 100 * ways[w].fit->median_error, 100 * ways[w].fit->max_error);
    for (guint i = 0; i < ways[w].fit->segments->len; i++) {
      const TnLinkSegment *segment = &g_array_index(ways[w].fit->segments, TnLinkSegment, i);
      g_autofree char *from = tn_cli_size(common, segment->from);
      g_autofree char *to = tn_cli_size(common, segment->to);
      tn_say("  %12s to %12s  %8.2f µs + bytes at %7.2f GB/s\n", from, to,
             1e6 * segment->latency_seconds, segment->bytes_per_second / 1e9);
    }
  }
}

static TnExit
report(const TnCommonOptions *common, const char *path, const TnLinkFile *file, const char *output)
{
  Way ways[2];
  int n = 0;
  TnExit code = TN_EXIT_DONE;
  if (file->out->len)
    ways[n++] = (Way){"out", tn_link_fit_new(file->out)};
  if (file->in->len)
    ways[n++] = (Way){"in", tn_link_fit_new(file->in)};
  cJSON *object = build_json(path, file->format, ways, n);
  if (output && !tn_json_write(object, output))
    code = TN_EXIT_INPUT;
  if (common->is_json) {
    tn_json_print(object);
  } else {
    if (!tn_cli_is_stdout(output))
      print_text(common, file->format, ways, n);
    cJSON_Delete(object);
  }
  for (int w = 0; w < n; w++)
    tn_link_fit_free(ways[w].fit);
  return code;
}

static TnExit
calibrate(const TnCommonOptions *common, const char *path, const char *output)
{
  g_autoptr(GError) error = NULL;
  tn_bytes limit;
  TnLinkFile file;
  if (!tn_cli_parse_size("--memory-limit", common->memory_limit, &limit))
    return TN_EXIT_USAGE;
  g_autoptr(TnSource) source = tn_source_new(path, (gsize)limit, &error);
  if (!source || !tn_link_file_read(source->name, (const char *)source->data, source->size, &file, &error)) {
    tn_cli_complain("%s", error->message);
    return TN_EXIT_INPUT;
  }
  TnExit code = report(common, source->name, &file, output);
  tn_link_file_clear(&file);
  return code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  char *output = NULL;
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write the model (for spill --cost-model)",
       "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_calibrate, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = tn_cli_check_stdout(&tn_command_calibrate, output, &common)
                    ? calibrate(&common, files[0], output)
                    : TN_EXIT_USAGE;
  tn_common_options_clear(&common);
  g_free(output);
  return code;
}

const TnCommand tn_command_calibrate = {"calibrate", "FILE",
                                        "Fit the time of copies to measurements", run};
