/* SPDX-License-Identifier: MIT */
/* GE's dumps of graphs, in both text forms: lives from ids and edges, places, references, groups. */
#include "config.h"

#include "analysis/findings-all.h"
#include "data/error.h"
#include "data/reader.h"
#include "data/readers/ge-build.h"
#include "data/readers/text-proto.h"
#include "ge-support.h"
#include "shared.h"
#include "warnings.h"

typedef enum { PROTO, ONNX, ONNX_JSON, N_FORMS } Form;

static char *
text_of(Form form, const GeOp *ops, gsize n)
{
  return form == PROTO ? ge_proto_text(ops, n) : ge_onnx_text(ops, n, form == ONNX_JSON);
}

static TnDocument *
load_bytes(const char *text, gsize size, bool is_partial, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("dump", text, size);
  TnReadOptions options = {.is_partial_wanted = is_partial};
  return tn_document_load_source(source, &options, error);
}

static TnDocument *
load(const char *text)
{
  g_autoptr(GError) error = NULL;
  TnDocument *document = load_bytes(text, strlen(text), false, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "ge-graph");
  return document;
}

static const TnBuffers *
buffers_of(const TnDocument *document)
{
  return tn_document_get_device(document, 0)->buffers;
}

static tn_index
find(const TnDocument *document, const char *name)
{
  const TnBuffers *b = buffers_of(document);
  for (tn_index i = 0; i < b->n; i++)
    if (strcmp(tn_strings_get(document->strings, b->name[i]), name) == 0)
      return i;
  return TN_NONE;
}

static void
assert_row(const TnDocument *document, const char *name, tn_tick start, tn_tick end,
           tn_bytes offset, tn_bytes bytes, tn_bytes requested)
{
  const TnBuffers *b = buffers_of(document);
  tn_index i = find(document, name);
  g_assert_cmpuint(i, !=, TN_NONE);
  g_assert_cmpint(b->start[i], ==, start * 3);
  g_assert_cmpint(b->end[i], ==, end * 3 + 3);
  g_assert_cmpint(b->offset[i], ==, offset);
  g_assert_cmpint(b->bytes[i], ==, bytes);
  g_assert_cmpint(b->requested[i], ==, requested);
}

static guint
count_findings(const TnDocument *document, const char *code)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnFindParams find_params = {0};
  guint n = 0;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_autoptr(TnFindings) findings = tn_findings_new();
  g_assert_nonnull(study);
  tn_find_all(study, &find_params, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    n += strcmp(tn_findings_get(findings, i)->code, code) == 0;
  return n;
}

/* ---- a plan whose values are known ------------------------------------------------------------- */

static void
test_io_reuse(void)
{
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, ge_io_reuse, G_N_ELEMENTS(ge_io_reuse));
    g_autoptr(TnDocument) document = load(text);
    const TnBuffers *b = buffers_of(document);
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
    g_assert_cmpuint(b->n, ==, 4); /* the constant is no part of it */
    assert_row(document, "data_0 output[0]", 0, 2, 0, 1024, 992);
    assert_row(document, "add_1 output[0]", 2, 3, 1024, 1024, 992);
    assert_row(document, "add_2 output[0]", 3, 4, 0, 1024, 992);
    assert_row(document, "add_3 output[0]", 4, 5, 1024, 1024, 992);
    g_assert_cmpint(document->resident_bytes, ==, 1024);
    g_assert_cmpuint(document->graph->ops->len, ==, 6);
    g_assert_true(has_warning(document, "input-reused"));
    g_assert_cmpuint(count_findings(document, "overlap"), ==, 0);
  }
}

