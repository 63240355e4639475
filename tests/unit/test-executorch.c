/* SPDX-License-Identifier: MIT */
/* ExecuTorch: the recorded plans of the samples, which must be sound. */
#include "config.h"

#include "data/reader.h"
#include "data/write.h"
#include "shared.h"
#include "warnings.h"

#include <string.h>

static TnDocument *
load(const char *file)
{
  g_autofree char *relative = g_strconcat("samples/executorch/", file, NULL);
  g_autofree char *path = shared_path(relative);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  if (!path)
    return NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return document;
}

static int
count_overlaps(const TnBuffers *b)
{
  int n = 0;
  for (uint32_t i = 0; i < b->n; i++)
    for (uint32_t k = i + 1; k < b->n; k++)
      n += b->space[i] == b->space[k] && b->start[i] < b->end[k] && b->start[k] < b->end[i] &&
           b->offset[i] < b->offset[k] + b->bytes[k] && b->offset[k] < b->offset[i] + b->bytes[i];
  return n;
}

static void
test_samples(void)
{
  static const struct {
    const char *file;
    uint32_t n_ops, n_buffers;
    tn_bytes arena, end, resident;
  } rows[] = {
      {"AddModel-model.pte", 1, 2, 32, 28, 4},
      {"resources-add.pte", 1, 3, 48, 36, 0},
      {"KeywordSpotting-model.pte", 16, 28, 16000, 16000, 39216}, /* of 61,744 B: tensors share contents; the file has 54,192 */
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].file);
    if (!document)
      return;
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnBuffers *b = device->buffers;
    tn_bytes end = 0;
    for (uint32_t k = 0; k < b->n; k++)
      end = MAX(end, b->offset[k] + b->bytes[k]);
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
    g_assert_cmpuint(document->graph->ops->len, ==, rows[i].n_ops);
    g_assert_cmpuint(b->n, ==, rows[i].n_buffers);
    g_assert_cmpint(device->arena_bytes, ==, rows[i].arena);
    g_assert_cmpint(end, ==, rows[i].end);
    g_assert_cmpint(document->resident_bytes, ==, rows[i].resident);
    g_assert_cmpint(count_overlaps(b), ==, 0);
    g_assert_cmpstr(tn_strings_get(document->strings, device->name), ==, "forward");
  }
}

/* value 0, the input → relu → value 2 → cat of 0 and 2 → value 3, the output. */
static void
test_small(void)
{
  static const tn_tick lives[][2] = {{0, 6}, {0, 6}, {3, 6}};
  static const tn_bytes bytes[] = {16, 16, 32}, offsets[] = {0, 16, 32};
  g_autofree char *path = corpus_path("executorch/small.pte");
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnBuffers *b = device->buffers;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(b->n, ==, 3);
  for (uint32_t i = 0; i < 3; i++) {
    g_assert_cmpint(b->start[i], ==, lives[i][0]);
    g_assert_cmpint(b->end[i], ==, lives[i][1]);
    g_assert_cmpint(b->bytes[i], ==, bytes[i]);
    g_assert_cmpint(b->offset[i], ==, offsets[i]);
  }
  g_assert_cmpint(device->arena_bytes, ==, 64);
  g_assert_cmpuint(device->space_arena->len, ==, 1);
  g_assert_cmpint(g_array_index(device->space_arena, tn_bytes, 0), ==, 64);
  g_assert_cmpint(document->resident_bytes, ==, 16);
  const TnOp *cat = tn_graph_op(document->graph, 1);
  g_assert_cmpstr(tn_strings_get(document->strings, cat->type), ==, "aten::cat");
  g_assert_cmpuint(cat->n_inputs, ==, 2);
  g_assert_cmpuint(cat->n_outputs, ==, 1);
}

/* The same with value 2 of another element type. */
static TnDocument *
load_retyped(char type)
{
  g_autofree char *path = corpus_path("executorch/small.pte"), *data = NULL;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(path, &data, &size, NULL));
  g_assert_cmpint(data[512], ==, 6);
  data[512] = type;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("small.pte", data, size);
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

