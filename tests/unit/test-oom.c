/* SPDX-License-Identifier: MIT */
/* Why a request failed: verdicts, and the smallest set of buffers in the way. */
#include "config.h"

#include "analysis/findings-all.h"
#include "analysis/oom.h"
#include "tests/unit/request-log.h"

#define BASE 0x40000000u

static void
test_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  uint32_t mark = tn_oom_find_mark(study->device, 0);
  g_assert_cmpuint(tn_oom_find_mark(study->device, 1), ==, TN_NONE);
  g_autoptr(TnOom) oom = tn_oom_new(study, mark, 0);
  g_assert_cmpint(oom->verdict, ==, TN_OOM_FRAGMENTATION);
  g_assert_cmpint(oom->requested, ==, 27 * MIB);
  g_assert_cmpint(oom->segment_bytes, ==, 28 * MIB);
  g_assert_cmpint(oom->device_free, ==, 17 * MIB);
  g_assert_cmpint(oom->usable_largest, ==, 21 * MIB);
  g_assert_cmpint(oom->room.bytes, >=, 27 * MIB);
  g_assert_cmpuint(oom->room.buffers->len, ==, 1);
  g_assert_cmpstr(oom->sentence, ==,
                  "A request for 27.0 MiB failed at event 4282: 3.69 GiB reserved; 159.0 MiB of "
                  "that not in use, in 56 gaps, the largest 21.0 MiB (12.5 MiB of it in 16 rests "
                  "too small to be split off); 17.0 MiB free on the device, 28.0 MiB needed for a "
                  "new segment");
  g_test_message("%s", oom->cause);
  g_test_message("%s", oom->advice);
  tn_bytes sum = 0;
  for (guint i = 0; i < oom->live->len; i++)
    sum += g_array_index(oom->live, TnOomSite, i).bytes;
  g_assert_cmpint(sum, ==, tn_curve_at(study->live, oom->tick));
  g_assert_true(oom->has_iteration);
}

/* By brute force: every run of blocks in every segment. */
static void
check_room(const TnHoles *holes, tn_bytes bytes, TnOomRoomOrder order)
{
  TnOomRoom room;
  uint32_t fewest = UINT32_MAX;
  tn_bytes least = INT64_MAX;
  tn_oom_find_room(holes, 0, false, bytes, order, &room);
  for (guint s = 0; s < holes->segments->len; s++) {
    const TnSegmentState *segment = tn_holes_segment(holes, s);
    for (uint32_t i = 0; i <= segment->n_blocks; i++)
      for (uint32_t k = i; k <= segment->n_blocks; k++) {
        uint32_t first = segment->first_block;
        const TnHeldBlock *below = i > 0 ? tn_holes_block(holes, first + i - 1) : NULL;
        uint64_t from = below ? below->address + (uint64_t)(below->bytes + below->rest)
                              : segment->address;
        uint64_t to = k < segment->n_blocks ? tn_holes_block(holes, first + k)->address
                                            : segment->address + (uint64_t)segment->bytes;
        tn_bytes held = 0;
        for (uint32_t j = i; j < k; j++)
          held += tn_holes_block(holes, first + j)->bytes;
        if (to >= from + (uint64_t)bytes) {
          fewest = MIN(fewest, k - i);
          least = MIN(least, held);
        }
      }
  }
  if (order == TN_FEWEST_BLOCKS)
    g_assert_cmpuint(room.segment == TN_NONE ? UINT32_MAX : room.buffers->len, ==, fewest);
  else
    g_assert_cmpint(room.segment == TN_NONE ? INT64_MAX : room.block_bytes, ==, least);
  tn_oom_room_clear(&room);
}

static void
test_room_at_random(void)
{
  for (int round = 0; round < 200; round++) {
    g_autoptr(TnDocument) document = log_new();
    for (uint64_t s = 0; s < 3; s++) {
      uint64_t base = BASE + s * 0x10000000u, at = base;
      log_segment(document, base, 100 * MIB, false);
      while (at < base + (uint64_t)(80 * MIB)) {
        tn_bytes bytes = g_test_rand_int_range(2, 12) * MIB;
        log_add(document, TN_EVENT_ALLOC, at, bytes);
        at += (uint64_t)bytes + (uint64_t)(g_test_rand_int_range(0, 4) * 3 * MIB);
      }
    }
    g_autoptr(TnStudy) study = log_study(document);
    g_autoptr(TnHoles) holes = tn_holes_new(study, study->axis_end - 1);
    tn_bytes bytes = g_test_rand_int_range(2, 101) * MIB;
    check_room(holes, bytes, TN_FEWEST_BLOCKS);
    check_room(holes, bytes, TN_FEWEST_BYTES);
  }
}

