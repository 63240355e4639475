/* SPDX-License-Identifier: MIT */
/* Why a request failed, as far as a report of totals tells. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

/* Adds the finding of `mark`, a request that failed on the study's device, of which the document has at most an
 * account: what was free, who holds most, whether a limit of the process or fragmentation was the cause.  Says nothing
 * that the account does not.  Owned by `findings`. */
TnFinding *tn_explain_totals(const TnStudy *study, const TnMark *mark, TnFindings *findings);
