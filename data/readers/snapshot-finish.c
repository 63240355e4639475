/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/error.h"
#include "data/readers/snapshot-private.h"

#include <string.h>

static int
compare_marks(gconstpointer a, gconstpointer b)
{
  const TnMark *x = a, *y = b;
  return x->tick < y->tick ? -1 : x->tick > y->tick ? 1 : (int)x->kind - (int)y->kind;
}

/* The first event at or after this time.  Times of a trace only grow. */
static tn_tick
tick_at(const TnEvents *events, int64_t time_us)
{
  uint32_t low = 0, high = events->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (events->time_us[middle] < time_us)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* "ProfilerStep#12", "## step 3 ##", "iteration 7": a stretch that repeats once a training step. */
static bool
is_iteration(const char *text)
{
  static const char *const words[] = {"profilerstep", "iteration", "step ", "step_", "step#",
                                      "iter ", "iter_"};
  g_autofree char *lower = g_ascii_strdown(text, -1);
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    const char *at = strstr(lower, words[i]);
    if (at && strpbrk(at, "0123456789"))
      return true;
  }
  return false;
}

static TnDevice *
device_of(TnSnapshot *snapshot, int64_t ordinal)
{
  if (ordinal >= 0 && ordinal < snapshot->traces->len)
    return g_ptr_array_index(snapshot->traces, ordinal);
  return NULL;
}

static void
add_annotation(TnSnapshot *snapshot, const TnRawAnnotation *from, int64_t end_us, bool is_step)
{
  TnDevice *device = device_of(snapshot, from->device);
  if (!device || device->events.n == 0)
    return;
  TnMark mark = {.tick = tick_at(&device->events, from->time_us),
                 .end = tick_at(&device->events, end_us),
                 .text = from->name,
                 .kind = is_step ? TN_MARK_ITERATION : TN_MARK_ANNOTATION};
  g_array_append_val(device->marks, mark);
}

/* The stretches of one name. */
typedef struct {
  GArray *starts; /* guint: rows of annotations that have no end yet */
  bool is_step;
} Stretches;

static void
free_stretches(gpointer data)
{
  Stretches *stretches = data;
  g_array_unref(stretches->starts);
  g_free(stretches);
}

static Stretches *
stretches_of(TnSnapshot *snapshot, GHashTable *open, uint32_t name)
{
  Stretches *had = g_hash_table_lookup(open, GUINT_TO_POINTER(name));
  if (had)
    return had;
  Stretches *made = g_new(Stretches, 1);
  made->starts = g_array_new(FALSE, FALSE, sizeof(guint));
  made->is_step = is_iteration(tn_strings_get(snapshot->document->strings, name));
  g_hash_table_insert(open, GUINT_TO_POINTER(name), made);
  return made;
}

/* Starts and ends pair as a stack for each name: scopes of several threads interleave. */
static void
pair_annotations(TnSnapshot *snapshot)
{
  g_autoptr(GHashTable) open =
      g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_stretches);
  for (guint i = 0; i < snapshot->annotations->len; i++) {
    const TnRawAnnotation *raw = &g_array_index(snapshot->annotations, TnRawAnnotation, i);
    Stretches *stretches = stretches_of(snapshot, open, raw->name);
    GArray *starts = stretches->starts;
    if (!raw->is_end) {
      g_array_append_val(starts, i);
    } else if (starts->len) {
      guint start = g_array_index(starts, guint, starts->len - 1);
      g_array_set_size(starts, starts->len - 1);
      add_annotation(snapshot, &g_array_index(snapshot->annotations, TnRawAnnotation, start),
                     raw->time_us, stretches->is_step);
    }
  }
}

static void
add_event_marks(TnDevice *device)
{
  const TnEvents *events = &device->events;
  for (uint32_t i = 0; i < events->n; i++) {
    if (events->action[i] != TN_EVENT_OOM && events->action[i] != TN_EVENT_SNAPSHOT)
      continue;
    bool is_oom = events->action[i] == TN_EVENT_OOM;
    TnMark mark = {.tick = i,
                   .end = i,
                   .kind = is_oom ? TN_MARK_OOM : TN_MARK_SNAPSHOT,
                   .requested = is_oom ? events->bytes[i] : 0,
                   .device_free = is_oom ? (tn_bytes)events->address[i] : 0};
    g_array_append_val(device->marks, mark);
  }
}

