/* SPDX-License-Identifier: MIT */
/* tenure-cli draw: a picture of a file. */
#include "config.h"

#include "app/answer/inside-ops.h"
#include "app/cli/draw-graph.h"
#include "app/cli/draw-many.h"
#include "app/cli/draw-report.h"
#include "app/cli/two.h"

#include "analysis/findings-all.h"
#include "analysis/plan/plan.h"
#include "data/write.h"
#include "render/export.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *output, *view, *size, *range, *select, *strategy, *diff, *layout, *budget, *notes, *time;
  double scale;
  gboolean is_dark;
  int sheet;
  char *line; /* the command as it was called */
} DrawOptions;

static bool
parse_size(const char *text, int *out_width, int *out_height)
{
  char end;
  *out_width = 1600;
  *out_height = 900;
  if (!text || (sscanf(text, "%dx%d%c", out_width, out_height, &end) == 2 && *out_width >= 320 &&
                *out_height >= 200 && *out_width <= 16000 && *out_height <= 16000))
    return true;
  tn_cli_complain("--size %s: expected WIDTHxHEIGHT between 320x200 and 16000x16000", text);
  return false;
}

/* cairo's pictures have at most 32767 pixels a side. */
static bool
check_scale(double scale, int width, int height)
{
  if (!(scale >= 0.5 && scale <= 4.0)) {
    tn_cli_complain("--scale: expected a number from 0.5 to 4");
    return false;
  }
  if (MAX(width, height) * scale <= 32767.0)
    return true;
  tn_cli_complain("--size %dx%d at --scale %g: expected at most 32767 pixels a side", width, height,
                  scale);
  return false;
}

static bool
apply_range(const char *text, TnView *view)
{
  double from, to;
  char end;
  if (!text)
    return true;
  if (sscanf(text, "%lf:%lf%c", &from, &to, &end) != 2 || !(from < to) || from < 0) {
    tn_cli_complain("--range %s: expected FROM:TO in ticks, the first one smaller", text);
    return false;
  }
  double stop = (double)view->study->axis_end;
  if (from >= stop) {
    tn_cli_complain("--range %s: expected ticks below %.0f, where %s ends", text, stop,
                    view->study->document->shown_path);
    return false;
  }
  view->t0 = from;
  view->t1 = MIN(to, stop); /* cut here: the view would be moved, to keep its width */
  tn_view_clamp(view);
  return true;
}

static bool
check_time(const char *text)
{
  if (!text || g_strcmp0(text, "ticks") == 0 || g_strcmp0(text, "clock") == 0)
    return true;
  tn_cli_complain("--time %s: expected ticks or clock", text);
  return false;
}

static bool
apply_time(const char *text, TnView *view)
{
  view->is_clock = g_strcmp0(text, "clock") == 0;
  g_autofree char *reason = view->is_clock ? tn_study_dup_no_clock(view->study) : NULL;
  if (reason)
    tn_cli_complain("%s: --time clock: %s", view->study->document->shown_path, reason);
  return !reason;
}

/* The first buffer, by size, whose label contains the text. */
static bool
apply_select(const char *text, TnView *view)
{
  const TnBuffers *b = view->study->buffers;
  for (uint32_t i = 0; text && i < b->n; i++) {
    g_autofree char *label = tn_study_dup_label(view->study, i);
    if (strstr(label, text) &&
        (view->selected == TN_NONE || b->bytes[i] > b->bytes[view->selected]))
      view->selected = i;
  }
  if (!text || view->selected != TN_NONE)
    return true;
  tn_cli_complain("--select %s: no buffer has this in its name", text);
  return false;
}

#define MANY_BUFFERS 20000u

