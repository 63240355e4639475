/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-side.h"

#include "render/wrap.h"

typedef struct {
  const TnPaint *paint;
  const TnView *view;
  double x, y, width, bottom;
} Side;

#define HEADING 22.0

static void
heading(Side *side, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = side->paint->theme->text};
  tn_paint_text(side->paint, text, side->x, side->y + 9.0, &style);
  side->y += HEADING;
}

#define MOST_FACTS 8
#define FACT 18.0
#define GROUP 31.0

typedef struct {
  const char *what;
  tn_bytes bytes;
} Fact;

/* Those that there are; returns their number. */
static int
find_facts(const TnView *view, Fact *out)
{
  const TnStudy *study = view->study;
  const Fact all[MOST_FACTS] = {
      {study->device->samples ? "Allocated, peak" : "Live peak",
       tn_view_has_live(study) ? study->live->peak : -1},
      {"Reserved peak", study->reserved ? study->reserved->peak : -1},
      {"Arena", study->arena_bytes},
      {"Without reuse", study->is_log ? -1 : study->no_reuse_bytes},
      {"The same, as the file says", study->device->stated_total},
      {"Residents", study->resident_bytes > 0 ? study->resident_bytes : -1},
      {"Before the recording", study->before_bytes > 0 ? study->before_bytes : -1}};
  int n = 0;
  for (int i = 0; i < MOST_FACTS; i++)
    if (all[i].what && all[i].bytes >= 0)
      out[n++] = all[i];
  return n;
}

static void
paint_fact(Side *side, const Fact *fact)
{
  char size[48];
  TnTextStyle left = {.size = 11.0, .color = side->paint->theme->secondary};
  TnTextStyle right = {.size = 11.0, .color = side->paint->theme->text, .align = TN_ALIGN_END};
  tn_paint_text(side->paint, fact->what, side->x, side->y + 8.0, &left);
  tn_paint_text(side->paint, tn_print_bytes(size, sizeof size, fact->bytes, side->view->units),
                side->x + side->width, side->y + 8.0, &right);
  side->y += FACT;
}

static void
paint_facts(Side *side)
{
  Fact facts[MOST_FACTS];
  int n = find_facts(side->view, facts);
  if (n == 0)
    return;
  heading(side, "Figures");
  for (int i = 0; i < n && side->y + FACT <= side->bottom; i++)
    paint_fact(side, &facts[i]);
  side->y += 12.0;
}

static void
paint_group(Side *side, const TnGroup *group, tn_bytes largest)
{
  char size[48];
  const TnTheme *theme = side->paint->theme;
  TnTextStyle right = {.size = 11.0, .color = theme->secondary, .align = TN_ALIGN_END};
  tn_print_bytes(size, sizeof size, group->bytes, side->view->units);
  double width = tn_paint_text(side->paint, size, side->x + side->width, side->y + 8.0, &right);
  TnTextStyle left = {.size = 11.0, .color = theme->text,
                      .max_width = side->width - width - 10.0};
  tn_paint_text(side->paint, group->name, side->x, side->y + 8.0, &left);
  double part = largest > 0 ? (double)group->bytes / (double)largest : 0.0;
  tn_paint_rect(side->paint,
                (TnRect){side->x, side->y + 18.0, MAX(side->width * part, 2.0), 5.0},
                theme->category[group->category]);
  side->y += GROUP;
}

/* How many groups stand by themselves above `bottom`: all that hold bytes, or as many as leave a place
 * for those that don't.  *out_rest, *out_n_rest: what the others hold, and their number. */
static guint
count_shown(const GArray *groups, double room, tn_bytes *out_rest, guint *out_n_rest)
{
  guint n = 0, places = (guint)MAX(room / GROUP, 0.0);
  *out_rest = 0;
  while (n < groups->len && g_array_index(groups, TnGroup, n).bytes > 0)
    n++;
  guint shown = n <= places ? n : MAX(places, 1u) - 1;
  for (guint i = shown; i < n; i++)
    *out_rest += g_array_index(groups, TnGroup, i).bytes;
  *out_n_rest = n - shown;
  return shown;
}

