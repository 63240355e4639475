/* SPDX-License-Identifier: MIT */
/* msMemScope's (once msLeaks') dump as CSV; its cells may hold quotes and line ends. */
#include "config.h"

#include "data/error.h"
#include "data/json.h"
#include "data/readers/memscope.h"
#include "data/readers/readers.h"
#include "data/readers/text-scan.h"
#include "data/units.h"

#include <string.h>

enum { EVENT, TYPE, NAME, TIME, PROCESS, DEVICE, ADDRESS, ATTRIBUTES, PYTHON, C_STACK, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
    [EVENT] = "Event",          [TYPE] = "Event Type",    [NAME] = "Name",
    [TIME] = "Timestamp(ns)",   [PROCESS] = "Process Id", [DEVICE] = "Device Id",
    [ADDRESS] = "Ptr",          [ATTRIBUTES] = "Attr",    [PYTHON] = "Call Stack(Python)",
    [C_STACK] = "Call Stack(C)"};

typedef struct {
  const uint8_t *at, *end;
  uint32_t line, record_line;
  int column[N_COLUMNS]; /* field + 1 */
  GString *cell[N_COLUMNS], *other;
} Reader;

/* One cell, unquoted, into `out`; false where a quote is not closed. */
static bool
read_cell(Reader *reader, GString *out)
{
  g_string_truncate(out, 0);
  bool is_quoted = reader->at < reader->end && *reader->at == '"';
  reader->at += is_quoted;
  while (reader->at < reader->end) {
    uint8_t c = *reader->at;
    if (is_quoted && c == '"') {
      if (reader->at + 1 < reader->end && reader->at[1] == '"') {
        reader->at++;
      } else {
        reader->at++;
        return true;
      }
    } else if (!is_quoted && (c == ',' || c == '\n')) {
      break;
    }
    reader->line += c == '\n';
    if (c && c != '\r')
      g_string_append_c(out, (char)c);
    reader->at++;
  }
  return !is_quoted;
}

/* The cells of one record: titles where `is_header`.  False where it is cut off. */
static bool
read_record(Reader *reader, bool is_header)
{
  reader->record_line = reader->line;
  for (int c = 0; c < N_COLUMNS && !is_header; c++)
    g_string_truncate(reader->cell[c], 0);
  for (int field = 0;; field++) {
    GString *cell = reader->other;
    for (int c = 0; c < N_COLUMNS; c++)
      if (reader->column[c] == field + 1)
        cell = reader->cell[c];
    if (!read_cell(reader, cell))
      return false;
    for (int c = 0; c < N_COLUMNS && is_header; c++)
      if (strcmp(cell->str, titles[c]) == 0)
        reader->column[c] = field + 1;
    while (reader->at < reader->end && *reader->at != ',' && *reader->at != '\n')
      reader->at++;
    if (reader->at == reader->end || *reader->at == '\n')
      break;
    reader->at++;
  }
  bool is_closed = reader->at < reader->end;
  reader->at += is_closed;
  reader->line += is_closed;
  return true;
}

static bool
add_record(Reader *reader, TnMemscope *memscope)
{
  const char *time = reader->cell[TIME]->str, *process = reader->cell[PROCESS]->str;
  TnMemscopeRow row = {.event = reader->cell[EVENT]->str,
                       .type = reader->cell[TYPE]->str,
                       .name = reader->cell[NAME]->str,
                       .device = reader->cell[DEVICE]->str,
                       .address = reader->cell[ADDRESS]->str,
                       .attributes = reader->cell[ATTRIBUTES]->str,
                       .python_stack = reader->cell[PYTHON]->str,
                       .c_stack = reader->cell[C_STACK]->str};
  return tn_text_number(&time, &row.ns) && tn_text_number(&process, &row.process) &&
         tn_memscope_add_row(memscope, &row);
}

static void
reader_init(Reader *reader, const uint8_t *data, gsize size)
{
  *reader = (Reader){.at = data + tn_text_mark(data, size), .end = data + size, .line = 1};
  for (int c = 0; c < N_COLUMNS; c++)
    reader->cell[c] = g_string_new(NULL);
  reader->other = g_string_new(NULL);
}

static void
reader_clear(Reader *reader)
{
  for (int c = 0; c < N_COLUMNS; c++)
    g_string_free(reader->cell[c], TRUE);
  g_string_free(reader->other, TRUE);
}

static bool
has_columns(const Reader *reader)
{
  return reader->column[EVENT] && reader->column[TYPE] && reader->column[TIME] &&
         reader->column[PROCESS] && reader->column[DEVICE] && reader->column[ADDRESS] &&
         reader->column[ATTRIBUTES];
}

static bool
read_dump(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader;
  reader_init(&reader, source->data, source->size);
  document->producer = g_strdup("msMemScope");
  int64_t n_damaged = 0, n_rows = 0;
  bool is_good = read_record(&reader, true) && has_columns(&reader), is_whole = true;
  if (!is_good)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s:1: found another header, expected “ID,Event,Event Type,Name,Timestamp(ns),…”",
                source->name);
  g_autoptr(TnMemscope) memscope = tn_memscope_new(document);
  while (is_good && is_whole && reader.at < reader.end) {
    is_whole = read_record(&reader, false);
    if (is_whole && reader.cell[EVENT]->len)
      n_damaged += !add_record(&reader, memscope);
    if (++n_rows % 65536 == 0 && tn_progress_is_cancelled(options->progress)) {
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", source->name);
      is_good = false;
    }
  }
  if (!is_whole)
    tn_diagnostics_add(document->diagnostics, "truncated", 1,
                       "%s:%u: the last row was cut off and is left out", source->name,
                       reader.record_line);
  if (n_damaged)
    tn_diagnostics_add(document->diagnostics, "damaged-events", n_damaged,
                       "%" G_GINT64_FORMAT " %s left "
                       "out",
                       n_damaged,
                       tn_plural(n_damaged, "row lacks a time, an address or a size and was",
                                 "rows lack a time, an address or a size and were"));
  if (is_good)
    tn_memscope_finish(memscope);
  reader_clear(&reader);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)1024);
  const uint8_t *stop = memchr(data, '\n', n);
  gsize line = stop ? (gsize)(stop - data) : n;
  return memmem(data, line, "Event,Event Type,", 17) && memmem(data, line, "Timestamp(ns)", 13) ? 97
                                                                                                : 0;
}

const TnReader tn_reader_memscope_csv = {
    .name = "memscope-csv",
    .holds = "msMemScope (msLeaks) dump: driver and framework allocations with addresses",
    .patterns = "memscope_dump_*.csv;leaks_dump_*.csv",
    .sniff = sniff,
    .read = read_dump,
};
