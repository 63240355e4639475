/* SPDX-License-Identifier: MIT */
/* From GE's dump to a plan.  Op number i of the order takes ticks [3i, 3i + 3), so that a life of
 * GE's from id b to id e is [3b, 3e + 3). */
#include "config.h"

#include "data/readers/ge-build.h"

#include "data/dtype.h"
#include "data/readers/ge-memory.h"
#include "data/units.h"

/* ---- sizes
 * ----------------------------------------------------------------------------------------- */

/* What the tensor itself needs: shape times type; TN_BYTES_UNKNOWN. */
static tn_bytes
plain_bytes(const TnGeBuild *build, uint32_t tensor)
{
  const TnGeDesc *desc = tn_ge_desc_of(build, tensor);
  int64_t elements;
  tn_bytes bytes;
  if (!desc || desc->rank == TN_NONE ||
      !tn_dims_product((const int64_t *)(const void *)build->model->dims->data + desc->first_dim,
                       desc->rank, &elements) ||
      !tn_dtype_size((TnDtype)desc->dtype, elements, &bytes))
    return TN_BYTES_UNKNOWN;
  return bytes;
}

/* With GE's own padding; TN_BYTES_UNKNOWN where neither size nor shape is there. */
tn_bytes
tn_ge_padded_bytes(const TnGeBuild *build, uint32_t tensor)
{
  const TnGeDesc *desc = tn_ge_desc_of(build, tensor);
  return desc && desc->bytes > 0 ? desc->bytes : plain_bytes(build, tensor);
}

/* ---- the plan
 * ------------------------------------------------------------------------------------------ */

uint32_t
tn_ge_intern_name(const TnGeBuild *build, const TnGeOp *op, const char *kind, uint32_t row)
{
  TnStrings *strings = build->model->document->strings;
  g_autofree char *text =
      g_strdup_printf("%s %s[%u]", tn_strings_get(strings, op->name), kind, row);
  return tn_strings_intern(strings, text, -1);
}

static tn_index
add_row(TnGeBuild *build,
        const TnGeOp *op,
        uint32_t position,
        tn_tick start,
        tn_tick end,
        tn_bytes bytes,
        int64_t offset,
        int64_t type)
{
  TnBuffers *buffers = build->device->buffers;
  tn_index row = tn_buffers_add(buffers, start, end, bytes, TN_KIND_ACTIVATION);
  tn_bytes top;
  buffers->op[row] = position;
  buffers->stream[row] = (uint32_t)CLAMP(op->stream, 0, (int64_t)UINT32_MAX - 1);
  buffers->batch[row] = op->batch;
  buffers->space[row] = tn_ge_space(build->device, build->types, type);
  buffers->offset[row] = offset >= 0 && tn_add(offset, bytes, &top) ? offset : TN_NOT_PLACED;
  buffers->flags[row] = op->flags & TN_GE_NO_REUSE ? TN_BUFFER_NO_REUSE : 0;
  buffers->traits[row] = op->flags & TN_GE_FIXED_ADDRESS ? TN_TRAIT_FIXED_ADDRESS : 0;
  return row;
}

static TnBufferKind
kind_of(const TnGeBuild *build, const TnGeTensorRow *tensor)
{
  if (tn_ge_is(build, tn_ge_op_at(build, tensor->op), TN_GE_INPUT))
    return TN_KIND_INPUT;
  return tensor->is_output ? TN_KIND_OUTPUT : TN_KIND_ACTIVATION;
}

/* Those of a group without padding stand close; else blocks of 512. */
static tn_bytes
bytes_of(const TnGeBuild *build, uint32_t root, tn_bytes padded, tn_bytes plain)
{
  const TnGeTensorRow *tensor = &build->tensors[root];
  tn_bytes bytes;
  if (tensor->group && !tensor->is_padded)
    return plain;
  return tn_round_up(padded, TN_GE_BLOCK, &bytes) ? bytes : TN_BYTES_UNKNOWN;
}

