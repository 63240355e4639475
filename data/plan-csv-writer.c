/* SPDX-License-Identifier: MIT */
/* Plans as CSV with MiniMalloc's columns, and ours for what would else be another problem: labels, groups,
 * flags and streams decide which places two buffers may share.  Printed directly: a plan may have a
 * million buffers. */
#include "config.h"

#include "data/hash.h"
#include "data/units.h"
#include "data/write.h"

#include <string.h>

/* Flags that say what a place may be; the others tell of a log. */
#define BINDING (TN_BUFFER_FIXED | TN_BUFFER_NO_REUSE | TN_BUFFER_UNSIZED | TN_BUFFER_GROUP_PADDED)

#define MOST_ARENAS 4 /* named one by one */

typedef struct {
  bool has_alignment, has_gaps, has_spaces, has_offset;
  bool has_batches, has_groups, has_flags, has_streams, has_traits;
  GPtrArray *spaces;  /* owned text: a name for each, of its own */
  GHashTable *counts; /* string id of a name → how many buffers have it */
  GHashTable *taken;  /* ids in use: names as they are, and those made here; NULL: none was made */
  GPtrArray *made;    /* owned text of the latter */
} CsvShape;

/* The spaces' names; of those that share one all but the first are called `name#space`. */
static GPtrArray *
name_spaces(const TnPlanOutput *plan)
{
  const GPtrArray *names = plan->device->space_names;
  GPtrArray *spaces = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) taken = g_hash_table_new(tn_text_hash, g_str_equal);
  for (guint s = 0; names && s < names->len; s++)
    g_hash_table_add(taken, g_ptr_array_index(names, s));
  g_autoptr(GHashTable) used = g_hash_table_new(tn_text_hash, g_str_equal);
  for (guint s = 0; names && s < names->len; s++) {
    char *name = g_strdelimit(g_strdup(g_ptr_array_index(names, s)), "\r\n", ' ');
    bool is_own = strcmp(name, g_ptr_array_index(names, s)) == 0;
    while (g_hash_table_contains(used, name) || (!is_own && g_hash_table_contains(taken, name))) {
      char *longer = g_strdup_printf("%s#%u", name, s);
      g_free(name);
      name = longer;
      is_own = false;
    }
    g_hash_table_add(used, name);
    g_ptr_array_add(spaces, name);
  }
  return spaces;
}

static void
shape_ours(CsvShape *shape, const TnBuffers *b, tn_index i, uint32_t *stream)
{
  uint32_t own = tn_buffers_stream(b, i);
  shape->has_batches |= b->batch && b->batch[i];
  shape->has_groups |= b->group && b->group[i];
  shape->has_flags |= (b->flags[i] & BINDING) != 0;
  shape->has_traits |= tn_buffers_traits(b, i) != 0;
  shape->has_streams |= own != TN_NONE && *stream != TN_NONE && own != *stream;
  *stream = own == TN_NONE ? *stream : own;
}

static CsvShape
csv_shape(const TnPlanOutput *plan)
{
  uint32_t stream = TN_NONE;
  const TnBuffers *b = plan->buffers;
  CsvShape shape = {.counts = g_hash_table_new(NULL, NULL),
                    .made = g_ptr_array_new_with_free_func(g_free),
                    .spaces = name_spaces(plan),
                    .has_gaps = b->gap_first != NULL};
  for (tn_index i = 0; i < b->n; i++) {
    gpointer key = GUINT_TO_POINTER(tn_buffers_name(b, i));
    shape.has_alignment |= tn_buffers_alignment(b, i) > 1;
    shape.has_spaces |= tn_buffers_space(b, i) != 0;
    shape.has_offset |= tn_plan_output_offset(plan, i) != TN_NOT_PLACED;
    shape_ours(&shape, b, i, &stream);
    if (b->name)
      g_hash_table_insert(
          shape.counts, key,
          GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(shape.counts, key)) + 1));
  }
  return shape;
}

static void
put_csv_text(GString *out, const char *text)
{
  bool is_plain = !strpbrk(text, ",\"") && *text != ' ' && *text != '\t';
  gsize n = strlen(text);
  if (is_plain && n && !strpbrk(text, "\r\n") && text[n - 1] != ' ' && text[n - 1] != '\t') {
    g_string_append_len(out, text, (gssize)n);
    return;
  }
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c(out, '"');
    g_string_append_c(out, *text == '\n' || *text == '\r' ? ' ' : *text);
  }
  g_string_append_c(out, '"');
}

static void
csv_shape_clear(CsvShape *shape)
{
  g_hash_table_unref(shape->counts);
  g_clear_pointer(&shape->taken, g_hash_table_unref);
  g_ptr_array_unref(shape->made);
  g_ptr_array_unref(shape->spaces);
}

static bool
is_alone(const CsvShape *shape, uint32_t name)
{
  return name && GPOINTER_TO_UINT(g_hash_table_lookup(shape->counts, GUINT_TO_POINTER(name))) == 1;
}

