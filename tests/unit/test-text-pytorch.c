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

static const char *
note_of(const TnAccount *account, const char *what)
{
  for (guint i = 0; i < account->rows->len; i++)
    if (strcmp(tn_account_row(account->rows, i)->what, what) == 0)
      return tn_account_row(account->rows, i)->note;
  return NULL;
}

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

/* Of several processes one may be this one: the next above what PyTorch has of it, if any.  The sum holds always. */
static void
test_pytorch_processes(void)
{
#define SHARED(processes)                                                                                              \
  "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.69 GiB of which 12.94 MiB is "    \
  "free. " processes " Of the allocated memory 13.00 GiB is allocated by PyTorch, and 200.00 MiB is reserved by "      \
  "PyTorch but unallocated.\n"
#define HAS(who, size) who " has " size " memory in use. "
  const tn_bytes held = GIB(13) + MIB(200), none = TN_BYTES_UNKNOWN;
  const struct {
    const char *text;
    tn_bytes outside, others; /* rows of the account */
    const char *own_note, *others_note; /* part of them; NULL: any */
  } rows[] = {
      {SHARED(HAS("Process 12345", "10.00 GiB") HAS("Process 54321", "13.67 GiB")), GIB(13.67) - held, GIB(10),
       "54321", "12345"},
      {SHARED(HAS("Process 54321", "13.67 GiB") HAS("Process 12345", "10.00 GiB")), GIB(13.67) - held, GIB(10),
       "54321", "12345"},
      {SHARED(HAS("Process 7", "13.67 GiB")), GIB(13.67) - held, none, "container", NULL},
      {SHARED(HAS("Process 1", "4.00 GiB") HAS("Process 2", "13.50 GiB") HAS("Process 3", "6.00 GiB")),
       GIB(13.5) - held, GIB(10), "Process 2", "Process 1: 4.00 GiB, Process 3: 6.00 GiB"},
      /* Two can be: the next above. */
      {SHARED(HAS("Process 1", "15.00 GiB") HAS("Process 2", "13.50 GiB")), GIB(13.5) - held, GIB(15),
       "Process 2", NULL},
      /* None is as large, or several are larger by more than a context. */
      {SHARED(HAS("Process 1", "12.00 GiB") HAS("Process 2", "11.00 GiB")), none, GIB(23), NULL, "does not tell which"},
      {SHARED(HAS("Process 1", "18.00 GiB") HAS("Process 2", "19.00 GiB")), none, GIB(37), NULL, "does not tell which"},
      {SHARED(HAS("Process 1", "12.00 GiB")), none, GIB(12), NULL, "does not tell which"},
      /* It says which one is this one, or that it does not know its size: the driver's "none" is 2^64. */
      {SHARED(HAS("Process 1", "10.00 GiB") HAS("Including non-PyTorch memory, this process", "13.60 GiB")),
       GIB(13.6) - held, GIB(10), "context", NULL},
      {SHARED(HAS("Process 1", "10.00 GiB") HAS("Including non-PyTorch memory, this process", "17179869184.00 GiB")),
       none, GIB(10), NULL, NULL},
      {SHARED(HAS("Process 1", "17179869184.00 GiB") HAS("Process 2", "13.67 GiB")), GIB(13.67) - held, none,
       "container", NULL},
      {SHARED(HAS("Process 1", "<unknown>") HAS("Process <unknown>", "13.67 GiB") HAS("Process 2", "10.00 GiB")),
       GIB(13.67) - held, GIB(10), "<unknown>", "Process 2"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    const TnAccount *account = account_of(document, 0);
    const char *own = note_of(account, "this process, outside PyTorch's allocator");
    const char *others = note_of(account, "other processes");
    g_assert_cmpint(bytes_of(account, "this process, outside PyTorch's allocator"), ==, rows[i].outside);
    g_assert_cmpint(bytes_of(account, "other processes"), ==, rows[i].others);
    g_assert_true(!rows[i].own_note || (own && strstr(own, rows[i].own_note)));
    g_assert_true(!rows[i].others_note || (others && strstr(others, rows[i].others_note)));
    assert_adds_up(document);
  }
}

/* ---- wrapped -------------------------------------------------------------------------- */

/* As `fold -w` and, if `at_blanks`, `fold -s -w` wrap it, with `each` before every line. */
static char *
fold(const char *text, gsize width, bool at_blanks, const char *each)
{
  GString *out = g_string_new(NULL);
  while (*text) {
    gsize length = strcspn(text, "\n"), n = MIN(length, width), blank = n;
    while (at_blanks && n < length && blank > 0 && text[blank - 1] != ' ')
      blank--;
    n = blank > 0 ? blank : n;
    g_string_append_printf(out, "%s%.*s\n", each, (int)n, text);
    text += n + (n == length);
  }
  return g_string_free(out, FALSE);
}

static void
append_rows(GString *out, const GArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const TnAccountRow *row = tn_account_row(rows, i);
    g_string_append_printf(out, "%s %" G_GINT64_FORMAT " %s\n", row->what, row->bytes, row->note ? row->note : "");
  }
}

