/* SPDX-License-Identifier: MIT */
/* A file or a document in memory as a study that can be drawn. */
#pragma once

#include "analysis/study.h"
#include "data/reader.h"

#include <string.h>

typedef struct {
  TnDocument *document;
  TnStudy *study;
} Opened;

/* Takes the document. */
static inline Opened
open_document(TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, tn_study_first_device(document), &params, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  return (Opened){document, study};
}

/* `format`: NULL for what it is by content. */
static inline Opened
open_source(TnSource *source, const char *format)
{
  TnReadOptions options = {.format = format};
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return open_document(document);
}

/* The sample in the source tree; its test has TN_SOURCE_ROOT in its environment. */
static inline Opened
open_sample(void)
{
  g_autofree char *path = g_build_filename(g_getenv("TN_SOURCE_ROOT"), "data", "samples",
                                           "transformer-oom.pickle", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return open_document(document);
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

/* Random lives on random places that do not overlap: each in a slot of its own. */
static inline Opened
open_random(uint32_t n, gint64 end)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size,offset\n");
  for (uint32_t i = 0; i < n; i++) {
    gint64 start = (gint64)(g_test_rand_double() * (double)(end - 1));
    gint64 stop = start + 1 + (gint64)(g_test_rand_double() * (double)end / 5);
    g_string_append_printf(text, "%u,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%d,%u\n", i, start,
                           MIN(stop, end), g_test_rand_int_range(1, 1000), i * 1000);
  }
  return open_csv(text->str);
}
