/* SPDX-License-Identifier: MIT */
/* draw … -o FILE.html: the report as a page. */
#include "config.h"

#include "app/cli/draw-report.h"

#include "data/file-hash.h"
#include "data/write.h"

#include <string.h>

/* Quoted where a shell needs it.  A file by its name alone: where it lies is nobody's business. */
static char *
dup_argument(const char *argument)
{
  bool is_file = strchr(argument, '/') && g_file_test(argument, G_FILE_TEST_EXISTS);
  g_autofree char *shown = is_file ? g_path_get_basename(argument) : g_strdup(argument);
  bool is_plain = shown[0] && !shown[strcspn(shown, " \t\n'\"\\$&|;<>()*?[]#~`")];
  return is_plain ? g_steal_pointer(&shown) : g_shell_quote(shown);
}

char *
tn_cli_dup_options_line(int argc, char **argv)
{
  GString *line = g_string_new("tenure-cli");
  for (int i = 0; i < argc; i++) {
    if (g_str_equal(argv[i], "-o") || g_str_equal(argv[i], "--output")) {
      i++; /* where it is written changes no byte of it */
      continue;
    }
    if (g_str_has_prefix(argv[i], "-o") || g_str_has_prefix(argv[i], "--output="))
      continue;
    g_autofree char *argument = dup_argument(argv[i]);
    g_string_append_printf(line, " %s", argument);
  }
  return g_string_free(line, FALSE);
}

bool
tn_cli_write_html(TnReportParams *params, const char *path)
{
  g_autoptr(GError) error = NULL;
  const TnStudy *a = params->view ? params->view->study : params->diff->diff->a;
  g_autofree char *hash = tn_file_hash(a->document->path, NULL);
  g_autofree char *hash_b =
      params->diff ? tn_file_hash(params->diff->diff->b->document->path, NULL) : NULL;
  params->hash = hash; /* standard input can't be read again: it has none */
  params->hash_b = hash_b;
  params->version = TN_VERSION;
  g_autoptr(GByteArray) page = tn_report_build_html(params, &error);
  params->hash = params->hash_b = NULL;
  if (page && tn_write_file(path, page->data, page->len, &error))
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