/* All that is read of a text, but for the numbers of its lines. */
static char *
describe(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  GString *out = g_string_new(document ? document->format : "nothing");
  for (guint i = 0; document && i < document->accounts->len; i++) {
    const TnAccount *account = account_of(document, i);
    g_string_append_printf(out, "\n%s, %s, %" G_GINT64_FORMAT ", cut %d\n", account->title, account->source,
                           account->total, account->is_cut_off);
    append_rows(out, account->rows);
    append_rows(out, account->details);
  }
  for (guint d = 0; document && d < document->devices->len; d++) {
    const TnDevice *device = tn_document_get_device(document, d);
    g_string_append_printf(out, "device %d, %" G_GINT64_FORMAT, device->ordinal, device->total_bytes);
    for (guint m = 0; m < device->marks->len; m++)
      g_string_append_printf(out, " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                             g_array_index(device->marks, TnMark, m).requested,
                             g_array_index(device->marks, TnMark, m).device_free);
  }
  return g_string_free(out, FALSE);
}

#define FRAMES "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    loss.backward()\n"
#define TAGGED_FRAMES                                                                                                  \
  "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"train.py\", line 12, in <module>\n"
#define LONG_SENTENCE                                                                                                  \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 3 has a total capacity of 79.33 GiB "   \
  "of which 1.26 GiB is free. Including non-PyTorch memory, this process has 78.06 GiB memory in use. Of the "         \
  "allocated memory 70.12 GiB is allocated by PyTorch, with 512.00 MiB allocated in private pools (e.g., CUDA "        \
  "Graphs), and 6.80 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "     \
  "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "    \
  "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)\n"
#define PROCESS_SENTENCE                                                                                               \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 12 has a total capacity of 23.69 GiB " \
  "of which 12.94 MiB is free. Process 12345 has 10.00 GiB memory in use. Process 54321 has 13.67 GiB memory in use. " \
  "7.91 GiB allowed; Of the allocated memory 13.00 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch "   \
  "but unallocated. If reserved but unallocated memory is large try\n"

/* Wrapped at any width, in words and numbers or at blanks, a tag before all lines or before the first: as if it were not. */
static void
test_pytorch_wrapped(void)
{
  static const struct {
    const char *plain, *tagged;
  } texts[] = {{FRAMES LONG_SENTENCE, TAGGED_FRAMES "[rank3]: " LONG_SENTENCE},
               {FRAMES PROCESS_SENTENCE, TAGGED_FRAMES "[rank3]: " PROCESS_SENTENCE},
               {FRAMES PYTORCH_SENTENCE_2020, TAGGED_FRAMES "[rank3]: " PYTORCH_SENTENCE_2020}};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *plain = describe(texts[i].plain), *tagged = describe(texts[i].tagged);
    g_assert_nonnull(strstr(tagged, "rank3"));
    for (gsize width = 30; width <= 134; width++)
      for (int at_blanks = 0; at_blanks < 2; at_blanks++) {
        g_autofree char *bare = fold(texts[i].plain, width, at_blanks, "");
        g_autofree char *each = fold(texts[i].plain, width, at_blanks, "[rank3]: ");
        g_autofree char *first = fold(texts[i].tagged, width, at_blanks, "");
        g_autofree char *of_bare = describe(bare), *of_each = describe(each), *of_first = describe(first);
        g_assert_cmpstr(of_bare, ==, plain);
        g_assert_cmpstr(of_each, ==, tagged);
        g_assert_cmpstr(of_first, ==, tagged);
      }
  }
}