static void
add_tensor(TnGeBuild *build, uint32_t root, tn_bytes padded, tn_bytes plain)
{
  const TnGeTensorRow *tensor = &build->tensors[root];
  const TnGeOp *op = tn_ge_op_at(build, tensor->op);
  TnBuffers *buffers = build->device->buffers;
  bool is_first = tn_ge_is(build, op, TN_GE_FROM_START),
       is_given = tn_ge_is(build, op, TN_GE_INPUT);
  tn_tick start = is_first ? 0 : (tn_tick)tensor->op * 3;
  tn_tick end = tensor->is_to_end ? build->device->axis_end : (tn_tick)tensor->last * 3 + 3;
  tn_index row = add_row(build, op, tensor->op, start, end, bytes_of(build, root, padded, plain),
                         tn_ge_offset(build, root),
                         tn_ge_list_at(op, TN_GE_OUTPUT_TYPE, tensor->output, TN_GE_MEMORY_HBM));
  buffers->kind[row] = (uint8_t)kind_of(build, tensor);
  buffers->requested[row] = MIN(plain, buffers->bytes[row]);
  buffers->name[row] = tn_ge_intern_name(build, op, "output", tensor->output);
  buffers->tensor[row] = root;
  buffers->group[row] = tensor->group;
  if (tensor->group && tensor->is_padded)
    buffers->flags[row] |= TN_BUFFER_GROUP_PADDED;
  buffers->traits[row] |= (tensor->group ? TN_TRAIT_CONTINUOUS : 0) |
                         (tensor->group && !tensor->is_padded ? TN_TRAIT_NO_PADDING : 0) |
                         (is_given || tensor->is_output ? TN_TRAIT_ZERO_COPY : 0) |
                         (tensor->has_many_streams ? TN_TRAIT_MANY_STREAMS : 0) |
                         (tensor->is_cleaned ? TN_TRAIT_CLEANED : 0);
}

/* The largest of all that share its memory; false where none has a size. */
static bool
sizes_of(const TnGeBuild *build,
         const tn_bytes *padded,
         const tn_bytes *plain,
         uint32_t root,
         tn_bytes *out_padded,
         tn_bytes *out_plain)
{
  *out_padded = padded[root];
  *out_plain = plain[root] >= 0 ? plain[root] : padded[root];
  return *out_padded >= 0 && *out_padded <= INT64_MAX - TN_GE_BLOCK;
}

static void
collect_sizes(const TnGeBuild *build, tn_bytes *padded, tn_bytes *plain)
{
  for (uint32_t t = 0; t < build->n_tensors; t++)
    padded[t] = plain[t] = TN_BYTES_UNKNOWN;
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    uint32_t root = tn_ge_root(build, t);
    padded[root] = MAX(padded[root], tn_ge_padded_bytes(build, t));
    plain[root] = MAX(plain[root], plain_bytes(build, t));
  }
}

static void
add_tensors(TnGeBuild *build)
{
  g_autofree tn_bytes *padded = g_new(tn_bytes, MAX(build->n_tensors, 1u));
  g_autofree tn_bytes *plain = g_new(tn_bytes, MAX(build->n_tensors, 1u));
  tn_bytes bytes, own;
  int64_t n_unsized = 0;
  collect_sizes(build, padded, plain);
  tn_ge_goes_on(build->model, 0.92, "Filling in the plan");
  for (guint i = 0; i < build->members->len; i++) { /* members of a group follow each other */
    uint32_t root = g_array_index(build->members, uint32_t, i);
    if (sizes_of(build, padded, plain, root, &bytes, &own))
      add_tensor(build, root, bytes, own);
    else
      n_unsized++;
  }
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    const TnGeTensorRow *tensor = &build->tensors[t];
    if (tensor->root != t || tensor->group || tensor->is_absorbed)
      continue;
    if (!sizes_of(build, padded, plain, t, &bytes, &own))
      n_unsized++;
    else if (tensor->is_resident)
      tn_add(build->model->document->resident_bytes, bytes,
             &build->model->document->resident_bytes);
    else
      add_tensor(build, t, bytes, own);
  }
  if (n_unsized)
    tn_diagnostics_add(build->model->document->diagnostics, "dynamic-size", n_unsized,
                       "%" G_GINT64_FORMAT " %s left out", n_unsized,
                       tn_plural(n_unsized, "tensor has no size in the dump and was",
                                 "tensors have no size in the dump and were"));
}

