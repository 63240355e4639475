/* SPDX-License-Identifier: MIT */
/* make-samples DIRECTORY: writes the samples that the project makes itself, the same bytes each
 * time.  They are committed; run this after a change of it, and look at what changed. */
#include "config.h"

#include "data/samples/graphs.h"
#include "data/samples/pickle-writer.h"
#include "data/samples/plans.h"
#include "data/samples/training.h"

#include <stdio.h>
#include <string.h>

/* ---- the snapshot ---------------------------------------------------------------------- */

typedef struct {
  const Training *run;
  PickleWriter writer;
  uint32_t *stack_memo; /* + 1 */
  uint32_t *frame_memo; /* + 1 */
} Snapshot;

static void
put_key(Snapshot *snapshot, PickleFill *dict, const char *key)
{
  pickle_before(&snapshot->writer, dict);
  pickle_string(&snapshot->writer, key);
}

static void
put_string(Snapshot *snapshot, PickleFill *dict, const char *key, const char *text)
{
  put_key(snapshot, dict, key);
  pickle_string(&snapshot->writer, text);
  pickle_after(&snapshot->writer, dict);
}

static void
put_int(Snapshot *snapshot, PickleFill *dict, const char *key, int64_t value)
{
  put_key(snapshot, dict, key);
  pickle_int(&snapshot->writer, value);
  pickle_after(&snapshot->writer, dict);
}

static void
put_bool(Snapshot *snapshot, PickleFill *dict, const char *key, bool value)
{
  put_key(snapshot, dict, key);
  pickle_bool(&snapshot->writer, value);
  pickle_after(&snapshot->writer, dict);
}

static void
put_frame(Snapshot *snapshot, uint32_t id)
{
  const CallFrame *frame = &g_array_index(snapshot->run->calls.frames, CallFrame, id);
  if (snapshot->frame_memo[id]) {
    pickle_get(&snapshot->writer, snapshot->frame_memo[id] - 1);
    return;
  }
  PickleFill dict = pickle_dict(&snapshot->writer, 3);
  snapshot->frame_memo[id] = pickle_last_memo(&snapshot->writer) + 1;
  put_string(snapshot, &dict, "name", frame->name);
  put_string(snapshot, &dict, "filename", frame->file);
  put_int(snapshot, &dict, "line", frame->line);
}

static void
put_frames(Snapshot *snapshot, PickleFill *dict, uint32_t stack)
{
  const GArray *frames = g_ptr_array_index(snapshot->run->calls.stacks, stack);
  put_key(snapshot, dict, "frames");
  if (stack && snapshot->stack_memo[stack]) {
    pickle_get(&snapshot->writer, snapshot->stack_memo[stack] - 1);
  } else {
    PickleFill list = pickle_list(&snapshot->writer, frames->len);
    snapshot->stack_memo[stack] = pickle_last_memo(&snapshot->writer) + 1;
    for (guint i = 0; i < frames->len; i++) {
      pickle_before(&snapshot->writer, &list);
      put_frame(snapshot, g_array_index(frames, uint32_t, i));
      pickle_after(&snapshot->writer, &list);
    }
  }
  pickle_after(&snapshot->writer, dict);
}

static void
put_block(Snapshot *snapshot, const Block *block)
{
  PickleFill dict = pickle_dict(&snapshot->writer, 5);
  put_int(snapshot, &dict, "address", block->address);
  put_int(snapshot, &dict, "size", block->size);
  put_int(snapshot, &dict, "requested_size", block->requested);
  put_string(snapshot, &dict, "state", block->is_active ? "active_allocated" : "inactive");
  put_frames(snapshot, &dict, block->stack);
}

