/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/filter.h"

#include "analysis/batch-sum.h"
#include "app/window/filter-words.h"
#include "data/units.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

typedef enum { BY_NAME, BY_REGEX, BY_SIZE, BY_LIFE, BY_ALIVE, BY_ADDRESS, BY_KIND, BY_SITE, BY_SPACE } What;

typedef struct {
  What what;
  bool is_turned_round, is_whole; /* the needle is all of the text, not a part */
  char compare; /* '<', '>' or '=' */
  bool or_equal;
  int64_t number, last; /* a range of addresses: both are in it */
  uint32_t label;       /* of the batch that counts at the tick; see batch-sum.h */
  char *needle;         /* case-folded */
  GRegex *regex;
} Query;

/* ---- reading a term ---------------------------------------------------------------------------- */

/* After `word`, the place of '<', '>' or '='; NULL: this is another term. */
static const char *
find_comparison(const char *text, const char *word)
{
  gsize n = strlen(word);
  if (g_ascii_strncasecmp(text, word, n) != 0)
    return NULL;
  const char *at = text + n + strspn(text + n, " ");
  return *at && strchr("<>=", *at) ? at : NULL;
}

static bool
parse_comparison(const char *at, Query *query, GError **error)
{
  query->compare = *at++;
  query->or_equal = query->compare == '=' || *at == '=';
  at += *at == '=';
  if (tn_parse_bytes(at, &query->number))
    return true;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _("“%s” is no number"), at);
  return false;
}

/* 0x7f00, or 0x7f00-0x8000. */
static bool
parse_addresses(const char *text, Query *query)
{
  char *end;
  if (!g_str_has_prefix(text, "0x") || !g_ascii_isxdigit(text[2]))
    return false;
  query->number = query->last = (int64_t)g_ascii_strtoull(text, &end, 16);
  if (*end == '-' && g_str_has_prefix(end + 1, "0x") && g_ascii_isxdigit(end[3]))
    query->last = (int64_t)g_ascii_strtoull(end + 1, &end, 16);
  return *end == '\0';
}

static bool
parse_regex(const char *text, Query *query, GError **error)
{
  g_autofree char *pattern = g_strndup(text + 1, strlen(text) - 2);
  query->what = BY_REGEX;
  g_autoptr(GError) wrong = NULL;
  query->regex = g_regex_new(pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, &wrong);
  if (query->regex)
    return true;
  /* "Error while compiling regular expression ‘a(’ at char 2: missing closing parenthesis" */
  const char *why = g_strrstr(wrong->message, ": ");
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _("Not an expression: %s"),
              why ? why + 2 : wrong->message);
  return false;
}

/* "kind:wei", "kind=weight", else a part of a name. */
static bool
parse_words(const char *text, Query *query)
{
  static const struct {
    const char *word;
    What what;
  } words[] = {{"kind", BY_KIND}, {"site", BY_SITE}, {"space", BY_SPACE}};
  query->what = BY_NAME;
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    gsize n = strlen(words[i].word);
    if (g_ascii_strncasecmp(text, words[i].word, n) != 0 || (text[n] != ':' && text[n] != '='))
      continue;
    query->what = words[i].what;
    query->is_whole = text[n] == '=';
    text += n + 1;
    break;
  }
  query->needle = g_utf8_casefold(text, -1);
  return true;
}

/* "alive@peak", "alive@1200"; -1: the peak. */
static bool
parse_alive(const char *text, Query *query)
{
  static const char word[] = "alive@";
  if (g_ascii_strncasecmp(text, word, strlen(word)) != 0)
    return false;
  query->what = BY_ALIVE;
  query->number = -1;
  return g_ascii_strcasecmp(text + strlen(word), "peak") == 0 ||
         g_ascii_string_to_signed(text + strlen(word), 10, 0, G_MAXINT64, &query->number, NULL);
}

static bool
parse(const char *text, Query *query, GError **error)
{
  const char *size = find_comparison(text, "size"), *life = find_comparison(text, "life");
  gsize n = strlen(text);
  if (parse_alive(text, query))
    return true;
  if (size || life) {
    query->what = size ? BY_SIZE : BY_LIFE;
    return parse_comparison(size ? size : life, query, error);
  }
  if (n > 2 && text[0] == '/' && text[n - 1] == '/')
    return parse_regex(text, query, error);
  query->what = BY_ADDRESS;
  return parse_addresses(text, query) || parse_words(text, query);
}

/* ---- does it fit? ------------------------------------------------------------------------------ */

static bool
fits_text(const Query *query, const char *label)
{
  if (query->what == BY_REGEX)
    return g_regex_match(query->regex, label, 0, NULL);
  g_autofree char *folded = g_utf8_casefold(label, -1);
  return query->is_whole ? strcmp(folded, query->needle) == 0 : strstr(folded, query->needle) != NULL;
}

static tn_tick
tick_of(const Query *query, const TnStudy *study)
{
  return query->number < 0 ? study->live->peak_at : query->number;
}

