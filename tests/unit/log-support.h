/* SPDX-License-Identifier: MIT */
/* Logs and tables of lives made by hand, for the tests of analyses. */
#pragma once

#include "data/document.h"

typedef struct {
  TnEventAction action;
  uint64_t address;
  tn_bytes bytes;
} LogEvent;

/* A log of one device with these events; owned by the caller. */
static inline TnDocument *
log_new(const LogEvent *events, uint32_t n)
{
  TnDocument *document = tn_document_new("made by hand");
  TnDevice *device = tn_document_device(document, 0);
  document->kind = TN_DOCUMENT_LOG;
  device->granularity = 512;
  tn_device_space(device, 0, 0, 0);
  for (uint32_t i = 0; i < n; i++)
    tn_events_add(&device->events, events[i].action, events[i].address, events[i].bytes);
  device->axis_end = n;
  return document;
}

static inline TnDevice *
log_device(TnDocument *document)
{
  return g_ptr_array_index(document->devices, 0);
}

static inline uint32_t
log_add_segment(TnDocument *document, uint64_t address, tn_bytes bytes)
{
  TnSegment segment = {.address = address, .bytes = bytes};
  g_array_append_val(log_device(document)->segments, segment);
  log_device(document)->has_reserved = true;
  return log_device(document)->segments->len - 1;
}

static inline void
log_add_block(TnDocument *document, uint32_t segment, uint64_t address, tn_bytes bytes,
              tn_bytes requested, TnBlockState state)
{
  TnBlock block = {.address = address, .bytes = bytes, .requested = requested, .segment = segment,
                   .state = (uint8_t)state};
  g_array_append_val(log_device(document)->blocks, block);
}

/* `n` random lives of at most `longest` ticks inside [0, end), sizes from 1 to `most` bytes. */
static inline TnBuffers *
random_lives(uint32_t n, tn_tick end, tn_tick longest, tn_bytes most, gboolean is_sorted)
{
  TnBuffers *buffers = tn_buffers_new();
  double at = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    tn_tick start = is_sorted ? (tn_tick)at : (tn_tick)(g_test_rand_double() * (double)(end - 1));
    at += g_test_rand_double() * 2.0 * (double)(end - 1) / n;
    start = MIN(start, end - 1);
    at = MIN(at, (double)(end - 1));
    tn_tick length = 1 + (tn_tick)(g_test_rand_double() * (double)(longest - 1));
    tn_bytes bytes = 1 + (tn_bytes)(g_test_rand_double() * (double)(most - 1));
    tn_buffers_add(buffers, start, MIN(start + length, end), bytes, TN_KIND_UNKNOWN);
  }
  return buffers;
}
