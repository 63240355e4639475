/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/file-hash.h"

#include "data/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe has been read to its end already: to open it again would wait for ever, or give the hash of
 * nothing. */
static FILE *
open_regular(const char *path, GError **error)
{
  struct stat info;
  bool is_stdin = strcmp(path, "-") == 0;
  int fd = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const char *why = is_stdin ? "it is not read again" : fd < 0 ? g_strerror(errno) : NULL;
  if (!why && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)))
    why = "it is no regular file";
  FILE *file = why ? NULL : fdopen(fd, "rb");
  if (file)
    return file;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: can't be opened: %s", path,
              why ? why : g_strerror(errno));
  if (fd >= 0)
    close(fd);
  return NULL;
}

char *
tn_file_hash(const char *path, GError **error)
{
  guchar part[65536];
  size_t n;
  FILE *file = open_regular(path, error);
  if (!file)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  while ((n = fread(part, 1, sizeof part, file)) > 0)
    g_checksum_update(checksum, part, (gssize)n);
  int failed = ferror(file);
  fclose(file);
  if (!failed)
    return g_strdup(g_checksum_get_string(checksum));
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: can't be read to its end", path);
  return NULL;
}