static void
add_workspaces(TnGeBuild *build)
{
  TnBuffers *buffers = build->device->buffers;
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = tn_ge_op_at(build, i);
    const GArray *sizes = op->list[TN_GE_WORKSPACE_BYTES];
    for (guint k = 0; sizes && k < sizes->len; k++) {
      tn_bytes own = g_array_index(sizes, int64_t, k), bytes;
      if (own <= 0 || !tn_round_up(own, TN_GE_BLOCK, &bytes))
        continue;
      tn_index row = add_row(build, op, i, (tn_tick)i * 3, (tn_tick)i * 3 + 3, bytes,
                             tn_ge_list_at(op, TN_GE_WORKSPACE, k, TN_NOT_PLACED),
                             tn_ge_list_at(op, TN_GE_WORKSPACE_TYPE, k, TN_GE_MEMORY_HBM));
      buffers->kind[row] = TN_KIND_WORKSPACE;
      buffers->requested[row] = own;
      buffers->name[row] = tn_ge_intern_name(build, op, "workspace", k);
    }
  }
}

/* Inputs live to the end unless the plan says otherwise by giving their place to others: the option
 * ge.exec.inputReuseMemIndexes stands in no dump. */
static void
release_inputs(TnGeBuild *build)
{
  TnBuffers *b = build->device->buffers;
  g_autofree tn_tick *latest = tn_ge_latest_starts_new(b);
  int64_t n = 0;
  for (tn_index i = 0; i < b->n; i++) {
    if (b->kind[i] != TN_KIND_INPUT || b->offset[i] < 0 || b->tensor[i] == TN_NONE)
      continue;
    tn_tick end = (tn_tick)build->tensors[b->tensor[i]].last * 3 + 3; /* after its own start */
    if (end >= b->end[i] || latest[i] < end)
      continue;
    b->end[i] = end;
    n++;
  }
  if (n)
    tn_diagnostics_add(build->model->document->diagnostics, "input-reused", n,
                       "%" G_GINT64_FORMAT " inputs end with their last reader: the plan gives "
                       "their place to others (ge.exec.inputReuseMemIndexes)",
                       n);
}

/* Outputs of the graph (without ge.exec.outputReuseMemIndexes) and what is set to 0 in one go share
 * with nobody; the plan shows where the options say otherwise. */
static void
keep_apart(TnGeBuild *build)
{
  TnBuffers *b = build->device->buffers;
  g_autofree uint8_t *is_shared = tn_ge_shared_places_new(b);
  for (tn_index i = 0; i < b->n; i++) {
    bool is_apart = b->kind[i] == TN_KIND_OUTPUT || b->traits[i] & TN_TRAIT_CLEANED;
    if (is_apart && !is_shared[i])
      b->flags[i] |= TN_BUFFER_NO_REUSE;
  }
}

void
tn_ge_build_plan(TnGeBuild *build)
{
  TnGeModel *model = build->model;
  TnDevice *device = build->device = tn_document_device(model->document, 0);
  device->axis = TN_AXIS_STEP;
  device->axis_end = (tn_tick)build->ops->len * 3;
  device->name = model->name;
  device->space_names = g_ptr_array_new_with_free_func(g_free);
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_REQUESTED | TN_COLUMN_SPACE |
                                       TN_COLUMN_BATCH | TN_COLUMN_GROUP | TN_COLUMN_OP |
                                       TN_COLUMN_TENSOR | TN_COLUMN_STREAM | TN_COLUMN_TRAITS);
  build->types = tn_ge_types_new();
  tn_ge_space(device, build->types, TN_GE_MEMORY_HBM);
  add_tensors(build);
  tn_ge_goes_on(model, 0.93, "Filling in the plan");
  add_workspaces(build);
  release_inputs(build);
  keep_apart(build);
  tn_ge_build_uses(build);
  if (model->planned > 0 && device->space_names->len == 1)
    device->arena_bytes = model->planned;
  g_hash_table_unref(build->types);
}
