/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/tenants.h"

#include "analysis/plan/reuse.h"
#include "data/units.h"

#include <stdlib.h>

typedef struct {
  tn_bytes from, to;
} Place;

static bool
place_of(const TnStudy *study, tn_index buffer, Place *out)
{
  out->from = study->offset[buffer];
  return out->from != TN_NOT_PLACED && tn_add(out->from, study->buffers->bytes[buffer], &out->to);
}

/* Addresses of a log mean the same everywhere; offsets of a plan do so in one space. */
static bool
is_same_memory(const TnStudy *study, tn_index a, tn_index b)
{
  return study->is_log ||
         tn_buffers_space(study->buffers, a) == tn_buffers_space(study->buffers, b);
}

static bool
is_shared(const Place *a, const Place *b)
{
  return a->from < b->to && b->from < a->to;
}

static void
look_beside(const TnStudy *study, const Place *own, tn_index other, const Place *place,
            TnNeighbours *out)
{
  tn_bytes above = place->from - own->to, below = own->from - place->to;
  if (above >= 0 && (out->above == TN_NONE || above < out->above_gap)) {
    out->above = other;
    out->above_gap = above;
  }
  if (below >= 0 && (out->below == TN_NONE || below < out->below_gap)) {
    out->below = other;
    out->below_gap = below;
  }
}

static void
look_in_time(const TnBuffers *b, tn_index own, tn_index other, TnNeighbours *out)
{
  if (b->start[other] >= b->end[own] &&
      (out->next == TN_NONE || b->start[other] < b->start[out->next]))
    out->next = other;
  if (b->end[other] <= b->start[own] &&
      (out->previous == TN_NONE || b->end[other] > b->end[out->previous]))
    out->previous = other;
}

/* The nearest ones of all that are alive at some tick of [from, to). */
static TnNeighbours
find_neighbours(const TnStudy *study, tn_index buffer, tn_tick from, tn_tick to)
{
  const TnBuffers *b = study->buffers;
  TnNeighbours out = {TN_NONE, TN_NONE, 0, 0, TN_NONE, TN_NONE};
  Place own, place;
  if (!place_of(study, buffer, &own))
    return out;
  for (tn_index i = 0; i < b->n; i++) {
    if (i == buffer || !is_same_memory(study, i, buffer) || !place_of(study, i, &place))
      continue;
    if (b->start[i] < to && from < b->end[i])
      look_beside(study, &own, i, &place, &out);
    if (is_shared(&own, &place))
      look_in_time(b, buffer, i, &out);
  }
  return out;
}

TnNeighbours
tn_neighbours_at(const TnStudy *study, tn_index buffer, tn_tick tick)
{
  return find_neighbours(study, buffer, tick, tick + 1);
}

TnNeighbours
tn_neighbours_of(const TnStudy *study, tn_index buffer)
{
  return find_neighbours(study, buffer, study->buffers->start[buffer], study->buffers->end[buffer]);
}

/* ---- lists --------------------------------------------------------------------------------- */

typedef struct {
  int64_t key; /* an offset or a tick */
  uint32_t row;
} Ranked;

static int
compare_ranked(const void *a, const void *b)
{
  const Ranked *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static GArray *
rows_of(GArray *ranked, uint32_t most)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  if (ranked->len)
    qsort(ranked->data, ranked->len, sizeof(Ranked), compare_ranked);
  for (guint i = 0; i < MIN(ranked->len, most); i++)
    g_array_append_val(rows, g_array_index(ranked, Ranked, i).row);
  return rows;
}

