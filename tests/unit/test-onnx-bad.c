/* SPDX-License-Identifier: MIT */
/* ONNX files that no exporter writes: what is read of them, and where the reader stops. */
#include "config.h"

#include "data/error.h"
#include "data/reader.h"
#include "onnx-bytes.h"

static const gint64 two[] = {2};

static TnDocument *
load(Bytes model, TnProgress *progress, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.onnx", model->data, model->len);
  TnReadOptions options = {.format = "onnx", .progress = progress};
  TnDocument *document = tn_document_load_source(source, &options, error);
  g_byte_array_unref(model);
  return document;
}

/* An attribute `name` of `n_ints` 7s and `n_floats` 0.5s. */
static void
add_lists(Bytes node, const char *name, int n_ints, int n_floats, int type)
{
  Bytes attribute = g_byte_array_new(), packed = g_byte_array_new();
  const float half = 0.5f;
  put_text(attribute, 1, name);
  for (int i = 0; i < n_ints; i++)
    put_number(attribute, 8, 7);
  for (int i = 0; i < n_floats; i++)
    g_byte_array_append(packed, (const guint8 *)&half, sizeof half);
  if (n_floats)
    put_bytes(attribute, 7, packed->data, packed->len);
  g_byte_array_unref(packed);
  if (type)
    put_number(attribute, 20, type);
  put_message(node, 5, attribute);
}

/* An attribute's two lists had one length: the longer one. */
static void
test_two_lists(void)
{
  static const struct {
    const char *name;
    int n_ints, n_floats, type;
    gint64 length, bytes;
  } rows[] = {{"value_ints", 1, 4096, 0, 1, 8},    {"value_ints", 1, 4096, 7, 1, 8},
              {"value_floats", 4096, 3, 6, 3, 12}, {"value_ints", 3, 0, 7, 3, 24},
              {"value_floats", 0, 3, 0, 3, 12}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    Bytes graph = g_byte_array_new(), node = onnx_node("Constant", "c", "", "y");
    add_lists(node, rows[i].name, rows[i].n_ints, rows[i].n_floats, rows[i].type);
    put_message(graph, 1, node);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load(onnx_model(graph, 13), NULL, &error);
    g_assert_no_error(error);
    const TnTensor *y = tn_graph_tensor(document->graph, 0);
    g_assert_cmpuint(y->rank, ==, 1);
    g_assert_cmpint(tn_graph_dims(document->graph, y)[0], ==, rows[i].length);
    g_assert_cmpint(y->bytes, ==, rows[i].bytes);
  }
}

static void
test_place_of_number(void)
{
  Bytes graph = g_byte_array_new(), node = onnx_node("Relu", "r", "x", "y");
  put_number(node, 5, 1); /* an attribute that is a number */
  gsize length = node->len;
  put_message(graph, 1, node);
  put_message(graph, 11, onnx_info("x", 1, two, 1));
  Bytes model = onnx_model(graph, 13);
  gsize at = 0;
  while (at + 1 < model->len && (model->data[at] != 0x28 || model->data[at + 1] != 1))
    at++;
  g_assert_cmpuint(at, >, length);
  g_autofree char *expected = g_strdup_printf("t.onnx: byte %" G_GSIZE_FORMAT
                                              ": found a number; expected a message (a length and "
                                              "its bytes)",
                                              at);
  g_autoptr(GError) error = NULL;
  g_assert_null(load(model, NULL, &error));
  g_assert_cmpstr(error->message, ==, expected);
}

static void
add_reference(Bytes node, const char *name, const char *to, int type)
{
  Bytes attribute = g_byte_array_new();
  put_text(attribute, 1, name);
  put_text(attribute, 21, to);
  put_number(attribute, 20, type);
  put_message(node, 5, attribute);
}

static void
add_function(Bytes model, const char *name, Bytes node)
{
  Bytes function = g_byte_array_new();
  put_text(function, 1, name);
  put_text(function, 4, "c");
  put_text(function, 5, "o");
  put_message(function, 7, node);
  put_message(model, 25, function);
}

