/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/edited-document.h"

#include "data/error.h"
#include "data/graph-edit.h"

/* The offsets of the file are of its own lives. */
static void
forget_plan(TnGraph *graph)
{
  graph->recorded_arena = TN_BYTES_UNKNOWN;
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    tn_graph_tensor(graph, i)->recorded_offset = TN_NOT_PLACED;
}

static void
copy_device(TnDocument *to, const TnDocument *from)
{
  const TnDevice *had = tn_document_get_device(from, 0);
  TnDevice *device = tn_document_device(to, had->ordinal);
  device->name = had->name;
  device->axis = TN_AXIS_STEP;
  device->axis_end = MAX((tn_tick)to->graph->ops->len * 3, (tn_tick)1);
  device->total_bytes = had->total_bytes;
  device->granularity = had->granularity;
}

TnDocument *
tn_document_new_edited(const TnDocument *document, const GPtrArray *edits, GError **error)
{
  if (!document->graph) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
                "%s: edits need a graph; this is a %s", document->shown_path,
                tn_document_kind_name(document->kind));
    return NULL;
  }
  g_autoptr(TnStrings) strings = tn_strings_copy(document->strings);
  TnGraph *graph = tn_graph_build_edited(document->graph, strings, edits, error);
  if (!graph)
    return NULL;
  TnDocument *edited = tn_document_new(document->path);
  tn_strings_free(edited->strings);
  edited->strings = g_steal_pointer(&strings);
  edited->format = document->format;
  edited->kind = TN_DOCUMENT_GRAPH;
  edited->producer = g_strdup(document->producer);
  edited->graph = graph;
  forget_plan(graph);
  copy_device(edited, document);
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics); i++) {
    const TnWarning *warning = tn_diagnostics_get(document->diagnostics, i);
    tn_diagnostics_add(edited->diagnostics, warning->code, warning->count, "%s", warning->message);
  }
  return edited;
}
