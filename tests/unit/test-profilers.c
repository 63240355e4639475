/* SPDX-License-Identifier: MIT */
/* Files of profilers: Ascend's CSVs of all generations, msMemScope, Nsight's SQLite, torch's memory
 * timeline, the Vulkan allocator's dump. */
#include "config.h"

#include "analysis/study.h"
#include "data/error.h"
#include "data/reader.h"
#include "shared.h"
#include "warnings.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

static TnDocument *
load(const char *text, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, error);
}

static TnDocument *
load_good(const char *text, const char *format)
{
  g_autoptr(GError) error = NULL;
  TnDocument *document = load(text, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, format);
  return document;
}

static int64_t
warned(const TnDocument *document, const char *code)
{
  const TnWarning *warning = find_warning(document, code);
  return warning ? warning->count : 0;
}

static tn_bytes
peak_of(const TnDocument *document, uint32_t device, tn_bytes *out_reserved)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, device, &params, NULL, NULL);
  g_assert_nonnull(study);
  if (out_reserved)
    *out_reserved = study->reserved ? study->reserved->peak : -1;
  return study->live->peak;
}

static const TnAccount *
account_of(const TnDocument *document, guint i)
{
  g_assert_cmpuint(i, <, document->accounts->len);
  return g_ptr_array_index(document->accounts, i);
}

/* ---- Ascend ---------------------------------------------------------------------------------- */

/* The same three buffers in each generation: a [1, 4), b [2, 3), c released in the window only. */
static const char *const operators[] = {
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release "
    "Time(us),Duration(us),Active "
    "Duration(us),Allocation Total Allocated(MB),Stream Ptr,Device Type\n"
    "a,2,1736412474720984.920\t,1736412474720994.5\t,1,1,1,1,7,NPU:3\n"
    "b,0.5,1736412474720985.1,1736412474720986,,,,,7,NPU:3\r\n"
    "c,1,,1736412474720987,,,,,7,NPU:3\n"
    "d,1,,,,,,,7,NPU:3\n",
    "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Device Type\n"
    "a,2,1.73641247472098492E+15,1.7364124747209945E+15,9.5,NPU:3\n"
    "b,0.5,1.7364124747209851E+15,1.736412474720986E+15,0.9,NPU:3\n"
    "c,-1,1.7364124747209869E+15,1.736412474720987E+15,0,NPU:3\n"
    "d,,,,,NPU:3",
    "Device_id,Name,Size(KB),Allocation Time(us),Duration(us),Device\n"
    "0,a,2,1736412474720984.920,10,NPU:3\n"
    "0,b,0.5,1736412474720985.1,1,NPU:3\n"
    "0,d,0,1736412474720985.1,1,NPU:3\n",
};

static void
test_operators(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operators); i++) {
    g_autoptr(TnDocument) document = load_good(operators[i], "ascend-csv");
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnBuffers *b = device->buffers;
    gsize first = i == 2 ? 0 : 1; /* what lived before stands first */
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
    g_assert_cmpuint(b->n, ==, i == 2 ? 2 : 3);
    g_assert_cmpint(b->bytes[first], ==, 2048);
    g_assert_cmpint(b->bytes[first + 1], ==, 512);
    g_assert_cmpint(b->start[first], ==, 0);
    g_assert_cmpint(b->start[first + 1], ==, 1);
    g_assert_cmpint(b->end[first + 1], ==, 2);
    g_assert_cmpint(b->end[first], ==, i == 2 ? 3 : 4);
    g_assert_cmpint(warned(document, "incomplete-rows"), ==, 1);
    g_assert_cmpint(warned(document, "before-recording"), ==, i == 2 ? 0 : 1);
    g_assert_cmpint(peak_of(document, 0, NULL), ==, i == 2 ? 2560 : 3584);
    g_assert_cmpint(device->ordinal, ==, i == 2 ? 0 : 3);
  }
}

