/* SPDX-License-Identifier: MIT */
/* The allocator models: recorded logs come out as recorded, planted ones as computed by hand. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"
#include "analysis/replay/suggest.h"
#include "analysis/oom.h"

#include "tests/unit/shared.h"

#include "tests/unit/request-log.h"

/* ---- the set of free blocks ---------------------------------------------------------------- */

static void
test_free_set(void)
{
  TnFreeSet set = {0};
  bool has[64][64] = {{false}};
  for (int round = 0; round < 20000; round++) {
    int size = g_test_rand_int_range(0, 64), address = g_test_rand_int_range(0, 64);
    g_assert_cmpint(tn_free_set_remove(&set, (TnFreeKey){size, (uint64_t)address, 0}), ==,
                    has[size][address]);
    has[size][address] = !has[size][address];
    if (has[size][address])
      tn_free_set_insert(&set, (TnFreeKey){size, (uint64_t)address, 0});
    const TnFreeKey *found = tn_free_set_get(&set, tn_free_set_find(&set, size, 0));
    int s = size, a = 0;
    while (s < 64 && !has[s][a])
      if (++a == 64) {
        a = 0;
        s++;
      }
    g_assert_cmpint(found ? found->size * 64 + (tn_bytes)found->address : 64 * 64, ==, s * 64 + a);
  }
  tn_free_set_clear(&set);
}

/* ---- rounding ------------------------------------------------------------------------------ */

static void
test_rounding(void)
{
  TnReplaySettings s;
  g_autofree char *message = NULL;
  tn_replay_settings_init(&s);
  g_assert_cmpint(tn_caching_round(&s, 1), ==, 512);
  g_assert_cmpint(tn_caching_round(&s, 513), ==, 1024);
  g_assert_cmpint(tn_caching_segment_size(MIB), ==, 2 * MIB);
  g_assert_cmpint(tn_caching_segment_size(MIB + 512), ==, 20 * MIB);
  g_assert_cmpint(tn_caching_segment_size(10 * MIB), ==, 10 * MIB);
  g_assert_cmpint(tn_caching_segment_size(11 * MIB), ==, 12 * MIB);
  /* PyTorch's own example: 1200 with 4 divisions of [1024, 2048] is 1280 — once it is above
   * 512 * 4; and 5 MiB in [4, 8] goes by steps of 1 MiB. */
  g_assert_true(tn_replay_settings_set(&s, "roundup_power2_divisions=4", &message));
  g_assert_cmpint(tn_caching_round(&s, 1200), ==, 1536);
  g_assert_cmpint(tn_caching_round(&s, 5 * MIB + 1), ==, 6 * MIB);
  g_assert_cmpint(tn_caching_round(&s, 8 * MIB), ==, 8 * MIB);
  g_assert_true(tn_replay_settings_set(&s, "roundup_power2_divisions=[2:1,4:2,>:8]", &message));
  g_assert_cmpint(tn_caching_round(&s, 3 * MIB + 512), ==, 3 * MIB + 512);
  g_assert_cmpint(tn_caching_round(&s, 5 * MIB), ==, 6 * MIB);
  g_assert_cmpint(tn_caching_round(&s, 33 * MIB), ==, 36 * MIB);
  /* Between those named nothing is rounded, below the first all is as it, above the last as ">". */
  g_assert_true(tn_replay_settings_set(&s, "roundup_power2_divisions=[256:2,1024:4,>:8]", &message));
  g_assert_cmpuint(s.roundup_power2_divisions[0], ==, 2);
  g_assert_cmpuint(s.roundup_power2_divisions[8], ==, 2);
  g_assert_cmpuint(s.roundup_power2_divisions[9], ==, 0);
  g_assert_cmpuint(s.roundup_power2_divisions[10], ==, 4);
  g_assert_cmpuint(s.roundup_power2_divisions[11], ==, 8);
  g_assert_cmpint(tn_caching_round(&s, 600 * MIB), ==, 600 * MIB);
}

static void
test_settings(void)
{
  TnReplaySettings s;
  char *message = NULL;
  tn_replay_settings_init(&s);
  g_assert_true(tn_replay_settings_set(&s, "max_split_size_mb=128", &message));
  g_assert_true(tn_replay_settings_set(&s, "expandable_segments=True", &message));
  g_autofree char *text = tn_replay_settings_format(&s);
  g_assert_cmpstr(text, ==, "expandable_segments=True,max_split_size_mb=128");
  g_assert_false(tn_replay_settings_set(&s, "max_split_size_mb=20", &message));
  g_assert_cmpstr(message, ==, "max_split_size_mb=20: expected a size above 20 MiB (0: unlimited)");
  g_clear_pointer(&message, g_free);
  g_assert_false(tn_replay_settings_set(&s, "colour=red", &message));
  g_clear_pointer(&message, g_free);
  g_assert_false(tn_replay_settings_set(&s, "=", &message));
  g_clear_pointer(&message, g_free);
  g_autoptr(GHashTable) stated = g_hash_table_new(g_str_hash, g_str_equal);
  g_hash_table_insert(stated, (gpointer) "PYTORCH_CUDA_ALLOC_CONF",
                      (gpointer) "roundup_power2_divisions:[256:1,>:4],max_split_size_mb:64");
  tn_replay_settings_init(&s);
  tn_replay_settings_read(&s, stated);
  g_assert_cmpint(s.max_split_size, ==, 64 * MIB);
  g_assert_cmpuint(s.roundup_power2_divisions[8], ==, 1);
  g_assert_cmpuint(s.roundup_power2_divisions[9], ==, 4);
}

