/* SPDX-License-Identifier: MIT */
/* The checker: each rule's finding, and the sweep against a plain look at all pairs. */
#include "config.h"

#include "analysis/check.h"

#include <string.h>

static TnDocument *
new_document(void)
{
  TnDocument *document = tn_document_new("t");
  TnDevice *device = tn_document_device(document, 0);
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_ALIGNMENT);
  return document;
}

static tn_index
add(TnDocument *document,
    const char *name,
    tn_tick start,
    tn_tick end,
    tn_bytes bytes,
    tn_bytes offset)
{
  TnBuffers *b = ((TnDevice *)g_ptr_array_index(document->devices, 0))->buffers;
  tn_index i = tn_buffers_add(b, start, end, bytes, TN_KIND_ACTIVATION);
  b->offset[i] = offset;
  b->name[i] = tn_strings_intern(document->strings, name, -1);
  return i;
}

static TnBuffers *
buffers_of(TnDocument *document)
{
  return ((TnDevice *)g_ptr_array_index(document->devices, 0))->buffers;
}

static TnFindings *
check(TnDocument *document)
{
  TnCheckParams params = {.document = document, .buffers = buffers_of(document)};
  TnFindings *findings = tn_findings_new();
  tn_check_offsets(&params, findings);
  return findings;
}

static const TnFinding *
only(const TnFindings *findings, const char *code)
{
  g_assert_cmpuint(findings->rows->len, ==, 1);
  const TnFinding *finding = tn_findings_get(findings, 0);
  g_assert_cmpstr(finding->code, ==, code);
  return finding;
}

/* ---- rules ----------------------------------------------------------------------------- */

static void
test_clean(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "a", 0, 3, 64, 0);
  add(document, "b", 3, 5, 64, 0);  /* the same place, later */
  add(document, "c", 0, 5, 64, 64); /* beside both */
  add(document, "d", 0, 5, 0, 32);  /* no bytes, no conflict */
  g_autoptr(TnFindings) findings = check(document);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

static void
test_overlap(void)
{
  g_autoptr(TnDocument) document = new_document();
  document->op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (int i = 0; i < 3; i++) {
    g_autofree char *name = g_strdup_printf("Op_%d", i);
    uint32_t id = tn_strings_intern(document->strings, name, -1);
    g_array_append_val(document->op_names, id);
  }
  document->ticks_per_op = 3;
  add(document, "conv1", 0, 8, 0x2000, 0x1000);
  add(document, "conv2", 6, 9, 0x1000, 0x2800);
  g_autoptr(TnFindings) findings = check(document);
  const TnFinding *finding = only(findings, "overlap");
  g_assert_cmpint(finding->severity, ==, TN_SEVERITY_ERROR);
  g_assert_cmpstr(finding->message, ==,
                  "“conv1” and “conv2” share [0x2800, 0x3000) (2.0 KiB) while both live, ticks "
                  "[6, 8): op “Op_2” (tick 6) is the first to write “conv2” over “conv1”");
  g_assert_cmpint(finding->at, ==, 6);
  g_assert_cmpint(finding->bytes, ==, 0x800);
  g_assert_cmpuint(finding->buffers->len, ==, 2);
  g_assert_cmpuint(g_array_index(finding->buffers, uint32_t, 0), ==, 0);
  g_assert_nonnull(finding->hint);
  /* A buffer's own op says more than the axis. */
  tn_buffers_need(buffers_of(document), TN_COLUMN_OP);
  buffers_of(document)->op[1] = 1;
  g_autoptr(TnFindings) again = check(document);
  g_assert_nonnull(strstr(only(again, "overlap")->message, "op “Op_1” (tick 6)"));
}

static void
test_overlap_without_ops(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "", 0, 8, 16, 0);
  add(document, "", 2, 9, 16, 8);
  g_autoptr(TnFindings) findings = check(document);
  g_assert_nonnull(strstr(only(findings, "overlap")->message,
                          "buffer 0 and buffer 1 share [0x8, 0x10) (8 B) while both live, ticks "
                          "[2, 8): the op at tick 2"));
}

static void
test_spaces(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "a", 0, 8, 16, 0);
  tn_index b = add(document, "b", 0, 8, 16, 0);
  tn_buffers_need(buffers_of(document), TN_COLUMN_SPACE);
  buffers_of(document)->space[b] = 1;
  g_autoptr(TnFindings) findings = check(document);
  g_assert_cmpuint(findings->rows->len, ==, 0);
}

