/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/inside-ops.h"

#include "data/graph-order.h"

#include <string.h>

#define CODE "bodies-not-counted"

char *
tn_answer_build_uncounted(const TnDocument *document, const TnGraphLives *lives, TnUnits units)
{
  char inside[48], whole[48];
  if (!lives || lives->n_uncounted == 0)
    return NULL;
  g_autofree char *op =
      tn_graph_build_op_text(document->graph, document->strings, lives->uncounted_op);
  return g_strdup_printf(
      "what runs inside %u %s is not part of the live peak, nor of a plan or its "
      "proof: %s alone may need %s, with what is alive there %s",
      lives->n_uncounted, tn_plural(lives->n_uncounted, "op", "ops"), op,
      tn_print_bytes(inside, sizeof inside, lives->uncounted_bytes, units),
      tn_print_bytes(whole, sizeof whole, lives->uncounted_peak, units));
}

void
tn_answer_find_uncounted(const TnStudy *study, TnFindings *findings)
{
  g_autofree char *text =
      tn_answer_build_uncounted(study->document, study->graph_lives, TN_UNITS_IEC);
  if (!text)
    return;
  text[0] = g_ascii_toupper(text[0]);
  TnFinding *finding = tn_findings_add(findings, CODE, TN_SEVERITY_WARNING, "%s", text);
  finding->bytes = study->graph_lives->uncounted_bytes;
  finding->hint = g_strdup("A runtime that is chosen before planning counts it.");
}

void
tn_answer_keep_uncounted(const TnFindings *of_lives, TnFindings *findings)
{
  for (guint i = 0; i < of_lives->rows->len; i++) {
    const TnFinding *known = tn_findings_get(of_lives, i);
    if (strcmp(known->code, CODE) != 0)
      continue;
    TnFinding *kept = tn_findings_add(findings, known->code, known->severity, "%s", known->message);
    kept->bytes = known->bytes;
    kept->hint = g_strdup(known->hint);
  }
}
