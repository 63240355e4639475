/* SPDX-License-Identifier: MIT */
/* What-if edits: what each does to the peak, and what is refused. */
#include "config.h"

#include "analysis/graph-edit-effect.h"
#include "data/edited-document.h"
#include "data/graph-edit.h"
#include "data/graph-order.h"
#include "data/graph-rebuild.h"
#include "data/graph-writer.h"
#include "data/reader.h"
#include "shared.h"

#include <string.h>

/*  x (10) ─A→ a (40) ─B→ b (40) ─C→ c (20) ─┐
 *             └──────────────────────────────D→ d (10), output        B has a workspace of 8. */
static const char text[] =
    "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
    "{\"id\":0,\"name\":\"x\",\"bytes\":10},{\"id\":1,\"name\":\"a\",\"bytes\":40},"
    "{\"id\":2,\"name\":\"b\",\"shape\":[10],\"dtype\":\"float32\"},"
    "{\"id\":3,\"name\":\"c\",\"bytes\":20},{\"id\":4,\"name\":\"d\",\"bytes\":10}],\"ops\":["
    "{\"name\":\"A\",\"inputs\":[0],\"outputs\":[1]},"
    "{\"name\":\"B\",\"inputs\":[1],\"outputs\":[2],\"workspace_bytes\":8},"
    "{\"name\":\"C\",\"inputs\":[2],\"outputs\":[3]},"
    "{\"name\":\"D\",\"inputs\":[1,3],\"outputs\":[4]}]}";

static TnDocument *
load(void)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

static tn_bytes
peak_of(const TnGraph *graph, TnStrings *strings)
{
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, strings, &params, &error);
  g_assert_no_error(error);
  return tn_graph_live_peak(lives->buffers, lives->axis_end, NULL);
}

static GPtrArray *
parse(const char *edits, GError **error)
{
  g_autofree char *whole =
      g_strdup_printf("{\"format\":\"tenure-edits\",\"version\":1,\"edits\":[%s]}", edits);
  return tn_graph_edits_parse("e.json", whole, strlen(whole), error);
}

/* Written as our own document and read again, a graph is the same. */
static void
check_written(TnDocument *document)
{
  g_autofree char *json = tn_graph_build_json(document->graph, document->strings);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("written", json, strlen(json));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) again = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(peak_of(again->graph, again->strings), ==,
                  peak_of(document->graph, document->strings));
  g_autofree char *twice = tn_graph_build_json(again->graph, again->strings);
  g_assert_cmpstr(json, ==, twice);
}

static void
test_peaks(void)
{
  static const struct {
    const char *edits;
    uint32_t n_ops;
    tn_bytes peak;
  } rows[] = {
      {"", 4, 100},                                            /* a, b, c */
      {"{\"edit\":\"fuse\",\"ops\":[\"B\",\"C\"]}", 3, 70},    /* a, c, d; or a, c, 8 */
      {"{\"edit\":\"fuse\",\"ops\":[\"B\",\"C\",\"D\"]}", 2, 58}, /* a, d, 8 */
      {"{\"edit\":\"in-place\",\"tensor\":\"c\",\"input\":\"b\"}", 4, 88}, /* B: a, b, 8 */
      {"{\"edit\":\"view\",\"tensor\":\"b\",\"input\":\"a\"}", 4, 70},
      {"{\"edit\":\"tensor\",\"tensor\":\"b\",\"dtype\":\"float16\"}", 4, 80},
      {"{\"edit\":\"tensor\",\"tensor\":\"#2\",\"bytes\":100}", 4, 160},
      {"{\"edit\":\"pin\",\"tensor\":\"b\"}", 4, 110},
      {"{\"edit\":\"pin\",\"tensor\":\"b\"},{\"edit\":\"release\",\"tensor\":\"b\"}", 4, 100},
      {"{\"edit\":\"split\",\"op\":\"C\",\"tasks\":2}", 5, 100},
      {"{\"edit\":\"split\",\"op\":\"B\",\"tasks\":4},"
       "{\"edit\":\"fuse\",\"ops\":[\"C\",\"D\"]}", 6, 90},
  };
  g_autoptr(TnDocument) document = load();
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) edits = parse(rows[i].edits, &error);
    g_assert_no_error(error);
    g_autoptr(TnGraph) graph =
        tn_graph_build_edited(document->graph, document->strings, edits, &error);
    g_assert_no_error(error);
    tn_bytes peak = peak_of(graph, document->strings);
    if (graph->ops->len != rows[i].n_ops || peak != rows[i].peak)
      g_error("%s: %u ops, peak %" G_GINT64_FORMAT, rows[i].edits, graph->ops->len, peak);
    /* The list survives being written and read. */
    g_autofree char *json = tn_graph_edits_build_json(edits);
    g_autoptr(GPtrArray) again = tn_graph_edits_parse("again", json, strlen(json), &error);
    g_assert_no_error(error);
    g_autofree char *twice = tn_graph_edits_build_json(again);
    g_assert_cmpstr(json, ==, twice);
  }
  g_assert_cmpint(peak_of(document->graph, document->strings), ==, 100);
  check_written(document);
}

