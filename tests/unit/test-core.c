/* SPDX-License-Identifier: MIT */
/* Strings, stacks, sizes, diagnostics, the buffer table. */
#include "config.h"

#include "data/buffers.h"
#include "data/diagnostics.h"
#include "data/stacks.h"
#include "data/strings.h"
#include "data/units.h"

static void
test_strings(void)
{
  g_autoptr(TnStrings) strings = tn_strings_new();
  g_assert_cmpuint(tn_strings_intern(strings, "", -1), ==, 0);
  uint32_t a = tn_strings_intern(strings, "forward", -1);
  g_assert_cmpuint(tn_strings_intern(strings, "forward!", 7), ==, a);
  g_assert_cmpstr(tn_strings_get(strings, a), ==, "forward");
  char name[16];
  for (int i = 0; i < 10000; i++) {
    g_snprintf(name, sizeof name, "n%d", i);
    g_assert_cmpuint(tn_strings_intern(strings, name, -1), ==, a + 1 + (uint32_t)i);
  }
  g_assert_cmpuint(tn_strings_intern(strings, "n77", -1), ==, a + 78);
  g_assert_cmpuint(tn_strings_count(strings), ==, 10002);
  /* What is no UTF-8 must still be drawable. */
  g_assert_true(g_utf8_validate(
      tn_strings_get(strings, tn_strings_intern(strings, "a\xff" "b", 3)), -1, NULL));
}

static void
test_stacks(void)
{
  g_autoptr(TnStacks) stacks = tn_stacks_new();
  uint32_t f = tn_stacks_intern_frame(stacks, (TnFrame){1, 2, 3});
  uint32_t g = tn_stacks_intern_frame(stacks, (TnFrame){1, 2, 4});
  g_assert_cmpuint(f, !=, g);
  g_assert_cmpuint(tn_stacks_intern_frame(stacks, (TnFrame){1, 2, 3}), ==, f);
  uint32_t list[2] = {f, g}, n;
  g_assert_cmpuint(tn_stacks_intern(stacks, NULL, 0), ==, 0);
  uint32_t s = tn_stacks_intern(stacks, list, 2);
  g_assert_cmpuint(tn_stacks_intern(stacks, list, 2), ==, s);
  g_assert_cmpuint(tn_stacks_intern(stacks, list, 1), !=, s);
  g_assert_cmpuint(tn_stacks_get(stacks, s, &n)[1], ==, g);
  g_assert_cmpuint(n, ==, 2);
  tn_stacks_get(stacks, TN_NONE, &n);
  g_assert_cmpuint(n, ==, 0);
}

static void
test_parse_bytes(void)
{
  static const struct {
    const char *text;
    tn_bytes bytes; /* -1: refused */
  } rows[] = {
      {"0", 0},           {"512", 512},       {"512B", 512},
      {"1K", 1024},       {"1.5GiB", 1610612736}, {"64 KiB", 65536},
      {"20M", 20971520},  {" 7b ", 7},        {".5k", 512},
      {"", -1},           {"-1", -1},         {"1Q", -1},
      {"1 K K", -1},      {"GiB", -1},        {"9223372036854775807", INT64_MAX},
      {"9223372036854775808", -1},            {"9000000T", -1},
      {"8388607TiB", 8388607ll << 40},        {"1e3", -1},
      {"0x10", -1},       {"1,5G", -1},
      {"1.2GB", 1200000000}, {"20 kB", 20000},   {"9300PB", -1},
      {"9223372TB", 9223372000000000000}, {"9223373TB", -1},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    tn_bytes bytes = -2;
    bool is_good = tn_parse_bytes(rows[i].text, &bytes);
    if (is_good != (rows[i].bytes >= 0) || (is_good && bytes != rows[i].bytes))
      g_error("'%s' gave %d, %" G_GINT64_FORMAT, rows[i].text, is_good, bytes);
  }
}

static void
test_format_bytes(void)
{
  char text[48];
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 512, TN_UNITS_IEC), ==, "512 B");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 100663296, TN_UNITS_IEC), ==, "96.0 MiB");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 13927832064, TN_UNITS_IEC), ==, "12.97 GiB");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 1048575, TN_UNITS_IEC), ==, "1.0 MiB");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, -2048, TN_UNITS_IEC), ==, "-2.0 KiB");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 1500000, TN_UNITS_SI), ==, "1.5 MB");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, 13927832064, TN_UNITS_BYTES), ==,
                  "13,927,832,064 B");
  g_assert_cmpstr(tn_print_bytes(text, sizeof text, -123, TN_UNITS_BYTES), ==, "-123 B");
}

