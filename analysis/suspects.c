/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/suspects.h"

#include "analysis/batch-sum.h"
#include "analysis/graph-storage.h"
#include "data/units.h"

#include <string.h>

#define KEPT_PART 0.5 /* of the live peak that the op at the peak neither reads nor writes */

typedef enum { ON_GRAPH = 1, ON_PLAN = 2, ON_LOG = 4 } Kinds;

typedef struct {
  const char *code, *question;
  unsigned told_of; /* Kinds in which no finding means no */
  const char *no;   /* why not, where it is told */
  const char *unknown;
} Row;

static const Row rows[] = {
    {"reuse-off", "Is reuse switched off for some buffers?", ON_GRAPH | ON_PLAN | ON_LOG,
     "Every buffer may share its place once its life is over.", ""},
    {"dynamic-size", "Are sizes unknown until it runs?", ON_GRAPH | ON_PLAN | ON_LOG,
     "All sizes are known.", ""},
    {"long-tail", "Do large buffers lie idle at the peak?", ON_GRAPH | ON_PLAN | ON_LOG,
     "No large buffer lives through most of it without work.", ""},
    {"padding", "Do alignment and rounding cost much?", 0, "",
     "The file has sizes in memory only, not what was asked for."},
    {"branches", "Do branches keep their outputs, or is fusion missing?", 0, "",
     "This file does not say which operators read what."},
    {"workspace-not-shared", "Do workspaces have places of their own?", ON_PLAN,
     "Workspaces share their places, or there is at most one.",
     "There are no offsets in this file, or it does not say what is a workspace."},
    {"resident-in-arena", "Are weights inside the arena?", ON_GRAPH | ON_PLAN,
     "No constant or variable is among what is planned.",
     "A log does not say which allocations are weights."},
    {"cross-stream", "Do streams or pools forbid sharing?", ON_PLAN | ON_GRAPH, "There is one pool.",
     "Nothing is known of the allocator's segments."},
    {"fragmentation", "Is free memory in pieces that are too small?", ON_PLAN | ON_GRAPH,
     "Offsets are planned: there is no allocator.", "Nothing is known of the allocator's segments."},
    {"leak", "Does something grow with every iteration?", ON_PLAN | ON_GRAPH,
     "A plan is of one run.", ""}};

static Kinds
kind_of(const TnStudy *study)
{
  if (study->is_log)
    return ON_LOG;
  return study->arena_bytes != TN_BYTES_UNKNOWN ? ON_PLAN : ON_GRAPH;
}

/* The finding with most at stake of a code; NULL. */
static const TnFinding *
worst_of(const TnFindings *findings, const char *code)
{
  for (guint i = 0; i < findings->rows->len; i++) /* they are ranked */
    if (strcmp(tn_findings_get(findings, i)->code, code) == 0)
      return tn_findings_get(findings, i);
  return NULL;
}

static void
answer(TnSuspect *suspect, TnSuspectAnswer what, tn_bytes bytes, const char *sentence)
{
  suspect->answer = what;
  suspect->bytes = bytes;
  g_free(suspect->sentence);
  suspect->sentence = g_strdup(sentence);
}

/* ---- those that no finding settles --------------------------------------------------------- */

/* Marks the storages that the op reads or writes (its own or a view's). */
static bool
mark_used(const TnGraph *graph, const TnStrings *strings, uint32_t op_row, uint8_t *is_used)
{
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnGraphStorageParams storage_params;
  if (!tn_graph_lifetime_storage_params(graph, &params, &storage_params))
    return false;
  g_autoptr(TnGraphStorage) storage = tn_graph_storage_new(graph, strings, &storage_params);
  if (!storage)
    return false;
  const TnOp *op = tn_graph_op(graph, op_row);
  for (uint32_t i = 0; i < op->n_inputs + op->n_outputs; i++) {
    uint32_t tensor = i < op->n_inputs ? tn_graph_inputs(graph, op)[i]
                                       : tn_graph_outputs(graph, op)[i - op->n_inputs];
    if (tensor != TN_NONE)
      is_used[storage->root[tensor]] = 1;
  }
  return true;
}

