/* SPDX-License-Identifier: MIT */
/* Streams in the offsets of a spill plan, asked as those ask who read it from its file: steps that are added move all
 * ops, so that the graph's own table does not tell. */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "analysis/findings-ge.h"
#include "data/reader.h"

#include <string.h>

TnStudy *
tn_spill_build_study(const TnSpillReport *spill, TnDocument **out_document)
{
  g_autofree char *text = tn_spill_build_offsets(spill);
  *out_document = NULL;
  if (!text)
    return NULL;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  *out_document = tn_document_load_source(source, &options, NULL);
  return *out_document ? tn_study_new(*out_document, 0, &params, NULL, NULL) : NULL;
}

bool
tn_spill_streams_hold(const TnSpillReport *spill)
{
  g_autoptr(TnDocument) document = NULL;
  g_autoptr(TnStudy) study = tn_spill_build_study(spill, &document);
  if (!study)
    return false;
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_find_stream_sharing(study, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    if (tn_findings_get(findings, i)->severity == TN_SEVERITY_ERROR)
      return false;
  return true;
}
