/* SPDX-License-Identifier: MIT */
/* Which tensors of a dump share memory, and how long it is needed: lives follow from the
 * topological ids and the edges, closed as GE has them. */
#include "config.h"

#include "data/readers/ge-build.h"

#include "data/dtype.h"
#include "data/hash.h"

#include <string.h>

bool
tn_ge_is(const TnGeBuild *build, const TnGeOp *op, TnGeRole role)
{
  static const char *const residents[] = {
      "Const",    "Constant",     "ConstantOp",  "ConstPlaceHolder",
      "Variable", "FileConstant", "VarHandleOp", NULL};
  static const char *const inputs[] = {"Data", "AippData", "AnnData", "QueueData", "RefData", NULL};
  static const char *const never[] = {
      "Data",           "AippData",         "QueueData", "Enter",   "RefEnter",
      "NextIteration",  "RefNextIteration", "RefData",   "GetNext", "AdpGetNext",
      "DynamicGetNext", "DropOutGenMask",   NULL};
  static const char *const start[] = {"Data",     "AippData", "AnnData",    "QueueData",
                                      "Proposal", "GetNext",  "AdpGetNext", "DynamicGetNext",
                                      "RefData",  NULL};
  static const char *const output[] = {"NetOutput", NULL};
  static const char *const *const lists[] = {[TN_GE_RESIDENT] = residents,
                                             [TN_GE_INPUT] = inputs,
                                             [TN_GE_NEVER_RELEASED] = never,
                                             [TN_GE_FROM_START] = start,
                                             [TN_GE_NET_OUTPUT] = output};
  const char *type = tn_strings_get(build->model->document->strings, op->type);
  for (gsize i = 0; lists[role][i]; i++)
    if (strcmp(type, lists[role][i]) == 0)
      return true;
  return false;
}

/* ---- ops and edges -----------------------------------------------------------------------------
 */

static gint
compare_ops(gconstpointer a, gconstpointer b)
{
  const TnGeOp *x = *(TnGeOp *const *)a, *y = *(TnGeOp *const *)b;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void
sort_ops(TnGeBuild *build)
{
  TnGeModel *model = build->model;
  build->ops = g_ptr_array_sized_new(model->ops->len);
  for (guint i = 0; i < model->ops->len; i++)
    g_ptr_array_add(build->ops, g_ptr_array_index(model->ops, i));
  g_ptr_array_sort(build->ops, compare_ops); /* GLib's sort is stable */
  int64_t n_same = 0;
  for (guint i = 1; i < build->ops->len; i++)
    n_same += tn_ge_op_at(build, i)->id == tn_ge_op_at(build, i - 1)->id;
  if (n_same)
    tn_diagnostics_add(model->document->diagnostics, "same-id", n_same,
                       "%" G_GINT64_FORMAT " ops have the topological id of another: they follow "
                       "each other as in the file",
                       n_same);
}

static void
mark_cleaned(TnGeBuild *build, uint32_t i)
{
  const GArray *cleaned = tn_ge_op_at(build, i)->list[TN_GE_ATOMIC_OUTPUT];
  uint32_t n = build->first[i + 1] - build->first[i];
  for (guint k = 0; cleaned && k < cleaned->len; k++) {
    int64_t output = g_array_index(cleaned, int64_t, k);
    if (output >= 0 && output < n)
      build->tensors[build->first[i] + (uint32_t)output].is_cleaned = true;
  }
}

static void
number_tensors(TnGeBuild *build)
{
  uint32_t n = build->ops->len, at = 0, n_doubled = 0;
  build->by_name = g_hash_table_new(NULL, NULL);
  build->first = g_new(uint32_t, (gsize)n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const TnGeOp *op = tn_ge_op_at(build, i);
    const GArray *offsets = op->list[TN_GE_OUTPUT_OFFSET];
    gpointer key = GUINT_TO_POINTER(op->name);
    n_doubled += g_hash_table_contains(build->by_name, key);
    if (!g_hash_table_contains(build->by_name, key))
      g_hash_table_insert(build->by_name, key, GUINT_TO_POINTER(i + 1));
    build->first[i] = at;
    at += MAX(op->outputs->len, offsets ? offsets->len : 0);
  }
  build->first[n] = build->n_tensors = at;
  build->tensors = g_new0(TnGeTensorRow, MAX(at, 1u));
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++)
      build->tensors[t] =
          (TnGeTensorRow){.op = i,
                          .output = t - build->first[i],
                          .root = t,
                          .last = i,
                          .is_resident = tn_ge_is(build, tn_ge_op_at(build, i), TN_GE_RESIDENT)};
    mark_cleaned(build, i);
  }
  if (n_doubled)
    tn_diagnostics_add(build->model->document->diagnostics, "same-name", n_doubled,
                       "%u ops have the name of another: edges go to the first", n_doubled);
}

