/* SPDX-License-Identifier: MIT */
/* Measured times of copies, and the fit to them. */
#include "config.h"

#include "analysis/budget/calibrate.h"
#include "data/link-file.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_fit(const GArray *points)
{
  g_autoptr(TnLinkFit) fit = points->len ? tn_link_fit_new(points) : NULL;
  g_assert_true((fit == NULL) == (points->len == 0));
  if (!fit)
    return;
  for (guint i = 0; i < fit->segments->len; i++) {
    const TnLinkSegment *segment = &g_array_index(fit->segments, TnLinkSegment, i);
    g_assert_cmpint(segment->from, <=, segment->to);
    g_assert_true(segment->latency_seconds >= 0.0 && segment->bytes_per_second >= 0.0);
  }
  g_assert_true(tn_link_fit_seconds(fit, 1 << 20) >= 0.0);
  g_array_unref(tn_link_fit_build_points(fit));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  TnLinkFile file;
  g_autoptr(GError) error = NULL;
  bool is_good = tn_link_file_read("link", (const char *)data, size, &file, &error);
  g_assert_true(is_good == (error == NULL));
  if (!is_good)
    return 0;
  check_fit(file.out);
  check_fit(file.in);
  tn_link_file_clear(&file);
  g_autoptr(TnLink) link = tn_link_new_from_text("link", (const char *)data, size, NULL);
  g_assert_nonnull(link);
  g_assert_true(tn_link_seconds(link->out, 12345) >= 0.0);
  return 0;
}
