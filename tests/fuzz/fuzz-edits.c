/* SPDX-License-Identifier: MIT */
/* What-if edits of a small graph: refused with a reason, or a graph that passes through all that
 * follows. */
#include "config.h"

#include "tests/fuzz/past-reader.h"

#include "data/edited-document.h"
#include "data/graph-edit.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* in → a → b → c → out, and b also to d. */
static const char graph_text[] =
    "{\"format\": \"tenure-graph\", \"version\": 1, \"tensors\": ["
    "{\"id\": 0, \"name\": \"in\", \"bytes\": 64, \"kind\": \"input\"}, {\"id\": 1, \"name\": \"x\", \"bytes\": 128},"
    "{\"id\": 2, \"name\": \"y\", \"bytes\": 128}, {\"id\": 3, \"name\": \"z\", \"bytes\": 32},"
    "{\"id\": 4, \"name\": \"out\", \"bytes\": 16, \"kind\": \"output\"}, {\"id\": 5, \"name\": \"w\", \"bytes\": 256}],"
    "\"ops\": [{\"id\": 0, \"name\": \"a\", \"type\": \"Conv\", \"inputs\": [0], \"outputs\": [1]},"
    "{\"id\": 1, \"name\": \"b\", \"type\": \"Relu\", \"inputs\": [1], \"outputs\": [2]},"
    "{\"id\": 2, \"name\": \"c\", \"type\": \"Add\", \"inputs\": [2, 1], \"outputs\": [3]},"
    "{\"id\": 3, \"name\": \"d\", \"type\": \"MatMul\", \"inputs\": [2], \"outputs\": [5]},"
    "{\"id\": 4, \"name\": \"e\", \"type\": \"Sum\", \"inputs\": [3, 5], \"outputs\": [4]}]}";

static TnDocument *
load_graph(void)
{
  TnReadOptions options = {.format = "tenure-graph"};
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("graph", graph_text, sizeof graph_text - 1);
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

/* The list as it is written is the list. */
static void
check_list(const GPtrArray *edits)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = tn_graph_edits_build_json(edits);
  g_autoptr(GPtrArray) again = tn_graph_edits_parse("edits", text, strlen(text), &error);
  g_assert_no_error(error);
  g_assert_cmpuint(again->len, ==, edits->len);
  for (guint i = 0; i < edits->len; i++)
    g_free(tn_graph_edit_describe(edits->pdata[i]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static TnDocument *document;
  g_autoptr(GError) error = NULL, refusal = NULL;
  if (!document)
    document = load_graph();
  g_autoptr(GPtrArray) edits = tn_graph_edits_parse("edits", (const char *)data, size, &error);
  g_assert_true((edits == NULL) == (error != NULL));
  if (!edits)
    return 0;
  check_list(edits);
  g_autoptr(TnDocument) edited = tn_document_new_edited(document, edits, &refusal);
  g_assert_true((edited == NULL) == (refusal != NULL));
  if (edited)
    tn_fuzz_document(edited);
  return 0;
}
