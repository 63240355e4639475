/* SPDX-License-Identifier: MIT */
/* Lives of a log's allocations: each rule of formats/pytorch.md "How Tenure reads it". */
#include "config.h"

#include "analysis/lifetime.h"
#include "log-support.h"

#define A TN_EVENT_ALLOC
#define F TN_EVENT_FREE
#define R TN_EVENT_FREE_REQUESTED

static TnLogLives *
lives_of(const TnDocument *document)
{
  TnLogLives *lives = tn_log_lives_new(tn_document_get_device(document, 0), NULL);
  g_assert_nonnull(lives);
  for (tn_index i = 1; i < lives->buffers->n; i++)
    g_assert_cmpint(lives->buffers->start[i - 1], <=, lives->buffers->start[i]);
  return lives;
}

static void
check_row(const TnLogLives *lives, tn_index i, tn_tick start, tn_tick end, tn_bytes bytes,
          uint8_t flags)
{
  const TnBuffers *b = lives->buffers;
  g_assert_cmpuint(i, <, b->n);
  g_assert_cmpint(b->start[i], ==, start);
  g_assert_cmpint(b->end[i], ==, end);
  g_assert_cmpint(b->bytes[i], ==, bytes);
  g_assert_cmphex(b->flags[i], ==, flags);
}

