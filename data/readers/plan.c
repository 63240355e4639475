/* SPDX-License-Identifier: MIT */
/* Our own plans, `"format": "tenure-plan"`: see documents.md and data/plan-writer.c.
 *
 * Keys may come in any order, so what refers to something (a space, an op) is kept as it stands and
 * resolved when the whole document has been read. */
#include "config.h"

#include "data/readers/plan-reader.h"

#include "data/hash.h"
#include "data/readers/readers.h"

#include <string.h>

#define PLAN_VERSION 1

uint32_t
tn_plan_read_interned(TnPlanReader *plan)
{
  const char *text = NULL;
  if (!tn_json_read_string(&plan->json, &text))
    return 0;
  return tn_strings_intern(plan->document->strings, text, -1);
}

char *
tn_plan_dup_string(TnPlanReader *plan)
{
  const char *text = NULL;
  return tn_json_read_string(&plan->json, &text) ? g_strdup(text) : NULL;
}

bool
tn_plan_read_at_least(TnPlanReader *plan, const char *key, int64_t least, int64_t *out)
{
  tn_json_peek(&plan->json);
  const uint8_t *place = plan->json.at;
  if (!tn_json_read_int(&plan->json, out))
    return false;
  if (*out >= least)
    return true;
  return tn_json_fail_at(&plan->json, place, TN_DATA_ERROR_MALFORMED,
                         "%s: found %" G_GINT64_FORMAT ", expected at least %" G_GINT64_FORMAT, key,
                         *out, least);
}

bool
tn_plan_read_null(TnPlanReader *plan)
{
  return tn_json_peek(&plan->json) == TN_JSON_NULL && tn_json_skip(&plan->json);
}

/* ---- what stands around them ----------------------------------------------------------- */

static void
read_labels(TnPlanReader *plan)
{
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json)) {
    uint32_t name = tn_plan_read_interned(plan);
    g_array_append_val(plan->labels, name);
  }
  plan->has_labels = true;
}

static void
read_axis_unit(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  const char *unit = NULL;
  tn_json_peek(json);
  const uint8_t *place = json->at;
  if (!tn_json_read_string(json, &unit))
    return;
  for (TnAxisUnit known = TN_AXIS_EVENT; known <= TN_AXIS_US; known++)
    if (strcmp(unit, tn_axis_unit_name(known)) == 0) {
      plan->device->axis = known;
      return;
    }
  tn_json_fail_at(json, place, TN_DATA_ERROR_MALFORMED,
                  "axis.unit: found \"%.40s\", expected \"step\", \"event\" or \"us\"", unit);
}

static void
read_axis(TnPlanReader *plan)
{
  const char *key;
  plan->has_axis = true;
  plan->document->ticks_per_op = 1;
  tn_json_begin_object(&plan->json);
  while (tn_json_next_key(&plan->json, &key)) {
    if (strcmp(key, "unit") == 0)
      read_axis_unit(plan);
    else if (strcmp(key, "end") == 0)
      plan->has_axis_end = tn_plan_read_at_least(plan, "axis.end", 0, &plan->device->axis_end);
    else if (strcmp(key, "labels") == 0)
      read_labels(plan);
    else if (strcmp(key, "ticks_per_label") == 0)
      tn_plan_read_at_least(plan, "axis.ticks_per_label", 0, &plan->document->ticks_per_op);
    else
      tn_json_skip(&plan->json);
  }
}

static void
read_spaces(TnPlanReader *plan)
{
  TnDevice *device = plan->device;
  const char *key;
  plan->has_spaces = true;
  device->space_names = g_ptr_array_new_with_free_func(g_free);
  device->space_arena = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json)) {
    g_autofree char *name = NULL;
    tn_bytes arena = TN_BYTES_UNKNOWN;
    tn_json_begin_object(&plan->json);
    while (tn_json_next_key(&plan->json, &key)) {
      if (strcmp(key, "name") == 0 && !name)
        name = tn_plan_dup_string(plan);
      else if (strcmp(key, "arena_bytes") == 0)
        tn_plan_read_at_least(plan, "spaces: arena_bytes", 0, &arena);
      else
        tn_json_skip(&plan->json);
    }
    g_ptr_array_add(device->space_names, name ? g_steal_pointer(&name) : g_strdup(""));
    g_array_append_val(device->space_arena, arena);
  }
}

/* The streams of the labels, in their order. */
static void
read_op_streams(TnPlanReader *plan)
{
  GArray *streams = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  int64_t number = 0;
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json)) {
    if (!tn_plan_read_at_least(plan, "streams.of_label", 0, &number))
      break;
    uint32_t stream = (uint32_t)MIN(number, (int64_t)TN_NONE - 1);
    g_array_append_val(streams, stream);
  }
  plan->document->op_streams = streams;
}

