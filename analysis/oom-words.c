/* SPDX-License-Identifier: MIT */
/* The verdict of a failed request in words. */
#include "config.h"

#include "analysis/oom-private.h"
#include "data/units.h"

#define SIZE 48

static const char *
print(char *buffer, tn_bytes bytes)
{
  return tn_print_bytes(buffer, SIZE, bytes, TN_UNITS_IEC);
}

const char *
tn_oom_verdict_name(TnOomVerdict verdict)
{
  static const char *const names[] = {"fragmentation", "capacity", "pool or stream bound",
                                      "others on the device", "unexplained"};
  return names[verdict];
}

/* "159.0 MiB of them were not in use, in 56 gaps, the largest 21.0 MiB" */
static void
append_gaps(GString *text, const TnHoles *holes)
{
  char sum[SIZE], largest[SIZE], rests[SIZE];
  g_string_append_printf(text, "; %s of that not in use, in %u %s, the largest %s",
                         print(sum, holes->free_bytes + holes->rest_bytes),
                         holes->holes->len + holes->n_rests,
                         tn_plural(holes->holes->len + holes->n_rests, "gap", "gaps"),
                         print(largest, holes->largest_hole));
  if (holes->n_rests)
    g_string_append_printf(text, " (%s of it in %u %s too small to be split off)",
                           print(rests, holes->rest_bytes), holes->n_rests,
                           tn_plural(holes->n_rests, "rest", "rests"));
}

char *
tn_oom_dup_sentence(const TnOom *oom)
{
  char wanted[SIZE], reserved[SIZE], left[SIZE], need[SIZE];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "A request for %s failed", print(wanted, oom->requested));
  if (!oom->is_report)
    g_string_append_printf(text, " at event %" G_GINT64_FORMAT, oom->tick);
  if (oom->holes->segments->len) {
    g_string_append_printf(text, ": %s reserved", print(reserved, oom->holes->reserved_bytes));
    append_gaps(text, oom->holes);
  } else {
    g_string_append_printf(text, ": %s alive", print(reserved, oom->holes->outside_bytes));
  }
  if (oom->device_free >= 0)
    g_string_append_printf(text, "; %s free on the device", print(left, oom->device_free));
  if (oom->device_free >= 0 && oom->segment_bytes != oom->requested)
    g_string_append_printf(text, ", %s needed for a new segment",
                           print(need, oom->segment_bytes));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
dup_fragmentation(const TnOom *oom)
{
  char sum[SIZE], largest[SIZE], wanted[SIZE], missing[SIZE];
  g_autofree char *but =
      oom->usable_n == 1
          ? g_strdup("")
          : g_strdup_printf(" but the largest is %s,", print(largest, oom->usable_largest));
  return g_strdup_printf(
      "Fragmentation: %s are free in %u %s that this request may use,%s %s less than the %s asked for",
      print(sum, oom->usable_free), oom->usable_n, tn_plural(oom->usable_n, "hole", "holes"), but,
      print(missing, oom->requested - oom->usable_largest), print(wanted, oom->requested));
}

/* Together the bytes are enough. */
static char *
dup_not_given_back(const TnOom *oom)
{
  char sum[SIZE], device[SIZE], wanted[SIZE], missing[SIZE], whole[SIZE];
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  print(wanted, oom->segment_bytes);
  print(device, device_free);
  print(sum, oom->usable_free);
  print(missing, oom->segment_bytes - device_free - oom->usable_whole);
  print(whole, oom->usable_whole);
  if (oom->usable_whole == 0)
    return g_strdup_printf(
        "Capacity: the device gives and takes back whole segments, %s for this request; it "
        "has %s free, %s less than that, and what is free in the segments it may use (%s) "
        "makes up no whole one",
        wanted, device, missing, sum);
  return g_strdup_printf(
      "Capacity: the device gives and takes back whole segments, %s for this request; it "
      "has %s free, and what is free in the segments it may use (%s) makes up %s of whole "
      "ones, together %s less than that",
      wanted, device, sum, whole, missing);
}

static char *
dup_not_grown(const TnOom *oom)
{
  char sum[SIZE], device[SIZE], wanted[SIZE], missing[SIZE], granule[SIZE], grown[SIZE];
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  tn_bytes whole = device_free / oom->granule * oom->granule;
  return g_strdup_printf(
      "Capacity: segments grow by pieces of %s, of which the device, with %s free, gives %s; with "
      "what is "
      "free in the segments it may use (%s) that is %s less than the %s asked for",
      print(granule, oom->granule), print(device, device_free), print(grown, whole),
      print(sum, oom->usable_free), print(missing, oom->requested - whole - oom->usable_free),
      print(wanted, oom->requested));
}

