/* SPDX-License-Identifier: MIT */
/* Text of logs, line by line and without what others put around it: ANSI colours, carriage
 * returns, `> ` quotes, docker's JSON, timestamps, the tags of ranks and containers, and the
 * loggers' own prefixes.  Also the small words that reports are made of: sizes and numbers. */
#pragma once

#include "data/types.h"

#define TN_TEXT_LINE_MAX 65536 /* longer lines go on in a line of their own */

typedef struct {
  const char *text; /* the line without prefixes, NUL-terminated, valid until the next */
  gsize length;
  const char *whole; /* the same with its timestamp and logger's prefix; `text` is its end */
  const char *tag;   /* who wrote it, as a launcher says ("rank1"); "" where nobody says */
  uint32_t number;   /* in the file, from 1 */
  bool is_cut;       /* the file's last line, and no line end closes it */
  char stream;       /* docker's, 'o' or 'e'; others where nobody says */
} TnTextLine;

typedef struct {
  const uint8_t *at, *end;
  const uint8_t *seen; /* from `at` up to here there is no '\n': not looked at again behind each '\r' */
  uint32_t number;
  GString *clean, *tag, *other, *joined;
  bool is_continued; /* the last line was cut at TN_TEXT_LINE_MAX */
  bool is_cut;       /* and ends where the file does */
} TnTextScan;

void tn_text_scan_init(TnTextScan *scan, const void *data, gsize size);
void tn_text_scan_clear(TnTextScan *scan);
/* The next line; false at the end.  O(its length). */
bool tn_text_scan_next(TnTextScan *scan, TnTextLine *out_line);

/* A size with its unit at *text: "16.00 GiB", "74.16MiB", "63.80G", "0 bytes", "0B", "512".  Units
 * are binary whatever they call themselves.  *out_step (may be NULL) is the unit of its last
 * decimal: the value is right to half of it.  Blanks before it are skipped, *text ends behind it.
 * False, and nothing changed, where there is none or it passes 64 bits. */
bool tn_text_size(const char **text, tn_bytes *out_bytes, tn_bytes *out_step);
/* The same, but a unit must stand there: a number that was cut off in its middle has none. */
bool tn_text_measure(const char **text, tn_bytes *out_bytes, tn_bytes *out_step);
/* A size right after the first `label` in `line`. */
bool
tn_text_size_after(const char *line, const char *label, tn_bytes *out_bytes, tn_bytes *out_step);
/* An integer of 0 to 2^63 - 1 (decimal, or hexadecimal behind 0x). */
bool tn_text_number(const char **text, int64_t *out);
bool tn_text_number_after(const char *line, const char *label, int64_t *out);
/* Hexadecimal digits with or without 0x, up to 64 bits. */
bool tn_text_hex(const char **text, uint64_t *out);
/* Whether *text goes on with `word` (blanks before it skipped); steps behind it. */
bool tn_text_word(const char **text, const char *word);
