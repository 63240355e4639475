/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* An array in some ABIs: as a member it can be handed on by its address. */
typedef struct {
  va_list list;
} Arguments;

static bool
is_break(gunichar c)
{
  return (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Controls (C0, DEL, C1), and those of the bidirectional algorithm (Unicode's annex 9, section 2).
 */
static bool
is_control(gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void
append_clean(GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  for (const char *at = valid, *next; *at; at = next) {
    gunichar c = g_utf8_get_char(at);
    next = g_utf8_next_char(at);
    if (is_break(c))
      g_string_append_c(out, ' ');
    else if (is_control(c))
      g_string_append(out, "\uFFFD");
    else
      g_string_append_len(out, at, (gssize)(next - at));
  }
}

/* The flags, width and precision of a conversion, numbers for the stars; returns what follows. */
static const char *
copy_spec(GString *spec, const char *at, Arguments *arguments)
{
  g_string_assign(spec, "%");
  for (; *at && strchr("-+ #0123456789.*", *at); at++)
    if (*at == '*')
      g_string_append_printf(spec, "%d", va_arg(arguments->list, int));
    else
      g_string_append_c(spec, *at);
  return at;
}

/* The compiler has checked the whole format already: here it is taken apart. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void
append_whole(GString *out, GString *spec, const char *at, Arguments *arguments)
{
  gsize n_long = strspn(at, "l"), n_size = strspn(at, "z");
  g_string_append_len(spec, at, (gssize)(n_long + n_size + 1));
  if (n_size)
    g_string_append_printf(out, spec->str, va_arg(arguments->list, size_t));
  else if (n_long > 1)
    g_string_append_printf(out, spec->str, va_arg(arguments->list, long long));
  else if (n_long)
    g_string_append_printf(out, spec->str, va_arg(arguments->list, long));
  else
    g_string_append_printf(out, spec->str, va_arg(arguments->list, int));
}

/* One conversion, whose letters begin at `at`; returns what follows. */
static const char *
append_conversion(GString *out, const char *at, Arguments *arguments)
{
  g_autoptr(GString) spec = g_string_new(NULL);
  at = copy_spec(spec, at, arguments);
  const char *letter = at + strspn(at, "lz");
  if (*letter == 's') {
    g_string_append_c(spec, 's');
    g_autofree char *text = g_strdup_printf(spec->str, va_arg(arguments->list, const char *));
    append_clean(out, text);
  } else if (*letter == '%') {
    g_string_append_c(out, '%');
  } else if (strchr("efgEG", *letter)) {
    g_string_append_c(spec, *letter);
    g_string_append_printf(out, spec->str, va_arg(arguments->list, double));
  } else {
    append_whole(out, spec, at, arguments);
  }
  return letter + 1;
}

static void
print(FILE *to, const char *format, Arguments *arguments)
{
  g_autoptr(GString) out = g_string_new(NULL);
  while (*format) {
    gsize n = strcspn(format, "%");
    g_string_append_len(out, format, (gssize)n);
    format += n;
    if (*format)
      format = append_conversion(out, format + 1, arguments);
  }
  fputs(out->str, to);
}

void
tn_say(const char *format, ...)
{
  Arguments arguments;
  va_start(arguments.list, format);
  print(stdout, format, &arguments);
  va_end(arguments.list);
}

void
tn_say_error(const char *format, ...)
{
  Arguments arguments;
  va_start(arguments.list, format);
  print(stderr, format, &arguments);
  va_end(arguments.list);
}