static void
test_records(void)
{
  g_autoptr(TnDocument) document =
      load_good("Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
                "PTA,1.5E+15\t,1.5,8,NPU:0\nAPP,2\t,,16\t,NPU:0\nPTA,3,1,8,NPU:0\n,,,,\n",
                "ascend-csv");
  g_assert_cmpuint(document->accounts->len, ==, 2);
  g_assert_cmpint(account_of(document, 0)->total, ==, 8 << 20);
  g_assert_cmpint(tn_account_row(account_of(document, 0)->rows, 0)->bytes, ==, 1 << 20);
  g_assert_cmpint(tn_account_row(account_of(document, 0)->rows, 1)->bytes, ==, 7 << 20);
  g_assert_cmpint(tn_account_row(account_of(document, 0)->details, 0)->bytes, ==, 3 << 19);
  g_assert_cmpint(account_of(document, 1)->total, ==, 16 << 20);
  g_autoptr(TnDocument) modules =
      load_good("Device_id,Component,Timestamp(us),Total "
                "Reserved(KB),Device\n0,HCCL,1,4,NPU:0\n"
                "0,SLOG,1,-1,NPU:0\n0,HCCL,2,2,NPU:0\n0,APP,1,1,NPU:0\n",
                "ascend-csv");
  g_assert_cmpint(account_of(modules, 0)->total, ==, 3 << 10);
  g_assert_cmpuint(account_of(modules, 0)->rows->len, ==, 2);
}

/* The same totals as curves: one for each that held anything, and the sum of the modules. */
static void
test_record_curves(void)
{
  g_autoptr(TnDocument) document = load_good(
      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
      "APP,1002,,16\t,NPU:0\nPTA,1000.5,1,4,NPU:0\nPTA,1003.2,3,8,NPU:0\nPTA,1003.4,2,8,NPU:0\n"
      "PTA,1005,1,,NPU:0\nGE,1001,0,0,NPU:0\n",
      "ascend-csv");
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_assert_cmpuint(document->devices->len, ==, 2); /* GE never held anything */
  g_autoptr(TnStudy) app = tn_study_new(document, 0, &params, NULL, NULL);
  g_autoptr(TnStudy) pta = tn_study_new(document, 1, &params, NULL, NULL);
  g_assert_cmpint(app->reserved->peak, ==, 16 << 20);
  g_assert_cmpint(app->live->peak, ==, 0);
  g_assert_cmpint(app->axis_end, ==, 5); /* one axis for all */
  g_assert_cmpint(pta->axis_end, ==, 5);
  g_assert_cmpint(pta->live->peak, ==, 3 << 20);
  g_assert_cmpint(pta->live->peak_at, ==, 2);
  g_assert_cmpint(tn_curve_at(pta->live, 1), ==, 1 << 20);
  g_assert_cmpint(tn_curve_at(pta->live, 4), ==, 1 << 20);
  g_assert_cmpint(tn_curve_at(pta->reserved, 4), ==, 8 << 20); /* as before */
  g_assert_cmpuint(tn_study_first_device(document), ==, 1);
  g_autofree char *words = tn_study_dup_totals(pta, TN_UNITS_IEC);
  g_assert_cmpstr(words, ==,
                  "PTA · peak allocated 3.0 MiB · peak reserved 8.0 MiB · 3 samples");
  g_autofree char *why = tn_study_dup_no_map(pta);
  g_assert_nonnull(strstr(why, "no map can be drawn. Open operator_memory.csv"));
  g_assert_true(tn_study_prepare(pta, TN_GROUP_AUTO, NULL));
  g_autoptr(TnDocument) modules = load_good(
      "Device_id,Component,Timestamp(us),Total Reserved(KB),Device\n0,HCCL,1,4,NPU:0\n"
      "0,SLOG,1,-1,NPU:0\n0,APP,2,1,NPU:0\n0,HCCL,3,2,NPU:0\n1,APP,9,9,NPU:1\n",
      "ascend-csv");
  tn_bytes reserved;
  peak_of(modules, 0, &reserved);
  g_assert_cmpint(reserved, ==, 5 << 10); /* 4 + 1 before HCCL gives half of it back */
  peak_of(modules, 1, &reserved);
  g_assert_cmpint(reserved, ==, 9 << 10); /* the other device's sum */
}

