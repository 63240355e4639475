/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#define BAR 22.0
#define LEGEND_ROW 18.0

/* No hues: they mean call sites elsewhere in the view.  Lightness, hatching and words tell the rows
 * apart. */
static uint32_t
color_of(const TnTheme *theme, const TnLedgerRow *row)
{
  switch (row->kind) {
  case TN_LEDGER_LIVE:
    return row->buffer_kind == TN_KIND_BEFORE
               ? theme->category[TN_CATEGORY_BEFORE]
               : tn_color_mix(theme->panel, theme->text, 0.40 + 0.05 * (row->buffer_kind % 4));
  case TN_LEDGER_ROUNDING:
    return theme->padding;
  case TN_LEDGER_PRIVATE:
    return tn_color_mix(theme->panel, theme->text, 0.75);
  case TN_LEDGER_UNSEEN:
    return tn_color_mix(theme->panel, theme->text, 0.25);
  case TN_LEDGER_OUTSIDE:
    return theme->other;
  default:
    return theme->panel;
  }
}

static void
paint_piece(const TnPaint *paint, const TnLedgerRow *row, TnRect rect)
{
  tn_paint_rect(paint, rect, color_of(paint->theme, row));
  if (row->kind == TN_LEDGER_CACHED)
    tn_paint_hatch(paint, rect, paint->theme->secondary, 5.0);
  if (row->kind == TN_LEDGER_REST)
    tn_paint_hatch(paint, rect, paint->theme->hatch, 3.0);
}

/* Each piece ends where its sum does, so that the bar adds up to the pixel. */
static void
paint_bar(const TnOomPage *page, TnRect rect)
{
  const TnLedger *ledger = page->oom->account;
  tn_bytes before = 0;
  for (guint i = 0; i < ledger->rows->len; i++) {
    const TnLedgerRow *row = tn_ledger_get(ledger, i);
    double from = (double)before / (double)ledger->total_bytes * rect.width;
    before += row->bytes;
    double to = (double)before / (double)ledger->total_bytes * rect.width;
    paint_piece(page->paint, row, (TnRect){rect.x + from, rect.y, to - from, rect.height});
  }
  tn_paint_frame(page->paint, rect, page->paint->theme->other, 1.0);
}

static double
paint_legend(const TnOomPage *page, double x, double top, double width)
{
  const TnLedger *ledger = page->oom->account;
  const TnTheme *theme = page->paint->theme;
  TnTextStyle style = {.size = 11.0, .color = theme->text};
  double at = x, y = top;
  for (guint i = 0; i < ledger->rows->len; i++) {
    char size[48];
    const TnLedgerRow *row = tn_ledger_get(ledger, i);
    g_autofree char *text =
        g_strdup_printf("%s%s %s", i ? "+ " : "", tn_ledger_row_name(row),
                        tn_print_bytes(size, sizeof size, row->bytes, page->view->units));
    double needed = tn_paint_text_width(page->paint, text, &style) + 36.0;
    if (at > x && at + needed > x + width) {
      at = x;
      y += LEGEND_ROW;
    }
    TnRect swatch = {at, y + 4.0, 10.0, 10.0};
    paint_piece(page->paint, row, swatch);
    tn_paint_frame(page->paint, swatch, theme->other, 1.0);
    tn_paint_text(page->paint, text, at + 16.0, y + 9.0, &style);
    at += needed;
  }
  return y + LEGEND_ROW - top;
}

double
tn_oom_paint_ledger(const TnOomPage *page, double x, double top, double width)
{
  char total[48];
  const TnLedger *ledger = page->oom->account;
  if (ledger->total_bytes <= 0)
    return 0;
  g_autofree char *title = g_strdup_printf(
      "Where the memory was · %s%s",
      tn_print_bytes(total, sizeof total, ledger->total_bytes, page->view->units),
      ledger->source == TN_TOTAL_GIVEN      ? " of the device"
      : ledger->source == TN_TOTAL_INFERRED ? " for the allocator"
                                             : " reserved");
  double y = top + tn_oom_heading(page, x, top, width, title);
  paint_bar(page, (TnRect){x, y, width, BAR});
  y += BAR + 6.0;
  y += paint_legend(page, x, y, width);
  TnTextStyle small = {.size = 10.0, .color = page->paint->theme->secondary, .max_width = width};
  const char *source = tn_ledger_source_text(ledger->source);
  if (source[0]) {
    tn_paint_text(page->paint, source, x, y + 7.0, &small);
    y += 16.0;
  }
  return y - top;
}
