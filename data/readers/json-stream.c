/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/json-stream.h"

#include "data/json.h"

#include <errno.h>
#include <string.h>

#define FIRST_WINDOW ((gsize)4 << 20)
#define FORGET_STEP ((gsize)16 << 20)

void
tn_json_window_init(TnJsonWindow *window, TnSource *source, TnProgress *progress, GError **error)
{
  *window = (TnJsonWindow){.source = source, .progress = progress, .error = error};
  if (source->is_head) {
    window->stream = tn_source_stream_new(source);
    window->capacity = FIRST_WINDOW;
    window->buffer = g_malloc(window->capacity);
    window->start = window->at = window->end = window->buffer;
  } else {
    window->start = window->at = source->data;
    window->end = source->data + source->size;
    window->is_last = true;
  }
  if (tn_json_window_peek(window) == 0xef && window->end - window->at >= 3)
    window->at += 3;
}

void
tn_json_window_clear(TnJsonWindow *window)
{
  tn_source_stream_free(window->stream);
  g_free(window->buffer);
}

bool
tn_json_window_fail(TnJsonWindow *window, int code, const char *format, ...)
{
  if (window->has_failed)
    return false;
  window->has_failed = true;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(window->error, TN_DATA_ERROR, code, "%s: byte %" G_GSIZE_FORMAT ": %s",
              window->source->name, window->passed + (gsize)(window->at - window->start), text);
  return false;
}

/* Room behind what is kept: at least a quarter of the window, which grows for a large element. */
static bool
make_room(TnJsonWindow *window)
{
  gsize kept = (gsize)(window->end - window->at);
  window->passed += (gsize)(window->at - window->start);
  memmove(window->buffer, window->at, kept);
  if (kept > window->capacity / 4 * 3) {
    gsize limit = window->source->limit ? window->source->limit : G_MAXSIZE / 4;
    uint8_t *more =
        window->capacity > limit / 2 ? NULL : g_try_realloc(window->buffer, window->capacity * 2);
    if (!more) {
      window->start = window->at = window->buffer;
      window->end = window->buffer + kept;
      return tn_json_window_fail(window, TN_DATA_ERROR_TOO_LARGE,
                                 "found a value of more than %" G_GSIZE_FORMAT " bytes", kept);
    }
    window->buffer = more;
    window->capacity *= 2;
  }
  window->start = window->at = window->buffer;
  window->end = window->buffer + kept;
  return true;
}

static bool
is_stopped(TnJsonWindow *window, double fraction)
{
  tn_progress_report(window->progress, fraction, "Reading");
  return tn_progress_is_cancelled(window->progress) &&
         !tn_json_window_fail(window, TN_DATA_ERROR_CANCELLED, "stopped");
}

bool
tn_json_window_more(TnJsonWindow *window)
{
  gsize got;
  if (window->has_failed || window->is_last || !make_room(window))
    return false;
  gsize kept = (gsize)(window->end - window->start);
  if (!tn_source_stream_read(window->stream, window->buffer + kept, window->capacity - kept, &got,
                             window->error)) {
    window->has_failed = window->is_last = true;
    return false;
  }
  window->end += got;
  window->is_last = got == 0;
  return !is_stopped(window, tn_source_stream_fraction(window->stream)) && got > 0;
}

/* A mapped file's pages are given back behind the reader, so that it costs no more than a window.
 */
static void
forget(TnJsonWindow *window)
{
  gsize offset = (gsize)(window->at - window->start);
  if (window->stream || offset < window->forgotten + FORGET_STEP)
    return;
  tn_source_forget(window->source, offset);
  window->forgotten = offset;
  is_stopped(window, (double)offset / (double)window->source->size);
}

int
tn_json_window_peek(TnJsonWindow *window)
{
  do {
    while (window->at < window->end && (*window->at == ' ' || *window->at == '\n' ||
                                        *window->at == '\t' || *window->at == '\r'))
      window->at++;
    if (window->at < window->end)
      return window->has_failed ? 0 : *window->at;
  } while (tn_json_window_more(window));
  return 0;
}