/* What is not of the sentence ends it, and is not read into it. */
static void
test_pytorch_not_wrapped(void)
{
#define CUT "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 3 has a total capacity of 79.33 GiB of which 1.2\n"
#define REST                                                                                                           \
  "6 GiB is free. Of the allocated memory 1.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but "  \
  "unallocated.\n"
  static const struct {
    const char *text;
    guint n;
    tn_bytes free; /* of the first */
  } rows[] = {
      {CUT REST, 1, GIB(1.26)},
      {CUT "\n" REST, 1, TN_BYTES_UNKNOWN},
      {CUT "Traceback (most recent call last):\n" REST, 1, TN_BYTES_UNKNOWN},
      {CUT "  File \"a.py\", line 1, in f\n" REST, 1, TN_BYTES_UNKNOWN},
      {CUT "12:00:01 step 5\n" REST, 1, TN_BYTES_UNKNOWN},
      {CUT "step 5\n" REST, 1, TN_BYTES_UNKNOWN},
      {CUT "[rank1]: " REST, 1, TN_BYTES_UNKNOWN},
      {"[rank0]: " CUT "[rank1]: step 5\n[rank0]: " REST, 1, GIB(1.26)},
      {CUT "RuntimeError: CUDA out of memory. Tried to\nallocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.2\n" REST,
       2, TN_BYTES_UNKNOWN},
      {CUT "Tried t\no allocate 2.00 GiB\n", 2, TN_BYTES_UNKNOWN},
      {"CUDA out of memory. Tried to\nallocat 3.00 GiB\n" CUT REST, 1, GIB(1.26)},
      {"CUDA out of memory. T\nried\n to al\n locate 2.00\nGiB. GPU 3 has a total capacity of 79.33 GiB of which 1.2\n" REST, 1, GIB(1.26)},
      {"[rank0]: step 5 of T\n" CUT REST, 1, GIB(1.26)},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    g_assert_cmpuint(document->accounts->len, ==, rows[i].n);
    g_assert_cmpint(bytes_of(account_of(document, 0), "free on the device"), ==, rows[i].free);
  }
}

/* Totals say who holds most, whether it was for want of memory at all, and nothing that they do not tell. */
static void
test_totals_explained(void)
{
#define FRACTION                                                                                                       \
  "[rank5]: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which "         \
  "70.00 GiB is free. 7.91 GiB allowed; Of the allocated memory 7.50 GiB is allocated by PyTorch, and 100.00 MiB is "  \
  "reserved by PyTorch but unallocated.\n"
#define SHARED_TOTAL                                                                                                   \
  "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is free. " \
  "Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. Of the allocated memory 17.20 "    \
  "GiB is allocated by PyTorch, and 3.00 GiB is reserved by PyTorch but unallocated.\n"
  const struct {
    const char *text, *message, *hint;
  } rows[] = {
      {sentences[0].text,
       "A request for 16.00 GiB failed; the device had 7.33 GiB free; the largest holder of the device's 11.93 GiB was "
       "“allocated by PyTorch”, 4.00 GiB (totals of a report, line 1)",
       "The request alone is larger than the device"},
      {sentences[2].text, "; the largest holder of the device's 6.00 GiB was “allocated by PyTorch”, 2.93 GiB",
       "fragmentation"},
      {FRACTION,
       "the device had 70.00 GiB free, but the set memory fraction allows this process 7.91 GiB: PyTorch held 7.60 GiB, "
       "which with the request is 8.60 GiB (totals of a report by [rank5], line 1)",
       "set_per_process_memory_fraction"},
      {SHARED_TOTAL, "; “allocated by PyTorch” alone, 17.20 GiB, is more than the device's 8.00 GiB (", "which recording"},
      {"CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total capacity; 2.00 GiB already allocated; "
       "5.00 GiB free; 2.50 GiB reserved in total by PyTorch)\n",
       "the device had 5.00 GiB free; the largest holder of the device's 8.00 GiB was “allocated by PyTorch”, 2.00 GiB",
       "More was free than it asked for"},
      {"RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory: you tried to "
       "allocate 107374182400 bytes. Error code 12 (Cannot allocate memory)\n",
       "A request for 100.00 GiB of the host's memory failed; the report says neither what the host had free nor who "
       "held the rest (",
       "The machine's own memory was short"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    g_autoptr(TnFindings) findings = tn_findings_new();
    const TnFinding *finding = find_oom(document, findings);
    if (!strstr(finding->message, rows[i].message) || !strstr(finding->hint, rows[i].hint))
      g_test_message("%s\n%s", finding->message, finding->hint);
    g_assert_nonnull(strstr(finding->message, rows[i].message));
    g_assert_nonnull(strstr(finding->hint, rows[i].hint));
  }
#undef FRACTION
#undef SHARED_TOTAL
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
  g_test_add_func("/text-pytorch/processes", test_pytorch_processes);
  g_test_add_func("/text-pytorch/wrapped", test_pytorch_wrapped);
  g_test_add_func("/text-pytorch/not-wrapped", test_pytorch_not_wrapped);
  g_test_add_func("/text-pytorch/totals-explained", test_totals_explained);
  g_test_add_func("/text-pytorch/memory-summary", test_summary);
  g_test_add_func("/text-pytorch/twice", test_twice);
  return g_test_run();
}
