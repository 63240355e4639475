/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-scan.h"

#include "data/json.h"
#include "data/readers/text-prefix.h"

#include <string.h>

void
tn_text_scan_init(TnTextScan *scan, const void *data, gsize size)
{
  const uint8_t *start = data;
  *scan = (TnTextScan){.at = start + tn_text_mark(data, size), .end = start + size};
  scan->seen = scan->at;
  scan->clean = g_string_new(NULL);
  scan->other = g_string_new(NULL);
  scan->joined = g_string_new(NULL);
  scan->tag = g_string_new(NULL);
}

void
tn_text_scan_clear(TnTextScan *scan)
{
  g_string_free(scan->clean, TRUE);
  g_string_free(scan->other, TRUE);
  g_string_free(scan->joined, TRUE);
  g_string_free(scan->tag, TRUE);
}

/* Behind an escape sequence: CSI … letter, OSC … BEL or ST, or ESC and one character. */
static const uint8_t *
skip_escape(const uint8_t *at, const uint8_t *end)
{
  if (++at == end)
    return at;
  if (*at == '[') {
    for (at++; at < end && (*at < 0x40 || *at > 0x7e); at++)
      if (*at < 0x20)
        return at; /* broken off: the line goes on here */
    return at < end ? at + 1 : at;
  }
  if (*at != ']')
    return at + 1;
  for (at++; at < end && *at != 7 && *at != 0x1b; at++)
    ;
  if (at < end && *at == 0x1b && at + 1 < end && at[1] == '\\')
    at++;
  return at < end ? at + 1 : at;
}

/* Copies without escapes and control characters; tabs become blanks, NUL bytes nothing. */
static void
copy_clean(GString *out, const uint8_t *at, const uint8_t *end)
{
  g_string_truncate(out, 0);
  while (at < end) {
    const uint8_t *plain = at;
    while (plain < end && *plain >= 0x20)
      plain++;
    g_string_append_len(out, (const char *)at, plain - at);
    at = plain;
    if (at == end)
      break;
    if (*at == 0x1b) {
      at = skip_escape(at, end);
      continue;
    }
    if (*at == '\t')
      g_string_append_c(out, ' ');
    at++;
  }
}

/* The end of the line: '\n', or a '\r' on its own (progress bars), or too many bytes. */
static const uint8_t *
find_end(TnTextScan *scan)
{
  const uint8_t *limit = scan->at + MIN((gsize)(scan->end - scan->at), (gsize)TN_TEXT_LINE_MAX);
  const uint8_t *from = MAX(scan->seen, scan->at);
  const uint8_t *newline = memchr(from, '\n', (gsize)(limit - from));
  const uint8_t *stop = newline ? newline : limit;
  scan->seen = stop;
  const uint8_t *back = memchr(scan->at, '\r', (gsize)(stop - scan->at));
  while (back && back + 1 < stop && back[1] == '\r')
    back++;
  if (back && back + 1 < stop)
    return back;
  return stop;
}

/* A number that ends where the text does may go on behind it: it is none.  With a unit it is whole. */
static void
drop_open_number(GString *line)
{
  gsize n = line->len;
  while (n > 0 && (g_ascii_isxdigit(line->str[n - 1]) || strchr(".,xX", line->str[n - 1])))
    n--;
  const char *word = line->str + n;
  bool is_hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  bool is_inside = n > 0 && (g_ascii_isalnum(line->str[n - 1]) || line->str[n - 1] == '_');
  if (!is_inside && (is_hex || (g_ascii_isdigit(word[0]) && !word[strspn(word, "0123456789.,")])))
    g_string_truncate(line, n);
}

/* The next line of the file, out of what it was packed into, as `clean`. */
static TnTextPacking
take_line(TnTextScan *scan)
{
  const uint8_t *stop = find_end(scan);
  if (!scan->is_continued)
    scan->number++;
  copy_clean(scan->clean, scan->at, stop);
  if (stop == scan->end)
    drop_open_number(scan->clean);
  bool is_line_end = stop < scan->end && *stop == '\n';
  scan->is_continued = !is_line_end;
  scan->is_cut = stop == scan->end;
  bool is_closed = stop < scan->end && (*stop == '\n' || *stop == '\r');
  scan->at = is_closed ? stop + 1 : stop;
  return tn_text_unpack(scan->clean, scan->other);
}

/* Docker's pieces of one line become one, up to the length that a line may have. */
static void
join_pieces(TnTextScan *scan, TnTextPacking piece)
{
  char stream = piece.stream;
  g_string_assign(scan->joined, scan->clean->str);
  while (piece.is_open && scan->at < scan->end && scan->joined->len < TN_TEXT_LINE_MAX) {
    TnTextScan before = *scan;
    piece = take_line(scan);
    if (piece.stream != stream) { /* not of this line */
      *scan = before;
      break;
    }
    g_string_append_len(scan->joined, scan->clean->str, (gssize)scan->clean->len);
  }
  g_string_assign(scan->clean, scan->joined->str);
}

