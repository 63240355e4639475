/* SPDX-License-Identifier: MIT */
/* The report one sends to a colleague, as a file of its own: HTML and PDF have all of it (over
 * several sheets), PNG and SVG one of its sheets.  The same input gives the same bytes. */
#pragma once

#include "analysis/oom.h"
#include "render/export.h"

#define TN_REPORT_HTML_WIDTH 1200 /* logical pixels: of a page's pictures */

typedef struct {
  const TnView *view;         /* NULL: the diff only */
  const TnDiffPicture *diff;  /* NULL: no second file */
  const TnFindings *findings; /* of the view; may be NULL */
  const TnTheme *theme;
  const char *font; /* of the pictures; NULL: the theme's */
  TnUnits units;
  int width, height;         /* of a sheet, logical pixels; HTML: not used */
  double scale;              /* device pixels for a logical one: PNG, dense layers of the others */
  const char *hash, *hash_b; /* SHA-256 of the file and of the diff's B; may be NULL */
  bool is_replaced, is_replaced_b; /* another file has come in its place since it was read */
  const char *version;       /* of the program; may be NULL */
  const char *options;       /* as one line; may be NULL */
  const char *notes;         /* of the sender, over any lines; may be NULL */
  int sheet;                 /* PNG, SVG: which, from 1 on; 0: the first */
} TnReportParams;

typedef enum { TN_REPORT_PNG, TN_REPORT_SVG, TN_REPORT_PDF, TN_REPORT_HTML } TnReportFormat;

/* By the path's ending; false where it is none of .png, .svg, .pdf, .html, .htm. */
bool tn_report_format_from_path(const char *path, TnReportFormat *out_format);

/* The file's bytes, owned by the caller.  Errors: TN_DATA_ERROR_WRITE, also where there are fewer
 * sheets. */
GByteArray *tn_report_build(const TnReportParams *params, TnReportFormat format, GError **error);

/* The first sheet alone, for previews. */
void tn_report_draw(const TnPaint *paint, const TnReportParams *params, TnRect rect);

/* ---- what HTML and sheets share -----------------------------------------------------------------
 */

GByteArray *tn_report_build_html(const TnReportParams *params, GError **error);

/* "transformer.pickle", or "a.pickle → b.pickle"; owned by the caller. */
char *tn_report_build_title(const TnReportParams *params);
/* Lines on where all this comes from: the files with their hashes, the program and its options.
 * Owned by the caller. */
GPtrArray *tn_report_build_origin(const TnReportParams *params);
/* What is said beside a file's name of which the end is missing; NULL: none is. */
const char *tn_report_cut_words(const TnDocument *document);
/* The first failed request of a log; NULL where there is none.  Owned by the caller. */
TnOom *tn_report_build_oom(const TnReportParams *params);
/* "The request that failed", or which of how many.  Owned by the caller. */
char *tn_report_build_oom_heading(const TnReportParams *params);
/* The page of that request, as the view of the same name draws it; what would have helped is asked
 * for logs of up to half a million events. */
void tn_report_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom);
/* The notes in lines of at most `width`, at most `most` of them: they keep their own lines, those too
 * wide go on in the next.  Owned by the caller. */
GPtrArray *tn_report_wrap_notes(const TnPaint *paint, const char *notes, double width, guint most,
                                const TnTextStyle *style);
