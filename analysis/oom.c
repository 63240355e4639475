/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/oom.h"

#include "analysis/oom-private.h"

#include <stdlib.h>
#include <string.h>

#define MIB ((tn_bytes)1 << 20)

/* formats/pytorch.md 1.9: what a request of this size takes from the device. */
static tn_bytes
segment_for(const TnDevice *device, tn_bytes rounded)
{
  tn_bytes whole;
  if (device->granularity != 512)
    return rounded;
  if (rounded <= MIB)
    return 2 * MIB;
  if (rounded < 10 * MIB)
    return 20 * MIB;
  return tn_round_up(rounded, 2 * MIB, &whole) ? whole : rounded;
}

uint32_t
tn_oom_find_mark(const TnDevice *device, uint32_t k)
{
  for (guint i = 0; i < device->marks->len; i++)
    if (g_array_index(device->marks, TnMark, i).kind == TN_MARK_OOM && k-- == 0)
      return i;
  return TN_NONE;
}

uint32_t
tn_oom_count(const TnDevice *device)
{
  return tn_device_count_marks(device, TN_MARK_OOM);
}

GArray *
tn_oom_find_told(const TnDevice *device)
{
  GArray *told = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t n = tn_oom_count(device), k = 0;
  for (guint i = 0; i < device->marks->len; i++) {
    if (g_array_index(device->marks, TnMark, i).kind != TN_MARK_OOM)
      continue;
    if (n <= TN_OOM_MOST_TOLD || k < TN_OOM_MOST_TOLD / 2 || k >= n - TN_OOM_MOST_TOLD / 2)
      g_array_append_val(told, i);
    k++;
  }
  return told;
}

/* ---- which holes --------------------------------------------------------------------------- */

tn_bytes
tn_oom_granule(bool is_small)
{
  return is_small ? 2 * MIB : 20 * MIB;
}

static void
sum_holes(TnOom *oom)
{
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  bool could_do = tn_add_saturated(oom->holes->free_bytes, device_free) >= oom->segment_bytes;
  g_autofree tn_bytes *whole = could_do ? tn_oom_sum_whole(oom->holes) : NULL;
  for (guint i = 0; i < oom->holes->groups->len; i++) {
    const TnHoleGroup *group = &g_array_index(oom->holes->groups, TnHoleGroup, i);
    if (group->space == oom->space && group->is_small == oom->is_small) {
      oom->usable_free = group->free_bytes;
      oom->usable_largest = group->largest_hole;
      oom->usable_n = group->n_holes;
      oom->usable_whole = could_do ? whole[i] : 0;
    } else {
      oom->other_free += group->free_bytes;
      oom->other_largest = MAX(oom->other_largest, group->largest_hole);
      oom->other_whole += could_do ? whole[i] : 0;
    }
  }
}

/* Whether the segments that the request may use grow as it ran. */
static bool
has_growing(const TnOom *oom)
{
  for (guint i = 0; i < oom->holes->segments->len; i++) {
    const TnSegmentState *segment = tn_holes_segment(oom->holes, i);
    if (segment->is_expandable && segment->space == oom->space &&
        segment->is_small == oom->is_small)
      return true;
  }
  return false;
}

/* What the device would have for the allocator if nobody else were there. */
static tn_bytes
room_without_others(const TnOom *oom)
{
  return tn_ledger_sum(oom->account, TN_LEDGER_OUTSIDE) + MAX(oom->device_free, (tn_bytes)0);
}

/* Whether so many free bytes would serve the request if they lay in one place: in a segment that is
 * there, which may grow by what the device has, or, as far as they are `whole` ones that are given
 * back, with that. */
static bool
would_do(const TnOom *oom, tn_bytes free_bytes, tn_bytes whole)
{
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  tn_bytes grown = oom->granule > 0 ? device_free / oom->granule * oom->granule : 0;
  return tn_add_saturated(free_bytes, grown) >= oom->requested ||
         tn_add_saturated(whole, device_free) >= oom->segment_bytes;
}

static TnOomVerdict
judge(const TnOom *oom)
{
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  if (oom->usable_largest >= oom->requested || device_free >= oom->segment_bytes)
    return TN_OOM_UNEXPLAINED;
  if (oom->other_largest >= oom->requested)
    return TN_OOM_POOL_BOUND;
  if (would_do(oom, oom->usable_free, oom->usable_whole))
    return TN_OOM_FRAGMENTATION;
  if (oom->other_free > oom->usable_free &&
      would_do(oom, tn_add_saturated(oom->usable_free, oom->other_free),
               tn_add_saturated(oom->usable_whole, oom->other_whole)))
    return TN_OOM_POOL_BOUND;
  if (oom->account->source == TN_TOTAL_GIVEN && room_without_others(oom) >= oom->segment_bytes)
    return TN_OOM_OTHERS;
  return TN_OOM_CAPACITY;
}

/* ---- what was alive ------------------------------------------------------------------------ */

static int
compare_sites(const void *a, const void *b)
{
  const TnOomSite *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->site > y->site) - (x->site < y->site);
}

static void
find_since(TnOom *oom, const TnDevice *device)
{
  for (guint i = 0; i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    if (mark->kind == TN_MARK_ITERATION && mark->tick <= oom->tick) {
      oom->since = mark->tick;
      oom->has_iteration = true;
    }
  }
}

