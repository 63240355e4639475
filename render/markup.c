/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/markup.h"

#include <stdbool.h>

/* The controls above ASCII are allowed in XML, but HTML takes their references for other
 * characters. */
static bool
is_kept(gunichar c)
{
  if (c < 0x20)
    return c == '\t' || c == '\n' || c == '\r';
  return !(c >= 0x7f && c <= 0x9f) && c != 0xfffe && c != 0xffff;
}

char *
tn_markup_escape(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(GString) clean = g_string_new(NULL);
  for (const char *at = valid, *next; *at; at = next) {
    next = g_utf8_next_char(at);
    if (is_kept(g_utf8_get_char(at)))
      g_string_append_len(clean, at, (gssize)(next - at));
    else
      g_string_append(clean, "\uFFFD");
  }
  return g_markup_escape_text(clean->str, (gssize)clean->len);
}