/* Four elements; of a type without a size the buffer stays, and is said to have none. */
static void
test_types(void)
{
  static const tn_bytes bytes[][2] = {{6, 16}, {5, 8}, {18, 4}, {22, 8}, {24, 4}, {26, 4}, {29, 32}};
  for (gsize i = 0; i < G_N_ELEMENTS(bytes); i++) {
    g_autoptr(TnDocument) document = load_retyped((char)bytes[i][0]);
    g_assert_cmpint(tn_document_get_device(document, 0)->buffers->bytes[1], ==, bytes[i][1]);
    g_assert_false(has_warning(document, "unsized-tensors"));
  }
  g_autoptr(TnDocument) document = load_retyped(99);
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpuint(b->n, ==, 3);
  g_assert_cmpint(b->bytes[1], ==, 0);
  g_assert_true(b->flags[1] & TN_BUFFER_UNSIZED);
  g_assert_true(has_warning(document, "unsized-tensors"));
}

/* Value 2 has 2^62 floats, nearly: the type is not to blame. */
static void
test_too_large(void)
{
  static const uint32_t sizes[] = {2, INT32_MAX, INT32_MAX};
  g_autofree char *path = corpus_path("executorch/small.pte"), *data = NULL;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  gsize size;
  g_assert_true(g_file_get_contents(path, &data, &size, NULL));
  gsize end = (size + 3) / 4 * 4;
  uint32_t to_sizes = (uint32_t)end - 0x1f4;
  g_autofree char *larger = g_malloc0(end + sizeof sizes);
  memcpy(larger, data, size);
  memcpy(larger + 0x1f4, &to_sizes, 4);
  memcpy(larger + end, sizes, sizeof sizes);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("small.pte", larger, end + sizeof sizes);
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  g_assert_nonnull(document);
  guint n = 0;
  for (guint i = 0; i < document->graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(document->graph, i);
    n += tensor->lost_why &&
         strcmp(tn_strings_get(document->strings, tensor->lost_why), "its size passes 2^63 bytes") == 0;
  }
  g_assert_cmpuint(n, ==, 1);
}

/* Cut anywhere, a file is an error or (where only weights are gone) still read; never a crash. */
static void
test_truncated(void)
{
  g_autofree char *path = shared_path("samples/executorch/AddModel-model.pte"), *data = NULL;
  gsize size;
  if (!path)
    return;
  g_assert_true(g_file_get_contents(path, &data, &size, NULL));
  for (gsize n = 1; n < size; n++) {
    g_autoptr(TnSource) source = tn_source_new_for_bytes("cut.pte", data, n);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    options.format = "executorch";
    g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
    g_assert_true(document || error);
  }
}

/* ---- the trace of generate_memory_trace() ----------------------------------------------------- */

typedef struct {
  const char *name;
  int space, first, last, offset, bytes;
} Traced;

/* Two results of one op ("split"), a place used twice, and a name that comes back. */
static const Traced traced[] = {{"x", 1, 0, 1, 0, 64},     {"split", 1, 1, 3, 64, 32},
                                {"split", 1, 1, 2, 96, 32}, {"relu", 1, 2, 3, 0, 64},
                                {"aten", 2, 3, 3, 16, 48},  {"x", 1, 3, 4, 128, 64}};

/* As the exporter writes it: a row for each step, bars one behind another unless offsets are on. */
static char *
trace_text(gboolean has_offsets)
{
  GString *out = g_string_new("{\n  \"traceEvents\": [");
  const char *comma = "\n";
  for (int step = 0; step <= 4; step++)
    for (int i = 0, start = 0; i < (int)G_N_ELEMENTS(traced); i++) {
      const Traced *t = &traced[i];
      if (step < t->first || step > t->last)
        continue;
      g_string_append_printf(out,
                             "%s    {\n      \"name\": \"%s\", \"cat\": \"memory_allocation\",\n"
                             "      \"ph\": \"X\", \"ts\": %d, \"dur\": %d, \"pid\": %d, \"tid\": %d,\n"
                             "      \"args\": {\"op_name\": \"aten.%s.out\", \"Memory ID\": %d, "
                             "\"fqn\": \"L.layer\", \"source\": \"None\", \"bytes\": %d}\n    }",
                             comma, t->name, has_offsets ? t->offset : start, t->bytes, t->space,
                             step, t->name, t->space, t->bytes);
      start += t->bytes;
      comma = ",\n";
    }
  g_string_append(out, "\n  ]\n}\n");
  return g_string_free(out, FALSE);
}

