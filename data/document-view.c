/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/document-view.h"

typedef struct {
  TnDocument document; /* first: a view is freed by it */
  TnGraph graph;
  GArray *order;      /* owned; NULL: shared */
  TnStrings *strings; /* owned; NULL: shared */
} View;

TnDocument *
tn_document_view_new(const TnDocument *document, const uint32_t *order, bool with_own_strings)
{
  View *view = g_new0(View, 1);
  view->document = *document;
  if (order && document->graph) {
    uint32_t n = document->graph->ops->len;
    view->order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
    g_array_append_vals(view->order, order, n);
    view->graph = *document->graph;
    view->graph.order = view->order;
    view->document.graph = &view->graph;
  }
  if (with_own_strings)
    view->document.strings = view->strings = tn_strings_copy(document->strings);
  return &view->document;
}

void
tn_document_view_free(TnDocument *document)
{
  View *view = (View *)(void *)document;
  if (!view)
    return;
  if (view->order)
    g_array_unref(view->order);
  g_clear_pointer(&view->strings, tn_strings_free);
  g_free(view);
}
