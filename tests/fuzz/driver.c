/* SPDX-License-Identifier: MIT */
/* driver FOLDER TARGET ROUNDS: runs the fuzz target on
 *
 *   FOLDER/corpus/TARGET/…       and ROUNDS damaged copies of each, the same ones each time: half by bytes,
 *                                half by structure
 *   FOLDER/found/TARGET/…        inputs that once broke something
 *   FOLDER/replayed/TARGET.pack  what a fuzzer found worth keeping: length (32 bits, little-endian) and bytes
 *
 * For compilers without libFuzzer, and for every test run.  TN_FUZZ_SAVE=FILE keeps the last input there.
 * TAP. */
#include "tests/fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int n_cases;

static void
say_ok(const char *what)
{
  printf("ok %d - %s\n", ++n_cases, what);
  fflush(stdout);
}

/* On a copy of exactly this size, so that a sanitizer sees a read past its end. */
static void
try(const uint8_t *data, gsize size)
{
  g_autofree uint8_t *copy = size ? g_memdup2(data, size) : g_malloc(1);
  if (g_getenv("TN_FUZZ_SAVE"))
    g_file_set_contents(g_getenv("TN_FUZZ_SAVE"), (const char *)data, (gssize)size, NULL);
  LLVMFuzzerTestOneInput(copy, size);
}

static void
try_damaged(const char *text, gsize size, TnMutator mutator, int rounds, uint64_t seed)
{
  TnChance chance = {seed};
  for (int round = 0; round < rounds; round++) {
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const guint8 *)text, (guint)size);
    tn_damage(bytes, mutator, &chance);
    try(bytes->data, bytes->len);
  }
}

static void
try_file(const char *path, TnMutator mutator, int rounds)
{
  g_autofree char *text = NULL, *name = g_path_get_basename(path);
  gsize size;
  if (!g_file_get_contents(path, &text, &size, NULL)) {
    printf("not ok %d - %s can't be read\n", ++n_cases, path);
    exit(1);
  }
  try((const uint8_t *)text, size);
  try_damaged(text, size, mutator, rounds, g_str_hash(name));
  g_autofree char *what = g_strdup_printf("%s and %d damaged copies", name, rounds);
  say_ok(what);
}

static int
compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
try_folder(const char *folder, TnMutator mutator, int rounds)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; dir && (name = g_dir_read_name(dir));)
    g_ptr_array_add(names, g_build_filename(folder, name, NULL));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++)
    try_file(names->pdata[i], mutator, rounds);
}

static void
try_pack(const char *path)
{
  g_autofree char *text = NULL;
  gsize size, at = 0;
  int n = 0;
  if (!g_file_get_contents(path, &text, &size, NULL))
    return;
  while (at + 4 <= size) {
    uint32_t length;
    memcpy(&length, text + at, 4);
    length = GUINT32_FROM_LE(length);
    g_assert_cmpuint(length, <=, size - at - 4);
    try((const uint8_t *)text + at + 4, length);
    at += 4 + length;
    n++;
  }
  g_autofree char *what = g_strdup_printf("%d inputs of earlier campaigns", n);
  say_ok(what);
}

int
main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  g_autofree char *corpus = g_build_filename(argv[1], "corpus", argv[2], NULL);
  g_autofree char *found = g_build_filename(argv[1], "found", argv[2], NULL);
  g_autofree char *pack = g_strdup_printf("%s/replayed/%s.pack", argv[1], argv[2]);
  try_folder(corpus, tn_mutator_find(argv[2]), atoi(argv[3]));
  try_folder(found, NULL, 0);
  try_pack(pack);
  printf("1..%d\n", n_cases);
  return n_cases == 0;
}
