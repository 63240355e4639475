/* SPDX-License-Identifier: MIT */
/* Buffers as CSV with MiniMalloc's columns, found by their names in the header line.
 *
 * One pass over the mapped file, no copy of a row, no allocation per row but for the tables
 * themselves and words of flags.  Lives become half-open: a column called `end` is inclusive, and then so are the
 * ends of gaps. */
#include "config.h"

#include "data/json.h"
#include "data/readers/csv-private.h"
#include "data/readers/readers.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_PER_REPORT 65536

static const struct {
  const char *name;
  Role role;
} column_names[] = {
    {"id", ROLE_ID},       {"buffer_id", ROLE_ID},        {"buffer", ROLE_ID},
    {"lower", ROLE_LOWER}, {"start", ROLE_LOWER},         {"begin", ROLE_LOWER},
    {"upper", ROLE_UPPER}, {"end", ROLE_UPPER},           {"size", ROLE_SIZE},
    {"gaps", ROLE_GAPS},   {"alignment", ROLE_ALIGNMENT}, {"offset", ROLE_OFFSET},
    {"hint", ROLE_HINT},   {"space", ROLE_SPACE},         {"batch_label", ROLE_BATCH},
    {"flags", ROLE_FLAGS}, {"stream", ROLE_STREAM},       {"contiguous_group", ROLE_GROUP},
    {"traits", ROLE_TRAITS},
};

static const char *const required[] = {
    [ROLE_ID] = "id (or buffer_id, buffer)",
    [ROLE_LOWER] = "lower (or start, begin)",
    [ROLE_UPPER] = "upper (or end)",
    [ROLE_SIZE] = "size",
};

static bool
fail_role(Csv *csv, Role role, const char *expected)
{
  return tn_csv_fail_field(&csv->scan, &csv->fields[role], csv->titles[role], expected);
}

static bool
read_number(Csv *csv, Role role, int64_t *out)
{
  return tn_csv_read_number(&csv->scan, &csv->fields[role], csv->titles[role], out);
}

/* ---- header ---------------------------------------------------------------------------- */

static Role
role_of(const TnCsvField *field)
{
  for (gsize i = 0; i < G_N_ELEMENTS(column_names); i++) {
    const char *name = column_names[i].name;
    if (strlen(name) == field->length &&
        g_ascii_strncasecmp(name, (const char *)field->text, field->length) == 0)
      return column_names[i].role;
  }
  return ROLE_EXTRA;
}

static bool
add_column(Csv *csv, const TnCsvField *field)
{
  TnCsvScan *scan = &csv->scan;
  g_autofree char *found = tn_csv_dup_quoted(field);
  Role role = role_of(field);
  if (csv->n_columns == MAX_COLUMNS)
    return tn_csv_fail(scan, field->place, TN_DATA_ERROR_TOO_LARGE,
                       "found more than %d columns, which is the limit", MAX_COLUMNS);
  if (csv->titles[role] && role >= ROLE_BATCH)
    role = ROLE_EXTRA; /* another program's, who may have any names */
  if (csv->titles[role])
    return tn_csv_fail(scan, field->place, TN_DATA_ERROR_MALFORMED,
                       "found column %s after column '%s', which says the same; expected one",
                       found, csv->titles[role]);
  csv->roles[csv->n_columns++] = (uint8_t)role;
  if (role == ROLE_EXTRA) {
    csv->n_extra++;
    if (csv->extra->len < 120)
      g_string_append_printf(csv->extra, "%s%s", csv->extra->len ? ", " : "", found);
    return true;
  }
  csv->titles[role] = g_ascii_strdown((const char *)field->text, (gssize)field->length);
  csv->is_end_inclusive |= strcmp(csv->titles[role], "end") == 0;
  return true;
}

static bool
read_header(Csv *csv)
{
  TnCsvScan *scan = &csv->scan;
  for (;; scan->at++) {
    TnCsvField field;
    if (!tn_csv_scan_field(scan, &field) || !add_column(csv, &field))
      return false;
    if (tn_csv_is_line_end(scan))
      break;
  }
  for (Role role = ROLE_ID; role <= ROLE_SIZE; role++)
    if (!csv->titles[role])
      return tn_csv_fail(scan, scan->line_start, TN_DATA_ERROR_MALFORMED,
                         "found no column %s in the header, expected id, lower, upper (or end) "
                         "and size",
                         required[role]);
  tn_buffers_need(csv->buffers, TN_COLUMN_NAME |
                                    (csv->titles[ROLE_ALIGNMENT] ? TN_COLUMN_ALIGNMENT : 0u) |
                                    (csv->titles[ROLE_SPACE] ? TN_COLUMN_SPACE : 0u) |
                                    (csv->titles[ROLE_BATCH] ? TN_COLUMN_BATCH : 0u) |
                                    (csv->titles[ROLE_GROUP] ? TN_COLUMN_GROUP : 0u));
  tn_csv_next_line(scan);
  return true;
}

