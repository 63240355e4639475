/* SPDX-License-Identifier: MIT */
/* From GE's dump to tables.  A dump has offsets, sizes and edges but no lives: they follow from the
 * topological ids, closed as GE has them.  Op number i of the order takes ticks [3i, 3i + 3), so that
 * a life of GE's from id b to id e is [3b, 3e + 3). */
#include "config.h"

#include "data/readers/ge-graph.h"

#include "data/dtype.h"
#include "data/graph-order.h"
#include "data/readers/ge-memory.h"

#include <string.h>

/* One output of an op.  Those that share their memory (references, what enters and leaves a
 * subgraph) are one symbol: its root has the life and the place of all. */
typedef struct {
  uint32_t op, output; /* rows */
  uint32_t root;       /* union-find */
  uint32_t last;       /* position of the last reader; of a root */
  uint32_t group, place_in_group; /* contiguous group + 1 */
  bool is_to_end, is_output, is_absorbed; /* output: of the graph; absorbed: lies inside others */
  bool has_many_streams, is_padded, is_resident;
} Tensor;

typedef struct {
  TnGeModel *model;
  GPtrArray *ops;       /* TnGeOp *, by id */
  GHashTable *by_name;  /* string id → position + 1 */
  uint32_t *first;      /* by op: its first tensor; n + 1 */
  uint32_t *first_input; /* by op: its first data edge; n + 1 */
  GArray *inputs;       /* uint32_t tensor of each data edge, TN_NONE for strangers */
  Tensor *tensors;
  uint32_t n_tensors, n_groups;
  GArray *members;      /* uint32_t roots, by group, by place */
  TnDevice *device;
  GArray *types;        /* int64_t, by space */
  int64_t n_unplaced_early;
} Build;

static const TnGeOp *
op_at(const Build *build, uint32_t i)
{
  return g_ptr_array_index(build->ops, i);
}

static bool
is_one_of(const Build *build, const TnGeOp *op, const char *const *types)
{
  const char *type = tn_strings_get(build->model->document->strings, op->type);
  for (gsize i = 0; types[i]; i++)
    if (strcmp(type, types[i]) == 0)
      return true;
  return false;
}

static const char *const residents[] = {"Const",    "Constant",     "ConstantOp", "ConstPlaceHolder",
                                        "Variable", "FileConstant", "VarHandleOp", NULL};
static const char *const inputs[] = {"Data", "AippData", "AnnData", "QueueData", "RefData", NULL};
/* Not released, or there from the beginning, whatever reads them (GE's GetNodeReuse rules). */
static const char *const never_released[] = {
    "Data",     "AippData", "QueueData",  "Enter",         "RefEnter",       "NextIteration", "RefNextIteration",
    "RefData",  "GetNext",  "AdpGetNext", "DynamicGetNext", "DropOutGenMask", NULL};
static const char *const from_start[] = {"Data",    "AippData",   "AnnData",    "QueueData",
                                         "Proposal", "GetNext",    "AdpGetNext", "DynamicGetNext",
                                         "RefData",  NULL};
static const char *const net_output[] = {"NetOutput", NULL};

static int64_t
list_at(const TnGeOp *op, TnGeList list, uint32_t i, int64_t fallback)
{
  const GArray *numbers = op->list[list];
  return numbers && i < numbers->len ? g_array_index(numbers, int64_t, i) : fallback;
}

/* ---- ops and edges ----------------------------------------------------------------------------- */

