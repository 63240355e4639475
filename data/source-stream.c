/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/source.h"

#include "data/error.h"

#include <zlib.h>

#define MAX_RATIO 1000
#define MAX_PIECE ((gsize)1 << 30) /* zlib counts in 32 bits */

struct TnSourceStream {
  const TnSource *source;
  z_stream z;
  gsize consumed; /* handed to zlib */
  gsize unpacked, bound;
  bool is_done;
};

TnSourceStream *
tn_source_stream_new(const TnSource *source)
{
  TnSourceStream *stream = g_new0(TnSourceStream, 1);
  gsize limit = source->limit ? source->limit : G_MAXSIZE / 2;
  stream->source = source;
  stream->bound =
      MIN(limit, source->map_size > limit / MAX_RATIO ? limit : source->map_size * MAX_RATIO);
  if (inflateInit2(&stream->z, 15 + 32) != Z_OK)
    g_error("no memory for zlib");
  return stream;
}

void
tn_source_stream_free(TnSourceStream *stream)
{
  if (!stream)
    return;
  inflateEnd(&stream->z);
  g_free(stream);
}

double
tn_source_stream_fraction(const TnSourceStream *stream)
{
  return (double)(stream->consumed - stream->z.avail_in) / (double)stream->source->map_size;
}

static bool
fail_damaged(const TnSourceStream *stream, int code, GError **error)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED,
              "%s: gzip data is %s at byte %" G_GSIZE_FORMAT, stream->source->name,
              code == Z_DATA_ERROR ? "damaged" : "cut off", stream->consumed - stream->z.avail_in);
  return false;
}

static void
feed(TnSourceStream *stream)
{
  const TnSource *source = stream->source;
  gsize left = source->map_size - stream->consumed;
  stream->z.next_in = (Bytef *)(uintptr_t)((const uint8_t *)source->map + stream->consumed);
  stream->z.avail_in = (uInt)MIN(left, source->piece ? source->piece : MAX_PIECE);
  stream->consumed += stream->z.avail_in;
}

/* Several gzip members one after the other are one file; what else stands there is padding.  A member may
 * end where a piece does: the next is looked for in the file. */
static bool
begin_next_member(TnSourceStream *stream)
{
  const TnSource *source = stream->source;
  gsize at = stream->consumed - stream->z.avail_in;
  const uint8_t *next = (const uint8_t *)source->map + at;
  return source->map_size - at >= 2 && next[0] == 0x1f && next[1] == 0x8b &&
         inflateReset(&stream->z) == Z_OK;
}

bool
tn_source_stream_read(
    TnSourceStream *stream, uint8_t *out, gsize room, gsize *out_got, GError **error)
{
  z_stream *z = &stream->z;
  gsize piece = MIN(room, MAX_PIECE);
  z->next_out = out;
  z->avail_out = (uInt)piece;
  while (!stream->is_done && z->avail_out) {
    if (z->avail_in == 0)
      feed(stream);
    int code = inflate(z, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      stream->is_done = !begin_next_member(stream);
    else if (code == Z_BUF_ERROR && z->avail_in == 0 &&
             stream->consumed == stream->source->map_size && z->avail_out < piece)
      break; /* cut off: the next read says so */
    else if (code != Z_OK &&
             (code != Z_BUF_ERROR || z->avail_in || stream->consumed == stream->source->map_size))
      return fail_damaged(stream, code, error);
  }
  *out_got = piece - z->avail_out;
  stream->unpacked += *out_got;
  if (stream->unpacked <= stream->bound)
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
              "%s: unpacks to more than %" G_GSIZE_FORMAT
              " bytes (the limit is %d times the packed size, and the memory limit)",
              stream->source->name, stream->bound, MAX_RATIO);
  return false;
}