/* ---- recorded logs ------------------------------------------------------------------------- */

static void
check_recorded(TnDocument *document, double least_equal)
{
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {
      .model = &tn_allocator_caching, .settings = log->recorded, .limit = log->limit};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpint(result->reserved_peak, ==, study->reserved->peak);
  g_assert_cmpfloat((double)result->n_equal, >=, least_equal * result->n_compared);
}

static void
test_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  check_recorded(document, 1.0);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_caching,
                           .settings = log->recorded,
                           .limit = log->limit,
                           .with_curve = true};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpint(log->limit, ==, 3793 * MIB);
  g_assert_cmpuint(result->ooms->len, ==, 1);
  g_assert_cmpuint(g_array_index(result->ooms, TnReplayOom, 0).event, ==, 4282);
  g_assert_cmpint(g_array_index(result->ooms, TnReplayOom, 0).reserved, ==, 3776 * MIB);
  g_assert_cmpint(result->curve->peak, ==, 3776 * MIB);
}

/* Two lives begin with one event, where the alloc of one was lost: both are replayed. */
static void
test_lost_alloc(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_add(document, TN_EVENT_FREE, 4096, 512);
  log_add(document, TN_EVENT_ALLOC, 65536, 512);
  log_add(document, TN_EVENT_FREE, 4096, 2048);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  uint32_t n_taken = 0;
  tn_bytes taken = 0;
  for (guint i = 0; i < log->ops->len; i++) {
    const TnReplayOp *op = &g_array_index(log->ops, TnReplayOp, i);
    n_taken += op->action == TN_REPLAY_TAKE;
    taken += op->action == TN_REPLAY_TAKE ? op->bytes : 0;
  }
  g_assert_cmpuint(study->buffers->n, ==, 3);
  g_assert_cmpuint(n_taken, ==, 2);
  g_assert_cmpint(taken, ==, 512 + 2048);
}

/* What was there before must fit, too: neither put where it was nor requested anew is it free. */
static void
test_before_recording(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  for (int is_requested = 0; is_requested < 2; is_requested++) {
    TnReplayParams params = {.model = &tn_allocator_caching,
                             .settings = log->recorded,
                             .limit = 64 * MIB, /* of the 131 MiB of parameters */
                             .stop_at_oom = true,
                             .seeds_requested = is_requested};
    g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
    g_assert_cmpuint(result->ooms->len, >, 0);
    g_assert_cmpuint(g_array_index(result->ooms, TnReplayOom, 0).event, ==, 0);
  }
  g_autoptr(TnSuggestions) s = tn_suggestions_new(log, log->limit, true, NULL);
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    if (row->passes && row->model == &tn_allocator_caching)
      g_assert_cmpint(row->smallest_limit, >=, row->allocated_peak);
  }
}

static void
test_shared(void)
{
  static const char *const names[] = {"pytorch/nuggets_mini_snapshot.pickle",
                                      "pytorch/magma27_cs336_memory_snapshot.pickle",
                                      "pytorch/silmont_forward_bf16_128.pickle",
                                      "pytorch/silmont_forward_fp32_128.pickle",
                                      "ascend/npu_snapshot_empty_cache.pkl",
                                      "ascend/npu_snapshot_expandable.pkl"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename("samples", names[i], NULL);
    g_autofree char *full = shared_path(path);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    if (!full)
      return;
    g_autoptr(TnDocument) document = tn_document_load(full, &options, &error);
    g_assert_no_error(error);
    check_recorded(document, 1.0);
  }
}

/* ---- invariants of the caching model ------------------------------------------------------- */

/* What a walk over all blocks finds. */
typedef struct {
  tn_bytes mapped, taken;
  uint32_t n_free, n_unmapped;
} Walked;

/* From the first block of a segment on: neighbours touch, and no two free ones do. */
static void
walk_segment(const Caching *c, uint32_t row, Walked *walked)
{
  for (uint32_t last = TN_NONE; row != TN_NONE; last = row, row = c->blocks[row].after) {
    const Block *block = &c->blocks[row];
    g_assert_cmpuint(block->before, ==, last);
    g_assert_cmpint(block->size, >, 0);
    if (last != TN_NONE) {
      g_assert_cmpuint(c->blocks[last].address + (uint64_t)c->blocks[last].size, ==,
                       block->address);
      g_assert_true(block->state == BLOCK_TAKEN || c->blocks[last].state != block->state);
    }
    walked->mapped += block->state != BLOCK_UNMAPPED ? block->size : 0;
    walked->taken += block->state == BLOCK_TAKEN ? block->size : 0;
    walked->n_free += block->state == BLOCK_FREE;
    walked->n_unmapped += block->state == BLOCK_UNMAPPED;
  }
}