static gint
compare_ops(gconstpointer a, gconstpointer b)
{
  const TnGeOp *x = *(TnGeOp *const *)a, *y = *(TnGeOp *const *)b;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void
sort_ops(Build *build)
{
  TnGeModel *model = build->model;
  build->ops = g_ptr_array_sized_new(model->ops->len);
  for (guint i = 0; i < model->ops->len; i++)
    g_ptr_array_add(build->ops, g_ptr_array_index(model->ops, i));
  g_ptr_array_sort(build->ops, compare_ops); /* GLib's sort is stable */
  int64_t n_same = 0;
  for (guint i = 1; i < build->ops->len; i++)
    n_same += op_at(build, i)->id == op_at(build, i - 1)->id;
  if (n_same)
    tn_diagnostics_add(model->document->diagnostics, "same-id", n_same,
                       "%" G_GINT64_FORMAT " ops have the topological id of another: they follow "
                       "each other as in the file",
                       n_same);
}

static void
number_tensors(Build *build)
{
  uint32_t n = build->ops->len, at = 0, n_doubled = 0;
  build->by_name = g_hash_table_new(NULL, NULL);
  build->first = g_new(uint32_t, (gsize)n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const TnGeOp *op = op_at(build, i);
    const GArray *offsets = op->list[TN_GE_OUTPUT_OFFSET];
    gpointer key = GUINT_TO_POINTER(op->name);
    n_doubled += g_hash_table_contains(build->by_name, key);
    if (!g_hash_table_contains(build->by_name, key))
      g_hash_table_insert(build->by_name, key, GUINT_TO_POINTER(i + 1));
    build->first[i] = at;
    at += MAX(op->outputs->len, offsets ? offsets->len : 0);
  }
  build->first[n] = build->n_tensors = at;
  build->tensors = g_new0(Tensor, MAX(at, 1u));
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++)
      build->tensors[t] = (Tensor){.op = i, .output = t - build->first[i], .root = t, .last = i,
                                   .is_resident = is_one_of(build, op_at(build, i), residents)};
  if (n_doubled)
    tn_diagnostics_add(build->model->document->diagnostics, "same-name", n_doubled,
                       "%u ops have the name of another: edges go to the first", n_doubled);
}

static uint32_t
find_op(const Build *build, uint32_t name)
{
  gpointer found = g_hash_table_lookup(build->by_name, GUINT_TO_POINTER(name));
  return found ? GPOINTER_TO_UINT(found) - 1 : TN_NONE;
}

/* The tensor that an edge comes from; TN_NONE for control edges and strangers. */
static uint32_t
source_of(const Build *build, const TnGeSource *source)
{
  uint32_t op = source->index < 0 ? TN_NONE : find_op(build, source->name);
  if (op == TN_NONE || (uint32_t)source->index >= build->first[op + 1] - build->first[op])
    return TN_NONE;
  return build->first[op] + (uint32_t)source->index;
}

static void
list_inputs(Build *build)
{
  build->first_input = g_new(uint32_t, (gsize)build->ops->len + 1);
  build->inputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = op_at(build, i);
    build->first_input[i] = build->inputs->len;
    for (guint k = 0; k < op->sources->len; k++) {
      const TnGeSource *source = &g_array_index(op->sources, TnGeSource, k);
      uint32_t tensor = source_of(build, source);
      if (source->index >= 0)
        g_array_append_val(build->inputs, tensor);
    }
  }
  build->first_input[build->ops->len] = build->inputs->len;
}

static uint32_t
n_inputs(const Build *build, uint32_t i)
{
  return build->first_input[i + 1] - build->first_input[i];
}

/* What op `i` reads at input number `row`; TN_NONE. */
static uint32_t
input_of(const Build *build, uint32_t i, int64_t row)
{
  return row >= 0 && row < n_inputs(build, i)
             ? g_array_index(build->inputs, uint32_t, build->first_input[i] + (uint32_t)row)
             : TN_NONE;
}

static uint32_t
root_of(const Build *build, uint32_t tensor)
{
  while (build->tensors[tensor].root != tensor) {
    build->tensors[tensor].root = build->tensors[build->tensors[tensor].root].root;
    tensor = build->tensors[tensor].root;
  }
  return tensor;
}

/* The earlier producer is the root. */
static void
join(Build *build, uint32_t a, uint32_t b)
{
  if (a == TN_NONE || b == TN_NONE)
    return;
  a = root_of(build, a);
  b = root_of(build, b);
  build->tensors[MAX(a, b)].root = MIN(a, b);
}

