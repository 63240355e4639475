/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/json-scan.h"

#include "data/error.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What may come next. */
enum { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_COMMA, WANT_NOTHING };

void
tn_json_init(TnJson *json, const void *data, gsize size)
{
  memset(json, 0, sizeof *json);
  json->data = json->at = data;
  json->end = json->data + size;
  json->state = WANT_VALUE;
  if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
    json->at += 3;
}

void
tn_json_clear(TnJson *json)
{
  if (json->scratch)
    g_string_free(json->scratch, TRUE);
  json->scratch = NULL;
}

static TnJsonToken
fail(TnJson *json, const char *expected)
{
  json->expected = expected;
  json->is_cut = json->at >= json->end;
  json->token = json->at;
  return TN_JSON_ERROR;
}

static void
skip_space(TnJson *json)
{
  while (json->at < json->end &&
         (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t'))
    json->at++;
}

static void
end_value(TnJson *json)
{
  json->state = json->depth ? WANT_COMMA : WANT_NOTHING;
}

static bool
scan_string(TnJson *json)
{
  const char *start = json->at + 1, *p = start;
  json->has_escapes = false;
  while (p < json->end && *p != '"') {
    if (*p == '\\') {
      json->has_escapes = true;
      p++;
    }
    p++;
  }
  if (p >= json->end) {
    json->at = json->end;
    return false;
  }
  json->text = start;
  json->length = (gsize)(p - start);
  json->at = p + 1;
  return true;
}

static TnJsonToken
scan_number(TnJson *json)
{
  const char *p = json->at;
  bool is_negative = p < json->end && *p == '-';
  p += is_negative;
  const char *digits = p;
  uint64_t value = 0;
  bool is_real = false;
  for (; p < json->end && g_ascii_isdigit(*p); p++) {
    is_real |= value > (UINT64_MAX - 9) / 10;
    value = value * 10 + (uint64_t)(*p - '0');
  }
  if (p == digits)
    return fail(json, "a value");
  is_real |= value > (uint64_t)INT64_MAX;
  while (p < json->end && (g_ascii_isdigit(*p) || strchr(".eE+-", *p))) {
    if (*p == '\0')
      break;
    is_real = true;
    p++;
  }
  char copy[64];
  gsize n = MIN((gsize)(p - json->at), sizeof copy - 1);
  memcpy(copy, json->at, n);
  copy[n] = '\0';
  json->at = p;
  json->integer = is_negative ? -(int64_t)value : (int64_t)value;
  json->real = is_real ? g_ascii_strtod(copy, NULL) : (double)json->integer;
  end_value(json);
  return is_real ? TN_JSON_REAL : TN_JSON_INTEGER;
}

static TnJsonToken
scan_word(TnJson *json)
{
  static const struct {
    const char *word;
    TnJsonToken token;
  } words[] = {{"true", TN_JSON_TRUE}, {"false", TN_JSON_FALSE}, {"null", TN_JSON_NULL},
               {"NaN", TN_JSON_NULL},  {"Infinity", TN_JSON_NULL}};
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    gsize n = strlen(words[i].word);
    if ((gsize)(json->end - json->at) >= n && memcmp(json->at, words[i].word, n) == 0) {
      json->at += n;
      end_value(json);
      return words[i].token;
    }
  }
  return scan_number(json);
}

static TnJsonToken
open_container(TnJson *json, bool is_object)
{
  if (json->depth == TN_JSON_MAX_DEPTH)
    return fail(json, "at most 256 levels of nesting");
  json->kinds[json->depth++] = is_object ? '{' : '[';
  json->at++;
  json->state = is_object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
  return is_object ? TN_JSON_OBJECT : TN_JSON_ARRAY;
}

static TnJsonToken
close_container(TnJson *json)
{
  char kind = (char)json->kinds[--json->depth];
  json->at++;
  end_value(json);
  return kind == '{' ? TN_JSON_OBJECT_END : TN_JSON_ARRAY_END;
}

static TnJsonToken
scan_value(TnJson *json)
{
  if (json->at >= json->end)
    return fail(json, "a value");
  if (*json->at == '{' || *json->at == '[')
    return open_container(json, *json->at == '{');
  if (*json->at != '"')
    return scan_word(json);
  if (!scan_string(json))
    return fail(json, "the end of a string");
  end_value(json);
  return TN_JSON_STRING;
}

static TnJsonToken
scan_key(TnJson *json)
{
  if (json->at >= json->end || *json->at != '"')
    return fail(json, "a key in quotes");
  if (!scan_string(json))
    return fail(json, "the end of a key");
  skip_space(json);
  if (json->at >= json->end || *json->at != ':')
    return fail(json, "a colon after a key");
  json->at++;
  json->state = WANT_VALUE;
  return TN_JSON_KEY;
}

static bool
is_closing(const TnJson *json)
{
  return json->depth && json->at < json->end &&
         *json->at == (json->kinds[json->depth - 1] == '{' ? '}' : ']');
}

TnJsonToken
tn_json_next(TnJson *json)
{
  skip_space(json);
  json->token = json->at;
  if (json->state == WANT_NOTHING)
    return json->at >= json->end ? TN_JSON_END : fail(json, "the end of the document");
  if (json->state == WANT_COMMA) {
    if (is_closing(json))
      return close_container(json);
    if (json->at >= json->end || *json->at != ',')
      return fail(json, json->kinds[json->depth - 1] == '{' ? "a comma or '}'" : "a comma or ']'");
    json->at++;
    json->state = json->kinds[json->depth - 1] == '{' ? WANT_KEY : WANT_VALUE;
    skip_space(json);
    json->token = json->at;
  }
  bool may_end = json->state == WANT_KEY_OR_END || json->state == WANT_VALUE_OR_END;
  if (may_end && is_closing(json))
    return close_container(json);
  bool is_key = json->state == WANT_KEY || json->state == WANT_KEY_OR_END;
  return is_key ? scan_key(json) : scan_value(json);
}

bool
tn_json_is(const TnJson *json, const char *text)
{
  gsize n = strlen(text);
  return n == json->length && memcmp(json->text, text, n) == 0;
}

static int
hex4(const char *p, const char *end)
{
  if (end - p < 4)
    return -1;
  int value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = g_ascii_xdigit_value(p[i]);
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* \uXXXX at `p` (after the u), joined with the low half that follows a high one. */
static const char *
append_unicode(GString *out, const char *p, const char *end)
{
  int code = hex4(p, end);
  if (code < 0)
    return p;
  p += 4;
  if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    int low = hex4(p + 2, end);
    if (low >= 0xdc00 && low < 0xe000) {
      g_string_append_unichar(out, 0x10000 + (gunichar)((code - 0xd800) << 10) +
                                       (gunichar)(low - 0xdc00));
      return p + 6;
    }
  }
  g_string_append_unichar(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : (gunichar)code);
  return p;
}

const char *
tn_json_text(TnJson *json, gsize *out_length)
{
  if (!json->has_escapes) {
    *out_length = json->length;
    return json->text;
  }
  if (!json->scratch)
    json->scratch = g_string_new(NULL);
  GString *out = g_string_truncate(json->scratch, 0);
  const char *p = json->text, *end = json->text + json->length;
  while (p < end) {
    if (*p != '\\' || p + 1 >= end) {
      g_string_append_c(out, *p++);
      continue;
    }
    char c = p[1];
    p += 2;
    if (c == 'u')
      p = append_unicode(out, p, end);
    else
      g_string_append_c(out, c == 'n'   ? '\n'
                             : c == 't' ? '\t'
                             : c == 'r' ? '\r'
                             : c == 'b' ? '\b'
                             : c == 'f' ? '\f'
                                        : c);
  }
  *out_length = out->len;
  return out->str;
}

bool
tn_json_skip(TnJson *json, TnJsonToken token)
{
  if (token != TN_JSON_OBJECT && token != TN_JSON_ARRAY)
    return token != TN_JSON_ERROR;
  uint32_t depth = json->depth;
  while (json->depth >= depth)
    if (tn_json_next(json) == TN_JSON_ERROR)
      return false;
  return true;
}

void
tn_json_set_error(const TnJson *json, const char *name, GError **error)
{
  gsize line = 1, column = 1;
  for (const char *p = json->data; p < json->token; p++) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  g_autofree char *found = NULL;
  if (json->is_cut)
    found = g_strdup("the end of the data");
  else if (g_ascii_isprint(*json->token))
    found = g_strdup_printf("'%c'", *json->token);
  else
    found = g_strdup_printf("byte 0x%02x", (uint8_t)*json->token);
  g_set_error(error, TN_DATA_ERROR,
              json->is_cut ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED,
              "%s:%" G_GSIZE_FORMAT ":%" G_GSIZE_FORMAT " (byte %" G_GSIZE_FORMAT
              "): found %s; expected %s",
              name, line, column, (gsize)(json->token - json->data), found,
              json->expected ? json->expected : "JSON");
}
