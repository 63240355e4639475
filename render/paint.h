/* SPDX-License-Identifier: MIT */
/* What every drawing draws on: a cairo context, the theme, and text.  On an SVG, text is kept apart
 * and written as <text>, so that it stays text; on all else Pango draws it. */
#pragma once

#include "render/theme.h"

#include <cairo.h>

typedef struct {
  double x, y, width, height; /* logical pixels */
} TnRect;

static inline bool
tn_rect_meets(TnRect a, TnRect b)
{
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/* Whether none of the `n` meets it. */
static inline bool
tn_rect_is_free(TnRect r, const TnRect *taken, int n)
{
  for (int i = 0; i < n; i++)
    if (tn_rect_meets(r, taken[i]))
      return false;
  return true;
}

typedef struct {
  cairo_t *cr;
  const TnTheme *theme;
  double scale;       /* device pixels for a logical one; pictures align to whole device pixels */
  double text_scale;  /* 1.0; the user's text size */
  const char *font;   /* family list; NULL: the theme's */
  GString *svg_text;  /* NULL unless on an SVG: its <text> elements, a line each; in the drawing a shape stands
                         in for each of them */
  const gint *is_stopped; /* as of TnRaster: not 0 when the drawing may stay unfinished; NULL: never */
} TnPaint;

typedef enum { TN_ALIGN_START, TN_ALIGN_MIDDLE, TN_ALIGN_END } TnAlign;

typedef struct {
  double size;     /* logical pixels */
  bool is_bold;
  uint32_t color;
  TnAlign align;   /* of the text about x */
  double max_width; /* cut in the middle with an ellipsis; 0: never */
  bool is_tabular; /* digits of one width */
} TnTextStyle;

/* The shape of the text at byte n of `svg_text` begins at x = -(n modulo a million), y = -(this + millions). */
#define TN_PLACEHOLDER_Y 7000000

/* Fills with a colour, edges on whole device pixels. */
void tn_paint_rect(const TnPaint *paint, TnRect rect, uint32_t color);
void tn_paint_frame(const TnPaint *paint, TnRect rect, uint32_t color, double width);
/* A horizontal or vertical line of one device pixel. */
void tn_paint_hline(const TnPaint *paint, double x, double y, double width, uint32_t color);
void tn_paint_vline(const TnPaint *paint, double x, double y, double height, uint32_t color);
void tn_paint_dashed_vline(const TnPaint *paint, double x, double y, double height,
                           uint32_t color);
void tn_paint_dashed_hline(const TnPaint *paint, double x, double y, double width, uint32_t color);
void tn_paint_set_color(const TnPaint *paint, uint32_t color, double alpha);
/* Diagonal hatching over a rectangle. */
void tn_paint_hatch(const TnPaint *paint, TnRect rect, uint32_t color, double gap);

/* Draws one line of text with its middle at `y`; returns its width. */
double tn_paint_text(const TnPaint *paint, const char *text, double x, double y,
                     const TnTextStyle *style);
/* The width that tn_paint_text() would take. */
double tn_paint_text_width(const TnPaint *paint, const char *text, const TnTextStyle *style);

/* Shortens in the middle to about `max_chars` characters (UTF-8); owned by the caller. */
char *tn_elide_middle(const char *text, glong max_chars);

/* Places an ARGB32 picture of width*scale x height*scale device pixels over `rect`. */
void tn_paint_image(const TnPaint *paint, TnRect rect, cairo_surface_t *image);

/* Rounds a logical coordinate to a whole device pixel. */
double tn_snap(const TnPaint *paint, double at);
