/* SPDX-License-Identifier: MIT */
/* draw --view report: hashes, notes, the file. */
#include "config.h"

#include "app/cli/draw-report.h"

#include "data/file-hash.h"
#include "data/write.h"

#include <string.h>

#define MOST_NOTES (256 * 1024) /* bytes */

/* A file by its name alone, also behind "--option=": where it lies is nobody's business. */
static char *
dup_shown(const char *argument)
{
  const char *equals = argument[0] == '-' ? strchr(argument, '=') : NULL;
  const char *path = equals && !g_file_test(argument, G_FILE_TEST_EXISTS) ? equals + 1 : argument;
  bool is_file = strchr(path, '/') && g_file_test(path, G_FILE_TEST_EXISTS);
  g_autofree char *name = is_file ? g_path_get_basename(path) : g_strdup(path);
  g_autofree char *whole = g_strdup_printf("%.*s%s", (int)(path - argument), argument, name);
  return g_filename_display_name(whole);
}

/* Quoted where a shell needs it. */
static char *
dup_argument(const char *argument)
{
  g_autofree char *shown = dup_shown(argument);
  bool is_plain = shown[0] && !shown[strcspn(shown, " \t\n'\"\\$&|;<>()*?[]#~`")];
  return is_plain ? g_steal_pointer(&shown) : g_shell_quote(shown);
}

char *
tn_cli_dup_options_line(int argc, char **argv)
{
  GString *line = g_string_new("tenure-cli");
  for (int i = 0; i < argc; i++) {
    /* Where it is written changes no byte of it, and notes stand on it themselves. */
    static const char *const left_out[] = {"-o", "--output", "--notes"};
    bool is_left_out = false, has_value = false;
    for (gsize k = 0; k < G_N_ELEMENTS(left_out) && !is_left_out; k++) {
      gsize n = strlen(left_out[k]);
      has_value = strcmp(argv[i], left_out[k]) == 0;
      is_left_out = has_value || (g_str_has_prefix(argv[i], left_out[k]) &&
                                  (argv[i][n] == '=' || argv[i][1] != '-'));
    }
    i += has_value;
    if (is_left_out)
      continue;
    g_autofree char *argument = dup_argument(argv[i]);
    g_string_append_printf(line, " %s", argument);
  }
  return g_string_free(line, FALSE);
}

bool
tn_cli_read_notes(const char *text, char **out_notes)
{
  gsize size;
  *out_notes = NULL;
  if (!text || text[0] != '@') {
    *out_notes = g_strdup(text);
    return true;
  }
  g_autoptr(GError) error = NULL;
  if (!g_file_get_contents(text + 1, out_notes, &size, &error)) {
    tn_cli_complain("--notes %s: %s", text, error->message);
    return false;
  }
  if (size <= MOST_NOTES && g_utf8_validate(*out_notes, (gssize)size, NULL)) {
    g_strchomp(*out_notes);
    return true;
  }
  tn_cli_complain("--notes %s: expected text in UTF-8, at most %d KiB", text, MOST_NOTES / 1024);
  g_clear_pointer(out_notes, g_free);
  return false;
}

bool
tn_cli_write_report(TnReportParams *params, const char *path)
{
  TnReportFormat format;
  g_autoptr(GError) error = NULL;
  const TnStudy *a = params->view ? params->view->study : params->diff->diff->a;
  g_autofree char *hash = tn_file_hash(a->document->path, NULL);
  g_autofree char *hash_b =
      params->diff ? tn_file_hash(params->diff->diff->b->document->path, NULL) : NULL;
  params->hash = hash;
  params->hash_b = hash_b;
  params->version = TN_VERSION;
  tn_report_format_from_path(path, &format);
  g_autoptr(GByteArray) bytes = tn_report_build(params, format, &error);
  params->hash = params->hash_b = NULL;
  if (bytes && tn_write_file(path, bytes->data, bytes->len, &error))
    return true;
  tn_cli_complain("%s", error->message);
  return false;
}

bool
tn_cli_is_html(const char *path)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, ".html") || g_str_has_suffix(lower, ".htm");
}
