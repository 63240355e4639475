/* SPDX-License-Identifier: MIT */
/* Dimensions as --bucket and --serve give them: "batch=4,seq=128". */
#pragma once

#include "data/types.h"

#include <glib.h>

/* Name → int64_t *; values of 1 and more.  NULL: printed. */
GHashTable *tn_cli_dims_parse(const char *option, const char *text);

/* What --bind (may be NULL) and, over it, a bucket bind, in the same form.  Owned. */
GHashTable *tn_cli_dims_bound(char **bind, const char *bucket);

/* Whether an input of `wanted` dimensions fits into the bucket: each at most as large, and none that the
 * bucket does not bind. */
bool tn_cli_dims_serve(GHashTable *bucket, GHashTable *wanted);
