/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-ge.h"

#include "data/readers/ge-memory.h"

static int
compare_tensors(gconstpointer a, gconstpointer b)
{
  const TnGeTensor *x = a, *y = b;
  const int64_t keys[][2] = {{x->memory_type, y->memory_type},
                             {x->offset, y->offset},
                             {x->start, y->start},
                             {x->is_ref, y->is_ref},
                             {x->end, y->end}};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

/* A tensor that refers to the one before it in its block is no memory of its own: the life of the
 * buffer at its place goes on. */
static void
merge_refs(TnGeGraph *graph)
{
  guint kept = 0;
  g_array_sort(graph->tensors, compare_tensors);
  for (guint i = 0; i < graph->tensors->len; i++) {
    TnGeTensor tensor = g_array_index(graph->tensors, TnGeTensor, i);
    TnGeTensor *last = kept ? &g_array_index(graph->tensors, TnGeTensor, kept - 1) : NULL;
    if (last && tensor.is_ref && last->offset >= 0 && last->memory_type == tensor.memory_type &&
        last->offset == tensor.offset && tensor.start <= last->end) {
      last->end = MAX(last->end, tensor.end);
      last->bytes = MAX(last->bytes, tensor.bytes);
      last->is_to_end |= tensor.is_to_end;
      continue;
    }
    g_array_index(graph->tensors, TnGeTensor, kept++) = tensor;
  }
  g_array_set_size(graph->tensors, kept);
}

static void
fill_device(TnDevice *device, const TnGeGraph *graph)
{
  g_autoptr(GHashTable) types = tn_ge_types_new();
  device->axis = TN_AXIS_STEP;
  device->space_names = g_ptr_array_new_with_free_func(g_free);
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers,
                  TN_COLUMN_NAME | TN_COLUMN_REQUESTED | TN_COLUMN_SPACE | TN_COLUMN_BATCH |
                      TN_COLUMN_STREAM | TN_COLUMN_TRAITS | TN_COLUMN_BLOCK);
  for (guint i = 0; i < graph->tensors->len; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    device->axis_end = MAX(device->axis_end, tensor->is_to_end ? tensor->start + 1 : tensor->end);
  }
  for (guint i = 0; i < graph->tensors->len; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    tn_index row = tn_buffers_add(device->buffers, tensor->start,
                                  tensor->is_to_end ? device->axis_end : tensor->end, tensor->bytes,
                                  TN_KIND_ACTIVATION);
    device->buffers->offset[row] = tensor->offset;
    device->buffers->requested[row] = tensor->requested;
    device->buffers->name[row] = tensor->name;
    device->buffers->batch[row] = tensor->batch;
    device->buffers->stream[row] = tensor->stream;
    device->buffers->traits[row] = tensor->traits;
    device->buffers->block[row] = tensor->block;
    device->buffers->flags[row] = tensor->is_shared ? 0 : TN_BUFFER_NO_REUSE;
    device->buffers->space[row] = tn_ge_space(device, types, tensor->memory_type);
  }
  for (guint i = 0; graph->segments && i < graph->segments->len; i++) {
    const TnGeSegment *had = &g_array_index(graph->segments, TnGeSegment, i);
    TnSegment segment = {.address = (uint64_t)had->base, .bytes = had->bytes};
    if (!tn_ge_find_space(types, had->memory_type, &segment.space))
      continue; /* of memory that the plan has nothing in nothing is shown */
    g_array_append_val(device->segments, segment);
  }
}

static void
report_summaries(TnTextLog *log, TnGeGraph *graph)
{
  for (guint i = 0; i < graph->summaries->len; i++) {
    TnAccount *account = tn_text_log_report(log, g_ptr_array_index(graph->summaries, i));
    if (!graph->tensors->len)
      account->statement =
          g_strdup("Sums only: the plan itself is in the [IMAS]Set lines, which the "
                   "log has with ASCEND_GLOBAL_LOG_LEVEL=1.");
  }
}

/* A pool's addresses become offsets from the lowest; what has no place yet keeps none. */
static void
rebase_pool(TnGeGraph *graph)
{
  int64_t base = INT64_MAX;
  for (guint i = 0; i < graph->tensors->len; i++) {
    int64_t offset = g_array_index(graph->tensors, TnGeTensor, i).offset;
    base = offset < 0 ? base : MIN(base, offset);
  }
  for (guint i = 0; i < graph->tensors->len; i++) {
    TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    tensor->offset -= tensor->offset < 0 ? 0 : base;
  }
}

