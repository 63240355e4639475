/* SPDX-License-Identifier: MIT */
/* --order FILE: refused, or every op once and none before what it needs. */
#include "config.h"

#include "app/cli/cli.h"

#include "data/graph-order.h"
#include "tests/fuzz/memory-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char graph_text[] =
    "{\"format\": \"tenure-graph\", \"version\": 1, \"tensors\": [{\"id\": 0, \"bytes\": 64, \"kind\": \"input\"},"
    "{\"id\": 1, \"bytes\": 128}, {\"id\": 2, \"bytes\": 128}, {\"id\": 3, \"bytes\": 32, \"kind\": \"output\"}],"
    "\"ops\": [{\"id\": 10, \"inputs\": [0], \"outputs\": [1]}, {\"id\": 7, \"inputs\": [0], \"outputs\": [2]},"
    "{\"id\": 900719925474099, \"inputs\": [1, 2], \"outputs\": [3]}]}";

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static TnDocument *document;
  static const TnCommonOptions common;
  TnReadOptions options = {.format = "tenure-graph"};
  TnExit code;
  if (!document) {
    g_autoptr(TnSource) source = tn_source_new_for_bytes("graph", graph_text, sizeof graph_text - 1);
    document = tn_document_load_source(source, &options, NULL);
    g_assert_nonnull(document);
  }
  double limit = 0.015;
  g_autofree uint32_t *order =
      tn_cli_build_order(document, &common, tn_memory_file(data, size), &limit, &code);
  if (order)
    g_assert_true(tn_graph_order_is_legal(document->graph, order, document->graph->ops->len));
  else
    g_assert_cmpint(code, ==, TN_EXIT_INPUT);
  return 0;
}