/* Outer (k of 3) → Inner (k of 1, body: a constant of k) → If of that body: the body was written in
 * Outer, so its k is Outer's, as onnx/inliner has it. */
static void
test_scope(void)
{
  Bytes graph = g_byte_array_new(), body = g_byte_array_new();
  Bytes call = onnx_node("Outer", "call", "c", "y"), constant = onnx_node("Constant", "", "", "r");
  add_lists(call, "k", 3, 0, 7);
  put_message(graph, 1, call);
  put_message(graph, 11, onnx_info("c", 9, two, 0));
  put_message(graph, 12, onnx_info("y", 7, two, 0));
  Bytes model = onnx_model(graph, 13);
  add_reference(constant, "value_ints", "k", 7);
  put_message(body, 1, constant);
  put_message(body, 12, onnx_info("r", 7, two, 0));
  Bytes handed = onnx_node("Inner", "", "c", "o"), choice = onnx_node("If", "", "c", "o");
  add_lists(handed, "k", 1, 0, 7);
  onnx_add_graph(handed, "body", body);
  add_function(model, "Outer", handed);
  add_reference(choice, "then_branch", "body", 5);
  add_reference(choice, "else_branch", "body", 5);
  add_function(model, "Inner", choice);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(model, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(document->graph->ops->len, ==, 1);
  const TnOp *op = tn_graph_op(document->graph, 0);
  g_assert_cmpint(tn_graph_tensor(document->graph, *tn_graph_outputs(document->graph, op))->bytes, ==,
                  3 * 8);
}

/* A function that hands its argument through makes a value as any node does. */
static void
test_handed_through(void)
{
  Bytes graph = g_byte_array_new(), function = g_byte_array_new();
  put_message(graph, 1, onnx_node("Relu", "r", "x", "y"));
  put_message(graph, 1, onnx_node("Same", "s", "x", "y"));
  put_message(graph, 11, onnx_info("x", 1, two, 1));
  Bytes model = onnx_model(graph, 13);
  put_text(function, 1, "Same");
  put_text(function, 4, "i");
  put_text(function, 5, "i");
  put_message(model, 25, function);
  g_autoptr(GError) error = NULL;
  g_assert_null(load(model, NULL, &error));
  g_assert_nonnull(strstr(error->message, "the value 'y': found a second producer"));
}

typedef struct {
  TnProgress progress;
  int left; /* looks until it is cancelled */
} Stopper;

static void
on_report(double fraction G_GNUC_UNUSED, const char *stage G_GNUC_UNUSED, void *payload)
{
  Stopper *stopper = payload;
  stopper->progress.cancelled = --stopper->left <= 0;
}

static Bytes
chain(int n)
{
  Bytes graph = g_byte_array_new();
  for (int i = 0; i < n; i++) {
    g_autofree char *from = g_strdup_printf("n%d", i), *to = g_strdup_printf("n%d", i + 1);
    put_message(graph, 1, onnx_node("Relu", "r", from, to));
  }
  put_message(graph, 11, onnx_info("n0", 1, two, 1));
  return onnx_model(graph, 13);
}

/* Each stage looks five times or so at its 5,000 nodes, and ends there. */
static void
test_stopped(void)
{
  int n_stopped = 0;
  for (bool is_read = false; !is_read;) {
    Stopper stopper = {.left = n_stopped + 1};
    stopper.progress.report = on_report;
    stopper.progress.payload = &stopper;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load(chain(5000), &stopper.progress, &error);
    is_read = document != NULL;
    if (!is_read)
      g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED);
    n_stopped += !is_read;
  }
  g_assert_cmpint(n_stopped, >=, 4 * 4); /* taken apart, built, inferred, written */
  g_assert_cmpint(n_stopped, <=, 64);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/onnx-bad/two-lists", test_two_lists);
  g_test_add_func("/onnx-bad/place-of-number", test_place_of_number);
  g_test_add_func("/onnx-bad/scope", test_scope);
  g_test_add_func("/onnx-bad/handed-through", test_handed_through);
  g_test_add_func("/onnx-bad/stopped", test_stopped);
  return g_test_run();
}