/* A graph or a table of lives has no offsets of its own: plan them. */
static TnStudy *
with_offsets(TnStudy *study, const char *name)
{
  if (study->is_log || (!name && study->arena_bytes != TN_BYTES_UNKNOWN))
    return study;
  /* For a picture any sound plan will do, and it must not keep anybody waiting. */
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new_for_study(study, NULL, NULL);
  const char *own = uses                                ? "ge"
                    : study->buffers->n > MANY_BUFFERS ? "first-fit"
                                                       : "greedy-size";
  const TnStrategy *strategy = tn_strategies_find(name ? name : own);
  if (!strategy) {
    tn_cli_complain("--strategy %s: no such planner", name);
    tn_study_unref(study);
    return NULL;
  }
  TnPlanParams params = {.uses = uses};
  tn_bytes alignment = study->alignment;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(study->buffers, strategy, alignment, &params);
  tn_cli_add_plan_warnings(study->document, plan);
  if (plan->status == TN_PLAN_FAILED) {
    tn_cli_complain("%s: drawn without offsets, since there is no plan: %s", study->document->shown_path,
                    tn_plan_reason(plan));
    return study;
  }
  TnStudy *placed =
      tn_study_new_with_offsets(study, plan->offset, plan->space_arena, plan->n_spaces);
  tn_study_unref(study);
  return placed;
}

typedef struct {
  int width, height; /* logical pixels; of a page: its pictures', of as many heights (0) */
  int64_t drawn, merged;
} Drawn;

static Drawn
drawn_new(const TnExportParams *params, const char *output)
{
  return tn_cli_is_html(output) ? (Drawn){.width = TN_REPORT_HTML_WIDTH}
                                : (Drawn){.width = params->width, .height = params->height};
}

/* Adds how many buffers the range shows, and how many of them take less than a pixel of the `width` that time
 * has, in device pixels: they share it with others. */
static void
add_drawn(Drawn *out, const TnView *view, double width)
{
  const TnBuffers *b = view->study->buffers;
  double per_pixel = tn_view_width(view) / MAX(width, 1.0);
  for (uint32_t i = 0; i < b->n; i++) {
    if ((double)b->end[i] <= view->t0 || (double)b->start[i] >= view->t1)
      continue;
    out->drawn++;
    out->merged +=
        tn_view_at(view, (double)b->end[i]) - tn_view_at(view, (double)b->start[i]) < per_pixel;
  }
}

/* Says what was drawn, `n` and what it counts for a person; for a program returns it as an object that is to
 * be printed, else NULL. */
static cJSON *
report_drawn(const TnCommonOptions *common, const DrawOptions *own, const char *view, const Drawn *drawn,
             int64_t n, const char *what)
{
  g_autofree char *size =
      drawn->height ? g_strdup_printf("%dx%d, ", drawn->width, drawn->height) : g_strdup("");
  if (!common->is_json) {
    tn_say("%s: %s%" G_GINT64_FORMAT " %s\n", own->output, size, n, what);
    return NULL;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "written", own->output);
  cJSON_AddStringToObject(object, "view", view);
  tn_json_add_integer(object, "width", drawn->width);
  if (drawn->height)
    tn_json_add_integer(object, "height", drawn->height);
  else
    cJSON_AddNullToObject(object, "height");
  tn_json_add_integer(object, "buffers_drawn", drawn->drawn);
  tn_json_add_integer(object, "buffers_merged", drawn->merged);
  return object;
}

/* Writes what an export made (NULL: `error` says why there is nothing). */
static bool
write_bytes(const char *path, const GByteArray *bytes, GError *error)
{
  g_autoptr(GError) own = error;
  if (bytes && tn_write_file(path, bytes->data, bytes->len, &own))
    return true;
  tn_cli_complain("%s", own->message);
  return false;
}

static bool
write_picture(const TnView *view, const TnExportParams *params, const char *path)
{
  TnExportFormat format;
  GError *error = NULL;
  tn_export_format_from_path(path, &format);
  g_autoptr(GByteArray) bytes = tn_export_build(view, params, format, &error);
  return write_bytes(path, bytes, error);
}

/* The report of a file, or of a diff. */
static bool
write_report(const TnView *view, const TnDiffPicture *diff, const TnExportParams *params,
             const DrawOptions *own)
{
  g_autofree char *notes = NULL;
  TnReportParams report = {.view = view,
                           .diff = diff,
                           .findings = params->findings,
                           .theme = params->theme,
                           .font = params->font,
                           .width = params->width,
                           .height = params->height,
                           .scale = params->scale,
                           .options = own->line,
                           .sheet = own->sheet};
  if (!tn_cli_read_notes(own->notes, &notes))
    return false;
  report.notes = notes;
  return tn_cli_write_report(&report, own->output);
}

