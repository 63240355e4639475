/* SPDX-License-Identifier: MIT */
/* The report's first sheet: the picture, the sender's notes, where it all comes from. */
#include "config.h"

#include "render/report-file.h"

#include "analysis/replay/suggest.h"
#include "render/draw-oom.h"
#include "render/wrap.h"

#include <string.h>

#define MARGIN 16.0
#define SMALL 10.0
#define BODY 11.0
#define NOTE_LINES 6 /* the tables' sheets have all of them */
#define NOTES_HEADING 26.0
#define NOTES_COUNTED 1000u  /* lines: of more it is not said how many */
#define MOST_REPLAYED 500000 /* events: suggestions for more take too long for a picture */

/* ---- where it comes from -----------------------------------------------------------------------
 */

char *
tn_report_build_title(const TnReportParams *p)
{
  if (!p->diff)
    return g_path_get_basename(p->view->study->document->shown_path);
  g_autofree char *a = tn_diff_picture_dup_name(p->diff, TN_DIFF_A);
  g_autofree char *b = tn_diff_picture_dup_name(p->diff, TN_DIFF_B);
  return g_strdup_printf("%s → %s", a, b);
}

const char *
tn_report_cut_words(const TnDocument *document)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics); i++)
    if (strcmp(tn_diagnostics_get(document->diagnostics, i)->code, "truncated") == 0)
      return "the file is cut off: its end is missing here";
  return NULL;
}

static void
add_file(GPtrArray *lines, const char *what, const TnStudy *study, const char *hash, bool is_replaced)
{
  const TnDocument *document = study->document;
  /* Where it lies is nobody's business. */
  g_autofree char *name = g_path_get_basename(document->shown_path);
  const char *cut = tn_report_cut_words(document);
  g_ptr_array_add(lines, g_strdup_printf("%s%s · %s (%s)%s%s%s%s%s%s%s", what, name, document->format,
                                         tn_document_kind_name(document->kind),
                                         document->producer ? " · " : "",
                                         document->producer ? document->producer : "",
                                         cut ? " · " : "", cut ? cut : "",
                                         hash ? " · SHA-256 " : "", hash ? hash : "",
                                         is_replaced ? " · replaced since it was read" : ""));
}

GPtrArray *
tn_report_build_origin(const TnReportParams *p)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  if (p->view)
    add_file(lines, "", p->view->study, p->hash, p->is_replaced);
  if (p->diff) {
    add_file(lines, "A: ", p->diff->diff->a, p->hash, p->is_replaced);
    add_file(lines, "B: ", p->diff->diff->b, p->hash_b, p->is_replaced_b);
  }
  if (p->version || p->options)
    g_ptr_array_add(lines, g_strdup_printf("%s%s%s%s", p->version ? "Tenure " : "",
                                           p->version ? p->version : "",
                                           p->version && p->options ? " · " : "",
                                           p->options ? p->options : ""));
  return lines;
}

/* ---- the failed request ------------------------------------------------------------------------
 */

TnOom *
tn_report_build_oom(const TnReportParams *p)
{
  const TnStudy *study = p->view ? p->view->study : NULL;
  /* Of totals the accounts say more: nothing is known to be alive. */
  if (study && study->buffers->n == 0 && study->document->accounts->len > 0)
    return NULL;
  uint32_t mark = study && study->is_log ? tn_oom_find_mark(study->device, 0) : TN_NONE;
  return mark == TN_NONE ? NULL : tn_oom_new(study, mark, 0);
}

char *
tn_report_build_oom_heading(const TnReportParams *p)
{
  uint32_t n = tn_oom_count(p->view->study->device);
  return n > 1 ? g_strdup_printf("The first of %u requests that failed", n)
               : g_strdup("The request that failed");
}

void
tn_report_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom)
{
  const TnStudy *study = view->study;
  bool is_replayed = study->device->events.n > 0 && study->device->events.n <= MOST_REPLAYED;
  g_autoptr(TnReplayLog) log = is_replayed ? tn_replay_log_new(study) : NULL;
  g_autoptr(TnSuggestions) suggestions =
      log && log->limit_at_oom > 0 ? tn_suggestions_new(log, log->limit_at_oom, false, NULL) : NULL;
  tn_draw_oom(paint, view, rect, oom, suggestions);
}

