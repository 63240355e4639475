/* SPDX-License-Identifier: MIT */
/* Measured times of copies between device and host, from text.  Read are
 *
 *   - JSON: {"out": [[bytes, seconds], …], "in": …}, the same below "link", or one list "points"
 *     for both ways; what `tenure-cli calibrate` writes is such a file;
 *   - lines `bytes,seconds` (or blanks between); a header may name the second column: seconds, ms,
 *     us, ns or GB/s, and a third one the way: out/D2H or in/H2D;
 *   - what CUDA's bandwidthTest prints (as tables or --csv) and what nvbandwidth prints (its copies
 *     are of 512 MiB where it does not say). */
#pragma once

#include "data/graph.h"

typedef struct {
  const char *format; /* "json", "pairs", "bandwidthTest", "nvbandwidth" */
  GArray *out, *in;   /* TnLinkPoint; owned; one may be empty */
} TnLinkFile;

/* Errors: TN_DATA_ERROR_MALFORMED with the line. */
bool tn_link_file_read(
    const char *name, const char *text, gsize size, TnLinkFile *out_file, GError **error);
void tn_link_file_clear(TnLinkFile *file);
