/* SPDX-License-Identifier: MIT */
/* Plans as JSON.  Printed directly: a plan may have a million buffers. */
#include "config.h"

#include "data/graph-order.h"

#include "data/json.h"
#include "data/write.h"

/* The ops' names by the order in which they run, and for each op its place there.  Both NULL where
 * the document knows no ops. */
typedef struct {
  uint32_t n, n_ops;
  uint32_t *names;    /* string ids, by place */
  uint32_t *place_of; /* by op row */
  tn_tick ticks_each; /* 0: unknown */
} Labels;

static uint32_t
op_at(const TnPlanOutput *plan, uint32_t place)
{
  const TnGraph *graph = plan->document->graph;
  if (!graph)
    return place;
  return plan->order                ? plan->order[place]
         : place < graph->order->len ? g_array_index(graph->order, uint32_t, place)
                                     : place;
}

static Labels
labels_new(const TnPlanOutput *plan)
{
  Labels labels = {0};
  const TnDocument *document = plan->document;
  const TnGraph *graph = document->graph;
  if (plan->device && plan->device->has_other_ops)
    return labels;
  labels.n_ops = graph ? graph->ops->len : document->op_names ? document->op_names->len : 0;
  labels.n = graph && plan->order && plan->n_order ? plan->n_order : labels.n_ops;
  labels.ticks_each = graph ? 3 : document->ticks_per_op;
  labels.names = g_new(uint32_t, labels.n);
  labels.place_of = g_new0(uint32_t, labels.n_ops);
  /* From the last to the first: of an op that runs again its first run counts. */
  for (uint32_t place = labels.n; place-- > 0;) {
    uint32_t op = op_at(plan, place);
    labels.names[place] = tn_document_op_name(document, op);
    labels.place_of[op] = place;
  }
  return labels;
}

static void
labels_clear(Labels *labels)
{
  g_free(labels->names);
  g_free(labels->place_of);
}

static void
put_key(GString *out, const char *key)
{
  g_string_append(out, ", \"");
  g_string_append(out, key);
  g_string_append(out, "\": ");
}

static void
put_int(GString *out, const char *key, int64_t value)
{
  put_key(out, key);
  tn_json_append_int(out, value);
}

static void
put_string(GString *out, const char *key, const char *text)
{
  put_key(out, key);
  tn_json_append_string(out, text);
}

/* The axis holds every life, also where the device's own has no ticks (a snapshot without events).
 */
static tn_tick
axis_end(const TnPlanOutput *plan)
{
  tn_tick end = plan->device->axis_end;
  for (tn_index i = 0; i < plan->buffers->n; i++)
    end = MAX(end, plan->buffers->end[i]);
  return end;
}

static void
put_axis(GString *out, const TnPlanOutput *plan, const Labels *labels)
{
  g_string_append(out, " \"axis\": {\"unit\": ");
  tn_json_append_string(out, tn_axis_unit_name(plan->device->axis));
  put_int(out, "end", plan->axis_end > 0 ? plan->axis_end : axis_end(plan));
  if (labels->n) {
    put_int(out, "ticks_per_label", labels->ticks_each);
    put_key(out, "labels");
    g_string_append_c(out, '[');
    for (uint32_t i = 0; i < labels->n; i++) {
      if (i)
        g_string_append(out, ", ");
      tn_json_append_string(out, tn_strings_get(plan->document->strings, labels->names[i]));
    }
    g_string_append_c(out, ']');
  }
  g_string_append(out, "},\n");
}

/* Streams and what makes them wait, by labels: of a graph its edges, of a plan what it says. */
static uint32_t
stream_of(const TnDocument *document, uint32_t op)
{
  if (document->graph)
    return tn_graph_op(document->graph, op)->stream;
  return document->op_streams ? g_array_index(document->op_streams, uint32_t, op) : 0;
}

static bool
has_streams(const TnDocument *document, uint32_t n)
{
  for (uint32_t op = 1; op < n; op++)
    if (stream_of(document, op) != stream_of(document, 0))
      return true;
  return false;
}

static const char *
put_wait(GString *out, const Labels *labels, const char *before, uint32_t from, uint32_t to)
{
  g_string_append_printf(out, "%s[%u, %u]", before, labels->place_of[from], labels->place_of[to]);
  return ", ";
}

