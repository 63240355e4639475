/* SPDX-License-Identifier: MIT */
/* The reader of text: each report's values, and the same with what surrounds a log in real life:
 * prefixes, colours, CRLF, ranks in turn, an end in the middle of anything. */
#include "config.h"

#include "analysis/findings-all.h"
#include "data/error.h"
#include "data/reader.h"
#include "data/readers/text-prefix.h"
#include "shared.h"

#include <string.h>

static TnDocument *
load_bytes(const char *text, gsize size)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", text, size);
  TnReadOptions options = {.format = "text-log"};
  return tn_document_load_source(source, &options, NULL);
}

static TnDocument *
load(const char *text)
{
  TnDocument *document = load_bytes(text, strlen(text));
  g_assert_nonnull(document);
  g_assert_cmpstr(document->format, ==, "text-log");
  return document;
}

static TnDocument *
load_sample(const char *relative)
{
  g_autofree char *path = shared_path(relative);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  if (!path)
    return NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "text-log");
  return document;
}

static const TnAccount *
account_of(const TnDocument *document, guint i)
{
  g_assert_cmpuint(i, <, document->accounts->len);
  return g_ptr_array_index(document->accounts, i);
}

/* The bytes of the row or detail of this name; TN_BYTES_UNKNOWN where there is none. */
static tn_bytes
bytes_of(const TnAccount *account, const char *what)
{
  const GArray *lists[] = {account->rows, account->details};
  for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint i = 0; i < lists[l]->len; i++)
      if (strcmp(tn_account_row(lists[l], i)->what, what) == 0)
        return tn_account_row(lists[l], i)->bytes;
  return TN_BYTES_UNKNOWN;
}

static void
assert_adds_up(const TnDocument *document)
{
  for (guint i = 0; i < document->accounts->len; i++) {
    const TnAccount *account = account_of(document, i);
    if (account->total >= 0 && account->rows->len && !account->is_cut_off)
      g_assert_cmpint(tn_account_sum(account), ==, account->total);
  }
}

static bool
has_warning(const TnDocument *document, const char *code)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics); i++)
    if (strcmp(tn_diagnostics_get(document->diagnostics, i)->code, code) == 0)
      return true;
  return false;
}

/* ---- noise ----------------------------------------------------------------------------- */

typedef enum { PLAIN, TAGGED, COLOURED, DOS, DATED, QUOTED, DOCKER, COMPOSE, HTML, N_NOISES } Noise;

static void
append_noisy(GString *out, const char *line, Noise noise)
{
  static const char *const prefixes[N_NOISES] = {
      [PLAIN] = "",
      [TAGGED] = "[rank3]: ",
      [COLOURED] = "\x1b[31m\x1b[1m",
      [DOS] = "",
      [DATED] = "2024-05-01T12:00:00.123456789Z stderr F ",
      [QUOTED] = "> ",
      [DOCKER] = "{\"log\":\"",
      [COMPOSE] = "trainer-1  | ",
      [HTML] = "",
  };
  g_string_append(out, prefixes[noise]);
  for (const char *at = line; *at; at++)
    if (noise == DOCKER && strchr("\"\\", *at))
      g_string_append_printf(out, "\\%c", *at);
    else if (noise == HTML && *at == '>')
      g_string_append(out, "&gt;");
    else
      g_string_append_c(out, *at);
  g_string_append(out, noise == COLOURED ? "\x1b[0m\n"
                       : noise == DOS    ? "\r\n"
                       : noise == DOCKER ? "\\n\",\"stream\":\"stderr\",\"time\":\"x\"}\n"
                                         : "\n");
}

static char *
make_noisy(const char *text, Noise noise)
{
  g_autoptr(GString) out = g_string_new(noise == COLOURED ? "50%|##\r100%|####\n" : NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] && (lines[i + 1] || lines[i][0]); i++)
    append_noisy(out, lines[i], noise);
  return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- PyTorch --------------------------------------------------------------------------- */

#define GIB(x) ((tn_bytes)((x)*1073741824.0 + 0.5))
#define MIB(x) ((tn_bytes)((x)*1048576.0 + 0.5))

static const struct {
  const char *text;
  int device;
  tn_bytes requested, total, free, allocated, unallocated;
} sentences[] = {
    {"RuntimeError: CUDA out of memory. Tried to allocate 16.00 GiB (GPU 0; 11.93 GiB total "
     "capacity; 4.00 GiB already allocated; 7.33 GiB free; 179.00 KiB cached)\n",
     0, GIB(16), GIB(11.93), GIB(7.33), GIB(4), 179 * 1024},
    {"RuntimeError: CUDA out of memory. Tried to allocate 128.00 MiB (GPU 2; 11.17 GiB total "
     "capacity; 10.85 GiB already allocated; 24.81 MiB free; 10.86 GiB reserved in total by "
     "PyTorch)\n",
     2, MIB(128), GIB(11.17), MIB(24.81), GIB(10.85), GIB(10.86) - GIB(10.85)},
    {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a "
     "total capacty of 6.00 GiB of which 0 bytes is free. Of the allocated memory 2.93 GiB is "
     "allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated. If reserved\n",
     0, GIB(1.7), GIB(6), 0, GIB(2.93), GIB(2.3)},
    {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 22.78 GiB. GPU 7 has a total "
     "capacity of 31.47 GiB of which 12.73 GiB is free. Including non-PyTorch memory, this process "
     "has 18.73 GiB memory in use. Of the allocated memory 9.08 GiB is allocated by PyTorch, with "
     "100.00 MiB allocated in private pools (e.g., CUDA Graphs), and 9.35 GiB is reserved by "
     "PyTorch but unallocated. If reserved but unallocated memory is large\n",
     7, GIB(22.78), GIB(31.47), GIB(12.73), GIB(9.08), GIB(9.35)},
    {"NPU out of memory. Tried to allocate 2.00 GiB (NPU 1; 32.00 GiB total capacity; 29.13 GiB "
     "already allocated; 29.13 GiB current active; 1.29 GiB free; 29.56 GiB reserved in total by "
     "PyTorch) If reserved\n",
     1, GIB(2), GIB(32), GIB(1.29), GIB(29.13), GIB(29.56) - GIB(29.13)},
    /* Wrapped by a terminal or a mail. */
    {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has\n a total "
     "capacity of 6.00 GiB of which\n 0 bytes is free. Of the allocated memory 2.93\n GiB is "
     "allocated by PyTorch, and 2.30 GiB is reserved by\n PyTorch but unallocated. If\n",
     0, GIB(1.7), GIB(6), 0, GIB(2.93), GIB(2.3)},
};

static void
check_sentence(const TnDocument *document, gsize i)
{
  const TnAccount *account = account_of(document, 0);
  g_assert_cmpuint(document->accounts->len, ==, 1);
  g_assert_false(account->is_cut_off);
  g_assert_cmpint(account->total, ==, sentences[i].total);
  g_assert_cmpint(bytes_of(account, "requested"), ==, sentences[i].requested);
  g_assert_cmpint(bytes_of(account, "free on the device"), ==, sentences[i].free);
  g_assert_cmpint(bytes_of(account, "allocated by PyTorch"), ==, sentences[i].allocated);
  g_assert_cmpint(bytes_of(account, "reserved by PyTorch, unallocated"), ==,
                  sentences[i].unallocated);
  assert_adds_up(document);
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnMark *mark = &g_array_index(device->marks, TnMark, 0);
  g_assert_cmpint(device->ordinal, ==, sentences[i].device);
  g_assert_cmpint(device->total_bytes, ==, sentences[i].total);
  g_assert_cmpint(mark->requested, ==, sentences[i].requested);
  g_assert_cmpint(mark->device_free, ==, sentences[i].free);
}