bool
tn_json_window_take(TnJsonWindow *window, char wanted, const char *expected)
{
  int found = tn_json_window_peek(window);
  if (found == wanted) {
    window->at++;
    return true;
  }
  if (!found)
    return tn_json_window_fail(window, TN_DATA_ERROR_TRUNCATED,
                               "found the end of the file, expected %s", expected);
  return tn_json_window_fail(window, TN_DATA_ERROR_MALFORMED, "found '%c', expected %s",
                             found < 0x80 && found >= 0x20 ? found : '?', expected);
}

bool
tn_json_window_value(TnJsonWindow *window, TnJsonSlice *out)
{
  if (!tn_json_window_peek(window))
    return tn_json_window_fail(window, TN_DATA_ERROR_TRUNCATED,
                               "found the end of the file, expected a value");
  const uint8_t *end;
  while (!(end = tn_json_value_end(window->at, window->end)))
    if (!tn_json_window_more(window))
      return tn_json_window_fail(window, TN_DATA_ERROR_TRUNCATED,
                                 "found the end of the file in the middle of a value");
  if (end == window->at)
    return tn_json_window_fail(window, TN_DATA_ERROR_MALFORMED, "found '%c', expected a value",
                               *window->at >= 0x20 && *window->at < 0x80 ? *window->at : '?');
  *out = (TnJsonSlice){window->at, (gsize)(end - window->at)};
  window->at = end;
  forget(window);
  return !window->has_failed;
}

bool
tn_json_window_item(TnJsonWindow *window, bool *is_first)
{
  bool was_first = *is_first;
  *is_first = false;
  if (tn_json_window_peek(window) == ']') {
    window->at++;
    return false;
  }
  forget(window);
  return (was_first && !window->has_failed) || tn_json_window_take(window, ',', "',' or ']'");
}

/* ---- cutting --------------------------------------------------------------------------- */

/* Behind the string whose opening quote `at` is; NULL where it does not end. */
static const uint8_t *
string_end(const uint8_t *at, const uint8_t *end)
{
  for (at++; at < end; at++) {
    if (*at == '"')
      return at + 1;
    if (*at == '\\')
      at++;
  }
  return NULL;
}

/* 1: opens, 2: closes, 3: a quote, 0: nothing of interest in a container. */
static const uint8_t classes[256] = {['{'] = 1, ['['] = 1, ['}'] = 2, [']'] = 2, ['"'] = 3};

static const uint8_t *
container_end(const uint8_t *at, const uint8_t *end)
{
  gsize depth = 0;
  while (at < end) {
    uint8_t class = classes[*at];
    if (class == 3) {
      if (!(at = string_end(at, end)))
        return NULL;
      continue;
    }
    at++;
    depth += class == 1;
    if (class == 2 && --depth == 0)
      return at;
  }
  return NULL;
}

const uint8_t *
tn_json_value_end(const uint8_t *at, const uint8_t *end)
{
  if (at == end)
    return NULL;
  if (*at == '"')
    return string_end(at, end);
  if (*at == '{' || *at == '[')
    return container_end(at, end);
  while (at < end && (g_ascii_isalnum(*at) || *at == '-' || *at == '+' || *at == '.'))
    at++;
  return at == end ? NULL : at; /* a number may go on behind the window */
}

static const uint8_t *
skip_space(const uint8_t *at, const uint8_t *end)
{
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
    at++;
  return at;
}

