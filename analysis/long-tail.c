/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/long-tail.h"

#include "analysis/batch-sum.h"
#include "analysis/callsite.h"
#include "analysis/uses.h"
#include "data/units.h"

#include <stdlib.h>
#include <string.h>

/* Large: this part of the live peak.  Long: this part of the axis.  Idle: this part of a life. */
#define LARGE_PART 0.01
#define LONG_PART 0.70
#define IDLE_PART 0.80
#define LEAST_GAP_PART 0.10
#define MOST_CANDIDATES 256

/* ---- the live curve -------------------------------------------------------------------- */

typedef struct {
  tn_tick tick;
  tn_bytes change;
  tn_index owner;
} Step;

typedef struct {
  GArray *steps; /* Step, by tick */
  TnBatchSum *batches; /* NULL: there are none */
  tn_bytes peak;
  tn_tick peak_at;
  uint32_t peak_label; /* the batch that counts there */
} Curve;

static void
add_life(GArray *steps, tn_index owner, tn_tick start, tn_tick end, tn_bytes bytes)
{
  if (start >= end || bytes <= 0)
    return;
  Step up = {start, bytes, owner}, down = {end, -bytes, owner};
  g_array_append_val(steps, up);
  g_array_append_val(steps, down);
}

static int
compare_steps(const void *a, const void *b)
{
  const Step *left = a, *right = b;
  return (left->tick > right->tick) - (left->tick < right->tick);
}

/* A stretch of an owner's life in which what it holds is left out. */
typedef struct {
  tn_tick start, end;
  tn_index owner;
} Cut;

/* Of the batches the one that has most counts. */
static bool
add_step(const Curve *curve, tn_index owner, tn_bytes change, tn_bytes *now)
{
  if (!curve->batches)
    return tn_add(*now, change, now);
  return tn_batch_sum_add(curve->batches, owner, change) && tn_batch_sum_total(curve->batches, now);
}

/* The sum less what the owner of the cut holds. */
static tn_bytes
sum_without(const Curve *curve, tn_index owner, tn_bytes held, tn_bytes now)
{
  tn_bytes less = now, again;
  if (!add_step(curve, owner, -held, &less))
    return now;
  if (curve->batches)
    add_step(curve, owner, held, &again);
  return less;
}

/* The largest sum over all ticks, without the owners marked in `without` and less the cut; both may
 * be NULL.  Notes in `out` (NULL: not) when that is.  -1 where a sum overflows. */
static tn_bytes
peak_of(const Curve *curve, const uint8_t *without, const Cut *cut, Curve *out)
{
  const Step *steps = (const Step *)(void *)curve->steps->data;
  tn_bytes now = 0, held = 0, peak = 0; /* held: by the owner of the cut, of `now` */
  if (curve->batches)
    tn_batch_sum_reset(curve->batches);
  for (guint i = 0; i < curve->steps->len;) {
    tn_tick tick = steps[i].tick;
    for (; i < curve->steps->len && steps[i].tick == tick; i++) {
      held += cut && steps[i].owner == cut->owner ? steps[i].change : 0;
      if ((!without || !without[steps[i].owner]) &&
          !add_step(curve, steps[i].owner, steps[i].change, &now))
        return -1;
    }
    /* The sum holds until the next step; the part of that stretch outside the cut counts whole. */
    tn_tick next = i < curve->steps->len ? steps[i].tick : tick;
    bool is_cut = cut && tick >= cut->start && next <= cut->end && tick < cut->end;
    tn_bytes here = is_cut ? sum_without(curve, cut->owner, held, now) : now;
    if (here > peak) {
      peak = here;
      if (out) {
        out->peak_at = tick;
        out->peak_label = curve->batches ? tn_batch_sum_label(curve->batches) : 0;
      }
    }
  }
  return peak;
}

static Curve
curve_new(const TnBuffers *b)
{
  Curve curve = {.steps = g_array_new(FALSE, FALSE, sizeof(Step)), 
                 .batches = tn_batch_sum_new(b, NULL, b->n)};
  for (tn_index i = 0; i < b->n; i++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(b, i, &n_gaps);
    add_life(curve.steps, i, b->start[i], b->end[i], b->bytes[i]);
    for (uint32_t g = 0; g < n_gaps; g++) {
      tn_bytes held = gaps[g].high - gaps[g].low;
      add_life(curve.steps, i, gaps[g].start, gaps[g].end, held);
      Step down = {gaps[g].start, -b->bytes[i], i}, up = {gaps[g].end, b->bytes[i], i};
      g_array_append_val(curve.steps, down);
      g_array_append_val(curve.steps, up);
    }
  }
  if (curve.steps->len)
    qsort(curve.steps->data, curve.steps->len, sizeof(Step), compare_steps);
  curve.peak = peak_of(&curve, NULL, NULL, &curve);
  return curve;
}

