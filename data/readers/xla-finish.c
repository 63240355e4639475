/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/xla.h"

#include "data/units.h"

#include <string.h>

#define HOST_COLOR 5
#define HOST_NAME "memory space 5 (host)"

/* Of the device or of the host, whatever spaces its own allocations are told apart by: on GPUs color 1 is the memory
 * of collectives and color 2 that of temporaries, both on the device. */
typedef struct {
  TnDevice *device; /* NULL: nothing stands there */
  tn_bytes others; /* of its allocations that are not temporaries */
  uint32_t others_space;
} Memory;

/* Spaces of a memory: one for each allocation of planned temporaries; all others have one value each (or
 * several that share it) and stand above one another in a space of their own. */
typedef struct {
  TnXla *xla;
  Memory own, host;
  Memory **memory;   /* by allocation */
  tn_bytes *base;    /* by allocation: where it begins in its space */
  uint32_t *space;   /* by allocation */
  GArray *rows;      /* Row */
  int64_t n_without; /* values without a live range */
} Plan;

typedef struct {
  const TnXlaValue *value;
  tn_tick start, end;
} Row;

static const TnXlaAllocation *
allocation_of(const Plan *plan, const TnXlaValue *value)
{
  return &g_array_index(plan->xla->allocations, TnXlaAllocation, value->allocation);
}

static TnDevice *
begin_device(const TnXla *xla, int32_t ordinal, bool has_places)
{
  TnDevice *device = tn_document_device(xla->document, ordinal);
  device->axis = TN_AXIS_STEP;
  device->axis_end = MAX(xla->axis_end, (tn_tick)1);
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_SPACE | TN_COLUMN_OP);
  if (has_places) {
    device->space_names = g_ptr_array_new_with_free_func(g_free);
    device->space_arena = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  }
  return device;
}

static Memory *
need_memory(Plan *plan, int64_t color)
{
  bool is_host = color == HOST_COLOR;
  Memory *memory = is_host ? &plan->host : &plan->own;
  if (memory->device)
    return memory;
  memory->device = begin_device(plan->xla, is_host, true);
  if (is_host)
    memory->device->name = tn_strings_intern(plan->xla->document->strings, HOST_NAME, -1);
  return memory;
}

static char *
name_temporaries(const TnXlaAllocation *a)
{
  if (a->color == 0 || a->color == HOST_COLOR)
    return g_strdup_printf("allocation %" G_GINT64_FORMAT ", temporaries", a->number);
  return g_strdup_printf("allocation %" G_GINT64_FORMAT ", temporaries in memory space %" G_GINT64_FORMAT, a->number,
                         a->color);
}

static uint32_t
add_space(TnDevice *device, const char *name, tn_bytes bytes)
{
  g_ptr_array_add(device->space_names, g_strdup(name));
  g_array_append_val(device->space_arena, bytes);
  return device->space_names->len - 1;
}

static void
lay_out_one(Plan *plan, guint i)
{
  const TnXlaAllocation *a = &g_array_index(plan->xla->allocations, TnXlaAllocation, i);
  Memory *memory = plan->memory[i] = need_memory(plan, a->color);
  g_autofree char *name = name_temporaries(a);
  if (a->kind == TN_XLA_TEMP)
    plan->space[i] = add_space(memory->device, name, a->bytes);
  else if (a->kind != TN_XLA_THREAD_LOCAL && tn_add(memory->others, a->bytes, &memory->others)) {
    plan->base[i] = memory->others - a->bytes;
    memory->others_space = TN_NONE; /* wanted */
  }
}

static void
lay_out(Plan *plan)
{
  const GArray *allocations = plan->xla->allocations;
  need_memory(plan, 0);
  for (guint i = 0; i < allocations->len; i++)
    lay_out_one(plan, i);
  Memory *const memories[] = {&plan->own, &plan->host};
  for (gsize i = 0; i < G_N_ELEMENTS(memories); i++)
    if (memories[i]->others_space == TN_NONE)
      memories[i]->others_space =
          add_space(memories[i]->device, "parameters, outputs, constants", memories[i]->others);
  for (guint i = 0; i < allocations->len; i++)
    if (g_array_index(allocations, TnXlaAllocation, i).kind != TN_XLA_TEMP)
      plan->space[i] = plan->memory[i]->others_space;
}

/* "name" of the assignment is "name{}" among the live ranges. */
static const TnXlaRange *
range_of(const TnXla *xla, uint32_t name)
{
  const char *text = tn_strings_get(xla->document->strings, name);
  const TnXlaRange *range = g_hash_table_lookup(xla->ranges, text);
  g_autofree char *plain = range ? NULL : g_strconcat(text, "{}", NULL);
  range = range ? range : g_hash_table_lookup(xla->ranges, plain);
  return range && range->start >= 0 ? range : NULL;
}

