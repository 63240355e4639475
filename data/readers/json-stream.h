/* SPDX-License-Identifier: MIT */
/* JSON of gigabytes, element by element: a window moves over the text (all of a mapped file, or a
 * piece of what gzip holds), and values are cut out of it without being read.  data/json.h reads
 * what a caller then wants of them.
 *
 *   while (tn_json_window_item(&window))      // in an array: at its next element
 *     switch (tn_json_member(&at, window.end, &key, &value)) …
 */
#pragma once

#include "data/progress.h"
#include "data/source.h"
#include "data/types.h"

/* A value as it stands in the text, a string with its quotes. */
typedef struct {
  const uint8_t *from;
  gsize length;
} TnJsonSlice;

typedef struct {
  TnSource *source;
  TnSourceStream *stream; /* NULL: the window is the whole text */
  uint8_t *buffer;
  gsize capacity;
  const uint8_t *start, *at, *end; /* the window, and where the reader stands in it */
  gsize passed;                    /* bytes of the text before `start` */
  gsize forgotten;
  bool is_last, has_failed; /* is_last: nothing follows behind `end` */
  TnProgress *progress;
  GError **error;
} TnJsonWindow;

void
tn_json_window_init(TnJsonWindow *window, TnSource *source, TnProgress *progress, GError **error);
void tn_json_window_clear(TnJsonWindow *window);
/* More text behind `end`; what stands before `at` goes, and slices are no longer valid.  False at
 * the text's end, or where it fails or was cancelled (has_failed). */
bool tn_json_window_more(TnJsonWindow *window);
/* Sets "file: byte N: …" at `at`.  Always false. */
bool tn_json_window_fail(TnJsonWindow *window, int code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Steps over white space to the next character, which is not taken; 0 at the text's end. */
int tn_json_window_peek(TnJsonWindow *window);
/* Takes this character; else fails with what was expected. */
bool tn_json_window_take(TnJsonWindow *window, char wanted, const char *expected);
/* The next value whole: valid until more text is asked for. */
bool tn_json_window_value(TnJsonWindow *window, TnJsonSlice *out);
/* In an array, behind its '[' or an element: steps over a comma; false behind the ']'. */
bool tn_json_window_item(TnJsonWindow *window, bool *is_first);

typedef enum { TN_JSON_MEMBER, TN_JSON_END, TN_JSON_INCOMPLETE, TN_JSON_MALFORMED } TnJsonStep;

/* Members of an object one by one: *at is behind its '{' or a member; behind the '}' at the end. */
TnJsonStep
tn_json_member(const uint8_t **at, const uint8_t *end, TnJsonSlice *key, TnJsonSlice *value);
/* The end of the value at `at`; NULL where it goes on behind `end`. */
const uint8_t *tn_json_value_end(const uint8_t *at, const uint8_t *end);

/* Whether the slice is this text, quotes and all. */
#define tn_json_slice_is(slice, text)                                                              \
  ((slice).length == sizeof(text) - 1 && memcmp((slice).from, (text), sizeof(text) - 1) == 0)
/* An integer of 64 bits; fractions are cut off.  Also as a string of digits. */
bool tn_json_slice_int(TnJsonSlice slice, int64_t *out);
/* An unsigned integer, decimal or a string with 0x. */
bool tn_json_slice_address(TnJsonSlice slice, uint64_t *out);
/* A decimal number times 1000, exactly (microseconds to nanoseconds). */
bool tn_json_slice_thousandths(TnJsonSlice slice, int64_t *out);
/* The text of a string, owned by the caller, valid UTF-8; "" where it is none. */
char *tn_json_slice_dup_text(TnJsonSlice slice);