static void
put_segment_sums(Snapshot *snapshot, PickleFill *dict, const Segment *segment)
{
  int64_t allocated = 0, requested = 0;
  for (const Block *block = segment->first; block; block = block->after) {
    allocated += block->is_active ? block->size : 0;
    requested += block->is_active ? block->requested : 0;
  }
  put_int(snapshot, dict, "total_size", segment->total);
  put_int(snapshot, dict, "allocated_size", allocated);
  put_int(snapshot, dict, "active_size", allocated);
  put_int(snapshot, dict, "requested_size", requested);
}

static void
put_blocks(Snapshot *snapshot, PickleFill *dict, const Segment *segment)
{
  uint32_t n = 0;
  for (const Block *block = segment->first; block; block = block->after)
    n++;
  put_key(snapshot, dict, "blocks");
  PickleFill list = pickle_list(&snapshot->writer, n);
  for (const Block *block = segment->first; block; block = block->after) {
    pickle_before(&snapshot->writer, &list);
    put_block(snapshot, block);
    pickle_after(&snapshot->writer, &list);
  }
  pickle_after(&snapshot->writer, dict);
}

static void
put_segment(Snapshot *snapshot, const Segment *segment)
{
  PickleFill dict = pickle_dict(&snapshot->writer, 12);
  put_int(snapshot, &dict, "device", 0);
  put_int(snapshot, &dict, "address", segment->address);
  put_segment_sums(snapshot, &dict, segment);
  put_int(snapshot, &dict, "stream", 0);
  put_string(snapshot, &dict, "segment_type", segment->is_small ? "small" : "large");
  put_key(snapshot, &dict, "segment_pool_id");
  pickle_int_pair(&snapshot->writer, 0, 0);
  pickle_after(&snapshot->writer, &dict);
  put_bool(snapshot, &dict, "is_expandable", false);
  put_frames(snapshot, &dict, segment->stack);
  put_blocks(snapshot, &dict, segment);
}

static void
put_event(Snapshot *snapshot, const Event *event)
{
  bool is_oom = g_str_equal(event->action, "oom");
  PickleFill dict = pickle_dict(&snapshot->writer, 8);
  put_string(snapshot, &dict, "action", event->action);
  put_int(snapshot, &dict, is_oom ? "device_free" : "addr", event->address);
  put_int(snapshot, &dict, "size", event->size);
  put_int(snapshot, &dict, "stream", 0);
  put_int(snapshot, &dict, "time_us", event->time_us);
  put_string(snapshot, &dict, "compile_context", "N/A");
  put_string(snapshot, &dict, "user_metadata", "");
  put_frames(snapshot, &dict, event->stack);
}

static void
put_traces(Snapshot *snapshot)
{
  const GArray *events = snapshot->run->allocator->events;
  PickleFill traces = pickle_list(&snapshot->writer, 1);
  pickle_before(&snapshot->writer, &traces);
  PickleFill trace = pickle_list(&snapshot->writer, events->len);
  for (guint i = 0; i < events->len; i++) {
    pickle_before(&snapshot->writer, &trace);
    put_event(snapshot, &g_array_index(events, Event, i));
    pickle_after(&snapshot->writer, &trace);
  }
  pickle_after(&snapshot->writer, &traces);
}

static void
put_settings(Snapshot *snapshot)
{
  PickleFill dict = pickle_dict(&snapshot->writer, 9);
  put_string(snapshot, &dict, "PYTORCH_CUDA_ALLOC_CONF", "");
  put_int(snapshot, &dict, "max_split_size", -1);
  put_key(snapshot, &dict, "garbage_collection_threshold");
  pickle_float(&snapshot->writer, 0.0);
  pickle_after(&snapshot->writer, &dict);
  put_bool(snapshot, &dict, "expandable_segments", false);
  put_int(snapshot, &dict, "pinned_num_register_threads", 1);
  put_bool(snapshot, &dict, "release_lock_on_cudamalloc", false);
  put_bool(snapshot, &dict, "pinned_use_cuda_host_register", false);
  put_bool(snapshot, &dict, "graph_capture_record_stream_reuse", false);
  put_key(snapshot, &dict, "roundup_power2_divisions");
  PickleFill divisions = pickle_dict(&snapshot->writer, 16);
  for (int i = 0; i < 16; i++) {
    g_autofree char *mib = g_strdup_printf("%d", 1 << i);
    put_int(snapshot, &divisions, mib, 0);
  }
  pickle_after(&snapshot->writer, &dict);
}

