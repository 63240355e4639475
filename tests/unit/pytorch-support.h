/* SPDX-License-Identifier: MIT */
/* Snapshots for the tests of PyTorch's reader: loaded from bytes, from text (pickle-text.h), the
 * project's own sample. */
#pragma once

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "tests/unit/pickle-text.h"

#include <string.h>

static inline TnDocument *
load_bytes(const void *data, gsize size, bool is_partial, const char *format, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("memory", data, size);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.is_partial_wanted = is_partial;
  options.format = format;
  return tn_document_load_source(source, &options, error);
}

/* Loads a pickle that must be good. */
static inline TnDocument *
load_text(int protocol, const char *text)
{
  g_autoptr(GByteArray) bytes = pickle_new(protocol, text);
  g_autoptr(GError) error = NULL;
  TnDocument *document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  return document;
}

/* The message of a pickle that must fail with `code`; owned by the caller. */
static inline char *
failure_of(const char *text, TnDataError code)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, text);
  g_autoptr(GError) error = NULL;
  TnDocument *document = load_bytes(bytes->data, bytes->len, false, "pytorch", &error);
  g_assert_null(document);
  g_assert_error(error, TN_DATA_ERROR, (int)code);
  return g_strdup(error->message);
}

static inline TnStudy *
study_of(const TnDocument *document, uint32_t device)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, device, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static inline const TnEvents *
events_of(const TnDocument *document, uint32_t device)
{
  return &tn_document_get_device(document, device)->events;
}

static inline const char *
string_of(const TnDocument *document, uint32_t id)
{
  return tn_strings_get(document->strings, id);
}

static inline char *
own_sample(void)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  return g_build_filename(root ? root : ".", "data", "samples", "transformer-oom.pickle", NULL);
}

/* ---- one allocation and its free --------------------------------------------------------------
 */

#define FRAMES "'frames' ] ( } ( 'filename' '/home/me/train.py' 'line' 12 'name' 'forward' u e"
#define ALLOC "} ( 'action' 'alloc' 'addr' 4096 'size' 1000 'stream' 0 'time_us' 50 " FRAMES " u "
#define FREE "} ( 'action' 'free_completed' 'addr' 4096 'size' 1000 'stream' 0 'time_us' 60 u "

static inline void
check_alloc_and_free(const TnDocument *document)
{
  const TnEvents *events = events_of(document, 0);
  g_assert_cmpuint(events->n, ==, 2);
  g_assert_cmpuint(events->action[0], ==, TN_EVENT_ALLOC);
  g_assert_cmpuint(events->action[1], ==, TN_EVENT_FREE);
  g_assert_cmpuint(events->address[0], ==, 4096);
  g_assert_cmpint(events->bytes[0], ==, 1000);
  g_assert_cmpint(events->time_us[1], ==, 60);
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, events->stack[0], &n);
  g_assert_cmpuint(n, ==, 1);
  TnFrame frame = tn_stacks_frame(document->stacks, frames[0]);
  g_assert_cmpstr(string_of(document, frame.file), ==, "/home/me/train.py");
  g_assert_cmpstr(string_of(document, frame.name), ==, "forward");
  g_assert_cmpint(frame.line, ==, 12);
  g_autoptr(TnStudy) study = study_of(document, 0);
  g_assert_cmpuint(study->buffers->n, ==, 1);
  g_assert_cmpint(study->buffers->bytes[0], ==, 1024);
  g_assert_cmpint(study->buffers->start[0], ==, 0);
  g_assert_cmpint(study->buffers->end[0], ==, 1);
}
