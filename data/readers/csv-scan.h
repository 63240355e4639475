/* SPDX-License-Identifier: MIT */
/* Cutting CSV text into fields without copying it: lines, quotes, numbers, and messages that name
 * file:line:column.  Which columns there are is the reader's matter. */
#pragma once

#include "data/error.h"
#include "data/types.h"

/* A field of the line in hand, as it stands in the file (without the quotes around it). */
typedef struct {
  const uint8_t *text; /* borrowed from the file, or from `unquoted` until the next line */
  gsize length;
  const uint8_t *place; /* where it begins in the file, for messages */
} TnCsvField;

typedef struct {
  const char *file;
  const uint8_t *at, *end, *line_start;
  uint32_t line; /* from 1 */
  GError **error;
  GString *unquoted; /* the line's quoted fields that hold doubled quotes, undoubled */
} TnCsvScan;

/* Sets "file:line:column: …" with the column (in bytes, from 1) of `place`.  Always false. */
bool tn_csv_fail(TnCsvScan *scan, const uint8_t *place, TnDataError code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* "column: found '…', expected …".  Always false. */
bool tn_csv_fail_field(TnCsvScan *scan, const TnCsvField *field, const char *column,
                       const char *expected);

/* The field's text between quotes, cut to 40 bytes, always UTF-8.  Owned by the caller. */
char *tn_csv_dup_quoted(const TnCsvField *field);

/* Takes blanks off both ends. */
void tn_csv_trim(TnCsvField *field);

/* Reads one field and leaves `at` on the comma or the line's end (see tn_csv_is_line_end()).
 * Errors: an open quote, text after a closing quote. */
bool tn_csv_scan_field(TnCsvScan *scan, TnCsvField *field);

/* Whether nothing but blanks is left on the line. */
bool tn_csv_is_blank(const TnCsvScan *scan);

/* Goes to the start of the next line; fields of the old one that had quotes end here. */
void tn_csv_next_line(TnCsvScan *scan);

/* A number of 0 to 2^63 - 1 that fills the field.  Errors name what it is instead. */
bool tn_csv_read_number(TnCsvScan *scan, const TnCsvField *field, const char *column,
                        int64_t *out);

static inline bool
tn_csv_is_line_end(const TnCsvScan *scan)
{
  return scan->at == scan->end || *scan->at == '\n' ||
         (*scan->at == '\r' && (scan->at + 1 == scan->end || scan->at[1] == '\n'));
}

/* Digits at *text, at most `end`; false where there are none or more than 63 bits. */
static inline bool
tn_csv_scan_digits(const uint8_t **text, const uint8_t *end, int64_t *out)
{
  const uint8_t *at = *text;
  uint64_t value = 0;
  for (; at < end && *at >= '0' && *at <= '9'; at++) {
    unsigned digit = *at - '0';
    if (value > ((uint64_t)INT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  if (at == *text)
    return false;
  *text = at;
  *out = (int64_t)value;
  return true;
}
