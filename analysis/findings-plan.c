/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-plan.h"

#include "analysis/plan/plan.h"
#include "analysis/stream-uses.h"
#include "data/units.h"

#include <stdlib.h>

#define SIZE 48
#define MOST_NAMED 32
#define MOST_REPLANNED 16 /* held places that are planned again, the most byte-ticks first */
#define MOST_HELD 2000
#define MOST_PAIRS 4000000000ull /* of buffers alive at once, in all those plans together */
#define WORTH 0.01         /* of the arena: less is not worth a finding */
#define LATE_PART 0.20     /* of a buffer's hold on its place that lies behind its last reader */
#define MOST_PLANNED 50000 /* buffers: planning more of them twice takes too long for a check */

/* The arena that the planner gives for the study's rows, changed; TN_BYTES_UNKNOWN where it gives none.
 * `uses` are those of the study, which a change of sizes or ends leaves as they are. */
static tn_bytes
arena_of(const TnStudy *study, const TnStreamUses *uses, const TnBuffers *buffers)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  tn_bytes alignment = study->graph_lives ? study->graph_lives->alignment : 0;
  params.uses = uses;
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("greedy-size"), alignment, &params);
  return plan->status == TN_PLAN_FAILED ? TN_BYTES_UNKNOWN : plan->arena_bytes;
}

/* A finding on the rows that `is_cause` marks, with what planning without them gives. */
static void
report(const TnStudy *study,
       const uint8_t *is_cause,
       const char *code,
       const char *what,
       const char *hint,
       tn_bytes before,
       tn_bytes after,
       TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  char size[SIZE], from[SIZE], to[SIZE];
  tn_bytes sum = 0;
  uint32_t n = 0;
  /* `before` is a plan of ours where the file's own offsets do not bind: its arena is another. */
  bool is_anew = study->arena_bytes != TN_BYTES_UNKNOWN && study->arena_bytes != before;
  for (uint32_t i = 0; i < b->n; i++) {
    sum += is_cause[i] ? b->bytes[i] : 0;
    n += is_cause[i];
  }
  TnFinding *finding = tn_findings_add(
      findings, code, TN_SEVERITY_WARNING, "%u %s (%s) %s: %sthe arena is %s, and %s without that", n,
      tn_plural(n, "buffer", "buffers"), tn_print_bytes(size, SIZE, sum, TN_UNITS_IEC), what,
      is_anew ? "planned anew " : "", tn_print_bytes(from, SIZE, before, TN_UNITS_IEC),
      tn_print_bytes(to, SIZE, after, TN_UNITS_IEC));
  finding->hint = g_strdup(hint);
  finding->bytes = sum;
  finding->saving_bytes = MAX(before - after, (tn_bytes)0);
  for (uint32_t i = 0; i < b->n && finding->buffers->len < MOST_NAMED; i++)
    if (is_cause[i])
      tn_finding_add_buffer(finding, i);
}

static bool
is_plannable(const TnStudy *study)
{
  return !study->is_log && study->buffers->n > 0 && study->buffers->n <= MOST_PLANNED;
}

/* Offsets that are only recorded do not bind; fixed ones do. */
static TnBuffers *
loose_copy(const TnStudy *study)
{
  TnBuffers *copy = tn_buffers_copy(study->buffers);
  for (uint32_t i = 0; i < copy->n; i++)
    if (!(copy->flags[i] & TN_BUFFER_FIXED))
      copy->offset[i] = TN_NOT_PLACED;
  return copy;
}

void
tn_find_reuse_off(const TnStudy *study, TnFindings *findings)
{
  uint32_t n = 0;
  if (!is_plannable(study))
    return;
  g_autofree uint8_t *is_cause = g_new0(uint8_t, study->buffers->n);
  for (uint32_t i = 0; i < study->buffers->n; i++)
    n += is_cause[i] = (study->buffers->flags[i] & TN_BUFFER_NO_REUSE) != 0;
  if (n == 0)
    return;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, NULL, NULL);
  g_autoptr(TnBuffers) copy = loose_copy(study);
  tn_bytes before = arena_of(study, uses, copy);
  for (uint32_t i = 0; i < copy->n; i++)
    copy->flags[i] &= (uint8_t)~TN_BUFFER_NO_REUSE;
  tn_bytes after = arena_of(study, uses, copy);
  if (before > after && after >= 0)
    report(study, is_cause, "reuse-off", "may share their place with nobody",
           "Let them share where nothing reads them after their life.", before, after, findings);
}

