/* SPDX-License-Identifier: MIT */
/* The bytes of an input: a file mapped into memory, standard input read to its end, or gzip data
 * unpacked.  Never changed by a reader. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char *name;          /* as a person names it: the path, or "standard input" */
  char *path;          /* NULL where there is no file */
  const uint8_t *data; /* borrowed from below */
  gsize size;
  bool was_packed; /* came out of gzip */
  bool is_cut;     /* gzip data ended early: `data` is what came before */
  bool is_head;    /* `data` is only the start of what gzip holds: see tn_source_new_head() */

  struct TnMapGuard *guard; /* private: see map-guard.h */
  bool was_torn;
  gpointer map; /* private: what to unmap or free */
  gsize map_size;
  gsize forgotten; /* private: see tn_source_forget() */
  bool is_mapped; /* the bytes are a file's own; else they were read or unpacked, and are gone from there */
  uint8_t *head; /* private: owned where is_head */
  gsize limit;
  gsize piece; /* of packed data that zlib is handed at a time; 0: 1 GiB (tests) */
  bool takes_cut;
} TnSource;

/* Opens a path, or standard input where `path` is "-".  Gzip is unpacked (bounded: at most 1000
 * times the packed size, and at most `memory_limit` bytes; 0: three quarters of the machine).
 * Errors: TN_DATA_ERROR_OPEN for a missing file, a directory, no permission, an empty file. */
TnSource *tn_source_new(const char *path, gsize memory_limit, GError **error);

/* The same, but of large gzip data only the first 256 KiB are unpacked: enough to tell what it is.
 * A reader that says so (TnReader.reads_streams) goes on with a TnSourceStream, for others
 * tn_source_complete() unpacks all of it. */
TnSource *tn_source_new_head(const char *path, gsize memory_limit, GError **error);

/* The same; gzip data that is cut off gives what stands before the cut, and `is_cut`. */
TnSource *tn_source_new_head_of_cut(const char *path, gsize memory_limit, GError **error);

bool tn_source_complete(TnSource *source, GError **error);

/* Whether the file lost bytes that were read since it was opened: they came out as zeros, and what was
 * read from them is worth nothing. */
bool tn_source_is_torn(const TnSource *source);

/* What stands before `offset` won't be looked at soon: its memory may go.  It can still be read. */
void tn_source_forget(TnSource *source, gsize offset);

/* Gzip data unpacked piece by piece, from its start. */
typedef struct TnSourceStream TnSourceStream;
TnSourceStream *tn_source_stream_new(const TnSource *source);
void tn_source_stream_free(TnSourceStream *stream);
/* At most `room` bytes; *out_got is 0 only at the end.  What came before a cut is given first.  Errors: TN_DATA_ERROR_TRUNCATED where the
 * data is cut off or damaged, TN_DATA_ERROR_TOO_LARGE where it unpacks to too much. */
bool tn_source_stream_read(TnSourceStream *stream, uint8_t *out, gsize room, gsize *out_got,
                           GError **error);
/* How much of the packed data is used, in [0, 1]. */
double tn_source_stream_fraction(const TnSourceStream *stream);

/* A source over bytes of the caller's (tests, pasted text); takes a copy. */
TnSource *tn_source_new_for_bytes(const char *name, const void *data, gsize size);

void tn_source_free(TnSource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSource, tn_source_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSourceStream, tn_source_stream_free)