/* A gap makes room; a window of the height makes room for the rest of it only. */
static void
test_gaps(void)
{
  static const struct {
    TnGap gap;
    tn_tick start, end;
    tn_bytes offset, bytes;
    bool is_overlap;
  } rows[] = {
      {{4, 6, 0, 0}, 4, 6, 0, 100, false},   {{4, 6, 0, 0}, 3, 6, 0, 100, true},
      {{4, 6, 0, 0}, 4, 7, 0, 100, true},    {{4, 6, 40, 60}, 4, 6, 0, 40, false},
      {{4, 6, 40, 60}, 4, 6, 60, 40, false}, {{4, 6, 40, 60}, 4, 6, 59, 1, true},
      {{4, 6, 40, 60}, 4, 6, 0, 41, true},   {{4, 6, 40, 60}, 6, 7, 0, 10, true},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = new_document();
    tn_index owner = add(document, "a", 0, 10, 100, 0);
    add(document, "b", rows[i].start, rows[i].end, rows[i].bytes, rows[i].offset);
    tn_buffers_set_gaps(buffers_of(document), &rows[i].gap, &owner, 1);
    g_autoptr(TnFindings) findings = check(document);
    g_assert_cmpuint(findings->rows->len, ==, rows[i].is_overlap);
  }
}

static void
test_misaligned(void)
{
  g_autoptr(TnDocument) document = new_document();
  tn_index i = add(document, "x", 2, 8, 64, 0x50);
  buffers_of(document)->alignment[i] = 64;
  g_autoptr(TnFindings) findings = check(document);
  const TnFinding *finding = only(findings, "misaligned");
  g_assert_cmpstr(finding->message, ==,
                  "“x” of the op at tick 2 lies at offset 0x50 (80), aligned to 16, but needs a "
                  "multiple of 64");
  g_assert_cmpstr(finding->hint, ==, "The aligned offsets next to it are 0x40 and 0x80.");
  /* An alignment of all counts too. */
  TnCheckParams params = {.document = document, .buffers = buffers_of(document), .alignment = 256};
  g_autoptr(TnFindings) asked = tn_findings_new();
  buffers_of(document)->offset[i] = 0x40;
  tn_check_offsets(&params, asked);
  g_assert_nonnull(strstr(only(asked, "misaligned")->message, "needs a multiple of 256"));
}

static void
test_shared_alignment(void)
{
  g_autoptr(TnDocument) document = new_document();
  tn_index weak = add(document, "weak", 0, 2, 64, 0x10);
  tn_index strict = add(document, "strict", 2, 4, 64, 0x10);
  buffers_of(document)->alignment[weak] = 16;
  buffers_of(document)->alignment[strict] = 64;
  g_autoptr(TnFindings) findings = check(document);
  g_assert_cmpuint(findings->rows->len, ==, 2);
  g_assert_cmpstr(tn_findings_get(findings, 0)->code, ==, "misaligned");
  const TnFinding *finding = tn_findings_get(findings, 1);
  g_assert_cmpstr(finding->code, ==, "shared-alignment");
  g_assert_cmpint(finding->severity, ==, TN_SEVERITY_WARNING);
  g_assert_cmpstr(finding->message, ==,
                  "2 buffers share the place at 0x10, which follows the alignment 16 of “weak” and "
                  "not the 64 of “strict”");
}

static void
test_arena(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "in", 0, 8, 64, 0);
  add(document, "out", 0, 8, 64, 64);
  tn_bytes arena = 100;
  TnCheckParams params = {
      .document = document, .buffers = buffers_of(document), .space_arena = &arena, .n_spaces = 1};
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_check_offsets(&params, findings);
  const TnFinding *finding = only(findings, "outside-arena");
  g_assert_cmpstr(finding->message, ==,
                  "“out” lies in [0x40, 0x80), but its arena ends at 0x64 (100 bytes)");
  g_assert_cmpint(finding->bytes, ==, 28);
  buffers_of(document)->offset[1] = INT64_MAX - 3;
  g_autoptr(TnFindings) far = tn_findings_new();
  tn_check_offsets(&params, far);
  g_assert_nonnull(strstr(only(far, "outside-arena")->message, "no place in any arena"));
}

