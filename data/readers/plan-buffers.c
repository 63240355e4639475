/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/plan-reader.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS_PER_REPORT 16384

/* One buffer while its keys are read. */
typedef struct {
  const uint8_t *place;
  char *id;
  uint32_t name, batch, group;
  TnBufferKind kind;
  int64_t start, end, bytes, requested, alignment, offset, tensor, stream;
  bool has_start, has_end, has_bytes;
  unsigned flags, traits;
  TnPlanReference space, op;
  guint first_gap;
} Row;

/* A number or a string, as text: an id, a group.  Owned by the caller; NULL after an error. */
static char *
dup_label(TnPlanReader *plan)
{
  int64_t number;
  if (tn_json_peek(&plan->json) == TN_JSON_STRING)
    return tn_plan_dup_string(plan);
  return tn_json_read_int(&plan->json, &number) ? g_strdup_printf("%" G_GINT64_FORMAT, number)
                                                : NULL;
}

static void
read_reference(TnPlanReader *plan, const char *key, TnPlanReference *out)
{
  out->name = 0;
  out->number = -1;
  if (tn_plan_read_null(plan))
    return;
  if (tn_json_peek(&plan->json) == TN_JSON_STRING)
    out->name = tn_plan_read_interned(plan);
  else
    tn_plan_read_at_least(plan, key, 0, &out->number);
}

/* An array of words of one kind, or'ed together. */
static unsigned
read_words(TnPlanReader *plan, unsigned (*from_name)(const char *), const char *key,
           const char *example)
{
  TnJson *json = &plan->json;
  const char *word = NULL;
  unsigned all = 0;
  tn_json_begin_array(json);
  while (tn_json_next_item(json)) {
    tn_json_peek(json);
    const uint8_t *place = json->at;
    if (!tn_json_read_string(json, &word))
      return all;
    unsigned bit = from_name(word);
    if (!bit)
      tn_json_fail_at(json, place, TN_DATA_ERROR_MALFORMED, "%s: found \"%.40s\", expected %s", key,
                      word, example);
    all |= bit;
  }
  return all;
}

static unsigned
flag_of(const char *word)
{
  return tn_flag_from_name(word);
}

static unsigned
trait_of(const char *word)
{
  return tn_trait_from_name(word);
}

/* Labels, of the last op of each stream that uses the buffer. */
static void
read_last_ops(TnPlanReader *plan)
{
  int64_t op = 0;
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json)) {
    if (!tn_plan_read_at_least(plan, "last_ops", 0, &op))
      return;
    TnLastUse use = {plan->buffers->n, (uint32_t)MIN(op, (int64_t)TN_NONE)};
    g_array_append_val(plan->last_uses, use);
  }
}

/* [start, end] or [start, end, low, high]. */
static void
read_gap(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  tn_json_peek(json);
  const uint8_t *place = json->at;
  int64_t numbers[4] = {0};
  uint32_t n = 0, owner = plan->buffers->n;
  tn_json_begin_array(json);
  for (; tn_json_next_item(json); n++)
    if (n == 4 || !tn_plan_read_at_least(plan, "gaps", 0, &numbers[n]))
      break;
  TnGap gap = {numbers[0], numbers[1], numbers[2], numbers[3]};
  if ((n != 2 && n != 4) || gap.start >= gap.end || gap.low > gap.high)
    tn_json_fail_at(json, place, TN_DATA_ERROR_MALFORMED,
                    "gaps: expected [start, end] or [start, end, low, high], each low below its "
                    "high");
  if (gap.low == gap.high)
    gap.low = gap.high = 0;
  g_array_append_val(plan->gaps, gap);
  g_array_append_val(plan->gap_owners, owner);
}

static void
read_gaps(TnPlanReader *plan)
{
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json))
    read_gap(plan);
}

static void
read_group(TnPlanReader *plan, Row *row)
{
  g_autofree char *label = tn_plan_read_null(plan) ? NULL : dup_label(plan);
  if (!label)
    return;
  row->group = GPOINTER_TO_UINT(g_hash_table_lookup(plan->groups, label));
  if (row->group)
    return;
  row->group = g_hash_table_size(plan->groups) + 1;
  g_hash_table_insert(plan->groups, g_steal_pointer(&label), GUINT_TO_POINTER(row->group));
}

