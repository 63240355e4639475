/* SPDX-License-Identifier: MIT */
/* Which module a buffer belongs to: from stacks, from a trace's own module frames, from names that
 * are paths; and a file that does not tell says why. */
#include "config.h"

#include "analysis/module.h"
#include "analysis/oom.h"
#include "tests/unit/request-log.h"

#include <string.h>

#define MODULE_PY "/venv/lib/python3.11/site-packages/torch/nn/modules/module.py"

/* Frames, innermost first, up to one without a name. */
static uint32_t
stack_of(TnDocument *document, const TnFrame *given, const char *const *texts)
{
  uint32_t ids[8], n = 0;
  for (; texts[2 * n]; n++) {
    TnFrame frame = {tn_strings_intern(document->strings, texts[2 * n], -1),
                     tn_strings_intern(document->strings, texts[2 * n + 1], -1), given[n].line};
    ids[n] = tn_stacks_intern_frame(document->stacks, frame);
  }
  return tn_stacks_intern(document->stacks, ids, n);
}

static const char *
module_of(const TnModules *modules, uint32_t buffer)
{
  return tn_modules_name(modules, modules->module[buffer]);
}

/* The same layer called from two lines is two modules; the line inside it does not matter; torch's
 * own layers belong to the user's module that calls them. */
static void
test_stacks(void)
{
  static const char *const in_layer[] = {"linear",
                                         "/venv/site-packages/torch/nn/functional.py",
                                         "forward",
                                         "/me/attention.py",
                                         "_call_impl",
                                         MODULE_PY,
                                         "_wrapped_call_impl",
                                         MODULE_PY,
                                         "forward",
                                         "/me/model.py",
                                         NULL};
  static const char *const in_torch[] = {"Linear.forward",
                                         "/venv/site-packages/torch/nn/linear.py",
                                         "Module._call_impl",
                                         MODULE_PY,
                                         "MLP.forward",
                                         "C:\\me\\model.py",
                                         "Module._call_impl",
                                         MODULE_PY,
                                         "main",
                                         "C:\\me\\train.py",
                                         NULL};
  static const char *const outside[] = {"step", "/me/train.py", NULL};
  static const TnFrame lines[4][5] = {
      {{.line = 5}, {.line = 20}, {.line = 9}, {.line = 9}, {.line = 88}},
      {{.line = 5}, {.line = 21}, {.line = 9}, {.line = 9}, {.line = 88}},
      {{.line = 5}, {.line = 20}, {.line = 9}, {.line = 9}, {.line = 89}},
      {{.line = 7}, {.line = 9}, {.line = 3}, {.line = 9}, {.line = 40}}};
  static const char *const wanted[] = {
      "attention.py forward (model.py:88)", "attention.py forward (model.py:88)",
      "attention.py forward (model.py:89)", "MLP (train.py:40)", "no module"};
  g_autoptr(TnDocument) document = log_new();
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_STACK);
  for (int i = 0; i < 5; i++) {
    tn_buffers_add(b, i, i + 1, 512, TN_KIND_ALLOCATION);
    b->stack[i] = stack_of(document, lines[MIN(i, 3)],
                           i < 3    ? in_layer
                           : i == 3 ? in_torch
                                    : outside);
  }
  g_autoptr(TnModules) modules = tn_modules_new(document, b);
  g_assert_null(modules->untold);
  g_assert_cmpuint(modules->n, ==, 4);
  for (uint32_t i = 0; i < 5; i++)
    g_assert_cmpstr(module_of(modules, i), ==, wanted[i]);
}

static void
test_trace(void)
{
  static const char *const frames[] = {
      "aten::empty", "", "nn.Module: Linear_3", "", "nn.Module: Net_0", "", NULL};
  static const TnFrame none[3];
  g_autoptr(TnDocument) document = log_new();
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_STACK);
  tn_buffers_add(b, 0, 1, 512, TN_KIND_ALLOCATION);
  b->stack[0] = stack_of(document, none, frames);
  g_autoptr(TnModules) modules = tn_modules_new(document, b);
  g_assert_cmpstr(module_of(modules, 0), ==, "Linear_3");
}