static void
add_to_site(TnOomSite *row, const TnBuffers *b, uint32_t buffer)
{
  if (row->n == 0 || b->bytes[buffer] > b->bytes[row->largest])
    row->largest = buffer;
  row->n++;
  row->bytes += b->bytes[buffer];
  row->growth += b->bytes[buffer];
}

/* The key of a buffer: its call site, or its module. */
typedef uint32_t (*KeyOf)(const TnOom *oom, const TnBuffers *b, uint32_t buffer);

static uint32_t
site_of(const TnOom *oom, const TnBuffers *b, uint32_t buffer)
{
  return tn_call_sites_of(oom->sites, tn_buffers_stack(b, buffer));
}

static uint32_t
module_of(const TnOom *oom, const TnBuffers *b, uint32_t buffer)
{
  uint32_t module = oom->modules->module[buffer];
  return module == 0 && b->kind[buffer] == TN_KIND_BEFORE ? oom->modules->n : module;
}

/* Of what is alive: rows (TnOomSite) by one of `n` keys, and how each grew. */
static GArray *
group_live(const TnOom *oom, const TnStudy *study, KeyOf key_of, uint32_t n)
{
  const TnBuffers *b = study->buffers;
  GArray *live = g_array_new(FALSE, TRUE, sizeof(TnOomSite));
  g_autofree TnOomSite *rows = g_new0(TnOomSite, n);
  for (guint i = 0; i < oom->holes->blocks->len; i++) {
    uint32_t buffer = tn_holes_block(oom->holes, i)->buffer;
    add_to_site(&rows[key_of(oom, b, buffer)], b, buffer);
  }
  for (uint32_t i = 0; i < b->n && b->start[i] <= oom->since; i++)
    if (b->end[i] > oom->since)
      rows[key_of(oom, b, i)].growth -= b->bytes[i];
  for (uint32_t key = 0; key < n; key++) {
    rows[key].site = key;
    if (rows[key].n)
      g_array_append_val(live, rows[key]);
  }
  if (live->len)
    qsort(live->data, live->len, sizeof(TnOomSite), compare_sites);
  return live;
}

static void
group_all(TnOom *oom, const TnStudy *study)
{
  oom->owned_sites = study->sites ? NULL : tn_call_sites_new(study->document);
  oom->sites = study->sites ? study->sites : oom->owned_sites;
  oom->modules = tn_modules_new(study->document, study->buffers);
  oom->live = group_live(oom, study, site_of, oom->sites->n);
  oom->live_modules = oom->modules->untold ? g_array_new(FALSE, TRUE, sizeof(TnOomSite))
                                           : group_live(oom, study, module_of, oom->modules->n + 1);
}

/* Memory from before has no stack, so that its site is none: what it is says more. */
const char *
tn_oom_site_name(const TnOom *oom, const TnStudy *study, const TnOomSite *row)
{
  bool is_before = row->site == 0 && study->buffers->kind[row->largest] == TN_KIND_BEFORE;
  return is_before ? "before recording" : tn_call_sites_name(oom->sites, row->site);
}

const char *
tn_oom_module_name(const TnOom *oom, const TnOomSite *row)
{
  return row->site == oom->modules->n ? "before recording"
                                      : tn_modules_name(oom->modules, row->site);
}

TnOom *
tn_oom_new(const TnStudy *study, uint32_t mark_row, tn_bytes device_bytes)
{
  const TnDevice *device = study->device;
  const TnMark *mark = &g_array_index(device->marks, TnMark, mark_row);
  TnOom *oom = g_new0(TnOom, 1);
  bool has_event = mark->tick < (tn_tick)device->events.n;
  oom->tick = mark->tick;
  oom->is_report = device->events.n == 0;
  oom->requested = mark->requested;
  oom->device_free = mark->device_free;
  oom->segment_bytes = segment_for(device, mark->requested);
  oom->space = has_event ? device->events.space[mark->tick] : 0;
  oom->stack = has_event ? device->events.stack[mark->tick] : 0;
  oom->holes = tn_holes_new(study, mark->tick);
  oom->is_small = device->granularity == 512 && tn_holes_is_small_request(mark->requested);
  oom->account = tn_ledger_new(study, mark->tick, device_bytes, oom->holes);
  oom->granule = has_growing(oom) ? tn_oom_granule(oom->is_small) : 0;
  sum_holes(oom);
  oom->verdict = judge(oom);
  tn_oom_find_room(oom->holes, oom->space, oom->is_small, oom->requested, TN_FEWEST_BLOCKS,
                   &oom->room);
  tn_oom_find_room(oom->holes, oom->space, oom->is_small, oom->requested, TN_FEWEST_BYTES,
                   &oom->pins);
  find_since(oom, device);
  group_all(oom, study);
  oom->sentence = tn_oom_dup_sentence(oom);
  oom->cause = tn_oom_dup_cause(oom);
  oom->advice = tn_oom_dup_advice(oom);
  return oom;
}

void
tn_oom_free(TnOom *oom)
{
  if (!oom)
    return;
  tn_holes_free(oom->holes);
  tn_ledger_free(oom->account);
  tn_oom_room_clear(&oom->room);
  tn_oom_room_clear(&oom->pins);
  tn_call_sites_free(oom->owned_sites);
  g_array_unref(oom->live);
  g_array_unref(oom->live_modules);
  tn_modules_free(oom->modules);
  g_free(oom->sentence);
  g_free(oom->cause);
  g_free(oom->advice);
  g_free(oom);
}