GArray *
tn_neighbours_hit_new(const TnStudy *study, tn_index buffer, tn_bytes reach)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(GArray) ranked = g_array_new(FALSE, FALSE, sizeof(Ranked));
  Place own = {0, 0}, place, past;
  bool has_place = place_of(study, buffer, &own);
  past.from = own.to;
  if (!tn_add(own.to, reach, &past.to))
    past.to = INT64_MAX;
  for (tn_index i = 0; has_place && i < b->n; i++) {
    bool is_alive = b->start[i] < b->end[buffer] && b->start[buffer] < b->end[i];
    if (i == buffer || !is_alive || !is_same_memory(study, i, buffer) ||
        !place_of(study, i, &place) || !is_shared(&past, &place))
      continue;
    Ranked row = {place.from, i};
    g_array_append_val(ranked, row);
  }
  return rows_of(ranked, UINT32_MAX);
}

/* The tenants of any byte of the place after its life, or before it; the nearest first. */
static GArray *
tenants_new(const TnStudy *study, tn_index buffer, uint32_t most, bool is_later)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(GArray) ranked = g_array_new(FALSE, FALSE, sizeof(Ranked));
  Place own, place;
  bool has_place = place_of(study, buffer, &own);
  for (tn_index i = 0; has_place && i < b->n; i++) {
    bool is_apart = is_later ? b->start[i] >= b->end[buffer] : b->end[i] <= b->start[buffer];
    if (i == buffer || !is_apart || !is_same_memory(study, i, buffer) ||
        !place_of(study, i, &place) || !is_shared(&own, &place))
      continue;
    Ranked row = {is_later ? b->start[i] : -b->start[i], i};
    g_array_append_val(ranked, row);
  }
  return rows_of(ranked, most);
}

GArray *
tn_neighbours_later_new(const TnStudy *study, tn_index buffer, uint32_t most)
{
  return tenants_new(study, buffer, most, true);
}

GArray *
tn_tenants_chain_new(const TnStudy *study, tn_index buffer, uint32_t most)
{
  const TnBuffers *b = study->buffers;
  g_autoptr(GArray) rows = tenants_new(study, buffer, most, false);
  g_autoptr(GArray) later = tn_neighbours_later_new(study, buffer, most);
  g_autoptr(TnBuffers) part = tn_buffers_new();
  g_array_append_val(rows, buffer);
  g_array_append_vals(rows, later->data, later->len);
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    tn_index made =
        tn_buffers_add(part, b->start[row], b->end[row], b->bytes[row], TN_KIND_ACTIVATION);
    part->offset[made] = study->offset[row];
  }
  GArray *pairs = tn_reuse_pairs_new(part, part->offset, NULL);
  for (guint i = 0; i < pairs->len; i++) {
    TnReusePair *pair = &g_array_index(pairs, TnReusePair, i);
    pair->earlier = g_array_index(rows, uint32_t, pair->earlier);
    pair->later = g_array_index(rows, uint32_t, pair->later);
  }
  return pairs;
}

/* ---- as a finding -------------------------------------------------------------------------- */

#define REACH 4096

static void
append_neighbour(GString *text, const TnStudy *study, TnFinding *finding, const char *what,
                 tn_index row, tn_bytes gap)
{
  char size[48];
  if (row == TN_NONE) {
    g_string_append_printf(text, "; nothing %s", what);
    return;
  }
  g_autofree char *label = tn_study_dup_label(study, row);
  g_string_append_printf(text, "; %s: “%s”", what, label);
  if (gap > 0)
    g_string_append_printf(text, " after %s",
                           tn_print_bytes(size, sizeof size, gap, TN_UNITS_IEC));
  tn_finding_add_buffer(finding, row);
}

static void
append_tenant(GString *text, const TnStudy *study, TnFinding *finding, const char *what,
              tn_index row, tn_tick tick)
{
  if (row == TN_NONE) {
    g_string_append_printf(text, "; no %s tenant", what);
    return;
  }
  g_autofree char *label = tn_study_dup_label(study, row);
  g_string_append_printf(text, "; %s tenant: “%s” (%s tick %" G_GINT64_FORMAT ")", what, label,
                         tick == study->buffers->start[row] ? "from" : "up to", tick);
  tn_finding_add_buffer(finding, row);
}

