/* SPDX-License-Identifier: MIT */
/* Profilers that write SQLite: Nsight Systems' memory events, msMemScope's dump. */
#include "config.h"

#include "data/error.h"
#include "data/readers/memscope.h"
#include "data/readers/readers.h"
#include "data/units.h"

#include <sqlite3.h>
#include <string.h>

typedef struct {
  sqlite3 *db;
  TnSource *source;
  TnDocument *document;
  TnProgress *progress;
  GError **error;
  sqlite3_int64 bytes, steps; /* of the rows so far, and what the database engine did */
} Reader;

/* Rows may share their pages, and a page stand in a tree many times: all rows together hold at most so many
 * times the file's bytes (numbers are counted as text), and take so many steps of the engine's for each. */
#define MOST_SHARED 64
#define STEPS_EACH 64
#define STEPS_AT_LEAST 100000000
#define STEPS_A_CALL 100000

static bool
fail(const Reader *reader, const char *expected)
{
  bool is_stopped = tn_progress_is_cancelled(reader->progress);
  g_set_error(reader->error, TN_DATA_ERROR,
              is_stopped ? TN_DATA_ERROR_CANCELLED : TN_DATA_ERROR_MALFORMED,
              "%s: found %s; expected %s", reader->source->name,
              is_stopped ? "that it was stopped" : sqlite3_errmsg(reader->db), expected);
  return false;
}

/* SQL: fits(COLUMN, …) counts what a row holds before it is sorted; an error ends the query. */
static void
fits(sqlite3_context *context, int n, sqlite3_value **values)
{
  Reader *reader = sqlite3_user_data(context);
  for (int i = 0; i < n; i++)
    reader->bytes += sqlite3_value_bytes(values[i]);
  if ((gsize)reader->bytes / MOST_SHARED > reader->source->size)
    sqlite3_result_error(context, "rows that share what they hold, far more than the file", -1);
  else
    sqlite3_result_int(context, 1);
}

/* What a table's columns can be computed from, and tables that are none, are of no use here: a file could
 * have them work without end. */