static void
test_contiguity(void)
{
  static const struct {
    tn_bytes offset[3];
    unsigned flags;
    bool is_broken;
  } rows[] = {
      {{0, 100, 200}, 0, false},
      {{0, 100, 201}, 0, true},
      {{0, 100, 0}, 0, true},
      {{0, 128, 256}, TN_BUFFER_GROUP_PADDED, false},
      {{0, 128, 292}, TN_BUFFER_GROUP_PADDED, true},
      {{200, 100, 0}, 0, true},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = new_document();
    TnBuffers *b = buffers_of(document);
    tn_buffers_need(b, TN_COLUMN_GROUP);
    for (int m = 0; m < 3; m++) {
      tn_index k = add(document, "m", m, m + 1, 100, rows[i].offset[m]);
      b->group[k] = 1;
      b->flags[k] = (uint8_t)rows[i].flags;
      b->alignment[k] = rows[i].flags ? 64 : 1;
    }
    g_autoptr(TnFindings) findings = check(document);
    uint32_t n = 0;
    for (uint32_t f = 0; f < findings->rows->len; f++)
      n += strcmp(tn_findings_get(findings, f)->code, "contiguity") == 0;
    g_assert_cmpint(n > 0, ==, rows[i].is_broken);
  }
}

static void
test_fixed(void)
{
  g_autoptr(TnDocument) document = new_document();
  tn_index i = add(document, "x", 0, 8, 64, 0x50);
  buffers_of(document)->flags[i] = TN_BUFFER_FIXED;
  tn_bytes moved = 0x60;
  TnCheckParams params = {.document = document, .buffers = buffers_of(document), .offset = &moved};
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_check_offsets(&params, findings);
  g_assert_cmpstr(only(findings, "fixed-moved")->message, ==,
                  "“x” has the fixed offset 0x50 (80), but was placed at 0x60 (96)");
}

static void
test_no_reuse(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "big", 0, 1, 1000, 0);
  tn_index i = add(document, "alone", 4, 8, 64, 64);
  add(document, "near", 9, 10, 64, 128);
  buffers_of(document)->flags[i] = TN_BUFFER_NO_REUSE;
  g_autoptr(TnFindings) findings = check(document);
  g_assert_cmpstr(only(findings, "no-reuse")->message, ==,
                  "“alone” may share its place with nobody, but shares [0x40, 0x80) with “big”");
  buffers_of(document)->bytes[0] = 64;
  g_autoptr(TnFindings) good = check(document);
  g_assert_cmpuint(good->rows->len, ==, 0);
}

/* Two labels may share even while both live; a label and the unlabelled never. */
static void
test_batches(void)
{
  g_autoptr(TnDocument) document = new_document();
  TnBuffers *b = buffers_of(document);
  tn_buffers_need(b, TN_COLUMN_BATCH);
  tn_index i = add(document, "a", 0, 8, 64, 0);
  tn_index j = add(document, "b", 0, 8, 64, 32);
  b->batch[i] = 7;
  b->batch[j] = 9;
  g_autoptr(TnFindings) apart = check(document);
  g_assert_cmpuint(apart->rows->len, ==, 0);
  b->batch[j] = 7;
  g_autoptr(TnFindings) same = check(document);
  only(same, "overlap");
  b->batch[j] = 0;
  b->start[j] = 8;
  b->end[j] = 9;
  g_autoptr(TnFindings) mixed = check(document);
  g_assert_cmpstr(only(mixed, "batch-mix")->message, ==,
                  "“a” of a batch may share its place with batches only, but shares [0x20, 0x40) "
                  "with “b”");
  b->start[j] = 7;
  g_autoptr(TnFindings) both = check(document);
  g_assert_cmpuint(both->rows->len, ==, 2);
  g_assert_cmpstr(tn_findings_get(both, 0)->code, ==, "overlap");
}

static void
test_not_placed(void)
{
  g_autoptr(TnDocument) document = new_document();
  add(document, "a", 0, 8, 64, TN_NOT_PLACED);
  add(document, "b", 0, 8, 64, 0);
  g_autoptr(TnFindings) findings = check(document);
  g_assert_cmpint(only(findings, "not-placed")->severity, ==, TN_SEVERITY_NOTE);
}

static void
test_limit(void)
{
  g_autoptr(TnDocument) document = new_document();
  for (int i = 0; i < 5; i++)
    add(document, "x", 0, 8, 64, 0);
  TnCheckParams params = {.document = document, .buffers = buffers_of(document), .limit = 4};
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_check_offsets(&params, findings);
  g_assert_cmpuint(findings->rows->len, ==, 5);
  g_assert_cmpstr(tn_findings_get(findings, 4)->message, ==, "6 more overlaps are not listed");
}

/* ---- against all pairs ----------------------------------------------------------------- */