static void
report(const TnCommonOptions *common, const DrawOptions *own, const TnView *view,
       const TnExportParams *params)
{
  Drawn drawn = drawn_new(params, own->output);
  /* A page's pictures are those of the maps alone. */
  double width = drawn.height ? tn_picture_plot_width(params->picture, params->width) * params->scale
                              : tn_frame_plot((TnRect){0, 0, drawn.width, 0}).width;
  add_drawn(&drawn, view, width);
  cJSON *object = report_drawn(common, own, own->view ? own->view : "report", &drawn, drawn.drawn,
                               tn_plural(drawn.drawn, "buffer", "buffers"));
  if (!object)
    return;
  tn_json_add_warnings(object, view->study->document->diagnostics);
  tn_json_print(object);
}

/* `findings`: what is known of the study's lives; gains the rest. */
static TnExit
draw_study(TnStudy *study, TnFindings *findings, const TnCommonOptions *common, const DrawOptions *own,
           TnExportParams *params)
{
  TnView view;
  TnGrouping grouping = TN_GROUP_AUTO;
  TnFindParams find = {0};
  if (common->group_by)
    tn_grouping_from_name(common->group_by, &grouping);
  tn_study_prepare(study, grouping, NULL);
  tn_view_init(&view, study);
  if (!apply_time(own->time, &view) || !apply_range(own->range, &view) ||
      !apply_select(own->select, &view))
    return TN_EXIT_USAGE;
  if (params->picture == TN_PICTURE_REPORT)
    tn_find_all(study, &find, findings);
  params->findings = findings;
  if (!(params->picture == TN_PICTURE_REPORT ? write_report(&view, NULL, params, own)
                                             : write_picture(&view, params, own->output)))
    return TN_EXIT_INPUT;
  report(common, own, &view, params);
  return TN_EXIT_DONE;
}

/* ---- two files ----------------------------------------------------------------------------- */

static void
report_diff(const TnCommonOptions *common, const DrawOptions *own, const TnCliTwo *two,
            const TnDiffPicture *picture, const TnExportParams *params)
{
  const TnDiff *diff = picture->diff;
  Drawn drawn = drawn_new(params, own->output);
  TnRect page = {0, 0, drawn.width, params->height};
  for (TnDiffSide side = TN_DIFF_A; side <= TN_DIFF_B; side++) {
    TnView view;
    tn_diff_view_init(&view, picture, side);
    add_drawn(&drawn, &view,
              tn_diff_page_plot(picture, page, side).width * (drawn.height ? params->scale : 1.0));
  }
  cJSON *object = report_drawn(common, own, "diff", &drawn, diff->n, tn_plural(diff->n, "pair", "pairs"));
  if (!object)
    return;
  tn_cli_two_add_warnings(object, two);
  tn_json_print(object);
}

static TnExit
draw_diff(const char *path, const TnCommonOptions *common, const DrawOptions *own, TnCliTwo *two,
          const TnExportParams *params)
{
  TnExit code;
  TnDiffLayout layout = TN_DIFF_OVER_UNDER;
  if (own->layout && !tn_diff_layout_from_name(own->layout, &layout)) {
    tn_cli_complain("--layout %s: expected over-under, overlay or delta", own->layout);
    return TN_EXIT_USAGE;
  }
  if (!two->options_a.strategy)
    two->options_a.strategy = g_strdup(own->strategy);
  if (!two->options_b.strategy)
    two->options_b.strategy = g_strdup(own->strategy);
  if (!tn_cli_two_load(two, path, own->diff, common, &code))
    return code;
  g_autoptr(TnDiff) diff = tn_cli_two_compare(two, &code);
  if (!diff)
    return code;
  tn_study_prepare((TnStudy *)diff->a, TN_GROUP_AUTO, NULL); /* names of call sites */
  tn_study_prepare((TnStudy *)diff->b, TN_GROUP_AUTO, NULL);
  g_autofree char *note_a = tn_cli_side_dup_note(&two->a, &two->options_a);
  g_autofree char *note_b = tn_cli_side_dup_note(&two->b, &two->options_b);
  g_autoptr(TnDiffPicture) picture = tn_diff_picture_new(diff, params->theme, note_a, note_b);
  picture->layout = layout;
  if (!write_report(NULL, picture, params, own))
    return TN_EXIT_INPUT;
  report_diff(common, own, two, picture, params);
  return TN_EXIT_DONE;
}