static int64_t
offset_of(const Build *build, uint32_t tensor)
{
  const Tensor *t = &build->tensors[tensor];
  return list_at(op_at(build, t->op), TN_GE_OUTPUT_OFFSET, t->output, TN_NOT_PLACED);
}

static const TnGeDesc *
desc_of(const Build *build, uint32_t tensor)
{
  const Tensor *t = &build->tensors[tensor];
  const TnGeOp *op = op_at(build, t->op);
  return t->output < op->outputs->len ? &g_array_index(op->outputs, TnGeDesc, t->output) : NULL;
}

/* ---- who shares memory with whom ------------------------------------------------------------------ */

static void
state_reference(Build *build, uint32_t output, uint32_t input)
{
  int64_t had = offset_of(build, output), wanted = offset_of(build, input);
  TnDocument *document = build->model->document;
  if (had == wanted || had < 0 || wanted < 0 || build->tensors[input].is_resident)
    return;
  const char *name = tn_strings_get(document->strings, op_at(build, build->tensors[output].op)->name);
  g_autofree char *text = g_strdup_printf(
      "Output %u of “%s” refers to its input, which lies at offset %" G_GINT64_FORMAT
      ", but was given offset %" G_GINT64_FORMAT,
      build->tensors[output].output, name, wanted, had);
  tn_document_state(document, "ref-offset", TN_STATEMENT_ERROR, 0, text,
                    "An output that refers to an input must have its offset.");
}

#define MOST_REFERENCES 1024 /* outputs looked at one by one against all inputs */

static void
join_references(Build *build, uint32_t i)
{
  bool is_reference = op_at(build, i)->flags & TN_GE_REFERENCE &&
                      build->first[i + 1] - build->first[i] <= MOST_REFERENCES;
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    const TnGeDesc *desc = desc_of(build, t);
    uint32_t stated = desc && desc->reuses_input ? input_of(build, i, desc->reused) : TN_NONE;
    if (stated != TN_NONE) {
      state_reference(build, t, stated);
      if (!build->tensors[stated].is_resident)
        join(build, t, stated);
    }
    for (uint32_t row = 0; is_reference && row < n_inputs(build, i); row++) {
      uint32_t from = input_of(build, i, row);
      if (from != TN_NONE && !build->tensors[from].is_resident && offset_of(build, t) >= 0 &&
          offset_of(build, from) == offset_of(build, t))
        join(build, t, from);
    }
  }
}

/* The op whose subgraph this op is in; TN_NONE. */
static uint32_t
owner_of(const GHashTable *owners, const TnGeOp *op)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup((GHashTable *)owners, GUINT_TO_POINTER(op->graph))) -
         1;
}

/* A subgraph's Data is the input of its owner, what its NetOutput takes is the owner's output. */
static void
join_subgraph(Build *build, const GHashTable *owners, uint32_t i)
{
  const TnGeOp *op = op_at(build, i);
  uint32_t owner = owner_of(owners, op);
  if (owner == TN_NONE || owner == i)
    return;
  if (op->parent >= 0 && is_one_of(build, op, inputs) && build->first[i + 1] > build->first[i])
    join(build, build->first[i], input_of(build, owner, op->parent));
  for (guint k = 0; is_one_of(build, op, net_output) && k < op->inputs->len; k++) {
    int64_t row = g_array_index(op->inputs, TnGeDesc, k).parent;
    if (row >= 0 && row < build->first[owner + 1] - build->first[owner])
      join(build, input_of(build, i, k), build->first[owner] + (uint32_t)row);
  }
}

static void
join_all(Build *build)
{
  g_autoptr(GHashTable) owners = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = op_at(build, i);
    for (guint k = 0; op->bodies && k < op->bodies->len; k++)
      g_hash_table_insert(owners, GUINT_TO_POINTER(g_array_index(op->bodies, uint32_t, k)),
                          GUINT_TO_POINTER(i + 1));
  }
  for (guint i = 0; i < build->ops->len; i++) {
    join_references(build, i);
    join_subgraph(build, owners, i);
  }
}

