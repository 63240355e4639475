/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/export.h"

#include "data/error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>

bool
tn_export_format_from_path(const char *path, TnExportFormat *out_format)
{
  static const char *const endings[] = {".png", ".svg", ".pdf"};
  g_autofree char *lower = g_ascii_strdown(path, -1);
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(lower, endings[i])) {
      *out_format = (TnExportFormat)i;
      return true;
    }
  return false;
}

static cairo_status_t
append(void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
create_surface(const TnExportParams *p, TnExportFormat format, GByteArray *out)
{
  switch (format) {
  case TN_EXPORT_SVG: {
    cairo_surface_t *svg = cairo_svg_surface_create_for_stream(append, out, p->width, p->height);
    cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
    return svg;
  }
  case TN_EXPORT_PDF: {
    cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(append, out, p->width, p->height);
    /* Without a date the same input gives the same bytes. */
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return pdf;
  }
  default:
    return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)lround(p->width * p->scale),
                                      (int)lround(p->height * p->scale));
  }
}

/* What follows `mark` at `at` is the name of an element, as "surface12". */
static bool
is_at(const GByteArray *svg, guint at, const char *mark)
{
  gsize n = strlen(mark);
  return svg->len - at >= n && memcmp(svg->data + at, mark, n) == 0;
}

/* cairo numbers elements through the life of the process; numbered anew by their order, the same
 * picture has the same bytes every time.  Runs before the text is put in: all that looks like a name
 * is one. */
static GByteArray *
renumber(const GByteArray *svg)
{
  static const char *const marks[] = {"id=\"", "url(#", "href=\"#"};
  GByteArray *out = g_byte_array_sized_new(svg->len + 64);
  g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint at = 0; at < svg->len;) {
    gsize n = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(marks) && n == 0; i++)
      n = is_at(svg, at, marks[i]) ? strlen(marks[i]) : 0;
    if (n == 0) {
      g_byte_array_append(out, svg->data + at++, 1);
      continue;
    }
    g_byte_array_append(out, svg->data + at, (guint)n);
    at += (guint)n;
    guint word = at;
    while (at < svg->len && (g_ascii_isalpha(svg->data[at]) || svg->data[at] == '-'))
      at++;
    guint digits = at;
    while (at < svg->len && g_ascii_isdigit(svg->data[at]))
      at++;
    g_byte_array_append(out, svg->data + word, digits - word);
    if (at == digits)
      continue;
    g_autofree char *name = g_strndup((const char *)svg->data + word, at - word);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, name));
    if (number == 0) {
      number = g_hash_table_size(numbers) + 1;
      g_hash_table_insert(numbers, g_steal_pointer(&name), GUINT_TO_POINTER(number));
    }
    char text[16];
    g_snprintf(text, sizeof text, "%u", number);
    g_byte_array_append(out, (const guint8 *)text, (guint)strlen(text));
  }
  return out;
}

/* Whether the shape stands in for a text, and for which: see TN_PLACEHOLDER_Y. */
static bool
is_placeholder(const char *shape, gsize n, gsize *out_at)
{
  static const char path[] = " d=\"M ";
  char *end;
  const char *from = g_strstr_len(shape, (gssize)n, path);
  if (!from)
    return false;
  double x = g_ascii_strtod(from + sizeof path - 1, &end), y = g_ascii_strtod(end, NULL);
  if (y > -TN_PLACEHOLDER_Y)
    return false;
  *out_at = (gsize)-x + (gsize)(-TN_PLACEHOLDER_Y - y) * 1000000;
  return true;
}

/* Puts each text in the place of its shape.  `svg` ends with a 0. */
static GByteArray *
place_texts(const GByteArray *svg, const GString *text)
{
  static const char path[] = "<path ", end_of_text[] = "</text>\n";
  GByteArray *out = g_byte_array_sized_new(svg->len + (guint)text->len);
  const char *at = (const char *)svg->data, *shape;
  while ((shape = strstr(at, path)) != NULL) {
    const char *stop = strchr(shape, '>') + 1;
    gsize from;
    g_byte_array_append(out, (const guint8 *)at, (guint)(shape - at));
    if (is_placeholder(shape, (gsize)(stop - shape), &from)) {
      const char *written = text->str + from;
      const char *end = strstr(written, end_of_text) + sizeof end_of_text - 1;
      g_byte_array_append(out, (const guint8 *)written, (guint)(end - written));
      stop += *stop == '\n';
    } else {
      g_byte_array_append(out, (const guint8 *)shape, (guint)(stop - shape));
    }
    at = stop;
  }
  g_byte_array_append(out, (const guint8 *)at, (guint)strlen(at));
  return out;
}

GByteArray *
tn_export_build_drawing(const TnExportParams *p,
                        TnExportFormat format,
                        TnExportDraw draw,
                        const void *payload,
                        GError **error)
{
  g_autoptr(GByteArray) out = g_byte_array_new();
  g_autoptr(GString) text = g_string_new(NULL);
  cairo_surface_t *surface = create_surface(p, format, out);
  cairo_t *cr = cairo_create(surface);
  TnPaint paint = {.cr = cr,
                   .theme = p->theme,
                   .scale = p->scale,
                   .text_scale = 1.0,
                   .font = p->font,
                   .svg_text = format == TN_EXPORT_SVG ? text : NULL};
  if (format == TN_EXPORT_PNG)
    cairo_scale(cr, p->scale, p->scale);
  draw(&paint, (TnRect){0, 0, p->width, p->height}, payload);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (format == TN_EXPORT_PNG && status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface, append, out);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "the picture can't be drawn: %s",
                cairo_status_to_string(status));
    return NULL;
  }
  if (format != TN_EXPORT_SVG)
    return g_steal_pointer(&out);
  g_autoptr(GByteArray) svg = renumber(out);
  g_byte_array_append(svg, (const guint8 *)"", 1);
  return place_texts(svg, text);
}

typedef struct {
  const TnView *view;
  const TnExportParams *params;
} Picture;

static void
draw_view(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Picture *picture = payload;
  tn_draw_picture(paint, picture->view, rect, picture->params->picture, picture->params->options,
                  picture->params->findings);
}

GByteArray *
tn_export_build(const TnView *view, const TnExportParams *p, TnExportFormat format, GError **error)
{
  Picture picture = {view, p};
  return tn_export_build_drawing(p, format, draw_view, &picture, error);
}

typedef struct {
  const TnDiffPicture *picture;
  TnUnits units;
} Both;

static void
draw_both(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Both *both = payload;
  tn_draw_diff(paint, both->picture, rect, both->units);
}

GByteArray *
tn_export_build_diff(const TnDiffPicture *picture, TnUnits units, const TnExportParams *p,
                     TnExportFormat format, GError **error)
{
  Both both = {picture, units};
  return tn_export_build_drawing(p, format, draw_both, &both, error);
}
