/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-prefix.h"

#include <string.h>

#define DOCKER_MOST 16384 /* bytes of a line that docker writes in one piece */

/* ---- packed lines ---------------------------------------------------------------------- */

/* Whose pieces a line that docker cut belongs to: its `"stream":"stderr"`.  `n`: bytes before the string's end at `end`.
 * Others than docker write the same without any "\n", so that only the longest are taken for cut. */
static TnTextPacking
packing_of(const char *end, gsize n, bool has_newline)
{
  const char *stream = strstr(end, "\"std");
  return (TnTextPacking){.stream = stream && stream[4] ? stream[4] : '?',
                         .is_open = *end == '"' && n >= DOCKER_MOST && !has_newline};
}

/* `{"log":"text\n","stream":…}`: the string's content; false where that is not what it is. */
static bool
unpack_docker(const GString *line, GString *out, TnTextPacking *packing)
{
  static const char start[] = "{\"log\":\"";
  if (strncmp(line->str, start, sizeof start - 1) != 0)
    return false;
  const char *at = line->str + sizeof start - 1;
  gsize n = 0;
  bool has_newline = false;
  g_string_truncate(out, 0);
  for (; *at && *at != '"'; at++) {
    n++;
    if (*at != '\\') {
      g_string_append_c(out, *at);
      continue;
    }
    if (!*++at)
      break;
    if (*at == 'u') {
      /* Colours come as \u001b[31m: an escape that the caller can't strip any more. */
      gunichar c = 0;
      for (int i = 0; i < 4 && g_ascii_isxdigit(at[1]); i++)
        c = c << 4 | (gunichar)g_ascii_xdigit_value(*++at);
      const char *code = at;
      if (c == 0x1b && at[1] == '[')
        while (at[1] && !g_ascii_isalpha(at[1]) && at[1] != '"')
          at++;
      if (c == 0x1b && g_ascii_isalpha(at[1]))
        at++;
      n += (gsize)(at - code); /* docker counted these, too */
      if (c >= 0x20)
        g_string_append_unichar(out, c);
      continue;
    }
    has_newline |= *at == 'n';
    if (*at == 't')
      g_string_append_c(out, ' ');
    else if (*at == '"' || *at == '\\' || *at == '/')
      g_string_append_c(out, *at);
  }
  *packing = packing_of(at, n, has_newline);
  return true;
}

static bool
unpack_entities(const GString *line, GString *out)
{
  static const struct {
    const char *name;
    char c;
  } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
  if (!strchr(line->str, '&'))
    return false;
  g_string_truncate(out, 0);
  for (const char *at = line->str; *at;) {
    gsize i = 0;
    while (i < G_N_ELEMENTS(entities) && !g_str_has_prefix(at, entities[i].name))
      i++;
    bool is_entity = i < G_N_ELEMENTS(entities);
    g_string_append_c(out, is_entity ? entities[i].c : *at);
    at += is_entity ? strlen(entities[i].name) : 1;
  }
  return true;
}

static void
swap(GString *a, GString *b)
{
  GString kept = *a;
  *a = *b;
  *b = kept;
}

TnTextPacking
tn_text_unpack(GString *line, GString *other)
{
  TnTextPacking packing = {0};
  if (unpack_docker(line, other, &packing) && other->len <= line->len)
    swap(line, other);
  if (unpack_entities(line, other))
    swap(line, other);
  gsize n = 0;
  while (line->str[n] == '>' && (line->str[n + 1] == ' ' || line->str[n + 1] == '>'))
    n += line->str[n + 1] == ' ' ? 2 : 1;
  g_string_erase(line, 0, (gssize)n);
  return packing;
}

/* ---- tags ------------------------------------------------------------------------------ */

static const char *
skip_digits(const char *at)
{
  while (g_ascii_isdigit(*at))
    at++;
  return at;
}

