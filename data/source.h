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

  gpointer map; /* private: what to unmap or free */
  gsize map_size;
  bool is_mapped;
} TnSource;

/* Opens a path, or standard input where `path` is "-".  Gzip is unpacked (bounded: at most 1000
 * times the packed size, and at most `memory_limit` bytes; 0: three quarters of the machine).
 * Errors: TN_DATA_ERROR_OPEN for a missing file, a directory, no permission, an empty file. */
TnSource *tn_source_new(const char *path, gsize memory_limit, GError **error);

/* A source over bytes of the caller's (tests, pasted text); takes a copy. */
TnSource *tn_source_new_for_bytes(const char *name, const void *data, gsize size);

void tn_source_free(TnSource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSource, tn_source_free)
