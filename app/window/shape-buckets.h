/* SPDX-License-Identifier: MIT */
/* One model under several sets of dimensions: the peak and the arena of each, and a plan each as a
 * file where a folder is given.  For worker threads. */
#pragma once

#include "data/units.h"

#include <glib.h>

typedef struct {
  char *path;        /* of the model */
  GPtrArray *names;  /* char *: what --bind takes */
  GPtrArray *lists;  /* char *, by name: "1, 2, 4"; the shorter ones repeat their last */
  char *folder;      /* NULL: no files */
  const char *preset; /* the runtime's whose rules hold, static; NULL: the file's */
  TnUnits units;
} TnShapeBuckets;

/* Whether a list is empty (the dimension stays free) or has values, `most` of them at the most, each a
 * number that a dimension can have; "1,024" is no list. */
bool tn_shape_list_is_good(const char *list, guint most);

TnShapeBuckets *tn_shape_buckets_new(const char *path);
void tn_shape_buckets_free(TnShapeBuckets *buckets);
/* A line for each bucket, and what went wrong with one in its line; of more than 24 how many are left out.
 * Owned by the caller. */
char *tn_shape_buckets_run(const TnShapeBuckets *buckets);