/* An input that keeps its place lives to the end; workspaces for their op; streams and labels. */
static void
test_lives(void)
{
  static const GeOp ops[] = {
      {"x", "Data", "", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"a", "Relu", "x:0", 0, 512, 832, 200, 4096, 700, NULL, "B1", -1},
      {"b", "Relu", "a:0", 1, 1536, 544, 128, 0, 0, NULL, NULL, -1},
      {"dead", "Relu", "x:0 b:-1", 1, 2560, 544, 128, 0, 0, NULL, NULL, -1},
      {"c", "Relu", "b:0 a:0", 0, 3072, 544, 128, 0, 0, NULL, NULL, -1},
      {"out", "NetOutput", "c:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
  };
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) document = load(text);
    const TnBuffers *b = buffers_of(document);
    assert_row(document, "x output[0]", 0, 5, 0, 512, 400);
    assert_row(document, "a output[0]", 1, 4, 512, 1024, 800);
    assert_row(document, "dead output[0]", 3, 3, 2560, 1024, 512);
    assert_row(document, "a workspace[0]", 1, 1, 4096, 1024, 700);
    assert_row(document, "c output[0]", 4, 5, 3072, 1024, 512);
    tn_index a = find(document, "a output[0]");
    g_assert_cmpuint(b->stream[find(document, "b output[0]")], ==, 1);
    g_assert_cmpuint(b->stream[a], ==, 0);
    g_assert_true(b->traits[a] & TN_TRAIT_MANY_STREAMS);
    g_assert_cmpstr(tn_strings_get(document->strings, b->batch[a]), ==, "B1");
    const TnOp *dead = tn_graph_op(document->graph, 3);
    g_assert_cmpuint(dead->n_after, ==, 1);
    g_assert_cmpuint(g_array_index(document->graph->after, uint32_t, dead->first_after), ==, 2);
    g_assert_cmpstr(tn_document_get_device(document, 0)->space_names->pdata[0], ==, "HBM");
  }
}

/* ---- references and groups ------------------------------------------------------------------------ */

static void
test_references(void)
{
  GeOp ops[] = {
      {"x", "Data", "", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"a", "Relu", "x:0", 0, 512, 512, 100, 0, 0, NULL, NULL, -1},
      {"in_place", "Add", "x:0 a:0", 0, 512, 512, 100, 0, 0, NULL, NULL, 1},
      {"b", "Relu", "in_place:0", 0, 1024, 512, 100, 0, 0, NULL, NULL, -1},
      {"out", "NetOutput", "b:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
  };
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) document = load(text);
    assert_row(document, "a output[0]", 1, 3, 512, 512, 400);
    g_assert_cmpuint(find(document, "in_place output[0]"), ==, TN_NONE);
    g_assert_cmpuint(document->statements->len, ==, 0);
    g_assert_cmpuint(tn_graph_op(document->graph, 2)->n_views, ==, 1);
  }
  ops[2].offset = 2048; /* planted: a reference elsewhere than what it refers to */
  g_autofree char *text = text_of(PROTO, ops, G_N_ELEMENTS(ops));
  g_autoptr(TnDocument) document = load(text);
  g_assert_cmpuint(document->statements->len, ==, 1);
  g_assert_cmpstr(g_array_index(document->statements, TnStatement, 0).code, ==, "ref-offset");
}

static const GeOp padded[] = {
    {"x", "Data", "", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
    {"a", "Relu", "x:0", 0, 1024, 832, 200, 0, 0, NULL, NULL, -1},
    {"b", "Relu", "x:0", 0, 512, 512, 100, 0, 0, NULL, NULL, -1},
    {"all", "HcomAllReduce", "b:0 a:0", 0, 2048, 512, 100, 0, 0, "continuous_input", NULL, -1},
    {"out", "NetOutput", "all:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
};

static void
test_continuous(void)
{
  for (Form form = PROTO; form < N_FORMS; form++) {
    GeOp ops[G_N_ELEMENTS(padded)];
    memcpy(ops, padded, sizeof padded);
    g_autofree char *text = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) document = load(text);
    const TnBuffers *b = buffers_of(document);
    tn_index first = find(document, "b output[0]"), second = find(document, "a output[0]");
    g_assert_cmpuint(first, <, second); /* in the order of the inputs */
    g_assert_cmpuint(b->group[first], ==, b->group[second]);
    g_assert_cmpuint(b->group[first], >, 0);
    g_assert_cmpuint(count_findings(document, "contiguity"), ==, 0);
    ops[1].offset = 4096; /* planted */
    g_autofree char *broken = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) other = load(broken);
    g_assert_cmpuint(count_findings(other, "contiguity"), ==, 1);
  }
}

