/* SPDX-License-Identifier: MIT */
/* The line of a stack that a person wants to see, and the groups that it makes. */
#include "config.h"

#include "analysis/callsite.h"
#include "log-support.h"

typedef struct {
  const char *file, *name;
  int32_t line;
} Frame;

static uint32_t
add_stack(TnDocument *document, const Frame *frames, uint32_t n)
{
  uint32_t ids[16];
  for (uint32_t i = 0; i < n; i++)
    ids[i] = tn_stacks_intern_frame(
        document->stacks, (TnFrame){tn_strings_intern(document->strings, frames[i].name, -1),
                                    tn_strings_intern(document->strings, frames[i].file, -1),
                                    frames[i].line});
  return tn_stacks_intern(document->stacks, ids, n);
}

static void
test_framework(void)
{
  static const struct {
    const char *file, *function;
    bool is_framework;
  } rows[] = {
      {"/home/me/model.py", "forward", false},
      {"model.py", "forward", false},
      {"C:\\work\\model.py", "forward", false},
      {"/usr/lib/python3.11/site-packages/torch/nn/functional.py", "softmax", true},
      {"C:\\Python\\Lib\\site-packages\\torch\\nn\\modules\\module.py", "x", true},
      {"/opt/pytorch/torch/optim/adam.py", "step", true},
      {"/usr/lib/python3.11/threading.py", "run", true},
      {"<string>", "f", true},
      {"<frozen importlib._bootstrap>", "_call", true},
      {"", "malloc", true},
      {"??", "c10::foo()", true},
      {"/home/me/model.py", "_call_impl", true},
      {"memory_snapshot.cpp", "torch::cuda::gather_with_cpp()", true},
      {"/usr/local/src/conda/python-3.12.3/Python/ceval.c", "PyEval_EvalCode", true},
      {"/home/me/ops/fused.cpp", "my::fused()", false},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (tn_frame_is_framework(rows[i].file, rows[i].function) != rows[i].is_framework)
      g_error("%s %s", rows[i].file, rows[i].function);
}

static void
test_choice(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  static const Frame user[] = {{"??", "c10::alloc", 0},
                               {"/x/site-packages/torch/nn/functional.py", "softmax", 10},
                               {"/home/me/model.py", "attend", 88},
                               {"/home/me/train.py", "main", 5}};
  static const Frame same_line[] = {{"/x/site-packages/torch/nn/functional.py", "matmul", 11},
                                    {"/home/me/model.py", "attend", 88}};
  static const Frame framework[] = {{"??", "at::empty", 0},
                                    {"/x/site-packages/torch/optim/adam.py", "step", 7}};
  static const Frame native[] = {{"??", "cudaMalloc", 0}, {"", "main", 0}};
  static const Frame nameless[] = {{"", "", 0}};
  /* stacks="all": C++ frames around and below the Python ones (silmont_forward_bf16_128). */
  static const Frame mixed[] = {{"memory_snapshot.cpp", "torch::cuda::gather_with_cpp()", 0},
                                {"/home/me/ops/fused.cpp", "my::fused()", 12},
                                {"/home/me/embedding.py", "forward", 14},
                                {"/src/python-3.12.3/Python/ceval.c", "PyEval_EvalCode", 578}};
  static const Frame compiled[] = {{"RegisterCUDA.cpp", "at::create_out()", 0},
                                   {"/home/me/ops/fused.cpp", "my::fused()", 12}};
  uint32_t stacks[] = {
      add_stack(document, user, 4),      add_stack(document, same_line, 2),
      add_stack(document, framework, 2), add_stack(document, native, 2),
      add_stack(document, nameless, 1),  add_stack(document, mixed, 4),
      add_stack(document, compiled, 2),
  };
  static const char *const names[] = {"model.py:88 attend", "model.py:88 attend", "adam.py:7 step",
                                      "cudaMalloc", "unknown code", "embedding.py:14 forward",
                                      "fused.cpp:12 my::fused()"};
  g_autoptr(TnCallSites) sites = tn_call_sites_new(document);
  for (gsize i = 0; i < G_N_ELEMENTS(stacks); i++)
    g_assert_cmpstr(tn_call_sites_name(sites, tn_call_sites_of(sites, stacks[i])), ==, names[i]);
  g_assert_cmpuint(tn_call_sites_of(sites, stacks[0]), ==, tn_call_sites_of(sites, stacks[1]));
  g_assert_cmpuint(sites->n, ==, 7);
  g_assert_cmpstr(tn_call_sites_name(sites, 0), ==, "no call stack");
  g_assert_cmpuint(tn_call_sites_of(sites, 0), ==, 0);
  g_assert_cmpuint(tn_call_sites_of(sites, 999), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/callsite/framework", test_framework);
  g_test_add_func("/callsite/choice", test_choice);
  return g_test_run();
}
