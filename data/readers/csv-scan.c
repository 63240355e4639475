/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/csv-scan.h"

#include <string.h>

bool
tn_csv_fail(TnCsvScan *scan, const uint8_t *place, TnDataError code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(scan->error, TN_DATA_ERROR, code, "%s:%u:%" G_GSIZE_FORMAT ": %s", scan->file,
              scan->line, (gsize)(place - scan->line_start) + 1, text);
  return false;
}

char *
tn_csv_dup_quoted(const TnCsvField *field)
{
  g_autofree char *text =
      g_utf8_make_valid((const char *)field->text, (gssize)MIN(field->length, (gsize)40));
  return g_strdup_printf(field->length > 40 ? "'%s…'" : "'%s'", text);
}

bool
tn_csv_fail_field(TnCsvScan *scan,
                  const TnCsvField *field,
                  const char *column,
                  const char *expected)
{
  g_autofree char *found = tn_csv_dup_quoted(field);
  return tn_csv_fail(scan, field->place, TN_DATA_ERROR_MALFORMED, "%s: found %s, expected %s",
                     column, found, expected);
}

static inline bool
is_blank(uint8_t c)
{
  return c == ' ' || c == '\t';
}

void
tn_csv_trim(TnCsvField *field)
{
  for (; field->length && is_blank(*field->text); field->length--)
    field->text++;
  while (field->length && is_blank(field->text[field->length - 1]))
    field->length--;
}

/* Undoubles the quotes of a field.  Room for the whole line is made before the first one, so that
 * fields which point into it stay where they are. */
static void
undouble(TnCsvScan *scan, TnCsvField *field)
{
  GString *room = scan->unquoted;
  gsize from = room->len;
  if (from == 0) {
    const uint8_t *stop = memchr(field->text, '\n', (gsize)(scan->end - field->text));
    gsize line = (gsize)((stop ? stop : scan->end) - field->text);
    g_string_set_size(room, line);
    g_string_truncate(room, 0);
  }
  for (gsize i = 0; i < field->length; i++) {
    g_string_append_c(room, (char)field->text[i]);
    i += field->text[i] == '"';
  }
  field->text = (const uint8_t *)room->str + from;
  field->length = room->len - from;
}

/* `at` stands on the opening quote. */
static bool
scan_quoted(TnCsvScan *scan, TnCsvField *field)
{
  bool has_doubled = false;
  field->text = ++scan->at;
  for (; scan->at < scan->end && *scan->at != '\n'; scan->at++) {
    if (*scan->at != '"')
      continue;
    if (scan->at + 1 == scan->end || scan->at[1] != '"')
      break;
    has_doubled = true;
    scan->at++;
  }
  if (scan->at == scan->end || *scan->at != '"')
    return tn_csv_fail(scan, field->place, TN_DATA_ERROR_MALFORMED,
                       "found a quote that the line does not close, expected '\"' before its end");
  field->length = (gsize)(scan->at++ - field->text);
  if (has_doubled)
    undouble(scan, field);
  if (tn_csv_is_line_end(scan) || *scan->at == ',')
    return true;
  return tn_csv_fail(scan, scan->at, TN_DATA_ERROR_MALFORMED,
                     "found text after a closing quote, expected ',' or the line's end");
}

bool
tn_csv_scan_field(TnCsvScan *scan, TnCsvField *field)
{
  field->place = scan->at;
  if (scan->at < scan->end && *scan->at == '"')
    return scan_quoted(scan, field);
  const uint8_t *at = scan->at, *end = scan->end;
  while (at < end && *at != ',' && *at != '\n')
    at++;
  field->text = scan->at;
  field->length = (gsize)(at - scan->at);
  scan->at = at;
  if (field->length && at[-1] == '\r' && (at == end || *at == '\n')) {
    field->length--;
    scan->at--;
  }
  tn_csv_trim(field);
  return true;
}

bool
tn_csv_is_blank(const TnCsvScan *scan)
{
  const uint8_t *at = scan->at;
  while (at < scan->end && (is_blank(*at) || *at == '\r'))
    at++;
  return at == scan->end || *at == '\n';
}

void
tn_csv_next_line(TnCsvScan *scan)
{
  while (scan->at < scan->end && *scan->at != '\n')
    scan->at++;
  if (scan->at < scan->end)
    scan->at++;
  scan->line++;
  scan->line_start = scan->at;
  g_string_truncate(scan->unquoted, 0);
}

static bool
fail_number(TnCsvScan *scan, const TnCsvField *field, const char *column)
{
  gsize sign = field->length > 1 && field->text[0] == '-', digits = sign;
  while (digits < field->length && g_ascii_isdigit(field->text[digits]))
    digits++;
  const char *expected = digits < field->length || digits == 0 ? "a whole number"
                         : sign                                ? "a number that is not negative"
                                : "a number below 9223372036854775808";
  return tn_csv_fail_field(scan, field, column, expected);
}

bool
tn_csv_read_number(TnCsvScan *scan, const TnCsvField *field, const char *column, int64_t *out)
{
  const uint8_t *at = field->text, *end = at + field->length;
  if (tn_csv_scan_digits(&at, end, out) && at == end)
    return true;
  return fail_number(scan, field, column);
}
