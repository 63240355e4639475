/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/samples/pickle-writer.h"

#include <string.h>

#define FRAME_TARGET (64 * 1024)
#define FRAME_HEADER 9
#define BATCH 1000

static void
close_frame(PickleWriter *writer)
{
  if (writer->frame_start == G_MAXSIZE)
    return;
  guint64 length = GUINT64_TO_LE(writer->out->len - writer->frame_start - FRAME_HEADER);
  writer->out->data[writer->frame_start] = 0x95; /* FRAME */
  memcpy(writer->out->data + writer->frame_start + 1, &length, sizeof length);
  writer->frame_start = G_MAXSIZE;
}

/* A frame that is full ends before the next object begins. */
static void
boundary(PickleWriter *writer)
{
  if (writer->frame_start != G_MAXSIZE &&
      writer->out->len - writer->frame_start - FRAME_HEADER >= FRAME_TARGET)
    close_frame(writer);
}

static void
put(PickleWriter *writer, const void *bytes, guint n)
{
  if (writer->frame_start == G_MAXSIZE) {
    static const uint8_t header[FRAME_HEADER];
    writer->frame_start = writer->out->len;
    g_byte_array_append(writer->out, header, FRAME_HEADER);
  }
  g_byte_array_append(writer->out, bytes, n);
}

static void
put_op(PickleWriter *writer, char op)
{
  put(writer, &op, 1);
}

static void
memoize(PickleWriter *writer)
{
  put_op(writer, '\x94');
  writer->n_memo++;
}

void
pickle_begin(PickleWriter *writer)
{
  *writer = (PickleWriter){.out = g_byte_array_new(),
                           .frame_start = G_MAXSIZE,
                           .strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  g_byte_array_append(writer->out, (const guint8 *)"\x80\x04", 2);
}

GByteArray *
pickle_end(PickleWriter *writer)
{
  put_op(writer, '.');
  close_frame(writer);
  g_hash_table_unref(writer->strings);
  return writer->out;
}

void
pickle_int(PickleWriter *writer, int64_t value)
{
  uint8_t bytes[10];
  guint n;
  boundary(writer);
  for (guint i = 0; i < 8; i++)
    bytes[2 + i] = (uint8_t)((uint64_t)value >> 8 * i);
  if (value >= 0 && value <= 0xffff) {
    n = value <= 0xff ? 1 : 2;
    bytes[1] = n == 1 ? 'K' : 'M'; /* BININT1, BININT2 */
    put(writer, bytes + 1, n + 1);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    bytes[1] = 'J'; /* BININT */
    put(writer, bytes + 1, 5);
  } else {
    for (n = 8; n > 1 && bytes[1 + n] == (value < 0 ? 0xff : 0) && (bytes[n] >> 7 == (value < 0));
         n--)
      ;
    bytes[0] = 0x8a; /* LONG1 */
    bytes[1] = (uint8_t)n;
    put(writer, bytes, n + 2);
  }
}

void
pickle_bool(PickleWriter *writer, bool value)
{
  boundary(writer);
  put_op(writer, value ? '\x88' : '\x89');
}

void
pickle_float(PickleWriter *writer, double value)
{
  guint64 bits;
  boundary(writer);
  memcpy(&bits, &value, sizeof bits);
  bits = GUINT64_TO_BE(bits);
  put_op(writer, 'G');
  put(writer, &bits, sizeof bits);
}

void
pickle_get(PickleWriter *writer, uint32_t memo)
{
  uint32_t index = GUINT32_TO_LE(memo);
  boundary(writer);
  put_op(writer, memo < 256 ? 'h' : 'j'); /* BINGET, LONG_BINGET */
  put(writer, &index, memo < 256 ? 1 : 4);
}

void
pickle_string(PickleWriter *writer, const char *text)
{
  gpointer had = g_hash_table_lookup(writer->strings, text);
  if (had) {
    pickle_get(writer, GPOINTER_TO_UINT(had) - 1);
    return;
  }
  guint length = (guint)strlen(text);
  uint32_t prefix = GUINT32_TO_LE(length);
  boundary(writer);
  put_op(writer, length < 256 ? '\x8c' : 'X');
  put(writer, &prefix, length < 256 ? 1 : 4);
  put(writer, text, length);
  g_hash_table_insert(writer->strings, g_strdup(text), GUINT_TO_POINTER(writer->n_memo + 1));
  memoize(writer);
}

void
pickle_int_pair(PickleWriter *writer, int64_t a, int64_t b)
{
  boundary(writer);
  pickle_int(writer, a);
  pickle_int(writer, b);
  put_op(writer, '\x86'); /* TUPLE2 */
  memoize(writer);
}

PickleFill
pickle_list(PickleWriter *writer, uint32_t n)
{
  boundary(writer);
  put_op(writer, ']');
  memoize(writer);
  return (PickleFill){.n = n};
}

PickleFill
pickle_dict(PickleWriter *writer, uint32_t n)
{
  boundary(writer);
  put_op(writer, '}');
  memoize(writer);
  return (PickleFill){.n = n, .is_dict = true};
}

void
pickle_before(PickleWriter *writer, const PickleFill *fill)
{
  if (fill->n > 1 && fill->done % BATCH == 0)
    put_op(writer, '(');
}

void
pickle_after(PickleWriter *writer, PickleFill *fill)
{
  fill->done++;
  if (fill->n == 1)
    put_op(writer, fill->is_dict ? 's' : 'a');
  else if (fill->done == fill->n || fill->done % BATCH == 0)
    put_op(writer, fill->is_dict ? 'u' : 'e');
}

uint32_t
pickle_last_memo(const PickleWriter *writer)
{
  return writer->n_memo - 1;
}
