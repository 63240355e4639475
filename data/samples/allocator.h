/* SPDX-License-Identifier: MIT */
/* A small model of PyTorch's caching allocator on one stream, which keeps the history that a
 * snapshot holds: rounding to 512, segments of 2 MiB, 20 MiB or the request's own size, best fit,
 * split, coalesce, and giving free segments back before it reports that memory ran out. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Segment Segment;

typedef struct Block {
  int64_t address, size, requested;
  bool is_active;
  uint32_t stack;
  Segment *segment;
  struct Block *before, *after; /* neighbours in the segment */
} Block;

struct Segment {
  int64_t address, total;
  bool is_small;
  uint32_t stack;
  Block *first;
};

typedef struct {
  const char *action;
  int64_t address; /* oom: bytes free on the device */
  int64_t size, time_us;
  uint32_t stack;
} Event;

typedef struct {
  int64_t limit;    /* bytes that the device has for us */
  int64_t reserved; /* in segments */
  int64_t next_address, now_us;
  uint32_t seed;
  bool is_recording;
  GPtrArray *segments; /* Segment, by address */
  GArray *events;      /* Event */
} Allocator;

Allocator *allocator_new(int64_t limit);
void allocator_free(Allocator *allocator);

/* NULL where memory ran out; an `oom` event then tells. */
Block *allocator_take(Allocator *allocator, int64_t bytes, uint32_t stack);
void allocator_give(Allocator *allocator, Block *block, uint32_t stack);

/* The clock goes on by some `us`, more or less. */
void allocator_wait(Allocator *allocator, uint32_t us);

int64_t allocator_allocated(const Allocator *allocator);
int64_t allocator_largest_hole(const Allocator *allocator, bool is_small);