void
tn_ge_finish(TnTextLog *log, TnGeGraph *graph)
{
  report_summaries(log, graph);
  if (!graph->tensors->len)
    return;
  uint32_t n_tensors = graph->tensors->len;
  if (graph->is_pool)
    rebase_pool(graph);
  merge_refs(graph);
  g_autofree char *title = g_strdup_printf("GE's plan of %s: %u tensors in %u buffers", graph->name,
                                           n_tensors, graph->tensors->len);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, graph->first_line));
  account->last_line = graph->last_line;
  TnDevice *device = tn_text_log_new_device(log);
  tn_text_log_name(log, device, graph->name);
  fill_device(device, graph);
  if (graph->planned > 0 && device->space_names->len == 1)
    device->arena_bytes = graph->planned;
  if (graph->total > 0 && device->space_names->len == 1)
    device->stated_total = graph->total;
  log->has_plan = true;
  if (graph->n_damaged)
    tn_text_log_cut_off(log, account, "lines of tensors are damaged and were left out");
  if (graph->n_unknown)
    tn_diagnostics_add(log->document->diagnostics, "unknown-tensor", graph->n_unknown,
                       "%s: %" G_GINT64_FORMAT " lines move tensors that no line has set: left out",
                       graph->name, graph->n_unknown);
}

/* ---- a pool as a log -------------------------------------------------------------------------- */

typedef struct {
  int64_t time;
  uint32_t row;
  bool is_end;
} Edge;

/* Lives are closed: what ends at a moment is still there when others begin. */
static gint
compare_edges(gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->is_end != y->is_end ? (x->is_end ? 1 : -1) : x->row < y->row ? -1 : x->row > y->row;
}

static GArray *
edges_new(const TnGeGraph *graph)
{
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  for (guint i = 0; i < graph->tensors->len; i++) {
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, i);
    Edge start = {tensor->start, i, false}, end = {tensor->end - 1, i, true};
    g_array_append_val(edges, start);
    if (!tensor->is_to_end)
      g_array_append_val(edges, end);
  }
  g_array_sort(edges, compare_edges);
  return edges;
}

static tn_bytes
sum_of(const TnGeGraph *graph)
{
  tn_bytes sum = 0;
  for (guint i = 0; i < graph->tensors->len; i++)
    if (!tn_add(sum, g_array_index(graph->tensors, TnGeTensor, i).bytes, &sum))
      return TN_BYTES_UNKNOWN;
  return sum;
}

/* What a log says of an address that is none is no event. */
static void
drop_unplaced(TnGeGraph *graph)
{
  guint kept = 0;
  for (guint i = 0; i < graph->tensors->len; i++) {
    TnGeTensor tensor = g_array_index(graph->tensors, TnGeTensor, i);
    if (tensor.offset >= 0)
      g_array_index(graph->tensors, TnGeTensor, kept++) = tensor;
  }
  graph->n_damaged += graph->tensors->len - kept;
  g_array_set_size(graph->tensors, kept);
}

void
tn_ge_finish_log(TnTextLog *log, TnGeGraph *graph)
{
  drop_unplaced(graph);
  g_autoptr(GArray) edges = edges_new(graph);
  g_autofree char *title =
      g_strdup_printf("GE's pool %s: %u allocations", graph->name, graph->tensors->len);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, graph->first_line));
  TnDevice *device = tn_text_log_new_device(log);
  account->last_line = graph->last_line;
  tn_ge_add_rates(account, sum_of(graph), graph->cached ? graph->cached : TN_BYTES_UNKNOWN,
                  graph->theory ? graph->theory : TN_BYTES_UNKNOWN);
  tn_text_log_name(log, device, graph->name);
  device->granularity = TN_GE_BLOCK;
  tn_device_space(device, 0, 0, 0);
  for (guint i = 0; i < edges->len; i++) {
    const Edge *edge = &g_array_index(edges, Edge, i);
    const TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, edge->row);
    uint32_t event =
        tn_events_add(&device->events, edge->is_end ? TN_EVENT_FREE : TN_EVENT_ALLOC,
                      (uint64_t)tensor->offset, tensor->requested);
    tn_events_set_name(&device->events, event, tensor->name);
    if (!edge->is_end)
      tn_events_set_used(&device->events, event, tensor->bytes);
  }
  log->has_map = true;
  if (graph->n_damaged)
    tn_text_log_cut_off(log, account, "rows of allocations are damaged and were left out");
}
