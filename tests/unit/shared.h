/* SPDX-License-Identifier: MIT */
/* Files that tests look at where they are present: $TN_SHARED, skipped with a word where not. */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>
#include <stdbool.h>

/* A path below $TN_SHARED, owned; NULL (and the test marked as skipped) where it is not there. */
static inline char *
shared_path(const char *relative)
{
  const char *root = g_getenv("TN_SHARED");
  char *path = g_build_filename(root ? root : "../shared", relative, NULL);
  if (g_file_test(path, G_FILE_TEST_EXISTS))
    return path;
  g_free(path);
  g_test_skip("../shared is not here");
  return NULL;
}

/* The JSON of a shared file; free with cJSON_Delete().  NULL: skipped. */
static inline cJSON *
shared_json(const char *relative)
{
  g_autofree char *path = shared_path(relative), *text = NULL;
  gsize size = 0;
  if (!path || !g_file_get_contents(path, &text, &size, NULL))
    return NULL;
  cJSON *json = cJSON_ParseWithLength(text, size);
  g_assert_nonnull(json);
  return json;
}

/* A model that tests/fuzz/make-models.py made: part of the project, always there.  Owned. */
static inline char *
corpus_path(const char *relative)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  return g_build_filename(root ? root : ".", "tests", "fuzz", "corpus", relative, NULL);
}