static void
check_caching(const Caching *c)
{
  Walked walked = {0};
  uint32_t n_free = 0, n_unmapped = 0;
  g_autofree bool *is_spare = g_new0(bool, c->n_blocks + 1);
  for (uint32_t row = c->spare; row != TN_NONE; row = c->blocks[row].after)
    is_spare[row] = true;
  for (uint32_t row = 0; row < c->n_blocks; row++)
    if (!is_spare[row] && c->blocks[row].before == TN_NONE)
      walk_segment(c, row, &walked);
  for (uint32_t i = 0; i < c->n_pools; i++) {
    n_free += c->pools[i].free.n;
    n_unmapped += c->pools[i].unmapped.n;
  }
  g_assert_cmpint(walked.mapped, ==, c->base.reserved);
  g_assert_cmpint(walked.taken, ==, c->base.allocated);
  g_assert_cmpuint(walked.n_free, ==, n_free);
  g_assert_cmpuint(walked.n_unmapped, ==, n_unmapped);
  if (c->base.limit > 0)
    g_assert_cmpint(c->base.reserved, <=, c->base.limit);
}

static tn_bytes
draw_bytes(void)
{
  int kind = g_test_rand_int_range(0, 10);
  return kind < 4   ? g_test_rand_int_range(1, 4096)
         : kind < 7 ? g_test_rand_int_range(4096, 2 << 20)
                    : g_test_rand_int_range(1, 80) * MIB;
}

/* A random walk of takes, gives and releases; what is held never overlaps, and all sums agree. */
static void
walk_at_random(TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  TnAllocator *a = tn_allocator_caching.create(log, settings, limit);
  const Caching *c = (const Caching *)a;
  for (int step = 0; step < 1500; step++) {
    uint32_t id = (uint32_t)g_test_rand_int_range(0, (gint32)log->n_ids);
    TnReplayOp op = {.bytes = draw_bytes(), .id = id,
                     .space = (uint16_t)g_test_rand_int_range(0, (gint32)log->n_spaces)};
    if (c->block_of[id] != TN_NONE)
      tn_allocator_caching.give(a, id);
    else
      tn_allocator_caching.take(a, &op, 0);
    if (step % 300 == 299)
      tn_allocator_caching.release(a);
    if (step % 10 == 0)
      check_caching(c);
  }
  for (uint32_t id = 0; id < log->n_ids; id++)
    tn_allocator_caching.give(a, id);
  check_caching(c);
  g_assert_cmpint(a->allocated, ==, 0);
  tn_allocator_caching.release(a);
  g_assert_cmpint(a->reserved, ==, 0);
  tn_allocator_caching.destroy(a);
}

static void
test_invariants(void)
{
  static const char *const settings[][2] = {
      {"padding=0"},
      {"expandable_segments=True"},
      {"max_split_size_mb=32"},
      {"max_split_size_mb=64", "garbage_collection_threshold=0.6"},
      {"roundup_power2_divisions=8"},
      {"expandable_segments=True", "garbage_collection_threshold=0.8"}};
  bool is_private[3] = {false, false, false};
  TnReplayLog log = {.n_ids = 60, .n_spaces = 3, .is_private = is_private, .top = 1 << 20};
  for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
    for (int round = 0; round < 6; round++) {
      TnReplaySettings s;
      tn_replay_settings_init(&s);
      for (int k = 0; k < 2 && settings[i][k]; k++) {
        char *message = NULL;
        g_assert_true(tn_replay_settings_set(&s, settings[i][k], &message));
      }
      walk_at_random(&log, &s, round % 2 ? 600 * MIB : 0);
    }
}

/* ---- files that contradict themselves ------------------------------------------------------ */

static uint64_t
draw_address(void)
{
  uint64_t near = 0x100000 + (uint64_t)g_test_rand_int_range(0, 64) * 512 * 1024;
  return g_test_rand_int_range(0, 40) ? near : UINT64_MAX - 512 - near;
}