static void
collect_rows(Plan *plan)
{
  const TnXla *xla = plan->xla;
  for (guint i = 0; i < xla->values->len; i++) {
    const TnXlaValue *value = &g_array_index(xla->values, TnXlaValue, i);
    if (allocation_of(plan, value)->kind == TN_XLA_THREAD_LOCAL)
      continue;
    const TnXlaRange *range = range_of(xla, value->name);
    Row row = {value, range ? range->start : 0, range ? range->end : MAX(xla->axis_end, 1)};
    plan->n_without += range == NULL;
    g_array_append_val(plan->rows, row);
  }
}

static int
compare_rows(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  const int64_t keys[][2] = {{x->value->allocation, y->value->allocation},
                             {x->value->offset, y->value->offset},
                             {x->value->bytes, y->value->bytes},
                             {x->start, y->start},
                             {x->end, y->end}};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static TnBufferKind
buffer_kind(TnXlaKind kind)
{
  static const TnBufferKind kinds[] = {[TN_XLA_TEMP] = TN_KIND_ACTIVATION,
                                       [TN_XLA_PARAMETER] = TN_KIND_INPUT,
                                       [TN_XLA_OUTPUT] = TN_KIND_OUTPUT,
                                       [TN_XLA_CONSTANT] = TN_KIND_CONSTANT,
                                       [TN_XLA_THREAD_LOCAL] = TN_KIND_UNKNOWN};
  return kinds[kind];
}

static void
add_buffer(Plan *plan, const Row *row, uint32_t n_values)
{
  TnBuffers *b = plan->memory[row->value->allocation]->device->buffers;
  TnStrings *strings = plan->xla->document->strings;
  const TnXlaValue *value = row->value;
  tn_index i = tn_buffers_add(b, row->start, row->end, value->bytes,
                              buffer_kind(allocation_of(plan, value)->kind));
  g_autofree char *name = n_values > 1
                              ? g_strdup_printf("%s (and %u that share its slot)",
                                                tn_strings_get(strings, value->name), n_values - 1)
                              : NULL;
  b->name[i] = name ? tn_strings_intern(strings, name, -1) : value->name;
  b->space[i] = plan->space[value->allocation];
  b->op[i] = row->start < plan->xla->op_names->len ? (uint32_t)row->start : TN_NONE;
  tn_bytes offset;
  if (tn_add(plan->base[value->allocation], value->offset, &offset))
    b->offset[i] = offset;
}

/* A slot (one offset and size of an allocation) is one memory: values in it whose lives touch are
 * the same buffer under several names (updates in place, loop states), not overlaps. */
static void
merge_slots(Plan *plan)
{
  g_array_sort(plan->rows, compare_rows);
  for (guint i = 0; i < plan->rows->len;) {
    Row row = g_array_index(plan->rows, Row, i);
    uint32_t n = 1;
    for (; i + n < plan->rows->len; n++) {
      const Row *next = &g_array_index(plan->rows, Row, i + n);
      if (next->value->allocation != row.value->allocation ||
          next->value->offset != row.value->offset || next->value->bytes != row.value->bytes ||
          next->start >= row.end)
        break;
      row.end = MAX(row.end, next->end);
    }
    add_buffer(plan, &row, n);
    i += n;
  }
}

/* An assignment without lives: values share slots in turn, so that only allocations are buffers. */
static void
add_allocations_only(Plan *plan)
{
  const TnXla *xla = plan->xla;
  for (guint i = 0; i < xla->allocations->len; i++) {
    const TnXlaAllocation *a = &g_array_index(xla->allocations, TnXlaAllocation, i);
    if (a->kind == TN_XLA_THREAD_LOCAL)
      continue;
    g_autofree char *name = g_strdup_printf("allocation %" G_GINT64_FORMAT, a->number);
    TnDevice *device = plan->memory[i]->device;
    TnBuffers *b = device->buffers;
    tn_index row = tn_buffers_add(b, 0, device->axis_end, a->bytes, buffer_kind(a->kind));
    b->name[row] = tn_strings_intern(xla->document->strings, name, -1);
    b->space[row] = plan->space[i];
    b->offset[row] = plan->base[i];
  }
  tn_diagnostics_add(xla->document->diagnostics, "no-live-ranges", xla->values->len,
                     "no live ranges, so that whole allocations are shown and not the %u values in "
                     "them: put the module's *-live-range.txt beside this file",
                     xla->values->len);
}

/* Lives without an assignment: sizes only of what is alive at the peak. */
static void
add_ranges_only(const TnXla *xla)
{
  TnBuffers *b = begin_device(xla, 0, false)->buffers;
  for (guint i = 0; i < xla->range_names->len; i++) {
    const char *name = g_ptr_array_index(xla->range_names, i);
    const TnXlaRange *range = g_hash_table_lookup(xla->ranges, name);
    if (range->start < 0)
      continue;
    bool is_plain = g_str_has_suffix(name, "{}");
    tn_index row = tn_buffers_add(b, range->start, range->end, MAX(range->bytes, (tn_bytes)0),
                                  TN_KIND_ACTIVATION);
    b->name[row] =
        tn_strings_intern(xla->document->strings, name, (gssize)strlen(name) - (is_plain ? 2 : 0));
    b->op[row] = range->start < xla->op_names->len ? (uint32_t)range->start : TN_NONE;
    if (range->bytes < 0)
      b->flags[row] |= TN_BUFFER_UNSIZED;
  }
}

/* What is not of the device's memory; per thread, too, since their kinds are not told apart. */
static void
account_host(const Plan *plan, TnAccount *account)
{
  tn_bytes sum = 0;
  const GArray *allocations = plan->xla->allocations;
  for (guint i = 0; i < allocations->len; i++)
    if (plan->memory[i] == &plan->host)
      sum = tn_add_saturated(sum, g_array_index(allocations, TnXlaAllocation, i).bytes);
  if (plan->host.device)
    tn_account_add(account, HOST_NAME, sum, NULL);
}

static void
account_allocations(Plan *plan)
{
  static const char *const names[] = {[TN_XLA_TEMP] = "temporaries",
                                      [TN_XLA_PARAMETER] = "parameters",
                                      [TN_XLA_OUTPUT] = "outputs",
                                      [TN_XLA_CONSTANT] = "constants",
                                      [TN_XLA_THREAD_LOCAL] = "per thread"};
  const GArray *allocations = plan->xla->allocations;
  tn_bytes sums[G_N_ELEMENTS(names)] = {0};
  for (guint i = 0; i < allocations->len; i++) {
    const TnXlaAllocation *a = &g_array_index(allocations, TnXlaAllocation, i);
    if (plan->memory[i] == &plan->own && !tn_add(sums[a->kind], a->bytes, &sums[a->kind]))
      return;
  }
  TnAccount *account = tn_account_new("XLA allocations", 0);
  tn_account_set_total(account, plan->xla->total_bytes, "total of the program");
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++)
    if (sums[k])
      tn_account_add(account, names[k], sums[k], NULL);
  account_host(plan, account);
  tn_account_close(account, "not listed by the dump", "listed beyond the total", 0);
  g_ptr_array_add(plan->xla->document->accounts, account);
}