/* What buffer i holds at a tick; false: nothing. */
static bool
held(const TnBuffers *b, tn_index i, tn_tick tick, tn_bytes *low, tn_bytes *high)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n);
  if (tick < b->start[i] || tick >= b->end[i])
    return false;
  *low = b->offset[i];
  *high = b->offset[i] + b->bytes[i];
  for (uint32_t g = 0; g < n; g++)
    if (tick >= gaps[g].start && tick < gaps[g].end) {
      *low = b->offset[i] + gaps[g].low;
      *high = b->offset[i] + gaps[g].high;
    }
  return *low < *high;
}

/* The first tick at which both hold a byte; -1: never. */
static tn_tick
meeting(const TnBuffers *b, tn_index i, tn_index j)
{
  if (tn_buffers_space(b, i) != tn_buffers_space(b, j) ||
      (b->batch && b->batch[i] && b->batch[j] && b->batch[i] != b->batch[j]))
    return -1;
  for (tn_tick tick = 0; tick < 30; tick++) {
    tn_bytes a, c, d, e;
    if (held(b, i, tick, &a, &c) && held(b, j, tick, &d, &e) && a < e && d < c)
      return tick;
  }
  return -1;
}

static void
add_random_gaps(TnBuffers *b)
{
  g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  g_autoptr(GArray) owners = g_array_new(FALSE, FALSE, sizeof(tn_index));
  for (tn_index i = 0; i < b->n; i++) {
    tn_tick at = b->start[i];
    while (at < b->end[i] && g_test_rand_bit()) {
      TnGap gap = {.start = g_test_rand_int_range((gint32)at, (gint32)b->end[i])};
      gap.end = g_test_rand_int_range((gint32)gap.start + 1, (gint32)b->end[i] + 1);
      if (g_test_rand_bit()) {
        gap.low = g_test_rand_int_range(0, (gint32)b->bytes[i]);
        gap.high = g_test_rand_int_range((gint32)gap.low + 1, (gint32)b->bytes[i] + 1);
      }
      at = gap.end;
      g_array_append_val(gaps, gap);
      g_array_append_val(owners, i);
    }
  }
  tn_buffers_set_gaps(b, (TnGap *)(void *)gaps->data, (tn_index *)(void *)owners->data, gaps->len);
}

static TnDocument *
random_plan(void)
{
  TnDocument *document = new_document();
  TnBuffers *b = buffers_of(document);
  int n = g_test_rand_int_range(2, 14);
  unsigned columns =
      (g_test_rand_bit() ? TN_COLUMN_SPACE : 0u) | (g_test_rand_bit() ? TN_COLUMN_BATCH : 0u);
  tn_buffers_need(b, columns);
  for (int i = 0; i < n; i++) {
    int start = g_test_rand_int_range(0, 20);
    tn_index k = add(document, "x", start, start + g_test_rand_int_range(1, 10),
                     g_test_rand_int_range(1, 40), g_test_rand_int_range(0, 100));
    if (b->space)
      b->space[k] = (uint32_t)g_test_rand_int_range(0, 2);
    if (b->batch)
      b->batch[k] = (uint32_t)g_test_rand_int_range(0, 3);
  }
  if (g_test_rand_bit())
    add_random_gaps(b);
  return document;
}

static void
test_against_pairs(void)
{
  uint32_t n_overlaps = 0;
  for (int round = 0; round < 8000; round++) {
    g_autoptr(TnDocument) document = random_plan();
    const TnBuffers *b = buffers_of(document);
    TnCheckParams params = {.document = document, .buffers = b, .limit = 1000};
    g_autoptr(TnFindings) findings = tn_findings_new();
    tn_check_offsets(&params, findings);
    g_autoptr(GHashTable) found = g_hash_table_new(NULL, NULL);
    for (uint32_t f = 0; f < findings->rows->len; f++) {
      const TnFinding *finding = tn_findings_get(findings, f);
      if (strcmp(finding->code, "overlap") != 0)
        continue;
      tn_index i = g_array_index(finding->buffers, uint32_t, 0);
      tn_index j = g_array_index(finding->buffers, uint32_t, 1);
      g_assert_cmpint(finding->at, ==, meeting(b, i, j));
      g_assert_true(g_hash_table_add(found, GUINT_TO_POINTER(MIN(i, j) * 64 + MAX(i, j))));
    }
    uint32_t expected = 0;
    for (tn_index i = 0; i < b->n; i++)
      for (tn_index j = i + 1; j < b->n; j++)
        expected += meeting(b, i, j) >= 0;
    g_assert_cmpuint(g_hash_table_size(found), ==, expected);
    n_overlaps += expected;
  }
  g_assert_cmpuint(n_overlaps, >, 1000);
}