/* [[from, to], …]: labels. */
static void
read_waits(TnPlanReader *plan)
{
  plan->document->waits = g_array_new(FALSE, FALSE, sizeof(TnWait));
  tn_json_begin_array(&plan->json);
  while (tn_json_next_item(&plan->json)) {
    int64_t pair[2] = {0};
    uint32_t n = 0;
    tn_json_peek(&plan->json);
    const uint8_t *place = plan->json.at;
    tn_json_begin_array(&plan->json);
    for (; tn_json_next_item(&plan->json); n++)
      if (n == 2 || !tn_plan_read_at_least(plan, "streams.waits", 0, &pair[n]))
        break;
    TnWait wait = {(uint32_t)MIN(pair[0], (int64_t)TN_NONE), (uint32_t)MIN(pair[1], (int64_t)TN_NONE)};
    if (n != 2)
      tn_json_fail_at(&plan->json, place, TN_DATA_ERROR_MALFORMED,
                      "streams.waits: expected [from, to], two of `axis.labels`");
    g_array_append_val(plan->document->waits, wait);
  }
}

static void
read_streams(TnPlanReader *plan)
{
  const char *key;
  tn_json_begin_object(&plan->json);
  while (tn_json_next_key(&plan->json, &key))
    if (strcmp(key, "of_label") == 0 && !plan->document->op_streams)
      read_op_streams(plan);
    else if (strcmp(key, "waits") == 0 && !plan->document->waits)
      read_waits(plan);
    else
      tn_json_skip(&plan->json);
}

static void
read_format(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  const char *format = NULL;
  tn_json_peek(json);
  const uint8_t *place = json->at;
  if (tn_json_read_string(json, &format) && strcmp(format, "tenure-plan") != 0)
    tn_json_fail_at(json, place, TN_DATA_ERROR_UNSUPPORTED,
                    "format: found \"%.40s\", expected \"tenure-plan\"", format);
  plan->has_format = true;
}

static void
read_version(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  int64_t version = 0;
  tn_json_peek(json);
  const uint8_t *place = json->at;
  if (tn_json_read_int(json, &version) && version != PLAN_VERSION)
    tn_json_fail_at(json, place, TN_DATA_ERROR_UNSUPPORTED,
                    "version: found %" G_GINT64_FORMAT ", expected %d", version, PLAN_VERSION);
  plan->has_version = true;
}

static void
read_text_key(TnPlanReader *plan, char **text)
{
  g_free(*text);
  *text = tn_plan_read_null(plan) ? NULL : tn_plan_dup_string(plan);
}

/* Nobody here runs them: they are handed on as they stand, to who does. */
static void
read_actions(TnPlanReader *plan)
{
  bool is_list = tn_json_peek(&plan->json) == TN_JSON_ARRAY;
  const uint8_t *begin = plan->json.at;
  if (!tn_json_skip(&plan->json) || !is_list || plan->document->actions)
    return;
  plan->document->actions = g_utf8_make_valid((const char *)begin, (gssize)(plan->json.at - begin));
}

static void
read_top_key(TnPlanReader *plan, const char *key)
{
  TnDocument *document = plan->document;
  if (strcmp(key, "format") == 0)
    read_format(plan);
  else if (strcmp(key, "version") == 0)
    read_version(plan);
  else if (strcmp(key, "axis") == 0 && !plan->has_axis)
    read_axis(plan);
  else if (strcmp(key, "spaces") == 0 && !plan->has_spaces)
    read_spaces(plan);
  else if (strcmp(key, "buffers") == 0 && !plan->has_buffers)
    tn_plan_read_buffers(plan);
  else if (strcmp(key, "streams") == 0)
    read_streams(plan);
  else if (strcmp(key, "strategy") == 0)
    read_text_key(plan, &document->strategy);
  else if (strcmp(key, "lifetime_model") == 0)
    read_text_key(plan, &document->lifetime_model);
  else if (strcmp(key, "actions") == 0)
    read_actions(plan);
  else if (tn_plan_read_null(plan))
    return;
  else if (strcmp(key, "lower_bound_bytes") == 0)
    tn_plan_read_at_least(plan, "lower_bound_bytes", TN_BYTES_UNKNOWN,
                          &document->lower_bound_bytes);
  else if (strcmp(key, "arena_bytes") == 0)
    tn_plan_read_at_least(plan, "arena_bytes", TN_BYTES_UNKNOWN, &plan->device->arena_bytes);
  else if (strcmp(key, "resident_bytes") == 0)
    tn_plan_read_at_least(plan, "resident_bytes", 0, &document->resident_bytes);
  else if (strcmp(key, "optimal") == 0)
    tn_json_read_bool(&plan->json, &document->claims_optimal);
  else
    tn_json_skip(&plan->json);
}