/* A segment of 60 MiB with blocks of 20 at 0 and at 40, and one failed request. */
static TnDocument *
planted(tn_bytes requested, tn_bytes device_free, bool is_other_stream)
{
  TnDocument *document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint32_t stack = log_stack(document, 7);
  log_add(document, TN_EVENT_SEGMENT_ALLOC, BASE, 60 * MIB);
  log_add(document, TN_EVENT_ALLOC, BASE, 20 * MIB);
  uint32_t event = log_add(document, TN_EVENT_ALLOC, BASE + 40 * MIB, 15 * MIB);
  device->events.stack[event] = stack;
  event = log_add(document, TN_EVENT_OOM, (uint64_t)device_free, requested);
  if (is_other_stream)
    device->events.space[event] = tn_device_space(device, 7, 0, 0);
  log_segment(document, BASE, 60 * MIB, false);
  log_mark(document, TN_MARK_OOM, event, requested, device_free);
  return document;
}

/* What the device has is as much as is missing in the hole, but the segment stays. */
static TnDocument *
planted_in_one_hole(void)
{
  TnDocument *document = log_new();
  log_add(document, TN_EVENT_SEGMENT_ALLOC, BASE, 40 * MIB);
  log_add(document, TN_EVENT_ALLOC, BASE, 20 * MIB);
  uint32_t event = log_add(document, TN_EVENT_OOM, 2 * MIB, 22 * MIB);
  log_segment(document, BASE, 40 * MIB, false);
  log_mark(document, TN_MARK_OOM, event, 22 * MIB, 2 * MIB);
  return document;
}

static void
check_verdict(TnDocument *document, tn_bytes device_bytes, TnOomVerdict verdict, const char *cause)
{
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnOom) oom = tn_oom_new(study, 0, device_bytes);
  g_assert_cmpstr(tn_oom_verdict_name(oom->verdict), ==, tn_oom_verdict_name(verdict));
  g_assert_cmpstr(oom->cause, ==, cause);
  tn_document_free(document);
}

static void
test_verdicts(void)
{
  check_verdict(planted(24 * MIB, 2 * MIB, false), 0, TN_OOM_FRAGMENTATION,
                "Fragmentation: 25.0 MiB are free in 2 holes that this request may use, but the "
                "largest is 20.0 MiB, 4.0 MiB less than the 24.0 MiB asked for");
  check_verdict(
      planted_in_one_hole(), 0, TN_OOM_CAPACITY,
      "Capacity: the device gives and takes back whole segments, 22.0 MiB for this request; it "
      "has 2.0 MiB free, 20.0 MiB less than that, and what is free in the segments it may use "
      "(20.0 MiB) makes up no whole one");
  check_verdict(planted(30 * MIB, 2 * MIB, false), 0, TN_OOM_CAPACITY,
                "Capacity: even in one place, what is free in the segments it may use (25.0 MiB) "
                "and on the device (2.0 MiB) is 3.0 MiB less than the 30.0 MiB asked for");
  check_verdict(planted(18 * MIB, 2 * MIB, true), 0, TN_OOM_POOL_BOUND,
                "Pool bound: 20.0 MiB are free in one hole and 25.0 MiB in all of other pools, "
                "streams or segment kinds, which can't serve this request for 18.0 MiB; the holes "
                "it may use reach 0 B");
  check_verdict(planted(30 * MIB, 2 * MIB, false), 100 * MIB, TN_OOM_OTHERS,
                "Others on the device: 38.0 MiB of it are neither this allocator's nor free (a "
                "context, libraries, another process); with 2.0 MiB free the 30.0 MiB needed do "
                "not fit");
  check_verdict(planted(18 * MIB, 2 * MIB, false), 0, TN_OOM_UNEXPLAINED,
                "Unexplained: a hole of 20.0 MiB would have done; a limit that the log does not "
                "show (a memory fraction, a split limit) must have stood in the way");
  check_verdict(planted(30 * MIB, 200 * MIB, false), 0, TN_OOM_UNEXPLAINED,
                "Unexplained: the device had 200.0 MiB free, enough for the new segment of 30.0 MiB; "
                "a limit that the log does not show (a memory fraction) must have stood in the way");
}