static void
test_pytorch(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sentences); i++)
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(sentences[i].text, noise);
      g_autoptr(TnDocument) document = load(noisy);
      check_sentence(document, i);
    }
}

/* Cut off after any byte: a figure is right, or is not there and the report says so. */
static void
test_pytorch_cut(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sentences); i++)
    for (gsize n = 0; n < strlen(sentences[i].text); n++) {
      g_autoptr(TnDocument) document = load_bytes(sentences[i].text, n);
      if (!document || !document->accounts->len)
        continue;
      const TnAccount *account = account_of(document, 0);
      const struct {
        tn_bytes have, want;
      } figures[] = {
          {account->total, sentences[i].total},
          {bytes_of(account, "requested"), sentences[i].requested},
          {bytes_of(account, "free on the device"), sentences[i].free},
          {bytes_of(account, "allocated by PyTorch"), sentences[i].allocated},
          {bytes_of(account, "reserved by PyTorch, unallocated"), sentences[i].unallocated}};
      bool is_whole = true;
      for (gsize k = 0; k < G_N_ELEMENTS(figures); k++) {
        is_whole &= figures[k].have == figures[k].want;
        if (figures[k].have != TN_BYTES_UNKNOWN)
          g_assert_cmpint(figures[k].have, ==, figures[k].want);
      }
      g_assert_true(is_whole || account->is_cut_off);
      g_assert_true(is_whole || has_warning(document, "cut-off"));
    }
}

/* Inside a container the driver's "Process 76883" is this very process. */
static void
test_pytorch_container(void)
{
  g_autoptr(TnDocument) document = load(
      "CUDA out of memory. Tried to allocate 35.60 GiB. GPU 0 has a total capacity of 79.33 GiB of "
      "which 26.16 GiB is free. Process 76883 has 53.16 GiB memory in use. Of the allocated memory "
      "11.97 GiB is allocated by PyTorch, and 40.69 GiB is reserved by PyTorch but unallocated.\n");
  const TnAccount *account = account_of(document, 0);
  g_assert_cmpint(bytes_of(account, "other processes"), ==, TN_BYTES_UNKNOWN);
  g_assert_cmpint(bytes_of(account, "this process, outside PyTorch's allocator"), ==,
                  GIB(53.16) - GIB(11.97) - GIB(40.69));
  g_autoptr(TnDocument) shared = load(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 40.00 GiB of "
      "which 1.00 GiB is free. Process 1 has 20.00 GiB memory in use. Process 2 has 9.00 GiB "
      "memory "
      "in use. Of the allocated memory 8.00 GiB is allocated by PyTorch, and 1.50 GiB is reserved "
      "by PyTorch but unallocated.\n");
  g_assert_cmpint(bytes_of(account_of(shared, 0), "other processes"), ==, GIB(29));
  g_assert_cmpint(bytes_of(account_of(shared, 0), "not said by the report"), ==, GIB(0.5));
}

static void
test_summary(void)
{
  static const char text[] =
      "|===========================================================================|\n"
      "|                  PyTorch CUDA memory summary, device ID 1                 |\n"
      "|---------------------------------------------------------------------------|\n"
      "|            CUDA OOMs: 2            |        cudaMalloc retries: 5         |\n"
      "|===========================================================================|\n"
      "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
      "|---------------------------------------------------------------------------|\n"
      "| Allocated memory      |  21648 MiB |  21649 MiB |  58362 MiB |  36714 MiB |\n"
      "|       from large pool |  21600 MiB |  21601 MiB |  58000 MiB |  36400 MiB |\n"
      "|---------------------------------------------------------------------------|\n"
      "| Active memory         |  21648 MiB |  21649 MiB |  58362 MiB |  36714 MiB |\n"
      "| GPU reserved memory   |  22000 MiB |  22500 MiB |  22500 MiB |    500 MiB |\n"
      "| Non-releasable memory |    100 MiB |    900 MiB |  39000 MiB |  38900 MiB |\n"
      "| Allocations           |    1000    |    1010    |   50000    |   49000    |\n"
      "|===========================================================================|\n";
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    const TnAccount *account = account_of(document, 0);
    g_assert_false(account->is_cut_off);
    g_assert_cmpint(account->total, ==, MIB(22000));
    g_assert_cmpint(bytes_of(account, "allocated"), ==, MIB(21648));
    g_assert_cmpint(bytes_of(account, "reserved, unallocated"), ==, MIB(352));
    g_assert_cmpint(bytes_of(account, "peak reserved"), ==, MIB(22500));
    g_assert_cmpint(bytes_of(account, "non-releasable"), ==, MIB(100));
  }
  g_autoptr(TnDocument) cut = load_bytes(text, sizeof text / 2);
  g_assert_true(account_of(cut, 0)->is_cut_off);
}

/* ---- BFC ------------------------------------------------------------------------------- */

/* The three generations of one state: 4 chunks, 1 free, of 16 MiB with a limit of 32 MiB. */
static const char *const dumps[] = {
    "2016-11-06 08:55:24.9: W tensorflow/core/common_runtime/bfc_allocator.cc:273] Allocator "
    "(GPU_0_bfc) ran out of memory trying to allocate 20.00MiB.  Current allocation summary "
    "follows.\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:661] Chunk at 0x905a40000 of size 1048576\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:661] Chunk at 0x905b40000 of size 2097152\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:661] Chunk at 0x906140000 of size 9437184\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:670] Free at 0x905d40000 of size 4194304\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:685] Stats: \n"
    "Limit:                    33554432\nInUse:                    12582912\n"
    "MaxInUse:                 12582912\nNumAllocs:                       3\n"
    "MaxAllocSize:              9437184\n\n"
    "W tensorflow/core/common_runtime/bfc_allocator.cc:277] "
    "****____________________________________________________________________xxx*****************"
    "*******\n"
    "W tensorflow/core/framework/op_kernel.cc:1192] Resource exhausted: OOM when allocating tensor "
    "with shape[5,1024,1024]\n",
    "2021-11-06 08:55:24.9: W tensorflow/core/common_runtime/bfc_allocator.cc:433] Allocator "
    "(GPU_0_bfc) ran out of memory trying to allocate 20.00MiB (rounded to 20971520)requested by "
    "op model/dense/MatMul\n"
    "Current allocation summary follows.\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:990] InUse at 905a40000 of size 1048576 by "
    "op Const action_count 10 step 0 next 1\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:990] InUse at 905b40000 of size 2097152 "
    "next 2\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:990] Free  at 905d40000 of size 4194304 "
    "next 3\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:990] InUse at 906140000 of size 9437184 "
    "next 18446744073709551615\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:1004] total_region_allocated_bytes_: "
    "16777216 memory_limit_: 33554432 available bytes: 16777216 curr_region_allocation_bytes_: 1\n"
    "I tensorflow/core/common_runtime/bfc_allocator.cc:1010] Stats: \n"
    "Limit:                    33554432\nInUse:                    12582912\n"
    "MaxInUse:                 12582912\nNumAllocs:                       3\n"
    "MaxAllocSize:              9437184\nReserved:                        0\n\n"
    "W tensorflow/core/common_runtime/bfc_allocator.cc:439] "
    "****____________________________________________________________________xxx*****************"
    "*******\n"
    "W tensorflow/core/framework/op_kernel.cc:1753] OP_REQUIRES failed at transpose_op.cc:198 : "
    "Resource exhausted: OOM when allocating tensor with shape[5,1024,1024] and type float\n",
    "2025-07-31 20:22:43.042617: W external/xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator "
    "(GPU_0_bfc) ran out of memory trying to allocate 20.00MiB (rounded to 20971520)requested by "
    "op \n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1053] Next region of size 16777216\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1073] InUse at 905a40000 of size 1048576 "
    "next 1\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1073] InUse at 905b40000 of size 2097152 "
    "next 2\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1073] Free  at 905d40000 of size 4194304 "
    "next 3\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1073] InUse at 906140000 of size 9437184 "
    "next 18446744073709551615\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1083] Total bytes in pool: 16777216 "
    "memory_limit_: 33554432 available bytes: 16777216 curr_region_allocation_bytes_: 33554432\n"
    "I external/xla/xla/tsl/framework/bfc_allocator.cc:1088] Stats: \n"
    "Limit:                    33554432\nInUse:                    12582912\n"
    "MaxInUse:                 12582912\nNumAllocs:                       3\n"
    "MaxAllocSize:              9437184\nReserved:                        0\n"
    "PeakReserved:                    0\nLargestFreeBlock:                0\n\n"
    "W external/xla/xla/tsl/framework/bfc_allocator.cc:494] "
    "****____________________________________________________________________xxx*****************"
    "*******\n",
};

