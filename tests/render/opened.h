/* SPDX-License-Identifier: MIT */
/* A file in memory as a study that can be drawn. */
#pragma once

#include "analysis/study.h"
#include "data/reader.h"

#include <string.h>

typedef struct {
  TnDocument *document;
  TnStudy *study;
} Opened;

/* `format`: NULL for what it is by content. */
static inline Opened
open_source(TnSource *source, const char *format)
{
  TnReadOptions options = {.format = format};
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  TnStudy *study = tn_study_new(document, tn_study_first_device(document), &params, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  return (Opened){document, study};
}

static inline void
close_opened(Opened *opened)
{
  tn_study_unref(opened->study);
  tn_document_free(opened->document);
}

static inline Opened
open_csv(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("by hand.csv", text, strlen(text));
  return open_source(source, NULL);
}