/* A segment of 20 MiB with all but `hole` of it in use; a request for 5 MiB takes another one of 20. */
static TnDocument *
planted_below_a_segment(tn_bytes hole, tn_bytes device_free)
{
  TnDocument *document = log_new();
  log_add(document, TN_EVENT_SEGMENT_ALLOC, BASE, 20 * MIB);
  log_add(document, TN_EVENT_ALLOC, BASE, 20 * MIB - hole);
  uint32_t event = log_add(document, TN_EVENT_OOM, (uint64_t)device_free, 5 * MIB);
  log_segment(document, BASE, 20 * MIB, false);
  log_mark(document, TN_MARK_OOM, event, 5 * MIB, device_free);
  return document;
}

/* What the device has comes in whole segments: it is in no hole, and joins none. */
static void
test_less_than_a_segment(void)
{
  check_verdict(planted_below_a_segment(0, 10 * MIB), 0, TN_OOM_CAPACITY,
                "Capacity: the device gives whole segments, 20.0 MiB for this request; what is free "
                "on it (10.0 MiB) and in the segments it may use (0 B) is 10.0 MiB less than that");
  check_verdict(planted_below_a_segment(3 * MIB, 10 * MIB), 0, TN_OOM_CAPACITY,
                "Capacity: the device gives whole segments, 20.0 MiB for this request; what is free "
                "on it (10.0 MiB) and in the segments it may use (3.0 MiB) is 7.0 MiB less than that");
  check_verdict(
      planted_below_a_segment(3 * MIB, 17 * MIB), 0, TN_OOM_CAPACITY,
      "Capacity: the device gives and takes back whole segments, 20.0 MiB for this request; it "
      "has 17.0 MiB free, 3.0 MiB less than that, and what is free in the segments it may use "
      "(3.0 MiB) makes up no whole one");
}

/* Segments with a hole each, so many MiB, and a failed request. */
typedef struct {
  int n, bytes[6], hole[6]; /* MiB */
  int requested, device_free;
  int n_growing; /* the last ones of them */
} Planted;

