/* SPDX-License-Identifier: MIT */
/* sweep [--prefixes N] [--mutations N] [--largest BYTES] [--keep FOLDER] FILE…: opens prefixes of each file (N of them evenly,
 * 0: every one) and damaged copies, as the programs do, and takes what could be read through the analysis.
 * Each is read or refused: no signal, at most SECONDS of processor time, and a heap of no more than
 * PER_BYTE times the file and AT_LEAST (README.md states the bound).  Many are tried in one child; what ends
 * it is kept in FOLDER and the next child goes on behind it.  Prints a table of the worst; TAP. */
#include "tests/fuzz/heap-peak.h"
#include "tests/fuzz/memory-file.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/past-reader.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define SECONDS 10.0
#define PER_BYTE 256
#define AT_LEAST ((gsize)64 << 20)

/* Shared with the child that is at work. */
typedef struct {
  uint64_t next; /* the first that is not done */
  uint64_t n_read, n_refused, n_slow, n_large;
  double seconds;           /* the longest */
  uint64_t seconds_of;      /* which one it was */
  gsize heap, heap_bound;   /* the largest, and what it may be */
  gsize reader_heap;        /* the largest until the file was read */
  uint64_t heap_of;
} Tally;

typedef struct {
  const char *name;
  const uint8_t *data;
  gsize size;
  uint64_t n_prefixes, n_mutations;
  const char *keep; /* may be NULL */
} Sample;

/* ---- one input --------------------------------------------------------------------------------- */

static double
processor_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static TnDocument *
open_document(const char *path, bool is_partial)
{
  TnReadOptions options = {.is_partial_wanted = is_partial};
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_true((document == NULL) == (error != NULL));
  return document;
}

static gsize
unpacked_size(const char *path, gsize size)
{
  g_autoptr(TnSource) source = tn_source_new(path, 0, NULL);
  return source ? MAX(source->size, size) : size;
}

/* The input: prefixes first (the last of them is the whole), then damaged copies. */
static GByteArray *
build_input(const Sample *sample, uint64_t which)
{
  GByteArray *bytes = g_byte_array_new();
  if (which < sample->n_prefixes) {
    g_byte_array_append(bytes, sample->data, (guint)((which + 1) * sample->size / sample->n_prefixes));
    return bytes;
  }
  TnChance chance = {which * 0x9e3779b97f4a7c15u + g_str_hash(sample->name)};
  g_byte_array_append(bytes, sample->data, (guint)sample->size);
  tn_damage(bytes, tn_mutator_find_for_name(sample->name), &chance);
  return bytes;
}

static void
try(const Sample *sample, uint64_t which, Tally *tally)
{
  g_autoptr(GByteArray) bytes = build_input(sample, which);
  const char *path = tn_memory_file(bytes->data, bytes->len);
  gsize bound = AT_LEAST + PER_BYTE * unpacked_size(path, bytes->len);
  double begun = processor_time();
  tn_heap_peak_start();
  TnDocument *document = open_document(path, false);
  bool is_read = document != NULL;
  if (!document)
    document = open_document(path, true);
  gsize reader_heap = tn_heap_peak();
  if (document)
    tn_fuzz_document(document);
  tn_document_free(document);
  double seconds = processor_time() - begun;
  gsize heap = tn_heap_peak();
  tally->n_read += is_read;
  tally->n_refused += !is_read;
  tally->n_slow += seconds > SECONDS;
  tally->n_large += heap > bound;
  if (seconds > tally->seconds) {
    tally->seconds = seconds;
    tally->seconds_of = which;
  }
  if (heap > tally->heap) {
    tally->heap = heap;
    tally->heap_bound = bound;
    tally->heap_of = which;
  }
  tally->reader_heap = MAX(tally->reader_heap, reader_heap);
}

/* ---- many -------------------------------------------------------------------------------------- */

static void
work(const Sample *sample, uint64_t n, Tally *tally)
{
  const struct itimerval limit = {.it_value = {.tv_sec = (time_t)SECONDS * 3}};
  for (; tally->next < n; tally->next++) {
    setitimer(ITIMER_PROF, &limit, NULL);
    try(sample, tally->next, tally);
  }
}

static void
keep(const Sample *sample, uint64_t which, int signal_number)
{
  printf("# %s: input %" G_GUINT64_FORMAT " ended by %s\n", sample->name, which, strsignal(signal_number));
  if (!sample->keep)
    return;
  g_autoptr(GByteArray) bytes = build_input(sample, which);
  g_autofree char *name = g_strdup_printf("%s-%" G_GUINT64_FORMAT, sample->name, which);
  g_autofree char *path = g_build_filename(sample->keep, name, NULL);
  g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL);
}

