/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/samples/graphs.h"

#include <glib.h>

/* Which order is best depends on when inputs end: depth first while kernels read (230), level by
 * level where dying inputs go first (210). */
char *
sample_tree_graph_new(void)
{
  return g_strdup(
      "{\"format\": \"tenure-graph\", \"version\": 1, \"name\": \"tree\",\n"
      " \"tensors\": [{\"id\": 0, \"name\": \"root\", \"bytes\": 100},\n"
      "             {\"id\": 1, \"name\": \"left\", \"bytes\": 80},\n"
      "             {\"id\": 2, \"name\": \"right\", \"bytes\": 80},\n"
      "             {\"id\": 3, \"name\": \"leaf 1\", \"bytes\": 50},\n"
      "             {\"id\": 4, \"name\": \"leaf 2\", \"bytes\": 50},\n"
      "             {\"id\": 5, \"name\": \"leaf 3\", \"bytes\": 50},\n"
      "             {\"id\": 6, \"name\": \"leaf 4\", \"bytes\": 50}],\n"
      " \"ops\": [{\"id\": 0, \"name\": \"make root\", \"outputs\": [0]},\n"
      "         {\"id\": 1, \"name\": \"make left\", \"inputs\": [0], \"outputs\": [1]},\n"
      "         {\"id\": 2, \"name\": \"make right\", \"inputs\": [0], \"outputs\": [2]},\n"
      "         {\"id\": 3, \"name\": \"make leaf 1\", \"inputs\": [1], \"outputs\": [3]},\n"
      "         {\"id\": 4, \"name\": \"make leaf 2\", \"inputs\": [1], \"outputs\": [4]},\n"
      "         {\"id\": 5, \"name\": \"make leaf 3\", \"inputs\": [2], \"outputs\": [5]},\n"
      "         {\"id\": 6, \"name\": \"make leaf 4\", \"inputs\": [2], \"outputs\": [6]}],\n"
      " \"outputs\": []}\n");
}

typedef struct {
  const char *name, *inputs;
  int made, workspace_mb;
  const char *seconds;
} BranchOp;

static void
put_branch_ops(GString *out)
{
  static const BranchOp ops[] = {
      {"conv1_1", "0", 1, 50, "0.11"},    {"conv2_1", "0", 2, 50, "0.12"},
      {"conv3_1", "0", 3, 50, "0.12"},    {"conv1_2", "1", 4, 600, "0.165"},
      {"conv2_2", "2", 5, 50, "0.14"},    {"conv3_2", "3", 6, 50, "0.135"},
      {"fuse", "4, 5, 6", 7, 0, "0.095"}, {"add_skip", "7, 0", 8, 0, "0.045"}};
  for (gsize i = 0; i < G_N_ELEMENTS(ops); i++) {
    g_string_append_printf(out,
                           "%s{\"id\": %d, \"name\": \"%s\", \"inputs\": [%s], \"outputs\": [%d], "
                           "\"workspace_bytes\": %d, \"seconds\": %s",
                           i ? ",\n         " : "", (int)i, ops[i].name, ops[i].inputs, ops[i].made,
                           ops[i].workspace_mb * 1000000, ops[i].seconds);
    if (ops[i].workspace_mb == 600)
      g_string_append(out,
                      ",\n          \"algorithms\": [{\"name\": \"fast\", \"workspace_bytes\": "
                      "600000000, \"seconds\": 0.165},\n                         {\"name\": "
                      "\"small\", \"workspace_bytes\": 100000000, \"seconds\": 0.197}]");
    g_string_append_c(out, '}');
  }
}

/* Its figures stand in ../shared/design/orders-and-budgets.md; the link is 12 GB/s and 20 us. */
char *
sample_branches_graph_new(void)
{
  static const struct {
    const char *name;
    int mb;
  } tensors[] = {{"x", 250},  {"a1", 450}, {"a2", 325}, {"a3", 325}, {"b1", 150},
                 {"b2", 150}, {"b3", 150}, {"f", 250},  {"y", 250}};
  GString *out = g_string_new("{\"format\": \"tenure-graph\", \"version\": 1, "
                              "\"name\": \"three-branch CNN\",\n \"tensors\": [");
  for (gsize i = 0; i < G_N_ELEMENTS(tensors); i++)
    g_string_append_printf(out, "%s{\"id\": %d, \"name\": \"%s\", \"bytes\": %d000000}",
                           i ? ",\n             " : "", (int)i, tensors[i].name, tensors[i].mb);
  g_string_append(out, "],\n \"ops\": [");
  put_branch_ops(out);
  g_string_append(out, "],\n \"outputs\": [8],\n"
                       " \"link\": {\"out\": [[240000, 0.00004], [1200000000, 0.10002]],\n"
                       "          \"in\": [[240000, 0.00004], [1200000000, 0.10002]]}}\n");
  return g_string_free(out, FALSE);
}
