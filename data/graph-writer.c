/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph-writer.h"

#include "data/dtype.h"

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  GString *out;
} Writer;

#define EXACT_LIMIT 9007199254740992 /* 2^53: from here on numbers are written as text */

static void
put_text(Writer *writer, const char *text)
{
  g_string_append_c(writer->out, '"');
  for (const char *at = text; *at; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_c(writer->out, '\\');
    if ((unsigned char)*at < 0x20)
      g_string_append_printf(writer->out, "\\u%04x", *at);
    else
      g_string_append_c(writer->out, *at);
  }
  g_string_append_c(writer->out, '"');
}

static void
put_int(Writer *writer, int64_t value)
{
  bool is_large = value >= EXACT_LIMIT || value <= -EXACT_LIMIT;
  g_string_append_printf(writer->out, is_large ? "\"%" G_GINT64_FORMAT "\"" : "%" G_GINT64_FORMAT,
                         value);
}

static void
put_real(Writer *writer, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(writer->out, g_ascii_dtostr(text, sizeof text, value));
}

static void
put_key(Writer *writer, const char *key)
{
  g_string_append_printf(writer->out, ",\"%s\":", key);
}

static void
put_named_text(Writer *writer, const char *key, uint32_t id)
{
  if (id == 0)
    return;
  put_key(writer, key);
  put_text(writer, tn_strings_get(writer->strings, id));
}

static void
put_named_int(Writer *writer, const char *key, int64_t value, int64_t fallback)
{
  if (value == fallback)
    return;
  put_key(writer, key);
  put_int(writer, value);
}

/* ---- tensors --------------------------------------------------------------------------- */

/* A stated size must be the one that shape and type give: an edited one may not be. */
static bool
has_honest_shape(const Writer *writer, const TnTensor *tensor)
{
  const int64_t *dims = tn_graph_dims(writer->graph, tensor);
  TnDtype dtype = tn_dtype_from_name(tn_strings_get(writer->strings, tensor->dtype));
  int64_t elements;
  tn_bytes bytes;
  if (tensor->rank == TN_NONE)
    return false;
  if (tn_dims_product(dims, tensor->rank, &elements) && tn_dtype_size(dtype, elements, &bytes))
    return bytes == tensor->bytes;
  /* No size: a dimension is open, or the type has none.  One that passes 64 bits is not written. */
  for (uint32_t i = 0; i < tensor->rank; i++)
    if (dims[i] < 0)
      return tensor->bytes == TN_BYTES_UNKNOWN;
  return tn_dtype_bits(dtype) == 0 && tensor->bytes == TN_BYTES_UNKNOWN;
}

static void
put_shape(Writer *writer, const TnTensor *tensor)
{
  const int64_t *dims = tn_graph_dims(writer->graph, tensor);
  put_key(writer, "shape");
  g_string_append_c(writer->out, '[');
  for (uint32_t i = 0; i < tensor->rank; i++) {
    if (i > 0)
      g_string_append_c(writer->out, ',');
    if (dims[i] < 0)
      g_string_append(writer->out, "null");
    else
      put_int(writer, dims[i]);
  }
  g_string_append_c(writer->out, ']');
}

static void
put_tensor(Writer *writer, uint32_t row)
{
  static const char *const kinds[] = {"activation", "input", "output", "constant", "variable"};
  const TnTensor *tensor = tn_graph_tensor(writer->graph, row);
  g_string_append_printf(writer->out, "%s\n{\"id\":%u", row ? "," : "", row);
  put_named_text(writer, "name", tensor->name);
  put_named_int(writer, "bytes", tensor->bytes, TN_BYTES_UNKNOWN);
  if (has_honest_shape(writer, tensor)) {
    put_shape(writer, tensor);
    put_named_text(writer, "dtype", tensor->dtype);
  }
  put_named_int(writer, "alignment", tensor->alignment, 0);
  if (tensor->inside != TN_NONE)
    put_named_int(writer, "inside", tensor->inside, -1);
  g_string_append_printf(writer->out, ",\"kind\":\"%s\"}", kinds[tensor->kind]);
}

