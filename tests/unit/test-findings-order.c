/* SPDX-License-Identifier: MIT */
/* Notes on the order of events: each is found where it was planted, with its lines, and a log in
 * which all is well stays silent. */
#include "config.h"

#include "analysis/findings-all.h"
#include "analysis/findings-order.h"
#include "data/reader.h"

#include <string.h>

#define HEAD "{\"format\": \"tenure-log\", \"version\": 1}\n"
#define HEAD_ONE "{\"format\": \"tenure-log\", \"version\": 1, \"single_thread\": true}\n"

/* All notes on the order of events of device `row` of a text, any format that is known. */
static TnFindings *
notes_of(const char *name, const char *text, uint32_t row)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes(name, text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  g_autoptr(TnStudy) study = tn_study_new(document, row, &params, NULL, &error);
  g_assert_no_error(error);
  TnFindings *findings = tn_findings_new();
  tn_find_shared_allocators(study, findings);
  tn_find_early_frees(study, findings);
  tn_find_pending_frees(study, findings);
  tn_find_device_fallbacks(study, findings);
  tn_find_unfinished_allocators(study, findings);
  return findings;
}

static void
assert_silent(const char *name, const char *text, uint32_t row)
{
  g_autoptr(TnFindings) findings = notes_of(name, text, row);
  if (findings->rows->len)
    g_test_message("%s", tn_findings_get(findings, 0)->message);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

static void
assert_only(const TnFindings *findings, const char *code, const char *message)
{
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->code, ==, code);
  g_assert_cmpstr(finding->message, ==, message);
  g_assert_cmpint(finding->severity, ==, TN_SEVERITY_NOTE);
}

/* ---- shared-allocator ---------------------------------------------------------------------- */

#define GE(tid) "[INFO] GE(77,python3):2025-05-01-10:00:00.000.001 [tracing.cc:12]" tid " Run: "
#define EXPAND(place, allocator)                                                                   \
  GE("5")                                                                                          \
  "[MEM]Expand memory pool at stream 0x12, address " place                                         \
  ", size 65536, block 0x5, allocator addr " allocator "\n"
#define TAKE(tid, place)                                                                           \
  GE(tid)                                                                                          \
  "[KernelTrace][A][MEM]Alloc memory at stream 0, block 0x1, address " place                       \
  ", size 512, tensor size 500, index 0\n"
#define GIVE(tid, place)                                                                           \
  GE(tid)                                                                                          \
  "[KernelTrace][F][MEM]Free memory at stream -1, address " place                                  \
  "\n" GE(tid) "[KernelTrace][F][MEM]Recycle memory at stream 0, address " place "\n"
#define SHRINK(place)                                                                              \
  GE("5") "[MEM]Shrink memory pool at stream 0x12, address " place ", size 65536\n"

static void
test_shared_trace(void)
{
  g_autoptr(TnFindings) findings = notes_of(
      "t.log",
      EXPAND("0x10000", "0xa7") EXPAND("0x90000", "0xb8") TAKE("5", "0x10000") TAKE("6", "0x90000")
          GIVE("5", "0x10000") TAKE("6", "0x10000") TAKE("6", "0x10200"),
      0);
  assert_only(
      findings, "shared-allocator",
      "allocator 0xa7 is for one thread and has no lock, but thread 5 takes from it (first in "
      "line 3) and so does thread 6 (from line 7 on; 2 allocations by others than the first)");
  g_assert_cmpint(tn_findings_get(findings, 0)->at, ==, 6);
}

/* Two threads with an allocator each; the place of one goes to the other by way of the device. */
static void
test_own_trace(void)
{
  assert_silent("t.log",
                EXPAND("0x10000", "0xa7") EXPAND("0x90000", "0xb8") TAKE("5", "0x10000")
                    TAKE("6", "0x90000") GIVE("5", "0x10000") TAKE("5", "0x10000")
                        GIVE("5", "0x10000") SHRINK("0x10000") EXPAND("0x10000", "0xb8")
                            TAKE("6", "0x10000"),
                0);
  /* Lines without a prefix say nothing of threads. */
  assert_silent("t.log",
                "[MEM]Expand memory pool at stream 0x1, address 0x1000, size 4096\n"
                "[KernelTrace][A][MEM]Alloc memory at stream 0, address 0x1000, size 512\n",
                0);
}

