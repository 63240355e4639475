/* SPDX-License-Identifier: MIT */
/* Long tails: a skip connection of a graph, buffers of a plan, call stacks of a log. */
#include "config.h"

#include "analysis/long-tail.h"

#include <string.h>

static TnDevice *
device_of(TnDocument *document)
{
  TnDevice *device = tn_document_device(document, 0);
  if (!device->buffers)
    device->buffers = tn_buffers_new();
  return device;
}

static TnFindings *
find(TnDocument *document)
{
  TnFindings *findings = tn_findings_new();
  tn_find_long_tails(document, device_of(document), device_of(document)->buffers, findings);
  return findings;
}

/* A chain of 20 ops; the last one reads the first one's output too, and op 5 makes a large one. */
static TnDocument *
chain(void)
{
  TnDocument *document = tn_document_new("t");
  TnDevice *device = device_of(document);
  TnBuffers *b = device->buffers;
  document->kind = TN_DOCUMENT_GRAPH;
  TnGraph *graph = document->graph = tn_graph_new();
  tn_buffers_need(b, TN_COLUMN_TENSOR | TN_COLUMN_NAME);
  for (uint32_t i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("t%u", i);
    g_autofree char *op_name = g_strdup_printf("op%u", i);
    uint32_t input = i - 1, skip = 0;
    TnOp op = {.name = tn_strings_intern(document->strings, op_name, -1),
               .first_input = graph->inputs->len,
               .first_output = graph->outputs->len,
               .n_inputs = (i > 0) + (i == 19),
               .n_outputs = 1};
    TnTensor tensor = {.producer = i};
    if (i > 0)
      g_array_append_val(graph->inputs, input);
    if (i == 19)
      g_array_append_val(graph->inputs, skip);
    g_array_append_val(graph->outputs, i);
    g_array_append_val(graph->ops, op);
    g_array_append_val(graph->tensors, tensor);
    g_array_append_val(graph->order, i);
    tn_index k = tn_buffers_add(b, 3 * i, i == 0 || i == 19 ? 60 : 3 * i + 6, i == 5 ? 1000 : 100,
                                TN_KIND_ACTIVATION);
    b->tensor[k] = i;
    b->name[k] = tn_strings_intern(document->strings, name, -1);
  }
  device->axis_end = 60;
  return document;
}

static void
test_graph(void)
{
  g_autoptr(TnDocument) document = chain();
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->code, ==, "long-tail");
  g_assert_cmpint(finding->severity, ==, TN_SEVERITY_WARNING);
  g_assert_cmpuint(g_array_index(finding->buffers, uint32_t, 0), ==, 0);
  g_assert_cmpint(finding->at, ==, 15);
  g_assert_cmpint(finding->bytes, ==, 100);
  g_assert_cmpint(finding->saving_bytes, ==, 100);
  g_assert_cmpstr(finding->message, ==,
                  "“t0” (100 B) is alive at the peak but idle for 51 of its 60 ticks (5.0 KiB × "
                  "ticks); op “op19” holds it over its longest gap, ticks [6, 57)");
}

/* A reader through a view is a reader of the memory. */
static void
test_graph_view(void)
{
  g_autoptr(TnDocument) document = chain();
  TnGraph *graph = document->graph;
  TnAlias alias = {20, 0};
  uint32_t view = 20;
  TnTensor tensor = {.producer = 1};
  g_array_append_val(graph->tensors, tensor);
  g_array_append_val(graph->views, alias);
  tn_graph_op(graph, 1)->n_views = 1;
  for (uint32_t i = 4; i < 19; i += 3) { /* ops 4, 7, … read the view as well */
    TnOp *op = tn_graph_op(graph, i);
    uint32_t had = g_array_index(graph->inputs, uint32_t, op->first_input);
    op->first_input = graph->inputs->len;
    op->n_inputs = 2;
    g_array_append_val(graph->inputs, had);
    g_array_append_val(graph->inputs, view);
  }
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

/* The saving is what is left when another tick becomes the peak. */
static void
test_saving_is_computed(void)
{
  g_autoptr(TnDocument) document = chain();
  TnBuffers *b = device_of(document)->buffers;
  b->bytes[0] = 500;
  tn_index k = tn_buffers_add(b, 0, 3, 900, TN_KIND_WORKSPACE); /* with t0 at its start: 1400 */
  b->tensor[k] = TN_NONE;
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 200);
}

/* Its reader at the end of the gap needs it: what is the peak there is none that it could save. */
static void
test_reader_is_the_peak(void)
{
  g_autoptr(TnDocument) document = chain();
  device_of(document)->buffers->bytes[19] = 2000;
  g_autoptr(TnFindings) none = find(document);
  g_assert_cmpuint(none->rows->len, ==, 0);
  device_of(document)->buffers->bytes[19] = 950; /* 1150 with its inputs, 1200 at op 5 */
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 50);
}

/* What is left out of a buffer within a gap in which others use its place is only what it holds. */
static void
test_gap_in_place(void)
{
  g_autoptr(TnDocument) document = chain();
  TnGap gap = {9, 30, 0, 30};
  tn_index owner = 0;
  tn_buffers_set_gaps(device_of(document)->buffers, &gap, &owner, 1);
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 30);
}

