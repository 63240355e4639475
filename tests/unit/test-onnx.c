/* SPDX-License-Identifier: MIT */
/* The ONNX reader on small models made here: what it reads, and what it says of broken ones. */
#include "config.h"

#include "analysis/graph-lifetime.h"
#include "data/error.h"
#include "data/reader.h"
#include "onnx-bytes.h"
#include "shared.h"
#include "warnings.h"

#include <glib/gstdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const gint64 image[] = {1, 3, 8, 8}, weight[] = {4, 3, 3, 3}, batch[] = {-2, 6};

static TnDocument *
load_bytes(const void *data, gsize size, const TnReadOptions *options, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.onnx", data, size);
  TnReadOptions forced = *options;
  forced.format = "onnx";
  return tn_document_load_source(source, &forced, error);
}

static TnDocument *
load(Bytes model, GError **error)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnDocument *document = load_bytes(model->data, model->len, &options, error);
  g_byte_array_unref(model);
  return document;
}

static TnDocument *
load_good(Bytes model)
{
  g_autoptr(GError) error = NULL;
  TnDocument *document = load(model, &error);
  g_assert_no_error(error);
  return document;
}

static void
refuse(Bytes model, const char *says)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load(model, &error);
  if (document || !strstr(error->message, says))
    g_error("%s; expected '%s'", document ? "was read" : error->message, says);
}

static const TnTensor *
find(const TnDocument *document, const TnGraph *graph, const char *name)
{
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    if (strcmp(tn_strings_get(document->strings, tn_graph_tensor(graph, i)->name), name) == 0)
      return tn_graph_tensor(graph, i);
  g_error("no tensor '%s'", name);
}

/* x [1,3,8,8] → Conv (w [4,3,3,3]) → c → Relu → y */
static Bytes
small_graph(void)
{
  Bytes graph = g_byte_array_new();
  put_message(graph, 1, onnx_node("Conv", "conv", "x,w", "c"));
  put_message(graph, 1, onnx_node("Relu", "relu", "c", "y"));
  put_text(graph, 2, "small");
  Bytes initializer = g_byte_array_new();
  for (int i = 0; i < 4; i++)
    put_number(initializer, 1, weight[i]);
  put_number(initializer, 2, 1);
  put_text(initializer, 8, "w");
  put_message(graph, 5, initializer);
  put_message(graph, 11, onnx_info("x", 1, image, 4));
  put_message(graph, 11, onnx_info("w", 1, weight, 4)); /* as before IR 4 */
  put_message(graph, 12, onnx_info("y", 1, image, 0));
  return graph;
}

static void
test_small(void)
{
  g_autoptr(TnDocument) document = load_good(onnx_model(small_graph(), 11));
  const TnGraph *graph = document->graph;
  const TnTensor *y = find(document, graph, "y"), *w = find(document, graph, "w");
  g_assert_cmpuint(graph->ops->len, ==, 2);
  g_assert_cmpint(y->bytes, ==, 4 * 6 * 6 * 4);
  g_assert_cmpuint(y->rank, ==, 4);
  g_assert_cmpint(tn_graph_dims(graph, y)[1], ==, 4);
  g_assert_cmpint(tn_graph_dims(graph, y)[3], ==, 6);
  g_assert_true(y->is_output);
  g_assert_cmpint(w->kind, ==, TN_TENSOR_CONSTANT);
  g_assert_cmpint(w->bytes, ==, 4 * 27 * 4);
  g_assert_cmpstr(document->producer, ==, "test");
  g_assert_cmpint(document->devices->len, ==, 1);
  g_assert_cmpint(tn_document_get_device(document, 0)->axis_end, ==, 6);
}

static Bytes
dynamic_graph(gboolean is_packed)
{
  static const gint64 shape[] = {0, 2, -1}, none[] = {0};
  Bytes graph = g_byte_array_new();
  put_message(graph, 1, onnx_node("Reshape", "r", "x,shape", "y"));
  put_message(graph, 1, onnx_node("Transpose", "t", "y", "z"));
  put_message(graph, 5, onnx_ints("shape", shape, 3, is_packed));
  put_message(graph, 11, onnx_info("x", 1, batch, 2));
  put_message(graph, 12, onnx_info("z", 1, none, 0));
  return graph;
}

