/* SPDX-License-Identifier: MIT */
/* Random tables with everything that binds a planner, written as JSON and as CSV and read back: labels, groups,
 * flags, traits, streams, gaps, spaces.  What is read must be the same problem, and plans of it the same. */
#include "config.h"

#include "data/reader.h"
#include "data/write.h"
#include "plan-support.h"

#define N_OPS 8
#define AXIS_END 40

static const char *const names[] = {"a", "a", "b,\"c", "x#1", " lead", "", "t\tb", "é", "-1", "two\nlines", "\"q\""};
static const char *const labels[] = {"B0", "B1", "b,2", " ", "one\ntwo", "one two"};
static const char *const space_names[] = {"s", "s", "s#1", "", "d,ram", "0"};

static uint32_t
intern(TnDocument *document, const char *text)
{
  return tn_strings_intern(document->strings, text, -1);
}

/* ---- random documents -------------------------------------------------------------------------- */

static void
put_gaps_of(TnBuffers *b, uint64_t *state, GArray *gaps, GArray *owners, tn_index i)
{
  for (tn_tick at = b->start[i]; at + 2 < b->end[i] && below(state, 2); at += 3) {
    TnGap gap = {at, at + 1 + below(state, 2), 0, 0};
    if (b->bytes[i] > 1 && below(state, 2)) {
      gap.low = below(state, (uint32_t)b->bytes[i]);
      gap.high = b->bytes[i];
    }
    g_array_append_val(gaps, gap);
    g_array_append_val(owners, i);
  }
}

static void
fill_row(TnDocument *document, TnBuffers *b, uint64_t *state, unsigned features, tn_index i)
{
  b->kind[i] = (uint8_t)below(state, TN_N_KINDS);
  b->offset[i] = below(state, 4) ? (tn_bytes)below(state, 1000) : TN_NOT_PLACED;
  if (b->requested)
    b->requested[i] = b->bytes[i] - (b->bytes[i] > 0);
  if (b->alignment)
    b->alignment[i] = (tn_bytes)1 << below(state, 7);
  if (b->name)
    b->name[i] = intern(document, names[below(state, G_N_ELEMENTS(names))]);
  if (b->space)
    b->space[i] = below(state, G_N_ELEMENTS(space_names));
  if (b->batch && below(state, 2))
    b->batch[i] = intern(document, labels[below(state, G_N_ELEMENTS(labels))]);
  if (b->group && below(state, 2))
    b->group[i] = 1 + below(state, 3);
  if (b->op && below(state, 4))
    b->op[i] = below(state, N_OPS);
  if (b->tensor && below(state, 4))
    b->tensor[i] = below(state, 100);
  if (b->stream && below(state, 4))
    b->stream[i] = below(state, 3);
  if (b->traits && below(state, 3) == 0)
    b->traits[i] = 1u << below(state, 10);
  if (features & 1 && below(state, 3) == 0)
    b->flags[i] = (uint8_t)(1u << below(state, 7));
}

/* Groups in the order in which they appear, as readers number them: heuristics go by it. */
static void
number_groups(TnBuffers *b)
{
  uint32_t number[4] = {0}, n = 0;
  for (tn_index i = 0; b->group && i < b->n; i++) {
    if (b->group[i] && !number[b->group[i]])
      number[b->group[i]] = ++n;
    b->group[i] = number[b->group[i]];
  }
}

static void
add_streams(TnDocument *document, TnDevice *device, uint64_t *state)
{
  document->op_streams = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  document->waits = g_array_new(FALSE, FALSE, sizeof(TnWait));
  device->last_uses = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  for (uint32_t op = 0; op < N_OPS; op++) {
    uint32_t stream = op < 2 ? op : below(state, 3);
    uint32_t later = op + 1 + below(state, 3);
    TnWait wait = {op, MIN(later, N_OPS - 1)};
    g_array_append_val(document->op_streams, stream);
    if (wait.to > wait.from && below(state, 2))
      g_array_append_val(document->waits, wait);
  }
  for (tn_index i = 0; i < device->buffers->n; i++) {
    TnLastUse use = {i, below(state, N_OPS)};
    if (i == 0 || below(state, 2))
      g_array_append_val(device->last_uses, use);
  }
}