/* Older versions give a block no address: it follows the one before. */
static void
place_blocks(TnSnapshot *snapshot)
{
  uint32_t segment = TN_NONE;
  uint64_t next = 0;
  for (guint i = 0; i < snapshot->blocks->len; i++) {
    TnRawBlock *block = &g_array_index(snapshot->blocks, TnRawBlock, i);
    if (block->segment != segment) {
      segment = block->segment;
      next = g_array_index(snapshot->segments, TnRawSegment, segment).segment.address;
    }
    if (!block->has_address)
      block->address = next;
    next = block->address + (uint64_t)block->bytes;
  }
}

static void
hand_over_segments(TnSnapshot *snapshot)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint i = 0; i < snapshot->segments->len; i++) {
    TnRawSegment *raw = &g_array_index(snapshot->segments, TnRawSegment, i);
    TnDevice *device = tn_document_device(snapshot->document, raw->device);
    raw->segment.space = tn_device_space(device, raw->stream, raw->pool[0], raw->pool[1]);
    uint32_t row = device->segments->len;
    g_array_append_val(rows, row);
    g_array_append_val(device->segments, raw->segment);
  }
  for (guint i = 0; i < snapshot->blocks->len; i++) {
    const TnRawBlock *raw = &g_array_index(snapshot->blocks, TnRawBlock, i);
    int32_t ordinal = g_array_index(snapshot->segments, TnRawSegment, raw->segment).device;
    /* The requested size of an inactive block is a former tenant's. */
    bool is_active = raw->state != TN_BLOCK_INACTIVE;
    TnBlock block = {.address = raw->address,
                     .bytes = raw->bytes,
                     .requested = is_active ? raw->requested : TN_BYTES_UNKNOWN,
                     .segment = g_array_index(rows, uint32_t, raw->segment),
                     .stack = raw->stack,
                     .state = raw->state};
    g_array_append_val(tn_document_device(snapshot->document, ordinal)->blocks, block);
  }
  g_array_unref(rows);
}

/* What may be half read: the last event, the last block (its segment stays). */
static void
drop_half_read(TnSnapshot *snapshot)
{
  if (snapshot->trace && snapshot->trace->events.n > 0)
    snapshot->trace->events.n--;
  snapshot->event_row = TN_NONE;
  if (snapshot->blocks->len > 0)
    g_array_set_size(snapshot->blocks, snapshot->blocks->len - 1);
}

static bool
is_snapshot(TnSnapshot *snapshot, const char *name, GError **error)
{
  /* A bare list is taken for segments only where its items look like it (or there are none). */
  if (!snapshot->is_dict && snapshot->has_segments && !snapshot->has_true_segment &&
      (snapshot->segments->len > 0 || snapshot->has_stranger)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: holds no memory snapshot: found a list without a segment in it (a dict with "
                "'total_size' and 'blocks'); expected what torch.cuda.memory._dump_snapshot() "
                "writes",
                name);
    return false;
  }
  if (snapshot->has_segments || snapshot->has_traces)
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
              "%s: holds no memory snapshot: found neither 'segments' nor 'device_traces' at its "
              "top; expected what torch.cuda.memory._dump_snapshot() writes",
              name);
  return false;
}

bool
tn_snapshot_finish(TnSnapshot *snapshot, const char *name, bool is_cut, GError **error)
{
  if (is_cut)
    drop_half_read(snapshot);
  tn_snapshot_end_event(snapshot);
  if (!is_snapshot(snapshot, name, error))
    return false;
  TnDocument *document = snapshot->document;
  document->kind = TN_DOCUMENT_LOG;
  document->producer = g_strdup("PyTorch");
  place_blocks(snapshot);
  hand_over_segments(snapshot);
  for (guint i = 0; i < document->devices->len; i++) {
    TnDevice *device = g_ptr_array_index(document->devices, i);
    device->axis = TN_AXIS_EVENT;
    device->axis_end = device->events.n;
    device->granularity = 512;
    device->has_reserved = snapshot->has_segments && !is_cut;
    add_event_marks(device);
  }
  pair_annotations(snapshot);
  for (guint i = 0; i < document->devices->len; i++)
    g_array_sort(tn_document_get_device(document, i)->marks, compare_marks);
  return true;
}
