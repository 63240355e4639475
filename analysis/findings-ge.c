/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-ge.h"

#include "analysis/plan/order.h"

#include "analysis/plan-gap.h"
#include "analysis/plan/reuse.h"
#include "analysis/sharing.h"
#include "analysis/stream-uses.h"
#include "data/units.h"

#include <stdlib.h>

#define BLOCK 512
#define USER_ALIGNMENT 32 /* of memory that the caller gives */
#define MOST 100
#define MOST_LOOKS 400000000u
#define MOST_TO_COUNT 20000000u /* looks once as many are found as are listed */
#define MOST_ASKED 1000 /* pairs of different streams that clocks do not keep apart */

typedef struct {
  const TnStudy *study;
  TnFindings *findings;
  uint32_t *order; /* placed rows, by space, then by offset */
  uint32_t n;
} Rules;

static const TnBuffers *
buffers_of(const Rules *rules)
{
  return rules->study->buffers;
}

static TnFinding *report(const Rules *rules,
                         const char *code,
                         TnSeverity severity,
                         tn_index a,
                         tn_index b,
                         const char *format,
                         ...) G_GNUC_PRINTF(6, 7);

static TnFinding *
report(const Rules *rules,
       const char *code,
       TnSeverity severity,
       tn_index a,
       tn_index b,
       const char *format,
       ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  TnFinding *finding = tn_findings_add(rules->findings, code, severity, "%s", message);
  tn_finding_add_buffer(finding, a);
  if (b != TN_NONE)
    tn_finding_add_buffer(finding, b);
  finding->at = buffers_of(rules)->start[a];
  finding->bytes = buffers_of(rules)->bytes[a];
  return finding;
}

/* ---- across streams
 * --------------------------------------------------------------------------------- */

static bool
are_of_streams(const TnBuffers *b, const TnReusePair *pair)
{
  uint32_t x = tn_buffers_stream(b, pair->earlier), y = tn_buffers_stream(b, pair->later);
  return x != TN_NONE && y != TN_NONE &&
         (x != y || tn_buffers_traits(b, pair->earlier) & TN_TRAIT_MANY_STREAMS);
}

static void
check_pair(const Rules *rules,
           TnStreamOrder *reach,
           const TnStreamUses *uses,
           const TnReusePair *pair,
           uint64_t *n)
{
  TnSharing sharing;
  tn_sharing_find(&sharing, rules->study, reach, uses, pair->earlier, pair->later);
  if (sharing.rule == TN_SHARING_STREAMS && (*n)++ < MOST) {
    bool is_ge = tn_sharing_is_by_ge_streams(rules->study);
    TnFinding *finding = report(
        rules, is_ge ? "ge-cross-stream" : "cross-stream", TN_SEVERITY_ERROR, pair->later, pair->earlier,
        "Cannot reuse memory: the buffers share a place at offset %" G_GINT64_FORMAT ", but %s",
        rules->study->offset[pair->later], sharing.sentence);
    finding->hint = g_strconcat(
        "Add an edge or an event between the two streams, or keep one of both from sharing",
        is_ge ? " (OP_NO_REUSE_MEM)." : ".", NULL);
  }
  tn_sharing_clear(&sharing);
}

static void
report_gap(const Rules *rules, const TnStreamUses *uses, tn_index a, tn_index b)
{
  const TnDocument *document = rules->study->document;
  const char *first =
      tn_strings_get(document->strings, tn_document_op_name(document, uses->writer[a]));
  const char *later =
      tn_strings_get(document->strings, tn_document_op_name(document, uses->writer[b]));
  TnFinding *finding =
      report(rules, "cross-stream", TN_SEVERITY_ERROR, b, a,
             "Cannot reuse memory: one buffer lies in a gap of the other at offset %" G_GINT64_FORMAT
             ", but “%s”, which writes that, cannot reach “%s”, which writes this",
             rules->study->offset[b], first, later);
  finding->hint = g_strdup("Add an event between the two streams, or keep one of both from sharing.");
}

