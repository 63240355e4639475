/* SPDX-License-Identifier: MIT */
/* The remembered answers of `bisect`, whatever was written into their file. */
#include "app/cli/bisect.c"

#include "tests/fuzz/memory-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N 5

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const uint32_t rows[N] = {1, 4, 5, 7, 9};
  uint32_t half;
  cJSON *root;
  g_autoptr(TnBisect) bisect = tn_bisect_new(rows, N);
  const char *path = tn_memory_file(data, size);
  bool is_good = read_state(path, &root) && (!root || replay(bisect, root, path, N));
  cJSON_Delete(root);
  if (!is_good)
    return 0;
  const uint32_t *asked = tn_bisect_half(bisect, &half);
  uint32_t found = tn_bisect_found(bisect);
  g_assert_cmpuint(bisect->suspects->len, <=, N);
  for (uint32_t i = 0; i < half; i++)
    g_assert_cmpuint(asked[i], <=, 9);
  g_assert_true(found == TN_NONE || found <= 9);
  return 0;
}