/* Without a place there is nobody beside it. */
static void
find_no_place(const TnStudy *study, tn_index buffer, TnFindings *findings)
{
  g_autofree char *label = tn_study_dup_label(study, buffer);
  TnFinding *finding =
      tn_findings_add(findings, "neighbours", TN_SEVERITY_NOTE,
                      "“%s” has no offset in this file: who lies beside it can't be told", label);
  finding->at = study->buffers->start[buffer];
  finding->hint = g_strdup("`tenure-cli plan FILE -o plan.json` gives offsets; ask of the plan.");
  tn_finding_add_buffer(finding, buffer);
}

void
tn_find_neighbours(const TnStudy *study, tn_index buffer, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  tn_tick tick = b->start[buffer];
  Place own;
  if (!place_of(study, buffer, &own)) {
    find_no_place(study, buffer, findings);
    return;
  }
  TnNeighbours found = tn_neighbours_of(study, buffer);
  g_autofree char *label = tn_study_dup_label(study, buffer);
  TnFinding *finding = tn_findings_add(findings, "neighbours", TN_SEVERITY_NOTE, "%s", "");
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GArray) hit = tn_neighbours_hit_new(study, buffer, REACH);
  finding->at = tick;
  tn_finding_add_buffer(finding, buffer);
  g_string_printf(text,
                  "“%s” at 0x%" G_GINT64_MODIFIER "x, ticks [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                  label, (uint64_t)own.from, tick, b->end[buffer]);
  append_neighbour(text, study, finding, "above it", found.above, found.above_gap);
  append_neighbour(text, study, finding, "below it", found.below, found.below_gap);
  append_tenant(text, study, finding, "next", found.next,
                found.next == TN_NONE ? 0 : b->start[found.next]);
  append_tenant(text, study, finding, "previous", found.previous,
                found.previous == TN_NONE ? 0 : b->end[found.previous]);
  g_string_append_printf(text, "; a write of 4 KiB past its end would hit %u buffer%s over its life",
                         hit->len, hit->len == 1 ? "" : "s");
  g_free(finding->message);
  finding->message = g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- halving ------------------------------------------------------------------------------- */

TnBisect *
tn_bisect_new(const uint32_t *rows, uint32_t n)
{
  TnBisect *bisect = g_new0(TnBisect, 1);
  bisect->suspects = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bisect->answers = g_array_new(FALSE, FALSE, sizeof(TnBisectAnswer));
  g_array_append_vals(bisect->suspects, rows, n);
  return bisect;
}

void
tn_bisect_free(TnBisect *bisect)
{
  if (!bisect)
    return;
  g_array_unref(bisect->suspects);
  g_array_unref(bisect->answers);
  g_free(bisect);
}

static bool
was_gone(const TnBisect *bisect)
{
  for (guint i = 0; i < bisect->answers->len; i++)
    if (g_array_index(bisect->answers, TnBisectAnswer, i).is_gone)
      return true;
  return false;
}

const uint32_t *
tn_bisect_half(const TnBisect *bisect, uint32_t *out_n)
{
  uint32_t n = bisect->suspects->len;
  *out_n = n > 1 || was_gone(bisect) ? n / 2 : n;
  return (const uint32_t *)(void *)bisect->suspects->data;
}

void
tn_bisect_answer(TnBisect *bisect, bool is_gone)
{
  uint32_t half;
  TnBisectAnswer answer = {bisect->suspects->len, is_gone};
  tn_bisect_half(bisect, &half);
  if (half == 0)
    return;
  g_array_append_val(bisect->answers, answer);
  if (is_gone)
    g_array_set_size(bisect->suspects, half);
  else
    g_array_remove_range(bisect->suspects, 0, half);
}

tn_index
tn_bisect_found(const TnBisect *bisect)
{
  bool is_found = bisect->suspects->len == 1 && was_gone(bisect);
  return is_found ? g_array_index(bisect->suspects, uint32_t, 0) : TN_NONE;
}