/* ---- lives --------------------------------------------------------------------------------------- */

static void
read_by(Build *build, uint32_t tensor, uint32_t reader)
{
  const TnGeOp *op = op_at(build, reader);
  Tensor *root = &build->tensors[root_of(build, tensor)];
  root->last = MAX(root->last, reader);
  root->has_many_streams |= op->stream != op_at(build, root->op)->stream;
  root->is_output |= is_one_of(build, op, net_output) && op->graph == build->model->name;
  root->is_to_end |= root->is_output;
}

static void
find_lives(Build *build)
{
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    Tensor *root = &build->tensors[root_of(build, t)];
    const TnGeOp *op = op_at(build, build->tensors[t].op);
    root->last = MAX(root->last, build->tensors[t].op);
    root->is_resident |= build->tensors[t].is_resident;
    root->is_to_end |= is_one_of(build, op, never_released) &&
                       (op->parent < 0 || !is_one_of(build, op, inputs));
  }
  for (guint i = 0; i < build->ops->len; i++) {
    for (uint32_t k = 0; k < n_inputs(build, i); k++)
      if (input_of(build, i, k) != TN_NONE)
        read_by(build, input_of(build, i, k), i);
  }
}

/* ---- sizes ----------------------------------------------------------------------------------------- */

/* What the tensor itself needs: shape times type; TN_BYTES_UNKNOWN. */
static tn_bytes
plain_bytes(const Build *build, uint32_t tensor)
{
  const TnGeDesc *desc = desc_of(build, tensor);
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
static tn_bytes
padded_bytes(const Build *build, uint32_t tensor)
{
  const TnGeDesc *desc = desc_of(build, tensor);
  return desc && desc->bytes > 0 ? desc->bytes : plain_bytes(build, tensor);
}

/* ---- contiguous groups ------------------------------------------------------------------------------ */

/* All tensors of `list` become neighbours in this order, unless one is of a group already; those of a
 * batch never share a stretch with others. */
static void
make_group(Build *build, const GArray *list, bool is_padded)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < list->len; i++) {
    uint32_t root = g_array_index(list, uint32_t, i);
    if (root == TN_NONE || build->tensors[root].group || build->tensors[root].is_resident ||
        build->tensors[root].is_absorbed || !g_hash_table_add(seen, GUINT_TO_POINTER(root)))
      return;
    const Tensor *first = &build->tensors[g_array_index(list, uint32_t, 0)];
    if (op_at(build, build->tensors[root].op)->batch != op_at(build, first->op)->batch)
      return;
  }
  if (list->len < 2)
    return;
  build->n_groups++;
  for (guint i = 0; i < list->len; i++) {
    Tensor *tensor = &build->tensors[g_array_index(list, uint32_t, i)];
    tensor->group = build->n_groups;
    tensor->place_in_group = i;
    tensor->is_padded = is_padded;
  }
  g_array_append_vals(build->members, list->data, list->len);
}

/* Without padding the op does no work: its one output is its inputs, or its outputs its input. */
static void
absorb(Build *build, uint32_t whole, const GArray *parts, bool is_whole_kept)
{
  Tensor *all = &build->tensors[root_of(build, whole)];
  if (all->is_resident || all->is_absorbed || all->group)
    return;
  for (guint i = 0; i < parts->len; i++) {
    Tensor *part = &build->tensors[g_array_index(parts, uint32_t, i)];
    Tensor *kept = is_whole_kept ? all : part, *gone = is_whole_kept ? part : all;
    kept->last = MAX(kept->last, gone->last);
    kept->is_to_end |= gone->is_to_end;
    gone->is_absorbed |= gone != kept;
  }
}