static void
check_dump(const TnDocument *document, guint row)
{
  const TnDevice *device = tn_document_get_device(document, row);
  const TnAccount *account = account_of(document, row);
  g_assert_false(account->is_cut_off);
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_LOG);
  g_assert_cmpuint(device->segments->len, ==, 1);
  g_assert_cmpuint(device->blocks->len, ==, 4);
  const TnSegment *segment = &g_array_index(device->segments, TnSegment, 0);
  g_assert_cmphex(segment->address, ==, 0x905a40000);
  g_assert_cmpint(segment->bytes, ==, MIB(16));
  const TnBlock *hole = &g_array_index(device->blocks, TnBlock, 2);
  g_assert_cmphex(hole->address, ==, 0x905d40000);
  g_assert_cmpint(hole->bytes, ==, MIB(4));
  g_assert_cmpint(hole->state, ==, TN_BLOCK_INACTIVE);
  g_assert_cmpuint(device->marks->len, ==, 1);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).requested, ==, MIB(20));
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).device_free, ==, MIB(16));
  g_assert_cmpint(account->total, ==, MIB(32));
  g_assert_cmpint(bytes_of(account, "in use"), ==, MIB(12));
  g_assert_cmpint(bytes_of(account, "free in the allocator's regions"), ==, MIB(4));
  g_assert_cmpint(bytes_of(account, "not taken from the device yet"), ==, MIB(16));
  assert_adds_up(document);
}

static void
test_bfc(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(dumps); i++)
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(dumps[i], noise);
      g_autoptr(TnDocument) document = load(noisy);
      g_assert_cmpuint(document->accounts->len, ==, 1);
      check_dump(document, 0);
    }
}

/* Two ranks write in turns; two dumps follow each other. */
static void
test_bfc_ranks(void)
{
  g_autoptr(GString) mixed = g_string_new(NULL);
  g_auto(GStrv) a = g_strsplit(dumps[0], "\n", -1), b = g_strsplit(dumps[2], "\n", -1);
  for (gsize i = 0; i < MAX(g_strv_length(a), g_strv_length(b)); i++) {
    if (i < g_strv_length(a))
      g_string_append_printf(mixed, "[rank0]: %s\n", a[i]);
    if (i < g_strv_length(b))
      g_string_append_printf(mixed, "[rank1]: %s\n", b[i]);
  }
  g_autoptr(TnDocument) document = load(mixed->str);
  g_assert_cmpuint(document->accounts->len, ==, 2);
  g_assert_cmpstr(account_of(document, 0)->source, ==, "[rank0]");
  g_assert_cmpstr(account_of(document, 1)->source, ==, "[rank1]");
  check_dump(document, 0);
  check_dump(document, 1);
  g_autofree char *twice = g_strconcat(dumps[1], "something else\n", dumps[2], NULL);
  g_autoptr(TnDocument) second = load(twice);
  g_assert_cmpuint(second->accounts->len, ==, 2);
  check_dump(second, 0);
  check_dump(second, 1);
}

/* Cut off anywhere: what is there is right, and what is missing is said. */
static void
test_bfc_cut(void)
{
  gsize whole = strlen(dumps[2]);
  for (gsize n = 0; n < whole; n++) {
    g_autoptr(TnDocument) document = load_bytes(dumps[2], n);
    if (!document || !document->accounts->len)
      continue;
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnAccount *account = account_of(document, 0);
    for (guint i = 0; i < device->blocks->len; i++) {
      static const tn_bytes sizes[] = {MIB(1), MIB(2), MIB(4), MIB(9)};
      g_assert_cmpint(g_array_index(device->blocks, TnBlock, i).bytes, ==, sizes[i]);
    }
    bool is_whole = device->blocks->len == 4 && bytes_of(account, "in use") == MIB(12) &&
                    account->total == MIB(32);
    g_assert_true(is_whole || account->is_cut_off);
  }
  /* A line in the middle is lost, as a notebook's front end does. */
  g_auto(GStrv) lines = g_strsplit(dumps[2], "\n", -1);
  g_free(lines[3]);
  lines[3] = g_strdup("");
  g_autofree char *holed = g_strjoinv("\n", lines);
  g_autoptr(TnDocument) document = load(holed);
  g_assert_true(account_of(document, 0)->is_cut_off);
  g_assert_cmpint(bytes_of(account_of(document, 0), "in use"), ==, MIB(12));
}

static const TnFinding *
find_oom(const TnDocument *document, TnFindings *findings)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnFindParams find = {0};
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_nonnull(study);
  tn_find_all(study, &find, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    if (strcmp(tn_findings_get(findings, i)->code, "oom") == 0)
      return tn_findings_get(findings, i);
  return NULL;
}

static void
test_bfc_2017(void)
{
  g_autoptr(TnDocument) document = load_sample("samples/logs/tf_bfc_oom_2017.log");
  if (!document)
    return;
  const TnDevice *device = tn_document_get_device(document, 0);
  tn_bytes sum = 0, used = 0, largest = 0;
  uint64_t next = 0x905a40000;
  g_assert_cmpuint(device->blocks->len, ==, 24);
  for (guint i = 0; i < device->blocks->len; i++) {
    const TnBlock *block = &g_array_index(device->blocks, TnBlock, i);
    g_assert_cmphex(block->address, ==, next); /* without a gap */
    next += (uint64_t)block->bytes;
    sum += block->bytes;
    used += block->state == TN_BLOCK_ACTIVE ? block->bytes : 0;
    largest = MAX(largest, block->state == TN_BLOCK_ACTIVE ? 0 : block->bytes);
  }
  g_assert_cmpint(sum, ==, 285474816);
  g_assert_cmpint(used, ==, 208404480);
  g_assert_cmpint(largest, ==, 69648384);
  g_assert_cmpint(sum - used, ==, 77070336);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).requested, ==, 77760000);
  g_autoptr(TnFindings) findings = tn_findings_new();
  const TnFinding *finding = find_oom(document, findings);
  g_assert_nonnull(finding);
  g_assert_nonnull(strstr(finding->message, "even with all free memory moved together it misses by "
                                            "689,664 B"));
  g_assert_nonnull(strstr(finding->message, "the largest 69,648,384 B"));
}