static void
add_ops(TnDocument *document)
{
  document->op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  document->ticks_per_op = AXIS_END / N_OPS;
  for (uint32_t op = 0; op < N_OPS; op++) {
    uint32_t name = intern(document, op % 3 ? "conv" : "relu");
    g_array_append_val(document->op_names, name);
  }
}

static TnDocument *
random_document(uint64_t *state)
{
  static const unsigned columns[] = {TN_COLUMN_REQUESTED, TN_COLUMN_ALIGNMENT, TN_COLUMN_NAME, TN_COLUMN_SPACE,
                                     TN_COLUMN_BATCH, TN_COLUMN_GROUP, TN_COLUMN_TENSOR, TN_COLUMN_STREAM,
                                     TN_COLUMN_TRAITS};
  TnDocument *document = tn_document_new("t");
  TnDevice *device = tn_document_device(document, 0);
  TnBuffers *b = device->buffers = tn_buffers_new();
  unsigned features = (unsigned)next_random(state);
  g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  g_autoptr(GArray) owners = g_array_new(FALSE, FALSE, sizeof(tn_index));
  for (gsize k = 0; k < G_N_ELEMENTS(columns); k++)
    tn_buffers_need(b, below(state, 2) ? columns[k] : 0);
  if (features & 2)
    tn_buffers_need(b, TN_COLUMN_OP);
  uint32_t n = 1 + below(state, 9);
  for (tn_index i = 0; i < n; i++) {
    tn_tick start = below(state, AXIS_END - 8);
    tn_buffers_add(b, start, start + 1 + below(state, 8), below(state, 4) ? (tn_bytes)below(state, 400) : 0, 0);
    fill_row(document, b, state, features, i);
    if (features & 4)
      put_gaps_of(b, state, gaps, owners, i);
  }
  number_groups(b);
  tn_buffers_set_gaps(b, (const TnGap *)(void *)gaps->data, (const tn_index *)(void *)owners->data, gaps->len);
  device->axis = TN_AXIS_STEP;
  device->axis_end = AXIS_END;
  if (b->space) {
    device->space_names = g_ptr_array_new_with_free_func(g_free);
    for (gsize s = 0; s < G_N_ELEMENTS(space_names); s++)
      g_ptr_array_add(device->space_names, g_strdup(space_names[s]));
  }
  if (features & 2)
    add_ops(document);
  if ((features & 10) == 10)
    add_streams(document, device, state);
  document->resident_bytes = below(state, 3) ? 0 : 77;
  return document;
}

/* ---- comparing --------------------------------------------------------------------------------- */

/* Of columns whose numbers may change: rows have the same one where they had the same one; 0 stays 0 where
 * that is no number (`has_none`). */
static void
check_partition(const uint32_t *a, const uint32_t *b, uint32_t n, bool has_none)
{
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++) {
      g_assert_cmpint((a ? a[i] : 0) == (a ? a[j] : 0), ==, (b ? b[i] : 0) == (b ? b[j] : 0));
      if (has_none)
        g_assert_cmpint(!a || !a[i], ==, !b || !b[i]);
    }
}

static void
check_gaps(const TnBuffers *a, const TnBuffers *b, tn_index i)
{
  uint32_t n, m;
  const TnGap *x = tn_buffers_gaps(a, i, &n), *y = tn_buffers_gaps(b, i, &m);
  g_assert_cmpuint(n, ==, m);
  for (uint32_t g = 0; g < n; g++) {
    g_assert_cmpint(x[g].start, ==, y[g].start);
    g_assert_cmpint(x[g].end, ==, y[g].end);
    g_assert_cmpint(x[g].low, ==, y[g].low);
    g_assert_cmpint(x[g].high, ==, y[g].high);
  }
}

#define BINDING (TN_BUFFER_FIXED | TN_BUFFER_NO_REUSE | TN_BUFFER_UNSIZED | TN_BUFFER_GROUP_PADDED)

