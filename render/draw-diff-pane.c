/* SPDX-License-Identifier: MIT */
/* The part of draw-diff.h that has words and figures. */
#include "config.h"

#include "render/draw-diff.h"

#include <math.h>

#define ROW 18.0
#define CAUSE 31.0 /* a row and the bar below it */
#define SUM 36.0

typedef struct {
  const TnPaint *paint;
  const TnDiff *diff;
  TnUnits units;
  double x, y, width, bottom;
} Pane;

static const char *
print_delta(char *buffer, gsize size, tn_bytes bytes, TnUnits units)
{
  char text[48];
  tn_print_bytes(text, sizeof text, bytes < 0 ? -bytes : bytes, units);
  g_snprintf(buffer, size, "%s%s", bytes > 0 ? "+" : bytes < 0 ? "−" : "", text);
  return buffer;
}

static void
append_part(GString *text, const TnDiff *diff, TnUnits units, int i, bool is_first)
{
  char size[64];
  print_delta(size, sizeof size, diff->cause[i], units);
  g_string_append_printf(text, "%s %s %s", is_first ? "  =" : "  ", size,
                         tn_diff_cause_title((TnDiffCause)i));
}

char *
tn_diff_build_head_line(const TnDiff *diff, TnUnits units)
{
  char a[48], b[64], delta[64];
  tn_bytes from = diff->has_arena ? diff->a->arena_bytes : diff->a->live->peak;
  tn_bytes to = diff->has_arena ? diff->b->arena_bytes : diff->b->live->peak;
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  GString *text = g_string_new(diff->has_arena ? "Arena " : "Live peak ");
  g_string_append_printf(text, "%s → %s", tn_print_bytes(a, sizeof a, from, units),
                         tn_print_bytes(b, sizeof b, to, units));
  if (from == to) {
    g_string_append(text, ", the same");
    return g_string_free(text, FALSE);
  }
  g_string_append_printf(text, ", %s", print_delta(delta, sizeof delta, to - from, units));
  double percent = from > 0 ? 100.0 * ((double)to / (double)from - 1.0) : 0.0;
  if (from > 0)
    g_string_append_printf(text, " (%s%.1f %%)", percent < 0 ? "−" : "+", fabs(percent));
  bool is_first = true;
  for (int i = 0; i < n; i++)
    if (diff->cause[i]) {
      append_part(text, diff, units, i, is_first);
      is_first = false;
    }
  return g_string_free(text, FALSE);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static void
heading(Pane *pane, const char *text)
{
  TnTextStyle style = {.size = 12.0, .is_bold = true, .color = pane->paint->theme->text};
  tn_paint_text(pane->paint, text, pane->x, pane->y + 9.0, &style);
  pane->y += 22.0;
}

/* Whether a row so high still lies in the pane. */
static bool
has_room(const Pane *pane, double height)
{
  return pane->y + height <= pane->bottom;
}

static void
cell(Pane *pane, const char *text, double x, uint32_t color, bool is_bold)
{
  TnTextStyle style = {.size = 11.0,
                       .is_bold = is_bold,
                       .color = tn_color_as_text(color, pane->paint->theme),
                       .align = TN_ALIGN_END};
  tn_paint_text(pane->paint, text, x, pane->y + 8.0, &style);
}

static void
figure(Pane *pane, const char *what, tn_bytes a, tn_bytes b)
{
  char left[48], right[48], delta[64];
  const TnTheme *theme = pane->paint->theme;
  if (a < 0 || b < 0 || !has_room(pane, ROW))
    return;
  TnTextStyle style = {.size = 11.0, .color = theme->secondary};
  tn_paint_text(pane->paint, what, pane->x, pane->y + 8.0, &style);
  cell(pane, tn_print_bytes(left, sizeof left, a, pane->units), pane->x + pane->width * 0.50,
       theme->text, false);
  cell(pane, tn_print_bytes(right, sizeof right, b, pane->units), pane->x + pane->width * 0.75,
       theme->text, false);
  uint32_t color = b > a ? theme->larger : b < a ? theme->smaller : theme->secondary;
  cell(pane, print_delta(delta, sizeof delta, b - a, pane->units), pane->x + pane->width, color,
       true);
  pane->y += ROW;
}

static void
paint_figures(Pane *pane)
{
  const TnStudy *a = pane->diff->a, *b = pane->diff->b;
  uint32_t color = pane->paint->theme->secondary;
  heading(pane, "Figures");
  pane->y -= 22.0;
  cell(pane, "A", pane->x + pane->width * 0.50, color, false);
  cell(pane, "B", pane->x + pane->width * 0.75, color, false);
  cell(pane, "B − A", pane->x + pane->width, color, false);
  pane->y += 22.0;
  figure(pane, "Live peak", a->live->peak, b->live->peak);
  figure(pane, "Arena", a->arena_bytes, b->arena_bytes);
  if (a->reserved && b->reserved)
    figure(pane, "Reserved", a->reserved->peak, b->reserved->peak);
  if (a->resident_bytes || b->resident_bytes)
    figure(pane, "Residents", a->resident_bytes, b->resident_bytes);
  pane->y += 12.0;
}

/* From the middle: to the right B holds more, to the left less. */
static void
paint_bar(Pane *pane, tn_bytes bytes, double largest)
{
  const TnTheme *theme = pane->paint->theme;
  bool is_larger = bytes > 0;
  uint32_t color = is_larger ? theme->larger : theme->smaller;
  double middle = pane->x + pane->width / 2;
  double length = MAX(fabs((double)bytes) / largest * pane->width / 2, 1.0);
  TnRect bar = {is_larger ? middle : middle - length, pane->y + 17.0, length, 6.0};
  tn_paint_rect(pane->paint, bar, is_larger ? tn_color_mix(color, theme->panel, 0.35) : color);
  if (is_larger)
    tn_paint_hatch(pane->paint, bar, color, 4.0);
  tn_paint_vline(pane->paint, middle, pane->y + 15.0, 10.0, theme->secondary);
}

/* `largest`: of the bars; 0: there is no room for them. */
static void
cause_row(Pane *pane, const char *title, tn_bytes bytes, double largest)
{
  char size[64];
  const TnTheme *theme = pane->paint->theme;
  bool is_larger = bytes > 0;
  g_autofree char *name = g_strdup_printf("%s %s", is_larger ? "▲" : "▼", title);
  TnTextStyle style = {.size = 11.0, .color = theme->text, .max_width = pane->width * 0.68};
  tn_paint_text(pane->paint, name, pane->x, pane->y + 8.0, &style);
  cell(pane, print_delta(size, sizeof size, bytes, pane->units), pane->x + pane->width,
       is_larger ? theme->larger : theme->smaller, true);
  if (largest > 0.0)
    paint_bar(pane, bytes, largest);
  pane->y += largest > 0.0 ? CAUSE : ROW;
}

static void
paint_sum(Pane *pane)
{
  char size[64];
  const TnTheme *theme = pane->paint->theme;
  tn_bytes sum = pane->diff->has_arena ? pane->diff->arena_delta : pane->diff->live_delta;
  TnTextStyle style = {.size = 11.0, .is_bold = true, .color = theme->text};
  tn_paint_hline(pane->paint, pane->x, pane->y, pane->width, theme->secondary);
  pane->y += 6.0;
  tn_paint_text(pane->paint, "sum = B − A", pane->x, pane->y + 8.0, &style);
  cell(pane, print_delta(size, sizeof size, sum, pane->units), pane->x + pane->width,
       sum > 0   ? theme->larger
       : sum < 0 ? theme->smaller
                 : theme->text,
       true);
  pane->y += 30.0;
}

/* All causes with their bars, else without, else as many as there is room for and what the rest adds up to:
 * what stands there is always the sum. */
static void
paint_cause_rows(Pane *pane, int n, int n_causes)
{
  const TnDiff *diff = pane->diff;
  double largest = 0.0;
  int left = n_causes;
  tn_bytes rest = 0;
  for (int i = 0; i < n && has_room(pane, n_causes * CAUSE + SUM); i++)
    largest = MAX(largest, fabs((double)diff->cause[i]));
  for (int i = 0; i < n; i++) {
    if (!diff->cause[i])
      continue;
    if (largest > 0.0 || has_room(pane, (left > 1 ? 2 : 1) * ROW + SUM)) {
      cause_row(pane, tn_diff_cause_title((TnDiffCause)i), diff->cause[i], largest);
      left--;
    } else {
      rest += diff->cause[i];
    }
  }
  g_autofree char *more = g_strdup_printf("%d %s%s", left, left < n_causes ? "more " : "",
                                          tn_plural(left, "cause", "causes"));
  if (left)
    cause_row(pane, more, rest, 0.0);
}

static void
paint_causes(Pane *pane)
{
  const TnDiff *diff = pane->diff;
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES, n_causes = 0;
  bool is_same = (diff->has_arena ? diff->arena_delta : diff->live_delta) == 0;
  for (int i = 0; i < n; i++)
    n_causes += diff->cause[i] != 0;
  const char *what = diff->has_arena ? "arena" : "live peak";
  g_autofree char *title = n_causes ? g_strdup_printf("Why the %s is %s", what, is_same ? "the same" : "another")
                                    : g_strdup_printf("The %s is the same", what);
  if (!has_room(pane, 22.0 + ROW + SUM))
    return;
  heading(pane, title);
  if (n_causes == 0) {
    pane->y += 8.0;
    return;
  }
  paint_cause_rows(pane, n, n_causes);
  paint_sum(pane);
}

static void
more_row(Pane *pane, uint32_t n)
{
  char count[32];
  g_autofree char *more = g_strdup_printf("and %s more", tn_print_count(count, sizeof count, n));
  TnTextStyle style = {.size = 11.0, .color = pane->paint->theme->secondary};
  tn_paint_text(pane->paint, more, pane->x, pane->y + 8.0, &style);
  pane->y += ROW;
}

/* How many of `n` rows there is room for, where not for all the last one says how many are missing. */
static uint32_t
count_fitting(const Pane *pane, uint32_t n)
{
  uint32_t room = (uint32_t)(MAX(pane->bottom - pane->y, 0.0) / ROW);
  return n <= room ? n : MAX(room, 1u) - 1;
}

static void
legend_row(Pane *pane, const TnDiffPicture *picture, int delta, uint32_t n)
{
  char text[64], count[32];
  const TnTheme *theme = pane->paint->theme;
  TnRect box = {pane->x, pane->y + 2.0, 12.0, 12.0};
  TnTextStyle style = {.size = 11.0, .color = theme->text};
  bool is_alone = delta == TN_DELTA_NEW || delta == TN_DELTA_GONE;
  bool is_up = delta == TN_DELTA_LARGER || delta == TN_DELTA_NEW || delta == TN_DELTA_LONGER;
  const char *sign = delta <= TN_DELTA_MOVED ? "" : is_up ? "▲ " : "▼ ";
  tn_paint_rect(pane->paint, box, picture->theme.category[delta]);
  if (is_alone)
    tn_paint_hatch(pane->paint, box, tn_color_mix(theme->category[delta], theme->panel, 0.45), 4.0);
  g_snprintf(text, sizeof text, "%s%s", sign, tn_delta_title((TnDelta)delta));
  tn_paint_text(pane->paint, text, pane->x + 20.0, pane->y + 8.0, &style);
  cell(pane, tn_print_count(count, sizeof count, n), pane->x + pane->width, theme->secondary, false);
  pane->y += ROW;
}

static void
paint_legend(Pane *pane, const TnDiffPicture *picture)
{
  uint32_t n[TN_N_DELTAS] = {0}, n_kinds = 0, shown = 0;
  for (uint32_t i = 0; i < pane->diff->n; i++)
    n_kinds += n[tn_delta_of(pane->diff->pairs[i].changes)]++ == 0;
  if (!has_room(pane, 40.0))
    return;
  heading(pane, "Buffers");
  uint32_t fitting = count_fitting(pane, n_kinds);
  for (int i = 0; i < TN_N_DELTAS && shown < fitting; i++)
    if (n[i]) {
      legend_row(pane, picture, i, n[i]);
      shown++;
    }
  if (shown < n_kinds)
    more_row(pane, n_kinds - shown);
  pane->y += 12.0;
}

static const char *
print_change(char *buffer, gsize size, const TnDiffGroup *group, TnUnits units)
{
  static const char *const words[TN_N_DELTAS] = {"",        "moved", "larger", "new",
                                                 "smaller", "gone",  "longer", "shorter"};
  if (group->bytes_a != group->bytes_b)
    return print_delta(buffer, size, group->bytes_b - group->bytes_a, units);
  g_strlcpy(buffer, words[tn_delta_of(group->changes)], size);
  return buffer;
}

static void
change_row(Pane *pane, const TnDiffGroup *group)
{
  char size[64];
  const TnTheme *theme = pane->paint->theme;
  TnDelta kind = tn_delta_of(group->changes);
  bool is_up = kind == TN_DELTA_LARGER || kind == TN_DELTA_NEW || kind == TN_DELTA_LONGER;
  uint32_t color = kind <= TN_DELTA_MOVED ? theme->secondary
                   : is_up                ? theme->larger
                                          : theme->smaller;
  g_autofree char *count = group->n > 1 ? g_strdup_printf("%u × ", group->n) : g_strdup("");
  g_autofree char *text = g_strdup_printf("%s %s%s",
                                          kind <= TN_DELTA_MOVED ? "·"
                                          : is_up                ? "▲"
                                                                 : "▼",
                                          count, group->label);
  TnTextStyle style = {.size = 11.0, .color = theme->text, .max_width = pane->width - 84.0};
  tn_paint_text(pane->paint, text, pane->x, pane->y + 8.0, &style);
  cell(pane, print_change(size, sizeof size, group, pane->units), pane->x + pane->width, color,
       false);
  pane->y += ROW;
}

static void
paint_changes(Pane *pane, const GArray *groups)
{
  if (groups->len == 0 || !has_room(pane, 60.0))
    return;
  heading(pane, "Largest changes");
  uint32_t n = count_fitting(pane, groups->len);
  for (uint32_t i = 0; i < n; i++)
    change_row(pane, tn_diff_group(groups, i));
  if (n < groups->len)
    more_row(pane, groups->len - n);
}

void
tn_draw_diff_side_pane(const TnPaint *paint,
                       const TnDiffPicture *picture,
                       TnRect rect,
                       TnUnits units)
{
  Pane pane = {paint,
               picture->diff,
               units,
               rect.x + 16.0,
               rect.y + 14.0,
               rect.width - 32.0,
               rect.y + rect.height - 8.0};
  tn_paint_rect(paint, rect, paint->theme->panel);
  paint_figures(&pane);
  paint_causes(&pane);
  paint_legend(&pane, picture);
  paint_changes(&pane, picture->groups);
}
