/* SPDX-License-Identifier: MIT */
/* Two recordings, plans or graphs in one input, "====" between: read by content and compared. */
#include "config.h"

#include "tests/fuzz/past-reader.h"

#include "analysis/diff/diff.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static TnDocument *
load(const void *data, gsize size)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("fuzz", data, size);
  return tn_document_load_source(source, &options, NULL);
}

static TnStudy *
study(const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnStudy *made = document ? tn_study_new(document, 0, &params, NULL, NULL) : NULL;
  if (made)
    g_assert_true(tn_study_prepare(made, TN_GROUP_AUTO, NULL));
  return made;
}

/* Each row of either side is in one pair, and the sums are those of the sides. */
static void
check_pairs(const TnDiff *diff)
{
  tn_bytes a = 0, b = 0, sum_a = 0, sum_b = 0;
  for (uint32_t i = 0; i < diff->n; i++) {
    a += MAX(tn_diff_bytes_a(diff, i), (tn_bytes)0);
    b += MAX(tn_diff_bytes_b(diff, i), (tn_bytes)0);
    g_free(tn_diff_dup_label(diff, i));
  }
  for (uint32_t i = 0; i < diff->a->buffers->n; i++)
    sum_a += diff->a->buffers->bytes[i];
  for (uint32_t i = 0; i < diff->b->buffers->n; i++)
    sum_b += diff->b->buffers->bytes[i];
  g_assert_cmpint(a, ==, sum_a);
  g_assert_cmpint(b, ==, sum_b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char mark[] = "====";
  const uint8_t *cut = size ? memmem(data, size, mark, 4) : NULL;
  gsize first = cut ? (gsize)(cut - data) : size / 2;
  gsize second = MIN(first + (cut ? 4 : 0), size);
  g_autoptr(TnDocument) one = load(data, first), other = load(data + second, size - second);
  g_autoptr(TnStudy) a = study(one), b = study(other);
  if (!a || !b)
    return 0;
  TnDiffParams params = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDiff) diff = tn_diff_new(a, b, &params, &error);
  g_assert_true((diff == NULL) == (error != NULL));
  if (!diff)
    return 0;
  check_pairs(diff);
  g_array_unref(tn_diff_build_ranking(diff));
  return 0;
}
