/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/kept-order.h"

#include "data/document-view.h"
#include "data/graph-order.h"

#include <string.h>

struct TnKeptOrder {
  GArray *order; /* uint32_t, owned */
  char *ops;     /* a hash of their names and types, as the file lists them; owned */
};

static char *
hash_ops(const TnDocument *document)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  for (uint32_t i = 0; i < document->graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(document->graph, i);
    const char *const texts[] = {tn_strings_get(document->strings, op->name),
                                 tn_strings_get(document->strings, op->type)};
    for (gsize k = 0; k < G_N_ELEMENTS(texts); k++)
      g_checksum_update(sum, (const guchar *)texts[k], (gssize)strlen(texts[k]) + 1);
  }
  return g_strdup(g_checksum_get_string(sum));
}

static void
clear(gpointer data)
{
  TnKeptOrder *kept = data;
  g_array_unref(kept->order);
  g_free(kept->ops);
}

static bool
is_order_of(const GArray *kept, const TnDocument *document)
{
  const GArray *order = document->graph ? document->graph->order : NULL;
  return order && order->len == kept->len &&
         (order->len == 0 || memcmp(order->data, kept->data, order->len * sizeof(uint32_t)) == 0);
}

TnKeptOrder *
tn_kept_order_new(const TnDocument *document, const TnDocument *file)
{
  if (!document->graph || is_order_of(document->graph->order, file))
    return NULL;
  TnKeptOrder *kept = g_atomic_rc_box_new0(TnKeptOrder);
  kept->order = g_array_copy(document->graph->order);
  kept->ops = hash_ops(document);
  return kept;
}

TnKeptOrder *
tn_kept_order_ref(TnKeptOrder *kept)
{
  return g_atomic_rc_box_acquire(kept);
}

void
tn_kept_order_unref(TnKeptOrder *kept)
{
  g_atomic_rc_box_release_full(kept, clear);
}

TnDocument *
tn_kept_order_build_view(const TnKeptOrder *kept, const TnDocument *document)
{
  const uint32_t *order = (const uint32_t *)(const void *)kept->order->data;
  if (!document->graph || document->graph->ops->len != kept->order->len)
    return NULL;
  g_autofree char *ops = hash_ops(document);
  bool is_good = strcmp(ops, kept->ops) == 0 && tn_graph_order_is_legal(document->graph, order, kept->order->len);
  return is_good ? tn_document_view_new(document, order, false) : NULL;
}

bool
tn_kept_order_is_of(const TnKeptOrder *kept, const TnDocument *document)
{
  return is_order_of(kept->order, document);
}
