/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/source.h"

#include "data/error.h"
#include "data/map-guard.h"
#include "data/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_SIZE ((gsize)256 << 10)

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
  source->guard = tn_map_guard_new(map, size);
  return true;
}

/* Reads what can't be mapped (a pipe, /proc, standard input) to its end. */
static bool
read_stream(TnSource *source, int fd, gsize limit, GError **error)
{
  g_autofree uint8_t *bytes = NULL;
  gsize n = 0, capacity = 0, most = MIN(limit, G_MAXSIZE / 2) + 1; /* one byte tells that there is more */
  while (n < most) {
    if (n == capacity) {
      capacity = MIN(MAX(capacity * 2, (gsize)1 << 16), most);
      uint8_t *more = realloc(bytes, capacity);
      if (!more) {
        g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                    "%s: no memory for more than %" G_GSIZE_FORMAT " bytes of input", source->name, n);
        return false;
      }
      bytes = g_steal_pointer(&more);
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
  if (n == most) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                "%s: more than %" G_GSIZE_FORMAT " bytes of input, which is the limit",
                source->name, limit);
    return false;
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

bool
tn_source_is_torn(const TnSource *source)
{
  return source->was_torn || tn_map_guard_is_torn(source->guard);
}

static void
release(TnSource *source)
{
  source->was_torn = tn_source_is_torn(source);
  g_clear_pointer(&source->guard, tn_map_guard_free);
  if (source->is_mapped)
    munmap(source->map, source->map_size);
  else
    free(source->map);
  source->map = NULL;
  source->is_mapped = false;
}

static bool
is_gzip(const TnSource *source)
{
  return source->size >= 2 && source->data[0] == 0x1f && source->data[1] == 0x8b;
}

/* Fills bytes[had, capacity) as far as it goes; a cut is the end where the caller takes what is there
 * and there is something. */
static bool
read_piece(TnSource *source, TnSourceStream *stream, uint8_t *bytes, gsize had, gsize capacity,
           gsize *out_got, GError **error)
{
  g_autoptr(GError) problem = NULL;
  if (tn_source_stream_read(stream, bytes + had, capacity - had, out_got, &problem))
    return true;
  if (source->takes_cut && had &&
      g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED)) {
    source->is_cut = true;
    *out_got = 0;
    return true;
  }
  g_propagate_error(error, g_steal_pointer(&problem));
  return false;
}

/* All of it into memory that grows as it fills. */
static bool
unpack(TnSource *source, GError **error)
{
  g_autoptr(TnSourceStream) stream = tn_source_stream_new(source);
  gsize n = 0, got = 1, least = (gsize)1 << 16;
  gsize capacity = MAX(MIN(source->map_size, source->limit / 4) * 4, least);
  uint8_t *bytes = malloc(capacity);
  bool is_good = true;
  while (bytes && is_good && got) {
    if (n == capacity) {
      uint8_t *more = realloc(bytes, capacity + capacity / 2);
      if (!more)
        break;
      bytes = more;
      capacity += capacity / 2;
    }
    is_good = read_piece(source, stream, bytes, n, capacity, &got, error);
    n += is_good ? got : 0;
  }
  if (!is_good || got) {
    if (is_good)
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE, "%s: no memory to unpack it",
                  source->name);
    free(bytes);
    return false;
  }
  release(source);
  source->data = source->map = bytes;
  source->size = n;
  source->was_packed = true;
  return true;
}

static bool
unpack_head(TnSource *source, GError **error)
{
  g_autoptr(TnSourceStream) stream = tn_source_stream_new(source);
  gsize n = 0, got = 1;
  source->head = malloc(HEAD_SIZE);
  while (got && n < HEAD_SIZE) {
    if (!read_piece(source, stream, source->head, n, HEAD_SIZE, &got, error)) {
      g_clear_pointer(&source->head, free);
      return false;
    }
    n += got;
  }
  source->data = source->head;
  source->size = n;
  source->is_head = source->was_packed = true;
  return n < HEAD_SIZE ? tn_source_complete(source, error) : true;
}

bool
tn_source_complete(TnSource *source, GError **error)
{
  if (!source->is_head)
    return true;
  g_clear_pointer(&source->head, free);
  source->is_head = false;
  source->data = source->map;
  source->size = source->map_size;
  return unpack(source, error);
}

void
tn_source_forget(TnSource *source, gsize offset)
{
  gsize page = (gsize)sysconf(_SC_PAGESIZE), until = offset / page * page;
  if (!source->is_mapped || source->is_head || until == source->forgotten)
    return;
  if (until < source->forgotten) /* it is read once more */
    source->forgotten = 0;
  madvise((char *)source->map + source->forgotten, until - source->forgotten, MADV_DONTNEED);
  source->forgotten = until;
}

static TnSource *
open_source(const char *path, gsize memory_limit, bool is_head_enough, bool takes_cut,
            GError **error)
{
  g_autoptr(TnSource) source = g_new0(TnSource, 1);
  bool is_stdin = strcmp(path, "-") == 0;
  source->takes_cut = takes_cut;
  source->limit = memory_limit ? memory_limit : tn_memory_default_limit();
  source->name = g_strdup(is_stdin ? "standard input" : path);
  source->path = is_stdin ? NULL : g_strdup(path);
  if (!open_bytes(source, path, source->limit, error))
    return NULL;
  if (source->size == 0) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: is empty (0 bytes)", source->name);
    return NULL;
  }
  source->map_size = source->size;
  bool is_good = !is_gzip(source) ||
                 (is_head_enough ? unpack_head(source, error) : unpack(source, error));
  return is_good ? g_steal_pointer(&source) : NULL;
}

TnSource *
tn_source_new(const char *path, gsize memory_limit, GError **error)
{
  return open_source(path, memory_limit, false, false, error);
}

TnSource *
tn_source_new_head(const char *path, gsize memory_limit, GError **error)
{
  return open_source(path, memory_limit, true, false, error);
}

TnSource *
tn_source_new_head_of_cut(const char *path, gsize memory_limit, GError **error)
{
  return open_source(path, memory_limit, true, true, error);
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
  free(source->head);
  g_free(source->name);
  g_free(source->path);
  g_free(source);
}
