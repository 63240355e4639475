/* SPDX-License-Identifier: MIT */
/* The CSVs of Ascend's profilers (torch_npu and msprof), whatever their header's generation:
 * operator_memory (lives without addresses), memory_record and npu_module_mem (totals over time),
 * static_op_mem (GE's lives by node).  Columns go by their names; values end with tabs, times are
 * written as 1.7E+15, cells are empty or negative. */
#include "config.h"

#include "data/json.h"
#include "data/readers/ascend-totals.h"
#include "data/readers/csv-scan.h"
#include "data/readers/event-lives.h"
#include "data/readers/readers.h"
#include "data/units.h"

#include <math.h>
#include <string.h>

typedef enum {
  NAME,
  SIZE,
  ALLOCATED_AT,
  RELEASED_AT,
  DURATION,
  DEVICE,
  COMPONENT,
  TIME,
  ALLOCATED,
  RESERVED,
  MODEL,
  GRAPH,
  NODE_START,
  NODE_END,
  N_COLUMNS
} Column;

/* How a column is called, up to its unit. */
static const char *const titles[N_COLUMNS] = {
    [NAME] = "Name",
    [SIZE] = "Size",
    [ALLOCATED_AT] = "Allocation Time",
    [RELEASED_AT] = "Release Time",
    [DURATION] = "Duration",
    [DEVICE] = "Device",
    [COMPONENT] = "Component",
    [TIME] = "Timestamp",
    [ALLOCATED] = "Total Allocated",
    [RESERVED] = "Total Reserved",
    [MODEL] = "Model Name",
    [GRAPH] = "Graph ID",
    [NODE_START] = "Node Index Start",
    [NODE_END] = "Node Index End",
};

typedef enum { UNKNOWN, OPERATORS, RECORD, MODULES, STATIC } Form;

typedef struct {
  TnCsvScan scan;
  TnDocument *document;
  Form form;
  int at[N_COLUMNS];      /* field of a column + 1; 0: not there */
  double unit[N_COLUMNS]; /* bytes of 1, of sizes */
  TnCsvField cell[N_COLUMNS];
  TnEventLives *lives;
  TnAscendTotals *totals;
  int64_t n_incomplete, n_before;
} Reader;

/* ---- cells ------------------------------------------------------------------------------- */

static void
trim(TnCsvField *field)
{
  while (field->length && g_ascii_isspace(field->text[field->length - 1]))
    field->length--;
  while (field->length && g_ascii_isspace(*field->text)) {
    field->text++;
    field->length--;
  }
}

/* The value of a decimal ("1736412474720984.920", "1.73641247472E+15") times 1000; digits beyond
 * that are cut off.  False where the cell is empty or no number. */
static bool
read_thousandths(const TnCsvField *field, int64_t *out)
{
  const uint8_t *at = field->text, *end = at + field->length;
  bool is_negative = at < end && *at == '-';
  int64_t digits = 0, exponent = 3;
  bool has_point = false, has_digits = false;
  for (at += is_negative; at < end && (g_ascii_isdigit(*at) || *at == '.'); at++) {
    if (*at == '.' && has_point)
      return false;
    has_point |= *at == '.';
    if (*at == '.')
      continue;
    has_digits = true;
    if (digits > (INT64_MAX - 9) / 10) {
      exponent += !has_point;
      continue;
    }
    digits = digits * 10 + (*at - '0');
    exponent -= has_point;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    bool is_down = at + 1 < end && at[1] == '-';
    int64_t power;
    at += 1 + (at + 1 < end && (at[1] == '-' || at[1] == '+'));
    if (!tn_csv_scan_digits(&at, end, &power) || power > 100)
      return false;
    exponent += is_down ? -power : power;
  }
  for (; exponent > 0; exponent--)
    if (!tn_mul(digits, 10, &digits))
      return false;
  for (; exponent < 0; exponent++)
    digits /= 10;
  if (!has_digits || at != end)
    return false;
  *out = is_negative ? -digits : digits;
  return true;
}