static bool
has_several_streams(const TnBuffers *b)
{
  uint32_t first = TN_NONE;
  for (tn_index i = 0; i < b->n; i++) {
    if (first != TN_NONE && tn_buffers_stream(b, i) != TN_NONE && tn_buffers_stream(b, i) != first)
      return true;
    first = tn_buffers_stream(b, i) == TN_NONE ? first : tn_buffers_stream(b, i);
  }
  return false;
}

/* All that binds a planner. */
static void
check_problem(const TnDocument *first, const TnDocument *second)
{
  const TnBuffers *a = tn_document_get_device(first, 0)->buffers;
  const TnBuffers *b = tn_document_get_device(second, 0)->buffers;
  g_assert_cmpuint(a->n, ==, b->n);
  for (tn_index i = 0; i < a->n; i++) {
    g_assert_cmpint(a->start[i], ==, b->start[i]);
    g_assert_cmpint(a->end[i], ==, b->end[i]);
    g_assert_cmpint(a->bytes[i], ==, b->bytes[i]);
    g_assert_cmpint(a->offset[i], ==, b->offset[i]);
    g_assert_cmpint(tn_buffers_alignment(a, i), ==, tn_buffers_alignment(b, i));
    g_assert_cmpuint(a->flags[i] & BINDING, ==, b->flags[i] & BINDING);
    g_assert_cmpuint(tn_buffers_traits(a, i), ==, tn_buffers_traits(b, i));
    if (has_several_streams(a))
      g_assert_cmpuint(tn_buffers_stream(a, i), ==, tn_buffers_stream(b, i));
    check_gaps(a, b, i);
  }
  check_partition(a->space, b->space, a->n, false);
  check_partition(a->batch, b->batch, a->n, true);
  check_partition(a->group, b->group, a->n, true);
}

static void
check_plans(const TnDocument *first, const TnDocument *second)
{
  static const char *const strategies[] = {"greedy-size", "first-fit"};
  for (gsize s = 0; s < G_N_ELEMENTS(strategies); s++) {
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    const TnStrategy *strategy = tn_strategies_find(strategies[s]);
    g_autoptr(TnPlan) a =
        tn_plan_new_for_buffers(tn_document_get_device(first, 0)->buffers, strategy, 0, &params);
    g_autoptr(TnPlan) b =
        tn_plan_new_for_buffers(tn_document_get_device(second, 0)->buffers, strategy, 0, &params);
    g_assert_cmpint(a->status, ==, b->status);
    if (a->status == TN_PLAN_FAILED)
      continue;
    g_assert_cmpint(a->arena_bytes, ==, b->arena_bytes);
    g_assert_cmpint(a->lower_bound_bytes, ==, b->lower_bound_bytes);
    g_assert_cmpint(a->is_optimal, ==, b->is_optimal);
  }
}

static bool
are_same_ints(const GArray *a, const GArray *b, gsize size)
{
  guint n = a ? a->len : 0;
  return n == (b ? b->len : 0) && (n == 0 || memcmp(a->data, b->data, n * size) == 0);
}

/* And what only JSON keeps. */
static void
check_rest(const TnDocument *first, const TnDocument *second)
{
  const TnDevice *x = tn_document_get_device(first, 0), *y = tn_document_get_device(second, 0);
  const TnBuffers *a = x->buffers, *b = y->buffers;
  for (tn_index i = 0; i < a->n; i++) {
    g_assert_cmpint(a->kind[i], ==, b->kind[i]);
    g_assert_cmpuint(a->flags[i], ==, b->flags[i]);
    g_assert_cmpint(tn_buffers_requested(a, i), ==, tn_buffers_requested(b, i));
    g_assert_cmpuint(tn_buffers_op(a, i), ==, tn_buffers_op(b, i));
    g_assert_cmpuint(tn_buffers_space(a, i), ==, tn_buffers_space(b, i));
    g_assert_cmpuint(a->tensor ? a->tensor[i] : TN_NONE, ==, b->tensor ? b->tensor[i] : TN_NONE);
    g_assert_cmpstr(tn_strings_get(first->strings, tn_buffers_name(a, i)), ==,
                    tn_strings_get(second->strings, tn_buffers_name(b, i)));
  }
  g_assert_cmpint(x->axis_end, ==, y->axis_end);
  g_assert_true(are_same_ints(x->last_uses, y->last_uses, sizeof(TnLastUse)));
  g_assert_true(are_same_ints(first->op_streams, second->op_streams, sizeof(uint32_t)));
  g_assert_true(are_same_ints(first->waits, second->waits, sizeof(TnWait)));
  g_assert_cmpint(first->resident_bytes, ==, second->resident_bytes);
}

