/* SPDX-License-Identifier: MIT */
/* Pictures as files: PNG, SVG (text stays text, dense layers are images), PDF. */
#pragma once

#include "render/draw-diff.h"

typedef enum { TN_EXPORT_PNG, TN_EXPORT_SVG, TN_EXPORT_PDF } TnExportFormat;

typedef struct {
  TnPicture picture;
  const TnPictureOptions *options; /* may be NULL */
  int width, height; /* logical pixels */
  double scale;      /* device pixels for a logical one: PNG's size, the dense layers of the rest */
  const TnTheme *theme;
  const char *font;  /* NULL: the theme's */
  const TnFindings *findings; /* may be NULL */
} TnExportParams;

/* By the path's ending; false where it is none of .png, .svg, .pdf. */
bool tn_export_format_from_path(const char *path, TnExportFormat *out_format);

/* The file's bytes, owned by the caller.  The same input gives the same bytes.
 * Errors: TN_DATA_ERROR_WRITE. */
GByteArray *tn_export_build(const TnView *view, const TnExportParams *params,
                            TnExportFormat format, GError **error);

/* Any drawing of p->width x p->height logical pixels. */
typedef void (*TnExportDraw)(const TnPaint *paint, TnRect rect, const void *payload);
GByteArray *tn_export_build_drawing(const TnExportParams *params, TnExportFormat format,
                                    TnExportDraw draw, const void *payload, GError **error);

/* A diff as one page; of the parameters picture and findings say nothing. */
GByteArray *tn_export_build_diff(const TnDiffPicture *picture, TnUnits units,
                                 const TnExportParams *params, TnExportFormat format,
                                 GError **error);