/* What the op at the peak neither reads nor writes: kept by branches, for later. */
static void
look_at_branches(const TnStudy *study, TnSuspect *suspect)
{
  const TnGraph *graph = study->document->graph;
  const TnBuffers *b = study->buffers;
  uint32_t op = tn_document_op_at(study->document, study->device, study->live->peak_at);
  char kept[48], peak[48];
  tn_bytes sum = 0;
  if (!graph || !b->tensor || op == TN_NONE || op >= graph->ops->len)
    return;
  g_autofree uint8_t *is_used = g_new0(uint8_t, MAX(graph->tensors->len, 1u));
  if (!mark_used(graph, study->document->strings, op, is_used))
    return;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  tn_batch_sum_keep(b, alive, study->live->peak_at);
  for (guint k = 0; k < alive->len; k++) {
    uint32_t i = g_array_index(alive, uint32_t, k);
    if (b->tensor[i] < graph->tensors->len && !is_used[b->tensor[i]])
      sum += b->bytes[i];
  }
  bool is_much = (double)sum > KEPT_PART * (double)study->live->peak;
  g_autofree char *text = g_strdup_printf(
      "%s of the %s at the peak are kept for later: the operator that runs then neither reads nor "
      "writes them.",
      tn_print_bytes(kept, sizeof kept, sum, TN_UNITS_IEC),
      tn_print_bytes(peak, sizeof peak, study->live->peak, TN_UNITS_IEC));
  answer(suspect, is_much ? TN_SUSPECT_YES : TN_SUSPECT_NO, sum, text);
}

static void
look_at_log(const TnStudy *study, TnSuspect *suspect)
{
  bool has_segments = study->reserved && !study->device->pool;
  if (strcmp(suspect->code, "cross-stream") == 0 && has_segments)
    answer(suspect, TN_SUSPECT_NO, -1,
           study->n_spaces > 1 ? "One common pool would not have reserved less."
                               : "All requests came from one stream and pool.");
  if (strcmp(suspect->code, "fragmentation") == 0 && has_segments)
    answer(suspect, TN_SUSPECT_NO, -1, "Hardly any reserved memory lay in holes at the peak.");
  if (strcmp(suspect->code, "leak") == 0)
    answer(suspect, study->device->events.n ? TN_SUSPECT_NO : TN_SUSPECT_UNKNOWN, -1,
           study->device->events.n ? "No call site keeps more in every part of the recording."
                                   : "One moment does not show what grows.");
}

static void
settle(const TnStudy *study, const Row *row, TnSuspect *suspect)
{
  if (row->told_of & kind_of(study))
    answer(suspect, TN_SUSPECT_NO, -1, row->no);
  else
    answer(suspect, TN_SUSPECT_UNKNOWN, -1, row->unknown);
  if (strcmp(row->code, "branches") == 0)
    look_at_branches(study, suspect);
  if (strcmp(row->code, "padding") == 0 && study->buffers->requested)
    answer(suspect, TN_SUSPECT_NO, 0, "Sizes in memory are the sizes asked for.");
  if (study->is_log)
    look_at_log(study, suspect);
}

static void
clear_suspect(gpointer data)
{
  g_free(((TnSuspect *)data)->sentence);
}

GArray *
tn_suspects_new(const TnStudy *study, const TnFindings *findings)
{
  GArray *list = g_array_new(FALSE, TRUE, sizeof(TnSuspect));
  g_array_set_clear_func(list, clear_suspect);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    TnSuspect suspect = {.code = rows[i].code, .question = rows[i].question, .bytes = -1};
    const TnFinding *finding = worst_of(findings, rows[i].code);
    if (finding)
      answer(&suspect, TN_SUSPECT_YES,
             finding->saving_bytes >= 0 ? finding->saving_bytes : finding->bytes,
             finding->message);
    else
      settle(study, &rows[i], &suspect);
    g_array_append_val(list, suspect);
  }
  return list;
}

const char *
tn_suspect_answer_name(TnSuspectAnswer which)
{
  static const char *const names[] = {"yes", "no", "can't be told"};
  return names[which];
}