/* `2024-01-01T00:00:00.000000000Z `, with docker's or kubectl's `stderr F ` behind it. */
static const char *
skip_iso_time(const char *at)
{
  const char *from = at;
  if (skip_digits(at) != at + 4 || at[4] != '-' || skip_digits(at + 5) != at + 7 || at[7] != '-' ||
      skip_digits(at + 8) != at + 10 || at[10] != 'T')
    return from;
  at += 11;
  while (g_ascii_isdigit(*at) || *at == ':' || *at == '.' || *at == '+' || *at == '-' || *at == 'Z')
    at++;
  if (*at != ' ')
    return from;
  at++;
  if (g_str_has_prefix(at, "stderr F ") || g_str_has_prefix(at, "stdout F ") ||
      g_str_has_prefix(at, "stderr P ") || g_str_has_prefix(at, "stdout P "))
    at += 9;
  return at;
}

static bool
is_name(const char *from, const char *to)
{
  for (; from < to; from++)
    if (!g_ascii_isalnum(*from) && !strchr("-_./", *from))
      return false;
  return true;
}

/* `[rank1]:`, `[default0]:`, `[pod/a/b] `, `[1,0]<stderr>:`. */
static const char *
skip_bracket(const char *at)
{
  static const char *const names[] = {"[rank", "[default", "[pod/", "[Rank ", "[RANK "};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    if (!g_str_has_prefix(at, names[i]))
      continue;
    const char *close = strchr(at, ']');
    if (!close || close - at > 200)
      return at;
    return close[1] == ':' ? close + 2 : close + 1;
  }
  if (at[0] == '[' && g_ascii_isdigit(at[1])) {
    const char *comma = skip_digits(at + 1), *close = skip_digits(comma + (*comma == ','));
    if (*comma == ',' && g_str_has_prefix(close, "]<std"))
      return strchr(close, '>') && strchr(close, '>')[1] == ':' ? strchr(close, '>') + 2 : at;
  }
  return at;
}

/* `(VllmWorkerProcess pid=507) `, `(RayTrainWorker pid=1, ip=10.0.0.1) `. */
static const char *
skip_pid(const char *at)
{
  if (*at != '(')
    return at;
  const char *close = strchr(at, ')'), *pid = strstr(at, "pid=");
  return close && pid && pid < close && close - at < 200 ? close + 1 : at;
}

/* `web-1  | ` of docker compose, `3: ` of srun -l. */
static const char *
skip_column(const char *at)
{
  const char *digits = skip_digits(at);
  if (digits > at && digits - at <= 6 && digits[0] == ':' && digits[1] == ' ')
    return digits + 2;
  const char *end = at;
  while (*end && *end != ' ')
    end++;
  const char *bar = end;
  while (*bar == ' ')
    bar++;
  if (bar > end && bar[0] == '|' && (bar[1] == ' ' || bar[1] == 0) && end - at > 1 &&
      end - at < 100 && is_name(at, end) && !g_ascii_isdigit(*at))
    return bar + 1 + (bar[1] == ' ');
  return at;
}

const char *
tn_text_skip_tags(const char *line, GString *tag)
{
  for (int i = 0; i < 8; i++) {
    const char *after = skip_iso_time(line);
    if (after == line) {
      after = skip_bracket(line);
      if (after == line)
        after = skip_pid(line);
      if (after == line)
        after = skip_column(line);
      if (after == line)
        break;
      const char *end = after;
      while (end > line && strchr(" :|", end[-1]))
        end--;
      if (tag->len)
        g_string_append_c(tag, ' ');
      g_string_append_len(tag, line, end - line);
      if (*after == ' ' && after[1] != ' ')
        after++; /* one blank is the tag's, the rest is the line's own indent */
    }
    line = after;
  }
  return line;
}

/* ---- processes ------------------------------------------------------------------------- */

/* "100,main_0,optype,…", "100,allocator_id,…", "100,main_0,memory_type,…". */
static bool
is_imas_row(const char *behind_pid)
{
  const char *next = behind_pid + strcspn(behind_pid, ",");
  return g_str_has_prefix(behind_pid, "allocator_id,") || g_str_has_prefix(next, ",optype,") ||
         g_str_has_prefix(next, ",memory_type,");
}