static void
test_bindings(void)
{
  static const char *const keys[] = {"N", "x[0]"};
  for (int way = 0; way < 3; way++) {
    Bytes model = onnx_model(dynamic_graph(way == 1), 13);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GHashTable) bindings = g_hash_table_new(g_str_hash, g_str_equal);
    if (way < 2)
      g_hash_table_insert(bindings, (gpointer)keys[way], (gpointer) "5");
    options.bindings = bindings;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load_bytes(model->data, model->len, &options, &error);
    g_assert_no_error(error);
    g_byte_array_unref(model);
    const TnTensor *z = find(document, document->graph, "z");
    const int64_t *dims = tn_graph_dims(document->graph, z);
    g_assert_cmpuint(z->rank, ==, 3);
    g_assert_cmpint(dims[0], ==, 3);
    g_assert_cmpint(dims[1], ==, 2);
    g_assert_cmpint(dims[2], ==, way < 2 ? 5 : -1);
    g_assert_cmpint(z->bytes, ==, way < 2 ? 120 : TN_BYTES_UNKNOWN);
    g_assert_cmpuint(document->graph->free_dims->len, ==, 1);
    const TnFreeDim *dim = &g_array_index(document->graph->free_dims, TnFreeDim, 0);
    g_assert_cmpstr(tn_strings_get(document->strings, dim->param), ==, "N");
    g_assert_cmpint(dim->value, ==, way < 2 ? 5 : -1);
    g_assert_true(has_warning(document, "unsized-tensors") == (way == 2));
    if (way == 2)
      g_assert_nonnull(strstr(tn_strings_get(document->strings, z->lost_why), "x[0]"));
  }
}

static void
test_order_and_folding(void)
{
  static const gint64 ones[] = {1, 1};
  Bytes graph = g_byte_array_new();
  put_message(graph, 1, onnx_node("Relu", "second", "s", "y"));
  put_message(graph, 1, onnx_node("Add", "first", "x,k", "s"));
  put_message(graph, 1, onnx_node("Neg", "fold", "c", "k"));
  put_message(graph, 5, onnx_ints("c", ones, 2, TRUE));
  put_message(graph, 11, onnx_info("x", 7, ones, 2));
  put_message(graph, 12, onnx_info("y", 7, ones, 0));
  g_autoptr(TnDocument) document = load_good(onnx_model(graph, 13));
  g_assert_true(has_warning(document, "unsorted-nodes"));
  g_assert_cmpuint(document->graph->ops->len, ==, 2);
  g_assert_cmpuint(document->graph->n_folded_ops, ==, 1);
  g_assert_cmpuint(g_array_index(document->graph->order, uint32_t, 0), ==, 1);
  g_assert_cmpint(find(document, document->graph, "k")->kind, ==, TN_TENSOR_CONSTANT);
  g_assert_cmpint(find(document, document->graph, "y")->bytes, ==, 16);
}

/* ---- graphs inside nodes --------------------------------------------------------------- */

static Bytes
branch(const char *type, const char *result)
{
  static const gint64 none[] = {0};
  Bytes graph = g_byte_array_new();
  put_message(graph, 1, onnx_node(type, "inner", "x", result));
  put_message(graph, 12, onnx_info(result, 1, none, 0));
  return graph;
}

static Bytes
if_model(const char *then_result)
{
  static const gint64 two[] = {2, 3};
  Bytes graph = g_byte_array_new(), node = onnx_node("If", "choice", "cond", "y");
  onnx_add_graph(node, "then_branch", branch("Transpose", then_result));
  onnx_add_graph(node, "else_branch", branch("Relu", "b"));
  put_message(graph, 1, node);
  put_message(graph, 11, onnx_info("x", 1, two, 2));
  put_message(graph, 11, onnx_info("cond", 9, two, 0));
  put_message(graph, 12, onnx_info("y", 1, two, 0));
  return onnx_model(graph, 13);
}