static void
put_waits(GString *out, const TnDocument *document, const Labels *labels)
{
  const char *before = "";
  g_autoptr(TnEdges) edges = document->graph ? tn_edges_new(document->graph) : NULL;
  for (uint32_t op = 0; edges && op < edges->n; op++)
    for (uint32_t e = edges->first[op]; e < edges->first[op + 1]; e++)
      if (stream_of(document, op) != stream_of(document, edges->next[e]))
        before = put_wait(out, labels, before, op, edges->next[e]);
  for (guint i = 0; !edges && document->waits && i < document->waits->len; i++) {
    const TnWait *wait = &g_array_index(document->waits, TnWait, i);
    before = put_wait(out, labels, before, wait->from, wait->to);
  }
}

/* Only where ops run once each: places and ops are then the same. */
static void
put_streams(GString *out, const TnPlanOutput *plan, const Labels *labels)
{
  if (labels->n != labels->n_ops || !has_streams(plan->document, labels->n_ops))
    return;
  g_string_append(out, " \"streams\": {\"of_label\": [");
  for (uint32_t i = 0; i < labels->n; i++)
    g_string_append_printf(out, "%s%u", i ? ", " : "", stream_of(plan->document, op_at(plan, i)));
  g_string_append(out, "], \"waits\": [");
  put_waits(out, plan->document, labels);
  g_string_append(out, "]},\n");
}

static tn_bytes
space_arena(const TnPlanOutput *plan, uint32_t space)
{
  if (plan->space_arena_bytes)
    return plan->space_arena_bytes[space];
  return plan->n_spaces <= 1 ? plan->arena_bytes : TN_BYTES_UNKNOWN;
}

static void
put_spaces(GString *out, const TnPlanOutput *plan)
{
  const GPtrArray *names = plan->device->space_names;
  g_string_append(out, " \"spaces\": [");
  for (uint32_t s = 0; s < MAX(plan->n_spaces, 1u); s++) {
    g_string_append(out, s ? ", {\"name\": " : "{\"name\": ");
    tn_json_append_string(out, names && s < names->len ? g_ptr_array_index(names, s) : "");
    if (space_arena(plan, s) >= 0)
      put_int(out, "arena_bytes", space_arena(plan, s));
    g_string_append_c(out, '}');
  }
  g_string_append(out, "],\n");
}

static void
put_words(GString *out, const char *key, unsigned bits, const char *(*name_of)(unsigned bit))
{
  const char *before = "[";
  put_key(out, key);
  for (unsigned bit = 0; name_of(bit); bit++) {
    if (!(bits & 1u << bit))
      continue;
    g_string_append(out, before);
    tn_json_append_string(out, name_of(bit));
    before = ", ";
  }
  g_string_append_c(out, ']');
}

/* The ops of each stream that use buffer `i` last; `at` walks along with the buffers. */
static void
put_last_ops(GString *out, const TnPlanOutput *plan, const Labels *labels, tn_index i, guint *at)
{
  const GArray *uses = plan->last_uses ? plan->last_uses : plan->device->last_uses;
  const char *before = "[";
  while (uses && *at < uses->len && g_array_index(uses, TnLastUse, *at).buffer < i)
    ++*at;
  if (!uses || *at == uses->len || g_array_index(uses, TnLastUse, *at).buffer != i)
    return;
  put_key(out, "last_ops");
  for (; *at < uses->len && g_array_index(uses, TnLastUse, *at).buffer == i; ++*at) {
    uint32_t op = g_array_index(uses, TnLastUse, *at).op;
    g_string_append_printf(out, "%s%u", before, op < labels->n_ops ? labels->place_of[op] : op);
    before = ", ";
  }
  g_string_append_c(out, ']');
}

static void
put_gaps(GString *out, const TnGap *gaps, uint32_t n)
{
  put_key(out, "gaps");
  for (uint32_t g = 0; g < n; g++) {
    g_string_append(out, g ? ", [" : "[[");
    tn_json_append_int(out, gaps[g].start);
    g_string_append(out, ", ");
    tn_json_append_int(out, gaps[g].end);
    if (gaps[g].high > gaps[g].low) {
      g_string_append(out, ", ");
      tn_json_append_int(out, gaps[g].low);
      g_string_append(out, ", ");
      tn_json_append_int(out, gaps[g].high);
    }
    g_string_append_c(out, ']');
  }
  g_string_append_c(out, ']');
}