/* ---- the first sheet ---------------------------------------------------------------------------
 */

GPtrArray *
tn_report_wrap_notes(const TnPaint *paint, const char *notes, double width, guint most,
                     const TnTextStyle *style)
{
  g_auto(GStrv) paragraphs = g_strsplit(notes, "\n", -1);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  for (int i = 0; paragraphs[i] && lines->len < most; i++) {
    GPtrArray *more = tn_wrap(paint, paragraphs[i], width, most - lines->len, style);
    if (more->len == 0)
      g_ptr_array_add(more, g_strdup(""));
    g_ptr_array_extend_and_steal(lines, more);
  }
  return lines;
}

/* The notes of the first sheet: as many lines as have room; where there are more, the last says so. */
typedef struct {
  GPtrArray *lines;
  guint n; /* of them that are shown */
  TnTextStyle style;
  double line_height, height; /* of one, and of all with their heading */
} Notes;

static void
notes_init(Notes *notes, const TnPaint *paint, const TnReportParams *p, TnRect rect)
{
  *notes = (Notes){.style = {.size = BODY, .color = paint->theme->text}};
  notes->line_height = tn_wrap_line_height(paint, &notes->style);
  if (!p->notes)
    return;
  guint room = (guint)CLAMP((rect.height * 0.3 - NOTES_HEADING) / notes->line_height, 1.0,
                            NOTE_LINES);
  notes->lines = tn_report_wrap_notes(paint, p->notes, rect.width - 2 * MARGIN, NOTES_COUNTED + 1,
                            &notes->style);
  bool is_cut = notes->lines->len > room;
  notes->n = is_cut ? room - 1 : notes->lines->len;
  notes->height = (notes->n + is_cut) * notes->line_height + NOTES_HEADING;
}

static void
paint_notes(const TnPaint *paint, const Notes *notes, double x, double top, double width)
{
  TnTextStyle bold = {.size = 12.0, .is_bold = true, .color = paint->theme->text};
  TnTextStyle style = notes->style;
  double y = top + 18.0 + notes->line_height / 2;
  guint left = notes->lines->len - notes->n;
  style.max_width = width;
  tn_paint_text(paint, "Notes", x, top + 8.0, &bold);
  for (guint i = 0; i < notes->n; i++, y += notes->line_height)
    tn_paint_text(paint, g_ptr_array_index(notes->lines, i), x, y, &style);
  if (left == 0)
    return;
  g_autofree char *more =
      notes->lines->len > NOTES_COUNTED
          ? g_strdup_printf("… and more than %u more lines", NOTES_COUNTED - notes->n)
          : g_strdup_printf("… and %u more %s", left, tn_plural(left, "line", "lines"));
  style.color = paint->theme->secondary;
  tn_paint_text(paint, more, x, y, &style);
}

static void
paint_origin(const TnPaint *paint, const GPtrArray *lines, TnRect rect)
{
  TnTextStyle style = {.size = SMALL, .color = paint->theme->secondary, .max_width = rect.width};
  for (guint i = 0; i < lines->len; i++)
    tn_paint_text(paint, g_ptr_array_index(lines, i), rect.x,
                  rect.y + (i + 0.5) * SMALL * TN_LINE_HEIGHT, &style);
}

void
tn_report_draw(const TnPaint *paint, const TnReportParams *p, TnRect rect)
{
  g_autoptr(GPtrArray) origin = tn_report_build_origin(p);
  double width = rect.width - 2 * MARGIN, bottom = rect.y + rect.height;
  double origin_height = origin->len * SMALL * TN_LINE_HEIGHT + 8.0;
  Notes notes;
  notes_init(&notes, paint, p, rect);
  TnRect body = rect;
  body.height -= origin_height + notes.height;
  tn_paint_rect(paint, rect, paint->theme->background);
  if (p->diff)
    tn_draw_diff(paint, p->diff, body, p->units);
  else
    tn_draw_picture(paint, p->view, body, TN_PICTURE_REPORT, NULL, p->findings);
  if (notes.lines) {
    paint_notes(paint, &notes, rect.x + MARGIN, body.y + body.height, width);
    g_ptr_array_unref(notes.lines);
  }
  paint_origin(paint, origin,
               (TnRect){rect.x + MARGIN, bottom - origin_height, width, origin_height});
}