uint32_t
tn_ge_find_op(const TnGeBuild *build, uint32_t name)
{
  gpointer found = g_hash_table_lookup(build->by_name, GUINT_TO_POINTER(name));
  return found ? GPOINTER_TO_UINT(found) - 1 : TN_NONE;
}

/* The tensor that an edge comes from; TN_NONE for control edges and strangers. */
uint32_t
tn_ge_source(const TnGeBuild *build, const TnGeSource *source)
{
  uint32_t op = source->index < 0 ? TN_NONE : tn_ge_find_op(build, source->name);
  if (op == TN_NONE || (uint32_t)source->index >= build->first[op + 1] - build->first[op])
    return TN_NONE;
  return build->first[op] + (uint32_t)source->index;
}

static void
list_inputs(TnGeBuild *build)
{
  build->first_input = g_new(uint32_t, (gsize)build->ops->len + 1);
  build->inputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = tn_ge_op_at(build, i);
    build->first_input[i] = build->inputs->len;
    for (guint k = 0; k < op->sources->len; k++) {
      const TnGeSource *source = &g_array_index(op->sources, TnGeSource, k);
      uint32_t tensor = tn_ge_source(build, source);
      if (source->index >= 0)
        g_array_append_val(build->inputs, tensor);
    }
  }
  build->first_input[build->ops->len] = build->inputs->len;
}

/* What op `i` reads at input number `row`; TN_NONE. */
uint32_t
tn_ge_input(const TnGeBuild *build, uint32_t i, int64_t row)
{
  return row >= 0 && row < tn_ge_n_inputs(build, i)
             ? g_array_index(build->inputs, uint32_t, build->first_input[i] + (uint32_t)row)
             : TN_NONE;
}

uint32_t
tn_ge_root(const TnGeBuild *build, uint32_t tensor)
{
  while (build->tensors[tensor].root != tensor) {
    build->tensors[tensor].root = build->tensors[build->tensors[tensor].root].root;
    tensor = build->tensors[tensor].root;
  }
  return tensor;
}

/* The earlier producer is the root. */
static void
join(TnGeBuild *build, uint32_t a, uint32_t b)
{
  if (a == TN_NONE || b == TN_NONE)
    return;
  a = tn_ge_root(build, a);
  b = tn_ge_root(build, b);
  build->tensors[MAX(a, b)].root = MIN(a, b);
}

int64_t
tn_ge_offset(const TnGeBuild *build, uint32_t tensor)
{
  const TnGeTensorRow *t = &build->tensors[tensor];
  return tn_ge_list_at(tn_ge_op_at(build, t->op), TN_GE_OUTPUT_OFFSET, t->output, TN_NOT_PLACED);
}

const TnGeDesc *
tn_ge_desc_of(const TnGeBuild *build, uint32_t tensor)
{
  const TnGeTensorRow *t = &build->tensors[tensor];
  const TnGeOp *op = tn_ge_op_at(build, t->op);
  return t->output < op->outputs->len ? &g_array_index(op->outputs, TnGeDesc, t->output) : NULL;
}

/* ---- who shares memory with whom
 * ------------------------------------------------------------------ */

static void
state_reference(TnGeBuild *build, uint32_t output, uint32_t input)
{
  int64_t had = tn_ge_offset(build, output), wanted = tn_ge_offset(build, input);
  TnDocument *document = build->model->document;
  if (had == wanted || had < 0 || wanted < 0 || build->tensors[input].is_resident)
    return;
  const char *name =
      tn_strings_get(document->strings, tn_ge_op_at(build, build->tensors[output].op)->name);
  g_autofree char *text = g_strdup_printf(
      "Output %u of “%s” refers to its input, which lies at offset %" G_GINT64_FORMAT
      ", but was given offset %" G_GINT64_FORMAT,
      build->tensors[output].output, name, wanted, had);
  tn_document_state(document, "ref-offset", TN_STATEMENT_ERROR, 0, text,
                    "An output that refers to an input must have its offset.");
}

/* Outputs and inputs that lie at one offset are one. */
static void
join_by_offset(TnGeBuild *build, uint32_t i)
{
  g_autoptr(GHashTable) outputs = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL); /* → first + 1 */
  g_autoptr(GHashTable) joined = g_hash_table_new(NULL, NULL); /* of those */
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    gint64 offset = tn_ge_offset(build, t);
    if (offset >= 0 && !g_hash_table_contains(outputs, &offset))
      g_hash_table_insert(outputs, g_memdup2(&offset, sizeof offset), GUINT_TO_POINTER(t + 1));
  }
  for (uint32_t row = 0; row < tn_ge_n_inputs(build, i); row++) {
    uint32_t from = tn_ge_input(build, i, row);
    gint64 offset = from == TN_NONE || build->tensors[from].is_resident ? -1 : tn_ge_offset(build, from);
    gpointer output = offset < 0 ? NULL : g_hash_table_lookup(outputs, &offset);
    if (!output)
      continue;
    join(build, GPOINTER_TO_UINT(output) - 1, from);
    g_hash_table_add(joined, output);
  }
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    gint64 offset = tn_ge_offset(build, t);
    gpointer output = offset < 0 ? NULL : g_hash_table_lookup(outputs, &offset);
    if (output && g_hash_table_contains(joined, output))
      join(build, t, GPOINTER_TO_UINT(output) - 1);
  }
}