/* ---- references, once all is read ------------------------------------------------------ */

static bool
fail_reference(TnPlanReader *plan,
               tn_index i,
               const char *key,
               const TnPlanReference *reference,
               const char *expected)
{
  g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, reference->number);
  const char *name = tn_strings_get(plan->document->strings, reference->name);
  g_autofree char *quoted = g_strdup_printf("\"%.40s\"", name);
  return tn_json_fail_at(&plan->json, reference->place, TN_DATA_ERROR_MALFORMED,
                         "buffers[%u] \"%s\": %s: found %s, expected %s", i,
                         tn_strings_get(plan->document->strings, tn_buffers_name(plan->buffers, i)),
                         key, reference->number >= 0 ? number : quoted, expected);
}

/* String id → space + 1; of two with one name the first. */
static GHashTable *
spaces_by_name(const TnPlanReader *plan)
{
  GHashTable *by_name = g_hash_table_new(NULL, NULL);
  const GPtrArray *names = plan->device->space_names;
  for (guint s = names ? names->len : 0; s-- > 0;)
    g_hash_table_insert(
        by_name, GUINT_TO_POINTER(tn_strings_intern(plan->document->strings, g_ptr_array_index(names, s), -1)),
        GUINT_TO_POINTER(s + 1));
  return by_name;
}

static bool
resolve_space(TnPlanReader *plan, GHashTable *by_name, tn_index i)
{
  const TnPlanReference *reference = &g_array_index(plan->space_refs, TnPlanReference, i);
  const GPtrArray *names = plan->device->space_names;
  uint32_t n = names ? names->len : 1, space = n;
  if (reference->number < 0 && !reference->name)
    return true;
  gpointer named = reference->name ? g_hash_table_lookup(by_name, GUINT_TO_POINTER(reference->name)) : NULL;
  if (reference->number >= 0 && reference->number < n)
    space = (uint32_t)reference->number;
  else if (named)
    space = GPOINTER_TO_UINT(named) - 1;
  if (space == n)
    return fail_reference(plan, i, "space", reference, "the number or the name of one of `spaces`");
  if (space == 0)
    return true;
  tn_buffers_need(plan->buffers, TN_COLUMN_SPACE);
  plan->buffers->space[i] = space;
  return true;
}

static bool
resolve_op(TnPlanReader *plan, GHashTable *by_name, tn_index i)
{
  const TnPlanReference *reference = &g_array_index(plan->op_refs, TnPlanReference, i);
  if (reference->number < 0 && !reference->name)
    return true;
  uint32_t name = reference->name, op = TN_NONE;
  if (!name && !plan->has_labels) {
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, reference->number);
    name = tn_strings_intern(plan->document->strings, text, -1);
  }
  gpointer had = g_hash_table_lookup(by_name, GUINT_TO_POINTER(name));
  if (!name && reference->number < plan->labels->len)
    op = (uint32_t)reference->number;
  else if (name && had)
    op = GPOINTER_TO_UINT(had) - 1;
  else if (name && !plan->has_labels) {
    op = plan->labels->len;
    g_array_append_val(plan->labels, name);
    g_hash_table_insert(by_name, GUINT_TO_POINTER(name), GUINT_TO_POINTER(op + 1));
  }
  if (op == TN_NONE)
    return fail_reference(plan, i, "op", reference, "one of `axis.labels`");
  tn_buffers_need(plan->buffers, TN_COLUMN_OP);
  plan->buffers->op[i] = op;
  return true;
}

static bool
fail_label(TnPlanReader *plan, const char *key, uint32_t found)
{
  return tn_json_fail_at(&plan->json, plan->json.start, TN_DATA_ERROR_MALFORMED,
                         "%s: found %u, expected one of the %u `axis.labels`", key, found,
                         plan->labels->len);
}

/* What speaks of ops by their labels, once all labels are known. */
static bool
resolve_streams(TnPlanReader *plan)
{
  TnDocument *document = plan->document;
  uint32_t n = plan->labels->len;
  if (document->op_streams && document->op_streams->len != n)
    return fail_label(plan, "streams.of_label: its length", document->op_streams->len);
  for (guint i = 0; document->waits && i < document->waits->len; i++) {
    const TnWait *wait = &g_array_index(document->waits, TnWait, i);
    if (MAX(wait->from, wait->to) >= n)
      return fail_label(plan, "streams.waits", MAX(wait->from, wait->to));
  }
  for (guint i = 0; i < plan->last_uses->len; i++)
    if (g_array_index(plan->last_uses, TnLastUse, i).op >= n)
      return fail_label(plan, "last_ops", g_array_index(plan->last_uses, TnLastUse, i).op);
  if (tn_document_has_many_streams(document) && !plan->last_uses->len)
    tn_diagnostics_add(document->diagnostics, "last-ops-unknown", 1,
                       "the ops run on several streams, and no buffer says which op of each stream uses it "
                       "last (`last_ops`): the op at the end of its life stands for them");
  if (plan->last_uses->len)
    plan->device->last_uses = g_array_ref(plan->last_uses);
  return true;
}