bool
tn_text_scan_next(TnTextScan *scan, TnTextLine *out_line)
{
  if (scan->at == scan->end)
    return false;
  TnTextPacking packing = take_line(scan);
  uint32_t number = scan->number;
  if (packing.is_open)
    join_pieces(scan, packing);
  g_string_truncate(scan->tag, 0);
  const char *whole = tn_text_skip_tags(scan->clean->str, scan->tag);
  const char *text = tn_text_skip_logger(whole);
  *out_line = (TnTextLine){.text = text,
                           .length = (gsize)(scan->clean->str + scan->clean->len - text),
                           .whole = whole,
                           .tag = scan->tag->str,
                           .number = number,
                           .is_cut = scan->is_cut,
                           .stream = packing.stream};
  return true;
}

/* ---- words ----------------------------------------------------------------------------- */

static const char *
skip_blanks(const char *text)
{
  while (*text == ' ')
    text++;
  return text;
}

static const struct {
  const char *name;
  int shift;
} units[] = {{"bytes", 0}, {"byte", 0}, {"Bytes", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30},
             {"TiB", 40},  {"PiB", 50}, {"KB", 10},   {"MB", 20},  {"GB", 30},  {"TB", 40},
             {"kB", 10},   {"K", 10},   {"M", 20},    {"G", 30},   {"T", 40},   {"B", 0}};

/* The unit at *text, stepping behind it; 0 (bytes) where there is none. */
static int
unit_shift(const char **text)
{
  const char *word = skip_blanks(*text);
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    gsize n = strlen(units[i].name);
    if (strncmp(word, units[i].name, n) == 0 && !g_ascii_isalnum(word[n])) {
      *text = word + n;
      return units[i].shift;
    }
  }
  return 0;
}

bool
tn_text_size(const char **text, tn_bytes *out_bytes, tn_bytes *out_step)
{
  const char *at = skip_blanks(*text);
  uint64_t digits = 0, scale = 1;
  bool has_point = false, has_digits = false;
  for (; g_ascii_isdigit(*at) || (*at == '.' && !has_point && g_ascii_isdigit(at[1])); at++) {
    if (*at == '.') {
      has_point = true;
      continue;
    }
    if (digits > ((uint64_t)INT64_MAX - 9) / 10 || (has_point && scale > 1000000000))
      return false;
    digits = digits * 10 + (uint64_t)(*at - '0');
    scale *= has_point ? 10 : 1;
    has_digits = true;
  }
  if (!has_digits)
    return false;
  int shift = unit_shift(&at);
  unsigned __int128 bytes = (((unsigned __int128)digits << shift) + scale / 2) / scale;
  if (bytes > INT64_MAX)
    return false;
  *out_bytes = (tn_bytes)bytes;
  if (out_step)
    *out_step = shift ? MAX((tn_bytes)(((uint64_t)1 << shift) / scale), 1) : 0;
  *text = at;
  return true;
}

bool
tn_text_measure(const char **text, tn_bytes *out_bytes, tn_bytes *out_step)
{
  const char *at = *text;
  tn_bytes bytes, step;
  if (!tn_text_size(&at, &bytes, &step) || !g_ascii_isalpha(at[-1]))
    return false;
  *out_bytes = bytes;
  if (out_step)
    *out_step = step;
  *text = at;
  return true;
}

bool
tn_text_size_after(const char *line, const char *label, tn_bytes *out_bytes, tn_bytes *out_step)
{
  const char *at = strstr(line, label);
  if (!at)
    return false;
  at += strlen(label);
  return tn_text_size(&at, out_bytes, out_step);
}

bool
tn_text_number(const char **text, int64_t *out)
{
  const char *at = skip_blanks(*text);
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    uint64_t value;
    if (!tn_text_hex(&at, &value) || value > (uint64_t)INT64_MAX)
      return false;
    *out = (int64_t)value;
    *text = at;
    return true;
  }
  int64_t value = 0;
  if (!g_ascii_isdigit(*at))
    return false;
  for (; g_ascii_isdigit(*at); at++)
    if (!tn_mul(value, 10, &value) || !tn_add(value, *at - '0', &value))
      return false;
  *out = value;
  *text = at;
  return true;
}

bool
tn_text_number_after(const char *line, const char *label, int64_t *out)
{
  const char *at = strstr(line, label);
  if (!at)
    return false;
  at += strlen(label);
  return tn_text_number(&at, out);
}

bool
tn_text_hex(const char **text, uint64_t *out)
{
  const char *at = skip_blanks(*text);
  uint64_t value = 0;
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
    at += 2;
  if (!g_ascii_isxdigit(*at))
    return false;
  for (; g_ascii_isxdigit(*at); at++) {
    if (value >> 60)
      return false;
    value = value << 4 | (uint64_t)g_ascii_xdigit_value(*at);
  }
  *out = value;
  *text = at;
  return true;
}

bool
tn_text_word(const char **text, const char *word)
{
  const char *at = skip_blanks(*text);
  gsize n = strlen(word);
  if (strncmp(at, word, n) != 0)
    return false;
  *text = at + n;
  return true;
}
