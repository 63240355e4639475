/* SPDX-License-Identifier: MIT */
/* A comparison whose side becomes another, with fewer buffers, while it is shown. */
#include "config.h"

#include "app/window/diff-model.h"

#include "data/document-view.h"

#include "session-support.h"

static void
wait_for_picture(TnDiffModel *model, const TnDiffPicture *before)
{
  while (!tn_diff_model_get_picture(model) || tn_diff_model_get_picture(model) == before)
    g_main_context_iteration(NULL, TRUE);
}

/* What is selected in the old picture, while the new one of `n` buffers is made, is not in the new one. */
static void
check_fewer(int n, tn_index row)
{
  g_autofree char *many = many_rows(5000), *few = many_rows(n);
  g_autoptr(TnSession) a = new_session(many);
  g_autoptr(TnSession) b = new_session(many);
  g_autoptr(TnDiffModel) model = tn_diff_model_new(a, b);
  wait_for_picture(model, NULL);
  const TnDiffPicture *old = tn_diff_model_get_picture(model);
  tn_diff_model_select(model, old->diff->pair_of_b[4999]);
  g_assert_cmpuint(tn_diff_model_get_selected(model), ==, old->diff->pair_of_b[4999]);

  TnDocument *document = load(few);
  TnStudy *small = study_of(document);
  tn_session_keep_edited(b, document);
  tn_session_set_study(b, small, tn_findings_new());
  while (tn_diff_model_get_study(model, TN_DIFF_B) != small)
    g_main_context_iteration(NULL, TRUE);
  g_assert_true(tn_diff_model_get_picture(model) == old);
  tn_diff_model_select(model, old->diff->pair_of_b[row]);
  wait_for_picture(model, old);
  g_assert_cmpuint(tn_diff_model_get_diff(model)->b->buffers->n, ==, (guint)n);
  g_assert_cmpuint(tn_diff_model_get_selected(model), ==, TN_NONE);
}

static void
test_fewer(void)
{
  check_fewer(3, 4998);    /* behind its end */
  check_fewer(4000, 3000); /* another buffer's row */
}

/* Another runtime's lives are others, also where there are as many. */
static void
test_runtime(void)
{
  static const char graph[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"name\":\"x\",\"shape\":[1000],\"dtype\":\"int8\"},{\"id\":1,\"name\":\"y\",\"shape\":[1000],\"dtype\":\"int8\"}],"
      "\"ops\":[{\"id\":0,\"type\":\"Conv\",\"inputs\":[0],\"outputs\":[1]}],\"outputs\":[1]}";
  g_autoptr(TnSession) a = new_session(graph);
  g_autoptr(TnSession) b = new_session(graph);
  g_autoptr(TnDiffModel) model = tn_diff_model_new(a, b);
  wait_for_picture(model, NULL);
  const TnDiffPicture *old = tn_diff_model_get_picture(model);
  tn_diff_model_select(model, 0);

  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnDocument *view = tn_document_view_new(tn_session_get_file(b), NULL, true);
  params.graph.preset = "tflite";
  TnStudy *study = tn_study_new(view, 0, &params, NULL, NULL);
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  g_assert_cmpuint(study->buffers->n, ==, old->diff->b->buffers->n);
  tn_session_keep_document(b, view);
  tn_session_set_study(b, study, tn_findings_new());
  while (tn_diff_model_get_study(model, TN_DIFF_B) != study)
    g_main_context_iteration(NULL, TRUE);
  wait_for_picture(model, old);
  g_assert_cmpuint(tn_diff_model_get_selected(model), ==, TN_NONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func("/diff-model/fewer", test_fewer);
  g_test_add_func("/diff-model/runtime", test_runtime);
  return g_test_run();
}
