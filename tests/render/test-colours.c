/* SPDX-License-Identifier: MIT */
/* Text can be read on every shade, and the colour-blind tell the categories apart. */
#include "config.h"

#include "render/theme.h"

#include <math.h>

static const TnTheme *
theme_of(int i)
{
  return i ? tn_theme_dark() : tn_theme_light();
}

static void
test_contrast(void)
{
  for (int i = 0; i < 2; i++) {
    const TnTheme *theme = theme_of(i);
    for (int c = 0; c < TN_N_CATEGORIES; c++)
      for (int s = 0; s < TN_SHADES; s++) {
        uint32_t fill = theme->shade[c][s];
        g_assert_cmpfloat(tn_color_contrast(fill, tn_color_text_on(fill)), >=, 4.5);
        /* Dimmed by a search. */
        uint32_t dim = tn_color_mix(fill, theme->panel, 0.8);
        g_assert_cmpfloat(tn_color_contrast(dim, tn_color_text_on(dim)), >=, 4.5);
      }
    const uint32_t text[] = {theme->text, theme->secondary};
    for (gsize k = 0; k < G_N_ELEMENTS(text); k++) {
      g_assert_cmpfloat(tn_color_contrast(text[k], theme->panel), >=, 4.5);
      g_assert_cmpfloat(tn_color_contrast(text[k], theme->background), >=, 4.5);
    }
    g_assert_cmpfloat(tn_color_contrast(theme->peak, theme->on_peak), >=, 4.5);
    g_assert_cmpfloat(tn_color_contrast(theme->warning, tn_color_text_on(theme->warning)), >=, 4.5);
    /* Lines and outlines: 3:1. */
    g_assert_cmpfloat(tn_color_contrast(theme->peak, theme->panel), >=, 3.0);
    g_assert_cmpfloat(tn_color_contrast(theme->warning, theme->panel), >=, 3.0);
  }
  g_assert_cmpfloat_with_epsilon(tn_color_contrast(0, 0xFFFFFF), 21.0, 0.01);
  g_assert_cmpfloat_with_epsilon(tn_color_contrast(0x777777, 0xFFFFFF), 4.48, 0.01);
}

typedef struct {
  double l, a, b;
} Lab;

static double
linear(double c)
{
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* The simulations of Machado, Oliveira, Fernandes 2009 at full severity (on linear RGB), then
 * CIELAB of D65. */
static Lab
seen(uint32_t color, int kind)
{
  static const double matrix[4][3][3] = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}},
      {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}},
      {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}};
  double in[3] = {linear((color >> 16 & 255) / 255.0), linear((color >> 8 & 255) / 255.0),
                  linear((color & 255) / 255.0)};
  double c[3];
  for (int i = 0; i < 3; i++)
    c[i] = CLAMP(matrix[kind][i][0] * in[0] + matrix[kind][i][1] * in[1] +
                     matrix[kind][i][2] * in[2], 0.0, 1.0);
  double xyz[3] = {(0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047,
                   0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2],
                   (0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883};
  for (int i = 0; i < 3; i++)
    xyz[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116.0;
  return (Lab){116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

static double
distance(Lab x, Lab y)
{
  return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

/* 11 units of CIELAB are told apart side by side; the legend's order and the labels are the second
 * cue. */
static void
test_color_blind(void)
{
  static const char *const kinds[] = {"all", "protanopia", "deuteranopia", "tritanopia"};
  for (int i = 0; i < 2; i++)
    for (int kind = 0; kind < 4; kind++)
      for (int a = 0; a < TN_CATEGORY_BEFORE; a++)
        for (int b = a + 1; b < TN_CATEGORY_BEFORE; b++) {
          const TnTheme *theme = theme_of(i);
          double d = distance(seen(theme->category[a], kind), seen(theme->category[b], kind));
          if (d < 11.0)
            g_error("%s theme, %s: categories %d and %d are only %.1f apart",
                    i ? "dark" : "light", kinds[kind], a + 1, b + 1, d);
        }
}

/* Neighbours of one hue differ: the shades of a category are not the same colour. */
static void
test_shades(void)
{
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < TN_N_CATEGORIES; c++)
      for (int a = 0; a < TN_SHADES; a++)
        for (int b = a + 1; b < TN_SHADES; b++)
          g_assert_cmpfloat(distance(seen(theme_of(i)->shade[c][a], 0),
                                     seen(theme_of(i)->shade[c][b], 0)), >=, 2.0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/contrast", test_contrast);
  g_test_add_func("/render/color-blind", test_color_blind);
  g_test_add_func("/render/shades", test_shades);
  return g_test_run();
}
