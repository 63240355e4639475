/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#include "render/wrap.h"

#include <math.h>

#define ROW 30.0
#define GAP 6.0
#define MODULES_PART 0.45  /* of the height, for the modules below the call sites */
#define UNTOLD 38.0        /* two lines that say why there are none */
#define LEAST_SHARED 240.0 /* less height is for the call sites */
#define LEAST_MODULES 80.0

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
paint_row(
    const TnOomPage *page, TnRect rect, const TnOomSite *site, const char *name, tn_bytes largest)
{
  const TnTheme *theme = page->paint->theme;
  const TnStudy *study = page->view->study;
  char size[48];
  tn_oom_add_hit(page, rect, site->largest);
  g_autofree char *growth = dup_growth(page, site->growth);
  g_autofree char *right = g_strdup_printf(
      "%s%s", tn_print_bytes(size, sizeof size, site->bytes, page->view->units), growth);
  g_autofree char *left = g_strdup_printf("%s · %u", name, site->n);
  TnTextStyle style = {.size = 11.0, .color = theme->secondary, .align = TN_ALIGN_END};
  double used = tn_paint_text(page->paint, right, rect.x + rect.width, rect.y + 7.0, &style);
  style = (TnTextStyle){
      .size = 11.0, .color = theme->text, .max_width = MAX(rect.width - used - 12.0, 20.0)};
  tn_paint_text(page->paint, left, rect.x, rect.y + 7.0, &style);
  double part = largest > 0 ? (double)site->bytes / (double)largest : 0;
  uint32_t color = study->categories ? theme->category[study->categories->category[site->largest]]
                                     : theme->other;
  tn_paint_rect(page->paint, (TnRect){rect.x, rect.y + 17.0, MAX(rect.width * part, 1.0), 5.0},
                color);
}

/* As many rows as there is room for, and a line on the rest; returns where they end. */
static double
paint_rows(const TnOomPage *page, TnRect rect, const GArray *rows, bool is_module)
{
  tn_bytes largest = rows->len ? g_array_index(rows, TnOomSite, 0).bytes : 0, rest = 0;
  double y = rect.y;
  guint i = 0;
  for (; i < rows->len && y + 2 * ROW <= rect.y + rect.height; i++, y += ROW) {
    const TnOomSite *site = &g_array_index(rows, TnOomSite, i);
    const char *name = is_module ? tn_oom_module_name(page->oom, site)
                                 : tn_oom_site_name(page->oom, page->view->study, site);
    paint_row(page, (TnRect){rect.x, y, rect.width, ROW}, site, name, largest);
  }
  guint n = rows->len - i;
  for (; i < rows->len; i++)
    rest += g_array_index(rows, TnOomSite, i).bytes;
  if (n == 0)
    return y;
  char size[48];
  g_autofree char *text =
      g_strdup_printf("%u %s%s%s · %s", n, n < rows->len ? "more " : "",
                      is_module ? "module" : "call site", n == 1 ? "" : "s",
                      tn_print_bytes(size, sizeof size, rest, page->view->units));
  TnTextStyle style = {
      .size = 11.0, .color = page->paint->theme->secondary, .max_width = rect.width};
  tn_paint_text(page->paint, text, rect.x, y + 7.0, &style);
  return y + ROW;
}

/* Where there is room for no more: the largest one. */
static char *
dup_largest_module(const TnOomPage *page)
{
  const TnOomSite *site = &g_array_index(page->oom->live_modules, TnOomSite, 0);
  char size[48];
  return g_strdup_printf("By module most in %s: %s", tn_oom_module_name(page->oom, site),
                         tn_print_bytes(size, sizeof size, site->bytes, page->view->units));
}

/* Below the call sites; one or two lines where modules can't be told or there is little room. */
static void
paint_modules(const TnOomPage *page, TnRect rect)
{
  double y = rect.y;
  if (page->oom->modules->untold || rect.height < LEAST_MODULES) {
    g_autofree char *text = page->oom->modules->untold ? g_strdup(page->oom->modules->untold)
                                                       : dup_largest_module(page);
    TnTextStyle style = {.size = 11.0, .color = page->paint->theme->secondary};
    tn_paint_wrapped(page->paint, text, rect.x, y, rect.width, 2, &style);
    return;
  }
  y += tn_oom_heading(page, rect.x, y, rect.width, "By module");
  paint_rows(page, (TnRect){rect.x, y, rect.width, rect.y + rect.height - y},
             page->oom->live_modules, true);
}

void
tn_oom_paint_live(const TnOomPage *page, TnRect rect)
{
  g_autofree char *title =
      page->oom->has_iteration
          ? g_strdup_printf(
                "Alive at the failure · ▲ since the iteration began (event %" G_GINT64_FORMAT ")",
                page->oom->since)
          : g_strdup(page->oom->is_report ? "Alive at the failure"
                                          : "Alive at the failure · ▲ since the recording began");
  double y = rect.y + tn_oom_heading(page, rect.x, rect.y, rect.width, title);
  double left = rect.y + rect.height - y;
  /* A report's blocks have names at best: there the sites are all. */
  bool is_told = page->oom->live_modules->len > 0, has_room = left >= LEAST_SHARED;
  double below = is_told && has_room ? floor(left * MODULES_PART) : UNTOLD;
  if (page->oom->is_report || left < 3 * UNTOLD)
    below = 0.0;
  double end =
      paint_rows(page, (TnRect){rect.x, y, rect.width, left - below}, page->oom->live, false);
  if (below > 0.0 && page->oom->live->len > 0)
    paint_modules(page, (TnRect){rect.x, end + GAP, rect.width, rect.y + rect.height - end - GAP});
}
