/* SPDX-License-Identifier: MIT */
/* TensorFlow's dumps of the BFC allocator: its chunks, ranks in turn, cut off, why it failed. */
#include "config.h"

#include "text-log-support.h"

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

/* Exceptions come again in tracebacks, behind the dump of another failure: each has its dump. */
static void
test_bfc_exceptions(void)
{
  static const char other[] = "OP_REQUIRES failed: OOM when allocating tensor with shape[5,1024,512] and type float on "
                              "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n";
  g_autofree char *in_turn = g_strconcat(dumps[1], dumps[2], other, "Traceback\n", strstr(dumps[1], "OP_REQUIRES"), NULL);
  g_autofree char *behind = g_strconcat(dumps[2], dumps[2], other, strstr(dumps[1], "OP_REQUIRES"), other, NULL);
  const char *const texts[] = {in_turn, behind};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(TnDocument) document = load(texts[i]);
    g_assert_cmpuint(document->accounts->len, ==, 2);
    g_assert_cmpuint(document->devices->len, ==, 2);
    check_dump(document, 0);
  }
}

/* Without dumps: one shape on two devices is two failures; two root errors, printed twice, are two as well. */
static void
test_bfc_no_dump(void)
{
#define OOM(shape, gpu)                                                                                                \
  "OOM when allocating tensor with shape[" shape "] and type float on /job:localhost/replica:0/task:0/device:GPU:" gpu \
  " by allocator GPU_" gpu "_bfc"
  static const char root[] = "2 root error(s) found.\n  (0) RESOURCE_EXHAUSTED: " OOM("32,512", "0") "\n"
                             "  (1) RESOURCE_EXHAUSTED: " OOM("64,512", "0") "\n\t [[{{node a}}]]\n";
  g_autofree char *twice = g_strconcat(root, "During handling:\n", root, NULL);
  const char *const texts[] = {twice, OOM("32,512", "0") " [Op:Conv2D]\n" OOM("32,512", "1") "\n" OOM("32,512", "0") "\n"};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(TnDocument) document = load(texts[i]);
    g_assert_cmpuint(document->accounts->len, ==, 2);
    g_assert_cmpint(bytes_of(account_of(document, 0), "requested"), ==, 32 * 512 * 4);
    g_assert_cmpuint(document->devices->len, ==, 1 + i);
  }
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

/* Regions that touch stay apart: no request gets a hole of both.  A region's end is said behind its last chunk, and
 * its beginning before its first. */
static void
test_regions(void)
{
  static const char *const ends[][2] = {{"", "next 18446744073709551615"}, {"Next region of size 1024\n", "next 2"}};
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
    g_autofree char *text =
        g_strdup_printf("Allocator (x) ran out of memory trying to allocate 1.0KiB (rounded to 1024)\n"
                        "%sInUse at 1000 of size 256 next 1\nFree  at 1100 of size 768 %s\n"
                        "%sFree  at 1400 of size 512 next 3\nInUse at 1600 of size 512 next 18446744073709551615\n"
                        "Limit: 2048\nInUse: 768\nMaxInUse: 768\nMaxAllocSize: 512\n",
                        ends[i][0], ends[i][1], ends[i][0]);
    g_autoptr(TnDocument) document = load(text);
    const GArray *segments = tn_document_get_device(document, 0)->segments;
    g_assert_cmpuint(segments->len, ==, 2);
    g_assert_cmpint(g_array_index(segments, TnSegment, 0).bytes, ==, 1024);
    g_autoptr(TnFindings) findings = tn_findings_new();
    g_assert_nonnull(strstr(find_oom(document, findings)->message, "in 2 holes, the largest 768 B"));
  }
}

/* Several kinds in one log, each found, in the order of the lines. */
static void
test_mixed(void)
{
  g_autofree char *text = g_strconcat("starting\n", PYTORCH_SENTENCE_2020, dumps[1], "more\n",
                                      "Available KV cache memory: 8.11 GiB\n", NULL);
  g_autoptr(TnDocument) document = load(text);
  g_assert_cmpuint(document->accounts->len, ==, 3);
  g_assert_cmpuint(account_of(document, 0)->first_line, ==, 2);
  g_assert_cmpuint(account_of(document, 1)->first_line, ==, 3);
  g_assert_cmpint(bytes_of(account_of(document, 2), "KV cache"), ==, GIB(8.11));
  g_assert_cmpint(account_of(document, 2)->total, ==, TN_BYTES_UNKNOWN);
}