static void
join_references(TnGeBuild *build, uint32_t i)
{
  for (uint32_t t = build->first[i]; t < build->first[i + 1]; t++) {
    const TnGeDesc *desc = tn_ge_desc_of(build, t);
    uint32_t stated = desc && desc->reuses_input ? tn_ge_input(build, i, desc->reused) : TN_NONE;
    if (stated == TN_NONE)
      continue;
    state_reference(build, t, stated);
    if (!build->tensors[stated].is_resident)
      join(build, t, stated);
  }
  if (tn_ge_op_at(build, i)->flags & TN_GE_REFERENCE)
    join_by_offset(build, i);
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
join_subgraph(TnGeBuild *build, const GHashTable *owners, uint32_t i)
{
  const TnGeOp *op = tn_ge_op_at(build, i);
  uint32_t owner = owner_of(owners, op);
  if (owner == TN_NONE || owner == i)
    return;
  if (op->parent >= 0 && tn_ge_is(build, op, TN_GE_INPUT) && build->first[i + 1] > build->first[i])
    join(build, build->first[i], tn_ge_input(build, owner, op->parent));
  for (guint k = 0; tn_ge_is(build, op, TN_GE_NET_OUTPUT) && k < op->inputs->len; k++) {
    int64_t row = g_array_index(op->inputs, TnGeDesc, k).parent;
    if (row >= 0 && row < build->first[owner + 1] - build->first[owner])
      join(build, tn_ge_input(build, i, k), build->first[owner] + (uint32_t)row);
  }
}

static void
join_all(TnGeBuild *build)
{
  g_autoptr(GHashTable) owners = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < build->ops->len; i++) {
    const TnGeOp *op = tn_ge_op_at(build, i);
    for (guint k = 0; op->bodies && k < op->bodies->len; k++)
      g_hash_table_insert(owners, GUINT_TO_POINTER(g_array_index(op->bodies, uint32_t, k)),
                          GUINT_TO_POINTER(i + 1));
  }
  for (guint i = 0; i < build->ops->len; i++) {
    join_references(build, i);
    join_subgraph(build, owners, i);
  }
}

/* ---- lives
 * --------------------------------------------------------------------------------------- */

static void
read_by(TnGeBuild *build, uint32_t tensor, uint32_t reader)
{
  const TnGeOp *op = tn_ge_op_at(build, reader);
  TnGeTensorRow *root = &build->tensors[tn_ge_root(build, tensor)];
  root->last = MAX(root->last, reader);
  root->has_many_streams |= op->stream != tn_ge_op_at(build, root->op)->stream;
  root->is_output |= tn_ge_is(build, op, TN_GE_NET_OUTPUT) && op->graph == build->model->name;
  root->is_to_end |= root->is_output;
}

static void
find_lives(TnGeBuild *build)
{
  for (uint32_t t = 0; t < build->n_tensors; t++) {
    TnGeTensorRow *root = &build->tensors[tn_ge_root(build, t)];
    const TnGeOp *op = tn_ge_op_at(build, build->tensors[t].op);
    root->last = MAX(root->last, build->tensors[t].op);
    root->is_resident |= build->tensors[t].is_resident;
    root->is_to_end |= tn_ge_is(build, op, TN_GE_NEVER_RELEASED) &&
                       (op->parent < 0 || !tn_ge_is(build, op, TN_GE_INPUT));
  }
  for (guint i = 0; i < build->ops->len; i++) {
    for (uint32_t k = 0; k < tn_ge_n_inputs(build, i); k++)
      if (tn_ge_input(build, i, k) != TN_NONE)
        read_by(build, tn_ge_input(build, i, k), i);
  }
}

/* ---- contiguous groups
 * ------------------------------------------------------------------------------ */

/* All tensors of `list` become neighbours in this order, unless one is of a group already; those of
 * a batch never share a stretch with others. */