/* What only some buffers have. */
static void
put_extras(GString *out, const TnPlanOutput *plan, const Labels *labels, tn_index i)
{
  const TnBuffers *b = plan->buffers;
  uint32_t n_gaps, op = tn_buffers_op(b, i);
  const TnGap *gaps = tn_buffers_gaps(b, i, &n_gaps);
  if (op < labels->n_ops)
    put_int(out, "op", labels->place_of[op]);
  if (b->tensor && b->tensor[i] != TN_NONE)
    put_int(out, "tensor", b->tensor[i]);
  if (b->batch && b->batch[i])
    put_string(out, "batch_label", tn_strings_get(plan->document->strings, b->batch[i]));
  if (b->group && b->group[i])
    put_int(out, "group", b->group[i] - 1);
  if (b->flags[i])
    put_words(out, "flags", b->flags[i], tn_flag_name);
  if (tn_buffers_stream(b, i) != TN_NONE)
    put_int(out, "stream", b->stream[i]);
  if (tn_buffers_traits(b, i))
    put_words(out, "traits", b->traits[i], tn_trait_name);
  if (n_gaps)
    put_gaps(out, gaps, n_gaps);
}

static void
put_buffer(GString *out, const TnPlanOutput *plan, const Labels *labels, tn_index i, guint *at)
{
  const TnBuffers *b = plan->buffers;
  g_string_append(out, "  {\"id\": ");
  tn_json_append_int(out, i);
  put_string(out, "name", tn_strings_get(plan->document->strings, tn_buffers_name(b, i)));
  put_string(out, "kind", tn_kind_name((TnBufferKind)b->kind[i]));
  put_int(out, "start", b->start[i]);
  put_int(out, "end", b->end[i]);
  put_int(out, "bytes", b->bytes[i]);
  put_int(out, "requested_bytes", tn_buffers_requested(b, i));
  put_int(out, "alignment", tn_buffers_alignment(b, i));
  if (tn_plan_output_offset(plan, i) == TN_NOT_PLACED)
    g_string_append(out, ", \"offset\": null");
  else
    put_int(out, "offset", tn_plan_output_offset(plan, i));
  put_int(out, "space", tn_buffers_space(b, i));
  put_extras(out, plan, labels, i);
  put_last_ops(out, plan, labels, i, at);
  g_string_append(out, i + 1 < b->n ? "},\n" : "}\n");
}

static void
put_optional_int(GString *out, const char *key, tn_bytes bytes)
{
  if (bytes < 0)
    return;
  g_string_append_printf(out, " \"%s\": ", key);
  tn_json_append_int(out, bytes);
  g_string_append(out, ",\n");
}

static void
put_optional_string(GString *out, const char *key, const char *text)
{
  if (!text)
    return;
  g_string_append_printf(out, " \"%s\": ", key);
  tn_json_append_string(out, text);
  g_string_append(out, ",\n");
}

char *
tn_plan_build_json(const TnPlanOutput *plan)
{
  GString *out = g_string_sized_new(1024 + 200 * (gsize)plan->buffers->n);
  Labels labels = labels_new(plan);
  guint at = 0;
  g_string_append(out, "{\"format\": \"tenure-plan\", \"version\": 1,\n");
  put_optional_string(out, "strategy", plan->strategy);
  put_optional_string(out, "lifetime_model", plan->lifetime_model);
  put_optional_int(out, "lower_bound_bytes", plan->lower_bound_bytes);
  put_optional_int(out, "arena_bytes", plan->arena_bytes);
  put_optional_int(out, "resident_bytes", plan->resident_bytes);
  g_string_append_printf(out, " \"optimal\": %s,\n", plan->is_optimal ? "true" : "false");
  if (plan->extra)
    g_string_append_printf(out, " %s,\n", plan->extra);
  else if (plan->document->actions)
    g_string_append_printf(out, " \"actions\": %s,\n", plan->document->actions);
  put_axis(out, plan, &labels);
  put_streams(out, plan, &labels);
  put_spaces(out, plan);
  g_string_append(out, " \"buffers\": [\n");
  for (tn_index i = 0; i < plan->buffers->n; i++)
    put_buffer(out, plan, &labels, i, &at);
  g_string_append(out, " ]}\n");
  labels_clear(&labels);
  return g_string_free(out, FALSE);
}
