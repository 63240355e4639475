/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-side.h"

#include <string.h>

typedef struct {
  const TnPaint *paint;
  const TnView *view;
  double x, y, width, bottom;
} Side;

static void
heading(Side *side, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = side->paint->theme->text};
  tn_paint_text(side->paint, text, side->x, side->y + 9.0, &style);
  side->y += 22.0;
}

static void
fact(Side *side, const char *what, tn_bytes bytes)
{
  char size[48];
  if (bytes < 0)
    return;
  TnTextStyle left = {.size = 11.0, .color = side->paint->theme->secondary};
  TnTextStyle right = {.size = 11.0, .color = side->paint->theme->text, .align = TN_ALIGN_END};
  tn_paint_text(side->paint, what, side->x, side->y + 8.0, &left);
  tn_paint_text(side->paint, tn_print_bytes(size, sizeof size, bytes, side->view->units),
                side->x + side->width, side->y + 8.0, &right);
  side->y += 18.0;
}

static void
paint_facts(Side *side)
{
  const TnStudy *study = side->view->study;
  heading(side, "Figures");
  fact(side, study->device->samples ? "Allocated, peak" : "Live peak",
       study->device->samples && study->live->peak == 0 ? -1 : study->live->peak);
  fact(side, "Reserved peak", study->reserved ? study->reserved->peak : -1);
  fact(side, "Arena", study->arena_bytes);
  fact(side, "Without reuse", study->is_log ? -1 : study->no_reuse_bytes);
  fact(side, "The same, as the file says", study->device->stated_total);
  fact(side, "Residents", study->resident_bytes > 0 ? study->resident_bytes : -1);
  fact(side, "Before the recording", study->before_bytes > 0 ? study->before_bytes : -1);
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
  side->y += 31.0;
}

static void
paint_groups(Side *side, double bottom)
{
  const GArray *groups = side->view->study->categories->groups;
  tn_bytes rest = 0, largest = groups->len ? g_array_index(groups, TnGroup, 0).bytes : 0;
  guint i = 0, n_rest = 0;
  if (side->view->study->buffers->n == 0)
    return;
  heading(side, "Alive at the peak");
  if (largest == 0) {
    TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
    tn_paint_text(side->paint, "nothing", side->x, side->y + 8.0, &style);
    side->y += 18.0;
  }
  for (; i < groups->len; i++) {
    const TnGroup *group = &g_array_index(groups, TnGroup, i);
    if (group->bytes == 0 || side->y + 2 * 31.0 > bottom)
      break;
    paint_group(side, group, largest);
  }
  for (; i < groups->len; i++) {
    rest += g_array_index(groups, TnGroup, i).bytes;
    n_rest += g_array_index(groups, TnGroup, i).bytes > 0;
  }
  if (rest > 0 && side->y + 31.0 <= MAX(bottom, side->bottom)) {
    g_autofree char *name = g_strdup_printf("%u %s", n_rest, tn_plural(n_rest, "other", "others"));
    TnGroup others = {.name = name, .bytes = rest, .category = TN_CATEGORY_OTHER};
    paint_group(side, &others, largest);
  }
  side->y += 12.0;
}

/* The words of a message in lines of at most `width`, no more than one above `most`; owned by the caller. */
static GPtrArray *
wrap(const TnPaint *paint, const char *message, double width, guint most, const TnTextStyle *style)
{
  g_auto(GStrv) words = g_strsplit(message, " ", -1);
  g_autoptr(GString) line = g_string_new(NULL);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  for (gsize i = 0; words[i] && lines->len <= most; i++) {
    gsize had = line->len;
    g_string_append_printf(line, "%s%s", had ? " " : "", words[i]);
    if (had == 0 || tn_paint_text_width(paint, line->str, style) <= width)
      continue;
    g_ptr_array_add(lines, g_strndup(line->str, had));
    g_string_assign(line, words[i]);
  }
  if (line->len)
    g_ptr_array_add(lines, g_strdup(line->str));
  return lines;
}

/* Leaves `most` lines; the last one says that there were more. */
static void
cut_lines(const TnPaint *paint, GPtrArray *lines, guint most, double width,
          const TnTextStyle *style)
{
  if (lines->len <= most || most == 0)
    return;
  g_ptr_array_set_size(lines, (gint)most);
  g_autoptr(GString) last = g_string_new(g_ptr_array_index(lines, most - 1));
  for (;;) {
    g_string_append(last, " …");
    if (tn_paint_text_width(paint, last->str, style) <= width)
      break;
    g_string_truncate(last, last->len - strlen(" …"));
    char *space = strrchr(last->str, ' ');
    if (!space)
      break;
    g_string_truncate(last, (gsize)(space - last->str));
  }
  g_free(g_ptr_array_index(lines, most - 1));
  g_ptr_array_index(lines, most - 1) = g_strdup(last->str);
}

#define LINE 15.0

/* False where there is no room for it; the first one is cut rather than left out. */
static bool
paint_finding(Side *side, const TnFinding *finding, bool is_first)
{
  const TnTheme *theme = side->paint->theme;
  TnTextStyle style = {.size = 11.0, .color = theme->text};
  double width = side->width - 12.0, top = side->y;
  guint most = (guint)MAX((side->bottom - side->y) / LINE, 0.0);
  g_autoptr(GPtrArray) lines = wrap(side->paint, finding->message, width, most, &style);
  if (lines->len > most && !is_first)
    return false;
  cut_lines(side->paint, lines, most, width, &style);
  style.max_width = width; /* a single word may be wider still */
  for (guint i = 0; i < lines->len; i++, side->y += LINE)
    tn_paint_text(side->paint, g_ptr_array_index(lines, i), side->x + 12.0, side->y + 8.0, &style);
  uint32_t color = finding->severity == TN_SEVERITY_ERROR     ? theme->peak
                   : finding->severity == TN_SEVERITY_WARNING ? theme->warning
                                                              : theme->other;
  tn_paint_rect(side->paint, (TnRect){side->x, top + 1.0, 3.0, side->y - top - 3.0}, color);
  side->y += 8.0;
  return true;
}

static void
paint_findings(Side *side, const TnFindings *findings)
{
  if (!findings || findings->rows->len == 0 || side->y + 60.0 > side->bottom)
    return;
  heading(side, "Findings");
  guint i = 0, n = findings->rows->len;
  while (i < n && paint_finding(side, tn_findings_get(findings, i), i == 0))
    i++;
  if (i == n || side->y + LINE > side->bottom)
    return;
  g_autofree char *more = g_strdup_printf("and %u more", n - i);
  TnTextStyle style = {.size = 11.0, .color = side->paint->theme->secondary};
  tn_paint_text(side->paint, more, side->x + 12.0, side->y + 8.0, &style);
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