/* What passes from one module to another within a sampling was never held twice; what a module holds at once with
 * others was, also where it comes twice at one time. */
static void
test_module_sums(void)
{
  static const struct {
    const char *rows;
    tn_bytes peak; /* MiB */
  } files[] = {{"GE,100,0,NPU:0\nAPP,100,10,NPU:0\nGE,200,10,NPU:0\nAPP,200,0,NPU:0\nGE,300,10,NPU:0\nAPP,300,0,NPU:0\n", 10},
               {"GE,100,0,NPU:0\nAPP,100,10,NPU:0\nAPP,200,0,NPU:0\nGE,200,10,NPU:0\n", 10},
               {"GE,100,1,NPU:0\nAPP,100,10,NPU:0\nGE,200,12,NPU:0\nAPP,200,0,NPU:0\n", 12},
               {"GE,100,1,NPU:0\nAPP,100,10,NPU:0\nGE,100,12,NPU:0\nAPP,100,0,NPU:0\n", 12},
               {"GE,100,1,NPU:0\nX,100,9,NPU:1\nAPP,100,10,NPU:0\nGE,200,5,NPU:0\n", 15}};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *text =
        g_strconcat("Component,Timestamp(us),Total Reserved(MB),Device\n", files[i].rows, NULL);
    g_autoptr(TnDocument) document = load_good(text, "ascend-csv");
    tn_bytes reserved;
    peak_of(document, 0, &reserved);
    g_assert_cmpint(reserved, ==, files[i].peak << 20);
  }
}

/* Each generation of the headers says the same. */
/* Times that no recording has stand at its start: samples follow each other all the same. */
static void
test_odd_times(void)
{
  g_autoptr(TnDocument) document = load_good(
      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
      "PTA,-9000000000000000,1,4,NPU:0\nPTA,-8999999999999999,2,8,NPU:0\nPTA,9000000000000000,3,8,NPU:0\n",
      "ascend-csv");
  const GArray *samples = tn_document_get_device(document, 0)->samples;
  g_assert_cmpint(warned(document, "odd-times"), ==, 1);
  g_assert_cmpuint(samples->len, ==, 2);
  g_assert_cmpint(g_array_index(samples, TnSample, 0).tick, ==, 0);
  g_assert_cmpint(g_array_index(samples, TnSample, 0).allocated, ==, 3 << 20);
  g_assert_cmpint(g_array_index(samples, TnSample, 1).tick, ==, 1);
}

static void
test_record_headers(void)
{
  static const char *const texts[] = {
      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream "
      "Ptr,Device Type\nPTA,5,1,2,1,7\t,NPU:0\n",
      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\nPTA,5\t,1\t,2\t,"
      "NPU:0\n",
      "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device\n"
      "0,PTA,5,1024,2048,NPU:0\r\n",
      "Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device\n"
      "PTA,5E+00,1.024E+03,2048.0,NPU:0",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(TnDocument) document = load_good(texts[i], "ascend-csv");
    tn_bytes reserved;
    g_assert_cmpint(peak_of(document, 0, &reserved), ==, 1 << 20);
    g_assert_cmpint(reserved, ==, 2 << 20);
    g_assert_cmpint(account_of(document, 0)->total, ==, 2 << 20);
  }
}

