/* SPDX-License-Identifier: MIT */
/* The tenure-graph reader: what it fills, and what it says of files that break the rules. */
#include "config.h"

#include "data/error.h"
#include "data/graph-writer.h"
#include "data/reader.h"
#include "shared.h"

#include <string.h>
#include <time.h>

#define HEAD "{\"format\":\"tenure-graph\",\"version\":1,"

static TnDocument *
load(const char *text, gsize size, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", text, size);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.format = "tenure-graph";
  return tn_document_load_source(source, &options, error);
}

static const char small[] =
    HEAD "\"name\":\"g\",\"tensors\":[{\"id\":5,\"name\":\"x\",\"shape\":[2,3],"
         "\"dtype\":\"int4\"},{\"id\":\"7\",\"shape\":[2,\"n\"],\"dtype\":\"float32\"},"
         "{\"id\":8,\"bytes\":4}],"
         "\"ops\":[{\"id\":1,\"type\":\"Add\",\"inputs\":[7],\"outputs\":[8],\"after\":[2]},"
         "{\"id\":2,\"inputs\":[5],\"outputs\":[7],\"stream\":3,\"batch_label\":\"b\"}]}";

static void
test_fields(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(small, sizeof small - 1, &error);
  g_assert_no_error(error);
  const TnGraph *graph = document->graph;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_GRAPH);
  g_assert_cmpint(tn_graph_tensor(graph, 0)->bytes, ==, 3);
  g_assert_cmpint(tn_graph_tensor(graph, 0)->kind, ==, TN_TENSOR_INPUT);
  g_assert_cmpint(tn_graph_tensor(graph, 1)->bytes, ==, TN_BYTES_UNKNOWN);
  g_assert_cmpuint(tn_graph_tensor(graph, 1)->producer, ==, 1);
  g_assert_true(tn_graph_tensor(graph, 2)->is_output);
  g_assert_false(tn_graph_tensor(graph, 1)->is_output);
  /* The listed order runs op 1 before op 2, which it needs. */
  g_assert_cmpuint(g_array_index(graph->order, uint32_t, 0), ==, 1);
  g_assert_cmpstr(tn_diagnostics_get(document->diagnostics, 0)->code, ==, "order-not-legal");
  g_assert_cmpuint(tn_graph_op(graph, 1)->stream, ==, 3);
}

/* A kernel's intermediates have no place: not in the copy either.  What is read comes from outside. */
static void
test_kinds(void)
{
  static const char text[] = HEAD
      "\"tensors\":[{\"id\":0,\"bytes\":4,\"kind\":\"activation\"},"
      "{\"id\":1,\"bytes\":4,\"kind\":\"activation\"},{\"id\":2,\"bytes\":4},{\"id\":3,\"bytes\":4}],"
      "\"ops\":[{\"id\":0,\"inputs\":[1],\"outputs\":[3]}]}";
  static const TnTensorKind kinds[] = {TN_TENSOR_ACTIVATION, TN_TENSOR_INPUT, TN_TENSOR_INPUT,
                                       TN_TENSOR_ACTIVATION};
  g_autoptr(TnDocument) document = load(text, sizeof text - 1, NULL);
  for (uint32_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_assert_cmpint(tn_graph_tensor(document->graph, i)->kind, ==, kinds[i]);
    g_assert_cmpint(tn_graph_tensor(document->graph, i)->is_output, ==, i == 3);
  }
}