static void
warn(const Plan *plan)
{
  TnDiagnostics *diagnostics = plan->xla->document->diagnostics;
  if (plan->xla->n_damaged)
    tn_diagnostics_add(diagnostics, "damaged-lines", plan->xla->n_damaged,
                       "%" G_GINT64_FORMAT " lines of values or live ranges are damaged and were "
                       "left out",
                       plan->xla->n_damaged);
  if (plan->n_without)
    tn_diagnostics_add(diagnostics, "no-live-ranges", plan->n_without,
                       "%" G_GINT64_FORMAT " values have no live range and stand as long as the "
                       "program",
                       plan->n_without);
  if (plan->host.device)
    tn_diagnostics_add(diagnostics, "memory-spaces", 1,
                       "the dump has allocations in the host's memory (color 5): they are shown as a device of their "
                       "own, and are no part of the device's peak");
}

static void
finish_places(TnXla *xla)
{
  Plan plan = {.xla = xla,
               .memory = g_new0(Memory *, MAX(xla->allocations->len, 1u)),
               .base = g_new0(tn_bytes, MAX(xla->allocations->len, 1u)),
               .space = g_new0(uint32_t, MAX(xla->allocations->len, 1u)),
               .rows = g_array_new(FALSE, FALSE, sizeof(Row))};
  lay_out(&plan);
  if (xla->range_names->len) {
    collect_rows(&plan);
    merge_slots(&plan);
  } else {
    add_allocations_only(&plan);
  }
  account_allocations(&plan);
  warn(&plan);
  g_free(plan.memory);
  g_free(plan.base);
  g_free(plan.space);
  g_array_unref(plan.rows);
}

void
tn_xla_finish(TnXla *xla)
{
  xla->document->kind = TN_DOCUMENT_PLAN;
  if (xla->values->len)
    finish_places(xla);
  else
    add_ranges_only(xla);
  if (xla->op_names->len) {
    xla->document->op_names = g_array_ref(xla->op_names);
    xla->document->ticks_per_op = 1;
  }
}