/* Whether `b` touches no more of `a`, in one of whose gaps it begins, than is free then. */
static bool
is_in_gap(const Rules *rules, tn_index a, const TnGap *gap, tn_index b)
{
  const TnBuffers *t = buffers_of(rules);
  tn_bytes at = rules->study->offset[b] - rules->study->offset[a];
  bool is_exclusive = t->batch && t->batch[a] && t->batch[b] && t->batch[a] != t->batch[b];
  if (rules->study->offset[b] < 0 || at >= t->bytes[a] || at + t->bytes[b] <= 0 || is_exclusive ||
      tn_buffers_space(t, a) != tn_buffers_space(t, b))
    return false;
  return gap->low >= gap->high || at >= gap->high || at + t->bytes[b] <= gap->low;
}

typedef struct {
  const Rules *rules;
  const TnStreamUses *uses;
  const uint32_t *by_start; /* rows */
  uint64_t n_looks, n;      /* n: found, of which MOST are listed */
} GapCheck;

static void
check_gap(GapCheck *check, tn_index a, const TnGap *gap)
{
  const TnBuffers *t = buffers_of(check->rules);
  uint32_t k = tn_order_find(check->by_start, t->start, t->n, gap->start);
  for (; k < t->n && t->start[check->by_start[k]] < gap->end; k++, check->n_looks++) {
    tn_index b = check->by_start[k];
    if (a != b && t->bytes[b] > 0 && tn_buffers_op(t, b) != TN_NONE && is_in_gap(check->rules, a, gap, b) &&
        !tn_stream_clock_is_after(check->uses->clock, check->uses->writer[a], check->uses->writer[b]) &&
        check->n++ < MOST)
      report_gap(check->rules, check->uses, a, b);
  }
}

static bool
is_at_end(const GapCheck *check)
{
  return check->n_looks >= (check->n < MOST ? MOST_LOOKS : MOST_TO_COUNT);
}

/* Who writes in a gap must at least have waited for who wrote what has the gap.  Adds to *n; false where
 * not all could be looked at. */
static bool
check_gaps(const Rules *rules, const TnStreamUses *uses, uint64_t *n)
{
  const TnBuffers *t = buffers_of(rules);
  g_autofree uint32_t *by_start = t->gap_first ? tn_order_by_tick(t->start, t->n) : NULL;
  GapCheck check = {.rules = rules, .uses = uses, .by_start = by_start, .n = *n};
  for (tn_index a = 0; by_start && a < t->n && !is_at_end(&check); a++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(t, a, &n_gaps);
    bool is_placed = rules->study->offset[a] >= 0 && tn_buffers_op(t, a) != TN_NONE;
    for (uint32_t g = 0; is_placed && g < n_gaps; g++)
      check_gap(&check, a, gaps + g);
  }
  *n = check.n;
  return !is_at_end(&check);
}

static void
say_what_is_not_listed(const Rules *rules, uint64_t n, bool is_cut)
{
  const char *code = tn_sharing_is_by_ge_streams(rules->study) ? "ge-cross-stream" : "cross-stream";
  char count[32];
  tn_print_count(count, sizeof count, (int64_t)(n - MIN(n, MOST)));
  if (n > MOST)
    tn_findings_add(rules->findings, code, TN_SEVERITY_ERROR,
                    "%s%s more places shared across streams are not listed", is_cut ? "at least " : "",
                    count);
  else if (is_cut)
    tn_findings_add(rules->findings, code, TN_SEVERITY_WARNING,
                    "Too many places are shared across streams: not all were looked at");
}

/* A graph has the edges that could order two streams, some other plans say who waits.  Clocks tell in a moment which pairs are kept
 * apart; the way that is missing is looked for of the others, which takes as long as the graph. */