static void
test_refused(void)
{
  static const struct {
    const char *text, *says;
  } rows[] = {
      {"[1", "t.json:1:2: found"},
      {"{\"format\":\"tenure-graph\",\"version\":1,\n \"tensors\":[}", "t.json:2:13"},
      {"{\"format\":\"tenure-graph\",\"version\":2}", "version: found 2; expected 1"},
      {"{\"format\":\"other\"}", "format: found other"},
      {HEAD "\"ops\":[]}", "tensors: found nothing; expected an array"},
      {HEAD "\"tensors\":[]}", "ops: found nothing"},
      {HEAD "\"tensors\":[{\"id\":1},{\"id\":1}],\"ops\":[]}",
       "tensors[1]: found id 1 a second time"},
      {HEAD "\"tensors\":[{\"id\":1,\"bytes\":-4}],\"ops\":[]}", "tensors[0].bytes: found -4"},
      {HEAD "\"tensors\":[{\"id\":1,\"bytes\":1.5}],\"ops\":[]}", "tensors[0].bytes: found 1.5"},
      {HEAD "\"tensors\":[{\"id\":1,\"bytes\":9007199254740993}],\"ops\":[]}",
       "expected a whole number of at least 0 (from 2^53 on as a decimal string)"},
      {HEAD "\"tensors\":[{\"id\":1,\"bytes\":1e300}],\"ops\":[]}", "tensors[0].bytes"},
      {HEAD "\"tensors\":[{\"shape\":[4],\"dtype\":\"int8\",\"bytes\":5}],\"ops\":[]}",
       "found 5 bytes; expected 4 bytes"},
      {HEAD "\"tensors\":[{\"shape\":[4294967296,4294967296,2],\"dtype\":\"int8\"}],\"ops\":[]}",
       "more than 2^63 bytes"},
      {HEAD "\"tensors\":[{\"kind\":\"weight\"}],\"ops\":[]}", "found kind 'weight'"},
      {HEAD "\"tensors\":[{\"id\":1,\"inside\":9}],\"ops\":[]}", "tensors[0].inside: found id 9"},
      {HEAD "\"tensors\":[{\"id\":1,\"inside\":1}],\"ops\":[]}",
       "tensors[0].inside: found a tensor that lies inside another itself"},
      {HEAD "\"tensors\":[{\"id\":1,\"bytes\":9,\"inside\":2},{\"id\":2,\"bytes\":8}],\"ops\":[]}",
       "tensors[0].inside: found a smaller tensor; expected one of at least 9 bytes"},
      {HEAD "\"tensors\":[],\"ops\":[{\"inputs\":[3]}]}", "ops[0].inputs[0]: found id 3"},
      {HEAD "\"tensors\":[{\"id\":0,\"name\":\"a\"}],\"ops\":[{\"name\":\"P\",\"outputs\":[0]},"
            "{\"outputs\":[0]}]}",
       "second producer of tensor 'a' (0), which op 'P' makes"},
      {HEAD "\"tensors\":[{\"id\":0},{\"id\":1},{\"id\":2}],\"ops\":["
            "{\"name\":\"first\",\"outputs\":[2]},"
            "{\"name\":\"A\",\"inputs\":[1,2],\"outputs\":[0]},"
            "{\"name\":\"B\",\"inputs\":[0],\"outputs\":[1]}]}",
       "the cycle 'A' → 'B' → 'A'"},
      {HEAD "\"tensors\":[{\"id\":0}],\"ops\":[{\"name\":\"A\",\"inputs\":[0],\"outputs\":[0]}]}",
       "the cycle 'A' → 'A'"},
      {HEAD "\"tensors\":[],\"ops\":[{\"id\":0,\"after\":[9]}]}", "ops[0].after: found id 9"},
      {HEAD "\"tensors\":[{\"id\":0},{\"id\":1}],\"ops\":[{\"outputs\":[1],\"views\":[[1,0]]}]}",
       "ops[0].views[0]: found a tensor that is no operand"},
      {HEAD "\"tensors\":[],\"ops\":[],\"outputs\":[1]}", "outputs: found id 1"},
      {HEAD "\"tensors\":[],\"ops\":[{\"internal\":[{\"phases\":[\"now\"]}]}]}", "read, compute"},
      {HEAD "\"tensors\":[{\"id\":0},{\"id\":1}],\"ops\":[{\"inputs\":[0],\"outputs\":[1],\"views\":[[1,0]],"
            "\"unstated_in_place\":[[1,0]]}]}",
       "ops[0]: found another pair; expected unstated_in_place to be pairs of this op"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load(rows[i].text, strlen(rows[i].text), &error);
    if (document || !strstr(error->message, rows[i].says))
      g_error("%s: %s; expected '%s'", rows[i].text, document ? "was read" : error->message,
              rows[i].says);
  }
}

/* What a reader took from an op's type is not what the file states: it stays so when it is written. */
static void
test_unstated(void)
{
  static const char text[] = HEAD
      "\"tensors\":[{\"id\":0},{\"id\":1},{\"id\":2},{\"id\":3}],\"ops\":[{\"inputs\":[0],\"outputs\":[1,2,3],"
      "\"views\":[[1,0],[2,0]],\"unstated_views\":[[2,0]],\"in_place\":[[2,0],[3,0]],"
      "\"unstated_in_place\":[[3,0]]}]}";
  g_autoptr(TnDocument) first = load(text, sizeof text - 1, NULL);
  g_assert_nonnull(first);
  g_autofree char *written = tn_graph_build_json(first->graph, first->strings);
  g_autoptr(TnDocument) second = load(written, strlen(written), NULL);
  const TnDocument *const both[] = {first, second};
  for (gsize i = 0; i < G_N_ELEMENTS(both); i++) {
    const TnGraph *graph = both[i]->graph;
    g_assert_cmpuint(graph->views->len + graph->in_place->len, ==, 4);
    g_assert_true(g_array_index(graph->views, TnAlias, 0).is_stated);
    g_assert_false(g_array_index(graph->views, TnAlias, 1).is_stated);
    g_assert_true(g_array_index(graph->in_place, TnAlias, 0).is_stated);
    g_assert_false(g_array_index(graph->in_place, TnAlias, 1).is_stated);
  }
}

/* Reading them takes as long as there are pairs, not its square (seconds at 60,000). */
static void
test_many_unstated(void)
{
  const int n = 200000;
  g_autoptr(GString) tensors = g_string_new("{\"id\":0}"), outputs = g_string_new(""), views = g_string_new("");
  for (int i = 1; i <= n; i++) {
    const char *before = i > 1 ? "," : "";
    g_string_append_printf(tensors, ",{\"id\":%d}", i);
    g_string_append_printf(outputs, "%s%d", before, i);
    g_string_append_printf(views, "%s[%d,0]", before, n + 1 - i);
  }
  g_autofree char *text = g_strdup_printf(HEAD "\"tensors\":[%s],\"ops\":[{\"inputs\":[0],\"outputs\":[%s],"
                                               "\"views\":[%s],\"unstated_views\":[%s]}]}",
                                          tensors->str, outputs->str, views->str, views->str);
  clock_t begun = clock();
  g_autoptr(TnDocument) document = load(text, strlen(text), NULL);
  double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  g_test_message("%d views that are not stated: %.3f s", n, seconds);
  g_assert_cmpuint(document->graph->views->len, ==, (guint)n);
  for (guint i = 0; i < document->graph->views->len; i++)
    g_assert_false(g_array_index(document->graph->views, TnAlias, i).is_stated);
  g_assert_cmpfloat(seconds, <, 5);
}

/* 2^53 and its neighbours, written and read again. */
static void
test_large_numbers(void)
{
  for (tn_bytes bytes = 9007199254740991; bytes <= 9007199254740993; bytes++) {
    g_autofree char *text = g_strdup_printf(
        HEAD "\"tensors\":[{\"bytes\":\"%" G_GINT64_FORMAT "\"}],\"ops\":[]}", bytes);
    g_autoptr(TnDocument) document = load(text, strlen(text), NULL);
    g_assert_cmpint(tn_graph_tensor(document->graph, 0)->bytes, ==, bytes);
    g_autofree char *written = tn_graph_build_json(document->graph, document->strings);
    g_autoptr(TnDocument) again = load(written, strlen(written), NULL);
    g_assert_nonnull(again);
    g_assert_cmpint(tn_graph_tensor(again->graph, 0)->bytes, ==, bytes);
  }
}

static void
test_truncated(void)
{
  for (gsize n = 1; n < sizeof small - 1; n++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load(small, n, &error);
    g_assert_null(document);
    g_assert_nonnull(error);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph-json/fields", test_fields);
  g_test_add_func("/graph-json/kinds", test_kinds);
  g_test_add_func("/graph-json/refused", test_refused);
  g_test_add_func("/graph-json/unstated", test_unstated);
  g_test_add_func("/graph-json/many-unstated", test_many_unstated);
  g_test_add_func("/graph-json/truncated", test_truncated);
  g_test_add_func("/graph-json/large-numbers", test_large_numbers);
  return g_test_run();
}
