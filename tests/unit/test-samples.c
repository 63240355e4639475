/* SPDX-License-Identifier: MIT */
/* The plans among the samples give what their README says. */
#include "config.h"

#include "analysis/check.h"
#include "data/reader.h"

static TnDocument *
load(const char *name)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *path = g_build_filename(root ? root : ".", "data", "samples", name, NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return document;
}

static void
test_broken_plan(void)
{
  g_autoptr(TnDocument) document = load("broken-plan.json");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnCheckParams params = {.document = document,
                          .buffers = device->buffers,
                          .space_arena = (const tn_bytes *)(void *)device->space_arena->data,
                          .n_spaces = device->space_arena->len};
  tn_check_offsets(&params, findings);
  g_assert_cmpuint(device->buffers->n, ==, 14);
  g_assert_cmpuint(findings->rows->len, ==, 2);
  g_assert_cmpstr(tn_findings_get(findings, 0)->message, ==,
                  "“relu1/out” and “conv3/out” share [0x1c000, 0x20000) (16.0 KiB) while both "
                  "live, ticks [15, 21): op “conv3” (tick 15) is the first to write “conv3/out” "
                  "over “relu1/out”");
  g_assert_cmpstr(tn_findings_get(findings, 1)->message, ==,
                  "“fc/workspace” of op “fc” (tick 21) lies at offset 0x11008 (69640), aligned to "
                  "8, but needs a multiple of 64");
}

static void
test_small_plan(void)
{
  g_autoptr(TnDocument) document = load("small-plan.csv");
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  tn_bytes sum = 0, alive = 0;
  g_assert_cmpuint(b->n, ==, 52);
  for (tn_index i = 0; i < b->n; i++) {
    sum += b->bytes[i];
    alive += b->start[i] <= 2 && 2 < b->end[i] ? b->bytes[i] : 0;
  }
  g_assert_cmpint(sum, ==, 4193344);
  g_assert_cmpint(alive, ==, 823296);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/samples/broken-plan", test_broken_plan);
  g_test_add_func("/samples/small-plan", test_small_plan);
  return g_test_run();
}
