/* SPDX-License-Identifier: MIT */
/* A file of any content, opened as the programs open it: mapped, packed by gzip or not, its form found
 * by its content.  What unpacks to more than the limit is refused. */
#include "config.h"

#include "tests/fuzz/memory-file.h"
#include "tests/fuzz/past-reader.h"

#define LIMIT ((gsize)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_whole(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSource) source = tn_source_new(path, LIMIT, &error);
  g_assert_true((source == NULL) == (error != NULL));
  if (source && source->was_packed)
    g_assert_cmpuint(source->size, <=, LIMIT);
}

static void
check_document(const char *path, bool is_partial)
{
  TnReadOptions options = {.is_partial_wanted = is_partial, .memory_limit = LIMIT};
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_true((document == NULL) == (error != NULL));
  g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
  if (document)
    tn_fuzz_document(document);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = tn_memory_file(data, size);
  check_whole(path);
  check_document(path, false);
  check_document(path, true);
  return 0;
}