static void
test_fragmentation(void)
{
  g_autoptr(TnDocument) document =
      load("Allocator (x) ran out of memory trying to allocate 3.00KiB (rounded to 3072)\n"
           "InUse at 1000 of size 1024 next 1\nFree  at 1400 of size 2048 next 2\n"
           "InUse at 1c00 of size 1024 next 3\nFree  at 2000 of size 2048 next 4\n"
           "Limit: 6144\nInUse: 2048\nMaxInUse: 2048\nMaxAllocSize: 1024\n");
  g_autoptr(TnFindings) findings = tn_findings_new();
  const TnFinding *finding = find_oom(document, findings);
  g_assert_nonnull(strstr(finding->message, "the largest misses by 1,024 B (fragmentation)"));
}

/* Totals say who holds most, and whether it was for want of memory at all. */
static void
test_totals_explained(void)
{
  static const struct {
    int sentence;
    const char *message, *hint;
  } rows[] = {
      {0, "of the device's 11.93 GiB most was “allocated by PyTorch”, 4.00 GiB",
       "The request alone is larger than the device"},
      {2, "of the device's 6.00 GiB most was “allocated by PyTorch”, 2.93 GiB", "fragmentation"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(sentences[rows[i].sentence].text);
    g_autoptr(TnFindings) findings = tn_findings_new();
    const TnFinding *finding = find_oom(document, findings);
    g_assert_nonnull(strstr(finding->message, rows[i].message));
    g_assert_nonnull(strstr(finding->hint, rows[i].hint));
  }
}

/* ---- the other reports ------------------------------------------------------------------ */

typedef struct {
  const char *file;
  guint account, n_accounts;
  const char *what;
  tn_bytes bytes;
} SampleRow;

static const SampleRow sample_rows[] = {
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "reserved", GIB(1.25)},
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "program", GIB(63.8)},
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "capacity", GIB(30.75)},
    {"logs/xla_tpu_hbm_oom.log", 1, 2, "HLO temp", GIB(63.79)},
    {"logs/xla_tpu_hbm_oom_padding.log", 0, 1, "HLO temp, unpadded", GIB(9.4)},
    {"logs/xla_tpu_hbm_oom_padding.log", 0, 1,
     "2. broadcast.6043.remat3 bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", GIB(4)},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "parameter allocation", MIB(6)},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "requested", 6291456},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "2. buffer f32[256,128,3]", 384 * 1024},
    {"logs/onnxruntime_bfcarena.log", 0, 1, "regions of the arena", 34603008},
    {"logs/llamacpp_multi_gpu_oom.log", 0, 13, "KV buffer", MIB(379.23)},
    {"logs/llamacpp_multi_gpu_oom.log", 12, 13, "requested", 292926534144},
    {"logs/vllm_memory_profile.log", 0, 4, "KV cache", GIB(53.29)},
    {"logs/vllm_memory_profile.log", 1, 4, "model weights", GIB(21.21)},
    {"logs/vllm_memory_profile.log", 3, 4, "keys", GIB(8.23)},
    {"logs/tensorrt_build.log", 0, 1, "device, activations", 76486656},
    {"logs/tensorrt_build.log", 0, 1, "device, in use after Init cuDNN", MIB(3267)},
    {"logs/tflm_print_memory_plan_head.txt", 0, 1, "arena", 18432},
    {"logs/tflm_print_memory_plan_head.txt", 0, 1, "without reuse", 38304},
    {"logs/ascend_devmm_stats.log", 1, 2, "APP", 29984933312},
    {"ascend/ge_imas_afterassign_sample.log", 0, 1, "planned (memoffset)", 268470272},
    {"ascend/devmm_svm_stats_sample.log", 1, 4, "cached by the driver", 1941504},
    {"ascend/devmm_old_2023_sample.log", 0, 1, "RUNTIME", 27332608},
    {"logs/pytorch_oom_messages.txt", 6, 7, "requested", GIB(3725.29)},
};

static void
test_samples(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    const SampleRow *row = &sample_rows[i];
    g_autofree char *relative = g_strconcat("samples/", row->file, NULL);
    g_autoptr(TnDocument) document = load_sample(relative);
    if (!document)
      return;
    g_assert_cmpuint(document->accounts->len, ==, row->n_accounts);
    g_assert_cmpint(bytes_of(account_of(document, row->account), row->what), ==, row->bytes);
    assert_adds_up(document);
  }
}

/* Each sample with noise around each line gives what it gives without. */
static void
test_samples_noisy(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    const SampleRow *row = &sample_rows[i];
    g_autofree char *relative = g_strconcat("samples/", row->file, NULL), *text = NULL;
    g_autofree char *path = shared_path(relative);
    if (!path)
      return;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(text, noise);
      g_autoptr(TnDocument) document = load(noisy);
      g_assert_cmpuint(document->accounts->len, ==, row->n_accounts);
      g_assert_cmpint(bytes_of(account_of(document, row->account), row->what), ==, row->bytes);
    }
  }
}

/* Sums of the lines that stand there: they grow with each line, and are right for those. */
static bool
is_running_sum(const char *what)
{
  return strcmp(what, "regions of the arena") == 0 || strcmp(what, "without reuse") == 0 ||
         strcmp(what, "arena") == 0;
}

/* A later line may say a size in bytes that an earlier one says in MiB, with two decimals. */
static bool
is_in(const TnDocument *whole, const TnAccount *part, const TnAccountRow *row)
{
  tn_bytes rounding = g_str_has_prefix(part->title, "llama.cpp") ? MIB(0.01) : 0;
  for (guint a = 0; a < whole->accounts->len; a++) {
    const TnAccount *account = account_of(whole, a);
    const GArray *lists[] = {account->rows, account->details};
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
      for (guint i = 0; i < lists[l]->len; i++)
        if (strcmp(tn_account_row(lists[l], i)->what, row->what) == 0 &&
            ABS(tn_account_row(lists[l], i)->bytes - row->bytes) <= rounding &&
            part->first_line == account->first_line)
          return true;
  }
  return false;
}

/* What a file that ends early says is what the whole says; or it says that something is missing. */
static void
assert_part_of(const TnDocument *part, const TnDocument *whole, gsize at)
{
  for (guint a = 0; a < part->accounts->len; a++) {
    const TnAccount *account = account_of(part, a);
    const GArray *lists[] = {account->rows, account->details};
    for (gsize l = 0; l < G_N_ELEMENTS(lists) && !account->is_cut_off; l++)
      for (guint i = 0; i < lists[l]->len; i++) {
        const TnAccountRow *row = tn_account_row(lists[l], i);
        if (row->is_remainder || is_running_sum(row->what) || is_in(whole, account, row))
          continue;
        g_test_message("%s cut at %" G_GSIZE_FORMAT ": %s: %s %" G_GINT64_FORMAT, part->path, at,
                       account->title, row->what, row->bytes);
        g_test_fail();
      }
  }
}

/* Each sample cut off in the middle, in steps that end everywhere in a line. */
static void
test_samples_cut(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    g_autofree char *relative = g_strconcat("samples/", sample_rows[i].file, NULL), *text = NULL;
    g_autofree char *path = shared_path(relative);
    gsize size;
    if (!path)
      return;
    if (i && strcmp(sample_rows[i].file, sample_rows[i - 1].file) == 0)
      continue;
    g_assert_true(g_file_get_contents(path, &text, &size, NULL));
    g_autoptr(TnDocument) whole = load_bytes(text, size);
    for (gsize n = 7; n < size; n += 1 + size / 3000) {
      g_autoptr(TnDocument) part = load_bytes(text, n);
      if (part)
        assert_part_of(part, whole, n);
    }
  }
}

