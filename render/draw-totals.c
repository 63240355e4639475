/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-totals.h"

#include "render/legend.h"
#include "render/wrap.h"

#define MARGIN 16.0
#define BAR 18.0
#define LEAST_ROOM 92.0 /* title, bar, a legend of two lines */

typedef struct {
  const TnPaint *paint;
  TnUnits units;
  double x, y, width, bottom;
} Column;

/* Steps of grey: hues mean call sites elsewhere.  What was left unexplained is hatched. */
static void
paint_piece(const Column *c, guint row, bool is_remainder, TnRect rect)
{
  const TnTheme *theme = c->paint->theme;
  static const double steps[] = {0.55, 0.30, 0.10, 0.42, 0.20, 0.65};
  uint32_t color = is_remainder ? theme->panel
                                : tn_color_mix(theme->panel, theme->text,
                                               steps[row % G_N_ELEMENTS(steps)]);
  tn_paint_rect(c->paint, rect, color);
  if (is_remainder)
    tn_paint_hatch(c->paint, rect, theme->secondary, 5.0);
}

static void
paint_bar(Column *c, const TnAccount *account, double all)
{
  double before = 0;
  TnRect bar = {c->x, c->y, c->width, BAR};
  tn_paint_rect(c->paint, bar, c->paint->theme->panel);
  for (guint i = 0; i < account->rows->len; i++) {
    const TnAccountRow *row = tn_account_row(account->rows, i);
    double from = before / all * c->width;
    before += (double)MAX(row->bytes, (tn_bytes)0);
    double to = MIN(before / all, 1.0) * c->width;
    if (to > from)
      paint_piece(c, i, row->is_remainder, (TnRect){c->x + from, c->y, to - from, BAR});
  }
  tn_paint_frame(c->paint, bar, c->paint->theme->other, 1.0);
  c->y += BAR + 4.0;
}

/* A row as it is said: "+ KV cache 8.11 GiB".  Owned by the caller. */
static char *
dup_row(const Column *c, const TnAccountRow *row, guint i)
{
  char size[48];
  return g_strdup_printf("%s%s %s", i ? "+ " : "", row->what,
                         tn_print_bytes(size, sizeof size, row->bytes, c->units));
}

/* In lines as wide as the bar, as far as the column has room. */
static void
paint_legend(Column *c, const TnAccount *account)
{
  TnLegend legend;
  guint i = 0, n = account->rows->len;
  tn_legend_init(&legend, c->paint, (TnRect){c->x, c->y, c->width, c->bottom - c->y});
  for (; i < n; i++) {
    const TnAccountRow *row = tn_account_row(account->rows, i);
    g_autofree char *words = dup_row(c, row, i);
    TnRect swatch;
    if (!tn_legend_put(&legend, words, i + 1 == n, &swatch))
      break;
    paint_piece(c, i, row->is_remainder, swatch);
    tn_paint_frame(c->paint, swatch, c->paint->theme->other, 1.0);
  }
  c->y = tn_legend_finish(&legend, n - i) + 1.0;
}

static void
paint_title(Column *c, const TnAccount *account)
{
  char size[48];
  g_autoptr(GString) text = g_string_new(account->title);
  if (account->total >= 0)
    g_string_append_printf(text, " · %s %s", tn_print_bytes(size, sizeof size, account->total,
                                                            c->units),
                           account->total_what ? account->total_what : "in all");
  for (guint i = 0; i < account->details->len; i++) {
    const TnAccountRow *row = tn_account_row(account->details, i);
    if (row->bytes >= 0)
      g_string_append_printf(text, " · %s %s", row->what,
                             tn_print_bytes(size, sizeof size, row->bytes, c->units));
  }
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = c->paint->theme->text,
                       .max_width = c->width};
  tn_paint_text(c->paint, text->str, c->x, c->y + 9.0, &style);
  c->y += 21.0;
}

/* What the bar is of: the total, or what its rows come to where they pass it, which may be more than
 * 64 bits hold. */
static double
whole_of(const TnAccount *account)
{
  double sum = 0;
  for (guint i = 0; i < account->rows->len; i++)
    sum += (double)MAX(tn_account_row(account->rows, i)->bytes, (tn_bytes)0);
  return MAX((double)account->total, sum);
}

/* What can't be shown is said once for accounts of one kind that follow each other, with the first: the
 * last may find no room. */
static void
paint_account(Column *c, const TnAccount *account, const TnAccount *before)
{
  double all = whole_of(account);
  TnTextStyle style = {.size = 11.0, .color = c->paint->theme->secondary};
  if (account->statement && (!before || g_strcmp0(account->statement, before->statement) != 0))
    c->y += tn_paint_wrapped(c->paint, account->statement, c->x, c->y, c->width, 2, &style) + 10.0;
  paint_title(c, account);
  if (all > 0 && account->rows->len) {
    paint_bar(c, account, all);
    paint_legend(c, account);
  }
  c->y += 14.0;
}

void
tn_draw_totals(const TnPaint *paint, const TnDocument *document, TnUnits units, TnRect rect)
{
  double bottom = rect.y + rect.height - 24.0;
  Column c = {paint, units, rect.x + MARGIN, rect.y + 10.0, rect.width - 2 * MARGIN, bottom};
  guint i = 0, n = document->accounts->len;
  tn_paint_rect(paint, rect, paint->theme->panel);
  for (; i < n && (i == 0 || c.y + LEAST_ROOM <= bottom); i++)
    paint_account(&c, g_ptr_array_index(document->accounts, i),
                  i > 0 ? g_ptr_array_index(document->accounts, i - 1) : NULL);
  if (i == n)
    return;
  g_autofree char *text = g_strdup_printf("%u more %s: `tenure-cli info` lists %s", n - i,
                                          n - i == 1 ? "report" : "reports", n - i == 1 ? "it" : "them");
  TnTextStyle style = {.size = 11.0, .color = paint->theme->secondary};
  tn_paint_text(paint, text, c.x, bottom + 8.0, &style);
}

void
tn_draw_no_map(const TnPaint *paint, const TnView *view, TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  TnTextStyle style = {.size = 12.0, .color = paint->theme->secondary};
  g_autofree char *why = tn_study_dup_no_map(view->study);
  tn_frame_panel(paint, rect, "No map: the file has no buffers");
  if (view->study->document->accounts->len)
    tn_draw_totals(paint, view->study->document, view->units, plot);
  else if (why && plot.width > 100.0 && plot.height > 40.0)
    tn_paint_wrapped(paint, why, plot.x + MARGIN, plot.y + 14.0, plot.width - 2 * MARGIN, 4,
                     &style);
}
