/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/report-content.h"

#include "app/answer/inside-ops.h"
#include "app/window/settings.h"
#include "data/file-hash.h"

/* Only what is not the whole of the file is worth a word. */
static char *
describe_view(const TnView *view)
{
  char from[32], to[32];
  bool is_whole = view->t0 <= 0.0 && view->t1 >= (double)view->study->axis_end;
  return is_whole ? g_strdup("from the window")
                  : g_strdup_printf("from the window, %s %s to %s",
                                    tn_axis_unit_name(view->study->device->axis),
                                    tn_print_count(from, sizeof from, (int64_t)view->t0),
                                    tn_print_count(to, sizeof to, (int64_t)view->t1));
}

static TnReportContent *
content_new(gpointer owner)
{
  TnReportContent *content = g_new0(TnReportContent, 1);
  content->references = 1;
  content->owner = g_object_ref(owner);
  content->units = tn_settings_get_units();
  return content;
}

TnReportContent *
tn_report_content_new_for_session(TnSession *session)
{
  TnReportContent *content = content_new(session);
  content->study = tn_study_ref(tn_session_get_study(session));
  content->of_lives = tn_findings_new();
  tn_answer_keep_uncounted(tn_session_get_findings(session), content->of_lives);
  content->view = *tn_session_get_view(session);
  content->view.match = NULL;
  content->view.hovered = TN_NONE;
  content->moment = tn_session_get_moment(session);
  content->chosen = (TnPictureOptions)TN_PICTURE_OPTIONS_INIT;
  content->stamp[0] = *tn_session_get_stamp(session);
  GBytes *match = tn_session_get_match(session);
  content->match[0] = match ? g_bytes_ref(match) : NULL;
  content->options = describe_view(&content->view);
  content->notes = g_strdup(tn_notes_get_text(tn_session_get_notes(session)));
  return content;
}

TnReportContent *
tn_report_content_new_for_diff(TnDiffModel *model, TnDiffLayout layout, const TnView *shown)
{
  TnDiffPicture *picture = tn_diff_model_get_picture(model);
  if (!picture)
    return NULL;
  TnReportContent *content = content_new(model);
  content->diff = tn_diff_picture_ref(picture);
  content->layout = layout;
  content->view = *shown;
  for (int i = 0; i < 2; i++) {
    GBytes *match = tn_diff_model_get_match(model, (TnDiffSide)i);
    content->stamp[i] = *tn_diff_model_get_stamp(model, (TnDiffSide)i);
    content->match[i] = match ? g_bytes_ref(match) : NULL;
  }
  content->notes = g_strdup("");
  content->options = g_strdup(content->match[0] ? "from the window, filtered" : "from the window");
  return content;
}

TnReportContent *
tn_report_content_ref(TnReportContent *content)
{
  g_atomic_int_inc(&content->references);
  return content;
}

void
tn_report_content_unref(TnReportContent *content)
{
  if (!g_atomic_int_dec_and_test(&content->references))
    return;
  g_clear_pointer(&content->study, tn_study_unref);
  g_clear_pointer(&content->of_lives, tn_findings_free);
  g_clear_pointer(&content->diff, tn_diff_picture_unref);
  g_clear_pointer(&content->groups, tn_box_groups_unref);
  g_clear_pointer(&content->orders, tn_orders_found_unref);
  g_clear_pointer(&content->plan, tn_budget_answer_unref);
  g_clear_pointer(&content->sweep, tn_budget_answer_unref);
  g_clear_pointer(&content->match[0], g_bytes_unref);
  g_clear_pointer(&content->match[1], g_bytes_unref);
  g_free(content->options);
  g_free(content->notes);
  g_object_unref(content->owner);
  g_free(content);
}

char *
tn_report_content_build_name(const TnReportContent *content)
{
  if (content->study)
    return g_filename_display_basename(content->study->document->path);
  g_autofree char *a = g_filename_display_basename(content->diff->diff->a->document->path);
  g_autofree char *b = g_filename_display_basename(content->diff->diff->b->document->path);
  return g_strdup_printf("%s-%s", a, b);
}

/* ---- facts -------------------------------------------------------------------------------------
 */

/* The figures are of what was read; what has come in its place meanwhile does not answer for them. */
static void
add_hash(TnReportFacts *facts, int i, const char *path, const TnFileStamp *read)
{
  static const TnFileStamp none;
  if (tn_file_stamp_is_same(read, &none))
    return;
  facts->hash[i] = tn_file_hash(path, NULL);
  TnFileStamp now = tn_file_stamp_of(path);
  facts->is_replaced[i] = !tn_file_stamp_is_same(read, &now);
  if (facts->is_replaced[i])
    g_clear_pointer(&facts->hash[i], g_free);
}

TnReportFacts *
tn_report_facts_new(const TnReportContent *content)
{
  TnReportFacts *facts = g_new0(TnReportFacts, 1);
  const TnStudy *a = content->study ? content->study : content->diff->diff->a;
  if (content->study) {
    TnFindParams params = {0};
    facts->findings = tn_findings_new();
    tn_answer_keep_uncounted(content->of_lives, facts->findings);
    tn_find_all(content->study, &params, facts->findings);
  }
  add_hash(facts, 0, a->document->path, &content->stamp[0]);
  if (content->diff)
    add_hash(facts, 1, content->diff->diff->b->document->path, &content->stamp[1]);
  return facts;
}

void
tn_report_facts_free(TnReportFacts *facts)
{
  tn_findings_free(facts->findings);
  g_free(facts->hash[0]);
  g_free(facts->hash[1]);
  g_free(facts);
}

TnReportParams
tn_report_content_params(const TnReportContent *content,
                         const TnReportFacts *facts,
                         const char *notes,
                         bool is_dark,
                         TnDiffPicture *picture)
{
  const TnTheme *theme = is_dark ? tn_theme_dark() : tn_theme_light();
  TnReportParams params = {.theme = theme,
                           .units = content->units,
                           .width = 1600,
                           .height = 900,
                           .scale = 2.0,
                           .version = TN_VERSION,
                           .options = content->options,
                           .notes = notes && *notes ? notes : NULL};
  if (facts) {
    params.findings = facts->findings;
    params.hash = facts->hash[0];
    params.hash_b = facts->hash[1];
    params.is_replaced = facts->is_replaced[0];
    params.is_replaced_b = facts->is_replaced[1];
  }
  if (content->study) {
    params.view = &content->view;
    return params;
  }
  *picture = *content->diff;
  picture->layout = content->layout;
  tn_diff_theme_init(&picture->theme, theme);
  for (int i = 0; i < 2; i++)
    picture->match[i] = content->match[i] ? g_bytes_get_data(content->match[i], NULL) : NULL;
  params.diff = picture;
  return params;
}