static void
test_tflm(void)
{
  g_autoptr(TnDocument) document =
      load("0 (id=0): size=256, offset=2304, first_used=27 last_used=28\n"
           "* (id=1): size=16, offset=0, first_used=28 last_used=28\n"
           "   0: 0000000000000000....................................................... (1k)\n"
           "[RecordingMicroAllocator] Arena allocation total 1000 bytes\n"
           "[RecordingMicroAllocator] Arena allocation head 300 bytes\n"
           "[RecordingMicroAllocator] Arena allocation tail 700 bytes\n"
           "[RecordingMicroAllocator] 'TfLiteTensor data' used 96 bytes with alignment overhead "
           "(requested 90 bytes for 2 allocations)\n");
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(b->n, ==, 2);
  g_assert_cmpint(b->start[0], ==, 27);
  g_assert_cmpint(b->end[0], ==, 29);
  g_assert_cmpint(b->offset[0], ==, 2304);
  g_assert_cmpint(b->end[1], ==, 29);
  g_assert_cmpint(account_of(document, 1)->total, ==, 1000);
  g_assert_cmpint(bytes_of(account_of(document, 1), "head"), ==, 300);
  g_assert_cmpint(bytes_of(account_of(document, 1), "TfLiteTensor data"), ==, 96);
  assert_adds_up(document);
}

/* GE's lines of each generation, a place given anew, a reference, a graph of its own. */
static void
test_ge(void)
{
  static const char text[] =
      "[INFO] GE(1,x):2020-01-01-00:00:00.1 [block_mem_assigner.cc:1]1 SetOffsetSize: [IMAS]Set "
      "main_0 "
      "name[conv1] optype[Conv2D] output[0] offset to [1024] streamid[0] memtype[2] size[3211776] "
      "realsize[3211296] noalignsize[3211264] life time begin[3] life time end[7] child[0:1:0:0:1] "
      "isref[0] batch[], block_type[]\n"
      "[IMAS]Set main_0 name[old] output[1] offset to [0] streamid[0] size[512] realsize[96] "
      "noalignsize[64] life time begin[1] life time end[2] child[0:1:0:0] isref[0].\n"
      "[IMAS]Set main_0 name[cat] optype[Concat] output[0] offset to [4096000] streamid[1] "
      "memtype[2] "
      "size[1024] realsize[544] noalignsize[512] life time begin[4--5] life time end[9--6] "
      "child[0:1:0:0:1] isref[0] batch[b1] scope[0]\n"
      "[IMAS]Set main_0 name[ref] optype[Assign] output[0] offset to [0] streamid[0] memtype[2] "
      "size[512] realsize[96] noalignsize[64] life time begin[2] life time end[5] "
      "child[0:1:0:0:1] isref[1] batch[]\n"
      "[IMAS]Set main_0 name[last] optype[X] workspace[0] offset to [3212800] streamid[0] "
      "memtype[2] "
      "size[512] realsize[512] noalignsize[512] life time begin[8] life time end[4294967295] "
      "child[0:1:0:0:1] isref[0] batch[]\n"
      "[IMAS]Continuous input : Set main_0 name[cat] optype[Concat] output[0] offset to [3213344] "
      "stream_id[1] memtype[2] size[0] realsize[544] nopadding[1]\n"
      "[IMAS]AfterAssignMemory : main_0 memoffset[3213888], memtype[2], theory_min[3212800], "
      "zero_copy[0], total_size[3300000], no_reuse[0], streams[2], topo_mode[BFS], mop[], "
      "io_reuse[0:0], smp[0]\n"
      "[IMAS]Set sub_1 name[a] optype[A] output[0] offset to [0] streamid[0] memtype[17] size[512] "
      "realsize[512] noalignsize[512] life time begin[0] life time end[1] child[0:1:0:0:1] "
      "isref[0] "
      "batch[]\n";
  static const struct {
    const char *name;
    tn_tick start, end;
    tn_bytes offset, bytes, requested;
  } rows[] = {{"old output[1]", 1, 6, 0, 512, 64},
              {"conv1 output[0]", 3, 8, 1024, 3211776, 3211264},
              {"last workspace[0]", 8, 9, 3212800, 512, 512},
              {"cat output[0]", 4, 7, 3213344, 512, 512}};
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnBuffers *b = device->buffers;
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
    g_assert_cmpuint(document->devices->len, ==, 2);
    g_assert_cmpuint(b->n, ==, G_N_ELEMENTS(rows));
    for (uint32_t i = 0; i < b->n; i++) {
      g_assert_cmpstr(tn_strings_get(document->strings, b->name[i]), ==, rows[i].name);
      g_assert_cmpint(b->start[i], ==, rows[i].start);
      g_assert_cmpint(b->end[i], ==, rows[i].end);
      g_assert_cmpint(b->offset[i], ==, rows[i].offset);
      g_assert_cmpint(b->bytes[i], ==, rows[i].bytes);
      g_assert_cmpint(b->requested[i], ==, rows[i].requested);
    }
    g_assert_cmpstr(tn_strings_get(document->strings, b->batch[3]), ==, "b1");
    g_assert_cmpuint(b->stream[3], ==, 1);
    g_assert_cmpuint(b->traits[3], ==,
                     TN_TRAIT_CONTINUOUS | TN_TRAIT_NO_PADDING | TN_TRAIT_PLACED_LATER);
    g_assert_cmpuint(b->traits[1], ==, 0);
    g_assert_cmpint(b->block[1], ==, 3211776);
    g_assert_cmpint(device->arena_bytes, ==, 3213888);
    g_assert_cmpint(bytes_of(account_of(document, 1), "least possible (theory_min)"), ==, 3212800);
  }
  for (gsize n = 150; n < sizeof text; n++) { /* cut off anywhere */
    g_autoptr(TnDocument) document = load_bytes(text, n);
    const TnBuffers *b =
        document && document->devices->len ? tn_document_get_device(document, 0)->buffers : NULL;
    for (uint32_t i = 0; b && i < b->n; i++)
      g_assert_true(b->bytes[i] == 512 || b->bytes[i] == 3211776 || b->bytes[i] == 1024 ||
                    b->bytes[i] == 544);
  }
}

static const TnStatement *
statement_of(const TnDocument *document, guint i)
{
  g_assert_cmpuint(i, <, document->statements->len);
  return &g_array_index(document->statements, TnStatement, i);
}

