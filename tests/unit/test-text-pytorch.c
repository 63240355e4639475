/* SPDX-License-Identifier: MIT */
/* PyTorch's out-of-memory sentences of each generation and its memory summary. */
#include "config.h"

#include "text-log-support.h"
#include "warnings.h"

static const struct {
  const char *text;
  int device;
  tn_bytes requested, total, free, allocated, unallocated;
} sentences[] = {
    {"RuntimeError: CUDA out of memory. Tried to allocate 16.00 GiB (GPU 0; 11.93 GiB total "
     "capacity; 4.00 GiB already allocated; 7.33 GiB free; 179.00 KiB cached)\n",
     0, GIB(16), GIB(11.93), GIB(7.33), GIB(4), 179 * 1024},
    {PYTORCH_SENTENCE_2020,
     2, MIB(128), GIB(11.17), MIB(24.81), GIB(10.85), GIB(10.86) - GIB(10.85)},
    {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a "
     "total capacty of 6.00 GiB of which 0 bytes is free. Of the allocated memory 2.93 GiB is "
     "allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated. If reserved\n",
     0, GIB(1.7), GIB(6), 0, GIB(2.93), GIB(2.3)},
    {"torch.OutOfMemoryError: XPU out of memory. Tried to allocate 18.00 GiB. GPU 0 has a total capacity of 15.91 GiB. "
     "Of the allocated memory 10.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but "
     "unallocated. Please use `empty_cache` to release all unoccupied cached memory.\n",
     0, GIB(18), GIB(15.91), TN_BYTES_UNKNOWN, GIB(10), MIB(512)},
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

/* A program logs the failure and raises it; the next failure differs in a digit, and who fails on another device is
 * another. */
static void
test_twice(void)
{
#define SENTENCE(gpu, free)                                                                                            \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU " gpu                                  \
  " has a total capacity of 23.69 GiB of which " free " MiB is free. Process 7 has 23.66 GiB memory in use. Of the "   \
  "allocated memory 22.98 GiB is allocated by PyTorch, and 388.33 MiB is reserved by PyTorch but unallocated.\n"
#define PROCESS_AT(number, time) "[ERROR] PTA(" number ",python3):2024-05-01-" time ".000.000 [x.cpp:1]"
#define PROCESS(number) PROCESS_AT(number, "12:00:00")
  static const struct {
    const char *text;
    guint n;
  } rows[] = {{"ERROR:root:failed\n" SENTENCE("0", "17.94") "Traceback\n" SENTENCE("0", "17.94"), 1},
              {SENTENCE("0", "17.94") SENTENCE("0", "17.95"), 2},
              {SENTENCE("0", "17.94") SENTENCE("1", "17.94"), 2},
              {"[rank0]: " SENTENCE("0", "17.94") "[rank1]: " SENTENCE("0", "17.94"), 2},
              /* Lines with and without the process are one's; another process has failed, too. */
              {PROCESS("100") SENTENCE("0", "17.94") "Traceback\n" SENTENCE("0", "17.94"), 1},
              {"Traceback\n" SENTENCE("0", "17.94") PROCESS("100") SENTENCE("0", "17.94"), 1},
              {PROCESS("100") SENTENCE("0", "17.94") PROCESS("101") SENTENCE("0", "17.94") SENTENCE("0", "17.94"), 2},
              {SENTENCE("0", "17.94") PROCESS("100") SENTENCE("0", "17.94") PROCESS("101") SENTENCE("0", "17.94"), 2},
              {PROCESS_AT("100", "10:00:00") SENTENCE("0", "17.94") PROCESS_AT("100", "10:02:00") SENTENCE("0", "17.94"), 1},
              {PROCESS_AT("100", "10:00:00") SENTENCE("0", "17.94") PROCESS_AT("100", "10:02:01") SENTENCE("0", "17.94"), 2},
              /* A server fails in the same state, hours later. */
              {"2024-05-01 10:00:00,001 " SENTENCE("0", "17.94") "2024-05-01 10:00:20,001 " SENTENCE("0", "17.94"), 1},
              {"2024-05-01 10:00:00,001 " SENTENCE("0", "17.94") "2024-05-01 17:00:00,001 " SENTENCE("0", "17.94"), 2},
              {"2024-05-01 10:00:00,001 " SENTENCE("0", "17.94") "17:00:00 a request\n" SENTENCE("0", "17.94"), 2}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    g_assert_cmpuint(document->accounts->len, ==, rows[i].n);
    g_assert_cmpuint(count_marks(document), ==, rows[i].n);
  }
  g_autoptr(GString) steady = g_string_new(NULL);
  for (int minute = 0; minute < 30; minute++)
    g_string_append_printf(steady, "2024-05-01 10:%02d:00,001 %s", minute, SENTENCE("0", "17.94"));
  g_autoptr(TnDocument) served = load(steady->str);
  g_assert_cmpuint(served->accounts->len, ==, 10); /* the 1st, the 4th, … */
  for (guint n = 500; n <= 2000; n += 1500) {
    g_autoptr(GString) text = g_string_new(SENTENCE("0", "17.94"));
    for (guint i = 0; i < n; i++)
      g_string_append(text, "a line of work\n");
    g_string_append(text, SENTENCE("0", "17.94"));
    g_autoptr(TnDocument) document = load(text->str);
    g_assert_cmpuint(document->accounts->len, ==, n == 500 ? 1 : 2);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text-pytorch/sentences", test_pytorch);
  g_test_add_func("/text-pytorch/sentences-cut", test_pytorch_cut);
  g_test_add_func("/text-pytorch/container", test_pytorch_container);
  g_test_add_func("/text-pytorch/totals-explained", test_totals_explained);
  g_test_add_func("/text-pytorch/memory-summary", test_summary);
  g_test_add_func("/text-pytorch/twice", test_twice);
  return g_test_run();
}
