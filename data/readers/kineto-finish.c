/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/kineto.h"

#include "data/hash.h"
#include "data/units.h"

static int
compare_memory(gconstpointer a, gconstpointer b, gpointer payload)
{
  const TnKinetoMemory *x = a, *y = b;
  return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* By time; g_qsort_with_data() is stable, so those of one time keep the file's order. */
static void
sort_memory(TnKineto *kineto)
{
  TnKinetoMemory *rows = (TnKinetoMemory *)(void *)kineto->memory->data;
  g_qsort_with_data(rows, (gint)kineto->memory->len, sizeof *rows, compare_memory, NULL);
}

/* Rows of the document's devices are CUDA's by their number; the host and others get their own. */
static TnDevice *
device_of(TnKineto *kineto, int16_t type, int16_t number)
{
  int32_t ordinal = type == 1 ? MAX(number, (int16_t)0) : type == 0 ? -1 : type * 4096 + number;
  TnDevice *device = tn_document_device(kineto->document, ordinal);
  if (device->name)
    return device;
  g_autofree char *name = type == 0   ? g_strdup("cpu")
                          : type == 1 ? g_strdup_printf("cuda:%d", number)
                                      : g_strdup_printf("device type %d, %d", type, number);
  device->name = tn_strings_intern(kineto->document->strings, name, -1);
  const tn_bytes *bytes =
      type == 1 ? g_hash_table_lookup(kineto->device_bytes, GINT_TO_POINTER((int)number)) : NULL;
  device->total_bytes = bytes ? *bytes : TN_BYTES_UNKNOWN;
  return device;
}

static int64_t
time_us(const TnKineto *kineto, int64_t ns)
{
  int64_t sum;
  return (tn_add(ns, kineto->base_ns, &sum) ? sum : ns) / 1000;
}

static void
add_oom(TnDevice *device, const TnKinetoMemory *row, tn_tick tick)
{
  TnMark mark = {.kind = TN_MARK_OOM,
                 .tick = tick,
                 .requested = ABS(row->bytes),
                 .device_free = TN_BYTES_UNKNOWN};
  g_array_append_val(device->marks, mark);
}

/* ---- with addresses: a log ------------------------------------------------------------- */

static void
fill_log(TnKineto *kineto, const uint32_t *stacks)
{
  int64_t n_without = 0;
  kineto->document->kind = TN_DOCUMENT_LOG;
  for (guint i = 0; i < kineto->memory->len; i++) {
    const TnKinetoMemory *row = &g_array_index(kineto->memory, TnKinetoMemory, i);
    if (!row->has_address && !row->is_oom) {
      n_without++;
      continue;
    }
    TnDevice *device = device_of(kineto, row->type, row->device);
    TnEventAction action = row->is_oom       ? TN_EVENT_OOM
                           : row->bytes >= 0 ? TN_EVENT_ALLOC
                                             : TN_EVENT_FREE;
    uint32_t event =
        tn_events_add(&device->events, action, row->is_oom ? 0 : row->address, ABS(row->bytes));
    device->events.time_us[event] = time_us(kineto, row->ns);
    device->events.stack[event] = stacks[i];
    device->events.space[event] = tn_device_space(device, 0, 0, 0);
    if (row->is_oom)
      add_oom(device, row, event);
  }
  if (n_without)
    tn_diagnostics_add(kineto->document->diagnostics, "no-address", n_without,
                       "%" G_GINT64_FORMAT " %s "
                       "out",
                       n_without,
                       tn_plural(n_without, "event has no address, others have: it was left",
                                 "events have no address, others have: they were left"));
}

/* ---- without: lives, matched by size ---------------------------------------------------- */

typedef struct {
  TnDevice *device;
  GHashTable *alive; /* size → last row alive of it + 1 */
  GArray *below;     /* uint32_t, by row: the row alive of its size before it, + 1 */
  tn_tick tick;
} Matching;

static uint32_t
name_of_stack(const TnDocument *document, uint32_t stack)
{
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, stack, &n);
  return n ? tn_stacks_frame(document->stacks, frames[0]).name : 0;
}

static void
match_alloc(TnKineto *kineto, Matching *m, const TnKinetoMemory *row, uint32_t stack)
{
  TnBuffers *b = m->device->buffers;
  tn_index i = tn_buffers_add(b, m->tick, TN_TICK_MAX, row->bytes, TN_KIND_ALLOCATION);
  b->stack[i] = stack;
  b->name[i] = name_of_stack(kineto->document, stack);
  b->flags[i] = TN_BUFFER_TO_END;
  gpointer size = GSIZE_TO_POINTER((gsize)row->bytes);
  uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(m->alive, size));
  g_array_append_val(m->below, before);
  g_hash_table_insert(m->alive, size, GUINT_TO_POINTER(i + 1));
}

static void
match_free(Matching *m, const TnKinetoMemory *row, int64_t *n_before)
{
  TnBuffers *b = m->device->buffers;
  gpointer size = GSIZE_TO_POINTER((gsize)-row->bytes);
  uint32_t last = GPOINTER_TO_UINT(g_hash_table_lookup(m->alive, size));
  if (last) {
    b->end[last - 1] = m->tick;
    b->flags[last - 1] = 0;
    g_hash_table_insert(m->alive, size,
                        GUINT_TO_POINTER(g_array_index(m->below, uint32_t, last - 1)));
    return;
  }
  tn_index i = tn_buffers_add(b, 0, MAX(m->tick, (tn_tick)1), -row->bytes, TN_KIND_BEFORE);
  uint32_t none = 0;
  g_array_append_val(m->below, none);
  b->flags[i] = TN_BUFFER_BEFORE;
  (*n_before)++;
}

