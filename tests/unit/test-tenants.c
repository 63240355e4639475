/* SPDX-License-Identifier: MIT */
/* Neighbours in address and time, and halving. */
#include "config.h"

#include "analysis/plan/reuse.h"
#include "analysis/tenants.h"
#include "tests/unit/request-log.h"

/* Rows by hand:  0 [0, 10) at 100..200 · 1 [0, 10) at 200..250 · 2 [0, 5) at 260..300
 * 3 [0, 10) at 0..90 · 4 [12, 20) at 150..180 · 5 [20, 30) at 90..110 · 6 [20, 30) at 200..220 */
static TnDocument *
planted(void)
{
  static const tn_tick life[][2] = {{0, 10}, {0, 10}, {0, 5}, {0, 10}, {12, 20}, {20, 30}, {20, 30}};
  static const tn_bytes place[][2] = {{100, 200}, {200, 250}, {260, 300}, {0, 90},
                                      {150, 180}, {90, 110},  {200, 220}};
  TnDocument *document = tn_document_new("test.json");
  document->kind = TN_DOCUMENT_PLAN;
  TnDevice *device = tn_document_device(document, 0);
  device->buffers = tn_buffers_new();
  device->axis_end = 30;
  device->total_bytes = device->arena_bytes = TN_BYTES_UNKNOWN;
  for (gsize i = 0; i < G_N_ELEMENTS(life); i++) {
    tn_index row = tn_buffers_add(device->buffers, life[i][0], life[i][1],
                                  place[i][1] - place[i][0], TN_KIND_ACTIVATION);
    device->buffers->offset[row] = place[i][0];
  }
  return document;
}

static TnStudy *
study_of(TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  return study;
}

static void
check_rows(GArray *rows, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < rows->len; i++)
    g_string_append_printf(text, "%s%u", i ? " " : "", g_array_index(rows, uint32_t, i));
  g_assert_cmpstr(text->str, ==, expected);
  g_array_unref(rows);
}

static void
test_neighbours(void)
{
  g_autoptr(TnDocument) document = planted();
  g_autoptr(TnStudy) study = study_of(document);
  TnNeighbours of0 = tn_neighbours_at(study, 0, 3);
  g_assert_cmpuint(of0.above, ==, 1);
  g_assert_cmpint(of0.above_gap, ==, 0);
  g_assert_cmpuint(of0.below, ==, 3);
  g_assert_cmpint(of0.below_gap, ==, 10);
  g_assert_cmpuint(of0.next, ==, 4);
  g_assert_cmpuint(of0.previous, ==, TN_NONE);
  TnNeighbours of1 = tn_neighbours_at(study, 1, 3);
  g_assert_cmpuint(of1.above, ==, 2);
  g_assert_cmpint(of1.above_gap, ==, 10);
  g_assert_cmpuint(tn_neighbours_at(study, 1, 7).above, ==, TN_NONE); /* 2 is gone */
  g_assert_cmpuint(tn_neighbours_at(study, 4, 15).previous, ==, 0);
  g_assert_cmpuint(tn_neighbours_at(study, 6, 20).previous, ==, 1);
}

static void
test_lists(void)
{
  g_autoptr(TnDocument) document = planted();
  g_autoptr(TnStudy) study = study_of(document);
  check_rows(tn_neighbours_hit_new(study, 0, 1), "1");
  check_rows(tn_neighbours_hit_new(study, 0, 61), "1 2");
  check_rows(tn_neighbours_hit_new(study, 2, 1 << 20), "");
  check_rows(tn_neighbours_later_new(study, 0, 9), "4 5");
  check_rows(tn_neighbours_later_new(study, 0, 1), "4");
}

static void
check_pairs(GArray *pairs, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < pairs->len; i++) {
    const TnReusePair *pair = &g_array_index(pairs, TnReusePair, i);
    g_string_append_printf(text, "%s%u>%u", i ? " " : "", pair->earlier, pair->later);
  }
  g_assert_cmpstr(text->str, ==, expected);
  g_array_unref(pairs);
}

/* Who gets whose place: by bytes, not by time alone. */
static void
test_chain(void)
{
  g_autoptr(TnDocument) document = planted();
  g_autoptr(TnStudy) study = study_of(document);
  check_pairs(tn_tenants_chain_new(study, 0, 8), "0>4 0>5");
  check_pairs(tn_tenants_chain_new(study, 0, 1), "0>4");
  check_pairs(tn_tenants_chain_new(study, 4, 8), "0>4");
  check_pairs(tn_tenants_chain_new(study, 5, 8), "0>5");
  check_pairs(tn_tenants_chain_new(study, 2, 8), "");
}