static void
test_plan(void)
{
  g_autoptr(TnDocument) document = tn_document_new("t");
  TnDevice *device = device_of(document);
  document->kind = TN_DOCUMENT_PLAN;
  device->axis_end = 100;
  tn_buffers_add(device->buffers, 0, 100, 1000, TN_KIND_CONSTANT); /* no candidate */
  tn_buffers_add(device->buffers, 0, 75, 400, TN_KIND_ACTIVATION);
  tn_buffers_add(device->buffers, 0, 100, 700, TN_KIND_UNKNOWN);   /* the whole axis: resident */
  tn_buffers_add(device->buffers, 0, 69, 600, TN_KIND_ACTIVATION); /* too short */
  tn_buffers_add(device->buffers, 0, 75, 10, TN_KIND_ACTIVATION);  /* too small */
  tn_buffers_add(device->buffers, 30, 40, 300, TN_KIND_ACTIVATION);
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->message, ==,
                  "Buffer 1 (400 B) is alive at the peak and lives through at least 75 % of the "
                  "plan; without it the live peak would be 400 B lower");
  g_assert_cmpint(finding->saving_bytes, ==, 400);
  g_assert_cmpint(finding->at, ==, 30);
}

/* What is found in a plan of buffers of one life, of these batches. */
static TnFindings *
find_in_batches(const tn_bytes *bytes, const uint32_t *batch, uint32_t n)
{
  g_autoptr(TnDocument) document = tn_document_new("t");
  TnBuffers *b = device_of(document)->buffers;
  document->kind = TN_DOCUMENT_PLAN;
  device_of(document)->axis_end = 100;
  tn_buffers_need(b, TN_COLUMN_BATCH);
  for (uint32_t i = 0; i < n; i++) {
    tn_index row = tn_buffers_add(b, 0, 75, bytes[i], TN_KIND_ACTIVATION);
    b->batch[row] = batch[i];
  }
  return find(document);
}

/* Batches that never run together: the one that has most is the peak, and without it the next. */
static void
test_batches(void)
{
  static const tn_bytes bytes[] = {100, 200, 300};
  static const uint32_t batch[] = {0, 1, 2};
  g_autoptr(TnFindings) findings = find_in_batches(bytes, batch, 3);
  g_assert_cmpuint(findings->rows->len, ==, 2);
  g_assert_cmpint(tn_findings_get(findings, 0)->bytes, ==, 300);
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 100);
  g_assert_cmpint(tn_findings_get(findings, 1)->saving_bytes, ==, 100);
}

/* Without the one the other batch is as large: nothing to say. */
static void
test_equal_batches(void)
{
  static const tn_bytes bytes[] = {100, 100};
  static const uint32_t batch[] = {1, 2};
  g_autoptr(TnFindings) findings = find_in_batches(bytes, batch, 2);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

static uint32_t
stack_of(TnDocument *document, int line)
{
  uint32_t frames[2] = {
      tn_stacks_intern_frame(
          document->stacks,
          (TnFrame){tn_strings_intern(document->strings, "_call_impl", -1),
                    tn_strings_intern(document->strings, "/x/site-packages/torch/module.py", -1),
                    7}),
      tn_stacks_intern_frame(
          document->stacks,
          (TnFrame){tn_strings_intern(document->strings, "forward", -1),
                    tn_strings_intern(document->strings, "/home/me/model.py", -1), line})};
  return tn_stacks_intern(document->stacks, frames, 2);
}

static void
test_log(void)
{
  g_autoptr(TnDocument) document = tn_document_new("t");
  TnDevice *device = device_of(document);
  TnBuffers *b = device->buffers;
  document->kind = TN_DOCUMENT_LOG;
  device->axis_end = 100;
  tn_buffers_need(b, TN_COLUMN_STACK);
  uint32_t large = stack_of(document, 88), small = stack_of(document, 12);
  for (int i = 0; i < 3; i++) {
    tn_index k = tn_buffers_add(b, i, 90 - i, 100, TN_KIND_ALLOCATION);
    b->stack[k] = large;
  }
  tn_index other = tn_buffers_add(b, 2, 80, 150, TN_KIND_ALLOCATION);
  b->stack[other] = small;
  tn_index weights = tn_buffers_add(b, 0, 100, 5000, TN_KIND_BEFORE);
  b->flags[weights] = TN_BUFFER_BEFORE | TN_BUFFER_TO_END;
  tn_buffers_add(b, 85, 90, 40, TN_KIND_ALLOCATION);
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 2);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->message, ==,
                  "3 buffers from model.py:88 forward (300 B) are alive at the peak and live "
                  "through at least 86 % of the recording; without them the live peak would be "
                  "300 B lower");
  g_assert_cmpuint(finding->buffers->len, ==, 3);
  /* Without this one another tick, with 340 bytes above the weights, is the peak. */
  g_assert_cmpint(tn_findings_get(findings, 1)->saving_bytes, ==, 110);
}

static void
test_empty(void)
{
  g_autoptr(TnDocument) document = tn_document_new("t");
  g_autoptr(TnFindings) findings = find(document);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/long-tail/graph", test_graph);
  g_test_add_func("/long-tail/graph-view", test_graph_view);
  g_test_add_func("/long-tail/saving-is-computed", test_saving_is_computed);
  g_test_add_func("/long-tail/reader-is-the-peak", test_reader_is_the_peak);
  g_test_add_func("/long-tail/gap-in-place", test_gap_in_place);
  g_test_add_func("/long-tail/plan", test_plan);
  g_test_add_func("/long-tail/batches", test_batches);
  g_test_add_func("/long-tail/equal-batches", test_equal_batches);
  g_test_add_func("/long-tail/log", test_log);
  g_test_add_func("/long-tail/empty", test_empty);
  return g_test_run();
}