/* A size in the column's unit; negative ones too. */
static bool
read_size(const Reader *reader, Column column, tn_bytes *out)
{
  char text[64], *end;
  const TnCsvField *field = &reader->cell[column];
  if (field->length == 0 || field->length >= sizeof text)
    return false;
  memcpy(text, field->text, field->length);
  text[field->length] = 0;
  double value = g_ascii_strtod(text, &end) * reader->unit[column];
  if (*end || !(fabs(value) < 9e18))
    return false;
  *out = (tn_bytes)llround(value);
  return true;
}

static bool
cell_is(const TnCsvField *field, const char *text)
{
  return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

static uint32_t
intern(const Reader *reader, Column column)
{
  return tn_strings_intern(reader->document->strings, (const char *)reader->cell[column].text,
                           (gssize)reader->cell[column].length);
}

/* "NPU:0", "0", "host". */
static int32_t
device_of(const Reader *reader)
{
  const TnCsvField *field = &reader->cell[DEVICE];
  const uint8_t *end = field->text + field->length, *at = end;
  int64_t number;
  while (at > field->text && g_ascii_isdigit(at[-1]))
    at--;
  return tn_csv_scan_digits(&at, end, &number) && number <= 4095 ? (int32_t)number : -1;
}

/* ---- header ------------------------------------------------------------------------------ */

static double
unit_of(const TnCsvField *field)
{
  const uint8_t *open = memchr(field->text, '(', field->length);
  gsize left = open ? field->length - (gsize)(open - field->text) : 0;
  return left >= 4 && memcmp(open, "(KB)", 4) == 0   ? 1024.0
         : left >= 4 && memcmp(open, "(MB)", 4) == 0 ? 1048576.0
                                                     : 1.0;
}

static void
read_title(Reader *reader, const TnCsvField *field, int number)
{
  const uint8_t *open = memchr(field->text, '(', field->length);
  TnCsvField word = *field;
  word.length = open ? (gsize)(open - field->text) : field->length;
  for (Column c = 0; c < N_COLUMNS; c++) {
    bool is_it = cell_is(&word, titles[c]) || (c == NAME && cell_is(&word, "Op Name")) ||
                 (c == DEVICE && (cell_is(&word, "Device Type") || cell_is(&word, "Device_id")));
    if (!is_it || reader->at[c])
      continue;
    reader->at[c] = number + 1;
    reader->unit[c] = unit_of(field);
  }
}

static Form
form_of_header(const Reader *reader)
{
  const int *at = reader->at;
  if (at[NAME] && at[SIZE] && at[ALLOCATED_AT] && (at[RELEASED_AT] || at[DURATION]))
    return OPERATORS;
  if (at[NAME] && at[SIZE] && at[GRAPH] && at[NODE_START] && at[NODE_END])
    return STATIC;
  if (at[COMPONENT] && at[TIME] && at[ALLOCATED] && at[RESERVED])
    return RECORD;
  return at[COMPONENT] && at[TIME] && at[RESERVED] ? MODULES : UNKNOWN;
}

/* The cells of the line in hand, trimmed, or its titles; false where a quote is open. */
static bool
read_fields(Reader *reader, bool is_header)
{
  memset(reader->cell, 0, sizeof reader->cell);
  for (int number = 0;; number++) {
    TnCsvField field;
    if (!tn_csv_scan_field(&reader->scan, &field))
      return false;
    trim(&field);
    if (is_header)
      read_title(reader, &field, number);
    for (Column c = 0; c < N_COLUMNS && !is_header; c++)
      if (reader->at[c] == number + 1)
        reader->cell[c] = field;
    if (tn_csv_is_line_end(&reader->scan))
      return true;
    reader->scan.at++;
  }
}

/* ---- rows -------------------------------------------------------------------------------- */

static void
add_operator(Reader *reader)
{
  int64_t start = TN_TIME_UNKNOWN, end = TN_TIME_UNKNOWN, duration;
  tn_bytes bytes;
  read_thousandths(&reader->cell[ALLOCATED_AT], &start);
  read_thousandths(&reader->cell[RELEASED_AT], &end);
  if (end == TN_TIME_UNKNOWN && !reader->at[RELEASED_AT] && start != TN_TIME_UNKNOWN &&
      read_thousandths(&reader->cell[DURATION], &duration) && duration >= 0)
    tn_add(start, duration, &end);
  if (!read_size(reader, SIZE, &bytes) || bytes == 0 ||
      (start == TN_TIME_UNKNOWN && end == TN_TIME_UNKNOWN)) {
    reader->n_incomplete++;
    return;
  }
  /* A negative size is a release of what was allocated before the window. */
  if (bytes < 0)
    start = TN_TIME_UNKNOWN;
  reader->n_before += start == TN_TIME_UNKNOWN;
  tn_event_lives_add(reader->lives, device_of(reader), intern(reader, NAME), start, end, ABS(bytes),
                     TN_KIND_ALLOCATION);
}

static const char *
text_of(const TnCsvField *field)
{
  return field->text ? (const char *)field->text : "";
}

static void
add_sample(Reader *reader)
{
  const TnCsvField *device = &reader->cell[DEVICE], *component = &reader->cell[COMPONENT];
  TnAscendRow row = {.device = text_of(device),
                     .component = text_of(component),
                     .device_length = device->length,
                     .component_length = component->length,
                     .line = reader->scan.line,
                     .allocated = TN_BYTES_UNKNOWN,
                     .reserved = TN_BYTES_UNKNOWN};
  if (!component->length || !read_thousandths(&reader->cell[TIME], &row.time)) {
    reader->n_incomplete++;
    return;
  }
  read_size(reader, ALLOCATED, &row.allocated);
  read_size(reader, RESERVED, &row.reserved);
  tn_ascend_totals_add(reader->totals, &row);
}

/* One graph is a device; its TOTAL is GE's own sum, and need not be that of the rows. */
static void
add_static(Reader *reader)
{
  int64_t graph, start, end;
  tn_bytes bytes, used;
  if (!read_thousandths(&reader->cell[GRAPH], &graph) ||
      !read_thousandths(&reader->cell[NODE_START], &start) ||
      !read_thousandths(&reader->cell[NODE_END], &end) || !read_size(reader, SIZE, &bytes) ||
      bytes < 0 || start < 0 || end < start || graph < 0 || graph > 65535000 ||
      !tn_round_up(bytes, 512, &used)) {
    reader->n_incomplete++;
    return;
  }
  TnDevice *device = tn_document_device(reader->document, (int32_t)(graph / 1000));
  if (!device->buffers) {
    g_autofree char *name = g_strdup_printf("graph %d", device->ordinal);
    device->name = tn_strings_intern(reader->document->strings, name, -1);
    device->buffers = tn_buffers_new();
    device->axis = TN_AXIS_STEP;
    tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_REQUESTED);
  }
  if (cell_is(&reader->cell[NAME], "TOTAL")) {
    g_autofree char *title = g_strdup_printf("GE's own total of graph %d", device->ordinal);
    TnAccount *account = tn_account_new(title, reader->scan.line);
    device->stated_total = bytes;
    tn_account_add_detail(account, "planned without reuse", bytes,
                          "need not be the sum of the rows");
    g_ptr_array_add(reader->document->accounts, account);
    return;
  }
  bool is_to_end = end / 1000 >= 4294967294;
  tn_tick first = start / 1000, last = is_to_end ? TN_TICK_MAX : end / 1000 + 1;
  tn_index i = tn_buffers_add(device->buffers, first, last, used, TN_KIND_ACTIVATION);
  device->buffers->requested[i] = bytes;
  device->buffers->name[i] = intern(reader, NAME);
  device->axis_end = MAX(device->axis_end, is_to_end ? first + 1 : last);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void
finish_static(TnDocument *document)
{
  document->kind = TN_DOCUMENT_PLAN;
  if (document->devices->len == 0)
    tn_document_device(document, 0)->buffers = tn_buffers_new();
  for (guint d = 0; d < document->devices->len; d++) {
    TnDevice *device = g_ptr_array_index(document->devices, d);
    for (uint32_t i = 0; i < device->buffers->n; i++)
      device->buffers->end[i] = MIN(device->buffers->end[i], device->axis_end);
  }
}

static void
finish(Reader *reader)
{
  TnDiagnostics *diagnostics = reader->document->diagnostics;
  if (reader->form == OPERATORS)
    tn_event_lives_finish(reader->lives, reader->document, 1000);
  else if (reader->form == STATIC)
    finish_static(reader->document);
  else
    tn_ascend_totals_finish(reader->totals, reader->document, reader->form == MODULES);
  if (reader->n_incomplete)
    tn_diagnostics_add(diagnostics, "incomplete-rows", reader->n_incomplete,
                       "%" G_GINT64_FORMAT " %s left out", reader->n_incomplete,
                       tn_plural(reader->n_incomplete, "row lacks a size or a time and was",
                                 "rows lack a size or a time and were"));
  if (reader->n_before)
    tn_diagnostics_add(diagnostics, "before-recording", reader->n_before,
                       "%" G_GINT64_FORMAT " %s from 0 on", reader->n_before,
                       tn_plural(reader->n_before,
                                 "buffer was allocated before the recording: it stands",
                                 "buffers were allocated before the recording: they "
                                 "stand"));
}

static bool
read_rows(Reader *reader, TnProgress *progress, gsize size)
{
  TnCsvScan *scan = &reader->scan;
  const uint8_t *start = scan->at;
  for (; scan->at < scan->end; tn_csv_next_line(scan)) {
    if (tn_csv_is_blank(scan))
      continue;
    if (!read_fields(reader, false))
      return false;
    if (reader->form == OPERATORS)
      add_operator(reader);
    else if (reader->form == STATIC)
      add_static(reader);
    else
      add_sample(reader);
    if (scan->line % 65536 == 0) {
      tn_progress_report(progress, (double)(scan->at - start) / (double)size, "Reading");
      if (tn_progress_is_cancelled(progress))
        return tn_csv_fail(scan, scan->at, TN_DATA_ERROR_CANCELLED, "stopped");
    }
  }
  return true;
}

static void
reader_init(Reader *reader, const uint8_t *data, gsize size)
{
  reader->scan.at = reader->scan.line_start = data + tn_text_mark(data, size);
  reader->scan.end = data + size;
  reader->scan.line = 1;
  reader->scan.unquoted = g_string_new(NULL);
}

static bool
read_csv(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {.document = document,
                   .lives = tn_event_lives_new(),
                   .totals = tn_ascend_totals_new()};
  reader_init(&reader, source->data, source->size);
  reader.scan.file = source->name;
  reader.scan.error = error;
  document->kind = TN_DOCUMENT_LOG;
  document->producer = g_strdup("Ascend profiler");
  bool is_good = read_fields(&reader, true);
  reader.form = form_of_header(&reader);
  if (is_good && reader.form == UNKNOWN)
    is_good = tn_csv_fail(&reader.scan, source->data, TN_DATA_ERROR_MALFORMED,
                          "found a header of other columns, expected those of operator_memory, "
                          "memory_record, npu_module_mem or static_op_mem");
  if (is_good) {
    tn_csv_next_line(&reader.scan);
    is_good = read_rows(&reader, options->progress, source->size);
  }
  if (is_good)
    finish(&reader);
  tn_event_lives_free(reader.lives);
  tn_ascend_totals_free(reader.totals);
  g_string_free(reader.scan.unquoted, TRUE);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  const uint8_t *stop = memchr(data, '\n', MIN(size, (gsize)4096));
  if (!stop || !memchr(data, ',', (gsize)(stop - data)))
    return 0;
  Reader reader = {0};
  reader_init(&reader, data, (gsize)(stop - data));
  bool is_ours = read_fields(&reader, true) && form_of_header(&reader) != UNKNOWN;
  g_string_free(reader.scan.unquoted, TRUE);
  return is_ours ? 96 : 0;
}

const TnReader tn_reader_ascend_csv = {
    .name = "ascend-csv",
    .holds = "Ascend profiler CSVs: operator_memory, memory_record, npu_module_mem, static_op_mem",
    .patterns = "*memory_record*.csv;*operator_memory*.csv;*module_mem*.csv;*static_op_mem*.csv",
    .sniff = sniff,
    .read = read_csv,
};