/* What GE's checks say: each planted, with a line beside it that says nothing of the kind. */
static void
test_ge_says(void)
{
  static const char text[] =
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.001 [reuse_checker.cc:1]7 Check: Cannot reuse memory "
      "between node: a(Relu), stream: 0, topo_id: 3, out_index: 0, offset: 512, size: 1024, "
      "symbol_id: 4 and node: b(Add), stream: 1, topo_id: 5, out_index: 0\n"
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.002 [reuse_checker.cc:2]7 Check: reason: a cannot "
      "reach b\n"
      "[INFO] GE(1,x):2025-01-01-00:00:00.000.003 [mem.cc:3]7 Check: [MemConflict] Start to check "
      "memory of static graph main, is_root_graph_static: 1\n"
      "[MemConflict][Conflict] type: [USER_MEMORY_INPUT, CONTINUOUS_INPUT], anchor: [x_out_0, "
      "all_in_1], will insert after x_out_0\n"
      "[MemConflict][Conflict] type: [CONTINUOUS_OUTPUT, NOPADDING_CONTINUOUS_INPUT], anchor: "
      "[split_out_1, cat_in_0], will insert before cat_in_0\n"
      "[MemConflict][Conflict] type: [REFERENCE_OUTPUT, USER_MEMORY_OUTPUT], anchor: [ref_out_0, "
      "out_in_0], will insert after ref_out_0\n"
      "[MemConflict][INSERT][NODE] x_Node_Output_MemLayoutConflict_0 after x, index: 0\n"
      "[MemConflict][INSERT][NODE] id_1 between ref->out\n"
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.004 [graph_mem.cc:4]7 Check: continuous input node "
      "memory check failed. node: all, input_index: 1, input node a, out_index: 0, offset: 2048, "
      "expect_offset: 1536\n"
      "[IMAS]InitFeatureMapAndP2PMem graph_1 MallocMemory type[F] memaddr[0x12c000000000] "
      "mem_size[4096]Bytes\n"
      "[IMAS]graph_1 type[F] name[a] output[0] offset[512] size[512] memaddr[0x12c000000200]\n"
      "[IMAS]graph_1 type[F] name[b] output[0] offset[1024] size[512] memaddr[0x12c000000200]\n"
      "[IMAS]graph_1 type[V] name[v] input[0] offset[0] size[512] memaddr[0x12c0000f0000]\n"
      "[ERROR] GE(1,x): [mem.cc:5]7 Malloc: Failed to apply for memory. We will try to free memory "
      "from memory pool, the above or this error log can be ignored.\n"
      "[WARNING] GE(1,x): [mem.cc:6]7 Reserve: Maybe not support rtReserveMemAddress.\n"
      "[ERROR] GE(1,x): [mem.cc:7]7 Finalize: 3 [ScalableAllocator]: memory leaks, occupied spans = "
      "2|0x12c000000000\n";
  static const struct {
    const char *code, *words;
    TnStatementWeight weight;
  } rows[] = {
      {"ge-reuse", "offset: 512, size: 1024, symbol_id: 4 and node: b(Add)", TN_STATEMENT_ERROR},
      {"ge-conflict-open", "split_out_1 and cat_in_0 want different places (CONTINUOUS_OUTPUT and "
                           "NOPADDING_CONTINUOUS_INPUT), and no Identity",
       TN_STATEMENT_WARNING},
      {"ge-continuous", "“all” must be neighbours, but one lies at offset 2048 where 1536",
       TN_STATEMENT_ERROR},
      {"ge-address", "“b” has offset 1024 in the plan, but lies 512 bytes", TN_STATEMENT_ERROR},
      {"not-an-oom", "Failed to apply for memory.", TN_STATEMENT_NOTE},
      {"va-fallback", "Maybe not support rtReserveMemAddress.", TN_STATEMENT_NOTE},
      {"ge-leak", "memory leaks, occupied spans = 2", TN_STATEMENT_WARNING},
  };
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    g_assert_cmpuint(document->statements->len, ==, G_N_ELEMENTS(rows));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
      g_assert_cmpstr(statement_of(document, i)->code, ==, rows[i].code);
      g_assert_nonnull(strstr(statement_of(document, i)->text, rows[i].words));
      g_assert_cmpint(statement_of(document, i)->weight, ==, rows[i].weight);
    }
    g_assert_nonnull(strstr(statement_of(document, 0)->text, "; reason: a cannot reach b"));
    g_assert_cmpstr(account_of(document, 0)->title, ==,
                    "GE's own checks: 3 layout conflicts, 2 Identity nodes, 2 addresses, "
                    "6 statements");
  }
  for (gsize n = 1; n < sizeof text; n++) { /* cut off anywhere: never more than is there */
    g_autoptr(TnDocument) document = load_bytes(text, n);
    g_assert_true(!document || document->statements->len <= G_N_ELEMENTS(rows) + 2);
  }
}

static const char *
note_of(const TnAccount *account, const char *what)
{
  for (guint i = 0; i < account->details->len; i++)
    if (strcmp(tn_account_row(account->details, i)->what, what) == 0)
      return tn_account_row(account->details, i)->note;
  return NULL;
}

static void
test_ge_sizes(void)
{
  static const char text[] =
      "[EVENT] GE(7,x):2025-01-01-00:00:00.1 [hybrid_mem_assigner.cc:1]7 Assign: binary-block memory "
      "assigner memory size:6704640\n"
      "[EVENT] GE(7,x):2025-01-01-00:00:00.1 [hybrid_mem_assigner.cc:1]7 Assign: max-block memory "
      "assigner memory size:8388608\n"
      "Batch[Batch_0] total memory size[1024], others\n"
      "Max batch[Batch_1] total memory size[4096], others\n"
      "SubMemOffsets[1]: mem_type[2] mem_offset_base[209715200] mem_size[4096] "
      "is_fixed_addr_prior[1]\n"
      "Device memory   : [alloc count:4 free count:3 total size:6.00M new_va_size:0 "
      "real_theory_min:1 theory_min:5.00M reach theory rate:83.33%]\n"
      "Allocator memory: [alloc count:9 free count:9 recycle count:1]\n"
      "Using: [span count:2 page count:32 total size:4.00M]\n"
      "    |-span: [size:2.00M count:2]\n"
      "Freed span layers: [level:1, count:1]\n"
      "Freed: [span count:1 page count:16 total size:1.50M]\n"
      "    |-layer: [id:3 capacity:4 size:1.50M count:1]\n";
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    const TnAccount *plan = account_of(document, 0), *pool = account_of(document, 1);
    g_assert_cmpint(bytes_of(plan, "binary-block"), ==, 6704640);
    g_assert_cmpstr(note_of(plan, "binary-block"), ==, "the smallest: taken");
    g_assert_cmpint(bytes_of(plan, "max-block"), ==, 8388608);
    g_assert_cmpint(bytes_of(plan, "batch Batch_0"), ==, 1024);
    g_assert_cmpstr(note_of(plan, "batch Batch_1"), ==, "the largest");
    g_assert_cmpint(bytes_of(plan, "segment at offset 209715200"), ==, 4096);
    g_assert_cmpint(pool->total, ==, MIB(6));
    g_assert_cmpint(bytes_of(pool, "in use"), ==, MIB(4));
    g_assert_cmpint(bytes_of(pool, "free, kept by the pool"), ==, MIB(1.5));
    g_assert_cmpint(bytes_of(pool, "not listed"), ==, MIB(0.5));
    g_assert_cmpint(bytes_of(pool, "spans in use"), ==, MIB(4));
    g_assert_cmpint(bytes_of(pool, "least possible (theory_min)"), ==, MIB(5));
    assert_adds_up(document);
  }
}

/* The driver's counts against its sizes: each contradiction planted, and a clean line. */
static void
test_driver_counts(void)
{
  static const struct {
    int64_t now, peak, n_alloc, n_free;
    const char *words;
  } rows[] = {{100, 200, 3, 2, NULL},
              {0, 200, 3, 3, NULL},
              {300, 200, 3, 2, "more than its peak"},
              {100, 200, 3, 4, "with more frees"},
              {100, 200, 3, 3, "though as much was freed"},
              {0, 200, 3, 2, "never freed"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "[drv][devmm][_svm_mem_stats_show]MEM_DEV_HUGE_HBM dev0 Mem stats (Bytes). (module_name=GE; "
        "module_id=45; current_alloced_size=%d; allocated_peak_size=%d; alloc_cnt=%d; free_cnt=%d)\n",
        (int)rows[i].now, (int)rows[i].peak, (int)rows[i].n_alloc, (int)rows[i].n_free);
    g_autoptr(TnDocument) document = load(text);
    g_assert_cmpuint(document->statements->len, ==, rows[i].words != NULL);
    if (rows[i].words)
      g_assert_nonnull(strstr(statement_of(document, 0)->text, rows[i].words));
  }
}

