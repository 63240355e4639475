/* SPDX-License-Identifier: MIT */
/* Columns that MiniMalloc does not have (data/plan-csv-writer.c): spaces, and what else decides who may share a
 * place.  Other programs may mean other things by these names: what is not understood is left out. */
#include "config.h"

#include "data/readers/csv-private.h"

#include <string.h>

static void
read_space(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_SPACE];
  GPtrArray *names = csv->device->space_names;
  uint32_t name =
      tn_strings_intern(csv->document->strings, (const char *)field->text, (gssize)field->length);
  gpointer key = GUINT_TO_POINTER(name), had;
  if (!g_hash_table_lookup_extended(csv->spaces, key, NULL, &had)) {
    had = GUINT_TO_POINTER(names->len);
    g_hash_table_insert(csv->spaces, key, had);
    g_ptr_array_add(names, g_strdup(tn_strings_get(csv->document->strings, name)));
  }
  csv->buffers->space[i] = GPOINTER_TO_UINT(had);
}

static void
read_batch(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_BATCH];
  csv->buffers->batch[i] =
      tn_strings_intern(csv->document->strings, (const char *)field->text, (gssize)field->length);
}

/* Empty and -1 mean "of no group", as for offsets. */
static void
read_group(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_GROUP];
  if (field->length == 0 || (field->length == 2 && memcmp(field->text, "-1", 2) == 0))
    return;
  gpointer key = GUINT_TO_POINTER(
      tn_strings_intern(csv->document->strings, (const char *)field->text, (gssize)field->length));
  uint32_t group = GPOINTER_TO_UINT(g_hash_table_lookup(csv->groups, key));
  if (!group) {
    group = g_hash_table_size(csv->groups) + 1;
    g_hash_table_insert(csv->groups, key, GUINT_TO_POINTER(group));
  }
  csv->buffers->group[i] = group;
}

static void
warn_unknown(Csv *csv, Role role)
{
  g_autofree char *code = g_strdup_printf("unknown-%s", csv->titles[role]);
  g_autofree char *message = g_strdup_printf(
      "fields of column '%s' hold what means nothing here, and were left out", csv->titles[role]);
  tn_diagnostics_count(csv->document->diagnostics, code, message);
}

static void
read_stream(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_STREAM];
  const uint8_t *at = field->text, *end = at + field->length;
  int64_t stream = 0;
  if (field->length == 0)
    return;
  if (!tn_csv_scan_digits(&at, end, &stream) || at != end || stream >= (int64_t)TN_NONE) {
    warn_unknown(csv, ROLE_STREAM);
    return;
  }
  tn_buffers_need(csv->buffers, TN_COLUMN_STREAM);
  csv->buffers->stream[i] = (uint32_t)stream;
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

/* Words with spaces between them, or'ed together. */
static unsigned
read_words(Csv *csv, Role role, unsigned (*from_name)(const char *))
{
  const TnCsvField *field = &csv->fields[role];
  unsigned all = 0;
  if (field->length == 0)
    return 0;
  g_autofree char *text = g_strndup((const char *)field->text, field->length);
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  for (gsize k = 0; words[k]; k++) {
    unsigned bit = words[k][0] ? from_name(words[k]) : 0;
    if (words[k][0] && !bit)
      warn_unknown(csv, role);
    all |= bit;
  }
  return all;
}

void
tn_csv_read_ours(Csv *csv, tn_index i)
{
  if (csv->titles[ROLE_SPACE])
    read_space(csv, i);
  if (csv->titles[ROLE_BATCH])
    read_batch(csv, i);
  if (csv->titles[ROLE_GROUP])
    read_group(csv, i);
  if (csv->titles[ROLE_STREAM])
    read_stream(csv, i);
  if (csv->titles[ROLE_FLAGS])
    csv->buffers->flags[i] = (uint8_t)read_words(csv, ROLE_FLAGS, flag_of);
  unsigned traits = csv->titles[ROLE_TRAITS] ? read_words(csv, ROLE_TRAITS, trait_of) : 0;
  if (traits) {
    tn_buffers_need(csv->buffers, TN_COLUMN_TRAITS);
    csv->buffers->traits[i] = traits;
  }
}