static void
test_static(void)
{
  g_autoptr(TnDocument) document =
      load_good("Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n"
                "host,a,0,5,1,2,0.75\nhost,b,0,5,2,4294967295,1\nhost,TOTAL,0,5,1,4294967295,2.5\n",
                "ascend-csv");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpint(device->ordinal, ==, 5);
  g_assert_cmpuint(device->buffers->n, ==, 2);
  g_assert_cmpint(device->buffers->bytes[0], ==, 1024); /* blocks of 512 */
  g_assert_cmpint(device->buffers->requested[0], ==, 768);
  g_assert_cmpint(device->buffers->end[0], ==, 3); /* written inclusive */
  g_assert_cmpint(device->buffers->end[1], ==, device->axis_end);
  g_assert_cmpint(tn_account_row(account_of(document, 0)->details, 0)->bytes, ==, 2560);
  g_assert_cmpint(device->stated_total, ==, 2560); /* not the sum of the rows: 1792 */
}

/* ---- msMemScope and SQLite --------------------------------------------------------------------
 */

static void
test_memscope(void)
{
  g_autoptr(TnDocument) document = load_good(
      "ID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr,Call "
      "Stack(Python),Call Stack(C)\n"
      "1,SYSTEM,START_TRACE,N/A,1,9,9,N/A,N/A,,,\n"
      "2,MALLOC,HAL,N/"
      "A,1000,9,9,0,0x1000,\"{\"\"addr\"\":\"\"0x1000\"\",\"\"size\"\":\"\"8192\"\"}\",,\n"
      "3,MALLOC,PTA,N/A,2000,9,9,0,4096,\"{addr:4096,size:512,owner:,total:8192,used:512}\",\"/"
      "a.py(17"
      "4): f\n/b.py(2): <module>\n\",\n"
      "4,MSTX,Mark,step,2500,9,9,0,N/A,,,\n"
      "5,FREE,PTA,N/A,3000,9,9,0,4096,\"{addr:4096,size:-512,owner:}\",,\n"
      "6,FREE,HAL,N/A,4000,9,9,N/A,0x1000,\"{size:0}\",,\n"
      "7,FREE,HAL,N/A,4001,9,9,N/A,0x1000,\"{size:0}\",,\n"
      "8,MALLOC,PTA,N/A,x,9,9,0,4096,\"{size:5}\",,\n"
      "9,MALLOC,PTA,N/A,5000,9,9,0,8192,\"{size:51",
      "memscope-csv");
  const TnDevice *device = tn_document_get_device(document, 0);
  tn_bytes reserved;
  g_assert_cmpuint(device->events.n, ==, 4);
  g_assert_cmpint(peak_of(document, 0, &reserved), ==, 512);
  g_assert_cmpint(device->events.time_us[1], ==, 2);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).tick, ==, 2);
  g_assert_cmpint(warned(document, "unmatched-free"), ==, 1);
  g_assert_cmpint(warned(document, "damaged-events"), ==, 1);
  g_assert_cmpint(warned(document, "truncated"), ==, 1);
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(document->stacks, device->events.stack[1], &n);
  TnFrame frame = tn_stacks_frame(document->stacks, frames[0]);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(tn_strings_get(document->strings, frame.name), ==, "f");
  g_assert_cmpint(frame.line, ==, 174);
}

static char *
write_database(const char *sql)
{
  char *path = g_build_filename(g_get_tmp_dir(), "tenure-db-XXXXXX", NULL);
  g_close(g_mkstemp(path), NULL);
  sqlite3 *db = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close(db);
  return path;
}

static TnDocument *
load_database(const char *sql, bool from_memory, GError **error)
{
  g_autofree char *path = write_database(sql), *bytes = NULL;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  gsize size;
  g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
  g_autoptr(TnSource) source =
      from_memory ? tn_source_new_for_bytes("t.db", bytes, size) : tn_source_new(path, 0, NULL);
  TnDocument *document = tn_document_load_source(source, &options, error);
  g_unlink(path);
  return document;
}

