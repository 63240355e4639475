/* SPDX-License-Identifier: MIT */
/* Groups of buffers, and the few of them that get a hue: the largest at a tick (the peak), the rest
 * are "other".  One assignment serves every view, so that a colour means one thing. */
#pragma once

#include "analysis/callsite.h"
#include "data/document.h"

#define TN_MAX_HUES 7
#define TN_CATEGORY_OTHER 7  /* grey */
#define TN_CATEGORY_BEFORE 8 /* grey: allocated before the recording */
#define TN_N_CATEGORIES 9

typedef enum {
  TN_GROUP_AUTO,
  TN_GROUP_CALL_SITE,
  TN_GROUP_KIND,
  TN_GROUP_OP_TYPE,
  TN_GROUP_SIZE,
  TN_GROUP_SPACE,
  TN_GROUP_MODULE,
  TN_GROUP_BATCH, /* labels of a multi-batch plan */
  TN_GROUP_STREAM
} TnGrouping;

typedef struct {
  char *name;
  tn_bytes bytes; /* alive at the tick */
  uint32_t n;     /* buffers alive at the tick */
  uint32_t n_all; /* buffers in all */
  uint8_t category;
} TnGroup;

typedef struct {
  TnGrouping grouping; /* never AUTO */
  GArray *groups;      /* TnGroup, by bytes at the tick, largest first */
  uint8_t *category;   /* by buffer */
  uint32_t *group;     /* by buffer: row of groups */
  char *untold;        /* TN_GROUP_MODULE: why modules can't be told; else NULL */
} TnCategories;

/* `alive`: the rows alive at the tick that decides.  `sites` may be NULL for other groupings.
 * O(buffers + groups log groups). */
TnCategories *tn_categories_new(const TnDocument *document, const TnDevice *device,
                                const TnBuffers *buffers, const TnCallSites *sites,
                                const uint32_t *alive, uint32_t n_alive, TnGrouping grouping);
void tn_categories_free(TnCategories *categories);

/* "call site", "op type": as a person reads it. */
const char *tn_grouping_title(TnGrouping grouping);

/* The word of --group-by for a grouping, and back (false where there is none). */
const char *tn_grouping_name(TnGrouping grouping);
bool tn_grouping_from_name(const char *name, TnGrouping *out_grouping);