/* Weights and the like. */
static bool
is_resident(const TnBuffers *b, tn_index i)
{
  unsigned whole = TN_BUFFER_BEFORE | TN_BUFFER_TO_END;
  return b->kind[i] == TN_KIND_CONSTANT || b->kind[i] == TN_KIND_VARIABLE ||
         (b->flags[i] & whole) == whole;
}

static double
part_of_axis(const TnDevice *device, const TnBuffers *b, tn_index i)
{
  return (double)(b->end[i] - b->start[i]) / (double)MAX(device->axis_end, (tn_tick)1);
}

/* Whether a life may be too long, at its peak or not: one that neither begins nor ends on the axis says
 * nothing of how short it could be. */
static bool
is_long(const TnDevice *device, const TnBuffers *b, tn_index i)
{
  bool is_whole = b->start[i] <= 0 && b->end[i] >= device->axis_end;
  return part_of_axis(device, b, i) >= LONG_PART && !is_whole && b->bytes[i] > 0 && !is_resident(b, i);
}

static bool
has_long(const TnDevice *device, const TnBuffers *b)
{
  for (tn_index i = 0; i < b->n; i++)
    if (is_long(device, b, i))
      return true;
  return false;
}

static bool
is_in_peak(const TnBuffers *b, tn_index i, const Curve *curve)
{
  return b->start[i] <= curve->peak_at && curve->peak_at < b->end[i] &&
         tn_batch_sum_counts(b, i, curve->peak_label);
}

/* ---- logs and bare plans --------------------------------------------------------------- */

/* Buffers of one call site, or a single buffer. */
typedef struct {
  uint32_t site;   /* 0: none */
  GArray *buffers; /* tn_index */
  tn_bytes bytes, saving;
  double least_part; /* of the axis that the shortest lives */
} Group;

static void
clear_group(gpointer data)
{
  g_array_unref(((Group *)data)->buffers);
}

static void
add_to_group(
    GArray *groups, GHashTable *by_site, const TnBuffers *b, tn_index i, uint32_t site, double part)
{
  gpointer had = site ? g_hash_table_lookup(by_site, GUINT_TO_POINTER(site)) : NULL;
  if (!had) {
    Group fresh = {
        .site = site, .buffers = g_array_new(FALSE, FALSE, sizeof(tn_index)), .least_part = part};
    g_array_append_val(groups, fresh);
    had = GUINT_TO_POINTER(groups->len);
    if (site)
      g_hash_table_insert(by_site, GUINT_TO_POINTER(site), had);
  }
  Group *group = &g_array_index(groups, Group, GPOINTER_TO_UINT(had) - 1);
  g_array_append_val(group->buffers, i);
  group->bytes += b->bytes[i];
  group->least_part = MIN(group->least_part, part);
}

static int
compare_groups(const void *a, const void *b)
{
  const Group *left = a, *right = b;
  if (left->bytes != right->bytes)
    return left->bytes < right->bytes ? 1 : -1;
  tn_index x = g_array_index(left->buffers, tn_index, 0);
  tn_index y = g_array_index(right->buffers, tn_index, 0);
  return (x > y) - (x < y);
}

/* Largest first. */
static GArray *
groups_new(const TnDevice *device, const TnBuffers *b, const TnCallSites *sites, const Curve *curve)
{
  GArray *groups = g_array_new(FALSE, FALSE, sizeof(Group));
  g_autoptr(GHashTable) by_site = g_hash_table_new(NULL, NULL);
  g_array_set_clear_func(groups, clear_group);
  for (tn_index i = 0; i < b->n; i++) {
    if (is_in_peak(b, i, curve) && is_long(device, b, i))
      add_to_group(groups, by_site, b, i, tn_call_sites_of(sites, tn_buffers_stack(b, i)),
                   part_of_axis(device, b, i));
  }
  if (groups->len)
    qsort(groups->data, groups->len, sizeof(Group), compare_groups);
  return groups;
}

