/* SPDX-License-Identifier: MIT */
/* Fits the time of a copy to measurements: up to four pieces latency + bytes / rate.
 *
 * Method: segmented least squares by dynamic programming (Bellman 1961): each piece is the line
 * with the smallest sum of squared relative errors over its points; of one to four pieces the
 * fewest are taken that come within a tenth (and 0.1 %) of the best median error.  Rates and
 * latencies are never negative. */
#pragma once

#include "analysis/budget/link.h"

typedef struct {
  tn_bytes from, to; /* of the points it was fitted to */
  double latency_seconds, bytes_per_second;
} TnLinkSegment;

typedef struct {
  GArray *segments; /* TnLinkSegment, bytes ascending */
  uint32_t n_points;
  double median_error, max_error; /* relative, of the points */
} TnLinkFit;

/* `points`: TnLinkPoint, any order; of equal sizes the median counts.  NULL for none. */
TnLinkFit *tn_link_fit_new(const GArray *points);
void tn_link_fit_free(TnLinkFit *fit);
/* Seconds of a copy by the fit. */
double tn_link_fit_seconds(const TnLinkFit *fit, tn_bytes bytes);
/* The fit as a table for TnLink: both ends of each piece.  Owned. */
GArray *tn_link_fit_build_points(const TnLinkFit *fit);

/* A link from a file of measurements (data/link-file.h), as they stand; a way that lacks takes the
 * other's.  Errors: those of tn_link_file_read(). */
TnLink *tn_link_new_from_text(const char *name, const char *text, gsize size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLinkFit, tn_link_fit_free)
