/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/theme.h"

#include <math.h>
#include <string.h>

/* The hues of look.md, some moved by a few units so that any two of them are at least 11 units of
 * CIELAB apart also under simulated protanopia, deuteranopia and tritanopia (test-render.c). */
static const TnTheme light = {
    .background = 0xFAFAFB,
    .panel = 0xFFFFFF,
    .hairline = 0xE3E6EA,
    .text = 0x1F2328,
    .secondary = 0x6B7280,
    .other = 0xB8BEC7,
    .peak = 0xD5402B,
    .on_peak = 0xFFFFFF,
    .warning = 0xB45309,
    .smaller = 0x0072B2,
    .larger = 0xD55E00,
    .category = {0x3B6FB6, 0xE69F00, 0x129285, 0xCF7CA5, 0x56B4E9, 0xD55E00, 0x8B7AAB, 0xB8BEC7,
                 0xD3D7DD},
    .hatch = 0xDDE1E6,
    .padding = 0x3A3F46,
    .font = "Cantarell,Noto Sans,DejaVu Sans,sans-serif",
};

static const TnTheme dark = {
    .is_dark = true,
    .background = 0x17191C,
    .panel = 0x1E2125,
    .hairline = 0x2E3338,
    .text = 0xE6E8EB,
    .secondary = 0x9AA3AE,
    .other = 0x5B626B,
    .peak = 0xFF7A66,
    .on_peak = 0x17191C,
    .warning = 0xF5A524,
    .smaller = 0x6FA3E8,
    .larger = 0xF2814B,
    .category = {0x6FA3E8, 0xF0B429, 0x4CC0AD, 0xF8AED2, 0x84C9F4, 0xF2814B, 0xB3A2CF, 0x5B626B,
                 0x474D55},
    .hatch = 0x30353B,
    .padding = 0x0B0C0E,
    .font = "Cantarell,Noto Sans,DejaVu Sans,sans-serif",
};

uint32_t
tn_color_mix(uint32_t a, uint32_t b, double t)
{
  uint32_t out = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    double x = (a >> shift) & 0xff, y = (b >> shift) & 0xff;
    out |= (uint32_t)lround(x + (y - x) * t) << shift;
  }
  return out;
}

static double
luminance(uint32_t color)
{
  double sum = 0.0;
  static const double weight[3] = {0.0722, 0.7152, 0.2126};
  for (int i = 0; i < 3; i++) {
    double c = ((color >> (8 * i)) & 0xff) / 255.0;
    sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double
tn_color_contrast(uint32_t a, uint32_t b)
{
  double x = luminance(a), y = luminance(b);
  return (MAX(x, y) + 0.05) / (MIN(x, y) + 0.05);
}

uint32_t
tn_color_text_on(uint32_t fill)
{
  /* Of black and white one always has 4.5:1; a softer black would not. */
  uint32_t dark_text = 0x000000, light_text = 0xFFFFFF;
  return tn_color_contrast(fill, dark_text) >= tn_color_contrast(fill, light_text) ? dark_text
                                                                                   : light_text;
}

static void
fill_shades(TnTheme *theme)
{
  uint32_t up = 0xFFFFFF, down = 0x000000;
  for (int c = 0; c < TN_N_CATEGORIES; c++) {
    theme->shade[c][0] = theme->category[c];
    theme->shade[c][1] = tn_color_mix(theme->category[c], up, 0.16);
    theme->shade[c][2] = tn_color_mix(theme->category[c], down, 0.14);
    theme->shade[c][3] = tn_color_mix(theme->category[c], up, 0.34);
  }
}
uint32_t
tn_color_as_text(uint32_t color, const TnTheme *theme)
{
  for (int step = 0; step < 20; step++) {
    uint32_t mixed = tn_color_mix(color, theme->text, step / 20.0);
    if (tn_color_contrast(mixed, theme->panel) >= 4.5)
      return mixed;
  }
  return theme->text;
}

/* Okabe and Ito, "Color Universal Design" (2008): seven hues made for people with colour blindness; the
 * dark ones are lighter by a few steps, so that they stand out there. */
static const uint32_t okabe_ito[2][TN_MAX_HUES] = {
    {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0xF0E442},
    {0x3D9BD9, 0xE69F00, 0x00B585, 0xD98CB3, 0x7CC7F2, 0xE5702B, 0xF0E442}};

static TnTheme themes[2][TN_N_PALETTES][2]; /* by dark, palette, outlines */

static void
fill_one(TnTheme *theme, bool is_dark, TnPalette palette, bool has_outlines)
{
  *theme = is_dark ? dark : light;
  theme->has_outlines = has_outlines;
  if (palette == TN_PALETTE_OKABE_ITO)
    memcpy(theme->category, okabe_ito[is_dark], sizeof okabe_ito[is_dark]);
  if (has_outlines)
    theme->secondary = theme->text;
  fill_shades(theme);
}

static gpointer
fill_all(gpointer data)
{
  for (int is_dark = 0; is_dark < 2; is_dark++)
    for (int palette = 0; palette < TN_N_PALETTES; palette++)
      for (int has_outlines = 0; has_outlines < 2; has_outlines++)
        fill_one(&themes[is_dark][palette][has_outlines], is_dark, (TnPalette)palette,
                 has_outlines);
  return NULL;
}

static GOnce once = G_ONCE_INIT;
static gint variant; /* atomic: twice the palette, and one for outlines */

void
tn_theme_set_variant(TnPalette palette, bool has_outlines)
{
  g_atomic_int_set(&variant, 2 * (int)palette + has_outlines);
}

static const TnTheme *
get(bool is_dark)
{
  g_once(&once, fill_all, NULL);
  gint chosen = g_atomic_int_get(&variant);
  return &themes[is_dark][chosen / 2][chosen % 2];
}

const TnTheme *
tn_theme_light(void)
{
  return get(false);
}

const TnTheme *
tn_theme_dark(void)
{
  return get(true);
}
