/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/report-key.h"

#include "render/legend.h"

#define MOST_LINES 2
#define NAME_CHARS 48
#define GAP 5.0

typedef struct {
  char *words;
  uint32_t color;
  bool is_line; /* a dashed one */
} Entry;

static void
clear_entry(gpointer data)
{
  g_free(((Entry *)data)->words);
}

/* Takes the words. */
static void
add(GArray *entries, char *words, uint32_t color, bool is_line)
{
  Entry entry = {words, color, is_line};
  g_array_append_val(entries, entry);
}

/* A hue is one group's; the greys are those of several, which are counted. */
static void
add_groups(GArray *entries, const TnView *view, const TnTheme *theme)
{
  const GArray *groups = view->study->categories->groups;
  guint n_others = 0;
  const char *other = NULL;
  for (guint i = 0; i < groups->len; i++) {
    const TnGroup *group = &g_array_index(groups, TnGroup, i);
    if (group->category != TN_CATEGORY_OTHER) {
      add(entries, tn_elide_middle(group->name, NAME_CHARS), theme->category[group->category],
          false);
      continue;
    }
    n_others++;
    other = group->name;
  }
  if (n_others > 0)
    add(entries,
        n_others == 1 ? tn_elide_middle(other, NAME_CHARS)
                      : g_strdup_printf("%u others", n_others),
        theme->category[TN_CATEGORY_OTHER], false);
}

static void
add_peak(GArray *entries, const TnView *view, const TnTheme *theme)
{
  const TnCurve *live = view->study->live;
  char size[48];
  tn_print_bytes(size, sizeof size, live->peak, view->units);
  if (live->peak > 0 && tn_view_has_tick(view, live->peak_at))
    add(entries, g_strdup_printf("peak %s", size), theme->peak, true);
}

/* What the failed requests in view asked for, or how many there are. */
static void
add_failed(GArray *entries, const TnView *view, const TnTheme *theme)
{
  const GArray *marks = view->study->device->marks;
  char size[48];
  guint n = 0;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM || !tn_view_has_tick(view, mark->tick))
      continue;
    n++;
    tn_print_bytes(size, sizeof size, mark->requested, view->units);
  }
  if (n > 0)
    add(entries, n == 1 ? g_strdup_printf("out of memory: %s", size)
                        : g_strdup_printf("%u requests that failed", n),
        theme->warning, true);
}

static void
paint_entry(const TnPaint *paint, const Entry *entry, TnRect swatch)
{
  if (entry->is_line)
    tn_paint_dashed_vline(paint, swatch.x + swatch.width / 2, swatch.y - 2.0, swatch.height + 4.0,
                          entry->color);
  else
    tn_paint_rect(paint, swatch, entry->color);
}

double
tn_draw_report_key(const TnPaint *paint, const TnView *view, TnRect rect, bool with_lines)
{
  g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  g_array_set_clear_func(entries, clear_entry);
  if (view->study->buffers->n == 0)
    return 0.0;
  if (with_lines) {
    add_peak(entries, view, paint->theme);
    add_failed(entries, view, paint->theme);
  }
  add_groups(entries, view, paint->theme);
  TnLegend legend;
  rect.height = MOST_LINES * TN_LEGEND_LINE;
  tn_legend_init(&legend, paint, rect);
  guint i = 0;
  for (; i < entries->len; i++) {
    const Entry *entry = &g_array_index(entries, Entry, i);
    TnRect swatch;
    if (!tn_legend_put(&legend, entry->words, i + 1 == entries->len, &swatch))
      break;
    paint_entry(paint, entry, swatch);
  }
  return tn_legend_finish(&legend, entries->len - i) + GAP - rect.y;
}
