/* SPDX-License-Identifier: MIT */
/* What ops run inside themselves (branches, loops): it is in a plan only where it counts as their
 * workspace. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

/* What lives leave out of it, in a sentence; NULL where they leave out nothing.  Owned by the
 * caller. */
char *
tn_answer_build_uncounted(const TnDocument *document, const TnGraphLives *lives, TnUnits units);

/* Appends the same as the finding `bodies-not-counted`, where there is one.  A study with other
 * offsets (tn_study_new_with_offsets()) does not know: its is kept from findings of the lives that
 * it is a plan of. */
void tn_answer_find_uncounted(const TnStudy *study, TnFindings *findings);
void tn_answer_keep_uncounted(const TnFindings *of_lives, TnFindings *findings);