static void
test_if(void)
{
  for (int way = 0; way < 3; way++) {
    Bytes model = if_model("a");
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    options.is_inference_only = true;
    options.values = g_hash_table_new(g_str_hash, g_str_equal);
    if (way < 2)
      g_hash_table_insert(options.values, (gpointer) "cond", (gpointer)(way ? "1" : "0"));
    g_autoptr(TnDocument) document = load_bytes(model->data, model->len, &options, NULL);
    const TnGraph *graph = document->graph;
    const TnTensor *y = find(document, graph, "y");
    const TnOp *op = tn_graph_op(graph, 0);
    g_assert_cmpint(tn_graph_dims(graph, y)[0], ==, way == 0 ? 2 : way == 1 ? 3 : -1);
    g_assert_cmpuint(op->taken_body, ==, way == 0 ? 1 : way == 1 ? 0 : TN_NONE);
    g_assert_cmpuint(op->n_bodies, ==, 2);
    /* The branches read x, so the If does. */
    g_assert_cmpuint(op->n_implicit, ==, 2);
    g_assert_cmpint(find(document, graph->bodies->pdata[0], "a")->bytes, ==, 24);
    g_hash_table_unref(options.values);
    g_byte_array_unref(model);
  }
}

static void
test_body_memory(void)
{
  g_autoptr(TnDocument) document = load_good(if_model("a"));
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpint(lives->body_bytes, ==, 24);
  g_assert_cmpuint(lives->buffers->n, ==, 3);
  params.with_bodies = true;
  g_autoptr(TnGraphLives) with = tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(with->buffers->n, ==, 4);
  g_assert_cmpint(with->buffers->kind[3], ==, TN_KIND_WORKSPACE);
  /* Where it does not count: x, the condition and y are alive, and 24 bytes inside the If. */
  g_assert_cmpuint(lives->n_uncounted, ==, 1);
  g_assert_cmpint(lives->uncounted_bytes, ==, 24);
  g_assert_cmpint(lives->uncounted_peak, ==,
                  tn_graph_live_peak(lives->buffers, lives->axis_end, NULL) + 24);
  g_assert_cmpuint(with->n_uncounted, ==, 0);
}

/* Weights of both branches, not what is computed of them before the run. */
static void
test_body_weights(void)
{
  static const gint64 two[] = {2, 3}, ones[] = {1, 1, 1};
  Bytes graph = g_byte_array_new(), node = onnx_node("If", "if", "cond", "y");
  for (int i = 0; i < 2; i++) {
    Bytes body = g_byte_array_new();
    put_message(body, 1, onnx_node("Neg", "n", "w", "v"));
    put_message(body, 1, onnx_node("Expand", "e", "x,v", "t"));
    put_message(body, 5, onnx_ints("w", ones, i + 2, FALSE));
    put_message(body, 12, onnx_info("t", 1, two, 2));
    onnx_add_graph(node, i ? "else_branch" : "then_branch", body);
  }
  put_message(graph, 1, node);
  put_message(graph, 11, onnx_info("x", 1, two, 2));
  put_message(graph, 11, onnx_info("cond", 9, two, 0));
  put_message(graph, 12, onnx_info("y", 1, two, 0));
  g_autoptr(TnDocument) document = load_good(onnx_model(graph, 13));
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpint(lives->resident_bytes, ==, 16 + 24);
}

static void
test_shadow(void)
{
  g_autoptr(TnDocument) document = load_good(if_model("cond"));
  g_assert_true(has_warning(document, "shadowed-name"));
}

static void
test_too_deep(void)
{
  Bytes graph = branch("Relu", "r0");
  for (int i = 0; i < 60; i++) {
    Bytes outer = g_byte_array_new(), node = onnx_node("If", "deep", "x", "d");
    onnx_add_graph(node, "then_branch", graph);
    put_message(outer, 1, node);
    graph = outer;
  }
  refuse(onnx_model(graph, 13), "nested deeper than 32");
}

/* Each loop changes what it carries, so that its body is looked at more than once: 2^28 times for
 * the innermost, if nothing stopped it. */
