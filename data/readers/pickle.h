/* SPDX-License-Identifier: MIT */
/* A restricted pickle machine (protocols 2 to 5) over bytes in memory.  It builds no objects: it
 * walks the opcodes and tells a TnSnapshot what they say.  It refuses every opcode that could name
 * a class or call anything. */
#pragma once

#include "data/progress.h"
#include "data/readers/snapshot.h"

/* Runs the pickle at data[0, size) up to its STOP; what follows STOP is not looked at.  Errors name
 * `name` and the byte offset: TRUNCATED, MALFORMED, REFUSED, UNSUPPORTED, CANCELLED.
 * Time O(size), memory O(memo entries + stacks of unfinished containers).
 * Opcodes: CPython's Lib/pickletools.py; PyTorch's torch/csrc/jit/serialization/pickler.cpp. */
bool tn_pickle_read(const char *name, const uint8_t *data, gsize size, TnStrings *strings,
                    TnSnapshot *snapshot, TnProgress *progress, GError **error);
