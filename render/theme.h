/* SPDX-License-Identifier: MIT */
/* Colours and fonts of all pictures (look.md).  Colours are 0xRRGGBB. */
#pragma once

#include "analysis/category.h"

#include <stdint.h>

#define TN_SHADES 4 /* lightness steps inside one category */

typedef struct {
  bool is_dark;
  bool has_outlines; /* every bar and block has a rim (high contrast) */
  uint32_t background, panel, hairline, text, secondary, other, peak, on_peak, warning, smaller, larger;
  uint32_t category[TN_N_CATEGORIES]; /* hues, then other, then before the recording */
  uint32_t shade[TN_N_CATEGORIES][TN_SHADES];
  uint32_t hatch;   /* reserved but free: the lines of the hatching, on the panel */
  uint32_t padding; /* the cap of rounding and alignment */
  const char *font; /* Pango family list */
} TnTheme;

/* Of the variant that was chosen last; never changed, so that a picture on its way keeps its own. */
const TnTheme *tn_theme_light(void);
const TnTheme *tn_theme_dark(void);

typedef enum { TN_PALETTE_TENURE, TN_PALETTE_OKABE_ITO, TN_N_PALETTES } TnPalette;
/* Which of the themes the two above give from now on; any thread. */
void tn_theme_set_variant(TnPalette palette, bool has_outlines);

/* A mix: 0 gives `a`, 1 gives `b`. */
uint32_t tn_color_mix(uint32_t a, uint32_t b, double t);
/* Black or white text, whichever has more contrast on `fill` (WCAG luminance): at least 4.5:1. */
uint32_t tn_color_text_on(uint32_t fill);
/* The colour, as far towards the text's as it takes to be read on the panel: at least 4.5:1. */
uint32_t tn_color_as_text(uint32_t color, const TnTheme *theme);
/* WCAG contrast ratio, 1 to 21. */
double tn_color_contrast(uint32_t a, uint32_t b);

/* The lightness step of a buffer: neighbours in the table differ. */
static inline unsigned
tn_shade_of(uint32_t buffer)
{
  return (buffer * 0x9E3779B1u) >> 30;
}