static char *
dup_capacity(const TnOom *oom)
{
  char sum[SIZE], device[SIZE], wanted[SIZE], missing[SIZE];
  tn_bytes device_free = MAX(oom->device_free, (tn_bytes)0);
  tn_bytes free_bytes = oom->usable_free + device_free;
  if (free_bytes >= oom->requested && oom->granule > 0)
    return dup_not_grown(oom);
  if (free_bytes >= oom->segment_bytes)
    return dup_not_given_back(oom);
  if (free_bytes >= oom->requested)
    return g_strdup_printf("Capacity: the device gives whole segments, %s for this request; what is "
                           "free on it (%s) and in the segments it may use (%s) is %s less than that",
                           print(wanted, oom->segment_bytes), print(device, device_free),
                           print(sum, oom->usable_free),
                           print(missing, oom->segment_bytes - free_bytes));
  return g_strdup_printf("Capacity: even in one place, what is free in the segments it may use (%s) "
                         "and on the device (%s) is %s less than the %s asked for",
                         print(sum, oom->usable_free), print(device, device_free),
                         print(missing, oom->requested - free_bytes),
                         print(wanted, oom->requested));
}

static char *
dup_pool(const TnOom *oom)
{
  char sum[SIZE], largest[SIZE], other[SIZE], wanted[SIZE];
  return g_strdup_printf("Pool bound: %s are free in one hole and %s in all of other pools, streams "
                         "or segment kinds, which can't serve this request for %s; the holes it "
                         "may use reach %s",
                         print(other, oom->other_largest), print(sum, oom->other_free),
                         print(wanted, oom->requested), print(largest, oom->usable_largest));
}

static char *
dup_others(const TnOom *oom)
{
  char outside[SIZE], left[SIZE], need[SIZE];
  return g_strdup_printf("Others on the device: %s of it are neither this allocator's nor free (a "
                         "context, libraries, another process); with %s free the %s needed do not "
                         "fit",
                         print(outside, tn_ledger_sum(oom->account, TN_LEDGER_OUTSIDE)),
                         print(left, MAX(oom->device_free, (tn_bytes)0)),
                         print(need, oom->segment_bytes));
}

static char *
dup_unexplained(const TnOom *oom)
{
  char largest[SIZE], left[SIZE], need[SIZE];
  if (oom->usable_largest >= oom->requested)
    return g_strdup_printf("Unexplained: a hole of %s would have done; a limit that the log does "
                           "not show (a memory fraction, a split limit) must have stood in the way",
                           print(largest, oom->usable_largest));
  return g_strdup_printf("Unexplained: the device had %s free, enough for the new segment of %s; a "
                         "limit that the log does not show (a memory fraction) must have stood in "
                         "the way",
                         print(left, oom->device_free), print(need, oom->segment_bytes));
}

char *
tn_oom_dup_cause(const TnOom *oom)
{
  switch (oom->verdict) {
  case TN_OOM_FRAGMENTATION:
    return dup_fragmentation(oom);
  case TN_OOM_CAPACITY:
    return dup_capacity(oom);
  case TN_OOM_POOL_BOUND:
    return dup_pool(oom);
  case TN_OOM_OTHERS:
    return dup_others(oom);
  default:
    return dup_unexplained(oom);
  }
}

static void
append_room(GString *text, const TnOomRoom *room)
{
  char held[SIZE], hole[SIZE];
  g_string_append_printf(text,
                         "%u buffer%s (%s) at 0x%" G_GINT64_MODIFIER "x would make a hole of %s",
                         room->buffers->len, room->buffers->len == 1 ? "" : "s",
                         print(held, room->block_bytes), room->address,
                         print(hole, room->bytes));
}

static char *
dup_room_advice(const TnOom *oom)
{
  char bytes[SIZE];
  if (oom->room.buffers->len == 0)
    return g_strdup_printf("No segment is as large as %s: only memory from the device could help.",
                           print(bytes, oom->requested));
  g_autoptr(GString) text = g_string_new("Freeing ");
  append_room(text, &oom->room);
  if (oom->pins.block_bytes < oom->room.block_bytes) {
    g_string_append(text, "; with the fewest bytes, ");
    append_room(text, &oom->pins);
  }
  g_string_append_c(text, '.');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
tn_oom_dup_advice(const TnOom *oom)
{
  g_autofree char *room = dup_room_advice(oom);
  switch (oom->verdict) {
  case TN_OOM_FRAGMENTATION:
    return g_strconcat(room,
                       oom->granule > 0
                           ? " Segments grow already (expandable_segments:True): fewer sizes, or "
                             "freeing in the order opposite to allocating, leaves fewer holes."
                           : " Growing segments (expandable_segments:True) or a split limit may "
                             "keep holes together: `tenure-cli replay --suggest` tries them.",
                       NULL);
  case TN_OOM_CAPACITY:
    return g_strdup("Look at what is alive by call site: less of it must be alive at once "
                    "(a smaller batch, recomputing, freeing earlier), or the device be larger.");
  case TN_OOM_POOL_BOUND:
    return g_strconcat("Use the same stream or pool for both, or empty the other one's cache "
                       "before this request. ", room, NULL);
  case TN_OOM_OTHERS:
    return g_strdup("Look for other processes on the device, and for memory that libraries took.");
  default:
    return g_strdup("Look at the allocator's settings: a memory fraction or max_split_size_mb.");
  }
}
