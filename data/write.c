/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/write.h"

#include "data/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool
write_standard_output(const void *data, gsize size, GError **error)
{
  if (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0)
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "standard output: can't be written: %s",
              g_strerror(errno));
  return false;
}

bool
tn_write_file(const char *path, const void *data, gsize size, GError **error)
{
  if (strcmp(path, "-") == 0)
    return write_standard_output(data, size, error);
  g_autoptr(GError) cause = NULL;
  if (g_file_set_contents_full(path, data, (gssize)size,
                               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                               &cause))
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: can't be written: %s", path,
              cause->message);
  return false;
}