/* A concat that does nothing: its output is its inputs, which stand close and live as long. */
static void
test_no_padding(void)
{
  static const GeOp ops[] = {
      {"x", "Data", "", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"a", "Relu", "x:0", 0, 512, 832, 200, 0, 0, NULL, NULL, -1},
      {"b", "Relu", "x:0", 0, 1312, 832, 200, 0, 0, NULL, NULL, -1},
      {"cat", "ConcatD", "a:0 b:0", 0, 512, 1632, 400, 0, 0, "_no_padding_continuous_input", NULL, -1},
      {"c", "Relu", "cat:0", 0, 2560, 512, 100, 0, 0, NULL, NULL, -1},
      {"out", "NetOutput", "c:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
  };
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) document = load(text);
    assert_row(document, "a output[0]", 1, 4, 512, 800, 800);
    assert_row(document, "b output[0]", 2, 4, 1312, 800, 800);
    g_assert_cmpuint(find(document, "cat output[0]"), ==, TN_NONE);
    g_assert_cmpuint(count_findings(document, "overlap"), ==, 0);
    g_assert_cmpuint(count_findings(document, "contiguity"), ==, 0);
  }
}

/* Who uses a buffer last on each stream; an output keeps its place for itself, for the plan shows
 * nobody else there; what is cleaned and what keeps its address is marked. */
static void
test_streams(void)
{
  static const GeOp ops[] = {
      {"x", "Data", "", 0, 0, 512, 100, 0, 0, NULL, NULL, -1},
      {"a", "Relu", "x:0", 0, 512, 544, 128, 0, 0, "_is_fixed_addr_prior", NULL, -1},
      {"b", "Relu", "a:0", 1, 1536, 544, 128, 0, 0, NULL, NULL, -1},
      {"c", "Relu", "a:0", 0, 2560, 544, 128, 0, 0, NULL, NULL, -1},
      {"d", "Add", "c:0 b:0", 0, 3584, 544, 128, 0, 0, NULL, NULL, -1},
      {"out", "NetOutput", "d:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
  };
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, ops, G_N_ELEMENTS(ops));
    g_autoptr(TnDocument) document = load(text);
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnBuffers *b = device->buffers;
    tn_index a = find(document, "a output[0]"), d = find(document, "d output[0]");
    uint32_t last = 0, n = 0;
    for (guint i = 0; i < device->last_uses->len; i++)
      if (g_array_index(device->last_uses, TnLastUse, i).buffer == a) {
        last += g_array_index(device->last_uses, TnLastUse, i).op;
        n++;
      }
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpuint(last, ==, 2 + 3); /* b on stream 1, c on stream 0 */
    g_assert_true(b->traits[a] & TN_TRAIT_FIXED_ADDRESS);
    g_assert_false(b->flags[a] & TN_BUFFER_NO_REUSE);
    g_assert_true(b->flags[d] & TN_BUFFER_NO_REUSE);
  }
}

/* A subgraph: what goes in is the owner's input, what comes out its output. */
static void
test_subgraph(void)
{
  static const char text[] =
      "graph { name: \"main\"\n"
      " op { name: \"x\" type: \"Data\" id: 0 output_i: 0 output_desc { size: 512 } }\n"
      " op { name: \"a\" type: \"Relu\" input: \"x:0\" id: 1 output_i: 512 output_desc { size: 512 } }\n"
      " op { name: \"call\" type: \"PartitionedCall\" input: \"a:0\" id: 2 output_i: 1024\n"
      "   subgraph_name: \"sub\" output_desc { size: 512 } }\n"
      " op { name: \"out\" type: \"NetOutput\" input: \"call:0\" id: 7 } }\n"
      "graph { name: \"sub\"\n"
      " op { name: \"sub_in\" type: \"Data\" id: 3 output_i: 512 output_desc { size: 512 }\n"
      "   attr { key: \"_parent_node_index\" value { i: 0 } } }\n"
      " op { name: \"b\" type: \"Relu\" input: \"sub_in:0\" id: 4 output_i: 1024 output_desc { size: 512 } }\n"
      " op { name: \"late\" type: \"Relu\" input: \"sub_in:0\" id: 5 output_i: 1536 output_desc { size: 512 } }\n"
      " op { name: \"sub_out\" type: \"NetOutput\" input: \"b:0\" id: 6\n"
      "   input_desc { attr { key: \"_parent_node_index\" value { i: 0 } } } } }\n";
  g_autoptr(TnDocument) document = load(text);
  g_assert_cmpuint(buffers_of(document)->n, ==, 4);
  assert_row(document, "a output[0]", 1, 5, 512, 512, 512);
  assert_row(document, "call output[0]", 2, 7, 1024, 512, 512);
  assert_row(document, "late output[0]", 5, 5, 1536, 512, 512);
}

