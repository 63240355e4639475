/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#include "render/wrap.h"

#define MARGIN 16.0
#define GAP 14.0
#define LEAST_TWO_COLUMNS 640.0

double
tn_oom_heading(const TnOomPage *page, double x, double top, double width, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = page->paint->theme->text,
                       .max_width = width};
  tn_paint_text(page->paint, text, x, top + 9.0, &style);
  return 22.0;
}

/* Verdict, what happened, the cause, and what would have helped. */
static double
paint_sentences(const TnOomPage *page, double x, double top, double width)
{
  const TnTheme *theme = page->paint->theme;
  char count[32];
  const char *verdict = tn_oom_verdict_name(page->oom->verdict);
  g_autofree char *title =
      page->oom->is_report
          ? g_strdup_printf("Out of memory: %s", verdict)
          : g_strdup_printf("Out of memory at event %s: %s",
                            tn_print_count(count, sizeof count, page->oom->tick), verdict);
  g_autofree char *what = g_strdup_printf("%s. %s.", page->oom->sentence, page->oom->cause);
  TnTextStyle style = {.size = 15.0, .is_bold = true, .color = theme->peak, .max_width = width};
  tn_paint_text(page->paint, title, x, top + 11.0, &style);
  double y = top + 28.0;
  style = (TnTextStyle){.size = 12.0, .color = theme->text};
  y += tn_paint_wrapped(page->paint, what, x, y, width, 6, &style);
  style.color = theme->secondary;
  y += 3.0;
  y += tn_paint_wrapped(page->paint, page->oom->advice, x, y, width, 4, &style);
  if (page->suggestions)
    y += tn_paint_wrapped(page->paint, page->suggestions->sentence, x, y, width, 4, &style);
  return y - top;
}

static void
paint_columns(const TnOomPage *page, TnRect rect)
{
  if (rect.height < 60.0)
    return;
  if (rect.width < LEAST_TWO_COLUMNS) {
    TnRect above = {rect.x, rect.y, rect.width, rect.height / 2 - GAP};
    TnRect below = {rect.x, rect.y + rect.height / 2, rect.width, rect.height / 2};
    tn_oom_paint_holes(page, above);
    tn_oom_paint_live(page, below);
    return;
  }
  double left = (rect.width - 2 * GAP) * 0.55;
  tn_oom_paint_holes(page, (TnRect){rect.x, rect.y, left, rect.height});
  tn_oom_paint_live(page, (TnRect){rect.x + left + 2 * GAP, rect.y,
                                   rect.width - left - 2 * GAP, rect.height});
}

void
tn_draw_oom_with_hits(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
                      const TnSuggestions *suggestions, GArray *out_hits)
{
  TnOomPage page = {paint, view, oom, suggestions, out_hits};
  double x = rect.x + MARGIN, width = rect.width - 2 * MARGIN, y = rect.y + 6.0;
  if (out_hits)
    g_array_set_size(out_hits, 0);
  tn_paint_rect(paint, rect, paint->theme->panel);
  y += paint_sentences(&page, x, y, width) + GAP;
  y += tn_oom_paint_ledger(&page, x, y, width) + GAP;
  y += tn_oom_paint_strip(&page, x, y, width) + GAP;
  paint_columns(&page, (TnRect){x, y, width, rect.y + rect.height - y - 6.0});
}

void
tn_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
            const TnSuggestions *suggestions)
{
  tn_draw_oom_with_hits(paint, view, rect, oom, suggestions, NULL);
}

tn_index
tn_oom_hit(const GArray *hits, double x, double y)
{
  for (guint i = hits->len; i-- > 0;) {
    const TnOomHit *hit = &g_array_index(hits, TnOomHit, i);
    if (x >= hit->rect.x && x < hit->rect.x + hit->rect.width && y >= hit->rect.y &&
        y < hit->rect.y + hit->rect.height)
      return hit->buffer;
  }
  return TN_NONE;
}

void
tn_draw_no_oom(const TnPaint *paint, TnRect rect, const char *sentence)
{
  TnTextStyle style = {.size = 12.0, .color = paint->theme->secondary, .align = TN_ALIGN_MIDDLE};
  double width = rect.width - 2 * MARGIN;
  tn_paint_rect(paint, rect, paint->theme->panel);
  tn_paint_wrapped(paint, sentence, rect.x + rect.width / 2, rect.y + rect.height / 2 - 20.0,
                   MIN(width, 520.0), 4, &style);
}
