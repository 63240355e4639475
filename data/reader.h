/* SPDX-License-Identifier: MIT */
/* The registry of readers: one file per format in data/readers/, found by content. */
#pragma once

#include "data/document.h"
#include "data/progress.h"
#include "data/source.h"

typedef struct {
  const char *format;       /* force this reader; NULL: by content */
  bool is_partial_wanted;   /* a truncated file: give what could be read, with a warning */
  gsize memory_limit;       /* bytes; 0: three quarters of the machine */
  GHashTable *bindings;     /* "NAME" or "INPUT[AXIS]" → decimal string; may be NULL */
  GHashTable *values;       /* "INPUT" → decimal string; may be NULL */
  bool is_inference_only;   /* ONNX: shapes that the file states for results are not used */
  const char *preset;       /* a runtime's name; may be NULL */
  TnProgress *progress;     /* may be NULL */
} TnReadOptions;

#define TN_READ_OPTIONS_INIT                                                                       \
  {                                                                                                \
    0                                                                                              \
  }

typedef struct {
  const char *name;     /* --format NAME */
  const char *holds;    /* one line for `tenure-cli formats` */
  const char *patterns; /* "*.pickle;*.pkl", for file choosers only */
  /* How sure (0: no, 100: certain) that this content is the reader's.  Looks at the first few KiB
   * (all of a small file); must not read beyond `size`. `name` is a hint for ties only. */
  int (*sniff)(const uint8_t *data, gsize size, const char *name);
  /* Fills `document` (fresh) from `source`.  On failure sets the error; what it has filled so far
   * is thrown away, unless it succeeds partially on request (then: true, and a warning). */
  bool (*read)(TnSource *source, const TnReadOptions *options, TnDocument *document,
               GError **error);
  /* Whether `read` takes a source of which only the head is unpacked (TnSource.is_head). */
  bool reads_streams;
  /* Whether it keeps what stands before a cut where that is wanted. */
  bool keeps_cut;
  /* Whether it asks the options for dimensions and for values of inputs. */
  bool takes_bindings, takes_values;
} TnReader;

/* All readers, NULL-terminated, in the order in which they are listed. */
const TnReader *const *tn_readers(void);
const TnReader *tn_readers_find(const char *name);

/* Loads `path` ("-": standard input).  NULL and an error where nothing could be read: see
 * data/error.h; TN_DATA_ERROR_TRUNCATED means that `is_partial_wanted` may give something: a reader
 * that keeps nothing of what is cut off fails with TN_DATA_ERROR_MALFORMED. */
TnDocument *tn_document_load(const char *path, const TnReadOptions *options, GError **error);
/* The same from an open source, which stays the caller's. */
TnDocument *tn_document_load_source(TnSource *source, const TnReadOptions *options,
                                    GError **error);
