/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/paint.h"

#include "render/markup.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

double
tn_snap(const TnPaint *paint, double at)
{
  return round(at * paint->scale) / paint->scale;
}

void
tn_paint_set_color(const TnPaint *paint, uint32_t color, double alpha)
{
  cairo_set_source_rgba(paint->cr, ((color >> 16) & 0xff) / 255.0, ((color >> 8) & 0xff) / 255.0,
                        (color & 0xff) / 255.0, alpha);
}

static TnRect
snapped(const TnPaint *paint, TnRect r)
{
  double x = tn_snap(paint, r.x), y = tn_snap(paint, r.y);
  double right = tn_snap(paint, r.x + r.width), bottom = tn_snap(paint, r.y + r.height);
  return (TnRect){x, y, right - x, bottom - y};
}

void
tn_paint_rect(const TnPaint *paint, TnRect rect, uint32_t color)
{
  TnRect r = snapped(paint, rect);
  tn_paint_set_color(paint, color, 1.0);
  cairo_rectangle(paint->cr, r.x, r.y, r.width, r.height);
  cairo_fill(paint->cr);
}

void
tn_paint_frame(const TnPaint *paint, TnRect rect, uint32_t color, double width)
{
  TnRect r = snapped(paint, rect);
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, width);
  cairo_rectangle(paint->cr, r.x - width / 2, r.y - width / 2, r.width + width, r.height + width);
  cairo_stroke(paint->cr);
}

void
tn_paint_hline(const TnPaint *paint, double x, double y, double width, uint32_t color)
{
  tn_paint_rect(paint, (TnRect){x, tn_snap(paint, y), width, 1.0 / paint->scale}, color);
}

void
tn_paint_vline(const TnPaint *paint, double x, double y, double height, uint32_t color)
{
  tn_paint_rect(paint, (TnRect){tn_snap(paint, x), y, 1.0 / paint->scale, height}, color);
}

/* One device pixel thick, whole pixels at that. */
static void
paint_dashes(const TnPaint *paint, double x, double y, double dx, double dy, uint32_t color)
{
  static const double dashes[] = {4.0, 3.0};
  double line = MAX(1.0, round(paint->scale)) / paint->scale;
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, line);
  cairo_set_dash(paint->cr, dashes, 2, 0.0);
  cairo_move_to(paint->cr, dx > 0 ? x : tn_snap(paint, x) + line / 2,
                dy > 0 ? y : tn_snap(paint, y) + line / 2);
  cairo_rel_line_to(paint->cr, dx, dy);
  cairo_stroke(paint->cr);
  cairo_set_dash(paint->cr, NULL, 0, 0.0);
}

void
tn_paint_dashed_vline(const TnPaint *paint, double x, double y, double height, uint32_t color)
{
  paint_dashes(paint, x, y, 0.0, height, color);
}

void
tn_paint_dashed_hline(const TnPaint *paint, double x, double y, double width, uint32_t color)
{
  paint_dashes(paint, x, y, width, 0.0, color);
}

void
tn_paint_hatch(const TnPaint *paint, TnRect rect, uint32_t color, double gap)
{
  cairo_t *cr = paint->cr;
  cairo_save(cr);
  cairo_rectangle(cr, rect.x, rect.y, rect.width, rect.height);
  cairo_clip(cr);
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(cr, 1.0);
  for (double x = rect.x - rect.height; x < rect.x + rect.width; x += gap) {
    cairo_move_to(cr, x, rect.y + rect.height);
    cairo_line_to(cr, x + rect.height, rect.y);
  }
  cairo_stroke(cr);
  cairo_restore(cr);
}

/* ---- text -------------------------------------------------------------------------------------- */

char *
tn_elide_middle(const char *text, glong max_chars)
{
  const char *at = text, *head_end = text, *end = text + strlen(text);
  glong head = (max_chars - 1) / 2, tail = max_chars - 1 - head;
  for (glong i = 0; i < max_chars && *at; i++) {
    at = g_utf8_next_char(at);
    head_end = i < head ? at : head_end;
  }
  if (!*at || max_chars < 3)
    return g_strdup(text);
  /* From the end: a name may be of a megabyte. */
  while (tail-- > 0)
    end = g_utf8_prev_char(end);
  return g_strdup_printf("%.*s…%s", (int)(head_end - text), text, end);
}

/* More than a line on any screen shows.  Shaping costs some microseconds a character, and files
 * have names of any length. */
#define MOST_CHARS 1000

