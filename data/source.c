/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/source.h"

#include "data/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_RATIO 1000

static gsize
default_limit(void)
{
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? (gsize)pages / 4 * 3 * (gsize)page : (gsize)4 << 30;
}

static bool
fail_errno(GError **error, const char *name, const char *what)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: %s: %s", name, what,
              g_strerror(errno));
  return false;
}

static bool
map_file(TnSource *source, int fd, gsize size, GError **error)
{
  void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    return fail_errno(error, source->name, "can't map the file into memory");
  madvise(map, size, MADV_SEQUENTIAL);
  source->map = map;
  source->map_size = source->size = size;
  source->data = map;
  source->is_mapped = true;
  return true;
}

/* Reads what can't be mapped (a pipe, /proc, standard input) to its end. */
static bool
read_stream(TnSource *source, int fd, gsize limit, GError **error)
{
  g_autofree uint8_t *bytes = NULL;
  gsize n = 0, capacity = 0;
  for (;;) {
    if (n == capacity) {
      capacity = capacity ? capacity * 2 : 1 << 16;
      uint8_t *more = capacity > limit ? NULL : realloc(bytes, capacity);
      if (!more) {
        g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                    "%s: more than %" G_GSIZE_FORMAT " bytes of input, which is the limit",
                    source->name, limit);
        return false;
      }
      bytes = more;
    }
    ssize_t got = read(fd, bytes + n, capacity - n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail_errno(error, source->name, "can't be read");
    if (got == 0)
      break;
    n += (gsize)got;
  }
  source->data = source->map = g_steal_pointer(&bytes);
  source->size = n;
  return true;
}

static bool
open_bytes(TnSource *source, const char *path, gsize limit, GError **error)
{
  bool is_stdin = strcmp(path, "-") == 0;
  int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail_errno(error, source->name, "can't be opened");
  struct stat info;
  bool is_good = false;
  if (fstat(fd, &info) < 0)
    fail_errno(error, source->name, "can't be read");
  else if (S_ISDIR(info.st_mode))
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN,
                "%s: is a directory; expected a file", source->name);
  else if (S_ISREG(info.st_mode) && info.st_size > 0)
    is_good = map_file(source, fd, (gsize)info.st_size, error);
  else
    is_good = read_stream(source, fd, limit, error);
  if (!is_stdin)
    close(fd);
  return is_good;
}

static void
release(TnSource *source)
{
  if (source->is_mapped)
    munmap(source->map, source->map_size);
  else
    free(source->map);
  source->map = NULL;
  source->is_mapped = false;
}

static bool
inflate_all(const TnSource *source, gsize limit, uint8_t **out, gsize *out_size, GError **error)
{
  z_stream z = {0};
  if (inflateInit2(&z, 15 + 32) != Z_OK) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE, "%s: no memory to unpack it",
                source->name);
    return false;
  }
  gsize n = 0, capacity = 0, consumed = 0;
  gsize bound = MIN(limit, source->size > limit / MAX_RATIO ? limit : source->size * MAX_RATIO);
  uint8_t *bytes = NULL;
  int code = Z_OK;
  while (code == Z_OK || code == Z_BUF_ERROR) {
    if (n == capacity) {
      gsize wanted = capacity ? capacity + capacity / 2 : MAX(source->size * 4, (gsize)1 << 16);
      wanted = MIN(wanted, bound + 1);
      uint8_t *more = n > bound ? NULL : realloc(bytes, wanted);
      if (!more) {
        g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                    "%s: unpacks to more than %" G_GSIZE_FORMAT
                    " bytes (the limit is %d times the packed size, and the memory limit)",
                    source->name, bound, MAX_RATIO);
        break;
      }
      bytes = more;
      capacity = wanted;
    }
    if (z.avail_in == 0) {
      gsize left = source->size - consumed;
      z.next_in = (Bytef *)(uintptr_t)(source->data + consumed);
      z.avail_in = (uInt)MIN(left, (gsize)1 << 30);
      consumed += z.avail_in;
    }
    uInt room = (uInt)MIN(capacity - n, (gsize)1 << 30);
    z.next_out = bytes + n;
    z.avail_out = room;
    code = inflate(&z, Z_NO_FLUSH);
    n += room - z.avail_out;
    if (code == Z_BUF_ERROR && z.avail_in == 0 && consumed == source->size)
      break;
    /* Several gzip members one after the other are one file. */
    if (code == Z_STREAM_END && (z.avail_in > 0 || consumed < source->size) &&
        z.avail_in >= 2 && z.next_in[0] == 0x1f && z.next_in[1] == 0x8b)
      code = inflateReset(&z);
  }
  gsize at = consumed - z.avail_in;
  inflateEnd(&z);
  if (code != Z_STREAM_END) {
    if (error && !*error)
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED,
                  "%s: gzip data is %s at byte %" G_GSIZE_FORMAT, source->name,
                  code == Z_DATA_ERROR ? "damaged" : "cut off", at);
    free(bytes);
    return false;
  }
  *out = bytes;
  *out_size = n;
  return true;
}

static bool
unpack(TnSource *source, gsize limit, GError **error)
{
  uint8_t *bytes;
  gsize n;
  if (!inflate_all(source, limit, &bytes, &n, error))
    return false;
  release(source);
  source->data = source->map = bytes;
  source->size = n;
  source->was_packed = true;
  return true;
}

TnSource *
tn_source_new(const char *path, gsize memory_limit, GError **error)
{
  gsize limit = memory_limit ? memory_limit : default_limit();
  g_autoptr(TnSource) source = g_new0(TnSource, 1);
  bool is_stdin = strcmp(path, "-") == 0;
  source->name = g_strdup(is_stdin ? "standard input" : path);
  source->path = is_stdin ? NULL : g_strdup(path);
  if (!open_bytes(source, path, limit, error))
    return NULL;
  if (source->size == 0) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: is empty (0 bytes)", source->name);
    return NULL;
  }
  if (source->size >= 2 && source->data[0] == 0x1f && source->data[1] == 0x8b &&
      !unpack(source, limit, error))
    return NULL;
  return g_steal_pointer(&source);
}

TnSource *
tn_source_new_for_bytes(const char *name, const void *data, gsize size)
{
  TnSource *source = g_new0(TnSource, 1);
  source->name = g_strdup(name);
  uint8_t *copy = malloc(MAX(size, (gsize)1));
  if (!copy)
    g_error("no memory for %" G_GSIZE_FORMAT " bytes", size);
  if (size)
    memcpy(copy, data, size);
  source->data = source->map = copy;
  source->size = size;
  return source;
}

void
tn_source_free(TnSource *source)
{
  if (!source)
    return;
  release(source);
  g_free(source->name);
  g_free(source->path);
  g_free(source);
}
