/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/write.h"

#include "data/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
write_standard_output(const void *data, gsize size, GError **error)
{
  if (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0)
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "standard output: can't be written: %s",
              g_strerror(errno));
  return false;
}

/* A device or a pipe (/dev/null, /dev/stdout) is written to; to replace it by a file would break the
 * machine. */
static bool
is_special(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static bool
write_special(const char *path, const void *data, gsize size, GError **error)
{
  FILE *file = fopen(path, "we");
  bool is_good = file && fwrite(data, 1, size, file) == size;
  int code = errno;
  if (file && fclose(file) != 0 && is_good) {
    is_good = false;
    code = errno;
  }
  if (!is_good)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: can't be written: %s", path,
                g_strerror(code));
  return is_good;
}

static char *
resolve(const char *path)
{
  char *whole = realpath(path, NULL), *copy = g_strdup(whole);
  free(whole);
  return copy;
}

bool
tn_write_file(const char *path, const void *data, gsize size, GError **error)
{
  if (strcmp(path, "-") == 0)
    return write_standard_output(data, size, error);
  if (is_special(path))
    return write_special(path, data, size, error);
  g_autoptr(GError) cause = NULL;
  /* A link stays a link: what it leads to is replaced. */
  g_autofree char *target = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? resolve(path) : NULL;
  if (g_file_set_contents_full(target ? target : path, data, (gssize)size,
                               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                               &cause))
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: can't be written: %s", path,
              cause->message);
  return false;
}
