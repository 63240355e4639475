/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/file-hash.h"

#include "data/error.h"

#include <errno.h>
#include <stdio.h>

char *
tn_file_hash(const char *path, GError **error)
{
  guchar part[65536];
  size_t n;
  FILE *file = fopen(path, "rb");
  if (!file) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN, "%s: can't be opened: %s", path,
                g_strerror(errno));
    return NULL;
  }
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
