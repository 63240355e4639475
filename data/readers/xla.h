/* SPDX-License-Identifier: MIT */
/* What XLA's dumps say: allocations, the values that stand in them, and when each lives. */
#pragma once

#include "data/document.h"
#include "data/readers/text-scan.h"

typedef enum {
  TN_XLA_TEMP, /* the only kind whose offsets were planned */
  TN_XLA_PARAMETER,
  TN_XLA_OUTPUT,
  TN_XLA_CONSTANT,
  TN_XLA_THREAD_LOCAL /* per thread: counted by nobody */
} TnXlaKind;

typedef struct {
  int64_t number;
  int64_t color; /* the memory space: 5 is the host's, others are the device's */
  tn_bytes bytes;
  TnXlaKind kind;
} TnXlaAllocation;

typedef struct {
  uint32_t allocation, name; /* row; string id of "name" or "name{index}" */
  tn_bytes bytes, offset;
} TnXlaValue;

typedef struct {
  tn_tick start, end; /* half-open; start < 0: only its size is known */
  tn_bytes bytes;     /* TN_BYTES_UNKNOWN: not said */
} TnXlaRange;

typedef struct {
  TnDocument *document;
  GArray *allocations;    /* TnXlaAllocation */
  GArray *values;         /* TnXlaValue */
  GHashTable *ranges;     /* "name{index}" → TnXlaRange * */
  GPtrArray *range_names; /* their keys, in the file's order */
  GArray *op_names;       /* uint32_t: instructions in their order */
  tn_tick axis_end;
  tn_bytes total_bytes; /* as the dump says; TN_BYTES_UNKNOWN: not */
  int64_t n_damaged;
} TnXla;

typedef struct {
  const uint8_t *at, *end;
  uint32_t number;
  GString *line;
  bool is_cut; /* the file ends in this line */
} TnXlaText;

bool tn_xla_next_line(TnXlaText *text);

/* Each begins with the line that was just read, and goes to the text's end. */
void tn_xla_read_assignment(TnXla *xla, TnXlaText *text);
void tn_xla_read_live_ranges(TnXla *xla, TnXlaText *text);
void tn_xla_read_report(TnXla *xla, TnXlaText *text);

/* Joins them: a plan, as far as it is known. */
void tn_xla_finish(TnXla *xla);