static void
test_finding(void)
{
  g_autoptr(TnDocument) document = planted();
  g_autoptr(TnStudy) study = study_of(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_neighbours(study, 0, findings);
  g_assert_cmpstr(tn_findings_get(findings, 0)->message, ==,
                  "“activation 0” at 0x64, ticks [0, 10); above it: “activation 1”; below it: "
                  "“activation 3” after 10 B; next tenant: “activation 4” (from tick 12); no "
                  "previous tenant; a write of 4 KiB past its end would hit 2 buffers over its life");
}

/* The nearest above it comes after its first tick, when another one stands farther up. */
static void
test_finding_of_a_life(void)
{
  g_autoptr(TnDocument) document = planted();
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  b->start[1] = 2;
  g_autoptr(TnStudy) study = study_of(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_neighbours(study, 0, findings);
  g_assert_nonnull(strstr(tn_findings_get(findings, 0)->message, "; above it: “activation 1”; below"));
  g_assert_cmpuint(tn_neighbours_at(study, 0, 0).above, ==, 2);
}

/* Where the fault stays whatever is switched off, nobody is found, and each was off once. */
static void
test_bisect_none(void)
{
  static const uint32_t rows[] = {100, 101, 102, 103, 104};
  for (uint32_t n = 1; n <= G_N_ELEMENTS(rows); n++) {
    g_autoptr(TnBisect) bisect = tn_bisect_new(rows, n);
    uint32_t half, n_off = 0;
    while (tn_bisect_half(bisect, &half), half > 0) {
      g_assert_cmpuint(tn_bisect_found(bisect), ==, TN_NONE);
      n_off += half;
      tn_bisect_answer(bisect, false);
    }
    g_assert_cmpuint(n_off, ==, n);
    g_assert_cmpuint(bisect->suspects->len, ==, 0);
    g_assert_cmpuint(tn_bisect_found(bisect), ==, TN_NONE);
  }
}

/* Every culprit among every number of suspects is found within the logarithm, the last one, who is
 * asked for alone, one step later. */
static void
test_bisect(void)
{
  uint32_t rows[40];
  for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
    rows[i] = 100 + i;
  for (uint32_t n = 1; n <= G_N_ELEMENTS(rows); n++)
    for (uint32_t culprit = 0; culprit < n; culprit++) {
      g_autoptr(TnBisect) bisect = tn_bisect_new(rows, n);
      uint32_t half;
      while (tn_bisect_found(bisect) == TN_NONE) {
        const uint32_t *off = tn_bisect_half(bisect, &half);
        bool is_gone = false;
        for (uint32_t i = 0; i < half; i++)
          is_gone |= off[i] == rows[culprit];
        tn_bisect_answer(bisect, is_gone);
      }
      g_assert_cmpuint(tn_bisect_found(bisect), ==, rows[culprit]);
      g_assert_cmpuint(bisect->answers->len, <=, culprit + 1 < n ? 6 : 7);
    }
}

static void
test_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  const TnBuffers *b = study->buffers;
  uint32_t n_next = 0;
  for (uint32_t i = 0; i < b->n; i += 17) {
    TnNeighbours found = tn_neighbours_at(study, i, b->start[i]);
    if (found.above != TN_NONE)
      g_assert_cmpint(study->offset[found.above], ==,
                      study->offset[i] + b->bytes[i] + found.above_gap);
    if (found.next != TN_NONE) {
      g_assert_cmpint(b->start[found.next], >=, b->end[i]);
      n_next++;
    }
  }
  g_assert_cmpuint(n_next, >, 50);
}

/* Of a buffer without a place nothing is said but that. */
static void
test_no_place(void)
{
  g_autoptr(TnDocument) document = planted();
  tn_document_device(document, 0)->buffers->offset[1] = TN_NOT_PLACED;
  g_autoptr(TnStudy) study = study_of(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_neighbours(study, 1, findings);
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_nonnull(strstr(finding->message, "has no offset in this file"));
  g_assert_null(strstr(finding->message, "0x"));
  g_assert_nonnull(strstr(finding->hint, "tenure-cli plan"));
  g_assert_cmpuint(finding->buffers->len, ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tenants/neighbours", test_neighbours);
  g_test_add_func("/tenants/lists", test_lists);
  g_test_add_func("/tenants/chain", test_chain);
  g_test_add_func("/tenants/finding", test_finding);
  g_test_add_func("/tenants/finding-of-a-life", test_finding_of_a_life);
  g_test_add_func("/tenants/bisect", test_bisect);
  g_test_add_func("/tenants/bisect-none", test_bisect_none);
  g_test_add_func("/tenants/sample", test_sample);
  g_test_add_func("/tenants/no-place", test_no_place);
  return g_test_run();
}
