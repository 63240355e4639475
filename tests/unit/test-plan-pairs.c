/* SPDX-License-Identifier: MIT */
/* Streams that do not wait, with more pairs than planners keep a list of: what they claim and say. */
#include "config.h"

#include "analysis/plan/plan.h"
#include "analysis/stream-uses.h"

#include "data/document.h"

#include <string.h>

/* Of 2 × 2,100 rows, one an op, each pair of both streams: 4,410,000. */
enum { N_OPS = 4200, BYTES = 512 };

/* Two streams by turns; nothing waits.  One row holds only a part of itself for a while. */
static TnDocument *
document_new(void)
{
  TnDocument *document = tn_document_new("made");
  document->kind = TN_DOCUMENT_PLAN;
  document->ticks_per_op = 3;
  document->op_names = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  document->op_streams = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  document->waits = g_array_new(FALSE, FALSE, sizeof(TnWait));
  g_array_set_size(document->op_names, N_OPS);
  g_array_set_size(document->op_streams, N_OPS);
  TnDevice *device = tn_document_device(document, 0);
  device->axis_end = (tn_tick)N_OPS * 3;
  device->buffers = tn_buffers_new();
  device->last_uses = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  tn_buffers_need(device->buffers, TN_COLUMN_OP | TN_COLUMN_STREAM);
  for (uint32_t op = 0; op < N_OPS; op++) {
    TnLastUse use = {op, op};
    g_array_index(document->op_streams, uint32_t, op) = op % 2;
    tn_buffers_add(device->buffers, op * 3, op * 3 + 3, BYTES, TN_KIND_ACTIVATION);
    device->buffers->op[op] = op;
    device->buffers->stream[op] = op % 2;
    g_array_append_val(device->last_uses, use);
  }
  return document;
}

static TnPlan *
plan_of(const TnDocument *document, const char *strategy)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new(document, device, device->buffers, NULL, NULL, NULL);
  TnPlanParams params = {.uses = uses, .time_limit = 0.2};
  return tn_plan_new_for_buffers(device->buffers, tn_strategies_find(strategy), 0, &params);
}

/* What is alive at once is so however many pairs there are. */
static void
test_bound(void)
{
  g_autoptr(TnDocument) document = document_new();
  TnBuffers *buffers = tn_document_device(document, 0)->buffers;
  tn_index row = 5;
  TnGap gap = {.start = buffers->start[row] + 1, .end = buffers->start[row] + 2};
  tn_buffers_set_gaps(buffers, &gap, &row, 1);
  g_autoptr(TnPlan) plan = plan_of(document, "ge");
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(plan->lower_bound_bytes, ==, BYTES);
  g_assert_cmpint(plan->proved_bound_bytes, ==, BYTES);
  g_assert_null(plan->note);
}

/* The plan with a place for each stream is one, but not all that could be: it says so. */
static void
test_note(void)
{
  g_autoptr(TnDocument) document = document_new();
  g_autoptr(TnPlan) plan = plan_of(document, "greedy-size");
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  g_assert_cmpint(plan->arena_bytes, ==, 2 * BYTES);
  g_assert_cmpint(plan->lower_bound_bytes, ==, BYTES);
  g_assert_null(plan->message);
  g_assert_nonnull(plan->note);
  g_assert_nonnull(strstr(plan->note, "`ge` needs no such list"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-pairs/bound", test_bound);
  g_test_add_func("/plan-pairs/note", test_note);
  return g_test_run();
}
