/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/filter.h"

#include "data/units.h"

#include <string.h>

typedef struct {
  enum { BY_NAME, BY_REGEX, BY_SIZE, BY_LIFE, BY_ADDRESS } what;
  char compare; /* '<' or '>' */
  int64_t number;
  char *needle; /* case-folded */
  GRegex *regex;
} Query;

static bool
parse_comparison(const char *text, const char *word, Query *query)
{
  gsize n = strlen(word);
  if (g_ascii_strncasecmp(text, word, n) != 0)
    return false;
  const char *at = text + n;
  while (*at == ' ')
    at++;
  if (*at != '<' && *at != '>')
    return false;
  query->compare = *at;
  at += at[1] == '=' ? 2 : 1;
  return tn_parse_bytes(at, &query->number);
}

static bool
parse(const char *text, Query *query, GError **error)
{
  gsize n = strlen(text);
  if (parse_comparison(text, "size", query)) {
    query->what = BY_SIZE;
  } else if (parse_comparison(text, "life", query)) {
    query->what = BY_LIFE;
  } else if (g_str_has_prefix(text, "0x") && text[2] && strspn(text + 2, "0123456789abcdefABCDEF") == n - 2) {
    query->what = BY_ADDRESS;
    query->number = (int64_t)g_ascii_strtoull(text + 2, NULL, 16);
  } else if (n > 2 && text[0] == '/' && text[n - 1] == '/') {
    g_autofree char *pattern = g_strndup(text + 1, n - 2);
    query->what = BY_REGEX;
    query->regex = g_regex_new(pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
    return query->regex != NULL;
  } else {
    query->what = BY_NAME;
    query->needle = g_utf8_casefold(text, -1);
  }
  return true;
}

static bool
fits_text(const Query *query, const char *label)
{
  if (query->what == BY_REGEX)
    return g_regex_match(query->regex, label, 0, NULL);
  g_autofree char *folded = g_utf8_casefold(label, -1);
  return strstr(folded, query->needle) != NULL;
}

static bool
fits_number(const Query *query, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  if (query->what == BY_ADDRESS)
    return study->offset[i] != TN_NOT_PLACED && query->number >= study->offset[i] &&
           query->number - study->offset[i] < MAX(b->bytes[i], (tn_bytes)1);
  int64_t value = query->what == BY_SIZE ? b->bytes[i] : b->end[i] - b->start[i];
  return query->compare == '>' ? value > query->number : value < query->number;
}

/* A label depends on a name or a call site, of which there are few: each is matched once. */
static bool
fits_label(const Query *query, const TnStudy *study, tn_index i, uint8_t *known, uint32_t n_known)
{
  uint32_t name = tn_buffers_name(study->buffers, i);
  uint32_t site = name ? 0 : tn_call_sites_of(study->sites, tn_buffers_stack(study->buffers, i));
  uint32_t key = name ? study->sites->n + name : site;
  bool is_shared = (name || site) && key < n_known;
  if (is_shared && known[key])
    return known[key] == 2;
  g_autofree char *label = tn_study_dup_label(study, i);
  bool fits = fits_text(query, label);
  if (is_shared)
    known[key] = fits ? 2 : 1;
  return fits;
}

GBytes *
tn_filter_run(const TnStudy *study, const char *text, uint32_t *out_n, GError **error)
{
  Query query = {0};
  g_autofree char *stripped = g_strstrip(g_strdup(text));
  *out_n = 0;
  if (!stripped[0])
    return NULL;
  uint32_t n = study->buffers->n;
  uint8_t *match = g_malloc0(MAX(n, 1u));
  uint32_t n_known = study->sites->n + tn_strings_count(study->document->strings);
  g_autofree uint8_t *known = g_malloc0(MAX(n_known, 1u));
  bool is_good = parse(stripped, &query, error);
  bool is_text = query.what == BY_NAME || query.what == BY_REGEX;
  for (uint32_t i = 0; i < n && is_good; i++) {
    match[i] = is_text ? fits_label(&query, study, i, known, n_known)
                       : fits_number(&query, study, i);
    *out_n += match[i];
  }
  g_free(query.needle);
  g_clear_pointer(&query.regex, g_regex_unref);
  if (!is_good) {
    g_free(match);
    return NULL;
  }
  return g_bytes_new_take(match, MAX(n, 1u));
}