static PangoLayout *
new_layout(const TnPaint *paint, const char *text, const TnTextStyle *style)
{
  g_autofree char *shown = tn_elide_middle(text, MOST_CHARS);
  PangoLayout *layout = pango_cairo_create_layout(paint->cr);
  PangoFontDescription *font =
      pango_font_description_from_string(paint->font ? paint->font : paint->theme->font);
  pango_font_description_set_absolute_size(font, style->size * paint->text_scale * PANGO_SCALE);
  if (style->is_bold)
    pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(pango_layout_get_context(layout), options);
  cairo_font_options_destroy(options);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  if (style->is_tabular) {
    PangoAttrList *list = pango_attr_list_new();
    pango_attr_list_insert(list, pango_attr_font_features_new("tnum=1"));
    pango_layout_set_attributes(layout, list);
    pango_attr_list_unref(list);
  }
  pango_layout_set_text(layout, shown, -1);
  if (style->max_width > 0) {
    pango_layout_set_width(layout, (int)(style->max_width * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
  }
  return layout;
}

static double
layout_width(PangoLayout *layout)
{
  PangoRectangle logical;
  pango_layout_get_extents(layout, NULL, &logical);
  return (double)logical.width / PANGO_SCALE;
}

double
tn_paint_text_width(const TnPaint *paint, const char *text, const TnTextStyle *style)
{
  PangoLayout *layout = new_layout(paint, text, style);
  double width = layout_width(layout);
  g_object_unref(layout);
  return width;
}

static double
start_of(double x, double width, TnAlign align)
{
  return align == TN_ALIGN_START ? x : align == TN_ALIGN_MIDDLE ? x - width / 2 : x - width;
}

/* A number with a point, whatever the locale. */
static void
append_number(GString *out, const char *name, double value)
{
  char text[32];
  g_string_append_printf(out, " %s=\"%s\"", name, g_ascii_formatd(text, sizeof text, "%.2f", value));
}

/* Where the text belongs among the shapes: export.c puts it there, so that what is painted later covers it,
 * and what is clipped is not written.  It has to meet every clip, so it covers the picture, without being a
 * rectangle: these are written in other ways.  No shape of a picture begins up there. */
static void
paint_placeholder(const TnPaint *paint)
{
  cairo_t *cr = paint->cr;
  double at = (double)paint->svg_text->len, x = fmod(at, 1e6), y = TN_PLACEHOLDER_Y + floor(at / 1e6);
  cairo_save(cr);
  cairo_identity_matrix(cr);
  cairo_new_path(cr);
  cairo_move_to(cr, -x, -y);
  cairo_line_to(cr, 1e5, -y);
  cairo_line_to(cr, 1e5, 1e5);
  cairo_line_to(cr, -2e6, 1e5);
  cairo_line_to(cr, -2e6, 0);
  cairo_close_path(cr);
  cairo_set_source_rgba(cr, 0, 0, 0, 0.5);
  cairo_fill(cr);
  cairo_restore(cr);
}

static void
append_svg_text(const TnPaint *paint, const char *text, double x, double baseline,
                const TnTextStyle *style)
{
  static const char *const anchors[] = {"start", "middle", "end"};
  g_autofree char *escaped = tn_markup_escape(text);
  g_autofree char *family = tn_markup_escape(paint->font ? paint->font : paint->theme->font);
  GString *out = paint->svg_text;
  paint_placeholder(paint);
  g_string_append(out, "<text");
  append_number(out, "x", x);
  append_number(out, "y", baseline);
  append_number(out, "font-size", style->size * paint->text_scale);
  g_string_append_printf(out, " font-family=\"%s\" fill=\"#%06X\" text-anchor=\"%s\"%s xml:space=\"preserve\">%s</text>\n",
                         family, style->color, anchors[style->align],
                         style->is_bold ? " font-weight=\"bold\"" : "", escaped);
}

static bool
fits(const TnPaint *paint, const char *text, glong n, const TnTextStyle *style, double width)
{
  g_autofree char *cut = tn_elide_middle(text, n);
  return tn_paint_text_width(paint, cut, style) <= width;
}

/* The most characters from 3 on, and below `n`, that fit. */
static glong
find_most(const TnPaint *paint, const char *text, glong n, const TnTextStyle *style, double width)
{
  glong few = 3, most = n - 1;
  while (few < most) {
    glong middle = few + (most - few + 1) / 2;
    if (fits(paint, text, middle, style, width))
      few = middle;
    else
      most = middle - 1;
  }
  return few;
}

/* What is left of a text after Pango cut it to its width.  Pango does not say: cut by characters in
 * the same proportion, or to the most that fit where these don't. */
static char *
text_as_cut(PangoLayout *layout, const TnPaint *paint, const TnTextStyle *style)
{
  const char *text = pango_layout_get_text(layout);
  if (style->max_width <= 0 || !pango_layout_is_ellipsized(layout))
    return g_strdup(text);
  TnTextStyle whole = *style;
  whole.max_width = 0;
  double full = tn_paint_text_width(paint, text, &whole);
  glong n = MAX((glong)((double)g_utf8_strlen(text, -1) * style->max_width / full), 3);
  if (n > 3 && !fits(paint, text, n, &whole, style->max_width))
    n = find_most(paint, text, n, &whole, style->max_width);
  return tn_elide_middle(text, n);
}

double
tn_paint_text(const TnPaint *paint, const char *text, double x, double y, const TnTextStyle *style)
{
  PangoLayout *layout = new_layout(paint, text, style);
  double width = layout_width(layout);
  PangoRectangle logical;
  pango_layout_get_extents(layout, NULL, &logical);
  double top = y - (double)logical.height / PANGO_SCALE / 2;
  double baseline = top + (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
  if (paint->svg_text) {
    g_autofree char *cut = text_as_cut(layout, paint, style);
    append_svg_text(paint, cut, x, baseline, style);
  } else {
    tn_paint_set_color(paint, style->color, 1.0);
    /* With a width set, Pango puts a line from right to left at the right of it. */
    double left = start_of(x, width, style->align) - (double)logical.x / PANGO_SCALE;
    cairo_move_to(paint->cr, tn_snap(paint, left), tn_snap(paint, top));
    pango_cairo_show_layout(paint->cr, layout);
  }
  g_object_unref(layout);
  return width;
}

/* ---- images ------------------------------------------------------------------------------------ */

void
tn_paint_image(const TnPaint *paint, TnRect rect, cairo_surface_t *image)
{
  cairo_t *cr = paint->cr;
  cairo_save(cr);
  cairo_translate(cr, tn_snap(paint, rect.x), tn_snap(paint, rect.y));
  cairo_scale(cr, 1.0 / paint->scale, 1.0 / paint->scale);
  cairo_set_source_surface(cr, image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cr, 0, 0, cairo_image_surface_get_width(image),
                  cairo_image_surface_get_height(image));
  cairo_fill(cr);
  cairo_restore(cr);
}
