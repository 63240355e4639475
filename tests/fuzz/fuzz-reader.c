/* SPDX-License-Identifier: MIT */
/* One reader (TN_FUZZ_FORMAT) on any bytes: it may refuse them, with an error; it may not crash,
 * and what it accepts must be consistent, pass through the checker, and be writable. */
#include "config.h"

#include "analysis/check.h"
#include "analysis/findings-all.h"
#include "analysis/long-tail.h"
#include "data/reader.h"
#include "data/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_buffers(const TnDevice *device)
{
  const TnBuffers *b = device->buffers;
  for (tn_index i = 0; i < b->n; i++) {
    uint32_t n;
    tn_tick at = b->start[i];
    const TnGap *gaps = tn_buffers_gaps(b, i, &n);
    g_assert_cmpint(b->start[i], >=, 0);
    g_assert_cmpint(b->start[i], <, b->end[i]);
    g_assert_cmpint(b->end[i], <=, device->axis_end);
    g_assert_cmpint(b->bytes[i], >=, 0);
    g_assert_cmpint(b->offset[i], >=, TN_NOT_PLACED);
    g_assert_cmpint(tn_buffers_alignment(b, i), >=, 1);
    for (uint32_t g = 0; g < n; at = gaps[g++].end) {
      g_assert_cmpint(gaps[g].start, >=, at);
      g_assert_cmpint(gaps[g].end, <=, b->end[i]);
      g_assert_cmpint(gaps[g].high, <=, b->bytes[i]);
    }
  }
}

static void
check_plan(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnCheckParams params = {.document = document, .buffers = device->buffers};
  TnPlanOutput output = {.document = document,
                         .device = device,
                         .buffers = device->buffers,
                         .n_spaces = device->space_names ? MAX(device->space_names->len, 1u) : 1,
                         .arena_bytes = device->arena_bytes};
  check_buffers(device);
  tn_check_offsets(&params, findings);
  tn_find_long_tails(document, device, device->buffers, findings);
  g_autofree char *json = tn_plan_build_json(&output);
  g_autofree char *csv = tn_plan_build_csv(&output);
}

/* A log's lives, and all that is found in them but what needs a replay. */
static void
check_log(const TnDocument *document)
{
  for (guint i = 0; i < document->devices->len; i++) {
    TnStudyParams params = TN_STUDY_PARAMS_INIT;
    const TnFindParams find = {.without_replay = true};
    g_autoptr(TnFindings) findings = tn_findings_new();
    g_autoptr(TnStudy) study = tn_study_new(document, i, &params, NULL, NULL);
    if (study && tn_study_prepare(study, TN_GROUP_MODULE, NULL))
      tn_find_all(study, &find, findings);
  }
}

static TnDocument *
load(const uint8_t *data, size_t size, bool is_partial)
{
  TnReadOptions options = {.format = TN_FUZZ_FORMAT, .is_partial_wanted = is_partial};
  g_autoptr(TnSource) source = tn_source_new_for_bytes("fuzz", data, size);
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_true((document == NULL) == (error != NULL));
  g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
  return document;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(TnDocument) document = load(data, size, false);
  g_autoptr(TnDocument) partial = load(data, size, true);
  if (document && document->kind == TN_DOCUMENT_PLAN)
    check_plan(document);
  else if (document && document->kind == TN_DOCUMENT_LOG)
    check_log(document);
  return 0;
}
