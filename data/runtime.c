/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/runtime.h"

#include <string.h>

/* ONNX Runtime's CPU kernels declare Alias(0, 0) or MayInplace(0, 0); its binary operators declare
 * neither.  TensorFlow Lite's names for the same views are listed so that a preset may be tried on
 * a model of the other format. */
static const TnAliasRule onnxruntime_rules[] = {
    {"reshape", true, 0},       {"flatten", true, 0},     {"squeeze", true, 0},
    {"unsqueeze", true, 0},     {"identity", true, 0},    {"expanddims", true, 0},
    {"optional", true, 0},      {"optionalgetelement", true, 0},
    {"relu", false, 1},         {"leakyrelu", false, 1},  {"sigmoid", false, 1},
    {"tanh", false, 1},         {"elu", false, 1},        {"selu", false, 1},
    {"celu", false, 1},         {"hardsigmoid", false, 1}, {"softplus", false, 1},
    {"softsign", false, 1},     {"thresholdedrelu", false, 1}, {"clip", false, 1},
    {"softmax", false, 1},      {"logsoftmax", false, 1}, {"cast", false, 1},
    {"scatter", false, 1},      {"scatterelements", false, 1}, {"scatternd", false, 1},
    {"trilu", false, 1},        {"shrink", false, 1},     {"logistic", false, 1},
    {NULL, false, 0},
};

/* TensorFlow Lite's arena planner: OperatorsInplace of each kernel. */
static const TnAliasRule tflite_rules[] = {
    {"reshape", true, 0}, {"squeeze", true, 0}, {"expanddims", true, 0}, {"bitcast", true, 0},
    {"unsqueeze", true, 0}, {"flatten", true, 0},
    {"add", false, 3},    {"sub", false, 3},    {"mul", false, 3},        {"div", false, 3},
    {"softmax", false, 1}, {"dynamicupdateslice", false, 1},
    {NULL, false, 0},
};

/* GE's ops of shape changes run without a task (their outputs are references: one symbol, one block,
 * isref in the plan's lines).  Identity is none of them: GE inserts it where layouts conflict
 * because it copies ("[MemConflict][INSERT]").  In place only where the graph says so: ../shared/
 * formats/ascend-ge.md 1a-E, 1b.14. */
static const TnAliasRule ge_rules[] = {
    {"reshape", true, 0},   {"flatten", true, 0},    {"squeeze", true, 0},
    {"unsqueeze", true, 0}, {"expanddims", true, 0}, {NULL, false, 0},
};

static const TnAliasRule no_rules[] = {{NULL, false, 0}};

static const TnRuntime onnxruntime = {
    .name = "onnxruntime",
    .title = "ONNX Runtime, CPU: 256-byte blocks, inputs and outputs are the caller's",
    .source = "kernel definitions (Alias, MayInplace), allocation_planner.cc, kAllocAlignment",
    .alignment = 256,
    .rules = onnxruntime_rules,
    .needs_equal_bytes = true,
    .owns_no_io = true,
    .algorithm = "mlas",
    .strategy = "best-fit",
};

static const TnRuntime tflite = {
    .name = "tflite",
    .title = "TensorFlow Lite: one arena, 64-byte alignment, im2col scratch",
    .source = "arena_planner.cc, OperatorsInplace of the kernels, conv.cc",
    .alignment = 64,
    .rules = tflite_rules,
    .needs_equal_bytes = true,
    .spares_graph_io = true,
    .least_in_place = 5,
    .keeps_unpacked = true,
    .algorithm = "im2col",
    .strategy = "greedy-size",
};

static const TnRuntime tflm = {
    .name = "tflm",
    .title = "TensorFlow Lite Micro: 16-byte alignment, no aliasing, scratch of the reference kernels",
    .source = "greedy_memory_planner.cc, micro_allocator.cc, kernels; the arena's tail is not in it",
    .alignment = 16,
    .rules = no_rules,
    .algorithm = "tflm",
    .strategy = "greedy-size",
};

/* ascend-ge.md 1b: lives are closed, [producer, last reader], as the kernel model has them (1, 2);
 * model inputs and what NetOutput reads are never released (3); realsize = bytes rounded up to 32,
 * and 32 more (16 on v350, none on Ascend 950); blocks of 512 (4); zero-copy inputs and outputs are
 * part of the offsets (5, 8).  A workspace is what the kernel asks for, which only GE's own dump
 * knows: none is assumed. */
static const TnRuntime ge = {
    .name = "ge",
    .title = "Ascend GE: 512-byte blocks of sizes padded to 32 + 32, inputs held to the end",
    .source = "formats/ascend-ge.md 1b, rules 1 to 5, 8 and 14 (block_mem_assigner.cc)",
    .alignment = 512,
    .pad_step = 32,
    .padding = 32,
    .rules = ge_rules,
    .keeps_inputs = true,
    .strategy = "ge",
};

static const TnRuntime *const runtimes[] = {&onnxruntime, &tflite, &tflm, &ge, NULL};

const TnRuntime *const *
tn_runtimes(void)
{
  return runtimes;
}

const TnRuntime *
tn_runtimes_find(const char *name)
{
  if (g_strcmp0(name, "ort") == 0)
    return &onnxruntime;
  for (gsize i = 0; runtimes[i]; i++)
    if (g_strcmp0(name, runtimes[i]->name) == 0)
      return runtimes[i];
  return NULL;
}

bool
tn_runtime_tensor_bytes(const TnRuntime *runtime, tn_bytes bytes, tn_bytes alignment,
                        tn_bytes *out_used)
{
  *out_used = 0;
  if (bytes <= 0)
    return true;
  if (runtime && (!tn_round_up(bytes, MAX(runtime->pad_step, (tn_bytes)1), &bytes) ||
                  !tn_add(bytes, runtime->padding, &bytes)))
    return false;
  return tn_round_up(bytes, alignment, out_used);
}

const TnAliasRule *
tn_runtime_rule(const TnRuntime *runtime, const char *type)
{
  char plain[48];
  gsize n = 0;
  for (const char *at = type; *at && n < sizeof plain - 1; at++)
    if (*at != '_')
      plain[n++] = g_ascii_tolower(*at);
  plain[n] = '\0';
  for (const TnAliasRule *rule = runtime->rules; rule->type; rule++)
    if (strcmp(rule->type, plain) == 0)
      return rule;
  return NULL;
}
