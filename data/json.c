/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/json.h"

#include <math.h>
#include <string.h>

#define EXACT_LIMIT ((int64_t)1 << 53)

gsize
tn_text_mark(const void *data, gsize size)
{
  return size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

gsize
tn_text_start(const uint8_t *data, gsize size)
{
  gsize at = tn_text_mark(data, size);
  while (at < size && g_ascii_isspace(data[at]))
    at++;
  return at;
}

void
tn_json_init(TnJson *json, const char *file, const void *data, gsize size, GError **error)
{
  const uint8_t *start = (const uint8_t *)data + tn_text_mark(data, size);
  *json = (TnJson){.file = file,
                   .start = start,
                   .at = start,
                   .end = (const uint8_t *)data + size,
                   .error = error,
                   .key = g_string_new(NULL),
                   .text = g_string_new(NULL)};
}

void
tn_json_clear(TnJson *json)
{
  g_string_free(json->key, TRUE);
  g_string_free(json->text, TRUE);
}

/* ---- errors ---------------------------------------------------------------------------- */

static void
set_error(TnJson *json, const uint8_t *place, TnDataError code, const char *text)
{
  const uint8_t *line_start = json->start;
  unsigned line = 1;
  for (const uint8_t *at = json->start; at < place; at++) {
    if (*at != '\n')
      continue;
    line++;
    line_start = at + 1;
  }
  g_set_error(json->error, TN_DATA_ERROR, code, "%s:%u:%" G_GSIZE_FORMAT ": %s", json->file, line,
              (gsize)(place - line_start) + 1, text);
}

bool
tn_json_fail_at(TnJson *json, const uint8_t *place, TnDataError code, const char *format, ...)
{
  if (json->has_failed)
    return false;
  json->has_failed = true;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  set_error(json, place, code, text);
  return false;
}

bool
tn_json_fail(TnJson *json, TnDataError code, const char *format, ...)
{
  if (json->has_failed)
    return false;
  json->has_failed = true;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  set_error(json, json->at, code, text);
  return false;
}

static void
skip_space(TnJson *json)
{
  while (json->at < json->end &&
         (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
    json->at++;
}

/* "found X, expected `expected`", with a word for what stands there. */
static bool
fail_expected(TnJson *json, const char *expected)
{
  skip_space(json);
  if (json->at == json->end)
    return tn_json_fail(json, TN_DATA_ERROR_TRUNCATED, "found the end of the file, expected %s",
                        expected);
  gsize n = 0, left = (gsize)(json->end - json->at);
  while (n < MIN(left, (gsize)24) && json->at[n] >= ' ' && (n == 0 || !strchr(",]}", json->at[n])))
    n++;
  g_autofree char *found = g_utf8_make_valid((const char *)json->at, (gssize)MAX(n, (gsize)1));
  return tn_json_fail(json, TN_DATA_ERROR_MALFORMED, "found %s, expected %s", found, expected);
}

/* ---- structure ------------------------------------------------------------------------- */

TnJsonKind
tn_json_peek(TnJson *json)
{
  skip_space(json);
  if (json->has_failed || json->at == json->end)
    return TN_JSON_NOTHING;
  switch (*json->at) {
  case '{':
    return TN_JSON_OBJECT;
  case '[':
    return TN_JSON_ARRAY;
  case '"':
    return TN_JSON_STRING;
  case 't':
  case 'f':
    return TN_JSON_BOOL;
  case 'n':
    return TN_JSON_NULL;
  default:
    return *json->at == '-' || g_ascii_isdigit(*json->at) ? TN_JSON_NUMBER : TN_JSON_NOTHING;
  }
}

static bool
take(TnJson *json, char wanted, const char *expected)
{
  if (json->has_failed)
    return false;
  skip_space(json);
  if (json->at == json->end || *json->at != (uint8_t)wanted)
    return fail_expected(json, expected);
  json->at++;
  return true;
}

/* Whether a further member follows; steps over the comma before it, or over `closing`. */
static bool
next_member(TnJson *json, char closing, const char *expected)
{
  if (json->has_failed)
    return false;
  bool is_first = json->is_first;
  json->is_first = false;
  skip_space(json);
  if (json->at < json->end && *json->at == (uint8_t)closing) {
    json->at++;
    return false;
  }
  return is_first || take(json, ',', expected);
}

bool
tn_json_begin_object(TnJson *json)
{
  json->is_first = true;
  return take(json, '{', "an object");
}

bool
tn_json_begin_array(TnJson *json)
{
  json->is_first = true;
  return take(json, '[', "an array");
}

bool
tn_json_next_item(TnJson *json)
{
  return next_member(json, ']', "',' or ']'");
}

/* ---- strings --------------------------------------------------------------------------- */

static bool
read_hex4(TnJson *json, gunichar *out)
{
  *out = 0;
  for (int i = 0; i < 4; i++, json->at++) {
    int digit = json->at < json->end ? g_ascii_xdigit_value((char)*json->at) : -1;
    if (digit < 0)
      return fail_expected(json, "four hexadecimal digits after \\u");
    *out = *out << 4 | (gunichar)digit;
  }
  return true;
}

/* After "\u": one code point, from two escapes where it is a surrogate pair. */
static bool
read_unicode(TnJson *json, GString *out)
{
  gunichar c, low;
  if (!read_hex4(json, &c))
    return false;
  if (c >= 0xd800 && c < 0xdc00 && json->end - json->at >= 6 && json->at[0] == '\\' &&
      json->at[1] == 'u') {
    const uint8_t *before = json->at;
    json->at += 2;
    if (!read_hex4(json, &low))
      return false;
    if (low >= 0xdc00 && low < 0xe000)
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    else
      json->at = before;
  }
  /* Half a pair, and NUL, which C strings can't hold, are shown as what they are: unreadable. */
  g_string_append_unichar(out, c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
  return true;
}

static bool
read_escape(TnJson *json, GString *out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (json->at == json->end)
    return fail_expected(json, "the rest of an escape");
  char c = (char)*json->at;
  if (c == 'u') {
    json->at++;
    return read_unicode(json, out);
  }
  const char *known = c ? strchr(from, c) : NULL;
  if (!known)
    return fail_expected(json, "one of \"\\/bfnrtu after a backslash");
  json->at++;
  g_string_append_c(out, to[known - from]);
  return true;
}

/* `at` stands on the opening quote. */
static bool
read_text(TnJson *json, GString *out)
{
  g_string_truncate(out, 0);
  const uint8_t *open = json->at++;
  for (;;) {
    const uint8_t *from = json->at;
    while (json->at < json->end && *json->at != '"' && *json->at != '\\' && *json->at >= ' ')
      json->at++;
    g_string_append_len(out, (const char *)from, (gssize)(json->at - from));
    if (json->at == json->end)
      return tn_json_fail_at(json, open, TN_DATA_ERROR_TRUNCATED,
                             "found a string that the file ends in, expected '\"' at its end");
    if (*json->at < ' ')
      return tn_json_fail(json, TN_DATA_ERROR_MALFORMED,
                          "found byte %02x in a string, expected it escaped", *json->at);
    if (*json->at++ == '"')
      break;
    if (!read_escape(json, out))
      return false;
  }
  if (!g_utf8_validate_len(out->str, out->len, NULL)) {
    g_autofree char *valid = g_utf8_make_valid(out->str, (gssize)out->len);
    g_string_assign(out, valid);
  }
  return true;
}

bool
tn_json_next_key(TnJson *json, const char **out_key)
{
  if (!next_member(json, '}', "',' or '}'"))
    return false;
  if (tn_json_peek(json) != TN_JSON_STRING)
    return fail_expected(json, "a key in quotes");
  if (!read_text(json, json->key) || !take(json, ':', "':' after a key"))
    return false;
  *out_key = json->key->str;
  return true;
}

bool
tn_json_read_string(TnJson *json, const char **out_text)
{
  if (tn_json_peek(json) != TN_JSON_STRING)
    return fail_expected(json, "a string");
  if (!read_text(json, json->text))
    return false;
  *out_text = json->text->str;
  return true;
}

/* ---- numbers and words ----------------------------------------------------------------- */

/* [-]digits as an int64; false where anything else is there, or more than 64 bits. */
static bool
parse_int(const char *text, gsize length, int64_t *out)
{
  bool is_negative = length && text[0] == '-';
  int64_t value = 0;
  if (length == is_negative)
    return false;
  for (gsize i = is_negative; i < length; i++)
    if (!g_ascii_isdigit(text[i]) || !tn_mul(value, 10, &value) ||
        !tn_add(value, is_negative ? '0' - text[i] : text[i] - '0', &value))
      return false;
  *out = value;
  return true;
}

static gsize
number_length(const TnJson *json)
{
  gsize n = 0, left = (gsize)(json->end - json->at);
  while (n < left && (g_ascii_isdigit(json->at[n]) || strchr("+-.eE", json->at[n])) && json->at[n])
    n++;
  return n;
}

/* 1.0 and 1e3: exact below 2^53, else not an integer that can be trusted. */
static bool
parse_whole_double(const char *text, gsize length, int64_t *out)
{
  g_autofree char *copy = g_strndup(text, length);
  char *end;
  double value = g_ascii_strtod(copy, &end);
  if (*end || end == copy || !(fabs(value) < (double)EXACT_LIMIT) || value != floor(value))
    return false;
  *out = (int64_t)value;
  return true;
}

bool
tn_json_read_int(TnJson *json, int64_t *out)
{
  const uint8_t *place = (tn_json_peek(json), json->at);
  const char *expected = "a whole number of at most 64 bits";
  TnJsonKind kind = tn_json_peek(json);
  if (kind == TN_JSON_STRING) {
    if (!read_text(json, json->text))
      return false;
    if (parse_int(json->text->str, json->text->len, out))
      return true;
    return tn_json_fail_at(json, place, TN_DATA_ERROR_MALFORMED, "found \"%.40s\", expected %s",
                           json->text->str, expected);
  }
  if (kind != TN_JSON_NUMBER)
    return fail_expected(json, expected);
  gsize n = number_length(json);
  if (!parse_int((const char *)json->at, n, out) &&
      !parse_whole_double((const char *)json->at, n, out))
    return fail_expected(json, expected);
  json->at += n;
  return true;
}

static bool
take_word(TnJson *json, const char *word)
{
  gsize n = strlen(word);
  if ((gsize)(json->end - json->at) < n || memcmp(json->at, word, n) != 0)
    return false;
  json->at += n;
  return true;
}

bool
tn_json_read_bool(TnJson *json, bool *out)
{
  if (tn_json_peek(json) == TN_JSON_BOOL) {
    *out = *json->at == 't';
    if (take_word(json, *out ? "true" : "false"))
      return true;
  }
  return fail_expected(json, "true or false");
}

static gsize
count_digits(const uint8_t *at, gsize n)
{
  gsize k = 0;
  while (k < n && g_ascii_isdigit(at[k]))
    k++;
  return k;
}

/* Who skips a value may write it on as it stands ("actions" of plans), so that 01, 1. and 1e are as wrong as any
 * other text. */
static bool
skip_number(TnJson *json)
{
  gsize n = number_length(json), i = json->at[0] == '-';
  gsize digits = count_digits(json->at + i, n - i), decimals = 1, powers = 1;
  bool is_good = digits == 1 || (digits > 1 && json->at[i] != '0');
  i += digits;
  if (i < n && json->at[i] == '.') {
    decimals = count_digits(json->at + i + 1, n - i - 1);
    i += 1 + decimals;
  }
  if (i < n && (json->at[i] == 'e' || json->at[i] == 'E')) {
    i += 1 + (i + 1 < n && (json->at[i + 1] == '+' || json->at[i + 1] == '-'));
    powers = count_digits(json->at + i, n - i);
    i += powers;
  }
  is_good = is_good && decimals && powers && i == n;
  if (is_good || json->at + n == json->end) /* else cut off */
    json->at += n;
  return is_good || fail_expected(json, "a number");
}

static bool
skip_scalar(TnJson *json, TnJsonKind kind)
{
  bool ignored;
  if (kind == TN_JSON_STRING)
    return read_text(json, json->text);
  if (kind == TN_JSON_BOOL)
    return tn_json_read_bool(json, &ignored);
  if (kind == TN_JSON_NULL && take_word(json, "null"))
    return true;
  if (kind == TN_JSON_NUMBER)
    return skip_number(json);
  return fail_expected(json, "a value");
}

/* One value on a stack of its own, so that depth costs a bit each and no recursion. */
bool
tn_json_skip(TnJson *json)
{
  g_autoptr(GByteArray) open = g_byte_array_new(); /* 1: object, 0: array */
  const char *key;
  do {
    TnJsonKind kind = tn_json_peek(json);
    if (kind == TN_JSON_OBJECT || kind == TN_JSON_ARRAY) {
      uint8_t is_object = kind == TN_JSON_OBJECT;
      json->at++;
      json->is_first = true;
      g_byte_array_append(open, &is_object, 1);
    } else if (!skip_scalar(json, kind)) {
      return false;
    }
    while (open->len &&
           !(open->data[open->len - 1] ? tn_json_next_key(json, &key) : tn_json_next_item(json))) {
      if (json->has_failed)
        return false;
      g_byte_array_set_size(open, open->len - 1);
    }
  } while (open->len);
  return true;
}

bool
tn_json_expect_end(TnJson *json)
{
  if (json->has_failed)
    return false;
  skip_space(json);
  return json->at == json->end || fail_expected(json, "nothing after the document");
}

/* ---- writing --------------------------------------------------------------------------- */

void
tn_json_append_string(GString *out, const char *text)
{
  g_string_append_c(out, '"');
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '"' || c == '\\') {
      g_string_append_c(out, '\\');
      g_string_append_c(out, (char)c);
    } else if (c == '\n') {
      g_string_append(out, "\\n");
    } else if (c < ' ') {
      g_string_append_printf(out, "\\u%04x", c);
    } else {
      g_string_append_c(out, (char)c);
    }
  }
  g_string_append_c(out, '"');
}

void
tn_json_append_int(GString *out, int64_t value)
{
  char digits[24], *at = digits + sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  bool is_big = rest >= (uint64_t)EXACT_LIMIT;
  if (is_big)
    *--at = '"';
  do
    *--at = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0)
    *--at = '-';
  if (is_big)
    g_string_append_c(out, '"');
  g_string_append_len(out, at, (gssize)(digits + sizeof digits - at));
}