static void
check_streams(const Rules *rules)
{
  uint64_t n = 0;
  uint32_t asked = 0;
  bool is_cut = false, is_incomplete;
  const TnStudy *study = rules->study;
  const TnGraph *graph = study->document->graph;
  bool is_ge = tn_sharing_is_by_ge_streams(study);
  if (is_ge && (!buffers_of(rules)->stream || !graph))
    return;
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new_for_study(study, NULL, NULL);
  if (!is_ge && (!uses || (uses->is_coarse && !graph)))
    return;
  g_autoptr(TnStreamOrder) reach = graph ? tn_stream_order_new(graph) : NULL;
  g_autoptr(GArray) pairs = tn_reuse_pairs_new(buffers_of(rules), study->offset, &is_incomplete);
  for (guint i = 0; i < pairs->len && !is_cut; i++) {
    const TnReusePair *pair = &g_array_index(pairs, TnReusePair, i);
    bool is_kept = uses && tn_stream_uses_follows(uses, pair->earlier, pair->later);
    if (is_kept || (is_ge && !are_of_streams(buffers_of(rules), pair)))
      continue;
    is_cut = asked++ == MOST_ASKED;
    if (!is_cut)
      check_pair(rules, reach, uses, pair, &n);
  }
  is_cut |= is_incomplete;
  if (!is_ge && !uses->is_coarse)
    is_cut |= !check_gaps(rules, uses, &n);
  say_what_is_not_listed(rules, n, is_cut);
}

/* ---- places of kinds that must not meet
 * ------------------------------------------------------------- */

typedef struct {
  uint32_t space, row; /* row: the one whose place ends highest so far; TN_NONE */
} Highest;

static tn_bytes
top_of(const Rules *rules, tn_index i)
{
  return rules->study->offset[i] + buffers_of(rules)->bytes[i];
}

/* Each place that begins below the end of an earlier one of the other kind. */
static void
check_kinds(const Rules *rules,
            unsigned kind,
            unsigned other,
            const char *code,
            const char *what,
            const char *hint)
{
  Highest highest[2] = {{0, TN_NONE}, {0, TN_NONE}};
  uint32_t n = 0;
  for (uint32_t k = 0; k < rules->n && n < MOST; k++) {
    tn_index i = rules->order[k];
    unsigned traits = tn_buffers_traits(buffers_of(rules), i);
    uint32_t space = tn_buffers_space(buffers_of(rules), i);
    const unsigned kinds[] = {kind, other};
    for (int side = 0; side < 2; side++) {
      Highest *against = &highest[!side];
      if (!(traits & kinds[side]) || (kind == other && side))
        continue;
      against = kind == other ? &highest[0] : against;
      if (against->row != TN_NONE && against->space == space &&
          top_of(rules, against->row) > rules->study->offset[i]) {
        g_autofree char *x = tn_study_dup_label(rules->study, against->row);
        g_autofree char *y = tn_study_dup_label(rules->study, i);
        report(rules, code, TN_SEVERITY_ERROR, i, against->row,
               "“%s” and “%s” share memory at offset %" G_GINT64_FORMAT ", but %s", x, y,
               rules->study->offset[i], what)
            ->hint = g_strdup(hint);
        n++;
      }
      Highest *own = &highest[side];
      if (own->row == TN_NONE || own->space != space || top_of(rules, i) > top_of(rules, own->row))
        *own = (Highest){space, i};
    }
  }
}

/* ---- places of single blocks
 * -------------------------------------------------------------------------- */

static void
check_alignment(const Rules *rules)
{
  const TnBuffers *b = buffers_of(rules);
  for (uint32_t k = 0, n = 0; k < rules->n && n < MOST; k++) {
    tn_index i = rules->order[k];
    unsigned traits = tn_buffers_traits(b, i);
    if (traits & (TN_TRAIT_NO_PADDING | TN_TRAIT_CLEANED | TN_TRAIT_PLACED_LATER))
      continue; /* these stand where their neighbours end */
    tn_bytes needed = traits & TN_TRAIT_ZERO_COPY ? USER_ALIGNMENT : BLOCK;
    tn_bytes offset = rules->study->offset[i];
    if (offset % needed == 0)
      continue;
    g_autofree char *name = tn_study_dup_label(rules->study, i);
    uint32_t op = tn_document_op_name(rules->study->document, tn_buffers_op(b, i));
    report(rules, "ge-unaligned", TN_SEVERITY_WARNING, i, TN_NONE,
           "“%s”%s%s%s lies at offset %" G_GINT64_FORMAT ", aligned to %" G_GINT64_FORMAT
           ", but needs a multiple of %" G_GINT64_FORMAT,
           name, op ? " of op “" : "",
           op ? tn_strings_get(rules->study->document->strings, op) : "", op ? "”" : "", offset,
           offset & -offset, needed);
    n++;
  }
}