/* Whether one buffer alone has the name, and a line holds it as it is. */
static bool
is_id(const CsvShape *shape, uint32_t name, const char *text)
{
  return is_alone(shape, name) && !strpbrk(text, "\r\n");
}

static void
take_names(const TnPlanOutput *plan, CsvShape *shape)
{
  shape->taken = g_hash_table_new(tn_text_hash, g_str_equal);
  for (tn_index i = 0; i < plan->buffers->n; i++) {
    uint32_t name = tn_buffers_name(plan->buffers, i);
    const char *text = tn_strings_get(plan->document->strings, name);
    if (is_id(shape, name, text))
      g_hash_table_add(shape->taken, (gpointer)text);
  }
}

/* The row follows the name until no other buffer is called so. */
static const char *
make_csv_id(const TnPlanOutput *plan, CsvShape *shape, uint32_t name, tn_index i)
{
  const char *text = tn_strings_get(plan->document->strings, name);
  char *own = is_alone(shape, name) ? g_strdup(text) : g_strdup_printf("%s#%u", text, i);
  if (!shape->taken)
    take_names(plan, shape);
  g_strdelimit(own, "\r\n", ' ');
  while (g_hash_table_contains(shape->taken, own)) {
    char *longer = g_strdup_printf("%s#%u", own, i);
    g_free(own);
    own = longer;
  }
  g_hash_table_add(shape->taken, own);
  g_ptr_array_add(shape->made, own);
  return own;
}

static void
put_csv_id(GString *out, const TnPlanOutput *plan, CsvShape *shape, tn_index i)
{
  uint32_t name = tn_buffers_name(plan->buffers, i);
  const char *text = tn_strings_get(plan->document->strings, name);
  if (!plan->buffers->name)
    g_string_append_printf(out, "%u", i);
  else
    put_csv_text(out, is_id(shape, name, text) ? text : make_csv_id(plan, shape, name, i));
}

static void
put_csv_gaps(GString *out, const TnBuffers *b, tn_index i)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n);
  g_string_append_c(out, ',');
  for (uint32_t g = 0; g < n; g++) {
    g_string_append_printf(out,
                           g ? " %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
                             : "%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT,
                           gaps[g].start, gaps[g].end);
    if (gaps[g].high > gaps[g].low)
      g_string_append_printf(out, "@%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, gaps[g].low,
                             gaps[g].high);
  }
}

static void
put_csv_int(GString *out, int64_t value)
{
  g_string_append_printf(out, ",%" G_GINT64_FORMAT, value);
}

static void
put_csv_words(GString *out, unsigned bits, const char *(*name_of)(unsigned bit))
{
  const char *before = ",";
  if (!bits)
    g_string_append_c(out, ',');
  for (unsigned bit = 0; name_of(bit); bit++)
    if (bits & 1u << bit) {
      g_string_append_printf(out, "%s%s", before, name_of(bit));
      before = " ";
    }
}

/* A line holds no line end: the label is then told apart by its number. */
static void
put_csv_batch(GString *out, const TnPlanOutput *plan, uint32_t batch)
{
  const char *text = tn_strings_get(plan->document->strings, batch);
  g_autofree char *own = strpbrk(text, "\r\n") ? g_strdup_printf("%s#%u", text, batch) : NULL;
  g_string_append_c(out, ',');
  if (batch)
    put_csv_text(out, own ? own : text);
}

/* What MiniMalloc has no columns for. */
static void
put_csv_ours(GString *out, const TnPlanOutput *plan, const CsvShape *shape, tn_index i)
{
  const TnBuffers *b = plan->buffers;
  if (shape->has_batches)
    put_csv_batch(out, plan, b->batch[i]);
  if (shape->has_groups && b->group[i])
    put_csv_int(out, b->group[i] - 1);
  else if (shape->has_groups)
    g_string_append_c(out, ',');
  if (shape->has_flags)
    put_csv_words(out, b->flags[i] & BINDING, tn_flag_name);
  if (shape->has_streams && tn_buffers_stream(b, i) != TN_NONE)
    put_csv_int(out, b->stream[i]);
  else if (shape->has_streams)
    g_string_append_c(out, ',');
  if (shape->has_traits)
    put_csv_words(out, tn_buffers_traits(b, i), tn_trait_name);
}

static void
put_csv_row(GString *out, const TnPlanOutput *plan, CsvShape *shape, tn_index i)
{
  const TnBuffers *b = plan->buffers;
  uint32_t space = tn_buffers_space(b, i);
  put_csv_id(out, plan, shape, i);
  put_csv_int(out, b->start[i]);
  put_csv_int(out, b->end[i]);
  put_csv_int(out, b->bytes[i]);
  if (shape->has_alignment)
    put_csv_int(out, tn_buffers_alignment(b, i));
  if (shape->has_gaps)
    put_csv_gaps(out, b, i);
  if (shape->has_spaces) {
    g_string_append_c(out, ',');
    if (space < shape->spaces->len)
      put_csv_text(out, g_ptr_array_index(shape->spaces, space));
    else
      g_string_append_printf(out, "%u", space);
  }
  if (shape->has_offset)
    put_csv_int(out, tn_plan_output_offset(plan, i));
  put_csv_ours(out, plan, shape, i);
  g_string_append_c(out, '\n');
}

