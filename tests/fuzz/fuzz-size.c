/* SPDX-License-Identifier: MIT */
/* The command line's small languages: sizes, and the settings of the allocator models. */
#include "config.h"

#include "analysis/replay/settings.h"
#include "data/units.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_size(const char *text)
{
  tn_bytes bytes, again;
  if (!tn_parse_bytes(text, &bytes))
    return;
  g_assert_cmpint(bytes, >=, 0);
  g_autofree char *plain = g_strdup_printf("%" G_GINT64_FORMAT "B", bytes);
  g_assert_true(tn_parse_bytes(plain, &again));
  g_assert_cmpint(again, ==, bytes);
  for (TnUnits units = TN_UNITS_IEC; units <= TN_UNITS_BYTES; units++) {
    char buffer[32];
    g_assert_cmpuint(strlen(tn_print_bytes(buffer, sizeof buffer, bytes, units)), <, 32);
  }
}

static void
check_setting(const char *pair)
{
  TnReplaySettings settings;
  g_autofree char *message = NULL;
  tn_replay_settings_init(&settings);
  bool is_good = tn_replay_settings_set(&settings, pair, &message);
  g_assert_true(is_good == (message == NULL));
  g_autofree char *text = tn_replay_settings_format(&settings);
  g_assert_nonnull(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup((const char *)data, size);
  check_size(text);
  check_setting(text);
  return 0;
}