/* A nested block lies inside one that is not, or beyond its end by no more than a block of 512. */
static void
check_nesting(const Rules *rules)
{
  const TnBuffers *b = buffers_of(rules);
  Highest top = {0, TN_NONE};
  tn_bytes end = 0;
  for (uint32_t k = 0, n = 0; b->block && k < rules->n && n < MOST; k++) {
    tn_index i = rules->order[k];
    uint32_t space = tn_buffers_space(b, i);
    bool is_nested = tn_buffers_traits(b, i) & TN_TRAIT_NESTED;
    if (top.row == TN_NONE || top.space != space)
      end = 0;
    if (!is_nested) {
      end = MAX(end, tn_add_saturated(rules->study->offset[i], MAX(b->block[i], b->bytes[i])));
      top = (Highest){space, i};
    } else if (top_of(rules, i) - BLOCK > end) {
      g_autofree char *name = tn_study_dup_label(rules->study, i);
      report(rules, "ge-nested-outside", TN_SEVERITY_WARNING, i, TN_NONE,
             "“%s” is nested, but ends at %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
             " bytes beyond the block that it should lie in",
             name, top_of(rules, i), top_of(rules, i) - end);
      n++;
    }
  }
}

/* ---- the whole plan
 * --------------------------------------------------------------------------------------- */

static void
add_cause(GString *text, tn_bytes bytes, const char *what)
{
  char size[48];
  if (bytes != 0)
    g_string_append_printf(text, " + %s %s", tn_print_bytes(size, sizeof size, bytes, TN_UNITS_IEC),
                           what);
}

void
tn_find_plan_gap(const TnStudy *study, TnFindings *findings)
{
  TnPlanGap gap;
  char arena[48], needed[48];
  if (!tn_plan_gap_find(study, &gap) || gap.arena <= gap.needed)
    return;
  g_autoptr(GString) text = g_string_new(NULL);
  add_cause(text, gap.rounding, "rounding");
  add_cause(text, gap.apart, "inputs, outputs and others that share with nobody");
  add_cause(text, gap.neighbours, "contiguous stretches");
  add_cause(text, gap.batches, "batches in a region of their own");
  add_cause(text, gap.streams, "streams that share nothing (at most)");
  add_cause(text, gap.misfit, "places of unequal size, and holes");
  TnFinding *finding = tn_findings_add(
      findings, "plan-gap", TN_SEVERITY_NOTE, "The arena of %s is %s needed at once%s",
      tn_print_bytes(arena, sizeof arena, gap.arena, TN_UNITS_IEC),
      tn_print_bytes(needed, sizeof needed, gap.needed, TN_UNITS_IEC), text->str);
  finding->bytes = gap.arena - gap.needed;
  finding->hint = g_strdup("`plan --strategy best` says what the same lives could do with.");
}

static char *
dup_path(const TnDocument *document, const GArray *path)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < path->len; i++)
    g_string_append_printf(
        text, "%s“%s”", i ? " → " : " The path: ",
        tn_strings_get(document->strings,
                       tn_document_op_name(document, g_array_index(path, uint32_t, i))));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

void
tn_find_why_not(const TnStudy *study, tn_index a, tn_index b, TnFindings *findings)
{
  TnSharing sharing;
  const TnGraph *graph = study->document->graph;
  g_autoptr(TnStreamOrder) order = graph ? tn_stream_order_new(graph) : NULL;
  tn_sharing_find(&sharing, study, order, NULL, a, b);
  TnFinding *finding =
      tn_findings_add(findings, "why-not", TN_SEVERITY_NOTE, "%s", sharing.sentence);
  g_autofree char *path = dup_path(study->document, sharing.path);
  finding->hint = g_strdup_printf("Rule: %s.%s", tn_sharing_rule_name(sharing.rule), path);
  finding->at = MAX(study->buffers->start[a], study->buffers->start[b]);
  tn_finding_add_buffer(finding, a);
  tn_finding_add_buffer(finding, b);
  tn_sharing_clear(&sharing);
}

