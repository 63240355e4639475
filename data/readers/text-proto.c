/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-proto.h"

#include "data/json.h"

#include <errno.h>
#include <string.h>

void
tn_text_proto_init(TnTextProto *text, const void *data, gsize size)
{
  const uint8_t *start = data;
  *text = (TnTextProto){.at = start + tn_text_mark(data, size), .end = start + size, .line = 1};
}

#define AGAIN ((TnTextProtoEvent)-1) /* nothing to tell yet */

/* Blanks, comments, and the separators that may stand between fields. */
static void
skip_blanks(TnTextProto *text)
{
  while (text->at < text->end) {
    uint8_t c = *text->at;
    if (c == '#') {
      const uint8_t *newline = memchr(text->at, '\n', (gsize)(text->end - text->at));
      text->at = newline ? newline : text->end;
      continue;
    }
    if (!g_ascii_isspace(c) && c != ',' && c != ';')
      return;
    text->line += c == '\n';
    text->at++;
  }
}

static TnTextProtoEvent
fail(TnTextProto *text, const char *found, const char *expected)
{
  text->found = text->at == text->end ? "the end of the text" : found;
  text->expected = expected;
  return text->at == text->end ? TN_TEXT_PROTO_END : TN_TEXT_PROTO_BAD;
}

static bool
is_word(uint8_t c)
{
  return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+' || c == '/';
}

/* One quoted string; false where its quote stays open. */
static bool
scan_string(TnTextProto *text)
{
  uint8_t quote = *text->at++;
  const uint8_t *start = text->at;
  while (text->at < text->end && *text->at != quote && *text->at != '\n')
    text->at += *text->at == '\\' && text->at + 1 < text->end ? 2 : 1;
  if (text->at >= text->end || *text->at != quote)
    return false;
  text->value = start;
  text->value_length = (gsize)(text->at - start);
  text->at++;
  return true;
}

static TnTextProtoEvent
scan_value(TnTextProto *text)
{
  uint8_t c = text->at < text->end ? *text->at : 0;
  text->is_string = c == '"' || c == '\'';
  if (text->is_string) {
    if (!scan_string(text))
      return fail(text, "a line's end inside a string", "a closing quote");
    return TN_TEXT_PROTO_VALUE;
  }
  text->value = text->at;
  while (text->at < text->end && is_word(*text->at))
    text->at++;
  text->value_length = (gsize)(text->at - text->value);
  return text->value_length ? TN_TEXT_PROTO_VALUE : fail(text, "another character", "a value");
}

static TnTextProtoEvent
open_message(TnTextProto *text)
{
  if (text->depth == TN_TEXT_PROTO_DEPTH)
    return fail(text, "a message inside 64 others", "less nesting");
  text->closing[text->depth++] = *text->at++ == '{' ? '}' : '>';
  text->in_list = false;
  return TN_TEXT_PROTO_OPEN;
}

static TnTextProtoEvent
close_message(TnTextProto *text)
{
  if (text->depth == 0 || *text->at != text->closing[text->depth - 1])
    return fail(text, "a closing bracket", "a field, or the bracket of the open message");
  text->depth--;
  text->at++;
  return TN_TEXT_PROTO_CLOSE;
}

/* What stands behind a field's name or inside its list. */
static TnTextProtoEvent
scan_field(TnTextProto *text)
{
  skip_blanks(text);
  if (text->at < text->end && *text->at == '[') {
    text->at++;
    text->in_list = true;
    return AGAIN;
  }
  if (text->at < text->end && (*text->at == '{' || *text->at == '<'))
    return open_message(text);
  return scan_value(text);
}

static TnTextProtoEvent
scan_named(TnTextProto *text)
{
  text->name = text->at;
  while (text->at < text->end && is_word(*text->at))
    text->at++;
  text->name_length = (gsize)(text->at - text->name);
  if (text->name_length == 0)
    return fail(text, "another character", "the name of a field");
  skip_blanks(text);
  bool has_colon = text->at < text->end && *text->at == ':';
  text->at += has_colon;
  if (!has_colon && text->at < text->end && *text->at != '{' && *text->at != '<')
    return fail(text, "another character", "':' or '{' behind the name of a field");
  return scan_field(text);
}

/* A string may go on in quotes of its own; such parts are rare, and follow as values of the name.
 */
static TnTextProtoEvent
step(TnTextProto *text)
{
  skip_blanks(text);
  if (text->at == text->end)
    return fail(text, "", text->depth ? "a closing bracket" : "a field");
  uint8_t c = *text->at;
  if (text->in_list && c == ']') {
    text->at++;
    text->in_list = false;
    return AGAIN;
  }
  if (text->in_list)
    return scan_value(text);
  if (c == '}' || c == '>')
    return close_message(text);
  if ((c == '"' || c == '\'') && text->is_string)
    return scan_value(text);
  return scan_named(text);
}

TnTextProtoEvent
tn_text_proto_next(TnTextProto *text)
{
  TnTextProtoEvent event;
  do
    event = step(text);
  while (event == AGAIN);
  return event;
}

bool
tn_text_proto_skip(TnTextProto *text)
{
  uint32_t depth = text->depth;
  while (text->depth >= depth) {
    TnTextProtoEvent event = tn_text_proto_next(text);
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD)
      return false;
  }
  return true;
}

bool
tn_text_proto_is(const TnTextProto *text, const char *name)
{
  return text->name_length == strlen(name) && memcmp(text->name, name, text->name_length) == 0;
}

static bool
value_is(const TnTextProto *text, const char *word)
{
  return text->value_length == strlen(word) && memcmp(text->value, word, text->value_length) == 0;
}

bool
tn_text_proto_integer(const TnTextProto *text, int64_t *out)
{
  char digits[24], *end;
  if (!text->is_string && (value_is(text, "true") || value_is(text, "false"))) {
    *out = text->value[0] == 't';
    return true;
  }
  if (text->is_string || text->value_length == 0 || text->value_length >= sizeof digits)
    return false;
  memcpy(digits, text->value, text->value_length);
  digits[text->value_length] = 0;
  bool is_hex = strstr(digits, "0x") || strstr(digits, "0X");
  errno = 0;
  int64_t value = g_ascii_strtoll(digits, &end, is_hex ? 16 : 10);
  if (*end || end == digits || errno == ERANGE)
    return false;
  *out = value;
  return true;
}

char *
tn_text_proto_dup_string(const TnTextProto *text)
{
  g_autofree char *raw = g_strndup((const char *)text->value, text->value_length);
  gsize n = strlen(raw), escapes = 0;
  /* What a NUL cuts off may end in half an escape. */
  while (escapes < n && raw[n - 1 - escapes] == '\\')
    escapes++;
  if (escapes % 2)
    raw[n - 1] = '\0';
  return text->is_string ? g_strcompress(raw) : g_steal_pointer(&raw);
}