static void
test_names(void)
{
  static const char *const rows[][2] = {{"/layer1/conv1/Conv", "layer1/conv1"},
                                        {"main/block/Add output[0]", "main/block"},
                                        {"Conv_7", "no module"},
                                        {"/Conv", "no module"},
                                        {"sum of a/b", "no module"}};
  g_autoptr(TnDocument) document = log_new();
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_NAME);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    tn_buffers_add(b, 0, 1, 512, TN_KIND_ACTIVATION);
    b->name[i] = tn_strings_intern(document->strings, rows[i][0], -1);
  }
  g_autoptr(TnModules) modules = tn_modules_new(document, b);
  for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpstr(module_of(modules, i), ==, rows[i][1]);
}

static void
test_untold(void)
{
  g_autoptr(TnDocument) document = log_new();
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_STACK | TN_COLUMN_NAME);
  tn_buffers_add(b, 0, 1, 512, TN_KIND_ALLOCATION);
  g_autoptr(TnModules) bare = tn_modules_new(document, b);
  g_assert_cmpstr(bare->untold, ==,
                  "Modules can't be told from this file: it has neither call stacks nor names.");
  b->name[0] = tn_strings_intern(document->strings, "conv", -1);
  g_autoptr(TnModules) named = tn_modules_new(document, b);
  g_assert_cmpstr(named->untold, ==,
                  "Modules can't be told from this file: it has no call stacks, and "
                  "no name is a path.");
  b->stack[0] = log_stack(document, 3);
  g_autoptr(TnModules) plain = tn_modules_new(document, b);
  g_assert_cmpstr(plain->untold, ==,
                  "Modules can't be told from this file: no call stack goes through "
                  "torch.nn.Module's __call__.");
}

/* What was alive at the sample's failure: by module it is the same sum as by call site. */
static void
test_oom(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnOom) oom = tn_oom_new(study, tn_oom_find_mark(study->device, 0), 0);
  tn_bytes by_site = 0, by_module = 0, growth = 0, growth_by_site = 0;
  for (guint i = 0; i < oom->live->len; i++) {
    by_site += g_array_index(oom->live, TnOomSite, i).bytes;
    growth_by_site += g_array_index(oom->live, TnOomSite, i).growth;
  }
  for (guint i = 0; i < oom->live_modules->len; i++) {
    by_module += g_array_index(oom->live_modules, TnOomSite, i).bytes;
    growth += g_array_index(oom->live_modules, TnOomSite, i).growth;
  }
  g_assert_cmpint(by_module, ==, by_site);
  g_assert_cmpint(growth, <=, growth_by_site); /* a site that is gone altogether has no row */
  const TnOomSite *first = &g_array_index(oom->live_modules, TnOomSite, 0);
  g_assert_cmpstr(tn_oom_module_name(oom, first), ==, "CausalSelfAttention (model.py:78)");
  g_assert_cmpuint(first->n, ==, 68);
}

/* As groups of any view: the same names. */
static void
test_groups(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_assert_true(tn_study_prepare(study, TN_GROUP_MODULE, NULL));
  const TnGroup *first = &g_array_index(study->categories->groups, TnGroup, 0);
  g_assert_cmpint(study->categories->grouping, ==, TN_GROUP_MODULE);
  g_assert_cmpstr(first->name, ==, "CausalSelfAttention (model.py:78)");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/module/stacks", test_stacks);
  g_test_add_func("/module/trace", test_trace);
  g_test_add_func("/module/names", test_names);
  g_test_add_func("/module/untold", test_untold);
  g_test_add_func("/module/oom", test_oom);
  g_test_add_func("/module/groups", test_groups);
  return g_test_run();
}