/* Behind "[INFO] GE("; NULL: the line begins otherwise. */
static const char *
skip_level(const char *line)
{
  const char *at = line + 1;
  while (*line == '[' && g_ascii_isupper(*at))
    at++;
  if (*line != '[' || at == line + 1 || at[0] != ']' || at[1] != ' ')
    return NULL;
  const char *module = at += 2;
  while (g_ascii_isalnum(*at) || *at == '_')
    at++;
  return at > module && *at == '(' ? at + 1 : NULL;
}

/* "123,python3):" of CANN, "123,ffff9c,python):" of MindSpore; what a program prints of itself, as "Conv2d(3, 64, …", is
 * another thing. */
static bool
is_writer(const char *behind_pid)
{
  const char *end = behind_pid + strcspn(behind_pid, " ()");
  return behind_pid[0] == ',' && end > behind_pid + 1 && end[0] == ')' && end[1] == ':';
}

int64_t
tn_text_process(const char *whole)
{
  if (*whole != '[' && !g_ascii_isdigit(*whole))
    return 0;
  const char *digits = *whole == '[' ? skip_level(whole) : whole, *end = digits ? skip_digits(digits) : NULL;
  if (!digits || end == digits || end - digits > 18 || *end != ',' ||
      !(digits == whole ? is_imas_row(end + 1) : is_writer(end)))
    return 0;
  return g_ascii_strtoll(digits, NULL, 10);
}

/* ---- loggers --------------------------------------------------------------------------- */

/* Behind `path/file.cc:123] `; NULL where the line has none near its start. */
static const char *
skip_source_place(const char *line)
{
  const char *close = strstr(line, "] ");
  for (; close && close - line < 300; close = strstr(close + 1, "] ")) {
    const char *colon = close;
    while (colon > line && g_ascii_isdigit(colon[-1]))
      colon--;
    if (colon < close && colon > line && colon[-1] == ':' && colon - 1 > line &&
        g_ascii_isalnum(colon[-2]))
      return close + 2;
  }
  return NULL;
}

/* `2017-11-06 08:55:24.919606: `, `[11/08/2022-15:28:06] `, `12:00:01 `: the digits and signs. */
static const char *
skip_time(const char *line)
{
  const char *at = line + (*line == '[');
  int colons = 0;
  for (; *at && strchr("0123456789:-/.,TZ ", *at); at++)
    colons += *at == ':';
  if (*line == '[' && *at == ']')
    at++;
  else if (*line == '[')
    return line;
  bool is_time = colons >= 2 && at - line >= 8;
  while (is_time && *at == ' ')
    at++;
  return is_time ? at : line;
}

const char *
tn_text_skip_logger(const char *line)
{
  const char *place = skip_source_place(line);
  return place ? place : skip_time(line);
}

int32_t
tn_text_second(const char *line, const char *end)
{
  for (const char *at = memchr(line, ':', (gsize)(end - line)); at; at = memchr(at + 1, ':', (gsize)(end - at - 1))) {
    if (at - line < 2 || end - at < 6 || at[3] != ':' || (at - line > 2 && g_ascii_isdigit(at[-3])))
      continue;
    const char digits[] = {at[-2], at[-1], at[1], at[2], at[4], at[5]};
    int number[3];
    bool is_time = !g_ascii_isdigit(at[6]);
    for (int i = 0; i < 3; i++) {
      is_time &= g_ascii_isdigit(digits[2 * i]) && g_ascii_isdigit(digits[2 * i + 1]);
      number[i] = (digits[2 * i] - '0') * 10 + digits[2 * i + 1] - '0';
    }
    if (is_time && number[0] < 24 && number[1] < 60 && number[2] < 60)
      return (number[0] * 60 + number[1]) * 60 + number[2];
  }
  return -1;
}
