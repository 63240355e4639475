/* SPDX-License-Identifier: MIT */
/* What the options of a command line say. */
#include "config.h"

#include "app/cli/cli.h"
#include "app/cli/memory-limit.h"

#include "data/units.h"

void
tn_common_options_clear(TnCommonOptions *options)
{
  g_free(options->format);
  g_free(options->align);
  g_strfreev(options->bind);
  g_strfreev(options->value);
  g_free(options->preset);
  g_free(options->lifetime_model);
  g_free(options->aliasing);
  g_free(options->edits);
  g_free(options->group_by);
  g_free(options->device);
  g_free(options->memory_limit);
}

static bool
complain_usage(const TnCommand *command, const char *what)
{
  tn_cli_complain("%s: %s; `tenure-cli %s --help` says how it is used", command->name, what,
                  command->name);
  return false;
}

/* GOption converts text from the locale's encoding and refuses what is none there, in "C" all that is not
 * ASCII: it is to leave it as it is. */
static void
add_entries(GOptionContext *context, const GOptionEntry *entries)
{
  for (; entries && entries->long_name; entries++) {
    GOptionEntry one[] = {*entries, {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    if (one->arg == G_OPTION_ARG_STRING)
      one->arg = G_OPTION_ARG_FILENAME;
    else if (one->arg == G_OPTION_ARG_STRING_ARRAY)
      one->arg = G_OPTION_ARG_FILENAME_ARRAY;
    g_option_context_add_main_entries(context, one, NULL);
  }
}

/* UTF-8 as it is, whatever the locale; else what the locale makes of it. */
static bool
make_utf8(char **text)
{
  if (!text || !*text || g_utf8_validate(*text, -1, NULL))
    return true;
  char *converted = g_locale_to_utf8(*text, -1, NULL, NULL, NULL);
  if (!converted)
    return false;
  g_free(*text);
  *text = converted;
  return true;
}

/* The name of the first option whose text is no text; NULL: none is. */
static const char *
check_texts(const GOptionEntry *entries)
{
  bool is_good = true;
  for (; entries && entries->long_name; entries++) {
    if (entries->arg == G_OPTION_ARG_STRING)
      is_good = make_utf8(entries->arg_data);
    else if (entries->arg == G_OPTION_ARG_STRING_ARRAY)
      for (char **text = *(char ***)entries->arg_data; text && *text; text++)
        is_good &= make_utf8(text);
    if (!is_good)
      return entries->long_name;
  }
  return NULL;
}

/* Those of common and own that GOption fills, and the files. */
static bool
parse_entries(const TnCommand *command,
              char ***list,
              const GOptionEntry *common,
              const GOptionEntry *own,
              char ***out_files)
{
  g_autoptr(GOptionContext) context = g_option_context_new(command->arguments);
  g_autoptr(GError) error = NULL;
  /* GOption takes "--" out of the arguments only where it is given them all. */
  const GOptionEntry rest[] = {
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, out_files, NULL, NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  g_option_context_set_summary(context, command->summary);
  add_entries(context, common);
  add_entries(context, own);
  g_option_context_add_main_entries(context, rest, NULL);
  if (!g_option_context_parse_strv(context, list, &error))
    return complain_usage(command, error->message);
  const char *wrong = check_texts(common);
  wrong = wrong ? wrong : check_texts(own);
  if (!wrong)
    return true;
  g_autofree char *what = g_strdup_printf("--%s: expected text in UTF-8", wrong);
  return complain_usage(command, what);
}

static bool
parse_all(const TnCommand *command, char ***list, TnCommonOptions *o, const GOptionEntry *own, char ***out_files)
{
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->is_json, "Print one JSON object", NULL},
      {"bytes", 0, 0, G_OPTION_ARG_NONE, &o->is_bytes, "Print exact sizes in bytes", NULL},
      {"format", 0, 0, G_OPTION_ARG_STRING, &o->format, "Read the file as this format", "NAME"},
      {"partial", 0, 0, G_OPTION_ARG_NONE, &o->is_partial,
       "Take what can be read of a truncated file", NULL},
      {"device", 0, 0, G_OPTION_ARG_STRING, &o->device, "The device to look at", "N"},
      {"align", 0, 0, G_OPTION_ARG_STRING, &o->align, "Round sizes and offsets up to this", "SIZE"},
      {"bind", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->bind,
       "Give a free dimension a value: NAME=N or INPUT[AXIS]=N", "DIM=N"},
      {"value", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->value, "Give a scalar input a value",
       "INPUT=N"},
      {"preset", 0, 0, G_OPTION_ARG_STRING, &o->preset, "A runtime's rules", "RUNTIME"},
      {"lifetime-model", 0, 0, G_OPTION_ARG_STRING, &o->lifetime_model,
       "kernel (default) or release-first", "MODEL"},
      {"aliasing", 0, 0, G_OPTION_ARG_STRING, &o->aliasing, "none, views or all (default)", "WHAT"},
      {"edits", 0, 0, G_OPTION_ARG_FILENAME, &o->edits,
       "Apply what-if edits to the graph (tenure-edits JSON)", "FILE"},
      {"no-workspace", 0, 0, G_OPTION_ARG_NONE, &o->no_workspace, "Leave workspaces out", NULL},
      {"group-by", 0, 0, G_OPTION_ARG_STRING, &o->group_by,
       "auto, call-site, kind, op-type, size, space, module, batch or stream", "WHAT"},
      {"memory-limit", 0, 0, G_OPTION_ARG_STRING, &o->memory_limit,
       "End rather than use more memory than this (default: 3/4 of the machine's)", "SIZE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  return parse_entries(command, list, entries, own, out_files);
}

/* Any step can be kept, but one that no allocator has is more likely a slip. */
static void
warn_of_align(const char *text)
{
  tn_bytes align;
  if (text && tn_parse_bytes(text, &align) && align > 0 && (align & (align - 1)))
    tn_say_error("warning: --align %s: not a power of two; taken as it is\n", text);
}

static bool
parse(const TnCommand *command,
      int argc,
      char **argv,
      TnCommonOptions *common,
      const GOptionEntry *entries,
      char ***out_files)
{
  tn_bytes limit;
  /* GOption names the program by argv[0]: make it "tenure-cli COMMAND". */
  g_autofree char *program = g_strdup_printf("tenure-cli %s", command->name);
  g_set_prgname(program);
  g_auto(GStrv) list = g_new0(char *, (gsize)argc + 1);
  for (int i = 0; i < argc; i++)
    list[i] = g_strdup(argv[i]);
  if (!parse_all(command, &list, common, entries, out_files) ||
      !tn_cli_parse_size("--memory-limit", common->memory_limit, &limit))
    return false;
  tn_cli_limit_memory((gsize)limit);
  warn_of_align(common->align);
  return true;
}

static bool
check_files(const TnCommand *command, char **files, int min_files, int max_files)
{
  int n = (int)g_strv_length(files);
  if (n < min_files)
    return complain_usage(command, "a FILE is missing");
  if (n <= max_files)
    return true;
  g_autofree char *what = g_strdup_printf("'%s' is one argument too many", files[max_files]);
  return complain_usage(command, what);
}

/* What was taken of the command's own options before one of them was refused. */
static void
clear_entries(const GOptionEntry *entries)
{
  for (; entries && entries->long_name; entries++)
    if (entries->arg == G_OPTION_ARG_STRING || entries->arg == G_OPTION_ARG_FILENAME)
      g_clear_pointer((char **)entries->arg_data, g_free);
    else if (entries->arg == G_OPTION_ARG_STRING_ARRAY || entries->arg == G_OPTION_ARG_FILENAME_ARRAY)
      g_clear_pointer((char ***)entries->arg_data, g_strfreev);
}

bool
tn_cli_parse(const TnCommand *command,
             int argc,
             char **argv,
             TnCommonOptions *common,
             const GOptionEntry *entries,
             int min_files,
             int max_files,
             char ***out_files)
{
  g_auto(GStrv) files = NULL;
  bool is_good = parse(command, argc, argv, common, entries, &files);
  if (is_good && !files)
    files = g_new0(char *, 1);
  if (is_good && check_files(command, files, min_files, max_files)) {
    *out_files = g_steal_pointer(&files);
    return true;
  }
  tn_common_options_clear(common);
  clear_entries(entries);
  return false;
}

bool
tn_cli_is_stdout(const char *path)
{
  return g_strcmp0(path, "-") == 0;
}

bool
tn_cli_check_stdout(const TnCommand *command, const char *path, const TnCommonOptions *options)
{
  if (!tn_cli_is_stdout(path) || !options->is_json)
    return true;
  return complain_usage(command, "-o - and --json would both write to standard output");
}

bool
tn_cli_check_output(const TnCommand *command, const char *path, const TnCommonOptions *options)
{
  if (!tn_cli_check_stdout(command, path, options))
    return false;
  if (!path || tn_cli_is_stdout(path) || g_str_has_suffix(path, ".json") ||
      g_str_has_suffix(path, ".csv"))
    return true;
  g_autofree char *what = g_strdup_printf("-o %s: expected the ending .json or .csv", path);
  return complain_usage(command, what);
}