void
tn_find_residents(const TnStudy *study, TnFindings *findings)
{
  uint32_t n = 0;
  if (!is_plannable(study))
    return;
  const TnBuffers *b = study->buffers;
  g_autofree uint8_t *is_cause = g_new0(uint8_t, b->n);
  for (uint32_t i = 0; i < b->n; i++)
    n += is_cause[i] = b->kind[i] == TN_KIND_CONSTANT || b->kind[i] == TN_KIND_VARIABLE;
  if (n == 0)
    return;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, NULL, NULL);
  g_autoptr(TnBuffers) copy = loose_copy(study);
  tn_bytes before = arena_of(study, uses, copy);
  for (uint32_t i = 0; i < copy->n; i++)
    if (is_cause[i]) {
      copy->bytes[i] = 0;
      copy->offset[i] = TN_NOT_PLACED;
    }
  tn_bytes after = arena_of(study, uses, copy);
  if (before > after && after >= 0)
    report(study, is_cause, "resident-in-arena", "are constants or variables inside the arena",
           "Keep them in memory of their own: no order and no plan can lower what they take.",
           before, after, findings);
}

/* ---- workspaces ---------------------------------------------------------------------------- */

typedef struct {
  tn_bytes from, to;
} Range;

static int
compare_ranges(const void *a, const void *b)
{
  const Range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Bytes of the arena that some workspace stands in which may move, and how many there are. */
static tn_bytes
covered(const TnStudy *study, uint8_t *is_workspace, uint32_t *out_n)
{
  const TnBuffers *b = study->buffers;
  g_autofree Range *ranges = g_new(Range, b->n);
  tn_bytes sum = 0, at = 0;
  *out_n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    is_workspace[i] = b->kind[i] == TN_KIND_WORKSPACE && study->offset[i] != TN_NOT_PLACED &&
                      !(b->flags[i] & TN_BUFFER_FIXED);
    if (is_workspace[i])
      ranges[(*out_n)++] = (Range){study->offset[i], study->offset[i] + b->bytes[i]};
  }
  qsort(ranges, *out_n, sizeof *ranges, compare_ranges);
  for (uint32_t i = 0; i < *out_n; i++) {
    sum += MAX(ranges[i].to - MAX(ranges[i].from, at), (tn_bytes)0);
    at = MAX(at, ranges[i].to);
  }
  return sum;
}

void
tn_find_workspaces(const TnStudy *study, TnFindings *findings)
{
  uint32_t n;
  if (!is_plannable(study) || study->arena_bytes == TN_BYTES_UNKNOWN || study->n_spaces > 1)
    return;
  const TnBuffers *b = study->buffers;
  g_autofree uint8_t *is_workspace = g_new0(uint8_t, b->n);
  tn_bytes places = covered(study, is_workspace, &n), most = 0;
  for (uint32_t i = 0; i < b->n; i++)
    most = is_workspace[i] ? MAX(most, b->bytes[i]) : most;
  if (n < 2 || places <= most)
    return;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, NULL, NULL);
  g_autoptr(TnBuffers) copy = tn_buffers_copy(b);
  for (uint32_t i = 0; i < copy->n; i++) {
    bool is_kept = !is_workspace[i] && study->offset[i] != TN_NOT_PLACED;
    copy->offset[i] = is_kept ? study->offset[i] : TN_NOT_PLACED;
    if (is_kept)
      copy->flags[i] |= TN_BUFFER_FIXED;
    else if (is_workspace[i])
      copy->flags[i] &= (uint8_t)~TN_BUFFER_NO_REUSE;
  }
  tn_bytes after = arena_of(study, uses, copy);
  if (after >= 0 && after < study->arena_bytes)
    report(study, is_workspace, "workspace-not-shared",
           "are workspaces that stand in places of their own",
           "A workspace lives for one op: let all of them share one place.", study->arena_bytes,
           after, findings);
}

/* ---- places that a plan holds too long ----------------------------------------------------- */

typedef struct {
  uint32_t buffer;
  tn_tick until;  /* when its place has its next tenant; the axis's end: never */
  tn_bytes arena; /* that a plan gives which uses the place in between */
} Held;

static bool
shares_place(const TnStudy *study, uint32_t i, uint32_t k)
{
  const TnBuffers *b = study->buffers;
  return study->offset[k] != TN_NOT_PLACED && b->bytes[k] > 0 &&
         study->offset[k] < study->offset[i] + b->bytes[i] &&
         study->offset[i] < study->offset[k] + b->bytes[k];
}

/* False where it is in use for most of the time, or too small to matter. */
static bool
is_held(const TnStudy *study, uint32_t i, Held *out)
{
  const TnBuffers *b = study->buffers;
  *out = (Held){.buffer = i, .until = study->axis_end};
  if (study->offset[i] == TN_NOT_PLACED || b->end[i] >= study->axis_end ||
      (double)b->bytes[i] < WORTH * (double)study->arena_bytes)
    return false;
  for (uint32_t k = 0; k < b->n; k++)
    if (b->start[k] >= b->end[i] && b->start[k] < out->until && shares_place(study, i, k))
      out->until = b->start[k];
  return (double)(out->until - b->end[i]) > LATE_PART * (double)(out->until - b->start[i]);
}

