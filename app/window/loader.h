/* SPDX-License-Identifier: MIT */
/* Opening a file off the main thread: reading, lives, what the pictures need, findings. */
#pragma once

#include "app/window/kept-order.h"
#include "app/window/session.h"
#include "data/reader.h"

#include <gio/gio.h>

#define TN_FIRST_DEVICE INT32_MIN /* a file's own numbers may be negative */

typedef struct {
  char *path;  /* or what to call the text */
  char *text;  /* pasted; NULL: read the file */
  bool is_partial_wanted;
  GHashTable *bindings; /* NAME → N of free dimensions; may be NULL */
  int32_t device; /* ordinal; TN_FIRST_DEVICE, or not there: the first to show */
  /* Of a graph: as it was shown when it is read again. */
  const char *preset; /* the runtime's whose rules its lives follow, static; NULL: the file's */
  TnKeptOrder *order; /* NULL, or its ops are others by now: the file's */
} TnLoadRequest;

/* The copy is cleared by its owner. */
void tn_load_request_copy(TnLoadRequest *to, const TnLoadRequest *from);
void tn_load_request_clear(TnLoadRequest *request);

/* `progress` runs on the main thread.  Cancelling ends the work within 100 ms or so. */
void tn_load_async(const TnLoadRequest *request, GCancellable *cancellable,
                   void (*progress)(double fraction, const char *stage, void *payload),
                   void *payload, GAsyncReadyCallback callback, gpointer user_data);
/* A new session, owned by the caller; NULL with a TN_DATA_ERROR or a G_IO_ERROR_CANCELLED. */
TnSession *tn_load_finish(GAsyncResult *result, GError **error);

/* The study of a device with its pictures, placed where it has no offsets, and the findings; both
 * owned by the caller.  `preset`: of a graph, the runtime whose rules its lives follow; NULL: the
 * file's.  For worker threads.  Errors: those of tn_study_new(), CANCELLED. */
bool tn_load_study(const TnDocument *document,
                   uint32_t row,
                   const char *preset,
                   TnProgress *progress,
                   TnStudy **out_study,
                   TnFindings **out_findings,
                   GError **error);

/* A study of another device of the session's document, set on the session when it is ready; of several
 * that are asked for, the last one counts. */
void tn_load_device(TnSession *session, uint32_t device_row);

/* The study of the session's graph with its ops in another order (shape n ops, copied; NULL: the
 * file's), set on the session when it is ready; it can be taken back. */
void tn_load_order(TnSession *session, const uint32_t *order);
