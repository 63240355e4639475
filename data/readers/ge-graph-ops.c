/* SPDX-License-Identifier: MIT */
/* From GE's dump to a graph: ops by their ids, with what makes them wait for each other. */
#include "config.h"

#include "data/readers/ge-build.h"

#include "data/dtype.h"
#include "data/graph-order.h"
#include "data/hash.h"
#include "data/units.h"

static void
add_graph_tensor(TnGeBuild *build, TnGraph *graph, uint32_t t)
{
  const TnGeTensorRow *tensor = &build->tensors[t], *root = &build->tensors[tn_ge_root(build, t)];
  const TnGeOp *op = tn_ge_op_at(build, tensor->op);
  TnStrings *strings = build->model->document->strings;
  TnTensorKind kind = tensor->is_resident                ? TN_TENSOR_CONSTANT
                      : tn_ge_is(build, op, TN_GE_INPUT) ? TN_TENSOR_INPUT
                                                         : TN_TENSOR_ACTIVATION;
  const TnGeDesc *desc = tn_ge_desc_of(build, t);
  uint32_t row =
      tn_graph_add_tensor(graph, tn_ge_intern_name(build, op, "output", tensor->output), kind);
  if (desc && desc->rank != TN_NONE)
    tn_graph_set_shape(graph, row,
                       (const int64_t *)(const void *)build->model->dims->data + desc->first_dim,
                       desc->rank);
  TnTensor *made = tn_graph_tensor(graph, row);
  made->bytes = tn_ge_padded_bytes(build, t);
  made->dtype = desc ? tn_strings_intern(strings, tn_dtype_name((TnDtype)desc->dtype), -1) : 0;
  made->is_output = root->is_output && kind == TN_TENSOR_ACTIVATION;
  made->recorded_offset = tensor->is_resident ? TN_NOT_PLACED : MAX(tn_ge_offset(build, t), -1);
}

/* Who receives an event runs after who sent it. */
static void
add_waits(TnGeBuild *build, const GHashTable *senders, TnGraph *graph, const TnGeOp *op, uint32_t i)
{
  const GArray *events = op->list[TN_GE_RECEIVED];
  for (guint k = 0; k < op->sources->len; k++) {
    const TnGeSource *source = &g_array_index(op->sources, TnGeSource, k);
    uint32_t from = tn_ge_find_op(build, source->name);
    if (from != TN_NONE && from != i &&
        (source->index < 0 || tn_ge_source(build, source) == TN_NONE))
      tn_graph_op_add_after(graph, from);
  }
  for (guint k = 0; events && k < events->len; k++) {
    gint64 event = g_array_index(events, int64_t, k);
    gpointer from = g_hash_table_lookup((GHashTable *)senders, &event);
    if (from && GPOINTER_TO_UINT(from) - 1 != i)
      tn_graph_op_add_after(graph, GPOINTER_TO_UINT(from) - 1);
  }
}

static void
add_graph_op(TnGeBuild *build, const GHashTable *senders, TnGraph *graph, uint32_t i)
{
  const TnGeOp *op = tn_ge_op_at(build, i);
  TnOp *made = tn_graph_add_op(graph, op->name, op->type);
  made->file_id = op->id;
  made->stream = (uint32_t)CLAMP(op->stream, 0, (int64_t)UINT32_MAX - 1);
  made->batch_label = op->batch;
  made->wants_contiguous_inputs = op->flags & (TN_GE_CONTINUOUS_INPUT | TN_GE_NO_PADDING_INPUT);
  for (guint k = 0; op->list[TN_GE_WORKSPACE_BYTES] && k < op->list[TN_GE_WORKSPACE_BYTES]->len;
       k++)
    tn_add(made->workspace_bytes, MAX(tn_ge_list_at(op, TN_GE_WORKSPACE_BYTES, k, 0), (int64_t)0),
           &made->workspace_bytes);
  for (uint32_t k = 0; k < tn_ge_n_inputs(build, i); k++) {
    uint32_t from = tn_ge_input(build, i, k);
    if (from != TN_NONE && build->tensors[from].op != i)
      tn_graph_op_add_input(graph, from);
  }
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    const TnGeDesc *desc = tn_ge_desc_of(build, t);
    uint32_t reused = desc && desc->reuses_input ? tn_ge_input(build, i, desc->reused) : TN_NONE;
    tn_graph_op_add_output(graph, t);
    if (reused != TN_NONE && build->tensors[reused].op != i)
      tn_graph_op_add_view(graph, t, reused);
  }
  add_waits(build, senders, graph, op, i);
}