/* Blocks of 512 can cost more than reuse wins, where there are many tiny tensors. */
static void
check_inflation(const Rules *rules)
{
  const TnBuffers *b = buffers_of(rules);
  tn_bytes total = 0;
  for (uint32_t i = 0; i < b->n; i++)
    if (!tn_add(total, (tn_buffers_requested(b, i) + 31) / 32 * 32, &total))
      return;
  if (rules->study->arena_bytes <= total)
    return;
  tn_findings_add(rules->findings, "above-no-reuse", TN_SEVERITY_NOTE,
                  "The arena of %" G_GINT64_FORMAT " bytes is larger than all tensors together "
                  "(%" G_GINT64_FORMAT " in steps of 32): blocks of 512 cost more than reuse wins",
                  rules->study->arena_bytes, total)
      ->bytes = rules->study->arena_bytes - total;
}

/* A plan that takes a life to end before its last reader runs overlaps everywhere by one op. */
static void
check_convention(const Rules *rules)
{
  const TnBuffers *b = buffers_of(rules);
  tn_tick op = rules->study->document->graph ? 3 : 1;
  uint32_t n = 0;
  for (guint i = 0; i < rules->findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(rules->findings, i);
    if (g_strcmp0(finding->code, "overlap") != 0 || finding->buffers->len < 2)
      continue;
    tn_index x = g_array_index(finding->buffers, uint32_t, 0);
    tn_index y = g_array_index(finding->buffers, uint32_t, 1);
    bool is_touch = b->end[x] - b->start[y] == op || b->end[y] - b->start[x] == op;
    if (!is_touch)
      return;
    n++;
  }
  if (n < 2)
    return;
  tn_findings_add(rules->findings, "ge-open-lives", TN_SEVERITY_WARNING,
                  "All %u overlaps are of the one op that reads the earlier buffer last and writes "
                  "the later first: the plan may take lives as ending before their last reader",
                  n)
      ->hint = g_strdup("GE's own lives are closed; results in place have isref[1] or reuse_input.");
}

static gint
compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnStudy *study = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  uint32_t s = tn_buffers_space(study->buffers, x), t = tn_buffers_space(study->buffers, y);
  if (s != t)
    return s < t ? -1 : 1;
  if (study->offset[x] != study->offset[y])
    return study->offset[x] < study->offset[y] ? -1 : 1;
  bool is_nested = tn_buffers_traits(study->buffers, x) & TN_TRAIT_NESTED;
  bool is_other = tn_buffers_traits(study->buffers, y) & TN_TRAIT_NESTED;
  return is_nested != is_other ? (is_nested ? 1 : -1) : x < y ? -1 : x > y;
}

void
tn_find_stream_sharing(const TnStudy *study, TnFindings *findings)
{
  const Rules rules = {study, findings, NULL, 0};
  if (!study->is_log && !study->buffers->traits && study->arena_bytes != TN_BYTES_UNKNOWN)
    check_streams(&rules);
}

void
tn_find_ge(const TnStudy *study, TnFindings *findings)
{
  Rules rules = {study, findings, NULL, 0};
  tn_bytes top;
  if (study->is_log || !study->buffers->traits || study->arena_bytes == TN_BYTES_UNKNOWN)
    return;
  rules.order = g_new(uint32_t, MAX(study->buffers->n, 1u));
  for (uint32_t i = 0; i < study->buffers->n; i++)
    if (study->offset[i] >= 0 && tn_add(study->offset[i], study->buffers->bytes[i], &top))
      rules.order[rules.n++] = i;
  g_qsort_with_data(rules.order, (int)rules.n, sizeof *rules.order, compare_places,
                    (gpointer)study);
  check_streams(&rules);
  check_kinds(&rules, TN_TRAIT_CLEANED, TN_TRAIT_DATA, "ge-clean-mix",
              "one is set to 0 together with others at the start and the other holds data",
              "Their block types (data, concentrate_atomic) must not share a block.");
  check_kinds(&rules, TN_TRAIT_ZERO_COPY, TN_TRAIT_ZERO_COPY, "ge-zero-copy-merged",
              "both are zero copy: the caller's memory stands in for either",
              "Zero-copy tensors are reused one by one, never merged.");
  check_alignment(&rules);
  check_nesting(&rules);
  check_inflation(&rules);
  check_convention(&rules);
  tn_find_plan_gap(study, findings);
  g_free(rules.order);
}
