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

#define MOST_LINKS 40

/* What a link leads to, which need not be there yet; NULL where links lead in a circle. */
static char *
resolve(const char *path)
{
  g_autofree char *at = g_strdup(path);
  for (int i = 0; i < MOST_LINKS; i++) {
    g_autofree char *link = g_file_read_link(at, NULL);
    if (!link)
      return g_steal_pointer(&at);
    g_autofree char *folder = g_path_get_dirname(at);
    g_free(at);
    at = g_path_is_absolute(link) ? g_steal_pointer(&link) : g_build_filename(folder, link, NULL);
  }
  return NULL;
}

/* A file that is replaced keeps who may read it; GLib takes the mode of new ones from here. */
static int
mode_of(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? (int)(info.st_mode & 0777) : 0666;
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
  g_autofree char *target = resolve(path);
  if (!target) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE,
                "%s: can't be written: found links in a circle; expected a file", path);
    return false;
  }
  if (g_file_set_contents_full(target, data, (gssize)size,
                               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                               mode_of(target), &cause))
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: can't be written: %s", path,
              cause->message);
  return false;
}