static TnDocument *
draw_document(void)
{
  static const TnEventAction actions[] = {
      TN_EVENT_ALLOC,       TN_EVENT_ALLOC,        TN_EVENT_FREE,        TN_EVENT_FREE,
      TN_EVENT_SEGMENT_MAP, TN_EVENT_SEGMENT_FREE, TN_EVENT_SEGMENT_MAP, TN_EVENT_SEGMENT_UNMAP,
      TN_EVENT_OOM,         TN_EVENT_SEGMENT_ALLOC};
  TnDocument *document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint32_t stream = tn_device_space(device, 7, 1, 0);
  int n = g_test_rand_int_range(1, 60);
  for (int i = 0; i < n; i++) {
    TnEventAction action = actions[g_test_rand_int_range(0, G_N_ELEMENTS(actions))];
    tn_bytes bytes = g_test_rand_int_range(0, 40) * 512 * 1024;
    uint32_t event = log_add(document, action, draw_address(), bytes);
    device->events.space[event] = g_test_rand_int_range(0, 4) ? 0 : stream;
    if (action == TN_EVENT_OOM)
      log_mark(document, TN_MARK_OOM, event, bytes, g_test_rand_int_range(-1, 1000) * 4096);
  }
  for (guint i = 0; i < (guint)g_test_rand_int_range(0, 6); i++) {
    TnSegment segment = {.address = draw_address(),
                         .bytes = g_test_rand_int_range(0, 40) * 512 * 1024,
                         .is_small = g_test_rand_int_range(0, 2),
                         .is_expandable = g_test_rand_int_range(0, 2)};
    TnBlock block = {.address = draw_address(), .bytes = segment.bytes / 2, .segment = i,
                     .requested = segment.bytes / 3, .state = TN_BLOCK_ACTIVE};
    g_array_append_val(device->segments, segment);
    g_array_append_val(device->blocks, block);
  }
  return document;
}

/* Nothing may crash or hang; what is said may be as wrong as the file. */
static void
test_contradictions(void)
{
  for (int round = 0; round < 400; round++) {
    g_autoptr(TnDocument) document = draw_document();
    g_autoptr(TnStudy) study = log_study(document);
    g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
    for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++) {
      TnReplayParams params = {.model = *model, .settings = log->recorded, .with_curve = true,
                               .limit = round % 2 ? log->limit : 0};
      g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
    }
    g_autoptr(TnSuggestions) suggestions = tn_suggestions_new(log, log->limit, false, NULL);
    for (uint32_t k = 0, mark; (mark = tn_oom_find_mark(study->device, k)) != TN_NONE; k++) {
      g_autoptr(TnOom) oom = tn_oom_new(study, mark, round % 3 ? 0 : 1 << 30);
      g_assert_nonnull(oom->cause);
    }
  }
}

/* ---- planted logs -------------------------------------------------------------------------- */

/* Holes of 9 MiB in five segments that can't be given back. */
static TnDocument *
only_expandable(void)
{
  TnDocument *document = log_new();
  uint64_t places[5];
  for (int i = 0; i < 5; i++)
    places[i] = log_take(document, 20 * MIB);
  for (int i = 0; i < 5; i++)
    log_free(document, places[i], 20 * MIB);
  for (int i = 0; i < 5; i++)
    log_take(document, 11 * MIB);
  log_fail(document, 30 * MIB);
  return document;
}

/* Small blocks that stay, one in every granule of what was a large free block. */
static TnDocument *
only_split_limit(void)
{
  TnDocument *document = log_new();
  uint64_t places[5], large = log_take(document, 100 * MIB);
  log_free(document, large, 100 * MIB);
  for (int i = 0; i < 5; i++) {
    places[i] = log_take(document, 15 * MIB);
    log_take(document, 2 * MIB);
  }
  for (int i = 0; i < 5; i++)
    log_free(document, places[i], 15 * MIB);
  log_fail(document, 60 * MIB);
  return document;
}

static TnDocument *
nothing_helps(void)
{
  TnDocument *document = log_new();
  for (int i = 0; i < 5; i++)
    log_take(document, 20 * MIB);
  log_fail(document, 30 * MIB);
  return document;
}

static TnSuggestions *
suggest(TnDocument *document, tn_bytes limit)
{
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  return tn_suggestions_new(log, limit, true, NULL);
}

/* Exactly those whose text has the word pass; returns how many. */
static uint32_t
check_passing(const TnSuggestions *s, const char *word)
{
  uint32_t n = 0;
  for (guint i = 0; i < s->rows->len; i++) {
    const TnSuggestion *row = tn_suggestions_get(s, i);
    if (row->model != &tn_allocator_caching)
      continue;
    if (row->passes && !strstr(row->text, word))
      g_error("%s passes", row->text);
    n += row->passes;
  }
  g_assert_cmpuint(n, ==, s->n_passing);
  return n;
}

/* More than any range of addresses that the model reserves: refused, not looked for behind its end. */
static void
test_larger_than_a_range(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_take(document, (tn_bytes)1 << 43);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_caching, .settings = {.expandable_segments = true}};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpuint(result->ooms->len, ==, 1);
}

static void
test_only_expandable(void)
{
  g_autoptr(TnDocument) document = only_expandable();
  g_autoptr(TnSuggestions) s = suggest(document, 100 * MIB);
  g_assert_cmpuint(check_passing(s, "expandable_segments=True"), ==, 3);
  const TnSuggestion *best = tn_suggestions_get(s, 0);
  g_assert_cmpstr(best->text, ==, "expandable_segments=True");
  g_assert_cmpint(best->reserved_peak, ==, 100 * MIB);
  g_assert_cmpint(best->smallest_limit, <=, 102 * MIB);
  g_assert_true(g_str_has_prefix(s->sentence, "With expandable_segments=True the request would "
                                              "have been served: 100.0 MiB reserved"));
}