static void
restrict_schema(Reader *reader)
{
  sqlite3_int64 longest = CLAMP((sqlite3_int64)reader->source->size * 2, 1 << 20, 1000000000);
  sqlite3_exec(reader->db, "PRAGMA trusted_schema=OFF", NULL, NULL, NULL);
  sqlite3_limit(reader->db, SQLITE_LIMIT_LENGTH, (int)longest);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
  sqlite3_db_config(reader->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_drop_modules(reader->db, NULL);
#endif
  sqlite3_create_function_v2(reader->db, "fits", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, reader, fits, NULL,
                             NULL, NULL);
}

/* Nothing is written, nor locked: a file is opened as one that nobody changes, bytes that are no
 * file (standard input, unpacked) are read where they are. */
static bool
open_database(Reader *reader)
{
  int code;
  if (reader->source->path && reader->source->is_mapped) {
    g_autofree char *absolute = g_canonicalize_filename(reader->source->path, NULL);
    g_autofree char *uri = g_filename_to_uri(absolute, NULL, NULL);
    g_autofree char *name = g_strconcat(uri, "?immutable=1", NULL);
    code = sqlite3_open_v2(name, &reader->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
  } else {
    code = sqlite3_open_v2(":memory:", &reader->db, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK)
      code =
          sqlite3_deserialize(reader->db, "main", (unsigned char *)(uintptr_t)reader->source->data,
                              (sqlite3_int64)reader->source->size,
                              (sqlite3_int64)reader->source->size, SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK)
    return fail(reader, "an SQLite database");
  restrict_schema(reader);
  return true;
}

static int
on_progress(void *payload)
{
  Reader *reader = payload;
  reader->steps += STEPS_A_CALL;
  tn_progress_report(reader->progress, -1.0, "Reading");
  return tn_progress_is_cancelled(reader->progress) ||
         (reader->steps - STEPS_AT_LEAST) / STEPS_EACH > (sqlite3_int64)reader->source->size;
}

/* Whether a column of the table is computed from others, which no profiler has. */
static bool
has_computed_column(const Reader *reader, const char *table)
{
  sqlite3_stmt *statement = NULL;
  bool has = false;
  if (sqlite3_prepare_v2(reader->db, "SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0", -1,
                         &statement, NULL) == SQLITE_OK) {
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    has = sqlite3_step(statement) == SQLITE_ROW;
  }
  sqlite3_finalize(statement);
  return has;
}

static bool
is_plain(const Reader *reader, const char *table)
{
  if (!has_computed_column(reader, table))
    return true;
  g_set_error(reader->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
              "%s: table %s: found a column that is computed from others; expected a table of stored "
              "values, as profilers write it",
              reader->source->name, table);
  return false;
}

/* Whether the table has this column; with NULL, whether there is such a table (no view). */
static bool
has_column(const Reader *reader, const char *table, const char *column)
{
  const char *sql = column ? "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2"
                           : "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
  sqlite3_stmt *statement = NULL;
  bool has = false;
  if (sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL) == SQLITE_OK) {
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (column)
      sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    has = sqlite3_step(statement) == SQLITE_ROW;
  }
  sqlite3_finalize(statement);
  return has;
}

static const char *
text_of(sqlite3_stmt *statement, int column)
{
  const unsigned char *text = sqlite3_column_text(statement, column);
  return text ? (const char *)text : "";
}

/* ---- msMemScope ---------------------------------------------------------------------------- */

static bool
read_memscope(Reader *reader)
{
  static const char sql[] =
      "SELECT m.\"Event\", m.\"Event Type\", m.\"Name\", m.\"Timestamp(ns)\", m.\"Process Id\", "
      "m.\"Device Id\", m.\"Ptr\", m.\"Attr\", m.\"Call Stack(Python)\", m.\"Call Stack(C)\" FROM "
      "memscope_dump m WHERE fits(m.\"Event\", m.\"Event Type\", m.\"Name\", m.\"Timestamp(ns)\", "
      "m.\"Process Id\", m.\"Device Id\", m.\"Ptr\", m.\"Attr\", m.\"Call Stack(Python)\", "
      "m.\"Call Stack(C)\", m.\"ID\") ORDER BY m.\"Timestamp(ns)\", m.\"ID\""; /* a bare "x" may be a string */
  sqlite3_stmt *statement = NULL;
  int64_t n_damaged = 0;
  int code = sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
  g_autoptr(TnMemscope) memscope = tn_memscope_new(reader->document);
  reader->document->producer = g_strdup("msMemScope");
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    if ((code = sqlite3_step(statement)) != SQLITE_ROW)
      break;
    TnMemscopeRow row = {.event = text_of(statement, 0),
                         .type = text_of(statement, 1),
                         .name = text_of(statement, 2),
                         .ns = sqlite3_column_int64(statement, 3),
                         .process = sqlite3_column_int64(statement, 4),
                         .device = text_of(statement, 5),
                         .address = text_of(statement, 6),
                         .attributes = text_of(statement, 7),
                         .python_stack = text_of(statement, 8),
                         .c_stack = text_of(statement, 9)};
    n_damaged += !tn_memscope_add_row(memscope, &row);
  }
  bool is_good = code == SQLITE_DONE || fail(reader, "the columns of msMemScope's dump");
  sqlite3_finalize(statement);
  if (n_damaged)
    tn_diagnostics_add(reader->document->diagnostics, "damaged-events", n_damaged,
                       "%" G_GINT64_FORMAT " %s left out", n_damaged,
                       tn_plural(n_damaged, "row lacks an address or a size and was",
                                 "rows lack an address or a size and were"));
  if (is_good)
    tn_memscope_finish(memscope);
  return is_good;
}

/* ---- Nsight Systems -------------------------------------------------------------------------- */

static const char nsys_table[] = "CUDA_GPU_MEMORY_USAGE_EVENTS";

/* Old exports lack columns: a constant stands in. */
static char *
build_nsys_query(const Reader *reader)
{
  bool has_pid = has_column(reader, nsys_table, "globalPid");
  bool has_kind = has_column(reader, nsys_table, "memKind");
  const char *pid = has_pid ? "globalPid" : "0", *kind = has_kind ? "memKind" : "2";
  return g_strdup_printf("SELECT start, deviceId, %s, address, bytes, memoryOperationType, %s FROM "
                         "%s WHERE fits(start, deviceId, %s, address, bytes, memoryOperationType, %s) "
                         "ORDER BY start, rowid",
                         pid, kind, nsys_table, pid, kind);
}

static const char *
kind_name(int kind)
{
  static const char *const names[] = {"host, pageable", "host, pinned", "device",
                                      "device array",   "managed",      "device static",
                                      "managed static"};
  return kind >= 0 && kind < (int)G_N_ELEMENTS(names) ? names[kind] : "unknown";
}

/* A process's number is in the middle of its global id. */
static int64_t
process_of(int64_t global)
{
  return global >> 24 & 0xffffff;
}

static bool
add_nsys_row(Reader *reader, TnMemscope *memscope, sqlite3_stmt *statement)
{
  int64_t bytes = sqlite3_column_int64(statement, 4);
  int operation = sqlite3_column_int(statement, 5), kind = sqlite3_column_int(statement, 6);
  if (sqlite3_column_type(statement, 3) == SQLITE_NULL || bytes < 0 || operation < 0 ||
      operation > 1)
    return false;
  g_autofree char *device =
      kind <= 1 ? g_strdup("host") : g_strdup_printf("%d", sqlite3_column_int(statement, 1));
  TnMemscopeEvent event = {.is_alloc = operation == 0,
                           .device = device,
                           .process = process_of(sqlite3_column_int64(statement, 2)),
                           .ns = sqlite3_column_int64(statement, 0),
                           .address = (uint64_t)sqlite3_column_int64(statement, 3),
                           .bytes = bytes,
                           .name =
                               tn_strings_intern(reader->document->strings, kind_name(kind), -1)};
  tn_memscope_add(memscope, &event);
  return true;
}

static bool
read_nsys(Reader *reader)
{
  sqlite3_stmt *statement = NULL;
  int64_t n_damaged = 0;
  g_autofree char *sql = build_nsys_query(reader);
  int code = sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
  g_autoptr(TnMemscope) memscope = tn_memscope_new(reader->document);
  reader->document->producer = g_strdup("Nsight Systems");
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    if ((code = sqlite3_step(statement)) != SQLITE_ROW)
      break;
    n_damaged += !add_nsys_row(reader, memscope, statement);
  }
  bool is_good = code == SQLITE_DONE || fail(reader, "the columns of Nsight's memory events");
  sqlite3_finalize(statement);
  if (n_damaged)
    tn_diagnostics_add(reader->document->diagnostics, "damaged-events", n_damaged,
                       "%" G_GINT64_FORMAT " memory events lack an address or are of unknown kind "
                       "and were left out",
                       n_damaged);
  if (is_good) {
    tn_memscope_finish(memscope);
    tn_diagnostics_add(reader->document->diagnostics, "driver-level", 1,
                       "Nsight sees what cudaMalloc gave: what a framework's allocator makes of it "
                       "is in that framework's own recording");
  }
  return is_good;
}

static bool
read_sqlite(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {
      .source = source, .document = document, .progress = options->progress, .error = error};
  bool is_good = open_database(&reader);
  if (is_good) {
    sqlite3_progress_handler(reader.db, STEPS_A_CALL, on_progress, &reader);
    if (has_column(&reader, nsys_table, NULL)) {
      is_good = is_plain(&reader, nsys_table) && read_nsys(&reader);
    } else if (has_column(&reader, "memscope_dump", NULL)) {
      is_good = is_plain(&reader, "memscope_dump") && read_memscope(&reader);
    } else {
      is_good = false;
      g_set_error(
          error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
          "%s: found a database without memory events; expected a table %s (Nsight Systems, "
          "recorded with --cuda-memory-usage=true) or memscope_dump (msMemScope)",
          source->name, nsys_table);
    }
  }
  sqlite3_close(reader.db);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return size >= 16 && memcmp(data, "SQLite format 3", 16) == 0 ? 100 : 0;
}

const TnReader tn_reader_sqlite = {
    .name = "sqlite",
    .holds = "memory events of Nsight Systems or msMemScope, as SQLite",
    .patterns = "*.sqlite;*.db",
    .sniff = sniff,
    .read = read_sqlite,
};