static bool
fits_number(const Query *query, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  if (query->what == BY_ADDRESS) {
    tn_bytes top = INT64_MAX;
    tn_add(study->offset[i], MAX(b->bytes[i], (tn_bytes)1), &top);
    return study->offset[i] != TN_NOT_PLACED && query->last >= study->offset[i] && query->number < top;
  }
  if (query->what == BY_ALIVE) {
    tn_tick at = tick_of(query, study);
    return b->start[i] <= at && b->end[i] > at && tn_batch_sum_counts(b, i, query->label);
  }
  int64_t value = query->what == BY_SIZE ? b->bytes[i] : b->end[i] - b->start[i];
  if (query->or_equal && value == query->number)
    return true;
  return query->compare == '>' ? value > query->number
                               : query->compare == '<' && value < query->number;
}

/* What a label, a site or a kind is matched by, and where the answer is kept: of each there are few,
 * and each is matched once. */
typedef struct {
  const TnStudy *study;
  uint8_t *known; /* by key: 0 not yet, 1 no, 2 yes */
  uint32_t n;
} Memo;

static uint32_t
key_of(const Query *query, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  if (query->what == BY_KIND)
    return b->kind[i] + 1u;
  if (query->what == BY_SPACE)
    return tn_buffers_space(b, i) + 1u;
  uint32_t site = tn_call_sites_of(study->sites, tn_buffers_stack(b, i));
  uint32_t name = query->what == BY_SITE ? 0 : tn_buffers_name(b, i);
  return name ? study->sites->n + name : site;
}

char *
tn_filter_dup_space(const TnStudy *study, tn_index i)
{
  const GPtrArray *names = study->device->space_names;
  uint32_t space = tn_buffers_space(study->buffers, i);
  const char *name = names && space < names->len ? g_ptr_array_index(names, space) : "";
  return *name ? g_strdup(name) : g_strdup_printf("%u", space);
}

static char *
dup_text(const Query *query, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  uint32_t site = tn_call_sites_of(study->sites, tn_buffers_stack(b, i));
  if (query->what == BY_KIND)
    return g_strdup(tn_kind_name((TnBufferKind)b->kind[i]));
  if (query->what == BY_SITE)
    return g_strdup(tn_call_sites_name(study->sites, site));
  if (query->what == BY_SPACE)
    return tn_filter_dup_space(study, i);
  return tn_study_dup_label(study, i);
}

static bool
fits_label(const Query *query, Memo *memo, tn_index i)
{
  uint32_t key = key_of(query, memo->study, i);
  bool is_kept = key > 0 && key < memo->n;
  if (is_kept && memo->known[key])
    return memo->known[key] == 2;
  g_autofree char *text = dup_text(query, memo->study, i);
  bool fits = fits_text(query, text);
  if (is_kept)
    memo->known[key] = fits ? 2 : 1;
  return fits;
}

static void
apply(const Query *query, Memo *memo, uint8_t *match)
{
  bool is_number = query->what == BY_SIZE || query->what == BY_LIFE || query->what == BY_ALIVE ||
                   query->what == BY_ADDRESS;
  memset(memo->known, 0, memo->n);
  for (uint32_t i = 0; i < memo->study->buffers->n; i++) {
    if (!match[i])
      continue;
    bool fits = is_number ? fits_number(query, memo->study, i) : fits_label(query, memo, i);
    match[i] = fits != query->is_turned_round;
  }
}

/* ---- all terms --------------------------------------------------------------------------------- */

static bool
apply_word(const char *term, Memo *memo, uint8_t *match, GError **error)
{
  Query query = {.is_turned_round = term[0] == '!' && term[1]};
  bool is_good = parse(term + query.is_turned_round, &query, error);
  const TnBuffers *b = memo->study->buffers;
  if (is_good && query.what == BY_ALIVE)
    query.label = tn_batch_sum_label_at(b, NULL, b->n, tick_of(&query, memo->study));
  if (is_good)
    apply(&query, memo, match);
  g_free(query.needle);
  g_clear_pointer(&query.regex, g_regex_unref);
  return is_good;
}

static bool
apply_term(const char *term, Memo *memo, uint8_t *match, GError **error)
{
  g_autoptr(GPtrArray) words = tn_filter_split(term);
  for (guint i = 0; i < words->len; i++)
    if (!apply_word(g_ptr_array_index(words, i), memo, match, error))
      return false;
  return true;
}

void
tn_filter_count(const TnStudy *study, const uint8_t *match, TnFilterResult *result)
{
  for (uint32_t i = 0; i < study->buffers->n; i++) {
    if (match && !match[i])
      continue;
    result->n++;
    if (!tn_add(result->bytes, study->buffers->bytes[i], &result->bytes))
      result->bytes = INT64_MAX;
  }
}

bool
tn_filter_run(const TnStudy *study, const char *const *terms, TnFilterResult *result,
              GError **error)
{
  uint32_t n = MAX(study->buffers->n, 1u);
  g_autofree uint8_t *match = NULL;
  Memo memo = {study, NULL, study->sites->n + tn_strings_count(study->document->strings) + 256};
  g_autofree uint8_t *known = memo.known = g_malloc0(memo.n);
  *result = (TnFilterResult){0};
  for (; *terms; terms++) {
    g_autofree char *term = g_strstrip(g_strdup(*terms));
    if (!term[0])
      continue;
    if (!match)
      match = memset(g_malloc(n), 1, n);
    if (!apply_term(term, &memo, match, error))
      return false;
  }
  tn_filter_count(study, match, result);
  if (match)
    result->match = g_bytes_new_take(g_steal_pointer(&match), n);
  return true;
}