#define EVENT(what, rest) "{\"t\": 1, \"event\": \"" what "\", " rest "}\n"
#define ALLOC(place, rest) EVENT("alloc", "\"address\": " place ", \"bytes\": 512, " rest)

static void
test_shared_log(void)
{
  static const char body[] = ALLOC("4096", "\"thread\": 1, \"pool\": \"a\"")
      ALLOC("8192", "\"thread\": \"loader\", \"pool\": \"b\"")
          ALLOC("16384", "\"thread\": \"loader\", \"pool\": \"a\"");
  g_autofree char *one = g_strconcat(HEAD_ONE, body, NULL), *many = g_strconcat(HEAD, body, NULL);
  g_autoptr(TnFindings) findings = notes_of("t.tenure-log", one, 0);
  assert_only(
      findings, "shared-allocator",
      "a is for one thread and has no lock, but thread 1 takes from it (first in line 2) and "
      "so does thread loader (from line 4 on; 1 allocation by others than the first)");
  assert_silent("t.tenure-log", many, 0);
}

/* ---- free-before-sync ---------------------------------------------------------------------- */

#define ON(event, stream, place) EVENT(event, "\"address\": " place ", \"stream\": " stream)

static void
test_early_log(void)
{
  g_autoptr(TnFindings) findings =
      notes_of("t.tenure-log",
               HEAD ALLOC("4096", "\"stream\": 0, \"name\": \"x\"")
                   ALLOC("8192", "\"stream\": 0, \"name\": \"y\"") ON("use", "3", "4096")
                       EVENT("sync", "\"stream\": 3") ON("use", "3", "8192")
                           EVENT("free", "\"address\": 4096") EVENT("free", "\"address\": 8192"),
               0);
  assert_only(
      findings, "free-before-sync",
      "1 buffer (512 B) is given back while another stream may still work on it: y, taken in "
      "line 3, is with stream 3 in line 6 and freed in line 8, and nothing waits for that "
      "stream in between");
  g_assert_cmpint(tn_findings_get(findings, 0)->at, ==, 6);
  g_assert_cmpuint(g_array_index(tn_findings_get(findings, 0)->buffers, uint32_t, 0), ==, 1);
}

/* 0 waits for 2, which waited for 3; a log without syncs does not tell; nor does a use by an
 * unnamed stream. */
static void
test_synced_log(void)
{
  assert_silent("t.tenure-log",
                HEAD ALLOC("4096", "\"stream\": 0") ON("use", "3", "4096")
                    EVENT("wait", "\"stream\": 2, \"for\": 3")
                        EVENT("wait", "\"stream\": 0, \"for\": 2")
                            EVENT("free", "\"address\": 4096"),
                0);
  assert_silent("t.tenure-log",
                HEAD ALLOC("4096", "\"stream\": 0") ON("use", "3", "4096")
                    EVENT("free", "\"address\": 4096"),
                0);
  assert_silent("t.tenure-log",
                HEAD EVENT("sync", "\"stream\": 1") ALLOC("4096", "\"stream\": 2")
                    EVENT("use", "\"address\": 4096") EVENT("free", "\"address\": 4096"),
                0);
}

/* The largest number is a stream like any other. */
static void
test_largest_stream(void)
{
  assert_silent("t.tenure-log",
                HEAD EVENT("sync", "\"stream\": 1")
                    ALLOC("4096", "\"stream\": \"0xffffffffffffffff\"") ON("use", "1", "8192")
                        EVENT("free", "\"address\": 4096"),
                0);
}

/* The wrong way round: 3 waits for 0 does not tell 0 that 3 is done. */
static void
test_wrong_way(void)
{
  g_autoptr(TnFindings) findings =
      notes_of("t.tenure-log",
               HEAD ALLOC("4096", "\"stream\": 0") ON("use", "3", "4096")
                   EVENT("wait", "\"stream\": 3, \"for\": 0") EVENT("free", "\"address\": 4096"),
               0);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "free-before-sync");
}