static bool
resolve(TnPlanReader *plan)
{
  g_autoptr(GHashTable) by_name = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) spaces = spaces_by_name(plan);
  for (guint op = plan->labels->len; op-- > 0;)
    g_hash_table_insert(by_name, GUINT_TO_POINTER(g_array_index(plan->labels, uint32_t, op)),
                        GUINT_TO_POINTER(op + 1));
  for (tn_index i = 0; i < plan->buffers->n; i++) {
    if (plan->buffers->end[i] > plan->device->axis_end)
      return tn_json_fail_at(&plan->json, g_array_index(plan->space_refs, TnPlanReference, i).place,
                             TN_DATA_ERROR_MALFORMED,
                             "buffers[%u]: end: found %" G_GINT64_FORMAT
                             ", expected at most axis.end, %" G_GINT64_FORMAT,
                             i, plan->buffers->end[i], plan->device->axis_end);
    if (!resolve_space(plan, spaces, i) || !resolve_op(plan, by_name, i))
      return false;
  }
  if (!plan->has_labels)
    plan->document->ticks_per_op = 0;
  if (plan->labels->len)
    plan->document->op_names = g_array_ref(plan->labels);
  return resolve_streams(plan);
}

static bool
check_top(TnPlanReader *plan)
{
  const char *missing = !plan->has_format     ? "format"
                        : !plan->has_version  ? "version"
                        : !plan->has_axis     ? "axis"
                        : !plan->has_axis_end ? "axis.end"
                        : !plan->has_buffers  ? "buffers"
                                              : NULL;
  return !missing || tn_json_fail_at(&plan->json, plan->json.start, TN_DATA_ERROR_MALFORMED,
                                     "found no key \"%s\" in the plan, expected it", missing);
}

static bool
read_all(TnPlanReader *plan)
{
  TnJson *json = &plan->json;
  const char *key;
  tn_json_begin_object(json);
  while (tn_json_next_key(json, &key))
    read_top_key(plan, key);
  if (!tn_json_expect_end(json) || !check_top(plan) || !resolve(plan))
    return false;
  tn_buffers_set_gaps(plan->buffers, (const TnGap *)(void *)plan->gaps->data,
                      (const tn_index *)(void *)plan->gap_owners->data, plan->gaps->len);
  return true;
}

static bool
read_plan(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  TnPlanReader plan = {.options = options, .size = source->size, .document = document};
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("Tenure");
  plan.device = tn_document_device(document, 0);
  plan.device->axis = TN_AXIS_STEP;
  plan.buffers = plan.device->buffers = tn_buffers_new();
  plan.ids = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  plan.groups = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  plan.space_refs = g_array_new(FALSE, FALSE, sizeof(TnPlanReference));
  plan.op_refs = g_array_new(FALSE, FALSE, sizeof(TnPlanReference));
  plan.gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  plan.gap_owners = g_array_new(FALSE, FALSE, sizeof(tn_index));
  plan.labels = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  plan.last_uses = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  tn_json_init(&plan.json, source->name, source->data, source->size, error);
  bool is_good = read_all(&plan);
  tn_json_clear(&plan.json);
  g_hash_table_unref(plan.ids);
  g_hash_table_unref(plan.groups);
  g_array_unref(plan.space_refs);
  g_array_unref(plan.op_refs);
  g_array_unref(plan.gaps);
  g_array_unref(plan.gap_owners);
  g_array_unref(plan.labels);
  g_array_unref(plan.last_uses);
  return is_good;
}

static int
sniff_plan(const uint8_t *data, gsize size, const char *name)
{
  gsize at = tn_text_start(data, size);
  if (at == size || data[at] != '{')
    return 0;
  return memmem(data, MIN(size, (gsize)65536), "\"tenure-plan\"", 13) ? 98 : 0;
}

const TnReader tn_reader_plan = {
    .name = "tenure-plan",
    .holds = "Tenure's own plans: buffers with lives and offsets, as JSON",
    .patterns = "*.json",
    .sniff = sniff_plan,
    .read = read_plan,
};
