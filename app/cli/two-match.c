/* SPDX-License-Identifier: MIT */
/* --match A=B: pairs of a diff that a person sets. */
#include "config.h"

#include "app/cli/two.h"

#include <string.h>

/* "#12" is a row; a name must be the only one. */
static bool
find_row(const TnStudy *study, const char *word, const char *name, tn_index *out_row)
{
  const TnBuffers *b = study->buffers;
  const TnStrings *strings = study->document->strings;
  uint32_t n = 0;
  guint64 row;
  *out_row = TN_NONE;
  if (!*name)
    return true;
  if (name[0] == '#' && g_ascii_string_to_unsigned(name + 1, 10, 0, G_MAXUINT32, &row, NULL)) {
    *out_row = (tn_index)row;
    n = row < b->n;
  } else {
    for (uint32_t i = 0; i < b->n; i++)
      if (strcmp(tn_strings_get(strings, tn_buffers_name(b, i)), name) == 0) {
        *out_row = i;
        n++;
      }
  }
  if (n == 1)
    return true;
  if (n == 0)
    tn_cli_complain("--match %s: %s has no buffer %s", word, study->document->shown_path, name);
  else
    tn_cli_complain("--match %s: %s has %u buffers named %s; #ROW says which (as --json lists it)",
                    word, study->document->shown_path, n, name);
  return false;
}

static bool
parse(const TnCliTwo *two, const char *word, tn_index *out_pair)
{
  const char *sign = strchr(word, '=');
  if (!sign || strcmp(word, "=") == 0) {
    tn_cli_complain("--match %s: expected A=B, A= or =B, each a name or #ROW", word);
    return false;
  }
  g_autofree char *a = g_strndup(word, (gsize)(sign - word));
  return find_row(two->a.study, word, a, &out_pair[0]) &&
         find_row(two->b.study, word, sign + 1, &out_pair[1]);
}

bool
tn_cli_two_parse_matches(const TnCliTwo *two, GArray *out_pairs)
{
  for (char **word = two->matches; word && *word; word++) {
    tn_index pair[2];
    if (!parse(two, *word, pair))
      return false;
    g_array_append_vals(out_pairs, pair, 1);
  }
  return true;
}