static void
test_refused(void)
{
  static const struct {
    const char *edits, *says;
  } rows[] = {
      {"{\"edit\":\"melt\"}", "edits[0]: found edit 'melt'"},
      {"{\"edit\":\"split\",\"op\":\"C\",\"tasks\":1}", "edits[0].tasks"},
      {"{\"edit\":\"fuse\",\"ops\":[\"A\"]}", "edit 1: found 1; expected at least two"},
      {"{\"edit\":\"fuse\",\"ops\":[\"A\",\"Z\"]}", "found 0 ops 'Z'"},
      {"{\"edit\":\"fuse\",\"ops\":[\"A\",\"D\"]}", "a cycle once 'A' … 'D' are one"},
      {"{\"edit\":\"pin\",\"tensor\":\"b\"},{\"edit\":\"view\",\"tensor\":\"d\",\"input\":\"x\"}",
       "edit 2: found 'd' and 'x'"},
      {"{\"edit\":\"tensor\",\"tensor\":\"b\",\"dtype\":\"float17\"}", "found 'float17'"},
      {"{\"edit\":\"tensor\",\"tensor\":\"a\",\"dtype\":\"float16\"}", "whose shape is known"},
      {"{\"edit\":\"pin\"}", "the name of a tensor"},
      {"{\"edit\":\"pin\",\"tensor\":\"d\"}", "'d', which lives to the end already"},
      {"{\"edit\":\"release\",\"tensor\":\"a\"}", "'a', which ends with its last reader already"},
  };
  g_autoptr(TnDocument) document = load();
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) edits = parse(rows[i].edits, &error);
    g_autoptr(TnGraph) graph =
        edits ? tn_graph_build_edited(document->graph, document->strings, edits, &error) : NULL;
    if (graph || !strstr(error->message, rows[i].says))
      g_error("%s: %s; expected '%s'", rows[i].edits, graph ? "was done" : error->message,
              rows[i].says);
  }
}

/* A copy of a real graph gives the same peak; fusing neighbours keeps orders legal. */
/* An op of 9000 outputs in 1024 parts would have nine million tensors. */
static void
test_too_many_parts(void)
{
  g_autoptr(GString) whole = g_string_new("{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[");
  for (int i = 0; i < 9000; i++)
    g_string_append_printf(whole, "%s{\"bytes\":1}", i ? "," : "");
  g_string_append(whole, "],\"ops\":[{\"name\":\"A\",\"outputs\":[0");
  for (int i = 1; i < 9000; i++)
    g_string_append_printf(whole, ",%d", i);
  g_string_append(whole, "]}]}");
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", whole->str, whole->len);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  g_assert_nonnull(document);
  for (int tasks = 2; tasks <= 1024; tasks += 1022) {
    g_autofree char *edit = g_strdup_printf("{\"edit\":\"split\",\"op\":\"A\",\"tasks\":%d}", tasks);
    g_autoptr(GPtrArray) edits = parse(edit, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnGraph) graph = tn_graph_build_edited(document->graph, document->strings, edits, &error);
    g_assert_true(tasks == 2 ? graph && graph->ops->len == 2 : !graph);
    if (!graph)
      g_assert_true(strstr(error->message, "expected parts with at most 8388608"));
  }
}