static void
test_only_split_limit(void)
{
  g_autoptr(TnDocument) document = only_split_limit();
  g_autoptr(TnSuggestions) s = suggest(document, 150 * MIB);
  g_assert_cmpuint(check_passing(s, "max_split_size_mb="), >=, 3);
  g_assert_false(s->needs_more);
}

static void
test_nothing_helps(void)
{
  g_autoptr(TnDocument) document = nothing_helps();
  g_autoptr(TnSuggestions) s = suggest(document, 120 * MIB);
  g_assert_cmpuint(s->n_passing, ==, 0);
  g_assert_true(s->needs_more);
  g_assert_cmpint(s->needed, ==, 130 * MIB);
  g_assert_cmpstr(s->sentence, ==,
                  "No setting would have helped: what was alive with the request, 130.0 MiB, is "
                  "more than the 120.0 MiB that the device had for it.");
}

/* A request that failed at 40 MiB reserved, with `device_free` left on the device. */
static TnDocument *
refused(tn_bytes device_free)
{
  TnDocument *document = log_new();
  log_add(document, TN_EVENT_SEGMENT_ALLOC, (uint64_t)1 << 36, 40 * MIB);
  log_add(document, TN_EVENT_ALLOC, (uint64_t)1 << 36, 40 * MIB);
  log_segment(document, (uint64_t)1 << 36, 40 * MIB, false);
  uint32_t event = log_add(document, TN_EVENT_OOM, 0, 100 * MIB);
  log_mark(document, TN_MARK_OOM, event, 100 * MIB, device_free);
  return document;
}

/* What is served as it ran too is no setting's merit: a memory fraction refused it, which no log tells. */
static void
test_refused_unseen(void)
{
  g_autoptr(TnDocument) document = refused(200 * MIB);
  g_autoptr(TnSuggestions) s = suggest(document, 240 * MIB);
  g_assert_cmpstr(s->sentence, ==,
                  "As recorded the model serves the request too, with 140.0 MiB reserved at the "
                  "peak, of the 240.0 MiB that the device had: what refused it is not in the log "
                  "(a memory fraction, others on the device), so no setting is suggested.");
  g_autoptr(TnSuggestions) larger = suggest(document, 300 * MIB);
  g_assert_cmpstr(larger->sentence, ==,
                  "As recorded the request is served on a device with 300.0 MiB: 140.0 MiB reserved "
                  "at the peak. No other setting is needed.");
}

static void
test_nothing_fails(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 30 * MIB);
  g_autoptr(TnSuggestions) s = suggest(document, 300 * MIB);
  g_assert_cmpstr(s->sentence, ==,
                  "As recorded nothing fails on a device with 300.0 MiB: 30.0 MiB reserved at the "
                  "peak. No other setting is needed.");
}

/* Others had left the device when the second request failed: the first one had no such room. */
static void
test_limit_of_first_oom(void)
{
  g_autoptr(TnDocument) document = refused(5 * MIB);
  log_mark(document, TN_MARK_OOM, log_add(document, TN_EVENT_OOM, 0, 500 * MIB), 500 * MIB,
           300 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  g_assert_cmpint(log->limit, ==, 340 * MIB);
  g_assert_cmpint(log->limit_at_oom, ==, 45 * MIB);
}

/* On top of growing segments those of the grid that grow are others of it once more. */
static void
test_no_setting_twice(void)
{
  g_autoptr(TnDocument) document = only_expandable();
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  log->recorded.expandable_segments = true;
  g_autoptr(TnSuggestions) s = tn_suggestions_new(log, 80 * MIB, false, NULL);
  g_assert_cmpuint(s->n_tried, ==, 16);
}

/* The sentence speaks of settings: where it alone is wanted, no time goes into a plan, and it is the same. */
static void
test_sentence_without_plan(void)
{
  g_autoptr(TnDocument) document = only_expandable();
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  g_autoptr(TnSuggestions) listed = tn_suggestions_new(log, 100 * MIB, true, NULL);
  g_autoptr(TnSuggestions) said = tn_suggestions_new(log, 100 * MIB, false, NULL);
  g_assert_cmpstr(said->sentence, ==, listed->sentence);
  g_assert_cmpuint(said->rows->len + 1, ==, listed->rows->len);
  for (guint i = 0; i < said->rows->len; i++)
    g_assert_true(tn_suggestions_get(said, i)->model == &tn_allocator_caching);
}

/* ---- all models ---------------------------------------------------------------------------- */

static tn_bytes
peak_with(TnDocument *document, const TnAllocatorModel *model, tn_bytes limit, uint32_t *out_ooms)
{
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = model, .settings = log->recorded, .limit = limit};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  if (out_ooms)
    *out_ooms = result->ooms->len;
  g_assert_true(result->ooms->len > 0 || result->reserved_peak >= study->live->peak);
  return result->reserved_peak;
}