static TnDocument *
load_trace(const char *text, gsize size, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("memory_profile.json", text, size);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static void
test_trace(void)
{
  for (int has_offsets = 0; has_offsets <= 1; has_offsets++) {
    g_autofree char *text = trace_text(has_offsets);
    g_autoptr(TnDocument) document = load_trace(text, strlen(text), NULL);
    const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
    g_assert_cmpstr(document->format, ==, "executorch-trace");
    g_assert_cmpuint(b->n, ==, G_N_ELEMENTS(traced));
    for (uint32_t i = 0; i < b->n; i++) {
      const Traced *t = &traced[i];
      g_assert_cmpstr(tn_strings_get(document->strings, b->name[i]), ==, t->name);
      g_assert_cmpint(b->start[i], ==, t->first);
      g_assert_cmpint(b->end[i], ==, t->last + 1);
      g_assert_cmpint(b->bytes[i], ==, t->bytes);
      g_assert_cmpint(b->offset[i], ==, has_offsets ? t->offset : TN_NOT_PLACED);
      g_assert_cmpuint(b->space[i], ==, t->space - 1);
    }
    g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, !has_offsets);
    if (has_offsets)
      g_assert_cmpint(count_overlaps(b), ==, 0);
    for (gsize n = 200; n + 4 < strlen(text); n++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(TnDocument) cut = load_trace(text, n, &error);
      g_assert_null(cut);
      g_assert_nonnull(error);
    }
  }
}

static uint32_t
word_at(const char *data, gsize at)
{
  uint32_t word;
  memcpy(&word, data + at, sizeof word);
  return GUINT32_FROM_LE(word);
}

static void
put_word(char *data, gsize at, gsize word)
{
  uint32_t value = GUINT32_TO_LE((uint32_t)word);
  memcpy(data + at, &value, sizeof value);
}

/* Where the first method is of a program that stands behind `at` bytes. */
static gsize
first_plan(const char *program, gsize at)
{
  gsize root = word_at(program, 0), table = root - word_at(program, root);
  gsize field = root + ((uint8_t)program[table + 6] | (uint8_t)program[table + 7] << 8);
  gsize list = field + word_at(program, field), entry = list + 4;
  return at + entry + word_at(program, entry);
}

#define HEAD 48

/* A program that has the method of another twice. */
static TnDocument *
load_twice(const char *file)
{
  static const char vtable[] = {8, 0, 8, 0, 0, 0, 4, 0};
  g_autofree char *path = corpus_path(file), *part = NULL;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(path, &part, &size, NULL));
  g_autofree char *data = g_malloc0(HEAD + size);
  memcpy(data + HEAD, part, size);
  memcpy(data + 4, "ET12", 4);
  memcpy(data + 8, vtable, sizeof vtable);
  put_word(data, 0, 16);
  put_word(data, 16, 8);
  put_word(data, 20, 4);
  put_word(data, 24, 2);
  for (gsize i = 0; i < 2; i++)
    put_word(data, 28 + 4 * i, first_plan(part, HEAD) - (28 + 4 * i));
  g_autoptr(TnSource) source = tn_source_new_for_bytes("two.pte", data, HEAD + size);
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

/* Methods share their weights, and each has ops of its own: the graph is the first's. */
static void
test_two_methods(void)
{
  g_autoptr(TnDocument) document = load_twice("executorch/small.pte");
  g_assert_cmpuint(document->devices->len, ==, 2);
  g_assert_cmpint(document->resident_bytes, ==, 16);
  for (uint32_t d = 0; d < 2; d++) {
    const TnDevice *device = tn_document_get_device(document, d);
    g_assert_cmpuint(device->buffers->n, ==, 3);
    g_assert_cmpuint(device->n_ops, ==, 2);
    g_assert_true(device->has_other_ops == (d == 1));
    g_assert_true((device->buffers->op == NULL) == (d == 1));
    g_assert_true((device->buffers->tensor == NULL) == (d == 1));
    g_assert_cmpuint(tn_document_op_at(document, device, 3), ==, d == 0 ? 1 : TN_NONE);
    TnPlanOutput plan = {.document = document, .device = device, .buffers = device->buffers};
    g_autofree char *json = tn_plan_build_json(&plan);
    g_assert_true((strstr(json, "\"op\"") == NULL) == (d == 1));
    g_assert_true((strstr(json, "\"labels\"") == NULL) == (d == 1));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/executorch/samples", test_samples);
  g_test_add_func("/executorch/small", test_small);
  g_test_add_func("/executorch/types", test_types);
  g_test_add_func("/executorch/too-large", test_too_large);
  g_test_add_func("/executorch/truncated", test_truncated);
  g_test_add_func("/executorch/trace", test_trace);
  g_test_add_func("/executorch/two-methods", test_two_methods);
  return g_test_run();
}