/* How many inputs ended their process. */
static uint64_t
sweep(const Sample *sample, Tally *tally)
{
  uint64_t n = sample->n_prefixes + sample->n_mutations, n_ended = 0;
  while (tally->next < n && n_ended < 20) {
    fflush(stdout);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
      work(sample, n, tally);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    keep(sample, tally->next, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    tally->next++;
    n_ended++;
  }
  return n_ended;
}

static bool
report(const Sample *sample, const Tally *tally, uint64_t n_ended)
{
  bool is_good = n_ended == 0 && tally->n_slow == 0 && tally->n_large == 0;
  static int n_cases;
  printf("# %-34.34s %6" G_GSIZE_FORMAT " B  read %6" G_GUINT64_FORMAT "  refused %6" G_GUINT64_FORMAT
         "  worst %7.3f s (%" G_GUINT64_FORMAT ")  heap %9.2f MiB of %9.2f (%" G_GUINT64_FORMAT
         "), reader %.2f\n",
         sample->name, sample->size, tally->n_read, tally->n_refused, tally->seconds, tally->seconds_of,
         (double)tally->heap / 1048576, (double)tally->heap_bound / 1048576, tally->heap_of,
         (double)tally->reader_heap / 1048576);
  printf("%sok %d - %s: %" G_GUINT64_FORMAT " ended, %" G_GUINT64_FORMAT " slow, %" G_GUINT64_FORMAT
         " large\n",
         is_good ? "" : "not ", ++n_cases, sample->name, n_ended, tally->n_slow, tally->n_large);
  return is_good;
}

static bool
sweep_file(const char *path, gint64 n_prefixes, gint64 n_mutations, const char *folder)
{
  g_autofree char *text = NULL, *name = g_path_get_basename(path);
  gsize size;
  if (!g_file_get_contents(path, &text, &size, NULL)) {
    printf("not ok - %s can't be read\n", path);
    return false;
  }
  Sample sample = {name, (const uint8_t *)text, size, (uint64_t)n_prefixes, (uint64_t)n_mutations, folder};
  if (n_prefixes == 0 || (gsize)n_prefixes > size)
    sample.n_prefixes = size;
  Tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true(tally != MAP_FAILED);
  uint64_t n_ended = sweep(&sample, tally);
  bool is_good = report(&sample, tally, n_ended);
  munmap(tally, sizeof *tally);
  return is_good;
}

/* ---- which files ------------------------------------------------------------------------------- */

/* All of a folder and those in it, of at most so many bytes; what is not there is skipped. */
static void
add_files(GPtrArray *files, const char *path, gint64 largest)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  GStatBuf about;
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *inner = g_build_filename(path, name, NULL);
    add_files(files, inner, largest);
  }
  if (!dir && g_stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
      about.st_size <= largest)
    g_ptr_array_add(files, g_strdup(path));
}

static int
compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int
main(int argc, char **argv)
{
  gint64 n_prefixes = 100, n_mutations = 100, largest = 65536;
  g_autofree char *folder = NULL;
  g_auto(GStrv) rest = NULL;
  const GOptionEntry entries[] = {
      {"prefixes", 0, 0, G_OPTION_ARG_INT64, &n_prefixes, "How many, evenly; 0: every one", "N"},
      {"mutations", 0, 0, G_OPTION_ARG_INT64, &n_mutations, "How many damaged copies", "N"},
      {"largest", 0, 0, G_OPTION_ARG_INT64, &largest, "Leave larger files out", "BYTES"},
      {"keep", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Where to keep what ended a process", "FOLDER"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, "FILE or FOLDER…"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, NULL) || !rest)
    return 2;
  if (g_getenv("TN_SWEEP_PREFIXES"))
    n_prefixes = g_ascii_strtoll(g_getenv("TN_SWEEP_PREFIXES"), NULL, 10);
  if (g_getenv("TN_SWEEP_MUTATIONS"))
    n_mutations = g_ascii_strtoll(g_getenv("TN_SWEEP_MUTATIONS"), NULL, 10);
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  for (gsize i = 0; rest[i]; i++)
    add_files(files, rest[i], largest);
  g_ptr_array_sort(files, compare_names);
  printf("1..%u\n", files->len);
  bool is_good = files->len > 0;
  for (guint i = 0; i < files->len; i++)
    is_good &= sweep_file(files->pdata[i], n_prefixes, n_mutations, folder);
  return !is_good;
}