static void
test_checked(void)
{
  int64_t out = 0;
  g_assert_false(tn_add(INT64_MAX, 1, &out));
  g_assert_false(tn_mul(INT64_MAX / 2, 3, &out));
  g_assert_false(tn_round_up(INT64_MAX, 512, &out));
  g_assert_true(tn_round_up(513, 512, &out));
  g_assert_cmpint(out, ==, 1024);
}

static void
test_diagnostics(void)
{
  g_autoptr(TnDiagnostics) diagnostics = tn_diagnostics_new();
  tn_diagnostics_add(diagnostics, "ghosts", 2, "%d blocks", 2);
  tn_diagnostics_count(diagnostics, "ghosts", "another");
  g_assert_cmpuint(tn_diagnostics_length(diagnostics), ==, 1);
  g_assert_cmpint(tn_diagnostics_get(diagnostics, 0)->count, ==, 3);
  g_assert_cmpstr(tn_diagnostics_get(diagnostics, 0)->message, ==, "2 blocks");
}

static void
test_buffers(void)
{
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  for (int i = 0; i < 100; i++)
    tn_buffers_add(buffers, i, i + 5, 64 * (i + 1), TN_KIND_ACTIVATION);
  g_assert_cmpint(tn_buffers_alignment(buffers, 7), ==, 1);
  tn_buffers_need(buffers, TN_COLUMN_ALIGNMENT | TN_COLUMN_REQUESTED | TN_COLUMN_OP);
  g_assert_cmpint(tn_buffers_alignment(buffers, 7), ==, 1);
  g_assert_cmpint(tn_buffers_requested(buffers, 7), ==, 512);
  g_assert_cmpuint(tn_buffers_op(buffers, 7), ==, TN_NONE);
  tn_index late = tn_buffers_add(buffers, 0, 1, 8, TN_KIND_WORKSPACE);
  g_assert_cmpint(buffers->alignment[late], ==, 1);
  g_assert_cmpint(buffers->offset[late], ==, TN_NOT_PLACED);
  TnGap gaps[2] = {{2, 3, 0, 0}, {8, 9, 0, 4}};
  tn_index owner[2] = {1, 6};
  tn_buffers_set_gaps(buffers, gaps, owner, 2);
  g_autoptr(TnBuffers) copy = tn_buffers_copy(buffers);
  uint32_t n;
  g_assert_cmpint(tn_buffers_gaps(copy, 6, &n)->high, ==, 4);
  g_assert_cmpuint(n, ==, 1);
  tn_buffers_gaps(copy, 5, &n);
  g_assert_cmpuint(n, ==, 0);
}

/* A copy has room for its rows only; a row more must find its own. */
static void
test_copied_table_grows(void)
{
  for (uint32_t n = 0; n < 40; n++) {
    g_autoptr(TnBuffers) first = tn_buffers_new();
    tn_buffers_need(first, TN_COLUMN_SPACE);
    for (uint32_t i = 0; i < n; i++)
      tn_buffers_add(first, i, i + 1, 100 + i, TN_KIND_ALLOCATION);
    g_autoptr(TnBuffers) copy = tn_buffers_copy(first);
    for (uint32_t i = n; i < n + 3; i++)
      tn_buffers_add(copy, i, i + 1, 100 + i, TN_KIND_ALLOCATION);
    g_assert_cmpuint(copy->n, ==, n + 3);
    g_assert_cmpuint(copy->capacity, >=, copy->n);
    for (uint32_t i = 0; i < copy->n; i++)
      g_assert_cmpint(copy->bytes[i], ==, 100 + i);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/core/strings", test_strings);
  g_test_add_func("/core/stacks", test_stacks);
  g_test_add_func("/core/parse-bytes", test_parse_bytes);
  g_test_add_func("/core/format-bytes", test_format_bytes);
  g_test_add_func("/core/checked", test_checked);
  g_test_add_func("/core/diagnostics", test_diagnostics);
  g_test_add_func("/core/buffers", test_buffers);
  g_test_add_func("/core/copied-table-grows", test_copied_table_grows);
  return g_test_run();
}