static void
test_copies(void)
{
  static const char *const files[] = {"graphs/random_g20.json", "graphs/gen_darts_small.json",
                                      "graphs/three_branch_cnn.json",
                                      "samples/onnx/npm-silero_vad_v5.onnx",
                                      "samples/tflite/tflm-person_detect.tflite"};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = shared_path(files[i]);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    if (!path)
      return;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
    check_written(document);
    g_autoptr(TnGraph) copy = tn_graph_copy(document->graph);
    g_assert_cmpint(peak_of(copy, document->strings), ==,
                    peak_of(document->graph, document->strings));
    for (uint32_t k = 0; k + 1 < copy->ops->len; k++) {
      const uint32_t pair[] = {k, k + 1};
      g_autoptr(TnGraph) fused = tn_graph_build_fused(copy, pair, 2);
      if (fused) {
        g_assert_cmpuint(fused->ops->len, ==, copy->ops->len - 1);
        g_assert_true(tn_graph_order_is_legal(fused, (uint32_t *)(void *)fused->order->data,
                                              fused->order->len));
        peak_of(fused, document->strings);
      }
    }
  }
}

/* Names that find one thing only; rows otherwise. */
static void
test_names(void)
{
  g_autoptr(TnDocument) document = load();
  TnGraph *graph = document->graph;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    uint32_t row = TN_NONE;
    g_autofree char *name = tn_graph_edit_dup_op_name(graph, document->strings, i);
    g_assert_cmpuint(tn_graph_edit_find_op(graph, document->strings, name, &row), ==, 1);
    g_assert_cmpuint(row, ==, i);
    g_assert_cmpint(name[0], ==, "ABCD"[i]);
  }
  /* A second B is found by what it makes, then, where that is a name of its own too, by its row. */
  tn_graph_op(graph, 2)->name = tn_graph_op(graph, 1)->name;
  g_autofree char *by_output = tn_graph_edit_dup_op_name(graph, document->strings, 2);
  g_assert_cmpstr(by_output, ==, "c");
  tn_graph_tensor(graph, 3)->name = tn_graph_tensor(graph, 2)->name;
  g_autofree char *by_row = tn_graph_edit_dup_op_name(graph, document->strings, 2);
  g_assert_cmpstr(by_row, ==, "#2");
  g_autofree char *tensor = tn_graph_edit_dup_tensor_name(graph, document->strings, 3);
  g_assert_cmpstr(tensor, ==, "#3");
}

/* In place: the reason why nothing changes, or that something does. */
static void
test_idle(void)
{
  static const struct {
    const char *edit, *says;
  } rows[] = {
      {"{\"edit\":\"in-place\",\"tensor\":\"c\",\"input\":\"b\"}", NULL},
      {"{\"edit\":\"in-place\",\"tensor\":\"b\",\"input\":\"a\"}", "a is still read by D"},
      {"{\"edit\":\"in-place\",\"tensor\":\"a\",\"input\":\"x\"}",
       "a (40 B) is larger than x (10 B)"},
      {"{\"edit\":\"view\",\"tensor\":\"b\",\"input\":\"a\"}", NULL},
      {"{\"edit\":\"view\",\"tensor\":\"b\",\"input\":\"a\"},"
       "{\"edit\":\"in-place\",\"tensor\":\"b\",\"input\":\"a\"}", "b is a view"},
      {"{\"edit\":\"pin\",\"tensor\":\"b\"},"
       "{\"edit\":\"in-place\",\"tensor\":\"c\",\"input\":\"b\"}", "b lives to the end"},
  };
  g_autoptr(TnDocument) document = load();
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) edits = parse(rows[i].edit, &error);
    g_autoptr(TnDocument) edited = tn_document_new_edited(document, edits, &error);
    g_assert_no_error(error);
    g_autofree char *reason = tn_graph_edit_dup_idle_reason(
        edited->graph, edited->strings, &params, edits->pdata[edits->len - 1]);
    if (rows[i].says ? !reason || !strstr(reason, rows[i].says) : reason != NULL)
      g_error("%s: %s", rows[i].edit, reason);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph-edit/peaks", test_peaks);
  g_test_add_func("/graph-edit/refused", test_refused);
  g_test_add_func("/graph-edit/too-many-parts", test_too_many_parts);
  g_test_add_func("/graph-edit/copies", test_copies);
  g_test_add_func("/graph-edit/names", test_names);
  g_test_add_func("/graph-edit/idle", test_idle);
  return g_test_run();
}