/* From alloc to free_completed; between the two frees it is pending, and lives. */
static void
test_plain(void)
{
  static const LogEvent events[] = {{A, 4096, 1000}, {A, 8192, 512}, {R, 4096, 1000},
                                    {A, 16384, 1},   {F, 4096, 1000}, {A, 4096, 513}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnLogLives *lives = lives_of(document);
  g_assert_cmpuint(lives->buffers->n, ==, 4);
  check_row(lives, 0, 0, 4, 1024, 0);
  check_row(lives, 1, 1, 6, 512, TN_BUFFER_TO_END);
  check_row(lives, 2, 3, 6, 512, TN_BUFFER_TO_END);
  check_row(lives, 3, 5, 6, 1024, TN_BUFFER_TO_END);
  g_assert_cmpint(tn_buffers_requested(lives->buffers, 0), ==, 1000);
  g_assert_cmpint(lives->buffers->offset[2], ==, 16384);
  g_assert_cmpuint(lives->n_before, ==, 0);
  g_assert_cmpuint(lives->n_not_in_segments, ==, 0);
  tn_log_lives_free(lives);
}

/* A trace without any free_completed ends lives at the request. */
static void
test_requests_only(void)
{
  static const LogEvent events[] = {{A, 4096, 512}, {R, 4096, 512}, {A, 4096, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnLogLives *lives = lives_of(document);
  check_row(lives, 0, 0, 1, 512, 0);
  check_row(lives, 1, 2, 3, 512, TN_BUFFER_TO_END);
  tn_log_lives_free(lives);
}

/* Freed without an alloc, and active at the end without one: both lived before. */
static void
test_before(void)
{
  static const LogEvent events[] = {{F, 1 << 20, 700}, {A, 4096, 512}, {F, 2 << 20, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  uint32_t segment = log_add_segment(document, 4 << 20, 2 << 20);
  log_add_block(document, segment, 4 << 20, 1536, 1500, TN_BLOCK_ACTIVE);
  log_add_block(document, segment, (4 << 20) + 1536, 512, 400, TN_BLOCK_INACTIVE);
  log_add_block(document, segment, 5 << 20, 2048, TN_BYTES_UNKNOWN, TN_BLOCK_PENDING_FREE);
  log_add_block(document, segment, 4096, 2560, 512, TN_BLOCK_ACTIVE);
  TnLogLives *lives = lives_of(document);
  g_assert_cmpuint(lives->buffers->n, ==, 5);
  check_row(lives, 0, 0, 1, 1024, TN_BUFFER_BEFORE); /* freed by event 0: there at tick 0 */
  check_row(lives, 1, 0, 2, 512, TN_BUFFER_BEFORE);
  check_row(lives, 2, 0, 3, 1536, TN_BUFFER_BEFORE | TN_BUFFER_TO_END);
  check_row(lives, 3, 0, 3, 2048, TN_BUFFER_BEFORE | TN_BUFFER_TO_END);
  check_row(lives, 4, 1, 3, 2560, TN_BUFFER_TO_END); /* the block's own size */
  g_assert_cmpint(tn_buffers_requested(lives->buffers, 2), ==, 1500);
  g_assert_cmpint(tn_buffers_requested(lives->buffers, 3), ==, 2048);
  g_assert_cmpint(tn_buffers_requested(lives->buffers, 4), ==, 512);
  for (tn_index i = 0; i < 4; i++)
    g_assert_cmpuint(lives->buffers->kind[i], ==, TN_KIND_BEFORE);
  g_assert_cmpuint(lives->buffers->kind[4], ==, TN_KIND_ALLOCATION);
  g_assert_cmpuint(lives->n_before, ==, 4);
  g_assert_cmpint(lives->before_bytes, ==, 1024 + 512 + 1536 + 2048);
  tn_log_lives_free(lives);
}

/* The recording stopped before the snapshot was taken. */
static void
test_not_in_segments(void)
{
  static const LogEvent events[] = {{A, 4096, 512}, {A, 8192, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  uint32_t segment = log_add_segment(document, 4096, 2 << 20);
  log_add_block(document, segment, 4096, 512, 512, TN_BLOCK_INACTIVE);
  log_add_block(document, segment, 8192, 512, 512, TN_BLOCK_ACTIVE);
  TnLogLives *lives = lives_of(document);
  check_row(lives, 0, 0, 2, 512, TN_BUFFER_TO_END | TN_BUFFER_NOT_IN_SEGMENTS);
  check_row(lives, 1, 1, 2, 512, TN_BUFFER_TO_END);
  g_assert_cmpuint(lives->n_not_in_segments, ==, 1);
  tn_log_lives_free(lives);
}

/* A free is missing: the next owner of the address ends the life. */
static void
test_lost_free(void)
{
  static const LogEvent events[] = {{A, 4096, 512}, {A, 8192, 512}, {A, 4096, 1024}, {F, 4096, 1}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnLogLives *lives = lives_of(document);
  check_row(lives, 0, 0, 2, 512, 0);
  check_row(lives, 2, 2, 3, 1024, 0);
  tn_log_lives_free(lives);
}

/* An alloc is missing: the life begins where the address's last owner ended, not before the recording. */
static void
test_lost_alloc(void)
{
  static const LogEvent events[] = {{F, 8192, 512}, {A, 4096, 512}, {F, 4096, 512}, {F, 4096, 1024},
                                    {F, 8192, 512}, {F, 4096, 1},   {A, 4096, 1},   {F, 4096, 1}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  uint32_t segment = log_add_segment(document, 4096, 2 << 20);
  log_add_block(document, segment, 4096, 2048, 2048, TN_BLOCK_ACTIVE);
  log_add_block(document, segment, 65536, 512, 512, TN_BLOCK_ACTIVE);
  TnLogLives *lives = lives_of(document);
  g_assert_cmpuint(lives->buffers->n, ==, 8);
  check_row(lives, 0, 0, 1, 512, TN_BUFFER_BEFORE);
  check_row(lives, 1, 0, 8, 512, TN_BUFFER_BEFORE | TN_BUFFER_TO_END);
  check_row(lives, 2, 1, 4, 512, 0); /* 8192 again */
  check_row(lives, 3, 1, 2, 512, 0); /* 4096, with its alloc */
  check_row(lives, 4, 2, 3, 1024, 0);
  check_row(lives, 5, 3, 5, 512, 0);
  check_row(lives, 6, 6, 7, 512, 0);
  check_row(lives, 7, 7, 8, 2048, TN_BUFFER_TO_END);
  g_assert_cmpuint(lives->n_before, ==, 2);
  g_assert_cmpint(lives->before_bytes, ==, 1024);
  tn_log_lives_free(lives);
}

static void
test_no_events(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  TnLogLives *none = lives_of(document);
  g_assert_cmpuint(none->buffers->n, ==, 0);
  g_assert_cmpint(tn_log_axis_end(tn_document_get_device(document, 0)), ==, 1);
  tn_log_lives_free(none);
  uint32_t segment = log_add_segment(document, 4096, 2 << 20);
  log_add_block(document, segment, 4096, 512, 100, TN_BLOCK_ACTIVE);
  TnLogLives *lives = lives_of(document);
  check_row(lives, 0, 0, 1, 512, TN_BUFFER_BEFORE | TN_BUFFER_TO_END);
  tn_log_lives_free(lives);
}

static void
test_rounding(void)
{
  static const LogEvent events[] = {{A, 1, 0}, {A, 2, 1}, {A, 3, 512}, {A, 4, 513},
                                    {A, 5, INT64_MAX}};
  static const tn_bytes want[] = {512, 512, 512, 1024, INT64_MAX / 512 * 512};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnLogLives *lives = lives_of(document);
  g_assert_cmpmem(lives->buffers->bytes, sizeof want, want, sizeof want);
  tn_log_lives_free(lives);
}

static void
test_stacks(void)
{
  static const LogEvent events[] = {{A, 4096, 512}, {F, 4096, 512}, {A, 4096, 512}, {F, 4096, 1}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  TnEvents *table = &log_device(document)->events;
  table->stack[0] = 7;
  table->stack[1] = 9;
  table->stack[2] = 8;
  table->stack[3] = 8;
  table->space[2] = tn_device_space(log_device(document), 5, 0, 1);
  TnLogLives *lives = lives_of(document);
  g_assert_cmpuint(lives->buffers->stack[0], ==, 7);
  g_assert_cmpuint(lives->buffers->free_stack[0], ==, 9);
  g_assert_cmpuint(lives->buffers->stack[1], ==, 8);
  g_assert_cmpuint(lives->buffers->free_stack[1], ==, 0); /* freed where it was made: says nothing */
  g_assert_cmpuint(lives->buffers->space[1], ==, 1);
  tn_log_lives_free(lives);
}

/* Addresses of every kind, many of them, against a table of the live set by address. */
static void
test_random(void)
{
  enum { SLOTS = 3000, EVENTS = 60000 };
  g_autofree LogEvent *events = g_new(LogEvent, EVENTS);
  g_autofree int *owner = g_new(int, SLOTS); /* event that allocated it, -1: free */
  g_autofree tn_tick *end = g_new(tn_tick, EVENTS);
  for (int i = 0; i < SLOTS; i++)
    owner[i] = -1;
  for (int i = 0; i < EVENTS; i++) {
    int slot = g_test_rand_int_range(0, SLOTS);
    uint64_t address = slot == 0 ? 0 : 0x7f0000000000u + (uint64_t)slot * 512;
    events[i] = (LogEvent){owner[slot] < 0 ? A : F, address, 512};
    if (owner[slot] < 0) {
      owner[slot] = i;
      end[i] = EVENTS;
    } else {
      end[owner[slot]] = i;
      owner[slot] = -1;
    }
  }
  g_autoptr(TnDocument) document = log_new(events, EVENTS);
  TnLogLives *lives = lives_of(document);
  tn_index row = 0;
  for (int i = 0; i < EVENTS; i++) {
    if (events[i].action != A)
      continue;
    g_assert_cmpint(lives->buffers->start[row], ==, i);
    g_assert_cmpint(lives->buffers->end[row], ==, end[i]);
    g_assert_cmpint(lives->buffers->offset[row], ==, (tn_bytes)events[i].address);
    row++;
  }
  g_assert_cmpuint(row, ==, lives->buffers->n);
  tn_log_lives_free(lives);
}

static void
test_cancelled(void)
{
  static const LogEvent events[] = {{A, 4096, 512}};
  g_autoptr(TnDocument) document = log_new(events, 1);
  TnProgress progress = {.cancelled = 1};
  g_assert_null(tn_log_lives_new(tn_document_get_device(document, 0), &progress));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lifetime/plain", test_plain);
  g_test_add_func("/lifetime/requests-only", test_requests_only);
  g_test_add_func("/lifetime/before", test_before);
  g_test_add_func("/lifetime/not-in-segments", test_not_in_segments);
  g_test_add_func("/lifetime/lost-free", test_lost_free);
  g_test_add_func("/lifetime/lost-alloc", test_lost_alloc);
  g_test_add_func("/lifetime/no-events", test_no_events);
  g_test_add_func("/lifetime/rounding", test_rounding);
  g_test_add_func("/lifetime/stacks", test_stacks);
  g_test_add_func("/lifetime/random", test_random);
  g_test_add_func("/lifetime/cancelled", test_cancelled);
  return g_test_run();
}