static void
test_loops_in_loops(void)
{
  static const gint64 none[] = {0}, two[] = {2};
  Bytes body = NULL;
  for (int i = 0; i < 28; i++) {
    Bytes graph = g_byte_array_new(), concat = onnx_node("Concat", "grow", "v,v", "g");
    onnx_add_int(concat, "axis", 0);
    put_message(graph, 1, concat);
    put_message(graph, 1, onnx_node("Identity", "on", "c", "again"));
    if (body) {
      Bytes loop = onnx_node("Loop", "inner", ",,x", "r");
      onnx_add_graph(loop, "body", body);
      put_message(graph, 1, loop);
    }
    put_message(graph, 11, onnx_info("i", 7, none, 0));
    put_message(graph, 11, onnx_info("c", 9, none, 0));
    put_message(graph, 11, onnx_info("v", 1, two, 1));
    put_message(graph, 12, onnx_info("again", 9, none, 0));
    put_message(graph, 12, onnx_info("g", 1, two, 1));
    body = graph;
  }
  Bytes graph = g_byte_array_new(), loop = onnx_node("Loop", "outer", ",,x", "y");
  onnx_add_graph(loop, "body", body);
  put_message(graph, 1, loop);
  put_message(graph, 11, onnx_info("x", 1, two, 1));
  put_message(graph, 12, onnx_info("y", 1, two, 1));
  g_autoptr(TnDocument) document = load_good(onnx_model(graph, 13));
  g_assert_true(has_warning(document, "too-many-loops"));
}

/* ---- local functions ------------------------------------------------------------------- */

static Bytes
function_model(const char *inside)
{
  static const gint64 two[] = {2, 3};
  Bytes graph = g_byte_array_new(), call = onnx_node("Twice", "call", "x", "y");
  put_text(call, 7, "mine");
  onnx_add_int(call, "to", 10);
  put_message(graph, 1, call);
  put_message(graph, 11, onnx_info("x", 1, two, 2));
  put_message(graph, 12, onnx_info("y", 1, two, 0));
  Bytes model = onnx_model(graph, 13), function = g_byte_array_new();
  Bytes cast = onnx_node("Cast", "cast", "h", "o"), attribute = g_byte_array_new();
  put_text(attribute, 1, "to");
  put_text(attribute, 21, "to");
  put_number(attribute, 20, 2);
  put_message(cast, 5, attribute);
  Bytes first = onnx_node(inside, "", "i", "h");
  if (strcmp(inside, "Twice") == 0)
    put_text(first, 7, "mine");
  put_text(function, 1, "Twice");
  put_text(function, 4, "i");
  put_text(function, 5, "o");
  put_message(function, 7, first);
  put_message(function, 7, cast);
  put_text(function, 10, "mine");
  put_message(model, 25, function);
  return model;
}

static void
test_function(void)
{
  g_autoptr(TnDocument) document = load_good(function_model("Transpose"));
  g_assert_cmpuint(document->graph->ops->len, ==, 2);
  const TnTensor *y = find(document, document->graph, "y");
  g_assert_cmpint(y->bytes, ==, 12); /* cast to float16, as the call says */
  g_assert_cmpint(tn_graph_dims(document->graph, y)[0], ==, 3);
  g_assert_nonnull(find(document, document->graph, "call#1/h"));
  refuse(function_model("Twice"), "functions that don't call themselves");
}

/* ---- broken files ---------------------------------------------------------------------- */

static Bytes
two_nodes(const char *inputs_a, const char *outputs_a, const char *inputs_b, const char *outputs_b)
{
  Bytes graph = g_byte_array_new();
  put_message(graph, 1, onnx_node("Relu", "A", inputs_a, outputs_a));
  put_message(graph, 1, onnx_node("Relu", "B", inputs_b, outputs_b));
  put_message(graph, 11, onnx_info("x", 1, image, 4));
  return onnx_model(graph, 13);
}

static void
test_broken(void)
{
  refuse(two_nodes("b", "a", "a", "b"), "the cycle Relu 'A' → Relu 'B' → Relu 'A'");
  refuse(two_nodes("a", "a", "x", "b"), "the cycle Relu 'A' → Relu 'A'");
  refuse(two_nodes("x", "a", "x", "a"), "a second producer of 'a', which Relu 'A' made already");
  refuse(two_nodes("x", "a", "a", "x"), "a second producer of 'x', which the graph's inputs");
  refuse(two_nodes("x", "a", "nowhere", "b"), "node 'B' (Relu): found the input 'nowhere'");
  Bytes graph = small_graph();
  put_message(graph, 12, onnx_info("ghost", 1, image, 4));
  refuse(onnx_model(graph, 13), "the output 'ghost', which nothing makes");
  Bytes bad = g_byte_array_new();
  graph = small_graph();
  for (int i = 0; i < 3; i++)
    put_number(bad, 1, 1ll << 40);
  put_number(bad, 2, 1);
  put_text(bad, 8, "huge");
  put_message(graph, 5, bad);
  refuse(onnx_model(graph, 13), "dimensions are negative, too many, or too large");
  Bytes group = g_byte_array_new();
  put_varint(group, 7 << 3 | 3);
  refuse(group, "a group or an unknown wire type");
}

