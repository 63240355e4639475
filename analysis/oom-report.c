/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/oom-report.h"

#include "analysis/oom-totals.h"

#include "data/units.h"

#include <string.h>

TnBlockHoles
tn_holes_of_blocks(const TnDevice *device)
{
  TnBlockHoles holes = {0};
  tn_bytes hole = 0;
  for (guint i = 0; i < device->blocks->len; i++) {
    const TnBlock *block = &g_array_index(device->blocks, TnBlock, i);
    const TnBlock *last = i ? block - 1 : NULL;
    bool goes_on = last && last->segment == block->segment &&
                   last->address + (uint64_t)last->bytes == block->address;
    if (block->state != TN_BLOCK_INACTIVE || !goes_on)
      hole = 0;
    if (block->state != TN_BLOCK_INACTIVE)
      continue;
    holes.n += hole == 0;
    hole += block->bytes;
    holes.free += block->bytes;
    holes.largest = MAX(holes.largest, hole);
  }
  return holes;
}

typedef struct {
  char text[48];
} Size;

static Size
size_of(tn_bytes bytes)
{
  Size size = {"an unknown amount"};
  if (bytes >= 0)
    tn_print_bytes(size.text, sizeof size.text, bytes, TN_UNITS_IEC);
  return size;
}

static Size
exact(tn_bytes bytes)
{
  Size size;
  tn_print_bytes(size.text, sizeof size.text, bytes, TN_UNITS_BYTES);
  return size;
}

/* The snapshot is of the moment: who misses what is known to the byte. */
static TnFinding *
explain_blocks(const TnStudy *study, const TnMark *mark, TnFindings *findings)
{
  TnBlockHoles holes = tn_holes_of_blocks(study->device);
  tn_bytes left = MAX(mark->device_free, (tn_bytes)0), room = holes.free + left;
  g_autofree char *why = NULL, *hint = NULL;
  if (room < mark->requested) {
    why = g_strdup_printf("even with all free memory moved together it misses by %s",
                          exact(mark->requested - room).text);
    hint = g_strdup("It is too much memory, not its order: release or shrink what is alive, or the "
                    "request (a smaller batch).");
  } else if (MAX(holes.largest, left) < mark->requested) {
    why = g_strdup_printf("the free memory would suffice, but no hole does: the largest misses by "
                          "%s (fragmentation)",
                          exact(mark->requested - MAX(holes.largest, left)).text);
    hint = g_strdup("Look at the offset map for what stands between the holes; freeing or moving "
                    "that would make room.");
  } else {
    why = g_strdup("a hole large enough exists, but not where this request could use it (another "
                   "pool, stream, or a limit)");
  }
  TnFinding *finding = tn_findings_add(
      findings, "oom", TN_SEVERITY_ERROR,
      "A request for %s (%s) failed: %s was in use, %s free in %u %s, the "
      "largest %s, and %s not "
      "taken from the device yet; %s",
      size_of(mark->requested).text, exact(mark->requested).text, exact(study->live->peak).text,
      exact(holes.free).text, holes.n, tn_plural(holes.n, "hole", "holes"),
      exact(holes.largest).text, size_of(mark->device_free).text, why);
  finding->hint = g_steal_pointer(&hint);
  return finding;
}

static TnFinding *
explain_events(const TnStudy *study, const TnMark *mark, TnFindings *findings)
{
  tn_bytes alive = tn_curve_at(study->live, mark->tick);
  tn_bytes held = study->reserved ? tn_curve_at(study->reserved, mark->tick) : -1;
  TnFinding *finding = tn_findings_add(
      findings, "oom", TN_SEVERITY_ERROR,
      "A request for %s failed at event %" G_GINT64_FORMAT ": %s was alive, %s reserved, and the "
      "device had %s free",
      size_of(mark->requested).text, mark->tick, size_of(alive).text,
      size_of(MAX(held, alive)).text, size_of(mark->device_free).text);
  if (held > alive && held - alive >= mark->requested)
    finding->hint = g_strdup("The allocator held enough free memory, but not in one place that "
                             "this request could use: look at the offset map at this event.");
  else
    finding->hint = g_strdup("The memory that was alive, and the request, were more than there "
                             "is: look at what is alive at this event.");
  return finding;
}

void
tn_find_reported_ooms(const TnStudy *study, TnFindings *findings)
{
  const TnDevice *device = study->device;
  for (guint i = 0; i < device->marks->len; i++) {
    const TnMark *mark = &g_array_index(device->marks, TnMark, i);
    if (mark->kind != TN_MARK_OOM)
      continue;
    TnFinding *finding = device->events.n || (device->buffers && device->buffers->n)
                             ? explain_events(study, mark, findings)
                         : device->blocks->len ? explain_blocks(study, mark, findings)
                                               : tn_explain_totals(study, mark, findings);
    finding->at = mark->tick;
    finding->bytes = mark->requested;
  }
}