#define K(text) GE("5") "[KernelTrace][K]" text "\n"
#define WANDER K("[MEM]Memory wandering from stream 0 to 1, address 0x10000")
#define LOCAL K("[MEM]Local-recycle memory at stream 1, address 0x10000, birth stream 0")
#define HOME K("[MEM]Recycle memory at stream 0, address 0x10000")

static void
test_early_trace(void)
{
  static const char start[] = EXPAND("0x10000", "0xa7") TAKE("5", "0x10000") WANDER LOCAL;
  g_autofree char *early = g_strconcat(start, HOME, NULL);
  g_autofree char *waited = g_strconcat(start,
                                        K("Sent event 9 RT event 0x77 from stream 1")
                                            K("Waited event 9 RT event 0x77 at stream 0"),
                                        HOME, NULL);
  g_autoptr(TnFindings) findings = notes_of("t.log", early, 0);
  g_autoptr(TnFindings) good = notes_of("t.log", waited, 0);
  assert_only(
      findings, "free-before-sync",
      "1 buffer (512 B) is given back while another stream may still work on it: A, taken in "
      "line 2, is with stream 1 in line 4 and freed in line 5, and nothing waits for that "
      "stream in between");
  /* With the wait it is a free that has to wait, no more. */
  assert_only(
      good, "pending-free",
      "1 buffer (512 B) was freed before the streams that use it were synchronised, and stayed "
      "taken until then: at most 512 B at once (line 4), the longest for 2 events (from "
      "line 4)");
}

/* ---- pending-free -------------------------------------------------------------------------- */

#define ENTRY(action, address, size)                                                               \
  "{\"action\": \"" action "\", \"addr\": " address ", \"size\": " size ", \"stream\": 0}"
#define SNAPSHOT(trace) "{\"segments\": [], \"device_traces\": [[" trace "]]}"

/* 1 MiB waits while another MiB is taken: without the wait the peak would be one of them. */
static void
test_pending(void)
{
  g_autoptr(TnFindings) findings = notes_of(
      "t.json",
      SNAPSHOT(ENTRY("alloc", "4096", "1048576") "," ENTRY(
          "free_requested", "4096",
          "1048576") "," ENTRY("alloc", "9000000",
                               "1048576") "," ENTRY("free_completed", "4096",
                                                    "1048576") "," ENTRY("free_requested",
                                                                         "9000000",
                                                                         "1048576") "," ENTRY("free"
                                                                                              "_com"
                                                                                              "plet"
                                                                                              "ed",
                                                                                              "9000"
                                                                                              "000",
                                                                                              "1048"
                                                                                              "57"
                                                                                              "6")),
      0);
  assert_only(
      findings, "pending-free",
      "1 buffer (1.0 MiB) was freed before the streams that use it were synchronised, and "
      "stayed taken until then: at most 1.0 MiB at once (event 1), the longest for 2 events "
      "(from event 1)");
  g_assert_cmpint(tn_findings_get(findings, 0)->saving_bytes, ==, 1048576);
  assert_silent("t.json",
                SNAPSHOT(ENTRY("alloc", "4096", "512") "," ENTRY(
                    "free_requested", "4096", "512") "," ENTRY("free_completed", "4096", "512")),
                0);
}

/* The free that comes twice is of another buffer there, whose alloc was lost: it waited for nobody. */
static void
test_pending_lost(void)
{
  g_autoptr(TnFindings) findings =
      notes_of("t.json",
               SNAPSHOT(ENTRY("alloc", "4096", "1048576") "," ENTRY("free_requested", "4096", "1048576") "," ENTRY(
                   "alloc", "9000000", "1048576") "," ENTRY("free_completed", "4096", "1048576") "," ENTRY(
                   "free_completed", "4096", "512")),
               0);
  assert_only(
      findings, "pending-free",
      "1 buffer (1.0 MiB) was freed before the streams that use it were synchronised, and "
      "stayed taken until then: at most 1.0 MiB at once (event 1), the longest for 2 events "
      "(from event 1)");
}