static void
test_overflow(void)
{
  static const gint64 wide[] = {1ll << 31, 1ll << 31}, none[] = {0};
  Bytes graph = g_byte_array_new(), flat = onnx_node("Flatten", "f", "x", "y");
  onnx_add_int(flat, "axis", 0);
  put_message(graph, 1, flat);
  put_message(graph, 11, onnx_info("x", 1, wide, 2));
  put_message(graph, 12, onnx_info("y", 1, none, 0));
  g_autoptr(TnDocument) document = load_good(onnx_model(graph, 13));
  /* 2^62 floats have no size in 64 bits: unknown, never wrong. */
  const TnTensor *x = find(document, document->graph, "x");
  g_assert_cmpint(x->bytes, ==, TN_BYTES_UNKNOWN);
  g_assert_cmpstr(tn_strings_get(document->strings, x->lost_why), ==, "its size passes 2^63 bytes");
}

/* One 3 x 3 convolution, 3 → 4 channels, 8 x 8 → 6 x 6, and a Relu after it. */
static void
test_workspaces(void)
{
  static const struct {
    const char *algorithm;
    tn_bytes bytes;
  } rows[] = {{"direct", 0},
              {"im2col", 3 * 9 * 36 * 4},
              {"tiled-im2col", 3 * 9 * 6 * 4},
              {"winograd", 16 * 7 * 9 * 4},
              {"mlas", 128 * 128 * 4}};
  g_autoptr(TnDocument) document = load_good(onnx_model(small_graph(), 11));
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
    params.algorithm = rows[i].algorithm;
    g_autoptr(TnGraphLives) lives =
        tn_graph_lives_new(document->graph, document->strings, &params, NULL);
    g_assert_cmpint(lives->workspace_bytes, ==, rows[i].bytes);
  }
}

/* ONNX Runtime: the caller's x and y are residents, c takes 256-byte blocks, MLAS its panel. */
static void
test_preset(void)
{
  g_autoptr(TnDocument) document = load_good(onnx_model(small_graph(), 11));
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "ort";
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpint(lives->alignment, ==, 256);
  g_assert_cmpuint(lives->buffers->n, ==, 2);
  g_assert_cmpint(lives->buffers->bytes[0], ==, 768); /* c: 576 */
  g_assert_cmpint(lives->workspace_bytes, ==, 65536);
  g_assert_cmpint(lives->resident_bytes, ==, 768 + 512 + 768); /* x, w, y */
  params.preset = NULL;
  g_autoptr(TnGraphLives) plain =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(plain->buffers->n, ==, 2); /* y takes c's memory */
  g_assert_cmpuint(plain->n_in_place, ==, 1);
}

/* Each of these files is cut and changed everywhere: an error or a reading, never a crash. */
static void
test_damaged(void)
{
  Bytes models[] = {onnx_model(small_graph(), 11), onnx_model(dynamic_graph(TRUE), 13),
                    if_model("a"), function_model("Transpose")};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    for (guint n = 0; n < models[m]->len; n++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(TnDocument) cut = load_bytes(models[m]->data, n, &options, &error);
      g_assert_true(cut || error);
      for (int k = 0; k < 16; k++) {
        guint8 kept = models[m]->data[n];
        models[m]->data[n] = (guint8)g_test_rand_int();
        g_autoptr(GError) other = NULL;
        g_autoptr(TnDocument) changed =
            load_bytes(models[m]->data, models[m]->len, &options, &other);
        g_assert_true(changed || other);
        models[m]->data[n] = kept;
      }
    }
    g_byte_array_unref(models[m]);
  }
}

