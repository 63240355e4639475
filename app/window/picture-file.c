/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/picture-file.h"

#include "analysis/oom.h"
#include "app/answer/words.h"
#include "app/window/axis-words.h"
#include "render/draw-budget.h"
#include "render/draw-orders.h"

#include <glib/gi18n.h>

bool
tn_picture_file_has_range(const TnReportContent *content)
{
  return content->study && content->view.r0 < content->view.r1;
}

bool
tn_picture_file_has_time(const TnReportContent *content, const TnPictureChoice *choice)
{
  TnPicture picture = choice->picture;
  return !content->study || (choice->page == TN_GRAPH_PAGE_NONE && picture != TN_PICTURE_LIVE_SET &&
                             picture != TN_PICTURE_FLAME && picture != TN_PICTURE_OOM);
}

bool
tn_picture_file_has_page(const TnReportContent *content, TnGraphPage page)
{
  return page == TN_GRAPH_PAGE_NONE || (page == TN_GRAPH_PAGE_ORDERS ? content->orders != NULL : content->plan != NULL);
}

/* Whole ticks, as the status line says the range. */
static void
show_range(TnView *view)
{
  tn_tick from, to;
  tn_view_range_ticks(view, &from, &to);
  view->t0 = (double)from;
  view->t1 = (double)to;
  tn_view_clamp(view);
}

/* The moment of what is in the picture. */
static tn_tick
moment_of(const TnReportContent *content, TnPicture picture)
{
  const TnDevice *device = content->study->device;
  uint32_t mark = picture == TN_PICTURE_OOM && content->chosen.oom != TN_NONE
                      ? tn_oom_find_mark(device, content->chosen.oom)
                      : TN_NONE;
  return mark != TN_NONE ? g_array_index(device->marks, TnMark, mark).tick : content->moment;
}

/* All but what is on screen begins from the view that the command line begins from. */
static TnView
choose_view(const TnReportContent *content, const TnPictureChoice *choice)
{
  TnView view;
  const TnView *shown = &content->view;
  tn_view_init(&view, shown->study);
  if (choice->part == TN_PART_SHOWN)
    view = *shown;
  view.units = content->units;
  view.is_clock = shown->is_clock;
  view.selected = shown->selected;
  view.hovered = TN_NONE;
  view.r0 = shown->r0;
  view.r1 = shown->r1;
  view.cursor = -1.0;
  if (choice->part == TN_PART_RANGE)
    show_range(&view);
  if (!tn_picture_file_has_time(content, choice))
    view.cursor = (double)moment_of(content, choice->picture);
  view.groups = content->groups ? content->groups->categories : NULL;
  view.match = content->match[0] ? g_bytes_get_data(content->match[0], NULL) : NULL;
  return view;
}

/* ---- pages of a graph -------------------------------------------------------------------------- */

/* "name: sentence", as `tenure-cli draw` heads them; takes the sentence.  Owned by the caller. */
static char *
build_title(const TnReportContent *content, char *sentence)
{
  g_autofree char *name = g_path_get_basename(content->study->document->shown_path), *own = sentence;
  return g_strdup_printf("%s: %s", name, own);
}

static void
draw_orders(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportContent *content = payload;
  const TnOrderComparison *comparison = content->orders->comparison;
  TnOrdersPicture picture = {.comparison = comparison,
                             .selected = content->order,
                             .step = TN_NONE,
                             .units = content->units};
  g_autofree char *title = build_title(content, tn_answer_build_orders_sentence(comparison, content->units));
  g_autofree char *note = tn_answer_build_orders_reason(comparison, content->study->document,
                                                        content->study->n_unsized, content->units);
  tn_draw_orders_page(paint, &picture, rect, title, note);
}

static void
draw_budget(const TnPaint *paint, TnRect rect, const void *payload)
{
  const TnReportContent *content = payload;
  const TnBudgetAnswer *plan = content->plan;
  TnBudgetPicture picture;
  tn_budget_picture_init(&picture, plan->view->graph, plan->view->strings, plan->answer, &plan->report.run);
  picture.sweep = content->sweep->answer->sweep;
  picture.is_swept = true;
  picture.units = content->units;
  g_autofree char *title = build_title(content, tn_answer_build_spill_sentence(&plan->report, content->units));
  g_autofree char *note = tn_answer_build_spill_note(&plan->report, content->units);
  tn_draw_budget_page(paint, &picture, rect, title, note);
}

/* ---- the file ---------------------------------------------------------------------------------- */

typedef struct {
  const TnReportContent *content;
  const TnPictureChoice *choice;
  TnDiffPicture diff;
} Both;