static GArray *
roots_new(const Build *build, uint32_t i, bool of_inputs)
{
  GArray *roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t n = of_inputs ? n_inputs(build, i) : build->first[i + 1] - build->first[i];
  for (uint32_t k = 0; k < n; k++) {
    uint32_t tensor = of_inputs ? input_of(build, i, k) : build->first[i] + k;
    uint32_t root = tensor == TN_NONE ? TN_NONE : root_of(build, tensor);
    g_array_append_val(roots, root);
  }
  return roots;
}

static void
group_inputs(Build *build, uint32_t i)
{
  const TnGeOp *op = op_at(build, i);
  bool is_close = op->flags & TN_GE_NO_PADDING_INPUT;
  if (!is_close && !(op->flags & TN_GE_CONTINUOUS_INPUT))
    return;
  guint before = build->n_groups;
  g_autoptr(GArray) roots = roots_new(build, i, true);
  make_group(build, roots, !is_close);
  uint32_t whole = build->first[i];
  if (is_close && build->n_groups > before && whole < build->first[i + 1] &&
      offset_of(build, whole) == offset_of(build, g_array_index(roots, uint32_t, 0)))
    absorb(build, whole, roots, false);
}

static void
group_outputs(Build *build, uint32_t i)
{
  const TnGeOp *op = op_at(build, i);
  bool is_close = op->flags & TN_GE_NO_PADDING_OUTPUT;
  if (!is_close && !(op->flags & TN_GE_CONTINUOUS_OUTPUT))
    return;
  g_autoptr(GArray) roots = roots_new(build, i, false);
  uint32_t whole = input_of(build, i, 0);
  if (is_close && whole != TN_NONE && roots->len && offset_of(build, whole) >= 0 &&
      offset_of(build, whole) == offset_of(build, build->first[i]))
    absorb(build, whole, roots, true);
  else
    make_group(build, roots, !is_close);
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static uint32_t
intern_name(const Build *build, const TnGeOp *op, const char *kind, uint32_t row)
{
  TnStrings *strings = build->model->document->strings;
  g_autofree char *text = g_strdup_printf("%s %s[%u]", tn_strings_get(strings, op->name), kind, row);
  return tn_strings_intern(strings, text, -1);
}

static tn_index
add_row(Build *build, const TnGeOp *op, uint32_t position, tn_tick start, tn_tick end,
        tn_bytes bytes, int64_t offset, int64_t type)
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
  return row;
}

static TnBufferKind
kind_of(const Build *build, const Tensor *tensor)
{
  if (is_one_of(build, op_at(build, tensor->op), inputs))
    return TN_KIND_INPUT;
  return tensor->is_output ? TN_KIND_OUTPUT : TN_KIND_ACTIVATION;
}

/* Those of a group without padding stand close; else blocks of 512. */
static tn_bytes
bytes_of(const Build *build, uint32_t root, tn_bytes padded, tn_bytes plain)
{
  const Tensor *tensor = &build->tensors[root];
  tn_bytes bytes;
  if (tensor->group && !tensor->is_padded)
    return plain;
  return tn_round_up(padded, TN_GE_BLOCK, &bytes) ? bytes : TN_BYTES_UNKNOWN;
}