/* Real models with loops, scans and branches, a few bytes changed at random. */
static void
test_damaged_samples(void)
{
  static const char *const files[] = {"ort-issue11536_if", "ort-crop_and_resize_loop",
                                      "ort-dummy_t5", "tract-qlstm_scan", "ort-fp16model_loop"};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    g_autofree char *relative = g_strdup_printf("samples/onnx/%s.onnx", files[f]);
    g_autofree char *path = shared_path(relative), *data = NULL;
    gsize size;
    if (!path)
      return;
    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    for (int round = 0; round < 300; round++) {
      g_autofree char *changed = g_memdup2(data, size);
      for (int k = g_test_rand_int_range(1, 6); k > 0; k--)
        changed[g_test_rand_int_range(0, (gint32)size)] = (char)g_test_rand_int();
      g_autoptr(GError) error = NULL;
      g_autoptr(TnDocument) document = load_bytes(changed, size, &options, &error);
      g_assert_true(document || error);
      if (!document)
        continue;
      TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
      g_autoptr(TnGraphLives) lives =
          tn_graph_lives_new(document->graph, document->strings, &params, NULL);
    }
  }
}

/* ---- external data --------------------------------------------------------------------- */

static Bytes
external_model(const char *location)
{
  static const gint64 none[] = {0}, twelve[] = {12};
  Bytes graph = g_byte_array_new(), shape = g_byte_array_new(), entry = g_byte_array_new();
  put_message(graph, 1, onnx_node("Reshape", "r", "x,shape", "y"));
  put_number(shape, 1, 2);
  put_number(shape, 2, 7);
  put_text(shape, 8, "shape");
  put_text(entry, 1, "location");
  put_text(entry, 2, location);
  put_message(shape, 13, entry);
  put_number(shape, 14, 1);
  put_message(graph, 5, shape);
  put_message(graph, 11, onnx_info("x", 1, twelve, 1));
  put_message(graph, 12, onnx_info("y", 1, none, 0));
  return onnx_model(graph, 13);
}

static tn_bytes
external_size(const char *folder, const char *location, bool *out_is_refused)
{
  Bytes model = external_model(location);
  g_autofree char *path = g_build_filename(folder, "model.onnx", NULL);
  g_assert_true(g_file_set_contents(path, (char *)model->data, model->len, NULL));
  g_byte_array_unref(model);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  options.is_inference_only = true;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  *out_is_refused = has_warning(document, "external-refused");
  g_remove(path);
  return find(document, document->graph, "y")->bytes;
}

static void
test_external(void)
{
  static const gint64 shape[] = {3, 4};
  g_autofree char *folder = g_dir_make_tmp("tenure-XXXXXX", NULL);
  g_autofree char *inside = g_build_filename(folder, "inside", NULL);
  g_autofree char *data = g_build_filename(folder, "data", NULL);
  g_autofree char *link = g_build_filename(inside, "link", NULL);
  bool is_refused;
  g_mkdir(inside, 0700);
  g_assert_true(g_file_set_contents(data, (const char *)shape, sizeof shape, NULL));
  g_assert_cmpint(symlink(data, link), ==, 0);
  g_assert_cmpint(external_size(folder, "data", &is_refused), ==, 48);
  g_assert_false(is_refused);
  g_assert_cmpint(external_size(folder, "missing", &is_refused), ==, TN_BYTES_UNKNOWN);
  g_assert_cmpint(external_size(inside, "../data", &is_refused), ==, TN_BYTES_UNKNOWN);
  g_assert_true(is_refused);
  g_assert_cmpint(external_size(inside, data, &is_refused), ==, TN_BYTES_UNKNOWN);
  g_assert_true(is_refused);
  g_assert_cmpint(external_size(inside, "link", &is_refused), ==, TN_BYTES_UNKNOWN);
  /* However large the weights' file is, a few bytes are read of it. */
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  g_assert_cmpint(truncate(data, 3ll << 30), ==, 0);
  g_assert_cmpint(external_size(folder, "data", &is_refused), ==, 48);
  getrusage(RUSAGE_SELF, &after);
  g_assert_cmpint(after.ru_maxrss - before.ru_maxrss, <, 65536);
  g_remove(link);
  g_remove(data);
  g_remove(inside);
  g_remove(folder);
}