static void
test_models_by_hand(void)
{
  uint32_t ooms;
  g_autoptr(TnDocument) document = log_new();
  uint64_t a = log_take(document, 3 * MIB);
  log_take(document, 1 * MIB);
  log_free(document, a, 3 * MIB);
  log_take(document, 2 * MIB);
  log_take(document, 1 * MIB);
  log_take(document, 5 * MIB);
  /* first and best fit: 3 1 | 2 1 in the hole, 5 on top: 9 MiB. */
  g_assert_cmpint(peak_with(document, &tn_allocator_first_fit, 0, NULL), ==, 9 * MIB);
  g_assert_cmpint(peak_with(document, &tn_allocator_best_fit, 0, NULL), ==, 9 * MIB);
  g_assert_cmpint(peak_with(document, &tn_allocator_static, 0, NULL), ==, 9 * MIB);
  /* buddy: 4 at 0, 1 at 4, then 2 at 6, 1 at 5, 8 at 8. */
  g_assert_cmpint(peak_with(document, &tn_allocator_buddy, 0, NULL), ==, 16 * MIB);
  /* bfc: regions of 4 (3 takes it whole: it is more than half), 4 (1 and 2), 8 (5). */
  g_assert_cmpint(peak_with(document, &tn_allocator_bfc, 0, NULL), ==, 16 * MIB);
  /* scalable: 3 and 1 in huge pages of 4, 2 and 1 where the 3 was, 6 for the 5. */
  g_assert_cmpint(peak_with(document, &tn_allocator_scalable, 0, NULL), ==, 10 * MIB);
  /* caching: one segment of 20 MiB for all above 1 MiB, one of 2 MiB for the small ones. */
  g_assert_cmpint(peak_with(document, &tn_allocator_caching, 0, NULL), ==, 22 * MIB);
  peak_with(document, &tn_allocator_best_fit, 9 * MIB, &ooms);
  g_assert_cmpuint(ooms, ==, 0);
}

static tn_bytes
peak_collecting(TnDocument *document, const char *threshold, tn_bytes limit)
{
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {
      .model = &tn_allocator_caching, .settings = log->recorded, .limit = limit};
  g_autofree char *message = NULL;
  g_assert_true(tn_replay_settings_set(&params.settings, threshold, &message));
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpuint(result->ooms->len, ==, 0);
  return result->reserved_peak;
}

/* PyTorch's collection frees every segment as old as the average, past its target too: not one of the
 * four for the 10 MiB missing, but all. */
static void
test_collects_all_old(void)
{
  uint64_t places[4];
  g_autoptr(TnDocument) document = log_new();
  for (int i = 0; i < 4; i++)
    places[i] = log_take(document, 20 * MIB);
  for (int i = 0; i < 4; i++)
    log_free(document, places[i], 20 * MIB);
  log_take(document, 30 * MIB);
  g_assert_cmpint(peak_collecting(document, "garbage_collection_threshold=0.07", 1000 * MIB), ==,
                  80 * MIB);
}

/* One clock for all streams: of two free segments that of 40 MiB is the older by all searches, that of
 * 20 by those of its own stream. */
static void
test_one_age_of_streams(void)
{
  static const struct {
    tn_bytes mib;
    bool is_freed;
  } takes[] = {{40, true}, {20, true}, {30, false}, {32, false}, {34, false}, {50, false}};
  g_autoptr(TnDocument) document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint32_t stream = tn_device_space(device, 7, 0, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(takes); i++) {
    uint64_t place = log_take(document, takes[i].mib * MIB);
    device->events.space[device->events.n - 1] = i ? stream : 0;
    if (takes[i].is_freed)
      log_free(document, place, takes[i].mib * MIB);
  }
  g_assert_cmpint(peak_collecting(document, "garbage_collection_threshold=0.146", 1000 * MIB), ==,
                  166 * MIB);
}

/* What TensorFlow does, by its source: the region is what is left of the limit, not nine tenths of what
 * it would be again and again, so that 100 = 32 + 32 + 36 serves the 35. */
static void
test_bfc_at_limit(void)
{
  uint32_t ooms;
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 30 * MIB);
  log_take(document, 30 * MIB);
  log_take(document, 35 * MIB);
  g_assert_cmpint(peak_with(document, &tn_allocator_bfc, 100 * MIB, &ooms), ==, 100 * MIB);
  g_assert_cmpuint(ooms, ==, 0);
  peak_with(document, &tn_allocator_bfc, 98 * MIB, &ooms);
  g_assert_cmpuint(ooms, ==, 1);
}