/* What the picture would not follow is not taken. */
static bool
check_followed(const DrawOptions *own, const TnCommonOptions *common, bool are_many)
{
  bool is_graph_view = tn_cli_is_graph_view(own->view), is_one = !own->diff && !are_many;
  bool has_lives = is_one && !is_graph_view;
  bool has_groups = has_lives && g_strcmp0(own->view, "live") != 0; /* a curve of all has none */
  bool is_html = tn_cli_is_html(own->output);
  const char *is_bytes = common->is_bytes ? "" : NULL;
  const struct {
    const char *name, *given; /* NULL: not */
    bool is_followed;
    const char *of;
  } options[] = {
      {"--view", own->view, is_one || (own->diff && g_strcmp0(own->view, "report") == 0),
       "of a picture of one file only"},
      {"--range", own->range, has_lives, "of a picture of one file's lives only"},
      {"--select", own->select, has_lives, "of a picture of one file's lives only"},
      {"--group-by", common->group_by, has_groups, "of a picture that has the buffers of one file in colours only"},
      {"--time", own->time, has_lives, "of a picture of one file's lives only"},
      {"--strategy", own->strategy, has_lives || own->diff, "of a picture of lives only"},
      {"--size", own->size, !is_html, "of one picture, not of a page"},
      {"--scale", own->scale != 1.0 ? "" : NULL, !is_html, "of one picture, not of a page"},
      {"--layout", own->layout, own->diff, "of a picture with --diff only"},
      {"--bytes", is_bytes, is_graph_view, "of --view orders and budget only: others have no room for exact sizes"},
      {"--budget", own->budget, g_strcmp0(own->view, "budget") == 0, "of --view budget only"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++)
    if (options[i].given && !options[i].is_followed) {
      tn_cli_complain("%s: %s", options[i].name, options[i].of);
      return false;
    }
  return true;
}

static TnExit
draw_files(char **files, const TnCommonOptions *common, const DrawOptions *own, TnCliTwo *two)
{
  TnExit code;
  TnExportFormat format;
  TnExportParams params = {.picture = TN_PICTURE_REPORT,
                           .scale = own->scale,
                           .theme = own->is_dark ? tn_theme_dark() : tn_theme_light(),
                           .font = g_getenv("TENURE_FONT")};
  if (!own->output ||
      !(tn_cli_is_html(own->output) || tn_export_format_from_path(own->output, &format))) {
    tn_cli_complain("draw: -o FILE with the ending .png, .svg, .pdf or .html is missing");
    return TN_EXIT_USAGE;
  }
  bool is_graph_view = tn_cli_is_graph_view(own->view);
  if (own->view && !is_graph_view && !tn_picture_from_name(own->view, &params.picture)) {
    tn_cli_complain("--view %s: expected lifetimes, offsets, skyline, live, report, live-set, flame, oom, "
                    "orders or budget",
                    own->view);
    return TN_EXIT_USAGE;
  }
  if (tn_cli_is_html(own->output) && params.picture != TN_PICTURE_REPORT) {
    tn_cli_complain("--view %s: expected report, for -o FILE.html", own->view);
    return TN_EXIT_USAGE;
  }
  if (own->sheet < 0 || (own->sheet > 0 && params.picture != TN_PICTURE_REPORT)) {
    tn_cli_complain("--sheet %d: expected a number from 1 on, of --view report", own->sheet);
    return TN_EXIT_USAGE;
  }
  if (own->notes && params.picture != TN_PICTURE_REPORT) {
    tn_cli_complain("--notes: of --view report only");
    return TN_EXIT_USAGE;
  }
  if (!check_time(own->time) || !check_followed(own, common, files[1] != NULL))
    return TN_EXIT_USAGE;
  if (!parse_size(own->size, &params.width, &params.height) ||
      !check_scale(own->scale, params.width, params.height))
    return TN_EXIT_USAGE;
  if (own->diff && files[1]) {
    tn_cli_complain("draw: --diff compares one file with one other");
    return TN_EXIT_USAGE;
  }
  if (is_graph_view && (own->diff || files[1])) {
    tn_cli_complain("--view %s: expected one file", own->view);
    return TN_EXIT_USAGE;
  }
  if (is_graph_view)
    return tn_cli_draw_graph_view(files[0], common, &params, own->view, own->budget, own->output);
  if (own->diff)
    return draw_diff(files[0], common, own, two, &params);
  if (files[1])
    return tn_cli_draw_many(files, common, &params, own->output);
  g_autoptr(TnDocument) document = tn_cli_load(files[0], common, &code);
  TnStudy *study = document ? tn_cli_study(document, common, &code) : NULL;
  if (!study)
    return code;
  tn_cli_add_study_warnings(document, study);
  if (own->strategy && study->is_log) {
    tn_cli_complain("--strategy: %s is a log, whose buffers lie where they lay", document->shown_path);
    tn_study_unref(study);
    return TN_EXIT_USAGE;
  }
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_answer_find_uncounted(study, findings); /* before: a plan has only the lives' buffers */
  study = with_offsets(study, own->strategy);
  tn_cli_print_warnings(document->diagnostics);
  if (!study)
    return TN_EXIT_USAGE;
  code = draw_study(study, findings, common, own, &params);
  tn_study_unref(study);
  return code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  DrawOptions own = {.scale = 1.0};
  TnCliTwo two = {0};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &own.output, "Where to (.png, .svg, .pdf or .html)",
       "FILE"},
      {"view", 0, 0, G_OPTION_ARG_STRING, &own.view,
       "lifetimes, offsets, skyline, live, live-set, flame, oom, orders, budget or report "
       "(default)",
       "VIEW"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &own.size, "Of the picture (default 1600x900)", "WxH"},
      {"scale", 0, 0, G_OPTION_ARG_DOUBLE, &own.scale, "Device pixels for a logical one", "N"},
      {"range", 0, 0, G_OPTION_ARG_STRING, &own.range, "Show these ticks only", "A:B"},
      {"time", 0, 0, G_OPTION_ARG_STRING, &own.time,
       "What the time axis counts: ticks (default) or clock, where the file has times", "UNIT"},
      {"select", 0, 0, G_OPTION_ARG_STRING, &own.select, "Outline the largest buffer so named",
       "NAME"},
      {"strategy", 0, 0, G_OPTION_ARG_STRING, &own.strategy, "Plan the offsets with this planner",
       "NAME"},
      {"diff", 0, 0, G_OPTION_ARG_FILENAME, &own.diff, "Compare the file with this one", "B"},
      {"layout", 0, 0, G_OPTION_ARG_STRING, &own.layout,
       "With --diff: over-under (default), overlay or delta", "LAYOUT"},
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget,
       "Of --view budget (default: half way between the least possible and the peak)", "SIZE"},
      {"sheet", 0, 0, G_OPTION_ARG_INT, &own.sheet,
       "Of a report as .png or .svg (default 1; .pdf has all)", "N"},
      {"notes", 0, 0, G_OPTION_ARG_STRING, &own.notes,
       "Of a report: what you have to say, or a file", "TEXT|@FILE"},
      {"dark", 0, 0, G_OPTION_ARG_NONE, &own.is_dark, "Light on dark", NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  g_autofree GOptionEntry *all = tn_cli_two_join_entries(&two, entries);
  if (!tn_cli_parse(&tn_command_draw, argc, argv, &common, all, 1, G_MAXINT, &files))
    return TN_EXIT_USAGE;
  own.line = tn_cli_dup_options_line(argc, argv);
  TnExit code = draw_files(files, &common, &own, &two);
  g_free(own.line);
  tn_cli_two_clear(&two);
  g_free(own.diff);
  g_free(own.layout);
  g_free(own.notes);
  g_free(own.time);
  tn_common_options_clear(&common);
  g_free(own.output);
  g_free(own.view);
  g_free(own.size);
  g_free(own.range);
  g_free(own.select);
  g_free(own.strategy);
  g_free(own.budget);
  return code;
}

const TnCommand tn_command_draw = {"draw", "FILE… -o OUT", "Draw a picture", run};