static void
add_tensor(Build *build, uint32_t root, tn_bytes padded, tn_bytes plain)
{
  const Tensor *tensor = &build->tensors[root];
  const TnGeOp *op = op_at(build, tensor->op);
  TnBuffers *buffers = build->device->buffers;
  bool is_first = is_one_of(build, op, from_start), is_given = is_one_of(build, op, inputs);
  tn_tick start = is_first ? 0 : (tn_tick)tensor->op * 3;
  tn_tick end = tensor->is_to_end ? build->device->axis_end : (tn_tick)tensor->last * 3 + 3;
  tn_index row = add_row(build, op, tensor->op, start, end, bytes_of(build, root, padded, plain),
                         offset_of(build, root),
                         list_at(op, TN_GE_OUTPUT_TYPE, tensor->output, TN_GE_MEMORY_HBM));
  buffers->kind[row] = (uint8_t)kind_of(build, tensor);
  buffers->requested[row] = MIN(plain, buffers->bytes[row]);
  buffers->name[row] = intern_name(build, op, "output", tensor->output);
  buffers->tensor[row] = root;
  buffers->group[row] = tensor->group;
  if (tensor->group && tensor->is_padded)
    buffers->flags[row] |= TN_BUFFER_GROUP_PADDED;
  buffers->traits[row] = (tensor->group ? TN_TRAIT_CONTINUOUS : 0) |
                         (tensor->group && !tensor->is_padded ? TN_TRAIT_NO_PADDING : 0) |
                         (is_given || tensor->is_output ? TN_TRAIT_ZERO_COPY : 0) |
                         (tensor->has_many_streams ? TN_TRAIT_MANY_STREAMS : 0);
}

/* The largest of all that share its memory; false where none has a size. */
static bool
sizes_of(const Build *build, const tn_bytes *padded, const tn_bytes *plain, uint32_t root,
         tn_bytes *out_padded, tn_bytes *out_plain)
{
  *out_padded = padded[root];
  *out_plain = plain[root] >= 0 ? plain[root] : padded[root];
  return *out_padded >= 0 && *out_padded <= INT64_MAX - TN_GE_BLOCK;
}

static void
collect_sizes(const Build *build, tn_bytes *padded, tn_bytes *plain)
{
  for (uint32_t t = 0; t < build->n_tensors; t++)
    padded[t] = plain[t] = TN_BYTES_UNKNOWN;
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    uint32_t root = root_of(build, t);
    padded[root] = MAX(padded[root], padded_bytes(build, t));
    plain[root] = MAX(plain[root], plain_bytes(build, t));
  }
}

static void
add_tensors(Build *build)
{
  g_autofree tn_bytes *padded = g_new(tn_bytes, MAX(build->n_tensors, 1u));
  g_autofree tn_bytes *plain = g_new(tn_bytes, MAX(build->n_tensors, 1u));
  tn_bytes bytes, own;
  int64_t n_unsized = 0;
  collect_sizes(build, padded, plain);
  for (guint i = 0; i < build->members->len; i++) { /* members of a group follow each other */
    uint32_t root = g_array_index(build->members, uint32_t, i);
    if (sizes_of(build, padded, plain, root, &bytes, &own))
      add_tensor(build, root, bytes, own);
    else
      n_unsized++;
  }
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    const Tensor *tensor = &build->tensors[t];
    if (tensor->root != t || tensor->group || tensor->is_absorbed)
      continue;
    if (!sizes_of(build, padded, plain, t, &bytes, &own))
      n_unsized++;
    else if (tensor->is_resident)
      tn_add(build->model->document->resident_bytes, bytes, &build->model->document->resident_bytes);
    else
      add_tensor(build, t, bytes, own);
  }
  if (n_unsized)
    tn_diagnostics_add(build->model->document->diagnostics, "dynamic-size", n_unsized,
                       "%" G_GINT64_FORMAT " tensors have no size in the dump and were left out",
                       n_unsized);
}

static void
add_workspaces(Build *build)
{
  TnBuffers *buffers = build->device->buffers;
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = op_at(build, i);
    const GArray *sizes = op->list[TN_GE_WORKSPACE_BYTES];
    for (guint k = 0; sizes && k < sizes->len; k++) {
      tn_bytes own = g_array_index(sizes, int64_t, k), bytes;
      if (own <= 0 || !tn_round_up(own, TN_GE_BLOCK, &bytes))
        continue;
      tn_index row = add_row(build, op, i, (tn_tick)i * 3, (tn_tick)i * 3 + 3, bytes,
                             list_at(op, TN_GE_WORKSPACE, k, TN_NOT_PLACED),
                             list_at(op, TN_GE_WORKSPACE_TYPE, k, TN_GE_MEMORY_HBM));
      buffers->kind[row] = TN_KIND_WORKSPACE;
      buffers->requested[row] = own;
      buffers->name[row] = intern_name(build, op, "workspace", k);
    }
  }
}