static void
paint_groups(Side *side, double bottom)
{
  const GArray *groups = side->view->study->categories->groups;
  tn_bytes rest;
  guint n_rest;
  if (side->view->study->buffers->n == 0 || side->y + HEADING + GROUP > side->bottom)
    return;
  bottom = MIN(MAX(bottom, side->y + HEADING + 2 * GROUP), side->bottom);
  heading(side, "Alive at the peak");
  guint n = count_shown(groups, bottom - side->y, &rest, &n_rest);
  tn_bytes largest = MAX(n ? g_array_index(groups, TnGroup, 0).bytes : 0, rest);
  if (largest == 0) {
    TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
    tn_paint_text(side->paint, "nothing", side->x, side->y + 8.0, &style);
    side->y += FACT;
  }
  for (guint i = 0; i < n; i++)
    paint_group(side, &g_array_index(groups, TnGroup, i), largest);
  if (rest > 0) {
    g_autofree char *name =
        n ? g_strdup_printf("%u %s", n_rest, tn_plural(n_rest, "other", "others"))
          : g_strdup_printf("%u %s", n_rest, tn_plural(n_rest, "group", "groups"));
    TnGroup others = {.name = name, .bytes = rest, .category = TN_CATEGORY_OTHER};
    paint_group(side, &others, largest);
  }
  side->y += 12.0;
}

#define LINE 15.0

#define AFTER 8.0 /* a finding */

/* False where there is no room for it above `bottom`; one that has room for two lines is cut,
 * and so is the first. */
static bool
paint_finding(Side *side, const TnFinding *finding, bool is_first, double bottom)
{
  const TnTheme *theme = side->paint->theme;
  TnTextStyle style = {.size = 11.0, .color = theme->text};
  double width = side->width - 12.0, top = side->y;
  guint most = (guint)MAX((bottom - side->y) / LINE, 0.0);
  if (most == 0 || (most == 1 && !is_first &&
                    tn_wrap_count(side->paint, finding->message, width, 2, &style) > 1))
    return false;
  g_autoptr(GPtrArray) lines = tn_wrap(side->paint, finding->message, width, most, &style);
  style.max_width = width; /* a single word may be wider still */
  for (guint i = 0; i < lines->len; i++, side->y += LINE)
    tn_paint_text(side->paint, g_ptr_array_index(lines, i), side->x + 12.0, side->y + 8.0, &style);
  uint32_t color = finding->severity == TN_SEVERITY_ERROR     ? theme->peak
                   : finding->severity == TN_SEVERITY_WARNING ? theme->warning
                                                              : theme->other;
  tn_paint_rect(side->paint, (TnRect){side->x, top + 1.0, 3.0, side->y - top - 3.0}, color);
  side->y += AFTER;
  return true;
}

/* What has no room is counted in the last line, which is kept free for that. */
static void
paint_findings(Side *side, const TnFindings *findings)
{
  guint i = 0, n = findings ? findings->rows->len : 0;
  double room = side->bottom - side->y;
  if (n == 0 || room < LINE)
    return;
  if (room >= HEADING + 2 * LINE + AFTER) {
    heading(side, "Findings");
    while (i < n && paint_finding(side, tn_findings_get(findings, i), i == 0,
                                  side->bottom - (i + 1 < n ? LINE + AFTER : 0.0)))
      i++;
  }
  if (i == n)
    return;
  g_autofree char *more =
      i ? g_strdup_printf("and %u more", n - i)
        : g_strdup_printf("%u %s", n, tn_plural(n, "finding", "findings"));
  TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
  tn_paint_text(side->paint, more, side->x + (i ? 12.0 : 0.0), side->y + 8.0, &style);
}

bool
tn_report_has_side(const TnView *view, const TnFindings *findings)
{
  Fact facts[MOST_FACTS];
  return view->study->buffers->n > 0 || (findings && findings->rows->len > 0) ||
         find_facts(view, facts) > 0;
}

void
tn_draw_report_side(const TnPaint *paint, const TnView *view, TnRect panel,
                    const TnFindings *findings)
{
  tn_paint_rect(paint, panel, paint->theme->panel);
  Side side = {paint, view, panel.x + 16.0, panel.y + 14.0, panel.width - 32.0,
               panel.y + panel.height - 8.0};
  paint_facts(&side);
  paint_groups(&side, findings && findings->rows->len ? panel.y + panel.height * 0.66
                                                      : side.bottom);
  paint_findings(&side, findings);
}