/* ---- ops ------------------------------------------------------------------------------- */

static void
put_ids(Writer *writer, const char *key, const uint32_t *ids, uint32_t n)
{
  bool is_first = true;
  put_key(writer, key);
  g_string_append_c(writer->out, '[');
  for (uint32_t i = 0; i < n; i++)
    if (ids[i] != TN_NONE) {
      g_string_append_printf(writer->out, is_first ? "%u" : ",%u", ids[i]);
      is_first = false;
    }
  g_string_append_c(writer->out, ']');
}

static void
put_aliases(Writer *writer, const char *key, const GArray *list, uint32_t first, uint32_t n)
{
  if (n == 0)
    return;
  put_key(writer, key);
  for (uint32_t i = 0; i < n; i++) {
    TnAlias alias = g_array_index(list, TnAlias, first + i);
    g_string_append_printf(writer->out, "%s[%u,%u]", i ? "," : "[", alias.output, alias.input);
  }
  g_string_append_c(writer->out, ']');
}

/* Those that are only what ops of this type usually do, so that another runtime may do otherwise. */
static void
put_unstated(Writer *writer, const char *key, const GArray *list, uint32_t first, uint32_t n)
{
  bool is_first = true;
  for (uint32_t i = 0; i < n; i++) {
    TnAlias alias = g_array_index(list, TnAlias, first + i);
    if (alias.is_stated)
      continue;
    if (is_first)
      put_key(writer, key);
    g_string_append_printf(writer->out, "%s[%u,%u]", is_first ? "[" : ",", alias.output, alias.input);
    is_first = false;
  }
  if (!is_first)
    g_string_append_c(writer->out, ']');
}

static void
put_algorithms(Writer *writer, const TnOp *op)
{
  if (op->n_algorithms == 0)
    return;
  put_key(writer, "algorithms");
  for (uint32_t i = 0; i < op->n_algorithms; i++) {
    const TnAlgorithm *row =
        &g_array_index(writer->graph->algorithms, TnAlgorithm, op->first_algorithm + i);
    g_string_append(writer->out, i ? ",{\"name\":" : "[{\"name\":");
    put_text(writer, tn_strings_get(writer->strings, row->name));
    put_key(writer, "workspace_bytes");
    put_int(writer, row->workspace_bytes);
    if (row->seconds >= 0) {
      put_key(writer, "seconds");
      put_real(writer, row->seconds);
    }
    g_string_append_c(writer->out, '}');
  }
  g_string_append_c(writer->out, ']');
}

static void
put_internals(Writer *writer, const TnOp *op)
{
  static const char *const phases[] = {"\"read\"", "\"compute\"", "\"write\""};
  if (op->n_internal == 0)
    return;
  put_key(writer, "internal");
  for (uint32_t i = 0; i < op->n_internal; i++) {
    const TnInternal *row =
        &g_array_index(writer->graph->internals, TnInternal, op->first_internal + i);
    const char *comma = "";
    g_string_append(writer->out, i ? ",{\"name\":" : "[{\"name\":");
    put_text(writer, tn_strings_get(writer->strings, row->name));
    put_key(writer, "bytes");
    put_int(writer, row->bytes);
    put_key(writer, "phases");
    g_string_append_c(writer->out, '[');
    for (unsigned k = 0; k < 3; k++)
      if (row->phases >> k & 1) {
        g_string_append_printf(writer->out, "%s%s", comma, phases[k]);
        comma = ",";
      }
    g_string_append(writer->out, "]}");
  }
  g_string_append_c(writer->out, ']');
}

