/* SPDX-License-Identifier: MIT */
/* libFuzzer's changes of bytes and ours of structure by turns. */
#include "tests/fuzz/mutate.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void
on_trap(int signal_number)
{
  abort();
}

/* GLib's criticals end in SIGTRAP, of which libFuzzer would keep no input. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
  signal(SIGTRAP, on_trap);
  return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
  TnChance chance = {seed};
  TnMutator mutator = tn_mutator_find(TN_FUZZ_TARGET);
  if (!mutator || tn_chance_draw(&chance, 2))
    return LLVMFuzzerMutate(data, size, max_size);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_byte_array_append(bytes, data, (guint)size);
  if (!mutator(bytes, &chance) || bytes->len > max_size)
    return LLVMFuzzerMutate(data, size, max_size);
  if (bytes->len)
    memcpy(data, bytes->data, bytes->len);
  return bytes->len;
}
