/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/filter-words.h"

#include "data/units.h"

#include <string.h>

/* The end of /an expression/ that begins at `at`, behind its slash; NULL: it has none. */
static const char *
end_of_regex(const char *at)
{
  for (const char *end = strchr(at + 1, '/'); end; end = strchr(end + 1, '/'))
    if (end[1] == ' ' || end[1] == '\0')
      return end > at + 1 ? end + 1 : NULL;
  return NULL;
}

/* A word up to the next space outside quotes, where two quotes are one of the name; an open quote goes to the end. */
static const char *
append_word(GString *word, const char *at)
{
  bool is_quoted = false;
  for (; *at && (is_quoted || *at != ' '); at++)
    if (is_quoted && at[0] == '"' && at[1] == '"')
      g_string_append_c(word, *at++);
    else if (*at == '"')
      is_quoted = !is_quoted;
    else
      g_string_append_c(word, *at);
  return at;
}

char *
tn_filter_dup_quoted(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);
  return g_strdup_printf("\"%s\"", doubled);
}

static char *
take_word(const char **at)
{
  g_autoptr(GString) word = g_string_new(NULL);
  const char *from = *at;
  if (from[0] == '!' && from[1] && from[1] != ' ')
    g_string_append_c(word, *from++);
  const char *end = *from == '/' ? end_of_regex(from) : NULL;
  if (end)
    g_string_append_len(word, from, end - from);
  *at = end ? end : append_word(word, from);
  return g_string_free(g_steal_pointer(&word), FALSE);
}

/* "size", "life": what may stand before a comparison. */
static bool
is_measure(const char *word)
{
  word += word[0] == '!';
  return g_ascii_strcasecmp(word, "size") == 0 || g_ascii_strcasecmp(word, "life") == 0;
}

/* What stands behind "size>" or "life<="; NULL: the word is no comparison. */
static const char *
number_of(const char *word)
{
  word += word[0] == '!';
  bool is_compared =
      g_ascii_strncasecmp(word, "size", 4) == 0 || g_ascii_strncasecmp(word, "life", 4) == 0;
  gsize n = is_compared ? strspn(word + 4, "<>=") : 0;
  return n ? word + 4 + n : NULL;
}

/* Whether two words are the parts of one comparison. */
static bool
belongs(const char *word, const char *next)
{
  tn_bytes bytes;
  const char *number = number_of(word);
  if (is_measure(word))
    return next[0] && strchr("<>=", next[0]);
  if (number && !number[0])
    return g_ascii_isdigit(next[0]);
  g_autofree char *both = g_strconcat(number ? number : "", next, NULL);
  return number && g_ascii_isalpha(next[0]) && tn_parse_bytes(number, &bytes) &&
         tn_parse_bytes(both, &bytes);
}

GPtrArray *
tn_filter_split(const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  for (const char *at = text; *at;) {
    if (*at == ' ') {
      at++;
      continue;
    }
    char *word = take_word(&at);
    char **last = words->len ? (char **)&g_ptr_array_index(words, words->len - 1) : NULL;
    if (last && belongs(*last, word)) {
      char *both = g_strconcat(*last, word, NULL);
      g_free(*last);
      *last = both;
      g_free(word);
    } else if (word[0]) {
      g_ptr_array_add(words, word);
    } else {
      g_free(word);
    }
  }
  return words;
}