static void
test_nsight(void)
{
  static const char *const exports[] = {
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId "
      "INTEGER,"
      " contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER, "
      "memoryOperationType INTEGER);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (3000, 281475000000000, 1, 1, 4096, 0, 512, "
      "2, 1), (1000, 281475000000000, 1, 1, 4096, 0, 512, 2, 0), (2000, 281475000000000, 1, 1, "
      "8192,"
      " 0, 1024, 4, 0), (2500, 281475000000000, 1, 1, NULL, 0, 1, 2, 0);",
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, deviceId INTEGER, address "
      "INTEGER, "
      "bytes INTEGER, memoryOperationType INTEGER);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1000, 1, 4096, 512, 0), (2000, 1, 8192, "
      "1024, 0), (2500, 1, 1, 2, 7), (3000, 1, 4096, 512, 1);"};
  for (gsize i = 0; i < G_N_ELEMENTS(exports); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = load_database(exports[i], i == 1, &error);
    g_assert_no_error(error);
    const TnDevice *device = tn_document_get_device(document, 0);
    g_assert_cmpint(device->ordinal, ==, 1);
    g_assert_cmpuint(device->events.n, ==, 3);
    g_assert_cmpint(device->axis_end, ==, 3); /* a finding said "1000 % of the recording" */
    g_assert_cmpint(device->events.action[2], ==, TN_EVENT_FREE);
    g_assert_cmphex(device->events.address[1], ==, 8192);
    g_assert_cmpint(peak_of(document, 0, NULL), ==, 1536);
    g_assert_cmpint(warned(document, "damaged-events"), ==, 1);
  }
}

static void
test_other_database(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_database("CREATE TABLE x (a);", false, &error);
  g_assert_null(document);
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED);
  g_clear_error(&error);
  document = load_database("CREATE TABLE memscope_dump (ID, Event);", false, &error);
  g_assert_null(document);
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
}

/* ---- torch's memory timeline -------------------------------------------------------------------
 */

static void
test_timeline(void)
{
  g_autoptr(TnDocument) document =
      load_good("[[-1, 1, 1024, 0], [100, 2, 512, 4], [150, 2, 512, 4],\n"
                "[200, 3, -512, 4], [200, 3, 512, 5],\n"
                "[250, 4, -512, 4], [300, 4, -77, 4], [300, 9, 1, 1]]",
                "memory-timeline");
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpuint(b->n, ==, 4);
  g_assert_cmpint(b->kind[0], ==, TN_KIND_BEFORE);
  g_assert_cmpint(b->bytes[0], ==, 1024);
  g_assert_cmpint(peak_of(document, 0, NULL), ==, 2048);
  g_assert_cmpint(warned(document, "unmatched-free"), ==, 1);
  g_assert_cmpint(warned(document, "damaged-events"), ==, 1);
  g_autoptr(TnDocument) summed = load_good(
      "[[10, 20.25, 30, 40, 50], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 10, 0, 0, 0, 0, 90, 0, 0], "
      "[0, 1, 1, 1, 1, 1, 1, 1, 1]]]",
      "memory-timeline");
  g_assert_cmpint(account_of(summed, 0)->total, ==, 100);
  g_assert_cmpint(tn_account_row(account_of(summed, 0)->rows, 5)->bytes, ==, 90);
  g_autoptr(GError) error = NULL;
  g_assert_null(load("[[-1, 1, 1024, 0], [100, 2, 512]]", &error));
  g_assert_true(g_str_has_prefix(error->message, "t:1:33: found a row of 3 values"));
}

/* ---- VMA ----------------------------------------------------------------------------------------
 */

static const char vma[] =
    "{\"General\": {\"API\": \"Vulkan\"}, \"Total\": {\"BlockBytes\": 5120, \"AllocationBytes\": "
    "1536},"
    "\"MemoryInfo\": {}, \"DefaultPools\": {\"Type 0\": {\"PreferredBlockSize\": 4096, \"Blocks\": "
    "{\"0\": {\"TotalBytes\": 4096, \"Suballocations\": [{\"Offset\": 0, \"Type\": \"BUFFER\", "
    "\"Size\": 512, \"Usage\": 3, \"Name\": \"weights\"}, {\"Offset\": 512, \"Type\": \"FREE\", "
    "\"Size\": 3584}]}}, \"DedicatedAllocations\": []}},"
    "\"CustomPools\": {\"Type 1\": [{\"Name\": \"p\", \"Blocks\": {}, \"DedicatedAllocations\": "
    "[{\"Type\": \"IMAGE_OPTIMAL\", \"Size\": 1024}]}]}}";

