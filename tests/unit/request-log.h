/* SPDX-License-Identifier: MIT */
/* Small logs for tests, written event by event, and the project's own sample. */
#pragma once

#include "analysis/study.h"
#include "data/reader.h"

#ifndef MIB
#define MIB ((tn_bytes)1 << 20)
#endif

static inline TnDocument *
log_load_sample(const char *name)
{
  const char *root = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *path = g_build_filename(root ? root : ".", "data", "samples", name, NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return document;
}

/* An empty log of one device, sizes rounded to 512. */
static inline TnDocument *
log_new(void)
{
  TnDocument *document = tn_document_new("test.log");
  document->kind = TN_DOCUMENT_LOG;
  document->format = "pytorch";
  TnDevice *device = tn_document_device(document, 0);
  device->granularity = 512;
  device->has_reserved = true;
  device->total_bytes = TN_BYTES_UNKNOWN;
  tn_device_space(device, 0, 0, 0);
  return document;
}

static inline uint32_t
log_add(TnDocument *document, TnEventAction action, uint64_t address, tn_bytes bytes)
{
  return tn_events_add(&tn_document_device(document, 0)->events, action, address, bytes);
}

static inline void
log_free(TnDocument *document, uint64_t address, tn_bytes bytes)
{
  log_add(document, TN_EVENT_FREE_REQUESTED, address, bytes);
  log_add(document, TN_EVENT_FREE, address, bytes);
}

/* A stack of one frame "net.py:LINE f". */
static inline uint32_t
log_stack(TnDocument *document, int line)
{
  TnFrame frame = {tn_strings_intern(document->strings, "f", -1),
                   tn_strings_intern(document->strings, "/home/me/net.py", -1), line};
  uint32_t id = tn_stacks_intern_frame(document->stacks, frame);
  return tn_stacks_intern(document->stacks, &id, 1);
}

/* A segment of the final snapshot. */
static inline void
log_segment(TnDocument *document, uint64_t address, tn_bytes bytes, bool is_small)
{
  TnSegment segment = {.address = address, .bytes = bytes, .is_small = is_small};
  g_array_append_val(tn_document_device(document, 0)->segments, segment);
}

static inline void
log_mark(TnDocument *document, TnMarkKind kind, tn_tick tick, tn_bytes requested,
         tn_bytes device_free)
{
  TnMark mark = {.tick = tick,
                 .end = tick,
                 .kind = (uint8_t)kind,
                 .requested = requested,
                 .device_free = device_free};
  g_array_append_val(tn_document_device(document, 0)->marks, mark);
}

/* Requests without recorded segments: places of their own, so that nothing collides. */
static inline uint64_t
log_take(TnDocument *document, tn_bytes bytes)
{
  uint64_t place = ((uint64_t)tn_document_device(document, 0)->events.n + 1) << 36;
  log_add(document, TN_EVENT_ALLOC, place, bytes);
  return place;
}

static inline void
log_fail(TnDocument *document, tn_bytes bytes)
{
  uint32_t event = log_add(document, TN_EVENT_OOM, 0, bytes);
  log_mark(document, TN_MARK_OOM, event, bytes, 0);
}

static inline TnStudy *
log_study(TnDocument *document)
{
  TnDevice *device = tn_document_device(document, 0);
  device->axis_end = MAX((tn_tick)device->events.n, (tn_tick)1);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}