static GHashTable *
senders_new(const TnGeBuild *build)
{
  GHashTable *senders = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < build->ops->len; i++) {
    const GArray *events = tn_ge_op_at(build, i)->list[TN_GE_SENT];
    for (guint k = 0; events && k < events->len; k++) {
      gint64 event = g_array_index(events, int64_t, k);
      g_hash_table_insert(senders, g_memdup2(&event, sizeof event), GUINT_TO_POINTER(i + 1));
    }
  }
  return senders;
}

static void
keep_names_only(TnGeBuild *build)
{
  TnDocument *document = build->model->document;
  document->op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  document->ticks_per_op = 3;
  for (guint i = 0; i < build->ops->len; i++)
    g_array_append_val(document->op_names, tn_ge_op_at(build, i)->name);
  tn_diagnostics_add(
      document->diagnostics, "order-broken", 1,
      "the topological ids run against the dump's own edges: the plan is read by its "
      "ids, the graph is left out");
}

void
tn_ge_build_graph(TnGeBuild *build)
{
  g_autoptr(TnGraph) graph = tn_graph_new();
  g_autoptr(GHashTable) senders = senders_new(build);
  graph->name = build->model->name;
  for (uint32_t t = 0; t < build->n_tensors; t++)
    add_graph_tensor(build, graph, t);
  if (!tn_ge_goes_on(build->model, 0.96, "Filling in the ops"))
    return;
  for (uint32_t i = 0; i < build->ops->len; i++) {
    add_graph_op(build, senders, graph, i);
    g_array_append_val(graph->order, i);
  }
  if (!tn_ge_goes_on(build->model, 0.98, "Checking the order"))
    return;
  if (tn_graph_order_is_legal(graph, (const uint32_t *)(const void *)graph->order->data,
                              graph->order->len))
    build->model->document->graph = g_steal_pointer(&graph);
  else
    keep_names_only(build);
}

bool
tn_ge_build(TnGeModel *model)
{
  TnGeBuild build;
  TnDocument *document = model->document;
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("GE");
  document->lifetime_model = g_strdup("kernel");
  if (!tn_ge_goes_on(model, 0.8, "Finding what shares memory"))
    return false;
  tn_ge_storage_init(&build, model);
  if (tn_ge_goes_on(model, 0.9, "Filling in the plan"))
    tn_ge_build_plan(&build);
  if (!model->is_stopped && tn_ge_goes_on(model, 0.95, "Filling in the graph"))
    tn_ge_build_graph(&build);
  if (model->n_bad)
    tn_diagnostics_add(
        document->diagnostics, "bad-values", model->n_bad, "%" G_GINT64_FORMAT " %s left out",
        model->n_bad,
        tn_plural(model->n_bad, "value is no number and was", "values are no numbers and were"));
  if (model->n_beyond)
    tn_diagnostics_add(document->diagnostics, "tensors-beyond", model->n_beyond,
                       "%" G_GINT64_FORMAT " %s left out: expected numbers from 0 to 65535, and all together at "
                       "most %" G_GUINT64_FORMAT " in a file of this size",
                       model->n_beyond,
                       tn_plural(model->n_beyond, "description of a tensor was", "descriptions of tensors were"),
                       model->most_descs);
  tn_ge_storage_clear(&build);
  return !model->is_stopped;
}