/* ---- bad input ---------------------------------------------------------------------------------------- */

static void
test_truncated(void)
{
  for (Form form = PROTO; form < N_FORMS; form++) {
    g_autofree char *text = text_of(form, padded, G_N_ELEMENTS(padded));
    gsize size = strlen(text);
    for (gsize n = 200; n + 1 < size; n++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(TnDocument) whole = load_bytes(text, n, false, &error);
      g_autoptr(TnDocument) part = load_bytes(text, n, true, NULL);
      g_assert_null(whole);
      if (g_error_matches(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN))
        continue; /* too little to tell what it is */
      g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
      g_assert_nonnull(part);
      g_assert_true(has_warning(part, "truncated"));
      g_assert_cmpuint(buffers_of(part)->n, <=, 4);
    }
  }
}

static void
test_bad(void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"graph { op { output_desc { size: 1 } } }\n}", "dump:2: found a closing bracket"},
      {"graph {\n op { output_desc { size 1 } } }", "dump:2: found another character; expected ':'"},
      {"graph {\n\n op { name: \"a\n output_desc { } } }", "dump:3: found a line's end inside a string"},
      {"graph { op { output_desc { size: [1, {] } } }", "dump:1: found another character; expected a value"},
      {"graph { op { output_desc { size: 1 } > }", "dump:1: found a closing bracket"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document =
        load_bytes(rows[i].text, strlen(rows[i].text), false, &error);
    g_assert_null(document);
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
    g_assert_true(g_str_has_prefix(error->message, rows[i].message));
  }
}

/* Values that can't be: said, and left out; what is good beside them stays. */
static void
test_wrong_values(void)
{
  static const char text[] =
      "graph { op { name: \"a\" type: \"Relu\" id: 99999999999999999999 output_i: -5 output_i: nonsense\n"
      "  output_desc { size: 100 } output_desc { size: -3 } output_desc { size: 9223372036854775807 } }\n"
      " op { name: \"a\" type: \"Relu\" input: \"a:70000\" input: \"a:0\" input: \"nobody:0\" id: 0\n"
      "  output_i: 9223372036854775000 workspace: 7 workspace_bytes: -1 workspace_bytes: 9\n"
      "  output_desc { size: 1024 } } }";
  g_autoptr(TnDocument) document = load(text);
  const TnBuffers *b = buffers_of(document);
  g_assert_true(has_warning(document, "bad-values"));
  g_assert_true(has_warning(document, "same-name"));
  g_assert_true(has_warning(document, "same-id"));
  g_assert_true(has_warning(document, "dynamic-size"));
  g_assert_cmpuint(b->n, ==, 3); /* 100 bytes, 1024 bytes, the workspace of 9 */
  for (tn_index i = 0; i < b->n; i++)
    g_assert_cmpint(b->offset[i], ==, TN_NOT_PLACED);
}

static void
test_tokens(void)
{
  static const char text[] = "\xef\xbb\xbf a: [ 0x10, -2 ] # note } \n b < c: 'x\\'y' \"z\" > ; d { }";
  static const struct {
    TnTextProtoEvent event;
    const char *name;
    int64_t number;
  } rows[] = {{TN_TEXT_PROTO_VALUE, "a", 16}, {TN_TEXT_PROTO_VALUE, "a", -2},
              {TN_TEXT_PROTO_OPEN, "b", 0},   {TN_TEXT_PROTO_VALUE, "c", 0},
              {TN_TEXT_PROTO_VALUE, "c", 0},  {TN_TEXT_PROTO_CLOSE, NULL, 0},
              {TN_TEXT_PROTO_OPEN, "d", 0},   {TN_TEXT_PROTO_CLOSE, NULL, 0},
              {TN_TEXT_PROTO_END, NULL, 0},   {TN_TEXT_PROTO_END, NULL, 0}};
  TnTextProto proto;
  tn_text_proto_init(&proto, text, strlen(text));
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    int64_t number = 0;
    g_assert_cmpint(tn_text_proto_next(&proto), ==, rows[i].event);
    if (rows[i].name)
      g_assert_true(tn_text_proto_is(&proto, rows[i].name));
    if (rows[i].number) {
      g_assert_true(tn_text_proto_integer(&proto, &number));
      g_assert_cmpint(number, ==, rows[i].number);
    }
    if (i == 3) {
      g_autofree char *word = tn_text_proto_dup_string(&proto);
      g_assert_cmpstr(word, ==, "x'y");
    }
  }
  g_autoptr(GString) deep = g_string_new(NULL);
  for (int i = 0; i < 100; i++)
    g_string_append(deep, "a {");
  tn_text_proto_init(&proto, deep->str, deep->len);
  while (tn_text_proto_next(&proto) == TN_TEXT_PROTO_OPEN)
    ;
  g_assert_cmpuint(proto.depth, ==, TN_TEXT_PROTO_DEPTH);
  g_assert_cmpstr(proto.found, ==, "a message inside 64 others");
}

