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

/* CUDA's are called by their number; the host and others get their own. */
static int32_t
ordinal_of(int16_t type, int16_t number)
{
  if (type == 0)
    return -1;
  if (number < 0)
    return 128 * 4096 + type;
  return type == 1 ? number : type * 4096 + number;
}

/* Those of further processes follow CUDA's numbers; they are too few to reach those of other types. */
static void
number_devices(TnKineto *kineto)
{
  int32_t next = 0;
  for (guint i = 0; i < kineto->devices->len; i++) {
    TnKinetoDevice *device = &g_array_index(kineto->devices, TnKinetoDevice, i);
    device->ordinal = ordinal_of(device->type, device->number);
    if (device->type == 1)
      next = MAX(next, device->number + 1);
  }
  for (guint i = 0; i < kineto->devices->len; i++) {
    TnKinetoDevice *device = &g_array_index(kineto->devices, TnKinetoDevice, i);
    if (device->rank > 0)
      device->ordinal = next++;
  }
}

/* "cuda:0", and whose where the trace is of several. */
static uint32_t
name_device(const TnKineto *kineto, const TnKinetoDevice *device)
{
  TnStrings *strings = kineto->document->strings;
  g_autoptr(GString) name = g_string_new(device->type == 0 ? "cpu" : NULL);
  if (device->type)
    g_string_append_printf(name, device->type == 1 ? "cuda:%d" : "device type %d, %d",
                           device->type == 1 ? device->number : device->type, device->number);
  if (kineto->n_processes > 1) {
    g_string_append_printf(name, ", process %s", tn_strings_get(strings, device->process));
    g_string_replace(name, "\"", "", 0);
  }
  return tn_strings_intern(strings, name->str, (gssize)name->len);
}

static TnDevice *
device_of(TnKineto *kineto, uint32_t row)
{
  TnKinetoDevice *from = &g_array_index(kineto->devices, TnKinetoDevice, row);
  int16_t type = from->type, number = from->number;
  if (from->device)
    return from->device;
  TnDevice *device = tn_document_device(kineto->document, from->ordinal);
  device->name = name_device(kineto, from);
  const tn_bytes *bytes =
      type == 1 ? g_hash_table_lookup(kineto->device_bytes, GINT_TO_POINTER((int)number)) : NULL;
  device->total_bytes = bytes ? *bytes : TN_BYTES_UNKNOWN;
  return from->device = device;
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
    TnDevice *device = device_of(kineto, row->device);
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

/* `matchings`: by row of kineto->devices. */
static Matching *
matching_of(TnKineto *kineto, Matching **matchings, uint32_t row)
{
  if (matchings[row])
    return matchings[row];
  TnDevice *device = device_of(kineto, row);
  Matching *m = matchings[row] = g_new0(Matching, 1);
  m->device = device;
  m->alive = g_hash_table_new(tn_direct64_hash, NULL);
  m->below = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_STACK);
  device->axis = TN_AXIS_EVENT;
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
  g_autofree Matching **matchings = g_new0(Matching *, kineto->devices->len);
  int64_t n_before = 0;
  kineto->document->kind = TN_DOCUMENT_PLAN;
  for (guint i = 0; i < kineto->memory->len; i++) {
    const TnKinetoMemory *row = &g_array_index(kineto->memory, TnKinetoMemory, i);
    Matching *m = matching_of(kineto, matchings, row->device);
    if (row->is_oom)
      add_oom(m->device, row, m->tick);
    else if (row->bytes > 0)
      match_alloc(kineto, m, row, stacks[i]);
    else if (row->bytes < 0)
      match_free(m, row, &n_before);
    m->tick++;
  }
  for (guint i = 0; i < kineto->devices->len; i++)
    if (matchings[i])
      end_matching(matchings[i]);
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

/* Times of the rows that have an event or a life, in their order, device by device; those of device
 * d are from first[d] up to first[d + 1]. */
static int64_t *
build_times(const TnKineto *kineto, bool has_addresses, uint32_t *first)
{
  uint32_t n_devices = kineto->devices->len;
  g_autofree uint32_t *next = g_new(uint32_t, n_devices);
  int64_t *times = g_new(int64_t, (gsize)kineto->memory->len + 1);
  for (int pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < kineto->memory->len; i++) {
      const TnKinetoMemory *row = &g_array_index(kineto->memory, TnKinetoMemory, i);
      if (has_addresses && !row->has_address && !row->is_oom)
        continue;
      if (pass == 0)
        first[row->device + 1]++;
      else
        times[next[row->device]++] = row->ns;
    }
    for (uint32_t d = 0; pass == 0 && d < n_devices; d++) {
      next[d] = first[d];
      first[d + 1] += first[d];
    }
  }
  return times;
}

#define MAX_STEPS 2000000u /* of all devices together: 40 bytes each */

/* How many of a device's rows are before a step: the tick at which it begins. */
static void
mark_steps(TnKineto *kineto, TnDevice *device, const int64_t *times, uint32_t n, int64_t *n_left)
{
  for (guint s = 0; s < kineto->steps->len; s++) {
    const TnKinetoOp *step = &g_array_index(kineto->steps, TnKinetoOp, s);
    uint32_t low = 0, high = n;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (times[middle] < step->ns)
        low = middle + 1;
      else
        high = middle;
    }
    if (low >= n || --*n_left < 0)
      continue;
    TnMark mark = {.tick = low, .kind = TN_MARK_ITERATION, .text = step->name};
    g_array_append_val(device->marks, mark);
  }
  g_array_sort(device->marks, compare_marks);
}

static void
mark_all_steps(TnKineto *kineto, bool has_addresses)
{
  g_autofree uint32_t *first = g_new0(uint32_t, (gsize)kineto->devices->len + 1);
  g_autofree int64_t *times = build_times(kineto, has_addresses, first);
  int64_t n_left = MAX_STEPS;
  for (guint d = 0; d < kineto->devices->len; d++)
    mark_steps(kineto, device_of(kineto, d), times + first[d], first[d + 1] - first[d], &n_left);
  if (n_left < 0)
    tn_diagnostics_add(kineto->document->diagnostics, "steps-left-out", -n_left,
                       "%" G_GINT64_FORMAT " marks of steps beyond the first %u (steps times "
                       "devices) were left out",
                       -n_left, MAX_STEPS);
}

static void
account_totals(TnKineto *kineto, uint32_t row)
{
  const TnKinetoDevice *totals = &g_array_index(kineto->devices, TnKinetoDevice, row);
  if (totals->peak_allocated < 0)
    return;
  TnDevice *device = device_of(kineto, row);
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
  number_devices(kineto);
  for (guint i = 0; i < kineto->memory->len && !has_addresses; i++)
    has_addresses = g_array_index(kineto->memory, TnKinetoMemory, i).has_address;
  g_autofree uint32_t *stacks = tn_kineto_build_stacks(kineto);
  if (has_addresses)
    fill_log(kineto, stacks);
  else
    fill_lives(kineto, stacks);
  mark_all_steps(kineto, has_addresses);
  for (guint i = 0; i < kineto->devices->len; i++)
    account_totals(kineto, i);
}
