/* SPDX-License-Identifier: MIT */
/* Sessions of texts, for tests without a window. */
#pragma once

#include "app/window/session.h"
#include "data/reader.h"

#include <string.h>

static inline TnDocument *
load(const char *text)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("p.csv", text, strlen(text));
  return tn_document_load_source(source, &options, NULL);
}

static inline TnStudy *
study_of_device(const TnDocument *document, uint32_t row)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnStudy *study = tn_study_new(document, row, &params, NULL, NULL);
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  return study;
}

static inline TnStudy *
study_of(const TnDocument *document)
{
  return study_of_device(document, 0);
}

static inline TnSession *
new_session(const char *text)
{
  TnDocument *document = load(text);
  return tn_session_new(document, study_of(document), tn_findings_new());
}

static inline char *
many_rows(int n)
{
  GString *csv = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < n; i++)
    g_string_append_printf(csv, "b%d,%d,%d,%d\n", i, i, i + 2, 64 + i);
  return g_string_free(csv, FALSE);
}