#define JAX_HEAD(gpu)                                                                                                  \
  "W xla/bfc_allocator.cc:497] Allocator (GPU_" gpu "_bfc) ran out of memory trying to allocate 2.00GiB (rounded to "    \
  "2147483648)requested by op \n"                                                                                      \
  "I xla/bfc_allocator.cc:1044] Next region of size 1048576\n"                                                         \
  "I xla/bfc_allocator.cc:1064] InUse at 7f0000000000 of size 524288 next 1\n"                                         \
  "I xla/bfc_allocator.cc:1064] Free  at 7f0000080000 of size 524288 next 18446744073709551615\n"                      \
  "Limit: 1048576\nInUse: 524288\nMaxInUse: 524288\nNumAllocs: 1\nMaxAllocSize: 524288\n"                              \
  "W xla/bfc_allocator.cc:508] **************************________________________________________________\n"
#define JAX_SAYS "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2147483600 bytes.\n"
#define JAX_LESS "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes.\n"
#define JAX_ON(gpu) "W x.cc:100] Failed to allocate request for 2.00GiB (2147483600B) on device ordinal " gpu "\n"
#define JAX_AT(time) "2024-05-01 " time " E x/y.cc:1] " JAX_SAYS
#define JAX_TABLES                                                                                                     \
  "BufferAssignment OOM Debugging.\nBufferAssignment stats:\n  parameter allocation:    1.00GiB\n"                     \
  "  total allocation:    1.00GiB\n"

/* One failure of JAX: the allocator's dump, the client's line, the exception twice.  It is of the device that the
 * allocator is named for. */