/* ---- gaps ------------------------------------------------------------------------------ */

/* Names the one gap that begins at `place` within the field. */
static bool
fail_gap(Csv *csv, const uint8_t *place, const char *expected)
{
  const TnCsvField *field = &csv->fields[ROLE_GAPS];
  const uint8_t *end = field->text + field->length;
  TnCsvField gap = {place, 0, field->place};
  while (place + gap.length < end && place[gap.length] != ' ')
    gap.length++;
  if (field->text >= csv->scan.line_start && field->text < csv->scan.end)
    gap.place = place;
  return tn_csv_fail_field(&csv->scan, &gap, csv->titles[ROLE_GAPS], expected);
}

/* One `a-b` or `a-b@low:high` at *at. */
static bool
scan_gap(Csv *csv, const uint8_t **at, const uint8_t *end, TnGap *gap)
{
  const uint8_t *text = *at;
  *gap = (TnGap){0};
  if (!tn_csv_scan_digits(&text, end, &gap->start) || text == end || *text++ != '-' ||
      !tn_csv_scan_digits(&text, end, &gap->end))
    return false;
  if (csv->is_end_inclusive && !tn_add(gap->end, 1, &gap->end))
    return false;
  if (text < end && *text == '@') {
    text++;
    if (!tn_csv_scan_digits(&text, end, &gap->low) || text == end || *text++ != ':' ||
        !tn_csv_scan_digits(&text, end, &gap->high))
      return false;
  }
  *at = text;
  return text == end || *text == ' ' || *text == '\t';
}

static bool
check_gap(Csv *csv, TnGap *gap, tn_index i, const uint8_t *place)
{
  if (gap->start >= gap->end)
    return fail_gap(csv, place, "a gap that starts before it ends");
  if (gap->start < csv->buffers->start[i] || gap->end > csv->buffers->end[i])
    return fail_gap(csv, place, "a gap within the buffer's life");
  if (gap->low > gap->high || gap->high > csv->buffers->bytes[i])
    return fail_gap(csv, place, "a window low:high within the buffer's size");
  if (gap->low == gap->high) /* holds nothing: dead */
    gap->low = gap->high = 0;
  return true;
}

static int
compare_gaps(const void *a, const void *b)
{
  const TnGap *left = a, *right = b;
  return (left->start > right->start) - (left->start < right->start);
}

/* Sorts the row's gaps, which start at `first`; they may not overlap. */
static bool
sort_gaps(Csv *csv, guint first)
{
  guint n = csv->gaps->len - first;
  if (n < 2)
    return true;
  TnGap *gaps = &g_array_index(csv->gaps, TnGap, first);
  qsort(gaps, n, sizeof *gaps, compare_gaps);
  for (guint g = 1; g < n; g++)
    if (gaps[g].start < gaps[g - 1].end)
      return fail_gap(csv, csv->fields[ROLE_GAPS].text, "gaps that do not overlap one another");
  return true;
}

static bool
read_gaps(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_GAPS];
  const uint8_t *at = field->text, *end = at + field->length;
  guint first = csv->gaps->len;
  while (at < end) {
    if (*at == ' ' || *at == '\t') {
      at++;
      continue;
    }
    const uint8_t *place = at;
    TnGap gap;
    if (!scan_gap(csv, &at, end, &gap))
      return fail_gap(csv, place, "a-b or a-b@low:high, whole numbers");
    if (!check_gap(csv, &gap, i, place))
      return false;
    g_array_append_val(csv->gaps, gap);
    g_array_append_val(csv->gap_owners, i);
  }
  return sort_gaps(csv, first);
}

/* ---- rows ------------------------------------------------------------------------------ */

/* Cuts the line into `fields`; there must be as many as in the header. */
static bool
split_row(Csv *csv)
{
  TnCsvScan *scan = &csv->scan;
  uint32_t n = 0;
  TnCsvField field;
  for (;; scan->at++, n++) {
    if (!tn_csv_scan_field(scan, &field))
      return false;
    if (n < csv->n_columns)
      csv->fields[csv->roles[n]] = field;
    if (tn_csv_is_line_end(scan))
      break;
  }
  if (++n == csv->n_columns)
    return true;
  return tn_csv_fail(scan, field.place, TN_DATA_ERROR_MALFORMED,
                     "found %u fields, expected %u as in the header", n, csv->n_columns);
}