static void
put_op(Writer *writer, uint32_t row)
{
  const TnGraph *graph = writer->graph;
  const TnOp *op = tn_graph_op(graph, row);
  g_string_append_printf(writer->out, "%s\n{\"id\":%u", row ? "," : "", row);
  put_named_text(writer, "name", op->name);
  put_named_text(writer, "type", op->type);
  put_ids(writer, "inputs", tn_graph_inputs(graph, op), op->n_inputs);
  put_ids(writer, "outputs", tn_graph_outputs(graph, op), op->n_outputs);
  put_named_int(writer, "workspace_bytes", op->workspace_bytes, 0);
  put_named_int(writer, "workspace_alignment", op->workspace_alignment, 0);
  if (op->seconds >= 0) {
    put_key(writer, "seconds");
    put_real(writer, op->seconds);
  }
  put_algorithms(writer, op);
  put_aliases(writer, "views", graph->views, op->first_view, op->n_views);
  put_aliases(writer, "in_place", graph->in_place, op->first_in_place, op->n_in_place);
  put_unstated(writer, "unstated_views", graph->views, op->first_view, op->n_views);
  put_unstated(writer, "unstated_in_place", graph->in_place, op->first_in_place, op->n_in_place);
  if (op->n_after > 0)
    put_ids(writer, "after", &g_array_index(graph->after, uint32_t, op->first_after), op->n_after);
  put_internals(writer, op);
  put_named_int(writer, "stream", op->stream, 0);
  put_named_text(writer, "batch_label", op->batch_label);
  if (op->has_side_effect)
    g_string_append(writer->out, ",\"side_effect\":true");
  if (op->wants_contiguous_inputs)
    g_string_append(writer->out, ",\"contiguous_inputs\":true");
  g_string_append_c(writer->out, '}');
}

/* ---- the whole ------------------------------------------------------------------------- */

static void
put_outputs(Writer *writer)
{
  bool is_first = true;
  g_string_append(writer->out, "\n],\"outputs\":[");
  for (uint32_t i = 0; i < writer->graph->tensors->len; i++)
    if (tn_graph_tensor(writer->graph, i)->is_output) {
      g_string_append_printf(writer->out, is_first ? "%u" : ",%u", i);
      is_first = false;
    }
  g_string_append_c(writer->out, ']');
}

static void
put_link_points(Writer *writer, const char *key, const GArray *points)
{
  g_string_append_printf(writer->out, "\"%s\":[", key);
  for (guint i = 0; points && i < points->len; i++) {
    TnLinkPoint point = g_array_index(points, TnLinkPoint, i);
    g_string_append(writer->out, i ? ",[" : "[");
    put_int(writer, point.bytes);
    g_string_append_c(writer->out, ',');
    put_real(writer, point.seconds);
    g_string_append_c(writer->out, ']');
  }
  g_string_append_c(writer->out, ']');
}

char *
tn_graph_build_json(const TnGraph *graph, const TnStrings *strings)
{
  Writer writer = {graph, strings, g_string_new("{\"format\":\"tenure-graph\",\"version\":1")};
  put_named_text(&writer, "name", graph->name);
  g_string_append(writer.out, ",\"tensors\":[");
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    put_tensor(&writer, i);
  g_string_append(writer.out, "\n],\"ops\":[");
  for (uint32_t i = 0; i < graph->ops->len; i++)
    put_op(&writer, i);
  put_outputs(&writer);
  if (graph->keep_inputs)
    g_string_append(writer.out, ",\"keep_inputs\":true");
  put_ids(&writer, "order", (const uint32_t *)(const void *)graph->order->data, graph->order->len);
  if (graph->link_out || graph->link_in) {
    g_string_append(writer.out, ",\"link\":{");
    put_link_points(&writer, "out", graph->link_out);
    g_string_append_c(writer.out, ',');
    put_link_points(&writer, "in", graph->link_in);
    g_string_append_c(writer.out, '}');
  }
  g_string_append(writer.out, "}\n");
  return g_string_free(writer.out, FALSE);
}