static void
test_vma(void)
{
  g_autoptr(TnDocument) document = load_good(vma, "vma-json");
  const TnDevice *device = tn_document_get_device(document, 0);
  tn_bytes reserved;
  g_assert_cmpuint(device->segments->len, ==, 2);
  g_assert_cmpuint(device->blocks->len, ==, 3);
  g_assert_cmpint(peak_of(document, 0, &reserved), ==, 1536);
  g_assert_cmpint(reserved, ==, 5120);
  g_assert_cmpint(g_array_index(device->blocks, TnBlock, 1).state, ==, TN_BLOCK_INACTIVE);
  g_assert_cmpint(warned(document, "incomplete-map"), ==, 0);
  for (gsize n = 80; n < sizeof vma - 1; n++) {
    g_autofree char *head = g_strndup(vma, n);
    g_autoptr(GError) error = NULL;
    g_assert_null(load(head, &error));
    g_assert_nonnull(error);
  }
}

/* ---- samples ------------------------------------------------------------------------------------
 */

static void
test_samples(void)
{
  static const struct {
    const char *file, *format;
    uint32_t device;
    tn_bytes peak;
  } rows[] = {
      {"ascend/pt_level2_operator_memory.csv", "ascend-csv", 0, 586741248},
      {"ascend/pt_operator_memory.csv", "ascend-csv", 0, 83951616},
      {"ascend/static_op_mem.csv", "ascend-csv", 0, 6302208},
      {"ascend/static_op_mem.csv", "ascend-csv", 1, 8701952},
      {"ascend/memscope_dump_a.csv", "memscope-csv", 2, 3663360},
      {"ascend/memscope_dump_a.csv", "memscope-csv", 4, 123904},
      {"ascend/memscope_example_baseline.csv", "memscope-csv", 0, 16778240},
      {"ascend/memscope_dump_host_pinned.db", "sqlite", 0, 22683648},
      {"pytorch/hta_memory_timeline.raw.json.gz", "memory-timeline", 0, 3082832104},
      {"logs/vma_dump_sample.json", "vma-json", 0, 73401500},
      {"ascend/pt_level2_memory_record.csv", "ascend-csv", 0, 0}, /* APP: reserved only */
      {"ascend/pt_level2_memory_record.csv", "ascend-csv", 1, 1322299392}, /* PTA+GE */
      {"ascend/pt_level2_memory_record.csv", "ascend-csv", 2, 1245688832}, /* PTA */
      {"ascend/pt_npu_module_mem.csv", "ascend-csv", 0, 0},
      {"ascend/pt_level2_npu_module_mem.csv", "ascend-csv", 0, 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *relative = g_strconcat("samples/", rows[i].file, NULL);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    if (!path)
      return;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(document->format, ==, rows[i].format);
    g_assert_cmpint(peak_of(document, rows[i].device, NULL), ==, rows[i].peak);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profilers/operators", test_operators);
  g_test_add_func("/profilers/records", test_records);
  g_test_add_func("/profilers/record-curves", test_record_curves);
  g_test_add_func("/profilers/module-sums", test_module_sums);
  g_test_add_func("/profilers/odd-times", test_odd_times);
  g_test_add_func("/profilers/record-headers", test_record_headers);
  g_test_add_func("/profilers/static", test_static);
  g_test_add_func("/profilers/memscope", test_memscope);
  g_test_add_func("/profilers/nsight", test_nsight);
  g_test_add_func("/profilers/other-database", test_other_database);
  g_test_add_func("/profilers/timeline", test_timeline);
  g_test_add_func("/profilers/vma", test_vma);
  g_test_add_func("/profilers/samples", test_samples);
  return g_test_run();
}