/* Names that GE cut, and the other side of an edge. */
static void
test_ge_conflict_names(void)
{
  static const char *const solved[] = {
      "[MemConflict][INSERT][NODE] i before all, index: 1\n",
      "[MemConflict][INSERT][NODE] i after averylong...TopoId_7\n",
      "[MemConflict][INSERT][NODE] i between averylongname->all\n"};
  static const char *const open[] = {"[MemConflict][INSERT][NODE] i before al, index: 1\n",
                                     "[MemConflict][INSERT][NODE] i between all->averylongname\n",
                                     "[MemConflict] a and b not conflict, skip\n"};
  static const char conflict[] = "[MemConflict][Conflict] type: [A, B], anchor: "
                                 "[averylongname_out_0, all_in_1], will insert after x\n";
  for (gsize i = 0; i < G_N_ELEMENTS(solved); i++) {
    g_autofree char *good = g_strconcat(conflict, solved[i], NULL);
    g_autofree char *bad = g_strconcat(conflict, open[i], NULL);
    g_autoptr(TnDocument) clean = load(good);
    g_autoptr(TnDocument) planted = load(bad);
    g_assert_cmpuint(clean->statements->len, ==, 0);
    g_assert_cmpuint(planted->statements->len, ==, 1);
  }
}

/* The golden values of the format sheet: the rates that GE's users speak of. */
static void
test_ge_summaries(void)
{
  static const struct {
    int64_t planned, theory, total, streams;
    const char *rates;
  } rows[] = {
      {6704640, 5359616, 27869696, 1, "reuse rate 75.94 %, reach 79.94 %, 1 stream"},
      {6743040, 5359616, 27869696, 4, "reuse rate 75.81 %, reach 79.48 %, 4 streams"},
      {268470272, 268470272, 268470272, 3, "reuse rate 0.00 %, reach 100.00 %, 3 streams"},
      {50331648, 41943040, 225485783, 0, "reuse rate 77.68 %, reach 83.33 %"}, /* 6 of 8 MiB */
      {1024, 2048, 0, 0, "reach 100.00 %"}, /* capped */
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *line = g_strdup_printf(
        "[IMAS]AfterAssignMemory : main_0 memoffset[%" G_GINT64_FORMAT "], memtype[2], "
        "theory_min[%" G_GINT64_FORMAT "], zero_copy[0], total_size[%" G_GINT64_FORMAT
        "], no_reuse[0], streams[%" G_GINT64_FORMAT "], topo_mode[DFS], mop[MemoryPriority]\n",
        rows[i].planned, rows[i].theory, rows[i].total, rows[i].streams);
    g_autofree char *row = g_strdup_printf(
        "77,main_0,optype,memory_type,2,memory_size,%" G_GINT64_FORMAT ",reuse rate:0%% "
        "detail[reach_theory_rate:1 total:%" G_GINT64_FORMAT " after_reuse:%" G_GINT64_FORMAT
        " theory_min:%" G_GINT64_FORMAT " io:134218752 no_reuse:134218752 atomic:0 continuous:512 "
        "streams:%" G_GINT64_FORMAT " topo:DFS mop: smp:0]\n",
        rows[i].planned, rows[i].total, rows[i].planned, rows[i].theory, rows[i].streams);
    g_autoptr(TnDocument) log = load(line), tool = load(row);
    g_assert_cmpstr(note_of(account_of(log, 0), "planned (memoffset)"), ==, rows[i].rates);
    g_assert_cmpstr(note_of(account_of(tool, 0), "planned (memoffset)"), ==, rows[i].rates);
    g_assert_cmpint(bytes_of(account_of(tool, 0), "zero copy"), ==, 134218752);
    g_assert_cmpint(bytes_of(account_of(tool, 0), "continuous"), ==, 512);
  }
}

/* The imas tool's rows of the same. */
static void
test_imas_rows(void)
{
  g_autoptr(TnDocument) document = load(
      "77,5,optype,Conv2D,name_conv1_output_0_offset to ,1024,streamid,0,memory_type,2,size,1024,"
      "realsize,544,noalignsize,512,life time begin,3,life time "
      "end,7,child:r:c:z:s,0:1:0:0:1,isref,0,"
      "batch,,\n"
      "77,5,optype,Conv2D,name_conv1_output_0_offset to ,2048,streamid,0,memory_type,2,size,0,"
      "realsize,544,reassign output,nopadding,1\n"
      "77,allocator_id,ge_1,name,MatMul,size,1024,realsize,600,address,0x12c000000400,life time "
      "begin,"
      "1,life time end,4,cached_size,0\n"
      "77,allocator_id,ge_1,name,Add,size,512,realsize,512,address,0x12c000000000,life time begin,"
      "2,life time end,3,cached_size,0\n");
  const TnBuffers *graph = tn_document_get_device(document, 0)->buffers;
  const TnBuffers *pool = tn_document_get_device(document, 1)->buffers;
  g_assert_cmpuint(graph->n, ==, 1);
  g_assert_cmpint(graph->offset[0], ==, 2048);
  g_assert_cmpint(graph->bytes[0], ==, 512); /* close: its contents only */
  g_assert_cmpint(graph->start[0], ==, 3);
  g_assert_cmpint(graph->end[0], ==, 8);
  g_assert_cmpuint(pool->n, ==, 2);
  g_assert_cmpint(pool->offset[1], ==, 1024);
  g_assert_cmpint(pool->bytes[1], ==, 1024);
  g_assert_cmpint(pool->end[0], ==, 4);
}

/* A pool alone is a log: it can be replayed. */
static void
test_imas_pool(void)
{
  g_autoptr(TnDocument) document =
      load("77,allocator_id,ge_1,name,MatMul,size,1024,realsize,600,address,0x12c000000400,life time "
           "begin,1,life time end,4,cached_size,0\n"
           "77,allocator_id,ge_1,name,Add,size,512,realsize,512,address,0x12c000000000,life time begin,"
           "2,life time end,3,cached_size,0\n"
           "77,allocator_id,ge_1,name,Mul,size,512,realsize,300,address,0x12c000000000,life time begin,"
           "4,life time end,6,cached_size,0\n"
           "77,allocator_id,ge_1,name,Out,size,512,realsize,512,address,0x12c000000200,life time begin,"
           "5,life time end,4294967295,cached_size,0\n");
  const TnDevice *device = tn_document_get_device(document, 0);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_LOG);
  g_assert_cmpuint(device->events.n, ==, 7);
  g_assert_cmpint(study->live->peak, ==, 1536);
  g_assert_cmpuint(study->buffers->n, ==, 4);
  g_assert_cmpint(study->buffers->bytes[0], ==, 1024);
  g_assert_cmpint(study->buffers->requested[0], ==, 600);
  g_assert_cmphex((uint64_t)study->buffers->offset[0], ==, 0x12c000000400);
  g_assert_cmpint(study->buffers->end[0], ==, 4); /* Mul begins while MatMul still is there */
  g_assert_true(study->buffers->flags[3] & TN_BUFFER_TO_END);
}

static void
test_breakdown(void)
{
  g_autoptr(TnDocument) document = load(
      "llama_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   "
      "context   compute    unaccounted |\n"
      "llama_memory_breakdown_print: |   - CUDA0 (RTX 4090)   | 24080 = 4000 + (19000 = 18000 +    "
      " "
      "500 +     500) +        1080 |\n"
      "llama_memory_breakdown_print: |   - Host               |                  700 =   600 +     "
      "100 +       0                |\n");
  const TnAccount *account = account_of(document, 0);
  g_assert_cmpstr(account->title, ==, "llama.cpp memory breakdown, CUDA0 (RTX 4090)");
  g_assert_cmpint(account->total, ==, MIB(24080));
  g_assert_cmpint(bytes_of(account, "model"), ==, MIB(18000));
  g_assert_cmpint(bytes_of(account, "unaccounted: other processes, the driver"), ==, MIB(1080));
  g_assert_cmpint(account_of(document, 1)->total, ==, MIB(700));
  assert_adds_up(document);
}

