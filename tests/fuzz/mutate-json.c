/* SPDX-License-Identifier: MIT */
/* JSON stays JSON: values change their type or size, members come twice or go, parts come again
 * elsewhere. */
#include "tests/fuzz/mutate.h"

#include <string.h>

#define MOST_DEEP 512

typedef struct {
  uint32_t start, end;   /* of the value */
  uint32_t member;       /* where its key starts; the value's start where it has none */
} Span;

/* ---- where the values are --------------------------------------------------------------------- */

static uint32_t
end_of_string(const GByteArray *bytes, uint32_t at)
{
  for (at++; at < bytes->len && bytes->data[at] != '"'; at++)
    at += bytes->data[at] == '\\';
  return MIN(at + 1, bytes->len);
}

static uint32_t
end_of_word(const GByteArray *bytes, uint32_t at)
{
  while (at < bytes->len && (g_ascii_isalnum(bytes->data[at]) || strchr("+-._", bytes->data[at])) &&
         bytes->data[at])
    at++;
  return at;
}

static uint32_t
after_blanks(const GByteArray *bytes, uint32_t at)
{
  while (at < bytes->len && g_ascii_isspace(bytes->data[at]))
    at++;
  return at;
}

/* All values of whatever nests in {} and []; of what closes wrongly some. */
static GArray *
find_values(const GByteArray *bytes)
{
  GArray *spans = g_array_new(FALSE, FALSE, sizeof(Span));
  uint32_t open[MOST_DEEP], depth = 0, key = UINT32_MAX;
  for (uint32_t at = 0; at < bytes->len;) {
    uint8_t c = bytes->data[at];
    uint32_t end = at + 1;
    bool is_word = c == '-' || g_ascii_isalnum(c);
    Span span = {at, at, key == UINT32_MAX ? at : key};
    if (c == '"' || is_word) {
      end = is_word ? MAX(end_of_word(bytes, at), at + 1) : end_of_string(bytes, at);
      uint32_t next = after_blanks(bytes, end);
      bool is_key = c == '"' && next < bytes->len && bytes->data[next] == ':';
      span.end = end;
      if (depth && !is_key)
        g_array_append_val(spans, span);
      key = is_key ? at : UINT32_MAX;
    } else if ((c == '{' || c == '[') && depth < MOST_DEEP) {
      open[depth++] = spans->len;
      g_array_append_val(spans, span);
      key = UINT32_MAX;
    } else if ((c == '}' || c == ']') && depth) {
      g_array_index(spans, Span, open[--depth]).end = end;
      key = UINT32_MAX;
    }
    at = end;
  }
  return spans;
}

/* ---- what comes in their place ---------------------------------------------------------------- */

static char *
build_hostile(TnChance *chance)
{
  static const char *const some[] = {
      "null", "true", "false", "\"\"", "{}", "[]", "[[]]", "{\"\": null}", "1e308", "-1e308", "1e-320",
      "1.5", "-0", "9223372036854775808", "-9223372036854775809", "18446744073709551615", "1e19",
      "340282366920938463463374607431768211456", "\"9223372036854775807\"", "\"-1\"", "\"\\u0000\"",
      "\"\\ud800\"", "\"x\\\"\\\\\"", "\"\xc3\xa9\"", "[null, null]", "[0, 1]", "[-1]"};
  switch (tn_chance_draw(chance, 8)) {
  case 0: { /* deep */
    uint32_t n = tn_chance_draw(chance, 3000);
    g_autofree char *open = g_strnfill(n, '['), *close = g_strnfill(n, ']');
    return g_strconcat(open, close, NULL);
  }
  case 1: { /* long */
    g_autofree char *letters = g_strnfill(tn_chance_draw(chance, 3000), 'a');
    return g_strdup_printf("\"%s\"", letters);
  }
  case 2:
  case 3:
  case 4:
    return g_strdup_printf("%" G_GINT64_FORMAT, tn_chance_number(chance));
  default:
    return g_strdup(some[tn_chance_draw(chance, G_N_ELEMENTS(some))]);
  }
}

static void
double_member(GByteArray *bytes, const Span *span, const char *hostile, bool is_other)
{
  g_autoptr(GString) twice = g_string_new(NULL);
  g_string_append_len(twice, (const char *)bytes->data + span->member, span->start - span->member);
  if (is_other)
    g_string_append(twice, hostile);
  else
    g_string_append_len(twice, (const char *)bytes->data + span->start, span->end - span->start);
  g_string_append(twice, ", ");
  tn_splice(bytes, span->member, 0, twice->str, twice->len);
}

/* With the comma before or after it. */
static void
remove_member(GByteArray *bytes, const Span *span)
{
  uint32_t from = span->member, to = after_blanks(bytes, span->end);
  if (to < bytes->len && bytes->data[to] == ',') {
    to++;
  } else {
    while (from && g_ascii_isspace(bytes->data[from - 1]))
      from--;
    from -= from && bytes->data[from - 1] == ',';
  }
  tn_splice(bytes, from, to - from, NULL, 0);
}

bool
tn_mutate_json(GByteArray *bytes, TnChance *chance)
{
  g_autoptr(GArray) spans = find_values(bytes);
  if (spans->len == 0)
    return false;
  const Span *span = &g_array_index(spans, Span, tn_chance_draw(chance, spans->len));
  const Span *other = &g_array_index(spans, Span, tn_chance_draw(chance, spans->len));
  g_autofree char *hostile = build_hostile(chance);
  if (span->end <= span->start || other->end <= other->start)
    return false;
  switch (tn_chance_draw(chance, 6)) {
  case 0:
    remove_member(bytes, span);
    break;
  case 1:
    double_member(bytes, span, hostile, tn_chance_draw(chance, 2));
    break;
  case 2: /* another value of the file */
    tn_splice(bytes, span->start, span->end - span->start, bytes->data + other->start,
              MIN(other->end - other->start, 4096u));
    break;
  default:
    tn_splice(bytes, span->start, span->end - span->start, hostile, strlen(hostile));
    break;
  }
  return true;
}