/* Rules of places against all pairs. */
static void
test_places_against_pairs(void)
{
  for (int round = 0; round < 4000; round++) {
    g_autoptr(TnDocument) document = random_plan();
    TnBuffers *b = buffers_of(document);
    for (tn_index i = 0; i < b->n; i++)
      b->flags[i] = g_test_rand_bit() ? TN_BUFFER_NO_REUSE : 0;
    g_autoptr(TnFindings) findings = check(document);
    int n_alone = 0, n_mixed = 0;
    for (uint32_t f = 0; f < findings->rows->len; f++) {
      n_alone += strcmp(tn_findings_get(findings, f)->code, "no-reuse") == 0;
      n_mixed += strcmp(tn_findings_get(findings, f)->code, "batch-mix") == 0;
    }
    for (tn_index i = 0; i < b->n; i++) {
      bool is_shared = false, is_mixed = false;
      for (tn_index j = 0; j < b->n; j++) {
        bool meets = i != j && tn_buffers_space(b, i) == tn_buffers_space(b, j) &&
                     b->offset[i] < b->offset[j] + b->bytes[j] &&
                     b->offset[j] < b->offset[i] + b->bytes[i];
        is_shared |= meets;
        is_mixed |= meets && b->batch && b->batch[i] && !b->batch[j];
      }
      n_alone -= is_shared && b->flags[i];
      n_mixed -= is_mixed;
    }
    g_assert_cmpint(n_alone, ==, 0);
    g_assert_cmpint(n_mixed, ==, 0);
  }
}

/* ---- size ------------------------------------------------------------------------------ */

/* A million buffers without, and then with, a hundred thousand overlaps and more. */
static void
test_million(void)
{
  g_autoptr(TnDocument) document = new_document();
  TnBuffers *b = buffers_of(document);
  for (int i = 0; i < 1000000; i++)
    add(document, "x", i, i + 100, 64, 64 * (i * 7919ll % 100));
  TnCheckParams params = {.document = document, .buffers = b};
  for (int i = 0; i < 1000000; i++)
    b->offset[i] = 64 * (i % 100);
  g_autoptr(TnFindings) clean = tn_findings_new();
  gint64 start = g_get_monotonic_time();
  tn_check_offsets(&params, clean);
  g_test_message("a million good buffers: %.3f s", (double)(g_get_monotonic_time() - start) / 1e6);
  g_assert_cmpuint(clean->rows->len, ==, 0);
  for (int i = 0; i < 1000000; i += 10)
    b->offset[i] += 64 - 6400 * (i % 100 == 99);
  g_autoptr(TnFindings) many = tn_findings_new();
  start = g_get_monotonic_time();
  tn_check_offsets(&params, many);
  g_test_message("with 1e5 moved: %.3f s", (double)(g_get_monotonic_time() - start) / 1e6);
  g_assert_cmpuint(many->rows->len, ==, 101);
  for (int i = 0; i < 1000000; i++)
    b->offset[i] = b->start[i] = 0, b->end[i] = 10;
  g_autoptr(TnFindings) all = tn_findings_new();
  start = g_get_monotonic_time();
  tn_check_offsets(&params, all);
  g_test_message("all at one place: %.3f s", (double)(g_get_monotonic_time() - start) / 1e6);
  g_assert_cmpstr(tn_findings_get(all, 100)->message, ==,
                  "at least 999,900 more overlaps are not listed");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/check/clean", test_clean);
  g_test_add_func("/check/overlap", test_overlap);
  g_test_add_func("/check/overlap-without-ops", test_overlap_without_ops);
  g_test_add_func("/check/spaces", test_spaces);
  g_test_add_func("/check/gaps", test_gaps);
  g_test_add_func("/check/misaligned", test_misaligned);
  g_test_add_func("/check/shared-alignment", test_shared_alignment);
  g_test_add_func("/check/arena", test_arena);
  g_test_add_func("/check/contiguity", test_contiguity);
  g_test_add_func("/check/fixed", test_fixed);
  g_test_add_func("/check/no-reuse", test_no_reuse);
  g_test_add_func("/check/batches", test_batches);
  g_test_add_func("/check/not-placed", test_not_placed);
  g_test_add_func("/check/limit", test_limit);
  g_test_add_func("/check/against-pairs", test_against_pairs);
  g_test_add_func("/check/places-against-pairs", test_places_against_pairs);
  g_test_add_func("/check/million", test_million);
  return g_test_run();
}