static char *
dup_subject(const TnDocument *document,
            const TnCallSites *sites,
            const TnBuffers *b,
            const Group *group)
{
  tn_index first = g_array_index(group->buffers, tn_index, 0);
  uint32_t name = tn_buffers_name(b, first);
  g_autofree char *site = group->site
                              ? g_strconcat(" from ", tn_call_sites_name(sites, group->site), NULL)
                              : g_strdup("");
  if (group->buffers->len > 1)
    return g_strdup_printf("%u buffers%s", group->buffers->len, site);
  if (name)
    return g_strdup_printf("“%s”%s", tn_strings_get(document->strings, name), site);
  return g_strdup_printf("Buffer %u%s", first, site);
}

static void
report_group(const TnDocument *document,
             const TnCallSites *sites,
             const TnBuffers *b,
             const Curve *curve,
             const Group *group,
             TnFindings *findings)
{
  bool is_many = group->buffers->len > 1;
  char bytes[48], saved[48];
  g_autofree char *subject = dup_subject(document, sites, b, group);
  TnFinding *finding = tn_findings_add(
      findings, "long-tail", TN_SEVERITY_WARNING,
      "%s (%s) %s alive at the peak and live%s through at least %.0f %% of %s; "
      "without %s the live peak would be %s lower",
      subject, tn_print_bytes(bytes, sizeof bytes, group->bytes, TN_UNITS_IEC),
      is_many ? "are" : "is", is_many ? "" : "s", (double)(int)(group->least_part * 100.0),
      document->kind == TN_DOCUMENT_LOG ? "the recording" : "the plan", is_many ? "them" : "it",
      tn_print_bytes(saved, sizeof saved, group->saving, TN_UNITS_IEC));
  for (guint k = 0; k < group->buffers->len; k++)
    tn_finding_add_buffer(finding, g_array_index(group->buffers, tn_index, k));
  finding->at = curve->peak_at;
  finding->bytes = group->bytes;
  finding->saving_bytes = group->saving;
  finding->hint = g_strdup("When it was last used is not recorded: look whether anything needs it "
                           "all that time, or could free, move or compute it again.");
}

static void
find_by_life(const TnDocument *document,
             const TnDevice *device,
             const TnBuffers *b,
             const Curve *curve,
             TnFindings *findings)
{
  g_autoptr(TnCallSites) sites = tn_call_sites_new(document);
  g_autoptr(GArray) groups = groups_new(device, b, sites, curve);
  g_autofree uint8_t *without = g_new0(uint8_t, b->n);
  for (guint g = 0; g < MIN(groups->len, (guint)TN_LONG_TAILS_MOST); g++) {
    Group *group = &g_array_index(groups, Group, g);
    if ((double)group->bytes < LARGE_PART * (double)curve->peak)
      break;
    for (guint k = 0; k < group->buffers->len; k++)
      without[g_array_index(group->buffers, tn_index, k)] = 1;
    group->saving = curve->peak - peak_of(curve, without, NULL, NULL);
    for (guint k = 0; k < group->buffers->len; k++)
      without[g_array_index(group->buffers, tn_index, k)] = 0;
    if (group->saving > 0)
      report_group(document, sites, b, curve, group, findings);
  }
}

/* ---- graphs ---------------------------------------------------------------------------- */

typedef struct {
  tn_index buffer;
  tn_bytes bytes, saving;
} Candidate;

static int
compare_by_bytes(const void *a, const void *b)
{
  const Candidate *left = a, *right = b;
  if (left->bytes != right->bytes)
    return left->bytes < right->bytes ? 1 : -1;
  return (left->buffer > right->buffer) - (left->buffer < right->buffer);
}

static int
compare_by_saving(const void *a, const void *b)
{
  const Candidate *left = a, *right = b;
  return left->saving != right->saving ? (left->saving < right->saving ? 1 : -1)
                                       : compare_by_bytes(a, b);
}

/* The reader at the end of the gap needs it again, so only what lies in the gap can be saved. */
static bool
is_idle_at(const TnUse *used, tn_tick tick)
{
  return used->gap_start <= tick && tick < used->gap_end;
}

static bool
is_idle(const TnDevice *device, const TnBuffers *b, tn_index i, const TnUse *used)
{
  tn_tick life = b->end[i] - b->start[i], gap = used->gap_end - used->gap_start;
  return (double)(life - used->busy) >= IDLE_PART * (double)life &&
         (double)gap >= 0.5 * (double)life &&
         (double)gap >= LEAST_GAP_PART * (double)device->axis_end && used->holder != TN_NONE;
}

