/* SPDX-License-Identifier: MIT */
/* Findings on the order of a log's events: notes, each with the lines (or events) that show it, and
 * only where the log says enough.  A log that names no threads or no streams gets none. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

/* "line 12", or "event 11" where the log has no lines; `buffer`, filled. */
const char *tn_print_event(char *buffer, gsize size, const TnEvents *events, uint32_t event);

/* `shared-allocator`: an allocator without a lock, from which more than one thread takes. */
void tn_find_shared_allocators(const TnStudy *study, TnFindings *findings);

/* `free-before-sync`: given back while a stream may still work on it, in a log that tells which
 * stream waited for which.  Method: vector clocks (Mattern, "Virtual time and global states of
 * distributed systems", 1989): what a stream knows of another grows with each wait. */
void tn_find_early_frees(const TnStudy *study, TnFindings *findings);

/* `pending-free`: freed by the program, but held until a stream was done with it.  saving: of the
 * live peak, with each of them ended where it was freed. */
void tn_find_pending_frees(const TnStudy *study, TnFindings *findings);

/* `device-fallback`: device 0 has what belongs to another device or names none. */
void tn_find_device_fallbacks(const TnStudy *study, TnFindings *findings);

/* `not-finalized`: an allocator that never ended, in a log in which others do, or that goes on to
 * the end of its process. */
void tn_find_unfinished_allocators(const TnStudy *study, TnFindings *findings);
