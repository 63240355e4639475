/* SPDX-License-Identifier: MIT */
/* What a search and the filters mean.  A text has words that must all fit (filter-words.h); a word
 * is a name, /a regular expression/, `size>1MiB`, `life>100` (ticks), `alive@peak` (or a tick), an
 * address (0x7f00) or a range of them (0x7f00-0x8000), a part of something, `kind:wei`, `site:model.py:88`
 * or `space:HBM`, or all of it, `kind=weight`; `!` before it turns it round. */
#pragma once

#include "analysis/study.h"

typedef struct {
  GBytes *match;  /* one byte a buffer, 1 where every term fits; NULL: there are no terms */
  uint32_t n;     /* buffers that fit */
  tn_bytes bytes; /* their sizes together, at most INT64_MAX */
} TnFilterResult;

/* Adds those whose byte of `match` is not 0 (NULL: all) to result->n and result->bytes. */
void tn_filter_count(const TnStudy *study, const uint8_t *match, TnFilterResult *result);

/* What a buffer's space is called there, its number where it has no name; owned by the caller. */
char *tn_filter_dup_space(const TnStudy *study, tn_index i);

/* All words of all `terms` must fit; empty ones say nothing.  Any thread.  False, with a
 * G_IO_ERROR_INVALID_ARGUMENT, where a term can't be understood.  result->match is the caller's. */
bool tn_filter_run(const TnStudy *study, const char *const *terms, TnFilterResult *result,
                   GError **error);