static GArray *
candidates_new(const TnDevice *device, const TnBuffers *b, const Curve *curve, const TnUse *uses)
{
  GArray *found = g_array_new(FALSE, FALSE, sizeof(Candidate));
  for (tn_index i = 0; i < b->n; i++) {
    Candidate candidate = {i, b->bytes[i], 0};
    if ((double)b->bytes[i] >= LARGE_PART * (double)curve->peak && !is_resident(b, i) &&
        tn_batch_sum_counts(b, i, curve->peak_label) && is_idle_at(&uses[i], curve->peak_at) && is_idle(device, b, i, &uses[i]))
      g_array_append_val(found, candidate);
  }
  if (!found->len)
    return found;
  qsort(found->data, found->len, sizeof(Candidate), compare_by_bytes);
  g_array_set_size(found, MIN(found->len, (guint)MOST_CANDIDATES));
  for (guint k = 0; k < found->len; k++) {
    Candidate *candidate = &g_array_index(found, Candidate, k);
    const TnUse *used = &uses[candidate->buffer];
    Cut cut = {used->gap_start, used->gap_end, candidate->buffer};
    candidate->saving = curve->peak - peak_of(curve, NULL, &cut, NULL);
  }
  qsort(found->data, found->len, sizeof(Candidate), compare_by_saving);
  return found;
}

static void
report_idle(const TnDocument *document,
            const TnBuffers *b,
            const Curve *curve,
            const Candidate *candidate,
            const TnUse *used,
            TnFindings *findings)
{
  tn_index i = candidate->buffer;
  tn_tick life = b->end[i] - b->start[i];
  tn_bytes idle = 0;
  char bytes[48], wasted[48], saved[48];
  bool is_known = tn_mul(b->bytes[i], life - used->busy, &idle);
  const char *name = tn_strings_get(document->strings, tn_buffers_name(b, i));
  TnFinding *finding = tn_findings_add(
      findings, "long-tail", TN_SEVERITY_WARNING,
      "“%s” (%s) is alive at the peak but idle for %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT
      " ticks%s%s%s; op “%s” holds it over its longest gap, ticks [%" G_GINT64_FORMAT
      ", %" G_GINT64_FORMAT ")",
      name, tn_print_bytes(bytes, sizeof bytes, b->bytes[i], TN_UNITS_IEC), life - used->busy, life,
      is_known ? " (" : "",
      is_known ? tn_print_bytes(wasted, sizeof wasted, idle, TN_UNITS_IEC) : "",
      is_known ? " × ticks)" : "",
      tn_strings_get(document->strings, tn_document_op_name(document, used->holder)),
      used->gap_start, used->gap_end);
  tn_finding_add_buffer(finding, i);
  finding->at = curve->peak_at;
  finding->bytes = b->bytes[i];
  finding->saving_bytes = candidate->saving;
  finding->hint = g_strdup_printf(
      "Away from tick %" G_GINT64_FORMAT " until then (moved out, or computed again for that reader), "
      "the live peak would be %s lower.",
      used->gap_start, tn_print_bytes(saved, sizeof saved, candidate->saving, TN_UNITS_IEC));
}

static void
find_by_uses(const TnDocument *document,
             const TnDevice *device,
             const TnBuffers *b,
             const Curve *curve,
             TnFindings *findings)
{
  g_autofree TnUse *uses = tn_uses_new(document->graph, b);
  g_autoptr(GArray) candidates = candidates_new(device, b, curve, uses);
  for (guint k = 0; k < MIN(candidates->len, (guint)TN_LONG_TAILS_MOST); k++) {
    const Candidate *candidate = &g_array_index(candidates, Candidate, k);
    if (candidate->saving <= 0)
      break;
    report_idle(document, b, curve, candidate, &uses[candidate->buffer], findings);
  }
}

void
tn_find_long_tails(const TnDocument *document,
                   const TnDevice *device,
                   const TnBuffers *buffers,
                   TnFindings *findings)
{
  bool has_uses = document->graph && document->graph->order && buffers->tensor;
  if (buffers->n == 0 || (!has_uses && !has_long(device, buffers)))
    return;
  Curve curve = curve_new(buffers);
  if (curve.peak > 0 && has_uses)
    find_by_uses(document, device, buffers, &curve, findings);
  else if (curve.peak > 0)
    find_by_life(document, device, buffers, &curve, findings);
  g_array_unref(curve.steps);
  tn_batch_sum_free(curve.batches);
}