static TnDocument *
load(const char *name, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSource) source = tn_source_new_for_bytes(name, text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

static TnPlanOutput
output_of(const TnDocument *document)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  return (TnPlanOutput){.document = document,
                        .device = device,
                        .buffers = device->buffers,
                        .lower_bound_bytes = TN_BYTES_UNKNOWN,
                        .arena_bytes = TN_BYTES_UNKNOWN,
                        .resident_bytes = document->resident_bytes,
                        .n_spaces = device->space_names ? device->space_names->len : 1};
}

static bool
has_zero_copy_inputs(const TnBuffers *b)
{
  for (tn_index i = 0; i < b->n; i++)
    if (b->kind[i] == TN_KIND_INPUT && tn_buffers_traits(b, i) & TN_TRAIT_ZERO_COPY)
      return true;
  return false;
}

static void
test_random(void)
{
  for (uint64_t seed = 0; seed < 3000; seed++) {
    uint64_t state = seed;
    g_autoptr(TnDocument) document = random_document(&state);
    TnPlanOutput output = output_of(document);
    g_autofree char *json = tn_plan_build_json(&output);
    g_autoptr(TnDocument) of_json = load("t.json", json);
    check_problem(document, of_json);
    check_rest(document, of_json);
    check_plans(document, of_json);
    output = output_of(of_json);
    g_autofree char *again = tn_plan_build_json(&output);
    g_assert_cmpstr(json, ==, again);
    output = output_of(document);
    g_autofree char *csv = tn_plan_build_csv(&output);
    g_autoptr(TnDocument) of_csv = load("t.csv", csv);
    g_assert_cmpuint(tn_diagnostics_length(of_csv->diagnostics), ==, 0);
    check_problem(document, of_csv);
    check_plans(document, of_csv);
    g_autofree char *losses = tn_plan_build_csv_losses(&output);
    bool has_losses = document->op_streams || document->resident_bytes || has_zero_copy_inputs(output.buffers);
    g_assert_cmpint(losses != NULL, ==, has_losses);
  }
}

/* MiniMalloc's columns alone where nothing else is said, and no words that mean nothing here. */
static void
test_csv_columns(void)
{
  static const char text[] = "id,lower,upper,size,offset,batch_label,contiguous_group,flags,stream,traits\n"
                             "x,0,4,100,0,B0,,fixed no-reuse,0,\n"
                             "y,0,4,100,0,\"b,1\",0,,1,\n"
                             "z,0,4,100,100,,0,group-padded,,zero-copy cleaned\n";
  g_autoptr(TnDocument) document = load("t.csv", text);
  TnPlanOutput output = output_of(document);
  g_autofree char *written = tn_plan_build_csv(&output);
  g_assert_cmpstr(written, ==, text);
  g_autoptr(TnDocument) foreign = load("t.csv", "id,lower,upper,size,flags,stream\nx,0,4,100,cold fixed,main\n");
  const TnBuffers *b = tn_document_get_device(foreign, 0)->buffers;
  g_assert_cmpuint(b->flags[0], ==, TN_BUFFER_FIXED);
  g_assert_null(b->stream);
  g_assert_cmpuint(tn_diagnostics_length(foreign->diagnostics), ==, 2);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-round-trip/random", test_random);
  g_test_add_func("/plan-round-trip/csv-columns", test_csv_columns);
  return g_test_run();
}