TnJsonStep
tn_json_member(const uint8_t **cursor, const uint8_t *end, TnJsonSlice *key, TnJsonSlice *value)
{
  const uint8_t *at = skip_space(*cursor, end), *stop;
  if (at < end && *at == ',')
    at = skip_space(at + 1, end);
  if (at == end)
    return TN_JSON_INCOMPLETE;
  if (*at == '}') {
    *cursor = at + 1;
    return TN_JSON_END;
  }
  if (*at != '"')
    return TN_JSON_MALFORMED;
  if (!(stop = string_end(at, end)))
    return TN_JSON_INCOMPLETE;
  *key = (TnJsonSlice){at + 1, (gsize)(stop - at) - 2};
  at = skip_space(stop, end);
  if (at < end && *at != ':')
    return TN_JSON_MALFORMED;
  at = at < end ? skip_space(at + 1, end) : at;
  if (at == end || !(stop = tn_json_value_end(at, end)))
    return TN_JSON_INCOMPLETE;
  if (stop == at)
    return TN_JSON_MALFORMED;
  *value = (TnJsonSlice){at, (gsize)(stop - at)};
  *cursor = stop;
  return TN_JSON_MEMBER;
}

/* ---- reading --------------------------------------------------------------------------- */

/* The slice as C text without the quotes around it; false where it is too long for a number. */
static bool
copy_number(TnJsonSlice slice, char *out, gsize size)
{
  if (slice.length >= 2 && slice.from[0] == '"') {
    slice.from++;
    slice.length -= 2;
  }
  if (slice.length == 0 || slice.length >= size)
    return false;
  memcpy(out, slice.from, slice.length);
  out[slice.length] = 0;
  return true;
}

bool
tn_json_slice_int(TnJsonSlice slice, int64_t *out)
{
  char text[64], *end;
  if (!copy_number(slice, text, sizeof text))
    return false;
  int64_t value = 0;
  const char *at = text + (*text == '-');
  for (; g_ascii_isdigit(*at); at++)
    if (!tn_mul(value, 10, &value) || !tn_add(value, *at - '0', &value))
      return false;
  if (at == text + (*text == '-'))
    return false;
  if (*at == 0) {
    *out = *text == '-' ? -value : value;
    return true;
  }
  double real = g_ascii_strtod(text, &end);
  if (*end || !(real > -9e18 && real < 9e18))
    return false;
  *out = (int64_t)real;
  return true;
}

bool
tn_json_slice_address(TnJsonSlice slice, uint64_t *out)
{
  char text[64], *end;
  if (!copy_number(slice, text, sizeof text) || !g_ascii_isdigit(*text))
    return false;
  errno = 0;
  uint64_t value = g_ascii_strtoull(text, &end, text[1] == 'x' ? 16 : 10);
  if (*end || errno == ERANGE)
    return false;
  *out = value;
  return true;
}

bool
tn_json_slice_thousandths(TnJsonSlice slice, int64_t *out)
{
  char text[64], *end;
  if (!copy_number(slice, text, sizeof text))
    return false;
  bool is_negative = *text == '-';
  int64_t value = 0;
  const char *at = text + is_negative;
  if (!g_ascii_isdigit(*at))
    return false;
  for (; g_ascii_isdigit(*at); at++)
    if (!tn_mul(value, 10, &value) || !tn_add(value, *at - '0', &value))
      return false;
  bool has_point = *at == '.';
  at += has_point;
  for (int i = 0; i < 3; i++) {
    int digit = g_ascii_isdigit(*at) ? *at++ - '0' : 0;
    if (!tn_mul(value, 10, &value) || !tn_add(value, digit, &value))
      return false;
  }
  while (g_ascii_isdigit(*at))
    at++;
  if (*at == 'e' || *at == 'E') {
    double real = g_ascii_strtod(text, &end) * 1000.0;
    if (*end || !(real > -9e18 && real < 9e18))
      return false;
    *out = (int64_t)real;
    return true;
  }
  *out = is_negative ? -value : value;
  return *at == 0;
}

char *
tn_json_slice_dup_text(TnJsonSlice slice)
{
  if (slice.length < 2 || slice.from[0] != '"')
    return g_strdup("");
  if (!memchr(slice.from, '\\', slice.length))
    return g_utf8_make_valid((const char *)slice.from + 1, (gssize)slice.length - 2);
  TnJson json;
  const char *text = "";
  tn_json_init(&json, "", slice.from, slice.length, NULL);
  if (!tn_json_read_string(&json, &text))
    text = "";
  char *copy = g_strdup(text);
  tn_json_clear(&json);
  return copy;
}