static Matching *
matching_of(GHashTable *matchings, TnDevice *device)
{
  Matching *m = g_hash_table_lookup(matchings, device);
  if (m)
    return m;
  m = g_new0(Matching, 1);
  m->device = device;
  m->alive = g_hash_table_new(tn_direct64_hash, NULL);
  m->below = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_STACK);
  device->axis = TN_AXIS_EVENT;
  g_hash_table_insert(matchings, device, m);
  return m;
}

static void
end_matching(Matching *m)
{
  TnBuffers *b = m->device->buffers;
  m->device->axis_end = MAX(m->tick, (tn_tick)1);
  for (uint32_t i = 0; i < b->n; i++)
    b->end[i] = MIN(b->end[i], m->device->axis_end);
  g_hash_table_unref(m->alive);
  g_array_unref(m->below);
  g_free(m);
}

static void
fill_lives(TnKineto *kineto, const uint32_t *stacks)
{
  g_autoptr(GHashTable) matchings =
      g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)end_matching);
  int64_t n_before = 0;
  kineto->document->kind = TN_DOCUMENT_PLAN;
  for (guint i = 0; i < kineto->memory->len; i++) {
    const TnKinetoMemory *row = &g_array_index(kineto->memory, TnKinetoMemory, i);
    Matching *m = matching_of(matchings, device_of(kineto, row->type, row->device));
    if (row->is_oom)
      add_oom(m->device, row, m->tick);
    else if (row->bytes > 0)
      match_alloc(kineto, m, row, stacks[i]);
    else if (row->bytes < 0)
      match_free(m, row, &n_before);
    m->tick++;
  }
  tn_diagnostics_add(
      kineto->document->diagnostics, "no-address", kineto->memory->len,
      "this trace has no addresses (a profiler of 2021): a free was taken to end the "
      "last allocation of its size; sums are right, which buffer it was is a guess, "
      "and there is no map");
  if (n_before)
    tn_diagnostics_add(kineto->document->diagnostics, "before-recording", n_before,
                       "%" G_GINT64_FORMAT
                       " frees are of memory allocated before the recording: it "
                       "stands from 0 on",
                       n_before);
}

/* ---- marks and totals -------------------------------------------------------------------- */

static int
compare_marks(gconstpointer a, gconstpointer b)
{
  const TnMark *x = a, *y = b;
  return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* How many of the device's rows are before `ns`: the tick at which a step begins. */
static void
mark_steps(TnKineto *kineto, int16_t type, int16_t number)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint i = 0; i < kineto->memory->len; i++) {
    const TnKinetoMemory *row = &g_array_index(kineto->memory, TnKinetoMemory, i);
    if (row->type == type && row->device == number)
      g_array_append_val(times, row->ns);
  }
  TnDevice *device = device_of(kineto, type, number);
  for (guint s = 0; s < kineto->steps->len; s++) {
    const TnKinetoOp *step = &g_array_index(kineto->steps, TnKinetoOp, s);
    guint low = 0, high = times->len;
    while (low < high) {
      guint middle = low + (high - low) / 2;
      if (g_array_index(times, int64_t, middle) < step->ns)
        low = middle + 1;
      else
        high = middle;
    }
    if (low >= times->len)
      continue;
    TnMark mark = {.tick = low, .kind = TN_MARK_ITERATION, .text = step->name};
    g_array_append_val(device->marks, mark);
  }
  g_array_sort(device->marks, compare_marks);
}

static void
account_totals(TnKineto *kineto, const TnKinetoTotals *totals)
{
  if (totals->peak_allocated < 0)
    return;
  TnDevice *device = device_of(kineto, totals->type, totals->device);
  g_autofree char *title = g_strdup_printf("the profiler's own totals, %s",
                                           tn_strings_get(kineto->document->strings, device->name));
  TnAccount *account = tn_account_new(title, 0);
  tn_account_add_detail(account, "peak allocated", totals->peak_allocated, NULL);
  tn_account_add_detail(account, "peak reserved", totals->peak_reserved, NULL);
  tn_account_add_detail(account, "allocated before the recording", totals->first_allocated,
                        "of which only what is freed in it has a buffer");
  g_ptr_array_add(kineto->document->accounts, account);
}

void
tn_kineto_finish(TnKineto *kineto)
{
  bool has_addresses = false;
  sort_memory(kineto);
  for (guint i = 0; i < kineto->memory->len && !has_addresses; i++)
    has_addresses = g_array_index(kineto->memory, TnKinetoMemory, i).has_address;
  g_autofree uint32_t *stacks = tn_kineto_build_stacks(kineto);
  if (has_addresses)
    fill_log(kineto, stacks);
  else
    fill_lives(kineto, stacks);
  for (guint i = 0; i < kineto->totals->len; i++) {
    const TnKinetoTotals *totals = &g_array_index(kineto->totals, TnKinetoTotals, i);
    mark_steps(kineto, totals->type, totals->device);
    account_totals(kineto, totals);
  }
}