static bool
is_place_shared(const TnBuffers *b, tn_index i, tn_tick from)
{
  for (tn_index k = 0; k < b->n; k++)
    if (k != i && b->offset[k] >= 0 && b->space[k] == b->space[i] && b->start[k] >= from &&
        b->offset[k] < b->offset[i] + b->bytes[i] && b->offset[i] < b->offset[k] + b->bytes[k])
      return true;
  return false;
}

/* Inputs live to the end unless the plan says otherwise by giving their place to others: the option
 * ge.exec.inputReuseMemIndexes stands in no dump. */
static void
release_inputs(Build *build)
{
  TnBuffers *b = build->device->buffers;
  int64_t n = 0;
  for (tn_index i = 0; i < b->n; i++) {
    if (b->kind[i] != TN_KIND_INPUT || b->offset[i] < 0 || b->tensor[i] == TN_NONE)
      continue;
    tn_tick end = (tn_tick)build->tensors[b->tensor[i]].last * 3 + 3;
    if (end >= b->end[i] || !is_place_shared(b, i, end))
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

static void
build_plan(Build *build)
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
  build->types = g_array_new(FALSE, FALSE, sizeof(int64_t));
  tn_ge_space(device, build->types, TN_GE_MEMORY_HBM);
  add_tensors(build);
  add_workspaces(build);
  release_inputs(build);
  if (model->planned > 0 && device->space_names->len == 1)
    device->arena_bytes = model->planned;
  g_array_unref(build->types);
}

/* ---- the graph ---------------------------------------------------------------------------------------- */

static void
add_graph_tensor(Build *build, TnGraph *graph, uint32_t t)
{
  const Tensor *tensor = &build->tensors[t], *root = &build->tensors[root_of(build, t)];
  const TnGeOp *op = op_at(build, tensor->op);
  TnStrings *strings = build->model->document->strings;
  TnTensorKind kind = tensor->is_resident             ? TN_TENSOR_CONSTANT
                      : is_one_of(build, op, inputs) ? TN_TENSOR_INPUT
                                                     : TN_TENSOR_ACTIVATION;
  const TnGeDesc *desc = desc_of(build, t);
  uint32_t row = tn_graph_add_tensor(graph, intern_name(build, op, "output", tensor->output), kind);
  if (desc && desc->rank != TN_NONE)
    tn_graph_set_shape(graph, row,
                       (const int64_t *)(const void *)build->model->dims->data + desc->first_dim,
                       desc->rank);
  TnTensor *made = tn_graph_tensor(graph, row);
  made->bytes = padded_bytes(build, t);
  made->dtype = desc ? tn_strings_intern(strings, tn_dtype_name((TnDtype)desc->dtype), -1) : 0;
  made->is_output = root->is_output && kind == TN_TENSOR_ACTIVATION;
  made->recorded_offset = tensor->is_resident ? TN_NOT_PLACED : MAX(offset_of(build, t), -1);
}

/* Who receives an event runs after who sent it. */
static void
add_waits(Build *build, const GHashTable *senders, TnGraph *graph, const TnGeOp *op, uint32_t i)
{
  const GArray *events = op->list[TN_GE_RECEIVED];
  for (guint k = 0; k < op->sources->len; k++) {
    const TnGeSource *source = &g_array_index(op->sources, TnGeSource, k);
    uint32_t from = find_op(build, source->name);
    if (from != TN_NONE && from != i && (source->index < 0 || source_of(build, source) == TN_NONE))
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
add_graph_op(Build *build, const GHashTable *senders, TnGraph *graph, uint32_t i)
{
  const TnGeOp *op = op_at(build, i);
  TnOp *made = tn_graph_add_op(graph, op->name, op->type);
  made->file_id = op->id;
  made->stream = (uint32_t)CLAMP(op->stream, 0, (int64_t)UINT32_MAX - 1);
  made->batch_label = op->batch;
  made->wants_contiguous_inputs = op->flags & (TN_GE_CONTINUOUS_INPUT | TN_GE_NO_PADDING_INPUT);
  for (guint k = 0; op->list[TN_GE_WORKSPACE_BYTES] && k < op->list[TN_GE_WORKSPACE_BYTES]->len; k++)
    tn_add(made->workspace_bytes, MAX(list_at(op, TN_GE_WORKSPACE_BYTES, k, 0), (int64_t)0),
           &made->workspace_bytes);
  for (uint32_t k = 0; k < n_inputs(build, i); k++) {
    uint32_t from = input_of(build, i, k);
    if (from != TN_NONE && build->tensors[from].op != i)
      tn_graph_op_add_input(graph, from);
  }
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    const TnGeDesc *desc = desc_of(build, t);
    uint32_t reused = desc && desc->reuses_input ? input_of(build, i, desc->reused) : TN_NONE;
    tn_graph_op_add_output(graph, t);
    if (reused != TN_NONE && build->tensors[reused].op != i)
      tn_graph_op_add_view(graph, t, reused);
  }
  add_waits(build, senders, graph, op, i);
}

static GHashTable *
senders_new(const Build *build)
{
  GHashTable *senders = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < build->ops->len; i++) {
    const GArray *events = op_at(build, i)->list[TN_GE_SENT];
    for (guint k = 0; events && k < events->len; k++) {
      gint64 event = g_array_index(events, int64_t, k);
      g_hash_table_insert(senders, g_memdup2(&event, sizeof event), GUINT_TO_POINTER(i + 1));
    }
  }
  return senders;
}

static void
keep_names_only(Build *build)
{
  TnDocument *document = build->model->document;
  document->op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  document->ticks_per_op = 3;
  for (guint i = 0; i < build->ops->len; i++)
    g_array_append_val(document->op_names, op_at(build, i)->name);
  tn_diagnostics_add(document->diagnostics, "order-broken", 1,
                     "the topological ids run against the dump's own edges: the plan is read by its "
                     "ids, the graph is left out");
}

static void
build_graph(Build *build)
{
  g_autoptr(TnGraph) graph = tn_graph_new();
  g_autoptr(GHashTable) senders = senders_new(build);
  graph->name = build->model->name;
  for (uint32_t t = 0; t < build->n_tensors; t++)
    add_graph_tensor(build, graph, t);
  for (uint32_t i = 0; i < build->ops->len; i++) {
    add_graph_op(build, senders, graph, i);
    g_array_append_val(graph->order, i);
  }
  if (tn_graph_order_is_legal(graph, (const uint32_t *)(const void *)graph->order->data,
                              graph->order->len))
    build->model->document->graph = g_steal_pointer(&graph);
  else
    keep_names_only(build);
}

void
tn_ge_build(TnGeModel *model)
{
  Build build = {.model = model, .members = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  TnDocument *document = model->document;
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("GE");
  document->lifetime_model = g_strdup("kernel");
  sort_ops(&build);
  number_tensors(&build);
  list_inputs(&build);
  join_all(&build);
  find_lives(&build);
  for (guint i = 0; i < build.ops->len; i++) {
    group_inputs(&build, i);
    group_outputs(&build, i);
  }
  build_plan(&build);
  build_graph(&build);
  if (model->n_bad)
    tn_diagnostics_add(document->diagnostics, "bad-values", model->n_bad,
                       "%" G_GINT64_FORMAT " values are no numbers and were left out",
                       model->n_bad);
  g_ptr_array_unref(build.ops);
  g_hash_table_unref(build.by_name);
  g_array_unref(build.members);
  g_array_unref(build.inputs);
  g_free(build.first);
  g_free(build.first_input);
  g_free(build.tensors);
}