/* The one public head of such a dump. */
static void
test_sample(void)
{
  g_autofree char *path = shared_path("samples/ascend/ge_onnx_header_sample.pbtxt");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  if (!path)
    return;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, NULL);
  g_assert_cmpstr(document->format, ==, "ge-graph");
  g_assert_cmpuint(document->graph->ops->len, ==, 1);
  g_assert_cmpstr(tn_strings_get(document->strings, tn_graph_op(document->graph, 0)->type), ==,
                  "Data");
}

/* Against all pairs. */
static void
test_latest_starts(void)
{
  g_autoptr(GRand) chance = g_rand_new_with_seed(12);
  for (int round = 0; round < 200; round++) {
    TnBuffers *b = tn_buffers_new();
    tn_buffers_need(b, TN_COLUMN_SPACE);
    for (int i = g_rand_int_range(chance, 0, 40); i > 0; i--) {
      tn_tick start = g_rand_int_range(chance, 0, 30);
      tn_index row = tn_buffers_add(b, start, start + 1, g_rand_int_range(chance, 0, 6), TN_KIND_INPUT);
      b->offset[row] = g_rand_int_range(chance, -1, 20);
      b->space[row] = (uint32_t)g_rand_int_range(chance, 0, 3);
    }
    g_autofree tn_tick *latest = tn_ge_latest_starts_new(b);
    for (tn_index i = 0; i < b->n; i++) {
      tn_tick expected = -1;
      for (tn_index k = 0; k < b->n && b->offset[i] >= 0; k++)
        if (b->offset[k] >= 0 && b->space[k] == b->space[i] && b->offset[k] < b->offset[i] + b->bytes[i] &&
            b->offset[i] < b->offset[k] + b->bytes[k])
          expected = MAX(expected, b->start[k]);
      g_assert_cmpint(latest[i], ==, expected);
    }
    tn_buffers_free(b);
  }
}

/* A description whose number no op has is left out, not made room for; the file says so. */
static void
test_beyond(void)
{
  g_autoptr(GString) text = g_string_new("producer_name: \"GE\"\ngraph {\n");
  for (int i = 0; i < 3; i++)
    g_string_append_printf(text,
                           "node { name: \"n%d\" op_type: \"ge:N\" attribute { name: \"id\" i: %d }\n"
                           "attribute { name: \"output_desc_size:%d\" i: 512 } }\n",
                           i, i, i == 2 ? 39999 : 29999);
  g_string_append(text, "}\n");
  g_autoptr(TnDocument) document = load(text->str);
  g_assert_cmpuint(document->graph->tensors->len, ==, 60000); /* of 65,536 */
  g_assert_cmpint(find_warning(document, "tensors-beyond")->count, ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ge-graph/io-reuse", test_io_reuse);
  g_test_add_func("/ge-graph/lives", test_lives);
  g_test_add_func("/ge-graph/references", test_references);
  g_test_add_func("/ge-graph/continuous", test_continuous);
  g_test_add_func("/ge-graph/no-padding", test_no_padding);
  g_test_add_func("/ge-graph/streams", test_streams);
  g_test_add_func("/ge-graph/subgraph", test_subgraph);
  g_test_add_func("/ge-graph/truncated", test_truncated);
  g_test_add_func("/ge-graph/bad", test_bad);
  g_test_add_func("/ge-graph/wrong-values", test_wrong_values);
  g_test_add_func("/ge-graph/tokens", test_tokens);
  g_test_add_func("/ge-graph/sample", test_sample);
  g_test_add_func("/ge-graph/latest-starts", test_latest_starts);
  g_test_add_func("/ge-graph/beyond", test_beyond);
  return g_test_run();
}