static void
test_jax_once(void)
{
  static const struct {
    const char *text;
    guint n_marks, n_accounts;
    int32_t device;
  } rows[] = {{JAX_HEAD("0") JAX_SAYS "Traceback\n" JAX_SAYS, 1, 1, 0},
              {JAX_HEAD("3") JAX_SAYS JAX_TABLES JAX_SAYS JAX_TABLES, 1, 2, 3},
              {JAX_HEAD("3") JAX_SAYS JAX_HEAD("3") JAX_SAYS, 2, 2, 3},
              {JAX_HEAD("1") "Failed to allocate request for 2.00GiB (2147483648B) on device ordinal 2\n", 2, 2, 2},
              {JAX_HEAD("2") "RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.\n", 2, 2, 0},
              {JAX_SAYS JAX_TABLES "The above exception\n" JAX_SAYS JAX_TABLES, 1, 1, 0},
              {JAX_SAYS "Traceback\n" JAX_SAYS JAX_TABLES, 1, 1, 0},
              {JAX_SAYS JAX_TABLES JAX_SAYS JAX_TABLES "  total fragmentation: 1B\n", 2, 2, 0},
              /* Only one of the lines names the device. */
              {JAX_ON("3") JAX_SAYS "Traceback\n" JAX_SAYS, 1, 1, 3},
              {JAX_SAYS JAX_ON("3"), 1, 1, 3},
              {JAX_ON("0") JAX_ON("1") JAX_SAYS JAX_TABLES, 2, 2, 1},
              {JAX_ON("0") JAX_SAYS JAX_TABLES JAX_ON("1") JAX_SAYS JAX_TABLES, 2, 2, 1},
              {JAX_ON("0") JAX_ON("1") JAX_SAYS JAX_SAYS, 2, 2, 1},
              /* Another failure stands between. */
              {JAX_SAYS JAX_LESS JAX_SAYS JAX_TABLES, 2, 3, 0},
              {JAX_SAYS JAX_TABLES JAX_LESS JAX_SAYS JAX_TABLES, 2, 2, 0},
              /* Hours later it is another one; a dump tells of one only. */
              {JAX_AT("10:00:00") "10:00:01 on it goes\n" JAX_AT("10:00:30"), 1, 1, 0},
              {JAX_AT("23:59:59") JAX_AT("00:00:01"), 1, 1, 0},
              {JAX_AT("10:00:00") JAX_AT("17:00:00"), 2, 2, 0},
              {JAX_HEAD("0") JAX_AT("10:00:00") JAX_TABLES JAX_AT("17:00:00") JAX_TABLES "  total fragmentation: 1B\n", 2, 3, 0},
              {JAX_HEAD("0") JAX_AT("10:00:00") JAX_TABLES JAX_SAYS JAX_TABLES "2024-05-01 17:00:00 E x/y.cc:1] " JAX_LESS, 2, 3, 0},
              {JAX_HEAD("0") JAX_SAYS JAX_TABLES JAX_SAYS JAX_TABLES "  total fragmentation: 1B\n", 2, 3, 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    bool has_device = false;
    for (guint d = 0; d < document->devices->len; d++)
      has_device |= tn_document_get_device(document, d)->ordinal == rows[i].device;
    g_assert_cmpuint(count_marks(document), ==, rows[i].n_marks);
    g_assert_cmpuint(document->accounts->len, ==, rows[i].n_accounts);
    g_assert_true(has_device);
  }
}

static guint
count_failures(const char *text)
{
  g_autoptr(TnDocument) document = load(text);
  return count_marks(document);
}

/* A dump, and a table, of any length is no older than its head: what follows is the same failure. */
static void
test_long_dumps(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int gpu = 0; gpu < 2; gpu++) {
    g_string_append_printf(text, "W xla/bfc_allocator.cc:497] Allocator (GPU_%d_bfc) ran out of memory trying to allocate "
                           "2.00GiB (rounded to 2147483648)requested by op \n", gpu);
    for (int i = 0; i < 3000; i++)
      g_string_append_printf(text, "I xla/bfc_allocator.cc:1064] InUse at %x of size 256 next %d\n", i * 256, i + 1);
  }
  g_string_append(text, JAX_SAYS JAX_SAYS "Traceback\n" JAX_SAYS);
  g_assert_cmpuint(count_failures(text->str), ==, 2);
  g_string_truncate(text, 0);
  for (int print = 0; print < 2; print++) {
    g_string_append(text, "Ran out of memory in memory space hbm. Used 63.80G of 30.75G hbm. Exceeded hbm capacity.\n"
                          "Total hbm usage >= 65.05G:\n    program 63.80G\n");
    for (int i = 1; i <= 3000; i++)
      g_string_append_printf(text, "  %d. Size: 2.00G\n", i);
  }
  g_assert_cmpuint(count_failures(text->str), ==, 1);
}

/* What fails every minute is counted again once the print that counted is two minutes old: here the 1st, the 4th, … */
static void
test_steady(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int minute = 0; minute < 30; minute++) {
    g_string_append_printf(text, "2024-05-01 10:%02d:00 E x/y.cc:1] " JAX_SAYS, minute);
    for (int i = 0; i < 5; i++)
      g_string_append_printf(text, "2024-05-01 10:%02d:%02d I x/y.cc:1] a request\n", minute, i);
  }
  g_assert_cmpuint(count_failures(text->str), ==, 10);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text-bfc/dumps", test_bfc);
  g_test_add_func("/text-bfc/ranks", test_bfc_ranks);
  g_test_add_func("/text-bfc/exceptions", test_bfc_exceptions);
  g_test_add_func("/text-bfc/no-dump", test_bfc_no_dump);
  g_test_add_func("/text-bfc/cut", test_bfc_cut);
  g_test_add_func("/text-bfc/of-2017", test_bfc_2017);
  g_test_add_func("/text-bfc/fragmentation", test_fragmentation);
  g_test_add_func("/text-bfc/regions", test_regions);
  g_test_add_func("/text-bfc/mixed", test_mixed);
  g_test_add_func("/text-bfc/jax-once", test_jax_once);
  g_test_add_func("/text-bfc/long-dumps", test_long_dumps);
  g_test_add_func("/text-bfc/steady", test_steady);
  return g_test_run();
}