static bool
read_id(Csv *csv, uint32_t *out_name)
{
  const TnCsvField *field = &csv->fields[ROLE_ID];
  GByteArray *seen = csv->seen_ids;
  if (field->length == 0)
    return fail_role(csv, ROLE_ID, "a name or a number");
  uint32_t name =
      tn_strings_intern(csv->document->strings, (const char *)field->text, (gssize)field->length);
  if (name >= seen->len) {
    guint had = seen->len;
    g_byte_array_set_size(seen, MAX(name + 1, had + had / 2));
    memset(seen->data + had, 0, seen->len - had);
  }
  if (seen->data[name])
    return fail_role(csv, ROLE_ID, "an id that no row above has");
  seen->data[name] = 1;
  *out_name = name;
  return true;
}

static bool
read_life(Csv *csv, tn_tick *out_lower, tn_tick *out_upper)
{
  if (!read_number(csv, ROLE_LOWER, out_lower) || !read_number(csv, ROLE_UPPER, out_upper))
    return false;
  if (csv->is_end_inclusive && !tn_add(*out_upper, 1, out_upper))
    return fail_role(csv, ROLE_UPPER, "a number below 9223372036854775807");
  if (*out_lower < *out_upper)
    return true;
  g_autofree char *expected =
      g_strdup_printf("%s %" G_GINT64_FORMAT " (where the life starts)",
                      csv->is_end_inclusive ? "at least" : "more than", *out_lower);
  return fail_role(csv, ROLE_UPPER, expected);
}

static bool
read_alignment(Csv *csv, tn_index i)
{
  tn_bytes *alignment = &csv->buffers->alignment[i];
  if (csv->fields[ROLE_ALIGNMENT].length == 0)
    return true;
  if (!read_number(csv, ROLE_ALIGNMENT, alignment))
    return false;
  return *alignment >= 1 || fail_role(csv, ROLE_ALIGNMENT, "at least 1");
}

/* Empty and -1 mean "not placed". */
static bool
read_offset(Csv *csv, tn_index i)
{
  const TnCsvField *field = &csv->fields[ROLE_OFFSET];
  tn_bytes top;
  if (field->length == 0 || (field->length == 2 && memcmp(field->text, "-1", 2) == 0)) {
    csv->is_all_placed = false;
    return true;
  }
  if (!read_number(csv, ROLE_OFFSET, &csv->buffers->offset[i]))
    return false;
  if (!tn_add(csv->buffers->offset[i], csv->buffers->bytes[i], &top))
    return fail_role(csv, ROLE_OFFSET, "offset + size below 9223372036854775808");
  csv->arena = MAX(csv->arena, top);
  return true;
}

static bool
read_row(Csv *csv)
{
  tn_tick lower = 0, upper = 0;
  tn_bytes size = 0;
  uint32_t name = 0;
  if (!split_row(csv) || !read_id(csv, &name) || !read_life(csv, &lower, &upper) ||
      !read_number(csv, ROLE_SIZE, &size))
    return false;
  if (csv->buffers->n == TN_NONE - 1)
    return tn_csv_fail(&csv->scan, csv->scan.line_start, TN_DATA_ERROR_TOO_LARGE,
                       "found more than %u rows, which is the limit", TN_NONE - 1);
  tn_index i = tn_buffers_add(csv->buffers, lower, upper, size, TN_KIND_UNKNOWN);
  csv->buffers->name[i] = name;
  csv->device->axis_end = MAX(csv->device->axis_end, upper);
  tn_csv_read_ours(csv, i);
  return (!csv->titles[ROLE_ALIGNMENT] || read_alignment(csv, i)) &&
         (!csv->titles[ROLE_OFFSET] || read_offset(csv, i)) &&
         (!csv->titles[ROLE_GAPS] || read_gaps(csv, i));
}

static bool
read_rows(Csv *csv, const TnReadOptions *options, gsize size)
{
  TnCsvScan *scan = &csv->scan;
  int64_t blank = 0;
  for (uint32_t row = 0; scan->at < scan->end; row++, tn_csv_next_line(scan)) {
    if (row % ROWS_PER_REPORT == 0) {
      double left = (double)(scan->end - scan->at) / (double)size;
      tn_progress_report(options->progress, 1.0 - left, "Reading rows");
      if (tn_progress_is_cancelled(options->progress))
        return tn_csv_fail(scan, scan->at, TN_DATA_ERROR_CANCELLED, "reading was cancelled");
    }
    if (tn_csv_is_blank(scan)) {
      blank++;
      continue;
    }
    csv->n_blank += blank;
    blank = 0;
    if (!read_row(csv))
      return false;
  }
  return true;
}

