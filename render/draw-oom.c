/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#include "render/wrap.h"

#define MARGIN 16.0
#define GAP 14.0
#define LEAST_TWO_COLUMNS 640.0
#define LEAST_TWO_ROWS 240.0 /* where there is as little height, narrow columns say more */

double
tn_oom_heading(const TnOomPage *page, double x, double top, double width, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = page->paint->theme->text,
                       .max_width = width};
  tn_paint_text(page->paint, text, x, top + 9.0, &style);
  return 22.0;
}

/* Which of the failed requests it is, where there are more.  Owned by the caller. */
static char *
dup_which(const TnOomPage *page)
{
  const TnDevice *device = page->view->study->device;
  uint32_t n = tn_oom_count(device), k = 0;
  if (n < 2)
    return g_strdup("");
  for (guint i = 0; i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    k += mark->kind == TN_MARK_OOM && mark->tick <= page->oom->tick;
  }
  return g_strdup_printf(" (%u of %u that failed)", k, n);
}

/* At most `most` lines, and no more than `rect` has room for; returns where they end. */
static double
paint_sentence(const TnOomPage *page, const char *text, TnRect rect, guint most,
               const TnTextStyle *style)
{
  double room = MAX(rect.height, 0.0) / tn_wrap_line_height(page->paint, style);
  return rect.y + tn_paint_wrapped(page->paint, text, rect.x, rect.y, rect.width,
                                   MIN(most, (guint)room), style);
}

/* Verdict, what happened, the cause, and what would have helped. */
static double
paint_sentences(const TnOomPage *page, double x, double top, double width, double bottom)
{
  const TnTheme *theme = page->paint->theme;
  char count[32];
  const char *verdict = tn_oom_verdict_name(page->oom->verdict);
  g_autofree char *which = dup_which(page);
  g_autofree char *title =
      page->oom->is_report
          ? g_strdup_printf("Out of memory: %s", verdict)
          : g_strdup_printf("Out of memory at event %s%s: %s",
                            tn_print_count(count, sizeof count, page->oom->tick), which, verdict);
  g_autofree char *what = g_strdup_printf("%s. %s.", page->oom->sentence, page->oom->cause);
  TnTextStyle style = {.size = 15.0, .is_bold = true, .color = theme->peak, .max_width = width};
  tn_paint_text(page->paint, title, x, top + 11.0, &style);
  double y = top + 28.0;
  style = (TnTextStyle){.size = 12.0, .color = theme->text};
  y = paint_sentence(page, what, (TnRect){x, y, width, bottom - y}, 6, &style);
  style.color = theme->secondary;
  y += 3.0;
  y = paint_sentence(page, page->oom->advice, (TnRect){x, y, width, bottom - y}, 4, &style);
  if (page->suggestions)
    y = paint_sentence(page, page->suggestions->sentence, (TnRect){x, y, width, bottom - y}, 4,
                       &style);
  return y - top;
}

#define LEDGER 100.0  /* the account with a legend of two lines */
#define STRIP 88.0
#define COLUMNS 60.0

static void
paint_columns(const TnOomPage *page, TnRect rect)
{
  if (rect.width < LEAST_TWO_COLUMNS && rect.height >= LEAST_TWO_ROWS) {
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

/* From the most important on, as far as they have room; a line says what has none. */
static void
paint_parts(const TnOomPage *page, TnRect rect)
{
  static const char *const parts[] = {"the account, the addresses, holes and what was alive",
                                      "the addresses, holes and what was alive",
                                      "holes and what was alive"};
  static const double least[] = {LEDGER, STRIP, COLUMNS};
  double y = rect.y, bottom = rect.y + rect.height;
  int i = 0;
  for (; i < 3 && y + least[i] <= bottom; i++) {
    if (i == 0)
      y += tn_oom_paint_ledger(page, rect.x, y, rect.width) + GAP;
    else if (i == 1)
      y += tn_oom_paint_strip(page, rect.x, y, rect.width) + GAP;
    else
      paint_columns(page, (TnRect){rect.x, y, rect.width, bottom - y});
  }
  y -= i > 0 ? GAP : 0.0;
  if (i == 3 || y + 14.0 > bottom)
    return;
  g_autofree char *text = g_strdup_printf("No room here for %s", parts[i]);
  TnTextStyle style = {.size = 11.0, .color = page->paint->theme->secondary,
                       .max_width = rect.width};
  tn_paint_text(page->paint, text, rect.x, MIN(y + GAP + 8.0, bottom - 7.0), &style);
}

void
tn_draw_oom_with_hits(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
                      const TnSuggestions *suggestions, GArray *out_hits)
{
  TnOomPage page = {paint, view, oom, suggestions, out_hits};
  double x = rect.x + MARGIN, width = rect.width - 2 * MARGIN, y = rect.y + 6.0;
  double bottom = rect.y + rect.height - 6.0;
  if (out_hits)
    g_array_set_size(out_hits, 0);
  tn_paint_rect(paint, rect, paint->theme->panel);
  y += paint_sentences(&page, x, y, width, bottom) + GAP;
  paint_parts(&page, (TnRect){x, y, width, bottom - y});
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