/* ---- device-fallback ----------------------------------------------------------------------- */

static void
test_unnamed(void)
{
  static const char named[] = ALLOC("4096", "\"device\": 1") ALLOC("4096", "\"device\": 0");
  g_autofree char *mixed = g_strconcat(HEAD, named, ALLOC("8192", "\"stream\": 0"), NULL);
  g_autofree char *clean = g_strconcat(HEAD, named, NULL);
  g_autoptr(TnFindings) findings = notes_of("t.tenure-log", mixed, 1);
  assert_only(findings, "device-fallback",
              "1 event names no device and counts for device 0 (the first in line 4), while others "
              "name device 1");
  g_autofree char *synced = g_strconcat(HEAD, named, EVENT("sync", "\"stream\": 0"), NULL);
  assert_silent("t.tenure-log", synced, 1);
  assert_silent("t.tenure-log", mixed, 0);
  assert_silent("t.tenure-log", clean, 0);
  assert_silent("t.tenure-log", clean, 1);
  assert_silent("t.tenure-log", HEAD ALLOC("4096", "\"stream\": 0"), 0);
}

static void
test_unnamed_report(void)
{
  g_autoptr(TnFindings) findings = notes_of(
      "t.log",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU  has a total "
      "capacity of 15.77 GiB of which 1.00 GiB is free. Of the allocated memory 12.00 GiB is "
      "allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n",
      0);
  assert_only(findings, "device-fallback",
              "1 report names no device and counts for device 0 (the first in line 1)");
  assert_silent("t.log",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has "
                "a total capacity of 15.77 GiB of which 1.00 GiB is free. Of the allocated "
                "memory 12.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by "
                "PyTorch but unallocated.\n",
                0);
}

#define TITLES                                                                                     \
  "ID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr,"                \
  "Call Stack(Python),Call Stack(C)\n"
#define MALLOC(process, device, place, size)                                                       \
  "1,MALLOC,PTA,N/A,100," process ",1," device "," place ",\"{allocation_id:1,addr:" place         \
  ",size:" size "}\",,\n"

/* Process 20 works on device 1, and has a little of device 0 beside process 10. */
static void
test_strayed(void)
{
  g_autoptr(TnFindings) findings =
      notes_of("t.csv",
               TITLES MALLOC("10", "0", "0x1000", "8192") MALLOC("20", "1", "0x1000", "8192")
                   MALLOC("20", "0", "0x9000", "1024"),
               2);
  assert_only(findings, "device-fallback",
              "Process 20 works on device 1 (8.0 KiB allocated in all) and has 1.0 KiB on device 0 "
              "too, which is process 10's");
  assert_silent("t.csv",
                TITLES MALLOC("10", "0", "0x1000", "8192") MALLOC("20", "1", "0x1000", "8192"), 1);
  /* One process that uses both alike is a process that uses both. */
  assert_silent("t.csv",
                TITLES MALLOC("20", "0", "0x1000", "8192") MALLOC("20", "1", "0x1000", "8192"), 0);
}

#define SEGMENT(device, address)                                                                   \
  "{\"device\": " device ", \"address\": " address                                                 \
  ", \"total_size\": 2097152, \"stream\": 0, \"blocks\": []}"

static void
test_misplaced(void)
{
#define TRACES                                                                                     \
  "\"device_traces\": [[" ENTRY("segment_alloc", "4096", "2097152") "], [" ENTRY(                  \
      "segment_alloc", "9000000", "2097152") "]]}"
  g_autoptr(TnFindings) findings =
      notes_of("t.json",
               "{\"segments\": [" SEGMENT("0", "4096") "," SEGMENT("0", "9000000") "], " TRACES, 0);
  assert_only(
      findings, "device-fallback",
      "1 segment (2.0 MiB) stands under device 0, but device 1's events took it: the first is at "
      "0x895440");
  assert_silent("t.json",
                "{\"segments\": [" SEGMENT("0", "4096") "," SEGMENT("1", "9000000") "], " TRACES,
                0);
}

