/* SPDX-License-Identifier: MIT */
/* Streams in the offsets of a spill plan: rows lie in the space of the stream that makes them, but others may read them
 * and nobody waits for those. */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "analysis/findings-ge.h"
#include "data/reader.h"

#include <string.h>

static bool
has_many_streams(const TnGraph *graph)
{
  for (guint op = 1; op < graph->ops->len; op++)
    if (tn_graph_op(graph, op)->stream != tn_graph_op(graph, 0)->stream)
      return true;
  return false;
}

/* What `check` finds in the plan as it is written; NULL where it can't be read back.  Owned. */
static TnFindings *
build_findings(const TnSpillReport *spill)
{
  g_autofree char *text = tn_spill_build_offsets(spill);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  g_autoptr(TnStudy) study = document ? tn_study_new(document, 0, &params, NULL, NULL) : NULL;
  if (!study)
    return NULL;
  TnFindings *findings = tn_findings_new();
  tn_find_stream_sharing(study, findings);
  return findings;
}

bool
tn_spill_streams_hold(const TnSpillReport *spill, GArray *out_rows)
{
  if (!spill->offsets || !has_many_streams(spill->document->graph))
    return true;
  g_autoptr(TnFindings) findings = build_findings(spill);
  bool holds = findings != NULL;
  for (guint i = 0; findings && i < findings->rows->len; i++) {
    const TnFinding *finding = tn_findings_get(findings, i);
    if (finding->severity != TN_SEVERITY_ERROR)
      continue;
    holds = false;
    if (finding->buffers && finding->buffers->len > 1)
      g_array_append_val(out_rows, g_array_index(finding->buffers, uint32_t, 1));
  }
  return holds;
}

void
tn_spill_streams_split(TnSpillReport *spill, const GArray *rows)
{
  TnBuffers *buffers = spill->lives->buffers;
  uint32_t n_spaces = 1;
  for (uint32_t i = 0; i < buffers->n; i++)
    n_spaces = MAX(n_spaces, buffers->space[i] + 1);
  g_autofree bool *is_alone = g_new0(bool, (gsize)buffers->n + 1);
  for (guint k = 0; k < rows->len; k++) {
    uint32_t row = g_array_index(rows, uint32_t, k);
    if (row >= buffers->n || is_alone[row])
      continue;
    is_alone[row] = true;
    buffers->space[row] = n_spaces++;
  }
}