static void
put_csv_header(GString *out, const CsvShape *shape)
{
  const struct {
    bool is_there;
    const char *name;
  } columns[] = {{shape->has_alignment, "alignment"}, {shape->has_gaps, "gaps"},
                 {shape->has_spaces, "space"},        {shape->has_offset, "offset"},
                 {shape->has_batches, "batch_label"}, {shape->has_groups, "contiguous_group"},
                 {shape->has_flags, "flags"},         {shape->has_streams, "stream"},
                 {shape->has_traits, "traits"}};
  g_string_append(out, "id,lower,upper,size");
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++)
    if (columns[i].is_there)
      g_string_append_printf(out, ",%s", columns[i].name);
  g_string_append_c(out, '\n');
}

char *
tn_plan_build_csv(const TnPlanOutput *plan)
{
  GString *out = g_string_sized_new(64 + 48 * (gsize)plan->buffers->n);
  CsvShape shape = csv_shape(plan);
  put_csv_header(out, &shape);
  for (tn_index i = 0; i < plan->buffers->n; i++)
    put_csv_row(out, plan, &shape, i);
  csv_shape_clear(&shape);
  return g_string_free(out, FALSE);
}

/* ---- what is left out -------------------------------------------------------------------- */

/* The arenas that a reader makes of the offsets, by space; 0: nothing has a place there.  Owned by the caller. */
static tn_bytes *
dup_arenas_of_offsets(const TnPlanOutput *plan, uint32_t n_spaces)
{
  tn_bytes *arena = g_new0(tn_bytes, n_spaces), top;
  for (tn_index i = 0; i < plan->buffers->n; i++) {
    tn_bytes offset = tn_plan_output_offset(plan, i);
    uint32_t space = MIN(tn_buffers_space(plan->buffers, i), n_spaces - 1);
    if (offset != TN_NOT_PLACED && plan->buffers->bytes[i] > 0 && tn_add(offset, plan->buffers->bytes[i], &top))
      arena[space] = MAX(arena[space], top);
  }
  return arena;
}

static void
add_arena(GPtrArray *parts, const TnPlanOutput *plan, tn_bytes arena, const char *space)
{
  char size[48];
  bool is_named = space && *space && plan->n_spaces > 1;
  g_ptr_array_add(parts, g_strdup_printf("an arena of %s%s%s", tn_print_bytes(size, sizeof size, arena, TN_UNITS_IEC),
                                         is_named ? " in " : "", is_named ? space : ""));
}

/* Arenas that are not the offsets' own: the only one, each space's, or all spaces' together. */
static void
add_arenas(GPtrArray *parts, const TnPlanOutput *plan)
{
  uint32_t n_spaces = MAX(plan->n_spaces, 1u), n_lost = 0;
  const GPtrArray *names = plan->device->space_names;
  g_autofree tn_bytes *arena = dup_arenas_of_offsets(plan, n_spaces);
  tn_bytes sum = 0;
  for (uint32_t s = 0; s < n_spaces; s++) {
    bool is_lost = plan->space_arena_bytes && plan->space_arena_bytes[s] >= 0 && plan->space_arena_bytes[s] != arena[s];
    if (is_lost && n_lost++ < MOST_ARENAS)
      add_arena(parts, plan, plan->space_arena_bytes[s], names && s < names->len ? names->pdata[s] : NULL);
    if (!tn_add(sum, arena[s], &sum))
      sum = TN_BYTES_UNKNOWN;
  }
  if (n_lost > MOST_ARENAS)
    g_ptr_array_add(parts, g_strdup_printf("%u more arenas", n_lost - MOST_ARENAS));
  if (n_lost == 0 && plan->arena_bytes >= 0 && plan->arena_bytes != sum)
    add_arena(parts, plan, plan->arena_bytes, NULL);
}

/* GE's planner puts what the caller gives into another region than what it takes back. */
static bool
has_callers_inputs(const TnBuffers *b)
{
  for (tn_index i = 0; i < b->n; i++)
    if (b->kind[i] == TN_KIND_INPUT && tn_buffers_traits(b, i) & TN_TRAIT_ZERO_COPY)
      return true;
  return false;
}

char *
tn_plan_build_csv_losses(const TnPlanOutput *plan)
{
  char size[48];
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
  if (tn_document_has_many_streams(plan->document))
    g_ptr_array_add(parts, g_strdup("which stream waits for which"));
  if (plan->resident_bytes > 0)
    g_ptr_array_add(parts, g_strdup_printf("residents of %s", tn_print_bytes(size, sizeof size, plan->resident_bytes,
                                                                             TN_UNITS_IEC)));
  if (has_callers_inputs(plan->buffers))
    g_ptr_array_add(parts, g_strdup("which zero-copy buffers are inputs"));
  add_arenas(parts, plan);
  if (plan->document->actions)
    g_ptr_array_add(parts, g_strdup("what is moved and computed again"));
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add(parts, NULL);
  return g_strjoinv(", ", (char **)parts->pdata);
}