/* A limit of 0 is none, so that no log fits on a device of 0 bytes. */
static void
test_smallest_of_little(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 1 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_caching, .settings = log->recorded};
  g_assert_cmpint(tn_replay_find_smallest(log, &params, NULL, NULL).limit, ==, 2 * MIB);
  params.model = &tn_allocator_first_fit;
  g_assert_cmpint(tn_replay_find_smallest(log, &params, NULL, NULL).limit, ==, 1 * MIB);
}

/* Requests of 1 EiB on a device of 8: regions that double stay within 64 bits, until nothing is left. */
static void
test_bfc_largest(void)
{
  uint32_t ooms;
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 64);
  for (int i = 0; i < 9; i++)
    log_fail(document, (tn_bytes)1 << 60);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  for (guint i = 0; i < log->ops->len; i++) /* no study has lives of so much: held all the same */
    g_array_index(log->ops, TnReplayOp, i).action = TN_REPLAY_TAKE;
  TnReplayParams params = {.model = &tn_allocator_bfc, .settings = log->recorded, .limit = INT64_MAX};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpuint(result->ooms->len, >, 0);
  g_assert_cmpint(result->reserved_peak, >=, result->allocated_peak);
  /* A device too small for one grain of an allocator that takes all of it at once. */
  params.limit = 100;
  params.settings.allow_growth = false;
  g_autoptr(TnReplayResult) none = tn_replay_run(log, &params, NULL);
  ooms = none->ooms->len;
  g_assert_cmpuint(ooms, ==, 10);
  g_assert_cmpint(none->reserved_peak, ==, 0);
}

/* A rounding that is the largest number: each free block may serve, as it may with a large one. */
static void
test_largest_rounding(void)
{
  for (int i = 0; i < 2; i++) {
    g_autoptr(TnDocument) document = log_new();
    uint64_t a = log_take(document, 40 * MIB);
    log_free(document, a, 40 * MIB);
    log_take(document, 30 * MIB);
    g_autoptr(TnStudy) study = log_study(document);
    g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
    TnReplayParams params = {.model = &tn_allocator_caching, .settings = log->recorded};
    params.settings.max_split_size = 21 * MIB;
    params.settings.max_non_split_rounding = i ? INT64_MAX : 20 * MIB;
    g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
    g_assert_cmpint(result->reserved_peak, ==, 40 * MIB);
  }
}

/* A block of stream 0 is free; the same size on a stream of a high number does not get it. */
static void
test_many_streams(void)
{
  g_autoptr(TnDocument) document = log_new();
  TnDevice *device = tn_document_device(document, 0);
  uint64_t a = log_take(document, 3 * MIB);
  log_free(document, a, 3 * MIB);
  for (uint64_t stream = 1; stream <= 65536; stream++)
    tn_device_space(device, stream, 0, 0);
  log_take(document, 3 * MIB);
  device->events.space[device->events.n - 1] = 32768;
  g_assert_cmpint(peak_with(document, &tn_allocator_caching, 0, NULL), ==, 40 * MIB);
}

/* A plan's arena is held from the first event to the last. */
static void
test_static_curve(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint64_t a = log_take(document, 3 * MIB);
  log_free(document, a, 3 * MIB);
  log_take(document, 2 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_static, .settings = log->recorded,
                           .with_curve = true};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_nonnull(result->curve);
  g_assert_cmpint(result->curve->peak, ==, 3 * MIB);
  g_assert_cmpint(tn_curve_at(result->curve, 0), ==, 3 * MIB);
  g_assert_cmpint(tn_curve_at(result->curve, study->axis_end - 1), ==, 3 * MIB);
  g_assert_cmpint(result->curve->end, ==, study->axis_end);
}

/* The request that failed is part of what a plan has to place, and what came after it is not. */
static void
test_static_failed(void)
{
  g_autoptr(TnDocument) document = log_new();
  log_take(document, 3 * MIB);
  log_mark(document, TN_MARK_OOM, tn_document_device(document, 0)->events.n, 8 * MIB, 0);
  log_add(document, TN_EVENT_OOM, 0, 8 * MIB);
  log_take(document, 20 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_static, .settings = log->recorded,
                           .limit = 10 * MIB, .stop_after_failed = true};
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, NULL);
  g_assert_cmpint(result->reserved_peak, ==, 11 * MIB);
  g_assert_cmpint(result->allocated_peak, ==, 11 * MIB);
  g_assert_cmpuint(result->ooms->len, ==, 1);
  g_assert_cmpint(tn_replay_find_smallest(log, &params, NULL, NULL).limit, ==, 11 * MIB);
}

/* GE's pool: 4 and 2 MiB are taken and given back, and 7 fit into neither.  Without a threshold they come
 * on top, in 4 huge pages of 2 MiB; with one of 8 MiB what is free goes back to the device first. */