static void
put_annotations(Snapshot *snapshot)
{
  const GArray *annotations = snapshot->run->annotations;
  PickleFill list = pickle_list(&snapshot->writer, annotations->len);
  for (guint i = 0; i < annotations->len; i++) {
    const Annotation *annotation = &g_array_index(annotations, Annotation, i);
    pickle_before(&snapshot->writer, &list);
    PickleFill dict = pickle_dict(&snapshot->writer, 4);
    put_string(snapshot, &dict, "stage", annotation->stage);
    put_string(snapshot, &dict, "name", annotation->name);
    put_int(snapshot, &dict, "device", 0);
    put_int(snapshot, &dict, "time_us", annotation->time_us);
    pickle_after(&snapshot->writer, &list);
  }
}

static void
put_segments(Snapshot *snapshot)
{
  const GPtrArray *segments = snapshot->run->allocator->segments;
  PickleFill list = pickle_list(&snapshot->writer, segments->len);
  for (guint i = 0; i < segments->len; i++) {
    pickle_before(&snapshot->writer, &list);
    put_segment(snapshot, g_ptr_array_index(segments, i));
    pickle_after(&snapshot->writer, &list);
  }
}

static GByteArray *
snapshot_new(const Training *run)
{
  static const struct {
    const char *key;
    void (*put)(Snapshot *snapshot);
  } parts[] = {{"segments", put_segments},
               {"device_traces", put_traces},
               {"allocator_settings", put_settings},
               {"external_annotations", put_annotations}};
  Snapshot snapshot = {.run = run,
                       .stack_memo = g_new0(uint32_t, run->calls.stacks->len),
                       .frame_memo = g_new0(uint32_t, run->calls.frames->len + 1)};
  pickle_begin(&snapshot.writer);
  PickleFill dict = pickle_dict(&snapshot.writer, G_N_ELEMENTS(parts));
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    put_key(&snapshot, &dict, parts[i].key);
    parts[i].put(&snapshot);
    pickle_after(&snapshot.writer, &dict);
  }
  g_free(snapshot.stack_memo);
  g_free(snapshot.frame_memo);
  return pickle_end(&snapshot.writer);
}

/* ---- files ----------------------------------------------------------------------------- */

static bool
write_file(const char *folder, const char *name, const void *data, gsize size)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GError) error = NULL;
  if (g_file_set_contents(path, data, (gssize)size, &error))
    return true;
  fprintf(stderr, "make-samples: %s\n", error->message);
  return false;
}

int
main(int argc, char **argv)
{
  if (argc != 2) {
    fprintf(stderr, "usage: make-samples DIRECTORY\n");
    return 2;
  }
  Training run;
  training_run(&run);
  g_autoptr(GByteArray) pickle = snapshot_new(&run);
  g_autofree char *small = sample_small_plan_new();
  g_autofree char *broken = sample_broken_plan_new();
  g_autofree char *tree = sample_tree_graph_new();
  g_autofree char *branches = sample_branches_graph_new();
  bool is_good = write_file(argv[1], "transformer-oom.pickle", pickle->data, pickle->len) &&
                 write_file(argv[1], "small-plan.csv", small, strlen(small)) &&
                 write_file(argv[1], "broken-plan.json", broken, strlen(broken)) &&
                 write_file(argv[1], "tree-graph.json", tree, strlen(tree)) &&
                 write_file(argv[1], "branches-graph.json", branches, strlen(branches));
  printf("%u events, %u bytes of pickle\n", run.allocator->events->len, pickle->len);
  training_clear(&run);
  return is_good ? 0 : 1;
}