static void
make_group(TnGeBuild *build, const GArray *list, bool is_padded)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < list->len; i++) {
    uint32_t root = g_array_index(list, uint32_t, i);
    if (root == TN_NONE || build->tensors[root].group || build->tensors[root].is_resident ||
        build->tensors[root].is_absorbed || !g_hash_table_add(seen, GUINT_TO_POINTER(root)))
      return;
    const TnGeTensorRow *first = &build->tensors[g_array_index(list, uint32_t, 0)];
    if (tn_ge_op_at(build, build->tensors[root].op)->batch != tn_ge_op_at(build, first->op)->batch)
      return;
  }
  if (list->len < 2)
    return;
  build->n_groups++;
  for (guint i = 0; i < list->len; i++) {
    TnGeTensorRow *tensor = &build->tensors[g_array_index(list, uint32_t, i)];
    tensor->group = build->n_groups;
    tensor->is_padded = is_padded;
  }
  g_array_append_vals(build->members, list->data, list->len);
}

/* Without padding the op does no work: its one output is its inputs, or its outputs its input. */
static void
absorb(TnGeBuild *build, uint32_t op, uint32_t whole, const GArray *parts, bool is_whole_kept)
{
  TnGeTensorRow *all = &build->tensors[tn_ge_root(build, whole)];
  if (all->is_resident || all->is_absorbed || all->group)
    return;
  for (guint i = 0; i < parts->len; i++) {
    TnGeTensorRow *part = &build->tensors[g_array_index(parts, uint32_t, i)];
    TnGeTensorRow *kept = is_whole_kept ? all : part, *gone = is_whole_kept ? part : all;
    kept->last = MAX(kept->last, gone->last);
    kept->is_to_end |= gone->is_to_end;
    gone->is_absorbed |= gone != kept;
    if (is_whole_kept && gone != kept)
      gone->holder = tn_ge_root(build, whole) + 1;
    else if (gone != kept)
      gone->joiner = op + 1;
  }
}

static GArray *
roots_new(const TnGeBuild *build, uint32_t i, bool of_inputs)
{
  GArray *roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t n = of_inputs ? tn_ge_n_inputs(build, i) : build->first[i + 1] - build->first[i];
  for (uint32_t k = 0; k < n; k++) {
    uint32_t tensor = of_inputs ? tn_ge_input(build, i, k) : build->first[i] + k;
    uint32_t root = tensor == TN_NONE ? TN_NONE : tn_ge_root(build, tensor);
    g_array_append_val(roots, root);
  }
  return roots;
}

static void
group_inputs(TnGeBuild *build, uint32_t i)
{
  const TnGeOp *op = tn_ge_op_at(build, i);
  bool is_close = op->flags & TN_GE_NO_PADDING_INPUT;
  if (!is_close && !(op->flags & TN_GE_CONTINUOUS_INPUT))
    return;
  guint before = build->n_groups;
  g_autoptr(GArray) roots = roots_new(build, i, true);
  make_group(build, roots, !is_close);
  uint32_t whole = build->first[i];
  if (is_close && build->n_groups > before && whole < build->first[i + 1] &&
      tn_ge_offset(build, whole) == tn_ge_offset(build, g_array_index(roots, uint32_t, 0)))
    absorb(build, i, whole, roots, false);
}

static void
group_outputs(TnGeBuild *build, uint32_t i)
{
  const TnGeOp *op = tn_ge_op_at(build, i);
  bool is_close = op->flags & TN_GE_NO_PADDING_OUTPUT;
  if (!is_close && !(op->flags & TN_GE_CONTINUOUS_OUTPUT))
    return;
  g_autoptr(GArray) roots = roots_new(build, i, false);
  uint32_t whole = tn_ge_input(build, i, 0);
  if (is_close && whole != TN_NONE && roots->len && tn_ge_offset(build, whole) >= 0 &&
      tn_ge_offset(build, whole) == tn_ge_offset(build, build->first[i]))
    absorb(build, i, whole, roots, true);
  else
    make_group(build, roots, !is_close);
}

/* ---- all of it
 * --------------------------------------------------------------------------------------- */

bool
tn_ge_goes_on(TnGeModel *model, double fraction, const char *stage)
{
  tn_progress_report(model->progress, fraction, stage);
  model->is_stopped |= tn_progress_is_cancelled(model->progress);
  return !model->is_stopped;
}

void
tn_ge_storage_init(TnGeBuild *build, TnGeModel *model)
{
  *build = (TnGeBuild){.model = model, .members = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  sort_ops(build);
  number_tensors(build);
  list_inputs(build);
  if (!tn_ge_goes_on(model, 0.85, "Finding what shares memory"))
    return;
  join_all(build);
  find_lives(build);
  for (guint i = 0; i < build->ops->len; i++) {
    group_inputs(build, i);
    group_outputs(build, i);
  }
}

void
tn_ge_storage_clear(TnGeBuild *build)
{
  g_ptr_array_unref(build->ops);
  g_hash_table_unref(build->by_name);
  g_array_unref(build->members);
  g_array_unref(build->inputs);
  g_free(build->first);
  g_free(build->first_input);
  g_free(build->tensors);
}