/* Two functions of one name: the call's overload says which. */
static Bytes
cast_function(const char *overload, int to)
{
  Bytes function = g_byte_array_new(), cast = onnx_node("Cast", "", "i", "o");
  onnx_add_int(cast, "to", to);
  put_text(function, 1, "F");
  put_text(function, 4, "i");
  put_text(function, 5, "o");
  put_message(function, 7, cast);
  put_text(function, 10, "mine");
  if (*overload)
    put_text(function, 13, overload);
  return function;
}

static void
test_overload(void)
{
  static const gint64 two[] = {2, 3};
  static const char *const overloads[] = {"first", "second", ""};
  static const tn_bytes sizes[] = {12, 48, 24};
  for (int asked = 0; asked < 3; asked++) {
    Bytes graph = g_byte_array_new(), call = onnx_node("F", "call", "x", "y");
    put_text(call, 7, "mine");
    put_text(call, 8, overloads[asked]);
    put_message(graph, 1, call);
    put_message(graph, 11, onnx_info("x", 1, two, 2));
    put_message(graph, 12, onnx_info("y", 1, two, 0));
    Bytes model = onnx_model(graph, 13);
    put_message(model, 25, cast_function("first", 10));
    put_message(model, 25, cast_function("second", 11));
    put_message(model, 25, cast_function("", 1));
    g_autoptr(TnDocument) document = load_good(model);
    g_assert_cmpint(find(document, document->graph, "y")->bytes, ==, sizes[asked]);
  }
}

/* A weight that the file keeps as values and their places, [10,10]; without dimensions: none. */
static Bytes
sparse_graph(bool with_dims)
{
  static const gint64 rows[] = {4, 10}, none[] = {0};
  Bytes graph = g_byte_array_new(), sparse = g_byte_array_new(), values = g_byte_array_new();
  put_number(values, 1, 3);
  put_number(values, 2, 1);
  put_text(values, 8, "w");
  put_message(sparse, 1, values);
  put_message(sparse, 2, onnx_ints("places", (const gint64[]){0, 5, 9}, 3, FALSE));
  for (int i = 0; with_dims && i < 2; i++)
    put_number(sparse, 3, 10);
  put_message(graph, 1, onnx_node("MatMul", "m", "x,w", "y"));
  put_message(graph, 11, onnx_info("x", 1, rows, 2));
  put_message(graph, 12, onnx_info("y", 1, none, 0));
  put_message(graph, 15, sparse);
  return graph;
}

static void
test_sparse(void)
{
  g_autoptr(TnDocument) document = load_good(onnx_model(sparse_graph(true), 13));
  g_assert_cmpint(find(document, document->graph, "w")->bytes, ==, 400);
  g_assert_cmpint(find(document, document->graph, "w")->kind, ==, TN_TENSOR_CONSTANT);
  g_assert_cmpint(find(document, document->graph, "y")->bytes, ==, 160);
  g_autoptr(TnDocument) poor = load_good(onnx_model(sparse_graph(false), 13));
  const TnWarning *warning = find_warning(poor, "unsized-tensors");
  g_assert_nonnull(warning);
  g_assert_nonnull(strstr(warning->message, "the first is 'w', lost at the graph's weights: the "
                                            "shape is not known"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/onnx/small", test_small);
  g_test_add_func("/onnx/bindings", test_bindings);
  g_test_add_func("/onnx/order-and-folding", test_order_and_folding);
  g_test_add_func("/onnx/if", test_if);
  g_test_add_func("/onnx/body-memory", test_body_memory);
  g_test_add_func("/onnx/body-weights", test_body_weights);
  g_test_add_func("/onnx/shadow", test_shadow);
  g_test_add_func("/onnx/too-deep", test_too_deep);
  g_test_add_func("/onnx/loops-in-loops", test_loops_in_loops);
  g_test_add_func("/onnx/function", test_function);
  g_test_add_func("/onnx/broken", test_broken);
  g_test_add_func("/onnx/overflow", test_overflow);
  g_test_add_func("/onnx/workspaces", test_workspaces);
  g_test_add_func("/onnx/preset", test_preset);
  g_test_add_func("/onnx/damaged", test_damaged);
  g_test_add_func("/onnx/damaged-samples", test_damaged_samples);
  g_test_add_func("/onnx/external", test_external);
  g_test_add_func("/onnx/overload", test_overload);
  g_test_add_func("/onnx/sparse", test_sparse);
  return g_test_run();
}