/* ---- not-finalized ------------------------------------------------------------------------- */

static void
test_unfinished_log(void)
{
  static const char body[] = ALLOC("4096", "\"pool\": \"a\"") ALLOC("8192", "\"pool\": \"b\"")
      EVENT("free", "\"address\": 4096, \"pool\": \"a\"") EVENT("finalize", "\"pool\": \"a\"");
  g_autofree char *open = g_strconcat(HEAD, body, NULL);
  g_autofree char *ended = g_strconcat(HEAD, body, EVENT("finalize", "\"pool\": \"b\""), NULL);
  g_autoptr(TnFindings) findings = notes_of("t.tenure-log", open, 0);
  assert_only(
      findings, "not-finalized",
      "The allocator of pool b, stream 0, first used in line 3, is never finalised, as others "
      "are (line 5); 1 buffer (512 B) is alive in it at the end");
  g_assert_cmpint(tn_findings_get(findings, 0)->bytes, ==, 512);
  assert_silent("t.tenure-log", ended, 0);
  assert_silent("t.tenure-log", HEAD ALLOC("4096", "\"pool\": \"a\""), 0);
}

#define EXIT                                                                                       \
  "[INFO] DRV(77,python3):2025-05-01-10:00:09.1 [svm_mem_statistics.c:150][drv][devmm]"            \
  "[_svm_mem_stats_show]HOST_MEM Mem stats (Bytes). (module_name=RUNTIME; module_id=7; "           \
  "current_alloced_size=0; allocated_peak_size=11341824; alloc_cnt=3; free_cnt=3)\n"

static void
test_unfinished_trace(void)
{
  static const char body[] = EXPAND("0x10000", "0xa7") EXPAND("0x90000", "0xb8")
      TAKE("5", "0x10000") GIVE("5", "0x10000") SHRINK("0x10000");
  g_autofree char *ends = g_strconcat(body, EXIT, NULL);
  g_autofree char *good = g_strconcat(body, SHRINK("0x90000"), EXIT, NULL);
  g_autoptr(TnFindings) findings = notes_of("t.log", ends, 0);
  assert_only(
      findings, "not-finalized",
      "allocator 0xb8 is never finalised: 1 piece of its pool (64.0 KiB) is not given back when "
      "the process ends (line 7), the first from line 2");
  assert_silent("t.log", good, 0);
  assert_silent("t.log", body, 0); /* the log just stops */
}

/* They are among all findings, and behind what is worse. */
static void
test_among_all(void)
{
  static const char text[] = HEAD_ONE ALLOC("4096", "\"thread\": 1") ALLOC("8192", "\"thread\": 2");
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.tenure-log", text, sizeof text - 1);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnFindParams find = {0};
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_autoptr(TnFindings) findings = tn_findings_new();
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  tn_find_all(study, &find, findings);
  g_assert_cmpstr(tn_findings_get(findings, findings->rows->len - 1)->code, ==, "shared-allocator");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/order/shared-trace", test_shared_trace);
  g_test_add_func("/order/own-trace", test_own_trace);
  g_test_add_func("/order/shared-log", test_shared_log);
  g_test_add_func("/order/early-log", test_early_log);
  g_test_add_func("/order/synced-log", test_synced_log);
  g_test_add_func("/order/largest-stream", test_largest_stream);
  g_test_add_func("/order/wrong-way", test_wrong_way);
  g_test_add_func("/order/early-trace", test_early_trace);
  g_test_add_func("/order/pending", test_pending);
  g_test_add_func("/order/pending-lost", test_pending_lost);
  g_test_add_func("/order/unnamed", test_unnamed);
  g_test_add_func("/order/unnamed-report", test_unnamed_report);
  g_test_add_func("/order/strayed", test_strayed);
  g_test_add_func("/order/misplaced", test_misplaced);
  g_test_add_func("/order/unfinished-log", test_unfinished_log);
  g_test_add_func("/order/unfinished-trace", test_unfinished_trace);
  g_test_add_func("/order/among-all", test_among_all);
  return g_test_run();
}