static void
test_kernel_trace(void)
{
  static const char text[] =
      "[INFO] GE(1,x):2024 [MEM]Expand memory pool at stream 0x12, address 0x10000, size 65536, "
      "block "
      "0x5, allocator addr 0x7\n"
      "[KernelTrace][AllocMemHbm_1][MEM]Alloc memory at stream 0, block 0x1, address 0x10000, size "
      "512, tensor size 500, index 0\n"
      "[KernelTrace][AllocMemHbm_2][MEM]Alloc memory at stream 0, block 0x2, address 0x10200, size "
      "1024\n"
      "[KernelTrace][FreeMemHbm_1][MEM]Free memory at stream -1, block 0x1, address 0x10000\n"
      "[KernelTrace][FreeMemHbm_1][MEM]Recycle memory at stream 0, block 0x1, address 0x10000\n"
      "[KernelTrace][AllocMemHbm_3][MEM]Alloc memory at stream 0, block 0x3, addr\n"
      "[KernelTrace][X][MEM]Memory wandering from stream 0 to 1, address 0x10200\n";
  g_autoptr(TnDocument) document = load(text);
  const TnDevice *device = tn_document_get_device(document, 0);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpuint(device->events.n, ==, 6);
  g_assert_cmpuint(device->events.action[5], ==, TN_EVENT_SHARE);
  g_assert_cmpuint(device->events.stream[5], ==, 1);
  g_assert_cmpuint(device->events.line[5], ==, 7);
  g_assert_cmpint(study->live->peak, ==, 1536);
  g_assert_cmpint(study->reserved->peak, ==, 65536);
  g_assert_cmpuint(study->buffers->n, ==, 2);
  g_assert_cmpint(study->buffers->end[0], ==, 4);
  g_assert_cmpstr(tn_strings_get(document->strings, study->buffers->name[0]), ==, "AllocMemHbm_1");
  g_assert_true(account_of(document, 0)->is_cut_off);
}

static void
test_onnxruntime(void)
{
  g_autoptr(TnDocument) document = load(
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:306 AllocateRawInternal] Extending "
      "BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:186 Extend] Extended allocation by "
      "1048576 bytes.\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:189 Extend] Total allocated bytes: "
      "1048576\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:192 Extend] Allocated memory at "
      "00007FA4C6800000 to 00007FA4C6900000\n"
      "2022-01-07 07:17:52.9 [E:onnxruntime:, sequential_executor.cc:339 Execute] Non-zero status "
      "code returned while running Conv node. Name:'conv_1' Status Message: bfc_arena.cc:342 "
      "AllocateRawInternal Failed to allocate memory for requested buffer of size 536870912\n");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(device->segments->len, ==, 1);
  g_assert_cmphex(g_array_index(device->segments, TnSegment, 0).address, ==, 0x7fa4c6800000);
  g_assert_cmpint(g_array_index(device->segments, TnSegment, 0).bytes, ==, 1048576);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).requested, ==, 536870912);
  g_assert_cmpstr(account_of(document, 1)->title, ==,
                  "ONNX Runtime: a request failed in node conv_1");
}

/* Several kinds in one log, each found, in the order of the lines. */
static void
test_mixed(void)
{
  g_autofree char *text = g_strconcat("starting\n", sentences[1].text, dumps[1], "more\n",
                                      "Available KV cache memory: 8.11 GiB\n", NULL);
  g_autoptr(TnDocument) document = load(text);
  g_assert_cmpuint(document->accounts->len, ==, 3);
  g_assert_cmpuint(account_of(document, 0)->first_line, ==, 2);
  g_assert_cmpuint(account_of(document, 1)->first_line, ==, 3);
  g_assert_cmpint(bytes_of(account_of(document, 2), "KV cache"), ==, GIB(8.11));
  g_assert_cmpint(account_of(document, 2)->total, ==, TN_BYTES_UNKNOWN);
}

static void
test_nothing(void)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", "no news\nhere\n", 13);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_document_load_source(source, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN);
  g_assert_true(g_str_has_prefix(error->message, "t.log: lines 1 to 2: found text without"));
}

static void
test_prefixes(void)
{
  static const struct {
    const char *line, *tag, *rest;
  } rows[] = {
      {"[rank0]: hello", "[rank0]", "hello"},
      {"[1,0]<stderr>: hello", "[1,0]<stderr>", "hello"},
      {"3:   hello", "3", "  hello"},
      {"(RayWorker pid=3, ip=10.0.0.1) hello", "(RayWorker pid=3, ip=10.0.0.1)", "hello"},
      {"web-1  | hello", "web-1", "hello"},
      {"2024-05-01T12:00:00Z [rank1]: hello", "[rank1]", "hello"},
      {"[pod/a/b] 2024-05-01T12:00:00Z hello", "[pod/a/b]", "hello"},
      {"[0] hello", "", "[0] hello"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GString) tag = g_string_new(NULL);
    g_assert_cmpstr(tn_text_skip_tags(rows[i].line, tag), ==, rows[i].rest);
    g_assert_cmpstr(tag->str, ==, rows[i].tag);
  }
  g_assert_cmpstr(tn_text_skip_logger("I1129 12:00:00.1 123 f.cc:7] x"), ==, "x");
  g_assert_cmpstr(tn_text_skip_logger("[11/08/2022-15:28:06] [I] x"), ==, "[I] x");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text-log/pytorch", test_pytorch);
  g_test_add_func("/text-log/pytorch-cut", test_pytorch_cut);
  g_test_add_func("/text-log/pytorch-container", test_pytorch_container);
  g_test_add_func("/text-log/memory-summary", test_summary);
  g_test_add_func("/text-log/bfc", test_bfc);
  g_test_add_func("/text-log/bfc-ranks", test_bfc_ranks);
  g_test_add_func("/text-log/bfc-cut", test_bfc_cut);
  g_test_add_func("/text-log/bfc-2017", test_bfc_2017);
  g_test_add_func("/text-log/fragmentation", test_fragmentation);
  g_test_add_func("/text-log/totals-explained", test_totals_explained);
  g_test_add_func("/text-log/samples", test_samples);
  g_test_add_func("/text-log/samples-noisy", test_samples_noisy);
  g_test_add_func("/text-log/samples-cut", test_samples_cut);
  g_test_add_func("/text-log/tflm", test_tflm);
  g_test_add_func("/text-log/breakdown", test_breakdown);
  g_test_add_func("/text-log/ge", test_ge);
  g_test_add_func("/text-log/ge-summaries", test_ge_summaries);
  g_test_add_func("/text-log/ge-says", test_ge_says);
  g_test_add_func("/text-log/ge-conflict-names", test_ge_conflict_names);
  g_test_add_func("/text-log/ge-sizes", test_ge_sizes);
  g_test_add_func("/text-log/driver-counts", test_driver_counts);
  g_test_add_func("/text-log/imas-pool", test_imas_pool);
  g_test_add_func("/text-log/imas-rows", test_imas_rows);
  g_test_add_func("/text-log/kernel-trace", test_kernel_trace);
  g_test_add_func("/text-log/onnxruntime", test_onnxruntime);
  g_test_add_func("/text-log/mixed", test_mixed);
  g_test_add_func("/text-log/nothing", test_nothing);
  g_test_add_func("/text-log/prefixes", test_prefixes);
  return g_test_run();
}