static void
read_kind(TnPlanReader *plan, Row *row)
{
  const char *word = NULL;
  if (!tn_json_read_string(&plan->json, &word))
    return;
  row->kind = tn_kind_from_name(word);
  if (row->kind == TN_KIND_UNKNOWN && strcmp(word, tn_kind_name(TN_KIND_UNKNOWN)) != 0)
    tn_diagnostics_count(plan->document->diagnostics, "unknown-kind",
                         "buffers of a kind that is not known here are shown as unknown");
}

static void
read_offset(TnPlanReader *plan, Row *row)
{
  if (!tn_plan_read_null(plan))
    tn_plan_read_at_least(plan, "offset", TN_NOT_PLACED, &row->offset);
}

/* Columns of one number each: where it goes, its least value, and whether it was there. */
static bool
read_number_key(TnPlanReader *plan, const char *key, Row *row)
{
  const struct {
    const char *key;
    int64_t least, *out;
    bool *has;
  } numbers[] = {
      {"start", 0, &row->start, &row->has_start}, {"end", 0, &row->end, &row->has_end},
      {"bytes", 0, &row->bytes, &row->has_bytes}, {"requested_bytes", 0, &row->requested, NULL},
      {"alignment", 1, &row->alignment, NULL},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    if (strcmp(key, numbers[i].key) != 0)
      continue;
    tn_plan_read_at_least(plan, numbers[i].key, numbers[i].least, numbers[i].out);
    if (numbers[i].has)
      *numbers[i].has = true;
    return true;
  }
  return false;
}

static void
read_row_key(TnPlanReader *plan, const char *key, Row *row)
{
  if (read_number_key(plan, key, row))
    return;
  if (strcmp(key, "id") == 0) {
    g_free(row->id);
    row->id = dup_label(plan);
  } else if (strcmp(key, "name") == 0) {
    row->name = tn_plan_read_null(plan) ? 0 : tn_plan_read_interned(plan);
  } else if (strcmp(key, "kind") == 0) {
    read_kind(plan, row);
  } else if (strcmp(key, "offset") == 0) {
    read_offset(plan, row);
  } else if (strcmp(key, "space") == 0) {
    read_reference(plan, "space", &row->space);
  } else if (strcmp(key, "op") == 0) {
    read_reference(plan, "op", &row->op);
  } else if (strcmp(key, "tensor") == 0 && tn_json_peek(&plan->json) == TN_JSON_NUMBER) {
    tn_plan_read_at_least(plan, "tensor", 0, &row->tensor);
  } else if (strcmp(key, "batch_label") == 0) {
    row->batch = tn_plan_read_null(plan) ? 0 : tn_plan_read_interned(plan);
  } else if (strcmp(key, "group") == 0) {
    read_group(plan, row);
  } else if (strcmp(key, "flags") == 0) {
    row->flags |= read_words(plan, flag_of, "flags", "a flag such as \"fixed\" or \"no-reuse\"");
  } else if (strcmp(key, "traits") == 0) {
    row->traits |=
        read_words(plan, trait_of, "traits", "a trait such as \"zero-copy\" or \"cleaned\"");
  } else if (strcmp(key, "last_ops") == 0) {
    read_last_ops(plan);
  } else if (strcmp(key, "stream") == 0) {
    if (!tn_plan_read_null(plan))
      tn_plan_read_at_least(plan, "stream", 0, &row->stream);
  } else if (strcmp(key, "gaps") == 0) {
    read_gaps(plan);
  } else {
    tn_json_skip(&plan->json);
  }
}

static int
compare_gaps(const void *a, const void *b)
{
  const TnGap *left = a, *right = b;
  return (left->start > right->start) - (left->start < right->start);
}

static bool
check_gaps(TnPlanReader *plan, const Row *row)
{
  guint n = plan->gaps->len - row->first_gap;
  TnGap *gaps = n ? &g_array_index(plan->gaps, TnGap, row->first_gap) : NULL;
  if (n > 1)
    qsort(gaps, n, sizeof *gaps, compare_gaps);
  for (guint g = 0; g < n; g++)
    if (gaps[g].start < (g ? gaps[g - 1].end : row->start) || gaps[g].end > row->end ||
        gaps[g].high > row->bytes)
      return tn_json_fail_at(&plan->json, row->place, TN_DATA_ERROR_MALFORMED,
                             "buffer %s: gaps: found [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                             ", …], expected gaps apart from one another, within the buffer's life "
                             "and size",
                             row->id, gaps[g].start, gaps[g].end);
  return true;
}

