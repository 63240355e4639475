/* SPDX-License-Identifier: MIT */
/* driver ROUNDS FILE…: runs the fuzz target on each file, and on ROUNDS damaged copies of it, the
 * same ones each time.  For compilers without libFuzzer, and for every test run. */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state;

static uint32_t
draw(uint32_t below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return below ? (uint32_t)(state >> 33) % below : 0;
}

/* Text and bytes that readers stumble over. */
static const char *const tokens[] = {
    "-1",
    "0",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "\"",
    ",",
    "{",
    "}",
    "[",
    "]",
    "null",
    "1e9",
    "\n",
    "-",
    "@",
    ":",
    "\\u0000",
    "\xff\xff\xff\x7f",
    "\xff",
    "(",
    ".",
    "h",
    "\x94",
};

static void
damage(GByteArray *bytes)
{
  uint32_t at = draw(bytes->len + 1), n = draw(40);
  switch (draw(6)) {
  case 0: /* cut off */
    g_byte_array_set_size(bytes, at);
    break;
  case 1: /* one bit */
    if (at < bytes->len)
      bytes->data[at] ^= (uint8_t)(1u << draw(8));
    break;
  case 2: /* one byte */
    if (at < bytes->len)
      bytes->data[at] = (uint8_t)draw(256);
    break;
  case 3: /* some gone */
    n = MIN(n, bytes->len - at);
    g_byte_array_remove_range(bytes, at, n);
    break;
  case 4: { /* some from elsewhere */
    uint32_t from = draw(bytes->len + 1);
    n = MIN(n, bytes->len - MAX(at, from));
    memmove(bytes->data + at, bytes->data + from, n);
    break;
  }
  default: { /* a token in between */
    const char *token = tokens[draw(G_N_ELEMENTS(tokens))];
    g_autofree char *rest = g_memdup2(bytes->data + at, bytes->len - at);
    n = bytes->len - at;
    g_byte_array_set_size(bytes, at);
    g_byte_array_append(bytes, (const guint8 *)token, (guint)strlen(token));
    if (n)
      g_byte_array_append(bytes, (const guint8 *)rest, n);
    break;
  }
  }
}

int
main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 0;
  printf("1..%d\n", argc - 2);
  for (int i = 2; i < argc; i++) {
    g_autofree char *text = NULL;
    gsize size;
    if (!g_file_get_contents(argv[i], &text, &size, NULL)) {
      printf("not ok %d - %s can't be read\n", i - 1, argv[i]);
      return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    state = (uint64_t)i;
    for (int round = 0; round < rounds; round++) {
      g_autoptr(GByteArray) bytes = g_byte_array_new();
      g_byte_array_append(bytes, (const guint8 *)text, (guint)size);
      for (uint32_t n = 1 + draw(4); n > 0; n--)
        damage(bytes);
      LLVMFuzzerTestOneInput(bytes->data, bytes->len);
    }
    g_autofree char *name = g_path_get_basename(argv[i]);
    printf("ok %d - %s and %d damaged copies\n", i - 1, name, rounds);
    fflush(stdout);
  }
  return 0;
}
