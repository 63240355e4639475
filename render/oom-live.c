/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#define ROW 30.0

static char *
dup_growth(const TnOomPage *page, tn_bytes growth)
{
  char size[48];
  tn_bytes amount = growth < 0 ? -growth : growth;
  if (amount == 0)
    return g_strdup("");
  return g_strdup_printf("  %s %s", growth > 0 ? "▲" : "▼",
                         tn_print_bytes(size, sizeof size, amount, page->view->units));
}

static void
paint_row(const TnOomPage *page, TnRect rect, const TnOomSite *site, tn_bytes largest)
{
  const TnTheme *theme = page->paint->theme;
  const TnStudy *study = page->view->study;
  char size[48];
  tn_oom_add_hit(page, rect, site->largest);
  g_autofree char *growth = dup_growth(page, site->growth);
  g_autofree char *right = g_strdup_printf(
      "%s%s", tn_print_bytes(size, sizeof size, site->bytes, page->view->units), growth);
  /* Memory from before has no stack, so that its site is none: what it is says more. */
  bool is_before = site->site == 0 && study->buffers->kind[site->largest] == TN_KIND_BEFORE;
  g_autofree char *left = g_strdup_printf(
      "%s · %u", is_before ? "before recording" : tn_call_sites_name(page->oom->sites, site->site),
      site->n);
  TnTextStyle style = {.size = 11.0, .color = theme->secondary, .align = TN_ALIGN_END};
  double used = tn_paint_text(page->paint, right, rect.x + rect.width, rect.y + 7.0, &style);
  style = (TnTextStyle){.size = 11.0, .color = theme->text,
                        .max_width = MAX(rect.width - used - 12.0, 20.0)};
  tn_paint_text(page->paint, left, rect.x, rect.y + 7.0, &style);
  double part = largest > 0 ? (double)site->bytes / (double)largest : 0;
  uint32_t color = study->categories
                       ? theme->category[study->categories->category[site->largest]]
                       : theme->other;
  tn_paint_rect(page->paint, (TnRect){rect.x, rect.y + 17.0, MAX(rect.width * part, 1.0), 5.0},
                color);
}

void
tn_oom_paint_live(const TnOomPage *page, TnRect rect)
{
  const GArray *live = page->oom->live;
  tn_bytes largest = live->len ? g_array_index(live, TnOomSite, 0).bytes : 0, rest = 0;
  g_autofree char *title =
      page->oom->has_iteration
          ? g_strdup_printf("Alive at the failure · ▲ since the iteration began (event %"
                            G_GINT64_FORMAT ")", page->oom->since)
          : g_strdup(page->oom->is_report ? "Alive at the failure"
                                          : "Alive at the failure · ▲ since the recording began");
  double y = rect.y + tn_oom_heading(page, rect.x, rect.y, rect.width, title);
  guint i = 0;
  for (; i < live->len && y + 2 * ROW <= rect.y + rect.height; i++, y += ROW)
    paint_row(page, (TnRect){rect.x, y, rect.width, ROW}, &g_array_index(live, TnOomSite, i),
              largest);
  guint n = live->len - i;
  for (; i < live->len; i++)
    rest += g_array_index(live, TnOomSite, i).bytes;
  if (n == 0)
    return;
  char size[48];
  g_autofree char *text = g_strdup_printf(
      "%u more call sites · %s", n, tn_print_bytes(size, sizeof size, rest, page->view->units));
  TnTextStyle style = {.size = 11.0, .color = page->paint->theme->secondary};
  tn_paint_text(page->paint, text, rect.x, y + 7.0, &style);
}