/* ---- the whole file -------------------------------------------------------------------- */

static void
finish(Csv *csv)
{
  TnDiagnostics *diagnostics = csv->document->diagnostics;
  tn_buffers_set_gaps(csv->buffers, (const TnGap *)(void *)csv->gaps->data,
                      (const tn_index *)(void *)csv->gap_owners->data, csv->gaps->len);
  if (csv->titles[ROLE_OFFSET] && csv->is_all_placed && csv->buffers->n &&
      csv->device->space_names->len < 2)
    csv->device->arena_bytes = csv->arena;
  csv->device->axis = TN_AXIS_STEP;
  if (csv->n_extra)
    tn_diagnostics_add(diagnostics, "extra-columns", csv->n_extra,
                       "columns that mean nothing here were left out: %s", csv->extra->str);
  if (csv->n_blank)
    tn_diagnostics_add(diagnostics, "blank-lines", csv->n_blank,
                       "blank lines between rows were skipped (MiniMalloc stops reading at the "
                       "first one)");
}

static Csv *
csv_new(TnSource *source, TnDocument *document, GError **error)
{
  Csv *csv = g_new0(Csv, 1);
  const uint8_t *start = source->data + tn_text_mark(source->data, source->size);
  csv->scan = (TnCsvScan){.file = source->name,
                          .at = start,
                          .end = source->data + source->size,
                          .line_start = start,
                          .line = 1,
                          .error = error,
                          .unquoted = g_string_new(NULL)};
  csv->document = document;
  csv->device = tn_document_device(document, 0);
  csv->device->space_names = g_ptr_array_new_with_free_func(g_free);
  csv->buffers = csv->device->buffers = tn_buffers_new();
  csv->seen_ids = g_byte_array_new();
  csv->gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  csv->gap_owners = g_array_new(FALSE, FALSE, sizeof(tn_index));
  csv->spaces = g_hash_table_new(NULL, NULL);
  csv->groups = g_hash_table_new(NULL, NULL);
  csv->extra = g_string_new(NULL);
  csv->is_all_placed = true;
  return csv;
}

static void
csv_free(Csv *csv)
{
  for (Role role = 0; role < N_ROLES; role++)
    g_free(csv->titles[role]);
  g_string_free(csv->scan.unquoted, TRUE);
  g_string_free(csv->extra, TRUE);
  g_byte_array_unref(csv->seen_ids);
  g_array_unref(csv->gaps);
  g_array_unref(csv->gap_owners);
  g_hash_table_unref(csv->spaces);
  g_hash_table_unref(csv->groups);
  g_free(csv);
}

static bool
read_csv(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Csv *csv = csv_new(source, document, error);
  document->kind = TN_DOCUMENT_PLAN;
  document->producer = g_strdup("MiniMalloc CSV");
  bool is_good = read_header(csv) && read_rows(csv, options, source->size);
  if (is_good)
    finish(csv);
  csv_free(csv);
  return is_good;
}

/* Text whose first line names at least two of our columns, or which at least calls itself CSV. */
static int
sniff_csv(const uint8_t *data, gsize size, const char *name)
{
  gsize length = 0, limit = MIN(size, (gsize)16384);
  for (; length < limit && data[length] != '\n'; length++)
    if (data[length] < ' ' && data[length] != '\t' && data[length] != '\r')
      return 0;
  gsize start = tn_text_start(data, length);
  if (length == 0 || (start < length && strchr("{[<", data[start])))
    return 0;
  g_autofree char *line = g_strndup((const char *)data + start, length - start);
  g_auto(GStrv) words = g_strsplit_set(line, ",\"\r", MAX_COLUMNS);
  int known = 0;
  for (gsize i = 0; words[i]; i++) {
    TnCsvField field = {(uint8_t *)words[i], strlen(words[i]), NULL};
    tn_csv_trim(&field);
    Role role = role_of(&field);
    known += role != ROLE_EXTRA && role <= ROLE_SPACE; /* later ones may be any program's */
  }
  if (known >= 2)
    return MIN(50 + 10 * known, 95);
  return name && g_str_has_suffix(name, ".csv") && g_utf8_validate(line, -1, NULL) ? 10 : 0;
}

const TnReader tn_reader_csv = {
    .name = "csv",
    .holds = "buffers with lives, one a line, in MiniMalloc's columns",
    .patterns = "*.csv",
    .sniff = sniff_csv,
    .read = read_csv,
};
