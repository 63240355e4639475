/* SPDX-License-Identifier: MIT */
/* One reader (TN_FUZZ_TARGET) on any bytes: it may refuse them, with an error; it may not crash,
 * and what it accepts must be consistent and pass through all that follows. */
#include "config.h"

#include "tests/fuzz/past-reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  tn_fuzz_read(TN_FUZZ_TARGET, data, size);
  return 0;
}
