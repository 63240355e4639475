/* SPDX-License-Identifier: MIT */
/* Pickles written as text, opcode by opcode, so that a test says exactly which bytes it means.
 *
 *   } ] ( ) . u s e a t l d 0 …   the opcode of that letter     'text'   a string
 *   42 -1 70000000000             an integer, as short as it goes
 *   m                             MEMOIZE                       T F N    True, False, None
 *   q7 r300 h7 j300               BINPUT, LONG_BINPUT, BINGET, LONG_BINGET
 *   t1 t2 t3                      TUPLE1, TUPLE2, TUPLE3        f1.5     BINFLOAT
 *   L9:5                          LONG1 of 9 bytes with the value 5 (L8:-1: all ones)
 *   x8a01ff                       raw bytes
 *
 * Strings are SHORT_BINUNICODE from protocol 4 on, BINUNICODE before it. */
#pragma once

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static inline void
pickle_byte(GByteArray *out, guint8 byte)
{
  g_byte_array_append(out, &byte, 1);
}

static inline void
pickle_number(GByteArray *out, guint64 value, int n)
{
  for (int i = 0; i < n; i++)
    pickle_byte(out, (guint8)(i < 8 ? value >> (8 * i) : 0));
}

static inline void
pickle_string(GByteArray *out, const char *text, gsize n, int protocol)
{
  if (protocol >= 4 && n < 256) {
    pickle_byte(out, 0x8c);
    pickle_byte(out, (guint8)n);
  } else {
    pickle_byte(out, 'X');
    pickle_number(out, n, 4);
  }
  g_byte_array_append(out, (const guint8 *)text, (guint)n);
}

static inline void
pickle_integer(GByteArray *out, gint64 value)
{
  if (value >= 0 && value < 256) {
    pickle_byte(out, 'K');
    pickle_byte(out, (guint8)value);
  } else if (value >= 0 && value < 65536) {
    pickle_byte(out, 'M');
    pickle_number(out, (guint64)value, 2);
  } else if (value >= G_MININT32 && value <= G_MAXINT32) {
    pickle_byte(out, 'J');
    pickle_number(out, (guint64)value, 4);
  } else {
    pickle_byte(out, 0x8a);
    pickle_byte(out, 8);
    pickle_number(out, (guint64)value, 8);
  }
}

static inline void
pickle_double(GByteArray *out, double value)
{
  guint64 bits;
  memcpy(&bits, &value, 8);
  pickle_byte(out, 'G');
  for (int i = 7; i >= 0; i--)
    pickle_byte(out, (guint8)(bits >> (8 * i)));
}

static inline void
pickle_token(GByteArray *out, const char *t)
{
  static const struct {
    const char *name;
    guint8 opcode;
  } named[] = {{"T", 0x88}, {"F", 0x89}, {"m", 0x94}, {"t1", 0x85}, {"t2", 0x86}, {"t3", 0x87},
               {"pop", '0'}, {"dup", '2'}};
  for (gsize i = 0; i < G_N_ELEMENTS(named); i++)
    if (strcmp(t, named[i].name) == 0) {
      pickle_byte(out, named[i].opcode);
      return;
    }
  if (g_ascii_isdigit(t[0]) || (t[0] == '-' && t[1])) {
    pickle_integer(out, g_ascii_strtoll(t, NULL, 10));
  } else if (t[1] == '\0') {
    pickle_byte(out, (guint8)t[0]);
  } else if (t[0] == 'q' || t[0] == 'h') {
    pickle_byte(out, (guint8)t[0]);
    pickle_byte(out, (guint8)atoi(t + 1));
  } else if (t[0] == 'r' || t[0] == 'j') {
    pickle_byte(out, (guint8)t[0]);
    pickle_number(out, g_ascii_strtoull(t + 1, NULL, 10), 4);
  } else if (t[0] == 'f') {
    pickle_double(out, g_ascii_strtod(t + 1, NULL));
  } else if (t[0] == 'L') {
    char *end;
    int n = (int)strtol(t + 1, &end, 10);
    pickle_byte(out, 0x8a);
    pickle_byte(out, (guint8)n);
    gint64 value = g_ascii_strtoll(end + 1, NULL, 10);
    pickle_number(out, (guint64)value, n);
  } else if (t[0] == 'x') {
    for (const char *p = t + 1; p[0] && p[1]; p += 2)
      pickle_byte(out, (guint8)(g_ascii_xdigit_value(p[0]) << 4 | g_ascii_xdigit_value(p[1])));
  } else {
    g_error("pickle-text.h: '%s' is no token", t);
  }
}

static inline void
pickle_add(GByteArray *out, int protocol, const char *text)
{
  for (const char *p = text; *p;) {
    if (*p == ' ' || *p == '\n') {
      p++;
    } else if (*p == '\'') {
      const char *close = strchr(p + 1, '\'');
      pickle_string(out, p + 1, (gsize)(close - p - 1), protocol);
      p = close + 1;
    } else {
      gsize n = strcspn(p, " \n'");
      g_autofree char *token = g_strndup(p, n);
      pickle_token(out, token);
      p += n;
    }
  }
}

/* The pickle of `text` with PROTO before it and STOP after it; owned by the caller. */
static inline GByteArray *
pickle_new(int protocol, const char *text)
{
  GByteArray *out = g_byte_array_new();
  pickle_byte(out, 0x80);
  pickle_byte(out, (guint8)protocol);
  pickle_add(out, protocol, text);
  pickle_byte(out, '.');
  return out;
}