static TnOom *
judge_planted(const Planted *p)
{
  g_autoptr(TnDocument) document = log_new();
  GArray *segments = tn_document_device(document, 0)->segments;
  for (int i = 0; i < p->n; i++) {
    uint64_t base = BASE + (uint64_t)i * 0x10000000u;
    bool grows = i >= p->n - p->n_growing;
    if (!grows)
      log_add(document, TN_EVENT_SEGMENT_ALLOC, base, p->bytes[i] * MIB);
    if (p->hole[i] < p->bytes[i])
      log_add(document, TN_EVENT_ALLOC, base, (p->bytes[i] - p->hole[i]) * MIB);
    log_segment(document, base, p->bytes[i] * MIB, false);
    g_array_index(segments, TnSegment, (guint)i).is_expandable = grows;
  }
  uint32_t event =
      log_add(document, TN_EVENT_OOM, (uint64_t)(p->device_free * MIB), p->requested * MIB);
  log_mark(document, TN_MARK_OOM, event, p->requested * MIB, p->device_free * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  return tn_oom_new(study, 0, 0);
}

/* Two of 20 MiB with 13 free each: one could be emptied into the other and be given back. */
static void
test_given_back(void)
{
  static const struct {
    Planted planted;
    const char *cause;
  } rows[] = {
      {{2, {20, 20}, {13, 13}, 28, 8, 0},
       "Fragmentation: 26.0 MiB are free in 2 holes that this request may use, but the largest is "
       "13.0 MiB, 15.0 MiB less than the 28.0 MiB asked for"},
      {{2, {20, 20}, {13, 13}, 28, 6, 0},
       "Capacity: the device gives and takes back whole segments, 28.0 MiB for this request; it "
       "has "
       "6.0 MiB free, and what is free in the segments it may use (26.0 MiB) makes up 20.0 MiB of "
       "whole ones, together 2.0 MiB less than that"},
      /* 16 of 35 in what grows, and 20 more behind it; not by less. */
      {{1, {60}, {16}, 35, 20, 1},
       "Fragmentation: 16.0 MiB are free in 1 hole that this request may use, 19.0 MiB less than the "
       "35.0 MiB asked for"},
      {{1, {60}, {16}, 35, 19, 1},
       "Capacity: segments grow by pieces of 20.0 MiB, of which the device, with 19.0 MiB free, "
       "gives 0 B; with what is free in the segments it may use (16.0 MiB) that is 19.0 MiB less "
       "than the 35.0 MiB asked for"},
      /* Two granules of 40 free are more than the one of 30 that does not grow. */
      {{2, {30, 60}, {15, 25}, 50, 10, 1},
       "Fragmentation: 40.0 MiB are free in 2 holes that this request may use, but the largest is "
       "25.0 MiB, 25.0 MiB less than the 50.0 MiB asked for"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnOom) oom = judge_planted(&rows[i].planted);
    g_assert_cmpstr(oom->cause, ==, rows[i].cause);
  }
}

/* By brute force over which segments are emptied. */
static tn_bytes
most_given_back(const Planted *p)
{
  int most = 0, free_mib = 0;
  for (int i = 0; i < p->n; i++)
    free_mib += p->hole[i];
  for (int set = 0; set < 1 << p->n; set++) {
    int sum = 0;
    for (int i = 0; i < p->n; i++)
      sum += set >> i & 1 ? p->bytes[i] : 0;
    most = sum <= free_mib ? MAX(most, sum) : most;
  }
  return most * MIB;
}

static void
test_given_back_at_random(void)
{
  for (int round = 0; round < 3000; round++) {
    Planted p = {.n = g_test_rand_int_range(1, 7),
                 .requested = g_test_rand_int_range(2, 90),
                 .device_free = g_test_rand_int_range(0, 40)};
    tn_bytes free_bytes = 0, largest = 0;
    for (int i = 0; i < p.n; i++) {
      p.bytes[i] = g_test_rand_int_range(10, 30) * 2;
      p.hole[i] = g_test_rand_int_range(1, p.bytes[i]);
      p.hole[i] = p.hole[i] > 1 ? p.hole[i] : 0; /* so little would not have been split off */
      free_bytes += p.hole[i] * MIB;
      largest = MAX(largest, p.hole[i] * MIB);
    }
    g_autoptr(TnOom) oom = judge_planted(&p);
    tn_bytes whole = most_given_back(&p), device_free = p.device_free * MIB;
    if (free_bytes + device_free >= oom->segment_bytes)
      g_assert_cmpint(oom->usable_whole, ==, whole);
    if (oom->verdict == TN_OOM_UNEXPLAINED)
      g_assert_true(largest >= oom->requested || device_free >= oom->segment_bytes);
    else
      g_assert_cmpint(oom->verdict, ==,
                      free_bytes >= oom->requested || device_free + whole >= oom->segment_bytes
                          ? TN_OOM_FRAGMENTATION
                          : TN_OOM_CAPACITY);
    g_assert_null(strstr(oom->cause, "-"));
  }
}

/* Of 1,400 segments of 20 and as many of 22 MiB, half of each free: 1,393 and 70 of them are all of it.  `odd`
 * bytes more in one of them: then nearly so. */
static void
test_many_given_back(void)
{
  for (tn_bytes odd = 0; odd <= 512; odd += 512) {
    g_autoptr(TnDocument) document = log_new();
    for (int i = 0; i < 2800; i++) {
      uint64_t base = (uint64_t)(i + 1) << 32;
      tn_bytes bytes = i % 2 ? 22 * MIB : 20 * MIB;
      log_add(document, TN_EVENT_SEGMENT_ALLOC, base, bytes + (i ? 0 : odd));
      log_add(document, TN_EVENT_ALLOC, base, bytes / 2);
      log_segment(document, base, bytes + (i ? 0 : odd), false);
    }
    tn_bytes free_bytes = 29400 * MIB, requested = free_bytes + 40 * MIB;
    uint32_t event = log_add(document, TN_EVENT_OOM, (uint64_t)(1000 * MIB), requested);
    log_mark(document, TN_MARK_OOM, event, requested, 1000 * MIB);
    g_autoptr(TnStudy) study = log_study(document);
    g_autoptr(TnOom) oom = tn_oom_new(study, 0, 0);
    g_assert_cmpint(oom->usable_free, ==, free_bytes + odd);
    g_assert_cmpint(oom->usable_whole, ==, free_bytes + odd);
    g_assert_cmpint(oom->verdict, ==, TN_OOM_FRAGMENTATION);
  }
}

/* What is on already is not advised. */
static void
test_advice_where_segments_grow(void)
{
  for (int grows = 0; grows < 2; grows++) {
    g_autoptr(TnDocument) document = planted(24 * MIB, 2 * MIB, false);
    GArray *segments = tn_document_device(document, 0)->segments;
    g_array_index(segments, TnSegment, 0).is_expandable = grows;
    g_autoptr(TnStudy) study = log_study(document);
    g_autoptr(TnOom) oom = tn_oom_new(study, 0, 0);
    g_assert_cmpint(oom->verdict, ==, TN_OOM_FRAGMENTATION);
    g_assert_true((strstr(oom->advice, "Segments grow already") != NULL) == grows);
    g_assert_true((strstr(oom->advice, "Growing segments") != NULL) != grows);
  }
}

static void
test_finding(void)
{
  g_autoptr(TnDocument) document = planted(24 * MIB, 2 * MIB, false);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {0};
  tn_find_all(study, &params, findings);
  const TnFinding *first = tn_findings_get(findings, 0);
  g_assert_cmpstr(first->code, ==, "oom");
  g_assert_cmpint(first->bytes, ==, 24 * MIB);
  g_assert_cmpuint(first->buffers->len, ==, 1);
  g_assert_cmpuint(g_array_index(first->buffers, uint32_t, 0), ==, 1); /* the 15 MiB, not the 20 */
}

/* A loop that tries again: the first and the last failures are told, the others counted. */
static void
test_many(void)
{
  g_autoptr(TnDocument) document = planted(24 * MIB, 2 * MIB, false);
  uint32_t n = 1, errors = 0;
  for (; n < TN_OOM_MOST_TOLD + 72; n++)
    log_mark(document, TN_MARK_OOM, log_add(document, TN_EVENT_OOM, 0, 24 * MIB), 24 * MIB, 0);
  g_autoptr(TnStudy) study = log_study(document);
  g_assert_cmpuint(tn_oom_count(study->device), ==, n);
  g_autoptr(GArray) told = tn_oom_find_told(study->device);
  g_assert_cmpuint(told->len, ==, TN_OOM_MOST_TOLD);
  for (uint32_t i = 0; i < told->len; i++)
    g_assert_cmpuint(g_array_index(told, uint32_t, i), ==, i < TN_OOM_MOST_TOLD / 2 ? i : i + 72);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnFindParams params = {.without_replay = true};
  tn_find_all(study, &params, findings);
  for (guint i = 0; i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    errors += strcmp(finding->code, "oom") == 0;
    if (strcmp(finding->code, "oom") == 0 && finding->bytes != 24 * MIB)
      g_assert_cmpstr(finding->message, ==,
                      "72 more requests failed between the events 66 and 139; the first 64 and the last "
                      "64 are explained each");
  }
  g_assert_cmpuint(errors, ==, TN_OOM_MOST_TOLD + 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/oom/sample", test_sample);
  g_test_add_func("/oom/room-at-random", test_room_at_random);
  g_test_add_func("/oom/verdicts", test_verdicts);
  g_test_add_func("/oom/less-than-a-segment", test_less_than_a_segment);
  g_test_add_func("/oom/given-back", test_given_back);
  g_test_add_func("/oom/given-back-at-random", test_given_back_at_random);
  g_test_add_func("/oom/many-given-back", test_many_given_back);
  g_test_add_func("/oom/advice-where-segments-grow", test_advice_where_segments_grow);
  g_test_add_func("/oom/finding", test_finding);
  g_test_add_func("/oom/many", test_many);
  return g_test_run();
}
