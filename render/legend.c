/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/legend.h"

#define SWATCH 15.0    /* with the gap behind it */
#define GAP 17.0       /* behind the words */
#define MORE 96.0      /* "and 1,234 more" */
#define LEAST 20.0     /* of words, where a single one is wider than the legend */
#define MOST_CHARS 100 /* of an entry: a name may be of a megabyte, and none may take a whole line */

void
tn_legend_init(TnLegend *legend, const TnPaint *paint, TnRect rect)
{
  *legend = (TnLegend){paint, rect.x, rect.y, rect.x + rect.width, rect.y + rect.height, rect.x};
}

bool
tn_legend_put(TnLegend *l, const char *words, bool is_last, TnRect *out_swatch)
{
  TnTextStyle style = {.size = 11.0, .color = l->paint->theme->text};
  g_autofree char *cut = tn_elide_middle(words, MOST_CHARS);
  double needed = SWATCH + tn_paint_text_width(l->paint, cut, &style);
  bool is_last_line = l->y + 2 * TN_LEGEND_LINE > l->bottom;
  double limit = l->right - (is_last_line && !is_last ? MORE : 0.0);
  if (l->at > l->x && l->at + needed > limit) {
    if (is_last_line)
      return false;
    l->at = l->x;
    l->y += TN_LEGEND_LINE;
    return tn_legend_put(l, words, is_last, out_swatch);
  }
  style.max_width = MAX(limit - l->at - SWATCH, LEAST);
  *out_swatch = (TnRect){l->at, l->y + 3.0, 10.0, 10.0};
  tn_paint_text(l->paint, cut, l->at + SWATCH, l->y + 8.0, &style);
  l->at += MIN(needed, limit - l->at) + GAP;
  return true;
}

double
tn_legend_finish(TnLegend *l, guint n_left)
{
  if (n_left > 0) {
    g_autofree char *more = g_strdup_printf("and %u more", n_left);
    TnTextStyle style = {.size = 11.0, .color = l->paint->theme->secondary};
    tn_paint_text(l->paint, more, l->at, l->y + 8.0, &style);
  }
  return l->y + TN_LEGEND_LINE;
}
