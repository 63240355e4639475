/* SPDX-License-Identifier: MIT */
/* A picture of what a tab shows, as a file: of the part on screen, of the chosen range or of all of
 * it. The same drawing as `tenure-cli draw`, byte for byte where it can be asked for the same. */
#pragma once

#include "app/window/report-content.h"
#include "render/export.h"

/* Pages of a graph beside its pictures. */
typedef enum { TN_GRAPH_PAGE_NONE, TN_GRAPH_PAGE_ORDERS, TN_GRAPH_PAGE_BUDGET } TnGraphPage;

typedef enum { TN_PART_SHOWN, TN_PART_RANGE, TN_PART_WHOLE } TnPicturePart;

typedef struct {
  TnPicture picture; /* of a file; TN_PICTURE_REPORT: all three maps.  A comparison has one page */
  TnGraphPage page;  /* in place of the picture */
  TnPicturePart part;
  int width, height; /* logical pixels */
  double scale;
  bool is_dark;
  TnExportFormat format; /* where the path's ending says none */
} TnPictureChoice;

/* Whether a range of time is chosen, and whether the picture is of a time at all or of a moment. */
bool tn_picture_file_has_range(const TnReportContent *content);
bool tn_picture_file_has_time(const TnReportContent *content, const TnPictureChoice *choice);
/* Whether there is such a page by now. */
bool tn_picture_file_has_page(const TnReportContent *content, TnGraphPage page);

/* The file's bytes, owned by the caller.  Any thread.  Errors: TN_DATA_ERROR_WRITE. */
GByteArray *tn_picture_file_build(const TnReportContent *content,
                                  const TnPictureChoice *choice,
                                  TnExportFormat format,
                                  GError **error);

/* What will be written: "Offsets, events 1,000 to 2,000. 3,200 × 1,800 pixels."  Owned by the
 * caller. */
char *tn_picture_file_describe(const TnReportContent *content, const TnPictureChoice *choice);
