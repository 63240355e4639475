/* SPDX-License-Identifier: MIT */
/* The report one sends to a colleague: a page of its own, pictures inside.  The same input gives
 * the same bytes. */
#pragma once

#include "render/export.h"

typedef struct {
  const TnView *view;         /* NULL: the diff only */
  const TnDiffPicture *diff;  /* NULL: no second file */
  const TnFindings *findings; /* of the view; may be NULL */
  const TnTheme *theme;
  const char *font; /* of the pictures; NULL: the theme's */
  TnUnits units;
  const char *hash, *hash_b; /* of the file and of the diff's B; may be NULL */
  const char *version;       /* of the program; may be NULL */
  const char *options;       /* as one line; may be NULL */
  const char *notes;         /* may be NULL */
} TnReportParams;

/* The page, owned by the caller.  Errors: TN_DATA_ERROR_WRITE. */
GByteArray *tn_report_build_html(const TnReportParams *params, GError **error);
