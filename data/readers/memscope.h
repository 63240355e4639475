/* SPDX-License-Identifier: MIT */
/* Events of profilers that watch several layers of several processes at once (msMemScope, Nsight
 * Systems), turned into a log for each device and process: what the driver gave is a segment, what
 * a framework's allocator gave lies in it. */
#pragma once

#include "data/document.h"

typedef struct {
  bool is_alloc, is_driver; /* driver: HAL; a segment where a framework's events stand beside it */
  const char *device;       /* "0", "cpu"; "N/A": that of the allocation at this address */
  int64_t process, ns;
  uint64_t address;
  tn_bytes bytes;
  uint32_t name, stack; /* string id and stack id, 0: none */
} TnMemscopeEvent;

typedef struct TnMemscope TnMemscope;

TnMemscope *tn_memscope_new(TnDocument *document);
void tn_memscope_free(TnMemscope *memscope);
void tn_memscope_add(TnMemscope *memscope, const TnMemscopeEvent *event);
/* A use of what stands at this address; and a mark. */
void tn_memscope_use(TnMemscope *memscope, const TnMemscopeEvent *event);
void tn_memscope_mark(TnMemscope *memscope, const TnMemscopeEvent *event, const char *text);
void tn_memscope_finish(TnMemscope *memscope);

/* A row of msMemScope's dump, CSV and SQLite alike; texts may be "". */
typedef struct {
  const char *event, *type, *name, *device, *address, *attributes, *python_stack, *c_stack;
  int64_t ns, process;
} TnMemscopeRow;
/* Adds the row; false where it is damaged and was left out.  Rows that say nothing of memory are
 * fine. */
bool tn_memscope_add_row(TnMemscope *memscope, const TnMemscopeRow *row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnMemscope, tn_memscope_free)