static void
test_scalable_threshold(void)
{
  uint32_t ooms;
  g_autoptr(TnDocument) document = log_new();
  uint64_t a = log_take(document, 4 * MIB), b = log_take(document, 2 * MIB);
  log_free(document, a, 4 * MIB);
  log_free(document, b, 2 * MIB);
  log_take(document, 7 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_scalable, .settings = log->recorded};
  g_autoptr(TnReplayResult) free_of_it = tn_replay_run(log, &params, NULL);
  params.settings.memory_pool_threshold = 8 * MIB;
  g_autoptr(TnReplayResult) held = tn_replay_run(log, &params, NULL);
  params.settings.memory_pool_threshold = 6 * MIB;
  g_autoptr(TnReplayResult) refused = tn_replay_run(log, &params, NULL);
  g_assert_cmpint(free_of_it->reserved_peak, ==, 14 * MIB);
  g_assert_cmpint(held->reserved_peak, ==, 8 * MIB);
  g_assert_cmpuint(held->ooms->len, ==, 0);
  g_assert_cmpuint(refused->ooms->len, ==, 1); /* no request may be larger than the threshold */
  /* On a device of 10 MiB it is 9.5 MiB, without being set. */
  peak_with(document, &tn_allocator_scalable, 10 * MIB, &ooms);
  g_assert_cmpuint(ooms, ==, 0);
}

/* A free page that can't go back, since its span is split: above the threshold there is no more for
 * others; with nothing free there is. */
static void
test_scalable_split_span(void)
{
  g_autoptr(TnDocument) document = log_new();
  uint64_t a = log_take(document, 1 * MIB);
  log_take(document, 1 * MIB);
  log_free(document, a, 1 * MIB);
  log_take(document, 3 * MIB);
  g_autoptr(TnStudy) study = log_study(document);
  g_autoptr(TnReplayLog) log = tn_replay_log_new(study);
  TnReplayParams params = {.model = &tn_allocator_scalable, .settings = log->recorded};
  params.settings.memory_pool_threshold = 5 * MIB;
  g_autoptr(TnReplayResult) refused = tn_replay_run(log, &params, NULL);
  g_assert_cmpuint(refused->ooms->len, ==, 1);
  g_autoptr(TnDocument) full = log_new();
  log_take(full, 2 * MIB);
  log_take(full, 4 * MIB);
  g_autoptr(TnStudy) of_full = log_study(full);
  g_autoptr(TnReplayLog) full_log = tn_replay_log_new(of_full);
  g_autoptr(TnReplayResult) given = tn_replay_run(full_log, &params, NULL);
  g_assert_cmpuint(given->ooms->len, ==, 0);
  g_assert_cmpint(given->reserved_peak, ==, 6 * MIB);
}

static void
test_models_on_sample(void)
{
  g_autoptr(TnDocument) document = log_load_sample("transformer-oom.pickle");
  for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++)
    g_test_message("%s: %" G_GINT64_FORMAT, (*model)->name, peak_with(document, *model, 0, NULL));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay/free-set", test_free_set);
  g_test_add_func("/replay/rounding", test_rounding);
  g_test_add_func("/replay/settings", test_settings);
  g_test_add_func("/replay/lost-alloc", test_lost_alloc);
  g_test_add_func("/replay/sample", test_sample);
  g_test_add_func("/replay/before-recording", test_before_recording);
  g_test_add_func("/replay/shared", test_shared);
  g_test_add_func("/replay/invariants", test_invariants);
  g_test_add_func("/replay/contradictions", test_contradictions);
  g_test_add_func("/replay/only-expandable", test_only_expandable);
  g_test_add_func("/replay/larger-than-a-range", test_larger_than_a_range);
  g_test_add_func("/replay/only-split-limit", test_only_split_limit);
  g_test_add_func("/replay/refused-unseen", test_refused_unseen);
  g_test_add_func("/replay/nothing-fails", test_nothing_fails);
  g_test_add_func("/replay/limit-of-first-oom", test_limit_of_first_oom);
  g_test_add_func("/replay/no-setting-twice", test_no_setting_twice);
  g_test_add_func("/replay/sentence-without-plan", test_sentence_without_plan);
  g_test_add_func("/replay/nothing-helps", test_nothing_helps);
  g_test_add_func("/replay/models-by-hand", test_models_by_hand);
  g_test_add_func("/replay/smallest-of-little", test_smallest_of_little);
  g_test_add_func("/replay/bfc-at-limit", test_bfc_at_limit);
  g_test_add_func("/replay/collects-all-old", test_collects_all_old);
  g_test_add_func("/replay/one-age-of-streams", test_one_age_of_streams);
  g_test_add_func("/replay/bfc-largest", test_bfc_largest);
  g_test_add_func("/replay/largest-rounding", test_largest_rounding);
  g_test_add_func("/replay/many-streams", test_many_streams);
  g_test_add_func("/replay/static-curve", test_static_curve);
  g_test_add_func("/replay/static-failed", test_static_failed);
  g_test_add_func("/replay/scalable-threshold", test_scalable_threshold);
  g_test_add_func("/replay/scalable-split-span", test_scalable_split_span);
  g_test_add_func("/replay/models-on-sample", test_models_on_sample);
  return g_test_run();
}