static bool
check_row(TnPlanReader *plan, const Row *row)
{
  TnJson *json = &plan->json;
  tn_bytes top;
  const char *missing = !row->id          ? "id"
                        : !row->has_start ? "start"
                        : !row->has_end   ? "end"
                        : !row->has_bytes ? "bytes"
                                          : NULL;
  if (missing)
    return tn_json_fail_at(json, row->place, TN_DATA_ERROR_MALFORMED,
                           "buffers[%u]: found no key \"%s\", expected it", plan->buffers->n,
                           missing);
  if (row->start >= row->end)
    return tn_json_fail_at(json, row->place, TN_DATA_ERROR_MALFORMED,
                           "buffer %s: end: found %" G_GINT64_FORMAT
                           ", expected more than its start %" G_GINT64_FORMAT,
                           row->id, row->end, row->start);
  if (row->offset >= 0 && !tn_add(row->offset, row->bytes, &top))
    return tn_json_fail_at(json, row->place, TN_DATA_ERROR_MALFORMED,
                           "buffer %s: offset + bytes do not fit into 64 bits", row->id);
  if (g_hash_table_contains(plan->ids, row->id))
    return tn_json_fail_at(json, row->place, TN_DATA_ERROR_MALFORMED,
                           "buffers[%u]: id: found %s, which buffers[%u] has; expected another",
                           plan->buffers->n, row->id,
                           GPOINTER_TO_UINT(g_hash_table_lookup(plan->ids, row->id)) - 1);
  return check_gaps(plan, row);
}

static void
add_row(TnPlanReader *plan, Row *row)
{
  TnBuffers *b = plan->buffers;
  tn_buffers_need(
      b, (row->requested >= 0 && row->requested != row->bytes ? TN_COLUMN_REQUESTED : 0u) |
             (row->alignment > 1 ? TN_COLUMN_ALIGNMENT : 0u) | (row->name ? TN_COLUMN_NAME : 0u) |
             (row->batch ? TN_COLUMN_BATCH : 0u) | (row->group ? TN_COLUMN_GROUP : 0u) |
             (row->tensor >= 0 ? TN_COLUMN_TENSOR : 0u) |
             (row->stream >= 0 ? TN_COLUMN_STREAM : 0u) | (row->traits ? TN_COLUMN_TRAITS : 0u));
  tn_index i = tn_buffers_add(b, row->start, row->end, row->bytes, row->kind);
  b->offset[i] = row->offset;
  b->flags[i] = (uint8_t)row->flags;
  if (b->requested && row->requested >= 0)
    b->requested[i] = row->requested;
  if (b->alignment)
    b->alignment[i] = row->alignment;
  if (b->name)
    b->name[i] = row->name;
  if (b->batch)
    b->batch[i] = row->batch;
  if (b->group)
    b->group[i] = row->group;
  if (b->tensor)
    b->tensor[i] = row->tensor >= 0 && row->tensor < TN_NONE ? (uint32_t)row->tensor : TN_NONE;
  if (b->stream)
    b->stream[i] = row->stream >= 0 && row->stream < TN_NONE ? (uint32_t)row->stream : TN_NONE;
  if (b->traits)
    b->traits[i] = row->traits;
  g_array_append_val(plan->space_refs, row->space);
  g_array_append_val(plan->op_refs, row->op);
  g_hash_table_insert(plan->ids, g_steal_pointer(&row->id), GUINT_TO_POINTER(i + 1));
}

static bool
read_row(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  const char *key;
  tn_json_peek(json);
  Row row = {.place = json->at,
             .alignment = 1,
             .offset = TN_NOT_PLACED,
             .requested = -1,
             .tensor = -1,
             .stream = -1,
             .space = {json->at, -1, 0},
             .op = {json->at, -1, 0},
             .first_gap = plan->gaps->len};
  tn_json_begin_object(json);
  while (tn_json_next_key(json, &key))
    read_row_key(plan, key, &row);
  bool is_good = !tn_json_has_failed(json) && check_row(plan, &row);
  if (is_good)
    add_row(plan, &row);
  g_free(row.id);
  return is_good;
}

void
tn_plan_read_buffers(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  plan->has_buffers = true;
  tn_json_begin_array(json);
  while (tn_json_next_item(json) && read_row(plan)) {
    if (plan->buffers->n % BUFFERS_PER_REPORT != 0)
      continue;
    tn_progress_report(plan->options->progress,
                       (double)(json->at - json->start) / (double)plan->size, "Reading buffers");
    if (tn_progress_is_cancelled(plan->options->progress))
      tn_json_fail(json, TN_DATA_ERROR_CANCELLED, "reading was cancelled");
  }
}
