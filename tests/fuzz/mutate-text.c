/* SPDX-License-Identifier: MIT */
/* Lines come twice, go, or change places; numbers, words and fields become others. */
#include "tests/fuzz/mutate.h"

#include <string.h>

/* The line around a place, with its end. */
static void
find_line(const GByteArray *bytes, uint32_t place, uint32_t *out_start, uint32_t *out_end)
{
  uint32_t start = place, end = place;
  while (start && bytes->data[start - 1] != '\n')
    start--;
  while (end < bytes->len && bytes->data[end] != '\n')
    end++;
  *out_start = start;
  *out_end = MIN(end + 1, bytes->len);
}

static bool
is_wordly(uint8_t c)
{
  return g_ascii_isalnum(c) || c == '_' || c == '.' || c >= 0x80;
}

/* The word (or number) at or after a place; false: there is none. */
static bool
find_word(const GByteArray *bytes, uint32_t place, bool is_number, uint32_t *out_start,
          uint32_t *out_end)
{
  uint32_t at = place;
  while (at < bytes->len && !(is_number ? g_ascii_isdigit(bytes->data[at]) : is_wordly(bytes->data[at])))
    at++;
  *out_start = at;
  while (at < bytes->len && (is_number ? g_ascii_isdigit(bytes->data[at]) : is_wordly(bytes->data[at])))
    at++;
  *out_end = at;
  return at > *out_start;
}

static char *
build_hostile(TnChance *chance)
{
  static const char *const some[] = {
      "", "-", "-1", "nan", "inf", "1e308", "0x", "0xffffffffffffffff", "0x10000000000000000", "\"", "\"\"",
      "9223372036854775808", "18446744073709551616", "99999999999999999999999", "1.5", ".", ",", ",,,,",
      "[", "]", "{", "}", "<", ">", "(", ")", "\t", " ", "\r", "\xef\xbb\xbf", "\xff\xfe", "%s%n", "KiB", "GiB"};
  switch (tn_chance_draw(chance, 4)) {
  case 0:
    return g_strnfill(tn_chance_draw(chance, 2000), "x[{(<9"[tn_chance_draw(chance, 6)]);
  case 1:
    return g_strdup(some[tn_chance_draw(chance, G_N_ELEMENTS(some))]);
  default:
    return g_strdup_printf("%" G_GINT64_FORMAT, tn_chance_number(chance));
  }
}

bool
tn_mutate_text(GByteArray *bytes, TnChance *chance)
{
  uint32_t start, end, other, other_end, place = tn_chance_draw(chance, bytes->len);
  g_autofree char *hostile = build_hostile(chance);
  if (bytes->len == 0)
    return false;
  find_line(bytes, place, &start, &end);
  find_line(bytes, tn_chance_draw(chance, bytes->len), &other, &other_end);
  switch (tn_chance_draw(chance, 8)) {
  case 0: /* a line goes */
    tn_splice(bytes, start, end - start, NULL, 0);
    break;
  case 1: /* a line comes (again) */
    tn_splice(bytes, start, 0, bytes->data + other, other_end - other);
    break;
  case 2: /* a line becomes another */
    tn_splice(bytes, start, end - start, bytes->data + other, other_end - other);
    break;
  case 3: /* some words of another line */
    if (!find_word(bytes, other, false, &other, &other_end) || !find_word(bytes, place, false, &start, &end))
      return false;
    tn_splice(bytes, start, end - start, bytes->data + other, other_end - other);
    break;
  case 4: /* what it says in a word */
    if (!find_word(bytes, place, false, &start, &end))
      return false;
    tn_splice(bytes, start, end - start, hostile, strlen(hostile));
    break;
  case 5: /* something between */
    tn_splice(bytes, place, 0, hostile, strlen(hostile));
    break;
  default: /* what it counts */
    if (!find_word(bytes, place, true, &start, &end))
      return false;
    tn_splice(bytes, start, end - start, hostile, strlen(hostile));
    break;
  }
  return true;
}