static void
draw_both(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Both *both = payload;
  if (both->choice->part == TN_PART_WHOLE)
    tn_draw_diff(paint, &both->diff, rect, both->content->units);
  else
    tn_draw_diff_zoomed(paint, &both->diff, &both->content->view, rect, both->content->units);
}

GByteArray *
tn_picture_file_build(const TnReportContent *content,
                      const TnPictureChoice *choice,
                      TnExportFormat format,
                      GError **error)
{
  Both both = {.content = content, .choice = choice};
  TnExportParams params = {.picture = choice->picture,
                           .options = &content->chosen,
                           .width = choice->width,
                           .height = choice->height,
                           .scale = choice->scale,
                           .theme = choice->is_dark ? tn_theme_dark() : tn_theme_light(),
                           .font = g_getenv("TENURE_FONT")};
  if (!content->study) {
    tn_report_content_params(content, NULL, NULL, choice->is_dark, &both.diff);
    return tn_export_build_drawing(&params, format, draw_both, &both, error);
  }
  if (choice->page != TN_GRAPH_PAGE_NONE)
    return tn_export_build_drawing(&params, format, choice->page == TN_GRAPH_PAGE_ORDERS ? draw_orders : draw_budget,
                                   content, error);
  TnView view = choose_view(content, choice);
  return tn_export_build(&view, &params, format, error);
}

/* ---- words -------------------------------------------------------------------------------------
 */

static const char *
picture_name(const TnReportContent *content, const TnPictureChoice *choice)
{
  static const char *const names[] = {[TN_PICTURE_LIFETIMES] = N_("Lifetime bars"),
                                      [TN_PICTURE_OFFSETS] = N_("The offset map"),
                                      [TN_PICTURE_LIVE] = N_("The live curve"),
                                      [TN_PICTURE_REPORT] =
                                          N_("All maps with what was alive at the peak"),
                                      [TN_PICTURE_LIVE_SET] = N_("The live set"),
                                      [TN_PICTURE_FLAME] = N_("Call stacks"),
                                      [TN_PICTURE_OOM] = N_("The failed request"),
                                      [TN_PICTURE_SKYLINE] = N_("The skyline")};
  if (!content->study)
    return _("Both files and their difference");
  return choice->page == TN_GRAPH_PAGE_ORDERS   ? _("Orders of the ops")
         : choice->page == TN_GRAPH_PAGE_BUDGET ? _("What a budget costs, and its plan")
                                                : _(names[choice->picture]);
}

/* ", events 1,000 to 2,000 (1.2 s)", ", at event 300", _(", everything") */
static void
append_part(GString *out, const TnReportContent *content, const TnPictureChoice *choice)
{
  char from[32], to[32];
  if (!content->study) {
    g_string_append(out,
                    choice->part == TN_PART_WHOLE ? _(", everything") : _(", the part on screen"));
    return;
  }
  const TnAxisUnit axis = content->study->device->axis;
  TnView view = choose_view(content, choice);
  if (view.cursor >= 0.0)
    g_string_append_printf(out, _(", at %s %s"), tn_axis_word(axis),
                           tn_print_count(from, sizeof from, (tn_tick)view.cursor));
  else if (view.t0 <= 0.0 && view.t1 >= (double)view.study->axis_end)
    g_string_append_printf(out, _(", all %s"), tn_axis_words(axis));
  else
    g_string_append_printf(out, _(", %s %s to %s"), tn_axis_words(axis),
                           tn_print_count(from, sizeof from, (tn_tick)view.t0),
                           tn_print_count(to, sizeof to, (tn_tick)view.t1));
}

char *
tn_picture_file_describe(const TnReportContent *content, const TnPictureChoice *choice)
{
  char width[32], height[32];
  GString *out = g_string_new(picture_name(content, choice));
  double scale = choice->format == TN_EXPORT_PNG ? choice->scale : 1.0;
  if (choice->page == TN_GRAPH_PAGE_NONE)
    append_part(out, content, choice);
  if (content->match[0] && choice->page == TN_GRAPH_PAGE_NONE)
    g_string_append(out, _(", what the search does not find is dimmed"));
  g_string_append_printf(
      out, ". %s × %s %s.", tn_print_count(width, sizeof width, (gint64)(choice->width * scale)),
      tn_print_count(height, sizeof height, (gint64)(choice->height * scale)),
      choice->format == TN_EXPORT_PNG ? _("pixels")
                                      : _("units; text stays text, dense layers are images"));
  return g_string_free(out, FALSE);
}
