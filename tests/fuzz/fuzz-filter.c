/* SPDX-License-Identifier: MIT */
/* Searches and filters, a term a line, on a small log. */
#include "config.h"

#include "app/window/filter.h"
#include "data/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char log_text[] =
    "{\"format\": \"tenure-log\", \"version\": 1}\n"
    "{\"t\": 1, \"event\": \"alloc\", \"address\": \"0x7f0000000000\", \"bytes\": 4096, \"stack\": "
    "[\"forward (model.py:88)\", \"main (train.py:7)\"]}\n"
    "{\"t\": 2, \"event\": \"alloc\", \"address\": \"0x7f0000001000\", \"bytes\": 1048576}\n"
    "{\"t\": 3, \"event\": \"free\", \"address\": \"0x7f0000000000\"}\n";

static TnStudy *
new_study(void)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("log", log_text, sizeof log_text - 1);
  TnDocument *document = tn_document_load_source(source, &options, NULL);
  g_assert_nonnull(document);
  TnStudy *study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_nonnull(study);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  return study;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static TnStudy *study;
  g_autofree char *bytes = g_strndup((const char *)data, size);
  /* An entry holds text. */
  g_autofree char *text = g_utf8_make_valid(bytes, -1);
  g_auto(GStrv) terms = g_strsplit(text, "\n", 5);
  TnFilterResult result = {0};
  g_autoptr(GError) error = NULL;
  if (!study)
    study = new_study();
  bool is_good = tn_filter_run(study, (const char *const *)terms, &result, &error);
  g_assert_true(is_good == (error == NULL));
  g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
  g_assert_cmpuint(result.n, <=, study->buffers->n);
  g_clear_pointer(&result.match, g_bytes_unref);
  return 0;
}