static int
compare_held(gconstpointer a, gconstpointer b, gpointer payload)
{
  const TnBuffers *buffers = payload;
  const Held *x = a, *y = b;
  double waste_x = (double)buffers->bytes[x->buffer] * (double)(x->until - buffers->end[x->buffer]);
  double waste_y = (double)buffers->bytes[y->buffer] * (double)(y->until - buffers->end[y->buffer]);
  if (waste_x != waste_y)
    return waste_x > waste_y ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* What begins while the place is empty may move; all else stays. */
static tn_bytes
arena_with_place(const TnStudy *study, const TnStreamUses *uses, const Held *held)
{
  g_autoptr(TnBuffers) copy = tn_buffers_copy(study->buffers);
  for (uint32_t i = 0; i < copy->n; i++) {
    bool may_move = study->offset[i] == TN_NOT_PLACED ||
                    (copy->start[i] >= copy->end[held->buffer] && copy->start[i] < held->until &&
                     !(copy->flags[i] & TN_BUFFER_FIXED));
    copy->offset[i] = may_move ? TN_NOT_PLACED : study->offset[i];
    copy->flags[i] =
        (uint8_t)((copy->flags[i] & ~TN_BUFFER_FIXED) | (may_move ? 0 : TN_BUFFER_FIXED));
  }
  return arena_of(study, uses, copy);
}

static void
report_held(const TnStudy *study, const Held *held, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  char size[SIZE], from[SIZE], to[SIZE];
  uint32_t reader = tn_document_op_at(study->document, study->device, b->end[held->buffer] - 1);
  uint32_t name = reader == TN_NONE ? 0 : tn_document_op_name(study->document, reader);
  g_autofree char *label = tn_study_dup_label(study, held->buffer);
  g_autofree char *by =
      name ? g_strdup_printf(" by %s", tn_strings_get(study->document->strings, name))
           : g_strdup("");
  TnFinding *finding = tn_findings_add(
      findings, "late-free", TN_SEVERITY_WARNING,
      "%s (%s) is read last%s at tick %" G_GINT64_FORMAT
      ", but the plan lets nobody have its place "
      "until %s%" G_GINT64_FORMAT
      ": the arena is %s, and %s where what begins in between may use it",
      label, tn_print_bytes(size, SIZE, b->bytes[held->buffer], TN_UNITS_IEC), by,
      b->end[held->buffer] - 1, held->until < study->axis_end ? "tick " : "the end, ", held->until,
      tn_print_bytes(from, SIZE, study->arena_bytes, TN_UNITS_IEC),
      tn_print_bytes(to, SIZE, held->arena, TN_UNITS_IEC));
  finding->hint = g_strdup("The plan was made with a longer life than the readers need: plan again "
                           "with the graph's own lives (`tenure-cli plan --strategy best`).");
  finding->at = b->end[held->buffer];
  finding->bytes = b->bytes[held->buffer];
  finding->saving_bytes = study->arena_bytes - held->arena;
  finding->saving_of = "arena";
  tn_finding_add_buffer(finding, held->buffer);
}

/* How often the table can be planned again: each place is held against all that are alive. */
static guint
most_replanned(const TnStudy *study)
{
  g_autoptr(TnBuffers) one = tn_buffers_copy(study->buffers);
  for (uint32_t i = 0; i < one->n; i++)
    one->bytes[i] = 1;
  tn_buffers_set_gaps(one, NULL, NULL, 0);
  g_autoptr(TnCurve) alive = tn_curve_new_for_buffers(one, study->axis_end);
  uint64_t pairs = (uint64_t)one->n * (uint64_t)MAX(alive ? alive->peak : 1, (tn_bytes)1);
  return (guint)CLAMP(MOST_PAIRS / pairs, 1, MOST_REPLANNED);
}

void
tn_find_late_places(const TnStudy *study, TnFindings *findings)
{
  if (!is_plannable(study) || !study->document->graph || study->arena_bytes <= 0 ||
      study->n_spaces > 1)
    return;
  Held held;
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(Held));
  for (uint32_t i = 0; i < study->buffers->n && rows->len < MOST_HELD; i++)
    if (is_held(study, i, &held))
      g_array_append_val(rows, held);
  g_array_sort_with_data(rows, compare_held, (gpointer)study->buffers);
  guint n = rows->len ? MIN(rows->len, most_replanned(study)) : 0;
  g_autoptr(TnStreamUses) uses = n ? tn_stream_uses_new_for_study(study, NULL, NULL) : NULL;
  for (guint i = 0; i < n; i++) {
    Held *row = &g_array_index(rows, Held, i);
    row->arena = arena_with_place(study, uses, row);
    if (row->arena >= 0 && row->arena < study->arena_bytes)
      report_held(study, row, findings);
  }
}
